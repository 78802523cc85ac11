/* Tributary areas: their sum is the surface; a pressed face has its own area, also at its edges, on linear and quadratic cells. */
#include "mesh_support.h"

/* A block with its lower corner at 0. */
static AbutMesh Block(PetscInt dim, PetscInt order, const AbutMeshLocal **local)
{
  AbutBodySpec spec = Spec("block", ABUT_SHAPE_BOX, 2, 1, dim == 3 ? 3 : 0, 4, 2, dim == 3 ? 3 : 0);

  spec.shape.order = order;
  return MakeMesh(PETSC_COMM_WORLD, dim, 1, &spec, local);
}

static void CheckAreas(PetscInt dim, PetscInt order)
{
  const AbutMeshLocal *m;
  AbutMesh             mesh  = Block(dim, order, &m);
  const PetscReal      depth = dim == 3 ? 3 : 1, whole = dim == 3 ? 2 * (2 + 6 + 3) : 2 * (2 + 1);
  PetscReal *area = calloc((size_t)m->num_owned + 1, sizeof(*area)), *force = calloc((size_t)(m->num_local * dim + 1), sizeof(*force));
  PetscReal  sums[3] = {0}; /* all areas; areas of the pressed face;; areas elsewhere */

  AbutTestCall(AbutMeshGetVertexAreas(mesh, m->rest, NULL, area));
  for (PetscInt v = 0; v < m->num_owned; v++) sums[0] += area[v];
  for (PetscInt v = 0; v < m->num_local; v++)
    if (m->rest[dim * v + 1] < -0.5 + 1e-9) force[dim * v + 1] = 7;
  AbutTestCall(AbutMeshGetVertexAreas(mesh, m->rest, force, area));
  for (PetscInt v = 0; v < m->num_owned; v++) {
    const PetscReal *x = m->rest + dim * v;
    sums[force[dim * v + 1] > 0 ? 1 : 2] += area[v];
    if (order == 1 && dim == 2 && force[2 * v + 1] > 0)
      assert_true(PetscAbsReal(area[v] - (PetscAbsReal(x[0]) > 1 - 1e-9 ? 0.25 : 0.5)) < 1e-14);
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD);
  assert_true(PetscAbsReal(sums[0] - whole) < 1e-12);
  assert_true(PetscAbsReal(sums[1] - 2 * depth) < 1e-12);
  for (PetscInt v = 0; v < m->num_local; v++) force[dim * v + 1] *= -1; /* no facet faces this force: the whole area counts */
  AbutTestCall(AbutMeshGetVertexAreas(mesh, m->rest, force, area));
  sums[0] = 0;
  for (PetscInt v = 0; v < m->num_owned; v++) sums[0] += area[v];
  MPI_Allreduce(MPI_IN_PLACE, sums, 1, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD);
  assert_true(PetscAbsReal(sums[0] - whole) < 1e-12);
  free(area), free(force);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

static void Areas(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (PetscInt order = 1; order <= 2; order++) CheckAreas(dim, order);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Areas)};
  return AbutTestMain(argc, argv, tests);
}
