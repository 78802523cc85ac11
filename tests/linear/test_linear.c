/*
  AbutLinear on a chain of springs: lagged factors and their statistics, matrices that are not definite, precision of factors, names of
  solvers, failures.
*/
#include "chain.h"
#include <abut/petsc_versions.h>

static void TestLag(void **state)
{
  Mat              A = BuildChain(0.1, -1), B = BuildChain(0.11, -1);
  Solver           s = Open(A);
  AbutLinearResult result;
  PetscBool        lag, lagged, definite;
  PetscReal        error;

  (void)state;
  lag = AbutLinearMayLag(s.linear);
  assert_false(lag); /* no factor yet */
  AbutTestCall(AbutLinearSetUp(s.linear, A, PETSC_FALSE, &definite));
  assert_true(definite);
  result = Solve(&s, A, &error);
  assert_true(result.solved && result.iterations == 1 && error < 1e-12);
  AbutLinearCountUse(s.linear, result.iterations);

  lag = AbutLinearMayLag(s.linear);
  assert_true(lag);
  AbutTestCall(AbutLinearSetUp(s.linear, B, lag, &definite));
  lagged = AbutLinearIsLagged(s.linear);
  assert_true(lagged && definite);
  result = Solve(&s, B, &error);
  assert_true(result.solved && result.iterations > 1 && error < 1e-2 && error > 1e-12);

  AbutTestCall(AbutLinearRetire(s.linear)); /* the first pause has length 0, the next one length 1 */
  lag = AbutLinearMayLag(s.linear);
  assert_true(lag);
  AbutTestCall(AbutLinearRetire(s.linear));
  lag = AbutLinearMayLag(s.linear);
  assert_false(lag);
  lag = AbutLinearMayLag(s.linear);
  assert_true(lag);
  AbutLinearForget(s.linear);
  lag = AbutLinearMayLag(s.linear);
  assert_false(lag);
  Close(&s);
  AbutTestCall(MatDestroy(&A));
  AbutTestCall(MatDestroy(&B));
}

/* Every kind of solver solves the system, and each reports a negative pivot on all ranks. */
static void TestKinds(void **state)
{
  PetscMPIInt size;

  (void)state;
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  for (AbutLinearKind kind = ABUT_LINEAR_DIRECT; kind <= ABUT_LINEAR_MULTIGRID; kind++) {
    Mat       A = BuildChain(0.1, -1), B = BuildChain(0.1, (OWNED * size - 2) * DIM);
    Solver    s;
    PetscBool definite;
    PetscReal error;

    AbutTestCall(PetscOptionsSetValue(NULL, "-abut_linear", AbutLinearKinds[kind]));
    s = Open(A);
    AbutTestCall(PetscOptionsClearValue(NULL, "-abut_linear"));
    AbutTestCall(AbutLinearSetUp(s.linear, A, PETSC_FALSE, &definite));
    assert_true(definite);
    assert_true(Solve(&s, A, &error).solved);
    assert_true(error < (kind == ABUT_LINEAR_DIRECT ? 1e-12 : 2e-2));
    AbutTestCall(AbutLinearSetPattern(s.linear, B));
    AbutTestCall(AbutLinearSetUp(s.linear, B, PETSC_FALSE, &definite));
    assert_false(definite);
    if (kind == ABUT_LINEAR_DIRECT) assert_false(Solve(&s, B, &error).solved);
    Close(&s);
    AbutTestCall(MatDestroy(&A));
    AbutTestCall(MatDestroy(&B));
  }
}

/* A singular matrix: the shifted factor preconditions conjugate gradients on the matrix itself, whose values stay unchanged. */
static void TestShifted(void **state)
{
  Mat       A = BuildChain(0, -1), copy;
  Solver    s = Open(A);
  PetscBool definite, same, lagged;
  PetscReal error;

  (void)state;
  AbutTestCall(MatDuplicate(A, MAT_COPY_VALUES, &copy));
  AbutTestCall(AbutLinearSetUpShifted(s.linear, A, &definite));
  assert_true(definite);
  AbutTestCall(MatEqual(A, copy, &same));
  assert_true(same);
  lagged = AbutLinearIsLagged(s.linear);
  assert_false(lagged);
  assert_true(Solve(&s, A, &error).solved);
  assert_true(error < 1e-2);
  Close(&s);
  AbutTestCall(MatDestroy(&A));
  AbutTestCall(MatDestroy(&copy));
}

