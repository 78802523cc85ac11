/* Generated shapes: checks their parameters and calls the function of the shape. */
#include "generate.h"

#define MAX_CELLS_ACROSS 100000

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

PetscErrorCode AbutShapeGenerateCount(const AbutBodySpec *spec, PetscInt dim, PetscInt *num_vertices, PetscInt *num_cells)
{
  PetscFunctionBegin;
  PetscCall(CheckParameters(spec, dim));
  switch (spec->shape.kind) {
  case ABUT_SHAPE_BOX: PetscCall(AbutGenerateCountBox(spec, dim, num_vertices, num_cells)); break;
  case ABUT_SHAPE_BALL:
    PetscCall(dim == 3 ? AbutGenerateCountBall(spec, num_vertices, num_cells) : AbutGenerateCountDisc(spec, num_vertices, num_cells));
    break;
  case ABUT_SHAPE_CYLINDER:
  case ABUT_SHAPE_TORUS:
    PetscCall(dim == 3 ? AbutGenerateCountSwept(spec, num_vertices, num_cells) : AbutGenerateCountRing(spec, num_vertices, num_cells));
    break;
  default: PetscFunctionReturn(AbutSpecError(spec, "shape kind %d is unknown", (int)spec->shape.kind));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeGenerate(const AbutBodySpec *spec, PetscInt dim, AbutRange vertices, AbutRange cells, AbutShape *shape)
{
  AbutPiece piece;

  PetscFunctionBegin;
  PetscCall(AbutGenerateAllocate(dim, vertices, cells, shape, &piece));
  if (spec->shape.kind == ABUT_SHAPE_BOX)
    PetscCall(AbutGenerateBox(spec, &piece));
  else if (spec->shape.kind == ABUT_SHAPE_BALL)
    PetscCall(dim == 3 ? AbutGenerateBall(spec, &piece) : AbutGenerateDisc(spec->shape.cells[0], spec->shape.size[0], &piece));
  else
    PetscCall(dim == 3 ? AbutGenerateSwept(spec, &piece) : AbutGenerateRing(spec, &piece));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeGenerateMean(const AbutBodySpec *spec, PetscInt dim, PetscReal mean[3])
{
  const PetscInt chunk = 1 << 16;
  PetscInt       num_vertices, num_cells;

  PetscFunctionBegin;
  mean[0] = mean[1] = mean[2] = 0;
  PetscCall(AbutShapeGenerateCount(spec, dim, &num_vertices, &num_cells));
  for (PetscInt v = 0; v < num_vertices; v += chunk) {
    AbutShape part = {0};

    PetscCall(AbutShapeGenerate(spec, dim, (AbutRange){v, PetscMin(v + chunk, num_vertices)}, (AbutRange){0, 0}, &part));
    AbutShapeAddMean(&part, num_vertices, mean);
    PetscCall(AbutShapeFree(&part));
  }
  PetscFunctionReturn(0);
}
