/*
  The part of a message that describes one-rings: the faces at the vertices of the sent entities, and the edges there that have no faces,
  except the sent entities themselves; then activation distances, if there are any, of vertices, faces with their edges, edges, curves.

  PetscInt header[2] (faces, edges); the id and vertices of each face, the vertices of each edge, vertices by position in the message; then,
  at a multiple of 8 bytes, activation distances as reals. The edges of faces follow from their vertices.
*/
#include "contactimpl.h"

enum { HEADER = 2, FACE_INTS = 4, EDGE_INTS = 2 };

/* Activation distances sent with an entity of each kind; 0: the kind has no number in the one-rings. */
static const int num_dhat[NUM_KINDS] = {[FACE] = 4, [EDGE] = 1, [CURVE] = 1};

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

/* Bytes of the integers, rounded up so that reals may follow. */
static inline size_t IntBytes(PetscInt num_faces, PetscInt num_edges)
{
  return (sizeof(PetscInt) * (HEADER + FACE_INTS * (size_t)num_faces + EDGE_INTS * (size_t)num_edges) + 7) / 8 * 8;
}

size_t AbutRingBytes(const AbutSendBuffer *buffer)
{
  size_t reals = 0;

  if (buffer->contact->ring.one_ring->vertex_dhat) {
    reals = (size_t)buffer->num_vertices;
    for (int kind = 0; kind < NUM_KINDS; kind++) reals += (size_t)(num_dhat[kind] * buffer->count[kind]);
  }
  return IntBytes(buffer->num_faces, buffer->num_edges) + sizeof(PetscReal) * reals;
}

static void PackDhat(const AbutSendBuffer *buffer, PetscReal *to)
{
  const AbutContact  c = buffer->contact;
  const AbutOneRing *r = c->ring.one_ring;

  for (int32_t i = 0; i < buffer->num_vertices; i++) *to++ = r->vertex_dhat[buffer->vertices[i]];
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    for (int32_t i = 0; i < buffer->count[kind] && num_dhat[kind]; i++) {
      const int32_t entity = c->marks.entity_list[buffer->offset[kind] + i];

      if (kind == FACE) {
        *to++ = r->face_dhat[entity];
        for (int k = 0; k < 3; k++) *to++ = r->edge_dhat[r->face_edge[entity][k]];
      } else
        *to++ = r->edge_dhat[kind == CURVE ? c->ring.curve[entity] : entity];
    }
  }
}

void AbutRingPack(const AbutSendBuffer *buffer, void *message)
{
  const AbutMarks   *marks = &buffer->contact->marks;
  const AbutOneRing *r     = buffer->contact->ring.one_ring;
  PetscInt          *to    = (PetscInt *)message;

  *to++ = buffer->num_faces;
  *to++ = buffer->num_edges;
  for (int32_t i = 0; i < buffer->num_faces; i++) {
    *to++ = r->face_id[marks->face_list[i]];
    for (int k = 0; k < 3; k++) *to++ = marks->vertex_slot[r->faces[marks->face_list[i]][k]];
  }
  for (int32_t i = 0; i < buffer->num_edges; i++) {
    for (int k = 0; k < 2; k++) *to++ = marks->vertex_slot[r->edges[marks->edge_list[i]][k]];
  }
  if (r->vertex_dhat) PackDhat(buffer, (PetscReal *)((char *)message + IntBytes(buffer->num_faces, buffer->num_edges)));
}

/* Activation distances of one entity. */
static const PetscReal *UnpackDhat(AbutContact contact, int kind, PetscInt number, const AbutSurfaceDhat *dhat, const PetscReal *from)
{
  if (kind == FACE) {
    dhat->face[number] = *from++;
    for (int k = 0; k < 3; k++) dhat->edge[contact->ring.one_ring->face_edge[number][k]] = *from++;
  } else
    dhat->edge[number] = *from++;
  return from;
}

