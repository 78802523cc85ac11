/* Map from the node tags of a mesh file to vertex numbers. */
#include "meshimpl.h"

PetscErrorCode AbutTagsCreate(const AbutBodySpec *spec, PetscInt num, const PetscInt tags[], PetscHMapI *table)
{
  PetscBool is_new;

  PetscFunctionBegin;
  PetscCall(PetscHMapIDestroy(table));
  PetscCall(PetscHMapICreate(table));
  PetscCall(PetscHMapIResize(*table, num));
  for (PetscInt i = 0; i < num; i++) {
    PetscCall(PetscHMapIQuerySet(*table, tags[i], i, &is_new));
    AbutSpecCheck(is_new, spec, "%s: node tag %" PetscInt_FMT " occurs twice", spec->shape.path, tags[i]);
  }
  PetscFunctionReturn(0);
}
