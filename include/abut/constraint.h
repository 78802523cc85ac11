/**
  @file constraint.h
  @brief Prescribed motion of vertices and half spaces within one time step, and dead loads.

  A motion prescribes targets for the end of a step. The stepper first moves vertices and half spaces towards their targets as far as
  contact allows. If that is not the whole way, Newton's method closes the rest:

  - Vertices: augmented Lagrangian
    \f$ \sum_v \frac{\rho m_v}{2} |x_v - \hat x_v|^2 - \lambda_v \cdot (x_v - \hat x_v) \f$ with penalty \f$ \rho \f$, mass \f$ m_v \f$,
    target
    \f$ \hat x_v \f$ and multiplier \f$ \lambda_v \f$ [Li et al. 2020, supplement, "moving collision objects"].
    The sum runs over all moving vertices until their common motion is complete. Then they are fixed, and the sum is 0.
    A vertex without mass (obstacle) counts with the mean mass.
    Each attempt at a step starts with multipliers 0 and the first penalty. The penalty grows at each minimum and after
    each full Newton step that leaves most of the remaining motion. Once it is at its limit, multipliers change at minima instead.
  - Half spaces: the completed fraction \f$ \alpha \f$ of their motion is one more unknown of Newton's method, with the augmented Lagrangian
    \f$ \frac{\rho m w^2}{2} (\alpha - 1)^2 - \mu (\alpha - 1) \f$; \f$ m \f$ is the total mass, \f$ w \f$ the longest displacement, and
    \f$ \mu \f$ a multiplier.

  A force may drive one half space along its normal: then alpha is its travel s, of which B contains - force times s, or with a mass
  m / 2 (s - predictor)^2 as for a vertex, and Newton's method also has to balance the forces on the half space.

  A motion that turns vertices by more than 6 degrees in the step proceeds along its arc in pieces of at most
  half that angle: the target is the end of a piece, and moves on when the vertices have reached it and the objective is at a minimum.

  A motion is complete at 99.9 % of its distance.
**/
#pragma once
#include <abut/elastic.h>
#include <abut/friction.h>
#include <abut/linear.h>
#include <abut/potential.h>
#include <abut/tie.h>
#include <abut/option.h>

/**
  Quantity that a condition measures: the gap between two subjects along an axis (lowest of the second - highest of the first), or an extent
  of one.
**/
typedef enum { ABUT_MEASURE_NONE, ABUT_MEASURE_GAP, ABUT_MEASURE_LOWEST, ABUT_MEASURE_HIGHEST } AbutMeasure;

/**
  Effect of a condition that becomes true: velocities change sign (each time it becomes true), the vertices stop, or the vertices become
  free.
**/
typedef enum { ABUT_ACTION_REVERSE, ABUT_ACTION_STOP, ABUT_ACTION_RELEASE } AbutAction;
PETSC_EXTERN const char *const AbutActions[]; /* "reverse", "stop", "release", "AbutAction", "ABUT_ACTION_", NULL */

/** Vertices of a motion outside its time window: free, or held where they are. */
typedef enum { ABUT_OUTSIDE_FREE, ABUT_OUTSIDE_HOLD } AbutOutside;
PETSC_EXTERN const char *const AbutOutsides[]; /* "free", "hold", "AbutOutside", "ABUT_OUTSIDE_", NULL */

/** Condition of a motion, evaluated before every step. */
typedef struct {
  AbutMeasure measure;        /* measured quantity */
  char        subject[2][64]; /* names of bodies, obstacles, planes or grids of copies, "" = all bodies; the second for a gap only */
  PetscInt    axis;           /* 0, 1, 2 */
  PetscBool   above;          /* true if the measure must exceed the limit, false if it must be below */
  PetscReal   limit;          /* [m] */
  AbutAction  action;         /* effect when the condition is met */
} AbutCondition;

/** Curve of a table between its points: straight lines, or cubic polynomials without overshoot. */
typedef enum { ABUT_INTERPOLATION_LINEAR, ABUT_INTERPOLATION_CUBIC } AbutInterpolation;
PETSC_EXTERN const char *const AbutInterpolations[]; /* "linear", "smooth", "AbutInterpolation", "ABUT_INTERPOLATION_", NULL */

