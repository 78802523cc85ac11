/* An obstacle much larger than the bodies is distributed evenly over the ranks. */
#include "mesh_support.h"

enum { SIDE = 224 }; /* 2 * 224^2 = 100352 triangles */

static void WriteGrid(char path[PETSC_MAX_PATH_LEN])
{
  FILE *file;

  WriteFile("grid.obj", "", path);
  if (!Rank()) {
    file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i <= SIDE; i++)
      for (int j = 0; j <= SIDE; j++) fprintf(file, "v %g %g %g\n", 0.01 * i, 0.01 * j, 0.001 * ((i + j) % 3));
    for (int i = 0; i < SIDE; i++)
      for (int j = 1; j <= SIDE; j++) {
        const int a = i * (SIDE + 1) + j, b = a + SIDE + 1;
        fprintf(file, "f %d %d %d\nf %d %d %d\n", a, b, a + 1, a + 1, b, b + 1);
      }
    fclose(file);
  }
  assert_int_equal(MPI_Barrier(PETSC_COMM_WORLD), 0);
}

/* Largest over average of a count. */
static PetscReal Imbalance(PetscInt count, PetscInt expected)
{
  PetscInt    most = count;
  PetscMPIInt size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  assert_int_equal(SumInt(count), expected);
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD), 0);
  return (PetscReal)most * size / (PetscReal)expected;
}

static void IsSpreadEvenly(void **state)
{
  const PetscInt       vertices = (SIDE + 1) * (SIDE + 1), edges = 3 * SIDE * SIDE + 2 * SIDE;
  const AbutMeshLocal *local;
  AbutBodySpec         specs[2];
  AbutMesh             mesh;
  PetscMPIInt          size;
  char                 path[PETSC_MAX_PATH_LEN];

  (void)state;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  WriteGrid(path);
  specs[0]                    = Spec("block", ABUT_SHAPE_BOX, 0.1, 0.1, 0.1, 4, 4, 4);
  specs[0].shape.translate[2] = 1;
  specs[1]                    = FileSpec("ground", path);
  specs[1].obstacle           = PETSC_TRUE;
  specs[1].material           = -1;
  mesh                        = MakeMesh(PETSC_COMM_WORLD, 3, 2, specs, &local);
  assert_true(Imbalance(local->num_faces, 2 * SIDE * SIDE + 6 * 4 * 4 * 2) <= 1.1);
  assert_true(Imbalance(local->num_edges, edges + 3 * 6 * 4 * 4) <= 1.1);
  assert_true(Imbalance(local->num_points, vertices + 125 - 27) <= 1.1);
  /* a rank stores its share of the vertices and a few layers of ghosts along the boundary of its part */
  assert_true(local->num_local <= 1.1 * (vertices + 125) / size + 8 * SIDE);
  AbutTestCall(AbutMeshDestroy(&mesh));
  RemoveFile(path);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(IsSpreadEvenly)};
  return AbutTestMain(argc, argv, tests);
}
