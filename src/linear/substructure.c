/*
  Cholesky factorisation on several ranks by substructuring [Przemieniecki 1963], the preconditioner "abut-substructure". Each rank
  eliminates its interior by the multifrontal method. The first rank sums the Schur complements of all ranks and factorises the dense
  interface problem. The factorisation is exact: one application solves the system. Sums are in the order of ranks, so that results are
  reproducible bit for bit.
*/
#include "interface.h"
#include "linearimpl.h"
#include <petscblaslapack.h>

typedef struct {
  Interface       *interface;
  Fronts          *fronts;
  PetscObjectId    matrix; /* id of the matrix object whose pattern was analysed */
  PetscObjectState pattern;
  PetscBool        definite;
  PetscScalar     *contribution; /* contribution of this rank to the interface matrix: lower triangle of its part, column-major */
  PetscScalar     *y;            /* vector in the order of positions of the fronts */
  PetscScalar     *part_vector;  /* vector on the interface part of this rank */
  MPI_Datatype     block;        /* the bs scalars of a vertex */
  /* on the first rank only: */
  PetscMPIInt *counts, *starts; /* [size], [size + 1] of all ranks: number of interface vertices, their start in `parts` */
  PetscInt    *parts;           /* interface parts of all ranks */
  PetscScalar *schur, *message; /* interface matrix and its Cholesky factor; receive buffer of a contribution */
  PetscScalar *sum, *all_parts; /* vector on the interface; vectors on the interface parts of all ranks */
} Substructure;

/* now: current factor; next: symbolic factorisation of a new pattern, which replaces `now` at the next PCSetUp(). */
typedef struct {
  Substructure *now, *next;
} Context;

PetscBool AbutSubstructureIsDefinite(PC pc)
{
  const Context *context = (Context *)AbutShellContext(pc);

  return (PetscBool)(!context->now || context->now->definite);
}

static PetscErrorCode DestroySubstructure(Substructure **substructure)
{
  Substructure *c = *substructure;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(0);
  PetscCall(InterfaceDestroy(&c->interface));
  PetscCall(FrontsDestroy(&c->fronts));
  PetscCall(PetscFree3(c->contribution, c->y, c->part_vector));
  PetscCall(PetscFree2(c->counts, c->starts));
  PetscCall(PetscFree(c->parts));
  if (c->block) PetscCallMPI(MPI_Type_free(&c->block));
  PetscCall(PetscFree4(c->schur, c->message, c->sum, c->all_parts));
  PetscCall(PetscFree(*substructure));
  PetscFunctionReturn(0);
}

/* Gathers the interface parts of all ranks on the first rank. Collective. */
static PetscErrorCode GatherParts(Substructure *c)
{
  const Interface *it  = c->interface;
  const PetscInt   n   = it->rank == 0 ? it->size : 0;
  PetscInt         all = 0;
  PetscMPIInt      count;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)it->bs, MPIU_SCALAR, &c->block));
  PetscCallMPI(MPI_Type_commit(&c->block));
  PetscCall(PetscMalloc2(n, &c->counts, n + 1, &c->starts));
  PetscCall(PetscMPIIntCast(it->num_part, &count));
  PetscCallMPI(MPI_Gather(&count, 1, MPI_INT, c->counts, 1, MPI_INT, 0, it->comm));
  c->starts[0] = 0;
  for (PetscInt r = 0; r < n; r++) {
    all += c->counts[r];
    PetscCall(PetscMPIIntCast(all, &c->starts[r + 1]));
  }
  PetscCall(PetscMalloc1(all, &c->parts));
  PetscCallMPI(MPI_Gatherv(it->part, count, MPIU_INT, c->parts, c->counts, c->starts, MPIU_INT, 0, it->comm));
  PetscFunctionReturn(0);
}

/* Number of entries in the lower block triangle of n block rows; diagonal blocks are stored completely. */
static size_t Triangle(PetscInt n, PetscInt bs)
{
  return (size_t)n * ((size_t)n + 1) / 2 * (size_t)(bs * bs);
}

