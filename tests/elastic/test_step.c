/* Step limit by inversion: below the first root of J and close to it; no limit if no cell inverts. */
#include "meshes.h"

static PetscReal CellVolume(const Solid *solid, PetscInt c, const PetscReal x[], const PetscReal p[], PetscReal t)
{
  const PetscInt dim = solid->local->dim, *cell = solid->local->cells + (dim + 1) * c;
  long double    e[3][3];

  for (PetscInt a = 0; a < dim; a++)
    for (PetscInt k = 0; k < dim; k++) {
      const PetscInt i = dim * cell[a + 1] + k, j = dim * cell[0] + k;
      e[a][k] = (long double)x[i] - x[j] + (long double)t * ((long double)p[i] - p[j]);
    }
  if (dim == 2) return (PetscReal)(e[0][0] * e[1][1] - e[0][1] * e[1][0]);
  return (PetscReal)(e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                     e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]));
}

/* The smallest t <= end at which a cell's volume changes sign: sampling, then bisection; `end` if there is none. */
static PetscReal FirstRoot(const Solid *solid, const PetscReal x[], const PetscReal p[], PetscReal end)
{
  enum { SAMPLES = 400 };

  for (PetscInt c = 0; c < solid->local->num_cells; c++) {
    PetscReal lo = 0, hi = 0;
    for (PetscInt i = 1; i <= SAMPLES && !(hi > 0); i++) {
      const PetscReal t = end * (PetscReal)i / SAMPLES;
      if (CellVolume(solid, c, x, p, t) > 0)
        lo = t;
      else
        hi = t;
    }
    for (PetscInt i = 0; i < 80 && hi > 0; i++) {
      const PetscReal t = (lo + hi) / 2;
      if (CellVolume(solid, c, x, p, t) > 0)
        lo = t;
      else
        hi = t;
    }
    if (hi > 0) end = PetscMin(end, lo);
  }
  return end;
}

/* Number of inverted cells at x + t p; forbidden: one of them has a barrier material. */
static PetscInt Inversions(const Solid *solid, const PetscReal x[], const PetscReal p[], PetscReal t, PetscBool *forbidden)
{
  const PetscInt n = solid->local->num_local * solid->local->dim;
  PetscReal     *y = malloc(sizeof(*y) * (size_t)n);
  PetscInt       count, cell;

  for (PetscInt i = 0; i < n; i++) y[i] = x[i] + t * p[i];
  AbutElasticCountInversions(solid->elastic, y, &count, &cell);
  if (cell >= 0) assert_true(!(CellVolume(solid, cell, y, y, 0) > 0));
  *forbidden = (PetscBool)(cell >= 0);
  free(y);
  return count;
}

/* Number of inverted cells at x + t p if all cells have a barrier material. */
static PetscInt Forbidden(const Solid *solid, const PetscReal x[], const PetscReal p[], PetscReal t)
{
  PetscBool      forbidden;
  const PetscInt count = Inversions(solid, x, p, t, &forbidden);

  assert_true(forbidden == (PetscBool)(count > 0));
  return count;
}

/* Random directions of all sizes; 1e-5 is ten times the relative width to which roots are bracketed. */
static void TestRandom(void **state)
{
  const PetscReal safety  = 0.9;
  PetscInt        limited = 0, crossed = 0;

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Solid solid;

    SolidCreate(PETSC_COMM_SELF, dim, 2, ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_NEO_HOOKEAN, &solid);
    for (uint64_t trial = 0; trial < 40; trial++) {
      PetscReal *x = RandomState(&solid, 0.02, trial), *p = RandomField(&solid, pow(10, 0.2 * (PetscReal)trial - 4), 99 + trial), step = 1,
                root;
      PetscInt cell;

      AbutElasticMaxStep(solid.elastic, x, p, safety, &step, &cell);
      root = FirstRoot(&solid, x, p, 1 / safety);
      assert_int_equal(Forbidden(&solid, x, p, step), 0);
      assert_true((cell >= 0) == (step < 1));
      if (!(step <= safety * root * (1 + 1e-12)) || !(step >= PetscMin(1, safety * root) * (1 - 1e-5)))
        fail_msg("trial %d in %ldD: step %.17g, root %.17g", (int)trial, (long)dim, step, root);
      limited += step < 1;
      crossed += Forbidden(&solid, x, p, root * 1.01) > 0;
      free(x);
      free(p);
    }
    SolidDestroy(&solid);
  }
  assert_true(limited > 20 && limited < 70 && crossed >= limited);
}

