/* Chooses the reader of a shape file by its extension; checks that apply to all files. */
#include "meshimpl.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* In 2D checks that all vertices of the file have z = 0 up to round-off. */
static PetscErrorCode CheckPlane(const AbutBodySpec *spec, const AbutShape *shape)
{
  PetscReal extent = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * shape->num_vertices; i++) extent = PetscMax(extent, PetscAbsReal(shape->x[i]));
  for (PetscInt v = 0; v < shape->num_vertices; v++) {
    PetscReal *z = &shape->x[3 * v + 2];
    AbutSpecCheck(PetscAbsReal(*z) <= 1e-12 * extent, spec,
                  "%s: vertex %" PetscInt_FMT " has z = %g; in a scene of dimension 2 all z must be 0", spec->shape.path, v, (double)*z);
    *z = 0;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadByExtension(const AbutBodySpec *spec, PetscInt dim, const char extension[], AbutShape *shape)
{
  static const char *const cad[]      = {".geo", ".step", ".stp", ".brep", ".iges", ".igs", ".STEP", ".STP", NULL};
  PetscBool                understood = PETSC_FALSE;

  PetscFunctionBegin;
  if (!strcmp(extension, ".obj") || !strcmp(extension, ".seg") || !strcmp(extension, ".pt")) {
    PetscCall(AbutShapeReadSurface(spec, dim, shape));
    PetscFunctionReturn(0);
  }
  if (!strcmp(extension, ".msh")) {
    PetscCall(AbutShapeReadMsh(spec, dim, shape, &understood));
    if (!understood) PetscCall(AbutShapeReadGmsh(spec, dim, shape));
    PetscFunctionReturn(0);
  }
  for (PetscInt i = 0; cad[i] && !understood; i++) understood = (PetscBool)!strcmp(extension, cad[i]);
  AbutSpecCheck(understood, spec, "%s: unknown file type; valid are .msh, .geo, .step, .brep, and for obstacles .obj, .seg, .pt",
                spec->shape.path);
  AbutSpecCheck(!access(spec->shape.path, R_OK), spec, "cannot read %s: %s", spec->shape.path, strerror(errno));
  PetscCall(AbutShapeReadGmsh(spec, dim, shape));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeReadFile(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  const char *extension = strrchr(spec->shape.path, '.');

  PetscFunctionBegin;
  AbutSpecCheck(extension, spec, "the file name \"%s\" has no extension (.msh, .geo, .obj, ...)", spec->shape.path);
  PetscCall(ReadByExtension(spec, dim, extension, shape));
  PetscCall(AbutShapeCheckFinite(spec, shape)); /* rotations would spread NaN to all coordinates */
  if (dim == 2) PetscCall(CheckPlane(spec, shape));
  AbutSpecCheck(spec->obstacle || shape->num_cells, spec, "%s has no cells of dimension %" PetscInt_FMT " (linear %s)", spec->shape.path,
                dim, dim == 3 ? "tetrahedra" : "triangles");
  AbutSpecCheck(shape->num_vertices, spec, "%s has no vertices", spec->shape.path);
  PetscFunctionReturn(0);
}
