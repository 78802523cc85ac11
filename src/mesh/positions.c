/* Reads the vertex positions of one body or obstacle from one file of a sequence (prescribed motion). */
#include "meshimpl.h"
#include <string.h>

/* Reads the vertices in the order of the body: all vertices of the file, for an obstacle its surface vertices. */
static PetscErrorCode ReadVertices(const AbutBody *body, PetscInt dim, const char path[], const char place[], AbutShape *shape)
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
  PetscCall(AbutShapeReadFile(&spec, dim, shape));
  if (body->obstacle) PetscCall(AbutShapeKeepSurface(&spec, dim, shape));
  AbutSpecCheck(shape->num_vertices == num, &spec, "%s has %" PetscInt_FMT " vertices; the sequence moves %" PetscInt_FMT, path,
                shape->num_vertices, num);
  PetscFunctionReturn(0);
}

/* Scatters the body's positions from rank 0 to the slices of ids; sets the entries of values[slice * dim] that belong to the body. */
static PetscErrorCode ScatterToSlices(AbutMesh mesh, const AbutBody *body, const PetscReal x[], PetscReal values[])
{
  const PetscInt dim  = mesh->local.dim;
  const PetscInt from = PetscMax(mesh->slice_start, body->vertex_start), to = PetscMin(mesh->slice_end, body->vertex_end);
  const PetscInt mine[2] = {dim * (from - body->vertex_start), dim * PetscMax(to - from, 0)};
  PetscInt      *ranges  = NULL;
  PetscMPIInt    rank, *counts = NULL, *starts = NULL, count;
  PetscReal     *packed = NULL;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &rank));
  if (!rank) {
    PetscCall(PetscMalloc3(2 * mesh->size, &ranges, mesh->size, &counts, mesh->size, &starts));
    PetscCall(PetscMalloc1(dim * (body->vertex_end - body->vertex_start), &packed));
    for (PetscInt i = 0; i < body->vertex_end - body->vertex_start; i++)
      for (PetscInt d = 0; d < dim; d++) packed[dim * i + d] = x[3 * i + d];
  }
  PetscCallMPI(MPI_Gather(mine, 2, MPIU_INT, ranges, 2, MPIU_INT, 0, mesh->comm));
  for (PetscMPIInt r = 0; !rank && r < mesh->size; r++) {
    PetscCall(PetscMPIIntCast(ranges[2 * r + 1], &counts[r]));
    PetscCall(PetscMPIIntCast(counts[r] ? ranges[2 * r] : 0, &starts[r]));
  }
  PetscCall(PetscMPIIntCast(mine[1], &count));
  PetscCallMPI(MPI_Scatterv(packed, counts, starts, MPIU_REAL, count ? values + dim * (from - mesh->slice_start) : values, count, MPIU_REAL,
                            0, mesh->comm));
  PetscCall(PetscFree(packed));
  PetscCall(PetscFree3(ranges, counts, starts));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshReadPositions(AbutMesh mesh, PetscInt body, const char path[], const char place[], PetscReal x[])
{
  const AbutMeshLocal *local = &mesh->local;
  const PetscInt       dim   = local->dim;
  AbutShape            shape = {0};
  PetscReal           *slice, *owned;
  PetscMPIInt          rank;
  PetscErrorCode       ierr = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &rank));
  if (!rank) ierr = ReadVertices(&local->bodies[body], dim, path, place, &shape);
  ierr = AbutAgree(mesh->comm, ierr);
  if (!ierr) {
    PetscCall(PetscCalloc2(dim * (mesh->slice_end - mesh->slice_start), &slice, dim * local->num_owned, &owned));
    PetscCall(ScatterToSlices(mesh, &local->bodies[body], shape.x, slice));
    PetscCall(AbutMeshFromInputOrder(mesh, dim, slice, owned));
    for (PetscInt i = 0; i < dim * local->num_owned; i++)
      if (local->vertex_body[i / dim] == body) x[i] = owned[i];
    PetscCall(PetscFree2(slice, owned));
  }
  PetscCall(AbutShapeFree(&shape));
  PetscFunctionReturn(ierr);
}
