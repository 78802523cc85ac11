/*
  Manufactured solution: with body forces computed from u(X) = a sin(..), the neo-Hookean equilibrium found by Newton approaches u at second
  order in L2 and first order in H1 under refinement (linear simplices).
*/
#include "test.h"
#include <abut/elastic.h>
#include <petscksp.h>
#include <string.h>

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
  AbutMaterialGetOps(material.kind)->stress(dim, &constants, F, P);
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

static void CreateBox(PetscInt dim, PetscInt cells, AbutMesh *mesh)
{
  AbutBodySpec box;

  memset(&box, 0, sizeof(box));
  strcpy(box.name, "box");
  strcpy(box.place, "test");
  box.shape.kind = ABUT_SHAPE_BOX;
  for (int i = 0; i < 3; i++) {
    box.shape.size[i] = box.shape.scale[i] = 1;
    box.shape.cells[i]                     = cells;
    box.shape.copies[i]                    = 1;
    box.shape.translate[i]                 = 0.5;
  }
  AbutTestCall(AbutMeshCreate(PETSC_COMM_WORLD, dim, 1, &box, mesh));
}

/* X of cell c's vertices, and its volume. */
static PetscReal CellGeometry(const AbutMeshLocal *local, PetscInt c, PetscReal X[4][3], PetscReal center[3])
{
  const PetscInt dim = local->dim;
  PetscReal      E[3][3], det;

  memset(center, 0, 3 * sizeof(*center));
  for (PetscInt a = 0; a <= dim; a++)
    for (PetscInt i = 0; i < dim; i++) {
      X[a][i] = local->rest[local->cells[c * (dim + 1) + a] * dim + i];
      center[i] += X[a][i] / (dim + 1);
    }
  for (PetscInt a = 0; a < dim; a++)
    for (PetscInt i = 0; i < dim; i++) E[a][i] = X[a + 1][i] - X[0][i];
  if (dim == 2) return (E[0][0] * E[1][1] - E[0][1] * E[1][0]) / 2;
  det = E[0][0] * (E[1][1] * E[2][2] - E[1][2] * E[2][1]) - E[0][1] * (E[1][0] * E[2][2] - E[1][2] * E[2][0]) +
        E[0][2] * (E[1][0] * E[2][1] - E[1][1] * E[2][0]);
  return det / 6;
}

/* Quadrature point a, nearest to vertex a: the other barycentric weights are equal. The dim + 1 points integrate quadratics exactly. */
static void QuadraturePoint(PetscInt dim, PetscReal X[4][3], PetscInt a, PetscReal shape[4], PetscReal Y[3])
{
  const PetscReal near = dim == 2 ? 2. / 3 : 0.58541019662496852, far = dim == 2 ? 1. / 6 : 0.13819660112501052;

  for (PetscInt i = 0; i < dim; i++) Y[i] = 0;
  for (PetscInt b = 0; b <= dim; b++) {
    shape[b] = a == b ? near : far;
    for (PetscInt i = 0; i < dim; i++) Y[i] += shape[b] * X[b][i];
  }
}

static void AddLoad(const AbutMeshLocal *local, PetscReal g[])
{
  const PetscInt dim = local->dim;

  for (PetscInt c = 0; c < local->num_cells; c++) {
    PetscReal       X[4][3], center[3], shape[4], Y[3], f[3];
    const PetscReal volume = CellGeometry(local, c, X, center);
    for (PetscInt q = 0; q <= dim; q++) {
      QuadraturePoint(dim, X, q, shape, Y);
      BodyForce(dim, Y, f);
      for (PetscInt a = 0; a <= dim; a++)
        for (PetscInt i = 0; i < dim; i++) g[local->cells[c * (dim + 1) + a] * dim + i] -= volume / (dim + 1) * shape[a] * f[i];
    }
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
  for (PetscInt c = 0; c < local->num_cells; c++) {
    const PetscInt *v = local->cells + c * (dim + 1);
    PetscReal       X[4][3], center[3], shape[4], Y[3], u[3], G[9], D[9], Dinv[9];
    const PetscReal volume = CellGeometry(local, c, X, center);
    for (PetscInt a = 0; a < dim; a++)
      for (PetscInt i = 0; i < dim; i++) D[i * dim + a] = X[a + 1][i] - X[0][i];
    if (dim == 2) {
      const PetscReal det = D[0] * D[3] - D[1] * D[2];
      Dinv[0] = D[3] / det, Dinv[1] = -D[1] / det, Dinv[2] = -D[2] / det, Dinv[3] = D[0] / det;
    } else {
      PetscReal       r[3][3];
      const PetscReal rows[3][3] = {{D[0], D[3], D[6]}, {D[1], D[4], D[7]}, {D[2], D[5], D[8]}};
      for (int k = 0; k < 3; k++) AbutCross(rows[(k + 1) % 3], rows[(k + 2) % 3], r[k]);
      for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) Dinv[k * 3 + i] = r[k][i] / (6 * volume);
    }
    for (PetscInt q = 0; q <= dim; q++) {
      QuadraturePoint(dim, X, q, shape, Y);
      Exact(dim, Y, u, G);
      for (PetscInt i = 0; i < dim; i++) {
        PetscReal uh = 0;
        for (PetscInt a = 0; a <= dim; a++) uh += shape[a] * (x[v[a] * dim + i] - X[a][i]);
        errors[0] += volume / (dim + 1) * PetscSqr(uh - u[i]);
        for (PetscInt j = 0; j < dim; j++) {
          PetscReal Gh = i == j ? -1 : 0;
          for (PetscInt a = 0; a < dim; a++) Gh += (x[v[a + 1] * dim + i] - x[v[0] * dim + i]) * Dinv[a * dim + j];
          errors[1] += volume / (dim + 1) * PetscSqr(Gh - G[i * dim + j]);
        }
      }
    }
  }
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, errors, 2, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD), 0);
  errors[0] = PetscSqrtReal(errors[0]);
  errors[1] = PetscSqrtReal(errors[1]);
}

