/*
  Weight W of one primitive: measure, tangent term and normal term, functions of lengths and angles over the primitive's stencil.

  Tangent term: the distance must not decrease along the surface. It has one step per edge at a vertex and, at an edge, one step per face,
  of the direction in the face normal to the edge. Normal term: the other side must be outside of at least one incident face.
*/
#include "oriented_tangent.h"

/* Derivatives f'/f and (f'/f)' of the logarithm. */
static inline void LogDerivatives(PetscReal f, PetscReal df, PetscReal ddf, PetscReal *a, PetscReal *b)
{
  *a = df / f;
  *b = ddf / f - *a * *a;
}

/* ---- angles ---- */

static inline PetscReal Cosine(PetscInt dim, const PetscReal d[], const PetscReal v[])
{
  const PetscReal size2 = AbutDot(dim, d, d) * AbutDot(dim, v, v);
  return size2 > 0 ? AbutDot(dim, d, v) / PetscSqrtReal(size2) : 0;
}

/*
  Step of sign * cosine of the angle of d and v. If squares show that the cosine is beyond a limit, the result is 0 or 1 without square
  roots. Else it equals AbutOrientedStep() of Cosine() bit for bit, so that value and derivatives agree on which pairs are active.
*/
static inline PetscReal AngleStep(PetscInt dim, PetscReal sign, const PetscReal d[], const PetscReal v[], PetscReal alpha, PetscReal beta)
{
  const PetscReal along = sign * AbutDot(dim, d, v), size2 = AbutDot(dim, d, d) * AbutDot(dim, v, v);

  if (along > 0 && beta >= 0 && along * along >= beta * beta * size2) return 1;
  if (along < 0 && alpha >= 0 && along * along >= alpha * alpha * size2) return 0;
  return AbutOrientedStep(sign * Cosine(dim, d, v), alpha, beta, NULL, NULL);
}

/* First and second derivative of a step of side * cosine, and the factor of the second derivatives of this cosine. */
typedef struct {
  PetscReal side, f1, f2, scale;
} AngleSlope;

/*
  Derivatives, with respect to d (index 0) and v (index 1), of f->scale times a function of the cosine c = d . v / (|d| |v|): gradient g
  and, with `second`, Hessian H.
*/
static inline void AngleDerivatives(PetscInt dim, const PetscReal d[], const PetscReal v[], const AngleSlope *f, PetscBool second,
                                    PetscReal g[2][3], PetscReal H[2][2][3][3])
{
  const PetscReal inverse[2] = {1 / AbutNorm(dim, d), 1 / AbutNorm(dim, v)};
  const PetscReal slope = f->side * f->f1, a = f->scale * slope, b = f->scale * f->f2, mixed = a * inverse[0] * inverse[1];
  PetscReal       u[2][3], gc[2][3], c;

  for (PetscInt i = 0; i < dim; i++) {
    u[0][i] = d[i] * inverse[0];
    u[1][i] = v[i] * inverse[1];
  }
  c = AbutDot(dim, u[0], u[1]);
  for (PetscInt i = 0; i < dim; i++) {
    for (int e = 0; e < 2; e++) {
      gc[e][i] = (u[1 - e][i] - c * u[e][i]) * inverse[e];
      g[e][i]  = slope * gc[e][i];
    }
  }
  for (PetscInt i = 0; i < dim && second; i++) {
    for (PetscInt j = 0; j < dim; j++) {
      for (int e = 0; e < 2; e++) {
        const PetscReal bend = c * ((i == j) - u[e][i] * u[e][j]) * inverse[e];
        H[e][e][i][j]        = b * gc[e][i] * gc[e][j] - a * inverse[e] * (gc[e][i] * u[e][j] + u[e][i] * gc[e][j] + bend);
      }
      H[0][1][i][j] = b * gc[0][i] * gc[1][j] + mixed * ((i == j) - u[0][i] * u[0][j] - u[1][i] * u[1][j] + c * u[0][i] * u[1][j]);
      H[1][0][j][i] = H[0][1][i][j];
    }
  }
}

/* ---- sums over the points of a vector ---- */

