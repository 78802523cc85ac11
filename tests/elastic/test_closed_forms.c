/* Energies and stresses of homogeneous deformations against formulas worked out by hand. */
#include "material.h"

static void Embed(PetscInt dim, const PetscReal A[9], PetscReal F[])
{
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++) F[dim * i + j] = A[3 * i + j];
}

static void Check(AbutMaterialKind kind, PetscInt dim, const PetscReal A[9], PetscReal energy, const PetscReal B[9])
{
  const AbutMaterialOps *ops = AbutMaterialGetOps(kind);
  PetscReal              F[9], P[9], expected[9], w;

  Embed(dim, A, F);
  Embed(dim, B, expected);
  w = ops->energy(dim, mu, lambda, F);
  AssertNear("energy", 1, &w, &energy, 1, 1e-14);
  ops->stress(dim, mu, lambda, F, P);
  AssertNear("stress", dim * dim, P, expected, 1, 1e-14);
}

static void TestRotation(void **state)
{
  const PetscReal c = cos(0.7), s = sin(0.7), turned[9] = {c, -s, 0, s, c, 0, 0, 0, 1}, tilted[9] = {c, 0, s, 0, 1, 0, -s, 0, c},
                  zero[9] = {0};

  (void)state;
  for (PetscInt kind = 0; kind < 2; kind++) {
    Check((AbutMaterialKind)kind, 2, turned, 0, zero);
    Check((AbutMaterialKind)kind, 3, turned, 0, zero);
    Check((AbutMaterialKind)kind, 3, tilted, 0, zero);
  }
}

/* F = diag(a, 1, 1), the other directions held. */
static void TestUniaxial(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (PetscReal a = 0.3; a < 3; a += 0.4) {
      const PetscReal F[9] = {a, 0, 0, 0, 1, 0, 0, 0, 1}, side = lambda * log(a), corotated = lambda * (a - 1) * a;
      const PetscReal neo[9] = {mu * (a - 1 / a) + side / a, 0, 0, 0, side, 0, 0, 0, side};
      const PetscReal fcr[9] = {(2 * mu + lambda) * (a - 1), 0, 0, 0, corotated, 0, 0, 0, corotated};
      Check(ABUT_MATERIAL_NEO_HOOKEAN, dim, F, mu / 2 * (a * a - 1) - mu * log(a) + lambda / 2 * log(a) * log(a), neo);
      Check(ABUT_MATERIAL_FIXED_COROTATED, dim, F, (mu + lambda / 2) * (a - 1) * (a - 1), fcr);
    }
}

/* F = I + g e0 e1^T: J = 1; neo-Hookean P = mu (F - F^-T); the rotation nearest to F turns by -atan(g/2). */
static void TestSimpleShear(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (PetscReal g = 0.1; g < 2; g += 0.3) {
      const PetscReal F[9] = {1, g, 0, 0, 1, 0, 0, 0, 1}, h = sqrt(4 + g * g), c = 2 / h, s = g / h;
      const PetscReal neo[9] = {0, mu * g, 0, mu * g, 0, 0, 0, 0, 0};
      const PetscReal fcr[9] = {2 * mu * (1 - c), 2 * mu * (g - s), 0, 2 * mu * s, 2 * mu * (1 - c), 0, 0, 0, 0};
      Check(ABUT_MATERIAL_NEO_HOOKEAN, dim, F, mu / 2 * g * g, neo);
      Check(ABUT_MATERIAL_FIXED_COROTATED, dim, F, mu * (4 + g * g - 2 * h), fcr);
    }
}

static void TestInadmissible(void **state)
{
  const PetscReal flat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0}, inverted[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, zero[9] = {0};

  (void)state;
  assert_true(AbutMaterialGetOps(ABUT_MATERIAL_NEO_HOOKEAN)->energy(3, mu, lambda, flat) == PETSC_INFINITY);
  assert_true(AbutMaterialGetOps(ABUT_MATERIAL_NEO_HOOKEAN)->energy(3, mu, lambda, inverted) == PETSC_INFINITY);
  Check(ABUT_MATERIAL_FIXED_COROTATED, 3, flat, mu + lambda / 2, (PetscReal[]){0, 0, 0, 0, 0, 0, 0, 0, -2 * mu - lambda});
  Check(ABUT_MATERIAL_FIXED_COROTATED, 3, inverted, 4 * mu + 2 * lambda,
        (PetscReal[]){2 * lambda, 0, 0, 0, 2 * lambda, 0, 0, 0, -4 * mu - 2 * lambda});
  assert_true(AbutMaterialGetOps(ABUT_MATERIAL_FIXED_COROTATED)->energy(3, mu, lambda, zero) == 3 * mu + lambda / 2);
}

/* The small-strain limit is Hooke's law with the given Young's modulus and Poisson's ratio. */
static void TestHooke(void **state)
{
  const AbutMaterialSpec spec = {.young = 3e6, .poisson = 0.3};
  const PetscReal        e = 1e-6, F[9] = {1 + e, 0, 0, 0, 1 - 0.3 * e, 0, 0, 0, 1 - 0.3 * e};
  PetscReal              m, l, P[9];

  (void)state;
  AbutMaterialGetLame(&spec, &m, &l);
  for (PetscInt kind = 0; kind < 2; kind++) { /* second-order terms are 1e-6 of the stress */
    AbutMaterialGetOps((AbutMaterialKind)kind)->stress(3, m, l, F, P);
    assert_true(PetscAbsReal(P[0] - 3) < 3e-5 && PetscAbsReal(P[4]) < 3e-5 && PetscAbsReal(P[8]) < 3e-5);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestRotation), cmocka_unit_test(TestUniaxial), cmocka_unit_test(TestSimpleShear),
                                     cmocka_unit_test(TestInadmissible), cmocka_unit_test(TestHooke)};
  return AbutTestMain(argc, argv, tests);
}
