/* Deformation gradients for tests of materials; comparison relative to the largest entry. */
#pragma once
#include "test.h"
#include <abut/elastic.h>
#include <math.h>
#include <string.h>

/* Principal stretches: generic, equal, nearly equal, flat, stretched; the last three rows are inverted or singular. */
static const PetscReal stretches[][3] = {{1.3, 0.9, 0.7},
                                         {1, 1, 1},
                                         {1.2, 1.2, 0.8},
                                         {1.4, 0.8, 0.8},
                                         {1.1, 1.1, 1.1},
                                         {1 + 1e-9, 1, 1 - 1e-9},
                                         {1.3, 1.3 - 1e-7, 0.6},
                                         {1.2, 1.2 - 1e-13, 1.2 - 3e-13},
                                         {0.5, 0.4, 0.3},
                                         {1.5, 0.2, 0.1},
                                         {4, 3, 2},
                                         {2, 1.9, 0.05},
                                         {1.2, 0.7, 1e-9},
                                         {1.1, 0.9, -0.4},
                                         {0.6, 0.5, -0.2}};
enum { NUM_STRETCHES = sizeof(stretches) / sizeof(stretches[0]), NUM_UPRIGHT = NUM_STRETCHES - 3 };

static const PetscReal mu = 1.3, lambda = 2.1, mooney = 0.3;

/* Terms with a sum of mu alpha / 2 of 1.3. */
static const AbutOgdenTerm ogden[3] = {{0.9, 2}, {-0.2, -2}, {0.1, 4}};

static const AbutMaterialConstants constants = {
  .mu = 1.3, .lambda = 2.1, .mooney = 0.3, .yield = 0.8, .hardening = 0.5, .strain = 0.1, .num_ogden = 3, .ogden = ogden};

enum { NUM_KINDS = ABUT_MATERIAL_J2_PLASTICITY + 1 };

/* The same terms for another Young's modulus. */
static inline AbutMaterialSpec WithOgden(AbutMaterialSpec spec, AbutOgdenTerm terms[3])
{
  for (int k = 0; k < 3; k++) terms[k] = (AbutOgdenTerm){ogden[k].mu / mu * spec.young / (2 * (1 + spec.poisson)), ogden[k].alpha};
  spec.num_ogden = 3;
  spec.ogden     = terms;
  return spec;
}

/* F = Q diag(s) R with random rotations Q and R; in 2D the middle stretch is left out. */
static inline void MakeDeformation(PetscInt dim, const PetscReal s[3], uint64_t *seed, PetscReal F[])
{
  PetscReal A[9], B[9], Q[9], R[9], U[9], t[3];

  for (PetscInt i = 0; i < 9; i++) {
    A[i] = AbutTestRandom(seed);
    B[i] = AbutTestRandom(seed);
  }
  AbutSVD(dim, A, Q, t, U);
  AbutSVD(dim, B, R, t, U);
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++) {
      F[dim * i + j] = 0;
      for (PetscInt k = 0; k < dim; k++) F[dim * i + j] += Q[dim * i + k] * s[dim == 2 ? 2 * k : k] * R[dim * j + k];
    }
}

static inline PetscReal MaxAbs(PetscInt n, const PetscReal a[])
{
  PetscReal max = 0;
  for (PetscInt i = 0; i < n; i++) max = PetscMax(max, PetscAbsReal(a[i]));
  return max;
}

/* Fails unless |a - b| <= tol (floor + max |b|) in every entry. */
static inline void AssertNear(const char what[], PetscInt n, const PetscReal a[], const PetscReal b[], PetscReal floor, PetscReal tol)
{
  const PetscReal bound = tol * (floor + MaxAbs(n, b));

  for (PetscInt i = 0; i < n; i++)
    if (!(PetscAbsReal(a[i] - b[i]) <= bound))
      fail_msg("%s: entry %ld is %.17g, expected %.17g within %g", what, (long)i, a[i], b[i], bound);
}
