/*
  Line search of a Newton iteration [Li et al. 2020, Alg. 1]: the step is halved until B does not increase. All trial points use the contact
  candidates of one search.

  If the expected decrease is below the measured round-off of B, the slope at the trial point decides instead: the approximate Wolfe
  condition of Hager and Zhang (2005). Slopes lose half as many digits as differences of B. Without this
  inputs/ipc2020/tolerance_distance.yaml takes 2.5 times the iterations and misses the balance of forces; twelve other scenes never come
  there.
*/
#include "newtonimpl.h"

#define MAX_HALVINGS   60    /* halvings of a step at most */
#define ROUND_OFF      1e-14 /* least round-off of the objective over the sum of magnitudes of its terms */
#define NOISE_AFTER    2     /* halvings after which the round-off of the objective is measured */
#define NOISE_SAMPLES  3     /* samples of that measurement */
#define NOISE_STEP     1e-9  /* least distance of the samples over the step */
#define NOISE_LENGTH   1e-14 /* least distance of the samples over the reference length */
#define NOISE_FACTOR   10    /* multiple of the measured round-off below which a decrease of the objective need not be visible */
#define SLOPE_HALVINGS 10    /* largest number of halvings of a step that slopes decide */
#define SLOPE_FRACTION 0.8   /* largest slope at an accepted point over minus the slope at the start */

/* The line and tolerances of a search */
typedef struct {
  AbutObjective objective;
  PetscReal     slope;            /* dB/dt at t = 0 [J s^2] */
  PetscReal     length;           /* largest displacement max |p| [m] */
  PetscReal     reference_length; /* [m] */
  PetscReal     insignificant;    /* differences of B below it are negligible [J s^2] */
  PetscBool     short_direction;  /* the direction satisfies the tolerance of the stopping test */
  PetscBool     planes_move;      /* half spaces move along the line; `slope` does not contain their part of dB/dt */
} SearchLine;

/* Outcome of a search */
typedef struct {
  PetscReal  step;
  PetscBool  success;
  PetscBool  reduced; /* the energy reduced the step */
  AbutEnergy energy;  /* at the step */
} SearchResult;

/* Accepts a trial point as iterate and computes dB/dt there. Collective. */
static PetscErrorCode TrialSlope(const SearchLine *line, PetscReal t, PetscReal *slope)
{
  PetscFunctionBegin;
  PetscCall(AbutObjectiveAccept(line->objective, t));
  PetscCall(AbutObjectiveGradient(line->objective));
  PetscCall(AbutObjectiveSlope(line->objective, slope));
  PetscFunctionReturn(0);
}

/* Measures the round-off of B as its distance from its tangent, at steps so short that only the last digits of x change. Collective. */
static PetscErrorCode MeasureNoise(const SearchLine *line, PetscReal step, const AbutEnergy *start, PetscReal *noise)
{
  const PetscReal shortest = NOISE_LENGTH * line->reference_length / line->length;
  const PetscReal sample   = PetscMin(step / 8, PetscMax(NOISE_STEP * step, shortest));
  AbutEnergy      trial;

  PetscFunctionBegin;
  *noise = ROUND_OFF * AbutEnergySize(start);
  for (int k = 1; k <= NOISE_SAMPLES; k++) {
    const PetscReal t = k * sample;
    PetscCall(AbutObjectiveEnergy(line->objective, t, &trial));
    *noise = PetscMax(*noise, PetscAbsReal(AbutEnergyTotal(&trial) - AbutEnergyTotal(start) - t * line->slope));
  }
  PetscFunctionReturn(0);
}

/*
  Accepts a step by slopes. If no slope shows a decrease although the direction is short enough for the stopping test, the start is the
  minimum to round-off: success with step 0. Collective.
*/
static PetscErrorCode SearchBySlope(const SearchLine *line, PetscReal noise, SearchResult *result)
{
  const PetscReal most = AbutEnergyTotal(&result->energy) + NOISE_FACTOR * noise;
  AbutEnergy      trial;

  PetscFunctionBegin;
  result->success = PETSC_TRUE;
  for (int k = 0; k < SLOPE_HALVINGS; k++, result->step /= 2) {
    PetscReal slope;
    PetscCall(AbutObjectiveEnergy(line->objective, result->step, &trial));
    if (!(AbutEnergyTotal(&trial) <= most)) continue;
    PetscCall(TrialSlope(line, result->step, &slope));
    if (slope > -SLOPE_FRACTION * line->slope) continue;
    result->energy = trial;
    PetscFunctionReturn(0);
  }
  result->step    = 0;
  result->success = line->short_direction;
  PetscFunctionReturn(0);
}

