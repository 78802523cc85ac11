/*
  Mesh files that are read in blocks: .msh of both versions and HDF5 give the same mesh on all numbers of ranks, also with copies, groups,
  scattered node tags and nodes that are no vertices; errors in any block name the file and the line.
*/
#include "box_files.h"
#include "compare_meshes.h"

/* Compares the mesh of a file, twice in the scene, on all ranks and on one rank, with the mesh of the first file. */
static void CompareFile(const char path[], AbutMesh first)
{
  AbutBodySpec         spec = FileSpec("part", path);
  const AbutMeshLocal *local, *serial;
  AbutMesh             mesh, alone;

  spec.shape.center     = PETSC_TRUE;
  spec.shape.rotate[1]  = 20;
  spec.shape.copies[2]  = 2;
  spec.shape.spacing[2] = 3;
  mesh                  = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &local);
  alone                 = MakeMesh(PETSC_COMM_SELF, 3, 1, &spec, &serial);
  assert_int_equal(serial->num_global, 2 * NUM_VERTICES);
  assert_int_equal(serial->num_cells, 2 * NUM_CELLS);
  assert_int_equal(serial->num_faces, 2 * 12 * N * N);
  CompareMeshes(local, serial);
  if (first) CompareMeshes(local, AbutMeshGetLocal(first));
  assert_int_equal(CountGroup(mesh, "part[0,0,1]", "solid"), NUM_VERTICES);
  assert_int_equal(CountGroup(mesh, "part[0,0,1]", "end"), 3);
  AbutTestCall(AbutMeshDestroy(&mesh));
  AbutTestCall(AbutMeshDestroy(&alone));
}

static void EqualMeshes(void **state)
{
  char                 path[PETSC_MAX_PATH_LEN];
  AbutBodySpec         spec;
  const AbutMeshLocal *serial;
  AbutMesh             first;

  (void)state;
  Msh2(no_defect);
  WriteFile("two.msh", text, path);
  spec                  = FileSpec("part", path);
  spec.shape.center     = PETSC_TRUE;
  spec.shape.rotate[1]  = 20;
  spec.shape.copies[2]  = 2;
  spec.shape.spacing[2] = 3;
  first                 = MakeMesh(PETSC_COMM_SELF, 3, 1, &spec, &serial);
  CompareFile(path, first);
  RemoveFile(path);
  Msh4();
  WriteFile("four.msh", text, path);
  CompareFile(path, first);
  RemoveFile(path);
  WriteHDF5("mesh.h5", 4, path);
  CompareFile(path, first);
  RemoveFile(path);
  AbutTestCall(AbutMeshDestroy(&first));
}

/* Defects in the first, a middle and the last line of nodes and elements. */
static void BadLines(void **state)
{
  static const PetscInt vertices[3] = {0, NUM_VERTICES / 2, NUM_VERTICES - 1}, cells[3] = {0, NUM_CELLS / 2, NUM_CELLS - 1};
  char                  place[64], line[128];

  (void)state;
  for (int i = 0; i < 3; i++) {
    const int at = (int)vertices[i] + 11 + (vertices[i] >= 7);

    snprintf(place, sizeof(place), "bad.msh:%d: coordinate 1 of vertex %d is nan", at, at - 11);
    Msh2((Defect){vertices[i], -1, "77777 0 nan 0", 0});
    ExpectFileError(3, "bad.msh", text, place, "must be in [-1e+12, 1e+12]");
    snprintf(line, sizeof(line), "%d 0 0.1 0", (int)Tag(1));
    snprintf(place, sizeof(place), "bad.msh:%d: node tag %d occurs twice", i ? at : 12, (int)Tag(1));
    Msh2((Defect){vertices[i], -1, line, 0});
    ExpectFileError(3, "bad.msh", text, place, "part");
    snprintf(place, sizeof(place), "bad.msh:%d: an element names node 3", NUM_VERTICES + 17 + (int)cells[i]);
    Msh2((Defect){-1, cells[i], "5 4 2 9 1 5 6 7 3", 0});
    ExpectFileError(3, "bad.msh", text, place, "not in $Nodes");
    Msh2(no_defect);
    text[strlen(text) * (size_t)(i + 1) / 4] = '\0';
    ExpectFileError(3, "bad.msh", text, "bad.msh:", "part");
  }
  Msh2((Defect){-1, -1, NULL, 1});
  ExpectFileError(3, "bad.msh", text, "bad.msh:137: an integer is expected, not \"$EndNodes\"", "part");
  Msh2((Defect){-1, -1, NULL, -1});
  ExpectFileError(3, "bad.msh", text, "bad.msh:136: more nodes follow than the 125 that the header states", "part");
}

