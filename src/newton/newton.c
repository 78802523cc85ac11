/*
  Newton's method. SNES (type newtonls) runs the loop and calls, in this order: TestConvergence(), FormHessian(), its KSP, and as line
  search Iterate(), which holds the rest of an iteration: step bound, line search, acceptance, update of the objective.
*/
#include "newtonimpl.h"
#include <abut/petsc_versions.h>

#define CORRECTION 0.01 /* last direction of a solve over its longest one, at most */

/*
  SNES convergence test. Iterate() stores whether the last iteration satisfies the stopping test. This function adds the test for rest,
  stagnation and the user's stop function. Bodies at rest, whose gradient is round-off, take no iteration; a load of any size ends the rest.
*/
static PetscErrorCode TestConvergence(SNES snes, PetscInt it, PetscReal xnorm, PetscReal snorm, PetscReal fnorm,
                                      SNESConvergedReason *reason, void *ctx)
{
  AbutNewton n    = (AbutNewton)ctx;
  PetscBool  stop = PETSC_FALSE, rest = PETSC_FALSE;

  PetscFunctionBegin;
  (void)snes, (void)xnorm, (void)snorm;
  *reason = SNES_CONVERGED_ITERATING;
  if (it == 0 && !n->motion->pending) PetscCall(AbutEquilibriumTestStart(n, &rest));
  if (PetscIsInfOrNanReal(fnorm))
    *reason = SNES_DIVERGED_FUNCTION_NANORINF;
  else if (rest || (fnorm == 0 && !n->motion->pending))
    *reason = SNES_CONVERGED_FNORM_ABS;
  else if (it > 0 && n->now.converged)
    *reason = SNES_CONVERGED_SNORM_RELATIVE;
  if (*reason == SNES_CONVERGED_ITERATING && n->result.stuck) *reason = SNES_DIVERGED_INNER;
  if (*reason == SNES_CONVERGED_ITERATING && n->calls.stop) {
    PetscCall((*n->calls.stop)(n->calls.stop_ctx, &stop));
    if (stop) {
      n->result.stopped = PETSC_TRUE;
      *reason           = SNES_DIVERGED_INNER;
    }
  }
  PetscFunctionReturn(0);
}

/* Assembles the Hessian and sets up its solver. The set-up is done here so that -log_view times it separately from the solve. */
static PetscErrorCode FormHessian(SNES snes, Vec X, Mat A, Mat P, void *ctx)
{
  AbutNewton n = (AbutNewton)ctx;

  PetscFunctionBegin;
  (void)snes, (void)X, (void)A, (void)P;
  PetscCall(AbutDirectionPrepare(n));
  PetscCall(AbutPhaseBegin(ABUT_PHASE_LINEAR_SOLVE));
  n->now.in_linear_solve = PETSC_TRUE;
  PetscFunctionReturn(0);
}

/* Counts the cause that limited a step; records the pair that limited the smallest step. */
static void CountLimit(AbutSearchReport *report, PetscReal step, const AbutStepBound *bound)
{
  report->limits[bound->limiter]++;
  if (step < report->smallest_step) {
    report->smallest_step = step;
    report->pair          = bound->pair;
  }
}

/*
  Whether the last direction corrects only a small part of the displacement of the solve. A first direction, of a projected Hessian, left
  out half of the deflection of a beam under an axial force. Inertia makes the first direction of short steps in time right.
*/
static PetscBool IsCorrection(AbutNewton n)
{
  return (PetscBool)(!AbutNewtonIsCoarse(n) || n->now.direction_norm <= CORRECTION * n->now.longest);
}

/*
  Whether forces are balanced after an iteration with a short direction, or cannot be balanced any better. While prescribed motion is
  incomplete nothing is asked of them: they balance an objective that is about to change. Collective.
*/
static PetscErrorCode TestBalance(AbutNewton n, PetscReal step, PetscBool *settled)
{
  PetscBool balanced, rest;

  PetscFunctionBegin;
  *settled = PETSC_TRUE;
  if (n->motion->pending) PetscFunctionReturn(0);
  PetscCall(AbutEquilibriumTest(n, &balanced, &rest));
  *settled = (PetscBool)((balanced && IsCorrection(n)) || AbutEquilibriumGivesUp(n, step));
  PetscFunctionReturn(0);
}

