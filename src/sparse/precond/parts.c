/*
  Parts of a matrix with weak couplings between them, for multigrid, whose aggregates lie within ranks. The partition of a mesh does not
  know contacts and may separate vertices of a stiff contact.

  Each rank unites its vertices to nodes of up to eight by repeated matching of strongly coupled pairs. A vertex with a strong coupling to
  another rank remains a node of its own. The first rank gathers the graph of the nodes, several times smaller than that of the matrix;
  ranks divide it together into parts of equal numbers of vertices.
*/
#include "bisection.h"
#include "precondimpl.h"
#include "mapping.h"
#include <abut/containers.h>
#include <abut/petsc_versions.h>

#define PASSES 3 /* matchings: a node has at most 8 vertices */

/*
  A coupling to another rank is strong above this ratio to the strongest one within the rank. Below 1 all vertices of a cut through a body
  would remain nodes: with 0.5 instead of 2 two stacked boxes a rank had 2.8 times as many nodes on 32 ranks.
*/
#define STRONG 2

/* Nodes of vertices of this rank. */
typedef struct {
  Couplings  graph;             /* between the nodes */
  PetscBool *alone;             /* [graph.n] the node is a vertex with strong couplings to other ranks */
  PetscInt   num_vertices, *of; /* [num_vertices] node of each owned vertex */
} Nodes;

static idx_t Largest(const idx_t strength[], PetscInt begin, PetscInt end)
{
  idx_t largest = 0;

  for (PetscInt k = begin; k < end; k++) largest = PetscMax(largest, strength[k]);
  return largest;
}

/* Whether vertex v has a strong coupling to another rank. */
static PetscBool IsAlone(const Couplings *c, const RemoteCouplings *remote, PetscInt v)
{
  const idx_t inside = Largest(c->strength, c->xadj[v], c->xadj[v + 1]);
  const idx_t across = Largest(remote->strength, remote->start[v], remote->start[v + 1]);

  return (PetscBool)((PetscReal)across > STRONG * (PetscReal)inside);
}

static PetscErrorCode DestroyNodes(Nodes *nodes)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(nodes->alone, nodes->of));
  PetscCall(CouplingsDestroy(&nodes->graph));
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateNodes(Mat A, const RemoteCouplings *remote, Nodes *nodes)
{
  const Couplings *c = &nodes->graph;

  PetscFunctionBegin;
  PetscCall(CouplingsCreate(A, &nodes->graph));
  nodes->num_vertices = c->n;
  PetscCall(PetscMalloc2(c->n, &nodes->alone, c->n, &nodes->of));
  for (PetscInt v = 0; v < c->n; v++) {
    nodes->alone[v] = IsAlone(c, remote, v);
    if (Largest(remote->strength, remote->start[v], remote->start[v + 1]) > 0) c->weight[v] = 1;
    nodes->of[v] = v;
  }
  PetscFunctionReturn(0);
}

/* The node without a pair that has the strongest coupling to node i in proportion to its weight, or -1. pair[j] < 0: j has no pair. */
static PetscInt FindPartner(const Nodes *nodes, const PetscInt pair[], PetscInt i)
{
  const Couplings *c       = &nodes->graph;
  PetscInt         partner = -1;
  PetscReal        largest = 0;

  for (idx_t k = c->xadj[i]; k < c->xadj[i + 1] && !nodes->alone[i]; k++) {
    const idx_t     j     = c->adjncy[k];
    const PetscReal ratio = (PetscReal)c->strength[k] / (PetscReal)c->weight[j];
    if (pair[j] >= 0 || nodes->alone[j] || ratio <= largest) continue;
    partner = j;
    largest = ratio;
  }
  return partner;
}

/* Unites pairs of nodes; nodes without a partner remain. */
static PetscErrorCode UnitePairs(Nodes *nodes)
{
  PetscInt *pair, num = 0;
  Couplings merged;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(nodes->graph.n, &pair));
  for (PetscInt i = 0; i < nodes->graph.n; i++) pair[i] = -1;
  for (PetscInt i = 0; i < nodes->graph.n; i++) {
    PetscInt partner;
    if (pair[i] >= 0) continue;
    partner = FindPartner(nodes, pair, i);
    pair[i] = num;
    if (partner >= 0) pair[partner] = num;
    nodes->alone[num++] = nodes->alone[i];
  }
  PetscCall(CouplingsMerge(&nodes->graph, num, pair, &merged));
  PetscCall(CouplingsDestroy(&nodes->graph));
  nodes->graph = merged;
  for (PetscInt v = 0; v < nodes->num_vertices; v++) nodes->of[v] = pair[nodes->of[v]];
  PetscCall(PetscFree(pair));
  PetscFunctionReturn(0);
}

