/* summary.json: one run of the program in one file, for scripts. */
#include "statsimpl.h"
#include <sys/resource.h>
#include <time.h>

/* Members of an object, one a line; `level` is the depth of indentation. */
static PetscErrorCode Key(AbutText *t, int level, const char key[])
{
  const PetscBool first = (PetscBool)(t->length && t->text[t->length - 1] == '{');

  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, "%s\n%*s", first ? "" : ",", 2 * level, ""));
  PetscCall(AbutTextAppendJSON(t, key));
  PetscCall(AbutTextAppend(t, ": "));
  PetscFunctionReturn(0);
}

static PetscErrorCode Integer(AbutText *t, const char key[], PetscInt value)
{
  PetscFunctionBegin;
  PetscCall(Key(t, 1, key));
  PetscCall(AbutTextAppend(t, "%" PetscInt_FMT, value));
  PetscFunctionReturn(0);
}

/* A count that is unknown while negative. */
static PetscErrorCode Known(AbutText *t, const char key[], PetscInt value)
{
  PetscFunctionBegin;
  if (value >= 0)
    PetscCall(Integer(t, key, value));
  else {
    PetscCall(Key(t, 1, key));
    PetscCall(AbutTextAppend(t, "null"));
  }
  PetscFunctionReturn(0);
}

/* JSON has neither infinity nor nan: null. */
static PetscErrorCode Real(AbutText *t, const char key[], PetscReal value)
{
  PetscFunctionBegin;
  PetscCall(Key(t, 1, key));
  if (PetscIsNanReal(value) || PetscAbsReal(value) >= PETSC_INFINITY)
    PetscCall(AbutTextAppend(t, "null"));
  else
    PetscCall(AbutTextAppendReal(t, value, "null"));
  PetscFunctionReturn(0);
}

/* A measured figure, in an object of its own kind. */
static PetscErrorCode Measured(AbutText *t, const char key[], double value)
{
  PetscFunctionBegin;
  PetscCall(Key(t, 2, key));
  PetscCall(AbutTextAppend(t, "%.6f", value));
  PetscFunctionReturn(0);
}

static PetscErrorCode String(AbutText *t, const char key[], const char value[])
{
  PetscFunctionBegin;
  PetscCall(Key(t, 1, key));
  PetscCall(AbutTextAppendJSON(t, value));
  PetscFunctionReturn(0);
}

/* Local time with its offset, "2020-07-01T12:00:00+02:00". */
static PetscErrorCode Moment(AbutText *t, const char key[], time_t when)
{
  char      zone[8], stamp[64];
  struct tm tm;

  PetscFunctionBegin;
  localtime_r(&when, &tm);
  strftime(zone, sizeof(zone), "%z", &tm);
  strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &tm);
  PetscCall(Key(t, 1, key));
  PetscCall(AbutTextAppend(t, "\"%s%.3s:%s\"", stamp, zone, zone + 3));
  PetscFunctionReturn(0);
}

/* What only all ranks together know. */
typedef struct {
  PetscMPIInt    ranks, hosts;
  double         memory_max, memory_sum; /* [MB] peaks of resident memory */
  PetscLogDouble total, phases[ABUT_NUM_PHASES];
} Together;

static PetscErrorCode Gather(AbutStats s, Together *g)
{
  struct rusage usage;
  MPI_Comm      host;
  PetscMPIInt   place, first;
  double        megabytes = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(s->comm, &g->ranks));
  if (!getrusage(RUSAGE_SELF, &usage)) megabytes = (double)usage.ru_maxrss / 1024;
  PetscCallMPI(MPI_Allreduce(&megabytes, &g->memory_max, 1, MPI_DOUBLE, MPI_MAX, s->comm));
  PetscCallMPI(MPI_Allreduce(&megabytes, &g->memory_sum, 1, MPI_DOUBLE, MPI_SUM, s->comm));
  PetscCallMPI(MPI_Comm_split_type(s->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  PetscCallMPI(MPI_Comm_rank(host, &place));
  PetscCallMPI(MPI_Comm_free(&host));
  first = !place;
  PetscCallMPI(MPI_Allreduce(&first, &g->hosts, 1, MPI_INT, MPI_SUM, s->comm));
  PetscCall(AbutStatsElapsed(&g->total));
  for (int i = 0; i < ABUT_NUM_PHASES; i++) g->phases[i] = AbutPhaseSeconds((AbutPhase)i);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &g->total, 1, MPI_DOUBLE, MPI_MAX, s->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, g->phases, ABUT_NUM_PHASES, MPI_DOUBLE, MPI_MAX, s->comm));
  PetscFunctionReturn(0);
}

