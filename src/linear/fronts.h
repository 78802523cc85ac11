/*
  Cholesky factorisation by fronts (multifrontal method) of a symmetric matrix of bs x bs blocks, a block row a vertex. Some vertices may be
  left over: the border. What the elimination of the others adds to the matrix of the border is its Schur complement less its own entries.
*/
#pragma once
#include <petscmat.h>

/* Block rows of a sequential matrix with uniform blocks, and what its block columns are: vertices to eliminate [0, n), the border [n, ...), -1 = neither */
typedef struct {
  const PetscInt    *ia, *ja;
  const PetscScalar *values;
  const PetscInt    *number;
} FrontRows;

/* Columns of L with (nearly) one pattern; symbolic.c */
typedef struct {
  PetscInt  bs, n, num_border;
  PetscInt *row;        /* [n] block row of each vertex to eliminate */
  PetscInt *order;      /* [n] the vertex eliminated k-th */
  PetscInt *place;      /* [n + num_border] its inverse; the border stays where it is: last */
  PetscInt  num;        /* supernodes */
  PetscInt *first;      /* [num + 1] first column of each */
  PetscInt *start;      /* [num + 1] into rows */
  PetscInt *rows;       /* places below the columns of a supernode, ascending */
  PetscInt *parent;     /* [num] supernode that its update goes to; -1 = the border */
  size_t   *panel;      /* [num + 1] into values: columns of L, rows of its own columns first, by columns */
  size_t    stack_size; /* updates that wait for their parents, at most */
  PetscInt  most_below; /* longest list of rows */
  PetscReal flops;      /* operations of a factorisation */
  /* numbers; fronts.c */
  PetscScalar *values, *stack, *update, *work;
  PetscInt    *where;
} Fronts;

/* Orders and analyses. The border may be empty, and so may the rest. Not collective. */
PETSC_INTERN PetscErrorCode FrontsCreate(PetscInt bs, PetscInt n, PetscInt num_border, const PetscInt row[], PetscInt num_parts,
                                         const FrontRows parts[], Fronts **fronts);
PETSC_INTERN PetscErrorCode FrontsDestroy(Fronts **fronts);
/* Factorises; adds to the lower triangle of schur [num_border * bs, by columns]. *definite: it could. Not collective. */
PETSC_INTERN PetscErrorCode FrontsFactor(Fronts *f, PetscInt num_parts, const FrontRows parts[], PetscScalar schur[], PetscBool *definite);
/* With y by places [(n + num_border) * bs]: y <- L^-1 y, where the border gets what is then its right-hand side; y <- L^-T y, the border given. */
PETSC_INTERN PetscErrorCode FrontsForward(Fronts *f, PetscScalar y[]);
PETSC_INTERN PetscErrorCode FrontsBackward(Fronts *f, PetscScalar y[]);
/* Triangular solves with k columns of leading dimension ld, the right-hand side w having ld rows: those below are updated, or used. Not collective. */
PETSC_INTERN void FrontsSolveLower(PetscInt k, PetscInt ld, const PetscScalar L[], PetscScalar w[]);
PETSC_INTERN void FrontsSolveUpper(PetscInt k, PetscInt ld, const PetscScalar L[], PetscScalar w[]);
