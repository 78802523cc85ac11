/*
  The pattern of the matrix: the blocks of each rank, the address of each block, and the exchange of blocks in rows of other ranks.

  The scalar rows of a block row share one block pattern. Block k of block row r, with m blocks in the row, therefore starts at
  dim^2 ptr[r] + dim (k - ptr[r]) in the values of the scalar AIJ matrix, and its rows are dim m apart. The block graph gives all addresses.
*/
#include "linalgimpl.h"
#include <abut/petsc_versions.h>

/* Builds the graph of the rows that other ranks own. */
static PetscErrorCode SetUpForeignGraph(AbutAssembler as, const Pairs *pairs)
{
  Foreign   *f = &as->foreign;
  PetscInt64 n = 0;
  PetscInt  *row, *col;

  PetscFunctionBegin;
  PetscCall(PairsForeignRows(as, pairs, &f->num, &f->row));
  PetscCall(PetscMalloc2(pairs->count, &row, pairs->count, &col));
  for (PetscInt64 k = 0; k < pairs->count; k++) {
    if (IsOwned(as, pairs->row[k])) continue;
    PetscCall(PetscFindInt(pairs->row[k], f->num, f->row, &row[n]));
    col[n++] = pairs->col[k];
  }
  PetscCall(GraphCreate(f->num, n, row, col, &f->graph));
  PetscCall(PetscFree2(row, col));
  PetscCall(PetscMalloc1((size_t)f->graph.ptr[f->num] * (size_t)(as->dim * as->dim), &f->values));
  PetscFunctionReturn(0);
}

/* Sets up the exchange of blocks in rows of other ranks, one record per block. Collective. */
static PetscErrorCode SetUpExchange(AbutAssembler as)
{
  Foreign     *f = &as->foreign;
  PetscMPIInt *rank, num = 0;
  PetscInt    *start;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(f->num, &rank, f->num + 1, &start));
  for (PetscInt r = 0; r < f->num; r++) {
    PetscMPIInt owner;
    PetscCall(PetscLayoutFindOwner(as->layout, f->row[r], &owner));
    if (num && rank[num - 1] == owner) continue;
    rank[num]    = owner;
    start[num++] = f->graph.ptr[r];
  }
  start[num] = f->graph.ptr[f->num];
  PetscCall(AbutExchangeCreate(as->comm, num, rank, start, &f->exchange));
  PetscCall(PetscFree2(rank, start));
  PetscFunctionReturn(0);
}

/*
  Sends (row, column) of every block to its owner; returns the received pairs in the order in which their values will arrive. Collective.
*/
static PetscErrorCode ExchangePairs(AbutAssembler as, Pairs *received)
{
  const Foreign *f   = &as->foreign;
  const PetscInt num = f->exchange.recv_start[f->exchange.num_recv];
  PetscInt      *outgoing, *incoming;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(2 * (size_t)f->graph.ptr[f->num], &outgoing, 2 * (size_t)num, &incoming));
  for (PetscInt r = 0; r < f->num; r++)
    for (PetscInt k = f->graph.ptr[r]; k < f->graph.ptr[r + 1]; k++) outgoing[2 * k] = f->row[r], outgoing[2 * k + 1] = f->graph.cols[k];
  PetscCall(AbutExchangeForward(&f->exchange, 2 * sizeof(PetscInt), outgoing, incoming));
  received->count = num;
  PetscCall(PetscMalloc2(num, &received->row, num, &received->col));
  for (PetscInt k = 0; k < num; k++) received->row[k] = incoming[2 * k], received->col[k] = incoming[2 * k + 1];
  PetscCall(PetscFree2(outgoing, incoming));
  PetscFunctionReturn(0);
}

/* Builds the graphs of the owned rows: owned columns, columns of other ranks. */
static PetscErrorCode SetUpOwnedRows(AbutAssembler as, const Pairs *mine, const Pairs *received)
{
  const Pairs     *lists[2] = {mine, received};
  const PetscInt64 max      = mine->count + received->count;
  PetscInt64       n[2]     = {0, 0};
  PetscInt        *row[2], *col[2];

  PetscFunctionBegin;
  for (int part = 0; part < 2; part++) PetscCall(PetscMalloc2(max, &row[part], max, &col[part]));
  for (int l = 0; l < 2; l++)
    for (PetscInt64 k = 0; k < lists[l]->count; k++) {
      const PetscInt r = lists[l]->row[k], c = lists[l]->col[k];
      if (!IsOwned(as, r)) continue;
      const int part       = IsOwned(as, c) ? 0 : 1;
      row[part][n[part]]   = r - as->first;
      col[part][n[part]++] = part ? c : c - as->first;
    }
  PetscCall(GraphCreate(as->num_owned, n[0], row[0], col[0], &as->diag));
  PetscCall(GraphCreate(as->num_owned, n[1], row[1], col[1], &as->offd));
  for (int part = 0; part < 2; part++) PetscCall(PetscFree2(row[part], col[part]));
  PetscFunctionReturn(0);
}

