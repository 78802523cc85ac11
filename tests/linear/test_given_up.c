/*
  Solutions with a lagged set-up of multigrid: given up where they are slow and a new set-up costs less than the iterations left, and
  continued from their iterate after the new set-up.
*/
#include "cubes.h"

/* Two cubes before and after their contacts became 30 times as stiff, and a solver with a set-up of the matrix before. */
typedef struct {
  Mat    A, B;
  Solver s;
  Vec    b, x;
} Case;

/* aggregate: vertices of an aggregate, NULL: a factorisation; cost: of a set-up in iterations. */
static Case BeginWith(const char aggregate[], PetscInt cost)
{
  Case c = {.A = Build(1), .B = Build(30)};

  c.s                   = Open(c.A, aggregate, "20000");
  c.s.linear->lag.cost  = cost;
  c.s.linear->lag.least = 0;
  AbutTestCall(MatCreateVecs(c.A, &c.x, &c.b));
  SetLoads(c.b);
  AbutLinearCountUse(c.s.linear, Solve(&c.s, c.A, NULL));
  return c;
}

static Case Begin(PetscInt cost)
{
  return BeginWith("100", cost);
}

static void End(Case *c)
{
  Close(&c->s);
  AbutTestCall(MatDestroy(&c->A));
  AbutTestCall(MatDestroy(&c->B));
  AbutTestCall(VecDestroy(&c->b));
  AbutTestCall(VecDestroy(&c->x));
}

/* Solves B x = b with the set-up of A if `lag`. */
static AbutLinearResult SolveStiff(Case *c, PetscBool lag)
{
  AbutLinearResult result;
  PetscBool        definite;

  AbutTestCall(AbutLinearSetUp(c->s.linear, c->B, lag, &definite));
  assert_true(definite);
  AbutTestCall(AbutLinearSolve(c->s.linear, c->b, c->x));
  AbutTestCall(AbutLinearGetResult(c->s.linear, &result));
  return result;
}

/* |B x - b| / |b| */
static PetscReal Residual(Case *c)
{
  PetscReal error, norm;
  Vec       r;

  AbutTestCall(VecDuplicate(c->b, &r));
  AbutTestCall(MatMult(c->B, c->x, r));
  AbutTestCall(VecAXPY(r, -1, c->b));
  AbutTestCall(VecNorm(r, NORM_2, &error));
  AbutTestCall(VecNorm(c->b, NORM_2, &norm));
  AbutTestCall(VecDestroy(&r));
  return error / norm;
}

/* |start - |b| error| / (|b| error), start: norm of the first residual of the last solution */
static PetscReal StartDiffers(Case *c, PetscReal error)
{
  PetscReal norm;

  AbutTestCall(VecNorm(c->b, NORM_2, &norm));
  return PetscAbsReal(c->s.linear->krylov.start_norm / (norm * error) - 1);
}

/* A solution that was given up is continued with the new set-up. The next solution begins at 0, whatever x is. */
static void Resume(void **state)
{
  Case             c = Begin(1);
  AbutLinearResult given_up, resumed, fresh;
  PetscReal        left;

  (void)state;
  given_up = SolveStiff(&c, PETSC_TRUE);
  assert_true(given_up.reason == KSP_DIVERGED_ITS && AbutLinearMayImprove(c.s.linear));
  left = Residual(&c);
  AbutTestCall(AbutLinearRetire(c.s.linear));
  resumed = SolveStiff(&c, PETSC_FALSE);
  assert_true(resumed.solved && Residual(&c) <= 1.01e-3);
  assert_true(PetscAbsReal(left - 1) > 1e-2 && StartDiffers(&c, left) < 1e-8);
  AbutTestCall(VecSet(c.x, 1e30));
  fresh = SolveStiff(&c, PETSC_FALSE);
  assert_true(fresh.solved && Residual(&c) <= 1.01e-3);
  assert_true(StartDiffers(&c, 1) < 1e-8);
  End(&c);
}

/* Where another matrix follows a set-up that fails, the next solution begins at 0. */
static void Indefinite(void **state)
{
  Case             c = Begin(1);
  AbutLinearResult result;
  PetscBool        definite;
  PetscInt         first, last;
  Mat              bad;

  (void)state;
  result = SolveStiff(&c, PETSC_TRUE);
  assert_int_equal(result.reason, KSP_DIVERGED_ITS);
  AbutTestCall(AbutLinearRetire(c.s.linear));
  AbutTestCall(MatDuplicate(c.B, MAT_COPY_VALUES, &bad));
  AbutTestCall(MatGetOwnershipRange(bad, &first, &last));
  if (first < last) AbutTestCall(MatSetValue(bad, first, first, -1e3, INSERT_VALUES));
  AbutTestCall(MatAssemblyBegin(bad, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatAssemblyEnd(bad, MAT_FINAL_ASSEMBLY));
  AbutTestCall(AbutLinearSetUp(c.s.linear, bad, PETSC_FALSE, &definite));
  assert_false(definite);
  result = SolveStiff(&c, PETSC_FALSE);
  assert_true(result.solved && Residual(&c) <= 1.01e-3 && StartDiffers(&c, 1) < 1e-8);
  AbutTestCall(MatDestroy(&bad));
  End(&c);
}

/* A direct solver solves from 0 after a lagged factor was given up. */
static void Direct(void **state)
{
  Case             c = BeginWith(NULL, 1);
  AbutLinearResult result;

  (void)state;
  result = SolveStiff(&c, PETSC_TRUE);
  assert_int_equal(result.reason, KSP_DIVERGED_ITS);
  AbutTestCall(AbutLinearRetire(c.s.linear));
  AbutTestCall(VecSet(c.x, 1e30));
  result = SolveStiff(&c, PETSC_FALSE);
  assert_true(result.solved && Residual(&c) <= 1.01e-3);
  End(&c);
}

/* Statistics count the iterations of both parts of a solution. */
static void Count(void **state)
{
  Case             c = Begin(1);
  AbutLinearResult given_up, resumed;

  (void)state;
  given_up = SolveStiff(&c, PETSC_TRUE);
  assert_int_equal(given_up.reason, KSP_DIVERGED_ITS);
  AbutTestCall(AbutLinearRetire(c.s.linear));
  resumed = SolveStiff(&c, PETSC_FALSE);
  AbutLinearCountUse(c.s.linear, resumed.iterations);
  assert_int_equal(c.s.linear->lag.last, given_up.iterations + resumed.iterations);
  resumed = SolveStiff(&c, PETSC_FALSE);
  AbutLinearCountUse(c.s.linear, resumed.iterations);
  assert_int_equal(c.s.linear->lag.last, resumed.iterations);
  End(&c);
}

/* The dearer a set-up, the more iterations before a solution is given up; at a very high cost it is not given up. */
static void Patience(void **state)
{
  const PetscInt   cost[] = {1, 20, 1000};
  AbutLinearResult lagged[3];

  (void)state;
  for (int k = 0; k < 3; k++) {
    Case c    = Begin(cost[k]);
    lagged[k] = SolveStiff(&c, PETSC_TRUE);
    End(&c);
  }
  assert_int_equal(lagged[0].reason, KSP_DIVERGED_ITS);
  assert_true(lagged[2].solved);
  assert_in_range(lagged[1].iterations, lagged[0].iterations, lagged[2].iterations);
  assert_true(lagged[0].iterations < lagged[2].iterations);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Resume), cmocka_unit_test(Indefinite), cmocka_unit_test(Direct),
                                     cmocka_unit_test(Count), cmocka_unit_test(Patience)};
  return AbutTestMain(argc, argv, tests);
}
