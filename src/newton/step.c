/*
  The step along a direction: step bound, predicted contacts, line search, acceptance, continuation. Newton iterations on all vertices and
  on some of them (local.c) share it.
*/
#include "newtonimpl.h"

/* Whether a step may be continued along its direction. Slopes do not contain the energy of moving half spaces. */
static PetscBool MayStretch(AbutNewton n, const SearchResult *found)
{
  return (PetscBool)(found->step == 1 && n->now.solved && !n->now.predicted && !AbutConstraintPlanesArePending(n->parts.constraint) &&
                     n->now.direction_norm >= n->parts.tolerance);
}

/* Finds a point of the line along -Y, or along a direction with predicted contacts, where B is not larger. Collective. */
static PetscErrorCode Search(AbutNewton n, Vec F, Vec Y, PetscReal *slope, NewtonStep *step, SearchResult *found)
{
  PetscFunctionBegin;
  PetscCall(AbutObjectiveBoundStep(n->parts.objective, CCD_SLACK, PETSC_INFINITY, &step->bound));
  PetscCall(AbutPredictDirection(n, F, Y, slope, &step->bound));
  step->longest = step->bound.step;
  PetscCall(AbutNewtonSearch(n, *slope, 1, &step->bound, found));
  if (!found->success && n->now.predicted) {
    PetscCall(AbutPredictReturnToNewton(n, Y, slope, &step->bound));
    PetscCall(AbutNewtonSearch(n, *slope, 1, &step->bound, found));
  }
  AbutPredictPause(n, found);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonTakeStep(AbutNewton n, Vec F, Vec Y, PetscReal slope, NewtonStep *step)
{
  SearchResult found;

  PetscFunctionBegin;
  step->gap_before = n->parts.barrier->min_relative_gap;
  PetscCall(Search(n, F, Y, &slope, step, &found));
  step->success = found.success;
  step->taken   = found.step;
  if (!found.success) {
    PetscCall(AbutObjectiveAccept(n->parts.objective, 0)); /* the report needs the stencils of the start of the line */
    PetscFunctionReturn(0);
  }
  n->at->energy = found.energy;
  PetscCall(AbutObjectiveAccept(n->parts.objective, found.step));
  PetscCall(AbutObjectiveGradient(n->parts.objective));
  if (n->parts.friction) PetscCall(AbutFrictionUpdateMajorizers(n->parts.friction)); /* of the step before it is continued */
  if (MayStretch(n, &found)) PetscCall(AbutStretchStep(n, slope, &step->taken));
  PetscFunctionReturn(0);
}
