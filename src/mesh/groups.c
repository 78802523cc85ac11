/* Named sets of vertices: the physical groups of mesh files. */
#include "meshimpl.h"
#include <string.h>

PetscErrorCode AbutGroupsFind(AbutGroups *groups, const char name[], PetscInt *index)
{
  char key[ABUT_GROUP_NAME];

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(key, name, sizeof(key)));
  for (*index = 0; *index < groups->num_names; (*index)++)
    if (!strcmp(groups->names[*index], key)) PetscFunctionReturn(0);
  if (groups->num_names == groups->capacity) {
    groups->capacity = 2 * groups->capacity + 8;
    PetscCall(PetscRealloc(sizeof(*groups->names) * (size_t)groups->capacity, &groups->names));
  }
  PetscCall(PetscMemcpy(groups->names[groups->num_names++], key, sizeof(key)));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutGroupsFree(AbutGroups *groups)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(groups->names));
  PetscCall(PetscFree(groups->marks.a));
  *groups = (AbutGroups){0};
  PetscFunctionReturn(0);
}
