/*
  Separating-axis methods [Erleben 2018, section 6]: the contact normal is the axis of least overlap. The points of the intersection are
  projected onto the plane through their mean.
*/
#include "contact_pointsimpl.h"

PetscErrorCode AbutFindByAxis(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B, PetscBool surface_only,
                              AbutPointContacts *contacts)
{
  AbutCellPair      pair;
  AbutOverlap       overlap;
  AbutPointCrossing crossing[ABUT_MAX_CROSSINGS];
  PetscReal         offset = 0;
  int               n;

  PetscFunctionBegin;
  if (!AbutCellPairSetUp(&pair, rules, A, B) || !AbutCellPairOverlap(&pair, surface_only, &overlap)) PetscFunctionReturn(0);
  if (overlap.separation == -PETSC_INFINITY) PetscFunctionReturn(0);
  n = AbutCellPairCrossings(&pair, crossing);
  for (int k = 0; k < n; k++) offset += AbutDot(3, overlap.normal, crossing[k].x) / n;
  PetscCall(AbutAddProjected(&pair, n, crossing, &overlap, offset, contacts));
  PetscFunctionReturn(0);
}
