/* The linear solver of a KSP: life cycle, set-up for a matrix, solution and its outcome. */
#include "linearimpl.h"

PetscErrorCode AbutLinearCreate(KSP ksp, PetscInt dim, PetscInt num_owned, const PetscReal rest[], AbutLinear *linear)
{
  AbutLinear l;

  PetscFunctionBegin;
  PetscCheck(dim == 2 || dim == 3, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE, "Block size %" PetscInt_FMT " must be 2 or 3",
             dim);
  PetscCall(AbutOrderingRegister());
  PetscCall(AbutCholeskyRegister());
  PetscCall(AbutSubstructureRegister());
  PetscCall(PetscNew(&l));
  PetscCall(PetscObjectReference((PetscObject)ksp));
  l->ksp = ksp;
  PetscCall(VecCreateMPIWithArray(PetscObjectComm((PetscObject)ksp), dim, num_owned * dim, PETSC_DETERMINE, rest, &l->rest));
  *linear = l;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearDestroy(AbutLinear *linear)
{
  AbutLinear l = *linear;

  PetscFunctionBegin;
  if (!l) PetscFunctionReturn(0);
  if (l->krylov.test) PetscCall(KSPSetConvergenceTest(l->ksp, KSPConvergedSkip, NULL, NULL)); /* the test in force refers to l */
  if (l->krylov.test) PetscCall(KSPConvergedDefaultDestroy(l->krylov.test));
  PetscCall(KSPDestroy(&l->ksp));
  PetscCall(VecDestroy(&l->rest));
  PetscCall(MatNullSpaceDestroy(&l->rigid));
  PetscCall(PetscFree(*linear));
  PetscFunctionReturn(0);
}

static PetscErrorCode KrylovSetFromOptions(AbutKrylov *k)
{
  PetscFunctionBegin;
  *k = (AbutKrylov){.rtol = 1e-3, .max_it = 2000, .shift = 1e-10}; /* the shift is well above round-off and too small to cost iterations */
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Linear solver", "AbutLinear");
  PetscCall(PetscOptionsReal("-abut_cg_rtol", "Relative tolerance of the residual in conjugate gradients", "AbutLinear", k->rtol, &k->rtol,
                             NULL));
  PetscCall(PetscOptionsInt("-abut_cg_max_it", "Largest number of iterations of conjugate gradients in a solution", "AbutLinear", k->max_it,
                            &k->max_it, NULL));
  PetscCall(PetscOptionsReal("-abut_cholesky_shift",
                             "Relative shift of the diagonal where round-off makes the Cholesky factorisation of a projected matrix fail",
                             "AbutLinear", k->shift, &k->shift, NULL));
  PetscOptionsEnd();
  AbutCheck(k->rtol > 0 && k->rtol < 1, ABUT_ERR_INPUT, "-abut_cg_rtol %g must be in (0, 1)", (double)k->rtol);
  AbutCheck(k->max_it >= 1, ABUT_ERR_INPUT, "-abut_cg_max_it %" PetscInt_FMT " must be at least 1", k->max_it);
  AbutCheck(k->shift > 0 && k->shift < 1, ABUT_ERR_INPUT, "-abut_cholesky_shift %g must be in (0, 1)", (double)k->shift);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearSetFromOptions(AbutLinear l)
{
  PetscInt unknowns;

  PetscFunctionBegin;
  PetscCall(AbutLinearChoiceSetFromOptions(&l->choice));
  PetscCall(AbutFactorLagSetFromOptions(&l->lag));
  PetscCall(KrylovSetFromOptions(&l->krylov));
  PetscCall(AbutSolverNamesCheck());
  PetscCall(VecGetSize(l->rest, &unknowns));
  PetscCall(AbutLinearChoiceSetTypes(&l->choice, l->ksp, unknowns));
  PetscCall(KSPSetTolerances(l->ksp, l->krylov.rtol, 0, PETSC_DEFAULT, l->krylov.max_it));
  PetscCall(KSPSetFromOptions(l->ksp));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearView(AbutLinear l, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(AbutLinearChoiceView(&l->choice, viewer));
  PetscCall(AbutFactorLagView(&l->lag, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "-abut_cg_rtol %g\n", (double)l->krylov.rtol));
  PetscCall(PetscViewerASCIIPrintf(viewer, "-abut_cg_max_it %" PetscInt_FMT "\n", l->krylov.max_it));
  PetscCall(PetscViewerASCIIPrintf(viewer, "-abut_cholesky_shift %g\n", (double)l->krylov.shift));
  PetscCall(KSPView(l->ksp, viewer));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearIsOwn(AbutLinear l, PetscBool *own)
{
  PetscFunctionBegin;
  *own = (PetscBool)(!l->choice.ksp_chosen && !l->choice.pc_chosen);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearIsLagged(AbutLinear l, PetscBool *lagged)
{
  PetscFunctionBegin;
  *lagged = l->lagged;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearSetPattern(AbutLinear l, Mat A)
{
  PetscBool changed;

  PetscFunctionBegin;
  if (l->choice.kind == ABUT_LINEAR_MULTIGRID) {
    if (!l->rigid) PetscCall(MatNullSpaceCreateRigidBody(l->rest, &l->rigid));
    PetscCall(MatSetNearNullSpace(A, l->rigid));
  }
  PetscCall(AbutLinearChoiceSetPattern(&l->choice, l->ksp, A, &changed));
  if (changed) PetscCall(AbutLinearForget(l));
  PetscFunctionReturn(0);
}

/*
  Ends a solution with a lagged factor early if its rate of convergence so far would not reduce the residual to rtol within the bound on
  iterations.
*/
static PetscErrorCode TestConvergence(KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason, void *ctx)
{
  AbutLinear  l = (AbutLinear)ctx;
  AbutKrylov *k = &l->krylov;
  PetscInt    max_it;

  PetscFunctionBegin;
  PetscCall(KSPConvergedDefault(ksp, it, norm, reason, k->test));
  if (it == 0) k->start_norm = norm;
  if (*reason || !k->bounded || it < l->lag.min_iterations) PetscFunctionReturn(0);
  PetscCall(KSPGetTolerances(ksp, NULL, NULL, NULL, &max_it));
  if (PetscPowReal(norm / k->start_norm, (PetscReal)max_it / (PetscReal)it) > k->rtol) *reason = KSP_DIVERGED_ITS;
  PetscFunctionReturn(0);
}

/* A lagged factor needs conjugate gradients, a new one may not. The bound on iterations detects a factor that no longer pays. */
static PetscErrorCode SetKrylov(AbutLinear l, PetscBool lag)
{
  AbutKrylov *k = &l->krylov;

  PetscFunctionBegin;
  if (!k->test) {
    PetscCall(KSPConvergedDefaultCreate(&k->test));
    PetscCall(KSPSetConvergenceTest(l->ksp, TestConvergence, l, NULL));
  }
  k->bounded = lag;
  if (l->choice.kind == ABUT_LINEAR_DIRECT) PetscCall(KSPSetType(l->ksp, lag ? KSPCG : KSPPREONLY));
  if (l->choice.kind == ABUT_LINEAR_DIRECT && lag) PetscCall(KSPSetNormType(l->ksp, KSP_NORM_NATURAL));
  PetscCall(KSPSetTolerances(l->ksp, k->rtol, 0, PETSC_DEFAULT, lag ? PetscMax(AbutFactorLagAverage(&l->lag), 1) : k->max_it));
  PetscFunctionReturn(0);
}

/* Factorises. An error on some ranks only (PCTELESCOPE factorises on one) becomes an error on all. */
static PetscErrorCode Factorise(AbutLinear l, PetscBool *definite)
{
  PetscErrorCode local;
  PetscMPIInt    good;
  PC             pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(l->ksp, &pc));
  if (!l->choice.pc_chosen) PetscCall(AbutInnerSetTypes(pc));
  local = AbutInnerSetUp(l->ksp);
  if (local && !AbutIsVerdict(local)) PetscCall(local);
  PetscCall(AbutAgree(PetscObjectComm((PetscObject)l->ksp), local));
  PetscCall(AbutInnerIsDefinite(pc, definite));
  good = *definite;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, PetscObjectComm((PetscObject)l->ksp)));
  *definite = (PetscBool)good;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearSetUp(AbutLinear l, Mat A, PetscBool lag, PetscBool *definite)
{
  PetscBool own;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_LINEAR_SETUP));
  PetscCall(AbutLinearIsOwn(l, &own));
  if (own) PetscCall(SetKrylov(l, lag));
  PetscCall(KSPSetReusePreconditioner(l->ksp, lag));
  PetscCall(KSPSetOperators(l->ksp, A, A));
  PetscCall(KSPSetUp(l->ksp));
  *definite = PETSC_TRUE;
  if (!lag) PetscCall(Factorise(l, definite));
  l->lagged       = lag;
  l->lag.factored = *definite;
  PetscCall(AbutPhaseEnd(ABUT_PHASE_LINEAR_SETUP));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearSetUpShifted(AbutLinear l, Mat A, PetscBool *definite)
{
  Vec diagonal, shifted;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &diagonal, &shifted));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecCopy(diagonal, shifted));
  PetscCall(VecScale(shifted, 1 + l->krylov.shift));
  PetscCall(MatDiagonalSet(A, shifted, INSERT_VALUES));
  PetscCall(AbutLinearSetUp(l, A, PETSC_FALSE, definite));
  PetscCall(MatDiagonalSet(A, diagonal, INSERT_VALUES));
  if (*definite) {
    PetscCall(AbutLinearSetUp(l, A, PETSC_TRUE, definite));
    PetscCall(AbutLinearFinishLagged(l)); /* no better factor would follow */
    l->lagged = PETSC_FALSE;              /* the factor is a new one */
  }
  PetscCall(VecDestroy(&diagonal));
  PetscCall(VecDestroy(&shifted));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearFinishLagged(AbutLinear l)
{
  PetscFunctionBegin;
  if (!l->krylov.bounded) PetscFunctionReturn(0);
  l->krylov.bounded = PETSC_FALSE;
  PetscCall(KSPSetTolerances(l->ksp, l->krylov.rtol, 0, PETSC_DEFAULT, l->krylov.max_it));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearSolve(AbutLinear l, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_LINEAR_SOLVE));
  PetscCall(KSPSolve(l->ksp, b, x));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_LINEAR_SOLVE));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearGetResult(AbutLinear l, AbutLinearResult *result)
{
  PetscBool preonly;
  PetscReal norm;
  Vec       x;

  PetscFunctionBegin;
  PetscCall(KSPGetIterationNumber(l->ksp, &result->iterations));
  PetscCall(KSPGetConvergedReason(l->ksp, &result->reason));
  PetscCall(PetscObjectTypeCompare((PetscObject)l->ksp, KSPPREONLY, &preonly)); /* "converges" with any preconditioner */
  PetscCall(KSPGetSolution(l->ksp, &x));
  PetscCall(VecNorm(x, NORM_INFINITY, &norm));
  if (PetscIsInfOrNanReal(norm) && result->reason > 0) result->reason = KSP_DIVERGED_NANORINF;
  result->solved = (PetscBool)(result->reason > 0 && (l->lag.factored || !preonly));
  PetscFunctionReturn(0);
}
