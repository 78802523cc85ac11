/* Private to src/app: the program. */
#pragma once
#include <abut/results.h>
#include <abut/scene.h>

/* A scene and what was built from it, in the order of the layers. */
typedef struct {
  MPI_Comm             comm;
  AbutScene           *scene;
  AbutMesh             mesh;
  const AbutMeshLocal *local;
  AbutElastic          elastic;
  AbutContact          contact;
  AbutPotential        potential;
  AbutStepper          stepper;
} Model;

/* Reads the scene and builds everything; `steps` >= 0 takes the place of the scene's number of steps. Collective. */
PETSC_INTERN PetscErrorCode ModelCreate(MPI_Comm comm, const char scene[], PetscInt steps, Model *model);
PETSC_INTERN PetscErrorCode ModelDestroy(Model *model);
/* Local positions of the current state, ghosts current [num_local * dim]; free with PetscFree(). Collective. */
PETSC_INTERN PetscErrorCode ModelGetPositions(Model *model, PetscReal **x);
/* Exact check at local positions of the current state, planes where they are now; as AbutContactCheck(). Collective. */
PETSC_INTERN PetscErrorCode ModelCheckCrossings(Model *model, const PetscReal x[], PetscInt *count, PetscInt *local_count,
                                                AbutIntersection **crossings);
/* An error if a body starts where the chosen potential lets nothing repel it: inside a solid obstacle. Collective. */
PETSC_INTERN PetscErrorCode ModelCheckInside(const Model *model);
/* That, and an exact check of the state the run would start from; crossings go to DIR/intersections.xdmf and, if `list`, to standard output. ABUT_ERR_INTERSECTION if there are any. Collective. */
PETSC_INTERN PetscErrorCode ModelCheckStart(Model *model, const char directory[], PetscBool list);

/* Signals and the wall-clock limit. */
typedef struct {
  MPI_Comm       comm;
  PetscLogDouble start;
  PetscReal      limit; /* [s], 0 = none */
  char           reason[64];
} Watch;
PETSC_INTERN PetscErrorCode WatchCreate(MPI_Comm comm, PetscReal minutes, Watch *watch);
/* Whether to stop, agreed by all ranks; an AbutStopFn. Collective. */
PETSC_INTERN PetscErrorCode WatchStop(void *watch, PetscBool *stop);

/* What the user sees while it runs, on rank 0. */
typedef struct {
  MPI_Comm       comm;
  PetscBool      verbose, terminal;
  PetscInt       first, last;  /* steps; 0: not known */
  PetscReal      from, to, dt; /* [s] */
  PetscBool      warned;       /* of a step that was halved */
  PetscBool      warned_of_forces;
  PetscInt       unbalanced; /* steps in a row up to now */
  PetscLogDouble start;
} Progress;
PETSC_INTERN PetscErrorCode ProgressCreate(MPI_Comm comm, PetscBool verbose, const AbutState *state, const AbutStepSpec *spec,
                                           Progress *progress);
PETSC_INTERN PetscErrorCode ProgressNewton(const AbutNewtonReport *report, void *progress); /* an AbutNewtonMonitorFn */
PETSC_INTERN PetscErrorCode ProgressStep(Progress *progress, PetscInt step, PetscReal time, PetscBool last, const AbutStepReport *report);
/* Warns of options of the command line that nothing has read: most are misspelled. */
PETSC_INTERN PetscErrorCode ProgressUnreadOptions(const Progress *progress);
PETSC_INTERN PetscErrorCode ProgressEnd(Progress *progress);

/* A run under way. */
typedef struct {
  char           directory[PETSC_MAX_PATH_LEN], restart[PETSC_MAX_PATH_LEN];
  PetscInt       steps; /* accepted steps after which to end, -1: the scene's end of time alone */
  PetscBool      verbose, verify, verify_set, view;
  PetscReal      walltime; /* minutes */
  Model          model;
  AbutState     *state;
  AbutStats      stats;
  AbutFields     fields;
  Watch          watch;
  Progress       progress;
  PetscLogDouble last_checkpoint;
} Run;

/* output.c: what a run leaves at chosen steps. All collective. */
PETSC_INTERN PetscErrorCode OutputOpenFields(Run *run, PetscBool append, PetscInt first_step);
/* Fields of the state, if the scene wants them of this step. */
PETSC_INTERN PetscErrorCode OutputFields(Run *run, PetscBool last);
/* A checkpoint is also a point where the run forgets what a restart cannot know, so that both go on alike. */
PETSC_INTERN PetscErrorCode OutputCheckpoint(Run *run);
PETSC_INTERN PetscErrorCode OutputCheckpointIfDue(Run *run, PetscBool last);
/* A checkpoint of an earlier run in this directory must not pass for one of this run. */
PETSC_INTERN PetscErrorCode OutputRemoveOldCheckpoint(Run *run);
/* Resultants between bodies at the end of the last step. */
PETSC_INTERN PetscErrorCode OutputPairs(Run *run);

/* failure.c: records why a step failed, draws the pair to blame, returns the verdict with its message. Collective. */
PETSC_INTERN PetscErrorCode FailureReport(Run *run, const AbutStepReport *report);

/* gaps.c, choices.c: what `abut check` prints of gaps at the start; of motions, loads and friction. Collective. */
PETSC_INTERN PetscErrorCode PrintGaps(Model *model);
PETSC_INTERN PetscErrorCode PrintChoices(Model *model);

/*
  Starts the program anew, with the environment that makes OpenBLAS use the vector instructions there are, if it does not know the processor and
  OPENBLAS_CORETYPE is not set; then it does not return. To be called before AbutInitialize().
*/
PETSC_INTERN void KernelsChoose(char **argv);

/* Refuses words of the command line that can be an option neither of abut nor of PETSc, and wrong values of abut's own, ABUT_ERR_INPUT. */
PETSC_INTERN PetscErrorCode OptionsCheck(int num, char *const words[]);
/* The option of abut's own that is nearest to a word, both with a dash; NULL if none is near. */
PETSC_INTERN const char *OptionsNearest(const char word[]);

/* Subcommands. */
PETSC_INTERN PetscErrorCode CommandRun(MPI_Comm comm, const char scene[]);
PETSC_INTERN PetscErrorCode CommandCheck(MPI_Comm comm, const char scene[]);
