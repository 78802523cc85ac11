/*
  Sparse Cholesky factorisation by CHOLMOD, the preconditioner "abut-cholesky". Differences from PETSc's own interface to CHOLMOD: the
  matrix is not copied; the workspace of triangular solutions is kept; matrices may have a block size; an indefinite matrix is no error,
  but AbutCholeskyIsDefinite() returns false, so that Newton's method can project the Hessian.

  A factor in single precision (single.h) takes half the time. AbutCholeskySetSingle() asks for one; where round-off makes it fail, or
  pivots are less accurate than wanted, CHOLMOD factorises in double precision. A matrix that is clearly indefinite is not factorised again.
*/
#include "cholmodimpl.h"
#include "precondimpl.h"
#include "single.h"

typedef struct {
  cholmod_common   common;
  cholmod_factor  *factor;    /* NULL: none yet, or of an earlier pattern */
  cholmod_dense   *x, *y, *e; /* solution and workspace, reused between solutions */
  Single          *single;    /* the same in single precision */
  PetscObjectId    matrix;    /* id of the matrix object whose pattern `factor` and `single` have */
  PetscObjectState pattern;
  PetscBool        asked;     /* a factor in single precision is wanted */
  PetscReal        least;     /* smallest pivot in single precision that is accepted, over the diagonal entry; 0: all positive ones */
  PetscBool        is_single; /* the last factorisation was tried in single precision only */
  PetscBool        current;   /* `single` has the pattern of the matrix */
  PetscBool        renew;     /* the elimination order of `single` must not depend on earlier patterns */
  PetscBool        definite;
} Cholesky;

PetscBool AbutCholeskyIsDefinite(PC pc)
{
  return ((Cholesky *)AbutShellContext(pc))->definite;
}

void AbutCholeskySetSingle(PC pc, PetscBool single)
{
  ((Cholesky *)AbutShellContext(pc))->asked = single;
}

void AbutCholeskySetLeastPivot(PC pc, PetscReal least)
{
  ((Cholesky *)AbutShellContext(pc))->least = least;
}

PetscBool AbutCholeskyIsSingle(PC pc)
{
  return ((Cholesky *)AbutShellContext(pc))->is_single;
}

void AbutCholeskyForget(PC pc)
{
  ((Cholesky *)AbutShellContext(pc))->renew = PETSC_TRUE;
}

static void Free(Cholesky *c)
{
  CHOLMOD(free_factor)(&c->factor, &c->common);
  CHOLMOD(free_dense)(&c->x, &c->common);
  CHOLMOD(free_dense)(&c->y, &c->common);
  CHOLMOD(free_dense)(&c->e, &c->common);
}

/* Symbolic factorisation in double precision, with the ordering "abut-nd". */
static PetscErrorCode AnalyzeDouble(Cholesky *c, Mat A, cholmod_sparse *view)
{
  IS              row, col;
  const PetscInt *order;
  PetscLogEvent   event;

  PetscFunctionBegin;
  PetscCall(AbutPrecondLogBegin("abut_symbolic", &event));
  PetscCall(AbutOrderingGet(A, NULL, &row, &col));
  PetscCall(ISGetIndices(row, &order));
  c->factor = CHOLMOD(analyze_p)(view, (Index *)order, NULL, 0, &c->common);
  PetscCall(ISRestoreIndices(row, &order));
  PetscCall(ISDestroy(&row));
  PetscCall(ISDestroy(&col));
  PetscCall(PetscLogEventEnd(event, 0, 0, 0, 0));
  PetscCheck(c->factor, PETSC_COMM_SELF, PETSC_ERR_LIB, "CHOLMOD's symbolic factorisation failed with status %d", c->common.status);
  PetscFunctionReturn(0);
}

/* The matrix without a copy. */
static cholmod_sparse Wrap(PetscInt n, const PetscInt ia[], const PetscInt ja[], const PetscScalar values[])
{
  return (cholmod_sparse){.nrow   = (size_t)n,
                          .ncol   = (size_t)n,
                          .nzmax  = (size_t)ia[n],
                          .p      = (void *)ia,
                          .i      = (void *)ja,
                          .x      = (void *)values,
                          .stype  = 1, /* upper triangle only; CHOLMOD does not read entries below the diagonal */
                          .itype  = INTEGERS,
                          .xtype  = CHOLMOD_REAL,
                          .dtype  = CHOLMOD_DOUBLE,
                          .sorted = 1,
                          .packed = 1};
}

