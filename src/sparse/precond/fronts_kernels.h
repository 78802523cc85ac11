/*
  Numerical multifrontal factorisation and triangular solutions, for one type of numbers. A front consists of its columns of L, a dense
  matrix, and of its update matrix, the lower triangle of which is stored in block columns (fronts.h).
  A file that includes this one includes real_double.h or real_single.h before.
*/
#include "fronts.h"
#include "triangular_kernels.h"

static PetscErrorCode Allocate(Fronts *f)
{
  const size_t factor = (f->panel[f->num] + 1) * sizeof(Real);
  size_t       bytes  = StoreBytes(factor);

  PetscFunctionBegin;
  if (f->values) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2((size_t)(f->n + f->num_border) * (size_t)f->bs * sizeof(Real), &f->work, f->max_below, &f->run));
  for (PetscInt c = 0; c < f->num_chunks; c++) bytes += StoreBytes((size_t)f->chunk_size[c] * sizeof(Real));
  PetscCall(StoreReserve(f->store, bytes));
  PetscCall(StoreTake(f->store, factor, &f->values));
  for (PetscInt c = 0; c < f->num_chunks; c++) PetscCall(StoreTake(f->store, (size_t)f->chunk_size[c] * sizeof(Real), &f->chunk[c]));
  PetscFunctionReturn(0);
}

/* First column of a vertex in the update matrix of a supernode; its entry 0 is the first row of vertex `begin`. ld: leading dimension. */
static inline Real *UpdateColumn(const Fronts *f, PetscInt s, PetscInt vertex, PetscInt *begin, size_t *ld)
{
  const PetscInt     below = f->start[s + 1] - f->start[s], b = vertex / FrontsWidth(below);
  const FrontsPlace *place = &f->place[f->update[s] + b];

  *begin = b * FrontsWidth(below);
  *ld    = (size_t)((below - *begin) * f->bs);
  return (Real *)f->chunk[place->chunk] + place->offset + (size_t)((vertex - *begin) * f->bs) * *ld;
}

/* Calls a function whose first argument, the block size, is a compile-time constant in 3D. */
#define BY_BLOCK_SIZE(bs, function, ...) ((bs) == 3 ? function(3, __VA_ARGS__) : function(bs, __VA_ARGS__))

INLINE void AddEntries(PetscInt bs, const Fronts *f, PetscInt s, PetscInt ld, const FrontRows *part, Real panel[])
{
  for (PetscInt j = f->first[s]; j < f->first[s + 1]; j++) {
    const PetscInt row = f->row[f->order[j]] * bs, stride = part->ia[row + 1] - part->ia[row];
    Real          *column = panel + (size_t)((j - f->first[s]) * bs) * (size_t)ld;
    for (PetscInt k = part->ia[row]; k < part->ia[row + 1]; k += bs) {
      const PetscInt w = part->number[part->ja[k] / bs];
      Real          *to;
      if (w < 0 || f->position[w] < j) continue;
      to = column + f->front_row[f->position[w]] * bs;
      for (PetscInt i = 0; i < bs; i++) /* the matrix is symmetric: its row i is column i of the lower triangle */
        for (PetscInt l = 0; l < bs; l++) to[(size_t)i * (size_t)ld + (size_t)l] = (Real)part->values[k + i * stride + l];
    }
  }
}

/* Assembles the entries of the matrix into the columns of a supernode. */
static void AddMatrix(const Fronts *f, PetscInt s, PetscInt ld, PetscInt num_parts, const FrontRows parts[], Real panel[])
{
  for (PetscInt p = 0; p < num_parts; p++) BY_BLOCK_SIZE(f->bs, AddEntries, f, s, ld, &parts[p], panel);
}

/* Finds runs of rows >= begin of a child that are consecutive in the front, too: run[r] is the end (exclusive) of the run with row r. */
static void FindRuns(const Fronts *f, PetscInt child, PetscInt begin)
{
  const PetscInt *rows = f->rows + f->start[child], below = f->start[child + 1] - f->start[child];

  for (PetscInt r = below; r-- > begin;)
    f->run[r] = r + 1 < below && f->front_row[rows[r + 1]] == f->front_row[rows[r]] + 1 ? f->run[r + 1] : r + 1;
}

