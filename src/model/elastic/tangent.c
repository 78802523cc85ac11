/* Contraction of a dense tangent, for materials without the isotropic closed form. */
#include "elasticimpl.h"

void AbutMaterialTangent(const AbutMaterialOps *ops, PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[],
                         AbutProjection projection, PetscReal A[])
{
  AbutMaterialTangentWithVolume(ops, dim, m, F, 0, projection, A);
}

void AbutMaterialTangentWithVolume(const AbutMaterialOps *ops, PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[],
                                   PetscReal slope, AbutProjection projection, PetscReal A[])
{
  static const PetscReal identity[2][9] = {{1, 0, 0, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const PetscInt         n              = dim * dim;
  const AbutMaterial     material       = {.ops = ops, .constants = *m};
  const AbutSimd         one = (AbutSimd){0} + 1, slopes = one * slope;
  AbutFrames             frames;
  AbutTangentModes       modes;
  AbutSimd               copies[9] = {{0}}, K[81];

  if (ops->tangent) {
    ops->tangent(dim, m, F, projection, A); /* of small strains: theta is linear */
    return;
  }
  for (PetscInt i = 0; i < n; i++) copies[i] = one * F[i];
  for (int l = 0; l < ABUT_SIMD_WIDTH; l++) frames.material[l] = &material;
  AbutSVDBatch(dim, copies, frames.U, frames.s, frames.V);
  AbutIsotropicModes(dim, &frames, &slopes, projection, &modes);
  for (PetscInt i = 0; i < n; i++) copies[i] = one * identity[dim - 2][i];
  AbutIsotropicContract(dim, &frames, &modes, copies, &one, n, K);
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) A[n * i + j] = K[n * (dim * (i % dim) + i / dim) + dim * (j % dim) + j / dim][0];
}

static ABUT_ALWAYS_INLINE void ToBatch(PetscInt dim, const PetscReal A[], const PetscReal g[], PetscReal scale, PetscInt l, AbutSimd H[])
{
  const PetscInt n = dim * dim, ld = dim * (dim + 1);
  AbutSimd      *K = H + (ld + 1) * dim;

  for (PetscInt b = 0; b < dim; b++) {
    PetscReal Ag[27]; /* [n * dim]: column m is sum_n A_(..)(mn) g_bn */
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt m = 0; m < dim; m++) Ag[dim * i + m] = scale * AbutDot(dim, A + n * i + dim * m, g + dim * b);
    for (PetscInt a = 0; a <= b; a++)
      for (PetscInt k = 0; k < dim; k++)
        for (PetscInt m = 0; m < dim; m++) {
          PetscReal sum = 0;
          for (PetscInt i = 0; i < dim; i++) sum += g[dim * a + i] * Ag[dim * (dim * k + i) + m];
          K[ld * (dim * a + k) + dim * b + m][l] = K[ld * (dim * b + m) + dim * a + k][l] = sum;
        }
  }
}

void AbutTangentToBatch(PetscInt dim, const PetscReal A[], const PetscReal g[], PetscReal scale, PetscInt l, AbutSimd H[])
{
  ABUT_BY_DIM(dim, ToBatch, A, g, scale, l, H);
}

static ABUT_ALWAYS_INLINE void Add(PetscInt dim, const PetscReal A[], const PetscReal g[], PetscReal scale, PetscInt l, AbutSimd H[])
{
  const PetscInt n = dim * dim, rows = dim == 3 ? 9 : 5, ld = dim * (rows + 1);
  AbutSimd      *K = H + (ld + 1) * dim;

  for (PetscInt b = 0; b < rows; b++) {
    PetscReal Ag[27];
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt m = 0; m < dim; m++) Ag[dim * i + m] = scale * AbutDot(dim, A + n * i + dim * m, g + dim * b);
    for (PetscInt a = 0; a <= b; a++)
      for (PetscInt k = 0; k < dim; k++)
        for (PetscInt m = 0; m < dim; m++)
          for (PetscInt i = 0; i < dim; i++) K[ld * (dim * a + k) + dim * b + m][l] += g[dim * a + i] * Ag[dim * (dim * k + i) + m];
  }
}

void AbutTangentAdd(PetscInt dim, const PetscReal A[], const PetscReal g[], PetscReal scale, PetscInt l, AbutSimd H[])
{
  ABUT_BY_DIM(dim, Add, A, g, scale, l, H);
}
