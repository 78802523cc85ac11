/*
  A PETSc program that solves a system with the preconditioners of abut: two springs at each vertex of a square grid, one unknown for each
  direction.

    mpicc solve.c $(pkg-config --cflags --libs abut-sparse) -o solve
    ./solve -ksp_type preonly -pc_type abut-cholesky
    mpiexec -n 4 ./solve -ksp_type cg -pc_type abut-multigrid
*/
#include <abut/precond.h>

enum { SIDE = 60, BLOCK = 2 };

/* Block row of a vertex: springs to its neighbours, and to the ground. All entries of a block are stored, zeros too. */
static PetscErrorCode AddVertex(Mat A, PetscInt v)
{
  static const PetscInt step[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  const PetscScalar     own[4] = {4.01, 0, 0, 4.01}, spring[4] = {-1, 0, 0, -1};

  PetscFunctionBeginUser;
  PetscCall(MatSetValuesBlocked(A, 1, &v, 1, &v, own, INSERT_VALUES));
  for (int k = 0; k < 4; k++) {
    const PetscInt i = v / SIDE + step[k][0], j = v % SIDE + step[k][1], w = SIDE * i + j;
    if (i >= 0 && i < SIDE && j >= 0 && j < SIDE) PetscCall(MatSetValuesBlocked(A, 1, &v, 1, &w, spring, INSERT_VALUES));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateMatrix(Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, BLOCK * SIDE * SIDE, BLOCK * SIDE * SIDE));
  PetscCall(MatSetBlockSize(*A, BLOCK));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt v = begin / BLOCK; v < end / BLOCK; v++) PetscCall(AddVertex(*A, v));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  PetscInt  iterations;
  PetscReal norm;
  Mat       A;
  Vec       x, b;
  KSP       ksp;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(AbutPrecondRegister());
  PetscCall(CreateMatrix(&A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(VecScale(b, -1));
  PetscCall(MatMultAdd(A, x, b, b));
  PetscCall(VecNorm(b, NORM_INFINITY, &norm));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " iterations, residual %.1e\n", iterations, (double)norm));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  return (int)PetscFinalize();
}
