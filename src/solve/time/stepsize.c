/*
  Length of a step: time.step of the scene; halved while Newton's method fails, doubled again after some steps without halving, and
  shortened so that steps end exactly at output times, at the points of tables and at the end of the run. Of points closer than time.step,
  such as records of earthquakes have, steps end at the first and the last one.
*/
#include "timeimpl.h"

#define SAME       1e-6 /* times that differ by less than this fraction of a step are equal */
#define GOOD_STEPS 4    /* steps without halving after which a halved length doubles */

/* Rounds t to a multiple of `unit` if it differs from it by round-off only. */
static PetscReal Snap(PetscReal t, PetscReal unit, PetscReal h)
{
  const PetscReal multiple = PetscFloorReal(t / unit + 0.5) * unit;

  return PetscAbsReal(t - multiple) <= SAME * h ? multiple : t;
}

/* Appends the points of a table at which steps end to the corners; without `size->corner` counts them only. */
static void AddCorners(const AbutTimeTable *table, PetscReal dt, StepSize *size)
{
  for (PetscInt i = 0; i < table->num; i++) {
    if (!AbutTimeTableEndsStep(table, i, dt)) continue;
    if (size->corner) size->corner[size->num_corners] = table->points[2 * i];
    size->num_corners++;
  }
}

PetscErrorCode AbutStepSizeCreate(const AbutModelParts *parts, const AbutStepSpec *spec, StepSize *size)
{
  PetscFunctionBegin;
  for (int pass = 0; pass < 2; pass++) {
    if (pass) PetscCall(PetscMalloc1(size->num_corners, &size->corner));
    size->num_corners = 0;
    for (PetscInt m = 0; m < parts->num_motions; m++) AddCorners(&parts->motions[m].table, spec->dt, size);
    for (PetscInt k = 0; k < parts->num_loads; k++) AddCorners(&parts->loads[k].table, spec->dt, size);
  }
  PetscCall(PetscSortReal(size->num_corners, size->corner));
  PetscFunctionReturn(0);
}

/* The first corner after t; infinity if there is none. */
static PetscReal NextCorner(const StepSize *size, PetscReal t)
{
  PetscInt low = 0, high = size->num_corners;

  while (low < high) {
    const PetscInt middle = (low + high) / 2;
    if (size->corner[middle] > t)
      high = middle;
    else
      low = middle + 1;
  }
  return low < size->num_corners ? size->corner[low] : PETSC_INFINITY;
}

/* The next time at which a step must end; infinity if there is none. */
static PetscReal NextTarget(const AbutStepSpec *spec, const StepSize *size, PetscReal t, PetscReal h)
{
  const PetscReal last   = AbutStepSpecEnd(spec);
  const PetscReal corner = NextCorner(size, t + SAME * h);
  PetscReal       target = PETSC_INFINITY;

  if (spec->landing > 0) target = (PetscFloorReal((t + SAME * h) / spec->landing) + 1) * spec->landing;
  if (last > t + SAME * h && last < target + SAME * h) target = last;
  return corner < target - SAME * h ? corner : target; /* a point at 0.6 s is the end of 6 steps of 0.1 s, whose product is above it */
}

void AbutStepSizeBegin(const AbutStepSpec *spec, const AbutState *state, StepSize *size)
{
  const PetscReal t = state->time;
  PetscReal       h = spec->dt, target, left;

  size->halvings = 0;
  if (spec->dt_min > 0 && spec->dt_min < h && state->dt > 0) h = PetscMin(PetscMax(state->dt, spec->dt_min), h);
  target = NextTarget(spec, size, t, h);
  left   = target - t;
  if (left <= (1 + SAME) * h) {
    size->h        = left < (1 - SAME) * h ? left : h;
    size->time_end = target;
    return;
  }
  size->h        = left < 1.25 * h ? left / 2 : h; /* two equal steps are better than a full and a tiny one */
  size->time_end = Snap(t + size->h, spec->dt, size->h);
}

PetscBool AbutStepSizeHalve(const AbutStepSpec *spec, const AbutState *state, StepSize *size)
{
  const PetscReal least = spec->dt_min > 0 ? spec->dt_min : spec->dt;

  if (size->h / 2 < (1 - SAME) * least) return PETSC_FALSE;
  size->h /= 2;
  size->time_end = Snap(state->time + size->h, spec->dt, size->h);
  size->halvings++;
  return PETSC_TRUE;
}

void AbutStepSizeAccept(const AbutStepSpec *spec, const StepSize *size, AbutState *state)
{
  state->step++;
  state->time = size->time_end;
  if (size->halvings > 0) {
    state->dt   = size->h;
    state->good = 0;
  } else if (++state->good >= GOOD_STEPS) {
    state->dt   = PetscMin(2 * state->dt, spec->dt);
    state->good = 0;
  }
}
