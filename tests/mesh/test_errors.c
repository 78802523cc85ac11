/* Wrong input gives an error on all ranks whose message states the place in the scene, the body and the defect. */
#include "expect_error.h"

#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"

static void BadCells(void **state)
{
  static const char nodes[] = HEAD "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n";
  char              text[1024];

  (void)state;
  snprintf(text, sizeof(text), "%s$Elements\n2\n1 4 0 1 2 3 4\n2 4 0 3 2 4 5\n$EndElements\n", nodes);
  ExpectFileError(3, "inverted.msh", text, "scene.yaml:7: body 'part': cell 1 (vertices 2 1 3 4) is inverted", "volume is -0.333");
  snprintf(text, sizeof(text), "%s$Elements\n1\n1 4 0 1 3 2 4\n$EndElements\n", nodes);
  ExpectFileError(3, "turned.msh", text, "cell 0", "the other way round");
  snprintf(text, sizeof(text), "%s$Elements\n2\n1 4 0 1 2 3 4\n2 4 0 2 3 4 2\n$EndElements\n", nodes);
  ExpectFileError(3, "degenerate.msh", text, "cell 1", "degenerate");
  snprintf(text, sizeof(text), "%s$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n", nodes);
  ExpectFileError(3, "alone.msh", text, "body 'part': vertex 4 at (1, 1, 1)", "belongs to no cell");
  snprintf(text, sizeof(text), "%s$Elements\n3\n1 4 0 1 2 3 4\n2 4 0 2 3 4 5\n3 4 0 2 3 4 5\n$EndElements\n", nodes);
  ExpectFileError(3, "twice.msh", text, "body 'part': 3 cells share one face of cell 0", "at most 2");
  ExpectFileError(3, "empty.msh", "", "$MeshFormat", "part");
}

static void BadVertices(void **state)
{
  static const char triangles[] = "$Elements\n2\n1 2 0 1 2 3\n2 2 0 4 5 6\n$EndElements\n";
  char              text[1024];

  (void)state;
  snprintf(text, sizeof(text), HEAD "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1e-14 0\n5 2 0 0\n6 2 1 0\n$EndNodes\n%s", triangles);
  ExpectFileError(2, "duplicate.msh", text, "body 'part': vertices 1 and 3 coincide", "(1, 1e-14, 0)");
  snprintf(text, sizeof(text), HEAD "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 0.1 0.5\n5 2 0 0\n6 2 1 0\n$EndNodes\n%s", triangles);
  ExpectFileError(2, "offplane.msh", text, "body 'part'", "vertex 3 has z = 0.5");
  snprintf(text, sizeof(text), HEAD "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 nan 0\n5 2 0 0\n6 2 1 0\n$EndNodes\n%s", triangles);
  ExpectFileError(2, "nan.msh", text, "coordinate 1 of vertex 3", "must be in [-1e+12, 1e+12]");
}

static void BadFiles(void **state)
{
  AbutBodySpec spec = FileSpec("part", "/nonexistent/ball.msh");

  (void)state;
  ExpectSpecError(3, &spec, "scene.yaml:7: body 'part': cannot read /nonexistent/ball.msh", "No such file");
  strcpy(spec.shape.path, "/nonexistent/part.geo");
  ExpectSpecError(3, &spec, "body 'part'", "cannot read /nonexistent/part.geo: No such file");
  for (int ending = 0; ending < 3; ending++) { /* a file name longer than file systems take */
    memset(spec.shape.path, 'a', 300);
    strcpy(spec.shape.path + 300, (const char *[]){".msh", ".geo", ".obj"}[ending]);
    ExpectSpecError(3, &spec, "body 'part': cannot read aaa", "File name too long");
  }
  strcpy(spec.shape.path, "ball.stl");
  ExpectSpecError(3, &spec, "ball.stl", ".msh, .geo");
  spec = FileSpec("part", ABUT_MESH_DATA "/triangles_22.msh");
  ExpectSpecError(3, &spec, "no cells of dimension 3", "triangles_22.msh");
  ExpectFileError(3, "word.msh", HEAD "$Nodes\n1\n1 0 zero 0\n$EndNodes\n", "word.msh:6", "a number is expected, not \"zero\"");
  ExpectFileError(3, "last.msh", HEAD "$Nodes\n1\n1 0 0 zero\n$EndNodes\n", "last.msh:6", "a number is expected, not \"zero\"");
  ExpectFileError(3, "count.msh", HEAD "$Nodes\n-one\n1 0 0 0\n$EndNodes\n", "count.msh:5", "an integer is expected, not \"-one\"");
  ExpectFileError(3, "node.msh", HEAD "$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n", "node.msh:10",
                  "names node 2");
  ExpectFileError(3, "end.msh", HEAD "$Nodes\n1\n1 0 0 0\n$EndNodes\n", "end.msh:8", "the file has no $Elements");
  ExpectFileError(3, "cut.msh", HEAD "$Nodes\n1\n1 0 0 0", "cut.msh:6", "the file ends within its nodes: it is truncated");
  ExpectFileError(3, "large.msh", HEAD "$Nodes\n1\n99999999999999999999 0 0 0\n", "large.msh:6",
                  "the integer 99999999999999999999 is not in");
  ExpectFileError(3, "draft.msh", "$MeshFormat\n4 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n$EndNodes\n", "draft.msh:8",
                  "is expected");
  ExpectFileError(3, "three.msh", "$MeshFormat\n3 0 8\n$EndMeshFormat\n", "three.msh:2", "version 3 of the format is not read");
  ExpectFileError(3, "bricks.msh", HEAD "$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 5 0 1 1 1 1 1 1 1 1\n$EndElements\n",
                  "element type 5 is not read", "linear or quadratic tetrahedra (type 4 or 11)");
  ExpectFileError(3, "cut.msh", HEAD "$Nodes\n3\n1 0 0 0\n", "cut.msh:7", "end of file");
  ExpectFileError(3, "index.obj", "v 0 0 0\nf 1 2 3\n", "index.obj:2", "vertex number 2 is out of range; valid are 1 to 1, or -1 to -1");
  ExpectFileError(3, "back.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 -9 3\n", "back.obj:4", "vertex number -9 is out of range");
}

