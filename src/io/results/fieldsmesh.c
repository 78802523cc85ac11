/* The mesh in fields.h5: cells and surface of the bodies; triangles, segments and points of the obstacles. */
#include "fieldsimpl.h"
#include <string.h>

/* Copies entities, given by local vertices, to vertex ids and bodies on slices of entity ids. Collective. */
static PetscErrorCode EntitiesToSlice(MPI_Comm comm, const AbutMeshLocal *m, PetscInt total, PetscInt count, const PetscInt ids[],
                                      PetscInt width, const PetscInt vertices[], AbutEntitySlice *slice)
{
  AbutSlices slices;
  PetscInt  *local, *body;

  PetscFunctionBegin;
  PetscCall(AbutSlicesCreate(comm, total, count, ids, &slices));
  slice->count = slices.size;
  slice->width = width;
  PetscCall(PetscMalloc2(count * width, &local, count, &body));
  PetscCall(PetscMalloc2(slice->count * width, &slice->vertices, slice->count, &slice->body));
  for (PetscInt i = 0; i < count * width; i++) local[i] = m->vertex_id[vertices[i]];
  for (PetscInt i = 0; i < count; i++) body[i] = m->vertex_body[vertices[i * width]];
  PetscCall(AbutSFReduceRows(slices.sf, MPIU_INT, width, local, slice->vertices));
  PetscCall(AbutSFReduceRows(slices.sf, MPIU_INT, 1, body, slice->body));
  PetscCall(PetscFree2(local, body));
  PetscCall(PetscSFDestroy(&slices.sf));
  PetscFunctionReturn(0);
}

#define DEFORMABLE -1 /* instead of the highest dimension of the entities of an obstacle */

/* Selects the surface entities of the deformable bodies, or of the obstacles of one dimension; keeps their order. */
static PetscErrorCode Filter(const AbutEntitySlice *all, const AbutBody bodies[], int wanted, AbutEntitySlice *some)
{
  PetscFunctionBegin;
  some->width = all->width;
  some->count = 0;
  PetscCall(PetscMalloc2(all->count * all->width, &some->vertices, all->count, &some->body));
  for (PetscInt i = 0; i < all->count; i++) {
    const AbutBody *body = &bodies[all->body[i]];
    if ((body->obstacle ? body->surface_dim : DEFORMABLE) != wanted) continue;
    for (PetscInt k = 0; k < all->width; k++) some->vertices[some->count * all->width + k] = all->vertices[i * all->width + k];
    some->body[some->count++] = all->body[i];
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode CollectVertices(AbutFields f, const AbutMeshLocal *m, AbutFieldsMesh *display, AbutEntitySlice *vertices)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(f->vertices.size, &display->vertex_body));
  PetscCall(AbutSFReduceRows(f->vertices.sf, MPIU_INT, 1, m->vertex_body, display->vertex_body));
  vertices->count = f->vertices.size;
  vertices->width = 1;
  vertices->body  = display->vertex_body;
  PetscCall(PetscMalloc1(f->vertices.size, &vertices->vertices));
  for (PetscInt i = 0; i < f->vertices.size; i++) vertices->vertices[i] = f->vertices.start + i;
  PetscFunctionReturn(0);
}

static PetscErrorCode CollectCells(AbutFields f, const AbutMeshLocal *m, AbutFieldsMesh *display)
{
  PetscMPIInt rank;
  PetscInt   *mine;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(f->comm, &rank));
  PetscCall(EntitiesToSlice(f->comm, m, m->global.cells, m->num_cells, m->cell_id, m->dim + 1, m->cells, &display->cells));
  PetscCall(PetscMalloc1(m->num_cells, &mine));
  for (PetscInt i = 0; i < m->num_cells; i++) mine[i] = rank;
  PetscCall(PetscMalloc1(f->cells.size, &display->cell_rank));
  PetscCall(AbutSFReduceRows(f->cells.sf, MPIU_INT, 1, mine, display->cell_rank));
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(0);
}

/* XDMF's numbers of cell types. */
enum { XDMF_TRIANGLE = 4, XDMF_TETRAHEDRON = 6, XDMF_TRIANGLE_6 = 36, XDMF_TETRAHEDRON_10 = 38 };

/* Lists the cells as XDMF's topology "Mixed": the type of each cell and its nodes, corners first. XDMF has the edges in abut's order. */
static PetscErrorCode ListTopology(PetscInt dim, AbutFieldsMesh *display)
{
  const AbutEntitySlice *cells = &display->cells;
  const PetscInt edges = AbutNumCellEdges(dim), types[2][2] = {{XDMF_TRIANGLE, XDMF_TRIANGLE_6}, {XDMF_TETRAHEDRON, XDMF_TETRAHEDRON_10}};
  PetscInt      *at;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(cells->count * (1 + cells->width + edges), &display->topology));
  at = display->topology;
  for (PetscInt c = 0; c < cells->count; c++) {
    const PetscInt *middles   = &display->middles[edges * c];
    const PetscBool quadratic = (PetscBool)(middles[0] >= 0);

    *at++ = types[dim == 3][quadratic];
    for (PetscInt k = 0; k < cells->width; k++) *at++ = cells->vertices[cells->width * c + k];
    for (PetscInt e = 0; quadratic && e < edges; e++) *at++ = middles[e];
  }
  display->num_topology = (PetscInt)(at - display->topology);
  PetscFunctionReturn(0);
}

