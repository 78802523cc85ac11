/* Registration of the preconditioners; what all of them have. */
#include "aggregates.h"
#include "precondimpl.h"

PetscErrorCode AbutPrecondRegister(void)
{
  PetscFunctionBegin;
  PetscCall(AbutPrecondLogRegister());
  PetscCall(MatOrderingRegister("abut-nd", AbutOrderingGet));
  PetscCall(PCRegister("abut-cholesky", AbutCholeskyCreate));
  PetscCall(PCRegister("abut-substructure", AbutSubstructureCreate));
  PetscCall(PCRegister("abut-multigrid", AbutMultigridCreate));
  PetscFunctionReturn(0);
}

PetscBool AbutPrecondIsDefinite(PC pc)
{
  const char *name = AbutPrecondName(pc);

  if (!strcmp(name, "abut-cholesky")) return AbutCholeskyIsDefinite(pc);
  if (!strcmp(name, "abut-substructure")) return AbutSubstructureIsDefinite(pc);
  if (!strcmp(name, "abut-aggregates")) return AggregatesSmootherIsDefinite(pc);
  return PETSC_TRUE;
}
