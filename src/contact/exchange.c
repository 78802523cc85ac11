/* Messages between ranks whose surfaces are near each other. */
#include "contactimpl.h"
#include <limits.h>

/*
  Sends send[i], send_bytes[i] long, to partner i and receives what it sends: recv[i], to be freed with PetscFree(). Partners are mutual,
  so everybody knows whom to expect and no rank waits for the others.
*/
PetscErrorCode AbutSweepExchange(AbutContact contact, const AbutSweep *sweep, const size_t send_bytes[], void *const send[],
                                 size_t recv_bytes[], void *recv[])
{
  MPI_Request *request;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sweep->num_partners, &request));
  for (PetscMPIInt i = 0; i < sweep->num_partners; i++) {
    PetscMPIInt count;

    PetscCheck(send_bytes[i] <= INT_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "%zu bytes of surface for rank %d, one message holds at most %d: use more ranks", send_bytes[i], sweep->partner[i], INT_MAX);
    count = (PetscMPIInt)send_bytes[i];
    PetscCallMPI(MPI_Isend(send[i], count, MPI_BYTE, sweep->partner[i], contact->tag, contact->comm, &request[i]));
    contact->messages += 1;
    contact->bytes += (PetscLogDouble)send_bytes[i];
  }
  for (PetscMPIInt i = 0; i < sweep->num_partners; i++) {
    MPI_Message message;
    MPI_Status  status;
    PetscMPIInt count;

    PetscCallMPI(MPI_Mprobe(sweep->partner[i], contact->tag, contact->comm, &message, &status));
    PetscCallMPI(MPI_Get_count(&status, MPI_BYTE, &count));
    PetscCall(PetscMalloc((size_t)count, &recv[i]));
    PetscCallMPI(MPI_Mrecv(recv[i], count, MPI_BYTE, &message, MPI_STATUS_IGNORE));
    recv_bytes[i] = (size_t)count;
  }
  PetscCallMPI(MPI_Waitall(sweep->num_partners, request, MPI_STATUSES_IGNORE));
  PetscCall(PetscFree(request));
  PetscFunctionReturn(0);
}
