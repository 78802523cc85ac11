/*
  fields.h5: the mesh and a group for each time level, in input order; vectors have three components.

  The file is open only while a level is written. The group of a level gets its name after its data are flushed, so that a killed run leaves
  complete levels only. The XDMF index gets each level after that.
*/
#include "fieldsimpl.h"
#include <abut/petsc_versions.h>
#include <inttypes.h>
#include <petsctime.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SMALL_INDEX (1 << 20) /* bytes of fields.xdmf, about 600 levels: up to here it is written at each level, within 1 ms */

/* Time until an index may be written again: writing takes a fiftieth of the time of the run, because an index is written as a whole. */
static PetscErrorCode SetNext(PetscLogDouble begin, PetscLogDouble *next)
{
  PetscFunctionBegin;
  PetscCall(PetscTime(next));
  *next += 50 * (*next - begin);
  PetscFunctionReturn(0);
}

/* Writes the indices that are due, with `all` each that lacks levels. Not collective: on rank 0. */
static PetscErrorCode WriteIndices(AbutFields f, PetscBool all)
{
  const PetscInt levels = f->index.num_levels;
  PetscLogDouble now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  if (levels > f->index.num_written && (all || f->index.end < SMALL_INDEX || now >= f->next_xdmf)) {
    PetscCall(AbutXdmfWrite(&f->index, f->xdmf));
    PetscCall(SetNext(now, &f->next_xdmf));
  }
  PetscCall(PetscTime(&now));
  if (levels != f->num_vtkhdf && (all || now >= f->next_vtkhdf)) {
    PetscCall(AbutVTKHDFWrite(f->mesh, &f->index, f->vtkhdf[0], f->vtkhdf[1]));
    f->num_vtkhdf = levels;
    PetscCall(SetNext(now, &f->next_vtkhdf));
  }
  PetscFunctionReturn(0);
}

/* Writes fields.xdmf, fields.vtkhdf and surface.vtkhdf, indices of many levels only now and then. Collective. */
static PetscErrorCode WriteIndex(AbutFields f)
{
  return AbutAgree(f->comm, AbutIsRoot(f->comm) ? WriteIndices(f, PETSC_FALSE) : 0);
}

