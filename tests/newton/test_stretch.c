/* Steps longer than the direction: the same minimum in fewer iterations, B never increases. */
#include "bench.h"

#define STEPS     6
#define TOLERANCE 1e-8 /* eps_d [m/s] */

typedef struct {
  PetscInt  step, rises, longer; /* iterations in which B rose; whose step was longer than the direction */
  PetscReal energy;
} Watched;

static PetscErrorCode Watch(const AbutNewtonReport *line, void *ctx)
{
  Watched *w = (Watched *)ctx;

  w->rises += line->step == w->step && line->energy > w->energy + 1e-12 * PetscAbsReal(w->energy);
  w->longer += line->step_length > 1;
  w->step   = line->step;
  w->energy = line->energy;
  return 0;
}

/* A slender column, a little inclined, falls on a floor and buckles. */
static PetscReal *Fall(PetscInt dim, const char rounds[], Watched *w, PetscInt *iterations)
{
  Bench      b;
  PetscReal *x;

  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_stretch_rounds", rounds));
  BenchInit(&b, PETSC_COMM_WORLD, dim, 0.1);
  b.spec.gravity[1] = -9.81;
  b.spec.tolerance  = (AbutQuantity){TOLERANCE, PETSC_FALSE};
  b.spec.kappa      = 1e6; /* adaptive kappa depends on the iterates, so results would differ */
  BenchAddBox(&b, "column", 0, 0.1, 1, 0, 0.55);
  b.bodies[0].shape.size[1]  = 1;
  b.bodies[0].shape.cells[1] = 16;
  if (dim == 3) b.bodies[0].shape.rotate[2] = 5;
  b.bodies[0].velocity[1] = -1;
  b.bodies[0].velocity[0] = 0.1;
  BenchAddPlane(&b, "floor", 0, 1);
  BenchOpen(&b);
  *w          = (Watched){0};
  *iterations = 0;
  AbutNewtonSetMonitor(AbutStepperGetNewton(b.stepper), Watch, w);
  for (PetscInt k = 0; k < STEPS; k++) {
    BenchStep(&b, 1);
    *iterations += b.report.count.newton;
  }
  x = BenchPositions(&b);
  BenchClose(&b);
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_stretch_rounds"));
  return x;
}

static void SameMinimumInFewerIterations(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Watched    with, without;
    PetscInt   iterations[2];
    PetscReal *expected = Fall(dim, "0", &without, &iterations[0]), *found = Fall(dim, "3", &with, &iterations[1]);

    print_message("%dD: %ld iterations, %ld of them with longer steps; %ld without\n", (int)dim, (long)iterations[1], (long)with.longer,
                  (long)iterations[0]);
    AbutTestClose("positions", 17 * (dim == 2 ? 2 * 2 : 4 * 3), found, expected, 1e-6);
    assert_int_equal(without.longer, 0);
    assert_true(with.longer > 0);
    assert_int_equal(with.rises, 0);
    assert_true(iterations[1] < iterations[0]);
    AbutTestCall(PetscFree(found));
    AbutTestCall(PetscFree(expected));
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SameMinimumInFewerIterations)};
  return AbutTestMain(argc, argv, tests);
}
