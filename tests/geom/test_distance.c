/* Distance of pairs against a brute-force minimum, and the selected form against the distance, also in degenerate positions. */
#include "test.h"
#include "pair_distance.h"
#include <abut/dense.h>
#include <string.h>

static const PetscInt pair_points[] = {2, 3, 4, 4};

typedef struct {
  AbutPairKind kind;
  PetscInt     dim;
} Pair;
static const Pair pairs[] = {{ABUT_PAIR_VV, 2}, {ABUT_PAIR_VV, 3}, {ABUT_PAIR_EV, 2},
                             {ABUT_PAIR_EV, 3}, {ABUT_PAIR_FV, 3}, {ABUT_PAIR_EE, 3}};
#define NUM_PAIRS ((int)(sizeof(pairs) / sizeof(pairs[0])))

static PetscReal FormDistance2(Pair pair, const PetscReal x[], AbutClosest *closest)
{
  PetscReal y[12];

  AbutClosestFeatures(pair.kind, pair.dim, x, closest);
  for (PetscInt a = 0; a < closest->n; a++) memcpy(y + pair.dim * a, x + pair.dim * closest->v[a], sizeof(*y) * (size_t)pair.dim);
  return AbutDist2(closest->form, pair.dim, y, NULL, NULL);
}

/* tol: a few rounding errors of coordinates of size 1, times the condition number of the closest points (thin triangles, small angles),
   whose errors change the distance to second order only. */
static void CheckPair(Pair pair, const PetscReal x[], PetscReal tol)
{
  static const PetscReal zero[12] = {0};
  AbutClosest            closest;
  const PetscReal        s = AbutPairDist2(pair.kind, pair.dim, x), form = FormDistance2(pair, x, &closest);
  const PetscReal        d = (PetscReal)WidePairDistance(pair.kind, pair.dim, x, zero, 0);

  if (s != form) fail_msg("kind %d: pair %.17g, its form %d %.17g", (int)pair.kind, (double)s, (int)closest.form, (double)form);
  AbutTestClose("distance", 1, (PetscReal[]){PetscSqrtReal(s)}, &d, tol);
}

static void RandomPairsMatchBruteForce(void **state)
{
  uint64_t seed = 1;

  (void)state;
  for (int i = 0; i < NUM_PAIRS; i++) {
    for (int trial = 0; trial < 3000; trial++) {
      PetscReal x[12];
      for (PetscInt k = 0; k < pair_points[pairs[i].kind] * pairs[i].dim; k++) x[k] = AbutTestRandom(&seed);
      CheckPair(pairs[i], x, 1e-12);
    }
  }
}

/* Coordinates of the lattice {0, 1, 2}^3 give parallel, collinear, coplanar, touching and tied positions, all exactly. */
static void LatticePairsMatchBruteForce(void **state)
{
  uint64_t seed = 2;

  (void)state;
  for (int i = 0; i < NUM_PAIRS; i++) {
    const PetscInt n = pair_points[pairs[i].kind];
    for (int trial = 0; trial < 20000; trial++) {
      PetscReal x[12];
      for (PetscInt k = 0; k < n * pairs[i].dim; k++) x[k] = (PetscReal)(int)(1.5 * (1 + AbutTestRandom(&seed)));
      CheckPair(pairs[i], x, 1e-14);
    }
  }
}

/* Edges at angles from 1e-1 down to 1e-16: on both sides of what counts as parallel. Every other pair crosses near its middle. */
static void NearlyParallelEdgesMatchBruteForce(void **state)
{
  const Pair pair      = {ABUT_PAIR_EE, 3};
  uint64_t   seed      = 3;
  int        line_line = 0, other = 0;

  (void)state;
  for (int trial = 0; trial < 4000; trial++) {
    const PetscReal angle = PetscPowReal(10, -1 - trial / 2 % 16);
    PetscReal       x[12], u[3], turn[3], w[3];
    AbutClosest     closest;
    for (int k = 0; k < 3; k++) {
      x[k]     = AbutTestRandom(&seed);
      u[k]     = AbutTestRandom(&seed);
      turn[k]  = AbutTestRandom(&seed);
      x[3 + k] = x[k] + u[k];
    }
    AbutCross(u, turn, w);
    for (int k = 0; k < 3; k++) {
      const PetscReal shift = trial % 2 ? w[k] + 0.1 * u[k] : AbutTestRandom(&seed);
      x[6 + k]              = x[k] + shift - angle * turn[k] / 2;
      x[9 + k]              = x[3 + k] + shift + angle * turn[k] / 2;
    }
    CheckPair(pair, x, 1e-11);
    AbutClosestFeatures(pair.kind, 3, x, &closest);
    if (closest.form == ABUT_DIST_LINE_LINE) {
      line_line++;
      assert_true(angle > 5e-10);
    } else
      other++;
  }
  assert_true(line_line > 500 && other > 500);
}

/* An exact shift of all points leaves the results equal bit for bit, because they depend on coordinate differences only. */
static void ShiftsChangeNothing(void **state)
{
  uint64_t seed = 4;

  (void)state;
  for (int trial = 0; trial < 600; trial++) {
    const Pair     pair = pairs[trial % NUM_PAIRS];
    const PetscInt N    = pair_points[pair.kind] * pair.dim;
    PetscReal      x[12], y[12], gx[12], gy[12];
    AbutClosest    closest;
    for (PetscInt k = 0; k < N; k++) {
      x[k] = PetscFloorReal(AbutTestRandom(&seed) * 1048576) / 1048576;
      y[k] = x[k] + 65536;
    }
    assert_true(AbutPairDist2(pair.kind, pair.dim, x) == AbutPairDist2(pair.kind, pair.dim, y));
    AbutClosestFeatures(pair.kind, pair.dim, x, &closest);
    if (closest.n != pair_points[pair.kind]) continue;
    AbutDist2(closest.form, pair.dim, x, gx, NULL);
    AbutDist2(closest.form, pair.dim, y, gy, NULL);
    AbutTestClose("shifted gradient", N, gy, gx, 0);
  }
}

/* Edges of length 0 are treated as points, triangles of area 0 as edges or points. */
static void DegeneratePairsMatchBruteForce(void **state)
{
  static const PetscReal point_edge[9] = {1, 2, 3, 0, 0, 0, 0, 0, 0}, edges[12] = {1, 1, 1, 1, 1, 1, -1, 0, 0, 2, 0, 0},
                         points[12] = {1, 1, 1, 1, 1, 1, 2, 0, 0, 2, 0, 0};
  static const PetscReal flat[12] = {3, 1, 0, 0, 0, 0, 2, 0, 0, 4, 0, 0}, spot[12] = {3, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0};

  (void)state;
  CheckPair((Pair){ABUT_PAIR_EV, 3}, point_edge, 1e-15);
  CheckPair((Pair){ABUT_PAIR_EE, 3}, edges, 1e-15);
  CheckPair((Pair){ABUT_PAIR_EE, 3}, points, 1e-15);
  CheckPair((Pair){ABUT_PAIR_FV, 3}, flat, 1e-15);
  CheckPair((Pair){ABUT_PAIR_FV, 3}, spot, 1e-15);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(RandomPairsMatchBruteForce),         cmocka_unit_test(LatticePairsMatchBruteForce),
    cmocka_unit_test(NearlyParallelEdgesMatchBruteForce), cmocka_unit_test(ShiftsChangeNothing),
    cmocka_unit_test(DegeneratePairsMatchBruteForce),
  };
  return AbutTestMain(argc, argv, tests);
}
