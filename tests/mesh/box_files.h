/* Text of mesh files of a box: .msh of both versions and HDF5, with defects. */
#pragma once
#include "expect_error.h"
#include <hdf5.h>

enum { N = 4, NUM_VERTICES = (N + 1) * (N + 1) * (N + 1), NUM_CELLS = 6 * N * N * N, LENGTH = 1 << 18 };

static PetscReal position[NUM_VERTICES][3];
static PetscInt  cell[NUM_CELLS][4];
static char      text[LENGTH]; /* of a file */

/* A box of N x N x N cubes of six tetrahedra each. */
static inline void MakeBox(void)
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
static inline PetscInt Tag(PetscInt v)
{
  return 100 * ((v / 10 * 7) % 23) + v % 10 + 5;
}

static inline void Add(const char format[], ...) PETSC_ATTRIBUTE_FORMAT(1, 2);
static inline void Add(const char format[], ...)
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
static inline void Msh2(Defect defect)
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
static inline void Msh4(void)
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

static inline hid_t IntType(void)
{
  return sizeof(PetscInt) == 8 ? H5T_NATIVE_INT64 : H5T_NATIVE_INT32;
}

static inline void PutDataset(hid_t file, const char name[], hid_t type, hsize_t rows, hsize_t width, const void *data)
{
  const hsize_t extent[2] = {rows, width};
  const hid_t   space = H5Screate_simple(width == 1 ? 1 : 2, extent, NULL), set = H5Dcreate2(file, name, type, space, 0, 0, 0);

  assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  H5Dclose(set);
  H5Sclose(space);
}

/* Rank 0 writes the mesh; columns of cells, or 0: no cells. */
static inline void WriteHDF5(const char name[], hsize_t columns, char path[PETSC_MAX_PATH_LEN])
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
