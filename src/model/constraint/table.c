/*
  Tables over time. Smooth tables are cubic Hermite polynomials with the slopes of Fritsch and Butland [1984, A method for constructing
  local monotone piecewise cubic interpolants]: the harmonic mean of the slopes on both sides, 0 at extremes and at both ends, so that the
  curve is monotone between two points and joins the constants outside.
*/
#include <abut/constraint.h>

#define SAME 1e-6 /* times that differ by less than this fraction of a step are equal */

const char *const AbutInterpolations[] = {"linear", "smooth", "AbutInterpolation", "ABUT_INTERPOLATION_", NULL};

static PetscReal Time(const AbutTimeTable *table, PetscInt i)
{
  return table->points[2 * i];
}

static PetscReal At(const AbutTimeTable *table, PetscInt i)
{
  return table->points[2 * i + 1];
}

/* Slope of the straight line from point i to the next one. */
static PetscReal Chord(const AbutTimeTable *table, PetscInt i)
{
  return (At(table, i + 1) - At(table, i)) / (Time(table, i + 1) - Time(table, i));
}

/* Slope of a smooth table at point i. */
static PetscReal Slope(const AbutTimeTable *table, PetscInt i)
{
  PetscReal before, after, left, right;

  if (i == 0 || i == table->num - 1) return 0;
  left   = Chord(table, i - 1);
  right  = Chord(table, i);
  before = Time(table, i) - Time(table, i - 1);
  after  = Time(table, i + 1) - Time(table, i);
  if (!(left * right > 0)) return 0;
  return 3 * (before + after) / ((2 * after + before) / left + (after + 2 * before) / right);
}

/* The last point at or before t, for t from the first point to before the last one. */
static PetscInt Find(const AbutTimeTable *table, PetscReal t)
{
  PetscInt low = 0, high = table->num - 1;

  while (high - low > 1) {
    const PetscInt middle                      = (low + high) / 2;
    *(Time(table, middle) <= t ? &low : &high) = middle;
  }
  return low;
}

PetscReal AbutTimeTableValue(const AbutTimeTable *table, PetscReal t)
{
  PetscReal length, s, r;
  PetscInt  i;

  if (!table->num) return 1;
  if (t <= Time(table, 0)) return At(table, 0);
  if (t >= Time(table, table->num - 1)) return At(table, table->num - 1);
  i      = Find(table, t);
  length = Time(table, i + 1) - Time(table, i);
  s      = (t - Time(table, i)) / length;
  r      = 1 - s;
  if (table->interpolation == ABUT_INTERPOLATION_LINEAR) return r * At(table, i) + s * At(table, i + 1);
  return (1 + 2 * s) * r * r * At(table, i) + (3 - 2 * s) * s * s * At(table, i + 1) +
         length * s * r * (r * Slope(table, i) - s * Slope(table, i + 1));
}

/* Integral from point i over the fraction s of the way to the next point. */
static PetscReal Primitive(const AbutTimeTable *table, PetscInt i, PetscReal s)
{
  const PetscReal length = Time(table, i + 1) - Time(table, i), s2 = s * s, s3 = s2 * s, s4 = s2 * s2;

  if (table->interpolation == ABUT_INTERPOLATION_LINEAR) return length * ((s - s2 / 2) * At(table, i) + s2 / 2 * At(table, i + 1));
  return length * ((s - s3 + s4 / 2) * At(table, i) + (s3 - s4 / 2) * At(table, i + 1) +
                   length * ((s2 / 2 - 2 * s3 / 3 + s4 / 4) * Slope(table, i) + (s4 / 4 - s3 / 3) * Slope(table, i + 1)));
}

PetscReal AbutTimeTableIntegral(const AbutTimeTable *table, PetscReal from, PetscReal to)
{
  const PetscInt last = table->num - 1;
  PetscReal      sum;

  if (!table->num) return to - from;
  sum =
    PetscMax(PetscMin(to, Time(table, 0)) - from, 0) * At(table, 0) + PetscMax(to - PetscMax(from, Time(table, last)), 0) * At(table, last);
  for (PetscInt i = 0; i < last; i++) {
    const PetscReal length = Time(table, i + 1) - Time(table, i);
    const PetscReal a = PetscMax((from - Time(table, i)) / length, 0), b = PetscMin((to - Time(table, i)) / length, 1);
    if (a < b) sum += Primitive(table, i, b) - Primitive(table, i, a);
  }
  return sum;
}

PetscReal AbutTimeTableLargestChange(const AbutTimeTable *table, PetscReal h)
{
  PetscReal slope = 0, low = PETSC_MAX_REAL, high = PETSC_MIN_REAL;

  if (!table->num) return 0;
  for (PetscInt i = 0; i < table->num; i++) {
    if (i) slope = PetscMax(slope, PetscAbsReal(Chord(table, i - 1)));
    low  = PetscMin(low, At(table, i));
    high = PetscMax(high, At(table, i));
  }
  if (table->interpolation == ABUT_INTERPOLATION_CUBIC) slope *= 3; /* of a monotone cubic over its chord, at most */
  return PetscMin(h * slope, high - low);
}

PetscReal AbutTimeTableLargest(const AbutTimeTable *table)
{
  PetscReal largest = table->num ? 0 : 1;

  for (PetscInt i = 0; i < table->num; i++) largest = PetscMax(largest, PetscAbsReal(At(table, i)));
  return largest;
}

PetscBool AbutTimeTableEndsStep(const AbutTimeTable *table, PetscInt i, PetscReal h)
{
  const PetscReal least = (1 - SAME) * h;

  return (PetscBool)(i == 0 || i == table->num - 1 || Time(table, i) - Time(table, i - 1) >= least ||
                     Time(table, i + 1) - Time(table, i) >= least);
}
