/*
  Nested dissection on several ranks. The first rank of a group finds a separator of its graph, keeps one half and sends the other to the
  first rank of the second half of the group. Groups of one rank divide their graphs alone.
*/
#include "dissection.h"
#include "linearimpl.h"

#define SMALLEST 1000 /* vertices; a smaller graph stays on one rank: its halves take less time than the messages */

PetscErrorCode DissectionSendGraph(MPI_Comm comm, PetscMPIInt to, PetscMPIInt tag, const Subgraph *g)
{
  PetscFunctionBegin;
  PetscCall(RankSend(comm, to, tag, 1, MPIU_INT, &g->n));
  PetscCall(RankSend(comm, to, tag, g->n + 1, MPIU_INT, g->ptr));
  PetscCall(RankSend(comm, to, tag, g->ptr[g->n], MPIU_INT, g->adj));
  PetscFunctionReturn(0);
}

PetscErrorCode DissectionReceiveGraph(MPI_Comm comm, PetscMPIInt from, PetscMPIInt tag, Subgraph *g)
{
  PetscInt *start;

  PetscFunctionBegin;
  PetscCall(RankReceive(comm, from, tag, 1, MPIU_INT, &g->n));
  PetscCall(PetscMalloc1(g->n + 1, &start));
  PetscCall(RankReceive(comm, from, tag, g->n + 1, MPIU_INT, start));
  PetscCall(PetscMalloc3(g->n + 1, &g->ptr, start[g->n], &g->adj, 0, &g->vertex));
  PetscCall(PetscArraycpy(g->ptr, start, g->n + 1));
  PetscCall(RankReceive(comm, from, tag, g->ptr[g->n], MPIU_INT, g->adj));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(0);
}

/* Heights of a graph by a group of ranks, of which this one is the first. */
static PetscErrorCode Dissect(const RankGroup *group, PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt height[],
                              PetscInt *levels)
{
  const RankGroup   halves[2] = {RankGroupHalf(group, 0), RankGroupHalf(group, 1)};
  const MPI_Comm    comm      = group->comm;
  const PetscMPIInt tag = group->tag, second = halves[1].first;
  Subgraph          half[2];
  PetscInt         *part, *work, below[2];

  PetscFunctionBegin;
  if (group->num == 1) {
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
      PetscCall(Dissect(&halves[0], half[0].n, half[0].ptr, half[0].adj, work, &below[0]));
    } else {
      PetscCall(RankReceive(comm, second, tag, 1, MPIU_INT, &below[1]));
      PetscCall(RankReceive(comm, second, tag, half[1].n, MPIU_INT, work));
    }
    for (PetscInt k = 0; k < half[p].n; k++) height[half[p].vertex[k]] = work[k];
    PetscCall(SubgraphDestroy(&half[p]));
  }
  SeparatorSetHeight(n, part, below, height, levels);
  PetscCall(PetscFree2(part, work));
  PetscFunctionReturn(0);
}

/* Divides the graph that this rank receives from the first rank of the smallest group of which it is not the first. */
static PetscErrorCode DissectReceived(RankGroup group, PetscMPIInt rank)
{
  const PetscMPIInt from = RankGroupDescend(&group, rank);
  PetscInt         *height, levels;
  Subgraph          g;

  PetscFunctionBegin;
  PetscCall(DissectionReceiveGraph(group.comm, from, group.tag, &g));
  PetscCall(PetscMalloc1(g.n, &height));
  PetscCall(Dissect(&group, g.n, g.ptr, g.adj, height, &levels));
  PetscCall(RankSend(group.comm, from, group.tag, 1, MPIU_INT, &levels));
  PetscCall(RankSend(group.comm, from, group.tag, g.n, MPIU_INT, height));
  PetscCall(PetscFree(height));
  PetscCall(SubgraphDestroy(&g));
  PetscFunctionReturn(0);
}

PetscErrorCode DissectionHeights(MPI_Comm comm, PetscMPIInt num, PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt height[],
                                 PetscInt *levels)
{
  RankGroup   all = {.comm = comm, .num = num};
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscCommGetNewTag(comm, &all.tag));
  if (rank == 0)
    PetscCall(Dissect(&all, n, ptr, adj, height, levels));
  else if (rank < num)
    PetscCall(DissectReceived(all, rank));
  PetscFunctionReturn(0);
}
