/*
  Proportional mapping, on the first two ranks, of a graph that all ranks divide by separators together. The forest of subtrees of a group
  of ranks is divided into two parts with a work in proportion to their numbers of ranks. If the subtrees are too unequal, the root of the
  largest subtree becomes a part of the group's separator, and its children become subtrees of their own.
*/
#include "mapping.h"
#include "dissection.h"
#include "fronts.h"
#include "precondimpl.h"
#include "quotient.h"
#include <abut/containers.h>

#define REMOVALS_MAX 60   /* tries of a division */
#define SMALL_SHARE  0.02 /* a subtree with less work than this fraction of a rank's share is not opened */

/* The elimination tree of supernodes and its division. */
typedef struct {
  PetscInt    bs;
  PetscMPIInt size, active;         /* ranks; the first ranks, which get vertices */
  Fronts     *fronts;               /* symbolic factorisation of the vertex graph, with blocks of one unknown; its rows: the vertices */
  AbutCSR     children;             /* of each supernode */
  PetscReal  *work;                 /* [num] operations of the subtree of a supernode */
  PetscInt   *begin;                /* [num] first column of the subtree */
  PetscInt64 *owners;               /* [n + 1] sum of the owners of the columns before each column */
  PetscInt   *owner;                /* [n] rank that owns each vertex now */
  PetscInt   *stamp;                /* [n] last node that counted a row */
  PetscInt    stamps, next;         /* number of counts so far; next rank that gets a vertex in turn */
  PetscInt   *rank, *depth, *order; /* [n] result */
  PetscInt64 *leaf;                 /* [size] result */
  PetscReal   path;                 /* operations of the result that must follow each other */
} Division;

/* A group of ranks and its subtrees. */
typedef struct {
  PetscInt64  node;
  PetscInt    depth;
  PetscMPIInt first, num; /* ranks */
  AbutInts    forest;     /* roots of subtrees */
} Group;

/* A division of a group into two. */
typedef struct {
  PetscMPIInt num;  /* ranks of the first part */
  PetscReal   cost; /* operations that must follow each other, of the separator and of the part with more work */
} Split;

/* The vertex eliminated as number k. */
static PetscInt VertexAt(const Division *d, PetscInt k)
{
  return d->fronts->row[d->fronts->order[k]];
}

/* Operations of a front with dense rows. */
static PetscReal FrontWork(PetscReal pivots, PetscReal border)
{
  return pivots * pivots * pivots / 3 + pivots * pivots * border + pivots * border * border;
}

static PetscErrorCode SetWork(Division *d)
{
  const Fronts *f = d->fronts;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(f->num, &d->work, f->num, &d->begin));
  for (PetscInt s = 0; s < f->num; s++) d->begin[s] = f->first[s];
  for (PetscInt s = 0; s < f->num; s++) { /* children come before parents */
    d->work[s] += FrontWork((PetscReal)((f->first[s + 1] - f->first[s]) * d->bs), (PetscReal)((f->start[s + 1] - f->start[s]) * d->bs));
    if (f->parent[s] < 0) continue;
    d->work[f->parent[s]] += d->work[s];
    d->begin[f->parent[s]] = PetscMin(d->begin[f->parent[s]], d->begin[s]);
  }
  PetscCall(AbutCSRSetPairs(f->num, f->num, 1, f->parent, NULL, &d->children));
  PetscCall(PetscMalloc1(f->n + 1, &d->owners));
  d->owners[0] = 0;
  for (PetscInt k = 0; k < f->n; k++) d->owners[k + 1] = d->owners[k] + d->owner[VertexAt(d, k)];
  PetscFunctionReturn(0);
}

static int Compare(const void *left, const void *right, void *ctx)
{
  const Division *d = (const Division *)ctx;
  const PetscInt  a = *(const PetscInt *)left, b = *(const PetscInt *)right;

  if (d->work[a] != d->work[b]) return d->work[a] > d->work[b] ? -1 : 1;
  return a < b ? -1 : a > b;
}

