/*
  AbutLinear on a chain of springs: lagged factors and their statistics, matrices that are not definite, precision of factors, names of
  solvers, failures.
*/
#include "test.h"
#include "linearimpl.h"
#include <abut/petsc_versions.h>

enum { OWNED = 400, DIM = 2 };

static const PetscReal rest[OWNED * DIM];

/* Stiffness of a chain: 2 + `mass` on the diagonal, -1 beside it; row `weak` has -4 on the diagonal, -1 = none. */
static Mat BuildChain(PetscReal mass, PetscInt weak)
{
  PetscInt first, last, size;
  Mat      A;

  AbutTestCall(
    MatCreateAIJ(PETSC_COMM_WORLD, OWNED * DIM, OWNED * DIM, PETSC_DETERMINE, PETSC_DETERMINE, 3 * DIM, NULL, 3 * DIM, NULL, &A));
  AbutTestCall(MatSetBlockSize(A, DIM));
  AbutTestCall(MatGetOwnershipRange(A, &first, &last));
  AbutTestCall(MatGetSize(A, &size, NULL));
  for (PetscInt v = first / DIM; v < last / DIM; v++)
    for (PetscInt w = PetscMax(v - 1, 0); w <= PetscMin(v + 1, size / DIM - 1); w++) {
      const PetscReal   d           = v == w ? (v * DIM == weak ? -4 : 2 + mass) : -1;
      const PetscScalar block[2][2] = {{d, 0}, {0, d}};
      AbutTestCall(MatSetValuesBlocked(A, 1, &v, 1, &w, block[0], INSERT_VALUES));
    }
  AbutTestCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return A;
}

typedef struct {
  KSP        ksp;
  AbutLinear linear;
} Solver;

static Solver Open(Mat A)
{
  Solver s;

  AbutTestCall(KSPCreate(PETSC_COMM_WORLD, &s.ksp));
  AbutTestCall(AbutLinearCreate(s.ksp, DIM, OWNED, rest, &s.linear));
  AbutTestCall(AbutLinearSetFromOptions(s.linear));
  s.linear->lag.min_unknowns       = 0;
  s.linear->precision.min_unknowns = PETSC_MAX_INT; /* double precision */
  AbutTestCall(AbutLinearSetPattern(s.linear, A));
  return s;
}

static void Close(Solver *s)
{
  AbutTestCall(AbutLinearDestroy(&s->linear));
  AbutTestCall(KSPDestroy(&s->ksp));
}

/* Solves for a right-hand side of ones; error: |A x - b| / |b|. */
static AbutLinearResult Solve(Solver *s, Mat A, PetscReal *error)
{
  AbutLinearResult result;
  PetscReal        norm;
  Vec              b, x, r;

  AbutTestCall(MatCreateVecs(A, &x, &b));
  AbutTestCall(VecDuplicate(b, &r));
  AbutTestCall(VecSet(b, 1));
  AbutTestCall(VecNorm(b, NORM_2, &norm));
  AbutTestCall(AbutLinearSolve(s->linear, b, x));
  AbutTestCall(AbutLinearGetResult(s->linear, &result));
  AbutTestCall(MatMult(A, x, r));
  AbutTestCall(VecAXPY(r, -1, b));
  AbutTestCall(VecNorm(r, NORM_2, error));
  *error /= norm;
  AbutTestCall(VecDestroy(&b));
  AbutTestCall(VecDestroy(&x));
  AbutTestCall(VecDestroy(&r));
  return result;
}

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

  AbutLinearRetire(s.linear); /* the first pause has length 0, the next one length 1 */
  lag = AbutLinearMayLag(s.linear);
  assert_true(lag);
  AbutLinearRetire(s.linear);
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

