/*
  Separating-axis methods [Erleben 2018, section 6]: the contact normal is the axis of least overlap. The points of the intersection are
  projected onto the plane in the middle of their extent along the normal, as in the author's own simulator (github.com/diku-dk/PROX). The
  paper has the plane through their mean, which differs more from pair to pair of cells: it doubles the difference of excess to Table 8.
*/
#include "contact_pointsimpl.h"

PetscErrorCode AbutFindByAxis(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B, PetscBool surface_only,
                              AbutPointContacts *contacts)
{
  AbutCellPair      pair;
  AbutOverlap       overlap;
  AbutPointCrossing crossing[ABUT_MAX_CROSSINGS];
  PetscReal         extent[2];
  int               n;

  PetscFunctionBegin;
  if (!AbutCellPairSetUp(&pair, rules, A, B) || !AbutCellPairOverlap(&pair, surface_only, &overlap)) PetscFunctionReturn(0);
  if (overlap.separation == -PETSC_INFINITY) PetscFunctionReturn(0);
  n = AbutCellPairCrossings(&pair, crossing);
  AbutCrossingsExtent(n, crossing, overlap.normal, extent);
  PetscCall(AbutAddProjected(&pair, n, crossing, &overlap, (extent[0] + extent[1]) / 2, contacts));
  PetscFunctionReturn(0);
}
