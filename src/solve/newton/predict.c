/*
  Directions with predicted contacts.

  The Hessian does not contain contacts beyond the activation distance. When a body approaches another one over many activation distances,
  it meets the other body vertex by vertex, and CCD bounds one iteration after the other at the next vertex. So after some iterations with
  short bounds, the pairs that the direction would bring together become springs (prediction.c). The direction is computed again from the
  Hessian with these springs, until CCD no longer bounds it much.

  If few vertices are near springs, the direction is computed again at these vertices only (AbutRegionCorrect()). Else the whole system,
  or in a local iteration the system of its region, is factorised and solved again. Without such corrections a ball on points takes 1.5
  times, a pin cushion 1.3 and a squishy ball 1.2 times as long, ten other scenes 0.9 to 1.07.

  Only collisions up to a multiple of the bound become springs. Springs at vertices behind the first ones would crush the cells between
  them; and once the first ones are held, those behind them often no longer collide.

  Springs have no energy: line search, gradient and stopping test use B alone. Each direction promises a decrease of B by step bound times
  slope. The direction that promises the most is searched if it promises ADVANTAGE times as much as Newton's. If this search fails,
  Newton's direction is searched.

  Predictions must not cost more than they save. Most solves have few short bounds, so the first two are left to Newton. After a
  prediction that promised too little, or whose line search reduced the step, contacts are predicted only after a pause, which doubles
  until a prediction helps. A direction of the whole system that promises less than the best one so far, or less than ADVANTAGE times
  Newton's, ends the prediction. A corrected direction is cheap, so that the next round adds springs to it.

  The blocks of springs stay in the matrix pattern until it is built again, because such pairs are about to become contacts.
*/
#include "newtonimpl.h"

/*
  How contacts are predicted. "eager" suits impacts over many activation distances, where most bounds are short: with it step 13 of a ball
  with 700 tendrils takes 0.42 times as long. In nine other scenes it takes 0.8 to 1.7 times as long.
*/
static const struct {
  PetscInt  rounds; /* largest number of directions with predicted contacts in an iteration */
  PetscReal below;  /* step bound of Newton's direction below which contacts are predicted */
  PetscReal enough; /* step bound at which no more contacts are predicted */
  PetscInt  after;  /* directions with such a short bound at the start of a solve that are searched without prediction */
  PetscInt  pause;  /* the same after the first prediction that did not help; doubles until one helps */
} modes[] = {
  [ABUT_PREDICT_OFF]   = {0},
  [ABUT_PREDICT_ON]    = {.rounds = 4, .below = 0.3, .enough = 0.4, .after = 2, .pause = 1},
  [ABUT_PREDICT_EAGER] = {.rounds = 12, .below = 0.5, .enough = 0.7, .after = 0, .pause = 0},
};
static const char *const mode_names[] = {"off", "on", "eager", "AbutPredictMode", "ABUT_PREDICT_", NULL};

#define LONGEST_PAUSE       1000
#define LAYERS              2 /* layers of cells around predicted contacts in which a direction is corrected */
#define HORIZON             8 /* multiple of the step bound of a direction up to which contacts are predicted */
#define ADVANTAGE           3 /* least promised decrease of B with predicted contacts over the decrease that Newton's direction promises */
#define PREDICTED_GAP       0.5 /* gap at which predicted contacts are held; a step may halve it [dhat] */
#define PREDICTED_STIFFNESS 1e3 /* stiffness of predicted contacts over the mean resistance of masses and elasticity */
#define CORRECTED_SHARE     0.5 /* share of the vertices near predicted contacts up to which a direction is corrected there only */

static const AbutOption options[]          = {{"-abut_predict", ABUT_OPTION_ENUM, offsetof(PredictPolicy, mode), ABUT_PREDICT_ON, 0, 0, "",
                                               "Predict contacts where collisions limit Newton's direction much; eager: for "
                                                        "impacts over many activation distances",
                                               mode_names}};
const AbutOptionTable   AbutPredictOptions = {"Predicted contacts", PETSC_STATIC_ARRAY_LENGTH(options), options};

