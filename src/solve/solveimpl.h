/* Private to src/solve: the stepper and its parts. Arrays named "owned" are [num_owned * dim], "local" [num_local * dim]. */
#pragma once
#include <abut/linear.h>
#include <abut/solve.h>

/* Terms of the incremental potential B(x) [J s^2], summed over ranks. */
typedef struct {
  PetscReal inertia, elastic, contact, boundary, friction, damping; /* loads count as inertia */
} Energy;

static inline PetscReal EnergyTotal(const Energy *e)
{
  return e->inertia + e->elastic + e->contact + e->boundary + e->friction + e->damping;
}

/* Sum of magnitudes: what round-off is relative to. */
static inline PetscReal EnergySize(const Energy *e)
{
  return PetscAbsReal(e->inertia) + PetscAbsReal(e->elastic) + PetscAbsReal(e->contact) + PetscAbsReal(e->boundary) +
         PetscAbsReal(e->friction) + PetscAbsReal(e->damping);
}

/* Frames of a sequence; sequence.c */
typedef struct {
  PetscInt   body;     /* whose vertices they place */
  PetscInt   frame[2]; /* the two held, from 0; -1 = none */
  PetscReal *x[2];     /* owned positions; only those of the body mean anything */
} Sequence;

/* What a condition measures: a plane, or owned vertices; condition.c */
typedef struct {
  PetscInt plane, num_vertices, *vertices;
} Subject;

typedef struct {
  const AbutMotionSpec *spec;
  PetscInt              num_vertices, *vertices; /* owned; none if a plane moves */
  PetscReal             distance;                /* root of sum |target - start|^2 in this step [m] */
  Sequence              sequence;
  Subject               subject[2];
} Motion;

/* Prescribed motion within one step; numerics in boundary.c. Planes: [num_planes], three numbers each; all have done the same share of their way. */
typedef struct {
  PetscInt             num_motions, num_planes;
  Motion              *motions;
  const AbutPlaneSpec *planes;
  AbutBoundaryState   *state;       /* [num_owned] */
  PetscReal           *target;      /* owned: where prescribed vertices go in this step */
  PetscReal           *multiplier;  /* owned [kg m] */
  PetscBool            pulling;     /* the targets are not reached: they pull by penalty and multipliers */
  PetscBool            pending;     /* vertices or planes are not where they should be: Newton must not converge */
  PetscReal            penalty;     /* per unit mass */
  PetscReal            distance;    /* root of sum |target - start|^2 over all moving vertices [m] */
  PetscReal            progress;    /* least share done by the vertices together, by the planes; 1 = at the targets */
  PetscBool           *constrained; /* owned: unknowns that Newton leaves alone */
  AbutRigidMotion     *plane_whole; /* over the whole step: a shift and a turn about the normal */
  AbutRigidMotion     *plane_done;  /* over the step so far: what friction sees */
  AbutRigidMotion     *plane_ahead; /* at the end of the line of the search, while they press; and over the step before, for friction */
  PetscReal           *plane_point; /* where they are */
  PetscReal            plane_share; /* of the whole done; 1 = all, or nothing to do */
  PetscBool            pressing;    /* the planes are not there: their share is an unknown of Newton's; press.c */
  PetscReal            plane_rate;  /* of the share along the line of the search */
  PetscReal            plane_multiplier; /* [kg m^2] */
  PetscReal           *plane_step;       /* displacement along the line */
  AbutCandidates       nudged;           /* plane contacts alone, with the planes moved a little */
  AbutPlaneSpec       *nudged_planes;
} Boundary;

/* One dead load; load.c */
typedef struct {
  const AbutLoadSpec *spec;
  PetscInt            num_vertices, *vertices; /* owned */
  PetscReal          *area; /* [num_vertices] share of the loaded surface at rest [m^2, in 2D m]; NULL without traction */
  PetscReal           mass; /* of all of them, over all ranks [kg] */
} Load;

/* How directions are found; direction.c */
typedef struct {
  AbutStrategy   strategy;
  AbutProjection projection;   /* of the Hessian at hand */
  PetscInt       hold;         /* Hessians to be projected before another is tried as it is */
  PetscBool      solved;       /* the linear solver converged, and not because it only applies a factor that does not exist */
  PetscInt       idle, rounds; /* searches in a row that hardly moved anything; searches in a row that brought no boundary closer */
  PetscReal      left;         /* least share of prescribed motion left so far */
  PetscBool      partial;      /* the Hessian at hand may be indefinite: more of it can be projected */
} Direction;

