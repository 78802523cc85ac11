/* The length that surfaces are meshed with. */
#include "meshimpl.h"
#include <abut/dense.h>

PetscErrorCode AbutMeshGetMeanEdge(AbutMesh mesh, PetscBool of_obstacles, PetscReal *mean)
{
  const AbutMeshLocal *m;
  MPI_Comm             comm;
  PetscReal            sums[2] = {0, 0}; /* lengths, edges */

  PetscFunctionBegin;
  PetscCall(AbutMeshGetComm(mesh, &comm));
  PetscCall(AbutMeshGetLocal(mesh, &m));
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
