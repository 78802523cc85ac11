/* steps.csv: one row per step, flushed at once, so that a run can be watched and a killed run keeps its rows. */
#include "statsimpl.h"

static const char *const columns =
  "step,time_s,dt_s,newton_iterations,linear_iterations,friction_lags,contacts,contacts_max,min_gap_m,kappa,"
  "energy_kinetic_J,energy_elastic_J,energy_contact_J,energy_gravity_J,momentum_x,momentum_y,momentum_z,"
  "angular_momentum_x,angular_momentum_y,angular_momentum_z,contact_force_x_N,contact_force_y_N,contact_force_z_N,residual_N,"
  "boundary_progress,intersections,inversions,smallest_step,limiter,wall_s";

/* Columns after the phases; new columns are appended: scripts rely on the order. */
static const char *const more_columns =
  ",halvings,limit_none,limit_ccd,limit_inversion,limit_energy,limit_bound,linear_failures,projected,friction_residual_m_per_s,"
  "sticking,sliding,friction_force_x_N,friction_force_y_N,friction_force_z_N,energy_friction_J,"
  "contact_force_max_N,local_iterations,imbalance,imbalance_body";

static void Header(AbutText *t, PetscBool dissipates)
{
  AbutTextAppend(t, "%s", columns);
  for (int i = 0; i < ABUT_NUM_PHASES; i++) AbutTextAppend(t, ",wall_%s_s", AbutPhaseNames[i]);
  AbutTextAppend(t, "%s%s\n", more_columns, dissipates ? ",energy_dissipated_J" : "");
}

