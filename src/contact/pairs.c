/* Pairs of entities that may meet, each on the one rank that takes it. */
#include "contactimpl.h"

typedef struct {
  const AbutSweep    *sweep;
  const AbutEntities *A, *B;
  AbutPairList       *list;
  PetscInt            room; /* pairs that still fit the bound */
  int                 dim;
  PetscBool           same_kind; /* the entity of lower id counts as first */
  PetscBool           by_point;  /* the owner of the point takes it */
  PetscBool           a_here, b_here;
  PetscBool           all; /* all pairs of boxes that overlap, for later searches to choose from */
  PetscErrorCode      ierr;
} Filter;

static PetscErrorCode ListGrow(AbutPairList *list, PetscInt n)
{
  PetscFunctionBegin;
  if (n > list->capacity) {
    list->capacity = n + n / 2 + 4096;
    PetscCall(PetscRealloc((size_t)list->capacity * sizeof(AbutPair), &list->pair));
  }
  PetscFunctionReturn(0);
}

/* The rule of contact.h for a pair across ranks. */
static inline PetscBool TakenHere(const Filter *f, PetscInt ida, PetscInt idb)
{
  const PetscBool a_first = (PetscBool)(!f->same_kind || ida < idb);
  const PetscBool even    = (PetscBool)(((ida ^ idb) & 1) == 0);

  return f->by_point ? f->b_here : (PetscBool)(f->a_here == (even == a_first));
}

static inline PetscBool ShareVertex(int na, const int32_t a[], int nb, const int32_t b[])
{
  PetscBool share = PETSC_FALSE;

  for (int i = 0; i < na; i++) {
    for (int j = 0; j < nb; j++) share |= (PetscBool)(a[i] == b[j]);
  }
  return share;
}

static inline PetscBool Separated(const Filter *f, int na, const int32_t a[], int nb, const int32_t b[])
{
  const PetscReal *x[5], *x_end[5];

  for (int i = 0; i < na + nb; i++) {
    const size_t v = (size_t)f->dim * (size_t)(i < na ? a[i] : b[i - na]);

    x[i]     = f->sweep->x + v;
    x_end[i] = f->sweep->x_end + v;
  }
  return f->dim == 3 ? AbutPairSeparated3D(na, nb, x, x_end, f->sweep->inflation)
                     : AbutPairSeparated2D(na, nb, x, x_end, f->sweep->inflation);
}

/* Whether the pair is near, the points in the same order on every rank. */
static inline __attribute__((always_inline)) PetscBool Near(const Filter *f, int na, int nb, int32_t i, int32_t j)
{
  const int32_t *a = f->A->v + (size_t)na * i, *b = f->B->v + (size_t)nb * j;

  if (nb == 1 || (f->same_kind && f->B->id[j] < f->A->id[i])) return (PetscBool)!Separated(f, nb, b, na, a);
  return (PetscBool)!Separated(f, na, a, nb, b);
}

static inline __attribute__((always_inline)) PetscBool Keep(const Filter *f, int na, int nb, int32_t i, int32_t j)
{
  const AbutEntities *A = f->A, *B = f->B;

  if (ShareVertex(na, A->v + (size_t)na * i, nb, B->v + (size_t)nb * j)) return PETSC_FALSE;
  if (A->obstacle[i] & B->obstacle[j]) return PETSC_FALSE;
  if (!(f->a_here && f->b_here) && !TakenHere(f, A->id[i], B->id[j])) return PETSC_FALSE;
  return (PetscBool)(f->all || Near(f, na, nb, i, j));
}

/* Calls a function of the numbers of vertices of both entities with numbers that the compiler knows. */
#define BY_VERTICES(f, function, i, j)         \
  ((f)->A->nv == 3   ? function(f, 3, 1, i, j) \
   : (f)->B->nv == 2 ? function(f, 2, 2, i, j) \
   : (f)->B->nv == 1 ? function(f, 2, 1, i, j) \
                     : function(f, 2, 3, i, j))

static inline void ListAdd(AbutPairList *list, int32_t i, int32_t j)
{
  list->pair[list->n][0]   = i;
  list->pair[list->n++][1] = j;
}

static PetscBool FilterPairs(void *ctx, int count, const AbutPair *pairs)
{
  Filter       *f    = (Filter *)ctx;
  AbutPairList *list = f->list;

  f->ierr = ListGrow(list, list->n + count);
  if (f->ierr) return PETSC_FALSE;
  for (int c = 0; c < count; c++)
    if (BY_VERTICES(f, Keep, pairs[c][0], pairs[c][1])) ListAdd(list, pairs[c][0], pairs[c][1]);
  return (PetscBool)(list->n <= f->room);
}

