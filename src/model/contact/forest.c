/* Star forest between owned vertices and contact vertices, for output: sums go the way of AbutContactReduceAdd(). */
#include "contactimpl.h"

PetscErrorCode AbutContactCreateForest(AbutContact contact, PetscSF *forest)
{
  const AbutCandidates *c = AbutContactGetCandidates(contact);
  const AbutMeshLocal  *m = contact->m;
  PetscLayout           layout;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(contact->comm, m->num_owned, m->num_global, 1, &layout));
  PetscCall(PetscSFCreate(contact->comm, forest));
  PetscCall(PetscSFSetGraphLayout(*forest, layout, c->num_vertices, NULL, PETSC_COPY_VALUES, c->vertex_global));
  PetscCall(PetscSFSetUp(*forest));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(0);
}
