/* Plastic strains: energy of a step, unloading, rotations, volume, copies of the history; on any number of ranks. */
#include "meshes.h"

/* Elastic energy over all ranks. */
static PetscReal TotalEnergy(const Solid *solid, const PetscReal x[])
{
  return Sum(Energy(solid, x));
}

static PetscReal Work(const Solid *solid)
{
  return Sum(AbutElasticDissipation(solid->elastic));
}

/* The density that a step minimises is the elastic energy at its end plus the plastic work of the step; its forces are elastic ones. */
static void CheckStep(const Solid *solid, const PetscReal x[])
{
  const PetscInt  n        = solid->local->num_owned * solid->local->dim;
  PetscReal      *g        = Gradient(solid, x), *after;
  const PetscReal expected = TotalEnergy(solid, x), work = Work(solid);
  PetscReal       energy;

  AbutElasticAcceptStep(solid->elastic, x);
  energy = TotalEnergy(solid, x) + Work(solid) - work;
  AssertNear("energy of a step", 1, &energy, &expected, 0, 1e-12);
  assert_true(Work(solid) > work * (1 + 1e-3));
  after = Gradient(solid, x);
  AssertNear("forces", n, after, g, 1, 1e-9);
  free(g);
  free(after);
}

static PetscReal Determinant(const PetscReal s[6])
{
  return s[0] * (s[1] * s[2] - s[4] * s[4]) - s[3] * (s[3] * s[2] - s[4] * s[5]) + s[5] * (s[3] * s[4] - s[1] * s[5]);
}

/* The inverse of each plastic deformation has determinant 1; rows that are copied back give the same bits. */
static void CheckHistory(const Solid *solid, const PetscReal x[])
{
  const AbutMeshLocal *local  = solid->local;
  const PetscInt       width  = AbutElasticHistoryWidth(solid->elastic);
  PetscReal           *rows   = malloc(sizeof(*rows) * (size_t)(width * local->num_cells + 1));
  PetscReal           *strain = malloc(sizeof(*strain) * (size_t)(local->num_cells + 1));
  const PetscReal      energy = Energy(solid, x), one = 1;
  PetscInt             points = 0;

  AbutElasticGetHistory(solid->elastic, rows);
  AbutElasticGetPlasticStrain(solid->elastic, strain);
  for (PetscInt c = 0; c < local->num_cells; c++) {
    if (local->bodies[local->cell_body[c]].material == 0) assert_true(strain[c] == 0);
    for (const PetscReal *s = rows + width * c; s < rows + width * (c + 1); s += 7) {
      const PetscReal det = Determinant(s);

      if (s[0] == 0) continue;
      AssertNear("determinant", 1, &det, &one, 0, 1e-13);
      assert_true(s[6] > 0 && strain[c] > 0);
      points++;
    }
  }
  assert_true(Sum((PetscReal)points) > 10);
  AbutElasticAcceptStep(solid->elastic, solid->local->rest);
  assert_true(Sum(PetscAbsReal(Energy(solid, x) - energy)) > 0);
  AbutElasticSetHistory(solid->elastic, rows);
  assert_true(Energy(solid, x) == energy);
  free(rows);
  free(strain);
}

/* The positions x, turned and displaced; the axis is none of the coordinate axes. */
static PetscReal *Turn(const Solid *solid, const PetscReal x[])
{
  const PetscInt  dim = solid->local->dim;
  const PetscReal c = cos(0.9), s = sin(0.9), R[2][9] = {{c, -s, s, c}, {c, 0, s, s * s, c, -c * s, -c * s, s, c * c}};
  PetscReal      *y = RandomField(solid, 0, 0);

  for (PetscInt v = 0; v < solid->local->num_local; v++)
    for (PetscInt i = 0; i < dim; i++) y[dim * v + i] = 3 + AbutDot(dim, R[dim - 2] + dim * i, x + dim * v);
  return y;
}

/* A rotation changes no energy, and causes no plastic strains at the yield stress. */
static void CheckRotation(const Solid *solid, const PetscReal x[])
{
  PetscReal      *y      = Turn(solid, x), found[3];
  const PetscReal energy = TotalEnergy(solid, x), work = Work(solid), expected[3] = {energy, energy, work};

  found[0] = TotalEnergy(solid, y);
  AbutElasticAcceptStep(solid->elastic, y);
  found[1] = TotalEnergy(solid, y);
  found[2] = Work(solid);
  AssertNear("energies of the turned bodies", 3, found, expected, 0, 1e-10);
  free(y);
}

static void TestSteps(void **state)
{
  static const PetscInt orders[3][2] = {{1, 1}, {1, 2}, {2, 2}};

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (int k = 0; k < 3; k++) {
      Solid      solid;
      PetscReal *x;

      SolidCreateMixed(PETSC_COMM_WORLD, dim, 2, ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_J2_PLASTICITY, orders[k], &solid);
      assert_true(AbutElasticHasHistory(solid.elastic));
      for (uint64_t step = 1; step <= 2; step++) {
        x = RandomState(&solid, 0.03, step);
        CheckStep(&solid, x);
        CheckRotation(&solid, x);
        CheckHistory(&solid, x);
        free(x);
      }
      SolidDestroy(&solid);
    }
}

/* Elastic materials have no history. */
static void TestElastic(void **state)
{
  Solid solid;

  (void)state;
  SolidCreate(PETSC_COMM_WORLD, 2, 2, ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_OGDEN, &solid);
  assert_false(AbutElasticHasHistory(solid.elastic));
  assert_int_equal(AbutElasticHistoryWidth(solid.elastic), 0);
  assert_true(Work(&solid) == 0);
  SolidDestroy(&solid);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestSteps), cmocka_unit_test(TestElastic)};
  return AbutTestMain(argc, argv, tests);
}
