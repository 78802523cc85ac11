/* The matrix equals one assembled by MatSetValues(), on any number of ranks, with rebuilt and with reused patterns. */
#include "test.h"
#include <abut/linalg.h>
#include <string.h>

enum { OWNED = 23, FIXED = 20, DYNAMIC = 15, LARGE = 6, MOST = 20 }; /* LARGE stencils of 5, 8, ... 20 vertices */

typedef struct {
  PetscInt  dim, first, total;
  PetscInt  fixed[FIXED][4], dynamic[DYNAMIC][4];
  PetscInt  start[LARGE + 1], large[LARGE * MOST];
  PetscReal fixed_H[FIXED][144], dynamic_H[DYNAMIC][144], large_H[LARGE][9 * MOST * MOST], diagonal[OWNED][3];
} Problem;

static void RandomStencil(uint64_t *seed, PetscInt total, PetscInt n, PetscInt v[4])
{
  for (PetscInt a = 0; a < 4; a++) v[a] = -1;
  for (PetscInt a = 0; a < n; a++) {
    PetscBool fresh;
    do {
      v[a]  = (PetscInt)((AbutTestRandom(seed) + 1) / 2 * total);
      fresh = PETSC_TRUE;
      for (PetscInt b = 0; b < a; b++) fresh = (PetscBool)(fresh && v[b] != v[a]);
    } while (!fresh);
  }
}

static void RandomSymmetric(uint64_t *seed, PetscInt n, PetscReal H[])
{
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j <= i; j++) H[i * n + j] = H[j * n + i] = AbutTestRandom(seed);
}

/* The problem of the rank that is `ahead` places after this one, in a circle. */
static void MakeProblem(PetscInt dim, uint64_t seed, int ahead, Problem *p)
{
  PetscMPIInt rank, size;

  assert_int_equal(MPI_Comm_rank(PETSC_COMM_WORLD, &rank), 0);
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  rank = (rank + ahead) % size;
  seed += 977 * (uint64_t)rank;
  p->dim   = dim;
  p->first = OWNED * rank;
  p->total = OWNED * size;
  for (int s = 0; s < FIXED; s++) {
    RandomStencil(&seed, p->total, dim + 1, p->fixed[s]);
    RandomSymmetric(&seed, (dim + 1) * dim, p->fixed_H[s]);
  }
  for (int s = 0; s < DYNAMIC; s++) {
    RandomStencil(&seed, p->total, 2 + s % 3, p->dynamic[s]);
    RandomSymmetric(&seed, (2 + s % 3) * dim, p->dynamic_H[s]);
  }
  for (int s = 0; s < LARGE; s++) { /* with repeated vertices */
    const PetscInt n = 5 + 3 * s;
    p->start[s + 1]  = p->start[s] + n;
    for (PetscInt a = 0; a < n; a++) p->large[p->start[s] + a] = (PetscInt)((AbutTestRandom(&seed) + 1) / 2 * (PetscReal)p->total);
    p->large[p->start[s] + n - 1] = p->large[p->start[s]];
    RandomSymmetric(&seed, n * dim, p->large_H[s]);
  }
  for (int r = 0; r < OWNED; r++)
    for (int i = 0; i < 3; i++) p->diagonal[r][i] = AbutTestRandom(&seed);
}

/* Returns the number of stencils of this rank that are left out because of a restriction. */
static int Assemble(const Problem *p, AbutAssembler as, const PetscBool constrained[])
{
  int left_out = 0;

  AbutTestCall(AbutAssemblerBegin(as));
  for (int s = 0; s < FIXED; s++) AbutAssemblerAddFixed(as, s, 1, p->fixed_H[s]);
  for (int s = 0; s < DYNAMIC; s++) {
    if (AbutAssemblerNeeds(as, 2 + s % 3, p->dynamic[s]))
      AbutTestCall(AbutAssemblerAdd(as, 2 + s % 3, p->dynamic[s], p->dynamic_H[s]));
    else
      left_out++;
  }
  for (int s = 0; s < LARGE; s++) AbutTestCall(AbutAssemblerAdd(as, 5 + 3 * s, p->large + p->start[s], p->large_H[s]));
  for (int r = 0; r < OWNED; r++) AbutAssemblerAddDiagonal(as, r, p->diagonal[r]);
  AbutTestCall(AbutAssemblerEnd(as, constrained));
  return left_out;
}

