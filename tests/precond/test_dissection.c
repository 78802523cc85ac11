/*
  Separators and elimination orders by several ranks. The orders of nested dissection and multisection have every vertex once, and no more
  fill than minimum degree orders of the whole graph by one rank except for the scatter of separators; they are equal when repeated.
  Vertices that a separator divides are not coupled, and parts are small and connected. Graphs that are small, without couplings, empty or
  in pieces. Nested dissection or multisection, the better one.
*/
#include "test.h"
#include "dissection.h"
#include <abut/petsc_versions.h>
#include "fronts.h"
#include "precondimpl.h"
#include "quotient.h"
#include <math.h>

enum { SIDE = 16, N = SIDE * SIDE * SIDE, LARGEST = 200 };
static const PetscInt cube[] = {SIDE, SIDE, SIDE};

/* The graph of the first n vertices of a box of side[0] x side[1] x side[2], each coupled to the next along the axes below `axes`. */
static void FillGraph(PetscInt n, const PetscInt side[3], int axes, PetscInt ptr[], PetscInt adj[])
{
  const PetscInt stride[] = {1, side[0], side[0] * side[1]};
  PetscInt       count    = 0;

  for (PetscInt v = 0; v < n; v++) {
    ptr[v] = count;
    for (int d = 0; d < axes; d++) {
      const PetscInt at = v / stride[d] % side[d];
      if (at > 0) adj[count++] = v - stride[d];
      if (at < side[d] - 1 && v + stride[d] < n) adj[count++] = v + stride[d];
    }
  }
  ptr[n] = count;
}

/* The graph of a cube of side^3 vertices, each coupled to all others less than `reach` + 1 away along each axis. */
static void FillStencil(PetscInt side, PetscInt reach, PetscInt ptr[], PetscInt adj[])
{
  const PetscInt n     = side * side * side;
  PetscInt       count = 0;

  for (PetscInt v = 0; v < n; v++) {
    ptr[v] = count;
    for (PetscInt w = 0; w < n; w++) {
      const PetscInt d[] = {v % side - w % side, v / side % side - w / side % side, v / (side * side) - w / (side * side)};
      if (v != w && PetscAbsInt(d[0]) <= reach && PetscAbsInt(d[1]) <= reach && PetscAbsInt(d[2]) <= reach) adj[count++] = w;
    }
  }
  ptr[n] = count;
}

/* Operations of a factorisation in an order; no number if it does not have every vertex once. */
static PetscReal Operations(PetscInt n, const PetscInt ptr[], const PetscInt adj[], const PetscInt order[])
{
  PetscInt *number;
  FrontRows rows = {.ia = ptr, .ja = adj};
  Fronts   *fronts;
  PetscReal flops;

  AbutTestCall(PetscMalloc1(n, &number));
  for (PetscInt v = 0; v < n; v++) number[v] = -1;
  for (PetscInt k = 0; k < n; k++)
    if (order[k] >= 0 && order[k] < n) number[order[k]] = k;
  for (PetscInt v = 0; v < n; v++)
    if (number[v] < 0) return NAN;
  rows.number = number;
  AbutTestCall(FrontsCreate(1, n, 0, order, 1, &rows, PETSC_FALSE, &fronts));
  flops = fronts->flops;
  AbutTestCall(FrontsDestroy(&fronts));
  AbutTestCall(PetscFree(number));
  return flops;
}

static PetscMPIInt Rank(void)
{
  PetscMPIInt rank;

  assert_int_equal(MPI_Comm_rank(PETSC_COMM_WORLD, &rank), 0);
  return rank;
}

/* Both orders by `num` ranks, and the tree of separators, on the first rank. Collective. */
static void Dissect(MPI_Comm comm, PetscMPIInt num, PetscInt n, const PetscInt ptr[], const PetscInt adj[], SeparatorTree *tree,
                    PetscInt *order[2])
{
  const PetscBool first = (PetscBool)(Rank() == 0);

  *tree = (SeparatorTree){0};
  AbutTestCall(DissectionFind(comm, num, first ? n : 0, first ? ptr : NULL, first ? adj : NULL, tree));
  for (int k = 0; k < 2; k++) {
    AbutTestCall(PetscArrayzero(order[k], n));
    if (first) AbutTestCall(QuotientOrder(k == 0 ? 1 : tree->levels, n, ptr, adj, tree, order[k]));
  }
}

