/* Contacts of the orientation-aware potentials as stencils and contact points, for output, friction and checks. */
#include "oriented.h"

/* Lists the vertices of the second primitive of the pair, then of the first; returns their number. */
static PetscInt Core(const AbutOriented *sm, const AbutOrientedPair *pair, PetscInt v[ABUT_POINT_VERTICES])
{
  const PetscInt index[2] = {pair->a, pair->b};
  PetscInt       n        = 0;

  for (int e = 1; e >= 0; e--) {
    AbutOrientedPrimitive p;
    AbutOrientedGetPrimitive(sm->surface, AbutOrientedKindOf(pair, e), index[e], &p);
    for (PetscInt k = 0; k <= (PetscInt)p.kind; k++) v[n++] = p.v[k];
  }
  return n;
}

PetscErrorCode AbutOrientedGetStencils(AbutPotential pot, PetscInt *count, const AbutStencil **stencils)
{
  AbutOriented            *sm = pot->data;
  const AbutOrientedState *s  = &sm->state;

  PetscFunctionBegin;
  PetscCall(AbutReserve(s->num_contacts, &sm->work.num_stencils, &sm->work.stencils));
  for (PetscInt i = 0; i < s->num_contacts; i++) {
    const AbutOrientedContact *contact = &s->contacts[i];
    AbutStencil               *st      = &sm->work.stencils[i];
    *st                                = (AbutStencil){.n = 1, .v = {contact->pair.a, -1, -1, -1}, .plane = contact->plane, .weight = 1};
    st->form                           = ABUT_DIST_POINT_PLANE;
    st->dist2                          = contact->dist * contact->dist;
    if (contact->plane >= 0) continue;
    st->n    = Core(sm, &contact->pair, st->v);
    st->form = (AbutDistForm)contact->pair.kind;
  }
  *count    = s->num_contacts;
  *stencils = sm->work.stencils;
  PetscFunctionReturn(0);
}

/*
  Sets the closest points of a pair. Returns the position in v of the first vertex of the first side. The closest points of edges jump
  when the edges turn through parallel positions, but mollified pairs have no force there.
*/
static PetscInt ClosestPoints(PetscInt dim, AbutPairKind kind, const PetscInt v[4], const PetscReal x[], AbutContactPoint *point)
{
  AbutClosest        closest;
  AbutOrientedVector d;
  PetscReal          y[12];

  AbutClosestFeatures(kind, dim, x, &closest);
  AbutGather(dim, closest.n, closest.v, x, y);
  AbutOrientedDifference(closest.form, dim, y, &d);
  point->n     = closest.n;
  point->first = closest.form == ABUT_DIST_LINE_LINE ? 2 : 1;
  point->dist  = AbutNorm(dim, d.v);
  for (PetscInt p = 0; p < closest.n; p++) {
    point->v[p]      = v[closest.v[p]];
    point->weight[p] = d.frame.c[p];
  }
  for (PetscInt i = 0; i < dim; i++) point->normal[i] = d.v[i] / point->dist;
  return closest.v[0];
}

PetscErrorCode AbutOrientedGetContactPoints(AbutPotential pot, PetscInt *count, const AbutContactPoint **points)
{
  AbutOriented              *sm       = pot->data;
  const AbutCandidates      *c        = sm->state.candidates;
  const AbutOrientedContact *contacts = sm->state.contacts;

  PetscFunctionBegin;
  PetscCall(AbutReserve(sm->state.num_contacts, &sm->work.num_points, &sm->work.points));
  for (PetscInt k = 0; k < sm->state.num_contacts; k++) {
    const PetscReal *force = contacts[k].force;
    AbutContactPoint point = {
      .n = 1, .plane = contacts[k].plane, .first = 1, .dhat = contacts[k].pair.dhat, .force = pot->kappa * AbutNorm(3, force), .pairs = 1};
    PetscReal sign = 1;
    for (int a = 0; a < ABUT_POINT_VERTICES; a++) point.v[a] = -1;
    if (contacts[k].plane >= 0) {
      point.v[0]      = contacts[k].pair.a;
      point.weight[0] = 1;
      point.dist      = contacts[k].dist;
      for (PetscInt i = 0; i < c->dim; i++) point.normal[i] = c->planes[contacts[k].plane].normal[i];
    } else {
      PetscInt       v[ABUT_POINT_VERTICES];
      PetscReal      x[3 * ABUT_POINT_VERTICES];
      const PetscInt n = Core(sm, &contacts[k].pair, v);
      AbutGather(c->dim, n, v, sm->state.x.a, x);
      if (ClosestPoints(c->dim, contacts[k].pair.kind, v, x, &point) > (PetscInt)AbutOrientedKindOf(&contacts[k].pair, 1)) sign = -1;
    }
    for (int i = 0; i < 3; i++) point.force_vector[i] = sign * pot->kappa * force[i];
    sm->work.points[k] = point;
  }
  *count  = sm->state.num_contacts;
  *points = sm->work.points;
  PetscFunctionReturn(0);
}
