/*
  Assignment of the vertices of a matrix to a binary tree of ranks: a nested dissection of the whole vertex graph, whose subtrees are given
  to ranks in proportion to their work [Pothen and Sun 1993]. It is independent of the distribution of the matrix.
*/
#pragma once
#include <petscmat.h>

#define MAPPING_INTERIOR PETSC_MAX_INT /* depth of a vertex that is in no separator */

typedef struct {
  PetscInt64 *leaf;  /* [size] node of each rank in the tree; see RankTree */
  PetscInt   *rank;  /* [owned vertices] rank that eliminates the vertex, or one of the ranks */
  PetscInt   *depth; /* [owned vertices] depth of the node whose separator contains the vertex, or MAPPING_INTERIOR */
  PetscInt   *order; /* [owned vertices] position of the vertex in the elimination order of the whole graph */
  PetscReal   path;  /* operations one after the other for the pattern of the mapping; set by the user of the mapping */
} Mapping;

/* Gathers the vertex graph on the first rank and divides it. Collective. */
PETSC_INTERN PetscErrorCode MappingCreate(Mat A, Mapping **mapping);
PETSC_INTERN PetscErrorCode MappingDestroy(Mapping **mapping);
