/* Private to src/linalg. */
#pragma once
#include <abut/containers.h>
#include <abut/linalg.h>
#include <petscsf.h>

/* Sparse block graph: the columns of row r are cols[ptr[r]], ..., cols[ptr[r + 1] - 1], ascending, without duplicates. */
typedef struct {
  PetscInt  n; /* rows */
  PetscInt *ptr;
  PetscInt *cols;
} Graph;

/*
  Builds a graph of n rows from pairs (row[k], col[k]) in any order, with duplicates; row[k] in [0, n). Unlike AbutCSRSetPairs() it removes
  duplicates and counts pairs in 64 bits: every stencil contributes the square of its size. Not collective.
*/
PETSC_INTERN PetscErrorCode GraphCreate(PetscInt n, PetscInt64 num_pairs, const PetscInt row[], const PetscInt col[], Graph *graph);
PETSC_INTERN PetscErrorCode GraphDestroy(Graph *graph);

/* Position of a column in graph->cols, -1 if the row lacks it. */
static inline PetscInt GraphFind(const Graph *graph, PetscInt row, PetscInt col)
{
  const PetscInt *at = graph->cols + graph->ptr[row];
  PetscInt        n  = graph->ptr[row + 1] - graph->ptr[row];

  if (n == 0) return -1;
  while (n > 1) { /* bisection without a branch, because its outcome is unpredictable */
    const PetscInt half = n / 2;
    at += at[half] <= col ? half : 0;
    n -= half;
  }
  return *at == col ? (PetscInt)(at - graph->cols) : -1;
}

/* Address of a dim x dim block: its first value and the distance between its rows. */
typedef struct {
  PetscScalar *first;
  PetscInt     stride;
} Block;

/* Stencils of every assembly. */
typedef struct {
  PetscInt  n, count;  /* vertices a stencil; stencils */
  PetscInt *vertices;  /* [count * n] global block indices */
  Block    *block;     /* [count * n * n] addresses in the pattern in force */
  PetscInt  num_pairs; /* distinct pairs of vertices */
  PetscInt *row, *col; /* [num_pairs] global; allocated with the first pattern */
} Fixed;

/* Rows of other ranks to which this rank contributes, and the exchange of their blocks. */
typedef struct {
  PetscInt     num;
  PetscInt    *row;         /* [num] global, ascending: therefore grouped by owner */
  Graph        graph;       /* columns: global */
  PetscScalar *values;      /* [graph.ptr[num] * dim * dim] block by block */
  AbutExchange exchange;    /* one record a block */
  PetscScalar *recv_values; /* blocks received for owned rows */
  Block       *recv_block;  /* address to which each received block is added */
} Foreign;

struct _p_AbutAssembler {
  MPI_Comm     comm;
  PetscInt     dim, num_owned;
  PetscInt     first;  /* global index of the first owned block row */
  PetscLayout  layout; /* of block rows */
  Fixed        fixed;
  PetscBool    has_pattern; /* the members below exist */
  Graph        diag, offd;  /* owned rows: columns owned here (local index); columns of other ranks (global index) */
  Foreign      foreign;
  Mat          A;
  PetscInt    *ia[2], *ja[2]; /* scalar CSR of diag and offd, owned here, used by A in place */
  PetscScalar *values[2];     /* values of diag and offd, used by A in place */
  PetscInt     num_ghost;     /* distinct block columns of other ranks */
  PetscInt    *ghost;         /* [num_ghost] global, ascending */
  PetscSF      ghost_sf;      /* from owned block rows to ghost block columns */
};

/* Entries of a stencil, negative ones are unused. */
static inline PetscInt StencilVertices(const AbutStencilList *list, PetscInt s, const PetscInt **v)
{
  const PetscInt start = list->start ? list->start[s] : 4 * s;

  *v = list->v + start;
  return list->start ? list->start[s + 1] - start : 4;
}

/* pattern.c: builds the pattern and the matrix; frees them. Collective. */
PETSC_INTERN PetscErrorCode AbutPatternBuild(AbutAssembler as, PetscInt num_needed, const AbutStencilList needed[],
                                             const AbutStencilList *expected);
PETSC_INTERN PetscErrorCode AbutPatternDestroy(AbutAssembler as);
/* Address of block (row, col), both global; first is NULL if the pattern lacks it. Not collective. */
PETSC_INTERN Block AbutPatternFind(AbutAssembler as, PetscInt row, PetscInt col);

/* pairs.c: growing list of (global row, global column) in 64 bits; every stencil adds its own pairs, many more than there are blocks. */
typedef struct {
  PetscInt64 count;
  PetscInt  *row, *col;
} Pairs;

/* Every pair to which this rank contributes, with duplicates. Not collective. */
PETSC_INTERN PetscErrorCode PairsCollect(AbutAssembler as, PetscInt num_needed, const AbutStencilList needed[],
                                         const AbutStencilList *expected, Pairs *pairs);
/* Ascending distinct rows of other ranks among the pairs; free with PetscFree(). Not collective. */
PETSC_INTERN PetscErrorCode PairsForeignRows(AbutAssembler as, const Pairs *pairs, PetscInt *count, PetscInt **rows);

static inline PetscBool IsOwned(AbutAssembler as, PetscInt global)
{
  return (PetscBool)(global >= as->first && global < as->first + as->num_owned);
}
