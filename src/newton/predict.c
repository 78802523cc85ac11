/*
  Directions with predicted contacts.

  The Hessian does not contain contacts beyond the activation distance. A body that approaches another one over many activation distances
  meets it vertex by vertex, and CCD bounds one iteration after the other at the next vertex. After some such iterations of a solve, pairs
  that a direction with a short bound would bring together become springs (src/objective/prediction.c). The direction is computed again from
  the Hessian with these springs, until CCD bounds it little.

  If few vertices are near springs, the direction is computed again at these vertices only, and stays as it is elsewhere
  (AbutRegionCorrect()). Else the whole system is factorised and solved again; in a local iteration, the system of its region.

  Only collisions up to a multiple of the bound become springs. Springs at vertices behind the first ones would crush the cells between
  them, and once the first ones are held, those behind them often no longer collide.

  Springs have no energy: line search, gradient and stopping test use B alone. The direction whose bounded step promises the largest
  decrease of B, step times slope, is searched, if it promises three times as much as Newton's. If its search fails, Newton's direction
  returns.

  Predictions must not cost more than they save. Most solves have few short bounds, so the first two are left to Newton. After a prediction
  that promised too little, or whose line search reduced the step, contacts are predicted only after a pause, which doubles until one helps.
  A whole direction that does not promise more than the best one so far and three times Newton's ends the prediction; a corrected one is
  cheap, so that the next round adds springs to it.

  The blocks of springs stay in the matrix pattern until it is built again: such pairs are about to become contacts.
*/
#include "newtonimpl.h"

#define HORIZON             8   /* multiple of the step bound of a direction up to which contacts are predicted */
#define ADVANTAGE           3   /* least promised decrease of energy with predicted contacts over that of Newton's direction */
#define PREDICTED_GAP       0.5 /* gap at which predicted contacts are held; a step may halve it [dhat] */
#define PREDICTED_STIFFNESS 1e3 /* stiffness of predicted contacts over the mean resistance of masses and elasticity */
#define CORRECTED_SHARE     0.5 /* share of the vertices near predicted contacts up to which a direction is corrected there alone */

static const AbutOption options[]          = {{"-abut_predicted_rounds", ABUT_OPTION_INT, offsetof(PredictPolicy, rounds), 4, 0, 1000, "",
                                               "Directions with predicted contacts in a Newton iteration, at most; 0: none"},
                                              {"-abut_predicted_below", ABUT_OPTION_REAL, offsetof(PredictPolicy, below), 0.3, 0, 1, "",
                                               "Step bound of a Newton direction below which contacts are predicted"},
                                              {"-abut_predicted_after", ABUT_OPTION_INT, offsetof(PredictPolicy, after), 2, 0, 1000, "",
                                               "Such directions of a solve that are searched as they are, before contacts are predicted"},
                                              {"-abut_predicted_enough", ABUT_OPTION_REAL, offsetof(PredictPolicy, enough), 0.4, 0, 1, "",
                                               "Step bound of a direction with predicted contacts that is accepted without further ones"},
                                              {"-abut_predicted_layers", ABUT_OPTION_INT, offsetof(PredictPolicy, layers), 2, 0, 100, "",
                                               "Layers of cells around predicted contacts in which a direction is corrected"},
                                              {"-abut_predicted_pause", ABUT_OPTION_INT, offsetof(PredictPolicy, pause), 1, 0, 1000, "",
                                               "Such directions without prediction after one that did not help; doubles until one helps"}};
const AbutOptionTable   AbutPredictOptions = {"Predicted contacts", PETSC_STATIC_ARRAY_LENGTH(options), options};

/* Sets the direction Y and its step bound. floor: see AbutContactMaxStep(). */
static PetscErrorCode SetDirection(AbutNewton n, Vec Y, PetscReal floor, AbutStepBound *bound)
{
  PetscFunctionBegin;
  PetscCall(AbutDirectionComplete(&n->direction, Y, &n->now.direction_norm));
  PetscCall(AbutObjectiveBoundStep(n->problem.parts.objective, CCD_SLACK, floor, bound));
  PetscFunctionReturn(0);
}