static void ExpectHDF5Error(hsize_t columns, const char first[], const char second[])
{
  char         path[PETSC_MAX_PATH_LEN];
  AbutBodySpec spec;

  WriteHDF5("bad.h5", columns, path);
  spec = FileSpec("part", path);
  ExpectSpecError(3, &spec, first, second);
  RemoveFile(path);
}

/* The message has the number of the file, whatever PetscInt can hold. */
static void ExpectNumberError(hid_t type, uint64_t number, const char message[])
{
  const double   points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const uint64_t wide[8]      = {0, 1, 2, 3, 0, 1, number, 3};
  uint8_t        narrow[8];
  char           path[PETSC_MAX_PATH_LEN];
  AbutBodySpec   spec;

  for (int i = 0; i < 8; i++) narrow[i] = (uint8_t)wide[i];
  WriteFile("number.h5", "", path);
  if (!Rank()) {
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    PutDataset(file, "vertices", H5T_NATIVE_DOUBLE, 4, 3, points);
    PutDataset(file, "cells", type, 2, 4, H5Tget_size(type) == 1 ? (const void *)narrow : (const void *)wide);
    H5Fclose(file);
  }
  assert_int_equal(MPI_Barrier(PETSC_COMM_WORLD), 0);
  spec = FileSpec("part", path);
  ExpectSpecError(3, &spec, message, "number.h5");
  RemoveFile(path);
}

static void BadHDF5(void **state)
{
  static const PetscInt cells[3] = {0, NUM_CELLS / 2, NUM_CELLS - 1};
  AbutBodySpec          spec;
  char                  path[PETSC_MAX_PATH_LEN], place[64];

  (void)state;
  for (int i = 0; i < 3; i++) {
    const PetscInt v = cell[cells[i]][3];

    cell[cells[i]][3] = NUM_VERTICES;
    snprintf(place, sizeof(place), "row %d of cells names vertex 125", (int)cells[i]);
    ExpectHDF5Error(4, place, "valid are 0 to 124");
    cell[cells[i]][3] = v;
    position[i * NUM_VERTICES / 3][2] += NAN;
    snprintf(place, sizeof(place), "coordinate 2 of vertex %d", i * NUM_VERTICES / 3);
    ExpectHDF5Error(4, place, "is nan");
    MakeBox();
  }
  ExpectHDF5Error(3, "cells has 3 columns; it must have 4", "bad.h5");
  ExpectNumberError(H5T_NATIVE_UINT64, UINT64_C(1) << 63, "row 1 of cells names vertex 9223372036854775808; valid are 0 to 3");
  ExpectNumberError(H5T_NATIVE_INT64, (uint64_t)INT64_C(-5000000000), "row 1 of cells names vertex -5000000000; valid");
  ExpectNumberError(H5T_NATIVE_UINT8, 200, "row 1 of cells names vertex 200; valid");
  ExpectHDF5Error(0, "bad.h5 has no cells", "tetrahedra");
  WriteHDF5("cut.h5", 4, path);
  if (!Rank()) assert_int_equal(truncate(path, 3000), 0);
  assert_int_equal(MPI_Barrier(PETSC_COMM_WORLD), 0);
  spec = FileSpec("part", path);
  ExpectSpecError(3, &spec, "cut.h5 is not an HDF5 file, or a damaged one", "part");
  RemoveFile(path);
}

/* Vertices that coincide are found, also on two sides of the cells of the grid that divides them among the ranks. */
static void Coincident(void **state)
{
  char file[1024];

  (void)state;
  for (int k = 0; k < 24; k++) { /* the extent is 2, an edge of the grid 2 * 1024e-12 */
    const double side = 2 * 1024e-12 * (1e8 + 12345 * k), near = 0.4e-12;
    const int    axis = k % 2;

    snprintf(file, sizeof(file),
             "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 2 0 0\n3 %.17g %.17g 0\n4 %.17g %.17g 0\n5 2 1 0\n6 0 2 "
             "0\n$EndNodes\n$Elements\n2\n1 2 0 1 2 3\n2 2 0 5 6 4\n$EndElements\n",
             axis ? 0.5 : side - near, axis ? side - near : 0.5, axis ? 0.5 : side + near, axis ? side + near : 0.5);
    ExpectFileError(2, "same.msh", file, "vertices 2 and 3 coincide", "merge them");
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(EqualMeshes),
    cmocka_unit_test(BadLines),
    cmocka_unit_test(BadHDF5),
    cmocka_unit_test(Coincident),
  };

  MakeBox();
  return AbutTestMain(argc, argv, tests);
}
