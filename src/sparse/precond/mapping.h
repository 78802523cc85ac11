/* Assignment of the vertices of a matrix to ranks, independent of the distribution of the matrix. */
#pragma once
#include <petscmat.h>

#define MAPPING_INTERIOR PETSC_MAX_INT /* depth of a vertex that is in no separator */

typedef struct {
  PetscInt *rank; /* [owned vertices] new rank of each vertex; for a separator vertex one of the ranks that eliminate it */
  PetscInt64
    *leaf; /* [size] node of each rank in the tree, see RankTree; this and the following arrays are NULL unless MappingCreate() made them */
  PetscInt *depth; /* [owned vertices] depth of the node whose separator contains the vertex, or MAPPING_INTERIOR */
  PetscInt *order; /* [owned vertices] position of the vertex in the elimination order of the whole graph */
  PetscReal path;  /* operations that must follow each other in a factorisation, for the pattern of the mapping; set by the caller */
} Mapping;

/*
  Binary tree of ranks: an elimination tree of the whole vertex graph, whose subtrees are given to ranks in proportion to their work
  [Pothen and Sun 1993]. Gathers the vertex graph on the first rank; all ranks find separators, the first two order and divide it. With
  fewer than `least` unknowns a rank only the first ranks get vertices. Collective.
*/
PETSC_INTERN PetscErrorCode MappingCreate(Mat A, PetscInt least, Mapping **mapping);

/*
  Divides a matrix of type MPIAIJ into parts of equal numbers of vertices with weak couplings between parts. Each rank gets one part; but
  no part has fewer than about `smallest` vertices, so that some ranks may get none. Vertices stay on their ranks where possible. *mapping
  is NULL if the distribution of the matrix is as good. Collective.
*/
PETSC_INTERN PetscErrorCode MappingCreateParts(Mat A, PetscInt smallest, Mapping **mapping);
PETSC_INTERN PetscErrorCode MappingDestroy(Mapping **mapping);

/*
  Vertex graph of the owned rows of A, of type MPIAIJ, with global numbers and without the diagonal. The caller frees length, the number of
  neighbours of each vertex, and adj together by PetscFree2(). Not collective.
*/
PETSC_INTERN PetscErrorCode MappingGetGraph(Mat A, PetscInt *num, PetscInt **length, PetscInt **adj);
/* Concatenates the integers of all ranks on the first rank. counts, starts: [size], set there. all: freed by the caller. Collective. */
PETSC_INTERN PetscErrorCode MappingGather(MPI_Comm comm, PetscInt n, const PetscInt values[], PetscMPIInt counts[], PetscMPIInt starts[],
                                          PetscInt **all);
