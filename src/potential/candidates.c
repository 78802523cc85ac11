/* Which candidates may come into contact soon, and the length that potentials go by where surfaces have none. */
#include "candidates.h"

PetscErrorCode AbutCandidatesNear(const AbutCandidates *c, const PetscReal x[], PetscReal distance, Buffer *buffer, AbutStencilList *near)
{
  PairSet  sets[NUM_SETS];
  PetscInt count = 0;

  PetscFunctionBegin;
  PairSets(c, sets);
  for (int i = 0; i < NUM_SETS; i++) {
    for (PetscInt p = 0; p < sets[i].count; p++) {
      const PetscInt *v = PairOf(&sets[i], p);
      PetscReal       y[12], s;
      PetscInt       *out;
      if (!IsNear(&sets[i], c->dim, v, x, distance * distance, y, &s)) continue;
      PetscCall(Reserve(buffer, count + 1, 4 * sizeof(PetscInt)));
      out = (PetscInt *)buffer->data + 4 * count++;
      for (PetscInt a = 0; a < 4; a++) out[a] = a < sets[i].n ? c->vertex_global[v[a]] : -1;
    }
  }
  *near = (AbutStencilList){count, NULL, buffer->data};
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeanEdge(AbutMesh mesh, PetscReal *mean)
{
  const AbutMeshLocal *m;
  MPI_Comm             comm;
  PetscReal            sums[4] = {0, 0, 0, 0}; /* of bodies: lengths, edges; of obstacles alike */

  PetscFunctionBegin;
  PetscCall(AbutMeshGetComm(mesh, &comm));
  PetscCall(AbutMeshGetLocal(mesh, &m));
  for (PetscInt e = 0; e < m->num_edges; e++) {
    const PetscInt *v    = m->edges + 2 * e;
    const int       kind = m->bodies[m->vertex_body[v[0]]].obstacle ? 2 : 0;
    PetscReal       d[3] = {0, 0, 0};
    for (PetscInt i = 0; i < m->dim; i++) d[i] = m->rest[m->dim * v[0] + i] - m->rest[m->dim * v[1] + i];
    sums[kind] += PetscSqrtReal(AbutDot(3, d, d));
    sums[kind + 1] += 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPIU_REAL, MPIU_SUM, comm));
  *mean = sums[1] > 0 ? sums[0] / sums[1] : sums[3] > 0 ? sums[2] / sums[3] : 1;
  PetscFunctionReturn(0);
}
