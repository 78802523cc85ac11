/*
  Restricted searches: while only some vertices move, pairs without a moving vertex are no candidates. An entity is held if none of its
  vertices moves. The trees mark held entities as passive, and skip pairs of nodes that have only such entities.
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

/* An entity is held if all of its vertices are. */
static void SetEntities(AbutEntities *e, const unsigned char vertex[])
{
  for (int32_t i = 0; i < e->n; i++) {
    e->held[i] = 1;
    for (int k = 0; k < e->nv; k++) e->held[i] &= vertex[e->v[(size_t)e->nv * (size_t)i + (size_t)k]];
  }
  AbutBVHSetPassive(&e->tree, e->held);
}

PetscErrorCode AbutSweepSetHeld(AbutContact contact)
{
  AbutSweep *sweep = &contact->search;

  PetscFunctionBegin;
  sweep->restricted = AbutSweepIsRestricted(sweep);
  if (!sweep->restricted) PetscFunctionReturn(0);
  for (PetscInt v = 0; v < contact->m->num_local; v++) sweep->held[v] = !sweep->moving[v];
  PetscCall(AbutNeighboursForward(&sweep->neighbours, 1, &(AbutField){sweep->held, sizeof(*sweep->held)}));
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    if (!sweep->meets[kind]) continue;
    SetEntities(&contact->local[kind], sweep->held);
    SetEntities(&sweep->copies[kind], sweep->held);
  }
  PetscFunctionReturn(0);
}