/*
  Extend-add: adds columns [begin, end) of the update matrix of a child to columns of the front. to: these columns, with leading dimension
  ld; column and row 0 of `to` are block row `origin` of the front. Only the lower triangle.
*/
static void ExtendAdd(const Fronts *f, PetscInt child, PetscInt begin, PetscInt end, PetscInt origin, PetscInt ld, Real to[])
{
  const PetscInt *rows = f->rows + f->start[child], below = f->start[child + 1] - f->start[child], bs = f->bs;

  if (begin < end) FindRuns(f, child, begin);
  for (PetscInt v = begin; v < end; v++) {
    PetscInt    top; /* row of the first entry of the source */
    size_t      from_ld;
    const Real *from = UpdateColumn(f, child, v, &top, &from_ld);
    for (PetscInt i = 0; i < bs; i++, from += from_ld) {
      Real *target = to + (size_t)((f->front_row[rows[v]] - origin) * bs + i) * (size_t)ld;
      for (PetscInt r = v; r < below; r = f->run[r]) {
        const Real *restrict add = from + (r - top) * bs;
        Real *restrict sum       = target + (f->front_row[rows[r]] - origin) * bs;
        for (PetscInt l = r == v ? i : 0; l < (f->run[r] - r) * bs; l++) sum[l] += add[l];
      }
    }
  }
}

/* Number of rows of a child that come before block row `limit` of the front; in the child they come first. */
static PetscInt CountRows(const Fronts *f, PetscInt child, PetscInt limit)
{
  const PetscInt *rows  = f->rows + f->start[child];
  PetscInt        begin = 0, end = f->start[child + 1] - f->start[child];

  while (begin < end) {
    const PetscInt middle = (begin + end) / 2;
    if (f->front_row[rows[middle]] < limit)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* Turns the first columns of a front into columns of L; failed: the column whose pivot is not positive, or -1. */
static PetscErrorCode Eliminate(PetscInt columns, PetscInt below, Real panel[], PetscInt *failed)
{
  PetscBLASInt k, m, ld, info;
  Real         one = 1;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(columns, &k));
  PetscCall(PetscBLASIntCast(below, &m));
  PetscCall(PetscBLASIntCast(columns + below, &ld));
  PetscCallBLAS("potrf", POTRF("L", &k, panel, &ld, &info));
  *failed = (PetscInt)info - 1;
  if (info == 0 && m > 0) PetscCallBLAS("trsm", TRSM("R", "L", "T", "N", &m, &k, &one, panel, &ld, panel + k, &ld));
  PetscFunctionReturn(0);
}

/* A block column of the update matrix of a front, m rows and n columns: -B B_1^T, where B_1 are the first n of the m rows of B. */
static PetscErrorCode MultiplyBlock(PetscBLASInt m, PetscBLASInt n, PetscBLASInt k, PetscBLASInt ld, const Real B[], Real block[])
{
  const PetscBLASInt rest  = m - n;
  const Real         minus = -1, zero = 0;

  PetscFunctionBegin;
  PetscCallBLAS("syrk", SYRK("L", "N", &n, &k, &minus, B, &ld, &zero, block, &m));
  if (rest > 0) PetscCallBLAS("gemm", GEMM("N", "T", &rest, &n, &k, &minus, B + n, &ld, B, &ld, &zero, block + n, &m));
  PetscFunctionReturn(0);
}

/* Adds columns [begin, end) of the update matrix of a root of the tree to the Schur complement. All its rows are border rows. */
static void AddToBorder(const Fronts *f, PetscInt s, PetscInt begin, PetscInt end, void *const schur[])
{
  const PetscInt *rows = f->rows + f->start[s], below = f->start[s + 1] - f->start[s], bs = f->bs, width = FrontsWidth(f->num_border);

  for (PetscInt v = begin; v < end; v++) {
    const PetscInt column = rows[v] - f->n, top = column / width * width;
    const size_t   ld = (size_t)((f->num_border - top) * bs);
    Real          *to = (Real *)schur[column / width] + (size_t)((column - top) * bs) * ld;
    PetscInt       from_top;
    size_t         from_ld;
    const Real    *from = UpdateColumn(f, s, v, &from_top, &from_ld);
    for (PetscInt i = 0; i < bs; i++, to += ld, from += from_ld)
      for (PetscInt r = v; r < below; r++)
        for (PetscInt l = r == v ? i : 0; l < bs; l++) to[(rows[r] - f->n - top) * bs + l] += from[(r - from_top) * bs + l];
  }
}

/* Computes the update matrix of a front block by block. Blocks of a root share memory: each is added to the Schur complement at once. */
static PetscErrorCode UpdateFront(const Fronts *f, PetscInt s, PetscInt num_children, const PetscInt children[], void *const schur[])
{
  const PetscInt bs = f->bs, columns = f->first[s + 1] - f->first[s], below = f->start[s + 1] - f->start[s];
  const PetscInt width = FrontsWidth(below);
  const Real    *panel = (const Real *)f->values + f->panel[s];

  PetscFunctionBegin;
  for (PetscInt begin = 0; begin < below; begin += width) {
    const PetscInt end = PetscMin(begin + width, below), m = (below - begin) * bs, k = columns * bs;
    PetscInt       top;
    size_t         ld;
    Real          *block = UpdateColumn(f, s, begin, &top, &ld);
    PetscCall(MultiplyBlock((PetscBLASInt)m, (PetscBLASInt)((end - begin) * bs), (PetscBLASInt)k, (PetscBLASInt)(k + below * bs),
                            panel + k + begin * bs, block));
    for (PetscInt c = num_children; c-- > 0;)
      ExtendAdd(f, children[c], CountRows(f, children[c], columns + begin), CountRows(f, children[c], columns + end), columns + begin, m,
                block);
    if (f->parent[s] < 0) AddToBorder(f, s, begin, end, schur);
  }
  PetscFunctionReturn(0);
}

/* Assembles and factorises the front of supernode s. */
static PetscErrorCode FactorFront(Fronts *f, PetscInt s, PetscInt num_parts, const FrontRows parts[], PetscInt num_children,
                                  const PetscInt children[], void *const schur[], FrontsPivot *failed)
{
  const PetscInt  bs = f->bs, columns = f->first[s + 1] - f->first[s], below = f->start[s + 1] - f->start[s], ld = (columns + below) * bs;
  const PetscInt *rows   = f->rows + f->start[s];
  Real           *panel  = (Real *)f->values + f->panel[s];
  PetscInt        column = -1;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(panel, (size_t)(columns * bs) * (size_t)ld));
  for (PetscInt c = 0; c < columns; c++) f->front_row[f->first[s] + c] = c;
  for (PetscInt r = 0; r < below; r++) f->front_row[rows[r]] = columns + r;
  AddMatrix(f, s, ld, num_parts, parts, panel);
  for (PetscInt c = num_children; c-- > 0;) ExtendAdd(f, children[c], 0, CountRows(f, children[c], columns), 0, ld, panel);
  PetscCall(Eliminate(columns * bs, below * bs, panel, &column));
  if (column < 0)
    PetscCall(UpdateFront(f, s, num_children, children, schur));
  else
    *failed = (FrontsPivot){f->first[s] * bs + column, panel[(size_t)column * (size_t)(ld + 1)]};
  PetscFunctionReturn(0);
}

