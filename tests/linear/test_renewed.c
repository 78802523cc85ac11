/* A solution with a lagged set-up of multigrid: the finest level has the values of the current matrix, on any number of ranks. */
#include "cubes.h"

#define STIFF 100 /* contacts over springs: aggregates contain them */

/* Solves for the loads of SetLoads() with the last set-up. *residual: |A x - b| / |b| */
static AbutLinearResult SolveLagged(Solver *s, Mat A, PetscReal *residual)
{
  AbutLinearResult result;
  PetscBool        definite;
  PetscReal        norm;
  Vec              b, x;

  AbutTestCall(MatCreateVecs(A, &x, &b));
  SetLoads(b);
  AbutTestCall(AbutLinearSetUp(s->linear, A, PETSC_TRUE, &definite));
  assert_true(definite);
  AbutTestCall(AbutLinearSolve(s->linear, b, x));
  AbutTestCall(AbutLinearGetResult(s->linear, &result));
  AbutTestCall(VecNorm(b, NORM_2, &norm));
  AbutTestCall(VecScale(b, -1));
  AbutTestCall(MatMultAdd(A, x, b, b));
  AbutTestCall(VecNorm(b, NORM_2, residual));
  *residual /= norm;
  AbutTestCall(VecDestroy(&b));
  AbutTestCall(VecDestroy(&x));
  return result;
}

/* Whether the finest level has the values of A; *moved: in another matrix. */
static PetscBool HasValues(const Solver *s, Mat A, PetscBool *moved)
{
  PetscReal norm[2];
  PC        smoother;
  Mat       finest = Finest(s, &smoother);

  *moved = (PetscBool)(finest != A);
  AbutTestCall(MatNorm(A, NORM_FROBENIUS, &norm[0]));
  AbutTestCall(MatNorm(finest, NORM_FROBENIUS, &norm[1]));
  return (PetscBool)(PetscAbsReal(norm[1] / norm[0] - 1) < 1e-12);
}

/* Norm of the coarsest matrix. */
static PetscReal CoarseNorm(const Solver *s)
{
  PetscReal norm;
  KSP       coarse;
  Mat       A;
  PC        pc;

  AbutTestCall(KSPGetPC(s->ksp, &pc));
  AbutTestCall(PCMGGetCoarseSolve(AbutMultigridCycle(pc), &coarse));
  AbutTestCall(KSPGetOperators(coarse, &A, NULL));
  AbutTestCall(MatNorm(A, NORM_FROBENIUS, &norm));
  return norm;
}

/* A solver with a set-up of an earlier matrix, which does not give up. */
static Solver Begin(Mat earlier, const char aggregate[])
{
  Solver s = Open(earlier, aggregate, "20000");

  s.linear->lag.cost  = 1000000;
  s.linear->lag.least = 0;
  AbutLinearCountUse(s.linear, Solve(&s, earlier, NULL));
  return s;
}

/*
  Contacts that became 100 times as stiff take few iterations more than with a new set-up, whether ranks cut the contacts or not. Coarse
  levels stay until a set-up of the same matrix.
*/
static void StiffContacts(void **state)
{
  PetscBool   moved, any = PETSC_FALSE;
  PetscMPIInt size;

  (void)state;
  for (order = ACROSS; order <= ALONG; order++) {
    Mat              A = Build(STIFF), stiff = Build(100 * STIFF);
    Solver           s = Begin(A, "100"), new = Open(stiff, "100", "20000");
    AbutLinearResult lagged;
    PetscInt         best   = Solve(&new, stiff, NULL);
    PetscReal        coarse = CoarseNorm(&s);
    PetscReal        residual;

    AbutTestCall(MatCopy(stiff, A, SAME_NONZERO_PATTERN));
    lagged = SolveLagged(&s, A, &residual);
    assert_true(HasValues(&s, A, &moved));
    any |= moved;
    assert_true(residual <= 1.01e-3 && CoarseNorm(&s) == coarse);
    print_message("order %d: %ld iterations, %ld with a new set-up\n", (int)order, (long)lagged.iterations, (long)best);
    assert_true(lagged.solved && lagged.iterations <= best + 5);
    assert_in_range(Solve(&s, A, NULL), 2, best + 2);
    assert_true(CoarseNorm(&s) != coarse);
    Close(&s);
    Close(&new);
    AbutTestCall(MatDestroy(&A));
    AbutTestCall(MatDestroy(&stiff));
  }
  order = ACROSS;
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  assert_int_equal(any, size > 1); /* otherwise nothing is tested of a matrix that moved */
}

/* An indefinite matrix is found before the solution. Its factors do not serve another matrix; the hierarchy does. */
static void Indefinite(void **state)
{
  Mat       A = Build(1), good;
  Solver    s = Begin(A, "100");
  PetscInt  first, last, row = N * DIM / 2;
  PetscBool definite, lag;
  PC        pc;

  (void)state;
  AbutTestCall(MatDuplicate(A, MAT_COPY_VALUES, &good));
  AbutTestCall(MatGetOwnershipRange(A, &first, &last));
  if (row >= first && row < last) AbutTestCall(MatSetValue(A, row, row, -1e3, INSERT_VALUES));
  AbutTestCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(AbutLinearSetUp(s.linear, A, PETSC_TRUE, &definite));
  assert_false(definite);
  lag = AbutLinearMayLag(s.linear);
  assert_false(lag);
  AbutTestCall(MatCopy(good, A, SAME_NONZERO_PATTERN));
  assert_in_range(Solve(&s, A, NULL), 2, 20);
  AbutTestCall(KSPGetPC(s.ksp, &pc));
  assert_true(AbutMultigridIsKept(pc));
  Close(&s);
  AbutTestCall(MatDestroy(&good));
  AbutTestCall(MatDestroy(&A));
}