static PetscErrorCode Analyze(Mat A, Substructure **substructure)
{
  Substructure *c;
  Interface    *it;
  FrontRows     rows[2];

  PetscFunctionBegin;
  PetscCall(DestroySubstructure(substructure));
  PetscCall(PetscNew(&c));
  *substructure = c;
  PetscCall(InterfaceCreate(A, &c->interface));
  it = c->interface;
  PetscCall(InterfaceGetRows(it, A, rows));
  PetscCall(FrontsCreate(it->bs, it->num_interior, it->num_part, it->interior, 2, rows, &c->fronts));
  PetscCall(InterfaceRestoreRows(A, rows));
  PetscCall(GatherParts(c));
  PetscCall(PetscObjectGetId((PetscObject)A, &c->matrix));
  PetscCall(MatGetNonzeroState(A, &c->pattern));
  PetscFunctionReturn(0);
}

static PetscErrorCode Allocate(Substructure *c)
{
  const Interface *it   = c->interface;
  const size_t     part = (size_t)(it->num_part * it->bs);
  size_t           total, max = 0;

  PetscFunctionBegin;
  if (c->contribution) PetscFunctionReturn(0);
  PetscCall(
    PetscMalloc3(part * part, &c->contribution, (it->num_interior + it->num_part) * it->bs, &c->y, it->num_part * it->bs, &c->part_vector));
  if (it->rank > 0) PetscFunctionReturn(0);
  total = (size_t)(it->total * it->bs);
  for (PetscMPIInt r = 1; r < it->size; r++) max = PetscMax(max, Triangle(c->counts[r], it->bs));
  PetscCall(PetscMalloc4(total * total, &c->schur, max, &c->message, total, &c->sum, c->starts[it->size] * it->bs, &c->all_parts));
  PetscFunctionReturn(0);
}

/* Adds the blocks (i, j), j <= i, of A_BB in the owned interface rows, so that each pair of vertices is added by one rank. */
static void AddOwnRows(const Interface *it, const FrontRows rows[2], PetscScalar contribution[])
{
  const PetscInt bs = it->bs;
  const size_t   ld = (size_t)(it->num_part * bs);

  for (PetscInt r = 0; r < it->num_part; r++) {
    const PetscInt row = it->part_vertex[r] * bs;
    if (row < 0) continue;
    for (int p = 0; p < 2; p++) {
      const PetscInt stride = rows[p].ia[row + 1] - rows[p].ia[row];
      for (PetscInt k = rows[p].ia[row]; k < rows[p].ia[row + 1]; k += bs) {
        const PetscInt c = rows[p].number[rows[p].ja[k] / bs] - it->num_interior;
        if (c < 0 || c > r) continue;
        for (PetscInt i = 0; i < bs; i++)
          for (PetscInt j = 0; j < bs; j++)
            contribution[(size_t)(c * bs + j) * ld + (size_t)(r * bs + i)] += rows[p].values[k + i * stride + j];
      }
    }
  }
}

/* Packs the lower block triangle of a square column-major matrix in place; diagonal blocks are stored completely. */
static void Pack(PetscInt n, PetscInt bs, PetscScalar square[])
{
  size_t to = 0;

  for (PetscInt c = 0; c < n * bs; c++)
    for (PetscInt r = c - c % bs; r < n * bs; r++) square[to++] = square[(size_t)c * (size_t)(n * bs) + (size_t)r];
}

static void AddPart(PetscInt total, PetscInt bs, PetscInt n, const PetscInt part[], const PetscScalar packed[], PetscScalar schur[])
{
  for (PetscInt c = 0; c < n * bs; c++) {
    PetscScalar *column = schur + (size_t)(part[c / bs] * bs + c % bs) * (size_t)(total * bs);
    for (PetscInt r = c / bs; r < n; r++)
      for (PetscInt l = 0; l < bs; l++) column[part[r] * bs + l] += *packed++;
  }
}

