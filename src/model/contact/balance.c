/*
  Redistribution of candidates. A search finds candidates where surfaces meet, which may be on few ranks. Ranks with many candidates send
  some of them to ranks with few. The receiver evaluates energy, gradient, Hessian and step bound of these candidates; the owners of their
  vertices get the sums through the sender.

  A message is laid out as in message.c, with numbers of candidates instead of numbers of entities: the vertices of all candidates; the
  one-rings of these vertices (onering_message.c); for each candidate the positions of its vertices in the list, and its faces and edges.
*/
#include "contactimpl.h"

#define MEMBER(name) offsetof(AbutBalancePolicy, name)

static const AbutOption options[] = {
  {"-contact_balance", ABUT_OPTION_REAL, MEMBER(tolerance), 1.2, 1, 1e9, "",
   "load of a rank over the mean load above which the rank sends candidates to other ranks; 1e9: never"}};
const AbutOptionTable AbutBalanceOptions = {"Distribution of contact candidates", sizeof(options) / sizeof(options[0]), options};

enum { MORTON_BITS = 10 };

/* Candidates of one kind. */
typedef struct {
  int                kind;
  int                width;   /* vertices of a candidate */
  int                numbers; /* of its faces and edges in the one-rings; 0 without one-rings */
  AbutPairKind       pair;
  AbutCandidateList *list;
  PetscInt           n;
} Tuples;

/* Candidates that may move. */
typedef struct {
  int        num_kinds;
  Tuples     of[2];
  PetscInt   n;      /* of both kinds */
  PetscInt  *load;   /* [n] */
  PetscInt  *target; /* [n] position of the receiver in the exchange, -1: stays here */
  PetscInt64 sum;    /* of the loads */
} Movable;

