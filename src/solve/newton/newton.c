/*
  Newton's method. SNES (type newtonls) runs the loop; below are the functions that it calls, in the order of its calls:

      TestConvergence()   force balance and length of the last direction, rest, the user's stop
      Update()            matrix pattern at the iterate
      FormHessian()       Hessian and the set-up of its solver
      its KSP             direction
      CheckDirection()    pre-check of the line search: makes it a direction of descent, bounds its step, predicts contacts
      Search()            line search: backtracks on B, accepts
      UpdateObjective()   post-check: multipliers, barrier stiffness, local iterations

  include/abut/newton.h describes an iteration in words.
*/
#include "newtonimpl.h"
#include <abut/petsc_versions.h>

#define CORRECTION 0.01 /* largest ratio of the last direction of a solve to its longest one at which displacements count as converged */

static PetscErrorCode TestConvergence(SNES snes, PetscInt it, PetscReal xnorm, PetscReal snorm, PetscReal fnorm,
                                      SNESConvergedReason *reason, void *ctx)
{
  AbutNewton      n       = (AbutNewton)ctx;
  const PetscBool pending = (PetscBool)(n->problem.motion->pending || AbutConstraintPlanesArePending(n->problem.parts.constraint));
  PetscBool       rest    = PETSC_FALSE;

  PetscFunctionBegin;
  (void)snes, (void)xnorm, (void)snorm;
  *reason = SNES_CONVERGED_ITERATING;
  if (it == 0 && !pending) PetscCall(AbutEquilibriumTestStart(&n->balance, &n->problem, &n->result, &rest));
  if (PetscIsInfOrNanReal(fnorm))
    *reason = SNES_DIVERGED_FUNCTION_NANORINF;
  else if (rest ||
           (fnorm == 0 && !pending)) /* the gradient is only round-off; `rest` is false while a load, of any size, is not balanced */
    *reason = SNES_CONVERGED_FNORM_ABS;
  else if (it > 0 && n->now.converged)
    *reason = SNES_CONVERGED_SNORM_RELATIVE;
  else if (n->result.stuck)
    *reason = SNES_DIVERGED_INNER;
  if (*reason || !n->calls.stop) PetscFunctionReturn(0);
  PetscCall((*n->calls.stop)(n->calls.stop_ctx, &n->result.stopped));
  if (n->result.stopped) *reason = SNES_DIVERGED_INNER;
  PetscFunctionReturn(0);
}

/* The pattern of the first iteration is set by AbutNewtonBegin(). */
static PetscErrorCode Update(SNES snes, PetscInt it)
{
  AbutNewton n;

  PetscFunctionBegin;
  PetscCall(SNESGetApplicationContext(snes, &n));
  if (it > 0) PetscCall(AbutDirectionUpdatePattern(&n->direction));
  PetscFunctionReturn(0);
}

/* The set-up is done here so that -log_view times it separately from the solve. */
static PetscErrorCode FormHessian(SNES snes, Vec X, Mat A, Mat P, void *ctx)
{
  AbutNewton n = (AbutNewton)ctx;

  PetscFunctionBegin;
  (void)snes, (void)X, (void)A, (void)P;
  PetscCall(AbutDirectionPrepare(&n->direction));
  PetscCall(AbutPhaseBegin(ABUT_PHASE_LINEAR_SOLVE));
  n->now.in_linear_solve = PETSC_TRUE;
  PetscFunctionReturn(0);
}

static PetscErrorCode EndLinearSolve(Iteration *now)
{
  PetscFunctionBegin;
  if (now->in_linear_solve) PetscCall(AbutPhaseEnd(ABUT_PHASE_LINEAR_SOLVE));
  now->in_linear_solve = PETSC_FALSE;
  PetscFunctionReturn(0);
}

