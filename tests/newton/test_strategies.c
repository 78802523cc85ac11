/* Strategies of projection and kept factors lead to the same minimum, and to it only downhill. */
#include "bench.h"

#define STEPS     12   /* until both boxes are pressed most */
#define TOLERANCE 1e-8 /* eps_d [m/s] */
#define KAPPA     1e6  /* the adaptive one (0) depends on the way to the minimum, so that answers would differ */

/* Two soft boxes thrown at each other and at a floor: strongly compressed, so that Hessians as they are turn indefinite. */
static PetscReal *Throw(PetscInt dim, PetscInt cells, PetscInt steps, PetscReal kappa, AbutStrategy strategy, AbutNewtonMonitorFn monitor,
                        void *ctx, AbutStepReport *sum)
{
  Bench      b;
  PetscReal *x;

  BenchInit(&b, PETSC_COMM_WORLD, dim, 0.01);
  b.spec.gravity[1] = -9.81;
  b.spec.strategy   = strategy;
  b.spec.tolerance  = (AbutQuantity){TOLERANCE, PETSC_FALSE};
  b.spec.kappa      = kappa;
  BenchAddBox(&b, "lower", 0, 0.5, cells, 0, 0.27);
  BenchAddBox(&b, "upper", 0, 0.5, cells, 0.1, 0.79);
  b.bodies[0].velocity[1] = dim == 2 ? -3 : -0.5; /* in 3D a harder blow buckles them, one way or another */
  b.bodies[1].velocity[1] = dim == 2 ? -8 : -1.5;
  BenchAddPlane(&b, "floor", 0, 1);
  BenchOpen(&b);
  AbutTestCall(AbutStepperSetMonitor(b.stepper, monitor, ctx));
  memset(sum, 0, sizeof(*sum));
  for (PetscInt k = 0; k < steps; k++) {
    BenchStep(&b, 1);
    sum->count.newton += b.report.count.newton;
    sum->count.linear += b.report.count.linear;
    sum->count.projected += b.report.count.projected;
    sum->contact.count_max = PetscMax(sum->contact.count_max, b.report.contact.count_max);
  }
  x = BenchPositions(&b);
  BenchClose(&b);
  return x;
}

/*
  Newton stops when a direction is below eps_d, which is 1e-10 m a step. Projected Hessians are too stiff, so that it is a part of the way
  that is left; that grows over the steps of collision to less than 1e-6 m.
*/
static void SameAnswer(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    AbutStepReport clamp, other;
    PetscReal     *expected = Throw(dim, 3, STEPS, KAPPA, ABUT_STRATEGY_CLAMP, NULL, NULL, &clamp);

    assert_true(clamp.contact.count_max > 3);
    assert_int_equal(clamp.count.projected, clamp.count.newton);
    for (int strategy = ABUT_STRATEGY_DEMAND; strategy <= ABUT_STRATEGY_DEMAND; strategy++) {
      PetscReal *found = Throw(dim, 3, STEPS, KAPPA, (AbutStrategy)strategy, NULL, NULL, &other);
      AbutTestClose(AbutStrategies[strategy], 2 * (dim == 2 ? 16 : 64) * dim, found, expected, 1e-6);
      print_message("%dD %s: %ld Newton iterations, %ld projected; clamp %ld\n", (int)dim, AbutStrategies[strategy],
                    (long)other.count.newton, (long)other.count.projected, (long)clamp.count.newton);
      assert_true(other.count.projected < other.count.newton);
      AbutTestCall(PetscFree(found));
    }
    AbutTestCall(PetscFree(expected));
  }
}

typedef struct {
  PetscInt  step, rises;
  PetscReal energy, kappa;
} Descent;

static PetscErrorCode WatchEnergy(const AbutNewtonReport *line, void *ctx)
{
  Descent *d = (Descent *)ctx;

  if (line->step == d->step && line->kappa == d->kappa && line->energy > d->energy + 1e-12 * PetscAbsReal(d->energy)) d->rises++;
  d->step   = line->step;
  d->energy = line->energy;
  d->kappa  = line->kappa;
  return 0;
}

static void EnergyNeverRises(void **state)
{
  (void)state;
  for (int strategy = ABUT_STRATEGY_CLAMP; strategy <= ABUT_STRATEGY_DEMAND; strategy++) {
    Descent        d = {0};
    AbutStepReport sum;
    AbutTestCall(PetscFree(*(PetscReal *[]){Throw(2, 4, STEPS, 0, (AbutStrategy)strategy, WatchEnergy, &d, &sum)}));
    assert_true(d.step == STEPS);
    assert_int_equal(d.rises, 0);
    assert_true(sum.count.projected > 0); /* some Hessians were indefinite, for all strategies */
  }
}

/* Large enough for factors to be kept (REUSE_LEAST unknowns in direction.c); contacts come up, so that patterns change meanwhile. */
static void KeptFactorsSameAnswer(void **state)
{
  static const char *const solvers[] = {"auto", "multigrid"};

  (void)state;
  for (int i = 0; i < 2; i++) {
    AbutStepReport kept, none;
    PetscReal     *found, *expected;
    AbutTestCall(PetscOptionsSetValue(NULL, "-abut_linear", solvers[i]));
    found = Throw(3, 6, 3, KAPPA, ABUT_STRATEGY_CLAMP, NULL, NULL, &kept);
    AbutTestCall(PetscOptionsSetValue(NULL, "-abut_reuse", "0"));
    expected = Throw(3, 6, 3, KAPPA, ABUT_STRATEGY_CLAMP, NULL, NULL, &none);
    AbutTestCall(PetscOptionsClearValue(NULL, "-abut_reuse"));
    AbutTestCall(PetscOptionsClearValue(NULL, "-abut_linear"));
    AbutTestClose("positions", 2 * 343 * 3, found, expected, 1e-6);
    print_message("%s: linear iterations: %ld with kept factors, %ld without; contacts %ld\n", solvers[i], (long)kept.count.linear,
                  (long)none.count.linear, (long)kept.contact.count_max);
    assert_true(kept.count.linear > none.count.linear);
    assert_true(kept.contact.count_max > 0);
    AbutTestCall(PetscFree(found));
    AbutTestCall(PetscFree(expected));
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SameAnswer), cmocka_unit_test(EnergyNeverRises),
                                     cmocka_unit_test(KeptFactorsSameAnswer)};
  return AbutTestMain(argc, argv, tests);
}
