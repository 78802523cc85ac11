/* Private to src/linear. */
#pragma once
#include <abut/linear.h>
#include <abut/option.h>

/* ---- ordering.c */

/* Registers the matrix ordering "abut-nd" with PETSc. */
PETSC_INTERN PetscErrorCode AbutOrderingRegister(void);
/* Fill-reducing ordering of a sequential matrix with uniform dense blocks; *row == *col, two references. Not collective. */
PETSC_INTERN PetscErrorCode AbutOrderingGet(Mat A, IS *row, IS *col);
/* Nested dissection of a graph in CSR form without loops: order[k] is the vertex eliminated k-th. Not collective. */
PETSC_INTERN PetscErrorCode AbutOrderingDissect(PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt order[]);

/* ---- shell.c: preconditioners of this folder, implemented as PCSHELL; all of them are symmetric */

/* Name of the PC type and its methods; destroy() frees the context. */
typedef struct {
  const char *name;
  PetscErrorCode (*setup)(PC pc);
  PetscErrorCode (*apply)(PC pc, Vec b, Vec x);
  PetscErrorCode (*view)(PC pc, PetscViewer viewer);
  PetscErrorCode (*destroy)(PC pc);
} AbutShell;
/* Makes pc a PCSHELL with the methods of `shell`; takes ownership of `context`. Not collective. */
PETSC_INTERN PetscErrorCode AbutShellCreate(PC pc, const AbutShell *shell, void *context);
PETSC_INTERN void          *AbutShellContext(PC pc);
/* Name of the preconditioner: that of its AbutShell if it has one, else its PCType. Not collective. */
PETSC_INTERN const char *AbutShellName(PC pc);
/* Scales by the diagonal, x_i = b_i / |A_ii|: stands in for a factor that does not exist and keeps b . x >= 0. Collective. */
PETSC_INTERN PetscErrorCode AbutShellScale(PC pc, Vec b, Vec x);

/* ---- cholesky.c: the preconditioner "abut-cholesky" */
PETSC_INTERN PetscErrorCode AbutCholeskyRegister(void);
/* Whether the last factorisation of an "abut-cholesky" preconditioner succeeded; true before the first. Not collective. */
PETSC_INTERN PetscBool AbutCholeskyIsDefinite(PC pc);

/* ---- substructure.c: the preconditioner "abut-substructure" */
PETSC_INTERN PetscErrorCode AbutSubstructureRegister(void);
/*
  Whether the last factorisation of an "abut-substructure" preconditioner succeeded; true before the first. Equal on all ranks. Not
  collective.
*/
PETSC_INTERN PetscBool AbutSubstructureIsDefinite(PC pc);
/*
  Symbolic factorisation of A. *interior: largest number of floating-point operations that a rank needs for its interior; *interface: those
  of the interface problem, for which all other ranks wait. The factor in force stays usable until the next PCSetUp(). Collective.
*/
PETSC_INTERN PetscErrorCode AbutSubstructureAnalyze(PC pc, Mat A, PetscReal *interior, PetscReal *interface);

/* ---- choice.c: policy that chooses KSP and PC */
typedef struct {
  AbutLinearKind asked;            /* kind of the option -abut_linear */
  AbutLinearKind kind;             /* kind in force, not AUTO */
  PetscReal      interface_ratio;  /* largest cost of the interface problem relative to the busiest rank's interior */
  PetscReal      interface_free;   /* [flop] cost of the interface problem that is always accepted on top of the ratio */
  PetscReal      interface_max;    /* [flop] largest accepted cost of the interface problem */
  PetscInt       multigrid_min;    /* unknowns a rank from which "auto" is multigrid */
  PetscBool      ksp_chosen;       /* the user gave -ksp_type */
  PetscBool      pc_chosen;        /* the user gave -pc_type */
  PetscBool      may_substructure; /* direct solver on several ranks, PC not chosen by the user */
  PetscBool      substructured;    /* the pattern in force is factorised by substructuring */
} AbutLinearChoice;
PETSC_INTERN const AbutOptionTable AbutLinearChoiceOptions;
PETSC_INTERN PetscErrorCode        AbutLinearChoiceSetFromOptions(AbutLinearChoice *choice, MPI_Comm comm);
/* Sets the types of ksp and of its PC for a system of `unknowns` rows over all ranks. Collective. */
PETSC_INTERN PetscErrorCode AbutLinearChoiceSetTypes(AbutLinearChoice *choice, KSP ksp, PetscInt unknowns);
/* Chooses anew for a pattern. *changed: the PC is another one or was reset, so that no earlier factor is left. Collective. */
PETSC_INTERN PetscErrorCode AbutLinearChoiceSetPattern(AbutLinearChoice *choice, KSP ksp, Mat A, PetscBool *changed);

