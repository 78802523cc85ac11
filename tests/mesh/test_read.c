/* Shape, groups and vertex numbering read from each file format. */
#include "mesh_support.h"

#define DATA(name) ABUT_MESH_DATA "/" name

/* Two tetrahedra (volumes 1/6 and 1/3), the vertices in the order of `order`; the unused point of the geometry is left out. */
static void CheckTwoTets(const char path[], const PetscInt order[5], PetscBool has_groups)
{
  static const PetscReal corner[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  const AbutBodySpec     spec         = FileSpec("part", path);
  const AbutMeshLocal   *local;
  AbutMesh               mesh = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &local);

  assert_int_equal(local->num_global, 5);
  assert_int_equal(local->global.cells, 2);
  assert_int_equal(local->global.faces, 6);
  assert_int_equal(local->global.edges, 9);
  for (PetscInt v = 0; v < local->num_local; v++) AbutTestClose("vertex", 3, &local->rest[3 * v], corner[order[local->vertex_id[v]]], 0);
  AbutTestClose("volume", 1, (PetscReal[]){TotalVolume(local)}, (PetscReal[]){0.5}, 1e-15);
  if (has_groups) {
    assert_int_equal(CountGroup(mesh, "part", "left side"), 3);
    assert_int_equal(CountGroup(mesh, "part", "solid"), 5);
    assert_int_equal(CountGroup(mesh, "part", "3"), 1);
    assert_int_equal(CountGroup(mesh, "part", "4"), 2);
  }
  AbutTestCall(AbutMeshDestroy(&mesh));
}

static void GmshAscii(void **state)
{
  (void)state;
  CheckTwoTets(DATA("two_tets_22.msh"), (PetscInt[]){0, 1, 2, 3, 4}, PETSC_TRUE);
  CheckTwoTets(DATA("two_tets_41.msh"), (PetscInt[]){0, 2, 3, 1, 4}, PETSC_TRUE);
  CheckTwoTets(DATA("two_tets_40.msh"), (PetscInt[]){0, 2, 3, 1, 4}, PETSC_TRUE);
  CheckTwoTets(DATA("two_tets_bare_41.msh"), (PetscInt[]){0, 1, 2, 3, 4}, PETSC_FALSE);
}

