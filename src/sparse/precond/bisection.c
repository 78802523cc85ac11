/*
  Recursive bisection on several ranks. The first rank of a group bisects its graph, keeps one half and sends the other to the first rank of
  the second half of the group. So it takes as long as about two bisections of the whole graph, whatever the number of ranks.
*/
#include "bisection.h"
#include "rankgroup.h"

#define METIS_INTEGER (sizeof(idx_t) == sizeof(int64_t) ? MPI_INT64_T : MPI_INT32_T) /* METIS's integers */

static PetscErrorCode Send(const RankGroup *g, PetscMPIInt to, PetscInt n, const idx_t values[])
{
  PetscFunctionBegin;
  PetscCall(RankSend(g->comm, to, g->tag, n, METIS_INTEGER, values));
  PetscFunctionReturn(0);
}

static PetscErrorCode Receive(const RankGroup *g, PetscMPIInt from, PetscInt n, idx_t values[])
{
  PetscFunctionBegin;
  PetscCall(RankReceive(g->comm, from, g->tag, n, METIS_INTEGER, values));
  PetscFunctionReturn(0);
}

static PetscErrorCode SendGraph(const RankGroup *g, PetscMPIInt to, const Couplings *c)
{
  const idx_t size[2] = {c->n, c->xadj[c->n]};

  PetscFunctionBegin;
  PetscCall(Send(g, to, 2, size));
  PetscCall(Send(g, to, c->n + 1, c->xadj));
  PetscCall(Send(g, to, size[1], c->adjncy));
  PetscCall(Send(g, to, size[1], c->strength));
  PetscCall(Send(g, to, c->n, c->weight));
  PetscFunctionReturn(0);
}

/* Receives a graph from another rank. The caller destroys it. */
static PetscErrorCode ReceiveGraph(const RankGroup *g, PetscMPIInt from, Couplings *c)
{
  idx_t size[2];

  PetscFunctionBegin;
  PetscCall(Receive(g, from, 2, size));
  PetscCall(CouplingsAllocate(size[0], size[1], c));
  PetscCall(Receive(g, from, size[0] + 1, c->xadj));
  PetscCall(Receive(g, from, size[1], c->adjncy));
  PetscCall(Receive(g, from, size[1], c->strength));
  PetscCall(Receive(g, from, size[0], c->weight));
  PetscFunctionReturn(0);
}

/* Divides a graph on this rank, the first of its group, into parts, together with the other ranks of the group. */
static PetscErrorCode Divide(const RankGroup *g, const Couplings *c, idx_t part[])
{
  const RankGroup halves[2] = {RankGroupHalf(g, 0), RankGroupHalf(g, 1)};
  idx_t          *side, *work, second;
  PetscInt       *node;
  Couplings       half[2];

  PetscFunctionBegin;
  if (g->num == 1) {
    for (idx_t i = 0; i < c->n; i++) part[i] = g->first;
    PetscFunctionReturn(0);
  }
  PetscCall(PetscMalloc3(c->n, &side, c->n, &work, c->n, &node));
  PetscCall(CouplingsBisect(c, halves[0].num, g->num, side));
  for (int h = 1; h >= 0; h--) PetscCall(CouplingsExtract(c, side, h, node, &half[h]));
  second = half[1].n;
  PetscCall(SendGraph(g, halves[1].first, &half[1]));
  PetscCall(CouplingsDestroy(&half[1]));
  for (int h = 0; h < 2; h++) {
    PetscInt next = 0;
    if (h == 0)
      PetscCall(Divide(&halves[0], &half[0], work));
    else
      PetscCall(Receive(g, halves[1].first, second, work));
    for (idx_t i = 0; i < c->n; i++)
      if (side[i] == h) part[i] = work[next++];
  }
  PetscCall(CouplingsDestroy(&half[0]));
  PetscCall(PetscFree3(side, work, node));
  PetscFunctionReturn(0);
}

/* Divides the graph that this rank receives from the first rank of the smallest group of which it is not the first. */
static PetscErrorCode DivideReceived(RankGroup g, PetscMPIInt rank)
{
  const PetscMPIInt from = RankGroupDescend(&g, rank);
  Couplings         c;
  idx_t            *part;

  PetscFunctionBegin;
  PetscCall(ReceiveGraph(&g, from, &c));
  PetscCall(PetscMalloc1(c.n, &part));
  PetscCall(Divide(&g, &c, part));
  PetscCall(Send(&g, from, c.n, part));
  PetscCall(PetscFree(part));
  PetscCall(CouplingsDestroy(&c));
  PetscFunctionReturn(0);
}

PetscErrorCode BisectionDivide(MPI_Comm comm, const Couplings *c, PetscInt num, idx_t part[])
{
  RankGroup   all = {.comm = comm, .num = (PetscMPIInt)num};
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscCommGetNewTag(comm, &all.tag));
  if (rank == 0)
    PetscCall(Divide(&all, c, part));
  else if (rank < num)
    PetscCall(DivideReceived(all, rank));
  PetscFunctionReturn(0);
}
