/* Cauchy and von Mises stress for output. */
#include "elasticimpl.h"

/* sigma = P F^T / J (small_strain materials: P) in the order xx yy zz xy yz zx; in 2D for diag(F, 1), plane strain. */
static void Cauchy(const AbutMaterial *m, PetscInt dim, const PetscReal F[], PetscReal sigma[6])
{
  static const PetscReal identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  PetscReal              F3[9]       = {0, 0, 0, 0, 0, 0, 0, 0, 1}, P[9], C[9], J;
  const PetscReal       *push        = m->ops->small_strain ? identity : F3;

  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++) F3[3 * i + j] = F[dim * i + j];
  J = m->ops->small_strain ? 1 : AbutCofactor(3, F3, C);
  m->ops->stress(3, &m->constants, F3, P);
  for (PetscInt i = 0; i < 3; i++) {
    const PetscInt j = (i + 1) % 3;
    sigma[i]         = AbutDot(3, P + 3 * i, push + 3 * i) / J;
    sigma[3 + i]     = AbutDot(3, P + 3 * i, push + 3 * j) / J;
  }
}

static PetscReal Mises(const PetscReal s[6])
{
  const PetscReal a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return PetscSqrtReal((a * a + b * b + c * c) / 2 + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

void AbutElasticGetStress(AbutElastic el, const PetscReal x[], PetscReal cauchy[], PetscReal mises[])
{
  const AbutMeshLocal *local = el->local;
  const PetscInt       dim   = local->dim;

  for (PetscInt c = 0; c < local->num_cells; c++) {
    PetscReal F[9], sigma[6];

    AbutElasticDeformation(el, dim, c, x, F);
    Cauchy(el->materials + el->cell_material[c], dim, F, sigma);
    for (PetscInt i = 0; i < 6 && cauchy; i++) cauchy[6 * c + i] = sigma[i];
    if (mises) mises[c] = Mises(sigma);
  }
}
