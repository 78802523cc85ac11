/*
  Newmark's methods in contact. Contact-implicit Newmark: the energy of a bouncing and of a resting block never exceeds its initial value.
  This needs implicit contact forces (see integrator.c). Averaged contact forces, or a kappa that grows between steps, would add energy.
  Both: the change of momentum of a step is the impulse of the contact forces at its ends.
*/
#include "bench.h"

#define G     10.
#define RANGE 1e-3 /* dhat [m] */

static void Open(Bench *b, AbutIntegrator integrator, PetscInt dim, PetscReal dt, PetscReal height, PetscReal mu)
{
  BenchInit(b, PETSC_COMM_WORLD, dim, dt);
  b->spec.integrator = integrator;
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

      Open(&b, ABUT_INTEGRATOR_CONTACT_IMPLICIT_NEWMARK, dim, dt, 0.3, 0.3);
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

/*
  Newmark's impulse is half of the forces at both ends of the step, that of contact-implicit Newmark the force at the end alone, also in the
  first step of Newmark. Friction too; the block meets the floor in the first step.
*/
static void Impulses(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (int method = ABUT_INTEGRATOR_NEWMARK; method <= ABUT_INTEGRATOR_CONTACT_IMPLICIT_NEWMARK; method++) {
      const PetscReal dt = 0.002, mass = 1000;
      PetscReal       before[2] = {0, -mass}, force[2] = {0, 0}, most = 0;
      PetscInt        contacts = 0;
      Bench           b;

      Open(&b, (AbutIntegrator)method, dim, dt, 0.0015, 0.3);
      b.bodies[0].shape.rotate[2] = 0;
      b.bodies[0].velocity[0]     = 0.5;
      b.bodies[0].velocity[1]     = -1;
      b.spec.tolerance            = (AbutQuantity){1e-11, PETSC_FALSE};
      before[0]                   = 0.5 * mass;
      BenchOpen(&b);
      for (PetscInt k = 0; k < 20; k++) {
        const PetscReal start = method == ABUT_INTEGRATOR_NEWMARK && k > 0 ? 0.5 : 0;
        BenchStep(&b, 1);
        contacts += b.report.contact.count;
        for (int i = 0; i < 2; i++) {
          const PetscReal now     = b.report.force.contact[i] + b.report.force.friction[i];
          const PetscReal impulse = dt * (start * force[i] + (1 - start) * now - mass * G * i);
          most                    = PetscMax(most, PetscAbsReal(b.report.momentum[i] - before[i] - impulse) / mass);
          before[i]               = b.report.momentum[i];
          force[i]                = now;
        }
      }
      print_message("%dD, %s: change of speed misses the impulse by at most %.1e m/s\n", (int)dim, AbutIntegrators[method], (double)most);
      assert_true(contacts > 0 && before[0] < 0.45 * mass);
      assert_true(most < 1e-7);
      BenchClose(&b);
    }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Bounces), cmocka_unit_test(Impulses)};
  return AbutTestMain(argc, argv, tests);
}
