/*
  Division of a graph by vertex separators. Graphs are CSR without diagonal: neighbours of vertex v are adj[ptr[v]], ...,
  adj[ptr[v + 1] - 1].
*/
#pragma once
#include <abut/containers.h>
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
  Parts and separators of a graph in postorder: a separator follows the two halves that it divides. The height of a part is 0, that of a
  separator one more than the largest height in its halves. A tree is {0} at first.
*/
typedef struct {
  AbutInts order;        /* vertices, one part or separator after the other */
  AbutInts size, height; /* of each part and separator: number of vertices, height */
  PetscInt levels;       /* largest height */
} SeparatorTree;

/* Divides a graph recursively until each part has at most 200 vertices or no couplings. Not collective, as all functions below. */
PETSC_INTERN PetscErrorCode SeparatorTreeFind(PetscInt n, const PetscInt ptr[], const PetscInt adj[], SeparatorTree *tree);
PETSC_INTERN PetscErrorCode SeparatorTreeDestroy(SeparatorTree *tree);
/* Appends the tree of a half of the graph; vertex: see Subgraph. */
PETSC_INTERN PetscErrorCode SeparatorTreeAppend(const PetscInt vertex[], const SeparatorTree *half, SeparatorTree *tree);
/* Appends the separator of both halves if it has vertices; part: [n] of SeparatorFind(). */
PETSC_INTERN PetscErrorCode SeparatorTreeAppendSeparator(PetscInt n, const PetscInt part[], SeparatorTree *tree);
/* height: [n] of the part or separator of each vertex. */
PETSC_INTERN void SeparatorTreeGetHeights(const SeparatorTree *tree, PetscInt height[]);
