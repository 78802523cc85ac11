/*
  Triangular solutions with dense columns of L, for one type of numbers. Columns are read in strips of up to STRIP columns, because a call
  of the BLAS takes longer than the operations on so few columns. Each sum is formed from LANES partial sums, whichever instructions the
  compiler uses, so that results do not depend on the instruction set.

  A file that includes this one includes real_double.h or real_single.h before.
*/
#pragma once

#define STRIP      6  /* columns that are processed at once: two vertices in 3D */
#define LANE_BYTES 32 /* bytes of a vector: a register of AVX2 */
#define LANES      (LANE_BYTES / (PetscInt)sizeof(Real))
#define INLINE     static inline __attribute__((always_inline))

/* A vector of LANES numbers; it may lie anywhere in an array. */
typedef Real Lanes __attribute__((vector_size(LANE_BYTES), aligned(sizeof(Real)), may_alias));

/* Calls `function` with the number of columns of a strip as a compile-time constant, its first argument. */
#define BY_COLUMNS(columns, function, ...)   \
  do {                                       \
    switch (columns) {                       \
    case 0: break;                           \
    case 1: function(1, __VA_ARGS__); break; \
    case 2: function(2, __VA_ARGS__); break; \
    case 3: function(3, __VA_ARGS__); break; \
    case 4: function(4, __VA_ARGS__); break; \
    case 5: function(5, __VA_ARGS__); break; \
    default: function(STRIP, __VA_ARGS__);   \
    }                                        \
  } while (0)

/* to[rows] -= L from, for the given number of columns of L. */
INLINE void SubtractColumns(PetscInt columns, PetscInt rows, PetscInt ld, const Real L[], const Real from[], Real to[])
{
  PetscInt i = 0;

  for (; i + LANES <= rows; i += LANES) {
    Lanes sum = *(const Lanes *)(to + i);
    for (PetscInt j = 0; j < columns; j++) sum -= *(const Lanes *)(L + (size_t)j * (size_t)ld + i) * from[j];
    *(Lanes *)(to + i) = sum;
  }
  for (; i < rows; i++)
    for (PetscInt j = 0; j < columns; j++) to[i] -= L[(size_t)j * (size_t)ld + (size_t)i] * from[j];
}

/* to[columns] -= L^T from, for the given number of rows of L. */
INLINE void SubtractRows(PetscInt columns, PetscInt rows, PetscInt ld, const Real L[], const Real from[], Real to[])
{
  Lanes    sum[STRIP] = {0};
  PetscInt i          = 0;

  for (; i + LANES <= rows; i += LANES)
    for (PetscInt j = 0; j < columns; j++) sum[j] += *(const Lanes *)(L + (size_t)j * (size_t)ld + i) * *(const Lanes *)(from + i);
  for (PetscInt j = 0; j < columns; j++)
    for (PetscInt l = 0; l < LANES; l++) to[j] -= sum[j][l];
  for (; i < rows; i++)
    for (PetscInt j = 0; j < columns; j++) to[j] -= L[(size_t)j * (size_t)ld + (size_t)i] * from[i];
}

/* Solves with a strip: L points to its first diagonal entry; w [rows]: its part of the right-hand side and all rows below. */
INLINE void LowerStrip(PetscInt columns, PetscInt rows, PetscInt ld, const Real L[], Real w[])
{
  for (PetscInt j = 0; j < columns; j++) {
    const Real *column = L + (size_t)j * (size_t)ld;
    w[j] /= column[j];
    for (PetscInt i = j + 1; i < columns; i++) w[i] -= column[i] * w[j];
  }
  SubtractColumns(columns, rows - columns, ld, L + columns, w, w + columns);
}

INLINE void UpperStrip(PetscInt columns, PetscInt rows, PetscInt ld, const Real L[], Real w[])
{
  SubtractRows(columns, rows - columns, ld, L + columns, w + columns, w);
  for (PetscInt j = columns; j-- > 0;) {
    const Real *column = L + (size_t)j * (size_t)ld;
    for (PetscInt i = j + 1; i < columns; i++) w[j] -= column[i] * w[i];
    w[j] /= column[j];
  }
}

void NAME(FrontsSolveLower)(PetscInt k, PetscInt ld, const Real L[], Real w[])
{
  for (PetscInt begin = 0; begin < k; begin += STRIP) {
    const Real *corner = L + (size_t)begin * (size_t)ld + (size_t)begin;
    BY_COLUMNS(k - begin, LowerStrip, ld - begin, ld, corner, w + begin);
  }
}

void NAME(FrontsSolveUpper)(PetscInt k, PetscInt ld, const Real L[], Real w[])
{
  for (PetscInt begin = (k - 1) / STRIP * STRIP; begin >= 0; begin -= STRIP) {
    const Real *corner = L + (size_t)begin * (size_t)ld + (size_t)begin;
    BY_COLUMNS(k - begin, UpperStrip, ld - begin, ld, corner, w + begin);
  }
}
