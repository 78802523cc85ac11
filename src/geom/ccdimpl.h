/*
  ccdimpl.h: shared by the methods of continuous collision detection.

  Every pair is one point against a parallelotope at the origin: the set of differences of points of the two primitives at time t is
      F(t, u, v) = A(t) - u B(t) - v C(t),   A, B, C linear in t,
  VV: A = a - b, B = C = 0;   EV: A = p - e0, B = e1 - e0, C = 0;   u in [0, 1]
  FV: A = p - t0, B = t1 - t0, C = t2 - t0;   u, v >= 0, u + v <= 1
  EE: A = a0 - b0, B = a0 - a1, C = b1 - b0;   u, v in [0, 1]
  The distance of the pair is the distance of the set to 0, and whatever moves both primitives alike has dropped out. For any direction n
  the smallest n . F over the corners of the set, over |n|, bounds the distance from below: all answers rest on bounds of this kind, so a
  closest point found inaccurately costs sharpness, never safety.
*/
#pragma once
#include <abut/geom.h>

typedef struct {
  AbutPairKind     kind;
  PetscInt         dim;
  PetscInt         corners;  /* of the set: VV 1, EV 2, FV 3, EE 4; in the order A, A - B, A - C, A - B - C */
  PetscReal        F[3][3];  /* A, B, C at t = 0 */
  PetscReal        dF[3][3]; /* their rates */
  PetscReal        tmax;
  PetscReal        round;     /* bounds the rounding error of every separation and distance computed from F and dF at t in [0, tmax] */
  PetscReal        position2; /* 4 epsilon times its root bounds how far rounding x + t dx moves two points of the primitives apart */
  const PetscReal *x, *dx;    /* the input, for methods that need more precision */
} CCDPair;

typedef struct {
  PetscReal lower, upper; /* bounds of the distance, rounding included; lower may be negative */
  PetscReal gap[4];       /* distance of the corners along the direction, rounding subtracted, */
  PetscReal rate[4];      /* and its rate of change */
} CCDSeparation;

/* Three terms without a start value: the hot path counts every operation. */
static inline PetscReal CCDDot(const PetscReal a[3], const PetscReal b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Which points of the stencil A, B, C are differences of: [kind][A, B, C][minuend, subtrahend]. */
PETSC_INTERN const unsigned char CCDEnds[4][3][2];

/* Bounds the distance at time t, with a separating direction that is nearly optimal. */
PETSC_INTERN void CCDSeparate(const CCDPair *pair, PetscReal t, CCDSeparation *sep);

/*
  The methods: a time in [t, tmax] up to which the distance is at least `target`, given that this holds up to t < tmax. They may stop where
  the distance is below target + tolerance. `speed` bounds the rate at which the distance may shrink.
*/
PETSC_INTERN PetscReal CCDAdvance_Additive(const CCDPair *pair, PetscReal t, PetscReal speed, PetscReal target, PetscReal tolerance);
PETSC_INTERN PetscReal CCDAdvance_TightInclusion(const CCDPair *pair, PetscReal t, PetscReal speed, PetscReal target, PetscReal tolerance);

/* Longest step from the time of `sep` that keeps every corner `target` away along its direction; not positive if that fails now. */
static inline PetscReal CCDDirectionalStep(const CCDPair *pair, const CCDSeparation *sep, PetscReal target)
{
  PetscReal step = PETSC_MAX_REAL;

  for (PetscInt k = 0; k < pair->corners; k++) {
    const PetscReal room = sep->gap[k] - target;

    if (!(room > 0)) return 0;
    if (room < -sep->rate[k] * step) step = room / -sep->rate[k] * (1 - 4 * PETSC_MACHINE_EPSILON);
  }
  return step;
}