static PetscErrorCode Outcome(AbutText *t, AbutStats s, AbutExitCode exit_code, const char message[])
{
  PetscFunctionBegin;
  PetscCall(Integer(t, "exit_code", (PetscInt)exit_code));
  PetscCall(String(t, "message", message ? message : ""));
  PetscCall(Key(t, 1, "converged"));
  PetscCall(AbutTextAppend(t, "%s", s->converged && exit_code != ABUT_EXIT_DIVERGED ? "true" : "false"));
  PetscCall(Integer(t, "first_step", s->first_step));
  PetscCall(Integer(t, "last_step", s->last_step));
  PetscCall(Integer(t, "steps", s->steps));
  PetscCall(Real(t, "time_s", s->time));
  PetscCall(Integer(t, "newton_iterations", s->newton));
  PetscCall(Integer(t, "linear_iterations", s->linear));
  PetscCall(Real(t, "contacts_avg", s->steps ? s->contacts_sum / (PetscReal)s->steps : 0));
  PetscCall(Integer(t, "contacts_max", s->contacts_max));
  PetscCall(Real(t, "min_gap_m", s->min_gap));
  PetscCall(Known(t, "intersections_found", s->intersections));
  PetscCall(Known(t, "inversions_found", s->inversions));
  PetscFunctionReturn(0);
}

static PetscErrorCode Sizes(AbutText *t, AbutStats s)
{
  const AbutMeshLocal *m;
  PetscInt             obstacles = 0;

  PetscFunctionBegin;
  PetscCall(AbutMeshGetLocal(s->mesh, &m));
  for (PetscInt b = 0; b < m->num_bodies; b++) obstacles += m->bodies[b].obstacle ? 1 : 0;
  PetscCall(Integer(t, "dim", m->dim));
  PetscCall(Integer(t, "unknowns", m->num_global * m->dim));
  PetscCall(Integer(t, "cells", m->num_cells_global));
  PetscCall(Integer(t, "vertices", m->num_global));
  PetscCall(Integer(t, "surface_triangles", m->num_faces_global));
  PetscCall(Integer(t, "surface_edges", m->num_edges_global));
  PetscCall(Integer(t, "surface_vertices", m->num_points_global));
  PetscCall(Integer(t, "bodies", m->num_bodies - obstacles));
  PetscCall(Integer(t, "obstacles", obstacles));
  PetscFunctionReturn(0);
}

static PetscErrorCode Resources(AbutText *t, AbutStats s, const Together *g)
{
  PetscFunctionBegin;
  PetscCall(Integer(t, "ranks", g->ranks));
  PetscCall(Integer(t, "host_count", g->hosts));
  PetscCall(Key(t, 1, "peak_memory_MB"));
  PetscCall(AbutTextAppend(t, "{"));
  PetscCall(Measured(t, "max", g->memory_max));
  PetscCall(Measured(t, "sum", g->memory_sum));
  PetscCall(AbutTextAppend(t, "\n  }"));
  PetscCall(Key(t, 1, "wall_s"));
  PetscCall(AbutTextAppend(t, "{"));
  PetscCall(Measured(t, "total", g->total));
  PetscCall(Measured(t, "solve", s->solve));
  for (int i = 0; i < ABUT_NUM_PHASES; i++) PetscCall(Measured(t, AbutPhaseNames[i], g->phases[i]));
  PetscCall(AbutTextAppend(t, "\n  }"));
  PetscFunctionReturn(0);
}

static PetscErrorCode Provenance(AbutText *t, AbutStats s, const Together *g)
{
  const time_t now = time(NULL);
  char        *options;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetAll(NULL, &options));
  PetscCall(String(t, "scene", s->scene));
  PetscCall(String(t, "version", AbutVersion()));
  PetscCall(String(t, "git", AbutVersionGit()));
  PetscCall(String(t, "options", options));
  PetscCall(Moment(t, "started", now - (time_t)(g->total + 0.5)));
  PetscCall(Moment(t, "ended", now));
  PetscCall(PetscFree(options));
  PetscFunctionReturn(0);
}

static PetscErrorCode WriteSummary(AbutStats s, AbutExitCode exit_code, const char message[], const Together *g)
{
  AbutText       t = {0};
  char           path[PETSC_MAX_PATH_LEN];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutPathJoin(s->directory, "summary.json", path));
  PetscCall(AbutTextAppend(&t, "{"));
  PetscCall(Outcome(&t, s, exit_code, message));
  PetscCall(Sizes(&t, s));
  PetscCall(Resources(&t, s, g));
  PetscCall(Provenance(&t, s, g));
  PetscCall(AbutTextAppend(&t, "\n}\n"));
  ierr = AbutTextReplaceFile(&t, path, PETSC_TRUE);
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(ierr);
}

PetscErrorCode AbutStatsWriteSummary(AbutStats s, AbutExitCode exit_code, const char message[])
{
  Together       g;
  PetscErrorCode local = 0;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(s->comm, &rank));
  PetscCall(Gather(s, &g));
  if (!rank) local = WriteSummary(s, exit_code, message, &g);
  PetscCall(AbutAgree(s->comm, local));
  PetscFunctionReturn(0);
}