static Mat AssembleByPetsc(const Problem *p, const PetscBool constrained[])
{
  const PetscInt n = OWNED * p->dim;
  Mat            A;
  PetscInt       rows[OWNED * 3], count = 0;

  AbutTestCall(MatCreate(PETSC_COMM_WORLD, &A));
  AbutTestCall(MatSetSizes(A, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  AbutTestCall(MatSetType(A, MATAIJ));
  AbutTestCall(MatSetBlockSize(A, p->dim));
  AbutTestCall(MatSetUp(A));
  AbutTestCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (int s = 0; s < FIXED; s++)
    AbutTestCall(MatSetValuesBlocked(A, p->dim + 1, p->fixed[s], p->dim + 1, p->fixed[s], p->fixed_H[s], ADD_VALUES));
  for (int s = 0; s < DYNAMIC; s++)
    AbutTestCall(MatSetValuesBlocked(A, 2 + s % 3, p->dynamic[s], 2 + s % 3, p->dynamic[s], p->dynamic_H[s], ADD_VALUES));
  for (int s = 0; s < LARGE; s++) {
    const PetscInt *v = p->large + p->start[s], m = 5 + 3 * s;
    AbutTestCall(MatSetValuesBlocked(A, m, v, m, v, p->large_H[s], ADD_VALUES));
  }
  for (PetscInt r = 0; r < OWNED; r++)
    for (PetscInt i = 0; i < p->dim; i++) {
      const PetscInt row = (p->first + r) * p->dim + i;
      AbutTestCall(MatSetValue(A, row, row, p->diagonal[r][i], ADD_VALUES));
    }
  AbutTestCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  for (PetscInt k = 0; k < n; k++)
    if (constrained[k]) rows[count++] = p->first * p->dim + k;
  AbutTestCall(MatZeroRowsColumns(A, count, rows, 1, NULL, NULL));
  return A;
}

static void CheckEqual(AbutAssembler as, Mat expected)
{
  Mat       A, difference;
  PetscReal norm, scale;

  A = AbutAssemblerGetMat(as);
  AbutTestCall(MatDuplicate(expected, MAT_COPY_VALUES, &difference));
  AbutTestCall(MatAXPY(difference, -1, A, DIFFERENT_NONZERO_PATTERN));
  AbutTestCall(MatNorm(difference, NORM_FROBENIUS, &norm));
  AbutTestCall(MatNorm(expected, NORM_FROBENIUS, &scale));
  assert_true(scale > 1);
  if (!(norm <= 1e-14 * scale)) fail_msg("matrices differ by %g of %g", (double)norm, (double)scale);
  AbutTestCall(MatDestroy(&difference));
}

static void TestDimension(PetscInt dim)
{
  static Problem p;
  AbutAssembler  as;
  PetscBool      constrained[OWNED * 3], rebuilt;
  PetscInt       fixed[FIXED * 4];

  MakeProblem(dim, 5, 0, &p);
  for (PetscInt k = 0; k < OWNED * 3; k++) constrained[k] = (PetscBool)(k % 5 == 2);
  for (int s = 0; s < FIXED; s++)
    for (int a = 0; a <= dim; a++) fixed[s * (dim + 1) + a] = p.fixed[s][a];
  AbutTestCall(AbutAssemblerCreate(PETSC_COMM_WORLD, dim, OWNED, &as));
  AbutTestCall(AbutAssemblerSetFixed(as, dim + 1, FIXED, fixed));
  for (int round = 0; round < 3; round++) { /* 0: new pattern, 1: same pattern, 2: other stencils, which need another pattern */
    Mat             expected;
    AbutStencilList needed[2] = {{DYNAMIC, NULL, p.dynamic[0]}, {LARGE, p.start, p.large}};
    if (round == 2) MakeProblem(dim, 5000, 0, &p);
    if (round == 2)
      for (int s = 0; s < FIXED; s++)
        for (int a = 0; a <= dim; a++) p.fixed[s][a] = fixed[s * (dim + 1) + a];
    AbutTestCall(AbutAssemblerUpdatePattern(as, 2, needed, NULL, &rebuilt));
    assert_int_equal(rebuilt, round != 1);
    Assemble(&p, as, constrained);
    expected = AssembleByPetsc(&p, constrained);
    CheckEqual(as, expected);
    AbutTestCall(MatDestroy(&expected));
  }
  AbutTestCall(AbutAssemblerDestroy(&as));
}

static void TestAssembly2D(void **state)
{
  (void)state;
  TestDimension(2);
}

static void TestAssembly3D(void **state)
{
  (void)state;
  TestDimension(3);
}

/* Stencils that move to another rank leave the matrix and its pattern as they are. */
static void TestMovedStencils(void **state)
{
  static Problem  p, moved;
  AbutAssembler   as;
  PetscBool       constrained[OWNED * 3] = {PETSC_FALSE}, rebuilt;
  PetscInt        fixed[FIXED * 4];
  AbutStencilList needed[2] = {{DYNAMIC, NULL, p.dynamic[0]}, {LARGE, p.start, p.large}};
  Mat             expected, before;

  (void)state;
  MakeProblem(3, 5, 0, &p);
  for (int k = 0; k < 4 * FIXED; k++) fixed[k] = p.fixed[k / 4][k % 4];
  AbutTestCall(AbutAssemblerCreate(PETSC_COMM_WORLD, 3, OWNED, &as));
  AbutTestCall(AbutAssemblerSetFixed(as, 4, FIXED, fixed));
  AbutTestCall(AbutAssemblerUpdatePattern(as, 2, needed, NULL, &rebuilt));
  expected = AssembleByPetsc(&p, constrained);
  before   = AbutAssemblerGetMat(as);
  for (int ahead = 1; ahead < 4; ahead++) {
    MakeProblem(3, 5, ahead, &moved);
    memcpy(p.dynamic, moved.dynamic, sizeof(p.dynamic));
    memcpy(p.dynamic_H, moved.dynamic_H, sizeof(p.dynamic_H));
    memcpy(p.large, moved.large, sizeof(p.large));
    memcpy(p.large_H, moved.large_H, sizeof(p.large_H));
    AbutTestCall(AbutAssemblerUpdatePattern(as, 2, needed, NULL, &rebuilt));
    assert_false(rebuilt);
    assert_ptr_equal(AbutAssemblerGetMat(as), before);
    Assemble(&p, as, constrained);
    CheckEqual(as, expected);
  }
  AbutTestCall(MatDestroy(&expected));
  AbutTestCall(AbutAssemblerDestroy(&as));
}

/* Whether the block rows of this rank equal the expected ones: those with rows[r], or all others. */
static PetscBool RowsAreEqual(AbutAssembler as, Mat expected, PetscInt dim, const PetscBool rows[], PetscBool wanted)
{
  PetscInt    first;
  PetscMPIInt equal = 1;
  Mat         difference;

  AbutTestCall(MatDuplicate(expected, MAT_COPY_VALUES, &difference));
  AbutTestCall(MatAXPY(difference, -1, AbutAssemblerGetMat(as), DIFFERENT_NONZERO_PATTERN));
  AbutTestCall(MatGetOwnershipRange(difference, &first, NULL));
  for (PetscInt i = 0; i < dim * OWNED; i++) {
    const PetscScalar *value;
    PetscInt           n;
    if (rows[i / dim] != wanted) continue;
    AbutTestCall(MatGetRow(difference, first + i, &n, NULL, &value));
    for (PetscInt k = 0; k < n; k++) equal = equal && PetscAbsScalar(value[k]) < 1e-12;
    AbutTestCall(MatRestoreRow(difference, first + i, &n, NULL, &value));
  }
  AbutTestCall(MatDestroy(&difference));
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &equal, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD), 0);
  return (PetscBool)equal;
}

