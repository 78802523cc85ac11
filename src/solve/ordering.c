/*
  Nested dissection of the vertex graph: the scalar matrix has dim x dim blocks of one pattern, so its graph is compressed before METIS
  orders it, which is dim^2 times cheaper. Registered with PETSc as the matrix ordering "abut-nd" for its own factorisations.
*/
#include "solveimpl.h"
#include <metis.h>

/* Block graph of a sequential matrix without the diagonal, in METIS's integers. */
static PetscErrorCode CompressGraph(PetscInt n, PetscInt bs, const PetscInt ia[], const PetscInt ja[], idx_t **xadj, idx_t **adjncy)
{
  PetscInt count = 0;

  PetscFunctionBegin;
  PetscCheck(ia[n * bs] / (bs * bs) < IDX_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%" PetscInt_FMT " blocks exceed METIS's %d-bit integers: use more ranks", ia[n * bs] / (bs * bs), IDXTYPEWIDTH);
  PetscCall(PetscMalloc2(n + 1, xadj, ia[n * bs] / (bs * bs), adjncy));
  for (PetscInt r = 0; r < n; r++) {
    (*xadj)[r] = (idx_t)count;
    for (PetscInt k = ia[r * bs]; k < ia[r * bs + 1]; k += bs)
      if (ja[k] / bs != r) (*adjncy)[count++] = (idx_t)(ja[k] / bs);
  }
  (*xadj)[n] = (idx_t)count;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrderingGet(Mat A, IS *row, IS *col)
{
  const PetscInt *ia, *ja;
  PetscInt        rows, bs, n, *order;
  idx_t          *xadj, *adjncy, *perm, *iperm, vertices, options[METIS_NOPTIONS];
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix does not give its rows");
  n = rows / bs;
  PetscCall(CompressGraph(n, bs, ia, ja, &xadj, &adjncy));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));
  PetscCall(PetscMalloc2(n, &perm, n, &iperm));
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  vertices                   = (idx_t)n;
  PetscCheck(n == 0 || METIS_NodeND(&vertices, xadj, adjncy, NULL, options, perm, iperm) == METIS_OK, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "METIS_NodeND failed");
  PetscCall(PetscMalloc1(n * bs, &order));
  for (PetscInt r = 0; r < n; r++)
    for (PetscInt i = 0; i < bs; i++) order[r * bs + i] = (PetscInt)perm[r] * bs + i;
  PetscCall(PetscFree2(perm, iperm));
  PetscCall(PetscFree2(xadj, adjncy));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n * bs, order, PETSC_OWN_POINTER, row));
  PetscCall(ISSetPermutation(*row));
  PetscCall(PetscObjectReference((PetscObject)*row));
  *col = *row;
  PetscFunctionReturn(0);
}

static PetscErrorCode GetOrdering(Mat A, MatOrderingType type, IS *row, IS *col)
{
  PetscFunctionBegin;
  (void)type;
  PetscCall(AbutOrderingGet(A, row, col));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrderingRegister(void)
{
  PetscFunctionBegin;
  PetscCall(MatOrderingRegister("abut-nd", GetOrdering));
  PetscFunctionReturn(0);
}
