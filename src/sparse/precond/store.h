/*
  Memory for the numbers of a factorisation, apart from the heap of malloc(), which stays when the pattern of the matrix changes: a new
  factor is mostly about as large as the old one. On the heap, other arrays would take parts of the old factor's place before the new
  factor is allocated; the heap, which malloc() may not shrink, would then grow by a whole factor.
*/
#pragma once
#include <petscsys.h>

/* Zero: empty. */
typedef struct {
  char  *begin;
  size_t capacity, used; /* bytes */
} Store;

/* Empties the store and reserves room for `bytes`, the sum of StoreBytes() of all its arrays. Not collective, as all functions below. */
PETSC_INTERN PetscErrorCode StoreReserve(Store *store, size_t bytes);
/* Room that an array of `bytes` takes. */
PETSC_INTERN size_t StoreBytes(size_t bytes);
/*
  Takes the next array, aligned for vector instructions; NULL if `bytes` is 0. Its entries are undefined. Fails beyond the reserved room.
*/
PETSC_INTERN PetscErrorCode StoreTake(Store *store, size_t bytes, void **array);
/* Returns the memory to the system. */
PETSC_INTERN PetscErrorCode StoreDestroy(Store *store);
