/*
  Sparse Cholesky factorisation on one rank, the preconditioner "abut-cholesky". The matrix is not copied; an indefinite matrix is no error,
  but AbutCholeskyIsDefinite() returns false, so that Newton's method can project the Hessian.

  A factor in single precision (factor.h) takes half the time. AbutCholeskySetSingle() requests it. If round-off makes it fail, or pivots
  are less accurate than requested, a factor in double precision follows. A matrix that is clearly indefinite is not factorised again.
*/
#include "blocks.h"
#include "factor.h"
#include "precondimpl.h"

typedef struct {
  Factor          *factor; /* NULL: none yet */
  PetscObjectId    matrix; /* id of the matrix object whose pattern `factor` has */
  PetscObjectState pattern;
  PetscBool        asked;     /* a factor in single precision is wanted */
  PetscReal        least;     /* smallest pivot in single precision that is accepted, over the diagonal entry; 0: all positive ones */
  PetscBool        is_single; /* the last factorisation was tried in single precision only */
  PetscBool        current;   /* `factor` has the pattern of the matrix */
  PetscBool        computed;  /* and its numbers, too */
  PetscBool        renew;     /* the elimination order must not depend on earlier patterns */
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

/* Symbolic factorisation, unless there is one of this pattern. Blocks that lack entries are taken apart. */
static PetscErrorCode Analyze(Cholesky *c, Mat A, PetscInt n, const PetscInt ia[], const PetscInt ja[])
{
  PetscInt bs;

  PetscFunctionBegin;
  if (c->current && !c->renew) PetscFunctionReturn(0);
  PetscCall(MatGetBlockSize(A, &bs));
  if (BlocksFindSparse(n, bs, ia, ja, NULL) < n) bs = 1;
  PetscCall(FactorAnalyze(n / bs, bs, ia, ja, c->renew, &c->factor));
  c->renew = c->computed = PETSC_FALSE;
  c->current             = PETSC_TRUE;
  PetscFunctionReturn(0);
}

/* Factorises in single precision. is_single: the result stays, as a factor or because the matrix is clearly indefinite. */
static PetscErrorCode FactorSingle(Cholesky *c, const PetscInt ia[], const PetscInt ja[], const PetscScalar values[])
{
  PetscReal least = 1;

  PetscFunctionBegin;
  PetscCall(FactorCompute(c->factor, PETSC_TRUE, ia, ja, values, &c->definite));
  if (c->definite && c->least > 0) PetscCall(FactorLeastPivot(c->factor, ia, ja, values, &least));
  c->is_single = (PetscBool)(c->definite && least >= c->least);
  if (!c->definite) PetscCall(FactorIsIndefinite(c->factor, ia, ja, values, &c->is_single));
  PetscFunctionReturn(0);
}

/* Rows of A, until MatRestoreRowIJ(). */
static PetscErrorCode GetRows(Mat A, PetscInt *n, const PetscInt *ia[], const PetscInt *ja[])
{
  PetscBool aij, done = PETSC_FALSE;
  MatType   type;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  if (aij) PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, n, ia, ja, &done));
  PetscCall(MatGetType(A, &type));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "abut-cholesky needs a matrix of type seqaij, this one has type %s", type);
  PetscFunctionReturn(0);
}

/* Notes whether the symbolic factorisation was made for another pattern. */
static PetscErrorCode SetPattern(Cholesky *c, Mat A)
{
  PetscObjectId    matrix;
  PetscObjectState pattern;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)A, &matrix));
  PetscCall(MatGetNonzeroState(A, &pattern));
  if (c->matrix == matrix && c->pattern == pattern) PetscFunctionReturn(0);
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
  PetscCall(MatGetSize(A, &n, NULL));
  c->definite = PETSC_TRUE;
  if (n == 0) PetscFunctionReturn(0); /* rank without vertices */
  PetscCall(GetRows(A, &n, &ia, &ja));
  PetscCall(MatSeqAIJGetArrayRead(A, &values));
  PetscCall(SetPattern(c, A));
  c->is_single = PETSC_FALSE;
  PetscCall(Analyze(c, A, n, ia, ja));
  if (c->asked) PetscCall(FactorSingle(c, ia, ja, values));
  if (!c->is_single) PetscCall(FactorCompute(c->factor, PETSC_FALSE, ia, ja, values, &c->definite));
  c->computed = PETSC_TRUE;
  PetscCall(MatSeqAIJRestoreArrayRead(A, &values));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutCholeskyAnalyze(PC pc, Mat A, AbutFactorCounts *counts)
{
  Cholesky       *c = (Cholesky *)AbutShellContext(pc);
  const PetscInt *ia, *ja;
  PetscInt        n;
  PetscBool       done;

  PetscFunctionBegin;
  *counts = (AbutFactorCounts){0};
  PetscCall(GetRows(A, &n, &ia, &ja));
  if (n > 0 && (c->renew || !c->factor)) { /* else the factor of an earlier pattern may still serve; its counts are about the same */
    PetscCall(SetPattern(c, A));
    PetscCall(Analyze(c, A, n, ia, ja));
  }
  if (n > 0) {
    PetscReal all, largest;
    FrontsCountEntries(c->factor->fronts, &all, &largest);
    *counts =
      (AbutFactorCounts){c->factor->fronts->flops, FactorEntries(c->factor), (PetscReal)(c->asked ? sizeof(float) : sizeof(double)) * all};
  }
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  PetscFunctionReturn(0);
}

static PetscErrorCode Apply(PC pc, Vec b, Vec x)
{
  Cholesky          *c = (Cholesky *)AbutShellContext(pc);
  const PetscScalar *in;
  PetscScalar       *out;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(b, &n));
  if (n == 0) PetscFunctionReturn(0);
  if (!c->computed) PetscCall(SetUp(pc)); /* analysed since for the same matrix, for which PCSetUp() does nothing */
  if (!c->definite) {
    PetscCall(AbutShellScale(pc, b, x));
    PetscFunctionReturn(0);
  }
  PetscCall(VecGetArrayRead(b, &in));
  PetscCall(VecGetArrayWrite(x, &out));
  FactorSolve(c->factor, in, out);
  PetscCall(PetscLogFlops(4 * FactorEntries(c->factor)));
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
  if (!c->factor) PetscFunctionReturn(0);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  Cholesky in %s precision: %g nonzeros in the factor, %g operations\n",
                                   c->factor->single ? "single" : "double", (double)FactorEntries(c->factor),
                                   (double)c->factor->fronts->flops));
  PetscFunctionReturn(0);
}

static PetscErrorCode Destroy(PC pc)
{
  Cholesky *c = (Cholesky *)AbutShellContext(pc);

  PetscFunctionBegin;
  PetscCall(FactorDestroy(&c->factor));
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
  PetscCall(AbutShellCreate(pc, &shell, c));
  PetscFunctionReturn(0);
}
