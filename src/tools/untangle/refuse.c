/* Overlaps that nothing can resolve, with the reasons. */
#include "boundary.h"

/* Refuses a body that is behind a plane as a whole. */
static PetscErrorCode RefuseBehind(const Boundary *b, PetscInt body, PetscInt plane)
{
  const AbutPlaneSpec *p = &b->planes[plane];

  PetscFunctionBegin;
  for (PetscInt v = b->vertex_start[body]; v < b->vertex_start[body + 1]; v++)
    if (AbutPlaneHeight(b->dim, p->normal, p->point, &b->x[b->dim * v]) > 0) PetscFunctionReturn(0);
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_DIVERGED,
                                   "'%s' and '%s': the body with the vertex %" PetscInt_FMT
                                   " lies behind the plane as a whole; move it to the other side",
                                   b->bodies[body].name, p->name, b->id[b->vertex_start[body]]));
}

/* Whether a vertex is inside the closed surface of a body, by the winding number. */
static PetscBool IsInside(const Boundary *b, PetscInt vertex, PetscInt holder)
{
  const PetscReal *p   = &b->x[b->dim * vertex];
  PetscReal        sum = 0;

  for (PetscInt e = b->element_start[holder]; e < b->element_start[holder + 1]; e++) {
    const PetscReal *corner[3];

    for (PetscInt k = 0; k < b->dim; k++) corner[k] = &b->x[b->dim * b->element[b->dim * e + k]];
    sum += AbutSolidAngle(b->dim, p, corner);
  }
  return (PetscBool)(sum > (b->dim == 3 ? 2 : 1) * PETSC_PI);
}

static PetscBool BoxHolds(PetscInt dim, const AbutBody *holder, const AbutBody *body)
{
  for (PetscInt k = 0; k < dim; k++)
    if (body->box[0][k] < holder->box[0][k] || body->box[1][k] > holder->box[1][k]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Adds a pair of two bodies that overlap all around although their surfaces do not cross. Refuses a body that is wholly inside another. */
static PetscErrorCode CheckInside(const Boundary *b, Pairs *pairs, PetscInt body, PetscInt holder)
{
  PetscInt num;
  Pair    *pair;

  PetscFunctionBegin;
  PetscCall(PairsFind(pairs, body, holder, &pair));
  if (pair || (BoundaryIsRigid(b, body) && BoundaryIsRigid(b, holder))) PetscFunctionReturn(0);
  PetscCall(AroundFind(b, body, holder, &num));
  if (num) PetscCall(PairsAdd(pairs, body, holder, &pair));
  if (num) pair->crossings = num;
  AbutCheck(num || b->bodies[holder].obstacle || !IsInside(b, b->vertex_start[body], holder), ABUT_ERR_DIVERGED,
            "'%s' and '%s': the surface of '%s', with its vertex %" PetscInt_FMT ", lies inside '%s' as a whole; move it out in the scene",
            b->bodies[body].name, b->bodies[holder].name, b->bodies[body].name, b->id[b->vertex_start[body]], b->bodies[holder].name);
  PetscFunctionReturn(0);
}

PetscErrorCode CheckAllInside(const Boundary *b, Pairs *pairs)
{
  PetscFunctionBegin;
  for (PetscInt holder = 0; holder < b->num_bodies; holder++)
    for (PetscInt body = 0; body < b->num_bodies; body++)
      if (body != holder && b->vertex_start[body] < b->vertex_start[body + 1] && BoxHolds(b->dim, &b->bodies[holder], &b->bodies[body]))
        PetscCall(CheckInside(b, pairs, body, holder));
  PetscFunctionReturn(0);
}

static PetscBool BoxHoldsVertex(const Boundary *b, const AbutBody *holder, PetscInt v)
{
  for (PetscInt k = 0; k < b->dim; k++)
    if (b->x[b->dim * v + k] < holder->box[0][k] || b->x[b->dim * v + k] > holder->box[1][k]) return PETSC_FALSE;
  return PETSC_TRUE;
}

PetscErrorCode RefusePoints(const Boundary *b)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < b->num_bodies; i++)
    for (PetscInt v = b->vertex_start[i]; b->element_start[i] == b->element_start[i + 1] && v < b->vertex_start[i + 1]; v++)
      for (PetscInt holder = 0; holder < b->num_bodies; holder++)
        AbutCheck(b->bodies[holder].obstacle || !BoxHoldsVertex(b, &b->bodies[holder], v) || !IsInside(b, v, holder), ABUT_ERR_INPUT,
                  "obstacle '%s' has its vertex %" PetscInt_FMT
                  " inside '%s'; only surfaces of triangles (2D: of edges) can be moved apart",
                  b->bodies[i].name, b->id[v], b->bodies[holder].name);
  PetscFunctionReturn(0);
}

PetscErrorCode RefusePairs(const Boundary *b, const Pairs *pairs)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < pairs->n; i++) {
    const Pair *pair = &pairs->a[i];

    if (!pair->crossings) continue;
    AbutCheck(pair->party[0] != pair->party[1], ABUT_ERR_DIVERGED,
              "body '%s' intersects itself, near its vertex %" PetscInt_FMT "; only different bodies can be moved apart",
              BoundaryName(b, pair->party[0]), pair->vertex);
    if (pair->party[1] >= b->num_bodies) PetscCall(RefuseBehind(b, pair->party[0], pair->party[1] - b->num_bodies));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode RefuseUnresolved(const Boundary *b, const Pairs *pairs, PetscInt passes)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < pairs->n; i++) {
    const Pair *pair = &pairs->a[i];

    AbutCheck(!pair->crossings, ABUT_ERR_DIVERGED,
              "'%s' and '%s' still intersect at the vertex %" PetscInt_FMT " of '%s' after %" PetscInt_FMT
              " pass%s: they overlap too deeply, or others leave no room; move them apart in the scene",
              BoundaryName(b, pair->party[0]), BoundaryName(b, pair->party[1]), pair->vertex, BoundaryName(b, pair->party[0]), passes,
              passes == 1 ? "" : "es");
  }
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_DIVERGED,
                                   "bodies stay closer than the gap after %" PetscInt_FMT
                                   " pass%s: there is no room between rigid obstacles; reduce -abut_resolve_gap or contact.dhat",
                                   passes, passes == 1 ? "" : "es"));
}
