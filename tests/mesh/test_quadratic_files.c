/* Quadratic cells of mesh files: nodes, groups and surfaces in each format, geometries meshed with order 2, obstacles, refusals. */
#include "compare_meshes.h"
#include "quadratic_files.h"

/* Number of the corner at a place; libgmsh orders nodes by their entities. */
static PetscInt CornerAt(PetscInt dim, const PetscReal x[])
{
  for (PetscInt c = 0; c < 5; c++) {
    PetscReal place[3], distance = 0;

    PlaceCorner(dim, c, place);
    for (PetscInt d = 0; d < dim; d++) distance += PetscAbsReal(x[d] - place[d]);
    if (distance == 0 && (dim == 3 || c != 3)) return c;
  }
  fail_msg("no corner is at (%g, %g)", (double)x[0], (double)x[1]);
  return -1;
}

static const PetscReal *CornerPlace(PetscInt c)
{
  return corner[c];
}

/* Every node on an edge has the place that belongs to the corners of the edge; the mesh has its vertex. */
static void CheckNodes(const AbutMeshLocal *m)
{
  assert_non_null(m->middles);
  for (PetscInt c = 0; c < m->num_cells; c++) {
    assert_true(AbutCellIsQuadratic(m, c));
    for (PetscInt e = 0; e < AbutNumCellEdges(m->dim); e++) {
      PetscInt  ends[2];
      PetscReal x[3];

      for (PetscInt k = 0; k < 2; k++) {
        ends[k] = CornerAt(m->dim, &m->rest[m->dim * m->cells[(m->dim + 1) * c + AbutCellEdgeCorner(e, k)]]);
      }
      PlaceNode(m->dim, ends[0], ends[1], x);
      for (PetscInt d = 0; d < m->dim; d++) x[d] = AbutEdgeVertex(CornerPlace(ends[0])[d], CornerPlace(ends[1])[d], x[d]);
      AbutTestClose("vertex", m->dim, &m->rest[m->dim * AbutCellNode(m, c, m->dim + 1 + e)], x, 1e-15);
    }
  }
}

static void CheckFile(PetscInt dim, const char path[])
{
  AbutBodySpec         spec = FileSpec("part", path);
  const AbutMeshLocal *m, *serial, *surface;
  AbutMesh             mesh, alone, obstacle;

  for (spec.shape.order = 0; spec.shape.order <= 2; spec.shape.order += 2) { /* a quadratic file stays as it is */
    mesh  = MakeMesh(PETSC_COMM_WORLD, dim, 1, &spec, &m);
    alone = MakeMesh(PETSC_COMM_SELF, dim, 1, &spec, &serial);
    assert_int_equal(m->num_global, NumNodes(dim));
    assert_int_equal(m->global.cells, 2);
    assert_int_equal(m->global.faces, dim == 3 ? 24 : 0);
    assert_int_equal(m->global.edges, dim == 3 ? 36 : 8);
    assert_int_equal(m->global.points, dim == 3 ? 14 : 8);
    CheckNodes(m);
    CompareMeshes(m, serial);
    if (dim == 3) assert_int_equal(CountGroup(mesh, "part", "face"), 6);
    assert_int_equal(CountGroup(mesh, "part", "rim"), 3);
    assert_int_equal(CountGroup(mesh, "part", "all"), NumNodes(dim));
    AbutTestCall(AbutMeshDestroy(&mesh));
    AbutTestCall(AbutMeshDestroy(&alone));
  }
  spec.shape.order = 1;
  ExpectSpecError(dim, &spec, "order is 1", "remove the key");
  spec.shape.order = 0;
  spec.obstacle    = PETSC_TRUE;
  spec.material    = -1;
  obstacle         = MakeMesh(PETSC_COMM_WORLD, dim, 1, &spec, &surface);
  assert_null(surface->middles);
  assert_int_equal(surface->global.cells, 0);
  assert_int_equal(surface->num_global, dim == 3 ? 14 : 8);
  assert_int_equal(surface->global.faces, dim == 3 ? 24 : 0);
  assert_int_equal(surface->global.edges, dim == 3 ? 36 : 8);
  AbutTestCall(AbutMeshDestroy(&obstacle));
  RemoveFile(path);
}

static void Formats(void **state)
{
  char path[PETSC_MAX_PATH_LEN];

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    WriteMsh2("two.msh", dim, PETSC_FALSE, PETSC_FALSE, path);
    CheckFile(dim, path);
    WriteMsh4("four.msh", dim, path);
    CheckFile(dim, path);
    WriteQuadraticHDF5("mesh.h5", dim, dim == 3 ? 10 : 6, path);
    CheckFile(dim, path);
#if !defined(ABUT_TEST_WITHOUT_GMSH)
    WriteMsh2("binary.msh", dim, PETSC_TRUE, PETSC_FALSE, path);
    CheckFile(dim, path);
#endif
  }
}

