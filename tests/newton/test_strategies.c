/* All projection strategies and lagged factorisations reach the same minimum, and B never increases. */
#include "bench.h"

#define STEPS     12   /* until both boxes have their largest compression */
#define TOLERANCE 1e-8 /* eps_d [m/s] */
#define KAPPA     1e6  /* adaptive kappa (0) depends on the iterates, so results would differ */

/* Two soft boxes collide with each other and with a floor. They are strongly compressed, so unprojected Hessians become indefinite. */
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
  b.bodies[0].velocity[1] = dim == 2 ? -3 : -0.5; /* faster boxes would buckle in 3D, and the minimum would not be unique */
  b.bodies[1].velocity[1] = dim == 2 ? -8 : -1.5;
  BenchAddPlane(&b, "floor", 0, 1);
  BenchOpen(&b);
  AbutNewtonSetMonitor(AbutStepperGetNewton(b.stepper), monitor, ctx);
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
  Newton stops at directions below eps_d h = 1e-10 m. Projected Hessians are too stiff, so the distance to the minimum is larger than the
  direction. This error grows over the steps of the collision, to less than 1e-6 m.
*/
static void SameAnswer(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    AbutStepReport clamp, other;
    PetscReal     *expected = Throw(dim, 3, STEPS, KAPPA, ABUT_STRATEGY_CLAMP, NULL, NULL, &clamp);

    assert_true(clamp.contact.count_max > 3);
    assert_int_equal(clamp.count.projected, clamp.count.newton);
    for (int strategy = ABUT_STRATEGY_DEMAND; strategy <= ABUT_STRATEGY_ADAPTIVE; strategy++) {
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
  for (int strategy = ABUT_STRATEGY_CLAMP; strategy <= ABUT_STRATEGY_ADAPTIVE; strategy++) {
    Descent        d = {0};
    AbutStepReport sum;
    AbutTestCall(PetscFree(*(PetscReal *[]){Throw(2, 4, STEPS, 0, (AbutStrategy)strategy, WatchEnergy, &d, &sum)}));
    assert_true(d.step == STEPS);
    assert_int_equal(d.rises, 0);
    assert_true(sum.count.projected > 0); /* some Hessians were indefinite, for all strategies */
  }
}

/* Enough unknowns for lagged factorisations, with new contacts that change the matrix pattern. */
static void LaggedFactorsSameAnswer(void **state)
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
    /* earlier factors are used; multigrid renews its finest level, so that its iterations may become fewer */
    assert_true(i == 0 ? kept.count.linear > none.count.linear : kept.count.linear != none.count.linear);
    assert_true(kept.contact.count_max > 0);
    AbutTestCall(PetscFree(found));
    AbutTestCall(PetscFree(expected));
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SameAnswer), cmocka_unit_test(EnergyNeverRises),
                                     cmocka_unit_test(LaggedFactorsSameAnswer)};
  return AbutTestMain(argc, argv, tests);
}
