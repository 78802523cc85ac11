/*
  Pairs of edges in 2D, integrated over at Gauss points: higher-order quadrature on top of the closest-point terms of the orientation-aware
  potential [Huang et al. 2025, section 4.4 and future work].

  A term that takes the closest point of an edge for all of it is what keeps bodies apart, and an error of first order in the length of
  edges. So the barrier p is split at a distance of some edges (AbutSmoothFar(), AbutSmoothNear()): closest-point terms keep what is near,
  which is infinite at distance 0 as ever, and what is far, which is finite and smooth, is the sum over the samples x_k, y_l of two edges

      share w_k w_l |e| |f| gamma_e(y_l - x_k) gamma_f(x_k - y_l) p_far(|y_l - x_k|),

  with the angle factors of the edges themselves. Samples are fixed shares of their edges: nothing is mollified, all is C^2. Both parts of p
  fall with the distance, so none of them attracts.

  The angle factors let samples meet that are about alpha times the distance apart sideways: below two samples' spacing of that the sum would
  depend on how samples of one edge stand over those of the other. This is where p is split.
*/
#include <petscdt.h>
#include "smoothimpl.h"

#define RESOLVED 2 /* spacings of samples for which alpha times the distance stands */

PetscErrorCode AbutSmoothSetSamples(AbutSmoothSpec *spec, PetscInt n, PetscReal mean)
{
  const PetscReal ratio = spec->length / mean;

  PetscFunctionBegin;
  spec->samples = n;
  /* vertices stand for the length: of two edges each, of an edge and vertices on either side, of vertices alone */
  spec->share = ratio * (2 + ratio);
  if (n > 0) PetscCall(PetscDTGaussQuadrature(n, 0, 1, spec->at, spec->weight));
  PetscFunctionReturn(0);
}

PetscReal AbutSmoothSplitLength(const AbutSmoothSpec *spec, PetscReal edge)
{
  return RESOLVED * edge / ((PetscReal)spec->samples * spec->alpha_t);
}

/* Two edges: their points relative to the first of b, and one sample of each with the difference d = y - x = sum c_p (point p). */
typedef struct {
  AbutSmoothPrimitive p[2];
  PetscReal           x[8], c[4], d[2], dist;
} Samples;

static void LoadEdges(const AbutSmoothSurface *surface, const AbutSmoothPair *pair, const PetscReal x[], Samples *s)
{
  AbutSmoothGetPrimitive(surface, ABUT_SMOOTH_EDGE, pair->a, &s->p[0]);
  AbutSmoothGetPrimitive(surface, ABUT_SMOOTH_EDGE, pair->b, &s->p[1]);
  for (int p = 0; p < 4; p++) {
    for (int i = 0; i < 2; i++) s->x[2 * p + i] = x[2 * s->p[p / 2].v[p % 2] + i] - x[2 * s->p[1].v[0] + i];
  }
}

static void LoadSamples(PetscReal t, PetscReal u, Samples *s)
{
  const PetscReal c[4] = {t - 1, -t, 1 - u, u};

  (void)PetscArraycpy(s->c, c, 4);
  for (int i = 0; i < 2; i++) {
    s->d[i] = 0;
    for (int p = 0; p < 4; p++) s->d[i] += c[p] * s->x[2 * p + i];
  }
  s->dist = PetscSqrtReal(AbutDot(2, s->d, s->d));
}

static PetscReal Value(const AbutSmoothSpec *spec, const AbutSmoothPair *pair, const Samples *s)
{
  PetscReal value = 1;

  if (!(s->dist < pair->range) || !(s->dist > 0)) return 0;
  for (int e = 0; e < 2 && value > 0; e++) value *= AbutSmoothFactor(2, spec, &s->p[e], e ? -1 : 1, s->d, s->x + 4 * e);
  if (!(value > 0)) return 0;
  return value * AbutSmoothFar(s->dist / pair->range, spec->power, pair->split / pair->range, NULL, NULL);
}

