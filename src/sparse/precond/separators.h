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
  PetscInt *vertex; /* [n] number of each vertex in the whole graph; not set in a graph from another rank */
} Subgraph;

/*
  part: [n] 0 or 1 for the halves, 2 for the separator; a half may be empty. All vertices are in half 0 if the graph has at most `least`
  vertices or no couplings. Not collective.
*/
PETSC_INTERN PetscErrorCode SeparatorFind(PetscInt least, PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt part[]);
/* The subgraph of one part; number: [n] work array. The caller destroys it. Not collective. */
PETSC_INTERN PetscErrorCode SubgraphCreate(PetscInt n, const PetscInt ptr[], const PetscInt adj[], const PetscInt part[], PetscInt which,
                                           PetscInt number[], Subgraph *g);
PETSC_INTERN PetscErrorCode SubgraphDestroy(Subgraph *g);

/*
  Parts and separators of a graph in postorder: a separator follows the two halves that it divides. Parts have height 0, a separator one
  more than the largest height in its halves. An empty tree is {0}.
*/
typedef struct {
  AbutInts order;        /* vertices of the parts and separators, one after the other */
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
/* height: [n] for each vertex the height of its part or separator. */
PETSC_INTERN void SeparatorTreeGetHeights(const SeparatorTree *tree, PetscInt height[]);
