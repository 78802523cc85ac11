/* Private to src/sparse/linear. */
#pragma once
#include "cost.h"
#include <abut/linear.h>
#include <abut/option.h>
#include <abut/precond.h>

#define LAG_ITERATIONS 3 /* iterations with a reused factor before a slow rate of convergence ends the solution [iterations] */
#define LAG_PAUSE \
  16 /* longest pause of factor reuse after a reused factor needed too many iterations; pauses start at 1 and double [Newton iterations] */

/* ---- choice.c: policy that chooses KSP and PC */

typedef struct {
  AbutLinearKind asked;        /* value of the option -abut_linear */
  AbutLinearKind kind;         /* current choice, never AUTO */
  PetscInt       min_unknowns; /* smallest system for which AUTO considers multigrid */
  PetscReal      memory;       /* largest predicted memory of a direct solver that AUTO takes, on a rank [MB] */
  PetscInt       aggregate;    /* vertices of an aggregate of multigrid */
  PetscInt       coarse;       /* largest number of unknowns of the coarsest level of multigrid */
  PetscBool      ksp_chosen;   /* the user gave -ksp_type */
  PetscBool      pc_chosen;    /* the user gave -pc_type */
  PetscBool      renew;        /* the next choice must not depend on earlier matrices */
  PetscBool      failed;       /* conjugate gradients with multigrid failed since the last such choice */
  CostCounts     counts;       /* of the last choice; zeros = none */
} AbutLinearChoice;
/* Sets the types of ksp and of its PC, unless the user chose them. Collective. */
PETSC_INTERN PetscErrorCode AbutLinearChoiceSetTypes(AbutLinearChoice *choice, KSP ksp);
/*
  Repeats the choice for a new pattern. single: factors are expected to be in single precision. *changed: the PC was replaced or reset, so
  that the earlier factor is lost. Collective.
*/
PETSC_INTERN PetscErrorCode AbutLinearChoiceSetPattern(AbutLinearChoice *choice, KSP ksp, Mat A, PetscBool single, PetscBool *changed);
/* Notes that a solution failed: the direct solver is to replace multigrid if AUTO chose it, unless a factor takes too much memory. */
PETSC_INTERN void AbutLinearChoiceFail(AbutLinearChoice *choice);
/* Whether AbutLinearChoiceSetPattern() will replace multigrid, because conjugate gradients failed. Not collective. */
PETSC_INTERN PetscBool      AbutLinearChoiceHasFailed(const AbutLinearChoice *choice);
PETSC_INTERN PetscErrorCode AbutLinearChoiceView(const AbutLinearChoice *choice, PetscViewer viewer);

/* ---- factors.c */

/*
  AbutFactorSetSingle(): requests factors in single precision from the next PCSetUp() on, without effect on other PCs.
  AbutFactorIsSingle(): whether the last factor is; false for other PCs. Not collective.
*/
PETSC_INTERN void      AbutFactorSetSingle(PC pc, PetscBool single);
PETSC_INTERN PetscBool AbutFactorIsSingle(PC pc);
/* Whether all Cholesky factorisations of pc, or of the levels of multigrid, succeeded on this rank. Not collective. */
PETSC_INTERN PetscErrorCode AbutFactorIsDefinite(PC pc, PetscBool *definite);