/* Appends (i, j, strength) if i < j, so that one rank has each coupling. */
static PetscErrorCode AddEdge(PetscInt i, PetscInt j, idx_t strength, AbutInts *edges)
{
  const PetscInt edge[3] = {i, j, strength};

  PetscFunctionBegin;
  if (i < j && strength > 0) PetscCall(AbutIntsPush(edges, 3, edge));
  PetscFunctionReturn(0);
}

/*
  Couplings (i, j, strength) with i < j of nodes with global numbers, from the rank of i; several may have the same i and j. first: global
  number of the first node of this rank. Collective.
*/
static PetscErrorCode ListEdges(const Nodes *nodes, const RemoteCouplings *remote, PetscInt first, AbutInts *edges)
{
  const Couplings *c = &nodes->graph;
  PetscInt         num_ghosts, *number, *ghost;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->n; i++)
    for (idx_t k = c->xadj[i]; k < c->xadj[i + 1]; k++) PetscCall(AddEdge(first + i, first + c->adjncy[k], c->strength[k], edges));
  PetscCall(PetscSFGetGraph(remote->ghosts, NULL, &num_ghosts, NULL, NULL));
  PetscCall(PetscMalloc2(nodes->num_vertices, &number, num_ghosts, &ghost));
  for (PetscInt v = 0; v < nodes->num_vertices; v++) number[v] = first + nodes->of[v];
  PetscCall(AbutSFBcastRows(remote->ghosts, MPIU_INT, 1, number, ghost));
  for (PetscInt v = 0; v < nodes->num_vertices; v++)
    for (PetscInt k = remote->start[v]; k < remote->start[v + 1]; k++)
      PetscCall(AddEdge(number[v], ghost[remote->ghost[k]], remote->strength[k], edges));
  PetscCall(PetscFree2(number, ghost));
  PetscFunctionReturn(0);
}

/* The graph with n nodes of the given weights from couplings (i, j, strength). */
static PetscErrorCode BuildGraph(PetscInt n, const PetscInt weight[], PetscInt num_edges, const PetscInt edges[], Couplings *c)
{
  Couplings raw;
  AbutCSR   at = {0};
  PetscInt *ends, *identity;

  PetscFunctionBegin;
  PetscCall(CouplingsAllocate(n, 2 * num_edges, &raw));
  PetscCall(PetscMalloc2(2 * num_edges, &ends, n, &identity));
  for (PetscInt e = 0; e < num_edges; e++)
    for (int k = 0; k < 2; k++) ends[2 * e + k] = edges[3 * e + k];
  PetscCall(AbutCSRSetPairs(n, num_edges, 2, ends, NULL, &at));
  for (PetscInt i = 0; i < n; i++) {
    identity[i]   = i;
    raw.weight[i] = (idx_t)weight[i];
    raw.xadj[i]   = (idx_t)at.start[i];
    for (PetscInt k = at.start[i]; k < at.start[i + 1]; k++) {
      const PetscInt *edge = edges + 3 * at.item[k];
      raw.adjncy[k]        = (idx_t)(edge[0] == i ? edge[1] : edge[0]);
      raw.strength[k]      = (idx_t)edge[2];
    }
  }
  raw.xadj[n] = (idx_t)at.start[n];
  PetscCall(CouplingsMerge(&raw, n, identity, c)); /* unites equal pairs (i, j) */
  PetscCall(CouplingsDestroy(&raw));
  PetscCall(AbutCSRDestroy(&at));
  PetscCall(PetscFree2(ends, identity));
  PetscFunctionReturn(0);
}

/* Sum of the strengths between parts. */
static PetscReal Cut(const Couplings *c, const idx_t part[])
{
  PetscReal sum = 0;

  for (idx_t i = 0; i < c->n; i++)
    for (idx_t k = c->xadj[i]; k < c->xadj[i + 1]; k++) sum += part[i] == part[c->adjncy[k]] ? 0 : (PetscReal)c->strength[k];
  return sum;
}

