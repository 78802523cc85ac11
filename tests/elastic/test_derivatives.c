/* Along a random direction p, on any number of ranks: p . g is the slope of the energy, and H p the slope of the gradient g. */
#include "meshes.h"
#include <petscmat.h>

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

/* out = H p through the assembled matrix; added in two halves, which tests the factor. */
static void MultiplyHessian(const Solid *solid, const PetscReal x[], AbutProjection project, PetscReal p[], PetscReal out[])
{
  const AbutMeshLocal *local    = solid->local;
  const PetscInt       nv       = local->dim + 1;
  PetscInt            *vertices = malloc(sizeof(*vertices) * (size_t)(local->num_cells * nv + 1));
  AbutAssembler        as;
  Mat                  H;
  Vec                  P, Y;
  PetscBool            rebuilt;

  for (PetscInt i = 0; i < local->num_cells * nv; i++) vertices[i] = local->vertex_global[local->cells[i]];
  AbutTestCall(AbutAssemblerCreate(PETSC_COMM_WORLD, local->dim, local->num_owned, &as));
  AbutTestCall(AbutAssemblerSetFixed(as, nv, local->num_cells, vertices));
  AbutTestCall(AbutAssemblerUpdatePattern(as, 0, NULL, 0, NULL, &rebuilt));
  AbutTestCall(AbutAssemblerBegin(as));
  for (int half = 0; half < 2; half++) AbutTestCall(AbutElasticAddHessian(solid->elastic, x, 0.5, project, as));
  AbutTestCall(AbutAssemblerEnd(as, NULL));
  AbutTestCall(AbutAssemblerGetMat(as, &H));
  AbutTestCall(MatCreateVecs(H, &P, &Y));
  AbutTestCall(VecPlaceArray(P, p));
  AbutTestCall(VecPlaceArray(Y, out));
  AbutTestCall(MatMult(H, P, Y));
  AbutTestCall(VecResetArray(P));
  AbutTestCall(VecResetArray(Y));
  AbutTestCall(VecDestroy(&P));
  AbutTestCall(VecDestroy(&Y));
  AbutTestCall(AbutAssemblerDestroy(&as));
  free(vertices);
}

/* 1e-8 of the largest entry: what fourth-order differences at this step leave. */
static void TestDerivatives(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Solid      solid;
    PetscReal *x, *p, *g, *dg, *Hp, slope, dE;
    PetscInt   n;

    SolidCreate(PETSC_COMM_WORLD, dim, 2, ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_FIXED_COROTATED, &solid);
    n  = solid.local->num_owned * dim;
    x  = RandomState(&solid, 0.02, 1);
    p  = RandomField(&solid, 0.02, 2);
    g  = Gradient(&solid, x);
    dg = RandomField(&solid, 0, 0);
    Hp = RandomField(&solid, 0, 0);
    Differences(&solid, x, p, &dE, dg);
    slope = Sum(AbutDot(n, p, g));
    AssertNear("slope of the energy", 1, &slope, &dE, 0, 1e-8);
    MultiplyHessian(&solid, x, ABUT_PSD_NONE, p, Hp);
    AssertNear("Hessian times direction", n, Hp, dg, 1, 1e-8);
    MultiplyHessian(&solid, x, ABUT_PSD_CLAMP, p, Hp);
    assert_true(Sum(AbutDot(n, p, Hp)) >= Sum(AbutDot(n, p, dg)) * (1 - 1e-8)); /* projection adds semi-definite matrices */
    free(x);
    free(p);
    free(g);
    free(dg);
    free(Hp);
    SolidDestroy(&solid);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestDerivatives)};
  return AbutTestMain(argc, argv, tests);
}
