/* Intervals of the smoothers of multigrid are not kept if they are too small, come from an indefinite matrix or cost many iterations. */
#include "cubes.h"

/* Chebyshev iterations with an interval that is too small for the matrix: the solution fails, and a new hierarchy solves. */
static void OldIntervals(void **state)
{
  Mat              A = Build(1);
  Solver           s = Open(A, "100", "20000");
  AbutLinearResult result;
  PetscBool        definite;
  KSP              smoother;
  PC               pc;
  Vec              b, x;

  (void)state;
  (void)Solve(&s, A, NULL);
  assert_false(AbutLinearMayImprove(s.linear));
  AbutTestCall(KSPGetPC(s.ksp, &pc));
  AbutTestCall(PCMGGetSmoother(AbutMultigridCycle(pc), 1, &smoother));
  AbutTestCall(KSPChebyshevSetEigenvalues(smoother, 0.5, 0.05));
  AbutTestCall(MatScale(A, 2));
  AbutTestCall(AbutLinearSetUp(s.linear, A, PETSC_FALSE, &definite));
  assert_true(definite);
  AbutTestCall(MatCreateVecs(A, &x, &b));
  SetLoads(b);
  AbutTestCall(AbutLinearSolve(s.linear, b, x));
  AbutTestCall(AbutLinearGetResult(s.linear, &result));
  assert_true(result.reason < 0 && AbutLinearMayImprove(s.linear));
  AbutTestCall(AbutLinearRetire(s.linear));
  assert_in_range(Solve(&s, A, NULL), 2, 20);
  assert_false(AbutLinearMayImprove(s.linear));
  AbutTestCall(VecDestroy(&b));
  AbutTestCall(VecDestroy(&x));
  Close(&s);
  AbutTestCall(MatDestroy(&A));
}

/* An indefinite matrix between definite ones of the same pattern: set-ups tell, and its intervals are not kept. */
static void Indefinite(void **state)
{
  for (int begin = 0; begin < 2; begin++) {
    Mat       A = Build(1), good;
    Solver    s = Open(A, "100", "20000");
    PetscInt  first, last, row = N * DIM / 2;
    PetscBool definite;

    (void)state;
    AbutTestCall(MatDuplicate(A, MAT_COPY_VALUES, &good));
    if (begin == 0) (void)Solve(&s, A, NULL);
    AbutTestCall(MatGetOwnershipRange(A, &first, &last));
    if (row >= first && row < last) AbutTestCall(MatSetValue(A, row, row, -1e3, INSERT_VALUES));
    AbutTestCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    AbutTestCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    AbutTestCall(AbutLinearSetUp(s.linear, A, PETSC_FALSE, &definite));
    assert_false(definite);
    AbutTestCall(MatCopy(good, A, SAME_NONZERO_PATTERN));
    assert_in_range(Solve(&s, A, NULL), 2, 20); /* asserts that the matrix is definite */
    assert_int_equal(AbutLinearMayImprove(s.linear), begin == 0);
    Close(&s);
    AbutTestCall(MatDestroy(&good));
    AbutTestCall(MatDestroy(&A));
  }
}

/* Solutions that take more than twice the iterations of the first one ask for a new hierarchy. */
static void ManyIterations(void **state)
{
  Mat      A     = Build(1);
  Solver   s     = Open(A, "100", "20000");
  PetscInt first = Solve(&s, A, NULL);

  (void)state;
  AbutLinearCountUse(s.linear, first);
  for (int many = 0; many < 2; many++) {
    AbutTestCall(MatScale(A, 2));
    (void)Solve(&s, A, NULL);
    assert_true(AbutLinearMayImprove(s.linear)); /* kept */
    AbutLinearCountUse(s.linear, 2 * first + (many ? 3 : 0));
  }
  AbutTestCall(MatScale(A, 2));
  (void)Solve(&s, A, NULL);
  assert_false(AbutLinearMayImprove(s.linear)); /* new */
  Close(&s);
  AbutTestCall(MatDestroy(&A));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(OldIntervals), cmocka_unit_test(Indefinite), cmocka_unit_test(ManyIterations)};
  return AbutTestMain(argc, argv, tests);
}