PetscErrorCode AbutBalanceCreate(AbutBalance *balance)
{
  PetscFunctionBegin;
  PetscCall(PetscHMapICreate(&balance->map));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBalanceDestroy(AbutBalance *balance)
{
  PetscFunctionBegin;
  PetscCall(AbutNeighboursDestroy(&balance->neighbours));
  PetscCall(PetscHMapIDestroy(&balance->map));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBalanceReset(AbutContact contact)
{
  AbutBalance *balance = &contact->balance;

  PetscFunctionBegin;
  if (balance->active) contact->search.num_vertices = balance->num_vertices;
  PetscCall(PetscHMapIClear(balance->map));
  PetscCall(AbutExchangeDestroy(&balance->neighbours.exchange));
  balance->active = PETSC_FALSE;
  balance->moved  = 0;
  PetscFunctionReturn(0);
}

/* Returns the vertices of candidate i; *of: the list of candidates of its kind. */
static const PetscInt *CandidateVertices(const Movable *m, PetscInt i, const Tuples **of)
{
  *of = &m->of[i >= m->of[0].n];
  return (*of)->list->v.a + (*of)->width * (i >= m->of[0].n ? i - m->of[0].n : i);
}

/* Returns the list of the kind of candidate i, and the positions of its vertices at the start of the search. */
static const Tuples *GetPositions(AbutContact contact, const Movable *m, PetscInt i, PetscReal x[12])
{
  const PetscInt  dim = contact->m->dim;
  const Tuples   *of;
  const PetscInt *v = CandidateVertices(m, i, &of);

  for (int a = 0; a < of->width; a++)
    for (PetscInt k = 0; k < dim; k++) x[dim * a + k] = contact->search.x[dim * v[a] + k];
  return of;
}

/* Whether the boxes of both entities of a pair are farther apart than a distance along an axis. This decides for most candidates. */
static PetscBool AreApart(PetscInt dim, AbutPairKind kind, PetscInt width, const PetscReal x[], PetscReal distance)
{
  const PetscInt first = kind == ABUT_PAIR_EE ? 2 : 1;

  for (PetscInt k = 0; k < dim; k++) {
    PetscReal lo[2] = {PETSC_INFINITY, PETSC_INFINITY}, hi[2] = {-PETSC_INFINITY, -PETSC_INFINITY};

    for (PetscInt a = 0; a < width; a++) {
      const int of = a >= first;
      lo[of]       = PetscMin(lo[of], x[dim * a + k]);
      hi[of]       = PetscMax(hi[of], x[dim * a + k]);
    }
    if (PetscMax(lo[0] - hi[1], lo[1] - hi[0]) > (1 + 1e-12) * distance) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Lists the candidates that may move, with their loads. */
static PetscErrorCode ListMovable(AbutContact contact, Movable *m)
{
  const PetscReal    distance      = contact->balance.distance;
  const PetscInt     dim           = contact->m->dim;
  const PetscBool    with_one_ring = contact->ring.on;
  AbutCandidateList *face = &contact->lists[FACE], *edge = &contact->lists[EDGE];
  PetscReal          x[12];

  PetscFunctionBegin;
  *m = (Movable){.num_kinds = 2};
  if (contact->m->dim == 3) {
    m->of[0] = (Tuples){FACE, 4, with_one_ring ? 1 : 0, ABUT_PAIR_FV, face, face->v.n / 4};
    m->of[1] = (Tuples){EDGE, 4, with_one_ring ? 2 : 0, ABUT_PAIR_EE, edge, edge->v.n / 4};
  } else {
    m->of[0]     = (Tuples){EDGE, 3, with_one_ring ? 1 : 0, ABUT_PAIR_EV, edge, edge->v.n / 3};
    m->num_kinds = 1;
  }
  m->n = m->of[0].n + m->of[1].n;
  PetscCall(PetscMalloc2(m->n, &m->load, m->n, &m->target));
  for (PetscInt i = 0; i < m->n; i++) {
    const Tuples *of = GetPositions(contact, m, i, x);

    m->load[i] = 1;
    if (!AreApart(dim, of->pair, of->width, x, distance) && AbutPairDist2(of->pair, (int)dim, x) < distance * distance)
      m->load[i] = contact->balance.policy.contact;
    m->target[i] = -1;
    m->sum += m->load[i];
  }
  PetscFunctionReturn(0);
}

/* Spreads the bits of a number so that two zero bits follow each. */
static PetscInt SpreadBits(PetscInt number)
{
  PetscInt spread = 0;

  for (int bit = 0; bit < MORTON_BITS; bit++) spread |= (number >> bit & 1) << 3 * bit;
  return spread;
}

/* Sorts the candidates along a space-filling curve (Morton order of their centres), so that successive ones form compact patches. */
static PetscErrorCode SortInSpace(AbutContact contact, const Movable *m, PetscInt order[])
{
  const PetscInt dim   = contact->m->dim;
  PetscReal      lo[3] = {PETSC_INFINITY, PETSC_INFINITY, PETSC_INFINITY}, hi[3] = {-PETSC_INFINITY, -PETSC_INFINITY, -PETSC_INFINITY};
  PetscReal      x[12], *centre;
  PetscInt      *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(dim * m->n, &centre, m->n, &key));
  for (PetscInt i = 0; i < m->n; i++) {
    const Tuples *of = GetPositions(contact, m, i, x);

    for (PetscInt k = 0; k < dim; k++) {
      PetscReal sum = 0;

      for (int a = 0; a < of->width; a++) sum += x[dim * a + k];
      centre[dim * i + k] = sum / of->width;
      lo[k]               = PetscMin(lo[k], centre[dim * i + k]);
      hi[k]               = PetscMax(hi[k], centre[dim * i + k]);
    }
  }
  for (PetscInt i = 0; i < m->n; i++) {
    key[i] = 0;
    for (PetscInt k = 0; k < dim; k++) {
      const PetscReal length = hi[k] - lo[k], most = (1 << MORTON_BITS) - 1;

      if (length > 0) key[i] |= SpreadBits((PetscInt)(most * ((centre[dim * i + k] - lo[k]) / length))) << k;
    }
  }
  PetscCall(AbutSortTuples(m->n, 1, 1 << 3 * MORTON_BITS, key, order));
  PetscCall(PetscFree2(centre, key));
  PetscFunctionReturn(0);
}

/* Chooses the candidates for each receiver so that their loads add up to its load[], rounded such that the sum over receivers is right. */
static PetscErrorCode ChooseCandidates(AbutContact contact, Movable *m, const PetscInt64 load[])
{
  const AbutExchange *ex = &contact->balance.neighbours.exchange;
  PetscInt           *order, i = 0;
  PetscInt64          sum = 0, wanted = 0;

  PetscFunctionBegin;
  if (!ex->num_send) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(m->n, &order));
  PetscCall(SortInSpace(contact, m, order));
  for (PetscMPIInt s = 0; s < ex->num_send; s++) {
    wanted += load[ex->send_rank[s]];
    for (; i < m->n && 2 * sum + m->load[order[i]] <= 2 * wanted; i++) {
      sum += m->load[order[i]];
      m->target[order[i]] = s;
      contact->balance.moved++;
    }
  }
  PetscCall(PetscFree(order));
  PetscFunctionReturn(0);
}

/* Lists the vertices of the candidates for receiver s and counts these candidates. */
static void CollectCandidates(const Movable *m, PetscInt s, AbutSendBuffer *buffer)
{
  const Tuples *of;

  for (int kind = 0; kind < NUM_KINDS; kind++) buffer->count[kind] = 0;
  buffer->num_vertices = 0;
  buffer->stamp        = ++buffer->contact->marks.stamp;
  for (PetscInt i = 0; i < m->n; i++) {
    if (m->target[i] != s) continue;
    const PetscInt *v = CandidateVertices(m, i, &of);

    buffer->count[of->kind]++;
    for (int a = 0; a < of->width; a++) AbutSendBufferAddVertex(buffer, v[a]);
  }
}

/* Packs the candidates for receiver s. */
static PetscErrorCode PackCandidates(const Movable *m, PetscInt s, AbutSendBuffer *buffer)
{
  const AbutContact contact = buffer->contact;

  PetscFunctionBegin;
  CollectCandidates(m, s, buffer);
  if (contact->ring.on) AbutRingCollect(buffer);
  PetscCall(AbutMessagePackVertices(&contact->search, buffer));
  if (contact->ring.on) PetscCall(AbutRingPackSurrounding(buffer));
  for (int k = 0; k < m->num_kinds; k++) {
    const Tuples  *of    = &m->of[k];
    const PetscInt first = k ? m->of[0].n : 0;

    for (PetscInt i = 0; i < of->n; i++) {
      if (m->target[first + i] != s) continue;
      for (PetscInt a = of->width * i; a < of->width * (i + 1); a++)
        PetscCall(AbutIntsPush(&buffer->ints, 1, (PetscInt[]){contact->marks.vertex_slot[of->list->v.a[a]]}));
      for (PetscInt p = of->numbers * i; p < of->numbers * (i + 1); p++)
        PetscCall(AbutRingPackPrimitive(buffer, of->kind, of->list->number.a[p]));
    }
  }
  PetscFunctionReturn(0);
}

/* Keeps the entries of the candidates that stay, `width` each. target[]: of these candidates. */
static void Keep(const PetscInt target[], PetscInt n, int width, AbutInts *entries)
{
  entries->n = 0;
  for (PetscInt i = 0; i < n; i++) {
    if (target[i] >= 0) continue;
    for (int a = 0; a < width; a++) entries->a[entries->n++] = entries->a[width * i + a];
  }
}

/* Removes the candidates that move from the lists. */
static void RemoveMoved(const Movable *m)
{
  for (int k = 0; k < m->num_kinds; k++) {
    const PetscInt *target = m->target + (k ? m->of[0].n : 0);

    Keep(target, m->of[k].n, m->of[k].width, &m->of[k].list->v);
    Keep(target, m->of[k].n, m->of[k].numbers, &m->of[k].list->number);
  }
}

/* Packs the messages to all receivers and removes the packed candidates from the lists. */
static PetscErrorCode Pack(AbutContact contact, Movable *m, size_t bytes[], void *message[])
{
  AbutNeighbours *to     = &contact->balance.neighbours;
  AbutExchange   *ex     = &to->exchange;
  AbutSendBuffer  buffer = {.contact = contact};

  PetscFunctionBegin;
  if (!ex->num_send) PetscFunctionReturn(0);
  PetscCall(AbutMarksReserve(contact));
  PetscCall(PetscMalloc1(contact->search.num_vertices, &buffer.vertices));
  for (PetscMPIInt s = 0; s < ex->num_send; s++) {
    const PetscInt start = ex->send_start[s];

    PetscCall(PackCandidates(m, s, &buffer));
    PetscCall(AbutReserve(start + buffer.num_vertices, &to->sent_capacity, &to->sent));
    PetscCall(PetscArraycpy(to->sent + start, buffer.vertices, buffer.num_vertices));
    ex->send_start[s + 1] = start + buffer.num_vertices;
    PetscCall(AbutMessageCreate(&buffer, &bytes[s], &message[s]));
  }
  RemoveMoved(m);
  PetscCall(PetscFree(buffer.vertices));
  PetscCall(PetscFree(buffer.ints.a));
  PetscCall(PetscFree(buffer.reals.a));
  PetscFunctionReturn(0);
}

/* Appends one candidate to its list. */
static PetscErrorCode AppendCandidate(AbutContact contact, const Tuples *of, AbutReader *from, const int32_t slot[])
{
  const int nv = AbutKindVertices(of->kind);
  PetscInt  number, v[4];

  PetscFunctionBegin;
  for (int a = 0; a < of->width; a++) v[a] = slot[*from->ints++];
  PetscCall(AbutIntsPush(&of->list->v, of->width, v));
  for (int at = of->width - nv * of->numbers; at < of->width && of->numbers; at += nv) { /* behind the vertex of a face or edge */
    PetscCall(AbutRingUnpackPrimitive(contact, of->kind, v + at, from, &number));
    PetscCall(AbutIntsPush(&of->list->number, 1, &number));
  }
  for (int a = 0; a < of->width && of->numbers; a++) AbutSurfaceMarkComplete(contact->ring.surface, 1, (const int32_t[]){(int32_t)v[a]});
  PetscFunctionReturn(0);
}

/* Appends the candidates of one message to the lists. slot[]: the contact vertex of each vertex of the message. */
static PetscErrorCode AppendCandidates(AbutContact contact, const Movable *m, AbutReader *from, const int32_t slot[])
{
  PetscFunctionBegin;
  if (contact->ring.on) PetscCall(AbutRingUnpackSurrounding(contact, slot, from));
  for (int k = 0; k < m->num_kinds; k++)
    for (PetscInt i = 0; i < from->count[1 + m->of[k].kind]; i++) PetscCall(AppendCandidate(contact, &m->of[k], from, slot));
  PetscFunctionReturn(0);
}

static PetscErrorCode Unpack(AbutContact contact, const Movable *m, void *const message[])
{
  AbutNeighbours *to    = &contact->balance.neighbours;
  AbutExchange   *ex    = &to->exchange;
  AbutSweep      *sweep = &contact->search;
  AbutReader     *from;
  int32_t        *slot;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(ex->num_recv, &from));
  for (PetscMPIInt s = 0; s < ex->num_recv; s++) {
    from[s]               = AbutMessageOpen(message[s]);
    ex->recv_start[s + 1] = ex->recv_start[s] + from[s].count[0];
  }
  PetscCall(PetscMalloc1(ex->recv_start[ex->num_recv], &slot));
  PetscCall(AbutReserve(ex->recv_start[ex->num_recv], &to->received_capacity, &to->received));
  PetscCall(AbutSweepReserve(sweep, contact->m->dim, sweep->num_vertices + ex->recv_start[ex->num_recv]));
  for (PetscMPIInt s = 0; s < ex->num_recv; s++) {
    const PetscInt start = ex->recv_start[s];

    PetscCall(AbutMessageUnpackVertices(contact, sweep, contact->balance.map, &from[s], slot + start, to->received + start));
    PetscCall(AppendCandidates(contact, m, &from[s], slot + start));
  }
  if (contact->ring.on && ex->num_recv) PetscCall(AbutSurfaceEndCopies(contact->ring.surface, sweep->body));
  PetscCall(PetscFree(from));
  PetscCall(PetscFree(slot));
  PetscFunctionReturn(0);
}

/* Sends the candidates. Collective over the ranks of the exchange. */
static PetscErrorCode Move(AbutContact contact, Movable *m)
{
  const AbutExchange *ex = &contact->balance.neighbours.exchange;
  size_t             *bytes, *got;
  void              **send, **recv;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(ex->num_send, &bytes, ex->num_recv, &got, ex->num_send, &send, ex->num_recv, &recv));
  PetscCall(Pack(contact, m, bytes, send));
  PetscCall(AbutExchangeMessages(ex, bytes, send, got, recv));
  PetscCall(Unpack(contact, m, recv));
  for (PetscMPIInt s = 0; s < ex->num_send; s++) PetscCall(PetscFree(send[s]));
  for (PetscMPIInt s = 0; s < ex->num_recv; s++) PetscCall(PetscFree(recv[s]));
  PetscCall(PetscFree4(bytes, got, send, recv));
  AbutContactPublish(contact);
  PetscFunctionReturn(0);
}

