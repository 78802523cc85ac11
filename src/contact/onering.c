/* One-rings of the candidates: remote vertices, numbers of faces and edges. */
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
  AbutCandidateNumbers *n = &ring->numbers;

  PetscFunctionBegin;
  PetscCall(AbutSurfaceDestroy(&ring->surface));
  for (int kind = 0; kind < NUM_KINDS; kind++) PetscCall(PetscFree(ring->copied[kind].a));
  PetscCall(PetscFree(n->fv.a));
  PetscCall(PetscFree(n->ee.a));
  PetscCall(PetscFree(n->ev.a));
  PetscCall(PetscFree(n->free_ev.a));
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

void AbutRingBeginCandidates(AbutContactRing *ring)
{
  AbutCandidateNumbers *n = &ring->numbers;

  n->fv.n = n->ee.n = n->ev.n = n->free_ev.n = 0;
}

/* Number of the face or edge of an entity. Entities of this rank are in the order of the mesh. */
static inline PetscInt NumberOf(AbutContact contact, int kind, const AbutEntities *set, int32_t i)
{
  if (set != &contact->local[kind]) return contact->ring.copied[kind].a[i];
  return kind == CURVE ? contact->ring.curve[i] : i;
}

PetscErrorCode AbutRingAddPairs(AbutContact contact, int kind, const AbutEntities *A, const AbutEntities *B, PetscInt n,
                                const AbutPair pairs[])
{
  AbutCandidateNumbers *numbers = &contact->ring.numbers;
  const PetscBool       points  = (PetscBool)(B->nv == 1);
  AbutInts             *to      = kind == FACE ? &numbers->fv : kind == CURVE ? &numbers->free_ev : points ? &numbers->ev : &numbers->ee;

  PetscFunctionBegin;
  PetscCall(AbutReserve(to->n + 2 * n, &to->capacity, &to->a));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt a = NumberOf(contact, kind, A, pairs[i][0]);

    if (kind == CURVE) to->a[to->n++] = B->v[pairs[i][1]];
    if (points) {
      to->a[to->n++] = a;
    } else {
      const PetscInt  b        = NumberOf(contact, kind, B, pairs[i][1]);
      const PetscBool in_order = (PetscBool)(A->id[pairs[i][0]] < B->id[pairs[i][1]]);

      to->a[to->n++] = in_order ? a : b;
      to->a[to->n++] = in_order ? b : a;
    }
  }
  PetscFunctionReturn(0);
}

void AbutRingEndCandidates(const AbutContactRing *ring, AbutCandidates *c)
{
  const AbutCandidateNumbers *n = &ring->numbers;

  c->one_ring    = ring->on ? ring->one_ring : NULL;
  c->fv_face     = ring->on ? n->fv.a : NULL;
  c->ee_edge     = ring->on ? (const PetscInt(*)[2])n->ee.a : NULL;
  c->ev_edge     = ring->on ? n->ev.a : NULL;
  c->num_free_ev = ring->on ? n->free_ev.n / 2 : 0;
  c->free_ev     = ring->on ? (const PetscInt(*)[2])n->free_ev.a : NULL;
}
