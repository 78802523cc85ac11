/* Private to src/base/core: the state of the process. */
#pragma once
#include <abut/core.h>

#define ABUT_MESSAGE_SIZE 4096 /* size of an error message in bytes, terminating zero included */
#define ABUT_TRACE_SIZE   8192 /* size of a call trace in bytes */
#define ABUT_PHASE_DEPTH  16   /* largest depth of nested phases */
#define ABUT_REGISTERED   32   /* largest number of registered entries */

/* Clocks of the phases; nested phases are timed separately. */
typedef struct {
  PetscLogEvent  events[ABUT_NUM_PHASES];
  PetscLogDouble seconds[ABUT_NUM_PHASES]; /* [s] time of each phase without nested phases */
  AbutPhase      stack[ABUT_PHASE_DEPTH];  /* phases that have begun and not ended, innermost last */
  PetscInt       depth;                    /* number of entries of stack */
  PetscLogDouble start;                    /* [s] time from which all clocks count */
  PetscLogDouble since;                    /* [s] time at which the clock of the innermost phase was started */
} AbutPhaseClocks;

/* State of the process between AbutInitialize() and AbutFinalize(). */
typedef struct {
  char            message[ABUT_MESSAGE_SIZE]; /* first recorded error, "" = none */
  PetscBool       from_petsc;                 /* the message is a text of PETSc, which a later message of abut replaces */
  char            trace[ABUT_TRACE_SIZE];     /* functions through which a PETSc error has returned, innermost first */
  AbutPhaseClocks clocks;
  PetscBool       owns_mpi, owns_petsc; /* AbutInitialize() has initialized them */
  PetscInt        num_registered;
  struct {
    const char *kind;
    const void *entry;
  } registered[ABUT_REGISTERED]; /* [num_registered] */
} AbutSession;

/* Returns the state of the process. It is attached to an object of PETSc, so that abut has no global variable. Not collective. */
PETSC_INTERN AbutSession *AbutSessionGet(void);

/* Registers the log class and events of the phases. Collective on the world. */
PETSC_INTERN PetscErrorCode AbutPhaseRegister(void);

/* Installs an allocator whose errors state how much memory was requested. To be called after PetscInitialize(). */
PETSC_INTERN PetscErrorCode AbutMemoryInitialize(void);

/* A PetscErrorHandler. Maps PETSc errors that a user can cause to ABUT_ERR_... codes, records message and trace, prints nothing. */
PETSC_INTERN PetscErrorCode AbutErrorHandler(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                             PetscErrorType type, const char *message, void *ctx);

/*
  Checks the files of options of the command line, of PETSC_OPTIONS and of the user before PetscInitialize(): readable, not including
  themselves, an option in each line. Prints the error. Returns 0 or ABUT_ERR_INPUT. Not collective.
*/
PETSC_INTERN PetscErrorCode AbutOptionFilesCheck(int num, char *const words[]);
