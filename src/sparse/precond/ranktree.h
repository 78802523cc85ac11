/*
  Binary tree of ranks. A leaf is one rank. A node is a group of ranks; its two children divide the group. The vertices that separate the
  two children are eliminated by the ranks of the group.
*/
#pragma once
#include <petscsys.h>

/*
  The root is node 1; the children of node i are 2 i and 2 i + 1. The depth of a node is its distance from the root. The path of this rank
  is the nodes from the root to the parent of its leaf.
*/
typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank, size;
  PetscInt64 *leaf;       /* [size] node of each rank */
  PetscInt    depth;      /* depth of this rank's leaf: number of nodes on the path of this rank */
  PetscInt    max_depth;  /* largest depth of a leaf */
  MPI_Comm   *group;      /* [depth] communicator of the node at each depth; its ranks are in the order of `comm` */
  PetscInt    references; /* number of users of this tree */
} RankTree;

/*
  Creates the groups of a tree. leaf: [size] node of each rank, equal on all ranks. old: a tree that is returned if it has the same
  leaves, or NULL. Collective.
*/
PETSC_INTERN PetscErrorCode RankTreeCreate(MPI_Comm comm, const PetscInt64 leaf[], RankTree *old, RankTree **tree);
/* Frees the tree if it has no other user. Collective. */
PETSC_INTERN PetscErrorCode RankTreeDestroy(RankTree **tree);
/* Depth of the smallest node that contains both ranks. */
PETSC_INTERN PetscInt RankTreeCommonDepth(const RankTree *tree, PetscMPIInt a, PetscMPIInt b);
