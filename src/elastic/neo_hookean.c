/*
  Compressible neo-Hookean solid, infinite at J = 0 [Bonet & Wood, Nonlinear continuum mechanics for finite element analysis, 6.4.3]:
  Psi = mu/2 (tr F^T F - dim) - mu ln J + lambda/2 (ln J)^2.
*/
#include "elasticimpl.h"

static PetscReal Energy(PetscInt dim, PetscReal mu, PetscReal lambda, const PetscReal F[])
{
  PetscReal       C[9], log_J;
  const PetscReal J = AbutCofactor(dim, F, C);

  if (!(J > 0)) return PETSC_INFINITY;
  log_J = PetscLogReal(J);
  return mu * ((dim == 3 ? AbutDot(9, F, F) : AbutDot(4, F, F)) - dim) / 2 + (lambda / 2 * log_J - mu) * log_J;
}

/* P = mu F + (lambda ln J - mu) F^-T */
static void Stress(PetscInt dim, PetscReal mu, PetscReal lambda, const PetscReal F[], PetscReal P[])
{
  PetscReal       C[9];
  const PetscReal J = AbutCofactor(dim, F, C), factor = (lambda * PetscLogReal(J) - mu) / J;

  for (PetscInt i = 0; i < dim * dim; i++) P[i] = mu * F[i] + factor * C[i];
}

/* P_i = mu s_i + c / s_i with c = lambda ln J - mu */
static void Stretch(PetscInt dim, PetscReal mu, PetscReal lambda, const PetscReal s[], AbutStretchDerivatives *d)
{
  PetscReal r[3], J = 1, c;

  for (PetscInt i = 0; i < dim; i++) { /* the last stretch of a cell with J > 0 may come out as 0 or less by round-off */
    const PetscReal positive = PetscMax(s[i], PETSC_MACHINE_EPSILON * s[0]);
    J *= positive;
    r[i] = 1 / positive;
  }
  c = lambda * PetscLogReal(J) - mu;
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

const AbutMaterialOps AbutNeoHookean = {Energy, Stress, Stretch, PETSC_TRUE};
