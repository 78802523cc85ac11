/*
  Manufactured solution: with body forces computed from u(X) = a sin(..), the neo-Hookean equilibrium found by Newton approaches u at second
  order in L2 and first order in H1 under refinement with linear cells, at third and second order with quadratic ones. With mean dilatation
  quadratic cells have the orders of linear ones: their volume ratio is constant in a cell.
*/
#include "equilibrium.h"

#define AMPLITUDE 0.05
static const AbutMaterialSpec material = {"m", ABUT_MATERIAL_NEO_HOOKEAN, 1e4, 0.3, 1000};

/* u_i = a sin(pi X_0) sin(pi X_1) [sin(pi X_2)] (1 + i/2): zero on the boundary of the unit box. Gradient G_ij = du_i / dX_j. */
static void Exact(PetscInt dim, const PetscReal X[], PetscReal u[], PetscReal G[])
{
  for (PetscInt i = 0; i < dim; i++) {
    u[i] = AMPLITUDE * (1 + i / 2.);
    for (PetscInt k = 0; k < dim; k++) u[i] *= PetscSinReal(PETSC_PI * X[k]);
    for (PetscInt j = 0; j < dim; j++) {
      PetscReal d = AMPLITUDE * (1 + i / 2.) * PETSC_PI * PetscCosReal(PETSC_PI * X[j]);
      for (PetscInt k = 0; k < dim; k++)
        if (k != j) d *= PetscSinReal(PETSC_PI * X[k]);
      G[i * dim + j] = d;
    }
  }
}

static void StressAt(PetscInt dim, const PetscReal X[], PetscReal P[])
{
  AbutMaterialConstants constants;
  PetscReal             u[3], F[9];

  AbutMaterialGetConstants(&material, &constants);
  Exact(dim, X, u, F);
  for (PetscInt i = 0; i < dim; i++) F[i * dim + i] += 1;
  AbutMaterialStress(AbutMaterialGetOps(material.kind), dim, &constants, F, P);
}

/* Body force per volume in equilibrium with the exact solution: -div P, by 4th-order differences of the exact stress. */
static void BodyForce(PetscInt dim, const PetscReal X[], PetscReal f[])
{
  static const PetscReal at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  const PetscReal        h = 1e-3;
  PetscReal              Y[3], P[9];

  memset(f, 0, sizeof(*f) * (size_t)dim);
  for (PetscInt j = 0; j < dim; j++)
    for (int k = 0; k < 4; k++) {
      memcpy(Y, X, sizeof(*Y) * (size_t)dim);
      Y[j] += at[k] * h;
      StressAt(dim, Y, P);
      for (PetscInt i = 0; i < dim; i++) f[i] -= weight[k] * P[i * dim + j] / h;
    }
}

static void CreateBox(PetscInt dim, PetscInt order, PetscInt cells, AbutMesh *mesh)
{
  AbutBodySpec box;

  memset(&box, 0, sizeof(box));
  strcpy(box.name, "box");
  strcpy(box.place, "test");
  box.shape.kind  = ABUT_SHAPE_BOX;
  box.shape.order = order;
  for (int i = 0; i < 3; i++) {
    box.shape.size[i] = box.shape.scale[i] = 1;
    box.shape.cells[i]                     = cells;
    box.shape.copies[i]                    = 1;
    box.shape.translate[i]                 = 0.5;
  }
  AbutTestCall(AbutMeshCreate(PETSC_COMM_WORLD, dim, 1, &box, mesh));
}

static void AddLoad(const AbutMeshLocal *local, PetscReal g[])
{
  const PetscInt dim = local->dim;

  for (PetscInt c = 0; c < local->num_cells; c++)
    for (PetscInt q = 0; q < RuleSize(dim); q++) {
      PetscReal       l[4], X[3], D[9], B[9], f[3];
      const PetscReal weight = RulePoint(dim, q, l);

      Interpolate(local, c, l, local->rest, X, D);
      BodyForce(dim, X, f);
      AddForce(local, c, l, f, weight * Invert(dim, D, B) / (dim == 3 ? 6 : 2), g);
    }
}

static PetscBool OnBoundary(PetscInt dim, const PetscReal X[])
{
  for (PetscInt i = 0; i < dim; i++)
    if (X[i] < 1e-9 || X[i] > 1 - 1e-9) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* L2 norm of u_h - u and of its gradient, over all ranks. */
static void Errors(const AbutMeshLocal *local, const PetscReal x[], PetscReal errors[2])
{
  const PetscInt dim = local->dim;

  errors[0] = errors[1] = 0;
  for (PetscInt c = 0; c < local->num_cells; c++)
    for (PetscInt q = 0; q < RuleSize(dim); q++) {
      PetscReal       l[4], X[3], Y[3], D[9], B[9], E[9], u[3], G[9];
      const PetscReal weight = RulePoint(dim, q, l);
      PetscReal       volume;

      Interpolate(local, c, l, local->rest, X, D);
      Interpolate(local, c, l, x, Y, E);
      volume = weight * Invert(dim, D, B) / (dim == 3 ? 6 : 2);
      Exact(dim, X, u, G);
      for (PetscInt i = 0; i < dim; i++) {
        errors[0] += volume * PetscSqr(Y[i] - X[i] - u[i]);
        for (PetscInt j = 0; j < dim; j++) {
          PetscReal F = 0;
          for (PetscInt k = 0; k < dim; k++) F += E[dim * i + k] * B[dim * k + j];
          errors[1] += volume * PetscSqr(F - (i == j) - G[dim * i + j]);
        }
      }
    }
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, errors, 2, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD), 0);
  errors[0] = PetscSqrtReal(errors[0]);
  errors[1] = PetscSqrtReal(errors[1]);
}

