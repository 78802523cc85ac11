/* Private to src/app: abut run and abut check. */
#pragma once
#include <abut/private/command.h>

#define LINES_MAX 10 /* lines of one kind that `abut check` prints; their number follows */

/* Exact check at local positions of the current state, planes where they are now; as AbutContactCheck(). Collective. */
PETSC_INTERN PetscErrorCode ModelCheckCrossings(Model *model, const PetscReal x[], PetscInt *count, PetscInt *local_count,
                                                AbutIntersection **crossings);
/* Activation distance of the scene [m]. Not collective. */
PETSC_INTERN PetscReal ModelGetActivationDistance(const Model *model);
/*
  crossings.c: returns ABUT_ERR_INTERSECTION with a message on the `count` intersections of AbutContactCheck() at local positions x, which
  says whether bodies intersect or touch. Prints the first ones if `list`. Collective.
*/
PETSC_INTERN PetscErrorCode CrossingsRefuse(Model *model, const PetscReal x[], PetscInt count, PetscInt local_count,
                                            const AbutIntersection crossings[], const char directory[], PetscBool list);
/* depths.c: prints how deep vertices lie behind half spaces and in solid obstacles at local positions x. Collective. */
PETSC_INTERN PetscErrorCode PrintDepths(const Model *model, const PetscReal x[]);
/* warnings.c: warns of an activation distance that is as large as a body. Collective. */
PETSC_INTERN PetscErrorCode WarnOfActivationDistance(const Model *model);
/*
  warnings.c: warns if bodies are so large or far apart that the default speed of incomplete friction is large beside the smallest of them.
  Collective.
*/
PETSC_INTERN PetscErrorCode WarnOfFrictionSpeed(const Model *model);

/* Warns of tables with points that are closer than a step, between which no step ends. */
PETSC_INTERN PetscErrorCode WarnOfTables(const Model *model);
/* Warns of tied surfaces that do not touch. */
PETSC_INTERN PetscErrorCode WarnOfTies(const Model *model);
/*
  inside.c: bodies that lie wholly inside another one at the local positions x, where no surfaces cross. ABUT_ERR_INPUT where the potential
  does not repel them there, else a warning. Collective.
*/
PETSC_INTERN PetscErrorCode ModelCheckInside(const Model *model, const PetscReal x[]);
/* Prints size and mass of each body at rest. Collective. */
PETSC_INTERN PetscErrorCode PrintSizes(const Model *model);
/* Prints the initial moduli of the materials. Collective. */
PETSC_INTERN PetscErrorCode PrintMaterials(const Model *model);

/* From now on a signal ends the process with exit code 5 and a message of rank 0. Not collective. */
PETSC_INTERN void   InterruptBeginSetUp(PetscMPIInt rank);
typedef struct _Run Run;

/* Progress of a run on standard output of rank 0. */
typedef struct {
  MPI_Comm       comm;
  PetscBool      verbose; /* a line for each Newton iteration */
  ProgressMode   mode;    /* PROGRESS_AUTO has been replaced by the mode that suits the output */
  PetscInt       first;   /* step at which the run starts */
  PetscInt       last;    /* step at which it ends, <= 0: not known */
  PetscReal      from;    /* [s] time at which the run starts */
  PetscReal      to;      /* [s] time at which it ends, PETSC_MAX_REAL: only steps count */
  PetscReal      dt;      /* [s] regular step length */
  PetscReal      silence; /* [s] longest time without a line in a step, 0: no limit */
  PetscInt       newton;  /* Newton iterations of this run */
  PetscInt       local;   /* local iterations of this run */
  PetscInt       linear;  /* iterations of the linear solver of this run */
  PetscLogDouble start;   /* [s] wall-clock time of the first step */
  PetscLogDouble printed; /* [s] wall-clock time of the last line */
} Progress;
PETSC_INTERN PetscErrorCode ProgressCreate(MPI_Comm comm, const Run *run, Progress *progress);
/* An AbutNewtonMonitorFn: prints a line with -v, or if the last line is older than `silence`. */
PETSC_INTERN PetscErrorCode ProgressNewton(const AbutNewtonReport *report, void *progress);
/* Counts the iterations of a step, whether it converged or not. Not collective. */
PETSC_INTERN void ProgressCount(Progress *progress, const AbutStepReport *report);
/* Reports a completed step. Collective. */
PETSC_INTERN PetscErrorCode ProgressStep(Progress *progress, PetscInt step, PetscReal time, const AbutStepReport *report);
/* Ends the line of the bar, before other output. Collective. */
PETSC_INTERN PetscErrorCode ProgressEndLine(const Progress *progress);
/* Ends the bar, or prints the last line of the log: steps, iterations and seconds of the run, and its exit code. Collective. */
PETSC_INTERN PetscErrorCode ProgressEnd(const Progress *progress, PetscInt step, AbutExitCode exit_code);

