/* Configures and runs the KSP of the Newton systems: life cycle, set-up for a matrix, solution, result. */
#include "linearimpl.h"
#include <abut/petsc_versions.h>
#include <string.h>

#define MAX_IT       2000  /* iterations of conjugate gradients in a solution, unless -ksp_max_it is given */
#define LAG_UNKNOWNS 2000  /* smallest matrix whose factor is reused [unknowns] */
#define ROUND_OFF    1e-14 /* of a scalar product, relative */
#define MOST_SINGLE  20    /* iterations with a factor in single precision above which one in double precision is cheaper */

/*
  The shift is well above round-off and too small to increase the number of iterations. A reduction of the residual of more than 0.1 would
  make directions too short, so that Newton's method stops early: with 0.9 an elastic energy was 65 % too large. With multigrid 0.03 and 0.1
  instead of 0.01 take 0.97 and 0.99 of the time of twelve scenes (jobs/policies.py), with 1.01 and 1.11 times the Newton iterations.
*/
#define SHIFT \
  1e-10 /* relative shift of the diagonal where round-off makes the factorisation of a projected matrix fail, or determines its solution */

static const AbutOption options[] = {
  {"-abut_cg_rtol", ABUT_OPTION_REAL, offsetof(AbutKrylov, rtol), 1e-3, 1e-15, 0.1, "",
   "Reduction of the residual at which conjugate gradients with a factor stop"},
  {"-abut_forcing", ABUT_OPTION_REAL, offsetof(AbutKrylov, forcing), 1e-2, 1e-15, 0.1, "",
   "Reduction of the residual and of the error in the energy norm at which conjugate gradients with multigrid stop"}};
const AbutOptionTable AbutKrylovOptions = {"Linear solver", PETSC_STATIC_ARRAY_LENGTH(options), options};

PetscErrorCode AbutLinearCreate(KSP ksp, PetscInt dim, PetscInt num_owned, const PetscReal rest[], AbutLinear *linear)
{
  AbutLinear l;

  PetscFunctionBegin;
  PetscCheck(dim == 2 || dim == 3, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE,
             "Block size %" PetscInt_FMT " must be 2 or 3", dim);
  PetscCall(AbutPrecondRegister());
  PetscCall(PetscNew(&l));
  PetscCall(PetscObjectReference((PetscObject)ksp));
  l->ksp = ksp;
  AbutOptionTableSetDefaults(&AbutLinearChoiceOptions, &l->choice);
  AbutOptionTableSetDefaults(&AbutFactorLagOptions, &l->lag);
  AbutOptionTableSetDefaults(&AbutPrecisionOptions, &l->precision);
  l->krylov.max_it = MAX_IT;
  l->lag.least     = LAG_UNKNOWNS;
  AbutOptionTableSetDefaults(&AbutKrylovOptions, &l->krylov);
  PetscCall(VecCreateMPIWithArray(PetscObjectComm((PetscObject)ksp), dim, num_owned * dim, PETSC_DETERMINE, rest, &l->rest));
  PetscCall(VecGetSize(l->rest, &l->unknowns));
  *linear = l;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearDestroy(AbutLinear *linear)
{
  AbutLinear l = *linear;

  PetscFunctionBegin;
  if (!l) PetscFunctionReturn(0);
  if (l->krylov.test) PetscCall(KSPSetConvergenceTest(l->ksp, KSPConvergedSkip, NULL, NULL)); /* the convergence test refers to l */
  if (l->krylov.test) PetscCall(AbutKSPConvergedDefaultDestroy(l->krylov.test));
  if (l->file[0]) PetscCall(KSPSetPreSolve(l->ksp, NULL, NULL));
  PetscCall(KSPDestroy(&l->ksp));
  PetscCall(VecDestroy(&l->rest));
  PetscCall(PetscFree(*linear));
  PetscFunctionReturn(0);
}

void AbutLinearSetPositions(AbutLinear l, const PetscReal positions[])
{
  l->positions = positions;
}

static PetscErrorCode WriteSystem(KSP ksp, Vec b, Vec x, void *ctx)
{
  AbutLinear l = (AbutLinear)ctx;
  Mat        A;

  PetscFunctionBegin;
  (void)x;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(AbutSystemWrite(l->file, A, b, l->rest, l->positions));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetWriter(AbutLinear l)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)l->ksp);

  PetscFunctionBegin;
  PetscOptionsBegin(comm, NULL, "Linear systems", NULL);
  PetscCall(PetscOptionsString("-abut_linear_write", "File that receives each linear system before its solution; the last one remains",
                               NULL, l->file, l->file, sizeof(l->file), NULL));
  PetscOptionsEnd();
  if (l->file[0]) PetscCall(KSPSetPreSolve(l->ksp, WriteSystem, l));
  PetscFunctionReturn(0);
}