/* Newton's method on the interior unknowns, from the interpolated solution. */
static void Solve(AbutMesh mesh, AbutElastic elastic, PetscReal x[])
{
  const AbutMeshLocal *local = AbutMeshGetLocal(mesh);
  AbutAssembler        as;
  PetscInt            *stencils;
  PetscReal           *g, *load;
  PetscBool           *fixed;
  KSP                  ksp;
  Vec                  r, p;
  Mat                  A;

  const PetscInt dim = local->dim, n = local->num_owned * dim, num = local->num_local * dim;
  AbutTestCall(PetscMalloc1(local->num_cells * (dim + 1), &stencils));
  for (PetscInt k = 0; k < local->num_cells * (dim + 1); k++) stencils[k] = local->vertex_global[local->cells[k]];
  AbutTestCall(AbutAssemblerCreate(PETSC_COMM_WORLD, dim, local->num_owned, &as));
  AbutTestCall(AbutAssemblerSetFixed(as, dim + 1, local->num_cells, stencils));
  AbutTestCall(AbutAssemblerUpdatePattern(as, 0, NULL, NULL, NULL));
  A = AbutAssemblerGetMat(as);
  AbutTestCall(PetscCalloc3(num, &g, num, &load, n, &fixed));
  AddLoad(local, load);
  for (PetscInt v = 0; v < local->num_owned; v++)
    for (PetscInt i = 0; i < dim; i++) fixed[v * dim + i] = OnBoundary(dim, local->rest + v * dim);
  AbutTestCall(MatCreateVecs(A, &p, &r));
  AbutTestCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  AbutTestCall(KSPSetType(ksp, KSPCG));
  AbutTestCall(KSPSetTolerances(ksp, 1e-12, 0, PETSC_DEFAULT, 5000));
  for (int it = 0; it < 6; it++) {
    PetscScalar *array;
    memcpy(g, load, sizeof(*g) * (size_t)num);
    AbutElasticAddGradient(elastic, x, 1, g);
    AbutTestCall(AbutMeshReduceAdd(mesh, dim, g));
    AbutTestCall(AbutAssemblerBegin(as));
    AbutElasticAddHessian(elastic, x, 1, ABUT_PSD_NONE, as);
    AbutTestCall(AbutAssemblerEnd(as, fixed));
    AbutTestCall(VecGetArray(r, &array));
    for (PetscInt k = 0; k < n; k++) array[k] = fixed[k] ? 0 : -g[k];
    AbutTestCall(VecRestoreArray(r, &array));
    AbutTestCall(KSPSetOperators(ksp, A, A));
    AbutTestCall(KSPSolve(ksp, r, p));
    AbutTestCall(VecGetArray(p, &array));
    for (PetscInt k = 0; k < n; k++) x[k] += array[k];
    AbutTestCall(VecRestoreArray(p, &array));
    AbutTestCall(AbutMeshUpdateGhosts(mesh, dim, x));
  }
  AbutTestCall(KSPDestroy(&ksp));
  AbutTestCall(VecDestroy(&r));
  AbutTestCall(VecDestroy(&p));
  AbutTestCall(PetscFree3(g, load, fixed));
  AbutTestCall(PetscFree(stencils));
  AbutTestCall(AbutAssemblerDestroy(&as));
}

static void Converge(PetscInt dim, const PetscInt cells[3])
{
  PetscReal errors[3][2];

  for (int level = 0; level < 3; level++) {
    AbutMesh             mesh;
    AbutElastic          elastic;
    const AbutMeshLocal *local;
    PetscReal           *x, u[3], G[9];
    CreateBox(dim, cells[level], &mesh);
    local = AbutMeshGetLocal(mesh);
    AbutTestCall(AbutElasticCreate(mesh, 1, &material, &elastic));
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
    AbutTestCall(PetscPrintf(PETSC_COMM_WORLD, "%dD, %d cells an edge: L2 error %.3e (order %.2f), H1 error %.3e (order %.2f)\n", (int)dim,
                             (int)cells[level], (double)errors[level][0], (double)l2, (double)errors[level][1], (double)h1));
    assert_true(l2 > 1.8 && l2 < 2.4);
    assert_true(h1 > 0.9 && h1 < 1.4);
  }
}

static void TestOrders2D(void **state)
{
  (void)state;
  Converge(2, (const PetscInt[3]){8, 16, 32});
}

static void TestOrders3D(void **state)
{
  (void)state;
  Converge(3, (const PetscInt[3]){6, 10, 16});
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestOrders2D), cmocka_unit_test(TestOrders3D)};
  return AbutTestMain(argc, argv, tests);
}
