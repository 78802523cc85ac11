/* Tables of numeric options: sets defaults, reads the options database, prints values. */
#include <abut/option.h>
#include <petscviewer.h>

static inline PetscReal *Real(const AbutOption *o, void *object)
{
  return (PetscReal *)(void *)((char *)object + o->offset);
}

static inline PetscInt *Int(const AbutOption *o, void *object)
{
  return (PetscInt *)(void *)((char *)object + o->offset);
}

static inline PetscBool *Bool(const AbutOption *o, void *object)
{
  return (PetscBool *)(void *)((char *)object + o->offset);
}

void AbutOptionTableSetDefaults(const AbutOptionTable *table, void *object)
{
  for (PetscInt k = 0; k < table->count; k++) {
    const AbutOption *o = &table->options[k];
    switch (o->type) {
    case ABUT_OPTION_REAL: *Real(o, object) = o->initial; break;
    case ABUT_OPTION_INT: *Int(o, object) = (PetscInt)o->initial; break;
    case ABUT_OPTION_BOOL: *Bool(o, object) = (PetscBool)(o->initial != 0); break;
    }
  }
}

/* Current value of an option, for the range check and for messages. */
static PetscReal Value(const AbutOption *o, void *object)
{
  switch (o->type) {
  case ABUT_OPTION_REAL: return *Real(o, object);
  case ABUT_OPTION_INT: return (PetscReal)*Int(o, object);
  default: return (PetscReal)*Bool(o, object);
  }
}

static PetscErrorCode SetOne(PetscOptionItems *PetscOptionsObject, const AbutOption *o, const char title[], void *object)
{
  char      text[256];
  PetscReal value;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s%s%s%s", o->help, o->unit[0] ? " [" : "", o->unit, o->unit[0] ? "]" : ""));
  switch (o->type) {
  case ABUT_OPTION_REAL: PetscCall(PetscOptionsReal(o->name, text, title, *Real(o, object), Real(o, object), NULL)); break;
  case ABUT_OPTION_INT: PetscCall(PetscOptionsInt(o->name, text, title, *Int(o, object), Int(o, object), NULL)); break;
  case ABUT_OPTION_BOOL: PetscCall(PetscOptionsBool(o->name, text, title, *Bool(o, object), Bool(o, object), NULL)); break;
  }
  value = Value(o, object);
  AbutCheck(value >= o->lowest && value <= o->highest, ABUT_ERR_INPUT, "%s %g: the valid range is [%g, %g]", o->name, (double)value,
            (double)o->lowest, (double)o->highest);
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

PetscErrorCode AbutOptionTableView(const AbutOptionTable *table, const void *object, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s:\n", table->title));
  for (PetscInt k = 0; k < table->count; k++) {
    const AbutOption *o = &table->options[k];
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %s %g%s%s\n", o->name, (double)Value(o, (void *)(uintptr_t)object), o->unit[0] ? " " : "",
                                     o->unit));
  }
  PetscFunctionReturn(0);
}
