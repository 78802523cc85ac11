/* Symmetric eigenproblems and projections of random, graded, rank-deficient, huge and tiny matrices. */
#include "orthonormal.h"
#include <string.h>

#define MAX ABUT_EIGEN_MAX

static void CheckEigen(PetscInt n, const PetscReal A[])
{
  PetscReal w[MAX], Q[MAX * MAX], max = 0;

  AbutEigenSymmetric(n, A, w, Q);
  AssertOrthonormal("Q", n, Q, 3e-14);
  for (PetscInt i = 0; i < n; i++) max = PetscMax(max, PetscAbsReal(w[i]));
  for (PetscInt i = 0; i < n - 1; i++) assert_true(w[i] <= w[i + 1]);
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) {
      PetscReal sum = 0;
      for (PetscInt k = 0; k < n; k++) sum += Q[n * i + k] * w[k] * Q[n * j + k];
      if (!(PetscAbsReal(sum - A[n * i + j]) <= 3e-14 * max))
        fail_msg("n = %ld: entry %ld,%ld is %.17g, expected %.17g", (long)n, (long)i, (long)j, sum, A[n * i + j]);
    }
}

/* A = sum over k < rank of random dyads with random signs. */
static void RandomSymmetric(PetscInt n, PetscInt rank, PetscReal scale, uint64_t *seed, PetscReal A[])
{
  memset(A, 0, sizeof(*A) * (size_t)(n * n));
  for (PetscInt k = 0; k < rank; k++) {
    PetscReal       v[MAX];
    const PetscReal sign = AbutTestRandom(seed) > 0 ? scale : -scale;
    RandomMatrix(n, seed, v);
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt j = 0; j < n; j++) A[n * i + j] += sign * (v[i] * v[j]);
  }
}

static void TestEigen(void **state)
{
  uint64_t  seed = 3;
  PetscReal A[MAX * MAX];

  (void)state;
  for (PetscInt n = 1; n <= MAX; n++)
    for (PetscInt trial = 0; trial < 60; trial++) {
      RandomSymmetric(n, trial % (2 * n + 1), pow(10, 140 * AbutTestRandom(&seed)), &seed, A); /* rank-deficient to full */
      CheckEigen(n, A);
      memset(A, 0, sizeof(A));
      for (PetscInt i = 0; i < n; i++) A[n * i + i] = trial % 3 ? 1 : i % 2; /* repeated eigenvalues, then nearly repeated */
      if (trial % 2 && n > 1) A[1] = A[n] = 1e-12;
      CheckEigen(n, A);
    }
}

/* P = projection: P is PSD, P - A is PSD, and their product vanishes; that characterizes the nearest PSD matrix. */
static void TestProjectPSD(void **state)
{
  uint64_t seed = 5;

  (void)state;
  for (PetscInt n = 1; n <= MAX; n++)
    for (PetscInt trial = 0; trial < 60; trial++) {
      PetscReal A[MAX * MAX], P[MAX * MAX], D[MAX * MAX], w[MAX], Q[MAX * MAX], max = 0;
      RandomSymmetric(n, 1 + trial % (2 * n), 1, &seed, A);
      if (trial % 5 == 0)
        for (PetscInt i = 0; i < n; i++) A[n * i + i] += (PetscReal)(20 + n * n); /* definite: must come back unchanged */
      memcpy(P, A, sizeof(P));
      AbutProject(n, ABUT_PSD_CLAMP, P);
      for (PetscInt i = 0; i < n * n; i++) {
        D[i] = P[i] - A[i];
        max  = PetscMax(max, PetscAbsReal(A[i]));
        if (trial % 5 == 0) assert_true(D[i] == 0);
      }
      AbutEigenSymmetric(n, P, w, Q);
      assert_true(w[0] >= -1e-13 * max);
      AbutEigenSymmetric(n, D, w, Q);
      assert_true(w[0] >= -1e-13 * max);
      for (PetscInt i = 0; i < n; i++)
        for (PetscInt j = 0; j < n; j++) {
          PetscReal sum = 0;
          for (PetscInt k = 0; k < n; k++) sum += P[n * i + k] * D[n * k + j];
          assert_true(PetscAbsReal(sum) <= 1e-12 * max * max);
        }
    }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestEigen), cmocka_unit_test(TestProjectPSD)};
  return AbutTestMain(argc, argv, tests);
}
