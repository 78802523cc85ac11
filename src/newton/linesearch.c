/*
  Line search of a Newton iteration [Li et al. 2020, Alg. 1]: the step is halved until B does not increase. All trial points use the contact
  candidates of one search.

  If the expected decrease is below the measured round-off of B, slopes decide instead: the approximate Wolfe condition of Hager and Zhang
  (2005). Slopes lose half as many digits as differences of B.
*/
#include "newtonimpl.h"

static const AbutOption options[] = {
  {"-abut_search_ccd_slack", ABUT_OPTION_REAL, offsetof(LineSearch, ccd_slack), 0.8, 0.01, 0.99, "",
   "Fraction of each gap that a Newton step may use up at most"},
  {"-abut_search_halvings", ABUT_OPTION_INT, offsetof(LineSearch, max_halvings), 60, 1, 1000, "", "Halvings of a step at most"},
  {"-abut_search_round_off", ABUT_OPTION_REAL, offsetof(LineSearch, round_off), 1e-14, 0, 1e-3, "",
   "Round-off of the objective over the sum of magnitudes of its terms, at least"},
  {"-abut_search_noise_after", ABUT_OPTION_INT, offsetof(LineSearch, noise_after), 2, 0, 1000, "",
   "Halvings after which the round-off of the objective is measured"},
  {"-abut_search_noise_samples", ABUT_OPTION_INT, offsetof(LineSearch, noise_samples), 3, 1, 100, "", "Samples of that measurement"},
  {"-abut_search_noise_step", ABUT_OPTION_REAL, offsetof(LineSearch, noise_step), 1e-9, 1e-16, 0.1, "",
   "Distance of the samples over the step, at least"},
  {"-abut_search_noise_length", ABUT_OPTION_REAL, offsetof(LineSearch, noise_length), 1e-14, 1e-16, 0.1, "",
   "Distance of the samples over the reference length, at least"},
  {"-abut_search_noise_factor", ABUT_OPTION_REAL, offsetof(LineSearch, noise_factor), 10, 1, 1e6, "",
   "Multiple of the measured round-off below which a decrease of the objective need not be visible"},
  {"-abut_search_slope_halvings", ABUT_OPTION_INT, offsetof(LineSearch, slope_halvings), 10, 1, 1000, "",
   "Halvings of a step that slopes decide, at most"},
  {"-abut_search_slope_fraction", ABUT_OPTION_REAL, offsetof(LineSearch, slope_fraction), 0.8, 0.01, 1, "",
   "Slope at an accepted point over minus the slope at the start, at most"}};
const AbutOptionTable AbutLineSearchOptions = {"Line search", PETSC_STATIC_ARRAY_LENGTH(options), options};

/* Accepts a trial point as iterate and computes dB/dt there. Collective. */
static PetscErrorCode TrialSlope(const SearchLine *line, PetscReal t, PetscReal *slope)
{
  PetscFunctionBegin;
  PetscCall(AbutObjectiveAccept(line->objective, t));
  PetscCall(AbutObjectiveGradient(line->objective));
  PetscCall(AbutObjectiveSlope(line->objective, slope));
  PetscFunctionReturn(0);
}

/* Measures the round-off of B: its distance from its tangent at steps so short that only the last digits of x change. Collective. */
static PetscErrorCode MeasureNoise(const LineSearch *search, const SearchLine *line, PetscReal step, const AbutEnergy *start,
                                   PetscReal *noise)
{
  const PetscReal shortest = search->noise_length * line->reference_length / line->length;
  const PetscReal sample   = PetscMin(step / 8, PetscMax(search->noise_step * step, shortest));
  AbutEnergy      trial;

  PetscFunctionBegin;
  *noise = search->round_off * AbutEnergySize(start);
  for (int k = 1; k <= search->noise_samples; k++) {
    const PetscReal t = k * sample;
    PetscCall(AbutObjectiveEnergy(line->objective, t, &trial));
    *noise = PetscMax(*noise, PetscAbsReal(AbutEnergyTotal(&trial) - AbutEnergyTotal(start) - t * line->slope));
  }
  PetscFunctionReturn(0);
}

/*
  Accepts a step by slopes. If no slope shows a decrease and the direction is short enough for the stopping test, the start is the minimum
  to round-off: success with step 0. Collective.
*/
static PetscErrorCode SearchBySlope(const LineSearch *search, const SearchLine *line, PetscReal noise, SearchResult *result)
{
  const PetscReal most = AbutEnergyTotal(&result->energy) + search->noise_factor * noise;
  AbutEnergy      trial;

  PetscFunctionBegin;
  result->success = PETSC_TRUE;
  for (int k = 0; k < search->slope_halvings; k++, result->step /= 2) {
    PetscReal slope;
    PetscCall(AbutObjectiveEnergy(line->objective, result->step, &trial));
    if (!(AbutEnergyTotal(&trial) <= most)) continue;
    PetscCall(TrialSlope(line, result->step, &slope));
    if (slope > -search->slope_fraction * line->slope) continue;
    result->energy = trial;
    PetscFunctionReturn(0);
  }
  result->step    = 0;
  result->success = line->short_direction;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLineSearchApply(const LineSearch *search, const SearchLine *line, PetscReal bound, SearchResult *result)
{
  const PetscReal negligible = PetscMax(search->round_off * AbutEnergySize(&result->energy), line->insignificant);
  const PetscReal most       = AbutEnergyTotal(&result->energy) + negligible;
  AbutEnergy      trial;

  PetscFunctionBegin;
  result->step    = bound;
  result->success = PETSC_TRUE;
  result->reduced = PETSC_FALSE;
  for (int k = 0; result->step > 0 && k < search->max_halvings; k++, result->step /= 2) {
    PetscCall(AbutObjectiveEnergy(line->objective, result->step, &trial));
    if (AbutEnergyTotal(&trial) <= most) {
      result->reduced = (PetscBool)(k > 0);
      result->energy  = trial;
      PetscFunctionReturn(0);
    }
    if (k == search->noise_after && !line->planes_move) {
      PetscReal noise;
      PetscCall(MeasureNoise(search, line, bound, &result->energy, &noise));
      if (-line->slope * bound > search->noise_factor * noise) continue;
      result->step = bound;
      PetscCall(SearchBySlope(search, line, noise, result));
      PetscFunctionReturn(0);
    }
  }
  result->success = PETSC_FALSE;
  result->reduced = (PetscBool)(result->step > 0);
  PetscFunctionReturn(0);
}

PetscBool AbutNewtonIsShort(AbutNewton n)
{
  return (PetscBool)(!n->now.predicted && n->now.direction_norm < n->parts.tolerance);
}

PetscErrorCode AbutNewtonSearch(AbutNewton n, PetscReal slope, PetscReal length, AbutStepBound *bound, SearchResult *found)
{
  const PetscReal  speed = 1e-3 * n->parts.tolerance * n->h;
  const SearchLine line  = {.objective        = n->parts.objective,
                            .slope            = slope,
                            .length           = length * n->now.direction_norm * n->h,
                            .reference_length = n->parts.length,
                            .insignificant    = n->parts.mass.total / 2 * PetscSqr(speed),
                            .short_direction  = AbutNewtonIsShort(n),
                            .planes_move      = AbutConstraintPlanesArePending(n->parts.constraint)};

  PetscFunctionBegin;
  found->energy = n->at->energy;
  PetscCall(AbutLineSearchApply(&n->search, &line, bound->step, found));
  if (found->reduced) bound->limiter = ABUT_LIMIT_ENERGY;
  PetscFunctionReturn(0);
}
