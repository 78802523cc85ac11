/*
  ccd_separation.c: lower and upper bounds, rounding included, of the distance of the set {A - u B - v C} to 0, see ccdimpl.h.

  The fast path finds the closest point in double precision and takes a direction from the closest feature: the normal of a face, the
  component across an edge, or the difference of two vertices. The separation of the corners along this direction is the lower bound. If
  the bounds differ by more than SHARPNESS, because the pair is nearly degenerate or nearly touches, the slow path tries every feature in
  extended precision.
*/
#include "ccdimpl.h"
#include <abut/dense.h>
#include <float.h>

const unsigned char CCDEnds[4][3][2] = {
  {{0, 1}, {0, 0}, {0, 0}}, {{0, 1}, {2, 1}, {0, 0}}, {{0, 1}, {2, 1}, {3, 1}}, {{0, 2}, {0, 1}, {3, 2}}};

/* relative difference of the bounds above which the slow path is used */
#define SHARPNESS 1e-3
/* squared sine of the angle of two edges below which they define no normal */
#define PARALLEL_SINE2 1e-14

/* s clamped to [0, 1]; 0 if s is NaN */
static inline PetscReal Clamp(PetscReal s)
{
  const PetscReal positive = s > 0 ? s : 0;

  return positive < 1 ? positive : 1;
}

typedef struct {
  PetscReal AB, AC, BB, BC, CC;
} Gram;

/* |A - u B - v C|^2 - |A|^2 */
static inline PetscReal Quadratic(const Gram *g, PetscReal u, PetscReal v)
{
  return u * (u * g->BB - 2 * g->AB) + v * (v * g->CC - 2 * g->AC) + 2 * u * v * g->BC;
}

/* Closest point (u, v) of the set and the direction (du, dv) of its edge, 0 at a corner; face: the point is in the interior. */
typedef struct {
  PetscReal u, v, du, dv;
  PetscBool face;
} Nearest;

/* Edges in the (u, v) plane of the triangle [0] and of the parallelogram [1]: start point and direction. */
static const PetscReal edges[2][4][4] = {{{0, 0, 1, 0}, {0, 0, 0, 1}, {1, 0, -1, 1}, {0, 0, 1, 0}},
                                         {{0, 0, 1, 0}, {0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 1, 0}}};

/* Closest point over all edges of the set, without data-dependent branches. */
static inline Nearest NearestOnEdges(const Gram *g, PetscInt corners)
{
  const PetscReal over_B = 1 / g->BB, over_C = 1 / g->CC;
  PetscReal       s[4], q[4];

  s[0] = Clamp(g->AB * over_B);
  s[1] = Clamp(g->AC * over_C);
  q[0] = Quadratic(g, s[0], 0);
  q[1] = Quadratic(g, 0, s[1]);
  if (corners == 4) {
    s[2] = Clamp((g->AC - g->BC) * over_C);
    s[3] = Clamp((g->AB - g->BC) * over_B);
    q[2] = Quadratic(g, 1, s[2]);
    q[3] = Quadratic(g, s[3], 1);
  } else {
    s[2] = Clamp((g->AC - g->AB + g->BB - g->BC) / (g->BB + g->CC - 2 * g->BC));
    s[3] = s[0];
    q[2] = Quadratic(g, 1 - s[2], s[2]);
    q[3] = q[0];
  }
  const int        first = q[1] < q[0], second = 2 + (q[3] < q[2]), best = q[second] < q[first] ? second : first;
  const PetscReal *e = edges[corners == 4][best], inside = s[best] > 0 && s[best] < 1;
  return (Nearest){e[0] + s[best] * e[2], e[1] + s[best] * e[3], inside * e[2], inside * e[3], PETSC_FALSE};
}

static inline Nearest NearestPoint(const Gram *g, PetscInt corners)
{
  if (corners == 1) return (Nearest){0, 0, 0, 0, PETSC_FALSE};
  if (corners == 2) {
    const PetscReal s = Clamp(g->AB / g->BB);

    return (Nearest){s, 0, s > 0 && s < 1, 0, PETSC_FALSE};
  }
  const PetscReal det = g->BB * g->CC - g->BC * g->BC;
  const PetscReal u = g->AB * g->CC - g->AC * g->BC, v = g->AC * g->BB - g->AB * g->BC;
  if (u > 0 && v > 0 && (corners == 4 ? u < det && v < det : u + v < det) && det > PARALLEL_SINE2 * g->BB * g->CC) {
    return (Nearest){u / det, v / det, 0, 0, PETSC_TRUE};
  }
  return NearestOnEdges(g, corners);
}

