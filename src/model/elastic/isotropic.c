/*
  Tangents of isotropic energies from derivatives with respect to the principal stretches s [Stomakhin et al. 2012; Smith et al. 2019,
  Analytic eigensystems for isotropic distortion energies]. In the frame of the singular vectors of F the tangent is block diagonal:
      diagonal entries          dim x dim matrix  d2Psi/ds_i ds_j
      X_ij =  X_ji, i != j      (P_i - P_j) / (s_i - s_j)
      X_ij = -X_ji, i != j      (P_i + P_j) / (s_i + s_j)
  The projection to the nearest PSD matrix therefore needs the eigenvalues of a dim x dim matrix only.
*/
#include "elasticimpl.h"

/* Adds the second derivatives of slope * theta. */
static void AddVolumetric(PetscInt dim, AbutVolumeMeasure measure, PetscReal slope, const PetscReal s[3], AbutStretchDerivatives *d)
{
  for (PetscInt i = 0, pair = 0; i < dim; i++) {
    if (measure == ABUT_VOLUME_GREEN) d->second[dim * i + i] += slope;
    for (PetscInt j = i + 1; j < dim; j++, pair++) {
      const PetscReal other = dim == 3 ? s[3 - i - j] : 1;

      if (measure == ABUT_VOLUME_GREEN) {
        d->difference[pair] += slope;
        d->sum[pair] += slope;
      } else if (measure == ABUT_VOLUME_RATIO) {
        d->second[dim * i + j] += slope * other;
        d->second[dim * j + i] += slope * other;
        d->difference[pair] -= slope * other;
        d->sum[pair] += slope * other;
      }
    }
  }
}

void AbutIsotropicModes(PetscInt dim, const AbutFrames *frames, const AbutSimd *slope, AbutProjection projection, AbutTangentModes *modes)
{
  for (int l = 0; l < ABUT_SIMD_WIDTH; l++) {
    const AbutMaterial    *m    = frames->material[l];
    const PetscReal        s[3] = {frames->s[0][l], frames->s[1][l], dim == 3 ? frames->s[2][l] : 0};
    AbutStretchDerivatives d;

    m->ops->stretch(dim, &m->constants, s, &d);
    if (slope && (*slope)[l] != 0) AddVolumetric(dim, m->ops->measure, (*slope)[l], s, &d);
    AbutProject(dim, projection, d.second);
    for (PetscInt i = 0; i < dim * dim; i++) modes->D[i][l] = d.second[i];
    for (PetscInt i = 0, pair = 0; i < dim; i++)
      for (PetscInt j = i + 1; j < dim; j++, pair++) {
        const PetscReal symmetric     = AbutProjectScalar(projection, d.difference[pair]);
        const PetscReal antisymmetric = AbutProjectScalar(projection, d.sum[pair]);
        modes->alpha[dim * i + j][l] = modes->alpha[dim * j + i][l] = (symmetric + antisymmetric) / 2;
        modes->beta[dim * i + j][l] = modes->beta[dim * j + i][l] = (symmetric - antisymmetric) / 2;
      }
  }
}

/* C_ik = sum_jl ha_j A_(ij)(kl) hb_l in the frame of the singular vectors. */
static ABUT_ALWAYS_INLINE void FrameBlock(PetscInt dim, const AbutTangentModes *m, const AbutSimd ha[], const AbutSimd hb[], AbutSimd C[])
{
  AbutSimd products[3];

  for (PetscInt j = 0; j < dim; j++) products[j] = ha[j] * hb[j];
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt k = 0; k < dim; k++) {
      if (i != k)
        C[dim * i + k] = ha[i] * m->D[dim * i + k] * hb[k] + ha[k] * m->beta[dim * i + k] * hb[i];
      else {
        C[dim * i + i] = m->D[dim * i + i] * products[i];
        for (PetscInt j = 0; j < dim; j++)
          if (j != i) C[dim * i + i] += m->alpha[dim * i + j] * products[j];
      }
    }
}

/* B = U C U^T */
static ABUT_ALWAYS_INLINE void TurnBlock(PetscInt dim, const AbutSimd U[], const AbutSimd C[], AbutSimd B[])
{
  AbutSimd T[9];

  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt k = 0; k < dim; k++) {
      T[dim * i + k] = U[dim * i] * C[k];
      for (PetscInt j = 1; j < dim; j++) T[dim * i + k] += U[dim * i + j] * C[dim * j + k];
    }
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt k = 0; k < dim; k++) {
      B[dim * i + k] = T[dim * i] * U[dim * k];
      for (PetscInt j = 1; j < dim; j++) B[dim * i + k] += T[dim * i + j] * U[dim * k + j];
    }
}

/* h = g V for `rows` rows */
static ABUT_ALWAYS_INLINE void TurnGradients(PetscInt dim, PetscInt rows, const AbutSimd V[], const AbutSimd g[], AbutSimd h[])
{
  for (PetscInt a = 0; a < rows; a++)
    for (PetscInt j = 0; j < dim; j++) {
      h[dim * a + j] = g[dim * a] * V[j];
      for (PetscInt l = 1; l < dim; l++) h[dim * a + j] += g[dim * a + l] * V[dim * l + j];
    }
}

static ABUT_ALWAYS_INLINE void Contract(PetscInt dim, const AbutFrames *frames, const AbutTangentModes *modes, const AbutSimd g[],
                                        const AbutSimd *scale, PetscInt ld, AbutSimd K[])
{
  AbutSimd h[9], C[9], B[9];

  TurnGradients(dim, dim, frames->V, g, h);
  for (PetscInt a = 0; a < dim; a++)
    for (PetscInt b = a; b < dim; b++) {
      FrameBlock(dim, modes, h + dim * a, h + dim * b, C);
      TurnBlock(dim, frames->U, C, B);
      for (PetscInt k = 0; k < dim; k++)
        for (PetscInt m = a == b ? k : 0; m < dim; m++) {
          const AbutSimd value                = *scale * B[dim * k + m];
          K[ld * (dim * a + k) + dim * b + m] = value;
          K[ld * (dim * b + m) + dim * a + k] = value;
        }
    }
}

void AbutIsotropicContract(PetscInt dim, const AbutFrames *frames, const AbutTangentModes *modes, const AbutSimd g[], const AbutSimd *scale,
                           PetscInt ld, AbutSimd K[])
{
  ABUT_BY_DIM(dim, Contract, frames, modes, g, scale, ld, K);
}

static ABUT_ALWAYS_INLINE void Add(PetscInt dim, const AbutFrames *frames, const AbutTangentModes *modes, const AbutSimd g[],
                                   const AbutSimd *scale, PetscInt ld, AbutSimd K[])
{
  const PetscInt rows = dim == 3 ? 9 : 5;
  AbutSimd       h[27], C[9], B[9];

  TurnGradients(dim, rows, frames->V, g, h);
  for (PetscInt a = 0; a < rows; a++)
    for (PetscInt b = a; b < rows; b++) {
      FrameBlock(dim, modes, h + dim * a, h + dim * b, C);
      TurnBlock(dim, frames->U, C, B);
      for (PetscInt k = 0; k < dim; k++)
        for (PetscInt m = 0; m < dim; m++) K[ld * (dim * a + k) + dim * b + m] += *scale * B[dim * k + m];
    }
}

void AbutIsotropicAdd(PetscInt dim, const AbutFrames *frames, const AbutTangentModes *modes, const AbutSimd g[], const AbutSimd *scale,
                      PetscInt ld, AbutSimd K[])
{
  ABUT_BY_DIM(dim, Add, frames, modes, g, scale, ld, K);
}
