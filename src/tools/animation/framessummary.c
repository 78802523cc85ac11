/* frames.xdmf and summary.json of the deformer. */
#include "frames.h"

static PetscErrorCode Attribute(AbutText *t, const AbutFrameSurface *surface, PetscInt frame, PetscInt i, const char name[])
{
  const PetscBool vector = (PetscBool)(name[0] == 'd'), integer = (PetscBool)(name[0] == 'z' || name[0] == 'p');

  PetscFunctionBegin;
  AbutTextAppend(t, "     <Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"Node\">", name, vector ? "Vector" : "Scalar");
  AbutTextAppend(t, "<DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"%d\" Dimensions=\"%" PetscInt_FMT "%s\">",
                 integer ? "Int" : "Float", (int)(integer ? sizeof(PetscInt) : sizeof(PetscReal)), surface->num_vertices,
                 vector ? " 3" : "");
  AbutTextAppend(t, "frames.h5:/frames/%06" PetscInt_FMT "/%" PetscInt_FMT "/%s</DataItem></Attribute>\n", frame, i, name);
  PetscFunctionReturn(0);
}

static PetscErrorCode Grid(AbutText *t, const AbutFrameSurface *surface, PetscInt frame, PetscInt i)
{
  PetscFunctionBegin;
  AbutTextAppend(t, "    <Grid Name=\"surface %" PetscInt_FMT "\" GridType=\"Uniform\">\n", i);
  AbutTextAppend(
    t,
    "     <Topology TopologyType=\"Triangle\" NumberOfElements=\"%" PetscInt_FMT "\"><DataItem Format=\"HDF\" NumberType=\"Int\" "
    "Precision=\"%d\" Dimensions=\"%" PetscInt_FMT " 3\">frames.h5:/surfaces/%" PetscInt_FMT "/triangles</DataItem></Topology>\n",
    surface->num_faces, (int)sizeof(PetscInt), surface->num_faces, i);
  AbutTextAppend(t,
                 "     <Geometry GeometryType=\"XYZ\"><DataItem Format=\"HDF\" NumberType=\"Float\" Precision=\"%d\" "
                 "Dimensions=\"%" PetscInt_FMT " 3\">frames.h5:/frames/%06" PetscInt_FMT "/%" PetscInt_FMT
                 "/position</DataItem></Geometry>\n",
                 (int)sizeof(PetscReal), surface->num_vertices, frame, i);
  PetscCall(Attribute(t, surface, frame, i, "displacement"));
  PetscCall(Attribute(t, surface, frame, i, "zone"));
  PetscCall(Attribute(t, surface, frame, i, "pair"));
  AbutTextAppend(t, "    </Grid>\n");
  PetscFunctionReturn(0);
}

static PetscErrorCode WriteIndex(AbutFrameResults r)
{
  AbutText       t = {0};
  PetscErrorCode code;

  PetscFunctionBegin;
  AbutTextAppend(&t, "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n <Domain>\n"
                     "  <Grid Name=\"frames\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
  for (PetscInt f = 0; f < r->num_frames; f++) {
    AbutTextAppend(&t,
                   "   <Grid Name=\"frame %" PetscInt_FMT "\" GridType=\"Collection\" CollectionType=\"Spatial\">\n"
                   "    <Time Value=\"%" PetscInt_FMT "\"/>\n",
                   r->frame[f], r->frame[f]);
    for (PetscInt i = 0; i < r->num_surfaces; i++) PetscCall(Grid(&t, &r->surface[i], r->frame[f], i));
    AbutTextAppend(&t, "   </Grid>\n");
  }
  AbutTextAppend(&t, "  </Grid>\n </Domain>\n</Xdmf>\n");
  code = AbutTextReplaceFile(&t, r->xdmf, PETSC_FALSE);
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(code);
}

/* time: wall-clock time since the program started, in the deformer; processor time in the deformer, of the busiest rank and of all. */
static PetscErrorCode WriteSummary(AbutFrameResults r, AbutExitCode exit_code, const char message[], const PetscLogDouble time[4])
{
  AbutText       t = {0};
  PetscErrorCode code;

  PetscFunctionBegin;
  AbutTextAppend(&t, "{");
  AbutJSONInteger(&t, 1, "exit_code", (PetscInt)exit_code);
  AbutJSONString(&t, 1, "message", message ? message : "");
  AbutJSONString(&t, 1, "version", AbutVersion());
  AbutJSONString(&t, 1, "git", AbutVersionGit());
  AbutJSONInteger(&t, 1, "frames", r->num_frames);
  AbutJSONInteger(&t, 1, "frames_in_contact", r->totals.in_contact);
  AbutJSONInteger(&t, 1, "frames_unresolved", r->totals.unresolved.num);
  AbutJSONInteger(&t, 1, "frames_volume_limited", r->totals.limited.num);
  AbutJSONInteger(&t, 1, "surfaces", r->num_surfaces);
  AbutJSONInteger(&t, 1, "vertices", r->num_vertices);
  AbutJSONInteger(&t, 1, "pairs", r->num_pairs);
  AbutJSONReal(&t, 1, "volume_error", r->totals.volume_error);
  AbutJSONReal(&t, 1, "zone_mismatch", r->totals.zone_mismatch);
  AbutJSONReal(&t, 1, "depth_max_m", r->totals.depth);
  AbutJSONReal(&t, 1, "displacement_max_m", r->totals.displacement);
  AbutJSONInteger(&t, 1, "ranks", r->size);
  AbutJSONMeasured(&t, 1, "seconds", (double)time[0]);
  AbutJSONMeasured(&t, 1, "seconds_deformer", (double)time[1]);
  AbutJSONMeasured(&t, 1, "processor_seconds_busiest_rank", (double)time[2]);
  AbutJSONMeasured(&t, 1, "processor_seconds_all_ranks", (double)time[3]);
  AbutTextAppend(&t, "\n}\n");
  code = AbutTextReplaceFile(&t, r->summary, PETSC_FALSE);
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(code);
}

static PetscErrorCode Finish(AbutFrameResults r, AbutExitCode exit_code, const char message[], const PetscLogDouble time[4])
{
  PetscFunctionBegin;
  AbutTableClose(&r->contacts_csv);
  AbutTableClose(&r->surfaces_csv);
  PetscCall(WriteIndex(r));
  PetscCall(WriteSummary(r, exit_code, message, time));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrameResultsDestroy(AbutFrameResults *results, AbutExitCode exit_code, const char message[],
                                       const PetscLogDouble seconds[2])
{
  AbutFrameResults r       = *results;
  PetscLogDouble   time[4] = {0, seconds[0], seconds[1], seconds[1]};
  PetscErrorCode   code;

  PetscFunctionBegin;
  if (!r) PetscFunctionReturn(0);
  PetscCall(AbutStatsElapsed(&time[0]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, time, 3, MPI_DOUBLE, MPI_MAX, r->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &time[3], 1, MPI_DOUBLE, MPI_SUM, r->comm));
  code = AbutAgree(r->comm, r->rank ? 0 : Finish(r, exit_code, message, time));
  PetscCall(AbutFrameResultsFree(results));
  PetscFunctionReturn(code);
}
