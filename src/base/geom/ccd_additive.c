/*
  ccd_additive.c: additive CCD [Li et al. 2021, Codimensional Incremental Potential Contact, Alg. 1].

  Time advances by steps of (distance - target) / (speed of approach), in which the distance cannot fall below the target. The paper bounds
  the speed of approach by the largest displacements of both primitives relative to their mean motion. Here the bound is the speed along
  the separating direction at the start of the step. It is never larger than the bound of the paper. Each step is then a Newton step for
  distance = target that does not overshoot.
*/
#include "ccdimpl.h"

/* Limits the cost of very long motions at tiny distances. Without it tolerance / speed, the shortest step, would still bound the work. */
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
