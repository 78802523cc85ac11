/**
  @file solve.h
  @brief Time steps: each minimises one incremental potential by Newton's method with a line search that never crosses a contact.

      B(x) = 1/2 (x - x~)^T M (x - x~) + h^2 Psi(x) + kappa sum_k b(d_k(x)) + h^2 D(x) + moving-boundary terms        [Li et al. 2020, eq. 2-5]
**/
#pragma once
#include <abut/contact.h>
#include <abut/elastic.h>
#include <abut/friction.h>
#include <abut/potential.h>
#include <petscsnes.h>

/** A length or speed given in its unit or relative to the diagonal l of the bodies' bounding box at rest. */
typedef struct {
  PetscReal value;
  PetscBool relative;
} AbutQuantity;

/** @brief The quantity in its unit, l being the length that relative ones refer to. Not collective. */
PETSC_EXTERN PetscReal AbutQuantityResolve(const AbutQuantity *quantity, PetscReal length);

/** What a condition measures: the gap between two along an axis (lowest of the second - highest of the first), or how low or high one reaches. */
typedef enum { ABUT_MEASURE_NONE, ABUT_MEASURE_GAP, ABUT_MEASURE_LOWEST, ABUT_MEASURE_HIGHEST } AbutMeasure;

/** What happens to a motion when its condition comes true: velocities change sign (every time it comes true), the vertices stay, or they are free. */
typedef enum { ABUT_ACTION_REVERSE, ABUT_ACTION_STOP, ABUT_ACTION_RELEASE } AbutAction;
PETSC_EXTERN const char *const AbutActions[]; /* "reverse", "stop", "release", "AbutAction", "ABUT_ACTION_", NULL */

typedef struct {
  AbutMeasure measure;
  char        subject[2][64]; /* names of bodies, obstacles, planes or grids of copies, "" = all bodies; the second for a gap */
  PetscInt    axis;           /* 0, 1, 2 */
  PetscBool   above;          /* true when the measure exceeds the limit, rather than falls below it */
  PetscReal   limit;          /* [m] */
  AbutAction  action;
} AbutCondition;

/** @brief Whether a text is a pattern of file names: it holds one number, as %d or %04d; %% stands for %. Not collective. */
PETSC_EXTERN PetscBool AbutSequenceIsPattern(const char text[]);

/** Positions from files, one a frame: frame k at time start + k interval, linear between; the last one stays. */
typedef struct {
  char      pattern[PETSC_MAX_PATH_LEN]; /* "dir/%d.obj", "" = none */
  PetscInt  first, count;                /* number of the first file, number of files */
  PetscReal interval;                    /* [s] */
} AbutSequence;

/** @brief File of a frame, from 0, of a sequence with a valid pattern. Not collective. */
PETSC_EXTERN void AbutSequencePath(const AbutSequence *sequence, PetscInt frame, char path[PETSC_MAX_PATH_LEN]);

/** @brief The first frame whose file cannot be read, its path, errno saying why; -1 if there is none. Not collective. */
PETSC_EXTERN PetscInt AbutSequenceFirstMissing(const AbutSequence *sequence, char path[PETSC_MAX_PATH_LEN]);

/**
  Prescribed motion of a set of vertices, or of a plane, over a time window: v = velocity + angular_velocity x (x - center). Motions of one
  vertex compose in their order: a later one moves what earlier ones have moved; a vertex stands still or is free only if none moves it.
**/
typedef struct {
  AbutSelectionSpec selection;
  PetscInt          plane;               /* index of the plane that moves instead of vertices, or -1; it may turn about its normal only */
  PetscReal         velocity[3];         /* [m/s] */
  PetscReal         angular_velocity[3]; /* [rad/s]; 2D: only the third component */
  PetscBool         follow;              /* rotate about the current bounding-box centre of the set rather than `center` */
  PetscReal         center[3];           /* [m] */
  PetscReal         start, end;          /* [s] active in [start, end) */
  PetscBool         hold;       /* keep the vertices where they are outside the window, rather than let them go (obstacles always stay) */
  AbutCondition     until;      /* looked at before every step */
  AbutSequence      sequence;   /* of a whole body or obstacle, vertices in file order; instead of velocities */
  char              place[128]; /* "scene.yaml:12" */
} AbutMotionSpec;

