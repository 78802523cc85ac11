/*
  Lagged factorisation: the factor of an earlier matrix as preconditioner of conjugate gradients on the current one. Consecutive Newton
  matrices often differ little, and a factorisation costs as much as about a dozen solutions. The factor is used until the next use would
  cost more than the uses so far on average, the factorisation included. All decisions depend on iteration counts, never on clocks, so that
  results are reproducible.
*/
#include "linearimpl.h"

PetscErrorCode AbutFactorLagSetFromOptions(AbutFactorLag *lag)
{
  PetscFunctionBegin;
  *lag = (AbutFactorLag){.cost = 8, .max_pause = 16, .min_unknowns = 2000, .min_iterations = 3, .pause = 1};
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Lagged factorisation", "AbutLinear");
  PetscCall(PetscOptionsInt("-abut_reuse", "Cost of a factorisation in iterations of conjugate gradients; 0: no factor is reused",
                            "AbutLinear", lag->cost, &lag->cost, NULL));
  PetscCall(PetscOptionsInt("-abut_lag_max_pause", "Longest pause after a lagged factor needed too many iterations [Newton iterations]",
                            "AbutLinear", lag->max_pause, &lag->max_pause, NULL));
  PetscCall(PetscOptionsInt("-abut_lag_min_unknowns", "Smallest number of unknowns for which factors are reused", "AbutLinear",
                            lag->min_unknowns, &lag->min_unknowns, NULL));
  PetscCall(PetscOptionsInt("-abut_lag_min_iterations", "Iterations before a slow solution with a lagged factor may be ended", "AbutLinear",
                            lag->min_iterations, &lag->min_iterations, NULL));
  PetscOptionsEnd();
  AbutCheck(lag->cost >= 0, ABUT_ERR_INPUT, "-abut_reuse %" PetscInt_FMT " must be at least 0", lag->cost);
  AbutCheck(lag->max_pause >= 1, ABUT_ERR_INPUT, "-abut_lag_max_pause %" PetscInt_FMT " must be at least 1", lag->max_pause);
  AbutCheck(lag->min_unknowns >= 0, ABUT_ERR_INPUT, "-abut_lag_min_unknowns %" PetscInt_FMT " must be at least 0", lag->min_unknowns);
  AbutCheck(lag->min_iterations >= 1, ABUT_ERR_INPUT, "-abut_lag_min_iterations %" PetscInt_FMT " must be at least 1",
            lag->min_iterations);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFactorLagView(const AbutFactorLag *lag, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "-abut_reuse %" PetscInt_FMT "\n", lag->cost));
  PetscCall(PetscViewerASCIIPrintf(viewer, "-abut_lag_max_pause %" PetscInt_FMT "\n", lag->max_pause));
  PetscCall(PetscViewerASCIIPrintf(viewer, "-abut_lag_min_unknowns %" PetscInt_FMT "\n", lag->min_unknowns));
  PetscCall(PetscViewerASCIIPrintf(viewer, "-abut_lag_min_iterations %" PetscInt_FMT "\n", lag->min_iterations));
  PetscFunctionReturn(0);
}

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
