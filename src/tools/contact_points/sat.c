/*
  Separating-axis methods [Erleben 2018, section 6]: the contact normal is the axis of least overlap. Volume-SAT takes the axes of all faces
  and edges of the cells, surface-SAT the axes of faces and edges on the surface. All axes decide whether the cells overlap.

  The points of the intersection are projected onto the plane in the middle of their extent along the normal, as in the author's own
  simulator (github.com/diku-dk/PROX). The paper has the plane through their mean, which differs more from pair to pair of cells: it doubles
  the difference of excess to Table 8.
*/
#include "contact_pointsimpl.h"

static PetscErrorCode Find(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B, PetscBool surface_only,
                           AbutPointContacts *contacts)
{
  AbutCellPair pair;
  AbutOverlap  overlap;

  PetscFunctionBegin;
  if (!AbutCellPairSetUp(&pair, rules, A, B) || !AbutCellPairOverlap(&pair, surface_only, &overlap)) PetscFunctionReturn(0);
  if (overlap.separation > -PETSC_INFINITY) PetscCall(AbutAddProjected(&pair, overlap.normal, &overlap.separation, contacts));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFindVolumeAxis(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B, AbutPointContacts *contacts)
{
  return Find(rules, A, B, PETSC_FALSE, contacts);
}

PetscErrorCode AbutFindSurfaceAxis(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B, AbutPointContacts *contacts)
{
  return Find(rules, A, B, PETSC_TRUE, contacts);
}
