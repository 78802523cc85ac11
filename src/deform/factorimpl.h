/* WARNING: private header of src/deform. Supernodes of the factorisations on a surface. */
#pragma once
#include <abut/dense.h>
#include "responseimpl.h"

/* The same entry of both matrices. */
typedef PetscReal AbutLanes __attribute__((vector_size(2 * sizeof(PetscReal))));

/* Rows of a panel that the factorisation processes together. */
#define ABUT_FACTOR_ROWS 4

/*
  Supernode k has the columns first[k], ..., first[k + 1] - 1 and, below them, the rows row[row_start[k]], ..., row[row_start[k + 1] - 1],
  ascending. Its panel starts at values[value_start[k]], column by column: the entries of the rows first[k], ..., first[k + 1] - 1, of the
  rows below, and zeros, so that ABUT_FACTOR_ROWS entries from any row on are in the column. The rows above the diagonal are undefined.
*/
struct _p_AbutFactor {
  PetscInt   n;                          /* unknowns */
  PetscInt  *start, *neighbor;           /* [n + 1], [start[n]] pattern, copied */
  PetscInt   num;                        /* supernodes */
  PetscInt  *first;                      /* [num + 1] */
  PetscInt  *row_start, *value_start;    /* [num + 1] */
  PetscInt  *super;                      /* [n] supernode of each column */
  PetscInt  *parent, *count, *mark;      /* [n] elimination tree, rows below each column, work space */
  PetscInt  *head, *next, *at;           /* [n] lists of the supernodes that update a supernode, and their first row there */
  PetscInt  *position, *update;          /* [n] row of the current panel, and of each row of a supernode that updates it */
  AbutLanes *x;                          /* [n] right-hand sides and solutions */
  AbutLanes *below;                      /* [n + ABUT_FACTOR_ROWS] solutions of the rows below a supernode, work space */
  PetscInt   n_capacity, entry_capacity; /* allocated */
  PetscInt  *row;                        /* [row_start[num]] */
  PetscInt   row_capacity;               /* allocated */
  AbutLanes *values;                     /* [value_start[num]] */
  PetscInt   value_capacity;             /* allocated */
};

/* Length of a column of a panel with `width` columns and `rows` rows below them. */
static inline PetscInt AbutFactorStride(PetscInt width, PetscInt rows)
{
  return width + rows + ABUT_FACTOR_ROWS - 1;
}

/* elimination.c: frees the pattern and the supernodes. */
PETSC_INTERN PetscErrorCode AbutFactorDestroySymbolic(AbutFactor factor);
