/*
  Messages between neighbours: packing and unpacking.

  A message: PetscInt header[1 + NUM_KINDS] (vertices, entities of each kind); global index, id and body of each vertex; id and vertices of
  each entity, vertices by position in the message; then, at a multiple of 8 bytes, x, p and rest position of each vertex as reals; then
  the one-rings (onering_message.c).
*/
#include "contactimpl.h"

enum { HEADER = 1 + NUM_KINDS, VERTEX_INTS = 3, VERTEX_REALS = 3 };

static void Hit(void *ctx, int32_t entity)
{
  AbutSendBuffer     *buffer = (AbutSendBuffer *)ctx;
  AbutMarks          *marks  = &buffer->contact->marks;
  const int           kind   = buffer->kind;
  const AbutEntities *e      = &buffer->contact->local[kind];
  int32_t            *mark   = &marks->entity[buffer->offset[kind] + entity];

  if (*mark == buffer->stamp) return;
  *mark                                                            = buffer->stamp;
  marks->entity_list[buffer->offset[kind] + buffer->count[kind]++] = entity;
  for (int i = 0; i < e->nv; i++) AbutSendBufferAddVertex(buffer, e->v[(size_t)e->nv * entity + i]);
}

/* Converts a box of another rank to coordinates about the origin of this rank. */
static AbutBox LocalBox(const AbutSweep *sweep, const AbutRankBox *theirs)
{
  AbutBox box = {{0}, {0}};

  for (int k = 0; k < 3; k++) {
    const PetscReal o = sweep->origin[k], slack = 1e-15 * (PetscAbsReal(o) + PetscAbsReal(theirs->lo[k]) + PetscAbsReal(theirs->hi[k]));

    box.lo[k] = AbutFloatBelow(theirs->lo[k] - o - slack);
    box.hi[k] = AbutFloatAbove(theirs->hi[k] - o + slack);
  }
  return box;
}

/* Lists the local entities that overlap the boxes of another rank. */
static void Fill(const AbutSweep *sweep, AbutSendBuffer *buffer, PetscInt n, const AbutRankBox theirs[])
{
  AbutContact c = buffer->contact;

  for (int kind = 0; kind < NUM_KINDS; kind++) buffer->count[kind] = 0;
  buffer->num_vertices = 0;
  buffer->stamp        = ++c->marks.stamp;
  for (PetscInt i = 0; i < n && theirs[i].kind >= 0; i++) {
    const AbutBox box = LocalBox(sweep, &theirs[i]);

    for (int kind = 0; kind < NUM_KINDS; kind++) {
      buffer->kind = kind;
      if (sweep->meets[kind] >> (int)theirs[i].kind & 1) AbutBVHOverlapBox(&c->local[kind].tree, box, Hit, buffer);
    }
  }
  if (sweep->one_ring) AbutRingCollect(buffer);
}

/* Size of the integers of a message [bytes], rounded up to the alignment of reals. */
static size_t IntBytes(PetscInt num_vertices, const PetscInt count[])
{
  size_t ints = HEADER + VERTEX_INTS * (size_t)num_vertices;

  for (int kind = 0; kind < NUM_KINDS; kind++) ints += (size_t)count[kind] * (size_t)(1 + AbutKindVertices(kind));
  return (ints * sizeof(PetscInt) + 7) / 8 * 8;
}

/* Bytes of a message without one-rings. */
static size_t Bytes(int dim, PetscInt num_vertices, const PetscInt count[])
{
  return IntBytes(num_vertices, count) + sizeof(PetscReal) * (size_t)(VERTEX_REALS * dim) * (size_t)num_vertices;
}

static PetscErrorCode Pack(const AbutSweep *sweep, const AbutSendBuffer *buffer, size_t *bytes, void **message)
{
  AbutContact c   = buffer->contact;
  const int   dim = (int)c->m->dim;
  PetscInt    count[NUM_KINDS], *to;
  PetscReal  *real;
  size_t      ints, base;

  PetscFunctionBegin;
  for (int kind = 0; kind < NUM_KINDS; kind++) count[kind] = buffer->count[kind];
  ints   = IntBytes(buffer->num_vertices, count);
  base   = Bytes(dim, buffer->num_vertices, count);
  *bytes = base + (sweep->one_ring ? AbutRingBytes(buffer) : 0);
  PetscCall(PetscMalloc(*bytes, message));
  to    = (PetscInt *)*message;
  real  = (PetscReal *)((char *)*message + ints);
  *to++ = buffer->num_vertices;
  for (int kind = 0; kind < NUM_KINDS; kind++) *to++ = count[kind];
  for (int32_t i = 0; i < buffer->num_vertices; i++) {
    const size_t v = (size_t)buffer->vertices[i];

    *to++ = sweep->global[v];
    *to++ = sweep->id[v];
    *to++ = sweep->body[v];
    for (int k = 0; k < dim; k++) {
      real[k]           = sweep->x[v * dim + k];
      real[dim + k]     = sweep->p[v * dim + k];
      real[2 * dim + k] = sweep->rest[v * dim + k];
    }
    real += VERTEX_REALS * dim;
  }
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    const AbutEntities *e = &c->local[kind];

    for (int32_t i = 0; i < buffer->count[kind]; i++) {
      const int32_t entity = c->marks.entity_list[buffer->offset[kind] + i];

      *to++ = e->id[entity];
      for (int j = 0; j < e->nv; j++) *to++ = c->marks.vertex_slot[e->v[(size_t)e->nv * entity + j]];
    }
  }
  if (sweep->one_ring) AbutRingPack(buffer, (char *)*message + base);
  PetscFunctionReturn(0);
}