/* Error of the mesh: of each body at its largest elastic energy so far */
typedef struct {
  PetscReal         warned; /* share in the last warning; 0: none */
  PetscReal         energy; /* [J] elastic energy of all bodies at the last estimate */
  AbutElasticError *body;   /* [num_bodies]; NULL: no estimate yet */
  PetscInt         *step;   /* [num_bodies] number of the step */
} MeshErrors;

/* Estimates the errors after a step if the elastic energy has grown; may warn of coarse meshes. Collective. */
PETSC_INTERN PetscErrorCode MeshErrorsStep(MeshErrors *errors, const Progress *progress, Model *model, PetscInt step,
                                           const AbutEnergyReport *energy);
/* Warns of coarse meshes if no step did so as much, hands the largest share to the summary, and frees the errors. Collective. */
PETSC_INTERN PetscErrorCode MeshErrorsEnd(MeshErrors *errors, const Progress *progress, const Model *model, AbutStats stats);

/* Moments of inertia of bodies that turn */
typedef struct {
  PetscBool  any;    /* some body has a moment of inertia that is much too large; the same on all ranks */
  PetscReal *excess; /* [num_bodies] AbutElasticInertiaExcess() */
  PetscReal *most;   /* [num_bodies] [J] largest energy of rotation so far */
  PetscReal *mass;   /* [num_owned] [kg] */
  PetscReal  energy; /* [J] largest kinetic and elastic energy of all bodies so far */
} Spin;

/* Finds bodies with few cells, keeps their energy of rotation after a step, warns if they turn. Collective. */
PETSC_INTERN PetscErrorCode SpinBegin(Spin *spin, const Model *model);
PETSC_INTERN PetscErrorCode SpinStep(Spin *spin, const Model *model, const AbutState *state, const AbutEnergyReport *energy);
PETSC_INTERN PetscErrorCode SpinEnd(Spin *spin, const Progress *progress, const Model *model);

/* Errors of coarse meshes */
typedef struct {
  MeshErrors errors;
  Spin       spin;
} Coarseness;

