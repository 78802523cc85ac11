/*
  frames.h5: a group of triangles for each surface, and a group for each frame with positions, displacements and zones of each surface.
  contacts.csv and surfaces.csv: the reports of all frames.
*/
#include "animation.h"

#define FORMAT    1        /* version of frames.h5 */
#define MAX_BYTES 64000000 /* memory for the frames of a rank that are held */

/* ---- Creation */

static PetscErrorCode CreateWork(const AbutH5 *h5, void *ctx)
{
  const Animation *a = (const Animation *)ctx;
  hid_t            surfaces, frames, group;

  PetscFunctionBegin;
  PetscCall(AbutH5SetInt(h5, h5->file, "format", FORMAT));
  PetscCall(AbutH5CreateGroup(h5, h5->file, "surfaces", &surfaces));
  for (PetscInt i = 0; i < a->scene->num_surfaces; i++) {
    char name[32];

    PetscCall(PetscSNPrintf(name, sizeof(name), "%" PetscInt_FMT, i));
    PetscCall(AbutH5CreateGroup(h5, surfaces, name, &group));
    PetscCall(AbutH5SetString(h5, group, "name", a->scene->surfaces[i].body.name));
    PetscCall(
      AbutH5WriteRows(h5, group, "triangles", AbutH5TypeInt(), a->rank ? 0 : a->surface[i].arrays.num_faces, 3, a->surface[i].arrays.face));
    PetscCall(AbutH5CloseGroup(h5, group));
  }
  PetscCall(AbutH5CloseGroup(h5, surfaces));
  PetscCall(AbutH5CreateGroup(h5, h5->file, "frames", &frames));
  PetscCall(AbutH5CloseGroup(h5, frames));
  PetscFunctionReturn(0);
}

static PetscErrorCode OpenTables(Animation *a)
{
  PetscFunctionBegin;
  PetscCall(AbutTableOpen(&a->results.contacts_csv, a->directory, "contacts.csv",
                          "frame,first,second,crossings,direction_x,direction_y,direction_z,threshold_m,zone_first,zone_second,depth_m,"
                          "zone_mismatch,penetration_after_m\n",
                          PETSC_FALSE, 0));
  PetscCall(AbutTableOpen(&a->results.surfaces_csv, a->directory, "surfaces.csv",
                          "frame,surface,volume_change_m3,volume_error,bulge_m,displacement_m,deformed\n", PETSC_FALSE, 0));
  PetscFunctionReturn(0);
}

PetscErrorCode FramesCreate(Animation *a)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < a->scene->num_surfaces; i++) a->results.num_vertices += a->surface[i].arrays.num_vertices;
  PetscCall(AbutPathJoin(a->directory, "frames.h5", a->results.h5));
  PetscCall(AbutPathJoin(a->directory, "frames.xdmf", a->results.xdmf));
  PetscCall(AbutPathJoin(a->directory, "summary.json", a->results.summary));
  PetscCall(AbutAgree(a->comm, a->rank ? 0 : OpenTables(a)));
  PetscCall(AbutH5Run(a->comm, a->results.h5, ABUT_H5_CREATE, 0, CreateWork, a));
  PetscFunctionReturn(0);
}

/* ---- Frames that are held until they are written together */