PetscErrorCode NAME(FrontsFactor)(Fronts *f, PetscInt num_parts, const FrontRows parts[], void *const schur[], FrontsPivot *failed)
{
  PetscInt *pending, depth = 0; /* supernodes whose update matrices still have to be added to the fronts of their parents */

  PetscFunctionBegin;
  *failed = (FrontsPivot){.column = -1};
  PetscCall(Allocate(f));
  PetscCall(PetscMalloc1(f->num, &pending));
  for (PetscInt s = 0; s < f->num && failed->column < 0; s++) {
    PetscInt children = 0;

    while (children < depth && f->parent[pending[depth - 1 - children]] == s) children++;
    depth -= children;
    PetscCall(FactorFront(f, s, num_parts, parts, children, pending + depth, schur, failed));
    if (f->parent[s] >= 0) pending[depth++] = s;
  }
  PetscCall(PetscFree(pending));
  PetscFunctionReturn(0);
}

INLINE void SolveSupernode(PetscInt bs, const Fronts *f, PetscInt s, PetscBool forward, Real y[])
{
  const PetscInt  k = (f->first[s + 1] - f->first[s]) * bs, below = f->start[s + 1] - f->start[s];
  const PetscInt *rows = f->rows + f->start[s];
  Real           *own = y + f->first[s] * bs, *w = f->work;

  for (PetscInt i = 0; i < k; i++) w[i] = own[i];
  for (PetscInt r = 0; r < below; r++)
    for (PetscInt i = 0; i < bs; i++) w[k + r * bs + i] = forward ? 0 : y[rows[r] * bs + i];
  (forward ? NAME(FrontsSolveLower) : NAME(FrontsSolveUpper))(k, k + below * bs, (const Real *)f->values + f->panel[s], w);
  for (PetscInt i = 0; i < k; i++) own[i] = w[i];
  for (PetscInt r = 0; r < below && forward; r++)
    for (PetscInt i = 0; i < bs; i++) y[rows[r] * bs + i] += w[k + r * bs + i];
}

/* Triangular solution with the columns of a supernode; the rows below are updated (forward) or read (backward). */
static void SolveFront(const Fronts *f, PetscInt s, PetscBool forward, Real y[])
{
  BY_BLOCK_SIZE(f->bs, SolveSupernode, f, s, forward, y);
}

void NAME(FrontsForward)(Fronts *f, Real y[])
{
  for (PetscInt s = 0; s < f->num; s++) SolveFront(f, s, PETSC_TRUE, y);
}

void NAME(FrontsBackward)(Fronts *f, Real y[])
{
  for (PetscInt s = f->num; s-- > 0;) SolveFront(f, s, PETSC_FALSE, y);
}
