/* Closest features of primitive pairs [Li et al. 2020, section 6.1] and the distance of a pair. */
#include "distimpl.h"

/* squared sine of the angle below which two edges are treated as parallel: rounding errors would dominate their closest points */
#define PARALLEL_SINE2 2.5e-16

static const AbutClosest closest_vv = {ABUT_DIST_POINT_POINT, 2, {0, 1, -1, -1}};

enum { EV_E0, EV_E1, EV_LINE };
static const AbutClosest closest_ev[] = {
  [EV_E0]   = {ABUT_DIST_POINT_POINT, 2, {0, 1, -1, -1}},
  [EV_E1]   = {ABUT_DIST_POINT_POINT, 2, {0, 2, -1, -1}},
  [EV_LINE] = {ABUT_DIST_POINT_LINE, 3, {0, 1, 2, -1}},
};

enum { FV_T0, FV_T1, FV_T2, FV_E0, FV_E1, FV_E2, FV_PLANE };
static const AbutClosest closest_fv[] = {
  [FV_T0] = {ABUT_DIST_POINT_POINT, 2, {0, 1, -1, -1}},  [FV_T1] = {ABUT_DIST_POINT_POINT, 2, {0, 2, -1, -1}},
  [FV_T2] = {ABUT_DIST_POINT_POINT, 2, {0, 3, -1, -1}},  [FV_E0] = {ABUT_DIST_POINT_LINE, 3, {0, 1, 2, -1}},
  [FV_E1] = {ABUT_DIST_POINT_LINE, 3, {0, 2, 3, -1}},    [FV_E2] = {ABUT_DIST_POINT_LINE, 3, {0, 3, 1, -1}},
  [FV_PLANE] = {ABUT_DIST_POINT_PLANE, 4, {0, 1, 2, 3}},
};

/* A part of an edge: an end point or its interior. */
enum { END_0, END_1, INTERIOR };
static const AbutClosest closest_ee[3][3] = {
  [END_0]    = {{ABUT_DIST_POINT_POINT, 2, {0, 2, -1, -1}},
                {ABUT_DIST_POINT_POINT, 2, {0, 3, -1, -1}},
                {ABUT_DIST_POINT_LINE, 3, {0, 2, 3, -1}}},
  [END_1]    = {{ABUT_DIST_POINT_POINT, 2, {1, 2, -1, -1}},
                {ABUT_DIST_POINT_POINT, 2, {1, 3, -1, -1}},
                {ABUT_DIST_POINT_LINE, 3, {1, 2, 3, -1}}},
  [INTERIOR] = {{ABUT_DIST_POINT_LINE, 3, {2, 0, 1, -1}}, {ABUT_DIST_POINT_LINE, 3, {3, 0, 1, -1}}, {ABUT_DIST_LINE_LINE, 4, {0, 1, 2, 3}}},
};

/* Closest feature of an edge to a point; an edge of length 0 is treated as its first end point. */
static inline int ClosestEV(PetscInt dim, const PetscReal p[], const PetscReal e0[], const PetscReal e1[])
{
  PetscReal d[3], e[3], along, length2;

  AbutSub_Private(dim, p, e0, d);
  AbutSub_Private(dim, e1, e0, e);
  along   = AbutDot(dim, d, e);
  length2 = AbutDot(dim, e, e);
  if (along < 0 || length2 == 0) return EV_E0;
  return along > length2 ? EV_E1 : EV_LINE;
}

/* Closest feature of a triangle of area 0, which is treated as its longest edge. */
static int ClosestFlatFV(const PetscReal x[12], const PetscReal length2[3])
{
  const int i = length2[0] >= length2[1] && length2[0] >= length2[2] ? 0 : length2[1] >= length2[2] ? 1 : 2;
  const int j = (i + 1) % 3;

  switch (ClosestEV(3, x, x + 3 * (i + 1), x + 3 * (j + 1))) {
  case EV_E0: return FV_T0 + i;
  case EV_E1: return FV_T0 + j;
  default: return FV_E0 + i;
  }
}

