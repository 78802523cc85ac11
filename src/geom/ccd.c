/*
  ccd.c: continuous collision detection, the part that both methods share: most pairs are cleared here, by one separating direction.
*/
#include "ccdimpl.h"

const char *const AbutCCDMethods[] = {"additive", "tight-inclusion", "AbutCCDMethod", "ABUT_CCD_", NULL};

const unsigned char CCDEnds[4][3][2] = {{{0, 1}, {0, 0}, {0, 0}}, {{0, 1}, {2, 1}, {0, 0}}, {{0, 1}, {2, 1}, {3, 1}}, {{0, 2}, {0, 1}, {3, 2}}};

static inline void SetFrame(AbutPairKind kind, PetscInt dim, const PetscReal x[], PetscReal F[3][3])
{
  for (PetscInt i = 0; i < 3; i++) {
    const PetscReal *a = x + dim * CCDEnds[kind][i][0], *b = x + dim * CCDEnds[kind][i][1];

    F[i][0] = a[0] - b[0];
    F[i][1] = a[1] - b[1];
    F[i][2] = dim == 3 ? a[2] - b[2] : 0;
  }
}

static inline PetscReal SumSquares(const PetscReal F[3][3])
{
  return AbutDot(3, F[0], F[0]) + AbutDot(3, F[1], F[1]) + AbutDot(3, F[2], F[2]);
}

/*
  With S = |A| + |B| + |C| + tmax (|dA| + |dB| + |dC|): the rounded differences move a corner by at most u S, evaluating it at time t by
  5 u S, its projection on a direction and the length of that by 8 u S more (u = half an ulp of 1). S is at most sqrt(6) times the root of
  the sum of squares; 32 u S leaves a factor of two. TINY stands for what squares below the smallest number lose.
*/
#define TINY 1e-150
static inline void SetPair(AbutPairKind kind, PetscInt dim, const PetscReal x[], const PetscReal dx[], PetscReal tmax, CCDPair *pair)
{
  static const PetscInt corners[] = {1, 2, 3, 4};

  pair->kind    = kind;
  pair->dim     = dim;
  pair->corners = corners[kind];
  pair->tmax    = tmax;
  pair->x       = x;
  pair->dx      = dx;
  SetFrame(kind, dim, x, pair->F);
  SetFrame(kind, dim, dx, pair->dF);
  pair->round = 40 * PETSC_MACHINE_EPSILON * PetscSqrtReal(SumSquares(pair->F) + tmax * tmax * SumSquares(pair->dF)) + TINY;
}

/* Corner velocities bound the speed at which the distance may shrink. */
static PetscReal MaxSpeed(const CCDPair *pair)
{
  PetscReal max2 = 0;

  for (PetscInt k = 0; k < pair->corners; k++) {
    PetscReal d[3];

    for (PetscInt i = 0; i < 3; i++) d[i] = pair->dF[0][i] - (k & 1 ? pair->dF[1][i] : 0) - (k & 2 ? pair->dF[2][i] : 0);
    max2 = PetscMax(max2, AbutDot(3, d, d));
  }
  /* cancellation in the corners is relative to the largest term */
  return PetscSqrtReal(max2) + 16 * PETSC_MACHINE_EPSILON * PetscSqrtReal(SumSquares(pair->dF)) + TINY;
}

/* Bounds how far rounding moves the two closest points when the caller evaluates x + t dx. */
static PetscReal PositionRounding(const CCDPair *pair)
{
  const PetscInt n     = pair->dim * (pair->corners == 4 ? 4 : pair->corners + 1);
  PetscReal      max[2] = {0, 0};

  for (PetscInt i = 0; i < n; i++) {
    max[0] = PetscMax(max[0], PetscAbsReal(pair->x[i]));
    max[1] = PetscMax(max[1], PetscAbsReal(pair->dx[i]));
  }
  return 4 * PETSC_MACHINE_EPSILON * (max[0] + pair->tmax * max[1]);
}

/* From time t on by the method; `room` may be used up wherever the bounds of the initial distance did not meet. */
static PetscReal Advance(AbutCCDMethod method, const CCDPair *pair, PetscReal t, PetscReal room, PetscReal target, PetscReal tolerance)
{
  const PetscReal speed = MaxSpeed(pair), start = PetscMax(t, room / speed * (1 - 8 * PETSC_MACHINE_EPSILON));

  if (start >= pair->tmax || !(tolerance > 0)) return start;
  if (method == ABUT_CCD_ADDITIVE) return CCDAdvance_Additive(pair, start, speed, target, tolerance);
  return CCDAdvance_TightInclusion(pair, start, speed, target, tolerance);
}

PetscBool AbutCCD(AbutCCDMethod method, AbutPairKind kind, PetscInt dim, const PetscReal x[], const PetscReal dx[], PetscReal tmax, PetscReal slack, PetscReal *toi)
{
  CCDPair       pair;
  CCDSeparation sep;

  SetPair(kind, dim, x, dx, tmax, &pair);
  CCDSeparate(&pair, 0, &sep);
  *toi = 0;
  if (!(sep.lower > 0)) return PETSC_TRUE;
  const PetscReal margin = PetscMin(PositionRounding(&pair), 0.5 * slack * sep.lower), target = (1 - slack) * sep.upper + margin;
  PetscReal       t = CCDDirectionalStep(&pair, &sep, target);
  if (t < tmax) t = Advance(method, &pair, t, slack * sep.lower - margin, target, 0.1 * PetscMin(target, sep.lower - target));
  *toi = PetscMin(t, tmax);
  return t < tmax ? PETSC_TRUE : PETSC_FALSE;
}
