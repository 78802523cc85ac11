/*
  Linear elasticity, for small displacements and rotations: Psi = mu e : e + lambda/2 (tr e)^2, e = (F + F^T)/2 - I.
*/
#include "elasticimpl.h"

/* Computes the small strain e; returns tr e. */
static PetscReal SmallStrain(PetscInt dim, const PetscReal F[], PetscReal e[])
{
  PetscReal trace = 0;

  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt j = 0; j < dim; j++) e[dim * i + j] = (F[dim * i + j] + F[dim * j + i]) / 2;
    e[dim * i + i] -= 1;
    trace += e[dim * i + i];
  }
  return trace;
}

static PetscReal Energy(PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[])
{
  PetscReal       e[9];
  const PetscReal trace = SmallStrain(dim, F, e);

  return m->mu * AbutSquaredNorm(dim, e) + m->lambda / 2 * trace * trace;
}

/* P = 2 mu e + lambda tr e I */
static void Stress(PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[], PetscReal P[])
{
  PetscReal       e[9];
  const PetscReal pressure = m->lambda * SmallStrain(dim, F, e);

  for (PetscInt i = 0; i < dim * dim; i++) P[i] = 2 * m->mu * e[i];
  for (PetscInt i = 0; i < dim; i++) P[dim * i + i] += pressure;
}

/*
  dP_ij/dF_kl = mu (d_ik d_jl + d_il d_jk) + lambda d_ij d_kl, independent of F. Eigenvalues: 0 (rotation), 2 mu (shear) and
  2 mu + dim lambda (volume change). None is negative for -1 < nu < 1/2, so that a projection is not needed.
*/
static void Tangent(PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[], AbutProjection projection, PetscReal A[])
{
  const PetscInt n = dim * dim;

  (void)F;
  (void)projection;
  for (PetscInt i = 0; i < n * n; i++) A[i] = 0;
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++) {
      A[n * (dim * i + j) + dim * i + j] += m->mu;
      A[n * (dim * i + j) + dim * j + i] += m->mu;
      A[n * (dim * i + i) + dim * j + j] += m->lambda;
    }
}

const AbutMaterialOps AbutLinear = {.energy       = Energy,
                                    .stress       = Stress,
                                    .tangent      = Tangent,
                                    .measure      = ABUT_VOLUME_SMALL,
                                    .volumetric   = AbutVolumetricSquare,
                                    .small_strain = PETSC_TRUE,
                                    .auxetic      = PETSC_TRUE};
