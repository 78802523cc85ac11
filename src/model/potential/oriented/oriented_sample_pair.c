/*
  Quadrature of pairs of elements (2D: edges, 3D: faces) at fixed points, "samples": a higher-order addition to the closest-point terms
  [Huang et al. 2025, section 4.4 and future work].

  Closest-point terms keep bodies apart, but their error is of first order in the edge length. Therefore the barrier p is split
  (AbutOrientedBarrierNear(), AbutOrientedBarrierFar()). The closest-point terms keep the near part, which is infinite at distance 0. The
  far part, which is finite and smooth, is summed over the quadrature points x_k, y_l of two elements e, f:

      share w_k w_l |e| |f| gamma_e(y_l - x_k) gamma_f(x_k - y_l) p_far(|y_l - x_k|)

  with the angle factors gamma of points inside the elements. Quadrature points have fixed barycentric coordinates, so no mollifier is
  needed and the sum is C^2. Both parts of p decrease with the distance, so no term attracts.

  The angle factors admit pairs of points with tangential distances up to alpha times their distance. If that is less than two spacings of
  quadrature points, the sum depends on the relative position of the points of both elements. The split is at this distance.
*/
#include "oriented_sample.h"

#define MAX_POINTS 6                /* of two faces */
#define MAX_SLOTS  (MAX_POINTS + 2) /* and both normals, the last slots */
#define MAX_SIZE   (3 * MAX_SLOTS)

/*
  Two elements with points relative to the first point of b, and sums over their quadrature points, in which normals are independent
  variables; N = dim * slots.
*/
typedef struct {
  PetscInt           dim, n, N; /* n points, first of a, then of b */
  PetscReal          x[3 * MAX_POINTS];
  AbutOrientedVector normal[2];
  AbutOrientedSide   side[2];
  PetscReal          c[MAX_POINTS], d[3]; /* of the current quadrature points x, y: d = y - x = sum of c_p (point p) */
  PetscReal         *g, *H;               /* [N], [N^2], upper blocks; NULL if not wanted */
} Elements;

static void Load(const AbutOrientedSurface *surface, const AbutOrientedPair *pair, const PetscReal x[], Elements *s)
{
  const PetscInt        dim = surface->dim;
  AbutOrientedPrimitive p[2];

  s->dim = dim;
  s->n   = 2 * dim;
  s->N   = dim * (s->n + 2);
  for (int e = 0; e < 2; e++) AbutOrientedGetPrimitive(surface, AbutOrientedKindOf(dim, pair, e), e ? pair->b : pair->a, &p[e]);
  for (int e = 0; e < 2; e++) {
    AbutOrientedSide *side = &s->side[e];
    AbutGatherFrom(dim, dim, p[e].v, x, x + dim * p[1].v[0], s->x + e * dim * dim);
    AbutOrientedNormal(dim, s->x + e * dim * dim, &s->normal[e]);
    side->size     = PetscSqrtReal(AbutDot(dim, s->normal[e].v, s->normal[e].v));
    side->sign     = e ? -1 : 1;
    side->oriented = p[e].oriented;
    side->rest     = (PetscReal)(dim - 1) * p[e].rest;
    for (PetscInt i = 0; i < dim && side->size > 0; i++) side->unit[i] = s->normal[e].v[i] / side->size;
  }
}

static inline void LoadSample(PetscInt dim, const PetscReal a[3], const PetscReal b[3], Elements *s)
{
  for (PetscInt p = 0; p < dim; p++) {
    s->c[p]       = -a[p];
    s->c[dim + p] = b[p];
  }
  for (PetscInt i = 0; i < dim; i++) {
    s->d[i] = 0;
    for (PetscInt p = 0; p < 2 * dim; p++) s->d[i] += s->c[p] * s->x[dim * p + i];
  }
}

/* Adds block (p, q) of a Hessian over d (0) and the normals (1, 2) to the slots; d is linear in the points. */
static inline void AddBlocks(PetscInt dim, Elements *s, int p, int q, const PetscReal B[3][3])
{
  const PetscInt first = p ? s->n + p - 1 : 0, end = p ? first + 1 : s->n;

  for (PetscInt r = first; r < end; r++) {
    const PetscInt from = q ? s->n + q - 1 : r, to = q ? from + 1 : s->n;
    for (PetscInt c = from; c < to; c++) {
      const PetscReal scale = (p ? 1 : s->c[r]) * (q ? 1 : s->c[c]);
      PetscReal      *H     = s->H + s->N * dim * r + dim * c;
      for (PetscInt i = 0; i < dim; i++) {
        for (PetscInt j = 0; j < dim; j++) H[s->N * i + j] += scale * B[i][j];
      }
    }
  }
}

/* Adds the derivatives of a value, from the derivatives of its logarithm. */
static inline void AddDerivatives(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPair *pair, PetscReal value, Elements *s)
{
  PetscReal l[3][3], M[3][3][3][3];

  AbutOrientedSampleLog(dim, spec, pair, s->side, s->d, l, s->H ? M : NULL);
  for (PetscInt i = 0; i < dim && s->g; i++) {
    for (PetscInt p = 0; p < s->n; p++) s->g[dim * p + i] += value * s->c[p] * l[0][i];
    for (PetscInt e = 0; e < 2; e++) s->g[dim * (s->n + e) + i] += value * l[1 + e][i];
  }
  for (int p = 0; p < 3 && s->H; p++) {
    for (int q = p; q < 3; q++) {
      PetscReal B[3][3];
      for (PetscInt i = 0; i < dim; i++) {
        for (PetscInt j = 0; j < dim; j++) B[i][j] = value * (l[p][i] * l[q][j] + M[p][q][i][j]);
      }
      AddBlocks(dim, s, p, q, (const PetscReal(*)[3])B);
    }
  }
}

