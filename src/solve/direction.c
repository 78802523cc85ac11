/*
  Newton's direction: which Hessian, which factor, and what to do when the solution is of no use.

  Projection. Hessians as they are converge faster than projected ones, where they are definite. "demand" tries them and projects when a
  Cholesky factor does not exist, conjugate gradients meet negative curvature, or the solution is no direction of descent.

  Reuse. From one iteration to the next the Hessian often changes little, and a factor costs as much as a dozen solutions with it. So the
  last one is kept as preconditioner of conjugate gradients until the next use would cost more than the uses so far have on average, the
  factor itself included; pauses after failures double. All decisions go by iteration counts, never by clocks: results stay reproducible.
*/
#include "solveimpl.h"

#define HOLD_MOST      8
#define PAUSE_MOST     16
#define WORN_OUT_AFTER 3     /* iterations */
#define SHIFT          1e-10 /* of the diagonal: well above what round-off takes */
#define REUSE_LEAST    2000  /* unknowns; below, a factor costs little more than its use */

const char *const AbutStrategies[] = {"clamp", "demand", "AbutStrategy", "ABUT_STRATEGY_", NULL};

PetscErrorCode AbutDirectionSetFromOptions(AbutStepper s)
{
  Direction *d = &s->direction;
  PetscBool  ksp_chosen, pc_chosen;

  PetscFunctionBegin;
  d->strategy = s->spec.strategy;
  s->reuse_most =
    8; /* measured: a factorisation takes as long as 14 solutions, and an iteration longer than a solution; 11 loses on compact bodies */
  PetscOptionsBegin(s->comm, NULL, "Newton's direction", "AbutStepper");
  PetscCall(PetscOptionsEnum("-abut_projection", "Projection of local Hessians, instead of the scene's", "AbutStepper", AbutStrategies,
                             (PetscEnum)d->strategy, (PetscEnum *)&d->strategy, NULL));
  PetscCall(PetscOptionsInt("-abut_reuse", "Iterations of conjugate gradients that a factorisation is worth; 0: no factor is kept",
                            "AbutStepper", s->reuse_most, &s->reuse_most, NULL));
  PetscOptionsEnd();
  AbutCheck(s->reuse_most >= 0, ABUT_ERR_INPUT, "-abut_reuse %" PetscInt_FMT ": at least 0 is needed", s->reuse_most);
  PetscCall(PetscOptionsHasName(NULL, NULL, "-ksp_type", &ksp_chosen));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-pc_type", &pc_chosen));
  d->own       = (PetscBool)(!ksp_chosen && !pc_chosen);
  d->may_reuse = (PetscBool)(s->reuse_most > 0 && d->own);
  d->pause     = 1;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionDestroy(AbutStepper s)
{
  PetscFunctionBegin;
  if (s->direction.krylov) PetscCall(KSPConvergedDefaultDestroy(s->direction.krylov));
  PetscFunctionReturn(0);
}

void AbutDirectionForget(AbutStepper s)
{
  s->direction.factored = PETSC_FALSE;
  s->direction.wait     = 0;
  s->direction.pause    = 1;
  s->direction.hold     = 0;
}

void AbutDirectionBegin(AbutStepper s)
{
  s->direction.idle   = 0;
  s->direction.rounds = 0;
  s->direction.left   = 1;
}

/* What a use of the factor has cost so far, the factor included, in Krylov iterations. */
static PetscInt AverageCost(const Direction *d)
{
  return d->spent / PetscMax(d->uses, 1);
}

/*
  Ends a solution with an old factor as soon as its first iterations show that it would cost too much: at the rate so far the residual would not
  get down to cg_rtol within the iterations it may take.
*/
static PetscErrorCode TestWornOut(KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason, void *ctx)
{
  AbutStepper s = (AbutStepper)ctx;
  Direction  *d = &s->direction;
  PetscInt    most;

  PetscFunctionBegin;
  PetscCall(KSPConvergedDefault(ksp, it, norm, reason, d->krylov));
  if (it == 0) d->start_norm = norm;
  if (*reason || !d->reusing || it < WORN_OUT_AFTER) PetscFunctionReturn(0);
  PetscCall(KSPGetTolerances(ksp, NULL, NULL, NULL, &most));
  if (PetscPowReal(norm / d->start_norm, (PetscReal)most / (PetscReal)it) > s->cg_rtol) *reason = KSP_DIVERGED_ITS;
  PetscFunctionReturn(0);
}

/* An old factor needs conjugate gradients, a new one may not; their number is bounded so that a factor worn out is found out early. */
static PetscErrorCode SetKrylov(AbutStepper s, KSP ksp, PetscBool reuse)
{
  const PetscInt most = PetscMax(AverageCost(&s->direction), 1);

  PetscFunctionBegin;
  if (!s->direction.krylov) {
    PetscCall(KSPConvergedDefaultCreate(&s->direction.krylov));
    PetscCall(KSPSetConvergenceTest(ksp, TestWornOut, s, NULL));
  }
  s->direction.reusing = reuse;
  if (s->linear == ABUT_LINEAR_DIRECT) PetscCall(KSPSetType(ksp, reuse ? KSPCG : KSPPREONLY));
  if (s->linear == ABUT_LINEAR_DIRECT && reuse) PetscCall(KSPSetNormType(ksp, KSP_NORM_NATURAL));
  PetscCall(KSPSetTolerances(ksp, s->cg_rtol, 0, PETSC_DEFAULT, reuse ? most : KRYLOV_MOST));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionIterateOn(AbutStepper s)
{
  KSP ksp;

  PetscFunctionBegin;
  if (!s->direction.reusing) PetscFunctionReturn(0);
  s->direction.reusing = PETSC_FALSE;
  PetscCall(SNESGetKSP(s->snes, &ksp));
  PetscCall(KSPSetTolerances(ksp, s->cg_rtol, 0, PETSC_DEFAULT, KRYLOV_MOST));
  PetscFunctionReturn(0);
}

/* PCTELESCOPE leaves the factorisation to its first solution: here, where a failure is still seen in time. */
static PetscErrorCode SetUpInner(KSP ksp)
{
  PetscBool telescope;
  KSP       inner = NULL;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCTELESCOPE, &telescope));
  if (telescope) PetscCall(PCTelescopeGetKSP(pc, &inner));
  if (inner) PetscCall(KSPSetUp(inner)); /* on the ranks that have one */
  PetscFunctionReturn(0);
}