/* Plans the transfers and creates their exchange; sets balance->active if there are any. load[]: [size] see AbutBalancePlan(). */
static PetscErrorCode Plan(AbutContact contact, const PetscInt64 own[], PetscInt64 load[])
{
  AbutBalance *balance = &contact->balance;
  PetscMPIInt  num     = 0, *rank;
  PetscInt64   limit, *room;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(contact->size, &room, contact->size, &rank));
  AbutBalancePlan(contact->size, contact->rank, own, &balance->policy, &limit, room, load);
  for (PetscMPIInt r = 0; r < contact->size; r++) {
    if (own[r] > limit) balance->active = PETSC_TRUE;
    if (load[r] > 0) rank[num++] = r;
  }
  if (balance->active) {
    const PetscBool sends = (PetscBool)(own[contact->rank] > limit);

    PetscCall(
      AbutExchangeCreateKnown(contact->comm, contact->tag, sends ? num : 0, rank, sends ? 0 : num, rank, &balance->neighbours.exchange));
    balance->neighbours.exchange.traffic = &contact->traffic;
    balance->num_vertices                = contact->search.num_vertices;
  }
  PetscCall(PetscFree2(room, rank));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBalanceCandidates(AbutContact contact)
{
  AbutBalance *balance = &contact->balance;
  PetscInt64  *own, *load;
  PetscInt64   mine;
  Movable      movable;

  PetscFunctionBegin;
  if (contact->size == 1 || !(balance->distance > 0)) PetscFunctionReturn(0);
  PetscCall(ListMovable(contact, &movable));
  PetscCall(PetscMalloc2(contact->size, &own, contact->size, &load));
  mine = movable.sum + contact->pv.n / 2;
  PetscCallMPI(MPI_Allgather(&mine, 1, MPIU_INT64, own, 1, MPIU_INT64, contact->comm));
  PetscCall(Plan(contact, own, load));
  if (balance->active) {
    PetscCall(ChooseCandidates(contact, &movable, load));
    PetscCall(Move(contact, &movable));
  }
  PetscCall(PetscFree2(own, load));
  PetscCall(PetscFree2(movable.load, movable.target));
  PetscFunctionReturn(0);
}
