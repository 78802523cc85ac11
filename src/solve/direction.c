/*
  Newton's direction: which Hessian, which factor, and what to do when the solution is of no use.

  Projection. Hessians as they are converge faster than projected ones, where they are definite. "demand" tries them and projects when a
  Cholesky factor does not exist, conjugate gradients meet negative curvature, or the solution is no direction of descent.
*/
#include "solveimpl.h"

#define HOLD_MOST 8

const char *const AbutStrategies[] = {"clamp", "demand", "AbutStrategy", "ABUT_STRATEGY_", NULL};

PetscErrorCode AbutDirectionSetFromOptions(AbutStepper s)
{
  Direction *d = &s->direction;

  PetscFunctionBegin;
  d->strategy = s->spec.strategy;
  PetscOptionsBegin(s->comm, NULL, "Newton's direction", "AbutStepper");
  PetscCall(PetscOptionsEnum("-abut_projection", "Projection of local Hessians, instead of the scene's", "AbutStepper", AbutStrategies,
                             (PetscEnum)d->strategy, (PetscEnum *)&d->strategy, NULL));
  PetscOptionsEnd();
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionForget(AbutStepper s)
{
  PetscFunctionBegin;
  s->direction.hold = 0;
  PetscCall(AbutLinearForget(s->solver));
  PetscFunctionReturn(0);
}

void AbutDirectionBegin(AbutStepper s)
{
  s->direction.idle   = 0;
  s->direction.rounds = 0;
  s->direction.left   = 1;
}

/* SNES sets the flag anew when it has got the Jacobian. */
static PetscErrorCode KeepSetUp(AbutStepper s)
{
  PetscBool keep;
  KSP       ksp;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(s->snes, &ksp));
  PetscCall(KSPGetReusePreconditioner(ksp, &keep));
  PetscCall(SNESSetLagPreconditioner(s->snes, keep ? -1 : 1));
  PetscFunctionReturn(0);
}

/* What the strategy starts with at an iterate. */
static void Choose(AbutStepper s)
{
  Direction *d = &s->direction;

  d->partial    = (PetscBool)(d->strategy == ABUT_STRATEGY_DEMAND && d->hold == 0);
  d->projection = d->partial ? ABUT_PSD_NONE : ABUT_PSD_CLAMP;
  d->hold       = PetscMax(d->hold - 1, 0);
}

/* A projected Hessian, as the one at hand is indefinite. */
static PetscErrorCode Project(AbutStepper s)
{
  Direction *d = &s->direction;

  PetscFunctionBegin;
  d->projection = ABUT_PSD_CLAMP;
  d->partial    = PETSC_FALSE;
  d->hold       = HOLD_MOST;
  PetscCall(AbutObjectiveHessian(s, d->projection));
  PetscFunctionReturn(0);
}

/* A solver whose factor exists, with more and more parts of the Hessian projected if need be. */
static PetscErrorCode SetUpDefinite(AbutStepper s, PetscBool lag)
{
  PetscBool definite, own;
  Mat       A;

  PetscFunctionBegin;
  PetscCall(AbutAssemblerGetMat(s->assembler, &A));
  PetscCall(AbutLinearSetUp(s->solver, A, lag, &definite));
  while (!definite && s->direction.partial) {
    PetscCall(Project(s));
    PetscCall(AbutLinearSetUp(s->solver, A, PETSC_FALSE, &definite));
  }
  PetscCall(AbutLinearIsOwn(s->solver, &own));
  if (!definite && own) PetscCall(AbutLinearSetUpShifted(s->solver, A, &definite));
  PetscCall(KeepSetUp(s));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionPrepare(AbutStepper s)
{
  PetscBool lag;

  PetscFunctionBegin;
  Choose(s);
  PetscCall(AbutObjectiveHessian(s, s->direction.projection));
  PetscCall(AbutLinearMayLag(s->solver, &lag));
  PetscCall(SetUpDefinite(s, lag));
  PetscFunctionReturn(0);
}

/* Slope of B along -Y, and what the solver says of Y. Collective. */
static PetscErrorCode Judge(AbutStepper s, Vec F, Vec Y, AbutLinearResult *result, PetscReal *slope)
{
  PetscScalar dot;

  PetscFunctionBegin;
  PetscCall(AbutLinearGetResult(s->solver, result));
  s->report.count.linear += result->iterations;
  PetscCall(VecDot(F, Y, &dot));
  *slope = -PetscRealPart(dot);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionFinish(AbutStepper s, Vec F, Vec Y, PetscReal *slope)
{
  Direction       *d = &s->direction;
  AbutLinearResult result;

  PetscFunctionBegin;
  for (;;) {
    PetscBool descent, lagged;

    PetscCall(Judge(s, F, Y, &result, slope));
    PetscCall(AbutLinearIsLagged(s->solver, &lagged));
    descent = (PetscBool)(*slope < 0 && !PetscIsInfOrNanReal(*slope) && result.reason != KSP_DIVERGED_INDEFINITE_MAT);
    if (d->partial && !descent) {
      PetscCall(Project(s));
      PetscCall(SetUpDefinite(s, lagged));
    } else if (lagged && result.reason < 0) {
      PetscCall(AbutLinearRetire(s->solver));
      PetscCall(SetUpDefinite(s, PETSC_FALSE));
    } else {
      break;
    }
    PetscCall(AbutLinearSolve(s->solver, F, Y));
  }
  if (!result.solved && PetscIsInfOrNanReal(*slope)) {
    char text[256];
    PetscCall(AbutLinearDescribeFailure(s->solver, text, sizeof(text)));
    AbutCheck(PETSC_FALSE, ABUT_ERR_DIVERGED, "the linear solver failed: %s", text);
  }
  PetscCall(AbutLinearCountUse(s->solver, result.iterations));
  d->solved = result.solved;
  s->report.count.linear_failures += !d->solved;
  s->report.count.projected += d->projection != ABUT_PSD_NONE;
  PetscFunctionReturn(0);
}
