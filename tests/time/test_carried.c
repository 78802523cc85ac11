/*
  A block on a plane or obstacle that accelerates sideways. Up to the limit of static friction the block sticks; beyond, it slides with the
  acceleration of kinetic friction (closed forms). With mu_static > mu_kinetic a step has two solutions; the solver must find the one that
  sticks.
  A box in uniform motion whose rear is prescribed: within a step the rear passes cells, which may not stop it.
*/
#include "bench.h"

#define G       10.
#define STATIC  2.
#define KINETIC 0.2
#define STEPS   24
#define DT      0.005
#define SPEED   1e-4 /* eps_v */

/* Largest value of mu f1, the limit of sticking. */
static PetscReal Holds(void)
{
  const PetscReal slip = AbutFrictionPeakSlip(STATIC, KINETIC);
  PetscReal       f1_over_y;

  AbutFrictionPotential(slip, 1, STATIC, KINETIC, &f1_over_y, NULL);
  return slip * f1_over_y;
}

/* The floor moves in each step with the velocity that constant acceleration gives at the end of the step. */
static void Open(Bench *b, PetscInt dim, PetscBool obstacle, PetscReal acceleration)
{
  BenchInit(b, PETSC_COMM_WORLD, dim, DT);
  b->materials[0].young  = 1e8; /* stiff, so that implicit Euler damps its vibration within a few steps */
  b->mu[0]               = STATIC;
  b->mu[1]               = KINETIC;
  b->spec.friction_speed = (AbutQuantity){SPEED, PETSC_FALSE};
  b->spec.tolerance      = (AbutQuantity){1e-6, PETSC_FALSE};
  b->spec.dhat           = (AbutQuantity){1e-3, PETSC_FALSE};
  b->spec.gravity[1]     = -G;
  BenchAddBox(b, "block", 0, 0.5, 2, 0, 0.2505);
  if (obstacle) {
    BenchAddBox(b, "floor", -1, 2, 1, 0, -1);
  } else {
    BenchAddPlane(b, "floor", 0, 1);
  }
  for (int k = 0; k < STEPS; k++) {
    AbutMotionSpec *motion = BenchAddMotion(b, obstacle ? "floor" : NULL, acceleration * DT * (k + 1), 0);
    motion->plane          = obstacle ? -1 : 0;
    motion->start          = DT * (k + STEPS); /* the floor is at rest before */
    motion->end            = motion->start + DT;
  }
  BenchOpen(b);
  BenchStep(b, STEPS);
}

/* Mean velocity of the block after the acceleration of the floor. */
static PetscReal SpeedAfter(PetscInt dim, PetscBool obstacle, PetscReal acceleration, PetscBool sticks)
{
  const PetscReal mass = 1000 * (dim == 2 ? 0.25 : 0.125);
  Bench           b;
  PetscReal       speed;

  Open(&b, dim, obstacle, acceleration);
  for (int k = 0; k < STEPS; k++) {
    BenchStep(&b, 1);
    if (sticks && !b.report.contact.sticking) fail_msg("nothing sticks in step %d", k + 1); /* but single corners may slide */
  }
  speed = b.report.momentum[0] / mass;
  BenchClose(&b);
  return speed;
}

static void Carried(void **state)
{
  (void)state;
  assert_true(0.4 <
              0.6 * Holds()); /* allowance for the uneven contact pressure: friction of the least loaded corner must exceed the mean */
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (int obstacle = 0; obstacle <= 1; obstacle++) {
      const PetscReal a = 0.4 * G, b = 1.3 * STATIC * G, time = STEPS * DT;
      const PetscReal stuck = SpeedAfter(dim, (PetscBool)obstacle, a, PETSC_TRUE),
                      slid  = SpeedAfter(dim, (PetscBool)obstacle, b, PETSC_FALSE);

      print_message("%dD, %s: %.5f m/s, exact %.5f; %.5f, exact %.5f\n", (int)dim, obstacle ? "obstacle" : "plane", (double)stuck,
                    (double)(a * time), (double)slid, (double)(KINETIC * G * time));
      assert_true(PetscAbsReal(stuck - a * time) < 1e-2 * a * time);
      assert_true(PetscAbsReal(slid - KINETIC * G * time) < 2e-2 * KINETIC * G * time);
    }
}

/* Prescribed and free vertices start together: the start is the solution, and Newton's method has nothing to do. */
static void Driven(void **state)
{
  const PetscReal speed = 5, dt = 0.1, side = 1;

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Bench           b;
    AbutMotionSpec *motion;

    BenchInit(&b, PETSC_COMM_WORLD, dim, dt);
    BenchAddBox(&b, "box", 0, side, 4, 0, 0);
    b.bodies[0].velocity[0]   = speed;
    motion                    = BenchAddMotion(&b, "box", speed, 0);
    motion->selection.has_box = motion->selection.relative = PETSC_TRUE;
    for (int i = 0; i < 3; i++) motion->selection.box[0][i] = 0, motion->selection.box[1][i] = i == 0 ? 0.1 : 1;
    BenchOpen(&b);
    for (int k = 0; k < 3; k++) {
      BenchStep(&b, 1);
      assert_int_equal(b.report.count.newton, 0);
    }
    assert_true(PetscAbsReal(b.report.momentum[0] - 1000 * speed) < 1e-9 * 1000 * speed);
    BenchClose(&b);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Carried), cmocka_unit_test(Driven)};
  return AbutTestMain(argc, argv, tests);
}