/* Copies owned rows of `dim` components to rows of three components on the slice. Collective. */
static PetscErrorCode VectorToSlice(AbutFields f, const PetscReal owned[], PetscReal slice[])
{
  const PetscInt dim = f->index.dim;

  PetscFunctionBegin;
  PetscCall(AbutSFReduceRows(f->vertices.sf, MPIU_REAL, dim, owned, slice));
  if (dim == 2) {
    for (PetscInt i = f->vertices.size; i-- > 0;) {
      const PetscReal x = slice[2 * i], y = slice[2 * i + 1];
      slice[3 * i]     = x;
      slice[3 * i + 1] = y;
      slice[3 * i + 2] = 0;
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode WriteVector(const AbutH5 *h5, AbutFields f, hid_t group, const char name[], const PetscReal owned[])
{
  PetscFunctionBegin;
  PetscCall(VectorToSlice(f, owned, f->vertex_buffer));
  PetscCall(AbutH5WriteRows(h5, group, name, AbutH5TypeReal(), f->vertices.size, 3, f->vertex_buffer));
  PetscFunctionReturn(0);
}

static PetscErrorCode WriteScalar(const AbutH5 *h5, AbutFields f, hid_t group, const char name[], const PetscReal owned[])
{
  PetscFunctionBegin;
  PetscCall(AbutSFReduceRows(f->vertices.sf, MPIU_REAL, 1, owned, f->vertex_buffer));
  PetscCall(AbutH5WriteRows(h5, group, name, AbutH5TypeReal(), f->vertices.size, 1, f->vertex_buffer));
  PetscFunctionReturn(0);
}

/* Writes rows of `width` numbers of the cells. */
static PetscErrorCode WriteCells(const AbutH5 *h5, AbutFields f, hid_t group, const char name[], hid_t type, MPI_Datatype unit,
                                 PetscInt width, const void *rows)
{
  void *slice;

  PetscFunctionBegin;
  PetscCall(PetscMalloc((size_t)(width * f->cells.size) * H5Tget_size(type), &slice));
  PetscCall(AbutSFReduceRows(f->cells.sf, unit, width, rows, slice));
  PetscCall(AbutH5WriteRows(h5, group, name, type, f->cells.size, width, slice));
  PetscCall(PetscFree(slice));
  PetscFunctionReturn(0);
}

/* Writes 3 x 3 tensors in single precision: viewers disagree on the order of six components. */
static PetscErrorCode WriteStress(const AbutH5 *h5, AbutFields f, hid_t group, const PetscReal cauchy[])
{
  static const int     from[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2}; /* xx yy zz xy yz zx */
  const AbutMeshLocal *m       = AbutMeshGetLocal(f->mesh);
  float               *rows;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(9 * m->num_cells, &rows));
  for (PetscInt i = 0; i < 9 * m->num_cells; i++) rows[i] = (float)cauchy[6 * (i / 9) + from[i % 9]];
  PetscCall(WriteCells(h5, f, group, "cauchy", H5T_NATIVE_FLOAT, MPI_FLOAT, 9, rows));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(0);
}

/* Writes values of the vertices of the contact surface, which are packed: `width` 1, or dim for a vector of three components in files. */
static PetscErrorCode WriteSurface(const AbutH5 *h5, AbutFields f, hid_t group, const char name[], PetscInt width, const PetscReal owned[])
{
  const AbutFieldsSurface *surface = &f->surface;
  const PetscInt           columns = width == 1 ? 1 : 3;
  PetscReal               *packed, *slice;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(surface->count * columns, &packed, surface->slices.size * columns, &slice));
  for (PetscInt i = 0; i < surface->count; i++)
    for (PetscInt k = 0; k < width; k++) packed[columns * i + k] = owned[width * surface->vertices[i] + k];
  PetscCall(AbutSFReduceRows(surface->slices.sf, MPIU_REAL, columns, packed, slice));
  PetscCall(AbutH5WriteRows(h5, group, name, AbutH5TypeReal(), surface->slices.size, columns, slice));
  PetscCall(PetscFree2(packed, slice));
  PetscFunctionReturn(0);
}

/* Writes one of AbutFieldInfos. */
static PetscErrorCode WriteField(const AbutH5 *h5, AbutFields f, hid_t group, PetscInt k, const AbutFieldsLevel *level)
{
  const AbutFieldInfo *info   = &AbutFieldInfos[k];
  const PetscReal     *values = AbutFieldValues(level, k);

  PetscFunctionBegin;
  if (info->components == 9)
    PetscCall(WriteStress(h5, f, group, values));
  else if (info->place == ABUT_AT_CELLS)
    PetscCall(WriteCells(h5, f, group, info->name, AbutH5TypeReal(), MPIU_REAL, 1, values));
  else if (info->place == ABUT_AT_SURFACE)
    PetscCall(WriteSurface(h5, f, group, info->name, info->components == 1 ? 1 : f->index.dim, values));
  else if (info->place == ABUT_AT_NODES)
    PetscCall(WriteScalar(h5, f, group, info->name, values));
  else
    PetscCall(WriteVector(h5, f, group, info->name, values));
  PetscFunctionReturn(0);
}

/* Size of a level with every field. */
static PetscInt64 LevelBytes(AbutFields f)
{
  return (PetscInt64)f->index.num_vertices * (f->rest_nodes ? 25 : 15) * (PetscInt64)sizeof(PetscReal) +
         (PetscInt64)f->index.num_cells * (PetscInt64)(9 * sizeof(float) + 2 * sizeof(PetscReal)) +
         (PetscInt64)f->index.num_surface[0] * 15 * (PetscInt64)sizeof(PetscReal);
}

/* Fields that any rank gives: ranks without vertices may pass NULL, but must take part in the collective writes. */
static PetscErrorCode AgreeOnFields(AbutFields f, const AbutFieldsLevel *level, int *fields)
{
  PetscFunctionBegin;
  *fields = 0;
  for (PetscInt k = 0; k < ABUT_NUM_FIELDS; k++)
    if (AbutFieldValues(level, k)) *fields |= 1 << k;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, fields, 1, MPI_INT, MPI_BOR, f->comm));
  PetscFunctionReturn(0);
}

/* Values at the nodes of quadratic cells and at other vertices [num_owned * dim], from values of owned vertices. Collective. */
static PetscErrorCode CreateNodes(AbutFields f, const PetscReal owned[], PetscReal **nodes)
{
  const AbutMeshLocal *m = AbutMeshGetLocal(f->mesh);

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m->num_owned * m->dim, nodes));
  PetscCall(AbutMeshVerticesToNodes(f->mesh, owned, *nodes));
  PetscFunctionReturn(0);
}