/* Length of the message with a packed contribution; an error if it exceeds the range of an MPI count. */
static PetscErrorCode MessageSize(PetscInt n, PetscInt bs, PetscMPIInt *count)
{
  const size_t size = Triangle(n, bs);

  PetscFunctionBegin;
  PetscCheck(size <= PETSC_MPI_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%" PetscInt_FMT " interface vertices on a rank exceed one MPI message: use -abut_linear schwarz or multigrid", n);
  *count = (PetscMPIInt)size;
  PetscFunctionReturn(0);
}

/* Sums the contributions of all ranks on the first rank. Collective. */
static PetscErrorCode SumContributions(Substructure *c)
{
  const Interface *it = c->interface;
  const PetscInt   bs = it->bs;
  PetscMPIInt      count;

  PetscFunctionBegin;
  Pack(it->num_part, bs, c->contribution);
  if (it->rank > 0) {
    PetscCall(MessageSize(it->num_part, bs, &count));
    if (count > 0) PetscCallMPI(MPI_Send(c->contribution, count, MPIU_SCALAR, 0, 0, it->comm));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscArrayzero(c->schur, (size_t)(it->total * bs) * (size_t)(it->total * bs)));
  AddPart(it->total, bs, it->num_part, it->part, c->contribution, c->schur);
  for (PetscMPIInt r = 1; r < it->size; r++) {
    PetscCall(MessageSize(c->counts[r], bs, &count));
    if (count == 0) continue;
    PetscCallMPI(MPI_Recv(c->message, count, MPIU_SCALAR, r, 0, it->comm, MPI_STATUS_IGNORE));
    AddPart(it->total, bs, c->counts[r], c->parts + c->starts[r], c->message, c->schur);
  }
  PetscFunctionReturn(0);
}

/* Numerical factorisation; c->definite is equal on all ranks. Collective. */
static PetscErrorCode Factor(Substructure *c, Mat A)
{
  const Interface *it   = c->interface;
  const size_t     part = (size_t)(it->num_part * it->bs);
  FrontRows        rows[2];
  PetscMPIInt      definite;

  PetscFunctionBegin;
  PetscCall(Allocate(c));
  PetscCall(PetscArrayzero(c->contribution, part * part));
  PetscCall(InterfaceGetRows(it, A, rows));
  PetscCall(FrontsFactor(c->fronts, 2, rows, c->contribution, &c->definite));
  AddOwnRows(it, rows, c->contribution);
  PetscCall(InterfaceRestoreRows(A, rows));
  definite = c->definite;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &definite, 1, MPI_INT, MPI_MIN, it->comm));
  if (definite && it->total > 0) {
    PetscCall(SumContributions(c));
    if (it->rank == 0) {
      PetscBLASInt n, info;
      PetscCall(PetscBLASIntCast(it->total * it->bs, &n));
      PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("L", &n, c->schur, &n, &info));
      definite = info == 0;
    }
    PetscCallMPI(MPI_Bcast(&definite, 1, MPI_INT, 0, it->comm));
  }
  c->definite = (PetscBool)definite;
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
  Context  *context = (Context *)AbutShellContext(pc);
  Mat       A;
  PetscBool current;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(MatchesPattern(context->now, A, &current));
  if (!current) {
    PetscCall(MatchesPattern(context->next, A, &current));
    if (!current) PetscCall(Analyze(A, &context->next));
    PetscCall(DestroySubstructure(&context->now));
    context->now  = context->next;
    context->next = NULL;
  }
  PetscCall(Factor(context->now, A));
  PetscFunctionReturn(0);
}

