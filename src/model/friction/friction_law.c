/* Smoothed Coulomb law: potential, force and its slope over the slip [Li et al. 2020, eq. 13], with a static and a kinetic coefficient. */
#include <abut/friction.h>

/*
  With z = y / eps, w = 1 - z and m = mu_kinetic - mu_static, the coefficient is mu_static + 2 m z^2 for z <= 1/2 and mu_kinetic - 2 m w^2
  for 1/2 <= z <= 1. phi is the integral of the coefficient times f1 = 2 z - z^2 = 1 - w^2, with phi(eps) = mu_kinetic eps.
*/
PetscReal AbutFrictionPotential(PetscReal y, PetscReal eps, PetscReal mu_static, PetscReal mu_kinetic, PetscReal *f1_over_y, PetscReal *df1)
{
  const PetscReal z = y / eps, m = mu_kinetic - mu_static;

  if (y >= eps) {
    if (f1_over_y) *f1_over_y = mu_kinetic / y;
    if (df1) *df1 = 0;
    return mu_kinetic * y;
  }
  if (z < 0.5) {
    if (f1_over_y) *f1_over_y = (mu_static + 2 * m * z * z) * (2 - z) / eps;
    if (df1) *df1 = (2 * mu_static * (1 - z) + 4 * m * z * z * (3 - 2 * z)) / eps;
    return eps * (mu_static * z * z * (1 - z / 3) + m * z * z * z * z * (1 - 0.4 * z) + (27 * mu_kinetic - 11 * mu_static) / 48);
  } else {
    const PetscReal w = 1 - z;
    if (f1_over_y) *f1_over_y = (mu_kinetic - 2 * m * w * w) * (2 - z) / eps;
    if (df1) *df1 = (2 * (mu_kinetic + 2 * m) * w - 8 * m * w * w * w) / eps;
    return eps * (mu_kinetic * z + (mu_kinetic + 2 * m) * w * w * w / 3 - 0.4 * m * w * w * w * w * w);
  }
}

/*
  The zero of d(mu f1)/dy. For z <= 1/2: the root of the decreasing function mu_static (1 - z) + 2 m z^2 (3 - 2 z), by bisection. For z >=
  1/2: w^2 = (mu_kinetic + 2 m) / 4 m. If mu_kinetic >= 2/3 mu_static, the force grows up to eps.
*/
PetscReal AbutFrictionPeakSlip(PetscReal mu_static, PetscReal mu_kinetic)
{
  const PetscReal m   = mu_kinetic - mu_static;
  PetscReal       low = 0, high = 0.5;

  if (3 * mu_kinetic >= 2 * mu_static) return 1;
  if (2 * mu_kinetic >= mu_static) return 1 - PetscSqrtReal((mu_kinetic + 2 * m) / (4 * m));
  for (int k = 0; k < 60; k++) {
    const PetscReal z = (low + high) / 2;
    if (mu_static * (1 - z) + 2 * m * z * z * (3 - 2 * z) > 0)
      low = z;
    else
      high = z;
  }
  return low;
}

/* The largest mu f1. */
static PetscReal Most(PetscReal mu_static, PetscReal mu_kinetic)
{
  const PetscReal peak = AbutFrictionPeakSlip(mu_static, mu_kinetic);
  PetscReal       f1_over_y;

  AbutFrictionPotential(peak, 1, mu_static, mu_kinetic, &f1_over_y, NULL);
  return f1_over_y * peak;
}

/* By bisection: Most() is mu_kinetic up to mu_static = 3/2 mu_kinetic; then it grows with mu_static, of which it is at least 0.438. */
PetscReal AbutFrictionCoefficientAtRest(PetscReal held, PetscReal mu_kinetic)
{
  PetscReal low = 1.5 * mu_kinetic, high = 2.5 * held;

  if (held <= mu_kinetic) return held;
  for (int k = 0; k < 60; k++) {
    const PetscReal middle = (low + high) / 2;
    if (Most(middle, mu_kinetic) < held)
      low = middle;
    else
      high = middle;
  }
  return low;
}