/* A restricted assembly is complete in its rows, whatever they held before; an assembly of all rows after it is complete. */
static void TestRestriction(void **state)
{
  static Problem  p, other;
  AbutAssembler   as;
  PetscBool       constrained[OWNED * 3], rows[OWNED];
  PetscInt        fixed[FIXED * 4];
  PetscMPIInt     size;
  AbutStencilList needed[2] = {{DYNAMIC, NULL, p.dynamic[0]}, {LARGE, p.start, p.large}};
  Mat             expected;
  int             left_out;

  (void)state;
  MakeProblem(3, 5, 0, &p);
  for (PetscInt k = 0; k < OWNED * 3; k++) constrained[k] = (PetscBool)(k % 5 == 2);
  for (PetscInt r = 0; r < OWNED; r++) rows[r] = (PetscBool)(r % 4 == 1);
  for (int k = 0; k < 4 * FIXED; k++) fixed[k] = p.fixed[k / 4][k % 4];
  AbutTestCall(AbutAssemblerCreate(PETSC_COMM_WORLD, 3, OWNED, &as));
  AbutTestCall(AbutAssemblerSetFixed(as, 4, FIXED, fixed));
  AbutTestCall(AbutAssemblerUpdatePattern(as, 2, needed, NULL, NULL));
  assert_int_equal(Assemble(&p, as, constrained), 0);
  other = p; /* other values in the same pattern */
  for (int s = 0; s < FIXED; s++)
    for (int k = 0; k < 144; k++) other.fixed_H[s][k] *= 3;
  for (int r = 0; r < OWNED; r++) other.diagonal[r][0] += 1;
  expected = AssembleByPetsc(&other, constrained);
  AbutAssemblerRestrict(as, rows);
  left_out = Assemble(&other, as, constrained);
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  assert_true(size > 1 || left_out > 0);
  assert_true(RowsAreEqual(as, expected, 3, rows, PETSC_TRUE));
  assert_false(RowsAreEqual(as, expected, 3, rows, PETSC_FALSE));
  AbutAssemblerRestrict(as, NULL);
  assert_int_equal(Assemble(&other, as, constrained), 0);
  CheckEqual(as, expected);
  AbutTestCall(MatDestroy(&expected));
  AbutTestCall(AbutAssemblerDestroy(&as));
}

