/*
  Cholesky factorisation on several ranks by nested substructures [Przemieniecki 1963; George 1973], the preconditioner
  "abut-substructure". Each rank eliminates its interior by the multifrontal method. Then the groups of a binary tree of ranks eliminate the
  vertices that separate their two halves, each group together, from pairs of ranks up to all ranks. The factorisation is exact: one
  application solves the system. Sums have a fixed order, so that results are reproducible bit for bit on an equal number of ranks.
*/
#include "blocks.h"
#include "precondimpl.h"
#include "range.h"
#include "substructure.h"
#include <math.h>

/* Growth of the predicted work since the pattern of the mapping at which a new mapping is computed. */
#define MAPPING_GROWTH 1.3

/*
  now: current factor; next: symbolic factorisation of a new pattern, which replaces `now` at the next PCSetUp(). mapping: serves for many
  patterns, because the first rank gathers the vertex graph for it; NULL = to be computed.
*/
typedef struct {
  Substructure *now, *next;
  Store         interior, columns; /* numbers of the fronts of interiors and of block columns: of `now`, then of `next` */
  Mapping      *mapping;
  PetscInt      least;  /* with fewer unknowns a rank than this, only the first ranks take part; 0: all do */
  PetscBool     single; /* the next factorisation is to be in single precision */
} Context;

PetscBool AbutSubstructureIsDefinite(PC pc)
{
  const Context *context = (Context *)AbutShellContext(pc);

  return (PetscBool)(!context->now || context->now->definite);
}

void AbutSubstructureSetSingle(PC pc, PetscBool single)
{
  ((Context *)AbutShellContext(pc))->single = single;
}

PetscBool AbutSubstructureIsSingle(PC pc)
{
  const Context *context = (Context *)AbutShellContext(pc);

  return (PetscBool)(context->now && context->now->definite && context->now->single);
}

/* Frees the arrays of numbers. */
static PetscErrorCode FreeNumbers(Substructure *c)
{
  PetscFunctionBegin;
  PetscCall(EntriesRelease(&c->entries));
  PetscCall(NestedRelease(c->path));
  PetscCall(FrontsRelease(c->fronts));
  PetscCall(PetscFree(c->y));
  PetscFunctionReturn(0);
}

static PetscErrorCode DestroySubstructure(Substructure **substructure)
{
  Substructure *c = *substructure;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(0);
  PetscCall(FreeNumbers(c));
  PetscCall(EntriesDestroy(&c->entries));
  PetscCall(NestedDestroy(&c->path));
  PetscCall(FrontsDestroy(&c->fronts));
  PetscCall(InterfaceDestroy(&c->interface));
  PetscCall(PetscFree(c->separator));
  PetscCall(RedistributionDestroy(&c->redistribution));
  PetscCall(PetscFree2(c->b, c->x));
  PetscCall(PetscFree(*substructure));
  PetscFunctionReturn(0);
}

static PetscErrorCode ListSeparators(Substructure *c)
{
  const Interface *it = c->interface;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(it->num_owned - it->num_interior, &c->separator));
  for (PetscInt v = 0; v < it->num_owned; v++) {
    Separator    *s = &c->separator[c->num_separators];
    const Nested *f;
    if (it->separator[0][v] < 0) continue;
    f         = NestedAt(c->path, InterfaceDepthOf(it, it->separator[0][v]));
    s->vertex = v;
    s->front  = (PetscInt)(f - c->path->front);
    PetscCall(PetscFindInt(it->separator[0][v], f->layout.n, f->layout.row, &s->row));
    c->num_separators++;
  }
  PetscFunctionReturn(0);
}