struct _p_AbutStepper {
  MPI_Comm             comm;
  AbutMesh             mesh;
  const AbutMeshLocal *ml;
  AbutElastic          elastic;
  AbutContact          contact;
  AbutPotential        potential;
  AbutFriction         friction;
  PetscBool            frictional; /* some coefficient is above 0 */
  PetscReal            slip_rate;  /* eps_v [m/s] */
  AbutStepSpec         spec;
  PetscInt             dim, n; /* n = num_owned * dim */
  const AbutPlaneSpec *planes; /* of the scene; state.plane_point says where they are */
  PetscReal            reach;  /* pairs within it are candidates [m]: the barrier's range, and what the pattern wants to know */
  PetscReal            length, dhat, tolerance;     /* l [m], [m], eps_d [m/s] */
  PetscReal           *mass, mean_mass, total_mass; /* [num_owned]; of and over the vertices of bodies [kg] */
  PetscReal            mean_stiffness;              /* geometric mean of the elastic Hessian's diagonal at rest [N/m] */
  PetscReal            kappa_moduli; /* what spec.relative_kappa asks for [J over AbutPotentialSetStiffness()'s units]; 0 = nothing */
  PetscReal            kappa_min, kappa_max; /* of the step under way */
  PetscInt             cuts;                 /* Newton steps cut short by energy since kappa was looked at */

  AbutState state;
  PetscInt *motion_start; /* state.motion before the step under way */
  Boundary  boundary;
  PetscInt  num_loads;
  Load     *loads;

  /* The step under way; integrator.c */
  PetscReal  h;          /* [s] */
  PetscReal  time_end;   /* [s] */
  PetscReal  c2;         /* factor of forces in B [s^2] */
  PetscReal  contact_c2; /* that of contact and friction */
  PetscReal  rate;       /* v = rate (x - origin) [1/s] */
  PetscReal  backward;   /* share of the step before in BDF2 */
  PetscReal  weight;     /* of mass in B */
  PetscReal  static_c2;
  PetscReal *damping;          /* [num_owned] proportional to mass [kg/s] */
  PetscBool  viscous;          /* some material has stiffness-proportional damping */
  PetscReal *load;             /* owned: external forces but gravity [N], see AbutLoadsUpdate() */
  PetscReal *inertia;          /* [num_owned] B has inertia / 2 |x - x_tilde|^2 - thrust . (x - x_start) for free vertices [kg], [kg m] */
  PetscReal *x_start;          /* local, ghosts current */
  PetscReal *x_tilde, *thrust; /* owned */
  PetscReal *a_start;          /* owned: accelerations at the start (Newmark) */
  PetscReal *scratch;          /* local */
  PetscReal  t;                /* the iterate is x + t p of the last search's line */

  PetscReal *x, *p;    /* local: iterate and direction, ghosts current */
  PetscReal *gradient; /* owned: of B at x, zero where constrained */
  PetscReal *xt, *gc;  /* over contact vertices: trial positions, gradient; room for contact_room reals */
  PetscInt   contact_room;
  Energy     energy;       /* at x */
  PetscBool  energy_known; /* the next AbutObjectiveBegin() need not evaluate it */

  SNES          snes;
  AbutAssembler assembler;
  Vec           X, F;
  AbutLinear    solver;
  PetscBool     in_linear_solve; /* the phase is open between the end of the Jacobian and the line search */
  PetscReal     pattern_margin;
  Direction     direction;

  PetscReal           direction_norm;  /* max |p| / h of the last direction [m/s] */
  PetscReal           first_direction; /* of the first of a solve; -1 before */
  PetscReal           min_dist;        /* over candidates at x [m] */
  PetscReal           min_share;       /* over pairs that act, as a share of their ranges */
  PetscInt            contacts;        /* at x, over all ranks */
  PetscBool           converged;
  PetscInt            limits[ABUT_LIMIT_BOUND + 1];
  AbutStepReport      report;
  AbutNewtonMonitorFn monitor;
  void               *monitor_ctx;
  AbutStopFn          stop;
  void               *stop_ctx;
};

/* ---- boundary.c */
PETSC_INTERN PetscErrorCode AbutBoundaryCreate(AbutStepper s, PetscInt num_planes, const AbutPlaneSpec planes[], PetscInt num_motions,
                                               const AbutMotionSpec motions[]);
