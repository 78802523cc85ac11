/* Moves a matrix and its vectors to the distribution of a mapping. */
#pragma once
#include "mapping.h"
#include <abut/containers.h>

typedef struct {
  PetscInt bs, num_old, num_new; /* vertices that this rank owns before and after */
  PetscInt num_stay, stay_sent,
    stay_new;            /* vertices that stay on this rank: their number, their first position in `order`, and among the new vertices */
  AbutExchange vertices; /* a record per vertex */
  PetscInt    *order;    /* [num_old] vertices sorted by receiver */
  AbutExchange blocks;   /* a record per bs x bs block of the matrix that another rank gets */
  PetscInt    *place; /* [new blocks * 2] offset in values[0], or -1 - offset in values[1]; length of the row. Received blocks come first */
  PetscScalar *message;       /* [num_old * bs] a vector in the order of the messages */
  PetscInt    *mapped;        /* [num_new * 2] depth in the mapping and position in its elimination order, for each vertex */
  Mat          B;             /* the moved matrix */
  PetscInt    *ia[2], *ja[2]; /* rows of its sequential parts: columns of this rank, columns of other ranks */
  PetscScalar *values[2];     /* [ia[bs * num_new]] */
} Redistribution;

/* Owned vertices of A, of type MPIAIJ, and their copies among the ghost columns of other ranks. Collective. */
PETSC_INTERN PetscErrorCode RedistributionGhosts(Mat A, PetscSF *sf);

/* Sets up the movement for the pattern of A, of type MPIAIJ; r->B gets its values by RedistributionUpdate(). Collective. */
PETSC_INTERN PetscErrorCode RedistributionCreate(Mat A, const Mapping *mapping, Redistribution **redistribution);
PETSC_INTERN PetscErrorCode RedistributionDestroy(Redistribution **redistribution);
/* Moves the values of A to r->B. Collective. */
PETSC_INTERN PetscErrorCode RedistributionUpdate(Redistribution *r, Mat A);
/* Moves a vector [num_old * bs] to the new owners [num_new * bs], and back. Collective. */
PETSC_INTERN PetscErrorCode RedistributionForward(Redistribution *r, const PetscScalar old[], PetscScalar new[]);
PETSC_INTERN PetscErrorCode RedistributionReverse(Redistribution *r, const PetscScalar new[], PetscScalar old[]);
