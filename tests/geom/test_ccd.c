/* The guarantees of continuous collision detection, checked by dense sampling of the distance over [0, toi]. */
#include "test.h"
#include <abut/dense.h>
#include <abut/geom.h>
#include "pair_distance.h"

#define SAMPLES 64

typedef struct {
  AbutPairKind kind;
  PetscInt     dim;
} Case;
static const Case     cases[]  = {{ABUT_PAIR_VV, 2}, {ABUT_PAIR_EV, 2}, {ABUT_PAIR_VV, 3},
                                  {ABUT_PAIR_EV, 3}, {ABUT_PAIR_FV, 3}, {ABUT_PAIR_EE, 3}};
static const PetscInt points[] = {2, 3, 4, 4};

static void Fail(const Case *c, const char what[], const PetscReal x[], const PetscReal dx[], double slack, double toi, Wide d)
{
  for (PetscInt i = 0; i < points[c->kind] * c->dim; i++) print_error("x[%d] = %.17g, dx[%d] = %.17g\n", (int)i, x[i], (int)i, dx[i]);
  fail_msg("%s: kind %d, dim %d, slack %g: toi %.17g, distance %.17Lg, at the start %.17Lg", what, c->kind, (int)c->dim, slack, toi, d,
           WidePairDistance(c->kind, c->dim, x, dx, 0));
}

/* Checks one query; returns whether it is a hit. */
static int Check(const Case *c, const PetscReal x[], const PetscReal dx[], PetscReal tmax, PetscReal slack)
{
  const PetscInt n    = points[c->kind] * c->dim;
  const Wide     d0   = WidePairDistance(c->kind, c->dim, x, dx, 0);
  Wide           size = 0, coordinate = 0, d = d0;
  PetscReal      toi = -1, zero[12] = {0}, end[12];

  for (PetscInt i = 0; i < n; i++) {
    size       = fmaxl(size, fmaxl(fabsl(x[i] - (Wide)x[i % c->dim]), fabs(dx[i])));
    coordinate = fmaxl(coordinate, fmaxl(fabs(x[i]), fabs(dx[i])));
  }
  const PetscBool hit   = AbutCCD(c->kind, c->dim, x, dx, tmax, slack, &toi);
  const Wide      least = (1 - (Wide)slack) * d0 * (1 - 1e-15L) - 1e-17L * size; /* the last term: error of the reference distance */
  if (!(toi >= 0 && toi <= tmax) || hit != (toi < tmax)) Fail(c, "time out of range", x, dx, slack, toi, d);
  if (toi == 0 && d0 > 1e-17L * size) Fail(c, "no step although apart", x, dx, slack, toi, d);
  for (int i = 0; i <= SAMPLES; i++) {
    d = WidePairDistance(c->kind, c->dim, x, dx, toi * (Wide)i / SAMPLES);
    if (d < least) Fail(c, "too close", x, dx, slack, toi, d);
  }
  /* the same at the rounded positions x + toi dx */
  for (PetscInt i = 0; i < n; i++) end[i] = x[i] + toi * dx[i];
  const Wide rounded = WidePairDistance(c->kind, c->dim, end, zero, 0);
  if (slack * d0 > 32 * PETSC_MACHINE_EPSILON * coordinate && rounded < least)
    Fail(c, "too close when rounded", x, dx, slack, toi, rounded);
  /* sharpness: at a hit the distance exceeds (1 - slack) d0 by at most 11 % of min(slack, 1 - slack) d0. Not checked for distances near
     rounding errors, nor for the largest slack, where nearly parallel edges may exhaust the work limit */
  if (hit && slack <= 0.99 && slack * d0 > 1e-9 * coordinate && d > (1 - slack) * d0 + 0.11 * PetscMin(slack, 1 - slack) * d0)
    Fail(c, "stops early", x, dx, slack, toi, d);
  return hit;
}

