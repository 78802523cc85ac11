/* Multigrid for matrices with other patterns: contacts come and go, the hierarchy stays. */
#include "cubes.h"
#include "aggregates.h"

enum { SIZE = 100 }; /* vertices of an aggregate */

/* Declares the pattern of A and solves; *kept: with aggregates and intervals of an earlier matrix. */
static PetscInt SolveNext(Solver *s, Mat A, PetscBool *kept)
{
  PetscInt iterations;
  PC       pc;

  AbutTestCall(AbutLinearSetPattern(s->linear, A));
  AbutTestCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY)); /* PETSc sets nothing up for a matrix that did not change */
  AbutTestCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  iterations = Solve(s, A, NULL);
  AbutTestCall(KSPGetPC(s->ksp, &pc));
  *kept = AbutMultigridIsKept(pc);
  return iterations;
}

/* Iterations with a new hierarchy. */
static PetscInt SolveAnew(Mat A, const char aggregate[], const char coarse[])
{
  Solver   s          = Open(A, aggregate, coarse);
  PetscInt iterations = Solve(&s, A, NULL);

  Close(&s);
  return iterations;
}

/* Solves as Newton's method does; *first: iterations of the first solution with the hierarchy. */
static PetscInt Count(Solver *s, Mat A, PetscInt *first)
{
  PetscBool kept;
  PetscInt  iterations = SolveNext(s, A, &kept);

  AbutLinearCountUse(s->linear, iterations);
  if (!kept) *first = iterations;
  return iterations;
}

/* Contacts come and go; aggregate, coarse: sizes of the hierarchy. */
static void ComeAndGo(PetscReal stiff, const char aggregate[], const char coarse[])
{
  Mat            A[2]    = {Build(0), Build(stiff)};
  const PetscInt best[2] = {SolveAnew(A[0], aggregate, coarse), SolveAnew(A[1], aggregate, coarse)};
  Solver         s       = Open(A[0], aggregate, coarse);
  PetscInt       first   = 0;
  PetscMPIInt    size;

  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  (void)Count(&s, A[0], &first);
  for (int n = 1; n < 6; n++) {
    PetscInt iterations = Count(&s, A[n % 2], &first), most = best[n % 2] + 8;
    print_message("contact stiffness %g, matrix %d: %ld iterations, %ld in a new hierarchy\n", (double)stiff, n, (long)iterations,
                  (long)best[n % 2]);
    if (size > 1 && iterations > 2 * first + 2) {
      iterations = Count(&s, A[n % 2], &first);
      assert_int_equal(iterations, best[n % 2]);
    } else if (size > 1) {
      most = PetscMax(most, 2 * first + 2);
    }
    assert_in_range(iterations, 2, most);
  }
  Close(&s);
  AbutTestCall(MatDestroy(&A[0]));
  AbutTestCall(MatDestroy(&A[1]));
}

/*
  Contacts that the first matrix did not have take few iterations more than in a new hierarchy, also when they are gone again. Where ranks
  cut the contacts and the iterations more than double, the hierarchy is built again.
*/
static void ContactsComeAndGo(void **state)
{
  PetscMPIInt size;

  (void)state;
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  for (PetscReal stiff = 1; stiff < 2e6; stiff *= 1000) {
    ComeAndGo(stiff, "100", "20000");
    if (size == 1 || stiff == 1) ComeAndGo(stiff, "20", "50"); /* several levels; stiff contacts between ranks exceed their intervals */
  }
}

/* A solution that takes few iterations leaves the hierarchy as it is; with many, the next set-up builds another one. */
static void Expires(void **state)
{
  Mat       A = Build(0), B = Build(1);
  Solver    s = Open(A, "100", "20000");
  PetscBool kept;
  PetscInt  first = SolveNext(&s, A, &kept);

  (void)state;
  assert_false(kept);
  AbutLinearCountUse(s.linear, first);
  (void)SolveNext(&s, B, &kept);
  assert_true(kept);
  AbutLinearCountUse(s.linear, 2 * first + 2);
  (void)SolveNext(&s, A, &kept);
  assert_true(kept);
  AbutLinearCountUse(s.linear, 2 * first + 3);
  (void)SolveNext(&s, B, &kept);
  assert_false(kept);
  Close(&s);
  AbutTestCall(MatDestroy(&A));
  AbutTestCall(MatDestroy(&B));
}

/* A restarted run has no earlier hierarchy, so a run that writes a checkpoint builds another one, too. */
static void Forgotten(void **state)
{
  Mat       A = Build(0), B = Build(1e3);
  Solver    s = Open(A, "100", "20000");
  PetscBool kept;
  PetscInt  iterations;

  (void)state;
  (void)Solve(&s, A, NULL);
  AbutLinearForget(s.linear);
  iterations = SolveNext(&s, B, &kept);
  assert_false(kept);
  assert_int_equal(iterations, SolveAnew(B, "100", "20000"));
  Close(&s);
  AbutTestCall(MatDestroy(&A));
  AbutTestCall(MatDestroy(&B));
}

