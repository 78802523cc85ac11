/*
  Multigrid by aggregates, the preconditioner "abut-multigrid" (a V-cycle of PETSc's PCMG) on the levels of hierarchy.c.

  The smoother is Chebyshev iteration with exact solutions on the aggregates. A level with at most -abut_multigrid_coarse unknowns is solved
  by a Cholesky factorisation on one rank for every LEAST unknowns.

  A set-up computes the coarse matrices and all factors, with a new pattern also the interpolations. Aggregates and the intervals of the
  Chebyshev iterations stay until the fixed unknowns change; vertices with new stiff couplings change their aggregate. A solution with the
  set-up of an earlier matrix renews the finest level alone: stiff contacts come and go within its aggregates, whose factors cost less than
  the products for the coarse matrices. Changes of the fixed unknowns count at the next set-up only.

  An estimate of the largest eigenvalue, from which an interval comes, takes as long as two or three cycles; it changes little between
  Newton iterations. If conjugate gradients fail with intervals of an earlier matrix, or take more than twice as many iterations as the
  first time, the hierarchy is built again.
*/
#include "blocks.h"
#include "couplings.h"
#include "hierarchy.h"
#include "precondimpl.h"
#include <string.h>

#define LEAST 500 /* unknowns of a rank on the coarsest level: with more ranks, messages would take longer than operations */

typedef struct {
  PetscObjectId    checked;         /* matrix whose blocks were checked last, */
  PetscObjectState checked_pattern; /* and its pattern */
  Hierarchy        levels;
  PetscBool        chosen; /* the user chose solvers of levels */
  PC               cycle;  /* PCMG; NULL before the first set-up */
  Vec              b, x;   /* vectors of the moved matrix */
  PetscBool        kept;   /* the Chebyshev iterations have intervals from an earlier set-up */
  PetscBool        stale;  /* the next set-up builds the hierarchy again */
  PetscInt         first;  /* iterations of the first solution with the hierarchy */
} Multigrid;

static PetscErrorCode DestroyHierarchy(Multigrid *m)
{
  PetscFunctionBegin;
  PetscCall(PCDestroy(&m->cycle));
  PetscCall(HierarchyDestroy(&m->levels));
  PetscCall(VecDestroy(&m->b));
  PetscCall(VecDestroy(&m->x));
  PetscFunctionReturn(0);
}

/* The level that is number i of PCMG, where 0 is the coarsest. */
static const Level *LevelOf(const Multigrid *m, PetscInt i)
{
  return &m->levels.level[m->levels.num - 1 - i];
}

/* PETSc cannot tell a square interpolation from its transpose, so the restriction is set too. i: PCMG's level. */
static PetscErrorCode SetTransfer(Multigrid *m, PetscInt i, Mat P)
{
  Mat restriction;

  PetscFunctionBegin;
  PetscCall(PCMGSetInterpolation(m->cycle, i, P));
  PetscCall(MatCreateTranspose(P, &restriction));
  PetscCall(PCMGSetRestriction(m->cycle, i, restriction));
  PetscCall(MatDestroy(&restriction));
  PetscFunctionReturn(0);
}

/* Types of the solver of PCMG's level i (0: coarsest). */
static PetscErrorCode SetLevelSolver(Multigrid *m, PetscInt i)
{
  const Level *level = LevelOf(m, i);
  PetscMPIInt  size;
  KSP          ksp;
  PC           pc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)level->A), &size));
  PetscCall(PCMGGetSmoother(m->cycle, i, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  if (i == 0) {
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(PCSetType(pc, size > 1 ? "abut-substructure" : "abut-cholesky"));
    if (size > 1) AbutSubstructureSetLeast(pc, LEAST);
  } else {
    PetscCall(KSPSetType(ksp, KSPCHEBYSHEV));
    PetscCall(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 2));
    PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
    PetscCall(AggregatesSetSmoother(pc, &level->aggregates));
  }
  PetscFunctionReturn(0);
}