static PetscErrorCode HoldFrame(Animation *a, PetscInt frame, FrameCopy *copy)
{
  const AbutDeformPairReport    *pairs;
  const AbutDeformSurfaceReport *surfaces;
  PetscInt                       at = 0;

  PetscFunctionBegin;
  copy->frame = frame;
  if (frame < 0) PetscFunctionReturn(0);
  if (!copy->pairs) {
    PetscCall(PetscMalloc2(3 * a->results.num_vertices, &copy->field[0], 3 * a->results.num_vertices, &copy->field[1]));
    PetscCall(PetscMalloc4(a->results.num_vertices, &copy->number[0], a->results.num_vertices, &copy->number[1], a->scene->num_pairs,
                           &copy->pairs, a->scene->num_surfaces, &copy->surfaces));
  }
  for (PetscInt i = 0; i < a->scene->num_surfaces; i++) {
    const AnimatedSurface *s = &a->surface[i];
    const PetscInt         n = s->arrays.num_vertices;

    PetscCall(PetscArraycpy(&copy->field[0][3 * at], s->y, 3 * n));
    for (PetscInt k = 0; k < 3 * n; k++) copy->field[1][3 * at + k] = s->y[k] - s->x[k];
    for (PetscInt k = 0; k < n; k++) copy->number[0][at + k] = s->contact[k] >= 0;
    PetscCall(PetscArraycpy(&copy->number[1][at], s->contact, n));
    at += n;
  }
  PetscCall(AbutDeformerGetReports(a->deformer, &pairs, &surfaces));
  PetscCall(PetscArraycpy(copy->pairs, pairs, a->scene->num_pairs));
  PetscCall(PetscArraycpy(copy->surfaces, surfaces, a->scene->num_surfaces));
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
  Animation      *animation;
  const PetscInt *frame;   /* [size * num_held] frames of all ranks, rank by rank; < 0: none */
  hid_t          *dataset; /* [num_held][size][num_surfaces][NUM_FIELDS] */
} WriteContext;

static hid_t *Datasets(const WriteContext *c, PetscInt held, PetscMPIInt rank)
{
  return &c->dataset[(held * c->animation->size + rank) * c->animation->scene->num_surfaces * NUM_FIELDS];
}

/* Creates the groups and datasets of a frame. */
static PetscErrorCode CreateFrame(const AbutH5 *h5, Animation *a, hid_t frames, PetscInt frame, hid_t dataset[])
{
  char           name[32];
  hid_t          in_frame, group;
  PetscErrorCode code = 0;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%06" PetscInt_FMT, frame));
  PetscCall(AbutH5CreateGroup(h5, frames, name, &in_frame));
  for (PetscInt i = 0; i < a->scene->num_surfaces; i++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "%" PetscInt_FMT, i));
    PetscCall(AbutH5CreateGroup(h5, in_frame, name, &group));
    for (PetscInt f = 0; f < NUM_FIELDS && !code; f++)
      code = AbutH5CreateDataset(h5, group, field_name[f], FieldType(f), a->surface[i].arrays.num_vertices, f < 2 ? 3 : 1, dataset++);
    PetscCall(AbutH5CloseGroup(h5, group));
  }
  PetscCall(AbutH5CloseGroup(h5, in_frame));
  PetscCall(AbutAgree(h5->comm, code));
  PetscFunctionReturn(0);
}

/* Writes a frame of this rank; no other rank takes part. */
static PetscErrorCode FillFrame(const AbutH5 *h5, Animation *a, const FrameCopy *copy, const hid_t dataset[])
{
  PetscInt at = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < a->scene->num_surfaces; i++, dataset += NUM_FIELDS) {
    for (PetscInt f = 0; f < NUM_FIELDS; f++) {
      const void *data = f < 2 ? (const void *)&copy->field[f][3 * at] : (const void *)&copy->number[f - 2][at];

      PetscCall(AbutH5FillDataset(h5, dataset[f], field_name[f], FieldType(f), data));
    }
    at += a->surface[i].arrays.num_vertices;
  }
  PetscFunctionReturn(0);
}

/* Creates all frames on all ranks, which is work in memory; then each rank writes its own. */
static PetscErrorCode WriteWork(const AbutH5 *h5, void *ctx)
{
  const WriteContext *c    = (const WriteContext *)ctx;
  Animation          *a    = c->animation;
  PetscErrorCode      code = 0;
  hid_t               frames;

  PetscFunctionBegin;
  PetscCall(AbutH5OpenGroup(h5, h5->file, "frames", &frames));
  for (PetscInt held = 0; held < a->results.num_held; held++)
    for (PetscMPIInt rank = 0; rank < a->size; rank++) {
      const PetscInt frame = c->frame[rank * a->results.num_held + held];

      if (frame >= 0) PetscCall(CreateFrame(h5, a, frames, frame, Datasets(c, held, rank)));
    }
  PetscCall(AbutH5CloseGroup(h5, frames));
  for (PetscInt held = 0; held < a->results.num_held && !code; held++)
    if (a->results.held[held].frame >= 0) code = FillFrame(h5, a, &a->results.held[held], Datasets(c, held, a->rank));
  PetscCall(AbutAgree(h5->comm, code));
  for (PetscInt i = 0; i < a->results.num_held * a->size; i++) {
    if (c->frame[(i % a->size) * a->results.num_held + i / a->size] < 0) continue;
    for (PetscInt k = 0; k < a->scene->num_surfaces * NUM_FIELDS && !code; k++)
      code = AbutH5CloseDataset(h5, c->dataset[i * a->scene->num_surfaces * NUM_FIELDS + k]);
  }
  PetscCall(AbutAgree(h5->comm, code));
  PetscFunctionReturn(0);
}

