/* Contacts of the orientation-aware potentials as output, the checks of rigid motion and friction see them: by their closest points. */
#include "smooth.h"

/* Vertices of the primitives in the order of the pair's form, the pair's second primitive before its first; and how many are of the second. */
static PetscInt Core(const AbutSmooth *sm, const AbutSmoothContact *contact, PetscInt v[4], PetscInt *second)
{
  static const AbutSmoothKind kind[][2] = {{ABUT_SMOOTH_VERTEX, ABUT_SMOOTH_VERTEX},
                                           {ABUT_SMOOTH_EDGE, ABUT_SMOOTH_VERTEX},
                                           {ABUT_SMOOTH_FACE, ABUT_SMOOTH_VERTEX},
                                           {ABUT_SMOOTH_EDGE, ABUT_SMOOTH_EDGE}};
  const PetscInt              index[2]  = {contact->pair.a, contact->pair.b};
  PetscInt                    n         = 0;

  *second = (PetscInt)kind[contact->pair.kind][1] + 1;
  for (int e = 1; e >= 0; e--) {
    AbutSmoothPrimitive p;
    AbutSmoothGetPrimitive(sm->surface, kind[contact->pair.kind][e], index[e], &p);
    for (PetscInt k = 0; k <= (PetscInt)p.kind; k++) v[n++] = p.v[k];
  }
  return n;
}

static void MakeStencil(const AbutSmooth *sm, const AbutSmoothContact *contact, AbutStencil *st)
{
  PetscInt second;

  *st = (AbutStencil){.n      = 1,
                      .v      = {contact->pair.a, -1, -1, -1},
                      .form   = ABUT_DIST_POINT_PLANE,
                      .plane  = contact->plane,
                      .weight = 1,
                      .dist2  = contact->dist * contact->dist};
  if (contact->plane >= 0) return;
  st->n    = Core(sm, contact, st->v, &second);
  st->form = (AbutDistForm)contact->pair.kind;
}

PetscErrorCode AbutSmoothGetStencils(AbutPotential pot, PetscInt *count, const AbutStencil **stencils)
{
  AbutSmooth *sm = pot->data;

  PetscFunctionBegin;
  PetscCall(Reserve(&sm->stencils, sm->num_contacts, sizeof(AbutStencil)));
  for (PetscInt i = 0; i < sm->num_contacts; i++)
    MakeStencil(sm, (AbutSmoothContact *)sm->contacts.data + i, (AbutStencil *)sm->stencils.data + i);
  *count    = sm->num_contacts;
  *stencils = sm->stencils.data;
  PetscFunctionReturn(0);
}

/*
  The closest points of a pair, and the place in v that its first side begins with. Points of edges that turn through being parallel jump, but then
  such a pair, mollified, has no force.
*/
static PetscInt ClosestPoints(PetscInt dim, AbutPairKind kind, const PetscInt v[4], const PetscReal x[], AbutContactPoint *point)
{
  AbutClosest      closest;
  AbutSmoothVector d;
  PetscReal        y[12];

  AbutClosestFeatures(kind, dim, x, &closest);
  for (PetscInt p = 0; p < closest.n; p++) {
    for (PetscInt i = 0; i < dim; i++) y[dim * p + i] = x[dim * closest.v[p] + i];
  }
  AbutSmoothDifference(closest.form, dim, y, &d);
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
  Of two edges that are sampled: the means of their samples, b first, and what presses them together along the mean of their normals. Pairs
  are oblique, their neighbours the other way round: along its own direction each would press more than all do. False: they do not press.
*/
static PetscBool SamplePoints(AbutSmooth *sm, const AbutSmoothContact *contact, const PetscInt v[4], AbutContactPoint *point)
{
  const PetscReal    *x = sm->x.data;
  AbutSmoothPairState state;
  PetscReal           d[2] = {0}, size, along, force;

  AbutSmoothEvaluate(sm->surface, &sm->spec, &contact->pair, x, sm->scratch.data, NULL, &state, NULL, NULL, NULL);
  point->n     = 4;
  point->first = 2;
  for (int p = 0; p < 4; p++) {
    const PetscReal t = state.mean[p < 2], weight = p % 2 ? t : 1 - t;
    point->v[p]      = v[p];
    point->weight[p] = p < 2 ? weight : -weight;
    for (PetscInt i = 0; i < 2; i++) d[i] += point->weight[p] * x[2 * v[p] + i];
  }
  point->dist = PetscSqrtReal(AbutDot(2, d, d));
  for (int p = 0; p < 4; p += 2) {
    const PetscReal e[2] = {x[2 * v[p + 1]] - x[2 * v[p]], x[2 * v[p + 1] + 1] - x[2 * v[p] + 1]}, length = PetscSqrtReal(AbutDot(2, e, e));
    const PetscReal side = e[1] * d[0] - e[0] * d[1] < 0 ? -1 : 1;
    point->normal[0] += side * e[1] / length;
    point->normal[1] -= side * e[0] / length;
  }
  size  = PetscSqrtReal(AbutDot(2, point->normal, point->normal));
  along = AbutDot(2, point->normal, contact->force);
  force = PetscSqrtReal(AbutDot(2, contact->force, contact->force));
  if (!(along > 0)) return PETSC_FALSE; /* nor can size or force be 0 then */
  for (PetscInt i = 0; i < 2; i++) point->normal[i] /= size;
  point->force *= along / (size * force);
  return PETSC_TRUE;
}

PetscErrorCode AbutSmoothGetContactPoints(AbutPotential pot, PetscInt *count, const AbutContactPoint **points)
{
  AbutSmooth              *sm       = pot->data;
  const AbutCandidates    *c        = sm->candidates;
  const AbutSmoothContact *contacts = sm->contacts.data;
  AbutContactPoint        *to;

  PetscFunctionBegin;
  PetscCall(Reserve(&sm->points, sm->num_contacts, sizeof(AbutContactPoint)));
  to     = sm->points.data;
  *count = 0;
  for (PetscInt k = 0; k < sm->num_contacts; k++) {
    const PetscReal *force = contacts[k].force;
    AbutContactPoint point = {.n     = 1,
                              .plane = contacts[k].plane,
                              .first = 1,
                              .range = contacts[k].pair.range,
                              .force = pot->kappa * PetscSqrtReal(AbutDot(3, force, force)),
                              .pairs = 1};
    PetscReal        sign  = 1;
    for (int a = 0; a < 4; a++) point.v[a] = -1;
    if (contacts[k].plane >= 0) {
      point.v[0]      = contacts[k].pair.a;
      point.weight[0] = 1;
      point.dist      = contacts[k].dist;
      for (PetscInt i = 0; i < c->dim; i++) point.normal[i] = c->planes[contacts[k].plane].normal[i];
    } else {
      PetscInt       v[4], second;
      PetscReal      x[12];
      const PetscInt n = Core(sm, &contacts[k], v, &second);
      Gather(c->dim, n, v, sm->x.data, x);
      if (AbutSmoothIsSampled(c->dim, &contacts[k].pair)) {
        if (!SamplePoints(sm, &contacts[k], v, &point)) continue;
      } else if (ClosestPoints(c->dim, contacts[k].pair.kind, v, x, &point) >= second) {
        sign = -1;
      }
    }
    for (int i = 0; i < 3; i++) point.push[i] = sign * pot->kappa * force[i];
    to[(*count)++] = point;
  }
  *points = to;
  PetscFunctionReturn(0);
}
