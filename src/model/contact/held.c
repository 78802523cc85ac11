/*
  Restricted searches: while only some vertices move, pairs without a moving vertex are no candidates. An entity is held if none of its
  vertices moves; with one-rings, on which potentials depend, if none of their one-rings moves. The trees mark held entities as passive, and
  skip pairs of nodes that have only such entities.
*/
#include "contactimpl.h"

/* Values of AbutSweep.motion. RING_MOVES: the vertex does not move, but one at the end of an edge does. */
enum { STILL, RING_MOVES, MOVES };

void AbutContactRestrict(AbutContact contact, const PetscBool moving[])
{
  contact->search.moving = moving;
}

PetscBool AbutContactIsRestricted(AbutContact contact)
{
  return contact->search.restricted;
}

/* An entity is held if all of its vertices are still. */
static void SetEntities(AbutEntities *e, const unsigned char motion[])
{
  for (int32_t i = 0; i < e->n; i++) {
    e->held[i] = 1;
    for (int k = 0; k < e->nv; k++) e->held[i] &= motion[e->v[(size_t)e->nv * (size_t)i + (size_t)k]] == STILL;
  }
  AbutBVHSetPassive(&e->tree, e->held);
}

/* Which vertices of the mesh, of one-rings and of copies move. Collective. */
static PetscErrorCode SetVertices(AbutContact contact)
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
  PetscCall(AbutNeighboursForward(&sweep->neighbours, 1, &(AbutField){sweep->motion, sizeof(*sweep->motion)}));
  PetscFunctionReturn(0);
}

static void MarkOneRings(const AbutOneRing *ring, unsigned char motion[])
{
  for (PetscInt e = 0; e < ring->num_edges; e++) {
    for (int k = 0; k < 2; k++) {
      unsigned char *other = &motion[ring->edges[e][1 - k]];
      if (motion[ring->edges[e][k]] == MOVES && *other == STILL) *other = RING_MOVES;
    }
  }
}

PetscErrorCode AbutSweepSetHeld(AbutContact contact)
{
  AbutSweep *sweep = &contact->search;

  PetscFunctionBegin;
  sweep->restricted = (PetscBool)(sweep->moving != NULL);
  if (!sweep->restricted) PetscFunctionReturn(0);
  PetscCall(SetVertices(contact));
  if (sweep->one_ring) MarkOneRings(contact->ring.one_ring, sweep->motion);
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    if (!sweep->meets[kind]) continue;
    SetEntities(&contact->local[kind], sweep->motion);
    SetEntities(&sweep->copies[kind], sweep->motion);
  }
  PetscFunctionReturn(0);
}
