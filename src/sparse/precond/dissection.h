/* Separators of a graph, for which the ranks of a communicator work together. */
#pragma once
#include "rankgroup.h"
#include "separators.h"

/*
  Finds the separators of a graph on the first rank (CSR without diagonal). The first `num` ranks share the work and order the vertices of
  parts as QuotientOrderParts() does. tree: {0} on entry; set on the first rank. The result depends on num. comm: of a PETSc object.
  Collective.
*/
PETSC_INTERN PetscErrorCode DissectionFind(MPI_Comm comm, PetscMPIInt num, PetscInt n, const PetscInt ptr[], const PetscInt adj[],
                                           SeparatorTree *tree);

/* Messages of graphs and trees. The caller destroys received ones. */
PETSC_INTERN PetscErrorCode DissectionSendGraph(MPI_Comm comm, PetscMPIInt to, PetscMPIInt tag, const Subgraph *g);
PETSC_INTERN PetscErrorCode DissectionReceiveGraph(MPI_Comm comm, PetscMPIInt from, PetscMPIInt tag, Subgraph *g);
PETSC_INTERN PetscErrorCode DissectionSendTree(MPI_Comm comm, PetscMPIInt to, PetscMPIInt tag, const SeparatorTree *tree);
PETSC_INTERN PetscErrorCode DissectionReceiveTree(MPI_Comm comm, PetscMPIInt from, PetscMPIInt tag, SeparatorTree *tree);
