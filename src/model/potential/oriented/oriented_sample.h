/* A pair of quadrature points ("samples"), one on each of two elements: pure functions. */
#pragma once
#include "orientedimpl.h"

/* An element. */
typedef struct {
  PetscReal unit[3], size; /* its normal: direction and length, that of an edge or twice the area of a face */
  PetscReal sign;          /* +1 if differences point away from it, -1 if towards it */
  PetscReal rest;          /* size at rest, which weights it; 0: `size` does */
  PetscBool oriented;      /* has an inner and an outer side */
} AbutOrientedSide;

/*
  Weights of both sides times their angle factors times the far part of the barrier, at the difference d; 0 if inactive. dist: |d| if
  active.
*/
PETSC_INTERN PetscReal AbutOrientedSampleValue(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPair *pair,
                                               const AbutOrientedSide side[2], const PetscReal d[], PetscReal *dist);
/* Derivatives of the logarithm of a value that is not 0 over d and both normals; blocks H[p][q] only for p <= q; H may be NULL. */
PETSC_INTERN void AbutOrientedSampleLog(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPair *pair,
                                        const AbutOrientedSide side[2], const PetscReal d[], PetscReal g[3][3], PetscReal H[3][3][3][3]);
