/* A solution with a lagged set-up of multigrid: the finest level has the values of the current matrix, on any number of ranks. */
#include "cubes.h"

#define STIFF 100 /* contacts over springs: aggregates contain them */

/* Solves for the loads of SetLoads() with the last set-up. */
static AbutLinearResult SolveLagged(Solver *s, Mat A)
{
  AbutLinearResult result;
  PetscBool        definite;
  Vec              b, x;

  AbutTestCall(MatCreateVecs(A, &x, &b));
  SetLoads(b);
  AbutTestCall(AbutLinearSetUp(s->linear, A, PETSC_TRUE, &definite));
  assert_true(definite);
  AbutTestCall(AbutLinearSolve(s->linear, b, x));
  AbutTestCall(AbutLinearGetResult(s->linear, &result));
  AbutTestCall(VecDestroy(&b));
  AbutTestCall(VecDestroy(&x));
  return result;
}

/* A solver with a set-up of the matrix with soft contacts, which does not give up. */
static Solver Begin(Mat soft, const char aggregate[])
{
  Solver s = Open(soft, aggregate, "20000");

  s.linear->lag.cost         = 1000000;
  s.linear->lag.min_unknowns = 0;
  AbutLinearCountUse(s.linear, Solve(&s, soft, NULL));
  return s;
}

/* Contacts that became 100 times as stiff take few iterations more than with a new set-up, whether ranks cut the contacts or not. */
static void StiffContacts(void **state)
{
  (void)state;
  for (order = ACROSS; order <= ALONG; order++) {
    Mat              A = Build(STIFF), stiff = Build(100 * STIFF);
    Solver           s = Begin(A, "100"), new = Open(stiff, "100", "20000");
    AbutLinearResult lagged;
    PetscInt         best = Solve(&new, stiff, NULL);

    AbutTestCall(MatCopy(stiff, A, SAME_NONZERO_PATTERN));
    lagged = SolveLagged(&s, A);
    print_message("order %d: %ld iterations, %ld with a new set-up\n", (int)order, (long)lagged.iterations, (long)best);
    assert_true(lagged.solved && lagged.iterations <= best + 5);
    Close(&s);
    Close(&new);
    AbutTestCall(MatDestroy(&A));
    AbutTestCall(MatDestroy(&stiff));
  }
  order = ACROSS;
}

/* An indefinite matrix is found before the solution. */
static void Indefinite(void **state)
{
  Mat       A = Build(1);
  Solver    s = Begin(A, "100");
  PetscInt  first, last, row = N * DIM / 2;
  PetscBool definite;

  (void)state;
  AbutTestCall(MatGetOwnershipRange(A, &first, &last));
  if (row >= first && row < last) AbutTestCall(MatSetValue(A, row, row, -1e3, INSERT_VALUES));
  AbutTestCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(AbutLinearSetUp(s.linear, A, PETSC_TRUE, &definite));
  assert_false(definite);
  Close(&s);
  AbutTestCall(MatDestroy(&A));
}

/* The factors of a shifted matrix stay when its shift is taken back: on one rank, its only aggregate without the shift is indefinite. */
static void Shifted(void **state)
{
  Mat       A = Build(1);
  Solver    s = Open(A, "5000", "20000");
  PetscBool definite;
  Vec       b, x;
  PC        pc;

  (void)state;
  AbutTestCall(MatShift(A, -1e-3 - 5e-10)); /* the masses and a little more; the shift adds about 2e-9 */
  AbutTestCall(AbutLinearSetUpShifted(s.linear, A, &definite));
  assert_true(definite);
  AbutTestCall(MatCreateVecs(A, &x, &b));
  SetLoads(b);
  AbutTestCall(KSPGetPC(s.ksp, &pc));
  AbutTestCall(PCApply(pc, b, x));
  AbutTestCall(AbutInnerIsDefinite(pc, &definite));
  assert_true(definite);
  AbutTestCall(VecDestroy(&b));
  AbutTestCall(VecDestroy(&x));
  Close(&s);
  AbutTestCall(MatDestroy(&A));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(StiffContacts), cmocka_unit_test(Indefinite), cmocka_unit_test(Shifted)};
  return AbutTestMain(argc, argv, tests);
}
