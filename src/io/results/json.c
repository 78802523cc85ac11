/* Members of JSON objects, one per line. */
#include "statsimpl.h"

void AbutJSONKey(AbutText *t, int level, const char key[])
{
  const PetscBool first = (PetscBool)(t->length && t->text[t->length - 1] == '{');

  AbutTextAppend(t, "%s\n%*s", first ? "" : ",", 2 * level, "");
  AbutTextAppendJSON(t, key);
  AbutTextAppend(t, ": ");
}

void AbutJSONInteger(AbutText *t, int level, const char key[], PetscInt value)
{
  AbutJSONKey(t, level, key);
  AbutTextAppend(t, "%" PetscInt_FMT, value);
}

void AbutJSONBool(AbutText *t, int level, const char key[], PetscBool value)
{
  AbutJSONKey(t, level, key);
  AbutTextAppend(t, "%s", value ? "true" : "false");
}

void AbutJSONKnown(AbutText *t, int level, const char key[], PetscInt value)
{
  if (value >= 0)
    AbutJSONInteger(t, level, key, value);
  else {
    AbutJSONKey(t, level, key);
    AbutTextAppend(t, "null");
  }
}

void AbutJSONReal(AbutText *t, int level, const char key[], PetscReal value)
{
  AbutJSONKey(t, level, key);
  if (PetscIsNanReal(value) || PetscAbsReal(value) >= PETSC_INFINITY)
    AbutTextAppend(t, "null");
  else
    AbutTextAppendReal(t, value, "null");
}

void AbutJSONMeasured(AbutText *t, int level, const char key[], double value)
{
  AbutJSONKey(t, level, key);
  AbutTextAppend(t, "%.6f", value);
}

void AbutJSONString(AbutText *t, int level, const char key[], const char value[])
{
  AbutJSONKey(t, level, key);
  AbutTextAppendJSON(t, value);
}

void AbutJSONText(AbutText *t, int level, const char key[], const char value[])
{
  if (value)
    AbutJSONString(t, level, key, value);
  else {
    AbutJSONKey(t, level, key);
    AbutTextAppend(t, "null");
  }
}