/** @brief Whether turning at an angular velocity leaves a plane of that normal parallel to itself. Not collective. */
PETSC_EXTERN PetscBool AbutTurnKeepsPlane(const PetscReal angular_velocity[3], const PetscReal normal[3]);

/** A dead load on a set of vertices over a time window. */
typedef struct {
  AbutSelectionSpec selection;
  PetscReal         acceleration[3]; /* [m/s^2] force per unit mass */
  PetscReal         traction[3];     /* [Pa] on the area at rest of surface faces all of whose vertices are selected */
  PetscReal         force[3];        /* [N] resultant, spread over the selected vertices by mass */
  PetscReal         start, end;      /* [s] */
  char              place[128];
} AbutLoadSpec;

typedef enum { ABUT_BOUNDARY_FREE, ABUT_BOUNDARY_MOVING, ABUT_BOUNDARY_HELD } AbutBoundaryState;

/** How a step discretises time; names "implicit-euler", "newmark", "bdf2", "quasi-static". */
typedef enum { ABUT_INTEGRATOR_EULER, ABUT_INTEGRATOR_NEWMARK, ABUT_INTEGRATOR_BDF2, ABUT_INTEGRATOR_STATIC } AbutIntegrator;
PETSC_EXTERN const char *const AbutIntegrators[];

/**
  When local Hessians are projected to positive semidefinite; names "clamp": always [Teran et al. 2005], "demand": all of them once the
  matrix turns out indefinite [Longva et al. 2023].
**/
typedef enum { ABUT_STRATEGY_CLAMP, ABUT_STRATEGY_DEMAND } AbutStrategy;
PETSC_EXTERN const char *const AbutStrategies[];

/** What a scene says about time stepping and contact. */
typedef struct {
  PetscReal      dt;      /* [s] */
  PetscReal      dt_min;  /* [s] a step that does not converge is halved down to this; equal to dt: never */
  PetscInt       steps;   /* number of steps of dt: the run ends at steps * dt ... */
  PetscReal      end;     /* [s] ... or here, where this is above 0: then the last step is shorter */
  PetscReal      landing; /* [s] step ends fall on multiples of it exactly; 0 = none */
  AbutIntegrator integrator;
  PetscReal      regularization; /* quasi-static: stiffness against rigid motion a unit mass [1/s^2]; 0 = free rigid modes are an error */
  AbutFrictionTable friction;    /* arrays owned by the scene */
  AbutQuantity      friction_speed; /* eps_v [m/s]; default 1e-3 l */
  PetscInt          friction_lags;  /* solves a step (2 in the first, which knows no forces before); 0 = until converged (eq. 17) */
  PetscInt          friction_most;
  AbutStrategy      strategy;
  PetscReal         gravity[3];    /* [m/s^2] */
  AbutQuantity      tolerance;     /* eps_d [m/s]: Newton stops when max |p| / dt is below it; default 1e-2 l */
  PetscInt          max_newton;    /* iterations that a solve may take; a step has one for each lag of friction */
  char              potential[32]; /* "ipc", "convergent-ipc", "oipc", "gcp" */
  AbutPotentialSpec orientation;   /* of the last three; default 1/2, 0, 0, 1 */
  AbutQuantity      dhat;          /* [m]; default 1e-3 l */
  PetscReal         kappa;         /* barrier stiffness: "ipc" [kg/m^2], else [J] over AbutPotentialSetStiffness()'s units; 0 = adaptive */
  PetscReal     relative_kappa;   /* instead: pressure of contact at half its range as a share of the largest Young's modulus; 0 = not so */
  PetscReal     reference_length; /* [m] l where the scene states it; 0 = the diagonal of the bodies */
  AbutCCDMethod ccd;
} AbutStepSpec;

/** @brief When the run ends [s]. */
static inline PetscReal AbutStepSpecEnd(const AbutStepSpec *spec)
{
  return spec->end > 0 ? spec->end : spec->steps * spec->dt;
}

/** @brief l: what the scene states, else the diagonal of the bodies (AbutMeshLocal.diagonal) [m]. Not collective. */
PETSC_EXTERN PetscReal AbutStepSpecLength(const AbutStepSpec *spec, PetscReal diagonal);