/* KSPSetFromOptions() skips both options for KSPPREONLY, but conjugate gradients with a lagged factor need them. */
static PetscErrorCode SetKrylovFromOptions(AbutLinear l)
{
  AbutKrylov *k = &l->krylov;
  PetscReal   rtol;
  PetscBool   set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-ksp_max_it", &k->max_it, NULL));
  AbutCheck(k->max_it > 0, ABUT_ERR_INPUT, "-ksp_max_it %" PetscInt_FMT ": must be at least 1", k->max_it);
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-ksp_rtol", &rtol, &set));
  if (!set) PetscFunctionReturn(0);
  AbutCheck(rtol >= 0 && rtol < 1, ABUT_ERR_INPUT, "-ksp_rtol %g: the valid range is [0, 1)", (double)rtol);
  k->rtol = k->forcing = rtol;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearSetFromOptions(AbutLinear l)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)l->ksp);

  PetscFunctionBegin;
  PetscCall(AbutOptionTableSetFromOptions(comm, &AbutLinearChoiceOptions, &l->choice));
  PetscCall(AbutOptionTableSetFromOptions(comm, &AbutFactorLagOptions, &l->lag));
  PetscCall(AbutOptionTableSetFromOptions(comm, &AbutPrecisionOptions, &l->precision));
  PetscCall(AbutOptionTableSetFromOptions(comm, &AbutKrylovOptions, &l->krylov));
  PetscCall(SetWriter(l));
  AbutFactorLagForget(&l->lag);
  AbutPrecisionForget(&l->precision);
  PetscCall(AbutSolverNamesCheck(comm));
  PetscCall(AbutLinearChoiceSetTypes(&l->choice, l->ksp));
  PetscCall(SetKrylovFromOptions(l));
  PetscCall(KSPSetTolerances(l->ksp, l->krylov.rtol, 0, PETSC_DEFAULT, l->krylov.max_it));
  PetscCall(KSPSetFromOptions(l->ksp));
  if (AbutLinearGetMultigrid(l)) AbutMultigridSetSizes(AbutLinearGetMultigrid(l), l->choice.aggregate, l->choice.coarse);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearView(AbutLinear l, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(AbutOptionTableView(&AbutLinearChoiceOptions, &l->choice, viewer));
  PetscCall(AbutLinearChoiceView(&l->choice, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  -abut_linear_write %s\n", l->file[0] ? l->file : "none"));
  PetscCall(AbutOptionTableView(&AbutFactorLagOptions, &l->lag, viewer));
  PetscCall(AbutOptionTableView(&AbutPrecisionOptions, &l->precision, viewer));
  PetscCall(AbutOptionTableView(&AbutKrylovOptions, &l->krylov, viewer));
  PetscCall(KSPView(l->ksp, viewer));
  PetscFunctionReturn(0);
}

PetscBool AbutLinearIsLagged(AbutLinear l)
{
  return l->lagged;
}

/* Whether the next factorisation is expected to be in single precision. */
static PetscBool ExpectsSingle(AbutLinear l)
{
  return (PetscBool)(AbutLinearIsOwn(l) && AbutPrecisionExpect(&l->precision, l->unknowns));
}

PetscErrorCode AbutLinearSetPattern(AbutLinear l, Mat A)
{
  PetscBool changed;

  PetscFunctionBegin;
  PetscCall(AbutLinearChoiceSetPattern(&l->choice, l->ksp, A, ExpectsSingle(l), &changed));
  if (changed) AbutFactorLagForget(&l->lag);
  PetscFunctionReturn(0);
}

/* Reduction of the residual at which abut's conjugate gradients stop. */
static PetscReal Tolerance(AbutLinear l)
{
  return l->choice.kind == ABUT_LINEAR_DIRECT ? l->krylov.rtol : l->krylov.forcing;
}

/*
  Whether a solution with a lagged set-up should be given up: at its rate of convergence so far it would exceed the average of the uses of
  this set-up. A new factor of a direct solver pays even if few iterations are left, because its solution is nearly exact, which saves
  Newton iterations. With multigrid the iterations that are left must also cost more than a new set-up.
*/
static PetscBool IsTooSlow(AbutLinear l, PetscInt it, PetscReal norm)
{
  const PetscReal setup_cost = l->choice.kind == ABUT_LINEAR_DIRECT ? 0 : (PetscReal)l->lag.cost;
  PetscReal       needed;

  if (it < LAG_ITERATIONS) return PETSC_FALSE;
  if (norm >= l->krylov.start_norm) return PETSC_TRUE;
  needed = (PetscReal)it * PetscLogReal(Tolerance(l)) / PetscLogReal(norm / l->krylov.start_norm);
  return (PetscBool)(needed > (PetscReal)AbutFactorLagAverage(&l->lag) && needed - (PetscReal)it > setup_cost);
}

/*
  Whether conjugate gradients that began at 0 have reduced the error in the energy norm to k->forcing: in the last iteration the quadratic
  model x . A x / 2 - b . x fell by at most forcing^2 of its decrease so far, b . x / 2 [Hestenes, Stiefel 1952, Methods of Conjugate
  Gradients for Solving Linear Systems, Theorem 6:1]. The residual alone is mostly forces of stiff contacts: soft motions were missing where
  it was small, and Newton's method took up to 1.4 times as many iterations; with sqrt(r . B r), r: residual, B: multigrid, up to 1.6 times.
  Collective.
*/
static PetscErrorCode HasModelConverged(KSP ksp, PetscInt it, AbutKrylov *k, PetscBool *converged)
{
  const PetscReal share  = PetscMax(PetscSqr(k->forcing), ROUND_OFF);
  const PetscReal before = it == 0 ? 0 : k->work;
  PetscScalar     work   = 0;
  Vec             b, x;

  PetscFunctionBegin;
  PetscCall(KSPGetRhs(ksp, &b));
  PetscCall(KSPGetSolution(ksp, &x));
  if (it > 0) PetscCall(VecDot(b, x, &work));
  k->work    = PetscRealPart(work);
  *converged = (PetscBool)(k->work - before <= share * k->work);
  PetscFunctionReturn(0);
}

/* Convergence test of the KSP. */
static PetscErrorCode TestConvergence(KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason, void *ctx)
{
  AbutLinear  l         = (AbutLinear)ctx;
  AbutKrylov *k         = &l->krylov;
  PetscBool   converged = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(KSPConvergedDefault(ksp, it, norm, reason, k->test));
  if (it == 0) k->start_norm = norm;
  if (l->choice.kind == ABUT_LINEAR_MULTIGRID && !k->resume) PetscCall(HasModelConverged(ksp, it, k, &converged));
  if (*reason == KSP_CONVERGED_RTOL && !converged) *reason = KSP_CONVERGED_ITERATING;
  if (!*reason && k->bounded && IsTooSlow(l, it, norm)) *reason = KSP_DIVERGED_ITS;
  PetscFunctionReturn(0);
}

/*
  Bound on the iterations of a solution, after which a better factor follows. Lagged factor: the average of its uses. Factor in single
  precision: the cost of one in double precision. Multigrid with a lagged set-up: none, IsTooSlow() decides.
*/
static PetscInt MostIterations(AbutLinear l, PetscBool lag, PetscBool single)
{
  PetscInt most = l->krylov.max_it;

  if (l->choice.kind != ABUT_LINEAR_DIRECT) return most;
  if (lag) most = PetscMin(most, PetscMax(AbutFactorLagAverage(&l->lag), 1));
  if (single) most = PetscMin(most, MOST_SINGLE);
  return most;
}

/*
  Sets the Krylov method: conjugate gradients with a lagged factor or one in single precision, otherwise the chosen one. Bounds the
  iterations if `lag`.
*/
static PetscErrorCode SetKrylov(AbutLinear l, PetscBool lag, PetscBool single)
{
  AbutKrylov     *k       = &l->krylov;
  const PetscBool iterate = (PetscBool)(lag || single);

  PetscFunctionBegin;
  if (!k->test) {
    PetscCall(KSPConvergedDefaultCreate(&k->test));
    PetscCall(KSPSetConvergenceTest(l->ksp, TestConvergence, l, NULL));
  }
  k->bounded = lag;
  if (l->choice.kind == ABUT_LINEAR_DIRECT) PetscCall(KSPSetType(l->ksp, iterate ? KSPCG : KSPPREONLY));
  if (l->choice.kind == ABUT_LINEAR_DIRECT && iterate) PetscCall(KSPSetNormType(l->ksp, KSP_NORM_NATURAL));
  PetscCall(KSPSetTolerances(l->ksp, Tolerance(l), 0, PETSC_DEFAULT, MostIterations(l, lag, single)));
  PetscFunctionReturn(0);
}

/* Gives multigrid the rigid-body modes of the current positions: rotations of the rest shape are no near-null space of a rotated body. */
static PetscErrorCode SetRigidModes(AbutLinear l, Mat A)
{
  MatNullSpace rigid;
  Vec          at;
  PetscInt     n, bs;

  PetscFunctionBegin;
  if (!AbutLinearGetMultigrid(l)) PetscFunctionReturn(0);
  PetscCall(VecGetLocalSize(l->rest, &n));
  PetscCall(VecGetBlockSize(l->rest, &bs));
  if (l->positions)
    PetscCall(VecCreateMPIWithArray(PetscObjectComm((PetscObject)A), bs, n, PETSC_DETERMINE, l->positions, &at));
  else
    PetscCall(PetscObjectReference((PetscObject)(at = l->rest)));
  PetscCall(MatNullSpaceCreateRigidBody(at, &rigid));
  PetscCall(MatSetNearNullSpace(A, rigid));
  PetscCall(MatNullSpaceDestroy(&rigid));
  PetscCall(VecDestroy(&at));
  PetscFunctionReturn(0);
}

/* Whether the next factorisation is in single precision; tells the PC. Collective. */
static PetscErrorCode ChoosePrecision(AbutLinear l, Mat A, PetscBool *single)
{
  const PetscBool before = l->precision.single;
  PC              pc;

  PetscFunctionBegin;
  *single = PETSC_FALSE;
  if (!AbutLinearIsOwn(l) || l->choice.kind == ABUT_LINEAR_MULTIGRID) PetscFunctionReturn(0);
  *single = AbutPrecisionChoose(&l->precision, l->unknowns);
  PetscCall(KSPGetPC(l->ksp, &pc));
  AbutFactorSetSingle(pc, *single);
  if (before != *single) { /* increases the state of A: PETSc keeps the factor of a matrix that did not change */
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode Factorise(AbutLinear l, PetscBool single)
{
  PetscBool definite;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(KSPSetUp(l->ksp));
  PetscCall(KSPGetPC(l->ksp, &pc));
  l->precision.in_use = (PetscBool)(single && AbutFactorIsSingle(pc));
  PetscCall(AbutFactorIsDefinite(pc, &definite)); /* that a matrix is indefinite says nothing about the precision */
  if (single && !l->precision.in_use && definite) AbutPrecisionPause(&l->precision, LAG_PAUSE);
  PetscCall(KSPSetUpOnBlocks(l->ksp));
  PetscFunctionReturn(0);
}

/* Reduces the outcome of a factorisation over ranks: `definite` on all ranks; an error code of one rank is returned on all. */
static PetscErrorCode Agree(AbutLinear l, PetscErrorCode local, PetscBool *definite)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)l->ksp);
  PetscMPIInt    good;
  PC             pc;

  PetscFunctionBegin;
  if (local && !AbutIsVerdict(local)) PetscCall(local);
  PetscCall(AbutAgree(comm, local));
  PetscCall(KSPGetPC(l->ksp, &pc));
  PetscCall(AbutFactorIsDefinite(pc, definite));
  good = *definite;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm));
  *definite = (PetscBool)good;
  PetscFunctionReturn(0);
}