static void BadShapes(void **state)
{
  AbutBodySpec spec = Spec("can", ABUT_SHAPE_CYLINDER, 1, 1, 0, 2, 2, 0), twins[2];
  AbutMesh     mesh;

  (void)state;
  ExpectSpecError(2, &spec, "body 'can'", "cylinder");
  spec.shape.size[1] = -2;
  ExpectSpecError(3, &spec, "size 1 of the cylinder is -2", "positive");
  spec = Spec("tyre", ABUT_SHAPE_TORUS, 1, 2, 0, 2, 0, 0);
  ExpectSpecError(3, &spec, "body 'tyre'", "major");
  spec = Spec("box", ABUT_SHAPE_BOX, 1, 1, 1, 0, 1, 1);
  ExpectSpecError(3, &spec, "cells 0 of the box is 0", "[1, ");
  spec = Spec("box", ABUT_SHAPE_BOX, 1, 1, 1, 90000, 90000, 90000);
  if (sizeof(PetscInt) == 4) ExpectSpecError(3, &spec, "body 'box'", "at most"); /* 64-bit indices can number all boxes */
  spec                = Spec("box", ABUT_SHAPE_BOX, 1, 1, 1, 1, 1, 1);
  spec.shape.scale[1] = 0;
  ExpectSpecError(3, &spec, "scale[1] is 0", "box");
  twins[0] = twins[1] = Spec("box", ABUT_SHAPE_BOX, 1, 1, 1, 1, 1, 1);
  ExpectError(AbutMeshCreate(PETSC_COMM_WORLD, 3, 2, twins, &mesh), "'box'", "has the same name");
}

static void BadObstacle(void **state)
{
  char         path[PETSC_MAX_PATH_LEN];
  AbutBodySpec spec;

  (void)state;
  WriteFile("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 4\n", path);
  spec          = FileSpec("wall", path);
  spec.obstacle = PETSC_TRUE;
  ExpectSpecError(3, &spec, "obstacle 'wall': triangle 1 (vertices 0 1 3)", "degenerate");
  RemoveFile(path);
  WriteFile("points.obj", "v 0 0 0\nv 1 0 0\n", path);
  spec          = FileSpec("wall", path);
  spec.obstacle = PETSC_TRUE;
  ExpectSpecError(3, &spec, "points.obj has 2 vertices, but neither triangles", "ends in .pt");
  RemoveFile(path);
}

static void BadSelections(void **state)
{
  const AbutBodySpec   spec = FileSpec("part", ABUT_MESH_DATA "/two_tets_22.msh");
  const AbutMeshLocal *local;
  AbutMesh             mesh = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &local);
  PetscInt             count, *vertices;

  (void)state;
#define SELECT(...) AbutMeshSelect(mesh, &(AbutSelectionSpec){__VA_ARGS__}, "scene.yaml:30", &count, &vertices)
  ExpectError(SELECT(.body = "parts"), "scene.yaml:30", "named 'parts'");
  ExpectError(SELECT(.body = "part", .group = "right"), "scene.yaml:30", "physical group 'right'; the files have 'left side', 'solid'");
  ExpectError(SELECT(.body = "part", .num_ids = 1, .ids = (PetscInt[]){5}), "vertex number 5 of 'part'", "[0, 4]");
  ExpectError(SELECT(.body = "part", .has_box = PETSC_TRUE, .box = {{3, 3, 3}, {4, 4, 4}}), "scene.yaml:30", "has no vertices");
  ExpectError(SELECT(.body = "part", .has_box = PETSC_TRUE, .box = {{3, 3, 3}, {2, 4, 4}}), "scene.yaml:30", "has no vertices");
  AbutTestCall(AbutMeshDestroy(&mesh));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(BadCells),  cmocka_unit_test(BadVertices), cmocka_unit_test(BadFiles),
    cmocka_unit_test(BadShapes), cmocka_unit_test(BadObstacle), cmocka_unit_test(BadSelections),
  };
  return AbutTestMain(argc, argv, tests);
}
