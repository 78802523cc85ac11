/* Solution for several right-hand sides of one matrix: each SIMD register holds an unknown of all of them. */
#include "factorimpl.h"

/* An unknown of ABUT_FACTOR_FIELDS right-hand sides. */
typedef PetscReal Fields __attribute__((vector_size(ABUT_FACTOR_FIELDS * sizeof(PetscReal)), aligned(sizeof(AbutLanes)), may_alias));

/* x = L^-1 x for the columns y of a panel and the rows below. */
static inline void Forward(PetscInt width, PetscInt num, const PetscInt rows[], const AbutLanes *panel, Fields y[], Fields x[])
{
  const PetscInt stride = AbutFactorStride(width, num);

  for (PetscInt c = 0; c < width; c++) {
    y[c] *= panel[c * stride + c][1];
    for (PetscInt d = c + 1; d < width; d++) y[d] -= panel[c * stride + d][1] * y[c];
  }
  for (PetscInt r = 0; r < num; r++) {
    Fields sum = {0};

    for (PetscInt d = 0; d < width; d++) sum += panel[d * stride + width + r][1] * y[d];
    x[rows[r]] -= sum;
  }
}

/* x = L^-T x for the columns y of a panel. */
static inline void Backward(PetscInt width, PetscInt num, const PetscInt rows[], const AbutLanes *panel, Fields y[], const Fields x[])
{
  const PetscInt stride = AbutFactorStride(width, num);

  for (PetscInt c = width - 1; c >= 0; c--) {
    const AbutLanes *column = panel + c * stride;
    Fields           sum    = {0};

    for (PetscInt r = 0; r < num; r++) sum += column[width + r][1] * x[rows[r]];
    for (PetscInt d = c + 1; d < width; d++) sum += column[d][1] * y[d];
    y[c] = (y[c] - sum) * column[c][1];
  }
}

void AbutFactorSolveFields(AbutFactor factor, PetscInt num, PetscReal b[])
{
  const PetscInt n = factor->num_chosen;
  Fields        *x = (Fields *)factor->x;

  for (PetscInt i = 0; i < n; i++) {
    x[i] = (Fields){0};
    for (PetscInt k = 0; k < num; k++) x[i][k] = b[k * n + i];
  }
  for (PetscInt j = 0; j < factor->part.num; j++)
    Forward(AbutFactorWidth(factor, j), AbutFactorNumRows(factor, j), AbutFactorRows(factor, j), &factor->values[factor->value_start[j]],
            &x[factor->part.first[j]], x);
  for (PetscInt j = factor->part.num - 1; j >= 0; j--)
    Backward(AbutFactorWidth(factor, j), AbutFactorNumRows(factor, j), AbutFactorRows(factor, j), &factor->values[factor->value_start[j]],
             &x[factor->part.first[j]], x);
  for (PetscInt k = 0; k < num; k++)
    for (PetscInt i = 0; i < n; i++) b[k * n + i] = x[i][k];
}
