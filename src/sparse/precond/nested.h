/*
  Fronts that several ranks share: the dense matrices in which the separator of a group of ranks is eliminated. A front's rows are its
  pivots, the separator vertices of the group, and its border, separator vertices of larger groups. Its lower triangle is stored in block
  columns, which are distributed cyclically over the ranks of the group.
*/
#pragma once
#include "interface.h"
#include "store.h"

/* Rows and distribution of a front or of the Schur complement of a rank's interior (no pivots, block columns as in fronts.h). */
typedef struct {
  PetscInt     n, num_pivots; /* vertices; pivots come first */
  PetscInt     width;         /* vertices of a block column; a block holds only pivots or only border vertices */
  PetscMPIInt  num_ranks;
  PetscMPIInt *rank; /* [num_ranks] in the communicator of the matrix, ascending */
  PetscInt    *row;  /* [n] separator numbers, ascending */
} FrontLayout;

/* The block columns that this rank stores, each column-major from its diagonal down. */
typedef struct {
  PetscInt num;   /* block columns of the layout */
  size_t  *size;  /* [num] entries; 0 = stored by another rank */
  void   **block; /* [num] numbers of type PetscScalar or float; NULL before the first factorisation and where size is 0 */
} FrontColumns;

/* Operations and memory of a front. */
typedef struct {
  PetscReal flops;     /* operations of a factorisation on this rank */
  PetscReal entries;   /* stored matrix entries on this rank */
  PetscReal temporary; /* numbers in arrays that exist only while the front is factorised */
  PetscReal array;     /* entries of the largest array on this rank */
} FrontCost;

typedef struct {
  PetscInt     depth; /* of the node in the tree of ranks */
  PetscInt     bs;
  MPI_Comm     group; /* borrowed from the tree of ranks */
  PetscMPIInt  self;  /* rank in the group */
  FrontLayout  layout;
  PetscInt     num_inputs; /* fronts and interiors whose border contributes to this front */
  FrontLayout *input;      /* [num_inputs] */
  PetscInt   **map;        /* [num_inputs] for each border row of an input its row in this front */
  PetscInt     own_input;  /* the input whose columns this rank stores */
  PetscMPIInt
    *counts; /* [4 * num_ranks] of the contributions: counts and starts of those sent, then counts and starts of the received ones */
  FrontColumns columns;
  PetscInt     together; /* number of consecutive block columns of pivots that all ranks solve together */
  FrontColumns diagonal; /* a copy on all ranks: of each block column of pivots, the rows of the blocks that are solved together with it */
  FrontCost    cost;
  void        *w; /* [n * bs] right-hand side and solution, PetscScalar or float; NULL before the first factorisation */
} Nested;

/* Fronts with pivots on the path of a rank from its leaf to the root, and the Schur complement of the rank's interior. */
typedef struct {
  PetscInt     bs;
  PetscInt     num;
  Nested      *front; /* [num] deepest first */
  FrontLayout  interior;
  FrontColumns columns; /* of the interior's Schur complement */
} NestedPath;

/* Symbolic factorisation of the separators of A. Collective. */
PETSC_INTERN PetscErrorCode NestedCreate(const Interface *interface, Mat A, NestedPath **path);
PETSC_INTERN PetscErrorCode NestedDestroy(NestedPath **path);
/* Frees the vectors. The numbers of block columns belong to a store. Not collective. */
PETSC_INTERN PetscErrorCode NestedRelease(NestedPath *path);
/*
  FrontBegin, FrontEnd: first vertex of a block column, and the vertex behind its last one. FrontOwner: rank that stores it. FrontBlock:
  block column of a row.
*/
PETSC_INTERN PetscInt    FrontBegin(const FrontLayout *layout, PetscInt block);
PETSC_INTERN PetscInt    FrontEnd(const FrontLayout *layout, PetscInt block);
PETSC_INTERN PetscMPIInt FrontOwner(const FrontLayout *layout, PetscInt block);
PETSC_INTERN PetscInt    FrontBlock(const FrontLayout *layout, PetscInt row);
/* End (exclusive) of the group of `together` block columns of pivots that contains `block`. */
PETSC_INTERN PetscInt FrontSolvedEnd(const FrontLayout *layout, PetscInt together, PetscInt block);
/* The block columns of a rank of the layout (columns.c). Not collective, as all functions below. */
PETSC_INTERN PetscErrorCode ColumnsCreate(const FrontLayout *layout, PetscMPIInt self, PetscInt bs, FrontColumns *columns);
PETSC_INTERN PetscErrorCode ColumnsDestroy(FrontColumns *columns);
/* The diagonal blocks of the pivots: block columns that end with the last row of the `together` blocks that are solved at once. */
PETSC_INTERN PetscErrorCode ColumnsCreateDiagonal(const FrontLayout *layout, PetscInt together, PetscInt bs, FrontColumns *diagonal);
/*
  ColumnsBytes(): room in a store for the block columns, with numbers of `bytes` bytes. ColumnsAllocate(): takes this room from the store,
  which keeps owning it.
*/
PETSC_INTERN size_t         ColumnsBytes(const FrontColumns *columns, size_t bytes);
PETSC_INTERN PetscErrorCode ColumnsAllocate(FrontColumns *columns, size_t bytes, Store *store);
PETSC_INTERN PetscErrorCode ColumnsZero(const FrontColumns *columns, size_t bytes);
/* Entries of all block columns and of the largest one. */
PETSC_INTERN void ColumnsCount(const FrontColumns *columns, PetscReal *all, PetscReal *largest);
