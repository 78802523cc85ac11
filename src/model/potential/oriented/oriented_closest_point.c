/*
  Mollified closest points of a pair [Huang et al. 2025, section 4.4]. Their difference is the direction of all angles.

  The parameter t of a closest point on a line becomes t h(t w) near an end, so that it reaches the end with derivative 0. This is the blend
  m_0 = 1 - h(t w); the printed h(1 - t w) has a kink at t w = 1. Near its sides the closest point p of a face becomes a mean of p and
  of the mollified closest points p_i of the lines of its sides,

      (h_1 h_2 h_3 p + sum_i (1 - h_i) h_j h_k p_i) / (sum of the weights),    h_i = h(s_i w), with h' = 0 at 0 and at 1,

  s the barycentric coordinates. The seven unnormalised functions as published have kinks at the ends of the sides. The width 1 / w is the
  minimum of mollifier_width and mollifier_ratio times distance over size of the primitive. With a constant width, as published, points
  closer than 1e-4 of an edge would have directions along the edge, fail all angle tests and not be repelled.

  The distance stays that of the closest points: the distance of the mollified points is not monotone near an end, which would stop sliding
  contacts there.
*/
#include "orientedimpl.h"

typedef AbutOrientedCore Core;

/* ---- algebra of jets ---- */

static void Multiply(const Core *k, const AbutOrientedJet *a, const AbutOrientedJet *b, AbutOrientedJet *out)
{
  for (PetscInt r = 0; k->order > 1 && r < k->N; r++) {
    for (PetscInt c = 0; c < k->N; c++) {
      const PetscInt i = k->N * r + c;
      out->H[i]        = a->v * b->H[i] + b->v * a->H[i] + a->g[r] * b->g[c] + b->g[r] * a->g[c];
    }
  }
  for (PetscInt r = 0; k->order > 0 && r < k->N; r++) out->g[r] = a->v * b->g[r] + b->v * a->g[r];
  out->v = a->v * b->v;
}

/* f(a) for a function with value f and derivatives f1, f2 at a. */
static void Apply(const Core *k, PetscReal f, PetscReal f1, PetscReal f2, const AbutOrientedJet *a, AbutOrientedJet *out)
{
  for (PetscInt r = 0; k->order > 1 && r < k->N; r++) {
    for (PetscInt c = 0; c < k->N; c++) out->H[k->N * r + c] = f1 * a->H[k->N * r + c] + f2 * a->g[r] * a->g[c];
  }
  for (PetscInt r = 0; k->order > 0 && r < k->N; r++) out->g[r] = f1 * a->g[r];
  out->v = f;
}

static void Divide(const Core *k, const AbutOrientedJet *a, const AbutOrientedJet *b, AbutOrientedJet *out)
{
  AbutOrientedJet inverse;

  Apply(k, 1 / b->v, -1 / (b->v * b->v), 2 / (b->v * b->v * b->v), b, &inverse);
  Multiply(k, a, &inverse, out);
}

static void Add(const Core *k, PetscReal scale, const AbutOrientedJet *a, AbutOrientedJet *out)
{
  for (PetscInt i = 0; k->order > 1 && i < k->N * k->N; i++) out->H[i] += scale * a->H[i];
  for (PetscInt r = 0; k->order > 0 && r < k->N; r++) out->g[r] += scale * a->g[r];
  out->v += scale * a->v;
}

static void Constant(const Core *k, PetscReal value, AbutOrientedJet *out)
{
  out->v = value;
  if (k->order > 0) (void)PetscArrayzero(out->g, k->N);
  if (k->order > 1) (void)PetscArrayzero(out->H, k->N * k->N);
}

static void OneMinus(const Core *k, const AbutOrientedJet *a, AbutOrientedJet *out)
{
  Apply(k, 1 - a->v, -1, 0, a, out);
}

/* ---- functions of the core ---- */

/* Weight of point p in the closest point of its side, for a distance form over the points `at` of the core. */
static void Weight(const Core *k, AbutDistForm form, const PetscInt at[], PetscInt p, AbutOrientedJet *out)
{
  const PetscInt     dim  = k->dim;
  const PetscReal    sign = p < (form == ABUT_DIST_LINE_LINE ? 2 : 1) ? 1 : -1;
  AbutOrientedVector w;
  PetscReal          y[12] = {0}, g[12], H[144];

  AbutGather(dim, form == ABUT_DIST_POINT_LINE ? 3 : 4, at, k->x, y);
  AbutOrientedDifferenceValue(form, dim, y, &w);
  if (k->order > 1) AbutOrientedDifferenceJacobian(&w);
  if (k->order > 0) AbutOrientedPointWeight(&w, p, g, k->order > 1 ? H : NULL);
  Constant(k, sign * w.frame.c[p], out);
  for (PetscInt r = 0; k->order > 0 && r < dim * w.n; r++) {
    const PetscInt row = dim * at[r / dim] + r % dim;
    out->g[row]        = sign * g[r];
    for (PetscInt c = 0; k->order > 1 && c < dim * w.n; c++) out->H[k->N * row + dim * at[c / dim] + c % dim] = sign * H[dim * w.n * r + c];
  }
}

