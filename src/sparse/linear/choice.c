/*
  Choice of the linear solver.

  direct     One rank: Cholesky factorisation (cholesky.c). Several ranks: nested substructures (substructure.c).
  schwarz    Conjugate gradients, preconditioned by exact solves on overlapping subdomains, one per rank, without coarse space.
  multigrid  Conjugate gradients with multigrid by aggregates (multigrid.c). Its memory is linear in the number of unknowns.

  "auto" takes the one with the least predicted work (cost.c). The work of a factorisation is counted by a symbolic factorisation, that of
  the Schwarz method by one of the subdomains, that of multigrid from the number of matrix entries. How often a Newton iteration uses the
  current solver, and how often its matrix has a new pattern, is counted; after some iterations the counts replace the averages of the
  model, and another solver replaces the current one if that saves a tenth of the work, also where the pattern stays. So a solver that needs
  many more iterations than predicted is given up. Counts are equal on all ranks, and AbutLinearForget() drops them.
*/
#include "linearimpl.h"
#include <string.h>

enum { COUNTED = 8 }; /* Newton iterations after which counted uses replace averages */

const char *const AbutLinearKinds[] = {"auto", "direct", "schwarz", "multigrid", "AbutLinearKind", "ABUT_LINEAR_", NULL};

static const AbutOption options[] = {
  {"-abut_linear", ABUT_OPTION_ENUM, offsetof(AbutLinearChoice, asked), ABUT_LINEAR_AUTO, 0, 0, "", "Linear solver", AbutLinearKinds},
  {"-abut_iterative_min_unknowns", ABUT_OPTION_INT, offsetof(AbutLinearChoice, min_unknowns), 10000, 0, PETSC_MAX_INT, "unknowns",
   "Smallest system for which the automatic choice considers an iterative solver"},
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

static PetscErrorCode SetSchwarz(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCSetType(pc, PCASM));
  PetscCall(PCASMSetType(pc, PC_ASM_BASIC)); /* symmetric, as conjugate gradients require */
  PetscCall(PCASMSetOverlap(pc, 1));
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
  } else if (c->kind == ABUT_LINEAR_SCHWARZ) {
    PetscCall(SetSchwarz(pc));
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
  c->use = c->total = (AbutLinearUse){0};
  PetscCall(SetKind(c, ksp, pc));
  PetscCall(PCSetFromOptions(pc));
  PetscFunctionReturn(0);
}

/* Sizes of the matrix. Collective. */
static PetscErrorCode CountMatrix(AbutLinearChoice *c, Mat A, PetscBool single)
{
  const MPI_Comm comm   = PetscObjectComm((PetscObject)A);
  CostCounts    *counts = &c->counts;
  MatInfo        info;
  PetscInt       unknowns;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &counts->size));
  PetscCall(MatGetSize(A, &unknowns, NULL));
  PetscCall(MatGetBlockSize(A, &counts->bs));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  counts->entries = counts->total = info.nz_used;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &counts->entries, 1, MPIU_REAL, MPIU_MAX, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &counts->total, 1, MPIU_REAL, MPIU_SUM, comm));
  counts->unknowns = unknowns;
  counts->modes    = counts->bs == 3 ? 6 : 3;
  counts->coarsen  = c->aggregate;
  counts->coarsest = c->coarse;
  counts->single   = single;
  PetscFunctionReturn(0);
}

/* Symbolic factorisation of A by the direct solver. Collective. */
static PetscErrorCode CountFactor(AbutLinearChoice *c, PC pc, Mat A)
{
  AbutFactorCost cost;

  PetscFunctionBegin;
  if (c->counts.size > 1) {
    if (c->renew) AbutSubstructureForget(pc);
    AbutSubstructureSetSingle(pc, c->counts.single);
    PetscCall(AbutSubstructureAnalyze(pc, A, &cost));
    c->counts.factor = (AbutFactorCounts){cost.path, cost.entries_max, cost.bytes_max};
  } else {
    if (c->renew) AbutCholeskyForget(pc);
    AbutCholeskySetSingle(pc, c->counts.single);
    PetscCall(AbutCholeskyAnalyze(pc, A, &c->counts.factor));
  }
  PetscFunctionReturn(0);
}

/* The cost of each solver from the present counts. */
static void Predict(AbutLinearChoice *c)
{
  for (AbutLinearKind k = ABUT_LINEAR_DIRECT; k <= ABUT_LINEAR_MULTIGRID; k++) c->cost[k] = CostPredict(&c->model, &c->counts, k);
}

