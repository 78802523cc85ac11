/*
  Cholesky factorisations of two matrices with the same pattern at once. The operators on a surface have factors of about 30 entries a
  column, so that indices take most of the time of a library. Here both matrices share the indices and fill the two lanes of a SIMD
  register: the time is a third of the time of two factorisations by CHOLMOD (9437 unknowns of a ball and 11987 of a square).

  Left-looking supernodal algorithm. A supernode is a set of consecutive columns with the same rows below. Its panel holds the lower
  triangle of these columns and the rows below, column by column: SIMD registers hold several rows of a column.
*/
#include "factorimpl.h"

PetscErrorCode AbutFactorCreate(AbutFactor *factor)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(factor));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFactorDestroy(AbutFactor *factor)
{
  PetscFunctionBegin;
  if (!*factor) PetscFunctionReturn(0);
  PetscCall(AbutFactorDestroySymbolic(*factor));
  PetscCall(PetscFree((*factor)->values));
  PetscCall(PetscFree(*factor));
  PetscFunctionReturn(0);
}

/* Rows of a column in one SIMD register, at most two: the compiler spreads an entry over four by single instructions for each lane. */
#if ABUT_SIMD_WIDTH >= 4
#define PER_REGISTER 2
#else
#define PER_REGISTER 1
#endif
#define PER_BLOCK (ABUT_FACTOR_ROWS / PER_REGISTER)

typedef PetscReal Register __attribute__((vector_size(PER_REGISTER * sizeof(AbutLanes)), aligned(sizeof(AbutLanes)), may_alias));

/* ABUT_FACTOR_ROWS rows of a column. */
typedef struct {
  Register part[PER_BLOCK];
} Block;

static inline Block Load(const AbutLanes *column)
{
  Block b;

  for (PetscInt k = 0; k < PER_BLOCK; k++) b.part[k] = *(const Register *)(column + k * PER_REGISTER);
  return b;
}

static inline void Store(AbutLanes *column, Block b)
{
  for (PetscInt k = 0; k < PER_BLOCK; k++) *(Register *)(column + k * PER_REGISTER) = b.part[k];
}

/* The same entry in all rows. */
static inline Register Spread(AbutLanes a)
{
#if PER_REGISTER == 2
  return (Register){a[0], a[1], a[0], a[1]};
#else
  return (Register)a;
#endif
}

/* sum += a b, b the same in all rows. */
static inline void AddProduct(Block *sum, Block a, AbutLanes b)
{
  const Register all = Spread(b);

  for (PetscInt k = 0; k < PER_BLOCK; k++) sum->part[k] += a.part[k] * all;
}

/* Subtracts the first `num` rows of a block from the entries of the rows `at` of a column. Consecutive rows need no single accesses. */
static inline void Scatter(PetscInt num, const PetscInt at[], Block b, AbutLanes column[])
{
  if (num >= ABUT_FACTOR_ROWS && at[ABUT_FACTOR_ROWS - 1] - at[0] == ABUT_FACTOR_ROWS - 1) {
    Block target = Load(&column[at[0]]);

    for (PetscInt k = 0; k < PER_BLOCK; k++) target.part[k] -= b.part[k];
    Store(&column[at[0]], target);
  } else {
    AbutLanes row[ABUT_FACTOR_ROWS];

    Store(row, b);
    for (PetscInt k = 0; k < PetscMin(num, ABUT_FACTOR_ROWS); k++) column[at[k]] -= row[k];
  }
}

/*
  Subtracts the products of `columns` rows of a panel, from row `row` below it on, with all rows from there on. `below` is row `row` of the
  panel, target[c] the column that belongs to row number c.
*/
static inline void UpdateColumns(PetscInt columns, PetscInt width, PetscInt stride, const AbutLanes below[], PetscInt num,
                                 const PetscInt position[], AbutLanes *const target[])
{
  for (PetscInt r = 0; r < num; r += ABUT_FACTOR_ROWS) {
    Block sum[ABUT_FACTOR_ROWS] = {0};

    for (PetscInt d = 0; d < width; d++) {
      const Block a = Load(&below[d * stride + r]);

      for (PetscInt c = 0; c < columns; c++) AddProduct(&sum[c], a, below[d * stride + c]);
    }
    for (PetscInt c = 0; c < columns; c++) Scatter(num - r, &position[r], sum[c], target[c]);
  }
}

/* Appends supernode k to the list of the supernode that contains its row number `at`. */
static void Link(AbutFactor factor, PetscInt k, PetscInt at)
{
  PetscInt target;

  if (at >= AbutFactorNumRows(factor, k)) return;
  factor->at[k]        = at;
  target               = factor->super[AbutFactorRows(factor, k)[at]];
  factor->next[k]      = factor->head[target];
  factor->head[target] = k;
}