/* The operator changes; its preconditioner only if no old one is reused. *definite: no Cholesky factorisation failed. Collective. */
static PetscErrorCode SetUpSolver(AbutStepper s, PetscBool reuse, PetscBool *definite)
{
  Direction     *d      = &s->direction;
  const PetscInt before = AbutCholeskyFailures();
  PetscMPIInt    failed;
  KSP            ksp;
  Mat            A;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_LINEAR_SETUP));
  PetscCall(SNESGetKSP(s->snes, &ksp));
  PetscCall(AbutAssemblerGetMat(s->assembler, &A));
  if (d->own) PetscCall(SetKrylov(s, ksp, reuse));
  PetscCall(KSPSetReusePreconditioner(ksp, reuse));
  PetscCall(SNESSetLagPreconditioner(s->snes, reuse ? -1 : 1)); /* SNES sets the flag anew when it has got the Jacobian */
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  if (!reuse) PetscCall(SetUpInner(ksp));
  failed = AbutCholeskyFailures() > before;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, s->comm));
  *definite   = (PetscBool)!failed;
  d->reused   = reuse;
  d->factored = (PetscBool)(reuse || !failed);
  PetscCall(AbutPhaseEnd(ABUT_PHASE_LINEAR_SETUP));
  PetscFunctionReturn(0);
}

static PetscBool MayReuse(AbutStepper s)
{
  Direction *d = &s->direction;

  if (!d->may_reuse || !d->factored || s->ml->num_global * s->dim < REUSE_LEAST) return PETSC_FALSE;
  if (d->uses > 1 && d->last > AverageCost(d)) return PETSC_FALSE;
  if (d->wait == 0) return PETSC_TRUE;
  d->wait--;
  return PETSC_FALSE;
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

/*
  Where all is projected that can be, round-off may still keep the factor from existing: of a block that lies on a plane without friction, and
  without inertia, say. That of a matrix with a slightly larger diagonal does exist, and preconditions conjugate gradients on the matrix itself:
  it is they that tell whether there is a solution. Collective.
*/
static PetscErrorCode SetUpShifted(AbutStepper s, PetscBool *definite)
{
  Mat A;
  Vec diagonal, larger;

  PetscFunctionBegin;
  PetscCall(AbutAssemblerGetMat(s->assembler, &A));
  PetscCall(MatCreateVecs(A, &diagonal, &larger));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecCopy(diagonal, larger));
  PetscCall(VecScale(larger, 1 + SHIFT));
  PetscCall(MatDiagonalSet(A, larger, INSERT_VALUES));
  PetscCall(SetUpSolver(s, PETSC_FALSE, definite));
  PetscCall(MatDiagonalSet(A, diagonal, INSERT_VALUES));
  if (*definite) {
    PetscCall(SetUpSolver(s, PETSC_TRUE, definite));
    PetscCall(AbutDirectionIterateOn(s)); /* nothing better would follow */
    s->direction.reused = PETSC_FALSE;    /* it is a new factor */
  }
  PetscCall(VecDestroy(&diagonal));
  PetscCall(VecDestroy(&larger));
  PetscFunctionReturn(0);
}

