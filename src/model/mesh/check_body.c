/*
  Checks of the shape of a body that ranks have in blocks: no degenerate cells, no vertex without a cell, no two vertices at one place.
  Error messages name the body, the cell or vertex, and the value.
*/
#include "blocks.h"
#include <stdlib.h>

#define SAME_PLACE 1e-12 /* distance relative to the extent of the body below which two vertices coincide */
#define GRID       1024  /* edge of the cells of the grid in which such vertices are found, relative to this distance */

/* ABUT_ERR_INPUT if a vertex belongs to no cell; `m` has the shape only. */
static PetscErrorCode CheckConnected(const AbutBodySpec *spec, const AbutBlocks *m, const AbutBlockGhosts *ghosts)
{
  PetscInt      *used, bad = 0, first = PETSC_MAX_INT, v;
  PetscErrorCode code = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(m->n + ghosts->n, &used));
  for (PetscInt i = 0; i < m->cells.n * m->cells.width; i++) used[m->cells.vertex[i]] = 1;
  for (PetscInt i = 0; i < m->middles.n * m->middles.width; i++) used[m->middles.vertex[i]] = 1;
  PetscCall(AbutSFAddRows(ghosts->sf, MPIU_INT, 1, used + m->n, used));
  for (v = m->n - 1; v >= 0; v--) {
    if (used[v]) continue;
    bad++;
    first = m->first + v;
  }
  PetscCall(PetscFree(used));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPIU_INT, MPI_SUM, m->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPIU_INT, MPI_MIN, m->comm));
  v = first - m->first;
  if (bad && v >= 0 && v < m->n)
    code = AbutSpecError(spec,
                         "vertex %" PetscInt_FMT " at (%g, %g, %g) belongs to no cell (vertices without: %" PetscInt_FMT
                         " of %" PetscInt_FMT "); remove them from the file",
                         first, (double)m->x[3 * v], (double)m->x[3 * v + 1], (double)m->x[3 * v + 2], bad, m->num_vertices);
  PetscFunctionReturn(AbutAgree(m->comm, code));
}

/* A vertex in a cell of a grid, whose edges are longer than the distance below which vertices coincide. */
typedef struct {
  PetscInt64 cell; /* hash of its numbers along the axes */
  PetscInt   vertex;
  PetscReal  x[3];
} Located;

static int CompareLocated(const void *a, const void *b)
{
  const Located *x = (const Located *)a, *y = (const Located *)b;

  return x->cell != y->cell ? (x->cell > y->cell) - (x->cell < y->cell) : (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/* Hash of three integers, >= 0: multiply-and-shift mix of splitmix64. */
static PetscInt64 HashCell(const PetscInt64 cell[3])
{
  uint64_t h = 0;

  for (int d = 0; d < 3; d++) {
    h = (h ^ (uint64_t)cell[d]) + 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    h ^= h >> 31;
  }
  return (PetscInt64)(h >> 1);
}

/* Lower corner and largest extent of the vertices of all ranks. */
static PetscErrorCode GetExtent(const AbutBlocks *m, PetscReal low[3], PetscReal *extent)
{
  PetscReal high[3] = {PETSC_MIN_REAL, PETSC_MIN_REAL, PETSC_MIN_REAL};

  PetscFunctionBegin;
  for (PetscInt d = 0; d < 3; d++) low[d] = PETSC_MAX_REAL;
  for (PetscInt i = 0; i < 3 * m->n; i++) {
    low[i % 3]  = PetscMin(low[i % 3], m->x[i]);
    high[i % 3] = PetscMax(high[i % 3], m->x[i]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, low, 3, MPIU_REAL, MPIU_MIN, m->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, high, 3, MPIU_REAL, MPIU_MAX, m->comm));
  *extent = PetscMax(high[0] - low[0], PetscMax(high[1] - low[1], high[2] - low[2]));
  PetscFunctionReturn(0);
}

/* The vertices of this rank in all cells of the grid within `tol`: one cell, and up to seven more near its sides. */
static PetscErrorCode Locate(const AbutBlocks *m, const PetscReal low[3], PetscReal tol, PetscInt *n, Located **located)
{
  const PetscReal h        = tol > 0 ? GRID * tol : 1;
  PetscInt        capacity = 0;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(AbutReserve(m->n, &capacity, located));
  for (PetscInt v = 0; v < m->n; v++) {
    const PetscReal *x = &m->x[3 * v];
    PetscInt64       from[3], to[3], cell[3];

    for (PetscInt d = 0; d < 3; d++) {
      from[d] = (PetscInt64)PetscFloorReal((x[d] - tol - low[d]) / h);
      to[d]   = (PetscInt64)PetscFloorReal((x[d] + tol - low[d]) / h);
    }
    for (cell[0] = from[0]; cell[0] <= to[0]; cell[0]++)
      for (cell[1] = from[1]; cell[1] <= to[1]; cell[1]++)
        for (cell[2] = from[2]; cell[2] <= to[2]; cell[2]++) {
          PetscCall(AbutReserve(*n + 1, &capacity, located));
          (*located)[(*n)++] = (Located){HashCell(cell), m->first + v, {x[0], x[1], x[2]}};
        }
  }
  PetscFunctionReturn(0);
}

/* Whether the coordinates of two vertices differ by at most tol. */
static inline PetscBool SamePlace(const PetscReal a[3], const PetscReal b[3], PetscReal tol)
{
  return (PetscBool)(PetscAbsReal(a[0] - b[0]) <= tol && PetscAbsReal(a[1] - b[1]) <= tol && PetscAbsReal(a[2] - b[2]) <= tol);
}

/* Lowest vertex of this rank's cells that coincides with an earlier one: the later and the earlier; NULL if there is none. */
static void FindPair(PetscInt n, const Located located[], PetscReal tol, const Located *pair[2])
{
  pair[0] = pair[1] = NULL;
  for (PetscInt i = 1; i < n; i++) {
    if (pair[0] && located[i].vertex >= pair[0]->vertex) continue;
    for (PetscInt k = i - 1; k >= 0 && located[k].cell == located[i].cell; k--)
      if (located[k].vertex != located[i].vertex && SamePlace(located[k].x, located[i].x, tol)) {
        pair[0] = &located[i];
        pair[1] = &located[k];
        break;
      }
  }
}

/* ABUT_ERR_INPUT if two vertices coincide. Ranks divide the cells of a grid among themselves. */
static PetscErrorCode CheckDuplicates(const AbutBodySpec *spec, const AbutBlocks *m)
{
  const Located *pair[2];
  Located       *mine = NULL, *received;
  PetscReal      low[3], extent = 0;
  PetscInt       n, first;
  PetscMPIInt   *to;
  AbutExchange   exchange;
  PetscErrorCode code = 0;

  PetscFunctionBegin;
  PetscCall(GetExtent(m, low, &extent));
  PetscCall(Locate(m, low, SAME_PLACE * extent, &n, &mine));
  PetscCall(PetscMalloc1(n, &to));
  for (PetscInt i = 0; i < n; i++) to[i] = (PetscMPIInt)(mine[i].cell % m->size);
  PetscCall(AbutExchangeRecords(m->comm, sizeof(Located), n, to, mine, NULL, &exchange, &received));
  PetscCall(PetscFree(to));
  PetscCall(PetscFree(mine));
  n = exchange.recv_start[exchange.num_recv];
  if (n) qsort(received, (size_t)n, sizeof(*received), CompareLocated);
  FindPair(n, received, SAME_PLACE * extent, pair);
  first = pair[0] ? pair[0]->vertex : PETSC_MAX_INT;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPIU_INT, MPI_MIN, m->comm));
  if (pair[0] && pair[0]->vertex == first)
    code = AbutSpecError(spec, "vertices %" PetscInt_FMT " and %" PetscInt_FMT " coincide at (%g, %g, %g); merge them in the file",
                         pair[1]->vertex, pair[0]->vertex, (double)pair[0]->x[0], (double)pair[0]->x[1], (double)pair[0]->x[2]);
  PetscCall(PetscFree(received));
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscFunctionReturn(AbutAgree(m->comm, code));
}

