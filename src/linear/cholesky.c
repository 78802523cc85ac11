/*
  Sparse Cholesky factorisation by CHOLMOD, the preconditioner "abut-cholesky". Differences from PETSc's own interface to CHOLMOD: the
  matrix is not copied; the workspace of triangular solutions is kept; matrices may have a block size; an indefinite matrix is no error,
  but AbutCholeskyIsDefinite() returns false, so that Newton's method can project the Hessian.
*/
#include "cholmodimpl.h"
#include "linearimpl.h"

typedef struct {
  cholmod_common   common;
  cholmod_factor  *factor;
  cholmod_dense   *x, *y, *e; /* solution and workspace, reused between solutions */
  PetscObjectId    matrix;    /* id of the matrix object whose pattern was analysed */
  PetscObjectState pattern;
  PetscBool        definite;
} Cholesky;

PetscBool AbutCholeskyIsDefinite(PC pc)
{
  return ((Cholesky *)AbutShellContext(pc))->definite;
}

static void Free(Cholesky *c)
{
  CHOLMOD(free_factor)(&c->factor, &c->common);
  CHOLMOD(free_dense)(&c->x, &c->common);
  CHOLMOD(free_dense)(&c->y, &c->common);
  CHOLMOD(free_dense)(&c->e, &c->common);
}

/* Symbolic factorisation with a nested dissection ordering of the vertex graph. */
static PetscErrorCode Analyze(Cholesky *c, Mat A, cholmod_sparse *view)
{
  IS              row, col;
  const PetscInt *order;

  PetscFunctionBegin;
  Free(c);
  PetscCall(AbutOrderingGet(A, NULL, &row, &col));
  PetscCall(ISGetIndices(row, &order));
  c->factor = CHOLMOD(analyze_p)(view, (Index *)order, NULL, 0, &c->common);
  PetscCall(ISRestoreIndices(row, &order));
  PetscCall(ISDestroy(&row));
  PetscCall(ISDestroy(&col));
  PetscCheck(c->factor, PETSC_COMM_SELF, PETSC_ERR_LIB, "CHOLMOD's symbolic factorisation failed with status %d", c->common.status);
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
  PetscObjectId      matrix;
  PetscObjectState   pattern;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(PetscObjectGetId((PetscObject)A, &matrix));
  PetscCall(MatGetNonzeroState(A, &pattern));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "abut-cholesky needs a sequential AIJ matrix");
  c->definite = PETSC_TRUE;
  if (n == 0) PetscFunctionReturn(0); /* rank without vertices */
  PetscCall(MatSeqAIJGetArrayRead(A, &values));
  cholmod_sparse view = {.nrow   = (size_t)n,
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
  if (!c->factor || c->matrix != matrix || c->pattern != pattern) PetscCall(Analyze(c, A, &view));
  c->matrix  = matrix;
  c->pattern = pattern;
  PetscCheck(CHOLMOD(factorize)(&view, c->factor, &c->common), PETSC_COMM_SELF, PETSC_ERR_LIB,
             "CHOLMOD's factorisation failed with status %d", c->common.status);
  c->definite = (PetscBool)(c->common.status != CHOLMOD_NOT_POSDEF);
  PetscCall(PetscLogFlops(c->common.fl));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &values));
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
  if (!c->definite) {
    PetscCall(AbutShellScale(pc, b, x));
    PetscFunctionReturn(0);
  }
  PetscCall(VecGetLocalSize(b, &n));
  if (n == 0) PetscFunctionReturn(0);
  PetscCall(VecGetArrayRead(b, &in));
  cholmod_dense rhs = {
    .nrow = (size_t)n, .ncol = 1, .nzmax = (size_t)n, .d = (size_t)n, .x = (void *)in, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};
  PetscCheck(CHOLMOD(solve2)(CHOLMOD_A, c->factor, &rhs, NULL, &c->x, NULL, &c->y, &c->e, &c->common), PETSC_COMM_SELF, PETSC_ERR_LIB,
             "CHOLMOD's solution failed with status %d", c->common.status);
  PetscCall(VecRestoreArrayRead(b, &in));
  PetscCall(VecGetArrayWrite(x, &out));
  PetscCall(PetscArraycpy(out, (PetscScalar *)c->x->x, n));
  PetscCall(VecRestoreArrayWrite(x, &out));
  PetscCall(PetscLogFlops(4 * c->common.lnz));
  PetscFunctionReturn(0);
}

static PetscErrorCode View(PC pc, PetscViewer viewer)
{
  const Cholesky *c = (Cholesky *)AbutShellContext(pc);
  PetscBool       ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (ascii)
    PetscCall(
      PetscViewerASCIIPrintf(viewer, "  Cholesky by CHOLMOD: %g nonzeros in the factor, %g operations\n", c->common.lnz, c->common.fl));
  PetscFunctionReturn(0);
}

static PetscErrorCode Destroy(PC pc)
{
  Cholesky *c = (Cholesky *)AbutShellContext(pc);

  PetscFunctionBegin;
  Free(c);
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
