/* Division of a rank's vertices into aggregates by METIS. Couplings between stiff contacts are strong, so aggregates contain them. */
#include "aggregates.h"
#include "couplings.h"

/* Numbers the parts that are not empty in the order of their first vertices. */
static PetscErrorCode NumberAggregates(PetscInt parts, const idx_t part[], Aggregates *a)
{
  PetscInt *number;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(parts, &number));
  for (PetscInt p = 0; p < parts; p++) number[p] = -1;
  for (PetscInt v = 0; v < a->n; v++) {
    if (number[part[v]] < 0) number[part[v]] = a->num++;
    a->of[v] = number[part[v]];
  }
  PetscCall(PetscFree(number));
  PetscFunctionReturn(0);
}

PetscErrorCode AggregatesCreate(Mat A, PetscInt size, Aggregates *a)
{
  Couplings couplings;
  PetscInt  parts;
  idx_t    *part;

  PetscFunctionBegin;
  PetscCall(CouplingsCreate(A, &couplings));
  *a    = (Aggregates){.n = couplings.n};
  parts = PetscMax(1, CouplingsSumWeights(&couplings) / size);
  PetscCall(PetscMalloc1(a->n, &a->of));
  PetscCall(PetscMalloc1(a->n, &part));
  PetscCall(CouplingsDivide(&couplings, parts, part));
  PetscCall(NumberAggregates(parts, part, a));
  PetscCall(PetscFree(part));
  PetscCall(CouplingsDestroy(&couplings));
  PetscFunctionReturn(0);
}

PetscErrorCode AggregatesDestroy(Aggregates *a)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(a->of));
  *a = (Aggregates){0};
  PetscFunctionReturn(0);
}
