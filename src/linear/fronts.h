/*
  Multifrontal Cholesky factorisation [Duff and Reid 1983; Liu 1992] of a symmetric positive definite matrix of bs x bs blocks. A vertex
  is a block row. Some vertices, the border, are not eliminated. The factorisation adds -A_BI A_II^-1 A_IB to the matrix of the border,
  where I are the eliminated vertices and B the border: the Schur complement of the border without A_BB.
*/
#pragma once
#include <petscmat.h>

/*
  Scalar rows (CSR) of a sequential matrix with uniform blocks, and the vertex of each block column: to eliminate [0, n), border [n, n +
  num_border), -1 = ignored.
*/
typedef struct {
  const PetscInt    *ia, *ja;
  const PetscScalar *values;
  const PetscInt    *number;
} FrontRows;

/*
  The elimination tree of supernodes (symbolic.c) and the numerical factor L (fronts.c). A supernode is a set of consecutive columns of L
  with one pattern.
*/
typedef struct {
  PetscInt     bs, n, num_border;
  PetscInt    *row;        /* [n] block row of the matrix of each vertex to eliminate */
  PetscInt    *order;      /* [n] vertex eliminated k-th */
  PetscInt    *position;   /* [n + num_border] inverse of order; border vertices keep their number */
  PetscInt     num;        /* number of supernodes */
  PetscInt    *first;      /* [num + 1] first column of each supernode */
  PetscInt    *start;      /* [num + 1] range of each supernode in rows */
  PetscInt    *rows;       /* positions of the rows of L below the columns of a supernode, ascending */
  PetscInt    *parent;     /* [num] parent in the elimination tree, to which the update matrix is added; -1 = border or none */
  size_t      *panel;      /* [num + 1] range of each supernode in values: its columns of L, column-major, diagonal block first */
  size_t       stack_size; /* largest total size of the update matrices that await their parents [numbers] */
  PetscInt     max_below;  /* largest number of rows below a supernode */
  PetscReal    flops;      /* floating-point operations of a factorisation */
  PetscScalar *values;     /* L; NULL before the first factorisation, like the next three */
  PetscScalar *stack;      /* update matrices that await their parents */
  PetscScalar *update;     /* update matrix of the current front */
  PetscScalar *work;       /* right-hand side of the current front */
  PetscInt    *front_row;  /* [n + num_border] block row in the current front of each position that it contains */
} Fronts;

/*
  Ordering and symbolic factorisation of the rows row[n] of the matrix whose columns are split into `parts`. n and num_border may be 0.
  Not collective.
*/
PETSC_INTERN PetscErrorCode FrontsCreate(PetscInt bs, PetscInt n, PetscInt num_border, const PetscInt row[], PetscInt num_parts,
                                         const FrontRows parts[], Fronts **fronts);
PETSC_INTERN PetscErrorCode FrontsDestroy(Fronts **fronts);
/*
  Numerical factorisation; adds the update of the border to the lower triangle of schur [(num_border * bs)^2, column-major]. *definite:
  false if a pivot was not positive; the factor is then unusable. Not collective.
*/
PETSC_INTERN PetscErrorCode FrontsFactor(Fronts *f, PetscInt num_parts, const FrontRows parts[], PetscScalar schur[], PetscBool *definite);
/*
  Solutions with y [(n + num_border) * bs] in the order of positions. Forward: y_I <- L^-1 y_I; the border receives the right-hand side
  of the interface problem. Backward: y_I <- L^-T y_I for a given solution on the border.
*/
PETSC_INTERN PetscErrorCode FrontsForward(Fronts *f, PetscScalar y[]);
PETSC_INTERN PetscErrorCode FrontsBackward(Fronts *f, PetscScalar y[]);
/*
  Dense triangular solutions with k columns of leading dimension ld. w has ld rows; rows from k on are updated (lower) or read (upper).
  Not collective.
*/
PETSC_INTERN void FrontsSolveLower(PetscInt k, PetscInt ld, const PetscScalar L[], PetscScalar w[]);
PETSC_INTERN void FrontsSolveUpper(PetscInt k, PetscInt ld, const PetscScalar L[], PetscScalar w[]);
