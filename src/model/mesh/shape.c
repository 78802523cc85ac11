/* One shape: vertices, simplices and named groups of vertices. */
#include "meshimpl.h"
#include <abut/dense.h>
#include <string.h>

PetscErrorCode AbutGroupsFind(AbutGroups *groups, const char name[], PetscInt *index)
{
  char key[ABUT_GROUP_NAME];

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(key, name, sizeof(key)));
  for (*index = 0; *index < groups->num_names; (*index)++)
    if (!strcmp(groups->names[*index], key)) PetscFunctionReturn(0);
  if (groups->num_names == groups->capacity) {
    groups->capacity = 2 * groups->capacity + 8;
    PetscCall(PetscRealloc(sizeof(*groups->names) * (size_t)groups->capacity, &groups->names));
  }
  PetscCall(PetscMemcpy(groups->names[groups->num_names++], key, sizeof(key)));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutGroupsFree(AbutGroups *groups)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(groups->names));
  PetscCall(PetscFree(groups->marks.a));
  PetscCall(PetscFree(groups->edges.a));
  PetscCall(PetscFree(groups->cells.a));
  *groups = (AbutGroups){0};
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeFree(AbutShape *shape)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(shape->x));
  PetscCall(PetscFree(shape->cells));
  PetscCall(PetscFree(shape->middles));
  PetscCall(PetscFree(shape->faces));
  PetscCall(PetscFree(shape->edges));
  PetscCall(PetscFree(shape->points));
  PetscCall(PetscFree(shape->regions));
  PetscCall(AbutGroupsFree(&shape->groups));
  *shape = (AbutShape){0};
  PetscFunctionReturn(0);
}

/* Renumbers simplices of n vertices in place; removes simplices with a removed vertex; returns the number of remaining ones. */
static PetscInt CompactSimplices(PetscInt num, PetscInt n, const PetscInt renumber[], PetscInt simplices[])
{
  PetscInt kept = 0;

  for (PetscInt i = 0; i < num; i++) {
    PetscBool whole = PETSC_TRUE;
    for (PetscInt k = 0; k < n; k++) {
      simplices[kept * n + k] = renumber[simplices[i * n + k]];
      whole                   = (PetscBool)(whole && simplices[kept * n + k] >= 0);
    }
    kept += whole;
  }
  return kept;
}

PetscErrorCode AbutShapeCompact(PetscInt dim, AbutShape *shape, const PetscBool keep[])
{
  const PetscInt before = shape->num_cells;
  PetscInt      *renumber, kept = 0, marks = 0, *mark = shape->groups.marks.a;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(shape->num_vertices, &renumber));
  for (PetscInt v = 0; v < shape->num_vertices; v++) {
    renumber[v] = keep[v] ? kept++ : -1;
    for (PetscInt d = 0; keep[v] && d < 3; d++) shape->x[3 * renumber[v] + d] = shape->x[3 * v + d];
  }
  shape->num_cells = CompactSimplices(shape->num_cells, dim + 1, renumber, shape->cells);
  if (shape->middles)
    PetscCheck(CompactSimplices(before, AbutNumCellEdges(dim), renumber, shape->middles) == shape->num_cells, PETSC_COMM_SELF,
               PETSC_ERR_PLIB, "A node on an edge of a cell is removed without the cell");
  shape->num_faces = CompactSimplices(shape->num_faces, 3, renumber, shape->faces);
  shape->num_edges = CompactSimplices(shape->num_edges, 2, renumber, shape->edges);
  for (PetscInt i = 0; i < shape->groups.marks.n; i += 2) {
    if (renumber[mark[i + 1]] < 0) continue;
    mark[marks]     = mark[i];
    mark[marks + 1] = renumber[mark[i + 1]];
    marks += 2;
  }
  shape->groups.marks.n = marks;
  shape->num_vertices   = kept;
  PetscCall(PetscFree(renumber));
  PetscFunctionReturn(0);
}

PetscReal AbutCellDeterminant(PetscInt dim, const PetscReal x[], const PetscInt cell[])
{
  PetscReal e[3][3], n[3];

  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt d = 0; d < 3; d++) e[i][d] = x[3 * cell[i + 1] + d] - x[3 * cell[0] + d];
  if (dim == 2) return e[0][0] * e[1][1] - e[0][1] * e[1][0];
  AbutCross(e[0], e[1], n);
  return AbutDot(3, n, e[2]);
}

void AbutShapeOrientCells2D(AbutShape *shape)
{
  for (PetscInt c = 0; c < shape->num_cells; c++) {
    PetscInt *cell = &shape->cells[3 * c], v = cell[1];
    if (AbutCellDeterminant(2, shape->x, cell) >= 0) continue;
    cell[1] = cell[2];
    cell[2] = v;
    if (shape->middles) { /* edges 01 and 20 */
      PetscInt *middle = &shape->middles[3 * c], m = middle[0];
      middle[0] = middle[2];
      middle[2] = m;
    }
  }
}

void AbutReverseSimplices(PetscInt num, PetscInt n, PetscInt simplices[])
{
  for (PetscInt i = 0; i < num; i++) {
    PetscInt *simplex = &simplices[i * n], v = simplex[0];
    simplex[0] = simplex[1];
    simplex[1] = v;
  }
}