/* Sorts subtrees by descending work. */
static PetscErrorCode SortForest(Division *d, AbutInts *forest)
{
  PetscFunctionBegin;
  if (forest->n > 1) PetscCall(PetscTimSort(forest->n, forest->a, sizeof(PetscInt), Compare, d));
  PetscFunctionReturn(0);
}

/*
  Distributes the subtrees, the heaviest first, each to the part with the smaller load per rank. side[i]: part of subtree i; may be NULL.
  Returns the larger load per rank.
*/
static PetscReal Pack(const Division *d, const AbutInts *forest, PetscMPIInt first, PetscMPIInt second, int side[])
{
  PetscReal load[2] = {0, 0};

  for (PetscInt i = 0; i < forest->n; i++) {
    const PetscReal work  = d->work[forest->a[i]];
    const int       chose = (load[0] + work) / first <= (load[1] + work) / second ? 0 : 1;
    load[chose] += work;
    if (side) side[i] = chose;
  }
  return PetscMax(load[0] / first, load[1] / second);
}

/* The numbers of ranks of the two parts with the least cost; each part gets at least a third. */
static Split FindSplit(const Division *d, const Group *g, PetscReal separator)
{
  Split best = {.cost = PETSC_MAX_REAL};

  for (PetscMPIInt first = g->num / 2; first >= PetscMax(g->num / 3, 1); first--)
    for (int swap = 0; swap < 2; swap++) {
      const PetscMPIInt num  = swap ? g->num - first : first;
      const PetscReal   cost = Pack(d, &g->forest, num, g->num - num, NULL) + separator / g->num;
      if (cost < best.cost) best = (Split){num, cost};
    }
  return best;
}

/* Number of rows that the subtrees of a group have in the separators of larger groups. */
static PetscInt CountBorder(Division *d, const AbutInts *forest)
{
  const Fronts *f     = d->fronts;
  PetscInt      count = 0;

  d->stamps++;
  for (PetscInt i = 0; i < forest->n; i++)
    for (PetscInt k = f->start[forest->a[i]]; k < f->start[forest->a[i] + 1]; k++) {
      count += d->stamp[f->rows[k]] != d->stamps;
      d->stamp[f->rows[k]] = d->stamps;
    }
  return count;
}

/* Moves the root of the heaviest subtree to the separator; its children become subtrees. */
static PetscErrorCode Open(Division *d, AbutInts *forest, AbutInts *separator)
{
  const PetscInt s = forest->a[0];

  PetscFunctionBegin;
  PetscCall(AbutIntsPush(separator, 1, &s));
  forest->n--;
  for (PetscInt i = 0; i < forest->n; i++) forest->a[i] = forest->a[i + 1];
  PetscCall(AbutIntsPush(forest, d->children.start[s + 1] - d->children.start[s], d->children.item + d->children.start[s]));
  PetscCall(SortForest(d, forest));
  PetscFunctionReturn(0);
}

static PetscErrorCode CopyInts(const AbutInts *from, AbutInts *to)
{
  PetscFunctionBegin;
  to->n = 0;
  PetscCall(AbutIntsPush(to, from->n, from->a));
  PetscFunctionReturn(0);
}

/* Chooses the separator and the division of a group: opens subtrees while that may lower the cost. g->forest: the subtrees that remain. */
static PetscErrorCode ChooseSplit(Division *d, Group *g, AbutInts *separator, Split *best)
{
  const Fronts   *f      = d->fronts;
  const PetscReal border = (PetscReal)(CountBorder(d, &g->forest) * d->bs);
  PetscReal       total = 0, pivots = 0;
  Group           trial      = *g;
  AbutInts        opened     = {0};
  PetscInt        num_opened = 0;

  PetscFunctionBegin;
  trial.forest = (AbutInts){0};
  PetscCall(SortForest(d, &g->forest));
  PetscCall(CopyInts(&g->forest, &trial.forest));
  for (PetscInt i = 0; i < g->forest.n; i++) total += d->work[g->forest.a[i]];
  *best = FindSplit(d, &trial, 0);
  for (PetscInt k = 1; k <= REMOVALS_MAX && trial.forest.n > 0; k++) {
    const PetscInt s = trial.forest.a[0];
    Split          split;
    if (d->work[s] < SMALL_SHARE * total / g->num) break;
    PetscCall(Open(d, &trial.forest, &opened));
    pivots += (PetscReal)((f->first[s + 1] - f->first[s]) * d->bs);
    if (FrontWork(pivots, border) / g->num > best->cost) break;
    split = FindSplit(d, &trial, FrontWork(pivots, border));
    if (split.cost >= best->cost) continue;
    *best      = split;
    num_opened = k;
  }
  for (PetscInt k = 0; k < num_opened; k++) PetscCall(Open(d, &g->forest, separator));
  PetscCall(PetscFree(trial.forest.a));
  PetscCall(PetscFree(opened.a));
  PetscFunctionReturn(0);
}

