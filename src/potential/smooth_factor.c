/*
  The factor of one primitive: weight, tangent term, normal term, each a function of angles and lengths over the primitive's stencil.

  Tangent term: the distance must not decrease along the surface. One step function for every edge at a vertex, and for every face at an
  edge of the direction in the face normal to the edge. Normal term: the other side must be outside of at least one incident face.
*/
#include "smoothimpl.h"

#define MAX_POINTS 3 /* of the vectors of a primitive */

static inline void AddBlocks(PetscInt dim, PetscInt n, const PetscInt at[], const PetscReal H[], PetscReal scale, AbutSmoothLog *log)
{
  for (PetscInt p = 0; p < n; p++) {
    for (PetscInt q = 0; q < n; q++) {
      const PetscReal *from = H + n * dim * dim * p + dim * q;
      PetscReal       *to   = log->H + log->size * at[p] + at[q];
      for (PetscInt i = 0; i < dim; i++) {
        for (PetscInt j = 0; j < dim; j++) to[log->size * i + j] += scale * from[n * dim * i + j];
      }
    }
  }
}

void AbutSmoothAdd(AbutSmoothLog *log, PetscInt n, const PetscInt slot[], const PetscReal g[], const PetscReal H[], PetscReal scale,
                   PetscReal target[])
{
  const PetscInt dim = log->dim;
  PetscInt       at[4];

  for (PetscInt p = 0; log->used && p < n; p++) log->used[slot[p]] = PETSC_TRUE;
  for (PetscInt p = 0; p < n; p++) at[p] = dim * AbutSmoothPlace(log, slot[p]);
  for (PetscInt p = 0; p < n; p++) {
    for (PetscInt i = 0; i < dim; i++) target[at[p] + i] += g[dim * p + i];
  }
  if (!log->H) return;
  if (dim == 3)
    AddBlocks(3, n, at, H, scale, log);
  else
    AddBlocks(2, n, at, H, scale, log);
}

void AbutSmoothAddSum(AbutSmoothLog *log, PetscReal a, PetscReal b)
{
  for (PetscInt r = 0; r < log->size; r++) {
    if (log->s[r] == 0) continue;
    for (PetscInt c = 0; log->H && c < log->size; c++) log->H[log->size * r + c] += b * log->s[r] * log->s[c];
    log->g[r] += a * log->s[r];
  }
  (void)PetscArrayzero(log->s, log->size);
}

/* f'/f and its derivative. */
static inline void LogDerivatives(PetscReal f, PetscReal df, PetscReal ddf, PetscReal *a, PetscReal *b)
{
  *a = df / f;
  *b = ddf / f - *a * *a;
}

static inline void Gather(PetscInt dim, PetscInt n, const PetscInt at[], const PetscReal x[], PetscReal y[])
{
  for (PetscInt p = 0; p < n; p++) {
    for (PetscInt i = 0; i < dim; i++) y[dim * p + i] = x[dim * at[p] + i];
  }
}

/* ---- angles ---- */

/* Of a vertex: its edges. Of an edge: the directions into its faces; then, OIPC, both of its own. Of a face, OIPC: out over its sides. */
static inline PetscInt NumTangents(PetscInt dim, const AbutSmoothSpec *spec, const AbutSmoothPrimitive *p)
{
  if (p->kind == ABUT_SMOOTH_VERTEX) return p->n - 1;
  if (p->kind == ABUT_SMOOTH_FACE) return spec->member == ABUT_SMOOTH_OIPC ? 3 : 0;
  return (dim == 3 ? p->n - 2 : 0) + (spec->member == ABUT_SMOOTH_OIPC ? 2 : 0);
}

/* Tangent k: sign times the vector to point 0 from point 1 or, if there are three, from the line of 1 and 2; positions in the stencil. */
typedef struct {
  PetscInt  n, at[MAX_POINTS];
  PetscReal sign;
} TangentPoints;

static TangentPoints Tangent(const AbutSmoothPrimitive *p, PetscInt k)
{
  const PetscInt own = (PetscInt)p->kind + 1, num_faces = p->n - own;

  if (p->kind == ABUT_SMOOTH_FACE) return (TangentPoints){3, {k, (k + 1) % 3, (k + 2) % 3}, -1};
  if (p->kind == ABUT_SMOOTH_VERTEX) return (TangentPoints){2, {own + k, 0}, 1};
  if (k < num_faces) return (TangentPoints){3, {own + k, 0, 1}, 1};
  return (TangentPoints){2, {k - num_faces, 1 - (k - num_faces)}, 1};
}

