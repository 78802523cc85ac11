/* Visits candidates within a distance; computes the mean surface edge. */
#include "candidates.h"

/*
  Lower bound of the squared distance of a pair: the squared distance of the bounding boxes of its first m points and of its other points,
  reduced by 1e-12 for rounding.
*/
static inline PetscReal BoxDist2(PetscInt dim, PetscInt m, PetscInt n, const PetscReal x[])
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < dim; i++) {
    PetscReal low0 = x[i], high0 = x[i], low1 = x[dim * m + i], high1 = x[dim * m + i], gap;
    for (PetscInt a = 1; a < m; a++) {
      low0  = PetscMin(low0, x[dim * a + i]);
      high0 = PetscMax(high0, x[dim * a + i]);
    }
    for (PetscInt a = m + 1; a < n; a++) {
      low1  = PetscMin(low1, x[dim * a + i]);
      high1 = PetscMax(high1, x[dim * a + i]);
    }
    gap = PetscMax(low0 - high1, low1 - high0);
    sum += gap > 0 ? gap * gap : 0;
  }
  return sum * (1 - 1e-12);
}

/* Candidates of one kind: n points each, m of them on the first side. */
typedef struct {
  AbutPairKind    kind;
  PetscInt        dim, m, n, count;
  const PetscInt *v;
} Set;

typedef struct {
  const PetscReal *xt;
  PetscReal        bound2, *min_dist2;
  AbutCandidateFn  fn;
  void            *ctx;
} Visit;

/* Inlined for each kind, so that loops have constant bounds. */
static inline __attribute__((always_inline)) PetscErrorCode VisitSet(Set set, const Visit *visit)
{
  PetscFunctionBegin;
  for (PetscInt p = 0; p < set.count; p++) {
    const PetscInt *v      = set.v + (size_t)set.n * (size_t)p;
    const PetscReal bound2 = PetscMax(visit->bound2, *visit->min_dist2);
    PetscReal       x[12], s;
    AbutGather(set.dim, set.n, v, visit->xt, x);
    if (BoxDist2(set.dim, set.m, set.n, x) >= bound2) continue;
    s = AbutPairDist2(set.kind, set.dim, x);
    if (!(s < bound2)) continue;
    *visit->min_dist2 = PetscMin(*visit->min_dist2, s);
    if (s < visit->bound2) PetscCall(visit->fn(set.kind, p, v, x, s, visit->ctx));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutCandidatesVisit(const AbutCandidates *c, const PetscReal xt[], PetscReal bound2, PetscReal *min_dist2,
                                   AbutCandidateFn fn, void *ctx)
{
  PetscReal   unused = 0;
  const Visit visit  = {xt, bound2, min_dist2 ? min_dist2 : &unused, fn, ctx};

  PetscFunctionBegin;
  PetscCall(VisitSet((Set){ABUT_PAIR_FV, 3, 1, 4, c->num_fv, (const PetscInt *)c->fv}, &visit));
  PetscCall(VisitSet((Set){ABUT_PAIR_EE, 3, 2, 4, c->num_ee, (const PetscInt *)c->ee}, &visit));
  PetscCall(VisitSet((Set){ABUT_PAIR_EV, 2, 1, 3, c->num_ev, (const PetscInt *)c->ev}, &visit));
  PetscFunctionReturn(0);
}

typedef struct {
  const AbutCandidates *c;
  AbutInts             *list;
} Listing;

static PetscErrorCode ListCandidate(AbutPairKind kind, PetscInt p, const PetscInt v[], const PetscReal x[], PetscReal s, void *ctx)
{
  const Listing  *to     = ctx;
  const PetscInt *global = to->c->vertex_global;

  PetscFunctionBegin;
  (void)p, (void)x, (void)s;
  PetscCall(AbutIntsPush(to->list, 4, (PetscInt[]){global[v[0]], global[v[1]], global[v[2]], kind == ABUT_PAIR_EV ? -1 : global[v[3]]}));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutCandidatesWithin(const AbutCandidates *c, const PetscReal x[], PetscReal distance, AbutInts *list, AbutStencilList *near)
{
  Listing to = {c, list};

  PetscFunctionBegin;
  list->n = 0;
  PetscCall(AbutCandidatesVisit(c, x, distance * distance, NULL, ListCandidate, &to));
  *near = (AbutStencilList){list->n / 4, NULL, list->a};
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeanEdge(AbutMesh mesh, PetscReal *mean)
{
  PetscFunctionBegin;
  PetscCall(AbutMeshGetMeanEdge(mesh, PETSC_FALSE, mean));
  if (!(*mean > 0)) PetscCall(AbutMeshGetMeanEdge(mesh, PETSC_TRUE, mean));
  if (!(*mean > 0)) *mean = 1;
  PetscFunctionReturn(0);
}
