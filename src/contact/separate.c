/*
  Separating-axis test of a pair whose boxes overlap. Projections of points that move on straight lines onto a fixed direction n are
  linear in time. If the projections of one entity exceed the projections of the other by more than `inflation` at both ends of a sweep,
  they do so all the time, and the entities never come within `inflation`. Directions: the coordinate axes, centre to centre, the normal
  of the face or of the plane of both edges, and the perpendicular of each edge. Entities with a common motion stay separated however far
  they move. The result depends only on the coordinates and the order of the points: all numbers of ranks find the same pairs.
*/
#include "contactimpl.h"
#include <abut/dense.h>

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

/* Coordinates about the first point of the points of both entities, at the start and at the end; one row a component. */
enum { MAX_POINTS = 5 };
typedef struct {
  PetscReal r[3][2 * MAX_POINTS];
  PetscReal extent; /* bounds them: the round-off of a projection is a few ulps of |n| extent */
} Points;

static inline __attribute__((always_inline)) PetscBool ApartAlong(int dim, int na, int nb, const PetscReal n[], const Points *p,
                                                                  PetscReal inflation)
{
  const int       m    = na + nb;
  const PetscReal n2   = n[0] * n[0] + n[1] * n[1] + (dim == 3 ? n[2] * n[2] : 0);
  const PetscReal norm = PetscSqrtReal(n2);
  PetscReal       s[2 * MAX_POINTS];

  for (int i = 0; i < 2 * m; i++) s[i] = n[0] * p->r[0][i] + n[1] * p->r[1][i] + (dim == 3 ? n[2] * p->r[2][i] : 0);
  return Apart(SpanOf(na, nb, s), SpanOf(na, nb, s + m), norm * (inflation * (1 + 1e-12) + 1e-14 * p->extent));
}

/* Tests the coordinate axes, which need no allowance for round-off of a projection; also sets *p. */
static inline __attribute__((always_inline)) PetscBool ApartAlongAxes(int dim, int na, int nb, const PetscReal *const x[],
                                                                      const PetscReal *const x_end[], PetscReal inflation, Points *p)
{
  const int m = na + nb;

  p->extent = 0;
  for (int k = 0; k < dim; k++) {
    PetscReal s[2 * MAX_POINTS];
    Span      a, b;

    for (int i = 0; i < m; i++) {
      s[i]     = x[i][k];
      s[m + i] = x_end[i][k];
    }
    a = SpanOf(na, nb, s);
    b = SpanOf(na, nb, s + m);
    if (Apart(a, b, inflation * (1 + 4 * PETSC_MACHINE_EPSILON))) return PETSC_TRUE;
    for (int i = 0; i < 2 * m; i++) p->r[k][i] = s[i] - s[0];
    p->extent += Extent(a, b);
  }
  return PETSC_FALSE;
}

/* Difference of two points and of both centres at the middle of the sweep, up to a factor. */
static inline void Side(int dim, int m, const Points *p, int from, int to, PetscReal d[3])
{
  for (int k = 0; k < dim; k++) d[k] = (p->r[k][to] + p->r[k][m + to]) - (p->r[k][from] + p->r[k][m + from]);
}

static inline void CentreToCentre(int dim, int na, int nb, const Points *p, PetscReal d[3])
{
  for (int k = 0; k < dim; k++) {
    PetscReal a = 0, b = 0;

    for (int i = 0; i < na; i++) a += p->r[k][i] + p->r[k][na + nb + i];
    for (int i = na; i < na + nb; i++) b += p->r[k][i] + p->r[k][na + nb + i];
    d[k] = a * (1. / na) - b * (1. / nb);
  }
}

/* The component of d perpendicular to u. */
static inline void Across(const PetscReal d[3], const PetscReal u[3], PetscReal n[3])
{
  const PetscReal uu = AbutDot(3, u, u), s = uu > 0 ? AbutDot(3, u, d) / uu : 0;

  for (int k = 0; k < 3; k++) n[k] = d[k] - s * u[k];
}

static inline __attribute__((always_inline)) PetscBool Separated(int dim, int na, int nb, const PetscReal *const x[],
                                                                 const PetscReal *const x_end[], PetscReal inflation)
{
  const int m = na + nb;
  PetscReal d[3], n[3], u[3], w[3];
  Points    p;

  if (ApartAlongAxes(dim, na, nb, x, x_end, inflation, &p)) return PETSC_TRUE;
  CentreToCentre(dim, na, nb, &p, d);
  if (ApartAlong(dim, na, nb, d, &p, inflation)) return PETSC_TRUE;
  if (dim == 3 && m == 3) {
    Side(3, m, &p, 1, 2, u);
    Across(d, u, n);
    return ApartAlong(3, na, nb, n, &p, inflation);
  }
  if (dim == 2) {
    Side(2, m, &p, m - 2, m - 1, u);
    n[0] = u[1];
    n[1] = -u[0];
    return ApartAlong(2, na, nb, n, &p, inflation);
  }
  Side(3, m, &p, nb == 3 ? na : 0, nb == 3 ? na + 1 : 1, u); /* sides of the face, or both edges */
  Side(3, m, &p, nb == 3 ? na : 2, m - 1, w);
  AbutCross(u, w, n);
  if (ApartAlong(3, na, nb, n, &p, inflation)) return PETSC_TRUE;
  if (nb == 3) return PETSC_FALSE;
  Across(d, u, n);
  if (ApartAlong(3, na, nb, n, &p, inflation)) return PETSC_TRUE;
  Across(d, w, n);
  return ApartAlong(3, na, nb, n, &p, inflation);
}

PetscBool AbutPairSeparated(int dim, int na, int nb, const PetscReal *const x[], const PetscReal *const x_end[], PetscReal inflation)
{
  if (dim == 2) return na == 1 ? Separated(2, 1, 2, x, x_end, inflation) : Separated(2, 2, 2, x, x_end, inflation);
  if (na == 1) return nb == 2 ? Separated(3, 1, 2, x, x_end, inflation) : Separated(3, 1, 3, x, x_end, inflation);
  return nb == 2 ? Separated(3, 2, 2, x, x_end, inflation) : Separated(3, 2, 3, x, x_end, inflation);
}
