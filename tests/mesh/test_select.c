/* Selections: the owned vertices that meet all criteria, on any rank count. */
#include "mesh_support.h"
#include <math.h>

/* A body of 5 x 4 x 3 vertices on [0, 4] x [0, 3] x [0, 2], two copies 10 apart in x; a small obstacle. */
static AbutMesh Scene(const AbutMeshLocal **local)
{
  AbutBodySpec specs[2] = {Spec("grid", ABUT_SHAPE_BOX, 4, 3, 2, 4, 3, 2), Spec("floor", ABUT_SHAPE_BOX, 1, 1, 1, 1, 1, 1)};

  specs[0].shape.translate[0] = 2;
  specs[0].shape.translate[1] = 1.5;
  specs[0].shape.translate[2] = 1;
  specs[0].shape.copies[0]    = 2;
  specs[0].shape.spacing[0]   = 10;
  specs[1].obstacle           = PETSC_TRUE;
  specs[1].shape.translate[1] = -5;
  return MakeMesh(PETSC_COMM_WORLD, 3, 2, specs, local);
}

/* Fails unless the selection has num vertices, contains the ids (list ends with -1), and lists owned local indices in ascending order. */
static void Expect(AbutMesh mesh, const AbutMeshLocal *local, const AbutSelectionSpec *selection, PetscInt num, const PetscInt ids[])
{
  PetscInt *seen = calloc((size_t)local->num_global, sizeof(*seen)), count, *vertices, total = 0;

  AbutTestCall(AbutMeshSelect(mesh, selection, "scene.yaml:9", &count, &vertices));
  for (PetscInt i = 0; i < count; i++) {
    assert_in_range(vertices[i], 0, local->num_owned - 1);
    if (i) assert_true(vertices[i] > vertices[i - 1]);
    seen[local->vertex_id[vertices[i]]]++;
  }
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, seen, (PetscMPIInt)local->num_global, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  for (PetscInt v = 0; v < local->num_global; v++) total += seen[v];
  assert_int_equal(total, num);
  for (PetscInt i = 0; ids && ids[i] >= 0; i++) assert_int_equal(seen[ids[i]], 1);
  AbutTestCall(PetscFree(vertices));
  free(seen);
}

/* The vertices on edges between listed corners belong to the list: on a face of two triangles four sides and a diagonal. */
static void ByListOfCorners(void **state)
{
  const AbutMeshLocal *local;
  AbutBodySpec         spec = Spec("bar", ABUT_SHAPE_BOX, 2, 1, 1, 2, 1, 1);
  AbutMesh             mesh;

  (void)state;
  spec.shape.order = 2;
  mesh             = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &local);
  Expect(mesh, local, &(AbutSelectionSpec){.body = "bar", .num_ids = 4, .ids = (PetscInt[]){0, 3, 6, 9}}, 9, (PetscInt[]){0, 3, 6, 9, -1});
  AbutTestCall(AbutMeshDestroy(&mesh));
}

static void ByBody(void **state)
{
  const AbutMeshLocal *local;
  AbutMesh             mesh = Scene(&local);

  (void)state;
  Expect(mesh, local, &(AbutSelectionSpec){.body = ""}, 128, NULL);
  Expect(mesh, local, &(AbutSelectionSpec){.body = "grid"}, 120, NULL);
  Expect(mesh, local, &(AbutSelectionSpec){.body = "grid[1,0,0]"}, 60, (PetscInt[]){60, 61, 118, 119, -1});
  Expect(mesh, local, &(AbutSelectionSpec){.body = "floor"}, 8, (PetscInt[]){120, 127, -1});
  AbutTestCall(AbutMeshDestroy(&mesh));
}

