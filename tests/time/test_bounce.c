/*
  Newmark with contact: the energy of a bouncing and of a resting block never exceeds its initial value. This needs implicit contact
  forces (see integrator.c). Averaged contact forces, or a kappa that grows between steps, would add energy.
*/
#include "bench.h"

#define G     10.
#define RANGE 1e-3 /* dhat [m] */

static void Open(Bench *b, PetscInt dim, PetscReal dt, PetscReal height, PetscReal mu)
{
  BenchInit(b, PETSC_COMM_WORLD, dim, dt);
  b->spec.integrator = ABUT_INTEGRATOR_NEWMARK;
  b->spec.gravity[1] = -G;
  b->spec.tolerance  = (AbutQuantity){1e-7, PETSC_FALSE};
  b->spec.dhat       = (AbutQuantity){RANGE, PETSC_FALSE};
  b->mu[0] = b->mu[1] = mu;
  BenchAddBox(b, "block", 0, 1, 2, 0, 0.5 + height);
  b->bodies[0].shape.rotate[2] = 10; /* lands on an edge first */
  BenchAddPlane(b, "floor", 0, 1);
}

static PetscReal Energy(const AbutStepReport *r)
{
  return r->energy.kinetic + r->energy.elastic + r->energy.gravity + r->energy.contact;
}

/* Largest increase of the energy over its start value, relative to the energy of the fall; landings: number of times contact begins. */
static PetscReal Gain(Bench *b, PetscReal start, PetscReal fall, PetscInt steps, PetscInt *landings)
{
  PetscReal most    = start;
  PetscBool touches = PETSC_FALSE;

  *landings = 0;
  for (PetscInt k = 0; k < steps; k++) {
    BenchStep(b, 1);
    most = PetscMax(most, Energy(&b->report));
    if (b->report.contact.count > 0 && !touches) ++*landings;
    touches = (PetscBool)(b->report.contact.count > 0);
  }
  return (most - start) / fall;
}

static void Bounces(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (int k = 0; k < 2; k++) {
      const PetscReal dt = k ? 0.02 : 0.005, mass = 1000;
      Bench           b;
      PetscReal       start, gain;
      PetscInt        landings;

      Open(&b, dim, dt, 0.3, 0.3);
      BenchOpen(&b);
      BenchStep(&b, 1);
      start = Energy(&b.report);
      gain  = Gain(&b, start, mass * G * 0.2, k ? 150 : 400, &landings);
      print_message("%dD, h = %g: energy gain / fall energy %.2e in %ld landings, final energy fraction %.3f\n", (int)dim, (double)dt,
                    (double)gain, (long)landings, (double)((Energy(&b.report) - mass * G / 2) / (start - mass * G / 2)));
      assert_true(landings >= 2);
      assert_true(gain < 1e-3);
      BenchClose(&b);
    }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Bounces)};
  return AbutTestMain(argc, argv, tests);
}
