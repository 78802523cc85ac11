/* Tables of options: sets defaults, reads the options database, prints values. */
#include <abut/option.h>
#include <abut/petsc_versions.h>
#include <math.h>
#include <petscviewer.h>
#include <stdio.h>

/* A number as messages and views print it. */
typedef struct {
  char text[32];
} Number;

static void *Member(const AbutOption *o, const void *object)
{
  return (char *)(uintptr_t)object + o->offset;
}

void AbutOptionTableSetDefaults(const AbutOptionTable *table, void *object)
{
  for (PetscInt k = 0; k < table->count; k++) {
    const AbutOption *o = &table->options[k];
    switch (o->type) {
    case ABUT_OPTION_REAL: *(PetscReal *)Member(o, object) = o->initial; break;
    case ABUT_OPTION_INT: *(PetscInt *)Member(o, object) = (PetscInt)o->initial; break;
    case ABUT_OPTION_BOOL: *(PetscBool *)Member(o, object) = (PetscBool)o->initial; break;
    case ABUT_OPTION_ENUM: *(PetscEnum *)Member(o, object) = (PetscEnum)o->initial; break;
    case ABUT_OPTION_TEXT: break;
    }
  }
}

/* Current value of an option that is no text, for the range check and for messages. */
static PetscReal Value(const AbutOption *o, const void *object)
{
  switch (o->type) {
  case ABUT_OPTION_REAL: return *(PetscReal *)Member(o, object);
  case ABUT_OPTION_INT: return (PetscReal) * (PetscInt *)Member(o, object);
  case ABUT_OPTION_BOOL: return *(const PetscBool *)Member(o, object) ? 1 : 0;
  default: return (PetscReal) * (PetscEnum *)Member(o, object);
  }
}

/* Value in text. Integers are printed with all digits. */
static Number Print(const AbutOption *o, PetscReal value)
{
  Number n;

  snprintf(n.text, sizeof(n.text), o->type == ABUT_OPTION_REAL ? "%g" : "%.0f", value >= PETSC_INFINITY ? INFINITY : (double)value);
  return n;
}

PetscErrorCode AbutOptionRefuse(const AbutOption *o, const char value[])
{
  PetscFunctionBegin;
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_INPUT, "%s %s: the valid range is [%s, %s]", o->name, value, Print(o, o->lowest).text,
                                   Print(o, o->highest).text));
}

static PetscErrorCode SetOne(AbutPetscOptionItems PetscOptionsObject, const AbutOption *o, const char title[], void *object)
{
  void           *member = Member(o, object);
  const PetscReal before = o->type == ABUT_OPTION_TEXT ? 0 : Value(o, object);
  PetscBool       given  = PETSC_FALSE;
  char            text[256];
  PetscReal       value;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s%s%s%s", o->help, o->unit[0] ? " [" : "", o->unit, o->unit[0] ? "]" : ""));
  switch (o->type) {
  case ABUT_OPTION_REAL: PetscCall(PetscOptionsReal(o->name, text, title, before, (PetscReal *)member, &given)); break;
  case ABUT_OPTION_INT: PetscCall(PetscOptionsInt(o->name, text, title, (PetscInt)before, (PetscInt *)member, &given)); break;
  case ABUT_OPTION_BOOL: PetscCall(PetscOptionsBool(o->name, text, title, (PetscBool)before, (PetscBool *)member, NULL)); break;
  case ABUT_OPTION_ENUM: PetscCall(PetscOptionsEnum(o->name, text, title, o->names, (PetscEnum)before, (PetscEnum *)member, NULL)); break;
  case ABUT_OPTION_TEXT:
    PetscCall(PetscOptionsString(o->name, text, title, (char *)member, (char *)member, PETSC_MAX_PATH_LEN, NULL));
    break;
  }
  if (!given) PetscFunctionReturn(0); /* only numbers have a range */
  value = Value(o, object);
  if (!(value >= o->lowest && value <= o->highest)) PetscFunctionReturn(AbutOptionRefuse(o, Print(o, value).text));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOptionTableSetFromOptions(MPI_Comm comm, const AbutOptionTable *table, void *object)
{
  PetscFunctionBegin;
  PetscOptionsBegin(comm, NULL, table->title, NULL);
  for (PetscInt k = 0; k < table->count; k++) PetscCall(SetOne(PetscOptionsObject, &table->options[k], table->title, object));
  PetscOptionsEnd();
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOptionTableRead(MPI_Comm comm, const AbutOptionTable *table, void *object)
{
  AbutOptionTableSetDefaults(table, object);
  return AbutOptionTableSetFromOptions(comm, table, object);
}

PetscErrorCode AbutOptionTableView(const AbutOptionTable *table, const void *object, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s:\n", table->title));
  for (PetscInt k = 0; k < table->count; k++) {
    const AbutOption *o = &table->options[k];

    if (o->type == ABUT_OPTION_TEXT)
      PetscCall(PetscViewerASCIIPrintf(viewer, "  %s %s\n", o->name, (const char *)Member(o, object)));
    else if (o->names)
      PetscCall(PetscViewerASCIIPrintf(viewer, "  %s %s\n", o->name, o->names[(int)Value(o, object)]));
    else
      PetscCall(PetscViewerASCIIPrintf(viewer, "  %s %s%s%s\n", o->name, Print(o, Value(o, object)).text, o->unit[0] ? " " : "", o->unit));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOptionTableShow(MPI_Comm comm, const AbutOptionTable *table, PetscViewer viewer)
{
  size_t last = 0;
  char  *object;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < table->count; k++) last = PetscMax(last, table->options[k].offset);
  PetscCall(PetscCalloc1(last + PETSC_MAX_PATH_LEN, &object)); /* a text is the largest member */
  PetscCall(AbutOptionTableRead(comm, table, object));
  if (viewer) PetscCall(AbutOptionTableView(table, object, viewer));
  PetscCall(PetscFree(object));
  PetscFunctionReturn(0);
}