/*
  Counts the work of each solver for A. Where the analysis of a factorisation alone costs more than multigrid, nothing is factorised.
  Subdomains are counted once, and again after AbutLinearForget(). Collective.
*/
static PetscErrorCode Count(AbutLinearChoice *c, PC pc, Mat A, PetscBool single)
{
  CostCounts   *counts = &c->counts;
  Cost          analysis;
  PetscLogEvent event;

  PetscFunctionBegin;
  if (c->renew) *counts = (CostCounts){0};
  PetscCall(CountMatrix(c, A, single));
  analysis = CostOfAnalysis(&c->model, counts);
  if (analysis.seconds > CostPredict(&c->model, counts, ABUT_LINEAR_MULTIGRID).seconds || analysis.bytes > 1e6 * c->model.memory) {
    counts->factor = counts->local = (AbutFactorCounts){0};
    PetscFunctionReturn(0);
  }
  PetscCall(AbutPrecondLogPrediction(&event));
  PetscCall(CountFactor(c, pc, A));
  if (counts->size > 1 && !(counts->local.flops > 0))
    PetscCall(AbutPrecondCountSubdomains(A, c->counts.bs, c->counts.single, &c->counts.local));
  PetscCall(PetscLogEventEnd(event, 0, 0, 0, 0));
  PetscFunctionReturn(0);
}

/* Chooses a solver by predicted cost. *changed: the PC was replaced. Collective. */
static PetscErrorCode Choose(AbutLinearChoice *c, KSP ksp, PC pc, Mat A, PetscBool single, PetscBool *changed)
{
  const AbutLinearKind current = c->renew || c->counts.size == 0 ? ABUT_LINEAR_AUTO : c->kind;
  AbutLinearKind       best;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_LINEAR_SETUP));
  *changed = (PetscBool)(c->kind != ABUT_LINEAR_DIRECT);
  if (*changed) PetscCall(Change(c, ksp, pc, ABUT_LINEAR_DIRECT));
  PetscCall(Count(c, pc, A, single));
  Predict(c);
  best = CostChoose(&c->model, c->cost, current);
  if (best != ABUT_LINEAR_DIRECT) {
    PetscCall(Change(c, ksp, pc, best));
    *changed = PETSC_TRUE;
  }
  PetscCall(AbutPhaseEnd(ABUT_PHASE_LINEAR_SETUP));
  PetscFunctionReturn(0);
}

void AbutLinearChoiceCount(AbutLinearChoice *c, AbutLinearUse add)
{
  AbutLinearUse *const sums[] = {&c->use, &c->total};

  for (int i = 0; i < 2; i++) {
    sums[i]->newton += add.newton;
    sums[i]->setups += add.setups;
    sums[i]->iterations += add.iterations;
    sums[i]->patterns += add.patterns;
  }
}

