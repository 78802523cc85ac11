/*
  Ends solves without progress: line searches with tiny displacements, or multiplier updates without progress of the prescribed motion.

  While a motion is pending, the solve is a sequence of minimisations. Each ends when its direction satisfies the stopping test; then the
  penalty or the multipliers of the motion are updated. Within a minimisation the penalty balances the other forces, so that the motion
  may make no progress, however far the bodies move: one of a twisted mat takes 205 searches. So only ends of minimisations are compared;
  increases of the penalty after full steps do not count.
*/
#include "newtonimpl.h"

#define IDLE_STEP      1e-8 /* step of a line search below which the search is idle */
#define IDLE_FRACTION  1e-4 /* displacement over the tolerance of the stopping test below which a search is idle */
#define IDLE_MAX       20   /* idle searches in a row that end the solve */
#define ROUND_PROGRESS 1e-2 /* fraction of the remaining prescribed motion whose completion counts as progress */
#define ROUND_MAX \
  50 /* updates of penalty or multipliers at minima, in a row without progress of the prescribed motion, that end the solve */

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
