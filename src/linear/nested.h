/*
  Fronts that several ranks share: the dense matrices in which the separator of a group of ranks is eliminated. A front's rows are its
  pivots, the separator vertices of the group, and its border, separator vertices of larger groups. Its lower triangle is stored in block
  columns, which are distributed cyclically over the ranks of the group.
*/
#pragma once
#include "interface.h"

/* Rows and distribution of a front or of the Schur complement of a rank's interior (no pivots, one block column). */
typedef struct {
  PetscInt     n, num_pivots; /* vertices; pivots come first */
  PetscInt     width;         /* vertices of a block column; a block holds either pivots or border vertices */
  PetscMPIInt  num_ranks;
  PetscMPIInt *rank; /* [num_ranks] in the communicator of the matrix, ascending */
  PetscInt    *row;  /* [n] separator numbers, ascending */
} FrontLayout;

/* Counts of a front or of all fronts of a rank. */
typedef struct {
  PetscReal flops;   /* operations of a factorisation on this rank */
  PetscReal entries; /* stored matrix entries on this rank */
  PetscReal array;   /* entries of the largest dense array on this rank */
} FrontCost;

typedef struct {
  PetscInt     depth; /* of the node in the tree of ranks */
  PetscInt     bs;
  MPI_Comm     group; /* borrowed from the tree of ranks */
  PetscMPIInt  self;  /* rank in the group */
  FrontLayout  layout;
  PetscInt     num_inputs; /* fronts and interiors whose border contributes to this front */
  FrontLayout *input;      /* [num_inputs] */
  PetscInt   **map;        /* [num_inputs] row in this front of each border row of an input */
  PetscInt     own_input;  /* the input of which this rank stores columns */
  PetscMPIInt *counts;     /* [4 * num_ranks] of the contributions sent: counts, starts; received: counts, starts */
  PetscInt     num_blocks;
  size_t      *offset; /* [num_blocks] offset of each block in values; only of the blocks of this rank */
  FrontCost    cost;
  void        *values; /* block columns of this rank, each column-major from its diagonal down; PetscScalar or float, as w */
  void        *w;      /* [n * bs] right-hand side and solution; both NULL before the first factorisation */
} Nested;

/* Fronts on the path of a rank from its leaf to the root, only those with pivots; and the layout of the interior's contribution. */
typedef struct {
  PetscInt    bs;
  PetscInt    num;
  Nested     *front; /* [num] deepest first */
  FrontLayout interior;
} NestedPath;

/* Symbolic factorisation of the separators of A. Collective. */
PETSC_INTERN PetscErrorCode NestedCreate(const Interface *interface, Mat A, NestedPath **path);
PETSC_INTERN PetscErrorCode NestedDestroy(NestedPath **path);
/* Frees the arrays of numbers. Not collective. */
PETSC_INTERN PetscErrorCode NestedRelease(NestedPath *path);
/* First and last + 1 vertex of a block column; the rank in the layout that stores it; block column of a row. */
PETSC_INTERN PetscInt    FrontBegin(const FrontLayout *layout, PetscInt block);
PETSC_INTERN PetscInt    FrontEnd(const FrontLayout *layout, PetscInt block);
PETSC_INTERN PetscMPIInt FrontOwner(const FrontLayout *layout, PetscInt block);
PETSC_INTERN PetscInt    FrontBlock(const FrontLayout *layout, PetscInt row);
