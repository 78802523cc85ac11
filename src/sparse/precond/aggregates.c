/* Division of a rank's vertices into aggregates by METIS. Couplings between stiff contacts are strong, so aggregates contain them. */
#include "aggregates.h"
#include "couplings.h"

#define SWEEPS 4 /* sweeps over all vertices in a repair */

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

/* The aggregate to which vertex v is coupled most strongly; among equals, its own. sum: [num] zeros, on return as well. */
static PetscInt FindStrongest(const Couplings *c, const PetscInt of[], PetscInt v, PetscInt sum[], PetscInt *strength, PetscInt *own)
{
  PetscInt best = of[v];

  for (idx_t k = c->xadj[v]; k < c->xadj[v + 1]; k++) sum[of[c->adjncy[k]]] += c->strength[k];
  for (idx_t k = c->xadj[v]; k < c->xadj[v + 1]; k++)
    if (sum[of[c->adjncy[k]]] > sum[best]) best = of[c->adjncy[k]];
  *strength = sum[best];
  *own      = sum[of[v]];
  for (idx_t k = c->xadj[v]; k < c->xadj[v + 1]; k++) sum[of[c->adjncy[k]]] = 0;
  return best;
}

PetscErrorCode AggregatesRepair(Mat A, PetscInt size, Aggregates *a)
{
  Couplings c;
  PetscInt *members, *sum, moves = 1; /* members[i]: number of vertices with couplings in aggregate i */

  PetscFunctionBegin;
  PetscCall(CouplingsCreate(A, &c));
  PetscCall(PetscCalloc2(a->num, &members, a->num, &sum));
  for (PetscInt v = 0; v < a->n; v++) members[a->of[v]] += c.weight[v];
  for (int sweep = 0; sweep < SWEEPS && moves > 0; sweep++) {
    moves = 0;
    for (PetscInt v = 0; v < a->n; v++) {
      PetscInt       strength, own;
      const PetscInt from = a->of[v], to = FindStrongest(&c, a->of, v, sum, &strength, &own);
      if (strength <= 2 * own || members[to] / 2 >= size || members[from] == 1) continue;
      a->of[v] = to;
      members[from]--;
      members[to]++;
      moves++;
    }
  }
  PetscCall(PetscFree2(members, sum));
  PetscCall(CouplingsDestroy(&c));
  PetscFunctionReturn(0);
}

PetscErrorCode AggregatesDestroy(Aggregates *a)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(a->of));
  *a = (Aggregates){0};
  PetscFunctionReturn(0);
}
