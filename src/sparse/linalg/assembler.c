/* Life cycle of the assembler and additions to the matrix. The pattern and the addresses of blocks are in pattern.c. */
#include "linalgimpl.h"

#define FEW_ROWS 0.1 /* share of the rows up to which an assembly looks for the blocks of fixed stencils one by one */
#define GROWTH   1.2 /* of a pattern while assemblies are restricted, after which it is built anew for all rows */

PetscErrorCode AbutAssemblerCreate(MPI_Comm comm, PetscInt dim, PetscInt num_owned, AbutAssembler *as)
{
  AbutAssembler a;

  PetscFunctionBegin;
  PetscCheck(dim == 2 || dim == 3, comm, PETSC_ERR_ARG_OUTOFRANGE, "Block size %" PetscInt_FMT " must be 2 or 3", dim);
  PetscCall(PetscNew(&a));
  PetscCall(PetscCommDuplicate(comm, &a->comm, NULL));
  a->dim       = dim;
  a->num_owned = num_owned;
  PetscCall(PetscLayoutCreateFromSizes(a->comm, num_owned, PETSC_DETERMINE, 1, &a->layout));
  a->first = a->layout->rstart;
  *as      = a;
  PetscFunctionReturn(0);
}

static PetscErrorCode DestroyFixed(AbutAssembler as)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(as->fixed.vertices));
  PetscCall(PetscFree2(as->fixed.row, as->fixed.col));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutAssemblerDestroy(AbutAssembler *as)
{
  PetscFunctionBegin;
  if (!*as) PetscFunctionReturn(0);
  PetscCall(AbutAssemblerForgetPattern(*as));
  PetscCall(DestroyFixed(*as));
  PetscCall(PetscLayoutDestroy(&(*as)->layout));
  PetscCall(PetscCommDestroy(&(*as)->comm));
  PetscCall(PetscFree(*as));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutAssemblerSetFixed(AbutAssembler as, PetscInt n, PetscInt count, const PetscInt vertices[])
{
  PetscFunctionBegin;
  PetscCall(AbutAssemblerForgetPattern(as));
  PetscCall(DestroyFixed(as));
  as->fixed.n     = n;
  as->fixed.count = count;
  PetscCall(PetscMalloc1(n * count, &as->fixed.vertices));
  PetscCall(PetscArraycpy(as->fixed.vertices, vertices, n * count));
  PetscFunctionReturn(0);
}

/* Whether the pattern has got many blocks of restricted assemblies, which an assembly of all rows should not carry along. */
static PetscBool HasGrown(AbutAssembler as)
{
  return (PetscBool)(!as->rows && (PetscReal)PatternBlocks(as) > GROWTH * (PetscReal)as->num_blocks);
}

/* Blocks that the pattern lacks: none; only blocks in rows of other ranks, which their owners may have; blocks in rows of this rank. */
typedef enum { LACKS_NONE, LACKS_FOREIGN, LACKS_OWNED } Lack;

static Lack FindLack(AbutAssembler as, const AbutStencilList *list)
{
  Lack lack = LACKS_NONE;

  for (PetscInt s = 0; s < list->count; s++) {
    const PetscInt *v, n = StencilVertices(list, s, &v);
    for (PetscInt a = 0; a < n; a++)
      for (PetscInt b = 0; b < n; b++) {
        if (v[a] < 0 || v[b] < 0 || AbutPatternFind(as, v[a], v[b]).first) continue;
        if (IsOwned(as, v[a])) return LACKS_OWNED;
        lack = LACKS_FOREIGN;
      }
  }
  return lack;
}

PetscErrorCode AbutAssemblerUpdatePattern(AbutAssembler as, PetscInt num_needed, const AbutStencilList needed[],
                                          const AbutStencilList *expected, PetscBool *rebuilt)
{
  PetscMPIInt lack    = as->has_pattern && !HasGrown(as) ? LACKS_NONE : LACKS_OWNED;
  PetscBool   rebuild = PETSC_FALSE, renewed = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < num_needed && lack != LACKS_OWNED; l++) lack = PetscMax(lack, (PetscMPIInt)FindLack(as, &needed[l]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &lack, 1, MPI_INT, MPI_MAX, as->comm));
  if (lack == LACKS_FOREIGN) PetscCall(AbutPatternRenewForeign(as, num_needed, needed, &renewed));
  rebuild = (PetscBool)(lack != LACKS_NONE && !renewed);
  if (rebuild) PetscCall(AbutPatternBuild(as, num_needed, needed, expected));
  if (rebuild && !as->rows) as->num_blocks = PatternBlocks(as);
  if (rebuilt) *rebuilt = rebuild;
  PetscFunctionReturn(0);
}

