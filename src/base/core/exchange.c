/* Neighbour exchange: messages between each rank and a few others. */
#include <abut/containers.h>
#include <limits.h>

static PetscErrorCode Allocate(AbutExchange *ex)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(ex->num_send, &ex->send_rank, ex->num_send + 1, &ex->send_start));
  PetscCall(PetscMalloc2(ex->num_recv, &ex->recv_rank, ex->num_recv + 1, &ex->recv_start));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutExchangeCreate(MPI_Comm comm, PetscMPIInt num_send, const PetscMPIInt send_rank[], const PetscInt send_start[],
                                  AbutExchange *ex)
{
  PetscMPIInt *from;
  PetscInt    *counts, *from_counts;

  PetscFunctionBegin;
  *ex = (AbutExchange){.comm = comm, .num_send = num_send};
  PetscCall(PetscCommGetNewTag(comm, &ex->tag));
  PetscCall(PetscMalloc1(num_send, &counts));
  for (PetscMPIInt s = 0; s < num_send; s++) counts[s] = send_start[s + 1] - send_start[s];
  PetscCall(PetscCommBuildTwoSided(comm, 1, MPIU_INT, num_send, send_rank, counts, &ex->num_recv, &from, &from_counts));
  PetscCall(PetscSortMPIIntWithIntArray(ex->num_recv, from, from_counts)); /* they are received in any order */
  PetscCall(Allocate(ex));
  PetscCall(PetscArraycpy(ex->send_rank, send_rank, num_send));
  PetscCall(PetscArraycpy(ex->send_start, send_start, num_send + 1));
  PetscCall(PetscArraycpy(ex->recv_rank, from, ex->num_recv));
  ex->recv_start[0] = 0;
  for (PetscMPIInt s = 0; s < ex->num_recv; s++) ex->recv_start[s + 1] = ex->recv_start[s] + from_counts[s];
  PetscCall(PetscFree(counts));
  PetscCall(PetscFree(from));
  PetscCall(PetscFree(from_counts));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutExchangeCreateKnown(MPI_Comm comm, PetscMPIInt tag, PetscMPIInt num_send, const PetscMPIInt send_rank[],
                                       PetscMPIInt num_recv, const PetscMPIInt recv_rank[], AbutExchange *ex)
{
  PetscFunctionBegin;
  *ex = (AbutExchange){.comm = comm, .tag = tag, .num_send = num_send, .num_recv = num_recv};
  PetscCall(Allocate(ex));
  PetscCall(PetscArraycpy(ex->send_rank, send_rank, num_send));
  PetscCall(PetscArraycpy(ex->recv_rank, recv_rank, num_recv));
  PetscCall(PetscArrayzero(ex->send_start, num_send + 1));
  PetscCall(PetscArrayzero(ex->recv_start, num_recv + 1));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutExchangeDestroy(AbutExchange *ex)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(ex->send_rank, ex->send_start));
  PetscCall(PetscFree2(ex->recv_rank, ex->recv_start));
  *ex = (AbutExchange){0};
  PetscFunctionReturn(0);
}

/* Adds a message to the traffic counter, unless the receiver is this rank. */
static void CountMessage(const AbutExchange *ex, PetscMPIInt me, PetscMPIInt to, size_t bytes)
{
  if (!ex->traffic || to == me) return;
  ex->traffic->messages += 1;
  ex->traffic->bytes += (PetscLogDouble)bytes;
}

/* Sending or receiving side of an exchange: ranks and their ranges of records. */
typedef struct {
  PetscMPIInt        num;
  const PetscMPIInt *rank;
  const PetscInt    *start;
} Side;

