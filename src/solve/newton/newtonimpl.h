/* Private to src/solve/newton: Newton's method and its policies. */
#pragma once
#include <abut/newton.h>
#include <abut/option.h>

#define CCD_SLACK 0.8 /* fraction of each gap that a Newton step may use up at most */

/* The objective, and the scales of the step under way */
typedef struct {
  MPI_Comm                    comm;
  AbutNewtonParts             parts;
  const AbutPrescribedMotion *motion; /* of parts.constraint */
  const AbutMeshLocal        *ml;
  AbutIterate                *at;            /* of parts.objective */
  PetscInt                    n;             /* owned unknowns */
  PetscInt                    step;          /* number of the time step */
  PetscReal                   h, contact_c2; /* [s], [s^2] */
} Problem;

/* Strategy of projecting local Hessians; direction.c */
typedef struct {
  AbutStrategy   strategy;
  AbutProjection projection; /* of the Hessian in force */
  PetscBool      partial;    /* the Hessian in force may be indefinite and can still be projected */
  PetscReal      norm;       /* direction_norm of the iteration before */
  PetscBool      near;       /* adaptive: the last step was whole and converged slowly, or only the balance of forces is missing */
  PetscInt       wait;       /* Hessians to be projected before an unprojected one is tried again */
} HessianPolicy;

/* Searches without progress; stagnation.c */
typedef struct {
  PetscInt  idle, rounds; /* counted so far */
  PetscReal left;         /* remaining fraction of prescribed motion at the last update with progress */
} Stagnation;

/* Force balance of a solve; equilibrium.c */
typedef struct {
  PetscReal  limit;              /* eps_F: largest imbalance of a body over its forces; 0: forces do not enter the stopping test */
  PetscReal *most, *sums;        /* by body */
  PetscReal *share;              /* [num_owned * dim] residual over what its body allows */
  PetscReal *contact, *friction; /* [num_owned * dim] forces at the iterate, in units of the gradient of B [kg m] */
  PetscReal  excess;             /* largest imbalance above round-off at the iterate */
  PetscReal  residual;           /* largest residual of a body whose imbalance is above the limit [kg m] */
  PetscReal  best[2];            /* smallest excess and residual so far, from which `patience` counts */
  PetscReal  resolution;         /* displacement that round-off of positions determines [m] */
  PetscInt   num_bodies;
  PetscReal *start; /* [num_bodies] largest residual at the start of the solve [kg m] */
  PetscReal
    *weakest; /* [num_bodies] largest contact force of the weakest pair [kg m]; infinite without contacts, or where it does not count */
  PetscReal *pair;     /* [PAIRS] largest contact force by pair [kg m]; NULL before it is needed */
  PetscInt   changes;  /* iterations left for the change of forces */
  PetscInt   patience; /* iterations left without progress */
} ForceBalance;

/* Balance of one body */
typedef struct {
  PetscReal imbalance; /* over the forces of the body */
  PetscReal excess;    /* its part above round-off, over the force that the test compares it to */
  PetscBool rest;      /* its residual is round-off */
  PetscBool round_off; /* its balance, or all its forces in contact, are round-off */
} BodyBalance;

/* Barrier stiffness in force; stiffness.c */
typedef struct {
  PetscReal relative; /* kappa / contact_c2 from parts.relative_kappa; 0 = not given */
  PetscReal kappa;    /* in force */
  PetscReal min, max; /* of the step under way */
  PetscInt  cuts;     /* steps reduced by the energy since kappa changed */
  PetscBool carried;  /* kappa was carried over from a previous step */
} Stiffness;

/* A direction -Y */
typedef struct {
  Vec       Y;
  PetscReal slope;    /* of B [J s^2] */
  PetscReal floor;    /* of its step bound [m] */
  PetscReal decrease; /* of B by its bounded step, to first order [J s^2] */
} Candidate;

/* Prediction of contacts; predict.c */
typedef enum { ABUT_PREDICT_OFF, ABUT_PREDICT_ON, ABUT_PREDICT_EAGER } AbutPredictMode;

typedef struct {
  AbutPredictMode mode;
  PetscInt        wait;    /* directions with a short bound that are searched as they are from now on */
  PetscInt        next;    /* and after the next prediction that does not help */
  PetscBool       tried;   /* contacts were predicted in this iteration */
  Candidate       newton;  /* Newton's direction of this iteration */
  Candidate       best;    /* the best direction of this iteration so far */
  Vec             rhs;     /* gradient of B and of the springs */
  AbutPrediction  springs; /* predicted contacts of the direction under way */
} PredictPolicy;

