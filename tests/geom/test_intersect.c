/* Intersection tests against rational clipping of the segment, on small integer grids, where touching and coplanar cases abound. */
#include "test.h"
#include <abut/geom.h>
#include <math.h>
#include "rational.h"

/* Cuts the line r + s d (r relative to a) by the segment from a along e. */
static void CutSegment(RationalInterval *s, const Rational3 *e, const Rational3 *r, const Rational3 *d)
{
  Rational3 axis, normal;
  mpq_t     alpha, beta, ee;

  RationalInit(1, &axis);
  RationalInit(1, &normal);
  mpq_inits(alpha, beta, ee, NULL);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) mpq_set_ui(axis.x[i], i == k, 1);
    if (RationalIsZero(e))
      mpq_set(normal.x[k], axis.x[k]);
    else
      RationalCross(e, &axis, &normal);
    RationalCutPlane(s, RationalIsZero(e) ? &axis : &normal, r, d, 1);
  }
  RationalCutPlane(s, e, r, d, 0);
  RationalDot(e, r, alpha);
  RationalDot(e, d, beta);
  RationalDot(e, e, ee);
  mpq_sub(alpha, ee, alpha);
  mpq_neg(beta, beta);
  RationalCut(s, alpha, beta);
  mpq_clears(alpha, beta, ee, NULL);
  RationalClear(1, &normal);
  RationalClear(1, &axis);
}

/* Whether segment v[0] v[1] meets the triangle v[2..4], or, if `edge` >= 0, its edge from corner `edge`. */
static int RationalIntersect(int dim, const double v[5][3], int edge)
{
  RationalInterval s = {.empty = 0};
  Rational3        d, r, e, normal, inward;
  int              answer;

  mpq_inits(s.lo, s.hi, NULL);
  mpq_set_ui(s.hi, 1, 1);
  RationalInit(1, &d);
  RationalInit(1, &r);
  RationalInit(1, &e);
  RationalInit(1, &normal);
  RationalInit(1, &inward);
  RationalDifference(dim, v[3], v[2], &e);
  RationalDifference(dim, v[4], v[2], &r);
  RationalCross(&e, &r, &normal);
  RationalDifference(dim, v[1], v[0], &d);
  for (int i = 0; i < 3 && !s.empty; i++) {
    RationalDifference(dim, v[2 + (i + 1) % 3], v[2 + i], &e);
    RationalDifference(dim, v[0], v[2 + i], &r);
    if (i == edge) CutSegment(&s, &e, &r, &d);
    if (edge >= 0) continue;
    RationalCross(&normal, &e, &inward);
    RationalCutPlane(&s, &normal, &r, &d, 1);
    RationalCutPlane(&s, &inward, &r, &d, 0);
  }
  answer = !s.empty;
  if (edge < 0 && RationalIsZero(&normal)) {
    answer = RationalIntersect(dim, v, 0) || RationalIntersect(dim, v, 1) || RationalIntersect(dim, v, 2);
  }
  mpq_clears(s.lo, s.hi, NULL);
  RationalClear(1, &d);
  RationalClear(1, &r);
  RationalClear(1, &e);
  RationalClear(1, &normal);
  RationalClear(1, &inward);
  return answer;
}

/* Checks a segment and a triangle in every order of their vertices. */
static int CheckTriangle(const double v[5][3])
{
  static const int order[6][3] = {{2, 3, 4}, {3, 4, 2}, {4, 2, 3}, {2, 4, 3}, {4, 3, 2}, {3, 2, 4}};
  const int        exact       = RationalIntersect(3, v, -1);

  for (int i = 0; i < 12; i++) {
    const int *o = order[i % 6];

    if ((int)AbutSegmentTriangleIntersect(v[i / 6], v[1 - i / 6], v[o[0]], v[o[1]], v[o[2]]) != exact)
      fail_msg("order %d of p (%g %g %g) q (%g %g %g) a (%g %g %g) b (%g %g %g) c (%g %g %g): exact answer %d", i, v[0][0], v[0][1],
               v[0][2], v[1][0], v[1][1], v[1][2], v[2][0], v[2][1], v[2][2], v[3][0], v[3][1], v[3][2], v[4][0], v[4][1], v[4][2], exact);
  }
  return exact;
}

static int Grid(int n, uint64_t *seed)
{
  return (int)floor((n + 0.5) * (1 + AbutTestRandom(seed))) - n;
}

/* Coordinates of n values a side; flat: all points in one plane, sheared so that no projection is special;
   degenerate: segments on a line, points. */
static void TestTriangles(void **unused)
{
  uint64_t seed = 1;
  int      hits = 0, coplanar_hits = 0, n = 12000;

  for (int i = 0; i < n; i++) {
    double v[5][3];

    for (int j = 0; j < 5; j++) {
      for (int k = 0; k < 3; k++) v[j][k] = Grid(i % 3 ? 2 : 1, &seed);
      if (i % 4 == 0) v[j][2] = 2 * v[j][0] - v[j][1] + 1;
      if (i % 32 == 1 || (i % 32 == 17 && j > 1)) v[j][1] = v[j][2] = v[j][0];
    }
    if (i % 32 == 17) memcpy(v[1], v[0], sizeof(v[1]));
    const int hit = CheckTriangle(v);
    hits += hit;
    coplanar_hits += hit && i % 4 == 0;
  }
  assert_in_range(hits, n / 20, n - n / 20);
  assert_in_range(coplanar_hits, n / 80, n / 4 - n / 80);
  (void)unused;
}

/* The same touching configurations moved by ulps, at large coordinates. */
static void TestPerturbed(void **unused)
{
  uint64_t seed = 2;
  int      hits = 0, n = 6000;

  for (int i = 0; i < n; i++) {
    double v[5][3];

    for (int j = 0; j < 15; j++) {
      v[j / 3][j % 3] = 1e5 * Grid(1, &seed) + 0.1;
      if (AbutTestRandom(&seed) > 0.5) v[j / 3][j % 3] = nextafter(v[j / 3][j % 3], 1e6 * AbutTestRandom(&seed));
    }
    hits += CheckTriangle(v);
  }
  assert_in_range(hits, n / 20, n - n / 20);
  (void)unused;
}

static void TestSegments2D(void **unused)
{
  uint64_t seed = 3;
  int      hits = 0, n = 6000;

  for (int i = 0; i < n; i++) {
    double v[5][3] = {{0}};

    for (int j = 0; j < 4; j++) {
      for (int k = 0; k < 2; k++) v[j][k] = Grid(2, &seed);
      if (i % 8 == 0) v[j][1] = v[j][0];
      if (i % 3 == 0) v[j][1] = nextafter(v[j][1], AbutTestRandom(&seed) < 0 ? -9 : 9);
    }
    const int exact = RationalIntersect(2, v, 0);
    assert_int_equal(AbutSegmentsIntersect2D(v[0], v[1], v[2], v[3]), exact);
    assert_int_equal(AbutSegmentsIntersect2D(v[1], v[0], v[2], v[3]), exact);
    assert_int_equal(AbutSegmentsIntersect2D(v[2], v[3], v[0], v[1]), exact);
    assert_int_equal(AbutSegmentsIntersect2D(v[3], v[2], v[1], v[0]), exact);
    hits += exact;
  }
  assert_in_range(hits, n / 10, n - n / 10);
  (void)unused;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestTriangles), cmocka_unit_test(TestPerturbed), cmocka_unit_test(TestSegments2D)};
  return AbutTestMain(argc, argv, tests);
}
