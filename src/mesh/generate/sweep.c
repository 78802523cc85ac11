/* Discs and rings in 2D; cylinders and tori as a disc swept along or around the z axis, three tetrahedra per prism. */
#include "generate.h"

/* Disc of n layers of triangles around a central vertex: 6 k vertices on the circle of layer k, 6 n^2 triangles. */
PetscErrorCode AbutGenerateDisc(PetscInt n, PetscReal radius, AbutShape *shape)
{
  PetscFunctionBegin;
  PetscCall(AbutGenerateAllocate(2, 1 + 3 * n * (n + 1), 6 * n * n, shape));
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

        AbutGenerateAddCell(2, (PetscInt[]){inner, outer, outer1}, shape);
        if (j + 1 < k) AbutGenerateAddCell(2, (PetscInt[]){inner, outer1, inner1}, shape);
      }
    }
  }
  PetscFunctionReturn(0);
}

/* Adds the three cells of the prism over a triangle. The diagonals depend on the order of vertex numbers: adjacent prisms match. */
static void AddPrism(const PetscInt bottom[3], const PetscInt triangle[3], PetscInt lower, PetscInt upper, AbutShape *shape)
{
  PetscInt s = 0; /* a cyclic permutation puts the lowest vertex first and keeps the orientation */

  for (PetscInt i = 1; i < 3; i++)
    if (triangle[i] < triangle[s]) s = i;
  {
    const PetscInt a = bottom[s], b = bottom[(s + 1) % 3], c = bottom[(s + 2) % 3], A = a - lower + upper, B = b - lower + upper,
                   C = c - lower + upper;

    AbutGenerateAddCell(3, (PetscInt[]){a, A, B, C}, shape);
    if (triangle[(s + 1) % 3] < triangle[(s + 2) % 3]) {
      AbutGenerateAddCell(3, (PetscInt[]){a, b, c, C}, shape);
      AbutGenerateAddCell(3, (PetscInt[]){a, b, C, B}, shape);
    } else {
      AbutGenerateAddCell(3, (PetscInt[]){a, b, c, B}, shape);
      AbutGenerateAddCell(3, (PetscInt[]){a, B, c, C}, shape);
    }
  }
}

/*
  Connects `sections` copies of a plane mesh by prisms. Vertices are numbered section by section. closed: the last section is connected to
  the first.
*/
static PetscErrorCode Sweep(const AbutShape *plane, PetscInt sections, PetscBool closed, AbutShape *shape)
{
  const PetscInt layers = closed ? sections : sections - 1;

  PetscFunctionBegin;
  PetscCall(AbutGenerateAllocate(3, plane->num_vertices * sections, 3 * plane->num_cells * layers, shape));
  for (PetscInt k = 0; k < layers; k++) {
    const PetscInt lower = k * plane->num_vertices, upper = (k + 1) % sections * plane->num_vertices;

    for (PetscInt c = 0; c < plane->num_cells; c++) {
      const PetscInt *triangle = &plane->cells[3 * c], bottom[3] = {lower + triangle[0], lower + triangle[1], lower + triangle[2]};
      AddPrism(bottom, triangle, lower, upper, shape);
    }
  }
  PetscFunctionReturn(0);
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

PetscErrorCode AbutGenerateSwept(const AbutBodySpec *spec, AbutShape *shape)
{
  const PetscBool  torus = (PetscBool)(spec->shape.kind == ABUT_SHAPE_TORUS);
  const PetscInt   n = spec->shape.cells[0], layers = spec->shape.cells[1];
  const PetscReal *size     = spec->shape.size;
  PetscInt         sections = layers + 1;
  AbutShape        disc     = {0};

  PetscFunctionBegin;
  PetscCall(torus ? NumSections(spec, 3, &sections)
                  : AbutGenerateCheckCount(spec, "cells", 18. * (PetscReal)n * (PetscReal)n * (PetscReal)layers));
  PetscCall(AbutGenerateDisc(n, size[torus ? 1 : 0], &disc));
  PetscCall(Sweep(&disc, sections, torus, shape));
  for (PetscInt v = 0; v < shape->num_vertices; v++) {
    const PetscReal *p = &disc.x[3 * (v % disc.num_vertices)], k = (PetscReal)(v / disc.num_vertices);
    PetscReal       *x = &shape->x[3 * v];

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

PetscErrorCode AbutGenerateRing(const AbutBodySpec *spec, AbutShape *shape)
{
  const PetscInt across = 2 * spec->shape.cells[0];
  PetscInt       sections;

  PetscFunctionBegin;
  PetscCall(NumSections(spec, 2, &sections));
  PetscCall(AbutGenerateAllocate(2, sections * (across + 1), 2 * sections * across, shape));
  for (PetscInt s = 0; s < sections; s++) {
    for (PetscInt i = 0; i <= across; i++) {
      const PetscReal r     = spec->shape.size[0] + spec->shape.size[1] * ((PetscReal)i / (PetscReal)spec->shape.cells[0] - 1),
                      angle = 2 * PETSC_PI * (PetscReal)s / (PetscReal)sections;
      const PetscInt v = s * (across + 1) + i, w = (s + 1) % sections * (across + 1) + i;

      shape->x[3 * v]     = r * PetscCosReal(angle);
      shape->x[3 * v + 1] = r * PetscSinReal(angle);
      if (i < across) AbutGenerateAddQuad(v, v + 1, w + 1, w, (PetscBool)((s + i) % 2), shape);
    }
  }
  PetscFunctionReturn(0);
}
