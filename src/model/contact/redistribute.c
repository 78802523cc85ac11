/*
  Sends copies of surface entities to the ranks whose surfaces they may meet.

  Each rank describes its entities to another rank by a few boxes. Two ranks are neighbours if their boxes overlap, the kinds in these
  boxes are paired, and not both hold passive entities only: obstacles, or in a restricted search held entities. Both ranks evaluate the
  same test. Each sends the other the entities that overlap the other's boxes, with position, direction, rest position and the three
  numbers of each of their vertices.

  The only collective operation gathers two hulls of each rank, 128 bytes. Ranks with overlapping hulls send each other boxes, which cover
  only entities that overlap a hull of the other rank: they are small where surfaces may meet.
*/
#include "contactimpl.h"

/* Boxes around all surface vertices of one rank, and around its entities that are not passive. kind < 0: there are none. */
typedef struct {
  AbutRankBox all, free;
} Hulls;

#define HULLS_REALS ((PetscMPIInt)(sizeof(Hulls) / sizeof(PetscReal)))

/* Converts a box of this rank to coordinates that are the same on all ranks. */
static AbutRankBox GlobalBox(const AbutSweep *sweep, const AbutBox *box, int kind, PetscBool passive)
{
  AbutRankBox global = {.kind = kind, .passive = passive};

  for (int k = 0; k < 3; k++) {
    const PetscReal o = sweep->origin[k], lo = o + (PetscReal)box->lo[k], hi = o + (PetscReal)box->hi[k];

    global.lo[k] = lo - 1e-15 * (PetscAbsReal(lo) + PetscAbsReal(o));
    global.hi[k] = hi + 1e-15 * (PetscAbsReal(hi) + PetscAbsReal(o));
  }
  return global;
}

/* The smallest box around n boxes. */
typedef struct {
  AbutBox  box;
  PetscInt n;
} Hull;

static inline void Join(Hull *hull, const AbutBox *box)
{
  hull->box = hull->n++ ? (AbutBox){AbutMin4(hull->box.lo, box->lo), AbutMax4(hull->box.hi, box->hi)} : *box;
}

/* Around the entities of a restricted search that are not held. Some of their vertices may be still. */
static Hull HullOfMoving(AbutContact contact, const AbutSweep *sweep)
{
  Hull hull = {.n = 0};

  for (int kind = 0; kind < NUM_KINDS; kind++) {
    const AbutEntities *e = &contact->local[kind];
    for (int32_t i = 0; sweep->meets[kind] && i < e->nv * e->n; i++)
      if (!e->held[i / e->nv]) Join(&hull, &sweep->box[e->v[i]]);
  }
  return hull;
}

static Hulls GetHulls(AbutContact contact, const AbutSweep *sweep)
{
  const PetscReal   far   = PETSC_INFINITY;
  const AbutRankBox empty = {.lo = {far, far, far}, .hi = {-far, -far, -far}, .kind = -1};
  Hull              all = {.n = 0}, free = {.n = 0};

  for (PetscInt i = 0; i < contact->num_surface; i++) {
    const PetscInt v = contact->surface[i];

    Join(&all, &sweep->box[v]);
    if (!contact->m->bodies[sweep->body[v]].obstacle) Join(&free, &sweep->box[v]);
  }
  if (sweep->restricted) free = HullOfMoving(contact, sweep);
  return (Hulls){.all  = all.n ? GlobalBox(sweep, &all.box, 0, PETSC_FALSE) : empty,
                 .free = free.n ? GlobalBox(sweep, &free.box, 0, PETSC_FALSE) : empty};
}

/* Sets the boxes mine[num_boxes] around the entities of this rank that may meet the surface of another rank, which has the given hulls. */
static PetscErrorCode SetBoxes(AbutContact contact, const AbutSweep *sweep, const Hulls *theirs, AbutRankBox mine[])
{
  const int      max      = (int)contact->params.num_boxes;
  const AbutBox  reach[2] = {AbutSweepLocalBox(sweep, &theirs->free), AbutSweepLocalBox(sweep, &theirs->all)};
  const AbutBVH *tree[NUM_KINDS];
  int            kinds[NUM_KINDS], trees = 0, count = 0;
  AbutBVHPatch  *cover;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(max, &cover));
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    if (!sweep->meets[kind]) continue;
    kinds[trees]  = kind;
    tree[trees++] = &contact->local[kind].tree;
  }
  PetscCall(AbutBVHCover(trees, tree, reach, max, &count, cover));
  for (int i = 0; i < max; i++)
    mine[i] = i < count ? GlobalBox(sweep, &cover[i].box, kinds[cover[i].tree], cover[i].passive) : (AbutRankBox){.kind = -1};
  PetscCall(PetscFree(cover));
  PetscFunctionReturn(0);
}

static inline PetscBool Overlap(const AbutRankBox *a, const AbutRankBox *b)
{
  for (int k = 0; k < 3; k++) {
    if (!(a->lo[k] <= b->hi[k] && b->lo[k] <= a->hi[k])) return PETSC_FALSE;
  }
  return (PetscBool)(a->kind >= 0 && b->kind >= 0);
}

