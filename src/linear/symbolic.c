/*
  The symbolic half of the factorisation by fronts: nested dissection, elimination tree, supernodes, their rows. All of it on the graph of
  vertices, which is dim^2 times smaller than the matrix.
*/
#include "fronts.h"
#include "linearimpl.h"

/* What is needed only while analysing; columns are places, rows places or border. */
typedef struct {
  PetscInt *ptr, *adj; /* neighbours of every vertex to eliminate, by number, without itself */
  PetscInt *parent;    /* [n] elimination tree */
  PetscInt *count;     /* [n] entries below the diagonal of L */
  PetscInt *mark;      /* [n + num_border] */
  PetscInt *of;        /* [n] supernode of a column */
} Analysis;

static PetscErrorCode BuildGraph(Fronts *f, PetscInt num_parts, const FrontRows parts[], Analysis *an)
{
  PetscInt most = 0, count = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < f->n; v++)
    for (PetscInt p = 0; p < num_parts; p++) most += (parts[p].ia[f->row[v] * f->bs + 1] - parts[p].ia[f->row[v] * f->bs]) / f->bs;
  PetscCall(PetscMalloc2(f->n + 1, &an->ptr, most, &an->adj));
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

/* Order of elimination: nested dissection of the graph without the border. */
static PetscErrorCode Order(Fronts *f, const Analysis *an)
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

static void Places(Fronts *f)
{
  for (PetscInt k = 0; k < f->n; k++) f->place[f->order[k]] = k;
  for (PetscInt k = 0; k < f->num_border; k++) f->place[f->n + k] = f->n + k;
}