/* An unknown solver name is ABUT_ERR_INPUT; the message states the option and valid names. */
static void TestUnknownNames(void **state)
{
  static const char *const wrong[][3] = {
    {"-ksp_type", "nosuch", "cg"}, {"-pc_type", "nosuch", "gamg"}, {"-pc_factor_mat_solver_type", "nosuch", "petsc"}};

  (void)state;
  for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
    AbutLinear linear;
    KSP        ksp;

    AbutTestCall(PetscOptionsSetValue(NULL, wrong[k][0], wrong[k][1]));
    AbutTestCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    AbutTestCall(AbutLinearCreate(ksp, DIM, OWNED, rest, &linear));
    assert_int_equal(AbutLinearSetFromOptions(linear), ABUT_ERR_INPUT);
    assert_non_null(strstr(AbutErrorMessage(), wrong[k][0]));
    assert_non_null(strstr(AbutErrorMessage(), wrong[k][2]));
    AbutErrorClear();
    AbutTestCall(PetscOptionsClearValue(NULL, wrong[k][0]));
    AbutTestCall(AbutLinearDestroy(&linear));
    AbutTestCall(KSPDestroy(&ksp));
  }
}

/* A preconditioner that is no factorisation gets conjugate gradients; -ksp_rtol and -ksp_max_it hold with and without -pc_type. */
static void TestUserOptions(void **state)
{
  static const char *const types[][2] = {{"jacobi", KSPCG}, {"cholesky", KSPPREONLY}, {NULL, KSPPREONLY}};

  (void)state;
  AbutTestCall(PetscOptionsSetValue(NULL, "-ksp_rtol", "1e-9"));
  AbutTestCall(PetscOptionsSetValue(NULL, "-ksp_max_it", "77"));
  for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
    Mat       A = BuildChain(0.1, -1);
    Solver    s;
    KSPType   type;
    PetscBool definite;
    PetscReal error, rtol;
    PetscInt  max_it;

    if (types[k][0]) AbutTestCall(PetscOptionsSetValue(NULL, "-pc_type", types[k][0]));
    s = Open(A);
    AbutTestCall(PetscOptionsClearValue(NULL, "-pc_type"));
    AbutTestCall(KSPGetType(s.ksp, &type));
    assert_string_equal(type, types[k][1]);
    if (!types[k][0] || !strcmp(types[k][0], "jacobi")) { /* cholesky of PETSc is serial */
      AbutTestCall(AbutLinearSetUp(s.linear, A, PETSC_FALSE, &definite));
      AbutTestCall(KSPGetTolerances(s.ksp, &rtol, NULL, NULL, &max_it));
      assert_true(rtol == 1e-9);
      assert_int_equal(max_it, 77);
      assert_true(Solve(&s, A, &error).solved);
      assert_true(error < 1e-6);
    }
    Close(&s);
    AbutTestCall(MatDestroy(&A));
  }
  AbutTestCall(PetscOptionsClearValue(NULL, "-ksp_rtol"));
  AbutTestCall(PetscOptionsClearValue(NULL, "-ksp_max_it"));
}

/* The failure text of a solution with NaN names the solver; the text of a converged solution is "". */
static void TestNaN(void **state)
{
  Mat       A = BuildChain(0.1, -1);
  Solver    s = Open(A);
  char      text[256];
  PetscBool definite;
  PetscReal error;
  PetscInt  first;

  (void)state;
  AbutTestCall(AbutLinearSetUp(s.linear, A, PETSC_FALSE, &definite));
  assert_true(Solve(&s, A, &error).solved);
  AbutTestCall(AbutLinearDescribeFailure(s.linear, text, sizeof(text)));
  assert_string_equal(text, "");
  AbutTestCall(AbutLinearSetUp(s.linear, A, PETSC_TRUE, &definite)); /* conjugate gradients */
  AbutTestCall(MatGetOwnershipRange(A, &first, NULL));
  AbutTestCall(MatSetValue(A, first, first, PETSC_INFINITY - PETSC_INFINITY, INSERT_VALUES));
  AbutTestCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  assert_false(Solve(&s, A, &error).solved);
  AbutTestCall(AbutLinearDescribeFailure(s.linear, text, sizeof(text)));
  assert_non_null(strstr(text, "cg with preconditioner abut-"));
  Close(&s);
  AbutTestCall(MatDestroy(&A));
}

