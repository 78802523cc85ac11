/* Whether a matrix stores all entries of its bs x bs blocks. */
#pragma once
#include <petscmat.h>

/*
  First row of the first block row that has a block without all of its entries; n: there is none. Rows have sorted columns. number: global
  numbers of the columns, NULL = ja. Not collective.
*/
PETSC_INTERN PetscInt BlocksFindSparse(PetscInt n, PetscInt bs, const PetscInt ia[], const PetscInt ja[], const PetscInt number[]);
/* Refuses a matrix of type SEQAIJ or MPIAIJ with such a block, for the preconditioner `name`. Collective. */
PETSC_INTERN PetscErrorCode BlocksCheckDense(Mat A, const char name[]);
