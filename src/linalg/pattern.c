/*
  The pattern of the matrix: which blocks exist on which rank, where each lives, and how blocks of foreign rows reach their owners.

  Values of a scalar AIJ matrix whose rows come in groups of dim with one common block pattern: block k of block row r (with m blocks in
  the row) starts at dim^2 ptr[r] + dim (k - ptr[r]), and its rows lie dim m apart. So a block graph is all the map that is needed.
*/
#include "linalgimpl.h"

/* Growing list of (global row, global column). Every stencil adds its own: far more than there are blocks, so that they count in 64 bits. */
typedef struct {
  PetscInt64 count;
  PetscInt  *row, *col;
} Pairs;

static void PairsAddStencil(Pairs *pairs, PetscInt n, const PetscInt v[])
{
  for (PetscInt a = 0; a < n; a++) {
    if (v[a] < 0) continue;
    for (PetscInt b = 0; b < n; b++) {
      if (v[b] < 0) continue;
      pairs->row[pairs->count]   = v[a];
      pairs->col[pairs->count++] = v[b];
    }
  }
}

static PetscBool IsOwned(AbutAssembler as, PetscInt global)
{
  return (PetscBool)(global >= as->first && global < as->first + as->num_owned);
}

/* Ascending distinct foreign rows among pairs. */
static PetscErrorCode FindForeignRows(AbutAssembler as, const Pairs *pairs, PetscInt *count, PetscInt **rows)
{
  PetscInt64 n    = 0;
  PetscInt   last = -1, *list;

  PetscFunctionBegin;
  for (PetscInt64 k = 0; k < pairs->count; k++) n += !IsOwned(as, pairs->row[k]);
  PetscCall(PetscMalloc1(n, &list));
  n = 0;
  for (PetscInt64 k = 0; k < pairs->count; k++) {
    if (IsOwned(as, pairs->row[k]) || pairs->row[k] == last) continue;
    last = list[n++] = pairs->row[k];
  }
  PetscCall(PetscIntCast(n, count));
  PetscCall(PetscSortRemoveDupsInt(count, list));
  *rows = list;
  PetscFunctionReturn(0);
}

/* Local number of a row: owned rows first, then the foreign ones. */
static PetscErrorCode LocalRow(AbutAssembler as, PetscInt global, PetscInt num_foreign, const PetscInt foreign[], PetscInt *local)
{
  PetscFunctionBegin;
  if (IsOwned(as, global)) {
    *local = global - as->first;
  } else {
    PetscCall(PetscFindInt(global, num_foreign, foreign, local));
    *local += as->num_owned;
  }
  PetscFunctionReturn(0);
}

/* The unique pairs of the fixed stencils, once: every later pattern starts from them. */
static PetscErrorCode CollectFixedPairs(AbutAssembler as)
{
  const PetscInt   n     = as->fixed_n;
  const PetscInt64 most  = (PetscInt64)as->fixed_count * n * n;
  Pairs            pairs = {0, NULL, NULL};
  PetscInt         num_foreign, *foreign;
  Graph            graph;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(most, &pairs.row, most, &pairs.col));
  for (PetscInt s = 0; s < as->fixed_count; s++) PairsAddStencil(&pairs, n, as->fixed_vertices + s * n);
  PetscCall(FindForeignRows(as, &pairs, &num_foreign, &foreign));
  for (PetscInt64 k = 0; k < pairs.count; k++) PetscCall(LocalRow(as, pairs.row[k], num_foreign, foreign, &pairs.row[k]));
  PetscCall(GraphCreate(as->num_owned + num_foreign, pairs.count, pairs.row, pairs.col, &graph));
  PetscCall(PetscFree2(pairs.row, pairs.col));
  as->num_fixed_pairs = graph.ptr[graph.n];
  PetscCall(PetscMalloc2(as->num_fixed_pairs, &as->fixed_row, as->num_fixed_pairs, &as->fixed_col));
  for (PetscInt r = 0; r < graph.n; r++)
    for (PetscInt k = graph.ptr[r]; k < graph.ptr[r + 1]; k++) {
      as->fixed_row[k] = r < as->num_owned ? as->first + r : foreign[r - as->num_owned];
      as->fixed_col[k] = graph.cols[k];
    }
  PetscCall(GraphDestroy(&graph));
  PetscCall(PetscFree(foreign));
  PetscFunctionReturn(0);
}

