/* Values and matrix pattern of the objective at the iterate. */
#include "newtonimpl.h"

PetscErrorCode AbutNewtonEvaluate(AbutNewton n)
{
  PetscFunctionBegin;
  PetscCall(AbutObjectiveEnergy(n->parts.objective, n->at->t, &n->at->energy));
  PetscCall(AbutObjectiveGradient(n->parts.objective));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonSearchAndEvaluate(AbutNewton n)
{
  PetscFunctionBegin;
  PetscCall(AbutObjectiveFindContacts(n->parts.objective));
  PetscCall(AbutNewtonEvaluate(n));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonCopyToVec(AbutNewton n, const PetscReal from[], Vec to)
{
  PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(to, &array));
  PetscCall(PetscArraycpy(array, from, n->n));
  PetscCall(VecRestoreArrayWrite(to, &array));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonUpdateMatrix(AbutNewton n, Mat *A)
{
  PetscBool rebuilt;

  PetscFunctionBegin;
  PetscCall(AbutObjectiveUpdatePattern(n->parts.objective, &rebuilt, A));
  if (rebuilt) {
    n->now.new_matrix = PETSC_TRUE;
    PetscCall(SNESSetJacobian(n->snes, *A, *A, NULL, NULL)); /* the arrays of the old matrix are gone */
  }
  PetscFunctionReturn(0);
}
