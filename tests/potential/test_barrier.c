/* The barrier and the mollifier: closed forms in extended precision, differences, smoothness at their ends. */
#include "test.h"
#include <abut/potential.h>
#include <math.h>

static void BarrierMatchesClosedForm(void **state)
{
  const PetscReal shat = 1e-4;

  (void)state;
  for (int i = 1; i < 400; i++) {
    const PetscReal   s = shat * PetscPowReal(10, -i / 20.);
    const long double S = shat, d = s - S, l = logl(s / S), b = -d * d * l, b1 = -2 * d * l - d * d / s,
                      b2 = -2 * l - 4 * d / s + d * d / ((long double)s * s);
    PetscReal       db, ddb;
    const PetscReal value = AbutBarrier(s, shat, &db, &ddb);
    /* relative error of a few roundings: all three are sums of terms of one sign */
    assert_true(fabsl(value - b) <= 1e-14L * fabsl(b) && fabsl(db - b1) <= 1e-14L * fabsl(b1) && fabsl(ddb - b2) <= 1e-14L * fabsl(b2));
    assert_true(value > 0 && db < 0 && ddb > 0);
  }
}

static void BarrierEndsSmoothly(void **state)
{
  const PetscReal shat = 2;
  PetscReal       db, ddb;

  (void)state;
  assert_true(AbutBarrier(shat, shat, &db, &ddb) == 0 && db == 0 && ddb == 0);
  assert_true(AbutBarrier(3, shat, &db, &ddb) == 0 && db == 0 && ddb == 0);
  AbutBarrier(shat * (1 - 1e-9), shat, &db, &ddb);
  assert_true(db < 0 && db > -1e-16 && ddb > 0 && ddb < 1e-7);
  assert_true(AbutBarrier(0, shat, NULL, NULL) == PETSC_INFINITY && AbutBarrier(-1, shat, &db, &ddb) == PETSC_INFINITY);
  assert_true(db == -PETSC_INFINITY && ddb == PETSC_INFINITY);
}

static void MollifierMatchesClosedForm(void **state)
{
  const PetscReal eps = 0.03;
  PetscReal       dm, ddm;

  (void)state;
  assert_true(AbutMollifier(0, eps, &dm, &ddm) == 0);
  AbutTestClose("slope at 0", 1, &dm, (PetscReal[]){2 / eps}, 1e-15);
  AbutTestClose("half", 1, (PetscReal[]){AbutMollifier(eps / 2, eps, &dm, &ddm)}, (PetscReal[]){0.75}, 1e-15);
  AbutTestClose("slope at half", 2, (PetscReal[]){dm, ddm}, (PetscReal[]){1 / eps, -2 / (eps * eps)}, 1e-15);
  assert_true(AbutMollifier(eps, eps, &dm, &ddm) == 1 && dm == 0 && ddm == 0);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(BarrierMatchesClosedForm), cmocka_unit_test(BarrierEndsSmoothly),
                                     cmocka_unit_test(MollifierMatchesClosedForm)};
  return AbutTestMain(argc, argv, tests);
}
