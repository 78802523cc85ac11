/* Predicted work and memory of the direct solver and of multigrid. The rule and where its constants come from: docs/linear_solvers.md. */
#pragma once
#include <abut/precond.h>

/* Counts of a matrix, equal on all ranks. */
typedef struct {
  PetscReal        entries; /* matrix entries of the fullest rank */
  PetscReal        graph;   /* entries of the vertex graph of all ranks */
  PetscBool        single;  /* factors are in single precision */
  AbutFactorCounts factor;  /* of the symbolic factorisation; zeros = none was made */
} CostCounts;

/*
  Work of a Newton iteration on the busiest rank, in products with a matrix entry. Without a symbolic factorisation CostOfDirect() is the
  work of the analysis alone. Not collective.
*/
PETSC_INTERN PetscReal CostOfDirect(const CostCounts *counts);
PETSC_INTERN PetscReal CostOfMultigrid(const CostCounts *counts);
/* Memory of the direct solver on the fullest rank; without a symbolic factorisation, of the analysis alone. Not collective. */
PETSC_INTERN PetscReal CostBytes(const CostCounts *counts);
/* Whether multigrid is cheaper than the direct solver; if this is in use (serves), by a tenth at least. Not collective. */
PETSC_INTERN PetscBool CostPrefersMultigrid(const CostCounts *counts, PetscBool serves);
