/*
  The levels of multigrid by aggregates: matrices, aggregates and interpolations, without solvers.

  Each level divides the vertices of each rank into aggregates of about `aggregate` vertices with weak couplings between aggregates, so
  that stiff contacts lie within aggregates where possible. On several ranks the matrix first moves to parts with weak couplings between
  them, unless its own distribution is as good. The unknowns of the next level are the rigid-body modes of the aggregates (unsmoothed
  aggregation).

  If the pattern of the matrix changes, as when contacts come and go, parts and aggregates stay. Only vertices whose couplings to another
  aggregate have become stronger move to it.
*/
#pragma once
#include "aggregates.h"
#include "redistribution.h"

#define LEVELS_MAX 12

/* A level and its interpolation from the next coarser one. Level 0 is the finest. */
typedef struct {
  Mat           A;
  Aggregates    aggregates;    /* this and the following members are unset on the coarsest level */
  Interpolation interpolation; /* from the next coarser level */
  PetscBool     unused;        /* a rank has unused unknowns of the next level */
} Level;

typedef struct {
  PetscInt         aggregate; /* vertices of an aggregate */
  PetscInt         coarse;    /* largest number of unknowns of the coarsest level */
  PetscInt         num, num_modes;
  Level            level[LEVELS_MAX];
  Mapping         *mapping; /* new ranks of the vertices; NULL: the matrix is not redistributed */
  Redistribution  *moved;   /* the redistributed matrix; NULL: the caller's matrix is used */
  PetscBool       *fixed;   /* [owned rows of the caller's matrix] rows of fixed unknowns when the hierarchy was created */
  PetscObjectId    matrix;  /* id of the matrix object that gave the finest level its pattern */
  PetscObjectState pattern;
  PetscBool        outdated; /* interpolations and coarse matrices belong to an earlier pattern of the finest level */
} Hierarchy;

/*
  Creates the levels of A, at least two, until the coarsest one is small enough. On entry h has only `aggregate` and `coarse`. Collective.
*/
PETSC_INTERN PetscErrorCode HierarchyCreate(Mat A, Hierarchy *h);
/* Frees all levels; `aggregate` and `coarse` stay. */
PETSC_INTERN PetscErrorCode HierarchyDestroy(Hierarchy *h);
/*
  Updates all levels from A: matrices and, for a new pattern, interpolations. Numbers of unknowns stay. The old arrays are freed, so the
  caller must give its solvers the new matrices. Collective.
*/
PETSC_INTERN PetscErrorCode HierarchyUpdate(Mat A, Hierarchy *h);
/* Updates matrix and aggregates of the finest level only. Its solver needs the new matrix, too. Collective. */
PETSC_INTERN PetscErrorCode HierarchyUpdateFinest(Mat A, Hierarchy *h);
