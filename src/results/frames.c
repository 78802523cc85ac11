/*
  frames.h5: a group of triangles for each surface, and a group for each frame with positions, displacements and zones of each surface.
  contacts.csv and surfaces.csv: the reports of all frames.
*/
#include "framesimpl.h"

#define FORMAT 1 /* version of frames.h5 */

/* ---- Creation */

typedef struct {
  AbutFrameResults         results;
  const AbutSurfaceArrays *arrays;
} CreateContext;

static PetscErrorCode CreateWork(const AbutH5 *h5, void *ctx)
{
  const CreateContext *c = (const CreateContext *)ctx;
  AbutFrameResults     r = c->results;
  hid_t                surfaces, frames, group;

  PetscFunctionBegin;
  PetscCall(AbutH5SetInt(h5, h5->file, "format", FORMAT));
  PetscCall(AbutH5CreateGroup(h5, h5->file, "surfaces", &surfaces));
  for (PetscInt i = 0; i < r->num_surfaces; i++) {
    char name[32];

    PetscCall(PetscSNPrintf(name, sizeof(name), "%" PetscInt_FMT, i));
    PetscCall(AbutH5CreateGroup(h5, surfaces, name, &group));
    PetscCall(AbutH5SetString(h5, group, "name", r->surface[i].name));
    PetscCall(AbutH5WriteRows(h5, group, "triangles", AbutH5TypeInt(), r->rank ? 0 : r->surface[i].num_faces, 3, c->arrays[i].face));
    PetscCall(AbutH5CloseGroup(h5, group));
  }
  PetscCall(AbutH5CloseGroup(h5, surfaces));
  PetscCall(AbutH5CreateGroup(h5, h5->file, "frames", &frames));
  PetscCall(AbutH5CloseGroup(h5, frames));
  PetscFunctionReturn(0);
}

static PetscErrorCode OpenTables(AbutFrameResults r, const char directory[])
{
  PetscFunctionBegin;
  PetscCall(AbutTableOpen(&r->contacts_csv, directory, "contacts.csv",
                          "frame,first,second,crossings,direction_x,direction_y,direction_z,threshold_m,zone_first,zone_second,depth_m,"
                          "zone_mismatch\n",
                          PETSC_FALSE, 0));
  PetscCall(AbutTableOpen(&r->surfaces_csv, directory, "surfaces.csv",
                          "frame,surface,volume_change_m3,volume_error,bulge_m,displacement_m,deformed\n", PETSC_FALSE, 0));
  PetscFunctionReturn(0);
}

