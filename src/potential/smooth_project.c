/*
  Projection of local Hessians of any size, several at once.

  A pair's energy does not change with translations, so only what is orthogonal to them needs eigenvalues. With m points and c = 1 / (1 + sqrt m)
  the reflection that takes the uniform weights to the first point leaves, as H has no share in translations,

      R_pq = H_pq - c (H_0q + H_p0) + c^2 H_00,    p, q = 1 ... m - 1,

  and what projection adds to R is added to H by the same reflection.
*/
#include "smoothimpl.h"

#define L ABUT_LANES

/* What is a number of a matrix here is one of every matrix, as in AbutNegativeParts(): L of them beside one another. */
#define FOR_LANES for (int l = 0; l < L; l++)

/* Upper parts of the matrices A, side by side; 0 for those that there are not. */
static void Take(PetscInt n, PetscInt count, const PetscReal A[], PetscReal X[])
{
  for (PetscInt r = 0; r < n; r++) {
    for (PetscInt q = r; q < n; q++) {
      PetscReal *x    = X + L * (n * r + q);
      FOR_LANES  x[l] = l < count ? A[n * (n * l + r) + q] : 0;
    }
  }
}

static void GiveBack(PetscInt n, PetscInt count, const PetscReal X[], PetscReal A[])
{
  for (PetscInt r = 0; r < n; r++) {
    for (PetscInt q = r; q < n; q++) {
      const PetscReal *x = X + L * (n * r + q);
      for (PetscInt l = 0; l < count; l++) {
        PetscReal *a = A + n * n * l;
        a[n * r + q] += x[l];
        a[n * q + r] = a[n * r + q];
      }
    }
  }
}

/* What is left of the reflected matrix of m points: upper parts. */
static inline void Reflect(PetscInt dim, PetscInt m, const PetscReal X[], PetscReal R[])
{
  const PetscInt  n = dim * m, s = n - dim;
  const PetscReal c = 1 / (1 + PetscSqrtReal((PetscReal)m));

  for (PetscInt r = 0; r < s; r++) {
    for (PetscInt q = r; q < s; q++) {
      const PetscInt   i = r % dim, j = q % dim;
      const PetscReal *own = X + L * (n * (dim + r) + dim + q), *row = X + L * (n * i + dim + q), *column = X + L * (n * j + dim + r);
      const PetscReal *first = X + L * (n * PetscMin(i, j) + PetscMax(i, j));
      PetscReal       *to    = R + L * (s * r + q);
      FOR_LANES        to[l] = own[l] - c * (row[l] + column[l]) + c * c * first[l];
    }
  }
}

/*
  X = scale V N V^T, N being the upper part of what Reflect() left: V has the rows -1 / sqrt m of the first point and I - (1 / (m + sqrt m)) of the others.
*/
static inline void Expand(PetscInt dim, PetscInt m, PetscReal scale, const PetscReal N[], PetscReal X[], PetscReal sum[])
{
  const PetscInt  n = dim * m, s = n - dim;
  const PetscReal root = PetscSqrtReal((PetscReal)m), a = scale / root, b = 1 / ((PetscReal)m + root);
  PetscReal       all[3][3][L] = {{{0}}};

  /* sum_i = the sum of the rows of component i of all points */
  (void)PetscArrayzero(sum, L * dim * s);
  for (PetscInt r = 0; r < s; r++) {
    for (PetscInt q = r; q < s; q++) {
      const PetscReal *value = N + L * (s * r + q);
      PetscReal       *right = sum + L * (s * (r % dim) + q), *down = sum + L * (s * (q % dim) + r);
      FOR_LANES        right[l] += value[l];
      if (q > r) FOR_LANES down[l] += value[l];
    }
  }
  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt q = 0; q < s; q++) FOR_LANES all[i][q % dim][l] += sum[L * (s * i + q) + l];
  }
  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt j = i; j < dim; j++) FOR_LANES X[L * (n * i + j) + l] = a / root * all[i][j][l];
    for (PetscInt q = 0; q < s; q++) FOR_LANES X[L * (n * i + dim + q) + l] = a * (b * all[i][q % dim][l] - sum[L * (s * i + q) + l]);
  }
  for (PetscInt r = 0; r < s; r++) {
    for (PetscInt q = r; q < s; q++) {
      const PetscInt   i = r % dim, j = q % dim;
      const PetscReal *value = N + L * (s * r + q), *right = sum + L * (s * i + q), *down = sum + L * (s * j + r);
      PetscReal       *to    = X + L * (n * (dim + r) + dim + q);
      FOR_LANES        to[l] = scale * (value[l] - b * (right[l] + down[l]) + b * b * all[i][j][l]);
    }
  }
}

size_t AbutSmoothProjectScratch(PetscInt n)
{
  return (size_t)(2 * L * n * (n + 4));
}

void AbutSmoothProject(PetscInt dim, PetscInt m, PetscBool free, AbutProjection projection, PetscInt count, PetscReal A[],
                       PetscReal scratch[])
{
  const PetscInt  n = dim * m, s = free ? n - dim : n;
  const PetscReal scale = projection == ABUT_PSD_ABSOLUTE ? 2 : 1;
  PetscReal      *X = scratch, *rest = X + L * n * n, *R = rest, *sum = R + L * s * s;

  if (projection == ABUT_PSD_NONE) return;
  Take(n, count, A, X);
  if (!free) {
    AbutNegativeParts(n, X, rest);
    for (PetscInt i = 0; i < L * n * n; i++) X[i] *= scale;
  } else if (dim == 3) {
    Reflect(3, m, X, R);
    AbutNegativeParts(s, R, X); /* which has served: the less there is, the nearer to the processor it stays */
    Expand(3, m, scale, R, X, sum);
  } else {
    Reflect(2, m, X, R);
    AbutNegativeParts(s, R, X);
    Expand(2, m, scale, R, X, sum);
  }
  GiveBack(n, count, X, A);
}