/* Packs the messages to all neighbours; records the sent vertices, to which AbutNeighboursReduceAdd() adds later. */
PetscErrorCode AbutSweepPack(AbutContact contact, AbutSweep *sweep, const AbutRankBox boxes[], size_t bytes[], void *message[])
{
  AbutNeighbours *to     = &sweep->neighbours;
  AbutExchange   *ex     = &to->exchange;
  AbutSendBuffer  buffer = {.contact = contact};

  PetscFunctionBegin;
  for (int kind = 0; kind < NUM_KINDS; kind++) buffer.offset[kind + 1] = buffer.offset[kind] + contact->local[kind].n;
  PetscCall(PetscMalloc1(sweep->num_fixed, &buffer.vertices));
  for (PetscMPIInt s = 0; s < ex->num_send; s++) {
    const PetscInt start = ex->send_start[s];

    Fill(sweep, &buffer, contact->params.num_boxes, boxes + contact->params.num_boxes * ex->send_rank[s]);
    PetscCall(AbutReserve(start + buffer.num_vertices, &to->sent_capacity, &to->sent));
    PetscCall(PetscArraycpy(to->sent + start, buffer.vertices, buffer.num_vertices));
    ex->send_start[s + 1] = start + buffer.num_vertices;
    PetscCall(Pack(sweep, &buffer, &bytes[s], &message[s]));
  }
  PetscCall(PetscFree(buffer.vertices));
  PetscFunctionReturn(0);
}

/* Contact vertex of a received vertex; *is_new: it arrives for the first time and is not in the mesh of this rank. */
static PetscErrorCode FindVertex(AbutContact contact, AbutSweep *sweep, PetscInt global, PetscInt *vertex, PetscBool *is_new)
{
  const PetscInt owned = global - contact->m->first;
  PetscHashIter  at;

  PetscFunctionBegin;
  *is_new = PETSC_FALSE;
  *vertex = owned;
  if (owned >= 0 && owned < contact->m->num_owned) PetscFunctionReturn(0);
  PetscCall(PetscHMapIGet(contact->ghosts, global, vertex));
  if (*vertex < 0 && sweep->one_ring) PetscCall(AbutSurfaceFindRemoteVertex(contact->ring.surface, global, vertex));
  if (*vertex >= 0) PetscFunctionReturn(0);
  PetscCall(PetscHMapIPut(sweep->map, global, &at, is_new));
  if (*is_new) PetscCall(PetscHMapIIterSet(sweep->map, at, sweep->num_vertices++));
  PetscCall(PetscHMapIIterGet(sweep->map, at, vertex));
  PetscFunctionReturn(0);
}

/* Unpacks the one-rings. */
static PetscErrorCode UnpackOneRing(AbutContact contact, AbutSweep *sweep, const PetscInt *const message[], const int32_t slot[])
{
  const PetscMPIInt n = sweep->neighbours.exchange.num_recv;
  const void      **from;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &from));
  for (PetscMPIInt s = 0; s < n; s++) from[s] = (const char *)message[s] + Bytes((int)contact->m->dim, message[s][0], message[s] + 1);
  PetscCall(AbutRingUnpack(contact, message, from, slot));
  PetscCall(PetscFree(from));
  PetscFunctionReturn(0);
}

/* Stores the received vertices. slot[]: their contact vertices; received[]: the same, -1 for vertices that this rank already has. */
static PetscErrorCode UnpackVertices(AbutContact contact, AbutSweep *sweep, const PetscInt *message, int32_t slot[], int32_t received[])
{
  const int        dim = (int)contact->m->dim;
  const PetscInt   n = message[0], *from = message + HEADER;
  const PetscReal *real = (const PetscReal *)((const char *)message + IntBytes(n, message + 1));

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++, from += VERTEX_INTS, real += VERTEX_REALS * dim) {
    PetscBool is_new;
    PetscInt  v;

    PetscCall(FindVertex(contact, sweep, from[0], &v, &is_new));
    slot[i]     = (int32_t)v;
    received[i] = is_new ? (int32_t)v : -1;
    if (!is_new) continue;
    sweep->global[v] = from[0];
    sweep->id[v]     = from[1];
    sweep->body[v]   = from[2];
    for (int k = 0; k < dim; k++) {
      sweep->x[v * dim + k]    = real[k];
      sweep->p[v * dim + k]    = real[dim + k];
      sweep->rest[v * dim + k] = real[2 * dim + k];
    }
  }
  PetscFunctionReturn(0);
}

