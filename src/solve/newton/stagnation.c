/*
  Ends solves without progress: line searches with tiny displacements, or multiplier updates without progress of the prescribed motion.

  While a motion is incomplete, the solve is a sequence of minimisations. Each ends when its direction satisfies the stopping test; then
  the penalty or the multipliers of the motion are updated. Within one minimisation the motion may make no progress at all, however far
  the bodies move, because the penalty only balances the other forces: one minimisation of a twisted mat takes 205 searches. So progress
  is compared only from the end of one minimisation to the end of the next. Increases of the penalty after full steps do not count.
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