/* Sets the direction Y and its step bound. floor: see AbutContactMaxStep(). */
static PetscErrorCode SetDirection(Direction *d, Iteration *now, Vec Y, PetscReal floor, AbutStepBound *bound)
{
  PetscFunctionBegin;
  PetscCall(AbutDirectionComplete(d, Y, &now->direction_norm));
  PetscCall(AbutObjectiveBoundStep(d->problem->parts.objective, CCD_SLACK, floor, bound));
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

/*
  Predicts the contacts of the last direction and adds their gradient to the right-hand side. *added: number of new contacts. Collective.
*/
static PetscErrorCode AddPredicted(PredictPolicy *policy, const Problem *p, const AbutPredictionLimit *limit, PetscInt *added)
{
  PetscReal   *gradient;
  PetscScalar *b;

  PetscFunctionBegin;
  PetscCall(AbutObjectiveAccept(p->parts.objective, 0)); /* stencils with the contact vertices of the last search */
  PetscCall(AbutObjectiveGetWork(p->parts.objective, &gradient));
  policy->springs.stiffness = PREDICTED_STIFFNESS * (p->parts.mass.mean + p->contact_c2 * p->parts.mean_stiffness);
  PetscCall(AbutPredictionAdd(&policy->springs, limit, gradient, added));
  PetscCall(VecGetArray(policy->rhs, &b));
  for (PetscInt i = 0; i < p->n; i++) b[i] += p->motion->fixed[i] ? 0 : gradient[i];
  PetscCall(VecRestoreArray(policy->rhs, &b));
  PetscFunctionReturn(0);
}

/* Whether collisions bound the step below a fraction. */
static PetscBool IsCutByCCD(const AbutStepBound *bound, PetscReal fraction)
{
  return (PetscBool)(bound->limiter == ABUT_LIMIT_CCD && bound->step < fraction);
}

/* Chooses the vertices of springs, where the right-hand side differs from the gradient F, and layers of cells around them. Collective. */
static PetscErrorCode SelectSprings(Region *region, const Problem *p, Vec F, Vec rhs)
{
  Vec                springs;
  const PetscScalar *g;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(F, &springs));
  PetscCall(VecWAXPY(springs, -1, F, rhs));
  PetscCall(VecGetArrayRead(springs, &g));
  PetscCall(AbutRegionSelect(region, p, g, 0, LAYERS));
  PetscCall(VecRestoreArrayRead(springs, &g));
  PetscCall(VecDestroy(&springs));
  PetscFunctionReturn(0);
}

/*
  Computes the direction with the current springs: corrects it near them if they are few, else solves the whole system. *corrected: which
  of the two. Collective.
*/
static PetscErrorCode SolveWithSprings(AbutNewton n, Vec F, Vec Y, PetscReal *slope, PetscBool *descent, PetscBool *corrected)
{
  PetscFunctionBegin;
  *corrected = PETSC_FALSE;
  if (!n->local.region.active) {
    PetscCall(SelectSprings(&n->local.region, &n->problem, F, n->predict.rhs));
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
  Adds predicted contacts and computes the direction again as long as it gets better. n->predict.best: the best direction. *worse: the
  current direction and bound are worse. Collective.
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
  for (PetscInt round = 0; round < modes[n->predict.mode].rounds && (round == 0 || IsCutByCCD(bound, modes[n->predict.mode].enough));
       round++) {
    limit.horizon = bound->step > 0 ? PetscMin(1, HORIZON * bound->step) : 1; /* if the bound is 0, pairs touch to round-off */
    PetscCall(AddPredicted(&n->predict, &n->problem, &limit, &added));
    if (added == 0) break;
    PetscCall(SolveWithSprings(n, F, Y, &slope, &descent, &corrected));
    if (!descent) break;
    PetscCall(SetDirection(&n->direction, &n->now, Y, limit.floor, bound));
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
  p->wait = modes[p->mode].after;
  p->next = modes[p->mode].pause;
}

/* Whether contacts of Newton's direction are to be predicted. Else counts a direction that is searched without prediction. */
static PetscBool IsDue(PredictPolicy *p, const Problem *problem, PetscReal direction_norm, const AbutStepBound *bound)
{
  if (p->mode == ABUT_PREDICT_OFF || !IsCutByCCD(bound, modes[p->mode].below)) return PETSC_FALSE;
  if (direction_norm < problem->parts.tolerance || AbutConstraintPlanesArePending(problem->parts.constraint)) return PETSC_FALSE;
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
  p->tried         = IsDue(p, &n->problem, n->now.direction_norm, &step->bound);
  if (!p->tried) PetscFunctionReturn(0);
  if (!p->rhs) PetscCall(VecDuplicate(F, &p->rhs));
  PetscCall(VecCopy(F, p->rhs));
  PetscCall(Keep(&p->newton, Y, step->slope, PETSC_INFINITY, step->bound.step));
  PetscCall(Keep(&p->best, Y, step->slope, PETSC_INFINITY, step->bound.step));
  PetscCall(Repeat(n, F, Y, &step->bound, &worse));
  n->predict.springs.num = 0;
  n->direction.hessian   = hessian; /* a projection that springs caused does not count */
  PetscCall(VecCopy(p->best.Y, Y));
  step->slope = p->best.slope;
  if (worse) PetscCall(SetDirection(&n->direction, &n->now, Y, p->best.floor, &step->bound));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPredictReturnToNewton(AbutNewton n, Vec Y, NewtonStep *step)
{
  PetscFunctionBegin;
  n->now.predicted = PETSC_FALSE;
  PetscCall(AbutObjectiveAccept(n->problem.parts.objective, 0)); /* the search may have accepted a trial point */
  PetscCall(VecCopy(n->predict.newton.Y, Y));
  step->slope = n->predict.newton.slope;
  PetscCall(SetDirection(&n->direction, &n->now, Y, PETSC_INFINITY, &step->bound));
  PetscFunctionReturn(0);
}

void AbutPredictPause(PredictPolicy *p, PetscBool helped)
{
  if (!p->tried) return;
  if (!helped) p->wait = p->next;
  p->next = helped ? modes[p->mode].pause : PetscMin(2 * p->next, LONGEST_PAUSE);
}

PetscErrorCode AbutPredictFree(PredictPolicy *p)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&p->newton.Y));
  PetscCall(VecDestroy(&p->best.Y));
  PetscCall(VecDestroy(&p->rhs));
  PetscFunctionReturn(0);
}
