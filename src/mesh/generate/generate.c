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

PetscErrorCode AbutShapeGenerate(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  const PetscReal n = (PetscReal)spec->shape.cells[0];

  PetscFunctionBegin;
  PetscCall(CheckParameters(spec, dim));
  switch (spec->shape.kind) {
  case ABUT_SHAPE_BOX: PetscCall(AbutGenerateBox(spec, dim, shape)); break;
  case ABUT_SHAPE_BALL:
    PetscCall(AbutGenerateCheckCount(spec, "cells", dim == 3 ? 20 * n * n * n : 6 * n * n));
    PetscCall(dim == 3 ? AbutGenerateBall(spec->shape.cells[0], spec->shape.size[0], shape)
                       : AbutGenerateDisc(spec->shape.cells[0], spec->shape.size[0], shape));
    break;
  case ABUT_SHAPE_CYLINDER:
  case ABUT_SHAPE_TORUS: PetscCall(dim == 3 ? AbutGenerateSwept(spec, shape) : AbutGenerateRing(spec, shape)); break;
  default: PetscFunctionReturn(AbutSpecError(spec, "shape kind %d is unknown", (int)spec->shape.kind));
  }
  PetscFunctionReturn(0);
}
