/*
  Generated shapes, centred at the origin, all cells positive.

  3D: box of 5 tetrahedra a brick in alternation, so that no diagonal is preferred; ball (ball.c); cylinder and torus are a disc
  swept along z or around z, prism by prism. 2D: box of 2 triangles a rectangle in alternation, disc, ring.
*/
#include "meshimpl.h"

#define MAX_CELLS_ACROSS 100000

/* Checks that a count of `what` can be numbered; products are made in double precision, which cannot overflow here. */
static PetscErrorCode CheckCount(const AbutBodySpec *spec, const char what[], PetscReal count)
{
  PetscFunctionBegin;
  AbutSpecCheck(count < (PetscReal)PETSC_MAX_INT / 12, spec,
                "the shape would have %g %s; this PETSc's indices number at most %" PetscInt_FMT, (double)count, what, PETSC_MAX_INT / 12);
  PetscFunctionReturn(0);
}

static PetscErrorCode Allocate(PetscInt dim, PetscInt num_vertices, PetscInt num_cells, AbutShape *shape)
{
  PetscFunctionBegin;
  shape->num_vertices = num_vertices;
  PetscCall(PetscCalloc1(3 * num_vertices, &shape->x));
  PetscCall(PetscMalloc1((dim + 1) * num_cells, &shape->cells));
  PetscFunctionReturn(0);
}

static inline void AddCell(PetscInt dim, const PetscInt v[], AbutShape *shape)
{
  PetscInt *cell = &shape->cells[(dim + 1) * shape->num_cells++];
  for (PetscInt i = 0; i <= dim; i++) cell[i] = v[i];
}

/* The corners of a brick are numbered by bits x, y, z; the five cells of an even brick, and of an odd one as its mirror image in x. */
static const PetscInt brick_cell[5][4] = {
  {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 2, 7, 4}, {1, 2, 4, 7},
};

static void AddBrick(const PetscInt corner[8], PetscBool odd, AbutShape *shape)
{
  for (PetscInt c = 0; c < 5; c++) {
    PetscInt v[4];
    for (PetscInt i = 0; i < 4; i++) v[i] = corner[brick_cell[c][odd && i < 2 ? 1 - i : i] ^ (odd ? 1 : 0)];
    AddCell(3, v, shape);
  }
}

/* Two triangles of a quadrilateral given counter-clockwise, cut from corner 0 or from corner 1. */
static void AddQuad(PetscInt a, PetscInt b, PetscInt c, PetscInt d, PetscBool odd, AbutShape *shape)
{
  AddCell(2, odd ? (PetscInt[]){a, b, d} : (PetscInt[]){a, b, c}, shape);
  AddCell(2, odd ? (PetscInt[]){b, c, d} : (PetscInt[]){a, c, d}, shape);
}

static PetscErrorCode Box(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  const PetscInt *n = spec->shape.cells, nz = dim == 3 ? n[2] : 0;
  PetscInt        at = 0, stride[3] = {1, n[0] + 1, 0};

  PetscFunctionBegin;
  PetscCall(CheckCount(spec, "cells", (dim == 3 ? 5. * (PetscReal)nz : 2.) * (PetscReal)n[0] * (PetscReal)n[1]));
  stride[2] = (n[0] + 1) * (n[1] + 1);
  PetscCall(Allocate(dim, stride[2] * (nz + 1), dim == 3 ? 5 * n[0] * n[1] * nz : 2 * n[0] * n[1], shape));
  for (PetscInt k = 0; k <= nz; k++)
    for (PetscInt j = 0; j <= n[1]; j++)
      for (PetscInt i = 0; i <= n[0]; i++) {
        const PetscInt ijk[3] = {i, j, k};
        for (PetscInt d = 0; d < 3; d++, at++)
          shape->x[at] = d < dim ? spec->shape.size[d] * ((PetscReal)ijk[d] / (PetscReal)n[d] - 0.5) : 0;
      }
  for (PetscInt k = 0; k < (dim == 3 ? nz : 1); k++)
    for (PetscInt j = 0; j < n[1]; j++)
      for (PetscInt i = 0; i < n[0]; i++) {
        const PetscInt  v   = i + j * stride[1] + k * stride[2];
        const PetscBool odd = (PetscBool)((i + j + k) % 2);
        PetscInt        corner[8];

        for (PetscInt c = 0; c < 8; c++) corner[c] = v + (c & 1) + (c >> 1 & 1) * stride[1] + (c >> 2) * stride[2];
        if (dim == 3)
          AddBrick(corner, odd, shape);
        else
          AddQuad(corner[0], corner[1], corner[3], corner[2], odd, shape);
      }
  PetscFunctionReturn(0);
}

