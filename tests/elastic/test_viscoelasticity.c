/*
  Viscoelastic branches: relaxation, steady shear and loss modulus against the closed forms of a generalised Maxwell solid, rotations,
  dissipation, copies of the history.
*/
#include "meshes.h"

enum { TERMS = 2 };

static AbutPronyTerm prony[TERMS] = {{4e3, 0.5}, {2e3, 3}};

static const PetscReal shear = 3e4 / 2.6; /* of the material itself: Young's modulus 3e4 Pa, Poisson's ratio 0.3 */

static void Create(PetscInt dim, const PetscInt orders[2], Solid *solid)
{
  const AbutMaterialSpec materials[2] = {
    {.name = "first", .young = 3e4, .poisson = 0.3, .density = 800, .num_prony = TERMS, .prony = prony},
    {.name = "second", .kind = ABUT_MATERIAL_FIXED_COROTATED, .young = 2e4, .poisson = 0.4, .density = 1100}};

  SolidCreateOfOrder(PETSC_COMM_WORLD, dim, 2, materials, orders, solid);
}

/* Positions in simple shear, turned by an angle in the plane of the shear. */
static PetscReal *Sheared(const Solid *solid, PetscReal amount, PetscReal angle)
{
  const PetscInt  dim = solid->local->dim;
  const PetscReal c = cos(angle), s = sin(angle);
  PetscReal      *x = RandomState(solid, 0, 0);

  for (PetscInt v = 0; v < solid->local->num_local; v++) {
    const PetscReal a = x[dim * v] + amount * x[dim * v + 1], b = x[dim * v + 1];
    x[dim * v]     = c * a - s * b;
    x[dim * v + 1] = s * a + c * b;
  }
  return x;
}

/* Takes a step of length h to a shear; returns the shear stress of the first body [Pa], the same in all of its cells. */
static PetscReal Step(const Solid *solid, PetscReal amount, PetscReal h)
{
  const AbutMeshLocal *local = solid->local;
  PetscReal           *x = Sheared(solid, amount, 0), *stress = malloc(sizeof(*stress) * (size_t)(6 * local->num_cells + 1));
  PetscReal            sum[2] = {0, 0};

  AbutElasticBeginStep(solid->elastic, h);
  AbutElasticAcceptStep(solid->elastic, x);
  AbutElasticGetStress(solid->elastic, x, stress, NULL);
  for (PetscInt c = 0; c < local->num_cells; c++) {
    if (local->cell_body[c]) continue;
    sum[0] += stress[6 * c + 3];
    sum[1] += 1;
  }
  free(x);
  free(stress);
  return Sum(sum[0]) / Sum(sum[1]);
}

/* G(t) after a small step of strain: exactly by the implicit Euler rule, and with an error of order 1 by the exponentials. */
static void TestRelaxation(void **state)
{
  const PetscReal amount = 1e-5, end = 2;
  PetscReal       exact = shear, error[2];

  (void)state;
  for (int k = 0; k < TERMS; k++) exact += prony[k].shear * exp(-end / prony[k].time);
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (int k = 0; k < 2; k++) {
      const int steps    = k ? 80 : 40;
      PetscReal expected = shear, found = 0;
      Solid     solid;

      Create(dim, (PetscInt[]){1, 1}, &solid);
      for (int i = 0; i < steps; i++) found = Step(&solid, amount, end / steps) / amount;
      for (int b = 0; b < TERMS; b++) expected += prony[b].shear * pow(1 + end / steps / prony[b].time, -steps);
      AssertNear("relaxed modulus", 1, &found, &expected, 0, 1e-6);
      error[k] = PetscAbsReal(found / exact - 1);
      if (k) assert_true(error[1] < 0.005 && PetscAbsReal(error[0] / error[1] - 2) < 0.1);
      SolidDestroy(&solid);
    }
}

/* A constant rate of shear has the stress G gamma + sum of G_b time_b rate, also with steps longer than the relaxation times. */
static void TestSteadyShear(void **state)
{
  const PetscReal rate = 1e-6, h = 5;
  PetscReal       stress = 0, expected = shear * rate * h * 60;
  Solid           solid;

  (void)state;
  for (int b = 0; b < TERMS; b++) expected += prony[b].shear * prony[b].time * rate;
  Create(2, (PetscInt[]){2, 1}, &solid);
  for (int i = 1; i <= 60; i++) stress = Step(&solid, rate * h * i, h);
  AssertNear("steady shear", 1, &stress, &expected, 0, 1e-4); /* strains of 3e-4 */
  SolidDestroy(&solid);
}

