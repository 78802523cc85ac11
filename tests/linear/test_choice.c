/* The automatic choice of AbutLinear on a chain of springs: predicted work, bound of memory, counted set-ups and iterations. */
#include "chain.h"

/* Solves with the automatic choice for a rate of factorisations, a bound of memory and a least size; expects this solver on all ranks. */
static void ExpectChoice(const char rate[], const char memory[], const char least[], AbutLinearKind expected)
{
  Mat         A = BuildChain(0.1, -1);
  Solver      s;
  PetscBool   definite, may_lag;
  PetscMPIInt kinds[2];
  PetscReal   error;

  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_rate_dense", rate));
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_multigrid_coarse", "5")); /* its factorisation takes little time */
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_linear_memory", memory));
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_iterative_min_unknowns", least));
  s = Open(A);
  for (int pattern = 0; pattern < 3; pattern++) {
    kinds[0] = (PetscMPIInt)s.linear->choice.kind, kinds[1] = -kinds[0];
    assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, kinds, 2, MPI_INT, MPI_MAX, PETSC_COMM_WORLD), 0);
    assert_int_equal(kinds[0], expected);
    assert_int_equal(-kinds[1], expected);
    AbutTestCall(AbutLinearSetUp(s.linear, A, PETSC_FALSE, &definite));
    assert_true(definite);
    assert_true(Solve(&s, A, &error).solved);
    assert_true(error < 2e-2);
    if (pattern == 1) AbutLinearForget(s.linear); /* as after a checkpoint: decides anew */
    AbutTestCall(AbutLinearSetPattern(s.linear, A));
    may_lag = AbutLinearMayLag(s.linear); /* a factor or a hierarchy serves for the next pattern */
    assert_int_equal(may_lag, pattern != 1);
  }
  Close(&s);
  AbutTestCall(MatDestroy(&A));
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_rate_dense"));
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_multigrid_coarse"));
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_linear_memory"));
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_iterative_min_unknowns"));
}

/* A chain is factorised, unless operations are slow and the chain is long enough. */
static void TestChoice(void **state)
{
  (void)state;
  ExpectChoice("32", "4000", "0", ABUT_LINEAR_DIRECT);
  ExpectChoice("0.001", "4000", "0", ABUT_LINEAR_MULTIGRID);
  ExpectChoice("0.001", "4000", "100000", ABUT_LINEAR_DIRECT);
}

/* Sets up and solves as `count` Newton iterations do; the iterations of all of them. */
static PetscInt Iterate(Solver *s, Mat A, int count)
{
  PetscInt  sum = 0;
  PetscBool definite;
  PetscReal error;

  for (int k = 0; k < count; k++) {
    AbutLinearResult result;
    AbutTestCall(AbutLinearSetUp(s->linear, A, PETSC_FALSE, &definite));
    result = Solve(s, A, &error);
    assert_true(definite && result.solved);
    AbutLinearCountUse(s->linear, result.iterations);
    sum += result.iterations;
  }
  return sum;
}

