/* Surface of a shape: boundary of the cells, unique edges, surface vertices. Their order depends on the input only. */
#include "meshimpl.h"
#include <string.h>

/* Local vertices of the outward faces of a positively oriented tetrahedron and of the edges of a counter-clockwise triangle. */
static const PetscInt tetrahedron_side[4][3] = {
  {0, 2, 1},
  {0, 1, 3},
  {0, 3, 2},
  {1, 2, 3},
};
static const PetscInt triangle_side[3][2] = {
  {0, 1},
  {1, 2},
  {2, 0},
};

/* Corners of side s of a cell. */
static const PetscInt *SideCorners(PetscInt dim, PetscInt s)
{
  return dim == 3 ? tetrahedron_side[s % 4] : triangle_side[s % 3];
}

void AbutSideVertices(PetscInt dim, const PetscInt cells[], PetscInt s, PetscInt side[])
{
  const PetscInt *cell = &cells[s / (dim + 1) * (dim + 1)], *corner = SideCorners(dim, s);
  for (PetscInt i = 0; i < dim; i++) side[i] = cell[corner[i]];
}

PetscBool AbutSideHasEdge(PetscInt dim, PetscInt s, PetscInt edge)
{
  const PetscInt *corner = SideCorners(dim, s);
  PetscInt        shared = 0;

  for (PetscInt i = 0; i < dim; i++) shared += corner[i] == AbutCellEdgeCorner(edge, 0) || corner[i] == AbutCellEdgeCorner(edge, 1);
  return (PetscBool)(shared == 2);
}

PetscInt AbutSideParts(PetscInt dim, const PetscInt cells[], const PetscInt middles[], PetscInt s, PetscInt parts[])
{
  const PetscInt *corner = SideCorners(dim, s), *middle = middles ? &middles[s / (dim + 1) * AbutNumCellEdges(dim)] : NULL;
  PetscInt        v[3], m[3];

  AbutSideVertices(dim, cells, s, v);
  if (!middle || middle[0] < 0) {
    for (PetscInt i = 0; i < dim; i++) parts[i] = v[i];
    return 1;
  }
  for (PetscInt i = 0; i < dim; i++) m[i] = middle[AbutCellEdgeBetween(corner[i], corner[(i + 1) % dim])];
  if (dim == 2) {
    const PetscInt edges[4] = {v[0], m[0], m[0], v[1]};
    for (PetscInt i = 0; i < 4; i++) parts[i] = edges[i];
    return 2;
  }
  const PetscInt triangles[12] = {v[0], m[0], m[2], m[0], v[1], m[1], m[2], m[1], v[2], m[0], m[1], m[2]};
  for (PetscInt i = 0; i < 12; i++) parts[i] = triangles[i];
  return 4;
}

/* Marks the sides that belong to one cell only. */
static PetscErrorCode MarkBoundary(const AbutBodySpec *spec, PetscInt dim, const AbutShape *shape, PetscBool is_boundary[],
                                   PetscInt *num_boundary)
{
  const PetscInt num   = shape->num_cells * (dim + 1);
  const size_t   bytes = (size_t)dim * sizeof(PetscInt);
  PetscInt      *key, *order, worst = 1, at = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(num * dim, &key, num, &order));
  for (PetscInt s = 0; s < num; s++) {
    AbutSideVertices(dim, shape->cells, s, &key[s * dim]);
    PetscCall(PetscSortInt(dim, &key[s * dim]));
  }
  PetscCall(AbutSortTuples(num, dim, shape->num_vertices, key, order));
  *num_boundary = 0;
  for (PetscInt i = 0, next; i < num; i = next) {
    for (next = i + 1; next < num && !memcmp(&key[order[i] * dim], &key[order[next] * dim], bytes); next++) {}
    for (PetscInt k = i; k < next; k++) is_boundary[order[k]] = (PetscBool)(next - i == 1);
    *num_boundary += next - i == 1;
    if (next - i > PetscMax(worst, 2)) {
      worst = next - i;
      at    = order[i] / (dim + 1);
    }
  }
  PetscCall(PetscFree2(key, order));
  AbutSpecCheck(worst <= 2, spec, "%" PetscInt_FMT " cells share one %s of cell %" PetscInt_FMT "; at most 2 can", worst,
                dim == 3 ? "face" : "edge", at);
  PetscFunctionReturn(0);
}

