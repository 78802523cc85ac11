/* Records to any rank, for what is done once: everybody tells everybody how many to expect. */
#include "rings.h"

PetscMPIInt AbutOwnerOf(const AbutContact contact, PetscInt global)
{
  const PetscInt *first = contact->rings.first;
  PetscMPIInt     lo = 0, hi = contact->size;

  while (hi - lo > 1) {
    const PetscMPIInt mid = lo + (hi - lo) / 2;

    if (first[mid] <= global)
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

/* Counts and offsets of records by rank. */
typedef struct {
  PetscMPIInt *count, *start;
} Box;

static PetscErrorCode BoxCreate(PetscMPIInt size, Box *box)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc2(size, &box->count, size + 1, &box->start));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetStarts(PetscMPIInt size, Box *box)
{
  PetscInt sum = 0;

  PetscFunctionBegin;
  for (PetscMPIInt r = 0; r <= size; r++) {
    PetscCall(PetscMPIIntCast(sum, &box->start[r]));
    if (r < size) sum += box->count[r];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeliver(AbutContact contact, size_t bytes, PetscInt n, const PetscMPIInt to[], const void *records, AbutMail *mail)
{
  const PetscMPIInt size = contact->size;
  MPI_Datatype      type;
  PetscMPIInt      *at;
  Box               out, in;
  char             *sorted;

  PetscFunctionBegin;
  PetscCall(BoxCreate(size, &out));
  PetscCall(BoxCreate(size, &in));
  PetscCall(PetscMalloc2(size, &at, (size_t)n * bytes, &sorted));
  for (PetscInt i = 0; i < n; i++) out.count[to[i]]++;
  PetscCall(SetStarts(size, &out));
  for (PetscMPIInt r = 0; r < size; r++) {
    at[r] = out.start[r];
    if (r == contact->rank || !out.count[r]) continue;
    contact->messages += 1;
    contact->bytes += (PetscLogDouble)out.count[r] * (PetscLogDouble)bytes;
  }
  for (PetscInt i = 0; i < n; i++)
    PetscCall(PetscMemcpy(sorted + bytes * (size_t)at[to[i]]++, (const char *)records + bytes * (size_t)i, bytes));
  PetscCallMPI(MPI_Alltoall(out.count, 1, MPI_INT, in.count, 1, MPI_INT, contact->comm));
  PetscCall(SetStarts(size, &in));
  mail->n = in.start[size];
  PetscCall(PetscMalloc1(size + 1, &mail->start));
  PetscCall(PetscMalloc((size_t)mail->n * bytes, &mail->records));
  for (PetscMPIInt r = 0; r <= size; r++) mail->start[r] = in.start[r];
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)bytes, MPI_BYTE, &type));
  PetscCallMPI(MPI_Type_commit(&type));
  PetscCallMPI(MPI_Alltoallv(sorted, out.count, out.start, type, mail->records, in.count, in.start, type, contact->comm));
  PetscCallMPI(MPI_Type_free(&type));
  PetscCall(PetscFree2(at, sorted));
  PetscCall(PetscFree2(out.count, out.start));
  PetscCall(PetscFree2(in.count, in.start));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMailFree(AbutMail *mail)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(mail->start));
  PetscCall(PetscFree(mail->records));
  PetscFunctionReturn(0);
}
