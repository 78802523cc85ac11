/* Initialises and finalises MPI and PETSc; limits the threads of BLAS and OpenMP. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "coreimpl.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
  Limits a library to one thread per process, unless the user's environment variable asks for more. Several threads per rank slow down runs
  with one rank per core. A library that is loaded already has read its environment; its setter is called instead.
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

/* Rank 0 prints the first error of PetscInitialize() in one line. `ctx`: whether there was one. PETSc would print a trace of calls. */
static PetscErrorCode PrintOnce(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type,
                                const char *message, void *ctx)
{
  PetscBool  *seen = (PetscBool *)ctx;
  PetscMPIInt rank = 0;

  (void)comm;
  (void)line;
  (void)file;
  (void)type;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!*seen && !rank) fprintf(stderr, "abut: PETSc cannot read its options: %s (%s)\n", message ? message : "", function);
  *seen = PETSC_TRUE;
  return code;
}

/* Initialises MPI and checks the option files on rank 0. Collective on the world. */
static PetscErrorCode StartMPI(int *argc, char ***argv)
{
  const int       threads = PETSC_MPI_THREAD_REQUIRED == PETSC_DECIDE ? MPI_THREAD_FUNNELED : PETSC_MPI_THREAD_REQUIRED;
  int             provided;
  AbutTermination termination;
  PetscMPIInt     rank, code = 0;

  AbutTerminationBlock(&termination); /* threads that MPI starts inherit the mask */
  if (MPI_Init_thread(argc, argv, threads, &provided)) return PETSC_ERR_MPI;
  AbutTerminationRestore(&termination);
  if (MPI_Comm_rank(MPI_COMM_WORLD, &rank)) return PETSC_ERR_MPI;
  if (!rank) code = (PetscMPIInt)AbutOptionFilesCheck(*argc, *argv);
  if (MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD)) return PETSC_ERR_MPI;
  if (code) MPI_Finalize();
  return (PetscErrorCode)code;
}

PetscErrorCode AbutInitialize(int *argc, char ***argv, const char help[])
{
  PetscErrorCode code;
  PetscBool      seen = PETSC_FALSE;

  /* Libraries may request several threads explicitly; with max_active_levels = 0 their parallel regions use one. */
  LimitThreads("OMP_NUM_THREADS", "omp_set_max_active_levels", 0);
  LimitThreads("OPENBLAS_NUM_THREADS", "openblas_set_num_threads", 1);
  code = StartMPI(argc, argv);
  if (code) return code;
  PetscCall(PetscPushErrorHandler(PrintOnce, &seen));
  code = PetscInitialize(argc, argv, NULL, help);
  if (code) return seen ? ABUT_ERR_INPUT : code;
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscPushErrorHandler(AbutErrorHandler, NULL));
  (void)AbutSessionGet(); /* allocated now, so that reporting an error needs no memory */
  PetscCall(AbutMemoryInitialize());
  PetscCall(AbutPhaseRegister());
  return 0;
}

PetscErrorCode AbutFinalize(void)
{
  /* the error handler stays installed, because PetscFinalize() writes the file of -log_view */
  PetscCall(PetscFinalize());
  return MPI_Finalize() ? PETSC_ERR_MPI : 0;
}
