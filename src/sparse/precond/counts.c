/* Work and memory of factorisations of the blocks of a matrix, one block a rank. */
#include "fronts.h"
#include "precondimpl.h"

/* Symbolic factorisation of the rows and columns of this rank: operations and entries. Not collective. */
static PetscErrorCode CountOwn(Mat own, PetscInt bs, PetscReal counts[2])
{
  FrontRows rows = {0};
  PetscInt *number, n;
  PetscBool done;
  Fronts   *f;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(own, 0, PETSC_FALSE, PETSC_FALSE, &n, &rows.ia, &rows.ja, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "The Schwarz method needs an AIJ matrix");
  PetscCall(PetscMalloc1(n / bs, &number));
  for (PetscInt v = 0; v < n / bs; v++) number[v] = v;
  rows.number = number;
  PetscCall(FrontsCreate(bs, n / bs, 0, number, 1, &rows, PETSC_TRUE, &f));
  counts[0] = f->flops;
  counts[1] = (PetscReal)f->panel[f->num];
  PetscCall(FrontsDestroy(&f));
  PetscCall(PetscFree(number));
  PetscCall(MatRestoreRowIJ(own, 0, PETSC_FALSE, PETSC_FALSE, &n, &rows.ia, &rows.ja, &done));
  PetscFunctionReturn(0);
}

/*
  The subdomain of the Schwarz method also has the vertices that couple to vertices of the rank: in three dimensions the work of a nested
  dissection grows with the square of the number of vertices, the factor with its power 4/3.
*/
PetscErrorCode AbutPrecondCountSubdomains(Mat A, PetscInt bs, PetscBool single, AbutFactorCounts *counts)
{
  PetscInt  n, ghosts;
  PetscReal most[2], growth;
  Mat       own, other;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &own, &other, NULL));
  PetscCall(MatGetSize(own, &n, NULL));
  PetscCall(MatGetSize(other, NULL, &ghosts));
  PetscCall(CountOwn(own, bs, most));
  growth = (PetscReal)(n + ghosts) / (PetscReal)PetscMax(n, 1);
  most[0] *= growth * growth;
  most[1] *= PetscPowReal(growth, 4. / 3.);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)A)));
  *counts = (AbutFactorCounts){most[0], most[1], (PetscReal)(single ? sizeof(float) : sizeof(PetscScalar)) * most[1]};
  PetscFunctionReturn(0);
}
