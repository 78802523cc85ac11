/* CSV tables that are flushed after every row and continued by a restart. */
#include "statsimpl.h"
#include <errno.h>
#include <string.h>

/*
  Copies the rows of an earlier run up to `first_step`; drops a last row without newline, left by a killed run, and with a warning lines
  that are no rows. *last: step of the last row.
*/
static PetscErrorCode KeepRows(FILE *old, const char path[], const char header[], PetscInt first_step, AbutText *t, PetscInt *last)
{
  char  *line   = NULL;
  size_t size   = 0;
  long   number = 0;

  PetscFunctionBegin;
  for (ssize_t n; (n = getline(&line, &size, old)) > 0 && line[n - 1] == '\n';) {
    long long step;
    if (!number++) {
      if (!strcmp(line, header)) continue;
      free(line);
      PetscFunctionReturn(AbutErrorSet(
        ABUT_ERR_INPUT, "%s:1: the columns are not those this program writes; move the file away or restart into another directory", path));
    }
    if (sscanf(line, "%lld", &step) != 1) {
      PetscCall(AbutWarn(PETSC_COMM_SELF, "%s:%ld is no row of the table and is left out", path, number));
    } else if (step <= (long long)first_step) {
      AbutTextAppend(t, "%s", line);
      *last = (PetscInt)step;
    }
  }
  free(line);
  PetscFunctionReturn(0);
}

/* Writes the header and the rows to keep. */
static PetscErrorCode Start(AbutTable *table, const char header[], PetscBool append, PetscInt first_step)
{
  AbutText       t    = {0};
  FILE          *old  = append ? fopen(table->path, "r") : NULL;
  PetscErrorCode ierr = 0;

  PetscFunctionBegin;
  AbutTextAppend(&t, "%s", header);
  table->last = old ? 0 : first_step;
  if (old) {
    ierr = KeepRows(old, table->path, header, first_step, &t, &table->last);
    fclose(old);
  }
  if (!ierr) ierr = AbutTextReplaceFile(&t, table->path, PETSC_FALSE);
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(ierr);
}

PetscErrorCode AbutTableOpen(AbutTable *table, const char directory[], const char name[], const char header[], PetscBool append,
                             PetscInt first_step)
{
  PetscFunctionBegin;
  PetscCall(AbutPathJoin(directory, name, table->path));
  PetscCall(Start(table, header, append, first_step));
  table->file = fopen(table->path, "a");
  AbutCheck(table->file, ABUT_ERR_IO, "cannot write %s: %s", table->path, strerror(errno));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutTablePut(AbutTable *table, AbutText *rows)
{
  const AbutText t    = *rows;
  PetscErrorCode ierr = t.error;

  PetscFunctionBegin;
  errno = 0;
  if (!ierr && t.length && (fwrite(t.text, 1, t.length, table->file) != t.length || fflush(table->file)))
    ierr = AbutErrorSet(ABUT_ERR_IO, "cannot write %s: %s", table->path, strerror(errno));
  PetscCall(AbutTextDestroy(rows));
  PetscFunctionReturn(ierr);
}

void AbutTableClose(AbutTable *table)
{
  if (table->file) fclose(table->file);
  table->file = NULL;
}

void AbutTableReal(AbutText *row, PetscReal value)
{
  AbutTextAppend(row, ",");
  AbutTextAppendReal(row, value, "inf");
}

void AbutTableInteger(AbutText *row, PetscInt value)
{
  AbutTextAppend(row, ",%" PetscInt_FMT, value);
}

/* Names of copies contain commas; no name contains quotes. */
void AbutTableText(AbutText *row, const char value[])
{
  AbutTextAppend(row, ",\"%s\"", value);
}
