/*
  Multigrid by aggregates, the preconditioner "abut-multigrid" (a V-cycle of PETSc's PCMG).

  Each level divides the vertices of each rank into aggregates of about -abut_multigrid_aggregate vertices, such that couplings between
  aggregates are weak; stiff contacts lie within aggregates where possible. The smoother is Chebyshev iteration with exact solutions on the
  aggregates. On several ranks the matrix first moves to parts with weak couplings between them, unless its distribution is as good.
  The unknowns of the next level are the rigid-body modes of the aggregates (unsmoothed aggregation). A level with at most
  -abut_multigrid_coarse unknowns is solved by a Cholesky factorisation on one rank for every LEAST unknowns.

  Aggregates, interpolation and the intervals of the Chebyshev iterations stay until the pattern of the matrix or the fixed unknowns change.
  A set-up computes the coarse matrices and all factors. A solution with the set-up of an earlier matrix renews the finest level alone:
  stiff contacts come and go within its aggregates, whose factors cost less than the products for the coarse matrices.
  Changes of the fixed unknowns count at the next set-up only.

  An estimate of the largest eigenvalue, from which an interval comes, takes as long as two or three cycles; it changes little between
  Newton iterations. If conjugate gradients fail with intervals of an earlier matrix, or take more than twice as many iterations as the
  first time, the hierarchy is built again.
*/
#include "aggregates.h"
#include "couplings.h"
#include "linearimpl.h"
#include "redistribution.h"
#include <abut/petsc_versions.h>
#include <string.h>

#define LEVELS_MAX 12
#define LEAST      500 /* unknowns of a rank on the coarsest level: with more ranks, messages would take longer than operations */

/* A level and its interpolation from the next coarser one. Level 0 is the finest. */
typedef struct {
  Mat           A;
  Aggregates    aggregates;    /* this and all that follows: not on the coarsest level */
  Interpolation interpolation; /* from the next coarser level */
  PetscBool     repairs;       /* a rank has unused unknowns of the next level */
} Level;

typedef struct {
  PetscInt         aggregate; /* vertices of an aggregate */
  PetscInt         coarse;    /* largest number of unknowns of the coarsest level */
  PC               cycle;     /* PCMG; NULL before the first set-up */
  PetscInt         num, num_modes;
  Level            level[LEVELS_MAX];
  Redistribution  *moved;  /* the matrix with the distribution of the hierarchy; NULL: that of the caller */
  Vec              b, x;   /* vectors of the moved matrix */
  PetscBool       *fixed;  /* [owned rows of the caller's matrix] fixed unknowns at the creation of the hierarchy */
  PetscObjectId    matrix; /* id of the matrix whose pattern has the hierarchy */
  PetscObjectState pattern;
  PetscBool        kept;  /* the intervals of the Chebyshev iterations were estimated in an earlier set-up */
  PetscBool        stale; /* the next set-up builds the hierarchy again */
  PetscInt         first; /* iterations of the first solution with the hierarchy */
} Multigrid;

static PetscErrorCode DestroyHierarchy(Multigrid *m)
{
  PetscFunctionBegin;
  PetscCall(PCDestroy(&m->cycle));
  for (PetscInt l = 0; l < m->num; l++) {
    Level *level = &m->level[l];
    PetscCall(MatDestroy(&level->A));
    PetscCall(InterpolationDestroy(&level->interpolation));
    PetscCall(AggregatesDestroy(&level->aggregates));
    *level = (Level){0};
  }
  m->num = 0;
  PetscCall(RedistributionDestroy(&m->moved));
  PetscCall(VecDestroy(&m->b));
  PetscCall(VecDestroy(&m->x));
  PetscCall(PetscFree(m->fixed));
  PetscFunctionReturn(0);
}

/* Moves the matrix if another distribution has much weaker couplings between ranks. Collective. */
static PetscErrorCode Move(Multigrid *m, Mat A)
{
  Mapping    *mapping;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (size == 1) PetscFunctionReturn(0);
  PetscCall(MappingCreateParts(A, m->aggregate, &mapping));
  if (!mapping) PetscFunctionReturn(0);
  PetscCall(RedistributionCreate(A, mapping, &m->moved));
  PetscCall(MappingDestroy(&mapping));
  PetscCall(RedistributionUpdate(m->moved, A));
  PetscCall(MatSetOption(m->moved->B, MAT_SPD, PETSC_TRUE));
  PetscCall(MatCreateVecs(m->moved->B, &m->x, &m->b));
  PetscFunctionReturn(0);
}

