/*
  Restricted searches: while only some vertices move, pairs of entities none of whose vertices moves are no candidates. A Verlet list of an
  earlier search contains these pairs, so that it serves whatever moves. Without one, held entities are passive in the trees, which leaves
  out pairs of nodes that are held; a restricted search does not build a list, which would cost as much as a full search.
*/
#include "contactimpl.h"

PetscErrorCode AbutContactSetMoving(AbutContact contact, const PetscBool moving[])
{
  PetscFunctionBegin;
  contact->search.moving = moving;
  PetscFunctionReturn(0);
}

/* Sends the flags of the vertices to their copies. */
static PetscErrorCode SendFlags(const AbutNeighbours *neighbours, unsigned char held[])
{
  const AbutExchange *ex = &neighbours->exchange;
  unsigned char      *send, *recv;

  PetscFunctionBegin;
  if (!ex->num_send && !ex->num_recv) PetscFunctionReturn(0);
  const PetscInt num_send = ex->send_start[ex->num_send], num_recv = ex->recv_start[ex->num_recv];
  PetscCall(PetscMalloc2(num_send, &send, num_recv, &recv));
  for (PetscInt i = 0; i < num_send; i++) send[i] = held[neighbours->sent[i]];
  PetscCall(AbutExchangeForward(ex, sizeof(*send), send, recv));
  for (PetscInt i = 0; i < num_recv; i++)
    if (neighbours->received[i] >= 0) held[neighbours->received[i]] = recv[i];
  PetscCall(PetscFree2(send, recv));
  PetscFunctionReturn(0);
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

PetscErrorCode AbutSweepSetHeld(AbutContact contact, AbutSweep *sweep, PetscBool trees)
{
  PetscFunctionBegin;
  for (PetscInt v = 0; v < contact->m->num_local; v++) sweep->held[v] = !sweep->moving[v];
  PetscCall(SendFlags(&sweep->neighbours, sweep->held));
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    if (!sweep->meets[kind]) continue;
    SetEntities(&contact->local[kind], sweep->held, trees);
    SetEntities(&sweep->copies[kind], sweep->held, trees);
  }
  PetscFunctionReturn(0);
}

void AbutSweepReleaseHeld(AbutContact contact, const AbutSweep *sweep)
{
  for (int kind = 0; kind < NUM_KINDS; kind++)
    if (sweep->meets[kind]) AbutBVHSetPassive(&contact->local[kind].tree, contact->local[kind].obstacle);
}
