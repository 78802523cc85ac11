/* Reads the vertex positions of one body or obstacle from a file: of a sequence (prescribed motion), or at the start. */
#include "meshimpl.h"
#include <string.h>

/* Reads the vertices in the order of the body: all vertices of the file, for an obstacle its surface vertices. */
static PetscErrorCode ReadVertices(MPI_Comm comm, const AbutBody *body, PetscInt dim, const char path[], const char place[],
                                   AbutShape *shape)
{
  const PetscInt num = body->vertex_end - body->vertex_start;
  AbutBodySpec   spec;

  PetscFunctionBegin;
  PetscCall(AbutBodySpecInit(&spec));
  PetscCall(PetscStrncpy(spec.name, body->name, sizeof(spec.name)));
  PetscCall(PetscStrncpy(spec.place, place, sizeof(spec.place)));
  AbutSpecCheck(strlen(path) < sizeof(spec.shape.path), &spec, "the path of a file has %zu characters; at most %zu are read", strlen(path),
                sizeof(spec.shape.path) - 1);
  PetscCall(PetscStrncpy(spec.shape.path, path, sizeof(spec.shape.path)));
  spec.obstacle = PETSC_TRUE; /* the file need not have cells */
  PetscCall(AbutShapeReadFile(comm, &spec, dim, shape));
  if (body->obstacle) PetscCall(AbutShapeKeepSurface(&spec, dim, shape));
  AbutSpecCheck(shape->num_vertices == num, &spec, "%s has %" PetscInt_FMT " vertices; '%s' has %" PetscInt_FMT, path, shape->num_vertices,
                body->name, num);
  PetscFunctionReturn(0);
}

/* Copies positions of the body from rank 0, where `file` has a row of three numbers for each vertex of the file, to the owned vertices. */
static PetscErrorCode ScatterPositions(AbutMesh mesh, PetscInt body, PetscMPIInt rank, const PetscReal file[], PetscReal x[])
{
  const AbutMeshLocal *local = &mesh->local;
  const PetscInt       dim = local->dim, start = local->bodies[body].vertex_start, num = local->bodies[body].vertex_end - start;
  PetscSFNode         *roots;
  PetscReal           *rows;
  PetscInt             n = 0, *vertices;
  PetscSF              sf;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(local->num_owned, &vertices, local->num_owned, &roots, 3 * local->num_owned, &rows));
  for (PetscInt v = 0; v < local->num_owned; v++) {
    if (local->vertex_body[v] != body) continue;
    roots[n]      = (PetscSFNode){0, local->vertex_id[v] - start};
    vertices[n++] = v;
  }
  PetscCall(PetscSFCreate(mesh->comm, &sf));
  PetscCall(PetscSFSetGraph(sf, rank ? 0 : num, n, vertices, PETSC_COPY_VALUES, roots, PETSC_COPY_VALUES));
  PetscCall(AbutSFBcastRows(sf, MPIU_REAL, 3, file, rows));
  for (PetscInt i = 0; i < n * dim; i++) x[dim * vertices[i / dim] + i % dim] = rows[3 * vertices[i / dim] + i % dim];
  PetscCall(PetscSFDestroy(&sf));
  PetscCall(PetscFree3(vertices, roots, rows));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshReadPositions(AbutMesh mesh, PetscInt body, const char path[], const char place[], PetscReal x[])
{
  AbutShape      shape = {0};
  MPI_Comm       self;
  PetscMPIInt    rank;
  PetscErrorCode ierr = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &rank));
  PetscCall(PetscCommDuplicate(PETSC_COMM_SELF, &self, NULL));
  if (!rank) ierr = ReadVertices(self, &mesh->local.bodies[body], mesh->local.dim, path, place, &shape);
  PetscCall(PetscCommDestroy(&self));
  ierr = AbutAgree(mesh->comm, ierr);
  if (!ierr) PetscCall(ScatterPositions(mesh, body, rank, shape.x, x));
  PetscCall(AbutShapeFree(&shape));
  PetscFunctionReturn(ierr);
}
