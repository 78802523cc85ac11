/*
  What messages carry besides if rings are wanted: the faces at the vertices of the entities sent, and the edges there that have no
  faces, as far as they are not among the entities; then, if there are ranges, those of vertices, faces with their edges, edges, curves.

  PetscInt head[2] (faces, edges); for each face its id and vertices by place in the message, for each edge its vertices; then, at a
  multiple of 8 bytes, ranges as reals. Edges of faces are not sent: their vertices name them.
*/
#include "rings.h"

enum { HEAD = 2, FACE_INTS = 4, EDGE_INTS = 2 };

/* Ranges that an entity of a kind brings. */
static const int range_reals[NUM_KINDS] = {[FACE] = 4, [EDGE] = 1, [CURVE] = 1};

static inline PetscBool IsSent(const AbutParcel *parcel, int kind, PetscInt row)
{
  const AbutContact c = parcel->contact;

  return (PetscBool)(row < c->local[kind].n && c->entity_mark[parcel->offset[kind] + row] == parcel->stamp);
}

void AbutRingsFill(AbutParcel *parcel)
{
  AbutRingStore *r = &parcel->contact->rings;
  const int32_t  n = parcel->num_vertices;

  parcel->num_faces = parcel->num_edges = 0;
  for (int32_t i = 0; i < n; i++) {
    const PetscInt v = parcel->vertices[i];

    for (PetscInt j = r->vertex_face.start[v]; j < r->vertex_face.start[v + 1]; j++) {
      const PetscInt f = r->vertex_face.item[j];

      if (r->face_mark[f] == parcel->stamp) continue;
      r->face_mark[f] = parcel->stamp;
      if (IsSent(parcel, FACE, f)) continue;
      r->star_face[parcel->num_faces++] = (int32_t)f;
      for (int k = 0; k < 3; k++) AbutParcelAddVertex(parcel, r->faces[f][k]);
    }
    for (PetscInt j = r->vertex_edge.start[v]; j < r->vertex_edge.start[v + 1]; j++) {
      const PetscInt e = r->vertex_edge.item[j];

      if (r->edge_face.start[e] < r->edge_face.start[e + 1] || r->edge_mark[e] == parcel->stamp) continue;
      r->edge_mark[e] = parcel->stamp;
      if (IsSent(parcel, EDGE, e)) continue;
      r->star_edge[parcel->num_edges++] = (int32_t)e;
      for (int k = 0; k < 2; k++) AbutParcelAddVertex(parcel, r->edges[e][k]);
    }
  }
}

/* Bytes of the integers, rounded up so that reals may follow. */
static inline size_t IntBytes(PetscInt num_faces, PetscInt num_edges)
{
  return (sizeof(PetscInt) * (HEAD + FACE_INTS * (size_t)num_faces + EDGE_INTS * (size_t)num_edges) + 7) / 8 * 8;
}

size_t AbutRingsBytes(const AbutParcel *parcel)
{
  size_t reals = 0;

  if (parcel->contact->rings.ranged) {
    reals = (size_t)parcel->num_vertices;
    for (int kind = 0; kind < NUM_KINDS; kind++) reals += (size_t)(range_reals[kind] * parcel->count[kind]);
  }
  return IntBytes(parcel->num_faces, parcel->num_edges) + sizeof(PetscReal) * reals;
}

static void PackRanges(const AbutParcel *parcel, PetscReal *to)
{
  const AbutContact    c = parcel->contact;
  const AbutRingStore *r = &c->rings;

  for (int32_t i = 0; i < parcel->num_vertices; i++) *to++ = r->vertex_range[parcel->vertices[i]];
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    for (int32_t i = 0; i < parcel->count[kind] && range_reals[kind]; i++) {
      const int32_t entity = c->entity_hit[parcel->offset[kind] + i];

      if (kind == FACE) {
        *to++ = r->face_range[entity];
        for (int k = 0; k < 3; k++) *to++ = r->edge_range[r->face_edge[entity][k]];
      } else
        *to++ = r->edge_range[kind == CURVE ? r->curve[entity] : entity];
    }
  }
}

void AbutRingsPack(const AbutParcel *parcel, void *message)
{
  const AbutContact    c  = parcel->contact;
  const AbutRingStore *r  = &c->rings;
  PetscInt            *to = (PetscInt *)message;

  *to++ = parcel->num_faces;
  *to++ = parcel->num_edges;
  for (int32_t i = 0; i < parcel->num_faces; i++) {
    *to++ = r->face_id[r->star_face[i]];
    for (int k = 0; k < 3; k++) *to++ = c->vertex_slot[r->faces[r->star_face[i]][k]];
  }
  for (int32_t i = 0; i < parcel->num_edges; i++) {
    for (int k = 0; k < 2; k++) *to++ = c->vertex_slot[r->edges[r->star_edge[i]][k]];
  }
  if (r->ranged) PackRanges(parcel, (PetscReal *)((char *)message + IntBytes(parcel->num_faces, parcel->num_edges)));
}