/*
  Updates the objective after an accepted step: multipliers of prescribed motion, barrier stiffness; then the stopping test of this
  iteration. If the objective changed, its energy and gradient are evaluated again at the iterate. Collective.
*/
static PetscErrorCode UpdateObjective(AbutNewton n, const NewtonStep *step)
{
  const PetscBool    small   = (PetscBool)(AbutNewtonIsShort(n) && n->now.solved);
  const PetscBool    cut     = (PetscBool)(step->bound.limiter == ABUT_LIMIT_ENERGY && !n->now.predicted);
  PetscBool          settled = PETSC_FALSE;
  PetscBool          constraint_changed, stiffness_changed;
  AbutConstraintStep taken = {.t = n->at->t};

  PetscFunctionBegin;
  if (small) PetscCall(TestBalance(n, step->taken, &settled));
  AbutDirectionAdapt(n, step, (PetscBool)(small && !settled));
  taken.settled = settled;
  taken.full    = (PetscBool)(step->taken >= 1 && n->now.solved && !n->now.predicted);
  PetscCall(AbutConstraintUpdate(n->parts.constraint, n->at->x, &taken, &constraint_changed));
  PetscCall(AbutStiffnessUpdate(n, step->gap_before, (PetscBool)(cut && !settled), &stiffness_changed));
  n->now.converged = (PetscBool)(settled && !constraint_changed && !n->motion->pending && !stiffness_changed);
  if (!small && AbutStagnationCountSearch(&n->stagnation, step->taken, step->taken * n->now.direction_norm / n->parts.tolerance))
    n->result.stuck = PETSC_TRUE;
  if (settled && n->motion->pending && AbutStagnationCountRound(&n->stagnation, n->motion->progress)) n->result.stuck = PETSC_TRUE;
  if (constraint_changed || stiffness_changed) PetscCall(AbutNewtonEvaluate(n));
  PetscFunctionReturn(0);
}

/* Local iterations in short directions may have balanced the forces. Collective. */
static PetscErrorCode TestAfterLocal(AbutNewton n)
{
  const PetscBool small = (PetscBool)(AbutNewtonIsShort(n) && n->now.solved && n->now.local_norm < n->parts.tolerance);
  PetscBool       rest;

  PetscFunctionBegin;
  if (n->now.local > 0 && small && IsCorrection(n) && n->balance.limit > 0) PetscCall(AbutEquilibriumTest(n, &n->now.converged, &rest));
  PetscFunctionReturn(0);
}

static PetscErrorCode Monitor(AbutNewton n, const NewtonStep *step)
{
  AbutNewtonReport line = {.step = n->step, .step_bound = step->longest, .step_length = step->taken, .limiter = step->bound.limiter};
  PetscReal        sum;
  KSP              ksp;

  PetscFunctionBegin;
  if (!n->calls.monitor) PetscFunctionReturn(0);
  sum = AbutDot(n->n, n->at->gradient, n->at->gradient);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, n->comm));
  PetscCall(SNESGetIterationNumber(n->snes, &line.iteration));
  PetscCall(SNESGetKSP(n->snes, &ksp));
  PetscCall(KSPGetIterationNumber(ksp, &line.linear_iterations));
  line.iteration += 1;
  line.local          = n->now.local;
  line.kappa          = n->stiffness.kappa;
  line.contacts       = n->parts.barrier->contacts;
  line.energy         = AbutEnergyTotal(&n->at->energy);
  line.gradient_norm  = PetscSqrtReal(sum);
  line.direction_norm = n->now.direction_norm;
  line.min_gap        = n->parts.barrier->min_gap;
  PetscCall((*n->calls.monitor)(&line, n->calls.monitor_ctx));
  PetscFunctionReturn(0);
}

/* Returns iterate and gradient to SNES, with the norms of iterate, gradient and direction. Collective. */
static PetscErrorCode ReturnToSNES(AbutNewton n, SNESLineSearch ls, Vec X, Vec F, PetscReal step)
{
  const AbutIterate *at      = n->at;
  PetscReal          norm[3] = {AbutDot(n->n, at->x, at->x), AbutDot(n->n, at->gradient, at->gradient), AbutDot(n->n, at->p, at->p)};

  PetscFunctionBegin;
  PetscCall(AbutNewtonCopyToVec(n, at->x, X));
  PetscCall(AbutNewtonCopyToVec(n, n->at->gradient, F));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, norm, 3, MPIU_REAL, MPIU_SUM, n->comm));
  PetscCall(SNESLineSearchSetLambda(ls, step));
  PetscCall(SNESLineSearchSetNorms(ls, PetscSqrtReal(norm[0]), PetscSqrtReal(norm[1]), PetscSqrtReal(norm[2])));
  PetscCall(SNESLineSearchSetReason(ls, SNES_LINESEARCH_SUCCEEDED));
  PetscFunctionReturn(0);
}

