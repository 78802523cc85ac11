/*
  The part of a message that describes one-rings: the faces at the vertices of the sent entities, and the edges there that have no faces,
  except the sent entities themselves; then activation distances, if there are any.

  Integers: numbers of faces and of edges; the id and vertices of each face, the vertices of each edge, vertices by position in the message.
  The edges of faces follow from their vertices. Reals: activation distances of vertices, of faces with their edges, of edges, of curves.

  A reader takes integers and reals from two separate sequences.

  A message that moves candidates has the same integers, with all faces and edges at the vertices of the candidates, and then the id of the
  face of each candidate that has one. Reals: activation distances of vertices, of the faces with their edges and the edges of candidates.
*/
#include "contactimpl.h"

/* Whether entities of a kind have a number in the one-rings. */
static inline PetscBool IsNumbered(int kind)
{
  return (PetscBool)(kind != POINT);
}

/* Whether entity i is one of the message. Messages that move candidates have no entities: none has their stamp. */
static inline PetscBool IsSent(const AbutSendBuffer *buffer, int kind, PetscInt i)
{
  const AbutContact c = buffer->contact;

  return (PetscBool)(i < c->local[kind].n && c->marks.entity[buffer->offset[kind] + i] == buffer->stamp);
}

static void CollectFaces(AbutSendBuffer *buffer, PetscInt v)
{
  AbutMarks         *marks = &buffer->contact->marks;
  const AbutOneRing *r     = buffer->contact->ring.one_ring;

  for (PetscInt j = r->vertex_face_start[v]; j < r->vertex_face_start[v + 1]; j++) {
    const PetscInt f = r->vertex_face[j];

    if (marks->face[f] == buffer->stamp) continue;
    marks->face[f] = buffer->stamp;
    if (IsSent(buffer, FACE, f)) continue;
    marks->face_list[buffer->num_faces++] = (int32_t)f;
    for (int k = 0; k < 3; k++) AbutSendBufferAddVertex(buffer, r->faces[f][k]);
  }
}

static void CollectEdges(AbutSendBuffer *buffer, PetscInt v)
{
  AbutMarks         *marks = &buffer->contact->marks;
  const AbutOneRing *r     = buffer->contact->ring.one_ring;

  for (PetscInt j = r->vertex_edge_start[v]; j < r->vertex_edge_start[v + 1]; j++) {
    const PetscInt e = r->vertex_edge[j];

    if (r->edge_face_start[e] < r->edge_face_start[e + 1] || marks->edge[e] == buffer->stamp) continue;
    marks->edge[e] = buffer->stamp;
    if (IsSent(buffer, EDGE, e)) continue;
    marks->edge_list[buffer->num_edges++] = (int32_t)e;
    for (int k = 0; k < 2; k++) AbutSendBufferAddVertex(buffer, r->edges[e][k]);
  }
}

void AbutRingCollect(AbutSendBuffer *buffer)
{
  const int32_t n = buffer->num_vertices; /* of the entities */

  buffer->num_faces = buffer->num_edges = 0;
  for (int32_t i = 0; i < n; i++) {
    CollectFaces(buffer, buffer->vertices[i]);
    CollectEdges(buffer, buffer->vertices[i]);
  }
}