/* Sets m->chosen after the set-up of PCMG, in which levels get their options. Collective. */
static PetscErrorCode FindChosen(Multigrid *m)
{
  const char *prefix;

  PetscFunctionBegin;
  PetscCall(PCGetOptionsPrefix(m->cycle, &prefix));
  PetscCall(PetscOptionsHasName(NULL, prefix, "-pc_mg_distinct_smoothup", &m->chosen));
  for (PetscInt i = 0; i < m->levels.num; i++) {
    KSP ksp;
    PC  pc;
    PetscCall(PCMGGetSmoother(m->cycle, i, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    if (strncmp(AbutPrecondName(pc), "abut-", 5) != 0) m->chosen = PETSC_TRUE;
  }
  PetscFunctionReturn(0);
}

/*
  PCSetFromOptions() of PCMG. An option -pc_type abut-multigrid, which created this preconditioner, has the same prefix: it would replace
  PCMG by a second one. It is set again, and marked as used. Collective.
*/
static PetscErrorCode SetCycleFromOptions(PC cycle, const char prefix[])
{
  char      name[256], type[64];
  PetscBool set, own = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "-%spc_type", prefix ? prefix : ""));
  PetscCall(PetscOptionsGetString(NULL, NULL, name, type, sizeof(type), &set));
  if (set) PetscCall(PetscStrcmp(type, "abut-multigrid", &own));
  if (own) PetscCall(PetscOptionsClearValue(NULL, name));
  PetscCall(PCSetFromOptions(cycle));
  if (own) PetscCall(PetscOptionsSetValue(NULL, name, type));
  if (own) PetscCall(PetscOptionsGetString(NULL, NULL, name, type, sizeof(type), NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateHierarchy(Multigrid *m, PC pc, Mat A)
{
  const char *prefix;

  PetscFunctionBegin;
  PetscCall(DestroyHierarchy(m));
  PetscCall(HierarchyCreate(A, &m->levels));
  if (m->levels.moved) PetscCall(MatCreateVecs(m->levels.moved->B, &m->x, &m->b));
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), &m->cycle));
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PCSetOptionsPrefix(m->cycle, prefix));
  PetscCall(PCSetType(m->cycle, PCMG));
  PetscCall(PCMGSetLevels(m->cycle, m->levels.num, NULL));
  for (PetscInt i = 0; i < m->levels.num; i++) PetscCall(SetLevelSolver(m, i));
  PetscCall(SetCycleFromOptions(m->cycle, prefix));
  PetscFunctionReturn(0);
}

