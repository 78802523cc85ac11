/* Factorisations of direct solvers and of the levels of multigrid: their precision, and whether they succeeded. */
#include "linearimpl.h"

void AbutFactorSetSingle(PC pc, PetscBool single)
{
  const char *name = AbutPrecondName(pc);

  if (!strcmp(name, "abut-cholesky")) AbutCholeskySetSingle(pc, single);
  if (!strcmp(name, "abut-substructure")) AbutSubstructureSetSingle(pc, single);
}

PetscBool AbutFactorIsSingle(PC pc)
{
  const char *name = AbutPrecondName(pc);

  if (!strcmp(name, "abut-cholesky")) return AbutCholeskyIsSingle(pc);
  return (PetscBool)(!strcmp(name, "abut-substructure") && AbutSubstructureIsSingle(pc));
}

PetscErrorCode AbutFactorIsDefinite(PC pc, PetscBool *definite)
{
  PetscInt num   = 0;
  PC       cycle = NULL;

  PetscFunctionBegin;
  *definite = AbutPrecondIsDefinite(pc);
  if (!strcmp(AbutPrecondName(pc), "abut-multigrid")) cycle = AbutMultigridCycle(pc);
  if (cycle) PetscCall(PCMGGetLevels(cycle, &num));
  for (PetscInt i = 0; i < num && *definite; i++) {
    KSP solver;
    PC  level;
    PetscCall(PCMGGetSmoother(cycle, i, &solver));
    PetscCall(KSPGetPC(solver, &level));
    *definite = AbutPrecondIsDefinite(level);
  }
  PetscFunctionReturn(0);
}
