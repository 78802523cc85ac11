/* From the specification of a shape to its placed, checked mesh with a surface. */
#include "meshimpl.h"

PetscErrorCode AbutShapeFree(AbutShape *shape)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(shape->x));
  PetscCall(PetscFree(shape->cells));
  PetscCall(PetscFree(shape->faces));
  PetscCall(PetscFree(shape->edges));
  PetscCall(PetscFree(shape->points));
  PetscCall(AbutGroupsFree(&shape->groups));
  *shape = (AbutShape){0};
  PetscFunctionReturn(0);
}

/* Renumbers simplices of n vertices in place; the ones that lose a vertex go. */
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
  PetscInt *renumber, kept = 0, marks = 0, *mark = shape->groups.marks.a;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(shape->num_vertices, &renumber));
  for (PetscInt v = 0; v < shape->num_vertices; v++) {
    renumber[v] = keep[v] ? kept++ : -1;
    for (PetscInt d = 0; keep[v] && d < 3; d++) shape->x[3 * renumber[v] + d] = shape->x[3 * v + d];
  }
  shape->num_cells = CompactSimplices(shape->num_cells, dim + 1, renumber, shape->cells);
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

/* Sorts the marks of the groups by group and vertex and drops repeated ones. */
static PetscErrorCode SortMarks(AbutShape *shape)
{
  AbutInts      *marks = &shape->groups.marks;
  const PetscInt num = marks->n / 2, range = PetscMax(shape->num_vertices, shape->groups.num_names);
  PetscInt      *order, *sorted, kept = 0;

  PetscFunctionBegin;
  if (!num) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(num, &order));
  PetscCall(PetscMalloc1(2 * num, &sorted));
  PetscCall(AbutSortTuples(num, 2, range, marks->a, order));
  for (PetscInt i = 0; i < num; i++) {
    const PetscInt *mark = &marks->a[2 * order[i]];
    if (kept && sorted[2 * kept - 2] == mark[0] && sorted[2 * kept - 1] == mark[1]) continue;
    sorted[2 * kept]       = mark[0];
    sorted[2 * kept++ + 1] = mark[1];
  }
  PetscCall(PetscFree(order));
  PetscCall(PetscFree(marks->a));
  *marks = (AbutInts){.n = 2 * kept, .capacity = 2 * num, .a = sorted};
  PetscFunctionReturn(0);
}

/* The boundary of the cells replaces what the file says of it. */
static PetscErrorCode DropFileSurface(AbutShape *shape)
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
  if (shape->num_cells) PetscCall(DropFileSurface(shape));
  PetscCall(AbutShapeSurface(spec, dim, shape));
  PetscCall(PetscCalloc1(shape->num_vertices, &keep));
  for (PetscInt i = 0; i < shape->num_points; i++) keep[shape->points[i]] = PETSC_TRUE;
  shape->num_cells = 0;
  PetscCall(PetscFree(shape->cells));
  PetscCall(AbutShapeCompact(dim, shape, keep));
  for (PetscInt i = 0; i < shape->num_points; i++) shape->points[i] = i;
  PetscCall(PetscFree(keep));
  PetscFunctionReturn(0);
}

/* The triangles of a plane obstacle may come in either sense, as nothing but their boundary is used. */
static void OrientCells2D(AbutShape *shape)
{
  for (PetscInt c = 0; c < shape->num_cells; c++) {
    PetscInt *cell = &shape->cells[3 * c], v = cell[1];
    if (AbutCellDeterminant(2, shape->x, cell) >= 0) continue;
    cell[1] = cell[2];
    cell[2] = v;
  }
}

PetscErrorCode AbutShapeCreate(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  PetscFunctionBegin;
  *shape = (AbutShape){0};
  PetscCall(spec->shape.kind == ABUT_SHAPE_FILE ? AbutShapeReadFile(spec, dim, shape) : AbutShapeGenerate(spec, dim, shape));
  AbutSpecCheck(shape->num_cells < PETSC_MAX_INT / 12, spec,
                "%" PetscInt_FMT " cells are more than 32-bit indices can number; use a PETSc with 64-bit indices", shape->num_cells);
  PetscCall(AbutShapePlace(spec, dim, shape));
  if (spec->obstacle && dim == 2) OrientCells2D(shape);
  if (shape->num_cells) PetscCall(AbutShapeCheckBody(spec, dim, shape));
  if (spec->obstacle) {
    PetscCall(AbutShapeKeepSurface(spec, dim, shape));
    PetscCall(AbutShapeCheckObstacle(spec, dim, shape));
    PetscCall(AbutShapeOrient(spec, dim, shape));
  } else {
    PetscCall(DropFileSurface(shape));
    PetscCall(AbutShapeSurface(spec, dim, shape));
  }
  PetscCall(SortMarks(shape));
  PetscFunctionReturn(0);
}
