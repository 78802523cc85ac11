/* Concatenates structs of all ranks. */
#include <abut/containers.h>

PetscErrorCode AbutGatherRecords(MPI_Comm comm, size_t bytes, PetscInt num, const void *records, PetscInt *total, void *all)
{
  PetscMPIInt  size, count, *counts, *starts;
  MPI_Datatype type;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMPIIntCast(num, &count));
  PetscCall(PetscMalloc2(size, &counts, size, &starts));
  PetscCallMPI(MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, comm));
  *total = 0;
  for (PetscMPIInt r = 0; r < size; r++) {
    PetscCall(PetscMPIIntCast(*total, &starts[r]));
    *total += counts[r];
  }
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)bytes, MPI_BYTE, &type));
  PetscCallMPI(MPI_Type_commit(&type));
  PetscCall(PetscMalloc((size_t)PetscMax(*total, 1) * bytes, (void **)all));
  PetscCallMPI(MPI_Allgatherv(records, count, type, *(void **)all, counts, starts, type, comm));
  PetscCallMPI(MPI_Type_free(&type));
  PetscCall(PetscFree2(counts, starts));
  PetscFunctionReturn(0);
}
