/* Placement of a shape: p' = Rx Ry Rz (scale .* p) + translate. */
#include "meshimpl.h"

/* Cosine and sine of an angle in degrees; exact at multiples of 90 degrees, so that axis-aligned bodies stay axis-aligned. */
static void CosSin(PetscReal degrees, PetscReal *c, PetscReal *s)
{
  static const PetscReal quarter[4] = {1, 0, -1, 0};
  const PetscReal        turns      = degrees / 90;

  if (turns == PetscFloorReal(turns) && PetscAbsReal(turns) < 1e6) {
    const PetscInt k = (((PetscInt)turns % 4) + 4) % 4;
    *c               = quarter[k];
    *s               = quarter[(k + 3) % 4];
  } else {
    *c = PetscCosReal(degrees * PETSC_PI / 180);
    *s = PetscSinReal(degrees * PETSC_PI / 180);
  }
}

/* Rotates p about a coordinate axis. */
static inline void Rotate(PetscInt axis, PetscReal c, PetscReal s, PetscReal p[3])
{
  const PetscInt  i = (axis + 1) % 3, j = (axis + 2) % 3;
  const PetscReal a = p[i], b = p[j];

  p[i] = c * a - s * b;
  p[j] = s * a + c * b;
}

void AbutShapeAddMean(const AbutShape *shape, PetscInt num_vertices, PetscReal mean[3])
{
  for (PetscInt v = 0; v < shape->num_vertices; v++)
    for (PetscInt d = 0; d < 3; d++) mean[d] += shape->x[3 * v + d] / (PetscReal)num_vertices;
}

PetscErrorCode AbutShapeCheckPlacement(const AbutBodySpec *spec, PetscInt dim)
{
  const AbutShapeSpec *where = &spec->shape;

  PetscFunctionBegin;
  AbutSpecCheck(dim == 3 || (where->rotate[0] == 0 && where->rotate[1] == 0), spec,
                "rotation by %g, %g degrees about x, y; in 2D only the third angle may differ from 0", (double)where->rotate[0],
                (double)where->rotate[1]);
  for (PetscInt d = 0; d < dim; d++)
    AbutSpecCheck(where->scale[d] != 0 && !PetscIsInfOrNanReal(where->scale[d]), spec,
                  "scale[%" PetscInt_FMT "] is %g; it must be finite and not 0", d, (double)where->scale[d]);
  PetscFunctionReturn(0);
}

/* Places a point; c, s: cosines and sines of the rotations. */
static inline void Place(const AbutShapeSpec *where, PetscInt dim, const PetscReal mean[3], const PetscReal c[3], const PetscReal s[3],
                         PetscReal p[3])
{
  for (PetscInt d = 0; d < 3 && where->center; d++) p[d] -= mean[d];
  for (PetscInt d = 0; d < dim; d++) p[d] *= where->scale[d];
  for (PetscInt d = 2; d >= 0; d--) Rotate(d, c[d], s[d], p);
  for (PetscInt d = 0; d < dim; d++) p[d] += where->translate[d];
}

void AbutShapePlacePoint(const AbutBodySpec *spec, PetscInt dim, const PetscReal mean[3], PetscReal p[3])
{
  PetscReal c[3], s[3];

  for (PetscInt d = 0; d < 3; d++) CosSin(spec->shape.rotate[d], &c[d], &s[d]);
  Place(&spec->shape, dim, mean, c, s, p);
}

void AbutShapeUnplace(const AbutBodySpec *spec, PetscInt dim, const PetscReal mean[3], PetscReal p[3])
{
  const AbutShapeSpec *where = &spec->shape;
  PetscReal            c, s;

  for (PetscInt d = 0; d < dim; d++) p[d] -= where->translate[d];
  for (PetscInt d = 0; d < 3; d++) {
    CosSin(where->rotate[d], &c, &s);
    Rotate(d, c, -s, p);
  }
  for (PetscInt d = 0; d < dim; d++) p[d] /= where->scale[d];
  for (PetscInt d = 0; d < 3 && where->center; d++) p[d] += mean[d];
}

void AbutShapePlace(const AbutBodySpec *spec, PetscInt dim, const PetscReal mean[3], AbutShape *shape)
{
  const AbutShapeSpec *where = &spec->shape;
  PetscReal            c[3], s[3], mirror = 1;

  for (PetscInt d = 0; d < dim; d++) mirror *= where->scale[d];
  for (PetscInt d = 0; d < 3; d++) CosSin(where->rotate[d], &c[d], &s[d]);
  for (PetscInt v = 0; v < shape->num_vertices; v++) Place(where, dim, mean, c, s, &shape->x[3 * v]);
  if (mirror < 0) {
    AbutReverseSimplices(shape->num_cells, dim + 1, shape->cells);
    if (shape->middles) AbutReverseMiddles(dim, shape->num_cells, shape->middles);
    AbutReverseSimplices(shape->num_faces, 3, shape->faces);
  }
}