/* One stable counting pass over entry `which` of the pairs. */
static void CountingPass(PetscInt n, const AbutPair from[], AbutPair to[], int which, int32_t range, PetscInt at[])
{
  PetscInt sum = 0;

  for (int32_t i = 0; i < range; i++) at[i] = 0;
  for (PetscInt i = 0; i < n; i++) at[from[i][which]]++;
  for (int32_t i = 0; i < range; i++) {
    const PetscInt count = at[i];

    at[i] = sum;
    sum += count;
  }
  for (PetscInt i = 0; i < n; i++) {
    int32_t *slot = to[at[from[i][which]]++];

    slot[0] = from[i][0];
    slot[1] = from[i][1];
  }
}

/* Sorts the pairs by first and second entry: their order then owes nothing to the shape of the trees, which depends on what was searched before. */
static PetscErrorCode SortPairs(AbutContact contact, AbutPairList *list, int32_t na, int32_t nb)
{
  AbutPairList *other = &contact->sorted;
  PetscInt     *at;

  PetscFunctionBegin;
  if (!list->n) PetscFunctionReturn(0);
  PetscCall(ListGrow(other, list->n));
  PetscCall(PetscMalloc1(PetscMax(na, nb), &at));
  CountingPass(list->n, (const AbutPair *)list->pair, other->pair, 1, nb, at);
  CountingPass(list->n, (const AbutPair *)other->pair, list->pair, 0, na, at);
  PetscCall(PetscFree(at));
  PetscFunctionReturn(0);
}

/* Within one set of entities the trees give pairs either way round. */
static void OrientPairs(AbutPairList *list)
{
  for (PetscInt i = 0; i < list->n; i++) {
    int32_t *pair = list->pair[i];

    if (pair[0] > pair[1]) {
      const int32_t swap = pair[0];

      pair[0] = pair[1];
      pair[1] = swap;
    }
  }
}

/* All pairs of two sets that the filter lets through, sorted; too many if the list is longer than the filter has room for. */
static PetscErrorCode FindPairs(AbutContact contact, Filter *f)
{
  PetscFunctionBegin;
  f->list->n = 0;
  AbutBVHOverlap(&f->A->tree, &f->B->tree, FilterPairs, f);
  PetscCall(f->ierr);
  if (f->list->n > f->room) PetscFunctionReturn(0);
  if (f->A == f->B) OrientPairs(f->list);
  PetscCall(SortPairs(contact, f->list, f->A->n, f->B->n));
  PetscFunctionReturn(0);
}

/* The same among the pairs that are kept, which are looked for if this search is the one that finds them. */
static PetscErrorCode FindKeptPairs(AbutContact contact, Filter *f, AbutPairList *kept, const AbutBox a[], const AbutBox b[])
{
  AbutNear     *near = &contact->near;
  AbutPairList *list = f->list;

  PetscFunctionBegin;
  list->n = 0;
  if (near->fresh) {
    Filter g = *f;

    g.list = kept;
    g.room = near->room - near->num;
    g.all  = PETSC_TRUE;
    PetscCall(FindPairs(contact, &g));
    near->num += kept->n;
    near->overflow = (PetscBool)(near->num > near->room);
    if (near->overflow) PetscFunctionReturn(0);
  }
  PetscCall(ListGrow(list, kept->n));
  for (PetscInt k = 0; k < kept->n; k++)
    if (AbutBoxesOverlap(&a[kept->pair[k][0]], &b[kept->pair[k][1]]) && BY_VERTICES(f, Near, kept->pair[k][0], kept->pair[k][1]))
      ListAdd(list, kept->pair[k][0], kept->pair[k][1]);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSweepPairs(AbutContact contact, const AbutSweep *sweep, int first, int second, PetscInt max_pairs, PetscInt *found,
                              AbutPairsEmitFn emit, void *ctx)
{
  const AbutEntities *const A[3] = {&contact->local[first], &contact->local[first], &sweep->import[first]};
  const AbutEntities *const B[3] = {&contact->local[second], &sweep->import[second], &contact->local[second]};
  const int                 sets = first == second ? 2 : 3; /* a copy here and an entity of the same kind meet once */
  AbutNear                 *near = sweep == &contact->search && contact->near.margin > 0 ? &contact->near : NULL;

  PetscFunctionBegin;
  for (int s = 0; s < sets && *found <= max_pairs; s++) {
    AbutPairList *list = &contact->pairs;
    Filter        f    = {.sweep     = sweep,
                          .A         = A[s],
                          .B         = B[s],
                          .list      = list,
                          .room      = max_pairs - *found,
                          .dim       = (int)contact->m->dim,
                          .same_kind = (PetscBool)(first == second),
                          .by_point  = (PetscBool)(contact->rings.on && second == POINT),
                          .a_here    = (PetscBool)(s != 2),
                          .b_here    = (PetscBool)(s != 1)};

    if (near && near->overflow) break;
    if (near)
      PetscCall(FindKeptPairs(contact, &f, &near->list[first][s], near->box[s == 2][first], near->box[s == 1][second]));
    else
      PetscCall(FindPairs(contact, &f));
    *found += list->n;
    if (*found > max_pairs) break;
    PetscCall(emit(contact, A[s], B[s], list->n, (const AbutPair *)list->pair, ctx));
  }
  PetscFunctionReturn(0);
}
