/*
  Nested dissection on several ranks. The first rank of a group finds a separator of its graph, keeps one half and sends the other to the
  first rank of the second half of the group. Groups of one rank order their graphs by METIS. The separator is eliminated after both
  halves, as METIS_NodeND() does, which finds its first separator by the same method.
*/
#include "dissection.h"
#include "linearimpl.h"
#include <metis.h>

#define SMALLEST 1000 /* vertices; a smaller graph stays on one rank: its halves take less time than the messages */

/* A graph (CSR without diagonal). */
typedef struct {
  PetscInt  n;
  PetscInt *ptr, *adj;
  PetscInt *vertex; /* [n] number in the graph that this is a part of */
} Graph;

static PetscErrorCode GraphDestroy(Graph *g)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(g->ptr, g->adj, g->vertex));
  PetscFunctionReturn(0);
}

/* part: [n] 0 or 1 = half, 2 = separator. A small graph becomes one half. */
static PetscErrorCode Separate(PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt part[])
{
  idx_t          *xadj, *adjncy, *where, vertices = (idx_t)n, size, options[METIS_NOPTIONS];
  int             status;
  AbutTermination termination;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(part, n));
  if (n < SMALLEST || ptr[n] == 0) PetscFunctionReturn(0);
  PetscCheck((PetscInt64)n < IDX_MAX && (PetscInt64)ptr[n] < IDX_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%" PetscInt_FMT " vertices with %" PetscInt_FMT " couplings exceed the %d-bit integers of METIS: use -abut_linear schwarz", n,
             ptr[n], IDXTYPEWIDTH);
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

/* The subgraph of one part; number: [n] work array. The caller destroys it. */
static PetscErrorCode Extract(PetscInt n, const PetscInt ptr[], const PetscInt adj[], const PetscInt part[], PetscInt which,
                              PetscInt number[], Graph *g)
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

static PetscErrorCode Send(MPI_Comm comm, PetscMPIInt to, PetscMPIInt tag, PetscInt n, const PetscInt values[])
{
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(n, &count));
  PetscCallMPI(MPI_Send(values, count, MPIU_INT, to, tag, comm));
  PetscFunctionReturn(0);
}

static PetscErrorCode Receive(MPI_Comm comm, PetscMPIInt from, PetscMPIInt tag, PetscInt n, PetscInt values[])
{
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(n, &count));
  PetscCallMPI(MPI_Recv(values, count, MPIU_INT, from, tag, comm, MPI_STATUS_IGNORE));
  PetscFunctionReturn(0);
}

static PetscErrorCode SendGraph(MPI_Comm comm, PetscMPIInt to, PetscMPIInt tag, const Graph *g)
{
  PetscFunctionBegin;
  PetscCall(Send(comm, to, tag, 1, &g->n));
  PetscCall(Send(comm, to, tag, g->n + 1, g->ptr));
  PetscCall(Send(comm, to, tag, g->ptr[g->n], g->adj));
  PetscFunctionReturn(0);
}

/* The caller destroys the graph. */
static PetscErrorCode ReceiveGraph(MPI_Comm comm, PetscMPIInt from, PetscMPIInt tag, Graph *g)
{
  PetscInt *start;

  PetscFunctionBegin;
  PetscCall(Receive(comm, from, tag, 1, &g->n));
  PetscCall(PetscMalloc1(g->n + 1, &start));
  PetscCall(Receive(comm, from, tag, g->n + 1, start));
  PetscCall(PetscMalloc3(g->n + 1, &g->ptr, start[g->n], &g->adj, 0, &g->vertex));
  PetscCall(PetscArraycpy(g->ptr, start, g->n + 1));
  PetscCall(Receive(comm, from, tag, g->ptr[g->n], g->adj));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(0);
}

/* Ranks of the first half of a group. */
static PetscMPIInt FirstHalf(PetscMPIInt num)
{
  return num - num / 2;
}

/* Orders a graph by `num` ranks, of which this is the first. Every other rank of the group waits for a graph, which may be empty. */
static PetscErrorCode Dissect(MPI_Comm comm, PetscMPIInt tag, PetscMPIInt first, PetscMPIInt num, PetscInt n, const PetscInt ptr[],
                              const PetscInt adj[], PetscInt order[])
{
  const PetscMPIInt second = first + FirstHalf(num);
  Graph             half[2];
  PetscInt         *part, *number, count = 0;

  PetscFunctionBegin;
  if (num == 1) {
    PetscCall(AbutOrderingDissect(n, ptr, adj, order));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscMalloc2(n, &part, n, &number));
  PetscCall(Separate(n, ptr, adj, part));
  for (int p = 1; p >= 0; p--) {
    PetscCall(Extract(n, ptr, adj, part, p, number, &half[p]));
    if (p == 1) PetscCall(SendGraph(comm, second, tag, &half[1]));
  }
  PetscCall(Dissect(comm, tag, first, FirstHalf(num), half[0].n, half[0].ptr, half[0].adj, order));
  PetscCall(Receive(comm, second, tag, half[1].n, order + half[0].n));
  for (int p = 0; p < 2; p++) {
    for (PetscInt k = 0; k < half[p].n; k++, count++) order[count] = half[p].vertex[order[count]];
    PetscCall(GraphDestroy(&half[p]));
  }
  for (PetscInt v = 0; v < n; v++)
    if (part[v] == 2) order[count++] = v;
  PetscCall(PetscFree2(part, number));
  PetscFunctionReturn(0);
}

/* Orders the graph that this rank receives from the first rank of the smallest group of which it is not the first. */
static PetscErrorCode Help(MPI_Comm comm, PetscMPIInt tag, PetscMPIInt rank, PetscMPIInt num)
{
  PetscMPIInt first = 0, from = 0;
  PetscInt   *order;
  Graph       g;

  PetscFunctionBegin;
  while (first != rank) {
    const PetscMPIInt half = FirstHalf(num);
    if (rank < first + half) {
      num = half;
    } else {
      from = first;
      first += half;
      num -= half;
    }
  }
  PetscCall(ReceiveGraph(comm, from, tag, &g));
  PetscCall(PetscMalloc1(g.n, &order));
  PetscCall(Dissect(comm, tag, rank, num, g.n, g.ptr, g.adj, order));
  PetscCall(Send(comm, from, tag, g.n, order));
  PetscCall(PetscFree(order));
  PetscCall(GraphDestroy(&g));
  PetscFunctionReturn(0);
}

PetscErrorCode DissectionOrder(MPI_Comm comm, PetscMPIInt num, PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt order[])
{
  PetscMPIInt rank, tag;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscCommGetNewTag(comm, &tag));
  if (rank == 0)
    PetscCall(Dissect(comm, tag, 0, num, n, ptr, adj, order));
  else if (rank < num)
    PetscCall(Help(comm, tag, rank, num));
  PetscFunctionReturn(0);
}
