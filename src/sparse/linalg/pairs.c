/* Pairs of block row and block column to which the stencils of a rank contribute. */
#include "linalgimpl.h"

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

PetscErrorCode PairsForeignRows(AbutAssembler as, const Pairs *pairs, PetscInt *count, PetscInt **rows)
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

/* Local index of a row: owned rows first, then rows of other ranks. */
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

/* Collects the distinct pairs of the fixed stencils. Computed once, because every pattern contains them. */
static PetscErrorCode CollectFixedPairs(AbutAssembler as)
{
  Fixed           *fixed = &as->fixed;
  const PetscInt   n     = fixed->n;
  const PetscInt64 max   = (PetscInt64)fixed->count * n * n;
  Pairs            pairs = {0, NULL, NULL};
  PetscInt         num_foreign, *foreign;
  Graph            graph;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(max, &pairs.row, max, &pairs.col));
  for (PetscInt s = 0; s < fixed->count; s++) PairsAddStencil(&pairs, n, fixed->vertices + s * n);
  PetscCall(PairsForeignRows(as, &pairs, &num_foreign, &foreign));
  for (PetscInt64 k = 0; k < pairs.count; k++) PetscCall(LocalRow(as, pairs.row[k], num_foreign, foreign, &pairs.row[k]));
  PetscCall(GraphCreate(as->num_owned + num_foreign, pairs.count, pairs.row, pairs.col, &graph));
  PetscCall(PetscFree2(pairs.row, pairs.col));
  fixed->num_pairs = graph.ptr[graph.n];
  PetscCall(PetscMalloc2(fixed->num_pairs, &fixed->row, fixed->num_pairs, &fixed->col));
  for (PetscInt r = 0; r < graph.n; r++)
    for (PetscInt k = graph.ptr[r]; k < graph.ptr[r + 1]; k++) {
      fixed->row[k] = r < as->num_owned ? as->first + r : foreign[r - as->num_owned];
      fixed->col[k] = graph.cols[k];
    }
  PetscCall(GraphDestroy(&graph));
  PetscCall(PetscFree(foreign));
  PetscFunctionReturn(0);
}

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

static void PairsAddGraph(Pairs *pairs, const Graph *graph, PetscInt first_row, const PetscInt row[], PetscInt first_col)
{
  for (PetscInt r = 0; r < graph->n; r++)
    for (PetscInt k = graph->ptr[r]; k < graph->ptr[r + 1]; k++) {
      pairs->row[pairs->count]   = row ? row[r] : first_row + r;
      pairs->col[pairs->count++] = first_col + graph->cols[k];
    }
}

/* Adds the pairs of the present pattern. */
static void PairsAddPresent(AbutAssembler as, Pairs *pairs)
{
  PairsAddGraph(pairs, &as->diag, as->first, NULL, as->first);
  PairsAddGraph(pairs, &as->offd, as->first, NULL, 0);
  PairsAddGraph(pairs, &as->foreign.graph, 0, as->foreign.row, 0);
}

/* Adds the pairs of the fixed stencils and, also for vertices without stencils, the diagonal blocks. */
static PetscErrorCode PairsAddFixed(AbutAssembler as, Pairs *pairs)
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(pairs->row, as->fixed.row, as->fixed.num_pairs));
  PetscCall(PetscArraycpy(pairs->col, as->fixed.col, as->fixed.num_pairs));
  pairs->count = as->fixed.num_pairs;
  for (PetscInt r = 0; r < as->num_owned; r++) {
    const PetscInt v = as->first + r;
    PairsAddStencil(pairs, 1, &v);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode PairsCollect(AbutAssembler as, PetscInt num_needed, const AbutStencilList needed[], const AbutStencilList *expected,
                            Pairs *pairs)
{
  const PetscBool keep = (PetscBool)(as->rows && as->has_pattern);
  PetscInt64      max;

  PetscFunctionBegin;
  if (!as->fixed.row) PetscCall(CollectFixedPairs(as));
  max = keep ? PatternBlocks(as) + as->foreign.graph.ptr[as->foreign.num] : (PetscInt64)as->fixed.num_pairs + as->num_owned;
  for (PetscInt l = 0; l < num_needed; l++) max += CountPairs(&needed[l]);
  if (expected) max += CountPairs(expected);
  PetscCall(PetscMalloc2(max, &pairs->row, max, &pairs->col));
  pairs->count = 0;
  if (keep)
    PairsAddPresent(as, pairs);
  else
    PetscCall(PairsAddFixed(as, pairs));
  for (PetscInt l = 0; l < num_needed; l++) PairsAddList(pairs, &needed[l]);
  if (expected) PairsAddList(pairs, expected);
  PetscFunctionReturn(0);
}