/* Parts of a set-up. ALL: computes everything; LAGGED: only the finest level of multigrid; NOTHING: keeps all factors. */
typedef enum { ALL, LAGGED, NOTHING } SetUpKind;

static PetscErrorCode SetUp(AbutLinear l, Mat A, SetUpKind kind, PetscBool *definite)
{
  const PetscBool lag       = (PetscBool)(kind != ALL);
  const PC        multigrid = AbutLinearGetMultigrid(l);
  PetscBool       single    = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_LINEAR_SETUP));
  if (!lag) PetscCall(ChoosePrecision(l, A, &single));
  if (AbutLinearIsOwn(l)) PetscCall(SetKrylov(l, lag, single));
  PetscCall(KSPSetReusePreconditioner(l->ksp, lag));
  PetscCall(KSPSetOperators(l->ksp, A, A));
  if (!lag) PetscCall(SetRigidModes(l, A));
  *definite = PETSC_TRUE;
  if (lag)
    PetscCall(KSPSetUp(l->ksp));
  else
    PetscCall(Agree(l, Factorise(l, single), definite));
  if (kind == LAGGED && multigrid) PetscCall(Agree(l, AbutMultigridRenewFinest(multigrid), definite));
  if (!*definite) l->krylov.resume = PETSC_FALSE, l->krylov.given_up = 0; /* another matrix follows */
  if (!*definite && !lag) PetscCall(AbutLinearForgetIndefinite(l));
  l->lagged       = lag;
  l->lag.factored = *definite;
  PetscCall(AbutPhaseEnd(ABUT_PHASE_LINEAR_SETUP));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearSetUp(AbutLinear l, Mat A, PetscBool lag, PetscBool *definite)
{
  PetscFunctionBegin;
  if (AbutLinearChoiceHasFailed(&l->choice)) PetscCall(AbutLinearSetPattern(l, A));
  PetscCall(SetUp(l, A, lag ? LAGGED : ALL, definite));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearSetUpShifted(AbutLinear l, Mat A, PetscBool *definite)
{
  Vec diagonal, shifted;

  PetscFunctionBegin;
  AbutPrecisionPause(&l->precision, LAG_PAUSE); /* round-off made the factorisation fail */
  PetscCall(MatCreateVecs(A, &diagonal, &shifted));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecCopy(diagonal, shifted));
  PetscCall(VecScale(shifted, 1 + SHIFT));
  PetscCall(MatDiagonalSet(A, shifted, INSERT_VALUES));
  PetscCall(SetUp(l, A, ALL, definite));
  PetscCall(MatDiagonalSet(A, diagonal, INSERT_VALUES));
  if (*definite) {
    PetscCall(SetUp(l, A, NOTHING, definite));     /* keeps the factors of the shifted matrix */
    PetscCall(AbutLinearFinishLagged(l));          /* no bound on iterations, because there is no better factor for this matrix */
    l->lagged = l->precision.in_use = PETSC_FALSE; /* the factor belongs to this matrix */
  }
  PetscCall(VecDestroy(&diagonal));
  PetscCall(VecDestroy(&shifted));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearFinishLagged(AbutLinear l)
{
  PetscFunctionBegin;
  if (!AbutLinearIsOwn(l)) PetscFunctionReturn(0);
  l->krylov.bounded = PETSC_FALSE;
  PetscCall(KSPSetTolerances(l->ksp, Tolerance(l), 0, PETSC_DEFAULT, l->krylov.max_it));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearSolve(AbutLinear l, Vec b, Vec x)
{
  const PetscBool resume = l->krylov.resume;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_LINEAR_SOLVE));
  if (resume) PetscCall(KSPSetInitialGuessNonzero(l->ksp, PETSC_TRUE));
  PetscCall(KSPSolve(l->ksp, b, x));
  if (resume) PetscCall(KSPSetInitialGuessNonzero(l->ksp, PETSC_FALSE));
  l->krylov.resume = PETSC_FALSE;
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
  PetscCall(PetscObjectTypeCompare((PetscObject)l->ksp, KSPPREONLY, &preonly)); /* KSPPREONLY reports convergence with any preconditioner */
  PetscCall(KSPGetSolution(l->ksp, &x));
  PetscCall(VecNorm(x, NORM_INFINITY, &norm));
  if (PetscIsInfOrNanReal(norm) && result->reason > 0) result->reason = KSP_DIVERGED_NANORINF;
  result->solved = (PetscBool)(result->reason > 0 && (l->lag.factored || !preonly));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearDescribeFailure(AbutLinear l, char text[], size_t size)
{
  AbutLinearResult result;
  PCFailedReason   failed;
  KSPType          ksp_type;
  const char      *pc_name;
  PC               pc;

  PetscFunctionBegin;
  text[0] = '\0';
  PetscCall(AbutLinearGetResult(l, &result));
  if (result.solved) PetscFunctionReturn(0);
  PetscCall(KSPGetType(l->ksp, &ksp_type));
  PetscCall(KSPGetPC(l->ksp, &pc));
  pc_name = AbutPrecondName(pc);
  PetscCall(PCGetFailedReason(pc, &failed));
  if (result.reason > 0)
    PetscCall(
      PetscSNPrintf(text, size, "the preconditioner %s has no Cholesky factor of the matrix, which is not positive definite", pc_name));
  else
    PetscCall(PetscSNPrintf(text, size, "%s with preconditioner %s stopped after %" PetscInt_FMT " iterations: %s%s%s", ksp_type, pc_name,
                            result.iterations, KSPConvergedReasons[result.reason], failed ? ", " : "",
                            failed ? PCFailedReasons[failed] : ""));
  PetscFunctionReturn(0);
}