/* Copies of one kind from all neighbours, sorted by id. The tree keeps the order of arrival, in which consecutive entities are close. */
static PetscErrorCode UnpackEntities(AbutContact contact, AbutSweep *sweep, int kind, int32_t n, const PetscInt *const from[],
                                     const PetscInt num[], const int32_t slot[])
{
  const AbutExchange *ex = &sweep->neighbours.exchange;
  AbutEntities       *e  = &sweep->copies[kind];
  const PetscInt    **at;
  PetscInt           *place;
  const int32_t     **slots;
  int32_t             i = 0;

  PetscFunctionBegin;
  PetscCall(AbutEntitiesReserve(e, n));
  PetscCall(PetscMalloc3(n, &at, n, &place, n, &slots));
  for (PetscMPIInt s = 0; s < ex->num_recv; s++) {
    for (PetscInt j = 0; j < num[s]; j++, i++) {
      at[i]    = from[s] + j * (1 + e->nv);
      slots[i] = slot + ex->recv_start[s];
      e->id[i] = at[i][0];
      place[i] = i;
    }
  }
  PetscCall(PetscSortIntWithArray(n, e->id, place));
  for (int32_t k = 0; k < n; k++) {
    const PetscInt from_place = place[k];

    e->tree.order[from_place] = k;
    for (int j = 0; j < e->nv; j++) e->v[(size_t)e->nv * k + j] = slots[from_place][at[from_place][1 + j]];
    e->obstacle[k] = (unsigned char)contact->m->bodies[sweep->body[e->v[(size_t)e->nv * k]]].obstacle;
  }
  PetscCall(PetscFree3(at, place, slots));
  PetscFunctionReturn(0);
}

/* Copies of all kinds; from[s]: the first entity in the message of neighbour s. */
static PetscErrorCode UnpackKinds(AbutContact contact, AbutSweep *sweep, const PetscInt *const message[], const PetscInt *from[],
                                  const int32_t slot[])
{
  const PetscMPIInt n = sweep->neighbours.exchange.num_recv;
  PetscInt         *num;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &num));
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    PetscInt total = 0;

    for (PetscMPIInt s = 0; s < n; s++) total += num[s] = message[s][1 + kind];
    PetscCheck(total <= INT32_MAX / 8, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "%" PetscInt_FMT " copies of surface entities on one rank, at most %d are possible", total, INT32_MAX / 8);
    PetscCall(UnpackEntities(contact, sweep, kind, (int32_t)total, from, num, slot));
    for (PetscMPIInt s = 0; s < n; s++) from[s] += num[s] * (1 + AbutKindVertices(kind));
  }
  PetscCall(PetscFree(num));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSweepUnpack(AbutContact contact, AbutSweep *sweep, const PetscInt *const message[])
{
  AbutNeighbours   *to = &sweep->neighbours;
  AbutExchange     *ex = &to->exchange;
  const PetscMPIInt n  = ex->num_recv;
  const PetscInt  **from;
  int32_t          *slot;

  PetscFunctionBegin;
  for (PetscMPIInt s = 0; s < n; s++) ex->recv_start[s + 1] = ex->recv_start[s] + message[s][0];
  PetscCall(PetscMalloc2(n, &from, ex->recv_start[n], &slot));
  PetscCall(AbutReserve(ex->recv_start[n], &to->received_capacity, &to->received));
  PetscCall(PetscHMapIClear(sweep->map));
  sweep->num_vertices = sweep->num_fixed;
  PetscCall(AbutSweepReserve(sweep, contact->m->dim, sweep->num_vertices + ex->recv_start[n]));
  for (PetscMPIInt s = 0; s < n; s++) {
    PetscCall(UnpackVertices(contact, sweep, message[s], slot + ex->recv_start[s], to->received + ex->recv_start[s]));
    from[s] = message[s] + HEADER + VERTEX_INTS * message[s][0];
  }
  PetscCall(UnpackKinds(contact, sweep, message, from, slot));
  if (sweep->one_ring) PetscCall(UnpackOneRing(contact, sweep, message, slot));
  PetscCall(PetscFree2(from, slot));
  PetscFunctionReturn(0);
}
