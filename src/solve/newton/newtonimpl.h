/* Private to src/solve/newton: Newton's method and its policies. */
#pragma once
#include <abut/newton.h>
#include <abut/option.h>

#define CCD_SLACK 0.8 /* largest fraction of a gap that a Newton step may use up */

/* The objective, and scales of the step in progress */
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
  AbutProjection projection; /* projection of the current Hessian */
  PetscBool      partial;    /* the current Hessian may be indefinite, and can still be projected */
  PetscReal      norm;       /* norm of Newton's direction of the iteration before */
  PetscReal      stretch;    /* factor of Newton's direction, 1 unless it creeps */
  PetscBool      near;       /* adaptive: the last step was whole and converged slowly, or only the balance of forces is missing */
  PetscInt       wait;       /* number of Hessians to project before an unprojected one is tried again */
} HessianPolicy;

/* Searches without progress; stagnation.c */
typedef struct {
  PetscInt  idle, rounds; /* counted so far */
  PetscReal left;         /* remaining fraction of prescribed motion at the last update that made progress */
} Stagnation;

/* Force balance of a solve; equilibrium.c */
typedef struct {
  PetscReal  limit;       /* eps_F: largest imbalance of a body over its forces; 0: the stopping test ignores forces */
  PetscReal *most, *sums; /* maxima and sums by body */
  PetscReal *share;       /* [num_owned * dim] residual over the residual that the balance of its body allows */
  PetscReal *contact, *friction, *pressure, *tie; /* [num_owned * dim] forces at the iterate, in units of the gradient of B [kg m] */
  PetscReal  excess;                              /* largest imbalance at the iterate, beyond round-off */
  PetscReal  residual;                            /* largest residual of a body whose imbalance is above the limit [kg m] */
  PetscReal  best[2];                             /* smallest excess and residual so far; `patience` counts iterations since then */
  PetscReal  resolution;                          /* displacement that round-off of positions can cause [m] */
  PetscInt   num_bodies;
  PetscReal *start; /* [num_bodies] largest residual at the start of the solve [kg m] */
  PetscReal
    *weakest;      /* [num_bodies] largest contact force of the weakest pair [kg m]; infinite without contacts, or if it does not count */
  PetscReal *pair; /* [PAIRS] largest contact force by pair [kg m]; NULL before it is needed */
  PetscInt   changes;  /* iterations that are left for finding the change of forces */
  PetscInt   patience; /* iterations without progress that are left */
} ForceBalance;

/* Balance of one body */
typedef struct {
  PetscReal imbalance; /* imbalance over the forces of the body */
  PetscReal excess;    /* imbalance beyond round-off over the force to which the test compares it */
  PetscBool rest;      /* its residual is only round-off */
  PetscBool round_off; /* its imbalance, or all its contact forces, are only round-off */
} BodyBalance;

/* Current barrier stiffness; stiffness.c */
typedef struct {
  PetscReal relative; /* kappa / contact_c2 from parts.relative_kappa; 0 = not given */
  PetscReal kappa;    /* current value */
  PetscReal min, max; /* bounds for the current step */
  PetscInt  cuts;     /* steps that the energy reduced since kappa changed last */
  PetscBool carried;  /* kappa was carried over from a previous step */
} Stiffness;

/* A direction -Y */
typedef struct {
  Vec       Y;
  PetscReal slope;    /* slope of B [J s^2] */
  PetscReal floor;    /* `floor` of AbutContactMaxStep() for its step bound [m] */
  PetscReal decrease; /* first-order decrease of B by the bounded step [J s^2] */
} Candidate;

/* Prediction of contacts; predict.c */
typedef enum { ABUT_PREDICT_OFF, ABUT_PREDICT_ON, ABUT_PREDICT_EAGER } AbutPredictMode;

typedef struct {
  AbutPredictMode mode;
  PetscInt        wait;    /* number of directions with a short bound that are searched without prediction from now on */
  PetscInt        next;    /* the same number after the next prediction that does not help */
  PetscBool       tried;   /* contacts were predicted in this iteration */
  Candidate       newton;  /* Newton's direction of this iteration */
  Candidate       best;    /* the best direction of this iteration so far */
  Vec             rhs;     /* gradient of B and of the springs */
  AbutPrediction  springs; /* predicted contacts of the current direction */
} PredictPolicy;