/* Corner values of n . F from n . A, n . B, n . C. */
static inline void CornerValues(const PetscReal n[3], PetscReal F[3][3], PetscReal scale, PetscReal offset, PetscReal value[4])
{
  const PetscReal a = scale * CCDDot(n, F[0]) - offset, b = scale * CCDDot(n, F[1]), c = scale * CCDDot(n, F[2]);

  value[0] = a;
  value[1] = a - b;
  value[2] = a - c;
  value[3] = a - b - c;
}

static inline void SetDirection(const CCDPair *pair, PetscReal F[3][3], const PetscReal n[3], CCDSeparation *sep)
{
  const PetscReal scale = 1 / PetscSqrtReal(CCDDot(n, n));

  CornerValues(n, F, scale, pair->round, sep->gap);
  CornerValues(n, (PetscReal(*)[3])pair->dF, scale, 0, sep->rate);
  sep->lower = sep->gap[0];
  for (PetscInt k = 1; k < pair->corners; k++) sep->lower = sep->gap[k] < sep->lower ? sep->gap[k] : sep->lower;
}

static inline void SeparateFast(const CCDPair *pair, PetscReal F[3][3], CCDSeparation *sep)
{
  const Gram    g    = {CCDDot(F[0], F[1]), CCDDot(F[0], F[2]), CCDDot(F[1], F[1]), CCDDot(F[1], F[2]), CCDDot(F[2], F[2])};
  const Nearest near = NearestPoint(&g, pair->corners);
  PetscReal     n[3], e[3];

  for (PetscInt k = 0; k < 3; k++) n[k] = F[0][k] - near.u * F[1][k] - near.v * F[2][k];
  sep->upper = PetscSqrtReal(CCDDot(n, n)) + pair->round;
  if (near.face) {
    AbutCross(F[1], F[2], e);
    const PetscReal sign = CCDDot(e, F[0]) < 0 ? -1 : 1;
    for (PetscInt k = 0; k < 3; k++) n[k] = sign * e[k];
  } else {
    for (PetscInt k = 0; k < 3; k++) e[k] = near.du * F[1][k] + near.dv * F[2][k];
    const PetscReal along = CCDDot(n, e) / (CCDDot(e, e) + DBL_MIN);
    for (PetscInt k = 0; k < 3; k++) n[k] -= along * e[k];
  }
  SetDirection(pair, F, n, sep);
}

typedef long double Real; /* for the slow path. If it is no wider than double, the bounds are wider but still valid */

