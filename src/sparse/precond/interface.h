/*
  Interior and separators of a distributed matrix. A vertex is a block row. For each node of the tree of ranks, a set of vertices of the
  node's ranks separates the two children; the separators of all nodes together are the interface. The other vertices of a rank are its
  interior; interiors of different ranks are not coupled. The border of a rank consists of the separator vertices that its interior is
  coupled to.
*/
#pragma once
#include "fronts.h"
#include "ranktree.h"

typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank, size;
  RankTree   *tree;
  PetscInt    bs, num_owned, num_ghosts;
  PetscInt
          *first; /* [max_depth + 1] first separator number of each depth; first[max_depth] = 0, because numbers are in elimination order */
  PetscInt total; /* number of separator vertices of all ranks */
  PetscInt *separator[2]; /* separator number of each owned [0] and ghost [1] block column; -1 = interior */
  PetscInt  num_interior; /* number of interior vertices of this rank */
  PetscInt *interior;     /* [num_interior] local index of each interior vertex, in elimination order */
  PetscInt  num_border;   /* number of border vertices of this rank */
  PetscInt *border;       /* [num_border] separator numbers, ascending */
  PetscInt
    *number[2]; /* local number of each owned [0] and ghost [1] block column: interior vertices first, then the border; -1 = neither */
} Interface;

/*
  Chooses the separators of a matrix of type MPIAIJ, that is, on at least two ranks. leaf: [size] see RankTree. mapped: [owned vertices *
  2] depth of the separator that contains a vertex (at least the depth of the tree: interior), and its position in an elimination order.
  old: a tree to be reused, or NULL. Collective.
*/
PETSC_INTERN PetscErrorCode InterfaceCreate(Mat A, const PetscInt64 leaf[], const PetscInt mapped[], RankTree *old, Interface **interface);
PETSC_INTERN PetscErrorCode InterfaceDestroy(Interface **interface);
/* Depth of the node that a separator number belongs to. */
PETSC_INTERN PetscInt InterfaceDepthOf(const Interface *interface, PetscInt separator);
/*
  Rows of a matrix with the pattern that the interface was created from: owned columns in rows[0], ghost columns in rows[1]. The vertex
  numbers belong to the interface.
*/
PETSC_INTERN PetscErrorCode InterfaceGetRows(const Interface *interface, Mat A, FrontRows rows[2]);
PETSC_INTERN PetscErrorCode InterfaceRestoreRows(Mat A, FrontRows rows[2]);
