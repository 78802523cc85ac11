/*
  Solutions with a lagged set-up of multigrid: given up where they are slow and a new set-up costs less than what is left, and continued
  from their iterate after the new set-up.
*/
#include "cubes.h"

/* Two cubes before and after their contacts became 10,000 times as stiff, and a solver with a set-up of the matrix before. */
typedef struct {
  Mat    A, B;
  Solver s;
  Vec    b, x;
} Case;

/* cost: of a set-up in iterations. */
static Case Begin(PetscInt cost)
{
  Case c = {.A = Build(1), .B = Build(30)};

  c.s                          = Open(c.A, "100", "20000");
  c.s.linear->lag.cost         = cost;
  c.s.linear->lag.min_unknowns = 0;
  AbutTestCall(MatCreateVecs(c.A, &c.x, &c.b));
  SetLoads(c.b);
  AbutLinearCountUse(c.s.linear, Solve(&c.s, c.A, NULL));
  return c;
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
  AbutLinearResult slow, resumed, fresh;
  PetscReal        left;

  (void)state;
  slow = SolveStiff(&c, PETSC_TRUE);
  assert_true(slow.reason == KSP_DIVERGED_ITS && AbutLinearMayImprove(c.s.linear));
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

/* The dearer a set-up, the more iterations before a solution is given up; at a very high cost it is not given up. */
static void Patience(void **state)
{
  const PetscInt   cost[] = {1, 20, 1000};
  AbutLinearResult slow[3];

  (void)state;
  for (int k = 0; k < 3; k++) {
    Case c  = Begin(cost[k]);
    slow[k] = SolveStiff(&c, PETSC_TRUE);
    End(&c);
  }
  assert_true(slow[0].reason == KSP_DIVERGED_ITS && slow[0].iterations == 3); /* -abut_lag_min_iterations */
  assert_true(slow[1].reason == KSP_DIVERGED_ITS && slow[1].iterations > 3);
  assert_true(slow[2].solved && slow[2].iterations > slow[1].iterations);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Resume), cmocka_unit_test(Patience)};
  return AbutTestMain(argc, argv, tests);
}
