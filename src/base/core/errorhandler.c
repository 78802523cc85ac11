/* PETSc error handler: maps errors that a user can cause to ABUT_ERR_... codes with a message of one line. */
#include "coreimpl.h"
#include <stdio.h>
#include <string.h>

static PetscBool StartsWith(const char text[], const char prefix[])
{
  return (PetscBool)(text && !strncmp(text, prefix, strlen(prefix)));
}

/* Whether PETSc rejects the value of an option: a malformed value, an unknown type, or a solver package that is not installed. */
static PetscBool RejectsOption(const char function[], PetscErrorCode code)
{
  return (PetscBool)(code == PETSC_ERR_ARG_UNKNOWN_TYPE || code == PETSC_ERR_USER_INPUT || StartsWith(function, "PetscOptions"));
}

/* Whether PETSc rejects a combination of solver options, such as a factorisation for a matrix type that has none. */
static PetscBool RejectsCombination(const char function[], PetscErrorCode code)
{
  const PetscBool solver = (PetscBool)(StartsWith(function, "KSP") || StartsWith(function, "PC") || StartsWith(function, "SNES"));

  return (PetscBool)(code == PETSC_ERR_MISSING_FACTOR || (code == PETSC_ERR_SUP && solver));
}

/* Whether a text contains a word between blanks, its ends, or punctuation. */
static PetscBool HasWord(const char text[], const char word[])
{
  const size_t length = strlen(word);

  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
    if ((at == text || strchr(" '\"", at[-1])) && strchr(" '\".,;:", at[length])) return PETSC_TRUE; /* also at the end of the text */
  return PETSC_FALSE;
}

/* Name of the first option whose value a text of PETSc quotes, and a blank: PETSc's texts lack the name. "" if there is none. */
static void NameOption(const char text[], size_t size, char name[])
{
  char *all = NULL, *rest, *before = NULL;

  name[0] = '\0';
  if (PetscOptionsGetAll(NULL, &all)) return;
  for (char *word = strtok_r(all, " ", &rest); word && !name[0]; word = strtok_r(NULL, " ", &rest)) {
    if (before && before[0] == '-' && HasWord(text, word) && !HasWord(text, before)) snprintf(name, size, "%s ", before);
    before = word;
  }
  (void)PetscFree(all);
}

static void AddToTrace(AbutSession *s, int line, const char function[], const char file[])
{
  const size_t used = strlen(s->trace);

  snprintf(s->trace + used, sizeof(s->trace) - used, "  %s() at %s:%d\n", function ? function : "?", file ? file : "?", line);
}

/* Starts a trace and records PETSc's text. A later error may replace the text, because the caller may handle this one. */
static PetscErrorCode RecordFirst(AbutSession *s, const char function[], PetscErrorCode code, const char text[])
{
  char name[256] = "";

  s->trace[0] = '\0';
  if (RejectsOption(function, code)) {
    if (StartsWith(function, "PetscOptions")) NameOption(text, sizeof(name), name); /* other texts have numbers of their own */
    return AbutErrorSet(ABUT_ERR_INPUT, "%s%s: %s", name, name[0] ? "has a wrong value" : "an option has a wrong value", text);
  }
  if (RejectsCombination(function, code)) return AbutErrorSet(ABUT_ERR_INPUT, "incompatible solver options: %s (%s)", text, function);
  if (code == PETSC_ERR_CONV_FAILED || code == PETSC_ERR_NOT_CONVERGED) return AbutErrorSet(ABUT_ERR_DIVERGED, "%s (%s)", text, function);
  AbutErrorSet(code, "%s (in %s())", text, function);
  s->from_petsc = PETSC_TRUE;
  return code;
}

/* Reports an argument that PETSc rejects while it reads options as a wrong option value, for example -snes_max_it -1. */
static PetscErrorCode SetOptionError(AbutSession *s, const char function[], PetscErrorCode code)
{
  char text[ABUT_MESSAGE_SIZE];

  if (!function || !strstr(function, "SetFromOptions") || code < PETSC_ERR_ARG_SIZ || code > PETSC_ERR_ARG_OUTOFRANGE) return code;
  (void)strcpy(text, s->message);
  return AbutErrorSet(ABUT_ERR_INPUT, "an option has a wrong value: %s", text);
}

PetscErrorCode AbutErrorHandler(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type,
                                const char *message, void *ctx)
{
  AbutSession *s;

  (void)ctx;
  if (AbutIsVerdict(code)) return code;
  if (code == PETSC_ERR_SIG) return PetscTraceBackErrorHandler(comm, line, function, file, code, type, message, NULL);
  s = AbutSessionGet();
  if (type == PETSC_ERROR_INITIAL) code = RecordFirst(s, function, code, message ? message : "");
  if (AbutIsVerdict(code)) return code;
  AddToTrace(s, line, function, file);
  return type == PETSC_ERROR_REPEAT ? SetOptionError(s, function, code) : code;
}
