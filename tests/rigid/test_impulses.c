/* Impulses of contacts against closed forms: impacts, rest, friction on level and tilted ground, tipping. */
#include "boxes.h"

static const PetscReal up[3] = {0, 1, 0}, right[3] = {1, 0, 0};

/* Two boxes of masses 1 and 3 collide head-on: both move on with the velocity of their common centre of mass. */
static void HeadOnImpact(void **test)
{
  Boxes b = {0};

  (void)test;
  BoxesAdd(&b, 1, 1, 1, 0, 0, 1)->velocity[0] = 4;
  BoxesAdd(&b, 1, 1, 1, 1, 0, 3);
  BoxesOpen(&b, PETSC_COMM_WORLD);
  for (int corner = 0; corner < 4; corner++)
    BoxesTouch(&b, 0, 1, (PetscReal[3]){0.5, corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5}, right);
  BoxesStep(&b, 0.01);
  for (int body = 0; body < 2; body++) {
    AbutTestClose("velocity", 3, b.state[body].velocity, right, 1e-12);
    assert_true(BoxesNorm(b.state[body].spin) < 1e-12);
  }
  const PetscReal kinetic = 2;
  AbutTestClose("kinetic energy", 1, &b.report.kinetic, &kinetic, 1e-12);
  assert_int_equal(b.report.contacts, 4);
  BoxesClose(&b);
}

/* Bodies that separate exert no impulse: contacts do not attract. */
static void Separation(void **test)
{
  Boxes b = {0};

  (void)test;
  BoxesAdd(&b, 1, 1, 1, 0, 0, 1)->velocity[0] = -1;
  BoxesAdd(&b, 1, 1, 1, 1, 0, 1);
  BoxesOpen(&b, PETSC_COMM_WORLD);
  BoxesTouch(&b, 0, 1, (PetscReal[3]){0.5, 0.2, 0.1}, right)->separation = -0.003;
  BoxesStep(&b, 0.01);
  assert_true(b.state[0].velocity[0] == -1 && BoxesNorm(b.state[1].velocity) == 0);
  assert_true(b.report.residual == 0 && b.report.penetration == 0.003);
  BoxesClose(&b);
}

/* One end of a bar of length 2 a that falls with speed v meets a smooth ground: impulse v / (1/m + a^2/I), the end stops. */
static void BarLands(void **test)
{
  const PetscReal a = 2, v = 3;
  PetscReal       impulse, expected[2];
  Boxes           b = {0};

  (void)test;
  BoxesAdd(&b, 10, 1, 10, 0, -1, 0);
  BoxesAdd(&b, 2 * a, 0.1, 0.2, 0, 0.05, 500)->velocity[1] = -v;
  BoxesOpen(&b, PETSC_COMM_WORLD);
  impulse     = v / (1 / b.mass[1].mass + a * a / b.mass[1].inertia[8]);
  expected[0] = impulse / b.mass[1].mass - v;
  expected[1] = a * impulse / b.mass[1].inertia[8];
  BoxesTouch(&b, 0, 1, (PetscReal[3]){a, 0.05, 0}, up);
  BoxesStep(&b, 0.001);
  AbutTestClose("velocity", 1, &b.state[1].velocity[1], &expected[0], 1e-12);
  AbutTestClose("spin", 1, &b.state[1].spin[2], &expected[1], 1e-12);
  assert_true(PetscAbsReal(b.state[1].velocity[1] + a * b.state[1].spin[2]) < 1e-12);
  BoxesClose(&b);
}

/* A pile of six equal boxes, or of three each twice as dense as the one below, stays at rest once the iterations converge. */
static void PileAtRest(void **test)
{
  (void)test;
  assert_int_equal(PetscOptionsSetValue(NULL, "-rigid_iterations", "100000"), 0);
  assert_int_equal(PetscOptionsSetValue(NULL, "-rigid_tolerance", "1e-9"), 0);
  for (int factor = 1; factor <= 2; factor++) {
    Boxes     b       = {.gravity = {0, -G, 0}};
    PetscReal density = 1000;

    BoxesAdd(&b, 10, 1, 10, 0, -0.5, 0);
    for (int k = 0; k < 9 - 3 * factor; k++, density *= factor) BoxesAdd(&b, 1, 1, 1, 0, 0.5 + k, density);
    BoxesOpen(&b, PETSC_COMM_WORLD);
    for (int n = 0; n < 5; n++) {
      for (int k = 1; k < b.num; k++) BoxesStand(&b, k - 1, k, up);
      BoxesStep(&b, 0.01);
    }
    assert_true(b.report.residual <= 1e-9);
    for (int k = 1; k < b.num; k++) {
      assert_true(PetscAbsReal(b.state[k].center[1] - (k - 0.5)) < 1e-10);
      assert_true(BoxesNorm(b.state[k].velocity) < 1e-9 && BoxesNorm(b.state[k].spin) < 1e-9);
    }
    BoxesClose(&b);
  }
  assert_int_equal(PetscOptionsClearValue(NULL, "-rigid_iterations"), 0);
  assert_int_equal(PetscOptionsClearValue(NULL, "-rigid_tolerance"), 0);
}

