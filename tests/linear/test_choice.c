/* The automatic choice of AbutLinear on a chain of springs: bound of memory, least size, failures of multigrid. */
#include "chain.h"

/* The current solver, which must be the same on all ranks. */
static AbutLinearKind Current(const Solver *s)
{
  PetscMPIInt kinds[2] = {(PetscMPIInt)s->linear->choice.kind, -(PetscMPIInt)s->linear->choice.kind};

  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, kinds, 2, MPI_INT, MPI_MIN, PETSC_COMM_WORLD), 0);
  assert_int_equal(kinds[0], -kinds[1]);
  return s->linear->choice.kind;
}

static Solver OpenAutomatic(Mat A, const char memory[], const char least[])
{
  Solver s;

  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_multigrid_coarse", "5")); /* its factorisation takes little time */
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_linear_memory", memory));
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_iterative_min_unknowns", least));
  s = Open(A);
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_multigrid_coarse"));
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_linear_memory"));
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_iterative_min_unknowns"));
  return s;
}

/* Sets up without a lagged factor, solves, and counts the solution; whether it converged, which must be right then. */
static PetscBool SolveAnew(Solver *s, Mat A)
{
  AbutLinearResult result;
  PetscBool        definite;
  PetscReal        error;

  AbutTestCall(AbutLinearSetUp(s->linear, A, PETSC_FALSE, &definite));
  assert_true(definite);
  result = Solve(s, A, &error);
  assert_true(!result.solved || error < 2e-2);
  AbutLinearCountUse(s->linear, result.iterations);
  return result.solved;
}

/* Solves with the automatic choice for a bound of memory and a least size; expects this solver for each pattern. */
static void ExpectChoice(const char memory[], const char least[], AbutLinearKind expected)
{
  Mat    A = BuildChain(0.1, -1);
  Solver s = OpenAutomatic(A, memory, least);

  for (int pattern = 0; pattern < 3; pattern++) {
    PetscBool may_lag;
    assert_int_equal(Current(&s), expected);
    assert_true(SolveAnew(&s, A));
    if (pattern == 1) AbutLinearForget(s.linear); /* as after a checkpoint: decides anew */
    AbutTestCall(AbutLinearSetPattern(s.linear, A));
    may_lag = AbutLinearMayLag(s.linear); /* a factor or a hierarchy serves for the next pattern */
    assert_int_equal(may_lag, pattern != 1);
  }
  Close(&s);
  AbutTestCall(MatDestroy(&A));
}

/* A chain is factorised, unless its factor needs too much memory and the chain is long enough. */
static void TestChoice(void **state)
{
  (void)state;
  ExpectChoice("4000", "0", ABUT_LINEAR_DIRECT);
  ExpectChoice("0", "0", ABUT_LINEAR_MULTIGRID);
  ExpectChoice("0", "100000", ABUT_LINEAR_DIRECT);
}

/* The choice is made while the direct solver serves, then not until AbutLinearForget(). */
static void TestWhen(void **state)
{
  Mat    A = BuildChain(0.1, -1);
  Solver s = OpenAutomatic(A, "4000", "0");

  (void)state;
  assert_true(SolveAnew(&s, A));
  s.linear->choice.memory = 0;
  assert_true(SolveAnew(&s, A));
  assert_int_equal(Current(&s), ABUT_LINEAR_DIRECT);
  AbutTestCall(AbutLinearSetPattern(s.linear, A));
  assert_int_equal(Current(&s), ABUT_LINEAR_MULTIGRID);
  assert_false(AbutLinearMayLag(s.linear)); /* the factor is lost */
  s.linear->choice.memory = 4000;
  AbutTestCall(AbutLinearSetPattern(s.linear, A));
  assert_int_equal(Current(&s), ABUT_LINEAR_MULTIGRID);
  AbutLinearForget(s.linear);
  AbutTestCall(AbutLinearSetPattern(s.linear, A));
  assert_int_equal(Current(&s), ABUT_LINEAR_DIRECT);
  Close(&s);
  AbutTestCall(MatDestroy(&A));
}

/* The direct solver replaces multigrid that failed, for the same pattern, unless a factor would need too much memory. */
static void TestFailure(void **state)
{
  Mat    A = BuildChain(0.1, -1);
  Solver s = OpenAutomatic(A, "0", "0");

  (void)state;
  s.linear->krylov.max_it = 1;
  for (int k = 0; k < 2; k++) assert_false(SolveAnew(&s, A));
  assert_int_equal(Current(&s), ABUT_LINEAR_MULTIGRID);
  assert_true(AbutLinearMayLag(s.linear));
  s.linear->choice.memory = 4000;
  assert_false(SolveAnew(&s, A));
  assert_false(AbutLinearMayLag(s.linear)); /* another solver follows */
  assert_true(SolveAnew(&s, A));
  assert_int_equal(Current(&s), ABUT_LINEAR_DIRECT);
  assert_true(s.linear->choice.failed);
  AbutLinearForget(s.linear);
  AbutTestCall(AbutLinearSetPattern(s.linear, A));
  assert_false(s.linear->choice.failed);
  Close(&s);
  AbutTestCall(MatDestroy(&A));
}

/* A solver that the user chose stays after a failure. */
static void TestChosen(void **state)
{
  Mat    A = BuildChain(0.1, -1);
  Solver s;

  (void)state;
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_linear", "multigrid"));
  s = OpenAutomatic(A, "4000", "0");
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_linear"));
  s.linear->krylov.max_it = 1;
  for (int k = 0; k < 2; k++) assert_false(SolveAnew(&s, A));
  assert_int_equal(Current(&s), ABUT_LINEAR_MULTIGRID);
  Close(&s);
  AbutTestCall(MatDestroy(&A));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestChoice), cmocka_unit_test(TestWhen), cmocka_unit_test(TestFailure),
                                     cmocka_unit_test(TestChosen)};
  return AbutTestMain(argc, argv, tests);
}
