/**
  @file core.h
  @brief Initialisation, error codes with messages, timed phases.

  abut follows PETSc's conventions: a function returns a PetscErrorCode and is called inside PetscCall(). A function is collective
  only if its comment says so.
**/
#pragma once
#include <petscsys.h>
#include <signal.h>

/* Errors */

/** Exit codes of the program. They are part of its interface: scripts rely on them. */
typedef enum {
  ABUT_EXIT_OK           = 0, /**< everything that was requested is done */
  ABUT_EXIT_INTERNAL     = 1, /**< a defect of the program or of a library; a trace of calls is printed */
  ABUT_EXIT_INPUT        = 2, /**< wrong input; the message states the place, the value and the valid range */
  ABUT_EXIT_INTERSECTION = 3, /**< surfaces intersect at the start of the scene */
  ABUT_EXIT_DIVERGED     = 4, /**< a time step did not converge */
  ABUT_EXIT_STOPPED      = 5, /**< a signal or the wall-clock limit ended the run */
  ABUT_EXIT_IO           = 6  /**< a file could not be read or written, or memory ran out */
} AbutExitCode;

/** Error codes of abut's own checks are ABUT_ERR_BASE + exit code. PetscCall() passes them on without printing a trace. */
#define ABUT_ERR_BASE         1000
#define ABUT_ERR_INPUT        (ABUT_ERR_BASE + ABUT_EXIT_INPUT)        /* wrong input */
#define ABUT_ERR_INTERSECTION (ABUT_ERR_BASE + ABUT_EXIT_INTERSECTION) /* surfaces intersect at the start */
#define ABUT_ERR_DIVERGED     (ABUT_ERR_BASE + ABUT_EXIT_DIVERGED)     /* not converged */
#define ABUT_ERR_STOPPED      (ABUT_ERR_BASE + ABUT_EXIT_STOPPED)      /* ended by a signal or the time limit */
#define ABUT_ERR_IO           (ABUT_ERR_BASE + ABUT_EXIT_IO)           /* file or memory */

/** Whether an error code comes from one of abut's own checks, which return it on all ranks, and not from a failed PETSc call. */
static inline PetscBool AbutIsVerdict(PetscErrorCode code)
{
  return (PetscBool)(code > ABUT_ERR_BASE && code <= ABUT_ERR_IO);
}

/**
  @brief Initializes MPI, and PETSc with PETSC_COMM_WORLD = comm, unless the caller has; then abut's error handler and the log events
  of the phases. Collective on comm.

  Limits BLAS and OpenMP to one thread per rank unless OPENBLAS_NUM_THREADS or OMP_NUM_THREADS asks for more.
  @param[in]     comm        ranks that use abut: MPI_COMM_WORLD, or a part of it after MPI_Init(); without effect after PetscInitialize()
  @param[in,out] argc, argv  command line, as for PetscInitialize()
  @param[in]     help        text that -help prints first; borrowed, NULL = none
  @return ABUT_ERR_INPUT if a file of -options_file cannot be read: rank 0 has printed the reason; MPI is finalized if the function
  initialized it
**/
PETSC_EXTERN PetscErrorCode AbutInitialize(MPI_Comm comm, int *argc, char ***argv, const char help[]);

/** @brief Finalizes what AbutInitialize() has initialized. Collective on its communicator. */
PETSC_EXTERN PetscErrorCode AbutFinalize(void);

/**
  @brief Name of the BLAS library in use. Not collective.
  @param[out] name       product name ("OpenBLAS (Haswell)"), or the path of the library if the product is unknown
  @param[in]  size       size of the array `name` in bytes
  @param[out] optimised  whether the library is a known optimised BLAS; false for the reference BLAS and unknown ones
**/
PETSC_EXTERN PetscErrorCode AbutBLASName(char name[], size_t size, PetscBool *optimised);

/** Action of SIGTERM and mask of the signals of a thread. */
typedef struct {
  struct sigaction action; /* of SIGTERM */
  sigset_t         mask;   /* blocked signals */
} AbutTermination;

