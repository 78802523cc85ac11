/* Private to src/base/dense. */
#pragma once
#include <abut/dense.h>

#define SCALE_LIMIT 1e10 /* matrices with a norm above this or below 1/this are scaled, so that squares neither over- nor underflow */

/* Plane rotation of two columns of length n: p' = c p + s q, q' = c q - s p. */
static inline void RotateColumns(PetscInt n, PetscReal c, PetscReal s, PetscReal *restrict p, PetscReal *restrict q)
{
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal a = p[i], b = q[i];
    p[i] = c * a + s * b;
    q[i] = c * b - s * a;
  }
}
