/* Values of vertices between ranks whose surfaces are close to each other. */
#include "contactimpl.h"
#include <string.h>

/* Copies the fields of a vertex to a record, or back. */
static void Pack(PetscInt n, const AbutField field[], int32_t v, char *record)
{
  for (PetscInt f = 0; f < n; record += field[f++].bytes)
    memcpy(record, (char *)field[f].values + field[f].bytes * (size_t)v, field[f].bytes);
}

static void Unpack(PetscInt n, const AbutField field[], int32_t v, const char *record)
{
  for (PetscInt f = 0; f < n; record += field[f++].bytes)
    memcpy((char *)field[f].values + field[f].bytes * (size_t)v, record, field[f].bytes);
}

PetscErrorCode AbutNeighboursForward(const AbutNeighbours *neighbours, PetscInt n, const AbutField field[])
{
  const AbutExchange *ex    = &neighbours->exchange;
  size_t              bytes = 0;
  char               *send, *recv;

  PetscFunctionBegin;
  if (!ex->num_send && !ex->num_recv) PetscFunctionReturn(0);
  for (PetscInt f = 0; f < n; f++) bytes += field[f].bytes;
  const size_t num_send = (size_t)ex->send_start[ex->num_send], num_recv = (size_t)ex->recv_start[ex->num_recv];
  PetscCall(PetscMalloc2(bytes * num_send, &send, bytes * num_recv, &recv));
  for (size_t i = 0; i < num_send; i++) Pack(n, field, neighbours->sent[i], send + bytes * i);
  PetscCall(AbutExchangeForward(ex, bytes, send, recv));
  for (size_t i = 0; i < num_recv; i++)
    if (neighbours->received[i] >= 0) Unpack(n, field, neighbours->received[i], recv + bytes * i);
  PetscCall(PetscFree2(send, recv));
  PetscFunctionReturn(0);
}

/* Adds the values of received vertices to the vertices that were sent, in rank order. */
static PetscErrorCode ReduceAdd(const AbutNeighbours *neighbours, PetscInt width, PetscReal values[])
{
  const AbutExchange *ex = &neighbours->exchange;
  PetscReal          *copies, *sums;

  PetscFunctionBegin;
  if (!ex->num_send && !ex->num_recv) PetscFunctionReturn(0);
  const PetscInt num_send = ex->send_start[ex->num_send], num_recv = ex->recv_start[ex->num_recv];
  PetscCall(PetscMalloc2(num_recv * width, &copies, num_send * width, &sums));
  for (PetscInt i = 0; i < num_recv; i++) {
    for (PetscInt k = 0; k < width; k++)
      copies[i * width + k] = neighbours->received[i] < 0 ? 0 : values[neighbours->received[i] * width + k];
  }
  PetscCall(AbutExchangeReverse(ex, sizeof(PetscReal) * (size_t)width, copies, sums));
  for (PetscInt i = 0; i < num_send; i++) {
    for (PetscInt k = 0; k < width; k++) values[neighbours->sent[i] * width + k] += sums[i * width + k];
  }
  PetscCall(PetscFree2(copies, sums));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNeighboursDestroy(AbutNeighbours *neighbours)
{
  PetscFunctionBegin;
  PetscCall(AbutExchangeDestroy(&neighbours->exchange));
  PetscCall(PetscFree(neighbours->sent));
  PetscCall(PetscFree(neighbours->received));
  neighbours->sent_capacity = neighbours->received_capacity = 0;
  PetscFunctionReturn(0);
}

/*
  Adds values back: from moved candidates to the rank that sent them, then from copies to the rank that sent the entities. The mesh sums
  ghosts into their owners.
*/
PetscErrorCode AbutContactReduceAdd(AbutContact contact, PetscInt width, PetscReal values[])
{
  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_HALO));
  if (contact->balance.active) PetscCall(ReduceAdd(&contact->balance.neighbours, width, values));
  PetscCall(ReduceAdd(&contact->search.neighbours, width, values));
  if (contact->ring.on) PetscCall(AbutSurfaceReduceAdd(contact->ring.surface, width, values));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_HALO));
  PetscCall(AbutMeshReduceAdd(contact->mesh, width, values));
  PetscFunctionReturn(0);
}
