/*
  What two partners send each other: packing and unpacking.

  A message: PetscInt header[1 + NUM_KINDS] (vertices, entities of each kind); for each vertex its global index, id and body; for each
  entity its id and its vertices by place in the message; then, at a multiple of 8 bytes, for each vertex x, p, rest as reals.
*/
#include "contactimpl.h"

enum { HEADER = 1 + NUM_KINDS, VERTEX_INTS = 3, VERTEX_REALS = 3 };

typedef AbutPublicBox PublicBox;

/* What one partner is to get: entities kind by kind in entity_hit, vertices in the order they came up. */
typedef struct {
  AbutContact contact;
  int32_t     stamp;
  int         kind;
  int32_t     offset[NUM_KINDS + 1]; /* of the kinds in entity_mark and entity_hit */
  int32_t     count[NUM_KINDS];
  int32_t     num_vertices;
  int32_t    *vertices; /* [num_local] */
} Parcel;

static void Hit(void *ctx, int32_t entity)
{
  Parcel     *parcel = (Parcel *)ctx;
  AbutContact c      = parcel->contact;
  const int   kind   = parcel->kind;
  int32_t    *mark   = &c->entity_mark[parcel->offset[kind] + entity];

  if (*mark == parcel->stamp) return;
  *mark                                                       = parcel->stamp;
  c->entity_hit[parcel->offset[kind] + parcel->count[kind]++] = entity;
  for (int i = 0; i < c->local[kind].nv; i++) {
    const int32_t v = c->local[kind].v[(size_t)c->local[kind].nv * entity + i];

    if (c->vertex_mark[v] == parcel->stamp) continue;
    c->vertex_mark[v]                        = parcel->stamp;
    c->vertex_slot[v]                        = parcel->num_vertices;
    parcel->vertices[parcel->num_vertices++] = v;
  }
}

/* Finds the entities that overlap the boxes of one rank. */
static void Fill(const AbutSweep *sweep, Parcel *parcel, PetscInt n, const PublicBox theirs[])
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
}

/* Bytes of the integers of a message, rounded up so that reals may follow. */
static size_t IntBytes(PetscInt num_vertices, const PetscInt count[])
{
  size_t ints = HEADER + VERTEX_INTS * (size_t)num_vertices;

  for (int kind = 0; kind < NUM_KINDS; kind++) ints += (size_t)count[kind] * (size_t)(1 + AbutKindVertices(kind));
  return (ints * sizeof(PetscInt) + 7) / 8 * 8;
}

static PetscErrorCode Pack(const AbutSweep *sweep, const Parcel *parcel, size_t *bytes, void **message)
{
  AbutContact c   = parcel->contact;
  const int   dim = (int)c->m->dim;
  PetscInt    count[NUM_KINDS], *to;
  PetscReal  *real;
  size_t      ints;

  PetscFunctionBegin;
  for (int kind = 0; kind < NUM_KINDS; kind++) count[kind] = parcel->count[kind];
  ints   = IntBytes(parcel->num_vertices, count);
  *bytes = ints + sizeof(PetscReal) * (size_t)(VERTEX_REALS * dim) * (size_t)parcel->num_vertices;
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
  PetscFunctionReturn(0);
}

/* Finds and packs what every partner is to get; remembers which vertices went where, for the way back of sums. */
PetscErrorCode AbutSweepPack(AbutContact contact, AbutSweep *sweep, const AbutPublicBox boxes[], size_t bytes[], void *message[])
{
  Parcel   parcel = {.contact = contact};
  PetscInt room   = 0;

  PetscFunctionBegin;
  for (int kind = 0; kind < NUM_KINDS; kind++) parcel.offset[kind + 1] = parcel.offset[kind] + contact->local[kind].n;
  PetscCall(PetscMalloc1(contact->m->num_local, &parcel.vertices));
  sweep->send_start[0] = 0;
  for (PetscMPIInt i = 0; i < sweep->num_partners; i++) {
    const PetscInt start = sweep->send_start[i];

    Fill(sweep, &parcel, contact->num_boxes, boxes + contact->num_boxes * sweep->partner[i]);
    if (start + parcel.num_vertices > room) {
      room = 2 * (start + parcel.num_vertices);
      PetscCall(PetscRealloc(sizeof(int32_t) * (size_t)room, &sweep->send_vertex));
    }
    PetscCall(PetscArraycpy(sweep->send_vertex + start, parcel.vertices, parcel.num_vertices));
    sweep->send_start[i + 1] = start + parcel.num_vertices;
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
  if (v >= 0) return v;
  v = AbutVertexMapAdd(&sweep->map, global, (int32_t)sweep->num_vertices);
  if (v >= 0) return v;
  *fresh = PETSC_TRUE;
  return (int32_t)sweep->num_vertices++;
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
  for (PetscMPIInt s = 0; s < sweep->num_partners; s++) {
    for (PetscInt j = 0; j < num[s]; j++, i++) {
      at[i]    = from[s] + j * (1 + e->nv);
      slots[i] = slot + sweep->recv_start[s];
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
  const PetscMPIInt n = sweep->num_partners;
  const PetscInt  **from;
  PetscInt         *num;
  int32_t          *slot;

  PetscFunctionBegin;
  sweep->recv_start[0] = 0;
  for (PetscMPIInt s = 0; s < n; s++) sweep->recv_start[s + 1] = sweep->recv_start[s] + message[s][0];
  PetscCall(PetscMalloc3(n, &from, n, &num, sweep->recv_start[n], &slot));
  PetscCall(PetscRealloc(sizeof(int32_t) * (size_t)(sweep->recv_start[n] + 1), &sweep->recv_vertex));
  PetscCall(AbutVertexMapReset(&sweep->map, (size_t)sweep->recv_start[n]));
  sweep->num_vertices = contact->m->num_local;
  PetscCall(AbutSweepReserve(sweep, contact->m->dim, sweep->num_vertices + sweep->recv_start[n]));
  for (PetscMPIInt s = 0; s < n; s++) {
    UnpackVertices(contact, sweep, message[s], slot + sweep->recv_start[s], sweep->recv_vertex + sweep->recv_start[s]);
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
  PetscCall(PetscFree3(from, num, slot));
  PetscFunctionReturn(0);
}
