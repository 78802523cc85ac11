/* The pairs among the candidates of a search, and buffers that only grow: what potentials over pairs have in common. */
#pragma once
#include "potentialimpl.h"

/* A buffer that only grows. */
typedef struct {
  void    *data;
  PetscInt capacity;
} Buffer;

static inline PetscErrorCode Reserve(Buffer *buffer, PetscInt count, size_t size)
{
  PetscFunctionBegin;
  if (count > buffer->capacity) {
    buffer->capacity = count + count / 2 + 64;
    PetscCall(PetscRealloc((size_t)buffer->capacity * size, &buffer->data));
  }
  PetscFunctionReturn(0);
}

/* The pairs of one kind among the candidates. */
typedef struct {
  AbutPairKind    kind;
  PetscInt        n, count;
  const PetscInt *v;
} PairSet;

#define NUM_SETS 3

static inline void PairSets(const AbutCandidates *c, PairSet sets[NUM_SETS])
{
  sets[0] = (PairSet){ABUT_PAIR_FV, 4, c->num_fv, c->num_fv ? c->fv[0] : NULL};
  sets[1] = (PairSet){ABUT_PAIR_EE, 4, c->num_ee, c->num_ee ? c->ee[0] : NULL};
  sets[2] = (PairSet){ABUT_PAIR_EV, 3, c->num_ev, c->num_ev ? c->ev[0] : NULL};
}

static inline const PetscInt *PairOf(const PairSet *set, PetscInt p)
{
  return set->v + (size_t)set->n * (size_t)p;
}

static inline void Gather(PetscInt dim, PetscInt n, const PetscInt v[], const PetscReal x[], PetscReal y[])
{
  for (PetscInt a = 0; a < n; a++) {
    for (PetscInt i = 0; i < dim; i++) y[dim * a + i] = x[dim * v[a] + i];
  }
}

/* Squared distance of the bounding boxes of the first m points and the others: a lower bound, a little below it against rounding. */
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

static inline PetscBool NearPair(AbutPairKind kind, PetscInt dim, PetscInt m, PetscInt n, const PetscInt v[], const PetscReal xt[],
                                 PetscReal bound2, PetscReal x[], PetscReal *s)
{
  Gather(dim, n, v, xt, x);
  if (BoxDist2(dim, m, n, x) >= bound2) return PETSC_FALSE;
  *s = AbutPairDist2(kind, dim, x);
  return (PetscBool)(*s < bound2);
}

/* Whether a candidate is closer than the root of bound2; if so, its points and squared distance. */
static inline PetscBool IsNear(const PairSet *set, PetscInt dim, const PetscInt v[], const PetscReal xt[], PetscReal bound2,
                               PetscReal x[12], PetscReal *s)
{
  switch (set->kind) {
  case ABUT_PAIR_FV: return NearPair(ABUT_PAIR_FV, 3, 1, 4, v, xt, bound2, x, s);
  case ABUT_PAIR_EE: return NearPair(ABUT_PAIR_EE, 3, 2, 4, v, xt, bound2, x, s);
  case ABUT_PAIR_EV:
    return dim == 2 ? NearPair(ABUT_PAIR_EV, 2, 1, 3, v, xt, bound2, x, s) : NearPair(ABUT_PAIR_EV, 3, 1, 3, v, xt, bound2, x, s);
  default: return PETSC_FALSE;
  }
}

/* Height of a vertex over a plane. */
static inline PetscReal PlaneHeight(const AbutCandidates *c, PetscInt plane, PetscInt v, const PetscReal xt[])
{
  return AbutPlaneHeight(c->dim, c->planes[plane].normal, c->planes[plane].point, xt + c->dim * v);
}

/* Vertices of the candidates within a distance, as stencils of four for the pattern; buffer: of 4 PetscInt each. */
PETSC_INTERN PetscErrorCode AbutCandidatesNear(const AbutCandidates *c, const PetscReal x[], PetscReal distance, Buffer *buffer,
                                               AbutStencilList *near);
/* Mean length of the edges of the bodies' surfaces at rest; of all surfaces if bodies have none. Collective. */
PETSC_INTERN PetscErrorCode AbutMeanEdge(AbutMesh mesh, PetscReal *mean);
