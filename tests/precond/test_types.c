/* The preconditioners as a PETSc program uses them, by options alone: README.md of src/sparse. */
#include "test.h"
#include <abut/precond.h>

enum { SIDE = 20, BLOCK = 2 };

/*
  Laplacian of a square grid for each unknown of a vertex, with fixed ends. dense: zeros of the blocks are stored, except in row `gap` the
  zero that couples it to the line of vertices before.
*/
static Mat Laplacian(PetscBool dense, PetscInt gap)
{
  static const int next[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  PetscInt         begin, end;
  Mat              A;

  AbutTestCall(MatCreate(PETSC_COMM_WORLD, &A));
  AbutTestCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, BLOCK * SIDE * SIDE, BLOCK * SIDE * SIDE));
  AbutTestCall(MatSetBlockSize(A, BLOCK));
  AbutTestCall(MatSetType(A, MATAIJ));
  AbutTestCall(MatSetUp(A));
  AbutTestCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt row = begin; row < end; row++) {
    const PetscInt v = row / BLOCK, i = v / SIDE, j = v % SIDE;
    for (int k = 0; k < BLOCK; k++)
      if (dense || k == row % BLOCK) AbutTestCall(MatSetValue(A, row, BLOCK * v + k, k == row % BLOCK ? 4.01 : 0, INSERT_VALUES));
    for (int k = 0; k < 4; k++) {
      const PetscInt a = i + next[k][0], b = j + next[k][1];
      for (int l = 0; l < BLOCK && a >= 0 && a < SIDE && b >= 0 && b < SIDE; l++)
        if ((dense && (row != gap || k > 0)) || l == row % BLOCK)
          AbutTestCall(MatSetValue(A, row, BLOCK * (SIDE * a + b) + l, l == row % BLOCK ? -1 : 0, INSERT_VALUES));
    }
  }
  AbutTestCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return A;
}

/* Translations of all vertices. */
static void SetNearNullSpace(Mat A)
{
  Vec          modes[BLOCK];
  MatNullSpace space;

  for (int k = 0; k < BLOCK; k++) {
    AbutTestCall(MatCreateVecs(A, &modes[k], NULL));
    AbutTestCall(VecSetBlockSize(modes[k], BLOCK));
    AbutTestCall(VecStrideSet(modes[k], k, 1));
    AbutTestCall(VecNormalize(modes[k], NULL));
  }
  AbutTestCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, BLOCK, modes, &space));
  AbutTestCall(MatSetNearNullSpace(A, space));
  AbutTestCall(MatNullSpaceDestroy(&space));
  for (int k = 0; k < BLOCK; k++) AbutTestCall(VecDestroy(&modes[k]));
}

/* Iterations to a relative residual of 1e-8 with the options. coarse: unknowns of the coarsest level of multigrid; 0: no multigrid. */
static PetscInt Solve(Mat A, PetscInt coarse, const char options[])
{
  PetscInt  iterations;
  PetscReal norm[2];
  Vec       x, b;
  KSP       ksp;
  PC        pc;

  AbutTestCall(PetscOptionsInsertString(NULL, options));
  AbutTestCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  AbutTestCall(KSPSetOperators(ksp, A, A));
  AbutTestCall(KSPSetTolerances(ksp, 1e-8, 0, PETSC_DEFAULT, 500));
  AbutTestCall(KSPSetFromOptions(ksp));
  AbutTestCall(KSPGetPC(ksp, &pc));
  if (coarse) AbutMultigridSetSizes(pc, 16, coarse);
  AbutTestCall(MatCreateVecs(A, &x, &b));
  AbutTestCall(VecSet(b, 1));
  AbutTestCall(KSPSolve(ksp, b, x));
  AbutTestCall(KSPGetIterationNumber(ksp, &iterations));
  AbutTestCall(VecNorm(b, NORM_2, &norm[0]));
  AbutTestCall(VecScale(b, -1));
  AbutTestCall(MatMultAdd(A, x, b, b));
  AbutTestCall(VecNorm(b, NORM_2, &norm[1]));
  assert_true(norm[1] < 1e-6 * norm[0]);
  if (coarse) {
    PetscInt levels;
    AbutTestCall(PCMGGetLevels(AbutMultigridCycle(pc), &levels));
    assert_true(levels > 1);
  }
  AbutTestCall(KSPDestroy(&ksp));
  AbutTestCall(VecDestroy(&x));
  AbutTestCall(VecDestroy(&b));
  AbutTestCall(PetscOptionsClear(NULL));
  return iterations;
}

