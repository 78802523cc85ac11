/* Pairs of entities that may come within the inflation during a sweep; each pair is found on exactly one rank. */
#include "contactimpl.h"

typedef struct {
  const AbutSweep    *sweep;
  const AbutEntities *A, *B;
  AbutPairList       *list;
  PetscInt            most; /* the traversal stops when the list is longer */
  int                 dim;
  PetscBool           same_kind; /* the entity of lower id is the first */
  PetscBool           by_point;  /* the pair belongs to the rank that owns the point */
  PetscBool           a_local, b_local;
  PetscBool           moving; /* only pairs with an entity that is not held */
  const AbutTied     *tied;   /* NULL: none */
  PetscErrorCode      ierr;
} Filter;

/* Whether this rank keeps a pair of a local entity and a copy, by the rule of contact.h. */
static inline PetscBool BelongsHere(const Filter *f, PetscInt ida, PetscInt idb)
{
  const PetscBool a_first = (PetscBool)(!f->same_kind || ida < idb);
  const PetscBool even    = (PetscBool)(((ida ^ idb) & 1) == 0);

  return f->by_point ? f->b_local : (PetscBool)(f->a_local == (even == a_first));
}

static inline PetscBool ShareVertex(int na, const int32_t a[], int nb, const int32_t b[])
{
  PetscBool share = PETSC_FALSE;

  for (int i = 0; i < na; i++) {
    for (int j = 0; j < nb; j++) share |= (PetscBool)(a[i] == b[j]);
  }
  return share;
}

static inline __attribute__((always_inline)) PetscBool Keep(const Filter *f, int na, int nb, int32_t i, int32_t j)
{
  const AbutEntities *A = f->A, *B = f->B;

  if (ShareVertex(na, A->v + (size_t)na * i, nb, B->v + (size_t)nb * j)) return PETSC_FALSE;
  if (A->obstacle[i] & B->obstacle[j]) return PETSC_FALSE;
  if (f->moving && (A->held[i] & B->held[j])) return PETSC_FALSE;
  if (f->tied && AbutContactAreTied(f->tied, f->sweep, na, A->v + (size_t)na * i, nb, B->v + (size_t)nb * j)) return PETSC_FALSE;
  return (PetscBool)((f->a_local && f->b_local) || BelongsHere(f, A->id[i], B->id[j]));
}

/* Calls a function with the numbers of vertices of both entities as compile-time constants. */
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

/* Vertices of a pair, in an order that is equal on every rank: a point comes first, of two edges the one of lower id. */
static inline void PointsOf(const Filter *f, const AbutPair pair, int32_t v[])
{
  const int       na = f->A->nv, nb = f->B->nv;
  const int32_t  *a = f->A->v + (size_t)na * (size_t)pair[0], *b = f->B->v + (size_t)nb * (size_t)pair[1];
  const PetscBool turn = (PetscBool)(nb == 1 || (f->same_kind && f->B->id[pair[1]] < f->A->id[pair[0]]));

  for (int k = 0; k < na; k++) v[turn ? nb + k : k] = a[k];
  for (int k = 0; k < nb; k++) v[turn ? k : na + k] = b[k];
}

/* Removes the pairs of the list from number `first` on that stay farther than the inflation from each other. */
static void RemoveSeparated(const Filter *f, PetscInt first)
{
  AbutPairList *list = f->list;
  const int     nb = f->B->nv, low = nb == 1 ? 1 : f->A->nv, high = nb == 1 ? f->A->nv : nb;
  PetscInt      kept = first;

  for (PetscInt k = first; k < list->n; k += ABUT_SIMD_WIDTH) {
    const PetscInt last = PetscMin(k + ABUT_SIMD_WIDTH, list->n) - 1;
    AbutPairPoints v;
    PetscBool      separated[ABUT_SIMD_WIDTH];

    for (PetscInt l = 0; l < ABUT_SIMD_WIDTH; l++) PointsOf(f, list->pair[PetscMin(k + l, last)], v[l]);
    AbutPairsSeparated(f->dim, low, high, v, f->sweep->x, f->sweep->x_end, f->sweep->inflation, separated);
    for (PetscInt l = 0; l <= last - k; l++) {
      list->pair[kept][0] = list->pair[k + l][0];
      list->pair[kept][1] = list->pair[k + l][1];
      kept += !separated[l];
    }
  }
  list->n = kept;
}

