/*
  Cholesky factor on one rank of a random sparse matrix with blocks: accuracy, scale of right-hand sides, entries out of the range
  of float, indefinite matrices, new patterns with the earlier elimination order.
*/
#include "test.h"
#include "factor.h"
#include <math.h>

enum { N = 400, BS = 3, LINKS = 40 };

/* Springs between block rows v and v + 1, v + 20 and, if `links`, from vertex 0 to LINKS vertices; mass on the diagonal. */
static Mat Build(PetscReal mass, PetscBool links)
{
  static const PetscInt steps[] = {1, 20};
  Mat                   A;

  AbutTestCall(MatCreateSeqBAIJ(PETSC_COMM_SELF, BS, N * BS, N * BS, N, NULL, &A));
  for (PetscInt v = 0; v < N; v++)
    for (size_t k = 0; k < 3; k++) {
      const PetscInt    w             = k < 2 ? v + steps[k] : (v * 10) % N;
      const PetscInt    pair[2]       = {k < 2 ? v : 0, w};
      const PetscReal   d[BS]         = {1, 0.3 * (PetscReal)(v % 7), 0.2 * (PetscReal)(k + 1)};
      const PetscScalar none[BS * BS] = {mass, 0, 0, 0, mass, 0, 0, 0, mass};
      if (k == 0) AbutTestCall(MatSetValuesBlocked(A, 1, &v, 1, &v, none, ADD_VALUES));
      if (w >= N || w == pair[0] || (k == 2 && (!links || v >= LINKS))) continue;
      for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
          PetscScalar block[BS * BS];
          for (int i = 0; i < BS * BS; i++) block[i] = (a == b ? 1 : -1) * d[i / BS] * d[i % BS];
          AbutTestCall(MatSetValuesBlocked(A, 1, &pair[a], 1, &pair[b], block, ADD_VALUES));
        }
    }
  AbutTestCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatConvert(A, MATSEQAIJ, MAT_INPLACE_MATRIX, &A));
  return A;
}

/* Symbolic (if `analyze`) and numerical factorisation of A. */
static PetscBool Factorise(Mat A, PetscBool analyze, PetscBool renew, Factor **single)
{
  const PetscInt    *ia, *ja;
  const PetscScalar *values;
  PetscInt           n;
  PetscBool          done, definite;

  AbutTestCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  AbutTestCall(MatSeqAIJGetArrayRead(A, &values));
  if (analyze) AbutTestCall(FactorAnalyze(N, BS, ia, ja, renew, single));
  AbutTestCall(FactorCompute(*single, PETSC_TRUE, ia, ja, values, &definite));
  AbutTestCall(MatSeqAIJRestoreArrayRead(A, &values));
  AbutTestCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  return definite;
}

/* |A x - b| / |b| for entries of b of size `scale`. */
static PetscReal Residual(Factor *single, Mat A, PetscReal scale)
{
  const PetscScalar *in;
  PetscScalar       *out;
  PetscReal          norm, error;
  Vec                b, x, r;

  AbutTestCall(MatCreateVecs(A, &x, &b));
  AbutTestCall(VecDuplicate(b, &r));
  for (PetscInt i = 0; i < N * BS; i++) AbutTestCall(VecSetValue(b, i, scale * (PetscReal)(i % 13 - 6), INSERT_VALUES));
  AbutTestCall(VecAssemblyBegin(b));
  AbutTestCall(VecAssemblyEnd(b));
  AbutTestCall(VecGetArrayRead(b, &in));
  AbutTestCall(VecGetArrayWrite(x, &out));
  FactorSolve(single, in, out);
  AbutTestCall(VecRestoreArrayWrite(x, &out));
  AbutTestCall(VecRestoreArrayRead(b, &in));
  AbutTestCall(MatMult(A, x, r));
  AbutTestCall(VecAXPY(r, -1, b));
  AbutTestCall(VecNorm(r, NORM_INFINITY, &error));
  AbutTestCall(VecNorm(b, NORM_INFINITY, &norm));
  AbutTestCall(VecDestroy(&b));
  AbutTestCall(VecDestroy(&x));
  AbutTestCall(VecDestroy(&r));
  return error / norm;
}

