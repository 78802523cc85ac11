/**
  @file time.h
  @brief Time stepping: integrators, length of steps, and the stepper, which minimises one incremental potential per step.

  The objective of a step is stated in objective.h, one iteration of Newton's method in newton.h. A step makes, in this order:

  1. the length h of the step, see AbutStepSpec;
  2. friction lagged at the state: normal forces, tangents and stick states of the end of the step before;
  3. conditions of motions, targets of prescribed vertices and half spaces;
  4. loads, coefficients of the integrator, predictor;
  5. one push of prescribed vertices and half spaces towards their targets, as far as contact allows;
  6. barrier stiffness;
  7. a start of Newton's method at the velocities of the step before, if that lowers the objective;
  8. Newton's method; it is repeated while contacts that stuck must be released, and with friction lagged anew as often as the scene asks;
  9. velocities, accelerations and positions of half spaces of the new state, and the report.

  If 8 does not converge, the step is halved and tried again from the same state, down to the smallest step.
**/
#pragma once
#include <abut/newton.h>
#include <abut/option.h>

/** A length or speed, in its unit or relative to a reference length l. */
typedef struct {
  PetscReal value;    /* absolute, or relative to a length */
  PetscBool relative; /* whether the value is relative */
} AbutQuantity;

/**
  @brief The quantity in its unit. Not collective. @param[in] length  the reference length l that relative quantities are multiplied by [m]
**/
PETSC_EXTERN PetscReal AbutQuantityResolve(const AbutQuantity *quantity, PetscReal length);

/** Integrator; names "implicit-euler", "newmark", "contact-implicit-newmark", "bdf2", "quasi-static". */
typedef enum {
  ABUT_INTEGRATOR_EULER,
  ABUT_INTEGRATOR_NEWMARK,
  ABUT_INTEGRATOR_CONTACT_IMPLICIT_NEWMARK,
  ABUT_INTEGRATOR_BDF2,
  ABUT_INTEGRATOR_STATIC
} AbutIntegrator;
PETSC_EXTERN const char *const AbutIntegrators[]; /* names of the enumerators */

/** Time stepping and contact as a scene describes them. */
typedef struct {
  PetscReal      dt;             /* [s] */
  PetscReal      dt_min;         /* [s] a step that does not converge is halved down to this; equal to dt: never */
  PetscInt       steps;          /* the run ends at time steps * dt, */
  PetscReal      end;            /* [s] or at this time if it is above 0: then the last step, or the last two, are shorter */
  PetscReal      landing;        /* [s] steps end exactly on multiples of this time; 0 = none */
  AbutIntegrator integrator;     /* discretisation of time */
  PetscReal      regularization; /* quasi-static: stiffness against rigid motion a unit mass [1/s^2]; 0 = free rigid modes are an error */
  AbutFrictionTable friction;    /* arrays owned by the caller (the scene); AbutStepperCreate() copies their values */
  AbutQuantity      friction_speed; /* eps_v [m/s]; quasi-static: slip in a step [m], 0 = from the displacements of the step before */
  PetscInt friction_lags; /* solves a step (2 in the first step, before which no forces are known); 0 = until normal forces change little */
  PetscBool    friction_converge; /* instead: until converged (IPC eq. 17) */
  PetscInt     friction_most;     /* solves a step at most, if until converged; the step is accepted after the last one */
  AbutStrategy strategy;          /* projection of local Hessians */
  PetscReal    gravity[3];        /* [m/s^2] */
  AbutQuantity tolerance;  /* eps_d [m/s], quasi-static eps_x [m]: Newton's method stops when max |p| / dt, or max |p|, is below it */
  PetscReal    balance;    /* eps_F: and when the imbalance of each body is below this fraction of its forces; 0: forces do not matter */
  PetscInt     max_newton; /* iterations of a solve at most; a step has a solve for each lag of friction and for each release */
  /* `potential` and `orientation` are not read by the stepper: AbutSimulationCreate() gives them to the potential */
  char              potential[32]; /* "ipc", "convergent-ipc", "oipc", "gcp" */
  AbutPotentialSpec orientation;   /* parameters of all potentials but "ipc"; default 1/2, 0, 0, 0 */
  AbutQuantity      dhat;          /* [m]; default 1e-3 l */
  PetscReal         kappa; /* number of the scene: "ipc" [kg/m^2], else [J] over AbutPotentialSetStiffness()'s units; 0 = adaptive */
  PetscReal
    relative_kappa; /* given instead: contact pressure at half the activation distance over the largest Young's modulus; 0 = not given */
  PetscReal reference_length; /* [m] l if the scene gives it; 0 = the diagonal of the bodies */
} AbutStepSpec;

