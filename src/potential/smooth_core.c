/* Barrier and mollifier of a pair: functions of the points of the two primitives alone. */
#include "smoothimpl.h"

#define WIDTH 1e-2 /* of the mollifier: share of the squared distance */

static const AbutDistForm pair_form[]  = {ABUT_DIST_POINT_POINT, ABUT_DIST_POINT_LINE, ABUT_DIST_POINT_PLANE, ABUT_DIST_LINE_LINE};
static const PetscInt     num_points[] = {2, 3, 4, 4};

static inline void Gather(PetscInt dim, PetscInt n, const PetscInt at[], const PetscReal x[], PetscReal y[])
{
  for (PetscInt p = 0; p < n; p++) {
    for (PetscInt i = 0; i < dim; i++) y[dim * p + i] = x[dim * at[p] + i];
  }
}

/* End point k of an edge pair and the other edge: their closest features, as points of the pair. */
static void EndPoint(PetscInt k, const PetscReal core[], AbutClosest *closest)
{
  const PetscInt other = k < 2 ? 2 : 0, at[3] = {k, other, other + 1};
  PetscReal      y[9];

  Gather(3, 3, at, core, y);
  AbutClosestFeatures(ABUT_PAIR_EV, 3, y, closest);
  for (PetscInt p = 0; p < closest->n; p++) closest->v[p] = at[closest->v[p]];
}

/* The distances at whose equality with the pair's the mollifier vanishes: to the ends of edges, to the borders of a face. */
static PetscInt Borders(AbutPairKind kind, const PetscReal core[], AbutClosest borders[4])
{
  switch (kind) {
  case ABUT_PAIR_EV:
    for (PetscInt k = 0; k < 2; k++) borders[k] = (AbutClosest){ABUT_DIST_POINT_POINT, 2, {0, 1 + k}};
    return 2;
  case ABUT_PAIR_FV:
    for (PetscInt k = 0; k < 3; k++) borders[k] = (AbutClosest){ABUT_DIST_POINT_LINE, 3, {0, 1 + k, 1 + (k + 1) % 3}};
    return 3;
  case ABUT_PAIR_EE:
    for (PetscInt k = 0; k < 4; k++) EndPoint(k, core, &borders[k]);
    return 4;
  default: return 0;
  }
}

static PetscReal BorderDist2(const AbutClosest *border, PetscInt dim, const PetscReal core[], PetscReal g[], PetscReal H[])
{
  PetscReal y[12];

  Gather(dim, border->n, border->v, core, y);
  return AbutDist2(border->form, dim, y, g, H);
}

PetscReal AbutSmoothMollifier(AbutPairKind kind, PetscInt dim, const PetscReal core[])
{
  AbutClosest     borders[4];
  const PetscInt  count = Borders(kind, core, borders);
  const PetscReal s     = AbutDist2(pair_form[kind], dim, core, NULL, NULL);
  PetscReal       value = 1;

  for (PetscInt k = 0; k < count; k++)
    value *= AbutSmoothBlend((BorderDist2(&borders[k], dim, core, NULL, NULL) / s - 1) / WIDTH, NULL, NULL);
  return value;
}

/* Adds a function with derivatives a, b of a value with derivatives g, H, which are overwritten. */
static void AddFunction(PetscInt dim, PetscInt n, PetscReal a, PetscReal b, PetscReal g[], PetscReal H[], const PetscInt slot[],
                        AbutSmoothLog *log)
{
  const PetscInt N = dim * n;

  for (PetscInt r = 0; log->H && r < N; r++) {
    for (PetscInt c = 0; c < N; c++) H[N * r + c] = a * H[N * r + c] + b * g[r] * g[c];
  }
  for (PetscInt r = 0; r < N; r++) g[r] *= a;
  AbutSmoothAdd(log, n, slot, g, H, 1, log->g);
}

/* The logarithm of the barrier as a function of the squared distance s. */
static void BarrierLog(PetscReal s, PetscReal range, PetscReal power, PetscReal *a, PetscReal *b)
{
  const PetscReal x = PetscSqrtReal(s) / range, dx = x / (2 * s), ddx = -dx / (2 * s);
  PetscReal       p1, p2;
  const PetscReal p = AbutSmoothBarrier(x, power, &p1, &p2), ratio = p1 / p;

  *a = ratio * dx;
  *b = (p2 / p - ratio * ratio) * dx * dx + ratio * ddx;
}

/* Ratio of a border's squared distance to that of the pair, with derivatives over the core; s, gs, Hs: those of the pair's. */
static PetscReal BorderRatio(const AbutClosest *border, PetscInt dim, PetscInt n, const PetscReal core[], PetscReal s, const PetscReal gs[],
                             const PetscReal Hs[], PetscReal g[], PetscReal H[])
{
  const PetscInt  N = dim * n, M = dim * border->n;
  PetscReal       gb[9], Hb[81];
  const PetscReal ratio = BorderDist2(border, dim, core, gb, Hs ? Hb : NULL) / s;

  for (PetscInt i = 0; i < N; i++) g[i] = -ratio * gs[i] / s;
  for (PetscInt r = 0; r < M; r++) g[dim * border->v[r / dim] + r % dim] += gb[r] / s;
  if (!Hs) return ratio;
  for (PetscInt r = 0; r < N; r++) {
    for (PetscInt c = 0; c < N; c++) H[N * r + c] = -(ratio * Hs[N * r + c] + g[r] * gs[c] + gs[r] * g[c]) / s;
  }
  for (PetscInt r = 0; r < M; r++) {
    const PetscInt row = dim * border->v[r / dim] + r % dim;
    for (PetscInt c = 0; c < M; c++) H[N * row + dim * border->v[c / dim] + c % dim] += Hb[M * r + c] / s;
  }
  return ratio;
}

void AbutSmoothCoreLog(AbutPairKind kind, PetscInt dim, PetscReal range, PetscReal power, const PetscReal core[], const PetscInt slot[],
                       AbutSmoothLog *log)
{
  const PetscInt  n = num_points[kind];
  AbutClosest     borders[4];
  const PetscInt  count = Borders(kind, core, borders);
  PetscReal       gs[12], Hs[144], g[12], H[144], a, b, *second = log->H ? Hs : NULL;
  const PetscReal s = AbutDist2(pair_form[kind], dim, core, gs, second);

  for (PetscInt k = 0; k < count; k++) {
    const PetscReal z = (BorderRatio(&borders[k], dim, n, core, s, gs, second, g, H) - 1) / WIDTH;
    PetscReal       df, ddf;
    const PetscReal f = AbutSmoothBlend(z, &df, &ddf);
    if (f >= 1) continue;
    a = df / f / WIDTH;
    b = ddf / f / (WIDTH * WIDTH) - a * a;
    AddFunction(dim, n, a, b, g, H, slot, log);
  }
  BarrierLog(s, range, power, &a, &b);
  AddFunction(dim, n, a, b, gs, Hs, slot, log);
}