/* Equilibrium from x, which has the exact solution on the boundary. */
static void Solve(AbutMesh mesh, AbutElastic elastic, PetscReal x[])
{
  const AbutMeshLocal *local = AbutMeshGetLocal(mesh);
  const PetscInt       dim   = local->dim;
  PetscReal           *load;
  PetscBool           *fixed;

  AbutTestCall(PetscCalloc2(local->num_local * dim, &load, local->num_owned * dim, &fixed));
  AddLoad(local, load);
  for (PetscInt v = 0; v < local->num_owned; v++)
    for (PetscInt i = 0; i < dim; i++) fixed[v * dim + i] = OnBoundary(dim, local->rest + v * dim);
  Equilibrium(mesh, elastic, load, fixed, 4, x);
  AbutTestCall(PetscFree2(load, fixed));
}

/* expected: order of the error in H1; in L2 it is larger by one. */
static void Converge(PetscInt dim, PetscInt order, AbutIncompressible incompressible, PetscInt expected, const PetscInt cells[3])
{
  AbutMaterialSpec spec = material;
  PetscReal        errors[3][2];

  spec.incompressible = incompressible;

  for (int level = 0; level < 3; level++) {
    AbutMesh             mesh;
    AbutElastic          elastic;
    const AbutMeshLocal *local;
    PetscReal           *x, u[3], G[9];
    CreateBox(dim, order, cells[level], &mesh);
    local = AbutMeshGetLocal(mesh);
    AbutTestCall(AbutElasticCreate(mesh, 1, &spec, &elastic));
    AbutTestCall(PetscMalloc1(local->num_local * dim, &x));
    for (PetscInt v = 0; v < local->num_local; v++) {
      Exact(dim, local->rest + v * dim, u, G);
      for (PetscInt i = 0; i < dim; i++) x[v * dim + i] = local->rest[v * dim + i] + u[i];
    }
    Solve(mesh, elastic, x);
    Errors(local, x, errors[level]);
    AbutTestCall(PetscFree(x));
    AbutTestCall(AbutElasticDestroy(&elastic));
    AbutTestCall(AbutMeshDestroy(&mesh));
  }
  for (int level = 1; level < 3; level++) {
    const PetscReal ratio = PetscLogReal((PetscReal)cells[level] / cells[level - 1]);
    const PetscReal l2    = PetscLogReal(errors[level - 1][0] / errors[level][0]) / ratio,
                    h1    = PetscLogReal(errors[level - 1][1] / errors[level][1]) / ratio;
    AbutTestCall(PetscPrintf(PETSC_COMM_WORLD, "%dD, order %d, %d cells an edge: L2 error %.3e (order %.2f), H1 error %.3e (order %.2f)\n",
                             (int)dim, (int)order, (int)cells[level], (double)errors[level][0], (double)l2, (double)errors[level][1],
                             (double)h1));
    assert_true(l2 > expected + 0.8 && l2 < expected + 1.4);
    assert_true(h1 > expected - 0.1 && h1 < expected + 0.4);
  }
}

static void TestLinear(void **state)
{
  (void)state;
  Converge(2, 1, ABUT_INCOMPRESSIBLE_NONE, 1, (const PetscInt[3]){6, 12, 24});
  Converge(3, 1, ABUT_INCOMPRESSIBLE_NONE, 1, (const PetscInt[3]){5, 8, 12});
}

static void TestQuadratic(void **state)
{
  (void)state;
  Converge(2, 2, ABUT_INCOMPRESSIBLE_NONE, 2, (const PetscInt[3]){4, 8, 16});
  Converge(3, 2, ABUT_INCOMPRESSIBLE_NONE, 2, (const PetscInt[3]){4, 6, 8});
}

static void TestMeanDilatation(void **state)
{
  (void)state;
  Converge(2, 2, ABUT_INCOMPRESSIBLE_MEAN_DILATATION, 1, (const PetscInt[3]){4, 8, 16});
  Converge(3, 2, ABUT_INCOMPRESSIBLE_MEAN_DILATATION, 1, (const PetscInt[3]){4, 6, 8});
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestLinear), cmocka_unit_test(TestQuadratic), cmocka_unit_test(TestMeanDilatation)};
  return AbutTestMain(argc, argv, tests);
}
