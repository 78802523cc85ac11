/*
  One pair of quadrature points: angle factors and far part of the barrier as a function of their difference d and of the normals of both
  elements, which are independent variables here.

  Angle factor of a point of a smooth surface: the distance must not decrease along any tangent. The largest cosine of d with a tangent is
  the sine of its angle with the normal, so the factor is step(sine) step(-sine); in 2D this is the product over both directions of the
  edge. It does not depend on how the surface is divided into faces.
*/
#include "oriented_sample.h"

#define STRAIGHT 1e-12 /* sine below which the direction counts as normal */

/* Product of the steps of both tangent directions as a function of the sine. It is even, hence smooth in the cosine. */
static PetscReal TangentStep(const AbutOrientedSpec *spec, PetscReal sine, PetscReal *df, PetscReal *ddf)
{
  PetscReal       up1, up2, down1, down2;
  const PetscReal up   = AbutOrientedStep(sine, spec->alpha_t, spec->beta_t, &up1, &up2);
  const PetscReal down = AbutOrientedStep(-sine, spec->alpha_t, spec->beta_t, &down1, &down2);

  *df  = up1 * down - up * down1;
  *ddf = up2 * down - 2 * up1 * down1 + up * down2;
  return up * down;
}

/* Angle factor and its derivatives in the cosine. */
static PetscReal Angle(const AbutOrientedSpec *spec, PetscBool oriented, PetscReal cosine, PetscReal sine, PetscReal *df, PetscReal *ddf)
{
  PetscReal       t1, t2, s1, s2, n1, n2;
  const PetscReal t = TangentStep(spec, sine, &t1, &t2);
  PetscReal       n;

  if (sine > STRAIGHT) {
    const PetscReal slope = t1 / sine, c2 = cosine * cosine;
    t2 = (t2 * c2 - slope) / (sine * sine);
    t1 = -slope * cosine;
  } else {
    t1 = -t2 * cosine;
    t2 = 0; /* its factor, the squared sine, is 0 */
  }
  if (!oriented) {
    *df  = t1;
    *ddf = t2;
    return t;
  }
  n    = AbutOrientedStep(AbutOrientedStep(cosine, spec->alpha_n, spec->beta_n, &s1, &s2) - 1, 1, 0, &n1, &n2);
  n2   = n2 * s1 * s1 + n1 * s2;
  n1   = n1 * s1;
  *df  = t1 * n + t * n1;
  *ddf = t2 * n + 2 * t1 * n1 + t * n2;
  return t * n;
}

/* Cosine of the angle between the difference d, |d| = dist, and the outward normal; sine2: its squared sine. */
static inline PetscReal Cosine(PetscInt dim, const AbutOrientedSide *side, const PetscReal d[], PetscReal dist, PetscReal *sine2)
{
  const PetscReal along = AbutDot(dim, side->unit, d);
  PetscReal       sum   = 0;

  for (PetscInt i = 0; i < dim; i++) sum += PetscSqr(d[i] - along * side->unit[i]);
  *sine2 = sum / (dist * dist);
  return side->sign * along / dist;
}

static inline PetscReal SampleValue(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPair *pair,
                                    const AbutOrientedSide side[2], const PetscReal d[], PetscReal *length)
{
  const PetscReal dist2 = AbutDot(dim, d, d);
  PetscReal       dist, cosine[2], sine2[2], value, unused[2];

  if (!(dist2 < pair->dhat * pair->dhat) || !(dist2 > 0)) return 0;
  dist = PetscSqrtReal(dist2);
  for (int e = 0; e < 2; e++) {
    cosine[e] = Cosine(dim, &side[e], d, dist, &sine2[e]);
    if (sine2[e] >= spec->alpha_t * spec->alpha_t || (side[e].oriented && cosine[e] <= -spec->alpha_n)) return 0;
  }
  value = 1;
  for (int e = 0; e < 2; e++) value *= side[e].rest > 0 ? side[e].rest : side[e].size;
  for (int e = 0; e < 2; e++) value *= Angle(spec, side[e].oriented, cosine[e], PetscSqrtReal(sine2[e]), &unused[0], &unused[1]);
  if (!(value > 0)) return 0;
  *length = dist;
  return value * AbutOrientedBarrierFar(dist / pair->dhat, spec->power, pair->split / pair->dhat, NULL, NULL);
}

