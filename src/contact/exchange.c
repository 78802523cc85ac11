/* Messages between ranks whose surfaces are near each other. */
#include "contactimpl.h"
#include <limits.h>

/*
  Sends send[i], send_bytes[i] long, to partner i and receives what it sends: recv[i], to be freed with PetscFree(). Partners are mutual,
  so everybody knows whom to expect and no rank waits for the others.
*/
PetscErrorCode AbutPartnersExchange(AbutContact contact, const AbutPartners *partners, const size_t send_bytes[], void *const send[],
                                    size_t recv_bytes[], void *recv[])
{
  MPI_Request *request;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(partners->num, &request));
  for (PetscMPIInt i = 0; i < partners->num; i++) {
    PetscMPIInt count;

    PetscCheck(send_bytes[i] <= INT_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "%zu bytes of surface for rank %d, one message holds at most %d: use more ranks", send_bytes[i], partners->rank[i], INT_MAX);
    count = (PetscMPIInt)send_bytes[i];
    PetscCallMPI(MPI_Isend(send[i], count, MPI_BYTE, partners->rank[i], contact->tag, contact->comm, &request[i]));
    contact->messages += 1;
    contact->bytes += (PetscLogDouble)send_bytes[i];
  }
  for (PetscMPIInt i = 0; i < partners->num; i++) {
    MPI_Message message;
    MPI_Status  status;
    PetscMPIInt count;

    PetscCallMPI(MPI_Mprobe(partners->rank[i], contact->tag, contact->comm, &message, &status));
    PetscCallMPI(MPI_Get_count(&status, MPI_BYTE, &count));
    PetscCall(PetscMalloc((size_t)count, &recv[i]));
    PetscCallMPI(MPI_Mrecv(recv[i], count, MPI_BYTE, &message, MPI_STATUS_IGNORE));
    recv_bytes[i] = (size_t)count;
  }
  PetscCallMPI(MPI_Waitall(partners->num, request, MPI_STATUSES_IGNORE));
  PetscCall(PetscFree(request));
  PetscFunctionReturn(0);
}

/* Sends `width` reals for every slot of out[] and receives them for those of in[], partner by partner. */
static PetscErrorCode SwapReals(AbutContact contact, const AbutPartners *partners, PetscInt width, const PetscInt out_start[],
                                PetscReal out[], const PetscInt in_start[], PetscReal in[])
{
  const PetscMPIInt n = partners->num;
  size_t           *bytes, *got;
  void            **send, **recv;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n, &bytes, n, &got, n, &send, n, &recv));
  for (PetscMPIInt i = 0; i < n; i++) {
    send[i]  = out + out_start[i] * width;
    bytes[i] = (size_t)((out_start[i + 1] - out_start[i]) * width) * sizeof(PetscReal);
  }
  PetscCall(AbutPartnersExchange(contact, partners, bytes, send, got, recv));
  for (PetscMPIInt i = 0; i < n; i++) {
    PetscCall(PetscArraycpy(in + in_start[i] * width, (const PetscReal *)recv[i], (in_start[i + 1] - in_start[i]) * width));
    PetscCall(PetscFree(recv[i]));
  }
  PetscCall(PetscFree4(bytes, got, send, recv));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPartnersForward(AbutContact contact, const AbutPartners *partners, PetscInt width, PetscReal send[], PetscReal recv[])
{
  PetscFunctionBegin;
  if (partners->num) PetscCall(SwapReals(contact, partners, width, partners->send_start, send, partners->recv_start, recv));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPartnersReturn(AbutContact contact, const AbutPartners *partners, PetscInt width, PetscReal values[])
{
  const PetscMPIInt n = partners->num;
  PetscReal        *copies, *sums;

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2(partners->recv_start[n] * width, &copies, partners->send_start[n] * width, &sums));
  for (PetscInt i = 0; i < partners->recv_start[n]; i++) {
    for (PetscInt k = 0; k < width; k++)
      copies[i * width + k] = partners->recv_vertex[i] < 0 ? 0 : values[partners->recv_vertex[i] * width + k];
  }
  PetscCall(SwapReals(contact, partners, width, partners->recv_start, copies, partners->send_start, sums));
  for (PetscInt i = 0; i < partners->send_start[n]; i++) {
    for (PetscInt k = 0; k < width; k++) values[partners->send_vertex[i] * width + k] += sums[i * width + k];
  }
  PetscCall(PetscFree2(copies, sums));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPartnersDestroy(AbutPartners *partners)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(partners->rank, partners->send_start, partners->recv_start));
  PetscCall(PetscFree(partners->send_vertex));
  PetscCall(PetscFree(partners->recv_vertex));
  partners->num = 0;
  PetscFunctionReturn(0);
}