/** @brief Time at which the run ends [s]. */
static inline PetscReal AbutStepSpecEnd(const AbutStepSpec *spec)
{
  return spec->end > 0 ? spec->end : spec->steps * spec->dt;
}

/**
  @brief Reference length l: that of the scene, or else `diagonal`, that of the bodies' bounding box at rest (AbutMeshLocal.diagonal) [m].
  Not collective.
**/
PETSC_EXTERN PetscReal AbutStepSpecLength(const AbutStepSpec *spec, PetscReal diagonal);

/** Motion of a half space with mass that a force drives, along its normal. */
typedef struct {
  PetscReal v, a;   /* velocity [m/s]; acceleration (Newmark's methods), as AbutState.a [m/s^2] */
  PetscReal v_old;  /* velocity at the start of the last step [m/s] */
  PetscReal travel; /* in the last step [m] */
} AbutDriven;

/** State between time steps: the contents of a checkpoint. Arrays of reals are [num_owned * dim] unless stated otherwise. */
typedef struct {
  PetscInt       step; /* number of completed steps */
  PetscReal      time; /* [s] */
  PetscReal      dt; /* [s] of the next step, in [AbutStepSpec.dt_min, dt], unless an output time is nearer; not read if these are equal */
  PetscReal      kappa;     /* barrier stiffness in the last step [J s^2 over the units of AbutPotentialSetStiffness()] */
  PetscReal      c2;        /* [s^2] factor of contact in the objective of the last step, see objective.h; 0 before the first step */
  PetscInt       good;      /* steps without halving; starts again at 0 after four */
  PetscReal     *x, *v, *a; /* positions [m], velocities [m/s], accelerations [m/s^2] (Newmark's methods) */
  AbutIntegrator a_of;      /* of the last step; if it is another one, Newmark's methods start from the forces at x instead of a */
  PetscReal     *x_old, *v_old, dt_old;   /* of the step before, for BDF2 and friction; dt_old = 0 if there is none */
  PetscInt       num_motions, num_planes; /* lengths of the arrays */
  PetscInt      *motion;                  /* [num_motions] AbutMotionFlag */
  PetscReal     *plane_point;             /* [num_planes * 3] [m] */
  PetscReal     *plane_turn;              /* [num_planes * 3] rotation since the start of the run, a vector along the normal [rad] */
  AbutDriven     driven;                  /* zeros without a half space with mass */
  PetscReal     *slip;                    /* [num_owned] accumulated slip: sum over the steps of AbutFrictionGetVertexSlips() [m] */
  AbutElastic    elastic;                 /* its plastic and viscous strains belong to the state; borrowed; NULL: none */
} AbutState;

/** Contacts of a step. */
typedef struct {
  PetscInt  count, count_max;  /* at the end of the step; largest number at any iterate */
  PetscInt  candidates_max;    /* largest number on any rank in any search */
  PetscReal min_gap;           /* [m] at the end */
  PetscInt  sticking, sliding; /* friction contacts at the end */
  PetscReal creep;             /* [m] slip of the contacts that stick, in the mean over all, weighted by friction forces */
  PetscReal displacement;      /* [m] largest component in a step with friction, else 0 */
} AbutContactReport;

/** Energies at the end of a step [J]. */
typedef struct {
  PetscReal kinetic, elastic, contact, gravity; /* [J] */
  PetscReal friction;                           /* dissipated by friction in this step, computed from the forces at its end */
  PetscReal dissipated;                         /* by materials since the start of the run, AbutElasticDissipation() */
  PetscReal ties;                               /* part of `elastic` in ties */
  PetscReal released;  /* by contacts to bodies in this step, beyond the work to lift all bodies by the activation distance */
  PetscReal round_off; /* of the elastic and the gravity energy */
} AbutEnergyReport;

