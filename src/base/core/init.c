/* Initialises and finalises MPI and PETSc, unless the caller did; limits the threads of BLAS and OpenMP. */
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

/* Initialises MPI. Collective on the world. */
static PetscErrorCode StartMPI(int *argc, char ***argv)
{
  const int       threads = PETSC_MPI_THREAD_REQUIRED == PETSC_DECIDE ? MPI_THREAD_FUNNELED : PETSC_MPI_THREAD_REQUIRED;
  int             provided;
  AbutTermination termination;

  AbutTerminationBlock(&termination); /* threads that MPI starts inherit the mask */
  if (MPI_Init_thread(argc, argv, threads, &provided)) return PETSC_ERR_MPI;
  AbutTerminationRestore(&termination);
  return 0;
}

/* Checks the option files on rank 0. Collective. */
static PetscErrorCode CheckFiles(MPI_Comm comm, int argc, char **argv)
{
  PetscMPIInt code = AbutIsRoot(comm) ? (PetscMPIInt)AbutOptionFilesCheck(argc, argv) : 0;

  if (MPI_Bcast(&code, 1, MPI_INT, 0, comm)) return PETSC_ERR_MPI;
  return (PetscErrorCode)code;
}

static PetscErrorCode StartPETSc(MPI_Comm comm, int *argc, char ***argv, const char help[])
{
  PetscBool      seen = PETSC_FALSE;
  PetscErrorCode code;

  PETSC_COMM_WORLD = comm;
  PetscCall(PetscPushErrorHandler(PrintOnce, &seen));
  code = PetscInitialize(argc, argv, NULL, help);
  if (code) return seen ? ABUT_ERR_INPUT : code;
  PetscCall(PetscPopErrorHandler());
  return AbutMemoryInitialize();
}

PetscErrorCode AbutInitialize(MPI_Comm comm, int *argc, char ***argv, const char help[])
{
  int            has_mpi;
  PetscBool      has_petsc;
  PetscErrorCode code = 0;

  /* Libraries may request several threads explicitly; with max_active_levels = 0 their parallel regions use one. */
  LimitThreads("OMP_NUM_THREADS", "omp_set_max_active_levels", 0);
  LimitThreads("OPENBLAS_NUM_THREADS", "openblas_set_num_threads", 1);
  if (MPI_Initialized(&has_mpi) || PetscInitialized(&has_petsc)) return PETSC_ERR_MPI;
  if (!has_mpi) code = StartMPI(argc, argv);
  if (!code && !has_petsc) {
    code = CheckFiles(comm, *argc, *argv);
    if (code && !has_mpi) MPI_Finalize();
  }
  if (!code && !has_petsc) code = StartPETSc(comm, argc, argv, help);
  if (code) return code;
  PetscCall(PetscPushErrorHandler(AbutErrorHandler, NULL));
  AbutSessionGet()->owns_mpi   = (PetscBool)!has_mpi; /* allocated now, so that reporting an error needs no memory */
  AbutSessionGet()->owns_petsc = (PetscBool)!has_petsc;
  PetscCall(AbutPhaseRegister());
  return 0;
}

PetscErrorCode AbutFinalize(void)
{
  const PetscBool owns_mpi = AbutSessionGet()->owns_mpi;

  /* the error handler stays installed until the end of PETSc, because PetscFinalize() writes the file of -log_view */
  if (AbutSessionGet()->owns_petsc)
    PetscCall(PetscFinalize());
  else
    PetscCall(PetscPopErrorHandler());
  return owns_mpi && MPI_Finalize() ? PETSC_ERR_MPI : 0;
}
