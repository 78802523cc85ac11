/* Newton's method: PETSc's SNES with our own function, Hessian, line search and convergence test. */
#include "solveimpl.h"

/* Gradient of B. SNES asks at the iterate, which is evaluated already; any other point (a derivative test, say) gets a search of its own. */
static PetscErrorCode FormFunction(SNES snes, Vec X, Vec F, void *ctx)
{
  AbutStepper        s = (AbutStepper)ctx;
  const PetscScalar *x;
  PetscScalar       *f;
  PetscBool          same;
  PetscMPIInt        differs;

  PetscFunctionBegin;
  (void)snes;
  PetscCall(VecGetArrayRead(X, &x));
  PetscCall(PetscArraycmp(x, s->x, s->n, &same));
  differs = !same;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, s->comm));
  if (differs) {
    PetscReal step = 0;
    PetscCall(PetscArraycpy(s->x, x, s->n));
    PetscCall(AbutMeshHaloBegin(s->mesh, s->dim, s->x));
    PetscCall(AbutMeshHaloEnd(s->mesh, s->dim, s->x));
    PetscCall(AbutObjectiveSearch(s, NULL, &step));
    PetscCall(AbutObjectiveAccept(s, 0));
    PetscCall(AbutObjectiveBegin(s));
  }
  PetscCall(VecRestoreArrayRead(X, &x));
  PetscCall(VecGetArrayWrite(F, &f));
  PetscCall(PetscArraycpy(f, s->gradient, s->n));
  PetscCall(VecRestoreArrayWrite(F, &f));
  PetscFunctionReturn(0);
}

/* Assembles, and factorises or sets up the preconditioner here rather than inside KSPSolve(), so that the two are timed apart. */
static PetscErrorCode FormJacobian(SNES snes, Vec X, Mat A, Mat P, void *ctx)
{
  AbutStepper s = (AbutStepper)ctx;

  PetscFunctionBegin;
  (void)snes, (void)X, (void)A, (void)P;
  PetscCall(AbutDirectionPrepare(s));
  PetscCall(AbutPhaseBegin(ABUT_PHASE_LINEAR_SOLVE));
  s->in_linear_solve = PETSC_TRUE;
  PetscFunctionReturn(0);
}

/*
  Whether Newton's direction p is known to be next to nothing before it is computed, a millionth of what ends a solve: the Hessian, all of
  it projected, is no less than the inertia M, so that ||p||_inf <= ||M^-1/2 g||_2 / sqrt(least of M). What is in equilibrium so takes no
  iteration, be it stable or not. What is left out is left out in every step; the share is as small as round-off of stiff bodies allows.
*/
static PetscErrorCode IsAtRest(AbutStepper s, PetscBool *rest)
{
  PetscReal sum = 0, least = PETSC_MAX_REAL;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < s->ml->num_owned; v++) {
    const PetscReal *g = s->gradient + v * s->dim, g2 = AbutDot(s->dim, g, g);
    if (s->inertia[v] > 0) least = PetscMin(least, s->inertia[v]);
    if (g2 > 0) sum += s->inertia[v] > 0 ? g2 / s->inertia[v] : PETSC_INFINITY;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, s->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPIU_REAL, MPIU_MIN, s->comm));
  *rest = (PetscBool)(PetscSqrtReal(sum / least) <= 1e-6 * s->tolerance * s->h);
  PetscFunctionReturn(0);
}

/* Converged when the last direction is below eps_d and every prescribed motion is done (numerics: IPC section 4, ||p||_inf / h). */
static PetscErrorCode TestConvergence(SNES snes, PetscInt it, PetscReal xnorm, PetscReal snorm, PetscReal fnorm,
                                      SNESConvergedReason *reason, void *ctx)
{
  AbutStepper s    = (AbutStepper)ctx;
  PetscBool   stop = PETSC_FALSE, rest = PETSC_FALSE;

  PetscFunctionBegin;
  (void)snes, (void)xnorm, (void)snorm;
  *reason = SNES_CONVERGED_ITERATING;
  if (it == 0 && !s->boundary.pending) PetscCall(IsAtRest(s, &rest));
  if (PetscIsInfOrNanReal(fnorm))
    *reason = SNES_DIVERGED_FNORM_NAN;
  else if (rest || (fnorm == 0 && !s->boundary.pending))
    *reason = SNES_CONVERGED_FNORM_ABS;
  else if (it > 0 && s->converged)
    *reason = SNES_CONVERGED_SNORM_RELATIVE;
  if (*reason == SNES_CONVERGED_ITERATING && s->report.stuck) *reason = SNES_DIVERGED_INNER;
  if (*reason == SNES_CONVERGED_ITERATING && s->stop) {
    PetscCall((*s->stop)(s->stop_ctx, &stop));
    if (stop) {
      s->report.stopped = PETSC_TRUE;
      *reason           = SNES_DIVERGED_INNER;
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonCreate(AbutStepper s)
{
  SNESLineSearch ls;
  KSP            ksp;

  PetscFunctionBegin;
  PetscCall(SNESCreate(s->comm, &s->snes));
  PetscCall(SNESSetType(s->snes, SNESNEWTONLS));
  PetscCall(SNESSetFunction(s->snes, s->F, FormFunction, s));
  PetscCall(SNESSetJacobian(s->snes, NULL, NULL, FormJacobian, s));
  PetscCall(SNESSetConvergenceTest(s->snes, TestConvergence, s, NULL));
  PetscCall(SNESSetTolerances(s->snes, 0, 0, 0, s->spec.max_newton, -1));
  /* An unfinished Krylov solve still gives a descent direction: it is searched, but never taken for convergence (linesearch.c). */
  PetscCall(SNESSetMaxLinearSolveFailures(s->snes, PETSC_MAX_INT));
  PetscCall(SNESGetLineSearch(s->snes, &ls));
  PetscCall(SNESLineSearchSetType(ls, SNESLINESEARCHSHELL));
  PetscCall(SNESLineSearchShellSetUserFunc(ls, AbutLineSearchApply, s));
  PetscCall(SNESGetKSP(s->snes, &ksp));
  PetscCall(AbutDirectionSetFromOptions(s));
  PetscCall(AbutLinearCreate(ksp, s->dim, s->ml->num_owned, s->ml->rest, &s->solver));
  PetscCall(AbutLinearSetFromOptions(s->solver));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonSolve(AbutStepper s)
{
  SNESConvergedReason reason;
  PetscScalar        *x;
  PetscInt            iterations;

  PetscFunctionBegin;
  s->converged       = PETSC_FALSE;
  s->first_direction = -1;
  s->report.stuck    = PETSC_FALSE;
  AbutDirectionBegin(s);
  PetscCall(VecGetArrayWrite(s->X, &x));
  PetscCall(PetscArraycpy(x, s->x, s->n));
  PetscCall(VecRestoreArrayWrite(s->X, &x));
  PetscCall(SNESSolve(s->snes, NULL, s->X));
  if (s->in_linear_solve) {
    PetscCall(AbutPhaseEnd(ABUT_PHASE_LINEAR_SOLVE));
    s->in_linear_solve = PETSC_FALSE;
  }
  PetscCall(SNESGetConvergedReason(s->snes, &reason));
  PetscCall(SNESGetIterationNumber(s->snes, &iterations));
  s->report.count.newton += iterations;
  s->report.converged     = (PetscBool)(reason > 0);
  s->report.exhausted     = (PetscBool)(reason == SNES_DIVERGED_MAX_IT);
  s->report.linear_failed = (PetscBool)(reason == SNES_DIVERGED_LINEAR_SOLVE);
  PetscFunctionReturn(0);
}
