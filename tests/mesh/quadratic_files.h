/* Files of two quadratic cells in each format; every node on an edge has a place that depends on the corners of the edge. */
#pragma once
#include "expect_error.h"
#include <hdf5.h>

static const PetscReal corner[5][3] = {
  {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1},
};

/* Corners and nodes in the order of abut; edges by their corners, lower first. 2D: a square of two triangles. */
static const PetscInt tetrahedra[2][4] = {
  {0, 1, 2, 3},
  {1, 2, 3, 4},
};
static const PetscInt triangles[2][3] = {
  {0, 1, 2},
  {1, 4, 2},
};

static const PetscInt edges_of[2][9][2] = {
  {{0, 1}, {1, 2}, {0, 2}, {1, 4}, {2, 4}},
  {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}, {1, 4}, {2, 4}, {3, 4}},
};

static inline PetscInt NumEdges(PetscInt dim)
{
  return dim == 3 ? 9 : 5;
}

/* Corners in the file: all five; in 2D without the third one of the solid, and flat. */
static inline PetscInt NumCorners(PetscInt dim)
{
  return dim == 3 ? 5 : 4;
}

static inline PetscInt CornerNumber(PetscInt dim, PetscInt c)
{
  return dim == 2 && c == 4 ? 3 : c;
}

static inline void PlaceCorner(PetscInt dim, PetscInt c, PetscReal x[3])
{
  for (PetscInt d = 0; d < 3; d++) x[d] = d < dim ? corner[c][d] : 0;
}

static inline void PlaceNode(PetscInt dim, PetscInt a, PetscInt b, PetscReal x[3])
{
  PetscReal ends[2][3];

  PlaceCorner(dim, PetscMin(a, b), ends[0]);
  PlaceCorner(dim, PetscMax(a, b), ends[1]);
  for (PetscInt d = 0; d < 3; d++)
    x[d] = d < dim ? (ends[0][d] + ends[1][d]) / 2 + 0.01 * (PetscReal)(1 + (PetscMin(a, b) * 3 + PetscMax(a, b) * (d + 1)) % 5) : 0;
}

/* Number in the file of the node between two corners. */
static inline PetscInt NodeNumber(PetscInt dim, PetscInt a, PetscInt b)
{
  for (PetscInt e = 0; e < NumEdges(dim); e++)
    if (edges_of[dim - 2][e][0] == PetscMin(a, b) && edges_of[dim - 2][e][1] == PetscMax(a, b)) return NumCorners(dim) + e;
  fail();
  return -1;
}

static inline PetscInt NumNodes(PetscInt dim)
{
  return NumCorners(dim) + NumEdges(dim);
}

/* Positions of all nodes of the file. */
static inline void PlaceAll(PetscInt dim, PetscReal x[][3])
{
  for (PetscInt c = 0; c < 5; c++)
    if (dim == 3 || c != 3) PlaceCorner(dim, c, x[CornerNumber(dim, c)]);
  for (PetscInt e = 0; e < NumEdges(dim); e++) PlaceNode(dim, edges_of[dim - 2][e][0], edges_of[dim - 2][e][1], x[NumCorners(dim) + e]);
}

/* All nodes of a cell, in the order of abut. */
static inline void CellNodes(PetscInt dim, PetscInt c, PetscInt nodes[10])
{
  const PetscInt *v = dim == 3 ? tetrahedra[c] : triangles[c];

  for (PetscInt k = 0; k <= dim; k++) nodes[k] = CornerNumber(dim, v[k]);
  for (PetscInt e = 0; e < AbutNumCellEdges(dim); e++)
    nodes[dim + 1 + e] = NodeNumber(dim, v[AbutCellEdgeCorner(e, 0)], v[AbutCellEdgeCorner(e, 1)]);
}

