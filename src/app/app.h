/* Private to src/app: the program. */
#pragma once
#include <abut/io.h>

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

/* Reads the scene and builds everything. Collective. */
PETSC_INTERN PetscErrorCode ModelCreate(MPI_Comm comm, const char scene[], Model *model);
PETSC_INTERN PetscErrorCode ModelDestroy(Model *model);
/* Local positions of the current state, ghosts current [num_local * dim]; free with PetscFree(). Collective. */
PETSC_INTERN PetscErrorCode ModelGetPositions(Model *model, PetscReal **x);
/* Exact check of the state the run would start from; crossings go to DIR/intersections.vtp and, if `list`, to standard output. ABUT_ERR_INTERSECTION if there are any. Collective. */
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
  PetscInt       first, last; /* steps */
  PetscLogDouble start;
} Progress;
PETSC_INTERN PetscErrorCode ProgressCreate(MPI_Comm comm, PetscBool verbose, PetscInt first, PetscInt last, Progress *progress);
PETSC_INTERN PetscErrorCode ProgressNewton(const AbutNewtonReport *report, void *progress); /* an AbutNewtonMonitorFn */
PETSC_INTERN PetscErrorCode ProgressStep(Progress *progress, PetscInt step, PetscReal time, const AbutStepReport *report);
/* Warns of options of the command line that nothing has read: most are misspelled. */
PETSC_INTERN PetscErrorCode ProgressUnreadOptions(const Progress *progress);
PETSC_INTERN PetscErrorCode ProgressEnd(Progress *progress);

/* Subcommands. */
PETSC_INTERN PetscErrorCode CommandRun(MPI_Comm comm, const char scene[]);
PETSC_INTERN PetscErrorCode CommandCheck(MPI_Comm comm, const char scene[]);
