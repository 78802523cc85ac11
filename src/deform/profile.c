/*
  Profile of the displacement: a cubic B-spline (f_1(t), f_2(t)) with six control points and the knots 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, lines
  49 to 55 of Algorithm 2. The second control point lies on an ellipse around the first, at the angle whose tangent makes the slope at u =
  0 equal to s.
*/
#include "responseimpl.h"

/* Coefficients of the six basis functions in powers of t - p in the interval p <= t <= p + 1. */
static const PetscReal basis[3][6][4] = {
  {{1, -3, 3, -1}, {0, 3, -9. / 2, 7. / 4}, {0, 0, 3. / 2, -11. / 12}, {0, 0, 0, 1. / 6}, {0}, {0}},
  {{0},
   {1. / 4, -3. / 4, 3. / 4, -1. / 4},
   {7. / 12, 1. / 4, -5. / 4, 7. / 12},
   {1. / 6, 1. / 2, 1. / 2, -7. / 12},
   {0, 0, 0, 1. / 4},
   {0}},
  {{0}, {0}, {1. / 6, -1. / 2, 1. / 2, -1. / 6}, {7. / 12, -1. / 4, -5. / 4, 11. / 12}, {1. / 4, 3. / 4, 3. / 4, -7. / 4}, {0, 0, 0, 1}}};

static PetscReal Cubic(const PetscReal c[4], PetscReal t)
{
  return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
}

static void Combine(PetscInt interval, const PetscReal control[6], PetscReal c[4])
{
  for (PetscInt k = 0; k < 4; k++) {
    c[k] = 0;
    for (PetscInt l = 0; l < 6; l++) c[k] += control[l] * basis[interval][l][k];
  }
}

/*
  Root in [0, 1] of an increasing cubic polynomial minus u by Newton's method from the secant, with bisection where it leaves the bracket.
*/
static PetscReal Invert(const PetscReal c[4], PetscReal u)
{
  PetscReal low = 0, high = 1, t = PetscMax(0, PetscMin(1, (u - c[0]) / (c[1] + c[2] + c[3])));

  for (PetscInt k = 0; k < 60 && high - low > PETSC_MACHINE_EPSILON; k++) {
    const PetscReal value = Cubic(c, t) - u, derivative = c[1] + t * (2 * c[2] + 3 * t * c[3]);
    PetscReal       next = derivative > 0 ? t - value / derivative : -1;

    if (value > 0)
      high = t;
    else
      low = t;
    if (next <= low || next >= high) next = (low + high) / 2;
    if (PetscAbsReal(next - t) <= 2 * PETSC_MACHINE_EPSILON || value == 0) return value == 0 ? t : next;
    t = next;
  }
  return t;
}

/* First coordinate of the control points, and the interval of t that contains u: its ends are at the values of f_1 at the knots. */
static PetscInt Interval(const PetscReal abscissa[6], PetscReal u)
{
  for (PetscInt p = 1; p < 3; p++) {
    PetscReal knot = 0;

    for (PetscInt l = 0; l < 6; l++) knot += abscissa[l] * basis[p][l][0];
    if (u < knot) return p - 1;
  }
  return 2;
}

void AbutProfileEvaluate(const AbutDeformConstants *options, PetscReal a, PetscReal s, PetscReal u, PetscReal *height, PetscReal *shape)
{
  const PetscReal x = options->profile_slope * a, y = options->profile_u * s, radius = PetscSqrtReal(x * x + y * y);
  const PetscReal cosine = radius > 0 ? x / radius : 1, sine = radius > 0 ? y / radius : 0;
  const PetscReal abscissa[6] = {0, options->profile_u * cosine, 0.4, 0.6, 0.8, 1};
  const PetscReal ordinate[6] = {-a, a * (options->profile_slope * sine - 1)};
  const PetscInt  interval    = Interval(abscissa, u);
  PetscReal       c[4], t;

  Combine(interval, abscissa, c);
  t = Invert(c, u);
  Combine(interval, ordinate, c);
  *height = Cubic(c, t);
  *shape  = Cubic(basis[interval][2], t);
}
