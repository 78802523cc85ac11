/* Registration of the preconditioners and of their log events; what all of them have. */
#include "aggregates.h"
#include "precondimpl.h"

static PetscErrorCode Find(const char name[], PetscLogEvent *event)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventGetId(name, event));
  if (*event >= 0) PetscFunctionReturn(0);
  PetscCall(PetscLogEventRegister(name, MAT_CLASSID, event));
  PetscCall(PetscLogEventSetCollective(*event, PETSC_FALSE));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPrecondRegister(void)
{
  static const char *const names[] = {"abut_dissection", "abut_parts", "abut_prediction", "abut_symbolic"};
  PetscLogEvent            event;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(names); i++) PetscCall(Find(names[i], &event));
  PetscCall(MatOrderingRegister("abut-nd", AbutOrderingGet));
  PetscCall(PCRegister("abut-cholesky", AbutCholeskyCreate));
  PetscCall(PCRegister("abut-substructure", AbutSubstructureCreate));
  PetscCall(PCRegister("abut-multigrid", AbutMultigridCreate));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPrecondLogBegin(const char name[], PetscLogEvent *event)
{
  PetscFunctionBegin;
  PetscCall(Find(name, event));
  PetscCall(PetscLogEventBegin(*event, 0, 0, 0, 0));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPrecondLogPrediction(PetscLogEvent *event)
{
  return AbutPrecondLogBegin("abut_prediction", event);
}

PetscBool AbutPrecondIsDefinite(PC pc)
{
  const char *name = AbutPrecondName(pc);

  if (!strcmp(name, "abut-cholesky")) return AbutCholeskyIsDefinite(pc);
  if (!strcmp(name, "abut-substructure")) return AbutSubstructureIsDefinite(pc);
  if (!strcmp(name, "abut-aggregates")) return AggregatesSmootherIsDefinite(pc);
  return PETSC_TRUE;
}
