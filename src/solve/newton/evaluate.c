/* Values of the objective at the iterate. */
#include "newtonimpl.h"

PetscErrorCode AbutProblemEvaluate(const Problem *p)
{
  PetscFunctionBegin;
  PetscCall(AbutObjectiveEnergy(p->parts.objective, p->at->t, &p->at->energy));
  PetscCall(AbutObjectiveGradient(p->parts.objective));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutProblemSearchAndEvaluate(const Problem *p)
{
  PetscFunctionBegin;
  PetscCall(AbutObjectiveFindContacts(p->parts.objective));
  PetscCall(AbutProblemEvaluate(p));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutProblemCopyToVec(const Problem *p, const PetscReal from[], Vec to)
{
  PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(to, &array));
  PetscCall(PetscArraycpy(array, from, p->n));
  PetscCall(VecRestoreArrayWrite(to, &array));
  PetscFunctionReturn(0);
}
