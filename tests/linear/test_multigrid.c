/* Multigrid on two cubes of springs with stiff contacts between them: iterations, levels, kept aggregates, ranks without vertices. */
#include "test.h"
#include "aggregates.h"
#include "linearimpl.h"

enum { SIDE = 8, LAYERS = 2 * SIDE, N = SIDE * SIDE * LAYERS, DIM = 3 };

/* Indices of a vertex. The last one, which counts layers, changes first: each rank has vertices of both cubes. */
static void GetIndices(PetscInt v, PetscInt at[DIM])
{
  at[2] = v % LAYERS;
  at[1] = v / LAYERS % SIDE;
  at[0] = v / (LAYERS * SIDE);
}

/* Position of a vertex; half of the layers belong to each cube, with a gap of 0.1 between the cubes. */
static void Place(PetscInt v, PetscReal x[DIM])
{
  PetscInt at[DIM];

  GetIndices(v, at);
  for (int i = 0; i < DIM; i++) x[i] = (PetscReal)at[i];
  if (at[2] >= SIDE) x[2] -= 0.9;
}

/* First vertex of a rank. With three ranks or more the last one has none. */
static PetscInt FirstVertex(PetscMPIInt rank, PetscMPIInt size)
{
  const PetscMPIInt owners = size > 2 ? size - 1 : size;

  return N * PetscMin(rank, owners) / owners;
}

/* Adds stiffness * d d^T, d the direction from v to w, to the rows of v. */
static void AddSpring(Mat A, PetscInt v, PetscInt w, PetscReal stiffness)
{
  PetscReal   x[2][DIM], d[DIM], length2 = 0;
  PetscScalar block[2][DIM * DIM];

  Place(v, x[0]);
  Place(w, x[1]);
  for (int i = 0; i < DIM; i++) d[i] = x[1][i] - x[0][i], length2 += d[i] * d[i];
  for (int i = 0; i < DIM; i++)
    for (int j = 0; j < DIM; j++) {
      block[0][i * DIM + j] = stiffness * d[i] * d[j] / length2;
      block[1][i * DIM + j] = -block[0][i * DIM + j];
    }
  AbutTestCall(MatSetValuesBlocked(A, 1, &v, 1, &v, block[0], ADD_VALUES));
  AbutTestCall(MatSetValuesBlocked(A, 1, &v, 1, &w, block[1], ADD_VALUES));
}

/* Springs to the neighbours of a vertex in its cube, and from the faces between the cubes to the other cube. */
static void AddVertex(Mat A, PetscInt v, PetscReal contact)
{
  const PetscReal mass[DIM * DIM] = {1e-3, 0, 0, 0, 1e-3, 0, 0, 0, 1e-3};
  PetscInt        at[DIM];

  GetIndices(v, at);
  AbutTestCall(MatSetValuesBlocked(A, 1, &v, 1, &v, mass, ADD_VALUES));
  for (PetscInt k = 0; k < 27; k++) {
    const PetscInt to[DIM] = {at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1};
    const PetscInt w       = (to[0] * SIDE + to[1]) * LAYERS + to[2];
    if (k == 13 || to[0] < 0 || to[0] >= SIDE || to[1] < 0 || to[1] >= SIDE || to[2] < 0 || to[2] >= LAYERS) continue;
    if (at[2] / SIDE == to[2] / SIDE) AddSpring(A, v, w, 1);
    if (at[2] / SIDE != to[2] / SIDE && k % 9 == 4) AddSpring(A, v, w, contact);
  }
}

static Mat Build(PetscReal contact)
{
  PetscMPIInt rank, size;
  PetscInt    first, last;
  Mat         A;

  assert_int_equal(MPI_Comm_rank(PETSC_COMM_WORLD, &rank), 0);
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  first = FirstVertex(rank, size);
  last  = FirstVertex(rank + 1, size);
  AbutTestCall(MatCreateAIJ(PETSC_COMM_WORLD, (last - first) * DIM, (last - first) * DIM, PETSC_DETERMINE, PETSC_DETERMINE, 27 * DIM, NULL,
                            27 * DIM, NULL, &A));
  AbutTestCall(MatSetBlockSize(A, DIM));
  for (PetscInt v = first; v < last; v++) AddVertex(A, v, contact);
  AbutTestCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  return A;
}

typedef struct {
  PetscReal *rest;
  KSP        ksp;
  AbutLinear linear;
} Solver;