/* Symbolic factorisation with a mapping. old: a factorisation whose tree of ranks is used again if it is equal, or NULL. Collective. */
static PetscErrorCode AnalyzeMapped(Mat A, const Mapping *mapping, const Substructure *old, Substructure **substructure)
{
  Substructure *c;
  Interface    *it;
  FrontRows     rows[2];
  PetscLogEvent event;

  PetscFunctionBegin;
  PetscCall(AbutPrecondLogBegin("abut_symbolic", &event));
  PetscCall(DestroySubstructure(substructure));
  PetscCall(PetscNew(&c));
  *substructure = c;
  PetscCall(RedistributionCreate(A, mapping, &c->redistribution));
  PetscCall(
    InterfaceCreate(c->redistribution->B, mapping->leaf, c->redistribution->mapped, old ? old->interface->tree : NULL, &c->interface));
  it = c->interface;
  PetscCall(InterfaceGetRows(it, c->redistribution->B, rows));
  PetscCall(FrontsCreate(it->bs, it->num_interior, it->num_border, it->interior, 2, rows, PETSC_FALSE, &c->fronts));
  PetscCall(InterfaceRestoreRows(c->redistribution->B, rows));
  PetscCall(NestedCreate(it, c->redistribution->B, &c->path));
  PetscCall(EntriesCreate(it, c->redistribution->B, c->path, &c->entries));
  PetscCall(ListSeparators(c));
  PetscCall(PetscMalloc2(it->num_owned * it->bs, &c->b, it->num_owned * it->bs, &c->x));
  PetscCall(PetscObjectGetId((PetscObject)A, &c->matrix));
  PetscCall(MatGetNonzeroState(A, &c->pattern));
  PetscCall(PetscLogEventEnd(event, 0, 0, 0, 0));
  PetscFunctionReturn(0);
}

/* Counts of this rank: operations, entries of all arrays, entries of the largest array beside L, entries of the factor. */
static void CountRank(const Substructure *c, PetscReal counts[4])
{
  PetscReal schur, largest, temporary = 0;

  counts[0] = c->fronts->flops;
  FrontsCountEntries(c->fronts, &counts[1], &counts[2]);
  ColumnsCount(&c->path->columns, &schur, &largest);
  counts[1] += schur;
  counts[2] = PetscMax(counts[2], largest);
  counts[3] = (PetscReal)c->fronts->panel[c->fronts->num];
  for (PetscInt i = 0; i < c->path->num; i++) {
    const FrontCost *cost = &c->path->front[i].cost;
    counts[0] += cost->flops;
    counts[1] += cost->entries;
    counts[2] = PetscMax(counts[2], cost->array);
    counts[3] += cost->entries;
    temporary = PetscMax(temporary, cost->temporary);
  }
  counts[1] += temporary;
}

/* Operations one after the other: a front starts when all ranks of its group have finished the fronts before it. Collective. */
static PetscErrorCode CountPath(const Substructure *c, PetscReal *path)
{
  PetscFunctionBegin;
  *path = c->fronts->flops;
  for (PetscInt i = 0; i < c->path->num; i++) {
    *path += c->path->front[i].cost.flops;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, path, 1, MPIU_REAL, MPIU_MAX, c->path->front[i].group));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, path, 1, MPIU_REAL, MPIU_MAX, c->interface->comm));
  PetscFunctionReturn(0);
}

/* Sums and maxima over ranks; memory in single precision or in that of PETSc. Collective. */
static PetscErrorCode CountWork(const Substructure *c, PetscBool single, AbutFactorCost *cost)
{
  const Interface *it   = c->interface;
  const PetscReal  size = (PetscReal)(single ? sizeof(float) : sizeof(PetscScalar));
  PetscReal        sum[4], max[4];

  PetscFunctionBegin;
  CountRank(c, sum);
  PetscCall(PetscArraycpy(max, sum, 4));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPIU_REAL, MPIU_SUM, it->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, max, 4, MPIU_REAL, MPIU_MAX, it->comm));
  *cost = (AbutFactorCost){.interface   = it->total * it->bs,
                           .flops       = sum[0],
                           .flops_max   = max[0],
                           .bytes       = sum[1] * size,
                           .bytes_max   = max[1] * size,
                           .array_bytes = max[2] * size,
                           .entries_max = max[3]};
  PetscCall(CountPath(c, &cost->path));
  PetscFunctionReturn(0);
}