/* Gradient over the points [8] and Hessian [64] or NULL of the logarithm of a value that is not 0. */
static void ValueLog(const AbutSmoothSpec *spec, const AbutSmoothPair *pair, const Samples *s, PetscReal g[], PetscReal H[])
{
  PetscReal       lg[10] = {0}, lH[100], ls[10] = {0}, u[2], f1, f2;
  AbutSmoothLog   log = {.dim = 2, .size = 10, .g = lg, .H = H ? lH : NULL, .s = ls};
  const PetscReal f   = AbutSmoothFar(s->dist / pair->range, spec->power, pair->split / pair->range, &f1, &f2);

  if (H) (void)PetscArrayzero(lH, 100);
  AbutSmoothFactorLog(2, spec, &s->p[0], 1, s->d, s->x, 1, &log);
  AbutSmoothFactorLog(2, spec, &s->p[1], -1, s->d, s->x + 4, 3, &log);
  f1 /= f * pair->range;
  f2 = f2 / (f * pair->range * pair->range) - f1 * f1;
  for (int i = 0; i < 2; i++) u[i] = s->d[i] / s->dist;
  for (int i = 0; i < 2; i++) {
    lg[i] += f1 * u[i];
    for (int j = 0; H && j < 2; j++) lH[10 * i + j] += f2 * u[i] * u[j] + f1 / s->dist * ((i == j) - u[i] * u[j]);
  }
  /* slot 0, the difference, is linear in the points */
  for (int r = 0; r < 8; r++) {
    const PetscReal a = s->c[r / 2];
    const int       i = r % 2;
    g[r]              = lg[2 + r] + a * lg[i];
    for (int q = 0; H && q < 8; q++) {
      const PetscReal b = s->c[q / 2];
      const int       j = q % 2;
      H[8 * r + q]      = lH[10 * (2 + r) + 2 + q] + a * lH[10 * i + 2 + q] + b * lH[10 * (2 + r) + j] + a * b * lH[10 * i + j];
    }
  }
}

static void AddDerivatives(const AbutSmoothSpec *spec, const AbutSmoothPair *pair, const Samples *s, PetscReal value, PetscReal g[],
                           PetscReal H[])
{
  PetscReal l[8], M[64];

  ValueLog(spec, pair, s, l, H ? M : NULL);
  for (int r = 0; r < 8; r++) {
    if (g) g[r] += value * l[r];
    for (int q = 0; H && q < 8; q++) H[8 * r + q] += value * (l[r] * l[q] + M[8 * r + q]);
  }
}

/* All that a sample's value has in front. */
static PetscReal Scale(const AbutSmoothSpec *spec, const AbutSmoothPair *pair)
{
  return spec->share * 1.5 * PetscPowReal(pair->range, -spec->power);
}

void AbutSmoothEvaluateSamples(const AbutSmoothSurface *surface, const AbutSmoothSpec *spec, const AbutSmoothPair *pair,
                               const PetscReal x[], AbutSmoothPairState *state, PetscBool used[], PetscReal g[], PetscReal H[])
{
  const PetscReal scale = Scale(spec, pair);
  Samples         s;

  *state = (AbutSmoothPairState){.n = 4, .dist = PETSC_INFINITY};
  if (g) (void)PetscArrayzero(g, 8);
  if (H) (void)PetscArrayzero(H, 64);
  LoadEdges(surface, pair, x, &s);
  for (PetscInt k = 0; k < spec->samples; k++) {
    for (PetscInt l = 0; l < spec->samples; l++) {
      PetscReal value;
      LoadSamples(spec->at[k], spec->at[l], &s);
      value = scale * spec->weight[k] * spec->weight[l] * Value(spec, pair, &s);
      if (!(value > 0)) continue;
      if (s.dist < state->dist) {
        state->dist = s.dist;
        (void)PetscArraycpy(state->d, s.d, 2);
      }
      state->value += value;
      state->mean[0] += value * spec->at[k];
      state->mean[1] += value * spec->at[l];
      if (g || H) AddDerivatives(spec, pair, &s, value, g, H);
    }
  }
  for (PetscInt p = 0; used && p < 5; p++) used[p] = (PetscBool)(state->value > 0);
  if (!(state->value > 0)) return;
  for (int e = 0; e < 2; e++) {
    state->mean[e] /= state->value;
    state->factor[e] = 1;
  }
  state->barrier   = state->value;
  state->mollifier = 1;
}
