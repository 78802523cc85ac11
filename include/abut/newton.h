/**
  @file newton.h
  @brief Newton's method on the incremental potential: SNES with a line search that never crosses a contact, and its policies.

  Each iteration, in this order (src/solve/newton/newton.c):

  1. Stopping test, from values of the last iteration: its direction p, displacements of half spaces included, satisfies
     \f$ \|p\|_\infty / h < \epsilon_d \f$ [Li et al. 2020, section 4], its linear system was solved, all prescribed motion is complete,
     step 7 did not change the objective, and the forces of each body are balanced to eps_F (AbutNewtonParts.balance;
     src/solve/newton/equilibrium.c has the test), or cannot be balanced any better: the step is 0, or forces are round-off, or the
     imbalance was not halved in 30 such iterations; then AbutNewtonResult.unbalanced says so. In coarse and quasi-static steps p must also
     be at most a hundredth of the longest direction. eps_d is a speed [m/s], in quasi-static steps a length [m] (h = 1). Without
     incomplete motion a gradient of 0 also satisfies the test, and at the start of a
     solve a gradient that is round-off. If the test fails, the stop function is called.
  2. Hessian, projected by the strategy, and its factorisation or preconditioner.
  3. Direction p = -H^-1 g; with moving half spaces the bordered system.
  4. Step bound: the largest step without intersection or inversion. If CCD bounds it below 0.3, directions with predicted
     contacts replace p (src/solve/newton/predict.c); the stopping test then fails.
  5. Line search: the step is halved until B does not increase. An increase counts as none up to the larger of 1e-14 AbutEnergySize()
     and M / 2 (1e-3 eps_d h)^2, with the mass M of all bodies. Unless half spaces have an incomplete motion, slopes decide where the
     expected decrease is below the measured round-off of B. If they show no decrease and |p| / h < eps_d, the step is 0, and 6 follows. In
     all other cases without a step the start of the line is restored, and the solve ends without convergence.
  6. Acceptance: the new iterate with its contact stencils and gradient; selection of friction Hessians (AbutFrictionUpdateMajorizers()).
  7. Update of the objective, in this order: fractions, penalty and multipliers of prescribed motion (AbutConstraintUpdate()), barrier
     stiffness (AbutStiffnessUpdate()). The objective changes with penalty, multipliers and kappa, with the position of incomplete half
     spaces, and when the vertices complete their motion. Then the energy and the gradient are evaluated again at the iterate, so that
     only energies of one objective are compared.
  8. Monitor and, unless the stopping test is satisfied, local iterations and the matrix pattern at the iterate. Local iterations repeat 2
     to 6 for the vertices that still move, if these are few and no motion is incomplete (local.c). If they and the iteration
     before had short directions, the balance of all forces after them decides whether the solve ends. max_iterations does not count them.

  Lagged normal forces and tangents of friction and its stick states do not change during a solve.
**/
#pragma once
#include <abut/objective.h>
#include <abut/option.h>
#include <petscsnes.h>

/**
  Projection of local Hessians to positive semidefinite matrices; names "clamp": negative eigenvalues become 0 in every iteration [Teran et
  al. 2005]; "demand": Hessians are projected only after a matrix turned out indefinite [Longva et al. 2023];
  "adaptive": the same after whole steps that shorten directions little or leave only the balance of forces, else "clamp".
**/
typedef enum { ABUT_STRATEGY_CLAMP, ABUT_STRATEGY_DEMAND, ABUT_STRATEGY_ADAPTIVE } AbutStrategy;
PETSC_EXTERN const char *const AbutStrategies[]; /* names of the enumerators */

/* ---- Results */

/** Iterations and solves of a step, summed over all attempts at it. */
typedef struct {
  PetscInt newton, linear;  /* iterations of Newton's method; of the Krylov method, one for a direct solution */
  PetscInt local;           /* local iterations, on a part of the vertices */
  PetscInt friction_lags;   /* solves, each with friction lagged at the solution of the one before; solves after a release do not count */
  PetscInt linear_failures; /* linear solves that failed */
  PetscInt projected;       /* Newton iterations with projected Hessians */
} AbutStepCounts;

/** Limits of the line searches of a step. */
typedef struct {
  PetscInt         limits[ABUT_NUM_LIMITS]; /* line searches limited by each cause; [ABUT_LIMIT_NONE]: full steps */
  AbutLimiter      limiter;                 /* the most frequent cause */
  PetscReal        smallest_step;           /* smallest accepted fraction of a Newton direction */
  AbutLimitingPair pair;                    /* the pair that limited that step */
} AbutSearchReport;

