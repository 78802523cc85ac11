/* Log events of this folder, for jobs/scaling_model.py. */
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

PetscErrorCode AbutPrecondLogRegister(void)
{
  static const char *const names[] = {"abut_dissection", "abut_parts", "abut_prediction", "abut_symbolic"};
  PetscLogEvent            event;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(names); i++) PetscCall(Find(names[i], &event));
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
