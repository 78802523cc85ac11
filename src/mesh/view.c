/* Sizes of the mesh and how evenly the ranks share it. */
#include "meshimpl.h"
#include <petscviewer.h>

PetscErrorCode AbutMeshView(AbutMesh mesh, PetscViewer viewer)
{
  const AbutMeshLocal *local   = &mesh->local;
  const char *const    names[] = {"vertices", "ghosts", "cells", "faces", "edges", "points"};
  const PetscInt mine[6] = {local->num_owned, local->num_local - local->num_owned, local->num_cells, local->num_faces, local->num_edges,
                            local->num_points};
  PetscInt       most[6];
  PetscInt64     sum[6]; /* copies are counted once a rank */
  PetscMPIInt    size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(mesh->comm, &size));
  PetscCallMPI(MPI_Allreduce(mine, most, 6, MPIU_INT, MPI_MAX, mesh->comm));
  for (int i = 0; i < 6; i++) sum[i] = mine[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 6, MPIU_INT64, MPI_SUM, mesh->comm));
  PetscCall(PetscViewerASCIIPrintf(viewer, "Mesh: dimension %" PetscInt_FMT ", %" PetscInt_FMT " bodies and obstacles, diagonal %g m\n",
                                   local->dim, local->num_bodies, (double)local->diagonal));
  for (PetscInt i = 0; i < 6; i++) {
    const PetscReal average = (PetscReal)sum[i] / size;
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %-8s %12" PetscInt64_FMT ", most on a rank %" PetscInt_FMT " (%.2f of the average)\n",
                                     names[i], sum[i], most[i], (double)(average > 0 ? (PetscReal)most[i] / average : 1)));
  }
  PetscFunctionReturn(0);
}
