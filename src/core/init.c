#include <abut/core.h>
#include "coreimpl.h"
#include <stdlib.h>

/* Debian's OpenBLAS starts one thread per core in every process: with a rank per core that is ranks x cores threads. */
static void LimitBlasThreads(void)
{
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  setenv("OMP_NUM_THREADS", "1", 0);
}

/* PETSc errors print where they arise; abut's own verdicts travel silently until the program voices them once. */
static PetscErrorCode HandleError(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type,
                                  const char *message, void *ctx)
{
  (void)ctx;
  if (code > ABUT_ERR_BASE && code <= ABUT_ERR_IO) return code;
  return PetscTraceBackErrorHandler(comm, line, function, file, code, type, message, NULL);
}

PetscErrorCode AbutInitialize(int *argc, char ***argv, const char help[])
{
  LimitBlasThreads();
  PetscCall(PetscInitialize(argc, argv, NULL, help));
  PetscCall(PetscPushErrorHandler(HandleError, NULL));
  PetscCall(AbutPhaseRegister());
  return 0;
}

PetscErrorCode AbutFinalize(void)
{
  PetscCall(PetscPopErrorHandler());
  return PetscFinalize();
}