/* Squared size of a primitive: sum of the squared distances between its points first, ..., first + count - 1. */
static void Size2(const Core *k, PetscInt first, PetscInt count, AbutOrientedJet *out)
{
  static const PetscReal difference[2] = {1, -1};

  Constant(k, 0, out);
  for (PetscInt p = first; p < first + count; p++) {
    for (PetscInt q = first; q < p; q++) {
      for (PetscInt i = 0; i < k->dim; i++) {
        const PetscInt  at[2] = {k->dim * p + i, k->dim * q + i};
        const PetscReal d     = k->x[at[0]] - k->x[at[1]];
        out->v += d * d;
        for (int a = 0; k->order > 0 && a < 2; a++) {
          out->g[at[a]] += 2 * difference[a] * d;
          for (int b = 0; k->order > 1 && b < 2; b++) out->H[k->N * at[a] + at[b]] += 2 * difference[a] * difference[b];
        }
      }
    }
  }
}

/* Inverse width w = sqrt(1 / width^2 + size^2 / (ratio dist)^2) of the mollifier of a primitive. */
static void Width(const Core *k, const AbutClosest *closest, PetscInt first, PetscInt count, AbutOrientedJet *w)
{
  const PetscReal width = k->spec->mollifier_width, ratio = k->spec->mollifier_ratio, f = 1 / (ratio * ratio);
  PetscReal       root;
  AbutOrientedJet size2, dist2;

  dist2.v = AbutFeatureDist2(closest, k->dim, k->n, k->x, k->order > 0 ? dist2.g : NULL, k->order > 1 ? dist2.H : NULL);
  Size2(k, first, count, &size2);
  Divide(k, &size2, &dist2, w);
  root = PetscSqrtReal(1 / (width * width) + f * w->v);
  Apply(k, root, f / (2 * root), -f * f / (4 * root * root * root), w, w);
}

/* ---- mollified weights ---- */

/* Mollifies the parameter t of a line at both ends: t becomes t h(t w) near 0, and is clamped to [0, 1]. */
static void BlendLine(const Core *k, const AbutOrientedJet *w, AbutOrientedJet *t)
{
  const PetscBool upper = (PetscBool)(t->v > 0.5);
  AbutOrientedJet y, h;
  PetscReal       f, f1, f2;

  if (upper) OneMinus(k, t, t);
  if (t->v <= 0) {
    Constant(k, 0, t);
  } else if (t->v * w->v < 1) {
    Multiply(k, t, w, &y);
    f = AbutOrientedBlend(y.v, &f1, &f2);
    Apply(k, f, f1, f2, &y, &h);
    Multiply(k, t, &h, t);
  }
  if (upper) OneMinus(k, t, t);
}

/* Mollified weights of the two points of a line, which are points q and q + 1 of the closest features. */
static void LineWeights(const Core *k, PetscInt q, PetscInt first, PetscInt count, AbutOrientedJet weight[])
{
  const PetscInt *at = k->closest->v;
  AbutOrientedJet w;

  Width(k, k->closest, first, count, &w);
  Weight(k, k->closest->form, at, q + 1, &weight[at[q + 1]]);
  BlendLine(k, &w, &weight[at[q + 1]]);
  OneMinus(k, &weight[at[q + 1]], &weight[at[q]]);
}

/* h = ramp(s w). */
static void BorderBlend(const Core *k, const AbutOrientedJet *s, const AbutOrientedJet *w, AbutOrientedJet *h)
{
  AbutOrientedJet y;
  PetscReal       f, f1, f2;

  if (s->v * w->v >= 1) {
    Constant(k, 1, h);
    return;
  }
  Multiply(k, s, w, &y);
  f = AbutOrientedRamp(y.v, &f1, &f2);
  Apply(k, f, f1, f2, &y, h);
}

/* Mollified parameter t of the projection of point at[0] on the line at[1] at[2], which belongs to the primitive of `count` points. */
static void ProjectedWeight(const Core *k, const PetscInt at[3], PetscInt first, PetscInt count, AbutOrientedJet *t)
{
  const AbutClosest closest = {ABUT_DIST_POINT_LINE, 3, {at[0], at[1], at[2]}};
  AbutOrientedJet   w;

  Width(k, &closest, first, count, &w);
  Weight(k, ABUT_DIST_POINT_LINE, at, 2, t);
  BlendLine(k, &w, t);
}

