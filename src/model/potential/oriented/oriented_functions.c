/* Functions of one variable: spline, barrier, smoothed step, mollifiers. */
#include "orientedimpl.h"

static inline void Store(PetscReal *df, PetscReal *ddf, PetscReal first, PetscReal second)
{
  if (df) *df = first;
  if (ddf) *ddf = second;
}

PetscReal AbutOrientedSpline(PetscReal x, PetscReal *df, PetscReal *ddf)
{
  const PetscReal y = PetscAbsReal(x), sign = x < 0 ? -1 : 1, rest = 1 - y;

  if (y < 0.5) {
    Store(df, ddf, sign * y * (12 * y - 8), 24 * y - 8);
    return 2.0 / 3 - 4 * y * y * rest;
  }
  if (y < 1) {
    Store(df, ddf, -4 * sign * rest * rest, 8 * rest);
    return 4.0 / 3 * rest * rest * rest;
  }
  Store(df, ddf, 0, 0);
  return 0;
}

PetscReal AbutOrientedBarrier(PetscReal x, PetscReal power, PetscReal *df, PetscReal *ddf)
{
  PetscReal       b1, b2;
  const PetscReal b = AbutOrientedSpline(x, &b1, &b2), scale = b > 0 ? AbutOrientedInversePower(x, power) : 0;

  Store(df, ddf, scale * (b1 - power * b / x), scale * (b2 - 2 * power * b1 / x + power * (power + 1) * b / (x * x)));
  return scale * b;
}

/*
  In regular meshes many angles are exactly at the limit of the step. With this tolerance such pairs are inactive whatever the round-off.
*/
#define ROUNDING 1e-8 /* of y: the step is 1e-25 there */

PetscReal AbutOrientedStep(PetscReal z, PetscReal alpha, PetscReal beta, PetscReal *df, PetscReal *ddf)
{
  const PetscReal scale = 3 / (alpha + beta), y = scale * (z - beta);
  PetscReal       f, f1, f2;

  if (y <= -3 + ROUNDING) {
    f = f1 = f2 = 0;
  } else if (y <= -2) {
    f  = (3 + y) * (3 + y) * (3 + y) / 6;
    f1 = (3 + y) * (3 + y) / 2;
    f2 = 3 + y;
  } else if (y <= -1) {
    f  = (3 - y * (9 + y * (9 + 2 * y))) / 6;
    f1 = -(3 + y * (6 + 2 * y)) / 2;
    f2 = -(3 + 2 * y);
  } else if (y < 0) {
    f  = 1 + y * y * y / 6;
    f1 = y * y / 2;
    f2 = y;
  } else {
    f  = 1;
    f1 = f2 = 0;
  }
  Store(df, ddf, scale * f1, scale * scale * f2);
  return f;
}

PetscReal AbutOrientedBlend(PetscReal z, PetscReal *df, PetscReal *ddf)
{
  const PetscBool inside = (PetscBool)(z > 0 && z < 1);

  Store(df, ddf, inside ? 2 * (1 - z) : 0, inside ? -2 : 0);
  return inside ? z * (2 - z) : z >= 1;
}

PetscReal AbutOrientedRamp(PetscReal z, PetscReal *df, PetscReal *ddf)
{
  const PetscBool inside = (PetscBool)(z > 0 && z < 1);
  const PetscReal rest   = 1 - z;

  Store(df, ddf, inside ? 6 * z * rest : 0, inside ? 6 * (rest - z) : 0);
  return inside ? z * z * (3 - 2 * z) : z >= 1;
}