/* Collects the nodes on the edges of quadratic cells. */
static PetscErrorCode CollectMiddles(AbutFields f, const AbutMeshLocal *m, AbutFieldsMesh *display)
{
  const PetscInt edges = AbutNumCellEdges(m->dim);
  PetscInt      *ids;

  PetscFunctionBegin;
  if (!m->middles) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(m->num_cells * edges, &ids));
  PetscCall(PetscMalloc1(f->cells.size * edges, &display->middles));
  for (PetscInt i = 0; i < m->num_cells * edges; i++) ids[i] = m->middles[i] < 0 ? -1 : m->vertex_id[m->middles[i]];
  PetscCall(AbutSFReduceRows(f->cells.sf, MPIU_INT, edges, ids, display->middles));
  PetscCall(PetscFree(ids));
  PetscCall(ListTopology(m->dim, display));
  PetscCallMPI(MPI_Allreduce(&display->num_topology, &f->index.num_topology, 1, MPIU_INT, MPI_SUM, f->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFieldsMeshCreate(AbutFields f, AbutFieldsMesh *display)
{
  const AbutMeshLocal *m        = AbutMeshGetLocal(f->mesh);
  AbutEntitySlice      vertices = {0}, edges = {0}, faces = {.width = 3};

  PetscFunctionBegin;
  PetscCall(PetscMemzero(display, sizeof(*display)));
  display->f = f;
  PetscCall(CollectCells(f, m, display));
  PetscCall(CollectMiddles(f, m, display));
  PetscCall(CollectVertices(f, m, display, &vertices));
  PetscCall(EntitiesToSlice(f->comm, m, m->global.edges, m->num_edges, m->edge_id, 2, m->edges, &edges));
  if (m->dim == 3) PetscCall(EntitiesToSlice(f->comm, m, m->global.faces, m->num_faces, m->face_id, 3, m->faces, &faces));
  PetscCall(Filter(m->dim == 3 ? &faces : &edges, m->bodies, DEFORMABLE, &display->surface));
  PetscCall(Filter(&vertices, m->bodies, 0, &display->obstacles[0]));
  PetscCall(Filter(&edges, m->bodies, 1, &display->obstacles[1]));
  PetscCall(Filter(&faces, m->bodies, 2, &display->obstacles[2]));
  for (PetscInt b = 0; b < m->num_bodies; b++) f->index.regions = (PetscBool)(f->index.regions || m->bodies[b].num_regions > 0);
  for (int d = 0; d < 3; d++) f->index.num_obstacle[d] = display->obstacles[d].count;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, f->index.num_obstacle, 3, MPIU_INT, MPI_SUM, f->comm));
  PetscCall(PetscFree2(edges.vertices, edges.body));
  PetscCall(PetscFree2(faces.vertices, faces.body));
  PetscCall(PetscFree(vertices.vertices));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFieldsMeshDestroy(AbutFieldsMesh *display)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(display->cells.vertices, display->cells.body));
  PetscCall(PetscFree2(display->surface.vertices, display->surface.body));
  for (int d = 0; d < 3; d++) PetscCall(PetscFree2(display->obstacles[d].vertices, display->obstacles[d].body));
  PetscCall(PetscFree(display->vertex_body));
  PetscCall(PetscFree(display->cell_rank));
  PetscCall(PetscFree(display->middles));
  PetscCall(PetscFree(display->topology));
  PetscFunctionReturn(0);
}

PetscInt64 AbutFieldsMeshBytes(const AbutFieldsMesh *display)
{
  const AbutXdmfIndex *n    = &display->f->index;
  const AbutMeshLocal *m    = AbutMeshGetLocal(display->f->mesh);
  const PetscInt64 integers = 3 * (PetscInt64)n->num_vertices + (n->dim + 4) * (PetscInt64)n->num_cells + 8 * (PetscInt64)m->global.faces +
                              6 * (PetscInt64)m->global.edges + 5 * (PetscInt64)m->num_bodies + n->num_topology +
                              (n->num_topology ? AbutNumCellEdges(n->dim) * (PetscInt64)n->num_cells : 0);
  return AbutFieldsSurfaceBytes(display->f) + integers * (PetscInt64)sizeof(PetscInt) +
         3 * (PetscInt64)n->num_vertices * (PetscInt64)sizeof(PetscReal) +
         (PetscInt64)m->num_bodies * (PetscInt64)sizeof(m->bodies[0].name);
}

static PetscErrorCode WriteEntities(const AbutH5 *h5, hid_t group, const char name[], const AbutEntitySlice *slice)
{
  char body[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(body, sizeof(body), "%s_body", name));
  PetscCall(AbutH5WriteRows(h5, group, name, AbutH5TypeInt(), slice->count, slice->width, slice->vertices));
  PetscCall(AbutH5WriteRows(h5, group, body, AbutH5TypeInt(), slice->count, 1, slice->body));
  PetscFunctionReturn(0);
}