static PetscErrorCode Keep(Candidate *c, Vec Y, PetscReal slope, PetscReal floor, PetscReal step)
{
  PetscFunctionBegin;
  if (!c->Y) PetscCall(VecDuplicate(Y, &c->Y));
  PetscCall(VecCopy(Y, c->Y));
  c->slope    = slope;
  c->floor    = floor;
  c->decrease = -step * slope;
  PetscFunctionReturn(0);
}

/* Predicts contacts of the last direction and adds their gradient to the right-hand side. *added: number of new ones. Collective. */
static PetscErrorCode AddPredicted(AbutNewton n, const AbutPredictionLimit *limit, PetscInt *added)
{
  PetscReal   *gradient;
  PetscScalar *b;

  PetscFunctionBegin;
  PetscCall(AbutObjectiveAccept(n->problem.parts.objective, 0)); /* stencils with the contact vertices of the last search */
  PetscCall(AbutObjectiveGetWork(n->problem.parts.objective, &gradient));
  n->predict.springs.stiffness = PREDICTED_STIFFNESS * (n->problem.parts.mass.mean + n->problem.contact_c2 * n->problem.parts.mean_stiffness);
  PetscCall(AbutPredictionAdd(&n->predict.springs, limit, gradient, added));
  PetscCall(VecGetArray(n->predict.rhs, &b));
  for (PetscInt i = 0; i < n->problem.n; i++) b[i] += n->problem.motion->fixed[i] ? 0 : gradient[i];
  PetscCall(VecRestoreArray(n->predict.rhs, &b));
  PetscFunctionReturn(0);
}

/* Whether collisions leave less than a fraction of a direction. */
static PetscBool IsCutByCCD(const AbutStepBound *bound, PetscReal fraction)
{
  return (PetscBool)(bound->limiter == ABUT_LIMIT_CCD && bound->step < fraction);
}

/* Chooses the vertices of springs, where the right-hand side differs from the gradient F, and layers of cells around them. Collective. */
static PetscErrorCode SelectSprings(AbutNewton n, Vec F)
{
  Vec                springs;
  const PetscScalar *g;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(F, &springs));
  PetscCall(VecWAXPY(springs, -1, F, n->predict.rhs));
  PetscCall(VecGetArrayRead(springs, &g));
  PetscCall(AbutRegionSelect(&n->local.region, &n->problem, g, 0, n->predict.layers));
  PetscCall(VecRestoreArrayRead(springs, &g));
  PetscCall(VecDestroy(&springs));
  PetscFunctionReturn(0);
}

/* The direction with the present springs: corrected near them if they are few, else computed again. *corrected: which one. Collective. */
static PetscErrorCode SolveWithSprings(AbutNewton n, Vec F, Vec Y, PetscReal *slope, PetscBool *descent, PetscBool *corrected)
{
  PetscFunctionBegin;
  *corrected = PETSC_FALSE;
  if (!n->local.region.active) {
    PetscCall(SelectSprings(n, F));
    if (n->local.region.count > 0 && n->local.region.share <= CORRECTED_SHARE)
      PetscCall(AbutRegionCorrect(&n->local.region, &n->direction, F, n->predict.rhs, Y, slope, corrected));
  }
  *descent = *corrected;
  if (n->local.region.active)
    PetscCall(AbutRegionSolve(&n->local.region, &n->direction, F, n->predict.rhs, Y, slope, descent));
  else if (!*corrected)
    PetscCall(AbutDirectionSolveAgain(&n->direction, F, n->predict.rhs, Y, slope, descent));
  PetscFunctionReturn(0);
}