static inline void TangentValue(PetscInt dim, const TangentPoints *points, const PetscReal x[], PetscReal v[])
{
  const PetscReal *a = x + dim * points->at[0], *b = x + dim * points->at[1];

  for (PetscInt i = 0; i < dim; i++) v[i] = a[i] - b[i];
  if (points->n == 3) {
    const PetscReal *c = x + dim * points->at[2];
    PetscReal        e[3], share;
    for (PetscInt i = 0; i < dim; i++) e[i] = c[i] - b[i];
    share = AbutDot(dim, v, e) / AbutDot(dim, e, e);
    for (PetscInt i = 0; i < dim; i++) v[i] -= share * e[i];
  }
}

static void TangentVector(PetscInt dim, const TangentPoints *points, const PetscReal x[], AbutSmoothVector *w)
{
  PetscReal y[9];

  Gather(dim, points->n, points->at, x, y);
  AbutSmoothDifference(points->n == 2 ? ABUT_DIST_POINT_POINT : ABUT_DIST_POINT_LINE, dim, y, w);
}

static inline void NormalValue(PetscInt dim, const PetscInt at[3], const PetscReal x[], PetscReal v[])
{
  const PetscReal *p = x + dim * at[0], *q = x + dim * at[1];

  if (dim == 2) {
    v[0] = q[1] - p[1];
    v[1] = p[0] - q[0];
  } else {
    const PetscReal *r    = x + 3 * at[2];
    const PetscReal  a[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, b[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
    AbutCross(a, b, v);
  }
}

static void NormalVector(PetscInt dim, const PetscInt at[3], const PetscReal x[], AbutSmoothVector *w)
{
  PetscReal y[9];

  Gather(dim, dim, at, x, y);
  AbutSmoothNormal(dim, y, w);
}

static inline PetscReal Cosine(PetscInt dim, const PetscReal d[], const PetscReal v[])
{
  const PetscReal size2 = AbutDot(dim, d, d) * AbutDot(dim, v, v);
  return size2 > 0 ? AbutDot(dim, d, v) / PetscSqrtReal(size2) : 0;
}

/* Cosine c of the angle between d and v with derivatives: c = u . t, u = d / |d|, t = v / |v|. */
static void CosineDerivatives(PetscInt dim, const PetscReal d[], const PetscReal v[], PetscReal g[2][3], PetscReal H[2][2][3][3])
{
  const PetscReal size[2] = {PetscSqrtReal(AbutDot(dim, d, d)), PetscSqrtReal(AbutDot(dim, v, v))}, c = Cosine(dim, d, v);
  PetscReal       u[2][3];

  for (PetscInt i = 0; i < dim; i++) {
    u[0][i] = d[i] / size[0];
    u[1][i] = v[i] / size[1];
    g[0][i] = (u[1][i] - c * u[0][i]) / size[0];
    g[1][i] = (u[0][i] - c * u[1][i]) / size[1];
  }
  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt j = 0; j < dim; j++) {
      for (int e = 0; e < 2; e++) {
        const PetscReal bend = c * ((i == j) - u[e][i] * u[e][j]) / size[e];
        H[e][e][i][j]        = -(g[e][i] * u[e][j] + u[e][i] * g[e][j] + bend) / size[e];
      }
      H[0][1][i][j] = ((i == j) - u[0][i] * u[0][j] - u[1][i] * u[1][j] + c * u[0][i] * u[1][j]) / (size[0] * size[1]);
      H[1][0][j][i] = H[0][1][i][j];
    }
  }
}

/* Hessian of a function of d and v over slot d and the points: Gc = [gd, J^T gv], H = [Hdd, Hdv J; ., J^T Hvv J + gv . v'']. */
static inline void ChainHessian(PetscInt dim, PetscInt points, const AbutSmoothVector *w, const PetscReal gv[3],
                                const PetscReal B[2][2][3][3], PetscReal H[])
{
  const PetscInt n = dim * points, N = n + dim;
  PetscReal      bend[81], Z[3][9];

  AbutSmoothVectorHessian(w, gv, bend);
  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt j = 0; j < dim; j++) H[N * i + j] = B[0][0][i][j];
    for (PetscInt c = 0; c < n; c++) {
      PetscReal mixed = 0;
      Z[i][c]         = 0;
      for (PetscInt k = 0; k < dim; k++) {
        mixed += B[0][1][i][k] * w->J[k][c];
        Z[i][c] += B[1][1][i][k] * w->J[k][c];
      }
      H[N * i + dim + c] = H[N * (dim + c) + i] = mixed;
    }
  }
  for (PetscInt r = 0; r < n; r++) {
    for (PetscInt c = 0; c < n; c++) {
      PetscReal sum = bend[n * r + c];
      for (PetscInt k = 0; k < dim; k++) sum += w->J[k][r] * Z[k][c];
      H[N * (dim + r) + dim + c] = sum;
    }
  }
}

