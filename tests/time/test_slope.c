/*
  A block on a slope (a floor under tilted gravity) sticks or slides by Coulomb's law, with the closed-form velocity and acceleration.
*/
#include "bench.h"

#define MU    0.5
#define G     10.
#define SPEED 1e-3 /* eps_v */

static void Open(Bench *b, PetscInt dim, PetscReal slope, PetscInt lags)
{
  const PetscReal angle = PetscAtanReal(slope);

  BenchInit(b, PETSC_COMM_WORLD, dim, 0.005);
  b->materials[0].young = 1e8; /* stiff, so that implicit Euler damps its vibration within a few steps */
  b->mu[0] = b->mu[1]       = MU;
  b->spec.friction_speed    = (AbutQuantity){SPEED, PETSC_FALSE};
  b->spec.friction_lags     = lags;
  b->spec.friction_converge = (PetscBool)(lags == 0);
  b->spec.tolerance         = (AbutQuantity){1e-5, PETSC_FALSE};
  b->spec.gravity[0]        = G * PetscSinReal(angle);
  b->spec.gravity[1]        = -G * PetscCosReal(angle);
  BenchAddBox(b, "block", 0, 0.5, 2, 0, 0.2505);
  b->spec.dhat = (AbutQuantity){1e-3, PETSC_FALSE};
  BenchAddPlane(b, "slope", 0, 1);
  BenchOpen(b);
}

/* Mean velocity down the slope. */
static PetscReal Speed(const Bench *b)
{
  const PetscReal mass = 1000 * (b->dim == 2 ? 0.25 : 0.125);

  return b->report.momentum[0] / mass;
}

static void Slides(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (PetscInt lags = 0; lags <= 1; lags++) {
      const PetscReal slope = 0.8, angle = PetscAtanReal(slope), exact = G * (PetscSinReal(angle) - MU * PetscCosReal(angle));
      Bench           b;
      PetscReal       start[2], found, work = 0, load;
      Open(&b, dim, slope, lags);
      BenchStep(&b, 20);
      start[0] = Speed(&b);
      start[1] = b.state->time;
      for (int k = 0; k < 30; k++) {
        BenchStep(&b, 1);
        work += b.report.energy.friction;
      }
      found = (Speed(&b) - start[0]) / (b.state->time - start[1]);
      print_message("%dD, lags %ld: acceleration %.5f, exact %.5f; last residual %.1e after %ld solves\n", (int)dim, (long)lags,
                    (double)found, (double)exact, (double)b.report.friction_residual, (long)b.report.count.friction_lags);
      assert_true(PetscAbsReal(found - exact) < 1e-3 * exact);
      assert_true(b.report.contact.sliding > 0 && b.report.contact.sticking == 0);
      if (lags == 0) assert_true(b.report.friction_residual < 1e-5);
      /* friction force from the weight; dissipation = force * sliding distance */
      load = 1000 * (dim == 2 ? 0.25 : 0.125) * G * PetscCosReal(angle);
      AbutTestClose("work", 1, &(PetscReal){work / (MU * load * (start[0] * 0.15 + exact * 0.15 * 0.15 / 2))}, &(PetscReal){1}, 0.02);
      BenchClose(&b);
    }
}

/* At rest the smoothed law gives mu f1(v / eps_v) = slope: the block creeps at v = eps_v (1 - sqrt(1 - slope / mu)). */
static void Sticks(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    const PetscReal slope = 0.3, exact = SPEED * (1 - PetscSqrtReal(1 - slope / MU));
    Bench           b;
    PetscInt        count;
    AbutPairForce  *pairs;
    PetscReal       weight;
    Open(&b, dim, slope, 0);
    BenchStep(&b, 60);
    print_message("%dD: creeps at %.4e, exact %.4e\n", (int)dim, (double)Speed(&b), (double)exact);
    assert_true(PetscAbsReal(Speed(&b) - exact) < 1e-3 * exact);
    assert_true(b.report.contact.sticking > 0 && b.report.contact.sliding == 0);
    /* friction balances the tangential load, contact the normal load; the only pair of bodies is block and plane */
    weight = 1000 * (dim == 2 ? 0.25 : 0.125);
    AbutTestClose("friction", 1, &(PetscReal){b.report.force.friction[0] / weight}, &(PetscReal){-b.spec.gravity[0]}, 1e-2);
    AbutTestClose("contact", 1, &(PetscReal){b.report.force.contact[1] / weight}, &(PetscReal){-b.spec.gravity[1]}, 1e-2);
    AbutTestCall(AbutStepperGetPairForces(b.stepper, &count, &pairs));
    assert_int_equal(count, 1);
    AbutTestClose("pair friction", 3, pairs[0].friction, b.report.force.friction, 1e-9);
    AbutTestClose("pair contact", 3, pairs[0].normal, b.report.force.contact, 1e-9);
    AbutTestCall(PetscFree(pairs));
    BenchClose(&b);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Slides), cmocka_unit_test(Sticks)};
  return AbutTestMain(argc, argv, tests);
}
