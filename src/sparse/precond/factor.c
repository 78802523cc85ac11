/* Cholesky factor on one rank: elimination order of new patterns, precision, order and scale of vectors. */
#include "factor.h"
#include "precondimpl.h"
#include "range.h"
#include <math.h>

#define INDEFINITE 1e-3 /* least ratio of a negative pivot to its diagonal entry that shows an indefinite matrix: round-off is about 1e-7 */

/* Creates fronts for the block rows in the order row[]; dissect: in a fill-reducing order. */
static PetscErrorCode CreateFronts(Factor *s, const PetscInt row[], PetscBool dissect, const PetscInt ia[], const PetscInt ja[])
{
  const FrontRows rows = {ia, ja, NULL, s->number};
  PetscLogEvent   event;

  PetscFunctionBegin;
  PetscCall(AbutPrecondLogBegin("abut_symbolic", &event));
  PetscCall(FrontsDestroy(&s->fronts));
  for (PetscInt k = 0; k < s->n; k++) s->number[row[k]] = k;
  PetscCall(FrontsCreate(s->bs, s->n, 0, row, 1, &rows, dissect, &s->fronts));
  s->fronts->store = &s->store;
  if (dissect) s->dissected = s->fronts->flops;
  PetscCall(PetscLogEventEnd(event, 0, 0, 0, 0));
  PetscFunctionReturn(0);
}

/* Block rows in the elimination order of the fronts, or in their own order if there are no fronts. */
static void GetOrder(const Factor *s, PetscInt row[])
{
  for (PetscInt k = 0; k < s->n; k++) row[k] = s->fronts ? s->fronts->row[s->fronts->order[k]] : k;
}

PetscErrorCode FactorAnalyze(PetscInt n, PetscInt bs, const PetscInt ia[], const PetscInt ja[], PetscBool renew, Factor **factor)
{
  Factor   *s = *factor;
  PetscInt *row;

  PetscFunctionBegin;
  if (renew || (s && (s->n != n || s->bs != bs))) PetscCall(FactorDestroy(factor));
  if (!*factor) {
    PetscCall(PetscNew(factor));
    (*factor)->n  = n;
    (*factor)->bs = bs;
    PetscCall(PetscMalloc2(n, &(*factor)->number, (size_t)(n * bs) * sizeof(PetscScalar), &(*factor)->y));
  }
  s = *factor;
  PetscCall(PetscMalloc1(n, &row));
  GetOrder(s, row);
  PetscCall(CreateFronts(s, row, (PetscBool)(s->dissected == 0), ia, ja));
  if (s->fronts->flops > ORDERING_GROWTH * s->dissected) PetscCall(CreateFronts(s, row, PETSC_TRUE, ia, ja));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(0);
}

PetscErrorCode FactorDestroy(Factor **factor)
{
  Factor *s = *factor;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(0);
  PetscCall(FrontsDestroy(&s->fronts));
  PetscCall(StoreDestroy(&s->store));
  PetscCall(PetscFree2(s->number, s->y));
  PetscCall(PetscFree(*factor));
  PetscFunctionReturn(0);
}

/* Factorisation in single precision, where numbers below the range of float are zero. */
static PetscErrorCode ComputeSingle(Factor *s, const FrontRows *rows)
{
  const unsigned mode = RangeBegin();
  PetscErrorCode code;

  PetscFunctionBegin;
  code = FrontsFactorSingle(s->fronts, 1, rows, NULL, &s->failed);
  RangeEnd(mode);
  PetscCall(code);
  PetscFunctionReturn(0);
}

PetscErrorCode FactorCompute(Factor *s, PetscBool single, const PetscInt ia[], const PetscInt ja[], const PetscScalar values[],
                             PetscBool *definite)
{
  const FrontRows rows = {ia, ja, values, s->number};

  PetscFunctionBegin;
  if (s->single != single) PetscCall(FrontsRelease(s->fronts));
  s->single = single;
  if (single)
    PetscCall(ComputeSingle(s, &rows));
  else
    PetscCall(FrontsFactor(s->fronts, 1, &rows, NULL, &s->failed));
  *definite = (PetscBool)(s->failed.column < 0);
  PetscCall(PetscLogFlops(s->fronts->flops));
  PetscFunctionReturn(0);
}

