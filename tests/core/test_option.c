/* Tables of options: defaults, values from the options database, and refusal of values out of range. */
#include "test.h"
#include <abut/option.h>

typedef struct {
  PetscReal length;
  PetscInt  number;
  PetscBool on;
} Object;

static const AbutOption      options[] = {{"-abut_test_length", ABUT_OPTION_REAL, offsetof(Object, length), 0.5, 0, 1, "m", "Length"},
                                          {"-abut_test_number", ABUT_OPTION_INT, offsetof(Object, number), 3, 1, 9, "", "Number"},
                                          {"-abut_test_on", ABUT_OPTION_BOOL, offsetof(Object, on), 1, 0, 1, "", "On"}};
static const AbutOptionTable table     = {"Test object", 3, options};

static void DefaultsAndValues(void **state)
{
  Object o = {0};

  (void)state;
  AbutOptionTableSetDefaults(&table, &o);
  assert_true(o.length == 0.5 && o.number == 3 && o.on == PETSC_TRUE);
  AbutTestCall(PetscOptionsInsertString(NULL, "-abut_test_length 0.25 -abut_test_number 9 -abut_test_on 0"));
  AbutTestCall(AbutOptionTableSetFromOptions(PETSC_COMM_WORLD, &table, &o));
  assert_true(o.length == 0.25 && o.number == 9 && o.on == PETSC_FALSE);
}

static void OutOfRange(void **state)
{
  Object o;

  (void)state;
  AbutOptionTableSetDefaults(&table, &o);
  AbutTestCall(PetscOptionsInsertString(NULL, "-abut_test_length 0.25 -abut_test_number 10"));
  assert_int_equal(AbutOptionTableSetFromOptions(PETSC_COMM_WORLD, &table, &o), ABUT_ERR_INPUT);
  assert_string_equal(AbutErrorMessage(), "-abut_test_number 10: the valid range is [1, 9]");
  AbutErrorClear();
}

/* Messages have all digits of integers, so that a value beyond a bound differs from the bound. */
static void LargeIntegers(void **state)
{
  static const AbutOption      large[] = {{"-abut_test_large", ABUT_OPTION_INT, offsetof(Object, number), 3, 1, 1e9, "", "Number"}};
  static const AbutOptionTable one     = {"Test object", 1, large};
  Object                       o;

  (void)state;
  AbutOptionTableSetDefaults(&one, &o);
  AbutTestCall(PetscOptionsInsertString(NULL, "-abut_test_large 1000000001"));
  assert_int_equal(AbutOptionTableSetFromOptions(PETSC_COMM_WORLD, &one, &o), ABUT_ERR_INPUT);
  assert_string_equal(AbutErrorMessage(), "-abut_test_large 1000000001: the valid range is [1, 1000000000]");
  AbutErrorClear();
  assert_int_equal(AbutOptionRefuse(large, "99999999999999999999"), ABUT_ERR_INPUT);
  assert_string_equal(AbutErrorMessage(), "-abut_test_large 99999999999999999999: the valid range is [1, 1000000000]");
  AbutErrorClear();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(DefaultsAndValues), cmocka_unit_test(OutOfRange), cmocka_unit_test(LargeIntegers)};
  return AbutTestMain(argc, argv, tests);
}
