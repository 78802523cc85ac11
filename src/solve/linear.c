/*
  Choice of the linear solver. PETSc options override everything.

  direct     one rank: CHOLMOD on a nested dissection of the vertex graph. Several ranks: by substructures (substructure.c), each rank its
             interior, the first the interface; if that takes too long, CHOLMOD on one of them.
  schwarz    conjugate gradients, preconditioned by exact solves on overlapping subdomains, one a rank. Without a coarse space: it serves
             where interfaces are large, in compact bodies on many ranks, where inertia and short ways keep the iterations few.
  multigrid  conjugate gradients with algebraic multigrid on rigid-body modes: the only one whose memory stays linear.
*/
#include "solveimpl.h"

#define INTERFACE_MOST    1.5    /* operations on the interface over those of a rank: on two 0.2 in a cube, 1.1 in a house of cards */
#define INTERFACE_FREE    1e7    /* operations that do not matter */
#define INTERFACE_LARGEST 3e11   /* that of 10,000 unknowns, whose matrix takes 0.8 GB */
#define MULTIGRID_LEAST   600000 /* unknowns a rank from which a factorisation takes too much memory */

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
  return unknowns / size >= MULTIGRID_LEAST ? ABUT_LINEAR_MULTIGRID : ABUT_LINEAR_DIRECT;
}

static PetscErrorCode SetSchwarz(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCSetType(pc, PCASM));
  PetscCall(PCASMSetType(pc, PC_ASM_BASIC)); /* the symmetric variant, as conjugate gradients need */
  PetscCall(PCASMSetOverlap(pc, 1));
  PetscCall(DefaultCholmod("sub_"));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetTelescope(PC pc, PetscMPIInt size)
{
  PetscFunctionBegin;
  PetscCall(PCSetType(pc, PCTELESCOPE));
  PetscCall(PCTelescopeSetReductionFactor(pc, size));
  PetscCall(DefaultCholmod("telescope_"));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearSetDefaults(AbutStepper s, KSP ksp)
{
  PetscMPIInt size;
  PetscBool   chosen;
  PC          pc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(s->comm, &size));
  PetscCall(AbutOrderingRegister());
  PetscCall(AbutCholeskyRegister());
  PetscCall(AbutSubstructureRegister());
  PetscCall(PetscOptionsHasName(NULL, NULL, "-pc_type", &chosen));
  s->linear_asked = s->linear;
  if (s->linear == ABUT_LINEAR_AUTO) s->linear = Choose(s->ml->num_global * s->dim, size);
  s->substructures = (PetscBool)(s->linear == ABUT_LINEAR_DIRECT && size > 1 && !chosen);
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPSetType(ksp, s->linear == ABUT_LINEAR_DIRECT ? KSPPREONLY : KSPCG));
  PetscCall(KSPSetTolerances(ksp, s->cg_rtol, 0, PETSC_DEFAULT, KRYLOV_MOST));
  if (s->linear == ABUT_LINEAR_MULTIGRID) {
    PetscCall(PCSetType(pc, PCGAMG));
    PetscCall(PCGAMGSetNSmooths(pc, 0)); /* smoothed prolongation: thrice the memory and the set-up, for 15 % fewer iterations */
  } else if (s->linear == ABUT_LINEAR_SCHWARZ) {
    PetscCall(SetSchwarz(pc));
  } else {
    PetscCall(PCSetType(pc, size > 1 ? "abut-substructure" : "abut-cholesky"));
  }
  PetscFunctionReturn(0);
}

/*
  A direct solution on several ranks is by substructures, unless all would wait too long for the one that factorises the interface. Whether
  they would is a matter of the pattern alone, so that a run that is continued decides as one that never stopped.
*/
static PetscErrorCode ChooseSubstructures(AbutStepper s, KSP ksp, PC pc, Mat A)
{
  const PetscBool before = s->substructured;
  PetscBool       chosen;
  PetscReal       interior, interface;
  PetscMPIInt     size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(s->comm, &size));
  if (!before) PetscCall(PCSetType(pc, "abut-substructure"));
  PetscCall(AbutSubstructureAnalyze(pc, A, &interior, &interface));
  s->substructured = (PetscBool)(interface <= PetscMin(INTERFACE_MOST * interior + INTERFACE_FREE, INTERFACE_LARGEST));
  PetscCall(PetscInfo(s->snes, "Operations on the busiest rank %g, on the interface %g\n", (double)interior, (double)interface));
  if (s->substructured && before) PetscFunctionReturn(0);
  AbutDirectionForget(s);
  s->linear = s->linear_asked == ABUT_LINEAR_AUTO && !s->substructured ? ABUT_LINEAR_SCHWARZ : ABUT_LINEAR_DIRECT;
  if (s->linear == ABUT_LINEAR_SCHWARZ)
    PetscCall(SetSchwarz(pc));
  else if (!s->substructured)
    PetscCall(SetTelescope(pc, size));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-ksp_type", &chosen));
  if (!chosen) PetscCall(KSPSetType(ksp, s->linear == ABUT_LINEAR_DIRECT ? KSPPREONLY : KSPCG));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_DEFAULT));
  PetscCall(PCSetFromOptions(pc));
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
  if (s->linear == ABUT_LINEAR_MULTIGRID) {
    PetscCall(SetNearNullSpace(s, A));
    AbutDirectionForget(s); /* the finest level works with the old matrix, whose arrays are gone */
  }
  PetscCall(SNESGetKSP(s->snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  if (s->substructures) {
    PetscCall(AbutPhaseBegin(ABUT_PHASE_LINEAR_SETUP));
    PetscCall(ChooseSubstructures(s, ksp, pc, A));
    PetscCall(AbutPhaseEnd(ABUT_PHASE_LINEAR_SETUP));
  }
  /* PETSc 3.18: PCTELESCOPE copies into the old pattern and fails, PCASM keeps the overlap of the first pattern it saw. */
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &keeps, PCTELESCOPE, PCASM, ""));
  if (keeps) {
    PetscCall(PCReset(pc));
    AbutDirectionForget(s);
  }
  PetscFunctionReturn(0);
}
