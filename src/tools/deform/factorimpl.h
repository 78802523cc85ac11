/* WARNING: private header of src/tools/deform. Supernodes of the factorisations on a surface. */
#pragma once
#include <abut/dense.h>
#include "responseimpl.h"

/* The same entry of both matrices. */
typedef PetscReal AbutLanes __attribute__((vector_size(2 * sizeof(PetscReal))));

/* Rows of a panel that the factorisation processes together. */
#define ABUT_FACTOR_ROWS 4

/* Entry below the diagonal in a column: its row, and the number of its weight. */
typedef struct {
  PetscInt row, weight;
} AbutFactorEntry;

/*
  Supernode k has the columns first[k], ..., first[k + 1] - 1 and, below them, the rows row[row_start[k]], ..., row[row_start[k + 1] - 1],
  ascending.
*/
typedef struct {
  PetscInt  num;       /* supernodes */
  PetscInt *first;     /* [num + 1] */
  PetscInt *row_start; /* [num + 1] */
  PetscInt *row;       /* [row_start[num]] */
} AbutSupernodes;

/*
  Supernodes of the whole pattern, and their parts in the chosen rows and columns, numbered from 0 on. The panel of supernode k of this
  part starts at values[value_start[k]], column by column: the entries of its columns and of the rows below, and zeros, so that
  ABUT_FACTOR_ROWS entries from any row on are in the column. The entries above the diagonal are undefined.
*/
struct _p_AbutFactor {
  PetscInt         n;                 /* unknowns of the whole pattern */
  AbutSupernodes   whole;             /* its supernodes */
  PetscInt        *entry_start;       /* [n + 1] */
  AbutFactorEntry *entry;             /* [entry_start[n]] entries below the diagonal of the whole pattern, column by column */
  PetscInt        *parent, *count;    /* [n] elimination tree, rows below each column */
  PetscInt        *super, *mark;      /* [n] supernode of each column of the whole pattern, later of the part; work space */
  PetscInt         num_chosen;        /* unknowns of the part */
  PetscInt        *chosen, *number;   /* [num_chosen], [n] its unknowns in the whole pattern, and their numbers; -1: not chosen */
  AbutSupernodes   part;              /* supernodes of the part */
  PetscInt        *value_start;       /* [part.num + 1] */
  PetscInt        *head, *next, *at;  /* [n] lists of the supernodes that update a supernode, and their first row there */
  PetscInt        *position, *update; /* [n] row of the current panel, and of each row of a supernode that updates it */
  AbutLanes       *x;                 /* [2 * (n + ABUT_FACTOR_ROWS)] right-hand sides and solutions */
  AbutLanes       *below;             /* [n + ABUT_FACTOR_ROWS] solutions of the rows below a supernode, work space */
  AbutLanes       *values;            /* [value_start[part.num]] */
  PetscInt         value_capacity;    /* allocated */
};

/* Length of a column of a panel with `width` columns and `rows` rows below them. */
static inline PetscInt AbutFactorStride(PetscInt width, PetscInt rows)
{
  return width + rows + ABUT_FACTOR_ROWS - 1;
}

/* Columns of supernode k of the part, rows below them. */
static inline PetscInt AbutFactorWidth(AbutFactor factor, PetscInt k)
{
  return factor->part.first[k + 1] - factor->part.first[k];
}

static inline PetscInt AbutFactorNumRows(AbutFactor factor, PetscInt k)
{
  return factor->part.row_start[k + 1] - factor->part.row_start[k];
}

static inline const PetscInt *AbutFactorRows(AbutFactor factor, PetscInt k)
{
  return &factor->part.row[factor->part.row_start[k]];
}

/* elimination.c: frees all but the values. */
PETSC_INTERN PetscErrorCode AbutFactorDestroySymbolic(AbutFactor factor);

/*
  elimination.c: sets the part of the supernodes in the rows and columns chosen[num], ascending, NULL: all. The part of the rows of a
  supernode contains the rows of the factor of the part.
*/
PETSC_INTERN PetscErrorCode AbutFactorChoose(AbutFactor factor, PetscInt num, const PetscInt chosen[]);