/*
  A pattern that is rebuilt while assemblies are restricted keeps its other blocks; the assembly of few rows finds the blocks of fixed
  stencils one by one. A pattern that has grown much is rebuilt for the assembly of all rows.
*/
static void TestRestrictedPattern(PetscInt dim)
{
  static Problem  p;
  AbutAssembler   as;
  PetscBool       constrained[OWNED * 3] = {PETSC_FALSE}, rows[OWNED] = {PETSC_FALSE}, rebuilt;
  AbutStencilList needed[2] = {{DYNAMIC, NULL, p.dynamic[0]}, {LARGE, p.start, p.large}};
  PetscInt        fixed[FIXED * 4];
  Mat             expected;

  MakeProblem(dim, 5, 0, &p);
  rows[3] = rows[OWNED - 2] = PETSC_TRUE;
  for (int s = 0; s < FIXED; s++)
    for (int a = 0; a <= dim; a++) fixed[s * (dim + 1) + a] = p.fixed[s][a];
  AbutTestCall(AbutAssemblerCreate(PETSC_COMM_WORLD, dim, OWNED, &as));
  AbutTestCall(AbutAssemblerSetFixed(as, dim + 1, FIXED, fixed));
  AbutTestCall(AbutAssemblerUpdatePattern(as, 1, needed, NULL, &rebuilt));
  AbutAssemblerRestrict(as, rows);
  AbutTestCall(AbutAssemblerUpdatePattern(as, 1, needed + 1, NULL, &rebuilt));
  assert_true(rebuilt);
  AbutTestCall(AbutAssemblerUpdatePattern(as, 2, needed, NULL, &rebuilt));
  assert_false(rebuilt);
  (void)Assemble(&p, as, constrained);
  expected = AssembleByPetsc(&p, constrained);
  assert_true(RowsAreEqual(as, expected, dim, rows, PETSC_TRUE));
  AbutAssemblerRestrict(as, NULL);
  AbutTestCall(AbutAssemblerUpdatePattern(as, 1, needed, NULL, &rebuilt));
  assert_true(rebuilt);
  AbutTestCall(AbutAssemblerUpdatePattern(as, 2, needed, NULL, &rebuilt));
  (void)Assemble(&p, as, constrained);
  CheckEqual(as, expected);
  AbutTestCall(MatDestroy(&expected));
  AbutTestCall(AbutAssemblerDestroy(&as));
}

static void TestRestrictedPatterns(void **state)
{
  (void)state;
  TestRestrictedPattern(2);
  TestRestrictedPattern(3);
}

/* A stencil of 50,000 entries, three of them used: 50,000^2 exceeds 32 bits. */
static void TestRoomBeyond32Bits(void **state)
{
  enum { ROOM = 50000 };
  const PetscInt start[2] = {0, ROOM};
  PetscInt      *v;
  PetscMPIInt    rank;
  AbutAssembler  as;
  MatInfo        info;
  Mat            A;

  (void)state;
  assert_int_equal(MPI_Comm_rank(PETSC_COMM_WORLD, &rank), 0);
  AbutTestCall(AbutAssemblerCreate(PETSC_COMM_WORLD, 2, 4, &as));
  AbutTestCall(AbutAssemblerSetFixed(as, 3, 0, NULL));
  AbutTestCall(PetscMalloc1(ROOM, &v));
  for (int k = 0; k < ROOM; k++) v[k] = -1;
  for (int k = 0; k < 3; k++) v[k * (ROOM / 3)] = 4 * rank + k;
  AbutTestCall(AbutAssemblerUpdatePattern(as, 1, &(AbutStencilList){1, start, v}, NULL, NULL));
  AbutTestCall(AbutAssemblerBegin(as));
  AbutTestCall(AbutAssemblerEnd(as, NULL));
  A = AbutAssemblerGetMat(as);
  AbutTestCall(MatGetInfo(A, MAT_LOCAL, &info));
  assert_int_equal((int)info.nz_used, 4 * (3 * 3 + 1)); /* 3 x 3 blocks of the used vertices, one diagonal block of the fourth vertex */
  AbutTestCall(PetscFree(v));
  AbutTestCall(AbutAssemblerDestroy(&as));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestAssembly2D),         cmocka_unit_test(TestAssembly3D),
                                     cmocka_unit_test(TestMovedStencils),      cmocka_unit_test(TestRestriction),
                                     cmocka_unit_test(TestRestrictedPatterns), cmocka_unit_test(TestRoomBeyond32Bits)};
  return AbutTestMain(argc, argv, tests);
}