/* Vertices of a local iteration or of a correction; region.c */
typedef struct {
  PetscBool  active;      /* the objective is restricted to vertices of the region */
  PetscBool *member;      /* [num_local] vertices of the region */
  PetscBool *moving;      /* [num_local] vertices to which the objective is restricted; the others are held */
  PetscInt   count;       /* vertices of the region on all ranks, without obstacles */
  PetscInt   num_held;    /* vertices of the region that the objective treats as held */
  PetscInt   num_moving;  /* vertices to which the objective is restricted, on all ranks, without obstacles */
  PetscReal  share;       /* count over the number of all vertices of bodies */
  PetscReal *flag, *next; /* [num_local] work */
} Region;

/* Newton's direction: the Hessian and its solver; direction.c */
typedef struct {
  const Problem    *problem;
  SNES              snes; /* provides matrix and KSP; borrowed */
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
  PetscReal     longest;    /* longest step that contact and inversion allow */
  PetscReal     taken;      /* accepted */
  PetscReal     gap_before; /* smallest relative gap at the start of the step */
  PetscBool     success;    /* the end of the step is the iterate */
} NewtonStep;

/* Functions of the caller */
typedef struct {
  AbutNewtonMonitorFn monitor;
  void               *monitor_ctx;
  AbutStopFn          stop;
  void               *stop_ctx;
} Callbacks;

/* The current iteration */
typedef struct {
  PetscReal direction_norm;  /* max |p| / h [m/s] */
  PetscReal longest;         /* largest direction_norm of the solve [m/s] */
  PetscBool predicted;       /* the direction contains predicted contacts, so that the stopping test does not apply to it */
  PetscBool solved;          /* the linear system of the direction was solved to its tolerance */
  PetscBool converged;       /* the stopping test holds after this iteration */
  PetscInt  local;           /* local iterations that followed this iteration */
  PetscReal local_norm;      /* max |p| / h of the longest direction of these [m/s] */
  PetscBool in_linear_solve; /* ABUT_PHASE_LINEAR_SOLVE has begun and not ended: between the Hessian and the check of the direction */
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
  NewtonStep       step; /* of the current iteration */
  AbutNewtonResult result;
  Callbacks        calls;
};

/* evaluate.c */
/* Evaluates energy and gradient at the iterate. Collective. */
PETSC_INTERN PetscErrorCode AbutProblemEvaluate(const Problem *problem);
/* AbutProblemEvaluate() after a search without direction: a new restriction of the objective finds other contacts. Collective. */
PETSC_INTERN PetscErrorCode AbutProblemSearchAndEvaluate(const Problem *problem);
/* Copies values of the owned unknowns. Not collective. */
PETSC_INTERN PetscErrorCode AbutProblemCopyToVec(const Problem *problem, const PetscReal from[], Vec to);

/* newton.c */
/* Sets the functions that SNES calls. Not collective. */
PETSC_INTERN PetscErrorCode AbutNewtonSetHooks(AbutNewton newton);

/* linesearch.c */
/*
  Bounds the step along -Y, the current direction (AbutDirectionComplete()), whose slope is step->slope = - F . Y. If contacts bound it to
  a small step, -Y may be replaced by a direction with predicted contacts. Collective.
*/
PETSC_INTERN PetscErrorCode AbutNewtonBoundStep(AbutNewton newton, Vec F, Vec Y, NewtonStep *step);
/* Line search from this bound: accepts the first iterate at which B has not increased. Without success the iterate stays. Collective. */
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
  Restricts the objective to the region and evaluates it. Nothing is done if the objective is already restricted to vertices that contain
  the region and are at most twice as many. Collective.
