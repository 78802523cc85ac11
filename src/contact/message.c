/*
  What two partners send each other: packing and unpacking.

  A message: PetscInt header[1 + NUM_KINDS] (vertices, entities of each kind); for each vertex its global index, id and body; for each
  entity its id and its vertices by place in the message; then, at a multiple of 8 bytes, for each vertex x, p, rest as reals; then what
  ringmessage.c adds.
*/
#include "contactimpl.h"

enum { HEADER = 1 + NUM_KINDS, VERTEX_INTS = 3, VERTEX_REALS = 3 };

typedef AbutPublicBox PublicBox;

static void Hit(void *ctx, int32_t entity)
{
  AbutParcel *parcel = (AbutParcel *)ctx;
  AbutContact c      = parcel->contact;
  const int   kind   = parcel->kind;
  int32_t    *mark   = &c->entity_mark[parcel->offset[kind] + entity];

  if (*mark == parcel->stamp) return;
  *mark                                                       = parcel->stamp;
  c->entity_hit[parcel->offset[kind] + parcel->count[kind]++] = entity;
  for (int i = 0; i < c->local[kind].nv; i++) AbutParcelAddVertex(parcel, c->local[kind].v[(size_t)c->local[kind].nv * entity + i]);
}

/* Finds the entities that overlap the boxes of one rank. */
static void Fill(const AbutSweep *sweep, AbutParcel *parcel, PetscInt n, const PublicBox theirs[])
{
  AbutContact c = parcel->contact;

  for (int kind = 0; kind < NUM_KINDS; kind++) parcel->count[kind] = 0;
  parcel->num_vertices = 0;
  parcel->stamp        = ++c->stamp;
  for (PetscInt i = 0; i < n && theirs[i].kind >= 0; i++) {
    AbutBox box = {{0}, {0}};

    for (int k = 0; k < 3; k++) {
      const PetscReal o     = sweep->origin[k],
                      slack = 1e-15 * (PetscAbsReal(o) + PetscAbsReal(theirs[i].lo[k]) + PetscAbsReal(theirs[i].hi[k]));

      box.lo[k] = AbutFloatBelow(theirs[i].lo[k] - o - slack);
      box.hi[k] = AbutFloatAbove(theirs[i].hi[k] - o + slack);
    }
    for (int kind = 0; kind < NUM_KINDS; kind++) {
      parcel->kind = kind;
      if (sweep->meets[kind] >> (int)theirs[i].kind & 1) AbutBVHOverlapBox(&c->local[kind].tree, box, Hit, parcel);
    }
  }
  if (sweep->rings) AbutRingsFill(parcel);
}

/* Bytes of the integers of a message, rounded up so that reals may follow. */
static size_t IntBytes(PetscInt num_vertices, const PetscInt count[])
{
  size_t ints = HEADER + VERTEX_INTS * (size_t)num_vertices;

  for (int kind = 0; kind < NUM_KINDS; kind++) ints += (size_t)count[kind] * (size_t)(1 + AbutKindVertices(kind));
  return (ints * sizeof(PetscInt) + 7) / 8 * 8;
}

/* Bytes of a message before what rings add. */
static size_t Bytes(int dim, PetscInt num_vertices, const PetscInt count[])
{
  return IntBytes(num_vertices, count) + sizeof(PetscReal) * (size_t)(VERTEX_REALS * dim) * (size_t)num_vertices;
}