static void EachType(void **state)
{
  PetscInt    none;
  PetscMPIInt size;
  Mat         A = Laplacian(PETSC_TRUE, -1);

  (void)state;
  AbutTestCall(AbutPrecondRegister());
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  SetNearNullSpace(A);
  none = Solve(A, 0, "-ksp_type cg -pc_type none");
  if (size == 1) assert_int_equal(Solve(A, 0, "-ksp_type preonly -pc_type abut-cholesky"), 1);
  if (size > 1) assert_int_equal(Solve(A, 0, "-ksp_type preonly -pc_type abut-substructure"), 1);
  assert_true(Solve(A, 0, "-ksp_type cg -pc_type asm -pc_asm_type basic -sub_pc_type abut-cholesky") < none);
  assert_true(Solve(A, 100, "-ksp_type cg -pc_type abut-multigrid") < none / 2);
  AbutTestCall(MatDestroy(&A));
}

/* Blocks that lack entries, which "abut-cholesky" factorises entry by entry. */
static void SparseBlocks(void **state)
{
  Mat A = Laplacian(PETSC_FALSE, -1);

  (void)state;
  AbutTestCall(AbutPrecondRegister());
  assert_true(Solve(A, 0, "-ksp_type cg -pc_type bjacobi -sub_pc_type abut-cholesky") < 60);
  AbutTestCall(MatDestroy(&A));
}

/* PCSetUp() refuses blocks that lack entries, on all ranks alike. row: first one of the first such block. */
static void ExpectRefused(Mat A, PetscInt row)
{
  static const char *const types[] = {"abut-substructure", "abut-multigrid"};

  for (int k = 0; k < 2; k++) {
    char message[256];
    PC   pc;
    AbutTestCall(PetscSNPrintf(message, sizeof(message),
                               "%s needs all entries of each 2 x 2 block of the matrix, zeros too: a block of rows %" PetscInt_FMT
                               " to %" PetscInt_FMT " lacks some",
                               types[k], row, row + BLOCK - 1));
    AbutTestCall(PCCreate(PETSC_COMM_WORLD, &pc));
    AbutTestCall(PCSetType(pc, types[k]));
    AbutTestCall(PCSetOperators(pc, A, A));
    assert_int_equal(PCSetUp(pc), PETSC_ERR_SUP);
    assert_non_null(strstr(AbutErrorMessage(), message));
    AbutErrorClear();
    AbutTestCall(PCDestroy(&pc));
  }
}

/* All blocks lack entries; one entry is missing, on several ranks in a column of another rank. */
static void RefusedBlocks(void **state)
{
  const PetscInt *ranges;
  PetscInt        row;
  PetscMPIInt     size;
  Mat             A = Laplacian(PETSC_FALSE, -1);

  (void)state;
  AbutTestCall(AbutPrecondRegister());
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  ExpectRefused(A, 0);
  AbutTestCall(MatGetOwnershipRanges(A, &ranges));
  row = PetscMax(ranges[size - 1], BLOCK * SIDE);
  AbutTestCall(MatDestroy(&A));
  A = Laplacian(PETSC_TRUE, row + 1);
  ExpectRefused(A, row);
  AbutTestCall(MatDestroy(&A));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(EachType), cmocka_unit_test(SparseBlocks), cmocka_unit_test(RefusedBlocks)};
  return AbutTestMain(argc, argv, tests);
}
