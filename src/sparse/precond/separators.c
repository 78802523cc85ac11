/* Vertex separators by METIS, one at a time, and the tree of separators that repeats them. */
#include "separators.h"
#include <abut/core.h>
#include <metis.h>

#define LARGEST_PART 200 /* vertices; 400 takes 17 % less time to divide, and from 6 % fewer to 6 % more operations on one rank */

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

PetscErrorCode SeparatorTreeDestroy(SeparatorTree *t)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(t->order.a));
  PetscCall(PetscFree(t->size.a));
  PetscCall(PetscFree(t->height.a));
  *t = (SeparatorTree){0};
  PetscFunctionReturn(0);
}

PetscErrorCode SeparatorTreeAppend(const PetscInt vertex[], const SeparatorTree *half, SeparatorTree *t)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < half->order.n; k++) PetscCall(AbutIntsPush(&t->order, 1, &vertex[half->order.a[k]]));
  PetscCall(AbutIntsPush(&t->size, half->size.n, half->size.a));
  PetscCall(AbutIntsPush(&t->height, half->height.n, half->height.a));
  t->levels = PetscMax(t->levels, half->levels);
  PetscFunctionReturn(0);
}

/* Appends the vertices of a part of the graph as one part or separator, if there are any. */
static PetscErrorCode AppendVertices(PetscInt n, const PetscInt part[], PetscInt which, PetscInt height, SeparatorTree *t)
{
  PetscInt size = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < n; v++) {
    if (part[v] != which) continue;
    PetscCall(AbutIntsPush(&t->order, 1, &v));
    size++;
  }
  if (size == 0) PetscFunctionReturn(0);
  PetscCall(AbutIntsPush(&t->size, 1, &size));
  PetscCall(AbutIntsPush(&t->height, 1, &height));
  t->levels = PetscMax(t->levels, height);
  PetscFunctionReturn(0);
}

PetscErrorCode SeparatorTreeAppendSeparator(PetscInt n, const PetscInt part[], SeparatorTree *t)
{
  PetscFunctionBegin;
  PetscCall(AppendVertices(n, part, 2, t->levels + 1, t));
  PetscFunctionReturn(0);
}

PetscErrorCode SeparatorTreeFind(PetscInt n, const PetscInt ptr[], const PetscInt adj[], SeparatorTree *t)
{
  PetscInt *part, *number;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &part, n, &number));
  PetscCall(SeparatorFind(LARGEST_PART, n, ptr, adj, part));
  for (int p = 0; p < 2; p++) {
    Subgraph      half;
    SeparatorTree below = {0};
    PetscCall(SubgraphCreate(n, ptr, adj, part, p, number, &half));
    if (half.n == n) {
      PetscCall(AppendVertices(n, part, p, 0, t));
    } else {
      PetscCall(SeparatorTreeFind(half.n, half.ptr, half.adj, &below));
      PetscCall(SeparatorTreeAppend(half.vertex, &below, t));
    }
    PetscCall(SeparatorTreeDestroy(&below));
    PetscCall(SubgraphDestroy(&half));
  }
  PetscCall(SeparatorTreeAppendSeparator(n, part, t));
  PetscCall(PetscFree2(part, number));
  PetscFunctionReturn(0);
}

void SeparatorTreeGetHeights(const SeparatorTree *t, PetscInt height[])
{
  for (PetscInt i = 0, at = 0; i < t->size.n; at += t->size.a[i++])
    for (PetscInt k = 0; k < t->size.a[i]; k++) height[t->order.a[at + k]] = t->height.a[i];
}
