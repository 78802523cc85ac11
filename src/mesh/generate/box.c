/* Boxes: bricks of five tetrahedra (2D: rectangles of two triangles) in alternating orientation, so that no diagonal is preferred. */
#include "generate.h"

/* Five cells of an even brick. Bits 0, 1, 2 of a corner number are its x, y, z. Odd bricks are reflected in x. */
static const PetscInt brick_cell[5][4] = {
  {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 2, 7, 4}, {1, 2, 4, 7},
};

static void AddBrick(const PetscInt corner[8], PetscBool odd, AbutShape *shape)
{
  for (PetscInt c = 0; c < 5; c++) {
    PetscInt v[4];
    for (PetscInt i = 0; i < 4; i++) v[i] = corner[brick_cell[c][odd && i < 2 ? 1 - i : i] ^ (odd ? 1 : 0)];
    AbutGenerateAddCell(3, v, shape);
  }
}

PetscErrorCode AbutGenerateBox(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  const PetscInt *n = spec->shape.cells, nz = dim == 3 ? n[2] : 0;
  PetscInt        at = 0, stride[3] = {1, n[0] + 1, 0};

  PetscFunctionBegin;
  PetscCall(AbutGenerateCheckCount(spec, "cells", (dim == 3 ? 5. * (PetscReal)nz : 2.) * (PetscReal)n[0] * (PetscReal)n[1]));
  stride[2] = (n[0] + 1) * (n[1] + 1);
  PetscCall(AbutGenerateAllocate(dim, stride[2] * (nz + 1), dim == 3 ? 5 * n[0] * n[1] * nz : 2 * n[0] * n[1], shape));
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
          AbutGenerateAddQuad(corner[0], corner[1], corner[3], corner[2], odd, shape);
      }
  PetscFunctionReturn(0);
}