/* Nodes of an element of the file: a triangle (3D), a line, the cells; in the order of Gmsh, which has edge 23 before 13. */
static inline PetscInt ElementNodes(PetscInt dim, PetscInt element, PetscInt *type, PetscInt *group, PetscInt nodes[10])
{
  PetscInt first = dim == 3 ? 2 : 1, last;

  if (element < first - 1) {
    const PetscInt face[6] = {0, 2, 1, NodeNumber(dim, 0, 2), NodeNumber(dim, 1, 2), NodeNumber(dim, 0, 1)};
    for (int i = 0; i < 6; i++) nodes[i] = face[i];
    *type  = 9;
    *group = 7;
    return 6;
  }
  if (element == first - 1) {
    const PetscInt line[3] = {0, 1, NodeNumber(dim, 0, 1)};
    for (int i = 0; i < 3; i++) nodes[i] = line[i];
    *type  = 8;
    *group = 8;
    return 3;
  }
  CellNodes(dim, element - first, nodes);
  if (dim == 3) {
    last     = nodes[9];
    nodes[9] = nodes[8];
    nodes[8] = last;
  }
  *type  = dim == 3 ? 11 : 9;
  *group = 9;
  return dim == 3 ? 10 : 6;
}

static inline PetscInt NumElements(PetscInt dim)
{
  return dim == 3 ? 4 : 3;
}

/* ASCII or binary file of version 2.2; only_side: without the cells. */
static inline void WriteMsh2(const char name[], PetscInt dim, PetscBool binary, PetscBool only_side, char path[PETSC_MAX_PATH_LEN])
{
  const PetscInt num = only_side ? dim - 1 : NumElements(dim);
  PetscReal      x[14][3];
  FILE          *file;

  WriteFile(name, "", path);
  if (Rank()) goto done;
  file = fopen(path, "wb");
  PlaceAll(dim, x);
  fprintf(file, "$MeshFormat\n2.2 %d 8\n", binary);
  if (binary) fwrite((int[]){1}, sizeof(int), 1, file);
  fprintf(file, "%s$EndMeshFormat\n$PhysicalNames\n%d\n2 7 \"face\"\n1 8 \"rim\"\n%d 9 \"all\"\n$EndPhysicalNames\n$Nodes\n%d\n",
          binary ? "\n" : "", 3, (int)dim, (int)NumNodes(dim));
  for (int v = 0; v < NumNodes(dim); v++) {
    if (!binary) fprintf(file, "%d %.17g %.17g %.17g\n", 3 * v + 5, x[v][0], x[v][1], x[v][2]);
    if (binary) fwrite((int[]){3 * v + 5}, sizeof(int), 1, file);
    if (binary) fwrite(x[v], sizeof(double), 3, file);
  }
  fprintf(file, "$EndNodes\n$Elements\n%d\n", (int)num);
  for (int e = 0; e < num; e++) {
    PetscInt       type, group, nodes[10];
    const PetscInt n = ElementNodes(dim, e, &type, &group, nodes);

    if (!binary) fprintf(file, "%d %d 2 %d 1", e + 1, (int)type, (int)group);
    if (binary) fwrite((int[]){(int)type, 1, 2, e + 1, (int)group, 1}, sizeof(int), 6, file);
    for (int i = 0; i < n; i++) {
      if (!binary) fprintf(file, " %d", (int)(3 * nodes[i] + 5));
      if (binary) fwrite((int[]){(int)(3 * nodes[i] + 5)}, sizeof(int), 1, file);
    }
    if (!binary) fputc('\n', file);
  }
  fprintf(file, "$EndElements\n");
  fclose(file);
done:
  assert_int_equal(MPI_Barrier(PETSC_COMM_WORLD), 0);
}

