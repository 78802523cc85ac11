/* Sums over contact vertices: copies return to the rank that sent them; the mesh sums ghosts into their owners. */
#include "contactimpl.h"

PetscErrorCode AbutContactReduceAdd(AbutContact contact, PetscInt width, PetscReal values[])
{
  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_HALO));
  PetscCall(AbutNeighboursReduceAdd(&contact->search.neighbours, width, values));
  if (contact->ring.on) PetscCall(AbutSurfaceReduceAdd(contact->ring.surface, width, values));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_HALO));
  PetscCall(AbutMeshReduceAdd(contact->mesh, width, values));
  PetscFunctionReturn(0);
}
