/* Division of a rank's vertices into aggregates by METIS. Couplings between stiff contacts are strong, so aggregates contain them. */
#include "aggregates.h"
#include "linearimpl.h"
#include <math.h>
#include <metis.h>

#define WEIGHT_MAX 1000 /* largest weight of a coupling, which is an integer; couplings weaker than 0.5 are ignored */

PetscErrorCode AggregatesLocalMat(Mat A, Mat *local)
{
  PetscBool distributed;

  PetscFunctionBegin;
  *local = A;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIAIJ, &distributed));
  if (distributed) PetscCall(MatMPIAIJGetSeqAIJ(A, local, NULL, NULL));
  PetscFunctionReturn(0);
}

/* Rows of a sequential matrix with blocks of bs x bs. */
typedef struct {
  PetscInt           bs, n;
  const PetscInt    *ia, *ja;
  const PetscScalar *values;
} Rows;

/* Squared Frobenius norm of block number k of block row v. */
static PetscReal BlockNorm2(const Rows *r, PetscInt v, PetscInt k)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < r->bs; i++) {
    const PetscScalar *row = r->values + r->ia[v * r->bs + i] + k * r->bs;
    for (PetscInt j = 0; j < r->bs; j++) sum += PetscRealPart(row[j]) * PetscRealPart(row[j]);
  }
  return sum;
}

/* Number of blocks of block row v, and the block column of its block k. */
static PetscInt NumBlocks(const Rows *r, PetscInt v)
{
  return (r->ia[v * r->bs + 1] - r->ia[v * r->bs]) / r->bs;
}

static PetscInt BlockColumn(const Rows *r, PetscInt v, PetscInt k)
{
  return r->ja[r->ia[v * r->bs] + k * r->bs] / r->bs;
}

/* First block of each block row, counted over all rows; [n + 1], freed by the caller. */
static PetscErrorCode CountBlocks(const Rows *r, PetscInt **first)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(r->n + 1, first));
  (*first)[0] = 0;
  for (PetscInt v = 0; v < r->n; v++) (*first)[v + 1] = (*first)[v] + NumBlocks(r, v);
  PetscFunctionReturn(0);
}

/*
  Integer strength |A_vw| / sqrt(|A_vv| |A_ww|) of each coupling, 0 for v = w. Computed once for v < w and copied to (w, v), because METIS
  needs a graph that is symmetric bit for bit. at: work array [n].
*/
static void SetStrengths(const Rows *r, const PetscInt first[], const PetscReal diagonal[], PetscInt at[], idx_t strength[])
{
  for (PetscInt v = 0; v < r->n; v++) at[v] = 0;
  for (PetscInt v = 0; v < r->n; v++)
    for (PetscInt k = 0; k < NumBlocks(r, v); k++) {
      const PetscInt  w    = BlockColumn(r, v, k);
      const PetscReal both = diagonal[v] * diagonal[w];
      if (w < v) continue;
      strength[first[v] + k] = w > v && both > 0 ? (idx_t)lrint(WEIGHT_MAX * PetscMin(1, PetscSqrtReal(BlockNorm2(r, v, k) / both))) : 0;
      if (w > v) strength[first[w] + at[w]++] = strength[first[v] + k];
    }
}

/* Removes couplings of strength 0: first[] becomes xadj, columns go to adjncy, strengths move to the front. */
static void CompressGraph(const Rows *r, const PetscInt first[], idx_t xadj[], idx_t adjncy[], idx_t strength[])
{
  PetscInt count = 0;

  for (PetscInt v = 0; v < r->n; v++) {
    xadj[v] = (idx_t)count;
    for (PetscInt k = 0; k < first[v + 1] - first[v]; k++) {
      if (strength[first[v] + k] == 0) continue;
      adjncy[count]     = (idx_t)BlockColumn(r, v, k);
      strength[count++] = strength[first[v] + k];
    }
  }
  xadj[r->n] = (idx_t)count;
}