/* Inlined for the numbers of points that occur, so that loops have constant bounds. */
static inline void AddAngleOf(PetscInt dim, PetscInt points, AbutSmoothLog *log, const AbutSmoothVector *w, const PetscReal d[],
                              PetscReal side, PetscInt first, const PetscInt at[], PetscReal f1, PetscReal f2, PetscReal scale,
                              PetscReal target[])
{
  const PetscInt n = dim * points, N = n + dim;
  PetscInt       slot[1 + MAX_POINTS] = {0};
  PetscReal      gc[2][3], Hc[2][2][3][3], g[12], H[144];

  for (PetscInt p = 0; p < points; p++) slot[1 + p] = first + at[p];
  CosineDerivatives(dim, d, w->v, gc, Hc);
  for (PetscInt i = 0; i < dim; i++) g[i] = gc[0][i];
  for (PetscInt c = 0; c < n; c++) {
    g[dim + c] = 0;
    for (PetscInt i = 0; i < dim; i++) g[dim + c] += gc[1][i] * w->J[i][c];
  }
  if (log->H) {
    ChainHessian(dim, points, w, gc[1], (const PetscReal(*)[2][3][3])Hc, H);
    for (PetscInt r = 0; r < N; r++) {
      for (PetscInt c = 0; c < N; c++) H[N * r + c] = f1 * side * H[N * r + c] + f2 * g[r] * g[c];
    }
  }
  for (PetscInt r = 0; r < N; r++) g[r] *= f1 * side;
  AbutSmoothAdd(log, 1 + points, slot, g, H, scale, target);
}

/* Adds a function of side * cosine(d, vector) with derivatives f1, f2. */
static void AddAngle(AbutSmoothLog *log, const AbutSmoothVector *w, const PetscReal d[], PetscReal side, PetscInt first,
                     const PetscInt at[], PetscReal f1, PetscReal f2, PetscReal scale, PetscReal target[])
{
  if (w->dim == 2)
    AddAngleOf(2, w->n, log, w, d, side, first, at, f1, f2, scale, target);
  else if (w->n == 2)
    AddAngleOf(3, 2, log, w, d, side, first, at, f1, f2, scale, target);
  else
    AddAngleOf(3, 3, log, w, d, side, first, at, f1, f2, scale, target);
}

/* ---- tangent term ---- */

static inline PetscReal TangentTerm(PetscInt dim, const AbutSmoothSpec *spec, const AbutSmoothPrimitive *p, PetscReal side,
                                    const PetscReal d[], const PetscReal x[])
{
  PetscReal value = 1;

  for (PetscInt k = 0; k < NumTangents(dim, spec, p) && value > 0; k++) {
    const TangentPoints points = Tangent(p, k);
    PetscReal           v[3];
    TangentValue(dim, &points, x, v);
    value *= AbutSmoothStep(-side * points.sign * Cosine(dim, d, v), spec->alpha_t, spec->beta_t, NULL, NULL);
  }
  return value;
}

static void TangentLog(PetscInt dim, const AbutSmoothSpec *spec, const AbutSmoothPrimitive *p, PetscReal side, const PetscReal d[],
                       const PetscReal x[], PetscInt first, AbutSmoothLog *log)
{
  for (PetscInt k = 0; k < NumTangents(dim, spec, p); k++) {
    const TangentPoints points = Tangent(p, k);
    AbutSmoothVector    w;
    PetscReal           v[3], f, df, ddf, a, b;
    TangentValue(dim, &points, x, v);
    f = AbutSmoothStep(-side * points.sign * Cosine(dim, d, v), spec->alpha_t, spec->beta_t, &df, &ddf);
    if (f >= 1) continue;
    LogDerivatives(f, df, ddf, &a, &b);
    TangentVector(dim, &points, x, &w);
    AddAngle(log, &w, d, -side * points.sign, first, points.at, a, b, 1, log->g);
  }
}