/* Vertices of a local iteration or of a correction; region.c */
typedef struct {
  PetscBool  active;      /* the objective is restricted */
  PetscBool *member;      /* [num_local] vertices of the region */
  PetscBool *moving;      /* [num_local] vertices to which the objective is restricted; the others are held */
  PetscInt   count;       /* vertices of the region on all ranks, without obstacles */
  PetscInt   num_held;    /* vertices of the region that the objective treats as held */
  PetscInt   num_moving;  /* vertices to which the objective is restricted, on all ranks, without obstacles */
  PetscReal  share;       /* count over the number of vertices of bodies */
  PetscReal *flag, *next; /* [num_local] work */
} Region;

/* Newton's direction: the Hessian and its solver; direction.c */
typedef struct {
  const Problem    *problem;
  SNES              snes; /* its matrix and KSP serve the direction; borrowed */
  Vec               layout;
  AbutLinear        linear;
  HessianPolicy     hessian;
  PetscBool         new_matrix; /* the matrix was rebuilt, and `linear` does not know it yet */
  AbutNewtonResult *result;     /* counts solutions and failures; borrowed */
} Direction;

/* Iterations on the vertices that still move; local.c */
typedef struct {
  PetscBool on;     /* local iterations follow iterations on all vertices */
  Region    region; /* vertices of the last local iteration or correction */
} LocalPolicy;

/* A step along a direction; linesearch.c */
typedef struct {
  PetscReal     slope; /* of B along the direction [J s^2] */
  AbutStepBound bound;
  PetscReal     longest;    /* step that contact and inversion allow */
  PetscReal     taken;      /* accepted */
  PetscReal     gap_before; /* smallest relative gap at its start */
  PetscBool     success;    /* the iterate is the end of the step */
} NewtonStep;

/* Functions of the caller */
typedef struct {
  AbutNewtonMonitorFn monitor;
  void               *monitor_ctx;
  AbutStopFn          stop;
  void               *stop_ctx;
} Callbacks;

/* The iteration under way */
typedef struct {
  PetscReal direction_norm;  /* max |p| / h [m/s] */
  PetscReal longest;         /* largest direction_norm of the solve [m/s] */
  PetscBool predicted;       /* the direction contains predicted contacts, so that the stopping test does not apply to it */
  PetscBool solved;          /* the linear system of the direction was solved */
  PetscBool converged;       /* the stopping test holds after this iteration */
  PetscInt  local;           /* local iterations that followed it */
  PetscReal local_norm;      /* max |p| / h of the longest of their directions [m/s] */
  PetscBool in_linear_solve; /* ABUT_PHASE_LINEAR_SOLVE is open: between the Hessian and the check of the direction */
} Iteration;

struct _p_AbutNewton {
  Problem          problem;
  SNES             snes;
  Vec              X, F;
  Direction        direction;
  Stagnation       stagnation;
  ForceBalance     balance;
  PredictPolicy    predict;
  LocalPolicy      local;
  Stiffness        stiffness;
  Iteration        now;
  NewtonStep       step; /* of the iteration under way */
  AbutNewtonResult result;
  Callbacks        calls;
};

/* evaluate.c */
/* Evaluates energy and gradient at the iterate. Collective. */
PETSC_INTERN PetscErrorCode AbutProblemEvaluate(const Problem *problem);
/* The same after a search without direction, which finds other contacts after a restriction of the objective has changed. Collective. */
PETSC_INTERN PetscErrorCode AbutProblemSearchAndEvaluate(const Problem *problem);
/* Copies values of the owned unknowns. Not collective. */
PETSC_INTERN PetscErrorCode AbutProblemCopyToVec(const Problem *problem, const PetscReal from[], Vec to);

/* newton.c */
/* Sets the functions that SNES calls. Not collective. */
PETSC_INTERN PetscErrorCode AbutNewtonSetHooks(AbutNewton newton);

/* linesearch.c */
/*
  Bounds the step along -Y, the direction in force (AbutDirectionComplete()), whose slope is step->slope = - F . Y. Where contacts bound it
  much, -Y may become a direction with predicted contacts. Collective.
*/
PETSC_INTERN PetscErrorCode AbutNewtonBoundStep(AbutNewton newton, Vec F, Vec Y, NewtonStep *step);
/* Backtracks from this bound until B does not increase, and accepts the iterate; without success it stays. Collective. */
PETSC_INTERN PetscErrorCode AbutNewtonTakeStep(AbutNewton newton, Vec Y, NewtonStep *step);
/* Whether the direction is Newton's and satisfies the tolerance of the stopping test. Not collective. */
PETSC_INTERN PetscBool AbutIterationIsShort(const Iteration *now, const Problem *problem);

