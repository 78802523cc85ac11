/*
  Division of a graph by vertex separators. Graphs are CSR without diagonal: neighbours of vertex v are adj[ptr[v]], ...,
  adj[ptr[v + 1] - 1].
*/
#pragma once
#include <petscsys.h>

/* A part of a graph. */
typedef struct {
  PetscInt  n;
  PetscInt *ptr, *adj;
  PetscInt *vertex; /* [n] number in the graph that this is a part of; not set in a graph from another rank */
} Subgraph;

/*
  part: [n] 0 or 1 = half, 2 = separator; a half may be empty. A graph of at most `least` vertices, or without couplings, becomes half 0.
  Not collective.
*/
PETSC_INTERN PetscErrorCode SeparatorFind(PetscInt least, PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt part[]);
/* The subgraph of one part; number: [n] work array. The caller destroys it. Not collective. */
PETSC_INTERN PetscErrorCode SubgraphCreate(PetscInt n, const PetscInt ptr[], const PetscInt adj[], const PetscInt part[], PetscInt which,
                                           PetscInt number[], Subgraph *g);
PETSC_INTERN PetscErrorCode SubgraphDestroy(Subgraph *g);
/*
  Divides a graph recursively until each part has at most `least` vertices. height, levels: see AbutOrderingHeights(). Not collective.
*/
PETSC_INTERN PetscErrorCode SeparatorHeights(PetscInt least, PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt height[],
                                             PetscInt *levels);
/* Heights of a separator above two halves: height: [n] set where part[] is 2; below: levels of the halves. Not collective. */
PETSC_INTERN void SeparatorSetHeight(PetscInt n, const PetscInt part[], const PetscInt below[2], PetscInt height[], PetscInt *levels);