/* Whether a vector is the difference of two points. */
static inline PetscBool IsDifference(const AbutOrientedVector *w)
{
  return (PetscBool)(w->n == 2 && !w->normal);
}

/* The second bound keeps gcc 12 from vectors of 16 indices, which AVX-512 has, and from a warning that they are not all set. */
static inline void IndicesOf(AbutOrientedLog *log, PetscInt n, PetscInt first, const PetscInt at[], PetscInt index[])
{
  for (PetscInt p = 0; p < n && p < MAX_POINTS; p++) index[p] = log->dim * AbutOrientedIndex(log, first + at[p]);
}

static inline void AddBlock(PetscInt dim, const AbutOrientedLog *log, PetscInt row, PetscInt column, PetscReal scale,
                            const PetscReal B[3][3])
{
  PetscReal *to = log->H + log->size * row + column;

  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt j = 0; j < dim; j++) to[log->size * i + j] += scale * B[i][j];
  }
}

static inline void AddVectorGradient(PetscInt dim, const AbutOrientedVector *w, const PetscInt at[], const PetscReal g[],
                                     PetscReal target[])
{
  if (IsDifference(w)) {
    for (PetscInt i = 0; i < dim; i++) {
      target[at[0] + i] += g[i];
      target[at[1] + i] -= g[i];
    }
    return;
  }
  for (PetscInt p = 0; p < w->n; p++) {
    for (PetscInt j = 0; j < dim; j++) {
      for (PetscInt i = 0; i < dim; i++) target[at[p] + j] += g[i] * w->J[i][dim * p + j];
    }
  }
}

/* Adds J^T B J + g . v'' over the points. */
static inline void AddVectorBlocks(PetscInt dim, PetscInt points, const AbutOrientedLog *log, const AbutOrientedVector *w,
                                   const PetscInt at[], const PetscReal g[], const PetscReal B[3][3])
{
  const PetscInt n = dim * points;
  PetscReal      H[81], Z[3][9];

  AbutOrientedVectorHessian(w, g, H);
  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt c = 0; c < n; c++) {
      Z[i][c] = 0;
      for (PetscInt k = 0; k < dim; k++) Z[i][c] += B[i][k] * w->J[k][c];
    }
  }
  for (PetscInt r = 0; r < n; r++) {
    PetscReal *to = log->H + log->size * (at[r / dim] + r % dim);
    for (PetscInt c = 0; c < n; c++) {
      for (PetscInt k = 0; k < dim; k++) H[n * r + c] += w->J[k][r] * Z[k][c];
      to[at[c / dim] + c % dim] += H[n * r + c];
    }
  }
}

/*
  Adds the Hessian over the points of a function of a vector with gradient g and Hessian B. `scale` multiplies it; it is 1 unless the
  vector is the difference of two points.
*/
static inline void AddVectorHessian(PetscInt dim, const AbutOrientedLog *log, const AbutOrientedVector *w, const PetscInt at[],
                                    const PetscReal g[], const PetscReal B[3][3], PetscReal scale)
{
  if (IsDifference(w)) {
    for (int p = 0; p < 2; p++) {
      for (int q = 0; q < 2; q++) AddBlock(dim, log, at[p], at[q], p == q ? scale : -scale, B);
    }
  } else if (w->n == 3)
    AddVectorBlocks(dim, 3, log, w, at, g, B);
  else
    AddVectorBlocks(dim, 2, log, w, at, g, B);
}

/* Adds the mixed derivatives B of a function of d (slot 0) and a vector, and their transpose. */
static inline void AddMixed(PetscInt dim, AbutOrientedLog *log, const AbutOrientedVector *w, const PetscInt at[], const PetscReal B[3][3])
{
  for (PetscInt p = 0; p < w->n; p++) {
    for (PetscInt i = 0; i < dim; i++) {
      for (PetscInt j = 0; j < dim; j++) {
        PetscReal sum = 0;
        if (IsDifference(w))
          sum = p ? -B[i][j] : B[i][j];
        else
          for (PetscInt k = 0; k < dim; k++) sum += B[i][k] * w->J[k][dim * p + j];
        log->H[log->size * i + at[p] + j] += sum;
        log->H[log->size * (at[p] + j) + i] += sum;
      }
    }
  }
}