/* Factorisation by CHOLMOD in double precision. */
static PetscErrorCode FactorDouble(Cholesky *c, Mat A, PetscInt n, const PetscInt ia[], const PetscInt ja[], const PetscScalar values[])
{
  cholmod_sparse view = Wrap(n, ia, ja, values);

  PetscFunctionBegin;
  if (!c->factor) PetscCall(AnalyzeDouble(c, A, &view));
  PetscCheck(CHOLMOD(factorize)(&view, c->factor, &c->common), PETSC_COMM_SELF, PETSC_ERR_LIB,
             "CHOLMOD's factorisation failed with status %d", c->common.status);
  c->definite = (PetscBool)(c->common.status != CHOLMOD_NOT_POSDEF);
  PetscCall(PetscLogFlops(c->common.fl));
  PetscFunctionReturn(0);
}

static PetscErrorCode AnalyzeSingle(Cholesky *c, Mat A, PetscInt n, const PetscInt ia[], const PetscInt ja[])
{
  PetscInt bs;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  if (!c->current) { /* else a factor in double precision of this pattern may serve again */
    Free(c);
    PetscCall(SingleAnalyze(n / bs, bs, ia, ja, c->renew, &c->single));
  }
  c->renew   = PETSC_FALSE;
  c->current = PETSC_TRUE;
  PetscFunctionReturn(0);
}

/* Frees what single precision needs, where it is not asked for again. */
static PetscErrorCode ForgetSingle(Cholesky *c)
{
  PetscFunctionBegin;
  PetscCall(SingleDestroy(&c->single));
  c->current = PETSC_FALSE;
  PetscFunctionReturn(0);
}

/* Factorisation in single precision. is_single: whether it serves, as factor or because the matrix is clearly indefinite. */
static PetscErrorCode FactorSingle(Cholesky *c, Mat A, PetscInt n, const PetscInt ia[], const PetscInt ja[], const PetscScalar values[])
{
  PetscReal least = 1;

  PetscFunctionBegin;
  PetscCall(AnalyzeSingle(c, A, n, ia, ja));
  PetscCall(SingleFactor(c->single, ia, ja, values, &c->definite));
  if (c->definite && c->least > 0) PetscCall(SingleLeastPivot(c->single, ia, ja, values, &least));
  c->is_single = (PetscBool)(c->definite && least >= c->least);
  if (!c->definite) PetscCall(SingleIsIndefinite(c->single, ia, ja, values, &c->is_single));
  PetscFunctionReturn(0);
}

/* Forgets the symbolic factorisations if they were made for another pattern. */
static PetscErrorCode SetPattern(Cholesky *c, Mat A)
{
  PetscObjectId    matrix;
  PetscObjectState pattern;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)A, &matrix));
  PetscCall(MatGetNonzeroState(A, &pattern));
  if (c->matrix == matrix && c->pattern == pattern) PetscFunctionReturn(0);
  Free(c);
  c->matrix  = matrix;
  c->pattern = pattern;
  c->current = PETSC_FALSE;
  PetscFunctionReturn(0);
}

static PetscErrorCode SetUp(PC pc)
{
  Cholesky          *c = (Cholesky *)AbutShellContext(pc);
  const PetscInt    *ia, *ja;
  const PetscScalar *values;
  PetscInt           n;
  Mat                A;
  PetscBool          done;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "abut-cholesky needs a sequential AIJ matrix");
  c->definite = PETSC_TRUE;
  if (n == 0) PetscFunctionReturn(0); /* rank without vertices */
  PetscCall(MatSeqAIJGetArrayRead(A, &values));
  PetscCall(SetPattern(c, A));
  c->is_single = PETSC_FALSE;
  if (c->asked) PetscCall(FactorSingle(c, A, n, ia, ja, values));
  if (!c->asked && c->least > 0) PetscCall(ForgetSingle(c));
  if (!c->is_single) PetscCall(FactorDouble(c, A, n, ia, ja, values));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &values));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  PetscFunctionReturn(0);
}

