/* Serial mesh on rank 0: all bodies and obstacles with their copies, in input order. */
#include "meshimpl.h"
#include <string.h>

/* Numbers of entities that are already copied into the global mesh. */
typedef struct {
  PetscInt body, vertex, cell, face, edge, point;
} Cursor;

static PetscInt NumCopies(const AbutBodySpec *spec)
{
  return spec->shape.copies[0] * spec->shape.copies[1] * spec->shape.copies[2];
}

static PetscErrorCode CheckSpecs(PetscInt dim, PetscInt num, const AbutBodySpec specs[])
{
  PetscFunctionBegin;
  AbutCheck(dim == 2 || dim == 3, ABUT_ERR_INPUT, "the dimension is %" PetscInt_FMT "; it must be 2 or 3", dim);
  for (PetscInt s = 0; s < num; s++) {
    PetscReal total = 1;

    for (PetscInt d = 0; d < 3; d++) {
      const PetscInt copies = specs[s].shape.copies[d];
      AbutSpecCheck(copies >= 1, &specs[s], "copies[%" PetscInt_FMT "] is %" PetscInt_FMT "; it must be at least 1", d, copies);
      AbutSpecCheck(d < dim || copies == 1, &specs[s], "copies[2] is %" PetscInt_FMT "; in 2D it must be 1", copies);
      total *= (PetscReal)copies;
    }
    AbutSpecCheck(total < (PetscReal)PETSC_MAX_INT, &specs[s], "%g copies exceed the range of indices", (double)total);
    for (PetscInt other = 0; other < s; other++)
      AbutSpecCheck(!specs[s].name[0] || strcmp(specs[s].name, specs[other].name), &specs[s],
                    "another body or obstacle has the same name%s%s", specs[other].place[0] ? ", see " : "", specs[other].place);
  }
  PetscFunctionReturn(0);
}

/* Counts all entities; an error if a count, or the number of vertices of all cells, exceeds PetscInt. */
static PetscErrorCode CountAll(PetscInt num, const AbutBodySpec specs[], const AbutShape shapes[], AbutGlobalMesh *global)
{
  PetscReal vertices = 0, cells = 0, faces = 0, edges = 0, points = 0, bodies = 0, largest;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < num; s++) {
    const PetscReal copies = (PetscReal)NumCopies(&specs[s]);
    vertices += copies * (PetscReal)shapes[s].num_vertices;
    cells += copies * (PetscReal)shapes[s].num_cells;
    faces += copies * (PetscReal)shapes[s].num_faces;
    edges += copies * (PetscReal)shapes[s].num_edges;
    points += copies * (PetscReal)shapes[s].num_points;
    bodies += copies;
  }
  largest = PetscMax(PetscMax(4 * vertices, 4 * cells), PetscMax(3 * (edges + faces), bodies));
  AbutCheck(largest < (PetscReal)PETSC_MAX_INT, ABUT_ERR_INPUT,
            "the scene has %g vertices and %g cells in %g bodies, more than the indices of this PETSc can number (%" PetscInt_FMT
            "); use one with 64-bit indices",
            (double)vertices, (double)cells, (double)bodies, PETSC_MAX_INT);
  global->num_bodies   = (PetscInt)bodies;
  global->num_vertices = (PetscInt)vertices;
  global->num_cells    = (PetscInt)cells;
  global->num_faces    = (PetscInt)faces;
  global->num_edges    = (PetscInt)edges;
  global->num_points   = (PetscInt)points;
  PetscFunctionReturn(0);
}

/* dst[i] = src[i] + offset; returns num, by which the caller advances its cursor. */
static PetscInt CopyShifted(PetscInt num, PetscInt offset, const PetscInt src[], PetscInt dst[])
{
  for (PetscInt i = 0; i < num; i++) dst[i] = src[i] + offset;
  return num;
}

static PetscErrorCode AddGroups(const AbutShape *shape, PetscInt first_vertex, AbutGroups *groups)
{
  PetscInt *renumber;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(shape->groups.num_names, &renumber));
  for (PetscInt g = 0; g < shape->groups.num_names; g++) PetscCall(AbutGroupsFind(groups, shape->groups.names[g], &renumber[g]));
  for (PetscInt i = 0; i < shape->groups.marks.n; i += 2)
    PetscCall(
      AbutIntsPush(&groups->marks, 2, (PetscInt[]){renumber[shape->groups.marks.a[i]], shape->groups.marks.a[i + 1] + first_vertex}));
  PetscCall(PetscFree(renumber));
  PetscFunctionReturn(0);
}

/* Adds the positions of one copy and computes its bounding box. */
static void AddVertices(AbutGlobalMesh *global, const AbutShape *shape, const PetscReal shift[3], const Cursor *at)
{
  AbutBody *body = &global->bodies[at->body];

  for (PetscInt d = 0; d < global->dim; d++) {
    body->box[0][d] = PETSC_MAX_REAL;
    body->box[1][d] = PETSC_MIN_REAL;
  }
  for (PetscInt v = 0; v < shape->num_vertices; v++) {
    for (PetscInt d = 0; d < global->dim; d++) {
      const PetscReal x                             = shape->x[3 * v + d] + shift[d];
      global->x[(at->vertex + v) * global->dim + d] = x;
      body->box[0][d]                               = PetscMin(body->box[0][d], x);
      body->box[1][d]                               = PetscMax(body->box[1][d], x);
    }
    global->vertex_body[at->vertex + v] = at->body;
  }
}

