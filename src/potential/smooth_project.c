/* Projection of local Hessians of any size. Vertices that only wait in the one-ring have empty rows, as a rule most of them. */
#include "smoothimpl.h"
#include <petscblaslapack.h>

#define SMALL 12 /* largest matrix of AbutProject() */

/* Rows that are not empty. */
static PetscInt FindRows(PetscInt n, const PetscReal A[], PetscInt row[])
{
  PetscInt count = 0;

  for (PetscInt r = 0; r < n; r++) {
    PetscInt c = 0;
    while (c < n && A[n * r + c] == 0) c++;
    if (c < n) row[count++] = r;
  }
  return count;
}

/* A + sum over negative eigenvalues w of f (-w) v v^T, f = 1 (clamp) or 2 (absolute): as a rule few of many. */
static PetscErrorCode ProjectLarge(PetscInt n, AbutProjection projection, PetscReal A[], PetscInt m, const PetscInt row[], PetscReal V[])
{
  PetscReal   *w = V + m * m, *work = w + m;
  PetscBLASInt size, lwork, info;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(m, &size));
  PetscCall(PetscBLASIntCast(38 * m, &lwork));
  LAPACKsyev_("V", "U", &size, V, &size, w, work, &lwork, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "Eigenvalues of a %" PetscInt_FMT " x %" PetscInt_FMT " Hessian: LAPACK returned %d", m, m, (int)info);
  for (PetscInt k = 0; k < m && w[k] < 0; k++) {
    const PetscReal *v = V + m * k, f = projection == ABUT_PSD_CLAMP ? -w[k] : -2 * w[k];
    for (PetscInt r = 0; r < m; r++) {
      for (PetscInt c = 0; c < m; c++) A[n * row[r] + row[c]] += f * v[r] * v[c];
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSmoothProject(PetscInt n, AbutProjection projection, PetscReal A[], PetscReal scratch[])
{
  PetscInt  *row = (PetscInt *)scratch, m;
  PetscReal *V   = scratch + n;

  PetscFunctionBegin;
  if (projection == ABUT_PSD_NONE) PetscFunctionReturn(0);
  m = FindRows(n, A, row);
  for (PetscInt r = 0; r < m; r++) {
    for (PetscInt c = 0; c < m; c++) V[m * r + c] = A[n * row[r] + row[c]];
  }
  if (m > SMALL) {
    PetscCall(ProjectLarge(n, projection, A, m, row, V));
    PetscFunctionReturn(0);
  }
  AbutProject(m, projection, V);
  for (PetscInt r = 0; r < m; r++) {
    for (PetscInt c = 0; c < m; c++) A[n * row[r] + row[c]] = V[m * r + c];
  }
  PetscFunctionReturn(0);
}