/** Everything a time step starts from: what a checkpoint holds. Arrays are [num_owned * dim]. */
typedef struct {
  PetscInt   step;                  /* steps done */
  PetscReal  time;                  /* [s] */
  PetscReal  dt;                    /* [s] of the next step, unless an output time is nearer */
  PetscReal  kappa;                 /* barrier stiffness as the potential has it: [J s^2] over AbutPotentialSetStiffness()'s units */
  PetscReal  c2;                    /* [s^2] energy derivatives of contact over it are newtons, in the step done last; 0 before the first */
  PetscInt   good;                  /* steps done since one was halved last */
  PetscReal *x, *v, *a;             /* positions, velocities, accelerations (Newmark) */
  PetscBool  a_known;               /* a is that of a Newmark step; else it is zero, and Newmark starts from the forces at x */
  PetscReal *x_old, *v_old, dt_old; /* of the step before, for BDF2 and friction; dt_old = 0 if there is none */
  PetscInt   num_motions, num_planes;
  PetscInt  *motion;      /* [num_motions] bits: what conditions have done, see AbutMotionFlag */
  PetscReal *plane_point; /* [num_planes * 3] */
} AbutState;

/** Bits of AbutState.motion. */
typedef enum { ABUT_MOTION_REVERSED = 1, ABUT_MOTION_STOPPED = 2, ABUT_MOTION_RELEASED = 4, ABUT_MOTION_MET = 8 } AbutMotionFlag;

/** What limited the line searches of a step most often. */
typedef enum { ABUT_LIMIT_NONE, ABUT_LIMIT_CCD, ABUT_LIMIT_INVERSION, ABUT_LIMIT_ENERGY, ABUT_LIMIT_BOUND, ABUT_NUM_LIMITS } AbutLimiter;
PETSC_EXTERN const char *const AbutLimiters[]; /* "none", "ccd", "inversion", "energy", "pair-bound" */

/** Iterations and solves of a step, summed over all attempts at it. */
typedef struct {
  PetscInt newton, linear;  /* iterations of Newton's method; of the Krylov method, one for a direct solution */
  PetscInt friction_lags;   /* solves, each with friction lagged at the solution of the one before */
  PetscInt linear_failures; /* linear solves that failed */
  PetscInt projected;       /* Newton iterations with projected Hessians */
} AbutStepCounts;

/** What limited the line searches of a step. */
typedef struct {
  PetscInt         limits[ABUT_NUM_LIMITS]; /* line searches limited by each cause; [ABUT_LIMIT_NONE]: full steps */
  AbutLimiter      limiter;                 /* the most frequent cause */
  PetscReal        smallest_step;           /* smallest accepted fraction of a Newton direction */
  AbutLimitingPair pair;                    /* the pair that limited that step */
} AbutSearchReport;

/** Contacts of a step. */
typedef struct {
  PetscInt  count, count_max;  /* at the end of the step; largest number at any iterate */
  PetscInt  candidates_max;    /* largest number on any rank in any search */
  PetscReal min_gap;           /* [m] at the end */
  PetscInt  sticking, sliding; /* friction contacts at the end */
} AbutContactReport;

/** Energies at the end of a step [J]. */
typedef struct {
  PetscReal kinetic, elastic, contact, gravity;
  PetscReal friction; /* dissipated by friction in this step, computed from the forces at its end */
} AbutEnergyReport;

/** Forces at the end of a step [N]; sums run over the vertices of bodies, not of obstacles. */
typedef struct {
  PetscReal contact[3], friction[3]; /* sums */
  PetscReal contact_max;             /* largest component of the contact force on a vertex */
  PetscReal residual;                /* largest force imbalance of a free vertex */
} AbutForceReport;

/** One accepted or failed step; equal on all ranks. */
typedef struct {
  PetscBool         converged;
  PetscBool         stopped;       /* the stop function ended the step */
  PetscBool         linear_failed; /* a linear solver broke down or ran out of iterations */
  PetscBool         exhausted;     /* the step took max_newton iterations */
  PetscBool         stuck;         /* line searches made no progress */
  PetscReal         dt;            /* [s] length of the step, or of the last attempt */
  PetscInt          halvings;      /* number of times the step was halved before it converged */
  AbutStepCounts    count;
  AbutSearchReport  search;
  AbutContactReport contact;
  AbutEnergyReport  energy;
  AbutForceReport   force;
  PetscReal         momentum[3], angular_momentum[3]; /* [kg m/s], [kg m^2/s] about the origin */
  PetscReal         kappa;                            /* AbutState.kappa */
  PetscReal friction_residual; /* [m/s] IPC eq. 17: first Newton direction of the last solve with friction lagged anew; 0 after one solve */
  PetscReal boundary_progress; /* fraction of the prescribed motion completed */
  const char *boundary_place;  /* "scene.yaml:12" of the motion with the smallest completed fraction, or NULL */
} AbutStepReport;

