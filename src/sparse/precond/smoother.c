/*
  Solutions on aggregates, the preconditioner "abut-aggregates": a factorisation of the matrix of this rank without the couplings between
  aggregates. Stiff contacts within an aggregate therefore cost no iterations. The factor is in single precision unless that would lose
  most digits of a pivot, as with contacts 100,000 times as stiff as the cells.
*/
#include "aggregates.h"
#include "couplings.h"
#include "precondimpl.h"

#define LEAST_PIVOT 1e-5 /* of a factor in single precision, over the diagonal entry; its errors are a few times 6e-8 of the entry */

typedef struct {
  const Aggregates *aggregates; /* borrowed */
  PetscObjectId     matrix;     /* id of the matrix whose pattern D has */
  PetscObjectState  pattern;
  PetscInt         *ia, *ja; /* couplings within aggregates; D uses these arrays in place */
  PetscInt         *from;    /* [ia[rows]] position of each entry in the values of the matrix */
  PetscScalar      *values;  /* [ia[rows]] */
  Mat               D;
  PC                factor; /* NULL before the first set-up */
  Vec               b, x;   /* vectors of this rank without arrays of their own */
} Smoother;

PetscBool AggregatesSmootherIsDefinite(PC pc)
{
  const Smoother *s = (Smoother *)AbutShellContext(pc);

  return s->factor ? AbutCholeskyIsDefinite(s->factor) : PETSC_TRUE;
}

/* Counts (ja NULL) or lists the entries within aggregates; sets or uses the row starts s->ia. */
static void ListEntries(Smoother *s, PetscInt bs, PetscInt rows, const PetscInt ia[], const PetscInt ja[], PetscBool count)
{
  const PetscInt *of = s->aggregates->of;
  PetscInt        at = 0;

  for (PetscInt i = 0; i < rows; i++) {
    s->ia[i] = at;
    for (PetscInt k = ia[i]; k < ia[i + 1]; k++) {
      if (of[i / bs] != of[ja[k] / bs]) continue;
      if (!count) s->ja[at] = ja[k];
      if (!count) s->from[at] = k;
      at++;
    }
  }
  s->ia[rows] = at;
}

static PetscErrorCode DestroyMatrix(Smoother *s)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&s->D));
  PetscCall(PetscFree(s->ia));
  PetscCall(PetscFree3(s->ja, s->from, s->values));
  PetscFunctionReturn(0);
}

/* The matrix without couplings between aggregates; its values follow. */
static PetscErrorCode CreateMatrix(Smoother *s, Mat local)
{
  const PetscInt *ia, *ja;
  PetscInt        rows, bs;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(DestroyMatrix(s));
  PetscCall(MatGetBlockSize(local, &bs));
  PetscCall(MatGetRowIJ(local, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));
  PetscCall(PetscMalloc1(rows + 1, &s->ia));
  ListEntries(s, bs, rows, ia, ja, PETSC_TRUE);
  PetscCall(PetscMalloc3(s->ia[rows], &s->ja, s->ia[rows], &s->from, s->ia[rows], &s->values));
  ListEntries(s, bs, rows, ia, ja, PETSC_FALSE);
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, rows, rows, s->ia, s->ja, s->values, &s->D));
  PetscCall(MatRestoreRowIJ(local, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done)); /* sets rows to 0 */
  PetscCall(MatSetBlockSize(s->D, bs));
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateFactor(Smoother *s, PetscInt rows)
{
  PetscFunctionBegin;
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, rows, NULL, &s->b));
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, rows, NULL, &s->x));
  PetscCall(PCCreate(PETSC_COMM_SELF, &s->factor));
  PetscCall(PCSetType(s->factor, "abut-cholesky"));
  AbutCholeskySetSingle(s->factor, PETSC_TRUE);
  AbutCholeskySetLeastPivot(s->factor, LEAST_PIVOT);
  PetscFunctionReturn(0);
}

