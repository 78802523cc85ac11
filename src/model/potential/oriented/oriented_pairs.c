/* The surface that pairs are searched on, the list of pairs, the distance at which quadrature replaces a pair, the value of a contact. */
#include "oriented.h"

/* Longest edge of the primitive or between it and its stencil. */
static PetscReal LongestEdge(PetscInt dim, const AbutOrientedPrimitive *p, const PetscReal rest[])
{
  PetscReal most = 0;

  for (PetscInt j = 0; j <= (PetscInt)p->kind; j++) {
    for (PetscInt k = j + 1; k < p->n; k++) most = PetscMax(most, AbutPointDist2(dim, rest + dim * p->v[j], rest + dim * p->v[k]));
  }
  return PetscSqrtReal(most);
}

/* Makes room for the primitives of a kind and sets their AbutOriented.length. */
static PetscErrorCode MeasureEdges(AbutOriented *sm, int kind, const PetscReal rest[])
{
  const AbutOrientedSurface *s         = sm->surface;
  const AbutColumn           columns[] = {{&sm->dhat[kind], sizeof(PetscReal)}, {&sm->length[kind], sizeof(PetscReal)}};

  PetscFunctionBegin;
  PetscCall(AbutReserveColumns(s->num[kind], &sm->capacity[kind], 2, columns));
  for (PetscInt i = 0; i < s->num[kind] && sm->spec.samples > 0; i++) {
    AbutOrientedPrimitive p;
    AbutOrientedGetPrimitive(s, (AbutOrientedKind)kind, i, &p);
    sm->length[kind][i] = p.num_normals ? LongestEdge(s->dim, &p, rest) : 0;
  }
  PetscFunctionReturn(0);
}

/* Copies activation distances, limited to dhat; an array is NULL if they are all dhat. */
static void CopyDhat(AbutOriented *sm, PetscReal dhat)
{
  const AbutOneRing     *r      = sm->surface->r;
  const PetscReal *const from[] = {r->vertex_dhat, r->edge_dhat, r->face_dhat};

  sm->adaptive.dhat = dhat;
  for (int kind = 0; kind < 3; kind++) {
    sm->adaptive.of[kind] = from[kind] ? sm->dhat[kind] : NULL;
    for (PetscInt i = 0; i < sm->surface->num[kind] && from[kind]; i++) sm->dhat[kind][i] = PetscMin(from[kind][i], dhat);
  }
}

PetscErrorCode AbutOrientedUpdateSurface(AbutPotential pot, const AbutCandidates *c)
{
  AbutOriented      *sm = pot->data;
  const AbutOneRing *r  = c->one_ring;

  PetscFunctionBegin;
  PetscCheck(r, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Potential \"%s\" needs AbutContactSetOneRing() before the search", pot->info->name);
  if (!sm->surface || sm->surface->r != r || sm->version != r->version || sm->surface->num[ABUT_ORIENTED_VERTEX] != c->num_vertices) {
    PetscCall(AbutOrientedSurfaceDestroy(&sm->surface));
    PetscCall(AbutOrientedSurfaceCreate(c->dim, c->num_vertices, r, &sm->surface));
    if (pot->spec.measure == ABUT_PAIR_MEASURE_REST) PetscCall(AbutOrientedSurfaceSetRest(sm->surface, &sm->spec, c->rest));
    for (int kind = 0; kind < 3; kind++) PetscCall(MeasureEdges(sm, kind, c->rest));
    sm->version       = r->version;
    sm->adaptive.dhat = -1;
  }
  sm->surface->id = c->vertex_id;
  if (sm->adaptive.dhat != pot->dhat) CopyDhat(sm, pot->dhat);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedAddPair(AbutOriented *sm, const AbutOrientedPair *pair, PetscInt plane)
{
  PetscFunctionBegin;
  PetscCall(AbutReserve(sm->num_found + 1, &sm->found_capacity, &sm->found));
  sm->found[sm->num_found++] = (AbutOrientedContact){.pair = *pair, .plane = plane};
  PetscFunctionReturn(0);
}

PetscReal AbutOrientedSplitDistance(const AbutOriented *sm, const AbutOrientedPair *pair)
{
  const PetscReal a = sm->length[AbutOrientedKindOf(sm->dim, pair, 0)][pair->a];
  const PetscReal b = sm->length[AbutOrientedKindOf(sm->dim, pair, 1)][pair->b];
  PetscReal       split;

  if (sm->spec.samples == 0 || !sm->adaptive.of[ABUT_ORIENTED_VERTEX] || !(a > 0) || !(b > 0)) return 0;
  split = AbutOrientedResolvedDistance(&sm->spec, PetscMax(a, b));
  return split < pair->dhat ? split : 0;
}

PetscErrorCode AbutOrientedEvaluateContact(AbutOriented *sm, const AbutCandidates *c, const AbutOrientedContact *contact,
                                           const PetscReal x[], const AbutOrientedOutput *out, AbutOrientedPairState *state)
{
  const AbutOrientedPair *pair = &contact->pair;
  AbutReals              *work = &sm->work.scratch;
  AbutOrientedOutput      with = *out;

  PetscFunctionBegin;
  PetscCall(AbutReserve((PetscInt)AbutOrientedScratch(sm->dim, AbutOrientedPairSize(sm->surface, pair)), &work->capacity, &work->a));
  with.scratch = work->a;
  if (contact->plane < 0)
    AbutOrientedEvaluate(sm->surface, &sm->spec, pair, x, &with, state);
  else
    AbutOrientedEvaluatePlane(sm->surface, &sm->spec, pair, c->planes[contact->plane].normal, PlaneHeight(c, contact->plane, pair->a, x), x,
                              &with, state);
  PetscFunctionReturn(0);
}
