/*
  Symbolic multifrontal factorisation: elimination order, elimination tree, column counts, supernodes, rows of supernodes. It works on the
  vertex graph, which has dim^2 times fewer entries than the matrix.
*/
#include "cholmodimpl.h"
#include "fronts.h"
#include "precondimpl.h"
#include <abut/containers.h>

/* Temporary data of the symbolic factorisation. Columns are positions [0, n), rows are positions [0, n + num_border). */
typedef struct {
  PetscInt *ptr, *adj; /* vertex graph (CSR) of the vertices to eliminate, without the diagonal */
  PetscInt *parent;    /* [n] elimination tree: parent column, -1 = root */
  PetscInt *count;     /* [n] number of entries of each column of L below the diagonal */
  PetscInt *mark;      /* [n + num_border] last supernode that visited a row */
  PetscInt *supernode; /* [n] supernode of each column */
} Analysis;

static PetscErrorCode BuildGraph(Fronts *f, PetscInt num_parts, const FrontRows parts[], Analysis *an)
{
  PetscInt max = 0, count = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < f->n; v++)
    for (PetscInt p = 0; p < num_parts; p++) max += (parts[p].ia[f->row[v] * f->bs + 1] - parts[p].ia[f->row[v] * f->bs]) / f->bs;
  PetscCall(PetscMalloc2(f->n + 1, &an->ptr, max, &an->adj));
  for (PetscInt v = 0; v < f->n; v++) {
    an->ptr[v] = count;
    for (PetscInt p = 0; p < num_parts; p++) {
      const FrontRows *part = &parts[p];
      for (PetscInt k = part->ia[f->row[v] * f->bs]; k < part->ia[f->row[v] * f->bs + 1]; k += f->bs) {
        const PetscInt w = part->number[part->ja[k] / f->bs];
        if (w >= 0 && w != v) an->adj[count++] = w;
      }
    }
  }
  an->ptr[f->n] = count;
  PetscFunctionReturn(0);
}

/* Elimination order of the vertex graph without the border. */
static PetscErrorCode OrderVertices(Fronts *f, const Analysis *an)
{
  PetscInt *ptr, *adj, count = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(f->n + 1, &ptr, an->ptr[f->n], &adj));
  for (PetscInt v = 0; v < f->n; v++) {
    ptr[v] = count;
    for (PetscInt k = an->ptr[v]; k < an->ptr[v + 1]; k++)
      if (an->adj[k] < f->n) adj[count++] = an->adj[k];
  }
  ptr[f->n] = count;
  PetscCall(AbutOrderingDissect(f->n, ptr, adj, f->order));
  PetscCall(PetscFree2(ptr, adj));
  PetscFunctionReturn(0);
}

static void SetPositions(Fronts *f)
{
  for (PetscInt k = 0; k < f->n; k++) f->position[f->order[k]] = k;
  for (PetscInt k = 0; k < f->num_border; k++) f->position[f->n + k] = f->n + k;
}

/*
  Triangles of the matrix in elimination order, border last: the lists of `upper` are the rows above the diagonal of each column, the lists
  of `lower` the rows below.
*/
static PetscErrorCode BuildTriangles(const Fronts *f, const Analysis *an, AbutCSR *upper, AbutCSR *lower)
{
  PetscInt *row, *column, count = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(an->ptr[f->n], &row, an->ptr[f->n], &column));
  for (PetscInt v = 0; v < f->n; v++)
    for (PetscInt k = an->ptr[v]; k < an->ptr[v + 1]; k++)
      if (f->position[v] < f->position[an->adj[k]]) {
        row[count]      = f->position[v];
        column[count++] = f->position[an->adj[k]];
      }
  PetscCall(AbutCSRSetPairs(f->n + f->num_border, count, 1, column, row, upper));
  PetscCall(AbutCSRSetPairs(f->n + f->num_border, count, 1, row, column, lower));
  PetscCall(PetscFree2(row, column));
  PetscFunctionReturn(0);
}

static cholmod_sparse View(const AbutCSR *triangle, int stype)
{
  const size_t n = (size_t)triangle->num_rows, nonzeros = (size_t)triangle->start[n];

  return (cholmod_sparse){
    .nrow = n, .ncol = n, .nzmax = nonzeros, .p = triangle->start, .i = triangle->item, .stype = stype, .itype = INTEGERS, .packed = 1};
}

