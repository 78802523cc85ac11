/*
  Stopping test for gaps below the resolution of the tolerance. The tolerance allows displacements up to eps_d h. If a gap is smaller, a
  displacement within the tolerance multiplies the gap and its force. Newton's method at most doubles a tiny gap in an iteration, and would
  stop with an imbalance as large as the contact force. So a solve that starts with such gaps must also balance the forces.
*/
#include "newtonimpl.h"

static const AbutOption options[] = {
  {"-abut_gap_resolution", ABUT_OPTION_REAL, offsetof(GapTest, resolution), 0.3, 0, 1, "",
   "Smallest gap at the start of a solve over eps_d h below which the solve must also balance its forces"},
  {"-abut_gap_imbalance", ABUT_OPTION_REAL, offsetof(GapTest, imbalance), 0.1, 1e-9, 1, "",
   "Largest force imbalance over the largest contact force at the end of such a solve"}};
const AbutOptionTable AbutGapTestOptions = {"Stopping test of tiny gaps", PETSC_STATIC_ARRAY_LENGTH(options), options};

PetscErrorCode AbutGapTestIsBalanced(AbutNewton n, PetscBool *balanced)
{
  PetscReal        most[2] = {0, 0}; /* imbalance, contact force */
  const PetscReal *contact;

  PetscFunctionBegin;
  *balanced = PETSC_TRUE;
  if (!n->gaps.applies) PetscFunctionReturn(0);
  PetscCall(AbutObjectiveGradient(n->parts.objective));
  PetscCall(AbutObjectiveGradientOf(n->parts.objective, 1U << ABUT_ENERGY_CONTACT, &contact));
  for (PetscInt i = 0; i < n->n; i++) {
    most[0] = PetscMax(most[0], PetscAbsReal(n->at->gradient[i]));
    most[1] = PetscMax(most[1], n->motion->fixed[i] ? 0 : PetscAbsReal(contact[i]));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPIU_REAL, MPIU_MAX, n->comm));
  *balanced = (PetscBool)(most[1] == 0 || most[0] <= n->gaps.imbalance * most[1]);
  PetscFunctionReturn(0);
}