/* Solutions have the error of single precision, for right-hand sides beyond the range of float too. */
static void TestAccuracy(void **state)
{
  Mat       A      = Build(0.1, PETSC_FALSE);
  Factor   *single = NULL;
  PetscBool definite;
  PetscReal error;

  (void)state;
  definite = Factorise(A, PETSC_TRUE, PETSC_FALSE, &single);
  assert_true(definite);
  for (PetscReal scale = 1e-60; scale < 1e61; scale *= 1e60) {
    error = Residual(single, A, scale);
    assert_true(error < 1e-4);
    assert_true(error > 1e-12);
  }
  AbutTestCall(FactorDestroy(&single));
  AbutTestCall(MatDestroy(&A));
}

/* The same factor in double precision, and in either precision after the other. */
static void TestPrecisions(void **state)
{
  Mat                A      = Build(0.1, PETSC_FALSE);
  Factor            *factor = NULL;
  const PetscInt    *ia, *ja;
  const PetscScalar *values;
  PetscInt           n;
  PetscBool          done, definite;

  (void)state;
  AbutTestCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  AbutTestCall(MatSeqAIJGetArrayRead(A, &values));
  AbutTestCall(FactorAnalyze(N, BS, ia, ja, PETSC_FALSE, &factor));
  for (int k = 0; k < 4; k++) {
    AbutTestCall(FactorCompute(factor, (PetscBool)(k % 2), ia, ja, values, &definite));
    assert_true(definite);
    assert_true((Residual(factor, A, 1) > 1e-12) == k % 2);
  }
  AbutTestCall(MatSeqAIJRestoreArrayRead(A, &values));
  AbutTestCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  AbutTestCall(FactorDestroy(&factor));
  AbutTestCall(MatDestroy(&A));
}

/* Negative pivots, and entries that float cannot store, are reported. */
static void TestBreakdown(void **state)
{
  static const PetscReal scale[] = {-1, 1e-50, 1e50};

  (void)state;
  for (size_t k = 0; k < sizeof(scale) / sizeof(scale[0]); k++) {
    Mat       A      = Build(0.1, PETSC_FALSE);
    Factor   *single = NULL;
    PetscBool definite;
    AbutTestCall(MatScale(A, scale[k]));
    definite = Factorise(A, PETSC_TRUE, PETSC_FALSE, &single);
    assert_false(definite && Residual(single, A, 1) < 1); /* entries too large: infinite pivots may pass, and make the solution NaN */
    if (k < 2) assert_false(definite);
    AbutTestCall(FactorDestroy(&single));
    AbutTestCall(MatDestroy(&A));
  }
}

static PetscReal LeastPivot(const Factor *single, Mat A)
{
  const PetscInt    *ia, *ja;
  const PetscScalar *values;
  PetscInt           n;
  PetscBool          done;
  PetscReal          least;

  AbutTestCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  AbutTestCall(MatSeqAIJGetArrayRead(A, &values));
  AbutTestCall(FactorLeastPivot(single, ia, ja, values, &least));
  AbutTestCall(MatSeqAIJRestoreArrayRead(A, &values));
  AbutTestCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  return least;
}

/* Rows and columns times powers of two change pivots and diagonal entries by the same factors, without round-off. */
static void TestScaledPivots(void **state)
{
  Mat          A      = Build(0.1, PETSC_FALSE);
  Factor      *single = NULL;
  PetscBool    definite;
  PetscReal    least;
  PetscScalar *factors;
  Vec          scale;

  (void)state;
  definite = Factorise(A, PETSC_TRUE, PETSC_FALSE, &single);
  least    = LeastPivot(single, A);
  assert_true(definite && least > 1e-3 && least < 0.5);
  AbutTestCall(MatCreateVecs(A, &scale, NULL));
  AbutTestCall(VecGetArrayWrite(scale, &factors));
  for (int i = 0; i < N * BS; i++) factors[i] = ldexp(1, i * 7 % 13);
  AbutTestCall(VecRestoreArrayWrite(scale, &factors));
  AbutTestCall(MatDiagonalScale(A, scale, scale));
  definite = Factorise(A, PETSC_FALSE, PETSC_FALSE, &single);
  assert_true(definite && fabs(LeastPivot(single, A) - least) < 1e-5 * least);
  AbutTestCall(VecDestroy(&scale));
  AbutTestCall(FactorDestroy(&single));
  AbutTestCall(MatDestroy(&A));
}

