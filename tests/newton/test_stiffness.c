/* Adaptive kappa follows contact forces slowly, shrinks if the line search reduces steps at wide gaps, grows at tiny gaps. */
#include "bench.h"

#define RANGE   1e-2 /* dhat [m] */
#define STIFFER 50   /* factor of kappa at which gaps at rest are wide */
#define WIDE    0.6  /* gap over dhat above which the stiffness does not grow at rest */

/* Quantities collected from the reports of Newton's iterations. */
typedef struct {
  PetscReal kappa, gap; /* of the last iteration; kappa = 0 before the first */
  PetscInt  cuts;       /* number of steps reduced by the energy */
  PetscInt  unchanged;  /* the same since kappa changed */
  PetscInt  grown, shrunk, wrong;
} Watch;

/*
  Monitor: counts increases and decreases of kappa. Wrong are an increase by more than 10 or without a tiny gap, and a decrease at a tiny
  gap or after fewer than 5 reduced steps.
*/
static PetscErrorCode Look(const AbutNewtonReport *line, void *ctx)
{
  Watch          *w    = (Watch *)ctx;
  const PetscBool tiny = (PetscBool)(line->min_gap < 1e-2 * RANGE && line->min_gap <= w->gap);
  const PetscReal more = w->kappa > 0 ? line->kappa / w->kappa : 1;

  w->cuts += line->limiter == ABUT_LIMIT_ENERGY;
  w->unchanged += line->limiter == ABUT_LIMIT_ENERGY;
  if (more > 1) {
    w->grown++;
    w->wrong += !tiny || more > 10 * (1 + 1e-12);
  } else if (more < 1) {
    w->shrunk++;
    w->wrong += tiny || w->unchanged < 5 || PetscAbsReal(4 * more - 1) > 1e-12;
  }
  if (more > 1 || more < 1) w->unchanged = 0;
  w->kappa = line->kappa;
  w->gap   = line->min_gap;
  return 0;
}

/* Stacked blocks above a floor; the first falls onto it or lies on it. */
static void Open(Bench *b, PetscInt dim, PetscReal dt, PetscInt count, PetscReal height)
{
  BenchInit(b, PETSC_COMM_WORLD, dim, dt);
  b->spec.gravity[1] = -10;
  b->spec.dhat       = (AbutQuantity){RANGE, PETSC_FALSE};
  BenchAddBox(b, "block", 0, 1, 4, 0, 0.5 + height);
  if (count > 1) BenchAddBox(b, "second", 0, 1, 4, 0.3, 2 + height);
  if (count > 2) BenchAddBox(b, "third", 0, 1, 4, 0.6, 3.5 + height);
  BenchAddPlane(b, "floor", 0, 1);
}

/* A block comes to rest: kappa grows with the contact forces by at most 10 % per step, and stays constant at rest. */
static void FollowsForces(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    PetscReal before = 0;
    Bench     b;
    Open(&b, dim, 0.2, 1, RANGE / 2);
    BenchOpen(&b);
    for (int k = 0; k < 24; k++) {
      const PetscReal most = k < 20 ? 1.1 : 1 + 1e-6; /* at rest: Newton's tolerance */
      if (k == 8) before = b.state->kappa /= 1.5;
      BenchStep(&b, 1);
      assert_true(b.report.contact.count > 0);
      if (k > 0) assert_true(b.state->kappa >= before && b.state->kappa <= most * before);
      if (k == 8) assert_true(b.state->kappa > 1.05 * before);
      before = b.state->kappa;
    }
    BenchClose(&b);
  }
}

/* At rest at wide gaps kappa does not grow, although forces balance at 1.5 kappa: a stiffer barrier would only widen the gaps further. */
static void StaysAtWideGaps(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    PetscReal before = 0;
    Bench     b;
    Open(&b, dim, 0.2, 1, RANGE / 2);
    BenchOpen(&b);
    for (int k = 0; k < 24; k++) {
      if (k == 4) b.state->kappa *= STIFFER;
      if (k == 20) before = b.state->kappa /= 1.5;
      BenchStep(&b, 1);
      assert_true(b.report.contact.count > 0);
      if (k < 20) continue;
      assert_true(b.report.contact.min_gap > WIDE * RANGE);
      assert_true(PetscAbsReal(b.state->kappa - before) <= 1e-12 * before);
    }
    BenchClose(&b);
  }
}

