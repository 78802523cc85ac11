/* summary.json of `abut deform -resolve`. */
#include "resolve.h"

const char *ResolvePartyName(const Resolve *r, PetscInt party)
{
  const AbutMeshLocal *m = r->model.sim.local;

  return party < m->num_bodies ? m->bodies[party].name : r->model.scene->planes[party - m->num_bodies].name;
}

static void Pair(AbutText *t, const Resolve *r, const AbutUntanglePairReport *pair)
{
  AbutTextAppend(t, "\n    {");
  AbutJSONString(t, 3, "first", ResolvePartyName(r, pair->party[0]));
  AbutJSONString(t, 3, "second", ResolvePartyName(r, pair->party[1]));
  AbutJSONInteger(t, 3, "crossings", pair->crossings);
  AbutJSONReal(t, 3, "depth_m", pair->depth);
  AbutTextAppend(t, "\n    }");
}

static void Body(AbutText *t, const AbutBody *body, const AbutUntangleBodyReport *report)
{
  AbutTextAppend(t, "\n    {");
  AbutJSONString(t, 3, "name", body->name);
  AbutJSONInteger(t, 3, "vertices_moved", report->num_moved);
  AbutJSONReal(t, 3, "displacement_max_m", report->displacement);
  AbutJSONReal(t, 3, "displacement_whole_m", report->whole);
  AbutJSONReal(t, 3, "volume_change", report->volume > 0 ? report->volume_change / report->volume : 0);
  AbutJSONReal(t, 3, "smallest_det", report->smallest_det);
  AbutTextAppend(t, "\n    }");
}

/* Lists of the pairs and of the bodies that moved. */
static void Lists(AbutText *t, const Resolve *r)
{
  const AbutMeshLocal *m = r->model.sim.local;

  PetscInt num = 0;

  AbutJSONKey(t, 1, "pairs");
  for (PetscInt i = 0; i < r->report.num_pairs; i++) {
    AbutTextAppend(t, i ? "," : "[");
    Pair(t, r, &r->report.pairs[i]);
  }
  AbutTextAppend(t, r->report.num_pairs ? "\n  ]" : "[]");
  AbutJSONKey(t, 1, "bodies");
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    if (!r->report.bodies[b].num_moved) continue;
    AbutTextAppend(t, num++ ? "," : "[");
    Body(t, &m->bodies[b], &r->report.bodies[b]);
  }
  AbutTextAppend(t, num ? "\n  ]" : "[]");
}

static PetscErrorCode Write(const Resolve *r, PetscErrorCode code, PetscMPIInt size, PetscLogDouble seconds)
{
  char           path[PETSC_MAX_PATH_LEN];
  AbutText       t = {0};
  PetscErrorCode written;

  PetscFunctionBegin;
  PetscCall(AbutPathJoin(r->directory, "summary.json", path));
  AbutTextAppend(&t, "{");
  AbutJSONInteger(&t, 1, "exit_code", (PetscInt)AbutErrorExitCode(code));
  AbutJSONString(&t, 1, "message", code ? AbutErrorMessage() : "");
  AbutJSONString(&t, 1, "version", AbutVersion());
  AbutJSONString(&t, 1, "git", AbutVersionGit());
  AbutJSONReal(&t, 1, "gap_m", r->report.gap);
  AbutJSONInteger(&t, 1, "passes", r->report.passes);
  AbutJSONInteger(&t, 1, "increments", r->report.follow.increments);
  AbutJSONInteger(&t, 1, "iterations", r->report.follow.iterations);
  if (!code) Lists(&t, r);
  AbutJSONInteger(&t, 1, "ranks", size);
  AbutJSONMeasured(&t, 1, "seconds", (double)seconds);
  AbutTextAppend(&t, "\n}\n");
  written = AbutTextReplaceFile(&t, path, PETSC_FALSE);
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(written);
}

PetscErrorCode ResolveWriteSummary(const Resolve *r, PetscErrorCode code)
{
  PetscLogDouble seconds = 0;
  PetscMPIInt    size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(r->model.comm, &size));
  seconds = AbutPhaseElapsed();
  PetscCall(AbutAgree(r->model.comm, AbutIsRoot(r->model.comm) ? Write(r, code, size, seconds) : 0));
  PetscFunctionReturn(0);
}
