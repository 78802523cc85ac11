/*
  Mesh files that are read in blocks: .msh of both versions and HDF5 give the same mesh on all numbers of ranks, also with copies, groups,
  scattered node tags and nodes that are no vertices; errors in any block name the file and the line.
*/
#include "compare_meshes.h"
#include "expect_error.h"
#include <hdf5.h>

enum { N = 4, NUM_VERTICES = (N + 1) * (N + 1) * (N + 1), NUM_CELLS = 6 * N * N * N, LENGTH = 1 << 18 };

static PetscReal position[NUM_VERTICES][3];
static PetscInt  cell[NUM_CELLS][4];
static char      text[LENGTH]; /* of a file */

/* A box of N x N x N cubes of six tetrahedra each. */
static void MakeBox(void)
{
  static const int path[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 2}, {1, 0}, {2, 1}};
  const PetscInt   step[3]    = {(N + 1) * (N + 1), N + 1, 1};

  for (PetscInt v = 0; v < NUM_VERTICES; v++)
    for (int d = 0; d < 3; d++) position[v][d] = (PetscReal)(v / step[d] % (N + 1)) / 3;
  for (PetscInt c = 0; c < NUM_CELLS; c++) {
    const PetscInt cube = c / 6, from = cube / (N * N) * step[0] + cube / N % N * step[1] + cube % N;
    const int      a = path[c % 6][0], b = path[c % 6][1], odd = c % 6 > 2;
    const PetscInt v[4] = {from, from + step[a], from + step[a] + step[b], from + step[0] + step[1] + step[2]};

    for (int k = 0; k < 4; k++) cell[c][k] = v[odd && k == 1 ? 2 : odd && k == 2 ? 1 : k];
  }
}

/* Tag of a node: runs of ten, in a scattered order. */
static PetscInt Tag(PetscInt v)
{
  return 100 * ((v / 10 * 7) % 23) + v % 10 + 5;
}

static void Add(const char format[], ...) PETSC_ATTRIBUTE_FORMAT(1, 2);
static void Add(const char format[], ...)
{
  const size_t at = strlen(text);
  va_list      args;

  va_start(args, format);
  assert_true(vsnprintf(text + at, LENGTH - at, format, args) < (int)(LENGTH - at));
  va_end(args);
}

/* Which line of the file is wrong, and how. */
typedef struct {
  PetscInt    vertex, cell; /* -1: none */
  const char *text;         /* instead of the line */
  PetscInt    more;         /* difference of the numbers in the headers from the numbers of lines */
} Defect;

static const Defect no_defect = {-1, -1, NULL, 0};

/* Text of a file of version 2: a node that only a point element uses, two physical groups, all cells in the second one. */
static void Msh2(Defect defect)
{
  text[0] = '\0';
  Add("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"end\"\n3 9 \"solid\"\n$EndPhysicalNames\n");
  Add("$Nodes\n%d\n", (int)(NUM_VERTICES + 1 + defect.more));
  for (PetscInt v = 0; v < NUM_VERTICES; v++) {
    if (v == 7) Add("99999 9 9 9\n");
    if (v == defect.vertex)
      Add("%s\n", defect.text);
    else
      Add("%d %.17g %.17g %.17g\n", (int)Tag(v), (double)position[v][0], (double)position[v][1], (double)position[v][2]);
  }
  Add("$EndNodes\n$Elements\n%d\n1 15 2 0 1 99999\n2 2 2 7 1 %d %d %d\n", NUM_CELLS + 2, (int)Tag(0), (int)Tag(1), (int)Tag(N + 1));
  for (PetscInt c = 0; c < NUM_CELLS; c++) {
    if (c == defect.cell)
      Add("%s\n", defect.text);
    else
      Add("%d 4 2 9 1 %d %d %d %d\n", (int)c + 3, (int)Tag(cell[c][0]), (int)Tag(cell[c][1]), (int)Tag(cell[c][2]), (int)Tag(cell[c][3]));
  }
  Add("$EndElements\n");
}

/* The same mesh in version 4.1. */
static void Msh4(void)
{
  text[0] = '\0';
  Add("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"end\"\n3 9 \"solid\"\n$EndPhysicalNames\n");
  Add("$Entities\n1 0 1 1\n1 9 9 9 0\n1 0 0 0 1 1 1 1 7 0\n1 0 0 0 1 1 1 1 9 0\n$EndEntities\n$Nodes\n3 %d 1 99999\n", NUM_VERTICES + 1);
  for (int block = 0; block < 3; block++) {
    const PetscInt from = block == 2 ? 7 : 0, to = block == 0 ? 7 : block == 1 ? 0 : NUM_VERTICES;

    Add("%d 1 0 %d\n", block == 1 ? 0 : 3, block == 1 ? 1 : (int)(to - from));
    for (PetscInt v = from; v < to; v++) Add("%d\n", (int)Tag(v));
    for (PetscInt v = from; v < to; v++) Add("%.17g %.17g %.17g\n", (double)position[v][0], (double)position[v][1], (double)position[v][2]);
    if (block == 1) Add("99999\n9 9 9\n");
  }
  Add("$EndNodes\n$Elements\n3 %d 1 %d\n0 1 15 1\n1 99999\n2 1 2 1\n2 %d %d %d\n3 1 4 %d\n", NUM_CELLS + 2, NUM_CELLS + 2, (int)Tag(0),
      (int)Tag(1), (int)Tag(N + 1), NUM_CELLS);
  for (PetscInt c = 0; c < NUM_CELLS; c++)
    Add("%d %d %d %d %d\n", (int)c + 3, (int)Tag(cell[c][0]), (int)Tag(cell[c][1]), (int)Tag(cell[c][2]), (int)Tag(cell[c][3]));
  Add("$EndElements\n");
}

static hid_t IntType(void)
{
  return sizeof(PetscInt) == 8 ? H5T_NATIVE_INT64 : H5T_NATIVE_INT32;
}

static void PutDataset(hid_t file, const char name[], hid_t type, hsize_t rows, hsize_t width, const void *data)
{
  const hsize_t extent[2] = {rows, width};
  const hid_t   space = H5Screate_simple(width == 1 ? 1 : 2, extent, NULL), set = H5Dcreate2(file, name, type, space, 0, 0, 0);

  assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  H5Dclose(set);
  H5Sclose(space);
}

/* Rank 0 writes the mesh; columns of cells, or 0: no cells. */
static void WriteHDF5(const char name[], hsize_t columns, char path[PETSC_MAX_PATH_LEN])
{
  PetscInt all[NUM_VERTICES], end[3] = {0, 1, N + 1};

  WriteFile(name, "", path);
  for (PetscInt v = 0; v < NUM_VERTICES; v++) all[v] = v;
  if (!Rank()) {
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    assert_true(file >= 0);
    PutDataset(file, "vertices", H5T_NATIVE_DOUBLE, NUM_VERTICES, 3, position);
    if (columns) PutDataset(file, "cells", IntType(), 4 * NUM_CELLS / columns, columns, cell);
    H5Gclose(H5Gcreate2(file, "groups", 0, 0, 0));
    PutDataset(file, "groups/solid", IntType(), NUM_VERTICES, 1, all);
    PutDataset(file, "groups/end", IntType(), 3, 1, end);
    H5Fclose(file);
  }
  assert_int_equal(MPI_Barrier(PETSC_COMM_WORLD), 0);
}

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