/* Expands a block graph to scalar CSR arrays and allocates the values. */
static PetscErrorCode ExpandGraph(PetscInt dim, const Graph *graph, PetscInt **ia, PetscInt **ja, PetscScalar **values)
{
  const PetscInt64 nonzeros = (PetscInt64)graph->ptr[graph->n] * dim * dim;
  PetscInt         at       = 0;

  PetscFunctionBegin;
  PetscCheck(nonzeros <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The part of the matrix on a rank has %" PetscInt64_FMT " entries, PetscInt counts to %" PetscInt_FMT
             ": use more ranks, or PETSc with 64-bit indices",
             nonzeros, PETSC_MAX_INT);
  PetscCall(PetscMalloc1(graph->n * dim + 1, ia));
  PetscCall(PetscMalloc1(nonzeros, ja));
  PetscCall(PetscCalloc1(nonzeros, values));
  for (PetscInt r = 0; r < graph->n; r++)
    for (PetscInt i = 0; i < dim; i++) {
      (*ia)[r * dim + i] = at;
      for (PetscInt k = graph->ptr[r]; k < graph->ptr[r + 1]; k++)
        for (PetscInt j = 0; j < dim; j++) (*ja)[at++] = graph->cols[k] * dim + j;
    }
  (*ia)[graph->n * dim] = at;
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateMat(AbutAssembler as)
{
  const PetscInt n = as->num_owned * as->dim, N = as->layout->N * as->dim;
  PetscMPIInt    size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(as->comm, &size));
  PetscCall(ExpandGraph(as->dim, &as->diag, &as->ia[0], &as->ja[0], &as->values[0]));
  PetscCall(ExpandGraph(as->dim, &as->offd, &as->ia[1], &as->ja[1], &as->values[1]));
  if (size == 1) {
    PetscCall(MatCreateSeqAIJWithArrays(as->comm, n, n, as->ia[0], as->ja[0], as->values[0], &as->A));
  } else {
    PetscCall(MatCreateMPIAIJWithSplitArrays(as->comm, n, n, N, N, as->ia[0], as->ja[0], as->values[0], as->ia[1], as->ja[1], as->values[1],
                                             &as->A));
  }
  PetscCall(MatSetBlockSize(as->A, as->dim));
  PetscCall(MatSetOption(as->A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(as->A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatSetOption(as->A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscCall(MatSetOption(as->A, MAT_SPD_ETERNAL, PETSC_TRUE));
  PetscFunctionReturn(0);
}

/* Position of block (row, col) for AbutPatternBlock(); false if the pattern does not contain it. */
static inline PetscBool FindPosition(AbutAssembler as, PetscInt row, PetscInt col, PetscInt *position)
{
  const PetscInt first = as->first;
  PetscInt       k;

  if (!IsOwned(as, row)) {
    const Foreign *f  = &as->foreign;
    const PetscInt at = FindAscending(f->num, f->row, row);
    *position = k = at < 0 ? -1 : GraphFind(&f->graph, at, col);
  } else if (IsOwned(as, col)) {
    *position = k = GraphFind(&as->diag, row - first, col - first);
  } else {
    k         = GraphFind(&as->offd, row - first, col);
    *position = -1 - k;
  }
  return (PetscBool)(k >= 0);
}

Block AbutPatternFind(AbutAssembler as, PetscInt row, PetscInt col)
{
  PetscInt position;

  if (!FindPosition(as, row, col, &position)) return (Block){NULL, 0};
  return AbutPatternBlock(as, row, position);
}

PetscErrorCode AbutPatternPlaceFixed(AbutAssembler as)
{
  Fixed       *fixed = &as->fixed;
  const size_t most  = (size_t)(fixed->n * fixed->n);

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)fixed->count * most, &fixed->position));
  for (PetscInt s = 0; s < fixed->count; s++) {
    const PetscInt *v = FixedVertices(fixed, s), n = FixedSize(fixed, s);
    PetscInt       *position = fixed->position + (size_t)s * most;
    for (PetscInt a = 0; a < n; a++)
      for (PetscInt b = 0; b < n; b++) (void)FindPosition(as, v[a], v[b], position++);
  }
  PetscFunctionReturn(0);
}

/* Finds the addresses of the blocks to be received. */
static PetscErrorCode SetUpReceived(AbutAssembler as, const Pairs *received)
{
  Foreign *f = &as->foreign;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(received->count, &f->recv_block, (size_t)received->count * (size_t)(as->dim * as->dim), &f->recv_values));
  for (PetscInt k = 0; k < received->count; k++) f->recv_block[k] = AbutPatternFind(as, received->row[k], received->col[k]);
  PetscFunctionReturn(0);
}

