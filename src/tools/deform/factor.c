/*
  Factorisations L D L^T of two matrices with the same pattern at once, row by row of L [Davis 2005, Algorithm 849, ACM TOMS 31(4)]. Indices
  take most of the time for operators on a surface, whose factors have about 30 entries a column. Here both matrices share the indices and
  fill the two lanes of a SIMD register, and neighbouring columns with equal rows share them, too.
*/
#include "responseimpl.h"
#include <cholmod.h>

/* Most columns with equal rows that are subtracted together. */
#define BLOCK 4

/* The same entry of both matrices. */
typedef PetscReal Lanes __attribute__((vector_size(2 * sizeof(PetscReal))));

/* Column j of L has the entries value[start[j]], ..., value[end[j] - 1] below its diagonal, which is 1, in the rows row[...]. */
struct _p_AbutFactor {
  AbutDeformSurface surface;        /* borrowed */
  PetscInt         *order;          /* [num_vertices] vertex order[k] is eliminated as number k */
  PetscInt          num;            /* unknowns */
  PetscInt         *start, *end;    /* [num + 1], [num] */
  PetscInt         *parent, *mark;  /* [num] elimination tree, work space */
  PetscInt         *pattern;        /* [num] work space: columns with entries in a row */
  PetscInt         *width;          /* [num] columns j, j + 1, ... whose rows below the last of them are equal */
  PetscInt         *row;            /* [start[num]] */
  Lanes            *value;          /* [start[num]] */
  PetscInt          entry_capacity; /* allocated entries of `row` and `value` */
  Lanes            *inverse;        /* [num] inverse of D */
  Lanes            *x;              /* [num] a row of the matrix; right-hand sides and solutions; 0 otherwise */
};

/*
  Minimum degree order [Amestoy, Davis, Duff 1996] of a symmetric pattern, the lower neighbours row[start[v]], ..., row[start[v + 1] - 1] of
  each vertex v, renumbered by a postorder of its elimination tree.
*/
static PetscErrorCode Order(PetscInt n, int start[], int row[], PetscInt order[])
{
  cholmod_common  common;
  cholmod_factor *factor;
  cholmod_sparse  pattern = {.nrow   = (size_t)n,
                             .ncol   = (size_t)n,
                             .nzmax  = (size_t)start[n],
                             .p      = start,
                             .i      = row,
                             .stype  = 1,
                             .itype  = CHOLMOD_INT,
                             .xtype  = CHOLMOD_PATTERN,
                             .sorted = 1,
                             .packed = 1};

  PetscFunctionBegin;
  cholmod_start(&common);
  common.nmethods           = 1;
  common.method[0].ordering = CHOLMOD_AMD;
  common.supernodal         = CHOLMOD_SIMPLICIAL;
  factor                    = cholmod_analyze(&pattern, &common);
  PetscCheck(factor, PETSC_COMM_SELF, PETSC_ERR_LIB, "cholmod_analyze failed with status %d", common.status);
  for (PetscInt v = 0; v < n; v++) order[v] = ((const int *)factor->Perm)[v];
  cholmod_free_factor(&factor, &common);
  cholmod_finish(&common);
  PetscFunctionReturn(0);
}

