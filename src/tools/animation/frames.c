/*
  frames.h5: a group of triangles for each surface, and a group for each frame with positions, displacements and zones of each surface.
  contacts.csv and surfaces.csv: the reports of all frames.
*/
#include "frames.h"

#define FORMAT    1        /* version of frames.h5 */
#define MAX_BYTES 64000000 /* memory for the frames of a rank that are held */

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

/* ---- Frames that are held until they are written together */

static PetscErrorCode HoldFrame(AbutFrameResults r, const AbutFrameLevel *level, AbutFrameCopy *copy)
{
  PetscInt at = 0;

  PetscFunctionBegin;
  copy->frame = level->frame;
  if (level->frame < 0) PetscFunctionReturn(0);
  if (!copy->pairs) {
    PetscCall(PetscMalloc2(3 * r->num_vertices, &copy->field[0], 3 * r->num_vertices, &copy->field[1]));
    PetscCall(PetscMalloc4(r->num_vertices, &copy->number[0], r->num_vertices, &copy->number[1], r->num_pairs, &copy->pairs,
                           r->num_surfaces, &copy->surfaces));
  }
  for (PetscInt i = 0; i < r->num_surfaces; i++) {
    const PetscInt n = r->surface[i].num_vertices;

    PetscCall(PetscArraycpy(&copy->field[0][3 * at], level->y[i], 3 * n));
    for (PetscInt k = 0; k < 3 * n; k++) copy->field[1][3 * at + k] = level->y[i][k] - level->x[i][k];
    for (PetscInt k = 0; k < n; k++) copy->number[0][at + k] = level->contact[i][k] >= 0;
    PetscCall(PetscArraycpy(&copy->number[1][at], level->contact[i], n));
    at += n;
  }
  PetscCall(PetscArraycpy(copy->pairs, level->pairs, r->num_pairs));
  PetscCall(PetscArraycpy(copy->surfaces, level->surfaces, r->num_surfaces));
  PetscFunctionReturn(0);
}

static PetscErrorCode FreeFrames(AbutFrameResults r)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < ABUT_FRAMES_HELD; i++) {
    AbutFrameCopy *copy = &r->held[i];

    PetscCall(PetscFree2(copy->field[0], copy->field[1]));
    PetscCall(PetscFree4(copy->number[0], copy->number[1], copy->pairs, copy->surfaces));
  }
  PetscFunctionReturn(0);
}

/* ---- Frames in the file */

#define NUM_FIELDS 4
static const char *const field_name[NUM_FIELDS] = {"position", "displacement", "zone", "pair"};

static hid_t FieldType(PetscInt field)
{
  return field < 2 ? AbutH5TypeReal() : AbutH5TypeInt();
}

typedef struct {
  AbutFrameResults results;
  const PetscInt  *frame;   /* [size * num_held] frames of all ranks, rank by rank; < 0: none */
  hid_t           *dataset; /* [num_held][size][num_surfaces][NUM_FIELDS] */
} WriteContext;

static hid_t *Datasets(const WriteContext *c, PetscInt held, PetscMPIInt rank)
{
  return &c->dataset[(held * c->results->size + rank) * c->results->num_surfaces * NUM_FIELDS];
}

/* Creates the groups and datasets of a frame. */
static PetscErrorCode CreateFrame(const AbutH5 *h5, AbutFrameResults r, hid_t frames, PetscInt frame, hid_t dataset[])
{
  char           name[32];
  hid_t          in_frame, group;
  PetscErrorCode code = 0;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%06" PetscInt_FMT, frame));
  PetscCall(AbutH5CreateGroup(h5, frames, name, &in_frame));
  for (PetscInt i = 0; i < r->num_surfaces; i++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "%" PetscInt_FMT, i));
    PetscCall(AbutH5CreateGroup(h5, in_frame, name, &group));
    for (PetscInt f = 0; f < NUM_FIELDS && !code; f++)
      code = AbutH5CreateDataset(h5, group, field_name[f], FieldType(f), r->surface[i].num_vertices, f < 2 ? 3 : 1, dataset++);
    PetscCall(AbutH5CloseGroup(h5, group));
  }
  PetscCall(AbutH5CloseGroup(h5, in_frame));
  PetscCall(AbutAgree(h5->comm, code));
  PetscFunctionReturn(0);
}

