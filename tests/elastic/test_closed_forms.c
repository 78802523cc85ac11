/* Energies and stresses of homogeneous deformations against formulas derived by hand. */
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
  w = AbutMaterialEnergy(ops, dim, &constants, F);
  AssertNear("energy", 1, &w, &energy, 1, 1e-14);
  AbutMaterialStress(ops, dim, &constants, F, P);
  AssertNear("stress", dim * dim, P, expected, 1, 1e-14);
}

static void TestRotation(void **state)
{
  const PetscReal c = cos(0.7), s = sin(0.7), turned[9] = {c, -s, 0, s, c, 0, 0, 0, 1}, tilted[9] = {c, 0, s, 0, 1, 0, -s, 0, c},
                  zero[9] = {0};

  const PetscReal strain = c - 1, s0 = 2 * (mu + lambda) * strain, s2 = 2 * lambda * strain; /* stress of a rotation in linear elasticity */

  (void)state;
  for (PetscInt kind = 0; kind < NUM_KINDS; kind++) {
    if (kind == ABUT_MATERIAL_LINEAR) continue;
    Check((AbutMaterialKind)kind, 2, turned, 0, zero);
    Check((AbutMaterialKind)kind, 3, turned, 0, zero);
    Check((AbutMaterialKind)kind, 3, tilted, 0, zero);
  }
  for (PetscInt dim = 2; dim <= 3; dim++)
    Check(ABUT_MATERIAL_LINEAR, dim, turned, 2 * (mu + lambda) * strain * strain, (PetscReal[]){s0, 0, 0, 0, s0, 0, 0, 0, s2});
}

/* Uniaxial strain: F = diag(a, 1, 1). */
static void TestUniaxial(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (PetscReal a = 0.3; a < 3; a += 0.4) {
      const PetscReal F[9] = {a, 0, 0, 0, 1, 0, 0, 0, 1}, side = lambda * log(a), corotated = lambda * (a - 1) * a;
      const PetscReal neo[9] = {mu * (a - 1 / a) + side / a, 0, 0, 0, side, 0, 0, 0, side};
      const PetscReal fcr[9] = {(2 * mu + lambda) * (a - 1), 0, 0, 0, corotated, 0, 0, 0, corotated};
      const PetscReal e = a - 1, lin[9] = {(2 * mu + lambda) * e, 0, 0, 0, lambda * e, 0, 0, 0, lambda * e};
      const PetscReal E = (a * a - 1) / 2, svk[9] = {(2 * mu + lambda) * E * a, 0, 0, 0, lambda * E, 0, 0, 0, lambda * E};
      Check(ABUT_MATERIAL_NEO_HOOKEAN, dim, F, mu / 2 * (a * a - 1) - mu * log(a) + lambda / 2 * log(a) * log(a), neo);
      Check(ABUT_MATERIAL_FIXED_COROTATED, dim, F, (mu + lambda / 2) * e * e, fcr);
      Check(ABUT_MATERIAL_STVK, dim, F, (mu + lambda / 2) * E * E, svk);
      Check(ABUT_MATERIAL_LINEAR, dim, F, (mu + lambda / 2) * e * e, lin);
    }
}

/* Mooney-Rivlin, I1 = a^2 + 2 and I2 = 2 a^2 + 1; at b = 1, d/db of I2(a, b, 1) (a b)^(-2/3) is (2 a^2 + 4) / 3 a^(-2/3). */
static void TestUniaxialMooneyRivlin(void **state)
{
  const PetscReal neo = 1 - mooney;

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (PetscReal a = 0.3; a < 3; a += 0.4) {
      const PetscReal F[9] = {a, 0, 0, 0, 1, 0, 0, 0, 1}, l = log(a), w = pow(a, -2. / 3);
      const PetscReal energy = mu / 2 * (neo * (a * a - 1) + mooney * (w * (2 * a * a + 1) - 3) - 2 * l) + lambda / 2 * l * l;
      const PetscReal along  = mu * (neo * a + mooney * (4 * pow(a, 1. / 3) - pow(a, -5. / 3)) / 3 - 1 / a) + lambda * l / a;
      const PetscReal side   = mu * (neo + mooney * w * (a * a + 2) / 3 - 1) + lambda * l;
      Check(ABUT_MATERIAL_MOONEY_RIVLIN, dim, F, energy, (PetscReal[]){along, 0, 0, 0, side, 0, 0, 0, side});
    }
}

