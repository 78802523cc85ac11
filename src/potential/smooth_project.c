/*
  Projection of local Hessians of any size.

  A pair's energy does not change with translations, so only what is orthogonal to them needs eigenvalues. With m points and c = 1 / (1 + sqrt m)
  the reflection that takes the uniform weights to the first point leaves, as H has no share in translations,

      R_pq = H_pq - c (H_0q + H_p0) + c^2 H_00,    p, q = 1 ... m - 1,

  and an eigenvector r of R is that of H with components r_p - t / (m + sqrt m), t = sum r, and -t / sqrt m at the first point.
*/
#include "smoothimpl.h"
#include <petscblaslapack.h>

/* The negative eigenvalues w of V [m x m] and their eigenvectors, which take its place; scratch of 38 m numbers. */
static PetscErrorCode Negative(PetscInt m, PetscReal V[], PetscReal w[], PetscReal scratch[], PetscInt *count)
{
  PetscBLASInt size, lwork, info;
  PetscReal    A[ABUT_EIGEN_MAX * ABUT_EIGEN_MAX];

  PetscFunctionBegin;
  *count = 0;
  if (m <= ABUT_EIGEN_MAX) {
    (void)PetscArraycpy(A, V, m * m);
    *count = AbutEigenNegative(m, A, w, V);
    PetscFunctionReturn(0);
  }
  PetscCall(PetscBLASIntCast(m, &size));
  PetscCall(PetscBLASIntCast(38 * m, &lwork));
  LAPACKsyev_("V", "U", &size, V, &size, w, scratch, &lwork, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "Eigenvalues of a %" PetscInt_FMT " x %" PetscInt_FMT " Hessian: LAPACK returned %d", m, m, (int)info);
  while (*count < m && w[*count] < 0) (*count)++;
  PetscFunctionReturn(0);
}

/* A - share w v v^T: share is 1 for clamp, 2 for the absolute value */
static void TakeAway(PetscInt n, AbutProjection projection, PetscReal w, const PetscReal v[], PetscReal A[])
{
  const PetscReal f = projection == ABUT_PSD_CLAMP ? -w : -2 * w;

  for (PetscInt r = 0; r < n; r++) {
    for (PetscInt c = 0; c < n; c++) A[n * r + c] += f * v[r] * v[c];
  }
}

PetscErrorCode AbutSmoothProject(PetscInt n, AbutProjection projection, PetscReal A[], PetscReal scratch[])
{
  PetscReal *V = scratch, *w = V + n * n;
  PetscInt   count;

  PetscFunctionBegin;
  if (projection == ABUT_PSD_NONE) PetscFunctionReturn(0);
  (void)PetscArraycpy(V, A, n * n);
  PetscCall(Negative(n, V, w, w + n, &count));
  for (PetscInt k = 0; k < count; k++) TakeAway(n, projection, w[k], V + n * k, A);
  PetscFunctionReturn(0);
}

/* The m - 1 points that are left of the reflected matrix. */
static void Reflect(PetscInt dim, PetscInt m, const PetscReal A[], PetscReal R[])
{
  const PetscInt  n = dim * m, s = n - dim;
  const PetscReal c = 1 / (1 + PetscSqrtReal((PetscReal)m));

  for (PetscInt r = 0; r < s; r++) {
    const PetscReal *row = A + n * (dim + r), *first = A + n * (r % dim);
    for (PetscInt q = 0; q < s; q++) {
      const PetscReal both = row[q % dim] + first[dim + q];
      R[s * r + q]         = row[dim + q] - c * both + c * c * first[q % dim];
    }
  }
}

/* An eigenvector r of what is left, as one of the whole: v. */
static void ReflectBack(PetscInt dim, PetscInt m, const PetscReal r[], PetscReal v[])
{
  const PetscReal root = PetscSqrtReal((PetscReal)m);

  for (PetscInt i = 0; i < dim; i++) {
    PetscReal sum = 0;
    for (PetscInt p = 0; p < m - 1; p++) sum += r[dim * p + i];
    v[i] = -sum / root;
    for (PetscInt p = 1; p < m; p++) v[dim * p + i] = r[dim * (p - 1) + i] - sum / ((PetscReal)m + root);
  }
}

PetscErrorCode AbutSmoothProjectFree(PetscInt dim, PetscInt m, AbutProjection projection, PetscReal A[], PetscReal scratch[])
{
  const PetscInt n = dim * m, s = n - dim;
  PetscReal     *V = scratch, *w = V + s * s, *v = w + s;
  PetscInt       count;

  PetscFunctionBegin;
  if (projection == ABUT_PSD_NONE) PetscFunctionReturn(0);
  Reflect(dim, m, A, V);
  PetscCall(Negative(s, V, w, v, &count));
  for (PetscInt k = 0; k < count; k++) {
    ReflectBack(dim, m, V + s * k, v);
    TakeAway(n, projection, w[k], v, A);
  }
  PetscFunctionReturn(0);
}
