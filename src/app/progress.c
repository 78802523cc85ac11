/* Lines for logs, a bar for terminals. */
#include "app.h"
#include <petsctime.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BAR 30

PetscErrorCode ProgressCreate(MPI_Comm comm, PetscBool verbose, PetscInt first, PetscInt last, Progress *progress)
{
  PetscFunctionBegin;
  progress->comm     = comm;
  progress->verbose  = verbose;
  progress->terminal = (PetscBool)(!verbose && isatty(STDOUT_FILENO));
  progress->first    = first;
  progress->last     = last;
  PetscCall(PetscTime(&progress->start));
  PetscFunctionReturn(0);
}

PetscErrorCode ProgressNewton(const AbutNewtonReport *r, void *ctx)
{
  const Progress *progress = (const Progress *)ctx;

  PetscFunctionBegin;
  if (progress->verbose)
    PetscCall(PetscPrintf(progress->comm,
                          "newton step=%" PetscInt_FMT " it=%" PetscInt_FMT
                          " energy=%.12e grad=%.3e dir_m_per_s=%.3e bound=%.3e alpha=%.3e contacts=%" PetscInt_FMT
                          " min_gap_m=%.3e kappa=%.3e ksp=%" PetscInt_FMT " limiter=%s\n",
                          r->step, r->iteration, (double)r->energy, (double)r->gradient_norm, (double)r->direction_norm,
                          (double)r->step_bound, (double)r->step_length, r->contacts, (double)r->min_gap, (double)r->kappa,
                          r->linear_iterations, AbutLimiters[r->limiter]));
  PetscFunctionReturn(0);
}

PetscErrorCode ProgressStep(Progress *progress, PetscInt step, PetscReal time, const AbutStepReport *r)
{
  const PetscReal share = (PetscReal)(step - progress->first) / PetscMax(progress->last - progress->first, 1);
  PetscLogDouble  now;
  double          elapsed, left;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  elapsed = now - progress->start;
  left    = share > 0 ? elapsed * (1 / share - 1) : 0;
  if (progress->terminal) {
    char bar[BAR + 1];
    for (int k = 0; k < BAR; k++) bar[k] = k < share * BAR ? '#' : '.';
    bar[BAR] = '\0';
    PetscCall(PetscPrintf(progress->comm,
                          "\r[%s] step %" PetscInt_FMT "/%" PetscInt_FMT "  t = %.4g s  %" PetscInt_FMT " Newton  %" PetscInt_FMT
                          " contacts  %.0f s left   ",
                          bar, step, progress->last, (double)time, r->newton_iterations, r->contacts, left));
  } else {
    PetscCall(PetscPrintf(progress->comm,
                          "step %" PetscInt_FMT "/%" PetscInt_FMT " time_s=%.6g newton=%" PetscInt_FMT " linear=%" PetscInt_FMT
                          " contacts=%" PetscInt_FMT " min_gap_m=%.3e kappa=%.3e limiter=%s wall_s=%.2f left_s=%.0f\n",
                          step, progress->last, (double)time, r->newton_iterations, r->linear_iterations, r->contacts, (double)r->min_gap,
                          (double)r->kappa, AbutLimiters[r->limiter], elapsed, left));
  }
  fflush(stdout);
  PetscFunctionReturn(0);
}

PetscErrorCode ProgressUnreadOptions(const Progress *progress)
{
  PetscInt count;
  int      num_args;
  char   **names, **values, **args;

  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &count, &names, &values));
  PetscCall(PetscGetArgs(&num_args, &args));
  for (PetscInt i = 0; i < count; i++)
    for (int k = 1; k < num_args; k++) /* the solvers' defaults are in the database too, and are nobody's mistake */
      if (args[k][0] == '-' && !strcmp(args[k] + 1, names[i]))
        PetscCall(PetscFPrintf(progress->comm, PETSC_STDERR, "abut: warning: nothing has read the option -%s\n", names[i]));
  PetscCall(PetscOptionsLeftRestore(NULL, &count, &names, &values));
  PetscFunctionReturn(0);
}

PetscErrorCode ProgressEnd(Progress *progress)
{
  PetscFunctionBegin;
  if (progress->terminal) PetscCall(PetscPrintf(progress->comm, "\n"));
  PetscFunctionReturn(0);
}