typedef struct _p_AbutStepper *AbutStepper;

/** @brief Creates a stepper over parts that it borrows and that must outlive it. Collective. */
PETSC_EXTERN PetscErrorCode AbutStepperCreate(AbutMesh mesh, AbutElastic elastic, AbutContact contact, AbutPotential potential,
                                              const AbutStepSpec *spec, PetscInt num_planes, const AbutPlaneSpec planes[],
                                              PetscInt num_motions, const AbutMotionSpec motions[], PetscInt num_loads,
                                              const AbutLoadSpec loads[], AbutStepper *stepper);
PETSC_EXTERN PetscErrorCode AbutStepperDestroy(AbutStepper *stepper);

/** @brief Options of SNES, KSP and PC, and -abut_ options of the line search and linear-solver choice. Collective. */
PETSC_EXTERN PetscErrorCode AbutStepperSetFromOptions(AbutStepper stepper);

/** @brief Borrows the state; the caller may write x, v, step, time into it before the first step (restart). Not collective. */
PETSC_EXTERN PetscErrorCode AbutStepperGetState(AbutStepper stepper, AbutState **state);

/**
  @brief The stiffness that a scene's relative_kappa comes to [J over AbutPotentialSetStiffness()'s units]; 0 if there is none. Not collective.
**/
PETSC_EXTERN PetscErrorCode AbutStepperGetRelativeStiffness(AbutStepper stepper, PetscReal *kappa);

/**
  @brief Makes one time step. Collective. A step that does not converge leaves the state as it was and says so in the report; that is no error.
**/
PETSC_EXTERN PetscErrorCode AbutStepperStep(AbutStepper stepper, AbutStepReport *report);

/** @brief Whether the time is that of the last step, steps * dt. Not collective. */
PETSC_EXTERN PetscErrorCode AbutStepperIsDone(AbutStepper stepper, PetscBool *done);

/** @brief Drops everything remembered between steps (matrix pattern, search trees), so that going on equals restarting, bit for bit. Collective. */
PETSC_EXTERN PetscErrorCode AbutStepperForget(AbutStepper stepper);

/** @brief Contact and friction force on each owned vertex at the end of the last step [num_owned * dim] [N]; friction may be NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutStepperGetContactForce(AbutStepper stepper, PetscReal contact[], PetscReal friction[]);

/** @brief Resultants by pair of bodies at the end of the last step, equal on all ranks; free with PetscFree(). Collective. */
PETSC_EXTERN PetscErrorCode AbutStepperGetPairForces(AbutStepper stepper, PetscInt *count, AbutPairForce **pairs);

/** A line per Newton iteration for progress reports; called on all ranks with the same values. */
typedef struct {
  PetscInt    step, iteration, linear_iterations, contacts;
  PetscReal   energy, gradient_norm, direction_norm; /* B [J s^2], |grad B|_2, max |p| / dt [m/s] */
  PetscReal   step_bound, step_length;               /* CCD and inversion bound; accepted */
  PetscReal   min_gap, kappa;
  AbutLimiter limiter;
} AbutNewtonReport;
typedef PetscErrorCode (*AbutNewtonMonitorFn)(const AbutNewtonReport *report, void *ctx);
PETSC_EXTERN PetscErrorCode AbutStepperSetMonitor(AbutStepper stepper, AbutNewtonMonitorFn fn, void *ctx);

/** A question asked once a Newton iteration on all ranks: true abandons the step (signals, wall-clock limit); the answer must be collective. */
typedef PetscErrorCode (*AbutStopFn)(void *ctx, PetscBool *stop);
PETSC_EXTERN PetscErrorCode AbutStepperSetStop(AbutStepper stepper, AbutStopFn fn, void *ctx);
