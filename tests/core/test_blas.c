/*
  FlexiBLAS counts as optimised if its backend is. This test program defines the functions of FlexiBLAS itself: its symbols take precedence
  over symbols of libraries.
*/
#include "test.h"
#include <string.h>

static const char *behind;

int flexiblas_current_backend(char *name, size_t size);
int flexiblas_current_backend(char *name, size_t size)
{
  AbutTestCall(PetscStrncpy(name, behind, size));
  return (int)strlen(name);
}

static void NamesWhatIsBehind(void **state)
{
  char      name[64];
  PetscBool optimised;

  (void)state;
  behind = "NETLIB";
  AbutTestCall(AbutBLASName(name, sizeof(name), &optimised));
  assert_string_equal(name, "FlexiBLAS (NETLIB)");
  assert_false(optimised);
  behind = "OPENBLAS-OPENMP";
  AbutTestCall(AbutBLASName(name, sizeof(name), &optimised));
  assert_string_equal(name, "FlexiBLAS (OPENBLAS-OPENMP)");
  assert_true(optimised);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(NamesWhatIsBehind)};
  return AbutTestMain(argc, argv, tests);
}
