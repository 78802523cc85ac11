/* Sums over contact vertices: copies go back to the rank that sent them, which hands what is not its own to the owners through the mesh. */
#include "contactimpl.h"

/* Adds the sums of this rank's copies to the local vertices of the ranks they came from, partner by partner. */
static PetscErrorCode ReturnCopies(AbutContact contact, PetscInt width, PetscReal values[])
{
  const AbutSweep  *sweep = &contact->search;
  const PetscMPIInt n     = sweep->num_partners;
  size_t           *bytes, *got;
  void            **send, **recv;
  PetscReal        *buffer;

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(0);
  PetscCall(PetscMalloc4(n, &bytes, n, &got, n, &send, n, &recv));
  PetscCall(PetscMalloc1(sweep->recv_start[n] * width, &buffer));
  for (PetscInt i = 0; i < sweep->recv_start[n]; i++) {
    for (PetscInt k = 0; k < width; k++) buffer[i * width + k] = sweep->recv_vertex[i] < 0 ? 0 : values[sweep->recv_vertex[i] * width + k];
  }
  for (PetscMPIInt i = 0; i < n; i++) {
    send[i]  = buffer + sweep->recv_start[i] * width;
    bytes[i] = (size_t)((sweep->recv_start[i + 1] - sweep->recv_start[i]) * width) * sizeof(PetscReal);
  }
  PetscCall(AbutSweepExchange(contact, sweep, bytes, send, got, recv));
  for (PetscMPIInt i = 0; i < n; i++) {
    const PetscReal *sum = (const PetscReal *)recv[i];

    for (PetscInt j = sweep->send_start[i]; j < sweep->send_start[i + 1]; j++) {
      for (PetscInt k = 0; k < width; k++) values[sweep->send_vertex[j] * width + k] += *sum++;
    }
    PetscCall(PetscFree(recv[i]));
  }
  PetscCall(PetscFree(buffer));
  PetscCall(PetscFree4(bytes, got, send, recv));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactReduceAdd(AbutContact contact, PetscInt width, PetscReal values[])
{
  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_HALO));
  PetscCall(ReturnCopies(contact, width, values));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_HALO));
  PetscCall(AbutMeshReduceAdd(contact->mesh, width, values));
  PetscFunctionReturn(0);
}
