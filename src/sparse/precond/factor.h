/*
  Cholesky factor of a matrix on one rank, multifrontal (fronts.h), in double or in single precision. For preconditioners single precision
  takes half the time and half the memory; the relative error of a solution is then about 6e-8 times the condition number.
*/
#pragma once
#include "fronts.h"

/* Growth of the predicted work since the last elimination order above which a new pattern gets a new order. */
#define ORDERING_GROWTH 1.1

typedef struct {
  Fronts     *fronts;
  Store       store; /* memory of the fronts' numbers; kept for the next pattern */
  PetscInt    n, bs;
  PetscInt   *number;    /* [n] number in the fronts of the vertex of each block row */
  char       *y;         /* [n * bs] numbers: right-hand side and solution in elimination order */
  PetscBool   single;    /* precision of the numbers */
  FrontsPivot failed;    /* pivot at which the last factorisation failed */
  PetscReal   dissected; /* operations of a factorisation at the time when the elimination order was computed */
} Factor;

/*
  Symbolic factorisation for the pattern of n block rows with dense bs x bs blocks. *factor: NULL, or a factor of an earlier pattern,
  which is replaced. With the same n and bs its elimination order is used again, unless `renew` or the work has grown by ORDERING_GROWTH.
*/
PETSC_INTERN PetscErrorCode FactorAnalyze(PetscInt n, PetscInt bs, const PetscInt ia[], const PetscInt ja[], PetscBool renew,
                                          Factor **factor);
PETSC_INTERN PetscErrorCode FactorDestroy(Factor **factor);
/* Entries of the factor. */
static inline PetscReal FactorEntries(const Factor *factor)
{
  return (PetscReal)factor->fronts->panel[factor->fronts->num];
}
/* Numerical factorisation. *definite: false if a pivot was not positive. */
PETSC_INTERN PetscErrorCode FactorCompute(Factor *factor, PetscBool single, const PetscInt ia[], const PetscInt ja[],
                                          const PetscScalar values[], PetscBool *definite);
/* Whether the last factorisation, in single precision, failed because the matrix is indefinite and not because of round-off. */
PETSC_INTERN PetscErrorCode FactorIsIndefinite(const Factor *factor, const PetscInt ia[], const PetscInt ja[], const PetscScalar values[],
                                               PetscBool *indefinite);
/*
  Smallest ratio of a squared diagonal entry of L to the diagonal entry of the matrix, at most 1; 0 if L is not finite. The relative error
  of a pivot is the round-off of a float over this ratio. The last factorisation must have succeeded, in single precision.
*/
PETSC_INTERN PetscErrorCode FactorLeastPivot(const Factor *factor, const PetscInt ia[], const PetscInt ja[], const PetscScalar values[],
                                             PetscReal *least);
/* x = (L L^T)^-1 b, for vectors in the order of the matrix. */
PETSC_INTERN void FactorSolve(Factor *factor, const PetscScalar b[], PetscScalar x[]);
