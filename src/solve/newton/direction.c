/*
  Newton's direction: projects the Hessian, factorises it, and solves until the solution is a direction of descent and not an effect of
  round-off.

  Unprojected Hessians converge faster than projected ones where they are definite. The strategy "demand" tries the unprojected Hessian,
  and projects it if its Cholesky factorisation fails, if conjugate gradients meet negative curvature, or if the solution is no direction
  of descent.
*/
#include "newtonimpl.h"

const char *const AbutStrategies[] = {"clamp", "demand", "adaptive", "AbutStrategy", "ABUT_STRATEGY_", NULL};

#define RETIRED_MAX 2 /* solvers that are given up at most: a lagged factor, then one in single precision or multigrid with old intervals */
#define SLOW        0.3   /* ratio of the lengths of two directions in a row above which convergence counts as slow */
#define WAIT        8     /* Hessians that are projected after an unprojected one was indefinite */
#define CREEP       0.9   /* the same ratio above which Newton's method creeps along a saddle (0.8, 0.97: more iterations) */
#define STRETCH     16    /* longest direction over Newton's direction (1024: the same iterations) */
#define NEUTRAL     1e-14 /* energy of a neutral direction over its energy with the diagonal of the Hessian, at most */

/* Chooses whether the next Hessian starts unprojected, because near the solution projection would only slow convergence down. */
static void Choose(HessianPolicy *h)
{
  h->partial    = (PetscBool)((h->strategy == ABUT_STRATEGY_DEMAND || h->near) && h->wait == 0);
  h->projection = h->partial ? ABUT_PSD_NONE : ABUT_PSD_CLAMP;
  h->wait       = PetscMax(h->wait - 1, 0);
}

/*
  Tries the unprojected Hessian where projection slows convergence. Projected Hessians converge linearly where cells are compressed: in
  the last iterations of a twisted mat each direction is 0.7 times as long as the one before. So the next Hessian is unprojected after a
  whole step that converges so slowly, or after which only the balance of forces is missing. After a step that the energy reduced it would
  fail, because contacts become active that it does not contain.

  A mat that buckles (tests/app/test_twist.py) misses the balance by up to 96 % without these rules, and by 35 % with the second rule
  alone.

  Where a body buckles the Hessian is indefinite, and its projection is far too stiff along the direction that leaves the saddle:
  directions of that mat grow by 2 % an iteration, and the step ended with an imbalance of 0.95. So directions that creep in this way are
  doubled from iteration to iteration, as long as whole steps lower the energy and forces are not balanced. (With balanced forces too, a
  weight that could slide on a table without friction was pushed off.) Ten scenes: 0.94 of the iterations; twisted rods of Table 1 of the
  paper, h = 0.025 s: 541 + 413 instead of 718 + 861.
*/
void AbutDirectionAdapt(HessianPolicy *h, const Iteration *now, const NewtonStep *step, PetscBool open, PetscBool missed)
{
  const PetscBool whole = (PetscBool)(step->taken >= 1 && step->bound.limiter == ABUT_LIMIT_NONE && !now->predicted && now->solved);
  const PetscReal norm  = now->direction_norm / h->stretch;
  const PetscBool slow  = (PetscBool)(norm > SLOW * h->norm);

  h->stretch = missed && whole && h->wait > 0 && norm > CREEP * h->norm ? PetscMin(2 * h->stretch, STRETCH) : 1;
  h->norm    = norm;
  h->near    = (PetscBool)(h->strategy == ABUT_STRATEGY_ADAPTIVE && whole && (slow || open));
  if (h->near && open) h->wait = 0;
}

/* Assembles the projected Hessian in place of an indefinite one. */
static PetscErrorCode Project(Direction *d, Mat *A)
{
  PetscFunctionBegin;
  d->hessian.projection = ABUT_PSD_CLAMP;
  d->hessian.partial    = PETSC_FALSE;
  d->hessian.wait       = WAIT;
  PetscCall(AbutObjectiveHessian(d->problem->parts.objective, d->hessian.projection, A));
  PetscFunctionReturn(0);
}

