/*
  ccdimpl.h: common data of CCD and of the separation that it rests on.

  Every pair is reduced to one set, the differences of points of the two primitives at time t:
      F(t, u, v) = A(t) - u B(t) - v C(t),   A, B, C linear in t,
  VV: A = a - b, B = C = 0;   EV: A = p - e0, B = e1 - e0, C = 0;   u in [0, 1]
  FV: A = p - t0, B = t1 - t0, C = t2 - t0;   u, v >= 0, u + v <= 1
  EE: A = a0 - b0, B = a0 - a1, C = b1 - b0;   u, v in [0, 1]
  The distance of the pair is the distance of the set to 0; a common motion of both primitives cancels. For any direction n
      min over the corners of n . F / |n|   <=   distance.
  Every result of CCD follows from this bound with its rounding error. An inaccurate closest point gives a weaker bound, never a wrong one.
*/
#pragma once
#include <abut/geom.h>

typedef struct {
  AbutPairKind     kind;
  PetscInt         dim;
  PetscInt         corners;  /* number of corners of the set: VV 1, EV 2, FV 3, EE 4; in the order A, A - B, A - C, A - B - C */
  PetscReal        F[3][3];  /* A, B, C at t = 0 */
  PetscReal        dF[3][3]; /* time derivatives of A, B, C */
  PetscReal        tmax;
  PetscReal        round;     /* bound of the rounding error of a separation or distance computed from F and dF, for t in [0, tmax] */
  PetscReal        position2; /* 4 epsilon sqrt(position2) bounds the change of the distance by rounding x + t dx */
  const PetscReal *x, *dx;    /* the input, for evaluation in extended precision */
} CCDPair;

typedef struct {
  PetscReal lower, upper; /* bounds of the distance, rounding included; lower may be negative */
  PetscReal gap[4];       /* separation of each corner along the direction minus the rounding error */
  PetscReal rate[4];      /* time derivative of gap */
} CCDSeparation;

/* Dot product without the start value 0 of AbutDot(): saves one addition in the innermost loops. */
static inline PetscReal CCDDot(const PetscReal a[3], const PetscReal b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Points of the stencil whose differences are A, B, C: [kind][A, B, C][minuend, subtrahend]. */
PETSC_INTERN const unsigned char CCDEnds[4][3][2];

/* Bounds the distance at time t, with a separating direction that is nearly optimal. */
PETSC_INTERN void CCDSeparate(const CCDPair *pair, PetscReal t, CCDSeparation *sep);

/* Longest time step after which every corner of `sep` is still separated by `target` along its direction; <= 0 if there is none. */
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