/* Subtracts the contributions of supernode k to supernode j. Returns the first row of k below the columns of j. */
static PetscInt UpdateFrom(AbutFactor factor, PetscInt k, PetscInt j, AbutLanes *panel)
{
  const PetscInt   first = factor->part.first[j], end = factor->part.first[j + 1], width = AbutFactorWidth(factor, k);
  const PetscInt  *rows = AbutFactorRows(factor, k), num = AbutFactorNumRows(factor, k);
  const PetscInt   stride        = AbutFactorStride(width, num);
  const PetscInt   target_stride = AbutFactorStride(end - first, AbutFactorNumRows(factor, j));
  const AbutLanes *below         = &factor->values[factor->value_start[k] + width];
  PetscInt        *position = factor->update, at = factor->at[k], next = at;

  while (next < num && rows[next] < end) next++;
  for (PetscInt r = at; r < num; r++) position[r] = factor->position[rows[r]];
  while (at < next) {
    const PetscInt columns = PetscMin(next - at, ABUT_FACTOR_ROWS);
    AbutLanes     *target[ABUT_FACTOR_ROWS];

    for (PetscInt c = 0; c < columns; c++) target[c] = panel + position[at + c] * target_stride;
    switch (columns) { /* constant arguments unroll the loops */
    case 1: UpdateColumns(1, width, stride, below + at, num - at, position + at, target); break;
    case 2: UpdateColumns(2, width, stride, below + at, num - at, position + at, target); break;
    case 3: UpdateColumns(3, width, stride, below + at, num - at, position + at, target); break;
    default: UpdateColumns(4, width, stride, below + at, num - at, position + at, target);
    }
    at += columns;
  }
  return next;
}

/* Subtracts the contributions of all earlier supernodes with rows among the columns of supernode j. */
static void UpdatePanel(AbutFactor factor, PetscInt j, AbutLanes *panel)
{
  for (PetscInt k = factor->head[j], next; k >= 0; k = next) {
    next = factor->next[k];
    Link(factor, k, UpdateFrom(factor, k, j, panel));
  }
}

/* Off-diagonal entries of both matrices: weights times these scales. */
typedef struct {
  AbutLanes        scale;
  const PetscReal *weight;
} Entries;

/* Sets the panel of supernode j to the entries of the matrices. */
static void SetPanel(AbutFactor factor, PetscInt j, const PetscReal diagonal[][2], const Entries *entries, AbutLanes *panel)
{
  const PetscInt first = factor->part.first[j], width = AbutFactorWidth(factor, j);
  const PetscInt num = AbutFactorNumRows(factor, j), stride = AbutFactorStride(width, num);

  for (PetscInt k = 0; k < width * stride; k++) panel[k] = (AbutLanes){0};
  for (PetscInt c = 0; c < width; c++) factor->position[first + c] = c;
  for (PetscInt k = 0; k < num; k++) factor->position[AbutFactorRows(factor, j)[k]] = width + k;
  for (PetscInt c = 0; c < width; c++) {
    const PetscInt *start  = &factor->entry_start[factor->chosen[first + c]];
    AbutLanes      *column = panel + c * stride;

    column[c] = (AbutLanes){diagonal[first + c][0], diagonal[first + c][1]};
    for (PetscInt k = start[0]; k < start[1]; k++) {
      const PetscInt row = factor->number[factor->entry[k].row];

      if (row >= 0) column[factor->position[row]] = entries->scale * entries->weight[factor->entry[k].weight];
    }
  }
}

/*
  Factors a panel of `width` columns and `num` rows. The diagonal becomes the inverse of the diagonal of L. Returns the column of failure or
  -1.
*/
static PetscInt FactorPanel(PetscInt width, PetscInt num, PetscInt stride, AbutLanes *panel)
{
  for (PetscInt c = 0; c < width; c++) {
    AbutLanes *column = panel + c * stride, pivot = column[c];
    Register   inverse;

    for (PetscInt d = 0; d < c; d++) pivot -= panel[d * stride + c] * panel[d * stride + c];
    if (!(pivot[0] > 0 && pivot[1] > 0)) return c;
    for (PetscInt l = 0; l < 2; l++) pivot[l] = 1 / PetscSqrtReal(pivot[l]);
    inverse = Spread(pivot);
    for (PetscInt r = c + 1; r < num; r += ABUT_FACTOR_ROWS) {
      Block sum = {0}, entry = Load(&column[r]);

      for (PetscInt d = 0; d < c; d++) AddProduct(&sum, Load(&panel[d * stride + r]), panel[d * stride + c]);
      for (PetscInt k = 0; k < PER_BLOCK; k++) entry.part[k] = (entry.part[k] - sum.part[k]) * inverse;
      Store(&column[r], entry);
    }
    column[c] = pivot;
  }
  return -1;
}