/* F = I + g e0 e1^T: J = 1, I1 = I2 = 3 + g^2; neo-Hookean P = mu (F - F^-T); the rotation nearest to F turns by -atan(g/2). */
static void TestSimpleShear(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (PetscReal g = 0.1; g < 2; g += 0.3) {
      const PetscReal F[9] = {1, g, 0, 0, 1, 0, 0, 0, 1}, h = sqrt(4 + g * g), c = 2 / h, s = g / h;
      const PetscReal neo[9] = {0, mu * g, 0, mu * g, 0, 0, 0, 0, 0};
      const PetscReal fcr[9] = {2 * mu * (1 - c), 2 * mu * (g - s), 0, 2 * mu * s, 2 * mu * (1 - c), 0, 0, 0, 0};
      Check(ABUT_MATERIAL_NEO_HOOKEAN, dim, F, mu / 2 * g * g, neo);
      const PetscReal q = lambda * g * g / 2, m = mu * mooney * g * g / 3;
      const PetscReal svk[9] = {q + mu * g * g, g * q + mu * (g + g * g * g), 0, mu * g, mu * g * g + q, 0, 0, 0, q};
      Check(ABUT_MATERIAL_FIXED_COROTATED, dim, F, mu * (4 + g * g - 2 * h), fcr);
      Check(ABUT_MATERIAL_STVK, dim, F, mu * (g * g / 2 + g * g * g * g / 4) + lambda / 8 * g * g * g * g, svk);
      Check(ABUT_MATERIAL_LINEAR, dim, F, mu / 2 * g * g, neo);
      Check(ABUT_MATERIAL_MOONEY_RIVLIN, dim, F, mu / 2 * g * g, (PetscReal[]){-m, mu * g, 0, mu * g + m * g, -m, 0, 0, 0, 2 * m});
    }
}

static void TestInadmissible(void **state)
{
  const PetscReal flat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0}, inverted[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, zero[9] = {0};
  const PetscReal crushed2[4] = {1, 0, 0, 0}, turned2[4] = {1, 0, 0, -1};

  (void)state;
  for (PetscInt kind = 0; kind < NUM_KINDS; kind++) {
    const AbutMaterialOps *ops     = AbutMaterialGetOps((AbutMaterialKind)kind);
    const PetscBool        barrier = (PetscBool)(kind == ABUT_MATERIAL_NEO_HOOKEAN || kind == ABUT_MATERIAL_MOONEY_RIVLIN ||
                                          kind == ABUT_MATERIAL_OGDEN || kind == ABUT_MATERIAL_J2_PLASTICITY);
    for (PetscInt dim = 2; dim <= 3; dim++) {
      const PetscReal *crushed = dim == 3 ? flat : crushed2, *turned = dim == 3 ? inverted : turned2;
      assert_int_equal(ops->barrier, barrier);
      assert_int_equal(AbutMaterialEnergy(ops, dim, &constants, crushed) == PETSC_INFINITY, barrier);
      assert_int_equal(AbutMaterialEnergy(ops, dim, &constants, turned) == PETSC_INFINITY, barrier);
    }
  }
  Check(ABUT_MATERIAL_FIXED_COROTATED, 3, flat, mu + lambda / 2, (PetscReal[]){0, 0, 0, 0, 0, 0, 0, 0, -2 * mu - lambda});
  Check(ABUT_MATERIAL_FIXED_COROTATED, 3, inverted, 4 * mu + 2 * lambda,
        (PetscReal[]){2 * lambda, 0, 0, 0, 2 * lambda, 0, 0, 0, -4 * mu - 2 * lambda});
  assert_true(AbutMaterialEnergy(AbutMaterialGetOps(ABUT_MATERIAL_FIXED_COROTATED), 3, &constants, zero) == 3 * mu + lambda / 2);
}

/* The small-strain limit is Hooke's law with the given Young's modulus and Poisson's ratio. */
/* Least energy density of uniform stretches from 1e-8 to 1e8, in units of mu. */
static PetscReal LeastEnergy(AbutMaterialKind kind, PetscInt dim, PetscReal poisson)
{
  const AbutMaterialSpec spec = {.kind = kind, .young = 2 * (1 + poisson), .poisson = poisson, .mooney = 0.3};
  AbutOgdenTerm          terms[3];
  const AbutMaterialSpec completed = WithOgden(spec, terms);
  AbutMaterialConstants  m;
  PetscReal              least = PETSC_INFINITY;

  AbutMaterialGetConstants(&completed, &m);
  for (PetscInt i = -80; i <= 80; i++) {
    const PetscReal s = PetscPowReal(10, (PetscReal)i / 10), A[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
    PetscReal       F[9];
    Embed(dim, A, F);
    least = PetscMin(least, AbutMaterialEnergy(AbutMaterialGetOps(kind), dim, &m, F));
  }
  return least;
}

/* Energies that are not `auxetic` have no lower bound for any Poisson's ratio below 0; all others are at least 0. */
static void TestLowerBound(void **state)
{
  (void)state;
  for (PetscInt kind = 0; kind < NUM_KINDS; kind++)
    for (PetscInt dim = 2; dim <= 3; dim++) {
      const PetscBool auxetic = AbutMaterialGetOps((AbutMaterialKind)kind)->auxetic;
      assert_true(LeastEnergy((AbutMaterialKind)kind, dim, 0) > -1e-12 && LeastEnergy((AbutMaterialKind)kind, dim, 0.49) > -1e-12);
      for (PetscReal poisson = -0.95; poisson < -0.05; poisson += 0.1)
        if (auxetic == (LeastEnergy((AbutMaterialKind)kind, dim, poisson) < -1e-12))
          fail_msg("%s in %dD: lower bound for Poisson's ratio %g", AbutMaterialKinds[kind], (int)dim, (double)poisson);
    }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestLowerBound),
                                     cmocka_unit_test(TestRotation),
                                     cmocka_unit_test(TestUniaxial),
                                     cmocka_unit_test(TestSimpleShear),
                                     cmocka_unit_test(TestUniaxialMooneyRivlin),
                                     cmocka_unit_test(TestInadmissible)};
  return AbutTestMain(argc, argv, tests);
}