/** Outcome of the solves since AbutNewtonReset(). */
typedef struct {
  AbutStepCounts   count;              /* iterations and solves */
  AbutSearchReport search;             /* line searches */
  PetscBool        converged, stopped; /* of the last solve; ended by the stop function */
  PetscBool        linear_failed; /* a linear solver broke down, or failed before line searches made no more progress: see linear_failure */
  PetscBool        exhausted, stuck;    /* out of iterations; line searches made no progress */
  PetscReal        first_direction;     /* max |p| / h of the first direction of the last solve [m/s]; -1 without one */
  PetscReal        imbalance;           /* largest imbalance of a body over its forces at the end of the last solve */
  PetscInt         imbalance_body;      /* index of that body in AbutMeshLocal.bodies; -1 if no body has forces */
  PetscBool        at_round_off;        /* an imbalance above the limit was accepted because it is round-off, */
  PetscBool        unbalanced;          /* or because further iterations did not reduce it */
  char             linear_failure[192]; /* text on the last failed linear solve, "" if none failed */
} AbutNewtonResult;

/** Values of one Newton iteration, equal on all ranks. */
typedef struct {
  PetscInt    step, iteration, linear_iterations, contacts; /* of the iteration */
  PetscInt    local;                                        /* local iterations since the iteration before */
  PetscReal   energy, gradient_norm, direction_norm;        /* B [J s^2], |grad B|_2 [kg m], max |p| / h [m/s] */
  PetscReal   step_bound, step_length;                      /* bound by contact and inversion; accepted step */
  PetscReal   min_gap, kappa;                               /* [m]; barrier stiffness */
  AbutLimiter limiter;                                      /* cause that limits the step */
} AbutNewtonReport;
/** Called on all ranks after each Newton iteration. */
typedef PetscErrorCode (*AbutNewtonMonitorFn)(const AbutNewtonReport *report, void *ctx);
/** Called on all ranks before each Newton iteration: *stop true ends the solve. Must set the same value on all ranks. */
typedef PetscErrorCode (*AbutStopFn)(void *ctx, PetscBool *stop);

/* ---- Newton's method */

/** Newton's method for one objective. */
typedef struct _p_AbutNewton *AbutNewton;

/** Parts that Newton's method borrows, and its tolerances. */
typedef struct {
  AbutMesh               mesh;                    /* borrowed */
  AbutElastic            elastic;                 /* borrowed */
  AbutPotential          potential;               /* borrowed */
  AbutObjective          objective;               /* borrowed */
  AbutConstraint         constraint;              /* borrowed */
  AbutFriction           friction;                /* NULL without friction */
  const AbutContactPart *barrier;                 /* borrowed */
  const AbutInertiaPart *inertia;                 /* borrowed */
  AbutPressurePart      *pressure;                /* borrowed; NULL, or without `pressures`: none */
  AbutLumpedMass         mass;                    /* lumped masses; mass.vertex is borrowed */
  PetscReal              tolerance, length, dhat; /* eps_d [m/s], reference length [m], activation distance [m] */
  PetscBool              quasi_static;            /* steps are not steps in time */
  PetscReal              balance;                 /* eps_F: largest imbalance of a body over its forces; 0: not tested */
  const PetscReal       *body_stiffness;          /* [num_bodies] largest diagonal of the elastic Hessian at rest [N/m]; borrowed */
  const PetscReal       *tie_stiffness;           /* [num_bodies] largest stiffness of ties at a vertex [N/m]; borrowed; NULL: none */
  PetscReal              nominal_h;               /* length of a step that is not shortened, in the unit of h of AbutNewtonSetStep() */
  const PetscReal       *c2;                      /* factor of forces in B, see objective.h; borrowed, changes with the step [s^2] */
  PetscInt               max_iterations;          /* of one solve */
  AbutStrategy           strategy;                /* projection of local Hessians */
  PetscReal              mean_stiffness;          /* geometric mean of the diagonal of the elastic Hessian at rest [N/m] */
  PetscReal              kappa;                   /* barrier stiffness given by the scene; 0 = adaptive */
  PetscReal
    relative_kappa;   /* given instead: contact pressure at half the activation distance over the largest Young's modulus; 0 = not given */
  PetscBool conserve; /* the integrator conserves energy, barrier included: while contacts act kappa grows at tiny gaps only */
} AbutNewtonParts;

