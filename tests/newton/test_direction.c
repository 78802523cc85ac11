/* Newton's direction: failure of the linear solver, lagged factorisations, and the matrix pattern. */
#include "bench.h"
#include "linearimpl.h"
#include "newtonimpl.h"
#include "timeimpl.h"

/* A box in free flight with an indefinite mass matrix, which no strategy projects: Newton must not report convergence. */
static void NoFactorNoConvergence(void **state)
{
  (void)state;
  for (int strategy = ABUT_STRATEGY_CLAMP; strategy <= ABUT_STRATEGY_DEMAND; strategy++) {
    Bench b;

    BenchInit(&b, PETSC_COMM_WORLD, 3, 0.01);
    b.spec.strategy        = (AbutStrategy)strategy;
    b.spec.max_newton      = 3;
    b.materials[0].young   = 1e-3;
    b.materials[0].density = 1e-6; /* the gradient, used as a direction, would satisfy the stopping test */
    BenchAddBox(&b, "box", 0, 1, 2, 0, 0);
    b.bodies[0].velocity[0] = 1;
    BenchOpen(&b);
    for (PetscInt v = 0; v < b.local->num_owned; v++)
      if (b.local->vertex_id[v] == 0) b.stepper->scales.vertex_mass[v] = -1e-5;
    AbutTestCall(AbutStepperStep(b.stepper, &b.report));
    assert_false(b.report.converged);
    assert_false(b.stepper->newton->now.solved);
    assert_true(b.report.count.linear_failures > 0);
    assert_true(b.stepper->newton->result.first_direction > 1e-3); /* the fallback direction has the size of the solution, 1 m/s */
    BenchClose(&b);
  }
}

/* A block on a plane without friction can slide freely: round-off prevents the factorisation, but the solve still converges. */
static void NeutralDirections(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (PetscInt cells = 2; cells <= 5; cells++) {
      Bench b;

      BenchInit(&b, PETSC_COMM_WORLD, dim, 1);
      b.spec.integrator = ABUT_INTEGRATOR_STATIC;
      b.spec.max_newton = 10;
      b.spec.gravity[1] = -10;
      BenchAddBox(&b, "block", 0, 1, cells, 0, 0.505);
      BenchAddPlane(&b, "floor", 0, 1);
      BenchOpen(&b);
      BenchStep(&b, 1);
      assert_int_equal(b.report.count.linear_failures, 0);
      assert_true(b.report.contact.count > 0);
      AbutTestClose("weight", 1, &b.report.force.contact[1], &(PetscReal){1000 * 10}, 1e-6);
      BenchClose(&b);
    }
}

/* A moving ceiling compresses a block with enough unknowns for lagged factorisations: all solves of the bordered system converge. */
static void BordersAreSolved(void **state)
{
  PetscInt iterations = 0, failures = 0;
  Bench    b;

  (void)state;
  BenchInit(&b, PETSC_COMM_WORLD, 2, 0.02);
  BenchAddBox(&b, "block", 0, 1, 36, 0, 0.505);
  BenchAddPlane(&b, "floor", 0, 1);
  BenchAddPlane(&b, "ceiling", 1.015, -1);
  BenchAddMotion(&b, NULL, 0, -5)->plane = 1;
  BenchOpen(&b);
  for (int k = 0; k < 2; k++) {
    BenchStep(&b, 1);
    failures += b.report.count.linear_failures;
    iterations += b.report.count.linear - b.report.count.newton;
  }
  assert_true(iterations > 0); /* lagged factorisations were used */
  assert_int_equal(failures, 0);
  BenchClose(&b);
}

typedef struct {
  AbutStepper   stepper;
  PetscObjectId last; /* matrix */
  PetscInt      old, kept, changed, moved;
} Finest;