static PetscErrorCode SetOrder(AbutFactor factor)
{
  const AbutDeformSurface surface = factor->surface;
  int                     num     = 0, *start, *row;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(surface->num_vertices + 1, &start, surface->num_edges, &row));
  for (PetscInt v = 0; v < surface->num_vertices; v++) {
    start[v] = num;
    for (PetscInt k = surface->vertex_edge.start[v]; k < surface->vertex_edge.start[v + 1]; k++) {
      const PetscInt other = AbutDeformOtherEnd(surface, surface->vertex_edge.item[k], v);

      if (other < v) row[num++] = (int)other;
    }
  }
  start[surface->num_vertices] = num;
  PetscCall(Order(surface->num_vertices, start, row, factor->order));
  PetscCall(PetscFree2(start, row));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFactorCreate(AbutDeformSurface surface, AbutFactor *factor)
{
  const PetscInt n = surface->num_vertices;

  PetscFunctionBegin;
  PetscCall(PetscNew(factor));
  (*factor)->surface = surface;
  PetscCall(PetscMalloc7(n, &(*factor)->order, n + 1, &(*factor)->start, n, &(*factor)->end, n, &(*factor)->parent, n, &(*factor)->mark, n,
                         &(*factor)->pattern, n, &(*factor)->width));
  PetscCall(PetscCalloc2(n, &(*factor)->inverse, n, &(*factor)->x));
  PetscCall(SetOrder(*factor));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFactorDestroy(AbutFactor *factor)
{
  PetscFunctionBegin;
  if (!*factor) PetscFunctionReturn(0);
  PetscCall(PetscFree7((*factor)->order, (*factor)->start, (*factor)->end, (*factor)->parent, (*factor)->mark, (*factor)->pattern,
                       (*factor)->width));
  PetscCall(PetscFree2((*factor)->inverse, (*factor)->x));
  PetscCall(PetscFree((*factor)->row));
  PetscCall(PetscFree((*factor)->value));
  PetscCall(PetscFree(*factor));
  PetscFunctionReturn(0);
}

PetscInt AbutFactorNumber(AbutFactor factor, PetscInt unknown[], PetscInt vertex[])
{
  PetscInt num = 0;

  for (PetscInt k = 0; k < factor->surface->num_vertices; k++) {
    const PetscInt v = factor->order[k];

    if (unknown[v] < 0) continue;
    vertex[num] = v;
    unknown[v]  = num++;
  }
  return num;
}

/* Elimination tree, and columns of L without entries. */
static PetscErrorCode SetTree(AbutFactor factor, const PetscInt vertex[], const PetscInt unknown[])
{
  const AbutDeformSurface surface = factor->surface;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < factor->num; i++) {
    const PetscInt v = vertex[i];

    factor->parent[i] = -1;
    factor->mark[i]   = i;
    factor->end[i]    = 0;
    for (PetscInt l = surface->vertex_edge.start[v]; l < surface->vertex_edge.start[v + 1]; l++) {
      PetscInt k = unknown[AbutDeformOtherEnd(surface, surface->vertex_edge.item[l], v)];

      for (; k >= 0 && k < i && factor->mark[k] != i; k = factor->parent[k]) {
        if (factor->parent[k] < 0) factor->parent[k] = i;
        factor->end[k]++;
        factor->mark[k] = i;
      }
    }
  }
  for (PetscInt j = factor->num - 1; j >= 0; j--) {
    const PetscInt next = factor->parent[j];

    factor->width[j] = next == j + 1 && factor->end[j] == factor->end[next] + 1 ? factor->width[next] + 1 : 1;
  }
  factor->start[0] = 0;
  for (PetscInt i = 0; i < factor->num; i++) {
    factor->start[i + 1] = factor->start[i] + factor->end[i];
    factor->end[i]       = factor->start[i];
    factor->mark[i]      = -1;
  }
  PetscCall(AbutReserveColumns(factor->start[factor->num], &factor->entry_capacity, 2,
                               (const AbutColumn[]){{&factor->row, sizeof(*factor->row)}, {&factor->value, sizeof(*factor->value)}}));
  PetscFunctionReturn(0);
}

/* Sets x to the lower entries of row i. The columns of its entries in L, each before its parent, are pattern[k], first <= k < num. */
static PetscInt LoadRow(AbutFactor factor, PetscInt i, const PetscInt vertex[], const PetscInt unknown[], Lanes scale,
                        const PetscReal weights[])
{
  const AbutDeformSurface surface = factor->surface;
  PetscInt                first   = factor->num;

  factor->mark[i] = i;
  for (PetscInt l = surface->vertex_edge.start[vertex[i]]; l < surface->vertex_edge.start[vertex[i] + 1]; l++) {
    const PetscInt edge = surface->vertex_edge.item[l], j = unknown[AbutDeformOtherEnd(surface, edge, vertex[i])];
    PetscInt       length = 0;

    if (j < 0 || j >= i) continue;
    factor->x[j] = scale * weights[edge];
    for (PetscInt k = j; factor->mark[k] != i; k = factor->parent[k]) {
      factor->pattern[length++] = k;
      factor->mark[k]           = i;
    }
    while (length) factor->pattern[--first] = factor->pattern[--length];
  }
  return first;
}

