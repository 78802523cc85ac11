/* summary.json: totals, sizes, resources and options of a run, for scripts. */
#include "statsimpl.h"
#include <sys/resource.h>

/* Resources of all ranks. */
typedef struct {
  PetscMPIInt    ranks;
  AbutHosts      hosts;
  double         memory_max, memory_sum; /* [MB] peaks of resident memory */
  PetscLogDouble total, phases[ABUT_NUM_PHASES];
} Resources;

static PetscErrorCode Gather(AbutStats s, Resources *g)
{
  struct rusage usage;
  double        megabytes = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(s->comm, &g->ranks));
  if (!getrusage(RUSAGE_SELF, &usage)) megabytes = (double)usage.ru_maxrss / 1024;
  PetscCallMPI(MPI_Allreduce(&megabytes, &g->memory_max, 1, MPI_DOUBLE, MPI_MAX, s->comm));
  PetscCallMPI(MPI_Allreduce(&megabytes, &g->memory_sum, 1, MPI_DOUBLE, MPI_SUM, s->comm));
  PetscCall(AbutHostsGather(s->comm, &g->hosts));
  g->total = AbutPhaseElapsed();
  for (int i = 0; i < ABUT_NUM_PHASES; i++) g->phases[i] = AbutPhaseSeconds((AbutPhase)i);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &g->total, 1, MPI_DOUBLE, MPI_MAX, s->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, g->phases, ABUT_NUM_PHASES, MPI_DOUBLE, MPI_MAX, s->comm));
  PetscFunctionReturn(0);
}

static void Outcome(AbutText *t, AbutStats s, AbutExitCode exit_code, const char message[])
{
  const AbutTotals *n = &s->totals;

  AbutJSONInteger(t, 1, "exit_code", (PetscInt)exit_code);
  AbutJSONString(t, 1, "message", message ? message : "");
  AbutJSONBool(t, 1, "converged", (PetscBool)(n->converged && exit_code != ABUT_EXIT_DIVERGED));
  AbutJSONInteger(t, 1, "first_step", s->first_step);
  AbutJSONInteger(t, 1, "last_step", n->last_step);
  AbutJSONInteger(t, 1, "steps", n->steps);
  AbutJSONReal(t, 1, "time_s", n->time);
  AbutJSONInteger(t, 1, "newton_iterations", n->count.newton);
  AbutJSONInteger(t, 1, "local_iterations", n->count.local);
  AbutJSONInteger(t, 1, "linear_iterations", n->count.linear);
  AbutJSONInteger(t, 1, "linear_failures", n->count.linear_failures);
  AbutJSONInteger(t, 1, "projected", n->count.projected);
  AbutJSONInteger(t, 1, "halvings", n->halvings);
  AbutJSONReal(t, 1, "smallest_dt_s", n->smallest_dt);
  AbutJSONLimits(t, 1, n->limits);
  AbutJSONReal(t, 1, "contacts_avg", n->steps ? n->contacts_sum / (PetscReal)n->steps : 0);
  AbutJSONInteger(t, 1, "contacts_max", n->contacts_max);
  AbutJSONReal(t, 1, "min_gap_m", n->min_gap);
  AbutJSONInteger(t, 1, "friction_lags", n->count.friction_lags);
  AbutJSONReal(t, 1, "friction_residual_max_m_per_s", n->friction_residual);
  AbutJSONReal(t, 1, "energy_friction_J", n->energy_friction);
  AbutJSONInteger(t, 1, "sticking", n->sticking);
  AbutJSONInteger(t, 1, "sliding", n->sliding);
  AbutJSONReal(t, 1, "imbalance_max", n->imbalance);
  AbutJSONInteger(t, 1, "imbalance_missed_steps", n->unbalanced);
  AbutJSONInteger(t, 1, "imbalance_round_off_steps", n->at_round_off);
  AbutJSONReal(t, 1, "mesh_error", s->mesh_error);
  AbutJSONText(t, 1, "mesh_error_body", s->mesh_error_body < 0 ? NULL : AbutMeshGetLocal(s->mesh)->bodies[s->mesh_error_body].name);
  AbutJSONKnown(t, 1, "intersections_found", n->intersections);
  AbutJSONKnown(t, 1, "inversions_found", n->inversions);
}

static void Sizes(AbutText *t, AbutStats s)
{
  const AbutMeshLocal *m         = AbutMeshGetLocal(s->mesh);
  PetscInt             obstacles = 0;

  for (PetscInt b = 0; b < m->num_bodies; b++) obstacles += m->bodies[b].obstacle ? 1 : 0;
  AbutJSONInteger(t, 1, "dim", m->dim);
  AbutJSONInteger(t, 1, "unknowns", m->num_global * m->dim);
  AbutJSONInteger(t, 1, "cells", m->global.cells);
  AbutJSONInteger(t, 1, "vertices", m->num_global);
  AbutJSONInteger(t, 1, "surface_triangles", m->global.faces);
  AbutJSONInteger(t, 1, "surface_edges", m->global.edges);
  AbutJSONInteger(t, 1, "surface_vertices", m->global.points);
  AbutJSONInteger(t, 1, "bodies", m->num_bodies - obstacles);
  AbutJSONInteger(t, 1, "obstacles", obstacles);
  AbutJSONInteger(t, 1, "half_spaces", s->num_planes);
}

static void WriteResources(AbutText *t, AbutStats s, const Resources *g)
{
  AbutJSONInteger(t, 1, "ranks", g->ranks);
  AbutJSONInteger(t, 1, "host_count", g->hosts.count);
  AbutJSONKey(t, 1, "peak_memory_MB");
  AbutTextAppend(t, "{");
  AbutJSONMeasured(t, 2, "max", g->memory_max);
  AbutJSONMeasured(t, 2, "sum", g->memory_sum);
  AbutTextAppend(t, "\n  }");
  AbutJSONKey(t, 1, "wall_s");
  AbutTextAppend(t, "{");
  AbutJSONMeasured(t, 2, "total", g->total);
  AbutJSONMeasured(t, 2, "solve", s->solve);
  for (int i = 0; i < ABUT_NUM_PHASES; i++) AbutJSONMeasured(t, 2, AbutPhaseNames[i], g->phases[i]);
  AbutTextAppend(t, "\n  }");
}

static PetscErrorCode WriteSummary(AbutStats s, AbutExitCode exit_code, const char message[], const Resources *g)
{
  AbutText       t = {0};
  char           path[PETSC_MAX_PATH_LEN];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutPathJoin(s->directory, "summary.json", path));
  AbutTextAppend(&t, "{");
  Outcome(&t, s, exit_code, message);
  if (s->failed) AbutFailureWriteJSON(&t, s);
  Sizes(&t, s);
  WriteResources(&t, s, g);
  PetscCall(AbutProvenanceWrite(&t, s, &g->hosts, g->total));
  AbutTextAppend(&t, "\n}\n");
  ierr = AbutTextReplaceFile(&t, path, PETSC_TRUE);
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(ierr);
}

PetscErrorCode AbutStatsWriteSummary(AbutStats s, AbutExitCode exit_code, const char message[])
{
  Resources g;

  PetscFunctionBegin;
  PetscCall(Gather(s, &g));
  PetscCall(AbutAgree(s->comm, s->rank ? 0 : WriteSummary(s, exit_code, message, &g)));
  PetscCall(PetscFree(g.hosts.names));
  PetscFunctionReturn(0);
}
