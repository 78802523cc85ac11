/*
  St. Venant-Kirchhoff solid, finite for every F. It softens in compression and does not resist inversion:
  Psi = mu E : E + lambda/2 (tr E)^2, E = (F^T F - I) / 2.
*/
#include "elasticimpl.h"

/* Computes the Green strain E; returns tr E. */
static PetscReal GreenStrain(PetscInt dim, const PetscReal F[], PetscReal E[])
{
  PetscReal trace = 0;

  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt j = i; j < dim; j++) {
      PetscReal sum = i == j ? -1 : 0;
      for (PetscInt k = 0; k < dim; k++) sum += F[dim * k + i] * F[dim * k + j];
      E[dim * i + j] = E[dim * j + i] = sum / 2;
    }
    trace += E[dim * i + i];
  }
  return trace;
}

static PetscReal Energy(PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[])
{
  PetscReal       E[9];
  const PetscReal trace = GreenStrain(dim, F, E);

  return m->mu * AbutSquaredNorm(dim, E) + m->lambda / 2 * trace * trace;
}

/* P = F S with S = 2 mu E + lambda tr E I */
static void Stress(PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[], PetscReal P[])
{
  PetscReal       E[9];
  const PetscReal pressure = m->lambda * GreenStrain(dim, F, E);

  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++) P[dim * i + j] = 2 * m->mu * AbutDot(dim, F + dim * i, E + dim * j) + pressure * F[dim * i + j];
}

/* P_i = mu s_i (s_i^2 - 1) + lambda tr E s_i */
static void Stretch(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[], AbutStretchDerivatives *d)
{
  const PetscReal mu = m->mu, lambda = m->lambda, c = lambda * (AbutDot(dim, s, s) - (PetscReal)dim) / 2 - mu;

  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt j = 0; j < dim; j++) d->second[dim * i + j] = lambda * s[i] * s[j];
    d->second[dim * i + i] += c + 3 * mu * s[i] * s[i];
  }
  for (PetscInt i = 0, pair = 0; i < dim; i++)
    for (PetscInt j = i + 1; j < dim; j++, pair++) {
      const PetscReal squares = c + mu * (s[i] * s[i] + s[j] * s[j]), product = mu * s[i] * s[j];
      d->difference[pair] = squares + product;
      d->sum[pair]        = squares - product;
    }
}

const AbutMaterialOps AbutStVenantKirchhoff = {.energy     = Energy,
                                               .stress     = Stress,
                                               .stretch    = Stretch,
                                               .measure    = ABUT_VOLUME_GREEN,
                                               .volumetric = AbutVolumetricSquare,
                                               .auxetic    = PETSC_TRUE};
