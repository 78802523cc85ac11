/* Private to src/solve/time: the stepper and its parts. */
#pragma once
#include <abut/time.h>
#include <abut/option.h>

/* Scales of the bodies; scales.c */
typedef struct {
  PetscReal      length, dhat, tolerance; /* reference length [m], activation distance [m], eps_d [m/s]; quasi-static: eps_x [m] */
  PetscReal      mean_stiffness;          /* geometric mean of the diagonal of the elastic Hessian at rest [N/m] */
  PetscReal      static_c2;      /* factor of forces in quasi-static steps: squared time in which elastic forces move a mass [s^2] */
  PetscReal     *body_stiffness; /* [num_bodies] largest diagonal of the elastic Hessian at rest [N/m] */
  PetscReal     *tie_stiffness;  /* [num_bodies] largest stiffness of ties at a vertex [N/m]; NULL without ties */
  PetscReal     *vertex_mass;    /* [num_owned] [kg] */
  PetscReal     *damping;        /* [num_owned] mass-proportional damping [kg/s] */
  AbutLumpedMass mass;           /* refers to vertex_mass */
} Scales;

/* Length of the current step; stepsize.c */
typedef struct {
  PetscReal  h, time_end; /* [s] */
  PetscInt   halvings;    /* of this step so far */
  PetscInt   num_corners;
  PetscReal *corner; /* [num_corners] times of the points of tables at which steps end, ascending [s] */
} StepSize;

/* Discretisation of time in the current step; integrator.c */
typedef struct {
  AbutMesh             mesh;
  const AbutMeshLocal *ml;
  AbutElastic          elastic;
  const AbutStepSpec  *spec;
  AbutState           *state;
  PetscReal            h;               /* [s] */
  PetscReal            c2, contact_c2;  /* factors of forces, and of contact and friction, in the objective [s^2] */
  PetscReal            rate;            /* v = rate (x - origin) [1/s] */
  PetscReal            backward;        /* BDF2: weight of the step before */
  PetscBool            continues_start; /* factor of masses in the inertia */
  PetscReal            weight;          /* factor of the masses in the inertia */
  PetscReal            static_c2;       /* see Scales */
  const PetscReal     *mass;            /* [num_owned] [kg] */
  const PetscReal     *damping;         /* [num_owned] mass-proportional damping [kg/s] */
  const PetscReal     *body_stiffness;  /* see Scales */
  PetscBool           *touches;         /* [num_bodies] the body is in contact at the end of the step */
  PetscBool            viscous;         /* some material has stiffness-proportional damping */
  PetscReal           *load;            /* [num_owned * dim] external forces without gravity [N]; set by the stepper */
  PetscReal           *shift;           /* [num_owned * dim] displacement from the origin to x_tilde [m] */
  PetscReal           *a_start;         /* [num_owned * dim] accelerations at the start (Newmark; first step of BDF2) [m/s^2] */
  PetscReal           *force, *x_work;  /* [num_local * dim] work space */
  AbutInertiaPart      inertia;         /* owned by the integrator */
  AbutElasticPart      viscosity;       /* damping */
} TimeIntegrator;

/* Lagged friction within a step; frictionlag.c */
typedef struct {
  AbutFriction friction;
  PetscBool    active;    /* some coefficient is above 0 */
  PetscBool    adaptive;  /* the threshold depends on the displacements of the step before */
  PetscReal    slip_unit; /* of the limits of the threshold, if it is adaptive [m] */
  PetscReal    slip_rate; /* eps_v [m/s]; quasi-static: slip in a step [m] */
  PetscReal    threshold; /* of the present step [m] */
  PetscReal    residual;  /* [m/s] IPC eq. 17 of the last solve; 0 after a single solve */
  PetscBool    settled;   /* as far as the scene asks, the last solve had the friction of its own normal forces */
  PetscReal   *sums;      /* [2 * bodies] AbutFrictionSumForces() of the last solve */
  PetscReal   *before;    /* [bodies] difference of these sums in the solve before: present minus lagged */
} FrictionLag;

/* Reactions; reactions.c */
typedef struct {
  PetscInt      count, motions; /* rows; of motions */
  AbutReaction *rows;           /* [count] */
  PetscInt     *subject;        /* [count] index of the body, the motion or the load; half space k: -1 - k */
  PetscInt     *start;          /* [count + 1] first vertex of each row */
  PetscInt     *vertices;       /* [start[count]] owned */
} Reactions;

/* Contexts of terms of the objective. */
typedef struct {
  AbutElasticPart  elasticity;
  AbutContactPart  barrier;
  AbutFrictionPart friction;
  AbutPressurePart pressure;
  AbutTiePart      tie;
} Terms;

struct _p_AbutStepper {
  MPI_Comm             comm;
  const AbutMeshLocal *ml;
  AbutModelParts       parts;
  AbutStepSpec         spec;
  Scales               scales;
  AbutState            state;
  PetscInt            *flags_start; /* [num_motions] state.motion before the current step */
  StepSize             size;
  TimeIntegrator       integrator;
  FrictionLag          lag;
  AbutConstraint       constraint;
  AbutLoads            loads;
  AbutObjective        objective;
  AbutIterate         *at;    /* of the objective */
  Terms                terms; /* of the objective */
  AbutDriveStep        drive; /* of the half space that a force drives */
  AbutNewton           newton;
  PetscReal            start[2]; /* [J] energy at the start of the step: of contacts, kinetic and gravity energy of this rank */
  AbutStepReport       report;
  Reactions            reactions;
};

/* Whether tables of loads have their value at the end of a step, where these integrators balance forces. Elsewhere impulses count. */
static inline PetscBool AbutLoadsActAtEnd(AbutStepper s)
{
  return (PetscBool)(s->spec.integrator == ABUT_INTEGRATOR_STATIC || s->spec.integrator == ABUT_INTEGRATOR_BDF2);
}

