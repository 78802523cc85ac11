/* Private to src/solve: the stepper and its parts. Arrays named "owned" are [num_owned * dim], "local" [num_local * dim]. */
#pragma once
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

/* Prescribed motion within one step; numerics in boundary.c. */
typedef struct {
  PetscInt              num_motions;
  const AbutMotionSpec *motions;
  PetscInt             *num_vertices; /* [num_motions] owned vertices of each */
  PetscInt            **vertices;
  AbutBoundaryState    *state;       /* [num_owned] */
  PetscReal            *target;      /* owned: where prescribed vertices go in this step */
  PetscReal            *multiplier;  /* owned [kg m] */
  PetscBool             pulling;     /* the targets are not reached: they pull by penalty and multipliers */
  PetscReal             penalty;     /* per unit mass */
  PetscReal             distance;    /* root of sum |target - start|^2 over all moving vertices [m] */
  PetscReal             progress;    /* 1 = at the targets */
  PetscBool            *constrained; /* owned: unknowns that Newton leaves alone */
} Boundary;

/* Kinds of linear solvers; see linear.c. */
typedef enum { ABUT_LINEAR_AUTO, ABUT_LINEAR_DIRECT, ABUT_LINEAR_SCHWARZ, ABUT_LINEAR_MULTIGRID } AbutLinearKind;
PETSC_INTERN const char *const AbutLinearKinds[];

struct _p_AbutStepper {
  MPI_Comm             comm;
  AbutMesh             mesh;
  const AbutMeshLocal *ml;
  AbutElastic          elastic;
  AbutContact          contact;
  AbutPotential        potential;
  AbutStepSpec         spec;
  PetscInt             dim, n; /* n = num_owned * dim */
  const AbutPlaneSpec *planes; /* of the scene; state.plane_point says where they are */
  PetscReal            reach;  /* pairs within it are candidates [m]: the barrier's range, and what the pattern wants to know */
  PetscReal            length, dhat, tolerance;     /* l [m], [m], eps_d [m/s] */
  PetscReal           *mass, mean_mass, total_mass; /* [num_owned]; of and over the vertices of bodies [kg] */
  PetscReal            kappa_min, kappa_max;

  AbutState  state;
  Boundary   boundary;

  /* The step under way; integrator.c */
  PetscReal  h;        /* [s] */
  PetscReal  c2;       /* factor of forces in B [s^2] */
  PetscReal  rate;     /* v = rate (x - origin) [1/s] */
  PetscReal  backward; /* share of the step before in BDF2 */
  PetscReal  weight;   /* of mass in B */
  PetscReal  static_c2;
  PetscReal *damping;  /* [num_owned] proportional to mass [kg/s] */
  PetscReal *load;     /* owned: external forces but gravity [N], see AbutLoadsUpdate() */
  PetscReal *inertia;  /* [num_owned] B has inertia / 2 |x - x_tilde|^2 - thrust . (x - x_start) for free vertices [kg], [kg m] */
  PetscReal *x_start, *x_tilde, *thrust; /* owned */
  PetscReal  t;        /* the iterate is x + t p of the last search's line */

  PetscReal *x, *p;             /* local: iterate and direction, ghosts current */
  PetscReal *gradient;          /* owned: of B at x, zero where constrained */
  PetscReal *xt, *gc;           /* over contact vertices: trial positions, gradient; room for contact_room reals */
  PetscInt   contact_room;
  Energy     energy; /* at x */

  SNES           snes;
  AbutAssembler  assembler;
  Vec            X, F;
  MatNullSpace   rigid; /* near-null space for multigrid */
  AbutLinearKind linear;
  PetscBool      in_linear_solve; /* the phase is open between the end of the Jacobian and the line search */
  PetscReal      pattern_margin, cg_rtol;

  PetscReal           direction_norm;  /* max |p| / h of the last direction [m/s] */
  PetscReal           first_direction; /* of the first of a solve; -1 before */
  PetscReal           min_dist;       /* over candidates at x [m] */
  PetscInt            contacts;       /* at x, over all ranks */
  PetscBool           converged;
  PetscInt            limits[ABUT_LIMIT_BOUND + 1];
  AbutStepReport      report;
  AbutNewtonMonitorFn monitor;
  void               *monitor_ctx;
  AbutStopFn          stop;
  void               *stop_ctx;
};