/* Obstacles of quadratic triangles and lines: linear parts of them. */
static void Sides(void **state)
{
  char                 path[PETSC_MAX_PATH_LEN];
  const AbutMeshLocal *m;

  (void)state;
  for (int binary = 0; binary < 2; binary++) {
    for (PetscInt dim = 2; dim <= 3; dim++) {
      AbutBodySpec spec;
      AbutMesh     mesh;

#if defined(ABUT_TEST_WITHOUT_GMSH)
      if (binary) continue;
#endif
      WriteMsh2("side.msh", dim, (PetscBool)binary, PETSC_TRUE, path);
      spec          = FileSpec("part", path);
      spec.obstacle = PETSC_TRUE;
      spec.material = -1;
      mesh          = MakeMesh(PETSC_COMM_WORLD, dim, 1, &spec, &m);
      assert_int_equal(m->num_global, dim == 3 ? 6 : 3);
      assert_int_equal(m->global.faces, dim == 3 ? 4 : 0);
      assert_int_equal(m->global.edges, dim == 3 ? 9 : 2);
      AbutTestCall(AbutMeshDestroy(&mesh));
      RemoveFile(path);
    }
  }
}

/* Nodes stay on their edges in copies and in mirrored bodies. */
static void Placed(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    AbutBodySpec         spec;
    const AbutMeshLocal *m, *serial;
    AbutMesh             mesh, alone;
    char                 path[PETSC_MAX_PATH_LEN];

    WriteMsh2("two.msh", dim, PETSC_FALSE, PETSC_FALSE, path);
    spec                  = FileSpec("part", path);
    spec.shape.scale[0]   = -1;
    spec.shape.copies[1]  = 3;
    spec.shape.spacing[1] = 2;
    mesh                  = MakeMesh(PETSC_COMM_WORLD, dim, 1, &spec, &m);
    alone                 = MakeMesh(PETSC_COMM_SELF, dim, 1, &spec, &serial);
    CompareMeshes(m, serial);
    for (PetscInt c = 0; c < m->num_cells; c++) {
      assert_true(AbutCellMeasure(m, c, m->rest) > 0.1);
      for (PetscInt i = 0; i < AbutNumCellEdges(dim) * dim; i++) {
        const PetscInt  e = i / dim, d = i % dim, *cell = &m->cells[(dim + 1) * c];
        const PetscReal a = m->rest[dim * cell[AbutCellEdgeCorner(e, 0)] + d], b = m->rest[dim * cell[AbutCellEdgeCorner(e, 1)] + d];

        assert_true(PetscAbsReal(m->rest[dim * AbutCellNode(m, c, dim + 1 + e) + d] - (a + b) / 2) < 0.07);
      }
    }
    AbutTestCall(AbutMeshDestroy(&mesh));
    AbutTestCall(AbutMeshDestroy(&alone));
    RemoveFile(path);
  }
}

/* Sum of the volumes of all cells. */
static PetscReal Measure(const AbutMeshLocal *m)
{
  PetscReal sum = 0;

  for (PetscInt c = 0; c < m->num_cells; c++) sum += AbutCellMeasure(m, c, m->rest);
  return SumReal(sum);
}

/* A plate with a round hole, whose curves run clockwise: the area converges with the order. */
static void Plate(void)
{
  AbutBodySpec         spec = FileSpec("part", ABUT_MESH_DATA "/plate.geo");
  const AbutMeshLocal *m;
  PetscReal            error[2];

  for (int k = 0; k < 2; k++) {
    AbutMesh mesh;

    spec.shape.order = 1 + k;
    mesh             = MakeMesh(PETSC_COMM_WORLD, 2, 1, &spec, &m);
    error[k]         = PetscAbsReal(Measure(m) - (4 - PETSC_PI / 4));
    assert_int_equal(CountGroup(mesh, "part", "plate"), m->num_global);
    AbutTestCall(AbutMeshDestroy(&mesh));
  }
  assert_true(error[0] > 1e-3 && error[1] < 0.02 * error[0]);
}