/* Where counted iterations are more than predicted, another solver is chosen, until the counts are forgotten; a factorisation needs one. */
static void TestCountedUses(void **state)
{
  Mat       A = BuildChain(0.1, -1);
  Solver    s;
  PetscInt  sum;
  CostUse  *use;
  PetscReal mean;

  (void)state;
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_iterative_min_unknowns", "0"));
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_single_min_unknowns", "1000000"));
  s   = Open(A);
  use = s.linear->choice.counts.use;
  assert_int_equal(s.linear->choice.kind, ABUT_LINEAR_DIRECT);
  sum = Iterate(&s, A, 7);
  AbutTestCall(AbutLinearSetPattern(s.linear, A));
  assert_true(use[ABUT_LINEAR_DIRECT].iterations == 0); /* too few */
  sum += Iterate(&s, A, 1);
  AbutTestCall(AbutLinearSetPattern(s.linear, A));
  mean = (PetscReal)sum / 8;
  AbutTestClose("iterations", 1, &use[ABUT_LINEAR_DIRECT].iterations, &mean, 1e-14);
  assert_true(use[ABUT_LINEAR_DIRECT].setups == 1);
  assert_true(s.linear->choice.counts.patterns == 2. / 8);
  assert_int_equal(s.linear->choice.total.newton, 8); /* stay when averages are taken */
  assert_int_equal(s.linear->choice.total.setups, 8);
  assert_int_equal(s.linear->choice.total.iterations, sum);
  use[ABUT_LINEAR_DIRECT].setups = 1e6; /* as if counted */
  AbutTestCall(AbutLinearSetPattern(s.linear, A));
  assert_int_not_equal(s.linear->choice.kind, ABUT_LINEAR_DIRECT);
  assert_int_equal(s.linear->choice.total.newton, 0);
  use[ABUT_LINEAR_DIRECT].setups = 1e-6;
  s.linear->choice.model.sparse  = 1e9; /* new patterns take no time */
  (void)Iterate(&s, A, 7);
  AbutTestCall(AbutLinearSetPattern(s.linear, A));
  assert_int_not_equal(s.linear->choice.kind, ABUT_LINEAR_DIRECT);
  (void)Iterate(&s, A, 1);
  AbutTestCall(AbutLinearSetPattern(s.linear, A));
  assert_int_equal(s.linear->choice.kind, ABUT_LINEAR_DIRECT);
  assert_true(use[ABUT_LINEAR_SCHWARZ].iterations + use[ABUT_LINEAR_MULTIGRID].iterations >= 1);
  (void)Iterate(&s, A, 8);
  AbutLinearForget(s.linear);
  AbutTestCall(AbutLinearSetPattern(s.linear, A));
  for (AbutLinearKind kind = ABUT_LINEAR_DIRECT; kind <= ABUT_LINEAR_MULTIGRID; kind++) assert_true(use[kind].iterations == 0);
  assert_true(s.linear->choice.counts.patterns == 0);
  Close(&s);
  AbutTestCall(MatDestroy(&A));
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_iterative_min_unknowns"));
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_single_min_unknowns"));
}

/* The choice is made again where the pattern stays, after eight solutions, but not after the counts were forgotten. */
static void TestReconsider(void **state)
{
  Mat            A = BuildChain(0.1, -1);
  AbutLinearKind first;
  Solver         s;

  (void)state;
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_iterative_min_unknowns", "0"));
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_multigrid_coarse", "5")); /* its factorisation takes little time */
  s     = Open(A);
  first = s.linear->choice.kind;
  assert_int_equal(first, ABUT_LINEAR_DIRECT);
  (void)Iterate(&s, A, 7);
  AbutTestCall(AbutLinearReconsider(s.linear, A));
  assert_int_equal(s.linear->choice.kind, first); /* too few */
  (void)Iterate(&s, A, 1);
  AbutTestCall(AbutLinearReconsider(s.linear, A));
  assert_int_equal(s.linear->choice.kind, first); /* still the best */
  assert_true(AbutLinearMayLag(s.linear));
  assert_true(CostGetPatterns(&s.linear->choice.counts) == 1. / 8);
  (void)Iterate(&s, A, 8);
  s.linear->choice.model.dense = 1e-3; /* as if factorisations were dear */
  AbutTestCall(AbutLinearReconsider(s.linear, A));
  assert_int_not_equal(s.linear->choice.kind, first);
  assert_false(AbutLinearMayLag(s.linear)); /* the set-up of the other solver is lost */
  assert_true(CostGetPatterns(&s.linear->choice.counts) == 0);
  first = s.linear->choice.kind;
  (void)Iterate(&s, A, 8);
  s.linear->choice.model.dense = 1e6;
  AbutLinearForget(s.linear);
  AbutTestCall(AbutLinearReconsider(s.linear, A));
  assert_int_equal(s.linear->choice.kind, first);
  Close(&s);
  AbutTestCall(MatDestroy(&A));
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_iterative_min_unknowns"));
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_multigrid_coarse"));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestChoice), cmocka_unit_test(TestCountedUses), cmocka_unit_test(TestReconsider)};
  return AbutTestMain(argc, argv, tests);
}