/* Assigns columns [begin, end). A separator vertex stays with its owner if that is in the group; otherwise ranks take turns. */
static void Assign(Division *d, const Group *g, PetscInt begin, PetscInt end, PetscInt depth)
{
  for (PetscInt k = begin; k < end; k++) {
    const PetscInt    v    = VertexAt(d, k);
    const PetscMPIInt last = g->first + g->num - 1;
    d->depth[v]            = depth;
    d->order[v]            = k;
    d->rank[v]             = d->owner[v] >= g->first && d->owner[v] <= last ? d->owner[v] : g->first + d->next++ % g->num;
  }
}

/* Mean current owner of the vertices of a part. */
static PetscReal MeanOwner(const Division *d, const AbutInts *forest, const int side[], int part)
{
  PetscInt64 sum = 0, count = 0;

  for (PetscInt i = 0; i < forest->n; i++) {
    const PetscInt begin = d->begin[forest->a[i]], end = d->fronts->first[forest->a[i] + 1];
    if (side[i] != part) continue;
    sum += d->owners[end] - d->owners[begin];
    count += end - begin;
  }
  return count > 0 ? (PetscReal)sum / (PetscReal)count : 0;
}

/* Divides a group recursively. *path: operations of the group that must follow each other, where separators are divided evenly. */
static PetscErrorCode DivideGroup(Division *d, Group *g, PetscReal *path)
{
  const PetscReal border    = (PetscReal)(CountBorder(d, &g->forest) * d->bs);
  AbutInts        separator = {0};
  Split           split     = {0};
  PetscReal       pivots    = 0, below[2];
  int            *side, low;
  Group           part[2];

  PetscFunctionBegin;
  *path = 0;
  if (g->num == 1) {
    d->leaf[g->first] = g->node;
    for (PetscInt i = 0; i < g->forest.n; i++) *path += d->work[g->forest.a[i]];
    for (PetscInt i = 0; i < g->forest.n; i++)
      Assign(d, g, d->begin[g->forest.a[i]], d->fronts->first[g->forest.a[i] + 1], MAPPING_INTERIOR);
    PetscFunctionReturn(0);
  }
  PetscCall(ChooseSplit(d, g, &separator, &split));
  for (PetscInt k = 0; k < separator.n; k++) {
    const PetscInt begin = d->fronts->first[separator.a[k]], end = d->fronts->first[separator.a[k] + 1];
    Assign(d, g, begin, end, g->depth);
    pivots += (PetscReal)((end - begin) * d->bs);
  }
  PetscCall(PetscMalloc1(g->forest.n, &side));
  (void)Pack(d, &g->forest, split.num, g->num - split.num, side);
  low = MeanOwner(d, &g->forest, side, 0) <= MeanOwner(d, &g->forest, side, 1) ? 0 : 1; /* little data moves if ranks keep their order */
  for (int p = 0; p < 2; p++) {
    const PetscMPIInt num = p == 0 ? split.num : g->num - split.num;
    part[p] =
      (Group){.node = 2 * g->node + (p != low), .depth = g->depth + 1, .first = p == low ? g->first : g->first + g->num - num, .num = num};
    for (PetscInt i = 0; i < g->forest.n; i++)
      if (side[i] == p) PetscCall(AbutIntsPush(&part[p].forest, 1, &g->forest.a[i]));
  }
  PetscCall(PetscFree(side));
  PetscCall(PetscFree(separator.a));
  for (int p = 0; p < 2; p++) {
    PetscCall(DivideGroup(d, &part[p], &below[p]));
    PetscCall(PetscFree(part[p].forest.a));
  }
  *path = FrontWork(pivots, border) / g->num + PetscMax(below[0], below[1]);
  PetscFunctionReturn(0);
}

