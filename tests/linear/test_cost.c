/* Predicted work and memory of the linear solvers: closed forms, and the choice on constructed counts. */
#include "test.h"
#include "cost.h"
#include <math.h>

/* One operation and one matrix entry take a nanosecond. */
static const CostModel unit = {.dense = 1, .sparse = 1, .memory = 1000};

/* 30,000 unknowns of one rank, 45 entries in a row. */
static CostCounts Body(void)
{
  return (CostCounts){
    .size = 1, .bs = 3, .modes = 6, .coarsen = 100, .coarsest = 20000, .unknowns = 30000, .total = 1.35e6, .entries = 1.35e6};
}

static void ExpectSeconds(const CostModel *m, const CostCounts *c, AbutLinearKind kind, PetscReal expected)
{
  const Cost cost = CostPredict(m, c, kind);

  AbutTestClose(AbutLinearKinds[kind], 1, &cost.seconds, &expected, 1e-12);
}

/* Every term of the model alone. */
static void TestTerms(void **state)
{
  const PetscReal coarse = 120 * 600. * 600. * 1e-9; /* seconds of the coarsest level, 600 unknowns */
  CostCounts      c      = Body();

  (void)state;
  c.factor = (AbutFactorCounts){4e9, 0, 0};
  c.local  = (AbutFactorCounts){1e9, 0, 0};
  c.total = c.entries = 0;
  ExpectSeconds(&unit, &c, ABUT_LINEAR_DIRECT, 0.6 * 4);
  ExpectSeconds(&unit, &c, ABUT_LINEAR_SCHWARZ, 1);
  ExpectSeconds(&unit, &c, ABUT_LINEAR_MULTIGRID, 0.9 * coarse);
  c.single = PETSC_TRUE;
  ExpectSeconds(&unit, &c, ABUT_LINEAR_DIRECT, 0.6 * 2);
  c.factor.entries = 1e9;
  ExpectSeconds(&unit, &c, ABUT_LINEAR_DIRECT, 0.6 * (2 + 3.5) + 4.5 * 0.7);
  ExpectSeconds(&unit, &c, ABUT_LINEAR_SCHWARZ, 0.5);
  c.single = PETSC_FALSE;
  ExpectSeconds(&unit, &c, ABUT_LINEAR_DIRECT, 0.6 * (4 + 7) + 4.5 * 1.4);
  c.entries = 1e6;
  ExpectSeconds(&unit, &c, ABUT_LINEAR_DIRECT, 0.6 * (4 + 7) + 4.5 * 1.401 + 0.2 * 0.35);
  ExpectSeconds(&unit, &c, ABUT_LINEAR_MULTIGRID, 0.9 * (coarse + 0.046) + 0.1125);
  c.total = 9e6;
  ExpectSeconds(&unit, &c, ABUT_LINEAR_DIRECT, 0.6 * (4 + 7) + 4.5 * 1.401 + 0.2 * 0.35 + 0.0225);
  c.size          = 16;
  c.local.entries = 1e7;
  ExpectSeconds(&unit, &c, ABUT_LINEAR_SCHWARZ, 1 + 0.07 + 17 * 15e-3 + 0.2 * 0.4);
  ExpectSeconds(&unit, &c, ABUT_LINEAR_MULTIGRID, 0.9 * (coarse / 16 + 0.046) + 0.1125);
}

/* A third level: 4 million unknowns have 80,000 and 1,600 coarse unknowns. Rates divide the work. */
static void TestLevels(void **state)
{
  const CostModel fast = {.dense = 10, .sparse = 4, .memory = 1000};
  CostCounts      c    = Body();

  (void)state;
  c.unknowns = 4e6;
  ExpectSeconds(&unit, &c, ABUT_LINEAR_MULTIGRID, 153.9 * 1.35e-3 + 0.9 * 120 * 1600. * 1600. * 1e-9);
  ExpectSeconds(&fast, &c, ABUT_LINEAR_MULTIGRID, 153.9 * 1.35e-3 / 4 + 0.9 * 120 * 1600. * 1600. * 1e-10);
}

