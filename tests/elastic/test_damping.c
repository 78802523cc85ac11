/* Lagged Rayleigh damping on any number of ranks: derivatives, sign, rigid motions, comparison with the elastic Hessian. */
#include "hessian.h"

static const PetscReal mass_rate = 3, stiffness_time = 0.02;

/* Creates a damped box and a ball, which is damped only if `both`. */
static void DampedCreate(PetscInt dim, AbutMaterialKind first, AbutMaterialKind second, PetscBool both, Solid *solid)
{
  const AbutMaterialSpec materials[2] = {
    {"first", first, 3e4, 0.3, 800, .mooney = 0.5, .damping_mass = mass_rate, .damping_stiffness = stiffness_time},
    {"second", second, 2e4, 0.4, 1100, .mooney = 0.1, .damping_stiffness = both ? stiffness_time / 2 : 0}};

  SolidCreateOf(PETSC_COMM_WORLD, dim, 2, materials, solid);
}

static PetscReal *DampingGradient(const Solid *solid, const PetscReal x[])
{
  PetscReal *g = RandomField(solid, 0, 0);

  for (int half = 0; half < 2; half++) AbutElasticAddDampingGradient(solid->elastic, x, 0.5, g);
  AbutTestCall(AbutMeshReduceAdd(solid->mesh, solid->local->dim, g));
  return g;
}

static PetscReal DampingEnergy(const Solid *solid, const PetscReal x[])
{
  PetscReal energy;
  energy = AbutElasticDampingEnergy(solid->elastic, x);
  return Sum(energy);
}

static void AddDampingHessian(const Solid *solid, AbutAssembler as, const void *ctx)
{
  (void)ctx;
  for (int half = 0; half < 2; half++) AbutElasticAddDampingHessian(solid->elastic, 0.5, as);
}

static void AddClampedHessian(const Solid *solid, AbutAssembler as, const void *ctx)
{
  AbutElasticAddHessian(solid->elastic, ctx, stiffness_time, ABUT_PSD_CLAMP, as);
}

/* The energy is quadratic: differences over the whole of p are exact to round-off. */
static void CheckDerivatives(PetscInt dim, AbutMaterialKind first, AbutMaterialKind second)
{
  Solid      solid;
  PetscReal *x0, *x, *y, *p, *g, *gy, *Hp, energy, slope, difference;
  PetscInt   n, all;

  DampedCreate(dim, first, second, PETSC_TRUE, &solid);
  assert_true(AbutElasticHasDamping(solid.elastic));
  n   = solid.local->num_owned * dim;
  all = solid.local->num_local * dim;
  x0  = RandomState(&solid, 0.04, 1);
  x   = RandomState(&solid, 0.05, 2);
  y   = RandomState(&solid, 0, 0);
  p   = RandomField(&solid, 0.3, 3);
  Hp  = RandomField(&solid, 0, 0);
  for (PetscInt i = 0; i < all; i++) y[i] = x[i] + p[i];
  AbutElasticSetDampingStart(solid.elastic, x0);
  assert_true(DampingEnergy(&solid, x0) == 0);
  energy = DampingEnergy(&solid, x);
  assert_true(energy > 0);
  g  = DampingGradient(&solid, x);
  gy = DampingGradient(&solid, y);
  for (PetscInt i = 0; i < n; i++) gy[i] -= g[i];
  MultiplyAssembled(&solid, AddDampingHessian, NULL, p, Hp);
  AssertNear("Hessian times direction", n, Hp, gy, MaxAbs(n, g), 1e-12);
  assert_true(Sum(AbutDot(n, p, Hp)) > 0);
  slope      = Sum(AbutDot(n, p, g) + AbutDot(n, p, gy) / 2);
  difference = DampingEnergy(&solid, y) - energy;
  AssertNear("energy along the direction", 1, &difference, &slope, energy, 1e-12);
  free(x0);
  free(x);
  free(y);
  free(p);
  free(g);
  free(gy);
  free(Hp);
  SolidDestroy(&solid);
}

static void TestDerivatives(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    CheckDerivatives(dim, ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_LINEAR);
    CheckDerivatives(dim, ABUT_MATERIAL_MOONEY_RIVLIN, ABUT_MATERIAL_STVK);
  }
}

