/* One-rings of the candidates: curves, remote vertices. */
#include "contactimpl.h"

/* Edges without faces become entities of their own. */
static PetscErrorCode SetCurves(AbutContact contact)
{
  const AbutMeshLocal *m    = contact->m;
  AbutContactRing     *ring = &contact->ring;
  AbutEntities        *e    = &contact->local[CURVE];
  PetscInt             n;

  PetscFunctionBegin;
  PetscCall(AbutSurfaceGetCurves(ring->surface, &n, &ring->curve, &ring->any_curves));
  PetscCall(AbutEntitiesReserve(e, (int32_t)n));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt *v = m->edges + 2 * ring->curve[i];

    for (int k = 0; k < 2; k++) e->v[2 * i + k] = (int32_t)v[k];
    e->id[i]       = m->edge_id[ring->curve[i]];
    e->obstacle[i] = (unsigned char)m->bodies[m->vertex_body[v[0]]].obstacle;
  }
  PetscFunctionReturn(0);
}

/* Marks for all that a message may contain with one-rings. */
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

/* The remote vertices follow the vertices of the mesh. */
static PetscErrorCode PlaceRemoteVertices(AbutContact contact)
{
  const AbutRemoteVertices *r     = &contact->ring.remote;
  AbutSweep                *sweep = &contact->search;
  const PetscInt            first = contact->m->num_local, dim = contact->m->dim;

  PetscFunctionBegin;
  sweep->num_fixed = first + r->num;
  PetscCall(AbutSweepReserve(sweep, dim, sweep->num_fixed));
  PetscCall(PetscArraycpy(sweep->global + first, r->global, r->num));
  PetscCall(PetscArraycpy(sweep->id + first, r->id, r->num));
  PetscCall(PetscArraycpy(sweep->body + first, r->body, r->num));
  PetscCall(PetscArraycpy(sweep->rest + dim * first, r->rest, dim * r->num));
  PetscCall(PetscArraycpy(sweep->x + dim * first, r->rest, dim * r->num));
  PetscCall(PetscArrayzero(sweep->p + dim * first, dim * r->num));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRingCreate(AbutContact contact)
{
  AbutContactRing *ring = &contact->ring;

  PetscFunctionBegin;
  if (!ring->surface) {
    PetscCall(AbutSurfaceCreate(contact->mesh, &contact->traffic, &ring->surface));
    PetscCall(AbutSurfaceGetOneRing(ring->surface, &ring->one_ring));
    PetscCall(AbutSurfaceGetRemoteVertices(ring->surface, &ring->remote));
    PetscCall(SetCurves(contact));
    PetscCall(GrowMarks(contact));
  }
  PetscCall(PlaceRemoteVertices(contact));
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