static inline int ClosestFV(const PetscReal x[12])
{
  PetscReal d[3][3], e[3][3], n[3], along[3], length2[3];
  PetscBool outside[3];

  for (int i = 0; i < 3; i++) AbutSub_Private(3, x, x + 3 * (i + 1), d[i]);
  for (int i = 0; i < 3; i++) AbutSub_Private(3, x + 3 * ((i + 1) % 3 + 1), x + 3 * (i + 1), e[i]);
  AbutCross(e[0], e[1], n);
  for (int i = 0; i < 3; i++) {
    PetscReal m[3];
    AbutCross(e[i], n, m);
    outside[i] = (PetscBool)(AbutDot(3, d[i], m) >= 0);
  }
  if (!outside[0] && !outside[1] && !outside[2]) return FV_PLANE;
  for (int i = 0; i < 3; i++) {
    along[i]   = AbutDot(3, d[i], e[i]);
    length2[i] = AbutDot(3, e[i], e[i]);
  }
  if (n[0] == 0 && n[1] == 0 && n[2] == 0) return ClosestFlatFV(x, length2);
  for (int i = 0; i < 3; i++) {
    if (outside[i] && along[i] > 0 && along[i] < length2[i]) return FV_E0 + i;
  }
  for (int i = 0; i < 3; i++) {
    const int before = (i + 2) % 3;
    if (along[i] <= 0 && along[before] >= length2[before]) return FV_T0 + i;
  }
  return FV_PLANE;
}

/* Closest part of an edge to a point p, from along = (p - e0) . e and length2 = |e|^2. */
static inline int Part(PetscReal along, PetscReal length2)
{
  return along <= 0 ? END_0 : along >= length2 ? END_1 : INTERIOR;
}

/* Closest features of parallel edges: the end point closest to the other edge; on ties up to rounding, the first one. */
static const AbutClosest *ClosestParallelEE(const PetscReal x[12], PetscReal length2)
{
  const AbutClosest *best  = NULL;
  PetscReal          best2 = PETSC_INFINITY;

  for (int i = 0; i < 4; i++) {
    const int end = i % 2, ends = i < 2 ? 6 : 0, edge = 6 - ends; /* offsets in x of the edge of the end point and of the other edge */
    const int part = ClosestEV(3, x + ends + 3 * end, x + edge, x + edge + 3); /* EV_E0, EV_E1, EV_LINE: END_0, END_1, INTERIOR */
    const AbutClosest *closest = i < 2 ? &closest_ee[part][end] : &closest_ee[end][part];
    const PetscReal    s       = AbutFormDist2_Private(closest->form, 3, x, closest->v);
    if (best && !(best2 - s > 8 * PETSC_MACHINE_EPSILON * PetscSqrtReal(best2 * length2))) continue;
    best  = closest;
    best2 = s;
  }
  return best;
}

/*
  Closest points of the lines have the parameters s / nn on a and t / nn on b. Cross products give them accurately; the determinant of the
  normal equations would lose all digits for nearly parallel edges.
*/
static inline const AbutClosest *ClosestEE(const PetscReal x[12])
{
  PetscReal u[3], v[3], r[3], n[3], ru[3], rv[3], nn, uu, vv, s, t;
  int       a, b;

  AbutSub_Private(3, x + 3, x, u);
  AbutSub_Private(3, x + 9, x + 6, v);
  AbutSub_Private(3, x + 6, x, r);
  AbutCross(u, v, n);
  nn = AbutDot(3, n, n);
  uu = AbutDot(3, u, u);
  vv = AbutDot(3, v, v);
  if (nn <= PARALLEL_SINE2 * uu * vv) return ClosestParallelEE(x, uu + vv);
  AbutCross(r, v, rv);
  AbutCross(r, u, ru);
  s = AbutDot(3, rv, n);
  t = AbutDot(3, ru, n);
  a = Part(s, nn);
  b = Part(t, nn);
  if (a == INTERIOR && b == INTERIOR) return &closest_ee[INTERIOR][INTERIOR];
  if (a != INTERIOR) b = Part((a == END_0 ? 0 : AbutDot(3, u, v)) - AbutDot(3, r, v), vv);
  if (b != INTERIOR) a = Part(AbutDot(3, r, u) + (b == END_0 ? 0 : AbutDot(3, v, u)), uu);
  return &closest_ee[a][b];
}

static inline const AbutClosest *Closest(AbutPairKind kind, PetscInt dim, const PetscReal x[])
{
  switch (kind) {
  case ABUT_PAIR_EV: return &closest_ev[dim == 2 ? ClosestEV(2, x, x + 2, x + 4) : ClosestEV(3, x, x + 3, x + 6)];
  case ABUT_PAIR_FV: return &closest_fv[ClosestFV(x)];
  case ABUT_PAIR_EE: return ClosestEE(x);
  default: return &closest_vv;
  }
}

void AbutClosestFeatures(AbutPairKind kind, PetscInt dim, const PetscReal x[], AbutClosest *closest)
{
  *closest = *Closest(kind, dim, x);
}

PetscReal AbutPairDist2(AbutPairKind kind, PetscInt dim, const PetscReal x[])
{
  const AbutClosest *closest = Closest(kind, dim, x);

  return dim == 2 ? AbutFormDist2_Private(closest->form, 2, x, closest->v) : AbutFormDist2_Private(closest->form, 3, x, closest->v);
}
