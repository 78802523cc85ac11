/* Separators of a graph by the ranks of a communicator together. */
#pragma once
#include "rankgroup.h"
#include "separators.h"

/*
  Separators of a graph that the first rank has (CSR without diagonal), by the first `num` ranks; height and levels on the first rank as by
  AbutOrderingHeights(). The result depends on num. comm: of a PETSc object. Collective.
*/
PETSC_INTERN PetscErrorCode DissectionHeights(MPI_Comm comm, PetscMPIInt num, PetscInt n, const PetscInt ptr[], const PetscInt adj[],
                                              PetscInt height[], PetscInt *levels);

/* Messages of graphs. The caller destroys a graph that it receives. */
PETSC_INTERN PetscErrorCode DissectionSendGraph(MPI_Comm comm, PetscMPIInt to, PetscMPIInt tag, const Subgraph *g);
PETSC_INTERN PetscErrorCode DissectionReceiveGraph(MPI_Comm comm, PetscMPIInt from, PetscMPIInt tag, Subgraph *g);