/* Energy that a cycle of shear dissipates: pi amplitude^2 G'', G'' = sum of G_b w / (1 + w^2) with w = omega time_b. */
static void TestLossModulus(void **state)
{
  const PetscReal amplitude = 1e-4, omega = 1.3;
  const int       steps = 400;
  PetscReal       loss = 0, volume = 0, before = 0, found, error[2];

  (void)state;
  for (int b = 0; b < TERMS; b++) loss += prony[b].shear * omega * prony[b].time / (1 + PetscSqr(omega * prony[b].time));
  for (int k = 0; k < 2; k++) {
    const int n = steps << k;
    Solid     solid;

    Create(2, (PetscInt[]){1, 1}, &solid);
    for (int i = 1; i <= 5 * n; i++) {
      (void)Step(&solid, amplitude * sin(2 * PETSC_PI * i / n), 2 * PETSC_PI / omega / n);
      if (i == 4 * n) before = Sum(AbutElasticDissipation(solid.elastic));
    }
    found    = Sum(AbutElasticDissipation(solid.elastic)) - before;
    volume   = 1 * 1.3 * 1 * 1.2; /* box of 1 x 1.3, scaled by 1 and 1.2 */
    error[k] = PetscAbsReal(found / (volume * PETSC_PI * amplitude * amplitude * loss) - 1);
    SolidDestroy(&solid);
  }
  if (!(error[1] < 0.005 && PetscAbsReal(error[0] / error[1] - 2) < 0.15)) fail_msg("errors %g, %g", (double)error[0], (double)error[1]);
}

/* Rotations cause no stress; a relaxed body that turns keeps its energy. Dissipation never decreases. */
static void TestRotation(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Solid      solid;
    PetscReal *x, energy, turned, last = 0;

    Create(dim, (PetscInt[]){2, 1}, &solid);
    for (int i = 1; i < 5; i++) {
      x = Sheared(&solid, 0, 0.7 * i);
      AbutElasticBeginStep(solid.elastic, 0.4);
      assert_true(PetscAbsReal(Sum(Energy(&solid, x))) < 1e-13 * shear); /* round-off of the densities */
      AbutElasticAcceptStep(solid.elastic, x);
      free(x);
    }
    for (int i = 1; i < 6; i++) {
      x = RandomState(&solid, 0.05, (uint64_t)i);
      AbutElasticBeginStep(solid.elastic, 0.1 * i);
      AbutElasticAcceptStep(solid.elastic, x);
      assert_true(Sum(AbutElasticDissipation(solid.elastic)) > last);
      last = Sum(AbutElasticDissipation(solid.elastic));
      free(x);
    }
    (void)Step(&solid, 0.4, 0.3);
    x      = Sheared(&solid, 0.4, 0);
    energy = Sum(Energy(&solid, x));
    free(x);
    x      = Sheared(&solid, 0.4, 1.1);
    turned = Sum(Energy(&solid, x));
    free(x);
    AssertNear("energy of the turned bodies", 1, &turned, &energy, 0, 1e-11);
    SolidDestroy(&solid);
  }
}

/* A held strain relaxes; copies of the history have the same bits. */
static void TestHistory(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Solid      solid;
    PetscReal *x, *rows, before, after;

    Create(dim, (PetscInt[]){1, 2}, &solid);
    assert_true(AbutElasticHasHistory(solid.elastic) && !AbutElasticHasPlasticStrain(solid.elastic));
    assert_int_equal(AbutElasticHistoryWidth(solid.elastic), 7 * TERMS * (dim == 3 ? 8 : 3));
    rows = malloc(sizeof(*rows) * (size_t)(AbutElasticHistoryWidth(solid.elastic) * solid.local->num_cells + 1));
    x    = RandomState(&solid, 0.03, 5);
    AbutElasticBeginStep(solid.elastic, 1);
    AbutElasticAcceptStep(solid.elastic, x);
    before = Energy(&solid, x);
    AbutElasticGetHistory(solid.elastic, rows);
    AbutElasticBeginStep(solid.elastic, 2);
    AbutElasticAcceptStep(solid.elastic, x);
    after = Energy(&solid, x);
    assert_true(Sum(before) > Sum(after));
    AbutElasticSetHistory(solid.elastic, rows);
    assert_true(Energy(&solid, x) == before);
    free(x);
    free(rows);
    SolidDestroy(&solid);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestRelaxation), cmocka_unit_test(TestSteadyShear), cmocka_unit_test(TestLossModulus),
                                     cmocka_unit_test(TestRotation), cmocka_unit_test(TestHistory)};
  return AbutTestMain(argc, argv, tests);
}
