/* The functions of one variable of the orientation-aware potential: ends, derivatives, smoothness at their switches. */
#include "oriented.h"

typedef PetscReal (*Function)(PetscReal x, PetscReal *df, PetscReal *ddf);

static PetscReal Barrier2(PetscReal x, PetscReal *df, PetscReal *ddf)
{
  return AbutOrientedBarrier(x, 2, df, ddf);
}

static PetscReal Barrier1(PetscReal x, PetscReal *df, PetscReal *ddf)
{
  return AbutOrientedBarrier(x, 1, df, ddf);
}

static PetscReal Step(PetscReal x, PetscReal *df, PetscReal *ddf)
{
  return AbutOrientedStep(x, 0.7, 0.2, df, ddf);
}

static void Derivatives(const PetscReal x[], PetscReal out[], void *ctx)
{
  out[0] = (*(Function *)ctx)(x[0], &out[1], NULL);
}

/* Compares both derivatives at x with differences whose points do not cross a switch. */
static void CheckAt(Function f, PetscReal x)
{
  PetscReal  J[2], d[2];
  const char what[] = "derivative";

  f(x, &d[0], &d[1]);
  AbutTestJacobian(Derivatives, &f, 1, 2, &x, 1e-4 * PetscMin(1, PetscAbsReal(x)), J);
  AbutTestClose(what, 2, d, J, 1e-7); /* round-off of 4th-order differences at this step: 1e-16 / 1e-8 of values up to 1e2 */
}

static void test_derivatives(void **state)
{
  static const PetscReal spline[] = {-1.2, -0.8, -0.3, 0.2, 0.4999, 0.5001, 0.9, 0.9997, 1.3}, barrier[] = {0.2, 0.45, 0.501, 0.8, 1.1},
                         step[] = {-0.9, -0.699, -0.5, -0.399, -0.2, -0.099, 0.1, 0.199, 0.3}, blend[] = {-0.2, 0.001, 0.4, 0.999, 1.2};

  (void)state;
  for (size_t i = 0; i < sizeof(spline) / sizeof(spline[0]); i++) CheckAt(AbutOrientedSpline, spline[i]);
  for (size_t i = 0; i < sizeof(barrier) / sizeof(barrier[0]); i++) CheckAt(Barrier1, barrier[i]);
  for (size_t i = 0; i < sizeof(barrier) / sizeof(barrier[0]); i++) CheckAt(Barrier2, barrier[i]);
  for (size_t i = 0; i < sizeof(step) / sizeof(step[0]); i++) CheckAt(Step, step[i]);
  for (size_t i = 0; i < sizeof(blend) / sizeof(blend[0]); i++) {
    CheckAt(AbutOrientedBlend, blend[i]);
    CheckAt(AbutOrientedRamp, blend[i]);
  }
}

/* Values and derivatives agree from both sides, up to the order given. */
static void CheckSwitch(Function f, PetscReal x, int order)
{
  const PetscReal h = 1e-9;
  PetscReal       a[3], b[3];

  a[0] = f(x - h, &a[1], &a[2]);
  b[0] = f(x + h, &b[1], &b[2]);
  for (int k = 0; k <= order; k++) assert_true(PetscAbsReal(a[k] - b[k]) < 1e-5); /* third derivatives up to 1e3 times 2 h */
}

static void test_switches(void **state)
{
  (void)state;
  CheckSwitch(AbutOrientedSpline, -1, 2);
  CheckSwitch(AbutOrientedSpline, -0.5, 2);
  CheckSwitch(AbutOrientedSpline, 0, 2);
  CheckSwitch(AbutOrientedSpline, 0.5, 2);
  CheckSwitch(AbutOrientedSpline, 1, 2);
  CheckSwitch(Barrier2, 0.5, 2);
  CheckSwitch(Barrier2, 1, 2);
  CheckSwitch(Step, -0.7, 2);
  CheckSwitch(Step, -0.4, 2);
  CheckSwitch(Step, -0.1, 2);
  CheckSwitch(Step, 0.2, 2);
  CheckSwitch(AbutOrientedBlend, 0, 0);
  CheckSwitch(AbutOrientedBlend, 1, 1);
  CheckSwitch(AbutOrientedRamp, 0, 1);
  CheckSwitch(AbutOrientedRamp, 1, 1);
}

static void test_ends(void **state)
{
  (void)state;
  assert_true(AbutOrientedSpline(0, NULL, NULL) == 2.0 / 3);
  assert_true(AbutOrientedBarrier(1, 2, NULL, NULL) == 0);
  assert_true(AbutOrientedBarrier(1e-6, 2, NULL, NULL) > 6e11);
  assert_true(AbutOrientedStep(-0.7, 0.7, 0.2, NULL, NULL) == 0);
  assert_true(AbutOrientedStep(0.2, 0.7, 0.2, NULL, NULL) == 1);
  for (PetscInt end = 0; end < 2; end++) {
    assert_true(AbutOrientedBlend(end, NULL, NULL) == end);
    assert_true(AbutOrientedRamp(end, NULL, NULL) == end);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_derivatives),
    cmocka_unit_test(test_switches),
    cmocka_unit_test(test_ends),
  };
  return AbutTestMain(argc, argv, tests);
}