static PetscErrorCode AddCopy(AbutGlobalMesh *global, const AbutBodySpec *spec, const AbutShape *shape, const PetscInt ijk[3], Cursor *at)
{
  const PetscInt n    = global->dim + 1;
  AbutBody      *body = &global->bodies[at->body];
  PetscReal      shift[3];

  PetscFunctionBegin;
  if (NumCopies(spec) > 1)
    PetscCall(PetscSNPrintf(body->name, sizeof(body->name), "%s[%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT "]", spec->name, ijk[0],
                            ijk[1], ijk[2]));
  else
    PetscCall(PetscStrncpy(body->name, spec->name, sizeof(body->name)));
  body->obstacle     = spec->obstacle;
  body->oriented     = shape->oriented;
  body->surface_dim  = shape->num_faces ? 2 : shape->num_edges ? 1 : 0;
  body->material     = spec->obstacle ? -1 : spec->material;
  body->surface      = spec->surface;
  body->vertex_start = at->vertex;
  body->vertex_end   = at->vertex + shape->num_vertices;
  body->cell_start   = at->cell;
  body->cell_end     = at->cell + shape->num_cells;
  PetscCall(PetscArraycpy(body->velocity, spec->velocity, 3));
  PetscCall(PetscArraycpy(body->angular_velocity, spec->angular_velocity, 3));
  for (PetscInt d = 0; d < 3; d++) shift[d] = (PetscReal)ijk[d] * spec->shape.spacing[d];
  AddVertices(global, shape, shift, at);
  for (PetscInt c = 0; c < shape->num_cells; c++) global->cell_body[at->cell + c] = at->body;
  PetscCall(AddGroups(shape, at->vertex, &global->groups));
  at->cell += CopyShifted(shape->num_cells * n, at->vertex, shape->cells, &global->cells[at->cell * n]) / n;
  at->face += CopyShifted(shape->num_faces * 3, at->vertex, shape->faces, &global->faces[at->face * 3]) / 3;
  at->edge += CopyShifted(shape->num_edges * 2, at->vertex, shape->edges, &global->edges[at->edge * 2]) / 2;
  at->point += CopyShifted(shape->num_points, at->vertex, shape->points, &global->points[at->point]);
  at->vertex += shape->num_vertices;
  at->body++;
  PetscFunctionReturn(0);
}

/* Diagonal of the bounding box of the deformable bodies. */
static PetscReal Diagonal(const AbutGlobalMesh *global)
{
  PetscReal sum = 0;

  for (PetscInt d = 0; d < global->dim; d++) {
    PetscReal low = PETSC_MAX_REAL, high = PETSC_MIN_REAL;
    for (PetscInt b = 0; b < global->num_bodies; b++) {
      if (global->bodies[b].obstacle) continue;
      low  = PetscMin(low, global->bodies[b].box[0][d]);
      high = PetscMax(high, global->bodies[b].box[1][d]);
    }
    sum += high > low ? PetscSqr(high - low) : 0;
  }
  return PetscSqrtReal(sum);
}

/* Copies all shapes into the mesh. Each shape is freed after it is copied, which bounds the memory. */
static PetscErrorCode Assemble(PetscInt num, const AbutBodySpec specs[], AbutShape shapes[], AbutGlobalMesh *global)
{
  const PetscInt n  = global->dim;
  Cursor         at = {0};

  PetscFunctionBegin;
  PetscCall(CountAll(num, specs, shapes, global));
  PetscCall(PetscCalloc1(global->num_bodies, &global->bodies));
  PetscCall(PetscMalloc7(global->num_vertices * n, &global->x, global->num_vertices, &global->vertex_body, global->num_cells * (n + 1),
                         &global->cells, global->num_cells, &global->cell_body, global->num_faces * 3, &global->faces,
                         global->num_edges * 2, &global->edges, global->num_points, &global->points));
  for (PetscInt s = 0; s < num; s++) {
    const PetscInt *copies = specs[s].shape.copies;

    for (PetscInt i = 0; i < copies[0]; i++)
      for (PetscInt j = 0; j < copies[1]; j++)
        for (PetscInt k = 0; k < copies[2]; k++) PetscCall(AddCopy(global, &specs[s], &shapes[s], (PetscInt[]){i, j, k}, &at));
    PetscCall(AbutShapeFree(&shapes[s]));
  }
  global->diagonal = Diagonal(global);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutGlobalMeshCreate(PetscInt dim, PetscInt num_specs, const AbutBodySpec specs[], AbutGlobalMesh *global)
{
  AbutShape     *shapes;
  PetscErrorCode ierr = 0;

  PetscFunctionBegin;
  *global = (AbutGlobalMesh){.dim = dim};
  PetscCall(CheckSpecs(dim, num_specs, specs));
  PetscCall(PetscCalloc1(num_specs, &shapes));
  for (PetscInt s = 0; s < num_specs && !ierr; s++) ierr = AbutShapeCreate(&specs[s], dim, &shapes[s]);
  if (!ierr) ierr = Assemble(num_specs, specs, shapes, global);
  for (PetscInt s = 0; s < num_specs; s++) PetscCall(AbutShapeFree(&shapes[s]));
  PetscCall(PetscFree(shapes));
  PetscFunctionReturn(ierr);
}

PetscErrorCode AbutGlobalMeshFree(AbutGlobalMesh *global)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(global->bodies));
  PetscCall(PetscFree7(global->x, global->vertex_body, global->cells, global->cell_body, global->faces, global->edges, global->points));
  PetscCall(AbutGroupsFree(&global->groups));
  *global = (AbutGlobalMesh){0};
  PetscFunctionReturn(0);
}
