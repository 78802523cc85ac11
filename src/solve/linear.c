/*
  Choice of the linear solver. PETSc options override everything.

  direct     one rank: CHOLMOD on a nested dissection of the vertex graph. Several ranks: the same on one of them, which beats a distributed
             factorisation at the sizes where it is chosen and, unlike one, gives the same bits every time.
  schwarz    conjugate gradients, preconditioned by exact solves on overlapping subdomains, one a rank. Inertia keeps the number of
             iterations moderate without a coarse space.
  multigrid  conjugate gradients with algebraic multigrid on rigid-body modes: the only one whose memory stays linear.
*/
#include "solveimpl.h"

#define DIRECT_MOST     3000   /* unknowns up to which several ranks leave the factorisation to one */
#define MULTIGRID_LEAST 600000 /* unknowns a rank from which a factorisation takes too much memory */

const char *const AbutLinearKinds[] = {"auto", "direct", "schwarz", "multigrid", "AbutLinearKind", "ABUT_LINEAR_", NULL};

/* A default for an option that only the options database can set. */
static PetscErrorCode DefaultOption(const char name[], const char value[])
{
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, name, &set));
  if (!set) PetscCall(PetscOptionsSetValue(NULL, name, value));
  PetscFunctionReturn(0);
}

/* Cholesky factorisation by CHOLMOD for the PC whose options start with `prefix`. */
static PetscErrorCode DefaultCholmod(const char prefix[])
{
  static const char *const options[][2] = {{"ksp_type", "preonly"}, {"pc_type", "abut-cholesky"}};
  char                     name[128];
  PetscBool                chosen;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-pc_type", &chosen));
  if (chosen) PetscFunctionReturn(0); /* the user's preconditioner has no use for them */
  for (size_t k = 0; k < sizeof(options) / sizeof(options[0]); k++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "-%s%s", prefix, options[k][0]));
    PetscCall(DefaultOption(name, options[k][1]));
  }
  PetscFunctionReturn(0);
}

static AbutLinearKind Choose(PetscInt unknowns, PetscMPIInt size)
{
  if (unknowns / size >= MULTIGRID_LEAST) return ABUT_LINEAR_MULTIGRID;
  return size == 1 || unknowns <= DIRECT_MOST ? ABUT_LINEAR_DIRECT : ABUT_LINEAR_SCHWARZ;
}

PetscErrorCode AbutLinearSetDefaults(AbutStepper s, KSP ksp)
{
  PetscMPIInt size;
  PC          pc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(s->comm, &size));
  PetscCall(AbutOrderingRegister());
  PetscCall(AbutCholeskyRegister());
  if (s->linear == ABUT_LINEAR_AUTO) s->linear = Choose(s->ml->num_global * s->dim, size);
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPSetType(ksp, s->linear == ABUT_LINEAR_DIRECT ? KSPPREONLY : KSPCG));
  PetscCall(KSPSetTolerances(ksp, s->cg_rtol, 0, PETSC_DEFAULT, KRYLOV_MOST));
  if (s->linear == ABUT_LINEAR_MULTIGRID) {
    PetscCall(PCSetType(pc, PCGAMG));
    PetscCall(PCGAMGSetNSmooths(pc, 0)); /* smoothed prolongation: thrice the memory and the set-up, for 15 % fewer iterations */
  } else if (s->linear == ABUT_LINEAR_SCHWARZ) {
    PetscCall(PCSetType(pc, PCASM));
    PetscCall(PCASMSetType(pc, PC_ASM_BASIC)); /* the symmetric variant, as conjugate gradients need */
    PetscCall(PCASMSetOverlap(pc, 1));
    PetscCall(DefaultCholmod("sub_"));
  } else if (size > 1) {
    PetscCall(PCSetType(pc, PCTELESCOPE));
    PetscCall(PCTelescopeSetReductionFactor(pc, size));
    PetscCall(DefaultCholmod("telescope_"));
  } else {
    PetscCall(PCSetType(pc, "abut-cholesky"));
  }
  PetscFunctionReturn(0);
}

/* Rigid-body modes at rest, which multigrid coarsens. */
static PetscErrorCode SetNearNullSpace(AbutStepper s, Mat A)
{
  PetscFunctionBegin;
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

PetscErrorCode AbutLinearNewMatrix(AbutStepper s, Mat A)
{
  KSP       ksp;
  PC        pc;
  PetscBool keeps;

  PetscFunctionBegin;
  if (s->linear == ABUT_LINEAR_MULTIGRID) PetscCall(SetNearNullSpace(s, A));
  PetscCall(SNESGetKSP(s->snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  /* PETSc 3.18: PCTELESCOPE copies into the old pattern and fails, PCASM keeps the overlap of the first pattern it saw. */
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &keeps, PCTELESCOPE, PCASM, ""));
  if (keeps) {
    PetscCall(PCReset(pc));
    AbutDirectionForget(s);
  }
  PetscFunctionReturn(0);
}
