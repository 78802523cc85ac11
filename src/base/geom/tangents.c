/* Tangents of a surface from its normal. */
#include <abut/dense.h>
#include <abut/geom.h>

void AbutTangents(PetscInt dim, const PetscReal normal[], PetscReal tangent[2][3])
{
  PetscReal axis[3] = {0, 0, 0};
  int       least   = 0;

  PetscMemzero(tangent, 6 * sizeof(tangent[0][0]));
  if (dim == 2) {
    tangent[0][0] = -normal[1];
    tangent[0][1] = normal[0];
    return;
  }
  for (int i = 1; i < 3; i++) {
    if (PetscAbsReal(normal[i]) < PetscAbsReal(normal[least])) least = i;
  }
  axis[least] = 1;
  AbutCross(axis, normal, tangent[0]);
  (void)AbutNormalize(3, tangent[0]);
  AbutCross(normal, tangent[0], tangent[1]);
}