/* ---- normal term ---- */

/* Of a primitive that is its own only face: a sharp test. OIPC has none: there the direction turns away from the normal at the border. */
static inline PetscBool IsFlat(PetscInt dim, const AbutSmoothSpec *spec, const AbutSmoothPrimitive *p)
{
  return (PetscBool)(spec->member == ABUT_SMOOTH_GCP && (p->kind == ABUT_SMOOTH_FACE || (dim == 2 && p->kind == ABUT_SMOOTH_EDGE)));
}

/* Sum of the steps over the normals. */
static inline PetscReal NormalSum(PetscInt dim, const AbutSmoothSpec *spec, const AbutSmoothPrimitive *p, PetscReal side,
                                  const PetscReal d[], const PetscReal x[])
{
  PetscReal sum = 0;

  for (PetscInt k = 0; k < p->num_normals; k++) {
    PetscReal v[3], c;
    NormalValue(dim, p->normal[k], x, v);
    c = side * Cosine(dim, d, v);
    sum += IsFlat(dim, spec, p) ? c > 0 : AbutSmoothStep(c, spec->alpha_n, spec->beta_n, NULL, NULL);
  }
  return sum;
}

/* The step over the sum, in 2D as wide as the steps themselves in GCP. */
static PetscReal NormalStep(PetscInt dim, const AbutSmoothSpec *spec, PetscReal sum, PetscReal *df, PetscReal *ddf)
{
  return AbutSmoothStep(sum - 1, dim == 2 && spec->member == ABUT_SMOOTH_GCP && spec->alpha_n > 0 ? spec->alpha_n : 1, 0, df, ddf);
}

static void NormalLog(PetscInt dim, const AbutSmoothSpec *spec, const AbutSmoothPrimitive *p, PetscReal side, const PetscReal d[],
                      const PetscReal x[], PetscInt first, AbutSmoothLog *log)
{
  const PetscReal sum = NormalSum(dim, spec, p, side, d, x);
  PetscReal       f, df, ddf, a, b;

  if (sum >= 1 || IsFlat(dim, spec, p)) return;
  f = NormalStep(dim, spec, sum, &df, &ddf);
  LogDerivatives(f, df, ddf, &a, &b);
  for (PetscInt k = 0; k < p->num_normals; k++) {
    AbutSmoothVector w;
    PetscReal        v[3], f1, f2;
    NormalValue(dim, p->normal[k], x, v);
    AbutSmoothStep(side * Cosine(dim, d, v), spec->alpha_n, spec->beta_n, &f1, &f2);
    if (f1 == 0 && f2 == 0) continue;
    NormalVector(dim, p->normal[k], x, &w);
    AddAngle(log, &w, d, side, first, p->normal[k], f1, f2, a, log->s);
  }
  AbutSmoothAddSum(log, a, b);
}

/* ---- weight ---- */

/* The weight is a sum of scale * |vector|^power over vectors of the stencil. */
typedef struct {
  PetscInt  count, power;
  PetscReal scale;
} Lengths;

static Lengths WeightLengths(PetscInt dim, const AbutSmoothSpec *spec, const AbutSmoothPrimitive *p)
{
  if (p->kind == ABUT_SMOOTH_FACE) return (Lengths){1, 1, 0.5};
  if (spec->member == ABUT_SMOOTH_OIPC) return (Lengths){p->kind, 1, 1};
  if (p->kind == ABUT_SMOOTH_EDGE) return (Lengths){1, dim - 1, 1};
  if (dim == 3) return (Lengths){p->n - 1, 2, 1.0 / 3};
  return (Lengths){p->n - 1, 1, 1.0 / PetscMax(p->n - 1, 1)};
}

static void WeightVector(PetscInt dim, const AbutSmoothPrimitive *p, const PetscReal x[], PetscInt k, AbutSmoothVector *w, PetscInt at[])
{
  PetscReal y[9];

  at[0] = 0;
  at[1] = 1 + k;
  at[2] = 2;
  Gather(dim, PetscMin(p->n, 3), at, x, y);
  if (p->kind == ABUT_SMOOTH_FACE)
    AbutSmoothNormal(dim, y, w);
  else
    AbutSmoothDifference(ABUT_DIST_POINT_POINT, dim, y, w);
}

