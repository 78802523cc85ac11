/*
  Numerical factorisation and triangular solutions of a front that several ranks share, for one type of numbers: a file that includes this
  one includes real_double.h or real_single.h before. The owner of a block column of pivots factorises it and broadcasts it; every rank
  subtracts its product from its own later block columns. All sums have a fixed order, so that results are reproducible bit for bit.
*/
#include "nested.h"

/* First column of a vertex in block columns of this rank. Its entry 0 is the first scalar row of vertex `begin`. ld: leading dimension. */
static Real *Column(const FrontLayout *l, const FrontColumns *columns, PetscInt bs, PetscInt vertex, PetscInt *begin, size_t *ld)
{
  const PetscInt b = FrontBlock(l, vertex);

  *begin = FrontBegin(l, b);
  *ld    = (size_t)((l->n - *begin) * bs);
  return (Real *)columns->block[b] + (size_t)((vertex - *begin) * bs) * *ld;
}

/* Packs the border columns of this rank's own input that other ranks need: of each column, the rows from its vertex on. */
static void PackInput(const Nested *f, const FrontColumns *columns, Real send[], PetscMPIInt next[])
{
  const FrontLayout *in = &f->input[f->own_input], *l = &f->layout;
  const PetscInt     bs = f->bs;

  for (PetscInt c = in->num_pivots; c < in->n; c++) {
    const PetscMPIInt to     = FrontOwner(l, FrontBlock(l, f->map[f->own_input][c - in->num_pivots]));
    const PetscInt    length = (in->n - c) * bs;
    const Real       *from;
    PetscInt          begin;
    size_t            ld;

    if (to == f->self || in->rank[FrontOwner(in, FrontBlock(in, c))] != l->rank[f->self]) continue;
    from = Column(in, columns, bs, c, &begin, &ld);
    for (PetscInt i = 0; i < bs; i++, next[to] += length) {
      const Real *source = from + (size_t)i * ld + (size_t)((c - begin) * bs);
      for (PetscInt r = 0; r < length; r++) send[next[to] + r] = source[r];
    }
  }
}

/* Adds the columns of input k from the messages and from columns of this rank. */
static void AddInput(const Nested *f, PetscInt k, const FrontColumns *columns, const Real recv[], PetscMPIInt next[])
{
  const FrontLayout *in = &f->input[k], *l = &f->layout;
  const PetscInt     bs = f->bs, *map = f->map[k] - in->num_pivots;
  PetscMPIInt        member = 0;

  for (PetscInt c = in->num_pivots; c < in->n; c++) {
    const PetscMPIInt owner = in->rank[FrontOwner(in, FrontBlock(in, c))];
    const Real       *from;
    Real             *to;
    PetscInt          begin, from_begin = c;
    size_t            ld, from_ld       = (size_t)((in->n - c) * bs);

    if (FrontOwner(l, FrontBlock(l, map[c])) != f->self) continue;
    if (l->rank[member] > owner) member = 0;
    while (l->rank[member] != owner) member++;
    from = member == f->self ? Column(in, columns, bs, c, &from_begin, &from_ld) : recv + next[member];
    to   = Column(l, &f->columns, bs, map[c], &begin, &ld);
    for (PetscInt i = 0; i < bs; i++, from += from_ld, to += ld)
      for (PetscInt r = c; r < in->n; r++)
        for (PetscInt j = 0; j < bs; j++) to[(map[r] - begin) * bs + j] += from[(r - from_begin) * bs + j];
    if (member != f->self) next[member] += (PetscMPIInt)((in->n - c) * bs * bs);
  }
}

/*
  Adds the border parts of its inputs to a front. columns: this rank's part of its own input, which is the front below on its path or the
  Schur complement of its interior. Collective on the group.
*/
static PetscErrorCode AddInputs(Nested *f, const FrontColumns *columns)
{
  const PetscMPIInt n      = f->layout.num_ranks;
  PetscMPIInt      *counts = f->counts, *next;
  Real             *send, *recv;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(counts[n - 1] + counts[2 * n - 1] + 1, &send, counts[3 * n - 1] + counts[4 * n - 1] + 1, &recv, 2 * n, &next));
  PetscCall(PetscArraycpy(next, counts + n, n));
  PetscCall(PetscArraycpy(next + n, counts + 3 * n, n));
  PackInput(f, columns, send, next);
  PetscCallMPI(MPI_Alltoallv(send, counts, counts + n, MPI_REAL_TYPE, recv, counts + 2 * n, counts + 3 * n, MPI_REAL_TYPE, f->group));
  for (PetscInt k = 0; k < f->num_inputs; k++) AddInput(f, k, columns, recv, next + n);
  PetscCall(PetscFree3(send, recv, next));
  PetscFunctionReturn(0);
}

