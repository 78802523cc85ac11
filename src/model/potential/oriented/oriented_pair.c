/* Value of a pair of primitives, the product of its factors, and derivatives over its stencil or support. */
#include "orientedimpl.h"

/* A pair at a state. Its core is the vertices of both primitives, first of b, then of a, in the order of geom.h. */
typedef struct {
  AbutOrientedPrimitive p[2];
  PetscInt              dim, n, num_core, slot[4]; /* n vertices of the stencil; slots of the core */
  PetscReal             core[12];
  const PetscReal      *origin;    /* positions are relative to this point, for accuracy far from the origin */
  PetscReal            *x[2];      /* points of the primitives' stencils, set by LoadRing() */
  AbutClosest           closest;   /* closest features of the core */
  PetscReal             dist;      /* [m] */
  PetscBool             mollified; /* the direction is the difference of mollified closest points; it depends on all of the core */
  AbutOrientedVector    d;         /* direction, a function of the points in slots `at` */
  PetscInt              at[4];     /* slots of the points of d */
  AbutOrientedJet       weight[4]; /* if mollified: weight of each core point in the direction, with derivatives */
} Stencil;

/* The second primitive of a half-space contact has no vertices. */
static void Primitives(const AbutOrientedSurface *surface, const AbutOrientedPair *pair, AbutOrientedPrimitive p[2])
{
  AbutOrientedGetPrimitive(surface, AbutOrientedKindOf(pair, 0), pair->a, &p[0]);
  p[1] = (AbutOrientedPrimitive){.n = 0};
  if (pair->b >= 0) AbutOrientedGetPrimitive(surface, AbutOrientedKindOf(pair, 1), pair->b, &p[1]);
  for (int e = 0; e < 2 && pair->inner; e++) {
    p[e].anywhere = PETSC_TRUE;
    p[e].oriented = PETSC_FALSE;
  }
}

PetscInt AbutOrientedPairSize(const AbutOrientedSurface *surface, const AbutOrientedPair *pair)
{
  AbutOrientedPrimitive p[2];

  Primitives(surface, pair, p);
  return p[0].n + p[1].n;
}

void AbutOrientedPairVertices(const AbutOrientedSurface *surface, const AbutOrientedPair *pair, PetscInt v[])
{
  AbutOrientedPrimitive p[2];

  Primitives(surface, pair, p);
  (void)PetscArraycpy(v, p[0].v, p[0].n);
  (void)PetscArraycpy(v + p[0].n, p[1].v, p[1].n);
}

size_t AbutOrientedScratch(PetscInt dim, PetscInt n)
{
  const size_t size = (size_t)(dim * (n + 1));
  return size * (size + 3);
}

/* Sets the primitives and the core, relative to a point of the second primitive. */
static void LoadCore(const AbutOrientedSurface *surface, const AbutOrientedPair *pair, const PetscReal x[], PetscReal local[], Stencil *st)
{
  const PetscInt dim = surface->dim;

  st->dim = dim;
  Primitives(surface, pair, st->p);
  st->n        = st->p[0].n + st->p[1].n;
  st->num_core = 0;
  st->origin   = x + dim * st->p[1].v[0];
  st->x[0]     = local;
  st->x[1]     = local + dim * st->p[0].n;
  for (int e = 1; e >= 0; e--) {
    AbutGatherFrom(dim, (PetscInt)st->p[e].kind + 1, st->p[e].v, x, st->origin, st->core + dim * st->num_core);
    for (PetscInt k = 0; k <= (PetscInt)st->p[e].kind; k++) st->slot[st->num_core++] = 1 + k + (e ? st->p[0].n : 0);
  }
}

/* Sets the points of a primitive's stencil, on which its weight depends. */
static void LoadRing(const PetscReal x[], int e, Stencil *st)
{
  ABUT_BY_DIM(st->dim, AbutGatherFrom, st->p[e].n, st->p[e].v, x, st->origin, st->x[e]);
}

/*
  Sets distance and difference of the closest points. GCP takes the closest points of the lines and planes that contain the primitives,
  whatever the closest features are.
*/
static void LoadDistance(const AbutOrientedSpec *spec, const AbutOrientedPair *pair, Stencil *st)
{
  PetscReal y[12] = {0};

  if (spec->member == ABUT_ORIENTED_GCP)
    st->closest = (AbutClosest){(AbutDistForm)pair->kind, st->num_core, {0, 1, 2, 3}};
  else
    AbutClosestFeatures(pair->kind, st->dim, st->core, &st->closest);
  AbutGather(st->dim, st->closest.n, st->closest.v, st->core, y);
  for (PetscInt p = 0; p < st->closest.n; p++) st->at[p] = st->slot[st->closest.v[p]];
  AbutOrientedDifferenceValue(st->closest.form, st->dim, y, &st->d);
  st->dist      = AbutNorm(st->dim, st->d.v);
  st->mollified = PETSC_FALSE;
}

