/*
  Directions of pairs without a vertex in the other body. Such pairs touch without penetration, as parts of an assembly do, which the
  exact check counts as intersections; or only edges of coarse bodies cross faces (2D: edges).
*/
#include "boundary.h"

#define MAX_NORMALS 64   /* directions that are tried for a pair */
#define SAME        0.99 /* cosine above which two directions count as one */

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

/* ---- Pairs without a vertex in the other body */

/* Unit normals of elements, no two of them nearly equal. */
typedef struct {
  PetscInt  n;
  PetscReal direction[MAX_NORMALS][3];
} Normals;

/* Adds the normals of the elements of a party that meet the box, times `sign`, so that the first party retreats along them. */
static void AddNormals(const Boundary *b, PetscInt party, PetscReal sign, PetscReal box[2][3], Normals *normals)
{
  for (PetscInt e = b->element_start[party]; e < b->element_start[party + 1] && normals->n < MAX_NORMALS; e++) {
    const int32_t *v     = &b->element[b->dim * e];
    PetscReal     *n     = normals->direction[normals->n];
    PetscBool      known = PETSC_FALSE;

    ElementNormal(b, v, n);
    if (!BoundaryMeetsBox(b, box, b->dim, v) || AbutNormalize(b->dim, n) <= 0) continue;
    for (PetscInt k = 0; k < 3; k++) n[k] = k < b->dim ? sign * n[k] : 0;
    for (PetscInt i = 0; i < normals->n; i++) known = (PetscBool)(known || AbutDot(b->dim, n, normals->direction[i]) > SAME);
    normals->n += !known;
  }
}

PetscErrorCode BoundaryLeast(const Boundary *b, BoundaryDepthOf depth, Pair *pair)
{
  Normals   normals = {0};
  PetscReal box[2][3];
  Pair      best = *pair;

  PetscFunctionBegin;
  PairCommonBox(b, pair, 0, box);
  for (int s = 0; s < 2; s++) AddNormals(b, pair->party[s], s ? 1 : -1, box, &normals);
  for (PetscInt i = 0; i < normals.n; i++) {
    Pair trial = *pair;

    PetscCall(PetscArraycpy(trial.direction, normals.direction[i], 3));
    PetscCall(depth(b, &trial, best.depth > 0 ? best.depth : PETSC_MAX_REAL, &trial.depth));
    if (trial.depth > 0 && (best.depth <= 0 || trial.depth < best.depth)) best = trial;
  }
  *pair = best;
  PetscFunctionReturn(0);
}

static PetscErrorCode OverlapDepth(const Boundary *b, const Pair *pair, PetscReal most, PetscReal *depth)
{
  (void)most;
  return BoundaryDepth(b, pair, depth);
}

static PetscErrorCode SetLeast(const Boundary *b, Pair *pair)
{
  PetscFunctionBegin;
  PetscCall(BoundaryLeast(b, OverlapDepth, pair));
  AbutCheck(pair->depth > 0, ABUT_ERR_DIVERGED,
            "'%s' and '%s' cross near the vertex %" PetscInt_FMT " of '%s', and no direction separates them; move them apart in the scene",
            BoundaryName(b, pair->party[0]), BoundaryName(b, pair->party[1]), pair->vertex, BoundaryName(b, pair->party[0]));
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
  PetscCall(FindNear(b, NULL, TOUCHING * gap, &near));
  PetscCall(BoundaryAllNormals(b, &normal));
  for (PetscInt i = 0; i < near.vertex.n; i++) PetscCall(AddNormal(b, pairs, normal, near.vertex.a[i].v));
  PetscCall(PetscFree(normal));
  PetscCall(NearDestroy(&near));
  for (PetscInt i = 0; i < pairs->n; i++) {
    Pair *pair = &pairs->a[i];

    if (!PairIsActive(pair)) continue;
    if (AbutNormalize(3, pair->direction) > 0)
      pair->depth = TOUCHING * gap;
    else
      PetscCall(SetLeast(b, pair));
  }
  PetscFunctionReturn(0);
}
