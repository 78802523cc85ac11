/* Numerical multifrontal factorisation and triangular solutions. Frontal and update matrices are dense lower triangles, column-major. */
#include "fronts.h"
#include <petscblaslapack.h>

#define STRIP 16 /* columns of L that a triangular solution processes between two calls of gemv */

static PetscErrorCode Allocate(Fronts *f)
{
  const size_t max = (size_t)(f->max_below * f->bs);

  PetscFunctionBegin;
  if (f->values) PetscFunctionReturn(0);
  PetscCall(PetscMalloc4(f->panel[f->num] + 1, &f->values, f->stack_size, &f->stack, max * max, &f->update,
                         (size_t)(f->n + f->num_border) * (size_t)f->bs, &f->work));
  PetscFunctionReturn(0);
}

/* Assembles the entries of the matrix into the columns of a supernode. */
static void AddMatrix(const Fronts *f, PetscInt s, PetscInt ld, PetscInt num_parts, const FrontRows parts[], PetscScalar panel[])
{
  const PetscInt bs = f->bs;

  for (PetscInt j = f->first[s]; j < f->first[s + 1]; j++) {
    const PetscInt row    = f->row[f->order[j]] * bs;
    PetscScalar   *column = panel + (size_t)((j - f->first[s]) * bs) * (size_t)ld;
    for (PetscInt p = 0; p < num_parts; p++) {
      const FrontRows *part   = &parts[p];
      const PetscInt   stride = part->ia[row + 1] - part->ia[row];
      for (PetscInt k = part->ia[row]; k < part->ia[row + 1]; k += bs) {
        const PetscInt w = part->number[part->ja[k] / bs];
        if (w < 0 || f->position[w] < j) continue;
        for (PetscInt i = 0; i < bs; i++) /* the matrix is symmetric: its row i is column i of the lower triangle */
          for (PetscInt l = 0; l < bs; l++)
            column[(size_t)i * (size_t)ld + (size_t)(f->front_row[f->position[w]] * bs + l)] = part->values[k + i * stride + l];
      }
    }
  }
}

/* Extend-add: adds the update matrix of a child with rows `rows` to the front, which consists of the panel (k columns) and of `update`. */
static void ExtendAdd(const Fronts *f, PetscInt below, const PetscInt rows[], const PetscScalar from[], PetscInt k, PetscInt ld,
                      PetscScalar panel[], PetscScalar update[])
{
  const PetscInt bs = f->bs, m = below * bs;

  for (PetscInt c = 0; c < below; c++) {
    const PetscInt to = f->front_row[rows[c]] * bs;
    for (PetscInt i = 0; i < bs; i++) {
      const PetscScalar *source = from + (size_t)(c * bs + i) * (size_t)m;
      PetscScalar       *target = to < k ? panel + (size_t)(to + i) * (size_t)ld : update + (size_t)(to + i - k) * (size_t)(ld - k) - k;
      for (PetscInt r = c; r < below; r++) {
        PetscScalar *block = target + f->front_row[rows[r]] * bs;
        for (PetscInt l = 0; l < bs; l++) block[l] += source[r * bs + l];
      }
    }
  }
}

/* Partial factorisation of a front: turns its first columns into columns of L and the remainder into the update matrix. */
static PetscErrorCode Eliminate(PetscInt columns, PetscInt below, PetscScalar panel[], PetscScalar update[], PetscBool *definite)
{
  PetscBLASInt k, m, ld, info;
  PetscScalar  one = 1, minus = -1;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(columns, &k));
  PetscCall(PetscBLASIntCast(below, &m));
  PetscCall(PetscBLASIntCast(columns + below, &ld));
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("L", &k, panel, &ld, &info));
  *definite = (PetscBool)(info == 0);
  if (info == 0 && m > 0) {
    PetscCallBLAS("BLAStrsm", BLAStrsm_("R", "L", "T", "N", &m, &k, &one, panel, &ld, panel + k, &ld));
    PetscCallBLAS("BLASsyrk", BLASsyrk_("L", "N", &m, &k, &minus, panel + k, &ld, &one, update, &m));
  }
  PetscFunctionReturn(0);
}

/* Adds the update matrix of a root of the elimination tree to the Schur complement. All its rows are border rows. */
static void AddToBorder(const Fronts *f, PetscInt below, const PetscInt rows[], const PetscScalar update[], PetscScalar schur[])
{
  const PetscInt bs = f->bs, m = below * bs, ld = f->num_border * bs;

  for (PetscInt c = 0; c < m; c++) {
    PetscScalar *target = schur + (size_t)((rows[c / bs] - f->n) * bs + c % bs) * (size_t)ld;
    for (PetscInt r = c / bs; r < below; r++)
      for (PetscInt l = 0; l < bs; l++) target[(rows[r] - f->n) * bs + l] += update[(size_t)c * (size_t)m + (size_t)(r * bs + l)];
  }
}

/* Copies the lower triangle of an update matrix, with whole diagonal blocks, to the top of the stack. */
static void Push(PetscInt bs, PetscInt m, const PetscScalar update[], PetscScalar top[])
{
  for (PetscInt c = 0; c < m; c++)
    for (PetscInt r = c - c % bs; r < m; r++) top[(size_t)c * (size_t)m + (size_t)r] = update[(size_t)c * (size_t)m + (size_t)r];
}

