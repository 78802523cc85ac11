/*
  Newton's direction: projection of the Hessian, its factorisation, and solves until the solution is a direction of descent that round-off
  does not determine.

  Unprojected Hessians converge faster than projected ones where they are definite. "demand" tries the unprojected Hessian, and projects it
  if its Cholesky factorisation fails, conjugate gradients meet negative curvature, or the solution is no direction of descent.
*/
#include "newtonimpl.h"

const char *const AbutStrategies[] = {"clamp", "demand", "adaptive", "AbutStrategy", "ABUT_STRATEGY_", NULL};

static const AbutOption options[] = {{"-abut_projection", ABUT_OPTION_ENUM, offsetof(HessianPolicy, strategy), ABUT_STRATEGY_ADAPTIVE, 0, 0,
                                      "", "Projection of local Hessians, instead of the scene's solver.projection", AbutStrategies},
                                     {"-abut_projection_wait", ABUT_OPTION_INT, offsetof(HessianPolicy, wait_max), 8, 0, 1e6, "",
                                      "Iterations with projected Hessians after one that was indefinite (strategy demand)"}};
const AbutOptionTable   AbutProjectionOptions = {"Projection of Hessians", PETSC_STATIC_ARRAY_LENGTH(options), options};

#define RETIRED_MAX 2     /* a lagged factor, then one in single precision or multigrid with old intervals */
#define SLOW        0.3   /* length of a direction over the one before it above which projection is taken to slow convergence down */
#define NEUTRAL     1e-14 /* energy of a neutral direction over its energy with the diagonal of the Hessian, at most */

/* The projection with which the strategy starts at an iterate; near the solution projection would only slow convergence down. */
static void Choose(HessianPolicy *h)
{
  h->partial    = (PetscBool)((h->strategy == ABUT_STRATEGY_DEMAND || h->near) && h->wait == 0);
  h->projection = h->partial ? ABUT_PSD_NONE : ABUT_PSD_CLAMP;
  h->wait       = PetscMax(h->wait - 1, 0);
}

/*
  Projected Hessians converge linearly where cells are compressed: the last iterations of a twisted mat shorten directions by 0.7 each.
  After whole steps that do so, or after which only the balance of forces is missing, the unprojected Hessian is tried. After steps that
  energy reduced it fails: contacts become active that it does not contain.
*/
void AbutDirectionAdapt(AbutNewton n, const NewtonStep *step, PetscBool unbalanced)
{
  HessianPolicy  *h     = &n->hessian;
  const PetscBool whole = (PetscBool)(step->taken >= 1 && step->bound.limiter == ABUT_LIMIT_NONE && !n->now.predicted && n->now.solved);
  const PetscBool slow  = (PetscBool)(n->now.direction_norm > SLOW * h->norm);

  h->norm = n->now.direction_norm;
  h->near = (PetscBool)(h->strategy == ABUT_STRATEGY_ADAPTIVE && whole && (slow || unbalanced));
  if (h->near && unbalanced) h->wait = 0;
}

/* Replaces the Hessian by its projection, because it is indefinite. */
static PetscErrorCode Project(AbutNewton n, Mat *A)
{
  PetscFunctionBegin;
  n->hessian.projection = ABUT_PSD_CLAMP;
  n->hessian.partial    = PETSC_FALSE;
  n->hessian.wait       = n->hessian.wait_max;
  PetscCall(AbutObjectiveHessian(n->parts.objective, n->hessian.projection, A));
  PetscFunctionReturn(0);
}

/* Sets up a solver whose factorisation exists: of the Hessian, of its projection, or of the shifted projection. */
static PetscErrorCode SetUpDefinite(AbutNewton n, Mat A, PetscBool lag)
{
  PetscBool definite, keep;
  KSP       ksp;

  PetscFunctionBegin;
  PetscCall(AbutLinearSetUp(n->linear, A, lag, &definite));
  if (!definite && n->hessian.partial) {
    PetscCall(Project(n, &A));
    PetscCall(AbutLinearSetUp(n->linear, A, PETSC_FALSE, &definite));
  }
  if (!definite && AbutLinearIsOwn(n->linear)) PetscCall(AbutLinearSetUpShifted(n->linear, A, &definite));
  PetscCall(SNESGetKSP(n->snes, &ksp));
  PetscCall(KSPGetReusePreconditioner(ksp, &keep)); /* SNES resets this flag after its Jacobian callback: it must know of it */
  PetscCall(SNESSetLagPreconditioner(n->snes, keep ? -1 : 1));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionPrepare(AbutNewton n)
{
  Mat A;

  PetscFunctionBegin;
  Choose(&n->hessian);
  AbutLinearSetPositions(n->linear, n->at->x);
  PetscCall(AbutObjectiveHessian(n->parts.objective, n->hessian.projection, &A));
  PetscCall(SetUpDefinite(n, A, AbutLinearMayLag(n->linear)));
  PetscFunctionReturn(0);
}

/* Result and slope of the last solution. Collective. */
static PetscErrorCode GetSolution(AbutNewton n, Vec F, Vec Y, AbutLinearResult *result, PetscReal *slope)
{
  PetscScalar dot;

  PetscFunctionBegin;
  PetscCall(AbutLinearGetResult(n->linear, result));
  n->result.count.linear += result->iterations;
  PetscCall(VecDot(F, Y, &dot));
  *slope = -PetscRealPart(dot);
  PetscFunctionReturn(0);
}

/*
  Whether Y, a solution of A Y = b with b . Y = -slope, has so little energy that round-off determines it: a motion without resistance, such
  as sliding on a plane without friction, along which a pivot that should be 0 came out positive. Collective.
*/
static PetscErrorCode IsNeutral(Mat A, Vec Y, PetscReal slope, PetscBool *neutral)
{
  Vec         diagonal;
  PetscScalar energy;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &diagonal, NULL));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecPointwiseMult(diagonal, diagonal, Y));
  PetscCall(VecDot(diagonal, Y, &energy));
  PetscCall(VecDestroy(&diagonal));
  *neutral = (PetscBool)(-slope < NEUTRAL * PetscRealPart(energy));
  PetscFunctionReturn(0);
}