static void CheckSlacks(const Case *c, const PetscReal x[], const PetscReal dx[], int *hits, int *count)
{
  static const PetscReal slacks[] = {0.8, 0.1, 0.99, 0.999}, ends[] = {1, 1, 0.3, 1};

  for (int i = 0; i < 4; i++) *hits += Check(c, x, dx, ends[i], slacks[i]);
  *count += 4;
}

static void Random(PetscInt n, PetscReal scale, uint64_t *seed, PetscReal x[])
{
  for (PetscInt i = 0; i < n; i++) x[i] = scale * AbutTestRandom(seed);
}

/* Random pairs, slow to fast, from small to large coordinates. */
static void TestRandom(void **unused)
{
  uint64_t seed = 1;

  for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
    const PetscInt n    = points[cases[k].kind] * cases[k].dim;
    int            hits = 0, count = 0;

    for (int i = 0; i < 500; i++) {
      PetscReal       x[12], dx[12];
      const PetscReal offset = i % 5 == 4 ? 1e5 : 0, scale = i % 5 == 3 ? 1e-6 : 1;

      Random(n, scale, &seed, x);
      Random(n, scale * (i % 3 == 0 ? 0.3 : i % 3 == 1 ? 2 : 100), &seed, dx);
      for (PetscInt j = 0; j < n; j++) x[j] += offset;
      CheckSlacks(&cases[k], x, dx, &hits, &count);
    }
    assert_in_range(hits, cases[k].kind == ABUT_PAIR_VV ? 10 : count / 20, count - 10);
  }
  (void)unused;
}

/* Mirrors n points at a random plane through 0. */
static void Reflect(PetscInt dim, PetscInt n, const PetscReal mirror[], PetscReal x[])
{
  for (PetscInt v = 0; v < n; v++) {
    const PetscReal twice = 2 * AbutDot(dim, mirror, x + dim * v) / AbutDot(dim, mirror, mirror);

    for (PetscInt j = 0; j < dim; j++) x[dim * v + j] -= twice * mirror[j];
  }
}

/* Primitives that start at a tiny distance, down to that of rounding errors, along an axis or not, near the origin or far away, and move
   towards, along or away from each other, with rotation. */
static void TestNear(void **unused)
{
  uint64_t seed = 2;

  for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
    const PetscInt dim = cases[k].dim, n = points[cases[k].kind], normal = dim - 1, moved = cases[k].kind == ABUT_PAIR_EE ? 2 : 1;
    int            hits = 0, count = 0;

    for (int i = 0; i < 600; i++) {
      PetscReal       x[12], dx[12];
      const PetscReal gap = pow(10, -3 - i % 14), turn = i % 4 < 2 ? 0 : i % 4 == 2 ? gap : 0.1;

      Random(n * dim, 1, &seed, x);
      Random(n * dim, turn, &seed, dx);
      for (PetscInt v = 0; v < n; v++) x[dim * v + normal] = v < moved ? gap : 0;
      if (i % 5 == 0) x[normal] *= 2;
      for (PetscInt v = 0; v < moved; v++) {
        dx[dim * v] += 0.5;
        dx[dim * v + normal] -= i % 6 ? gap * (i % 6 - 2) : 1;
      }
      if (i / 14 % 2) {
        PetscReal mirror[3];

        Random(dim, 1, &seed, mirror);
        Reflect(dim, n, mirror, x);
        Reflect(dim, n, mirror, dx);
      }
      for (PetscInt j = 0; j < n * dim && i / 28 % 2; j++) x[j] += 1e5;
      CheckSlacks(&cases[k], x, dx, &hits, &count);
    }
    assert_in_range(hits, 20, count - 20);
  }
  (void)unused;
}

