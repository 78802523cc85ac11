/*
  Pairs without angle terms: a body that is crushed flat repels itself through its inside, within a hundredth of activation distance and
  length L only, at every smaller gap, with exact derivatives.
*/
#include "oriented.h"

#define DHAT 0.7

static TestOriented t;

/* An octahedron (2D: a square) with vertices 2 k and 2 k + 1 on axis k, slightly irregular; its last two vertices are `gap` apart. */
static void MakeFlat(PetscInt dim, AbutOrientedMember member, PetscReal length, PetscReal gap, PetscReal x[])
{
  static const PetscInt edges[12][2] = {{0, 2}, {2, 1}, {1, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}, {0, 5}, {1, 5}, {2, 5}, {3, 5}};
  static const PetscInt faces[8][3]  = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  uint64_t              seed         = 5;

  t.dim    = dim;
  t.nv     = 2 * dim;
  t.ne     = dim == 3 ? 12 : 4;
  t.nf     = dim == 3 ? 8 : 0;
  t.spec   = (AbutOrientedSpec){0.5, 0.1, 0.5, 0.1, dim - 1, member, .length = length, .mollifier_width = 1e-3, .mollifier_ratio = 0.1};
  t.ranges = (AbutOrientedDhat){.dhat = DHAT, .inner = ABUT_ORIENTED_INNER * length};
  AbutTestCall(PetscArraycpy(t.edges[0], edges[0], 2 * t.ne));
  AbutTestCall(PetscArraycpy(t.faces[0], faces[0], 3 * t.nf));
  for (PetscInt v = 0; v < t.nv; v++) {
    for (PetscInt i = 0; i < dim; i++) x[dim * v + i] = (i == v / 2 ? (v % 2 ? -1 : 1) : 0) + 0.1 * AbutTestRandom(&seed);
    x[dim * v + dim - 1] = v / 2 == dim - 1 ? (v % 2 ? -gap / 2 : gap / 2) : 0;
    t.oriented[v]        = PETSC_TRUE;
  }
  OrientedCreate(&t);
  OrientedFindPairs(&t, x);
}

static PetscReal Energy(PetscInt dim, AbutOrientedMember member, PetscReal length, PetscReal gap)
{
  PetscReal x[MAX_SIZE], energy;

  MakeFlat(dim, member, length, gap, x);
  energy = OrientedTotal(&t, x, ABUT_PSD_NONE, NULL, NULL);
  OrientedDestroy(&t);
  return energy;
}

/* length: L; limit: the gap from which on nothing acts. */
static void CheckGaps(PetscInt dim, AbutOrientedMember member, PetscReal length, PetscReal limit)
{
  PetscReal last = 0, gap = limit;

  assert_true(Energy(dim, member, length, 1.2 * limit) == 0);
  for (int k = 0; k < 6; k++) {
    const PetscReal energy = Energy(dim, member, length, gap *= 0.1);
    assert_true(energy > 5 * last && energy > 0); /* ~ 1 / gap in 2D */
    last = energy;
  }
}

static void test_every_gap(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (int member = 0; member < 2; member++) {
      CheckGaps(dim, (AbutOrientedMember)member, 2, 0.01 * DHAT);
      CheckGaps(dim, (AbutOrientedMember)member, 0.3, 0.01 * 0.3);
    }
}

static void Total(const PetscReal x[], PetscReal out[], void *ctx)
{
  (void)ctx;
  out[0] = OrientedTotal(&t, x, ABUT_PSD_NONE, NULL, NULL);
}

static void Gradient(const PetscReal x[], PetscReal g[], void *ctx)
{
  (void)ctx;
  (void)OrientedTotal(&t, x, ABUT_PSD_NONE, g, NULL);
}

/* Largest difference of n numbers over the largest of them. */
static PetscReal Error(PetscInt n, const PetscReal a[], const PetscReal b[])
{
  PetscReal most = 0, size = 0;

  for (PetscInt i = 0; i < n; i++) {
    most = PetscMax(most, PetscAbsReal(a[i] - b[i]));
    size = PetscMax(size, PetscAbsReal(b[i]));
  }
  return most / size;
}

static void test_derivatives(void **state)
{
  static PetscReal H[MAX_SIZE * MAX_SIZE], J[MAX_SIZE * MAX_SIZE];
  PetscReal        x[MAX_SIZE], g[MAX_SIZE];

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (int member = 0; member < 2; member++) {
      const PetscInt N = 2 * dim * dim;
      MakeFlat(dim, (AbutOrientedMember)member, 1, 0.008 * DHAT, x);
      assert_true(t.num_pairs > 0);
      (void)OrientedTotal(&t, x, ABUT_PSD_NONE, g, H);
      AbutTestJacobian(Total, NULL, N, 1, x, 1e-6, J);
      assert_true(Error(N, g, J) < 1e-5);
      AbutTestJacobian(Gradient, NULL, N, N, x, 1e-7, J);
      assert_true(Error(N * N, H, J) < 1e-5);
      OrientedDestroy(&t);
    }
}

/* Surfaces without an outer side have no such pairs: their pairs already act in all directions. */
static void test_without_sides(void **state)
{
  PetscReal x[MAX_SIZE];

  (void)state;
  MakeFlat(3, ABUT_ORIENTED_OIPC, 1, 1e-3, x);
  for (PetscInt v = 0; v < t.nv; v++) t.oriented[v] = PETSC_FALSE;
  OrientedDestroy(&t);
  OrientedCreate(&t);
  OrientedFindPairs(&t, x);
  assert_true(t.num_pairs > 0);
  for (PetscInt k = 0; k < t.num_pairs; k++) assert_false(t.pairs[k].inner);
  OrientedDestroy(&t);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_gap), cmocka_unit_test(test_derivatives),
                                     cmocka_unit_test(test_without_sides)};
  return AbutTestMain(argc, argv, tests);
}
