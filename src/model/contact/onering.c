/* One-rings of the candidates: curves, remote vertices. */
#include "contactimpl.h"

/* Makes entities of kind CURVE from the edges without faces, and appends the remote vertices to the vertices of the mesh. */
PetscErrorCode AbutRingCreate(AbutContact contact)
{
  const AbutMeshLocal *m    = contact->m;
  AbutContactRing     *ring = &contact->ring;
  PetscInt             num_curves;

  PetscFunctionBegin;
  if (!ring->surface) {
    PetscCall(AbutSurfaceCreate(contact->mesh, &contact->traffic, &ring->surface));
    ring->one_ring = AbutSurfaceGetOneRing(ring->surface);
    ring->remote   = AbutSurfaceGetRemoteVertices(ring->surface);
    PetscCall(AbutSurfaceGetCurves(ring->surface, &num_curves, &ring->curve, &ring->any_curves));
    PetscCall(AbutContactSetEntities(contact, CURVE, num_curves, ring->curve, m->edges, m->edge_id));
  }
  PetscCall(AbutSweepAddFixed(&contact->search, m->dim, &ring->remote));
  PetscCall(AbutMarksReserve(contact));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRingDestroy(AbutContactRing *ring)
{
  PetscFunctionBegin;
  PetscCall(AbutSurfaceDestroy(&ring->surface));
  for (int kind = 0; kind < NUM_KINDS; kind++) PetscCall(PetscFree(ring->copied[kind].a));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRingSetPositions(AbutContact contact)
{
  AbutSweep *sweep = &contact->search;

  PetscFunctionBegin;
  PetscCall(AbutSurfaceBroadcast(contact->ring.surface, contact->m->dim, sweep->x));
  PetscCall(AbutSurfaceBroadcast(contact->ring.surface, contact->m->dim, sweep->p));
  PetscFunctionReturn(0);
}
