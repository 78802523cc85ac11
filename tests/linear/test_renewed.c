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

/* A solver with a set-up of the matrix with soft contacts, which does not give up. */
static Solver Begin(Mat soft, const char aggregate[])
{
  Solver s = Open(soft, aggregate, "20000");

  s.linear->lag.cost         = 1000000;
  s.linear->lag.min_unknowns = 0;
  AbutLinearCountUse(s.linear, Solve(&s, soft, NULL));
  return s;
}

/*
  Contacts that became 100 times as stiff take few iterations more than with a new set-up, whether ranks cut the contacts or not. Coarse
  levels stay until a set-up of the same matrix.
*/
static void StiffContacts(void **state)
{
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

/* A smoother that the user chose is of the current matrix, too: M x for a matrix of twice the values is half as large. */
static void ChosenSmoother(void **state)
{
  Mat       A = Build(1);
  Solver    s;
  PetscReal norm[3];
  Vec       b, x;
  PC        pc;

  (void)state;
  AbutTestCall(PetscOptionsSetValue(NULL, "-mg_levels_pc_type", "bjacobi"));
  AbutTestCall(PetscOptionsSetValue(NULL, "-mg_levels_ksp_type", "richardson"));
  s = Begin(A, "100");
  AbutTestCall(MatCreateVecs(A, &x, &b));
  SetLoads(b);
  AbutTestCall(KSPGetPC(s.ksp, &pc));
  for (int k = 0; k < 3; k++) {
    PetscBool definite;
    AbutTestCall(AbutLinearSetUp(s.linear, A, (PetscBool)(k == 2), &definite));
    assert_true(definite);
    AbutTestCall(PCApply(pc, b, x));
    AbutTestCall(VecNorm(x, NORM_2, &norm[k]));
    if (k == 0) AbutTestCall(MatScale(A, 2));
  }
  assert_true(PetscAbsReal(norm[0] / norm[1] - 2) < 1e-6 && PetscAbsReal(norm[1] / norm[2] - 1) < 1e-6);
  AbutTestCall(PetscOptionsClearValue(NULL, "-mg_levels_pc_type"));
  AbutTestCall(PetscOptionsClearValue(NULL, "-mg_levels_ksp_type"));
  AbutTestCall(VecDestroy(&b));
  AbutTestCall(VecDestroy(&x));
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
  AbutTestCall(MatShift(A, -1e-3 - 3e-10)); /* the masses and a little more; the shift adds about 6e-10 to rigid motions */
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(StiffContacts), cmocka_unit_test(Indefinite), cmocka_unit_test(ChosenSmoother),
                                     cmocka_unit_test(Shifted)};
  return AbutTestMain(argc, argv, tests);
}