/* A low box slides on level ground with the deceleration mu g until it rests. */
static void SlidesToRest(void **test)
{
  const PetscReal h = 0.01, mu = 0.5, v = 1.02;
  Boxes           b = {.gravity = {0, -G, 0}};

  (void)test;
  BoxesAdd(&b, 10, 1, 10, 0, -0.5, 0);
  BoxesAdd(&b, 2, 0.2, 1, 0, 0.1, 1000)->velocity[0] = v;
  BoxesOpen(&b, PETSC_COMM_WORLD);
  for (int n = 1; n <= 30; n++) {
    const PetscReal expected[3] = {PetscMax(0, v - mu * G * h * n), 0, 0};
    BoxesStand(&b, 0, 1, up);
    BoxesStep(&b, h);
    AbutTestClose("velocity", 3, b.state[1].velocity, expected, 1e-9);
    assert_true(BoxesNorm(b.state[1].spin) < 1e-9);
  }
  BoxesClose(&b);
}

/* Slope of angle atan(slope), by turning gravity: a box sticks if slope < mu, and slides with g (sin - mu cos) above. */
static void OnSlope(PetscReal slope, PetscReal mu)
{
  const PetscReal h = 0.01, cosine = 1 / PetscSqrtReal(1 + slope * slope), sine = slope * cosine;
  const PetscReal a = PetscMax(0, G * (sine - mu * cosine));
  Boxes           b = {.gravity = {G * sine, -G * cosine, 0}};

  BoxesAdd(&b, 10, 1, 10, 0, -0.5, 0);
  BoxesAdd(&b, 2, 0.4, 1, 0, 0.2, 1000);
  BoxesOpen(&b, PETSC_COMM_WORLD);
  for (int n = 1; n <= 20; n++) {
    const PetscReal expected[3] = {a * h * n, 0, 0};
    BoxesStand(&b, 0, 1, up);
    BoxesStep(&b, h);
    AbutTestClose("velocity", 3, b.state[1].velocity, expected, 1e-8);
    assert_true(BoxesNorm(b.state[1].spin) < 1e-8);
  }
  BoxesClose(&b);
}

static void Slopes(void **test)
{
  (void)test;
  OnSlope(0.49, 0.5);
  OnSlope(0.51, 0.5);
  OnSlope(0.8, 0.5);
  assert_int_equal(PetscOptionsSetValue(NULL, "-rigid_friction", "0"), 0);
  OnSlope(0.3, 0);
  assert_int_equal(PetscOptionsSetValue(NULL, "-rigid_friction", "0.2"), 0);
  OnSlope(0.19, 0.2);
  OnSlope(0.3, 0.2);
  assert_int_equal(PetscOptionsClearValue(NULL, "-rigid_friction"), 0);
}

/* A box on one edge beside its centre of mass tips about the edge: after a step the spin is h m g (w/2) / (I + m r^2). */
static void TipsOverEdge(void **test)
{
  const PetscReal h = 1e-3, w = 0.5, tall = 2, depth = 1;
  PetscReal       expected[3] = {0, 0, 0};
  Boxes           b           = {.gravity = {0, -G, 0}};

  (void)test;
  BoxesAdd(&b, 10, 1, 10, 0, -0.5, 0);
  BoxesAdd(&b, w, tall, depth, 0, tall / 2, 700);
  BoxesOpen(&b, PETSC_COMM_WORLD);
  for (int side = -1; side <= 1; side += 2) BoxesTouch(&b, 0, 1, (PetscReal[3]){w / 2, 0, side * depth / 2}, up);
  BoxesStep(&b, h);
  expected[2] = h * b.mass[1].mass * G * w / 2 / (b.mass[1].inertia[8] + b.mass[1].mass * (w * w + tall * tall) / 4);
  AbutTestClose("spin", 3, b.state[1].spin, expected, 1e-9);
  BoxesClose(&b);
}

/* A body without mass keeps its velocity, and carries a box along by friction. */
static void ConveyorBelt(void **test)
{
  Boxes b = {.gravity = {0, -G, 0}};

  (void)test;
  BoxesAdd(&b, 10, 1, 10, 0, -0.5, 0)->velocity[0] = 0.22;
  BoxesAdd(&b, 1, 0.2, 1, 0, 0.1, 1000);
  BoxesOpen(&b, PETSC_COMM_WORLD);
  for (int n = 1; n <= 10; n++) {
    const PetscReal expected[3] = {PetscMin(0.22, 0.05 * n), 0, 0};
    BoxesStand(&b, 0, 1, up);
    BoxesStep(&b, 0.01);
    AbutTestClose("velocity", 3, b.state[1].velocity, expected, 1e-9);
  }
  assert_true(PetscAbsReal(b.state[0].center[0] - 0.022) < 1e-14 && b.state[0].velocity[0] == 0.22 && b.state[0].velocity[1] == 0);
  BoxesClose(&b);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(HeadOnImpact), cmocka_unit_test(Separation),   cmocka_unit_test(BarLands),
                                     cmocka_unit_test(PileAtRest),   cmocka_unit_test(SlidesToRest), cmocka_unit_test(Slopes),
                                     cmocka_unit_test(TipsOverEdge), cmocka_unit_test(ConveyorBelt)};
  return AbutTestMain(argc, argv, tests);
}