*/
PETSC_INTERN PetscErrorCode AbutRegionRestrict(Region *region, const Problem *problem);
/* Ends the restriction; AbutProblemSearchAndEvaluate() must follow. Collective. */
PETSC_INTERN PetscErrorCode AbutRegionEnd(Region *region, const Problem *problem);
/* AbutDirectionSolveAgain() with the Hessian of the region, projected unless hessian.near; Y is 0 elsewhere. Collective. */
PETSC_INTERN PetscErrorCode AbutRegionSolve(const Region *region, Direction *direction, Vec F, Vec b, Vec Y, PetscReal *slope,
                                            PetscBool *descent);
/*
  Changes Y in the region so that H Y = b holds there, with the current terms of the Hessian H. *slope = - F . Y. *descent: the system was
  solved and -Y is a direction of descent. Collective.
*/
PETSC_INTERN PetscErrorCode AbutRegionCorrect(const Region *region, Direction *direction, Vec F, Vec b, Vec Y, PetscReal *slope,
                                              PetscBool *descent);
/* Frees the arrays. Collective. */
PETSC_INTERN PetscErrorCode AbutRegionFree(Region *region);

/* direction.c */
/*
  After an accepted step: decides whether the next Hessian may be unprojected (strategy "adaptive") and how far the next direction is
  stretched. Directions are short, but the solve has not converged (`open`), or the balance of forces is missed (`missed`). Not collective.
*/
PETSC_INTERN void AbutDirectionAdapt(HessianPolicy *hessian, const Iteration *now, const NewtonStep *step, PetscBool open,
                                     PetscBool missed);
/* Assembles the Hessian at the iterate, projected as the strategy demands, and factorises it or sets up its preconditioner. Collective. */
PETSC_INTERN PetscErrorCode AbutDirectionPrepare(Direction *direction);
/*
  After SNES solved H Y = F: ensures that -Y is a direction of descent. If it is not, solves again with a projected Hessian or a new
  factor, and with a shifted factor if Y is only round-off. *slope = - F . Y. *solved: the last solution converged. Collective.
*/
PETSC_INTERN PetscErrorCode AbutDirectionFinish(Direction *direction, Vec F, Vec Y, PetscReal *slope, PetscBool *solved);
/*
  Repeats a solution with the current terms of the Hessian: new pattern, Hessian at the iterate, solution of H Y = b. *slope = - F . Y.
  *descent: the system was solved and -Y is a direction of descent. Terms that only this system has can be stiff, so no factor is reused
  or kept. Collective.
*/
PETSC_INTERN PetscErrorCode AbutDirectionSolveAgain(Direction *direction, Vec F, Vec b, Vec Y, PetscReal *slope, PetscBool *descent);
/* Makes p = -Y the direction: sets ghosts and the motion of half spaces. *norm: its length max |p| / h. Collective. */
PETSC_INTERN PetscErrorCode AbutDirectionComplete(Direction *direction, Vec Y, PetscReal *norm);
/* Makes the matrix A of SNES contain the stencils of the next Hessian. A new matrix is not yet passed to `linear`. Collective. */
PETSC_INTERN PetscErrorCode AbutDirectionUpdateMatrix(Direction *direction, Mat *A);
/* AbutDirectionUpdateMatrix(), and passes the matrix to `linear`, which may change the linear solver. Collective. */
PETSC_INTERN PetscErrorCode AbutDirectionUpdatePattern(Direction *direction);

/* predict.c */
/* Begins a solve. Not collective. */
PETSC_INTERN void AbutPredictBegin(PredictPolicy *policy);
/*
  Replaces Newton's direction by one with predicted contacts if CCD bounds it to a small step and the prediction helps; updates Y,
  step->slope = - F . Y and the step bound. Collective.
*/
PETSC_INTERN PetscErrorCode AbutPredictDirection(AbutNewton newton, Vec F, Vec Y, NewtonStep *step);
/* Restores Newton's direction, its slope and step bound after a failed search along a direction with predicted contacts. Collective. */
PETSC_INTERN PetscErrorCode AbutPredictReturnToNewton(AbutNewton newton, Vec Y, NewtonStep *step);
/* After a search: starts or ends a pause of predictions. helped: contacts were predicted and the step was not cut. Not collective. */
PETSC_INTERN void AbutPredictPause(PredictPolicy *policy, PetscBool helped);
/* Frees the vectors. Collective. */
PETSC_INTERN PetscErrorCode AbutPredictFree(PredictPolicy *policy);

