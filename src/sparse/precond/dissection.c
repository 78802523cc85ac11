/*
  Nested dissection on several ranks. The first rank of a group finds a separator of its graph, keeps one half and sends the other to the
  first rank of the second half of the group. A group of one rank divides its graph alone
  and orders the vertices of its parts.
*/
#include "dissection.h"
#include "quotient.h"

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

PetscErrorCode DissectionSendTree(MPI_Comm comm, PetscMPIInt to, PetscMPIInt tag, const SeparatorTree *t)
{
  PetscFunctionBegin;
  PetscCall(RankSend(comm, to, tag, 2, MPIU_INT, (PetscInt[]){t->order.n, t->size.n}));
  PetscCall(RankSend(comm, to, tag, t->order.n, MPIU_INT, t->order.a));
  PetscCall(RankSend(comm, to, tag, t->size.n, MPIU_INT, t->size.a));
  PetscCall(RankSend(comm, to, tag, t->size.n, MPIU_INT, t->height.a));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReceiveInts(MPI_Comm comm, PetscMPIInt from, PetscMPIInt tag, PetscInt n, AbutInts *ints)
{
  PetscFunctionBegin;
  PetscCall(AbutIntsGrow(ints, n));
  PetscCall(RankReceive(comm, from, tag, n, MPIU_INT, ints->a));
  ints->n = n;
  PetscFunctionReturn(0);
}

PetscErrorCode DissectionReceiveTree(MPI_Comm comm, PetscMPIInt from, PetscMPIInt tag, SeparatorTree *t)
{
  PetscInt sizes[2];

  PetscFunctionBegin;
  *t = (SeparatorTree){0};
  PetscCall(RankReceive(comm, from, tag, 2, MPIU_INT, sizes));
  PetscCall(ReceiveInts(comm, from, tag, sizes[0], &t->order));
  PetscCall(ReceiveInts(comm, from, tag, sizes[1], &t->size));
  PetscCall(ReceiveInts(comm, from, tag, sizes[1], &t->height));
  for (PetscInt i = 0; i < t->height.n; i++) t->levels = PetscMax(t->levels, t->height.a[i]);
  PetscFunctionReturn(0);
}

/* Finds the separators of a graph on this rank, the first of its group, together with the other ranks of the group. */
static PetscErrorCode Dissect(const RankGroup *group, PetscInt n, const PetscInt ptr[], const PetscInt adj[], SeparatorTree *t)
{
  const RankGroup   halves[2] = {RankGroupHalf(group, 0), RankGroupHalf(group, 1)};
  const MPI_Comm    comm      = group->comm;
  const PetscMPIInt tag = group->tag, second = halves[1].first;
  Subgraph          half[2];
  PetscInt         *part, *work;

  PetscFunctionBegin;
  if (group->num == 1) {
    PetscCall(SeparatorTreeFind(n, ptr, adj, t));
    PetscCall(QuotientOrderParts(n, ptr, adj, t));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscMalloc2(n, &part, n, &work));
  PetscCall(SeparatorFind(SMALLEST, n, ptr, adj, part));
  for (int p = 1; p >= 0; p--) {
    PetscCall(SubgraphCreate(n, ptr, adj, part, p, work, &half[p]));
    if (p == 1) PetscCall(DissectionSendGraph(comm, second, tag, &half[1]));
  }
  for (int p = 0; p < 2; p++) {
    SeparatorTree below = {0};
    if (p == 0)
      PetscCall(Dissect(&halves[0], half[0].n, half[0].ptr, half[0].adj, &below));
    else
      PetscCall(DissectionReceiveTree(comm, second, tag, &below));
    PetscCall(SeparatorTreeAppend(half[p].vertex, &below, t));
    PetscCall(SeparatorTreeDestroy(&below));
    PetscCall(SubgraphDestroy(&half[p]));
  }
  PetscCall(SeparatorTreeAppendSeparator(n, part, t));
  PetscCall(PetscFree2(part, work));
  PetscFunctionReturn(0);
}

/* Divides the graph that this rank receives from the first rank of the smallest group of which it is not the first. */
static PetscErrorCode DissectReceived(RankGroup group, PetscMPIInt rank)
{
  const PetscMPIInt from = RankGroupDescend(&group, rank);
  SeparatorTree     tree = {0};
  Subgraph          g;

  PetscFunctionBegin;
  PetscCall(DissectionReceiveGraph(group.comm, from, group.tag, &g));
  PetscCall(Dissect(&group, g.n, g.ptr, g.adj, &tree));
  PetscCall(DissectionSendTree(group.comm, from, group.tag, &tree));
  PetscCall(SeparatorTreeDestroy(&tree));
  PetscCall(SubgraphDestroy(&g));
  PetscFunctionReturn(0);
}

PetscErrorCode DissectionFind(MPI_Comm comm, PetscMPIInt num, PetscInt n, const PetscInt ptr[], const PetscInt adj[], SeparatorTree *tree)
{
  RankGroup   all = {.comm = comm, .num = num};
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscCommGetNewTag(comm, &all.tag));
  if (rank == 0)
    PetscCall(Dissect(&all, n, ptr, adj, tree));
  else if (rank < num)
    PetscCall(DissectReceived(all, rank));
  PetscFunctionReturn(0);
}
