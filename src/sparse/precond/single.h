/*
  Cholesky factor in single precision of a matrix on one rank, for preconditioners: half the time and half the memory of one in double
  precision, relative error of a solution about 6e-8 times the condition number. Multifrontal (fronts.h), because CHOLMOD 3 has no single
  precision.
*/
#pragma once
#include "fronts.h"

/* Growth of the predicted work since the last order at which a new pattern is ordered anew. */
#define ORDERING_GROWTH 1.1

typedef struct {
  Fronts     *fronts;
  Store       store; /* numbers of the fronts; stays for the next pattern */
  PetscInt    n, bs;
  PetscInt   *number;    /* [n] vertex number in the fronts of each block row */
  float      *y;         /* [n * bs] right-hand side and solution in elimination order */
  FrontsPivot failed;    /* of the last factorisation */
  PetscReal   dissected; /* operations of a factorisation when the elimination order was computed */
} Single;

/*
  Symbolic factorisation for the pattern of n block rows with bs x bs blocks. *single: NULL or a factor of an earlier pattern, which is
  replaced. With the same n and bs its elimination order serves again while the work has grown by less than ORDERING_GROWTH, unless `renew`.
*/
PETSC_INTERN PetscErrorCode SingleAnalyze(PetscInt n, PetscInt bs, const PetscInt ia[], const PetscInt ja[], PetscBool renew,
                                          Single **single);
PETSC_INTERN PetscErrorCode SingleDestroy(Single **single);
/* Numerical factorisation. *definite: false if a pivot was not positive. */
PETSC_INTERN PetscErrorCode SingleFactor(Single *single, const PetscInt ia[], const PetscInt ja[], const PetscScalar values[],
                                         PetscBool *definite);
/* Whether the last factorisation failed because the matrix is indefinite, not by round-off. */
PETSC_INTERN PetscErrorCode SingleIsIndefinite(const Single *single, const PetscInt ia[], const PetscInt ja[], const PetscScalar values[],
                                               PetscBool *indefinite);
/*
  The least square of a diagonal entry of L over the diagonal entry of the matrix, at most 1, and 0 if L is not finite: the relative
  error of a pivot is the round-off of a float over this number. For the matrix of the last factorisation, which succeeded.
*/
PETSC_INTERN PetscErrorCode SingleLeastPivot(const Single *single, const PetscInt ia[], const PetscInt ja[], const PetscScalar values[],
                                             PetscReal *least);
/* x = (L L^T)^-1 b, for vectors in the order of the matrix. */
PETSC_INTERN void SingleSolve(Single *single, const PetscScalar b[], PetscScalar x[]);
