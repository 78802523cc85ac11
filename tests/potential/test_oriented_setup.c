/* A body has no contact with itself for any dhat; two bodies have; units of the energy. */
#include "oriented.h"

static TestOriented t;

/* Boxes of 8 vertices, 18 edges and 12 faces; in 2D of 4 vertices and 4 edges. */
static void AddBox(const PetscReal low[3], const PetscReal size[3], PetscReal x[])
{
  static const PetscInt faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                        {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  static const PetscInt ring[4]      = {0, 1, 3, 2};
  const PetscInt        first = t.nv, count = t.dim == 3 ? 8 : 4;

  for (PetscInt v = 0; v < count; v++) {
    for (PetscInt i = 0; i < t.dim; i++) x[t.dim * (first + v) + i] = low[i] + ((v >> i) & 1) * size[i];
    t.oriented[first + v] = PETSC_TRUE;
  }
  for (PetscInt k = 0; t.dim == 2 && k < 4; k++, t.ne++) {
    for (int j = 0; j < 2; j++) t.edges[t.ne][j] = first + ring[(k + j) % 4];
  }
  for (PetscInt f = 0; t.dim == 3 && f < 12; f++, t.nf++) {
    for (int j = 0; j < 3; j++) {
      const PetscInt a = first + faces[f][j], b = first + faces[f][(j + 1) % 3];
      t.faces[t.nf][j] = a;
      if (a > b) continue; /* each edge occurs once in each direction */
      t.edges[t.ne][0]   = a;
      t.edges[t.ne++][1] = b;
    }
  }
  t.nv += count;
}

static void Start(PetscInt dim, AbutOrientedMember member, PetscReal dhat)
{
  t.dim = dim;
  t.nv = t.ne = t.nf = 0;
  t.spec             = (AbutOrientedSpec){0.5, 0, 0.1, 0, dim - 1, member, .length = 0.5, .mollifier_width = 1e-3, .mollifier_ratio = 0.1};
  t.ranges           = (AbutOrientedDhat){.dhat = dhat};
}

static PetscReal Energy(const PetscReal x[], PetscReal g[])
{
  PetscReal energy;

  OrientedCreate(&t);
  OrientedFindPairs(&t, x);
  energy = OrientedTotal(&t, x, ABUT_PSD_NONE, g, NULL);
  OrientedDestroy(&t);
  return energy;
}

static void test_alone(void **state)
{
  const PetscReal low[3] = {0, 0, 0}, cube[3] = {1, 1, 1}, plate[3] = {1, 0.05, 1};
  PetscReal       x[MAX_SIZE];

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    for (int member = 0; member < 2; member++) {
      for (int shape = 0; shape < 2; shape++) {
        Start(dim, (AbutOrientedMember)member, 1.5);
        AddBox(low, shape ? plate : cube, x);
        assert_true(Energy(x, NULL) == 0);
      }
    }
  }
}

/* A small box above a large one: equal and opposite vertical forces; contact from both sides. */
static void test_two_boxes(void **state)
{
  const PetscReal low[3] = {-2, -2, -2}, size[3] = {4, 4, 4}, cube[3] = {1, 1, 1};
  PetscReal       x[MAX_SIZE], g[MAX_SIZE];

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    for (int member = 0; member < 2; member++) {
      PetscReal       force[2][3] = {{0}};
      const PetscReal over[2][3]  = {{0.1, 2.05, 0}, {0.1, 0.3, 2.05}};
      const PetscInt  axis        = dim - 1;
      Start(dim, (AbutOrientedMember)member, 0.2);
      AddBox(low, size, x);
      AddBox(over[dim - 2], cube, x);
      assert_true(Energy(x, g) > 1);
      for (PetscInt i = 0; i < dim * t.nv; i++) force[i / dim >= t.nv / 2][i % dim] -= g[i];
      assert_true(force[1][axis] > 1);
      assert_true(PetscAbsReal(force[0][axis] + force[1][axis]) < 1e-10 * force[1][axis]);
      for (PetscInt i = 0; i < 2 * axis; i++) assert_true(PetscAbsReal(force[i / axis][i % axis]) < 1e-12 * force[1][axis]);
    }
  }
}

/* energy / kappa has the unit of an area in 3D and of a length in 2D for OIPC, and the square of these units for GCP. */
static void test_units(void **state)
{
  const PetscReal low[3] = {-2, -2, -2}, size[3] = {4, 4, 4}, over[3] = {0.1, 2.05, 2.05}, cube[3] = {1, 1, 1};

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    for (int member = 0; member < 2; member++) {
      PetscReal energy[2], x[MAX_SIZE];
      for (int k = 0; k < 2; k++) {
        const PetscReal scale = k ? 1000 : 1;
        Start(dim, (AbutOrientedMember)member, 0.2 * scale);
        t.spec.length = 0.5 * scale;
        AddBox(low, size, x);
        AddBox(over, cube, x);
        for (PetscInt i = 0; i < dim * t.nv; i++) x[i] *= scale;
        energy[k] = Energy(x, NULL);
      }
      assert_true(energy[0] > 0);
      assert_true(PetscAbsReal(energy[1] / energy[0] / PetscPowReal(1000, (dim - 1) * (member == ABUT_ORIENTED_GCP ? 2 : 1)) - 1) < 1e-9);
    }
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_alone),
    cmocka_unit_test(test_two_boxes),
    cmocka_unit_test(test_units),
  };
  return AbutTestMain(argc, argv, tests);
}