/* Analyses A in the precision that is asked for. */
static PetscErrorCode AnalyzeAsked(Cholesky *c, Mat A)
{
  const PetscInt *ia, *ja;
  PetscInt        n;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "abut-cholesky needs a sequential AIJ matrix");
  PetscCall(SetPattern(c, A));
  if (n > 0 && c->asked) PetscCall(AnalyzeSingle(c, A, n, ia, ja));
  if (n > 0 && !c->asked && !c->factor) {
    cholmod_sparse view = Wrap(n, ia, ja, NULL);
    view.xtype          = CHOLMOD_PATTERN;
    PetscCall(AnalyzeDouble(c, A, &view));
  }
  c->renew = PETSC_FALSE;
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutCholeskyAnalyze(PC pc, Mat A, AbutFactorCounts *counts)
{
  Cholesky *c = (Cholesky *)AbutShellContext(pc);

  PetscFunctionBegin;
  if (c->renew || !(c->factor || c->single)) PetscCall(AnalyzeAsked(c, A));
  *counts = (AbutFactorCounts){0};
  if (c->factor) {
    *counts = (AbutFactorCounts){c->common.fl, c->common.lnz, (PetscReal)sizeof(double) * c->common.lnz};
  } else if (c->single) {
    const Fronts *f = c->single->fronts;
    PetscReal     all, largest;
    FrontsCountEntries(f, &all, &largest);
    *counts = (AbutFactorCounts){f->flops, (PetscReal)f->panel[f->num], (PetscReal)sizeof(float) * all};
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode SolveDouble(Cholesky *c, PetscInt n, const PetscScalar in[], PetscScalar out[])
{
  cholmod_dense rhs = {
    .nrow = (size_t)n, .ncol = 1, .nzmax = (size_t)n, .d = (size_t)n, .x = (void *)in, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};

  PetscFunctionBegin;
  PetscCheck(CHOLMOD(solve2)(CHOLMOD_A, c->factor, &rhs, NULL, &c->x, NULL, &c->y, &c->e, &c->common), PETSC_COMM_SELF, PETSC_ERR_LIB,
             "CHOLMOD's solution failed with status %d", c->common.status);
  PetscCall(PetscArraycpy(out, (PetscScalar *)c->x->x, n));
  PetscCall(PetscLogFlops(4 * c->common.lnz));
  PetscFunctionReturn(0);
}

static PetscErrorCode Apply(PC pc, Vec b, Vec x)
{
  Cholesky          *c = (Cholesky *)AbutShellContext(pc);
  const PetscScalar *in;
  PetscScalar       *out;
  PetscInt           n;

  PetscFunctionBegin;
  if (!c->definite) {
    PetscCall(AbutShellScale(pc, b, x));
    PetscFunctionReturn(0);
  }
  PetscCall(VecGetLocalSize(b, &n));
  if (n == 0) PetscFunctionReturn(0);
  PetscCall(VecGetArrayRead(b, &in));
  PetscCall(VecGetArrayWrite(x, &out));
  if (c->is_single) {
    SingleSolve(c->single, in, out);
    PetscCall(PetscLogFlops(4 * (PetscLogDouble)c->single->fronts->panel[c->single->fronts->num]));
  } else {
    PetscCall(SolveDouble(c, n, in, out));
  }
  PetscCall(VecRestoreArrayWrite(x, &out));
  PetscCall(VecRestoreArrayRead(b, &in));
  PetscFunctionReturn(0);
}

static PetscErrorCode View(PC pc, PetscViewer viewer)
{
  const Cholesky *c = (Cholesky *)AbutShellContext(pc);
  PetscBool       ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(0);
  if (c->is_single)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  Cholesky in single precision: %g nonzeros in the factor, %g operations\n",
                                     (double)c->single->fronts->panel[c->single->fronts->num], (double)c->single->fronts->flops));
  else
    PetscCall(
      PetscViewerASCIIPrintf(viewer, "  Cholesky by CHOLMOD: %g nonzeros in the factor, %g operations\n", c->common.lnz, c->common.fl));
  PetscFunctionReturn(0);
}

static PetscErrorCode Destroy(PC pc)
{
  Cholesky *c = (Cholesky *)AbutShellContext(pc);

  PetscFunctionBegin;
  Free(c);
  PetscCall(SingleDestroy(&c->single));
  CHOLMOD(finish)(&c->common);
  PetscCall(PetscFree(c));
  PetscFunctionReturn(0);
}

static const AbutShell shell = {"abut-cholesky", SetUp, Apply, View, Destroy};

PetscErrorCode AbutCholeskyCreate(PC pc)
{
  Cholesky *c;

  PetscFunctionBegin;
  PetscCall(PetscNew(&c));
  c->definite = PETSC_TRUE;
  CHOLMOD(start)(&c->common);
  c->common.nmethods                   = 1; /* no ordering but the given one */
  c->common.method[0].ordering         = CHOLMOD_GIVEN;
  c->common.quick_return_if_not_posdef = 1;
  c->common.final_ll = 1; /* always L L^T: for small matrices CHOLMOD would compute L D L^T, which also exists for indefinite ones */
  c->common.print    = 0;
  PetscCall(AbutShellCreate(pc, &shell, c));
  PetscFunctionReturn(0);
}