/* local.c */
/* After an accepted iteration: iterations on the vertices that still move or lack balance, if they are few. Collective. */
PETSC_INTERN PetscErrorCode AbutLocalIterate(AbutNewton newton);

/* region.c */
/*
  Chooses the owned vertices at which a component of values [num_owned * dim] exceeds the limit, and layers of cells around them, as region.
  Collective.
*/
PETSC_INTERN PetscErrorCode AbutRegionSelect(Region *region, const Problem *problem, const PetscReal values[], PetscReal limit,
                                             PetscInt layers);
/*
  Restricts the objective to the region and evaluates it, unless it is already restricted to at most twice as many vertices that contain the
  region. Collective.
*/
PETSC_INTERN PetscErrorCode AbutRegionRestrict(Region *region, const Problem *problem);
/* Ends the restriction; AbutProblemSearchAndEvaluate() must follow. Collective. */
PETSC_INTERN PetscErrorCode AbutRegionEnd(Region *region, const Problem *problem);
/* As AbutDirectionSolveAgain(), with the Hessian of the region, projected unless hessian.near; Y is 0 elsewhere. Collective. */
PETSC_INTERN PetscErrorCode AbutRegionSolve(const Region *region, Direction *direction, Vec F, Vec b, Vec Y, PetscReal *slope,
                                            PetscBool *descent);
/*
  Changes Y in the region so that H Y = b holds there, with the present terms of the Hessian H. *slope = - F . Y; *descent: the system was
  solved and -Y is a direction of descent. Collective.
*/
PETSC_INTERN PetscErrorCode AbutRegionCorrect(const Region *region, Direction *direction, Vec F, Vec b, Vec Y, PetscReal *slope,
                                              PetscBool *descent);
/* Frees the arrays. Collective. */
PETSC_INTERN PetscErrorCode AbutRegionFree(Region *region);

/* direction.c */
/*
  After an accepted step: whether the next Hessian may be unprojected (strategy "adaptive"). `unbalanced`: only the balance of forces is
  missing. Not collective.
*/
PETSC_INTERN void AbutDirectionAdapt(HessianPolicy *hessian, const Iteration *now, const NewtonStep *step, PetscBool unbalanced);
/* Assembles the Hessian at the iterate, projected by the strategy, and factorises it or sets up its preconditioner. Collective. */
PETSC_INTERN PetscErrorCode AbutDirectionPrepare(Direction *direction);
/*
  After SNES solved H Y = F: makes -Y a direction of descent. Solves again with a projected Hessian or a new factor if it is none, and with
  a shifted factor if round-off determines it. *slope = - F . Y; *solved: the last solution converged. Collective.
*/
PETSC_INTERN PetscErrorCode AbutDirectionFinish(Direction *direction, Vec F, Vec Y, PetscReal *slope, PetscBool *solved);
/*
  Repeats a solution with the present terms of the Hessian: pattern, Hessian at the iterate, solution of H Y = b. *slope = - F . Y;
  *descent: the system was solved and -Y is a direction of descent. Terms of this system alone can be stiff, so it does not reuse a factor
  and leaves none. Collective.
*/
PETSC_INTERN PetscErrorCode AbutDirectionSolveAgain(Direction *direction, Vec F, Vec b, Vec Y, PetscReal *slope, PetscBool *descent);
/* Makes p = -Y the direction: ghosts, motion of half spaces; *norm: its length max |p| / h. Collective. */
PETSC_INTERN PetscErrorCode AbutDirectionComplete(Direction *direction, Vec Y, PetscReal *norm);
/* Makes the matrix A of SNES contain the stencils of the next Hessian; `linear` does not yet know a new one. Collective. */
PETSC_INTERN PetscErrorCode AbutDirectionUpdateMatrix(Direction *direction, Mat *A);
/* The same, and tells `linear`; the linear solver may change. Collective. */
PETSC_INTERN PetscErrorCode AbutDirectionUpdatePattern(Direction *direction);