/* Divides the forest among the active ranks; the others get a branch of the tree without vertices. */
static PetscErrorCode DivideAmongActive(Division *d, Group *all)
{
  PetscReal none;
  Group     active = {.node = 2, .depth = 1, .num = d->active, .forest = all->forest};
  Group     idle   = {.node = 3, .depth = 1, .first = d->active, .num = d->size - d->active};

  PetscFunctionBegin;
  if (d->active == d->size) {
    PetscCall(DivideGroup(d, all, &d->path));
    PetscFunctionReturn(0);
  }
  PetscCall(DivideGroup(d, &active, &d->path));
  PetscCall(DivideGroup(d, &idle, &none));
  all->forest = active.forest;
  PetscFunctionReturn(0);
}

/* Divides the elimination tree of a graph in a given order among the ranks. ptr, adj: vertex graph without the diagonal. */
static PetscErrorCode Divide(Division *d, PetscInt n, const PetscInt ptr[], const PetscInt adj[], const PetscInt elimination[])
{
  Group     all = {.node = 1, .num = d->size};
  PetscInt *number;
  FrontRows rows;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &number));
  for (PetscInt k = 0; k < n; k++) number[elimination[k]] = k;
  rows = (FrontRows){.ia = ptr, .ja = adj, .number = number};
  PetscCall(FrontsCreate(1, n, 0, elimination, 1, &rows, PETSC_FALSE, &d->fronts));
  PetscCall(PetscCalloc1(n, &d->stamp));
  PetscCall(SetWork(d));
  for (PetscInt s = 0; s < d->fronts->num; s++)
    if (d->fronts->parent[s] < 0) PetscCall(AbutIntsPush(&all.forest, 1, &s));
  PetscCall(DivideAmongActive(d, &all));
  PetscCall(PetscFree(all.forest.a));
  PetscCall(PetscFree2(d->work, d->begin));
  PetscCall(PetscFree(d->owners));
  PetscCall(PetscFree(d->stamp));
  PetscCall(AbutCSRDestroy(&d->children));
  PetscCall(FrontsDestroy(&d->fronts));
  PetscCall(PetscFree(number));
  PetscFunctionReturn(0);
}

/* Allocates rank, depth and order as one array, which the caller frees as d->rank. */
static PetscErrorCode AllocateResult(Division *d, PetscInt n)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)n, &d->rank));
  d->depth = d->rank + n;
  d->order = d->depth + n;
  PetscFunctionReturn(0);
}

/* Divides the graph in the order of QuotientOrder(). */
static PetscErrorCode DivideInOrder(Division *d, PetscInt together, const Subgraph *g, const SeparatorTree *tree)
{
  PetscInt *elimination;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(g->n, &elimination));
  PetscCall(QuotientOrder(together, g->n, g->ptr, g->adj, tree, elimination));
  PetscCall(Divide(d, g->n, g->ptr, g->adj, elimination));
  PetscCall(PetscFree(elimination));
  PetscFunctionReturn(0);
}

