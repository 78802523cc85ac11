/* Specifications of bodies and obstacles: defaults, names of enumerators, errors that name the body. */
#include "meshimpl.h"

const char *const AbutShapeKinds[]   = {"file", "box", "ball", "cylinder", "torus", "AbutShapeKind", "ABUT_SHAPE_", NULL};
const char *const AbutOrientations[] = {"outward", "inward", "none", "AbutOrientation", "ABUT_ORIENTED_", NULL};

PetscErrorCode AbutBodySpecInit(AbutBodySpec *spec)
{
  PetscFunctionBegin;
  *spec = (AbutBodySpec){.material = 0};
  for (PetscInt d = 0; d < 3; d++) {
    spec->shape.scale[d]  = 1;
    spec->shape.copies[d] = 1;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSpecError(const AbutBodySpec *spec, const char format[], ...)
{
  char    text[2048];
  va_list args;

  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  return AbutErrorSet(ABUT_ERR_INPUT, "%s%s%s '%s': %s", spec->place, spec->place[0] ? ": " : "", spec->obstacle ? "obstacle" : "body",
                      spec->name, text);
}