/* Two unit masses with a stiff spring between them: the second pivot is 2 - 1 / (1 + stiffness). */
static void TestLeastPivot(void **state)
{
  static const PetscInt  ia[] = {0, 2, 4}, ja[] = {0, 1, 0, 1};
  static const PetscReal stiffness[] = {0, 1, 1e3, 1e5};

  (void)state;
  for (size_t k = 0; k < sizeof(stiffness) / sizeof(stiffness[0]); k++) {
    const PetscReal   s = stiffness[k], ratio = (2 - 1 / (1 + s)) / (1 + s);
    const PetscScalar values[] = {1 + s, -s, -s, 1 + s};
    Factor           *single   = NULL;
    PetscBool         definite;
    PetscReal         least;
    AbutTestCall(FactorAnalyze(2, 1, ia, ja, PETSC_FALSE, &single));
    AbutTestCall(FactorCompute(single, PETSC_TRUE, ia, ja, values, &definite));
    AbutTestCall(FactorLeastPivot(single, ia, ja, values, &least));
    assert_true(definite);
    assert_true(fabs(least - ratio) < 3e-7); /* a few round-offs of the diagonal entry */
    AbutTestCall(FactorDestroy(&single));
  }
}

/* A pivot that is clearly negative makes a matrix indefinite; one that round-off or underflow may have changed does not. */
static void TestIndefinite(void **state)
{
  static const PetscInt  ia[] = {0, 2, 4}, ja[] = {0, 1, 0, 1};
  static const PetscReal coupling[] = {2, 1.001, 1 + 1e-8, 1}, size[] = {1, 1, 1, 1e-50};

  (void)state;
  for (size_t k = 0; k < sizeof(coupling) / sizeof(coupling[0]); k++) {
    const PetscReal   s        = size[k];
    const PetscScalar values[] = {s, -s * coupling[k], -s * coupling[k], s};
    Factor           *single   = NULL;
    PetscBool         definite, indefinite;
    AbutTestCall(FactorAnalyze(2, 1, ia, ja, PETSC_FALSE, &single));
    AbutTestCall(FactorCompute(single, PETSC_TRUE, ia, ja, values, &definite));
    AbutTestCall(FactorIsIndefinite(single, ia, ja, values, &indefinite));
    assert_true(!definite && indefinite == (k < 2));
    AbutTestCall(FactorDestroy(&single));
  }
}

/* A new pattern with more couplings: the elimination order serves again, unless it may not or fill grows; the solution is right. A factor
   of equal size takes the memory of the last one. */
static void TestPatterns(void **state)
{
  Mat       A = Build(0.1, PETSC_FALSE), linked = Build(0.1, PETSC_TRUE);
  Factor   *single = NULL, *fresh = NULL;
  PetscReal flops, error;
  PetscBool definite;
  void     *memory;

  (void)state;
  definite = Factorise(A, PETSC_TRUE, PETSC_FALSE, &single);
  assert_true(definite);
  flops    = single->fronts->flops;
  memory   = single->fronts->values;
  definite = Factorise(A, PETSC_TRUE, PETSC_FALSE, &single);
  assert_true(definite && single->fronts->flops <= flops && single->fronts->values == memory);
  definite = Factorise(linked, PETSC_TRUE, PETSC_FALSE, &single);
  assert_true(definite);
  error = Residual(single, linked, 1);
  assert_true(error < 1e-4);
  definite = Factorise(linked, PETSC_TRUE, PETSC_TRUE, &single);
  assert_true(definite && Factorise(linked, PETSC_TRUE, PETSC_FALSE, &fresh));
  assert_true(single->fronts->flops == fresh->fronts->flops); /* as without earlier patterns */
  definite = Factorise(A, PETSC_TRUE, PETSC_FALSE, &single);
  error    = Residual(single, A, 1);
  assert_true(definite && error < 1e-4);
  AbutTestCall(FactorDestroy(&single));
  AbutTestCall(FactorDestroy(&fresh));
  AbutTestCall(MatDestroy(&A));
  AbutTestCall(MatDestroy(&linked));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestAccuracy),   cmocka_unit_test(TestPrecisions), cmocka_unit_test(TestBreakdown),
                                     cmocka_unit_test(TestLeastPivot), cmocka_unit_test(TestIndefinite), cmocka_unit_test(TestScaledPivots),
                                     cmocka_unit_test(TestPatterns)};
  return AbutTestMain(argc, argv, tests);
}
