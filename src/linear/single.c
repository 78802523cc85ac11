/* Cholesky factor in single precision on one rank: elimination order of new patterns, order and scale of vectors. */
#include "single.h"
#include <math.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

/*
  Sets numbers below the range of float to zero and returns the earlier mode. Entries of L and of solutions decay with the distance in the
  mesh, and processors are slow with denormal numbers.
*/
static unsigned BeginFlush(void)
{
#if defined(__SSE__)
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040); /* flush to zero, denormals are zero */
  return mode;
#else
  return 0;
#endif
}

static void EndFlush(unsigned mode)
{
#if defined(__SSE__)
  _mm_setcsr(mode);
#else
  (void)mode;
#endif
}

/* Fronts for the block rows in the order row[]; dissect: in the order of a nested dissection. */
static PetscErrorCode CreateFronts(Single *s, const PetscInt row[], PetscBool dissect, const PetscInt ia[], const PetscInt ja[])
{
  const FrontRows rows = {ia, ja, NULL, s->number};

  PetscFunctionBegin;
  PetscCall(FrontsDestroy(&s->fronts));
  for (PetscInt k = 0; k < s->n; k++) s->number[row[k]] = k;
  PetscCall(FrontsCreate(s->bs, s->n, 0, row, 1, &rows, dissect, &s->fronts));
  if (dissect) s->dissected = s->fronts->flops;
  PetscFunctionReturn(0);
}

/* Block rows in the elimination order of the fronts, or in their own order if there are no fronts. */
static void GetOrder(const Single *s, PetscInt row[])
{
  for (PetscInt k = 0; k < s->n; k++) row[k] = s->fronts ? s->fronts->row[s->fronts->order[k]] : k;
}

PetscErrorCode SingleAnalyze(PetscInt n, PetscInt bs, const PetscInt ia[], const PetscInt ja[], PetscBool renew, Single **single)
{
  Single   *s = *single;
  PetscInt *row;

  PetscFunctionBegin;
  if (renew || (s && (s->n != n || s->bs != bs))) PetscCall(SingleDestroy(single));
  if (!*single) {
    PetscCall(PetscNew(single));
    (*single)->n  = n;
    (*single)->bs = bs;
    PetscCall(PetscMalloc2(n, &(*single)->number, n * bs, &(*single)->y));
  }
  s = *single;
  PetscCall(PetscMalloc1(n, &row));
  GetOrder(s, row);
  PetscCall(CreateFronts(s, row, (PetscBool)(s->dissected == 0), ia, ja));
  if (s->fronts->flops > ORDERING_GROWTH * s->dissected) PetscCall(CreateFronts(s, row, PETSC_TRUE, ia, ja));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(0);
}

PetscErrorCode SingleDestroy(Single **single)
{
  Single *s = *single;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(0);
  PetscCall(FrontsDestroy(&s->fronts));
  PetscCall(PetscFree2(s->number, s->y));
  PetscCall(PetscFree(*single));
  PetscFunctionReturn(0);
}

PetscErrorCode SingleFactor(Single *s, const PetscInt ia[], const PetscInt ja[], const PetscScalar values[], PetscBool *definite)
{
  const FrontRows rows = {ia, ja, values, s->number};
  const unsigned  mode = BeginFlush();
  PetscErrorCode  code;

  PetscFunctionBegin;
  code = FrontsFactorSingle(s->fronts, 1, &rows, NULL, definite);
  EndFlush(mode);
  PetscCall(code);
  PetscCall(PetscLogFlops(s->fronts->flops));
  PetscFunctionReturn(0);
}

void SingleSolve(Single *s, const PetscScalar b[], PetscScalar x[])
{
  const PetscInt bs   = s->bs;
  PetscReal      size = 0;
  PetscScalar    scale;
  unsigned       mode;
  int            exponent;

  for (PetscInt i = 0; i < s->n * bs; i++) size = PetscMax(size, PetscAbsScalar(b[i]));
  (void)frexp(size, &exponent); /* the power of two that brings b into the range of float */
  scale = ldexp(1, -exponent);
  for (PetscInt v = 0; v < s->n; v++)
    for (PetscInt i = 0; i < bs; i++) s->y[s->fronts->position[s->number[v]] * bs + i] = (float)(scale * b[v * bs + i]);
  mode = BeginFlush();
  FrontsForwardSingle(s->fronts, s->y);
  FrontsBackwardSingle(s->fronts, s->y);
  EndFlush(mode);
  scale = ldexp(1, exponent);
  for (PetscInt v = 0; v < s->n; v++)
    for (PetscInt i = 0; i < bs; i++) x[v * bs + i] = scale * s->y[s->fronts->position[s->number[v]] * bs + i];
}