/* Opens the tables. Not collective: rank 0 only. */
static PetscErrorCode OpenTables(AbutStats s, PetscBool append, PetscBool has_gas)
{
  AbutText       header = {0};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  Header(&header, s->dissipates);
  ierr = header.error;
  if (!ierr) ierr = AbutTableOpen(&s->steps_csv, s->directory, "steps.csv", header.text, append, s->first_step);
  PetscCall(AbutTextDestroy(&header));
  PetscCall(ierr);
  if (s->steps_csv.last < s->first_step)
    PetscCall(AbutWarn(PETSC_COMM_SELF,
                       "%s ends with step %" PetscInt_FMT ", the rows up to step %" PetscInt_FMT " of the checkpoint are lost",
                       s->steps_csv.path, s->steps_csv.last, s->first_step));
  PetscCall(AbutTableOpen(&s->pairs_csv, s->directory, "pairs.csv", AbutPairsHeader, append, s->first_step));
  if (has_gas) PetscCall(AbutTableOpen(&s->cavities_csv, s->directory, "cavities.csv", AbutCavitiesHeader, append, s->first_step));
  PetscCall(AbutTableOpen(&s->motions_csv, s->directory, "motions.csv", AbutMotionsHeader, append, s->first_step));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStatsCreate(AbutMesh mesh, const AbutStatsSpec *spec, AbutStats *stats)
{
  AbutStats      s;
  PetscErrorCode local;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  s->mesh = mesh;
  s->comm = AbutMeshGetComm(mesh);
  PetscCallMPI(MPI_Comm_rank(s->comm, &s->rank));
  s->mesh_error_body = -1;
  PetscCall(PetscStrncpy(s->directory, spec->directory, sizeof(s->directory)));
  PetscCall(PetscStrncpy(s->scene, spec->scene ? spec->scene : "", sizeof(s->scene)));
  if (!s->rank) AbutFileSHA256(s->scene, s->scene_hash);
  s->num_planes = spec->num_planes;
  s->dissipates = spec->dissipates;
  s->first_step = spec->append ? spec->first_step : 0;
  s->totals     = (AbutTotals){.last_step     = s->first_step,
                               .time          = spec->first_time,
                               .min_gap       = PETSC_INFINITY,
                               .smallest_dt   = PETSC_INFINITY,
                               .intersections = -1,
                               .inversions    = -1,
                               .converged     = PETSC_TRUE};
  local         = AbutAgree(s->comm, s->rank ? 0 : OpenTables(s, spec->append, spec->has_gas));
  PetscCall(PetscTime(&s->since));
  for (int i = 0; i < ABUT_NUM_PHASES; i++) s->phases[i] = AbutPhaseSeconds((AbutPhase)i);
  if (local) PetscCall(AbutStatsDestroy(&s));
  *stats = s;
  PetscCall(local);
  PetscFunctionReturn(0);
}

/* Seconds since the last row by phase, and in all as the last entry: maximum over ranks. Collective. */
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

static void Accumulate(AbutTotals *s, PetscInt step, PetscReal time, const AbutStepReport *r, PetscInt intersections, PetscInt inversions)
{
  s->steps++;
  s->last_step = step;
  s->time      = time;
  s->count.newton += r->count.newton;
  s->count.linear += r->count.linear;
  s->count.local += r->count.local;
  s->count.linear_failures += r->count.linear_failures;
  s->count.projected += r->count.projected;
  s->count.friction_lags += r->count.friction_lags;
  s->halvings += r->halvings;
  for (int k = 0; k < ABUT_NUM_LIMITS; k++) s->limits[k] += r->search.limits[k];
  s->smallest_dt       = PetscMin(s->smallest_dt, r->dt);
  s->sticking          = r->contact.sticking;
  s->sliding           = r->contact.sliding;
  s->friction_residual = PetscMax(s->friction_residual, r->friction_residual);
  s->energy_friction += r->energy.friction;
  s->contacts_sum += (PetscReal)r->contact.count;
  s->contacts_max = PetscMax(s->contacts_max, PetscMax(r->contact.count, r->contact.count_max));
  s->min_gap      = PetscMin(s->min_gap, r->contact.min_gap);
  s->converged    = (PetscBool)(s->converged && r->converged);
  s->imbalance    = PetscMax(s->imbalance, r->force.imbalance);
  s->unbalanced += r->force.unbalanced;
  s->at_round_off += r->force.at_round_off;
  if (intersections >= 0) s->intersections = PetscMax(s->intersections, 0) + intersections;
  if (inversions >= 0) s->inversions = PetscMax(s->inversions, 0) + inversions;
}

void AbutStatsSetMeshError(AbutStats s, PetscReal share, PetscInt body)
{
  s->mesh_error      = share;
  s->mesh_error_body = body;
}

static void MoreColumns(AbutText *t, const AbutMeshLocal *m, const AbutStepReport *r)
{
  AbutTableInteger(t, r->halvings);
  for (int k = 0; k < ABUT_NUM_LIMITS; k++) AbutTableInteger(t, r->search.limits[k]);
  AbutTableInteger(t, r->count.linear_failures);
  AbutTableInteger(t, r->count.projected);
  AbutTableReal(t, r->friction_residual);
  AbutTableInteger(t, r->contact.sticking);
  AbutTableInteger(t, r->contact.sliding);
  for (int d = 0; d < 3; d++) AbutTableReal(t, r->force.friction[d]);
  AbutTableReal(t, r->energy.friction);
  AbutTableReal(t, r->force.contact_max);
  AbutTableInteger(t, r->count.local);
  AbutTableReal(t, r->force.imbalance);
  AbutTableText(t, r->force.imbalance_body < 0 ? "" : m->bodies[r->force.imbalance_body].name);
}

static void Row(AbutText *t, const AbutMeshLocal *m, PetscInt step, PetscReal time, const AbutStepReport *r, PetscInt intersections,
                PetscInt inversions, const PetscLogDouble seconds[])
{
  const PetscInt  counts[]  = {r->count.newton, r->count.linear, r->count.friction_lags, r->contact.count, r->contact.count_max};
  const PetscReal numbers[] = {r->contact.min_gap, r->kappa, r->energy.kinetic, r->energy.elastic, r->energy.contact, r->energy.gravity};

  AbutTextAppend(t, "%" PetscInt_FMT, step);
  AbutTableReal(t, time);
  AbutTableReal(t, r->dt);
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) AbutTableInteger(t, counts[i]);
  for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) AbutTableReal(t, numbers[i]);
  for (int d = 0; d < 3; d++) AbutTableReal(t, r->momentum[d]);
  for (int d = 0; d < 3; d++) AbutTableReal(t, r->angular_momentum[d]);
  for (int d = 0; d < 3; d++) AbutTableReal(t, r->force.contact[d]);
  AbutTableReal(t, r->force.residual);
  AbutTableReal(t, r->boundary_progress);
  AbutTableInteger(t, intersections);
  AbutTableInteger(t, inversions);
  AbutTableReal(t, r->search.smallest_step);
  AbutTextAppend(t, ",%s,%.6f", AbutLimiters[r->search.limiter], seconds[ABUT_NUM_PHASES]);
  for (int i = 0; i < ABUT_NUM_PHASES; i++) AbutTextAppend(t, ",%.6f", seconds[i]);
  MoreColumns(t, m, r);
}

PetscErrorCode AbutStatsAddStep(AbutStats s, PetscInt step, PetscReal time, const AbutStepReport *report, PetscInt intersections,
                                PetscInt inversions)
{
  PetscLogDouble seconds[ABUT_NUM_PHASES + 1];
  AbutText       t = {0};

  PetscFunctionBegin;
  PetscCall(Clocks(s, seconds));
  s->solve += PetscMax(0, seconds[ABUT_NUM_PHASES] - seconds[ABUT_PHASE_SETUP] - seconds[ABUT_PHASE_OUTPUT]);
  Accumulate(&s->totals, step, time, report, intersections, inversions);
  if (!s->rank) Row(&t, AbutMeshGetLocal(s->mesh), step, time, report, intersections, inversions, seconds);
  if (!s->rank && s->dissipates) AbutTableReal(&t, report->energy.dissipated);
  if (!s->rank) AbutTextAppend(&t, "\n");
  PetscCall(AbutAgree(s->comm, AbutTablePut(&s->steps_csv, &t)));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStatsDestroy(AbutStats *stats)
{
  AbutStats s = *stats;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(0);
  AbutTableClose(&s->steps_csv);
  AbutTableClose(&s->pairs_csv);
  AbutTableClose(&s->cavities_csv);
  AbutTableClose(&s->motions_csv);
  PetscCall(PetscFree(s));
  *stats = NULL;
  PetscFunctionReturn(0);
}
