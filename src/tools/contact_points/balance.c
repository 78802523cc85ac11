/*
  Balance of the pairs of cells. After the search the ranks whose share of the pairs is larger than the mean send the surplus, with the
  vertices of its cells, to the ranks with less than the mean. Every rank then evaluates the mean number of pairs, up to one pair. A contact
  depends on its two cells only, so that the result is the same whichever rank evaluates a pair.
*/
#include "contact_pointsimpl.h"
#include <abut/containers.h>

/* Number of pairs that a rank evaluates. */
static PetscInt64 Share(PetscInt64 total, PetscMPIInt size, PetscMPIInt rank)
{
  return total / size + (rank < total % size);
}

/* Cells and pairs that this rank sends, both sorted by receiver. The cells of a pair are numbers in the list of cells for its receiver. */
typedef struct {
  AbutInts         cell_to, pair_to; /* receivers */
  PetscInt         num_cells;        /* used */
  PetscInt         capacity[2];      /* of cells and pairs */
  AbutTetrahedron *cells;            /* [cell_to.n] */
  AbutPointPair   *pairs;            /* [pair_to.n] */
  PetscInt        *mark;             /* [local.n + remote.n] last position in `cells`, -1 */
} Surplus;

/* Position of a cell in the list of cells for one receiver, whose first cell is `first`; appends the cell if it is not in the list. */
static PetscErrorCode AddCell(AbutContactPoints points, PetscInt to, PetscInt first, int32_t cell, Surplus *surplus, int32_t *position)
{
  PetscFunctionBegin;
  if (surplus->mark[cell] < first) {
    surplus->mark[cell] = surplus->num_cells++;
    PetscCall(AbutReserve(surplus->num_cells, &surplus->capacity[0], &surplus->cells));
    surplus->cells[surplus->mark[cell]] = AbutPointPairCell(points, cell)->tet;
    PetscCall(AbutIntsPush(&surplus->cell_to, 1, &to));
  }
  *position = (int32_t)(surplus->mark[cell] - first);
  PetscFunctionReturn(0);
}

/* Moves the last n pairs of this rank to the list for a receiver. */
static PetscErrorCode MovePairs(AbutContactPoints points, PetscInt to, PetscInt n, Surplus *surplus)
{
  const PetscInt first = surplus->num_cells;

  PetscFunctionBegin;
  PetscCall(AbutReserve(surplus->pair_to.n + n, &surplus->capacity[1], &surplus->pairs));
  for (PetscInt i = 0; i < n; i++) {
    const AbutPointPair *pair  = &points->pairs.a[--points->pairs.n];
    AbutPointPair       *moved = &surplus->pairs[surplus->pair_to.n];

    for (int s = 0; s < 2; s++) PetscCall(AddCell(points, to, first, pair->cell[s], surplus, &moved->cell[s]));
    PetscCall(AbutIntsPush(&surplus->pair_to, 1, &to));
  }
  PetscFunctionReturn(0);
}

/*
  The surplus pairs of all ranks and the missing pairs of all ranks are numbered in the order of the ranks; surplus pair k goes to the rank
  of missing pair k. count[size]: pairs of each rank.
*/
static PetscErrorCode SelectSurplus(AbutContactPoints points, const PetscInt64 count[], Surplus *surplus)
{
  PetscInt64 total = 0, before = 0, missing = 0, mine;

  PetscFunctionBegin;
  for (PetscMPIInt r = 0; r < points->size; r++) total += count[r];
  for (PetscMPIInt r = 0; r < points->rank; r++) before += PetscMax(0, count[r] - Share(total, points->size, r));
  mine = PetscMax(0, count[points->rank] - Share(total, points->size, points->rank));
  for (PetscMPIInt r = 0; r < points->size; r++) {
    const PetscInt64 next  = missing + PetscMax(0, Share(total, points->size, r) - count[r]);
    const PetscInt64 start = PetscMax(missing, before), end = PetscMin(next, before + mine);

    if (start < end) PetscCall(MovePairs(points, r, (PetscInt)(end - start), surplus));
    missing = next;
  }
  PetscFunctionReturn(0);
}

