/* Common code of the preconditioners of this folder, which are PCSHELLs. */
#include "precondimpl.h"

PetscErrorCode AbutShellCreate(PC pc, const AbutShell *shell, void *context)
{
  PetscFunctionBegin;
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetName(pc, shell->name));
  PetscCall(PCShellSetContext(pc, context));
  PetscCall(PCShellSetSetUp(pc, shell->setup));
  PetscCall(PCShellSetApply(pc, shell->apply));
  PetscCall(PCShellSetApplyTranspose(pc, shell->apply));
  PetscCall(PCShellSetView(pc, shell->view));
  PetscCall(PCShellSetDestroy(pc, shell->destroy));
  PetscFunctionReturn(0);
}

void *AbutShellContext(PC pc)
{
  void *context;

  PetscCallAbort(PETSC_COMM_SELF, PCShellGetContext(pc, &context));
  return context;
}

const char *AbutPrecondName(PC pc)
{
  const char *name = NULL;
  PetscBool   is_shell;

  PetscCallAbort(PETSC_COMM_SELF, PetscObjectTypeCompare((PetscObject)pc, PCSHELL, &is_shell));
  if (is_shell) PetscCallAbort(PETSC_COMM_SELF, PCShellGetName(pc, &name));
  if (!name) PetscCallAbort(PETSC_COMM_SELF, PCGetType(pc, &name));
  return name ? name : "";
}

PetscErrorCode AbutShellScale(PC pc, Vec b, Vec x)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(MatGetDiagonal(A, x));
  PetscCall(VecAbs(x));
  PetscCall(VecPointwiseDivide(x, b, x)); /* VecPointwiseDivide() gives 0 for a zero on the diagonal */
  PetscFunctionReturn(0);
}