/**
  @brief Creates SNES, KSP and the policies. Collective.
  @param[in]  parts   copied; the objects and structs that it points to are borrowed and must outlive the Newton object. The objective
                      gets a term of the Newton object, AbutPredictionTerm, and must not be evaluated after AbutNewtonDestroy()
  @param[out] newton  to be freed with AbutNewtonDestroy(), also after an error
**/
PETSC_EXTERN PetscErrorCode AbutNewtonCreate(const AbutNewtonParts *parts, AbutNewton *newton);

/** @brief Frees the object; does nothing if *newton is NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutNewtonDestroy(AbutNewton *newton);

/**
  @brief Reads -snes_*, -ksp_*, -pc_*, -abut_predict, -abut_local and the options of AbutLinear. Collective. Errors: ABUT_ERR_INPUT.
**/
PETSC_EXTERN PetscErrorCode AbutNewtonSetFromOptions(AbutNewton newton);
/** @brief Prints all option values in force. Collective. */
PETSC_EXTERN PetscErrorCode AbutNewtonView(AbutNewton newton, PetscViewer viewer);

/** @brief Function called after each iteration; NULL: none. Borrowed with ctx until replaced or AbutNewtonDestroy(). Not collective. */
PETSC_EXTERN void AbutNewtonSetMonitor(AbutNewton newton, AbutNewtonMonitorFn fn, void *ctx);
/**
  @brief Function asked before each iteration whether to stop; NULL: none. Borrowed with ctx until replaced or AbutNewtonDestroy(). Not
  collective.
**/
PETSC_EXTERN void AbutNewtonSetStop(AbutNewton newton, AbutStopFn fn, void *ctx);

/** @brief Clears the result. To be called at the start of a step. Not collective. */
PETSC_EXTERN void AbutNewtonReset(AbutNewton newton);

/** @brief Number, length [s] and factor of contact [s^2] of the step that the next solves belong to. Not collective. */
PETSC_EXTERN void AbutNewtonSetStep(AbutNewton newton, PetscInt step, PetscReal h, PetscReal contact_c2);

/**
  @brief Evaluates the objective at the iterate as the start of a solve: gradient, matrix pattern and, unless `energy_known`, energy.
  Collective.
**/
PETSC_EXTERN PetscErrorCode AbutNewtonBegin(AbutNewton newton, PetscBool energy_known);

/**
  @brief Minimises the objective from its iterate, which AbutNewtonBegin() has evaluated. Collective.
  A solve that does not converge is no error: the result says so, and the iterate is the last accepted one.
**/
PETSC_EXTERN PetscErrorCode AbutNewtonSolve(AbutNewton newton);

/** @brief The result so far; borrowed, the caller may change it. Not collective. */
PETSC_EXTERN AbutNewtonResult *AbutNewtonGetResult(AbutNewton newton);

/** @brief Whether contact forces acted on a body at the last test of its balance, at the end of a solve. Not collective. */
PETSC_EXTERN PetscBool AbutNewtonTouches(AbutNewton newton, PetscInt body);

/** @brief Drops lagged factorisations, so that a run that continues equals a restarted one bit for bit. Not collective. */
PETSC_EXTERN void AbutNewtonForget(AbutNewton newton);

/* ---- Barrier stiffness */

/**
  @brief Sets kappa for a step whose start is the iterate of the objective, after AbutNewtonSetStep(). Collective.
  @param[in] kappa, c2   barrier stiffness and contact c^2 of the step before; c2 = 0 if there is none. Adaptive stiffness starts between
    kappa * contact_c2 / c2, so that forces do not change with the length of the step, and 1.1 times that, as the balance of
    forces asks, within the bounds of the step; at the lower value while no gap is below 0.1 dhat and the mean gap, weighted
    by forces, is above 0.6 dhat. With `conserve` and contacts it starts at the former value. A given stiffness ignores both.
**/
PETSC_EXTERN PetscErrorCode AbutStiffnessBeginStep(AbutNewton newton, PetscReal kappa, PetscReal c2);

/** @brief kappa in force [J s^2 over the units of AbutPotentialSetStiffness()]. Not collective. */
PETSC_EXTERN PetscReal AbutStiffnessGet(AbutNewton newton);

/** @brief kappa / contact_c2 that relative_kappa amounts to [J over those units]; 0 if it is not given. Not collective. */
PETSC_EXTERN PetscReal AbutStiffnessGetRelative(AbutNewton newton);

/* Options: the program checks the command line by these tables */

PETSC_EXTERN const AbutOptionTable AbutPredictOptions; /**< Predicted contacts */
PETSC_EXTERN const AbutOptionTable AbutLocalOptions;   /**< Local iterations */