/*
  After a solution of A Y = b: solves again with a projected Hessian, a new factor or a shifted one until b . Y > 0 and Y is not neutral.
  Collective.
*/
static PetscErrorCode Finish(AbutNewton n, Vec b, Vec Y, AbutLinearResult *result, PetscReal *slope)
{
  PetscBool shifted = PETSC_FALSE, definite;
  PetscInt  retired = 0;
  Mat       A;

  PetscFunctionBegin;
  PetscCall(SNESGetJacobian(n->snes, &A, NULL, NULL, NULL));
  for (;;) {
    PetscBool neutral = PETSC_FALSE, descent, lagged;

    PetscCall(GetSolution(n, b, Y, result, slope));
    lagged  = AbutLinearIsLagged(n->linear);
    descent = (PetscBool)(*slope < 0 && !PetscIsInfOrNanReal(*slope) && result->reason != KSP_DIVERGED_INDEFINITE_MAT);
    if (descent && !shifted && AbutLinearIsOwn(n->linear)) PetscCall(IsNeutral(A, Y, *slope, &neutral));
    if (n->hessian.partial && !descent) {
      PetscCall(Project(n, &A));
      PetscCall(SetUpDefinite(n, A, lagged));
    } else if (retired < RETIRED_MAX && AbutLinearMayImprove(n->linear) && result->reason < 0) {
      retired++;
      PetscCall(AbutLinearRetire(n->linear));
      if (n->hessian.partial) PetscCall(VecSet(Y, 0)); /* from an iterate conjugate gradients may miss negative curvature */
      PetscCall(SetUpDefinite(n, A, PETSC_FALSE));
    } else if (neutral && !shifted) {
      PetscCall(AbutLinearSetUpShifted(n->linear, A, &definite));
      shifted = PETSC_TRUE;
    } else {
      break;
    }
    PetscCall(AbutLinearSolve(n->linear, b, Y));
  }
  AbutLinearCountUse(n->linear, result->iterations);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionFinish(AbutNewton n, Vec F, Vec Y, PetscReal *slope)
{
  AbutLinearResult result;

  PetscFunctionBegin;
  PetscCall(Finish(n, F, Y, &result, slope));
  n->now.solved = result.solved;
  if (!result.solved) {
    n->result.count.linear_failures++;
    PetscCall(AbutLinearDescribeFailure(n->linear, n->result.linear_failure, sizeof(n->result.linear_failure)));
  }
  n->result.count.projected += n->hessian.projection != ABUT_PSD_NONE;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionSolveAgain(AbutNewton n, Vec F, Vec b, Vec Y, PetscReal *slope, PetscBool *descent)
{
  AbutLinearResult result;
  PetscScalar      dot;
  Mat              A;

  PetscFunctionBegin;
  if (n->local.region.active) PetscFunctionReturn(AbutRegionSolve(n, F, b, Y, slope, descent));
  PetscCall(AbutDirectionUpdatePattern(n));
  PetscCall(AbutObjectiveHessian(n->parts.objective, n->hessian.projection, &A));
  PetscCall(SetUpDefinite(n, A, PETSC_FALSE));
  PetscCall(AbutLinearSolve(n->linear, b, Y));
  PetscCall(Finish(n, b, Y, &result, slope));
  AbutLinearDropFactor(n->linear);
  PetscCall(VecDot(F, Y, &dot));
  *slope   = -PetscRealPart(dot);
  *descent = (PetscBool)(result.solved && *slope < 0);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionComplete(AbutNewton n, Vec Y)
{
  AbutBorderPoint point = {.t = n->at->t, .min_gap = n->parts.barrier->min_gap, .dhat = n->parts.dhat, .projection = n->hessian.projection};
  AbutLinearResult   border;
  const PetscScalar *y;
  PetscReal         *p = n->at->p, longest = 0;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(Y, &y));
  for (PetscInt i = 0; i < n->n; i++) p[i] = n->motion->fixed[i] ? 0 : -PetscRealPart(y[i]);
  PetscCall(VecRestoreArrayRead(Y, &y));
  point.contact_c2 = n->contact_c2;
  PetscCall(AbutObjectiveGetWork(n->parts.objective, &point.work));
  PetscCall(AbutConstraintCompleteDirection(n->parts.constraint, &point, n->linear, n->F, p, &longest, &border));
  n->result.count.linear += border.iterations;
  n->result.count.linear_failures += !border.solved;
  for (PetscInt i = 0; i < n->n; i++) longest = PetscMax(longest, PetscAbsReal(p[i]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPIU_REAL, MPIU_MAX, n->comm));
  n->now.direction_norm = longest / n->h;
  if (n->result.first_direction < 0) n->result.first_direction = n->now.direction_norm;
  PetscCall(AbutObjectiveUpdateGhosts(n->parts.objective, p));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionUpdatePattern(AbutNewton n)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(AbutNewtonUpdateMatrix(n, &A));
  if (n->now.new_matrix)
    PetscCall(AbutLinearSetPattern(n->linear, A));
  else
    PetscCall(AbutLinearReconsider(n->linear, A));
  n->now.new_matrix = PETSC_FALSE;
  PetscFunctionReturn(0);
}
