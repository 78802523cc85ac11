/* Error messages: recorded on the rank where an error occurs, agreed on by all ranks with AbutAgree(), printed once by the program. */
#include "coreimpl.h"
#include <stdarg.h>
#include <stdio.h>

PetscErrorCode AbutErrorSet(PetscErrorCode code, const char format[], ...)
{
  AbutSession *s = AbutSessionGet();

  if (!s->message[0] || s->from_petsc) {
    va_list args;
    va_start(args, format);
    vsnprintf(s->message, sizeof(s->message), format, args);
    va_end(args);
    s->from_petsc = PETSC_FALSE;
  }
  return code;
}

PetscErrorCode AbutWarn(MPI_Comm comm, const char format[], ...)
{
  char    text[2 * PETSC_MAX_PATH_LEN];
  va_list args;

  PetscFunctionBegin;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  PetscCall(PetscFPrintf(comm, PETSC_STDERR, "abut: warning: %s\n", text));
  PetscFunctionReturn(0);
}

const char *AbutErrorMessage(void)
{
  return AbutSessionGet()->message;
}

const char *AbutErrorTrace(void)
{
  return AbutSessionGet()->trace;
}

void AbutErrorClear(void)
{
  AbutSession *s = AbutSessionGet();

  s->message[0] = s->trace[0] = '\0';
}

AbutExitCode AbutErrorExitCode(PetscErrorCode code)
{
  if (!code) return ABUT_EXIT_OK;
  if (AbutIsVerdict(code)) return (AbutExitCode)(code - ABUT_ERR_BASE);
  switch (code) {
  case PETSC_ERR_MEM:
  case PETSC_ERR_FILE_OPEN:
  case PETSC_ERR_FILE_READ:
  case PETSC_ERR_FILE_WRITE: return ABUT_EXIT_IO;
  default: return ABUT_EXIT_INTERNAL;
  }
}

PetscErrorCode AbutAgree(MPI_Comm comm, PetscErrorCode local)
{
  PetscMPIInt rank, size, first, code = (PetscMPIInt)local;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  first = code ? rank : size;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first == size) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Bcast(&code, 1, MPI_INT, first, comm));
  PetscCallMPI(MPI_Bcast(AbutSessionGet()->message, ABUT_MESSAGE_SIZE, MPI_CHAR, first, comm));
  PetscFunctionReturn((PetscErrorCode)code);
}