static PetscErrorCode Pack(const AbutSweep *sweep, const AbutParcel *parcel, size_t *bytes, void **message)
{
  AbutContact c   = parcel->contact;
  const int   dim = (int)c->m->dim;
  PetscInt    count[NUM_KINDS], *to;
  PetscReal  *real;
  size_t      ints, base;

  PetscFunctionBegin;
  for (int kind = 0; kind < NUM_KINDS; kind++) count[kind] = parcel->count[kind];
  ints   = IntBytes(parcel->num_vertices, count);
  base   = Bytes(dim, parcel->num_vertices, count);
  *bytes = base + (sweep->rings ? AbutRingsBytes(parcel) : 0);
  PetscCall(PetscMalloc(*bytes, message));
  to    = (PetscInt *)*message;
  real  = (PetscReal *)((char *)*message + ints);
  *to++ = parcel->num_vertices;
  for (int kind = 0; kind < NUM_KINDS; kind++) *to++ = count[kind];
  for (int32_t i = 0; i < parcel->num_vertices; i++) {
    const size_t v = (size_t)parcel->vertices[i];

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

    for (int32_t i = 0; i < parcel->count[kind]; i++) {
      const int32_t entity = c->entity_hit[parcel->offset[kind] + i];

      *to++ = e->id[entity];
      for (int j = 0; j < e->nv; j++) *to++ = c->vertex_slot[e->v[(size_t)e->nv * entity + j]];
    }
  }
  if (sweep->rings) AbutRingsPack(parcel, (char *)*message + base);
  PetscFunctionReturn(0);
}

/* Finds and packs what every partner is to get; remembers which vertices went where, for the way back of sums. */
PetscErrorCode AbutSweepPack(AbutContact contact, AbutSweep *sweep, const AbutPublicBox boxes[], size_t bytes[], void *message[])
{
  AbutPartners *partners = &sweep->partners;
  AbutParcel    parcel   = {.contact = contact};
  PetscInt      room     = 0;

  PetscFunctionBegin;
  for (int kind = 0; kind < NUM_KINDS; kind++) parcel.offset[kind + 1] = parcel.offset[kind] + contact->local[kind].n;
  PetscCall(PetscMalloc1(sweep->num_fixed, &parcel.vertices));
  partners->send_start[0] = 0;
  for (PetscMPIInt i = 0; i < partners->num; i++) {
    const PetscInt start = partners->send_start[i];

    Fill(sweep, &parcel, contact->num_boxes, boxes + contact->num_boxes * partners->rank[i]);
    if (start + parcel.num_vertices > room) {
      room = 2 * (start + parcel.num_vertices);
      PetscCall(PetscRealloc(sizeof(int32_t) * (size_t)room, &partners->send_vertex));
    }
    PetscCall(PetscArraycpy(partners->send_vertex + start, parcel.vertices, parcel.num_vertices));
    partners->send_start[i + 1] = start + parcel.num_vertices;
    PetscCall(Pack(sweep, &parcel, &bytes[i], &message[i]));
  }
  PetscCall(PetscFree(parcel.vertices));
  PetscFunctionReturn(0);
}

/* The contact vertex of a received vertex; *fresh if it has come for the first time and is nowhere in the mesh of this rank. */
static int32_t Place(AbutContact contact, AbutSweep *sweep, PetscInt global, PetscBool *fresh)
{
  const PetscInt owned = global - contact->m->first;
  int32_t        v;

  *fresh = PETSC_FALSE;
  if (owned >= 0 && owned < contact->m->num_owned) return (int32_t)owned;
  v = AbutVertexMapGet(&contact->ghosts, global);
  if (v < 0 && sweep->rings) v = AbutVertexMapGet(&contact->rings.extra, global);
  if (v >= 0) return v;
  v = AbutVertexMapAdd(&sweep->map, global, (int32_t)sweep->num_vertices);
  if (v >= 0) return v;
  *fresh = PETSC_TRUE;
  return (int32_t)sweep->num_vertices++;
}

/* Unpacks what rings add. */
static PetscErrorCode UnpackRings(AbutContact contact, AbutSweep *sweep, const PetscInt *const message[], const int32_t slot[])
{
  const PetscMPIInt n = sweep->partners.num;
  const void      **from;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &from));
  for (PetscMPIInt s = 0; s < n; s++) from[s] = (const char *)message[s] + Bytes((int)contact->m->dim, message[s][0], message[s] + 1);
  PetscCall(AbutRingsUnpack(contact, message, from, slot));
  PetscCall(PetscFree(from));
  PetscFunctionReturn(0);
}

