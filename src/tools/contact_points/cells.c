/* Arrays of cells of the generator. */
#include "contact_pointsimpl.h"
#include <abut/containers.h>

PetscErrorCode AbutPointCellsReserve(AbutPointCells *cells, PetscInt n)
{
  PetscInt       capacity[2] = {cells->capacity, cells->capacity};
  const PetscInt old         = cells->capacity;

  PetscFunctionBegin;
  if (n <= old) PetscFunctionReturn(0);
  PetscCall(AbutReserve(n, &capacity[0], &cells->cell));
  PetscCall(PetscFree(cells->box));
  PetscCall(PetscMalloc1(capacity[0], &cells->box));
  PetscCall(AbutReserve(capacity[0], &capacity[1], &cells->self));
  cells->capacity = capacity[0];
  for (PetscInt i = old; i < cells->capacity; i++) cells->self[i] = (int32_t)i;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPointCellsDestroy(AbutPointCells *cells)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(cells->cell));
  PetscCall(PetscFree(cells->box));
  PetscCall(PetscFree(cells->self));
  PetscCall(AbutBVHDestroy(&cells->tree));
  PetscFunctionReturn(0);
}