/** Forces at the end of a step [N]; sums run over the vertices of bodies, not of obstacles. */
typedef struct {
  PetscReal contact[3], friction[3]; /* sums */
  PetscReal contact_max;             /* largest component of the contact force on a vertex */
  PetscReal residual;                /* largest force imbalance of a free vertex */
  PetscReal imbalance;               /* largest imbalance of a body over its forces, see newton.h [1] */
  PetscInt  imbalance_body;          /* index of that body; -1 if no body has forces */
  PetscBool at_round_off;            /* an imbalance above AbutStepSpec.balance was accepted because it is round-off, */
  PetscBool unbalanced;              /* or because Newton's method did not reduce it any further */
  PetscReal squeeze;                 /* contact force on one side of the body that prescribed motion squeezes most */
  PetscInt  squeezed_body;           /* index of that body; -1 if loads and inertia can cause all contact forces */
  PetscReal damped;                  /* [J] energy that implicit Euler took from bodies without contact in this step */
} AbutForceReport;

/** One accepted or failed step; equal on all ranks. */
typedef struct {
  PetscBool         converged;                        /* false: the state is unchanged */
  PetscBool         stopped;                          /* the stop function ended the step */
  PetscBool         linear_failed;                    /* a linear solver broke down or ran out of iterations */
  PetscBool         exhausted;                        /* the last solve took max_newton iterations */
  PetscBool         stuck;                            /* line searches made no progress */
  PetscReal         dt;                               /* [s] length of the step, or of the last attempt */
  PetscInt          halvings;                         /* number of times the step was halved before it converged */
  AbutStepCounts    count;                            /* iterations and solves */
  AbutSearchReport  search;                           /* line searches */
  AbutContactReport contact;                          /* contacts */
  AbutEnergyReport  energy;                           /* [J] */
  AbutForceReport   force;                            /* [N] */
  PetscReal         momentum[3], angular_momentum[3]; /* [kg m/s], [kg m^2/s] about the origin */
  PetscReal         kappa;                            /* AbutState.kappa */
  PetscBool         friction_settled;                 /* false: most solves were not enough for friction to agree with its normal forces */
  PetscReal   friction_residual;   /* [m/s] IPC eq. 17: first Newton direction of the last solve, over its relaxation; 0 after one solve */
  PetscReal   boundary_progress;   /* fraction of the prescribed motion completed */
  char        linear_failure[192]; /* text on the last linear solve that failed, "" if none did */
  const char *boundary_place;      /* AbutMotionSpec.place of the motion with the smallest completed fraction, borrowed; NULL: converged */
} AbutStepReport;

/** Time stepping of one model. */
typedef struct _p_AbutStepper *AbutStepper;

/**
  @brief Creates a stepper at the positions of AbutMeshGetStart() and the initial velocities. Collective.
  @param[in]  parts    the struct is copied; objects and arrays that it refers to are borrowed until AbutStepperDestroy()
  @param[in]  spec     copied, with the values of its friction table; not needed after the call
  @param[out] stepper  to be freed with AbutStepperDestroy(), also after an error
  Errors: ABUT_ERR_INPUT for motions, loads or friction that the mesh or the half spaces do not admit, with the place in the scene.
**/
PETSC_EXTERN PetscErrorCode AbutStepperCreate(const AbutModelParts *parts, const AbutStepSpec *spec, AbutStepper *stepper);

/** @brief Frees the object; does nothing if *stepper is NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutStepperDestroy(AbutStepper *stepper);

/**
  @brief Reads the options of every policy: time stepping, constraint, objective, Newton's method, SNES, KSP and PC. Collective.
  To be called once, before the first step. Errors: ABUT_ERR_INPUT for a value out of range.
**/
PETSC_EXTERN PetscErrorCode AbutStepperSetFromOptions(AbutStepper stepper);

/** @brief Prints all option values in force. Collective. */
PETSC_EXTERN PetscErrorCode AbutStepperView(AbutStepper stepper, PetscViewer viewer);

/**
  @brief The state; borrowed until AbutStepperDestroy(). Pointer and arrays stay at their addresses, each accepted step changes the values.
  The caller may write all values before the first step (restart), but not the pointers, num_motions and num_planes. Not collective.
**/
PETSC_EXTERN AbutState *AbutStepperGetState(AbutStepper stepper);

/** @brief The objective, borrowed until AbutStepperDestroy(): terms may be added before the first step. Not collective. */
PETSC_EXTERN AbutObjective AbutStepperGetObjective(AbutStepper stepper);

/** @brief Newton's method, borrowed: for AbutNewtonSetMonitor(), AbutNewtonSetStop() and AbutStiffnessGetRelative(). Not collective. */
PETSC_EXTERN AbutNewton AbutStepperGetNewton(AbutStepper stepper);