static PetscErrorCode WriteFrames(Animation *a, const PetscInt frame[])
{
  const PetscInt num   = a->results.num_held * a->size;
  WriteContext   c     = {.animation = a, .frame = frame};
  PetscInt64     bytes = 0;
  PetscErrorCode code;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < num; i++) bytes += frame[i] < 0 ? 0 : 80 * (PetscInt64)a->results.num_vertices;
  PetscCall(PetscMalloc1(num * a->scene->num_surfaces * NUM_FIELDS, &c.dataset));
  code = AbutH5Run(a->comm, a->results.h5, ABUT_H5_EDIT, bytes, WriteWork, &c);
  PetscCall(PetscFree(c.dataset));
  PetscFunctionReturn(code);
}

/* ---- Tables */

static PetscErrorCode PutPairs(Animation *a, PetscInt frame, const AbutDeformPairReport reports[])
{
  AbutText t = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < a->scene->num_pairs; i++) {
    const AbutDeformPairReport *p = &reports[i];

    AbutTextAppend(&t, "%" PetscInt_FMT, frame);
    for (PetscInt s = 0; s < 2; s++) AbutTableText(&t, a->scene->pairs[i].surface[s]);
    AbutTableInteger(&t, p->num_crossings);
    for (PetscInt k = 0; k < 3; k++) AbutTableReal(&t, p->direction[k]);
    AbutTableReal(&t, p->threshold);
    for (PetscInt s = 0; s < 2; s++) AbutTableInteger(&t, p->num_zone[s]);
    AbutTableReal(&t, p->depth);
    AbutTableReal(&t, p->zone_mismatch);
    AbutTableReal(&t, p->penetration_after);
    AbutTextAppend(&t, "\n");
  }
  PetscCall(AbutTablePut(&a->results.contacts_csv, &t));
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(0);
}

static PetscErrorCode PutSurfaces(Animation *a, PetscInt frame, const AbutDeformSurfaceReport reports[])
{
  AbutText t = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < a->scene->num_surfaces; i++) {
    AbutTextAppend(&t, "%" PetscInt_FMT, frame);
    AbutTableText(&t, a->scene->surfaces[i].body.name);
    AbutTableReal(&t, reports[i].volume_change);
    AbutTableReal(&t, reports[i].volume_error);
    AbutTableReal(&t, reports[i].bulge);
    AbutTableReal(&t, reports[i].displacement);
    AbutTableInteger(&t, reports[i].num_deformed);
    AbutTextAppend(&t, "\n");
  }
  PetscCall(AbutTablePut(&a->results.surfaces_csv, &t));
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(0);
}

static void AddEvent(FrameEvent *event, PetscInt frame, PetscInt item)
{
  if (item < 0) return;
  if (!event->num++) {
    event->frame = frame;
    event->item  = item;
  }
}

