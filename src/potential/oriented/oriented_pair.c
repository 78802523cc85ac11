/* A pair of primitives: the product of its factors, its derivatives over the stencil. */
#include "orientedimpl.h"

/* The two primitives of a pair, its stencil and, in it, the core: the points of b, then those of a, as the forms of geom.h take them. */
typedef struct {
  AbutOrientedPrimitive p[2];
  PetscInt              dim, n, num_core, slot[4]; /* of the core */
  PetscReal             core[12];
  const PetscReal      *origin;  /* a point that positions are relative to */
  PetscReal            *x[2];    /* points of the primitives' stencils, each as far as it was asked for */
  AbutClosest           closest; /* features of the core that distance and direction are between */
  PetscReal             dist;
  PetscBool             blended; /* the direction is that of mollified closest points; then over all the core */
  AbutOrientedVector    d;       /* direction over the points that it depends on */
  PetscInt              at[4];   /* their slots */
  AbutOrientedJet       weight[4];
} Stencil;

static void Primitives(const AbutOrientedSurface *surface, const AbutOrientedPair *pair, AbutOrientedPrimitive p[2])
{
  AbutOrientedGetPrimitive(surface, AbutOrientedKindOf(surface->dim, pair, 0), pair->a, &p[0]);
  AbutOrientedGetPrimitive(surface, AbutOrientedKindOf(surface->dim, pair, 1), pair->b, &p[1]);
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

/* Where points of the two primitives go; those of the core, relative to one of them, so that nothing is lost far from the origin. */
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
    for (PetscInt k = 0; k <= (PetscInt)st->p[e].kind; k++) {
      for (PetscInt i = 0; i < dim; i++) st->core[dim * st->num_core + i] = x[dim * st->p[e].v[k] + i] - st->origin[i];
      st->slot[st->num_core++] = 1 + k + (e ? st->p[0].n : 0);
    }
  }
}

static inline void Copy(PetscInt dim, PetscInt n, const PetscInt v[], const PetscReal x[], const PetscReal origin[], PetscReal to[])
{
  for (PetscInt k = 0; k < n; k++) {
    for (PetscInt i = 0; i < dim; i++) to[dim * k + i] = x[dim * v[k] + i] - origin[i];
  }
}

/* All points of a primitive, which its factor depends on. */
static void LoadRing(const PetscReal x[], int e, Stencil *st)
{
  if (st->dim == 3)
    Copy(3, st->p[e].n, st->p[e].v, x, st->origin, st->x[e]);
  else
    Copy(2, st->p[e].n, st->p[e].v, x, st->origin, st->x[e]);
}

/* Difference of the closest points. GCP: of the lines and planes of the primitives, whatever their closest features. */
static void LoadDistance(const AbutOrientedSpec *spec, const AbutOrientedPair *pair, Stencil *st)
{
  PetscReal y[12] = {0};

  if (spec->member == ABUT_ORIENTED_GCP)
    st->closest = (AbutClosest){(AbutDistForm)pair->kind, st->num_core, {0, 1, 2, 3}};
  else
    AbutClosestFeatures(pair->kind, st->dim, st->core, &st->closest);
  for (PetscInt p = 0; p < st->closest.n; p++) {
    (void)PetscArraycpy(y + st->dim * p, st->core + st->dim * st->closest.v[p], st->dim);
    st->at[p] = st->slot[st->closest.v[p]];
  }
  AbutOrientedDifferenceValue(st->closest.form, st->dim, y, &st->d);
  st->dist    = PetscSqrtReal(AbutDot(st->dim, st->d.v, st->d.v));
  st->blended = PETSC_FALSE;
}

/* Whether the direction is that of mollified closest points; then over all the core. */
static void MarkBlended(const AbutOrientedSpec *spec, const AbutOrientedPair *pair, Stencil *st)
{
  if (spec->member == ABUT_ORIENTED_GCP || !AbutOrientedIsBlended(spec, pair->kind, &st->closest, &st->d, st->core)) return;
  st->blended = PETSC_TRUE;
  (void)PetscArraycpy(st->at, st->slot, 4);
}

static void LoadDirection(const AbutOrientedSpec *spec, const AbutOrientedPair *pair, PetscInt order, Stencil *st)
{
  if (st->blended)
    AbutOrientedBlendedDirection(spec, pair->kind, st->dim, &st->closest, st->num_core, st->core, order, st->weight, &st->d);
  else if (order > 0)
    AbutOrientedDifferenceJacobian(&st->d);
}

static inline PetscReal Power(PetscReal x, PetscInt n)
{
  PetscReal value = 1;

  for (PetscInt k = 0; k < n; k++) value *= x;
  return value;
}

