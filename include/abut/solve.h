/**
  @file solve.h
  @brief Time steps: each minimises one incremental potential by Newton's method with a line search that never crosses a contact.

      B(x) = 1/2 (x - x~)^T M (x - x~) + h^2 Psi(x) + kappa sum_k b(d_k(x)) + moving-boundary terms        [Li et al. 2020, eq. 2-5]
**/
#pragma once
#include <abut/contact.h>
#include <abut/elastic.h>
#include <abut/potential.h>
#include <petscsnes.h>

/** A length or speed given in its unit or relative to the diagonal l of the bodies' bounding box at rest. */
typedef struct {
  PetscReal value;
  PetscBool relative;
} AbutQuantity;

/** Prescribed motion of a set of vertices over a time window: v = velocity + angular_velocity x (x - center). */
typedef struct {
  AbutSelectionSpec selection;
  PetscReal         velocity[3];         /* [m/s] */
  PetscReal         angular_velocity[3]; /* [rad/s]; 2D: only the third component */
  PetscBool         follow;              /* rotate about the current bounding-box centre of the set rather than `center` */
  PetscReal         center[3];           /* [m] */
  PetscReal         start, end;          /* [s] active in [start, end) */
  PetscBool         hold;       /* keep the vertices where they are outside the window, rather than let them go (obstacles always stay) */
  char              place[128]; /* "scene.yaml:12" */
} AbutMotionSpec;

typedef enum { ABUT_BOUNDARY_FREE, ABUT_BOUNDARY_MOVING, ABUT_BOUNDARY_HELD } AbutBoundaryState;

/** What a scene says about time stepping and contact. */
typedef struct {
  PetscReal     dt;               /* [s] */
  PetscInt      steps;            /* number of time steps */
  PetscReal     gravity[3];       /* [m/s^2] */
  AbutQuantity  tolerance;        /* eps_d [m/s]: Newton stops when max |p| / dt is below it; default 1e-2 l */
  PetscInt      max_newton;       /* iterations a step may take */
  char          potential[32];    /* "ipc" */
  AbutQuantity  dhat;             /* [m]; default 1e-3 l */
  PetscReal     kappa;            /* barrier stiffness; 0 = adaptive */
  PetscReal     reference_length; /* [m] l where the scene states it; 0 = the diagonal of the bodies */
  AbutCCDMethod ccd;
} AbutStepSpec;

/** Everything a time step starts from: what a checkpoint holds. Arrays are [num_owned * dim]. */
typedef struct {
  PetscInt   step; /* steps done */
  PetscReal  time; /* [s] */
  PetscReal  kappa;
  PetscReal *x, *v;
} AbutState;

/** What limited the line searches of a step most often. */
typedef enum { ABUT_LIMIT_NONE, ABUT_LIMIT_CCD, ABUT_LIMIT_INVERSION, ABUT_LIMIT_ENERGY, ABUT_LIMIT_BOUND } AbutLimiter;
PETSC_EXTERN const char *const AbutLimiters[]; /* "none", "ccd", "inversion", "energy", "pair-bound" */

/** One accepted (or failed) step, the same on all ranks. */
typedef struct {
  PetscBool   converged;
  PetscBool   stopped;       /* abandoned because the stop function said so */
  PetscBool   linear_failed; /* ended by a linear solver that broke down or ran out of iterations */
  PetscInt    newton_iterations, linear_iterations, friction_lags;
  PetscInt    contacts, contacts_max; /* at the end; the largest within the step */
  PetscInt    candidates_max;         /* on a rank, in any search of the step */
  PetscReal   min_gap;                /* [m] at the end */
  PetscReal   kappa;
  PetscReal   energy_kinetic, energy_elastic, energy_contact, energy_gravity; /* [J] */
  PetscReal   momentum[3], angular_momentum[3];
  PetscReal   contact_force[3];  /* [N] sum over the bodies' vertices (planes and obstacles react) */
  PetscReal   residual;          /* [N] largest force imbalance of a free vertex */
  PetscReal   boundary_progress; /* share of the prescribed motion done, 1 = all */
  AbutLimiter limiter;
  PetscReal   smallest_step; /* smallest accepted line-search step */
  AbutBlame   blame;         /* pair that limited that step */
} AbutStepReport;

typedef struct _p_AbutStepper *AbutStepper;

/** @brief Creates a stepper over parts that it borrows and that must outlive it. Collective. */
PETSC_EXTERN PetscErrorCode AbutStepperCreate(AbutMesh mesh, AbutElastic elastic, AbutContact contact, AbutPotential potential,
                                              const AbutStepSpec *spec, PetscInt num_motions, const AbutMotionSpec motions[],
                                              AbutStepper *stepper);
PETSC_EXTERN PetscErrorCode AbutStepperDestroy(AbutStepper *stepper);

/** @brief Options of SNES, KSP and PC, and -abut_ options of the line search and linear-solver choice. Collective. */
PETSC_EXTERN PetscErrorCode AbutStepperSetFromOptions(AbutStepper stepper);

/** @brief Borrows the state; the caller may write x, v, step, time into it before the first step (restart). Not collective. */
PETSC_EXTERN PetscErrorCode AbutStepperGetState(AbutStepper stepper, AbutState **state);

/**
  @brief Makes one time step. Collective. A step that does not converge leaves the state as it was and says so in the report; that is no error.
**/
PETSC_EXTERN PetscErrorCode AbutStepperStep(AbutStepper stepper, AbutStepReport *report);

/** @brief Drops everything remembered between steps (matrix pattern, search trees), so that going on equals restarting, bit for bit. Collective. */
PETSC_EXTERN PetscErrorCode AbutStepperForget(AbutStepper stepper);

/** @brief Contact force on each owned vertex at the end of the last step [num_owned * dim] [N]. Collective. */
PETSC_EXTERN PetscErrorCode AbutStepperGetContactForce(AbutStepper stepper, PetscReal force[]);

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