/* Solves with the automatic choice for a rate of factorisations, a bound of memory and a least size; expects this solver on all ranks. */
static void ExpectChoice(const char rate[], const char memory[], const char least[], AbutLinearKind expected)
{
  Mat         A = BuildChain(0.1, -1);
  Solver      s;
  PetscBool   definite, may_lag;
  PetscMPIInt kinds[2];
  PetscReal   error;

  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_rate_dense", rate));
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
    may_lag = AbutLinearMayLag(s.linear); /* a factor serves for the next pattern */
    assert_int_equal(may_lag, expected == ABUT_LINEAR_DIRECT && pattern != 1);
  }
  Close(&s);
  AbutTestCall(MatDestroy(&A));
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_rate_dense"));
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
  use[ABUT_LINEAR_DIRECT].setups = 1e6; /* as if counted */
  AbutTestCall(AbutLinearSetPattern(s.linear, A));
  assert_int_not_equal(s.linear->choice.kind, ABUT_LINEAR_DIRECT);
  use[ABUT_LINEAR_DIRECT].setups = 1e-6;
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
  Close(&s);
  AbutTestCall(MatDestroy(&A));
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_iterative_min_unknowns"));
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_single_min_unknowns"));
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
  AbutLinearRetire(s.linear);
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

/* Sets up the Schwarz method and solves for a residual; whether the factor of this rank's subdomain is in single precision. */
static PetscBool SolveSchwarz(Solver *s, Mat A, PetscInt *iterations)
{
  AbutLinearResult result;
  PetscBool        definite;
  PetscReal        error;
  KSP             *inner;
  PC               pc, sub;

  AbutTestCall(AbutLinearSetUp(s->linear, A, PETSC_FALSE, &definite));
  assert_true(definite);
  result = Solve(s, A, &error);
  assert_true(result.solved && error < 2e-2);
  *iterations = result.iterations;
  AbutLinearCountUse(s->linear, 100);
  AbutTestCall(KSPGetPC(s->ksp, &pc));
  AbutTestCall(PCASMGetSubKSP(pc, NULL, NULL, &inner));
  AbutTestCall(KSPGetPC(inner[0], &sub));
  return AbutFactorIsSingle(sub);
}

/* Subdomains of the Schwarz method are factorised in single precision, whatever the number of iterations, until a solution fails. */
static void TestSchwarzPrecision(void **state)
{
  Mat       A = BuildChain(0.1, -1), stiff = BuildChain(0.1, -1);
  Solver    s;
  PetscInt  first, iterations[3];
  PetscBool single;

  (void)state;
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_linear", "schwarz"));
  s = Open(A);
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_linear"));
  single = SolveSchwarz(&s, A, &iterations[0]);
  assert_false(single);
  s.linear->precision.min_unknowns = 0;
  for (int repeat = 0; repeat < 2; repeat++) {
    single = SolveSchwarz(&s, A, &iterations[1]);
    assert_true(single);
    assert_int_equal(iterations[0], iterations[1]);
  }
  assert_true(AbutLinearMayImprove(s.linear));
  AbutLinearRetire(s.linear);
  single = SolveSchwarz(&s, A, &iterations[1]);
  assert_false(single);
  Stiffen(stiff);
  AbutTestCall(AbutLinearSetPattern(s.linear, stiff));
  AbutTestCall(MatGetOwnershipRange(A, &first, NULL));
  single = SolveSchwarz(&s, stiff, &iterations[2]);
  assert_int_equal(single, first > 0); /* in double precision only the subdomain whose factor fails in single precision */
  Close(&s);
  AbutTestCall(MatDestroy(&A));
  AbutTestCall(MatDestroy(&stiff));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestLag),
                                     cmocka_unit_test(TestKinds),
                                     cmocka_unit_test(TestChoice),
                                     cmocka_unit_test(TestShifted),
                                     cmocka_unit_test(TestUnknownNames),
                                     cmocka_unit_test(TestUserOptions),
                                     cmocka_unit_test(TestNaN),
                                     cmocka_unit_test(TestPrecision),
                                     cmocka_unit_test(TestExpectedPrecision),
                                     cmocka_unit_test(TestSchwarzPrecision),
                                     cmocka_unit_test(TestCountedUses)};
  return AbutTestMain(argc, argv, tests);
}