/* Adds a function of the angle of d and a vector. first: first slot of the stencil; at: points of the vector in the stencil. */
static inline void AddAngle(PetscInt dim, AbutOrientedLog *log, const AbutOrientedVector *w, const PetscReal d[], const AngleSlope *f,
                            PetscInt first, const PetscInt at[], PetscReal target[])
{
  const PetscBool second = (PetscBool)(log->H != NULL);
  PetscInt        index[MAX_POINTS];
  PetscReal       g[2][3], H[2][2][3][3];

  IndicesOf(log, w->n, first, at, index);
  AngleDerivatives(dim, d, w->v, f, second, g, H);
  for (PetscInt i = 0; i < dim; i++) target[i] += g[0][i];
  AddVectorGradient(dim, w, index, g[1], target);
  if (!second) return;
  for (PetscInt i = 0; i < dim; i++) g[1][i] *= f->scale;
  AddBlock(dim, log, 0, 0, 1, (const PetscReal(*)[3])H[0][0]);
  AddMixed(dim, log, w, index, (const PetscReal(*)[3])H[0][1]);
  AddVectorHessian(dim, log, w, index, g[1], (const PetscReal(*)[3])H[1][1], 1);
}

/* Adds log |v|^power: with v = |v| u, gradient power u / |v| and Hessian power (I - 2 u u^T) / |v|^2. */
static inline void AddLogLength(PetscInt dim, AbutOrientedLog *log, const AbutOrientedVector *w, PetscReal power, PetscInt first,
                                const PetscInt at[])
{
  const PetscReal size2 = AbutDot(dim, w->v, w->v);
  PetscInt        index[MAX_POINTS];
  PetscReal       g[3], H[3][3];

  IndicesOf(log, w->n, first, at, index);
  for (PetscInt i = 0; i < dim; i++) g[i] = power * w->v[i] / size2;
  AddVectorGradient(dim, w, index, g, log->g);
  if (!log->H) return;
  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt j = 0; j < dim; j++) H[i][j] = ((i == j) * power - 2 * g[i] * w->v[j]) / size2;
  }
  AddVectorHessian(dim, log, w, index, g, (const PetscReal(*)[3])H, 1);
}

/* ---- tangent term ---- */

static inline PetscReal TangentTerm(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p, PetscReal side,
                                    const PetscReal d[], const PetscReal x[])
{
  PetscReal value = 1;

  for (PetscInt k = NumTangents(dim, spec, p) - 1; k >= 0 && value > 0;
       k--) { /* the directions along an edge first, as they are the cheapest */
    const TangentPoints points = Tangent(p, k);
    PetscReal           v[3];
    TangentValue(dim, &points, x, v);
    value *= AngleStep(dim, -side * points.sign, d, v, spec->alpha_t, spec->beta_t);
  }
  return value;
}

static inline void TangentLog(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p, PetscReal side,
                              const PetscReal d[], const PetscReal x[], PetscInt first, AbutOrientedLog *log)
{
  for (PetscInt k = 0; k < NumTangents(dim, spec, p); k++) {
    const TangentPoints points = Tangent(p, k);
    AbutOrientedVector  w;
    PetscReal           v[3], f, df, ddf, a, b;
    TangentValue(dim, &points, x, v);
    if (AngleStep(dim, -side * points.sign, d, v, spec->alpha_t, spec->beta_t) >= 1) continue;
    f = AbutOrientedStep(-side * points.sign * Cosine(dim, d, v), spec->alpha_t, spec->beta_t, &df, &ddf);
    LogDerivatives(f, df, ddf, &a, &b);
    TangentVector(dim, &points, x, &w);
    AddAngle(dim, log, &w, d, &(AngleSlope){-side * points.sign, a, b, 1}, first, points.at, log->g);
  }
}

/* ---- normal term ---- */

