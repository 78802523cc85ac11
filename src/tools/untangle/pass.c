/* A pass over the surfaces: directions of the pairs that intersect, and the gap. */
#include "boundary.h"

/*
  Sets the directions of pairs that need one, and doubles the depths of other pairs that still intersect: another contact of a body can make
  an overlap deeper.
*/
static PetscErrorCode Direct(PetscReal gap, const Boundary *b, Pairs *pairs)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < pairs->n; i++)
    if (pairs->a[i].crossings) pairs->a[i].depth *= 2;
  PetscCall(BoundaryMeet(gap, b, pairs));
  PetscCall(BoundaryTouch(gap, b, pairs));
  PetscFunctionReturn(0);
}

PetscErrorCode BoundaryPass(PetscReal gap, Boundary *b, Pairs *pairs, PetscBool *done)
{
  PetscFunctionBegin;
  PetscCall(Direct(gap, b, pairs));
  PetscCall(BoundaryOpen(gap, b, pairs, done));
  PetscFunctionReturn(0);
}
