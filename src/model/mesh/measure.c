/* Measures of a distributed mesh: mean edge length, tributary areas, numbers of entities, load balance over ranks. */
#include "meshimpl.h"
#include <abut/geom.h>
#include <petscviewer.h>

PetscErrorCode AbutMeshGetMeanEdge(AbutMesh mesh, PetscBool of_obstacles, PetscReal *mean)
{
  const AbutMeshLocal *m       = AbutMeshGetLocal(mesh);
  MPI_Comm             comm    = AbutMeshGetComm(mesh);
  PetscReal            sums[2] = {0, 0}; /* sum of lengths, number of edges */

  PetscFunctionBegin;
  for (PetscInt e = 0; e < m->num_edges; e++) {
    const PetscInt *v    = m->edges + 2 * e;
    PetscReal       d[3] = {0, 0, 0};
    if (m->bodies[m->vertex_body[v[0]]].obstacle != of_obstacles) continue;
    for (PetscInt i = 0; i < m->dim; i++) d[i] = m->rest[m->dim * v[0] + i] - m->rest[m->dim * v[1] + i];
    sums[0] += AbutNorm(3, d);
    sums[1] += 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, comm));
  *mean = sums[1] > 0 ? sums[0] / sums[1] : 0;
  PetscFunctionReturn(0);
}

#define FACING_LEAST 0.1 /* fraction of the area of a vertex that faces its force, below which the whole area counts */

/* Area of a facet that faces a force; facets of surfaces without a solid side face both ways. */
static PetscReal FacingArea(const PetscReal normal[3], PetscInt dim, const PetscReal force[], PetscBool both)
{
  const PetscReal size = AbutNorm(dim, force);
  const PetscReal area = size > 0 ? -AbutDot((int)dim, normal, force) / size : 0;

  return both ? PetscAbsReal(area) : PetscMax(0, area);
}

PetscErrorCode AbutMeshGetVertexAreas(AbutMesh mesh, const PetscReal x[], const PetscReal force[], PetscReal area[])
{
  const AbutMeshLocal *m   = AbutMeshGetLocal(mesh);
  const PetscInt       dim = m->dim, num = AbutNumFacets(m), *entities = AbutFacets(m);
  PetscReal           *sums; /* of a vertex: area, area that faces the force */

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(2 * m->num_local, &sums));
  for (PetscInt k = 0; k < num; k++) {
    const PetscInt *v = entities + k * dim;
    PetscReal       normal[3];
    AbutFacetNormal(dim, x, v, normal);
    for (int d = 0; d < 3; d++) normal[d] /= (PetscReal)(dim - 1); /* as long as the area */
    for (PetscInt i = 0; i < dim; i++) {
      const AbutBody *body = &m->bodies[m->vertex_body[v[i]]];
      const PetscBool both = (PetscBool)(body->obstacle && body->oriented == ABUT_ORIENTED_NONE);
      sums[2 * v[i]] += AbutNorm(3, normal) / (PetscReal)dim;
      if (force) sums[2 * v[i] + 1] += FacingArea(normal, dim, force + dim * v[i], both) / (PetscReal)dim;
    }
  }
  PetscCall(AbutMeshReduceAdd(mesh, 2, sums));
  for (PetscInt v = 0; v < m->num_owned; v++) area[v] = sums[2 * v + 1] > FACING_LEAST * sums[2 * v] ? sums[2 * v + 1] : sums[2 * v];
  PetscCall(PetscFree(sums));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshView(AbutMesh mesh, PetscViewer viewer)
{
  const AbutMeshLocal *local   = &mesh->local;
  const char *const    names[] = {"vertices", "ghosts", "cells", "faces", "edges", "points"};
  const PetscInt mine[6] = {local->num_owned, local->num_local - local->num_owned, local->num_cells, local->num_faces, local->num_edges,
                            local->num_points};
  PetscInt       most[6], obstacles = 0;
  PetscInt64     sum[6]; /* sums over ranks: a vertex counts on each rank that has a copy */
  PetscMPIInt    size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(mesh->comm, &size));
  PetscCallMPI(MPI_Allreduce(mine, most, 6, MPIU_INT, MPI_MAX, mesh->comm));
  for (int i = 0; i < 6; i++) sum[i] = mine[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 6, MPIU_INT64, MPI_SUM, mesh->comm));
  for (PetscInt i = 0; i < local->num_bodies; i++) obstacles += local->bodies[i].obstacle ? 1 : 0;
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "Mesh: dimension %" PetscInt_FMT ", bodies: %" PetscInt_FMT ", obstacles with a mesh: %" PetscInt_FMT ", diagonal %g m\n",
    local->dim, local->num_bodies - obstacles, obstacles, (double)local->global.diagonal));
  for (PetscInt i = 0; i < 6; i++) {
    const PetscReal average = (PetscReal)sum[i] / size;
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %-8s %12" PetscInt64_FMT ", most on a rank %" PetscInt_FMT " (%.2f of the average)\n",
                                     names[i], sum[i], most[i], (double)(average > 0 ? (PetscReal)most[i] / average : 1)));
  }
  PetscFunctionReturn(0);
}
