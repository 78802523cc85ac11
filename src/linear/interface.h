/*
  Interface of a distributed matrix: a set of vertices (block rows) that separates the ranks. The other vertices of a rank are its interior;
  interiors of different ranks are not coupled. The interface part of a rank consists of the interface vertices that the rank owns or that
  its interior is coupled to.
*/
#pragma once
#include "fronts.h"

typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank, size;
  PetscInt    bs, num_owned;
  PetscInt    total;        /* number of interface vertices of all ranks */
  PetscInt    num_interior; /* number of interior vertices of this rank */
  PetscInt   *interior;     /* [num_interior] local index of each interior vertex */
  PetscInt    num_part;     /* number of vertices of the interface part of this rank */
  PetscInt   *part;         /* [num_part] global interface number, ascending */
  PetscInt   *part_vertex;  /* [num_part] local index of the vertex, -1 = owned by another rank */
  PetscInt   *number[2];    /* local number of each owned [0] and ghost [1] block column: interior first, then part; -1 = neither */
} Interface;

/* Chooses the interface of a matrix of type MPIAIJ, that is, on at least two ranks. Collective. */
PETSC_INTERN PetscErrorCode InterfaceCreate(Mat A, Interface **interface);
PETSC_INTERN PetscErrorCode InterfaceDestroy(Interface **interface);
/*
  Rows of a matrix that has the pattern of the interface's matrix: owned columns in rows[0], ghost columns in rows[1]. The vertex numbers
  are borrowed from the interface.
*/
PETSC_INTERN PetscErrorCode InterfaceGetRows(const Interface *interface, Mat A, FrontRows rows[2]);
PETSC_INTERN PetscErrorCode InterfaceRestoreRows(Mat A, FrontRows rows[2]);