/** Factor over time; constant before the first and after the last point. Without points the factor is 1. */
typedef struct {
  PetscInt          num;           /* number of points */
  PetscReal        *points;        /* [num * 2] time [s], factor; times increase */
  AbutInterpolation interpolation; /* curve between points; smooth: slope 0 at both ends */
} AbutTimeTable;

/** @brief Value at a time. Not collective. */
PETSC_EXTERN PetscReal AbutTimeTableValue(const AbutTimeTable *table, PetscReal t);

/** @brief Exact integral over [from, to] [s]. Not collective. */
PETSC_EXTERN PetscReal AbutTimeTableIntegral(const AbutTimeTable *table, PetscReal from, PetscReal to);

/** @brief Upper bound of the change within a duration h; 0 without points. Not collective. */
PETSC_EXTERN PetscReal AbutTimeTableLargestChange(const AbutTimeTable *table, PetscReal h);

/** @brief Largest magnitude. Not collective. */
PETSC_EXTERN PetscReal AbutTimeTableLargest(const AbutTimeTable *table);

/** @brief Whether steps of the length h end at point i: not between two points that are closer to it than h. Not collective. */
PETSC_EXTERN PetscBool AbutTimeTableEndsStep(const AbutTimeTable *table, PetscInt i, PetscReal h);

/**
  Positions from files, one file a frame: frame k holds at time start + k interval, linear interpolation between frames; the last frame
  stays.
**/
typedef struct {
  char      pattern[PETSC_MAX_PATH_LEN]; /* "dir/%d.obj", "" = none */
  PetscInt  first, count;                /* number of the first file, number of files */
  PetscReal interval;                    /* [s] */
} AbutSequence;

/**
  @brief Whether a text is a pattern of file names: it contains one number, as %d or %04d; %% represents a percent sign. Not collective.
**/
PETSC_EXTERN PetscBool AbutSequenceIsPattern(const char text[]);

/** @brief Path of the file of frame `frame`, counted from 0, of a sequence with a valid pattern. Not collective. */
PETSC_EXTERN void AbutSequencePath(const AbutSequence *sequence, PetscInt frame, char path[PETSC_MAX_PATH_LEN]);

/**
  @brief First frame whose file cannot be read, -1 if there is none. Not collective.
  @param[out] path  path of that file; errno holds the reason
**/
PETSC_EXTERN PetscInt AbutSequenceFirstMissing(const AbutSequence *sequence, char path[PETSC_MAX_PATH_LEN]);

/**
  Prescribed motion of a set of vertices, or of a half space, over a time window: v = velocity + angular_velocity x (x - center), times the
  factor f(t) of the table; with a table also by displacement and rotation times the change of f.
  Motions of one vertex compose in their order: a later motion moves the vertex from where earlier motions have put it. Where one of them
  has `components`, at most one may move a component.
**/
typedef struct {
  AbutSelectionSpec selection;   /* vertices, unless a plane moves */
  PetscInt          plane;       /* index of the half space that moves instead of vertices, or -1; it may turn about its normal only */
  PetscReal         velocity[3]; /* [m/s] */
  PetscReal         angular_velocity[3]; /* [rad/s]; 2D: only the third component */
  PetscReal         displacement[3];     /* [m] times the change of the table */
  PetscReal         rotation[3];         /* [rad] times the change of the table; 2D: only the third component */
  AbutTimeTable     table;               /* factor over time */
  PetscInt          components;          /* bits 1, 2, 4: only x, y, z are prescribed; 0: all. Not with rotations or a plane */
  PetscBool         follow;              /* rotation about the current bounding-box centre of the set instead of `center` */
  PetscReal         center[3];           /* [m] */
  PetscReal         start, end;          /* [s] active in [start, end) */
  AbutOutside       outside;             /* vertices before start and after end; obstacles always stay */
  AbutCondition     until;               /* evaluated before every step */
  AbutSequence      sequence;            /* of a whole body or obstacle, vertices in file order; replaces the velocities */
  char              place[128];          /* "scene.yaml:12" */
} AbutMotionSpec;

/** @brief Whether the motion has a velocity, a displacement or a sequence; otherwise it holds its vertices. Not collective. */
PETSC_EXTERN PetscBool AbutMotionMoves(const AbutMotionSpec *spec);