/**
  @brief Saves the action of SIGTERM and blocks the signal in the calling thread. Not collective.

  For calls of METIS, which installs a handler of its own and does not restore the action. The threads of MPI block SIGTERM always
  (AbutInitialize()), so that the calling thread receives it later. METIS partitions 1 million cells in 0.2 s and orders them in 1.3 s.
  @param[out] saved  action and mask for AbutTerminationRestore()
**/
PETSC_EXTERN void AbutTerminationBlock(AbutTermination *saved);

/** @brief Restores action and mask. A SIGTERM that arrived since AbutTerminationBlock() is delivered at once. Not collective. */
PETSC_EXTERN void AbutTerminationRestore(const AbutTermination *saved);

/**
  @brief Records an error message on this rank and returns `code`. Prints nothing. Not collective.

  Only the first message is kept until AbutErrorClear().
  @param[in] code    one of ABUT_ERR_...
  @param[in] format  as for printf(); the message states the place (file:line, body, vertex id), the value and the valid range
**/
PETSC_EXTERN PetscErrorCode AbutErrorSet(PetscErrorCode code, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);

/** @brief Prints "abut: warning: ..." on rank 0 of the communicator, format as for printf(). Logically collective. */
PETSC_EXTERN PetscErrorCode AbutWarn(MPI_Comm comm, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);

/** @brief The message recorded on this rank, "" if there is none; valid until AbutFinalize(). Not collective. */
PETSC_EXTERN const char *AbutErrorMessage(void);

/**
  @brief Functions through which the last PETSc error returned on this rank, one per line, innermost first; "" if there is none. Not
  collective.
**/
PETSC_EXTERN const char *AbutErrorTrace(void);

/** @brief Deletes the message and the trace of this rank. Not collective. */
PETSC_EXTERN void AbutErrorClear(void);

/** @brief Exit code of the program for an error code of abut or of PETSc. Not collective. */
PETSC_EXTERN AbutExitCode AbutErrorExitCode(PetscErrorCode code);

/**
  @brief Agrees on one error code: that of the lowest rank whose code is not 0, with its message, on every rank. Collective.

  For code that can fail on some ranks only, for example reading a file on rank 0. It is called without PetscCall(), and its result is
  passed to this function, so that no rank waits in a collective call for a rank that has returned:

      PetscCall(AbutAgree(comm, AbutIsRoot(comm) ? ReadFile(path) : 0));
  @param[in] comm   communicator
  @param[in] local  error code of this rank, 0 = none
  @return the agreed code, the same on every rank
**/
PETSC_EXTERN PetscErrorCode AbutAgree(MPI_Comm comm, PetscErrorCode local);

/**
  @brief Adds an entry to the table of its kind, the same on all ranks: what tools bring into the program. Not collective.
  @param[in] kind   name of the table, known to its reader and to those who register; borrowed
  @param[in] entry  borrowed until AbutFinalize()
**/
PETSC_EXTERN PetscErrorCode AbutRegister(const char kind[], const void *entry);

/** @brief The i-th entry of a kind in the order of AbutRegister(), NULL past the end. Not collective. */
PETSC_EXTERN const void *AbutRegistered(const char kind[], PetscInt i);

/** Whether the calling rank is rank 0 of the communicator. Not collective. */
static inline PetscBool AbutIsRoot(MPI_Comm comm)
{
  PetscMPIInt rank = 0;

  (void)MPI_Comm_rank(comm, &rank);
  return (PetscBool)!rank;
}

/** Records an error and returns its code from the calling function unless `condition` holds. Not collective (see AbutAgree()). */
#define AbutCheck(condition, code, ...)                                                    \
  do {                                                                                     \
    if (PetscUnlikely(!(condition))) PetscFunctionReturn(AbutErrorSet(code, __VA_ARGS__)); \
  } while (0)

/**
  @brief Edit distance of two words: the smallest number of letters to insert, remove, replace or swap with the next one [Damerau 1964].
  Not collective. Capital letters count as small ones. Words of more than 64 letters have the distance 64.
**/
PETSC_EXTERN size_t AbutWordDistance(const char a[], const char b[]);