/* Warnings of a run */
typedef struct {
  PetscBool halving;         /* already printed */
  PetscBool energy;          /* already printed */
  PetscBool ties;            /* already printed */
  PetscReal least_energy;    /* [J] smallest mechanical energy so far */
  PetscReal most_kinetic;    /* [J] largest kinetic energy so far; 0 before the first step */
  PetscReal most_energy;     /* [J] largest sum of kinetic, elastic and dissipated energy so far */
  PetscReal damped;          /* [J] sum of AbutForceReport.damped */
  PetscReal released;        /* [J] AbutEnergyReport.released of the first step of a scene */
  PetscInt  unbalanced;      /* steps whose forces are not balanced */
  PetscReal squeeze;         /* [N] largest force that squeezed a body so far */
  PetscReal compression;     /* [m] of the body, at most */
  PetscInt  squeezed_body;   /* index of the body */
  PetscInt  squeezed_step;   /* number of the step */
  PetscInt  round_off_step;  /* number of the first step whose forces are round-off; 0: none */
  PetscReal round_off;       /* its imbalance */
  PetscReal round_off_force; /* [N] largest contact force on a vertex in such steps */
  PetscReal largest_force;   /* [N] and in all steps */
  PetscReal creep;           /* [m] AbutContactReport.creep of all steps */
  PetscReal path;            /* [m] largest displacements of all steps */
  PetscReal force[2];        /* [N] AbutForceReport.contact_max of the step before, and of the one before that */
  PetscReal forces, jumps;   /* [N] sums over the steps of this force, and of the size of its second difference */
  PetscInt  forced;          /* number of steps with contact forces */
  PetscInt  unsettled;       /* number of steps without AbutStepReport.friction_settled */
  PetscReal friction_change; /* [m/s] largest AbutStepReport.friction_residual of these steps */
} Warnings;
/* Warns of the first step that was halved, of forces that stay unbalanced, of energy that nothing supplies. Collective. */
PETSC_INTERN PetscErrorCode WarningsStep(Warnings *warnings, const Progress *progress, const Model *model, PetscInt step,
                                         const AbutStepReport *report);
/* After the last step: warns if the largest force that squeezed a body depends on the activation distance, if contacts that
   stick creep, or if forces of Newmark's method jump. Collective. */
PETSC_INTERN PetscErrorCode WarningsEnd(const Warnings *warnings, const Progress *progress, const Model *model);
/* Whether any pair of surfaces has friction. Not collective. */
PETSC_INTERN PetscBool HasFriction(const AbutFrictionTable *table);
/* Warns of a BLAS that is not known to be optimised. Collective. */
PETSC_INTERN PetscErrorCode WarnOfBLAS(MPI_Comm comm);

/* A run in progress. */
struct _Run {
  char           directory[PETSC_MAX_PATH_LEN];   /* -o */
  char           restart[PETSC_MAX_PATH_LEN];     /* -restart, "" = none */
  char           interpolate[PETSC_MAX_PATH_LEN]; /* -restart_interpolate: scene of the checkpoint, "" = this scene */
  PetscReal      distance;                        /* -restart_distance */
  int            lock;                            /* of the folder of the results */
  PetscInt       last;                            /* number of completed steps at the end */
  PetscInt       steps;                           /* -steps: number of the last step, -1: the scene's end decides */
  PetscReal      walltime;                        /* [min] -walltime, 0 = none */
  PetscBool      overwrite, verbose, view;        /* -overwrite, -v, -abut_view */
  PetscBool      verify;                          /* -verify */
  PetscBool      verify_set;                      /* whether -verify was given */
  PetscBool      terminal;                        /* standard output reaches a terminal */
  ProgressMode   progress_mode;                   /* -progress */
  PetscReal      silence;                         /* [s] -heartbeat, 0 = none */
  Model          model;
  AbutState     *state; /* of the stepper */
  AbutStats      stats;
  AbutFields     fields; /* NULL if the scene wants none */
  Interrupt      interrupt;
  Progress       progress;
  Warnings       warnings;
  Coarseness     coarse;
  PetscLogDouble last_checkpoint; /* [s] wall-clock time */
};

/* Whether the run appends to the results of the run that wrote its checkpoint. */
static inline PetscBool RunContinues(const Run *run)
{
  return (PetscBool)(run->restart[0] && !run->interpolate[0]);
}

/* After set-up: removes files that state how an earlier run ended and, unless the run is a restart, all its results. Collective. */
PETSC_INTERN PetscErrorCode DirectoryClear(const Run *run);
/* After set-up failed with `code`: removes files that state how an earlier run ended. Not collective: acts on rank 0. */
PETSC_INTERN PetscErrorCode DirectorySetUpFailed(const Run *run, PetscErrorCode code);