/* ---- lag.c: policy that keeps a factor as preconditioner of later matrices */
typedef struct {
  PetscInt  cost;     /* cost of a factorisation in Krylov iterations; 0 = no lagging */
  PetscInt  least;    /* smallest matrix whose factor is reused [unknowns] */
  PetscBool factored; /* a factor exists */
  PetscInt  spent;    /* Krylov iterations of the uses of the factor, plus `cost` */
  PetscInt  uses;     /* accepted solutions with the factor */
  PetscInt  last;     /* Krylov iterations of the last accepted solution */
  PetscInt  wait;     /* Newton iterations left of the current pause */
  PetscInt  pause;    /* length of the next pause [Newton iterations] */
} AbutFactorLag;
/* After a set-up with an indefinite matrix: drops the intervals of multigrid that were estimated with it. Collective. */
PETSC_INTERN PetscErrorCode AbutLinearForgetIndefinite(AbutLinear linear);
/* The preconditioner "abut-multigrid", or NULL. Not collective. */
PETSC_INTERN PC   AbutLinearGetMultigrid(AbutLinear linear);
PETSC_INTERN void AbutFactorLagForget(AbutFactorLag *lag);
/* Average cost of a use of the factor in Krylov iterations, with the share of the factorisation. */
PETSC_INTERN PetscInt AbutFactorLagAverage(const AbutFactorLag *lag);

/* ---- precision.c: policy that factorises in single precision */
typedef struct {
  PetscInt  min_unknowns; /* smallest matrix that is factorised in single precision */
  PetscBool single;       /* the last factorisation was to be in single precision */
  PetscBool in_use;       /* the current factor is in single precision, and no factor of this matrix in double precision was tried */
  PetscInt  wait;         /* factorisations left of the current pause */
  PetscInt  pause;        /* length of the next pause [factorisations] */
} AbutPrecision;
PETSC_INTERN void AbutPrecisionForget(AbutPrecision *precision);
/* Whether the next factorisation is in single precision; a pause gets shorter by this factorisation. */
PETSC_INTERN PetscBool AbutPrecisionChoose(AbutPrecision *precision, PetscInt unknowns);
/* Whether most of the next factorisations are expected to be in single precision. */
PETSC_INTERN PetscBool AbutPrecisionExpect(const AbutPrecision *precision, PetscInt unknowns);
/* Starts a pause, because a factor in single precision failed or needed too many iterations. */
PETSC_INTERN void AbutPrecisionPause(AbutPrecision *precision, PetscInt max_pause);

/*
  ---- names.c: ABUT_ERR_INPUT if an option names a KSP, PC or factorisation package that PETSc does not have, or that this number of ranks
  cannot use. Not collective.
*/
PETSC_INTERN PetscErrorCode AbutSolverNamesCheck(MPI_Comm comm);

/* ---- write.c */

/*
  Replaces `file` by the system A x = b in PETSc's binary format: matrix, right-hand side, rest and current coordinates [m] (one vector
  each, numbered as the rows), rank of each vertex. positions: [owned rows] or NULL = rest coordinates. Collective.
*/
PETSC_INTERN PetscErrorCode AbutSystemWrite(const char file[], Mat A, Vec b, Vec rest, const PetscReal positions[]);

/* ---- linear.c */

/* Iteration control of the KSP. */
typedef struct {
  PetscReal rtol;       /* relative tolerance of the residual with a factor as preconditioner */
  PetscReal forcing;    /* with multigrid */
  PetscInt  max_it;     /* largest number of iterations */
  PetscBool bounded;    /* a lagged factor bounds the number of iterations below max_it */
  PetscReal work;       /* b . x of the last iterate, with multigrid */
  PetscReal start_norm; /* norm of the first residual of the current solution */
  PetscBool resume;     /* the next AbutLinearSolve() continues from the iterate of a solution that was given up */
  PetscInt  given_up;   /* iterations of that solution */
  void     *test;       /* context of KSPConvergedDefault(), NULL before the first set-up */
} AbutKrylov;

struct _p_AbutLinear {
  KSP              ksp;
  Vec              rest;      /* rest coordinates; uses the caller's array in place */
  const PetscReal *positions; /* current coordinates of the owned vertices, borrowed; NULL = none given */
  PetscInt         unknowns;  /* rows of the matrices */
  AbutLinearChoice choice;
  AbutFactorLag    lag;
  AbutPrecision    precision;
  AbutKrylov       krylov;
  PetscBool        lagged;                   /* the current set-up uses the factor of an earlier matrix */
  char             file[PETSC_MAX_PATH_LEN]; /* receives each system before its solution; "" = none */
};
