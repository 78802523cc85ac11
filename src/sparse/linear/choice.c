/*
  Choice of the linear solver.

  direct     One rank: Cholesky factorisation (cholesky.c). Several ranks: nested substructures (substructure.c).
  multigrid  Conjugate gradients with multigrid by aggregates (multigrid.c). Its memory is linear in the number of unknowns.

  "auto" takes "direct" or "multigrid" by their predicted work (cost.c): the work of a factorisation is counted by a symbolic factorisation,
  that of multigrid from the number of matrix entries. Counts are equal on all ranks. AbutLinearForget() lets the next choice depend on the
  next matrix alone. Where conjugate gradients with multigrid fail, "direct" serves until then.
*/
#include "linearimpl.h"
#include <string.h>

const char *const AbutLinearKinds[] = {"auto", "direct", "multigrid", "AbutLinearKind", "ABUT_LINEAR_", NULL};

static const AbutOption options[] = {
  {"-abut_linear", ABUT_OPTION_ENUM, offsetof(AbutLinearChoice, asked), ABUT_LINEAR_AUTO, 0, 0, "", "Linear solver", AbutLinearKinds},
  {"-abut_iterative_min_unknowns", ABUT_OPTION_INT, offsetof(AbutLinearChoice, min_unknowns), 10000, 0, PETSC_MAX_INT, "unknowns",
   "Smallest system for which the automatic choice considers multigrid"},
  {"-abut_linear_memory", ABUT_OPTION_REAL, offsetof(AbutLinearChoice, memory), 4000, 0, PETSC_MAX_REAL, "MB",
   "Automatic choice: largest predicted memory of the direct solver on a rank"},
  {"-abut_multigrid_aggregate", ABUT_OPTION_INT, offsetof(AbutLinearChoice, aggregate), 100, 2, PETSC_MAX_INT, "vertices",
   "Multigrid: vertices of an aggregate, on which the smoother solves exactly"},
  {"-abut_multigrid_coarse", ABUT_OPTION_INT, offsetof(AbutLinearChoice, coarse), 20000, 1, PETSC_MAX_INT, "unknowns",
   "Multigrid: largest number of unknowns of the coarsest level, which is factorised"},
};
const AbutOptionTable AbutLinearChoiceOptions = {"Choice of the linear solver", PETSC_STATIC_ARRAY_LENGTH(options), options};

static PetscBool IsOwn(const AbutLinearChoice *c)
{
  return (PetscBool)(!c->ksp_chosen && !c->pc_chosen);
}

PetscBool AbutLinearIsOwn(AbutLinear l)
{
  return IsOwn(&l->choice);
}

/* Whether one application of the preconditioner solves the system: abut's direct solvers, or a factorisation that the user chose. */
static PetscErrorCode IsFactorisation(const AbutLinearChoice *c, PetscBool *factorisation)
{
  char type[64] = "";

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-pc_type", type, sizeof(type), NULL));
  *factorisation = (PetscBool)(c->kind == ABUT_LINEAR_DIRECT && (!c->pc_chosen || !strcmp(type, PCLU) || !strcmp(type, PCCHOLESKY)));
  PetscFunctionReturn(0);
}

/* Sets ksp and pc to c->kind. The KSP is conjugate gradients, or KSPPREONLY if the preconditioner solves the system. */
static PetscErrorCode SetKind(AbutLinearChoice *c, KSP ksp, PC pc)
{
  PetscBool   factorisation = PETSC_FALSE;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)ksp), &size));
  PetscCall(IsFactorisation(c, &factorisation));
  if (!c->ksp_chosen) PetscCall(KSPSetType(ksp, factorisation ? KSPPREONLY : KSPCG));
  PetscCall(KSPSetNormType(ksp, c->kind == ABUT_LINEAR_DIRECT ? KSP_NORM_DEFAULT : KSP_NORM_UNPRECONDITIONED));
  if (c->kind == ABUT_LINEAR_MULTIGRID) {
    PetscCall(PCSetType(pc, "abut-multigrid"));
    AbutMultigridSetSizes(pc, c->aggregate, c->coarse);
  } else {
    PetscCall(PCSetType(pc, size > 1 ? "abut-substructure" : "abut-cholesky"));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearChoiceSetTypes(AbutLinearChoice *c, KSP ksp)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-ksp_type", &c->ksp_chosen));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-pc_type", &c->pc_chosen));
  c->kind = c->asked == ABUT_LINEAR_AUTO ? ABUT_LINEAR_DIRECT : c->asked;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(SetKind(c, ksp, pc));
  PetscFunctionReturn(0);
}

