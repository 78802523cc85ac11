/*
  Ablations of Li et al. (2020), Fig. 3 and 6: barriers and friction that are more or less smooth where they end, pairs of edges without
  the mollifier of eq. 24. Counts Newton iterations with and without them.

  The linker replaces four functions of the library by the versions of this file (--wrap), which call the library's own unless a switch
  is on.
*/
#include "bench.h"

enum { STEPS = 100 }; /* of a falling block */

static PetscBool unmollified;
static PetscInt  barrier = 2, friction = 1; /* their continuity: C0, C1 or C2 */

/* Names that the option --wrap of the linker requires. */
PetscReal __real_AbutMollifier(PetscReal c, PetscReal eps, PetscReal *dm, PetscReal *ddm);
PetscReal __wrap_AbutMollifier(PetscReal c, PetscReal eps, PetscReal *dm, PetscReal *ddm);
PetscReal __real_AbutFrictionPotential(PetscReal y, PetscReal eps, PetscReal mu_static, PetscReal mu_kinetic, PetscReal *f1_over_y,
                                       PetscReal *df1);
PetscReal __wrap_AbutFrictionPotential(PetscReal y, PetscReal eps, PetscReal mu_static, PetscReal mu_kinetic, PetscReal *f1_over_y,
                                       PetscReal *df1);
PetscReal __real_AbutFrictionPeakSlip(PetscReal mu_static, PetscReal mu_kinetic);
PetscReal __wrap_AbutFrictionPeakSlip(PetscReal mu_static, PetscReal mu_kinetic);

PetscReal __real_AbutBarrier(PetscReal s, PetscReal shat, PetscReal *db, PetscReal *ddb);
PetscReal __wrap_AbutBarrier(PetscReal s, PetscReal shat, PetscReal *db, PetscReal *ddb);

/* -shat^2 l (C0) and shat (s - shat) l (C1) instead of -(s - shat)^2 l (C2), with l = ln(s / shat). */
PetscReal __wrap_AbutBarrier(PetscReal s, PetscReal shat, PetscReal *db, PetscReal *ddb)
{
  PetscReal l;

  if (barrier == 2 || s >= shat || !(s > 0)) return __real_AbutBarrier(s, shat, db, ddb);
  l = PetscLogReal(s / shat);
  if (db) *db = barrier ? shat * (l + (s - shat) / s) : -shat * shat / s;
  if (ddb) *ddb = barrier ? shat * (1 + shat / s) / s : shat * shat / (s * s);
  return barrier ? shat * (s - shat) * l : -shat * shat * l;
}

PetscReal __wrap_AbutMollifier(PetscReal c, PetscReal eps, PetscReal *dm, PetscReal *ddm)
{
  if (!unmollified) return __real_AbutMollifier(c, eps, dm, ddm);
  if (dm) *dm = 0;
  if (ddm) *ddm = 0;
  return 1;
}

/*
  f1 = z for z = y / eps < 1, continuous with a kink at 1 (C0 in Fig. 6), instead of z (2 - z) (C1). C2 is 1 - (1 - z)^3, here for one
  coefficient. The coefficient mu(z) is the library's:
  mu_static + 2 m z^2 for z <= 1/2, mu_kinetic - 2 m (1 - z)^2 above, m = mu_kinetic - mu_static.
*/
static PetscReal Coefficient(PetscReal z, PetscReal mu_static, PetscReal mu_kinetic, PetscReal *slope)
{
  const PetscReal m = mu_kinetic - mu_static;

  *slope = 4 * m * PetscMin(z, 1 - z);
  return z < 0.5 ? mu_static + 2 * m * z * z : mu_kinetic - 2 * m * (1 - z) * (1 - z);
}

