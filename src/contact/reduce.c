/* Sums over contact vertices: copies go back to the rank that sent them, which hands what is not its own to the owners through the mesh. */
#include "contactimpl.h"

PetscErrorCode AbutContactReduceAdd(AbutContact contact, PetscInt width, PetscReal values[])
{
  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_HALO));
  PetscCall(AbutPartnersReturn(contact, &contact->search.partners, width, values));
  if (contact->rings.on) PetscCall(AbutPartnersReturn(contact, &contact->rings.partners, width, values));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_HALO));
  PetscCall(AbutMeshReduceAdd(contact->mesh, width, values));
  PetscFunctionReturn(0);
}