/* Adds the contribution of side i, between corners j and l, to the mean over the face. */
static void AddSide(const Core *k, PetscInt i, const AbutOrientedJet h[3], AbutOrientedJet *total, AbutOrientedJet weight[])
{
  const PetscInt  j = (i + 1) % 3, l = (i + 2) % 3, at[3] = {0, 1 + j, 1 + l};
  AbutOrientedJet share, t, part;

  OneMinus(k, &h[i], &share);
  Multiply(k, &share, &h[j], &share);
  Multiply(k, &share, &h[l], &share);
  Add(k, 1, &share, total);
  ProjectedWeight(k, at, 1, 3, &t);
  Multiply(k, &share, &t, &part);
  Add(k, 1, &part, &weight[1 + l]);
  Add(k, 1, &share, &weight[1 + j]);
  Add(k, -1, &part, &weight[1 + j]);
}

static void FaceWeights(const Core *k, AbutOrientedJet weight[])
{
  static const PetscInt all[4] = {0, 1, 2, 3};
  AbutOrientedJet       w, h[3], total;
  PetscInt              corner = 1;
  PetscBool             inside = PETSC_TRUE;

  Width(k, k->closest, 1, 3, &w);
  for (PetscInt i = 0; i < 3; i++) {
    Weight(k, ABUT_DIST_POINT_PLANE, all, 1 + i, &weight[1 + i]);
    if (weight[1 + i].v * w.v < 1) inside = PETSC_FALSE;
    if (weight[1 + i].v > weight[corner].v) corner = 1 + i;
  }
  if (inside) return;
  for (PetscInt i = 0; i < 3; i++) BorderBlend(k, &weight[1 + i], &w, &h[i]);
  Multiply(k, &h[0], &h[1], &total);
  Multiply(k, &total, &h[2], &total);
  for (PetscInt i = 0; i < 3; i++) Multiply(k, &total, &weight[1 + i], &weight[1 + i]);
  for (PetscInt i = 0; i < 3; i++)
    if (h[i].v < 1) AddSide(k, i, h, &total, weight);
  if (!(total.v > 0)) { /* at a corner: all mollified points are the corner, with derivative 0 */
    for (PetscInt i = 1; i <= 3; i++) Constant(k, i == corner, &weight[i]);
    return;
  }
  Constant(k, 1, &weight[corner]); /* 1 minus the others, which are accurate near the corner; its own quotient is not */
  for (PetscInt i = 1; i <= 3; i++) {
    if (i == corner) continue;
    Divide(k, &weight[i], &total, &weight[i]);
    Add(k, -1, &weight[i], &weight[corner]);
  }
}

/*
  Weights of two lines whose closest points are inside both. As on a face, they belong to a mean of the closest points and, near an end of
  a line, of this end and its projection on the other line. Mollifying each line by itself, as published, has a kink where one closest
  point reaches its end, because the other closest point then no longer depends on it.
*/
static void LinePairWeights(const Core *k, AbutOrientedJet weight[])
{
  AbutOrientedJet s[2], h[2], w, total, part, rest;
  PetscInt        end[2];

  for (PetscInt e = 0; e < 2; e++) {
    Width(k, k->closest, 2 * e, 2, &w);
    Weight(k, ABUT_DIST_LINE_LINE, k->closest->v, 2 * e + 1, &s[e]);
    OneMinus(k, &s[e], &weight[2 * e]);
    weight[2 * e + 1] = s[e];
    end[e]            = 2 * e + (s[e].v > 0.5);
    if (s[e].v > 0.5) s[e] = weight[2 * e];
    BorderBlend(k, &s[e], &w, &h[e]);
  }
  if (h[0].v >= 1 && h[1].v >= 1) return;
  Multiply(k, &h[0], &h[1], &total);
  Apply(k, -total.v, -1, 0, &total, &total);
  for (PetscInt e = 0; e < 2; e++) Add(k, 1, &h[e], &total);
  for (PetscInt e = 0; e < 2;
       e++) { /* weight of the farther end: h_e (h_f s_e + (1 - h_f) t) / total, t the projection of the other line's nearer end */
    const PetscInt far = 4 * e + 1 - end[e], at[3] = {end[1 - e], end[e], far};
    Constant(k, 0, &weight[far]);
    if (total.v > 0) {
      Multiply(k, &h[1 - e], &s[e], &weight[far]);
      OneMinus(k, &h[1 - e], &rest);
      ProjectedWeight(k, at, 2 * e, 2, &part);
      Multiply(k, &rest, &part, &part);
      Add(k, 1, &part, &weight[far]);
      Multiply(k, &weight[far], &h[e], &weight[far]);
      Divide(k, &weight[far], &total, &weight[far]);
    }
    OneMinus(k, &weight[far], &weight[end[e]]);
  }
}