/* Writes a frame of this rank; no other rank takes part. */
static PetscErrorCode FillFrame(const AbutH5 *h5, AbutFrameResults r, const AbutFrameCopy *copy, const hid_t dataset[])
{
  PetscInt at = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < r->num_surfaces; i++, dataset += NUM_FIELDS) {
    for (PetscInt f = 0; f < NUM_FIELDS; f++) {
      const void *data = f < 2 ? (const void *)&copy->field[f][3 * at] : (const void *)&copy->number[f - 2][at];

      PetscCall(AbutH5FillDataset(h5, dataset[f], field_name[f], FieldType(f), data));
    }
    at += r->surface[i].num_vertices;
  }
  PetscFunctionReturn(0);
}

/* Creates all frames on all ranks, which is work in memory; then each rank writes its own. */
static PetscErrorCode WriteWork(const AbutH5 *h5, void *ctx)
{
  const WriteContext *c    = (const WriteContext *)ctx;
  AbutFrameResults    r    = c->results;
  PetscErrorCode      code = 0;
  hid_t               frames;

  PetscFunctionBegin;
  PetscCall(AbutH5OpenGroup(h5, h5->file, "frames", &frames));
  for (PetscInt held = 0; held < r->num_held; held++)
    for (PetscMPIInt rank = 0; rank < r->size; rank++) {
      const PetscInt frame = c->frame[rank * r->num_held + held];

      if (frame >= 0) PetscCall(CreateFrame(h5, r, frames, frame, Datasets(c, held, rank)));
    }
  PetscCall(AbutH5CloseGroup(h5, frames));
  for (PetscInt held = 0; held < r->num_held && !code; held++)
    if (r->held[held].frame >= 0) code = FillFrame(h5, r, &r->held[held], Datasets(c, held, r->rank));
  PetscCall(AbutAgree(h5->comm, code));
  for (PetscInt i = 0; i < r->num_held * r->size; i++) {
    if (c->frame[(i % r->size) * r->num_held + i / r->size] < 0) continue;
    for (PetscInt k = 0; k < r->num_surfaces * NUM_FIELDS && !code; k++)
      code = AbutH5CloseDataset(h5, c->dataset[i * r->num_surfaces * NUM_FIELDS + k]);
  }
  PetscCall(AbutAgree(h5->comm, code));
  PetscFunctionReturn(0);
}

static PetscErrorCode WriteFrames(AbutFrameResults r, const PetscInt frame[])
{
  const PetscInt num   = r->num_held * r->size;
  WriteContext   c     = {.results = r, .frame = frame};
  PetscInt64     bytes = 0;
  PetscErrorCode code;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < num; i++) bytes += frame[i] < 0 ? 0 : 80 * (PetscInt64)r->num_vertices;
  PetscCall(PetscMalloc1(num * r->num_surfaces * NUM_FIELDS, &c.dataset));
  code = AbutH5Run(r->comm, r->h5, ABUT_H5_EDIT, bytes, WriteWork, &c);
  PetscCall(PetscFree(c.dataset));
  PetscFunctionReturn(code);
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

static void AddEvent(AbutFrameEvent *event, PetscInt frame, PetscInt item)
{
  if (item < 0) return;
  if (!event->num++) {
    event->frame = frame;
    event->item  = item;
  }
}

static void AddTotals(AbutFrameResults r, PetscInt frame, const AbutDeformPairReport pairs[], const AbutDeformSurfaceReport surfaces[])
{
  PetscBool contact    = PETSC_FALSE;
  PetscInt  unresolved = -1, limited = -1;

  for (PetscInt i = r->num_pairs - 1; i >= 0; i--) {
    const PetscBool zone = (PetscBool)(pairs[i].num_zone[0] || pairs[i].num_zone[1]);

    contact                 = (PetscBool)(contact || zone);
    r->totals.zone_mismatch = PetscMax(r->totals.zone_mismatch, pairs[i].zone_mismatch);
    r->totals.depth         = PetscMax(r->totals.depth, pairs[i].depth);
    if (pairs[i].intersects && !zone) unresolved = i;
  }
  for (PetscInt i = r->num_surfaces - 1; i >= 0; i--) {
    r->totals.volume_error = PetscMax(r->totals.volume_error, surfaces[i].volume_error);
    r->totals.displacement = PetscMax(r->totals.displacement, surfaces[i].displacement);
    if (surfaces[i].limited) limited = i;
  }
  r->totals.in_contact += contact;
  AddEvent(&r->totals.unresolved, frame, unresolved);
  AddEvent(&r->totals.limited, frame, limited);
}