/* Parallel and nearly parallel edges at heights down to the size of their angle. */
static void TestParallelEdges(void **unused)
{
  uint64_t   seed = 3;
  const Case c    = {ABUT_PAIR_EE, 3};
  int        hits = 0, count = 0;

  for (int i = 0; i < 1000; i++) {
    const PetscReal angle = i % 3 ? pow(10, -3 - i % 14) : 0, gap = pow(10, -2 - i / 3 % 9), shift = AbutTestRandom(&seed);
    PetscReal       x[12] = {-1, 0, 0, 1, 0, 0, -1 + shift, -angle, gap, 1 + shift, angle, gap}, dx[12], tilt[3];

    Random(12, i % 2 ? gap : 1e-3, &seed, dx);
    Random(3, 1, &seed, tilt);
    for (int v = 2; v < 4; v++) dx[3 * v + 2] -= i % 7 ? 2 * gap : 1;
    for (int v = 0; v < 4 && i % 4 == 0; v++) {
      for (int j = 0; j < 2; j++) x[3 * v + 1 + j] += tilt[j] * x[3 * v], dx[3 * v + 1 + j] += tilt[j] * dx[3 * v];
    }
    CheckSlacks(&c, x, dx, &hits, &count);
  }
  assert_in_range(hits, count / 10, count - count / 10);
  (void)unused;
}

/* Slivers and pairs that have collapsed to a lower dimension. */
static void TestDegenerate(void **unused)
{
  uint64_t seed = 4;
  int      hits = 0, count = 0;

  for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
    const PetscInt dim = cases[k].dim, n = points[cases[k].kind];

    for (int i = 0; i < 300; i++) {
      const PetscReal thin = i % 3 == 0 ? 0 : pow(10, -1 - i % 16);
      PetscReal       x[12], dx[12];

      Random(n * dim, 1, &seed, x);
      Random(n * dim, 1, &seed, dx);
      for (PetscInt j = 0; j < dim; j++) {
        const PetscInt last = (n - 1) * dim + j, other = cases[k].kind == ABUT_PAIR_VV ? last : (n - 2) * dim + j;

        x[last]  = x[other] + thin * x[last];
        dx[last] = i % 2 ? dx[other] : dx[last];
      }
      CheckSlacks(&cases[k], x, dx, &hits, &count);
    }
  }
  assert_in_range(hits, count / 20, count - count / 20);
  (void)unused;
}

/* Contact at the start, no motion, common motion, and input with NaN. */
static void TestSpecial(void **unused)
{
  const Case      fv = {ABUT_PAIR_FV, 3}, ee = {ABUT_PAIR_EE, 3};
  const PetscReal touching[12] = {0.25, 0.25, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0}, crossing[12] = {-1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0};
  PetscReal       apart[12], common[12], zero[12] = {0}, away[12] = {0, 0, 1}, toi;

  memcpy(apart, touching, sizeof(apart));
  apart[2] = 1e-300;
  for (int i = 0; i < 12; i++) common[i] = 1e5 + i % 3;
  assert_true(AbutCCD(fv.kind, 3, touching, away, 1, 0.8, &toi) && toi == 0);
  assert_true(AbutCCD(ee.kind, 3, crossing, zero, 1, 0.8, &toi) && toi == 0);
  assert_true(AbutCCD(ABUT_PAIR_EV, 2, (const PetscReal[]){1, 1, 0, 0, 3, 3}, zero, 1, 0.8, &toi) && toi == 0);
  assert_true(AbutCCD(ABUT_PAIR_VV, 2, (const PetscReal[]){1, 1, 1, 1}, zero, 1, 0.8, &toi) && toi == 0);
  apart[2] = 1e-9;
  assert_true(!AbutCCD(fv.kind, 3, apart, zero, 1, 0.8, &toi) && toi == 1);
  assert_true(!AbutCCD(fv.kind, 3, apart, common, 0.5, 0.8, &toi) && toi == 0.5);
  apart[2] = NAN;
  assert_true(AbutCCD(fv.kind, 3, apart, zero, 1, 0.8, &toi) && toi == 0);
  apart[2]  = 1;
  common[4] = INFINITY;
  assert_true(AbutCCD(fv.kind, 3, apart, common, 1, 0.8, &toi) && toi == 0);
  (void)unused;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestRandom), cmocka_unit_test(TestNear), cmocka_unit_test(TestParallelEdges),
                                     cmocka_unit_test(TestDegenerate), cmocka_unit_test(TestSpecial)};
  return AbutTestMain(argc, argv, tests);
}
