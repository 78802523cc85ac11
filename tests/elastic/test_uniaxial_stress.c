/*
  Uniaxial stress with stretch a along the axis and b across (2D: plane strain). For each material, lambda is computed such that the lateral
  stress P_2 vanishes; the axial stress P_1 is known from the formula of P_1 s_1 - P_2 s_2.
*/
#include "material.h"

typedef struct {
  PetscReal a, b, q; /* stretches; q = b in 3D, 1 in plane strain */
  PetscReal J;
} Stretches;

static PetscReal NeoHookean(const Stretches *s, PetscReal *pull)
{
  *pull = mu * (s->a - s->b * s->b / s->a);
  return mu * (1 - s->b * s->b) / log(s->J);
}

static PetscReal FixedCorotated(const Stretches *s, PetscReal *pull)
{
  *pull = 2 * mu * (s->a - 1 + s->b * (1 - s->b) / s->a);
  return 2 * mu * (1 - s->b) * s->b / (s->J * (s->J - 1));
}

static PetscReal StVenantKirchhoff(const Stretches *s, PetscReal *pull)
{
  *pull = mu * s->a * (s->a * s->a - s->b * s->b);
  return 2 * mu * (1 - s->b * s->b) / (s->a * s->a + s->b * s->b + s->q * s->q - 3);
}

static PetscReal Linear(const Stretches *s, PetscReal *pull)
{
  *pull = 2 * mu * (s->a - s->b);
  return 2 * mu * (1 - s->b) / (s->a + s->b + s->q - 3);
}

static PetscReal MooneyRivlin(const Stretches *s, PetscReal *pull)
{
  const PetscReal A = s->a * s->a, B = s->b * s->b, Q = s->q * s->q, w = mooney * pow(s->J, -2. / 3);

  *pull = mu * (A - B) / s->a * (1 - mooney + w * Q);
  return mu * (1 - (1 - mooney) * B - w * (B * (A + Q) - (A * B + B * Q + Q * A) / 3)) / log(s->J);
}

static PetscReal Ogden(const Stretches *s, PetscReal *pull)
{
  PetscReal p[3] = {0, 0, 0};

  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++)
      p[i] += ogden[k].mu * pow(s->J, -ogden[k].alpha / 3) * pow(i == 0 ? s->a : i == 1 ? s->b : s->q, ogden[k].alpha);
  *pull = (p[0] - p[1]) / s->a;
  return ((p[0] + p[1] + p[2]) / 3 - p[1]) / log(s->J) - 2 * mu / 3;
}

static PetscReal Plasticity(const Stretches *s, PetscReal *pull)
{
  const PetscReal trace = log(s->J), a = log(s->a) - trace / 3, b = log(s->b) - trace / 3, c = log(s->q) - trace / 3;
  const PetscReal equivalent = sqrt(2. / 3 * (a * a + b * b + c * c)), yield = constants.yield + constants.hardening * constants.strain;
  PetscReal       stress = 3 * mu * equivalent; /* of von Mises; both lines meet at the yield stress */

  if (stress > yield) stress = (constants.hardening * stress + 3 * mu * yield) / (3 * mu + constants.hardening);
  *pull = 2. / 3 * stress / equivalent * (a - b) / s->a;
  return -2. / 3 * stress / equivalent * b / trace - 2 * mu / 3;
}

static void TestUniaxialStress(void **state)
{
  PetscReal (*const closed[NUM_KINDS])(const Stretches *, PetscReal *) = {NeoHookean,   FixedCorotated, StVenantKirchhoff, Linear,
                                                                          MooneyRivlin, Ogden,          Plasticity};

  (void)state;
  for (PetscInt kind = 0; kind < NUM_KINDS; kind++)
    for (PetscInt dim = 2; dim <= 3; dim++)
      for (PetscReal a = 0.7; a < 2; a += 0.2) {
        const PetscReal       b = 1 - 0.3 * (a - 1), q = dim == 3 ? b : 1, F[2][9] = {{a, 0, 0, b}, {a, 0, 0, 0, b, 0, 0, 0, b}};
        const Stretches       s = {a, b, q, a * b * q};
        AbutMaterialConstants m = constants;
        PetscReal             P[9], expected[9] = {0};

        m.lambda = closed[kind](&s, expected);
        AbutMaterialStress(AbutMaterialGetOps((AbutMaterialKind)kind), dim, &m, F[dim - 2], P);
        AssertNear(AbutMaterialKinds[kind], dim * dim, P, expected, 1 + m.lambda, 1e-13);
      }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestUniaxialStress)};
  return AbutTestMain(argc, argv, tests);
}
