/**
  @file core.h
  @brief Start and end of the program, errors that carry a place and a value, phases that are timed.

  Everything in abut is built on PETSc's conventions: functions return a PetscErrorCode, are called inside PetscCall(), and are
  collective only where their comment says so.
**/
#pragma once
#include <petscsys.h>

/* Errors */

/** Exit codes of the program, part of its interface: scripts rely on them. */
typedef enum {
  ABUT_EXIT_OK           = 0, /* everything asked for was done */
  ABUT_EXIT_INTERNAL     = 1, /* a defect of the program or of a library */
  ABUT_EXIT_INPUT        = 2, /* the user's input is wrong; the message says where and what is valid */
  ABUT_EXIT_INTERSECTION = 3, /* the scene starts with surfaces that cross */
  ABUT_EXIT_DIVERGED     = 4, /* a time step did not converge */
  ABUT_EXIT_STOPPED      = 5, /* a signal or the wall-clock limit ended the run, after a checkpoint */
  ABUT_EXIT_IO           = 6  /* a file could not be read or written */
} AbutExitCode;

/** Error codes of abut's own checks: ABUT_ERR_BASE + exit code. They travel through PetscCall() without a stack trace. */
#define ABUT_ERR_BASE         1000
#define ABUT_ERR_INPUT        (ABUT_ERR_BASE + ABUT_EXIT_INPUT)
#define ABUT_ERR_INTERSECTION (ABUT_ERR_BASE + ABUT_EXIT_INTERSECTION)
#define ABUT_ERR_DIVERGED     (ABUT_ERR_BASE + ABUT_EXIT_DIVERGED)
#define ABUT_ERR_STOPPED      (ABUT_ERR_BASE + ABUT_EXIT_STOPPED)
#define ABUT_ERR_IO           (ABUT_ERR_BASE + ABUT_EXIT_IO)

/** Whether an error code is a verdict of abut's own, agreed by all ranks, rather than a failure of some call. */
static inline PetscBool AbutIsVerdict(PetscErrorCode code)
{
  return (PetscBool)(code > ABUT_ERR_BASE && code <= ABUT_ERR_IO);
}

/**
  @brief Initializes PETSc and MPI, abut's error handler and log events; sets one BLAS thread a rank unless the environment decides.
  Collective on the world.
**/
PETSC_EXTERN PetscErrorCode AbutInitialize(int *argc, char ***argv, const char help[]);

/** @brief Finalizes what AbutInitialize() initialized. Collective on the world. */
PETSC_EXTERN PetscErrorCode AbutFinalize(void);

/**
  @brief The BLAS at work, in name[size]: a name if it is one of those known to be fast, else the file it is in. Not collective.
**/
PETSC_EXTERN PetscErrorCode AbutBLASName(char name[], size_t size, PetscBool *optimised);

/**
  @brief Lets SIGTERM wait, or come again, one that waited at once. For calls of METIS, which takes a SIGTERM for an error of its own and jumps out of
  whatever it is doing, the allocation of memory included. Not collective.
**/
PETSC_EXTERN void AbutHoldTermination(PetscBool hold);

/**
  @brief Records an error message on this rank and returns `code`. Not collective; prints nothing.
  The message must say the value, the place (file:line, body, vertex id) and the valid range. Only the first message is kept until
  AbutErrorClear().
**/
PETSC_EXTERN PetscErrorCode AbutErrorSet(PetscErrorCode code, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);

/** @brief The message recorded on this rank, "" if none. Not collective. */
PETSC_EXTERN const char *AbutErrorMessage(void);

/** @brief Forgets the recorded message. Not collective. */
PETSC_EXTERN void AbutErrorClear(void);

/**
  @brief Makes one verdict of the verdicts of all ranks: the error of the lowest rank that has one, with its message, on every rank.
  Collective. Code that may fail on one rank only (reading a file on rank 0, say) is called outside PetscCall() and its result passed
  here, so that no rank waits for one that left:

      PetscErrorCode local = rank ? 0 : ReadFile(path);
      PetscCall(AbutAgree(comm, local));
**/
PETSC_EXTERN PetscErrorCode AbutAgree(MPI_Comm comm, PetscErrorCode local);

/** Leaves the function with a recorded error unless `condition` holds; not collective (see AbutAgree()). */
#define AbutCheck(condition, code, ...)                                                    \
  do {                                                                                     \
    if (PetscUnlikely(!(condition))) PetscFunctionReturn(AbutErrorSet(code, __VA_ARGS__)); \
  } while (0)

/** The i-th name of a list of any form. */
typedef const char *(*AbutNameFn)(const void *from, PetscInt i);

/** @brief The one of `num` names that is nearest to a word in spelling, for messages; NULL if none is near. Not collective. */
PETSC_EXTERN const char *AbutNearestName(const char word[], const void *from, PetscInt num, AbutNameFn name);

/* Phases */

/** Phases of a run: each is a PETSc log event (see -log_view) and a clock whose seconds go to steps.csv and summary.json. */
typedef enum {
  ABUT_PHASE_SETUP,
  ABUT_PHASE_ELASTIC,          /* elastic energy, gradient, Hessian, inversion bound, inertia */
  ABUT_PHASE_CONTACT_SEARCH,   /* redistribution of surface patches and broad phase */
  ABUT_PHASE_CCD,              /* conservative step bound */
  ABUT_PHASE_CONTACT_ASSEMBLY, /* contact gradient and Hessian, matrix pattern */
  ABUT_PHASE_LINEAR_SETUP,     /* factorisation or preconditioner */
  ABUT_PHASE_LINEAR_SOLVE,     /* triangular solves or Krylov iterations */
  ABUT_PHASE_LINE_SEARCH,      /* back-tracking contact energies */
  ABUT_PHASE_HALO,             /* ghost exchange */
  ABUT_PHASE_VERIFY,           /* exact intersection check */
  ABUT_PHASE_OUTPUT,
  ABUT_NUM_PHASES
} AbutPhase;

PETSC_EXTERN const char *const AbutPhaseNames[ABUT_NUM_PHASES]; /* "setup", "elastic", "contact_search", ... */

/** @brief Enters a phase; an enclosing phase's clock pauses, so that phases never count the same second twice. Not collective. */
PETSC_EXTERN PetscErrorCode AbutPhaseBegin(AbutPhase phase);

/** @brief Leaves the phase entered last, which must be `phase`. Not collective. */
PETSC_EXTERN PetscErrorCode AbutPhaseEnd(AbutPhase phase);

/** @brief Seconds spent in a phase on this rank since the start, nested phases excluded. Not collective. */
PETSC_EXTERN PetscLogDouble AbutPhaseSeconds(AbutPhase phase);
