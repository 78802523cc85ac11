/* One-rings of the candidates: curves, remote vertices. */
#include "contactimpl.h"

/* Makes room to mark every entity, vertex, face and edge that a message with one-rings may contain. */
static PetscErrorCode GrowMarks(AbutContact contact)
{
  AbutMarks         *marks    = &contact->marks;
  const AbutOneRing *one_ring = contact->ring.one_ring;
  const PetscInt     vertices = contact->m->num_local + contact->ring.remote.num;
  PetscInt           entities = 0;

  PetscFunctionBegin;
  for (int kind = 0; kind < NUM_KINDS; kind++) entities += contact->local[kind].n;
  PetscCall(PetscFree4(marks->entity, marks->entity_list, marks->vertex, marks->vertex_slot));
  PetscCall(PetscCalloc4(entities, &marks->entity, entities, &marks->entity_list, vertices, &marks->vertex, vertices, &marks->vertex_slot));
  PetscCall(PetscCalloc4(one_ring->num_faces, &marks->face, one_ring->num_edges, &marks->edge, one_ring->num_faces, &marks->face_list,
                         one_ring->num_edges, &marks->edge_list));
  PetscFunctionReturn(0);
}

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
    PetscCall(GrowMarks(contact));
  }
  PetscCall(AbutSweepAddFixed(&contact->search, m->dim, &ring->remote));
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
