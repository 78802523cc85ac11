/* Tangents and normals that the weight of a primitive tests, inlined for each dimension. */
#pragma once
#include "orientedimpl.h"

#define MAX_POINTS 3 /* of a tangent or normal */

/*
  Number of tangents. A vertex has its edges; an edge has the directions into its faces and, in OIPC, both directions along the edge; a
  face has, in OIPC, the outward directions across its sides.
*/
static inline PetscInt NumTangents(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p)
{
  if (p->anywhere) return 0;
  if (p->kind == ABUT_ORIENTED_VERTEX) return p->n - 1;
  if (p->kind == ABUT_ORIENTED_FACE) return spec->member == ABUT_ORIENTED_OIPC ? 3 : 0;
  return (dim == 3 ? p->n - 2 : 0) + (spec->member == ABUT_ORIENTED_OIPC ? 2 : 0);
}

/* Tangent k: sign times the vector to point 0 from point 1 or from the line through points 1 and 2, which are positions in the stencil. */
typedef struct {
  PetscInt  n, at[MAX_POINTS];
  PetscReal sign;
} TangentPoints;

static inline TangentPoints Tangent(const AbutOrientedPrimitive *p, PetscInt k)
{
  const PetscInt own = (PetscInt)p->kind + 1, num_faces = p->n - own;

  if (p->kind == ABUT_ORIENTED_FACE) return (TangentPoints){3, {k, (k + 1) % 3, (k + 2) % 3}, -1};
  if (p->kind == ABUT_ORIENTED_VERTEX) return (TangentPoints){2, {own + k, 0}, 1};
  if (k < num_faces) return (TangentPoints){3, {own + k, 0, 1}, 1};
  return (TangentPoints){2, {k - num_faces, 1 - (k - num_faces)}, 1};
}

static inline void TangentValue(PetscInt dim, const TangentPoints *points, const PetscReal x[], PetscReal v[])
{
  const PetscReal *a = x + dim * points->at[0], *b = x + dim * points->at[1];

  for (PetscInt i = 0; i < dim; i++) v[i] = a[i] - b[i];
  if (points->n == 3) {
    const PetscReal *c = x + dim * points->at[2];
    PetscReal        e[3], share;
    for (PetscInt i = 0; i < dim; i++) e[i] = c[i] - b[i];
    share = AbutDot(dim, v, e) / AbutDot(dim, e, e);
    for (PetscInt i = 0; i < dim; i++) v[i] -= share * e[i];
  }
}

/* Sets a tangent vector and its derivatives. The constant Jacobian of a difference of two points is not stored; see IsDifference(). */
static inline void TangentVector(PetscInt dim, const TangentPoints *points, const PetscReal x[], AbutOrientedVector *w)
{
  PetscReal y[9];

  if (points->n == 2) {
    w->dim    = dim;
    w->n      = 2;
    w->normal = PETSC_FALSE;
    TangentValue(dim, points, x, w->v);
    return;
  }
  AbutGather(dim, 3, points->at, x, y);
  AbutOrientedDifference(ABUT_DIST_POINT_LINE, dim, y, w);
}

static inline void NormalValue(PetscInt dim, const PetscInt at[3], const PetscReal x[], PetscReal v[])
{
  const PetscReal *p = x + dim * at[0], *q = x + dim * at[1];

  if (dim == 2) {
    v[0] = q[1] - p[1];
    v[1] = p[0] - q[0];
  } else {
    const PetscReal *r    = x + 3 * at[2];
    const PetscReal  a[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, b[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
    AbutCross(a, b, v);
  }
}

static inline void NormalVector(PetscInt dim, const PetscInt at[3], const PetscReal x[], AbutOrientedVector *w)
{
  PetscReal y[9];

  AbutGather(dim, dim, at, x, y);
  AbutOrientedNormal(dim, y, w);
}