/* Adds a spring of stiffness 2^40 between the first two vertices: in single precision a pivot becomes 0. Collective. */
static void Stiffen(Mat A)
{
  const PetscReal stiffness = 1099511627776.;
  PetscInt        first;

  AbutTestCall(MatGetOwnershipRange(A, &first, NULL));
  for (PetscInt v = 0; v < 2; v++)
    for (PetscInt w = 0; w < 2 && first == 0; w++) {
      const PetscReal   d           = v == w ? 2.1 + stiffness : -1 - stiffness;
      const PetscScalar block[2][2] = {{d, 0}, {0, d}};
      AbutTestCall(MatSetValuesBlocked(A, 1, &v, 1, &w, block[0], INSERT_VALUES));
    }
  AbutTestCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

/* Whether the text that PCView() prints on the first rank contains `words`. Collective. */
static PetscBool ViewHas(PC pc, const char words[])
{
  char        text[4096] = "";
  FILE       *file       = tmpfile();
  PetscBool   has        = PETSC_FALSE;
  PetscViewer viewer;

  AbutTestCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, file, &viewer));
  AbutTestCall(PCView(pc, viewer));
  AbutTestCall(PetscViewerDestroy(&viewer));
  rewind(file);
  if (fread(text, 1, sizeof(text) - 1, file) > 0) has = (PetscBool)(strstr(text, words) != NULL);
  (void)fclose(file);
  assert_int_equal(MPI_Bcast(&has, 1, AbutMPIBool, 0, PETSC_COMM_WORLD), 0);
  return has;
}

/* Sets up with a new factor and solves; whether the factor is in single precision, which all ranks and the view agree on. */
static PetscBool SolveAnew(Solver *s, Mat A, PetscReal tolerance)
{
  PetscBool        definite, single;
  PetscMPIInt      sum, size;
  PetscReal        error;
  AbutLinearResult result;
  PC               pc;

  AbutTestCall(AbutLinearSetUp(s->linear, A, PETSC_FALSE, &definite));
  assert_true(definite);
  AbutTestCall(KSPGetPC(s->ksp, &pc));
  single = AbutFactorIsSingle(pc);
  sum    = single;
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  assert_int_equal(sum, single ? size : 0);
  assert_int_equal(ViewHas(pc, "single precision"), single);
  assert_int_equal(AbutLinearMayImprove(s->linear), single);
  result = Solve(s, A, &error);
  assert_true(result.solved && error < tolerance);
  AbutLinearCountUse(s->linear, result.iterations);
  return single;
}

/* Factors are in single precision, and in double precision where that fails or takes many iterations. */
static void TestPrecision(void **state)
{
  Mat       A = BuildChain(0.1, -1), stiff = BuildChain(0.1, -1);
  Solver    s = Open(A);
  PetscBool single;

  (void)state;
  single = SolveAnew(&s, A, 1e-12);
  assert_false(single); /* fewer unknowns than -abut_single_min_unknowns */
  s.linear->precision.min_unknowns = 0;
  single                           = SolveAnew(&s, A, 1e-3);
  assert_true(single);
  Stiffen(stiff);
  single = SolveAnew(&s, stiff, 1e-3);
  assert_false(single);
  single = SolveAnew(&s, A, 1e-3);
  assert_false(single); /* a pause of one factorisation */
  single = SolveAnew(&s, A, 1e-3);
  assert_true(single);
  AbutTestCall(AbutLinearRetire(s.linear));
  single = SolveAnew(&s, A, 1e-12); /* the same matrix again */
  assert_false(single);
  AbutLinearForget(s.linear);
  single = SolveAnew(&s, A, 1e-3);
  assert_true(single);
  AbutLinearCountUse(s.linear, s.linear->lag.cost + 1); /* too many iterations */
  single = SolveAnew(&s, A, 1e-12);
  assert_false(single);
  Close(&s);
  AbutTestCall(MatDestroy(&A));
  AbutTestCall(MatDestroy(&stiff));
}

/* The prediction assumes single precision, but not after two failures in a row. */
static void TestExpectedPrecision(void **state)
{
  AbutPrecision p = {.min_unknowns = 100};

  (void)state;
  AbutPrecisionForget(&p);
  assert_false(AbutPrecisionExpect(&p, 99));
  assert_true(AbutPrecisionExpect(&p, 100));
  AbutPrecisionPause(&p, 16);
  assert_true(AbutPrecisionExpect(&p, 100));
  assert_false(AbutPrecisionChoose(&p, 100));
  assert_true(AbutPrecisionChoose(&p, 100));
  AbutPrecisionPause(&p, 16);
  assert_false(AbutPrecisionExpect(&p, 100));
  AbutPrecisionForget(&p);
  assert_true(AbutPrecisionExpect(&p, 100));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestLag),         cmocka_unit_test(TestKinds),
                                     cmocka_unit_test(TestShifted),     cmocka_unit_test(TestUnknownNames),
                                     cmocka_unit_test(TestUserOptions), cmocka_unit_test(TestNaN),
                                     cmocka_unit_test(TestPrecision),   cmocka_unit_test(TestExpectedPrecision)};
  return AbutTestMain(argc, argv, tests);
}