/*
  Sets the modes to 0 in rows of fixed unknowns. An aggregate may contain fixed vertices far from its others; a motion of the aggregate that
  moves them would have a large energy. Not collective.
*/
static void ClearFixed(const Multigrid *m, PetscInt rows, PetscScalar modes[])
{
  for (PetscInt j = 0; j < m->num_modes; j++)
    for (PetscInt i = 0; i < rows; i++)
      if (m->fixed[i]) modes[j * rows + i] = 0;
}

/* Near-null space of the finest level, [num_modes][owned rows], freed by the caller: the one of the matrix, or the translations. */
static PetscErrorCode GetModes(Multigrid *m, Mat A, PetscScalar **modes)
{
  const Vec   *vectors = NULL;
  PetscInt     bs, rows, num = 0;
  MatNullSpace near;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCall(MatGetNearNullSpace(A, &near));
  if (near) PetscCall(MatNullSpaceGetVecs(near, NULL, &num, &vectors));
  m->num_modes = num > 0 ? num : bs;
  PetscCall(PetscCalloc1(m->num_modes * rows, modes));
  for (PetscInt j = 0; j < m->num_modes; j++) {
    const PetscScalar *values;
    for (PetscInt i = j; i < rows && num == 0; i += bs) (*modes)[j * rows + i] = 1;
    if (num == 0) continue;
    PetscCall(VecGetArrayRead(vectors[j], &values));
    PetscCall(PetscArraycpy(*modes + j * rows, values, rows));
    PetscCall(VecRestoreArrayRead(vectors[j], &values));
  }
  PetscCall(PetscMalloc1(rows, &m->fixed));
  PetscCall(CouplingsFindFixed(A, m->fixed));
  ClearFixed(m, rows, *modes);
  PetscFunctionReturn(0);
}

/* Moves the modes to the distribution of the moved matrix. Collective. */
static PetscErrorCode MoveModes(Multigrid *m, PetscScalar **modes)
{
  const PetscInt before = m->moved->num_old * m->moved->bs, after = m->moved->num_new * m->moved->bs;
  PetscScalar   *moved;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m->num_modes * after, &moved));
  for (PetscInt j = 0; j < m->num_modes; j++) PetscCall(RedistributionForward(m->moved, *modes + j * before, moved + j * after));
  PetscCall(PetscFree(*modes));
  *modes = moved;
  PetscFunctionReturn(0);
}

/* P^T A P. The diagonal is 1 for unused unknowns. Collective. */
static PetscErrorCode SetCoarseMat(Multigrid *m, PetscInt l)
{
  Level   *fine = &m->level[l], *coarse = &m->level[l + 1];
  PetscInt first;

  PetscFunctionBegin;
  PetscCall(MatPtAP(fine->A, fine->interpolation.P, coarse->A ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, 1, &coarse->A));
  if (!fine->repairs) PetscFunctionReturn(0);
  PetscCall(MatGetOwnershipRange(coarse->A, &first, NULL));
  for (PetscInt k = 0; k < fine->interpolation.num_unused; k++) {
    const PetscInt row = first + fine->interpolation.unused[k];
    PetscCall(MatSetValue(coarse->A, row, row, 1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(coarse->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(coarse->A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* Adds a coarsest level. modes: of the finest level, used if that is the coarsest so far. Collective. */
static PetscErrorCode AddLevel(Multigrid *m, const PetscScalar modes[])
{
  Level *fine = &m->level[m->num - 1], *coarse = fine + 1;

  PetscFunctionBegin;
  if (m->num > 1) modes = (fine - 1)->interpolation.modes;
  PetscCall(AggregatesCreate(fine->A, m->aggregate, &fine->aggregates));
  PetscCall(InterpolationCreate(fine->A, &fine->aggregates, m->num_modes, modes, &fine->interpolation));
  fine->repairs = (PetscBool)(fine->interpolation.num_unused > 0);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &fine->repairs, 1, AbutMPIBool, MPI_LOR, PetscObjectComm((PetscObject)fine->A)));
  PetscCall(SetCoarseMat(m, m->num - 1));
  PetscCall(MatSetBlockSize(coarse->A, m->num_modes));
  PetscCall(MatSetOption(coarse->A, MAT_SPD, PETSC_TRUE));
  m->num++;
  PetscFunctionReturn(0);
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
  const Level *level = &m->level[m->num - 1 - i];
  PetscMPIInt  size;
  KSP          ksp;
  PC           pc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)level->A), &size));
  PetscCall(PCMGGetSmoother(m->cycle, i, &ksp));
  PetscCall(KSPSetOperators(ksp, level->A, level->A));
  PetscCall(KSPGetPC(ksp, &pc));
  if (i == 0) {
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(PCSetType(pc, size > 1 ? "abut-substructure" : "abut-cholesky"));
    if (size > 1) AbutSubstructureSetLeast(pc, LEAST);
  } else {
    PetscCall(SetTransfer(m, i, level->interpolation.P));
    PetscCall(KSPSetType(ksp, KSPCHEBYSHEV));
    PetscCall(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 2));
    PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
    PetscCall(AggregatesSetSmoother(pc, &level->aggregates));
  }
  PetscFunctionReturn(0);
}

