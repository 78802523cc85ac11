/* Rigid motions against rotation matrices known by hand. */
#include "test.h"
#include <abut/geom.h>

#define ROUND_OFF 1e-15 /* round-off of coordinates of size 1 */

static void assert_point(PetscInt dim, const PetscReal x[], const PetscReal expected[])
{
  for (PetscInt i = 0; i < dim; i++) assert_float_equal(x[i], expected[i], 8 * ROUND_OFF);
}

/* A rotation by 120 degrees about the diagonal permutes the axes; the centre moves by the shift only. */
static void test_permutation(void **state)
{
  const PetscReal       third  = 2 * PETSC_PI / 3 / PetscSqrtReal(3);
  const AbutRigidMotion motion = {{1, 2, 3}, {third, third, third}, {0.5, 0, -0.25}};
  PetscReal             x[3] = {1.1, 2.2, 3.3}, center[3] = {1, 2, 3};

  (void)state;
  AbutRigidMove(3, &motion, x);
  AbutRigidMove(3, &motion, center);
  assert_point(3, x, (const PetscReal[]){1.3 + 0.5, 2.1, 3.2 - 0.25});
  assert_point(3, center, (const PetscReal[]){1.5, 2, 2.75});
}

/* In 2D only the third component of the rotation vector is used. */
static void test_plane(void **state)
{
  const AbutRigidMotion motion = {{1, 0, 0}, {7, 8, PETSC_PI / 2}, {0, 1, 9}};
  PetscReal             x[2]   = {2, 0};

  (void)state;
  AbutRigidMove(2, &motion, x);
  assert_point(2, x, (const PetscReal[]){1, 2});
}

/* With angle 0 the shift is added exactly, without round-off from the centre. */
static void test_shift_alone(void **state)
{
  const AbutRigidMotion motion = {{1e9, 1e9, 1e9}, {0, 0, 0}, {0.25, 0.5, 1}};
  PetscReal             x[3]   = {0.1, 0.2, 0.3};

  (void)state;
  AbutRigidMove(3, &motion, x);
  assert_true(x[0] == 0.1 + 0.25 && x[1] == 0.2 + 0.5 && x[2] == 0.3 + 1);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_permutation), cmocka_unit_test(test_plane), cmocka_unit_test(test_shift_alone)};
  return AbutTestMain(argc, argv, tests);
}
