/* Dead loads: traction on a bar, body force compared with gravity, a resultant force and its time window. */
#include "bench.h"

/*
  A unit square or cube under outward tractions p on two opposite sides: uniaxial stress p on the area at rest. The steps are so long that
  inertia is negligible.
*/
static void TractionStretches(void **state)
{
  const PetscReal p = 2e4;

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Bench         b;
    AbutLoadSpec *load;
    PetscReal     x[2], y[2], mu, lambda, J, along, across, stress[2];

    BenchInit(&b, PETSC_COMM_WORLD, dim, 100);
    b.spec.tolerance = (AbutQuantity){1e-10, PETSC_FALSE};
    BenchAddBox(&b, "bar", 0, 1, 2, 0, 0);
    for (int side = 0; side < 2; side++) {
      load                      = BenchAddLoad(&b, "bar");
      load->selection.has_box   = PETSC_TRUE;
      load->selection.relative  = PETSC_TRUE;
      load->traction[0]         = side ? p : -p;
      load->selection.box[0][0] = load->selection.box[1][0] = side;
      for (int i = 1; i < 3; i++) load->selection.box[0][i] = 0, load->selection.box[1][i] = 1;
    }
    BenchOpen(&b);
    BenchStep(&b, 6);
    BenchExtent(&b, 0, 0, &x[0], &x[1]);
    BenchExtent(&b, 0, 1, &y[0], &y[1]);
    mu        = b.materials[0].young / (2 * (1 + b.materials[0].poisson));
    lambda    = b.materials[0].young * b.materials[0].poisson / ((1 + b.materials[0].poisson) * (1 - 2 * b.materials[0].poisson));
    along     = x[1] - x[0];
    across    = y[1] - y[0];
    J         = along * across * (dim == 3 ? across : 1);
    stress[0] = mu * (along - 1 / along) + lambda * PetscLogReal(J) / along;
    stress[1] = mu * (across - 1 / across) + lambda * PetscLogReal(J) / across;
    assert_true(along > 1.1);
    assert_true(PetscAbsReal(stress[0] / p - 1) < 1e-6 && PetscAbsReal(stress[1] / p) < 1e-6);
    BenchClose(&b);
  }
}

/* A load by acceleration on all vertices has the effect of gravity. */
static void AccelerationIsGravity(void **state)
{
  PetscReal *x[2];
  PetscInt   n = 0;

  (void)state;
  for (int i = 0; i < 2; i++) {
    Bench b;
    BenchInit(&b, PETSC_COMM_WORLD, 2, 0.02);
    BenchAddBox(&b, "block", 0, 0.4, 3, 0, 0.22);
    BenchAddPlane(&b, "floor", 0, 1);
    if (i)
      BenchAddLoad(&b, "")->acceleration[1] = -9.81;
    else
      b.spec.gravity[1] = -9.81;
    BenchOpen(&b);
    BenchStep(&b, 8);
    x[i] = BenchPositions(&b);
    n    = 2 * b.local->num_global;
    BenchClose(&b);
  }
  AbutTestClose("positions", n, x[1], x[0], 1e-12); /* round-off: the same terms, added in another order */
  for (int i = 0; i < 2; i++) AbutTestCall(PetscFree(x[i]));
}

/* A force of 3 N acts on a whole body for 0.25 s, not a multiple of the step: the momentum becomes 0.75 N s. */
static void ForceHasItsImpulse(void **state)
{
  Bench         b;
  AbutLoadSpec *load;

  (void)state;
  BenchInit(&b, PETSC_COMM_WORLD, 2, 0.1);
  BenchAddBox(&b, "block", 0, 0.4, 3, 0, 0);
  BenchAddBox(&b, "wall", -1, 0.4, 3, 3, 0);
  load           = BenchAddLoad(&b, "block");
  load->force[1] = 3;
  load->start    = 0.15;
  load->end      = 0.4;
  BenchOpen(&b);
  BenchStep(&b, 1);
  AbutTestClose("before", 1, &b.report.momentum[1], &(PetscReal){0}, 1e-12);
  BenchStep(&b, 5);
  AbutTestClose("impulse", 1, &b.report.momentum[1], &(PetscReal){0.75}, 1e-9);
  BenchClose(&b);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TractionStretches), cmocka_unit_test(AccelerationIsGravity),
                                     cmocka_unit_test(ForceHasItsImpulse)};
  return AbutTestMain(argc, argv, tests);
}