static inline PetscReal Weight(PetscInt dim, const AbutSmoothSpec *spec, const AbutSmoothPrimitive *p, const PetscReal x[])
{
  static const PetscInt face[3] = {0, 1, 2};
  const Lengths         lengths = WeightLengths(dim, spec, p);
  PetscReal             sum     = 0;

  for (PetscInt k = 0; k < lengths.count; k++) {
    const TangentPoints edge = {2, {0, 1 + k}, 1};
    PetscReal           v[3], size2;
    if (p->kind == ABUT_SMOOTH_FACE)
      NormalValue(dim, face, x, v);
    else
      TangentValue(dim, &edge, x, v);
    size2 = AbutDot(dim, v, v);
    sum += lengths.scale * (lengths.power == 1 ? PetscSqrtReal(size2) : size2);
  }
  return lengths.count || (dim == 3 && spec->member == ABUT_SMOOTH_GCP) ? sum : 1;
}

/* scale |v|^power: gradient q v, Hessian q (I + (power - 2) u u^T) in v, q = scale power |v|^(power - 2). */
static void AddLength(AbutSmoothLog *log, const AbutSmoothVector *w, const Lengths *lengths, PetscInt first, const PetscInt at[],
                      PetscReal scale)
{
  const PetscInt  dim = w->dim, n = dim * w->n;
  const PetscReal size = PetscSqrtReal(AbutDot(dim, w->v, w->v)), q = lengths->scale * (lengths->power == 1 ? 1 / size : 2);
  PetscInt        slot[MAX_POINTS];
  PetscReal       gv[3], g[9], H[81];

  for (PetscInt p = 0; p < w->n; p++) slot[p] = first + at[p];
  for (PetscInt i = 0; i < dim; i++) gv[i] = q * w->v[i];
  for (PetscInt c = 0; c < n; c++) {
    g[c] = 0;
    for (PetscInt i = 0; i < dim; i++) g[c] += gv[i] * w->J[i][c];
  }
  if (log->H) {
    AbutSmoothVectorHessian(w, gv, H);
    for (PetscInt r = 0; r < n; r++) {
      for (PetscInt c = 0; c < n; c++) {
        for (PetscInt i = 0; i < dim; i++) H[n * r + c] += q * w->J[i][r] * w->J[i][c];
        H[n * r + c] += (PetscReal)(lengths->power - 2) * g[r] * g[c] / (q * size * size);
      }
    }
  }
  AbutSmoothAdd(log, w->n, slot, g, H, scale, log->s);
}

static void WeightLog(PetscInt dim, const AbutSmoothSpec *spec, const AbutSmoothPrimitive *p, const PetscReal x[], PetscInt first,
                      AbutSmoothLog *log)
{
  const Lengths   lengths = WeightLengths(dim, spec, p);
  const PetscReal weight  = Weight(dim, spec, p, x);

  for (PetscInt k = 0; k < lengths.count; k++) {
    AbutSmoothVector w;
    PetscInt         at[MAX_POINTS];
    WeightVector(dim, p, x, k, &w, at);
    AddLength(log, &w, &lengths, first, at, 1 / weight);
  }
  AbutSmoothAddSum(log, 1 / weight, -1 / (weight * weight));
}

/* ---- the factor ---- */

/* Inlined for each dimension. */
static inline PetscReal Factor(PetscInt dim, const AbutSmoothSpec *spec, const AbutSmoothPrimitive *p, PetscReal side, const PetscReal d[],
                               const PetscReal x[])
{
  PetscReal value = TangentTerm(dim, spec, p, side, d, x);

  if (value > 0 && p->oriented) value *= NormalStep(dim, spec, NormalSum(dim, spec, p, side, d, x), NULL, NULL);
  return value > 0 ? value * Weight(dim, spec, p, x) : 0;
}

PetscReal AbutSmoothFactor(PetscInt dim, const AbutSmoothSpec *spec, const AbutSmoothPrimitive *p, PetscReal side, const PetscReal d[],
                           const PetscReal x[])
{
  return dim == 3 ? Factor(3, spec, p, side, d, x) : Factor(2, spec, p, side, d, x);
}

void AbutSmoothFactorLog(PetscInt dim, const AbutSmoothSpec *spec, const AbutSmoothPrimitive *p, PetscReal side, const PetscReal d[],
                         const PetscReal x[], PetscInt first, AbutSmoothLog *log)
{
  TangentLog(dim, spec, p, side, d, x, first, log);
  if (p->oriented) NormalLog(dim, spec, p, side, d, x, first, log);
  WeightLog(dim, spec, p, x, first, log);
}
