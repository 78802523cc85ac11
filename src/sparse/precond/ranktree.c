/* Communicators of the groups of a tree of ranks. */
#include "ranktree.h"

static PetscInt DepthOf(PetscInt64 node)
{
  PetscInt depth = 0;

  while (node > 1) {
    node /= 2;
    depth++;
  }
  return depth;
}

static PetscErrorCode CreateGroups(RankTree *t)
{
  const PetscInt64 leaf = t->leaf[t->rank];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(t->depth, &t->group));
  for (PetscInt d = 0; d < t->depth; d++) {
    const int side = (int)((leaf >> (t->depth - d)) & 1);
    if (d == 0)
      PetscCallMPI(MPI_Comm_dup(t->comm, &t->group[0]));
    else
      PetscCallMPI(MPI_Comm_split(t->group[d - 1], side, 0, &t->group[d]));
  }
  /* ranks whose leaf is below the last group take part in the split of that group */
  if (t->depth > 0) {
    MPI_Comm alone;
    PetscCallMPI(MPI_Comm_split(t->group[t->depth - 1], MPI_UNDEFINED, 0, &alone));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode RankTreeCreate(MPI_Comm comm, const PetscInt64 leaf[], RankTree *old, RankTree **tree)
{
  RankTree *t;
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscNew(&t));
  t->comm = comm;
  PetscCallMPI(MPI_Comm_rank(comm, &t->rank));
  PetscCallMPI(MPI_Comm_size(comm, &t->size));
  PetscCall(PetscMalloc1(t->size, &t->leaf));
  PetscCall(PetscArraycpy(t->leaf, leaf, t->size));
  for (PetscMPIInt r = 0; r < t->size; r++) t->max_depth = PetscMax(t->max_depth, DepthOf(t->leaf[r]));
  t->depth = DepthOf(t->leaf[t->rank]);
  if (old) PetscCall(PetscArraycmp(old->leaf, t->leaf, t->size, &same));
  if (same) {
    PetscCall(RankTreeDestroy(&t));
    t = old;
  } else {
    PetscCall(CreateGroups(t));
  }
  t->references++;
  *tree = t;
  PetscFunctionReturn(0);
}

PetscErrorCode RankTreeDestroy(RankTree **tree)
{
  RankTree *t = *tree;

  PetscFunctionBegin;
  *tree = NULL;
  if (!t || --t->references > 0) PetscFunctionReturn(0);
  for (PetscInt d = 0; d < t->depth && t->group; d++) PetscCallMPI(MPI_Comm_free(&t->group[d]));
  PetscCall(PetscFree(t->group));
  PetscCall(PetscFree(t->leaf));
  PetscCall(PetscFree(t));
  PetscFunctionReturn(0);
}

PetscInt RankTreeCommonDepth(const RankTree *tree, PetscMPIInt a, PetscMPIInt b)
{
  PetscInt64 x = tree->leaf[a], y = tree->leaf[b];

  while (x != y) {
    if (x > y)
      x /= 2;
    else
      y /= 2;
  }
  return DepthOf(x);
}