/* On the second rank: finds and divides a multisection of the graph of the first rank, if the first rank asks for it. */
static PetscErrorCode DivideForFirst(MPI_Comm comm, PetscMPIInt tag, Division *d)
{
  PetscInt      levels;
  SeparatorTree tree;
  Subgraph      g;

  PetscFunctionBegin;
  PetscCall(RankReceive(comm, 0, tag, 1, MPIU_INT, &levels));
  if (levels <= 1) PetscFunctionReturn(0);
  PetscCall(DissectionReceiveGraph(comm, 0, tag, &g));
  PetscCall(DissectionReceiveTree(comm, 0, tag, &tree));
  PetscCall(PetscMalloc1(g.n, &d->owner));
  PetscCall(RankReceive(comm, 0, tag, g.n, MPIU_INT, d->owner));
  PetscCall(AllocateResult(d, g.n));
  PetscCall(DivideInOrder(d, levels, &g, &tree));
  PetscCall(RankSend(comm, 0, tag, 3 * g.n, MPIU_INT, d->rank));
  PetscCallMPI(MPI_Send(d->leaf, d->size, MPIU_INT64, 0, tag, comm));
  PetscCallMPI(MPI_Send(&d->path, 1, MPIU_REAL, 0, tag, comm));
  PetscCall(PetscFree(d->rank));
  PetscCall(PetscFree(d->owner));
  PetscCall(SeparatorTreeDestroy(&tree));
  PetscCall(SubgraphDestroy(&g));
  PetscFunctionReturn(0);
}

/* Sends to the second rank what DivideForFirst() receives, and receives its result. */
static PetscErrorCode SendGraph(MPI_Comm comm, PetscMPIInt tag, const Division *d, const Subgraph *g, const SeparatorTree *tree)
{
  PetscFunctionBegin;
  PetscCall(DissectionSendGraph(comm, 1, tag, g));
  PetscCall(DissectionSendTree(comm, 1, tag, tree));
  PetscCall(RankSend(comm, 1, tag, g->n, MPIU_INT, d->owner));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReceiveResult(MPI_Comm comm, PetscMPIInt tag, PetscInt n, Division *d)
{
  PetscFunctionBegin;
  PetscCall(RankReceive(comm, 1, tag, 3 * n, MPIU_INT, d->rank));
  PetscCallMPI(MPI_Recv(d->leaf, d->size, MPIU_INT64, 1, tag, comm, MPI_STATUS_IGNORE));
  PetscCallMPI(MPI_Recv(&d->path, 1, MPIU_REAL, 1, tag, comm, MPI_STATUS_IGNORE));
  PetscFunctionReturn(0);
}

/* On the first rank: divides by nested dissection while the second rank divides by multisection; keeps the result with the shorter path. */
static PetscErrorCode DivideInBestOrder(MPI_Comm comm, PetscMPIInt tag, Division *d, const Subgraph *g, const SeparatorTree *tree)
{
  const PetscInt levels = tree->levels;
  Division       other  = *d;

  PetscFunctionBegin;
  if (d->size > 1) PetscCall(RankSend(comm, 1, tag, 1, MPIU_INT, &levels));
  if (d->size > 1 && levels > 1) PetscCall(SendGraph(comm, tag, d, g, tree));
  PetscCall(DivideInOrder(d, 1, g, tree));
  if (levels <= 1) PetscFunctionReturn(0);
  PetscCall(AllocateResult(&other, g->n));
  PetscCall(PetscMalloc1(other.size, &other.leaf));
  if (d->size > 1)
    PetscCall(ReceiveResult(comm, tag, g->n, &other));
  else
    PetscCall(DivideInOrder(&other, levels, g, tree));
  if (other.path < d->path) {
    d->path = other.path;
    PetscCall(PetscArraycpy(d->rank, other.rank, 3 * (size_t)g->n));
    PetscCall(PetscArraycpy(d->leaf, other.leaf, d->size));
  }
  PetscCall(PetscFree(other.rank));
  PetscCall(PetscFree(other.leaf));
  PetscFunctionReturn(0);
}

/* Divides the graph of all ranks, which the first rank has; the result is there. Collective. */
static PetscErrorCode DivideGathered(MPI_Comm comm, const PetscMPIInt counts[], const PetscInt length[], PetscInt adj[], Division *d)
{
  Subgraph      g    = {.adj = adj};
  SeparatorTree tree = {0};
  PetscMPIInt   rank, tag;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscCommGetNewTag(comm, &tag));
  if (rank > 0) {
    PetscCall(DissectionFind(comm, d->active, 0, NULL, NULL, &tree));
    if (rank == 1) PetscCall(DivideForFirst(comm, tag, d));
    PetscFunctionReturn(0);
  }
  for (PetscMPIInt r = 0; r < d->size; r++) g.n += counts[r];
  PetscCall(AllocateResult(d, g.n));
  PetscCall(PetscMalloc2(g.n + 1, &g.ptr, g.n, &d->owner));
  g.ptr[0] = 0;
  for (PetscInt v = 0; v < g.n; v++) g.ptr[v + 1] = g.ptr[v] + length[v];
  g.n = 0;
  for (PetscMPIInt r = 0; r < d->size; r++)
    for (PetscMPIInt k = 0; k < counts[r]; k++) d->owner[g.n++] = r;
  PetscCall(DissectionFind(comm, d->active, g.n, g.ptr, g.adj, &tree));
  PetscCall(DivideInBestOrder(comm, tag, d, &g, &tree));
  PetscCall(PetscFree2(g.ptr, d->owner));
  PetscCall(SeparatorTreeDestroy(&tree));
  PetscFunctionReturn(0);
}

