/* Steps longer than the direction: the same minimum in fewer iterations, B never increases. */
#include "bench.h"

#define STEPS     6
#define TOLERANCE 1e-8 /* eps_d [m/s] */

/* The column falls and buckles. */
static void Fall(Bench *b)
{
  b->spec.gravity[1]       = -9.81;
  b->bodies[0].velocity[1] = -1;
}

/* A plate presses the column until it buckles. With a weak penalty its motion is incomplete for most of a solve. */
static void Press(Bench *b)
{
  BenchAddBox(b, "plate", -1, 0.6, 1, 0, 1.42);
  BenchAddMotion(b, "plate", 0, -1);
}

/* Positions after a few steps, [num_global * dim]. */
static PetscReal *Run(PetscInt dim, void (*load)(Bench *), const char rounds[], BenchIterations *w, PetscInt *iterations)
{
  Bench      b;
  PetscReal *x;

  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_stretch_rounds", rounds));
  BenchInit(&b, PETSC_COMM_WORLD, dim, 0.1);
  b.spec.tolerance = (AbutQuantity){TOLERANCE, PETSC_FALSE};
  b.spec.kappa     = 1e6; /* adaptive kappa depends on the iterates, so results would differ */
  BenchAddColumn(&b);
  (*load)(&b);
  BenchOpen(&b);
  *w          = (BenchIterations){0};
  *iterations = 0;
  AbutNewtonSetMonitor(AbutStepperGetNewton(b.stepper), BenchWatch, w);
  for (PetscInt k = 0; k < STEPS; k++) {
    BenchStep(&b, 1);
    *iterations += b.report.count.newton;
  }
  x = BenchPositions(&b);
  BenchClose(&b);
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_stretch_rounds"));
  return x;
}

/* Iterations of a run without longer steps, [0], and with them, [1]; positions [2][num_global * dim] */
typedef struct {
  BenchIterations watched[2];
  PetscInt        iterations[2];
  PetscReal      *x[2];
} Comparison;

static Comparison Compare(PetscInt dim, void (*load)(Bench *))
{
  static const char *rounds[] = {"0", "3"};
  Comparison         c;

  for (int k = 0; k < 2; k++) c.x[k] = Run(dim, load, rounds[k], &c.watched[k], &c.iterations[k]);
  print_message("%dD: %ld iterations, %ld of them with longer steps; %ld without\n", (int)dim, (long)c.iterations[1],
                (long)c.watched[1].longer, (long)c.iterations[0]);
  assert_int_equal(c.watched[0].longer, 0);
  assert_true(c.watched[1].longer > 0);
  return c;
}

static void End(Comparison *c)
{
  for (int k = 0; k < 2; k++) AbutTestCall(PetscFree(c->x[k]));
}

static void SameMinimumInFewerIterations(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Comparison c = Compare(dim, Fall);

    AbutTestClose("positions", 17 * (dim == 2 ? 2 * 2 : 4 * 3), c.x[1], c.x[0], 1e-6);
    assert_int_equal(c.watched[1].rises, 0);
    assert_true(c.iterations[1] < c.iterations[0]);
    End(&c);
  }
}

/* A motion counts as complete from 0.999 of its 0.1 m in each step on, so positions differ. */
static void StepsOfAnIncompleteMotion(void **state)
{
  Comparison c;

  (void)state;
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_constraint_penalty", "1e4"));
  c = Compare(2, Press);
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_constraint_penalty"));
  AbutTestClose("positions", 17 * 2 * 2, c.x[1], c.x[0], 1e-3);
  assert_true(3 * c.iterations[1] < 2 * c.iterations[0]);
  End(&c);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SameMinimumInFewerIterations), cmocka_unit_test(StepsOfAnIncompleteMotion)};
  return AbutTestMain(argc, argv, tests);
}
