/*
  Stagnation: a compression to zero volume ends as stuck; one that leaves a little room converges after hundreds of iterations; a solve that
  reaches round-off of B ends as converged.
*/
#include "bench.h"
#include "newtonimpl.h"

/*
  One step of 0.1 s in which a rigid press moves onto a body of 0.5 m. Gaps at the start are 0.01 m. The body is coarse, because the step
  takes hundreds of iterations.
*/
static void Press(Bench *b, PetscInt dim, PetscInt cells, PetscReal velocity)
{
  BenchInit(b, PETSC_COMM_WORLD, dim, 0.1);
  b->spec.max_newton = 5000;
  b->spec.tolerance  = (AbutQuantity){1e-3, PETSC_FALSE};
  BenchAddBox(b, "body", 0, 0.5, cells, 0, 0.26);
  BenchAddBox(b, "press", -1, 1, 1, 0, 1.02);
  BenchAddPlane(b, "floor", 0, 1);
  BenchAddMotion(b, "press", 0, velocity);
  BenchOpen(b);
  AbutTestCall(AbutStepperStep(b->stepper, &b->report));
}

/* The press moves by 0.6 m: no room is left for the body. */
static void ImpossibleMotionIsStuck(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Bench b;
    Press(&b, dim, dim == 2 ? 2 : 1, -6);
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

/* The press moves by 0.505 m and leaves 0.015 m for the body. */
static void SlowMotionConverges(void **state)
{
  Bench b;

  (void)state;
  Press(&b, 2, 3, -5.05);
  print_message("%ld iterations, %g of the motion done\n", (long)b.report.count.newton, (double)b.report.boundary_progress);
  assert_true(b.report.converged && !b.report.stuck);
  assert_true(b.report.count.newton > 100);
  assert_true(b.report.boundary_progress > 0.999);
  BenchClose(&b);
}

/* Each round is compared with the last one that made progress. A search that is not idle resets the count of idle searches. */
static void CountsOfRoundsAndSearches(void **state)
{
  Stagnation s;

  (void)state;
  AbutStagnationBegin(&s);
  for (int k = 0; k < 1000; k++) assert_false(AbutStagnationCountSearch(&s, 1, 2 * IDLE_FRACTION));
  for (int k = 0; k < 1000; k++) assert_false(AbutStagnationCountSearch(&s, k % IDLE_MAX ? IDLE_STEP / 2 : 1, 2 * IDLE_FRACTION));
  AbutStagnationBegin(&s);
  for (int k = 1; k <= IDLE_MAX; k++) assert_int_equal(AbutStagnationCountSearch(&s, 1, IDLE_FRACTION / 2), k == IDLE_MAX);

  for (int k = 0; k < 1000; k++) assert_false(AbutStagnationCountRound(&s, 1 - pow(1 - ROUND_PROGRESS / 20, k))); /* 1 % in 20 rounds */
  AbutStagnationBegin(&s);
  assert_false(AbutStagnationCountRound(&s, 0));
  for (int k = 1; k < ROUND_MAX; k++) assert_false(AbutStagnationCountRound(&s, ROUND_PROGRESS / 2));
  assert_false(AbutStagnationCountRound(&s, 2 * ROUND_PROGRESS));
  for (int k = 1; k <= ROUND_MAX; k++) assert_int_equal(AbutStagnationCountRound(&s, k % 2 * ROUND_PROGRESS), k == ROUND_MAX);
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(ImpossibleMotionIsStuck), cmocka_unit_test(SlowMotionConverges),
                                     cmocka_unit_test(CountsOfRoundsAndSearches), cmocka_unit_test(TooFewIterations),
                                     cmocka_unit_test(RoundOffIsNoFailure)};
  return AbutTestMain(argc, argv, tests);
}