/*
  Solves the interface problem. c->part_vector: contribution of this rank to the right-hand side on entry, solution on the interface part
  of this rank on return. Collective.
*/
static PetscErrorCode SolveInterface(Substructure *c)
{
  const Interface  *it = c->interface;
  const PetscInt    bs = it->bs, n = it->total * bs;
  const PetscMPIInt count = (PetscMPIInt)it->num_part; /* checked by GatherParts() */

  PetscFunctionBegin;
  if (n == 0) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Gatherv(c->part_vector, count, c->block, c->all_parts, c->counts, c->starts, c->block, 0, it->comm));
  if (it->rank == 0) {
    PetscCall(PetscArrayzero(c->sum, n));
    for (PetscInt k = 0; k < c->starts[it->size]; k++)
      for (PetscInt i = 0; i < bs; i++) c->sum[c->parts[k] * bs + i] += c->all_parts[k * bs + i];
    FrontsSolveLower(n, n, c->schur, c->sum);
    FrontsSolveUpper(n, n, c->schur, c->sum);
    for (PetscInt k = 0; k < c->starts[it->size]; k++)
      for (PetscInt i = 0; i < bs; i++) c->all_parts[k * bs + i] = c->sum[c->parts[k] * bs + i];
  }
  PetscCallMPI(MPI_Scatterv(c->all_parts, c->counts, c->starts, c->block, c->part_vector, count, c->block, 0, it->comm));
  PetscFunctionReturn(0);
}

static PetscErrorCode Apply(PC pc, Vec b, Vec x)
{
  Substructure      *c  = ((Context *)AbutShellContext(pc))->now;
  const Interface   *it = c->interface;
  const PetscInt     bs = it->bs;
  const PetscScalar *in;
  PetscScalar       *out, *border;

  PetscFunctionBegin;
  if (!c->definite) {
    PetscCall(AbutShellScale(pc, b, x));
    PetscFunctionReturn(0);
  }
  border = c->y + it->num_interior * bs;
  PetscCall(PetscArrayzero(border, it->num_part * bs));
  PetscCall(VecGetArrayRead(b, &in));
  for (PetscInt v = 0; v < it->num_interior; v++)
    PetscCall(PetscArraycpy(c->y + c->fronts->position[v] * bs, in + it->interior[v] * bs, bs));
  for (PetscInt k = 0; k < it->num_part; k++)
    if (it->part_vertex[k] >= 0) PetscCall(PetscArraycpy(border + k * bs, in + it->part_vertex[k] * bs, bs));
  PetscCall(VecRestoreArrayRead(b, &in));
  FrontsForward(c->fronts, c->y);
  PetscCall(PetscArraycpy(c->part_vector, border, it->num_part * bs));
  PetscCall(SolveInterface(c));
  PetscCall(PetscArraycpy(border, c->part_vector, it->num_part * bs));
  FrontsBackward(c->fronts, c->y);
  PetscCall(VecGetArrayWrite(x, &out));
  for (PetscInt v = 0; v < it->num_interior; v++)
    PetscCall(PetscArraycpy(out + it->interior[v] * bs, c->y + c->fronts->position[v] * bs, bs));
  for (PetscInt k = 0; k < it->num_part; k++)
    if (it->part_vertex[k] >= 0) PetscCall(PetscArraycpy(out + it->part_vertex[k] * bs, border + k * bs, bs));
  PetscCall(VecRestoreArrayWrite(x, &out));
  PetscFunctionReturn(0);
}

static PetscErrorCode View(PC pc, PetscViewer viewer)
{
  const Substructure *c = ((Context *)AbutShellContext(pc))->now;
  PetscBool           ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (ascii && c)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  Cholesky by substructures: %" PetscInt_FMT " unknowns on the interface\n",
                                     c->interface->total * c->interface->bs));
  PetscFunctionReturn(0);
}

static PetscErrorCode Destroy(PC pc)
{
  Context *context = (Context *)AbutShellContext(pc);

  PetscFunctionBegin;
  PetscCall(DestroySubstructure(&context->now));
  PetscCall(DestroySubstructure(&context->next));
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

PetscErrorCode AbutSubstructureAnalyze(PC pc, Mat A, PetscReal *interior, PetscReal *interface)
{
  Context  *context = (Context *)AbutShellContext(pc);
  PetscReal n;

  PetscFunctionBegin;
  PetscCall(Analyze(A, &context->next));
  n          = (PetscReal)(context->next->interface->total * context->next->interface->bs);
  *interface = n * n * n / 3;
  PetscCallMPI(MPI_Allreduce(&context->next->fronts->flops, interior, 1, MPIU_REAL, MPIU_MAX, context->next->interface->comm));
  PetscFunctionReturn(0);
}
