/*
  Choice of the linear solver: direct where it is cheaper, conjugate gradients with algebraic multigrid on rigid-body modes for large
  systems. PETSc options override everything.
*/
#include "solveimpl.h"

#define DIRECT_MOST 400000 /* unknowns up to which a factorisation beats multigrid set-up on one rank */

/* A default for an option that only the options database can set. */
static PetscErrorCode DefaultOption(const char name[], const char value[])
{
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, name, &set));
  if (!set) PetscCall(PetscOptionsSetValue(NULL, name, value));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearSetDefaults(AbutStepper s, KSP ksp)
{
  const PetscInt unknowns = s->ml->num_global * s->dim;
  PetscMPIInt    size;
  PC             pc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(s->comm, &size));
  PetscCall(AbutOrderingRegister());
  if (!s->iterative_set) s->iterative = (PetscBool)(unknowns > DIRECT_MOST);
  PetscCall(KSPGetPC(ksp, &pc));
  if (s->iterative) {
    PetscCall(KSPSetType(ksp, KSPCG));
    PetscCall(KSPSetTolerances(ksp, s->cg_rtol, 0, PETSC_DEFAULT, 2000));
    PetscCall(PCSetType(pc, PCGAMG));
  } else {
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(PCSetType(pc, PCCHOLESKY));
    PetscCall(PCFactorSetMatSolverType(pc, size == 1 ? MATSOLVERCHOLMOD : MATSOLVERMUMPS));
    if (size == 1) {
      PetscCall(PCFactorSetMatOrderingType(pc, "abut-nd"));
      PetscCall(DefaultOption("-mat_cholmod_nmethods", "1")); /* take the ordering given: do not try others beside it */
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearSetNearNullSpace(AbutStepper s, Mat A)
{
  PetscFunctionBegin;
  if (!s->iterative) PetscFunctionReturn(0);
  if (!s->rigid) {
    Vec          coordinates;
    PetscScalar *array;
    PetscCall(VecDuplicate(s->X, &coordinates));
    PetscCall(VecSetBlockSize(coordinates, s->dim));
    PetscCall(VecGetArrayWrite(coordinates, &array));
    PetscCall(PetscArraycpy(array, s->ml->rest, s->n));
    PetscCall(VecRestoreArrayWrite(coordinates, &array));
    PetscCall(MatNullSpaceCreateRigidBody(coordinates, &s->rigid));
    PetscCall(VecDestroy(&coordinates));
  }
  PetscCall(MatSetNearNullSpace(A, s->rigid));
  PetscFunctionReturn(0);
}
