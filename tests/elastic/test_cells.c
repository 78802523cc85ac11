/* The elastic object on generated meshes, on any number of ranks: patch test, momentum, mass, independence of ranks, restriction. */
#include "meshes.h"

static PetscReal Max(PetscReal value)
{
  PetscReal max;
  assert_int_equal(MPI_Allreduce(&value, &max, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD), 0);
  return max;
}

/* 2D and 3D; orders of box and ball. */
enum { NUM_FORMS = 6 };
static const PetscInt orders[NUM_FORMS / 2][2] = {{1, 1}, {2, 2}, {2, 1}};

static const AbutMaterialKind neo = ABUT_MATERIAL_NEO_HOOKEAN, corotated = ABUT_MATERIAL_FIXED_COROTATED;

/* Patch test: under an affine motion interior vertices have no force, in straight and curved cells. */
static void TestPatch(void **state)
{
  const PetscReal A[9] = {1.2, 0.3, -0.1, -0.2, 0.9, 0.2, 0.1, -0.3, 1.1};

  (void)state;
  for (int form = 0; form < NUM_FORMS; form++) {
    const PetscInt dim = 2 + form % 2;
    Solid          solid;
    PetscReal      largest, *x, *g;

    SolidCreateMixed(PETSC_COMM_WORLD, dim, 4, neo, corotated, orders[form / 2], &solid);
    x = RandomState(&solid, 0, 0);
    for (PetscInt v = 0; v < solid.local->num_local; v++)
      for (PetscInt k = 0; k < dim; k++) x[dim * v + k] = 0.5 + AbutDot(dim, A + 3 * k, solid.local->rest + dim * v);
    g       = Gradient(&solid, x);
    largest = Max(MaxAbs(solid.local->num_owned * dim, g));
    for (PetscInt i = 0; i < solid.local->num_points; i++)
      for (PetscInt k = 0; k < dim; k++) g[dim * solid.local->points[i] + k] = 0;
    assert_true(largest > 100); /* forces at the surface are not 0 */
    if (Max(MaxAbs(solid.local->num_owned * dim, g)) > 1e-12 * largest)
      fail_msg("interior forces of %g beside %g", MaxAbs(solid.local->num_owned * dim, g), largest);
    free(x);
    free(g);
    SolidDestroy(&solid);
  }
}

/* The sum of the internal forces and the sum of their moments are 0. */
static void TestMomentum(void **state)
{
  (void)state;
  for (int form = 0; form < NUM_FORMS; form++) {
    const PetscInt dim = 2 + form % 2;
    Solid          solid;
    PetscReal      force[3] = {0}, torque[3] = {0}, scale = 0, *x, *g;

    SolidCreateMixed(PETSC_COMM_WORLD, dim, 3, corotated, neo, orders[form / 2], &solid);
    x = RandomState(&solid, 0.02, 5);
    g = Gradient(&solid, x);
    for (PetscInt v = 0; v < solid.local->num_owned; v++) {
      PetscReal p[3] = {0}, f[3] = {0}, m[3];
      for (PetscInt k = 0; k < dim; k++) {
        p[k] = x[dim * v + k];
        f[k] = g[dim * v + k];
        scale += PetscAbsReal(f[k]);
      }
      AbutCross(p, f, m);
      for (PetscInt k = 0; k < 3; k++) {
        force[k] += f[k];
        torque[k] += m[k];
      }
    }
    scale = Sum(scale);
    assert_true(scale > 1000);
    for (PetscInt k = 0; k < 3; k++) {
      assert_true(PetscAbsReal(Sum(force[k])) < 1e-13 * scale);
      assert_true(PetscAbsReal(Sum(torque[k])) < 1e-13 * scale * 6); /* lever arms are at most 6 m */
    }
    free(x);
    free(g);
    SolidDestroy(&solid);
  }
}

/* Positions of a quadratic displacement: u_0 = X_0^2 + X_0 X_1, u_1 = X_1^2 / 2. */
static void QuadraticField(PetscInt dim, const PetscReal X[], PetscReal x[])
{
  for (PetscInt k = 0; k < dim; k++) x[k] = X[k];
  x[0] += X[0] * X[0] + X[0] * X[1];
  x[1] += X[1] * X[1] / 2;
}