/* Liu's algorithm with compressed paths; the border is in no tree. */
static PetscErrorCode EliminationTree(const Fronts *f, Analysis *an)
{
  PetscInt *ancestor;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(f->n, &ancestor));
  for (PetscInt j = 0; j < f->n; j++) {
    const PetscInt v = f->order[j];
    an->parent[j] = ancestor[j] = -1;
    for (PetscInt k = an->ptr[v]; k < an->ptr[v + 1]; k++) {
      PetscInt i = f->place[an->adj[k]];
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

/* Numbers the tree anew so that every subtree is contiguous and ends with its root. */
static PetscErrorCode Postorder(Fronts *f, Analysis *an)
{
  PetscInt *child, *sibling, *stack, *post, *inverse, depth, count = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(f->n + 1, &child, f->n, &sibling, f->n, &stack, f->n, &post, f->n, &inverse));
  for (PetscInt j = 0; j <= f->n; j++) child[j] = -1;
  for (PetscInt j = f->n; j-- > 0;) { /* child[n]: the roots */
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
  Places(f);
  PetscFunctionReturn(0);
}

/* Row i of L has an entry in every column from k up the tree to i. */
static void CountUp(Analysis *an, PetscInt k, PetscInt i)
{
  for (; k >= 0 && an->mark[k] != i; k = an->parent[k]) {
    an->count[k]++;
    an->mark[k] = i;
  }
}

static PetscErrorCode CountColumns(const Fronts *f, Analysis *an)
{
  PetscInt *ptr, *columns;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(f->num_border + 1, &ptr, an->ptr[f->n], &columns));
  for (PetscInt j = 0; j < f->n; j++) {
    an->count[j] = 0;
    an->mark[j]  = -1;
  }
  for (PetscInt i = 0; i < f->n; i++) {
    const PetscInt v = f->order[i];
    an->mark[i]      = i;
    for (PetscInt k = an->ptr[v]; k < an->ptr[v + 1]; k++)
      if (f->place[an->adj[k]] < i) CountUp(an, f->place[an->adj[k]], i);
  }
  /* columns next to each vertex of the border */
  for (PetscInt k = 0; k < an->ptr[f->n]; k++)
    if (an->adj[k] >= f->n) ptr[an->adj[k] - f->n + 1]++;
  for (PetscInt b = 0; b < f->num_border; b++) ptr[b + 1] += ptr[b];
  for (PetscInt v = 0; v < f->n; v++)
    for (PetscInt k = an->ptr[v]; k < an->ptr[v + 1]; k++)
      if (an->adj[k] >= f->n) columns[ptr[an->adj[k] - f->n]++] = f->place[v];
  for (PetscInt b = 0, k = 0; b < f->num_border; b++)
    for (; k < ptr[b]; k++) CountUp(an, columns[k], f->n + b);
  PetscCall(PetscFree2(ptr, columns));
  PetscFunctionReturn(0);
}

/* Is a supernode of so many unknowns worth so large a share of zeros? Dense operations on few columns are slow. */
static PetscBool WorthMerging(PetscInt unknowns, PetscReal zeros)
{
  if (unknowns <= 12) return PETSC_TRUE;
  if (unknowns <= 24) return (PetscBool)(zeros < 0.6);
  if (unknowns <= 64) return (PetscBool)(zeros < 0.15);
  return (PetscBool)(zeros < 0.05);
}

/* Columns that follow each other with one pattern, merged from the right with the last child while few zeros come in. */
static PetscErrorCode FindSupernodes(Fronts *f, Analysis *an)
{
  PetscInt  num = 0, columns = 0, below = 0;
  PetscReal zeros = 0;

  PetscFunctionBegin;
  for (PetscInt end = f->n; end > 0;) { /* f->first is filled backwards */
    PetscInt  begin = end - 1, own_below;
    PetscReal more, total;
    while (begin > 0 && an->parent[begin - 1] == begin && an->count[begin - 1] == an->count[begin] + 1) begin--;
    own_below = an->count[end - 1];
    more      = (PetscReal)(end - begin) * (PetscReal)(columns + below - own_below);
    total     = (PetscReal)(columns + end - begin) * ((PetscReal)(columns + end - begin + 1) / 2 + (PetscReal)below);
    if (num > 0 && an->parent[end - 1] >= 0 && an->parent[end - 1] < end + columns &&
        WorthMerging((columns + end - begin) * f->bs, (zeros + more) / total)) {
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
    for (PetscInt j = f->first[s]; j < f->first[s + 1]; j++) an->of[j] = s;
  PetscFunctionReturn(0);
}

static inline void AddRow(Fronts *f, Analysis *an, PetscInt s, PetscInt row, PetscInt *count)
{
  if (row < f->first[s + 1] || an->mark[row] == s) return;
  an->mark[row]       = s;
  f->rows[(*count)++] = row;
}

/* Rows of each supernode: those of its columns in the matrix and those of its children. */
static PetscErrorCode FindRows(Fronts *f, Analysis *an)
{
  PetscInt most = 0, count = 0, *child, *sibling;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < f->num; s++) most += an->count[f->first[s + 1] - 1]; /* merging adds no rows to those of the last column */
  PetscCall(PetscMalloc1(most, &f->rows));
  PetscCall(PetscMalloc2(f->num, &child, f->num, &sibling));
  for (PetscInt s = 0; s < f->num; s++) child[s] = -1;
  for (PetscInt k = 0; k < f->n + f->num_border; k++) an->mark[k] = -1;
  for (PetscInt s = 0; s < f->num; s++) {
    f->start[s] = count;
    for (PetscInt j = f->first[s]; j < f->first[s + 1]; j++)
      for (PetscInt k = an->ptr[f->order[j]]; k < an->ptr[f->order[j] + 1]; k++) AddRow(f, an, s, f->place[an->adj[k]], &count);
    for (PetscInt c = child[s]; c >= 0; c = sibling[c])
      for (PetscInt k = f->start[c]; k < f->start[c + 1]; k++) AddRow(f, an, s, f->rows[k], &count);
    PetscCheck(count <= most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A supernode has more rows than its columns");
    PetscCall(PetscSortInt(count - f->start[s], f->rows + f->start[s]));
    f->start[s + 1] = count;
    f->parent[s]    = count > f->start[s] && f->rows[f->start[s]] < f->n ? an->of[f->rows[f->start[s]]] : -1;
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

/* Memory and operations. A supernode's children are right before it on the stack. */
static PetscErrorCode Measure(Fronts *f)
{
  size_t *waiting, stack = 0; /* updates of children of each supernode */

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(f->num, &waiting));
  f->panel[0] = 0;
  for (PetscInt s = 0; s < f->num; s++) {
    const PetscInt  below = f->start[s + 1] - f->start[s], columns = f->first[s + 1] - f->first[s];
    const PetscReal k = (PetscReal)(columns * f->bs), m = (PetscReal)(below * f->bs);
    f->panel[s + 1] = f->panel[s] + (size_t)(columns * f->bs) * (size_t)((columns + below) * f->bs);
    f->most_below   = PetscMax(f->most_below, below);
    f->flops += k * k * k / 3 + k * k * m + k * m * m;
    stack -= waiting[s];
    if (f->parent[s] < 0) continue;
    waiting[f->parent[s]] += Square(below, f->bs);
    stack += Square(below, f->bs);
    f->stack_size = PetscMax(f->stack_size, stack);
  }
  PetscCall(PetscFree(waiting));
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
  PetscCall(PetscMalloc4(n, &f->row, n, &f->order, n + num_border, &f->place, n + 1, &f->first));
  PetscCall(PetscMalloc4(n + 1, &f->start, n, &f->parent, n + 1, &f->panel, n + num_border, &f->where));
  PetscCall(PetscMalloc4(n, &an.parent, n, &an.count, n + num_border, &an.mark, n, &an.of));
  PetscCall(PetscArraycpy(f->row, row, n));
  PetscCall(BuildGraph(f, num_parts, parts, &an));
  PetscCall(Order(f, &an));
  Places(f);
  PetscCall(EliminationTree(f, &an));
  PetscCall(Postorder(f, &an));
  PetscCall(CountColumns(f, &an));
  PetscCall(FindSupernodes(f, &an));
  PetscCall(FindRows(f, &an));
  PetscCall(Measure(f));
  PetscCall(PetscFree2(an.ptr, an.adj));
  PetscCall(PetscFree4(an.parent, an.count, an.mark, an.of));
  *fronts = f;
  PetscFunctionReturn(0);
}

PetscErrorCode FrontsDestroy(Fronts **fronts)
{
  Fronts *f = *fronts;

  PetscFunctionBegin;
  if (!f) PetscFunctionReturn(0);
  PetscCall(PetscFree4(f->row, f->order, f->place, f->first));
  PetscCall(PetscFree4(f->start, f->parent, f->panel, f->where));
  PetscCall(PetscFree(f->rows));
  PetscCall(PetscFree(f->values));
  PetscCall(PetscFree(f->stack));
  PetscCall(PetscFree(f->update));
  PetscCall(PetscFree(f->work));
  PetscCall(PetscFree(*fronts));
  PetscFunctionReturn(0);
}
