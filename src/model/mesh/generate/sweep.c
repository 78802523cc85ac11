/* Discs and rings in 2D; cylinders and tori as a disc swept along or around the z axis, three tetrahedra per prism. */
#include "generate.h"

PetscErrorCode AbutGenerateCountDisc(const AbutBodySpec *spec, PetscInt *num_vertices, PetscInt *num_cells)
{
  const PetscInt n = spec->shape.cells[0];

  PetscFunctionBegin;
  PetscCall(AbutGenerateCheckCount(spec, "cells", 6. * (PetscReal)n * (PetscReal)n));
  *num_vertices = 1 + 3 * n * (n + 1);
  *num_cells    = 6 * n * n;
  PetscFunctionReturn(0);
}

/* Adds the 6 (2 k - 1) triangles between layers k - 1 and k. */
static void AddRing(PetscInt k, AbutPiece *piece)
{
  const PetscInt start = 1 + 3 * k * (k - 1), inner_start = k == 1 ? 0 : 1 + 3 * (k - 1) * (k - 2), inner_num = PetscMax(6 * (k - 1), 1);

  for (PetscInt sector = 0; sector < 6; sector++) {
    for (PetscInt j = 0; j < k; j++) {
      const PetscInt outer = start + sector * k + j, outer1 = start + (sector * k + j + 1) % (6 * k);
      const PetscInt inner  = inner_start + (sector * (k - 1) + j) % inner_num,
                     inner1 = inner_start + (sector * (k - 1) + j + 1) % inner_num;

      AbutGenerateAddCell(piece, (PetscInt[]){inner, outer, outer1});
      if (j + 1 < k) AbutGenerateAddCell(piece, (PetscInt[]){inner, outer1, inner1});
    }
  }
}

/* Disc of n layers of triangles around a central vertex: 6 k vertices on the circle of layer k, 6 n^2 triangles. */
PetscErrorCode AbutGenerateDisc(PetscInt n, PetscReal radius, AbutPiece *piece)
{
  PetscFunctionBegin;
  for (PetscInt k = 1; k <= n; k++) {
    const PetscInt start = 1 + 3 * k * (k - 1);

    for (PetscInt m = PetscMax(0, piece->vertices.begin - start); m < PetscMin(6 * k, piece->vertices.end - start); m++) {
      const PetscReal angle = PETSC_PI * (PetscReal)m / (PetscReal)(3 * k), r = radius * (PetscReal)k / (PetscReal)n;
      PetscReal      *x = AbutGenerateVertex(piece, start + m);
      x[0]              = r * PetscCosReal(angle);
      x[1]              = r * PetscSinReal(angle);
    }
    if (AbutGenerateHasCells(piece, 6 * (2 * k - 1))) AddRing(k, piece);
  }
  PetscFunctionReturn(0);
}

/* Adds the three cells of the prism over a triangle. The diagonals depend on the order of vertex numbers: adjacent prisms match. */
static void AddPrism(const PetscInt bottom[3], const PetscInt triangle[3], PetscInt lower, PetscInt upper, AbutPiece *piece)
{
  PetscInt s = 0; /* a cyclic permutation puts the lowest vertex first and keeps the orientation */

  for (PetscInt i = 1; i < 3; i++)
    if (triangle[i] < triangle[s]) s = i;
  {
    const PetscInt a = bottom[s], b = bottom[(s + 1) % 3], c = bottom[(s + 2) % 3], A = a - lower + upper, B = b - lower + upper,
                   C = c - lower + upper;

    AbutGenerateAddCell(piece, (PetscInt[]){a, A, B, C});
    if (triangle[(s + 1) % 3] < triangle[(s + 2) % 3]) {
      AbutGenerateAddCell(piece, (PetscInt[]){a, b, c, C});
      AbutGenerateAddCell(piece, (PetscInt[]){a, b, C, B});
    } else {
      AbutGenerateAddCell(piece, (PetscInt[]){a, b, c, B});
      AbutGenerateAddCell(piece, (PetscInt[]){a, B, c, C});
    }
  }
}

/* Connects copies of a plane mesh by prisms. Vertices are numbered section by section; after the last section follows the first. */
static void Sweep(const AbutShape *plane, PetscInt sections, AbutPiece *piece)
{
  piece->next = piece->cells.begin - piece->cells.begin % 3;
  while (piece->next < piece->cells.end) {
    const PetscInt layer = piece->next / 3 / plane->num_cells, *triangle = &plane->cells[3 * (piece->next / 3 % plane->num_cells)];
    const PetscInt lower = layer * plane->num_vertices, upper = (layer + 1) % sections * plane->num_vertices;

    AddPrism((PetscInt[]){lower + triangle[0], lower + triangle[1], lower + triangle[2]}, triangle, lower, upper, piece);
  }
}