/** @brief Whether a rotation about this axis leaves a half space of this normal parallel to itself. Not collective. */
PETSC_EXTERN PetscBool AbutTurnKeepsPlane(const PetscReal axis[3], const PetscReal normal[3]);

/** Bits of AbutMotionState.flags: effects of the conditions so far. */
typedef enum { ABUT_MOTION_REVERSED = 1, ABUT_MOTION_STOPPED = 2, ABUT_MOTION_RELEASED = 4, ABUT_MOTION_MET = 8 } AbutMotionFlag;

/** State at the start of a step from which motions proceed. The arrays belong to the caller. */
typedef struct {
  const PetscReal *x;           /* [num_owned * dim] positions [m] */
  const PetscReal *plane_point; /* [num_planes * 3] [m] */
  PetscInt        *flags;       /* [num_motions] AbutMotionFlag; written by AbutConstraintBeginStep() */
} AbutMotionState;

/** @brief Whether the motion prescribes a component. Not collective. */
static inline PetscBool AbutMotionHas(const AbutMotionSpec *spec, PetscInt component)
{
  return (PetscBool)(!spec->components || spec->components & (1 << component));
}

/** State of an unknown: free, moved to a target, or fixed. */
typedef enum { ABUT_BOUNDARY_FREE, ABUT_BOUNDARY_MOVING, ABUT_BOUNDARY_HELD } AbutBoundaryState;

/** Prescribed motion of the current step, read-only. The arrays live as long as the constraint. */
typedef struct {
  const AbutBoundaryState *state;       /* [num_owned * dim] */
  const PetscReal         *target;      /* [num_owned * dim] positions at the end of the step, or of a piece of the motion [m] */
  const PetscBool         *fixed;       /* [num_owned * dim] unknowns that Newton's method does not change */
  PetscReal                distance;    /* root of the sum of |target - x|^2 over moving vertices at the start of the piece [m] */
  PetscBool                planes_move; /* some half space moves in this step */
  PetscBool                pending;     /* some motion is incomplete: Newton's method must not converge */
  PetscReal                progress;    /* smallest completed fraction, of the vertices together and of the half spaces */
} AbutPrescribedMotion;

/** Prescribed motion of vertices and half spaces. */
typedef struct _p_AbutConstraint *AbutConstraint;

/** Kind of a load: of constant direction, a pressure normal to the surface, a gas, or a force on a half space. */
typedef enum { ABUT_LOAD_DEAD, ABUT_LOAD_PRESSURE, ABUT_LOAD_GAS, ABUT_LOAD_PLANE } AbutLoadKind;

/** Gas with the pressure p = pressure (volume / V)^exponent at the volume V. */
typedef struct {
  PetscReal pressure; /* [Pa] absolute, at the start */
  PetscReal exponent; /* polytropic */
  PetscReal ambient;  /* [Pa] pressure on the other side of the surface */
  PetscReal volume;   /* [m^3, in 2D m^2] at the start; 0: enclosed by the surface */
} AbutGasSpec;

/** A load on a set of vertices, or on the surface entities between them, over a time window. */
typedef struct {
  AbutSelectionSpec selection;       /* selected vertices */
  AbutLoadKind      kind;            /* kind of the load */
  PetscInt          plane;           /* ABUT_LOAD_PLANE: index of the half space, instead of the selection */
  PetscReal         plane_mass;      /* [kg] ABUT_LOAD_PLANE: mass that moves with the half space, with its weight; 0: none */
  PetscReal         pressure;        /* [Pa] on the current area, against the outward normal; see pressure.h */
  AbutGasSpec       gas;             /* see pressure.h */
  PetscReal         acceleration[3]; /* [m/s^2] force per unit mass */
  PetscReal         traction[3];     /* [Pa] on the area at rest of surface faces all of whose vertices are selected */
  PetscReal         force[3];        /* [N] resultant, distributed by area over a face, by mass over the vertices of other selections */
  AbutTimeTable     table;           /* factor over time */
  PetscReal         start, end;      /* [s] */
  char              place[128];      /* "scene.yaml:12" */
} AbutLoadSpec;

