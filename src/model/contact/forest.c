/* Star forest between owned vertices and contact vertices, for output: sums go the way of AbutContactReduceAdd(). */
#include "contactimpl.h"

PetscErrorCode AbutContactCreateForest(AbutContact contact, PetscSF *forest)
{
  const AbutCandidates *c = AbutContactGetCandidates(contact);

  return AbutSFCreate(contact->comm, contact->m->num_owned, c->num_vertices, c->vertex_global, forest);
}
