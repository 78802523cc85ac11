/* Barrier and mollifier of a pair: functions of the points of the two primitives alone. */
#include "orientedimpl.h"

#define WIDTH    1e-2 /* width of the mollifier as a fraction of the squared distance */
#define PARALLEL 1e-3 /* OIPC: squared sine of the angle between edges below which a pair is mollified [Li et al. 2020, eq. 24] */

/* Closest features of vertex k of an edge pair and the other edge, as indices into the core. */
static void EndPoint(PetscInt k, const PetscReal core[], AbutClosest *closest)
{
  const PetscInt other = k < 2 ? 2 : 0, at[3] = {k, other, other + 1};
  PetscReal      y[9];

  AbutGather(3, 3, at, core, y);
  AbutClosestFeatures(ABUT_PAIR_EV, 3, y, closest);
  for (PetscInt p = 0; p < closest->n; p++) closest->v[p] = at[closest->v[p]];
}

/*
  Lists the features (ends of edges, sides of a face) on the border of the primitives. The mollifier is 0 where their distance equals the
  distance of the pair.
*/
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

/* Squared sine of the angle between two edges. */
static PetscReal Sine2(const PetscReal core[])
{
  const PetscReal a[3] = {core[3] - core[0], core[4] - core[1], core[5] - core[2]};
  const PetscReal b[3] = {core[9] - core[6], core[10] - core[7], core[11] - core[8]};

  return AbutEdgeEdgeCross2(core, NULL, NULL) / (AbutDot(3, a, a) * AbutDot(3, b, b));
}

PetscReal AbutOrientedMollifier(const AbutOrientedCore *core)
{
  const PetscInt dim = core->dim;
  AbutClosest    borders[4];
  PetscInt       count;
  PetscReal      s, value = 1;

  if (core->spec->member == ABUT_ORIENTED_OIPC)
    return core->kind == ABUT_PAIR_EE ? AbutOrientedBlend(Sine2(core->x) / PARALLEL, NULL, NULL) : 1;
  count = Borders(core->kind, core->x, borders);
  s     = AbutDist2((AbutDistForm)core->kind, dim, core->x, NULL, NULL);
  for (PetscInt k = 0; k < count; k++)
    value *= AbutOrientedBlend((AbutFeatureDist2(&borders[k], dim, core->n, core->x, NULL, NULL) / s - 1) / WIDTH, NULL, NULL);
  return value;
}

/* Adds the derivatives of f(v), where f has derivatives a and b at v, and v has derivatives g and H; overwrites g and H. */
static void AddFunction(PetscInt dim, PetscInt n, PetscReal a, PetscReal b, PetscReal g[], PetscReal H[], const PetscInt slot[],
                        AbutOrientedLog *log)
{
  const PetscInt N = dim * n;

  for (PetscInt r = 0; log->H && r < N; r++) {
    for (PetscInt c = 0; c < N; c++) H[N * r + c] = a * H[N * r + c] + b * g[r] * g[c];
  }
  for (PetscInt r = 0; r < N; r++) g[r] *= a;
  AbutOrientedAdd(log, n, slot, g, H);
}

/* Derivatives a, b of the logarithm of the barrier with respect to the squared distance s. */
static void BarrierLog(const AbutOrientedSpec *spec, const AbutOrientedPair *pair, PetscReal s, PetscReal *a, PetscReal *b)
{
  const PetscReal x = PetscSqrtReal(s) / pair->dhat, dx = x / (2 * s), ddx = -dx / (2 * s);
  PetscReal       p1, p2;
  const PetscReal p = AbutOrientedBarrier(x, spec->power, &p1, &p2), ratio = p1 / p;

  *a = ratio * dx;
  *b = (p2 / p - ratio * ratio) * dx * dx + ratio * ddx;
}

