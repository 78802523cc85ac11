/* Access to the candidate pairs of a search, and growable buffers, for all potentials. */
#pragma once
#include "potentialimpl.h"

/* Growable array of entries of any type. */
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

/* Candidate pairs of one kind. */
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

/*
  Lower bound of the squared distance of a pair: the squared distance between the bounding box of its first m points and the bounding box
  of its other points, reduced by 1e-12 for rounding.
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

/* Kind and dimension of a pair, number m of points on its first side, number n of all points. */
typedef struct {
  AbutPairKind kind;
  PetscInt     dim, m, n;
} PairShape;

static inline PetscBool ShapeIsWithin(PairShape p, const PetscInt v[], const PetscReal xt[], PetscReal bound2, PetscReal x[], PetscReal *s)
{
  Gather(p.dim, p.n, v, xt, x);
  if (BoxDist2(p.dim, p.m, p.n, x) >= bound2) return PETSC_FALSE;
  *s = AbutPairDist2(p.kind, p.dim, x);
  return (PetscBool)(*s < bound2);
}

/* Whether the squared distance of candidate v is less than bound2. x: its points; *s: the squared distance, set only if it is less. */
static inline PetscBool IsWithin(const PairSet *set, PetscInt dim, const PetscInt v[], const PetscReal xt[], PetscReal bound2,
                                 PetscReal x[12], PetscReal *s)
{
  switch (set->kind) {
  case ABUT_PAIR_FV: return ShapeIsWithin((PairShape){ABUT_PAIR_FV, 3, 1, 4}, v, xt, bound2, x, s);
  case ABUT_PAIR_EE: return ShapeIsWithin((PairShape){ABUT_PAIR_EE, 3, 2, 4}, v, xt, bound2, x, s);
  case ABUT_PAIR_EV:
    return dim == 2 ? ShapeIsWithin((PairShape){ABUT_PAIR_EV, 2, 1, 3}, v, xt, bound2, x, s)
                    : ShapeIsWithin((PairShape){ABUT_PAIR_EV, 3, 1, 3}, v, xt, bound2, x, s);
  default: return PETSC_FALSE;
  }
}

/* Height of a vertex over a plane. */
static inline PetscReal PlaneHeight(const AbutCandidates *c, PetscInt plane, PetscInt v, const PetscReal xt[])
{
  return AbutPlaneHeight(c->dim, c->planes[plane].normal, c->planes[plane].point, xt + c->dim * v);
}

/* Lists the candidates closer than `distance` [m] as stencils of four global vertex indices, padded with -1; stored in `buffer`. */
PETSC_INTERN PetscErrorCode AbutCandidatesWithin(const AbutCandidates *c, const PetscReal x[], PetscReal distance, Buffer *buffer,
                                                 AbutStencilList *near);
/* Mean edge length at rest of the surfaces of bodies; of all surfaces if the bodies have no edges; else 1. Collective. */
PETSC_INTERN PetscErrorCode AbutMeanEdge(AbutMesh mesh, PetscReal *mean);