/* Rows of the entities of partner s, count[kind] of each kind, the first of which came as number at[kind]; ranges follow one another. */
static void UnpackEntities(AbutContact contact, const PetscInt count[], PetscInt at[], const PetscReal *range)
{
  AbutRingStore *r = &contact->rings;

  for (int kind = 0; kind < NUM_KINDS; kind++) {
    const AbutEntities *e = &contact->search.import[kind];

    for (PetscInt i = 0; i < count[kind] && range_reals[kind]; i++) {
      const int32_t  entity = e->tree.order[at[kind] + i];
      const int32_t *v      = e->v + (size_t)e->nv * (size_t)entity;
      const int32_t  row    = kind == FACE ? AbutRingsAddFace(contact, COPIED, e->id[entity], (const PetscInt[]){v[0], v[1], v[2]})
                                           : AbutRingsAddEdge(contact, COPIED, v[0], v[1]);

      r->import[kind][entity] = row;
      if (!range) continue;
      if (kind == FACE) {
        r->face_range[row] = *range++;
        for (int k = 0; k < 3; k++) r->edge_range[r->face_edge[row][k]] = *range++;
      } else
        r->edge_range[row] = *range++;
    }
    at[kind] += count[kind];
  }
}

/* What surrounds them. */
static void UnpackStars(AbutContact contact, const PetscInt *from, const int32_t slot[])
{
  const PetscInt num_faces = from[0], num_edges = from[1];

  from += HEAD;
  for (PetscInt i = 0; i < num_faces; i++, from += FACE_INTS)
    (void)AbutRingsAddFace(contact, COPIED, from[0], (const PetscInt[]){slot[from[1]], slot[from[2]], slot[from[3]]});
  for (PetscInt i = 0; i < num_edges; i++, from += EDGE_INTS) (void)AbutRingsAddEdge(contact, COPIED, slot[from[0]], slot[from[1]]);
}

/* Makes room for all that the messages bring, were it all new. */
static PetscErrorCode Prepare(AbutContact contact, PetscMPIInt n, const void *const from[])
{
  AbutRingStore  *r         = &contact->rings;
  const PetscBool were_here = r->copies;
  PetscInt        faces = 0, edges = 0;

  PetscFunctionBegin;
  r->copies    = PETSC_FALSE;
  r->num_faces = r->num_fixed_faces;
  r->num_edges = r->num_fixed_edges;
  for (PetscMPIInt s = 0; s < n; s++) {
    faces += ((const PetscInt *)from[s])[0];
    edges += ((const PetscInt *)from[s])[1];
  }
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    const PetscInt count = contact->search.import[kind].n;

    r->copies = (PetscBool)(r->copies || count > 0);
    if (kind == FACE) faces += count;
    if (kind == EDGE || kind == CURVE) edges += count;
    PetscCall(PetscFree(r->import[kind]));
    PetscCall(PetscMalloc1(count, &r->import[kind]));
  }
  edges += 3 * faces;
  PetscCall(AbutRingsReserve(r, r->num_faces + faces, r->num_edges + edges));
  r->current = (PetscBool)(r->current && !r->copies && !were_here);
  PetscCall(AbutVertexMapReset(&r->face_map[COPIED], (size_t)faces));
  PetscCall(AbutVertexMapReset(&r->edge_map[COPIED], (size_t)edges));
  PetscCall(AbutRingsReserveVertices(r, contact->search.num_vertices));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRingsUnpack(AbutContact contact, const PetscInt *const message[], const void *const from[], const int32_t slot[])
{
  const AbutPartners *p             = &contact->search.partners;
  PetscInt            at[NUM_KINDS] = {0};

  PetscFunctionBegin;
  PetscCall(Prepare(contact, p->num, from));
  for (PetscMPIInt s = 0; s < p->num; s++) {
    const PetscInt  *head = (const PetscInt *)from[s], num_vertices = message[s][0];
    const PetscReal *range = (const PetscReal *)((const char *)from[s] + IntBytes(head[0], head[1]));

    for (PetscInt i = 0; i < num_vertices && contact->rings.ranged; i++) contact->rings.vertex_range[slot[p->recv_start[s] + i]] = *range++;
    UnpackEntities(contact, message[s] + 1, at, contact->rings.ranged ? range : NULL);
  }
  for (PetscMPIInt s = 0; s < p->num; s++) UnpackStars(contact, (const PetscInt *)from[s], slot + p->recv_start[s]);
  PetscFunctionReturn(0);
}
