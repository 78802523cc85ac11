/* Cholesky factorisation of a distributed matrix by nested substructures: data, and the numerical part in two precisions. */
#pragma once
#include "entries.h"
#include "redistribution.h"

/* An owned vertex of a separator. */
typedef struct {
  PetscInt vertex, front, row; /* local index; index of the front in the path; row of the front */
} Separator;

typedef struct {
  Redistribution  *redistribution;
  Interface       *interface; /* this and the following members belong to the redistributed matrix */
  Fronts          *fronts;
  NestedPath      *path;
  Entries          entries;
  PetscInt         num_separators;
  Separator       *separator; /* [num_separators] */
  PetscObjectId    matrix;    /* id of the matrix object whose pattern was analysed */
  PetscObjectState pattern;
  PetscBool        definite;
  PetscBool        single; /* the numbers of the factor and of y are float, otherwise PetscScalar */
  Store           *store;  /* memory of the block columns; borrowed */
  void            *y;      /* vector in the order of positions of the fronts; NULL before the first factorisation */
  PetscScalar     *b, *x;  /* right-hand side and solution in the order of the redistributed matrix */
} Substructure;

/*
  Numerical factorisation (substructure_kernels.h). c->definite: false if a pivot was not positive; equal on all ranks. Collective.
  Afterwards all arrays of numbers have this precision; they are freed before a factorisation in the other one.
*/
PETSC_INTERN PetscErrorCode SubstructureFactor(Substructure *c, const FrontRows rows[2]);
PETSC_INTERN PetscErrorCode SubstructureFactorSingle(Substructure *c, const FrontRows rows[2]);
/* c->x = (L L^T)^-1 c->b. Collective. */
PETSC_INTERN PetscErrorCode SubstructureSolve(Substructure *c);
PETSC_INTERN PetscErrorCode SubstructureSolveSingle(Substructure *c);
