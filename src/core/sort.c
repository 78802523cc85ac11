/* Radix sort of short integer keys. */
#include <abut/core.h>

#define DIGIT_BITS 11
#define DIGITS     (1 << DIGIT_BITS)

void AbutSortKeys(PetscInt count, const PetscInt (*key)[ABUT_KEY_LENGTH], PetscInt perm[], PetscInt work[])
{
  PetscInt *from = perm, *to = work;

  for (PetscInt i = 0; i < count; i++) perm[i] = i;
  for (int column = ABUT_KEY_LENGTH - 1; column >= 0; column--) {
    PetscInt largest = 0;
    for (PetscInt i = 0; i < count; i++) largest = PetscMax(largest, key[i][column]);
    for (int shift = 0; shift < 8 * (int)sizeof(PetscInt) - 1 && largest >> shift; shift += DIGIT_BITS) {
      PetscInt start[DIGITS] = {0}, sum = 0, *swap;
      for (PetscInt i = 0; i < count; i++) start[(key[i][column] >> shift) & (DIGITS - 1)]++;
      for (int d = 0; d < DIGITS; d++) {
        const PetscInt here = start[d];
        start[d]            = sum;
        sum += here;
      }
      for (PetscInt i = 0; i < count; i++) to[start[(key[from[i]][column] >> shift) & (DIGITS - 1)]++] = from[i];
      swap = from;
      from = to;
      to   = swap;
    }
  }
  if (from != perm) {
    for (PetscInt i = 0; i < count; i++) perm[i] = from[i];
  }
}
