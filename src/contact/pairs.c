/* Pairs of entities that may meet, each on the one rank that takes it. */
#include "contactimpl.h"

typedef struct {
  const AbutSweep    *sweep;
  const AbutEntities *A, *B;
  AbutPairList       *list;
  PetscInt            room; /* pairs that still fit the bound */
  int                 dim;
  PetscBool           same_kind; /* the entity of lower id counts as first */
  PetscBool           a_here, b_here;
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

  return f->a_here == (even == a_first);
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

static inline __attribute__((always_inline)) PetscBool Keep(const Filter *f, int na, int nb, int32_t i, int32_t j)
{
  const AbutEntities *A = f->A, *B = f->B;
  const int32_t      *a = A->v + (size_t)na * i, *b = B->v + (size_t)nb * j;

  if (ShareVertex(na, a, nb, b)) return PETSC_FALSE;
  if (A->obstacle[i] & B->obstacle[j]) return PETSC_FALSE;
  if (!(f->a_here && f->b_here) && !TakenHere(f, A->id[i], B->id[j])) return PETSC_FALSE;
  /* the same order of points on every rank */
  if (nb == 1 || (f->same_kind && B->id[j] < A->id[i])) return (PetscBool)!Separated(f, nb, b, na, a);
  return (PetscBool)!Separated(f, na, a, nb, b);
}

static PetscBool FilterPairs(void *ctx, int count, const AbutPair *pairs)
{
  Filter       *f    = (Filter *)ctx;
  AbutPairList *list = f->list;
  const int     na = f->A->nv, nb = f->B->nv;

  f->ierr = ListGrow(list, list->n + count);
  if (f->ierr) return PETSC_FALSE;
  for (int c = 0; c < count; c++) {
    const int32_t i = pairs[c][0], j = pairs[c][1];
    PetscBool     keep;

    if (na == 3)
      keep = Keep(f, 3, 1, i, j);
    else if (nb == 2)
      keep = Keep(f, 2, 2, i, j);
    else
      keep = nb == 1 ? Keep(f, 2, 1, i, j) : Keep(f, 2, 3, i, j);
    if (!keep) continue;
    list->pair[list->n][0]   = i;
    list->pair[list->n++][1] = j;
  }
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
static PetscErrorCode SortPairs(AbutContact contact, int32_t na, int32_t nb)
{
  AbutPairList *list = &contact->pairs, *other = &contact->sorted;
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

PetscErrorCode AbutSweepPairs(AbutContact contact, const AbutSweep *sweep, int first, int second, PetscInt max_pairs, PetscInt *found,
                              AbutPairsEmitFn emit, void *ctx)
{
  const AbutEntities *const A[3] = {&contact->local[first], &contact->local[first], &sweep->import[first]};
  const AbutEntities *const B[3] = {&contact->local[second], &sweep->import[second], &contact->local[second]};
  const int                 sets = first == second ? 2 : 3; /* a copy here and an entity of the same kind meet once */

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
                          .a_here    = (PetscBool)(s != 2),
                          .b_here    = (PetscBool)(s != 1)};

    list->n = 0;
    AbutBVHOverlap(&A[s]->tree, &B[s]->tree, FilterPairs, &f);
    PetscCall(f.ierr);
    *found += list->n;
    if (*found > max_pairs) break;
    if (A[s] == B[s]) OrientPairs(list);
    PetscCall(SortPairs(contact, A[s]->n, B[s]->n));
    PetscCall(emit(contact, A[s], B[s], list->n, (const AbutPair *)list->pair, ctx));
  }
  PetscFunctionReturn(0);
}
