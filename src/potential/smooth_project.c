/*
  Projection of local Hessians of any size, several at once.

  A pair's energy does not change with translations, so only what is orthogonal to them needs eigenvalues. With m points and c = 1 / (1 + sqrt m)
  the reflection that takes the uniform weights to the first point leaves, as H has no share in translations,

      R_pq = H_pq - c (H_0q + H_p0) + c^2 H_00,    p, q = 1 ... m - 1,

  and what projection adds to R is added to H by the same reflection.
*/
#include "smoothimpl.h"

#define L ABUT_LANES

/* What is left of the reflected matrix of m points, its upper part, as one of several. */
static inline void Reflect(PetscInt dim, PetscInt m, const PetscReal A[], PetscReal R[])
{
  const PetscInt  n = dim * m, s = n - dim;
  const PetscReal c = 1 / (1 + PetscSqrtReal((PetscReal)m));

  for (PetscInt r = 0; r < s; r++) {
    const PetscReal *row = A + n * (dim + r), *first = A + n * (r % dim);
    for (PetscInt q = r; q < s; q++) R[L * (s * r + q)] = row[dim + q] - c * (row[q % dim] + first[dim + q]) + c * c * first[q % dim];
  }
}

/*
  A += V N V^T, N being the upper part of what Reflect() left: V has the rows -1 / sqrt m of the first point and I - (1 / (m + sqrt m)) of the others.
*/
static inline void Expand(PetscInt dim, PetscInt m, PetscReal scale, const PetscReal N[], PetscReal A[], PetscReal sum[])
{
  const PetscInt  n = dim * m, s = n - dim;
  const PetscReal root = PetscSqrtReal((PetscReal)m), a = scale / root, b = 1 / ((PetscReal)m + root);
  PetscReal       all[3][3] = {{0}};

  /* sum_i = the sum of the rows of component i of all points */
  (void)PetscArrayzero(sum, dim * s);
  for (PetscInt r = 0; r < s; r++) {
    for (PetscInt q = r; q < s; q++) {
      const PetscReal value = N[L * (s * r + q)];
      sum[s * (r % dim) + q] += value;
      if (q > r) sum[s * (q % dim) + r] += value;
    }
  }
  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt q = 0; q < s; q++) all[i][q % dim] += sum[s * i + q];
  }
  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt j = 0; j < dim; j++) A[n * i + j] += a / root * all[i][j];
    for (PetscInt q = 0; q < s; q++) {
      const PetscReal value = a * (b * all[i][q % dim] - sum[s * i + q]);
      A[n * i + dim + q] += value;
      A[n * (dim + q) + i] += value;
    }
  }
  for (PetscInt r = 0; r < s; r++) {
    for (PetscInt q = r; q < s; q++) {
      const PetscInt  i = r % dim, j = q % dim;
      const PetscReal value = scale * (N[L * (s * r + q)] - b * (sum[s * i + q] + sum[s * j + r]) + b * b * all[i][j]);
      A[n * (dim + r) + dim + q] += value;
      if (q > r) A[n * (dim + q) + dim + r] += value;
    }
  }
}

/* The same two of all of the matrix. */
static void Take(PetscInt n, const PetscReal A[], PetscReal R[])
{
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = i; j < n; j++) R[L * (n * i + j)] = A[n * i + j];
}

static void GiveBack(PetscInt n, PetscReal scale, const PetscReal N[], PetscReal A[])
{
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = i; j < n; j++) {
      A[n * i + j] += scale * N[L * (n * i + j)];
      if (j > i) A[n * j + i] = A[n * i + j];
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
  PetscReal      *R = scratch, *rest = R + L * s * s;

  if (projection == ABUT_PSD_NONE) return;
  if (count < L) (void)PetscArrayzero(R, L * s * s);
  for (PetscInt l = 0; l < count; l++) {
    if (free && dim == 3)
      Reflect(3, m, A + n * n * l, R + l);
    else if (free)
      Reflect(2, m, A + n * n * l, R + l);
    else
      Take(n, A + n * n * l, R + l);
  }
  AbutNegativeParts(s, R, rest);
  for (PetscInt l = 0; l < count; l++) {
    if (free && dim == 3)
      Expand(3, m, scale, R + l, A + n * n * l, rest);
    else if (free)
      Expand(2, m, scale, R + l, A + n * n * l, rest);
    else
      GiveBack(n, scale, R + l, A + n * n * l);
  }
}
