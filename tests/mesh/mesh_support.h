/* Short constructors of specifications and meshes; sums over all ranks. */
#pragma once
#include "test.h"
#include <abut/dense.h>
#include <abut/mesh.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline AbutBodySpec Spec(const char name[], AbutShapeKind kind, PetscReal a, PetscReal b, PetscReal c, PetscInt i, PetscInt j,
                                PetscInt k)
{
  AbutBodySpec spec;

  AbutTestCall(AbutBodySpecInit(&spec));
  strcpy(spec.name, name);
  strcpy(spec.place, "scene.yaml:7");
  spec.shape.kind     = kind;
  spec.shape.size[0]  = a;
  spec.shape.size[1]  = b;
  spec.shape.size[2]  = c;
  spec.shape.cells[0] = i;
  spec.shape.cells[1] = j;
  spec.shape.cells[2] = k;
  return spec;
}

static inline AbutBodySpec FileSpec(const char name[], const char path[])
{
  AbutBodySpec spec = Spec(name, ABUT_SHAPE_FILE, 0, 0, 0, 0, 0, 0);
  strcpy(spec.shape.path, path);
  return spec;
}

static inline AbutMesh MakeMesh(MPI_Comm comm, PetscInt dim, PetscInt num, const AbutBodySpec specs[], const AbutMeshLocal **local)
{
  AbutMesh mesh;

  AbutTestCall(AbutMeshCreate(comm, dim, num, specs, &mesh));
  *local = AbutMeshGetLocal(mesh);
  return mesh;
}

static inline PetscReal SumReal(PetscReal value)
{
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPIU_REAL, MPI_SUM, PETSC_COMM_WORLD), 0);
  return value;
}

static inline PetscInt SumInt(PetscInt value)
{
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  return value;
}

/* Number of vertices of a group of a body, over all ranks. */
static inline PetscInt CountGroup(AbutMesh mesh, const char body[], const char group[])
{
  AbutSelectionSpec selection = {0};
  PetscInt          count, *vertices;

  strcpy(selection.body, body);
  strcpy(selection.group, group);
  AbutTestCall(AbutMeshSelect(mesh, &selection, "test", &count, &vertices));
  AbutTestCall(PetscFree(vertices));
  return SumInt(count);
}

static inline PetscMPIInt Rank(void)
{
  PetscMPIInt rank;
  assert_int_equal(MPI_Comm_rank(PETSC_COMM_WORLD, &rank), 0);
  return rank;
}

/* The volume (2D: area) of cell c. */
static inline PetscReal CellVolume(const AbutMeshLocal *local, PetscInt c)
{
  const PetscInt n = local->dim, *cell = &local->cells[c * (n + 1)];
  PetscReal      e[3][3] = {{0}}, normal[3];

  for (PetscInt i = 0; i < n; i++)
    for (PetscInt d = 0; d < n; d++) e[i][d] = local->rest[cell[i + 1] * n + d] - local->rest[cell[0] * n + d];
  AbutCross(e[0], e[1], normal);
  return n == 2 ? normal[2] / 2 : AbutDot(3, normal, e[2]) / 6;
}

static inline PetscReal TotalVolume(const AbutMeshLocal *local)
{
  PetscReal sum = 0;
  for (PetscInt c = 0; c < local->num_cells; c++) sum += CellVolume(local, c);
  return SumReal(sum);
}

/* Outward area vector of surface entity s (2D: length vector) and its middle. */
static inline void SurfaceVector(const AbutMeshLocal *local, PetscInt s, PetscReal vector[3], PetscReal middle[3])
{
  const PetscInt n = local->dim, *v = n == 3 ? &local->faces[3 * s] : &local->edges[2 * s];
  PetscReal      p[3][3] = {{0}}, a[3], b[3];

  for (PetscInt d = 0; d < 3; d++) {
    for (PetscInt i = 0; i < n && d < n; i++) p[i][d] = local->rest[v[i] * n + d];
    middle[d] = (p[0][d] + p[1][d] + p[2][d]) / (PetscReal)n;
    a[d]      = p[1][d] - p[0][d];
    b[d]      = n == 3 ? (p[2][d] - p[0][d]) / 2 : (PetscReal)(d == 2);
  }
  AbutCross(a, b, vector);
}

/* Rank 0 writes a file that only this run uses; every rank gets its path. */
static inline void WriteFile(const char name[], const char text[], char path[PETSC_MAX_PATH_LEN])
{
  int pid = (int)getpid();

  assert_int_equal(MPI_Bcast(&pid, 1, MPI_INT, 0, PETSC_COMM_WORLD), 0);
  snprintf(path, PETSC_MAX_PATH_LEN, "/tmp/abut_mesh_%d_%s", pid, name);
  if (!Rank()) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
  }
  assert_int_equal(MPI_Barrier(PETSC_COMM_WORLD), 0);
}

static inline void RemoveFile(const char path[])
{
  assert_int_equal(MPI_Barrier(PETSC_COMM_WORLD), 0);
  if (!Rank()) unlink(path);
}