/* equilibrium.c */
PETSC_INTERN PetscErrorCode AbutEquilibriumCreate(ForceBalance *balance, const Problem *problem);
PETSC_INTERN PetscErrorCode AbutEquilibriumDestroy(ForceBalance *balance);
/* Begins a solve. Not collective. */
PETSC_INTERN void AbutEquilibriumBegin(ForceBalance *balance);
/*
  Tests the forces at the iterate, whose gradient is known; stores the imbalance in the result. *rest: the residual is round-off.
  Collective.
*/
PETSC_INTERN PetscErrorCode AbutEquilibriumTest(ForceBalance *balance, const Problem *problem, AbutNewtonResult *result,
                                                PetscBool *balanced, PetscBool *rest);
/* AbutEquilibriumTest() before the first iteration of a solve; also stores the residuals there. Collective. */
PETSC_INTERN PetscErrorCode AbutEquilibriumTestStart(ForceBalance *balance, const Problem *problem, AbutNewtonResult *result,
                                                     PetscBool *rest);
/*
  Whether the tolerance may exceed the displacement of a step: then displacements and changes of forces must converge, too. Not
  collective.
*/
PETSC_INTERN PetscBool AbutProblemIsCoarse(const Problem *problem);
/* Sets balance.share from the gradient at the iterate and the forces of the last test. Not collective. */
PETSC_INTERN void AbutEquilibriumShares(ForceBalance *balance, const Problem *problem);
/*
  Counts an iteration with a short direction, of length `moved` [m], that does not end the solve. Returns whether the solve ends
  nevertheless: the last digits of positions no longer change, or the imbalance has not fallen for several iterations. Not collective.
*/
PETSC_INTERN PetscBool AbutEquilibriumGivesUp(ForceBalance *balance, PetscReal step, PetscReal moved, AbutNewtonResult *result);

/* stagnation.c */
#define IDLE_STEP      1e-8 /* step of a line search below which the search is idle */
#define IDLE_FRACTION  1e-4 /* displacement over the tolerance of the stopping test below which a search is idle */
#define IDLE_MAX       20   /* idle searches in a row that end the solve */
#define ROUND_PROGRESS 1e-2 /* fraction of the remaining prescribed motion whose completion counts as progress */
#define ROUND_MAX      50   /* largest number of updates of penalty or multipliers without progress of the motion */
PETSC_INTERN void AbutStagnationBegin(Stagnation *s);
/*
  Counts a search whose direction fails the stopping test. Returns whether the solve is stuck. `moved`: displacement of the search over
  the tolerance. Not collective.
*/
PETSC_INTERN PetscBool AbutStagnationCountSearch(Stagnation *s, PetscReal step, PetscReal moved);
/* Counts an update of the penalty or multipliers at this progress of the motion. Returns whether the solve is stuck. Not collective. */
PETSC_INTERN PetscBool AbutStagnationCountRound(Stagnation *s, PetscReal progress);

/* stiffness.c */
/* Sets the stiffness if the scene gives it relative to Young's modulus. Collective. */
PETSC_INTERN PetscErrorCode AbutStiffnessSetUp(Stiffness *stiffness, const Problem *problem);
/* Whether the scene prescribes kappa, which then does not adapt. Not collective. */
PETSC_INTERN PetscBool AbutStiffnessIsGiven(const Stiffness *stiffness, const Problem *problem);
/*
  Adapts kappa after an accepted Newton step. gap_before: smallest relative gap before the step; cut: the line search reduced the step
  because of the energy. *changed: the energy must be evaluated again. Collective.
*/
PETSC_INTERN PetscErrorCode AbutStiffnessUpdate(Stiffness *stiffness, const Problem *problem, PetscReal gap_before, PetscBool cut,
                                                PetscBool *changed);