/* Turns a block column of m rows and k columns into columns of L. */
static PetscErrorCode FactorPanel(PetscBLASInt m, PetscBLASInt k, Real panel[], PetscBool *definite)
{
  const PetscBLASInt below = m - k;
  Real               one   = 1;
  PetscBLASInt       info;

  PetscFunctionBegin;
  PetscCallBLAS("potrf", POTRF("L", &k, panel, &m, &info));
  if (info != 0) *definite = PETSC_FALSE;
  if (info == 0 && below > 0) PetscCallBLAS("trsm", TRSM("R", "L", "T", "N", &below, &k, &one, panel, &m, panel + k, &m));
  PetscFunctionReturn(0);
}

/* Subtracts the product with block column b of L from the later block columns of this rank. */
static PetscErrorCode UpdateColumns(Nested *f, PetscInt b, PetscBLASInt rows, PetscBLASInt k, const Real panel[])
{
  const FrontLayout *l   = &f->layout;
  const Real         one = 1, minus = -1;

  PetscFunctionBegin;
  for (PetscInt j = b + 1; j < f->columns.num; j++) {
    const PetscInt     skip = (FrontBegin(l, j) - FrontBegin(l, b)) * f->bs;
    const PetscBLASInt m = rows - (PetscBLASInt)skip, n = (PetscBLASInt)((FrontEnd(l, j) - FrontBegin(l, j)) * f->bs);
    if (FrontOwner(l, j) != f->self) continue;
    PetscCallBLAS("gemm", GEMM("N", "T", &m, &n, &k, &minus, panel + skip, &rows, panel + skip, &rows, &one, f->columns.block[j], &m));
  }
  PetscFunctionReturn(0);
}

/* End (exclusive) of the rows of the blocks of pivots that are solved together with block b. */
static PetscInt SolvedRows(const Nested *f, PetscInt b)
{
  return FrontEnd(&f->layout, FrontSolvedEnd(&f->layout, f->together, b) - 1);
}

/* Copies the rows of block column b of L that all ranks solve together. */
static void CopyDiagonal(Nested *f, PetscInt b, PetscInt rows, PetscInt k, const Real panel[])
{
  const PetscInt n    = (SolvedRows(f, b) - FrontBegin(&f->layout, b)) * f->bs;
  Real          *copy = (Real *)f->diagonal.block[b];

  for (PetscInt j = 0; j < k; j++)
    for (PetscInt i = 0; i < n; i++) copy[j * n + i] = panel[j * rows + i];
}

/* Eliminates the pivots. *definite: false if a pivot on this rank was not positive. Collective on the group. */
static PetscErrorCode FactorFront(Nested *f, PetscBool *definite)
{
  const FrontLayout *l = &f->layout;
  Real              *buffer;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)(l->n * f->bs) * (size_t)(l->width * f->bs), &buffer));
  for (PetscInt b = 0; FrontBegin(l, b) < l->num_pivots; b++) {
    PetscBLASInt m, k;
    PetscMPIInt  count;
    Real        *panel = buffer;

    PetscCall(PetscBLASIntCast((l->n - FrontBegin(l, b)) * f->bs, &m));
    PetscCall(PetscBLASIntCast((FrontEnd(l, b) - FrontBegin(l, b)) * f->bs, &k));
    PetscCall(PetscMPIIntCast((PetscInt)m * (PetscInt)k, &count));
    if (FrontOwner(l, b) == f->self) {
      panel = f->columns.block[b];
      PetscCall(FactorPanel(m, k, panel, definite));
    }
    PetscCallMPI(MPI_Bcast(panel, count, MPI_REAL_TYPE, FrontOwner(l, b), f->group));
    CopyDiagonal(f, b, m, k, panel);
    PetscCall(UpdateColumns(f, b, m, k, panel));
  }
  PetscCall(PetscFree(buffer));
  PetscFunctionReturn(0);
}