/* Starts from the upper bound of kappa. */
static void ShrinksWhereEnergyCuts(void **state)
{
  Watch w = {0};
  Bench b;

  (void)state;
  Open(&b, 2, 0.5, 3, 0.5);
  BenchOpen(&b);
  AbutNewtonSetMonitor(AbutStepperGetNewton(b.stepper), Look, &w);
  b.state->kappa = 1e30;
  b.state->c2    = 1;
  BenchStep(&b, 1);
  print_message("%d steps cut short by energy, stiffness shrunk %d times\n", (int)w.cuts, (int)w.shrunk);
  assert_true(w.shrunk > 0);
  assert_int_equal(w.grown, 0);
  assert_int_equal(w.wrong, 0);
  BenchClose(&b);
}

/*
  In a long step the start value from the masses is too small. Predicted contacts are off: with them the block arrives in fewer iterations,
  kappa grows once only, and the gap at the end is 0.005 dhat.
*/
static void GrowsAtTinyGaps(void **state)
{
  Watch w = {0};
  Bench b;

  (void)state;
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_predict", "off"));
  Open(&b, 2, 0.5, 1, 0.5);
  BenchOpen(&b);
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_predict"));
  AbutNewtonSetMonitor(AbutStepperGetNewton(b.stepper), Look, &w);
  BenchStep(&b, 1);
  print_message("stiffness grown %d times, to a gap of %g dhat\n", (int)w.grown, (double)(b.report.contact.min_gap / RANGE));
  assert_true(w.grown >= 1);
  assert_int_equal(w.shrunk, 0);
  assert_int_equal(w.wrong, 0);
  assert_true(b.report.contact.min_gap > 1e-2 * RANGE);
  BenchClose(&b);
}

/*
  Blocks close to each other and to a floor at rest. "oipc" lowers their activation distances to half of the gaps: the initial kappa equals
  the kappa for a dhat of this size, and solves take few iterations.
*/
static void UsesRestDhat(void **state)
{
  (void)state;
  for (PetscInt k = 0; k < 3; k++) {
    const PetscReal gap = PetscPowRealInt(10, -(3 + k));
    PetscReal       kappa[2];
    for (int wide = 0; wide < 2; wide++) {
      PetscInt most = 0;
      Bench    b;
      Open(&b, 3, 0.01, 1, gap);
      strcpy(b.spec.potential, "oipc");
      b.spec.orientation.alpha = 0.5;
      b.spec.tolerance         = (AbutQuantity){1e-4, PETSC_FALSE};
      b.spec.dhat              = (AbutQuantity){wide ? 5e-2 : gap / 2, PETSC_FALSE};
      BenchAddBox(&b, "upper", 0, 1, 2, 0.13, 1.5 + 2 * gap);
      BenchOpen(&b);
      for (int step = 0; step < 12; step++) {
        BenchStep(&b, 1);
        most = PetscMax(most, b.report.count.newton);
        if (step == 0) kappa[wide] = b.state->kappa;
      }
      assert_true(b.report.contact.count > 0);
      print_message("gap %g m, dhat %g m: stiffness %g at first, at most %d iterations a step\n", (double)gap, wide ? 5e-2 : gap / 2,
                    (double)kappa[wide], (int)most);
      assert_true(most <= 20);
      BenchClose(&b);
    }
    assert_true(PetscAbsReal(kappa[1] - kappa[0]) <= 1e-6 * kappa[0]);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(FollowsForces), cmocka_unit_test(StaysAtWideGaps),
                                     cmocka_unit_test(ShrinksWhereEnergyCuts), cmocka_unit_test(GrowsAtTinyGaps),
                                     cmocka_unit_test(UsesRestDhat)};
  return AbutTestMain(argc, argv, tests);
}
