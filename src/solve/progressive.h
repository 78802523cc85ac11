/* The set of vertices whose stencils are projected, by the strategy "progressive". */
#pragma once
#include <abut/solve.h>

typedef struct {
  PetscReal  level;  /* of the gradient of B, from which on a vertex is in the set [kg m]; PETSC_INFINITY: none is, 0: all are */
  PetscInt   hold;   /* successes until level 0 is tried to be left */
  PetscBool *chosen; /* of the contact vertices */
  PetscInt   room;   /* of `chosen` */
  PetscReal  share;  /* of the vertices of bodies that are in the set */
} Progressive;

/* No vertex. Not collective. */
PETSC_INTERN void AbutProgressiveClear(AbutStepper s);
/* More vertices, in the end all. Collective. */
PETSC_INTERN PetscErrorCode AbutProgressiveGrow(AbutStepper s);
/* After a success: fewer vertices next time. Not collective. */
PETSC_INTERN void AbutProgressiveRelax(AbutStepper s);
/* Hessian of B at the iterate; *partial: not every stencil of it is projected. Collective. */
PETSC_INTERN PetscErrorCode AbutProgressiveHessian(AbutStepper s, PetscBool *partial);
PETSC_INTERN PetscErrorCode AbutProgressiveDestroy(AbutStepper s);
