/* Stencils of the candidates within a distance, for the matrix pattern; mean surface edge. */
#include "candidates.h"

PetscErrorCode AbutCandidatesWithin(const AbutCandidates *c, const PetscReal x[], PetscReal distance, Buffer *buffer, AbutStencilList *near)
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
      if (!IsWithin(&sets[i], c->dim, v, x, distance * distance, y, &s)) continue;
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
  PetscFunctionBegin;
  PetscCall(AbutMeshGetMeanEdge(mesh, PETSC_FALSE, mean));
  if (!(*mean > 0)) PetscCall(AbutMeshGetMeanEdge(mesh, PETSC_TRUE, mean));
  if (!(*mean > 0)) *mean = 1;
  PetscFunctionReturn(0);
}