PetscErrorCode FrontsFactor(Fronts *f, PetscInt num_parts, const FrontRows parts[], PetscScalar schur[], PetscBool *definite)
{
  PetscScalar *top;
  PetscInt    *pending, depth = 0; /* number of update matrices on the stack */

  PetscFunctionBegin;
  *definite = PETSC_TRUE;
  PetscCall(Allocate(f));
  PetscCall(PetscMalloc1(f->num, &pending));
  top = f->stack;
  for (PetscInt s = 0; s < f->num && *definite; s++) {
    const PetscInt  columns = f->first[s + 1] - f->first[s], below = f->start[s + 1] - f->start[s], k = columns * f->bs, m = below * f->bs;
    const PetscInt *rows  = f->rows + f->start[s];
    PetscScalar    *panel = f->values + f->panel[s];

    PetscCall(PetscArrayzero(panel, (size_t)k * (size_t)(k + m)));
    PetscCall(PetscArrayzero(f->update, (size_t)m * (size_t)m));
    for (PetscInt c = 0; c < columns; c++) f->front_row[f->first[s] + c] = c;
    for (PetscInt r = 0; r < below; r++) f->front_row[rows[r]] = columns + r;
    AddMatrix(f, s, k + m, num_parts, parts, panel);
    for (; depth > 0 && f->parent[pending[depth - 1]] == s; depth--) {
      const PetscInt c = pending[depth - 1], child_below = f->start[c + 1] - f->start[c];
      top -= (size_t)(child_below * f->bs) * (size_t)(child_below * f->bs);
      ExtendAdd(f, child_below, f->rows + f->start[c], top, k, k + m, panel, f->update);
    }
    PetscCall(Eliminate(k, m, panel, f->update, definite));
    if (f->parent[s] < 0) {
      if (m > 0) AddToBorder(f, below, rows, f->update, schur);
    } else {
      Push(f->bs, m, f->update, top);
      top += (size_t)m * (size_t)m;
      pending[depth++] = s;
    }
  }
  PetscCall(PetscFree(pending));
  PetscFunctionReturn(0);
}

/* to <- to - L from, or to <- to - L^T from, for a block of L with leading dimension ld. */
static void Update(const char transpose[], PetscInt rows, PetscInt columns, PetscInt ld, const PetscScalar L[], const PetscScalar from[],
                   PetscScalar to[])
{
  const PetscBLASInt m = (PetscBLASInt)rows, n = (PetscBLASInt)columns, lda = (PetscBLASInt)ld, inc = 1;
  const PetscScalar  one = 1, minus = -1;

  if (m > 0 && n > 0) BLASgemv_(transpose, &m, &n, &minus, L, &lda, from, &inc, &one, to, &inc);
}

void FrontsSolveLower(PetscInt k, PetscInt ld, const PetscScalar L[], PetscScalar w[])
{
  for (PetscInt begin = 0; begin < k; begin += STRIP) {
    const PetscInt end = PetscMin(begin + STRIP, k);
    for (PetscInt j = begin; j < end; j++) {
      const PetscScalar *column = L + (size_t)j * (size_t)ld;
      w[j] /= column[j];
      for (PetscInt i = j + 1; i < end; i++) w[i] -= column[i] * w[j];
    }
    Update("N", ld - end, end - begin, ld, L + (size_t)begin * (size_t)ld + (size_t)end, w + begin, w + end);
  }
}

void FrontsSolveUpper(PetscInt k, PetscInt ld, const PetscScalar L[], PetscScalar w[])
{
  for (PetscInt begin = (k - 1) / STRIP * STRIP; begin >= 0; begin -= STRIP) {
    const PetscInt end = PetscMin(begin + STRIP, k);
    Update("T", ld - end, end - begin, ld, L + (size_t)begin * (size_t)ld + (size_t)end, w + end, w + begin);
    for (PetscInt j = end; j-- > begin;) {
      const PetscScalar *column = L + (size_t)j * (size_t)ld;
      for (PetscInt i = j + 1; i < end; i++) w[j] -= column[i] * w[i];
      w[j] /= column[j];
    }
  }
}

/* Triangular solution with the columns of a supernode; the rows below are updated (forward) or read (backward). */
static void SolveFront(const Fronts *f, PetscInt s, PetscBool forward, PetscScalar y[])
{
  const PetscInt  bs = f->bs, k = (f->first[s + 1] - f->first[s]) * bs, below = f->start[s + 1] - f->start[s];
  const PetscInt *rows = f->rows + f->start[s];
  PetscScalar    *own = y + f->first[s] * bs, *w = f->work;

  for (PetscInt i = 0; i < k; i++) w[i] = own[i];
  for (PetscInt r = 0; r < below; r++)
    for (PetscInt i = 0; i < bs; i++) w[k + r * bs + i] = forward ? 0 : y[rows[r] * bs + i];
  (forward ? FrontsSolveLower : FrontsSolveUpper)(k, k + below * bs, f->values + f->panel[s], w);
  for (PetscInt i = 0; i < k; i++) own[i] = w[i];
  for (PetscInt r = 0; r < below && forward; r++)
    for (PetscInt i = 0; i < bs; i++) y[rows[r] * bs + i] += w[k + r * bs + i];
}

void FrontsForward(Fronts *f, PetscScalar y[])
{
  for (PetscInt s = 0; s < f->num; s++) SolveFront(f, s, PETSC_TRUE, y);
}

void FrontsBackward(Fronts *f, PetscScalar y[])
{
  for (PetscInt s = f->num; s-- > 0;) SolveFront(f, s, PETSC_FALSE, y);
}
