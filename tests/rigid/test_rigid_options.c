/* Options of the contact solver; the same bits on any number of ranks. */
#include "boxes.h"

static const PetscReal up[3] = {0, 1, 0};

/* A leaning pile that slides, tips and falls apart. */
static void Collapse(MPI_Comm comm, Boxes *b)
{
  BoxesAdd(b, 10, 1, 10, 0, -0.5, 0);
  for (int k = 0; k < 5; k++) BoxesAdd(b, 1, 0.7, 1.3, 0.3 * k, 0.35 + 0.7 * k, 1000 + 300 * k)->shape.cells[k % 3] = 3 + k;
  b->spec[5].velocity[2] = 2;
  b->gravity[1]          = -G;
  BoxesOpen(b, comm);
  for (int n = 0; n < 40; n++) {
    for (int k = 1; k < b->num; k++) BoxesStand(b, k - 1, k, up);
    BoxesStep(b, 0.01);
  }
}

static void SameBits(void **test)
{
  Boxes all = {0}, alone = {0};

  (void)test;
  Collapse(PETSC_COMM_WORLD, &all);
  Collapse(PETSC_COMM_SELF, &alone);
  assert_true(PetscAbsReal(alone.state[5].spin[2]) > 1e-3);
  for (PetscInt k = 0; k < all.num; k++) {
    assert_memory_equal(&all.mass[k], &alone.mass[k], sizeof(all.mass[k]));
    assert_memory_equal(&all.state[k], &alone.state[k], sizeof(all.state[k]));
  }
  assert_memory_equal(&all.report.kinetic, &alone.report.kinetic, sizeof(PetscReal));
  BoxesClose(&all);
  BoxesClose(&alone);
}

/* Report of a step of a pile of eight boxes, and the speed of the uppermost box after it, which would be 0 after enough iterations. */
static PetscReal PileStep(const char name[], const char value[], AbutRigidReport *report)
{
  Boxes     b = {.gravity = {0, -G, 0}};
  PetscReal speed;

  if (name) assert_int_equal(PetscOptionsSetValue(NULL, name, value), 0);
  BoxesAdd(&b, 10, 1, 10, 0, -0.5, 0);
  for (int k = 0; k < 8; k++) BoxesAdd(&b, 1, 1, 1, 0, 0.5 + k, 1000);
  BoxesOpen(&b, PETSC_COMM_WORLD);
  for (int k = 1; k < b.num; k++) BoxesStand(&b, k - 1, k, up);
  BoxesStep(&b, 0.01);
  *report = b.report;
  speed   = BoxesNorm(b.state[8].velocity);
  BoxesClose(&b);
  if (name) assert_int_equal(PetscOptionsClearValue(NULL, name), 0);
  return speed;
}

/* More iterations give a smaller speed of the uppermost box; r-factors change the rate of convergence only. */
static void Options(void **test)
{
  AbutRigidReport report;
  PetscReal       few, standard, speed;

  (void)test;
  standard = PileStep(NULL, NULL, &report);
  assert_int_equal(report.iterations, 1000);
  few = PileStep("-rigid_iterations", "10", &report);
  assert_int_equal(report.iterations, 10);
  assert_true(few > 5 * standard);
  (void)PileStep("-rigid_tolerance", "0.5", &report);
  assert_true(report.iterations < 1000 && report.residual <= 0.5);
  speed = PileStep("-rigid_r_scale", "1.3", &report);
  assert_true(speed != standard && speed < 2 * standard);
  speed = PileStep("-rigid_r_decrease", "0.5", &report); /* smaller r-factors converge more slowly */
  assert_true(speed > standard);
  assert_true(PileStep("-rigid_iterations", "30000", &report) < 1e-6 * few);
}

static void BadOption(void **test)
{
  Boxes b = {0};

  (void)test;
  BoxesAdd(&b, 1, 1, 1, 0, 0, 1);
  BoxesOpen(&b, PETSC_COMM_WORLD);
  assert_int_equal(PetscOptionsSetValue(NULL, "-rigid_friction", "-1"), 0);
  assert_int_equal(AbutRigidSetFromOptions(b.rigid), ABUT_ERR_INPUT);
  assert_non_null(strstr(AbutErrorMessage(), "-rigid_friction"));
  AbutErrorClear();
  assert_int_equal(PetscOptionsClearValue(NULL, "-rigid_friction"), 0);
  BoxesClose(&b);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SameBits), cmocka_unit_test(Options), cmocka_unit_test(BadOption)};
  return AbutTestMain(argc, argv, tests);
}
