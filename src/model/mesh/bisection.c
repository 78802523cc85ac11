/*
  Recursive coordinate bisection [Berger, Bokhari 1987, A Partitioning Strategy for Nonuniform Problems on Multiprocessors]. Each step
  divides groups of ranks in two, and their vertices by a plane across the longest edge of the bounding box, so that the weights of both
  sides are proportional to their numbers of ranks. The weight of a vertex is the number of its cells and surface entities. Vertices stay in
  their blocks; sums of weights are exact, so that the partition does not depend on the blocks.
*/
#include "blocks.h"

#define TILT  1e-4 /* inclination of the planes, which divides layers of vertices with equal coordinates */
#define STEPS 50   /* halvings of the interval that contains a plane */

/* A group of ranks has the number of its first rank. Arrays have an entry for each rank; entries of other ranks are not used. */
typedef struct {
  const AbutBlocks *m;
  PetscMPIInt      *group;        /* [n] group of each vertex */
  PetscReal        *key, *weight; /* [n] coordinate of the vertex across the plane of its group, relative to the box; weight */
  PetscMPIInt      *end;          /* ranks of group g: g, ..., end[g] - 1 */
  PetscReal        *low, *high;   /* [3 * size] bounding boxes of the groups */
  PetscReal        *cut, *sum;    /* [size] position of the plane, weight below it */
  PetscReal        *from, *to;    /* [size] interval that contains the plane */
} Bisection;

static PetscBool IsDivided(const Bisection *b, PetscMPIInt g)
{
  return (PetscBool)(b->end[g] - g > 1);
}

static PetscErrorCode ComputeBoxes(Bisection *b)
{
  const AbutBlocks *m = b->m;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * m->size; i++) {
    b->low[i]  = PETSC_MAX_REAL;
    b->high[i] = PETSC_MIN_REAL;
  }
  for (PetscInt v = 0; v < m->n; v++) {
    for (PetscInt d = 0; d < 3; d++) {
      const PetscInt i = 3 * b->group[v] + d;
      b->low[i]        = PetscMin(b->low[i], m->x[3 * v + d]);
      b->high[i]       = PetscMax(b->high[i], m->x[3 * v + d]);
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, b->low, 3 * m->size, MPIU_REAL, MPIU_MIN, m->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, b->high, 3 * m->size, MPIU_REAL, MPIU_MAX, m->comm));
  PetscFunctionReturn(0);
}

/* Coordinate of a point along the longest edge of the box of its group, in [0, 1], plus a small part of the other two. */
static PetscReal Key(const Bisection *b, PetscMPIInt g, const PetscReal x[3])
{
  const PetscReal *low = &b->low[3 * g], *high = &b->high[3 * g];
  PetscInt         axis = 0;
  PetscReal        key = 0, factor = 1;

  for (PetscInt d = 1; d < 3; d++)
    if (high[d] - low[d] > high[axis] - low[axis]) axis = d;
  for (PetscInt i = 0; i < 3; i++, factor *= TILT) {
    const PetscInt d = (axis + i) % 3;
    if (high[d] > low[d]) key += factor * (x[d] - low[d]) / (high[d] - low[d]);
  }
  return key;
}

/* Weights below the planes. */
static PetscErrorCode SumBelow(Bisection *b)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(b->sum, b->m->size));
  for (PetscInt v = 0; v < b->m->n; v++)
    if (b->key[v] < b->cut[b->group[v]]) b->sum[b->group[v]] += b->weight[v];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, b->sum, b->m->size, MPIU_REAL, MPIU_SUM, b->m->comm));
  PetscFunctionReturn(0);
}

/* Finds the planes by halving intervals. */
static PetscErrorCode FindCuts(Bisection *b)
{
  const PetscMPIInt size = b->m->size;
  PetscReal        *wanted;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(size, &wanted));
  for (PetscMPIInt g = 0; g < size; g++) {
    b->from[g] = 0;
    b->to[g] = b->cut[g] = 2; /* beyond all keys */
  }
  PetscCall(SumBelow(b));
  for (PetscMPIInt g = 0; g < size; g++)
    wanted[g] = IsDivided(b, g) ? b->sum[g] * (PetscReal)((b->end[g] - g) / 2) / (PetscReal)(b->end[g] - g) : 0;
  for (PetscInt step = 0; step < STEPS; step++) {
    for (PetscMPIInt g = 0; g < size; g++) b->cut[g] = (b->from[g] + b->to[g]) / 2;
    PetscCall(SumBelow(b));
    for (PetscMPIInt g = 0; g < size; g++) *(b->sum[g] < wanted[g] ? &b->from[g] : &b->to[g]) = b->cut[g];
  }
  PetscCall(PetscFree(wanted));
  PetscFunctionReturn(0);
}

/* Divides the ranks of the groups. */
static void DivideRanks(Bisection *b)
{
  for (PetscMPIInt g = 0, next; g < b->m->size; g = next) {
    const PetscMPIInt middle = g + (b->end[g] - g) / 2;

    next = b->end[g];
    if (middle == g) continue;
    b->end[middle] = next;
    b->end[g]      = middle;
  }
}

/* Divides every group of more than one rank. */
static PetscErrorCode DivideGroups(Bisection *b)
{
  const AbutBlocks *m = b->m;

  PetscFunctionBegin;
  PetscCall(ComputeBoxes(b));
  for (PetscInt v = 0; v < m->n; v++) b->key[v] = Key(b, b->group[v], &m->x[3 * v]);
  PetscCall(FindCuts(b));
  for (PetscInt v = 0; v < m->n; v++) {
    const PetscMPIInt g = b->group[v];
    if (IsDivided(b, g) && b->key[v] >= b->to[g]) b->group[v] = g + (b->end[g] - g) / 2;
  }
  DivideRanks(b);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPartitionByCoordinates(const AbutBlocks *m, const AbutBlockGhosts *ghosts, PetscMPIInt owner[])
{
  const PetscMPIInt size = m->size;
  Bisection         b    = {.m = m, .group = owner};
  PetscReal        *works;

  PetscFunctionBegin;
  PetscCall(AbutBlockWorks(m, ghosts, &works));
  PetscCall(PetscMalloc3(m->n, &b.key, m->n, &b.weight, size, &b.end));
  PetscCall(PetscMalloc6(3 * size, &b.low, 3 * size, &b.high, size, &b.cut, size, &b.sum, size, &b.from, size, &b.to));
  for (PetscInt v = 0; v < m->n; v++) {
    owner[v]    = 0;
    b.weight[v] = works[ABUT_NUM_WORKS * v] + works[ABUT_NUM_WORKS * v + 1];
  }
  PetscCall(PetscFree(works));
  b.end[0] = size;
  for (PetscMPIInt g = 1; g < size; g++) b.end[g] = g + 1;
  for (PetscMPIInt most = size; most > 1; most = (most + 1) / 2) PetscCall(DivideGroups(&b));
  PetscCall(PetscFree3(b.key, b.weight, b.end));
  PetscCall(PetscFree6(b.low, b.high, b.cut, b.sum, b.from, b.to));
  PetscFunctionReturn(0);
}
