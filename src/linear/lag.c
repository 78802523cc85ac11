/*
  Lagged factorisation: the factor of an earlier matrix as preconditioner of conjugate gradients on the current one. Consecutive Newton
  matrices often differ little, and a factorisation costs as much as about a dozen solutions. The factor is used until the next use would
  cost more than the uses so far on average, the factorisation included. All decisions depend on iteration counts, never on clocks, so that
  results are reproducible.
*/
#include "linearimpl.h"

static const AbutOption options[] = {
  {"-abut_reuse", ABUT_OPTION_INT, offsetof(AbutFactorLag, cost), 8, 0, PETSC_MAX_INT, "iterations",
   "Cost of a factorisation in iterations of conjugate gradients: a factor is reused while that saves iterations; 0: never"},
  {"-abut_lag_max_pause", ABUT_OPTION_INT, offsetof(AbutFactorLag, max_pause), 16, 1, PETSC_MAX_INT, "Newton iterations",
   "Longest pause of factor reuse after a reused factor needed too many iterations; pauses start at 1 and double"},
  {"-abut_lag_min_unknowns", ABUT_OPTION_INT, offsetof(AbutFactorLag, min_unknowns), 2000, 0, PETSC_MAX_INT, "unknowns",
   "Smallest matrix whose factor is reused"},
  {"-abut_lag_min_iterations", ABUT_OPTION_INT, offsetof(AbutFactorLag, min_iterations), 3, 1, PETSC_MAX_INT, "iterations",
   "Iterations with a reused factor before a slow rate of convergence ends the solution"},
};
const AbutOptionTable AbutFactorLagOptions = {"Lagged factorisation", PETSC_STATIC_ARRAY_LENGTH(options), options};

PetscInt AbutFactorLagAverage(const AbutFactorLag *lag)
{
  return lag->spent / PetscMax(lag->uses, 1);
}

PetscErrorCode AbutLinearForget(AbutLinear linear)
{
  PetscFunctionBegin;
  linear->lag.factored = PETSC_FALSE;
  linear->lag.wait     = 0;
  linear->lag.pause    = 1;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearMayLag(AbutLinear linear, PetscBool *may)
{
  AbutFactorLag *lag = &linear->lag;
  PetscInt       unknowns;
  PetscBool      own;

  PetscFunctionBegin;
  *may = PETSC_FALSE;
  PetscCall(VecGetSize(linear->rest, &unknowns));
  PetscCall(AbutLinearIsOwn(linear, &own));
  if (lag->cost == 0 || !own || !lag->factored || unknowns < lag->min_unknowns) PetscFunctionReturn(0);
  if (lag->uses > 1 && lag->last > AbutFactorLagAverage(lag)) PetscFunctionReturn(0);
  *may      = (PetscBool)(lag->wait == 0);
  lag->wait = PetscMax(lag->wait - 1, 0);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearRetire(AbutLinear linear)
{
  AbutFactorLag *lag = &linear->lag;

  PetscFunctionBegin;
  lag->wait  = lag->pause - 1;
  lag->pause = PetscMin(2 * lag->pause, lag->max_pause);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearCountUse(AbutLinear linear, PetscInt iterations)
{
  AbutFactorLag *lag = &linear->lag;

  PetscFunctionBegin;
  if (linear->lagged) lag->pause = 1;
  lag->last  = iterations;
  lag->spent = (linear->lagged ? lag->spent : lag->cost) + iterations;
  lag->uses  = (linear->lagged ? lag->uses : 0) + 1;
  PetscFunctionReturn(0);
}
