/*
  Work of a Newton iteration on the busiest rank, in products with a matrix entry:

    direct     OPERATION F + FACTOR L + ENTRY E + ANALYSIS G
    multigrid  MULTIGRID E

  F: operations of a factorisation, L: entries of the factor, both halved in single precision; E: matrix entries; G: entries of the vertex
  graph of all ranks. The constants contain how often a Newton iteration factorises and solves on average: docs/linear_solvers.md.
*/
#include "cost.h"

#define OPERATION      (1. / 45) /* 0.6 factorisations; a rank does 32e9 operations in the time of 1.2e9 matrix entries */
#define FACTOR         10.5 /* 0.6 factorisations assemble an entry of L in the time of 7 matrix entries, 4.5 solutions read it in 1.4 */
#define ENTRY          75.  /* 4.5 products with the matrix, 0.2 symbolic factorisations, each of 350 products */
#define ANALYSIS       22.5 /* nested dissection by one rank in the time of 450 matrix entries, shared by 20 Newton iterations */
#define MULTIGRID      154. /* 0.9 set-ups, each of 46 products with the matrix, 7.5 iterations, each of 15 */
#define ANALYSIS_BYTES 40.  /* for an entry of the vertex graph */
#define KEEP           0.9  /* multigrid replaces the direct solver below this fraction of its work */

PetscReal CostOfDirect(const CostCounts *c)
{
  const PetscReal factor = OPERATION * c->factor.flops + FACTOR * c->factor.entries;

  if (!(c->factor.flops > 0)) return ANALYSIS * c->graph;
  return (c->single ? 0.5 : 1) * factor + ENTRY * c->entries + ANALYSIS * c->graph;
}

PetscReal CostOfMultigrid(const CostCounts *c)
{
  return MULTIGRID * c->entries;
}

PetscReal CostBytes(const CostCounts *c)
{
  return PetscMax(c->factor.bytes, ANALYSIS_BYTES * c->graph);
}

PetscBool CostPrefersMultigrid(const CostCounts *c, PetscBool serves)
{
  return (PetscBool)(CostOfMultigrid(c) < (serves ? KEEP : 1) * CostOfDirect(c));
}
