/*
  Ends solves without progress: line searches with tiny displacements, or multiplier updates without progress of the prescribed motion.

  While a motion is pending, the solve is a sequence of minimisations. Each ends when its direction satisfies the stopping test; then the
  penalty or the multipliers of the motion are updated. Within a minimisation the penalty balances the other forces, so that the motion
  may make no progress, however far the bodies move: one of a twisted mat takes 205 searches. So only ends of minimisations are compared;
  increases of the penalty after full steps do not count.
*/
#include "newtonimpl.h"

void AbutStagnationBegin(Stagnation *s)
{
  s->idle   = 0;
  s->rounds = 0;
  s->left   = PETSC_MAX_REAL;
}

PetscBool AbutStagnationCountSearch(Stagnation *s, PetscReal step, PetscReal moved)
{
  s->idle = moved < IDLE_FRACTION || step < IDLE_STEP ? s->idle + 1 : 0;
  return (PetscBool)(s->idle >= IDLE_MAX);
}

PetscBool AbutStagnationCountRound(Stagnation *s, PetscReal progress)
{
  const PetscReal left = 1 - progress;

  if (left < (1 - ROUND_PROGRESS) * s->left) {
    s->rounds = 0;
    s->left   = left;
  } else {
    s->rounds++;
  }
  return (PetscBool)(s->rounds >= ROUND_MAX);
}