/* Sends records to the ranks to->a. Collective. */
static PetscErrorCode Send(MPI_Comm comm, size_t bytes, const AbutInts *to, const void *records, AbutExchange *exchange, void *received)
{
  PetscMPIInt *rank;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(to->n, &rank));
  for (PetscInt i = 0; i < to->n; i++) rank[i] = (PetscMPIInt)to->a[i];
  PetscCall(AbutExchangeRecords(comm, bytes, to->n, rank, records, NULL, exchange, received));
  PetscCall(PetscFree(rank));
  PetscFunctionReturn(0);
}

/* Appends received cells to points->remote and received pairs to points->pairs. */
static PetscErrorCode Append(AbutContactPoints points, const AbutExchange exchange[2], const AbutTetrahedron cells[],
                             const AbutPointPair pairs[])
{
  const PetscInt n = exchange[0].recv_start[exchange[0].num_recv], more = exchange[1].recv_start[exchange[1].num_recv];
  const PetscInt first = points->local.n + points->remote.n;

  PetscFunctionBegin;
  PetscCall(AbutPointCellsReserve(&points->remote, points->remote.n + n));
  for (PetscInt i = 0; i < n; i++) {
    AbutPointCell *cell = &points->remote.cell[points->remote.n++];

    cell->tet = cells[i];
    AbutPointCellSetUp(cell);
  }
  PetscCall(AbutReserve(points->pairs.n + more, &points->pairs.capacity, &points->pairs.a));
  for (PetscMPIInt s = 0; s < exchange[1].num_recv; s++)
    for (PetscInt i = exchange[1].recv_start[s]; i < exchange[1].recv_start[s + 1]; i++) {
      const int32_t base = (int32_t)(first + exchange[0].recv_start[s]); /* the same ranks send cells and pairs */

      points->pairs.a[points->pairs.n++] = (AbutPointPair){{base + pairs[i].cell[0], base + pairs[i].cell[1]}};
    }
  PetscFunctionReturn(0);
}

/* Exchanges the surplus. Collective. */
static PetscErrorCode Exchange(AbutContactPoints points, const Surplus *surplus)
{
  AbutExchange     exchange[2];
  AbutTetrahedron *cells;
  AbutPointPair   *pairs;

  PetscFunctionBegin;
  PetscCall(Send(points->comm, sizeof(*cells), &surplus->cell_to, surplus->cells, &exchange[0], &cells));
  PetscCall(Send(points->comm, sizeof(*pairs), &surplus->pair_to, surplus->pairs, &exchange[1], &pairs));
  PetscCall(Append(points, exchange, cells, pairs));
  for (int i = 0; i < 2; i++) PetscCall(AbutExchangeDestroy(&exchange[i]));
  PetscCall(PetscFree(cells));
  PetscCall(PetscFree(pairs));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPointsBalance(AbutContactPoints points)
{
  Surplus          surplus = {.mark = NULL};
  const PetscInt64 mine    = points->pairs.n;
  const PetscInt   num     = points->local.n + points->remote.n;
  PetscInt64      *count;

  PetscFunctionBegin;
  if (points->size == 1) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2(points->size, &count, num, &surplus.mark));
  for (PetscInt i = 0; i < num; i++) surplus.mark[i] = -1;
  PetscCallMPI(MPI_Allgather(&mine, 1, MPIU_INT64, count, 1, MPIU_INT64, points->comm));
  PetscCall(SelectSurplus(points, count, &surplus));
  PetscCall(Exchange(points, &surplus));
  PetscCall(PetscFree2(count, surplus.mark));
  PetscCall(PetscFree(surplus.cells));
  PetscCall(PetscFree(surplus.pairs));
  PetscCall(PetscFree(surplus.cell_to.a));
  PetscCall(PetscFree(surplus.pair_to.a));
  PetscFunctionReturn(0);
}
