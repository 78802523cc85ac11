/* The surface of one shape as plain arrays, on one rank. */
#include "meshimpl.h"

PetscErrorCode AbutSurfaceRead(const AbutBodySpec *spec, AbutSurfaceArrays *surface)
{
  AbutShape      shape = {0};
  PetscErrorCode code;

  PetscFunctionBegin;
  *surface = (AbutSurfaceArrays){0};
  AbutSpecCheck(spec->shape.order != 2, spec, "%s", "order is 2; a surface is piecewise linear and has order 1");
  code = AbutShapeCreate(PETSC_COMM_SELF, spec, 3, &shape);
  if (!code && !shape.num_faces) code = AbutSpecError(spec, "has no triangles");
  if (!code) {
    *surface    = (AbutSurfaceArrays){shape.num_vertices, shape.num_faces, shape.x, shape.faces};
    shape.x     = NULL;
    shape.faces = NULL;
  }
  PetscCall(AbutShapeFree(&shape));
  PetscFunctionReturn(code);
}

PetscErrorCode AbutSurfaceArraysFree(AbutSurfaceArrays *surface)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(surface->x));
  PetscCall(PetscFree(surface->face));
  *surface = (AbutSurfaceArrays){0};
  PetscFunctionReturn(0);
}
