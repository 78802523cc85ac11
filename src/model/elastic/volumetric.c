/* Terms of the densities that depend on the change of volume alone, and measures of this change. */
#include "quadratic.h"

PetscReal AbutVolumetricLog(PetscReal lambda, PetscReal theta, PetscReal d[2])
{
  const PetscReal log_theta = PetscLogReal(theta);

  d[0] = lambda * log_theta / theta;
  d[1] = PetscMax(lambda * (1 - log_theta) / (theta * theta), 0); /* negative for theta > e, where it would make the Hessian indefinite */
  return lambda / 2 * log_theta * log_theta;
}

PetscReal AbutVolumetricSquare(PetscReal lambda, PetscReal theta, PetscReal d[2])
{
  d[0] = lambda * theta;
  d[1] = lambda;
  return lambda / 2 * theta * theta;
}

PetscReal AbutVolumeOf(AbutVolumeMeasure measure, PetscInt dim, const PetscReal F[], PetscReal d[])
{
  PetscReal trace = 0;

  if (measure == ABUT_VOLUME_RATIO) return AbutCofactor(dim, F, d);
  for (PetscInt i = 0; i < dim * dim; i++) d[i] = measure == ABUT_VOLUME_GREEN ? F[i] : i % (dim + 1) == 0;
  if (measure == ABUT_VOLUME_GREEN) return (AbutSquaredNorm(dim, F) - (PetscReal)dim) / 2;
  for (PetscInt i = 0; i < dim; i++) trace += F[dim * i + i] - 1;
  return trace;
}
