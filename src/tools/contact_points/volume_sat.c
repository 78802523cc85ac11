/* Volume-SAT [Erleben 2018, section 6]: all faces and edges of the cells define axes. */
#include "contact_pointsimpl.h"

static PetscErrorCode Find(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B, AbutPointContacts *contacts)
{
  return AbutFindByAxis(rules, A, B, PETSC_FALSE, contacts);
}

const AbutPointMethod AbutVolumeSAT = {Find, PETSC_FALSE};