/**
  Bodies, obstacles, and their motions and loads. Users copy this struct, but none of the objects and arrays that it refers to: they are
  borrowed and must outlive the users.
**/
typedef struct {
  AbutMesh              mesh;                               /* borrowed */
  AbutElastic           elastic;                            /* borrowed */
  AbutContact           contact;                            /* created for the same planes */
  AbutPotential         potential;                          /* a stepper sets its activation distance and stiffness, and sets it up */
  PetscInt              num_planes, num_motions, num_loads; /* lengths of the arrays */
  PetscInt              num_ties;                           /* length of ties */
  const AbutPlaneSpec  *planes;                             /* [num_planes] half spaces at time 0 */
  const AbutMotionSpec *motions;                            /* [num_motions] */
  const AbutLoadSpec   *loads;                              /* [num_loads] */
  const AbutTieSpec    *ties;                               /* [num_ties] */
} AbutModelParts;

/**
  @brief Creates the constraint: selects the vertices of each motion and checks motions, conditions and sequences. Collective.
  @param[in]  parts       bodies, obstacles, motions and loads on half spaces. The struct is copied; its objects and arrays are borrowed
                          until AbutConstraintDestroy()
  @param[in]  friction    borrowed until AbutConstraintDestroy(); NULL without friction
  @param[in]  mass        the struct is copied; mass->vertex is borrowed until AbutConstraintDestroy()
  @param[in]  start       the struct is copied; its arrays are borrowed until AbutConstraintDestroy(). They hold the state at
                          the start of a step whenever AbutConstraintBeginStep() is called
  @param[out] constraint  to be freed with AbutConstraintDestroy()
  Errors: ABUT_ERR_INPUT for an invalid motion, with its place in the scene.
**/
PETSC_EXTERN PetscErrorCode AbutConstraintCreate(const AbutModelParts *parts, AbutFriction friction, const AbutLumpedMass *mass,
                                                 const AbutMotionState *start, AbutConstraint *constraint);

/** @brief Ties, by which bodies support each other: borrowed until AbutConstraintDestroy(); NULL: none. Not collective. */
PETSC_EXTERN void AbutConstraintSetTies(AbutConstraint constraint, AbutTies ties);

/** @brief Frees the object; does nothing if *constraint is NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutConstraintDestroy(AbutConstraint *constraint);

/** @brief The prescribed motion of the current step; the pointer is valid as long as the constraint. Not collective. */
PETSC_EXTERN const AbutPrescribedMotion *AbutConstraintGetMotion(AbutConstraint constraint);

/** @brief Puts the half spaces of the contact search where the start state has them. Not collective. */
PETSC_EXTERN PetscErrorCode AbutConstraintResetPlanes(AbutConstraint constraint);

/**
  @brief Evaluates conditions and sets the targets of the step [t, t + h]. Collective.
  May be called again from the same start state with another h. Penalty and multipliers start anew.
**/
PETSC_EXTERN PetscErrorCode AbutConstraintBeginStep(AbutConstraint constraint, PetscReal t, PetscReal h);

/**
  @brief Error if some motion turns a vertex by more than a step can represent: 45 degrees for obstacles, 179 for bodies. Collective.
  Angles of motions that act on a vertex at the same time add up. Half spaces, which turn about their normals, and sequences have no limit.
  @param[in] h  [s] the longest step
  Errors: ABUT_ERR_INPUT, with the place of a motion and the longest step that would do.
**/
PETSC_EXTERN PetscErrorCode AbutConstraintCheckTurns(AbutConstraint constraint, PetscReal h);

/**
  @brief Sets the displacement of the half spaces that the next contact search sweeps to their motion in the current piece. Not collective.
  The push moves vertices and half spaces towards their targets along one line, as far as contact allows.
**/
PETSC_EXTERN PetscErrorCode AbutConstraintBeginPush(AbutConstraint constraint);

/**
  @brief Records that the push completed the fraction `step` of the piece; the remaining distance, if any, is left to Newton's method. Not
  collective. A push that completed its piece continues with the next one if AbutConstraintAdvance() finds any.
**/
PETSC_EXTERN PetscErrorCode AbutConstraintEndPush(AbutConstraint constraint, PetscReal step);

