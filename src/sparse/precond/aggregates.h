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
  Adapts aggregates to new couplings: a vertex moves to another aggregate if its couplings there are more than twice those to its own. No
  aggregate loses its last vertex with couplings, or gets more than twice `size` of them. Not collective.
*/
PETSC_INTERN PetscErrorCode AggregatesRepair(Mat A, PetscInt size, Aggregates *aggregates);
PETSC_INTERN PetscErrorCode AggregatesDestroy(Aggregates *aggregates);

/* Interpolation from the unknowns of aggregates. */
typedef struct {
  Mat          P;                   /* orthonormal columns, `num_modes` for each aggregate */
  PetscScalar *modes;               /* [num_modes][columns of this rank] the modes in coarse unknowns */
  PetscInt     num_unused, *unused; /* columns of this rank that are 0: of aggregates with fewer rows than modes or without modes */
} Interpolation;

/* The interpolation of A's vertices whose range contains the given modes, [num_modes][owned rows]. Collective. */
PETSC_INTERN PetscErrorCode InterpolationCreate(Mat A, const Aggregates *aggregates, PetscInt num_modes, const PetscScalar modes[],
                                                Interpolation *interpolation);
PETSC_INTERN PetscErrorCode InterpolationDestroy(Interpolation *interpolation);

/* The preconditioner "abut-aggregates": exact solutions on aggregates, without the couplings between them (block Jacobi). */
PETSC_INTERN PetscErrorCode AggregatesSetSmoother(PC pc, const Aggregates *aggregates);
/* Whether the last factorisation of all aggregates of this rank succeeded; true before the first. Not collective. */
PETSC_INTERN PetscBool AggregatesSmootherIsDefinite(PC pc);