static PetscErrorCode SetUpGhostColumns(AbutAssembler as)
{
  PetscFunctionBegin;
  as->num_ghost = as->offd.ptr[as->num_owned];
  PetscCall(PetscMalloc1(as->num_ghost, &as->ghost));
  PetscCall(PetscArraycpy(as->ghost, as->offd.cols, as->num_ghost));
  PetscCall(PetscSortRemoveDupsInt(&as->num_ghost, as->ghost));
  PetscCall(PetscSFCreate(as->comm, &as->ghost_sf));
  PetscCall(PetscSFSetGraphLayout(as->ghost_sf, as->layout, as->num_ghost, NULL, PETSC_COPY_VALUES, as->ghost));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPatternBuild(AbutAssembler as, PetscInt num_needed, const AbutStencilList needed[], const AbutStencilList *expected)
{
  Pairs mine, received;

  PetscFunctionBegin;
  PetscCall(PairsCollect(as, num_needed, needed, expected, &mine));
  PetscCall(AbutAssemblerForgetPattern(as));
  PetscCall(SetUpForeignGraph(as, &mine));
  PetscCall(SetUpExchange(as));
  PetscCall(ExchangePairs(as, &received));
  PetscCall(SetUpOwnedRows(as, &mine, &received));
  PetscCall(SetUpGhostColumns(as));
  PetscCall(CreateMat(as));
  PetscCall(SetUpReceived(as, &received));
  PetscCall(PetscFree2(mine.row, mine.col));
  PetscCall(PetscFree2(received.row, received.col));
  as->has_pattern = PETSC_TRUE;
  PetscFunctionReturn(0);
}

static PetscErrorCode ForeignDestroy(Foreign *f)
{
  PetscFunctionBegin;
  PetscCall(GraphDestroy(&f->graph));
  PetscCall(PetscFree(f->row));
  PetscCall(PetscFree(f->values));
  PetscCall(PetscFree2(f->recv_block, f->recv_values));
  PetscCall(AbutExchangeDestroy(&f->exchange));
  PetscFunctionReturn(0);
}

/* Whether all received pairs are in the pattern, on all ranks. Collective. */
static PetscErrorCode OwnersHave(AbutAssembler as, const Pairs *received, PetscBool *have)
{
  PetscBool mine = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt64 k = 0; k < received->count && mine; k++)
    if (!AbutPatternFind(as, received->row[k], received->col[k]).first) mine = PETSC_FALSE;
  PetscCallMPI(MPI_Allreduce(&mine, have, 1, AbutMPIBool, MPI_LAND, as->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPatternRenewForeign(AbutAssembler as, PetscInt num_needed, const AbutStencilList needed[], PetscBool *renewed)
{
  Foreign former;
  Pairs   mine, received;

  PetscFunctionBegin;
  PetscCall(PairsCollect(as, num_needed, needed, NULL, &mine));
  former      = as->foreign;
  as->foreign = (Foreign){0};
  PetscCall(SetUpForeignGraph(as, &mine));
  PetscCall(SetUpExchange(as));
  PetscCall(ExchangePairs(as, &received));
  PetscCall(OwnersHave(as, &received, renewed));
  if (*renewed) {
    PetscCall(ForeignDestroy(&former));
    PetscCall(PetscFree(as->fixed.position)); /* some are positions in the former rows of other ranks */
    PetscCall(SetUpReceived(as, &received));
  } else {
    PetscCall(ForeignDestroy(&as->foreign));
    as->foreign = former;
  }
  PetscCall(PetscFree2(mine.row, mine.col));
  PetscCall(PetscFree2(received.row, received.col));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutAssemblerForgetPattern(AbutAssembler as)
{
  PetscFunctionBegin;
  as->has_pattern = PETSC_FALSE;
  PetscCall(MatDestroy(&as->A));
  for (int part = 0; part < 2; part++) {
    PetscCall(PetscFree(as->ia[part]));
    PetscCall(PetscFree(as->ja[part]));
    PetscCall(PetscFree(as->values[part]));
  }
  PetscCall(GraphDestroy(&as->diag));
  PetscCall(GraphDestroy(&as->offd));
  PetscCall(ForeignDestroy(&as->foreign));
  PetscCall(PetscFree(as->fixed.position));
  PetscCall(PetscFree(as->ghost));
  PetscCall(PetscSFDestroy(&as->ghost_sf));
  PetscFunctionReturn(0);
}
