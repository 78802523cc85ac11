/* Graphs of couplings between vertices from a matrix, their division by METIS. Couplings of stiff contacts are strong. */
#include "couplings.h"
#include "redistribution.h"
#include <abut/core.h>
#include <abut/petsc_versions.h>
#include <math.h>

PetscErrorCode CouplingsLocalMat(Mat A, Mat *local)
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
  Mat                A;
  PetscInt           bs, n;
  const PetscInt    *ia, *ja;
  const PetscScalar *values;
} Rows;

static PetscErrorCode GetRows(Mat A, PetscInt bs, Rows *r)
{
  PetscInt  rows;
  PetscBool done;

  PetscFunctionBegin;
  *r = (Rows){.A = A, .bs = bs};
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &r->ia, &r->ja, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix type gives no access to its rows");
  PetscCall(MatSeqAIJGetArrayRead(A, &r->values));
  r->n = rows / bs;
  PetscFunctionReturn(0);
}

static PetscErrorCode RestoreRows(Rows *r)
{
  PetscInt  rows;
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJRestoreArrayRead(r->A, &r->values));
  PetscCall(MatRestoreRowIJ(r->A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &r->ia, &r->ja, &done));
  PetscFunctionReturn(0);
}

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

/* Norms of the diagonal blocks; [n] */
static void SetDiagonal(const Rows *r, PetscReal diagonal[])
{
  for (PetscInt v = 0; v < r->n; v++)
    for (PetscInt k = 0; k < NumBlocks(r, v); k++)
      if (BlockColumn(r, v, k) == v) diagonal[v] = PetscSqrtReal(BlockNorm2(r, v, k));
}

/* Integer strength of block k of block row v; `both` is the product of the norms of the two diagonal blocks. */
static idx_t Strength(const Rows *r, PetscInt v, PetscInt k, PetscReal both)
{
  return both > 0 ? (idx_t)lrint(COUPLING_MAX * PetscMin(1, BlockNorm2(r, v, k) / both)) : 0;
}

/*
  Strength of each coupling, 0 for v = w. Computed once for v < w and copied to (w, v), because METIS needs a graph that is symmetric bit
  for bit. at: work array [n].
*/
static void SetStrengths(const Rows *r, const PetscInt first[], const PetscReal diagonal[], PetscInt at[], idx_t strength[])
{
  for (PetscInt v = 0; v < r->n; v++) at[v] = 0;
  for (PetscInt v = 0; v < r->n; v++)
    for (PetscInt k = 0; k < NumBlocks(r, v); k++) {
      const PetscInt w = BlockColumn(r, v, k);
      if (w < v) continue;
      strength[first[v] + k] = w > v ? Strength(r, v, k, diagonal[v] * diagonal[w]) : 0;
      if (w > v) strength[first[w] + at[w]++] = strength[first[v] + k];
    }
}

/* Removes couplings of strength 0: sets xadj and adjncy, moves strengths to the front. */
static void Compress(const Rows *r, const PetscInt first[], Couplings *c)
{
  PetscInt count = 0;

  for (PetscInt v = 0; v < r->n; v++) {
    c->xadj[v] = (idx_t)count;
    for (PetscInt k = 0; k < first[v + 1] - first[v]; k++) {
      if (c->strength[first[v] + k] == 0) continue;
      c->adjncy[count]     = (idx_t)BlockColumn(r, v, k);
      c->strength[count++] = c->strength[first[v] + k];
    }
  }
  c->xadj[r->n] = (idx_t)count;
}

PetscErrorCode CouplingsAllocate(PetscInt n, PetscInt couplings, Couplings *c)
{
  PetscFunctionBegin;
  c->n = (idx_t)n;
  PetscCall(PetscMalloc4(n + 1, &c->xadj, couplings, &c->adjncy, couplings, &c->strength, n, &c->weight));
  PetscFunctionReturn(0);
}

PetscErrorCode CouplingsCreate(Mat A, Couplings *c)
{
  PetscInt  *first, *at, bs;
  PetscReal *diagonal;
  Mat        local;
  Rows       r;

  PetscFunctionBegin;
  PetscCall(CouplingsLocalMat(A, &local));
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(GetRows(local, bs, &r));
  PetscCall(CountBlocks(&r, &first));
  PetscCall(PetscCalloc2(r.n, &at, r.n, &diagonal));
  PetscCall(CouplingsAllocate(r.n, first[r.n], c));
  SetDiagonal(&r, diagonal);
  SetStrengths(&r, first, diagonal, at, c->strength);
  Compress(&r, first, c);
  for (PetscInt v = 0; v < r.n; v++) c->weight[v] = c->xadj[v + 1] > c->xadj[v];
  PetscCall(PetscFree2(at, diagonal));
  PetscCall(PetscFree(first));
  PetscCall(RestoreRows(&r));
  PetscFunctionReturn(0);
}

