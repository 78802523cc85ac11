/* Private to src/linalg. */
#pragma once
#include <abut/linalg.h>
#include <petscsf.h>

/* A sparse block graph: the columns of row r are cols[ptr[r] .. ptr[r+1]), ascending and unique. */
typedef struct {
  PetscInt  n;
  PetscInt *ptr;
  PetscInt *cols;
} Graph;

/* Builds a graph of n rows from pairs (row[k], col[k]), row in [0, n), any order, duplicates welcome. Not collective. */
PETSC_INTERN PetscErrorCode GraphCreate(PetscInt n, PetscInt64 num_pairs, const PetscInt row[], const PetscInt col[], Graph *graph);
PETSC_INTERN PetscErrorCode GraphDestroy(Graph *graph);

/* Position of a column in a row, -1 if absent. */
static inline PetscInt GraphFind(const Graph *graph, PetscInt row, PetscInt col)
{
  const PetscInt *at = graph->cols + graph->ptr[row];
  PetscInt        n  = graph->ptr[row + 1] - graph->ptr[row];

  if (n == 0) return -1;
  while (n > 1) { /* halves without a branch: which one is taken cannot be foreseen */
    const PetscInt half = n / 2;
    at += at[half] <= col ? half : 0;
    n -= half;
  }
  return *at == col ? (PetscInt)(at - graph->cols) : -1;
}

/* Where a dim x dim block lives: its first value and the distance between its rows. */
typedef struct {
  PetscScalar *first;
  PetscInt     stride;
} Block;

/* Blocks of foreign rows travel to their owners once an assembly; what was agreed when the pattern was built. */
typedef struct {
  PetscMPIInt  num_send, num_recv;
  PetscMPIInt *send_rank, *recv_rank;
  PetscInt    *send_start, *recv_start; /* blocks, [num + 1] */
  PetscScalar *recv_values;
  Block       *recv_block; /* where each received block is added */
  MPI_Request *requests;
} Exchange;

struct _p_AbutAssembler {
  MPI_Comm    comm;
  PetscInt    dim, num_owned, first;
  PetscLayout layout; /* of block rows */

  PetscInt  fixed_n, fixed_count;
  PetscInt *fixed_vertices; /* [fixed_count * fixed_n] global */
  Block    *fixed_block;    /* [fixed_count * fixed_n * fixed_n] */
  PetscInt  num_fixed_pairs;
  PetscInt *fixed_row, *fixed_col; /* unique global pairs of the fixed stencils */

  PetscBool    has_pattern;
  Graph        diag, offd;     /* owned rows: columns owned here (local index); columns of other ranks (global index) */
  PetscInt     num_foreign;    /* rows of other ranks to which this rank contributes */
  PetscInt    *foreign_row;    /* global, ascending: hence grouped by owner */
  Graph        foreign;        /* their columns (global index) */
  PetscScalar *foreign_values; /* block by block */
  Exchange     exchange;

  Mat          A;
  PetscInt    *ia[2], *ja[2]; /* scalar CSR of the two parts, owned here, used by A in place */
  PetscScalar *values[2];
  PetscInt     num_ghost; /* distinct off-rank block columns, ascending */
  PetscInt    *ghost;
  PetscSF      ghost_sf; /* owned block rows -> ghost columns */
};

/* Vertices of a stencil; those below 0 are unused. */
static inline PetscInt StencilVertices(const AbutStencilList *list, PetscInt s, const PetscInt **v)
{
  const PetscInt start = list->start ? list->start[s] : 4 * s;

  *v = list->v + start;
  return list->start ? list->start[s + 1] - start : 4;
}

PETSC_INTERN PetscErrorCode AbutPatternBuild(AbutAssembler as, PetscInt num_needed, const AbutStencilList needed[],
                                             const AbutStencilList *near);
PETSC_INTERN PetscErrorCode AbutPatternDestroy(AbutAssembler as);

/* The block (row, col), both global; first is NULL if the pattern lacks it. Not collective. */
PETSC_INTERN Block AbutPatternFind(AbutAssembler as, PetscInt row, PetscInt col);