/* Places the received vertices; slot[] gets their contact vertices. */
static void UnpackVertices(AbutContact contact, AbutSweep *sweep, const PetscInt *message, int32_t slot[], int32_t back[])
{
  const int        dim = (int)contact->m->dim;
  const PetscInt   n = message[0], *from = message + HEADER;
  const PetscReal *real = (const PetscReal *)((const char *)message + IntBytes(n, message + 1));

  for (PetscInt i = 0; i < n; i++, from += VERTEX_INTS, real += VERTEX_REALS * dim) {
    PetscBool    fresh;
    const size_t v = (size_t)(slot[i] = Place(contact, sweep, from[0], &fresh));

    back[i] = fresh ? (int32_t)v : -1;
    if (!fresh) continue;
    sweep->global[v] = from[0];
    sweep->id[v]     = from[1];
    sweep->body[v]   = from[2];
    for (int k = 0; k < dim; k++) {
      sweep->x[v * dim + k]    = real[k];
      sweep->p[v * dim + k]    = real[dim + k];
      sweep->rest[v * dim + k] = real[2 * dim + k];
    }
  }
}

/* Copies of one kind from all partners: kept by ascending id; the tree keeps the sequence of arrival, in which neighbours are near each other. */
static PetscErrorCode UnpackEntities(AbutContact contact, AbutSweep *sweep, int kind, int32_t n, const PetscInt *const from[],
                                     const PetscInt num[], const int32_t slot[])
{
  AbutEntities    *e = &sweep->import[kind];
  const PetscInt **at;
  PetscInt        *place;
  const int32_t  **slots;
  int32_t          i = 0;

  PetscFunctionBegin;
  PetscCall(AbutEntitiesReserve(e, n));
  PetscCall(PetscMalloc3(n, &at, n, &place, n, &slots));
  for (PetscMPIInt s = 0; s < sweep->partners.num; s++) {
    for (PetscInt j = 0; j < num[s]; j++, i++) {
      at[i]    = from[s] + j * (1 + e->nv);
      slots[i] = slot + sweep->partners.recv_start[s];
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

PetscErrorCode AbutSweepUnpack(AbutContact contact, AbutSweep *sweep, const PetscInt *const message[])
{
  AbutPartners     *partners = &sweep->partners;
  const PetscMPIInt n        = partners->num;
  const PetscInt  **from;
  PetscInt         *num;
  int32_t          *slot;

  PetscFunctionBegin;
  partners->recv_start[0] = 0;
  for (PetscMPIInt s = 0; s < n; s++) partners->recv_start[s + 1] = partners->recv_start[s] + message[s][0];
  PetscCall(PetscMalloc3(n, &from, n, &num, partners->recv_start[n], &slot));
  PetscCall(PetscRealloc(sizeof(int32_t) * (size_t)(partners->recv_start[n] + 1), &partners->recv_vertex));
  PetscCall(AbutVertexMapReset(&sweep->map, (size_t)partners->recv_start[n]));
  sweep->num_vertices = sweep->num_fixed;
  PetscCall(AbutSweepReserve(sweep, contact->m->dim, sweep->num_vertices + partners->recv_start[n]));
  for (PetscMPIInt s = 0; s < n; s++) {
    UnpackVertices(contact, sweep, message[s], slot + partners->recv_start[s], partners->recv_vertex + partners->recv_start[s]);
    from[s] = message[s] + HEADER + VERTEX_INTS * message[s][0];
  }
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    PetscInt total = 0;

    for (PetscMPIInt s = 0; s < n; s++) total += num[s] = message[s][1 + kind];
    PetscCheck(total <= INT32_MAX / 8, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "%" PetscInt_FMT " copies of surface entities on one rank, at most %d are possible", total, INT32_MAX / 8);
    PetscCall(UnpackEntities(contact, sweep, kind, (int32_t)total, from, num, slot));
    for (PetscMPIInt s = 0; s < n; s++) from[s] += num[s] * (1 + AbutKindVertices(kind));
  }
  if (sweep->rings) PetscCall(UnpackRings(contact, sweep, message, slot));
  PetscCall(PetscFree3(from, num, slot));
  PetscFunctionReturn(0);
}