/* Gives the solver of PCMG's level i the present matrix. Collective. */
static PetscErrorCode ConnectLevel(Multigrid *m, PetscInt i)
{
  const Mat A = LevelOf(m, i)->A;
  KSP       ksp;

  PetscFunctionBegin;
  PetscCall(PCMGGetSmoother(m->cycle, i, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(PCMGSetResidual(m->cycle, i, NULL, A));
  if (i == m->levels.num - 1) PetscCall(PCSetOperators(m->cycle, A, A));
  PetscFunctionReturn(0);
}

/* Gives PCMG the present matrices and interpolations of all levels. Collective. */
static PetscErrorCode Connect(Multigrid *m)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->levels.num; i++) {
    PetscCall(ConnectLevel(m, i));
    if (i > 0) PetscCall(SetTransfer(m, i, LevelOf(m, i)->interpolation.P));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode GetFinestSmoother(Multigrid *m, PC *pc)
{
  KSP ksp;

  PetscFunctionBegin;
  PetscCall(PCMGGetSmoother(m->cycle, m->levels.num - 1, &ksp));
  PetscCall(KSPGetPC(ksp, pc));
  PetscFunctionReturn(0);
}

/*
  Whether cycle and finest factors stay as they are: PCApply() sets a PC up again if its matrix changed. Not for a smoother of the user,
  whose inner solvers PETSc sets up later; from PETSc 3.24 on PCMG passes the choice on to it. Collective.
*/
static PetscErrorCode KeepFactors(Multigrid *m, PetscBool keep)
{
  PC smoother;

  PetscFunctionBegin;
  PetscCall(PCSetReusePreconditioner(m->cycle, keep));
  PetscCall(GetFinestSmoother(m, &smoother));
  PetscCall(PCSetReusePreconditioner(smoother, (PetscBool)(keep && !strcmp(AbutPrecondName(smoother), "abut-aggregates"))));
  PetscFunctionReturn(0);
}

/*
  Sets up the solvers of a new hierarchy, with estimates of the largest eigenvalues. For matrices that are not declared as positive definite
  PETSc estimates by GMRES. Conjugate gradients stop at an indefinite matrix and leave eigenvalues undefined: PETSc 3.18 then did not
  return on one of seven ranks. Collective.
*/
static PetscErrorCode SetUpNew(Multigrid *m)
{
  KSP ksp;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < m->levels.num; l++) PetscCall(MatSetOption(m->levels.level[l].A, MAT_SPD, PETSC_FALSE));
  PetscCall(PCSetUp(m->cycle));
  for (PetscInt l = 0; l < m->levels.num; l++) PetscCall(MatSetOption(m->levels.level[l].A, MAT_SPD, PETSC_TRUE));
  for (PetscInt i = 1; i < m->levels.num; i++) {
    PetscCall(PCMGGetSmoother(m->cycle, i, &ksp));
    PetscCall(AbutIntervalKeep(ksp));
  }
  PetscFunctionReturn(0);
}

/* Checks the blocks of each new pattern once: set-ups of the same pattern are frequent. Collective. */
static PetscErrorCode CheckPattern(Multigrid *m, Mat A)
{
  PetscObjectState pattern;
  PetscObjectId    id;

  PetscFunctionBegin;
  PetscCall(MatGetNonzeroState(A, &pattern));
  PetscCall(PetscObjectGetId((PetscObject)A, &id));
  if (id == m->checked && pattern == m->checked_pattern) PetscFunctionReturn(0);
  PetscCall(BlocksCheckDense(A, "abut-multigrid"));
  m->checked         = id;
  m->checked_pattern = pattern;
  PetscFunctionReturn(0);
}

static PetscErrorCode SetUp(PC pc)
{
  Multigrid *m = (Multigrid *)AbutShellContext(pc);
  Mat        A;
  PetscBool  keep = (PetscBool)(m->cycle && !m->stale);

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(CheckPattern(m, A));
  if (keep) PetscCall(CouplingsCompareFixed(A, m->levels.fixed, &keep));
  if (keep)
    PetscCall(HierarchyUpdate(A, &m->levels));
  else
    PetscCall(CreateHierarchy(m, pc, A));
  PetscCall(Connect(m));
  PetscCall(KeepFactors(m, PETSC_FALSE));
  if (keep)
    PetscCall(PCSetUp(m->cycle));
  else
    PetscCall(SetUpNew(m));
  PetscCall(KeepFactors(m, PETSC_TRUE));
  if (!keep) PetscCall(FindChosen(m));
  m->kept  = keep;
  m->stale = PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMultigridRenewFinest(PC pc)
{
  Multigrid *m = (Multigrid *)AbutShellContext(pc);
  Mat        A;
  PC         smoother;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(HierarchyUpdateFinest(A, &m->levels));
  PetscCall(ConnectLevel(m, m->levels.num - 1));
  PetscCall(GetFinestSmoother(m, &smoother));
  PetscCall(KeepFactors(m, PETSC_FALSE));
  PetscCall(PCSetUp(smoother));
  PetscCall(KeepFactors(m, PETSC_TRUE));
  PetscFunctionReturn(0);
}

/* One V-cycle of the moved matrix. Collective. */
static PetscErrorCode ApplyMoved(Multigrid *m, Vec b, Vec x)
{
  const PetscScalar *from;
  PetscScalar       *to;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(b, &from));
  PetscCall(VecGetArrayWrite(m->b, &to));
  PetscCall(RedistributionForward(m->levels.moved, from, to));
  PetscCall(VecRestoreArrayWrite(m->b, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscCall(PCApply(m->cycle, m->b, m->x));
  PetscCall(VecGetArrayRead(m->x, &from));
  PetscCall(VecGetArrayWrite(x, &to));
  PetscCall(RedistributionReverse(m->levels.moved, from, to));
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(VecRestoreArrayRead(m->x, &from));
  PetscFunctionReturn(0);
}

static PetscErrorCode Apply(PC pc, Vec b, Vec x)
{
  Multigrid *m = (Multigrid *)AbutShellContext(pc);

  PetscFunctionBegin;
  if (m->levels.moved)
    PetscCall(ApplyMoved(m, b, x));
  else
    PetscCall(PCApply(m->cycle, b, x));
  PetscFunctionReturn(0);
}

static PetscErrorCode View(PC pc, PetscViewer viewer)
{
  const Multigrid *m = (Multigrid *)AbutShellContext(pc);

  PetscFunctionBegin;
  if (m->cycle) PetscCall(PCView(m->cycle, viewer));
  PetscFunctionReturn(0);
}

static PetscErrorCode Destroy(PC pc)
{
  Multigrid *m = (Multigrid *)AbutShellContext(pc);

  PetscFunctionBegin;
  PetscCall(DestroyHierarchy(m));
  PetscCall(PetscFree(m));
  PetscFunctionReturn(0);
}

static const AbutShell shell = {"abut-multigrid", SetUp, Apply, View, Destroy};

PetscErrorCode AbutMultigridCreate(PC pc)
{
  Multigrid *m;

  PetscFunctionBegin;
  PetscCall(PetscNew(&m));
  m->levels.aggregate = 100;
  m->levels.coarse    = 20000;
  PetscCall(AbutShellCreate(pc, &shell, m));
  PetscFunctionReturn(0);
}

void AbutMultigridSetSizes(PC pc, PetscInt aggregate, PetscInt coarse)
{
  Multigrid *m = (Multigrid *)AbutShellContext(pc);

  m->levels.aggregate = aggregate;
  m->levels.coarse    = coarse;
}

PetscBool AbutMultigridIsKept(PC pc)
{
  return ((Multigrid *)AbutShellContext(pc))->kept;
}

PetscBool AbutMultigridHasChosen(PC pc)
{
  return ((Multigrid *)AbutShellContext(pc))->chosen;
}

void AbutMultigridExpire(PC pc)
{
  ((Multigrid *)AbutShellContext(pc))->stale = PETSC_TRUE;
}

PetscErrorCode AbutMultigridForget(PC pc)
{
  Mat A;

  PetscFunctionBegin;
  AbutMultigridExpire(pc);
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY)); /* increases the state of A: PETSc sets nothing up for a matrix that did not change */
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

void AbutMultigridCount(PC pc, PetscInt iterations)
{
  Multigrid *m = (Multigrid *)AbutShellContext(pc);

  if (!m->kept)
    m->first = iterations;
  else if (iterations > 2 * m->first + 2)
    m->stale = PETSC_TRUE;
}

PC AbutMultigridCycle(PC pc)
{
  return ((Multigrid *)AbutShellContext(pc))->cycle;
}
