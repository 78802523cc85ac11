/* Fill-reducing ordering of a graph by the ranks of a communicator together. */
#pragma once
#include <petscsys.h>

/*
  Nested dissection of a graph that the first rank has (CSR without diagonal), by the first `num` ranks. order: [n] on the first rank,
  order[k] is the vertex eliminated as number k. The result depends on num. comm: of a PETSc object. Collective.
*/
PETSC_INTERN PetscErrorCode DissectionOrder(MPI_Comm comm, PetscMPIInt num, PetscInt n, const PetscInt ptr[], const PetscInt adj[],
                                            PetscInt order[]);
