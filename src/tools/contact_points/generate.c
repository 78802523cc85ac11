/*
  Pairs of cells of different bodies. Each rank covers its cells by a few boxes, which all ranks receive; a cell is sent to each rank with a
  box that it overlaps. A pair of cells of one rank belongs to that rank; a pair across ranks to the owner of the cell of lower id if the
  sum of the ids is even, else to the owner of the other.
*/
#include "contact_pointsimpl.h"
#include <abut/containers.h>

#define MAX_BOXES 16 /* boxes that cover the cells of a rank */

/* Boxes that cover the cells of a rank. */
typedef struct {
  int     count;
  AbutBox box[MAX_BOXES];
} RankBoxes;

/* Box of a cell about the origin, inflated by half the distance at which pairs are needed. */
static AbutBox BoxOf(const AbutContactPoints points, const AbutTetrahedron *tet)
{
  const PetscReal inflation = (points->method->eroded ? points->rules.reach : 0) / 2 + points->rules.touch;
  AbutBox         box       = {{0}, {0}};

  for (int i = 0; i < 3; i++) {
    PetscReal lo = tet->x[0][i], hi = tet->x[0][i];

    for (int v = 1; v < 4; v++) {
      lo = PetscMin(lo, tet->x[v][i]);
      hi = PetscMax(hi, tet->x[v][i]);
    }
    box.lo[i] = AbutFloatBelow(lo - inflation - points->origin[i]);
    box.hi[i] = AbutFloatAbove(hi + inflation - points->origin[i]);
  }
  return box;
}

/* Geometry, boxes and search tree of n cells. */
static PetscErrorCode SetUpCells(AbutContactPoints points, AbutPointCells *cells)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < cells->n; i++) {
    AbutPointCellSetUp(&cells->cell[i]);
    cells->box[i] = BoxOf(points, &cells->cell[i].tet);
  }
  PetscCall(AbutBVHSetUp(&cells->tree, cells->n, 1, cells->self, cells->box));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetLocalCells(AbutContactPoints points, const PetscReal x[])
{
  const AbutMeshLocal *m     = points->m;
  AbutPointCells      *local = &points->local;

  PetscFunctionBegin;
  PetscCall(AbutPointCellsReserve(local, points->num_cells));
  local->n = points->num_cells;
  for (PetscInt i = 0; i < local->n; i++) {
    AbutTetrahedron *tet  = &local->cell[i].tet;
    const PetscInt   cell = points->cells[i];

    for (int v = 0; v < 4; v++) {
      const PetscInt vertex = m->cells[4 * cell + v];

      for (int k = 0; k < 3; k++) tet->x[v][k] = x[3 * vertex + k];
      tet->vertex[v] = m->vertex_id[vertex];
    }
    tet->cell    = m->cell_id[cell];
    tet->body    = m->cell_body[cell];
    tet->surface = points->surface[i];
  }
  PetscCall(SetUpCells(points, local));
  PetscFunctionReturn(0);
}

/* Boxes of all ranks [size]. Collective. */
static PetscErrorCode GatherBoxes(AbutContactPoints points, RankBoxes **boxes)
{
  const AbutBVH *tree = &points->local.tree;
  AbutBVHPatch   cover[MAX_BOXES];
  RankBoxes      mine = {0};

  PetscFunctionBegin;
  PetscCall(AbutBVHCover(1, &tree, NULL, MAX_BOXES, &mine.count, cover));
  for (int i = 0; i < mine.count; i++) mine.box[i] = cover[i].box;
  PetscCall(PetscMalloc1(points->size, boxes));
  PetscCallMPI(MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, *boxes, sizeof(mine), MPI_BYTE, points->comm));
  PetscFunctionReturn(0);
}

/* Marks found cells; lists each once. */
typedef struct {
  PetscMPIInt *mark, rank;
  PetscInt     n, *found;
} Collect;

static void CollectCell(void *ctx, int32_t entity)
{
  Collect *c = ctx;

  if (c->mark[entity] == c->rank) return;
  c->mark[entity]  = c->rank;
  c->found[c->n++] = entity;
}

