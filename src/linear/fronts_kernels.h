/*
  Numerical multifrontal factorisation and triangular solutions, for one type of numbers. Frontal and update matrices are dense lower
  triangles, column-major. A file that includes this one includes real_double.h or real_single.h before.
*/
#include "fronts.h"

#define STRIP 16 /* columns of L that a triangular solution processes between two calls of gemv */

static PetscErrorCode Allocate(Fronts *f)
{
  const size_t max = (size_t)(f->max_below * f->bs);

  PetscFunctionBegin;
  if (f->values) PetscFunctionReturn(0);
  PetscCall(PetscMalloc5((f->panel[f->num] + 1) * sizeof(Real), &f->values, f->stack_size * sizeof(Real), &f->stack,
                         max * max * sizeof(Real), &f->update, (size_t)(f->n + f->num_border) * (size_t)f->bs * sizeof(Real), &f->work,
                         f->max_below, &f->run));
  PetscFunctionReturn(0);
}

/* Calls a function whose first argument, the block size, is a compile-time constant in 3D. */
#define BY_BLOCK_SIZE(bs, function, ...) ((bs) == 3 ? function(3, __VA_ARGS__) : function(bs, __VA_ARGS__))

static inline __attribute__((always_inline)) void AddEntries(PetscInt bs, const Fronts *f, PetscInt s, PetscInt ld, const FrontRows *part,
                                                             Real panel[])
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

/* Ends of the runs of rows of a child that are also consecutive in the front: run[r] is the first row after r that is not. */
static void FindRuns(const Fronts *f, PetscInt child)
{
  const PetscInt *rows = f->rows + f->start[child], below = f->start[child + 1] - f->start[child];

  for (PetscInt r = below; r-- > 0;)
    f->run[r] = r + 1 < below && f->front_row[rows[r + 1]] == f->front_row[rows[r]] + 1 ? f->run[r + 1] : r + 1;
}

/*
  Extend-add: adds columns [begin, end) of the update matrix of a child to columns of the front. to: these columns, with leading dimension
  ld; column and row 0 of `to` are block row `origin` of the front. Only the lower triangle.
*/
static void ExtendAdd(const Fronts *f, PetscInt child, PetscInt begin, PetscInt end, const Real from[], PetscInt origin, PetscInt ld,
                      Real to[])
{
  const PetscInt *rows = f->rows + f->start[child], below = f->start[child + 1] - f->start[child], bs = f->bs;

  for (PetscInt c = begin * bs; c < end * bs; c++) {
    const Real *source = from + (size_t)c * (size_t)(below * bs);
    Real       *target = to + (size_t)((f->front_row[rows[c / bs]] - origin) * bs + c % bs) * (size_t)ld;
    for (PetscInt r = c / bs; r < below; r = f->run[r]) {
      const Real *restrict add = source + r * bs;
      Real *restrict sum       = target + (f->front_row[rows[r]] - origin) * bs;
      for (PetscInt i = r == c / bs ? c % bs : 0; i < (f->run[r] - r) * bs; i++) sum[i] += add[i];
    }
  }
}

/* Number of rows of a child among the `columns` columns of the supernode. These rows come first. */
static PetscInt CountPivots(const Fronts *f, PetscInt child, PetscInt columns)
{
  const PetscInt *rows = f->rows + f->start[child], below = f->start[child + 1] - f->start[child];
  PetscInt        count = 0;

  while (count < below && f->front_row[rows[count]] < columns) count++;
  return count;
}

/* Partial factorisation of a front: turns its first columns into columns of L; update: -B B^T of the part B below the diagonal block. */
static PetscErrorCode Eliminate(PetscInt columns, PetscInt below, Real panel[], Real update[], PetscBool *definite)
{
  PetscBLASInt k, m, ld, info;
  Real         one = 1, minus = -1, zero = 0;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(columns, &k));
  PetscCall(PetscBLASIntCast(below, &m));
  PetscCall(PetscBLASIntCast(columns + below, &ld));
  PetscCallBLAS("potrf", POTRF("L", &k, panel, &ld, &info));
  *definite = (PetscBool)(info == 0);
  if (info == 0 && m > 0) {
    PetscCallBLAS("trsm", TRSM("R", "L", "T", "N", &m, &k, &one, panel, &ld, panel + k, &ld));
    PetscCallBLAS("syrk", SYRK("L", "N", &m, &k, &minus, panel + k, &ld, &zero, update, &m));
  }
  PetscFunctionReturn(0);
}

/* Adds the update matrix of a root of the elimination tree to the Schur complement. All its rows are border rows. */
static void AddToBorder(const Fronts *f, PetscInt below, const PetscInt rows[], const Real update[], Real schur[])
{
  const PetscInt bs = f->bs, m = below * bs, ld = f->num_border * bs;

  for (PetscInt c = 0; c < m; c++) {
    Real *target = schur + (size_t)((rows[c / bs] - f->n) * bs + c % bs) * (size_t)ld;
    for (PetscInt r = c / bs; r < below; r++)
      for (PetscInt l = r == c / bs ? c % bs : 0; l < bs; l++)
        target[(rows[r] - f->n) * bs + l] += update[(size_t)c * (size_t)m + (size_t)(r * bs + l)];
  }
}

/* Copies the lower triangle of an update matrix to the top of the stack. */
static void Push(PetscInt m, const Real update[], Real top[])
{
  for (PetscInt c = 0; c < m; c++)
    PetscCallAbort(PETSC_COMM_SELF, PetscArraycpy(top + (size_t)c * (size_t)(m + 1), update + (size_t)c * (size_t)(m + 1), m - c));
}

