/* Private to src/model/elastic: densities as functions of the logarithms of the principal stretches. */
#pragma once
#include "elasticimpl.h"
#include <math.h>

/*
  Deviator e of the logarithms of all three stretches, from singular values s[dim], the last 0 or below by round-off only; log_third:
  logarithm of the third stretch in 2D. t, r: positive stretches and reciprocals. Returns the sum of the logarithms, ln J.
*/
static inline PetscReal AbutLogarithmicDeviator(PetscInt dim, PetscReal log_third, const PetscReal s[], PetscReal t[3], PetscReal r[3],
                                                PetscReal e[3])
{
  const PetscReal log_J = PetscLogReal(AbutPositiveStretches(dim, s, t, r)) + (dim == 2 ? log_third : 0);

  for (PetscInt i = 0; i < 3; i++) e[i] = (i < dim ? PetscLogReal(t[i]) : log_third) - log_J / 3;
  return log_J;
}

/*
  Derivatives with respect to stretches t > 0, with their reciprocals r, from those with respect to their logarithms: stresses
  tau_i = dPsi/d ln t_i, H_ij = dtau_i/d ln t_j, and slope_ij = (tau_i - tau_j) / (ln t_i - ln t_j) for the pairs 01, 02, 12. With the
  latter, equal stretches divide by no difference:
  (P_i - P_j) / (t_i - t_j) = [slope_ij (ln t_i - ln t_j) / (t_i - t_j) (t_i + t_j) - tau_i - tau_j] / (2 t_i t_j), P_i = tau_i / t_i.
*/
static inline void AbutLogarithmicDerivatives(PetscInt dim, const PetscReal t[], const PetscReal r[], const PetscReal tau[],
                                              const PetscReal H[], const PetscReal slope[], AbutStretchDerivatives *d)
{
  for (PetscInt i = 0, pair = 0; i < dim; i++) {
    for (PetscInt j = 0; j < dim; j++) d->second[dim * i + j] = r[i] * r[j] * H[dim * i + j];
    d->second[dim * i + i] -= r[i] * r[i] * tau[i];
    for (PetscInt j = i + 1; j < dim; j++, pair++) {
      const PetscReal x = (t[i] - t[j]) * r[j], quotient = x != 0 ? log1p(x) / x : 1; /* (ln t_i - ln t_j) / (t_i - t_j) t_j */

      d->difference[pair] = r[i] * r[j] / 2 * (slope[pair] * quotient * r[j] * (t[i] + t[j]) - tau[i] - tau[j]);
      d->sum[pair]        = (r[i] * tau[i] + r[j] * tau[j]) / (t[i] + t[j]);
    }
  }
}
