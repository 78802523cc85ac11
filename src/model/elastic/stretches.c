/* Energy density and stress from F, also of materials whose functions take singular values. */
#include "elasticimpl.h"

PetscReal AbutMaterialEnergy(const AbutMaterialOps *ops, PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[])
{
  PetscReal U[9], s[3], V[9];

  if (ops->energy) return ops->energy(dim, m, F);
  AbutSVD(dim, F, U, s, V);
  return ops->stretch_energy(dim, m, s);
}

void AbutMaterialStress(const AbutMaterialOps *ops, PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[], PetscReal P[])
{
  PetscReal U[9], s[3], V[9], principal[3];

  if (ops->stress) {
    ops->stress(dim, m, F, P);
    return;
  }
  AbutSVD(dim, F, U, s, V);
  ops->stretch_stress(dim, m, s, principal);
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++) {
      P[dim * i + j] = 0;
      for (PetscInt k = 0; k < dim; k++) P[dim * i + j] += U[dim * i + k] * principal[k] * V[dim * j + k];
    }
}