/* A solver whose factor exists, with more and more parts of the Hessian projected if need be. */
static PetscErrorCode SetUpDefinite(AbutStepper s, PetscBool reuse)
{
  PetscBool definite;

  PetscFunctionBegin;
  PetscCall(SetUpSolver(s, reuse, &definite));
  while (!definite && s->direction.partial) {
    PetscCall(Project(s));
    PetscCall(SetUpSolver(s, PETSC_FALSE, &definite));
  }
  if (!definite && s->direction.own) PetscCall(SetUpShifted(s, &definite));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionPrepare(AbutStepper s)
{
  PetscFunctionBegin;
  Choose(s);
  PetscCall(AbutObjectiveHessian(s, s->direction.projection));
  PetscCall(SetUpDefinite(s, MayReuse(s)));
  PetscFunctionReturn(0);
}

/* A solver without iterations is content with whatever its preconditioner does. */
PetscErrorCode AbutDirectionIsSolved(AbutStepper s, PetscBool *solved)
{
  KSPConvergedReason reason;
  PetscBool          blind;
  KSP                ksp;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(s->snes, &ksp));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &blind));
  *solved = (PetscBool)(reason > 0 && (s->direction.factored || !blind));
  PetscFunctionReturn(0);
}

/* Slope of B along -Y, and what the solver says of Y. Collective. */
static PetscErrorCode Judge(AbutStepper s, Vec F, Vec Y, KSPConvergedReason *reason, PetscReal *slope)
{
  PetscScalar dot;
  PetscInt    iterations;
  KSP         ksp;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(s->snes, &ksp));
  PetscCall(KSPGetConvergedReason(ksp, reason));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  s->report.count.linear += iterations;
  s->direction.last = iterations;
  PetscCall(VecDot(F, Y, &dot));
  *slope = -PetscRealPart(dot);
  PetscFunctionReturn(0);
}

static PetscErrorCode SolveAgain(AbutStepper s, Vec F, Vec Y)
{
  KSP ksp;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_LINEAR_SOLVE));
  PetscCall(SNESGetKSP(s->snes, &ksp));
  PetscCall(KSPSolve(ksp, F, Y));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_LINEAR_SOLVE));
  PetscFunctionReturn(0);
}

/* The old factor is worn out: a new one now, and perhaps for some iterations to come. */
static void WearOut(Direction *d)
{
  d->wait  = d->pause - 1;
  d->pause = PetscMin(2 * d->pause, PAUSE_MOST);
}

PetscErrorCode AbutDirectionFinish(AbutStepper s, Vec F, Vec Y, PetscReal *slope)
{
  Direction         *d = &s->direction;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  for (;;) {
    PetscBool descent;

    PetscCall(Judge(s, F, Y, &reason, slope));
    descent = (PetscBool)(*slope < 0 && !PetscIsInfOrNanReal(*slope) && reason != KSP_DIVERGED_INDEFINITE_MAT);
    if (d->partial && !descent) {
      PetscCall(Project(s));
      PetscCall(SetUpDefinite(s, d->reused));
    } else if (d->reused && reason < 0) {
      WearOut(d);
      PetscCall(SetUpDefinite(s, PETSC_FALSE));
    } else {
      break;
    }
    PetscCall(SolveAgain(s, F, Y));
  }
  if (d->reused) d->pause = 1;
  d->spent = (d->reused ? d->spent : s->reuse_most) + d->last;
  d->uses  = (d->reused ? d->uses : 0) + 1;
  PetscCall(AbutDirectionIsSolved(s, &d->solved));
  s->report.count.linear_failures += !d->solved;
  s->report.count.projected += d->projection != ABUT_PSD_NONE;
  PetscFunctionReturn(0);
}