const AbutFrameTotals *AbutFrameResultsTotals(AbutFrameResults results)
{
  return &results->totals;
}

/* Sends the reports of a frame to all ranks; rank 0 adds them to the tables. */
static PetscErrorCode AddReports(AbutFrameResults r, const AbutFrameCopy *copy, PetscMPIInt writer, PetscInt frame)
{
  AbutDeformPairReport    *pairs;
  AbutDeformSurfaceReport *surfaces;
  PetscErrorCode           code = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(r->num_pairs, &pairs, r->num_surfaces, &surfaces));
  if (writer == r->rank) {
    PetscCall(PetscArraycpy(pairs, copy->pairs, r->num_pairs));
    PetscCall(PetscArraycpy(surfaces, copy->surfaces, r->num_surfaces));
  }
  PetscCallMPI(MPI_Bcast(pairs, (PetscMPIInt)((size_t)r->num_pairs * sizeof(*pairs)), MPI_BYTE, writer, r->comm));
  PetscCallMPI(MPI_Bcast(surfaces, (PetscMPIInt)((size_t)r->num_surfaces * sizeof(*surfaces)), MPI_BYTE, writer, r->comm));
  AddTotals(r, frame, pairs, surfaces);
  if (!r->rank) code = PutPairs(r, frame, pairs);
  if (!r->rank && !code) code = PutSurfaces(r, frame, surfaces);
  PetscCall(PetscFree2(pairs, surfaces));
  PetscCall(AbutReserve(r->num_frames + 1, &r->frame_capacity, &r->frame));
  r->frame[r->num_frames++] = frame;
  PetscFunctionReturn(code);
}

PetscErrorCode AbutFrameResultsFlush(AbutFrameResults r)
{
  PetscInt       mine[ABUT_FRAMES_HELD], *frame;
  PetscErrorCode code = 0, written;

  PetscFunctionBegin;
  if (!r->num_held) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(r->num_held * r->size, &frame));
  for (PetscInt held = 0; held < r->num_held; held++) mine[held] = r->held[held].frame;
  PetscCallMPI(MPI_Allgather(mine, (PetscMPIInt)r->num_held, MPIU_INT, frame, (PetscMPIInt)r->num_held, MPIU_INT, r->comm));
  written = WriteFrames(r, frame);
  for (PetscInt held = 0; held < r->num_held && !written; held++)
    for (PetscMPIInt writer = 0; writer < r->size; writer++)
      if (frame[writer * r->num_held + held] >= 0) {
        const PetscErrorCode put = AddReports(r, &r->held[held], writer, frame[writer * r->num_held + held]);

        if (!code) code = put;
      }
  r->num_held = 0;
  PetscCall(PetscFree(frame));
  PetscCall(written);
  PetscCall(AbutAgree(r->comm, code));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrameResultsAdd(AbutFrameResults r, const AbutFrameLevel *level)
{
  const PetscInt fit = PetscMax(1, MAX_BYTES / (64 * r->num_vertices));

  PetscFunctionBegin;
  PetscCall(HoldFrame(r, level, &r->held[r->num_held++]));
  if (r->num_held >= PetscMin(fit, ABUT_FRAMES_HELD)) PetscCall(AbutFrameResultsFlush(r));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrameResultsFree(AbutFrameResults *results)
{
  AbutFrameResults r = *results;

  PetscFunctionBegin;
  PetscCall(FreeFrames(r));
  PetscCall(PetscFree(r->surface));
  PetscCall(PetscFree(r->pair));
  PetscCall(PetscFree(r->frame));
  PetscCall(PetscFree(*results));
  PetscFunctionReturn(0);
}