/* Sets up a solver whose factorisation exists: of the Hessian, else of its projection, else of the projection with a shift. */
static PetscErrorCode SetUpDefinite(Direction *d, Mat A, PetscBool lag)
{
  PetscBool definite, keep;
  KSP       ksp;

  PetscFunctionBegin;
  PetscCall(AbutLinearSetUp(d->linear, A, lag, &definite));
  if (!definite && d->hessian.partial) {
    PetscCall(Project(d, &A));
    PetscCall(AbutLinearSetUp(d->linear, A, PETSC_FALSE, &definite));
  }
  if (!definite && AbutLinearIsOwn(d->linear)) PetscCall(AbutLinearSetUpShifted(d->linear, A, &definite));
  PetscCall(SNESGetKSP(d->snes, &ksp));
  PetscCall(KSPGetReusePreconditioner(ksp, &keep)); /* SNES resets this flag after its Jacobian callback: it must know of it */
  PetscCall(SNESSetLagPreconditioner(d->snes, keep ? -1 : 1));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionPrepare(Direction *d)
{
  Mat A;

  PetscFunctionBegin;
  Choose(&d->hessian);
  AbutLinearSetPositions(d->linear, d->problem->at->x);
  PetscCall(AbutObjectiveHessian(d->problem->parts.objective, d->hessian.projection, &A));
  PetscCall(SetUpDefinite(d, A, AbutLinearMayLag(d->linear)));
  PetscFunctionReturn(0);
}

/* Gets the result of the last solution and the slope -F . Y. Collective. */
static PetscErrorCode GetSolution(Direction *d, Vec F, Vec Y, AbutLinearResult *result, PetscReal *slope)
{
  PetscScalar dot;

  PetscFunctionBegin;
  PetscCall(AbutLinearGetResult(d->linear, result));
  d->result->count.linear += result->iterations;
  PetscCall(VecDot(F, Y, &dot));
  *slope = -PetscRealPart(dot);
  PetscFunctionReturn(0);
}

/*
  Whether Y, a solution of A Y = b with b . Y = -slope, has so little energy that only round-off determines it. Such a Y is a motion
  without resistance, as sliding on a plane without friction, for which a pivot that should be 0 came out positive. Collective.
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

/* Solves A Y = b again with a projected Hessian, a new factor or a shifted one until b . Y > 0 and Y is not neutral. Collective. */
static PetscErrorCode Finish(Direction *d, Vec b, Vec Y, AbutLinearResult *result, PetscReal *slope)
{
  PetscBool shifted = PETSC_FALSE, definite;
  PetscInt  retired = 0;
  Mat       A;

  PetscFunctionBegin;
  PetscCall(SNESGetJacobian(d->snes, &A, NULL, NULL, NULL));
  for (;;) {
    PetscBool neutral = PETSC_FALSE, descent, lagged;

    PetscCall(GetSolution(d, b, Y, result, slope));
    lagged  = AbutLinearIsLagged(d->linear);
    descent = (PetscBool)(*slope < 0 && !PetscIsInfOrNanReal(*slope) && result->reason != KSP_DIVERGED_INDEFINITE_MAT);
    if (descent && !shifted && AbutLinearIsOwn(d->linear)) PetscCall(IsNeutral(A, Y, *slope, &neutral));
    if (d->hessian.partial && !descent) {
      PetscCall(Project(d, &A));
      PetscCall(SetUpDefinite(d, A, lagged));
    } else if (retired < RETIRED_MAX && AbutLinearMayImprove(d->linear) && result->reason < 0) {
      retired++;
      PetscCall(AbutLinearRetire(d->linear));
      if (d->hessian.partial) PetscCall(VecSet(Y, 0)); /* started from an iterate, conjugate gradients may miss negative curvature */
      PetscCall(SetUpDefinite(d, A, PETSC_FALSE));
    } else if (neutral && !shifted) {
      PetscCall(AbutLinearSetUpShifted(d->linear, A, &definite));
      shifted = PETSC_TRUE;
    } else {
      break;
    }
    PetscCall(AbutLinearSolve(d->linear, b, Y));
  }
  AbutLinearCountUse(d->linear, result->iterations);
  PetscFunctionReturn(0);
}

/*
  Sherman-Morrison-Woodbury: makes Y, the solution with the assembled matrix A, that with A plus the dense parts c z z^T of gases, one after
  the other. solution[k]: z_k solved with A and the parts before it. ctx: the Direction. *corrected: there is a gas. Collective.
*/
static PetscErrorCode AddGases(void *ctx, Vec Y, PetscBool *corrected)
{
  Direction          *d         = (Direction *)ctx;
  const AbutPressures pressures = d->problem->parts.pressure ? d->problem->parts.pressure->pressures : NULL;
  const PetscInt      num       = AbutPressuresNumGases(pressures);
  AbutLinearResult    result;
  Vec                *column, *solution;
  PetscReal          *factor;

  PetscFunctionBegin;
  *corrected = (PetscBool)(num > 0);
  if (!num) PetscFunctionReturn(0);
  PetscCall(VecDuplicateVecs(Y, num, &column));
  PetscCall(VecDuplicateVecs(Y, num, &solution));
  PetscCall(PetscMalloc1(num, &factor));
  PetscCall(AbutLinearFinishLagged(d->linear));
  for (PetscInt k = 0; k < num; k++) {
    PetscScalar *z, product, before;

    PetscCall(VecGetArrayWrite(column[k], &z));
    PetscCall(AbutPressuresGetColumn(pressures, k, d->problem->motion->fixed, &factor[k], z));
    PetscCall(VecRestoreArrayWrite(column[k], &z));
    PetscCall(VecZeroEntries(solution[k]));
    PetscCall(AbutLinearSolve(d->linear, column[k], solution[k]));
    PetscCall(AbutLinearGetResult(d->linear, &result));
    d->result->count.linear += result.iterations;
    for (PetscInt j = 0; j < k; j++) {
      PetscCall(VecDot(column[j], solution[k], &before));
      PetscCall(VecAXPY(solution[k], -factor[j] * before, solution[j]));
    }
    PetscCall(VecDot(column[k], solution[k], &product));
    factor[k] *= d->problem->parts.pressure->factor;
    factor[k] = result.solved && PetscRealPart(product) > 0 ? factor[k] / (1 + factor[k] * PetscRealPart(product)) : 0;
    PetscCall(VecDot(column[k], Y, &before));
    PetscCall(VecAXPY(Y, -factor[k] * before, solution[k]));
  }
  PetscCall(PetscFree(factor));
  PetscCall(VecDestroyVecs(num, &column));
  PetscCall(VecDestroyVecs(num, &solution));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionFinish(Direction *d, Vec F, Vec Y, PetscReal *slope, PetscBool *solved)
{
  AbutLinearResult result;
  PetscScalar      dot;
  PetscBool        corrected;

  PetscFunctionBegin;
  PetscCall(Finish(d, F, Y, &result, slope));
  *solved = result.solved;
  PetscCall(AddGases(d, Y, &corrected));
  if (corrected) {
    PetscCall(VecDot(F, Y, &dot));
    *slope = -PetscRealPart(dot);
  }
  PetscCall(VecScale(Y, d->hessian.stretch));
  *slope *= d->hessian.stretch;
  if (!result.solved) {
    d->result->count.linear_failures++;
    PetscCall(AbutLinearDescribeFailure(d->linear, d->result->linear_failure, sizeof(d->result->linear_failure)));
  }
  d->result->count.projected += d->hessian.projection != ABUT_PSD_NONE;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionSolveAgain(Direction *d, Vec F, Vec b, Vec Y, PetscReal *slope, PetscBool *descent)
{
  AbutLinearResult result;
  PetscScalar      dot;
  PetscBool        corrected;
  Mat              A;

  PetscFunctionBegin;
  PetscCall(AbutDirectionUpdatePattern(d));
  PetscCall(AbutObjectiveHessian(d->problem->parts.objective, d->hessian.projection, &A));
  PetscCall(SetUpDefinite(d, A, PETSC_FALSE));
  PetscCall(AbutLinearSolve(d->linear, b, Y));
  PetscCall(Finish(d, b, Y, &result, slope));
  PetscCall(AddGases(d, Y, &corrected));
  AbutLinearDropFactor(d->linear);
  PetscCall(VecDot(F, Y, &dot));
  *slope   = -PetscRealPart(dot);
  *descent = (PetscBool)(result.solved && *slope < 0);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionComplete(Direction *d, Vec Y, PetscReal *norm)
{
  const Problem     *p     = d->problem;
  AbutBorderPoint    point = {.t          = p->at->t,
                              .contact_c2 = p->contact_c2,
                              .min_gap    = p->parts.barrier->min_gap,
                              .dhat       = p->parts.dhat,
                              .projection = d->hessian.projection,
                              .correct    = AddGases,
                              .ctx        = d};
  AbutLinearResult   border;
  const PetscScalar *y;
  PetscReal          longest = 0;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(Y, &y));
  for (PetscInt i = 0; i < p->n; i++) p->at->p[i] = p->motion->fixed[i] ? 0 : -PetscRealPart(y[i]);
  PetscCall(VecRestoreArrayRead(Y, &y));
  PetscCall(AbutObjectiveGetWork(p->parts.objective, &point.work));
  PetscCall(AbutConstraintCompleteDirection(p->parts.constraint, &point, d->linear, d->layout, p->at->p, &longest, &border));
  d->result->count.linear += border.iterations;
  d->result->count.linear_failures += !border.solved;
  for (PetscInt i = 0; i < p->n; i++) longest = PetscMax(longest, PetscAbsReal(p->at->p[i]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPIU_REAL, MPIU_MAX, p->comm));
  *norm = longest / p->h;
  PetscCall(AbutObjectiveUpdateGhosts(p->parts.objective, p->at->p));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionUpdateMatrix(Direction *d, Mat *A)
{
  PetscBool rebuilt;

  PetscFunctionBegin;
  PetscCall(AbutObjectiveUpdatePattern(d->problem->parts.objective, &rebuilt, A));
  if (rebuilt) {
    d->new_matrix = PETSC_TRUE;
    PetscCall(SNESSetJacobian(d->snes, *A, *A, NULL, NULL)); /* the arrays of the old matrix are gone */
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionUpdatePattern(Direction *d)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(AbutDirectionUpdateMatrix(d, &A));
  if (d->new_matrix) PetscCall(AbutLinearSetPattern(d->linear, A));
  d->new_matrix = PETSC_FALSE;
  PetscFunctionReturn(0);
}