/* view.c: prints the values in force and how work and messages are distributed over the ranks. Collective. */
PETSC_INTERN PetscErrorCode ViewRun(Run *run);

/* output.c: output at selected steps. All collective. */
PETSC_INTERN PetscErrorCode OutputOpenFields(Run *run, PetscBool append, PetscInt first_step);
/* Fields of the state, if the scene requests them at this step. */
PETSC_INTERN PetscErrorCode OutputFields(Run *run, PetscBool last);
/* Writes a checkpoint and discards data that a restart does not have, so that the run and its restart continue bit for bit alike. */
PETSC_INTERN PetscErrorCode OutputCheckpoint(Run *run);
PETSC_INTERN PetscErrorCode OutputCheckpointIfDue(Run *run, PetscBool last);
/* Resultants between bodies, and reactions of obstacles, motions and loads, at the end of the last step. */
PETSC_INTERN PetscErrorCode OutputForces(Run *run);
/* Volumes and pressures of gases; only if the scene has one. */
PETSC_INTERN PetscErrorCode OutputCavities(Run *run);
PETSC_INTERN PetscBool      SceneHasGas(const AbutScene *scene);

/*
  failure.c: records why a step failed, writes the limiting pair to failure.xdmf and returns ABUT_ERR_DIVERGED with a message.
  Collective.
*/
PETSC_INTERN PetscErrorCode FailureReport(Run *run, const AbutStepReport *report);

/*
  gaps.c: warns if pairs within a body are closer than dhat both in its undeformed shape and at the local positions x, unless the potential
  lowers activation distances there. Collective.
*/
PETSC_INTERN PetscErrorCode WarnOfOwnContacts(Model *model, const PetscReal x[]);
/* gaps.c, choices.c: what `abut check` prints on gaps and contacts, and on motions, loads and friction. Collective. */
PETSC_INTERN PetscErrorCode PrintGaps(Model *model);
PETSC_INTERN PetscErrorCode PrintChoices(Model *model);

/*
  Executes the program again with OPENBLAS_CORETYPE set, if OpenBLAS does not know the processor and the variable is not set. Then it
  does not return. To be called before AbutInitialize().
*/
PETSC_INTERN void KernelsChoose(char **argv);

/*
  Checks words of the command line of `abut COMMAND` and options from other sources that have the form of an option of abut, and the values
  of abut's options from all sources.
  ABUT_ERR_INPUT with the name of the option. Not collective, the same on every rank.
*/
PETSC_INTERN PetscErrorCode OptionsCheck(const char command[], int num, char *const words[]);
/* The option of abut that is most similar to a word, both with a dash; NULL if none is similar. */
PETSC_INTERN const char *OptionsNearest(const char word[]);

/* run.c: options of `abut run`, but for restarts, and of each run of a study. */
PETSC_INTERN const AbutOptionTable RunOptions;
/* Reads the options of `abut run`; with -help prints them. Collective. */
PETSC_INTERN PetscErrorCode RunReadOptions(Run *run);
/* ABUT_ERR_INPUT if options exclude each other. Not collective, the same on every rank. */
PETSC_INTERN PetscErrorCode RunCheckOptions(const Run *run);
/* Computes a scene with these options; the code says how the run ended, as the summary does. Collective. */
PETSC_INTERN PetscErrorCode RunScene(Run *run, const char scene[]);

/* The i-th subcommand of the program, NULL past the end. */
static inline const AbutCommand *CommandAt(PetscInt i)
{
  return (const AbutCommand *)AbutRegistered(ABUT_COMMAND, i);
}

/* commands.c: the command to use for a scene whose bodies intersect at the start, for messages: "abut NAME SCENE OPTION"; "" if
   none was built. `scene` may be "". Not collective. */
PETSC_INTERN void CommandThatSeparates(const char scene[], size_t size, char text[]);

/* -help: prints the options of all parts. Collective. */
PETSC_INTERN PetscErrorCode CommandHelp(MPI_Comm comm);