PetscErrorCode MappingCreate(Mat A, PetscInt least, Mapping **mapping)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)A);
  Mapping       *m;
  Division       d = {0};
  PetscLogEvent  event;
  PetscMPIInt    size, *counts, *starts;
  PetscInt       n = 0, unknowns, total = 0, *length, *adj, *lengths, *graph;

  PetscFunctionBegin;
  PetscCall(PetscNew(&m));
  *mapping = m;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(MatGetBlockSize(A, &d.bs));
  PetscCall(PetscMalloc2(size, &counts, size, &starts));
  PetscCall(MappingGetGraph(A, &n, &length, &adj));
  for (PetscInt v = 0; v < n; v++) total += length[v];
  PetscCall(MappingGather(comm, total, adj, counts, starts, &graph));
  PetscCall(MappingGather(comm, n, length, counts, starts, &lengths));
  PetscCall(PetscFree2(length, adj));
  PetscCall(PetscMalloc1(size, &m->leaf));
  PetscCall(PetscMalloc1(n, &m->rank));
  PetscCall(PetscMalloc1(n, &m->depth));
  PetscCall(PetscMalloc1(n, &m->order));
  PetscCall(MatGetSize(A, &unknowns, NULL));
  d.leaf   = m->leaf;
  d.size   = size;
  d.active = least > 0 ? (PetscMPIInt)PetscMin(PetscMax(unknowns / least, 1), size) : size;
  PetscCall(AbutPrecondLogBegin("abut_dissection", &event));
  PetscCall(DivideGathered(comm, counts, lengths, graph, &d));
  PetscCall(PetscLogEventEnd(event, 0, 0, 0, 0));
  PetscCallMPI(MPI_Bcast(m->leaf, size, MPIU_INT64, 0, comm));
  PetscCallMPI(MPI_Scatterv(d.rank, counts, starts, MPIU_INT, m->rank, (PetscMPIInt)n, MPIU_INT, 0, comm));
  PetscCallMPI(MPI_Scatterv(d.depth, counts, starts, MPIU_INT, m->depth, (PetscMPIInt)n, MPIU_INT, 0, comm));
  PetscCallMPI(MPI_Scatterv(d.order, counts, starts, MPIU_INT, m->order, (PetscMPIInt)n, MPIU_INT, 0, comm));
  PetscCall(PetscFree(d.rank));
  PetscCall(PetscFree(graph));
  PetscCall(PetscFree(lengths));
  PetscCall(PetscFree2(counts, starts));
  PetscFunctionReturn(0);
}

PetscErrorCode MappingDestroy(Mapping **mapping)
{
  PetscFunctionBegin;
  if (!*mapping) PetscFunctionReturn(0);
  PetscCall(PetscFree((*mapping)->leaf));
  PetscCall(PetscFree((*mapping)->rank));
  PetscCall(PetscFree((*mapping)->depth));
  PetscCall(PetscFree((*mapping)->order));
  PetscCall(PetscFree(*mapping));
  PetscFunctionReturn(0);
}
