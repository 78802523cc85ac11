/* At F = I the tangent of every material is Hooke's law with the given Young's modulus and Poisson's ratio. */
#include "material.h"

static const PetscReal specs[][3] = {{3e6, 0.3, 0}, {1, 0, 1}, {2e3, -0.4, 0.5}, {7e4, 0.49, 0.25}};

/* Hooke's law as strains from stresses; in plane strain no strain across, so that sigma_zz = nu (sigma_xx + sigma_yy). */
static void Strain(PetscInt dim, PetscReal E, PetscReal nu, const PetscReal stress[], PetscReal strain[])
{
  PetscReal trace = 0;

  for (PetscInt i = 0; i < dim; i++) trace += stress[dim * i + i];
  if (dim == 2) trace *= 1 + nu;
  for (PetscInt i = 0; i < dim * dim; i++) strain[i] = ((1 + nu) * stress[i] - (i % (dim + 1) ? 0 : nu * trace)) / E;
}

/* The tangent at F = I maps a displacement gradient to a stress whose strain, by Hooke, is the symmetric part of the gradient. */
static void CheckTangent(const AbutMaterialOps *ops, PetscInt dim, const AbutMaterialSpec *spec)
{
  const PetscReal       identity[2][9] = {{1, 0, 0, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const PetscInt        n              = dim * dim;
  AbutMaterialConstants m;
  PetscReal             A[81], stress[9], strain[9];

  AbutMaterialGetConstants(spec, &m);
  AbutMaterialTangent(ops, dim, &m, identity[dim - 2], ABUT_PSD_NONE, A);
  for (PetscInt k = 0; k < dim; k++)
    for (PetscInt l = 0; l < dim; l++) {
      PetscReal expected[9] = {0};
      expected[dim * k + l] += 0.5;
      expected[dim * l + k] += 0.5;
      for (PetscInt i = 0; i < n; i++) stress[i] = A[n * i + dim * k + l];
      Strain(dim, spec->young, spec->poisson, stress, strain);
      AssertNear(AbutMaterialKinds[spec->kind], n, strain, expected, 0, 1e-13);
    }
}

static void TestTangentAtRest(void **state)
{
  (void)state;
  for (PetscInt kind = 0; kind < NUM_KINDS; kind++)
    for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
      for (PetscInt dim = 2; dim <= 3; dim++) {
        const AbutMaterialSpec spec = {.kind = (AbutMaterialKind)kind, .young = specs[i][0], .poisson = specs[i][1], .mooney = specs[i][2]};
        AbutOgdenTerm          terms[3];
        const AbutMaterialSpec completed = WithOgden(spec, terms);
        CheckTangent(AbutMaterialGetOps(spec.kind), dim, &completed);
      }
}

static void TestNames(void **state)
{
  const char *const names[] = {"neo-hookean", "fixed-corotated", "stvk", "linear", "mooney-rivlin", "ogden", "j2-plasticity"};

  (void)state;
  for (PetscInt kind = 0; kind < NUM_KINDS; kind++) assert_string_equal(AbutMaterialKinds[kind], names[kind]);
  assert_string_equal(AbutMaterialKinds[NUM_KINDS], "AbutMaterialKind");
  assert_null(AbutMaterialKinds[NUM_KINDS + 2]);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestTangentAtRest), cmocka_unit_test(TestNames)};
  return AbutTestMain(argc, argv, tests);
}
