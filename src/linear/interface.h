/*
  The interface of a matrix spread over ranks: vertices (block rows) such that no two others of different ranks are coupled. Every rank has its
  interior, and its part of the interface: the vertices of it that it owns or couples to.
*/
#pragma once
#include "fronts.h"

typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank, size;
  PetscInt    bs, num_owned;
  PetscInt    total;        /* vertices of the interface, over all ranks */
  PetscInt    num_interior; /* here */
  PetscInt   *interior;     /* [num_interior] owned vertices */
  PetscInt    num_part;     /* this rank's part of the interface */
  PetscInt   *part;         /* [num_part] which of all, ascending */
  PetscInt   *part_vertex;  /* [num_part] the owned vertex, -1 = another rank's */
  PetscInt   *number[2];    /* of owned and of ghost columns: interior first, then the part; -1 = a ghost that is not of the interface */
} Interface;

/* Not for matrices of one rank. Collective. */
PETSC_INTERN PetscErrorCode InterfaceCreate(Mat A, Interface **interface);
PETSC_INTERN PetscErrorCode InterfaceDestroy(Interface **interface);
/* Rows of a matrix of the same pattern, columns numbered as above: those owned here, those of others. */
PETSC_INTERN PetscErrorCode InterfaceGetRows(const Interface *interface, Mat A, FrontRows rows[2]);
PETSC_INTERN PetscErrorCode InterfaceRestoreRows(Mat A, FrontRows rows[2]);
