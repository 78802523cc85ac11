/* Finds blocks of a matrix that lack entries. Rows of a block are compared as a whole, because each new pattern is searched. */
#include "blocks.h"
#include <string.h>

/* Whether a row has columns of whole blocks only. */
static PetscBool HasWholeBlocks(PetscInt bs, PetscInt length, const PetscInt ja[], const PetscInt number[])
{
  if (length % bs) return PETSC_FALSE;
  for (PetscInt k = 0; k < length; k += bs) {
    const PetscInt first = number ? number[ja[k]] : ja[k], last = number ? number[ja[k + bs - 1]] : ja[k + bs - 1];
    if (first % bs || last != first + bs - 1) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Whether two rows have the same columns. */
static PetscBool AreEqual(const PetscInt ia[], const PetscInt ja[], PetscInt one, PetscInt other)
{
  const PetscInt length = ia[one + 1] - ia[one];

  return (PetscBool)(ia[other + 1] - ia[other] == length &&
                     (!length || !memcmp(ja + ia[one], ja + ia[other], (size_t)length * sizeof(*ja))));
}

PetscInt BlocksFindSparse(PetscInt n, PetscInt bs, const PetscInt ia[], const PetscInt ja[], const PetscInt number[])
{
  for (PetscInt row = 0; row < n; row += bs) {
    if (!HasWholeBlocks(bs, ia[row + 1] - ia[row], ja + ia[row], number)) return row;
    for (PetscInt i = 1; i < bs; i++)
      if (!AreEqual(ia, ja, row, row + i)) return row;
  }
  return n;
}

/* BlocksFindSparse() in a sequential part of a matrix. *row: PETSC_MAX_INT = there is none. */
static PetscErrorCode FindInPart(Mat part, PetscInt bs, const PetscInt number[], PetscInt *row)
{
  const PetscInt *ia, *ja;
  PetscInt        n;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(part, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix type gives no access to its rows");
  *row = BlocksFindSparse(n, bs, ia, ja, number);
  if (*row == n) *row = PETSC_MAX_INT;
  PetscCall(MatRestoreRowIJ(part, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  PetscFunctionReturn(0);
}

PetscErrorCode BlocksCheckDense(Mat A, const char name[])
{
  const MPI_Comm  comm    = PetscObjectComm((PetscObject)A);
  Mat             part[2] = {A, NULL};
  const PetscInt *number  = NULL;
  PetscInt        bs, first, row[2] = {PETSC_MAX_INT, PETSC_MAX_INT}, bad;
  PetscBool       distributed;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIAIJ, &distributed));
  if (distributed) PetscCall(MatMPIAIJGetSeqAIJ(A, &part[0], &part[1], &number));
  for (int p = 0; p < 2 && part[p]; p++) PetscCall(FindInPart(part[p], bs, p == 1 ? number : NULL, &row[p]));
  bad = PetscMin(row[0], row[1]);
  if (bad < PETSC_MAX_INT) bad += first;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPIU_INT, MPI_MIN, comm));
  PetscCheck(bad == PETSC_MAX_INT, comm, PETSC_ERR_SUP,
             "%s needs all entries of each %" PetscInt_FMT " x %" PetscInt_FMT
             " block of the matrix, zeros too: a block of rows %" PetscInt_FMT " to %" PetscInt_FMT " lacks some",
             name, bs, bs, bad, bad + bs - 1);
  PetscFunctionReturn(0);
}