/* Adds the logarithm of the barrier if the distance is |d|, which depends on slot 0 only. */
static void AddDirectionBarrier(const AbutOrientedSpec *spec, const AbutOrientedPair *pair, const PetscReal d[], AbutOrientedLog *log)
{
  const PetscInt dim = log->dim;
  PetscReal      a, b;

  BarrierLog(spec, pair, AbutDot(dim, d, d), &a, &b);
  for (PetscInt i = 0; i < dim; i++) {
    log->g[i] += 2 * a * d[i];
    for (PetscInt j = 0; log->H && j < dim; j++) log->H[log->size * i + j] += 4 * b * d[i] * d[j] + (i == j ? 2 * a : 0);
  }
}

/* Replaces the derivatives g, H of a by the derivatives of the quotient ratio = a / s. */
static void Quotient(PetscInt N, PetscReal ratio, PetscReal s, const PetscReal gs[], const PetscReal Hs[], PetscReal g[], PetscReal H[])
{
  for (PetscInt i = 0; i < N; i++) g[i] = (g[i] - ratio * gs[i]) / s;
  for (PetscInt r = 0; Hs && r < N; r++) {
    for (PetscInt c = 0; c < N; c++) H[N * r + c] = (H[N * r + c] - ratio * Hs[N * r + c] - g[r] * gs[c] - gs[r] * g[c]) / s;
  }
}

/* Adds the logarithm of the GCP mollifier, a product over the ratios of border distance to pair distance. */
static void BordersLog(const AbutOrientedCore *core, const PetscInt slot[], AbutOrientedLog *log)
{
  const PetscInt dim = core->dim, n = core->n;
  AbutClosest    borders[4];
  const PetscInt count = Borders(core->kind, core->x, borders);
  PetscReal      gs[12], Hs[144], *second = log->H ? Hs : NULL, s;

  if (count == 0) return;
  s = AbutFeatureDist2(core->closest, dim, n, core->x, gs, second);
  for (PetscInt k = 0; k < count; k++) {
    PetscReal       g[12], H[144], df, ddf;
    const PetscReal ratio = AbutFeatureDist2(&borders[k], dim, n, core->x, g, second ? H : NULL) / s;
    const PetscReal f = AbutOrientedBlend((ratio - 1) / WIDTH, &df, &ddf), a = df / f / WIDTH;
    if (f >= 1) continue;
    Quotient(dim * n, ratio, s, gs, second, g, H);
    AddFunction(dim, n, a, ddf / f / (WIDTH * WIDTH) - a * a, g, H, slot, log);
  }
}

/* Adds the logarithm of the mollifier of nearly parallel edges. */
static void ParallelLog(const AbutOrientedCore *core, const PetscInt slot[], AbutOrientedLog *log)
{
  PetscReal       g[12], H[144], gs[12], Hs[144], df, ddf, ratio;
  const PetscReal f = AbutOrientedBlend(Sine2(core->x) / PARALLEL, &df, &ddf), a = df / f / PARALLEL;

  if (f >= 1) return;
  ratio = AbutEdgeEdgeCross2(core->x, g, H);
  for (PetscInt e = 0; e < 2; e++) {
    const AbutClosest edge = {ABUT_DIST_POINT_POINT, 2, {2 * e, 2 * e + 1}};
    const PetscReal   s    = AbutFeatureDist2(&edge, 3, 4, core->x, gs, Hs);
    ratio /= s;
    Quotient(12, ratio, s, gs, Hs, g, H);
  }
  AddFunction(3, 4, a, ddf / f / (PARALLEL * PARALLEL) - a * a, g, H, slot, log);
}

void AbutOrientedCoreLog(const AbutOrientedPair *pair, const AbutOrientedCore *core, const PetscReal d[], const PetscInt slot[],
                         AbutOrientedLog *log)
{
  PetscReal g[12], H[144], a, b;

  if (core->spec->member == ABUT_ORIENTED_GCP)
    BordersLog(core, slot, log);
  else if (pair->kind == ABUT_PAIR_EE)
    ParallelLog(core, slot, log);
  if (d) {
    AddDirectionBarrier(core->spec, pair, d, log);
  } else {
    BarrierLog(core->spec, pair, AbutFeatureDist2(core->closest, core->dim, core->n, core->x, g, log->H ? H : NULL), &a, &b);
    AddFunction(core->dim, core->n, a, b, g, H, slot, log);
  }
}
