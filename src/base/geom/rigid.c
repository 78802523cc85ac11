/* Rigid motion of a point. */
#include <abut/dense.h>
#include <abut/geom.h>

/*
  Adds the displacement of a rotation by the vector `angle` about `center` (Rodrigues' formula). 1 - cos(phi) = 2 sin^2(phi/2) avoids
  cancellation for small angles.
*/
static void Turn(PetscInt dim, const PetscReal center[3], const PetscReal angle[3], PetscReal x[])
{
  const PetscReal phi     = AbutNorm(3, angle);
  const PetscReal versine = 2 * PetscSqr(PetscSinReal(phi / 2));
  PetscReal       r[3]    = {0, 0, 0}, axis[3], cross[3], twice[3];

  if (!(phi > 0)) return;
  for (PetscInt i = 0; i < dim; i++) r[i] = x[i] - center[i];
  for (int i = 0; i < 3; i++) axis[i] = angle[i] / phi;
  AbutCross(axis, r, cross);
  AbutCross(axis, cross, twice);
  for (PetscInt i = 0; i < dim; i++) x[i] += cross[i] * PetscSinReal(phi) + twice[i] * versine;
}

void AbutRigidMove(PetscInt dim, const AbutRigidMotion *motion, PetscReal x[])
{
  const PetscReal about_z[3] = {0, 0, motion->angle[2]};

  Turn(dim, motion->center, dim == 2 ? about_z : motion->angle, x);
  for (PetscInt i = 0; i < dim; i++) x[i] += motion->shift[i];
}
