/* Materials: stress and tangent against finite differences, the projected tangent against a dense eigendecomposition. */
#include "material.h"

typedef struct {
  const AbutMaterialOps *ops;
  PetscInt               dim;
} Context;

static void EnergyOf(const PetscReal F[], PetscReal out[], void *ctx)
{
  const Context *c = ctx;
  out[0]           = AbutMaterialEnergy(c->ops, c->dim, &constants, F);
}

static void StressOf(const PetscReal F[], PetscReal out[], void *ctx)
{
  const Context *c = ctx;
  AbutMaterialStress(c->ops, c->dim, &constants, F, out);
}

/* Calls `check` for every material, dimension and admissible set of stretches, three random frames each. */
static void ForAll(void (*check)(Context *c, const PetscReal s[3], const PetscReal F[]))
{
  uint64_t seed = 11;

  for (PetscInt kind = 0; kind < NUM_KINDS; kind++)
    for (PetscInt dim = 2; dim <= 3; dim++)
      for (PetscInt k = 0; k < NUM_STRETCHES; k++)
        for (PetscInt trial = 0; trial < 3; trial++) {
          Context   c = {AbutMaterialGetOps((AbutMaterialKind)kind), dim};
          PetscReal F[9];
          if (c.ops->barrier && k >= NUM_UPRIGHT) continue;
          MakeDeformation(dim, stretches[k], &seed, F);
          check(&c, stretches[k], F);
        }
}

/* Step of the finite differences: smaller than the distance to J = 0 for materials with a barrier. */
static PetscReal StepFor(const Context *c, const PetscReal s[3])
{
  return c->ops->barrier ? 1e-2 * PetscMin(s[2], 0.2) : 1e-3;
}

/* Fourth-order differences at a step of 0.01 of the distance to the singularity: 1e-8 of the largest entry. */
static void CheckStress(Context *c, const PetscReal s[3], const PetscReal F[])
{
  PetscReal P[9], expected[9];

  StressOf(F, P, c);
  AbutTestJacobian(EnergyOf, c, c->dim * c->dim, 1, F, StepFor(c, s), expected);
  AssertNear("stress", c->dim * c->dim, P, expected, 1, 1e-7);
}

static void TestStress(void **state)
{
  (void)state;
  ForAll(CheckStress);
}

static PetscInt num_from_stretches;

/* Energy and stress P = U diag(dPsi/ds) V^T from the singular values equal those from F. */
static void CheckStretches(Context *c, const PetscReal s[3], const PetscReal F[])
{
  const PetscInt n = c->dim;
  PetscReal      U[9], t[3], V[9], principal[3], P[9], energy[2], expected[9];

  (void)s;
  assert_true(!c->ops->stretch_energy == !c->ops->stretch_stress);
  if (!c->ops->stretch_energy) return;
  num_from_stretches++;
  AbutSVD(n, F, U, t, V);
  energy[0] = c->ops->stretch_energy(n, &constants, t);
  energy[1] = AbutMaterialEnergy(c->ops, n, &constants, F);
  AssertNear("energy from stretches", 1, energy, energy + 1, 1, 1e-14);
  c->ops->stretch_stress(n, &constants, t, principal);
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) {
      P[n * i + j] = 0;
      for (PetscInt k = 0; k < n; k++) P[n * i + j] += U[n * i + k] * principal[k] * V[n * j + k];
    }
  StressOf(F, expected, c);
  AssertNear("stress from stretches", n * n, P, expected, 1, 1e-13);
}

static void TestStretches(void **state)
{
  (void)state;
  num_from_stretches = 0;
  ForAll(CheckStretches);
  assert_true(num_from_stretches > 0);
}

static void CheckTangent(Context *c, const PetscReal s[3], const PetscReal F[])
{
  const PetscInt n = c->dim * c->dim;
  PetscReal      A[81], expected[81];

  AbutMaterialTangent(c->ops, c->dim, &constants, F, ABUT_PSD_NONE, A);
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < i; j++) assert_true(A[n * i + j] == A[n * j + i]);
  AbutTestJacobian(StressOf, c, n, n, F, StepFor(c, s), expected);
  AssertNear("tangent", n * n, A, expected, 1, 1e-7);
}

static void TestTangent(void **state)
{
  (void)state;
  ForAll(CheckTangent);
}

static PetscInt num_indefinite;

static void CheckProjection(Context *c, const PetscReal s[3], const PetscReal F[])
{
  const PetscInt n = c->dim * c->dim;
  PetscReal      A[81], expected[81], w[9], Q[81];

  (void)s;
  AbutMaterialTangent(c->ops, c->dim, &constants, F, ABUT_PSD_NONE, expected);
  AbutEigenSymmetric(n, expected, w, Q);
  num_indefinite += w[0] < -1e-3;
  AbutProject(n, ABUT_PSD_CLAMP, expected);
  AbutMaterialTangent(c->ops, c->dim, &constants, F, ABUT_PSD_CLAMP, A);
  AssertNear("projected tangent", n * n, A, expected, 1, 1e-10);
}

static void TestProjection(void **state)
{
  (void)state;
  num_indefinite = 0;
  ForAll(CheckProjection);
  assert_true(num_indefinite > 100); /* the projection was tested on many indefinite tangents */
}

/* Where the rotation R closest to F is discontinuous, the fixed corotational tangent has no limit; its entries must stay finite. */
static void TestJump(void **state)
{
  const PetscReal        F[2][9] = {{0.4, 0, 0, -0.4}, {1.1, 0, 0, 0, 0.4, 0, 0, 0, -0.4}};
  const AbutMaterialOps *ops     = AbutMaterialGetOps(ABUT_MATERIAL_FIXED_COROTATED);
  PetscReal              A[81];

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (int projection = ABUT_PSD_NONE; projection <= ABUT_PSD_CLAMP; projection++) {
      AbutMaterialTangent(ops, dim, &constants, F[dim - 2], (AbutProjection)projection, A);
      assert_true(MaxAbs(dim * dim * dim * dim, A) < 1e7 * mu);
    }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestStress), cmocka_unit_test(TestStretches), cmocka_unit_test(TestTangent),
                                     cmocka_unit_test(TestProjection), cmocka_unit_test(TestJump)};
  return AbutTestMain(argc, argv, tests);
}
