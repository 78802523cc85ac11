/* A half space that a force drives: as one that is moved to the same place; loading, unloading, free approach; dynamic steps. */
#include "bench.h"

/* A block on a symmetry plane, or on a floor, under a press; quasi-static. */
static void Block(Bench *b, PetscInt dim, PetscInt order, PetscBool floor)
{
  BenchInit(b, PETSC_COMM_WORLD, dim, 0.25);
  b->spec.integrator     = ABUT_INTEGRATOR_STATIC;
  b->spec.tolerance      = (AbutQuantity){1e-7, PETSC_FALSE};
  b->spec.balance        = 1e-3;
  b->spec.regularization = 1e-3;
  b->spec.kappa          = 1e6;
  BenchAddBox(b, "block", 0, 1, 2, 0, 0.505);
  b->bodies[0].shape.order = order;
  for (PetscInt axis = 0; axis < dim; axis++) {
    AbutMotionSpec *motion;
    if (floor && axis == 1) continue;
    motion                    = BenchAddMotion(b, "block", 0, 0);
    motion->selection.has_box = motion->selection.relative = PETSC_TRUE;
    for (int i = 0; i < 3; i++) motion->selection.box[0][i] = 0, motion->selection.box[1][i] = i == axis ? 0 : 1;
    motion->components = 1 << axis;
  }
  BenchAddPlane(b, "press", 1.3, -1);
  if (floor) BenchAddPlane(b, "floor", 0, 1);
}

static AbutLoadSpec *Drive(Bench *b, PetscReal force)
{
  AbutLoadSpec *load = BenchAddLoad(b, "");

  load->kind     = ABUT_LOAD_PLANE;
  load->force[1] = -force;
  return load;
}

/*
  Loads up to F in four steps, then F / 2 and 0. The contact force is the force, and a half space moved to the same place has it, too.
*/
static void BalancesTheForce(void **state)
{
  static PetscReal points[] = {0, 0, 1, 1, 1.25, 0.5, 1.5, 0};
  const PetscReal  force    = 2e4;

  (void)state;
  for (int k = 0; k < 8; k++) {
    const PetscInt dim = 2 + k % 2, order = 1 + k / 2 % 2;
    Bench          b, moved;
    PetscReal      place[5];

    Block(&b, dim, order, (PetscBool)(k / 4));
    Drive(&b, force)->table = (AbutTimeTable){4, points, ABUT_INTERPOLATION_LINEAR};
    BenchOpen(&b);
    for (int step = 0; step < 5; step++) {
      BenchStep(&b, 1);
      place[step] = b.state->plane_point[1];
      if (!(k / 4)) /* with a floor both forces cancel in the report */
        AbutTestClose("force", 1, &(PetscReal){b.report.force.contact[1] / force},
                      &(PetscReal){-AbutTimeTableValue(&b.loads[0].table, b.state->time)}, 1e-5);
      assert_true(step == 0 || (step < 4 ? place[step] < place[step - 1] : place[step] > place[step - 1]));
    }
    BenchStep(&b, 1); /* the force is 0 */
    assert_true(PetscAbsReal(b.report.force.contact_max) < 1e-4 * force && b.state->plane_point[1] > place[4]);
    BenchClose(&b);

    Block(&moved, dim, order, (PetscBool)(k / 4));
    BenchAddMotion(&moved, NULL, 0, (place[3] - 1.3))->plane = 0;
    BenchOpen(&moved);
    BenchStep(&moved, 4);
    if (!(k / 4)) {
      print_message("%ldD, order %ld: place %.9g, force %.9g\n", (long)dim, (long)order, (double)place[3],
                    (double)moved.report.force.contact[1]);
      AbutTestClose("force of a moved half space", 1, &(PetscReal){moved.report.force.contact[1] / force}, &(PetscReal){-1}, 1e-4);
    }
    BenchClose(&moved);
  }
}