/* Opens multigrid with aggregates of the given size and a coarsest level of at most `coarse` unknowns. */
static Solver Open(Mat A, const char aggregate[], const char coarse[])
{
  const char *const options[][2] = {
    {"-abut_linear", "multigrid"}, {"-abut_multigrid_aggregate", aggregate}, {"-abut_multigrid_coarse", coarse}};
  PetscInt first, last;
  Solver   s;

  AbutTestCall(MatGetOwnershipRange(A, &first, &last));
  AbutTestCall(PetscMalloc1(last - first, &s.rest));
  for (PetscInt v = first / DIM; v < last / DIM; v++) Place(v, s.rest + v * DIM - first);
  for (int k = 0; k < 3; k++) AbutTestCall(PetscOptionsSetValue(NULL, options[k][0], options[k][1]));
  AbutTestCall(KSPCreate(PETSC_COMM_WORLD, &s.ksp));
  AbutTestCall(AbutLinearCreate(s.ksp, DIM, (last - first) / DIM, s.rest, &s.linear));
  AbutTestCall(AbutLinearSetFromOptions(s.linear));
  for (int k = 0; k < 3; k++) AbutTestCall(PetscOptionsClearValue(NULL, options[k][0]));
  AbutTestCall(AbutLinearSetPattern(s.linear, A));
  return s;
}

static void Close(Solver *s)
{
  AbutTestCall(AbutLinearDestroy(&s->linear));
  AbutTestCall(KSPDestroy(&s->ksp));
  AbutTestCall(PetscFree(s->rest));
}

/* Sets up and solves A x = b for loads of different directions; returns the iterations. The true residual must be 1e-3. x may be NULL. */
static PetscInt Solve(Solver *s, Mat A, Vec x)
{
  AbutLinearResult result;
  PetscBool        definite;
  PetscReal        norm, error;
  PetscInt         first, last;
  Vec              b, own, r;

  AbutTestCall(MatCreateVecs(A, &own, &b));
  AbutTestCall(VecDuplicate(b, &r));
  AbutTestCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; i++) AbutTestCall(VecSetValue(b, i, (PetscReal)(i * 37 % 11) - 5 + (i % DIM == 2), INSERT_VALUES));
  AbutTestCall(VecAssemblyBegin(b));
  AbutTestCall(VecAssemblyEnd(b));
  AbutTestCall(AbutLinearSetUp(s->linear, A, PETSC_FALSE, &definite));
  assert_true(definite);
  AbutTestCall(AbutLinearSolve(s->linear, b, own));
  AbutTestCall(AbutLinearGetResult(s->linear, &result));
  assert_true(result.solved);
  AbutTestCall(MatMult(A, own, r));
  AbutTestCall(VecAYPX(r, -1, b));
  AbutTestCall(VecNorm(r, NORM_2, &error));
  AbutTestCall(VecNorm(b, NORM_2, &norm));
  assert_true(error <= 1.01e-3 * norm);
  if (x) AbutTestCall(VecCopy(own, x));
  AbutTestCall(VecDestroy(&b));
  AbutTestCall(VecDestroy(&own));
  AbutTestCall(VecDestroy(&r));
  return result.iterations;
}

/* The number of iterations does not grow with the stiffness of contacts. */
static void StiffContacts(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    const PetscReal contact[]  = {1, 1e3, 1e6};
    Mat             A          = Build(contact[k]);
    Solver          s          = Open(A, "100", "20000");
    const PetscInt  iterations = Solve(&s, A, NULL);

    print_message("contact stiffness %g: %ld iterations\n", contact[k], (long)iterations);
    assert_in_range(iterations, 2, 20);
    Close(&s);
    AbutTestCall(MatDestroy(&A));
  }
}

/* Several levels of small aggregates. */
static void ManyLevels(void **state)
{
  Mat            A          = Build(1e3);
  Solver         s          = Open(A, "5", "50");
  const PetscInt iterations = Solve(&s, A, NULL);
  PetscInt       levels;
  PC             pc;

  (void)state;
  AbutTestCall(KSPGetPC(s.ksp, &pc));
  AbutTestCall(PCMGGetLevels(AbutMultigridCycle(pc), &levels));
  assert_in_range(levels, 3, 12);
  assert_in_range(iterations, 2, 60);
  Close(&s);
  AbutTestCall(MatDestroy(&A));
}

/* New values in the same pattern: the interpolation stays, matrices of all levels are new. */
static void NewValues(void **state)
{
  Mat       A = Build(1e3), interpolation[2];
  Solver    s = Open(A, "100", "20000");
  PetscInt  iterations[2];
  PetscReal error, norm;
  PC        pc;
  Vec       x[2];

  (void)state;
  AbutTestCall(MatCreateVecs(A, &x[0], &x[1]));
  AbutTestCall(KSPGetPC(s.ksp, &pc));
  for (int k = 0; k < 2; k++) {
    if (k == 1) AbutTestCall(MatScale(A, 4));
    iterations[k] = Solve(&s, A, x[k]);
    AbutTestCall(PCMGGetInterpolation(AbutMultigridCycle(pc), 1, &interpolation[k]));
  }
  assert_true(interpolation[0] == interpolation[1]);
  assert_int_equal(iterations[0], iterations[1]);
  AbutTestCall(VecNorm(x[0], NORM_2, &norm));
  AbutTestCall(VecAXPY(x[0], -4, x[1]));
  AbutTestCall(VecNorm(x[0], NORM_2, &error));
  assert_true(error < 1e-10 * norm);
  AbutTestCall(VecDestroy(&x[0]));
  AbutTestCall(VecDestroy(&x[1]));
  Close(&s);
  AbutTestCall(MatDestroy(&A));
}

