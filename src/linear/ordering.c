/*
  Fill-reducing ordering: nested dissection by METIS of the vertex graph, which has dim^2 times fewer entries than the matrix. Registered
  with PETSc as the matrix ordering "abut-nd" for PETSc's own factorisations.
*/
#include "linearimpl.h"
#include <metis.h>

PetscErrorCode AbutOrderingDissect(PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt order[])
{
  idx_t          *xadj, *adjncy, *perm, *iperm, vertices, options[METIS_NOPTIONS];
  int             status;
  AbutTermination termination;

  PetscFunctionBegin;
  if (n == 0) PetscFunctionReturn(0);
  PetscCheck((PetscInt64)n < IDX_MAX && (PetscInt64)ptr[n] < IDX_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%" PetscInt_FMT " vertices with %" PetscInt_FMT " couplings on a rank exceed the %d-bit integers of METIS: use more ranks", n,
             ptr[n], IDXTYPEWIDTH);
  PetscCall(PetscMalloc4(n + 1, &xadj, ptr[n], &adjncy, n, &perm, n, &iperm));
  for (PetscInt r = 0; r <= n; r++) xadj[r] = (idx_t)ptr[r];
  for (PetscInt k = 0; k < ptr[n]; k++) adjncy[k] = (idx_t)adj[k];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  vertices                   = (idx_t)n;
  AbutTerminationBlock(&termination);
  status = METIS_NodeND(&vertices, xadj, adjncy, NULL, options, perm, iperm);
  AbutTerminationRestore(&termination);
  PetscCheck(status == METIS_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "METIS_NodeND failed");
  for (PetscInt r = 0; r < n; r++) order[r] = (PetscInt)perm[r];
  PetscCall(PetscFree4(xadj, adjncy, perm, iperm));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrderingGet(Mat A, MatOrderingType type, IS *row, IS *col)
{
  const PetscInt *ia, *ja;
  PetscInt        rows, bs, n, *order, *ptr, *adj, *vertex, count = 0;
  PetscBool       done;

  PetscFunctionBegin;
  (void)type;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix type gives no access to its rows");
  n = rows / bs;
  PetscCall(PetscMalloc3(n + 1, &ptr, ia[rows] / (bs * bs), &adj, n, &vertex));
  for (PetscInt r = 0; r < n; r++) {
    ptr[r] = count;
    for (PetscInt k = ia[r * bs]; k < ia[r * bs + 1]; k += bs)
      if (ja[k] / bs != r) adj[count++] = ja[k] / bs;
  }
  ptr[n] = count;
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));
  PetscCall(AbutOrderingDissect(n, ptr, adj, vertex));
  PetscCall(PetscMalloc1(n * bs, &order));
  for (PetscInt r = 0; r < n; r++)
    for (PetscInt i = 0; i < bs; i++) order[r * bs + i] = vertex[r] * bs + i;
  PetscCall(PetscFree3(ptr, adj, vertex));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n * bs, order, PETSC_OWN_POINTER, row));
  PetscCall(ISSetPermutation(*row));
  PetscCall(PetscObjectReference((PetscObject)*row));
  *col = *row;
  PetscFunctionReturn(0);
}
