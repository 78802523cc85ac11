/*
  Projection of local Hessians of any size, ABUT_SIMD_WIDTH at a time.

  The energy of a pair is invariant under translations, so eigenvalues are needed on their orthogonal complement only. With m points and
  c = 1 / (1 + sqrt m), a reflection maps the translations to the first point. The other rows and columns of the reflected matrix are

      R_pq = H_pq - c (H_0q + H_p0) + c^2 H_00,    p, q = 1 ... m - 1.

  The change of R by the projection is added to H by the same reflection. Matrices over fewer points than the largest of the group are
  padded with zero rows, which stay zero (c = 0 there) and have no effect.
*/
#include "orientedimpl.h"

#define L     ABUT_SIMD_WIDTH
#define ALIGN 64 /* [bytes] a cache line, so that no SIMD register spans two */

/* Every matrix entry below is an array of L entries, one of each matrix, as in AbutNegativeParts(). */
#define FOR_LANES for (int l = 0; l < L; l++)

/* Interleaves the upper parts of the matrices A in X, n rows each. Entries beyond the size of a matrix, and of missing matrices, are 0. */
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

/* Number of points m of each matrix and the square root of m; 1 where there is no matrix. */
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

/* R: upper parts of the reflected matrices without the first point, for at most m points. */
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
  X = V N V^T for the upper part N of the projected matrix of Reflect(). V has the rows -1 / sqrt m for the first point and
  I - 1 / (m + sqrt m) for the others.
*/
static inline void Expand(PetscInt dim, PetscInt m, const Sizes *sizes, const PetscReal *restrict N, PetscReal *restrict X,
                          PetscReal *restrict sum)
{
  const PetscInt n = dim * m, s = m > 1 ? n - dim : 0; /* m > 1: the compiler must see that s is not negative */
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
    AbutNegativeParts(s, R, X); /* X is free as work space: less memory in use stays in cache */
    Expand(3, most, &sizes, R, X, sum);
  } else {
    Reflect(2, most, &sizes, X, R, sum);
    AbutNegativeParts(s, R, X);
    Expand(2, most, &sizes, R, X, sum);
  }
  GiveBack(dim, n, count, m, X, A);
}
