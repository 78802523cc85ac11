/* Singular value decompositions of random, graded, rank-deficient, inverted, huge and tiny matrices. */
#include "orthonormal.h"

static PetscReal Det(PetscInt n, const PetscReal A[])
{
  PetscReal c[3];

  if (n == 2) return A[0] * A[3] - A[1] * A[2];
  AbutCross(A + 3, A + 6, c);
  return AbutDot(3, A, c);
}

/* 1e-14 is 45 units of round-off: a few for each of the dozen rotations. */
static void CheckSVD(PetscInt n, const PetscReal F[])
{
  PetscReal U[9], s[3], V[9];

  AbutSVD(n, F, U, s, V);
  AssertOrthonormal("U", n, U, 1e-14);
  AssertOrthonormal("V", n, V, 1e-14);
  assert_true(PetscAbsReal(Det(n, U) - 1) < 1e-14 && PetscAbsReal(Det(n, V) - 1) < 1e-14);
  for (PetscInt i = 0; i < n - 1; i++) assert_true(s[i] >= 0 && s[i] >= PetscAbsReal(s[i + 1]));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) {
      PetscReal sum = 0;
      for (PetscInt k = 0; k < n; k++) sum += U[n * i + k] * s[k] * V[n * j + k];
      if (!(PetscAbsReal(sum - F[n * i + j]) <= 1e-14 * s[0]))
        fail_msg("entry %ld,%ld is %.17g, expected %.17g (norm %g)", (long)i, (long)j, sum, F[n * i + j], s[0]);
    }
}

/* F = Q diag(s) R with random rotations Q, R. */
static void WithValues(PetscInt n, const PetscReal s[], uint64_t *seed, PetscReal F[])
{
  PetscReal A[9], B[9], U[9], V[9], t[3];

  RandomMatrix(n * n, seed, A);
  RandomMatrix(n * n, seed, B);
  AbutSVD(n, A, U, t, V);
  AbutSVD(n, B, V, t, A);
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) {
      F[n * i + j] = 0;
      for (PetscInt k = 0; k < n; k++) F[n * i + j] += U[n * i + k] * s[k] * V[n * j + k];
    }
}

static void TestRandom(void **state)
{
  uint64_t  seed = 1;
  PetscReal F[9];

  (void)state;
  for (PetscInt trial = 0; trial < 4000; trial++) {
    const PetscReal scale = pow(10, 150 * AbutTestRandom(&seed));
    RandomMatrix(9, &seed, F);
    for (PetscInt n = 2; n <= 3; n++) CheckSVD(n, F);
    for (PetscInt i = 0; i < 9; i++) F[i] *= scale;
    for (PetscInt n = 2; n <= 3; n++) CheckSVD(n, F);
    for (PetscInt i = 0; i < 9; i++) F[i] = F[i] / scale * 1e-9 + (i % 4 == 0); /* nearly the identity */
    CheckSVD(3, F);
    for (PetscInt i = 0; i < 9; i++) F[i] = PetscFloorReal(2 * AbutTestRandom(&seed)); /* small integers: many singular ones */
    for (PetscInt n = 2; n <= 3; n++) CheckSVD(n, F);
  }
}

static void TestGivenValues(void **state)
{
  static const PetscReal values[][3] = {{1, 1, 1},
                                        {1, 1, -1},
                                        {2, 1, 1},
                                        {2, 2, 1},
                                        {2, 2, -1},
                                        {1, 1, 0},
                                        {1, 0, 0},
                                        {0, 0, 0},
                                        {1, 1, 1 - 1e-15},
                                        {1, 1 - 1e-8, 1 - 2e-8},
                                        {1, 1e-8, 1e-16},
                                        {1, 1e-8, -1e-8},
                                        {1, 1e-12, 1e-12},
                                        {1, 1e-20, 1e-40},
                                        {1, 1, 1e-17},
                                        {1e200, 1, 1e-200},
                                        {1e-300, 1e-305, -1e-308},
                                        {1e300, 1e300, -1e300},
                                        {3, 1e-70, 1e-80}};
  uint64_t               seed        = 7;

  (void)state;
  for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++)
    for (PetscInt trial = 0; trial < 200; trial++)
      for (PetscInt n = 2; n <= 3; n++) {
        PetscReal F[9], U[9], s[3], V[9], D[9] = {0};
        WithValues(n, values[k], &seed, F);
        CheckSVD(n, F);
        AbutSVD(n, F, U, s, V);
        for (PetscInt i = 0; i < n; i++)
          if (!(PetscAbsReal(s[i] - values[k][i]) <= 1e-14 * values[k][0]))
            fail_msg("value %ld is %.17g, expected %.17g", (long)i, s[i], values[k][i]);
        for (PetscInt i = 0; i < n; i++)
          D[n * i + (i + trial) % n] = values[k][i] * (trial % 4 < 2 ? 1 : -1); /* exact permutations and reflections */
        CheckSVD(n, D);
      }
}

/* Each matrix of a batch of ordinary, singular, huge, tiny and unit matrices has the decomposition that it has by itself, bit for bit. */
static void TestBatch(void **state)
{
  uint64_t seed = 3;

  (void)state;
  for (PetscInt trial = 0; trial < 2000; trial++)
    for (PetscInt n = 2; n <= 3; n++) {
      AbutSimd  F[9], U[9], s[3], V[9];
      PetscReal f[ABUT_SIMD_WIDTH][9];

      for (int l = 0; l < ABUT_SIMD_WIDTH; l++) {
        const PetscInt kind = (trial + 3 * l) % 5;
        for (PetscInt i = 0; i < n * n; i++) {
          const PetscReal x = AbutTestRandom(&seed), unit = i % (n + 1) == 0;
          f[l][i] = kind == 0 ? x : kind == 1 ? PetscFloorReal(2 * x) : kind == 2 ? 1e200 * x : kind == 3 ? 1e-200 * x : unit;
          F[i][l] = f[l][i];
        }
      }
      AbutSVDBatch(n, F, U, s, V);
      for (int l = 0; l < ABUT_SIMD_WIDTH; l++) {
        PetscReal u[9], t[3], v[9];
        AbutSVD(n, f[l], u, t, v);
        for (PetscInt i = 0; i < n; i++) assert_true(s[i][l] == t[i]);
        for (PetscInt i = 0; i < n * n; i++) assert_true(U[i][l] == u[i] && V[i][l] == v[i]);
      }
    }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestRandom), cmocka_unit_test(TestGivenValues), cmocka_unit_test(TestBatch)};
  return AbutTestMain(argc, argv, tests);
}
