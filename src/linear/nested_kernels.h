/*
  Numerical factorisation and triangular solutions of a front that several ranks share, for one type of numbers: a file that includes this
  one includes real_double.h or real_single.h before. The owner of a block column of pivots factorises it and broadcasts it; every rank
  subtracts its product from its own later block columns. All sums have a fixed order, so that results are reproducible bit for bit.
*/
#include "nested.h"

/* First column of a vertex in a front of this rank; its entry 0 is row `begin` (a vertex) of the front. ld: leading dimension. */
static Real *Column(const Nested *f, PetscInt vertex, PetscInt *begin, size_t *ld)
{
  const PetscInt b = FrontBlock(&f->layout, vertex);

  *begin = FrontBegin(&f->layout, b);
  *ld    = (size_t)((f->layout.n - *begin) * f->bs);
  return (Real *)f->values + f->offset[b] + (size_t)((vertex - *begin) * f->bs) * *ld;
}

/* Copies the border columns that this rank stores of its own input to the messages: of each column the rows from its vertex on. */
static void PackInput(const Nested *f, const Nested *below, const Real interior[], Real send[], PetscMPIInt next[])
{
  const FrontLayout *in = &f->input[f->own_input];
  const PetscInt     bs = f->bs;

  for (PetscInt c = in->num_pivots; c < in->n; c++) {
    const Real *from;
    PetscMPIInt to;
    PetscInt    begin = 0, length = (in->n - c) * bs;
    size_t      ld = (size_t)(in->n * bs);

    if (below && FrontOwner(&below->layout, FrontBlock(&below->layout, c)) != below->self) continue;
    from = below ? Column(below, c, &begin, &ld) : interior + (size_t)(c * bs) * ld;
    to   = FrontOwner(&f->layout, FrontBlock(&f->layout, f->map[f->own_input][c - in->num_pivots]));
    for (PetscInt i = 0; i < bs; i++, next[to] += length) {
      const Real *source = from + (size_t)i * ld + (size_t)((c - begin) * bs);
      for (PetscInt r = 0; r < length; r++) send[next[to] + r] = source[r];
    }
  }
}

/* Adds the columns of input k that the messages hold for this rank. */
static void AddInput(const Nested *f, PetscInt k, const Real recv[], PetscMPIInt next[])
{
  const FrontLayout *in = &f->input[k], *l = &f->layout;
  const PetscInt     bs = f->bs, *map = f->map[k] - in->num_pivots;
  PetscMPIInt        member = 0;

  for (PetscInt c = in->num_pivots; c < in->n; c++) {
    const PetscMPIInt owner = in->rank[FrontOwner(in, FrontBlock(in, c))];
    Real             *column;
    PetscInt          begin;
    size_t            ld;

    if (FrontOwner(l, FrontBlock(l, map[c])) != f->self) continue;
    if (l->rank[member] > owner) member = 0;
    while (l->rank[member] != owner) member++;
    column = Column(f, map[c], &begin, &ld);
    for (PetscInt i = 0; i < bs; i++, column += ld) {
      const Real *from = recv + next[member];
      for (PetscInt r = c; r < in->n; r++)
        for (PetscInt j = 0; j < bs; j++) column[(map[r] - begin) * bs + j] += *from++;
      next[member] += (PetscMPIInt)((in->n - c) * bs);
    }
  }
}

/*
  Adds the border part of its inputs to the front. `interior`: lower triangle of the Schur complement of this rank's interior; `below`: the
  front on this rank's path below this one, NULL if that is the interior. Collective on the group.
*/
static PetscErrorCode AddInputs(Nested *f, const Nested *below, const Real interior[])
{
  const PetscMPIInt n      = f->layout.num_ranks;
  PetscMPIInt      *counts = f->counts, *next;
  Real             *send, *recv;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(counts[n - 1] + counts[2 * n - 1] + 1, &send, counts[3 * n - 1] + counts[4 * n - 1] + 1, &recv, 2 * n, &next));
  PetscCall(PetscArraycpy(next, counts + n, n));
  PetscCall(PetscArraycpy(next + n, counts + 3 * n, n));
  PackInput(f, below, interior, send, next);
  PetscCallMPI(MPI_Alltoallv(send, counts, counts + n, MPI_REAL_TYPE, recv, counts + 2 * n, counts + 3 * n, MPI_REAL_TYPE, f->group));
  for (PetscInt k = 0; k < f->num_inputs; k++) AddInput(f, k, recv, next + n);
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