static PetscErrorCode Swap(const AbutExchange *ex, size_t bytes, Side out, const void *send, Side in, void *recv)
{
  MPI_Request *request;
  MPI_Datatype type;
  PetscMPIInt  count, me;

  PetscFunctionBegin;
  if (!out.num && !in.num) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Comm_rank(ex->comm, &me));
  PetscCall(PetscMPIIntCast((PetscInt)bytes, &count));
  PetscCallMPI(MPI_Type_contiguous(count, MPI_BYTE, &type));
  PetscCallMPI(MPI_Type_commit(&type));
  PetscCall(PetscMalloc1(out.num + in.num, &request));
  for (PetscMPIInt s = 0; s < in.num; s++) {
    PetscCall(PetscMPIIntCast(in.start[s + 1] - in.start[s], &count));
    PetscCallMPI(MPI_Irecv((char *)recv + bytes * (size_t)in.start[s], count, type, in.rank[s], ex->tag, ex->comm, &request[s]));
  }
  for (PetscMPIInt s = 0; s < out.num; s++) {
    PetscCall(PetscMPIIntCast(out.start[s + 1] - out.start[s], &count));
    PetscCallMPI(
      MPI_Isend((const char *)send + bytes * (size_t)out.start[s], count, type, out.rank[s], ex->tag, ex->comm, &request[in.num + s]));
    CountMessage(ex, me, out.rank[s], bytes * (size_t)count);
  }
  PetscCallMPI(MPI_Waitall(out.num + in.num, request, MPI_STATUSES_IGNORE));
  PetscCall(PetscFree(request));
  PetscCallMPI(MPI_Type_free(&type));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutExchangeForward(const AbutExchange *ex, size_t bytes, const void *send, void *recv)
{
  const Side from = {ex->num_send, ex->send_rank, ex->send_start}, to = {ex->num_recv, ex->recv_rank, ex->recv_start};

  return Swap(ex, bytes, from, send, to, recv);
}

PetscErrorCode AbutExchangeReverse(const AbutExchange *ex, size_t bytes, const void *recv, void *send)
{
  const Side from = {ex->num_send, ex->send_rank, ex->send_start}, to = {ex->num_recv, ex->recv_rank, ex->recv_start};

  return Swap(ex, bytes, to, recv, from, send);
}

PetscErrorCode AbutExchangeMessages(const AbutExchange *ex, const size_t send_bytes[], void *const send[], size_t recv_bytes[],
                                    void *recv[])
{
  MPI_Request *request;
  PetscMPIInt  me;

  PetscFunctionBegin;
  if (!ex->num_send && !ex->num_recv) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Comm_rank(ex->comm, &me));
  PetscCall(PetscMalloc1(ex->num_send, &request));
  for (PetscMPIInt s = 0; s < ex->num_send; s++) {
    PetscCheck(send_bytes[s] <= INT_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "%zu bytes for rank %d, one message holds at most %d: use more ranks", send_bytes[s], ex->send_rank[s], INT_MAX);
    PetscCallMPI(MPI_Isend(send[s], (PetscMPIInt)send_bytes[s], MPI_BYTE, ex->send_rank[s], ex->tag, ex->comm, &request[s]));
    CountMessage(ex, me, ex->send_rank[s], send_bytes[s]);
  }
  for (PetscMPIInt s = 0; s < ex->num_recv; s++) {
    MPI_Message message;
    MPI_Status  status;
    PetscMPIInt count;

    PetscCallMPI(MPI_Mprobe(ex->recv_rank[s], ex->tag, ex->comm, &message, &status));
    PetscCallMPI(MPI_Get_count(&status, MPI_BYTE, &count));
    PetscCall(PetscMalloc((size_t)count, &recv[s]));
    PetscCallMPI(MPI_Mrecv(recv[s], count, MPI_BYTE, &message, MPI_STATUS_IGNORE));
    recv_bytes[s] = (size_t)count;
  }
  PetscCallMPI(MPI_Waitall(ex->num_send, request, MPI_STATUSES_IGNORE));
  PetscCall(PetscFree(request));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutExchangeRecords(MPI_Comm comm, size_t bytes, PetscInt n, const PetscMPIInt to[], const void *records,
                                   AbutTraffic *traffic, AbutExchange *ex, void *received)
{
  PetscMPIInt *rank, num = 0, size;
  PetscInt    *start, *row;
  AbutCSR      by_rank = {0};
  char        *sorted;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMalloc4(size, &rank, size + 1, &start, n, &row, (size_t)n * bytes, &sorted));
  for (PetscInt i = 0; i < n; i++) row[i] = to[i];
  PetscCall(AbutCSRSetPairs(size, n, 1, row, NULL, &by_rank));
  for (PetscMPIInt r = 0; r < size; r++) {
    if (by_rank.start[r] == by_rank.start[r + 1]) continue;
    rank[num]    = r;
    start[num++] = by_rank.start[r];
  }
  start[num] = n;
  for (PetscInt i = 0; i < n; i++)
    PetscCall(PetscMemcpy(sorted + bytes * (size_t)i, (const char *)records + bytes * (size_t)by_rank.item[i], bytes));
  PetscCall(AbutExchangeCreate(comm, num, rank, start, ex));
  ex->traffic = traffic;
  PetscCall(PetscMalloc((size_t)ex->recv_start[ex->num_recv] * bytes, (void **)received));
  PetscCall(AbutExchangeForward(ex, bytes, sorted, *(void **)received));
  PetscCall(PetscFree4(rank, start, row, sorted));
  PetscCall(AbutCSRDestroy(&by_rank));
  PetscFunctionReturn(0);
}

