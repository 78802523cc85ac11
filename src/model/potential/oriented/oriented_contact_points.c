/* Contacts of the orientation-aware potentials as stencils and contact points, for output, friction and checks. */
#include "oriented.h"

/* Lists the vertices of the second primitive of the pair, then of the first; returns their number. */
static PetscInt Core(const AbutOriented *sm, const AbutOrientedPair *pair, PetscInt v[ABUT_POINT_VERTICES])
{
  const PetscInt index[2] = {pair->a, pair->b};
  PetscInt       n        = 0;

  for (int e = 1; e >= 0; e--) {
    AbutOrientedPrimitive p;
    AbutOrientedGetPrimitive(sm->surface, AbutOrientedKindOf(sm->dim, pair, e), index[e], &p);
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
    *st       = (AbutStencil){.n = 1, .v = {contact->pair.a, -1, -1, -1, -1, -1}, .plane = contact->plane, .weight = 1};
    st->form  = ABUT_DIST_POINT_PLANE;
    st->dist2 = contact->dist * contact->dist;
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
  point->dist  = PetscSqrtReal(AbutDot(dim, d.v, d.v));
  for (PetscInt p = 0; p < closest.n; p++) {
    point->v[p]      = v[closest.v[p]];
    point->weight[p] = d.frame.c[p];
  }
  for (PetscInt i = 0; i < dim; i++) point->normal[i] = d.v[i] / point->dist;
  return closest.v[0];
}

/*
  Sets the contact point of two elements integrated by quadrature: the means of their active points, b first, the mean of their normals
  and the force along it. The forces of single pairs are oblique and partly cancel; adding their magnitudes
  would overestimate the total. Around a corner the force of a pair may not separate the elements: then `force` is 0, `force_vector` is not.
*/
static void SamplePoints(AbutOriented *sm, const AbutOrientedContact *contact, const PetscInt v[], AbutContactPoint *point)
{
  const PetscInt        dim = sm->dim;
  AbutOrientedPairState state;
  PetscReal             x[3 * ABUT_POINT_VERTICES], d[3] = {0}, size, along, force;

  AbutOrientedEvaluate(sm->surface, &sm->spec, &contact->pair, sm->state.x.a, &(AbutOrientedOutput){0}, &state);
  AbutGather(dim, 2 * dim, v, sm->state.x.a, x);
  point->n     = 2 * dim;
  point->first = dim;
  for (PetscInt p = 0; p < 2 * dim; p++) {
    point->v[p]      = v[p];
    point->weight[p] = p < dim ? state.mean[1][p] : -state.mean[0][p - dim];
    for (PetscInt i = 0; i < dim; i++) d[i] += point->weight[p] * x[dim * p + i];
  }
  point->dist = PetscSqrtReal(AbutDot(dim, d, d));
  for (int e = 0; e < 2; e++) {
    AbutOrientedVector normal;
    PetscReal          length, side;
    AbutOrientedNormal(dim, x + e * dim * dim, &normal);
    length = PetscSqrtReal(AbutDot(dim, normal.v, normal.v));
    side   = AbutDot(dim, normal.v, d) < 0 ? -1 : 1;
    for (PetscInt i = 0; i < dim; i++) point->normal[i] += side * normal.v[i] / length;
  }
  size  = PetscSqrtReal(AbutDot(dim, point->normal, point->normal));
  along = AbutDot(dim, point->normal, contact->force);
  force = PetscSqrtReal(AbutDot(dim, contact->force, contact->force));
  if (along > 0) { /* implies size > 0 and force > 0 */
    for (PetscInt i = 0; i < dim; i++) point->normal[i] /= size;
    point->force *= along / (size * force);
  } else {
    for (PetscInt i = 0; i < dim; i++) point->normal[i] = d[i] / point->dist;
    point->force = 0;
  }
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
    AbutContactPoint point = {.n     = 1,
                              .plane = contacts[k].plane,
                              .first = 1,
                              .dhat  = contacts[k].pair.dhat,
                              .force = pot->kappa * PetscSqrtReal(AbutDot(3, force, force)),
                              .pairs = 1};
    PetscReal        sign  = 1;
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
      if (contacts[k].pair.sampled) {
        SamplePoints(sm, &contacts[k], v, &point);
      } else if (ClosestPoints(c->dim, contacts[k].pair.kind, v, x, &point) > (PetscInt)AbutOrientedKindOf(c->dim, &contacts[k].pair, 1)) {
        sign = -1;
      }
    }
    for (int i = 0; i < 3; i++) point.force_vector[i] = sign * pot->kappa * force[i];
    sm->work.points[k] = point;
  }
  *count  = sm->state.num_contacts;
  *points = sm->work.points;
  PetscFunctionReturn(0);
}