static inline AbutOrientedCore CoreOf(const Stencil *st, const AbutOrientedSpec *spec, const AbutOrientedPair *pair, PetscInt order)
{
  return (AbutOrientedCore){spec, pair->kind, st->dim, st->num_core, st->dim * st->num_core, order, st->core, &st->closest};
}

/* Sets `mollified`: whether the direction is the difference of the mollified closest points. */
static void MarkMollified(const AbutOrientedSpec *spec, const AbutOrientedPair *pair, Stencil *st)
{
  const AbutOrientedCore core = CoreOf(st, spec, pair, 0);

  if (spec->member == ABUT_ORIENTED_GCP || !AbutOrientedIsMollified(&core, &st->d)) return;
  st->mollified = PETSC_TRUE;
  (void)PetscArraycpy(st->at, st->slot, 4);
}

static void LoadDirection(const AbutOrientedSpec *spec, const AbutOrientedPair *pair, PetscInt order, Stencil *st)
{
  const AbutOrientedCore core = CoreOf(st, spec, pair, order);

  if (st->mollified)
    AbutOrientedMollifiedDirection(&core, st->weight, &st->d);
  else if (order > 0)
    AbutOrientedDifferenceJacobian(&st->d);
}

static inline PetscReal Power(PetscReal x, PetscInt n)
{
  PetscReal value = 1;

  for (PetscInt k = 0; k < n; k++) value *= x;
  return value;
}

/* Factor of the barrier: 3/2 over a power of dhat, times the powers of L that make measures of edges and vertices areas (2D: lengths). */
static PetscReal Scale(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPair *pair)
{
  const PetscInt missing = 2 * (dim - 1) - (PetscInt)AbutOrientedKindOf(pair, 0) - (PetscInt)AbutOrientedKindOf(pair, 1);

  if (spec->member == ABUT_ORIENTED_GCP) return 1;
  return 1.5 * AbutOrientedInversePower(pair->dhat, spec->power) * Power(spec->length, missing);
}

PetscReal AbutOrientedPairStiffness(const AbutOrientedSurface *surface, const AbutOrientedSpec *spec, const AbutOrientedPair *pair,
                                    const PetscReal x[], PetscReal scratch[])
{
  const PetscInt dim   = surface->dim;
  PetscReal      value = Scale(dim, spec, pair) * AbutOrientedBarrier(0.5, spec->power, NULL, NULL) / PetscSqr(pair->dhat);

  for (int e = 0; e < 2; e++) {
    AbutOrientedPrimitive p;
    AbutOrientedGetPrimitive(surface, AbutOrientedKindOf(pair, e), e ? pair->b : pair->a, &p);
    AbutGather(dim, p.n, p.v, x, scratch);
    value *= AbutOrientedMeasure(dim, spec, &p, scratch);
  }
  return value;
}

static void Values(const AbutOrientedSpec *spec, const AbutOrientedPair *pair, const PetscReal x[], Stencil *st,
                   AbutOrientedPairState *state)
{
  const AbutOrientedCore core = CoreOf(st, spec, pair, 0);

  (void)PetscArraycpy(state->d, st->d.v, st->dim);
  for (int e = 0; e < 2; e++) {
    LoadRing(x, e, st);
    state->factor[e] = AbutOrientedWeightValue(st->dim, spec, &st->p[e], e ? -1 : 1, st->d.v, st->x[e]);
    if (!(state->factor[e] > 0)) return;
  }
  state->barrier   = Scale(st->dim, spec, pair) * AbutOrientedBarrier(st->dist / pair->dhat, spec->power, NULL, NULL);
  state->mollifier = AbutOrientedMollifier(&core);
  state->value     = state->factor[0] * state->factor[1] * state->barrier * state->mollifier;
}

