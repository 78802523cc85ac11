/* Range of numbers in single precision: mode of the processor for small numbers, scale of vectors. */
#include "range.h"
#include <math.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

unsigned RangeBegin(void)
{
#if defined(__SSE__)
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040); /* flush to zero, denormals are zero */
  return mode;
#else
  return 0;
#endif
}

void RangeEnd(unsigned mode)
{
#if defined(__SSE__)
  _mm_setcsr(mode);
#else
  (void)mode;
#endif
}

PetscReal RangeSize(PetscInt n, const PetscScalar b[])
{
  PetscReal size = 0;

  for (PetscInt i = 0; i < n; i++) size = PetscMax(size, PetscAbsScalar(b[i]));
  return size;
}

int RangeExponent(PetscReal size)
{
  int exponent;

  (void)frexp(size, &exponent);
  return exponent;
}