/* Halves the step from `bound` until B does not increase. The iterate stays. Collective. */
static PetscErrorCode Backtrack(const SearchLine *line, PetscReal bound, SearchResult *result)
{
  const PetscReal negligible = PetscMax(ROUND_OFF * AbutEnergySize(&result->energy), line->insignificant);
  const PetscReal most       = AbutEnergyTotal(&result->energy) + negligible;
  AbutEnergy      trial;

  PetscFunctionBegin;
  result->step    = bound;
  result->success = PETSC_TRUE;
  result->reduced = PETSC_FALSE;
  for (int k = 0; result->step > 0 && k < MAX_HALVINGS; k++, result->step /= 2) {
    PetscCall(AbutObjectiveEnergy(line->objective, result->step, &trial));
    if (AbutEnergyTotal(&trial) <= most) {
      result->reduced = (PetscBool)(k > 0);
      result->energy  = trial;
      PetscFunctionReturn(0);
    }
    if (k == NOISE_AFTER && !line->planes_move) {
      PetscReal noise;
      PetscCall(MeasureNoise(line, bound, &result->energy, &noise));
      if (-line->slope * bound > NOISE_FACTOR * noise) continue;
      result->step = bound;
      PetscCall(SearchBySlope(line, noise, result));
      PetscFunctionReturn(0);
    }
  }
  result->success = PETSC_FALSE;
  result->reduced = (PetscBool)(result->step > 0);
  PetscFunctionReturn(0);
}

PetscBool AbutIterationIsShort(const Iteration *now, const Problem *p)
{
  return (PetscBool)(!now->predicted && now->direction_norm < p->parts.tolerance);
}

/*
  Line search along the direction in force. Differences of B below the kinetic energy of all masses at speed 1e-3 eps_d count as negligible,
  but not in quasi-static steps: increases of B of this size let Newton's method cycle, and a ring seal with friction took 6 times the
  iterations.
  Collective.
*/
static PetscErrorCode Search(const Problem *p, const Iteration *now, NewtonStep *step, SearchResult *found)
{
  const PetscReal  speed = 1e-3 * p->parts.tolerance * p->h;
  const SearchLine line  = {.objective        = p->parts.objective,
                            .slope            = step->slope,
                            .length           = now->direction_norm * p->h,
                            .reference_length = p->parts.length,
                            .insignificant    = p->parts.quasi_static ? 0 : p->parts.mass.total / 2 * PetscSqr(speed),
                            .short_direction  = AbutIterationIsShort(now, p),
                            .planes_move      = AbutConstraintPlanesArePending(p->parts.constraint)};

  PetscFunctionBegin;
  found->energy = p->at->energy;
  PetscCall(Backtrack(&line, step->bound.step, found));
  if (found->reduced) step->bound.limiter = ABUT_LIMIT_ENERGY;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonBoundStep(AbutNewton n, Vec F, Vec Y, NewtonStep *step)
{
  PetscFunctionBegin;
  step->gap_before = n->problem.parts.barrier->min_relative_gap;
  PetscCall(AbutObjectiveBoundStep(n->problem.parts.objective, CCD_SLACK, PETSC_INFINITY, &step->bound));
  PetscCall(AbutPredictDirection(n, F, Y, step));
  step->longest = step->bound.step;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonTakeStep(AbutNewton n, Vec Y, NewtonStep *step)
{
  const Problem *p = &n->problem;
  SearchResult   found;

  PetscFunctionBegin;
  PetscCall(Search(p, &n->now, step, &found));
  if (!found.success && n->now.predicted) {
    PetscCall(AbutPredictReturnToNewton(n, Y, step));
    PetscCall(Search(p, &n->now, step, &found));
  }
  AbutPredictPause(&n->predict, (PetscBool)(n->now.predicted && !found.reduced));
  step->success = found.success;
  step->taken   = found.step;
  if (!found.success) {
    PetscCall(AbutObjectiveAccept(p->parts.objective, 0)); /* the report needs the stencils of the start of the line */
    PetscFunctionReturn(0);
  }
  p->at->energy = found.energy;
  PetscCall(AbutObjectiveAccept(p->parts.objective, found.step));
  PetscCall(AbutObjectiveGradient(p->parts.objective));
  if (p->parts.friction) PetscCall(AbutFrictionUpdateMajorizers(p->parts.friction));
  PetscFunctionReturn(0);
}
