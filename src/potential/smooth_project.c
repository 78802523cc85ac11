/* Projection of local Hessians of any size. */
#include "smoothimpl.h"
#include <petscblaslapack.h>

/* A + sum over negative eigenvalues w of f (-w) v v^T, f = 1 (clamp) or 2 (absolute): as a rule few of many. */
PetscErrorCode AbutSmoothProject(PetscInt n, AbutProjection projection, PetscReal A[], PetscReal scratch[])
{
  PetscReal   *V = scratch, *w = V + n * n, *work = w + n;
  PetscBLASInt size, lwork, info;

  PetscFunctionBegin;
  if (projection == ABUT_PSD_NONE) PetscFunctionReturn(0);
  if (n <= 12) {
    AbutProject(n, projection, A);
    PetscFunctionReturn(0);
  }
  PetscCall(PetscBLASIntCast(n, &size));
  PetscCall(PetscBLASIntCast(39 * n, &lwork));
  PetscCall(PetscArraycpy(V, A, n * n));
  LAPACKsyev_("V", "U", &size, V, &size, w, work, &lwork, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "Eigenvalues of a %" PetscInt_FMT " x %" PetscInt_FMT " Hessian: LAPACK returned %d", n, n, (int)info);
  for (PetscInt k = 0; k < n && w[k] < 0; k++) {
    const PetscReal *v = V + n * k, f = projection == ABUT_PSD_CLAMP ? -w[k] : -2 * w[k];
    for (PetscInt r = 0; r < n; r++) {
      for (PetscInt c = 0; c < n; c++) A[n * r + c] += f * v[r] * v[c];
    }
  }
  PetscFunctionReturn(0);
}
