/* A mesh with bodies and every kind of obstacle, and a directory for the files of a test. */
#pragma once
#include <test.h>
#include <abut/results.h>
#include <dirent.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline PetscMPIInt WorldRank(void)
{
  PetscMPIInt rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

static inline void RemoveDirectory(const char directory[])
{
  MPI_Barrier(PETSC_COMM_WORLD);
  if (WorldRank()) return;
  DIR *dir = opendir(directory);
  for (struct dirent *e; dir && (e = readdir(dir));) {
    char path[PETSC_MAX_PATH_LEN];
    AbutTestCall(PetscSNPrintf(path, sizeof(path), "%s/%s", directory, e->d_name));
    if (e->d_name[0] != '.') unlink(path);
  }
  if (dir) closedir(dir);
  rmdir(directory);
}

static inline void PathIn(const char directory[], const char name[], char path[PETSC_MAX_PATH_LEN])
{
  AbutTestCall(PetscSNPrintf(path, PETSC_MAX_PATH_LEN, "%s/%s", directory, name));
}

/* Leaves a file that is there alone: ranks of two communicators may ask for the same one. */
static inline void PutFile(const char path[], const char text[])
{
  if (!access(path, F_OK)) return;
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0) fail_msg("cannot write %s", path);
  fclose(file);
}

/* The whole of a file as a string; the caller frees it. */
static inline char *GetFile(const char path[])
{
  FILE  *file = fopen(path, "r");
  char  *text = calloc(1, 1 << 20);
  size_t n;

  if (!file) fail_msg("cannot read %s", path);
  n = fread(text, 1, (1 << 20) - 1, file);
  fclose(file);
  text[n] = '\0';
  return text;
}

static inline AbutBodySpec Spec(const char name[], AbutShapeKind kind, PetscInt dim, PetscInt cells, double shift)
{
  AbutBodySpec spec;

  AbutTestCall(AbutBodySpecInit(&spec));
  snprintf(spec.name, sizeof(spec.name), "%s", name);
  spec.shape.kind = kind;
  for (PetscInt d = 0; d < 3; d++) {
    spec.shape.size[d]  = d < dim ? 1 : 0;
    spec.shape.cells[d] = d < dim ? cells : 0;
  }
  spec.shape.translate[1] = shift;
  return spec;
}

/* Two boxes, the upper one of an order; in 3D a box as an obstacle of triangles; obstacles of two segments and of two points. */
static inline AbutMesh MakeMeshOfOrder(MPI_Comm comm, PetscInt dim, PetscInt cells, PetscInt order, const char directory[])
{
  AbutBodySpec specs[5];
  AbutMesh     mesh = NULL;
  PetscInt     n    = 0;
  PetscMPIInt  rank;

  MPI_Comm_rank(comm, &rank);
  specs[n++] = Spec("lower", ABUT_SHAPE_BOX, dim, cells, 0);
  specs[n]   = Spec("upper", ABUT_SHAPE_BOX, dim, cells, 1.5);

  specs[n++].shape.order = order;
  if (dim == 3) {
    specs[n]            = Spec("block", ABUT_SHAPE_BOX, dim, 1, -2);
    specs[n].obstacle   = PETSC_TRUE;
    specs[n++].material = -1;
  }
  for (int i = 0; i < 2; i++) {
    specs[n]          = Spec(i ? "pins" : "wire", ABUT_SHAPE_FILE, dim, 1, 4);
    specs[n].obstacle = PETSC_TRUE;
    specs[n].material = -1;
    PathIn(directory, i ? "pins.pt" : "wire.seg", specs[n].shape.path);
    if (!rank && i) PutFile(specs[n].shape.path, "v 0 1 0\nv 1 1 0\n");
    if (!rank && !i) PutFile(specs[n].shape.path, "v 0 0 0\nv 1 0 0\nv 2 0 0\ns 1 2\ns 2 3\n");
    n++;
  }
  AbutTestCall(AbutMeshCreate(comm, dim, n, specs, &mesh));
  return mesh;
}

static inline AbutMesh MakeMesh(MPI_Comm comm, PetscInt dim, PetscInt cells, const char directory[])
{
  return MakeMeshOfOrder(comm, dim, cells, 1, directory);
}

/* A number that belongs to a vertex (or cell) id and a component, whoever holds it. */
static inline PetscReal Value(PetscInt id, PetscInt component, PetscReal seed)
{
  return PetscSinReal(seed + 1.7 * (PetscReal)id + 0.31 * (PetscReal)component);
}

static inline PetscReal *VertexValues(const AbutMeshLocal *m, PetscReal seed)
{
  PetscReal *values = calloc((size_t)(m->num_local * m->dim + 1), sizeof(*values));

  for (PetscInt i = 0; i < m->num_owned; i++)
    for (PetscInt d = 0; d < m->dim; d++) values[i * m->dim + d] = Value(m->vertex_id[i], d, seed);
  return values;
}