/* In dynamic steps a force above the weight of a block on the floor holds it: contact forces at rest are the force, and force + weight. */
static void PressesInTime(void **state)
{
  (void)state;
  for (int k = ABUT_INTEGRATOR_EULER; k <= ABUT_INTEGRATOR_BDF2; k++) {
    Bench b;

    BenchInit(&b, PETSC_COMM_WORLD, 2, 0.02);
    b.spec.integrator = (AbutIntegrator)k;
    b.spec.balance    = 0.01;
    b.spec.gravity[1] = -10;
    b.mu[0] = b.mu[1]           = 0.3;
    b.materials[0].damping_mass = 20;
    BenchAddBox(&b, "block", 0, 1, 2, 0, 0.505);
    BenchAddPlane(&b, "press", 1.02, -1);
    BenchAddPlane(&b, "floor", 0, 1);
    Drive(&b, 1e4);
    BenchOpen(&b);
    BenchStep(&b, 100);
    print_message("%s: rest %g N of %g N, speed %g\n", AbutIntegrators[k], (double)b.report.force.contact[1], 1e4,
                  (double)PetscSqrtReal(b.report.energy.kinetic / 500));
    AbutTestClose("sum of contact forces", 1, &(PetscReal){b.report.force.contact[1] / 1e4}, &(PetscReal){1}, 0.02);
    BenchClose(&b);
  }
}

/* A press that starts dhat away from a block, up to round-off, presses it from the first step on. */
static void StartsAtDhat(void **state)
{
  (void)state;
  for (int k = -4; k <= 4; k++) {
    Bench b;

    Block(&b, 2, 1, PETSC_FALSE);
    b.spec.integrator     = ABUT_INTEGRATOR_EULER;
    b.spec.kappa          = 0;
    b.spec.regularization = 0;
    b.spec.dhat           = (AbutQuantity){1e-3, PETSC_FALSE};
    b.planes[0].point[1]  = 1.006 + k * PETSC_MACHINE_EPSILON;
    Drive(&b, 2e4);
    BenchOpen(&b);
    BenchStep(&b, 1);
    AbutTestClose("force", 1, &(PetscReal){b.report.force.contact[1] / 2e4}, &(PetscReal){-1}, 1e-4);
    BenchClose(&b);
  }
}

/* A light bar of the stiffness 1e6 N/m on a symmetry plane, under a press with the mass 1000 kg at a height over it. */
static void Bar(Bench *b, AbutIntegrator integrator, PetscReal height, PetscReal dt)
{
  BenchInit(b, PETSC_COMM_WORLD, 2, dt);
  b->spec.integrator     = integrator;
  b->spec.balance        = 0.01;
  b->spec.dhat           = (AbutQuantity){1e-4, PETSC_FALSE};
  b->spec.relative_kappa = 1;
  b->materials[0]        = (AbutMaterialSpec){"bar", ABUT_MATERIAL_LINEAR, 1e6, 0, 1};
  BenchAddBox(b, "block", 0, 1, 2, 0, 0.5);
  for (PetscInt axis = 0; axis < 2; axis++) {
    AbutMotionSpec *motion    = BenchAddMotion(b, "block", 0, 0);
    motion->selection.has_box = motion->selection.relative = PETSC_TRUE;
    for (int i = 0; i < 3; i++) motion->selection.box[0][i] = 0, motion->selection.box[1][i] = i == axis ? 0 : 1;
    motion->components = 1 << axis;
  }
  BenchAddPlane(b, "press", 1 + height, -1);
}