/* The part of an iteration after the linear solve, installed in SNES as its line search. */
static PetscErrorCode Iterate(SNESLineSearch ls, void *ctx)
{
  AbutNewton n = (AbutNewton)ctx;
  NewtonStep step;
  PetscReal  slope;
  PetscInt   iteration;
  Vec        X, F, Y;

  PetscFunctionBegin;
  PetscCall(AbutPhaseEnd(ABUT_PHASE_LINEAR_SOLVE));
  n->now.in_linear_solve = PETSC_FALSE;
  PetscCall(SNESGetIterationNumber(n->snes, &iteration));
  AbutObjectiveSetIteration(n->parts.objective, n->step, iteration + 1);
  PetscCall(SNESLineSearchGetVecs(ls, &X, &F, &Y, NULL, NULL));
  PetscCall(AbutDirectionFinish(n, F, Y, &slope));
  if (PetscIsInfOrNanReal(slope)) { /* the linear solver returned no numbers: there is no direction to search */
    n->result.linear_failed = PETSC_TRUE;
    PetscCall(SNESLineSearchSetReason(ls, SNES_LINESEARCH_FAILED_NANORINF));
    PetscFunctionReturn(0);
  }
  PetscCall(AbutDirectionComplete(n, Y));
  n->now.longest = PetscMax(n->now.longest, n->now.direction_norm);
  PetscCall(AbutNewtonTakeStep(n, F, Y, slope, &step));
  if (step.taken > 0 || !step.success) CountLimit(&n->result.search, step.taken, &step.bound);
  if (!step.success) {
    PetscCall(SNESLineSearchSetReason(ls, SNES_LINESEARCH_FAILED_REDUCT));
    PetscFunctionReturn(0);
  }
  PetscCall(UpdateObjective(n, &step));
  PetscCall(Monitor(n, &step)); /* the operators of the KSP are not to be used from here on: a prediction may have rebuilt the matrix */
  PetscCall(AbutLocalIterate(n));
  PetscCall(TestAfterLocal(n));
  if (!n->now.converged) PetscCall(AbutDirectionUpdatePattern(n));
  PetscCall(ReturnToSNES(n, ls, X, F, step.taken));
  PetscFunctionReturn(0);
}