static PetscBool AreNeighbours(const AbutSweep *sweep, PetscInt n, const AbutRankBox a[], const AbutRankBox b[])
{
  for (PetscInt i = 0; i < n && a[i].kind >= 0; i++) {
    for (PetscInt j = 0; j < n && b[j].kind >= 0; j++) {
      if (a[i].passive != 0 && b[j].passive != 0) continue;
      if ((sweep->meets[(int)a[i].kind] >> (int)b[j].kind & 1) && Overlap(&a[i], &b[j])) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/* Lists the ranks whose surfaces may meet that of this rank, and sets the boxes for each of them. The caller frees *found and *mine. */
static PetscErrorCode FindOverlaps(AbutContact contact, const AbutSweep *sweep, PetscMPIInt *count, PetscMPIInt **found, AbutRankBox **mine)
{
  const PetscInt n   = contact->params.num_boxes;
  const Hulls    own = GetHulls(contact, sweep);
  Hulls         *hulls;

  PetscFunctionBegin;
  *count = 0;
  PetscCall(PetscMalloc1(contact->size, found));
  PetscCall(PetscMalloc1(contact->size, &hulls));
  PetscCallMPI(MPI_Allgather(&own, HULLS_REALS, MPIU_REAL, hulls, HULLS_REALS, MPIU_REAL, contact->comm));
  contact->traffic.messages += 1;
  contact->traffic.bytes += (PetscLogDouble)sizeof(own);
  for (PetscMPIInt r = 0; r < contact->size; r++) {
    if (r == contact->rank) continue;
    if (Overlap(&own.all, &hulls[r].free) || Overlap(&own.free, &hulls[r].all)) (*found)[(*count)++] = r;
  }
  PetscCall(PetscMalloc1(n * *count, mine));
  for (PetscMPIInt s = 0; s < *count; s++) PetscCall(SetBoxes(contact, sweep, &hulls[(*found)[s]], *mine + n * s));
  PetscCall(PetscFree(hulls));
  PetscFunctionReturn(0);
}

/* Exchanges boxes with `count` ranks. The caller frees *boxes: [count * num_boxes]. */
static PetscErrorCode ExchangeBoxes(AbutContact contact, const AbutRankBox mine[], PetscMPIInt count, const PetscMPIInt rank[],
                                    AbutRankBox **boxes)
{
  const PetscInt n = contact->params.num_boxes;
  AbutExchange   ex;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * count, boxes));
  PetscCall(AbutExchangeCreateKnown(contact->comm, contact->tag, count, rank, count, rank, &ex));
  ex.traffic = &contact->traffic;
  for (PetscMPIInt s = 0; s < count; s++) ex.send_start[s + 1] = ex.recv_start[s + 1] = n * (s + 1);
  PetscCall(AbutExchangeForward(&ex, sizeof(*mine), mine, *boxes));
  PetscCall(AbutExchangeDestroy(&ex));
  PetscFunctionReturn(0);
}

/* Sets the exchange of the sweep to the neighbours. The caller frees *boxes: [number of neighbours * num_boxes], of the neighbours. */
static PetscErrorCode FindNeighbours(AbutContact contact, AbutSweep *sweep, AbutRankBox **boxes)
{
  const PetscInt n  = contact->params.num_boxes;
  AbutExchange  *ex = &sweep->neighbours.exchange;
  AbutRankBox   *mine;
  PetscMPIInt   *rank, overlaps, count = 0;

  PetscFunctionBegin;
  PetscCall(FindOverlaps(contact, sweep, &overlaps, &rank, &mine));
  PetscCall(ExchangeBoxes(contact, mine, overlaps, rank, boxes));
  for (PetscMPIInt s = 0; s < overlaps; s++) {
    if (!AreNeighbours(sweep, n, mine + n * s, *boxes + n * s)) continue;
    if (s != count) PetscCall(PetscArraycpy(*boxes + n * count, *boxes + n * s, n));
    rank[count++] = rank[s];
  }
  PetscCall(AbutExchangeDestroy(ex));
  PetscCall(AbutExchangeCreateKnown(contact->comm, contact->tag, count, rank, count, rank, ex));
  ex->traffic = &contact->traffic;
  PetscCall(PetscFree(rank));
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSweepRedistribute(AbutContact contact, AbutSweep *sweep, PetscReal step, PetscReal inflation)
{
  const AbutExchange *ex = &sweep->neighbours.exchange;
  AbutRankBox        *boxes;
  size_t             *bytes, *got;
  void              **send, **recv;

  PetscFunctionBegin;
  AbutSweepPlaceVertices(contact, sweep, step, inflation);
  PetscCall(AbutSweepFitTrees(contact, sweep));
  PetscCall(FindNeighbours(contact, sweep, &boxes));
  PetscCall(PetscMalloc4(ex->num_send, &bytes, ex->num_send, &got, ex->num_send, &send, ex->num_send, &recv));
  PetscCall(AbutSweepPack(contact, sweep, boxes, bytes, send));
  PetscCall(AbutExchangeMessages(ex, bytes, send, got, recv));
  PetscCall(AbutSweepUnpack(contact, sweep, recv));
  for (PetscMPIInt i = 0; i < ex->num_send; i++) {
    PetscCall(PetscFree(send[i]));
    PetscCall(PetscFree(recv[i]));
  }
  PetscCall(PetscFree4(bytes, got, send, recv));
  PetscCall(PetscFree(boxes));
  AbutSweepPlaceCopies(contact, sweep);
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    AbutEntities *e = &sweep->copies[kind];

    AbutBVHRefit(&e->tree, e->nv, e->v, sweep->box, 0);
    AbutBVHSetPassive(&e->tree, e->obstacle);
  }
  PetscFunctionReturn(0);
}
