/* Progress of a run on standard output: a line per step for log files, a bar for terminals. */
#include "app.h"
#include <petsctime.h>
#include <stdio.h>

#define BAR_LENGTH 30
#define SAME_STEP  1e-9 /* relative difference of step lengths below which they count as equal */

const char *const ProgressModes[] = {"auto", "bar", "lines", "none", "ProgressMode", "PROGRESS_", NULL};

/* Whether a step ends at a point of the table between two multiples of `time.step`. */
static PetscBool Splits(const AbutTimeTable *table, const AbutStepSpec *spec)
{
  for (PetscInt i = 0; i < table->num; i++) {
    const PetscReal t = table->points[2 * i], steps = PetscFloorReal(t / spec->dt + 0.5);

    if (t <= 0 || t >= AbutStepSpecEnd(spec) || !AbutTimeTableEndsStep(table, i, spec->dt)) continue;
    if (PetscAbsReal(t - steps * spec->dt) > SAME_STEP * t) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Whether all steps have the same length, so that their number is known. */
static PetscBool IsUniform(const AbutScene *scene)
{
  const AbutStepSpec *spec = &scene->step;

  if (spec->dt_min < spec->dt || spec->landing > 0) return PETSC_FALSE;
  for (PetscInt m = 0; m < scene->num_motions; m++)
    if (Splits(&scene->motions[m].table, spec)) return PETSC_FALSE;
  for (PetscInt l = 0; l < scene->num_loads; l++)
    if (Splits(&scene->loads[l].table, spec)) return PETSC_FALSE;
  return PETSC_TRUE;
}

PetscErrorCode ProgressCreate(MPI_Comm comm, const Run *run, Progress *progress)
{
  const AbutStepSpec *spec = &run->model.scene->step;

  PetscFunctionBegin;
  progress->comm    = comm;
  progress->verbose = run->verbose;
  progress->mode    = run->progress_mode;
  if (progress->mode == PROGRESS_AUTO) progress->mode = !run->verbose && run->terminal ? PROGRESS_BAR : PROGRESS_LINES;
  progress->silence = run->silence;
  progress->first   = run->state->step;
  progress->from    = run->state->time;
  progress->to      = AbutStepSpecEnd(spec);
  progress->dt      = spec->dt;
  progress->last    = run->steps;
  if (progress->last < 0 && IsUniform(run->model.scene)) progress->last = spec->steps;
  PetscCall(PetscTime(&progress->start));
  progress->printed = progress->start;
  PetscFunctionReturn(0);
}

PetscErrorCode ProgressNewton(const AbutNewtonReport *r, void *ctx)
{
  Progress      *progress = ctx;
  PetscLogDouble now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  if (!progress->verbose) {
    if (progress->mode != PROGRESS_LINES || progress->silence <= 0 || now - progress->printed < progress->silence) PetscFunctionReturn(0);
  }
  PetscCall(PetscPrintf(progress->comm,
                        "newton step=%" PetscInt_FMT " it=%" PetscInt_FMT
                        " energy=%.12e grad=%.3e dir_m_per_s=%.3e bound=%.3e alpha=%.3e contacts=%" PetscInt_FMT
                        " min_gap_m=%.3e kappa=%.3e ksp=%" PetscInt_FMT " limiter=%s local=%" PetscInt_FMT "\n",
                        r->step, r->iteration, (double)r->energy, (double)r->gradient_norm, (double)r->direction_norm,
                        (double)r->step_bound, (double)r->step_length, r->contacts, (double)r->min_gap, (double)r->kappa,
                        r->linear_iterations, AbutLimiters[r->limiter], r->local));
  fflush(PETSC_STDOUT);
  progress->printed = now;
  PetscFunctionReturn(0);
}

void ProgressCount(Progress *progress, const AbutStepReport *report)
{
  progress->newton += report->count.newton;
  progress->local += report->count.local;
  progress->linear += report->count.linear;
}

/* Fraction of the run that is done: of its steps if -steps limits them, else of its time. */
static PetscReal Fraction(const Progress *p, PetscBool counted, PetscInt step, PetscReal time)
{
  if (counted) return p->last > p->first ? (PetscReal)(step - p->first) / (PetscReal)(p->last - p->first) : 1;
  return p->to > p->from ? PetscMin((time - p->from) / (p->to - p->from), 1) : 1;
}

PetscErrorCode ProgressPrintBar(MPI_Comm comm, PetscReal fraction, const char text[], double left)
{
  char bar[BAR_LENGTH + 1];

  PetscFunctionBegin;
  for (int k = 0; k < BAR_LENGTH; k++) bar[k] = k < fraction * BAR_LENGTH ? '#' : '.';
  bar[BAR_LENGTH] = '\0';
  PetscCall(PetscPrintf(comm, "\r[%s] %s  %.0f s left   ", bar, text, left));
  PetscFunctionReturn(0);
}

PetscErrorCode ProgressStep(Progress *p, PetscInt step, PetscReal time, const AbutStepReport *r)
{
  const PetscReal fraction = Fraction(p, (PetscBool)(p->to >= PETSC_MAX_REAL), step, time);
  PetscLogDouble  now;
  double          elapsed, left;
  char            shorter[96] = "", of[32] = "", text[256];

  PetscFunctionBegin;
  if (p->mode == PROGRESS_NONE) PetscFunctionReturn(0);
  if (p->last > 0) PetscCall(PetscSNPrintf(of, sizeof(of), "/%" PetscInt_FMT, p->last));
  if (PetscAbsReal(r->dt - p->dt) > SAME_STEP * p->dt || r->halvings)
    PetscCall(PetscSNPrintf(shorter, sizeof(shorter), " dt_s=%.6g halvings=%" PetscInt_FMT, (double)r->dt, r->halvings));
  PetscCall(PetscTime(&now));
  elapsed = now - p->start;
  left    = fraction > 0 ? elapsed * (1 / fraction - 1) : 0;
  if (p->mode == PROGRESS_BAR) {
    PetscCall(PetscSNPrintf(text, sizeof(text),
                            "step %" PetscInt_FMT "%s  t = %.4g s%s  %" PetscInt_FMT " Newton  %" PetscInt_FMT " contacts", step, of,
                            (double)time, shorter, r->count.newton, r->contact.count));
    PetscCall(ProgressPrintBar(p->comm, fraction, text, left));
  } else {
    PetscCall(PetscPrintf(p->comm,
                          "step %" PetscInt_FMT "%s time_s=%.6g%s newton=%" PetscInt_FMT " local=%" PetscInt_FMT " linear=%" PetscInt_FMT
                          " contacts=%" PetscInt_FMT " min_gap_m=%.3e kappa=%.3e limiter=%s wall_s=%.2f left_s=%.0f\n",
                          step, of, (double)time, shorter, r->count.newton, r->count.local, r->count.linear, r->contact.count,
                          (double)r->contact.min_gap, (double)r->kappa, AbutLimiters[r->search.limiter], elapsed, left));
  }
  fflush(PETSC_STDOUT);
  p->printed = now;
  PetscFunctionReturn(0);
}

PetscErrorCode ProgressEndLine(const Progress *progress)
{
  PetscFunctionBegin;
  if (progress->mode == PROGRESS_BAR) {
    PetscCall(PetscPrintf(progress->comm, "\n"));
    fflush(PETSC_STDOUT);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode ProgressEnd(const Progress *progress, PetscInt step, AbutExitCode exit_code)
{
  PetscLogDouble now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  PetscCall(ProgressEndLine(progress));
  if (progress->mode != PROGRESS_LINES) PetscFunctionReturn(0);
  PetscCall(PetscPrintf(
    progress->comm,
    "end steps=%" PetscInt_FMT " newton=%" PetscInt_FMT " local=%" PetscInt_FMT " linear=%" PetscInt_FMT " wall_s=%.2f exit=%d\n",
    step - progress->first, progress->newton, progress->local, progress->linear, (double)(now - progress->start), (int)exit_code));
  fflush(PETSC_STDOUT);
  PetscFunctionReturn(0);
}