/* Cells of this rank that overlap a box of another rank, and the rank. */
static PetscErrorCode FindCellsToSend(AbutContactPoints points, const RankBoxes boxes[], AbutInts *to, AbutInts *cells)
{
  Collect collect;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(points->local.n, &collect.mark, points->local.n, &collect.found));
  for (PetscInt i = 0; i < points->local.n; i++) collect.mark[i] = -1;
  for (collect.rank = 0; collect.rank < points->size; collect.rank++) {
    if (collect.rank == points->rank) continue;
    collect.n = 0;
    for (int i = 0; i < boxes[collect.rank].count; i++)
      AbutBVHOverlapBox(&points->local.tree, boxes[collect.rank].box[i], CollectCell, &collect);
    for (PetscInt i = 0; i < collect.n; i++) {
      const PetscInt rank = collect.rank;

      PetscCall(AbutIntsPush(to, 1, &rank));
      PetscCall(AbutIntsPush(cells, 1, &collect.found[i]));
    }
  }
  PetscCall(PetscFree2(collect.mark, collect.found));
  PetscFunctionReturn(0);
}

/* Sends cells; points->remote = the cells received. Collective. */
static PetscErrorCode ExchangeCells(AbutContactPoints points)
{
  RankBoxes       *boxes;
  AbutInts         to = {0}, cells = {0};
  PetscMPIInt     *rank;
  AbutTetrahedron *send, *received;
  AbutExchange     exchange;

  PetscFunctionBegin;
  PetscCall(GatherBoxes(points, &boxes));
  PetscCall(FindCellsToSend(points, boxes, &to, &cells));
  PetscCall(PetscMalloc2(to.n, &rank, to.n, &send));
  for (PetscInt i = 0; i < to.n; i++) {
    rank[i] = (PetscMPIInt)to.a[i];
    send[i] = points->local.cell[cells.a[i]].tet;
  }
  PetscCall(AbutExchangeRecords(points->comm, sizeof(*send), to.n, rank, send, NULL, &exchange, &received));
  points->remote.n = exchange.recv_start[exchange.num_recv];
  PetscCall(AbutPointCellsReserve(&points->remote, points->remote.n));
  for (PetscInt i = 0; i < points->remote.n; i++) points->remote.cell[i].tet = received[i];
  PetscCall(SetUpCells(points, &points->remote));
  PetscCall(PetscFree(received));
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(PetscFree2(rank, send));
  PetscCall(PetscFree(to.a));
  PetscCall(PetscFree(cells.a));
  PetscCall(PetscFree(boxes));
  PetscFunctionReturn(0);
}

typedef struct {
  AbutContactPoints     points;
  const AbutPointCells *a, *b;
  PetscErrorCode        ierr;
} Search;

/* Whether a pair of a cell of this rank and a cell of another rank belongs to this rank. */
static inline PetscBool BelongsHere(const AbutTetrahedron *mine, const AbutTetrahedron *other)
{
  const PetscBool even = (PetscBool)(((mine->cell ^ other->cell) & 1) == 0);

  return (PetscBool)(even == (mine->cell < other->cell));
}

/* Evaluates the pairs that belong to this rank. */
static PetscBool EvaluatePairs(void *ctx, int count, const int32_t (*pairs)[2])
{
  Search           *search = ctx;
  AbutContactPoints points = search->points;

  for (int i = 0; i < count && !search->ierr; i++) {
    const AbutPointCell *a = &search->a->cell[pairs[i][0]], *b = &search->b->cell[pairs[i][1]];
    const PetscBool      ordered = (PetscBool)(a->tet.body < b->tet.body);

    if (a->tet.body == b->tet.body || (search->a != search->b && !BelongsHere(&a->tet, &b->tet))) continue;
    points->num_pairs++;
    search->ierr = (*points->method->find)(&points->rules, ordered ? a : b, ordered ? b : a, &points->mine);
  }
  return (PetscBool)!search->ierr;
}

PetscErrorCode AbutPointsGenerate(AbutContactPoints points, const PetscReal x[])
{
  Search search = {.points = points, .a = &points->local, .b = &points->local};

  PetscFunctionBegin;
  PetscCall(SetLocalCells(points, x));
  PetscCall(ExchangeCells(points));
  AbutBVHOverlap(&search.a->tree, &search.b->tree, EvaluatePairs, &search);
  search.b = &points->remote;
  if (!search.ierr && points->local.n) AbutBVHOverlap(&search.a->tree, &search.b->tree, EvaluatePairs, &search);
  PetscFunctionReturn(search.ierr);
}
