/* The vertex graph of a distributed matrix, and integers of all ranks, for the first rank. */
#include "mapping.h"

PetscErrorCode MappingGetGraph(Mat A, PetscInt *num, PetscInt **length, PetscInt **adj)
{
  const PetscInt *ia[2], *ja[2], *ghost;
  PetscInt        bs, rows, first, count = 0, n;
  PetscBool       done;
  Mat             part[2];

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &part[0], &part[1], &ghost));
  for (int p = 0; p < 2; p++) PetscCall(MatGetRowIJ(part[p], 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia[p], &ja[p], &done));
  n = rows / bs;
  PetscCall(PetscMalloc2(n, length, (ia[0][rows] + ia[1][rows]) / (bs * bs), adj));
  for (PetscInt v = 0; v < n; v++) {
    const PetscInt before = count;
    for (int p = 0; p < 2; p++)
      for (PetscInt k = ia[p][v * bs]; k < ia[p][v * bs + 1]; k += bs)
        if (p == 1 || ja[0][k] != v * bs) (*adj)[count++] = p == 0 ? (first + ja[0][k]) / bs : ghost[ja[1][k]] / bs;
    (*length)[v] = count - before;
  }
  for (int p = 0; p < 2; p++) PetscCall(MatRestoreRowIJ(part[p], 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia[p], &ja[p], &done));
  *num = n;
  PetscFunctionReturn(0);
}

PetscErrorCode MappingGather(MPI_Comm comm, PetscInt n, const PetscInt values[], PetscMPIInt counts[], PetscMPIInt starts[], PetscInt **all)
{
  PetscMPIInt rank, size, count;
  PetscInt64  total = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMPIIntCast(n, &count));
  PetscCallMPI(MPI_Gather(&count, 1, MPI_INT, counts, 1, MPI_INT, 0, comm));
  for (PetscMPIInt r = 0; r < size && rank == 0; r++) {
    starts[r] = (PetscMPIInt)total;
    total += counts[r];
    PetscCheck(total <= PETSC_MPI_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "The graph of the matrix exceeds the counts of MPI: use another -abut_linear");
  }
  PetscCall(PetscMalloc1((size_t)total + 1, all));
  PetscCallMPI(MPI_Gatherv(values, count, MPIU_INT, *all, counts, starts, MPIU_INT, 0, comm));
  PetscFunctionReturn(0);
}
