/*
  Brings together what may meet. Every rank publishes a few boxes that hold its entities; two ranks are partners if a box of one overlaps
  a box of the other with kinds that are paired, which both see alike. Each sends the other the entities that overlap the other's
  boxes, with their vertices: position, direction, rest position and the three numbers of a vertex.

  The one collective operation is the gathering of the boxes; messages go between partners only.
*/
#include "contactimpl.h"

static PetscErrorCode Publish(AbutContact contact, const AbutSweep *sweep, AbutPublicBox **boxes)
{
  const int      max = (int)contact->num_boxes;
  const AbutBVH *tree[NUM_KINDS];
  int            kinds[NUM_KINDS], trees = 0, count = 0, *from;
  AbutBox       *cover;
  AbutPublicBox *mine;

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
  contact->messages += 1;
  contact->bytes += (PetscLogDouble)(sizeof(AbutPublicBox) * (size_t)max);
  PetscCall(PetscFree3(cover, from, mine));
  PetscFunctionReturn(0);
}

static inline PetscBool Overlap(const AbutPublicBox *a, const AbutPublicBox *b)
{
  for (int k = 0; k < 3; k++) {
    if (!(a->lo[k] <= b->hi[k] && b->lo[k] <= a->hi[k])) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Hull of the boxes of one rank. */
static AbutPublicBox Hull(PetscInt n, const AbutPublicBox box[])
{
  AbutPublicBox hull = box[0];

  for (PetscInt i = 1; i < n && box[i].kind >= 0; i++) {
    for (int k = 0; k < 3; k++) {
      hull.lo[k] = PetscMin(hull.lo[k], box[i].lo[k]);
      hull.hi[k] = PetscMax(hull.hi[k], box[i].hi[k]);
    }
  }
  return hull;
}

static PetscBool ArePartners(const AbutSweep *sweep, PetscInt n, const AbutPublicBox a[], const AbutPublicBox b[])
{
  for (PetscInt i = 0; i < n && a[i].kind >= 0; i++) {
    for (PetscInt j = 0; j < n && b[j].kind >= 0; j++) {
      if ((sweep->meets[(int)a[i].kind] >> (int)b[j].kind & 1) && Overlap(&a[i], &b[j])) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

static PetscErrorCode FindPartners(AbutContact contact, AbutSweep *sweep, const AbutPublicBox boxes[])
{
  const PetscInt       n        = contact->num_boxes;
  const AbutPublicBox *mine     = boxes + n * contact->rank;
  const AbutPublicBox  hull     = Hull(n, mine);
  AbutPartners        *partners = &sweep->partners;
  PetscMPIInt         *found, count = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(contact->size, &found));
  for (PetscMPIInt r = 0; r < contact->size; r++) {
    const AbutPublicBox *theirs = boxes + n * r, other = Hull(n, theirs);

    if (r == contact->rank || hull.kind < 0 || other.kind < 0 || !Overlap(&hull, &other)) continue;
    if (ArePartners(sweep, n, mine, theirs)) found[count++] = r;
  }
  PetscCall(PetscFree3(partners->rank, partners->send_start, partners->recv_start));
  PetscCall(PetscMalloc3(count, &partners->rank, count + 1, &partners->send_start, count + 1, &partners->recv_start));
  PetscCall(PetscArraycpy(partners->rank, found, count));
  PetscCall(PetscFree(found));
  partners->num = count;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSweepRedistribute(AbutContact contact, AbutSweep *sweep)
{
  const AbutPartners *partners = &sweep->partners;
  AbutPublicBox      *boxes;
  size_t             *bytes, *got;
  void              **send, **recv;

  PetscFunctionBegin;
  PetscCall(Publish(contact, sweep, &boxes));
  PetscCall(FindPartners(contact, sweep, boxes));
  PetscCall(PetscMalloc4(partners->num, &bytes, partners->num, &got, partners->num, &send, partners->num, &recv));
  PetscCall(AbutSweepPack(contact, sweep, boxes, bytes, send));
  PetscCall(AbutPartnersExchange(contact, partners, bytes, send, got, recv));
  PetscCall(AbutSweepUnpack(contact, sweep, (const PetscInt *const *)recv));
  for (PetscMPIInt i = 0; i < partners->num; i++) {
    PetscCall(PetscFree(send[i]));
    PetscCall(PetscFree(recv[i]));
  }
  PetscCall(PetscFree4(bytes, got, send, recv));
  PetscCall(PetscFree(boxes));
  PetscFunctionReturn(0);
}