/* Norm of the application of the finest smoother to a vector of ones. */
static PetscReal SmoothOnes(const Solver *s)
{
  PetscReal norm;
  Vec       b, x;
  PC        smoother;

  AbutTestCall(MatCreateVecs(Finest(s, &smoother), &x, &b));
  AbutTestCall(VecSet(b, 1));
  AbutTestCall(PCApply(smoother, b, x));
  AbutTestCall(VecNorm(x, NORM_2, &norm));
  AbutTestCall(VecDestroy(&b));
  AbutTestCall(VecDestroy(&x));
  return norm;
}

/* A smoother of the user, too, is of the current matrix, also in another pattern: with twice the values its result is half as large. */
static void ChosenSmoother(void **state)
{
  const char *const types[] = {"bjacobi", "asm"};

  (void)state;
  for (int type = 0; type < 2; type++) {
    Mat       A[2] = {Build(1), Build(0)};
    Solver    s;
    PetscReal norm[2];
    PetscBool definite;

    AbutTestCall(PetscOptionsSetValue(NULL, "-mg_levels_pc_type", types[type]));
    AbutTestCall(PetscOptionsSetValue(NULL, "-mg_levels_ksp_type", "richardson"));
    s = Begin(A[0], "100");
    for (int pattern = 0; pattern < 2; pattern++) {
      if (pattern == 1) {
        AbutTestCall(AbutLinearSetPattern(s.linear, A[1]));
        assert_int_equal(AbutLinearMayLag(s.linear), PETSC_FALSE); /* the smoother may have arrays of the old matrix */
        AbutTestCall(AbutLinearSetUp(s.linear, A[1], PETSC_FALSE, &definite));
      }
      norm[0] = SmoothOnes(&s);
      for (int k = 0; k < 4; k++) { /* lagged, lagged, new, lagged */
        AbutTestCall(MatScale(A[pattern], 2));
        AbutTestCall(AbutLinearSetUp(s.linear, A[pattern], (PetscBool)(k != 2), &definite));
        assert_true(definite);
        norm[1] = SmoothOnes(&s);
        assert_true(PetscAbsReal(norm[0] / norm[1] - 2) < 1e-6);
        norm[0] = norm[1];
      }
    }
    AbutTestCall(PetscOptionsClearValue(NULL, "-mg_levels_pc_type"));
    AbutTestCall(PetscOptionsClearValue(NULL, "-mg_levels_ksp_type"));
    Close(&s);
    AbutTestCall(MatDestroy(&A[0]));
    AbutTestCall(MatDestroy(&A[1]));
  }
}

/* Entries of a distributed matrix. Collective. */
static PetscReal CountEntries(Mat A)
{
  MatInfo info;

  AbutTestCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  return info.nz_used;
}

/* Contacts go and come back: the finest level has the pattern and the values of each matrix, and solutions take few iterations more. */
static void NewPatterns(void **state)
{
  Mat    A[3] = {Build(0.1), Build(0), Build(0.1)};
  Solver s    = Begin(A[0], "100");

  (void)state;
  for (int n = 1; n < 3; n++) {
    Solver new            = Open(A[n], "100", "20000");
    const PetscInt   best = Solve(&new, A[n], NULL);
    AbutLinearResult lagged;
    PetscReal        residual;
    PetscBool        moved;
    PC               smoother;
    AbutTestCall(AbutLinearSetPattern(s.linear, A[n]));
    assert_int_equal(AbutLinearMayLag(s.linear), PETSC_TRUE);
    lagged = SolveLagged(&s, A[n], &residual);
    assert_true(HasValues(&s, A[n], &moved) && CountEntries(Finest(&s, &smoother)) == CountEntries(A[n]));
    print_message("lagged, matrix %d: %ld iterations, %ld in a new hierarchy\n", n, (long)lagged.iterations, (long)best);
    assert_true(lagged.solved && lagged.iterations <= best + 12 && residual <= 1.01e-3);
    AbutLinearCountUse(s.linear, lagged.iterations);
    Close(&new);
  }
  Close(&s);
  for (int n = 0; n < 3; n++) AbutTestCall(MatDestroy(&A[n]));
}

/* The factors of a shifted matrix stay when its shift is taken back: on one rank its only aggregate is indefinite without the shift. */
static void Shifted(void **state)
{
  Mat       A = Build(1);
  Solver    s = Open(A, "5000", "20000");
  PetscBool definite;
  Vec       b, x;
  PC        pc;

  (void)state;
  AbutTestCall(MatShift(A, -1e-3 - 3e-10)); /* the masses and a little more; the shift adds about 6e-10 to rigid motions */
  AbutTestCall(AbutLinearSetUpShifted(s.linear, A, &definite));
  assert_true(definite);
  AbutTestCall(MatCreateVecs(A, &x, &b));
  SetLoads(b);
  AbutTestCall(KSPGetPC(s.ksp, &pc));
  AbutTestCall(PCApply(pc, b, x));
  AbutTestCall(AbutFactorIsDefinite(pc, &definite));
  assert_true(definite);
  AbutTestCall(VecDestroy(&b));
  AbutTestCall(VecDestroy(&x));
  Close(&s);
  AbutTestCall(MatDestroy(&A));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(StiffContacts), cmocka_unit_test(Indefinite), cmocka_unit_test(ChosenSmoother),
                                     cmocka_unit_test(NewPatterns), cmocka_unit_test(Shifted)};
  return AbutTestMain(argc, argv, tests);
}