PetscErrorCode AbutFactorCompute(AbutFactor factor, PetscInt num, const PetscInt chosen[], const PetscReal diagonal[][2],
                                 const PetscReal scale[2], const PetscReal weights[])
{
  const Entries entries = {{scale[0], scale[1]}, weights};

  PetscFunctionBegin;
  PetscCall(AbutFactorChoose(factor, num, chosen));
  for (PetscInt j = 0; j < factor->part.num; j++) factor->head[j] = -1;
  for (PetscInt j = 0; j < factor->part.num; j++) {
    AbutLanes     *panel = &factor->values[factor->value_start[j]];
    const PetscInt width = AbutFactorWidth(factor, j), rows = AbutFactorNumRows(factor, j);
    PetscInt       failure;

    SetPanel(factor, j, diagonal, &entries, panel);
    UpdatePanel(factor, j, panel);
    failure = FactorPanel(width, width + rows, AbutFactorStride(width, rows), panel);
    AbutCheck(failure < 0, ABUT_ERR_DIVERGED,
              "an operator of a surface is not positive definite at the unknown %" PetscInt_FMT " of %" PetscInt_FMT,
              factor->part.first[j] + failure, factor->num_chosen);
    Link(factor, j, 0);
  }
  PetscFunctionReturn(0);
}

/* x = L^-1 x for the columns y of a panel and the rows below. */
static inline void ForwardPanel(PetscInt width, PetscInt num, const PetscInt rows[], const AbutLanes *panel, AbutLanes y[], AbutLanes x[])
{
  const PetscInt stride = AbutFactorStride(width, num);

  for (PetscInt c = 0; c < width; c++) {
    y[c] *= panel[c * stride + c];
    for (PetscInt d = c + 1; d < width; d++) y[d] -= panel[c * stride + d] * y[c];
  }
  for (PetscInt r = 0; r < num; r += ABUT_FACTOR_ROWS) {
    Block sum = {0};

    for (PetscInt d = 0; d < width; d++) AddProduct(&sum, Load(&panel[d * stride + width + r]), y[d]);
    Scatter(num - r, &rows[r], sum, x);
  }
}

/* x = L^-T x for the columns y of a panel; below[num + ABUT_FACTOR_ROWS - 1] is work space. */
static inline void BackwardPanel(PetscInt width, PetscInt num, const PetscInt rows[], const AbutLanes *panel, AbutLanes y[],
                                 const AbutLanes x[], AbutLanes below[])
{
  const PetscInt stride = AbutFactorStride(width, num);

  for (PetscInt r = 0; r < num; r++) below[r] = x[rows[r]];
  for (PetscInt r = num; r < num + ABUT_FACTOR_ROWS - 1; r++) below[r] = (AbutLanes){0};
  for (PetscInt c = width - 1; c >= 0; c--) {
    const AbutLanes *column = panel + c * stride;
    AbutLanes        row[ABUT_FACTOR_ROWS];
    Block            sum = {0};

    for (PetscInt r = 0; r < num; r += ABUT_FACTOR_ROWS) {
      const Block a = Load(&column[width + r]), b = Load(&below[r]);

      for (PetscInt k = 0; k < PER_BLOCK; k++) sum.part[k] += a.part[k] * b.part[k];
    }
    Store(row, sum);
    y[c] -= (row[0] + row[1]) + (row[2] + row[3]);
    for (PetscInt d = c + 1; d < width; d++) y[c] -= column[d] * y[d];
    y[c] *= column[c];
  }
}

static inline PetscBool IsZero(PetscInt num, const AbutLanes y[])
{
  for (PetscInt c = 0; c < num; c++)
    if (y[c][0] != 0 || y[c][1] != 0) return PETSC_FALSE;
  return PETSC_TRUE;
}

void AbutFactorSolve(AbutFactor factor, PetscReal b0[], PetscReal b1[])
{
  AbutLanes *x = factor->x;

  for (PetscInt i = 0; i < factor->num_chosen; i++) x[i] = (AbutLanes){b0 ? b0[i] : 0, b1 ? b1[i] : 0};
  for (PetscInt pass = 0; pass < 2; pass++) {
    for (PetscInt k = 0; k < factor->part.num; k++) {
      const PetscInt   j = pass ? factor->part.num - 1 - k : k, width = AbutFactorWidth(factor, j);
      const PetscInt  *rows = AbutFactorRows(factor, j), num = AbutFactorNumRows(factor, j);
      const AbutLanes *panel = &factor->values[factor->value_start[j]];

      if (pass)
        BackwardPanel(width, num, rows, panel, &x[factor->part.first[j]], x, factor->below);
      else if (!IsZero(width, &x[factor->part.first[j]])) /* border values reach few supernodes */
        ForwardPanel(width, num, rows, panel, &x[factor->part.first[j]], x);
    }
  }
  for (PetscInt i = 0; i < factor->num_chosen && b0; i++) b0[i] = x[i][0];
  for (PetscInt i = 0; i < factor->num_chosen && b1; i++) b1[i] = x[i][1];
}
