/* Ogden's energy against neo-Hookean and Mooney-Rivlin without change of volume, admissible terms, moduli that data sheets give. */
#include "material.h"

/* Without change of volume both energies have the same volumetric part: 0, with a pressure that is left over in the stress. */
static void CheckIsochoric(PetscInt num, const AbutOgdenTerm terms[], AbutMaterialKind kind, PetscReal fraction)
{
  const AbutMaterialConstants m     = {.mu = mu, .lambda = lambda, .mooney = fraction, .num_ogden = num, .ogden = terms};
  const AbutMaterialOps      *Ogden = AbutMaterialGetOps(ABUT_MATERIAL_OGDEN), *other = AbutMaterialGetOps(kind);

  for (PetscReal a = 0.4; a < 3; a += 0.2)
    for (PetscReal b = 0.5; b < 2; b += 0.3) {
      const PetscReal F[9] = {a, 0, 0, 0, b, 0, 0, 0, 1 / (a * b)};
      PetscReal       w[2] = {AbutMaterialEnergy(Ogden, 3, &m, F), AbutMaterialEnergy(other, 3, &m, F)}, P[9], Q[9], tau[2][2];

      AssertNear("energy", 1, w, w + 1, 1, 1e-14);
      AbutMaterialStress(Ogden, 3, &m, F, P);
      AbutMaterialStress(other, 3, &m, F, Q);
      for (int i = 0; i < 2; i++) { /* differences of Kirchhoff stresses do not contain the pressure */
        tau[0][i] = F[4 * i] * P[4 * i] - F[8] * P[8];
        tau[1][i] = F[4 * i] * Q[4 * i] - F[8] * Q[8];
      }
      AssertNear("stress", 2, tau[0], tau[1], 1, 1e-13);
    }
}

static void TestIsochoric(void **state)
{
  const AbutOgdenTerm neo[1] = {{mu, 2}}, rivlin[2] = {{mu * (1 - mooney), 2}, {-mu * mooney, -2}};

  (void)state;
  CheckIsochoric(1, neo, ABUT_MATERIAL_NEO_HOOKEAN, 0);
  CheckIsochoric(2, rivlin, ABUT_MATERIAL_MOONEY_RIVLIN, mooney);
}

/* A pure change of volume has the energy K/2 (ln J)^2 and the pressure K ln J / J. */
static void TestVolume(void **state)
{
  const PetscReal K = lambda + 2 * mu / 3;

  (void)state;
  for (PetscReal s = 0.5; s < 2; s += 0.25) {
    const PetscReal F[9] = {s, 0, 0, 0, s, 0, 0, 0, s}, log_J = 3 * log(s), p = K * log_J / s, energy = K / 2 * log_J * log_J;
    PetscReal       P[9], w = AbutMaterialEnergy(AbutMaterialGetOps(ABUT_MATERIAL_OGDEN), 3, &constants, F);

    AssertNear("energy", 1, &w, &energy, 1, 1e-14);
    AbutMaterialStress(AbutMaterialGetOps(ABUT_MATERIAL_OGDEN), 3, &constants, F, P);
    AssertNear("stress", 9, P, (PetscReal[]){p, 0, 0, 0, p, 0, 0, 0, p}, 1, 1e-14);
  }
}

/* Least isochoric energy between uniaxial and equibiaxial tension up to ln b = 30. */
static PetscReal LeastEnergy(PetscInt num, const AbutOgdenTerm terms[])
{
  const AbutMaterialConstants m     = {.mu = 1, .lambda = 0, .num_ogden = num, .ogden = terms};
  PetscReal                   least = 0;

  for (PetscReal y = 0.5; y <= 2; y += 0.125)
    for (PetscReal x = 0; x < 15; x += 0.5) {
      const PetscReal F[9] = {exp(x), 0, 0, 0, exp(x * (y - 1)), 0, 0, 0, exp(-x * y)};
      least                = PetscMin(least, AbutMaterialEnergy(AbutMaterialGetOps(ABUT_MATERIAL_OGDEN), 3, &m, F));
    }
  return least;
}

