/* State of the process, attached to a PETSc object between PetscInitialize() and PetscFinalize(); entries that parts of it register. */
#include "coreimpl.h"
#include <abut/petsc_versions.h>
#include <petscviewer.h>
#include <string.h>

#define NAME "abut_session"

static PetscErrorCode Create(PetscObject owner, AbutSession **session)
{
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(PetscNew(session));
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, *session));
  PetscCall(PetscContainerSetCtxDestroy(container, PetscCtxDestroyDefault));
  PetscCall(PetscObjectCompose(owner, NAME, (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(0);
}

AbutSession *AbutSessionGet(void)
{
  PetscObject  owner = (PetscObject)PETSC_VIEWER_STDOUT_SELF, container = NULL;
  AbutSession *session = NULL;

  PetscCallAbort(PETSC_COMM_SELF, PetscObjectQuery(owner, NAME, &container));
  if (container)
    PetscCallAbort(PETSC_COMM_SELF, PetscContainerGetPointer((PetscContainer)container, (void **)&session));
  else
    PetscCallAbort(PETSC_COMM_SELF, Create(owner, &session));
  return session;
}

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
