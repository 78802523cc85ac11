/*
  Substructuring on a slender truss, floating with little inertia or clamped at one end, with three distributions over the ranks: it is
  exact, symmetric and positive definite, detects indefinite matrices, and survives a change of the pattern. In single precision it is a
  preconditioner that reaches the same solution.
*/
#include "test.h"
#include "precondimpl.h"
#include <metis.h>

enum { NX = 72, NY = 3, NZ = 3, N = NX * NY * NZ };

typedef enum { SLABS, SCATTERED, ONE_RANK_EMPTY } Spread;

typedef struct {
  Spread    spread;
  PetscBool clamped;
  PetscInt  weak;  /* place in the bar of a vertex with a negative spring, -1 = none */
  PetscInt  extra; /* adds a coupling between the ends, as contact would */
  PetscInt  links; /* couplings of each place to far ones, which make separators and borders large */
} Truss;

/* Global number of the vertex at place k along the bar, for the chosen distribution over ranks. */
static PetscInt NumberOf(const Truss *t, PetscInt k)
{
  return t->spread == SCATTERED ? (k * 101) % N : k;
}

static PetscInt OwnedRows(const Truss *t)
{
  PetscMPIInt rank, size;
  PetscInt    sizes[16], left = N;

  assert_int_equal(MPI_Comm_rank(PETSC_COMM_WORLD, &rank), 0);
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  for (PetscMPIInt r = 0; r < size; r++) { /* uneven distribution */
    sizes[r] = r == size - 1 ? left : t->spread == ONE_RANK_EMPTY && r == 0 ? 0 : left / (size - r) - 3;
    left -= sizes[r];
  }
  return sizes[rank];
}

