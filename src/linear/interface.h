/*
  Interface of a distributed matrix: a set of vertices (block rows) that separates the ranks, so that no two other vertices of different
  ranks are coupled. The other vertices of a rank are its interior. The part of the interface at a rank are the interface vertices that
  the rank owns or that its interior is coupled to.
*/
#pragma once
#include "fronts.h"

typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank, size;
  PetscInt    bs, num_owned;
  PetscInt    total;        /* interface vertices of all ranks */
  PetscInt    num_interior; /* interior vertices of this rank */
  PetscInt   *interior;     /* [num_interior] local index of each interior vertex */
  PetscInt    num_part;     /* vertices of the interface part of this rank */
  PetscInt   *part;         /* [num_part] global interface number, ascending */
  PetscInt   *part_vertex;  /* [num_part] local index of the vertex, -1 = owned by another rank */
  PetscInt   *number[2];    /* local number of owned [0] and ghost [1] block columns: interior, then part; -1 = not in the interface */
} Interface;

/* Chooses the interface of a matrix of type MPIAIJ, that is, on at least two ranks. Collective. */
PETSC_INTERN PetscErrorCode InterfaceCreate(Mat A, Interface **interface);
PETSC_INTERN PetscErrorCode InterfaceDestroy(Interface **interface);
/*
  Rows of a matrix with the pattern of the interface: owned columns in rows[0], ghost columns in rows[1]; number[] is borrowed from the
  interface.
*/
PETSC_INTERN PetscErrorCode InterfaceGetRows(const Interface *interface, Mat A, FrontRows rows[2]);
PETSC_INTERN PetscErrorCode InterfaceRestoreRows(Mat A, FrontRows rows[2]);