static void GmshPlane(void **state)
{
  const AbutBodySpec   spec = FileSpec("part", DATA("triangles_22.msh"));
  const AbutMeshLocal *local;
  AbutMesh             mesh = MakeMesh(PETSC_COMM_WORLD, 2, 1, &spec, &local);

  (void)state;
  assert_int_equal(local->global.cells, 2);
  assert_int_equal(local->global.edges, 4);
  assert_int_equal(CountGroup(mesh, "part", "5"), 2);
  assert_int_equal(CountGroup(mesh, "part", "6"), 4);
  AbutTestClose("area", 1, (PetscReal[]){TotalVolume(local)}, (PetscReal[]){2}, 1e-15);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

/* In 2D a clockwise curve loop is valid, and the centre of an arc is not a vertex. */
static void GeometryPlane(void **state)
{
  AbutBodySpec         spec = FileSpec("part", DATA("plate.geo"));
  const AbutMeshLocal *local;
  AbutMesh             mesh;
  PetscInt             coarse;

  (void)state;
#if defined(ABUT_TEST_WITHOUT_GMSH)
  skip();
#endif
  mesh   = MakeMesh(PETSC_COMM_WORLD, 2, 1, &spec, &local);
  coarse = local->global.cells;
  assert_int_equal(CountGroup(mesh, "part", "plate"), local->num_global);
  assert_true(CountGroup(mesh, "part", "top") >= 5);
  /* chords inside the circle of the hole: the area is a little larger than 4 - pi / 4 */
  assert_true(TotalVolume(local) > 4 - PETSC_PI / 4 && TotalVolume(local) < 4 - PETSC_PI / 4 + 0.02);
  AbutTestCall(AbutMeshDestroy(&mesh));
  spec.shape.mesh_size = 0.1;
  mesh                 = MakeMesh(PETSC_COMM_WORLD, 2, 1, &spec, &local);
  assert_true(local->global.cells > 5 * coarse);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

static void GeometrySolid(void **state)
{
  AbutBodySpec         spec = FileSpec("part", DATA("brick.geo"));
  const AbutMeshLocal *local;
  AbutMesh             mesh;

  (void)state;
#if defined(ABUT_TEST_WITHOUT_GMSH)
  skip();
#endif
  spec.shape.mesh_size = 0.6;
  mesh                 = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &local);
  AbutTestClose("volume", 1, (PetscReal[]){TotalVolume(local)}, (PetscReal[]){6}, 1e-12);
  assert_int_equal(CountGroup(mesh, "part", "all"), local->num_global);
  assert_in_range(CountGroup(mesh, "part", "bottom"), 4, local->global.points / 3);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

/* A STEP file states its unit. mesh_size is an edge length of the placed body. */
static void GeometryUnit(void **state)
{
  AbutBodySpec         spec = FileSpec("part", DATA("cube_20mm.step"));
  const AbutMeshLocal *local;
  AbutMesh             mesh;
  PetscInt             cells[2];

  (void)state;
#if defined(ABUT_TEST_WITHOUT_GMSH)
  skip();
#endif
  for (int k = 0; k < 2; k++) {
    const PetscReal scale[3] = {k ? 10 : 1, k ? -1000 : 1, k ? 100 : 1};

    for (int d = 0; d < 3; d++) spec.shape.scale[d] = scale[d];
    spec.shape.mesh_size = k ? 0.8 : 0.008; /* the geometric mean of the scales is 100 */
    mesh                 = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &local);
    AbutTestClose("volume", 1, (PetscReal[]){TotalVolume(local)}, (PetscReal[]){k ? 8 : 8e-6}, 1e-12);
    cells[k] = local->global.cells;
    AbutTestCall(AbutMeshDestroy(&mesh));
  }
  assert_true(cells[0] > 50 && cells[0] < 500 && cells[1] == cells[0]);
}

/* Checks the numbers of vertices, faces and edges of an obstacle that is read from a file. */
static void CheckObstacle(PetscInt dim, const char path[], PetscInt vertices, PetscInt faces, PetscInt edges)
{
  AbutBodySpec         spec = FileSpec("thing", path);
  const AbutMeshLocal *local;
  AbutMesh             mesh;

  spec.obstacle = PETSC_TRUE;
  mesh          = MakeMesh(PETSC_COMM_WORLD, dim, 1, &spec, &local);
  assert_int_equal(local->num_global, vertices);
  assert_int_equal(local->global.points, vertices);
  assert_int_equal(local->global.faces, faces);
  assert_int_equal(local->global.edges, edges);
  assert_int_equal(local->global.cells, 0);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

static void SurfaceFiles(void **state)
{
  (void)state;
  CheckObstacle(3, DATA("sheet.obj"), 5, 3, 7);
  CheckObstacle(3, DATA("sheet.seg"), 5, 0, 7); /* does not exist: the edges of sheet.obj */
  CheckObstacle(3, DATA("sheet.pt"), 6, 0, 0);  /* does not exist: the vertices of sheet.obj */
  CheckObstacle(3, DATA("wire.seg"), 3, 0, 2);
  CheckObstacle(2, DATA("wire.seg"), 3, 0, 3); /* in 2D the direction counts */
  CheckObstacle(3, DATA("two_tets_22.msh"), 5, 6, 9);
  CheckObstacle(2, DATA("triangles_22.msh"), 4, 0, 4);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(GmshAscii),     cmocka_unit_test(GmshPlane),    cmocka_unit_test(GeometryPlane),
    cmocka_unit_test(GeometrySolid), cmocka_unit_test(GeometryUnit), cmocka_unit_test(SurfaceFiles),
  };
  return AbutTestMain(argc, argv, tests);
}