/* Levels until the coarsest one is small enough, at least two. Collective. */
static PetscErrorCode CreateLevels(Multigrid *m, Mat A)
{
  PetscInt     unknowns, before = PETSC_MAX_INT;
  PetscScalar *modes;

  PetscFunctionBegin;
  PetscCall(Move(m, A));
  m->level[0].A = m->moved ? m->moved->B : A;
  m->num        = 1;
  PetscCall(PetscObjectReference((PetscObject)m->level[0].A));
  PetscCall(GetModes(m, A, &modes));
  if (m->moved) PetscCall(MoveModes(m, &modes));
  PetscCall(MatGetSize(A, &unknowns, NULL));
  while (m->num == 1 || (m->num < LEVELS_MAX && unknowns > m->coarse && unknowns < before)) {
    before = unknowns;
    PetscCall(AddLevel(m, modes));
    PetscCall(MatGetSize(m->level[m->num - 1].A, &unknowns, NULL));
  }
  PetscCall(PetscFree(modes));
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateHierarchy(Multigrid *m, PC pc, Mat A)
{
  const char *prefix;

  PetscFunctionBegin;
  PetscCall(DestroyHierarchy(m));
  PetscCall(CreateLevels(m, A));
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), &m->cycle));
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PCSetOptionsPrefix(m->cycle, prefix));
  PetscCall(PCSetType(m->cycle, PCMG));
  PetscCall(PCMGSetLevels(m->cycle, m->num, NULL));
  for (PetscInt i = 0; i < m->num; i++) PetscCall(SetLevelSolver(m, i));
  PetscCall(PCSetFromOptions(m->cycle));
  PetscCall(PetscObjectGetId((PetscObject)A, &m->matrix));
  PetscCall(MatGetNonzeroState(A, &m->pattern));
  PetscFunctionReturn(0);
}

