/* Predicted work and memory of the direct solver and multigrid: every term, and the choice on constructed counts. */
#include "test.h"
#include "cost.h"

static void ExpectDirect(const CostCounts *c, PetscReal expected)
{
  const PetscReal work = CostOfDirect(c);

  AbutTestClose("work of the direct solver", 1, &work, &expected, 1e-12);
}

/* Every term of the prediction alone. */
static void TestTerms(void **state)
{
  CostCounts c = {.factor = {.flops = 45e6}};

  (void)state;
  ExpectDirect(&c, 1e6);
  c.factor.entries = 1e6;
  ExpectDirect(&c, 11.5e6);
  c.single = PETSC_TRUE; /* half of both */
  ExpectDirect(&c, 5.75e6);
  c.entries = 1e5;
  ExpectDirect(&c, 5.75e6 + 7.5e6);
  c.graph = 1e5;
  ExpectDirect(&c, 5.75e6 + 7.5e6 + 2.25e6);
  assert_true(PetscAbsReal(CostOfMultigrid(&c) - 154e5) < 1);
  c.factor = (AbutFactorCounts){0}; /* the analysis alone */
  ExpectDirect(&c, 2.25e6);
}

static void TestMemory(void **state)
{
  CostCounts c = {.graph = 1e6, .factor = {.flops = 1, .bytes = 50e6}};

  (void)state;
  assert_true(CostBytes(&c) == 50e6);
  c.graph = 2e6;
  assert_true(CostBytes(&c) == 80e6);
}

/* 30,000 unknowns of one rank with 45 entries in a row, as thin and as compact body, and on many ranks. */
static void TestChoice(void **state)
{
  const AbutFactorCounts thin = {1e9, 3e6, 24e6}, compact = {40e9, 25e6, 200e6}, between = {2.75e9, 5e6, 40e6};
  CostCounts             c = {.entries = 1.35e6, .graph = 1.5e5, .factor = thin};

  (void)state;
  assert_false(CostPrefersMultigrid(&c, PETSC_FALSE));
  c.factor = compact;
  assert_true(CostPrefersMultigrid(&c, PETSC_FALSE) && CostPrefersMultigrid(&c, PETSC_TRUE));
  c.factor = between; /* multigrid saves less than a tenth, which is too little where the direct solver serves */
  assert_true(CostPrefersMultigrid(&c, PETSC_FALSE));
  assert_false(CostPrefersMultigrid(&c, PETSC_TRUE));
  c = (CostCounts){.entries = 1.35e6, .graph = 9e6}; /* 60 ranks: nothing is counted yet */
  assert_false(CostPrefersMultigrid(&c, PETSC_FALSE));
  c.graph = 9.6e6; /* 64 ranks */
  assert_true(CostPrefersMultigrid(&c, PETSC_FALSE));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestTerms), cmocka_unit_test(TestMemory), cmocka_unit_test(TestChoice)};
  return AbutTestMain(argc, argv, tests);
}
