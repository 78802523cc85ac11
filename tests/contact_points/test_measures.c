/* Measures of contacts with known normals; convex hulls and areas against closed forms and brute force. */
#include "test.h"
#include <abut/contact_measures.h>
#include <abut/geom.h>
#include <math.h>
#include <string.h>

static AbutPointContact Contact(PetscReal x, PetscReal y, PetscReal z, const PetscReal normal[3], PetscReal weight)
{
  AbutPointContact c;

  memset(&c, 0, sizeof(c));
  c.position[0] = x;
  c.position[1] = y;
  c.position[2] = z;
  memcpy(c.normal, normal, sizeof(c.normal));
  c.weight = weight;
  c.length = 1;
  return c;
}

static void Measure(PetscInt n, const AbutPointContact contacts[], const AbutExpectedNormals *expected, AbutContactQuality *quality)
{
  AbutContactSums sums = {0};

  AbutContactsAdd(n, contacts, expected, &sums);
  *quality = AbutContactSumsQuality(&sums);
}

static const PetscReal axis_x[3] = {1, 0, 0}, axis_y[3] = {0, 1, 0}, minus_y[3] = {0, -1, 0}, slanted[3] = {0.6, 0.8, 0};

/* Four contacts along y, one along x, one that is wrong. */
static void Quality(void **state)
{
  const AbutPointContact contacts[]    = {Contact(0, 0, 0, axis_y, 4), Contact(1, 0, 0, axis_y, 2), Contact(0, 0, 1, axis_y, 2),
                                          Contact(1, 0, 1, axis_y, 2), Contact(2, 0, 0, axis_x, 1), Contact(3, 0, 0, slanted, 9)};
  const PetscReal        normals[2][3] = {{0, 1, 0}, {1, 0, 0}};
  AbutExpectedNormals    expected      = {.num = 2, .normal = normals, .minimum = 4, .tolerance = 0.01, .share = 0.1};
  AbutContactQuality     q;

  (void)state;
  Measure(6, contacts, &expected, &q);
  assert_int_equal(q.contacts, 6);
  assert_true(fabs(q.quality - 500. / 6) < 1e-12 && q.coverage == 100 && q.excess == 1.5);
  assert_true(fabs(q.weighted_quality - 1100. / 20) < 1e-12);
  assert_true(q.weighted_coverage == 100); /* the contact along x carries 1 of at least 0.1 * 20 / 2 */
  assert_true(fabs(q.weighted_excess - 400. / (16 + 4 + 4 + 4 + 1 + 81) / 4) < 1e-12);
  expected.share = 0.11;
  Measure(6, contacts, &expected, &q);
  assert_true(q.weighted_coverage == 50 && q.coverage == 100);
}

/* A normal of another length than 1 is wrong, up to the tolerance. */
static void Length(void **state)
{
  AbutPointContact    contacts[]    = {Contact(0, 0, 0, axis_y, 1), Contact(1, 0, 0, axis_y, 1), Contact(2, 0, 0, axis_y, 1)};
  const PetscReal     normals[1][3] = {{0, 1, 0}};
  AbutExpectedNormals expected      = {.num = 1, .normal = normals, .minimum = 3, .tolerance = 0.01};
  AbutContactQuality  q;

  (void)state;
  contacts[1].length = 1.009;
  contacts[2].length = 0.5;
  Measure(3, contacts, &expected, &q);
  assert_true(fabs(q.quality - 200. / 3) < 1e-12 && q.coverage == 100);
  Measure(1, contacts + 2, &expected, &q);
  assert_true(q.quality == 0 && q.coverage == 0);
}

/* Opposite normals, the tolerance of the angle, no contacts. */
static void Signs(void **state)
{
  const PetscReal        tilted[3]     = {sin(0.02), cos(0.02), 0};
  const AbutPointContact contacts[]    = {Contact(0, 0, 0, minus_y, 1), Contact(0, 0, 0, tilted, 1)};
  const PetscReal        normals[1][3] = {{0, 1, 0}};
  AbutExpectedNormals    expected      = {.num = 1, .normal = normals, .minimum = 2, .tolerance = 0.019};
  AbutContactQuality     q;

  (void)state;
  Measure(2, contacts, &expected, &q);
  assert_true(q.quality == 0 && q.coverage == 0);
  expected.tolerance = 0.021;
  Measure(2, contacts, &expected, &q);
  assert_true(q.quality == 50 && q.coverage == 100);
  Measure(0, NULL, &expected, &q);
  assert_true(q.quality == 0 && q.coverage == 0 && q.excess == 0 && q.weighted_quality == 0 && q.weighted_excess == 0);
}

