/*
  Lagged factorisation: the factor of an earlier matrix as preconditioner of conjugate gradients on the current one. Consecutive Newton
  matrices often differ little, and a factorisation costs as much as about a dozen solutions. The factor is used until the last use took
  more iterations than the average of all its uses, in which the factorisation counts as -abut_reuse iterations. A solution is given up if
  at its rate of convergence it would exceed this average. With multigrid a new set-up must also cost less than the iterations that are
  left; the new solution then continues from the iterate. Multigrid renews its finest level for each matrix. Decisions depend on iteration
  counts, not on clocks, so that results are reproducible.
*/
#include "linearimpl.h"

static const AbutOption options[] = {
  {"-abut_reuse", ABUT_OPTION_INT, offsetof(AbutFactorLag, cost), 8, 0, 1e6, "iterations",
   "Cost of a factorisation in iterations of conjugate gradients: a factor is reused while that saves iterations; 0: never"}};
const AbutOptionTable AbutFactorLagOptions = {"Lagged factorisation", PETSC_STATIC_ARRAY_LENGTH(options), options};

PetscInt AbutFactorLagAverage(const AbutFactorLag *lag)
{
  return lag->spent / PetscMax(lag->uses, 1);
}

void AbutFactorLagForget(AbutFactorLag *lag)
{
  lag->factored = PETSC_FALSE;
  lag->wait     = 0;
  lag->pause    = 1;
}

void AbutLinearForget(AbutLinear l)
{
  AbutFactorLagForget(&l->lag);
  AbutPrecisionForget(&l->precision);
  l->choice.renew    = PETSC_TRUE;
  l->krylov.resume   = PETSC_FALSE;
  l->krylov.given_up = 0;
}

PetscBool AbutLinearMayLag(AbutLinear l)
{
  AbutFactorLag *lag = &l->lag;
  PetscBool      may;

  if (!AbutLinearIsOwn(l) || lag->cost == 0 || !lag->factored || l->unknowns < lag->least) return PETSC_FALSE;
  if (lag->uses > 1 && lag->last > AbutFactorLagAverage(lag)) return PETSC_FALSE;
  may       = (PetscBool)(lag->wait == 0);
  lag->wait = PetscMax(lag->wait - 1, 0);
  return may;
}

void AbutLinearDropFactor(AbutLinear l)
{
  l->lag.factored = PETSC_FALSE;
}

PC AbutLinearGetMultigrid(AbutLinear l)
{
  PC pc;

  if (l->choice.kind != ABUT_LINEAR_MULTIGRID || !AbutLinearIsOwn(l)) return NULL;
  (void)KSPGetPC(l->ksp, &pc);
  return pc;
}

static PetscBool KeepsIntervals(AbutLinear l)
{
  const PC multigrid = AbutLinearGetMultigrid(l);

  return (PetscBool)(multigrid && AbutMultigridIsKept(multigrid));
}

PetscErrorCode AbutLinearForgetIndefinite(AbutLinear l)
{
  const PC multigrid = AbutLinearGetMultigrid(l);

  PetscFunctionBegin;
  if (multigrid && !AbutMultigridIsKept(multigrid)) PetscCall(AbutMultigridForget(multigrid));
  PetscFunctionReturn(0);
}

PetscBool AbutLinearMayImprove(AbutLinear l)
{
  return (PetscBool)(l->lagged || l->precision.in_use || KeepsIntervals(l));
}

PetscErrorCode AbutLinearRetire(AbutLinear l)
{
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(KSPGetConvergedReason(l->ksp, &reason));
  l->krylov.resume = (PetscBool)(l->lagged && l->choice.kind != ABUT_LINEAR_DIRECT && reason == KSP_DIVERGED_ITS);
  if (l->krylov.resume) PetscCall(KSPGetIterationNumber(l->ksp, &l->krylov.given_up));
  if (l->lagged) {
    l->lag.wait  = l->lag.pause - 1;
    l->lag.pause = PetscMin(2 * l->lag.pause, LAG_PAUSE);
  } else if (KeepsIntervals(l)) {
    PetscCall(AbutMultigridForget(AbutLinearGetMultigrid(l)));
  } else {
    AbutPrecisionPause(&l->precision, LAG_PAUSE);
  }
  PetscFunctionReturn(0);
}

/*
  Counts a solution with a factor in single precision. A factor in double precision costs about as much as two in single precision, so
  more than -abut_reuse iterations are too many. The factor stays a lagged preconditioner.
*/
static void CountSingle(AbutLinear l, PetscInt iterations)
{
  if (iterations > l->lag.cost)
    AbutPrecisionPause(&l->precision, LAG_PAUSE);
  else
    l->precision.pause = 1;
}

/* Lets the direct solver replace multigrid after a solution that failed, if the choice is automatic. */
static void CountFailure(AbutLinear l)
{
  KSPConvergedReason reason;

  (void)KSPGetConvergedReason(l->ksp, &reason);
  if (reason < 0) AbutLinearChoiceFail(&l->choice);
  if (AbutLinearChoiceHasFailed(&l->choice)) AbutLinearDropFactor(l);
}

void AbutLinearCountUse(AbutLinear l, PetscInt iterations)
{
  AbutFactorLag *lag       = &l->lag;
  const PC       multigrid = AbutLinearGetMultigrid(l);

  iterations += l->krylov.given_up; /* of the whole solution */
  l->krylov.given_up = 0;
  if (multigrid && !l->lagged) AbutMultigridCount(multigrid, iterations);
  if (l->lagged) lag->pause = 1;
  if (!l->lagged && l->precision.in_use && l->choice.kind == ABUT_LINEAR_DIRECT) CountSingle(l, iterations);
  lag->last  = iterations;
  lag->spent = (l->lagged ? lag->spent : lag->cost) + iterations;
  lag->uses  = (l->lagged ? lag->uses : 0) + 1;
  CountFailure(l);
}