PetscErrorCode CouplingsDestroy(Couplings *c)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(c->xadj, c->adjncy, c->strength, c->weight));
  *c = (Couplings){0};
  PetscFunctionReturn(0);
}

/* Norms of the diagonal blocks of owned vertices, and of the vertices of other ranks that rows of this rank contain. Collective. */
static PetscErrorCode GetDiagonals(Mat local, PetscInt bs, PetscSF ghosts, PetscReal *owned, PetscReal *ghost)
{
  Rows r;

  PetscFunctionBegin;
  PetscCall(GetRows(local, bs, &r));
  PetscCall(PetscArrayzero(owned, r.n));
  SetDiagonal(&r, owned);
  PetscCall(RestoreRows(&r));
  PetscCall(AbutSFBcastRows(ghosts, MPIU_REAL, 1, owned, ghost));
  PetscFunctionReturn(0);
}

PetscErrorCode CouplingsCreateRemote(Mat A, RemoteCouplings *c)
{
  PetscInt   bs, num_owned, num_ghosts;
  PetscReal *owned, *ghost;
  Mat        local, other;
  Rows       r;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &local, &other, NULL));
  PetscCall(RedistributionGhosts(A, &c->ghosts));
  PetscCall(PetscSFGetGraph(c->ghosts, &num_owned, &num_ghosts, NULL, NULL));
  PetscCall(PetscMalloc2(num_owned, &owned, num_ghosts, &ghost));
  PetscCall(GetDiagonals(local, bs, c->ghosts, owned, ghost));
  PetscCall(GetRows(other, bs, &r));
  PetscCall(CountBlocks(&r, &c->start));
  PetscCall(PetscMalloc2(c->start[r.n], &c->ghost, c->start[r.n], &c->strength));
  for (PetscInt v = 0, at = 0; v < r.n; v++)
    for (PetscInt k = 0; k < NumBlocks(&r, v); k++, at++) {
      c->ghost[at]    = BlockColumn(&r, v, k);
      c->strength[at] = Strength(&r, v, k, owned[v] * ghost[c->ghost[at]]);
    }
  PetscCall(RestoreRows(&r));
  PetscCall(PetscFree2(owned, ghost));
  PetscFunctionReturn(0);
}

PetscErrorCode CouplingsDestroyRemote(RemoteCouplings *c)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(c->start));
  PetscCall(PetscFree2(c->ghost, c->strength));
  PetscCall(PetscSFDestroy(&c->ghosts));
  PetscFunctionReturn(0);
}

/*
  Adds the couplings of node i to the list of its new node, which begins at `begin`. at: [num] place of each new node in this list; below
  `begin` if it is not there yet.
*/
static void AddCouplings(const Couplings *c, PetscInt i, const PetscInt to[], PetscInt begin, PetscInt at[], PetscInt *count,
                         Couplings *merged)
{
  for (idx_t k = c->xadj[i]; k < c->xadj[i + 1]; k++) {
    const PetscInt j = to[c->adjncy[k]];
    if (j == to[i]) continue;
    if (at[j] < begin) {
      at[j]                    = *count;
      merged->adjncy[*count]   = (idx_t)j;
      merged->strength[*count] = 0;
      (*count)++;
    }
    merged->strength[at[j]] += c->strength[k];
  }
}

PetscErrorCode CouplingsMerge(const Couplings *c, PetscInt num, const PetscInt to[], Couplings *merged)
{
  AbutCSR   members = {0};
  PetscInt *at, count = 0;

  PetscFunctionBegin;
  PetscCall(AbutCSRSetPairs(num, c->n, 1, to, NULL, &members));
  PetscCall(CouplingsAllocate(num, c->xadj[c->n], merged));
  PetscCall(PetscMalloc1(num, &at));
  for (PetscInt j = 0; j < num; j++) at[j] = -1;
  for (PetscInt j = 0; j < num; j++) {
    const PetscInt begin = count;
    merged->xadj[j]      = (idx_t)count;
    merged->weight[j]    = 0;
    for (PetscInt m = members.start[j]; m < members.start[j + 1]; m++) {
      merged->weight[j] += c->weight[members.item[m]];
      AddCouplings(c, members.item[m], to, begin, at, &count, merged);
    }
  }
  merged->xadj[num] = (idx_t)count;
  PetscCall(PetscFree(at));
  PetscCall(AbutCSRDestroy(&members));
  PetscFunctionReturn(0);
}

PetscInt CouplingsSumWeights(const Couplings *c)
{
  PetscInt sum = 0;

  for (idx_t i = 0; i < c->n; i++) sum += c->weight[i];
  return sum;
}

