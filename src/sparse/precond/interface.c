/*
  Separators of a matrix whose mapping to a tree of ranks may stem from an earlier pattern. Couplings that are new since then may connect
  ranks. For each pair of ranks (a, b) that they connect, the vertices of a that are coupled to b separate the ranks, and so do the vertices
  of b that are coupled to a. The smaller of these two sets becomes part of the separator of the smallest group with both ranks. Pairs of
  large groups are separated first; vertices of their separators no longer count in smaller groups.
*/
#include "interface.h"
#include <abut/containers.h>

/*
  Rows of the two sequential parts of a distributed matrix: owned columns [0] and ghost columns [1]. ghost: global scalar indices of the
  ghost columns.
*/
static PetscErrorCode GetParts(Mat A, FrontRows rows[2], const PetscInt **ghost, PetscInt *num_ghost)
{
  Mat       part[2];
  PetscInt  n, bs;
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &part[0], &part[1], ghost));
  PetscCall(MatGetLocalSize(part[1], NULL, &n));
  *num_ghost = n / bs;
  for (PetscInt p = 0; p < 2; p++) {
    PetscCall(MatGetRowIJ(part[p], 0, PETSC_FALSE, PETSC_FALSE, &n, &rows[p].ia, &rows[p].ja, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix type gives no access to its rows");
    PetscCall(MatSeqAIJGetArrayRead(part[p], &rows[p].values));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode InterfaceGetRows(const Interface *interface, Mat A, FrontRows rows[2])
{
  const PetscInt *ghost;
  PetscInt        num_ghost;

  PetscFunctionBegin;
  PetscCall(GetParts(A, rows, &ghost, &num_ghost));
  for (int p = 0; p < 2; p++) rows[p].number = interface->number[p];
  PetscFunctionReturn(0);
}

PetscErrorCode InterfaceRestoreRows(Mat A, FrontRows rows[2])
{
  Mat             part[2];
  PetscInt        n;
  const PetscInt *ghost;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &part[0], &part[1], &ghost));
  for (PetscInt p = 0; p < 2; p++) {
    PetscCall(MatSeqAIJRestoreArrayRead(part[p], &rows[p].values));
    PetscCall(MatRestoreRowIJ(part[p], 0, PETSC_FALSE, PETSC_FALSE, &n, &rows[p].ia, &rows[p].ja, &done));
  }
  PetscFunctionReturn(0);
}

/* Couplings of owned vertices to ghosts, by the rank that owns the ghost. */
typedef struct {
  PetscMPIInt  num;         /* neighbours: number of ranks that own ghosts */
  PetscMPIInt *rank;        /* [num] ascending */
  PetscInt    *first_ghost; /* [num + 1] first ghost of each neighbour */
  AbutCSR      couplings;   /* couplings of each neighbour, as indices of the next two arrays */
  PetscInt    *vertex, *ghost;
  PetscInt    *stamp[2]; /* [0] owned vertices, [1] ghosts: number of the last count that counted each */
  PetscInt     stamps;   /* number of counts */
  PetscBool   *chosen;   /* owned vertices that become separators */
  PetscInt
         *depth[2]; /* [0] owned vertices, [1] ghosts: depth of the separator that contains each; max_depth of the tree = interior so far */
  PetscSF sf;       /* owned vertices to ghosts */
} Coupling;

static PetscErrorCode FindNeighbours(const Interface *it, const PetscInt ranges[], const PetscInt ghost[], Coupling *c)
{
  PetscSFNode *remote;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(it->num_ghosts, &c->rank, it->num_ghosts + 1, &c->first_ghost));
  PetscCall(PetscMalloc1(it->num_ghosts, &remote));
  for (PetscInt g = 0, owner = 0; g < it->num_ghosts; g++) {
    while (ghost[g * it->bs] >= ranges[owner + 1]) owner++;
    remote[g].rank  = owner;
    remote[g].index = (ghost[g * it->bs] - ranges[owner]) / it->bs;
    if (c->num > 0 && c->rank[c->num - 1] == owner) continue;
    c->rank[c->num]          = (PetscMPIInt)owner;
    c->first_ghost[c->num++] = g;
  }
  c->first_ghost[c->num] = it->num_ghosts;
  PetscCall(PetscSFCreate(it->comm, &c->sf));
  PetscCall(PetscSFSetGraph(c->sf, it->num_owned, it->num_ghosts, NULL, PETSC_OWN_POINTER, remote, PETSC_OWN_POINTER));
  PetscFunctionReturn(0);
}