/* predict.c */
/* Begins a solve. Not collective. */
PETSC_INTERN void AbutPredictBegin(PredictPolicy *policy);
/*
  Replaces Newton's direction by one with predicted contacts if CCD limits it too much, and if that helps; updates Y, step->slope = - F . Y
  and the step bound. Collective.
*/
PETSC_INTERN PetscErrorCode AbutPredictDirection(AbutNewton newton, Vec F, Vec Y, NewtonStep *step);
/* After a failed search along a direction with predicted contacts: Newton's direction, its slope and step bound. Collective. */
PETSC_INTERN PetscErrorCode AbutPredictReturnToNewton(AbutNewton newton, Vec Y, NewtonStep *step);
/* Starts or ends a pause, after the search along a direction. helped: predicted contacts, and a step that was not cut. Not collective. */
PETSC_INTERN void AbutPredictPause(PredictPolicy *policy, PetscBool helped);
/* Frees the vectors. Collective. */
PETSC_INTERN PetscErrorCode AbutPredictFree(PredictPolicy *policy);

/* equilibrium.c */
PETSC_INTERN PetscErrorCode AbutEquilibriumCreate(ForceBalance *balance, const Problem *problem);
PETSC_INTERN PetscErrorCode AbutEquilibriumDestroy(ForceBalance *balance);
/* Begins a solve. Not collective. */
PETSC_INTERN void AbutEquilibriumBegin(ForceBalance *balance);
/*
  Tests the forces at the iterate, whose gradient is evaluated; records the imbalance in the result. *rest: the residual is round-off.
  Collective.
*/
PETSC_INTERN PetscErrorCode AbutEquilibriumTest(ForceBalance *balance, const Problem *problem, AbutNewtonResult *result,
                                                PetscBool *balanced, PetscBool *rest);
/* The same at the start of a solve, before its first iteration; records the residuals there. Collective. */
PETSC_INTERN PetscErrorCode AbutEquilibriumTestStart(ForceBalance *balance, const Problem *problem, AbutNewtonResult *result,
                                                     PetscBool *rest);
/* Whether the tolerance is no measure of accuracy, so that displacements and changes of forces must converge, too. Not collective. */
PETSC_INTERN PetscBool AbutProblemIsCoarse(const Problem *problem);
/* Sets balance.share from the gradient at the iterate and the forces of the last test. Not collective. */
PETSC_INTERN void AbutEquilibriumShares(ForceBalance *balance, const Problem *problem);
/*
  Counts an iteration with this step and a short direction, of length `moved` [m], that does not end the solve. Whether the solve ends
  nevertheless: positions have no more digits, or the imbalance has not fallen for several iterations. Not collective.
*/
PETSC_INTERN PetscBool AbutEquilibriumGivesUp(ForceBalance *balance, PetscReal step, PetscReal moved, AbutNewtonResult *result);

/* stagnation.c */
#define IDLE_STEP      1e-8 /* step of a line search below which the search is idle */
#define IDLE_FRACTION  1e-4 /* displacement over the tolerance of the stopping test below which a search is idle */
#define IDLE_MAX       20   /* idle searches in a row that end the solve */
#define ROUND_PROGRESS 1e-2 /* fraction of the remaining prescribed motion whose completion counts as progress */
#define ROUND_MAX      50   /* updates of penalty or multipliers at minima, without progress of the motion, that end the solve */
PETSC_INTERN void AbutStagnationBegin(Stagnation *s);
/*
  Counts a search whose direction does not satisfy the stopping test; true if the solve is stuck. `moved` is the displacement of the search
  over the tolerance. Not collective.
*/
PETSC_INTERN PetscBool AbutStagnationCountSearch(Stagnation *s, PetscReal step, PetscReal moved);
/* Counts an update of the penalty or the multipliers at this progress of the motion; true if the solve is stuck. Not collective. */
PETSC_INTERN PetscBool AbutStagnationCountRound(Stagnation *s, PetscReal progress);

/* stiffness.c */
/* Sets the stiffness that the scene gives relative to Young's modulus. Collective. */
PETSC_INTERN PetscErrorCode AbutStiffnessSetUp(Stiffness *stiffness, const Problem *problem);
/* Whether the scene prescribes kappa; then kappa does not adapt. Not collective. */
PETSC_INTERN PetscBool AbutStiffnessIsGiven(const Stiffness *stiffness, const Problem *problem);
/*
  Adapts kappa after an accepted Newton step. gap_before: smallest relative gap before the step; cut: the line search reduced the step
  because of the energy. *changed: the energy must be evaluated again. Collective.
*/
PETSC_INTERN PetscErrorCode AbutStiffnessUpdate(Stiffness *stiffness, const Problem *problem, PetscReal gap_before, PetscBool cut,
                                                PetscBool *changed);
