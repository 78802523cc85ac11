/*
  Additive continuous collision detection (CCD) [Li et al. 2021, Codimensional Incremental Potential Contact, Alg. 1]. A test with one
  separating direction excludes collisions of most pairs.

  Time advances by steps of (distance - target) / (speed of approach), in which the distance cannot fall below the target. The paper bounds
  the speed of approach by the largest displacements of both primitives relative to their mean motion. Here the bound is the speed along
  the separating direction at the start of the step. It is never larger than the bound of the paper. Each step is then a Newton step for
  distance = target that does not overshoot.
*/
#include "ccdimpl.h"
#include <math.h>

/* Limits the cost of very long motions at tiny distances. Without it tolerance / speed, the shortest step, would still bound the work. */
#define MAX_STEPS 1000

static inline void SetFrame(AbutPairKind kind, PetscInt dim, const PetscReal x[], PetscReal F[3][3])
{
  for (PetscInt i = 0; i < 3; i++) {
    const PetscReal *a = x + dim * CCDEnds[kind][i][0], *b = x + dim * CCDEnds[kind][i][1];

    F[i][0] = a[0] - b[0];
    F[i][1] = a[1] - b[1];
    F[i][2] = dim == 3 ? a[2] - b[2] : 0;
  }
}

/* Sum of the squares of n reals in four independent sums, which lets the compiler vectorise. */
static inline PetscReal SumSquares(PetscInt n, const PetscReal x[])
{
  const PetscInt num_groups = n / 4;
  PetscReal      sum[4]     = {0, 0, 0, 0};

  for (PetscInt g = 0; g < num_groups; g++) {
    for (PetscInt k = 0; k < 4; k++) sum[k] += x[4 * g + k] * x[4 * g + k];
  }
  for (PetscInt i = 4 * num_groups; i < n; i++) sum[0] += x[i] * x[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static inline void SetPair(AbutPairKind kind, PetscInt dim, const PetscReal x[], const PetscReal dx[], PetscReal tmax, CCDPair *pair)
{
  static const unsigned char corners[] = {1, 2, 3, 4}, points[] = {2, 3, 4, 4};

  pair->kind    = kind;
  pair->dim     = dim;
  pair->corners = corners[kind];
  pair->tmax    = tmax;
  pair->x       = x;
  pair->dx      = dx;
  SetFrame(kind, dim, x, pair->F);
  SetFrame(kind, dim, dx, pair->dF);
  pair->position2 = 2 * (SumSquares(dim * points[kind], x) + tmax * tmax * SumSquares(dim * points[kind], dx));
}

/* max(a, b) without a branch, whose misprediction would dominate; exact up to rounding of the arguments. */
static inline PetscReal Larger(PetscReal a, PetscReal b)
{
  return 0.5 * (a + b + fabs(a - b));
}

/* Smallest n . F over the corners A, A - B, A - C, A - B - C that the kind has (ccdimpl.h); a = n . A, b = n . B, c = n . C. */
static inline PetscReal LeastCorner(AbutPairKind kind, PetscReal a, PetscReal b, PetscReal c)
{
  switch (kind) {
  case ABUT_PAIR_VV: return a;
  case ABUT_PAIR_EV: return a - Larger(b, 0);
  case ABUT_PAIR_FV: return a - Larger(Larger(b, c), 0);
  default: return a - Larger(b, 0) - Larger(c, 0);
  }
}

/*
  Whether the pair stays separated along the line n of the centres of its primitives, at t = 0 and at t = tmax, by at least (1 - slack) |n|.
  Sufficient for the step tmax, because |n| bounds the initial distance from above. The test needs no square root and no division. The
  rounding errors that CCDSeparate() and AbutCCD() account for are below 160 epsilon sqrt(position2); the test allows for 200.
*/
static inline PetscBool CentersClear(const CCDPair *pair, PetscReal slack)
{
  const PetscReal share = pair->kind == ABUT_PAIR_FV ? 1. / 3 : 0.5, tmax = pair->tmax;
  PetscReal       n[3];

  for (PetscInt k = 0; k < 3; k++) n[k] = pair->F[0][k] - share * (pair->F[1][k] + pair->F[2][k]);
  const PetscReal a = CCDDot(n, pair->F[0]), b = CCDDot(n, pair->F[1]), c = CCDDot(n, pair->F[2]), nn = CCDDot(n, n);
  const PetscReal da = CCDDot(n, pair->dF[0]), db = CCDDot(n, pair->dF[1]), dc = CCDDot(n, pair->dF[2]);
  const PetscReal start = LeastCorner(pair->kind, a, b, c), end = LeastCorner(pair->kind, a + tmax * da, b + tmax * db, c + tmax * dc);
  const PetscReal room = -Larger(-start, -end) - (1 - slack) * nn, error = 200 * PETSC_MACHINE_EPSILON;

  return room > 0 && room * room > error * error * pair->position2 * nn ? PETSC_TRUE : PETSC_FALSE;
}

/*
  Bound of the rounding error of a separation, with S = |A| + |B| + |C| + tmax (|dA| + |dB| + |dC|) and u = half an ulp of 1. Errors of a
  corner: u S from the rounded differences, 5 u S from the evaluation at time t, 8 u S from the projection on a direction and the norm of
  the direction. 32 u S therefore has a safety factor of two. S is at most sqrt(6) times the root of the sum of squares. TINY covers
  squares that underflow.
*/
#define TINY 1e-150
static inline PetscReal RoundingBound(const CCDPair *pair)
{
  return 40 * PETSC_MACHINE_EPSILON * PetscSqrtReal(SumSquares(9, pair->F[0]) + pair->tmax * pair->tmax * SumSquares(9, pair->dF[0])) +
         TINY;
}

/* Upper bound of the rate at which the distance can decrease: the largest speed of a corner of the set. */
static PetscReal MaxSpeed(const CCDPair *pair)
{
  PetscReal max2 = 0;

  for (PetscInt k = 0; k < pair->corners; k++) {
    PetscReal d[3];

    for (PetscInt i = 0; i < 3; i++) d[i] = pair->dF[0][i] - (k & 1 ? pair->dF[1][i] : 0) - (k & 2 ? pair->dF[2][i] : 0);
    max2 = PetscMax(max2, CCDDot(d, d));
  }
  /* cancellation in the corners is relative to the largest term */
  return PetscSqrtReal(max2) + 16 * PETSC_MACHINE_EPSILON * PetscSqrtReal(SumSquares(9, pair->dF[0])) + TINY;
}

/*
  A time up to which the distance is at least `target`, given that this is true up to t < tmax. Stops where the distance is below target +
  tolerance. Advances at least by room / speed, which is safe because the distance shrinks at most at `speed`.
*/
static PetscReal Advance(const CCDPair *pair, PetscReal t, PetscReal room, PetscReal target, PetscReal tolerance)
{
  const PetscReal speed = MaxSpeed(pair);

  t = PetscMax(t, room / speed * (1 - 8 * PETSC_MACHINE_EPSILON));
  for (PetscInt i = 0; i < MAX_STEPS && t < pair->tmax && tolerance > 0; i++) {
    CCDSeparation sep;

    CCDSeparate(pair, t, &sep);
    if (sep.lower < target + tolerance) break;
    const PetscReal step = PetscMax(CCDDirectionalStep(pair, &sep, target), (sep.lower - target) / speed);
    const PetscReal next = t + step * (1 - 4 * PETSC_MACHINE_EPSILON);
    if (!(next > t)) break;
    t = next;
  }
  return t;
}

/* Sets up the pair and tests separation along the line of centres; inlined with constant kind and dim. */
static inline PetscBool SetPairAndTest(AbutPairKind kind, PetscInt dim, const PetscReal x[], const PetscReal dx[], PetscReal tmax,
                                       PetscReal slack, CCDPair *pair)
{
  SetPair(kind, dim, x, dx, tmax, pair);
  return CentersClear(pair, slack);
}

static inline PetscBool IsTriviallyClear(AbutPairKind kind, PetscInt dim, const PetscReal x[], const PetscReal dx[], PetscReal tmax,
                                         PetscReal slack, CCDPair *pair)
{
  if (dim == 2 && kind == ABUT_PAIR_EV) return SetPairAndTest(ABUT_PAIR_EV, 2, x, dx, tmax, slack, pair);
  if (dim == 2) return SetPairAndTest(ABUT_PAIR_VV, 2, x, dx, tmax, slack, pair);
  switch (kind) {
  case ABUT_PAIR_FV: return SetPairAndTest(ABUT_PAIR_FV, 3, x, dx, tmax, slack, pair);
  case ABUT_PAIR_EE: return SetPairAndTest(ABUT_PAIR_EE, 3, x, dx, tmax, slack, pair);
  case ABUT_PAIR_EV: return SetPairAndTest(ABUT_PAIR_EV, 3, x, dx, tmax, slack, pair);
  default: return SetPairAndTest(ABUT_PAIR_VV, 3, x, dx, tmax, slack, pair);
  }
}

PetscBool AbutCCD(AbutPairKind kind, PetscInt dim, const PetscReal x[], const PetscReal dx[], PetscReal tmax, PetscReal slack,
                  PetscReal *toi)
{
  CCDPair       pair;
  CCDSeparation sep;

  *toi = tmax;
  if (IsTriviallyClear(kind, dim, x, dx, tmax, slack, &pair)) return PETSC_FALSE;
  pair.round = RoundingBound(&pair);
  CCDSeparate(&pair, 0, &sep);
  *toi = 0;
  if (!(sep.lower > 0)) return PETSC_TRUE;
  const PetscReal margin = PetscMin(4 * PETSC_MACHINE_EPSILON * PetscSqrtReal(pair.position2), 0.5 * slack * sep.lower);
  const PetscReal target = (1 - slack) * sep.upper + margin;
  PetscReal       t      = CCDDirectionalStep(&pair, &sep, target);
  if (t < tmax) t = Advance(&pair, t, slack * sep.lower - margin, target, 0.1 * PetscMin(target, sep.lower - target));
  *toi = PetscMin(t, tmax);
  return t < tmax ? PETSC_TRUE : PETSC_FALSE;
}