/**
  @brief Sets the targets of the next piece of the motion. Collective.
  @param[in]  x     [num_owned * dim] positions, at the end of the last piece
  @param[out] more  false if that was the last piece of the step; then nothing changes
**/
PETSC_EXTERN PetscErrorCode AbutConstraintAdvance(AbutConstraint constraint, const PetscReal x[], PetscBool *more);

/** Point at which the bordered system of moving half spaces is set up. */
typedef struct {
  PetscReal      t;          /* the iterate is x + t p of the last search */
  PetscReal     *work;       /* [num_vertices * dim] contact vertices; overwritten with positions */
  PetscReal      min_gap;    /* [m] smallest distance of any candidate pair */
  PetscReal      dhat;       /* [m] activation distance */
  PetscReal      contact_c2; /* [s^2] factor of friction in the objective */
  AbutProjection projection; /* of the Hessian in force */
  /** Adds to a solution of `linear` the effect of the parts of the Hessian that its matrix lacks; NULL: none. */
  PetscErrorCode (*correct)(void *ctx, Vec solution, PetscBool *corrected);
  void *ctx; /* passed to `correct` */
} AbutBorderPoint;

/**
  @brief Adds the response to moving half spaces to Newton's direction. Collective. Does nothing unless half spaces have an incomplete
  motion.
  Solves one more system with the matrix in force: see src/model/constraint/bordered.c. Leaves the potential in another state.
  @param[in]     point   iterate
  @param[in]     linear  solver, set up for the Hessian at the iterate
  @param[in]     layout  vector with the layout of the unknowns; its values are not used
  @param[in,out] p       [num_owned * dim] direction; on entry the solution without the border
  @param[in,out] longest raised to the longest displacement of a half space along the direction [m]
  @param[out]    result  outcome of the additional solve; iterations 0 and solved true if none was needed
**/
PETSC_EXTERN PetscErrorCode AbutConstraintCompleteDirection(AbutConstraint constraint, const AbutBorderPoint *point, AbutLinear linear,
                                                            Vec layout, PetscReal p[], PetscReal *longest, AbutLinearResult *result);

/** A step of the half space that a force drives. */
typedef struct {
  PetscBool at_end;       /* as for AbutLoadsEvaluate() */
  PetscReal contact_c2;   /* factor of contact forces in the objective [s^2] */
  PetscReal load_c2;      /* factor of the force in the objective: contact_c2 without inertia [s^2] */
  PetscReal inertia;      /* of the half space in the objective; 0: none [kg] */
  PetscReal predictor;    /* with inertia: travel in the step without the force [m] */
  PetscReal acceleration; /* of the half space at the start, as AbutDriven.a; for the integrator [m/s^2] */
  PetscReal weight;       /* without inertia: force of gravity on the mass along the normal [N] */
} AbutDriveStep;

/** @brief Starts the travel of the half space that a force drives, after the push. Not collective. Does nothing without one. */
PETSC_EXTERN PetscErrorCode AbutConstraintBeginDrive(AbutConstraint constraint, const AbutDriveStep *step);

/** @brief The load that drives a half space; NULL without one. Not collective. */
PETSC_EXTERN const AbutLoadSpec *AbutConstraintGetDrive(AbutConstraint constraint);

/** @brief Travel of the driven half space in the step along its normal [m]; 0 without one. Not collective. */
PETSC_EXTERN PetscReal AbutConstraintGetDriveTravel(AbutConstraint constraint);

/** @brief Contact force on the driven half space along its normal times contact_c2 [kg m], which is negative; 0 without one. Collective. */
PETSC_EXTERN PetscErrorCode AbutConstraintGetDriveReaction(AbutConstraint constraint, PetscReal *reaction);

/**
  @brief Moves the driven half space to an accepted point of the searched line. Not collective.
  @param[in]  t      parameter of the point on the line
  @param[out] moved  energy and gradient must be evaluated again; false without a driven half space
**/
PETSC_EXTERN PetscErrorCode AbutConstraintMoveDriven(AbutConstraint constraint, PetscReal t, PetscBool *moved);