/*
  Adds predicted contacts and computes the direction again, as long as it gets better; n->predict.best is the best one. *worse: the
  direction and bound in force belong to a worse one. Collective.
*/
static PetscErrorCode Repeat(AbutNewton n, Vec F, Vec Y, AbutStepBound *bound, PetscBool *worse)
{
  const PetscReal     wanted = PREDICTED_GAP * n->problem.parts.dhat;
  AbutPredictionLimit limit  = {.slack = CCD_SLACK, .floor = wanted / 2, .wanted = wanted};
  PetscReal           slope;
  PetscBool           descent, corrected;
  PetscInt            added;

  PetscFunctionBegin;
  *worse = PETSC_FALSE;
  for (PetscInt round = 0; round < n->predict.rounds && (round == 0 || IsCutByCCD(bound, n->predict.enough)); round++) {
    limit.horizon = bound->step > 0 ? PetscMin(1, HORIZON * bound->step) : 1; /* a bound of 0: pairs that touch to round-off */
    PetscCall(AddPredicted(n, &limit, &added));
    if (added == 0) break;
    PetscCall(SolveWithSprings(n, F, Y, &slope, &descent, &corrected));
    if (!descent) break;
    PetscCall(SetDirection(n, Y, limit.floor, bound));
    *worse = (PetscBool)(-bound->step * slope <= PetscMax(n->predict.best.decrease, ADVANTAGE * n->predict.newton.decrease));
    if (!*worse) {
      PetscCall(Keep(&n->predict.best, Y, slope, limit.floor, bound->step));
      n->now.predicted = PETSC_TRUE;
    } else if (!corrected) {
      break;
    }
  }
  PetscFunctionReturn(0);
}

void AbutPredictBegin(PredictPolicy *p)
{
  p->wait = p->after;
  p->next = p->pause;
}

/* Whether contacts of Newton's direction are to be predicted; counts a direction that is searched as it is. */
static PetscBool IsDue(AbutNewton n, const AbutStepBound *bound)
{
  PredictPolicy *p = &n->predict;

  if (p->rounds == 0 || !IsCutByCCD(bound, p->below)) return PETSC_FALSE;
  if (n->now.direction_norm < n->problem.parts.tolerance || AbutConstraintPlanesArePending(n->problem.parts.constraint)) return PETSC_FALSE;
  if (p->wait == 0) return PETSC_TRUE;
  p->wait--;
  return PETSC_FALSE;
}

PetscErrorCode AbutPredictDirection(AbutNewton n, Vec F, Vec Y, NewtonStep *step)
{
  PredictPolicy      *p       = &n->predict;
  const HessianPolicy hessian = n->direction.hessian;
  PetscBool           worse;

  PetscFunctionBegin;
  n->now.predicted = PETSC_FALSE;
  p->tried         = IsDue(n, &step->bound);
  if (!p->tried) PetscFunctionReturn(0);
  if (!p->rhs) PetscCall(VecDuplicate(F, &p->rhs));
  PetscCall(VecCopy(F, p->rhs));
  PetscCall(Keep(&p->newton, Y, step->slope, PETSC_INFINITY, step->bound.step));
  PetscCall(Keep(&p->best, Y, step->slope, PETSC_INFINITY, step->bound.step));
  PetscCall(Repeat(n, F, Y, &step->bound, &worse));
  n->predict.springs.num = 0;
  n->direction.hessian   = hessian; /* a projection because of springs does not count */
  PetscCall(VecCopy(p->best.Y, Y));
  step->slope = p->best.slope;
  if (worse) PetscCall(SetDirection(n, Y, p->best.floor, &step->bound));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPredictReturnToNewton(AbutNewton n, Vec Y, NewtonStep *step)
{
  PetscFunctionBegin;
  n->now.predicted = PETSC_FALSE;
  PetscCall(AbutObjectiveAccept(n->problem.parts.objective, 0)); /* the search may have accepted a trial point */
  PetscCall(VecCopy(n->predict.newton.Y, Y));
  step->slope = n->predict.newton.slope;
  PetscCall(SetDirection(n, Y, PETSC_INFINITY, &step->bound));
  PetscFunctionReturn(0);
}

void AbutPredictPause(PredictPolicy *p, PetscBool helped)
{
  if (!p->tried) return;
  if (!helped) p->wait = p->next;
  p->next = helped ? p->pause : PetscMin(2 * p->next, 1000);
}

PetscErrorCode AbutPredictFree(PredictPolicy *p)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&p->newton.Y));
  PetscCall(VecDestroy(&p->best.Y));
  PetscCall(VecDestroy(&p->rhs));
  PetscFunctionReturn(0);
}