/* A disc of n rings of triangles about a centre: ring k has 6 k vertices, six sectors alike; 6 n^2 triangles. */
static PetscErrorCode Disc(PetscInt n, PetscReal radius, AbutShape *shape)
{
  PetscFunctionBegin;
  PetscCall(Allocate(2, 1 + 3 * n * (n + 1), 6 * n * n, shape));
  for (PetscInt k = 1; k <= n; k++) {
    const PetscInt start = 1 + 3 * k * (k - 1), inner_start = k == 1 ? 0 : 1 + 3 * (k - 1) * (k - 2), inner_num = PetscMax(6 * (k - 1), 1);

    for (PetscInt m = 0; m < 6 * k; m++) {
      const PetscReal angle = PETSC_PI * (PetscReal)m / (PetscReal)(3 * k), r = radius * (PetscReal)k / (PetscReal)n;
      shape->x[3 * (start + m)]     = r * PetscCosReal(angle);
      shape->x[3 * (start + m) + 1] = r * PetscSinReal(angle);
    }
    for (PetscInt sector = 0; sector < 6; sector++) {
      for (PetscInt j = 0; j < k; j++) {
        const PetscInt outer = start + sector * k + j, outer1 = start + (sector * k + j + 1) % (6 * k);
        const PetscInt inner  = inner_start + (sector * (k - 1) + j) % inner_num,
                       inner1 = inner_start + (sector * (k - 1) + j + 1) % inner_num;

        AddCell(2, (PetscInt[]){inner, outer, outer1}, shape);
        if (j + 1 < k) AddCell(2, (PetscInt[]){inner, outer1, inner1}, shape);
      }
    }
  }
  PetscFunctionReturn(0);
}

/* Three cells of the prism over a triangle: cut by the order of the triangle's vertices, so that neighbours agree. */
static void AddPrism(const PetscInt bottom[3], const PetscInt triangle[3], PetscInt lower, PetscInt upper, AbutShape *shape)
{
  PetscInt s = 0; /* the lowest vertex comes first by a rotation, which keeps the orientation */

  for (PetscInt i = 1; i < 3; i++)
    if (triangle[i] < triangle[s]) s = i;
  {
    const PetscInt a = bottom[s], b = bottom[(s + 1) % 3], c = bottom[(s + 2) % 3], A = a - lower + upper, B = b - lower + upper,
                   C = c - lower + upper;

    AddCell(3, (PetscInt[]){a, A, B, C}, shape);
    if (triangle[(s + 1) % 3] < triangle[(s + 2) % 3]) {
      AddCell(3, (PetscInt[]){a, b, c, C}, shape);
      AddCell(3, (PetscInt[]){a, b, C, B}, shape);
    } else {
      AddCell(3, (PetscInt[]){a, b, c, B}, shape);
      AddCell(3, (PetscInt[]){a, B, c, C}, shape);
    }
  }
}

