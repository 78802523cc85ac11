/*
  Indices of fields.h5 in the format VTKHDF 2.0, for ParaView 5.12 and VTK 9.3 or later: unstructured grids over time whose large datasets
  are virtual (HDF5's term), parts of datasets of fields.h5. One serial program writes them within milliseconds, and no number is stored
  twice. Source: "VTKHDF format specification" of the VTK documentation.
*/
#include "fieldsimpl.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SOURCE "fields.h5"
#define SLICE  (1 << 20) /* rows of offsets and types that are written at once */

/* Cells of one type whose vertices are rows of a dataset of fields.h5; quadratic cells have nodes on edges in a second one. */
typedef struct {
  const char   *corners, *middles, *body; /* below /mesh; middles NULL: linear */
  PetscInt      first, count;             /* rows */
  int           num_corners, num_middles;
  unsigned char type; /* of VTK */
} Block;

typedef struct {
  const AbutXdmfIndex *index;
  PetscInt             num_blocks, num_points, num_cells;
  PetscInt64           num_nodes; /* sum over the cells */
  Block               *blocks;
  const char          *points; /* dataset of a time level */
  PetscBool            surface;
  hid_t                root, steps; /* groups /VTKHDF and /VTKHDF/Steps */
  PetscBool            failed;
} Grid;

/* Records that a call has failed. */
static void Check(Grid *g, herr_t result)
{
  if (result < 0) g->failed = PETSC_TRUE;
}

static hid_t Created(Grid *g, hid_t object)
{
  Check(g, object < 0 ? -1 : 0);
  return object;
}