/*
  Number of sections around a torus or ring, such that edges along the core circle are as long as edges across the minor radius. Even,
  because the orientation of cells alternates.
*/
static PetscErrorCode NumSections(const AbutBodySpec *spec, PetscInt dim, PetscInt *sections)
{
  const PetscReal major = spec->shape.size[0], minor = spec->shape.size[1], n = (PetscReal)spec->shape.cells[0];
  const PetscReal half = PetscMax(4, PetscFloorReal(PETSC_PI * major * n / minor + 0.5));

  PetscFunctionBegin;
  AbutSpecCheck(major > minor, spec, "a torus needs a major radius larger than its minor radius; they are %g and %g m", (double)major,
                (double)minor);
  PetscCall(AbutGenerateCheckCount(spec, "cells", (dim == 3 ? 36 * n * n : 8 * n) * half));
  *sections = 2 * (PetscInt)half;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutGenerateCountSwept(const AbutBodySpec *spec, PetscInt *num_vertices, PetscInt *num_cells)
{
  const PetscInt n = spec->shape.cells[0], layers = spec->shape.cells[1];
  PetscInt       sections = 0;

  PetscFunctionBegin;
  if (spec->shape.kind == ABUT_SHAPE_TORUS) {
    PetscCall(NumSections(spec, 3, &sections));
    *num_cells = 18 * n * n * sections;
  } else {
    PetscCall(AbutGenerateCheckCount(spec, "cells", 18. * (PetscReal)n * (PetscReal)n * (PetscReal)layers));
    sections   = layers + 1;
    *num_cells = 18 * n * n * layers;
  }
  *num_vertices = (1 + 3 * n * (n + 1)) * sections;
  PetscFunctionReturn(0);
}

/* Each rank holds the whole plane mesh. */
PetscErrorCode AbutGenerateSwept(const AbutBodySpec *spec, AbutPiece *piece)
{
  const PetscBool  torus = (PetscBool)(spec->shape.kind == ABUT_SHAPE_TORUS);
  const PetscInt   n = spec->shape.cells[0], layers = spec->shape.cells[1];
  const PetscReal *size     = spec->shape.size;
  PetscInt         sections = layers + 1;
  AbutShape        disc     = {0};
  AbutPiece        plane;

  PetscFunctionBegin;
  if (torus) PetscCall(NumSections(spec, 3, &sections));
  PetscCall(AbutGenerateAllocate(2, (AbutRange){0, 1 + 3 * n * (n + 1)}, (AbutRange){0, 6 * n * n}, &disc, &plane));
  PetscCall(AbutGenerateDisc(n, size[torus ? 1 : 0], &plane));
  Sweep(&disc, sections, piece);
  for (PetscInt v = piece->vertices.begin; v < piece->vertices.end; v++) {
    const PetscReal *p = &disc.x[3 * (v % disc.num_vertices)], k = (PetscReal)(v / disc.num_vertices);
    PetscReal       *x = AbutGenerateVertex(piece, v);

    if (torus) { /* (x, y) of the disc to (distance from the axis, -z), so that sweeping around z gives positive cells */
      const PetscReal angle = 2 * PETSC_PI * k / (PetscReal)sections;
      x[0]                  = (size[0] + p[0]) * PetscCosReal(angle);
      x[1]                  = (size[0] + p[0]) * PetscSinReal(angle);
      x[2]                  = -p[1];
    } else {
      x[0] = p[0];
      x[1] = p[1];
      x[2] = size[1] * (k / (PetscReal)layers - 0.5);
    }
  }
  PetscCall(AbutShapeFree(&disc));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutGenerateCountRing(const AbutBodySpec *spec, PetscInt *num_vertices, PetscInt *num_cells)
{
  const PetscInt across   = 2 * spec->shape.cells[0];
  PetscInt       sections = 0;

  PetscFunctionBegin;
  PetscCall(NumSections(spec, 2, &sections));
  *num_vertices = sections * (across + 1);
  *num_cells    = 2 * sections * across;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutGenerateRing(const AbutBodySpec *spec, AbutPiece *piece)
{
  const PetscInt across   = 2 * spec->shape.cells[0];
  PetscInt       sections = 0;

  PetscFunctionBegin;
  PetscCall(NumSections(spec, 2, &sections));
  for (PetscInt v = piece->vertices.begin; v < piece->vertices.end; v++) {
    const PetscInt  s = v / (across + 1), i = v % (across + 1);
    const PetscReal r     = spec->shape.size[0] + spec->shape.size[1] * ((PetscReal)i / (PetscReal)spec->shape.cells[0] - 1),
                    angle = 2 * PETSC_PI * (PetscReal)s / (PetscReal)sections;
    PetscReal *x          = AbutGenerateVertex(piece, v);

    x[0] = r * PetscCosReal(angle);
    x[1] = r * PetscSinReal(angle);
  }
  piece->next = piece->cells.begin - piece->cells.begin % 2;
  while (piece->next < piece->cells.end) {
    const PetscInt s = piece->next / 2 / across, i = piece->next / 2 % across, v = s * (across + 1) + i,
                   w = (s + 1) % sections * (across + 1) + i;
    AbutGenerateAddQuad(piece, v, v + 1, w + 1, w, (PetscBool)((s + i) % 2));
  }
  PetscFunctionReturn(0);
}