/**
  @brief Size of the forces on the driven half space in the step besides contact, times contact_c2 [kg m]: of the load, at least a
  thousandth of its largest value, and of inertia; 0 without one. Not collective.
**/
PETSC_EXTERN PetscReal AbutConstraintGetDriveForce(AbutConstraint constraint);

/** @brief Difference of the forces on the driven half space over the largest of them; 0 without one. Collective. */
PETSC_EXTERN PetscErrorCode AbutConstraintDriveImbalance(AbutConstraint constraint, PetscReal *imbalance);

/** @brief Whether half spaces are an unknown of Newton's method now. Not collective. */
PETSC_EXTERN PetscBool AbutConstraintPlanesArePending(AbutConstraint constraint);

/**
  @brief Rigid motions of the half spaces for friction. Not collective.
  @param[out] done   [num_planes] motion completed in this step so far
  @param[out] ahead  [num_planes] motion at the end of the line that is searched; NULL if half spaces do not move along it
**/
PETSC_EXTERN void AbutConstraintGetPlaneMotions(AbutConstraint constraint, const AbutRigidMotion **done, const AbutRigidMotion **ahead);

/**
  @brief Rigid motions that the half spaces had in [t, t + h], from the flags in force. Not collective.
  @param[in] t  [s] start of the interval
  @param[in] h  [s] its length
  @return [num_planes] borrowed; overwritten by the next call and by AbutConstraintCompleteDirection()
**/
PETSC_EXTERN const AbutRigidMotion *AbutConstraintGetPastPlaneMotions(AbutConstraint constraint, PetscReal t, PetscReal h);

/** @brief Energy of the augmented Lagrangian of the vertices at owned positions x, this rank's share [J s^2]. Not collective. */
PETSC_EXTERN PetscReal AbutConstraintVertexEnergy(AbutConstraint constraint, const PetscReal x[]);

/** @brief Adds its gradient at owned positions x to g [num_owned * dim]. Not collective. */
PETSC_EXTERN void AbutConstraintAddVertexGradient(AbutConstraint constraint, const PetscReal x[], PetscReal g[]);

/** @brief Adds its Hessian, which is diagonal [kg]. Not collective. @param[in,out] assembler  open for additions */
PETSC_EXTERN void AbutConstraintAddVertexHessian(AbutConstraint constraint, AbutAssembler assembler);

/** @brief Energy of the augmented Lagrangian of the half spaces at t of the searched line; equal on all ranks [J s^2]. Not collective. */
PETSC_EXTERN PetscReal AbutConstraintPlaneEnergy(AbutConstraint constraint, PetscReal t);

/** An accepted Newton step. */
typedef struct {
  PetscReal t;       /* its parameter on the searched line */
  PetscBool full;    /* the whole Newton direction, whose linear system was solved, without predicted contacts */
  PetscBool settled; /* the direction was short enough to converge */
} AbutConstraintStep;

/**
  @brief Updates fractions, penalty and multipliers after an accepted Newton step. Collective.

  After a settled step the penalty is multiplied by 100; once it is at its limit, multipliers are updated instead. Below
  the limit the penalty also grows after a full step that left more than half of the remaining motion.
  @param[in]  x        [num_owned * dim] the iterate
  @param[in]  step     the step
  @param[out] changed  the objective is another one: its energy at the iterate must be evaluated again. True if penalty or multipliers
    changed, if incomplete half spaces were moved to the iterate, or if the vertices completed their motion; a larger fraction of the motion
    of vertices alone does not change it
**/
PETSC_EXTERN PetscErrorCode AbutConstraintUpdate(AbutConstraint constraint, const PetscReal x[], const AbutConstraintStep *step,
                                                 PetscBool *changed);

/** @brief Points of the half spaces now [num_planes * 3], borrowed. Not collective. */
PETSC_EXTERN const PetscReal *AbutConstraintGetPlanePoints(AbutConstraint constraint);

/**
  @brief Place in the scene of the motion with the smallest completed fraction at owned positions x; NULL if all are complete. Collective.
  The text belongs to the motion.
**/
PETSC_EXTERN PetscErrorCode AbutConstraintGetSlowest(AbutConstraint constraint, const PetscReal x[], const char **place);

