/* Levels of multigrid by aggregates: their creation from a matrix, and their adaptation to later matrices. */
#include "hierarchy.h"
#include "couplings.h"
#include <abut/petsc_versions.h>

PetscErrorCode HierarchyDestroy(Hierarchy *h)
{
  PetscFunctionBegin;
  for (PetscInt l = 0; l < h->num; l++) {
    Level *level = &h->level[l];
    PetscCall(MatDestroy(&level->A));
    PetscCall(InterpolationDestroy(&level->interpolation));
    PetscCall(AggregatesDestroy(&level->aggregates));
    *level = (Level){0};
  }
  h->num = 0;
  PetscCall(RedistributionDestroy(&h->moved));
  PetscCall(MappingDestroy(&h->mapping));
  PetscCall(PetscFree(h->fixed));
  PetscFunctionReturn(0);
}

/* Gives the finest level the matrix A, in the distribution of the hierarchy. Collective. */
static PetscErrorCode SetFinest(Mat A, Hierarchy *h)
{
  Level *finest = &h->level[0];

  PetscFunctionBegin;
  PetscCall(MatDestroy(&finest->A));
  PetscCall(RedistributionDestroy(&h->moved));
  if (h->mapping) {
    PetscCall(RedistributionCreate(A, h->mapping, &h->moved));
    PetscCall(RedistributionUpdate(h->moved, A));
    PetscCall(MatSetOption(h->moved->B, MAT_SPD, PETSC_TRUE));
  }
  finest->A = h->moved ? h->moved->B : A;
  PetscCall(PetscObjectReference((PetscObject)finest->A));
  PetscCall(PetscObjectGetId((PetscObject)A, &h->matrix));
  PetscCall(MatGetNonzeroState(A, &h->pattern));
  PetscFunctionReturn(0);
}

/* Finds another distribution, if one has weaker couplings between ranks. Collective. */
static PetscErrorCode Map(Mat A, Hierarchy *h)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (size > 1) PetscCall(MappingCreateParts(A, h->aggregate, &h->mapping));
  PetscFunctionReturn(0);
}

/*
  Sets the modes to 0 in rows of fixed unknowns. Fixed vertices of an aggregate may be far from its other vertices; a motion of the
  aggregate that moved them, too, would have a large energy. Not collective.
*/
static void ClearFixed(const Hierarchy *h, PetscInt rows, PetscScalar modes[])
{
  for (PetscInt j = 0; j < h->num_modes; j++)
    for (PetscInt i = 0; i < rows; i++)
      if (h->fixed[i]) modes[j * rows + i] = 0;
}

/* Moves the modes to the distribution of the moved matrix. Collective. */
static PetscErrorCode MoveModes(Hierarchy *h, PetscScalar **modes)
{
  const PetscInt before = h->moved->num_old * h->moved->bs, after = h->moved->num_new * h->moved->bs;
  PetscScalar   *moved;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(h->num_modes * after, &moved));
  for (PetscInt j = 0; j < h->num_modes; j++) PetscCall(RedistributionForward(h->moved, *modes + j * before, moved + j * after));
  PetscCall(PetscFree(*modes));
  *modes = moved;
  PetscFunctionReturn(0);
}

/* Near-null space of the finest level, [num_modes][owned rows], freed by the caller: the matrix's own, else translations. Collective. */
static PetscErrorCode GetModes(Mat A, Hierarchy *h, PetscScalar **modes)
{
  const Vec   *vectors = NULL;
  PetscInt     bs, rows, num = 0;
  MatNullSpace near;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCall(MatGetNearNullSpace(A, &near));
  if (near) PetscCall(MatNullSpaceGetVecs(near, NULL, &num, &vectors));
  h->num_modes = num > 0 ? num : bs;
  PetscCall(PetscCalloc1(h->num_modes * rows, modes));
  for (PetscInt j = 0; j < h->num_modes; j++) {
    const PetscScalar *values;
    for (PetscInt i = j; i < rows && num == 0; i += bs) (*modes)[j * rows + i] = 1;
    if (num == 0) continue;
    PetscCall(VecGetArrayRead(vectors[j], &values));
    PetscCall(PetscArraycpy(*modes + j * rows, values, rows));
    PetscCall(VecRestoreArrayRead(vectors[j], &values));
  }
  ClearFixed(h, rows, *modes);
  if (h->moved) PetscCall(MoveModes(h, modes));
  PetscFunctionReturn(0);
}

