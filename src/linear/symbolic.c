/*
  Symbolic multifrontal factorisation: nested dissection, elimination tree, column counts, supernodes, rows of supernodes. It works on the
  vertex graph, which has dim^2 times fewer entries than the matrix.
*/
#include "fronts.h"
#include "linearimpl.h"
#include <abut/containers.h>

/* Temporary data of the symbolic factorisation. Columns are positions [0, n), rows are positions [0, n + num_border). */
typedef struct {
  PetscInt *ptr, *adj; /* vertex graph (CSR) of the vertices to eliminate, without the diagonal */
  PetscInt *parent;    /* [n] elimination tree: parent column, -1 = root */
  PetscInt *count;     /* [n] number of entries of each column of L below the diagonal */
  PetscInt *mark;      /* [n + num_border] last row or supernode that visited an entry */
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

/* Elimination order: nested dissection of the vertex graph without the border. */
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

/* Elimination tree by Liu's algorithm with path compression [Liu 1990]. Border vertices are not in the tree. */
static PetscErrorCode EliminationTree(const Fronts *f, Analysis *an)
{
  PetscInt *ancestor;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(f->n, &ancestor));
  for (PetscInt j = 0; j < f->n; j++) {
    const PetscInt v = f->order[j];
    an->parent[j] = ancestor[j] = -1;
    for (PetscInt k = an->ptr[v]; k < an->ptr[v + 1]; k++) {
      PetscInt i = f->position[an->adj[k]];
      while (i >= 0 && i < j) {
        const PetscInt next = ancestor[i];
        ancestor[i]         = j;
        if (next < 0) an->parent[i] = j;
        i = next;
      }
    }
  }
  PetscCall(PetscFree(ancestor));
  PetscFunctionReturn(0);
}

/* Renumbers the columns in postorder: every subtree becomes contiguous and ends with its root. */
static PetscErrorCode Postorder(Fronts *f, Analysis *an)
{
  PetscInt *child, *sibling, *stack, *post, *inverse, depth, count = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(f->n + 1, &child, f->n, &sibling, f->n, &stack, f->n, &post, f->n, &inverse));
  for (PetscInt j = 0; j <= f->n; j++) child[j] = -1;
  for (PetscInt j = f->n; j-- > 0;) { /* child[n] lists the roots */
    const PetscInt p = an->parent[j] < 0 ? f->n : an->parent[j];
    sibling[j]       = child[p];
    child[p]         = j;
  }
  for (PetscInt root = child[f->n]; root >= 0; root = sibling[root]) {
    stack[0] = root;
    for (depth = 1; depth > 0;) {
      const PetscInt j = stack[depth - 1], c = child[j];
      if (c >= 0) {
        child[j]       = sibling[c];
        stack[depth++] = c;
      } else {
        post[count++] = j;
        depth--;
      }
    }
  }
  for (PetscInt k = 0; k < f->n; k++) inverse[post[k]] = k;
  for (PetscInt k = 0; k < f->n; k++) stack[k] = an->parent[post[k]] < 0 ? -1 : inverse[an->parent[post[k]]];
  PetscCall(PetscArraycpy(an->parent, stack, f->n));
  for (PetscInt k = 0; k < f->n; k++) stack[k] = f->order[post[k]];
  PetscCall(PetscArraycpy(f->order, stack, f->n));
  PetscCall(PetscFree5(child, sibling, stack, post, inverse));
  SetPositions(f);
  PetscFunctionReturn(0);
}

/* Adds the entries of row i of L that entry (i, k) of A causes: one in each column on the path of the elimination tree from k to i. */
static void CountRow(Analysis *an, PetscInt k, PetscInt i)
{
  for (; k >= 0 && an->mark[k] != i; k = an->parent[k]) {
    an->count[k]++;
    an->mark[k] = i;
  }
}

