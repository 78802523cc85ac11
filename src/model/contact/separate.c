/*
  Separating-axis test of pairs whose boxes overlap, for ABUT_SIMD_WIDTH pairs at once. Projections of points that move on straight lines
  onto a fixed direction n are linear in time. If the projections of one entity exceed the projections of the other by more than
  `inflation` at both ends of a sweep, they do so all the time, and the entities never come within `inflation`. Directions: the coordinate
  axes, centre to centre, the normal of the face or of the plane of both edges, and the perpendicular of each edge. Entities with a common
  motion stay separated however far they move. The result depends only on the coordinates and the order of the points: all numbers of
  ranks find the same pairs.
*/
#include "contactimpl.h"

#define INLINE static inline __attribute__((always_inline))

/* Range of projections of the points of both entities at one time. */
typedef struct {
  AbutSimd lo[2], hi[2];
} Span;

INLINE void SetSpan(int na, int nb, const AbutSimd s[], Span *span)
{
  span->lo[0] = span->hi[0] = s[0];
  span->lo[1] = span->hi[1] = s[na];
  for (int i = 1; i < na + nb; i++) {
    const int of = i >= na;
    span->lo[of] = ABUT_SIMD_MIN(s[i], span->lo[of]);
    span->hi[of] = ABUT_SIMD_MAX(s[i], span->hi[of]);
  }
}

/* Sets *apart where both spans have the same order and are more than `gap` apart. */
INLINE void AddApart(const Span *a, const Span *b, const AbutSimd *gap, AbutSimdMask *apart)
{
  *apart |= ((a->lo[1] - a->hi[0] > *gap) & (b->lo[1] - b->hi[0] > *gap)) | ((a->lo[0] - a->hi[1] > *gap) & (b->lo[0] - b->hi[1] > *gap));
}

/* Extent of both spans together. */
INLINE void AddExtent(const Span *a, const Span *b, AbutSimd *extent)
{
  const AbutSimd la = ABUT_SIMD_MIN(a->lo[0], a->lo[1]), lb = ABUT_SIMD_MIN(b->lo[0], b->lo[1]);
  const AbutSimd ha = ABUT_SIMD_MAX(a->hi[0], a->hi[1]), hb = ABUT_SIMD_MAX(b->hi[0], b->hi[1]);

  *extent += ABUT_SIMD_MAX(ha, hb) - ABUT_SIMD_MIN(la, lb);
}

/* Coordinates of the points of both entities relative to the first point, at both ends of the sweep; one row for each component. */
typedef struct {
  AbutSimd r[3][2 * ABUT_PAIR_POINTS];
  AbutSimd extent; /* bounds the coordinates: the round-off of a projection on n is a few ulps of |n| extent */
} Points;

INLINE void AddApartAlong(int dim, int na, int nb, const AbutSimd n[], const Points *p, PetscReal inflation, AbutSimdMask *apart)
{
  const int m    = na + nb;
  AbutSimd  norm = n[0] * n[0] + n[1] * n[1], gap, s[2 * ABUT_PAIR_POINTS];
  Span      a, b;

  if (dim == 3) norm += n[2] * n[2];
  AbutSimdRoot(&norm);
  gap = norm * (inflation * (1 + 1e-12) + 1e-14 * p->extent);
  for (int i = 0; i < 2 * m; i++) {
    s[i] = n[0] * p->r[0][i] + n[1] * p->r[1][i];
    if (dim == 3) s[i] += n[2] * p->r[2][i];
  }
  SetSpan(na, nb, s, &a);
  SetSpan(na, nb, s + m, &b);
  AddApart(&a, &b, &gap, apart);
}

/* Sets p->r to the coordinates of the points. */
INLINE void Load(int dim, int m, const AbutPairPoints v, const PetscReal x[], const PetscReal x_end[], Points *p)
{
  for (int k = 0; k < dim; k++) {
    PetscReal at[2 * ABUT_PAIR_POINTS][ABUT_SIMD_WIDTH];

    for (int i = 0; i < m; i++)
      for (int l = 0; l < ABUT_SIMD_WIDTH; l++) {
        const size_t component = (size_t)dim * (size_t)v[l][i] + (size_t)k;
        at[i][l]               = x[component];
        at[m + i][l]           = x_end[component];
      }
    for (int i = 0; i < 2 * m; i++) p->r[k][i] = *(const AbutSimdUnaligned *)at[i];
  }
}

/* Tests the coordinate axes, whose projections have no round-off. *p: has the coordinates on entry, and the other members on return. */
INLINE void AddApartAlongAxes(int dim, int na, int nb, PetscReal inflation, Points *p, AbutSimdMask *apart)
{
  const AbutSimd zero = {0}, gap = zero + inflation * (1 + 4 * PETSC_MACHINE_EPSILON);

  p->extent = zero;
  for (int k = 0; k < dim; k++) {
    const AbutSimd first = p->r[k][0];
    Span           a, b;

    SetSpan(na, nb, p->r[k], &a);
    SetSpan(na, nb, p->r[k] + na + nb, &b);
    AddApart(&a, &b, &gap, apart);
    for (int i = 0; i < 2 * (na + nb); i++) p->r[k][i] -= first;
    AddExtent(&a, &b, &p->extent);
  }
}

