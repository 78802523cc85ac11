/*
  Projection of local Hessians of any size, several at once.

  A pair's energy does not change with translations, so only what is orthogonal to them needs eigenvalues. With m points and c = 1 / (1 + sqrt m)
  the reflection that takes the uniform weights to the first point leaves, as H has no share in translations,

      R_pq = H_pq - c (H_0q + H_p0) + c^2 H_00,    p, q = 1 ... m - 1,

  and what projection adds to R is added to H by the same reflection.

  Matrices over fewer points than the largest have rows of zeros after their own, which stay zeros on the way (c = 0 there) and change nothing
  about the others.
*/
#include "orientedimpl.h"

#define L     ABUT_SIMD_WIDTH
#define ALIGN 64 /* bytes of a cache line: numbers side by side should not straddle two */

/* What is a number of a matrix here is one of every matrix, as in AbutNegativeParts(): L of them beside one another. */
#define FOR_LANES for (int l = 0; l < L; l++)

/* Upper parts of the matrices A, side by side in one of n rows; 0 beyond a matrix and for those that there are not. */
static void Take(PetscInt dim, PetscInt n, PetscInt count, const PetscInt m[], const PetscReal A[], PetscReal X[])
{
  (void)PetscArrayzero(X, L * n * n);
  for (PetscInt l = 0; l < count; l++) {
    const PetscInt own = dim * m[l];
    for (PetscInt r = 0; r < own; r++) {
      for (PetscInt q = r; q < own; q++) X[L * (n * r + q) + l] = A[own * r + q];
    }
    A += own * own;
  }
}

static void GiveBack(PetscInt dim, PetscInt n, PetscInt count, const PetscInt m[], const PetscReal X[], PetscReal A[])
{
  for (PetscInt l = 0; l < count; l++) {
    const PetscInt own = dim * m[l];
    for (PetscInt r = 0; r < own; r++) {
      for (PetscInt q = r; q < own; q++) {
        const PetscReal value = A[own * r + q] + X[L * (n * r + q) + l];
        A[own * r + q] = A[own * q + r] = value;
      }
    }
    A += own * own;
  }
}

/* Numbers of points of the matrices as their reflections take them; 1 where there is no matrix. */
typedef struct {
  PetscReal m[L], root[L];
} Sizes;

static void SetSizes(PetscInt count, const PetscInt m[], Sizes *sizes)
{
  FOR_LANES
  {
    sizes->m[l]    = l < count ? (PetscReal)m[l] : 1;
    sizes->root[l] = PetscSqrtReal(sizes->m[l]);
  }
}

/* What is left of the reflected matrices, of at most m points: upper parts. */
static inline void Reflect(PetscInt dim, PetscInt m, const Sizes *sizes, const PetscReal *restrict X, PetscReal *restrict R,
                           PetscReal *restrict c)
{
  const PetscInt n = dim * m, s = n - dim;

  for (PetscInt p = 1; p < m; p++) FOR_LANES c[L * (p - 1) + l] = (PetscReal)p < sizes->m[l] ? 1 / (1 + sizes->root[l]) : 0;
  for (PetscInt r = 0; r < s; r++) {
    for (PetscInt q = r; q < s; q++) {
      const PetscInt   i = r % dim, j = q % dim;
      const PetscReal *cr = c + L * (r / dim), *cq = c + L * (q / dim);
      const PetscReal *own = X + L * (n * (dim + r) + dim + q), *row = X + L * (n * i + dim + q), *column = X + L * (n * j + dim + r);
      const PetscReal *first = X + L * (n * PetscMin(i, j) + PetscMax(i, j));
      PetscReal       *to    = R + L * (s * r + q);
      FOR_LANES        to[l] = own[l] - cr[l] * row[l] - cq[l] * (column[l] - cr[l] * first[l]);
    }
  }
}

/*
  X = V N V^T, N being the upper part of what Reflect() left: V has the rows -1 / sqrt m of the first point and I - (1 / (m + sqrt m)) of the others.
*/
static inline void Expand(PetscInt dim, PetscInt m, const Sizes *sizes, const PetscReal *restrict N, PetscReal *restrict X,
                          PetscReal *restrict sum)
{
  const PetscInt n = dim * m, s = n - dim;
  PetscReal      all[3][3][L] = {{{0}}}, a[L], b[L];

  FOR_LANES
  {
    a[l] = 1 / sizes->root[l];
    b[l] = 1 / (sizes->m[l] + sizes->root[l]);
  }
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
    for (PetscInt j = i; j < dim; j++) FOR_LANES X[L * (n * i + j) + l] = a[l] / sizes->root[l] * all[i][j][l];
    for (PetscInt q = 0; q < s; q++) FOR_LANES X[L * (n * i + dim + q) + l] = a[l] * (b[l] * all[i][q % dim][l] - sum[L * (s * i + q) + l]);
  }
  for (PetscInt r = 0; r < s; r++) {
    for (PetscInt q = r; q < s; q++) {
      const PetscInt   i = r % dim, j = q % dim;
      const PetscReal *value = N + L * (s * r + q), *right = sum + L * (s * i + q), *down = sum + L * (s * j + r);
      PetscReal       *to    = X + L * (n * (dim + r) + dim + q);
      FOR_LANES        to[l] = value[l] - b[l] * (right[l] + down[l]) + b[l] * b[l] * all[i][j][l];
    }
  }
}

size_t AbutOrientedProjectScratch(PetscInt n)
{
  return (size_t)(2 * L * n * (n + 4)) + ALIGN / sizeof(PetscReal);
}

void AbutOrientedProject(PetscInt dim, PetscBool free, AbutProjection projection, PetscInt count, const PetscInt m[], PetscReal A[],
                         PetscReal scratch[])
{
  PetscInt   most = 0, n, s;
  PetscReal *X    = (PetscReal *)(((uintptr_t)scratch + ALIGN - 1) / ALIGN * ALIGN), *rest, *R, *sum;
  Sizes      sizes;

  if (projection == ABUT_PSD_NONE || count == 0) return;
  for (PetscInt l = 0; l < count; l++) most = PetscMax(most, m[l]);
  n    = dim * most;
  s    = free ? n - dim : n;
  rest = R = X + L * n * n;
  sum      = R + L * s * s;
  SetSizes(count, m, &sizes);
  Take(dim, n, count, m, A, X);
  if (!free) {
    AbutNegativeParts(n, X, rest);
  } else if (dim == 3) {
    Reflect(3, most, &sizes, X, R, sum);
    AbutNegativeParts(s, R, X); /* which has served: the less there is, the nearer to the processor it stays */
    Expand(3, most, &sizes, R, X, sum);
  } else {
    Reflect(2, most, &sizes, X, R, sum);
    AbutNegativeParts(s, R, X);
    Expand(2, most, &sizes, R, X, sum);
  }
  GiveBack(dim, n, count, m, X, A);
}