static void TestObjection(void **state)
{
  const struct {
    PetscInt      num;
    AbutOgdenTerm terms[3];
    const char   *text; /* NULL: admissible */
  } cases[] = {{1, {{1, 2}}, NULL},
               {2, {{1, 2}, {-0.3, -2}}, NULL},
               {2, {{1, 4}, {-0.5, 2}}, NULL},             /* a negative term that grows more slowly */
               {3, {{1, 2}, {-0.1, 3}, {-0.1, -7}}, NULL}, /* the last one exceeds it in every direction */
               {1, {{1, -2}}, "not positive"},
               {2, {{1, 2}, {-1, 2}}, "not positive"},
               {1, {{1, 0}}, "|alpha|"},
               {1, {{1, NAN}}, "|alpha|"},
               {1, {{NAN, 1}}, "not positive"},
               {2, {{1, 2}, {-0.1, 4}}, "no lower bound"},
               {2, {{1, 2}, {0.1, -4}}, "no lower bound"},
               {3, {{1, 2}, {-0.1, 3}, {-0.1, -4}}, "no lower bound"}};

  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const char *found = AbutOgdenObjection(cases[i].num, cases[i].terms), *text = cases[i].text;

    if (!text != !found || (text && !strstr(found, text)))
      fail_msg("case %d: %s, expected %s", (int)i, found ? found : "", text ? text : "");
    if (!text) assert_true(LeastEnergy(cases[i].num, cases[i].terms) > -1); /* softening before the growth is admissible */
    if (text && !strcmp(text, "no lower bound")) assert_true(LeastEnergy(cases[i].num, cases[i].terms) < -1e3);
  }
}

static void CheckModuli(AbutMaterialSpec spec, PetscReal young, PetscReal poisson, PetscReal fraction)
{
  AbutMaterialDerive(&spec);
  AssertNear("young", 1, &spec.young, &young, 0, 1e-13);
  AssertNear("poisson", 1, &spec.poisson, &poisson, 1e-3, 1e-13);
  AssertNear("mooney", 1, &spec.mooney, &fraction, 1e-3, 1e-13);
}

static void TestModuli(void **state)
{
  AbutOgdenTerm   terms[2] = {{3, 2}, {-1, -2}};
  const PetscReal shear = 4, bulk = 100, young = 9 * bulk * shear / (3 * bulk + shear), poisson = (3 * bulk - young) / (6 * bulk);

  (void)state;
  CheckModuli((AbutMaterialSpec){.young = 3, .poisson = 0.25, .mooney = 0.2}, 3, 0.25, 0.2);
  CheckModuli((AbutMaterialSpec){.moduli = {.shear = shear, .bulk = bulk}}, young, poisson, 0);
  CheckModuli((AbutMaterialSpec){.young = young, .moduli = {.bulk = bulk}}, young, poisson, 0);
  CheckModuli((AbutMaterialSpec){.poisson = 0.25, .moduli = {.shear = shear}}, 10, 0.25, 0);
  CheckModuli((AbutMaterialSpec){.moduli = {.c10 = 1.5, .c01 = 0.5, .bulk = bulk}, .mooney = 0.2}, young, poisson, 0.25);
  CheckModuli((AbutMaterialSpec){.moduli = {.c10 = 2, .bulk = bulk}}, young, poisson, 0);
  CheckModuli((AbutMaterialSpec){.moduli = {.bulk = bulk}, .num_ogden = 2, .ogden = terms}, young, poisson, 0);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestIsochoric), cmocka_unit_test(TestVolume), cmocka_unit_test(TestObjection),
                                     cmocka_unit_test(TestModuli)};
  return AbutTestMain(argc, argv, tests);
}
