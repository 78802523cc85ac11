/* Neighbour exchange: records arrive in the order of senders, replies return to the senders, messages of any length arrive. */
#include "test.h"
#include <abut/containers.h>

typedef struct {
  PetscInt from, number;
} Record;

/* Rank r sends 3 r + i + 1 records to rank (r + i) % size for i = 0, 1: to itself and to the next one. */
static PetscInt NumRecords(PetscMPIInt from, PetscMPIInt to, PetscMPIInt size)
{
  PetscInt n = 0;

  for (PetscMPIInt i = 0; i < 2; i++) n += (from + i) % size == to ? 3 * from + i + 1 : 0;
  return n;
}

static PetscErrorCode SendRecords(MPI_Comm comm, PetscMPIInt rank, PetscMPIInt size, AbutTraffic *traffic, AbutExchange *ex,
                                  Record **received)
{
  const PetscInt n = 6 * rank + 3;
  PetscMPIInt   *to;
  Record        *records;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &to, n, &records));
  for (PetscInt i = 0; i < n; i++) { /* receivers in mixed order */
    const PetscMPIInt next = i % 2 && i / 2 < 3 * rank + 1 ? 0 : 1;

    to[i]      = (rank + next) % size;
    records[i] = (Record){rank, i};
  }
  PetscCall(AbutExchangeRecords(comm, sizeof(Record), n, to, records, traffic, ex, received));
  PetscCall(PetscFree2(to, records));
  PetscFunctionReturn(0);
}

static void RecordsArrive(void **state)
{
  PetscMPIInt  rank, size, tag;
  MPI_Comm     comm;
  AbutExchange ex;
  AbutTraffic  traffic = {0, 0};
  Record      *received, *answers;
  PetscInt     expected = 0;

  (void)state;
  AbutTestCall(PetscCommDuplicate(PETSC_COMM_WORLD, &comm, &tag));
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  AbutTestCall(SendRecords(comm, rank, size, &traffic, &ex, &received));
  for (PetscMPIInt s = 0; s < ex.num_recv; s++) {
    const PetscInt n = ex.recv_start[s + 1] - ex.recv_start[s];

    assert_true(s == 0 || ex.recv_rank[s] > ex.recv_rank[s - 1]);
    assert_int_equal(n, NumRecords(ex.recv_rank[s], rank, size));
    expected += n;
    for (PetscInt i = ex.recv_start[s]; i < ex.recv_start[s + 1]; i++) {
      assert_int_equal(received[i].from, ex.recv_rank[s]);
      assert_true(i == ex.recv_start[s] || received[i].number > received[i - 1].number);
    }
  }
  assert_int_equal(ex.recv_start[ex.num_recv], expected);
  assert_true(traffic.messages == (size > 1));
  assert_true(traffic.bytes == (size > 1 ? (3 * rank + 2) * (PetscLogDouble)sizeof(Record) : 0));

  AbutTestCall(PetscMalloc1(ex.send_start[ex.num_send], &answers));
  AbutTestCall(AbutExchangeReverse(&ex, sizeof(Record), received, answers));
  for (PetscInt i = 0; i < ex.send_start[ex.num_send]; i++) assert_int_equal(answers[i].from, rank);
  AbutTestCall(PetscFree(answers));
  AbutTestCall(PetscFree(received));
  AbutTestCall(AbutExchangeDestroy(&ex));
  AbutTestCall(PetscCommDestroy(&comm));
}

/* Rank r sends r bytes of value r to every other rank; rank 0 sends empty messages. */
static void MessagesArrive(void **state)
{
  PetscMPIInt  rank, size, others = 0, tag, *other;
  AbutExchange ex;
  MPI_Comm     comm;
  size_t      *send_bytes, *recv_bytes;
  void       **send, **recv;
  char         text[64];

  (void)state;
  AbutTestCall(PetscCommDuplicate(PETSC_COMM_WORLD, &comm, &tag));
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (size_t i = 0; i < sizeof(text); i++) text[i] = (char)rank;
  AbutTestCall(PetscMalloc5(size, &other, size, &send_bytes, size, &recv_bytes, size, &send, size, &recv));
  for (PetscMPIInt r = 0; r < size; r++)
    if (r != rank) other[others++] = r;
  for (PetscMPIInt s = 0; s < others; s++) {
    send[s]       = text;
    send_bytes[s] = (size_t)rank;
  }
  AbutTestCall(AbutExchangeCreateKnown(comm, tag, others, other, others, other, &ex));
  AbutTestCall(AbutExchangeMessages(&ex, send_bytes, send, recv_bytes, recv));
  for (PetscMPIInt s = 0; s < others; s++) {
    assert_int_equal(recv_bytes[s], other[s]);
    for (size_t i = 0; i < recv_bytes[s]; i++) assert_int_equal(((char *)recv[s])[i], other[s]);
    AbutTestCall(PetscFree(recv[s]));
  }
  AbutTestCall(PetscFree5(other, send_bytes, recv_bytes, send, recv));
  AbutTestCall(AbutExchangeDestroy(&ex));
  AbutTestCall(PetscCommDestroy(&comm));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(RecordsArrive), cmocka_unit_test(MessagesArrive)};
  return AbutTestMain(argc, argv, tests);
}