/* Duration by which velocities are multiplied to get lengths in a step of length h. Quasi-static steps have no velocities: 1. */
static inline PetscReal AbutTimeUnit(const AbutStepSpec *spec, PetscReal h)
{
  return spec->integrator == ABUT_INTEGRATOR_STATIC ? 1 : h;
}

/* scales.c. Collective. */
PETSC_INTERN PetscErrorCode AbutScalesCreate(const AbutModelParts *parts, const AbutStepSpec *spec, Scales *scales);
/* Sets the stiffness of ties (NULL: none), too. */
PETSC_INTERN PetscErrorCode AbutScalesSetStiffness(AbutObjective objective, const AbutModelParts *parts, AbutTies ties, Scales *scales);

/* stepsize.c. Not collective, equal on all ranks. */
/* Collects the points of the tables of motions and loads at which steps end; free size->corner with PetscFree(). */
PETSC_INTERN PetscErrorCode AbutStepSizeCreate(const AbutModelParts *parts, const AbutStepSpec *spec, StepSize *size);
/* Length and end of the next step. */
PETSC_INTERN void AbutStepSizeBegin(const AbutStepSpec *spec, const AbutState *state, StepSize *size);
/* Halves a step that failed; false if it would be shorter than the smallest step. */
PETSC_INTERN PetscBool AbutStepSizeHalve(const AbutStepSpec *spec, const AbutState *state, StepSize *size);
/* Sets number, time and next length of the state after an accepted step. */
PETSC_INTERN void AbutStepSizeAccept(const AbutStepSpec *spec, const StepSize *size, AbutState *state);

/* integrator.c */
PETSC_INTERN PetscErrorCode AbutTimeIntegratorCreate(const AbutModelParts *parts, const AbutStepSpec *spec, AbutState *state,
                                                     const Scales *scales, TimeIntegrator *integrator);
PETSC_INTERN PetscErrorCode AbutTimeIntegratorDestroy(TimeIntegrator *integrator);
/*
  Sets coefficients, inertia and predictor for a step of length h from the state. x_start, load and the factors of `pressures` (NULL: none)
  must be set. Collective.
*/
PETSC_INTERN PetscErrorCode AbutTimeIntegratorBegin(TimeIntegrator *integrator, PetscReal h, AbutPressures pressures);
/*
  Sets positions, velocities and accelerations of the state after a step that ends at x. residual: gradient of B there [kg m]; contact,
  friction: forces there [N].
*/
PETSC_INTERN PetscErrorCode AbutTimeIntegratorAccept(TimeIntegrator *integrator, const PetscReal x[], const PetscReal residual[],
                                                     const PetscReal contact[], const PetscReal friction[]);
/* Sets inertia and predictor of a half space of a mass with the weight g m along its normal; see AbutState.driven. */
PETSC_INTERN void AbutTimeIntegratorBeginDriven(const TimeIntegrator *integrator, PetscReal mass, PetscReal g, AbutDriveStep *drive);
/* Sets AbutState.driven after a step in which it travelled; reaction, load: forces on it along its normal [N]. Before Accept(). */
PETSC_INTERN void AbutTimeIntegratorAcceptDriven(TimeIntegrator *integrator, const AbutDriveStep *drive, PetscReal travel,
                                                 PetscReal reaction, PetscReal load);
/* Whether AbutTimeIntegratorAccept() reads contact and friction forces. */
PETSC_INTERN PetscBool AbutTimeIntegratorNeedsForces(const TimeIntegrator *integrator);

/* start.c */
/* Moves prescribed vertices and half spaces towards their targets as far as contact and cells allow. Collective. */
PETSC_INTERN PetscErrorCode AbutStartPush(AbutStepper s);
/* Moves the iterate by the velocities of the state if that lowers the objective. *energy_known: its energy was evaluated. Collective. */
PETSC_INTERN PetscErrorCode AbutStartPredict(AbutStepper s, PetscBool *energy_known);

/* frictionlag.c */
PETSC_INTERN PetscErrorCode AbutFrictionLagDestroy(FrictionLag *lag);
PETSC_INTERN PetscErrorCode AbutFrictionLagCreate(const AbutModelParts *parts, const AbutStepSpec *spec, PetscReal length,
                                                  FrictionLag *lag);
/* Lags friction at the state; the iterate must equal the state. Collective. */
PETSC_INTERN PetscErrorCode AbutFrictionLagBegin(AbutStepper s);
/* Runs Newton's method, and lags friction again as often as the scene asks for; without friction it solves once. Collective. */
PETSC_INTERN PetscErrorCode AbutFrictionLagSolve(AbutStepper s);
/* Adds sticking and sliding contacts and dissipation to the report. Collective. */
PETSC_INTERN PetscErrorCode AbutFrictionLagReport(AbutStepper s);

/* bodies.c: sets squeeze, squeezed_body and damped of the report; contact: [num_owned * dim] contact forces [N]. Collective. */
PETSC_INTERN PetscErrorCode AbutReportBodies(AbutStepper s, const PetscReal contact[], AbutForceReport *report);

/* report.c */
PETSC_INTERN PetscErrorCode AbutReportStep(AbutStepper s);
/* Keeps the energies at the start of the step for its report. Not collective. */
PETSC_INTERN void AbutReportBegin(AbutStepper s);

/* reactions.c: names and vertices of all reactions. Collective. */
PETSC_INTERN PetscErrorCode AbutReactionsCreate(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutReactionsDestroy(AbutStepper s);

/* surface.c: adds the slips of the step to AbutState.slip. Collective. */
PETSC_INTERN PetscErrorCode AbutSurfaceAccumulateSlip(AbutStepper s);