/* Motions whose roots are known: x + t p = (1 - t / t0) x about the origin has a root of multiplicity dim, a half turn one of two. */
static void TestMultipleRoots(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Solid      solid;
    PetscReal *x, *p, step;
    PetscInt   cell;

    SolidCreate(PETSC_COMM_SELF, dim, 2, ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_NEO_HOOKEAN, &solid);
    x = RandomState(&solid, 0, 0);
    p = RandomField(&solid, 0, 0);
    for (PetscInt kind = 0; kind < 4; kind++) {
      static const PetscReal t0[4] = {0.5, 1.05, 1e-7, 0.5}, expected[4] = {0.45, 0.945, 0.9e-7, 0.45};
      for (PetscInt i = 0; i < solid.local->num_local * dim; i++) p[i] = kind == 3 && i % dim == 2 ? 0 : -x[i] / t0[kind];
      step = 1;
      AbutElasticMaxStep(solid.elastic, x, p, 0.9, &step, &cell);
      assert_true(cell >= 0 && step <= expected[kind] * (1 + 1e-12) &&
                  step >= expected[kind] * 0.999); /* multiple roots are ill-conditioned */
      assert_int_equal(Forbidden(&solid, x, p, step), 0);
    }
    for (PetscInt i = 0; i < solid.local->num_local * dim; i++) p[i] = i % dim ? 1e3 : x[i]; /* translation and stretch */
    step = 0.75;
    AbutElasticMaxStep(solid.elastic, x, p, 0.9, &step, &cell);
    assert_true(step == 0.75 && cell == -1);
    free(x);
    free(p);
    SolidDestroy(&solid);
  }
}

/* Cells flattened to volumes near round-off: x + t p is rounded, so that the sign of J can differ from its sign on the exact line. */
static void TestFlat(void **state)
{
  PetscInt moved = 0;

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Solid solid;

    SolidCreate(PETSC_COMM_SELF, dim, 2, ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_NEO_HOOKEAN, &solid);
    for (PetscInt trial = 12; trial < 60; trial++) {
      PetscReal *x = RandomState(&solid, 0, 0), *p = RandomField(&solid, 0.01, 17 + (uint64_t)trial), step = 1;
      PetscInt   cell;

      for (PetscInt v = 0; v < solid.local->num_local; v++) x[dim * v + 1] = 1 + (x[dim * v + 1] - 1) * pow(10, -(PetscReal)trial / 4 - 1);
      if (!Forbidden(&solid, x, p, 0)) {
        AbutElasticMaxStep(solid.elastic, x, p, 0.9, &step, &cell);
        assert_true(step >= 0 && step < 1 && cell >= 0);
        if (step > 0) assert_int_equal(Forbidden(&solid, x, p, step), 0);
        moved += step > 0;
      }
      free(x);
      free(p);
    }
    SolidDestroy(&solid);
  }
  assert_true(moved >= 60);
}

/* Materials that stay finite do not limit the step, but their inverted cells are counted. */
static void TestFiniteMaterial(void **state)
{
  Solid      solid;
  PetscReal *x, *p, step = 1;
  PetscInt   cell;
  PetscBool  forbidden;

  (void)state;
  SolidCreate(PETSC_COMM_SELF, 3, 2, ABUT_MATERIAL_FIXED_COROTATED, ABUT_MATERIAL_FIXED_COROTATED, &solid);
  x = RandomState(&solid, 0, 0);
  p = RandomState(&solid, 0, 0);
  for (PetscInt i = 0; i < 3 * solid.local->num_local; i++) p[i] *= -2;
  AbutElasticMaxStep(solid.elastic, x, p, 0.9, &step, &cell);
  assert_true(step == 1 && cell == -1);
  assert_int_equal(Inversions(&solid, x, p, 1, &forbidden), solid.local->num_cells);
  assert_false(forbidden);
  free(x);
  free(p);
  SolidDestroy(&solid);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestRandom), cmocka_unit_test(TestMultipleRoots), cmocka_unit_test(TestFlat),
                                     cmocka_unit_test(TestFiniteMaterial)};
  return AbutTestMain(argc, argv, tests);
}
