/* Private to src/sparse/linalg. */
#pragma once
#include <abut/containers.h>
#include <abut/linalg.h>
#include <petscsf.h>

/* Sparse block graph: the columns of row r are cols[ptr[r]], ..., cols[ptr[r + 1] - 1], ascending, without duplicates. */
typedef struct {
  PetscInt  n; /* number of rows */
  PetscInt *ptr;
  PetscInt *cols;
} Graph;

/*
  Builds a graph of n rows from pairs (row[k], col[k]) in any order, with duplicates; row[k] in [0, n). Unlike AbutCSRSetPairs() it removes
  duplicates and counts pairs in 64 bits, because a stencil of n vertices contributes n^2 pairs. Not collective.
*/
PETSC_INTERN PetscErrorCode GraphCreate(PetscInt n, PetscInt64 num_pairs, const PetscInt row[], const PetscInt col[], Graph *graph);
PETSC_INTERN PetscErrorCode GraphDestroy(Graph *graph);

/* Position of a value in n ascending values; -1 if absent. Branch-free, because branch prediction would fail half the time. */
static inline PetscInt FindAscending(PetscInt n, const PetscInt values[], PetscInt value)
{
  const PetscInt *at = values;

  if (n == 0) return -1;
  while (n > 1) {
    const PetscInt half = n / 2;
    at += at[half] <= value ? half : 0;
    n -= half;
  }
  return *at == value ? (PetscInt)(at - values) : -1;
}

/* Position of a column of a row in graph->cols; -1 if the row does not contain the column. */
static inline PetscInt GraphFind(const Graph *graph, PetscInt row, PetscInt col)
{
  const PetscInt start = graph->ptr[row], at = FindAscending(graph->ptr[row + 1] - start, graph->cols + start, col);

  return at < 0 ? -1 : start + at;
}

/* Address of a dim x dim block: its first value and the distance between its rows. */
typedef struct {
  PetscScalar *first;
  PetscInt     stride;
} Block;

/* Fixed stencils, which contribute to every assembly of all rows. */
typedef struct {
  PetscInt  n, count;  /* most vertices per stencil; number of stencils */
  PetscInt *vertices;  /* [count * n] global block indices; -1 behind the last vertex of a stencil */
  PetscInt *position;  /* [count * (n * n)] of the blocks in the current pattern: AbutPatternBlock(); NULL until an assembly of many rows */
  PetscInt  num_pairs; /* distinct pairs of vertices */
  PetscInt *row, *col; /* [num_pairs] global; allocated with the first pattern */
} Fixed;

/* Vertices of a fixed stencil, and their number. */
static inline const PetscInt *FixedVertices(const Fixed *fixed, PetscInt s)
{
  return fixed->vertices + (size_t)s * (size_t)fixed->n;
}

static inline PetscInt FixedSize(const Fixed *fixed, PetscInt s)
{
  const PetscInt *v = FixedVertices(fixed, s);
  PetscInt        n = fixed->n;

  while (n > 0 && v[n - 1] < 0) n--;
  return n;
}

/* Rows owned by other ranks to which this rank contributes, and the exchange of their blocks. */
typedef struct {
  PetscInt     num;
  PetscInt    *row;         /* [num] global, ascending, hence grouped by owner */
  Graph        graph;       /* blocks in these rows; columns are global */
  PetscScalar *values;      /* [graph.ptr[num] * dim * dim] block by block */
  AbutExchange exchange;    /* one record per block */
  PetscScalar *recv_values; /* blocks received for owned rows */
  Block       *recv_block;  /* address to which each received block is added */
} Foreign;