/**
  @brief Error if a body can move as a rigid body without resistance: too few prescribed vertices, and no contact. For quasi-static steps.
  Collective.
  @param[in] x       [num_owned * dim] positions
  @param[in] failed  the solve failed: contact alone did not support a body, which is then an error, too
  Errors: ABUT_ERR_INPUT, naming the body.
**/
PETSC_EXTERN PetscErrorCode AbutConstraintCheckSupport(AbutConstraint constraint, const PetscReal x[], PetscBool failed);

/**
  @brief Finds a body that contact and regularisation alone support, and that a quasi-static solve has moved away: by more than half its
  diagonal beyond the longest prescribed displacement of the step. Collective.
  @param[in]  x      [num_owned * dim] positions at the end of the solve [m]
  @param[out] body   index of the first such body, -1 if there is none
  @param[out] shift  mean displacement of its vertices [m]
**/
PETSC_EXTERN PetscErrorCode AbutConstraintFindDrift(AbutConstraint constraint, const PetscReal x[], PetscInt *body, PetscReal *shift);

/** @brief Whether a motion moves or holds its vertices in the current step. Not collective. */
PETSC_EXTERN PetscBool AbutConstraintPrescribes(AbutConstraint constraint, PetscInt motion);

/** @brief Owned vertices of a motion, borrowed; none if a half space moves. Not collective. */
PETSC_EXTERN void AbutConstraintGetVertices(AbutConstraint constraint, PetscInt motion, PetscInt *count, const PetscInt **vertices);

/** Loads on vertices. */
typedef struct _p_AbutLoads *AbutLoads;

/**
  @brief Selects the vertices of each load and checks that the load has a mass or an area to act on. Collective.
  @param[in] mass   lumped masses; the struct is copied, mass->vertex is borrowed until AbutLoadsDestroy()
  @param[in] specs  [num_loads]; borrowed until AbutLoadsDestroy()
  @param[out] loads  to be freed with AbutLoadsDestroy()
  Errors: ABUT_ERR_INPUT, with the place of the load.
  @param[in] mesh   borrowed
  @param[in] num_loads  length of specs
**/
PETSC_EXTERN PetscErrorCode AbutLoadsCreate(AbutMesh mesh, const AbutLumpedMass *mass, PetscInt num_loads, const AbutLoadSpec specs[],
                                            AbutLoads *loads);

/**
  @brief Factor of a load in the step [t, t + h], with its table. Not collective.
  @param[in]  spec    the load
  @param[in]  t       [s] start of the step
  @param[in]  h       [s] its length
  @param[in]  at_end  as for AbutLoadsEvaluate()
  @param[out] part    fraction of the step in which it acts
  @return part times the value of the table
**/
PETSC_EXTERN PetscReal AbutLoadFactor(const AbutLoadSpec *spec, PetscReal t, PetscReal h, PetscBool at_end, PetscReal *part);

/** @brief Frees the object; does nothing if *loads is NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutLoadsDestroy(AbutLoads *loads);

/** @brief Whether a load is no acceleration: it accelerates only the vertices that it acts on. Not collective. */
PETSC_EXTERN PetscBool AbutLoadsHaveForces(AbutLoads loads);

/**
  @brief Forces of all loads in the step [t, t + h] on owned vertices, overwriting force [num_owned * dim] [N]. Not collective.
  A load that acts during a part of the step contributes that fraction of its force, so its impulse is force times the length of its window.
  @param[in]  t       [s] start of the step
  @param[in]  h       [s] its length
  @param[in]  at_end  tables have their value at the end of the step, else their mean over the step, so that impulses are exact
  @param[out] force   forces
**/
PETSC_EXTERN PetscErrorCode AbutLoadsEvaluate(AbutLoads loads, PetscReal t, PetscReal h, PetscBool at_end, PetscReal force[]);

/** @brief Owned vertices of a load, borrowed. Not collective. */
PETSC_EXTERN void AbutLoadsGetVertices(AbutLoads loads, PetscInt load, PetscInt *count, const PetscInt **vertices);

/** @brief Adds the forces of one load to force [num_owned * dim] [N], see AbutLoadsEvaluate(). Not collective. */
PETSC_EXTERN void AbutLoadsAddOne(AbutLoads loads, PetscInt load, PetscReal t, PetscReal h, PetscBool at_end, PetscReal force[]);
