/* One contact, a pair of primitives or a vertex and a half space: stencil, value and derivatives. */
#include "oriented.h"

static PetscInt ContactSize(const AbutOriented *sm, const AbutOrientedContact *contact)
{
  AbutOrientedPrimitive p;

  if (contact->plane < 0) return AbutOrientedPairSize(sm->surface, &contact->pair);
  AbutOrientedGetPrimitive(sm->surface, ABUT_ORIENTED_VERTEX, contact->pair.a, &p);
  return p.n;
}

void AbutOrientedContactVertices(const AbutOriented *sm, const AbutOrientedContact *contact, PetscInt v[])
{
  AbutOrientedPrimitive p;

  if (contact->plane < 0) {
    AbutOrientedPairVertices(sm->surface, &contact->pair, v);
    return;
  }
  AbutOrientedGetPrimitive(sm->surface, ABUT_ORIENTED_VERTEX, contact->pair.a, &p);
  (void)PetscArraycpy(v, p.v, p.n);
}

PetscErrorCode AbutOrientedReserve(AbutOriented *sm, const AbutOrientedContact *contact, PetscInt *n)
{
  const PetscInt dim = sm->surface->dim;

  PetscFunctionBegin;
  *n = ContactSize(sm, contact);
  PetscCall(Reserve(&sm->work.slots, *n, sizeof(PetscInt)));
  PetscCall(Reserve(&sm->work.used, *n + 1, sizeof(PetscBool)));
  PetscCall(Reserve(&sm->work.scratch, (PetscInt)AbutOrientedScratch(dim, *n) + dim * *n, sizeof(PetscReal)));
  PetscFunctionReturn(0);
}

void AbutOrientedEvaluateContact(AbutOriented *sm, const AbutCandidates *c, const AbutOrientedContact *contact, const PetscReal x[],
                                 const AbutOrientedOutput *out, AbutOrientedPairState *state)
{
  AbutOrientedOutput with = *out;

  with.scratch = sm->work.scratch.data;
  if (contact->plane < 0) {
    AbutOrientedEvaluate(sm->surface, &sm->spec, &contact->pair, x, &with, state);
  } else {
    const PetscInt              vertex = contact->pair.a;
    const AbutOrientedPlanePair pair   = {vertex, c->planes[contact->plane].normal, PlaneHeight(c, contact->plane, vertex, x),
                                          contact->pair.dhat};
    AbutOrientedEvaluatePlane(sm->surface, &sm->spec, &pair, x, &with, state);
  }
}