/* Subtracts the product of a block column of L, of block b, from the later block columns of this rank. */
static PetscErrorCode UpdateColumns(Nested *f, PetscInt b, PetscBLASInt rows, PetscBLASInt k, const Real panel[])
{
  const FrontLayout *l   = &f->layout;
  const Real         one = 1, minus = -1;

  PetscFunctionBegin;
  for (PetscInt j = b + 1; j < f->num_blocks; j++) {
    const PetscInt     skip = (FrontBegin(l, j) - FrontBegin(l, b)) * f->bs;
    const PetscBLASInt m = rows - (PetscBLASInt)skip, n = (PetscBLASInt)((FrontEnd(l, j) - FrontBegin(l, j)) * f->bs);
    if (FrontOwner(l, j) != f->self) continue;
    PetscCallBLAS("gemm",
                  GEMM("N", "T", &m, &n, &k, &minus, panel + skip, &rows, panel + skip, &rows, &one, (Real *)f->values + f->offset[j], &m));
  }
  PetscFunctionReturn(0);
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
      panel = (Real *)f->values + f->offset[b];
      PetscCall(FactorPanel(m, k, panel, definite));
    }
    PetscCallMPI(MPI_Bcast(panel, count, MPI_REAL_TYPE, FrontOwner(l, b), f->group));
    PetscCall(UpdateColumns(f, b, m, k, panel));
  }
  PetscCall(PetscFree(buffer));
  PetscFunctionReturn(0);
}

/*
  Triangular solution: front->w holds the part of this rank of the right-hand side on entry; on return pivot block columns of this rank hold
  L^-1 b, and border rows the part of this rank of the updated right-hand side. Collective on the group.
*/
static PetscErrorCode ForwardFront(Nested *f)
{
  const FrontLayout *l = &f->layout;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < f->num_blocks && FrontBegin(l, b) < l->num_pivots; b++) {
    const PetscInt    m = (l->n - FrontBegin(l, b)) * f->bs, k = (FrontEnd(l, b) - FrontBegin(l, b)) * f->bs;
    const PetscMPIInt owner = FrontOwner(l, b);
    Real             *w     = (Real *)f->w + FrontBegin(l, b) * f->bs;

    PetscCallMPI(MPI_Reduce(owner == f->self ? MPI_IN_PLACE : w, w, (PetscMPIInt)k, MPI_REAL_TYPE, MPI_SUM, owner, f->group));
    if (owner == f->self) NAME(FrontsSolveLower)(k, m, (Real *)f->values + f->offset[b], w);
  }
  PetscFunctionReturn(0);
}

/* The other triangular solution: border rows of front->w hold the solution on entry, all rows on return. Collective on the group. */
static PetscErrorCode BackwardFront(Nested *f)
{
  const FrontLayout *l = &f->layout;

  PetscFunctionBegin;
  for (PetscInt b = FrontBlock(l, l->num_pivots - 1); b >= 0; b--) {
    const PetscInt    m = (l->n - FrontBegin(l, b)) * f->bs, k = (FrontEnd(l, b) - FrontBegin(l, b)) * f->bs;
    const PetscMPIInt owner = FrontOwner(l, b);
    Real             *w     = (Real *)f->w + FrontBegin(l, b) * f->bs;

    if (owner == f->self) NAME(FrontsSolveUpper)(k, m, (Real *)f->values + f->offset[b], w);
    PetscCallMPI(MPI_Bcast(w, (PetscMPIInt)k, MPI_REAL_TYPE, owner, f->group));
  }
  PetscFunctionReturn(0);
}
