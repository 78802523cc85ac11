/*
  Steps longer than the direction.

  A projected Hessian overestimates curvature, for instance where a compressed body buckles. Full steps then reduce B by the same small
  amount in many iterations. The slopes of B along the direction p show this: at the minimum of the line the slope is 0. If a full step
  leaves more than a fraction of the slope, the step is continued along p to the zero of the secant through both slopes, within a largest
  factor and within a new step bound. This costs a contact search, energies and a gradient, but no Hessian and no linear solution.

  Most solves have few such steps, and gain nothing from longer ones near their end. So the first steps of a solve are not continued.
*/
#include "newtonimpl.h"

static const AbutOption options[]          = {{"-abut_stretch_rounds", ABUT_OPTION_INT, offsetof(StretchPolicy, rounds), 3, 0, 1000, "",
                                               "Continuations of a full Newton step along its direction, at most; 0: none"},
                                              {"-abut_stretch_slope", ABUT_OPTION_REAL, offsetof(StretchPolicy, slope), 0.5, 0.01, 1, "",
                                               "Slope after a full step over the slope before it above which the step is continued"},
                                              {"-abut_stretch_factor", ABUT_OPTION_REAL, offsetof(StretchPolicy, factor), 8, 1e-3, 1e6, "",
                                               "Length of a continuation over that of the step before it, at most"},
                                              {"-abut_stretch_after", ABUT_OPTION_INT, offsetof(StretchPolicy, after), 4, 0, 1000, "",
                                               "Steps of a solve with such slopes that are not continued, before others are"}};
const AbutOptionTable   AbutStretchOptions = {"Steps longer than the direction", PETSC_STATIC_ARRAY_LENGTH(options), options};

void AbutStretchBegin(StretchPolicy *policy)
{
  policy->wait = policy->after;
}

/* Length of the continuation after a step of length 1: to the zero of the secant through the slopes before and after that step. */
static PetscReal Factor(const StretchPolicy *policy, PetscReal before, PetscReal after)
{
  return after <= before ? policy->factor : PetscMin(policy->factor, after / (before - after));
}

/* Searches the line along p; moves the iterate and evaluates its energy and gradient. part: 0 if no point has a smaller B. Collective. */
static PetscErrorCode Continue(AbutNewton n, PetscReal slope, PetscReal length, PetscReal *part)
{
  AbutStepBound bound;
  SearchResult  found;

  PetscFunctionBegin;
  PetscCall(AbutObjectiveBoundStep(n->parts.objective, CCD_SLACK, PETSC_INFINITY, &bound));
  PetscCall(AbutNewtonSearch(n, slope, length, &bound, &found));
  *part = 0;
  if (found.success && AbutEnergyTotal(&found.energy) < AbutEnergyTotal(&n->at->energy)) {
    *part         = found.step;
    n->at->energy = found.energy;
  }
  PetscCall(AbutObjectiveAccept(n->parts.objective, *part));
  PetscCall(AbutObjectiveGradient(n->parts.objective));
  PetscFunctionReturn(0);
}

static void Scale(AbutNewton n, PetscReal factor)
{
  for (PetscInt i = 0; i < n->ml->num_local * n->ml->dim; i++) n->at->p[i] *= factor;
}

PetscErrorCode AbutStretchStep(AbutNewton n, PetscReal slope, PetscReal *step)
{
  PetscReal length = 1; /* of p over the direction */

  PetscFunctionBegin;
  for (PetscInt round = 0; round < n->stretch.rounds; round++) {
    PetscReal after, factor, part = 0;

    PetscCall(AbutObjectiveSlope(n->parts.objective, &after));
    if (!(after < n->stretch.slope * slope)) break;
    if (n->stretch.wait > 0) {
      n->stretch.wait--;
      break;
    }
    factor = Factor(&n->stretch, slope, after);
    Scale(n, factor);
    length *= factor;
    slope = factor * after;
    PetscCall(Continue(n, slope, length, &part));
    *step += length * part;
    if (part < 1) break;
  }
  if (length != 1) Scale(n, 1 / length);
  PetscFunctionReturn(0);
}
