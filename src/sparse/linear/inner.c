/*
  Inner solvers of PCASM, PCBJACOBI, PCTELESCOPE and multigrid: sets their types, sets them up, collects whether their factorisations
  succeeded.
*/
#include "linearimpl.h"

/* The KSPs inside a PCASM, PCBJACOBI or PCTELESCOPE on this rank, after PCSetUp(); *num = 0 for any other type. */
static PetscErrorCode GetInner(PC pc, PetscInt *num, KSP **inner, KSP *gathered)
{
  PetscBool asm_type, jacobi, telescope;

  PetscFunctionBegin;
  *num = 0;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCASM, &asm_type));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCBJACOBI, &jacobi));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCTELESCOPE, &telescope));
  if (asm_type) {
    PetscCall(PCASMGetSubKSP(pc, num, NULL, inner));
  } else if (jacobi) {
    PetscCall(PCBJacobiGetSubKSP(pc, num, NULL, inner));
  } else if (telescope) {
    *gathered = NULL;
    PetscCall(PCTelescopeGetKSP(pc, gathered)); /* NULL on ranks without a part of the gathered matrix */
    *inner = gathered;
    *num   = *gathered ? 1 : 0;
  }
  PetscFunctionReturn(0);
}

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

PetscErrorCode AbutInnerSetTypes(PC pc, PetscBool single)
{
  KSP     *inner, gathered;
  PetscInt num;

  PetscFunctionBegin;
  PetscCall(GetInner(pc, &num, &inner, &gathered));
  for (PetscInt k = 0; k < num; k++) {
    const char *prefix;
    PetscBool   chosen;
    PC          sub;
    PetscCall(KSPGetOptionsPrefix(inner[k], &prefix));
    PetscCall(KSPGetPC(inner[k], &sub));
    PetscCall(PetscOptionsHasName(NULL, prefix, "-ksp_type", &chosen));
    if (!chosen) PetscCall(KSPSetType(inner[k], KSPPREONLY));
    PetscCall(PetscOptionsHasName(NULL, prefix, "-pc_type", &chosen));
    if (!chosen && strcmp(AbutPrecondName(sub), "abut-cholesky")) PetscCall(PCSetType(sub, "abut-cholesky"));
    AbutFactorSetSingle(sub, single);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutInnerSetUp(KSP ksp)
{
  PetscBool telescope;
  KSP       inner = NULL;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCTELESCOPE, &telescope));
  if (telescope) PetscCall(PCTelescopeGetKSP(pc, &inner));
  if (inner) PetscCall(KSPSetUp(inner));
  PetscFunctionReturn(0);
}

/* As AbutInnerIsDefinite(), for the solvers of all levels of a PCMG, NULL if there is none yet. */
static PetscErrorCode LevelsAreDefinite(PC cycle, PetscBool *definite)
{
  PetscInt num = 0;

  PetscFunctionBegin;
  if (cycle) PetscCall(PCMGGetLevels(cycle, &num));
  for (PetscInt i = 0; i < num && *definite; i++) {
    KSP solver;
    PC  pc;
    PetscCall(PCMGGetSmoother(cycle, i, &solver));
    PetscCall(KSPGetPC(solver, &pc));
    PetscCall(AbutInnerIsDefinite(pc, definite));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutInnerIsDefinite(PC pc, PetscBool *definite)
{
  const char *name = AbutPrecondName(pc);
  KSP        *inner, gathered;
  PetscInt    num;

  PetscFunctionBegin;
  *definite = AbutPrecondIsDefinite(pc);
  if (!strcmp(name, "abut-multigrid")) PetscCall(LevelsAreDefinite(AbutMultigridCycle(pc), definite));
  PetscCall(GetInner(pc, &num, &inner, &gathered));
  for (PetscInt k = 0; k < num && *definite; k++) {
    PC sub;
    PetscCall(KSPGetPC(inner[k], &sub));
    PetscCall(AbutInnerIsDefinite(sub, definite));
  }
  PetscFunctionReturn(0);
}