/* Subtracts from y the product of x with the rows of a block column of this rank that lie below the rows solved together. */
static PetscErrorCode MultiplyBelow(const Nested *f, PetscInt b, const char transpose[], const Real x[], Real y[])
{
  const FrontLayout *l    = &f->layout;
  const PetscInt     skip = (SolvedRows(f, b) - FrontBegin(l, b)) * f->bs;
  const PetscBLASInt ld = (PetscBLASInt)((l->n - FrontBegin(l, b)) * f->bs), m = ld - (PetscBLASInt)skip;
  const PetscBLASInt n = (PetscBLASInt)((FrontEnd(l, b) - FrontBegin(l, b)) * f->bs), one = 1;
  const Real         minus = -1, plus = 1;

  PetscFunctionBegin;
  if (m > 0) PetscCallBLAS("gemv", GEMV(transpose, &m, &n, &minus, (Real *)f->columns.block[b] + skip, &ld, x, &one, &plus, y, &one));
  PetscFunctionReturn(0);
}

/* Triangular solution with the rows of block column b above `rows`. */
static void SolveDiagonal(const Nested *f, PetscInt b, PetscInt rows, PetscBool forward)
{
  const PetscInt begin = FrontBegin(&f->layout, b), k = (FrontEnd(&f->layout, b) - begin) * f->bs;

  (forward ? NAME(FrontsSolveLower) : NAME(FrontsSolveUpper))(k, (rows - begin) * f->bs, f->diagonal.block[b],
                                                              (Real *)f->w + begin * f->bs);
}

/* Sums rows [begin, end) of front->w over all ranks. Collective on the group. */
static PetscErrorCode SumRows(const Nested *f, PetscInt begin, PetscInt end)
{
  PetscFunctionBegin;
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, (Real *)f->w + begin * f->bs, (PetscMPIInt)((end - begin) * f->bs), MPI_REAL_TYPE, MPI_SUM, f->group));
  PetscFunctionReturn(0);
}

/*
  Forward triangular solution. On entry front->w holds this rank's part of the right-hand side; on return, L^-1 b in pivot rows, and this
  rank's part of the updated right-hand side in border rows. Each rank solves with all diagonal blocks and updates with its own columns.
  Collective on the group.
*/
static PetscErrorCode ForwardFront(Nested *f)
{
  const FrontLayout *l = &f->layout;
  Real              *w = (Real *)f->w;

  PetscFunctionBegin;
  for (PetscInt first = 0, end; first < f->diagonal.num; first = end) {
    const PetscInt rows = SolvedRows(f, first);
    end                 = FrontSolvedEnd(l, f->together, first);
    PetscCall(SumRows(f, FrontBegin(l, first), rows));
    for (PetscInt b = first; b < end; b++) SolveDiagonal(f, b, rows, PETSC_TRUE);
    for (PetscInt b = first; b < end; b++)
      if (FrontOwner(l, b) == f->self) PetscCall(MultiplyBelow(f, b, "N", w + FrontBegin(l, b) * f->bs, w + rows * f->bs));
  }
  PetscFunctionReturn(0);
}

/* Backward triangular solution: on entry border rows of front->w hold the solution, on return all rows do. Collective on the group. */
static PetscErrorCode BackwardFront(Nested *f)
{
  const FrontLayout *l = &f->layout;
  Real              *w = (Real *)f->w;

  PetscFunctionBegin;
  for (PetscInt end = f->diagonal.num, first; end > 0; end = first) {
    const PetscInt rows = SolvedRows(f, end - 1);
    first               = (end - 1) / f->together * f->together;
    for (PetscInt b = first; b < end; b++) {
      Real *own = w + FrontBegin(l, b) * f->bs;
      if (FrontOwner(l, b) == f->self)
        PetscCall(MultiplyBelow(f, b, "T", w + rows * f->bs, own));
      else
        PetscCall(PetscArrayzero(own, (FrontEnd(l, b) - FrontBegin(l, b)) * f->bs));
    }
    PetscCall(SumRows(f, FrontBegin(l, first), rows));
    for (PetscInt b = end; b-- > first;) SolveDiagonal(f, b, rows, PETSC_FALSE);
  }
  PetscFunctionReturn(0);
}
