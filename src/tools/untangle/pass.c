/* A pass over the surfaces: directions of the pairs that intersect, and the gap. */
#include "boundary.h"

/* Counts crossings again: pairs that have been parted meanwhile need no direction, pairs that newly cross get one in the next pass. */
static PetscErrorCode Recount(const Boundary *b, Pairs *pairs)
{
  const PetscInt n = pairs->n;
  PetscInt      *before, count;

  PetscFunctionBegin;
  if (!PairsAreActive(pairs)) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(n, &before));
  for (PetscInt i = 0; i < n; i++) before[i] = PairIsActive(&pairs->a[i]) ? -1 : pairs->a[i].crossings;
  PetscCall(FindCrossings(b, pairs, &count));
  for (PetscInt i = 0; i < pairs->n; i++) {
    if (i >= n) pairs->a[i].crossings = 0;
    if (i < n && before[i] >= 0) pairs->a[i].crossings = before[i];
  }
  PetscCall(PetscFree(before));
  PetscFunctionReturn(0);
}

/*
  Sets the directions of the pairs that need one. Doubles the depth of other pairs that still intersect: moving a body out of one contact
  can push it deeper into another.
*/
static PetscErrorCode Direct(PetscReal gap, const Boundary *b, Pairs *pairs)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < pairs->n; i++)
    if (pairs->a[i].crossings) pairs->a[i].depth *= 2;
  PetscCall(BoundaryMeet(gap, b, pairs));
  PetscCall(Recount(b, pairs));
  PetscCall(BoundaryTouch(gap, b, pairs));
  PairsKeepDepths(pairs);
  PetscFunctionReturn(0);
}

PetscErrorCode BoundaryDirect(PetscReal gap, const Boundary *b, Pairs *pairs)
{
  PetscReal *x;
  PetscBool *zone;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(b->dim * b->num_vertices, &x, b->num_vertices, &zone));
  PetscCall(PetscArraycpy(x, b->x, b->dim * b->num_vertices));
  PetscCall(PetscArraycpy(zone, b->zone, b->num_vertices));
  PetscCall(BoundaryMeet(gap, b, pairs));
  PetscCall(PetscArraycpy(b->x, x, b->dim * b->num_vertices));
  PetscCall(PetscArraycpy(b->zone, zone, b->num_vertices));
  PetscCall(BoundaryTouch(gap, b, pairs));
  PairsKeepDepths(pairs);
  PetscCall(PetscFree2(x, zone));
  PetscFunctionReturn(0);
}

PetscErrorCode BoundaryPass(PetscReal gap, Boundary *b, Pairs *pairs, PetscBool *done)
{
  PetscFunctionBegin;
  PetscCall(Direct(gap, b, pairs));
  PetscCall(BoundaryOpen(gap, b, pairs, done));
  PetscFunctionReturn(0);
}
