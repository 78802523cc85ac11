/*
  Reads the vertex positions of one body or obstacle from a file: of a sequence (prescribed motion), or at the start. The positions of a
  body are read in blocks on all ranks. The positions of an obstacle are read on rank 0: its surface vertices follow from the whole file.
*/
#include "meshimpl.h"
#include <string.h>

/* Specification of a shape that is the file. */
static PetscErrorCode SpecOfFile(const AbutBody *body, const char path[], const char place[], AbutBodySpec *spec)
{
  PetscFunctionBegin;
  PetscCall(AbutBodySpecInit(spec));
  PetscCall(PetscStrncpy(spec->name, body->name, sizeof(spec->name)));
  PetscCall(PetscStrncpy(spec->place, place, sizeof(spec->place)));
  spec->obstacle = body->obstacle;
  AbutSpecCheck(strlen(path) < sizeof(spec->shape.path), spec, "the path of a file has %zu characters; at most %zu are read", strlen(path),
                sizeof(spec->shape.path) - 1);
  PetscCall(PetscStrncpy(spec->shape.path, path, sizeof(spec->shape.path)));
  PetscFunctionReturn(0);
}

/* The surface vertices of an obstacle in the order of the file; rank 0. */
static PetscErrorCode ReadSurface(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  MPI_Comm       self;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscCommDuplicate(PETSC_COMM_SELF, &self, NULL));
  ierr = AbutShapeReadFile(self, spec, dim, ABUT_FILE_ALL, shape);
  if (!ierr) ierr = AbutShapeKeepSurface(spec, dim, shape);
  PetscCall(PetscCommDestroy(&self));
  PetscFunctionReturn(ierr);
}

/* Reads the vertices in the order of the body: each rank gets consecutive ones. Collective. */
static PetscErrorCode ReadVertices(AbutMesh mesh, const AbutBody *body, const char path[], const char place[], AbutShape *shape)
{
  const PetscInt dim = mesh->local.dim, num = body->vertex_end - body->vertex_start;
  PetscInt       found;
  AbutBodySpec   spec;

  PetscFunctionBegin;
  PetscCall(SpecOfFile(body, path, place, &spec));
  if (body->obstacle)
    PetscCall(AbutAgree(mesh->comm, AbutIsRoot(mesh->comm) ? ReadSurface(&spec, dim, shape) : 0));
  else
    PetscCall(AbutShapeReadFile(mesh->comm, &spec, dim, ABUT_FILE_VERTICES, shape));
  PetscCallMPI(MPI_Allreduce(&shape->num_vertices, &found, 1, MPIU_INT, MPI_SUM, mesh->comm));
  AbutSpecCheck(found == num, &spec, "%s has %" PetscInt_FMT " vertices; '%s' has %" PetscInt_FMT, path, found, body->name, num);
  PetscFunctionReturn(0);
}

/* Copies positions of the body from the ranks that have read them, three numbers for each vertex of the file, to the owned vertices. */
static PetscErrorCode SendPositions(AbutMesh mesh, PetscInt body, const AbutShape *shape, PetscReal x[])
{
  const AbutMeshLocal *local = &mesh->local;
  const PetscInt       dim = local->dim, start = local->bodies[body].vertex_start, num = local->bodies[body].vertex_end - start;
  PetscLayout          blocks;
  PetscReal           *rows;
  PetscInt             n = 0, *vertices, *numbers;
  PetscSF              sf;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(local->num_owned, &vertices, local->num_owned, &numbers));
  for (PetscInt v = 0; v < local->num_owned; v++) {
    if (local->vertex_body[v] != body) continue;
    numbers[n]    = local->vertex_id[v] - start;
    vertices[n++] = v;
  }
  PetscCall(PetscLayoutCreateFromSizes(mesh->comm, shape->num_vertices, num, 1, &blocks));
  PetscCall(PetscSFCreate(mesh->comm, &sf));
  PetscCall(PetscSFSetGraphLayout(sf, blocks, n, NULL, PETSC_COPY_VALUES, numbers));
  PetscCall(PetscLayoutDestroy(&blocks));
  PetscCall(PetscMalloc1(3 * n, &rows));
  PetscCall(AbutSFBcastRows(sf, MPIU_REAL, 3, shape->x, rows));
  for (PetscInt i = 0; i < n * dim; i++) x[dim * vertices[i / dim] + i % dim] = rows[3 * (i / dim) + i % dim];
  PetscCall(PetscSFDestroy(&sf));
  PetscCall(PetscFree(rows));
  PetscCall(PetscFree2(vertices, numbers));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshReadPositions(AbutMesh mesh, PetscInt body, const char path[], const char place[], PetscReal x[])
{
  AbutShape      shape = {0};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  ierr = ReadVertices(mesh, &mesh->local.bodies[body], path, place, &shape);
  if (!ierr) PetscCall(SendPositions(mesh, body, &shape, x));
  PetscCall(AbutShapeFree(&shape));
  PetscFunctionReturn(ierr);
}