/* What stands before the spline over a power of the relative distance, and for the measures that edges and vertices have not. */
static PetscReal Scale(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPair *pair)
{
  const PetscInt missing = 2 * (dim - 1) - (PetscInt)AbutOrientedKindOf(dim, pair, 0) - (PetscInt)AbutOrientedKindOf(dim, pair, 1);

  if (spec->member == ABUT_ORIENTED_GCP) return 1;
  return 1.5 * AbutOrientedInversePower(pair->range, spec->power) * Power(spec->length, missing);
}

static void Values(const AbutOrientedSpec *spec, const AbutOrientedPair *pair, const PetscReal x[], Stencil *st,
                   AbutOrientedPairState *state)
{
  (void)PetscArraycpy(state->d, st->d.v, st->dim);
  for (int e = 0; e < 2; e++) {
    LoadRing(x, e, st);
    state->factor[e] = AbutOrientedFactor(st->dim, spec, &st->p[e], e ? -1 : 1, st->d.v, st->x[e]);
    if (!(state->factor[e] > 0)) return;
  }
  state->barrier =
    Scale(st->dim, spec, pair) * AbutOrientedNear(st->dist / pair->range, spec->power, pair->split / pair->range, NULL, NULL);
  state->mollifier = AbutOrientedMollifier(spec, pair->kind, st->dim, st->core);
  state->value     = state->factor[0] * state->factor[1] * state->barrier * state->mollifier;
}

/*
  The gradient and, from the rows of slot 0, the Hessian's share of a direction whose derivatives are J, as if it were linear: of U = J^T T, T = the
  mixed derivatives + H_dd J / 2, U + U^T. Inlined for each dimension.
*/
static inline void FoldRows(PetscInt dim, PetscInt n, const PetscInt at[], const PetscReal J[3][12], AbutOrientedLog *log)
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

/* H += B over n points at these places. Inlined for each dimension. */
static inline void AddBlocks(PetscInt dim, PetscInt n, const PetscInt at[], const PetscReal B[], AbutOrientedLog *log)
{
  for (PetscInt p = 0; p < n; p++) {
    for (PetscInt q = 0; q < n; q++) {
      const PetscReal *from = B + dim * (n * dim * p + q);
      PetscReal       *to   = log->H + dim * (log->size * at[p] + at[q]);
      for (PetscInt i = 0; i < dim; i++) {
        for (PetscInt j = 0; j < dim; j++) to[log->size * i + j] += from[n * dim * i + j];
      }
    }
  }
}

/* Replaces the independent slot 0 by the direction; at: the places of its points. */
static void Fold(PetscInt n, const PetscInt at[], const PetscReal J[3][12], AbutOrientedLog *log)
{
  if (log->dim == 3)
    FoldRows(3, n, at, J, log);
  else
    FoldRows(2, n, at, J, log);
}

static void FoldDirection(const Stencil *st, const AbutOrientedPair *pair, AbutOrientedLog *log)
{
  const PetscInt dim = st->dim;
  PetscInt       at[4];
  PetscReal      bend[144];

  for (PetscInt p = 0; log->used && p < st->d.n; p++) log->used[st->at[p]] = PETSC_TRUE;
  for (PetscInt p = 0; p < st->d.n; p++) at[p] = AbutOrientedPlace(log, st->at[p]);
  Fold(st->d.n, at, (const PetscReal(*)[12])st->d.J, log);
  if (!log->H) return;
  if (st->blended)
    AbutOrientedBlendedHessian(pair->kind, dim, st->num_core, st->core, st->weight, log->g, bend);
  else
    AbutOrientedVectorHessian(&st->d, log->g, bend);
  if (dim == 3)
    AddBlocks(3, st->d.n, at, bend, log);
  else
    AddBlocks(2, st->d.n, at, bend, log);
}

/* Derivatives of a value from those of its logarithm. */
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
                        AbutOrientedLog *log, PetscReal g[], PetscReal H[])
{
  const PetscInt dim = st->dim;

  AbutOrientedFactorLog(dim, spec, &st->p[0], 1, st->d.v, st->x[0], 1, log);
  AbutOrientedFactorLog(dim, spec, &st->p[1], -1, st->d.v, st->x[1], 1 + st->p[0].n, log);
  AbutOrientedCoreLog(spec, pair, dim, &st->closest, st->blended ? NULL : st->d.v, st->core, st->slot, log);
  FoldDirection(st, pair, log);
  Exponential(value, log, g, H);
}

/* A logarithm over n vertices, or places for them, and the direction, in scratch after the points. */
static void StartLog(PetscInt dim, PetscInt n, PetscBool second, const AbutOrientedPlaces *places, PetscReal scratch[], PetscBool used[],
                     AbutOrientedLog *log)
{
  const size_t size = (size_t)(dim * ((places ? places->n : n) + 1));

  *log   = (AbutOrientedLog){.dim = dim, .size = (PetscInt)size, .place = places ? places->place : NULL};
  log->g = scratch + dim * (n + 1);
  log->s = log->g + size;
  if (second) log->H = log->s + size;
  (void)PetscArrayzero(log->g, second ? size * (size + 2) : size * 2);
  if (used) {
    log->used = used;
    (void)PetscArrayzero(used, n + 1);
  }
}