PETSC_INTERN PetscErrorCode AbutBoundaryDestroy(AbutStepper s);
/* Puts the planes of the contact search where the state has them (also after a restart). */
PETSC_INTERN PetscErrorCode AbutBoundaryResetPlanes(AbutStepper s);
/* States and targets for the step [t, t + s->h]; called again from the same state when a step is tried anew with a smaller s->h. Collective. */
PETSC_INTERN PetscErrorCode AbutBoundaryBeginStep(AbutStepper s, PetscReal t);
/* Moves the prescribed vertices of s->x towards their targets as far as contact and cells allow, in one conservative step. Collective. */
PETSC_INTERN PetscErrorCode AbutBoundaryAdvance(AbutStepper s);
/*
  After an accepted Newton step: is the motion done? else, if `settled`, it is pulled harder. *changed: the objective is another one, whose energy at the iterate is AbutObjectiveEnergy(s, s->t, ...). Collective.
*/
PETSC_INTERN PetscErrorCode AbutBoundaryUpdate(AbutStepper s, PetscBool settled, PetscBool *changed);
/* Takes what the accepted step leaves behind (where planes are) into s->state. Collective. */
PETSC_INTERN PetscErrorCode AbutBoundaryAccept(AbutStepper s);
/* How far the motions came, and the one least done if the step failed, into s->report. Collective. */
PETSC_INTERN PetscErrorCode AbutBoundaryReport(AbutStepper s);
/* Energy of the pull at owned positions x (this rank's part), and gradient added to g. Not collective. */
PETSC_INTERN PetscReal AbutBoundaryEnergy(AbutStepper s, const PetscReal x[]);
PETSC_INTERN void      AbutBoundaryAddGradient(AbutStepper s, const PetscReal x[], PetscReal g[]);
/* Weight of the penalty on an owned vertex, 0 if it is not pulled. */
PETSC_INTERN PetscReal AbutBoundaryPull(AbutStepper s, PetscInt vertex);

/* ---- press.c */
/* Completes Newton's direction s->p (ghosts not yet), and the largest displacement *most, by what planes do and cause. Collective. */
PETSC_INTERN PetscErrorCode AbutPressDirection(AbutStepper s, PetscReal *most);
/* Energy of the pull on the planes at t of the line, once for all ranks; pulling harder. */
PETSC_INTERN PetscReal AbutPressEnergy(AbutStepper s, PetscReal t);
PETSC_INTERN void      AbutPressHarder(AbutStepper s);

/* ---- motion.c */
PETSC_INTERN PetscErrorCode AbutMotionCheckPlane(AbutStepper s, const AbutMotionSpec *spec);
/* Is the motion at work in a part of [t, t + s->h], and not stopped? */
PETSC_INTERN PetscBool AbutMotionIsActive(AbutStepper s, PetscInt m, PetscReal t);
/* Rigid motions of the planes in [t, t + h], as far as conditions have got. Not collective. */
PETSC_INTERN void AbutMotionsOfPlanes(AbutStepper s, PetscReal t, PetscReal h, AbutRigidMotion planes[]);
/* States and targets of vertices, rigid motions of planes for the step [t, t + s->h]. Collective. */
PETSC_INTERN PetscErrorCode AbutMotionsSetTargets(AbutStepper s, PetscReal t);

/* ---- condition.c, sequence.c */
PETSC_INTERN PetscErrorCode AbutConditionCreate(AbutStepper s, Motion *motion);
PETSC_INTERN PetscErrorCode AbutConditionDestroy(Motion *motion);
/* Measures at the state's positions and lets motions that run in [t, t + s->h] act, once whenever a condition comes true. Collective. */
PETSC_INTERN PetscErrorCode AbutConditionsUpdate(AbutStepper s, PetscReal t);
PETSC_INTERN PetscErrorCode AbutSequenceCreate(AbutStepper s, Motion *motion);
PETSC_INTERN PetscErrorCode AbutSequenceDestroy(Motion *motion);
/* Targets of the motion's vertices at a time. Collective. */
PETSC_INTERN PetscErrorCode AbutSequenceSetTargets(AbutStepper s, Motion *motion, PetscReal time);

