/* Halves of groups of ranks, and messages between their ranks. */
#include "rankgroup.h"

RankGroup RankGroupHalf(const RankGroup *g, int half)
{
  const PetscMPIInt second = g->num / 2, first = g->num - second;

  return half == 0 ? (RankGroup){g->comm, g->tag, g->first, first} : (RankGroup){g->comm, g->tag, g->first + first, second};
}

PetscMPIInt RankGroupDescend(RankGroup *g, PetscMPIInt rank)
{
  PetscMPIInt from = g->first;

  while (g->first != rank) {
    const RankGroup second = RankGroupHalf(g, 1);
    from                   = g->first;
    *g                     = rank < second.first ? RankGroupHalf(g, 0) : second;
  }
  return from;
}

PetscErrorCode RankSend(MPI_Comm comm, PetscMPIInt to, PetscMPIInt tag, PetscInt n, MPI_Datatype type, const void *values)
{
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(n, &count));
  PetscCallMPI(MPI_Send(values, count, type, to, tag, comm));
  PetscFunctionReturn(0);
}

PetscErrorCode RankReceive(MPI_Comm comm, PetscMPIInt from, PetscMPIInt tag, PetscInt n, MPI_Datatype type, void *values)
{
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(n, &count));
  PetscCallMPI(MPI_Recv(values, count, type, from, tag, comm, MPI_STATUS_IGNORE));
  PetscFunctionReturn(0);
}
