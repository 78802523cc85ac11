/*
  Aggregates of strongly coupled vertices of one rank, and the interpolation of coarse unknowns that they define. A vertex is a block of
  unknowns of a matrix with uniform dense blocks.
*/
#pragma once
#include <petscpc.h>

typedef struct {
  PetscInt  n;   /* owned vertices */
  PetscInt  num; /* aggregates; none is empty */
  PetscInt *of;  /* [n] aggregate of each vertex */
} Aggregates;

/* Divides the owned vertices into aggregates of about `size` vertices, so that couplings between aggregates are weak. Not collective. */
PETSC_INTERN PetscErrorCode AggregatesCreate(Mat A, PetscInt size, Aggregates *aggregates);
/*
  Adapts aggregates to new couplings: a vertex moves to another aggregate if it is coupled more than twice as strongly there. Every
  aggregate keeps a vertex with couplings and gets at most twice `size` of them. Not collective.
*/
PETSC_INTERN PetscErrorCode AggregatesRepair(Mat A, PetscInt size, Aggregates *aggregates);
PETSC_INTERN PetscErrorCode AggregatesDestroy(Aggregates *aggregates);

/* Interpolation from the unknowns of aggregates. */
typedef struct {
  Mat          P;                   /* orthonormal columns, `num_modes` for each aggregate */
  PetscScalar *modes;               /* [num_modes][columns of this rank] the modes, expressed in coarse unknowns */
  PetscInt     num_unused, *unused; /* columns of this rank that are 0, because their aggregate has fewer rows than modes or no modes */
} Interpolation;

/* The interpolation of A's vertices whose range contains the given modes, [num_modes][owned rows]. Collective. */
PETSC_INTERN PetscErrorCode InterpolationCreate(Mat A, const Aggregates *aggregates, PetscInt num_modes, const PetscScalar modes[],
                                                Interpolation *interpolation);
PETSC_INTERN PetscErrorCode InterpolationDestroy(Interpolation *interpolation);

/* The preconditioner "abut-aggregates", block Jacobi: solves exactly on each aggregate and ignores the couplings between aggregates. */
PETSC_INTERN PetscErrorCode AggregatesSetSmoother(PC pc, const Aggregates *aggregates);
/* Whether the last factorisation of all aggregates of this rank succeeded; true before the first. Not collective. */
PETSC_INTERN PetscBool AggregatesSmootherIsDefinite(PC pc);