/*
  Gradient of B for SNES. At the iterate the stored gradient is returned. At any other point (a derivative test) a new contact search runs.
*/
static PetscErrorCode FormGradient(SNES snes, Vec X, Vec F, void *ctx)
{
  AbutNewton         n = (AbutNewton)ctx;
  const PetscScalar *x;
  PetscBool          same;
  PetscMPIInt        differs;

  PetscFunctionBegin;
  (void)snes;
  PetscCall(VecGetArrayRead(X, &x));
  PetscCall(PetscArraycmp(x, n->at->x, n->n, &same));
  differs = !same;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, n->comm));
  if (differs) {
    PetscCall(PetscArraycpy(n->at->x, x, n->n));
    PetscCall(AbutObjectiveUpdateGhosts(n->parts.objective, n->at->x));
    PetscCall(AbutObjectiveFindContacts(n->parts.objective));
    PetscCall(AbutNewtonBegin(n, PETSC_FALSE));
  }
  PetscCall(VecRestoreArrayRead(X, &x));
  PetscCall(AbutNewtonCopyToVec(n, n->at->gradient, F));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonBegin(AbutNewton n, PetscBool energy_known)
{
  PetscFunctionBegin;
  n->predict.springs.num = 0; /* an error may have left some */
  if (!energy_known) PetscCall(AbutObjectiveEnergy(n->parts.objective, n->at->t, &n->at->energy));
  PetscCall(AbutObjectiveGradient(n->parts.objective));
  PetscCall(AbutDirectionUpdatePattern(n));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonSolve(AbutNewton n)
{
  SNESConvergedReason reason;
  PetscInt            iterations;

  PetscFunctionBegin;
  n->now.converged          = PETSC_FALSE;
  n->now.local              = 0;
  n->now.longest            = 0;
  n->hessian.norm           = PETSC_INFINITY; /* a first direction is not slow */
  n->result.first_direction = -1;
  n->result.stuck = n->result.linear_failed = PETSC_FALSE;
  AbutStagnationBegin(&n->stagnation);
  AbutPredictBegin(&n->predict);
  AbutStretchBegin(&n->stretch);
  AbutEquilibriumBegin(&n->balance);
  PetscCall(AbutNewtonCopyToVec(n, n->at->x, n->X));
  PetscCall(SNESSolve(n->snes, NULL, n->X));
  if (n->now.in_linear_solve) {
    PetscCall(AbutPhaseEnd(ABUT_PHASE_LINEAR_SOLVE));
    n->now.in_linear_solve = PETSC_FALSE;
  }
  PetscCall(SNESGetConvergedReason(n->snes, &reason));
  PetscCall(SNESGetIterationNumber(n->snes, &iterations));
  n->result.count.newton += iterations;
  n->result.converged = (PetscBool)(reason > 0);
  n->result.exhausted = (PetscBool)(reason == SNES_DIVERGED_MAX_IT);
  if (reason == SNES_DIVERGED_LINEAR_SOLVE || (n->result.stuck && !n->now.solved)) n->result.linear_failed = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonSetCallbacks(AbutNewton n)
{
  SNESLineSearch ls;

  PetscFunctionBegin;
  PetscCall(SNESSetType(n->snes, SNESNEWTONLS));
  PetscCall(SNESSetFunction(n->snes, n->F, FormGradient, n));
  PetscCall(SNESSetJacobian(n->snes, NULL, NULL, FormHessian, n));
  PetscCall(SNESSetConvergenceTest(n->snes, TestConvergence, n, NULL));
  PetscCall(SNESSetTolerances(n->snes, 0, 0, 0, n->parts.max_iterations, -1));
  /* An unconverged Krylov solution still gives a direction of descent, which is searched but never satisfies the stopping test. */
  PetscCall(SNESSetMaxLinearSolveFailures(n->snes, PETSC_MAX_INT));
  PetscCall(SNESGetLineSearch(n->snes, &ls));
  PetscCall(SNESLineSearchSetType(ls, SNESLINESEARCHSHELL));
  PetscCall(SNESLineSearchShellSetApply(ls, Iterate, n));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonCheckSNES(AbutNewton n)
{
  SNESType           type;
  SNESLineSearch     ls;
  SNESLineSearchType search;
  PetscErrorCode (*hessian)(SNES, Vec, Mat, Mat, void *);
  PetscBool is_newton, is_shell, operator_free, free;
  PetscInt  lag;

  PetscFunctionBegin;
  PetscCall(SNESGetType(n->snes, &type));
  PetscCall(PetscStrcmp(type, SNESNEWTONLS, &is_newton));
  AbutCheck(is_newton, ABUT_ERR_INPUT, "-snes_type %s: must be %s, the others do not see collisions", type, SNESNEWTONLS);
  PetscCall(SNESGetLineSearch(n->snes, &ls));
  PetscCall(SNESLineSearchGetType(ls, &search));
  PetscCall(PetscStrcmp(search, SNESLINESEARCHSHELL, &is_shell));
  AbutCheck(is_shell, ABUT_ERR_INPUT, "-snes_linesearch_type %s: must be %s, the others do not see collisions", search,
            SNESLINESEARCHSHELL);
  PetscCall(SNESGetLagJacobian(n->snes, &lag));
  AbutCheck(lag == 1, ABUT_ERR_INPUT, "-snes_lag_jacobian %" PetscInt_FMT ": must be 1; -abut_reuse lags factorisations", lag);
  PetscCall(SNESGetUseMatrixFree(n->snes, &operator_free, &free));
  PetscCall(SNESGetJacobian(n->snes, NULL, NULL, &hessian, NULL));
  AbutCheck(!operator_free && !free && hessian == FormHessian, ABUT_ERR_INPUT,
            "-snes_mf, -snes_mf_operator, -snes_fd and -snes_fd_color are not possible: the Hessian is assembled");
  PetscFunctionReturn(0);
}
