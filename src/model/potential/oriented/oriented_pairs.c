/* The surface that pairs are searched on; the value of a contact. */
#include "oriented.h"

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
    for (int kind = 0; kind < 3; kind++) PetscCall(AbutReserve(sm->surface->num[kind], &sm->capacity[kind], &sm->dhat[kind]));
    sm->version       = r->version;
    sm->adaptive.dhat = -1;
  }
  sm->surface->id = c->vertex_id;
  if (sm->adaptive.dhat != pot->dhat) CopyDhat(sm, pot->dhat);
  PetscFunctionReturn(0);
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
