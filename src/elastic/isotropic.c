/*
  Tangents of isotropic energies from derivatives with respect to the principal stretches s [Stomakhin et al. 2012; Smith et al. 2019,
  Analytic eigensystems for isotropic distortion energies]. In the frame of the singular vectors of F the tangent is block diagonal:
      diagonal entries          dim x dim matrix  d2Psi/ds_i ds_j
      X_ij =  X_ji, i != j      (P_i - P_j) / (s_i - s_j)
      X_ij = -X_ji, i != j      (P_i + P_j) / (s_i + s_j)
  The projection to the nearest PSD matrix therefore needs the eigenvalues of a dim x dim matrix only.
*/
#include "elasticimpl.h"

void AbutIsotropicModes(const AbutMaterialOps *ops, PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[],
                        AbutProjection projection, AbutTangentModes *modes)
{
  AbutStretchDerivatives d;
  PetscReal              s[3];

  AbutSVD(dim, F, modes->U, s, modes->V);
  ops->stretch(dim, m, s, &d);
  AbutProject(dim, projection, d.second);
  for (PetscInt i = 0; i < dim * dim; i++) modes->D[i] = d.second[i];
  for (PetscInt i = 0, pair = 0; i < dim; i++)
    for (PetscInt j = i + 1; j < dim; j++, pair++) {
      const PetscReal symmetric     = AbutProjectScalar(projection, d.difference[pair]);
      const PetscReal antisymmetric = AbutProjectScalar(projection, d.sum[pair]);
      modes->alpha[dim * i + j] = modes->alpha[dim * j + i] = (symmetric + antisymmetric) / 2;
      modes->beta[dim * i + j] = modes->beta[dim * j + i] = (symmetric - antisymmetric) / 2;
    }
}

/* B = U C U^T with the contraction C_ik = sum_jl ha_j A_(ij)(kl) hb_l in the frame of the singular vectors. */
static inline void Block(PetscInt dim, const AbutTangentModes *m, const PetscReal ha[], const PetscReal hb[], PetscReal B[])
{
  PetscReal C[9], T[9];

  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt k = 0; k < dim; k++) {
      PetscReal sum = ha[i] * m->D[dim * i + k] * hb[k];
      if (i != k)
        sum += ha[k] * m->beta[dim * i + k] * hb[i];
      else
        for (PetscInt j = 0; j < dim; j++) sum += j == i ? 0 : ha[j] * m->alpha[dim * i + j] * hb[j];
      C[dim * i + k] = sum;
    }
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt k = 0; k < dim; k++) {
      T[dim * i + k] = m->U[dim * i] * C[k];
      for (PetscInt j = 1; j < dim; j++) T[dim * i + k] += m->U[dim * i + j] * C[dim * j + k];
    }
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt k = 0; k < dim; k++) B[dim * i + k] = AbutDot(dim, T + dim * i, m->U + dim * k);
}

static inline void Contract(PetscInt dim, const AbutTangentModes *modes, const PetscReal g[], PetscReal scale, PetscInt ld, PetscReal K[])
{
  PetscReal h[9], B[9];

  for (PetscInt a = 0; a < dim; a++)
    for (PetscInt j = 0; j < dim; j++) {
      h[dim * a + j] = 0;
      for (PetscInt l = 0; l < dim; l++) h[dim * a + j] += g[dim * a + l] * modes->V[dim * l + j];
    }
  for (PetscInt a = 0; a < dim; a++)
    for (PetscInt b = a; b < dim; b++) {
      Block(dim, modes, h + dim * a, h + dim * b, B);
      for (PetscInt k = 0; k < dim; k++)
        for (PetscInt m = a == b ? k : 0; m < dim; m++) {
          const PetscReal value               = scale * B[dim * k + m];
          K[ld * (dim * a + k) + dim * b + m] = value;
          K[ld * (dim * b + m) + dim * a + k] = value;
        }
    }
}

void AbutIsotropicContract(PetscInt dim, const AbutTangentModes *modes, const PetscReal g[], PetscReal scale, PetscInt ld, PetscReal K[])
{
  ABUT_BY_DIM(dim, Contract, modes, g, scale, ld, K);
}