/**
  @brief Makes one time step. Collective.

  | outcome | return value | state | report |
  |---|---|---|---|
  | converged | 0 | the new one | complete, `converged` true |
  | not converged, also with the smallest length | 0 | unchanged | of the last attempt |
  | ended by the stop function | 0 | unchanged | of the attempt, `stopped` true |
  | quasi-static body that leaves its support and moves by more than half its size | ABUT_ERR_DIVERGED | unchanged | not written |
  | quasi-static body without support, or supported by contact only in a step that failed | ABUT_ERR_INPUT | unchanged | not written |
  | frame of a sequence that cannot be read or has another number of vertices | ABUT_ERR_INPUT | unchanged | not written |
  | option value, solver package or combination of options that PETSc rejects at set-up | ABUT_ERR_INPUT | unchanged | not written |
  | more contact candidates than -contact_max_pairs even at step 0 | ABUT_ERR_DIVERGED | unchanged | not written |
  | surface vertex or half space not finite or beyond ABUT_CONTACT_MAX_LENGTH | ABUT_ERR_DIVERGED | unchanged | not written |
  | solver that does not converge, with an option such as -ksp_error_if_not_converged | ABUT_ERR_DIVERGED | unchanged | not written |
  | surfaces that pass through each other between iterates, found with -check_iterates | ABUT_ERR_DIVERGED | unchanged | not written |
  | barrier stiffness, or slip eps_v h at which sticking ends, that is 0 or not finite | ABUT_ERR_INPUT | unchanged | not written |
  | other error of PETSc or MPI, memory, or of a callback | its code | unchanged | not written |
  | error of PETSc or MPI, or memory, while a converged Newmark step is accepted | its code | `motion` new, else unchanged | not written |
  | any error after acceptance, while the report is computed | its code | the new one | not written |

  All ranks return the same ABUT_ERR_... code of this table; AbutInitialize() installs the error handler that gives errors of PETSc these
  codes. Do not set -sub_ksp_error_if_not_converged on several ranks: this option makes an inner solver return its code on its own rank
  only.

  Another error of PETSc, MPI or memory, and an error of a monitor, stop function or term, is returned only on the ranks where it occurs,
  and the other ranks wait in a collective call. The caller then ends the program by MPI_Abort(), as the program abut does. A callback that
  can fail on one rank only calls AbutAgree() itself.

  After an error contact, potential and AbutObjective hold the last iterate, not the state. After one of the ABUT_ERR_... codes the state
  may be read and written to a checkpoint; then the stepper is to be destroyed. Further steps after an error are not supported. After a
  step without an error, converged or not, further steps may follow.
**/
PETSC_EXTERN PetscErrorCode AbutStepperStep(AbutStepper stepper, AbutStepReport *report);

/**
  @brief Checks the start of a quasi-static run: the error with which the first step would end before it computes anything, for instance of
  a body without support. Collective. The stepper is to be destroyed afterwards. Errors: as AbutStepperStep().
**/
PETSC_EXTERN PetscErrorCode AbutStepperCheckStart(AbutStepper stepper);

/** @brief Result of the search for a tie. Not collective. @param[in] tie  number of the tie in AbutModelParts */
PETSC_EXTERN const AbutTieReport *AbutStepperGetTie(AbutStepper stepper, PetscInt tie);

/** @brief Whether two bodies are the same or connected by ties. Not collective. */
PETSC_EXTERN PetscBool AbutStepperAreTied(AbutStepper stepper, PetscInt a, PetscInt b);

/** @brief Whether the time has reached the end of the run, AbutStepSpecEnd(). Not collective. */
PETSC_EXTERN PetscBool AbutStepperIsDone(AbutStepper stepper);

/**
  @brief Drops matrix pattern, lagged factorisation and search structures, so that a run that continues equals a restarted one bit for bit.
  Collective.
**/
PETSC_EXTERN PetscErrorCode AbutStepperForget(AbutStepper stepper);

/**
  @brief Contact and friction forces on owned vertices at the end of the last step. Collective. To be called after a converged step, before
  the next step and before any other contact search.
  @param[out] contact   [num_owned * dim] [N]
  @param[out] friction  [num_owned * dim] [N], or NULL
**/
PETSC_EXTERN PetscErrorCode AbutStepperGetContactForce(AbutStepper stepper, PetscReal contact[], PetscReal friction[]);