static void NoDerivatives(PetscInt N, PetscReal g[], PetscReal H[])
{
  if (g) (void)PetscArrayzero(g, N);
  if (H) (void)PetscArrayzero(H, N * N);
}

void AbutOrientedEvaluate(const AbutOrientedSurface *surface, const AbutOrientedSpec *spec, const AbutOrientedPair *pair,
                          const PetscReal x[], PetscReal scratch[], const AbutOrientedPlaces *places, AbutOrientedPairState *state,
                          PetscBool used[], PetscReal g[], PetscReal H[])
{
  Stencil         st;
  AbutOrientedLog log;

  if (pair->sampled) {
    AbutOrientedEvaluateSamples(surface, spec, pair, x, state, used, g, H);
    return;
  }
  LoadCore(surface, pair, x, scratch, &st);
  LoadDistance(spec, pair, &st);
  *state = (AbutOrientedPairState){.n = st.n, .dist = st.dist};
  if (places) {
    MarkBlended(spec, pair, &st);
    for (int e = 0; e < 2; e++) LoadRing(x, e, &st);
    state->value = places->value;
  } else if (st.dist < (pair->split > 0 ? pair->split : pair->range)) {
    MarkBlended(spec, pair, &st);
    LoadDirection(spec, pair, 0, &st); /* without derivatives: many a pair turns out not to act */
    Values(spec, pair, x, &st, state);
  }
  if (!g && !H) return;
  if (!(state->value > 0)) {
    NoDerivatives(st.dim * (places ? places->n : st.n), g, H);
    return;
  }
  LoadDirection(spec, pair, H ? 2 : 1, &st);
  StartLog(st.dim, st.n, (PetscBool)(H != NULL), places, scratch, used, &log);
  Derivatives(&st, spec, pair, state->value, &log, g, H);
}

void AbutOrientedEvaluatePlane(const AbutOrientedSurface *surface, const AbutOrientedSpec *spec, const AbutOrientedPlanePair *pair,
                               const PetscReal x[], PetscReal scratch[], const AbutOrientedPlaces *places, AbutOrientedPairState *state,
                               PetscBool used[], PetscReal g[], PetscReal H[])
{
  const PetscInt        dim = surface->dim, vertex = pair->vertex;
  const PetscReal      *normal = pair->normal, height = pair->height, range = pair->range;
  const PetscReal       area = PetscPowReal(spec->length, (PetscReal)(dim - 1));
  AbutOrientedPrimitive p;
  AbutOrientedLog       log;
  PetscInt              at;
  PetscReal             f1, f2, p1 = 0, J[3][12] = {{0}};

  AbutOrientedGetPrimitive(surface, ABUT_ORIENTED_VERTEX, vertex, &p);
  for (PetscInt i = 0; i < dim * p.n; i++) scratch[i] = x[dim * p.v[i / dim] + i % dim] - x[dim * vertex + i % dim];
  *state = (AbutOrientedPairState){.n = p.n, .dist = height, .mollifier = 1};
  for (PetscInt i = 0; i < dim; i++) state->d[i] = -height * normal[i];
  if (height < range) {
    state->factor[0] = AbutOrientedFactor(dim, spec, &p, 1, state->d, scratch);
    state->factor[1] = area;
    state->barrier   = AbutOrientedBarrier(height / range, spec->power, &f1, &f2);
    p1               = f1 / (range * state->barrier);
    f2               = f2 / (range * range * state->barrier) - p1 * p1;
    if (spec->member == ABUT_ORIENTED_OIPC) state->barrier *= 1.5 * AbutOrientedInversePower(range, spec->power) * area;
    state->value = state->factor[0] * state->factor[1] * state->barrier;
  }
  if (!g && !H) return;
  if (!(state->value > 0)) {
    NoDerivatives(dim * (places ? places->n : p.n), g, H);
    return;
  }
  StartLog(dim, p.n, (PetscBool)(H != NULL), places, scratch, used, &log);
  if (used) used[1] = PETSC_TRUE;
  AbutOrientedFactorLog(dim, spec, &p, 1, state->d, scratch, 1, &log);
  at = AbutOrientedPlace(&log, 1);
  for (PetscInt i = 0; i < dim; i++) {
    log.g[dim * at + i] += p1 * normal[i];
    for (PetscInt j = 0; j < dim; j++) {
      J[i][j] = -normal[i] * normal[j];
      if (H) log.H[log.size * (dim * at + i) + dim * at + j] += f2 * normal[i] * normal[j];
    }
  }
  Fold(1, &at, (const PetscReal(*)[12])J, &log);
  Exponential(state->value, &log, g, H);
}
