/*
  Migration of surface patches. Each rank has a few boxes that contain its entities. Two ranks are neighbours if a box of one overlaps a box
  of the other and their kinds are paired; both ranks evaluate the same test. Each sends the other the entities that overlap the other's
  boxes, with their vertices: position, direction, rest position and the three numbers of a vertex.

  Gathering the hull of the boxes of each rank, 56 bytes, is the only collective operation. Ranks with overlapping hulls send each other
  their boxes.
*/
#include "contactimpl.h"

#define RANK_BOX_REALS ((PetscMPIInt)(sizeof(AbutRankBox) / sizeof(PetscReal)))

/* Sets the boxes of this rank, mine[num_boxes]. */
static PetscErrorCode SetBoxes(AbutContact contact, const AbutSweep *sweep, AbutRankBox mine[])
{
  const int      max = (int)contact->params.num_boxes;
  const AbutBVH *tree[NUM_KINDS];
  int            kinds[NUM_KINDS], trees = 0, count = 0, *from;
  AbutBox       *cover;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(max, &cover, max, &from));
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    if (!sweep->meets[kind]) continue;
    kinds[trees]  = kind;
    tree[trees++] = &contact->local[kind].tree;
  }
  PetscCall(AbutBVHCover(trees, tree, max, &count, cover, from));
  for (int i = 0; i < max; i++) {
    mine[i].kind = i < count ? kinds[from[i]] : -1;
    for (int k = 0; k < 3; k++) {
      const PetscReal o = sweep->origin[k], lo = i < count ? o + (PetscReal)cover[i].lo[k] : 0,
                      hi = i < count ? o + (PetscReal)cover[i].hi[k] : 0;

      mine[i].lo[k] = lo - 1e-15 * (PetscAbsReal(lo) + PetscAbsReal(o));
      mine[i].hi[k] = hi + 1e-15 * (PetscAbsReal(hi) + PetscAbsReal(o));
    }
  }
  PetscCall(PetscFree2(cover, from));
  PetscFunctionReturn(0);
}

static inline PetscBool Overlap(const AbutRankBox *a, const AbutRankBox *b)
{
  for (int k = 0; k < 3; k++) {
    if (!(a->lo[k] <= b->hi[k] && b->lo[k] <= a->hi[k])) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Hull of the boxes of one rank. */
static AbutRankBox Hull(PetscInt n, const AbutRankBox box[])
{
  AbutRankBox hull = box[0];

  for (PetscInt i = 1; i < n && box[i].kind >= 0; i++) {
    for (int k = 0; k < 3; k++) {
      hull.lo[k] = PetscMin(hull.lo[k], box[i].lo[k]);
      hull.hi[k] = PetscMax(hull.hi[k], box[i].hi[k]);
    }
  }
  return hull;
}

static PetscBool AreNeighbours(const AbutSweep *sweep, PetscInt n, const AbutRankBox a[], const AbutRankBox b[])
{
  for (PetscInt i = 0; i < n && a[i].kind >= 0; i++) {
    for (PetscInt j = 0; j < n && b[j].kind >= 0; j++) {
      if ((sweep->meets[(int)a[i].kind] >> (int)b[j].kind & 1) && Overlap(&a[i], &b[j])) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/* Lists the ranks whose hulls overlap the hull of this rank. The caller frees *found. */
static PetscErrorCode FindOverlaps(AbutContact contact, const AbutRankBox mine[], PetscMPIInt *count, PetscMPIInt **found)
{
  const AbutRankBox hull = Hull(contact->params.num_boxes, mine);
  AbutRankBox      *hulls;

  PetscFunctionBegin;
  *count = 0;
  PetscCall(PetscMalloc1(contact->size, found));
  PetscCall(PetscMalloc1(contact->size, &hulls));
  PetscCallMPI(MPI_Allgather(&hull, RANK_BOX_REALS, MPIU_REAL, hulls, RANK_BOX_REALS, MPIU_REAL, contact->comm));
  contact->traffic.messages += 1;
  contact->traffic.bytes += (PetscLogDouble)sizeof(hull);
  for (PetscMPIInt r = 0; r < contact->size; r++) {
    if (r == contact->rank || hull.kind < 0 || hulls[r].kind < 0 || !Overlap(&hull, &hulls[r])) continue;
    (*found)[(*count)++] = r;
  }
  PetscCall(PetscFree(hulls));
  PetscFunctionReturn(0);
}

/* Exchanges boxes with `count` ranks. The caller frees *boxes: [count * num_boxes]. */
static PetscErrorCode ExchangeBoxes(AbutContact contact, const AbutRankBox mine[], PetscMPIInt count, const PetscMPIInt rank[],
                                    AbutRankBox **boxes)
{
  const PetscInt n = contact->params.num_boxes;
  AbutRankBox   *send;
  AbutExchange   ex;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * count, &send));
  PetscCall(PetscMalloc1(n * count, boxes));
  PetscCall(AbutExchangeCreateMutual(contact->comm, contact->tag, count, rank, &ex));
  ex.traffic = &contact->traffic;
  for (PetscMPIInt s = 0; s < count; s++) {
    PetscCall(PetscArraycpy(send + n * s, mine, n));
    ex.send_start[s + 1] = ex.recv_start[s + 1] = n * (s + 1);
  }
  PetscCall(AbutExchangeForward(&ex, sizeof(*send), send, *boxes));
  PetscCall(AbutExchangeDestroy(&ex));
  PetscCall(PetscFree(send));
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
  PetscCall(PetscMalloc1(n, &mine));
  PetscCall(SetBoxes(contact, sweep, mine));
  PetscCall(FindOverlaps(contact, mine, &overlaps, &rank));
  PetscCall(ExchangeBoxes(contact, mine, overlaps, rank, boxes));
  for (PetscMPIInt s = 0; s < overlaps; s++) {
    if (!AreNeighbours(sweep, n, mine, *boxes + n * s)) continue;
    if (s != count) PetscCall(PetscArraycpy(*boxes + n * count, *boxes + n * s, n));
    rank[count++] = rank[s];
  }
  PetscCall(AbutExchangeDestroy(ex));
  PetscCall(AbutExchangeCreateMutual(contact->comm, contact->tag, count, rank, ex));
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