static PetscErrorCode CopySurfaces(AbutFrameResults r, const char *const names[], const AbutSurfaceArrays arrays[])
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(r->num_surfaces, &r->surface));
  for (PetscInt i = 0; i < r->num_surfaces; i++) {
    r->surface[i].num_vertices = arrays[i].num_vertices;
    r->surface[i].num_faces    = arrays[i].num_faces;
    r->num_vertices += arrays[i].num_vertices;
    PetscCall(PetscStrncpy(r->surface[i].name, names[i], sizeof(r->surface[i].name)));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrameResultsCreate(MPI_Comm comm, const char directory[], PetscInt num_surfaces, const char *const names[],
                                      const AbutSurfaceArrays arrays[], PetscInt num_pairs, const AbutFramePair pairs[],
                                      AbutFrameResults *results)
{
  AbutFrameResults r;
  CreateContext    context = {.arrays = arrays};

  PetscFunctionBegin;
  *results = NULL;
  PetscCall(PetscNew(&r));
  r->comm         = comm;
  r->num_surfaces = num_surfaces;
  r->num_pairs    = num_pairs;
  context.results = r;
  PetscCallMPI(MPI_Comm_rank(comm, &r->rank));
  PetscCallMPI(MPI_Comm_size(comm, &r->size));
  PetscCall(CopySurfaces(r, names, arrays));
  PetscCall(PetscMalloc1(num_pairs, &r->pair));
  PetscCall(PetscArraycpy(r->pair, pairs, num_pairs));
  PetscCall(AbutPathJoin(directory, "frames.h5", r->h5));
  PetscCall(AbutPathJoin(directory, "frames.xdmf", r->xdmf));
  PetscCall(AbutPathJoin(directory, "summary.json", r->summary));
  PetscCall(AbutAgree(comm, r->rank ? 0 : OpenTables(r, directory)));
  PetscCall(AbutH5Run(comm, r->h5, ABUT_H5_CREATE, 0, CreateWork, &context));
  *results = r;
  PetscFunctionReturn(0);
}

/* ---- Frames */

typedef struct {
  AbutFrameResults      results;
  const AbutFrameLevel *level;
  PetscMPIInt           writer;  /* rank that has the frame */
  PetscInt              frame;   /* its number */
  PetscReal            *real;    /* [3 * most vertices] on the writer */
  PetscInt             *integer; /* [most vertices] on the writer */
} FrameContext;

static PetscErrorCode WriteSurface(const AbutH5 *h5, const FrameContext *c, PetscInt i, hid_t group)
{
  const AbutFrameLevel *level = c->level;
  const PetscBool       own   = (PetscBool)(c->writer == c->results->rank);
  const PetscInt        n     = own ? c->results->surface[i].num_vertices : 0;

  PetscFunctionBegin;
  PetscCall(AbutH5WriteRows(h5, group, "position", AbutH5TypeReal(), n, 3, own ? level->y[i] : NULL));
  for (PetscInt k = 0; k < 3 * n; k++) c->real[k] = level->y[i][k] - level->x[i][k];
  PetscCall(AbutH5WriteRows(h5, group, "displacement", AbutH5TypeReal(), n, 3, c->real));
  for (PetscInt k = 0; k < n; k++) c->integer[k] = level->contact[i][k] >= 0;
  PetscCall(AbutH5WriteRows(h5, group, "zone", AbutH5TypeInt(), n, 1, c->integer));
  PetscCall(AbutH5WriteRows(h5, group, "pair", AbutH5TypeInt(), n, 1, own ? level->contact[i] : NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode FrameWork(const AbutH5 *h5, void *ctx)
{
  const FrameContext *c = (const FrameContext *)ctx;
  char                name[32];
  hid_t               frames, frame, group;

  PetscFunctionBegin;
  PetscCall(AbutH5OpenGroup(h5, h5->file, "frames", &frames));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%06" PetscInt_FMT, c->frame));
  PetscCall(AbutH5CreateGroup(h5, frames, name, &frame));
  for (PetscInt i = 0; i < c->results->num_surfaces; i++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "%" PetscInt_FMT, i));
    PetscCall(AbutH5CreateGroup(h5, frame, name, &group));
    PetscCall(WriteSurface(h5, c, i, group));
    PetscCall(AbutH5CloseGroup(h5, group));
  }
  PetscCall(AbutH5CloseGroup(h5, frame));
  PetscCall(AbutH5CloseGroup(h5, frames));
  PetscFunctionReturn(0);
}

static PetscErrorCode WriteFrame(AbutFrameResults r, const AbutFrameLevel *level, PetscMPIInt writer, PetscInt frame)
{
  FrameContext   c = {.results = r, .level = level, .writer = writer, .frame = frame};
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(3 * r->num_vertices, &c.real, r->num_vertices, &c.integer));
  code = AbutH5Run(r->comm, r->h5, ABUT_H5_EDIT, 80 * (PetscInt64)r->num_vertices, FrameWork, &c);
  PetscCall(PetscFree2(c.real, c.integer));
  PetscCall(code);
  PetscCall(AbutReserve(r->num_frames + 1, &r->frame_capacity, &r->frame));
  r->frame[r->num_frames++] = frame;
  PetscFunctionReturn(0);
}

/* ---- Tables */

static PetscErrorCode PutPairs(AbutFrameResults r, PetscInt frame, const AbutDeformPairReport reports[])
{
  AbutText t = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < r->num_pairs; i++) {
    const AbutDeformPairReport *p = &reports[i];

    AbutTextAppend(&t, "%" PetscInt_FMT, frame);
    for (PetscInt s = 0; s < 2; s++) AbutTableText(&t, r->surface[r->pair[i].surface[s]].name);
    AbutTableInteger(&t, p->num_crossings);
    for (PetscInt k = 0; k < 3; k++) AbutTableReal(&t, p->direction[k]);
    AbutTableReal(&t, p->threshold);
    for (PetscInt s = 0; s < 2; s++) AbutTableInteger(&t, p->num_zone[s]);
    AbutTableReal(&t, p->depth);
    AbutTableReal(&t, p->zone_mismatch);
    AbutTextAppend(&t, "\n");
  }
  PetscCall(AbutTablePut(&r->contacts_csv, &t));
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(0);
}