/* The damping Hessian is damping_stiffness times the clamped elastic Hessian at the start, independent of x; a new start replaces it. */
static void TestLagged(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Solid      solid;
    PetscReal *x0, *p, *damping, *elastic;
    PetscInt   box;

    DampedCreate(dim, ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_FIXED_COROTATED, PETSC_FALSE, &solid);
    p       = RandomField(&solid, 0.3, 3);
    damping = RandomField(&solid, 0, 0);
    elastic = RandomField(&solid, 0, 0);
    for (uint64_t k = 0; k < 2; k++) {
      x0 = RandomState(&solid, 0.05, k);
      AbutElasticSetDampingStart(solid.elastic, x0);
      MultiplyAssembled(&solid, AddDampingHessian, NULL, p, damping);
      MultiplyAssembled(&solid, AddClampedHessian, x0, p, elastic);
      for (PetscInt v = box = 0; v < solid.local->num_owned; v++) {
        if (solid.local->vertex_body[v] == 0) box++;
        for (PetscInt i = 0; i < dim && solid.local->vertex_body[v] > 0; i++) elastic[dim * v + i] = 0; /* the ball is not damped */
      }
      assert_true(Sum((PetscReal)box) > 8);
      AssertNear("Hessian times direction", solid.local->num_owned * dim, damping, elastic, 1, 1e-12);
      free(x0);
    }
    free(p);
    free(damping);
    free(elastic);
    SolidDestroy(&solid);
  }
}

/* A translation has no damping energy. After 1e3 m the positions are rounded to 1e-13 m. */
static void TestTranslation(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Solid      solid;
    PetscReal *x0, *x, *g;

    DampedCreate(dim, ABUT_MATERIAL_STVK, ABUT_MATERIAL_MOONEY_RIVLIN, PETSC_TRUE, &solid);
    x0 = RandomState(&solid, 0.03, 1);
    x  = RandomState(&solid, 0.03, 1);
    for (PetscInt i = 0; i < solid.local->num_local * dim; i++) x[i] += 1000 + i % dim;
    AbutElasticSetDampingStart(solid.elastic, x0);
    g = DampingGradient(&solid, x);
    assert_true(MaxAbs(solid.local->num_owned * dim, g) < 3e4 * stiffness_time * 1e-11);
    assert_true(DampingEnergy(&solid, x) < 1e-15);
    free(x0);
    free(x);
    free(g);
    SolidDestroy(&solid);
  }
}

/* Mass damping is damping_mass times the mass of each body. Without stiffness damping no start is needed. */
static void TestMassDamping(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Solid      solid, undamped;
    PetscReal *mass, *damping, *x, energy = -1;

    DampedCreate(dim, ABUT_MATERIAL_STVK, ABUT_MATERIAL_LINEAR, PETSC_TRUE, &solid);
    mass    = RandomField(&solid, 0, 0);
    damping = RandomField(&solid, 0, 0);
    AbutTestCall(AbutElasticGetMass(solid.elastic, mass, damping));
    for (PetscInt v = 0; v < solid.local->num_owned; v++) {
      const PetscReal expected = solid.local->vertex_body[v] == 0 ? mass_rate * mass[v] : 0;
      AssertNear("mass damping", 1, damping + v, &expected, 0, 1e-14);
    }
    SolidCreate(PETSC_COMM_WORLD, dim, 2, ABUT_MATERIAL_STVK, ABUT_MATERIAL_LINEAR, &undamped);
    assert_false(AbutElasticHasDamping(undamped.elastic));
    x      = RandomState(&undamped, 0.1, 1);
    energy = AbutElasticDampingEnergy(undamped.elastic, x);
    assert_true(energy == 0);
    free(mass);
    free(damping);
    free(x);
    SolidDestroy(&solid);
    SolidDestroy(&undamped);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestDerivatives), cmocka_unit_test(TestLagged), cmocka_unit_test(TestTranslation),
                                     cmocka_unit_test(TestMassDamping)};
  return AbutTestMain(argc, argv, tests);
}
