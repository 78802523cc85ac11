/* Rayleigh damping on any number of ranks: derivatives, sign, rigid motions, comparison with the elastic Hessian. */
#include "hessian.h"

static const PetscReal mass_rate = 3, stiffness_time = 0.02;

/* Orders of box and ball. */
enum { NUM_ORDERS = 3 };
static const PetscInt orders[NUM_ORDERS][2] = {{1, 1}, {2, 2}, {2, 1}};

/* Creates a damped box, with mean dilatation if its cells are quadratic, and a ball, which is damped only if `both`. */
static void DampedCreateOf(PetscInt dim, const PetscInt order[2], AbutMaterialKind first, AbutMaterialKind second, PetscBool both,
                           Solid *solid)
{
  const AbutMaterialSpec materials[2] = {
    {"first", first, 3e4, 0.3, 800, .mooney = 0.5, .damping_mass = mass_rate, .damping_stiffness = stiffness_time,
     .incompressible = ABUT_INCOMPRESSIBLE_MEAN_DILATATION},
    {"second", second, 2e4, 0.4, 1100, .mooney = 0.1, .damping_stiffness = both ? stiffness_time / 2 : 0}};

  SolidCreateOfOrder(PETSC_COMM_WORLD, dim, 2, materials, order, solid);
}