/* ---- inner.c: solvers inside PCASM, PCBJACOBI and PCTELESCOPE */

/*
  Makes the inner solvers of the Schwarz and telescope PCs of choice.c Cholesky factorisations; the user's -sub_* and -telescope_* options
  win. Collective.
*/
PETSC_INTERN PetscErrorCode AbutInnerSetTypes(PC pc);
/* Sets up inner solvers that PETSc would set up in the first solution only. Collective. */
PETSC_INTERN PetscErrorCode AbutInnerSetUp(KSP ksp);
/* Whether no Cholesky preconditioner, pc or inside pc, failed on this rank. Not collective. */
PETSC_INTERN PetscErrorCode AbutInnerIsDefinite(PC pc, PetscBool *definite);

/* ---- lag.c: policy that keeps a factor as preconditioner of later matrices */
typedef struct {
  PetscInt  cost;           /* cost of a factorisation in Krylov iterations; 0 = no lagging */
  PetscInt  max_pause;      /* longest pause, in Newton iterations */
  PetscInt  min_unknowns;   /* smallest matrix for which lagging is tried */
  PetscInt  min_iterations; /* iterations before the rate of convergence is extrapolated */
  PetscBool factored;       /* a factor exists */
  PetscInt  spent;          /* Krylov iterations of the uses of the factor, plus `cost` */
  PetscInt  uses;           /* accepted solutions with the factor */
  PetscInt  last;           /* Krylov iterations of the last one */
  PetscInt  wait;           /* Newton iterations left of the pause in force */
  PetscInt  pause;          /* length of the next pause */
} AbutFactorLag;
PETSC_INTERN const AbutOptionTable AbutFactorLagOptions;
/* Average cost of a use of the factor, the factorisation included, in Krylov iterations. */
PETSC_INTERN PetscInt AbutFactorLagAverage(const AbutFactorLag *lag);
/* Drops the factor and the pause. */
PETSC_INTERN void AbutFactorLagForget(AbutFactorLag *lag);
/* Whether to use the factor for the next matrix; counts down the pause. */
PETSC_INTERN PetscBool AbutFactorLagMay(AbutFactorLag *lag, PetscInt unknowns);
/* Starts a pause. */
PETSC_INTERN void AbutFactorLagRetire(AbutFactorLag *lag);
/* Adds a solution with a factor, an earlier one (lagged) or a new one, to the statistics. */
PETSC_INTERN void AbutFactorLagCount(AbutFactorLag *lag, PetscBool lagged, PetscInt iterations);

/* ---- names.c: ABUT_ERR_INPUT if the user's options name a KSP, PC or factorisation package that PETSc lacks. Not collective. */
PETSC_INTERN PetscErrorCode AbutSolverNamesCheck(void);

/* ---- linear.c */

/* Iteration control of the KSP. */
typedef struct {
  PetscReal rtol;       /* relative tolerance of the residual */
  PetscInt  max_it;     /* largest number of iterations */
  PetscReal shift;      /* relative shift of the diagonal in AbutLinearSetUpShifted() */
  PetscBool bounded;    /* a lagged factor bounds the number of iterations below max_it */
  PetscReal start_norm; /* norm of the first residual of the solution under way */
  void     *test;       /* context of KSPConvergedDefault(), NULL before the first set-up */
} AbutKrylov;

struct _p_AbutLinear {
  KSP              ksp;
  Vec              rest;  /* rest coordinates, wrapped around the caller's array */
  MatNullSpace     rigid; /* rigid-body modes, created for the multigrid solver */
  AbutLinearChoice choice;
  AbutFactorLag    lag;
  AbutKrylov       krylov;
  PetscBool        lagged; /* the set-up in force uses the factor of an earlier matrix */
};