/*
  part[v] in [0, num): METIS divides the graph of strong couplings. Recursive bisection, because k-way partitions sometimes had parts of
  several pieces (20 instead of 13 iterations for a twisted mat).
*/
static PetscErrorCode Divide(const Rows *r, PetscInt num, idx_t part[])
{
  PetscInt       *first, *at;
  PetscReal      *diagonal;
  idx_t          *xadj, *adjncy, *strength, options[METIS_NOPTIONS], n = (idx_t)r->n, one = 1, parts = (idx_t)num, cut;
  int             status;
  AbutTermination termination;

  PetscFunctionBegin;
  PetscCall(CountBlocks(r, &first));
  PetscCall(PetscMalloc2(r->n, &at, r->n, &diagonal));
  PetscCall(PetscMalloc3(r->n + 1, &xadj, first[r->n], &adjncy, first[r->n], &strength));
  for (PetscInt v = 0; v < r->n; v++)
    for (PetscInt k = 0; k < NumBlocks(r, v); k++)
      if (BlockColumn(r, v, k) == v) diagonal[v] = PetscSqrtReal(BlockNorm2(r, v, k));
  SetStrengths(r, first, diagonal, at, strength);
  CompressGraph(r, first, xadj, adjncy, strength);
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  AbutTerminationBlock(&termination);
  status = METIS_PartGraphRecursive(&n, &one, xadj, adjncy, NULL, NULL, strength, &parts, NULL, NULL, options, &cut, part);
  AbutTerminationRestore(&termination);
  PetscCheck(status == METIS_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "METIS_PartGraphRecursive failed");
  PetscCall(PetscFree3(xadj, adjncy, strength));
  PetscCall(PetscFree2(at, diagonal));
  PetscCall(PetscFree(first));
  PetscFunctionReturn(0);
}

/* Numbers the parts that are not empty in the order of their first vertices. */
static PetscErrorCode NumberAggregates(PetscInt parts, const idx_t part[], Aggregates *a)
{
  PetscInt *number;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(parts, &number));
  for (PetscInt p = 0; p < parts; p++) number[p] = -1;
  for (PetscInt v = 0; v < a->n; v++) {
    if (number[part[v]] < 0) number[part[v]] = a->num++;
    a->of[v] = number[part[v]];
  }
  PetscCall(PetscFree(number));
  PetscFunctionReturn(0);
}

PetscErrorCode AggregatesCreate(Mat A, PetscInt size, Aggregates *a)
{
  Mat       local;
  Rows      r;
  PetscInt  rows, parts;
  idx_t    *part;
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(AggregatesLocalMat(A, &local));
  PetscCall(MatGetBlockSize(A, &r.bs));
  PetscCall(MatGetRowIJ(local, 0, PETSC_FALSE, PETSC_FALSE, &rows, &r.ia, &r.ja, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix type gives no access to its rows");
  PetscCall(MatSeqAIJGetArrayRead(local, &r.values));
  r.n   = rows / r.bs;
  *a    = (Aggregates){.n = r.n};
  parts = PetscMax(1, r.n / size);
  PetscCall(PetscMalloc1(r.n, &a->of));
  PetscCall(PetscCalloc1(r.n, &part));
  if (parts > 1) PetscCall(Divide(&r, parts, part));
  PetscCall(NumberAggregates(parts, part, a));
  PetscCall(PetscFree(part));
  PetscCall(MatSeqAIJRestoreArrayRead(local, &r.values));
  PetscCall(MatRestoreRowIJ(local, 0, PETSC_FALSE, PETSC_FALSE, &rows, &r.ia, &r.ja, &done));
  PetscFunctionReturn(0);
}

PetscErrorCode AggregatesDestroy(Aggregates *a)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(a->of));
  *a = (Aggregates){0};
  PetscFunctionReturn(0);
}
