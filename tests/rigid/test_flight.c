/* Motion without contacts: free fall, spin about a principal axis, tumbling of a body with three different moments of inertia. */
#include "boxes.h"

/* n steps of free fall give x = v t - g h^2 n (n + 1) / 2. */
static void FreeFall(void **test)
{
  const PetscReal h = 0.01, v[3] = {1, 2, -3};
  Boxes           b = {.gravity = {0, -G, 0}};
  AbutBodySpec   *spec;

  (void)test;
  spec = BoxesAdd(&b, 1, 1, 1, 0.5, 0, 1000);
  for (int k = 0; k < 3; k++) spec->velocity[k] = v[k];
  BoxesOpen(&b, PETSC_COMM_WORLD);
  for (int n = 1; n <= 100; n++) {
    const PetscReal expected[3] = {0.5 + v[0] * n * h, v[1] * n * h - G * h * h * n * (n + 1) / 2, v[2] * n * h};
    BoxesStep(&b, h);
    AbutTestClose("centre", 3, b.state[0].center, expected, 1e-12);
  }
  const PetscReal kinetic = 500 * (1 + PetscSqr(v[1] - G) + 9), potential = 1000 * G * b.state[0].center[1];
  AbutTestClose("kinetic energy", 1, &b.report.kinetic, &kinetic, 1e-11);
  AbutTestClose("potential energy", 1, &b.report.potential, &potential, 1e-11);
  BoxesClose(&b);
}

/* Positions of a body that spins about y by a quarter turn, and of one whose velocity is given at the centre of its bounding box. */
static void QuarterTurn(void **test)
{
  Boxes         b = {0};
  AbutBodySpec *spec;
  PetscReal    *x;

  (void)test;
  spec                      = BoxesAdd(&b, 1, 2, 3, 5, 0, 1);
  spec->angular_velocity[1] = PETSC_PI / 2;
  BoxesOpen(&b, PETSC_COMM_WORLD);
  assert_int_equal(PetscMalloc1(3 * b.ml->num_local + 1, &x), 0);
  AbutTestCall(AbutRigidGetPositions(b.rigid, x));
  for (PetscInt i = 0; i < 3 * b.ml->num_local; i++) assert_true(x[i] == b.ml->rest[i]);
  for (int n = 0; n < 64; n++) BoxesStep(&b, 1. / 64);
  AbutTestCall(AbutRigidGetPositions(b.rigid, x));
  for (PetscInt v = 0; v < b.ml->num_local; v++) {
    const PetscReal *rest = b.ml->rest + 3 * v, expected[3] = {5 + rest[2], rest[1], -(rest[0] - 5)};
    AbutTestClose("position", 3, x + 3 * v, expected, 1e-12);
  }
  assert_int_equal(PetscFree(x), 0);
  BoxesClose(&b);
}

/* Tumbling for 2 s near the unstable axis: relative errors of angular momentum and kinetic energy. */
static void Tumble(PetscInt steps, PetscReal error[2])
{
  Boxes         b = {0};
  AbutBodySpec *spec;
  PetscReal     momentum[2][3], kinetic[2];

  spec                      = BoxesAdd(&b, 1, 2, 3, 0, 0, 1);
  spec->angular_velocity[0] = 0.2;
  spec->angular_velocity[1] = 2;
  spec->angular_velocity[2] = 0.1;
  BoxesOpen(&b, PETSC_COMM_WORLD);
  for (int end = 0; end < 2; end++) {
    PetscReal spin[3], body[3]; /* in the frame of the body, by the conjugate rotation */
    for (PetscInt n = 0; end && n < steps; n++) BoxesStep(&b, 2. / steps);
    for (int k = 0; k < 3; k++) b.state[0].orientation[1 + k] *= -1;
    for (int k = 0; k < 3; k++) b.state[0].center[k] = 0;
    BoxesPoint(&b, 0, b.state[0].spin, spin);
    kinetic[end] = 0;
    for (int k = 0; k < 3; k++) {
      body[k] = b.mass[0].inertia[4 * k] * spin[k];
      kinetic[end] += spin[k] * body[k] / 2;
    }
    for (int k = 0; k < 3; k++) b.state[0].orientation[1 + k] *= -1;
    BoxesPoint(&b, 0, body, momentum[end]);
  }
  AbutTestClose("reported kinetic energy", 1, &b.report.kinetic, &kinetic[1], 1e-12);
  for (int k = 0; k < 3; k++) momentum[1][k] -= momentum[0][k];
  error[0] = BoxesNorm(momentum[1]) / BoxesNorm(momentum[0]);
  error[1] = PetscAbsReal(kinetic[1] / kinetic[0] - 1);
  BoxesClose(&b);
}

static void Tumbling(void **test)
{
  PetscReal error[3][2];

  (void)test;
  for (int level = 0; level < 3; level++) Tumble(400 << level, error[level]);
  for (int k = 0; k < 2; k++) {
    const PetscReal order = PetscLog2Real(error[1][k] / error[2][k]);
    print_message("%s: error %.2e, order %.3f\n", k ? "kinetic energy" : "angular momentum", (double)error[2][k], (double)order);
    assert_true(order > 0.9 && order < 1.1);
    assert_true(error[2][k] < 5e-3);
  }
}

static void NotFinite(void **test)
{
  Boxes b = {0};

  (void)test;
  BoxesAdd(&b, 1, 1, 1, 0, 0, 1);
  BoxesOpen(&b, PETSC_COMM_WORLD);
  b.state[0].velocity[1] = PETSC_INFINITY;
  assert_int_equal(AbutRigidStep(b.rigid, 0.1, &b.contacts, &b.report), ABUT_ERR_DIVERGED);
  assert_non_null(strstr(AbutErrorMessage(), "box0"));
  AbutErrorClear();
  BoxesClose(&b);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(FreeFall), cmocka_unit_test(QuarterTurn), cmocka_unit_test(Tumbling),
                                     cmocka_unit_test(NotFinite)};
  return AbutTestMain(argc, argv, tests);
}
