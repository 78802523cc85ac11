/*
  Restricted searches: while only some vertices move, pairs without a moving vertex are no candidates. An entity is held if none of its
  vertices moves; with one-rings, on which potentials depend, if none of their one-rings moves. The trees mark held entities as passive, and
  skip pairs of nodes that have only such entities. Messages leave them out where the other rank has held entities only.
*/
#include "contactimpl.h"

void AbutContactRestrict(AbutContact contact, const PetscBool moving[])
{
  contact->search.moving = moving;
}

PetscBool AbutContactIsRestricted(AbutContact contact)
{
  return contact->search.restricted;
}

/* An entity is held if all of its vertices are still. */
static void HoldEntities(AbutEntities *e, const unsigned char motion[])
{
  for (int32_t i = 0; i < e->n; i++) {
    e->held[i] = 1;
    for (int k = 0; k < e->nv; k++) e->held[i] &= motion[e->v[(size_t)e->nv * (size_t)i + (size_t)k]] == STILL;
  }
}

/* Which vertices of the mesh and of one-rings move. Collective. */
static PetscErrorCode MarkMoving(AbutContact contact)
{
  AbutSweep     *sweep     = &contact->search;
  const PetscInt num_local = contact->m->num_local;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < num_local; v++) sweep->motion[v] = sweep->moving[v] ? MOVES : STILL;
  if (sweep->one_ring) {
    PetscReal *motion; /* the surface sends reals */

    PetscCall(PetscMalloc1(sweep->num_fixed, &motion));
    for (PetscInt v = 0; v < num_local; v++) motion[v] = sweep->motion[v];
    PetscCall(AbutSurfaceBroadcast(contact->ring.surface, 1, motion));
    for (PetscInt v = num_local; v < sweep->num_fixed; v++) sweep->motion[v] = (unsigned char)motion[v];
    PetscCall(PetscFree(motion));
  }
  PetscFunctionReturn(0);
}

/* Marks the first n vertices at whose edges one of them moves. */
static void MarkOneRings(const AbutOneRing *ring, PetscInt n, unsigned char motion[])
{
  for (PetscInt e = 0; e < ring->num_edges; e++) {
    if (PetscMax(ring->edges[e][0], ring->edges[e][1]) >= n) continue;
    for (int k = 0; k < 2; k++) {
      unsigned char *other = &motion[ring->edges[e][1 - k]];
      if (motion[ring->edges[e][k]] == MOVES && *other == STILL) *other = RING_MOVES;
    }
  }
}

PetscErrorCode AbutSweepHoldLocal(AbutContact contact)
{
  AbutSweep *sweep = &contact->search;

  PetscFunctionBegin;
  sweep->restricted = (PetscBool)(sweep->moving != NULL);
  if (!sweep->restricted) PetscFunctionReturn(0);
  PetscCall(MarkMoving(contact));
  if (sweep->one_ring) MarkOneRings(contact->ring.one_ring, sweep->num_fixed, sweep->motion);
  for (int kind = 0; kind < NUM_KINDS; kind++)
    if (sweep->meets[kind]) HoldEntities(&contact->local[kind], sweep->motion);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSweepHoldCopies(AbutContact contact)
{
  AbutSweep *sweep = &contact->search;

  PetscFunctionBegin;
  if (!sweep->restricted) PetscFunctionReturn(0);
  PetscCall(AbutNeighboursForward(&sweep->neighbours, 1, &(AbutField){sweep->motion, sizeof(*sweep->motion)}));
  if (sweep->one_ring) MarkOneRings(contact->ring.one_ring, sweep->num_vertices, sweep->motion);
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    AbutEntities *e = &sweep->copies[kind];
    if (!sweep->meets[kind]) continue;
    HoldEntities(e, sweep->motion);
    AbutBVHSetPassive(&e->tree, e->held);
  }
  PetscFunctionReturn(0);
}