static PetscErrorCode ListCouplings(const Interface *it, const FrontRows *off, Coupling *c)
{
  const PetscInt rows = it->num_owned * it->bs, max = off->ia[rows] / (it->bs * it->bs);
  PetscInt       count = 0, *neighbour;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(max, &c->vertex, max, &c->ghost));
  PetscCall(PetscMalloc1(max, &neighbour));
  for (PetscInt v = 0; v < it->num_owned; v++)
    for (PetscInt k = off->ia[v * it->bs], n = 0; k < off->ia[v * it->bs + 1]; k += it->bs) { /* columns ascend */
      c->vertex[count] = v;
      c->ghost[count]  = off->ja[k] / it->bs;
      while (c->ghost[count] >= c->first_ghost[n + 1]) n++;
      neighbour[count++] = n;
    }
  PetscCall(AbutCSRSetPairs(c->num, count, 1, neighbour, NULL, &c->couplings));
  PetscCall(PetscFree(neighbour));
  PetscFunctionReturn(0);
}

static PetscErrorCode CouplingCreate(const Interface *it, Mat A, const FrontRows *off, const PetscInt ghost[], Coupling *c)
{
  const PetscInt *ranges;

  PetscFunctionBegin;
  *c = (Coupling){0};
  PetscCall(MatGetOwnershipRanges(A, &ranges));
  PetscCall(FindNeighbours(it, ranges, ghost, c));
  PetscCall(ListCouplings(it, off, c));
  PetscCall(PetscCalloc2(it->num_owned, &c->stamp[0], it->num_ghosts, &c->stamp[1]));
  PetscCall(PetscMalloc2(it->num_owned, &c->depth[0], it->num_ghosts, &c->depth[1]));
  PetscCall(PetscCalloc1(it->num_owned, &c->chosen));
  PetscFunctionReturn(0);
}

static PetscErrorCode CouplingDestroy(Coupling *c)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(c->rank, c->first_ghost));
  PetscCall(PetscFree2(c->vertex, c->ghost));
  PetscCall(AbutCSRDestroy(&c->couplings));
  PetscCall(PetscFree2(c->stamp[0], c->stamp[1]));
  PetscCall(PetscFree2(c->depth[0], c->depth[1]));
  PetscCall(PetscFree(c->chosen));
  PetscCall(PetscSFDestroy(&c->sf));
  PetscFunctionReturn(0);
}

/*
  Counts the owned vertices and the ghosts at the ends of couplings with neighbour n. Couplings with an end in a separator of at most this
  depth do not count.
*/
static void CountEnds(Coupling *c, PetscMPIInt n, PetscInt depth, PetscInt count[2])
{
  count[0] = count[1] = 0;
  c->stamps++;
  for (PetscInt k = c->couplings.start[n]; k < c->couplings.start[n + 1]; k++) {
    const PetscInt end[2] = {c->vertex[c->couplings.item[k]], c->ghost[c->couplings.item[k]]};
    if (c->depth[0][end[0]] <= depth || c->depth[1][end[1]] <= depth) continue;
    for (int p = 0; p < 2; p++) {
      count[p] += c->stamp[p][end[p]] != c->stamps;
      c->stamp[p][end[p]] = c->stamps;
    }
  }
}