/** @brief Volumes and pressures at the iterate, equal on all ranks; borrowed. Not collective. @param[out] num  loads of these kinds */
PETSC_EXTERN const AbutPressureReport *AbutStepperGetPressures(AbutStepper stepper, PetscInt *num);

/**
  @brief Resultants by pair of bodies at the end of the last step, with areas and centres, equal on all ranks. Collective. To be called at
  the same time as AbutStepperGetContactForce().
  @param[out] count  number of pairs
  @param[out] pairs  [count] to be freed with PetscFree()
**/
PETSC_EXTERN PetscErrorCode AbutStepperGetPairForces(AbutStepper stepper, PetscInt *count, AbutPairForce **pairs);

/**
  Fields of the contact surface on owned vertices, of bodies and obstacles. Vectors are [num_owned * dim], others [num_owned]. Tractions are
  the forces of AbutStepperGetContactForce() over the tributary area, so that traction times area sums to the resultants of the pairs; they
  are 0 at vertices without area (AbutMeshGetVertexAreas()).
**/
typedef struct {
  PetscReal *area;              /* tributary area at the current positions [m^2; 2D: m] */
  PetscReal *pressure;          /* length of `traction` [Pa] */
  PetscReal *traction;          /* contact force over area, without friction [Pa] */
  PetscReal *friction_traction; /* friction force over area [Pa] */
  PetscReal *gap;               /* smallest distance of the active contacts of the vertex; dhat without contact [m] */
  PetscReal *slip_rate;         /* slip of the last step over its length [m/s] */
  PetscReal *slip;              /* AbutState.slip [m] */
  PetscReal *stick;             /* AbutStickState */
} AbutSurfaceFields;

/**
  @brief Fields of the contact surface at the end of the last step. Collective. To be called at the same time as
  AbutStepperGetContactForce(), or before the first step of a run: then no vertex is in contact.
  @param[out] fields  each array is allocated by PetscMalloc1(); AbutSurfaceFieldsFree() frees them
**/
PETSC_EXTERN PetscErrorCode AbutStepperGetSurface(AbutStepper stepper, AbutSurfaceFields *fields);

/** @brief Frees the arrays that are not NULL. Not collective. */
PETSC_EXTERN PetscErrorCode AbutSurfaceFieldsFree(AbutSurfaceFields *fields);

/** Subject of a reaction; names "obstacle", "motion", "load". */
typedef enum { ABUT_REACTION_OBSTACLE, ABUT_REACTION_MOTION, ABUT_REACTION_LOAD } AbutReactionKind;
PETSC_EXTERN const char *const AbutReactionKinds[]; /* names of the enumerators */

/**
  Travel of an obstacle, of the vertices of a motion or of a load since the start of the run, and the force that acts on the bodies through
  it. In 2D forces are per metre of thickness.

  - Obstacle: the contact and friction forces on bodies. Motions of obstacles have no entry of their own.
  - Motion: the forces that hold its prescribed vertices: elastic and damping forces and inertia minus contact, friction, loads and gravity.
    The acceleration is the mean one of the step. Free vertices, such as after the end of a motion, count 0. A force on a component
    that several motions prescribe counts in the first of them in the list.
    With contact-implicit Newmark contact and friction act all over the step, elastic forces at its end.
  - Load: its force in the last step.
**/
typedef struct {
  char             name[104];   /* unique: obstacle, or BODY[/GROUP] of the selection, else the kind; repeated names get a number */
  AbutReactionKind kind;        /* subject */
  PetscReal        travel[3];   /* mean displacement of the vertices; of the point of a half space [m] */
  PetscReal        rotation[3]; /* least-squares rotation of the vertices as a vector, length in [0, pi]; AbutState.plane_turn [rad] */
  PetscReal        center[3];   /* mean position of the vertices; point of a half space [m] */
  PetscReal        force[3];    /* on the bodies [N] */
  PetscReal        moment[3];   /* of this force about `center` [N m] */
} AbutReaction;

/**
  @brief Reactions at the end of the last step, equal on all ranks: obstacles, half spaces, motions, loads. Collective. To be called at the
  same time as AbutStepperGetContactForce().
  @param[out] count      number of reactions, the same in all steps
  @param[out] reactions  [count] borrowed until the next call
**/
PETSC_EXTERN PetscErrorCode AbutStepperGetReactions(AbutStepper stepper, PetscInt *count, const AbutReaction **reactions);