static void ByBox(void **state)
{
  const AbutMeshLocal *local;
  AbutMesh             mesh = Scene(&local);

  (void)state;
  Expect(mesh, local, &(AbutSelectionSpec){.body = "", .has_box = PETSC_TRUE, .box = {{0, 0, 0}, {1, 0, 0}}}, 2, (PetscInt[]){0, 1, -1});
  Expect(mesh, local,
         &(AbutSelectionSpec){.body = "grid", .has_box = PETSC_TRUE, .box = {{-INFINITY, 3, -INFINITY}, {INFINITY, INFINITY, 0}}}, 10,
         NULL);
  /* fractions of one copy's box, and of the box of both copies */
  Expect(mesh, local,
         &(AbutSelectionSpec){.body = "grid[1,0,0]", .has_box = PETSC_TRUE, .relative = PETSC_TRUE, .box = {{0, 0, 0}, {0.3, 1, 1}}}, 24,
         NULL);
  Expect(mesh, local, &(AbutSelectionSpec){.body = "grid", .has_box = PETSC_TRUE, .relative = PETSC_TRUE, .box = {{0, 0, 0}, {0.3, 1, 1}}},
         60, (PetscInt[]){0, 59, -1});
  Expect(
    mesh, local,
    &(AbutSelectionSpec){
      .body = "grid", .has_box = PETSC_TRUE, .relative = PETSC_TRUE, .box = {{-INFINITY, -INFINITY, 1}, {INFINITY, INFINITY, INFINITY}}},
    40, NULL);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

static void ByNumberAndIntersection(void **state)
{
  const AbutMeshLocal *local;
  AbutMesh             mesh = Scene(&local);

  (void)state;
  Expect(mesh, local, &(AbutSelectionSpec){.body = "grid[1,0,0]", .num_ids = 3, .ids = (PetscInt[]){59, 0, 0}}, 2,
         (PetscInt[]){60, 119, -1});
  Expect(mesh, local, &(AbutSelectionSpec){.body = "grid", .num_ids = 1, .ids = (PetscInt[]){7}}, 2, (PetscInt[]){7, 67, -1});
  Expect(
    mesh, local,
    &(AbutSelectionSpec){.body = "grid", .num_ids = 2, .ids = (PetscInt[]){0, 59}, .has_box = PETSC_TRUE, .box = {{0, 0, 0}, {5, 5, 5}}}, 2,
    (PetscInt[]){0, 59, -1});
  AbutTestCall(AbutMeshDestroy(&mesh));
}

/* A physical group selects vertices of the bodies of its file, also of their copies. */
static void ByGroup(void **state)
{
  AbutBodySpec         specs[2] = {FileSpec("part", ABUT_MESH_DATA "/two_tets_22.msh"), Spec("box", ABUT_SHAPE_BOX, 1, 1, 1, 2, 2, 2)};
  const AbutMeshLocal *local;
  AbutMesh             mesh;

  (void)state;
  specs[0].shape.copies[2]    = 2;
  specs[0].shape.spacing[2]   = 3;
  specs[1].shape.translate[0] = 9;
  mesh                        = MakeMesh(PETSC_COMM_WORLD, 3, 2, specs, &local);
  Expect(mesh, local, &(AbutSelectionSpec){.body = "", .group = "left side"}, 6, (PetscInt[]){0, 2, 3, 5, 7, 8, -1});
  Expect(mesh, local, &(AbutSelectionSpec){.body = "part[0,0,1]", .group = "left side"}, 3, (PetscInt[]){5, 7, 8, -1});
  Expect(mesh, local, &(AbutSelectionSpec){.body = "part", .group = "solid", .num_ids = 1, .ids = (PetscInt[]){4}}, 2,
         (PetscInt[]){4, 9, -1});
  AbutTestCall(AbutMeshDestroy(&mesh));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(ByListOfCorners), cmocka_unit_test(ByBody), cmocka_unit_test(ByBox),
                                     cmocka_unit_test(ByNumberAndIntersection), cmocka_unit_test(ByGroup)};
  return AbutTestMain(argc, argv, tests);
}