static PetscErrorCode CountColumns(const Fronts *f, Analysis *an)
{
  PetscInt *border, *column;
  AbutCSR   adjacent = {0}; /* columns adjacent to each border vertex */

  PetscFunctionBegin;
  for (PetscInt j = 0; j < f->n; j++) {
    an->count[j] = 0;
    an->mark[j]  = -1;
  }
  for (PetscInt i = 0; i < f->n; i++) {
    const PetscInt v = f->order[i];
    an->mark[i]      = i;
    for (PetscInt k = an->ptr[v]; k < an->ptr[v + 1]; k++)
      if (f->position[an->adj[k]] < i) CountRow(an, f->position[an->adj[k]], i);
  }
  PetscCall(PetscMalloc2(an->ptr[f->n], &border, an->ptr[f->n], &column));
  for (PetscInt v = 0; v < f->n; v++)
    for (PetscInt k = an->ptr[v]; k < an->ptr[v + 1]; k++) {
      border[k] = an->adj[k] - f->n; /* negative, hence skipped, if adj[k] is not in the border */
      column[k] = f->position[v];
    }
  PetscCall(AbutCSRSetPairs(f->num_border, an->ptr[f->n], 1, border, column, &adjacent));
  for (PetscInt b = 0; b < f->num_border; b++)
    for (PetscInt k = adjacent.start[b]; k < adjacent.start[b + 1]; k++) CountRow(an, adjacent.item[k], f->n + b);
  PetscCall(AbutCSRDestroy(&adjacent));
  PetscCall(PetscFree2(border, column));
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
static PetscErrorCode FindSupernodes(Fronts *f, Analysis *an)
{
  PetscInt  num = 0, columns = 0, below = 0;
  PetscReal zeros = 0;

  PetscFunctionBegin;
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
  PetscFunctionReturn(0);
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

static size_t Square(PetscInt below, PetscInt bs)
{
  return (size_t)(below * bs) * (size_t)(below * bs);
}

/* Computes the sizes of L and of the stack and the number of operations. In postorder, all children are on top of the stack. */
static PetscErrorCode EstimateCost(Fronts *f)
{
  size_t *pending, stack = 0; /* [num] total size of the update matrices of the children */

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(f->num, &pending));
  f->panel[0] = 0;
  for (PetscInt s = 0; s < f->num; s++) {
    const PetscInt  below = f->start[s + 1] - f->start[s], columns = f->first[s + 1] - f->first[s];
    const PetscReal k = (PetscReal)(columns * f->bs), m = (PetscReal)(below * f->bs);
    f->panel[s + 1] = f->panel[s] + (size_t)(columns * f->bs) * (size_t)((columns + below) * f->bs);
    f->max_below    = PetscMax(f->max_below, below);
    f->flops += k * k * k / 3 + k * k * m + k * m * m;
    stack -= pending[s];
    if (f->parent[s] < 0) continue;
    pending[f->parent[s]] += Square(below, f->bs);
    stack += Square(below, f->bs);
    f->stack_size = PetscMax(f->stack_size, stack);
  }
  PetscCall(PetscFree(pending));
  PetscFunctionReturn(0);
}

PetscErrorCode FrontsCreate(PetscInt bs, PetscInt n, PetscInt num_border, const PetscInt row[], PetscInt num_parts, const FrontRows parts[],
                            Fronts **fronts)
{
  Fronts  *f;
  Analysis an;

  PetscFunctionBegin;
  PetscCall(PetscNew(&f));
  f->bs         = bs;
  f->n          = n;
  f->num_border = num_border;
  PetscCall(PetscMalloc4(n, &f->row, n, &f->order, n + num_border, &f->position, n + 1, &f->first));
  PetscCall(PetscMalloc4(n + 1, &f->start, n, &f->parent, n + 1, &f->panel, n + num_border, &f->front_row));
  PetscCall(PetscMalloc4(n, &an.parent, n, &an.count, n + num_border, &an.mark, n, &an.supernode));
  PetscCall(PetscArraycpy(f->row, row, n));
  PetscCall(BuildGraph(f, num_parts, parts, &an));
  PetscCall(OrderVertices(f, &an));
  SetPositions(f);
  PetscCall(EliminationTree(f, &an));
  PetscCall(Postorder(f, &an));
  PetscCall(CountColumns(f, &an));
  PetscCall(FindSupernodes(f, &an));
  PetscCall(FindRows(f, &an));
  PetscCall(EstimateCost(f));
  PetscCall(PetscFree2(an.ptr, an.adj));
  PetscCall(PetscFree4(an.parent, an.count, an.mark, an.supernode));
  *fronts = f;
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
  PetscCall(PetscFree4(f->values, f->stack, f->update, f->work));
  PetscCall(PetscFree(*fronts));
  PetscFunctionReturn(0);
}
