/*
  Compressible neo-Hookean solid, infinite at J = 0 [Bonet & Wood, Nonlinear continuum mechanics for finite element analysis, 6.4.3]:
  Psi = mu/2 (tr F^T F - dim) - mu ln J + lambda/2 (ln J)^2.
*/
#include "elasticimpl.h"

static PetscReal Energy(PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[])
{
  PetscReal       C[9], log_J;
  const PetscReal J = AbutCofactor(dim, F, C);

  if (!(J > 0)) return PETSC_INFINITY;
  log_J = PetscLogReal(J);
  return m->mu * (AbutSquaredNorm(dim, F) - dim) / 2 + (m->lambda / 2 * log_J - m->mu) * log_J;
}

/* P = mu F + (lambda ln J - mu) F^-T */
static void Stress(PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[], PetscReal P[])
{
  PetscReal       C[9];
  const PetscReal J = AbutCofactor(dim, F, C), mu = m->mu, factor = (m->lambda * PetscLogReal(J) - mu) / J;

  for (PetscInt i = 0; i < dim * dim; i++) P[i] = mu * F[i] + factor * C[i];
}

/* P_i = mu s_i + c / s_i with c = lambda ln J - mu */
static void Stretch(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[], AbutStretchDerivatives *d)
{
  PetscReal       t[3], r[3];
  const PetscReal mu = m->mu, lambda = m->lambda, c = lambda * PetscLogReal(AbutPositiveStretches(dim, s, t, r)) - mu;

  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt j = 0; j < dim; j++) d->second[dim * i + j] = lambda * r[i] * r[j];
    d->second[dim * i + i] = mu + (lambda - c) * r[i] * r[i];
  }
  for (PetscInt i = 0, pair = 0; i < dim; i++)
    for (PetscInt j = i + 1; j < dim; j++, pair++) {
      d->difference[pair] = mu - c * r[i] * r[j];
      d->sum[pair]        = mu + c * r[i] * r[j];
    }
}

const AbutMaterialOps AbutNeoHookean = {.energy     = Energy,
                                        .stress     = Stress,
                                        .stretch    = Stretch,
                                        .measure    = ABUT_VOLUME_RATIO,
                                        .volumetric = AbutVolumetricLog,
                                        .barrier    = PETSC_TRUE};