struct _p_AbutAssembler {
  MPI_Comm         comm;
  PetscInt         dim, num_owned;
  PetscInt         first;  /* global index of the first owned block row */
  PetscLayout      layout; /* distribution of the block rows over the ranks */
  Fixed            fixed;
  const PetscBool *rows;        /* [num_owned] AbutAssemblerRestrict(); NULL: all */
  PetscInt64       num_blocks;  /* in owned rows of the last pattern that was built for all rows */
  PetscBool        has_pattern; /* a pattern exists and the members below are valid */
  Graph            diag, offd;  /* owned rows: owned columns (local index) and columns of other ranks (global index) */
  Foreign          foreign;
  Mat              A;
  PetscInt        *ia[2], *ja[2]; /* scalar CSR of diag and offd; A uses these arrays in place */
  PetscScalar     *values[2];     /* values of diag and offd; A uses these arrays in place */
  PetscInt         num_ghost;     /* number of distinct block columns of other ranks */
  PetscInt        *ghost;         /* [num_ghost] global, ascending */
  PetscSF          ghost_sf;      /* from owned block rows to ghost block columns */
};

/* Number of entries of a stencil and the entries v; negative entries are unused. */
static inline PetscInt StencilVertices(const AbutStencilList *list, PetscInt s, const PetscInt **v)
{
  const PetscInt start = list->start ? list->start[s] : 4 * s;

  *v = list->v + start;
  return list->start ? list->start[s + 1] - start : 4;
}

/* pattern.c: build the pattern and the matrix; free both. Collective. */
PETSC_INTERN PetscErrorCode AbutPatternBuild(AbutAssembler as, PetscInt num_needed, const AbutStencilList needed[],
                                             const AbutStencilList *expected);
/*
  Sets up the rows of other ranks again, if the patterns of the owners contain all blocks; else nothing changes. They come from `needed` and
  the fixed stencils; while assemblies are restricted, the former rows, too. The matrix stays. Collective.
*/
PETSC_INTERN PetscErrorCode AbutPatternRenewForeign(AbutAssembler as, PetscInt num_needed, const AbutStencilList needed[],
                                                    PetscBool *renewed);
/* Finds the positions of the blocks of the fixed stencils. Not collective. */
PETSC_INTERN PetscErrorCode AbutPatternPlaceFixed(AbutAssembler as);
/*
  Address of a block of a row (global index). position: index of the block in the columns of `diag` or of the foreign rows, or -1 minus its
  index in `offd`. Fixed stencils store this number of 4 bytes for each pair of vertices, instead of an address of 16 bytes. Not
  collective.
*/
static inline Block AbutPatternBlock(AbutAssembler as, PetscInt row, PetscInt position)
{
  const PetscInt r = row - as->first, part = position < 0, k = part ? -1 - position : position, dim = as->dim;

  if (r < 0 || r >= as->num_owned) {
    return (Block){as->foreign.values + (size_t)k * (size_t)(dim * dim), dim};
  } else {
    const PetscInt *ptr = part ? as->offd.ptr : as->diag.ptr;
    return (Block){as->values[part] + dim * (dim * ptr[r] + k - ptr[r]), dim * (ptr[r + 1] - ptr[r])};
  }
}
/* Address of block (row, col), global indices; Block.first is NULL if the pattern does not contain it. Not collective. */
PETSC_INTERN Block AbutPatternFind(AbutAssembler as, PetscInt row, PetscInt col);

/* pairs.c: growable list of pairs (global row, global column) with duplicates. The count has 64 bits. */
typedef struct {
  PetscInt64 count;
  PetscInt  *row, *col;
} Pairs;

/*
  Collects all pairs to which this rank contributes, with duplicates. While assemblies are restricted, these are also all pairs of the
  present pattern, because later assemblies of all rows need them. Not collective.
*/
PETSC_INTERN PetscErrorCode PairsCollect(AbutAssembler as, PetscInt num_needed, const AbutStencilList needed[],
                                         const AbutStencilList *expected, Pairs *pairs);
/* Distinct rows of other ranks among the pairs, ascending; the caller frees *rows with PetscFree(). Not collective. */
PETSC_INTERN PetscErrorCode PairsForeignRows(AbutAssembler as, const Pairs *pairs, PetscInt *count, PetscInt **rows);

static inline PetscBool IsOwned(AbutAssembler as, PetscInt global)
{
  return (PetscBool)(global >= as->first && global < as->first + as->num_owned);
}

/* Number of blocks of the pattern in the rows of this rank. */
static inline PetscInt64 PatternBlocks(AbutAssembler as)
{
  return (PetscInt64)as->diag.ptr[as->num_owned] + as->offd.ptr[as->num_owned];
}