static PetscErrorCode CheckDirection(SNESLineSearch ls, Vec X, Vec Y, PetscBool *changed, void *ctx)
{
  AbutNewton n = (AbutNewton)ctx;
  PetscInt   iteration;

  PetscFunctionBegin;
  (void)ls, (void)X;
  *changed = PETSC_TRUE;
  PetscCall(EndLinearSolve(&n->now));
  PetscCall(SNESGetIterationNumber(n->snes, &iteration));
  AbutObjectiveSetIteration(n->problem.parts.objective, n->problem.step, iteration + 1);
  PetscCall(AbutDirectionFinish(&n->direction, n->F, Y, &n->step.slope, &n->now.solved));
  n->result.linear_failed = PetscIsInfOrNanReal(n->step.slope); /* a direction with NaN or infinite entries cannot be searched */
  if (n->result.linear_failed) PetscFunctionReturn(0);
  PetscCall(AbutDirectionComplete(&n->direction, Y, &n->now.direction_norm));
  if (n->result.first_direction < 0) n->result.first_direction = n->now.direction_norm;
  n->now.longest = PetscMax(n->now.longest, n->now.direction_norm / n->direction.hessian.stretch);
  PetscCall(AbutNewtonBoundStep(n, n->F, Y, &n->step));
  PetscFunctionReturn(0);
}

/* Returns iterate and gradient to SNES, with the norms of iterate, gradient and direction. Collective. */
static PetscErrorCode ReturnToSNES(AbutNewton n, SNESLineSearch ls, Vec X, PetscReal step)
{
  const Problem     *p       = &n->problem;
  const AbutIterate *at      = p->at;
  PetscReal          norm[3] = {AbutDot(p->n, at->x, at->x), AbutDot(p->n, at->gradient, at->gradient), AbutDot(p->n, at->p, at->p)};

  PetscFunctionBegin;
  PetscCall(AbutProblemCopyToVec(p, at->x, X));
  PetscCall(AbutProblemCopyToVec(p, at->gradient, n->F));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, norm, 3, MPIU_REAL, MPIU_SUM, p->comm));
  PetscCall(SNESLineSearchSetLambda(ls, step));
  PetscCall(SNESLineSearchSetNorms(ls, PetscSqrtReal(norm[0]), PetscSqrtReal(norm[1]), PetscSqrtReal(norm[2])));
  PetscCall(SNESLineSearchSetReason(ls, SNES_LINESEARCH_SUCCEEDED));
  PetscFunctionReturn(0);
}