/* Mass and spring: under a force F the travel swings between 0 and 2 F / k with the period of the mass and a third of the bar's. */
static void SwingsOnABar(void **state)
{
  const PetscReal period = 2 * PETSC_PI * PetscSqrtReal((1000 + 1. / 3) / 1e6);

  (void)state;
  for (int k = 0; k <= 2 * ABUT_INTEGRATOR_BDF2 + 1; k++) { /* once by a force, once by the weight */
    const AbutIntegrator integrator = (AbutIntegrator)(k / 2);
    Bench                b;
    PetscReal            most = 0, when = 0;

    Bar(&b, integrator, 1e-4, period / 100);
    if (k % 2) b.spec.gravity[1] = -1;
    Drive(&b, k % 2 ? 0 : 1000)->plane_mass = 1000;
    BenchOpen(&b);
    for (int step = 0; step < 60; step++) {
      BenchStep(&b, 1);
      if (1 + 1e-4 - b.state->plane_point[1] <= most) continue;
      most = 1 + 1e-4 - b.state->plane_point[1];
      when = b.state->time;
    }
    print_message("%s: largest travel %g m at %g periods\n", AbutIntegrators[integrator], (double)most, (double)(when / period));
    /* the gap takes a part, and implicit Euler damps: pi / 2 times pi / 100 of the amplitude in half a period */
    AbutTestClose("largest travel", 1, &(PetscReal){most / 2e-3}, &(PetscReal){1}, integrator == ABUT_INTEGRATOR_EULER ? 0.06 : 0.005);
    AbutTestClose("half a period", 1, &(PetscReal){when / period}, &(PetscReal){0.5}, 0.02);
    BenchClose(&b);
  }
}

/* A mass that falls by H onto the bar: M g (H + u) = k u^2 / 2. In the fall it is where it should be. */
static void Falls(void **state)
{
  const PetscReal height = 0.005, rest = 1e-3, expected = rest + PetscSqrtReal(rest * (rest + 2 * height));
  PetscReal       most = 0;
  Bench           b;

  (void)state;
  Bar(&b, ABUT_INTEGRATOR_CONTACT_IMPLICIT_NEWMARK, height, 1e-3);
  b.spec.gravity[1]        = -1;
  Drive(&b, 0)->plane_mass = 1000;
  BenchOpen(&b);
  BenchStep(&b, 50);
  AbutTestClose("fall", 1, &(PetscReal){1 + height - b.state->plane_point[1]}, &(PetscReal){0.05 * 0.05 / 2}, 1e-9);
  AbutTestClose("speed", 1, &b.state->driven.v, &(PetscReal){0.05}, 1e-9);
  for (int step = 0; step < 150; step++) {
    BenchStep(&b, 1);
    most = PetscMax(most, -b.report.force.contact[1]);
  }
  print_message("largest force %g N, expected %g N\n", (double)most, (double)(1e6 * expected));
  AbutTestClose("largest force", 1, &(PetscReal){most / 1e6 / expected}, &(PetscReal){1}, 0.01);
  BenchClose(&b);
}

/* A force that pulls, two driven planes, and a plane that moves beside a driven one are refused with their places. */
static void Refuses(void **state)
{
  static PetscReal         points[] = {0, 1, 1, -1};
  static const char *const said[]   = {"scene.yaml:40: the force 0 1 0 N on plane 'press' must have the direction of its normal, 0 -1 0",
                                       "scene.yaml:40: the factor -1 at 1 s would pull plane 'press'",
                                       "scene.yaml:41: a second load on a plane",
                                       "scene.yaml:22: plane 'press' moves while the load of scene.yaml:40 drives a plane"};

  (void)state;
  for (int k = 0; k < 4; k++) {
    Bench         b;
    AbutLoadSpec *load;

    Block(&b, 2, 1, PETSC_FALSE);
    load = Drive(&b, k == 0 ? -1 : 1);
    if (k == 1) load->table = (AbutTimeTable){2, points, ABUT_INTERPOLATION_LINEAR};
    if (k == 2) Drive(&b, 1);
    if (k == 3) BenchAddMotion(&b, NULL, 0, 1)->plane = 0;
    assert_int_equal(BenchTry(&b), ABUT_ERR_INPUT);
    if (!strstr(AbutErrorMessage(), said[k])) fail_msg("%s", AbutErrorMessage());
    AbutErrorClear();
    BenchClose(&b);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(BalancesTheForce), cmocka_unit_test(PressesInTime), cmocka_unit_test(SwingsOnABar),
                                     cmocka_unit_test(StartsAtDhat),     cmocka_unit_test(Falls),         cmocka_unit_test(Refuses)};
  return AbutTestMain(argc, argv, tests);
}