static void Weights(const Core *k, AbutOrientedJet weight[])
{
  const AbutClosest *c = k->closest;

  for (PetscInt p = 0; p < k->n; p++) Constant(k, 0, &weight[p]);
  switch (c->form) {
  case ABUT_DIST_POINT_POINT:
    for (int p = 0; p < 2; p++) weight[c->v[p]].v = 1;
    break;
  case ABUT_DIST_POINT_LINE:
    weight[c->v[0]].v = 1;
    if (k->kind == ABUT_PAIR_FV)
      LineWeights(k, 1, 1, 3, weight);
    else
      LineWeights(k, 1, PetscMin(c->v[1], c->v[2]), 2, weight);
    break;
  case ABUT_DIST_POINT_PLANE:
    weight[0].v = 1;
    FaceWeights(k, weight);
    break;
  case ABUT_DIST_LINE_LINE: LinePairWeights(k, weight);
  }
}

/* ---- the direction ---- */

static inline PetscReal SideSign(AbutPairKind kind, PetscInt p)
{
  return p < (kind == ABUT_PAIR_EE ? 2 : 1) ? 1 : -1;
}

PetscBool AbutOrientedIsMollified(const AbutOrientedCore *core, const AbutOrientedVector *plain)
{
  const AbutOrientedSpec *spec    = core->spec;
  const AbutClosest      *closest = core->closest;
  const PetscInt          dim = plain->dim, pairs = closest->form == ABUT_DIST_LINE_LINE ? 2 : 1;
  const PetscReal         dist2 = AbutDot(dim, plain->v, plain->v);

  if (closest->form == ABUT_DIST_POINT_POINT) return PETSC_FALSE;
  if (core->kind == ABUT_PAIR_EE && closest->v[0] > 1) return PETSC_TRUE; /* the plain difference has the opposite sign */
  for (PetscInt e = 0; e < pairs; e++) {
    const PetscInt  first = pairs == 2 ? 2 * e : 1, last = pairs == 2 ? first + 2 : closest->n;
    const PetscInt *v     = closest->v;
    PetscReal       size2 = 0, w;
    const PetscInt from = core->kind == ABUT_PAIR_FV ? 1 : PetscMin(v[first], v[first + 1]), to = core->kind == ABUT_PAIR_FV ? 4 : from + 2;
    for (PetscInt p = from; p < to; p++) {
      for (PetscInt i = 0; i < dim * (p - from); i++) {
        const PetscReal d = core->x[dim * p + i % dim] - core->x[dim * from + i];
        size2 += d * d;
      }
    }
    w =
      PetscSqrtReal(1 / (spec->mollifier_width * spec->mollifier_width) + size2 / (dist2 * spec->mollifier_ratio * spec->mollifier_ratio));
    for (PetscInt p = first; p < last; p++)
      if (PetscAbsReal(plain->frame.c[p]) * w < 1) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

void AbutOrientedMollifiedDirection(const AbutOrientedCore *k, AbutOrientedJet weight[4], AbutOrientedVector *d)
{
  const PetscInt dim = k->dim;

  d->dim = dim;
  d->n   = k->n;
  Weights(k, weight);
  for (PetscInt i = 0; i < dim; i++) {
    d->v[i] = 0;
    if (k->order > 0) (void)PetscArrayzero(d->J[i], k->N);
    for (PetscInt p = 0; p < k->n; p++) {
      const PetscReal sign = SideSign(k->kind, p);
      d->v[i] += sign * weight[p].v * k->x[dim * p + i];
      if (k->order == 0) continue;
      d->J[i][dim * p + i] += sign * weight[p].v;
      for (PetscInt r = 0; r < k->N; r++) d->J[i][r] += sign * k->x[dim * p + i] * weight[p].g[r];
    }
  }
}

void AbutOrientedMollifiedHessian(const AbutOrientedCore *core, const AbutOrientedJet weight[4], const PetscReal g[], PetscReal H[])
{
  const PetscInt dim = core->dim, n = core->n, N = core->N;

  (void)PetscArrayzero(H, N * N);
  for (PetscInt p = 0; p < n; p++) {
    const PetscReal sign = SideSign(core->kind, p), along = sign * AbutDot(dim, g, core->x + dim * p);
    for (PetscInt i = 0; i < N * N; i++) H[i] += along * weight[p].H[i];
    for (PetscInt i = 0; i < dim; i++) {
      for (PetscInt r = 0; r < N; r++) {
        H[N * (dim * p + i) + r] += sign * g[i] * weight[p].g[r];
        H[N * r + dim * p + i] += sign * g[i] * weight[p].g[r];
      }
    }
  }
}
