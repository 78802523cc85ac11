/* Ghost exchange: owner to ghosts, sum of ghosts to the owner; conversion to input order. */
#include "mesh_support.h"

static PetscReal Value(PetscInt id, PetscInt component)
{
  return (PetscReal)(id * 10 + component) / 7;
}

static AbutMesh TwoBoxes(const AbutMeshLocal **local)
{
  AbutBodySpec specs[2]       = {Spec("a", ABUT_SHAPE_BOX, 1, 1, 1, 4, 3, 3), Spec("b", ABUT_SHAPE_BALL, 1, 0, 0, 2, 0, 0)};
  specs[1].shape.translate[0] = 5;
  return MakeMesh(PETSC_COMM_WORLD, 3, 2, specs, local);
}

static void HaloCopies(void **state)
{
  const AbutMeshLocal *local;
  AbutMesh             mesh = TwoBoxes(&local);

  (void)state;
  for (PetscInt width = 1; width <= 9; width += 2) {
    PetscReal *values = calloc((size_t)(local->num_local * width), sizeof(*values));

    for (PetscInt i = 0; i < local->num_owned * width; i++) values[i] = Value(local->vertex_id[i / width], i % width);
    AbutTestCall(AbutMeshUpdateGhosts(mesh, width, values));
    for (PetscInt i = 0; i < local->num_local * width; i++) assert_true(values[i] == Value(local->vertex_id[i / width], i % width));
    free(values);
  }
  AbutTestCall(AbutMeshDestroy(&mesh));
}

/* Each rank adds id + 1 for each copy of a vertex it has: owners must get (id + 1) times the number of copies. */
static void ReduceSums(void **state)
{
  const AbutMeshLocal *local;
  AbutMesh             mesh   = TwoBoxes(&local);
  PetscReal           *values = calloc((size_t)local->num_local * 2, sizeof(*values));
  PetscInt            *copies = calloc((size_t)local->num_global, sizeof(*copies));

  (void)state;
  for (PetscInt v = 0; v < local->num_local; v++) {
    copies[local->vertex_id[v]]++;
    values[2 * v]     = (PetscReal)(local->vertex_id[v] + 1);
    values[2 * v + 1] = v < local->num_owned ? 100 : 1;
  }
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, copies, (PetscMPIInt)local->num_global, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  AbutTestCall(AbutMeshReduceAdd(mesh, 2, values));
  for (PetscInt v = 0; v < local->num_local; v++) {
    const PetscInt n = v < local->num_owned ? copies[local->vertex_id[v]] : 1;
    assert_true(values[2 * v] == (PetscReal)((local->vertex_id[v] + 1) * n));
    assert_true(values[2 * v + 1] == (v < local->num_owned ? 100 + (PetscReal)(n - 1) : 1));
  }
  free(values);
  free(copies);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(HaloCopies), cmocka_unit_test(ReduceSums)};
  return AbutTestMain(argc, argv, tests);
}
