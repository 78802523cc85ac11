/*
  Choice of the linear solver.

  direct     One rank: CHOLMOD with a nested dissection of the vertex graph. Several ranks: nested substructures (substructure.c).
  schwarz    Conjugate gradients, preconditioned by exact solves on overlapping subdomains, one per rank, without coarse space.
  multigrid  Conjugate gradients with multigrid by aggregates (multigrid.c). Its memory is linear in the number of unknowns.

  On several ranks "auto" compares predictions: the symbolic factorisation gives operations and memory of the nested substructures; the
  work of multigrid is proportional to the number of matrix entries.
*/
#include "linearimpl.h"
#include <string.h>

const char *const AbutLinearKinds[] = {"auto", "direct", "schwarz", "multigrid", "AbutLinearKind", "ABUT_LINEAR_", NULL};

/*
  The ratio counts that a lagged factor serves more matrices than a lagged multigrid set-up, and that dense products run several times as
  fast as sparse ones: docs/linear_solvers.md.
*/
static const AbutOption options[] = {
  {"-abut_linear", ABUT_OPTION_ENUM, offsetof(AbutLinearChoice, asked), ABUT_LINEAR_AUTO, 0, 0, "", "Linear solver", AbutLinearKinds},
  {"-abut_direct_ratio", ABUT_OPTION_REAL, offsetof(AbutLinearChoice, direct_ratio), 20000, 0, PETSC_MAX_REAL, "flop",
   "Automatic choice on several ranks: largest predicted work of a factorisation, one operation after the other, per matrix entry of a "
   "rank; "
   "multigrid beyond"},
  {"-abut_direct_memory", ABUT_OPTION_REAL, offsetof(AbutLinearChoice, direct_memory), 4000, 0, PETSC_MAX_REAL, "MB",
   "Automatic choice on several ranks: largest predicted memory of a factorisation on a rank; multigrid beyond"},
  {"-abut_multigrid_aggregate", ABUT_OPTION_INT, offsetof(AbutLinearChoice, aggregate), 100, 2, PETSC_MAX_INT, "vertices",
   "Multigrid: vertices of an aggregate, on which the smoother solves exactly"},
  {"-abut_multigrid_coarse", ABUT_OPTION_INT, offsetof(AbutLinearChoice, coarse), 20000, 1, PETSC_MAX_INT, "unknowns",
   "Multigrid: largest number of unknowns of the coarsest level, which is factorised"},
  {"-abut_multigrid_min_unknowns", ABUT_OPTION_INT, offsetof(AbutLinearChoice, multigrid_min), 600000, 1, PETSC_MAX_INT, "unknowns",
   "Unknowns per rank from which the automatic choice is multigrid without a prediction"},
};
const AbutOptionTable AbutLinearChoiceOptions = {"Choice of the linear solver", PETSC_STATIC_ARRAY_LENGTH(options), options};

PetscBool AbutLinearIsOwn(AbutLinear l)
{
  return (PetscBool)(!l->choice.ksp_chosen && !l->choice.pc_chosen);
}

static PetscErrorCode SetSchwarz(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCSetType(pc, PCASM));
  PetscCall(PCASMSetType(pc, PC_ASM_BASIC)); /* symmetric, as conjugate gradients require */
  PetscCall(PCASMSetOverlap(pc, 1));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetMultigrid(const AbutLinearChoice *c, KSP ksp, PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCSetType(pc, "abut-multigrid"));
  AbutMultigridSetSizes(pc, c->aggregate, c->coarse);
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscFunctionReturn(0);
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

