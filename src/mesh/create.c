/* Creates the shape of a body or obstacle: reads or generates it, places it, checks it and builds its surface. */
#include "meshimpl.h"
#include <string.h>

/* An obstacle without faces and edges is valid only if its file ends in .pt (points). */
static PetscErrorCode CheckHasSurface(const AbutBodySpec *spec, const AbutShape *shape)
{
  const char *dot = strrchr(spec->shape.path, '.');

  PetscFunctionBegin;
  if (shape->num_cells || shape->num_faces || shape->num_edges || (dot && !strcmp(dot, ".pt"))) PetscFunctionReturn(0);
  PetscFunctionReturn(AbutSpecError(spec,
                                    "%s has %" PetscInt_FMT
                                    " vertices, but neither triangles (lines \"f\" of an .obj) nor segments (lines \"l\" of an "
                                    ".obj, \"s\" of a .seg); for an obstacle of points name a file that ends in .pt",
                                    spec->shape.path, shape->num_vertices));
}

/* Reads the file, or generates the whole shape. */
static PetscErrorCode ReadOrGenerate(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  PetscInt num_vertices, num_cells;

  PetscFunctionBegin;
  if (spec->shape.kind == ABUT_SHAPE_FILE) {
    PetscCall(AbutShapeReadFile(spec, dim, shape));
    AbutSpecCheck(shape->num_cells < PETSC_MAX_INT / 12, spec,
                  "%" PetscInt_FMT " cells are more than 32-bit indices can number; use a PETSc with 64-bit indices", shape->num_cells);
    if (spec->obstacle) PetscCall(CheckHasSurface(spec, shape));
  } else {
    PetscCall(AbutShapeGenerateCount(spec, dim, &num_vertices, &num_cells));
    PetscCall(AbutShapeGenerate(spec, dim, (AbutRange){0, num_vertices}, (AbutRange){0, num_cells}, shape));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeCreate(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  PetscInt  num_marks;
  PetscReal mean[3] = {0, 0, 0};

  PetscFunctionBegin;
  *shape = (AbutShape){0};
  PetscCall(ReadOrGenerate(spec, dim, shape));
  PetscCall(AbutShapeCheckPlacement(spec, dim));
  if (spec->shape.center) AbutShapeAddMean(shape, shape->num_vertices, mean);
  AbutShapePlace(spec, dim, mean, shape);
  if (spec->obstacle && dim == 2) AbutShapeOrientCells2D(shape);
  if (shape->num_cells) PetscCall(AbutShapeCheckBody(spec, dim, shape));
  if (spec->obstacle) {
    PetscCall(AbutShapeKeepSurface(spec, dim, shape));
    PetscCall(AbutShapeCheckObstacle(spec, dim, shape));
    PetscCall(AbutShapeOrient(spec, dim, shape));
  } else {
    PetscCall(AbutShapeDropSurface(shape));
    shape->oriented = spec->oriented;
  }
  num_marks = shape->groups.marks.n / 2;
  PetscCall(AbutUniqueTuples(&num_marks, 2, PetscMax(shape->num_vertices, shape->groups.num_names), shape->groups.marks.a));
  shape->groups.marks.n = 2 * num_marks;
  PetscFunctionReturn(0);
}
