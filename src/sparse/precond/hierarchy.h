/*
  The levels of multigrid by aggregates: matrices, aggregates and interpolations, without solvers.

  Each level divides the vertices of each rank into aggregates of about `aggregate` vertices, such that couplings between aggregates are
  weak; stiff contacts lie within aggregates where possible. On several ranks the matrix first moves to parts with weak couplings between
  them, unless its distribution is as good. The unknowns of the next level are the rigid-body modes of the aggregates (unsmoothed
  aggregation).

  A matrix with another pattern, as when contacts come and go, keeps parts and aggregates. Only vertices whose couplings to another
  aggregate have become stronger move to that aggregate.
*/
#pragma once
#include "aggregates.h"
#include "redistribution.h"

#define LEVELS_MAX 12

/* A level and its interpolation from the next coarser one. Level 0 is the finest. */
typedef struct {
  Mat           A;
  Aggregates    aggregates;    /* this and all that follows: not on the coarsest level */
  Interpolation interpolation; /* from the next coarser level */
  PetscBool     unused;        /* a rank has unused unknowns of the next level */
} Level;

typedef struct {
  PetscInt         aggregate; /* vertices of an aggregate */
  PetscInt         coarse;    /* largest number of unknowns of the coarsest level */
  PetscInt         num, num_modes;
  Level            level[LEVELS_MAX];
  Mapping         *mapping; /* new ranks of the vertices; NULL: the matrix does not move */
  Redistribution  *moved;   /* the matrix with the distribution of the hierarchy; NULL: the one of the caller */
  PetscBool       *fixed;   /* [owned rows of the caller's matrix] fixed unknowns at the creation of the hierarchy */
  PetscObjectId    matrix;  /* id of the matrix whose pattern the finest level has */
  PetscObjectState pattern;
  PetscBool        outdated; /* interpolations and coarse matrices belong to an earlier pattern than the finest level */
} Hierarchy;

/* Levels of A, at least two, until the coarsest one is small enough. h has none, but `aggregate` and `coarse`. Collective. */
PETSC_INTERN PetscErrorCode HierarchyCreate(Mat A, Hierarchy *h);
/* Frees all levels; `aggregate` and `coarse` stay. */
PETSC_INTERN PetscErrorCode HierarchyDestroy(Hierarchy *h);
/*
  Matrices and, for another pattern, interpolations of all levels from A. Numbers of unknowns stay. The caller must give its solvers the new
  matrices before it uses them: arrays of the earlier ones are freed. Collective.
*/
PETSC_INTERN PetscErrorCode HierarchyUpdate(Mat A, Hierarchy *h);
/* Matrix and aggregates of the finest level from A; the others stay. Its solver needs the new matrix, as above. Collective. */
PETSC_INTERN PetscErrorCode HierarchyUpdateFinest(Mat A, Hierarchy *h);
