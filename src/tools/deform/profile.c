/*
  Profile of the displacement: a cubic B-spline (f_1(t), f_2(t)) with six control points and the knots 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, lines
  49 to 55 of Algorithm 2. The second control point lies on an ellipse around the first, at the angle whose tangent makes the slope at u =
  0 equal to s.
*/
#include "responseimpl.h"

#define PROFILE_U     0.2 /* abscissa of the second control point of the profile at slope 0 */
#define PROFILE_SLOPE 0.4 /* height of the second control point over the amplitude at infinite slope */

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

/* First coordinates of the control points; the second one depends on the vertex. */
static const PetscReal abscissa[6] = {0, 0, 0.4, 0.6, 0.8, 1};

/* Vertices of a block, in SIMD registers. */
#define BLOCK 8

/* The equation f_1(t) = u of each vertex in its interval, a cubic polynomial, and the bracket of its root. */
typedef struct {
  PetscReal c[4][BLOCK], u[BLOCK], t[BLOCK], low[BLOCK], high[BLOCK];
  PetscReal open[BLOCK]; /* 1: t is not the root yet, else 0 */
} Block;

static inline PetscReal Cubic(PetscReal c0, PetscReal c1, PetscReal c2, PetscReal c3, PetscReal t)
{
  return c0 + t * (c1 + t * (c2 + t * c3));
}

/* A step of Newton's method, or of bisection where it leaves the bracket. No branches: the compiler joins the vertices of a block. */
static inline void Step(Block *b, PetscInt l)
{
  const PetscReal t = b->t[l], value = Cubic(b->c[0][l], b->c[1][l], b->c[2][l], b->c[3][l], t) - b->u[l];
  const PetscReal derivative = b->c[1][l] + t * (2 * b->c[2][l] + 3 * t * b->c[3][l]);
  const PetscReal step = value / (derivative > 0 ? derivative : 1), next = derivative > 0 ? t - step : -1;
  const PetscReal low = value > 0 ? b->low[l] : t, high = value > 0 ? t : b->high[l], middle = (low + high) / 2;
  const PetscReal above = next > low ? next : middle, inside = next < high ? above : middle;
  const PetscReal open = PetscAbsReal(step) > 2 * PETSC_MACHINE_EPSILON ? b->open[l] : 0;

  b->low[l]  = low;
  b->high[l] = high;
  b->open[l] = open;
  b->t[l]    = open > 0 ? inside : t;
}

/* Sets t to the roots in [0, 1] of the increasing polynomials by Newton's method from the secant. */
static void Invert(Block *b)
{
  PetscReal open = BLOCK;

  for (PetscInt l = 0; l < BLOCK; l++) {
    b->t[l]    = PetscMax(0, PetscMin(1, (b->u[l] - b->c[0][l]) / (b->c[1][l] + b->c[2][l] + b->c[3][l])));
    b->low[l]  = 0;
    b->high[l] = b->open[l] = 1;
  }
  for (PetscInt k = 0; k < 60 && open > 0; k++) {
    open = 0;
    for (PetscInt l = 0; l < BLOCK; l++) Step(b, l);
    for (PetscInt l = 0; l < BLOCK; l++) open += b->open[l];
  }
}

/* Coefficients of f_1 in each interval of t, without the contribution of the second control point, which varies. */
static void SetFixed(PetscReal fixed[3][4])
{
  for (PetscInt p = 0; p < 3; p++) {
    for (PetscInt k = 0; k < 4; k++) {
      fixed[p][k] = 0;
      for (PetscInt l = 2; l < 6; l++) fixed[p][k] += abscissa[l] * basis[p][l][k];
    }
  }
}

/* The interval of t that contains u: its ends are at the values of f_1 at the knots. */
static PetscInt Interval(const PetscReal fixed[3][4], PetscReal second, PetscReal u)
{
  return (u >= fixed[1][0] + second * basis[1][1][0]) + (u >= fixed[2][0]);
}

static void EvaluateBlock(const PetscReal fixed[3][4], PetscInt num, AbutProfilePoint points[])
{
  PetscInt  interval[BLOCK];
  PetscReal second[BLOCK];
  Block     b;

  for (PetscInt l = 0; l < BLOCK; l++) {
    const AbutProfilePoint *point = &points[l < num ? l : 0];
    const PetscReal         x = PROFILE_SLOPE * point->a, y = PROFILE_U * point->s, radius = PetscSqrtReal(x * x + y * y);
    const PetscReal         cosine = radius > 0 ? x / radius : 1, sine = radius > 0 ? y / radius : 0;

    interval[l] = Interval(fixed, PROFILE_U * cosine, point->u);
    second[l]   = point->a * (PROFILE_SLOPE * sine - 1);
    b.u[l]      = point->u;
    for (PetscInt k = 0; k < 4; k++) b.c[k][l] = fixed[interval[l]][k] + PROFILE_U * cosine * basis[interval[l]][1][k];
  }
  Invert(&b);
  for (PetscInt l = 0; l < num; l++) {
    const PetscReal(*f)[4] = basis[interval[l]];
    const PetscReal a = points[l].a, y = second[l];

    points[l].height =
      Cubic(y * f[1][0] - a * f[0][0], y * f[1][1] - a * f[0][1], y * f[1][2] - a * f[0][2], y * f[1][3] - a * f[0][3], b.t[l]);
    points[l].shape = Cubic(f[2][0], f[2][1], f[2][2], f[2][3], b.t[l]);
  }
}

void AbutProfileEvaluate(PetscInt num, AbutProfilePoint points[])
{
  PetscReal fixed[3][4];

  SetFixed(fixed);
  for (PetscInt k = 0; k < num; k += BLOCK) EvaluateBlock(fixed, PetscMin(num - k, BLOCK), &points[k]);
}
