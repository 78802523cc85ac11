/*
  Restricted searches: while only some vertices move, pairs of entities none of whose vertices moves are no candidates. A Verlet list of an
  earlier search contains these pairs, so that it serves whatever moves. Without one, held entities are passive in the trees, which leaves
  out pairs of nodes that are held; a restricted search does not build a list, which would cost as much as a full search.
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
static void SetEntities(AbutEntities *e, const unsigned char vertex[], PetscBool trees)
{
  for (int32_t i = 0; i < e->n; i++) {
    e->held[i] = 1;
    for (int k = 0; k < e->nv; k++) e->held[i] &= vertex[e->v[(size_t)e->nv * (size_t)i + (size_t)k]];
  }
  if (trees) AbutBVHSetPassive(&e->tree, e->held);
}

PetscErrorCode AbutSweepSetHeld(AbutContact contact, PetscBool trees)
{
  AbutSweep *sweep = &contact->search;

  PetscFunctionBegin;
  sweep->restricted = AbutSweepIsRestricted(sweep);
  if (!sweep->restricted) PetscFunctionReturn(0);
  for (PetscInt v = 0; v < contact->m->num_local; v++) sweep->held[v] = !sweep->moving[v];
  PetscCall(AbutNeighboursForward(&sweep->neighbours, 1, &(AbutField){sweep->held, sizeof(*sweep->held)}));
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    if (!sweep->meets[kind]) continue;
    SetEntities(&contact->local[kind], sweep->held, trees);
    SetEntities(&sweep->copies[kind], sweep->held, trees);
  }
  PetscFunctionReturn(0);
}
