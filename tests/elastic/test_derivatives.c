/* Derivatives along a random direction p, on any number of ranks: dE/dp = p . g and dg/dp = H p by finite differences. */
#include "hessian.h"

static const PetscReal step = 1e-3, at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};

/* Fourth-order differences of energy and gradient at x along p. */
static void Differences(const Solid *solid, const PetscReal x[], const PetscReal p[], PetscReal *dE, PetscReal dg[])
{
  PetscReal *y = RandomField(solid, 0, 0);

  *dE = 0;
  for (int k = 0; k < 4; k++) {
    PetscReal *g;
    for (PetscInt i = 0; i < solid->local->num_local * solid->local->dim; i++) y[i] = x[i] + at[k] * step * p[i];
    g = Gradient(solid, y);
    for (PetscInt i = 0; i < solid->local->num_owned * solid->local->dim; i++) dg[i] += weight[k] / step * g[i];
    *dE += weight[k] / step * Sum(Energy(solid, y));
    free(g);
  }
  free(y);
}

typedef struct {
  const PetscReal *x;
  AbutProjection   projection;
} At;

/* Adds the Hessian twice with scale 1/2, to test the scale. */
static void AddHessian(const Solid *solid, AbutAssembler as, const void *ctx)
{
  const At *a = ctx;
  for (int half = 0; half < 2; half++) AbutElasticAddHessian(solid->elastic, a->x, 0.5, a->projection, as);
}

/* Tolerance 1e-8 of the largest entry: error of fourth-order differences with this step. Frees the solid. */
static void CheckSolid(Solid *solid)
{
  const PetscInt n = solid->local->num_owned * solid->local->dim;
  PetscReal     *x = RandomState(solid, 0.05, 4), *p = RandomField(solid, 0.02, 2), *g, *dg, *Hp, slope, clamped, dE;

  AbutElasticBeginStep(solid->elastic, 0.2);
  AbutElasticAcceptStep(solid->elastic, x); /* plastic and viscous strains; no other material has a history */
  AbutElasticBeginStep(solid->elastic, 0.1);
  free(x);
  x  = RandomState(solid, 0.02, 1);
  g  = Gradient(solid, x);
  dg = RandomField(solid, 0, 0);
  Hp = RandomField(solid, 0, 0);
  Differences(solid, x, p, &dE, dg);
  slope = Sum(AbutDot(n, p, g));
  AssertNear("slope of the energy", 1, &slope, &dE, 0, 1e-8);
  MultiplyAssembled(solid, AddHessian, &(At){x, ABUT_PSD_NONE}, p, Hp);
  AssertNear("Hessian times direction", n, Hp, dg, 1, 1e-8);
  MultiplyAssembled(solid, AddHessian, &(At){x, ABUT_PSD_CLAMP}, p, Hp);
  clamped = Sum(AbutDot(n, p, Hp));
  assert_true(clamped >= Sum(AbutDot(n, p, dg)) * (1 - 1e-8)); /* the projection adds semidefinite matrices */
  free(x);
  free(p);
  free(g);
  free(dg);
  free(Hp);
  SolidDestroy(solid);
}

static void CheckDerivatives(AbutMaterialKind first, AbutMaterialKind second, const PetscInt orders[2])
{
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Solid solid;

    SolidCreateMixed(PETSC_COMM_WORLD, dim, 2, first, second, orders, &solid);
    CheckSolid(&solid);
  }
}

/* Materials with two viscoelastic branches, with one, and with none. */
static void TestViscoelastic(void **state)
{
  AbutPronyTerm          prony[2]     = {{1e4, 0.3}, {5e3, 1}};
  const AbutMaterialSpec materials[2] = {
    {.name = "first", .young = 3e4, .poisson = 0.495, .density = 800, .num_prony = 2, .prony = prony},
    {.name = "second", .kind = ABUT_MATERIAL_MOONEY_RIVLIN, .young = 2e4, .poisson = 0.4, .density = 1100, .mooney = 0.2}};

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (PetscInt terms = 0; terms <= 1; terms++) {
      AbutMaterialSpec both[2] = {materials[0], materials[1]};
      Solid            solid;

      both[1].num_prony = terms;
      both[1].prony     = prony;
      SolidCreateOfOrder(PETSC_COMM_WORLD, dim, 2, both, (PetscInt[]){2, 1}, &solid);
      CheckSolid(&solid);
    }
}

static void TestDerivatives(void **state)
{
  const PetscInt linear[2] = {1, 1};

  (void)state;
  CheckDerivatives(ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_FIXED_COROTATED, linear);
  CheckDerivatives(ABUT_MATERIAL_LINEAR, ABUT_MATERIAL_STVK, linear);
  CheckDerivatives(ABUT_MATERIAL_MOONEY_RIVLIN, ABUT_MATERIAL_LINEAR, linear);
  CheckDerivatives(ABUT_MATERIAL_OGDEN, ABUT_MATERIAL_FIXED_COROTATED, linear);
  CheckDerivatives(ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_J2_PLASTICITY, linear);
}

/* The first body has mean dilatation; the second is linear once, which makes the stencils differ in size. */
static void TestQuadratic(void **state)
{
  (void)state;
  CheckDerivatives(ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_FIXED_COROTATED, (PetscInt[]){2, 2});
  CheckDerivatives(ABUT_MATERIAL_FIXED_COROTATED, ABUT_MATERIAL_MOONEY_RIVLIN, (PetscInt[]){2, 1});
  CheckDerivatives(ABUT_MATERIAL_STVK, ABUT_MATERIAL_LINEAR, (PetscInt[]){2, 2});
  CheckDerivatives(ABUT_MATERIAL_LINEAR, ABUT_MATERIAL_NEO_HOOKEAN, (PetscInt[]){2, 2});
  CheckDerivatives(ABUT_MATERIAL_MOONEY_RIVLIN, ABUT_MATERIAL_STVK, (PetscInt[]){2, 2});
  CheckDerivatives(ABUT_MATERIAL_OGDEN, ABUT_MATERIAL_STVK, (PetscInt[]){2, 2});
  CheckDerivatives(ABUT_MATERIAL_J2_PLASTICITY, ABUT_MATERIAL_J2_PLASTICITY, (PetscInt[]){2, 1});
  CheckDerivatives(ABUT_MATERIAL_LINEAR, ABUT_MATERIAL_J2_PLASTICITY, (PetscInt[]){1, 2});
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestDerivatives), cmocka_unit_test(TestQuadratic),
                                     cmocka_unit_test(TestViscoelastic)};
  return AbutTestMain(argc, argv, tests);
}
