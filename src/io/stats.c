/* steps.csv: one row a step, flushed as it is written, so that a run can be watched and a killed run keeps its history. */
#include "statsimpl.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char *const columns =
  "step,time_s,dt_s,newton_iterations,linear_iterations,friction_lags,contacts,contacts_max,min_gap_m,kappa,"
  "energy_kinetic_J,energy_elastic_J,energy_contact_J,energy_gravity_J,momentum_x,momentum_y,momentum_z,"
  "angular_momentum_x,angular_momentum_y,angular_momentum_z,contact_force_x_N,contact_force_y_N,contact_force_z_N,residual_N,"
  "boundary_progress,intersections,inversions,smallest_step,limiter,wall_s";

static PetscErrorCode Header(AbutText *t)
{
  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, "%s", columns));
  for (int i = 0; i < ABUT_NUM_PHASES; i++) PetscCall(AbutTextAppend(t, ",wall_%s_s", AbutPhaseNames[i]));
  PetscCall(AbutTextAppend(t, "\n"));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStatsElapsed(PetscLogDouble *seconds)
{
  PetscLogDouble now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  *seconds = now - petsc_BaseTime;
  PetscFunctionReturn(0);
}

/* The rows of an earlier run up to `first_step`; a last row that was cut off by a kill has no end of line and is dropped. */
static PetscErrorCode KeepRows(FILE *old, const char path[], const char header[], PetscInt first_step, AbutText *t)
{
  char  *line   = NULL;
  size_t size   = 0;
  long   number = 0;

  PetscFunctionBegin;
  for (ssize_t n; (n = getline(&line, &size, old)) > 0 && line[n - 1] == '\n';) {
    long long step;
    if (!number++) {
      if (!strcmp(line, header)) continue;
      free(line);
      PetscFunctionReturn(AbutErrorSet(
        ABUT_ERR_INPUT, "%s:1: the columns are not those this program writes; move the file away or restart into another directory", path));
    }
    if (sscanf(line, "%lld", &step) == 1 && step <= (long long)first_step) PetscCall(AbutTextAppend(t, "%s", line));
  }
  free(line);
  PetscFunctionReturn(0);
}

/* Writes the header and the rows to keep, then opens the file for more; rank 0 only. */
static PetscErrorCode OpenTable(AbutStats s, PetscBool append)
{
  AbutText       t    = {0};
  FILE          *old  = append ? fopen(s->csv_path, "r") : NULL;
  PetscErrorCode ierr = 0;

  PetscFunctionBegin;
  PetscCall(Header(&t));
  if (old) {
    char *header;
    PetscCall(PetscStrallocpy(t.text, &header));
    ierr = KeepRows(old, s->csv_path, header, s->first_step, &t);
    PetscCall(PetscFree(header));
    fclose(old);
  }
  if (!ierr) ierr = AbutTextReplaceFile(&t, s->csv_path, PETSC_FALSE);
  PetscCall(AbutTextDestroy(&t));
  PetscCall(ierr);
  s->csv = fopen(s->csv_path, "a");
  AbutCheck(s->csv, ABUT_ERR_IO, "cannot write %s: %s", s->csv_path, strerror(errno));
  PetscFunctionReturn(0);
}

/* A summary of an earlier run must not pass for that of this one, should this one be killed. */
static PetscErrorCode RemoveOldSummary(AbutStats s)
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(AbutPathJoin(s->directory, "summary.json", path));
  AbutCheck(!unlink(path) || errno == ENOENT, ABUT_ERR_IO, "cannot remove the old %s: %s", path, strerror(errno));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStatsCreate(AbutMesh mesh, const AbutStatsSpec *spec, AbutStats *stats)
{
  AbutStats      s;
  PetscMPIInt    rank;
  PetscErrorCode local;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  s->mesh = mesh;
  PetscCall(AbutMeshGetComm(mesh, &s->comm));
  PetscCallMPI(MPI_Comm_rank(s->comm, &rank));
  PetscCall(PetscStrncpy(s->directory, spec->directory, sizeof(s->directory)));
  PetscCall(PetscStrncpy(s->scene, spec->scene ? spec->scene : "", sizeof(s->scene)));
  s->first_step = s->last_step = spec->append ? spec->first_step : 0;
  s->min_gap                   = PETSC_INFINITY;
  s->intersections = s->inversions = -1;
  s->converged                     = PETSC_TRUE;
  local                            = AbutPathJoin(s->directory, "steps.csv", s->csv_path);
  if (!rank && !local) local = RemoveOldSummary(s);
  if (!rank && !local) local = OpenTable(s, spec->append);
  local = AbutAgree(s->comm, local);
  PetscCall(PetscTime(&s->since));
  for (int i = 0; i < ABUT_NUM_PHASES; i++) s->phases[i] = AbutPhaseSeconds((AbutPhase)i);
  if (local) PetscCall(AbutStatsDestroy(&s));
  *stats = s;
  PetscCall(local);
  PetscFunctionReturn(0);
}

