/* Interpolation from aggregates: an orthonormal basis of the modes on each of them. */
#include "aggregates.h"
#include <abut/containers.h>
#include <petscblaslapack.h>

/* Work arrays of the orthogonalisation, column-major. */
typedef struct {
  PetscInt     n;         /* modes */
  PetscScalar *q;         /* [n][m] modes on an aggregate with m rows, then their orthonormal basis */
  PetscScalar *r;         /* [n][n] upper triangle: the modes in the basis */
  PetscScalar *tau, *aux; /* [n] */
} Basis;

static PetscErrorCode CreateBasis(PetscInt num_modes, PetscInt longest, Basis *b)
{
  PetscFunctionBegin;
  b->n = num_modes;
  PetscCall(PetscMalloc4(longest * b->n, &b->q, b->n * b->n, &b->r, b->n, &b->tau, b->n, &b->aux));
  PetscFunctionReturn(0);
}

/* Q R of m >= n rows: replaces q by Q and sets r. */
static PetscErrorCode Orthogonalize(PetscInt m, const Basis *b)
{
  PetscBLASInt rows, columns, info;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(m, &rows));
  PetscCall(PetscBLASIntCast(b->n, &columns));
  PetscCallBLAS("LAPACKgeqrf", LAPACKgeqrf_(&rows, &columns, b->q, &rows, b->tau, b->aux, &columns, &info));
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "geqrf failed with info %d", (int)info);
  for (PetscInt j = 0; j < b->n; j++)
    for (PetscInt i = 0; i < b->n; i++) b->r[j * b->n + i] = i <= j ? b->q[j * m + i] : 0;
  PetscCallBLAS("LAPACKorgqr", LAPACKorgqr_(&rows, &columns, &columns, b->q, &rows, b->tau, b->aux, &columns, &info));
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "orgqr failed with info %d", (int)info);
  PetscFunctionReturn(0);
}

/* Vertices of an aggregate. */
typedef struct {
  PetscInt        bs, num, index; /* unknowns of a vertex; vertices; number of the aggregate */
  const PetscInt *vertex;         /* [num] */
} Members;

/* Length of the columns of an aggregate: with fewer rows than modes rows of zeros are added. */
static PetscInt Length(const Members *a, PetscInt num_modes)
{
  return PetscMax(a->num * a->bs, num_modes);
}

static Members GetMembers(const AbutCSR *members, PetscInt bs, PetscInt k)
{
  return (Members){bs, members->start[k + 1] - members->start[k], k, members->item + members->start[k]};
}

/* Copies the modes, vectors of `rows` entries, on an aggregate. */
static PetscErrorCode Gather(const Members *a, PetscInt rows, const PetscScalar modes[], const Basis *b)
{
  const PetscInt m = Length(a, b->n);

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(b->q, m * b->n));
  for (PetscInt j = 0; j < b->n; j++)
    for (PetscInt i = 0; i < a->num * a->bs; i++) b->q[j * m + i] = modes[j * rows + a->vertex[i / a->bs] * a->bs + i % a->bs];
  PetscFunctionReturn(0);
}

/* Number of columns of the basis that are used: 0 if all modes are 0, so that the basis is arbitrary; at most the number of rows. */
static PetscInt CountUsed(const Members *a, const Basis *b)
{
  PetscReal largest = 0;

  for (PetscInt k = 0; k < b->n * b->n; k++) largest = PetscMax(largest, PetscAbsScalar(b->r[k]));
  return largest > 0 ? PetscMin(a->num * a->bs, b->n) : 0;
}

/* Stores the basis of an aggregate: its rows of P, its coarse modes, its unused columns. columns: of this rank. */
static PetscErrorCode Store(const Members *a, const Basis *b, PetscInt columns, Interpolation *out)
{
  const PetscInt m = Length(a, b->n), column = a->index * b->n, used = CountUsed(a, b);
  PetscInt       first_row, first_column;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(out->P, &first_row, NULL));
  PetscCall(MatGetOwnershipRangeColumn(out->P, &first_column, NULL));
  for (PetscInt i = 0; i < a->num * a->bs; i++)
    for (PetscInt j = 0; j < b->n; j++)
      PetscCall(MatSetValue(out->P, first_row + a->vertex[i / a->bs] * a->bs + i % a->bs, first_column + column + j,
                            j < used ? b->q[j * m + i] : 0, INSERT_VALUES));
  for (PetscInt j = 0; j < b->n; j++) PetscCall(PetscArraycpy(out->modes + j * columns + column, b->r + j * b->n, b->n));
  for (PetscInt j = used; j < b->n; j++) out->unused[out->num_unused++] = column + j;
  PetscFunctionReturn(0);
}

static PetscErrorCode Allocate(Mat A, const Aggregates *a, PetscInt bs, PetscInt num_modes, Interpolation *out)
{
  const PetscInt columns = a->num * num_modes;

  PetscFunctionBegin;
  *out = (Interpolation){0};
  PetscCall(
    MatCreateAIJ(PetscObjectComm((PetscObject)A), a->n * bs, columns, PETSC_DETERMINE, PETSC_DETERMINE, num_modes, NULL, 0, NULL, &out->P));
  PetscCall(MatSetBlockSizes(out->P, bs, num_modes));
  PetscCall(PetscMalloc1(columns * num_modes, &out->modes));
  PetscCall(PetscMalloc1(columns, &out->unused));
  PetscFunctionReturn(0);
}

PetscErrorCode InterpolationCreate(Mat A, const Aggregates *a, PetscInt num_modes, const PetscScalar modes[], Interpolation *out)
{
  PetscInt bs, longest = 0;
  AbutCSR  members = {0};
  Basis    basis;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(Allocate(A, a, bs, num_modes, out));
  PetscCall(AbutCSRSetPairs(a->num, a->n, 1, a->of, NULL, &members));
  for (PetscInt k = 0; k < a->num; k++) {
    const Members m = GetMembers(&members, bs, k);
    longest         = PetscMax(longest, Length(&m, num_modes));
  }
  PetscCall(CreateBasis(num_modes, longest, &basis));
  for (PetscInt k = 0; k < a->num; k++) {
    const Members m = GetMembers(&members, bs, k);
    PetscCall(Gather(&m, a->n * bs, modes, &basis));
    PetscCall(Orthogonalize(Length(&m, num_modes), &basis));
    PetscCall(Store(&m, &basis, a->num * num_modes, out));
  }
  PetscCall(PetscFree4(basis.q, basis.r, basis.tau, basis.aux));
  PetscCall(AbutCSRDestroy(&members));
  PetscCall(MatAssemblyBegin(out->P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(out->P, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

PetscErrorCode InterpolationDestroy(Interpolation *interpolation)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&interpolation->P));
  PetscCall(PetscFree(interpolation->modes));
  PetscCall(PetscFree(interpolation->unused));
  *interpolation = (Interpolation){0};
  PetscFunctionReturn(0);
}