/* Whether the normal term is a sharp sign test: in GCP for a primitive that is its own only face (2D: edge). OIPC smooths this test. */
static inline PetscBool IsFlat(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p)
{
  return (PetscBool)(spec->member == ABUT_ORIENTED_GCP && (p->kind == ABUT_ORIENTED_FACE || (dim == 2 && p->kind == ABUT_ORIENTED_EDGE)));
}

/* Sum of the steps over the normals, stopped when it reaches 1. */
static inline PetscReal NormalSum(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p, PetscReal side,
                                  const PetscReal d[], const PetscReal x[])
{
  PetscReal sum = 0;

  for (PetscInt k = 0; k < p->num_normals && sum < 1; k++) {
    PetscReal v[3];
    NormalValue(dim, p->normal[k], x, v);
    sum += IsFlat(dim, spec, p) ? side * AbutDot(dim, d, v) > 0 : AngleStep(dim, side, d, v, spec->alpha_n, spec->beta_n);
  }
  return sum;
}

/* The step H of the sum minus 1. Its width is 1, but alpha_n for GCP in 2D. */
static PetscReal NormalStep(PetscInt dim, const AbutOrientedSpec *spec, PetscReal sum, PetscReal *df, PetscReal *ddf)
{
  return AbutOrientedStep(sum - 1, dim == 2 && spec->member == ABUT_ORIENTED_GCP && spec->alpha_n > 0 ? spec->alpha_n : 1, 0, df, ddf);
}

static inline void NormalLog(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p, PetscReal side,
                             const PetscReal d[], const PetscReal x[], PetscInt first, AbutOrientedLog *log)
{
  const PetscReal sum = NormalSum(dim, spec, p, side, d, x);
  PetscReal       f, df, ddf, a, b;

  if (sum >= 1 || IsFlat(dim, spec, p)) return;
  f = NormalStep(dim, spec, sum, &df, &ddf);
  LogDerivatives(f, df, ddf, &a, &b);
  for (PetscInt k = 0; k < p->num_normals; k++) {
    AbutOrientedVector w;
    PetscReal          v[3], f1, f2;
    NormalValue(dim, p->normal[k], x, v);
    AbutOrientedStep(side * Cosine(dim, d, v), spec->alpha_n, spec->beta_n, &f1, &f2);
    if (f1 == 0 && f2 == 0) continue;
    NormalVector(dim, p->normal[k], x, &w);
    AddAngle(dim, log, &w, d, &(AngleSlope){side, f1, f2, a}, first, p->normal[k], log->s);
  }
  AbutOrientedAddSum(log, a, b);
}

/* ---- measure ---- */

/* The measure is a sum of scale * |vector|^power over vectors of the stencil. */
typedef struct {
  PetscInt  count, power;
  PetscReal scale;
} Lengths;

static Lengths WeightLengths(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p)
{
  if (p->kind == ABUT_ORIENTED_FACE) return (Lengths){1, 1, 0.5};
  if (spec->member == ABUT_ORIENTED_OIPC) return (Lengths){p->kind, 1, 1};
  if (p->kind == ABUT_ORIENTED_EDGE) return (Lengths){1, dim - 1, 1};
  if (dim == 3) return (Lengths){p->n - 1, 2, 1.0 / 3};
  return (Lengths){p->n - 1, 1, 1.0 / PetscMax(p->n - 1, 1)};
}

static void WeightVector(PetscInt dim, const AbutOrientedPrimitive *p, const PetscReal x[], PetscInt k, AbutOrientedVector *w,
                         PetscInt at[])
{
  PetscReal y[9];

  at[0] = 0;
  at[1] = 1 + k;
  at[2] = 2;
  AbutGather(dim, PetscMin(p->n, 3), at, x, y);
  if (p->kind == ABUT_ORIENTED_FACE)
    AbutOrientedNormal(dim, y, w);
  else
    AbutOrientedDifference(ABUT_DIST_POINT_POINT, dim, y, w);
}