/*
  Lists the ranks that have vertices of each part: for entry k, the part in where[2 k], the rank in where[2 k + 1], and minus the number
  of vertices in lost[k]. Returns the number of entries.
*/
static PetscErrorCode CountCommon(const Couplings *c, PetscMPIInt size, const idx_t part[], const idx_t owner[], PetscInt where[],
                                  PetscInt lost[], PetscInt *num)
{
  PetscInt *pair, *order;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(2 * c->n, &pair, c->n, &order));
  for (PetscInt i = 0; i < c->n; i++) {
    pair[2 * i]     = part[i];
    pair[2 * i + 1] = owner[i];
  }
  PetscCall(AbutSortTuples(c->n, 2, size, pair, order));
  *num = 0;
  for (PetscInt k = 0; k < c->n; k++) {
    const PetscInt *now = pair + 2 * order[k];
    if (*num == 0 || now[0] != where[2 * *num - 2] || now[1] != where[2 * *num - 1]) {
      where[2 * *num]     = now[0];
      where[2 * *num + 1] = now[1];
      lost[(*num)++]      = 0;
    }
    lost[*num - 1] -= c->weight[order[k]];
  }
  PetscCall(PetscFree2(pair, order));
  PetscFunctionReturn(0);
}

/* Assigns the ranks that have no part to the parts that have no rank. */
static void AssignOthers(PetscInt num, const PetscBool taken[], PetscInt rank[])
{
  for (PetscInt p = 0, next = 0; p < num; p++) {
    if (rank[p] >= 0) continue;
    while (taken[next]) next++;
    rank[p] = next++;
  }
}

/* Sets rank[p], p < num, to different ranks, so that many vertices stay: parts choose in descending order of the vertices that stay. */
static PetscErrorCode AssignParts(const Couplings *c, PetscInt num, PetscMPIInt size, const idx_t part[], const idx_t owner[],
                                  PetscInt rank[])
{
  PetscInt  *where, *lost, *order, entries = 0;
  PetscBool *taken;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(2 * c->n, &where, c->n, &lost, c->n, &order));
  PetscCall(PetscCalloc1(size, &taken));
  PetscCall(CountCommon(c, size, part, owner, where, lost, &entries));
  for (PetscInt k = 0; k < entries; k++) order[k] = k;
  PetscCall(PetscSortIntWithPermutation(entries, lost, order));
  for (PetscInt p = 0; p < num; p++) rank[p] = -1;
  for (PetscInt k = 0; k < entries; k++) {
    const PetscInt *best = where + 2 * order[k];
    if (rank[best[0]] >= 0 || taken[best[1]]) continue;
    rank[best[0]]  = best[1];
    taken[best[1]] = PETSC_TRUE;
  }
  AssignOthers(num, taken, rank);
  PetscCall(PetscFree(taken));
  PetscCall(PetscFree3(where, lost, order));
  PetscFunctionReturn(0);
}

/* Current rank of each node. */
static void SetOwners(PetscMPIInt size, const PetscMPIInt counts[], idx_t owner[])
{
  for (PetscMPIInt r = 0; r < size; r++)
    for (PetscMPIInt k = 0; k < counts[r]; k++) *owner++ = r;
}

/*
  result: [c->n] new rank of each node. num: parts; counts: [size] nodes of each rank. *moves: false if the current ranks are as good as the
  parts.
*/
static PetscErrorCode ChooseRanks(const Couplings *c, PetscInt num, const idx_t part[], PetscMPIInt size, const PetscMPIInt counts[],
                                  PetscInt result[], PetscBool *moves)
{
  PetscInt *rank;
  idx_t    *owner;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(c->n, &owner, size, &rank));
  SetOwners(size, counts, owner);
  *moves = (PetscBool)(num < size || Cut(c, owner) > Cut(c, part));
  if (*moves) PetscCall(AssignParts(c, num, size, part, owner, rank));
  for (PetscInt i = 0; i < c->n; i++) result[i] = *moves ? rank[part[i]] : owner[i];
  PetscCall(PetscFree2(owner, rank));
  PetscFunctionReturn(0);
}

