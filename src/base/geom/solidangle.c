/* Solid angle of a triangle, angle of an edge. */
#include <abut/dense.h>
#include <abut/geom.h>

PetscReal AbutSolidAngle(PetscInt dim, const PetscReal p[], const PetscReal *corner[])
{
  PetscReal r[3][3] = {{0}}, size[3], n[3], below;

  for (PetscInt k = 0; k < dim; k++) {
    for (PetscInt i = 0; i < dim; i++) r[k][i] = corner[k][i] - p[i];
    size[k] = AbutNorm(dim, r[k]);
  }
  if (dim == 2) return PetscAtan2Real(r[0][0] * r[1][1] - r[0][1] * r[1][0], AbutDot(2, r[0], r[1]));
  AbutCross(r[1], r[2], n);
  below =
    size[0] * size[1] * size[2] + AbutDot(3, r[0], r[1]) * size[2] + AbutDot(3, r[1], r[2]) * size[0] + AbutDot(3, r[2], r[0]) * size[1];
  return 2 * PetscAtan2Real(AbutDot(3, r[0], n), below);
}
