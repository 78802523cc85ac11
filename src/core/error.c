/* Errors that users can cause: recorded where they arise, agreed by all ranks, voiced once by the program. */
#include <abut/core.h>
#include <stdarg.h>
#include <stdio.h>

#define MESSAGE_SIZE 4096

static char message[MESSAGE_SIZE];

PetscErrorCode AbutErrorSet(PetscErrorCode code, const char format[], ...)
{
  if (!message[0]) {
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
  }
  return code;
}

const char *AbutErrorMessage(void)
{
  return message;
}

void AbutErrorClear(void)
{
  message[0] = '\0';
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
  PetscCallMPI(MPI_Bcast(message, MESSAGE_SIZE, MPI_CHAR, first, comm));
  PetscFunctionReturn((PetscErrorCode)code);
}