/* How many pairs the stencils of a list have. */
static PetscInt64 CountPairs(const AbutStencilList *list)
{
  PetscInt64 count = 0;

  for (PetscInt s = 0; s < list->count; s++) {
    const PetscInt *v, n = StencilVertices(list, s, &v);
    PetscInt64      used = 0;
    for (PetscInt a = 0; a < n; a++) used += v[a] >= 0;
    count += used * used;
  }
  return count;
}

static void PairsAddList(Pairs *pairs, const AbutStencilList *list)
{
  for (PetscInt s = 0; s < list->count; s++) {
    const PetscInt *v, n = StencilVertices(list, s, &v);
    PairsAddStencil(pairs, n, v);
  }
}

/* Every pair this rank contributes to. */
static PetscErrorCode CollectPairs(AbutAssembler as, PetscInt num_needed, const AbutStencilList needed[], const AbutStencilList *near,
                                   Pairs *pairs)
{
  PetscInt64 most = (PetscInt64)as->num_fixed_pairs + as->num_owned;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < num_needed; l++) most += CountPairs(&needed[l]);
  if (near) most += CountPairs(near);
  PetscCall(PetscMalloc2(most, &pairs->row, most, &pairs->col));
  pairs->count = as->num_fixed_pairs;
  PetscCall(PetscArraycpy(pairs->row, as->fixed_row, as->num_fixed_pairs));
  PetscCall(PetscArraycpy(pairs->col, as->fixed_col, as->num_fixed_pairs));
  for (PetscInt l = 0; l < num_needed; l++) PairsAddList(pairs, &needed[l]);
  if (near) PairsAddList(pairs, near);
  for (PetscInt r = 0; r < as->num_owned; r++) { /* a diagonal block in every row, that of an isolated vertex included */
    const PetscInt v = as->first + r;
    PairsAddStencil(pairs, 1, &v);
  }
  PetscFunctionReturn(0);
}

/* The graph of foreign rows, and the agreement on which ranks get how many of its blocks. */
static PetscErrorCode SetUpForeignRows(AbutAssembler as, const Pairs *pairs)
{
  Exchange  *ex = &as->exchange;
  PetscInt64 n  = 0;
  PetscInt  *row, *col;

  PetscFunctionBegin;
  PetscCall(FindForeignRows(as, pairs, &as->num_foreign, &as->foreign_row));
  PetscCall(PetscMalloc2(pairs->count, &row, pairs->count, &col));
  for (PetscInt64 k = 0; k < pairs->count; k++) {
    if (IsOwned(as, pairs->row[k])) continue;
    PetscCall(PetscFindInt(pairs->row[k], as->num_foreign, as->foreign_row, &row[n]));
    col[n++] = pairs->col[k];
  }
  PetscCall(GraphCreate(as->num_foreign, n, row, col, &as->foreign));
  PetscCall(PetscFree2(row, col));
  PetscCall(PetscMalloc1((size_t)as->foreign.ptr[as->num_foreign] * (size_t)(as->dim * as->dim), &as->foreign_values));

  PetscCall(PetscMalloc2(as->num_foreign, &ex->send_rank, as->num_foreign + 1, &ex->send_start));
  ex->num_send = 0;
  for (PetscInt r = 0; r < as->num_foreign; r++) {
    PetscMPIInt owner;
    PetscCall(PetscLayoutFindOwner(as->layout, as->foreign_row[r], &owner));
    if (ex->num_send && ex->send_rank[ex->num_send - 1] == owner) continue;
    ex->send_rank[ex->num_send]    = owner;
    ex->send_start[ex->num_send++] = as->foreign.ptr[r];
  }
  ex->send_start[ex->num_send] = as->foreign.ptr[as->num_foreign];
  PetscFunctionReturn(0);
}