/* Moves the vertices on the edges of the box so that its nodes have the quadratic field. */
static void BendEdges(const Solid *solid, PetscReal x[])
{
  const AbutMeshLocal *m   = solid->local;
  const PetscInt       dim = m->dim;
  PetscReal *sum = RandomField(solid, 0, 0), *count = RandomField(solid, 0, 0); /* the owner of a vertex may have none of its cells */

  for (PetscInt c = 0; c < m->num_cells; c++)
    for (PetscInt e = 0; e < AbutNumCellEdges(dim) && !m->cell_body[c]; e++) {
      const PetscInt a = AbutCellNode(m, c, AbutCellEdgeCorner(e, 0)), b = AbutCellNode(m, c, AbutCellEdgeCorner(e, 1)),
                     v = AbutCellNode(m, c, dim + 1 + e);
      PetscReal X[3], node[3];

      for (PetscInt k = 0; k < dim; k++) X[k] = (m->rest[dim * a + k] + m->rest[dim * b + k]) / 2;
      QuadraticField(dim, X, node);
      for (PetscInt k = 0; k < dim; k++) sum[dim * v + k] += AbutEdgeVertex(x[dim * a + k], x[dim * b + k], node[k]);
      count[v] += 1;
    }
  AbutTestCall(AbutMeshReduceAdd(solid->mesh, dim, sum));
  AbutTestCall(AbutMeshReduceAdd(solid->mesh, 1, count));
  for (PetscInt i = 0; i < m->num_owned * dim; i++)
    if (count[i / dim] > 0) x[i] = sum[i] / count[i / dim];
  free(sum);
  free(count);
}

/*
  Linear elastic boxes with a quadratic displacement, in equilibrium with a constant body force: the forces at inner vertices are exactly
  the integrals of the shape functions times the body force, the shares of the mass.
*/
static void TestQuadraticPatch(void **state)
{
  const AbutMaterialSpec materials[2] = {{.name = "linear", .kind = ABUT_MATERIAL_LINEAR, .young = 1, .poisson = 0.25, .density = 1},
                                         {.name = "unused", .kind = ABUT_MATERIAL_LINEAR, .young = 1, .poisson = 0.25, .density = 1}};
  const PetscReal        lame         = 0.4; /* mu and lambda */

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Solid      solid;
    PetscReal *x, *g, *mass, worst = 0, f[3] = {0};

    SolidCreateOfOrder(PETSC_COMM_WORLD, dim, 3, materials, (PetscInt[]){2, 2}, &solid);
    x    = RandomField(&solid, 0, 0);
    mass = RandomField(&solid, 0, 0);
    for (PetscInt v = 0; v < solid.local->num_local; v++) QuadraticField(dim, solid.local->rest + dim * v, x + dim * v);
    BendEdges(&solid, x);
    AbutTestCall(AbutMeshUpdateGhosts(solid.mesh, dim, x));
    g = Gradient(&solid, x);
    AbutTestCall(AbutElasticGetMass(solid.elastic, mass, NULL));
    /* f = -div(2 mu e + lambda tr e I) reversed: (lambda + mu) grad div u + mu laplace u, div u = 2 X_0 + 2 X_1 */
    f[0] = 2 * lame * 2 + lame * 2;
    f[1] = 2 * lame * 2 + lame * 1;
    for (PetscInt i = 0; i < solid.local->num_points; i++)
      for (PetscInt k = 0; k < dim; k++) g[dim * solid.local->points[i] + k] = -mass[solid.local->points[i]] * f[k];
    for (PetscInt v = 0; v < solid.local->num_owned; v++)
      for (PetscInt k = 0; k < dim && !solid.local->vertex_body[v]; k++)
        worst = PetscMax(worst, PetscAbsReal(g[dim * v + k] + mass[v] * f[k]) / mass[v]);
    if (Max(worst) > 1e-11) fail_msg("%dD: a force differs by %g N/kg", (int)dim, worst);
    free(x);
    free(g);
    free(mass);
    SolidDestroy(&solid);
  }
}

/* The total mass is volume times density of each body; obstacles have no mass. */
static void TestMass(void **state)
{
  (void)state;
  for (int form = 0; form < NUM_FORMS; form++) {
    const PetscInt  dim = 2 + form % 2;
    const PetscReal box = dim == 3 ? 1.2 * 1.4 * 1.3 * 1.6 : 1.2 * 1.3;
    Solid           solid;
    PetscReal      *mass, sum = 0;

    SolidCreateMixed(PETSC_COMM_WORLD, dim, 3, neo, corotated, orders[form / 2], &solid);
    mass = RandomField(&solid, 0, 0);
    AbutTestCall(AbutElasticGetMass(solid.elastic, mass, NULL));
    for (PetscInt v = 0; v < solid.local->num_owned; v++) {
      assert_true(mass[v] > 0);
      if (solid.local->vertex_body[v] == 0) sum += mass[v];
    }
    sum = Sum(sum);
    AbutTestClose("mass of the box", 1, &sum, &(PetscReal){800 * box}, 1e-13);
    free(mass);
    SolidDestroy(&solid);
  }
}

