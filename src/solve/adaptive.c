/*
  How long a step is: as long as the scene says, halved while Newton fails, doubled again after a few good steps, cut so that steps end
  exactly on output times and on the end of the run.
*/
#include "solveimpl.h"

#define GOOD_STEPS 4    /* until a halved step doubles */
#define SAME       1e-6 /* times closer than this share of a step are one */

/* The multiple of `unit` that t is, but for rounding; else t. */
static PetscReal Snap(PetscReal t, PetscReal unit, PetscReal h)
{
  const PetscReal multiple = PetscFloorReal(t / unit + 0.5) * unit;

  return PetscAbsReal(t - multiple) <= SAME * h ? multiple : t;
}

/* The next time at which a step has to end; infinity if there is none. */
static PetscReal NextTarget(AbutStepper s, PetscReal h)
{
  const PetscReal t = s->state.time, last = AbutStepSpecEnd(&s->spec);
  PetscReal       target = PETSC_INFINITY;

  if (s->spec.landing > 0) target = (PetscFloorReal((t + SAME * h) / s->spec.landing) + 1) * s->spec.landing;
  if (last > t + SAME * h && last < target + SAME * h) target = last;
  return target;
}

void AbutAdaptiveBegin(AbutStepper s)
{
  const PetscReal t = s->state.time;
  PetscReal       h = s->spec.dt, target, left;

  if (s->spec.dt_min > 0 && s->spec.dt_min < h && s->state.dt > 0) h = PetscMin(PetscMax(s->state.dt, s->spec.dt_min), h);
  target = NextTarget(s, h);
  left   = target - t;
  if (left <= (1 + SAME) * h) {
    s->h        = left < (1 - SAME) * h ? left : h;
    s->time_end = target;
    return;
  }
  s->h        = left < 1.25 * h ? left / 2 : h; /* two halves rather than a step and a splinter */
  s->time_end = Snap(t + s->h, s->spec.dt, s->h);
}

PetscBool AbutAdaptiveHalve(AbutStepper s)
{
  const PetscReal least = s->spec.dt_min > 0 ? s->spec.dt_min : s->spec.dt;

  if (s->h / 2 < (1 - SAME) * least) return PETSC_FALSE;
  s->h /= 2;
  s->time_end = Snap(s->state.time + s->h, s->spec.dt, s->h);
  s->report.halvings++;
  return PETSC_TRUE;
}

void AbutAdaptiveAccept(AbutStepper s)
{
  AbutState *state = &s->state;

  state->step++;
  state->time = s->time_end;
  if (s->report.halvings > 0) {
    state->dt   = s->h;
    state->good = 0;
  } else if (++state->good >= GOOD_STEPS) {
    state->dt   = PetscMin(2 * state->dt, s->spec.dt);
    state->good = 0;
  }
}