/*
  Sets the coarse matrix P^T A P after a change of P or of the pattern (new), or of values. Unused unknowns have a diagonal of 1.
  Collective.
*/
static PetscErrorCode SetCoarseMat(PetscInt l, PetscBool new, Hierarchy *h)
{
  Level   *fine = &h->level[l], *coarse = &h->level[l + 1];
  PetscInt first;

  PetscFunctionBegin;
  if (new) PetscCall(MatDestroy(&coarse->A));
  PetscCall(MatPtAP(fine->A, fine->interpolation.P, new ? MAT_INITIAL_MATRIX : MAT_REUSE_MATRIX, 1, &coarse->A));
  if (fine->unused) {
    PetscCall(MatGetOwnershipRange(coarse->A, &first, NULL));
    for (PetscInt k = 0; k < fine->interpolation.num_unused; k++) {
      const PetscInt row = first + fine->interpolation.unused[k];
      PetscCall(MatSetValue(coarse->A, row, row, 1, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(coarse->A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(coarse->A, MAT_FINAL_ASSEMBLY));
  }
  if (new) PetscCall(MatSetBlockSize(coarse->A, h->num_modes));
  if (new) PetscCall(MatSetOption(coarse->A, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(0);
}

/* The interpolation to level l from its aggregates, and the matrix of the next level. modes: of the finest level. Collective. */
static PetscErrorCode SetCoarser(PetscInt l, const PetscScalar modes[], Hierarchy *h)
{
  Level         *fine = &h->level[l];
  Interpolation *to   = &fine->interpolation;

  PetscFunctionBegin;
  if (l > 0) modes = h->level[l - 1].interpolation.modes;
  PetscCall(InterpolationDestroy(to));
  PetscCall(InterpolationCreate(fine->A, &fine->aggregates, h->num_modes, modes, to));
  fine->unused = (PetscBool)(to->num_unused > 0);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &fine->unused, 1, AbutMPIBool, MPI_LOR, PetscObjectComm((PetscObject)fine->A)));
  PetscCall(SetCoarseMat(l, PETSC_TRUE, h));
  PetscFunctionReturn(0);
}

PetscErrorCode HierarchyCreate(Mat A, Hierarchy *h)
{
  PetscInt     rows, unknowns, before = PETSC_MAX_INT;
  PetscScalar *modes;

  PetscFunctionBegin;
  PetscCall(Map(A, h));
  PetscCall(SetFinest(A, h));
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCall(PetscMalloc1(rows, &h->fixed));
  PetscCall(CouplingsFindFixed(A, h->fixed));
  PetscCall(GetModes(A, h, &modes));
  PetscCall(MatGetSize(A, &unknowns, NULL));
  for (h->num = 1; h->num == 1 || (h->num < LEVELS_MAX && unknowns > h->coarse && unknowns < before); h->num++) {
    Level *fine = &h->level[h->num - 1];
    before      = unknowns;
    PetscCall(AggregatesCreate(fine->A, h->aggregate, &fine->aggregates));
    PetscCall(SetCoarser(h->num - 1, modes, h));
    PetscCall(MatGetSize(h->level[h->num].A, &unknowns, NULL));
  }
  PetscCall(PetscFree(modes));
  h->outdated = PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscErrorCode HierarchyUpdateFinest(Mat A, Hierarchy *h)
{
  PetscObjectId    matrix;
  PetscObjectState pattern;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)A, &matrix));
  PetscCall(MatGetNonzeroState(A, &pattern));
  if (matrix == h->matrix && pattern == h->pattern) {
    if (h->moved) PetscCall(RedistributionUpdate(h->moved, A));
    PetscFunctionReturn(0);
  }
  PetscCall(SetFinest(A, h));
  PetscCall(AggregatesRepair(h->level[0].A, h->aggregate, &h->level[0].aggregates));
  h->outdated = PETSC_TRUE;
  PetscFunctionReturn(0);
}

/* Renews interpolations and coarse matrices after the finest level has got a new pattern and the values of A. Collective. */
static PetscErrorCode RenewCoarse(Mat A, Hierarchy *h)
{
  const PetscInt num_modes = h->num_modes;
  PetscScalar   *modes;

  PetscFunctionBegin;
  PetscCall(GetModes(A, h, &modes));
  PetscCheck(h->num_modes == num_modes, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_INCOMP,
             "The near-null space has another dimension than at the creation of the hierarchy");
  for (PetscInt l = 0; l < h->num - 1; l++) {
    if (l > 0) PetscCall(AggregatesRepair(h->level[l].A, h->aggregate, &h->level[l].aggregates));
    PetscCall(SetCoarser(l, modes, h));
  }
  PetscCall(PetscFree(modes));
  h->outdated = PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscErrorCode HierarchyUpdate(Mat A, Hierarchy *h)
{
  PetscFunctionBegin;
  PetscCall(HierarchyUpdateFinest(A, h));
  if (h->outdated) {
    PetscCall(RenewCoarse(A, h));
    PetscFunctionReturn(0);
  }
  for (PetscInt l = 0; l < h->num - 1; l++) PetscCall(SetCoarseMat(l, PETSC_FALSE, h));
  PetscFunctionReturn(0);
}
