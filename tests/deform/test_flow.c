/* Minimal cuts against brute force over all sets of nodes. */
#include "flowimpl.h"
#include "test.h"

enum { MAX_NODES = 9 };

/* A network as a table: capacity[a][b] from a to b. */
typedef struct {
  PetscInt   n;
  PetscInt64 capacity[MAX_NODES][MAX_NODES];
} Network;

static uint64_t Next(uint64_t *state)
{
  *state = *state * 6364136223846793005U + 1442695040888963407U;
  return *state >> 33;
}

static void RandomNetwork(uint64_t *state, Network *network)
{
  network->n = 2 + (PetscInt)(Next(state) % (MAX_NODES - 1));
  for (PetscInt a = 0; a < network->n; a++)
    for (PetscInt b = 0; b < network->n; b++) network->capacity[a][b] = a != b && Next(state) % 3 ? (PetscInt64)(Next(state) % 8) : 0;
}

/* Capacity of the edges that leave a set of nodes, given as bits. */
static PetscInt64 Capacity(const Network *network, unsigned set)
{
  PetscInt64 sum = 0;

  for (PetscInt a = 0; a < network->n; a++)
    for (PetscInt b = 0; b < network->n; b++)
      if ((set >> a & 1) && !(set >> b & 1)) sum += network->capacity[a][b];
  return sum;
}

static PetscInt64 Cut(AbutFlow *flow, const Network *network, unsigned *set)
{
  PetscBool  side[MAX_NODES];
  PetscInt64 value;

  AbutTestCall(AbutFlowReset(flow, network->n));
  for (PetscInt a = 0; a < network->n; a++)
    for (PetscInt b = a + 1; b < network->n; b++)
      AbutTestCall(AbutFlowAddEdge(flow, a, b, network->capacity[a][b], network->capacity[b][a]));
  AbutTestCall(AbutFlowCut(flow, 0, network->n - 1, side, &value));
  *set = 0;
  for (PetscInt a = 0; a < network->n; a++) *set |= (unsigned)side[a] << a;
  return value;
}

/* The value is the least capacity of all cuts, and the result is contained in all sets that attain it. */
static void BruteForce(void **state)
{
  AbutFlow flow   = {0};
  uint64_t random = 1;
  Network  network;

  (void)state;
  for (PetscInt trial = 0; trial < 3000; trial++) {
    PetscInt64 least = PETSC_MAX_INT, value;
    unsigned   set, common = ~0U;

    RandomNetwork(&random, &network);
    value = Cut(&flow, &network, &set);
    for (unsigned other = 1; other < 1U << (network.n - 1); other += 2) least = PetscMin(least, Capacity(&network, other));
    for (unsigned other = 1; other < 1U << (network.n - 1); other += 2)
      if (Capacity(&network, other) == least) common &= other;
    assert_true(value == least && Capacity(&network, set) == least);
    assert_true(set == common);
  }
  AbutTestCall(AbutFlowDestroy(&flow));
}

/* A grid of 60 x 60 nodes with cheap edges between two columns: the cut passes there. */
static void Grid(void **state)
{
  enum { N = 60 };
  AbutFlow   flow = {0};
  PetscBool  side[N * N + 2];
  PetscInt64 value;

  (void)state;
  AbutTestCall(AbutFlowReset(&flow, N * N + 2));
  for (PetscInt j = 0; j < N; j++) {
    for (PetscInt i = 0; i < N; i++) {
      const PetscInt cost = i == 22 ? 3 : 7;

      if (i + 1 < N) AbutTestCall(AbutFlowAddEdge(&flow, N * j + i, N * j + i + 1, cost, cost));
      if (j + 1 < N) AbutTestCall(AbutFlowAddEdge(&flow, N * j + i, N * j + i + N, 1, 1));
    }
    AbutTestCall(AbutFlowAddEdge(&flow, N * N, N * j, 100, 0));
    AbutTestCall(AbutFlowAddEdge(&flow, N * j + N - 1, N * N + 1, 100, 0));
  }
  AbutTestCall(AbutFlowCut(&flow, N * N, N * N + 1, side, &value));
  assert_true(value == 3 * N);
  for (PetscInt k = 0; k < N * N; k++) assert_int_equal(side[k], k % N <= 22);
  AbutTestCall(AbutFlowDestroy(&flow));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest flow[] = {cmocka_unit_test(BruteForce), cmocka_unit_test(Grid)};

  return AbutTestMain(argc, argv, flow);
}