typedef struct {
  AbutFields             f;
  const AbutFieldsLevel *level;
  int                    fields;
  PetscReal             *x, *v; /* values at nodes; NULL without quadratic cells, v without velocity */
} LevelContext;

/* Writes positions, displacements and velocities of the nodes, with which viewers draw quadratic cells. */
static PetscErrorCode WriteNodes(const AbutH5 *h5, const LevelContext *c, hid_t group)
{
  AbutFields f = c->f;

  PetscFunctionBegin;
  PetscCall(WriteVector(h5, f, group, "node_position", c->x));
  for (PetscInt i = 0; i < 3 * f->vertices.size; i++) f->vertex_buffer[i] -= f->rest_nodes[i];
  PetscCall(AbutH5WriteRows(h5, group, "node_displacement", AbutH5TypeReal(), f->vertices.size, 3, f->vertex_buffer));
  if (c->fields & 1 << ABUT_FIELD_VELOCITY) PetscCall(WriteVector(h5, f, group, "node_velocity", c->v));
  PetscFunctionReturn(0);
}

static PetscErrorCode LevelWork(const AbutH5 *plain, void *ctx)
{
  const LevelContext    *c     = (const LevelContext *)ctx;
  const AbutFieldsLevel *level = c->level;
  AbutFields             f     = c->f;
  const AbutH5           file = {plain->comm, plain->path, plain->file, f->compression}, *h5 = &file;
  char                   name[32];
  hid_t                  steps, group;

  PetscFunctionBegin;
  snprintf(name, sizeof(name), "%06" PRId64, (PetscInt64)level->step);
  PetscCall(AbutH5OpenGroup(h5, h5->file, "steps", &steps));
  PetscCall(AbutH5CreateGroup(h5, h5->file, NULL, &group));
  PetscCall(AbutH5SetInt(h5, group, "step", level->step));
  PetscCall(AbutH5SetReal(h5, group, "time", level->time));
  PetscCall(AbutH5SetInt(h5, group, "fields", c->fields));
  PetscCall(WriteVector(h5, f, group, "position", level->x));
  for (PetscInt i = 0; i < 3 * f->vertices.size; i++) f->vertex_buffer[i] -= f->rest[i];
  PetscCall(AbutH5WriteRows(h5, group, "displacement", AbutH5TypeReal(), f->vertices.size, 3, f->vertex_buffer));
  if (f->rest_nodes) PetscCall(WriteNodes(h5, c, group));
  for (PetscInt k = 0; k < ABUT_NUM_FIELDS; k++)
    if (c->fields & 1 << k) PetscCall(WriteField(h5, f, group, k, level));
  if (AbutFieldsHaveSurface(c->fields)) PetscCall(WriteSurface(h5, f, group, "surface_position", f->index.dim, level->x));
  if (level->num_planes) PetscCall(AbutFieldsWritePlanes(h5, f, group, level));
  if (H5Lexists(steps, name, H5P_DEFAULT) > 0) PetscCall(AbutH5Unlink(h5, steps, name));
  PetscCall(AbutH5Link(h5, group, steps, name));
  PetscCall(AbutH5CloseGroup(h5, group));
  PetscCall(AbutH5CloseGroup(h5, steps));
  PetscFunctionReturn(0);
}