/* Adds the stiffness of a spring between two places to the owned ones of its two rows. */
static void AddSpring(Mat A, const Truss *t, PetscInt a, PetscInt b, const PetscReal d[3], PetscReal stiffness)
{
  const PetscReal length = PetscSqrtReal(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  const PetscInt  v[2]   = {NumberOf(t, a), NumberOf(t, b)};
  PetscInt        first, last;

  AbutTestCall(MatGetOwnershipRange(A, &first, &last));
  for (int p = 0; p < 2; p++)
    for (int q = 0; q < 2; q++) {
      const PetscBool held = (PetscBool)(t->clamped && ((p == 0 ? a : b) < NY * NZ || (q == 0 ? a : b) < NY * NZ));
      PetscScalar     block[9];
      if (v[p] * 3 < first || v[p] * 3 >= last) continue;
      for (int k = 0; k < 9; k++) block[k] = held ? 0 : (p == q ? 1 : -1) * stiffness * d[k / 3] * d[k % 3] / (length * length);
      AbutTestCall(MatSetValuesBlocked(A, 1, &v[p], 1, &v[q], block, ADD_VALUES));
    }
}

static void Locate(PetscInt k, PetscInt at[3])
{
  at[0] = k / (NY * NZ);
  at[1] = k / NZ % NY;
  at[2] = k % NZ;
}

/* Springs between all neighbours, diagonal ones included; a mass of 1e-4 of a spring. */
static Mat BuildTruss(const Truss *t)
{
  const PetscInt rows = OwnedRows(t);
  PetscInt       first;
  Mat            A;

  AbutTestCall(MatCreateAIJ(PETSC_COMM_WORLD, 3 * rows, 3 * rows, 3 * N, 3 * N, 120, NULL, 120, NULL, &A));
  AbutTestCall(MatSetBlockSize(A, 3));
  AbutTestCall(MatGetOwnershipRange(A, &first, NULL));
  for (PetscInt a = 0; a < N; a++)
    for (PetscInt b = a + 1; b < N; b++) {
      PetscInt  p[3], q[3];
      PetscReal d[3];
      Locate(a, p);
      Locate(b, q);
      for (int i = 0; i < 3; i++) d[i] = (PetscReal)(q[i] - p[i]);
      if (PetscAbsReal(d[0]) <= 1 && PetscAbsReal(d[1]) <= 1 && PetscAbsReal(d[2]) <= 1) AddSpring(A, t, a, b, d, 1);
    }
  if (t->extra) AddSpring(A, t, NY * NZ + 1, N - 2, (PetscReal[3]){0, 1, 0}, 50);
  for (PetscInt k = 0; k < N * t->links; k++)
    if (k % N != (k * 89 + 40) % N) AddSpring(A, t, k % N, (k * 89 + 40) % N, (PetscReal[3]){1, (PetscReal)(k % 5), (PetscReal)(k % 3)}, 1);
  for (PetscInt k = 0; k < N; k++) {
    const PetscInt  v    = NumberOf(t, k);
    const PetscReal mass = k == t->weak ? -100 : t->clamped && k < NY * NZ ? 1 : 1e-4;
    if (v < first / 3 || v >= first / 3 + rows) continue;
    for (PetscInt i = 0; i < 3; i++) AbutTestCall(MatSetValue(A, 3 * v + i, 3 * v + i, mass, ADD_VALUES));
  }
  AbutTestCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return A;
}

static PC Create(Mat A)
{
  PC pc;

  AbutTestCall(PCRegister("abut-substructure", AbutSubstructureCreate));
  AbutTestCall(PCCreate(PETSC_COMM_WORLD, &pc));
  AbutTestCall(PCSetType(pc, "abut-substructure"));
  AbutTestCall(PCSetOperators(pc, A, A));
  return pc;
}

static PC Prepare(Mat A)
{
  PC pc = Create(A);

  AbutTestCall(PCSetUp(pc));
  return pc;
}

/* Random values that depend on the place along the bar only, not on the distribution. */
static void Fill(const Truss *t, Vec x, uint64_t seed)
{
  PetscInt first, last;

  AbutTestCall(VecGetOwnershipRange(x, &first, &last));
  for (PetscInt k = 0; k < N; k++)
    for (PetscInt i = 0; i < 3; i++) {
      const PetscInt row = 3 * NumberOf(t, k) + i;
      PetscScalar    r   = AbutTestRandom(&seed);
      if (row >= first && row < last) AbutTestCall(VecSetValue(x, row, r, INSERT_VALUES));
    }
  AbutTestCall(VecAssemblyBegin(x));
  AbutTestCall(VecAssemblyEnd(x));
}

/* |A M x - x| / |x| and the symmetry and positivity of M. */
static void CheckExact(const Truss *t, PC pc, Mat A)
{
  Vec         x, y, mx, my, back;
  PetscScalar xmy, ymx, xmx;
  PetscReal   norm, error;

  AbutTestCall(MatCreateVecs(A, &x, &y));
  AbutTestCall(VecDuplicate(x, &mx));
  AbutTestCall(VecDuplicate(x, &my));
  AbutTestCall(VecDuplicate(x, &back));
  Fill(t, x, 1);
  Fill(t, y, 2);
  AbutTestCall(PCApply(pc, x, mx));
  AbutTestCall(PCApply(pc, y, my));
  AbutTestCall(VecDot(x, my, &xmy));
  AbutTestCall(VecDot(y, mx, &ymx));
  AbutTestCall(VecDot(x, mx, &xmx));
  AbutTestCall(MatMult(A, mx, back));
  AbutTestCall(VecAXPY(back, -1, x));
  AbutTestCall(VecNorm(back, NORM_2, &error));
  AbutTestCall(VecNorm(x, NORM_2, &norm));
  assert_true(error <= 1e-9 * norm); /* condition about 1e6 */
  assert_true(PetscAbsReal(xmy - ymx) <= 1e-9 * PetscAbsReal(xmx));
  assert_true(xmx > 0);
  AbutTestCall(VecDestroy(&x));
  AbutTestCall(VecDestroy(&y));
  AbutTestCall(VecDestroy(&mx));
  AbutTestCall(VecDestroy(&my));
  AbutTestCall(VecDestroy(&back));
}

/* Checks a factor of the floating and of the clamped truss, with each distribution. */
static void ForEachTruss(void (*check)(const Truss *t, PC pc, Mat A))
{
  for (int spread = SLABS; spread <= ONE_RANK_EMPTY; spread++)
    for (int clamped = 0; clamped < 2; clamped++) {
      const Truss t  = {(Spread)spread, (PetscBool)clamped, -1, 0};
      Mat         A  = BuildTruss(&t);
      PC          pc = Prepare(A);

      check(&t, pc, A);
      assert_true(AbutSubstructureIsDefinite(pc));
      AbutTestCall(PCDestroy(&pc));
      AbutTestCall(MatDestroy(&A));
    }
}

static void TestExact(void **state)
{
  (void)state;
  ForEachTruss(CheckExact);
}

/* Factorises again, although the values are the same: assembly gives the matrix another state. */
static void SetUpAgain(PC pc, Mat A)
{
  AbutTestCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(PCSetUp(pc));
}

/* A negative spring, in an interior or on the interface, makes every rank report an indefinite matrix. */
static void TestIndefinite(void **state)
{
  (void)state;
  for (PetscInt weak = 4; weak < N; weak += 9) {
    const Truss t  = {SLABS, PETSC_FALSE, weak, 0};
    Mat         A  = BuildTruss(&t);
    PC          pc = Prepare(A);

    assert_false(AbutSubstructureIsDefinite(pc));
    AbutSubstructureSetSingle(pc, PETSC_TRUE);
    SetUpAgain(pc, A);
    assert_false(AbutSubstructureIsDefinite(pc));
    assert_false(AbutSubstructureIsSingle(pc));
    AbutTestCall(PCDestroy(&pc));
    AbutTestCall(MatDestroy(&A));
  }
}

/* The old factor stays usable after the analysis of a new pattern, until the next set-up. */
static void TestNewPattern(void **state)
{
  const Truss    old = {SLABS, PETSC_TRUE, -1, 0}, new = {SLABS, PETSC_TRUE, -1, 1};
  AbutFactorCost cost;
  Mat            A = BuildTruss(&old), B = BuildTruss(&new);
  PC             pc = Prepare(A);

  (void)state;
  AbutTestCall(PCSetOperators(pc, B, B));
  AbutTestCall(PCSetReusePreconditioner(pc, PETSC_TRUE));
  AbutTestCall(AbutSubstructureAnalyze(pc, B, &cost));
  assert_true(cost.flops > 0 && cost.interface > 0);
  CheckExact(&old, pc, A);
  AbutTestCall(PCSetReusePreconditioner(pc, PETSC_FALSE));
  AbutTestCall(PCSetUp(pc));
  CheckExact(&new, pc, B);
  AbutTestCall(PCDestroy(&pc));
  AbutTestCall(MatDestroy(&A));
  AbutTestCall(MatDestroy(&B));
}

/* Factorises again in a precision. */
static void Refactor(PC pc, Mat A, PetscBool single)
{
  AbutSubstructureSetSingle(pc, single);
  SetUpAgain(pc, A);
  assert_true(AbutSubstructureIsDefinite(pc));
  assert_int_equal(AbutSubstructureIsSingle(pc), single);
}

/* Solves A x = b by conjugate gradients to a true relative residual of 1e-11; number of iterations. */
static PetscInt Iterate(PC pc, Mat A, Vec b, Vec x)
{
  PetscInt           iterations;
  KSPConvergedReason reason;
  KSP                ksp;

  AbutTestCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  AbutTestCall(KSPSetType(ksp, KSPCG));
  AbutTestCall(KSPSetPC(ksp, pc));
  AbutTestCall(KSPSetOperators(ksp, A, A));
  AbutTestCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  AbutTestCall(KSPSetTolerances(ksp, 1e-11, 0, PETSC_DEFAULT, 30));
  AbutTestCall(KSPSolve(ksp, b, x));
  AbutTestCall(KSPGetConvergedReason(ksp, &reason));
  AbutTestCall(KSPGetIterationNumber(ksp, &iterations));
  assert_true(reason > 0);
  AbutTestCall(KSPDestroy(&ksp));
  return iterations;
}

/* Conjugate gradients with a factor in single precision reach the solution of the factor in double precision, for all sizes of b. */
static void CheckSingle(const Truss *t, PC pc, Mat A, PetscReal scale)
{
  Vec       b, x[2];
  PetscReal norm, error;
  PetscInt  iterations;

  AbutTestCall(MatCreateVecs(A, &b, &x[0]));
  AbutTestCall(VecDuplicate(x[0], &x[1]));
  Fill(t, b, 4);
  AbutTestCall(VecScale(b, scale));
  Refactor(pc, A, PETSC_FALSE);
  AbutTestCall(PCApply(pc, b, x[0]));
  Refactor(pc, A, PETSC_TRUE);
  AbutTestCall(PCApply(pc, b, x[1]));
  AbutTestCall(VecNorm(x[0], NORM_2, &norm));
  AbutTestCall(VecAXPY(x[1], -1, x[0]));
  AbutTestCall(VecNorm(x[1], NORM_2, &error));
  assert_true(error < 0.3 * norm && error > 1e-9 * norm); /* condition about 1e6 */
  iterations = Iterate(pc, A, b, x[1]);
  assert_true(iterations > 1 && iterations < 20);
  AbutTestCall(VecAXPY(x[1], -1, x[0]));
  AbutTestCall(VecNorm(x[1], NORM_2, &error));
  assert_true(error < 1e-5 * norm);
  AbutTestCall(VecDestroy(&b));
  for (int k = 0; k < 2; k++) AbutTestCall(VecDestroy(&x[k]));
}

/* Right-hand sides beyond the range of float too; then in double precision. */
static void CheckPrecisions(const Truss *t, PC pc, Mat A)
{
  CheckSingle(t, pc, A, 1);
  if (t->spread == SCATTERED) CheckSingle(t, pc, A, 1e-60);
  if (t->spread == SCATTERED) CheckSingle(t, pc, A, 1e60);
  Refactor(pc, A, PETSC_FALSE);
  CheckExact(t, pc, A);
}

static void TestSingle(void **state)
{
  (void)state;
  ForEachTruss(CheckPrecisions);
}

/* A factorisation repeats its results bit for bit, also with the tree of ranks of an earlier pattern and without it. */
static void TestRepeats(void **state)
{
  const Truss t = {SCATTERED, PETSC_FALSE, -1, 1};
  Mat         A = BuildTruss(&t);
  Vec         b, x[2];
  PC          pc[2] = {Prepare(A), Prepare(A)};
  PetscBool   same;

  (void)state;
  AbutTestCall(MatCreateVecs(A, &b, &x[0]));
  AbutTestCall(VecDuplicate(x[0], &x[1]));
  Fill(&t, b, 3);
  for (int repeat = 0; repeat < 6; repeat++) {
    for (int k = 0; k < 2; k++) AbutTestCall(PCApply(pc[k], b, x[k]));
    AbutTestCall(VecEqual(x[0], x[1], &same));
    assert_true(same);
    if (repeat == 2) Refactor(pc[1], A, PETSC_TRUE);
    AbutSubstructureForget(pc[0]);
    if (repeat == 3) Refactor(pc[0], A, PETSC_FALSE); /* arrays of both precisions in turn */
    Refactor(pc[0], A, (PetscBool)(repeat >= 2));
  }
  for (int k = 0; k < 2; k++) {
    AbutTestCall(PCDestroy(&pc[k]));
    AbutTestCall(VecDestroy(&x[k]));
  }
  AbutTestCall(VecDestroy(&b));
  AbutTestCall(MatDestroy(&A));
}

/* The mapping of the truss serves the pattern with a further coupling; both predictions divide the work among all ranks. */
static void TestBalance(void **state)
{
  AbutFactorCost before, kept, renewed, single;
  const Truss    old = {SCATTERED, PETSC_TRUE, -1, 0}, new = {SCATTERED, PETSC_TRUE, -1, 1};
  Mat            A = BuildTruss(&old), B = BuildTruss(&new);
  PC             pc = Prepare(A);
  PetscMPIInt    size;

  (void)state;
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  AbutTestCall(AbutSubstructureAnalyze(pc, A, &before));
  AbutTestCall(AbutSubstructureAnalyze(pc, B, &kept));
  AbutSubstructureForget(pc);
  AbutTestCall(AbutSubstructureAnalyze(pc, B, &renewed));
  print_message("largest share of the work over the mean: %g\n", (double)(before.flops_max * size / before.flops));
  assert_true(before.flops_max * size <= 2 * before.flops);
  assert_true(before.flops_max <= before.path && before.path < before.flops);
  assert_true(kept.path <= 1.3 * before.path || kept.path == renewed.path);
  assert_true(before.bytes_max * size <= 2 * before.bytes);
  assert_true(before.array_bytes <= before.bytes_max);
  AbutSubstructureSetSingle(pc, PETSC_TRUE);
  AbutTestCall(AbutSubstructureAnalyze(pc, B, &single));
  assert_true(single.bytes == renewed.bytes / 2 && single.path == renewed.path);
  AbutTestCall(PCDestroy(&pc));
  AbutTestCall(MatDestroy(&A));
  AbutTestCall(MatDestroy(&B));
}

/* Exact with borders of several block columns, which are in arrays of their own. */
static void TestLargeBorders(void **state)
{
  const Truss    t  = {SCATTERED, PETSC_FALSE, -1, 0, 2};
  Mat            A  = BuildTruss(&t);
  PC             pc = Prepare(A);
  AbutFactorCost cost;

  (void)state;
  CheckPrecisions(&t, pc, A);
  AbutTestCall(AbutSubstructureAnalyze(pc, A, &cost));
  assert_true(cost.interface > 3 * 64);
  assert_true(cost.array_bytes <= 0.5 * cost.bytes_max);
  AbutTestCall(PCDestroy(&pc));
  AbutTestCall(MatDestroy(&A));
}

/* Exact if only one, two or three ranks get vertices; no work is given to the others. */
static void TestFewRanks(void **state)
{
  const Truss t = {SCATTERED, PETSC_TRUE, -1, 0};
  Mat         A = BuildTruss(&t);
  PetscMPIInt size;

  (void)state;
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  for (int active = 1; active <= 3; active++) {
    PC             pc = Create(A);
    AbutFactorCost cost;

    AbutSubstructureSetLeast(pc, 3 * N / active);
    AbutTestCall(AbutSubstructureAnalyze(pc, A, &cost));
    AbutTestCall(PCSetUp(pc));
    assert_true(cost.flops <= (1 + 1e-12) * PetscMin(active, size) * cost.flops_max);
    if (active == 1) assert_int_equal(cost.interface, 0);
    CheckExact(&t, pc, A);
    AbutTestCall(PCDestroy(&pc));
  }
  AbutTestCall(MatDestroy(&A));
}

/* More couplings than the integers of METIS can count are an error before memory is accessed. */
static void TestTooManyCouplings(void **state)
{
  const PetscInt ptr[2] = {0, IDX_MAX};
  PetscInt       order;
  PetscErrorCode code;

  (void)state;
  AbutTestCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = AbutOrderingDissect(1, ptr, NULL, &order);
  AbutTestCall(PetscPopErrorHandler());
  assert_int_equal(code, PETSC_ERR_SUP);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(TestExact),    cmocka_unit_test(TestIndefinite),   cmocka_unit_test(TestNewPattern),
    cmocka_unit_test(TestRepeats),  cmocka_unit_test(TestSingle),       cmocka_unit_test(TestBalance),
    cmocka_unit_test(TestFewRanks), cmocka_unit_test(TestLargeBorders), cmocka_unit_test(TestTooManyCouplings)};
  return AbutTestMain(argc, argv, tests);
}