static PetscErrorCode PackSlots(AbutSendBuffer *buffer, int n, const PetscInt v[])
{
  PetscFunctionBegin;
  for (int k = 0; k < n; k++) PetscCall(AbutIntsPush(&buffer->ints, 1, (PetscInt[]){buffer->contact->marks.vertex_slot[v[k]]}));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRingPackSurrounding(AbutSendBuffer *buffer)
{
  const AbutMarks   *marks = &buffer->contact->marks;
  const AbutOneRing *r     = buffer->contact->ring.one_ring;

  PetscFunctionBegin;
  PetscCall(AbutIntsPush(&buffer->ints, 2, (PetscInt[]){buffer->num_faces, buffer->num_edges}));
  for (int32_t i = 0; i < buffer->num_faces; i++) {
    PetscCall(AbutIntsPush(&buffer->ints, 1, &r->face_id[marks->face_list[i]]));
    PetscCall(PackSlots(buffer, 3, r->faces[marks->face_list[i]]));
  }
  for (int32_t i = 0; i < buffer->num_edges; i++) PetscCall(PackSlots(buffer, 2, r->edges[marks->edge_list[i]]));
  for (PetscInt i = 0; i < buffer->num_vertices && r->vertex_dhat; i++)
    PetscCall(AbutRealsPush(&buffer->reals, 1, &r->vertex_dhat[buffer->vertices[i]]));
  PetscFunctionReturn(0);
}

/* The activation distances of a face and its edges, or of an edge, if there are any. */
static PetscErrorCode PackDhat(AbutSendBuffer *buffer, int kind, PetscInt number)
{
  const AbutOneRing *r = buffer->contact->ring.one_ring;

  PetscFunctionBegin;
  if (!r->vertex_dhat) PetscFunctionReturn(0);
  if (kind == FACE) PetscCall(AbutRealsPush(&buffer->reals, 1, &r->face_dhat[number]));
  for (int k = 0; k < (kind == FACE ? 3 : 1); k++)
    PetscCall(AbutRealsPush(&buffer->reals, 1, &r->edge_dhat[kind == FACE ? r->face_edge[number][k] : number]));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRingPack(AbutSendBuffer *buffer)
{
  const AbutContact c = buffer->contact;

  PetscFunctionBegin;
  PetscCall(AbutRingPackSurrounding(buffer));
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    for (PetscInt i = 0; i < buffer->count[kind] && IsNumbered(kind); i++) {
      const int32_t entity = c->marks.entity_list[buffer->offset[kind] + i];

      PetscCall(PackDhat(buffer, kind, kind == CURVE ? c->ring.curve[entity] : entity));
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRingPackPrimitive(AbutSendBuffer *buffer, int kind, PetscInt number)
{
  PetscFunctionBegin;
  if (kind == FACE) PetscCall(AbutIntsPush(&buffer->ints, 1, &buffer->contact->ring.one_ring->face_id[number]));
  PetscCall(PackDhat(buffer, kind, number));
  PetscFunctionReturn(0);
}

/* Reads the activation distances of one entity. */
static void UnpackDhat(AbutContact contact, int kind, PetscInt number, const AbutSurfaceDhat *dhat, AbutReader *from)
{
  if (kind == FACE) dhat->face[number] = *from->reals++;
  for (int k = 0; k < (kind == FACE ? 3 : 1); k++)
    dhat->edge[kind == FACE ? contact->ring.one_ring->face_edge[number][k] : number] = *from->reals++;
}

/* Numbers the entities of one neighbour, the first of each kind at position at[kind] in the sequence of arrival. */
static PetscErrorCode UnpackEntities(AbutContact contact, PetscInt at[], const AbutSurfaceDhat *dhat, AbutReader *from)
{
  AbutContactRing *ring = &contact->ring;

  PetscFunctionBegin;
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    const AbutEntities *e = &contact->search.copies[kind];

    for (PetscInt i = 0; i < from->count[1 + kind] && IsNumbered(kind); i++) {
      const int32_t entity = e->tree.order[at[kind] + i], *v = e->v + (size_t)e->nv * (size_t)entity;
      PetscInt     *number = &ring->copied[kind].a[entity];

      if (kind == FACE)
        PetscCall(AbutSurfaceAddFace(ring->surface, e->id[entity], (const PetscInt[]){v[0], v[1], v[2]}, number));
      else
        PetscCall(AbutSurfaceAddEdge(ring->surface, v[0], v[1], number));
      if (dhat->vertex) UnpackDhat(contact, kind, *number, dhat, from);
    }
    at[kind] += from->count[1 + kind];
  }
  PetscFunctionReturn(0);
}

/* Faces and edges of the one-rings beyond the entities. */
static PetscErrorCode AddSurrounding(AbutSurface surface, const int32_t slot[], AbutReader *from)
{
  const PetscInt num_faces = *from->ints++, num_edges = *from->ints++;
  PetscInt       number;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < num_faces; i++, from->ints += 4) {
    const PetscInt *v = from->ints + 1;
    PetscCall(AbutSurfaceAddFace(surface, from->ints[0], (const PetscInt[]){slot[v[0]], slot[v[1]], slot[v[2]]}, &number));
  }
  for (PetscInt i = 0; i < num_edges; i++, from->ints += 2)
    PetscCall(AbutSurfaceAddEdge(surface, slot[from->ints[0]], slot[from->ints[1]], &number));
  PetscFunctionReturn(0);
}

static void UnpackVertexDhat(const AbutSurfaceDhat *dhat, const int32_t slot[], AbutReader *from)
{
  for (PetscInt i = 0; i < from->count[0] && dhat->vertex; i++) dhat->vertex[slot[i]] = *from->reals++;
}

/* Announces all faces and edges of the messages to the surface. */
static PetscErrorCode BeginCopies(AbutContact contact, PetscMPIInt n, const AbutReader from[])
{
  AbutContactRing *ring  = &contact->ring;
  AbutSweep       *sweep = &contact->search;
  PetscInt         faces = sweep->copies[FACE].n, edges = sweep->copies[EDGE].n + sweep->copies[CURVE].n;
  const PetscBool  any = (PetscBool)(faces + edges + sweep->copies[POINT].n > 0);

  PetscFunctionBegin;
  for (PetscMPIInt s = 0; s < n; s++) {
    faces += from[s].ints[0];
    edges += from[s].ints[1];
  }
  for (int kind = 0; kind < NUM_KINDS; kind++)
    PetscCall(AbutReserve(sweep->copies[kind].n, &ring->copied[kind].capacity, &ring->copied[kind].a));
  PetscCall(AbutSurfaceBeginCopies(ring->surface, sweep->num_vertices, sweep->id, any, faces, edges));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRingUnpack(AbutContact contact, AbutReader from[], const int32_t slot[])
{
  const AbutSweep    *sweep         = &contact->search;
  const AbutExchange *ex            = &sweep->neighbours.exchange;
  AbutSurface         surface       = contact->ring.surface;
  PetscInt            at[NUM_KINDS] = {0};
  AbutSurfaceDhat     dhat;

  PetscFunctionBegin;
  PetscCall(BeginCopies(contact, ex->num_recv, from));
  dhat = AbutSurfaceGetDhat(surface);
  for (PetscMPIInt s = 0; s < ex->num_recv; s++) {
    UnpackVertexDhat(&dhat, slot + ex->recv_start[s], &from[s]);
    PetscCall(UnpackEntities(contact, at, &dhat, &from[s]));
  }
  for (PetscMPIInt s = 0; s < ex->num_recv; s++) PetscCall(AddSurrounding(surface, slot + ex->recv_start[s], &from[s]));
  for (int kind = 0; kind < NUM_KINDS; kind++)
    AbutSurfaceMarkComplete(surface, sweep->copies[kind].n * sweep->copies[kind].nv, sweep->copies[kind].v);
  PetscCall(AbutSurfaceEndCopies(surface, sweep->body));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRingUnpackSurrounding(AbutContact contact, const int32_t slot[], AbutReader *from)
{
  const AbutSweep *sweep   = &contact->search;
  AbutSurface      surface = contact->ring.surface;
  AbutSurfaceDhat  dhat;

  PetscFunctionBegin;
  PetscCall(AbutSurfaceExtendCopies(surface, sweep->num_vertices, sweep->id, from->ints[0], from->ints[1]));
  dhat = AbutSurfaceGetDhat(surface);
  UnpackVertexDhat(&dhat, slot, from);
  PetscCall(AddSurrounding(surface, slot, from));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRingUnpackPrimitive(AbutContact contact, int kind, const PetscInt v[], AbutReader *from, PetscInt *number)
{
  AbutSurface           surface = contact->ring.surface;
  const AbutSurfaceDhat dhat    = AbutSurfaceGetDhat(surface);

  PetscFunctionBegin;
  if (kind == FACE)
    PetscCall(AbutSurfaceAddFace(surface, *from->ints++, v, number));
  else
    PetscCall(AbutSurfaceAddEdge(surface, v[0], v[1], number));
  if (dhat.vertex) UnpackDhat(contact, kind, *number, &dhat, from);
  PetscFunctionReturn(0);
}
