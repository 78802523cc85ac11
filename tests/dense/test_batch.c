/* Negative parts of a SIMD batch: matrices with known, very large, very small and repeated eigenvalues; results are independent. */
#include "test.h"
#include <abut/dense.h>
#include <math.h>
#include <string.h>

#define L   ABUT_SIMD_WIDTH
#define MAX 45

static PetscReal A[MAX * MAX * L], part[MAX * MAX * L], scratch[(MAX + 4) * MAX * L];

/* Sets matrix l to Q diag(w) Q^T with the reflection Q defined by u, and computes its negative part. */
static void Known(PetscInt n, int l, const PetscReal w[], const PetscReal u[])
{
  const PetscReal size = AbutDot(n, u, u);

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = i; j < n; j++) {
      PetscReal *a = &A[L * (n * i + j) + l], *p = &part[L * (n * i + j) + l];
      *a = *p = 0;
      for (PetscInt k = 0; k < n; k++) {
        const PetscReal value = ((i == k) - 2 * u[i] * u[k] / size) * ((j == k) - 2 * u[j] * u[k] / size) * w[k];
        *a += value;
        *p += w[k] < 0 ? -value : 0;
      }
    }
  }
}

/* Fails unless the batch gives the known negative parts, up to round-off of the largest eigenvalues. */
static void CheckParts(PetscInt n, const PetscReal largest[L])
{
  AbutNegativeParts(n, A, scratch);
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = i; j < n; j++) {
      for (int l = 0; l < L; l++) {
        const PetscInt at = L * (n * i + j) + l;
        assert_true(PetscAbsReal(A[at] - part[at]) <= 1e-14 * (PetscReal)(n + 4) * largest[l]);
      }
    }
  }
}

static void test_known(void **state)
{
  uint64_t seed = 4;

  (void)state;
  for (PetscInt n = 1; n <= MAX; n += n < 20 ? 1 : 25) {
    for (int trial = 0; trial < 20; trial++) {
      PetscReal largest[L];
      for (int l = 0; l < L; l++) {
        const PetscReal scale = trial % 4 ? 1 : pow(10, 140 * AbutTestRandom(&seed));
        PetscReal       w[MAX], u[MAX];
        largest[l] = 0;
        for (PetscInt k = 0; k < n; k++) {
          w[k] = scale * (trial % 3 == 0 ? pow(10, 8 * AbutTestRandom(&seed)) : 1) * AbutTestRandom(&seed);
          if ((trial + l) % 5 == 0) w[k] = w[k] < 0 ? -scale : k % 2 ? scale : 0; /* repeated eigenvalues */
          u[k]       = (trial + l) % 7 == 0 ? k == 0 : AbutTestRandom(&seed);     /* diagonal matrix: every block splits */
          largest[l] = PetscMax(largest[l], PetscAbsReal(w[k]));
        }
        Known(n, l, w, u);
      }
      CheckParts(n, largest);
    }
  }
}

static void test_mates(void **state)
{
  enum { n = 13 };
  uint64_t  seed = 8;
  PetscReal alone[n * n], w[n], u[n];

  (void)state;
  for (int trial = 0; trial < 2; trial++) { /* alone in the batch, then with other matrices */
    seed = 8;
    memset(A, 0, sizeof(A));
    for (int l = 0; l < (trial ? L : 1); l++) {
      for (int k = 0; k < n; k++) {
        w[k] = AbutTestRandom(&seed) * pow(10, 4 * AbutTestRandom(&seed));
        u[k] = AbutTestRandom(&seed);
      }
      Known(n, l, w, u);
    }
    AbutNegativeParts(n, A, scratch);
    for (int i = 0; i < n * n; i++) {
      if (i / n > i % n) continue;
      if (trial) assert_true(A[L * i] == alone[i]);
      alone[i] = A[L * i];
    }
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_mates)};
  return AbutTestMain(argc, argv, tests);
}
