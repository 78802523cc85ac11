/* Memory of factors: arrays do not overlap, the memory stays for sizes that are nearly equal, and room that is not reserved is refused. */
#include "test.h"
#include "store.h"

enum { PAGES = 100, PAGE = 4096 };

/* Arrays of several sizes begin at multiples of 64 bytes, keep their bytes and fill the reserved room. */
static void TestArrays(void **state)
{
  static const size_t sizes[] = {1, 64, 0, 65, 1000, PAGE * PAGES};
  enum { NUM = sizeof(sizes) / sizeof(sizes[0]) };
  unsigned char *array[NUM];
  Store          store = {0};
  size_t         bytes = 0;

  (void)state;
  for (int i = 0; i < NUM; i++) bytes += StoreBytes(sizes[i]);
  AbutTestCall(StoreReserve(&store, bytes));
  for (int i = 0; i < NUM; i++) {
    AbutTestCall(StoreTake(&store, sizes[i], (void **)&array[i]));
    assert_true(sizes[i] > 0 ? array[i] && (uintptr_t)array[i] % 64 == 0 : !array[i]);
    if (sizes[i] > 0) memset(array[i], i + 1, sizes[i]);
  }
  assert_true(store.used == bytes);
  for (int i = 0; i < NUM; i++)
    for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(array[i][k], i + 1);
  AbutTestCall(StoreDestroy(&store));
  assert_true(!store.begin && store.capacity == 0);
}

/* A factor that is a little larger or smaller takes the memory of the last one; one of other size takes other memory. */
static void TestReuse(void **state)
{
  static const PetscInt percent[] = {100, 60, 110, 40, 105};
  Store                 store     = {0};
  char                 *first;
  void                 *array;

  (void)state;
  AbutTestCall(StoreReserve(&store, PAGES * PAGE));
  first = store.begin;
  for (size_t i = 0; i < sizeof(percent) / sizeof(percent[0]); i++) {
    AbutTestCall(StoreReserve(&store, (size_t)percent[i] * PAGES * PAGE / 100));
    assert_true(store.begin == first && store.used == 0);
    AbutTestCall(StoreTake(&store, PAGE, &array));
    assert_true(array == first);
  }
  AbutTestCall(StoreReserve(&store, 10 * PAGES * PAGE));
  assert_true(store.capacity >= 10 * PAGES * PAGE);
  AbutTestCall(StoreReserve(&store, PAGES * PAGE));
  assert_true(store.capacity < 2 * PAGES * PAGE);
  AbutTestCall(StoreReserve(&store, 0));
  assert_true(!store.begin);
  AbutTestCall(StoreDestroy(&store));
}

static void TestOverrun(void **state)
{
  Store store = {0};
  void *array;

  (void)state;
  AbutTestCall(StoreReserve(&store, PAGE));
  AbutTestCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  assert_int_equal(StoreTake(&store, 2 * PAGE, &array), PETSC_ERR_PLIB);
  AbutTestCall(PetscPopErrorHandler());
  AbutTestCall(StoreDestroy(&store));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestArrays), cmocka_unit_test(TestReuse), cmocka_unit_test(TestOverrun)};
  return AbutTestMain(argc, argv, tests);
}
