/*
  Subcommands of the program and their common parts: the objects of a scene, progress, signals, the folder of the results. src/main lists
  the subcommands that were built; a tool is part of the program by its entries in this list alone.
*/
#pragma once
#include <abut/option.h>
#include <abut/private/schema.h>
#include <abut/results.h>

/* A scene and the objects that were created from it. */
typedef struct {
  MPI_Comm       comm;
  AbutScene     *scene;
  AbutSimulation sim;
} Model;

/*
  Reads the scene and creates all objects. With `steps` >= 0 the number of steps ends the run instead of the scene's end time.
  Collective.
*/
PETSC_INTERN PetscErrorCode ModelCreate(MPI_Comm comm, const char scene[], PetscInt steps, Model *model);
PETSC_INTERN PetscErrorCode ModelDestroy(Model *model);
/* Local positions of the current state, ghosts current [num_local * dim]; free with PetscFree(). Collective. */
PETSC_INTERN PetscErrorCode ModelGetPositions(Model *model, PetscReal **x);
/*
  ModelCheckInside(), and an exact check of the state at the start. Intersections are written to DIR/intersections.xdmf
  and, if `list`, to standard output. ABUT_ERR_INTERSECTION if there are any, ABUT_ERR_INPUT if a cell is inverted. Collective.
*/
PETSC_INTERN PetscErrorCode ModelCheckStart(Model *model, const char directory[], PetscBool list);

/* Reasons to end a run early. */
typedef struct {
  MPI_Comm       comm;
  PetscLogDouble start;      /* [s] time at which the clock of the limit started */
  PetscReal      limit;      /* [s] of wall time, 0 = none */
  char           reason[64]; /* "signal 15", "" while there is none */
} Interrupt;

/* From now on a signal is recorded for InterruptCheck(); a closed pipe of standard output counts as one. Not collective. */
PETSC_INTERN void InterruptBeginSteps(void);
/* Starts the clock of the limit, `minutes` = 0 for none. Not collective. */
PETSC_INTERN PetscErrorCode InterruptCreate(MPI_Comm comm, PetscReal minutes, Interrupt *interrupt);
/* Whether a signal has reached any rank or the limit is exceeded: the same answer on every rank. An AbutStopFn. Collective. */
PETSC_INTERN PetscErrorCode InterruptCheck(void *interrupt, PetscBool *stop);

/* How a run reports its progress. */
typedef enum { PROGRESS_AUTO, PROGRESS_BAR, PROGRESS_LINES, PROGRESS_NONE } ProgressMode;
PETSC_INTERN const char *const ProgressModes[];
#define PROGRESS_HELP "Progress on standard output; auto: a bar on a terminal, else lines" /* of -progress */

/* Draws the bar with a text behind it and the remaining time [s]. Collective. */
PETSC_INTERN PetscErrorCode ProgressPrintBar(MPI_Comm comm, PetscReal fraction, const char text[], double left);

/* Warns of options of the command line that nothing has read: most are misspelled. Collective. */
PETSC_INTERN PetscErrorCode WarnOfUnusedOptions(MPI_Comm comm);
/*
  directory.c: creates the folder of the results; ABUT_ERR_INPUT if it holds results of another run, unless `replace`. The message names
  -restart if the command has this option. Removes nothing: a run that a signal ends during set-up leaves the results of the run before.
  Collective.
*/
PETSC_INTERN PetscErrorCode DirectoryPrepare(MPI_Comm comm, const char directory[], PetscBool replace, PetscBool can_restart);
/*
  folderlock.c: locks the folder of the results until FolderLockRelease(), with `lock` NULL until MPI_Finalize().
  ABUT_ERR_INPUT if another program has locked it. Collective.
*/
PETSC_INTERN PetscErrorCode FolderLockTake(MPI_Comm comm, const char directory[], int *lock);
/* Does nothing on ranks without the lock. Not collective. */
PETSC_INTERN PetscErrorCode FolderLockRelease(int *lock);

/* Files that a subcommand reads as its first arguments. */
typedef enum { ABUT_FILES_ONE, ABUT_FILES_NONE, ABUT_FILES_MANY } AbutCommandFiles;

/* A subcommand, with all that it adds to the program. The same on all ranks; members that it does not need are NULL. */
typedef struct {
  const char      *name;
  const char      *instead;    /* option: the command is executed in place of the one of the same name, listed before, where it is set */
  const char      *usage;      /* lines of abut --help */
  AbutCommandFiles files_read; /* scenes; `scene` of its functions is the first, "" without one */
  PetscBool        separates;  /* it moves bodies apart that intersect at the start: messages advise to use it */
  PetscErrorCode (*execute)(MPI_Comm comm, const char scene[], PetscBool terminal); /* NULL: not built */
  PetscBool                     lists_options; /* its option -help prints the options of all parts of the program */
  const AbutOptionTable *const *options;       /* ended by NULL; refused with other commands, besides options of all commands */
  const AbutOptionTable *const *tables;        /* ended by NULL; options of its parts, which other commands may create, too */
  const AbutOptionTable        *run_table;     /* the one of `tables` whose part abut run creates: -abut_view prints it */
  const char *const            *prefixes;      /* ended by NULL; words that begin so are options of abut or misspelled */
  const char *const            *files;         /* ended by NULL; names of its result files */
  const SceneKey               *key;           /* key that it adds to scenes of abut run, with the flag SCENE_OF_TOOL */
  const SceneSection           *scene;         /* schema of its own scenes */
  const SceneRemoved           *lacking;       /* not built: a key of its scenes */

  PetscErrorCode (*interpolate)(Model *model, const char scene[], /* -restart_interpolate: state of the model from a checkpoint ... */
                                const char checkpoint[], PetscReal distance); /* ... of another scene; -restart_distance */
} AbutCommand;

#define ABUT_COMMAND  "subcommand" /* kind of AbutRegister() */
#define ABUT_NO_TOOLS "it was configured with -DABUT_TOOLS=OFF; configure it with -DABUT_TOOLS=ON"

/* program.c: the program with these subcommands, ended by NULL; returns its exit code. */
PETSC_INTERN int AbutMain(int argc, char **argv, const AbutCommand *const commands[]);

PETSC_INTERN const AbutCommand AbutCommandRun, AbutCommandCheck, AbutCommandStudy, AbutCommandSelfTest;