static inline void WriteMsh4(const char name[], PetscInt dim, char path[PETSC_MAX_PATH_LEN])
{
  PetscReal x[14][3];
  FILE     *file;

  WriteFile(name, "", path);
  if (Rank()) goto done;
  file = fopen(path, "w");
  PlaceAll(dim, x);
  fprintf(file, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 7 \"face\"\n1 8 \"rim\"\n%d 9 \"all\"\n$EndPhysicalNames\n",
          (int)dim);
  fprintf(file, "$Entities\n0 1 %d %d\n1 0 0 0 1 1 1 1 8 0\n1 0 0 0 1 1 1 1 %d 0\n%s$EndEntities\n", 1, dim == 3, dim == 3 ? 7 : 9,
          dim == 3 ? "1 0 0 0 1 1 1 1 9 0\n" : "");
  fprintf(file, "$Nodes\n1 %d 1 99\n%d 1 0 %d\n", (int)NumNodes(dim), (int)dim, (int)NumNodes(dim));
  for (int v = 0; v < NumNodes(dim); v++) fprintf(file, "%d\n", 3 * v + 5);
  for (int v = 0; v < NumNodes(dim); v++) fprintf(file, "%.17g %.17g %.17g\n", x[v][0], x[v][1], x[v][2]);
  fprintf(file, "$EndNodes\n$Elements\n%d %d 1 9\n", (int)NumElements(dim), (int)NumElements(dim));
  for (int e = 0; e < NumElements(dim); e++) {
    PetscInt       type, group, nodes[10];
    const PetscInt n = ElementNodes(dim, e, &type, &group, nodes);

    fprintf(file, "%d 1 %d 1\n%d", type == 8 ? 1 : type == 9 ? 2 : 3, (int)type, e + 1);
    for (int i = 0; i < n; i++) fprintf(file, " %d", (int)(3 * nodes[i] + 5));
    fputc('\n', file);
  }
  fprintf(file, "$EndElements\n");
  fclose(file);
done:
  assert_int_equal(MPI_Barrier(PETSC_COMM_WORLD), 0);
}

static inline void PutRows(hid_t file, const char name[], hid_t type, PetscInt rows, PetscInt width, const void *data)
{
  const hsize_t extent[2] = {(hsize_t)rows, (hsize_t)width};
  const hid_t   space = H5Screate_simple(width == 1 ? 1 : 2, extent, NULL), set = H5Dcreate2(file, name, type, space, 0, 0, 0);

  assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  H5Dclose(set);
  H5Sclose(space);
}

static inline void WriteQuadraticHDF5(const char name[], PetscInt dim, PetscInt columns, char path[PETSC_MAX_PATH_LEN])
{
  const hid_t integer = sizeof(PetscInt) == 8 ? H5T_NATIVE_INT64 : H5T_NATIVE_INT32;
  PetscReal   x[14][3];
  PetscInt    nodes[20] = {0}, all[14], groups[2][6], type;
  hid_t       file;

  WriteFile(name, "", path);
  if (Rank()) goto done;
  PlaceAll(dim, x);
  for (PetscInt c = 0; c < 2; c++) CellNodes(dim, c, &nodes[c * (dim + 1 + AbutNumCellEdges(dim))]);
  for (PetscInt v = 0; v < 14; v++) all[v] = v;
  file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(file >= 0);
  PutRows(file, "vertices", H5T_NATIVE_DOUBLE, NumNodes(dim), 3, x);
  PutRows(file, "cells", integer, 2, columns, nodes);
  H5Gclose(H5Gcreate2(file, "groups", 0, 0, 0));
  PutRows(file, "groups/all", integer, NumNodes(dim), 1, all);
  for (PetscInt g = 0; g < dim - 1; g++) {
    PetscInt       row[10], group;
    const PetscInt n = ElementNodes(dim, g, &type, &group, row);

    for (PetscInt i = 0; i < n; i++) groups[g][i] = row[i];
    PutRows(file, group == 7 ? "groups/face" : "groups/rim", integer, n, 1, groups[g]);
  }
  H5Fclose(file);
done:
  assert_int_equal(MPI_Barrier(PETSC_COMM_WORLD), 0);
}
