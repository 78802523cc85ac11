/* Every entity is on exactly one rank and equals the entity of a serial mesh with the same id, with both methods of partition. */
#include "compare_meshes.h"

enum { NUM_SPECS = 5 };

/* Bodies of all generated shapes, one of them a grid of copies, and an obstacle; so small that every body is divided on 7 ranks. */
static PetscInt MakeScene(PetscInt dim, AbutBodySpec specs[NUM_SPECS])
{
  specs[0]                    = Spec("ball", ABUT_SHAPE_BALL, 1, 0, 0, 3, 0, 0);
  specs[1]                    = Spec("brick", ABUT_SHAPE_BOX, 0.5, 0.4, 0.3, 2, 3, 2);
  specs[2]                    = Spec("ring", ABUT_SHAPE_TORUS, 1, 0.4, 0, 2, 0, 0);
  specs[3]                    = Spec("rod", dim == 3 ? ABUT_SHAPE_CYLINDER : ABUT_SHAPE_BALL, 0.5, 2, 0, 2, 5, 0);
  specs[4]                    = Spec("mat", ABUT_SHAPE_BOX, 4, 0.1, 4, 5, 1, 5);
  specs[0].shape.center       = PETSC_TRUE;
  specs[2].shape.scale[1]     = -1.25;
  specs[2].shape.rotate[2]    = 20;
  specs[2].shape.translate[0] = 8;
  specs[3].shape.translate[0] = 16;
  specs[1].shape.translate[1] = 3;
  specs[1].shape.copies[0]    = 2;
  specs[1].shape.copies[1]    = 2;
  specs[1].shape.copies[2]    = dim == 3 ? 3 : 1;
  specs[1].shape.spacing[0] = specs[1].shape.spacing[1] = specs[1].shape.spacing[2] = 1;
  specs[4].shape.translate[1]                                                       = -2;
  specs[4].obstacle                                                                 = PETSC_TRUE;
  return NUM_SPECS;
}

static void CompareWithSerial(PetscInt dim)
{
  AbutBodySpec         specs[NUM_SPECS];
  const PetscInt       num = MakeScene(dim, specs);
  const AbutMeshLocal *local, *serial;
  AbutMesh mesh = MakeMesh(PETSC_COMM_WORLD, dim, num, specs, &local), alone = MakeMesh(PETSC_COMM_SELF, dim, num, specs, &serial);

  CompareMeshes(local, serial);
  AbutTestCall(AbutMeshDestroy(&mesh));
  AbutTestCall(AbutMeshDestroy(&alone));
}

static void PartitionedByMetis(void **state)
{
  (void)state;
  CompareWithSerial(3);
  CompareWithSerial(2);
}

static void PartitionedByCoordinates(void **state)
{
  (void)state;
  AbutTestCall(PetscOptionsSetValue(NULL, "-mesh_partition_metis", "0"));
  CompareWithSerial(3);
  CompareWithSerial(2);
  AbutTestCall(PetscOptionsClearValue(NULL, "-mesh_partition_metis"));
}

/* Ids are ascending over bodies in order; copies are numbered with z fastest. */
static void BodiesAndCopies(void **state)
{
  AbutBodySpec         specs[NUM_SPECS];
  const PetscInt       num = MakeScene(3, specs);
  const AbutMeshLocal *local;
  AbutMesh             mesh = MakeMesh(PETSC_COMM_WORLD, 3, num, specs, &local);

  (void)state;
  assert_int_equal(local->num_bodies, 1 + 12 + 3);
  assert_string_equal(local->bodies[0].name, "ball");
  assert_string_equal(local->bodies[1].name, "brick[0,0,0]");
  assert_string_equal(local->bodies[2].name, "brick[0,0,1]");
  assert_string_equal(local->bodies[12].name, "brick[1,1,2]");
  assert_string_equal(local->bodies[15].name, "mat");
  for (PetscInt b = 1; b < 16; b++) {
    assert_int_equal(local->bodies[b].vertex_start, local->bodies[b - 1].vertex_end);
    assert_int_equal(local->bodies[b].cell_start, local->bodies[b - 1].cell_end);
  }
  AbutTestClose("lower corner of the last copy", 3, local->bodies[12].box[0], (PetscReal[]){0.75, 3.8, 1.85}, 1e-14);
  assert_int_equal(local->bodies[15].cell_end, local->bodies[15].cell_start);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(PartitionedByMetis), cmocka_unit_test(PartitionedByCoordinates),
                                     cmocka_unit_test(BodiesAndCopies)};
  return AbutTestMain(argc, argv, tests);
}
