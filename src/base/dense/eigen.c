/*
  Eigenvalues of small symmetric matrices by Householder reflections and implicit QL sweeps [Golub & Van Loan 8.3], and projection to the
  nearest positive semidefinite matrix.
*/
#include "denseimpl.h"

#define MAX_N      ABUT_EIGEN_MAX
#define MAX_SWEEPS 40 /* largest number of sweeps per eigenvalue; 2 or 3 are usual */

/*
  Computes the basis of the tridiagonal form, the rows of B, from the reflection vectors in the rows of A and their factors beta. The
  inner loops run along rows, so that they vectorise.
*/
static void FormBasis(PetscInt n, PetscReal A[MAX_N][MAX_N], const PetscReal beta[], PetscReal B[MAX_N][MAX_N])
{
  PetscReal Q[MAX_N][MAX_N], along[MAX_N];

  for (PetscInt j = 0; j < n; j++)
    for (PetscInt i = 0; i < n; i++) Q[j][i] = i == j;
  for (PetscInt k = n - 3; k >= 0; k--) {
    const PetscReal *v = A[k];

    if (!(beta[k] > 0)) continue;
    for (PetscInt i = k + 1; i < n; i++) along[i] = 0;
    for (PetscInt j = k + 1; j < n; j++)
      for (PetscInt i = k + 1; i < n; i++) along[i] += v[j] * Q[j][i];
    for (PetscInt j = k + 1; j < n; j++)
      for (PetscInt i = k + 1; i < n; i++) Q[j][i] -= beta[k] * v[j] * along[i];
  }
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) B[i][j] = Q[j][i];
}

/*
  Reduces A to tridiagonal form with diagonal d and off-diagonal e by Householder reflections I - beta v v^T. A is overwritten; row k keeps
  the vector v of step k. The rows of Q become the orthonormal basis of the tridiagonal form.
*/
static void Tridiagonalize(PetscInt n, PetscReal A[MAX_N][MAX_N], PetscReal d[], PetscReal e[], PetscReal Q[MAX_N][MAX_N])
{
  PetscReal beta[MAX_N] = {0}, w[MAX_N];

  for (PetscInt k = 0; k < n - 2; k++) {
    PetscReal      *v    = A[k] + k + 1, along;
    const PetscInt  m    = n - k - 1;
    const PetscReal tail = AbutDot(m - 1, v + 1, v + 1), norm = PetscSqrtReal(v[0] * v[0] + tail);

    e[k]    = v[0];
    beta[k] = 0;
    if (!(tail > 0)) continue;
    e[k] = v[0] > 0 ? -norm : norm;
    v[0] -= e[k];
    beta[k] = 2 / (v[0] * v[0] + tail);
    for (PetscInt j = 0; j < m; j++) w[j] = 0;
    for (PetscInt i = 0; i < m; i++)
      for (PetscInt j = 0; j < m; j++) w[j] += beta[k] * v[i] * A[k + 1 + i][k + 1 + j];
    along = beta[k] / 2 * AbutDot(m, w, v);
    for (PetscInt i = 0; i < m; i++) w[i] -= along * v[i];
    for (PetscInt i = 0; i < m; i++)
      for (PetscInt j = 0; j < m; j++) A[k + 1 + i][k + 1 + j] -= v[i] * w[j] + w[i] * v[j];
  }
  if (n > 1) e[n - 2] = A[n - 2][n - 1];
  for (PetscInt i = 0; i < n; i++) d[i] = A[i][i];
  FormBasis(n, A, beta, Q);
}

/*
  One implicit QL sweep over rows l to m of a tridiagonal matrix whose off-diagonal entries there are not negligible [Golub & Van Loan
  8.3].
*/
static void SweepQL(PetscInt n, PetscInt l, PetscInt m, PetscReal d[], PetscReal e[], PetscReal Q[MAX_N][MAX_N])
{
  const PetscReal half = (d[l + 1] - d[l]) / (2 * e[l]), root = PetscSqrtReal(half * half + 1);
  PetscReal       g = d[m] - d[l] + e[l] / (half + (half >= 0 ? root : -root)), s = 1, c = 1, p = 0;

  e[m] = 0; /* negligible; the rotations below would not update it */
  for (PetscInt i = m - 1; i >= l; i--) {
    const PetscReal f = s * e[i], b = c * e[i], r = PetscSqrtReal(f * f + g * g);
    PetscReal       t;

    if (i + 1 < m) e[i + 1] = r;
    if (!(r > 0)) { /* the block splits: undo the shift; the next sweep processes the remaining rows */
      d[i + 1] -= p;
      return;
    }
    s = f / r;
    c = g / r;
    t = (d[i] - d[i + 1] + p) * s + 2 * c * b;
    g = c * t - b;
    d[i + 1] += s * t - p;
    p = s * t;
    RotateColumns(n, c, s, Q[i + 1], Q[i]);
  }
  d[l] -= p;
  e[l] = g;
}