/* Seconds since the last row, in all and by phase, the most on any rank. */
static PetscErrorCode Clocks(AbutStats s, PetscLogDouble seconds[ABUT_NUM_PHASES + 1])
{
  PetscLogDouble now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  for (int i = 0; i < ABUT_NUM_PHASES; i++) {
    const PetscLogDouble clock = AbutPhaseSeconds((AbutPhase)i);
    seconds[i]                 = clock - s->phases[i];
    s->phases[i]               = clock;
  }
  seconds[ABUT_NUM_PHASES] = now - s->since;
  s->since                 = now;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, ABUT_NUM_PHASES + 1, MPI_DOUBLE, MPI_MAX, s->comm));
  PetscFunctionReturn(0);
}

static void Accumulate(AbutStats s, PetscInt step, PetscReal time, const AbutStepReport *r, PetscInt intersections, PetscInt inversions)
{
  s->steps++;
  s->last_step = step;
  s->time      = time;
  s->newton += r->newton_iterations;
  s->linear += r->linear_iterations;
  s->contacts_sum += (PetscReal)r->contacts;
  s->contacts_max = PetscMax(s->contacts_max, PetscMax(r->contacts, r->contacts_max));
  s->min_gap      = PetscMin(s->min_gap, r->min_gap);
  s->converged    = (PetscBool)(s->converged && r->converged);
  if (intersections >= 0) s->intersections = PetscMax(s->intersections, 0) + intersections;
  if (inversions >= 0) s->inversions = PetscMax(s->inversions, 0) + inversions;
}

static PetscErrorCode Real(AbutText *t, PetscReal value)
{
  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, ","));
  PetscCall(AbutTextAppendReal(t, value, "inf"));
  PetscFunctionReturn(0);
}

static PetscErrorCode Integer(AbutText *t, PetscInt value)
{
  return AbutTextAppend(t, ",%" PetscInt_FMT, value);
}

static PetscErrorCode Row(AbutText *t, PetscInt step, PetscReal time, PetscReal dt, const AbutStepReport *r, PetscInt intersections,
                          PetscInt inversions, const PetscLogDouble seconds[])
{
  const PetscInt  counts[]  = {r->newton_iterations, r->linear_iterations, r->friction_lags, r->contacts, r->contacts_max};
  const PetscReal numbers[] = {r->min_gap, r->kappa, r->energy_kinetic, r->energy_elastic, r->energy_contact, r->energy_gravity};

  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, "%" PetscInt_FMT, step));
  PetscCall(Real(t, time));
  PetscCall(Real(t, dt));
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) PetscCall(Integer(t, counts[i]));
  for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) PetscCall(Real(t, numbers[i]));
  for (int d = 0; d < 3; d++) PetscCall(Real(t, r->momentum[d]));
  for (int d = 0; d < 3; d++) PetscCall(Real(t, r->angular_momentum[d]));
  for (int d = 0; d < 3; d++) PetscCall(Real(t, r->contact_force[d]));
  PetscCall(Real(t, r->residual));
  PetscCall(Real(t, r->boundary_progress));
  PetscCall(Integer(t, intersections));
  PetscCall(Integer(t, inversions));
  PetscCall(Real(t, r->smallest_step));
  PetscCall(AbutTextAppend(t, ",%s,%.6f", AbutLimiters[r->limiter], seconds[ABUT_NUM_PHASES]));
  for (int i = 0; i < ABUT_NUM_PHASES; i++) PetscCall(AbutTextAppend(t, ",%.6f", seconds[i]));
  PetscCall(AbutTextAppend(t, "\n"));
  PetscFunctionReturn(0);
}

static PetscErrorCode Put(AbutStats s, const AbutText *t)
{
  PetscFunctionBegin;
  errno = 0;
  AbutCheck(fwrite(t->text, 1, t->length, s->csv) == t->length && !fflush(s->csv), ABUT_ERR_IO, "cannot write %s: %s", s->csv_path,
            strerror(errno));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStatsAddStep(AbutStats s, PetscInt step, PetscReal time, PetscReal dt, const AbutStepReport *report,
                                PetscInt intersections, PetscInt inversions)
{
  PetscLogDouble seconds[ABUT_NUM_PHASES + 1];
  AbutText       t     = {0};
  PetscErrorCode local = 0;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_OUTPUT));
  PetscCall(Clocks(s, seconds));
  s->solve += PetscMax(0, seconds[ABUT_NUM_PHASES] - seconds[ABUT_PHASE_SETUP] - seconds[ABUT_PHASE_OUTPUT]);
  Accumulate(s, step, time, report, intersections, inversions);
  if (s->csv) {
    PetscCall(Row(&t, step, time, dt, report, intersections, inversions, seconds));
    local = Put(s, &t);
    PetscCall(AbutTextDestroy(&t));
  }
  local = AbutAgree(s->comm, local);
  PetscCall(AbutPhaseEnd(ABUT_PHASE_OUTPUT));
  PetscCall(local);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStatsDestroy(AbutStats *stats)
{
  AbutStats s = *stats;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(0);
  if (s->csv) fclose(s->csv);
  PetscCall(PetscFree(s));
  *stats = NULL;
  PetscFunctionReturn(0);
}