/*
  Recursive bisection, because k-way partitions sometimes had parts of several pieces (20 instead of 13 iterations for a twisted mat).
  fractions: [num] of the weight for each part; NULL: equal ones.
*/
static PetscErrorCode Partition(const Couplings *c, PetscInt num, real_t fractions[], idx_t part[])
{
  idx_t           options[METIS_NOPTIONS], n = c->n, one = 1, parts = (idx_t)num, cut;
  int             status;
  AbutTermination termination;

  PetscFunctionBegin;
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  AbutTerminationBlock(&termination);
  status =
    METIS_PartGraphRecursive(&n, &one, c->xadj, c->adjncy, c->weight, NULL, c->strength, &parts, fractions, NULL, options, &cut, part);
  AbutTerminationRestore(&termination);
  PetscCheck(status == METIS_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "METIS_PartGraphRecursive failed");
  PetscFunctionReturn(0);
}

/* Divides the nodes with weight: METIS distributes nodes without weight at random and balances worse with them. */
static PetscErrorCode PartitionWeighted(const Couplings *c, PetscInt num, real_t fractions[], idx_t part[])
{
  PetscInt *to, count = 0;
  idx_t    *own;
  Couplings weighted;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(c->n, &to, c->n, &own));
  for (idx_t i = 0; i < c->n; i++) to[i] = c->weight[i] > 0 ? count++ : -1;
  PetscCall(CouplingsMerge(c, count, to, &weighted));
  PetscCall(Partition(&weighted, num, fractions, own));
  for (idx_t i = 0; i < c->n; i++)
    if (to[i] >= 0) part[i] = own[to[i]];
  PetscCall(CouplingsDestroy(&weighted));
  PetscCall(PetscFree2(to, own));
  PetscFunctionReturn(0);
}

PetscErrorCode CouplingsDivide(const Couplings *c, PetscInt num, idx_t part[])
{
  PetscFunctionBegin;
  for (idx_t i = 0; i < c->n; i++) part[i] = (idx_t)((PetscInt64)i * num / c->n);
  if (num > 1 && CouplingsSumWeights(c) > 0) PetscCall(PartitionWeighted(c, num, NULL, part));
  PetscFunctionReturn(0);
}

PetscErrorCode CouplingsBisect(const Couplings *c, PetscInt first, PetscInt num, idx_t half[])
{
  real_t fractions[2] = {(real_t)first / (real_t)num, (real_t)(num - first) / (real_t)num};

  PetscFunctionBegin;
  for (idx_t i = 0; i < c->n; i++) half[i] = (PetscInt64)i * num / c->n < first ? 0 : 1;
  if (CouplingsSumWeights(c) > 0) PetscCall(PartitionWeighted(c, 2, fractions, half));
  PetscFunctionReturn(0);
}

PetscErrorCode CouplingsExtract(const Couplings *c, const idx_t part[], idx_t which, PetscInt number[], Couplings *extracted)
{
  PetscInt n = 0, entries = 0;
  idx_t    count = 0;

  PetscFunctionBegin;
  for (idx_t i = 0; i < c->n; i++) {
    number[i] = part[i] == which ? n++ : -1;
    if (number[i] >= 0) entries += c->xadj[i + 1] - c->xadj[i];
  }
  PetscCall(CouplingsAllocate(n, entries, extracted));
  for (idx_t i = 0; i < c->n; i++) {
    if (number[i] < 0) continue;
    extracted->xadj[number[i]]   = count;
    extracted->weight[number[i]] = c->weight[i];
    for (idx_t k = c->xadj[i]; k < c->xadj[i + 1]; k++) {
      if (number[c->adjncy[k]] < 0) continue;
      extracted->adjncy[count]     = (idx_t)number[c->adjncy[k]];
      extracted->strength[count++] = c->strength[k];
    }
  }
  extracted->xadj[n] = count;
  PetscFunctionReturn(0);
}

PetscErrorCode CouplingsFindFixed(Mat A, PetscBool fixed[])
{
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; row++) {
    const PetscInt    *columns;
    const PetscScalar *values;
    PetscInt           n;

    fixed[row - first] = PETSC_TRUE;
    PetscCall(MatGetRow(A, row, &n, &columns, &values));
    for (PetscInt k = 0; k < n && fixed[row - first]; k++) fixed[row - first] = (PetscBool)(columns[k] == row || values[k] == 0);
    PetscCall(MatRestoreRow(A, row, &n, &columns, &values));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode CouplingsCompareFixed(Mat A, const PetscBool before[], PetscBool *same)
{
  PetscBool *fixed;
  PetscInt   rows;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCall(PetscMalloc1(rows, &fixed));
  PetscCall(CouplingsFindFixed(A, fixed));
  PetscCall(PetscArraycmp(fixed, before, rows, same));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, same, 1, AbutMPIBool, MPI_LAND, PetscObjectComm((PetscObject)A)));
  PetscCall(PetscFree(fixed));
  PetscFunctionReturn(0);
}
