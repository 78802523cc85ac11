/* Surface-SAT [Erleben 2018, section 6]: faces and edges on the surface define axes. All axes decide whether the cells overlap. */
#include "contact_pointsimpl.h"

static PetscErrorCode Find(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B, AbutPointContacts *contacts)
{
  return AbutFindByAxis(rules, A, B, PETSC_TRUE, contacts);
}

const AbutPointMethod AbutSurfaceSAT = {Find, PETSC_FALSE};
