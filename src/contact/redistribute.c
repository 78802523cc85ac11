/*
  Migration of surface patches. Each rank publishes a few boxes that contain its entities. Two ranks are neighbours if a box of one
  overlaps a box of the other and their kinds are paired; both ranks evaluate the same test. Each sends the other the entities that
  overlap the other's boxes, with their vertices: position, direction, rest position and the three numbers of a vertex.

  Gathering the boxes is the only collective operation; messages go between neighbours only.
*/
#include "contactimpl.h"

static PetscErrorCode Publish(AbutContact contact, const AbutSweep *sweep, AbutRankBox **boxes)
{
  const int      max = (int)contact->params.num_boxes;
  const AbutBVH *tree[NUM_KINDS];
  int            kinds[NUM_KINDS], trees = 0, count = 0, *from;
  AbutBox       *cover;
  AbutRankBox   *mine;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(max, &cover, max, &from, max, &mine));
  PetscCall(PetscMalloc1((size_t)max * contact->size, boxes));
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
  PetscCallMPI(MPI_Allgather(mine, 7 * max, MPIU_REAL, *boxes, 7 * max, MPIU_REAL, contact->comm));
  contact->traffic.messages += 1;
  contact->traffic.bytes += (PetscLogDouble)(sizeof(AbutRankBox) * (size_t)max);
  PetscCall(PetscFree3(cover, from, mine));
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

static PetscErrorCode FindNeighbours(AbutContact contact, AbutSweep *sweep, const AbutRankBox boxes[])
{
  const PetscInt     n    = contact->params.num_boxes;
  const AbutRankBox *mine = boxes + n * contact->rank;
  const AbutRankBox  hull = Hull(n, mine);
  AbutExchange      *ex   = &sweep->neighbours.exchange;
  PetscMPIInt       *found, count = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(contact->size, &found));
  for (PetscMPIInt r = 0; r < contact->size; r++) {
    const AbutRankBox *theirs = boxes + n * r, other = Hull(n, theirs);

    if (r == contact->rank || hull.kind < 0 || other.kind < 0 || !Overlap(&hull, &other)) continue;
    if (AreNeighbours(sweep, n, mine, theirs)) found[count++] = r;
  }
  PetscCall(AbutExchangeDestroy(ex));
  PetscCall(AbutExchangeCreateMutual(contact->comm, contact->tag, count, found, ex));
  ex->traffic = &contact->traffic;
  PetscCall(PetscFree(found));
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
  PetscCall(Publish(contact, sweep, &boxes));
  PetscCall(FindNeighbours(contact, sweep, boxes));
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
  }
  PetscFunctionReturn(0);
}
