/* Orientation predicates against rational arithmetic, on inputs that floating point gets wrong. */
#include "test.h"
#include <abut/geom.h>
#include <math.h>
#include "rational.h"

static int RationalOrient(int dim, const double p[4][3])
{
  Rational3 e[3], n;
  mpq_t     det;
  int       sign;

  RationalInit(3, e);
  RationalInit(1, &n);
  mpq_init(det);
  for (int i = 0; i < dim; i++) RationalDifference(dim, p[i + 1], p[0], &e[i]);
  if (dim == 2) mpq_set_ui(e[2].x[2], 1, 1);
  RationalCross(&e[0], &e[1], &n);
  RationalDot(&n, &e[2], det);
  sign = mpq_sgn(det);
  mpq_clear(det);
  RationalClear(1, &n);
  RationalClear(3, e);
  return sign;
}

static int Orient(int dim, const double p[4][3])
{
  return dim == 2 ? AbutOrient2D(p[0], p[1], p[2]) : AbutOrient3D(p[0], p[1], p[2], p[3]);
}

/* Checks the sign for every order of the points against rational arithmetic. */
static int Check(int dim, const double p[4][3])
{
  static const int order[24][5] = {{0, 1, 2, 3, 1},  {1, 2, 0, 3, 1},  {2, 0, 1, 3, 1},  {1, 0, 2, 3, -1}, {0, 2, 1, 3, -1},
                                   {2, 1, 0, 3, -1}, {0, 1, 3, 2, -1}, {1, 3, 0, 2, -1}, {3, 0, 1, 2, -1}, {1, 0, 3, 2, 1},
                                   {0, 3, 1, 2, 1},  {3, 1, 0, 2, 1},  {0, 2, 3, 1, 1},  {2, 3, 0, 1, 1},  {3, 0, 2, 1, 1},
                                   {2, 0, 3, 1, -1}, {0, 3, 2, 1, -1}, {3, 2, 0, 1, -1}, {1, 2, 3, 0, -1}, {2, 3, 1, 0, -1},
                                   {3, 1, 2, 0, -1}, {2, 1, 3, 0, 1},  {1, 3, 2, 0, 1},  {3, 2, 1, 0, 1}};
  const int        sign         = RationalOrient(dim, p);

  for (int i = 0; i < (dim == 2 ? 6 : 24); i++) {
    double q[4][3];

    for (int j = 0; j < 4; j++) memcpy(q[j], p[order[i][j]], sizeof(q[j]));
    if (Orient(dim, q) != order[i][4] * sign) fail_msg("order %d: sign %d, exact %d", i, Orient(dim, q), order[i][4] * sign);
  }
  return sign;
}

static double Ulps(double x, uint64_t *state)
{
  const int n = (int)(AbutTestRandom(state) * 3);

  for (int i = 0; i < abs(n); i++) x = nextafter(x, n > 0 ? INFINITY : -INFINITY);
  return x;
}

static void TestRandom(void **unused)
{
  uint64_t seed = 1;

  for (int i = 0; i < 2000; i++) {
    const double scale = ldexp(1, (int)(40 * AbutTestRandom(&seed)));
    double       p[4][3];

    for (int j = 0; j < 12; j++) p[j / 3][j % 3] = scale * AbutTestRandom(&seed);
    Check(2, p);
    Check(3, p);
  }
  (void)unused;
}

/* Points of a line or plane up to ulps, far from the origin: all signs occur and the floating-point determinant is mostly noise. */
static void TestNearlyDegenerate(void **unused)
{
  uint64_t seed        = 2;
  int      count[2][3] = {{0}};

  for (int i = 0; i < 4000; i++) {
    double p[4][3], offset = i % 2 ? 1e5 : 0.5;

    for (int j = 0; j < 3; j++) {
      for (int k = 0; k < 3; k++) p[j][k] = offset + AbutTestRandom(&seed);
    }
    const double s = AbutTestRandom(&seed), t = i % 3 ? AbutTestRandom(&seed) : 0;
    for (int k = 0; k < 3; k++) p[3][k] = Ulps(p[0][k] + s * (p[1][k] - p[0][k]) + t * (p[2][k] - p[0][k]), &seed);
    count[1][1 + Check(3, p)]++;
    for (int k = 0; k < 3; k++) p[2][k] = Ulps(p[0][k] + s * (p[1][k] - p[0][k]), &seed);
    count[0][1 + Check(2, p)]++;
  }
  for (int d = 0; d < 2; d++) assert_true(count[d][0] > 100 && count[d][2] > 100);
  (void)unused;
}