void AbutAssemblerRestrict(AbutAssembler as, const PetscBool rows[])
{
  as->rows = rows;
}

PetscBool AbutAssemblerNeeds(AbutAssembler as, PetscInt n, const PetscInt v[])
{
  if (!as->rows) return PETSC_TRUE;
  for (PetscInt a = 0; a < n; a++)
    if (!IsOwned(as, v[a]) || as->rows[v[a] - as->first]) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Sets the values of the block rows [first, end) to zero. */
static PetscErrorCode ZeroRows(AbutAssembler as, PetscInt first, PetscInt end)
{
  const size_t bs2 = (size_t)(as->dim * as->dim);

  PetscFunctionBegin;
  for (int part = 0; part < 2; part++) {
    const PetscInt *ptr = part ? as->offd.ptr : as->diag.ptr;
    PetscCall(PetscArrayzero(as->values[part] + (size_t)ptr[first] * bs2, (size_t)(ptr[end] - ptr[first]) * bs2));
  }
  PetscFunctionReturn(0);
}

/* Sets the rows to be assembled to zero; *count: their number. */
static PetscErrorCode ZeroNeededRows(AbutAssembler as, PetscInt *count)
{
  PetscFunctionBegin;
  *count = as->rows ? 0 : as->num_owned;
  if (!as->rows) PetscCall(ZeroRows(as, 0, as->num_owned));
  for (PetscInt r = 0; as->rows && r < as->num_owned; r++) {
    if (!as->rows[r]) continue;
    PetscCall(ZeroRows(as, r, r + 1));
    ++*count;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutAssemblerBegin(AbutAssembler as)
{
  const size_t bs2 = (size_t)(as->dim * as->dim);
  PetscInt     count;

  PetscFunctionBegin;
  PetscCheck(as->has_pattern, as->comm, PETSC_ERR_ORDER, "AbutAssemblerUpdatePattern() must come first");
  PetscCall(ZeroNeededRows(as, &count));
  if (!as->fixed.position && count > FEW_ROWS * as->num_owned) PetscCall(AbutPatternPlaceFixed(as));
  PetscCall(PetscArrayzero(as->foreign.values, (size_t)as->foreign.graph.ptr[as->foreign.num] * bs2));
  PetscFunctionReturn(0);
}

/* Adds a block of a matrix: the distances between its entries and between its rows are `stride` and `row`. */
static inline void AddBlock(PetscInt dim, Block block, const PetscReal *restrict H, PetscInt stride, PetscInt row)
{
  PetscScalar *restrict out = block.first;
  if (dim == 3) {
    for (int i = 0; i < 3; i++, out += block.stride, H += row) out[0] += H[0], out[1] += H[stride], out[2] += H[2 * stride];
  } else {
    for (int i = 0; i < 2; i++, out += block.stride, H += row) out[0] += H[0], out[1] += H[stride];
  }
}

/* Adds a fixed stencil of n vertices v whose blocks have not been placed since the pattern was built. */
static void AddUnplaced(AbutAssembler as, PetscInt n, const PetscInt v[], PetscInt stride, const PetscReal H[])
{
  const PetscInt dim = as->dim, row = n * dim * stride;

  for (PetscInt a = 0; a < n; a++)
    for (PetscInt b = 0; b < n; b++) AddBlock(dim, AbutPatternFind(as, v[a], v[b]), H + a * dim * row + b * dim * stride, stride, row);
}

static inline __attribute__((always_inline)) void AddBlocks(AbutAssembler as, PetscInt dim, PetscInt n, const PetscInt v[],
                                                            const PetscInt position[], PetscInt stride, const PetscReal H[])
{
  const PetscInt row = n * dim * stride;

  for (PetscInt a = 0; a < n; a++)
    for (PetscInt b = 0; b < n; b++)
      AddBlock(dim, AbutPatternBlock(as, v[a], *position++), H + a * dim * row + b * dim * stride, stride, row);
}

void AbutAssemblerAddFixed(AbutAssembler as, PetscInt s, PetscInt stride, const PetscReal H[])
{
  const PetscInt *v = FixedVertices(&as->fixed, s), n = FixedSize(&as->fixed, s);
  const PetscInt *position = as->fixed.position + (size_t)s * (size_t)(as->fixed.n * as->fixed.n);

  if (!as->fixed.position)
    AddUnplaced(as, n, v, stride, H);
  else if (as->dim == 3 && n == 4)
    AddBlocks(as, 3, 4, v, position, stride, H);
  else
    AddBlocks(as, as->dim, n, v, position, stride, H);
}

PetscErrorCode AbutAssemblerAdd(AbutAssembler as, PetscInt n, const PetscInt v[], const PetscReal H[])
{
  const PetscInt dim = as->dim, row_length = n * dim;

  PetscFunctionBegin;
  for (PetscInt a = 0; a < n; a++)
    for (PetscInt b = 0; b < n; b++) {
      const Block block = AbutPatternFind(as, v[a], v[b]);
      PetscCheck(block.first, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Block (%" PetscInt_FMT ", %" PetscInt_FMT ") is not in the pattern", v[a],
                 v[b]);
      AddBlock(dim, block, H + a * dim * row_length + b * dim, 1, row_length);
    }
  PetscFunctionReturn(0);
}

void AbutAssemblerAddDiagonal(AbutAssembler as, PetscInt row, const PetscReal d[])
{
  if (as->rows && !as->rows[row]) return;
  const Block block = AbutPatternFind(as, as->first + row, as->first + row);

  for (PetscInt i = 0; i < as->dim; i++) block.first[i * block.stride + i] += d[i];
}

/* Sends the blocks in rows of other ranks to their owners; received blocks are added in the order of the sending ranks. Collective. */
static PetscErrorCode ExchangeValues(AbutAssembler as)
{
  Foreign       *f   = &as->foreign;
  const PetscInt bs2 = as->dim * as->dim;

  PetscFunctionBegin;
  PetscCall(AbutExchangeForward(&f->exchange, (size_t)bs2 * sizeof(PetscScalar), f->values, f->recv_values));
  for (PetscInt k = 0; k < f->exchange.recv_start[f->exchange.num_recv]; k++)
    AddBlock(as->dim, f->recv_block[k], f->recv_values + (size_t)k * (size_t)bs2, 1, as->dim);
  PetscFunctionReturn(0);
}

/*
  Replaces constrained rows and columns of one part of the matrix (columns owned here, or columns of other ranks) by identity rows and
  columns. Bit i of row_mask[r]: row i of block row r is constrained; likewise the columns of block column col_mask[].
*/
static void ConstrainPart(AbutAssembler as, const Graph *graph, PetscScalar values[], const int row_mask[], const int col_mask[],
                          PetscBool is_diagonal)
{
  const PetscInt dim = as->dim;

  for (PetscInt r = 0; r < graph->n; r++) {
    if (as->rows && !as->rows[r]) continue;
    const PetscInt begin = graph->ptr[r], stride = dim * (graph->ptr[r + 1] - begin);
    for (PetscInt k = begin; k < graph->ptr[r + 1]; k++) {
      const int    rows = row_mask[r], cols = col_mask[is_diagonal ? graph->cols[k] : k];
      PetscScalar *block = values + dim * (dim * begin + k - begin);
      if (!(rows | cols)) continue;
      for (PetscInt i = 0; i < dim; i++)
        for (PetscInt j = 0; j < dim; j++)
          if ((rows >> i | cols >> j) & 1) block[i * stride + j] = is_diagonal && graph->cols[k] == r && i == j;
    }
  }
}

static PetscErrorCode Constrain(AbutAssembler as, const PetscBool constrained[])
{
  const PetscInt num_offd = as->offd.ptr[as->num_owned];
  int           *owned, *ghost, *offd;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(as->num_owned, &owned, as->num_ghost, &ghost, num_offd, &offd));
  for (PetscInt r = 0; r < as->num_owned && constrained; r++)
    for (PetscInt i = 0; i < as->dim; i++) owned[r] |= (constrained[r * as->dim + i] ? 1 : 0) << i;
  PetscCall(AbutSFBcastRows(as->ghost_sf, MPI_INT, 1, owned, ghost));
  for (PetscInt k = 0; k < num_offd; k++) {
    PetscInt g;
    PetscCall(PetscFindInt(as->offd.cols[k], as->num_ghost, as->ghost, &g));
    offd[k] = ghost[g];
  }
  ConstrainPart(as, &as->diag, as->values[0], owned, owned, PETSC_TRUE);
  ConstrainPart(as, &as->offd, as->values[1], owned, offd, PETSC_FALSE);
  PetscCall(PetscFree3(owned, ghost, offd));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutAssemblerEnd(AbutAssembler as, const PetscBool constrained[])
{
  PetscFunctionBegin;
  PetscCall(ExchangeValues(as));
  PetscCall(Constrain(as, constrained)); /* collective: also on a rank without rows, where `constrained` may be NULL */
  /* The values were written in place. Assembly tells PETSc that they changed, by increasing the object state. */
  PetscCall(MatAssemblyBegin(as->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(as->A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

Mat AbutAssemblerGetMat(AbutAssembler as)
{
  return as->A;
}
