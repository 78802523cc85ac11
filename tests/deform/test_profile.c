/* End conditions, derivative and shape of the profile. */
#include "responseimpl.h"
#include "shapes.h"
#include <math.h>

static PetscReal Profile(PetscReal a, PetscReal s, PetscReal h, PetscReal u)
{
  AbutProfilePoint point = {.a = a, .s = s, .u = u};

  AbutProfileEvaluate(1, &point);
  return point.height + h * point.shape;
}

static const PetscReal slopes[] = {-3, -0.5, 0, 0.2, 1, 4};

static void Ends(void **state)
{
  const PetscReal a = 0.3, h = 0.4, e = 1e-6;

  (void)state;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(slopes); k++) {
    assert_true(fabs(Profile(a, slopes[k], h, 0) + a) < 1e-15);
    assert_true(fabs(Profile(a, slopes[k], h, 1)) < 1e-15);
    assert_true(fabs(Profile(a, slopes[k], h, 1 - e)) < 10 * e * e);
    /* one-sided difference quotient, its error extrapolated */
    const PetscReal d1 = (Profile(a, slopes[k], h, e) + a) / e, d2 = (Profile(a, slopes[k], h, e / 2) + a) / (e / 2);

    assert_true(fabs(2 * d2 - d1 - slopes[k]) < 1e-7 * (1 + slopes[k] * slopes[k]));
  }
}

/* Without amplitude and slope the profile is the third basis function, without bulge and slope it increases from -a to 0. */
static void Shape0(void **state)
{
  PetscReal last = -1, highest = 0;

  (void)state;
  for (PetscInt k = 0; k <= 100; k++) {
    const PetscReal u = (PetscReal)k / 100, value = Profile(1, 0, 0, u);

    assert_true(value >= last - 1e-15 && value <= 1e-15);
    last    = value;
    highest = fmax(highest, Profile(0, 0, 1, u));
    assert_true(Profile(0, 0, 1, u) >= 0);
  }
  assert_true(highest > 0.55 && highest < 0.65);
}

/* The profile is C2 in u: differences at the knots of the spline are no larger than elsewhere. */
static void Smoothness(void **state)
{
  const PetscReal e    = 1e-4;
  PetscReal       last = NAN;

  (void)state;
  for (PetscReal u = 0.1; u < 0.99; u += e) {
    const PetscReal second = (Profile(0.3, 1, 0.4, u - e) - 2 * Profile(0.3, 1, 0.4, u) + Profile(0.3, 1, 0.4, u + e)) / (e * e);

    if (!isnan(last)) assert_true(fabs(second - last) < 0.05);
    last = second;
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest profiles[] = {cmocka_unit_test(Ends), cmocka_unit_test(Shape0), cmocka_unit_test(Smoothness)};

  return AbutTestMain(argc, argv, profiles);
}
