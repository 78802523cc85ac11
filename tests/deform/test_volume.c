/* The volume polynomial against volumes of displaced surfaces, and its root. */
#include "responseimpl.h"
#include "shapes.h"
#include <math.h>
#include <stdlib.h>

static PetscReal Random(void)
{
  return 2 * (PetscReal)rand() / RAND_MAX - 1;
}

static void Fill(PetscInt n, PetscReal size, PetscReal values[])
{
  for (PetscInt k = 0; k < n; k++) values[k] = size * Random();
}

static PetscReal Value(const PetscReal c[4], PetscReal h)
{
  return c[0] + h * (c[1] + h * (c[2] + h * c[3]));
}

/* Sets c to the coefficients of the volume over the faces that move, and returns their number. */
static PetscInt Polynomial(AbutDeformSurface surface, const PetscReal fixed[], const PetscReal unit[], PetscReal c[4])
{
  PetscInt *faces, num;

  AbutTestCall(PetscMalloc1(surface->num_faces, &faces));
  AbutTestCall(AbutVolumeListFaces(surface, fixed, unit, &num, faces));
  AbutVolumePolynomial(surface, num, faces, fixed, unit, c);
  AbutTestCall(PetscFree(faces));
  return num;
}

static void Closed(void **state)
{
  const PetscReal   centre[3] = {3, 4, 5};
  AbutDeformSurface surface;
  PetscReal        *fixed, *unit, *y, c[4];
  Shape             shape;

  (void)state;
  srand(1);
  ShapeSphere(6, 1, centre, &shape);
  ShapeSurface(&shape, "ball", &surface);
  AbutTestCall(PetscMalloc3(3 * shape.num_vertices, &fixed, 3 * shape.num_vertices, &unit, 3 * shape.num_vertices, &y));
  Fill(3 * shape.num_vertices, 0.1, fixed);
  Fill(3 * shape.num_vertices, 0.2, unit);
  assert_int_equal(Polynomial(surface, fixed, unit, c), surface->num_faces);
  for (PetscReal h = -1; h <= 1; h += 0.25) {
    for (PetscInt k = 0; k < 3 * shape.num_vertices; k++) y[k] = shape.x[k] + fixed[k] + h * unit[k];
    assert_true(fabs(Value(c, h) - (ShapeVolume(&shape, y) - ShapeVolume(&shape, shape.x))) < 1e-12);
  }
  AbutTestCall(PetscFree3(fixed, unit, y));
  AbutTestCall(AbutDeformSurfaceDestroy(&surface));
  ShapeFree(&shape);
}

/* Of a ball only the faces around the two vertices that move are listed: one moves by `fixed`, one by `unit`. */
static void MovedFaces(void **state)
{
  const PetscReal   centre[3] = {0, 0, 0};
  const PetscInt    moved[2]  = {3, 40};
  AbutDeformSurface surface;
  PetscReal        *fixed, *unit, *y, c[4];
  PetscInt          count = 0;
  Shape             shape;

  (void)state;
  ShapeSphere(6, 1, centre, &shape);
  ShapeSurface(&shape, "ball", &surface);
  AbutTestCall(PetscCalloc3(3 * shape.num_vertices, &fixed, 3 * shape.num_vertices, &unit, 3 * shape.num_vertices, &y));
  fixed[3 * moved[0] + 1] = 0.1;
  unit[3 * moved[1] + 2]  = -0.2;
  for (PetscInt f = 0; f < surface->num_faces; f++) {
    PetscBool has = PETSC_FALSE;

    for (PetscInt k = 0; k < 3; k++) has = (PetscBool)(has || surface->face[f][k] == moved[0] || surface->face[f][k] == moved[1]);
    count += has;
  }
  assert_int_equal(Polynomial(surface, fixed, unit, c), count);
  for (PetscInt k = 0; k < 3 * shape.num_vertices; k++) y[k] = shape.x[k] + fixed[k] + 0.5 * unit[k];
  assert_true(fabs(Value(c, 0.5) - (ShapeVolume(&shape, y) - ShapeVolume(&shape, shape.x))) < 1e-13);
  AbutTestCall(PetscFree3(fixed, unit, y));
  AbutTestCall(AbutDeformSurfaceDestroy(&surface));
  ShapeFree(&shape);
}

/* A square sheet translated by (1, 2, h) sweeps its area times h, wherever it is; a linear stretch in its plane sweeps nothing. */
static void Open(void **state)
{
  AbutDeformSurface surface;
  PetscReal        *fixed, *unit, c[4];
  Shape             shape;

  (void)state;
  ShapeGrid(5, 2, 7, &shape);
  ShapeSurface(&shape, "sheet", &surface);
  AbutTestCall(PetscCalloc2(3 * shape.num_vertices, &fixed, 3 * shape.num_vertices, &unit));
  for (PetscInt v = 0; v < shape.num_vertices; v++) {
    fixed[3 * v] = 1 + 0.5 * shape.x[3 * v];
    unit[3 * v]  = 0.25 * shape.x[3 * v];
  }
  (void)Polynomial(surface, fixed, unit, c);
  for (PetscInt k = 0; k < 4; k++) assert_true(fabs(c[k]) < 1e-13);
  for (PetscInt v = 0; v < shape.num_vertices; v++) {
    fixed[3 * v]     = 1;
    fixed[3 * v + 1] = 2;
    unit[3 * v]      = 0;
    unit[3 * v + 2]  = 1;
  }
  (void)Polynomial(surface, fixed, unit, c);
  assert_true(fabs(c[0]) < 1e-13 && fabs(c[1] - 4) < 1e-13 && fabs(c[2]) < 1e-13 && fabs(c[3]) < 1e-13);
  AbutTestCall(PetscFree2(fixed, unit));
  AbutTestCall(AbutDeformSurfaceDestroy(&surface));
  ShapeFree(&shape);
}

static void Roots(void **state)
{
  (void)state;
  /* (h - 1) (h - 2) (h - 3): the smallest positive root */
  assert_true(fabs(AbutVolumeRoot((PetscReal[]){-6, 11, -6, 1}, 10) - 1) < 1e-14);
  assert_true(fabs(AbutVolumeRoot((PetscReal[]){6, -11, 6, -1}, 10) - 1) < 1e-14);
  /* -1 + 2 h */
  assert_true(fabs(AbutVolumeRoot((PetscReal[]){-1, 2, 0, 0}, 10) - 0.5) < 1e-15);
  /* -1 + 2 h - h^2 / 2: the smaller root of two */
  assert_true(fabs(AbutVolumeRoot((PetscReal[]){-1, 2, -0.5, 0}, 10) - (2 - sqrt(2))) < 1e-15);
  /* -2 + 2 h - h^2 has no root: the minimum of its magnitude */
  assert_true(fabs(AbutVolumeRoot((PetscReal[]){-2, 2, -1, 0}, 10) - 1) < 1e-15);
  /* a map that is mostly negative: the bulge is negative */
  assert_true(fabs(AbutVolumeRoot((PetscReal[]){-1, -2, 0, 0}, 10) + 0.5) < 1e-15);
  /* root beyond the limit; nothing to compensate; no bulge */
  assert_true(AbutVolumeRoot((PetscReal[]){-1, 0.01, 0, 0}, 10) == 10);
  assert_true(AbutVolumeRoot((PetscReal[]){0, 1, 0, 0}, 10) == 0);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest volumes[] = {cmocka_unit_test(Closed), cmocka_unit_test(MovedFaces), cmocka_unit_test(Open),
                                       cmocka_unit_test(Roots)};

  return AbutTestMain(argc, argv, volumes);
}