/*
  Separates this rank from neighbour n at a depth: the smaller of the two sets that CountEnds() counts becomes separator vertices. Both
  ranks compare the same two numbers, so they make the same choice.
*/
static void Separate(const Interface *it, Coupling *c, PetscMPIInt n, PetscInt depth)
{
  PetscInt count[2];

  CountEnds(c, n, depth, count);
  if (count[0] > count[1] || (count[0] == count[1] && it->rank > c->rank[n])) return;
  for (PetscInt k = c->couplings.start[n]; k < c->couplings.start[n + 1]; k++) {
    const PetscInt v = c->vertex[c->couplings.item[k]], g = c->ghost[c->couplings.item[k]];
    if (c->depth[0][v] > depth && c->depth[1][g] > depth) c->chosen[v] = PETSC_TRUE;
  }
}

/*
  Sets the depths of all owned vertices and ghosts: the mapped depth, or the depth of another separator where couplings would otherwise
  connect interiors or separators of different groups. Collective.
*/
static PetscErrorCode ChooseSeparators(const Interface *it, const PetscInt mapped[], Coupling *c)
{
  const PetscInt interior = it->tree->max_depth;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < it->num_owned; v++) c->depth[0][v] = PetscMin(mapped[2 * v], interior);
  PetscCall(AbutSFBcastRows(c->sf, MPIU_INT, 1, c->depth[0], c->depth[1]));
  for (PetscInt d = 0; d < interior; d++) {
    for (PetscMPIInt n = 0; n < c->num; n++)
      if (RankTreeCommonDepth(it->tree, it->rank, c->rank[n]) == d) Separate(it, c, n, d);
    for (PetscInt v = 0; v < it->num_owned; v++)
      if (c->chosen[v]) c->depth[0][v] = PetscMin(c->depth[0][v], d);
    PetscCall(AbutSFBcastRows(c->sf, MPIU_INT, 1, c->depth[0], c->depth[1]));
  }
  PetscFunctionReturn(0);
}

/* Numbers the separators, the deepest first. Collective. */
static PetscErrorCode NumberSeparators(Interface *it, const Coupling *c)
{
  const PetscInt depths = it->tree->max_depth;
  PetscInt      *own, *before, *all;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(depths + 1, &own, depths + 1, &before, depths + 1, &all));
  PetscCall(PetscMalloc1(depths + 1, &it->first));
  for (PetscInt v = 0; v < it->num_owned; v++) own[c->depth[0][v]]++;
  PetscCallMPI(MPI_Exscan(own, before, (PetscMPIInt)depths + 1, MPIU_INT, MPI_SUM, it->comm));
  PetscCallMPI(MPI_Allreduce(own, all, (PetscMPIInt)depths + 1, MPIU_INT, MPI_SUM, it->comm));
  it->first[depths] = 0;
  for (PetscInt d = depths - 1; d >= 0; d--) {
    it->first[d] = it->total;
    it->total += all[d];
    if (it->rank == 0) before[d] = 0;
    before[d] += it->first[d];
  }
  for (PetscInt v = 0; v < it->num_owned; v++) it->separator[0][v] = c->depth[0][v] < depths ? before[c->depth[0][v]]++ : -1;
  PetscCall(AbutSFBcastRows(c->sf, MPIU_INT, 1, it->separator[0], it->separator[1]));
  PetscCall(PetscFree3(own, before, all));
  PetscFunctionReturn(0);
}

PetscInt InterfaceDepthOf(const Interface *it, PetscInt separator)
{
  PetscInt depth = it->tree->max_depth - 1;

  while (depth > 0 && separator >= it->first[depth - 1]) depth--;
  return depth;
}

