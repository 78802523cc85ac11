/* Accumulation of derivatives of the logarithm of a pair value over the slots that orientedimpl.h defines. */
#include "orientedimpl.h"

static inline void AddBlocks(PetscInt dim, PetscInt n, const PetscInt at[], const PetscReal H[], AbutOrientedLog *log)
{
  for (PetscInt p = 0; p < n; p++) {
    for (PetscInt q = 0; q < n; q++) {
      const PetscReal *from = H + n * dim * dim * p + dim * q;
      PetscReal       *to   = log->H + log->size * at[p] + at[q];
      for (PetscInt i = 0; i < dim; i++) {
        for (PetscInt j = 0; j < dim; j++) to[log->size * i + j] += from[n * dim * i + j];
      }
    }
  }
}

void AbutOrientedAddBlocks(AbutOrientedLog *log, PetscInt n, const PetscInt at[], const PetscReal H[])
{
  ABUT_BY_DIM(log->dim, AddBlocks, n, at, H, log);
}

void AbutOrientedAdd(AbutOrientedLog *log, PetscInt n, const PetscInt slot[], const PetscReal g[], const PetscReal H[])
{
  const PetscInt dim = log->dim;
  PetscInt       at[4];

  for (PetscInt p = 0; p < n; p++) at[p] = dim * AbutOrientedIndex(log, slot[p]);
  for (PetscInt p = 0; p < n; p++) {
    for (PetscInt i = 0; i < dim; i++) log->g[at[p] + i] += g[dim * p + i];
  }
  if (log->H) AbutOrientedAddBlocks(log, n, at, H);
}

void AbutOrientedAddSum(AbutOrientedLog *log, PetscReal a, PetscReal b)
{
  for (PetscInt r = 0; r < log->size; r++) {
    if (log->s[r] == 0) continue;
    for (PetscInt c = 0; log->H && c < log->size; c++) log->H[log->size * r + c] += b * log->s[r] * log->s[c];
    log->g[r] += a * log->s[r];
  }
  (void)PetscArrayzero(log->s, log->size);
}
