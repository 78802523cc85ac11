/* Stress for output against closed forms. */
#include "meshes.h"

static const PetscReal young = 3e4, nu = 0.3; /* material of the first body */

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
  AbutElasticGetStress(solid.elastic, x, sigma, NULL);
  AbutElasticGetStress(solid.elastic, x, NULL, vonmises);
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
  const PetscReal A[9] = {0, -1, 0, a, 0, 0, 0, 0, 1}, side = l * log(a) / a, along = m * (a - 1 / a) + side, E = (a * a - 1) / 2;

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    CheckStress(ABUT_MATERIAL_NEO_HOOKEAN, dim, A, (PetscReal[]){side, along, side, 0, 0, 0}, along - side);
    CheckStress(ABUT_MATERIAL_FIXED_COROTATED, dim, A, (PetscReal[]){l * (a - 1), (2 * m + l) * (a - 1), l * (a - 1), 0, 0, 0},
                2 * m * (a - 1));
    CheckStress(ABUT_MATERIAL_STVK, dim, A, (PetscReal[]){l * E / a, (2 * m + l) * E * a, l * E / a, 0, 0, 0},
                (2 * m + l) * E * a - l * E / a);
  }
}

/* As above with I1 = a^2 + 2, I2 = 2 a^2 + 1, J = a; the stress in the third direction of plane strain equals the lateral stress in 3D. */
static void TestUniaxialMooneyRivlin(void **state)
{
  const PetscReal m = young / (2 * (1 + nu)), l = young * nu / ((1 + nu) * (1 - 2 * nu)), a = 1.4, share = 0.3, w = pow(a, -2. / 3);
  const PetscReal A[9] = {0, -1, 0, a, 0, 0, 0, 0, 1}, c = l * log(a) - m - m * share * w * (2 * a * a + 1) / 3;
  const PetscReal along = (m * (1 - share) * a * a + 2 * m * share * w * a * a + c) / a;
  const PetscReal side  = (m * (1 - share) + m * share * w * (a * a + 1) + c) / a;

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    CheckStress(ABUT_MATERIAL_MOONEY_RIVLIN, dim, A, (PetscReal[]){side, along, side, 0, 0, 0}, along - side);
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

/* Linear elasticity: the Cauchy stress equals P, without division by J. */
static void TestSmallStrain(void **state)
{
  const PetscReal m = young / (2 * (1 + nu)), l = young * nu / ((1 + nu) * (1 - 2 * nu)), e = 0.2, g = 0.3, b = 2 * m * e;
  const PetscReal A[9] = {1 + e, g, 0, 0, 1, 0, 0, 0, 1}, stress[6] = {(2 * m + l) * e, l * e, l * e, m * g, 0, 0};

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) CheckStress(ABUT_MATERIAL_LINEAR, dim, A, stress, sqrt(b * b + 3 * m * m * g * g));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestUniaxial), cmocka_unit_test(TestUniaxialMooneyRivlin),
                                     cmocka_unit_test(TestShear), cmocka_unit_test(TestSmallStrain)};
  return AbutTestMain(argc, argv, tests);
}