/* Sweeps a plane mesh through `sections` copies of its vertices, which are numbered section by section; closed joins the last to the first. */
static PetscErrorCode Sweep(const AbutShape *plane, PetscInt sections, PetscBool closed, AbutShape *shape)
{
  const PetscInt layers = closed ? sections : sections - 1;

  PetscFunctionBegin;
  PetscCall(Allocate(3, plane->num_vertices * sections, 3 * plane->num_cells * layers, shape));
  for (PetscInt k = 0; k < layers; k++) {
    const PetscInt lower = k * plane->num_vertices, upper = (k + 1) % sections * plane->num_vertices;

    for (PetscInt c = 0; c < plane->num_cells; c++) {
      const PetscInt *triangle = &plane->cells[3 * c], bottom[3] = {lower + triangle[0], lower + triangle[1], lower + triangle[2]};
      AddPrism(bottom, triangle, lower, upper, shape);
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode Cylinder(const AbutBodySpec *spec, AbutShape *shape)
{
  const PetscInt  n = spec->shape.cells[0], layers = spec->shape.cells[1];
  const PetscReal height = spec->shape.size[1];
  AbutShape       disc   = {0};

  PetscFunctionBegin;
  PetscCall(CheckCount(spec, "cells", 18. * (PetscReal)n * (PetscReal)n * (PetscReal)layers));
  PetscCall(Disc(n, spec->shape.size[0], &disc));
  PetscCall(Sweep(&disc, layers + 1, PETSC_FALSE, shape));
  for (PetscInt v = 0; v < shape->num_vertices; v++) {
    for (PetscInt d = 0; d < 2; d++) shape->x[3 * v + d] = disc.x[3 * (v % disc.num_vertices) + d];
    shape->x[3 * v + 2] = height * ((PetscReal)(v / disc.num_vertices) / (PetscReal)layers - 0.5);
  }
  PetscCall(AbutShapeFree(&disc));
  PetscFunctionReturn(0);
}

/* Sections around a torus or ring: as long along its core as they are wide across the radius; even, for the ring's alternation. */
static PetscErrorCode NumSections(const AbutBodySpec *spec, PetscInt dim, PetscInt *sections)
{
  const PetscReal major = spec->shape.size[0], minor = spec->shape.size[1], n = (PetscReal)spec->shape.cells[0];
  const PetscReal half = PetscMax(4, PetscFloorReal(PETSC_PI * major * n / minor + 0.5));

  PetscFunctionBegin;
  AbutSpecCheck(major > minor, spec, "a torus needs a major radius larger than its minor radius; they are %g and %g m", (double)major,
                (double)minor);
  PetscCall(CheckCount(spec, "cells", (dim == 3 ? 36 * n * n : 8 * n) * half));
  *sections = 2 * (PetscInt)half;
  PetscFunctionReturn(0);
}

/* The disc's plane (x, y) becomes (distance from the axis, -z): then sweeping it around z counter-clockwise keeps cells positive. */
static PetscErrorCode Torus(const AbutBodySpec *spec, AbutShape *shape)
{
  AbutShape disc = {0};
  PetscInt  sections;

  PetscFunctionBegin;
  PetscCall(NumSections(spec, 3, &sections));
  PetscCall(Disc(spec->shape.cells[0], spec->shape.size[1], &disc));
  PetscCall(Sweep(&disc, sections, PETSC_TRUE, shape));
  for (PetscInt v = 0; v < shape->num_vertices; v++) {
    const PetscReal *p    = &disc.x[3 * (v % disc.num_vertices)],
                    angle = 2 * PETSC_PI * (PetscReal)(v / disc.num_vertices) / (PetscReal)sections;
    shape->x[3 * v]       = (spec->shape.size[0] + p[0]) * PetscCosReal(angle);
    shape->x[3 * v + 1]   = (spec->shape.size[0] + p[0]) * PetscSinReal(angle);
    shape->x[3 * v + 2]   = -p[1];
  }
  PetscCall(AbutShapeFree(&disc));
  PetscFunctionReturn(0);
}

static PetscErrorCode Ring(const AbutBodySpec *spec, AbutShape *shape)
{
  const PetscInt across = 2 * spec->shape.cells[0];
  PetscInt       sections;

  PetscFunctionBegin;
  PetscCall(NumSections(spec, 2, &sections));
  PetscCall(Allocate(2, sections * (across + 1), 2 * sections * across, shape));
  for (PetscInt s = 0; s < sections; s++) {
    for (PetscInt i = 0; i <= across; i++) {
      const PetscReal r     = spec->shape.size[0] + spec->shape.size[1] * ((PetscReal)i / (PetscReal)spec->shape.cells[0] - 1),
                      angle = 2 * PETSC_PI * (PetscReal)s / (PetscReal)sections;
      const PetscInt v = s * (across + 1) + i, w = (s + 1) % sections * (across + 1) + i;

      shape->x[3 * v]     = r * PetscCosReal(angle);
      shape->x[3 * v + 1] = r * PetscSinReal(angle);
      if (i < across) AddQuad(v, v + 1, w + 1, w, (PetscBool)((s + i) % 2), shape);
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode CheckParameters(const AbutBodySpec *spec, PetscInt dim)
{
  static const PetscInt num_sizes[] = {0, 3, 1, 2, 2}, num_cells[] = {0, 3, 1, 2, 1};
  const AbutShapeSpec  *shape = &spec->shape;

  PetscFunctionBegin;
  AbutSpecCheck(dim == 3 || shape->kind != ABUT_SHAPE_CYLINDER, spec,
                "a cylinder is no shape of dimension %" PetscInt_FMT "; box, ball (a disc) and torus (a ring) are", dim);
  for (PetscInt d = 0; d < PetscMin(num_sizes[shape->kind], dim); d++)
    AbutSpecCheck(shape->size[d] > 0 && !PetscIsInfOrNanReal(shape->size[d]), spec,
                  "size %" PetscInt_FMT " of the %s is %g m; it must be positive", d, AbutShapeKinds[shape->kind], (double)shape->size[d]);
  for (PetscInt d = 0; d < PetscMin(num_cells[shape->kind], dim); d++)
    AbutSpecCheck(shape->cells[d] >= 1 && shape->cells[d] <= MAX_CELLS_ACROSS, spec,
                  "cells %" PetscInt_FMT " of the %s is %" PetscInt_FMT "; it must be in [1, %d]", d, AbutShapeKinds[shape->kind],
                  shape->cells[d], MAX_CELLS_ACROSS);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeGenerate(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  const PetscReal n = (PetscReal)spec->shape.cells[0];

  PetscFunctionBegin;
  PetscCall(CheckParameters(spec, dim));
  switch (spec->shape.kind) {
  case ABUT_SHAPE_BOX: PetscCall(Box(spec, dim, shape)); break;
  case ABUT_SHAPE_BALL:
    PetscCall(CheckCount(spec, "cells", dim == 3 ? 20 * n * n * n : 6 * n * n));
    PetscCall(dim == 3 ? AbutGenerateBall(spec->shape.cells[0], spec->shape.size[0], shape)
                       : Disc(spec->shape.cells[0], spec->shape.size[0], shape));
    break;
  case ABUT_SHAPE_CYLINDER: PetscCall(Cylinder(spec, shape)); break;
  case ABUT_SHAPE_TORUS: PetscCall(dim == 3 ? Torus(spec, shape) : Ring(spec, shape)); break;
  default: PetscFunctionReturn(AbutSpecError(spec, "shape kind %d is unknown", (int)spec->shape.kind));
  }
  PetscFunctionReturn(0);
}
