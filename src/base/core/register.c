/* Entries that parts of the program register. */
#include "coreimpl.h"
#include <string.h>

PetscErrorCode AbutRegister(const char kind[], const void *entry)
{
  AbutSession *s = AbutSessionGet();

  PetscFunctionBegin;
  PetscCheck(s->num_registered < ABUT_REGISTERED, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "more than %d entries", ABUT_REGISTERED);
  s->registered[s->num_registered].kind    = kind;
  s->registered[s->num_registered++].entry = entry;
  PetscFunctionReturn(0);
}

const void *AbutRegistered(const char kind[], PetscInt i)
{
  const AbutSession *s = AbutSessionGet();

  for (PetscInt k = 0; k < s->num_registered; k++)
    if (!strcmp(s->registered[k].kind, kind) && !i--) return s->registered[k].entry;
  return NULL;
}