static PetscBool FilterPairs(void *ctx, int count, const AbutPair *pairs)
{
  Filter        *f     = (Filter *)ctx;
  AbutPairList  *list  = f->list;
  const PetscInt first = list->n;

  f->ierr = AbutReserve(list->n + count, &list->capacity, &list->pair);
  if (f->ierr) return PETSC_FALSE;
  for (int c = 0; c < count; c++)
    if (BY_VERTICES(f, Keep, pairs[c][0], pairs[c][1])) ListAdd(list, pairs[c][0], pairs[c][1]);
  RemoveSeparated(f, first);
  return (PetscBool)(list->n <= f->most);
}

/* One stable pass of a counting sort, by entry `which` of the pairs. */
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

/*
  Sorts the pairs by their first, then second entry; uses an array that is free at this time. The order in which they were found depends
  on the trees, hence on earlier searches.
*/
static PetscErrorCode SortPairs(AbutContact contact, AbutPairList *list, int32_t na, int32_t nb)
{
  AbutPairList *other = &contact->scratch[list == &contact->scratch[0]];
  PetscInt     *at;

  PetscFunctionBegin;
  if (!list->n) PetscFunctionReturn(0);
  PetscCall(AbutReserve(list->n, &other->capacity, &other->pair));
  PetscCall(PetscMalloc1(PetscMax(na, nb), &at));
  CountingPass(list->n, (const AbutPair *)list->pair, other->pair, 1, nb, at);
  CountingPass(list->n, (const AbutPair *)other->pair, list->pair, 0, na, at);
  PetscCall(PetscFree(at));
  PetscFunctionReturn(0);
}

/* Puts the smaller entry of each pair first: within one set of entities the traversal finds pairs in either orientation. */
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

/* Finds all pairs of two sets that pass the filter, in any order. The list is incomplete if it is longer than f->most. */
static PetscErrorCode FindPairs(Filter *f)
{
  PetscFunctionBegin;
  f->list->n = 0;
  AbutBVHOverlap(&f->A->tree, &f->B->tree, FilterPairs, f);
  PetscCall(f->ierr);
  if (f->A == f->B) OrientPairs(f->list);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSweepPairs(AbutContact contact, const AbutSweep *sweep, int first, int second, PetscInt max_pairs, PetscInt *found,
                              AbutPairsEmitFn emit, void *ctx)
{
  const AbutEntities *const A[3] = {&contact->local[first], &contact->local[first], &sweep->copies[first]};
  const AbutEntities *const B[3] = {&contact->local[second], &sweep->copies[second], &contact->local[second]};
  const int                 sets =
    first == second ? 2 : 3; /* with one kind, pairs of a local entity and a copy are the same pairs as of a copy and a local entity */

  PetscFunctionBegin;
  for (int s = 0; s < sets && *found <= max_pairs; s++) {
    AbutPairList *list = &contact->scratch[0];
    Filter        f    = {.sweep     = sweep,
                          .A         = A[s],
                          .B         = B[s],
                          .list      = list,
                          .most      = max_pairs - *found,
                          .dim       = (int)contact->m->dim,
                          .same_kind = (PetscBool)(first == second),
                          .by_point  = (PetscBool)(contact->ring.on && second == POINT),
                          .moving    = sweep->restricted,
                          .tied      = contact->tied.number ? &contact->tied : NULL,
                          .a_local   = (PetscBool)(s != 2),
                          .b_local   = (PetscBool)(s != 1)};

    PetscCall(FindPairs(&f));
    *found += list->n;
    if (*found > max_pairs) break;
    PetscCall(SortPairs(contact, list, A[s]->n, B[s]->n));
    PetscCall(emit(contact, A[s], B[s], list->n, (const AbutPair *)list->pair, ctx));
  }
  PetscFunctionReturn(0);
}