/* Twice the difference of two points, or of both centres, at the middle of the sweep. */
INLINE void Side(int dim, int m, const Points *p, int from, int to, AbutSimd d[3])
{
  for (int k = 0; k < dim; k++) d[k] = (p->r[k][to] + p->r[k][m + to]) - (p->r[k][from] + p->r[k][m + from]);
}

INLINE void CentreToCentre(int dim, int na, int nb, const Points *p, AbutSimd d[3])
{
  for (int k = 0; k < dim; k++) {
    AbutSimd a = {0}, b = {0};

    for (int i = 0; i < na; i++) a += p->r[k][i] + p->r[k][na + nb + i];
    for (int i = na; i < na + nb; i++) b += p->r[k][i] + p->r[k][na + nb + i];
    d[k] = a * (1. / na) - b * (1. / nb);
  }
}

/* The component of d perpendicular to u. */
INLINE void Across(const AbutSimd d[3], const AbutSimd u[3], AbutSimd n[3])
{
  const AbutSimd zero = {0}, uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2], ud = u[0] * d[0] + u[1] * d[1] + u[2] * d[2];
  const AbutSimd s = ABUT_SIMD_SELECT(uu > 0, ud / ABUT_SIMD_SELECT(uu > 0, uu, zero + 1), zero);

  for (int k = 0; k < 3; k++) n[k] = d[k] - s * u[k];
}

/* The direction perpendicular to both entities: a face or two edges; u, w: two sides of the face, or both edges. */
INLINE void Normal(int na, int nb, const Points *p, AbutSimd u[3], AbutSimd w[3], AbutSimd n[3])
{
  const int m = na + nb;

  Side(3, m, p, nb == 3 ? na : 0, nb == 3 ? na + 1 : 1, u);
  Side(3, m, p, nb == 3 ? na : 2, m - 1, w);
  n[0] = u[1] * w[2] - u[2] * w[1];
  n[1] = u[2] * w[0] - u[0] * w[2];
  n[2] = u[0] * w[1] - u[1] * w[0];
}

INLINE PetscBool All(const AbutSimdMask *mask)
{
  const AbutSimdMask rest = ~*mask;
  return (PetscBool)!AbutSimdAny(&rest);
}

INLINE void Separate(int dim, int na, int nb, const AbutPairPoints v, const PetscReal x[], const PetscReal x_end[], PetscReal inflation,
                     AbutSimdMask *apart)
{
  const int m = na + nb;
  AbutSimd  d[3], n[3], u[3], w[3];
  Points    p;

  Load(dim, m, v, x, x_end, &p);
  AddApartAlongAxes(dim, na, nb, inflation, &p, apart);
  if (All(apart)) return;
  CentreToCentre(dim, na, nb, &p, d);
  AddApartAlong(dim, na, nb, d, &p, inflation, apart);
  if (All(apart)) return;
  if (dim == 2) {
    Side(2, m, &p, m - 2, m - 1, u);
    n[0] = u[1];
    n[1] = -u[0];
    AddApartAlong(2, na, nb, n, &p, inflation, apart);
  } else if (m == 3) {
    Side(3, m, &p, 1, 2, u);
    Across(d, u, n);
    AddApartAlong(3, na, nb, n, &p, inflation, apart);
  } else {
    Normal(na, nb, &p, u, w, n);
    AddApartAlong(3, na, nb, n, &p, inflation, apart);
    if (nb == 3 || All(apart)) return;
    Across(d, u, n);
    AddApartAlong(3, na, nb, n, &p, inflation, apart);
    Across(d, w, n);
    AddApartAlong(3, na, nb, n, &p, inflation, apart);
  }
}

void AbutPairsSeparated(int dim, int na, int nb, const AbutPairPoints v, const PetscReal x[], const PetscReal x_end[], PetscReal inflation,
                        PetscBool separated[])
{
  AbutSimdMask apart = {0};

  if (dim == 2 && na == 1)
    Separate(2, 1, 2, v, x, x_end, inflation, &apart);
  else if (dim == 2)
    Separate(2, 2, 2, v, x, x_end, inflation, &apart);
  else if (na == 1 && nb == 2)
    Separate(3, 1, 2, v, x, x_end, inflation, &apart);
  else if (na == 1)
    Separate(3, 1, 3, v, x, x_end, inflation, &apart);
  else if (nb == 2)
    Separate(3, 2, 2, v, x, x_end, inflation, &apart);
  else
    Separate(3, 2, 3, v, x, x_end, inflation, &apart);
  for (int l = 0; l < ABUT_SIMD_WIDTH; l++) separated[l] = (PetscBool)(apart[l] != 0);
}
