/* Contraction of a dense tangent, for materials without the isotropic closed form. */
#include "elasticimpl.h"

void AbutMaterialTangent(const AbutMaterialOps *ops, PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[],
                         AbutProjection projection, PetscReal A[])
{
  static const PetscReal identity[2][9] = {{1, 0, 0, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const PetscInt         n              = dim * dim;
  AbutTangentModes       modes;
  PetscReal              K[81];

  if (ops->tangent) {
    ops->tangent(dim, m, F, projection, A);
    return;
  }
  AbutIsotropicModes(ops, dim, m, F, projection, &modes);
  AbutIsotropicContract(dim, &modes, identity[dim - 2], 1, n, K);
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) A[n * i + j] = K[n * (dim * (i % dim) + i / dim) + dim * (j % dim) + j / dim];
}

static ABUT_ALWAYS_INLINE void Contract(PetscInt dim, const PetscReal A[], const PetscReal g[], PetscReal scale, PetscInt ld, PetscReal K[])
{
  const PetscInt n = dim * dim;

  for (PetscInt b = 0; b < dim; b++) {
    PetscReal Ag[27]; /* [n * dim]: column m is sum_n A_(..)(mn) g_bn */
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt m = 0; m < dim; m++) Ag[dim * i + m] = scale * AbutDot(dim, A + n * i + dim * m, g + dim * b);
    for (PetscInt a = 0; a <= b; a++)
      for (PetscInt k = 0; k < dim; k++)
        for (PetscInt m = 0; m < dim; m++) {
          PetscReal sum = 0;
          for (PetscInt l = 0; l < dim; l++) sum += g[dim * a + l] * Ag[dim * (dim * k + l) + m];
          K[ld * (dim * a + k) + dim * b + m] = K[ld * (dim * b + m) + dim * a + k] = sum;
        }
  }
}

void AbutTangentContract(PetscInt dim, const PetscReal A[], const PetscReal g[], PetscReal scale, PetscInt ld, PetscReal K[])
{
  ABUT_BY_DIM(dim, Contract, A, g, scale, ld, K);
}
