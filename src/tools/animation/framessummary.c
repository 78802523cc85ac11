/* frames.xdmf and summary.json of the deformer. */
#include "animation.h"

static void Attribute(AbutText *t, const AbutSurfaceArrays *surface, PetscInt frame, PetscInt i, const char name[])
{
  const PetscBool vector = (PetscBool)(name[0] == 'd'), integer = (PetscBool)(name[0] == 'z' || name[0] == 'p');

  AbutTextAppend(t, "     <Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"Node\">", name, vector ? "Vector" : "Scalar");
  AbutXdmfItemBegin(t, "HDF", integer ? "Int" : "Float", integer ? sizeof(PetscInt) : sizeof(PetscReal), surface->num_vertices,
                    vector ? 3 : 1);
  AbutTextAppend(t, "frames.h5:/frames/%06" PetscInt_FMT "/%" PetscInt_FMT "/%s</DataItem></Attribute>\n", frame, i, name);
}

static void Grid(AbutText *t, const AbutSurfaceArrays *surface, PetscInt frame, PetscInt i)
{
  AbutTextAppend(t, "    <Grid Name=\"surface %" PetscInt_FMT "\" GridType=\"Uniform\">\n", i);
  AbutTextAppend(t, "     <Topology TopologyType=\"Triangle\" NumberOfElements=\"%" PetscInt_FMT "\">", surface->num_faces);
  AbutXdmfItemBegin(t, "HDF", "Int", sizeof(PetscInt), surface->num_faces, 3);
  AbutTextAppend(t, "frames.h5:/surfaces/%" PetscInt_FMT "/triangles</DataItem></Topology>\n     <Geometry GeometryType=\"XYZ\">", i);
  AbutXdmfItemBegin(t, "HDF", "Float", sizeof(PetscReal), surface->num_vertices, 3);
  AbutTextAppend(t, "frames.h5:/frames/%06" PetscInt_FMT "/%" PetscInt_FMT "/position</DataItem></Geometry>\n", frame, i);
  Attribute(t, surface, frame, i, "displacement");
  Attribute(t, surface, frame, i, "zone");
  Attribute(t, surface, frame, i, "pair");
  AbutTextAppend(t, "    </Grid>\n");
}

static PetscErrorCode WriteIndex(Animation *a)
{
  AbutText       t = {0};
  PetscErrorCode code;

  PetscFunctionBegin;
  AbutTextAppend(&t, "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n <Domain>\n"
                     "  <Grid Name=\"frames\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
  for (PetscInt f = 0; f < a->results.num_frames; f++) {
    AbutTextAppend(&t,
                   "   <Grid Name=\"frame %" PetscInt_FMT "\" GridType=\"Collection\" CollectionType=\"Spatial\">\n"
                   "    <Time Value=\"%" PetscInt_FMT "\"/>\n",
                   a->results.frame[f], a->results.frame[f]);
    for (PetscInt i = 0; i < a->scene->num_surfaces; i++) Grid(&t, &a->surface[i].arrays, a->results.frame[f], i);
    AbutTextAppend(&t, "   </Grid>\n");
  }
  AbutTextAppend(&t, "  </Grid>\n </Domain>\n</Xdmf>\n");
  code = AbutTextReplaceFile(&t, a->results.xdmf, PETSC_FALSE);
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(code);
}

/* time: wall-clock time since the program started, in the deformer; processor time in the deformer, of the busiest rank and of all. */
static PetscErrorCode WriteSummary(Animation *a, PetscErrorCode code, const PetscLogDouble time[4])
{
  AbutText       t = {0};
  PetscErrorCode written;

  PetscFunctionBegin;
  AbutTextAppend(&t, "{");
  AbutJSONInteger(&t, 1, "exit_code", (PetscInt)AbutErrorExitCode(code));
  AbutJSONString(&t, 1, "message", code ? AbutErrorMessage() : "");
  AbutJSONString(&t, 1, "version", AbutVersion());
  AbutJSONString(&t, 1, "git", AbutVersionGit());
  AbutJSONInteger(&t, 1, "frames", a->results.num_frames);
  AbutJSONInteger(&t, 1, "frames_in_contact", a->results.totals.in_contact);
  AbutJSONInteger(&t, 1, "frames_unresolved", a->results.totals.unresolved.num);
  AbutJSONInteger(&t, 1, "frames_volume_limited", a->results.totals.limited.num);
  AbutJSONInteger(&t, 1, "surfaces", a->scene->num_surfaces);
  AbutJSONInteger(&t, 1, "vertices", a->results.num_vertices);
  AbutJSONInteger(&t, 1, "pairs", a->scene->num_pairs);
  AbutJSONReal(&t, 1, "volume_error", a->results.totals.volume_error);
  AbutJSONReal(&t, 1, "zone_mismatch", a->results.totals.zone_mismatch);
  AbutJSONReal(&t, 1, "depth_max_m", a->results.totals.depth);
  AbutJSONReal(&t, 1, "penetration_after_max_m", a->results.totals.after.value);
  AbutJSONReal(&t, 1, "displacement_max_m", a->results.totals.displacement);
  AbutJSONInteger(&t, 1, "ranks", a->size);
  AbutJSONMeasured(&t, 1, "seconds", (double)time[0]);
  AbutJSONMeasured(&t, 1, "seconds_deformer", (double)time[1]);
  AbutJSONMeasured(&t, 1, "processor_seconds_busiest_rank", (double)time[2]);
  AbutJSONMeasured(&t, 1, "processor_seconds_all_ranks", (double)time[3]);
  AbutTextAppend(&t, "\n}\n");
  written = AbutTextReplaceFile(&t, a->results.summary, PETSC_FALSE);
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(written);
}

static PetscErrorCode Finish(Animation *a, PetscErrorCode code, const PetscLogDouble time[4])
{
  PetscFunctionBegin;
  AbutTableClose(&a->results.contacts_csv);
  AbutTableClose(&a->results.surfaces_csv);
  PetscCall(WriteIndex(a));
  PetscCall(WriteSummary(a, code, time));
  PetscFunctionReturn(0);
}

PetscErrorCode FramesFinish(Animation *a, PetscErrorCode code)
{
  PetscLogDouble time[4] = {0, a->seconds[0], a->seconds[1], a->seconds[1]};
  PetscErrorCode written;

  PetscFunctionBegin;
  time[0] = AbutPhaseElapsed();
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, time, 3, MPI_DOUBLE, MPI_MAX, a->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &time[3], 1, MPI_DOUBLE, MPI_SUM, a->comm));
  written = AbutAgree(a->comm, a->rank ? 0 : Finish(a, code, time));
  for (PetscInt i = 0; i < FRAMES_HELD; i++) {
    FrameCopy *copy = &a->results.held[i];

    PetscCall(PetscFree2(copy->field[0], copy->field[1]));
    PetscCall(PetscFree4(copy->number[0], copy->number[1], copy->pairs, copy->surfaces));
  }
  PetscCall(PetscFree(a->results.frame));
  PetscFunctionReturn(written);
}
