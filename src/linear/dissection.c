/*
  Nested dissection on several ranks. The first rank of a group finds a separator of its graph, keeps one half and sends the other to the
  first rank of the second half of the group. Groups of one rank divide their graphs alone.
*/
#include "dissection.h"
#include "linearimpl.h"

#define SMALLEST 1000 /* vertices; a smaller graph stays on one rank: its halves take less time than the messages */

PetscErrorCode DissectionSend(MPI_Comm comm, PetscMPIInt to, PetscMPIInt tag, PetscInt n, const PetscInt values[])
{
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(n, &count));
  PetscCallMPI(MPI_Send(values, count, MPIU_INT, to, tag, comm));
  PetscFunctionReturn(0);
}

PetscErrorCode DissectionReceive(MPI_Comm comm, PetscMPIInt from, PetscMPIInt tag, PetscInt n, PetscInt values[])
{
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(n, &count));
  PetscCallMPI(MPI_Recv(values, count, MPIU_INT, from, tag, comm, MPI_STATUS_IGNORE));
  PetscFunctionReturn(0);
}

PetscErrorCode DissectionSendGraph(MPI_Comm comm, PetscMPIInt to, PetscMPIInt tag, const Subgraph *g)
{
  PetscFunctionBegin;
  PetscCall(DissectionSend(comm, to, tag, 1, &g->n));
  PetscCall(DissectionSend(comm, to, tag, g->n + 1, g->ptr));
  PetscCall(DissectionSend(comm, to, tag, g->ptr[g->n], g->adj));
  PetscFunctionReturn(0);
}

PetscErrorCode DissectionReceiveGraph(MPI_Comm comm, PetscMPIInt from, PetscMPIInt tag, Subgraph *g)
{
  PetscInt *start;

  PetscFunctionBegin;
  PetscCall(DissectionReceive(comm, from, tag, 1, &g->n));
  PetscCall(PetscMalloc1(g->n + 1, &start));
  PetscCall(DissectionReceive(comm, from, tag, g->n + 1, start));
  PetscCall(PetscMalloc3(g->n + 1, &g->ptr, start[g->n], &g->adj, 0, &g->vertex));
  PetscCall(PetscArraycpy(g->ptr, start, g->n + 1));
  PetscCall(DissectionReceive(comm, from, tag, g->ptr[g->n], g->adj));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(0);
}

/* Ranks of the first half of a group. */
static PetscMPIInt FirstHalf(PetscMPIInt num)
{
  return num - num / 2;
}

/* Ranks first, ..., first + num - 1. All but the first wait for a graph, which may be empty. */
typedef struct {
  MPI_Comm    comm;
  PetscMPIInt tag, first, num;
} Group;

/* Heights of a graph by a group of ranks, of which this one is the first. */
static PetscErrorCode Dissect(const Group *group, PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt height[],
                              PetscInt *levels)
{
  const PetscMPIInt first = group->first, num = group->num, tag = group->tag;
  const MPI_Comm    comm   = group->comm;
  const Group       own    = {comm, tag, first, FirstHalf(num)};
  const PetscMPIInt second = first + FirstHalf(num);
  Subgraph          half[2];
  PetscInt         *part, *work, below[2];

  PetscFunctionBegin;
  if (num == 1) {
    PetscCall(AbutOrderingHeights(n, ptr, adj, height, levels));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscMalloc2(n, &part, n, &work));
  PetscCall(SeparatorFind(SMALLEST, n, ptr, adj, part));
  for (int p = 1; p >= 0; p--) {
    PetscCall(SubgraphCreate(n, ptr, adj, part, p, work, &half[p]));
    if (p == 1) PetscCall(DissectionSendGraph(comm, second, tag, &half[1]));
  }
  for (int p = 0; p < 2; p++) {
    if (p == 0) {
      PetscCall(Dissect(&own, half[0].n, half[0].ptr, half[0].adj, work, &below[0]));
    } else {
      PetscCall(DissectionReceive(comm, second, tag, 1, &below[1]));
      PetscCall(DissectionReceive(comm, second, tag, half[1].n, work));
    }
    for (PetscInt k = 0; k < half[p].n; k++) height[half[p].vertex[k]] = work[k];
    PetscCall(SubgraphDestroy(&half[p]));
  }
  SeparatorSetHeight(n, part, below, height, levels);
  PetscCall(PetscFree2(part, work));
  PetscFunctionReturn(0);
}

/* Divides the graph that this rank receives from the first rank of the smallest group of which it is not the first. */
static PetscErrorCode DissectReceived(MPI_Comm comm, PetscMPIInt tag, PetscMPIInt rank, PetscMPIInt num)
{
  PetscMPIInt first = 0, from = 0;
  PetscInt   *height, levels;
  Subgraph    g;

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
  PetscCall(DissectionReceiveGraph(comm, from, tag, &g));
  PetscCall(PetscMalloc1(g.n, &height));
  PetscCall(Dissect(&(Group){comm, tag, rank, num}, g.n, g.ptr, g.adj, height, &levels));
  PetscCall(DissectionSend(comm, from, tag, 1, &levels));
  PetscCall(DissectionSend(comm, from, tag, g.n, height));
  PetscCall(PetscFree(height));
  PetscCall(SubgraphDestroy(&g));
  PetscFunctionReturn(0);
}

PetscErrorCode DissectionHeights(MPI_Comm comm, PetscMPIInt num, PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt height[],
                                 PetscInt *levels)
{
  PetscMPIInt rank, tag;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscCommGetNewTag(comm, &tag));
  if (rank == 0)
    PetscCall(Dissect(&(Group){comm, tag, 0, num}, n, ptr, adj, height, levels));
  else if (rank < num)
    PetscCall(DissectReceived(comm, tag, rank, num));
  PetscFunctionReturn(0);
}