/* Gives the solvers of all levels their new matrices; PCMG does so for the finest level only. Collective. */
static PetscErrorCode SetLevelMatrices(Multigrid *m)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->num; i++) {
    const Mat A = m->level[m->num - 1 - i].A;
    KSP       ksp;
    PetscCall(PCMGGetSmoother(m->cycle, i, &ksp));
    PetscCall(KSPSetOperators(ksp, A, A));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode GetFinestSmoother(Multigrid *m, PC *pc)
{
  KSP ksp;

  PetscFunctionBegin;
  PetscCall(PCMGGetSmoother(m->cycle, m->num - 1, &ksp));
  PetscCall(KSPGetPC(ksp, pc));
  PetscFunctionReturn(0);
}

/*
  Whether cycle and finest factors stay as they are: PCApply() sets a PC up again if its matrix changed. Not for a smoother of the user,
  whose inner solvers PETSc sets up later. Collective.
*/
static PetscErrorCode KeepFactors(Multigrid *m, PetscBool keep)
{
  PC smoother;

  PetscFunctionBegin;
  PetscCall(PCSetReusePreconditioner(m->cycle, keep));
  PetscCall(GetFinestSmoother(m, &smoother));
  if (!strcmp(AbutShellName(smoother), "abut-aggregates")) PetscCall(PCSetReusePreconditioner(smoother, keep));
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
  for (PetscInt l = 0; l < m->num; l++) PetscCall(MatSetOption(m->level[l].A, MAT_SPD, PETSC_FALSE));
  PetscCall(PCSetUp(m->cycle));
  for (PetscInt l = 0; l < m->num; l++) PetscCall(MatSetOption(m->level[l].A, MAT_SPD, PETSC_TRUE));
  for (PetscInt i = 1; i < m->num; i++) {
    PetscCall(PCMGGetSmoother(m->cycle, i, &ksp));
    PetscCall(AbutIntervalKeep(ksp));
  }
  PetscFunctionReturn(0);
}

/* Whether A is the matrix of the hierarchy, with its pattern. Not collective, equal on all ranks. */
static PetscErrorCode HasHierarchy(const Multigrid *m, Mat A, PetscBool *has)
{
  PetscObjectId    matrix;
  PetscObjectState pattern;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)A, &matrix));
  PetscCall(MatGetNonzeroState(A, &pattern));
  *has = (PetscBool)(m->cycle && m->matrix == matrix && m->pattern == pattern);
  PetscFunctionReturn(0);
}

static PetscErrorCode SetUp(PC pc)
{
  Multigrid *m = (Multigrid *)AbutShellContext(pc);
  Mat        A;
  PetscBool  same;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(HasHierarchy(m, A, &same));
  same = (PetscBool)(same && !m->stale);
  if (same) PetscCall(CouplingsCompareFixed(A, m->fixed, &same));
  if (!same) {
    PetscCall(CreateHierarchy(m, pc, A));
  } else {
    if (m->moved) PetscCall(RedistributionUpdate(m->moved, A));
    for (PetscInt l = 0; l < m->num - 1; l++) PetscCall(SetCoarseMat(m, l));
  }
  PetscCall(SetLevelMatrices(m));
  PetscCall(PCSetOperators(m->cycle, m->level[0].A, m->level[0].A));
  PetscCall(KeepFactors(m, PETSC_FALSE));
  if (same)
    PetscCall(PCSetUp(m->cycle));
  else
    PetscCall(SetUpNew(m));
  PetscCall(KeepFactors(m, PETSC_TRUE));
  m->kept  = same;
  m->stale = PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMultigridRenewFinest(PC pc)
{
  Multigrid *m = (Multigrid *)AbutShellContext(pc);
  PetscBool  has;
  Mat        A;
  PC         smoother;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(HasHierarchy(m, A, &has));
  if (!has) PetscFunctionReturn(0);
  if (m->moved) PetscCall(RedistributionUpdate(m->moved, A));
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
  PetscCall(RedistributionForward(m->moved, from, to));
  PetscCall(VecRestoreArrayWrite(m->b, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscCall(PCApply(m->cycle, m->b, m->x));
  PetscCall(VecGetArrayRead(m->x, &from));
  PetscCall(VecGetArrayWrite(x, &to));
  PetscCall(RedistributionReverse(m->moved, from, to));
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(VecRestoreArrayRead(m->x, &from));
  PetscFunctionReturn(0);
}

static PetscErrorCode Apply(PC pc, Vec b, Vec x)
{
  Multigrid *m = (Multigrid *)AbutShellContext(pc);

  PetscFunctionBegin;
  if (m->moved)
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
  m->aggregate = 100;
  m->coarse    = 20000;
  PetscCall(AbutShellCreate(pc, &shell, m));
  PetscFunctionReturn(0);
}

void AbutMultigridSetSizes(PC pc, PetscInt aggregate, PetscInt coarse)
{
  Multigrid *m = (Multigrid *)AbutShellContext(pc);

  m->aggregate = aggregate;
  m->coarse    = coarse;
}

PetscBool AbutMultigridIsKept(PC pc)
{
  return ((Multigrid *)AbutShellContext(pc))->kept;
}

PetscErrorCode AbutMultigridForget(PC pc)
{
  Multigrid *m = (Multigrid *)AbutShellContext(pc);
  Mat        A;

  PetscFunctionBegin;
  m->stale = PETSC_TRUE;
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
