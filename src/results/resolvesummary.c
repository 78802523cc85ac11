/* summary.json of `abut deform -resolve`. */
#include "framesimpl.h"

static void Pairs(AbutText *t, const AbutResolveSummary *s, const AbutMeshLocal *m)
{
  AbutJSONKey(t, 1, "pairs");
  AbutTextAppend(t, "[");
  for (PetscInt i = 0; i < s->report->num_pairs; i++) {
    const AbutUntanglePairReport *pair = &s->report->pairs[i];

    AbutTextAppend(t, "%s\n    {", i ? "," : "");
    for (int side = 0; side < 2; side++) {
      const PetscInt party = pair->party[side];
      AbutJSONString(t, 3, side ? "second" : "first",
                     party < m->num_bodies ? m->bodies[party].name : s->planes[party - m->num_bodies].name);
    }
    AbutJSONInteger(t, 3, "crossings", pair->crossings);
    AbutJSONReal(t, 3, "depth_m", pair->depth);
    AbutTextAppend(t, "\n    }");
  }
  AbutTextAppend(t, "%s]", s->report->num_pairs ? "\n  " : "");
}

static void Bodies(AbutText *t, const AbutResolveSummary *s, const AbutMeshLocal *m)
{
  PetscInt num = 0;

  AbutJSONKey(t, 1, "bodies");
  AbutTextAppend(t, "[");
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    const AbutUntangleBodyReport *body = &s->report->bodies[b];

    if (!body->num_moved) continue;
    AbutTextAppend(t, "%s\n    {", num++ ? "," : "");
    AbutJSONString(t, 3, "name", m->bodies[b].name);
    AbutJSONInteger(t, 3, "vertices_moved", body->num_moved);
    AbutJSONReal(t, 3, "displacement_max_m", body->displacement);
    AbutJSONReal(t, 3, "volume_change", body->volume > 0 ? body->volume_change / body->volume : 0);
    AbutJSONReal(t, 3, "smallest_det", body->smallest_det);
    AbutTextAppend(t, "\n    }");
  }
  AbutTextAppend(t, "%s]", num ? "\n  " : "");
}

static PetscErrorCode Write(const char directory[], const AbutResolveSummary *s, const AbutMeshLocal *m, PetscMPIInt size,
                            PetscLogDouble seconds)
{
  char           path[PETSC_MAX_PATH_LEN];
  AbutText       t = {0};
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(AbutPathJoin(directory, "summary.json", path));
  AbutTextAppend(&t, "{");
  AbutJSONInteger(&t, 1, "exit_code", (PetscInt)s->exit_code);
  AbutJSONString(&t, 1, "message", s->message);
  AbutJSONString(&t, 1, "version", AbutVersion());
  AbutJSONString(&t, 1, "git", AbutVersionGit());
  AbutJSONReal(&t, 1, "gap_m", s->report->gap);
  AbutJSONInteger(&t, 1, "passes", s->report->passes);
  AbutJSONInteger(&t, 1, "increments", s->report->follow.increments);
  AbutJSONInteger(&t, 1, "iterations", s->report->follow.iterations);
  if (s->exit_code == ABUT_EXIT_OK) {
    Pairs(&t, s, m);
    Bodies(&t, s, m);
  }
  AbutJSONInteger(&t, 1, "ranks", size);
  AbutJSONMeasured(&t, 1, "seconds", (double)seconds);
  AbutTextAppend(&t, "\n}\n");
  code = AbutTextReplaceFile(&t, path, PETSC_FALSE);
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(code);
}

PetscErrorCode AbutResolveSummaryWrite(AbutMesh mesh, const char directory[], const AbutResolveSummary *summary)
{
  const MPI_Comm comm    = AbutMeshGetComm(mesh);
  PetscLogDouble seconds = 0;
  PetscMPIInt    size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(AbutStatsElapsed(&seconds));
  PetscCall(AbutAgree(comm, AbutIsRoot(comm) ? Write(directory, summary, AbutMeshGetLocal(mesh), size, seconds) : 0));
  PetscFunctionReturn(0);
}
