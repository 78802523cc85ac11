/*
  Fixed corotational solid, finite for every F [Stomakhin et al. 2012, Energetically consistent invertible elasticity]:
  Psi = mu |F - R|^2 + lambda/2 (J - 1)^2, R = U V^T the rotation closest to F.
*/
#include "elasticimpl.h"

#define SMALLEST_SUM 1e-6 /* lower bound of s_i + s_j in the derivative of R, which has the factor 1 / (s_i + s_j) */

static PetscReal StretchEnergy(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[])
{
  PetscReal sum = 0, J = 1;

  for (PetscInt i = 0; i < dim; i++) {
    sum += (s[i] - 1) * (s[i] - 1);
    J *= s[i];
  }
  return m->mu * sum + m->lambda / 2 * (J - 1) * (J - 1);
}

static PetscReal Energy(PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[])
{
  PetscReal U[9], s[3], V[9];

  AbutSVD(dim, F, U, s, V);
  return StretchEnergy(dim, m, s);
}

/* P_i = 2 mu (s_i - 1) + lambda (J - 1) J_i with J_i = dJ/ds_i */
static void StretchStress(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[], PetscReal P[])
{
  const PetscReal third = dim == 3 ? s[2] : 1, strain = m->lambda * (s[0] * s[1] * third - 1);
  const PetscReal Ji[3] = {s[1] * third, s[0] * third, s[0] * s[1]};

  for (PetscInt i = 0; i < dim; i++) P[i] = 2 * m->mu * (s[i] - 1) + strain * Ji[i];
}

/* P = 2 mu (F - R) + lambda (J - 1) dJ/dF */
static void Stress(PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[], PetscReal P[])
{
  PetscReal       U[9], s[3], V[9], C[9];
  const PetscReal J = AbutCofactor(dim, F, C), mu = m->mu, lambda = m->lambda;

  AbutSVD(dim, F, U, s, V);
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++)
      P[dim * i + j] = 2 * mu * (F[dim * i + j] - AbutDot(dim, U + dim * i, V + dim * j)) + lambda * (J - 1) * C[dim * i + j];
}

/* Derivatives of the stresses P_i of StretchStress(). */
static void Stretch(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[], AbutStretchDerivatives *d)
{
  const PetscReal mu = m->mu, lambda = m->lambda;
  const PetscReal third[3] = {dim == 3 ? s[2] : 1, dim == 3 ? s[1] : 1, s[0]}; /* the third stretch for the pairs 01, 02, 12 */
  const PetscReal Ji[3] = {s[1] * third[0], s[0] * third[0], s[0] * s[1]}, strain = lambda * (s[0] * Ji[0] - 1);

  for (PetscInt i = 0; i < dim; i++) d->second[dim * i + i] = 2 * mu + lambda * Ji[i] * Ji[i];
  for (PetscInt i = 0, pair = 0; i < dim; i++)
    for (PetscInt j = i + 1; j < dim; j++, pair++) {
      const PetscReal sum    = PetscMax(s[i] + s[j], SMALLEST_SUM);
      d->second[dim * i + j] = d->second[dim * j + i] = lambda * Ji[i] * Ji[j] + strain * third[pair];
      d->difference[pair]                             = 2 * mu - strain * third[pair];
      d->sum[pair]                                    = 2 * mu * (1 - 2 / sum) + strain * third[pair];
    }
}

static PetscReal Volumetric(PetscReal lambda, PetscReal theta, PetscReal d[2])
{
  d[0] = lambda * (theta - 1);
  d[1] = lambda;
  return lambda / 2 * (theta - 1) * (theta - 1);
}

const AbutMaterialOps AbutFixedCorotated = {.energy         = Energy,
                                            .stress         = Stress,
                                            .stretch        = Stretch,
                                            .measure        = ABUT_VOLUME_RATIO,
                                            .volumetric     = Volumetric,
                                            .stretch_energy = StretchEnergy,
                                            .stretch_stress = StretchStress};
