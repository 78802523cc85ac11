/*
  Fill-reducing ordering of the vertex graph, which has dim^2 times fewer entries than the matrix. Registered with PETSc as the matrix
  ordering "abut-nd" for PETSc's own factorisations.

  Separators divide the graph into small parts, which are eliminated first. The order with fewer operations is taken of two orders of the
  separators: nested dissection, best for blocks, and multisection, best for slender bodies and sheets.
*/
#include "cholmodimpl.h"
#include "precondimpl.h"
#include "separators.h"

static cholmod_sparse View(PetscInt n, const PetscInt ptr[], const PetscInt adj[])
{
  return (cholmod_sparse){.nrow   = (size_t)n,
                          .ncol   = (size_t)n,
                          .nzmax  = (size_t)ptr[n],
                          .p      = (void *)ptr,
                          .i      = (void *)adj,
                          .stype  = 1,
                          .itype  = INTEGERS,
                          .packed = 1};
}

/* Operations of a factorisation in the given order, up to a factor. */
static PetscErrorCode CountOperations(cholmod_sparse *graph, PetscInt order[], PetscReal *operations)
{
  const size_t   n = graph->nrow;
  Index         *parent, *post, *count, *first, *level;
  PetscBool      good;
  cholmod_common common;

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(n, &parent, n, &post, n, &count, n, &first, n, &level));
  CHOLMOD(start)(&common);
  good = (PetscBool)CHOLMOD(analyze_ordering)(graph, CHOLMOD_GIVEN, order, NULL, 0, parent, post, count, first, level, &common);
  CHOLMOD(finish)(&common);
  PetscCheck(good, PETSC_COMM_SELF, PETSC_ERR_LIB, "CHOLMOD's column counts failed with status %d", common.status);
  *operations = 0;
  for (size_t k = 0; k < n; k++) *operations += (PetscReal)count[k] * (PetscReal)count[k];
  PetscCall(PetscFree5(parent, post, count, first, level));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrderingFromHeights(PetscInt together, PetscInt n, const PetscInt ptr[], const PetscInt adj[], const PetscInt height[],
                                       PetscInt order[])
{
  cholmod_sparse graph = View(n, ptr, adj);
  Index         *stage; /* vertices of a lower stage come first */
  PetscBool      good;
  cholmod_common common;

  PetscFunctionBegin;
  if (n == 0) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(n, &stage));
  for (PetscInt v = 0; v < n; v++) stage[v] = height[v] <= together ? PetscMin(height[v], 1) : height[v] - together + 1;
  CHOLMOD(start)(&common);
  common.method[0].prune_dense = -1; /* else the order ignores rows with many couplings, such as parts in a quotient graph */
  good                         = (PetscBool)CHOLMOD(camd)(&graph, NULL, 0, stage, order, &common);
  CHOLMOD(finish)(&common);
  PetscCheck(good, PETSC_COMM_SELF, PETSC_ERR_LIB, "CHOLMOD's minimum degree order failed with status %d", common.status);
  PetscCall(PetscFree(stage));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrderingHeights(PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt height[], PetscInt *levels)
{
  SeparatorTree tree = {0};

  PetscFunctionBegin;
  PetscCall(SeparatorTreeFind(n, ptr, adj, &tree));
  SeparatorTreeGetHeights(&tree, height);
  *levels = tree.levels;
  PetscCall(SeparatorTreeDestroy(&tree));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrderingDissect(PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt order[])
{
  PetscInt      *height, *other, levels;
  PetscReal      operations[2];
  cholmod_sparse graph;

  PetscFunctionBegin;
  if (n == 0) PetscFunctionReturn(0);
  graph = View(n, ptr, adj);
  PetscCall(PetscMalloc2(n, &height, n, &other));
  PetscCall(AbutOrderingHeights(n, ptr, adj, height, &levels));
  PetscCall(AbutOrderingFromHeights(1, n, ptr, adj, height, order));
  if (levels > 1) {
    PetscCall(AbutOrderingFromHeights(levels, n, ptr, adj, height, other));
    PetscCall(CountOperations(&graph, order, &operations[0]));
    PetscCall(CountOperations(&graph, other, &operations[1]));
    if (operations[1] < operations[0]) PetscCall(PetscArraycpy(order, other, n));
  }
  PetscCall(PetscFree2(height, other));
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