/* The shape of a body in blocks; `blocks` borrows its arrays. */
static PetscErrorCode ShapeBlocks(MPI_Comm comm, PetscInt dim, const AbutShape *shape, AbutBody *body, AbutBlocks *m)
{
  PetscInt end[2] = {shape->num_vertices, shape->num_cells};

  PetscFunctionBegin;
  *m = (AbutBlocks){.comm = comm, .dim = dim, .num_bodies = 1, .bodies = body, .n = shape->num_vertices, .x = shape->x};
  PetscCallMPI(MPI_Comm_rank(comm, &m->rank));
  PetscCallMPI(MPI_Comm_size(comm, &m->size));
  PetscCallMPI(MPI_Scan(MPI_IN_PLACE, end, 2, MPIU_INT, MPI_SUM, comm));
  m->first = end[0] - shape->num_vertices;
  m->cells = (AbutSimplices){shape->num_cells, dim + 1, end[1] - shape->num_cells, shape->cells};
  if (shape->middles) m->middles = (AbutSimplices){shape->num_cells, AbutNumCellEdges(dim), m->cells.first, shape->middles};
  PetscCallMPI(MPI_Bcast(end, 2, MPIU_INT, m->size - 1, comm));
  m->num_vertices = end[0];
  *body           = (AbutBody){.vertex_end = end[0], .cell_end = end[1]};
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeCheckBody(MPI_Comm comm, const AbutBodySpec *spec, PetscInt dim, const AbutShape *shape)
{
  AbutBlocks      m;
  AbutBody        body;
  AbutBlockGhosts ghosts;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCall(ShapeBlocks(comm, dim, shape, &body, &m));
  if (!body.cell_end) PetscFunctionReturn(0);
  PetscCall(AbutBlocksLocalise(&m, &ghosts));
  ierr = AbutBlocksCheck(&m, &ghosts, spec, PETSC_TRUE);
  if (!ierr) ierr = CheckConnected(spec, &m, &ghosts);
  for (PetscInt i = 0; i < m.cells.n * m.cells.width; i++) m.cells.vertex[i] = AbutBlockVertexId(&m, &ghosts, m.cells.vertex[i]);
  for (PetscInt i = 0; i < m.middles.n * m.middles.width; i++) m.middles.vertex[i] = AbutBlockVertexId(&m, &ghosts, m.middles.vertex[i]);
  PetscCall(AbutBlockGhostsFree(&ghosts));
  if (!ierr) ierr = CheckDuplicates(spec, &m);
  PetscFunctionReturn(ierr);
}