static hid_t Group(Grid *g, hid_t where, const char name[])
{
  return Created(g, H5Gcreate2(where, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void Attribute(Grid *g, hid_t where, const char name[], hid_t stored, hid_t memory, hsize_t size, const void *value)
{
  const hid_t space     = size > 1 ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
  const hid_t attribute = Created(g, H5Acreate2(where, name, stored, space, H5P_DEFAULT, H5P_DEFAULT));

  Check(g, H5Awrite(attribute, memory, value));
  H5Aclose(attribute);
  H5Sclose(space);
}

/* A dataset with `size` values begin, begin + step, ... */
static void Sequence(Grid *g, hid_t where, const char name[], PetscInt size, PetscInt64 begin, PetscInt64 step)
{
  const hsize_t total   = (hsize_t)size;
  const hid_t   space   = H5Screate_simple(1, &total, NULL);
  const hid_t   dataset = Created(g, H5Dcreate2(where, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  int64_t      *values  = NULL;

  if (PetscMalloc1(size, &values)) g->failed = PETSC_TRUE;
  for (PetscInt i = 0; values && i < size; i++) values[i] = begin + i * step;
  if (values && size) Check(g, H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  (void)PetscFree(values);
  H5Dclose(dataset);
  H5Sclose(space);
}

/* A dataset in compressed slices; `fill` sets the values of the rows [begin, end). */
static void Slices(Grid *g, const char name[], hid_t stored, hid_t memory, PetscInt size,
                   void (*fill)(const Grid *, PetscInt, PetscInt, int64_t *))
{
  const hsize_t total = (hsize_t)size, chunk = (hsize_t)PetscMax(PetscMin(size, SLICE), 1);
  const hid_t   space = H5Screate_simple(1, &total, NULL), layout = H5Pcreate(H5P_DATASET_CREATE);
  hid_t         dataset;
  int64_t      *values = NULL;

  H5Pset_chunk(layout, 1, &chunk);
  H5Pset_shuffle(layout);
  H5Pset_deflate(layout, 1);
  dataset = Created(g, H5Dcreate2(g->root, name, stored, space, H5P_DEFAULT, layout, H5P_DEFAULT));
  if (PetscMalloc1(chunk, &values)) g->failed = PETSC_TRUE;
  for (PetscInt begin = 0; values && begin < size; begin += SLICE) {
    const hsize_t start = (hsize_t)begin, count = (hsize_t)PetscMin(SLICE, size - begin);
    const hid_t   part = H5Screate_simple(1, &count, NULL);

    fill(g, begin, begin + (PetscInt)count, values);
    Check(g, H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL));
    Check(g, H5Dwrite(dataset, memory, part, space, H5P_DEFAULT, values));
    H5Sclose(part);
  }
  (void)PetscFree(values);
  H5Dclose(dataset);
  H5Pclose(layout);
  H5Sclose(space);
}

/* Numbers of nodes of the cells before the cells [begin, end). */
static void FillOffsets(const Grid *g, PetscInt begin, PetscInt end, int64_t values[])
{
  PetscInt64 offset = 0;
  PetscInt   cell   = 0;

  for (const Block *b = g->blocks; b < g->blocks + g->num_blocks; b++) {
    const PetscInt nodes = b->num_corners + b->num_middles;

    for (PetscInt i = PetscMax(begin, cell); i < PetscMin(end, cell + b->count); i++) values[i - begin] = offset + (i - cell) * nodes;
    cell += b->count;
    offset += (PetscInt64)b->count * nodes;
  }
  if (end > cell) values[cell - begin] = offset; /* behind the last cell */
}

static void FillTypes(const Grid *g, PetscInt begin, PetscInt end, int64_t values[])
{
  PetscInt cell = 0;

  for (const Block *b = g->blocks; b < g->blocks + g->num_blocks; cell += b++->count)
    for (PetscInt i = PetscMax(begin, cell); i < PetscMin(end, cell + b->count); i++) values[i - begin] = b->type;
}

/* A virtual dataset in the making. */
typedef struct {
  hid_t   space, layout;
  int     rank;
  hsize_t size[2];
} Virtual;

/* Of rows of `width` numbers. `fill` of type `memory`: value of rows that nothing is mapped to. */
static Virtual VirtualBegin(PetscInt64 rows, PetscInt width, hid_t memory, const void *fill)
{
  Virtual v = {.rank = width > 1 ? 2 : 1, .size = {(hsize_t)rows, (hsize_t)width}};

  v.space  = H5Screate_simple(v.rank, v.size, NULL);
  v.layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_fill_value(v.layout, memory, fill);
  return v;
}

/* Maps rows from `to` on to `count` rows from `from` on of a dataset of fields.h5, which has `rows` rows of the same width. */
static void MapRows(Grid *g, Virtual *v, PetscInt64 to, const char path[], PetscInt from, PetscInt count, PetscInt rows)
{
  const hsize_t start[2] = {(hsize_t)to, 0}, size[2] = {(hsize_t)count, v->size[1]}, at[2] = {(hsize_t)from, 0};
  const hsize_t total[2] = {(hsize_t)rows, v->size[1]};
  hid_t         source;

  if (!count) return;
  source = H5Screate_simple(v->rank, total, NULL);
  Check(g, H5Sselect_hyperslab(source, H5S_SELECT_SET, at, NULL, size, NULL));
  Check(g, H5Sselect_hyperslab(v->space, H5S_SELECT_SET, start, NULL, size, NULL));
  Check(g, H5Pset_virtual(v->layout, v->space, SOURCE, path, source));
  H5Sclose(source);
}

static void VirtualEnd(Grid *g, Virtual *v, hid_t where, const char name[], hid_t stored)
{
  hid_t dataset;

  Check(g, H5Sselect_all(v->space));
  dataset = Created(g, H5Dcreate2(where, name, stored, v->space, H5P_DEFAULT, v->layout, H5P_DEFAULT));
  H5Dclose(dataset);
  H5Pclose(v->layout);
  H5Sclose(v->space);
}

/* Rows of a dataset of fields.h5 that has all entities of the block's kind. */
static PetscInt SourceRows(const Grid *g, const Block *b)
{
  const AbutXdmfIndex *n = g->index;

  if (g->surface) return n->num_surface[1];
  return strcmp(b->corners, "cells") ? n->num_obstacle[b->num_corners - 1] : n->num_cells;
}

/* Maps the corners of the cells of a block, or their nodes on edges, to rows of a dataset; `to`: the first number of the first cell. */
static void MapNodes(Grid *g, Virtual *v, PetscInt64 to, const Block *b, PetscBool middles)
{
  const int     width = middles ? b->num_middles : b->num_corners;
  const hsize_t start = (hsize_t)(to + (middles ? b->num_corners : 0)), stride = (hsize_t)(b->num_corners + b->num_middles);
  const hsize_t count = (hsize_t)b->count, block = (hsize_t)width;
  const hsize_t at[2] = {(hsize_t)b->first, 0}, size[2] = {count, block}, total[2] = {(hsize_t)SourceRows(g, b), block};
  char          path[64];
  hid_t         source;

  if (!width || !count) return;
  source = H5Screate_simple(width > 1 ? 2 : 1, total, NULL);
  snprintf(path, sizeof(path), "/mesh/%s", middles ? b->middles : b->corners);
  Check(g, H5Sselect_hyperslab(source, H5S_SELECT_SET, at, NULL, size, NULL));
  Check(g, H5Sselect_hyperslab(v->space, H5S_SELECT_SET, &start, &stride, &count, &block));
  Check(g, H5Pset_virtual(v->layout, v->space, SOURCE, path, source));
  H5Sclose(source);
}

/* Of 64 bits as the offsets: VTK shows no cells if the types differ. */
static void Connectivity(Grid *g)
{
  const int64_t none = 0;
  Virtual       v    = VirtualBegin(g->num_nodes, 1, H5T_NATIVE_INT64, &none);
  PetscInt64    at   = 0;

  for (const Block *b = g->blocks; b < g->blocks + g->num_blocks; b++) {
    MapNodes(g, &v, at, b, PETSC_FALSE);
    MapNodes(g, &v, at, b, PETSC_TRUE);
    at += (PetscInt64)b->count * (b->num_corners + b->num_middles);
  }
  VirtualEnd(g, &v, g->root, "Connectivity", H5T_STD_I64LE);
}

/* Numbers of the bodies or regions of the cells, the same at all times; obstacles have no regions. */
static void CellNumbers(Grid *g, hid_t data, hid_t offsets, const char name[])
{
  const PetscBool regions = (PetscBool)!strcmp(name, "region");
  const int64_t   none    = -1;
  Virtual         v       = VirtualBegin(g->num_cells, 1, H5T_NATIVE_INT64, &none);
  PetscInt        at      = 0;

  for (const Block *b = g->blocks; b < g->blocks + g->num_blocks; at += b++->count) {
    char path[64];

    if (regions && strcmp(b->corners, "cells")) continue;
    snprintf(path, sizeof(path), "/mesh/%s", regions ? "cells_region" : b->body);
    MapRows(g, &v, at, path, b->first, b->count, SourceRows(g, b));
  }
  VirtualEnd(g, &v, data, name, AbutH5TypeInt());
  Sequence(g, offsets, name, g->index->num_levels, 0, 0);
}

/*
  A dataset of all levels: `rows` rows of each level in which fields.h5 has `from`, then `pad` rows without values (NaN). The bit of a field
  says whether a level has it; -1: all have it.
*/
static void OverLevels(Grid *g, hid_t where, const char name[], const char from[], PetscInt rows, PetscInt pad, PetscInt width, int bit)
{
  const AbutXdmfIndex *n    = g->index;
  const double         none = NAN;
  Virtual              v    = VirtualBegin((PetscInt64)n->num_levels * (rows + pad), width, H5T_NATIVE_DOUBLE, &none);

  for (PetscInt k = 0; k < n->num_levels; k++) {
    const AbutLevelIndex *level = &n->levels[k];
    char                  path[96];

    if (bit >= 0 && !(level->fields & 1 << bit)) continue;
    snprintf(path, sizeof(path), "/steps/%06" PRId64 "/%s", level->step, from);
    MapRows(g, &v, (PetscInt64)k * (rows + pad), path, 0, rows, rows);
  }
  VirtualEnd(g, &v, where, name, width == 9 ? H5T_IEEE_F32LE : AbutH5TypeReal()); /* tensors have single precision */
}

static void Fields(Grid *g)
{
  const AbutXdmfIndex *n      = g->index;
  const PetscBool      nodes  = (PetscBool)!strcmp(g->points, "node_position");
  const hid_t          points = Group(g, g->root, "PointData"), cells = Group(g, g->root, "CellData");
  const hid_t          at_points = Group(g, g->steps, "PointDataOffsets"), at_cells = Group(g, g->steps, "CellDataOffsets");
  int                  any = 0;

  for (PetscInt k = 0; k < n->num_levels; k++) any |= n->levels[k].fields;
  if (!g->surface) {
    OverLevels(g, points, "displacement", nodes ? "node_displacement" : "displacement", g->num_points, 0, 3, -1);
    Sequence(g, at_points, "displacement", n->num_levels, 0, g->num_points);
  }
  for (PetscInt k = 0; k < ABUT_NUM_FIELDS; k++) {
    const AbutFieldInfo *f       = &AbutFieldInfos[k];
    const PetscBool      in_cell = (PetscBool)(f->place == ABUT_AT_CELLS);
    const PetscInt       rows    = in_cell ? n->num_cells : g->num_points;

    if (!(any & 1 << k) || (f->place == ABUT_AT_SURFACE) != g->surface) continue;
    OverLevels(g, in_cell ? cells : points, f->name, nodes && k == ABUT_FIELD_VELOCITY ? "node_velocity" : f->name, rows,
               in_cell ? g->num_cells - rows : 0, f->components, (int)k);
    Sequence(g, in_cell ? at_cells : at_points, f->name, n->num_levels, 0, in_cell ? g->num_cells : g->num_points);
  }
  CellNumbers(g, cells, at_cells, "body");
  if (g->index->regions && !g->surface) CellNumbers(g, cells, at_cells, "region");
  H5Gclose(points);
  H5Gclose(cells);
  H5Gclose(at_points);
  H5Gclose(at_cells);
}

/* Times, and where the data of each time begin: only points and fields change. */
static void Steps(Grid *g)
{
  const AbutXdmfIndex *n       = g->index;
  const hsize_t        total   = (hsize_t)n->num_levels;
  const int64_t        steps   = n->num_levels;
  const hid_t          space   = H5Screate_simple(1, &total, NULL);
  const hid_t          dataset = Created(g, H5Dcreate2(g->steps, "Values", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  double              *times   = NULL;

  Attribute(g, g->steps, "NSteps", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, &steps);
  if (PetscMalloc1(n->num_levels, &times)) g->failed = PETSC_TRUE;
  for (PetscInt k = 0; times && k < n->num_levels; k++) times[k] = (double)n->levels[k].time;
  if (times) Check(g, H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times));
  (void)PetscFree(times);
  H5Dclose(dataset);
  H5Sclose(space);
  Sequence(g, g->steps, "PartOffsets", n->num_levels, 0, 0);
  Sequence(g, g->steps, "NumberOfParts", n->num_levels, 1, 0);
  Sequence(g, g->steps, "PointOffsets", n->num_levels, 0, g->num_points);
  Sequence(g, g->steps, "CellOffsets", n->num_levels, 0, 0);
  Sequence(g, g->steps, "ConnectivityIdOffsets", n->num_levels, 0, 0);
}

static void Contents(Grid *g)
{
  static const char type[]    = "UnstructuredGrid";
  const int64_t     version[] = {2, 0};
  const hid_t       text      = H5Tcopy(H5T_C_S1);

  H5Tset_size(text, strlen(type));
  H5Tset_strpad(text, H5T_STR_NULLPAD);
  Attribute(g, g->root, "Version", H5T_STD_I64LE, H5T_NATIVE_INT64, 2, version);
  Attribute(g, g->root, "Type", text, text, 1, type);
  H5Tclose(text);
  Sequence(g, g->root, "NumberOfPoints", 1, g->num_points, 0);
  Sequence(g, g->root, "NumberOfCells", 1, g->num_cells, 0);
  Sequence(g, g->root, "NumberOfConnectivityIds", 1, g->num_nodes, 0);
  OverLevels(g, g->root, "Points", g->points, g->num_points, 0, 3, -1);
  Connectivity(g);
  Slices(g, "Offsets", H5T_STD_I64LE, H5T_NATIVE_INT64, g->num_cells + 1, FillOffsets);
  Slices(g, "Types", H5T_STD_U8LE, H5T_NATIVE_INT64, g->num_cells, FillTypes);
  Steps(g);
  Fields(g);
}

/* Writes a file beside fields.h5 under another name and renames it. */
static PetscErrorCode WriteFile(Grid *g, const char path[])
{
  char        temporary[PETSC_MAX_PATH_LEN + 8];
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  hid_t       file;

  PetscFunctionBegin;
  snprintf(temporary, sizeof(temporary), "%s.tmp", path);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  H5Pset_file_locking(access, 0, 1);
  for (const Block *b = g->blocks; b < g->blocks + g->num_blocks; b++) {
    g->num_cells += b->count;
    g->num_nodes += (PetscInt64)b->count * (b->num_corners + b->num_middles);
  }
  file     = Created(g, H5Fcreate(temporary, H5F_ACC_TRUNC, H5P_DEFAULT, access));
  g->root  = Group(g, file, "VTKHDF");
  g->steps = Group(g, g->root, "Steps");
  if (!g->failed) Contents(g);
  H5Gclose(g->steps);
  H5Gclose(g->root);
  Check(g, H5Fclose(file));
  H5Pclose(access);
  if (g->failed) (void)unlink(temporary);
  AbutCheck(!g->failed, ABUT_ERR_IO, "cannot write %s", path);
  PetscCall(AbutFileCommit(temporary, path, PETSC_FALSE));
  PetscFunctionReturn(0);
}

/* Blocks of bodies and obstacles. */
static PetscErrorCode ListBlocks(const AbutMeshLocal *m, Grid *g)
{
  static const unsigned char types[2][2] = {{5, 22}, {10, 24}}; /* triangles, tetrahedra; linear, quadratic */
  static const unsigned char shapes[]    = {1, 3, 5};           /* vertex, line, triangle */
  static const char *const   obstacles[] = {"obstacle_points", "obstacle_segments", "obstacle_triangles"};
  static const char *const   owners[]    = {"obstacle_points_body", "obstacle_segments_body", "obstacle_triangles_body"};

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(m->num_bodies + 3, &g->blocks));
  for (const AbutBody *body = m->bodies; body < m->bodies + m->num_bodies; body++) {
    const PetscBool quadratic = (PetscBool)(body->order == 2);

    if (body->cell_end > body->cell_start)
      g->blocks[g->num_blocks++] = (Block){"cells",
                                           quadratic ? "cells_middles" : NULL,
                                           "cells_body",
                                           body->cell_start,
                                           body->cell_end - body->cell_start,
                                           (int)m->dim + 1,
                                           quadratic ? AbutNumCellEdges(m->dim) : 0,
                                           types[m->dim == 3][quadratic]};
  }
  for (int d = 2; d >= 0; d--)
    if (g->index->num_obstacle[d])
      g->blocks[g->num_blocks++] = (Block){obstacles[d], NULL, owners[d], 0, g->index->num_obstacle[d], d + 1, 0, shapes[d]};
  PetscFunctionReturn(0);
}

PetscErrorCode AbutVTKHDFWrite(AbutMesh mesh, const AbutXdmfIndex *index, const char fields[], const char surface[])
{
  const AbutMeshLocal *m      = AbutMeshGetLocal(mesh);
  Grid                 bodies = {.index = index, .num_points = index->num_vertices, .points = m->middles ? "node_position" : "position"};
  Block          facets  = {"contact_surface", NULL, "contact_surface_body", 0, index->num_surface[1], (int)m->dim, 0, m->dim == 3 ? 5 : 3};
  Grid           contact = {.index      = index,
                            .num_points = index->num_surface[0],
                            .points     = "surface_position",
                            .blocks     = &facets,
                            .num_blocks = 1,
                            .surface    = PETSC_TRUE};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(ListBlocks(m, &bodies));
  ierr = WriteFile(&bodies, fields);
  PetscCall(PetscFree(bodies.blocks));
  PetscCall(ierr);
  for (PetscInt k = 0; k < index->num_levels; k++)
    if (!AbutFieldsHaveSurface(index->levels[k].fields)) PetscFunctionReturn(0);
  PetscCall(WriteFile(&contact, surface));
  PetscFunctionReturn(0);
}