static void AddTotals(Animation *a, PetscInt frame, const AbutDeformPairReport pairs[], const AbutDeformSurfaceReport surfaces[])
{
  PetscBool contact    = PETSC_FALSE;
  PetscInt  unresolved = -1, limited = -1;

  for (PetscInt i = a->scene->num_pairs - 1; i >= 0; i--) {
    const PetscBool zone = (PetscBool)(pairs[i].num_zone[0] || pairs[i].num_zone[1]);

    contact                         = (PetscBool)(contact || zone);
    a->results.totals.zone_mismatch = PetscMax(a->results.totals.zone_mismatch, pairs[i].zone_mismatch);
    a->results.totals.depth         = PetscMax(a->results.totals.depth, pairs[i].depth);
    if (zone && pairs[i].penetration_after > a->results.totals.after.value)
      a->results.totals.after = (FrameMost){pairs[i].penetration_after, frame, i};
    if (pairs[i].intersects && !zone) unresolved = i;
  }
  for (PetscInt i = a->scene->num_surfaces - 1; i >= 0; i--) {
    a->results.totals.volume_error = PetscMax(a->results.totals.volume_error, surfaces[i].volume_error);
    a->results.totals.displacement = PetscMax(a->results.totals.displacement, surfaces[i].displacement);
    if (surfaces[i].limited) limited = i;
  }
  a->results.totals.in_contact += contact;
  AddEvent(&a->results.totals.unresolved, frame, unresolved);
  AddEvent(&a->results.totals.limited, frame, limited);
}

/* Sends the reports of a frame to all ranks; rank 0 adds them to the tables. */
static PetscErrorCode AddReports(Animation *a, const FrameCopy *copy, PetscMPIInt writer, PetscInt frame)
{
  AbutDeformPairReport    *pairs;
  AbutDeformSurfaceReport *surfaces;
  PetscErrorCode           code = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(a->scene->num_pairs, &pairs, a->scene->num_surfaces, &surfaces));
  if (writer == a->rank) {
    PetscCall(PetscArraycpy(pairs, copy->pairs, a->scene->num_pairs));
    PetscCall(PetscArraycpy(surfaces, copy->surfaces, a->scene->num_surfaces));
  }
  PetscCallMPI(MPI_Bcast(pairs, (PetscMPIInt)((size_t)a->scene->num_pairs * sizeof(*pairs)), MPI_BYTE, writer, a->comm));
  PetscCallMPI(MPI_Bcast(surfaces, (PetscMPIInt)((size_t)a->scene->num_surfaces * sizeof(*surfaces)), MPI_BYTE, writer, a->comm));
  AddTotals(a, frame, pairs, surfaces);
  if (!a->rank) code = PutPairs(a, frame, pairs);
  if (!a->rank && !code) code = PutSurfaces(a, frame, surfaces);
  PetscCall(PetscFree2(pairs, surfaces));
  PetscCall(AbutReserve(a->results.num_frames + 1, &a->results.frame_capacity, &a->results.frame));
  a->results.frame[a->results.num_frames++] = frame;
  PetscFunctionReturn(code);
}

PetscErrorCode FramesFlush(Animation *a)
{
  PetscInt       mine[FRAMES_HELD], *frame;
  PetscErrorCode code = 0, written;

  PetscFunctionBegin;
  if (!a->results.num_held) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(a->results.num_held * a->size, &frame));
  for (PetscInt held = 0; held < a->results.num_held; held++) mine[held] = a->results.held[held].frame;
  PetscCallMPI(MPI_Allgather(mine, (PetscMPIInt)a->results.num_held, MPIU_INT, frame, (PetscMPIInt)a->results.num_held, MPIU_INT, a->comm));
  written = WriteFrames(a, frame);
  for (PetscInt held = 0; held < a->results.num_held && !written; held++)
    for (PetscMPIInt writer = 0; writer < a->size; writer++)
      if (frame[writer * a->results.num_held + held] >= 0) {
        const PetscErrorCode put = AddReports(a, &a->results.held[held], writer, frame[writer * a->results.num_held + held]);

        if (!code) code = put;
      }
  a->results.num_held = 0;
  PetscCall(PetscFree(frame));
  PetscCall(written);
  PetscCall(AbutAgree(a->comm, code));
  PetscFunctionReturn(0);
}

PetscErrorCode FramesAdd(Animation *a, PetscInt frame)
{
  const PetscInt fit = PetscMax(1, MAX_BYTES / (64 * a->results.num_vertices));

  PetscFunctionBegin;
  PetscCall(HoldFrame(a, frame, &a->results.held[a->results.num_held++]));
  if (a->results.num_held >= PetscMin(fit, FRAMES_HELD)) PetscCall(FramesFlush(a));
  PetscFunctionReturn(0);
}