/* Adds a level to the index; it replaces a level of the same step. */
static PetscErrorCode IndexLevel(AbutXdmfIndex *index, AbutLevelIndex level)
{
  PetscInt at = index->num_levels;

  PetscFunctionBegin;
  while (at > 0 && index->levels[at - 1].step >= level.step) at--;
  if (at == index->num_levels || index->levels[at].step != level.step) {
    PetscCall(PetscRealloc((size_t)(index->num_levels + 1) * sizeof(*index->levels), &index->levels));
    memmove(&index->levels[at + 1], &index->levels[at], (size_t)(index->num_levels - at) * sizeof(*index->levels));
    index->num_levels++;
  }
  index->levels[at] = level;
  if (at < index->num_written) index->num_written = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFieldsWrite(AbutFields f, const AbutFieldsLevel *level)
{
  LevelContext   ctx = {f, level, 0, NULL, NULL};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_OUTPUT));
  PetscCall(AgreeOnFields(f, level, &ctx.fields));
  if (f->rest_nodes) PetscCall(CreateNodes(f, level->x, &ctx.x));
  if (f->rest_nodes && ctx.fields & 1 << ABUT_FIELD_VELOCITY) PetscCall(CreateNodes(f, level->v, &ctx.v));
  ierr = AbutH5Run(f->comm, f->path, ABUT_H5_EDIT, LevelBytes(f), LevelWork, &ctx);
  if (!ierr) {
    PetscCall(IndexLevel(&f->index, (AbutLevelIndex){level->step, level->time, ctx.fields, level->num_planes}));
    ierr = WriteIndex(f);
  }
  PetscCall(PetscFree(ctx.x));
  PetscCall(PetscFree(ctx.v));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_OUTPUT));
  PetscCall(ierr);
  PetscFunctionReturn(0);
}

/* Adds the levels up to f->first_step to the index and deletes later ones from the file. */
static PetscErrorCode ScanLevels(const AbutH5 *h5, AbutFields f, hid_t steps)
{
  H5G_info_t info = {0};
  char(*names)[32];

  PetscFunctionBegin;
  if (H5Gget_info(steps, &info) < 0) info.nlinks = 0;
  PetscCall(PetscMalloc1(info.nlinks, &names));
  for (hsize_t i = 0; i < info.nlinks; i++)
    if (H5Lget_name_by_idx(steps, ".", H5_INDEX_NAME, H5_ITER_INC, i, names[i], 32, H5P_DEFAULT) < 0) names[i][0] = '\0';
  for (hsize_t i = 0; i < info.nlinks; i++) {
    AbutLevelIndex level;
    PetscInt64     fields, num_planes = 0;
    hid_t          group;

    PetscCall(AbutH5OpenGroup(h5, steps, names[i], &group));
    PetscCall(AbutH5GetInt(h5, group, "step", &level.step));
    PetscCall(AbutH5GetReal(h5, group, "time", &level.time));
    PetscCall(AbutH5GetInt(h5, group, "fields", &fields));
    if (H5Aexists(group, "num_planes") > 0) PetscCall(AbutH5GetInt(h5, group, "num_planes", &num_planes)); /* since version 0.2.0 */
    PetscCall(AbutH5CloseGroup(h5, group));
    level.fields     = (int)fields;
    level.num_planes = (PetscInt)num_planes;
    if (level.step > f->first_step)
      PetscCall(AbutH5Unlink(h5, steps, names[i]));
    else
      PetscCall(IndexLevel(&f->index, level));
  }
  PetscCall(PetscFree(names));
  PetscFunctionReturn(0);
}

static PetscErrorCode AppendWork(const AbutH5 *h5, void *ctx)
{
  AbutFields f = (AbutFields)ctx;
  hid_t      steps;

  PetscFunctionBegin;
  PetscCall(AbutFingerprintCheck(h5, "field file", ABUT_FIELDS_FORMAT, &f->print));
  PetscCall(AbutFieldsSurfaceAdd(h5, f)); /* files of version 0.2.0 lack it */
  PetscCall(AbutFieldsRegionsAdd(h5, f));
  PetscCall(AbutH5OpenGroup(h5, h5->file, "steps", &steps));
  PetscCall(ScanLevels(h5, f, steps));
  PetscCall(AbutH5CloseGroup(h5, steps));
  PetscFunctionReturn(0);
}

/* Whether rank 0 finds a fields.h5 that the run continues; if not, removes an older fields.xdmf. Collective. */
static PetscErrorCode Existing(AbutFields f, PetscBool append, PetscBool *exists)
{
  PetscFunctionBegin;
  *exists = (PetscBool)(append && !access(f->path, F_OK));
  if (AbutIsRoot(f->comm) && !*exists) unlink(f->xdmf);
  PetscCallMPI(MPI_Bcast(exists, 1, AbutMPIBool, 0, f->comm));
  PetscFunctionReturn(0);
}

static const AbutOption options[] = {{"-fields_compression", ABUT_OPTION_INT, offsetof(struct _p_AbutFields, compression), 0, 0, 9, "",
                                      "zlib level of the time levels in fields.h5; 0: not compressed"}};