/* Counts the cause that limited the step and the pair that limited the smallest step; prints the line of -snes_linesearch_monitor. */
static PetscErrorCode ReportSearch(AbutNewton n, SNESLineSearch ls)
{
  const NewtonStep *s      = &n->step;
  AbutSearchReport *report = &n->result.search;
  PetscViewer       viewer;

  PetscFunctionBegin;
  PetscCall(SNESLineSearchGetDefaultMonitor(ls, &viewer));
  if (viewer)
    PetscCall(PetscViewerASCIIPrintf(viewer, "      Line search: step bound %g, step %g, %s %s\n", (double)s->longest, (double)s->taken,
                                     s->success ? "limited by" : "no decrease; limited by", AbutLimiters[s->bound.limiter]));
  if (s->success && !(s->taken > 0)) PetscFunctionReturn(0);
  report->limits[s->bound.limiter]++;
  if (s->taken < report->smallest_step) {
    report->smallest_step = s->taken;
    report->pair          = s->bound.pair;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode Search(SNESLineSearch ls, void *ctx)
{
  AbutNewton n = (AbutNewton)ctx;
  PetscBool  changed;
  Vec        X, Y;

  PetscFunctionBegin;
  PetscCall(SNESLineSearchGetVecs(ls, &X, NULL, &Y, NULL, NULL));
  PetscCall(SNESLineSearchPreCheck(ls, X, Y, &changed));
  if (n->result.linear_failed) {
    PetscCall(SNESLineSearchSetReason(ls, SNES_LINESEARCH_FAILED_NANORINF));
    PetscFunctionReturn(0);
  }
  PetscCall(AbutNewtonTakeStep(n, Y, &n->step));
  PetscCall(ReportSearch(n, ls));
  if (!n->step.success) {
    PetscCall(SNESLineSearchSetReason(ls, SNES_LINESEARCH_FAILED_REDUCT));
    PetscFunctionReturn(0);
  }
  PetscCall(SNESLineSearchPostCheck(ls, X, Y, X, &changed, &changed));
  PetscCall(ReturnToSNES(n, ls, X, n->step.taken));
  PetscFunctionReturn(0);
}

/*
  Whether the last direction is a small correction of the displacement of the solve. With a coarse tolerance the first direction may be
  short and wrong: projection left out half of the deflection of a beam under an axial force. In short time steps inertia makes the first
  direction right.
*/
static PetscBool IsCorrection(const Iteration *now, const Problem *problem)
{
  return (PetscBool)(!AbutProblemIsCoarse(problem) || now->direction_norm <= CORRECTION * now->longest);
}

/*
  Whether forces are balanced after an iteration with a short direction, or cannot be balanced any better. While prescribed motion is
  incomplete, forces are not tested, because the objective is about to change. Collective.
*/
static PetscErrorCode TestBalance(AbutNewton n, PetscBool *settled)
{
  const Problem *p = &n->problem;
  PetscBool      balanced, rest;

  PetscFunctionBegin;
  *settled = PETSC_TRUE;
  if (p->motion->pending) PetscFunctionReturn(0);
  PetscCall(AbutEquilibriumTest(&n->balance, p, &n->result, &balanced, &rest));
  *settled = (PetscBool)((balanced && IsCorrection(&n->now, p)) ||
                         AbutEquilibriumGivesUp(&n->balance, n->step.taken, n->now.direction_norm * p->h, &n->result));
  PetscFunctionReturn(0);
}

/* Tests the balance of forces if all local iterations had short directions, since they may have achieved it. Collective. */
static PetscErrorCode TestAfterLocal(AbutNewton n)
{
  const Problem  *p     = &n->problem;
  const PetscBool small = (PetscBool)(AbutIterationIsShort(&n->now, p) && n->now.solved && n->now.local_norm < p->parts.tolerance);
  PetscBool       rest;

  PetscFunctionBegin;
  if (n->now.local > 0 && small && IsCorrection(&n->now, p) && n->balance.limit > 0)
    PetscCall(AbutEquilibriumTest(&n->balance, p, &n->result, &n->now.converged, &rest));
  PetscFunctionReturn(0);
}

/* Counts iterations without progress. small: the direction is short. settled: forces are balanced. Not collective. */
static void CountStagnation(AbutNewton n, PetscBool small, PetscBool settled)
{
  const AbutPrescribedMotion *motion = n->problem.motion;
  const PetscReal             moved  = n->step.taken * n->now.direction_norm / n->problem.parts.tolerance;

  if (!small && AbutStagnationCountSearch(&n->stagnation, n->step.taken, moved)) n->result.stuck = PETSC_TRUE;
  if (settled && motion->pending && AbutStagnationCountRound(&n->stagnation, motion->progress)) n->result.stuck = PETSC_TRUE;
}

/*
  Updates the multipliers of prescribed motion and the barrier stiffness at the new iterate. If this changes the objective, its energy and
  gradient are evaluated again, so that only energies of one objective are compared. Collective.
*/
static PetscErrorCode AdaptObjective(AbutNewton n)
{
  const Problem     *p       = &n->problem;
  const PetscBool    small   = (PetscBool)(AbutIterationIsShort(&n->now, p) && n->now.solved);
  const PetscBool    cut     = (PetscBool)(n->step.bound.limiter == ABUT_LIMIT_ENERGY && !n->now.predicted);
  PetscBool          settled = PETSC_FALSE, constraint_changed, stiffness_changed, moved;
  AbutConstraintStep taken   = {.t = p->at->t, .full = (PetscBool)(n->step.taken >= 1 && n->now.solved && !n->now.predicted)};

  PetscFunctionBegin;
  if (small) PetscCall(TestBalance(n, &settled));
  AbutDirectionAdapt(&n->direction.hessian, &n->now, &n->step, (PetscBool)(small && !settled),
                     (PetscBool)(small && n->result.imbalance > n->balance.limit));
  taken.settled = settled;
  PetscCall(AbutConstraintUpdate(p->parts.constraint, p->at->x, &taken, &constraint_changed));
  PetscCall(AbutConstraintMoveDriven(p->parts.constraint, p->at->t, &moved));
  PetscCall(AbutStiffnessUpdate(&n->stiffness, p, n->step.gap_before, (PetscBool)(cut && !settled), &stiffness_changed));
  n->now.converged = (PetscBool)(settled && !constraint_changed && !p->motion->pending && !stiffness_changed);
  CountStagnation(n, small, settled);
  if (constraint_changed || stiffness_changed || moved) PetscCall(AbutProblemEvaluate(p));
  PetscFunctionReturn(0);
}

static PetscErrorCode Monitor(AbutNewton n)
{
  const Problem   *p    = &n->problem;
  AbutNewtonReport line = {.step           = p->step,
                           .step_bound     = n->step.longest,
                           .step_length    = n->step.taken,
                           .limiter        = n->step.bound.limiter,
                           .local          = n->now.local,
                           .kappa          = n->stiffness.kappa,
                           .contacts       = p->parts.barrier->contacts,
                           .energy         = AbutEnergyTotal(&p->at->energy),
                           .direction_norm = n->now.direction_norm,
                           .min_gap        = p->parts.barrier->min_gap};
  PetscReal        sum  = AbutDot(p->n, p->at->gradient, p->at->gradient);
  KSP              ksp;

  PetscFunctionBegin;
  if (!n->calls.monitor) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, p->comm));
  PetscCall(SNESGetIterationNumber(n->snes, &line.iteration));
  PetscCall(SNESGetKSP(n->snes, &ksp));
  PetscCall(KSPGetIterationNumber(ksp, &line.linear_iterations));
  line.iteration += 1;
  line.gradient_norm = PetscSqrtReal(sum);
  PetscCall((*n->calls.monitor)(&line, n->calls.monitor_ctx));
  PetscFunctionReturn(0);
}