/*
  Eliminates slot 0: the direction becomes a function of n points with indices `at`. Adds the gradient over these points and, from the
  rows of slot 0, the Hessian for a direction with Jacobian J, as if it were linear: U + U^T with U = J^T T, T = mixed derivatives + H_dd
  J / 2.
*/
static inline void Fold(PetscInt dim, PetscInt n, const PetscInt at[], const PetscReal J[3][12], AbutOrientedLog *log)
{
  const PetscInt size = log->size;

  for (PetscInt j = 0; j < dim * n; j++) {
    for (PetscInt i = 0; i < dim; i++) log->g[dim * at[j / dim] + j % dim] += J[i][j] * log->g[i];
  }
  if (!log->H) return;
  for (PetscInt p = 0; p < n; p++) {
    for (PetscInt i = 0; i < dim; i++) {
      PetscReal *T = log->H + size * i;
      for (PetscInt k = 0; k < dim; k++) {
        for (PetscInt j = 0; j < dim; j++) T[dim * at[p] + k] += T[j] * J[j][dim * p + k] / 2;
      }
    }
  }
  for (PetscInt j = 0; j < dim * n; j++) {
    const PetscInt   row = dim * at[j / dim] + j % dim;
    PetscReal       *to = log->H + size * row, *down = log->H + row, *restrict share = log->s;
    const PetscReal *T = log->H;
    for (PetscInt c = dim; c < size; c++) {
      PetscReal value = 0;
      for (PetscInt i = 0; i < dim; i++) value += J[i][j] * T[size * i + c];
      share[c] = value;
    }
    for (PetscInt c = dim; c < size; c++) to[c] += share[c];
    for (PetscInt c = dim; c < size; c++) down[size * c] += share[c];
  }
}

static void FoldDirection(const Stencil *st, const AbutOrientedCore *core, AbutOrientedLog *log)
{
  const PetscInt dim = st->dim;
  PetscInt       at[4];
  PetscReal      curvature[144];

  for (PetscInt p = 0; p < st->d.n; p++) at[p] = AbutOrientedIndex(log, st->at[p]);
  ABUT_BY_DIM(dim, Fold, st->d.n, at, (const PetscReal(*)[12])st->d.J, log);
  if (!log->H) return;
  if (st->mollified)
    AbutOrientedMollifiedHessian(core, st->weight, log->g, curvature);
  else
    AbutOrientedVectorHessian(&st->d, log->g, curvature);
  for (PetscInt p = 0; p < st->d.n; p++) at[p] *= dim;
  AbutOrientedAddBlocks(log, st->d.n, at, curvature);
}

/* Derivatives of a value from the derivatives of its logarithm. */
static void Exponential(PetscReal value, const AbutOrientedLog *log, PetscReal g[], PetscReal H[])
{
  const PetscInt   dim = log->dim, N = log->size - dim;
  const PetscReal *l = log->g + dim;

  for (PetscInt r = 0; r < N; r++) {
    for (PetscInt c = 0; H && c < N; c++) H[N * r + c] = value * (l[r] * l[c] + log->H[log->size * (r + dim) + dim + c]);
    if (g) g[r] = value * l[r];
  }
}

static void Derivatives(const Stencil *st, const AbutOrientedSpec *spec, const AbutOrientedPair *pair, PetscReal value,
                        AbutOrientedLog *log, const AbutOrientedOutput *out)
{
  const AbutOrientedCore core = CoreOf(st, spec, pair, log->H ? 2 : 1);
  const PetscInt         dim  = st->dim;

  AbutOrientedWeightLog(dim, spec, &st->p[0], 1, st->d.v, st->x[0], 1, log);
  AbutOrientedWeightLog(dim, spec, &st->p[1], -1, st->d.v, st->x[1], 1 + st->p[0].n, log);
  AbutOrientedCoreLog(pair, &core, st->mollified ? NULL : st->d.v, st->slot, log);
  FoldDirection(st, &core, log);
  Exponential(value, log, out->g, out->H);
}

/* Starts a logarithm over the direction and n vertices or their support. Its arrays follow the points in `scratch`. */
static void StartLog(PetscInt dim, PetscInt n, const AbutOrientedOutput *out, AbutOrientedLog *log)
{
  const size_t size = (size_t)(dim * ((out->support ? out->support->n : n) + 1));

  *log   = (AbutOrientedLog){.dim = dim, .size = (PetscInt)size, .index = out->support ? out->support->index : NULL};
  log->g = out->scratch + dim * (n + 1);
  log->s = log->g + size;
  if (out->H) log->H = log->s + size;
  (void)PetscArrayzero(log->g, out->H ? size * (size + 2) : size * 2);
  if (out->used) {
    log->used = out->used;
    (void)PetscArrayzero(out->used, n + 1);
  }
}