/* Solvers that were not counted are not predicted. */
static AbutLinearKind Choose(const CostModel *m, const CostCounts *c)
{
  Cost cost[ABUT_LINEAR_MULTIGRID + 1] = {{0, 0}};

  for (AbutLinearKind k = ABUT_LINEAR_DIRECT; k <= ABUT_LINEAR_MULTIGRID; k++) cost[k] = CostPredict(m, c, k);
  return CostChoose(m, cost, ABUT_LINEAR_AUTO);
}

static void TestChoice(void **state)
{
  CostModel  m;
  CostCounts c = Body();

  (void)state;
  AbutOptionTableSetDefaults(&AbutCostOptions, &m);
  m.sparse = 1.2;
  assert_int_equal(Choose(&m, &c), ABUT_LINEAR_MULTIGRID);
  c.factor = (AbutFactorCounts){1e9, 3e6, 30e6}; /* a thin body */
  assert_int_equal(Choose(&m, &c), ABUT_LINEAR_DIRECT);
  c.factor = (AbutFactorCounts){40e9, 25e6, 250e6}; /* a compact body */
  assert_int_equal(Choose(&m, &c), ABUT_LINEAR_MULTIGRID);
  c.size  = 4;
  c.local = (AbutFactorCounts){1e8, 1e6, 10e6};
  assert_int_equal(Choose(&m, &c), ABUT_LINEAR_SCHWARZ);
  c.local = (AbutFactorCounts){10e9, 10e6, 100e6};
  assert_int_equal(Choose(&m, &c), ABUT_LINEAR_MULTIGRID);
}

/* The bound of memory excludes a solver unless all exceed it. */
static void TestMemory(void **state)
{
  const Cost costs[] = {[ABUT_LINEAR_DIRECT] = {1, 3000e6}, [ABUT_LINEAR_SCHWARZ] = {2, 900e6}, [ABUT_LINEAR_MULTIGRID] = {3, 500e6}};
  CostModel  m       = unit;

  (void)state;
  m.memory = 3000;
  assert_int_equal(CostChoose(&m, costs, ABUT_LINEAR_AUTO), ABUT_LINEAR_DIRECT);
  m.memory = 2999;
  assert_int_equal(CostChoose(&m, costs, ABUT_LINEAR_AUTO), ABUT_LINEAR_SCHWARZ);
  m.memory = 600;
  assert_int_equal(CostChoose(&m, costs, ABUT_LINEAR_AUTO), ABUT_LINEAR_MULTIGRID);
  m.memory = 0;
  assert_int_equal(CostChoose(&m, costs, ABUT_LINEAR_AUTO), ABUT_LINEAR_MULTIGRID);
}

/* Counted iterations of a solver replace the averages of this solver, of no other. */
static void TestUses(void **state)
{
  const CostUse counted = {.setups = 0.5, .iterations = 20};

  (void)state;
  for (AbutLinearKind kind = ABUT_LINEAR_DIRECT; kind <= ABUT_LINEAR_MULTIGRID; kind++) {
    CostCounts c = Body();

    c.size      = 16;
    c.factor    = (AbutFactorCounts){4e9, 1e6, 0};
    c.local     = (AbutFactorCounts){2e9, 3e6, 0};
    c.use[kind] = counted;
    ExpectSeconds(&unit, &c, ABUT_LINEAR_DIRECT,
                  0.003375 + 0.2 * 0.4725 + (kind == ABUT_LINEAR_DIRECT ? 0.5 * 4.007 + 20 * 2.75e-3 : 0.6 * 4.007 + 4.5 * 2.75e-3));
    ExpectSeconds(&unit, &c, ABUT_LINEAR_SCHWARZ,
                  0.2 * 0.54 + (kind == ABUT_LINEAR_SCHWARZ ? 0.5 * 2.021 + 20 * 5.55e-3 : 2.021 + 17 * 5.55e-3));
    ExpectSeconds(&unit, &c, ABUT_LINEAR_MULTIGRID,
                  kind == ABUT_LINEAR_MULTIGRID ? 0.5 * (0.0621 + 0.0027) + 20 * 0.02025 : 0.9 * (0.0621 + 0.0027) + 7.5 * 0.02025);
  }
}

