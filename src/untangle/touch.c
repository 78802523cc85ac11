/*
  Directions of pairs that touch without penetration, as the parts of an assembly do: the exact check counts them as intersections, but they
  have no intersection region from which the deformer could compute a mapping direction.
*/
#include "boundary.h"

/* Adds the normal of the face (2D: edge) of a stencil to the direction of its pair, if the face opposes the vertex. */
static PetscErrorCode AddNormal(const Boundary *b, const Pairs *pairs, const PetscReal normal[], const int32_t v[4])
{
  const PetscInt own = b->body[v[0]];
  PetscReal      n[3];
  Pair          *pair;

  PetscFunctionBegin;
  PetscCall(PairsFind(pairs, own, b->body[v[1]], &pair));
  if (!pair || !PairIsActive(pair)) PetscFunctionReturn(0);
  ElementNormal(b, &v[1], n);
  if (AbutDot(b->dim, n, &normal[b->dim * v[0]]) >= 0) PetscFunctionReturn(0);
  for (PetscInt k = 0; k < b->dim; k++) pair->direction[k] += own == pair->party[0] ? n[k] : -n[k];
  PetscFunctionReturn(0);
}

static void SetTouching(PetscReal gap, Pair *pair)
{
  if (Normalize(3, pair->direction) > 0)
    pair->depth = TOUCHING * gap;
  else
    pair->attempts++;
}

PetscErrorCode BoundaryTouch(PetscReal gap, const Boundary *b, Pairs *pairs)
{
  PetscReal *normal;
  Near       near;

  PetscFunctionBegin;
  if (!PairsAreActive(pairs)) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < pairs->n; i++)
    if (PairIsActive(&pairs->a[i])) PetscCall(PetscArrayzero(pairs->a[i].direction, 3));
  PetscCall(FindNear(b, TOUCHING * gap, &near));
  PetscCall(PetscMalloc1(b->dim * b->num_vertices, &normal));
  for (PetscInt i = 0; i < b->num_bodies; i++) BoundaryNormals(b, i, &normal[b->dim * b->vertex_start[i]]);
  for (PetscInt i = 0; i < near.vertex.n; i++) PetscCall(AddNormal(b, pairs, normal, near.vertex.a[i].v));
  PetscCall(PetscFree(normal));
  PetscCall(NearDestroy(&near));
  for (PetscInt i = 0; i < pairs->n; i++)
    if (PairIsActive(&pairs->a[i])) SetTouching(gap, &pairs->a[i]);
  PetscFunctionReturn(0);
}
