/* Range of numbers in single precision. Not collective. */
#pragma once
#include <petscsys.h>

/*
  Makes the processor treat numbers below the normal range of float as zero until RangeEnd(); returns its mode before. Entries of L and of
  solutions decay with the distance in the mesh, and processors are slow with denormal numbers.
*/
PETSC_INTERN unsigned RangeBegin(void);
PETSC_INTERN void     RangeEnd(unsigned mode);
/* Largest absolute value of a vector. */
PETSC_INTERN PetscReal RangeSize(PetscInt n, const PetscScalar b[]);
/* Exponent e of the smallest power of two above `size`: a vector of this size, times 2^-e, is in the range of float. */
PETSC_INTERN int RangeExponent(PetscReal size);