/* Subtracts x[j], ..., x[j + width - 1] times their columns of L from x. */
static inline void SubtractBlock(const AbutFactor factor, PetscInt j, PetscInt width)
{
  const PetscInt last = j + width - 1, *row = &factor->row[factor->start[last]], num = factor->end[last] - factor->start[last];
  const Lanes   *value[BLOCK];
  Lanes         *x = factor->x, xj[BLOCK];

  for (PetscInt k = 0; k < width; k++) {
    const Lanes *column = &factor->value[factor->start[j + k]];

    xj[k] = x[j + k];
    for (PetscInt l = k + 1; l < width; l++) x[j + l] -= column[l - k - 1] * xj[k];
    value[k] = column + (width - 1 - k);
  }
  for (PetscInt p = 0; p < num; p++) {
    Lanes sum = x[row[p]];

    for (PetscInt k = 0; k < width; k++) sum -= value[k][p] * xj[k];
    x[row[p]] = sum;
  }
}

static void Subtract(const AbutFactor factor, PetscInt j, PetscInt width)
{
  switch (width) { /* constant arguments unroll the loops */
  case 1: SubtractBlock(factor, j, 1); break;
  case 2: SubtractBlock(factor, j, 2); break;
  case 3: SubtractBlock(factor, j, 3); break;
  default: SubtractBlock(factor, j, BLOCK);
  }
}

/* Adds row i of L; *d is its diagonal of the matrix, on return of D. */
static void AddRow(AbutFactor factor, PetscInt i, PetscInt first, Lanes *d)
{
  Lanes   *x = factor->x;
  PetscInt width;

  for (PetscInt at = first; at < factor->num; at += width) {
    const PetscInt j = factor->pattern[at], most = PetscMin(PetscMin(factor->width[j], BLOCK), factor->num - at);

    for (width = 1; width < most && factor->pattern[at + width] == j + width;) width++;
    Subtract(factor, j, width);
    for (PetscInt k = j; k < j + width; k++) {
      const PetscInt end   = factor->end[k]++;
      const Lanes    entry = x[k] * factor->inverse[k];

      factor->row[end]   = i;
      factor->value[end] = entry;
      *d -= entry * x[k];
      x[k] = (Lanes){0};
    }
  }
}

PetscErrorCode AbutFactorCompute(AbutFactor factor, PetscInt num, const PetscInt vertex[], const PetscInt unknown[],
                                 const PetscReal diagonal[][2], const PetscReal scale[2], const PetscReal weights[])
{
  PetscFunctionBegin;
  factor->num = num;
  PetscCall(SetTree(factor, vertex, unknown));
  PetscCall(PetscArrayzero(factor->x, num));
  for (PetscInt i = 0; i < num; i++) {
    Lanes d = {diagonal[i][0], diagonal[i][1]};

    AddRow(factor, i, LoadRow(factor, i, vertex, unknown, (Lanes){scale[0], scale[1]}, weights), &d);
    AbutCheck(d[0] > 0 && d[1] > 0, ABUT_ERR_DIVERGED,
              "an operator of a surface is not positive definite at the unknown %" PetscInt_FMT " of %" PetscInt_FMT, i, num);
    factor->inverse[i] = 1 / d;
  }
  PetscFunctionReturn(0);
}

static PetscBool IsZero(const Lanes x[], PetscInt num)
{
  for (PetscInt k = 0; k < num; k++)
    if (x[k][0] != 0 || x[k][1] != 0) return PETSC_FALSE;
  return PETSC_TRUE;
}

void AbutFactorSolve(AbutFactor factor, PetscReal b0[], PetscReal b1[])
{
  Lanes   *x = factor->x;
  PetscInt width;

  for (PetscInt i = 0; i < factor->num; i++) x[i] = (Lanes){b0 ? b0[i] : 0, b1 ? b1[i] : 0};
  for (PetscInt j = 0; j < factor->num; j += width) {
    width = PetscMin(factor->width[j], BLOCK);
    if (!IsZero(&x[j], width)) Subtract(factor, j, width); /* border values reach few unknowns */
  }
  for (PetscInt j = factor->num - 1; j >= 0; j--) {
    Lanes sum = x[j] * factor->inverse[j];

    for (PetscInt p = factor->start[j]; p < factor->end[j]; p++) sum -= factor->value[p] * x[factor->row[p]];
    x[j] = sum;
  }
  for (PetscInt i = 0; i < factor->num && b0; i++) b0[i] = x[i][0];
  for (PetscInt i = 0; i < factor->num && b1; i++) b1[i] = x[i][1];
}
