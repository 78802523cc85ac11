/* Bodies that start with gaps of a millionth of the activation distance: forces are balanced after the first step. */
#include "bench.h"

static void Balances(PetscInt dim, const char potential[], PetscReal gap)
{
  const PetscReal mass = 2 * 1000 * (dim == 2 ? 0.04 : 0.008);
  Bench           b;

  BenchInit(&b, PETSC_COMM_WORLD, dim, 0.01);
  strcpy(b.spec.potential, potential);
  b.spec.orientation = (AbutPotentialSpec){0.5, 0, 0, 1};
  b.spec.dhat        = (AbutQuantity){1e-3, PETSC_FALSE};
  b.spec.tolerance   = (AbutQuantity){1e-2, PETSC_TRUE}; /* the default: allows displacements of 5e-5 m, 5e4 gaps */
  b.spec.balance     = 0.01;
  b.spec.strategy    = ABUT_STRATEGY_ADAPTIVE;
  b.spec.gravity[1]  = -10;
  BenchAddBox(&b, "lower", 0, 0.2, 3, 0, 0.1 + gap);
  BenchAddBox(&b, "upper", 0, 0.2, 3, 0.03, 0.3 + 2 * gap);
  BenchAddPlane(&b, "floor", 0, 1);
  BenchOpen(&b);
  BenchStep(&b, 1);
  print_message("%dD %s, gap %g m: %ld iterations, imbalance %g N, contact force %g N of weight %g N\n", (int)dim, potential, (double)gap,
                (long)b.report.count.newton, (double)b.report.force.residual, (double)b.report.force.contact_max, (double)(10 * mass));
  assert_true(b.report.contact.count > 0);
  assert_true(b.report.force.imbalance <= 0.01 && !b.report.force.unbalanced);
  assert_true(b.report.force.contact[1] > 0 && b.report.force.contact[1] < 2 * 10 * mass); /* without the test up to 1e5 times the weight */
  BenchClose(&b);
}

static void TinyGaps(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (int k = 0; k < 3; k++) {
      Balances(dim, "ipc", (PetscReal[]){1e-9, 1e-7, 1e-5}[k]);
      Balances(dim, "convergent-ipc", (PetscReal[]){1e-9, 1e-7, 1e-5}[k]);
    }
  Balances(3, "oipc", 1e-7);
  Balances(3, "oipc", 1e-5);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TinyGaps)};
  return AbutTestMain(argc, argv, tests);
}