/* Assembles and factorises the front of supernode s. children: their update matrices lie one after the other, last child on top. */
static PetscErrorCode FactorFront(Fronts *f, PetscInt s, PetscInt num_parts, const FrontRows parts[], PetscInt num_children,
                                  const PetscInt children[], const Real *top, PetscBool *definite)
{
  const PetscInt  bs = f->bs, columns = f->first[s + 1] - f->first[s], below = f->start[s + 1] - f->start[s], ld = (columns + below) * bs;
  const PetscInt *rows  = f->rows + f->start[s];
  Real           *panel = (Real *)f->values + f->panel[s];

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(panel, (size_t)(columns * bs) * (size_t)ld));
  for (PetscInt c = 0; c < columns; c++) f->front_row[f->first[s] + c] = c;
  for (PetscInt r = 0; r < below; r++) f->front_row[rows[r]] = columns + r;
  AddMatrix(f, s, ld, num_parts, parts, panel);
  for (int pass = 0; pass < 2; pass++) { /* columns of L; after their elimination, which overwrites the update matrix, the others */
    const Real *from = top;
    for (PetscInt k = num_children; k-- > 0;) {
      const PetscInt child = children[k], m = f->start[child + 1] - f->start[child], pivots = CountPivots(f, child, columns);
      from -= (size_t)(m * bs) * (size_t)(m * bs);
      FindRuns(f, child);
      if (pass == 0)
        ExtendAdd(f, child, 0, pivots, from, 0, ld, panel);
      else
        ExtendAdd(f, child, pivots, m, from, columns, below * bs, (Real *)f->update);
    }
    if (pass == 0) PetscCall(Eliminate(columns * bs, below * bs, panel, (Real *)f->update, definite));
    if (!*definite) PetscFunctionReturn(0);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NAME(FrontsFactor)(Fronts *f, PetscInt num_parts, const FrontRows parts[], Real schur[], PetscBool *definite)
{
  Real     *top;
  PetscInt *pending, depth = 0; /* number of update matrices on the stack */

  PetscFunctionBegin;
  *definite = PETSC_TRUE;
  PetscCall(Allocate(f));
  PetscCall(PetscMalloc1(f->num, &pending));
  top = f->stack;
  for (PetscInt s = 0; s < f->num; s++) {
    const PetscInt below = f->start[s + 1] - f->start[s], m = below * f->bs;
    PetscInt       children = 0;

    while (children < depth && f->parent[pending[depth - 1 - children]] == s) children++;
    PetscCall(FactorFront(f, s, num_parts, parts, children, pending + depth - children, top, definite));
    if (!*definite) break;
    for (; children > 0; children--) {
      const PetscInt c = pending[--depth], child_below = f->start[c + 1] - f->start[c];
      top -= (size_t)(child_below * f->bs) * (size_t)(child_below * f->bs);
    }
    if (f->parent[s] < 0) {
      if (m > 0) AddToBorder(f, below, f->rows + f->start[s], f->update, schur);
    } else {
      Push(m, f->update, top);
      top += (size_t)m * (size_t)m;
      pending[depth++] = s;
    }
  }
  PetscCall(PetscFree(pending));
  PetscFunctionReturn(0);
}

/* to <- to - L from, or to <- to - L^T from, for a block of L with leading dimension ld. */
static void Update(const char transpose[], PetscInt rows, PetscInt columns, PetscInt ld, const Real L[], const Real from[], Real to[])
{
  const PetscBLASInt m = (PetscBLASInt)rows, n = (PetscBLASInt)columns, lda = (PetscBLASInt)ld, inc = 1;
  const Real         one = 1, minus = -1;

  if (m > 0 && n > 0) GEMV(transpose, &m, &n, &minus, L, &lda, from, &inc, &one, to, &inc);
}

void NAME(FrontsSolveLower)(PetscInt k, PetscInt ld, const Real L[], Real w[])
{
  for (PetscInt begin = 0; begin < k; begin += STRIP) {
    const PetscInt end = PetscMin(begin + STRIP, k);
    for (PetscInt j = begin; j < end; j++) {
      const Real *column = L + (size_t)j * (size_t)ld;
      w[j] /= column[j];
      for (PetscInt i = j + 1; i < end; i++) w[i] -= column[i] * w[j];
    }
    Update("N", ld - end, end - begin, ld, L + (size_t)begin * (size_t)ld + (size_t)end, w + begin, w + end);
  }
}

void NAME(FrontsSolveUpper)(PetscInt k, PetscInt ld, const Real L[], Real w[])
{
  for (PetscInt begin = (k - 1) / STRIP * STRIP; begin >= 0; begin -= STRIP) {
    const PetscInt end = PetscMin(begin + STRIP, k);
    Update("T", ld - end, end - begin, ld, L + (size_t)begin * (size_t)ld + (size_t)end, w + end, w + begin);
    for (PetscInt j = end; j-- > begin;) {
      const Real *column = L + (size_t)j * (size_t)ld;
      for (PetscInt i = j + 1; i < end; i++) w[j] -= column[i] * w[i];
      w[j] /= column[j];
    }
  }
}

static inline __attribute__((always_inline)) void SolveSupernode(PetscInt bs, const Fronts *f, PetscInt s, PetscBool forward, Real y[])
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