/** Returns the i-th name of a list. */
typedef const char *(*AbutNameFn)(const void *from, PetscInt i);

/**
  @brief Finds the name with the smallest edit distance to a word, for error messages. Not collective.
  @param[in] word  word that was not recognised
  @param[in] from  the list, passed on to `name`
  @param[in] num   number of names
  @param[in] name  returns a name of the list
  @return a name of the list, NULL if none is similar
**/
PETSC_EXTERN const char *AbutNearestName(const char word[], const void *from, PetscInt num, AbutNameFn name);

/* Files */

/**
  @brief Asks the system for huge pages for an array of a few MB or more that was not written yet; other arrays stay as they are. Where the
  system gives huge pages on request only, this makes the first access to each part of the array faster. Arrays of PetscMalloc() have asked
  already. Not collective.
**/
PETSC_EXTERN void AbutMemoryAskHugePages(void *memory, size_t bytes);

/** @brief Reason why a path is no readable file; NULL if it is one. Not collective. */
PETSC_EXTERN const char *AbutFileWhyUnreadable(const char path[]);

/**
  @brief Reads a whole file, also one without a size as a pipe. Not collective.
  @param[in]  path    of the file
  @param[in]  most    largest number of bytes
  @param[out] text    [length + 1], ends with a 0; to be freed with PetscFree(); NULL if the file cannot be read
  @param[out] length  number of bytes
  @param[out] why     reason why it cannot be read; else NULL
**/
PETSC_EXTERN PetscErrorCode AbutFileRead(const char path[], size_t most, char **text, size_t *length, const char **why);

/* Phases */

/** Phases of a run: each is a PETSc log event (see -log_view) and a clock whose seconds go to steps.csv and summary.json. */
typedef enum {
  ABUT_PHASE_SETUP,            /* reading and partition of the mesh, allocation */
  ABUT_PHASE_ELASTIC,          /* elastic energy, gradient, Hessian, inversion bound, inertia */
  ABUT_PHASE_CONTACT_SEARCH,   /* redistribution of surface patches and broad phase */
  ABUT_PHASE_CCD,              /* conservative step bound */
  ABUT_PHASE_CONTACT_ASSEMBLY, /* contact gradient and Hessian, matrix pattern */
  ABUT_PHASE_LINEAR_SETUP,     /* factorisation or preconditioner */
  ABUT_PHASE_LINEAR_SOLVE,     /* triangular solves or Krylov iterations */
  ABUT_PHASE_LINE_SEARCH,      /* back-tracking contact energies */
  ABUT_PHASE_HALO,             /* ghost exchange */
  ABUT_PHASE_VERIFY,           /* exact intersection check */
  ABUT_PHASE_OUTPUT,           /* fields, tables, checkpoints */
  ABUT_NUM_PHASES
} AbutPhase;

PETSC_EXTERN const char *const AbutPhaseNames[ABUT_NUM_PHASES]; /* "setup", "elastic", "contact_search", ... */

/**
  @brief Begins a phase. The clock of the enclosing phase stops until AbutPhaseEnd(), so that no time is counted twice. Not collective.
  @param[in] phase  any phase; at most 16 phases can be nested
**/
PETSC_EXTERN PetscErrorCode AbutPhaseBegin(AbutPhase phase);

/**
  @brief Ends a phase. Not collective.
  @param[in] phase  the innermost phase that has begun
**/
PETSC_EXTERN PetscErrorCode AbutPhaseEnd(AbutPhase phase);

/**
  @brief Sets the clocks of all phases to zero and ends phases that an error has left open: a new run in the same program. Not collective.
**/
PETSC_EXTERN PetscErrorCode AbutPhaseRestart(void);

/** @brief Seconds since AbutPhaseRestart(), or else since PETSc was initialized. Not collective. */
PETSC_EXTERN PetscLogDouble AbutPhaseElapsed(void);

/** @brief Seconds that this rank has spent in a phase since the clocks were started, without nested phases. Not collective. */
PETSC_EXTERN PetscLogDouble AbutPhaseSeconds(AbutPhase phase);
