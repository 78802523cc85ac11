/* Vertex separators by METIS, one at a time, and the nested dissection that repeats them. */
#include "separators.h"
#include <abut/core.h>
#include <metis.h>

PetscErrorCode SubgraphDestroy(Subgraph *g)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(g->ptr, g->adj, g->vertex));
  PetscFunctionReturn(0);
}

PetscErrorCode SeparatorFind(PetscInt least, PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt part[])
{
  idx_t          *xadj, *adjncy, *where, vertices = (idx_t)n, size, options[METIS_NOPTIONS];
  int             status;
  AbutTermination termination;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(part, n));
  PetscCheck((PetscInt64)n < IDX_MAX && (PetscInt64)ptr[n] < IDX_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%" PetscInt_FMT " vertices with %" PetscInt_FMT
             " couplings on a rank exceed the %d-bit integers of METIS: use -abut_linear multigrid",
             n, ptr[n], IDXTYPEWIDTH);
  if (n <= least || ptr[n] == 0) PetscFunctionReturn(0);
  PetscCall(PetscMalloc3(n + 1, &xadj, ptr[n], &adjncy, n, &where));
  for (PetscInt v = 0; v <= n; v++) xadj[v] = (idx_t)ptr[v];
  for (PetscInt k = 0; k < ptr[n]; k++) adjncy[k] = (idx_t)adj[k];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  AbutTerminationBlock(&termination);
  status = METIS_ComputeVertexSeparator(&vertices, xadj, adjncy, NULL, options, &size, where);
  AbutTerminationRestore(&termination);
  PetscCheck(status == METIS_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "METIS_ComputeVertexSeparator failed");
  for (PetscInt v = 0; v < n; v++) part[v] = (PetscInt)where[v];
  PetscCall(PetscFree3(xadj, adjncy, where));
  PetscFunctionReturn(0);
}

PetscErrorCode SubgraphCreate(PetscInt n, const PetscInt ptr[], const PetscInt adj[], const PetscInt part[], PetscInt which,
                              PetscInt number[], Subgraph *g)
{
  PetscInt count = 0;

  PetscFunctionBegin;
  g->n = 0;
  for (PetscInt v = 0; v < n; v++)
    if (part[v] == which) {
      number[v] = g->n++;
      count += ptr[v + 1] - ptr[v];
    }
  PetscCall(PetscMalloc3(g->n + 1, &g->ptr, count, &g->adj, g->n, &g->vertex));
  count = 0;
  for (PetscInt v = 0; v < n; v++) {
    if (part[v] != which) continue;
    g->vertex[number[v]] = v;
    g->ptr[number[v]]    = count;
    for (PetscInt k = ptr[v]; k < ptr[v + 1]; k++)
      if (part[adj[k]] == which) g->adj[count++] = number[adj[k]];
  }
  g->ptr[g->n] = count;
  PetscFunctionReturn(0);
}

void SeparatorSetHeight(PetscInt n, const PetscInt part[], const PetscInt below[2], PetscInt height[], PetscInt *levels)
{
  const PetscInt own = PetscMax(below[0], below[1]) + 1;

  *levels = own - 1;
  for (PetscInt v = 0; v < n; v++)
    if (part[v] == 2) height[v] = *levels = own;
}

/* Heights of the vertices of one half of a graph; height: [all vertices of the graph]. */
static PetscErrorCode HalfHeights(PetscInt least, const Subgraph *half, PetscInt height[], PetscInt *levels)
{
  PetscInt *own;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(half->n, &own));
  PetscCall(SeparatorHeights(least, half->n, half->ptr, half->adj, own, levels));
  for (PetscInt v = 0; v < half->n; v++) height[half->vertex[v]] = own[v];
  PetscCall(PetscFree(own));
  PetscFunctionReturn(0);
}

PetscErrorCode SeparatorHeights(PetscInt least, PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt height[], PetscInt *levels)
{
  PetscInt *part, *number, below[2] = {0, 0};

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &part, n, &number));
  PetscCall(SeparatorFind(least, n, ptr, adj, part));
  PetscCall(PetscArrayzero(height, n));
  for (int p = 0; p < 2; p++) {
    Subgraph half;
    PetscCall(SubgraphCreate(n, ptr, adj, part, p, number, &half));
    if (half.n < n) PetscCall(HalfHeights(least, &half, height, &below[p]));
    PetscCall(SubgraphDestroy(&half));
  }
  SeparatorSetHeight(n, part, below, height, levels);
  PetscCall(PetscFree2(part, number));
  PetscFunctionReturn(0);
}