/*
  Elimination tree and column counts [Liu 1990; Gilbert, Ng and Peyton 1994] by CHOLMOD. Renumbers the columns in postorder: every subtree
  becomes contiguous and ends with its root. Border vertices are not in the tree.
*/
static PetscErrorCode BuildTree(Fronts *f, Analysis *an)
{
  const size_t   all = (size_t)(f->n + f->num_border), n = (size_t)f->n;
  AbutCSR        upper = {0}, lower = {0};
  Index         *parent, *count, *post, *rows, *first, *level;
  PetscBool      good;
  cholmod_common common;

  PetscFunctionBegin;
  if (n == 0) PetscFunctionReturn(0);
  PetscCall(BuildTriangles(f, an, &upper, &lower));
  cholmod_sparse above = View(&upper, 1), below = View(&lower, -1);
  PetscCall(PetscMalloc6(all, &parent, all, &count, all, &post, all, &rows, all, &first, all, &level));
  CHOLMOD(start)(&common);
  good =
    (PetscBool)(CHOLMOD(etree)(&above, parent, &common) && CHOLMOD(postorder)(parent, all, NULL, post, &common) == (SuiteSparse_long)all &&
                CHOLMOD(rowcolcounts)(&below, NULL, 0, parent, post, rows, count, first, level, &common));
  for (size_t j = 0; j < n; j++)
    if (parent[j] >= f->n) parent[j] = -1;
  good = (PetscBool)(good && CHOLMOD(postorder)(parent, n, NULL, post, &common) == (SuiteSparse_long)n);
  CHOLMOD(finish)(&common);
  PetscCheck(good, PETSC_COMM_SELF, PETSC_ERR_LIB, "CHOLMOD's elimination tree failed with status %d", common.status);
  for (size_t k = 0; k < n; k++) first[post[k]] = (Index)k;
  for (size_t k = 0; k < n; k++) {
    an->parent[k] = parent[post[k]] < 0 ? -1 : first[parent[post[k]]];
    an->count[k]  = count[post[k]] - 1;
    rows[k]       = f->order[post[k]];
  }
  PetscCall(PetscArraycpy(f->order, rows, n));
  SetPositions(f);
  PetscCall(PetscFree6(parent, count, post, rows, first, level));
  PetscCall(AbutCSRDestroy(&upper));
  PetscCall(AbutCSRDestroy(&lower));
  PetscFunctionReturn(0);
}

/*
  Relaxed amalgamation: whether a merged supernode may have this fraction of explicit zeros. The limit is larger for fewer columns, because
  dense kernels are slow on few columns.
*/
static PetscBool MayAmalgamate(PetscInt unknowns, PetscReal zeros)
{
  if (unknowns <= 12) return PETSC_TRUE;
  if (unknowns <= 24) return (PetscBool)(zeros < 0.6);
  if (unknowns <= 64) return (PetscBool)(zeros < 0.15);
  return (PetscBool)(zeros < 0.05);
}

/* Finds fundamental supernodes (consecutive columns with one pattern) and merges each with its last child if MayAmalgamate(). */
static void FindSupernodes(Fronts *f, Analysis *an)
{
  PetscInt  num = 0, columns = 0, below = 0;
  PetscReal zeros = 0;

  for (PetscInt end = f->n; end > 0;) { /* from the last column to the first; f->first is in reverse order at first */
    PetscInt  begin = end - 1, own_below;
    PetscReal more, total;
    while (begin > 0 && an->parent[begin - 1] == begin && an->count[begin - 1] == an->count[begin] + 1) begin--;
    own_below = an->count[end - 1];
    more      = (PetscReal)(end - begin) * (PetscReal)(columns + below - own_below);
    total     = (PetscReal)(columns + end - begin) * ((PetscReal)(columns + end - begin + 1) / 2 + (PetscReal)below);
    if (num > 0 && an->parent[end - 1] >= 0 && an->parent[end - 1] < end + columns &&
        MayAmalgamate((columns + end - begin) * f->bs, (zeros + more) / total)) {
      columns += end - begin;
      zeros += more;
      f->first[num - 1] = begin;
    } else {
      columns         = end - begin;
      below           = own_below;
      zeros           = 0;
      f->first[num++] = begin;
    }
    end = begin;
  }
  for (PetscInt s = 0; s < num / 2; s++) {
    const PetscInt swap   = f->first[s];
    f->first[s]           = f->first[num - 1 - s];
    f->first[num - 1 - s] = swap;
  }
  f->num        = num;
  f->first[num] = f->n;
  for (PetscInt s = 0; s < num; s++)
    for (PetscInt j = f->first[s]; j < f->first[s + 1]; j++) an->supernode[j] = s;
}

static inline void AddRow(Fronts *f, Analysis *an, PetscInt s, PetscInt row, PetscInt *count)
{
  if (row < f->first[s + 1] || an->mark[row] == s) return;
  an->mark[row]       = s;
  f->rows[(*count)++] = row;
}

