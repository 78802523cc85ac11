/* Boxes: bricks of five tetrahedra (2D: rectangles of two triangles) in alternating orientation, so that no diagonal is preferred. */
#include "generate.h"

/* Five cells of an even brick. Bits 0, 1, 2 of a corner number are its x, y, z. Odd bricks are reflected in x. */
static const PetscInt brick_cell[5][4] = {
  {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 2, 7, 4}, {1, 2, 4, 7},
};

static void AddBrick(AbutPiece *piece, const PetscInt corner[8], PetscBool odd)
{
  for (PetscInt c = 0; c < 5; c++) {
    PetscInt v[4];
    for (PetscInt i = 0; i < 4; i++) v[i] = corner[brick_cell[c][odd && i < 2 ? 1 - i : i] ^ (odd ? 1 : 0)];
    AbutGenerateAddCell(piece, v);
  }
}

PetscErrorCode AbutGenerateCountBox(const AbutBodySpec *spec, PetscInt dim, PetscInt *num_vertices, PetscInt *num_cells)
{
  const PetscInt *n = spec->shape.cells, nz = dim == 3 ? n[2] : 0;

  PetscFunctionBegin;
  PetscCall(AbutGenerateCheckCount(spec, "cells", (dim == 3 ? 5. * (PetscReal)nz : 2.) * (PetscReal)n[0] * (PetscReal)n[1]));
  *num_vertices = (n[0] + 1) * (n[1] + 1) * (nz + 1);
  *num_cells    = dim == 3 ? 5 * n[0] * n[1] * nz : 2 * n[0] * n[1];
  PetscFunctionReturn(0);
}

PetscErrorCode AbutGenerateBox(const AbutBodySpec *spec, AbutPiece *piece)
{
  const PetscInt *n = spec->shape.cells, a_brick = piece->dim == 3 ? 5 : 2, stride[3] = {1, n[0] + 1, (n[0] + 1) * (n[1] + 1)};

  PetscFunctionBegin;
  for (PetscInt v = piece->vertices.begin; v < piece->vertices.end; v++) {
    const PetscInt ijk[3] = {v % stride[1], v % stride[2] / stride[1], v / stride[2]};
    PetscReal     *x      = AbutGenerateVertex(piece, v);
    for (PetscInt d = 0; d < piece->dim; d++) x[d] = spec->shape.size[d] * ((PetscReal)ijk[d] / (PetscReal)n[d] - 0.5);
  }
  piece->next = piece->cells.begin - piece->cells.begin % a_brick;
  while (piece->next < piece->cells.end) {
    const PetscInt  brick = piece->next / a_brick, i = brick % n[0], j = brick / n[0] % n[1], k = brick / n[0] / n[1];
    const PetscInt  v   = i + j * stride[1] + k * stride[2];
    const PetscBool odd = (PetscBool)((i + j + k) % 2);
    PetscInt        corner[8];

    for (PetscInt c = 0; c < 8; c++) corner[c] = v + (c & 1) + (c >> 1 & 1) * stride[1] + (c >> 2) * stride[2];
    if (piece->dim == 3)
      AddBrick(piece, corner, odd);
    else
      AbutGenerateAddQuad(piece, corner[0], corner[1], corner[3], corner[2], odd);
  }
  PetscFunctionReturn(0);
}