/* Computes the eigenvalues w of A and its eigenvectors, the rows of Q. A is overwritten. */
static void Diagonalize(PetscInt n, PetscReal A[MAX_N][MAX_N], PetscReal w[], PetscReal Q[MAX_N][MAX_N])
{
  PetscReal e[MAX_N], max = 0, unit = 1;
  int       exponent;

  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) max = PetscMax(max, PetscAbsReal(A[i][j]));
  if (PetscUnlikely(max > SCALE_LIMIT || max < 1 / SCALE_LIMIT) && max > 0 && !PetscIsInfOrNanReal(max)) {
    (void)frexp(max, &exponent);
    unit = ldexp(1, PetscMax(PetscMin(exponent, 1000), -1000)); /* products with powers of two are exact */
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt j = 0; j < n; j++) A[i][j] *= 1 / unit;
    max *= 1 / unit;
  }
  Tridiagonalize(n, A, w, e, Q);
  for (PetscInt l = 0, sweep = 0; l < n - 1 && sweep < MAX_SWEEPS * n; sweep++) {
    PetscInt m = l;
    while (m < n - 1 && PetscAbsReal(e[m]) > PETSC_MACHINE_EPSILON * (PetscAbsReal(w[m]) + PetscAbsReal(w[m + 1]) + 0.01 * max)) m++;
    if (m == l)
      l++;
    else
      SweepQL(n, l, m, w, e, Q);
  }
  for (PetscInt i = 0; i < n; i++) w[i] *= unit;
}

void AbutEigenSymmetric(PetscInt n, const PetscReal A[], PetscReal w[], PetscReal Q[])
{
  PetscReal B[MAX_N][MAX_N], R[MAX_N][MAX_N], d[MAX_N];
  PetscInt  order[MAX_N];

  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) B[i][j] = A[n * i + j];
  Diagonalize(n, B, d, R);
  for (PetscInt k = 0; k < n; k++) {
    PetscInt at = k;
    for (; at > 0 && d[order[at - 1]] > d[k]; at--) order[at] = order[at - 1];
    order[at] = k;
  }
  for (PetscInt j = 0; j < n; j++) {
    w[j] = d[order[j]];
    for (PetscInt i = 0; i < n; i++) Q[n * i + j] = R[order[j]][i];
  }
}

/* Whether A has a Cholesky factor with pivots well above round-off, so that A is positive definite beyond doubt. */
static PetscBool IsDefinite(PetscInt n, const PetscReal A[])
{
  PetscReal L[MAX_N][MAX_N], column[MAX_N], max = 0;

  for (PetscInt i = 0; i < n; i++) max = PetscMax(max, PetscAbsReal(A[n * i + i]));
  for (PetscInt i = 0; i < n; i++) {
    if (!(A[n * i + i] > 1e-13 * max)) return PETSC_FALSE;
    for (PetscInt j = 0; j <= i; j++) L[i][j] = A[n * i + j];
  }
  for (PetscInt j = 0; j < n; j++) {
    PetscReal r;
    if (!(L[j][j] > 1e-13 * max)) return PETSC_FALSE;
    r = 1 / L[j][j];
    for (PetscInt i = j + 1; i < n; i++) column[i] = L[i][j];
    for (PetscInt i = j + 1; i < n; i++) {
      const PetscReal share = r * column[i];
      for (PetscInt k = j + 1; k <= i; k++) L[i][k] -= share * column[k];
    }
  }
  return PETSC_TRUE;
}

void AbutProject(PetscInt n, AbutProjection projection, PetscReal A[])
{
  PetscReal B[MAX_N][MAX_N], R[MAX_N][MAX_N], w[MAX_N];

  if (projection == ABUT_PSD_NONE || IsDefinite(n, A)) return;
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) B[i][j] = A[n * i + j];
  Diagonalize(n, B, w, R);
  for (PetscInt k = 0; k < n; k++) {
    if (w[k] >= 0) continue;
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt j = 0; j < n; j++) A[n * i + j] -= w[k] * R[k][i] * R[k][j];
  }
}
