/* Statistics of a distributed mesh: mean edge length, numbers of entities, load balance over ranks. */
#include "meshimpl.h"
#include <abut/dense.h>
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
    sums[0] += PetscSqrtReal(AbutDot(3, d, d));
    sums[1] += 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, comm));
  *mean = sums[1] > 0 ? sums[0] / sums[1] : 0;
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
