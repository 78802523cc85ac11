/*
  Messages between neighbours: packing and unpacking.

  A message: PetscInt header[2] (numbers of integers and of reals); the integers; at a multiple of 8 bytes, the reals. Integers: numbers of
  vertices and of entities of each kind; global index, id and body of each vertex; id and vertices of each entity, vertices by position in
  the message; one-rings (onering_message.c). Reals: x, p and rest position of each vertex; one-rings.
*/
#include "contactimpl.h"

enum { HEADER = 2 };

/* Grows two arrays with entries for n items; new marks are 0. */
static PetscErrorCode ReserveItems(PetscInt n, PetscInt *capacity, int32_t **mark, int32_t **item)
{
  const AbutColumn column[] = {{mark, sizeof(**mark)}, {item, sizeof(**item)}};
  const PetscInt   known    = *capacity;

  PetscFunctionBegin;
  PetscCall(AbutReserveColumns(n, capacity, 2, column));
  PetscCall(PetscArrayzero(*mark + known, *capacity - known));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMarksReserve(AbutContact contact)
{
  const AbutOneRing *ring     = contact->ring.one_ring;
  AbutMarks         *m        = &contact->marks;
  PetscInt           entities = 0;

  PetscFunctionBegin;
  for (int kind = 0; kind < NUM_KINDS; kind++) entities += contact->local[kind].n;
  PetscCall(ReserveItems(entities, &m->entities, &m->entity, &m->entity_list));
  PetscCall(ReserveItems(contact->search.num_vertices, &m->vertices, &m->vertex, &m->vertex_slot));
  PetscCall(ReserveItems(ring ? ring->num_faces : 0, &m->faces, &m->face, &m->face_list));
  PetscCall(ReserveItems(ring ? ring->num_edges : 0, &m->edges, &m->edge, &m->edge_list));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMarksDestroy(AbutMarks *m)
{
  const AbutColumn column[] = {{&m->entity}, {&m->entity_list}, {&m->vertex}, {&m->vertex_slot},
                               {&m->face},   {&m->face_list},   {&m->edge},   {&m->edge_list}};

  return AbutFreeColumns(PETSC_STATIC_ARRAY_LENGTH(column), column);
}

static void Hit(void *ctx, int32_t entity)
{
  AbutSendBuffer     *buffer = (AbutSendBuffer *)ctx;
  AbutMarks          *marks  = &buffer->contact->marks;
  const int           kind   = buffer->kind;
  const AbutEntities *e      = &buffer->contact->local[kind];
  int32_t            *mark   = &marks->entity[buffer->offset[kind] + entity];

  if (*mark == buffer->stamp || (buffer->passive && buffer->passive[entity])) return;
  *mark                                                            = buffer->stamp;
  marks->entity_list[buffer->offset[kind] + buffer->count[kind]++] = entity;
  for (int i = 0; i < e->nv; i++) AbutSendBufferAddVertex(buffer, e->v[(size_t)e->nv * entity + i]);
}

AbutBox AbutSweepLocalBox(const AbutSweep *sweep, const AbutRankBox *theirs)
{
  AbutBox box = {{0}, {0}};

  for (int k = 0; k < 3; k++) {
    const PetscReal o = sweep->origin[k], slack = 1e-15 * (PetscAbsReal(o) + PetscAbsReal(theirs->lo[k]) + PetscAbsReal(theirs->hi[k]));

    box.lo[k] = AbutFloatBelow(theirs->lo[k] - o - slack);
    box.hi[k] = AbutFloatAbove(theirs->hi[k] - o + slack);
  }
  return box;
}

/* Lists the local entities that overlap the boxes of another rank. Two passive entities are no pair. */
static void Fill(const AbutSweep *sweep, AbutSendBuffer *buffer, PetscInt n, const AbutRankBox theirs[])
{
  AbutContact c = buffer->contact;

  for (int kind = 0; kind < NUM_KINDS; kind++) buffer->count[kind] = 0;
  buffer->num_vertices = 0;
  buffer->stamp        = ++c->marks.stamp;
  for (PetscInt i = 0; i < n && theirs[i].kind >= 0; i++) {
    const AbutBox box = AbutSweepLocalBox(sweep, &theirs[i]);

    for (int kind = 0; kind < NUM_KINDS; kind++) {
      buffer->kind    = kind;
      buffer->passive = theirs[i].passive != 0 ? AbutSweepPassive(sweep, &c->local[kind]) : NULL;
      if (sweep->meets[kind] >> (int)theirs[i].kind & 1) AbutBVHOverlapBox(&c->local[kind].tree, box, Hit, buffer);
    }
  }
  if (sweep->one_ring) AbutRingCollect(buffer);
}

PetscErrorCode AbutMessagePackVertices(const AbutSweep *sweep, AbutSendBuffer *buffer)
{
  const PetscInt dim = buffer->contact->m->dim;

  PetscFunctionBegin;
  buffer->ints.n = buffer->reals.n = 0;
  PetscCall(AbutIntsPush(&buffer->ints, 1, &buffer->num_vertices));
  PetscCall(AbutIntsPush(&buffer->ints, NUM_KINDS, buffer->count));
  for (PetscInt i = 0; i < buffer->num_vertices; i++) {
    const size_t v = (size_t)buffer->vertices[i], at = v * (size_t)dim;

    PetscCall(AbutIntsPush(&buffer->ints, 3, (PetscInt[]){sweep->global[v], sweep->id[v], sweep->body[v]}));
    PetscCall(AbutRealsPush(&buffer->reals, dim, sweep->x + at));
    PetscCall(AbutRealsPush(&buffer->reals, dim, sweep->p + at));
    PetscCall(AbutRealsPush(&buffer->reals, dim, sweep->rest + at));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode PackEntities(AbutSendBuffer *buffer)
{
  const AbutMarks *marks = &buffer->contact->marks;

  PetscFunctionBegin;
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    const AbutEntities *e = &buffer->contact->local[kind];

    for (PetscInt i = 0; i < buffer->count[kind]; i++) {
      const int32_t  entity = marks->entity_list[buffer->offset[kind] + i];
      const int32_t *v      = e->v + (size_t)e->nv * (size_t)entity;

      PetscCall(AbutIntsPush(&buffer->ints, 1, &e->id[entity]));
      for (int k = 0; k < e->nv; k++) PetscCall(AbutIntsPush(&buffer->ints, 1, (PetscInt[]){marks->vertex_slot[v[k]]}));
    }
  }
  PetscFunctionReturn(0);
}

/* Position of the reals in a message [bytes]. */
static inline size_t IntBytes(PetscInt n)
{
  return (sizeof(PetscInt) * (HEADER + (size_t)n) + 7) / 8 * 8;
}

PetscErrorCode AbutMessageCreate(const AbutSendBuffer *buffer, size_t *bytes, void **message)
{
  const size_t ints = IntBytes(buffer->ints.n);
  PetscInt    *to;

  PetscFunctionBegin;
  *bytes = ints + sizeof(PetscReal) * (size_t)buffer->reals.n;
  PetscCall(PetscMalloc(*bytes, message));
  to    = *message;
  to[0] = buffer->ints.n;
  to[1] = buffer->reals.n;
  PetscCall(PetscArraycpy(to + HEADER, buffer->ints.a, buffer->ints.n));
  PetscCall(PetscArraycpy((PetscReal *)((char *)*message + ints), buffer->reals.a, buffer->reals.n));
  PetscFunctionReturn(0);
}

AbutReader AbutMessageOpen(const void *message)
{
  const PetscInt *header = message;

  return (AbutReader){header + HEADER, header + HEADER + 1 + NUM_KINDS, (const PetscReal *)((const char *)message + IntBytes(header[0]))};
}

/* Packs the messages to all neighbours; records the sent vertices, to which AbutContactReduceAdd() adds later. */
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

    Fill(sweep, &buffer, contact->params.num_boxes, boxes + contact->params.num_boxes * s);
    PetscCall(AbutReserve(start + buffer.num_vertices, &to->sent_capacity, &to->sent));
    PetscCall(PetscArraycpy(to->sent + start, buffer.vertices, buffer.num_vertices));
    ex->send_start[s + 1] = start + buffer.num_vertices;
    PetscCall(AbutMessagePackVertices(sweep, &buffer));
    PetscCall(PackEntities(&buffer));
    if (sweep->one_ring) PetscCall(AbutRingPack(&buffer));
    PetscCall(AbutMessageCreate(&buffer, &bytes[s], &message[s]));
  }
  PetscCall(PetscFree(buffer.vertices));
  PetscCall(PetscFree(buffer.ints.a));
  PetscCall(PetscFree(buffer.reals.a));
  PetscFunctionReturn(0);
}

/*
  Contact vertex of a received vertex; *is_new: it arrives for the first time and is not in the mesh of this rank. New vertices enter `map`.
*/
static PetscErrorCode FindVertex(AbutContact contact, AbutSweep *sweep, PetscHMapI map, PetscInt global, PetscInt *vertex,
                                 PetscBool *is_new)
{
  const PetscInt owned = global - contact->m->first;
  PetscHashIter  at;

  PetscFunctionBegin;
  *is_new = PETSC_FALSE;
  *vertex = owned;
  if (owned >= 0 && owned < contact->m->num_owned) PetscFunctionReturn(0);
  PetscCall(PetscHMapIGet(contact->ghosts, global, vertex));
  if (*vertex < 0 && sweep->one_ring) PetscCall(AbutSurfaceFindRemoteVertex(contact->ring.surface, global, vertex));
  if (*vertex < 0 && map != sweep->map) PetscCall(PetscHMapIGet(sweep->map, global, vertex));
  if (*vertex >= 0) PetscFunctionReturn(0);
  PetscCall(PetscHMapIPut(map, global, &at, is_new));
  if (*is_new) PetscCall(PetscHMapIIterSet(map, at, sweep->num_vertices++));
  PetscCall(PetscHMapIIterGet(map, at, vertex));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMessageUnpackVertices(AbutContact contact, AbutSweep *sweep, PetscHMapI map, AbutReader *from, int32_t slot[],
                                         int32_t received[])
{
  const PetscInt dim = contact->m->dim;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < from->count[0]; i++, from->ints += 3, from->reals += 3 * dim) {
    PetscBool is_new;
    PetscInt  v;

    PetscCall(FindVertex(contact, sweep, map, from->ints[0], &v, &is_new));
    slot[i]     = (int32_t)v;
    received[i] = is_new ? (int32_t)v : -1;
    if (!is_new) continue;
    sweep->global[v] = from->ints[0];
    sweep->id[v]     = from->ints[1];
    sweep->body[v]   = from->ints[2];
    PetscCall(PetscArraycpy(sweep->x + v * dim, from->reals, dim));
    PetscCall(PetscArraycpy(sweep->p + v * dim, from->reals + dim, dim));
    PetscCall(PetscArraycpy(sweep->rest + v * dim, from->reals + 2 * dim, dim));
  }
  PetscFunctionReturn(0);
}

/* Copies of one kind from all neighbours, sorted by id. The tree keeps the order of arrival, in which consecutive entities are close. */
static PetscErrorCode UnpackEntities(AbutContact contact, AbutSweep *sweep, int kind, AbutReader from[], const int32_t slot[])
{
  const AbutExchange *ex = &sweep->neighbours.exchange;
  AbutEntities       *e  = &sweep->copies[kind];
  PetscInt           *place, n = 0;
  int32_t            *v;

  PetscFunctionBegin;
  for (PetscMPIInt s = 0; s < ex->num_recv; s++) n += from[s].count[1 + kind];
  PetscCheck(n <= INT32_MAX / 8, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " copies of surface entities on one rank, at most %d are possible", n, INT32_MAX / 8);
  PetscCall(AbutEntitiesReserve(e, (int32_t)n));
  PetscCall(PetscMalloc2(n, &place, n * e->nv, &v));
  n = 0;
  for (PetscMPIInt s = 0; s < ex->num_recv; s++) {
    for (PetscInt j = 0; j < from[s].count[1 + kind]; j++, n++) {
      place[n] = n;
      e->id[n] = *from[s].ints++;
      for (int k = 0; k < e->nv; k++) v[e->nv * n + k] = slot[ex->recv_start[s] + *from[s].ints++];
    }
  }
  PetscCall(PetscSortIntWithArray(n, e->id, place));
  for (PetscInt i = 0; i < n; i++) {
    e->tree.order[place[i]] = (int32_t)i;
    PetscCall(PetscArraycpy(e->v + e->nv * i, v + e->nv * place[i], e->nv));
    e->obstacle[i] = (unsigned char)contact->m->bodies[sweep->body[e->v[e->nv * i]]].obstacle;
  }
  PetscCall(PetscFree2(place, v));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSweepUnpack(AbutContact contact, AbutSweep *sweep, void *const message[])
{
  AbutNeighbours   *to = &sweep->neighbours;
  AbutExchange     *ex = &to->exchange;
  const PetscMPIInt n  = ex->num_recv;
  AbutReader       *from;
  int32_t          *slot;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &from));
  for (PetscMPIInt s = 0; s < n; s++) {
    from[s]               = AbutMessageOpen(message[s]);
    ex->recv_start[s + 1] = ex->recv_start[s] + from[s].count[0];
  }
  PetscCall(PetscMalloc1(ex->recv_start[n], &slot));
  PetscCall(AbutReserve(ex->recv_start[n], &to->received_capacity, &to->received));
  PetscCall(PetscHMapIClear(sweep->map));
  sweep->num_vertices = sweep->num_fixed;
  PetscCall(AbutSweepReserve(sweep, contact->m->dim, sweep->num_vertices + ex->recv_start[n]));
  for (PetscMPIInt s = 0; s < n; s++)
    PetscCall(AbutMessageUnpackVertices(contact, sweep, sweep->map, &from[s], slot + ex->recv_start[s], to->received + ex->recv_start[s]));
  for (int kind = 0; kind < NUM_KINDS; kind++) PetscCall(UnpackEntities(contact, sweep, kind, from, slot));
  if (sweep->one_ring) PetscCall(AbutRingUnpack(contact, from, slot));
  PetscCall(PetscFree(from));
  PetscCall(PetscFree(slot));
  PetscFunctionReturn(0);
}