const AbutOptionTable AbutFieldsOptions = {"Output of fields", sizeof(options) / sizeof(options[0]), options};

static PetscErrorCode PrepareNodes(AbutFields f)
{
  PetscReal *nodes;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * f->vertices.size, &f->rest_nodes));
  PetscCall(CreateNodes(f, AbutMeshGetLocal(f->mesh)->rest, &nodes));
  PetscCall(VectorToSlice(f, nodes, f->rest_nodes));
  PetscCall(PetscFree(nodes));
  PetscFunctionReturn(0);
}

/* Collects the data that all levels share. */
static PetscErrorCode Prepare(AbutFields f)
{
  const AbutMeshLocal *m = AbutMeshGetLocal(f->mesh);

  PetscFunctionBegin;
  PetscCall(AbutSlicesCreate(f->comm, m->num_global, m->num_owned, m->vertex_id, &f->vertices));
  f->index.dim          = m->dim;
  f->index.num_vertices = m->num_global;
  f->index.num_cells    = m->global.cells;
  PetscCall(PetscMalloc2(3 * f->vertices.size, &f->rest, 3 * f->vertices.size, &f->vertex_buffer));
  PetscCall(VectorToSlice(f, m->rest, f->rest));
  if (m->middles) PetscCall(PrepareNodes(f));
  PetscCall(AbutSlicesCreate(f->comm, m->global.cells, m->num_cells, m->cell_id, &f->cells));
  PetscCall(AbutFieldsSurfaceCreate(f));
  PetscCall(AbutMeshFingerprint(f->mesh, &f->print));
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateOrAppend(AbutFields f, PetscBool append)
{
  AbutFieldsMesh display;
  PetscBool      exists;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(Existing(f, append, &exists));
  PetscCall(AbutFieldsMeshCreate(f, &display));
  if (exists)
    ierr = AbutH5Run(f->comm, f->path, ABUT_H5_EDIT, AbutFieldsSurfaceBytes(f), AppendWork, f);
  else
    ierr = AbutH5RunReplace(f->comm, f->path, AbutFieldsMeshBytes(&display), 0, AbutFieldsMeshWork, &display);
  PetscCall(AbutFieldsMeshDestroy(&display));
  if (!ierr && f->index.num_levels) ierr = WriteIndex(f);
  PetscCall(ierr);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFieldsCreate(AbutMesh mesh, const char directory[], PetscBool append, PetscInt first_step, AbutFields *fields)
{
  AbutFields     f;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_OUTPUT));
  PetscCall(PetscNew(&f));
  f->mesh       = mesh;
  f->first_step = first_step;
  f->comm       = AbutMeshGetComm(mesh);
  PetscCall(AbutOptionTableSetFromOptions(f->comm, &AbutFieldsOptions, f));
  ierr = AbutPathJoin(directory, "fields.h5", f->path);
  if (!ierr) ierr = AbutPathJoin(directory, "fields.xdmf", f->xdmf);
  if (!ierr) ierr = AbutPathJoin(directory, "fields.vtkhdf", f->vtkhdf[0]);
  if (!ierr) ierr = AbutPathJoin(directory, "surface.vtkhdf", f->vtkhdf[1]);
  PetscCall(Prepare(f));
  if (!ierr) ierr = CreateOrAppend(f, append);
  if (ierr) PetscCall(AbutFieldsDestroy(&f));
  *fields = f;
  PetscCall(AbutPhaseEnd(ABUT_PHASE_OUTPUT));
  PetscCall(ierr);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFieldsDestroy(AbutFields *fields)
{
  AbutFields f = *fields;

  PetscFunctionBegin;
  if (!f) PetscFunctionReturn(0);
  if (f->vtkhdf[1][0] && AbutIsRoot(f->comm)) (void)WriteIndices(f, PETSC_TRUE); /* without them the data are complete, too */
  PetscCall(PetscSFDestroy(&f->vertices.sf));
  PetscCall(PetscSFDestroy(&f->cells.sf));
  PetscCall(AbutFieldsSurfaceDestroy(f));
  PetscCall(PetscFree2(f->rest, f->vertex_buffer));
  PetscCall(PetscFree(f->rest_nodes));
  PetscCall(PetscFree(f->index.levels));
  PetscCall(AbutTextDestroy(&f->index.text));
  PetscCall(PetscFree(f));
  *fields = NULL;
  PetscFunctionReturn(0);
}
