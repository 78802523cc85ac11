/* True surfaces of generated shapes, for the nodes on the edges of quadratic cells. */
#include "generate.h"
#include <abut/dense.h>

/* Scales the first n coordinates of p to a given length. */
static void SetLength(PetscInt n, PetscReal length, PetscReal p[])
{
  const PetscReal factor = length / AbutNorm(n, p);

  for (PetscInt d = 0; d < n; d++) p[d] *= factor;
}

/* Moves p to the tube of a torus about the z axis. */
static void ToTorus(PetscReal major, PetscReal minor, PetscReal p[3])
{
  PetscReal core[3] = {p[0], p[1], 0}, d[3];

  SetLength(2, major, core);
  for (PetscInt k = 0; k < 3; k++) d[k] = p[k] - core[k];
  SetLength(3, minor, d);
  for (PetscInt k = 0; k < 3; k++) p[k] = core[k] + d[k];
}

/* Whether both ends of an edge are at the distance `radius` from the z axis, up to round-off. */
static PetscBool AtRadius(PetscReal radius, const PetscReal a[3], const PetscReal b[3])
{
  const PetscReal tol = 1e-9 * radius;

  return (PetscBool)(PetscAbsReal(AbutNorm(2, a) - radius) <= tol && PetscAbsReal(AbutNorm(2, b) - radius) <= tol);
}

void AbutShapeCurve(const AbutShapeSpec *shape, PetscInt dim, const PetscReal a[3], const PetscReal b[3], PetscReal middle[3])
{
  const PetscReal *size = shape->size;

  if (shape->kind == ABUT_SHAPE_BALL) SetLength(dim, size[0], middle);
  if (shape->kind == ABUT_SHAPE_CYLINDER && AtRadius(size[0], a, b)) SetLength(2, size[0], middle);
  if (shape->kind == ABUT_SHAPE_TORUS && dim == 3) ToTorus(size[0], size[1], middle);
  if (shape->kind == ABUT_SHAPE_TORUS && dim == 2) SetLength(2, size[0] + (AtRadius(size[0] + size[1], a, b) ? size[1] : -size[1]), middle);
}