/* Sends (row, col) of every foreign block to its owner; returns those received, in the order in which their values will come. */
static PetscErrorCode ExchangePairs(AbutAssembler as, Pairs *received)
{
  Exchange    *ex = &as->exchange;
  PetscInt    *counts, *from_counts, *outgoing, *incoming;
  PetscMPIInt *from, tag;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(ex->num_send, &counts, 2 * as->foreign.ptr[as->num_foreign], &outgoing));
  for (PetscMPIInt s = 0; s < ex->num_send; s++) counts[s] = ex->send_start[s + 1] - ex->send_start[s];
  for (PetscInt r = 0; r < as->num_foreign; r++)
    for (PetscInt k = as->foreign.ptr[r]; k < as->foreign.ptr[r + 1]; k++)
      outgoing[2 * k] = as->foreign_row[r], outgoing[2 * k + 1] = as->foreign.cols[k];
  PetscCall(PetscCommBuildTwoSided(as->comm, 1, MPIU_INT, ex->num_send, ex->send_rank, counts, &ex->num_recv, &from, &from_counts));
  PetscCall(PetscMalloc2(ex->num_recv, &ex->recv_rank, ex->num_recv + 1, &ex->recv_start));
  PetscCall(PetscArraycpy(ex->recv_rank, from, ex->num_recv));
  /* Senders answer in any order; sorted by rank, sums and so results do not depend on the order of arrival. */
  PetscCall(PetscSortMPIIntWithIntArray(ex->num_recv, ex->recv_rank, from_counts));
  ex->recv_start[0] = 0;
  for (PetscMPIInt s = 0; s < ex->num_recv; s++) ex->recv_start[s + 1] = ex->recv_start[s] + from_counts[s];
  PetscCall(PetscFree(from));
  PetscCall(PetscFree(from_counts));

  received->count = ex->recv_start[ex->num_recv];
  PetscCall(PetscMalloc1(2 * received->count, &incoming));
  PetscCall(PetscMalloc1(ex->num_send + ex->num_recv, &ex->requests));
  PetscCall(PetscCommGetNewTag(as->comm, &tag));
  for (PetscMPIInt s = 0; s < ex->num_recv; s++) {
    PetscMPIInt count;
    PetscCall(PetscMPIIntCast(2 * (ex->recv_start[s + 1] - ex->recv_start[s]), &count));
    PetscCallMPI(MPI_Irecv(incoming + 2 * ex->recv_start[s], count, MPIU_INT, ex->recv_rank[s], tag, as->comm, &ex->requests[s]));
  }
  for (PetscMPIInt s = 0; s < ex->num_send; s++) {
    PetscMPIInt count;
    PetscCall(PetscMPIIntCast(2 * counts[s], &count));
    PetscCallMPI(
      MPI_Isend(outgoing + 2 * ex->send_start[s], count, MPIU_INT, ex->send_rank[s], tag, as->comm, &ex->requests[ex->num_recv + s]));
  }
  PetscCallMPI(MPI_Waitall(ex->num_send + ex->num_recv, ex->requests, MPI_STATUSES_IGNORE));
  PetscCall(PetscMalloc2(received->count, &received->row, received->count, &received->col));
  for (PetscInt k = 0; k < received->count; k++) received->row[k] = incoming[2 * k], received->col[k] = incoming[2 * k + 1];
  PetscCall(PetscFree(incoming));
  PetscCall(PetscFree2(counts, outgoing));
  PetscFunctionReturn(0);
}