/* A grid around a diagonal, moved by single ulps [Kettner et al. 2008]: exact zeros and least signs side by side. */
static void TestGrid(void **unused)
{
  int count[2][3] = {{0}};

  for (int i = 0; i < 24; i++) {
    for (int j = 0; j < 24; j++) {
      const double x = 0.5 + i * 0x1p-53, y = 0.5 + j * 0x1p-53, z = 0.5 + (i + j) % 5 * 0x1p-53;
      const double p[4][3] = {{x, y, z}, {12, 12, 12}, {24, 24, 24}, {12, 12, i % 2 ? 12 : 13}};

      count[0][1 + Check(2, p)]++;
      count[1][1 + Check(3, p)]++;
    }
  }
  for (int d = 0; d < 2; d++) assert_true(count[d][0] > 50 && count[d][1] > 10 && count[d][2] > 50);
  (void)unused;
}

/* Components of very different magnitude, and differences that a double cannot represent. */
static void TestScales(void **unused)
{
  uint64_t seed = 3;

  for (int i = 0; i < 3000; i++) {
    double p[4][3];

    for (int j = 0; j < 12; j++)
      p[j / 3][j % 3] =
        ldexp(1 + (int)(2 * AbutTestRandom(&seed)), (int)(60 * AbutTestRandom(&seed))) * (AbutTestRandom(&seed) < 0 ? -1 : 1);
    Check(2, p);
    Check(3, p);
  }
  (void)unused;
}

/* Nearly parallel edges without a common point against rational arithmetic. */
static void TestCross(void **unused)
{
  uint64_t  seed     = 4;
  int       count[3] = {0};
  Rational3 e[2], n;

  RationalInit(2, e);
  RationalInit(1, &n);
  for (int i = 0; i < 4000; i++) {
    const double offset = i % 2 ? 1e5 : 0.5, s = i % 3 ? AbutTestRandom(&seed) : 1;
    double       p[4][3] = {{0}};

    for (int k = 0; k < 2; k++) {
      p[0][k] = ldexp((int)(4096 * AbutTestRandom(&seed)), -10);
      p[1][k] = ldexp((int)(4096 * AbutTestRandom(&seed)), -10);
      p[2][k] = offset;
      p[3][k] = Ulps(offset + s * (p[1][k] - p[0][k]), &seed);
    }
    RationalDifference(2, p[1], p[0], &e[0]);
    RationalDifference(2, p[3], p[2], &e[1]);
    RationalCross(&e[0], &e[1], &n);
    assert_int_equal(AbutCross2D(p[0], p[1], p[2], p[3]), mpq_sgn(n.x[2]));
    assert_int_equal(AbutCross2D(p[2], p[3], p[0], p[1]), -mpq_sgn(n.x[2]));
    count[1 + mpq_sgn(n.x[2])]++;
  }
  assert_true(count[0] > 100 && count[1] > 100 && count[2] > 100);
  RationalClear(1, &n);
  RationalClear(2, e);
  (void)unused;
}

static void TestConvention(void **unused)
{
  const double o[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};

  assert_int_equal(AbutOrient2D(o, x, y), 1);
  assert_int_equal(AbutOrient3D(o, x, y, z), 1);
  assert_int_equal(AbutOrient3D(o, y, x, z), -1);
  (void)unused;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestConvention), cmocka_unit_test(TestRandom), cmocka_unit_test(TestNearlyDegenerate),
                                     cmocka_unit_test(TestGrid),       cmocka_unit_test(TestScales), cmocka_unit_test(TestCross)};
  return AbutTestMain(argc, argv, tests);
}