/* Number of contacts between vertices of one rank in different aggregates, of all ranks. Collective. */
static PetscInt CountCut(Mat A, const Aggregates *a)
{
  PetscInt first, last, cut = 0;

  AbutTestCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = 0; i < SIDE * SIDE; i++) {
    const PetscInt below[DIM] = {i / SIDE, i % SIDE, SIDE - 1}, above[DIM] = {i / SIDE, i % SIDE, SIDE};
    const PetscInt v = GetNumber(below) - first / DIM, w = GetNumber(above) - first / DIM;
    if (PetscMin(v, w) < 0 || PetscMax(v, w) >= (last - first) / DIM) continue;
    cut += a->of[v] != a->of[w];
  }
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &cut, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  return cut;
}

/* Size of the smallest and of the largest aggregate. */
static void GetSizes(const Aggregates *a, PetscInt range[2])
{
  PetscInt *size;

  AbutTestCall(PetscCalloc1(a->num, &size));
  for (PetscInt v = 0; v < a->n; v++) size[a->of[v]]++;
  range[0] = PETSC_MAX_INT;
  range[1] = 0;
  for (PetscInt k = 0; k < a->num; k++) {
    range[0] = PetscMin(range[0], size[k]);
    range[1] = PetscMax(range[1], size[k]);
  }
  AbutTestCall(PetscFree(size));
}

/* A repair takes stiff contacts into aggregates, which keep their number and do not become empty. A second one changes nothing. */
static void Repair(void **state)
{
  Mat         A = Build(0), B = Build(1e3);
  Aggregates  a;
  PetscMPIInt size;
  PetscInt    cut[2], num, sizes[2], *before;

  (void)state;
  AbutTestCall(AggregatesCreate(A, SIZE, &a));
  num    = a.num;
  cut[0] = CountCut(B, &a);
  AbutTestCall(AggregatesRepair(B, SIZE, &a));
  cut[1] = CountCut(B, &a);
  assert_int_equal(a.num, num);
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  if (size <= 4) assert_int_not_equal(cut[0], 0); /* otherwise nothing is tested */
  assert_int_equal(cut[1], 0);
  GetSizes(&a, sizes);
  if (a.n > 0) assert_in_range(sizes[0], 1, sizes[1]);
  if (a.n > 0) assert_in_range(sizes[1], 1, 2 * SIZE);
  AbutTestCall(PetscMalloc1(a.n, &before));
  AbutTestCall(PetscArraycpy(before, a.of, a.n));
  AbutTestCall(AggregatesRepair(B, SIZE, &a));
  for (PetscInt v = 0; v < a.n; v++) assert_int_equal(a.of[v], before[v]);
  AbutTestCall(PetscFree(before));
  AbutTestCall(AggregatesDestroy(&a));
  AbutTestCall(MatDestroy(&A));
  AbutTestCall(MatDestroy(&B));
}

/* An aggregate with twice the size gets no vertex, one with room for one gets one. The last vertex of an aggregate stays. */
static void RepairIsLimited(void **state)
{
  enum { LENGTH = 8, LIMIT = 6 };

  (void)state;
  for (PetscInt taken = LIMIT - 2; taken <= LIMIT; taken++) {
    const PetscInt num = taken + 2; /* vertices: `taken` in a row in aggregate 0, then two of aggregate 1 with a stiff spring to them */
    PetscInt       of[LENGTH];
    Aggregates     a = {.n = num, .num = 2, .of = of};
    Mat            A;
    AbutTestCall(MatCreateSeqAIJ(PETSC_COMM_SELF, num, num, 4, NULL, &A));
    for (PetscInt v = 0; v < num; v++) {
      of[v] = v >= taken;
      AbutTestCall(MatSetValue(A, v, v, v >= taken ? 200 : 300, INSERT_VALUES));
      if (v == taken || v == 0) continue;
      AbutTestCall(MatSetValue(A, v, v - 1, v > taken ? -1 : -145, INSERT_VALUES));
      AbutTestCall(MatSetValue(A, v - 1, v, v > taken ? -1 : -145, INSERT_VALUES));
    }
    for (PetscInt v = taken; v < num; v++) {
      AbutTestCall(MatSetValue(A, v, v - taken, -150, INSERT_VALUES));
      AbutTestCall(MatSetValue(A, v - taken, v, -150, INSERT_VALUES));
    }
    AbutTestCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    AbutTestCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    AbutTestCall(AggregatesRepair(A, LIMIT / 2, &a));
    for (PetscInt v = 0; v < taken; v++) assert_int_equal(of[v], 0);
    assert_int_equal(of[taken], taken == LIMIT); /* the first one moves if there is room */
    assert_int_equal(of[taken + 1], 1);          /* the second one stays: there is no room, or it is the last one */
    AbutTestCall(MatDestroy(&A));
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(ContactsComeAndGo), cmocka_unit_test(Expires), cmocka_unit_test(Forgotten),
                                     cmocka_unit_test(Repair), cmocka_unit_test(RepairIsLimited)};
  return AbutTestMain(argc, argv, tests);
}