/* ---- integrator.c: arrays of the state; coefficients and predictor for a step of s->h; velocities after it */
PETSC_INTERN PetscErrorCode AbutIntegratorCreate(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutIntegratorDestroy(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutIntegratorBegin(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutIntegratorAccept(AbutStepper s);

/* ---- adaptive.c: s->h and s->time_end of the next step; whether a failed one can be halved; what an accepted one means for the next */
PETSC_INTERN void      AbutAdaptiveBegin(AbutStepper s);
PETSC_INTERN PetscBool AbutAdaptiveHalve(AbutStepper s);
PETSC_INTERN void      AbutAdaptiveAccept(AbutStepper s);

/* ---- load.c */
PETSC_INTERN PetscErrorCode AbutLoadsCreate(AbutStepper s, PetscInt num_loads, const AbutLoadSpec loads[]);
PETSC_INTERN PetscErrorCode AbutLoadsDestroy(AbutStepper s);
/* Writes external forces of the step [t, t + s->h] into s->load, all of it; also called again when a step is tried with another s->h. Collective. */
PETSC_INTERN PetscErrorCode AbutLoadsUpdate(AbutStepper s, PetscReal t);

/* ---- friction.c: does nothing without friction but one solve */
PETSC_INTERN PetscErrorCode AbutStepFrictionCreate(AbutStepper s);
/* Lags at the state, s->x being its positions. Collective. */
PETSC_INTERN PetscErrorCode AbutStepFrictionBegin(AbutStepper s);
/* Newton's method, with friction lagged anew and solved again as the scene asks. Collective. */
PETSC_INTERN PetscErrorCode AbutStepFrictionSolve(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutStepFrictionReport(AbutStepper s);

/* ---- rigid.c: quasi-static steps */
/* Error if a body can move freely; `failed`: the solve failed, so contact did not hold what it alone should. Collective. */
PETSC_INTERN PetscErrorCode AbutRigidCheck(AbutStepper s, PetscBool failed);

/* ---- objective.c */
/* Searches along s->x + t p, t in [0, *step] (p = NULL: at s->x): the line that everything is evaluated on from here. Collective. */
PETSC_INTERN PetscErrorCode AbutObjectiveSearch(AbutStepper s, const PetscReal p[], PetscReal *step);
PETSC_INTERN PetscErrorCode AbutObjectiveReserve(AbutStepper s);
/* B at x + t p of the last search. Collective. */
PETSC_INTERN PetscErrorCode AbutObjectiveEnergy(AbutStepper s, PetscReal t, Energy *energy);
/* Makes x + t p of the last search the iterate: positions, stencils, contacts and gaps (no gradient yet). Collective. */
PETSC_INTERN PetscErrorCode AbutObjectiveAccept(AbutStepper s, PetscReal t);
/* Makes contact that of the solution which the state is, s->x being its positions. Collective. */
PETSC_INTERN PetscErrorCode AbutObjectiveRestore(AbutStepper s);
/* Contact forces at the iterate on owned vertices [N]; c2 is that of the step whose stiffness the potential has. Collective. */
PETSC_INTERN PetscErrorCode AbutObjectiveContactForce(AbutStepper s, PetscReal c2, PetscReal force[]);
/* Energy, gradient and matrix pattern at the iterate, for Newton to start from. Collective. */
PETSC_INTERN PetscErrorCode AbutObjectiveBegin(AbutStepper s);
/* Sum over ranks of c2 Psi, damping, friction, (with_contact) barrier gradients and inertia, into owned rows of s->gc; prescribed unknowns not yet masked. */
PETSC_INTERN PetscErrorCode AbutObjectiveCollect(AbutStepper s, PetscBool with_contact);
/* Gradient of B at the iterate into s->gradient. Collective. */
PETSC_INTERN PetscErrorCode AbutObjectiveGradient(AbutStepper s);
/* Brings the matrix pattern up to date with the stencils of the iterate. Collective. */
PETSC_INTERN PetscErrorCode AbutObjectiveUpdatePattern(AbutStepper s);
/* Hessian of B at the iterate, projected part by part. Collective. */
PETSC_INTERN PetscErrorCode AbutObjectiveHessian(AbutStepper s, AbutProjection projection);

/* ---- stiffness.c: what elasticity resists with; kappa at the start of a step, and after an accepted one, cut short by energy or not. Collective. */
PETSC_INTERN PetscErrorCode AbutStiffnessCreate(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutStiffnessBegin(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutStiffnessUpdate(AbutStepper s, PetscReal min_share_before, PetscBool cut, PetscBool *changed);

/* ---- newton.c, linesearch.c, linear.c, ordering.c */
PETSC_INTERN PetscErrorCode AbutNewtonCreate(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutNewtonSolve(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutLineSearchApply(SNESLineSearch ls, void *ctx);
/* Largest step from x along p that crosses nothing and inverts nothing; also leaves the candidates of the sweep. Collective. */
PETSC_INTERN PetscErrorCode AbutLineSearchBound(AbutStepper s, PetscReal *step, AbutLimiter *limiter, AbutLimitingPair *blame);
/* Moves the iterate on at the velocities of the start of the step, if that lowers B. Collective. */
PETSC_INTERN PetscErrorCode AbutPredict(AbutStepper s);
/* ---- direction.c */
PETSC_INTERN PetscErrorCode AbutDirectionSetFromOptions(AbutStepper s);
/* Hessian at the iterate, projected as the strategy says, and factor or preconditioner. Collective. */
PETSC_INTERN PetscErrorCode AbutDirectionPrepare(AbutStepper s);
/* Makes sure that -Y is a direction of descent, solving anew if the first solution was none. Collective. */
PETSC_INTERN PetscErrorCode AbutDirectionFinish(AbutStepper s, Vec F, Vec Y, PetscReal *slope);
/* Starts counting idle searches anew. Not collective. */
PETSC_INTERN void AbutDirectionBegin(AbutStepper s);
/* Forgets old factors. Not collective. */
PETSC_INTERN PetscErrorCode AbutDirectionForget(AbutStepper s);

/* ---- report.c */
PETSC_INTERN PetscErrorCode AbutReportStep(AbutStepper s);