/*
  Symbolic factorisation of a new pattern. Keeps the mapping of an earlier pattern unless its work has grown: new contacts then couple
  vertices that are far from each other in the tree. Collective.
*/
static PetscErrorCode Analyze(Context *context, Mat A, AbutFactorCost *cost)
{
  const PetscBool kept = (PetscBool)(context->mapping != NULL);

  PetscFunctionBegin;
  PetscCall(BlocksCheckDense(A, "abut-substructure"));
  if (!kept) PetscCall(MappingCreate(A, context->least, &context->mapping));
  PetscCall(AnalyzeMapped(A, context->mapping, context->now, &context->next));
  context->next->fronts->store = &context->interior;
  context->next->store         = &context->columns;
  PetscCall(CountWork(context->next, context->single, cost));
  if (kept && cost->path > MAPPING_GROWTH * context->mapping->path) {
    PetscCall(MappingDestroy(&context->mapping));
    PetscCall(Analyze(context, A, cost));
  } else if (!kept) {
    context->mapping->path = cost->path;
  }
  PetscFunctionReturn(0);
}

/* Numerical factorisation in one precision. Collective. */
static PetscErrorCode FactorIn(Substructure *c, PetscBool single, const FrontRows rows[2])
{
  PetscErrorCode code;
  PetscReal      counts[4];
  unsigned       mode;

  PetscFunctionBegin;
  if (c->single != single) PetscCall(FreeNumbers(c));
  c->single = single;
  if (single) {
    mode = RangeBegin();
    code = SubstructureFactorSingle(c, rows);
    RangeEnd(mode);
    PetscCall(code);
  } else {
    PetscCall(SubstructureFactor(c, rows));
  }
  CountRank(c, counts);
  PetscCall(PetscLogFlops(counts[0]));
  PetscFunctionReturn(0);
}

/*
  Numerical factorisation; c->definite is equal on all ranks. In double precision also where round-off in single precision makes a pivot
  negative. Collective.
*/
static PetscErrorCode Factor(Substructure *c, Mat A, PetscBool single)
{
  const Mat B = c->redistribution->B;
  FrontRows rows[2];

  PetscFunctionBegin;
  PetscCall(RedistributionUpdate(c->redistribution, A));
  PetscCall(InterfaceGetRows(c->interface, B, rows));
  PetscCall(FactorIn(c, single, rows));
  if (single && !c->definite) PetscCall(FactorIn(c, PETSC_FALSE, rows));
  PetscCall(InterfaceRestoreRows(B, rows));
  PetscFunctionReturn(0);
}

/* Whether the symbolic factorisation was made for the pattern of this matrix. */
static PetscErrorCode MatchesPattern(const Substructure *c, Mat A, PetscBool *is)
{
  PetscObjectId    matrix;
  PetscObjectState pattern;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)A, &matrix));
  PetscCall(MatGetNonzeroState(A, &pattern));
  *is = (PetscBool)(c && c->matrix == matrix && c->pattern == pattern);
  PetscFunctionReturn(0);
}

static PetscErrorCode SetUp(PC pc)
{
  Context       *context = (Context *)AbutShellContext(pc);
  Mat            A;
  PetscBool      current;
  AbutFactorCost cost;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(MatchesPattern(context->now, A, &current));
  if (!current) {
    PetscCall(MatchesPattern(context->next, A, &current));
    if (!current) PetscCall(Analyze(context, A, &cost));
    PetscCall(DestroySubstructure(&context->now));
    context->now  = context->next;
    context->next = NULL;
  }
  PetscCall(Factor(context->now, A, context->single));
  PetscFunctionReturn(0);
}

