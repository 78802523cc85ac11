/* Stress for output against closed forms, and refusal of material parameters out of range. */
#include "meshes.h"

static const PetscReal young = 3e4, nu = 0.3; /* of the first body */

/* Fails unless every cell of the first body has the given stress under x = A X + b. */
static void CheckStress(AbutMaterialKind kind, PetscInt dim, const PetscReal A[9], const PetscReal cauchy[6], PetscReal mises)
{
  Solid      solid;
  PetscReal *x, *sigma, *vonmises;

  SolidCreate(PETSC_COMM_WORLD, dim, 2, kind, kind, &solid);
  x        = RandomField(&solid, 0, 0);
  sigma    = malloc(sizeof(*sigma) * (size_t)(6 * solid.local->num_cells + 1));
  vonmises = malloc(sizeof(*vonmises) * (size_t)(solid.local->num_cells + 1));
  for (PetscInt v = 0; v < solid.local->num_local; v++)
    for (PetscInt k = 0; k < dim; k++) x[dim * v + k] = 3 + AbutDot(dim, A + 3 * k, solid.local->rest + dim * v);
  AbutTestCall(AbutElasticGetStress(solid.elastic, x, sigma, NULL));
  AbutTestCall(AbutElasticGetStress(solid.elastic, x, NULL, vonmises));
  for (PetscInt c = 0; c < solid.local->num_cells; c++) {
    if (solid.local->cell_body[c] != 0) continue;
    AssertNear("Cauchy stress", 6, sigma + 6 * c, cauchy, 0, 1e-12);
    AssertNear("von Mises stress", 1, vonmises + c, &mises, young, 1e-12);
  }
  free(x);
  free(sigma);
  free(vonmises);
  SolidDestroy(&solid);
}

/* diag(a, 1, 1) turned by 90 degrees about z: the stress along the turned axis, the same in plane strain and in 3D. */
static void TestUniaxial(void **state)
{
  const PetscReal m = young / (2 * (1 + nu)), l = young * nu / ((1 + nu) * (1 - 2 * nu)), a = 1.4;
  const PetscReal A[9] = {0, -1, 0, a, 0, 0, 0, 0, 1}, side = l * log(a) / a, along = m * (a - 1 / a) + side;

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    CheckStress(ABUT_MATERIAL_NEO_HOOKEAN, dim, A, (PetscReal[]){side, along, side, 0, 0, 0}, along - side);
    CheckStress(ABUT_MATERIAL_FIXED_COROTATED, dim, A, (PetscReal[]){l * (a - 1), (2 * m + l) * (a - 1), l * (a - 1), 0, 0, 0},
                2 * m * (a - 1));
  }
}

/* Simple shear g of a neo-Hookean solid: sigma = mu (F F^T - I). */
static void TestShear(void **state)
{
  const PetscReal m = young / (2 * (1 + nu)), g = 0.5,
                  A[3][9] = {{1, g, 0, 0, 1, 0, 0, 0, 1}, {1, 0, 0, 0, 1, g, 0, 0, 1}, {1, 0, 0, 0, 1, 0, g, 0, 1}};
  const PetscReal mises   = m * sqrt(g * g * g * g + 3 * g * g);

  (void)state;
  CheckStress(ABUT_MATERIAL_NEO_HOOKEAN, 2, A[0], (PetscReal[]){m * g * g, 0, 0, m * g, 0, 0}, mises);
  CheckStress(ABUT_MATERIAL_NEO_HOOKEAN, 3, A[0], (PetscReal[]){m * g * g, 0, 0, m * g, 0, 0}, mises);
  CheckStress(ABUT_MATERIAL_NEO_HOOKEAN, 3, A[1], (PetscReal[]){0, m * g * g, 0, 0, m * g, 0}, mises);
  CheckStress(ABUT_MATERIAL_NEO_HOOKEAN, 3, A[2], (PetscReal[]){0, 0, m * g * g, 0, 0, m * g}, mises);
}

static void TestRefusal(void **state)
{
  const AbutMaterialSpec good      = {.name = "rubber", .young = 1e5, .poisson = 0.4, .density = 1000};
  AbutMaterialSpec       bad[4][2] = {{good, good}, {good, good}, {good, good}, {good, good}};
  const char *const      text[4]   = {"young is -1 Pa", "poisson is 0.5", "poisson is -1", "density is 0 kg/m^3"};
  Solid                  solid;
  AbutElastic            elastic;

  (void)state;
  bad[0][1].young   = -1;
  bad[1][1].poisson = 0.5;
  bad[2][1].poisson = -1;
  bad[3][1].density = 0;
  SolidCreate(PETSC_COMM_WORLD, 2, 2, ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_NEO_HOOKEAN, &solid);
  for (PetscInt i = 0; i < 4; i++) {
    assert_int_equal(AbutElasticCreate(solid.mesh, 2, bad[i], &elastic), ABUT_ERR_INPUT);
    if (!strstr(AbutErrorMessage(), text[i]) || !strstr(AbutErrorMessage(), "rubber")) fail_msg("message: %s", AbutErrorMessage());
    AbutErrorClear();
    AbutTestCall(AbutElasticDestroy(&elastic));
  }
  assert_int_equal(AbutElasticCreate(solid.mesh, 1, &good, &elastic), ABUT_ERR_INPUT);
  assert_non_null(strstr(AbutErrorMessage(), "must be in [0, 1)"));
  AbutErrorClear();
  AbutTestCall(AbutElasticDestroy(&elastic));
  SolidDestroy(&solid);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestUniaxial), cmocka_unit_test(TestShear), cmocka_unit_test(TestRefusal)};
  return AbutTestMain(argc, argv, tests);
}