/* Sets the derivatives of an inactive pair of n vertices. */
static void ZeroDerivatives(PetscInt dim, PetscInt n, const AbutOrientedOutput *out)
{
  const PetscInt N = dim * (out->support ? out->support->n : n);

  if (out->g) (void)PetscArrayzero(out->g, N);
  if (out->H) (void)PetscArrayzero(out->H, N * N);
}

void AbutOrientedEvaluate(const AbutOrientedSurface *surface, const AbutOrientedSpec *spec, const AbutOrientedPair *pair,
                          const PetscReal x[], const AbutOrientedOutput *out, AbutOrientedPairState *state)
{
  Stencil         st;
  AbutOrientedLog log;

  LoadCore(surface, pair, x, out->scratch, &st);
  LoadDistance(spec, pair, &st);
  *state = (AbutOrientedPairState){.n = st.n, .dist = st.dist};
  if (out->support) {
    MarkMollified(spec, pair, &st);
    for (int e = 0; e < 2; e++) LoadRing(x, e, &st);
    state->value = out->support->value;
  } else if (st.dist < pair->dhat) {
    MarkMollified(spec, pair, &st);
    LoadDirection(spec, pair, 0, &st); /* derivatives follow only if the pair is active */
    Values(spec, pair, x, &st, state);
  }
  if (!out->g && !out->H) return;
  if (!(state->value > 0)) {
    ZeroDerivatives(st.dim, st.n, out);
    return;
  }
  LoadDirection(spec, pair, out->H ? 2 : 1, &st);
  StartLog(st.dim, st.n, out, &log);
  Derivatives(&st, spec, pair, state->value, &log, out);
}

/* Factors and value of a vertex and a half space. dp: first and second derivative in the height of the logarithm of the barrier. */
static void PlaneValues(PetscInt dim, const AbutOrientedSpec *spec, PetscReal dhat, const AbutOrientedPrimitive *p, const PetscReal x[],
                        AbutOrientedPairState *state, PetscReal dp[2])
{
  const PetscReal area = PetscPowReal(spec->length, (PetscReal)(dim - 1));
  PetscReal       f1, f2;

  state->factor[0] = AbutOrientedWeightValue(dim, spec, p, 1, state->d, x);
  state->factor[1] = area;
  state->barrier   = AbutOrientedBarrier(state->dist / dhat, spec->power, &f1, &f2);
  dp[0]            = f1 / (dhat * state->barrier);
  dp[1]            = f2 / (dhat * dhat * state->barrier) - dp[0] * dp[0];
  if (spec->member == ABUT_ORIENTED_OIPC) state->barrier *= 1.5 * AbutOrientedInversePower(dhat, spec->power) * area;
  state->value = state->factor[0] * state->factor[1] * state->barrier;
}

void AbutOrientedEvaluatePlane(const AbutOrientedSurface *surface, const AbutOrientedSpec *spec, const AbutOrientedPair *pair,
                               const PetscReal normal[], PetscReal height, const PetscReal x[], const AbutOrientedOutput *out,
                               AbutOrientedPairState *state)
{
  const PetscInt        dim = surface->dim;
  AbutOrientedPrimitive p;
  AbutOrientedLog       log;
  PetscInt              at;
  PetscReal             dp[2] = {0, 0}, J[3][12] = {{0}};

  AbutOrientedGetPrimitive(surface, ABUT_ORIENTED_VERTEX, pair->a, &p);
  AbutGatherFrom(dim, p.n, p.v, x, x + dim * pair->a, out->scratch);
  *state = (AbutOrientedPairState){.n = p.n, .dist = height, .mollifier = 1};
  for (PetscInt i = 0; i < dim; i++) state->d[i] = -height * normal[i];
  if (height < pair->dhat) PlaneValues(dim, spec, pair->dhat, &p, out->scratch, state, dp);
  if (!out->g && !out->H) return;
  if (!(state->value > 0)) {
    ZeroDerivatives(dim, p.n, out);
    return;
  }
  StartLog(dim, p.n, out, &log);
  AbutOrientedWeightLog(dim, spec, &p, 1, state->d, out->scratch, 1, &log);
  at = AbutOrientedIndex(&log, 1);
  for (PetscInt i = 0; i < dim; i++) {
    log.g[dim * at + i] += dp[0] * normal[i];
    for (PetscInt j = 0; j < dim; j++) {
      J[i][j] = -normal[i] * normal[j];
      if (out->H) log.H[log.size * (dim * at + i) + dim * at + j] += dp[1] * normal[i] * normal[j];
    }
  }
  ABUT_BY_DIM(dim, Fold, 1, &at, (const PetscReal(*)[12])J, &log);
  Exponential(state->value, &log, out->g, out->H);
}
