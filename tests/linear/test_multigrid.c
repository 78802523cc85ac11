/* Multigrid on two cubes of springs with stiff contacts: iterations, levels, kept aggregates, fixed vertices, ranks without vertices. */
#include "test.h"
#include "aggregates.h"
#include "linearimpl.h"
#include "mapping.h"

enum { SIDE = 8, LAYERS = 2 * SIDE, N = SIDE * SIDE * LAYERS, DIM = 3 };

/* Order of the vertices. ACROSS: each rank has vertices of both cubes. ALONG: ranks begin at contacts, if an even number has vertices. */
typedef enum { ACROSS, ALONG } Order;
static Order       order;
static const char *tolerance = "1e-3"; /* of solutions */

/* Number of a vertex: with ACROSS the last index, which counts layers, changes first; with ALONG it changes last. */
static PetscInt GetNumber(const PetscInt at[DIM])
{
  return order == ACROSS ? (at[0] * SIDE + at[1]) * LAYERS + at[2] : (at[2] * SIDE + at[0]) * SIDE + at[1];
}

/* Inverse of GetNumber(). */
static void GetIndices(PetscInt v, PetscInt at[DIM])
{
  const PetscInt column = order == ACROSS ? v / LAYERS : v % (SIDE * SIDE);

  at[0] = column / SIDE;
  at[1] = column % SIDE;
  at[2] = order == ACROSS ? v % LAYERS : v / (SIDE * SIDE);
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
    const PetscInt w       = GetNumber(to);
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

/* Opens multigrid with aggregates of the given size and a coarsest level of at most `coarse` unknowns; aggregate NULL: a factorisation. */
static Solver Open(Mat A, const char aggregate[], const char coarse[])
{
  const char *const options[][2] = {{"-abut_linear", aggregate ? "multigrid" : "direct"},
                                    {"-abut_forcing", tolerance},
                                    {"-abut_cg_rtol", tolerance},
                                    {"-abut_multigrid_aggregate", aggregate ? aggregate : "100"},
                                    {"-abut_multigrid_coarse", coarse}};
  PetscInt          first, last;
  Solver            s;

  AbutTestCall(MatGetOwnershipRange(A, &first, &last));
  AbutTestCall(PetscMalloc1(last - first, &s.rest));
  for (PetscInt v = first / DIM; v < last / DIM; v++) Place(v, s.rest + v * DIM - first);
  for (int k = 0; k < 5; k++) AbutTestCall(PetscOptionsSetValue(NULL, options[k][0], options[k][1]));
  AbutTestCall(KSPCreate(PETSC_COMM_WORLD, &s.ksp));
  AbutTestCall(AbutLinearCreate(s.ksp, DIM, (last - first) / DIM, s.rest, &s.linear));
  AbutTestCall(AbutLinearSetFromOptions(s.linear));
  for (int k = 0; k < 5; k++) AbutTestCall(PetscOptionsClearValue(NULL, options[k][0]));
  AbutTestCall(AbutLinearSetPattern(s.linear, A));
  return s;
}

static void Close(Solver *s)
{
  AbutTestCall(AbutLinearDestroy(&s->linear));
  AbutTestCall(KSPDestroy(&s->ksp));
  AbutTestCall(PetscFree(s->rest));
}

/* Loads of different directions. */
static void SetLoads(Vec b)
{
  PetscInt first, last;

  AbutTestCall(VecGetOwnershipRange(b, &first, &last));
  for (PetscInt i = first; i < last; i++) AbutTestCall(VecSetValue(b, i, (PetscReal)(i * 37 % 11) - 5 + (i % DIM == 2), INSERT_VALUES));
  AbutTestCall(VecAssemblyBegin(b));
  AbutTestCall(VecAssemblyEnd(b));
}

/* Sets up and solves A x = b for loads of different directions; returns the iterations. The true residual must be 1e-3. x may be NULL. */
static PetscInt Solve(Solver *s, Mat A, Vec x)
{
  AbutLinearResult result;
  PetscBool        definite;
  PetscReal        norm, error;
  Vec              b, own, r;

  AbutTestCall(MatCreateVecs(A, &own, &b));
  AbutTestCall(VecDuplicate(b, &r));
  SetLoads(b);
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

/* The number of iterations does not grow with the stiffness of contacts, also if the distribution of the matrix cuts the contacts. */
static void StiffContacts(void **state)
{
  (void)state;
  for (order = ACROSS; order <= ALONG; order++)
    for (int k = 0; k < 3; k++) {
      const PetscReal contact[]  = {1, 1e3, 1e6};
      Mat             A          = Build(contact[k]);
      Solver          s          = Open(A, "100", "20000");
      const PetscInt  iterations = Solve(&s, A, NULL);

      print_message("order %d, contact stiffness %g: %ld iterations\n", (int)order, contact[k], (long)iterations);
      assert_in_range(iterations, 2, 20);
      Close(&s);
      AbutTestCall(MatDestroy(&A));
    }
  order = ACROSS;
}

/* Several levels of small aggregates. */
static void ManyLevels(void **state)
{
  Mat      A = Build(1e3);
  Solver   s = Open(A, "5", "50");
  PetscInt levels;
  PC       pc;

  (void)state;
  assert_in_range(Solve(&s, A, NULL), 2, 60);
  AbutTestCall(KSPGetPC(s.ksp, &pc));
  AbutTestCall(PCMGGetLevels(AbutMultigridCycle(pc), &levels));
  assert_in_range(levels, 3, 12);
  Close(&s);
  AbutTestCall(MatDestroy(&A));
}

/* Fixes vertices at every other edge of a face: their rows and columns become rows and columns of the unit matrix. Collective. */
static void FixVertices(Mat A)
{
  PetscInt first, last, num = 0, rows[SIDE * LAYERS * DIM];

  AbutTestCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < PetscMin(last, SIDE * LAYERS * DIM); row++)
    if (row / (LAYERS * DIM) % 2 == 0) rows[num++] = row;
  AbutTestCall(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  AbutTestCall(MatZeroRowsColumns(A, num, rows, 1, NULL, NULL));
}

/* Number of rows that are 0 except for round-off. Collective. */
static PetscInt CountEmptyRows(Mat P)
{
  const PetscScalar *largest;
  PetscInt           n, num = 0;
  Vec                v;

  AbutTestCall(MatCreateVecs(P, NULL, &v));
  AbutTestCall(MatGetRowMaxAbs(P, v, NULL));
  AbutTestCall(VecGetLocalSize(v, &n));
  AbutTestCall(VecGetArrayRead(v, &largest));
  for (PetscInt i = 0; i < n; i++) num += PetscAbsScalar(largest[i]) < 1e-12;
  AbutTestCall(VecRestoreArrayRead(v, &largest));
  AbutTestCall(VecDestroy(&v));
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &num, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  return num;
}

/* Fixed vertices do not move with the aggregates that contain them, also if they become fixed without a change of the pattern. */
static void FixedVertices(void **state)
{
  Mat    A = Build(1e3), P;
  Solver s = Open(A, "100", "20000");
  PC     pc;

  (void)state;
  assert_in_range(Solve(&s, A, NULL), 2, 20);
  FixVertices(A);
  assert_in_range(Solve(&s, A, NULL), 2, 20);
  AbutTestCall(KSPGetPC(s.ksp, &pc));
  AbutTestCall(PCMGGetInterpolation(AbutMultigridCycle(pc), 1, &P));
  assert_int_equal(CountEmptyRows(P), SIDE / 2 * LAYERS * DIM);
  Close(&s);
  AbutTestCall(MatDestroy(&A));
}

/* New values in the same pattern: the interpolation stays, matrices of all levels are new. */
static void CheckNewValues(void)
{
  Mat       A = Build(1e3), interpolation[2];
  Solver    s = Open(A, "100", "20000");
  PetscInt  iterations[2];
  PetscReal error, norm;
  PC        pc;
  Vec       x[2];

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

static void NewValues(void **state)
{
  (void)state;
  for (order = ACROSS; order <= ALONG; order++) CheckNewValues();
  order = ACROSS;
}

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

/* Vertices of each rank after a mapping; [size], freed by the caller. */
static PetscInt *CountVertices(Mat A, const Mapping *mapping)
{
  PetscMPIInt size;
  PetscInt    first, last, *count;

  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  AbutTestCall(MatGetOwnershipRange(A, &first, &last));
  AbutTestCall(PetscCalloc1(size, &count));
  for (PetscInt v = 0; v < (last - first) / DIM; v++) {
    assert_in_range(mapping->rank[v], 0, size - 1);
    count[mapping->rank[v]]++;
  }
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, count, size, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  return count;
}

/* Number of contacts between different ranks after a mapping. */
static PetscInt CountCutContacts(Mat A, const Mapping *mapping)
{
  PetscInt  first, last, cut = 0;
  PetscInt *rank;

  AbutTestCall(MatGetOwnershipRange(A, &first, &last));
  AbutTestCall(PetscCalloc1(N, &rank));
  AbutTestCall(PetscArraycpy(rank + first / DIM, mapping->rank, (last - first) / DIM));
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, rank, N, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  for (PetscInt i = 0; i < SIDE * SIDE; i++) {
    const PetscInt below[DIM] = {i / SIDE, i % SIDE, SIDE - 1}, above[DIM] = {i / SIDE, i % SIDE, SIDE};
    cut += rank[GetNumber(below)] != rank[GetNumber(above)];
  }
  AbutTestCall(PetscFree(rank));
  return cut;
}

/* Where the matrix is cut at all contacts, parts cut none and have equal numbers of vertices. A matrix with weak cuts stays. */
static void PartsKeepContacts(void **state)
{
  Mat         A;
  Mapping    *mapping;
  PetscInt   *count;
  PetscMPIInt size;

  (void)state;
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  if ((size > 2 ? size - 1 : size) % 2 != 0) return; /* no rank begins at the contacts */
  order = ALONG;
  A     = Build(1e3);
  AbutTestCall(MappingCreateParts(A, 100, &mapping));
  assert_non_null(mapping);
  assert_int_equal(CountCutContacts(A, mapping), 0);
  count = CountVertices(A, mapping);
  for (PetscMPIInt r = 0; r < size; r++) assert_in_range(count[r], N * 9 / (10 * size), N * 11 / (10 * size));
  AbutTestCall(PetscFree(count));
  AbutTestCall(MappingDestroy(&mapping));
  AbutTestCall(MatDestroy(&A));
  if (size == 2) { /* each rank has one cube */
    A = Build(1e-6);
    AbutTestCall(MappingCreateParts(A, 100, &mapping));
    assert_null(mapping);
    AbutTestCall(MatDestroy(&A));
  }
  order = ACROSS;
}

/* With too few vertices for all ranks some ranks get none. */
static void FewVertices(void **state)
{
  Mat         A;
  Mapping    *mapping;
  PetscInt   *count, used = 0;
  PetscMPIInt size;

  (void)state;
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  if (size == 1) return;
  A = Build(1);
  AbutTestCall(MappingCreateParts(A, N, &mapping));
  assert_non_null(mapping);
  count = CountVertices(A, mapping);
  for (PetscMPIInt r = 0; r < size; r++) used += count[r] > 0;
  assert_int_equal(used, 1);
  AbutTestCall(PetscFree(count));
  AbutTestCall(MappingDestroy(&mapping));
  AbutTestCall(MatDestroy(&A));
}

/* Multigrid and a factorisation have the same solution, whichever ranks own the vertices. */
static void AgreesWithFactorisation(void **state)
{
  Vec       x[2];
  PetscReal error, norm;

  (void)state;
  for (order = ACROSS; order <= ALONG; order++) {
    Mat A = Build(1e3);
    AbutTestCall(MatCreateVecs(A, &x[0], &x[1]));
    for (int k = 0; k < 2; k++) {
      Solver s;
      tolerance = "1e-11";
      s         = Open(A, k == 0 ? "100" : NULL, "20000");
      (void)Solve(&s, A, x[k]);
      Close(&s);
      tolerance = "1e-3";
    }
    AbutTestCall(VecNorm(x[0], NORM_2, &norm));
    AbutTestCall(VecAXPY(x[0], -1, x[1]));
    AbutTestCall(VecNorm(x[0], NORM_2, &error));
    assert_true(error < 1e-8 * norm);
    AbutTestCall(VecDestroy(&x[0]));
    AbutTestCall(VecDestroy(&x[1]));
    AbutTestCall(MatDestroy(&A));
  }
  order = ACROSS;
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(StiffContacts),     cmocka_unit_test(ManyLevels),
                                     cmocka_unit_test(FixedVertices),     cmocka_unit_test(NewValues),
                                     cmocka_unit_test(OldIntervals),      cmocka_unit_test(Indefinite),
                                     cmocka_unit_test(InterpolatesModes), cmocka_unit_test(PartsKeepContacts),
                                     cmocka_unit_test(FewVertices),       cmocka_unit_test(AgreesWithFactorisation)};
  return AbutTestMain(argc, argv, tests);
}