/* Number of vertices of the list that can be reached from its first vertex within the list. node: [n] part or separator of a vertex. */
static PetscInt CountConnected(const PetscInt ptr[], const PetscInt adj[], const PetscInt list[], PetscInt node[])
{
  const PetscInt own = node[list[0]], reached = -1;
  PetscInt       stack[LARGEST], num = 0, count = 0;

  stack[num++]  = list[0];
  node[list[0]] = reached;
  while (num > 0) {
    const PetscInt w = stack[--num];
    count++;
    for (PetscInt k = ptr[w]; k < ptr[w + 1]; k++) {
      if (node[adj[k]] != own) continue;
      node[adj[k]] = reached;
      stack[num++] = adj[k];
    }
  }
  return count;
}

/*
  Whether a coupling is between a vertex and a part or separator above it, or within one. Each subtree is a sequence of the tree that ends
  with its separator; begin: [parts and separators] the first part of the subtree.
*/
static PetscBool Respects(PetscInt n, const PetscInt ptr[], const PetscInt adj[], const PetscInt node[], const PetscInt begin[])
{
  for (PetscInt v = 0; v < n; v++)
    for (PetscInt k = ptr[v]; k < ptr[v + 1]; k++) {
      const PetscInt low = PetscMin(node[v], node[adj[k]]), high = PetscMax(node[v], node[adj[k]]);
      if (low < begin[high]) return PETSC_FALSE;
    }
  return PETSC_TRUE;
}

/*
  The first part of the subtree below each separator: all before it down to the last separator that is not lower. If halves have different
  heights, that of the lower one may be too large.
*/
static void FindSubtrees(const SeparatorTree *t, PetscInt begin[])
{
  for (PetscInt i = 0; i < t->size.n; i++) {
    begin[i] = i;
    while (begin[i] > 0 && t->height.a[begin[i] - 1] < t->height.a[i]) begin[i]--;
  }
}

/* Whether the tree has every vertex once, its parts are small and connected, and its separators divide the graph. */
static PetscBool IsDissection(PetscInt n, const PetscInt ptr[], const PetscInt adj[], const SeparatorTree *t)
{
  PetscInt *node, *begin, at = 0;
  PetscBool good = (PetscBool)(t->order.n == n);

  AbutTestCall(PetscMalloc2(n, &node, t->size.n, &begin));
  for (PetscInt v = 0; v < n; v++) node[v] = -1;
  for (PetscInt i = 0; i < t->size.n; at += t->size.a[i++])
    for (PetscInt k = 0; k < t->size.a[i]; k++) node[t->order.a[at + k]] = i;
  for (PetscInt v = 0; v < n; v++) good = (PetscBool)(good && node[v] >= 0);
  FindSubtrees(t, begin);
  good = (PetscBool)(good && at == n && Respects(n, ptr, adj, node, begin));
  at   = 0;
  for (PetscInt i = 0; i < t->size.n && good; at += t->size.a[i++])
    if (t->height.a[i] == 0) good = (PetscBool)(t->size.a[i] <= LARGEST && CountConnected(ptr, adj, t->order.a + at, node) == t->size.a[i]);
  AbutTestCall(PetscFree2(node, begin));
  return good;
}

/* Whether both orders have at most `factor` times the operations of minimum degree orders of the whole graph by one rank. */
static PetscBool AreGood(PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscReal factor, PetscInt *const order[2])
{
  PetscInt *height, *alone, levels;
  PetscBool good = PETSC_TRUE;

  AbutTestCall(PetscMalloc2(n, &height, n, &alone));
  AbutTestCall(AbutOrderingHeights(n, ptr, adj, height, &levels));
  for (int k = 0; k < 2; k++) {
    PetscReal operations, reference;
    AbutTestCall(AbutOrderingFromHeights(k == 0 ? 1 : levels, n, ptr, adj, height, alone));
    operations = Operations(n, ptr, adj, order[k]);
    reference  = Operations(n, ptr, adj, alone);
    good       = (PetscBool)(good && operations <= factor * reference);
  }
  AbutTestCall(PetscFree2(height, alone));
  return good;
}

