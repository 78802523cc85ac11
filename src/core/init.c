/* Start and end of the program. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <abut/core.h>
#include "coreimpl.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/*
  Debian's OpenBLAS and OpenMP libraries start threads in every process: with a rank per core that is too many by far. They read their
  environment when they are loaded, so it is too late to set it here; where they are present, they are told directly, unless the user's
  environment asks for more than one thread.
*/
static void LimitThreads(const char variable[], const char setter[], int limit)
{
  const char *wanted = getenv(variable);
  void (*set)(int);

  if (wanted && atoi(wanted) != 1) return;
  setenv(variable, "1", 0); /* for libraries that are loaded later */
  *(void **)(&set) = dlsym(RTLD_DEFAULT, setter);
  if (set) set(limit);
}

/* Whether PETSc complains of what the user gave as an option: a value that is none, or the name of a type that does not exist. */
static PetscBool BlamesOption(const char *function, PetscErrorCode code)
{
  return (PetscBool)(code == PETSC_ERR_ARG_UNKNOWN_TYPE || (function && !strncmp(function, "PetscOptions", strlen("PetscOptions"))));
}

/* PETSc errors print where they arise; abut's own verdicts travel silently until the program voices them once. */
static PetscErrorCode HandleError(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type,
                                  const char *message, void *ctx)
{
  (void)ctx;
  if (AbutIsVerdict(code)) return code;
  if (type == PETSC_ERROR_INITIAL && BlamesOption(function, code))
    return AbutErrorSet(ABUT_ERR_INPUT, "an option has a wrong value: %s", message);
  return PetscTraceBackErrorHandler(comm, line, function, file, code, type, message, NULL);
}

PetscErrorCode AbutInitialize(int *argc, char ***argv, const char help[])
{
  /* CHOLMOD asks for a fixed number of threads in its parallel regions: only forbidding active regions keeps it to one. */
  LimitThreads("OMP_NUM_THREADS", "omp_set_max_active_levels", 0);
  LimitThreads("OPENBLAS_NUM_THREADS", "openblas_set_num_threads", 1);
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