/* Collects the boundary sides in the order of the cells: triangles in 3D, edges in 2D. */
static PetscErrorCode BoundaryOfCells(const AbutBodySpec *spec, PetscInt dim, const AbutShape *shape, PetscInt *num, PetscInt **sides)
{
  PetscBool     *is_boundary;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(shape->num_cells * (dim + 1), &is_boundary));
  ierr = MarkBoundary(spec, dim, shape, is_boundary, num);
  if (!ierr) PetscCall(PetscMalloc1(*num * dim * (shape->middles ? ABUT_SIDE_PARTS : 1), sides));
  *num = 0;
  for (PetscInt s = 0; s < shape->num_cells * (dim + 1) && !ierr; s++)
    if (is_boundary[s]) *num += AbutSideParts(dim, shape->cells, shape->middles, s, *sides + *num * dim);
  PetscCall(PetscFree(is_boundary));
  PetscFunctionReturn(ierr);
}

/* Replaces the edges by the unique edges of all triangles and segments, lower vertex first, sorted. */
static PetscErrorCode UniqueEdges(AbutShape *shape)
{
  PetscInt num = 3 * shape->num_faces + shape->num_edges, *edges;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * num, &edges));
  for (PetscInt i = 0; i < num; i++) {
    const PetscInt *face = &shape->faces[i - i % 3], segment = i - 3 * shape->num_faces;
    const PetscInt  a = segment < 0 ? face[i % 3] : shape->edges[2 * segment],
                   b  = segment < 0 ? face[(i + 1) % 3] : shape->edges[2 * segment + 1];
    edges[2 * i]      = PetscMin(a, b);
    edges[2 * i + 1]  = PetscMax(a, b);
  }
  PetscCall(AbutUniqueTuples(&num, 2, shape->num_vertices, edges));
  PetscCall(PetscRealloc((size_t)(2 * num) * sizeof(*edges), &edges));
  PetscCall(PetscFree(shape->edges));
  shape->edges     = edges;
  shape->num_edges = num;
  PetscFunctionReturn(0);
}

/* Collects the vertices of triangles and edges, or all vertices if there are neither. */
static PetscErrorCode SurfaceVertices(AbutShape *shape)
{
  const PetscBool points_only = (PetscBool)(!shape->num_faces && !shape->num_edges);
  PetscBool      *on_surface;
  PetscInt        num = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(shape->num_vertices, &on_surface));
  for (PetscInt v = 0; v < shape->num_vertices; v++) on_surface[v] = points_only;
  for (PetscInt i = 0; i < 3 * shape->num_faces; i++) on_surface[shape->faces[i]] = PETSC_TRUE;
  for (PetscInt i = 0; i < 2 * shape->num_edges; i++) on_surface[shape->edges[i]] = PETSC_TRUE;
  for (PetscInt v = 0; v < shape->num_vertices; v++) num += on_surface[v];
  PetscCall(PetscMalloc1(num, &shape->points));
  shape->num_points = 0;
  for (PetscInt v = 0; v < shape->num_vertices; v++)
    if (on_surface[v]) shape->points[shape->num_points++] = v;
  PetscCall(PetscFree(on_surface));
  PetscFunctionReturn(0);
}

/* Sets faces, edges and vertices of the surface. */
static PetscErrorCode SetSurface(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  PetscFunctionBegin;
  if (shape->num_cells && dim == 3) PetscCall(BoundaryOfCells(spec, dim, shape, &shape->num_faces, &shape->faces));
  if (shape->num_cells && dim == 2) PetscCall(BoundaryOfCells(spec, dim, shape, &shape->num_edges, &shape->edges));
  if (dim == 3) PetscCall(UniqueEdges(shape));
  if (dim == 2 && !shape->num_cells) /* each direction of an edge once */
    PetscCall(AbutUniqueTuples(&shape->num_edges, 2, shape->num_vertices, shape->edges));
  PetscCall(SurfaceVertices(shape));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeDropSurface(AbutShape *shape)
{
  PetscFunctionBegin;
  shape->num_faces = shape->num_edges = 0;
  PetscCall(PetscFree(shape->faces));
  PetscCall(PetscFree(shape->edges));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeKeepSurface(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  PetscBool *keep;

  PetscFunctionBegin;
  if (shape->num_cells) PetscCall(AbutShapeDropSurface(shape));
  PetscCall(SetSurface(spec, dim, shape));
  PetscCall(PetscCalloc1(shape->num_vertices, &keep));
  for (PetscInt i = 0; i < shape->num_points; i++) keep[shape->points[i]] = PETSC_TRUE;
  shape->num_cells = 0;
  PetscCall(PetscFree(shape->cells));
  PetscCall(PetscFree(shape->middles));
  PetscCall(AbutShapeCompact(dim, shape, keep));
  for (PetscInt i = 0; i < shape->num_points; i++) shape->points[i] = i;
  PetscCall(PetscFree(keep));
  PetscFunctionReturn(0);
}