/* factor: bound of the operations over the operations of one rank. */
static void CheckGraph(PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscReal factor)
{
  PetscMPIInt   size;
  MPI_Comm      comm;
  PetscBool     good, repeats;
  PetscInt     *order[2], *again[2];
  SeparatorTree tree, second;

  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  AbutTestCall(PetscCommDuplicate(PETSC_COMM_WORLD, &comm, NULL));
  AbutTestCall(PetscMalloc4(n, &order[0], n, &order[1], n, &again[0], n, &again[1]));
  for (PetscMPIInt num = 1; num <= size; num++) {
    Dissect(comm, num, n, ptr, adj, &tree, order);
    Dissect(comm, num, n, ptr, adj, &second, again);
    good = PETSC_TRUE;
    if (Rank() == 0) {
      good = (PetscBool)(IsDissection(n, ptr, adj, &tree) && AreGood(n, ptr, adj, factor, order));
      for (int k = 0; k < 2; k++) {
        AbutTestCall(PetscArraycmp(order[k], again[k], n, &repeats));
        good = (PetscBool)(good && repeats);
      }
    }
    AbutTestCall(SeparatorTreeDestroy(&tree));
    AbutTestCall(SeparatorTreeDestroy(&second));
    assert_int_equal(MPI_Bcast(&good, 1, AbutMPIBool, 0, comm), 0); /* all ranks fail together: none waits for one that failed */
    assert_true(good);
  }
  AbutTestCall(PetscFree4(order[0], order[1], again[0], again[1]));
  AbutTestCall(PetscCommDestroy(&comm));
}

static void Check(PetscInt n, int axes, PetscReal factor)
{
  PetscInt *ptr, *adj;

  AbutTestCall(PetscMalloc2(n + 1, &ptr, 6 * n, &adj));
  FillGraph(n, cube, axes, ptr, adj);
  CheckGraph(n, ptr, adj, factor);
  AbutTestCall(PetscFree2(ptr, adj));
}

/* Measured: 0.98 to 1.01 times the operations on 1 to 7 ranks. */
static void OrdersCube(void **state)
{
  (void)state;
  Check(N, 3, 1.03);
}

/* 16 squares without couplings between them, some separators are empty. Measured: 0.98 to 1.01 times. */
static void OrdersPieces(void **state)
{
  (void)state;
  Check(N, 2, 1.03);
}

/* One rank orders a small graph, also if other ranks wait for parts of it. */
static void OrdersSmallGraphs(void **state)
{
  (void)state;
  Check(300, 3, 1);
  Check(1, 3, 1);
  Check(0, 3, 1);
}

static void OrdersWithoutCouplings(void **state)
{
  (void)state;
  Check(N, 0, 1);
}

/* Parts of the quotient graph have more couplings than minimum degree orders keep by default. Measured: 0.95 to 1.01 times. */
static void OrdersWideStencils(void **state)
{
  enum { ACROSS = 14, REACH = 3, MANY = ACROSS * ACROSS * ACROSS, COUPLINGS = (2 * REACH + 1) * (2 * REACH + 1) * (2 * REACH + 1) };
  PetscInt *ptr, *adj;

  (void)state;
  AbutTestCall(PetscMalloc2(MANY + 1, &ptr, MANY * COUPLINGS, &adj));
  FillStencil(ACROSS, REACH, ptr, adj);
  CheckGraph(MANY, ptr, adj, 1.03);
  AbutTestCall(PetscFree2(ptr, adj));
}

/* Operations of a box in nested dissection, multisection and the order of AbutOrderingDissect(). */
static void CountOrders(const PetscInt side[3], PetscReal operations[3])
{
  const PetscInt n = side[0] * side[1] * side[2];
  PetscInt      *ptr, *adj, *height, *order, levels;

  AbutTestCall(PetscMalloc4(n + 1, &ptr, 6 * n, &adj, n, &height, n, &order));
  FillGraph(n, side, 3, ptr, adj);
  AbutTestCall(AbutOrderingHeights(n, ptr, adj, height, &levels));
  for (int k = 0; k < 2; k++) {
    AbutTestCall(AbutOrderingFromHeights(k == 0 ? 1 : levels, n, ptr, adj, height, order));
    operations[k] = Operations(n, ptr, adj, order);
  }
  AbutTestCall(AbutOrderingDissect(n, ptr, adj, order));
  operations[2] = Operations(n, ptr, adj, order);
  AbutTestCall(PetscFree4(ptr, adj, height, order));
}

/* Nested dissection is better for a cube, multisection for a bar. */
static void TakesBetterOrder(void **state)
{
  static const PetscInt slender[] = {8, 8, 64};
  PetscReal             block[3], bar[3];

  (void)state;
  CountOrders(cube, block);
  CountOrders(slender, bar);
  assert_true(block[0] < block[1] && block[2] == block[0]);
  assert_true(bar[1] < bar[0] && bar[2] == bar[1]);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(OrdersCube),         cmocka_unit_test(OrdersPieces),
                                     cmocka_unit_test(OrdersSmallGraphs),  cmocka_unit_test(OrdersWithoutCouplings),
                                     cmocka_unit_test(OrdersWideStencils), cmocka_unit_test(TakesBetterOrder)};
  return AbutTestMain(argc, argv, tests);
}