static PetscErrorCode RowType(MPI_Datatype unit, PetscInt width, MPI_Datatype *row)
{
  PetscMPIInt n;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(width, &n));
  PetscCallMPI(MPI_Type_contiguous(n, unit, row));
  PetscCallMPI(MPI_Type_commit(row));
  PetscFunctionReturn(0);
}

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
  PetscCall(RowType(MPI_BYTE, (PetscInt)bytes, &type));
  PetscCall(PetscMalloc((size_t)PetscMax(*total, 1) * bytes, (void **)all));
  PetscCallMPI(MPI_Allgatherv(records, count, type, *(void **)all, counts, starts, type, comm));
  PetscCallMPI(MPI_Type_free(&type));
  PetscCall(PetscFree2(counts, starts));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSFCreate(MPI_Comm comm, PetscInt num_roots, PetscInt num_leaves, const PetscInt root[], PetscSF *sf)
{
  PetscLayout layout;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(comm, num_roots, PETSC_DETERMINE, 1, &layout));
  PetscCall(PetscSFCreate(comm, sf));
  PetscCall(PetscSFSetGraphLayout(*sf, layout, num_leaves, NULL, PETSC_COPY_VALUES, root));
  PetscCall(PetscSFSetUp(*sf));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSFBcastRows(PetscSF sf, MPI_Datatype unit, PetscInt width, const void *roots, void *leaves)
{
  MPI_Datatype row;

  PetscFunctionBegin;
  PetscCall(RowType(unit, width, &row));
  PetscCall(PetscSFBcastBegin(sf, width > 1 ? row : unit, roots, leaves, MPI_REPLACE)); /* ReduceRows() may use the same buffers */
  PetscCall(PetscSFBcastEnd(sf, width > 1 ? row : unit, roots, leaves, MPI_REPLACE));
  PetscCallMPI(MPI_Type_free(&row));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReduceRows(PetscSF sf, MPI_Datatype unit, PetscInt width, MPI_Op op, const void *leaves, void *roots)
{
  MPI_Datatype row;

  PetscFunctionBegin;
  PetscCall(RowType(unit, width, &row));
  PetscCall(PetscSFReduceBegin(sf, width > 1 ? row : unit, leaves, roots, op)); /* PetscSF does not add rows of one entry */
  PetscCall(PetscSFReduceEnd(sf, width > 1 ? row : unit, leaves, roots, op));
  PetscCallMPI(MPI_Type_free(&row));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSFReduceRows(PetscSF sf, MPI_Datatype unit, PetscInt width, const void *leaves, void *roots)
{
  return ReduceRows(sf, unit, width, MPI_REPLACE, leaves, roots);
}

PetscErrorCode AbutSFAddRows(PetscSF sf, MPI_Datatype unit, PetscInt width, const void *leaves, void *roots)
{
  PetscFunctionBegin;
  PetscCheck(unit != MPIU_INT || width != 2, PetscObjectComm((PetscObject)sf), PETSC_ERR_SUP, "rows of two PetscInt");
  PetscCall(ReduceRows(sf, unit, width, MPI_SUM, leaves, roots));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSFMinReals(PetscSF sf, const PetscReal leaves[], PetscReal roots[])
{
  return ReduceRows(sf, MPIU_REAL, 1, MPIU_MIN, leaves, roots);
}
