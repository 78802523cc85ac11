/* Integrators against the closed forms of a linear oscillator: order in time, energy, decay. */
#include "oscillator.h"

#define PERIODS 1.125 /* at this time errors of phase and of amplitude both show */

/* Error of the stretch at the end after `steps` steps; vary: one full step and two half steps alternate. */
static PetscReal Error(AbutIntegrator integrator, PetscInt steps, PetscBool vary)
{
  Bench     b;
  PetscReal end, error;

  OscillatorOpen(&b, integrator, 1, 1, 0, 0);
  end = PERIODS * 2 * PETSC_PI / OscillatorFrequency(&b);
  BenchClose(&b);
  OscillatorOpen(&b, integrator, end / steps, end / steps / 2, 0, 0);
  for (PetscInt k = 0; b.state->time < end * (1 - 1e-9); k++) {
    b.state->dt = vary && k % 3 ? b.spec.dt / 2 : b.spec.dt;
    BenchStep(&b, 1);
  }
  AbutTestClose("end", 1, &b.state->time, &end, 1e-12);
  error = PetscAbsReal(OscillatorStretch(&b) - PetscCosReal(2 * PETSC_PI * PERIODS));
  BenchClose(&b);
  return error;
}

static void ExpectOrder(AbutIntegrator integrator, PetscInt steps, PetscBool vary, PetscReal order)
{
  const PetscReal coarse = Error(integrator, steps, vary), fine = Error(integrator, 2 * steps, vary);
  const PetscReal observed = PetscLogReal(coarse / fine) / PetscLogReal(2);

  print_message("%s%s: error %.3e in %ld steps, order %.3f\n", AbutIntegrators[integrator], vary ? ", steps vary" : "", (double)fine,
                2 * (long)steps, (double)observed);
  assert_true(fine > 1e-6 && fine < 0.1);
  assert_true(PetscAbsReal(observed - order) < 0.15); /* the next term of the error expansion is a few percent at these steps */
}

static void Orders(void **state)
{
  (void)state;
  ExpectOrder(ABUT_INTEGRATOR_EULER, 400, PETSC_FALSE, 1);
  ExpectOrder(ABUT_INTEGRATOR_NEWMARK, 60, PETSC_FALSE, 2);
  ExpectOrder(ABUT_INTEGRATOR_BDF2, 100, PETSC_FALSE, 2);
  ExpectOrder(ABUT_INTEGRATOR_NEWMARK, 60, PETSC_TRUE, 2);
  ExpectOrder(ABUT_INTEGRATOR_BDF2, 100, PETSC_TRUE, 2);
}

static void NewmarkKeepsEnergy(void **state)
{
  PetscReal first = 0;

  (void)state;
  Bench b;
  OscillatorOpen(&b, ABUT_INTEGRATOR_NEWMARK, 0.02, 0.02, 0, 0);
  for (PetscInt k = 0; k < 100; k++) {
    PetscReal energy;
    BenchStep(&b, 1);
    energy = b.report.energy.kinetic + b.report.energy.elastic;
    if (k == 0) first = energy;
    if (PetscAbsReal(energy - first) > 1e-9 * first) /* exact but for round-off of positions of size 1 against stretches of 1e-3 */
      fail_msg("energy %.12e after step %ld, %.12e after the first", (double)energy, (long)k + 1, (double)first);
  }
  BenchClose(&b);
}

/* Damped oscillator s'' + (a + b w^2) s' + w^2 s = 0: the decay equals the closed form within the discretisation error `tolerance`. */
static void Decays(AbutIntegrator integrator, PetscReal damping_mass, PetscReal share_stiffness, PetscReal tolerance)
{
  Bench     b;
  PetscReal omega, rate, damped, exact, t, stiffness;

  OscillatorOpen(&b, integrator, 1, 1, 0, 0);
  omega = OscillatorFrequency(&b);
  BenchClose(&b);
  stiffness = share_stiffness / omega;
  OscillatorOpen(&b, integrator, 2 * PETSC_PI / omega / 400, 0, damping_mass * omega, stiffness);
  BenchStep(&b, 400);
  t      = b.state->time;
  rate   = (damping_mass * omega + stiffness * PetscSqr(omega)) / 2;
  damped = PetscSqrtReal(PetscSqr(omega) - PetscSqr(rate));
  exact  = PetscExpReal(-rate * t) * (PetscCosReal(damped * t) + rate / damped * PetscSinReal(damped * t));
  assert_true(exact > 0.1 && exact < 0.9);
  print_message("%s, damping %g %g: %.5f, exact %.5f\n", AbutIntegrators[integrator], (double)damping_mass, (double)share_stiffness,
                (double)OscillatorStretch(&b), (double)exact);
  assert_true(PetscAbsReal(OscillatorStretch(&b) - exact) < tolerance);
  BenchClose(&b);
}

static void DampingDecays(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    const PetscReal mass = k ? 0 : 0.2, stiffness = k ? 0.2 : 0;
    Decays(ABUT_INTEGRATOR_NEWMARK, mass, stiffness, 1e-3); /* (w h)^2 = 2.5e-4 */
    Decays(ABUT_INTEGRATOR_BDF2, mass, stiffness, 2e-3);
    Decays(ABUT_INTEGRATOR_EULER, mass, stiffness, 3e-2); /* w h = 1.6e-2, over a period: pi w h of the amplitude */
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Orders), cmocka_unit_test(NewmarkKeepsEnergy), cmocka_unit_test(DampingDecays)};
  return AbutTestMain(argc, argv, tests);
}