/* ---- boundary.c */
PETSC_INTERN PetscErrorCode AbutBoundaryCreate(AbutStepper s, PetscInt num_motions, const AbutMotionSpec motions[]);
PETSC_INTERN PetscErrorCode AbutBoundaryDestroy(AbutStepper s);
/* States and targets for the step [t, t + s->h]; called again from the same state when a step is tried anew with a smaller s->h. Collective. */
PETSC_INTERN PetscErrorCode AbutBoundaryBeginStep(AbutStepper s, PetscReal t);
/* Moves the prescribed vertices of s->x towards their targets as far as contact and cells allow, in one conservative step. Collective. */
PETSC_INTERN PetscErrorCode AbutBoundaryAdvance(AbutStepper s);
/* After an accepted Newton step: is the motion done? else, if `settled`, pull harder. *changed: the objective is another one. Collective. */
PETSC_INTERN PetscErrorCode AbutBoundaryUpdate(AbutStepper s, PetscBool settled, PetscBool *changed);
/* Takes what the accepted step leaves behind (where planes are) into s->state. Collective. */
PETSC_INTERN PetscErrorCode AbutBoundaryAccept(AbutStepper s);
/* Energy of the pull at owned positions x (this rank's part), and gradient added to g. Not collective. */
PETSC_INTERN PetscReal AbutBoundaryEnergy(AbutStepper s, const PetscReal x[]);
PETSC_INTERN void      AbutBoundaryAddGradient(AbutStepper s, const PetscReal x[], PetscReal g[]);
/* Weight of the penalty on an owned vertex, 0 if it is not pulled. */
PETSC_INTERN PetscReal AbutBoundaryPull(AbutStepper s, PetscInt vertex);

/* ---- integrator.c: arrays of the state; coefficients and predictor for a step of s->h; velocities after it */
PETSC_INTERN PetscErrorCode AbutIntegratorCreate(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutIntegratorDestroy(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutIntegratorBegin(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutIntegratorAccept(AbutStepper s);

/* ---- load.c */
PETSC_INTERN PetscErrorCode AbutLoadsCreate(AbutStepper s, PetscInt num_loads, const AbutLoadSpec loads[]);
PETSC_INTERN PetscErrorCode AbutLoadsDestroy(AbutStepper s);
/* Writes external forces of the step [t, t + s->h] into s->load, all of it; also called again when a step is tried with another s->h. Collective. */
PETSC_INTERN PetscErrorCode AbutLoadsUpdate(AbutStepper s, PetscReal t);

/* ---- objective.c */
/* Searches along s->x + t p, t in [0, *step] (p = NULL: at s->x): the line that everything is evaluated on from here. Collective. */
PETSC_INTERN PetscErrorCode AbutObjectiveSearch(AbutStepper s, const PetscReal p[], PetscReal *step);
PETSC_INTERN PetscErrorCode AbutObjectiveReserve(AbutStepper s);
/* B at x + t p of the last search. Collective. */
PETSC_INTERN PetscErrorCode AbutObjectiveEnergy(AbutStepper s, PetscReal t, Energy *energy);
/* Makes x + t p of the last search the iterate: positions, stencils, contacts and gaps (no gradient yet). Collective. */
PETSC_INTERN PetscErrorCode AbutObjectiveAccept(AbutStepper s, PetscReal t);
/* Gradient of B at the iterate into s->gradient. Collective. */
PETSC_INTERN PetscErrorCode AbutObjectiveGradient(AbutStepper s);
/* Brings the matrix pattern up to date with the stencils of the iterate. Collective. */
PETSC_INTERN PetscErrorCode AbutObjectiveUpdatePattern(AbutStepper s);
/* Hessian of B at the iterate, projected part by part. Collective. */
PETSC_INTERN PetscErrorCode AbutObjectiveHessian(AbutStepper s, AbutProjection projection);
/* Barrier stiffness: bounds from the scene, the value at the start of a step, doubling when gaps stay tiny (numerics of IPC's supplement). */
PETSC_INTERN PetscErrorCode AbutObjectiveStiffnessBounds(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutObjectiveInitialStiffness(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutObjectiveUpdateStiffness(AbutStepper s, PetscReal min_dist_before, PetscBool *changed);

/* ---- newton.c, linesearch.c, linear.c, ordering.c */
PETSC_INTERN PetscErrorCode AbutNewtonCreate(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutNewtonSolve(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutLineSearchApply(SNESLineSearch ls, void *ctx);
PETSC_INTERN PetscErrorCode AbutLinearSetDefaults(AbutStepper s, KSP ksp);
/* Prepares the solver for a matrix of another pattern. Collective. */
PETSC_INTERN PetscErrorCode AbutLinearNewMatrix(AbutStepper s, Mat A);
PETSC_INTERN PetscErrorCode AbutOrderingRegister(void);

/* ---- report.c */
PETSC_INTERN PetscErrorCode AbutReportStep(AbutStepper s);
PETSC_INTERN PetscErrorCode AbutContactForce(AbutStepper s, PetscReal force[]);