/* The diagonal entry of a row. */
static PetscErrorCode Diagonal(const PetscInt ia[], const PetscInt ja[], const PetscScalar values[], PetscInt row, PetscReal *entry)
{
  PetscInt k;

  PetscFunctionBegin;
  PetscCall(PetscFindInt(row, ia[row + 1] - ia[row], ja + ia[row], &k));
  *entry = k < 0 ? 0 : PetscRealPart(values[ia[row] + k]);
  PetscFunctionReturn(0);
}

/* Row of the matrix that is eliminated as number `column`. */
static PetscInt Row(const Fronts *f, PetscInt column)
{
  return f->row[f->order[column / f->bs]] * f->bs + column % f->bs;
}

PetscErrorCode FactorIsIndefinite(const Factor *s, const PetscInt ia[], const PetscInt ja[], const PetscScalar values[],
                                  PetscBool *indefinite)
{
  PetscReal entry = 0;

  PetscFunctionBegin;
  *indefinite = PETSC_FALSE;
  if (s->failed.column < 0) PetscFunctionReturn(0);
  PetscCall(Diagonal(ia, ja, values, Row(s->fronts, s->failed.column), &entry));
  *indefinite = (PetscBool)(s->failed.value < -INDEFINITE * entry);
  PetscFunctionReturn(0);
}

PetscErrorCode FactorLeastPivot(const Factor *s, const PetscInt ia[], const PetscInt ja[], const PetscScalar values[], PetscReal *least)
{
  const Fronts *f = s->fronts;

  PetscFunctionBegin;
  *least = 1;
  for (PetscInt n = 0; n < f->num; n++) {
    const PetscInt columns = (f->first[n + 1] - f->first[n]) * f->bs, ld = columns + (f->start[n + 1] - f->start[n]) * f->bs;
    const float   *L = (const float *)f->values + f->panel[n];
    for (PetscInt c = 0; c < columns; c++) {
      const PetscReal pivot = L[(size_t)c * (size_t)ld + (size_t)c];
      PetscReal       entry = 0;
      PetscCall(Diagonal(ia, ja, values, Row(f, f->first[n] * f->bs + c), &entry));
      *least = PetscMin(*least, isfinite(pivot) ? pivot * pivot / entry : 0);
    }
  }
  PetscFunctionReturn(0);
}

/* Position in the elimination order of block row v. */
static inline PetscInt Position(const Factor *s, PetscInt v)
{
  return s->fronts->position[s->number[v]];
}

static void SolveDouble(Factor *s, const PetscScalar b[], PetscScalar x[])
{
  const PetscInt bs = s->bs;
  PetscScalar   *y  = (PetscScalar *)(void *)s->y;

  for (PetscInt v = 0; v < s->n; v++)
    for (PetscInt i = 0; i < bs; i++) y[Position(s, v) * bs + i] = b[v * bs + i];
  FrontsForward(s->fronts, y);
  FrontsBackward(s->fronts, y);
  for (PetscInt v = 0; v < s->n; v++)
    for (PetscInt i = 0; i < bs; i++) x[v * bs + i] = y[Position(s, v) * bs + i];
}

static void SolveSingle(Factor *s, const PetscScalar b[], PetscScalar x[])
{
  const PetscInt    bs       = s->bs;
  const int         exponent = RangeExponent(RangeSize(s->n * bs, b));
  const PetscScalar scale = ldexp(1, -exponent), back = ldexp(1, exponent);
  float            *y = (float *)(void *)s->y;
  unsigned          mode;

  for (PetscInt v = 0; v < s->n; v++)
    for (PetscInt i = 0; i < bs; i++) y[Position(s, v) * bs + i] = (float)(scale * b[v * bs + i]);
  mode = RangeBegin();
  FrontsForwardSingle(s->fronts, y);
  FrontsBackwardSingle(s->fronts, y);
  RangeEnd(mode);
  for (PetscInt v = 0; v < s->n; v++)
    for (PetscInt i = 0; i < bs; i++) x[v * bs + i] = back * y[Position(s, v) * bs + i];
}

void FactorSolve(Factor *s, const PetscScalar b[], PetscScalar x[])
{
  if (s->single)
    SolveSingle(s, b, x);
  else
    SolveDouble(s, b, x);
}
