/* Lines for logs, a bar for terminals. */
#include "app.h"
#include <petsctime.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BAR        30
#define LASTING    3   /* steps */
#define UNBALANCED 0.5 /* of the largest contact force; the worst steps of nine scenes in inputs/ leave 4e-10 to 0.48 */

PetscErrorCode ProgressCreate(MPI_Comm comm, PetscBool verbose, const AbutState *state, const AbutStepSpec *spec, Progress *progress)
{
  PetscFunctionBegin;
  progress->comm     = comm;
  progress->verbose  = verbose;
  progress->terminal = (PetscBool)(!verbose && isatty(STDOUT_FILENO));
  progress->first    = state->step;
  progress->last     = spec->dt_min < spec->dt || spec->landing > 0 ? 0 : spec->steps; /* unknown where steps may be short */
  progress->from     = state->time;
  progress->to       = AbutStepSpecEnd(spec);
  progress->dt       = spec->dt;
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

/* Once a run: what follows can be seen in steps.csv. */
static PetscErrorCode WarnOfHalving(Progress *progress, PetscInt step, const AbutStepReport *r)
{
  PetscFunctionBegin;
  if (!r->halvings || progress->warned) PetscFunctionReturn(0);
  progress->warned = PETSC_TRUE;
  PetscCall(PetscFPrintf(progress->comm, PETSC_STDERR,
                         "%sabut: warning: step %" PetscInt_FMT " converged only after its length was halved %" PetscInt_FMT
                         " times, to %g s (limiter: %s); steps.csv lists all such steps under halvings\n",
                         progress->terminal ? "\n" : "", step, r->halvings, (double)r->dt, AbutLimiters[r->search.limiter]));
  PetscFunctionReturn(0);
}

/*
  Newton stops by lengths; where a barrier is stiff, these may be right and forces far from it. Once a run, as above: of a state that lasts or
  that the run ends with, not where bodies begin to touch and contact forces are next to nothing.
*/
static PetscErrorCode WarnOfImbalance(Progress *progress, PetscInt step, PetscBool last, const AbutStepReport *r)
{
  PetscFunctionBegin;
  progress->unbalanced = r->contact.count > 0 && r->force.residual > UNBALANCED * r->force.contact_max ? progress->unbalanced + 1 : 0;
  if (progress->unbalanced < (last ? 1 : LASTING) || progress->warned_of_forces) PetscFunctionReturn(0);
  progress->warned_of_forces = PETSC_TRUE;
  PetscCall(
    PetscFPrintf(progress->comm, PETSC_STDERR,
                 "%sabut: warning: step %" PetscInt_FMT " converged to solver.tolerance with %.3g N on a vertex that nothing "
                 "balances, where contact forces are at most %.3g N: if forces matter take a smaller solver.tolerance; see residual_N and "
                 "contact_force_max_N in steps.csv\n",
                 progress->terminal ? "\n" : "", step, (double)r->force.residual, (double)r->force.contact_max));
  PetscFunctionReturn(0);
}

PetscErrorCode ProgressStep(Progress *progress, PetscInt step, PetscReal time, PetscBool last, const AbutStepReport *r)
{
  const PetscReal share = progress->to > progress->from ? PetscMin((time - progress->from) / (progress->to - progress->from), 1) : 1;
  PetscLogDouble  now;
  double          elapsed, left;
  char            shorter[96] = "", of[32] = "";

  PetscFunctionBegin;
  if (progress->last) PetscCall(PetscSNPrintf(of, sizeof(of), "/%" PetscInt_FMT, progress->last));
  if (PetscAbsReal(r->dt - progress->dt) > 1e-9 * progress->dt || r->halvings)
    PetscCall(PetscSNPrintf(shorter, sizeof(shorter), " dt_s=%.6g halvings=%" PetscInt_FMT, (double)r->dt, r->halvings));
  PetscCall(PetscTime(&now));
  elapsed = now - progress->start;
  left    = share > 0 ? elapsed * (1 / share - 1) : 0;
  if (progress->terminal) {
    char bar[BAR + 1];
    for (int k = 0; k < BAR; k++) bar[k] = k < share * BAR ? '#' : '.';
    bar[BAR] = '\0';
    PetscCall(PetscPrintf(
      progress->comm, "\r[%s] step %" PetscInt_FMT "%s  t = %.4g s%s  %" PetscInt_FMT " Newton  %" PetscInt_FMT " contacts  %.0f s left   ",
      bar, step, of, (double)time, shorter, r->count.newton, r->contact.count, left));
  } else {
    PetscCall(PetscPrintf(progress->comm,
                          "step %" PetscInt_FMT "%s time_s=%.6g%s newton=%" PetscInt_FMT " linear=%" PetscInt_FMT " contacts=%" PetscInt_FMT
                          " min_gap_m=%.3e kappa=%.3e limiter=%s wall_s=%.2f left_s=%.0f\n",
                          step, of, (double)time, shorter, r->count.newton, r->count.linear, r->contact.count, (double)r->contact.min_gap,
                          (double)r->kappa, AbutLimiters[r->search.limiter], elapsed, left));
  }
  fflush(stdout);
  PetscCall(WarnOfHalving(progress, step, r));
  PetscCall(WarnOfImbalance(progress, step, last, r));
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
      if (args[k][0] == '-' && !strcmp(args[k] + 1, names[i])) {
        const char *nearest = OptionsNearest(args[k]);
        PetscCall(PetscFPrintf(progress->comm, PETSC_STDERR, "abut: warning: nothing has read the option %s%s%s%s\n", args[k],
                               nearest ? ", did you mean " : "", nearest ? nearest : "", nearest ? "?" : ""));
      }
  PetscCall(PetscOptionsLeftRestore(NULL, &count, &names, &values));
  PetscFunctionReturn(0);
}

PetscErrorCode ProgressEnd(Progress *progress)
{
  PetscFunctionBegin;
  if (progress->terminal) PetscCall(PetscPrintf(progress->comm, "\n"));
  PetscFunctionReturn(0);
}
