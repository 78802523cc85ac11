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

/*
  The press moves by 0.505 m and leaves 0.015 m for the body. The first penalty completes 99.8 % of the motion; that minimisation
  takes more than 200 searches, because steps end at the length of the direction and the penalty increases at minima only. If it also
  increases after full steps, the motion is complete earlier.
*/
static void SlowMotionConverges(void **state)
{
  Bench    b;
  PetscInt at_minima;

  (void)state;
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_stretch_rounds", "0"));
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_constraint_left", "1e12"));
  Press(&b, 2, 3, -5.05);
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_constraint_left"));
  print_message("%ld iterations, %g of the motion done\n", (long)b.report.count.newton, (double)b.report.boundary_progress);
  assert_true(b.report.converged && !b.report.stuck);
  assert_true(b.report.count.newton > 250);
  assert_true(b.report.boundary_progress > 0.999);
  at_minima = b.report.count.newton;
  BenchClose(&b);
  Press(&b, 2, 3, -5.05);
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_stretch_rounds"));
  print_message("%ld iterations with increases after full steps\n", (long)b.report.count.newton);
  assert_true(b.report.converged && 5 * b.report.count.newton < 4 * at_minima);
  assert_true(b.report.boundary_progress > 0.999);
  BenchClose(&b);
}

/* Iterations of a press that leaves 0.03 m for the body. Its motion is completed. */
static PetscInt CountIterations(const char growth[], const char left[])
{
  Bench    b;
  PetscInt iterations;

  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_constraint_penalty", "1e2"));
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_constraint_growth", growth));
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_constraint_left", left));
  Press(&b, 3, 2, -4.8);
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_constraint_left"));
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_constraint_growth"));
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_constraint_penalty"));
  assert_true(b.report.converged && b.report.boundary_progress >= 0.999);
  iterations = b.report.count.newton;
  BenchClose(&b);
  return iterations;
}

/* If each value of the penalty takes a minimisation, fewer values take fewer iterations. With increases after full steps most take none. */
static void FastGrowthOfThePenalty(void **state)
{
  const PetscInt slow = CountIterations("2", "1e12"), fast = CountIterations("100", "1e12"), balanced = CountIterations("2", "0.5");

  (void)state;
  print_message("%ld iterations; %ld with a penalty that doubles at minima; %ld if it also doubles after full steps\n", (long)fast,
                (long)slow, (long)balanced);
  assert_true(3 * fast < 2 * slow);
  assert_true(3 * balanced < 2 * slow);
}

/* Each round is compared with the last one that made progress. A search that is not idle resets the count of idle searches. */
static void CountsOfRoundsAndSearches(void **state)
{
  Stagnation s;

  (void)state;
  AbutOptionTableSetDefaults(&AbutStagnationOptions, &s);
  AbutStagnationBegin(&s);
  for (int k = 0; k < 1000; k++) assert_false(AbutStagnationCountSearch(&s, 1, 2 * s.idle_fraction));
  for (int k = 0; k < 1000; k++) assert_false(AbutStagnationCountSearch(&s, k % s.idle_max ? s.idle_step / 2 : 1, 2 * s.idle_fraction));
  AbutStagnationBegin(&s);
  for (int k = 1; k <= s.idle_max; k++) assert_int_equal(AbutStagnationCountSearch(&s, 1, s.idle_fraction / 2), k == s.idle_max);

  for (int k = 0; k < 1000; k++) assert_false(AbutStagnationCountRound(&s, 1 - pow(1 - s.round_progress / 20, k))); /* 1 % in 20 rounds */
  AbutStagnationBegin(&s);
  assert_false(AbutStagnationCountRound(&s, 0));
  for (int k = 1; k < s.round_max; k++) assert_false(AbutStagnationCountRound(&s, s.round_progress / 2));
  assert_false(AbutStagnationCountRound(&s, 2 * s.round_progress));
  for (int k = 1; k <= s.round_max; k++) assert_int_equal(AbutStagnationCountRound(&s, k % 2 * s.round_progress), k == s.round_max);
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
                                     cmocka_unit_test(FastGrowthOfThePenalty),  cmocka_unit_test(CountsOfRoundsAndSearches),
                                     cmocka_unit_test(TooFewIterations),        cmocka_unit_test(RoundOffIsNoFailure)};
  return AbutTestMain(argc, argv, tests);
}