/* Gives D the pattern of A, whose part on this rank is `local`. */
static PetscErrorCode SetPattern(Smoother *s, Mat A, Mat local)
{
  PetscObjectId    matrix;
  PetscObjectState pattern;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)A, &matrix));
  PetscCall(MatGetNonzeroState(A, &pattern));
  if (s->D && matrix == s->matrix && pattern == s->pattern) PetscFunctionReturn(0);
  PetscCall(CreateMatrix(s, local));
  if (s->factor) AbutCholeskySetSingle(s->factor, PETSC_TRUE);
  s->matrix  = matrix;
  s->pattern = pattern;
  PetscFunctionReturn(0);
}

static PetscErrorCode SetUp(PC pc)
{
  Smoother          *s = (Smoother *)AbutShellContext(pc);
  const PetscScalar *values;
  Mat                A, local;
  PetscInt           rows;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(CouplingsLocalMat(A, &local));
  PetscCall(MatGetLocalSize(local, &rows, NULL));
  PetscCall(SetPattern(s, A, local));
  if (!s->factor) PetscCall(CreateFactor(s, rows));
  PetscCall(MatSeqAIJGetArrayRead(local, &values));
  for (PetscInt k = 0; k < s->ia[rows]; k++) s->values[k] = values[s->from[k]];
  PetscCall(MatSeqAIJRestoreArrayRead(local, &values));
  PetscCall(MatAssemblyBegin(s->D, MAT_FINAL_ASSEMBLY)); /* increases the object state: the values were written in place */
  PetscCall(MatAssemblyEnd(s->D, MAT_FINAL_ASSEMBLY));
  PetscCall(PCSetOperators(s->factor, s->D, s->D));
  PetscCall(PCSetUp(s->factor));
  /* A matrix that needs double precision is not tried in single precision again in its pattern. An indefinite one may not need it. */
  if (!AbutCholeskyIsSingle(s->factor) && AbutCholeskyIsDefinite(s->factor)) AbutCholeskySetSingle(s->factor, PETSC_FALSE);
  PetscFunctionReturn(0);
}

static PetscErrorCode Apply(PC pc, Vec b, Vec x)
{
  Smoother          *s = (Smoother *)AbutShellContext(pc);
  const PetscScalar *in;
  PetscScalar       *out;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(b, &in));
  PetscCall(VecGetArrayWrite(x, &out));
  PetscCall(VecPlaceArray(s->b, in));
  PetscCall(VecPlaceArray(s->x, out));
  PetscCall(PCApply(s->factor, s->b, s->x));
  PetscCall(VecResetArray(s->b));
  PetscCall(VecResetArray(s->x));
  PetscCall(VecRestoreArrayRead(b, &in));
  PetscCall(VecRestoreArrayWrite(x, &out));
  PetscFunctionReturn(0);
}

static PetscErrorCode View(PC pc, PetscViewer viewer)
{
  const Smoother *s = (Smoother *)AbutShellContext(pc);
  PetscInt        num[3];
  PetscBool       ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(0);
  num[0] = s->aggregates->num;
  num[1] = s->aggregates->n;
  num[2] = s->factor && !AbutCholeskyIsSingle(s->factor) && num[1] > 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, num, 3, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)pc)));
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "  Cholesky on %" PetscInt_FMT " aggregates of %" PetscInt_FMT " vertices, in double precision on %" PetscInt_FMT " ranks\n",
    num[0], num[1], num[2]));
  PetscFunctionReturn(0);
}

static PetscErrorCode Destroy(PC pc)
{
  Smoother *s = (Smoother *)AbutShellContext(pc);

  PetscFunctionBegin;
  PetscCall(PCDestroy(&s->factor));
  PetscCall(DestroyMatrix(s));
  PetscCall(VecDestroy(&s->b));
  PetscCall(VecDestroy(&s->x));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(0);
}

static const AbutShell shell = {"abut-aggregates", SetUp, Apply, View, Destroy};

PetscErrorCode AggregatesSetSmoother(PC pc, const Aggregates *aggregates)
{
  Smoother *s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  s->aggregates = aggregates;
  PetscCall(AbutShellCreate(pc, &shell, s));
  PetscFunctionReturn(0);
}