PetscReal AbutOrientedSampleValue(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPair *pair, const AbutOrientedSide side[2],
                                  const PetscReal d[], PetscReal *dist)
{
  return ABUT_BY_DIM(dim, SampleValue, spec, pair, side, d, dist);
}

/* Difference d of two points, its length and direction u. */
typedef struct {
  const PetscReal *d, *u;
  PetscReal        dist;
} Difference;

/*
  Adds the logarithms of angle factor and weight of side e. u = d / |d|, m the unit normal, k = u . m. grows: 1 if the weight is the current
  size, 0 if it is constant.
*/
static inline void AngleLog(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedSide *side, int e, const Difference *difference,
                            PetscReal g[3][3], PetscReal H[3][3][3][3])
{
  const PetscReal *m = side->unit, *d = difference->d, *u = difference->u, size = side->size, dist = difference->dist;
  PetscReal        sine2, f1, f2, a, b, w[3], v[3], grows = side->rest > 0 ? 0 : 1;
  const PetscReal  cosine = Cosine(dim, side, d, dist, &sine2), k = side->sign * cosine;
  const PetscReal  f = Angle(spec, side->oriented, cosine, PetscSqrtReal(sine2), &f1, &f2);

  a = f1 / f * side->sign;
  b = f2 / f - a * a;
  for (PetscInt i = 0; i < dim; i++) {
    w[i] = m[i] - k * u[i];
    v[i] = u[i] - k * m[i];
    g[0][i] += a * w[i] / dist;
    g[1 + e][i] += (grows * m[i] + a * v[i]) / size;
  }
  for (PetscInt i = 0; i < dim && H; i++) {
    for (PetscInt j = 0; j < dim; j++) {
      const PetscReal unit = i == j, uu = u[i] * u[j], mm = m[i] * m[j];
      const PetscReal turn = b * v[i] * v[j] - a * (v[i] * m[j] + m[i] * v[j] + k * (unit - mm));
      H[0][0][i][j] += (b * w[i] * w[j] - a * (w[i] * u[j] + u[i] * w[j] + k * (unit - uu))) / (dist * dist);
      H[1 + e][1 + e][i][j] += (turn + grows * unit - 2 * grows * mm) / (size * size);
      H[0][1 + e][i][j] += (b * w[i] * v[j] + a * (unit - uu - mm + k * u[i] * m[j])) / (dist * size);
    }
  }
}

static inline void SampleLog(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPair *pair, const AbutOrientedSide side[2],
                             const PetscReal d[], PetscReal g[3][3], PetscReal H[3][3][3][3])
{
  const PetscReal dist = PetscSqrtReal(AbutDot(dim, d, d));
  PetscReal       u[3], f1, f2;
  const PetscReal f = AbutOrientedBarrierFar(dist / pair->dhat, spec->power, pair->split / pair->dhat, &f1, &f2);

  (void)PetscArrayzero(&g[0][0], 9);
  if (H) (void)PetscArrayzero(&H[0][0][0][0], 81);
  f1 /= f * pair->dhat;
  f2 = f2 / (f * pair->dhat * pair->dhat) - f1 * f1;
  for (PetscInt i = 0; i < dim; i++) u[i] = d[i] / dist;
  for (PetscInt i = 0; i < dim; i++) {
    g[0][i] = f1 * u[i];
    for (PetscInt j = 0; j < dim && H; j++) H[0][0][i][j] = f2 * u[i] * u[j] + f1 / dist * ((i == j) - u[i] * u[j]);
  }
  for (int e = 0; e < 2; e++) AngleLog(dim, spec, &side[e], e, &(Difference){d, u, dist}, g, H);
}

void AbutOrientedSampleLog(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPair *pair, const AbutOrientedSide side[2],
                           const PetscReal d[], PetscReal g[3][3], PetscReal H[3][3][3][3])
{
  ABUT_BY_DIM(dim, SampleLog, spec, pair, side, d, g, H);
}
