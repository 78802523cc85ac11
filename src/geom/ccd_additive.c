/*
  ccd_additive.c: additive CCD [Li et al. 2021, Codimensional Incremental Potential Contact, Alg. 1].

  Time advances by steps in which the distance cannot fall below the target. The algorithm divides the distance by a bound of the speed
  of approach, the largest displacements of the two primitives in the frame of their mean motion. Here the bound is the one along the
  direction in which the pair is separated at the start of the step: it is never larger, needs no frame, and makes a step a Newton step
  on the distance, from the safe side.
*/
#include "ccdimpl.h"

/* Steps are at least tolerance / speed, so that the work is bounded anyhow; the bound keeps very long motions at tiny distances cheap. */
#define MAX_STEPS 1000

PetscReal CCDAdvance_Additive(const CCDPair *pair, PetscReal t, PetscReal speed, PetscReal target, PetscReal tolerance)
{
  for (PetscInt i = 0; i < MAX_STEPS && t < pair->tmax; i++) {
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
