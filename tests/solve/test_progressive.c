/* The strategy "progressive" projects a part of an indefinite Hessian, as much as it takes, and the same part on any number of ranks. */
#include "bench.h"
#include "solveimpl.h"

#define STEPS 10

typedef struct {
  AbutStepper stepper;
  PetscInt    partial; /* iterations with a set that is neither empty nor everything */
  PetscReal   share;   /* sum over all iterations */
  PetscReal   level;   /* sum of the levels of partial sets */
} Watch;

static PetscErrorCode WatchSet(const AbutNewtonReport *line, void *ctx)
{
  Watch             *w   = (Watch *)ctx;
  const Progressive *set = &w->stepper->direction.set;

  (void)line;
  w->share += set->share;
  if (set->share <= 0 || set->share >= 1) return 0;
  w->partial++;
  w->level += set->level;
  return 0;
}

/* Two soft boxes thrown at each other and at a floor with friction: compressed where they meet, free elsewhere. */
static PetscReal *Crash(MPI_Comm comm, PetscInt dim, Watch *w, AbutStepReport *sum, PetscInt *count)
{
  Bench      b;
  PetscReal *x;

  BenchInit(&b, comm, dim, 0.01);
  b.spec.gravity[1]   = -9.81;
  b.spec.strategy     = ABUT_STRATEGY_PROGRESSIVE;
  b.spec.tolerance    = (AbutQuantity){1e-8, PETSC_FALSE};
  b.spec.kappa        = 1e6;
  b.mu[0]             = 0.5; /* more than the kinetic one: friction may be indefinite, too */
  b.mu[1]             = 0.2;
  b.materials[0].kind = ABUT_MATERIAL_FIXED_COROTATED;
  BenchAddBox(&b, "lower", 0, 0.5, 3, 0, 0.27);
  BenchAddBox(&b, "upper", 0, 0.5, 3, 0.1, 0.79);
  b.bodies[0].velocity[1] = -3;
  b.bodies[1].velocity[1] = -8;
  b.bodies[1].velocity[0] = 0.5;
  BenchAddPlane(&b, "floor", 0, 1);
  BenchOpen(&b);
  *w = (Watch){b.stepper, 0, 0, 0};
  memset(sum, 0, sizeof(*sum));
  AbutTestCall(AbutStepperSetMonitor(b.stepper, WatchSet, w));
  for (PetscInt k = 0; k < STEPS; k++) {
    BenchStep(&b, 1);
    assert_true(b.report.converged);
    sum->newton_iterations += b.report.newton_iterations;
    sum->projected += b.report.projected;
  }
  *count = b.local->num_global * dim;
  x      = BenchPositions(&b);
  BenchClose(&b);
  return x;
}

/* Round-off between rank counts, 1e-16 of positions a step, is multiplied in every collision: 1e-8 m is left of it. */
static void SameOnAnyRankCount(void **state)
{
  (void)state;
  Watch          one, all;
  AbutStepReport a, b;
  PetscInt       n;
  PetscReal     *expected = Crash(PETSC_COMM_SELF, 2, &one, &a, &n), *found = Crash(PETSC_COMM_WORLD, 2, &all, &b, &n);

  AbutTestClose("positions", n, found, expected, 1e-8);
  print_message("%ld iterations, %ld projected, %ld in part; on all ranks %ld, %ld, %ld; share of vertices %g\n", (long)a.newton_iterations,
                (long)a.projected, (long)one.partial, (long)b.newton_iterations, (long)b.projected, (long)all.partial,
                (double)(one.share / (PetscReal)a.newton_iterations));
  assert_true(one.partial > 2 && one.share < 0.5 * (PetscReal)a.newton_iterations);
  assert_int_equal(b.newton_iterations, a.newton_iterations);
  assert_int_equal(all.partial, one.partial);
  AbutTestClose("share", 1, &all.share, &one.share, 1e-12);
  AbutTestClose("levels", 1, &all.level, &one.level, 1e-6 * one.level);
  AbutTestCall(PetscFree(expected));
  AbutTestCall(PetscFree(found));
}

/* When all stencils had to be projected, they are for the iterations to come, but not for all. */
static void LeavesTheLowestLevel(void **state)
{
  const PetscInt most  = 20;
  PetscInt       grown = 0, held = 0;
  PetscBool      partial;
  Progressive   *set;
  Bench          b;

  (void)state;
  BenchInit(&b, PETSC_COMM_WORLD, 2, 0.01);
  b.spec.strategy = ABUT_STRATEGY_PROGRESSIVE;
  BenchAddBox(&b, "box", 0, 1, 3, 0, 0);
  b.bodies[0].angular_velocity[2] = 20;
  BenchOpen(&b);
  BenchStep(&b, 1);
  set = &b.stepper->direction.set;
  AbutProgressiveClear(b.stepper);
  for (; set->level > 0 && grown < most; grown++) AbutTestCall(AbutProgressiveGrow(b.stepper));
  assert_in_range(grown, 3, most - 1); /* step by step */
  AbutTestCall(AbutProgressiveHessian(b.stepper, &partial));
  assert_false(partial);
  for (; set->level == 0 && held < most; held++) AbutProgressiveRelax(b.stepper);
  assert_in_range(held, 3, most - 1);
  AbutTestCall(AbutProgressiveHessian(b.stepper, &partial));
  assert_true(partial);
  BenchClose(&b);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SameOnAnyRankCount), cmocka_unit_test(LeavesTheLowestLevel)};
  return AbutTestMain(argc, argv, tests);
}