static void DampedCreate(PetscInt dim, AbutMaterialKind first, AbutMaterialKind second, PetscBool both, Solid *solid)
{
  DampedCreateOf(dim, orders[0], first, second, both, solid);
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

typedef struct {
  const PetscReal *x;
  AbutProjection   projection;
} At;

static void AddDampingHessian(const Solid *solid, AbutAssembler as, const void *ctx)
{
  const At *at = ctx;
  for (int half = 0; half < 2; half++) AbutElasticAddDampingHessian(solid->elastic, at->x, 0.5, at->projection, as);
}

static void AddHessian(const Solid *solid, AbutAssembler as, const void *ctx)
{
  const At *at = ctx;
  AbutElasticAddHessian(solid->elastic, at->x, stiffness_time, at->projection, as);
}

/* Simpson's rule along x + t p is exact for the slope of a polynomial of degree 4 in t, and for the derivative of its gradient. */
static void CheckDerivatives(PetscInt dim, const PetscInt order[2], AbutMaterialKind first, AbutMaterialKind second)
{
  Solid      solid;
  PetscReal *x0, *origin, *x[3], *p, *g[3], *Hp, sum = 0, difference;
  PetscInt   n, all;
  At         at = {.projection = ABUT_PSD_NONE};

  DampedCreateOf(dim, order, first, second, PETSC_TRUE, &solid);
  assert_true(AbutElasticHasDamping(solid.elastic));
  n      = solid.local->num_owned * dim;
  all    = solid.local->num_local * dim;
  x0     = RandomState(&solid, 0.04, 1);
  origin = RandomState(&solid, 0.04, 4);
  p      = RandomField(&solid, 0.3, 3);
  Hp     = RandomField(&solid, 0, 0);
  AbutElasticSetDampingStart(solid.elastic, x0, x0, 0);
  assert_true(DampingEnergy(&solid, x0) == 0);
  AbutElasticSetDampingStart(solid.elastic, x0, origin, 2);
  for (int k = 0; k < 3; k++) {
    x[k] = RandomState(&solid, 0.05, 2);
    for (PetscInt i = 0; i < all; i++) x[k][i] += k / 2. * p[i];
    g[k] = DampingGradient(&solid, x[k]);
    sum += (k == 1 ? 4 : 1) / 6. * Sum(AbutDot(n, p, g[k]));
  }
  difference = DampingEnergy(&solid, x[2]) - DampingEnergy(&solid, x[0]);
  AssertNear("energy along the direction", 1, &difference, &sum, DampingEnergy(&solid, x[0]), 1e-11);
  for (int k = 0; k < 3; k++) { /* int of H p along the line */
    at.x = x[k];
    MultiplyAssembled(&solid, AddDampingHessian, &at, p, Hp);
    for (PetscInt i = 0; i < n; i++) g[0][i] += (k == 1 ? 4 : 1) / 6. * Hp[i];
  }
  AssertNear("Hessian times direction", n, g[0], g[2], MaxAbs(n, g[2]), 1e-11);
  at.projection = ABUT_PSD_CLAMP;
  MultiplyAssembled(&solid, AddDampingHessian, &at, p, Hp);
  assert_true(Sum(AbutDot(n, p, Hp)) > 0);
  for (int k = 0; k < 3; k++) {
    free(x[k]);
    free(g[k]);
  }
  free(x0);
  free(origin);
  free(p);
  free(Hp);
  SolidDestroy(&solid);
}

static void TestDerivatives(void **state)
{
  (void)state;
  for (int k = 0; k < 2 * NUM_ORDERS; k++) {
    CheckDerivatives(2 + k % 2, orders[k / 2], ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_LINEAR);
    CheckDerivatives(2 + k % 2, orders[k / 2], ABUT_MATERIAL_MOONEY_RIVLIN, ABUT_MATERIAL_STVK);
  }
}

/* At rest the damping Hessian is damping_stiffness times the elastic Hessian. */
static void TestSmallStrain(void **state)
{
  (void)state;
  for (int form = 0; form < 2 * NUM_ORDERS; form++) {
    const PetscInt dim = 2 + form % 2;
    Solid          solid;
    PetscReal     *rest, *p, *damping, *elastic;
    PetscInt       box = 0;
    At             at  = {.projection = ABUT_PSD_CLAMP};

    DampedCreateOf(dim, orders[form / 2], ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_FIXED_COROTATED, PETSC_FALSE, &solid);
    rest    = RandomState(&solid, 0, 0);
    p       = RandomField(&solid, 0.3, 3);
    damping = RandomField(&solid, 0, 0);
    elastic = RandomField(&solid, 0, 0);
    at.x    = rest;
    AbutElasticSetDampingStart(solid.elastic, rest, rest, 0);
    MultiplyAssembled(&solid, AddDampingHessian, &at, p, damping);
    MultiplyAssembled(&solid, AddHessian, &at, p, elastic);
    for (PetscInt v = 0; v < solid.local->num_owned; v++) {
      if (solid.local->vertex_body[v] == 0) box++;
      for (PetscInt i = 0; i < dim && solid.local->vertex_body[v] > 0; i++) elastic[dim * v + i] = 0; /* the ball is not damped */
    }
    assert_true(Sum((PetscReal)box) > 8);
    AssertNear("Hessian times direction", solid.local->num_owned * dim, damping, elastic, 1, 1e-11);
    free(rest);
    free(p);
    free(damping);
    free(elastic);
    SolidDestroy(&solid);
  }
}

/* y = R x for a turn about the axis z. */
static void Turn(const Solid *solid, PetscReal angle, const PetscReal x[], PetscReal y[])
{
  const PetscInt  dim = solid->local->dim;
  const PetscReal c = PetscCosReal(angle), s = PetscSinReal(angle);

  for (PetscInt v = 0; v < solid->local->num_local; v++) {
    const PetscReal *a = x + dim * v;
    y[dim * v]         = c * a[0] - s * a[1];
    y[dim * v + 1]     = s * a[0] + c * a[1];
    if (dim == 3) y[dim * v + 2] = a[2];
  }
}

/* A deformed body that turns by 1 radian a step, also in the step before, is not damped. Nor is one that turns with a velocity. */
static void TestRotation(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Solid      solid;
    PetscReal *before, *x0, *x, *origin, *g;

    DampedCreate(dim, ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_LINEAR, PETSC_TRUE, &solid);
    before = RandomState(&solid, 0.03, 1);
    x0     = RandomState(&solid, 0, 0);
    x      = RandomState(&solid, 0, 0);
    origin = RandomState(&solid, 0, 0);
    Turn(&solid, 1, before, x0);
    Turn(&solid, 2, before, x);
    for (PetscInt i = 0; i < solid.local->num_local * dim; i++) origin[i] = x0[i] + (x0[i] - before[i]) / 3;
    AbutElasticSetDampingStart(solid.elastic, x0, origin, 3);
    assert_true(DampingEnergy(&solid, x) < 1e-20);
    for (PetscInt v = 0; v < solid.local->num_local; v++) {
      origin[dim * v]     = x0[dim * v] - 0.1 * x0[dim * v + 1];
      origin[dim * v + 1] = x0[dim * v + 1] + 0.1 * x0[dim * v];
    }
    AbutElasticSetDampingStart(solid.elastic, x0, origin, 0);
    assert_true(DampingEnergy(&solid, x) < 1e-20);
    g = DampingGradient(&solid, x);
    assert_true(MaxAbs(solid.local->num_owned * dim, g) < 3e4 * stiffness_time * 1e-12);
    free(before);
    free(x0);
    free(x);
    free(origin);
    free(g);
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
    AbutElasticSetDampingStart(solid.elastic, x0, x0, 0);
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestDerivatives), cmocka_unit_test(TestSmallStrain), cmocka_unit_test(TestRotation),
                                     cmocka_unit_test(TestTranslation), cmocka_unit_test(TestMassDamping)};
  return AbutTestMain(argc, argv, tests);
}