/* Finds the rows of each supernode: the union of the rows of its columns in the matrix and the rows of its children. */
static PetscErrorCode FindRows(Fronts *f, Analysis *an)
{
  PetscInt max = 0, count = 0, *child, *sibling;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < f->num; s++) max += an->count[f->first[s + 1] - 1]; /* rows below the last column */
  PetscCall(PetscMalloc1(max, &f->rows));
  PetscCall(PetscMalloc2(f->num, &child, f->num, &sibling));
  for (PetscInt s = 0; s < f->num; s++) child[s] = -1;
  for (PetscInt k = 0; k < f->n + f->num_border; k++) an->mark[k] = -1;
  for (PetscInt s = 0; s < f->num; s++) {
    f->start[s] = count;
    for (PetscInt j = f->first[s]; j < f->first[s + 1]; j++)
      for (PetscInt k = an->ptr[f->order[j]]; k < an->ptr[f->order[j] + 1]; k++) AddRow(f, an, s, f->position[an->adj[k]], &count);
    for (PetscInt c = child[s]; c >= 0; c = sibling[c])
      for (PetscInt k = f->start[c]; k < f->start[c + 1]; k++) AddRow(f, an, s, f->rows[k], &count);
    PetscCheck(count <= max, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A supernode has more rows than its columns");
    PetscCall(PetscSortInt(count - f->start[s], f->rows + f->start[s]));
    f->start[s + 1] = count;
    f->parent[s]    = count > f->start[s] && f->rows[f->start[s]] < f->n ? an->supernode[f->rows[f->start[s]]] : -1;
    if (f->parent[s] >= 0) {
      sibling[s]          = child[f->parent[s]];
      child[f->parent[s]] = s;
    }
  }
  PetscCall(PetscFree2(child, sibling));
  PetscFunctionReturn(0);
}

/* Computes the size of L and the number of operations. */
static void EstimateCost(Fronts *f)
{
  f->panel[0] = 0;
  for (PetscInt s = 0; s < f->num; s++) {
    const PetscInt  below = f->start[s + 1] - f->start[s], columns = f->first[s + 1] - f->first[s];
    const PetscReal k = (PetscReal)(columns * f->bs), m = (PetscReal)(below * f->bs);
    f->panel[s + 1] = f->panel[s] + (size_t)(columns * f->bs) * (size_t)((columns + below) * f->bs);
    f->max_below    = PetscMax(f->max_below, below);
    f->flops += k * k * k / 3 + k * k * m + k * m * m;
  }
}

PetscErrorCode FrontsCreate(PetscInt bs, PetscInt n, PetscInt num_border, const PetscInt row[], PetscInt num_parts, const FrontRows parts[],
                            PetscBool dissect, Fronts **fronts)
{
  Fronts  *f;
  Analysis an;

  PetscFunctionBegin;
  PetscCall(PetscNew(&f));
  f->bs         = bs;
  f->n          = n;
  f->num_border = num_border;
  f->store      = &f->own;
  PetscCall(PetscMalloc4(n, &f->row, n, &f->order, n + num_border, &f->position, n + 1, &f->first));
  PetscCall(PetscMalloc4(n + 1, &f->start, n, &f->parent, n + 1, &f->panel, n + num_border, &f->front_row));
  PetscCall(PetscMalloc4(n, &an.parent, n, &an.count, n + num_border, &an.mark, n, &an.supernode));
  PetscCall(PetscArraycpy(f->row, row, n));
  PetscCall(BuildGraph(f, num_parts, parts, &an));
  for (PetscInt v = 0; v < n; v++) f->order[v] = v;
  if (dissect) PetscCall(OrderVertices(f, &an));
  SetPositions(f);
  PetscCall(BuildTree(f, &an));
  FindSupernodes(f, &an);
  PetscCall(FindRows(f, &an));
  EstimateCost(f);
  PetscCall(FrontsPlaceUpdates(f));
  PetscCall(PetscFree2(an.ptr, an.adj));
  PetscCall(PetscFree4(an.parent, an.count, an.mark, an.supernode));
  *fronts = f;
  PetscFunctionReturn(0);
}

PetscErrorCode FrontsRelease(Fronts *f)
{
  PetscFunctionBegin;
  if (!f) PetscFunctionReturn(0);
  PetscCall(PetscFree2(f->work, f->run));
  PetscCall(StoreDestroy(&f->own));
  f->values = NULL;
  for (PetscInt c = 0; c < f->num_chunks; c++) f->chunk[c] = NULL;
  PetscFunctionReturn(0);
}

PetscErrorCode FrontsDestroy(Fronts **fronts)
{
  Fronts *f = *fronts;

  PetscFunctionBegin;
  if (!f) PetscFunctionReturn(0);
  PetscCall(PetscFree4(f->row, f->order, f->position, f->first));
  PetscCall(PetscFree4(f->start, f->parent, f->panel, f->front_row));
  PetscCall(PetscFree(f->rows));
  PetscCall(FrontsRelease(f));
  PetscCall(PetscFree2(f->update, f->place));
  PetscCall(PetscFree(f->chunk_size));
  PetscCall(PetscFree(f->chunk));
  PetscCall(PetscFree(*fronts));
  PetscFunctionReturn(0);
}