/* Changes to another solver for the next pattern. */
static PetscErrorCode Change(AbutLinearChoice *c, KSP ksp, PC pc, AbutLinearKind kind)
{
  PetscFunctionBegin;
  c->kind = kind;
  PetscCall(SetKind(c, ksp, pc));
  PetscCall(PCSetFromOptions(pc));
  PetscFunctionReturn(0);
}

/* Entries of A. Collective. */
static PetscErrorCode CountEntries(Mat A, CostCounts *counts)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)A);
  MatInfo        info;
  PetscInt       bs;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  counts->entries = info.nz_used;
  counts->graph   = info.nz_used / (PetscReal)(bs * bs);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &counts->entries, 1, MPIU_REAL, MPIU_MAX, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &counts->graph, 1, MPIU_REAL, MPIU_SUM, comm));
  PetscFunctionReturn(0);
}

/* Symbolic factorisation of A by the direct solver. Collective. */
static PetscErrorCode CountFactor(AbutLinearChoice *c, PC pc, Mat A)
{
  AbutFactorCost cost;
  PetscMPIInt    size;
  PetscLogEvent  event;

  PetscFunctionBegin;
  PetscCall(AbutPrecondLogPrediction(&event));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (size > 1) {
    if (c->renew) AbutSubstructureForget(pc);
    AbutSubstructureSetSingle(pc, c->counts.single);
    PetscCall(AbutSubstructureAnalyze(pc, A, &cost));
    c->counts.factor = (AbutFactorCounts){cost.path, cost.entries_max, cost.bytes_max};
  } else {
    if (c->renew) AbutCholeskyForget(pc);
    AbutCholeskySetSingle(pc, c->counts.single);
    PetscCall(AbutCholeskyAnalyze(pc, A, &c->counts.factor));
  }
  PetscCall(PetscLogEventEnd(event, 0, 0, 0, 0));
  PetscFunctionReturn(0);
}

static PetscBool ExceedsMemory(const AbutLinearChoice *c)
{
  return (PetscBool)(CostBytes(&c->counts) > 1e6 * c->memory);
}

/* Whether the present counts of work and memory call for multigrid. serves: the direct solver is in use. */
static PetscBool IsForMultigrid(const AbutLinearChoice *c, PetscBool serves)
{
  return (PetscBool)(ExceedsMemory(c) || (!c->failed && CostPrefersMultigrid(&c->counts, serves)));
}

/* Chooses a solver. Where the analysis alone decides, nothing is factorised. *changed: the PC was replaced. Collective. */
static PetscErrorCode Choose(AbutLinearChoice *c, KSP ksp, PC pc, Mat A, PetscBool single, PetscBool *changed)
{
  const PetscBool serves = (PetscBool)(!c->renew && c->counts.entries > 0);

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_LINEAR_SETUP));
  *changed = (PetscBool)(c->kind != ABUT_LINEAR_DIRECT);
  if (*changed) PetscCall(Change(c, ksp, pc, ABUT_LINEAR_DIRECT));
  c->failed = (PetscBool)(c->failed && !c->renew);
  c->counts = (CostCounts){.single = single};
  PetscCall(CountEntries(A, &c->counts));
  if (!IsForMultigrid(c, serves)) PetscCall(CountFactor(c, pc, A));
  if (IsForMultigrid(c, serves)) {
    PetscCall(Change(c, ksp, pc, ABUT_LINEAR_MULTIGRID));
    *changed  = PETSC_TRUE;
    c->failed = PETSC_FALSE; /* nothing can replace it */
  }
  PetscCall(AbutPhaseEnd(ABUT_PHASE_LINEAR_SETUP));
  PetscFunctionReturn(0);
}

