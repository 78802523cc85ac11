/* Members of JSON objects, one per line. */
#include "statsimpl.h"

PetscErrorCode AbutJSONKey(AbutText *t, int level, const char key[])
{
  const PetscBool first = (PetscBool)(t->length && t->text[t->length - 1] == '{');

  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, "%s\n%*s", first ? "" : ",", 2 * level, ""));
  PetscCall(AbutTextAppendJSON(t, key));
  PetscCall(AbutTextAppend(t, ": "));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutJSONInteger(AbutText *t, int level, const char key[], PetscInt value)
{
  PetscFunctionBegin;
  PetscCall(AbutJSONKey(t, level, key));
  PetscCall(AbutTextAppend(t, "%" PetscInt_FMT, value));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutJSONBool(AbutText *t, int level, const char key[], PetscBool value)
{
  PetscFunctionBegin;
  PetscCall(AbutJSONKey(t, level, key));
  PetscCall(AbutTextAppend(t, "%s", value ? "true" : "false"));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutJSONKnown(AbutText *t, int level, const char key[], PetscInt value)
{
  PetscFunctionBegin;
  if (value >= 0)
    PetscCall(AbutJSONInteger(t, level, key, value));
  else {
    PetscCall(AbutJSONKey(t, level, key));
    PetscCall(AbutTextAppend(t, "null"));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutJSONReal(AbutText *t, int level, const char key[], PetscReal value)
{
  PetscFunctionBegin;
  PetscCall(AbutJSONKey(t, level, key));
  if (PetscIsNanReal(value) || PetscAbsReal(value) >= PETSC_INFINITY)
    PetscCall(AbutTextAppend(t, "null"));
  else
    PetscCall(AbutTextAppendReal(t, value, "null"));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutJSONMeasured(AbutText *t, int level, const char key[], double value)
{
  PetscFunctionBegin;
  PetscCall(AbutJSONKey(t, level, key));
  PetscCall(AbutTextAppend(t, "%.6f", value));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutJSONString(AbutText *t, int level, const char key[], const char value[])
{
  PetscFunctionBegin;
  PetscCall(AbutJSONKey(t, level, key));
  PetscCall(AbutTextAppendJSON(t, value));
  PetscFunctionReturn(0);
}
