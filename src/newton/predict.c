/*
  Directions with predicted contacts.

  The Hessian does not contain contacts beyond the activation distance. A body that approaches another one over many activation distances
  meets it vertex by vertex, and CCD bounds one iteration after the other at the next vertex. Where this bound is short, all pairs that the
  direction would bring together become springs (src/objective/prediction.c). The direction is computed again from the Hessian with these
  springs, until CCD bounds it little. Springs have no energy: line search, gradient and stopping test use B alone. If the new direction
  does not descend or allows no longer step, Newton's direction returns.
*/
#include "newtonimpl.h"

static const AbutOption options[] = {{"-abut_predict_rounds", ABUT_OPTION_INT, offsetof(PredictPolicy, rounds), 2, 0, 1000, "",
                                      "Directions with predicted contacts in a Newton iteration, at most; 0: none"},
                                     {"-abut_predict_below", ABUT_OPTION_REAL, offsetof(PredictPolicy, below), 0.1, 0, 1, "",
                                      "Step bound of a Newton direction below which contacts are predicted"},
                                     {"-abut_predict_enough", ABUT_OPTION_REAL, offsetof(PredictPolicy, enough), 0.9, 0, 1, "",
                                      "Step bound of a direction with predicted contacts that is accepted without further ones"},
                                     {"-abut_predict_gap", ABUT_OPTION_REAL, offsetof(PredictPolicy, gap), 0.5, 1e-3, 1, "dhat",
                                      "Gap at which predicted contacts are held; a step may halve it"},
                                     {"-abut_predict_stiffness", ABUT_OPTION_REAL, offsetof(PredictPolicy, stiffness), 1e3, 1, 1e9, "",
                                      "Stiffness of predicted contacts over the mean resistance of masses and elasticity"},
                                     {"-abut_predict_pause", ABUT_OPTION_INT, offsetof(PredictPolicy, pause), 1, 0, 1000, "",
                                      "Iterations without prediction after the energy has reduced a step with predicted contacts"}};

const AbutOptionTable AbutPredictOptions = {"Predicted contacts", PETSC_STATIC_ARRAY_LENGTH(options), options};

/* Newton's direction, kept for the case that predicted contacts give no better one */
typedef struct {
  Vec       Y;
  PetscReal slope;
} Fallback;

static PetscErrorCode Restore(AbutNewton n, const Fallback *newton, Vec Y, PetscReal *slope, AbutStepBound *bound)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(newton->Y, Y));
  *slope = newton->slope;
  PetscCall(AbutDirectionComplete(n, Y));
  PetscCall(AbutObjectiveBoundStep(n->parts.objective, n->search.ccd_slack, PETSC_INFINITY, bound));
  PetscFunctionReturn(0);
}

/* Predicts contacts of the last direction and adds their gradient to the right-hand side. *added: number of new ones. Collective. */
static PetscErrorCode AddPredicted(AbutNewton n, Vec rhs, PetscInt *added)
{
  const PetscReal           wanted = n->predict.gap * n->parts.dhat;
  const AbutPredictionLimit limit  = {.slack = n->search.ccd_slack, .floor = wanted / 2, .wanted = wanted};
  PetscReal                *gradient;
  PetscScalar              *b;

  PetscFunctionBegin;
  PetscCall(AbutObjectiveAccept(n->parts.objective, 0)); /* the search has renumbered the contact vertices: stencils of the iterate again */
  PetscCall(AbutObjectiveGetWork(n->parts.objective, &gradient));
  n->springs.stiffness = n->predict.stiffness * (n->parts.mass.mean + n->contact_c2 * n->parts.mean_stiffness);
  PetscCall(AbutPredictionAdd(&n->springs, &limit, gradient, added));
  PetscCall(VecGetArray(rhs, &b));
  for (PetscInt i = 0; i < n->n; i++) b[i] += n->motion->fixed[i] ? 0 : gradient[i];
  PetscCall(VecRestoreArray(rhs, &b));
  PetscFunctionReturn(0);
}

/* Adds predicted contacts and computes the direction again, until the step bound is long enough. *better: the last direction serves. */
static PetscErrorCode Repeat(AbutNewton n, Vec F, Vec rhs, Vec Y, PetscReal *slope, AbutStepBound *bound, PetscBool *better)
{
  const PetscReal floor = n->predict.gap * n->parts.dhat / 2, newton = bound->step;
  PetscInt        added;

  PetscFunctionBegin;
  *better = PETSC_FALSE;
  for (PetscInt round = 0; round < n->predict.rounds && bound->step < n->predict.enough; round++) {
    PetscCall(AddPredicted(n, rhs, &added));
    if (added == 0) break;
    PetscCall(AbutDirectionSolveAgain(n, F, rhs, Y, slope, better));
    if (!*better) break;
    PetscCall(AbutDirectionComplete(n, Y));
    PetscCall(AbutObjectiveBoundStep(n->parts.objective, n->search.ccd_slack, floor, bound));
    *better = (PetscBool)(bound->step > newton);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPredictDirection(AbutNewton n, Vec F, Vec Y, PetscReal *slope, AbutStepBound *bound)
{
  Fallback  newton = {.slope = *slope};
  PetscBool better;
  Vec       rhs;

  PetscFunctionBegin;
  n->now.predicted = PETSC_FALSE;
  if (n->predict.rounds == 0 || bound->limiter != ABUT_LIMIT_CCD || bound->step >= n->predict.below) PetscFunctionReturn(0);
  if (n->now.direction_norm < n->parts.tolerance || AbutConstraintPlanesArePending(n->parts.constraint)) PetscFunctionReturn(0);
  if (n->predict.wait > 0) {
    n->predict.wait--;
    PetscFunctionReturn(0);
  }
  PetscCall(VecDuplicate(Y, &newton.Y));
  PetscCall(VecCopy(Y, newton.Y));
  PetscCall(VecDuplicate(F, &rhs));
  PetscCall(VecCopy(F, rhs));
  PetscCall(Repeat(n, F, rhs, Y, slope, bound, &better));
  n->springs.num = 0;
  if (!better) PetscCall(Restore(n, &newton, Y, slope, bound));
  n->now.predicted = better;
  PetscCall(VecDestroy(&newton.Y));
  PetscCall(VecDestroy(&rhs));
  PetscFunctionReturn(0);
}

void AbutPredictCountSearch(AbutNewton n, PetscBool reduced)
{
  if (n->now.predicted && reduced) n->predict.wait = n->predict.pause;
}