/* Lists interior vertices, and the separators that they are coupled to. */
static PetscErrorCode ListInterior(Interface *it, const PetscInt mapped[], const FrontRows rows[2])
{
  const PetscInt bs = it->bs, total = it->num_owned + it->num_ghosts;
  PetscInt      *coupled, *position, interior = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(it->num_owned, &it->interior, total, &it->border));
  PetscCall(PetscCalloc2(total, &coupled, it->num_owned, &position));
  for (PetscInt v = 0; v < it->num_owned; v++) {
    if (it->separator[0][v] >= 0) continue;
    position[interior]       = mapped[2 * v + 1];
    it->interior[interior++] = v;
    for (int p = 0; p < 2; p++)
      for (PetscInt k = rows[p].ia[v * bs]; k < rows[p].ia[v * bs + 1]; k += bs) coupled[p * it->num_owned + rows[p].ja[k] / bs] = 1;
  }
  it->num_interior = interior;
  PetscCall(PetscSortIntWithArray(interior, position, it->interior));
  for (PetscInt w = 0; w < total; w++) {
    const PetscInt number = w < it->num_owned ? it->separator[0][w] : it->separator[1][w - it->num_owned];
    if (coupled[w] && number >= 0) it->border[it->num_border++] = number;
  }
  PetscCall(PetscSortInt(it->num_border, it->border));
  PetscCall(PetscFree2(coupled, position));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetLocalNumbers(Interface *it)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < it->num_interior; k++) it->number[0][it->interior[k]] = k;
  for (int p = 0; p < 2; p++)
    for (PetscInt v = 0; v < (p == 0 ? it->num_owned : it->num_ghosts); v++) {
      PetscInt k;
      if (it->separator[p][v] < 0) {
        if (p == 1) it->number[p][v] = -1;
      } else {
        PetscCall(PetscFindInt(it->separator[p][v], it->num_border, it->border, &k));
        it->number[p][v] = k < 0 ? -1 : it->num_interior + k;
      }
    }
  PetscFunctionReturn(0);
}

PetscErrorCode InterfaceCreate(Mat A, const PetscInt64 leaf[], const PetscInt mapped[], RankTree *old, Interface **interface)
{
  Interface      *it;
  FrontRows       rows[2];
  const PetscInt *ghost;
  Coupling        coupling;

  PetscFunctionBegin;
  PetscCall(PetscNew(&it));
  *interface = it;
  PetscCall(PetscObjectGetComm((PetscObject)A, &it->comm));
  PetscCallMPI(MPI_Comm_rank(it->comm, &it->rank));
  PetscCallMPI(MPI_Comm_size(it->comm, &it->size));
  PetscCall(MatGetBlockSize(A, &it->bs));
  PetscCall(MatGetLocalSize(A, &it->num_owned, NULL));
  it->num_owned /= it->bs;
  PetscCall(GetParts(A, rows, &ghost, &it->num_ghosts));
  PetscCall(PetscMalloc4(it->num_owned, &it->number[0], it->num_ghosts, &it->number[1], it->num_owned, &it->separator[0], it->num_ghosts,
                         &it->separator[1]));
  PetscCall(CouplingCreate(it, A, &rows[1], ghost, &coupling));
  PetscCall(RankTreeCreate(it->comm, leaf, old, &it->tree));
  PetscCall(ChooseSeparators(it, mapped, &coupling));
  PetscCall(NumberSeparators(it, &coupling));
  PetscCall(CouplingDestroy(&coupling));
  PetscCall(ListInterior(it, mapped, rows));
  PetscCall(SetLocalNumbers(it));
  PetscCall(InterfaceRestoreRows(A, rows));
  PetscFunctionReturn(0);
}

PetscErrorCode InterfaceDestroy(Interface **interface)
{
  Interface *it = *interface;

  PetscFunctionBegin;
  if (!it) PetscFunctionReturn(0);
  PetscCall(RankTreeDestroy(&it->tree));
  PetscCall(PetscFree4(it->number[0], it->number[1], it->separator[0], it->separator[1]));
  PetscCall(PetscFree2(it->interior, it->border));
  PetscCall(PetscFree(it->first));
  PetscCall(PetscFree(*interface));
  PetscFunctionReturn(0);
}