/* Set-ups of a counted solver over its average scale the averages of the others: at most one set-up, at least a fifth of the average. */
static void TestSetups(void **state)
{
  static const PetscReal counted[] = {0, 0.1, 0.4, 0.8, 1}, multigrid[] = {0.18, 0.18, 0.6, 1, 1},
                         direct[] = {0.12, 0.12, 0.4 * 0.6 / 0.9, 0.8 * 0.6 / 0.9, 0.6 / 0.9};

  (void)state;
  for (size_t k = 0; k < sizeof(counted) / sizeof(counted[0]); k++) {
    CostCounts c = Body();
    CostSetUse(&c, ABUT_LINEAR_DIRECT, (CostUse){counted[k], 3});
    assert_true(CostGetUse(&c, ABUT_LINEAR_DIRECT).setups == counted[k]);
    assert_true(fabs(CostGetUse(&c, ABUT_LINEAR_MULTIGRID).setups - multigrid[k]) < 1e-15);
    assert_true(CostGetUse(&c, ABUT_LINEAR_MULTIGRID).iterations == 7.5);
    c = Body();
    CostSetUse(&c, ABUT_LINEAR_MULTIGRID, (CostUse){counted[k], 3});
    assert_true(fabs(CostGetUse(&c, ABUT_LINEAR_DIRECT).setups - direct[k]) < 1e-15);
  }
}

/* Counted patterns replace the average; multigrid has none in its prediction. */
static void TestPatterns(void **state)
{
  CostCounts c = Body();

  (void)state;
  c.size   = 16;
  c.factor = c.local = (AbutFactorCounts){4e9, 1e6, 0};
  c.setups_ratio     = 1; /* counted */
  for (PetscReal patterns = 0; patterns < 1; patterns += 0.25) {
    c.patterns = patterns;
    assert_true(CostGetPatterns(&c) == patterns);
    ExpectSeconds(&unit, &c, ABUT_LINEAR_DIRECT, 0.003375 + patterns * 0.4725 + 0.6 * 4.007 + 4.5 * 2.75e-3);
    ExpectSeconds(&unit, &c, ABUT_LINEAR_SCHWARZ, patterns * 0.54 + 4.007 + 17 * 2.75e-3);
    ExpectSeconds(&unit, &c, ABUT_LINEAR_MULTIGRID, 0.9 * (0.0621 + 0.0027) + 7.5 * 0.02025);
  }
}

/* Another solver replaces the current one only if it saves a tenth of the work, or if the current one exceeds the bound of memory. */
static void TestKeep(void **state)
{
  Cost costs[] = {[ABUT_LINEAR_DIRECT] = {10, 3e6}, [ABUT_LINEAR_SCHWARZ] = {9.1, 2e6}, [ABUT_LINEAR_MULTIGRID] = {11, 1e6}};

  (void)state;
  assert_int_equal(CostChoose(&unit, costs, ABUT_LINEAR_AUTO), ABUT_LINEAR_SCHWARZ);
  assert_int_equal(CostChoose(&unit, costs, ABUT_LINEAR_DIRECT), ABUT_LINEAR_DIRECT);
  assert_int_equal(CostChoose(&unit, costs, ABUT_LINEAR_SCHWARZ), ABUT_LINEAR_SCHWARZ);
  assert_int_equal(CostChoose(&unit, costs, ABUT_LINEAR_MULTIGRID), ABUT_LINEAR_SCHWARZ);
  costs[ABUT_LINEAR_SCHWARZ].seconds = 8.9;
  assert_int_equal(CostChoose(&unit, costs, ABUT_LINEAR_DIRECT), ABUT_LINEAR_SCHWARZ);
  costs[ABUT_LINEAR_SCHWARZ].seconds = -1;
  costs[ABUT_LINEAR_DIRECT].bytes    = 2000e6;
  assert_int_equal(CostChoose(&unit, costs, ABUT_LINEAR_DIRECT), ABUT_LINEAR_MULTIGRID);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestTerms),    cmocka_unit_test(TestLevels), cmocka_unit_test(TestChoice),
                                     cmocka_unit_test(TestMemory),   cmocka_unit_test(TestUses),   cmocka_unit_test(TestSetups),
                                     cmocka_unit_test(TestPatterns), cmocka_unit_test(TestKeep)};
  return AbutTestMain(argc, argv, tests);
}