/*
  Groups of a linear file with order 2: edges of their simplices, not those between two simplices; in groups of points, edges between
  two points.
*/
static void GroupsOfLinearFiles(void **state)
{
  static const char square[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n1 1 \"sides\"\n0 2 \"points\"\n2 3 \"all\"\n$End"
                               "PhysicalNames\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n$Elements\n6\n1 15 2 2 1 1\n"
                               "2 15 2 2 2 2\n3 1 2 1 1 1 2\n4 1 2 1 2 3 4\n5 2 2 3 1 1 2 3\n6 2 2 3 1 1 3 4\n$EndElements\n";
  char              path[PETSC_MAX_PATH_LEN];
  const PetscInt    expected[3] = {6, 3, 9};
  const char *const names[3]    = {"sides", "points", "all"};
  AbutBodySpec      spec;
  const AbutMeshLocal *m;
  AbutMesh             mesh;

  (void)state;
  WriteFile("square.msh", square, path);
  spec                  = FileSpec("part", path);
  spec.shape.order      = 2;
  spec.shape.copies[0]  = 2;
  spec.shape.spacing[0] = 2;
  mesh                  = MakeMesh(PETSC_COMM_WORLD, 2, 1, &spec, &m);
  for (int g = 0; g < 3; g++) assert_int_equal(CountGroup(mesh, "part", names[g]), 2 * expected[g]);
  AbutTestCall(AbutMeshDestroy(&mesh));
  RemoveFile(path);
}

/* Geometries with order 2 have their surface nodes on the true surface; the file order of a mesh without order 2 stays 1. */
static void Geometries(void **state)
{
  static const char    ball[] = "SetFactory(\"OpenCASCADE\");\nSphere(1) = {0, 0, 0, 1};\nPhysical Volume(\"all\") = {1};\n";
  AbutBodySpec         spec;
  const AbutMeshLocal *m;
  AbutMesh             mesh;
  char                 path[PETSC_MAX_PATH_LEN];
  PetscReal            worst, error[2], *nodes;

  (void)state;
#if defined(ABUT_TEST_WITHOUT_GMSH)
  skip();
#endif
  Plate();
  WriteFile("ball.geo", ball, path);
  spec                 = FileSpec("part", path);
  spec.shape.mesh_size = 0.9;
  for (spec.shape.order = 1; spec.shape.order <= 2; spec.shape.order++) {
    mesh  = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &m);
    worst = 0;
    assert_int_equal(m->middles != NULL, spec.shape.order == 2);
    nodes = calloc((size_t)(3 * m->num_owned + 1), sizeof(*nodes));
    AbutTestCall(AbutMeshVerticesToNodes(mesh, m->rest, nodes));
    for (PetscInt i = 0; i < m->num_points; i++) {
      const PetscReal *x = &nodes[3 * m->points[i]];

      worst = PetscMax(worst, PetscAbsReal(PetscSqrtReal(AbutDot(3, x, x)) - 1));
    }
    free(nodes);
    assert_true(worst < 1e-8);
    error[spec.shape.order - 1] = PetscAbsReal(Measure(m) - 4 * PETSC_PI / 3);
    assert_int_equal(CountGroup(mesh, "part", "all"), m->num_global);
    AbutTestCall(AbutMeshDestroy(&mesh));
  }
  assert_true(error[0] > 0.1 && error[1] < 0.05 * error[0]);
  RemoveFile(path);
}

/* Linear and quadratic cells in one file, a cell that is neither, an unknown node, HDF5 with another number of columns. */
static void Refusals(void **state)
{
  static const char head[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n7\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n5 .5 0 0\n6 .5 .5 0\n7 0 .5 0\n"
    "$EndNodes\n$Elements\n2\n";
  char              text[1024], path[PETSC_MAX_PATH_LEN];
  AbutBodySpec      spec = Spec("ball", ABUT_SHAPE_BALL, 1, 0, 0, 2, 0, 0);
  AbutSurfaceArrays surface;

  (void)state;
  spec.obstacle    = PETSC_TRUE;
  spec.shape.order = 2;
  ExpectError(AbutSurfaceRead(&spec, &surface), "obstacle 'ball': order is 2", "piecewise linear");
  snprintf(text, sizeof(text), "%s1 9 2 0 1 1 2 3 5 6 7\n2 2 2 0 1 2 4 3\n$EndElements\n", head);
  ExpectFileError(2, "mixed.msh", text, "mixed.msh:17: a cell of type 2 follows cells of type 9",
                  "all cells of a file must be linear or all must be quadratic");
  snprintf(text, sizeof(text), "%s1 2 2 0 1 2 4 3\n2 9 2 0 1 1 2 3 5 6 7\n$EndElements\n", head);
  ExpectFileError(2, "mixed.msh", text, "mixed.msh:17: a cell of type 9 follows cells of type 2", "part");
  snprintf(text, sizeof(text), "%s1 21 2 0 1 1 2 3 4 5 6 7 1 2 3\n", head);
  ExpectFileError(2, "cubic.msh", text, "cubic.msh:16: element type 21 is unknown", "part");
  snprintf(text, sizeof(text), "%s1 16 2 0 1 1 2 3 4 5 6 7 1\n", head);
  ExpectFileError(2, "quad.msh", text,
                  "quad.msh:16: element type 16 is not read: cells must be linear or quadratic triangles (type 2 or 9)", "part");
  snprintf(text, sizeof(text), "%s1 9 2 0 1 1 2 3 5 6 8\n", head);
  ExpectFileError(2, "node.msh", text, "node.msh:16: an element names node 8", "not in $Nodes");
  WriteQuadraticHDF5("columns.h5", 3, 8, path);
  spec = FileSpec("part", path);
  ExpectSpecError(3, &spec, "cells has 8 columns; it must have 4 or 10", "linear or quadratic tetrahedron");
  RemoveFile(path);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Formats),
                                     cmocka_unit_test(Sides),
                                     cmocka_unit_test(Placed),
                                     cmocka_unit_test(Geometries),
                                     cmocka_unit_test(GroupsOfLinearFiles),
                                     cmocka_unit_test(Refusals)};
  return AbutTestMain(argc, argv, tests);
}
