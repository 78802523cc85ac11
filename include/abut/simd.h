/**
  @file simd.h
  @brief SIMD vectors of reals, by the vector extension of GCC and Clang, with one number for each of ABUT_SIMD_WIDTH problems of one kind.

  A comparison of vectors gives a mask: in each element either all bits are set or none. Functions receive vectors by pointer, because the
  calling convention of vector arguments depends on -march. Code that calls functions with vectors must be compiled with the library's
  architecture flags.
**/
#pragma once
#include <petscsys.h>
#include <stdint.h>

/** Number of reals in a vector: the doubles in one SIMD register of the target (`-march`). */
#if defined(ABUT_SIMD_WIDTH)
#elif defined(__AVX512F__)
#define ABUT_SIMD_WIDTH 8
#elif defined(__AVX__)
#define ABUT_SIMD_WIDTH 4
#else
#define ABUT_SIMD_WIDTH 2
#endif

/** A vector; x[l] is element l. */
typedef PetscReal AbutSimd __attribute__((vector_size(ABUT_SIMD_WIDTH * sizeof(PetscReal)), may_alias));

/** A vector in an array of reals, at any element. */
typedef PetscReal AbutSimdUnaligned
  __attribute__((vector_size(ABUT_SIMD_WIDTH * sizeof(PetscReal)), aligned(sizeof(PetscReal)), may_alias));

/** Result of a comparison of two vectors. */
typedef int64_t AbutSimdMask __attribute__((vector_size(ABUT_SIMD_WIDTH * sizeof(int64_t))));

/** Element by element: a where the mask is set, else b. */
#define ABUT_SIMD_SELECT(mask, a, b) ((AbutSimd)(((AbutSimdMask)(a) & (mask)) | ((AbutSimdMask)(b) & ~(mask))))

/** Element by element: the absolute value. */
#define ABUT_SIMD_ABS(x) ABUT_SIMD_SELECT((x) < 0, -(x), (x))
/** Element by element: the smaller one of two numbers, b if one is NaN. */
#define ABUT_SIMD_MIN(a, b) ABUT_SIMD_SELECT((a) < (b), (a), (b))
/** Element by element: the larger one of two numbers, b if one is NaN. */
#define ABUT_SIMD_MAX(a, b) ABUT_SIMD_SELECT((a) > (b), (a), (b))

/** @brief Replaces each element by its square root. */
static inline void AbutSimdRoot(AbutSimd *x)
{
  for (int l = 0; l < ABUT_SIMD_WIDTH; l++) (*x)[l] = PetscSqrtReal((*x)[l]);
}

/** @brief Whether the mask is set in any element. */
static inline PetscBool AbutSimdAny(const AbutSimdMask *mask)
{
  int64_t any = 0;

  for (int l = 0; l < ABUT_SIMD_WIDTH; l++) any |= (*mask)[l];
  return (PetscBool)(any != 0);
}