/* Numbers of the entities of one neighbour, count[kind] of each kind, the first at position at[kind] in the sequence of arrival. */
static PetscErrorCode UnpackEntities(AbutContact contact, const PetscInt count[], PetscInt at[], const AbutSurfaceDhat *dhat,
                                     const PetscReal *from)
{
  AbutContactRing *ring = &contact->ring;

  PetscFunctionBegin;
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    const AbutEntities *e = &contact->search.copies[kind];

    for (PetscInt i = 0; i < count[kind] && num_dhat[kind]; i++) {
      const int32_t  entity = e->tree.order[at[kind] + i], *v = e->v + (size_t)e->nv * (size_t)entity;
      const PetscInt vertices[3] = {v[0], v[1], kind == FACE ? v[2] : -1};
      PetscInt      *number      = &ring->copied[kind].a[entity];

      if (kind == FACE)
        PetscCall(AbutSurfaceAddFace(ring->surface, e->id[entity], vertices, number));
      else
        PetscCall(AbutSurfaceAddEdge(ring->surface, vertices[0], vertices[1], number));
      if (from) from = UnpackDhat(contact, kind, *number, dhat, from);
    }
    at[kind] += count[kind];
  }
  PetscFunctionReturn(0);
}

/* Faces and edges of the one-rings beyond the entities. */
static PetscErrorCode UnpackSurrounding(AbutSurface surface, const PetscInt *from, const int32_t slot[])
{
  const PetscInt num_faces = from[0], num_edges = from[1];
  PetscInt       number;

  PetscFunctionBegin;
  from += HEADER;
  for (PetscInt i = 0; i < num_faces; i++, from += FACE_INTS)
    PetscCall(AbutSurfaceAddFace(surface, from[0], (const PetscInt[]){slot[from[1]], slot[from[2]], slot[from[3]]}, &number));
  for (PetscInt i = 0; i < num_edges; i++, from += EDGE_INTS) PetscCall(AbutSurfaceAddEdge(surface, slot[from[0]], slot[from[1]], &number));
  PetscFunctionReturn(0);
}

/* Announces all faces and edges of the messages to the surface. */
static PetscErrorCode BeginCopies(AbutContact contact, PetscMPIInt n, const void *const from[])
{
  AbutContactRing *ring  = &contact->ring;
  AbutSweep       *sweep = &contact->search;
  PetscInt         faces = 0, edges = 0;
  PetscBool        any = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscMPIInt s = 0; s < n; s++) {
    faces += ((const PetscInt *)from[s])[0];
    edges += ((const PetscInt *)from[s])[1];
  }
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    const PetscInt count = sweep->copies[kind].n;

    any = (PetscBool)(any || count > 0);
    if (kind == FACE) faces += count;
    if (kind == EDGE || kind == CURVE) edges += count;
    PetscCall(AbutReserve(count, &ring->copied[kind].capacity, &ring->copied[kind].a));
  }
  PetscCall(AbutSurfaceBeginCopies(ring->surface, sweep->num_vertices, sweep->id, any, faces, edges));
  PetscFunctionReturn(0);
}

/* Completes the one-rings. */
static PetscErrorCode EndCopies(AbutContact contact)
{
  AbutSweep *sweep = &contact->search;

  PetscFunctionBegin;
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    const AbutEntities *e = &sweep->copies[kind];

    PetscCall(AbutSurfaceMarkComplete(contact->ring.surface, e->n * e->nv, e->v));
  }
  PetscCall(AbutSurfaceEndCopies(contact->ring.surface, sweep->body));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRingUnpack(AbutContact contact, const PetscInt *const message[], const void *const from[], const int32_t slot[])
{
  const AbutExchange *ex            = &contact->search.neighbours.exchange;
  PetscInt            at[NUM_KINDS] = {0};
  AbutSurfaceDhat     dhat;

  PetscFunctionBegin;
  PetscCall(BeginCopies(contact, ex->num_recv, from));
  PetscCall(AbutSurfaceGetDhat(contact->ring.surface, &dhat));
  for (PetscMPIInt s = 0; s < ex->num_recv; s++) {
    const PetscInt  *header = (const PetscInt *)from[s], num_vertices = message[s][0];
    const PetscReal *real = (const PetscReal *)((const char *)from[s] + IntBytes(header[0], header[1]));

    for (PetscInt i = 0; i < num_vertices && dhat.vertex; i++) dhat.vertex[slot[ex->recv_start[s] + i]] = *real++;
    PetscCall(UnpackEntities(contact, message[s] + 1, at, &dhat, dhat.vertex ? real : NULL));
  }
  for (PetscMPIInt s = 0; s < ex->num_recv; s++)
    PetscCall(UnpackSurrounding(contact->ring.surface, (const PetscInt *)from[s], slot + ex->recv_start[s]));
  PetscCall(EndCopies(contact));
  PetscFunctionReturn(0);
}
