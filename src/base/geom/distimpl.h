/* Squared distances by closed form without derivatives. AbutDist2() and AbutPairDist2() both use them, so that they agree bit for bit. */
#pragma once
#include <abut/dense.h>
#include <abut/geom.h>

static inline void AbutSub_Private(PetscInt dim, const PetscReal a[], const PetscReal b[], PetscReal c[])
{
  for (PetscInt i = 0; i < dim; i++) c[i] = a[i] - b[i];
}

static inline PetscReal AbutPointPointDist2_Private(PetscInt dim, const PetscReal a[], const PetscReal b[])
{
  PetscReal d[3];

  AbutSub_Private(dim, a, b, d);
  return AbutDot(dim, d, d);
}

/* (e0 - p) x (e1 - p): differences to both end points keep the rounding error small near each of them. */
static inline PetscReal AbutPointLineCross2D_Private(const PetscReal p[2], const PetscReal e0[2], const PetscReal e1[2])
{
  return (e0[0] - p[0]) * (e1[1] - p[1]) - (e0[1] - p[1]) * (e1[0] - p[0]);
}

static inline void AbutPointLineCross3D_Private(const PetscReal p[3], const PetscReal e0[3], const PetscReal e1[3], PetscReal q[3])
{
  PetscReal d0[3], d1[3];

  AbutSub_Private(3, e0, p, d0);
  AbutSub_Private(3, e1, p, d1);
  AbutCross(d0, d1, q);
}

static inline PetscReal AbutPointLineDist2_Private(PetscInt dim, const PetscReal p[], const PetscReal e0[], const PetscReal e1[])
{
  const PetscReal length2 = AbutPointPointDist2_Private(dim, e1, e0);

  if (dim == 2) {
    const PetscReal q = AbutPointLineCross2D_Private(p, e0, e1);
    return q * q / length2;
  } else {
    PetscReal q[3];
    AbutPointLineCross3D_Private(p, e0, e1, q);
    return AbutDot(3, q, q) / length2;
  }
}

static inline PetscReal AbutPointPlaneDist2_Private(const PetscReal p[3], const PetscReal t0[3], const PetscReal t1[3],
                                                    const PetscReal t2[3])
{
  PetscReal a[3], b[3], d[3], n[3], height;

  AbutSub_Private(3, t1, t0, a);
  AbutSub_Private(3, t2, t0, b);
  AbutSub_Private(3, p, t0, d);
  AbutCross(a, b, n);
  height = AbutDot(3, d, n);
  return height * height / AbutDot(3, n, n);
}

/*
  d . n with n = u x v, the height of d over the plane of u and v times |n|, after removing from d its component along u. By rounding n is
  not exactly normal to u; for edges at an angle t the removed component would cause a relative error of epsilon / t of the distance.
  The remaining component of d in the plane is of order t if the closest points of the lines are within the edges.
*/
static inline PetscReal AbutLineLineHeight_Private(const PetscReal u[3], const PetscReal d[3], const PetscReal n[3])
{
  const PetscReal along = AbutDot(3, d, u) / AbutDot(3, u, u);

  return (d[0] - along * u[0]) * n[0] + (d[1] - along * u[1]) * n[1] + (d[2] - along * u[2]) * n[2];
}

static inline PetscReal AbutLineLineDist2_Private(const PetscReal a0[3], const PetscReal a1[3], const PetscReal b0[3],
                                                  const PetscReal b1[3])
{
  PetscReal u[3], v[3], d[3], n[3], height;

  AbutSub_Private(3, a1, a0, u);
  AbutSub_Private(3, b1, b0, v);
  AbutSub_Private(3, a0, b0, d);
  AbutCross(u, v, n);
  height = AbutLineLineHeight_Private(u, d, n);
  return height * height / AbutDot(3, n, n);
}

/* Squared distance by a form with the points v[0], v[1], ... of the stencil x. */
static inline PetscReal AbutFormDist2_Private(AbutDistForm form, PetscInt dim, const PetscReal x[], const PetscInt v[])
{
  switch (form) {
  case ABUT_DIST_POINT_POINT: return AbutPointPointDist2_Private(dim, x + dim * v[0], x + dim * v[1]);
  case ABUT_DIST_POINT_LINE: return AbutPointLineDist2_Private(dim, x + dim * v[0], x + dim * v[1], x + dim * v[2]);
  case ABUT_DIST_POINT_PLANE: return AbutPointPlaneDist2_Private(x + 3 * v[0], x + 3 * v[1], x + 3 * v[2], x + 3 * v[3]);
  case ABUT_DIST_LINE_LINE: return AbutLineLineDist2_Private(x + 3 * v[0], x + 3 * v[1], x + 3 * v[2], x + 3 * v[3]);
  }
  return PETSC_INFINITY;
}