static PetscErrorCode UpdateObjective(SNESLineSearch ls, Vec X, Vec Y, Vec W, PetscBool *changed_y, PetscBool *changed_w, void *ctx)
{
  AbutNewton n = (AbutNewton)ctx;

  PetscFunctionBegin;
  (void)ls, (void)X, (void)Y, (void)W;
  *changed_y = *changed_w = PETSC_FALSE; /* *changed_y = *changed_w = PETSC_FALSE: Search() returns the iterate itself */
  PetscCall(AdaptObjective(n));
  PetscCall(Monitor(n)); /* from here on the operators of the KSP must not be used, because a prediction may have rebuilt the matrix */
  PetscCall(AbutLocalIterate(n));
  PetscCall(TestAfterLocal(n));
  PetscFunctionReturn(0);
}

/*
  Gradient of B for SNES. At the iterate the stored gradient is returned. At any other point (a derivative test) a new contact search runs.
*/
static PetscErrorCode FormGradient(SNES snes, Vec X, Vec F, void *ctx)
{
  AbutNewton         n = (AbutNewton)ctx;
  const Problem     *p = &n->problem;
  const PetscScalar *x;
  PetscBool          same;
  PetscMPIInt        differs;

  PetscFunctionBegin;
  (void)snes;
  PetscCall(VecGetArrayRead(X, &x));
  PetscCall(PetscArraycmp(x, p->at->x, p->n, &same));
  differs = !same;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, p->comm));
  if (differs) {
    PetscCall(PetscArraycpy(p->at->x, x, p->n));
    PetscCall(AbutObjectiveUpdateGhosts(p->parts.objective, p->at->x));
    PetscCall(AbutObjectiveFindContacts(p->parts.objective));
    PetscCall(AbutNewtonBegin(n, PETSC_FALSE));
  }
  PetscCall(VecRestoreArrayRead(X, &x));
  PetscCall(AbutProblemCopyToVec(p, p->at->gradient, F));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonBegin(AbutNewton n, PetscBool energy_known)
{
  const Problem *p = &n->problem;

  PetscFunctionBegin;
  n->predict.springs.num = 0; /* springs may be left after an error */
  if (!energy_known) PetscCall(AbutObjectiveEnergy(p->parts.objective, p->at->t, &p->at->energy));
  PetscCall(AbutObjectiveGradient(p->parts.objective));
  PetscCall(AbutDirectionUpdatePattern(&n->direction));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonSolve(AbutNewton n)
{
  AbutNewtonResult   *r = &n->result;
  SNESConvergedReason reason;
  PetscInt            iterations;

  PetscFunctionBegin;
  n->now.converged             = PETSC_FALSE;
  n->now.local                 = 0;
  n->now.longest               = 0;
  n->direction.hessian.stretch = 1;
  n->direction.hessian.norm    = PETSC_INFINITY; /* a solve does not start with slow convergence */
  r->first_direction           = -1;
  r->stuck = r->linear_failed = PETSC_FALSE;
  AbutStagnationBegin(&n->stagnation);
  AbutPredictBegin(&n->predict);
  AbutEquilibriumBegin(&n->balance);
  PetscCall(AbutProblemCopyToVec(&n->problem, n->problem.at->x, n->X));
  PetscCall(SNESSolve(n->snes, NULL, n->X));
  PetscCall(EndLinearSolve(&n->now));
  PetscCall(SNESGetConvergedReason(n->snes, &reason));
  PetscCall(SNESGetIterationNumber(n->snes, &iterations));
  r->count.newton += iterations;
  r->converged = (PetscBool)(reason > 0);
  r->exhausted = (PetscBool)(reason == SNES_DIVERGED_MAX_IT);
  if (reason == SNES_DIVERGED_LINEAR_SOLVE || (r->stuck && !n->now.solved)) r->linear_failed = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonSetHooks(AbutNewton n)
{
  SNESLineSearch ls;

  PetscFunctionBegin;
  PetscCall(SNESSetType(n->snes, SNESNEWTONLS));
  PetscCall(SNESSetApplicationContext(n->snes, n));
  PetscCall(SNESSetFunction(n->snes, n->F, FormGradient, n));
  PetscCall(SNESSetTolerances(n->snes, 0, 0, 0, n->problem.parts.max_iterations, -1));
  PetscCall(
    SNESSetMaxLinearSolveFailures(n->snes, PETSC_MAX_INT)); /* after an unconverged linear solve the direction is still one of descent */
  PetscCall(SNESSetConvergenceTest(n->snes, TestConvergence, n, NULL));
  PetscCall(SNESSetUpdate(n->snes, Update));
  PetscCall(SNESSetJacobian(n->snes, NULL, NULL, FormHessian, n));
  PetscCall(SNESGetLineSearch(n->snes, &ls));
  PetscCall(SNESLineSearchSetType(ls, SNESLINESEARCHSHELL));
  PetscCall(SNESLineSearchSetPreCheck(ls, CheckDirection, n));
  PetscCall(SNESLineSearchShellSetApply(ls, Search, n));
  PetscCall(SNESLineSearchSetPostCheck(ls, UpdateObjective, n));
  PetscFunctionReturn(0);
}