PetscReal __wrap_AbutFrictionPotential(PetscReal y, PetscReal eps, PetscReal mu_static, PetscReal mu_kinetic, PetscReal *f1_over_y,
                                       PetscReal *df1)
{
  const PetscReal z = y / eps, m = mu_kinetic - mu_static;
  PetscReal       slope, mu;

  if (friction == 1 || z >= 1) return __real_AbutFrictionPotential(y, eps, mu_static, mu_kinetic, f1_over_y, df1);
  if (friction == 2) {
    if (f1_over_y) *f1_over_y = mu_static * (3 - 3 * z + z * z) / eps;
    if (df1) *df1 = 3 * mu_static * (1 - z) * (1 - z) / eps;
    return eps * mu_static * (1 + (1.5 - z + z * z / 4) * z * z - 0.75);
  }
  mu = Coefficient(z, mu_static, mu_kinetic, &slope);
  if (f1_over_y) *f1_over_y = mu / eps;
  if (df1) *df1 = (mu + slope * z) / eps;
  if (z < 0.5) return eps * (mu_static * z * z / 2 + m * z * z * z * z / 2 + (5 * mu_kinetic - mu_static) / 8 + m / 48);
  return eps * (mu_kinetic * (1 + z * z) / 2 + m / 6 - m * z * z * (1 - 4 * z / 3 + z * z / 2));
}

PetscReal __wrap_AbutFrictionPeakSlip(PetscReal mu_static, PetscReal mu_kinetic)
{
  PetscReal peak = 1, most = mu_kinetic, slope;

  if (friction) return __real_AbutFrictionPeakSlip(mu_static, mu_kinetic);
  for (int k = 0; k < 1000; k++) {
    const PetscReal z = 1e-3 * k, f = z * Coefficient(z, mu_static, mu_kinetic, &slope);
    if (f > most) most = f, peak = z;
  }
  return peak;
}

/* Energies of friction are continuous, and their derivatives are right, on both sides of z = 1/2 and up to the kink. */
static void DerivativesOfFriction(PetscReal mu_static, PetscReal mu_kinetic)
{
  for (PetscReal z = 0.05; z < 1.1; z += 0.0495) {
    const PetscReal eps = 1e-3, y = z * eps, h = 1e-5 * eps;
    PetscReal       f[3], d[3], below, above;
    below = AbutFrictionPotential(y - h, eps, mu_static, mu_kinetic, &f[0], NULL);
    above = AbutFrictionPotential(y + h, eps, mu_static, mu_kinetic, &f[2], NULL);
    (void)AbutFrictionPotential(y, eps, mu_static, mu_kinetic, &f[1], &d[1]);
    if (PetscAbsReal((above - below) / (2 * h) - f[1] * y) > 1e-8) fail_msg("force at %g of eps", (double)z);
    if (PetscAbsReal(((y + h) * f[2] - (y - h) * f[0]) / (2 * h) - d[1]) * eps > 1e-6) fail_msg("slope at %g of eps", (double)z);
  }
}

static void Derivatives(void **state)
{
  (void)state;
  friction = 0;
  DerivativesOfFriction(1.2, 0.3);
  friction = 2;
  DerivativesOfFriction(0.7, 0.7);
  friction = 1;
  for (barrier = 0; barrier < 2; barrier++) {
    for (PetscReal s = 0.1; s < 0.95; s += 0.1) {
      const PetscReal h = 1e-6;
      PetscReal       db[3], ddb, below = AbutBarrier(s - h, 1, &db[0], NULL), above = AbutBarrier(s + h, 1, &db[2], NULL);
      (void)AbutBarrier(s, 1, &db[1], &ddb);
      assert_true(PetscAbsReal((above - below) / (2 * h) - db[1]) < 1e-7);
      assert_true(PetscAbsReal((db[2] - db[0]) / (2 * h) - ddb) < 1e-6);
    }
  }
  barrier = 2;
}

