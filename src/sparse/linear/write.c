/* Writes the linear system of a solution to a file, for studies of linear solvers (jobs/linear_study.sh). */
#include "linearimpl.h"

/* The rank of each owned vertex, as numbers that PETSc can store: a vector with one entry per vertex. */
static PetscErrorCode CreateOwners(Vec rest, Vec *owners)
{
  PetscMPIInt rank;
  PetscInt    n, bs;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)rest), &rank));
  PetscCall(VecGetLocalSize(rest, &n));
  PetscCall(VecGetBlockSize(rest, &bs));
  PetscCall(VecCreateMPI(PetscObjectComm((PetscObject)rest), n / bs, PETSC_DETERMINE, owners));
  PetscCall(VecSet(*owners, 0));
  PetscCall(VecShift(*owners, (PetscScalar)rank));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSystemWrite(const char file[], Mat A, Vec b, Vec rest, const PetscReal positions[])
{
  PetscViewer viewer;
  PetscInt    n;
  Vec         owners, at;

  PetscFunctionBegin;
  PetscCall(CreateOwners(rest, &owners));
  PetscCall(VecDuplicate(rest, &at));
  PetscCall(VecCopy(rest, at));
  PetscCall(VecGetLocalSize(at, &n));
  if (positions) {
    PetscScalar *array;
    PetscCall(VecGetArrayWrite(at, &array));
    PetscCall(PetscArraycpy(array, positions, n));
    PetscCall(VecRestoreArrayWrite(at, &array));
  }
  PetscCall(PetscViewerBinaryOpen(PetscObjectComm((PetscObject)A), file, FILE_MODE_WRITE, &viewer));
  PetscCall(MatView(A, viewer));
  PetscCall(VecView(b, viewer));
  PetscCall(VecView(rest, viewer));
  PetscCall(VecView(at, viewer));
  PetscCall(VecView(owners, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecDestroy(&at));
  PetscCall(VecDestroy(&owners));
  PetscFunctionReturn(0);
}