static inline PetscReal Weight(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p, const PetscReal x[])
{
  static const PetscInt face[3] = {0, 1, 2};
  const Lengths         lengths = WeightLengths(dim, spec, p);
  PetscReal             sum     = 0;

  if (p->rest > 0) return p->rest;
  for (PetscInt k = 0; k < lengths.count; k++) {
    const TangentPoints edge = {2, {0, 1 + k}, 1};
    PetscReal           v[3], size2;
    if (p->kind == ABUT_ORIENTED_FACE)
      NormalValue(dim, face, x, v);
    else
      TangentValue(dim, &edge, x, v);
    size2 = AbutDot(dim, v, v);
    sum += lengths.scale * (lengths.power == 1 ? PetscSqrtReal(size2) : size2);
  }
  return lengths.count || (dim == 3 && spec->member == ABUT_ORIENTED_GCP) ? sum : 1;
}

/* Adds the derivatives of scale |v|^power, v = |v| u: gradient q v, Hessian q (I + (power - 2) u u^T), q = scale power |v|^(power - 2). */
static inline void AddLength(PetscInt dim, AbutOrientedLog *log, const AbutOrientedVector *w, const Lengths *lengths, PetscInt first,
                             const PetscInt at[], PetscReal scale)
{
  const PetscReal size = AbutNorm(dim, w->v), q = lengths->scale * (lengths->power == 1 ? 1 / size : 2);
  PetscInt        index[MAX_POINTS];
  PetscReal       g[3], H[3][3];

  IndicesOf(log, w->n, first, at, index);
  for (PetscInt i = 0; i < dim; i++) g[i] = q * w->v[i];
  AddVectorGradient(dim, w, index, g, log->s);
  if (!log->H) return;
  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt j = 0; j < dim; j++) H[i][j] = (i == j) * q + (PetscReal)(lengths->power - 2) * g[i] * g[j] / (q * size * size);
  }
  AddVectorHessian(dim, log, w, index, g, (const PetscReal(*)[3])H, scale);
}

static inline void WeightLog(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p, const PetscReal x[],
                             PetscInt first, AbutOrientedLog *log)
{
  const Lengths      lengths = WeightLengths(dim, spec, p);
  AbutOrientedVector w;
  PetscInt           at[MAX_POINTS];
  PetscReal          weight;

  if (p->rest > 0) return;
  if (lengths.count == 1) {
    WeightVector(dim, p, x, 0, &w, at);
    AddLogLength(dim, log, &w, (PetscReal)lengths.power, first, at);
  }
  if (lengths.count <= 1) return;
  weight = Weight(dim, spec, p, x);
  for (PetscInt k = 0; k < lengths.count; k++) {
    WeightVector(dim, p, x, k, &w, at);
    AddLength(dim, log, &w, &lengths, first, at, 1 / weight);
  }
  AbutOrientedAddSum(log, 1 / weight, -1 / (weight * weight));
}

PetscReal AbutOrientedMeasure(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p, const PetscReal x[])
{
  return ABUT_BY_DIM(dim, Weight, spec, p, x);
}

/* ---- product ---- */

/* Inlined for each dimension. */
static inline PetscReal Factor(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p, PetscReal side,
                               const PetscReal d[], const PetscReal x[])
{
  PetscReal value = TangentTerm(dim, spec, p, side, d, x);

  if (value > 0 && p->oriented) value *= NormalStep(dim, spec, NormalSum(dim, spec, p, side, d, x), NULL, NULL);
  return value > 0 ? value * Weight(dim, spec, p, x) : 0;
}

PetscReal AbutOrientedWeightValue(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p, PetscReal side,
                                  const PetscReal d[], const PetscReal x[])
{
  return ABUT_BY_DIM(dim, Factor, spec, p, side, d, x);
}

static inline void FactorLog(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p, PetscReal side,
                             const PetscReal d[], const PetscReal x[], PetscInt first, AbutOrientedLog *log)
{
  TangentLog(dim, spec, p, side, d, x, first, log);
  if (p->oriented) NormalLog(dim, spec, p, side, d, x, first, log);
  WeightLog(dim, spec, p, x, first, log);
}

void AbutOrientedWeightLog(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p, PetscReal side, const PetscReal d[],
                           const PetscReal x[], PetscInt first, AbutOrientedLog *log)
{
  ABUT_BY_DIM(dim, FactorLog, spec, p, side, d, x, first, log);
}
