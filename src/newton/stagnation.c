/*
  Ends solves without progress: line searches with tiny displacements, or multiplier updates without progress of the prescribed motion.

  While a motion is pending, the solve is a sequence of minimisations. Each ends when its direction satisfies the stopping test; then the
  penalty or the multipliers of the motion are updated. Within a minimisation the penalty balances the other forces, so that the motion
  may make no progress, however far the bodies move: one of a twisted mat takes 205 searches. So only ends of minimisations are compared;
  increases of the penalty after full steps do not count.
*/
#include "newtonimpl.h"

static const AbutOption options[] = {
  {"-abut_stuck_step", ABUT_OPTION_REAL, offsetof(Stagnation, idle_step), 1e-8, 0, 1, "",
   "Step of a line search below which the search is idle"},
  {"-abut_stuck_fraction", ABUT_OPTION_REAL, offsetof(Stagnation, idle_fraction), 1e-4, 0, 1, "",
   "Displacement over the tolerance of the stopping test below which a search is idle"},
  {"-abut_stuck_searches", ABUT_OPTION_INT, offsetof(Stagnation, idle_max), 20, 1, 1e9, "", "Idle searches in a row that end the solve"},
  {"-abut_stuck_gain", ABUT_OPTION_REAL, offsetof(Stagnation, round_progress), 1e-2, 0, 1, "",
   "Fraction of the remaining prescribed motion whose completion counts as progress"},
  {"-abut_stuck_rounds", ABUT_OPTION_INT, offsetof(Stagnation, round_max), 50, 1, 1e9, "",
   "Updates of penalty or multipliers at minima, in a row without progress of the prescribed motion, that end the solve"}};
const AbutOptionTable AbutStagnationOptions = {"End of a solve without progress", PETSC_STATIC_ARRAY_LENGTH(options), options};

void AbutStagnationBegin(Stagnation *s)
{
  s->idle   = 0;
  s->rounds = 0;
  s->left   = PETSC_MAX_REAL;
}

PetscBool AbutStagnationCountSearch(Stagnation *s, PetscReal step, PetscReal moved)
{
  s->idle = moved < s->idle_fraction || step < s->idle_step ? s->idle + 1 : 0;
  return (PetscBool)(s->idle >= s->idle_max);
}

PetscBool AbutStagnationCountRound(Stagnation *s, PetscReal progress)
{
  const PetscReal left = 1 - progress;

  if (left < (1 - s->round_progress) * s->left) {
    s->rounds = 0;
    s->left   = left;
  } else {
    s->rounds++;
  }
  return (PetscBool)(s->rounds >= s->round_max);
}
