/* summary.json of `abut deform -resolve`. */
#include "resolve.h"

static const char *PartyName(const AbutResolveSummary *s, const AbutMeshLocal *m, PetscInt party)
{
  return party < m->num_bodies ? m->bodies[party].name : s->planes[party - m->num_bodies].name;
}

static void Pair(AbutText *t, const AbutResolveSummary *s, const AbutMeshLocal *m, const AbutUntanglePairReport *pair)
{
  AbutTextAppend(t, "\n    {");
  AbutJSONString(t, 3, "first", PartyName(s, m, pair->party[0]));
  AbutJSONString(t, 3, "second", PartyName(s, m, pair->party[1]));
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
  AbutJSONReal(t, 3, "volume_change", report->volume > 0 ? report->volume_change / report->volume : 0);
  AbutJSONReal(t, 3, "smallest_det", report->smallest_det);
  AbutTextAppend(t, "\n    }");
}

/* Lists of the pairs and of the bodies that moved. */
static void Lists(AbutText *t, const AbutResolveSummary *s, const AbutMeshLocal *m)
{
  PetscInt num = 0;

  AbutJSONKey(t, 1, "pairs");
  for (PetscInt i = 0; i < s->report->num_pairs; i++) {
    AbutTextAppend(t, i ? "," : "[");
    Pair(t, s, m, &s->report->pairs[i]);
  }
  AbutTextAppend(t, s->report->num_pairs ? "\n  ]" : "[]");
  AbutJSONKey(t, 1, "bodies");
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    if (!s->report->bodies[b].num_moved) continue;
    AbutTextAppend(t, num++ ? "," : "[");
    Body(t, &m->bodies[b], &s->report->bodies[b]);
  }
  AbutTextAppend(t, num ? "\n  ]" : "[]");
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
  if (s->exit_code == ABUT_EXIT_OK) Lists(&t, s, m);
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