/* Energy and gradient of the distributed mesh equal the values of a serial mesh on each rank, up to the order of sums. */
static void TestRanks(void **state)
{
  (void)state;
  for (int form = 0; form < NUM_FORMS; form++) {
    const PetscInt dim = 2 + form % 2;
    Solid          shared, whole;
    PetscReal     *x, *g, *X, *G, energy, expected, scale;
    PetscInt      *at;

    SolidCreateMixed(PETSC_COMM_WORLD, dim, 3, neo, corotated, orders[form / 2], &shared);
    SolidCreateMixed(PETSC_COMM_SELF, dim, 3, neo, corotated, orders[form / 2], &whole);
    x        = RandomState(&shared, 0.02, 3);
    X        = RandomState(&whole, 0.02, 3);
    energy   = Sum(Energy(&shared, x));
    expected = Energy(&whole, X);
    assert_true(expected < 1e6);
    AssertNear("energy", 1, &energy, &expected, 0, 1e-12);
    g     = Gradient(&shared, x);
    G     = Gradient(&whole, X);
    scale = MaxAbs(whole.local->num_owned * dim, G);
    at    = malloc(sizeof(*at) * (size_t)whole.local->num_owned);
    for (PetscInt v = 0; v < whole.local->num_owned; v++) at[whole.local->vertex_id[v]] = v;
    for (PetscInt v = 0; v < shared.local->num_owned; v++)
      AssertNear("gradient", dim, g + dim * v, G + dim * at[shared.local->vertex_id[v]], scale, 1e-12);
    free(at);
    free(x);
    free(g);
    free(X);
    free(G);
    SolidDestroy(&shared);
    SolidDestroy(&whole);
  }
}

/* One vertex in 11 moves. */
static PetscBool *Moving(const Solid *solid)
{
  PetscBool *moving = malloc(sizeof(*moving) * (size_t)(solid->local->num_local + 1));

  for (PetscInt v = 0; v < solid->local->num_local; v++) moving[v] = (PetscBool)(solid->local->vertex_id[v] % 11 == 0);
  return moving;
}

/* While one vertex in 11 moves, restricted energies, gradients and step bounds change as the full ones do, and contain fewer cells. */
static void TestRestriction(void **state)
{
  (void)state;
  for (int form = 0; form < NUM_FORMS; form++) {
    const PetscInt dim = 2 + form % 2;
    Solid          solid;
    PetscReal     *x, *y, *p, *g[2], energy[2][2], step[2] = {1, 1};
    PetscBool     *moving;
    PetscInt       cell;

    SolidCreateMixed(PETSC_COMM_WORLD, dim, 4, neo, corotated, orders[form / 2], &solid);
    moving = Moving(&solid);
    x      = RandomState(&solid, 0.02, 3);
    y      = RandomState(&solid, 0.02, 3);
    p      = RandomField(&solid, 2, 8);
    for (PetscInt i = 0; i < solid.local->num_local * dim; i++) {
      if (!moving[i / dim]) p[i] = 0;
      y[i] += 0.01 * p[i];
    }
    for (int k = 0; k < 2; k++) {
      AbutElasticRestrict(solid.elastic, k ? moving : NULL);
      energy[k][0] = Sum(Energy(&solid, x));
      energy[k][1] = Sum(Energy(&solid, y));
      g[k]         = Gradient(&solid, y);
      AbutElasticMaxStep(solid.elastic, x, p, 0.8, &step[k], &cell);
    }
    assert_true(energy[1][0] < 0.9 * energy[0][0]);
    assert_true(PetscAbsReal(energy[0][1] - energy[0][0]) > 1e-3 * energy[0][0]);
    assert_true(PetscAbsReal((energy[1][1] - energy[1][0]) - (energy[0][1] - energy[0][0])) < 1e-12 * energy[0][0]);
    for (PetscInt v = 0; v < solid.local->num_owned; v++)
      if (moving[v]) AbutTestClose("gradient", dim, g[1] + dim * v, g[0] + dim * v, 1e-12);
    assert_true(step[0] == step[1]);
    assert_true(-Max(-step[0]) < 1);
    AbutElasticRestrict(solid.elastic, NULL);
    assert_true(Sum(Energy(&solid, x)) == energy[0][0]);
    for (int k = 0; k < 2; k++) free(g[k]);
    free(p);
    free(x);
    free(y);
    free(moving);
    SolidDestroy(&solid);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestPatch), cmocka_unit_test(TestQuadraticPatch), cmocka_unit_test(TestMomentum),
                                     cmocka_unit_test(TestMass),  cmocka_unit_test(TestRanks),          cmocka_unit_test(TestRestriction)};
  return AbutTestMain(argc, argv, tests);
}