/* Averages the uses of the current solver if enough were counted. *averaged: they were. */
static void AverageUses(AbutLinearChoice *c, PetscBool *averaged)
{
  const AbutLinearUse *use = &c->use;

  *averaged = (PetscBool)(use->newton >= COUNTED);
  if (!*averaged) return;
  CostSetUse(&c->counts, c->kind,
             (CostUse){(PetscReal)use->setups / (PetscReal)use->newton, (PetscReal)use->iterations / (PetscReal)use->newton});
  c->counts.patterns = (PetscReal)use->patterns / (PetscReal)use->newton;
  c->use             = (AbutLinearUse){0};
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

/* Whether another solver has less work by the uses of the current one, if enough were counted. */
static PetscBool IsWorse(AbutLinearChoice *c)
{
  PetscBool averaged;

  AverageUses(c, &averaged);
  if (!averaged) return PETSC_FALSE;
  Predict(c);
  return (PetscBool)(CostChoose(&c->model, c->cost, c->kind) != c->kind);
}

PetscErrorCode AbutLinearChoiceReconsider(AbutLinearChoice *c, KSP ksp, Mat A, PetscBool single, PetscBool *changed)
{
  PetscBool automatic = PETSC_FALSE;
  PC        pc;

  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  PetscCall(IsAutomatic(c, A, &automatic));
  if (!automatic || c->renew || c->counts.size == 0 || !IsWorse(c)) PetscFunctionReturn(0);
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(Choose(c, ksp, pc, A, single, changed));
  PetscFunctionReturn(0);
}

/* Lets the next set-up be independent of earlier patterns. Factors of subdomains keep elimination orders, so Schwarz is created anew. */
static PetscErrorCode ForgetPatterns(AbutLinearChoice *c, KSP ksp, PC pc)
{
  PetscFunctionBegin;
  if (!strcmp(AbutPrecondName(pc), "abut-cholesky")) AbutCholeskyForget(pc);
  if (!strcmp(AbutPrecondName(pc), "abut-substructure")) AbutSubstructureForget(pc);
  if (!strcmp(AbutPrecondName(pc), "abut-multigrid")) AbutMultigridExpire(pc);
  if (c->kind != ABUT_LINEAR_SCHWARZ || c->pc_chosen) PetscFunctionReturn(0);
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(SetKind(c, ksp, pc));
  PetscCall(PCSetFromOptions(pc));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearChoiceSetPattern(AbutLinearChoice *c, KSP ksp, Mat A, PetscBool single, PetscBool *changed)
{
  PetscBool open = PETSC_FALSE, keeps;
  PC        pc;

  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(IsAutomatic(c, A, &open));
  if (open && !c->renew) open = (PetscBool)(IsWorse(c) || c->kind == ABUT_LINEAR_DIRECT); /* its work depends on the pattern */
  if (open) {
    PetscCall(Choose(c, ksp, pc, A, single, changed));
  } else if (c->renew) {
    PetscCall(ForgetPatterns(c, ksp, pc));
  }
  c->renew = PETSC_FALSE;
  AbutLinearChoiceCount(c, (AbutLinearUse){.patterns = 1});
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

/* Predicted seconds for these uses of a solver in a Newton iteration. */
static PetscReal SecondsOf(const AbutLinearChoice *c, AbutLinearKind k, PetscReal setups, PetscReal iterations)
{
  CostCounts counts = c->counts;

  counts.use[k] = (CostUse){setups, iterations};
  return CostPredict(&c->model, &counts, k).seconds;
}

static PetscErrorCode ViewPrediction(const AbutLinearChoice *c, AbutLinearKind k, PetscViewer viewer)
{
  const CostUse   use = CostGetUse(&c->counts, k);
  const PetscReal one = SecondsOf(c, k, 1, 1);

  PetscFunctionBegin;
  if (c->cost[k].seconds < 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "    %-9s not predicted\n", AbutLinearKinds[k]));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "    %-9s %.3g s, %.3g MB, %.3g set-ups of %.3g s, %.3g iterations of %.3g s%s%s\n",
                                     AbutLinearKinds[k], (double)c->cost[k].seconds, (double)c->cost[k].bytes / 1e6, (double)use.setups,
                                     (double)(SecondsOf(c, k, 2, 1) - one), (double)use.iterations, (double)(SecondsOf(c, k, 1, 2) - one),
                                     c->counts.use[k].iterations > 0 ? " (counted)" : "", k == c->kind ? ", chosen" : ""));
  PetscFunctionReturn(0);
}

static PetscErrorCode ViewFactor(const AbutFactorCounts *f, const char name[], PetscViewer viewer)
{
  PetscFunctionBegin;
  if (f->flops > 0)
    PetscCall(
      PetscViewerASCIIPrintf(viewer, "    %s: %g operations, %g entries of the factor\n", name, (double)f->flops, (double)f->entries));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearChoiceView(const AbutLinearChoice *c, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  current solver: %s\n", AbutLinearKinds[c->kind]));
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "  set-ups %" PetscInt_FMT ", iterations %" PetscInt_FMT " in %" PetscInt_FMT " solutions since its choice\n", c->total.setups,
    c->total.iterations, c->total.newton));
  if (c->counts.size == 0) PetscFunctionReturn(0);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  predicted for a Newton iteration, on the rank with most:\n"));
  for (AbutLinearKind k = ABUT_LINEAR_DIRECT; k <= ABUT_LINEAR_MULTIGRID; k++) PetscCall(ViewPrediction(c, k, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "    from %g matrix entries, %g on all ranks, %g unknowns\n", (double)c->counts.entries,
                                   (double)c->counts.total, (double)c->counts.unknowns));
  PetscCall(PetscViewerASCIIPrintf(viewer, "    with %.3g new patterns in a Newton iteration%s\n", (double)CostGetPatterns(&c->counts),
                                   CostIsCounted(&c->counts) ? " (counted)" : ""));
  PetscCall(ViewFactor(&c->counts.factor, "factorisation", viewer));
  PetscCall(ViewFactor(&c->counts.local, "factorisation of a subdomain", viewer));
  PetscFunctionReturn(0);
}