/* Solution in single precision. A power of two brings c->b into the range of float. Collective. */
static PetscErrorCode SolveScaled(Substructure *c)
{
  const PetscInt n    = c->interface->num_owned * c->interface->bs;
  PetscReal      size = RangeSize(n, c->b);
  PetscScalar    scale, back;
  PetscErrorCode code;
  unsigned       mode;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPIU_REAL, MPIU_MAX, c->interface->comm));
  scale = ldexp(1, -RangeExponent(size));
  back  = ldexp(1, RangeExponent(size));
  for (PetscInt i = 0; i < n; i++) c->b[i] *= scale;
  mode = RangeBegin();
  code = SubstructureSolveSingle(c);
  RangeEnd(mode);
  PetscCall(code);
  for (PetscInt i = 0; i < n; i++) c->x[i] *= back;
  PetscFunctionReturn(0);
}

static PetscErrorCode Apply(PC pc, Vec b, Vec x)
{
  Substructure      *c = ((Context *)AbutShellContext(pc))->now;
  const PetscScalar *in;
  PetscScalar       *out;
  PetscReal          counts[4];

  PetscFunctionBegin;
  if (!c->definite) {
    PetscCall(AbutShellScale(pc, b, x));
    PetscFunctionReturn(0);
  }
  PetscCall(VecGetArrayRead(b, &in));
  PetscCall(RedistributionForward(c->redistribution, in, c->b));
  PetscCall(VecRestoreArrayRead(b, &in));
  if (c->single)
    PetscCall(SolveScaled(c));
  else
    PetscCall(SubstructureSolve(c));
  PetscCall(VecGetArrayWrite(x, &out));
  PetscCall(RedistributionReverse(c->redistribution, c->x, out));
  PetscCall(VecRestoreArrayWrite(x, &out));
  CountRank(c, counts);
  PetscCall(PetscLogFlops(4 * counts[3]));
  PetscFunctionReturn(0);
}

static PetscErrorCode View(PC pc, PetscViewer viewer)
{
  const Substructure *c = ((Context *)AbutShellContext(pc))->now;
  AbutFactorCost      cost;
  PetscBool           ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii || !c) PetscFunctionReturn(0);
  PetscCall(CountWork(c, c->single, &cost));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "  Cholesky by nested substructures in %s precision: %" PetscInt_FMT " unknowns in separators; %g "
                                   "operations, %g on the busiest rank, %g one after the other; %g MB, %g MB on the fullest rank, largest "
                                   "array %g MB\n",
                                   c->single ? "single" : "double", cost.interface, (double)cost.flops, (double)cost.flops_max,
                                   (double)cost.path, (double)cost.bytes / 1e6, (double)cost.bytes_max / 1e6,
                                   (double)cost.array_bytes / 1e6));
  PetscFunctionReturn(0);
}

static PetscErrorCode Destroy(PC pc)
{
  Context *context = (Context *)AbutShellContext(pc);

  PetscFunctionBegin;
  PetscCall(DestroySubstructure(&context->now));
  PetscCall(DestroySubstructure(&context->next));
  PetscCall(StoreDestroy(&context->interior));
  PetscCall(StoreDestroy(&context->columns));
  PetscCall(MappingDestroy(&context->mapping));
  PetscCall(PetscFree(context));
  PetscFunctionReturn(0);
}

static const AbutShell shell = {"abut-substructure", SetUp, Apply, View, Destroy};

PetscErrorCode AbutSubstructureCreate(PC pc)
{
  Context *context;

  PetscFunctionBegin;
  PetscCall(PetscNew(&context));
  PetscCall(AbutShellCreate(pc, &shell, context));
  PetscFunctionReturn(0);
}

void AbutSubstructureSetLeast(PC pc, PetscInt unknowns)
{
  ((Context *)AbutShellContext(pc))->least = unknowns;
}

void AbutSubstructureForget(PC pc)
{
  Context *context = (Context *)AbutShellContext(pc);

  PetscCallAbort(PETSC_COMM_SELF, MappingDestroy(&context->mapping));
}

PetscErrorCode AbutSubstructureAnalyze(PC pc, Mat A, AbutFactorCost *cost)
{
  Context *context = (Context *)AbutShellContext(pc);

  PetscFunctionBegin;
  PetscCall(Analyze(context, A, cost));
  PetscFunctionReturn(0);
}