/*
  Counts iterations in which the matrix of the finest smoother is not that of the KSP: on one rank another object, on several ranks, which
  may move the matrix to other ranks, one with another norm.
*/
static PetscErrorCode WatchFinest(const AbutNewtonReport *line, void *ctx)
{
  Finest       *f = (Finest *)ctx;
  PetscObjectId id;
  PetscBool     lagged;
  PetscInt      levels;
  PetscReal     norm[2];
  KSP           ksp, smoother;
  Mat           A, finest;
  PC            pc;

  PetscFunctionBegin;
  (void)line;
  PetscCall(SNESGetKSP(f->stepper->newton->snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  pc = AbutMultigridCycle(pc);
  PetscCall(PCMGGetLevels(pc, &levels));
  PetscCall(PCMGGetSmoother(pc, levels - 1, &smoother));
  PetscCall(KSPGetOperators(smoother, NULL, &finest));
  PetscCall(KSPGetOperators(ksp, NULL, &A));
  PetscCall(PetscObjectGetId((PetscObject)A, &id));
  PetscCall(MatNorm(A, NORM_FROBENIUS, &norm[0]));
  PetscCall(MatNorm(finest, NORM_FROBENIUS, &norm[1]));
  lagged = AbutLinearIsLagged(f->stepper->newton->direction.linear);
  f->kept += lagged;
  f->moved += finest != A;
  f->old += PetscAbsReal(norm[1] - norm[0]) > 1e-12 * norm[0];
  f->changed += f->last && id != f->last;
  f->last = id;
  PetscFunctionReturn(0);
}

/* The arrays of a matrix are freed with its pattern: multigrid must not keep a reference to them. */
static void MultigridOfTheMatrix(void **state)
{
  Finest      f = {0};
  Bench       b;
  PetscMPIInt size;

  (void)state;
  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_linear", "multigrid"));
  BenchInit(&b, PETSC_COMM_WORLD, 2, 0.01);
  b.spec.kappa = 1e6;
  BenchAddBox(&b, "lower", 0, 0.5, 30, 0, 0.27);
  BenchAddBox(&b, "upper", 0, 0.5, 30, 0.1, 0.82);
  b.bodies[1].velocity[0] = 3;
  b.bodies[1].velocity[1] = -3;
  BenchOpen(&b);
  f.stepper = b.stepper;
  AbutNewtonSetMonitor(AbutStepperGetNewton(b.stepper), WatchFinest, &f);
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_linear"));
  BenchStep(&b, 4);
  assert_true(f.kept > 0);
  assert_true(f.changed > 0);
  assert_int_equal(f.old, 0);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (size == 1) assert_int_equal(f.moved, 0);
  BenchClose(&b);
}

/* A preconditioner that meets a pivot below its limit ends the step with the names of the solvers. */
static void FailureIsNamed(void **state)
{
  static const char *const options[][2] = {{"-abut_linear", "multigrid"},
                                           {"-pc_type", "gamg"},
                                           {"-mg_levels_pc_type", "bjacobi"},
                                           {"-mg_levels_sub_pc_type", "ilu"},
                                           {"-mg_levels_sub_pc_factor_zeropivot", "1e300"},
                                           {"-mg_levels_sub_pc_factor_shift_type", "none"}};
  const size_t             num          = PETSC_STATIC_ARRAY_LENGTH(options);
  Bench                    b;

  (void)state;
  for (size_t k = 0; k < num; k++) AbutTestCall(PetscOptionsSetValue(NULL, options[k][0], options[k][1]));
  BenchInit(&b, PETSC_COMM_WORLD, 2, 0.01);
  BenchAddBox(&b, "box", 0, 0.5, 12, 0, 0.27);
  b.spec.gravity[1] = -10;
  BenchOpen(&b);
  AbutTestCall(AbutStepperStep(b.stepper, &b.report));
  assert_true(!b.report.converged && b.report.linear_failed);
  assert_non_null(strstr(b.report.linear_failure, "cg with preconditioner gamg"));
  for (size_t k = 0; k < num; k++) AbutTestCall(PetscOptionsClearValue(NULL, options[k][0]));
  BenchClose(&b);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(NoFactorNoConvergence), cmocka_unit_test(NeutralDirections),
                                     cmocka_unit_test(BordersAreSolved), cmocka_unit_test(MultigridOfTheMatrix),
                                     cmocka_unit_test(FailureIsNamed)};
  return AbutTestMain(argc, argv, tests);
}