/* Gathers the graph on the first rank and divides it; rank: [nodes->graph.n] new rank of each node. Collective. */
static PetscErrorCode DivideGathered(MPI_Comm comm, const Nodes *nodes, const AbutInts *edges, PetscInt smallest, PetscInt rank[],
                                     PetscBool *moves)
{
  PetscInt     *weight, *weights, *all, *result = NULL, n = 0, num_edges = 0, num = 0;
  idx_t        *part = NULL;
  PetscMPIInt   size, me, *counts, *starts;
  PetscLogEvent event;
  Couplings     graph = {0};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &me));
  PetscCall(PetscMalloc3(nodes->graph.n, &weight, size, &counts, size, &starts));
  for (PetscInt i = 0; i < nodes->graph.n; i++) weight[i] = nodes->graph.weight[i];
  PetscCall(MappingGather(comm, edges->n, edges->a, counts, starts, &all));
  for (PetscMPIInt r = 0; r < size && me == 0; r++) num_edges += counts[r] / 3;
  PetscCall(MappingGather(comm, nodes->graph.n, weight, counts, starts, &weights));
  PetscCall(AbutPrecondLogBegin("abut_parts", &event));
  if (me == 0) {
    n = starts[size - 1] + counts[size - 1];
    PetscCall(PetscMalloc1(n, &result));
    PetscCall(PetscMalloc1(n, &part));
    PetscCall(BuildGraph(n, weights, num_edges, all, &graph));
    num = PetscMax(1, PetscMin(CouplingsSumWeights(&graph) / smallest, size));
  }
  PetscCallMPI(MPI_Bcast(&num, 1, MPIU_INT, 0, comm));
  PetscCall(BisectionDivide(comm, &graph, num, part));
  if (me == 0) PetscCall(ChooseRanks(&graph, num, part, size, counts, result, moves));
  if (me == 0) PetscCall(CouplingsDestroy(&graph));
  PetscCall(PetscLogEventEnd(event, 0, 0, 0, 0));
  PetscCallMPI(MPI_Bcast(moves, 1, AbutMPIBool, 0, comm));
  PetscCallMPI(MPI_Scatterv(result, counts, starts, MPIU_INT, rank, (PetscMPIInt)nodes->graph.n, MPIU_INT, 0, comm));
  PetscCall(PetscFree(part));
  PetscCall(PetscFree(result));
  PetscCall(PetscFree(all));
  PetscCall(PetscFree(weights));
  PetscCall(PetscFree3(weight, counts, starts));
  PetscFunctionReturn(0);
}

PetscErrorCode MappingCreateParts(Mat A, PetscInt smallest, Mapping **mapping)
{
  const MPI_Comm  comm   = PetscObjectComm((PetscObject)A);
  Nodes           nodes  = {0};
  RemoteCouplings remote = {0};
  AbutInts        edges  = {0};
  PetscInt        first, *rank;
  PetscBool       moves;

  PetscFunctionBegin;
  *mapping = NULL;
  PetscCall(CouplingsCreateRemote(A, &remote));
  PetscCall(CreateNodes(A, &remote, &nodes));
  for (int k = 0; k < PASSES; k++) PetscCall(UnitePairs(&nodes));
  first = nodes.graph.n;
  PetscCallMPI(MPI_Scan(MPI_IN_PLACE, &first, 1, MPIU_INT, MPI_SUM, comm));
  PetscCall(ListEdges(&nodes, &remote, first - nodes.graph.n, &edges));
  PetscCall(PetscMalloc1(nodes.graph.n, &rank));
  PetscCall(DivideGathered(comm, &nodes, &edges, smallest, rank, &moves));
  if (moves) {
    PetscCall(PetscNew(mapping));
    PetscCall(PetscMalloc1(nodes.num_vertices, &(*mapping)->rank));
    for (PetscInt v = 0; v < nodes.num_vertices; v++) (*mapping)->rank[v] = rank[nodes.of[v]];
  }
  PetscCall(PetscFree(rank));
  PetscCall(PetscFree(edges.a));
  PetscCall(DestroyNodes(&nodes));
  PetscCall(CouplingsDestroyRemote(&remote));
  PetscFunctionReturn(0);
}