/* Constant factor of the value of a pair of quadrature points. */
static PetscReal Scale(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPair *pair)
{
  return spec->share * 1.5 * AbutOrientedInversePower(pair->dhat, spec->power) / (PetscReal)((dim - 1) * (dim - 1));
}

static inline void SumSamples(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPair *pair, Elements *s,
                              AbutOrientedPairState *state)
{
  const PetscReal scale = Scale(dim, spec, pair);

  for (PetscInt k = 0; k < spec->samples; k++) {
    for (PetscInt l = 0; l < spec->samples; l++) {
      PetscReal value, dist;
      LoadSample(dim, spec->at[k], spec->at[l], s);
      value = scale * spec->weight[k] * spec->weight[l] * AbutOrientedSampleValue(dim, spec, pair, s->side, s->d, &dist);
      if (!(value > 0)) continue;
      if (dist < state->dist) {
        state->dist = dist;
        (void)PetscArraycpy(state->d, s->d, dim);
      }
      state->value += value;
      for (PetscInt i = 0; i < dim; i++) {
        state->mean[0][i] += value * spec->at[k][i];
        state->mean[1][i] += value * spec->at[l][i];
      }
      if (s->g || s->H) AddDerivatives(dim, spec, pair, value, s);
    }
  }
}

/* Gradient over the points, with the normals as functions of the points. */
static void FoldGradient(const Elements *s, PetscReal g[])
{
  const PetscInt dim = s->dim, own = dim * dim;

  for (PetscInt r = 0; r < 2 * own; r++) {
    const PetscInt e = r / own;
    g[r]             = s->g[r];
    for (PetscInt i = 0; i < dim; i++) g[r] += s->normal[e].J[i][r % own] * s->g[dim * (s->n + e) + i];
  }
}

/* Hessian over the points: T^T H T with T = (I, J), plus the second derivatives of the normals. */
static void FoldHessian(Elements *s, PetscReal H[])
{
  const PetscInt dim = s->dim, own = dim * dim, n = 2 * own, N = s->N;
  PetscReal      bend[81];

  for (PetscInt r = 0; r < N; r++) {
    for (PetscInt c = 0; c < r / dim * dim; c++) s->H[N * r + c] = s->H[N * c + r];
  }
  for (PetscInt r = 0; r < N; r++) {
    for (PetscInt c = 0; c < n; c++) {
      const PetscInt e = c / own;
      for (PetscInt i = 0; i < dim; i++) s->H[N * r + c] += s->H[N * r + dim * (s->n + e) + i] * s->normal[e].J[i][c % own];
    }
  }
  for (PetscInt r = 0; r < n; r++) {
    const PetscInt e = r / own;
    for (PetscInt c = 0; c < n; c++) {
      H[n * r + c] = s->H[N * r + c];
      for (PetscInt i = 0; i < dim; i++) H[n * r + c] += s->normal[e].J[i][r % own] * s->H[N * (dim * (s->n + e) + i) + c];
    }
  }
  for (PetscInt e = 0; e < 2; e++) {
    AbutOrientedVectorHessian(&s->normal[e], s->g + dim * (s->n + e), bend);
    for (PetscInt r = 0; r < own; r++) {
      for (PetscInt c = 0; c < own; c++) H[n * (own * e + r) + own * e + c] += bend[own * r + c];
    }
  }
}

void AbutOrientedEvaluateSamples(const AbutOrientedSurface *surface, const AbutOrientedSpec *spec, const AbutOrientedPair *pair,
                                 const PetscReal x[], const AbutOrientedOutput *out, AbutOrientedPairState *state)
{
  const PetscInt dim = surface->dim, n = 2 * dim * dim;
  PetscReal      sum[MAX_SIZE], sums[MAX_SIZE * MAX_SIZE];
  Elements       s = {.g = out->g || out->H ? sum : NULL, .H = out->H ? sums : NULL};

  *state = (AbutOrientedPairState){.n = 2 * dim, .dist = PETSC_INFINITY};
  Load(surface, pair, x, &s);
  if (s.g) (void)PetscArrayzero(sum, s.N);
  if (s.H) (void)PetscArrayzero(sums, s.N * s.N);
  ABUT_BY_DIM(dim, SumSamples, spec, pair, &s, state);
  for (PetscInt p = 0; out->used && p <= s.n; p++) out->used[p] = (PetscBool)(state->value > 0);
  if (!(state->value > 0)) {
    if (out->g) (void)PetscArrayzero(out->g, n);
    if (out->H) (void)PetscArrayzero(out->H, n * n);
    return;
  }
  if (out->g) FoldGradient(&s, out->g);
  if (out->H) FoldHessian(&s, out->H);
  for (int e = 0; e < 2; e++) {
    for (PetscInt i = 0; i < dim; i++) state->mean[e][i] /= state->value;
    state->factor[e] = 1;
  }
  state->barrier   = state->value;
  state->mollifier = 1;
}