static Real Dot(const Real a[3], const Real b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Removes from a its component along e; the second pass removes the rounding error of the first. */
static void RemoveAlong(const Real e[3], Real a[3])
{
  const Real ee = Dot(e, e);

  for (int pass = 0; pass < 2 && ee > 0; pass++) {
    const Real along = Dot(a, e) / ee;

    for (int k = 0; k < 3; k++) a[k] -= along * e[k];
  }
}

/* Computes A, B, C at time t in extended precision; returns a bound of their lengths. */
static Real WideFrame(const CCDPair *pair, PetscReal t, Real F[3][3])
{
  Real size = 0;

  for (int i = 0; i < 3; i++) {
    const PetscInt a = CCDEnds[pair->kind][i][0] * pair->dim, b = CCDEnds[pair->kind][i][1] * pair->dim;

    for (PetscInt k = 0; k < 3; k++) {
      const Real start = k < pair->dim ? (Real)pair->x[a + k] - pair->x[b + k] : 0;
      const Real move  = k < pair->dim ? ((Real)pair->dx[a + k] - pair->dx[b + k]) * t : 0;

      F[i][k] = start + move;
      size += (start < 0 ? -start : start) + (move < 0 ? -move : move);
    }
  }
  return size;
}

/* Tightens the bounds: the lower one by the separation along n, the upper one by the length of the set's point w (NULL = none). */
static void Improve(PetscInt corners, Real F[3][3], const Real n[3], const Real w[3], Real *lower, Real *upper, Real best[3])
{
  const Real norm = sqrtl(Dot(n, n)), b = Dot(n, F[1]), c = Dot(n, F[2]), a = Dot(n, F[0]);
  const Real value[4] = {a, a - b, a - c, a - b - c};
  Real       smallest = a;

  if (w) {
    const Real distance = sqrtl(Dot(w, w));
    if (distance < *upper) *upper = distance;
  }
  if (!(norm > 0)) return;
  for (PetscInt k = 1; k < corners; k++) smallest = value[k] < smallest ? value[k] : smallest;
  if (smallest / norm > *lower) {
    *lower = smallest / norm;
    for (int k = 0; k < 3; k++) best[k] = n[k] / norm;
  }
}

/* Tightens the bounds by the edge {start + s along}: with the directions from 0 to its line, its start and its closest point. */
static void TryEdge(PetscInt corners, Real F[3][3], const Real start[3], const Real along[3], Real *lower, Real *upper, Real best[3])
{
  const Real ee = Dot(along, along);
  Real       r[3], w[3], s;

  for (int k = 0; k < 3; k++) r[k] = F[0][k] - start[k];
  Improve(corners, F, r, r, lower, upper, best);
  s = ee > 0 ? Dot(r, along) / ee : 0;
  s = s > 0 ? (s < 1 ? s : 1) : 0;
  for (int k = 0; k < 3; k++) w[k] = r[k] - s * along[k];
  Improve(corners, F, w, w, lower, upper, best);
  RemoveAlong(along, r);
  Improve(corners, F, r, NULL, lower, upper, best);
}

/* Tightens the bounds by the face normal, from an orthogonal basis of B and C: accurate also if B and C are nearly parallel. */
static void TryFace(PetscInt corners, Real F[3][3], Real *lower, Real *upper, Real best[3])
{
  const int   longer = Dot(F[1], F[1]) >= Dot(F[2], F[2]) ? 1 : 2;
  const Real *e      = F[longer];
  Real        f[3], n[3], r[3], w[3], det, u, v;

  for (int k = 0; k < 3; k++) f[k] = F[3 - longer][k];
  RemoveAlong(e, f);
  const Real ee = Dot(e, e), ff = Dot(f, f);
  if (!(ee > 0 && ff > 0)) return;
  n[0] = e[1] * f[2] - e[2] * f[1];
  n[1] = e[2] * f[0] - e[0] * f[2];
  n[2] = e[0] * f[1] - e[1] * f[0];
  for (int k = 0; k < 3; k++) r[k] = F[0][k];
  if (Dot(n, r) < 0) {
    for (int k = 0; k < 3; k++) n[k] = -n[k];
  }
  RemoveAlong(e, n);
  RemoveAlong(f, n);
  det = Dot(r, f) / ff;
  u   = (Dot(r, e) - det * Dot(F[3 - longer], e)) / ee;
  v   = longer == 1 ? det : u;
  u   = longer == 1 ? u : det;
  for (int k = 0; k < 3; k++) w[k] = r[k] - u * F[1][k] - v * F[2][k];
  Improve(corners, F, n, u >= 0 && v >= 0 && (corners == 4 ? u <= 1 && v <= 1 : u + v <= 1) ? w : NULL, lower, upper, best);
}

static void SeparateSlow(const CCDPair *pair, PetscReal t, PetscReal Ft[3][3], CCDSeparation *sep)
{
  static const Real zero[3] = {0, 0, 0};
  Real              F[3][3], diagonal[3], far[3], best[3] = {0, 0, 0}, lower = -LDBL_MAX, upper = LDBL_MAX;
  const Real        size = WideFrame(pair, t, F);
  const PetscInt    n    = pair->corners;
  PetscReal         direction[3];

  if (!(size > 0 && size < DBL_MAX)) return;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) F[i][k] /= size;
  }
  TryEdge(n, F, zero, F[1], &lower, &upper, best);
  if (n >= 3) {
    TryEdge(n, F, zero, F[2], &lower, &upper, best);
    for (int k = 0; k < 3; k++) {
      diagonal[k] = n == 3 ? F[2][k] - F[1][k] : F[2][k];
      far[k]      = F[1][k] + F[2][k];
    }
    TryEdge(n, F, F[1], diagonal, &lower, &upper, best);
    if (n == 4) {
      TryEdge(n, F, F[2], F[1], &lower, &upper, best);
      TryEdge(n, F, far, zero, &lower, &upper, best);
    }
    TryEdge(n, F, F[1], zero, &lower, &upper, best);
    TryEdge(n, F, F[2], zero, &lower, &upper, best);
    TryFace(n, F, &lower, &upper, best);
  } else if (n == 2) {
    TryEdge(n, F, F[1], zero, &lower, &upper, best);
  }
  for (int k = 0; k < 3; k++) direction[k] = (PetscReal)best[k];
  SetDirection(pair, Ft, direction, sep);
  /* subtract the rounding error of the bounds, relative to size, and of the conversion to double */
  sep->lower = PetscMax(sep->lower, (PetscReal)((lower - 32 * LDBL_EPSILON) * size) * (1 - 2 * PETSC_MACHINE_EPSILON));
  sep->upper = PetscMin(sep->upper, (PetscReal)((upper + 32 * LDBL_EPSILON) * size) * (1 + 2 * PETSC_MACHINE_EPSILON));
}

void CCDSeparate(const CCDPair *pair, PetscReal t, CCDSeparation *sep)
{
  PetscReal F[3][3];

  for (PetscInt i = 0; i < 3; i++) {
    for (PetscInt k = 0; k < 3; k++) F[i][k] = pair->F[i][k] + t * pair->dF[i][k];
  }
  SeparateFast(pair, F, sep);
  if (!(sep->lower >= (1 - SHARPNESS) * sep->upper)) SeparateSlow(pair, t, F, sep);
}
