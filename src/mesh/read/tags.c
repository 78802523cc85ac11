/* Map from the node tags of a mesh file to vertex numbers. */
#include "meshimpl.h"

PetscErrorCode AbutTagsCreate(const AbutBodySpec *spec, PetscInt num, const PetscInt tags[], AbutTags *table)
{
  PetscBool consecutive = PETSC_TRUE;

  PetscFunctionBegin;
  *table = (AbutTags){.num = num, .first = num ? tags[0] : 0};
  for (PetscInt i = 1; i < num && consecutive; i++) consecutive = (PetscBool)(tags[i] == tags[i - 1] + 1);
  if (consecutive) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2(num, &table->sorted, num, &table->index));
  for (PetscInt i = 0; i < num; i++) {
    table->sorted[i] = tags[i];
    table->index[i]  = i;
  }
  PetscCall(PetscSortIntWithArray(num, table->sorted, table->index));
  for (PetscInt i = 1; i < num; i++)
    AbutSpecCheck(table->sorted[i] != table->sorted[i - 1], spec, "%s: node tag %" PetscInt_FMT " occurs twice", spec->shape.path,
                  table->sorted[i]);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutTagsFree(AbutTags *table)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(table->sorted, table->index));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutTagsFind(const AbutTags *table, PetscInt tag, PetscInt *index)
{
  PetscInt at;

  PetscFunctionBegin;
  if (!table->sorted) {
    *index = tag >= table->first && tag - table->first < table->num ? tag - table->first : -1;
    PetscFunctionReturn(0);
  }
  PetscCall(PetscFindInt(tag, table->num, table->sorted, &at));
  *index = at < 0 ? -1 : table->index[at];
  PetscFunctionReturn(0);
}