/* Whether the automatic choice applies to this matrix. Not collective. */
static PetscErrorCode IsAutomatic(const AbutLinearChoice *c, Mat A, PetscBool *automatic)
{
  PetscInt unknowns;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &unknowns, NULL));
  *automatic = (PetscBool)(c->asked == ABUT_LINEAR_AUTO && !c->pc_chosen && unknowns >= c->min_unknowns);
  PetscFunctionReturn(0);
}

void AbutLinearChoiceFail(AbutLinearChoice *c)
{
  if (c->kind == ABUT_LINEAR_MULTIGRID && c->counts.entries > 0 && !ExceedsMemory(c)) c->failed = PETSC_TRUE;
}

PetscBool AbutLinearChoiceHasFailed(const AbutLinearChoice *c)
{
  return (PetscBool)(c->failed && c->kind == ABUT_LINEAR_MULTIGRID);
}

/* Whether the choice is made for a new pattern. The work of a factorisation depends on the pattern, that of multigrid hardly. */
static PetscBool IsOpen(const AbutLinearChoice *c)
{
  return (PetscBool)(c->renew || c->kind == ABUT_LINEAR_DIRECT || AbutLinearChoiceHasFailed(c));
}

/* Lets the next set-up be independent of earlier patterns. */
static void ForgetPatterns(PC pc)
{
  if (!strcmp(AbutPrecondName(pc), "abut-cholesky")) AbutCholeskyForget(pc);
  if (!strcmp(AbutPrecondName(pc), "abut-substructure")) AbutSubstructureForget(pc);
  if (!strcmp(AbutPrecondName(pc), "abut-multigrid")) AbutMultigridExpire(pc);
}

PetscErrorCode AbutLinearChoiceSetPattern(AbutLinearChoice *c, KSP ksp, Mat A, PetscBool single, PetscBool *changed)
{
  PetscBool automatic = PETSC_FALSE, keeps;
  PC        pc;

  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(IsAutomatic(c, A, &automatic));
  if (automatic && IsOpen(c)) {
    PetscCall(Choose(c, ksp, pc, A, single, changed));
  } else if (c->renew) {
    ForgetPatterns(pc);
  }
  c->renew = PETSC_FALSE;
  /* Solvers that the user chose may keep arrays of the old matrix, and nothing counts the iterations of a chosen KSP. */
  if (!strcmp(AbutPrecondName(pc), "abut-multigrid") && (!IsOwn(c) || AbutMultigridHasChosen(pc))) {
    AbutMultigridExpire(pc);
    *changed = PETSC_TRUE;
  }
  /* PETSc 3.18: PCTELESCOPE copies into the old pattern and fails; PCASM keeps the overlap of the first pattern. */
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &keeps, PCTELESCOPE, PCASM, ""));
  if (keeps) PetscCall(PCReset(pc));
  *changed = (PetscBool)(*changed || keeps);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearChoiceView(const AbutLinearChoice *c, PetscViewer viewer)
{
  const CostCounts *n = &c->counts;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  current solver: %s%s\n", AbutLinearKinds[c->kind], c->failed ? ", multigrid failed" : ""));
  if (n->entries == 0) PetscFunctionReturn(0);
  PetscCall(
    PetscViewerASCIIPrintf(viewer, "  predicted for a Newton iteration, on the rank with most, in products with a matrix entry:\n"));
  if (n->factor.flops > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "    direct %.3g, %.3g MB: %g operations, %g entries of the factor\n", (double)CostOfDirect(n),
                                     (double)CostBytes(n) / 1e6, (double)n->factor.flops, (double)n->factor.entries));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "    direct %.3g, %.3g MB for the analysis alone\n", (double)CostOfDirect(n),
                                     (double)CostBytes(n) / 1e6));
  PetscCall(PetscViewerASCIIPrintf(viewer, "    multigrid %.3g: %g matrix entries\n", (double)CostOfMultigrid(n), (double)n->entries));
  PetscFunctionReturn(0);
}
