/* Shared by the tests of decompositions. */
#pragma once
#include "test.h"
#include <abut/dense.h>
#include <math.h>

static inline void AssertOrthonormal(const char what[], PetscInt n, const PetscReal Q[], PetscReal tol)
{
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) {
      PetscReal sum = 0;
      for (PetscInt k = 0; k < n; k++) sum += Q[n * i + k] * Q[n * j + k];
      if (!(PetscAbsReal(sum - (i == j)) <= tol)) fail_msg("%s: rows %ld and %ld have the product %.17g", what, (long)i, (long)j, sum);
    }
}

static inline void RandomMatrix(PetscInt n, uint64_t *seed, PetscReal A[])
{
  for (PetscInt i = 0; i < n; i++) A[i] = AbutTestRandom(seed);
}