/* Newton iterations of so many steps, and the most in one; closes the bench. */
static PetscInt Newton(Bench *b, PetscInt steps, PetscInt *most)
{
  PetscInt newton = 0;

  *most = 0;
  for (PetscInt k = 0; k < steps; k++) {
    BenchStep(b, 1);
    newton += b->report.count.newton;
    *most = PetscMax(*most, b->report.count.newton);
  }
  BenchClose(b);
  return newton;
}

/* The part of a body above a fraction of its height. */
static void Select(AbutMotionSpec *motion, PetscReal from)
{
  motion->selection.has_box = motion->selection.relative = PETSC_TRUE;
  for (int i = 0; i < 3; i++) motion->selection.box[1][i] = 1;
  motion->selection.box[0][1] = from;
}

/*
  A block stands on a corner on a plane, in 2D. Its upper part is pressed by 2.5 mm and then moves along the plane, so that the corner
  sticks and slips. Newton iterations in all steps, and the most in one.
*/
static PetscInt Drag(PetscReal mu_static, PetscReal mu_kinetic, PetscInt *most)
{
  Bench b;

  BenchInit(&b, PETSC_COMM_WORLD, 2, 1e-3);
  b.mu[0]               = mu_static;
  b.mu[1]               = mu_kinetic;
  b.materials[0].young  = 1e7;
  b.spec.friction_speed = (AbutQuantity){1e-3, PETSC_FALSE};
  b.spec.tolerance      = (AbutQuantity){1e-5, PETSC_FALSE};
  BenchAddBox(&b, "block", 0, 0.1, 4, 0, 0.0712);
  BenchAddPlane(&b, "floor", 0, 1);
  b.bodies[0].shape.rotate[2] = 45;
  Select(BenchAddMotion(&b, "block", 0, -0.1), 0.7);
  b.motions[0].end = 0.025;
  Select(BenchAddMotion(&b, "block", 0.05, 0), 0.7);
  b.motions[1].start = 0.025;
  BenchOpen(&b);
  return Newton(&b, 120, most);
}

static void Report(const char scene[], const PetscInt newton[2], const PetscInt most[2])
{
  print_message("%s: Newton iterations %" PetscInt_FMT " (most %" PetscInt_FMT "), in the ablation %" PetscInt_FMT " (%" PetscInt_FMT ")\n",
                scene, newton[0], most[0], newton[1], most[1]);
}

/* Friction with a kink takes a third more iterations, with a coefficient that falls as many; C2 friction takes 6 % fewer. */
static void Friction(void **state)
{
  static const PetscReal mu[][2]  = {{0.5, 0.5}, {0.586, 0.3}};
  static const char     *scene[]  = {"coefficient 0.5", "coefficients 0.586 and 0.3"};
  static const PetscReal factor[] = {1.15, 0.95};

  (void)state;
  for (int k = 0; k < 2; k++) {
    PetscInt newton[2], most[2];
    for (int kink = 0; kink < 2; kink++) {
      friction     = 1 - kink;
      newton[kink] = Drag(mu[k][0], mu[k][1], &most[kink]);
    }
    friction = 1;
    Report(scene[k], newton, most);
    assert_true((PetscReal)newton[1] > factor[k] * (PetscReal)newton[0]);
    assert_true(newton[1] < 2 * newton[0]);
    if (k) continue;
    friction  = 2;
    newton[1] = Drag(mu[0][0], mu[0][1], &most[1]);
    friction  = 1;
    Report("C2", newton, most);
    assert_true(newton[1] > 0.8 * newton[0] && newton[1] < 1.2 * newton[0]);
  }
}

