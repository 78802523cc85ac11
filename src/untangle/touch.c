/*
  Directions of pairs that touch without penetration, as the parts of an assembly do: the exact check counts them as intersections, but they
  have no intersection region from which the deformer could compute a mapping direction.
*/
#include "boundary.h"

/* Adds the normal of the face (2D: edge) of a stencil to the direction of its pair, if the face opposes the vertex. */
static PetscErrorCode AddNormal(const Boundary *b, const Pairs *pairs, const PetscReal normal[], const int32_t v[4])
{
  const PetscInt own  = b->body[v[0]];
  PetscReal      n[3] = {0, 0, 0}, u[2][3] = {{0}};
  Pair          *pair;

  PetscFunctionBegin;
  PetscCall(PairsFind(pairs, own, b->body[v[1]], &pair));
  if (!pair || !PairIsActive(pair)) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < b->dim - 1; i++)
    for (PetscInt k = 0; k < b->dim; k++) u[i][k] = b->x[b->dim * v[2 + i] + k] - b->x[b->dim * v[1] + k];
  if (b->dim == 2) {
    n[0] = u[0][1];
    n[1] = -u[0][0];
  } else {
    AbutCross(u[0], u[1], n);
  }
  if (AbutDot(b->dim, n, &normal[b->dim * v[0]]) >= 0) PetscFunctionReturn(0);
  for (PetscInt k = 0; k < b->dim; k++) pair->direction[k] += own == pair->party[0] ? n[k] : -n[k];
  PetscFunctionReturn(0);
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
  for (PetscInt i = 0; i < pairs->n; i++) {
    Pair           *pair   = &pairs->a[i];
    const PetscReal length = PetscSqrtReal(AbutDot(3, pair->direction, pair->direction));

    if (!PairIsActive(pair) || length == 0) continue;
    for (PetscInt k = 0; k < 3; k++) pair->direction[k] /= length;
    pair->depth = TOUCHING * gap;
  }
  PetscFunctionReturn(0);
}
