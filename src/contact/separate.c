/*
  Exact test of a pair after the hierarchy of boxes. Along a fixed direction n the projections of points that move on straight lines are
  linear in time; if those of one entity are above those of the other by more than `inflation` at both ends of a sweep, they are so all
  the time, and the entities never come within `inflation`. Directions tried: the coordinate axes, the one between the centres, the
  normal of the face or of the plane of both edges, and across either edge. What moves along together is told apart however far it moves.
  The result depends on the coordinates and the order of the points alone, so that all rank counts find the same pairs.
*/
#include "contactimpl.h"

/* Range of projections of the points of both entities at one time. */
typedef struct {
  PetscReal lo[2], hi[2];
} Span;

static inline Span SpanOf(int na, int nb, const PetscReal s[])
{
  Span span = {{s[0], s[na]}, {s[0], s[na]}};

  for (int i = 1; i < na; i++) {
    span.lo[0] = s[i] < span.lo[0] ? s[i] : span.lo[0];
    span.hi[0] = s[i] > span.hi[0] ? s[i] : span.hi[0];
  }
  for (int i = na + 1; i < na + nb; i++) {
    span.lo[1] = s[i] < span.lo[1] ? s[i] : span.lo[1];
    span.hi[1] = s[i] > span.hi[1] ? s[i] : span.hi[1];
  }
  return span;
}

static inline PetscBool Apart(Span a, Span b, PetscReal gap)
{
  return (PetscBool)((a.lo[1] - a.hi[0] > gap && b.lo[1] - b.hi[0] > gap) || (a.lo[0] - a.hi[1] > gap && b.lo[0] - b.hi[1] > gap));
}

/* Extent of both spans together. */
static inline PetscReal Extent(Span a, Span b)
{
  const PetscReal la = a.lo[0] < a.lo[1] ? a.lo[0] : a.lo[1], lb = b.lo[0] < b.lo[1] ? b.lo[0] : b.lo[1];
  const PetscReal ha = a.hi[0] > a.hi[1] ? a.hi[0] : a.hi[1], hb = b.hi[0] > b.hi[1] ? b.hi[0] : b.hi[1];

  return (ha > hb ? ha : hb) - (la < lb ? la : lb);
}

/* `extent` bounds the coordinates about the first point: the round-off of a projection is a few ulps of |n| extent. */
static inline __attribute__((always_inline)) PetscBool ApartAlong(int dim, int na, int nb, const PetscReal n[], const PetscReal *const x[],
                                                                  const PetscReal *const x_end[], PetscReal extent, PetscReal inflation)
{
  const PetscReal norm = PetscSqrtReal(dim == 3 ? n[0] * n[0] + n[1] * n[1] + n[2] * n[2] : n[0] * n[0] + n[1] * n[1]);
  PetscReal       s[5], s_end[5];

  for (int i = 0; i < na + nb; i++) {
    s[i] = s_end[i] = 0;
    for (int k = 0; k < dim; k++) {
      s[i] += n[k] * (x[i][k] - x[0][k]);
      s_end[i] += n[k] * (x_end[i][k] - x[0][k]);
    }
  }
  return Apart(SpanOf(na, nb, s), SpanOf(na, nb, s_end), norm * (inflation * (1 + 1e-12) + 1e-14 * extent));
}

/* Sum of the points of one entity over their number. */
static inline void Centre(int dim, int n, PetscReal x[][3], PetscReal c[3])
{
  for (int k = 0; k < dim; k++) {
    c[k] = 0;
    for (int i = 0; i < n; i++) c[k] += x[i][k] / n;
  }
}

static inline void Minus(int dim, const PetscReal a[], const PetscReal b[], PetscReal c[])
{
  for (int k = 0; k < dim; k++) c[k] = a[k] - b[k];
}

/* The part of d across the direction u. */
static inline void Across(const PetscReal d[3], const PetscReal u[3], PetscReal n[3])
{
  const PetscReal uu = AbutDot(3, u, u), s = uu > 0 ? AbutDot(3, u, d) / uu : 0;

  for (int k = 0; k < 3; k++) n[k] = d[k] - s * u[k];
}

static inline __attribute__((always_inline)) PetscBool Separated(int dim, int na, int nb, const PetscReal *const x[],
                                                                 const PetscReal *const x_end[], PetscReal inflation)
{
  PetscReal mid[5][3], centre[2][3], d[3], n[3], u[3], w[3], extent = 0;

  for (int k = 0; k < dim; k++) {
    PetscReal s[5], s_end[5];
    Span      a, b;

    for (int i = 0; i < na + nb; i++) {
      s[i]      = x[i][k];
      s_end[i]  = x_end[i][k];
      mid[i][k] = (x[i][k] - x[0][k]) + (x_end[i][k] - x[0][k]);
    }
    a = SpanOf(na, nb, s);
    b = SpanOf(na, nb, s_end);
    if (Apart(a, b, inflation * (1 + 4 * PETSC_MACHINE_EPSILON))) return PETSC_TRUE;
    extent += Extent(a, b);
  }
  Centre(dim, na, mid, centre[0]);
  Centre(dim, nb, mid + na, centre[1]);
  Minus(dim, centre[0], centre[1], d);
  if (ApartAlong(dim, na, nb, d, x, x_end, extent, inflation)) return PETSC_TRUE;
  if (dim == 2) {
    Minus(2, mid[na + nb - 1], mid[na + nb - 2], u);
    n[0] = u[1];
    n[1] = -u[0];
    return ApartAlong(2, na, nb, n, x, x_end, extent, inflation);
  }
  Minus(3, mid[nb == 3 ? na + 1 : 1], mid[nb == 3 ? na : 0], u); /* sides of the face, or both edges */
  Minus(3, mid[na + nb - 1], mid[nb == 3 ? na : 2], w);
  AbutCross(u, w, n);
  if (ApartAlong(3, na, nb, n, x, x_end, extent, inflation)) return PETSC_TRUE;
  if (nb == 3) return PETSC_FALSE;
  Across(d, u, n);
  if (ApartAlong(3, na, nb, n, x, x_end, extent, inflation)) return PETSC_TRUE;
  Across(d, w, n);
  return ApartAlong(3, na, nb, n, x, x_end, extent, inflation);
}

PetscBool AbutPairSeparated2D(int na, int nb, const PetscReal *const x[], const PetscReal *const x_end[], PetscReal inflation)
{
  (void)nb;
  return na == 1 ? Separated(2, 1, 2, x, x_end, inflation) : Separated(2, 2, 2, x, x_end, inflation);
}

PetscBool AbutPairSeparated3D(int na, int nb, const PetscReal *const x[], const PetscReal *const x_end[], PetscReal inflation)
{
  if (na == 1) return Separated(3, 1, 3, x, x_end, inflation);
  return nb == 2 ? Separated(3, 2, 2, x, x_end, inflation) : Separated(3, 2, 3, x, x_end, inflation);
}