/* Translations and rotations of the owned vertices, which depend on the rank through their positions only. */
static PetscScalar *CreateModes(Mat A)
{
  PetscInt     first, last, n;
  PetscScalar *modes;

  AbutTestCall(MatGetOwnershipRange(A, &first, &last));
  n = last - first;
  AbutTestCall(PetscCalloc1(6 * n, &modes));
  for (PetscInt v = 0; v < n / DIM; v++) {
    PetscReal x[DIM];
    Place(first / DIM + v, x);
    for (int j = 0; j < DIM; j++) {
      modes[j * n + v * DIM + j]                     = 1;
      modes[(DIM + j) * n + v * DIM + j]             = -x[(j + 1) % DIM];
      modes[(DIM + j) * n + v * DIM + (j + 1) % DIM] = x[j];
    }
  }
  return modes;
}

/* Largest difference between the modes and their interpolation from the coarse modes on this rank. */
static PetscReal ModeError(const Interpolation *p, const PetscScalar modes[])
{
  const PetscScalar *values;
  PetscReal          error = 0;
  PetscInt           rows, columns;
  Vec                coarse, fine;

  AbutTestCall(MatCreateVecs(p->P, &coarse, &fine));
  AbutTestCall(VecGetLocalSize(coarse, &columns));
  AbutTestCall(VecGetLocalSize(fine, &rows));
  for (int j = 0; j < 6; j++) {
    AbutTestCall(VecPlaceArray(coarse, p->modes + j * columns));
    AbutTestCall(MatMult(p->P, coarse, fine));
    AbutTestCall(VecResetArray(coarse));
    AbutTestCall(VecGetArrayRead(fine, &values));
    for (PetscInt i = 0; i < rows; i++) error = PetscMax(error, PetscAbsScalar(values[i] - modes[j * rows + i]));
    AbutTestCall(VecRestoreArrayRead(fine, &values));
  }
  AbutTestCall(VecDestroy(&coarse));
  AbutTestCall(VecDestroy(&fine));
  return error;
}

/* Largest difference between P^T P and the unit matrix; the diagonal is 0 for unused unknowns. */
static PetscReal OrthonormalError(const Interpolation *p)
{
  PetscReal error;
  PetscInt  first;
  Mat       product;

  AbutTestCall(MatTransposeMatMult(p->P, p->P, MAT_INITIAL_MATRIX, 2, &product));
  AbutTestCall(MatGetOwnershipRange(product, &first, NULL));
  for (PetscInt k = 0; k < p->num_unused; k++)
    AbutTestCall(MatSetValue(product, first + p->unused[k], first + p->unused[k], 1, INSERT_VALUES));
  AbutTestCall(MatAssemblyBegin(product, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatAssemblyEnd(product, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatShift(product, -1));
  AbutTestCall(MatNorm(product, NORM_INFINITY, &error));
  AbutTestCall(MatDestroy(&product));
  return error;
}

/* Interpolation reproduces rigid-body modes and is orthonormal, also from aggregates of one vertex. */
static void InterpolatesModes(void **state)
{
  Mat          A     = Build(1e3);
  PetscScalar *modes = CreateModes(A);

  (void)state;
  for (PetscInt size = 1; size <= 16; size *= 4) {
    Aggregates    a;
    Interpolation p;
    AbutTestCall(AggregatesCreate(A, size, &a));
    AbutTestCall(InterpolationCreate(A, &a, 6, modes, &p));
    if (size == 1) assert_true(p.num_unused >= 3 * (2 * a.num - a.n)); /* all but a.n - a.num aggregates have one vertex */
    assert_true(ModeError(&p, modes) < 1e-12);
    assert_true(OrthonormalError(&p) < 1e-12);
    AbutTestCall(InterpolationDestroy(&p));
    AbutTestCall(AggregatesDestroy(&a));
  }
  AbutTestCall(PetscFree(modes));
  AbutTestCall(MatDestroy(&A));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(StiffContacts), cmocka_unit_test(ManyLevels), cmocka_unit_test(NewValues),
                                     cmocka_unit_test(InterpolatesModes)};
  return AbutTestMain(argc, argv, tests);
}
