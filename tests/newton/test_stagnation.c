/* Stagnation: a compression to zero volume ends early as stuck; a solve that reaches round-off of B ends as converged. */
#include "bench.h"

static void ImpossibleMotionIsStuck(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Bench b;
    BenchInit(&b, PETSC_COMM_WORLD, dim, 0.1);
    b.spec.max_newton = 5000;
    b.spec.tolerance  = (AbutQuantity){1e-3, PETSC_FALSE};
    BenchAddBox(&b, "body", 0, 0.5, dim == 2 ? 2 : 1, 0, 0.26); /* coarse, because a stuck solve takes hundreds of iterations */
    BenchAddBox(&b, "press", -1, 1, 1, 0, 1.02);
    BenchAddPlane(&b, "floor", 0, 1);
    BenchAddMotion(&b, "press", 0, -6);
    BenchOpen(&b);
    AbutTestCall(AbutStepperStep(b.stepper, &b.report));
    print_message("%dD: stuck %d after %ld iterations, %g of the motion done\n", (int)dim, b.report.stuck, (long)b.report.count.newton,
                  (double)b.report.boundary_progress);
    assert_false(b.report.converged);
    assert_true(b.report.stuck && !b.report.exhausted);
    assert_true(b.report.count.newton < 5000);
    assert_true(b.report.boundary_progress > 0.3 && b.report.boundary_progress < 0.99);
    assert_int_equal(b.state->step, 0);
    BenchClose(&b);
  }
}

/* A limit of two iterations: the report says exhausted, not stuck. */
static void TooFewIterations(void **state)
{
  Bench b;

  (void)state;
  BenchInit(&b, PETSC_COMM_WORLD, 2, 0.01);
  b.spec.gravity[1] = -9.81;
  b.spec.max_newton = 2;
  BenchAddBox(&b, "block", 0, 0.5, 3, 0, 0.255);
  BenchAddPlane(&b, "floor", 0, 1);
  BenchOpen(&b);
  AbutTestCall(AbutStepperStep(b.stepper, &b.report));
  assert_true(!b.report.converged && b.report.exhausted && !b.report.stuck);
  assert_int_equal(b.report.count.newton, 2);
  BenchClose(&b);
}

/* A tolerance of 1e-11 m/s, below the resolution of B in floating point, is no failure. */
static void RoundOffIsNoFailure(void **state)
{
  Bench    b;
  PetscInt searches = 0;

  (void)state;
  BenchInit(&b, PETSC_COMM_WORLD, 2, 0.01);
  b.spec.gravity[1] = -9.81;
  b.spec.tolerance  = (AbutQuantity){1e-11, PETSC_FALSE};
  BenchAddBox(&b, "block", 0, 0.5, 3, 0, 0.255);
  BenchAddPlane(&b, "floor", 0, 1);
  BenchOpen(&b);
  for (int k = 0; k < 30; k++) {
    AbutTestCall(AbutStepperStep(b.stepper, &b.report));
    if (!b.report.converged)
      fail_msg("step %d: stuck %d, limiter %s, smallest step %g after %ld iterations", k, b.report.stuck,
               AbutLimiters[b.report.search.limiter], (double)b.report.search.smallest_step, (long)b.report.count.newton);
    assert_true(b.report.search.smallest_step > 1e-6);
    for (int limit = 0; limit < ABUT_NUM_LIMITS; limit++) searches += b.report.search.limits[limit];
  }
  assert_true(searches > 30);
  BenchClose(&b);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(ImpossibleMotionIsStuck), cmocka_unit_test(TooFewIterations),
                                     cmocka_unit_test(RoundOffIsNoFailure)};
  return AbutTestMain(argc, argv, tests);
}
