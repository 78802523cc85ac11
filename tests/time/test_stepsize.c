/* Failed steps are halved and doubled again later; steps end exactly on output times; a failed step does not change the state. */
#include "bench.h"

/* A soft box in fast motion: within the iteration limit only short steps converge. */
static void Open(Bench *b, AbutIntegrator integrator, PetscReal dt, PetscReal dt_min, PetscInt max_newton)
{
  BenchInit(b, PETSC_COMM_WORLD, 2, dt);
  b->spec.dt_min     = dt_min;
  b->spec.steps      = 20;
  b->spec.max_newton = max_newton;
  b->spec.integrator = integrator;
  b->spec.gravity[1] = -10; /* accelerations at the start are not zero */
  b->spec.tolerance  = (AbutQuantity){1e-3, PETSC_FALSE};
  BenchAddBox(b, "box", 0, 1, 4, 0, 0);
  BenchOpen(b);
  for (PetscInt v = 0; v < b->local->num_owned; v++) b->state->v[2 * v] = 20 * b->local->rest[2 * v + 1];
}

static void Halves(void **state)
{
  Bench     b;
  PetscBool done     = PETSC_FALSE;
  PetscInt  halvings = 0, steps;
  PetscReal smallest = 1, time = 0;

  (void)state;
  Open(&b, ABUT_INTEGRATOR_BDF2, 0.04, 0.04 / 64, 3);
  for (steps = 0; !done && steps < 2000; steps++) {
    const PetscReal given = b.state->dt;
    BenchStep(&b, 1);
    assert_true(b.state->time > time);
    assert_true(PetscAbsReal(b.state->time - time - b.report.dt) < 1e-12);
    assert_true(b.report.dt <= b.spec.dt * (1 + 1e-12));
    if (b.report.halvings) {
      assert_true(b.report.dt < given && b.state->dt == b.report.dt && b.state->good == 0);
      assert_true(b.report.count.newton > b.spec.max_newton); /* counts are sums over the attempts */
    }
    assert_int_equal(b.state->step, steps + 1);
    halvings += b.report.halvings;
    smallest = PetscMin(smallest, b.report.dt);
    time     = b.state->time;
    done     = AbutStepperIsDone(b.stepper);
  }
  print_message("%ld steps, %ld halvings, smallest %g\n", (long)steps, (long)halvings, (double)smallest);
  assert_true(halvings > 0 && smallest < 0.04);
  assert_true(b.state->time == 20 * 0.04); /* bit for bit */
  assert_true(b.state->dt > smallest);     /* doubled again */
  BenchClose(&b);
}

/* A failed step must not change these fields of the state. */
static void FailsCleanly(void **state)
{
  (void)state;
  for (int k = ABUT_INTEGRATOR_EULER; k <= ABUT_INTEGRATOR_BDF2; k++) {
    Bench          b;
    AbutState      before;
    AbutStepReport report;
    PetscReal     *x, *v, *a;
    PetscInt       n;
    Open(&b, (AbutIntegrator)k, 0.04, 0.02, 2);
    n = 2 * b.local->num_owned;
    AbutTestCall(PetscMalloc3(n, &x, n, &v, n, &a));
    memcpy(x, b.state->x, sizeof(*x) * (size_t)n);
    memcpy(v, b.state->v, sizeof(*v) * (size_t)n);
    memcpy(a, b.state->a, sizeof(*a) * (size_t)n);
    before = *b.state;
    AbutTestCall(AbutStepperStep(b.stepper, &report));
    assert_false(report.converged);
    assert_int_equal(report.halvings, 1);
    assert_memory_equal(x, b.state->x, sizeof(*x) * (size_t)n);
    assert_memory_equal(v, b.state->v, sizeof(*v) * (size_t)n);
    assert_memory_equal(a, b.state->a, sizeof(*a) * (size_t)n);
    assert_memory_equal(&before, b.state, sizeof(before));
    AbutTestCall(PetscFree3(x, v, a));
    BenchClose(&b);
  }
}

/* Without halving, each time equals step * dt bit for bit. */
static void EvenTimes(void **state)
{
  Bench     b;
  PetscBool done = PETSC_FALSE;

  (void)state;
  Open(&b, ABUT_INTEGRATOR_BDF2, 0.01, 0.01, 300);
  for (PetscInt k = 1; k <= 20; k++) {
    assert_false(done);
    BenchStep(&b, 1);
    assert_true(b.state->time == (PetscReal)k * 0.01);
    done = AbutStepperIsDone(b.stepper);
  }
  assert_true(done);
  BenchClose(&b);
}

/* Output times that are not multiples of the step are met bit for bit, without a tiny last step. */
static void Lands(void **state)
{
  Bench     b;
  PetscBool done = PETSC_FALSE;
  PetscInt  next = 1;

  (void)state;
  BenchInit(&b, PETSC_COMM_WORLD, 2, 0.01);
  b.spec.steps   = 30;
  b.spec.landing = 0.037;
  BenchAddBox(&b, "box", 0, 1, 2, 0, 0);
  BenchOpen(&b);
  while (!done) {
    BenchStep(&b, 1);
    assert_true(b.report.dt > 0.0025 && b.report.dt <= 0.01);
    assert_true(b.state->time <= (PetscReal)next * 0.037);
    if (b.state->time == (PetscReal)next * 0.037) next++;
    done = AbutStepperIsDone(b.stepper);
  }
  assert_int_equal(next - 1, 8); /* 0.296 */
  assert_true(b.state->time == 30 * 0.01);
  BenchClose(&b);
}

/* An end time that is not a multiple of the step is met bit for bit; the last steps are shorter. */
static void Ends(void **state)
{
  const PetscReal ends[] = {0.1, 0.065, 0.02}; /* one short step; two halves instead of a tiny step; less than one step */
  const PetscInt  nums[] = {4, 3, 1};

  (void)state;
  for (int k = 0; k < 3; k++) {
    Bench     b;
    PetscBool done = PETSC_FALSE;
    BenchInit(&b, PETSC_COMM_WORLD, 2, 0.03);
    b.spec.steps = nums[k];
    b.spec.end   = ends[k];
    BenchAddBox(&b, "box", 0, 1, 2, 0, 0);
    BenchOpen(&b);
    while (!done) {
      BenchStep(&b, 1);
      assert_true(b.report.dt > 0.0099 && b.report.dt <= 0.03);
      done = AbutStepperIsDone(b.stepper);
    }
    assert_int_equal(b.state->step, nums[k]);
    assert_true(b.state->time == ends[k]);
    BenchClose(&b);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Halves), cmocka_unit_test(FailsCleanly), cmocka_unit_test(EvenTimes),
                                     cmocka_unit_test(Lands), cmocka_unit_test(Ends)};
  return AbutTestMain(argc, argv, tests);
}