/* Writes name, kind and ranges of each body; rank 0 has the rows. */
static PetscErrorCode WriteBodies(const AbutH5 *h5, hid_t mesh_group, const AbutMeshLocal *m)
{
  const PetscInt size = (PetscInt)sizeof(m->bodies[0].name);
  const PetscInt rows = AbutIsRoot(h5->comm) ? m->num_bodies : 0;
  PetscInt      *numbers;
  char          *names;
  hid_t          group, type;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(rows * size, &names, rows * 5, &numbers));
  for (PetscInt b = 0; b < rows; b++) {
    const AbutBody *body   = &m->bodies[b];
    const PetscInt  row[5] = {body->obstacle, body->vertex_start, body->vertex_end, body->cell_start, body->cell_end};
    memcpy(names + b * size, body->name, strlen(body->name));
    memcpy(numbers + 5 * b, row, sizeof(row));
  }
  type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, (size_t)size);
  H5Tset_cset(type, H5T_CSET_UTF8);
  PetscCall(AbutH5CreateGroup(h5, mesh_group, "bodies", &group));
  PetscCall(AbutH5WriteRows(h5, group, "name", type, rows, 1, names));
  PetscCall(AbutH5WriteRows(h5, group, "obstacle_vertices_cells", AbutH5TypeInt(), rows, 5, numbers));
  PetscCall(AbutH5CloseGroup(h5, group));
  H5Tclose(type);
  PetscCall(PetscFree2(names, numbers));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFieldsRegionsAdd(const AbutH5 *h5, AbutFields f)
{
  const AbutMeshLocal *m = AbutMeshGetLocal(f->mesh);
  PetscInt            *mine, *slice;
  hid_t                group;

  PetscFunctionBegin;
  if (!f->index.regions) PetscFunctionReturn(0);
  PetscCall(AbutH5OpenGroup(h5, h5->file, "mesh", &group));
  if (H5Lexists(group, "cells_region", H5P_DEFAULT) <= 0) {
    PetscCall(PetscMalloc2(m->num_cells, &mine, f->cells.size, &slice));
    for (PetscInt i = 0; i < m->num_cells; i++) mine[i] = AbutMeshGetCellRegion(f->mesh, i);
    PetscCall(AbutSFReduceRows(f->cells.sf, MPIU_INT, 1, mine, slice));
    PetscCall(AbutH5WriteRows(h5, group, "cells_region", AbutH5TypeInt(), f->cells.size, 1, slice));
    PetscCall(PetscFree2(mine, slice));
  }
  PetscCall(AbutH5CloseGroup(h5, group));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFieldsMeshWork(const AbutH5 *h5, void *ctx)
{
  const AbutFieldsMesh *display = (const AbutFieldsMesh *)ctx;
  const AbutFields      f       = display->f;
  const AbutMeshLocal  *m;
  hid_t                 group, steps;

  PetscFunctionBegin;
  m = AbutMeshGetLocal(f->mesh);
  PetscCall(AbutFingerprintSave(h5, ABUT_FIELDS_FORMAT, &f->print));
  PetscCall(AbutH5CreateGroup(h5, h5->file, "mesh", &group));
  PetscCall(AbutH5WriteRows(h5, group, "rest", AbutH5TypeReal(), f->vertices.size, 3, f->rest));
  PetscCall(AbutH5WriteRows(h5, group, "vertex_body", AbutH5TypeInt(), f->vertices.size, 1, display->vertex_body));
  PetscCall(WriteEntities(h5, group, "cells", &display->cells));
  PetscCall(AbutH5WriteRows(h5, group, "cells_rank", AbutH5TypeInt(), display->cells.count, 1, display->cell_rank));
  if (f->index.num_topology) {
    PetscCall(
      AbutH5WriteRows(h5, group, "cells_middles", AbutH5TypeInt(), display->cells.count, AbutNumCellEdges(m->dim), display->middles));
    PetscCall(AbutH5WriteRows(h5, group, "cells_topology", AbutH5TypeInt(), display->num_topology, 1, display->topology));
  }
  PetscCall(WriteEntities(h5, group, "surface", &display->surface));
  PetscCall(WriteEntities(h5, group, "obstacle_triangles", &display->obstacles[2]));
  PetscCall(WriteEntities(h5, group, "obstacle_segments", &display->obstacles[1]));
  PetscCall(WriteEntities(h5, group, "obstacle_points", &display->obstacles[0]));
  PetscCall(WriteBodies(h5, group, m));
  PetscCall(AbutH5CloseGroup(h5, group));
  PetscCall(AbutFieldsSurfaceAdd(h5, f));
  PetscCall(AbutFieldsRegionsAdd(h5, f));
  PetscCall(AbutH5CreateGroup(h5, h5->file, "steps", &steps));
  PetscCall(AbutH5CloseGroup(h5, steps));
  PetscFunctionReturn(0);
}