PetscErrorCode AbutLinearChoiceSetTypes(AbutLinearChoice *c, KSP ksp, PetscInt unknowns)
{
  PetscBool   factorisation = PETSC_FALSE;
  PetscMPIInt size;
  PC          pc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)ksp), &size));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-ksp_type", &c->ksp_chosen));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-pc_type", &c->pc_chosen));
  c->kind = c->asked;
  if (c->asked == ABUT_LINEAR_AUTO) c->kind = unknowns / size >= c->multigrid_min ? ABUT_LINEAR_MULTIGRID : ABUT_LINEAR_DIRECT;
  c->substructured = c->predicts = (PetscBool)(c->kind == ABUT_LINEAR_DIRECT && size > 1 && !c->pc_chosen);
  PetscCall(IsFactorisation(c, &factorisation));
  PetscCall(KSPSetType(ksp, factorisation ? KSPPREONLY : KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  if (c->kind == ABUT_LINEAR_MULTIGRID) {
    PetscCall(SetMultigrid(c, ksp, pc));
  } else if (c->kind == ABUT_LINEAR_SCHWARZ) {
    PetscCall(SetSchwarz(pc));
    PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  } else {
    PetscCall(PCSetType(pc, size > 1 ? "abut-substructure" : "abut-cholesky"));
  }
  PetscFunctionReturn(0);
}

/* Replaces nested substructures by multigrid. */
static PetscErrorCode ChangeToMultigrid(AbutLinearChoice *c, KSP ksp, PC pc)
{
  PetscFunctionBegin;
  c->kind          = ABUT_LINEAR_MULTIGRID;
  c->substructured = PETSC_FALSE;
  if (!c->ksp_chosen) PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(SetMultigrid(c, ksp, pc));
  PetscCall(PCSetFromOptions(pc));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReturnToDirect(AbutLinearChoice *c, KSP ksp, PC pc)
{
  PetscFunctionBegin;
  c->kind          = ABUT_LINEAR_DIRECT;
  c->substructured = PETSC_TRUE;
  PetscCall(KSPSetNormType(ksp, KSP_NORM_DEFAULT));
  if (!c->ksp_chosen) PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(PCSetType(pc, "abut-substructure"));
  PetscFunctionReturn(0);
}

/* Predicts the work of a factorisation; with "auto" decides for or against it. *changed: the PC was replaced. Collective. */
static PetscErrorCode Predict(AbutLinearChoice *c, KSP ksp, PC pc, Mat A, PetscBool *changed)
{
  PetscMPIInt size;
  MatInfo     info;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_LINEAR_SETUP));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)ksp), &size));
  *changed = (PetscBool)!c->substructured;
  if (*changed) PetscCall(ReturnToDirect(c, ksp, pc));
  if (c->renew) AbutSubstructureForget(pc);
  c->renew = PETSC_FALSE;
  PetscCall(AbutSubstructureAnalyze(pc, A, &c->cost));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  c->entries = info.nz_used / size;
  if (c->asked == ABUT_LINEAR_AUTO && (c->cost.path > c->direct_ratio * c->entries || c->cost.bytes_max > 1e6 * c->direct_memory)) {
    PetscCall(ChangeToMultigrid(c, ksp, pc));
    *changed = PETSC_TRUE;
  }
  PetscCall(AbutPhaseEnd(ABUT_PHASE_LINEAR_SETUP));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearChoiceSetPattern(AbutLinearChoice *c, KSP ksp, Mat A, PetscBool *changed)
{
  PetscBool keeps;
  PC        pc;

  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  PetscCall(KSPGetPC(ksp, &pc));
  if (c->predicts && (c->substructured || c->renew)) PetscCall(Predict(c, ksp, pc, A, changed));
  if (c->renew && !strcmp(AbutShellName(pc), "abut-cholesky")) {
    AbutCholeskyForget(pc);
    c->renew = PETSC_FALSE;
  }
  /* the finest level of GAMG refers to the old matrix, whose arrays are freed */
  if (c->kind == ABUT_LINEAR_MULTIGRID) *changed = PETSC_TRUE;
  /* PETSc 3.18: PCTELESCOPE copies into the old pattern and fails; PCASM keeps the overlap of the first pattern. */
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &keeps, PCTELESCOPE, PCASM, ""));
  if (keeps) PetscCall(PCReset(pc));
  *changed = (PetscBool)(*changed || keeps);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearChoiceView(const AbutLinearChoice *c, PetscViewer viewer)
{
  const AbutSubstructureCost *cost = &c->cost;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  current solver: %s\n", AbutLinearKinds[c->kind]));
  if (cost->flops > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  predicted for a factorisation: %g operations, %g one after the other, %g for each of the %g matrix "
                                     "entries of a rank; %g MB on a rank\n",
                                     (double)cost->flops, (double)cost->path, (double)(cost->path / PetscMax(c->entries, 1)),
                                     (double)c->entries, (double)cost->bytes_max / 1e6));
  PetscFunctionReturn(0);
}