/* A regular polygon with inner points, in planes of several directions. */
static void Areas(void **state)
{
  enum { CORNERS = 12, INNER = 40 };
  const PetscReal  normals[][3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, -1}, {0.6, 0, 0.8}, {2. / 3, -1. / 3, 2. / 3}};
  uint64_t         seed         = 2;
  AbutPointContact contacts[CORNERS + INNER];

  (void)state;
  for (size_t k = 0; k < sizeof(normals) / sizeof(normals[0]); k++) {
    const PetscReal *n = normals[k];
    PetscReal        u[3], v[3], area, length;

    AbutCross(n, fabs(n[0]) > 0.9 ? axis_y : axis_x, u);
    length = sqrt(AbutDot(3, u, u));
    for (int i = 0; i < 3; i++) u[i] /= length;
    AbutCross(n, u, v);
    for (int c = 0; c < CORNERS + INNER; c++) {
      const PetscReal radius = c < CORNERS ? 2 : 1.5 * fabs(AbutTestRandom(&seed)), angle = 2 * PETSC_PI * c / CORNERS,
                      off = AbutTestRandom(&seed);

      contacts[c] = Contact(0, 0, 0, n, 1);
      for (int i = 0; i < 3; i++) contacts[c].position[i] = 7 + radius * (cos(angle) * u[i] + sin(angle) * v[i]) + off * n[i];
    }
    AbutTestCall(AbutContactsArea(CORNERS + INNER, contacts, n, &area));
    assert_true(fabs(area - CORNERS / 2. * 4 * sin(2 * PETSC_PI / CORNERS)) < 1e-12);
    AbutTestCall(AbutContactsArea(2, contacts, n, &area));
    assert_true(area == 0);
    AbutTestCall(AbutContactsArea(0, contacts, n, &area));
    assert_true(area == 0);
  }
}

/* Every point is on or left of every edge of the hull; corners turn left strictly. */
static void CheckHull(PetscInt n, const PetscReal (*points)[2])
{
  PetscInt num, *corner;

  AbutTestCall(PetscMalloc1(n + 1, &corner));
  AbutTestCall(AbutConvexHull(n, points, &num, corner));
  for (PetscInt k = 0; k < num && num > 2; k++) {
    const PetscReal *a = points[corner[k]], *b = points[corner[(k + 1) % num]];

    assert_int_equal(AbutOrient2D(a, b, points[corner[(k + 2) % num]]), 1);
    for (PetscInt p = 0; p < n; p++) assert_true(AbutOrient2D(a, b, points[p]) >= 0);
  }
  AbutTestCall(PetscFree(corner));
}

static void Hulls(void **state)
{
  const PetscReal square[][2] = {{0, 0}, {1, 1}, {0.5, 0}, {1, 0}, {0, 1}, {1, 0}, {0, 0.5}, {0.5, 0.5}};
  const PetscReal line[][2]   = {{0, 0}, {2, 2}, {1, 1}, {0, 0}};
  PetscInt        num, corner[9];
  uint64_t        seed = 4;

  (void)state;
  AbutTestCall(AbutConvexHull(8, square, &num, corner));
  assert_int_equal(num, 4);
  assert_int_equal(corner[0], 0);
  AbutTestCall(AbutConvexHull(4, line, &num, corner));
  assert_int_equal(num, 2);
  AbutTestCall(AbutConvexHull(1, line, &num, corner));
  assert_int_equal(num, 1);
  AbutTestCall(AbutConvexHull(0, line, &num, corner));
  assert_int_equal(num, 0);
  for (int set = 0; set < 20; set++) {
    PetscReal points[60][2];

    for (int p = 0; p < 60; p++) /* odd sets: on a lattice, with equal points and points on a line */
      for (int i = 0; i < 2; i++) points[p][i] = set % 2 ? floor(3 * AbutTestRandom(&seed)) / 10 : AbutTestRandom(&seed);
    CheckHull(60, (const PetscReal(*)[2])points);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Quality), cmocka_unit_test(Length), cmocka_unit_test(Signs), cmocka_unit_test(Areas),
                                     cmocka_unit_test(Hulls)};
  return AbutTestMain(argc, argv, tests);
}