/* The graphs of the owned rows, columns owned here and elsewhere apart. */
static PetscErrorCode SetUpOwnedRows(AbutAssembler as, const Pairs *mine, const Pairs *received)
{
  const Pairs     *lists[2] = {mine, received};
  const PetscInt64 most     = mine->count + received->count;
  PetscInt64       n[2]     = {0, 0};
  PetscInt        *row[2], *col[2];

  PetscFunctionBegin;
  for (int part = 0; part < 2; part++) PetscCall(PetscMalloc2(most, &row[part], most, &col[part]));
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

/* Scalar CSR of a block graph. */
static PetscErrorCode ExpandGraph(PetscInt dim, const Graph *graph, PetscInt **ia, PetscInt **ja, PetscScalar **values)
{
  const PetscInt64 nonzeros = (PetscInt64)graph->ptr[graph->n] * dim * dim;
  PetscInt         at       = 0;

  PetscFunctionBegin;
  PetscCheck(nonzeros <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A rank's share of the matrix has %" PetscInt64_FMT " entries, PETSc's integers end at %" PetscInt_FMT
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

static Block BlockInGraph(PetscInt dim, const Graph *graph, PetscInt row, PetscInt position, PetscScalar values[])
{
  const PetscInt begin = graph->ptr[row];
  return (Block){values + dim * (dim * begin + position - begin), dim * (graph->ptr[row + 1] - begin)};
}

Block AbutPatternFind(AbutAssembler as, PetscInt row, PetscInt col)
{
  if (IsOwned(as, row)) {
    const int      part  = IsOwned(as, col) ? 0 : 1;
    const Graph   *graph = part ? &as->offd : &as->diag;
    const PetscInt k     = GraphFind(graph, row - as->first, part ? col : col - as->first);
    return k < 0 ? (Block){NULL, 0} : BlockInGraph(as->dim, graph, row - as->first, k, as->values[part]);
  } else {
    PetscInt lo = 0, hi = as->num_foreign, k;
    while (lo < hi) {
      const PetscInt mid = lo + (hi - lo) / 2;
      if (as->foreign_row[mid] < row)
        lo = mid + 1;
      else
        hi = mid;
    }
    if (lo == as->num_foreign || as->foreign_row[lo] != row) return (Block){NULL, 0};
    k = GraphFind(&as->foreign, lo, col);
    return k < 0 ? (Block){NULL, 0} : (Block){as->foreign_values + (size_t)k * (size_t)(as->dim * as->dim), as->dim};
  }
}

/* Blocks of every fixed stencil and of everything that will be received, looked up once. */
static PetscErrorCode SetUpMaps(AbutAssembler as, const Pairs *received)
{
  const PetscInt n = as->fixed_n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)as->fixed_count * (size_t)(n * n), &as->fixed_block));
  for (PetscInt s = 0; s < as->fixed_count; s++) {
    const PetscInt *v     = as->fixed_vertices + (size_t)s * (size_t)n;
    Block          *block = as->fixed_block + (size_t)s * (size_t)(n * n);
    for (PetscInt a = 0; a < n; a++)
      for (PetscInt b = 0; b < n; b++) *block++ = AbutPatternFind(as, v[a], v[b]);
  }
  PetscCall(PetscMalloc2(received->count, &as->exchange.recv_block, (size_t)received->count * (size_t)(as->dim * as->dim),
                         &as->exchange.recv_values));
  for (PetscInt k = 0; k < received->count; k++) as->exchange.recv_block[k] = AbutPatternFind(as, received->row[k], received->col[k]);
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

PetscErrorCode AbutPatternBuild(AbutAssembler as, PetscInt num_needed, const AbutStencilList needed[], const AbutStencilList *near)
{
  Pairs mine, received;

  PetscFunctionBegin;
  PetscCall(AbutPatternDestroy(as));
  if (!as->fixed_row) PetscCall(CollectFixedPairs(as));
  PetscCall(CollectPairs(as, num_needed, needed, near, &mine));
  PetscCall(SetUpForeignRows(as, &mine));
  PetscCall(ExchangePairs(as, &received));
  PetscCall(SetUpOwnedRows(as, &mine, &received));
  PetscCall(SetUpGhostColumns(as));
  PetscCall(CreateMat(as));
  PetscCall(SetUpMaps(as, &received));
  PetscCall(PetscFree2(mine.row, mine.col));
  PetscCall(PetscFree2(received.row, received.col));
  as->has_pattern = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPatternDestroy(AbutAssembler as)
{
  Exchange *ex = &as->exchange;

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
  PetscCall(GraphDestroy(&as->foreign));
  PetscCall(PetscFree(as->foreign_row));
  PetscCall(PetscFree(as->foreign_values));
  PetscCall(PetscFree2(ex->send_rank, ex->send_start));
  PetscCall(PetscFree2(ex->recv_rank, ex->recv_start));
  PetscCall(PetscFree2(ex->recv_block, ex->recv_values));
  PetscCall(PetscFree(ex->requests));
  PetscCall(PetscFree(as->fixed_block));
  PetscCall(PetscFree(as->ghost));
  PetscCall(PetscSFDestroy(&as->ghost_sf));
  PetscFunctionReturn(0);
}
