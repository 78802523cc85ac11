/*
  Predicted work and memory of the linear solvers for a matrix, in processor time of the busiest rank for one Newton iteration. The model
  and where its constants come from: docs/linear_solvers.md.
*/
#pragma once
#include <abut/linear.h>
#include <abut/option.h>
#include <abut/precond.h>

/* Rates of the machine and bound of memory: options. */
typedef struct {
  PetscReal dense;  /* [Gflop/s] operations of a factorisation in double precision on a rank */
  PetscReal sparse; /* [1e9/s] matrix entries in products of matrix and vector on a rank */
  PetscReal memory; /* [MB] of a solver on a rank */
} CostModel;

/* Uses of a solver in a Newton iteration. */
typedef struct {
  PetscReal setups;     /* factorisations, or set-ups of the preconditioner */
  PetscReal iterations; /* of the Krylov method; 0 = not counted */
} CostUse;

/* Sizes and counts of a prediction. */
typedef struct {
  PetscMPIInt      size;                           /* ranks */
  PetscInt         bs;                             /* unknowns of a vertex */
  PetscInt         modes;                          /* coarse unknowns of an aggregate of multigrid */
  PetscInt         coarsen;                        /* vertices of an aggregate */
  PetscInt         coarsest;                       /* largest number of unknowns of the coarsest level */
  PetscReal        unknowns;                       /* of all ranks */
  PetscReal        total;                          /* matrix entries of all ranks */
  PetscReal        entries;                        /* matrix entries of the fullest rank */
  PetscBool        single;                         /* factors are in single precision */
  AbutFactorCounts factor;                         /* of the matrix */
  AbutFactorCounts local;                          /* of the subdomains of the Schwarz method */
  CostUse          use[ABUT_LINEAR_MULTIGRID + 1]; /* counted in the run, indexed by AbutLinearKind */
  PetscReal        setups_ratio;                   /* set-ups of the solver counted last, over its average; 0 = not counted */
  PetscReal        patterns;                       /* new patterns of the matrix in a Newton iteration, counted in the run */
} CostCounts;

typedef struct {
  PetscReal seconds; /* negative: not predicted */
  PetscReal bytes;
} Cost;

/*
  Uses of a solver, not ABUT_LINEAR_AUTO, in a Newton iteration: those counted, otherwise averages, with fewer or more set-ups than the
  average if the solver counted last had fewer or more. Not collective.
*/
PETSC_INTERN CostUse CostGetUse(const CostCounts *counts, AbutLinearKind kind);
/* Sets the uses of a solver, not ABUT_LINEAR_AUTO, to counted ones. Not collective. */
PETSC_INTERN void CostSetUse(CostCounts *counts, AbutLinearKind kind, CostUse use);
/* Whether the uses of a solver, and with them new patterns, were counted. Not collective. */
PETSC_INTERN PetscBool CostIsCounted(const CostCounts *counts);
/* New patterns of the matrix in a Newton iteration: as counted, otherwise an average. Not collective. */
PETSC_INTERN PetscReal CostGetPatterns(const CostCounts *counts);
/* Predicted cost of a solver, not ABUT_LINEAR_AUTO. Not collective. */
PETSC_INTERN Cost CostPredict(const CostModel *model, const CostCounts *counts, AbutLinearKind kind);
/* Cost of the analysis of a factorisation by one rank; an upper bound on several ranks, which share it. Not collective. */
PETSC_INTERN Cost CostOfAnalysis(const CostModel *model, const CostCounts *counts);
/*
  The solver with the least work among those with enough memory, or with the least memory if none has enough. cost: [ABUT_LINEAR_MULTIGRID
  + 1], indexed by AbutLinearKind. current: a solver in use, or ABUT_LINEAR_AUTO; another one replaces it only if that saves a tenth of the
  work. Not collective.
*/
PETSC_INTERN AbutLinearKind CostChoose(const CostModel *model, const Cost cost[], AbutLinearKind current);