static PetscErrorCode PutSurfaces(AbutFrameResults r, PetscInt frame, const AbutDeformSurfaceReport reports[])
{
  AbutText t = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < r->num_surfaces; i++) {
    AbutTextAppend(&t, "%" PetscInt_FMT, frame);
    AbutTableText(&t, r->surface[i].name);
    AbutTableReal(&t, reports[i].volume_change);
    AbutTableReal(&t, reports[i].volume_error);
    AbutTableReal(&t, reports[i].bulge);
    AbutTableReal(&t, reports[i].displacement);
    AbutTableInteger(&t, reports[i].num_deformed);
    AbutTextAppend(&t, "\n");
  }
  PetscCall(AbutTablePut(&r->surfaces_csv, &t));
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(0);
}

static void AddTotals(AbutFrameResults r, const AbutDeformPairReport pairs[], const AbutDeformSurfaceReport surfaces[])
{
  PetscBool contact = PETSC_FALSE;

  for (PetscInt i = 0; i < r->num_pairs; i++) {
    contact                 = (PetscBool)(contact || pairs[i].num_zone[0] || pairs[i].num_zone[1]);
    r->totals.zone_mismatch = PetscMax(r->totals.zone_mismatch, pairs[i].zone_mismatch);
    r->totals.depth         = PetscMax(r->totals.depth, pairs[i].depth);
  }
  for (PetscInt i = 0; i < r->num_surfaces; i++) {
    r->totals.volume_error = PetscMax(r->totals.volume_error, surfaces[i].volume_error);
    r->totals.displacement = PetscMax(r->totals.displacement, surfaces[i].displacement);
  }
  r->totals.in_contact += contact;
}

/* Sends the reports of a frame to all ranks; rank 0 adds them to the tables. */
static PetscErrorCode AddReports(AbutFrameResults r, const AbutFrameLevel *level, PetscMPIInt writer, PetscInt frame)
{
  AbutDeformPairReport    *pairs;
  AbutDeformSurfaceReport *surfaces;
  PetscErrorCode           code = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(r->num_pairs, &pairs, r->num_surfaces, &surfaces));
  if (writer == r->rank) {
    PetscCall(PetscArraycpy(pairs, level->pairs, r->num_pairs));
    PetscCall(PetscArraycpy(surfaces, level->surfaces, r->num_surfaces));
  }
  PetscCallMPI(MPI_Bcast(pairs, (PetscMPIInt)((size_t)r->num_pairs * sizeof(*pairs)), MPI_BYTE, writer, r->comm));
  PetscCallMPI(MPI_Bcast(surfaces, (PetscMPIInt)((size_t)r->num_surfaces * sizeof(*surfaces)), MPI_BYTE, writer, r->comm));
  AddTotals(r, pairs, surfaces);
  if (!r->rank) code = PutPairs(r, frame, pairs);
  if (!r->rank && !code) code = PutSurfaces(r, frame, surfaces);
  PetscCall(PetscFree2(pairs, surfaces));
  PetscCall(AbutAgree(r->comm, code));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrameResultsAdd(AbutFrameResults r, const AbutFrameLevel *level)
{
  PetscInt *frame;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(r->size, &frame));
  PetscCallMPI(MPI_Allgather(&level->frame, 1, MPIU_INT, frame, 1, MPIU_INT, r->comm));
  for (PetscMPIInt writer = 0; writer < r->size; writer++) {
    if (frame[writer] < 0) continue;
    PetscCall(WriteFrame(r, level, writer, frame[writer]));
    PetscCall(AddReports(r, level, writer, frame[writer]));
  }
  PetscCall(PetscFree(frame));
  PetscFunctionReturn(0);
}