void AbutReverseMiddles(PetscInt dim, PetscInt num, PetscInt middles[])
{
  const PetscInt n = AbutNumCellEdges(dim);

  for (PetscInt c = 0; c < num; c++) {
    PetscInt *cell = &middles[c * n], old[6];

    for (PetscInt e = 0; e < n; e++) old[e] = cell[e];
    for (PetscInt e = 0; e < n; e++) {
      const PetscInt a = AbutCellEdgeCorner(e, 0), b = AbutCellEdgeCorner(e, 1);
      cell[e] = old[AbutCellEdgeBetween(a < 2 ? 1 - a : a, b < 2 ? 1 - b : b)];
    }
  }
}

void AbutShapeSetTriangles(PetscInt dim, const AbutInts *triangles, AbutShape *shape)
{
  *(dim == 3 ? &shape->num_faces : &shape->num_cells) = triangles->n / 3;
  *(dim == 3 ? &shape->faces : &shape->cells)         = triangles->a;
}

PetscErrorCode AbutShapeSetQuadraticCells(PetscInt dim, PetscInt num, const PetscInt nodes[], AbutShape *shape)
{
  const PetscInt corners = dim + 1, edges = AbutNumCellEdges(dim);

  PetscFunctionBegin;
  shape->num_cells = num;
  PetscCall(PetscMalloc1(num * corners, &shape->cells));
  PetscCall(PetscMalloc1(num * edges, &shape->middles));
  for (PetscInt c = 0; c < num; c++) {
    PetscCall(PetscArraycpy(&shape->cells[corners * c], &nodes[(corners + edges) * c], corners));
    PetscCall(PetscArraycpy(&shape->middles[edges * c], &nodes[(corners + edges) * c + corners], edges));
  }
  PetscFunctionReturn(0);
}

/* Gathers the entries of all ranks, ascending and each once. */
static PetscErrorCode GatherUnique(MPI_Comm comm, PetscInt n, const PetscInt values[], AbutInts *all)
{
  PetscInt *mine;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &mine));
  PetscCall(PetscArraycpy(mine, values, n));
  PetscCall(PetscSortRemoveDupsInt(&n, mine));
  PetscCall(AbutGatherRecords(comm, sizeof(*mine), n, mine, &all->n, &all->a));
  all->capacity = all->n;
  PetscCall(PetscFree(mine));
  PetscCall(PetscSortRemoveDupsInt(&all->n, all->a));
  PetscFunctionReturn(0);
}

/* Whether v is in an ascending list; count: the entries below v. */
static PetscBool Find(const AbutInts *list, PetscInt v, PetscInt *count)
{
  *count = AbutCountBelow(list->n, list->a, v);
  return (PetscBool)(*count < list->n && list->a[*count] == v);
}

void AbutShapeDrop(PetscInt dim, PetscInt first, const AbutInts *dropped, AbutShape *shape)
{
  const struct {
    PetscInt n, *v;
  } lists[]          = {{shape->num_cells * (dim + 1), shape->cells},
                        {shape->middles ? shape->num_cells * AbutNumCellEdges(dim) : 0, shape->middles},
                        {3 * shape->num_faces, shape->faces},
                        {2 * shape->num_edges, shape->edges}};
  AbutGroups *groups = &shape->groups;
  PetscInt    kept = 0, marks = 0, below;

  if (!dropped->n) return;
  for (PetscInt v = 0; v < shape->num_vertices; v++) {
    if (Find(dropped, first + v, &below)) continue;
    for (PetscInt d = 0; d < 3; d++) shape->x[3 * kept + d] = shape->x[3 * v + d];
    kept++;
  }
  shape->num_vertices = kept;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(lists); k++)
    for (PetscInt i = 0; i < lists[k].n; i++) lists[k].v[i] -= AbutCountBelow(dropped->n, dropped->a, lists[k].v[i]);
  for (PetscInt i = 0; i < groups->edges.n; i++)
    if (i % 3) groups->edges.a[i] -= AbutCountBelow(dropped->n, dropped->a, groups->edges.a[i]);
  for (PetscInt i = 0; i < groups->marks.n; i += 2) {
    if (Find(dropped, groups->marks.a[i + 1], &below)) continue;
    groups->marks.a[marks++] = groups->marks.a[i];
    groups->marks.a[marks++] = groups->marks.a[i + 1] - below;
  }
  groups->marks.n = marks;
}

PetscErrorCode AbutShapeTakeCorners(MPI_Comm comm, PetscInt dim, AbutShape *shape, PetscBool *found)
{
  AbutInts dropped = {0};
  PetscInt first   = shape->num_vertices;

  PetscFunctionBegin;
  PetscCall(GatherUnique(comm, shape->middles ? shape->num_cells * AbutNumCellEdges(dim) : 0, shape->middles, &dropped));
  *found = (PetscBool)(dropped.n > 0);
  PetscCallMPI(MPI_Scan(MPI_IN_PLACE, &first, 1, MPIU_INT, MPI_SUM, comm));
  PetscCall(PetscFree(shape->middles));
  AbutShapeDrop(dim, first - shape->num_vertices, &dropped, shape);
  PetscCall(PetscFree(dropped.a));
  PetscFunctionReturn(0);
}
