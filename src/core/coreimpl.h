/* Private to src/core: the state of the process. */
#pragma once
#include <abut/core.h>
#include <signal.h>

#define ABUT_MESSAGE_SIZE 4096 /* bytes of an error message, terminating zero included */
#define ABUT_TRACE_SIZE   8192 /* bytes of a trace of calls */
#define ABUT_PHASE_DEPTH  16   /* phases that can be nested */

/* Exclusive clocks of the phases. */
typedef struct {
  PetscLogEvent  events[ABUT_NUM_PHASES];
  PetscLogDouble seconds[ABUT_NUM_PHASES]; /* [s] without nested phases */
  AbutPhase      stack[ABUT_PHASE_DEPTH];  /* phases under way, innermost last */
  PetscInt       depth;                    /* number of phases under way */
  PetscLogDouble since;                    /* [s] time at which the clock of the innermost phase was started */
} AbutPhaseClocks;

/* State of the process between AbutInitialize() and AbutFinalize(). */
typedef struct {
  char             message[ABUT_MESSAGE_SIZE]; /* first recorded error, "" = none */
  PetscBool        from_petsc;                 /* the message is PETSc's own text: the next error replaces it */
  char             trace[ABUT_TRACE_SIZE];     /* calls through which a PETSc error has returned, innermost first */
  AbutPhaseClocks  clocks;
  struct sigaction termination; /* handler of SIGTERM while AbutBlockTermination() blocks the signal */
} AbutSession;

/* The state of the process. It is attached to an object that PETSc owns, so that abut has no global variable. Not collective. */
PETSC_INTERN AbutSession *AbutSessionGet(void);

/* Registers the log class and events of the phases. Collective on the world. */
PETSC_INTERN PetscErrorCode AbutPhaseRegister(void);

/* Makes failed allocations record how much memory was requested; to be called after PetscInitialize(). */
PETSC_INTERN PetscErrorCode AbutMemoryInitialize(void);

/* A PetscErrorHandler: turns PETSc errors that a user can cause into abut's error codes, records a message and a trace, prints nothing. */
PETSC_INTERN PetscErrorCode AbutErrorHandler(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                             PetscErrorType type, const char *message, void *ctx);
