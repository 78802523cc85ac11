/*
  Restricted searches: while only some vertices move, pairs without a moving vertex are no candidates. An entity is held if none of its
  vertices moves; with one-rings, on which potentials depend, if none of their one-rings moves. The trees mark held entities as passive, and
  skip pairs of nodes that have only such entities.
*/
#include "contactimpl.h"

enum { MOVES, HELD, RING_MOVES }; /* values of AbutSweep.held: RING_MOVES is a held vertex with a moving one at the end of an edge */

void AbutContactRestrict(AbutContact contact, const PetscBool moving[])
{
  contact->search.moving = moving;
}

PetscBool AbutContactIsRestricted(AbutContact contact)
{
  return contact->search.restricted;
}

/* An entity is held if all of its vertices and their one-rings are. */
static void SetEntities(AbutEntities *e, const unsigned char vertex[])
{
  for (int32_t i = 0; i < e->n; i++) {
    e->held[i] = 1;
    for (int k = 0; k < e->nv; k++) e->held[i] &= vertex[e->v[(size_t)e->nv * (size_t)i + (size_t)k]] == HELD;
  }
  AbutBVHSetPassive(&e->tree, e->held);
}

/* Flags of the vertices of the mesh, of remote vertices, and of copies. Collective. */
static PetscErrorCode SetVertices(AbutContact contact)
{
  AbutSweep     *sweep     = &contact->search;
  const PetscInt num_local = contact->m->num_local;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < num_local; v++) sweep->held[v] = sweep->moving[v] ? MOVES : HELD;
  if (sweep->one_ring) {
    PetscReal *held;

    PetscCall(PetscMalloc1(sweep->num_fixed, &held));
    for (PetscInt v = 0; v < num_local; v++) held[v] = sweep->held[v];
    PetscCall(AbutSurfaceBroadcast(contact->ring.surface, 1, held));
    for (PetscInt v = num_local; v < sweep->num_fixed; v++) sweep->held[v] = (unsigned char)held[v];
    PetscCall(PetscFree(held));
  }
  PetscCall(AbutNeighboursForward(&sweep->neighbours, 1, &(AbutField){sweep->held, sizeof(*sweep->held)}));
  PetscFunctionReturn(0);
}

static void FlagOneRings(const AbutOneRing *ring, unsigned char held[])
{
  for (PetscInt e = 0; e < ring->num_edges; e++) {
    for (int k = 0; k < 2; k++)
      if (held[ring->edges[e][k]] == MOVES && held[ring->edges[e][1 - k]] == HELD) held[ring->edges[e][1 - k]] = RING_MOVES;
  }
}

PetscErrorCode AbutSweepSetHeld(AbutContact contact)
{
  AbutSweep *sweep = &contact->search;

  PetscFunctionBegin;
  sweep->restricted = (PetscBool)(sweep->moving != NULL);
  if (!sweep->restricted) PetscFunctionReturn(0);
  PetscCall(SetVertices(contact));
  if (sweep->one_ring) FlagOneRings(contact->ring.one_ring, sweep->held);
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    if (!sweep->meets[kind]) continue;
    SetEntities(&contact->local[kind], sweep->held);
    SetEntities(&sweep->copies[kind], sweep->held);
  }
  PetscFunctionReturn(0);
}
