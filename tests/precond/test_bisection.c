/*
  Parts of a graph by several ranks: equal weights, a cut as by one rank, one part for each rank or fewer, and equal parts when repeated.
  Nodes without couplings get parts, too. Extracted halves have the couplings of the graph.
*/
#include "test.h"
#include "bisection.h"

enum { SIDE = 12, N = SIDE * SIDE * SIDE, STRENGTH = 100 };

static PetscMPIInt Rank(void)
{
  PetscMPIInt rank;

  assert_int_equal(MPI_Comm_rank(PETSC_COMM_WORLD, &rank), 0);
  return rank;
}

static PetscMPIInt Size(void)
{
  PetscMPIInt size;

  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  return size;
}

/* The grid of a cube; the first `loose` nodes have no couplings and no weight. */
static Couplings Grid(PetscInt loose)
{
  const PetscInt stride[3] = {1, SIDE, SIDE * SIDE};
  Couplings      c;
  idx_t          count = 0;

  AbutTestCall(CouplingsAllocate(N, 6 * N, &c));
  for (PetscInt v = 0; v < N; v++) {
    c.xadj[v]   = count;
    c.weight[v] = v >= loose;
    for (int d = 0; d < 3; d++)
      for (int s = -1; s <= 1; s += 2) {
        const PetscInt at = v / stride[d] % SIDE + s, w = v + s * stride[d];
        if (at < 0 || at >= SIDE || v < loose || w < loose) continue;
        c.adjncy[count]     = (idx_t)w;
        c.strength[count++] = STRENGTH + (idx_t)d;
      }
  }
  c.xadj[N] = count;
  return c;
}

/* BisectionDivide() on all ranks. */
static void Divide(const Couplings *c, PetscInt num, idx_t part[])
{
  MPI_Comm comm;

  AbutTestCall(PetscCommDuplicate(PETSC_COMM_WORLD, &comm, NULL));
  AbutTestCall(BisectionDivide(comm, c, num, part));
  AbutTestCall(PetscCommDestroy(&comm));
}

static PetscInt Cut(const Couplings *c, const idx_t part[])
{
  PetscInt sum = 0;

  for (idx_t i = 0; i < c->n; i++)
    for (idx_t k = c->xadj[i]; k < c->xadj[i + 1]; k++) sum += part[i] != part[c->adjncy[k]] ? c->strength[k] : 0;
  return sum;
}

/* All parts have about the same number of the nodes begin, ..., end - 1. */
static void CheckBalance(const idx_t part[], PetscInt begin, PetscInt end, PetscInt num)
{
  const PetscInt mean     = (end - begin) / num;
  PetscInt       count[N] = {0};

  for (PetscInt i = begin; i < end; i++) {
    assert_in_range(part[i], 0, num - 1);
    count[part[i]]++;
  }
  for (PetscInt p = 0; p < num; p++) assert_true(PetscAbsInt(count[p] - mean) <= 2 + mean / 20);
}

static void CheckParts(PetscInt loose, PetscInt num)
{
  Couplings c = Grid(loose);
  idx_t     part[N], again[N], alone[N];

  Divide(&c, num, part);
  Divide(&c, num, again);
  AbutTestCall(CouplingsDivide(&c, num, alone));
  if (Rank() == 0) {
    for (PetscInt i = 0; i < loose; i++) assert_in_range(part[i], 0, num - 1);
    CheckBalance(part, loose, N, num);
    assert_memory_equal(part, again, sizeof(part));
    assert_true(Cut(&c, part) <= 1.2 * (PetscReal)Cut(&c, alone));
    if (num > 1) assert_true(Cut(&c, part) > 0);
  }
  AbutTestCall(CouplingsDestroy(&c));
}

static void Parts(void **state)
{
  (void)state;
  CheckParts(0, Size());
  CheckParts(0, PetscMax(Size() - 1, 1));
  CheckParts(3 * SIDE, Size());
}

/* Fewer nodes than ranks, and none. */
static void Small(void **state)
{
  Couplings c       = Grid(N);
  idx_t     part[2] = {-1, -1};

  (void)state;
  for (c.n = 2; c.n >= 0; c.n -= 2) Divide(&c, Size(), part);
  for (int i = 0; i < 2 && Rank() == 0; i++) assert_in_range(part[i], 0, Size() - 1);
  AbutTestCall(CouplingsDestroy(&c));
}

/* Couplings of the two extracted halves and the cut make up the graph. */
static void Extract(void **state)
{
  Couplings c = Grid(0), half[2];
  idx_t     side[N];
  PetscInt  number[N], sum = 0;

  (void)state;
  AbutTestCall(CouplingsBisect(&c, 1, 3, side));
  for (idx_t h = 0; h < 2; h++) {
    AbutTestCall(CouplingsExtract(&c, side, h, number, &half[h]));
    for (idx_t k = 0; k < half[h].xadj[half[h].n]; k++) sum += half[h].strength[k];
  }
  assert_int_equal(half[0].n + half[1].n, N);
  assert_in_range(half[0].n, N / 3 - N / 50, N / 3 + N / 50);
  for (idx_t k = 0; k < c.xadj[N]; k++) sum -= c.strength[k];
  assert_int_equal(-sum, Cut(&c, side));
  for (int h = 0; h < 2; h++) AbutTestCall(CouplingsDestroy(&half[h]));
  AbutTestCall(CouplingsDestroy(&c));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Parts), cmocka_unit_test(Small), cmocka_unit_test(Extract)};
  return AbutTestMain(argc, argv, tests);
}