/* A block falls on a plane, rebounds and falls again: Newton iterations until the end, or until a step does not converge. */
static PetscInt Fall(PetscInt *steps)
{
  PetscInt newton = 0;
  Bench    b;

  BenchInit(&b, PETSC_COMM_WORLD, 3, 0.005);
  b.spec.gravity[1] = -10;
  b.spec.max_newton = 200;
  b.spec.dhat       = (AbutQuantity){5e-3, PETSC_FALSE};
  BenchAddBox(&b, "block", 0, 0.5, 3, 0, 0.5);
  BenchAddPlane(&b, "floor", 0, 1);
  b.bodies[0].shape.rotate[2] = 20;
  BenchOpen(&b);
  for (*steps = 0; *steps < STEPS; ++*steps) {
    AbutTestCall(AbutStepperStep(b.stepper, &b.report));
    newton += b.report.count.newton;
    if (!b.report.converged) break;
    if (*steps % 10 == 9) print_message("%ld %g %ld\n", (long)*steps, b.report.energy.kinetic, (long)newton);
  }
  BenchClose(&b);
  return newton;
}

/* A barrier that is clamped without a continuous force ends the run in the first contact; C1 and C2 take as many iterations. */
static void Barriers(void **state)
{
  PetscInt newton[3], steps[3];

  (void)state;
  for (int k = 2; k >= 0; k--) {
    barrier   = k;
    newton[k] = Fall(&steps[k]);
    print_message("barrier C%d: %" PetscInt_FMT " Newton iterations in %" PetscInt_FMT " steps\n", k, newton[k], steps[k]);
  }
  barrier = 2;
  assert_true(steps[2] == STEPS && steps[1] == STEPS && steps[0] < STEPS / 2);
  assert_true(newton[1] > 0.8 * newton[2] && newton[1] < 1.2 * newton[2]);
}

/*
  A bar over a fixed one, edge over edge, is lowered by 4 mm and turns about the vertical: through the parallel position halfway. Newton
  iterations in all steps, and the most in one.
*/
static PetscInt Turn(PetscReal rate, PetscInt *most)
{
  Bench b;

  BenchInit(&b, PETSC_COMM_WORLD, 3, 0.01);
  b.spec.max_newton = 1000;
  b.spec.dhat       = (AbutQuantity){2e-3, PETSC_FALSE};
  BenchAddBox(&b, "bar", 0, 0.1, 1, 0, 0.1 * PETSC_SQRT2 + 1.2e-3);
  BenchAddBox(&b, "rail", -1, 0.1, 1, 0, 0);
  for (int k = 0; k < 2; k++) {
    b.bodies[k].shape.rotate[2] = 45;
    b.bodies[k].shape.size[2]   = 0.4;
  }
  b.bodies[0].shape.rotate[1] = -0.1 * rate * 180 / PETSC_PI;
  Select(BenchAddMotion(&b, "bar", 0, -0.02), 0.4);
  b.motions[0].angular_velocity[1] = rate;
  BenchOpen(&b);
  return Newton(&b, 20, most);
}

/*
  Edges that pass the parallel position take 2.2 to 3.6 times as many iterations without the mollifier; edges that stay parallel do not take
  more: their gradient jumps at an angle that no iterate reaches.
*/
static void Edges(void **state)
{
  static const PetscReal rate[]   = {0, 0.02, 0.04}; /* [rad/s] */
  static const PetscReal factor[] = {0.8, 1.5, 1.4};
  static const char     *scene[]  = {"parallel edges", "edges that turn at 0.02 rad/s", "edges that turn at 0.04 rad/s"};

  (void)state;
  for (int k = 0; k < 3; k++) {
    PetscInt newton[2], most[2];
    for (int without = 0; without < 2; without++) {
      unmollified     = (PetscBool)without;
      newton[without] = Turn(rate[k], &most[without]);
    }
    unmollified = PETSC_FALSE;
    Report(scene[k], newton, most);
    assert_true((PetscReal)newton[1] > factor[k] * (PetscReal)newton[0]);
    if (k) assert_true(most[1] > most[0]);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Derivatives), cmocka_unit_test(Barriers), cmocka_unit_test(Friction),
                                     cmocka_unit_test(Edges)};
  return AbutTestMain(argc, argv, tests);
}
