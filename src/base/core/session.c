/* State of the process, attached to a PETSc object between PetscInitialize() and PetscFinalize(). */
#include "coreimpl.h"
#include <abut/petsc_versions.h>
#include <petscviewer.h>

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
