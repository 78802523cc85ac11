/* Growable arrays keep their entries, the sort of tuples is stable, lists in compressed rows are complete and in order. */
#include "test.h"
#include <abut/containers.h>

static void ReserveKeepsEntries(void **state)
{
  PetscInt *a = NULL, capacity = 0, grown = 0;
  PetscReal(*b)[2] = NULL;

  (void)state;
  for (PetscInt i = 0; i < 5000; i++) {
    const PetscInt   before    = capacity;
    const AbutColumn column[2] = {{&a, sizeof(*a)}, {&b, sizeof(*b)}};

    AbutTestCall(AbutReserveColumns(i + 1, &capacity, 2, column));
    grown += capacity != before;
    assert_true(capacity > i);
    a[i]    = 3 * i;
    b[i][1] = (PetscReal)i;
  }
  assert_true(grown < 16); /* growth by a half each time */
  for (PetscInt i = 0; i < 5000; i++) assert_true(a[i] == 3 * i && b[i][1] == (PetscReal)i);
  AbutTestCall(PetscFree(a));
  AbutTestCall(PetscFree(b));
}

static void PushAppends(void **state)
{
  AbutInts  ints  = {0};
  AbutReals reals = {0};

  (void)state;
  for (PetscInt i = 0; i < 1000; i++) {
    const PetscInt  pair[2] = {i, -i};
    const PetscReal half    = 0.5 * (PetscReal)i;

    AbutTestCall(AbutIntsPush(&ints, 2, pair));
    AbutTestCall(AbutRealsPush(&reals, 1, &half));
  }
  assert_int_equal(ints.n, 2000);
  assert_int_equal(reals.n, 1000);
  for (PetscInt i = 0; i < 1000; i++) assert_true(ints.a[2 * i] == i && ints.a[2 * i + 1] == -i && reals.a[i] == 0.5 * (PetscReal)i);
  assert_int_equal(AbutIntsGrow(&ints, PETSC_MAX_INT), PETSC_ERR_ARG_OUTOFRANGE);
  AbutErrorClear();
  AbutTestCall(PetscFree(ints.a));
  AbutTestCall(PetscFree(reals.a));
}

static void TuplesAreSorted(void **state)
{
  enum { N = 300 };
  PetscInt tuples[N][2], order[N];
  uint64_t seed = 7;

  (void)state;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 2; k++) tuples[i][k] = (PetscInt)(5 + 5 * AbutTestRandom(&seed));
  AbutTestCall(AbutSortTuples(N, 2, 10, tuples[0], order));
  for (int i = 1; i < N; i++) {
    const PetscInt *a = tuples[order[i - 1]], *b = tuples[order[i]];

    assert_true(a[0] < b[0] || (a[0] == b[0] && (a[1] < b[1] || (a[1] == b[1] && order[i - 1] < order[i]))));
  }
}

static void ListsFromPairs(void **state)
{
  const PetscInt row[] = {2, 0, 2, -1, 4, 2}, item[] = {10, 11, 12, 13, 14, 15};
  const PetscInt start[] = {0, 1, 1, 4, 4, 5}, expected[] = {11, 10, 12, 15, 14};
  AbutCSR        csr = {0};

  (void)state;
  AbutTestCall(AbutCSRSetPairs(5, 6, 1, row, item, &csr));
  assert_int_equal(csr.num_rows, 5);
  assert_memory_equal(csr.start, start, sizeof(start));
  assert_memory_equal(csr.item, expected, sizeof(expected));
  AbutTestCall(AbutCSRSetPairs(3, 0, 1, NULL, NULL, &csr)); /* reused, empty */
  for (int r = 0; r <= 3; r++) assert_int_equal(csr.start[r], 0);
  AbutTestCall(AbutCSRDestroy(&csr));
  assert_null(csr.start);
}

static void InverseOfATable(void **state)
{
  const PetscInt faces[][3] = {{0, 1, 2}, {2, 1, 3}, {3, 1, 0}};
  const PetscInt start[] = {0, 2, 5, 7, 9}, expected[] = {0, 2, 0, 1, 2, 0, 1, 1, 2};
  AbutCSR        csr = {0};

  (void)state;
  AbutTestCall(AbutCSRSetPairs(4, 3, 3, faces[0], NULL, &csr));
  assert_memory_equal(csr.start, start, sizeof(start));
  assert_memory_equal(csr.item, expected, sizeof(expected));
  AbutTestCall(AbutCSRDestroy(&csr));
}

static void DuplicatesAreRemoved(void **state)
{
  PetscInt       pairs[][2] = {{3, 1}, {0, 9}, {3, 0}, {3, 1}, {0, 9}, {3, 1}}, num = 6;
  const PetscInt unique[][2] = {{0, 9}, {3, 0}, {3, 1}};

  (void)state;
  AbutTestCall(AbutUniqueTuples(&num, 2, 10, pairs[0]));
  assert_int_equal(num, 3);
  assert_memory_equal(pairs, unique, sizeof(unique));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(ReserveKeepsEntries), cmocka_unit_test(PushAppends),
                                     cmocka_unit_test(TuplesAreSorted),     cmocka_unit_test(ListsFromPairs),
                                     cmocka_unit_test(InverseOfATable),     cmocka_unit_test(DuplicatesAreRemoved)};
  return AbutTestMain(argc, argv, tests);
}
