/*
  Sends matrix entries to the fronts of separators. A row of the matrix belongs to one rank. By symmetry it is a column of a front, and
  another rank stores this column.
*/
#pragma once
#include "nested.h"
#include <abut/containers.h>

typedef struct {
  AbutExchange exchange; /* a record is the bs x bs entries of a pair of vertices, column by column of the front */
  PetscInt     num_sent, num_received;
  PetscInt    *source;          /* [num_sent * 3] part of the matrix, index of the first entry in its values, stride between scalar rows */
  PetscInt    *place;           /* [num_received * 3] depth of the front; column and row in it */
  void        *sent, *received; /* PetscScalar or float; NULL before the first factorisation */
} Entries;

/* Lists the entries of separator rows and their places. Collective. */
PETSC_INTERN PetscErrorCode EntriesCreate(const Interface *interface, Mat A, const NestedPath *path, Entries *entries);
PETSC_INTERN PetscErrorCode EntriesDestroy(Entries *entries);
/* Frees the arrays of numbers. Not collective. */
PETSC_INTERN PetscErrorCode EntriesRelease(Entries *entries);
/* The front of a path at a depth; NULL if there is none. */
PETSC_INTERN Nested *NestedAt(NestedPath *path, PetscInt depth);
