/* Derivatives of whole pairs, their invariances, switches between their formulas, projection. */
#include "oriented.h"
#include <string.h>

static TestOriented t;

/* Two octahedra (2D: hexagons) of random shape and orientation, separated by `gap`. */
static void MakeBodies(PetscInt dim, PetscReal gap, uint64_t *seed, PetscReal x[])
{
  static const PetscInt faces[8][3]  = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  static const PetscInt edges[12][2] = {{0, 2}, {2, 1}, {1, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}, {0, 5}, {1, 5}, {2, 5}, {3, 5}};
  const AbutRigidMotion motion[2]    = {{.angle = {1, 0.5, 0.2}},
                                        {.angle = {3 * AbutTestRandom(seed), 3 * AbutTestRandom(seed), 3 * AbutTestRandom(seed)}}};
  PetscReal             top = -10, low = 10;

  t.dim = dim;
  t.nv  = 12;
  t.ne  = dim == 3 ? 24 : 12;
  t.nf  = dim == 3 ? 16 : 0;
  for (PetscInt b = 0; b < 2; b++) {
    PetscReal *y = x + b * 6 * dim;
    for (PetscInt v = 0; v < 6; v++) {
      const PetscReal angle = v * PETSC_PI / 3;
      for (PetscInt i = 0; i < dim; i++) {
        y[dim * v + i] = dim == 3 ? (i == v / 2) * (v % 2 ? -1.0 : 1.0) : i ? PetscSinReal(angle) : PetscCosReal(angle);
        y[dim * v + i] += 0.2 * AbutTestRandom(seed);
      }
    }
    for (PetscInt v = 0; v < 6; v++) AbutRigidMove(dim, &motion[b], y + dim * v);
    for (PetscInt e = 0; e < t.ne / 2; e++) {
      for (int k = 0; k < 2; k++) t.edges[b * t.ne / 2 + e][k] = 6 * b + (dim == 3 ? edges[e][k] : (e + k) % 6);
    }
    for (PetscInt f = 0; f < t.nf / 2; f++) {
      for (int k = 0; k < 3; k++) t.faces[b * 8 + f][k] = 6 * b + faces[f][k];
    }
  }
  for (PetscInt v = 0; v < 6; v++) {
    top = PetscMax(top, x[dim * v + dim - 1]);
    low = PetscMin(low, x[dim * (6 + v) + dim - 1]);
  }
  for (PetscInt v = 6; v < 12; v++) x[dim * v + dim - 1] += top - low + gap;
  for (PetscInt v = 0; v < t.nv; v++) t.oriented[v] = PETSC_TRUE;
  t.ranges = (AbutOrientedDhat){.dhat = 1.2};
  OrientedCreate(&t);
}

static PetscReal PairValue(const AbutOrientedPair *pair, const PetscReal x[])
{
  return OrientedAddPair(&t, pair, x, ABUT_PSD_NONE, NULL, NULL).value;
}

static void Value(const PetscReal x[], PetscReal out[], void *ctx)
{
  out[0] = PairValue((const AbutOrientedPair *)ctx, x);
}

static void Gradient(const PetscReal x[], PetscReal g[], void *ctx)
{
  AbutTestCall(PetscArrayzero(g, t.dim * t.nv));
  OrientedAddPair(&t, (const AbutOrientedPair *)ctx, x, ABUT_PSD_NONE, g, NULL);
}

static void CheckDerivatives(AbutOrientedPair *pair, const PetscReal x[], PetscReal tol)
{
  static PetscReal H[MAX_SIZE * MAX_SIZE], J[MAX_SIZE * MAX_SIZE];
  const PetscInt   N           = t.dim * t.nv;
  PetscReal        g[MAX_SIZE] = {0}, size = 0;

  AbutTestCall(PetscArrayzero(H, N * N));
  OrientedAddPair(&t, pair, x, ABUT_PSD_NONE, g, H);
  AbutTestJacobian(Value, pair, N, 1, x, 1e-5, J);
  for (PetscInt i = 0; i < N; i++) size = PetscMax(size, PetscAbsReal(J[i]));
  for (PetscInt i = 0; i < N; i++) assert_true(PetscAbsReal(g[i] - J[i]) <= tol * size);
  AbutTestJacobian(Gradient, pair, N, N, x, 1e-6, J);
  size = 0;
  for (PetscInt i = 0; i < N * N; i++) size = PetscMax(size, PetscAbsReal(J[i]));
  for (PetscInt i = 0; i < N * N; i++) assert_true(PetscAbsReal(H[i] - J[i]) <= tol * size);
}

/* Forces and moments of a pair sum to 0. */
static void CheckBalance(AbutOrientedPair *pair, const PetscReal x[])
{
  PetscReal g[MAX_SIZE], sum[3] = {0}, moment[3] = {0}, size = 0;

  Gradient(x, g, pair);
  for (PetscInt v = 0; v < t.nv; v++) {
    const PetscReal *f = g + t.dim * v, *y = x + t.dim * v;
    for (PetscInt i = 0; i < t.dim; i++) {
      const PetscInt j = (i + 1) % t.dim;
      sum[i] += f[i];
      moment[i] += y[i] * f[j] - y[j] * f[i];
      size = PetscMax(size, PetscAbsReal(f[i]));
    }
  }
  for (PetscInt i = 0; i < t.dim; i++) assert_true(PetscAbsReal(sum[i]) + PetscAbsReal(moment[i]) < 1e-11 * size);
}

/* Whether the value is large enough for finite differences. */
static PetscBool IsClear(const AbutOrientedPair *pair, const PetscReal x[])
{
  const AbutOrientedPairState state = OrientedAddPair(&t, pair, x, ABUT_PSD_NONE, NULL, NULL);

  return (PetscBool)(state.value > 1e-3 && state.mollifier > 0.05);
}

/* Gives the primitives the measures of a shape that is stretched by different factors along the axes. */
static void MeasureStretched(const PetscReal x[])
{
  PetscReal y[MAX_SIZE];

  for (PetscInt i = 0; i < t.dim * t.nv; i++) y[i] = (1 + 0.3 * (PetscReal)(i % t.dim)) * x[i];
  AbutTestCall(AbutOrientedSurfaceSetRest(t.surface, &t.spec, y));
}

/* Checks pairs of random bodies until each kind of pair occurred `wanted` times. */
static void CheckRandom(PetscInt dim, AbutOrientedMember member, PetscBool rest, PetscInt kinds, const AbutPairKind kind[], PetscInt wanted)
{
  uint64_t  seed     = 17;
  PetscInt  count[4] = {0};
  PetscReal x[MAX_SIZE];

  t.spec = (AbutOrientedSpec){0.9, 0.3, 0.8, 0.4, dim - 1, member, .length = 0.7, .mollifier_width = 0.2, .mollifier_ratio = 0.8};
  for (int trial = 0; trial < 60; trial++) {
    MakeBodies(dim, 0.1 + 0.3 * (trial % 3), &seed, x);
    if (rest) MeasureStretched(x);
    OrientedFindPairs(&t, x);
    for (PetscInt k = 0; k < t.num_pairs; k++) {
      if (count[t.pairs[k].kind] >= wanted || !IsClear(&t.pairs[k], x)) continue;
      count[t.pairs[k].kind]++;
      CheckDerivatives(&t.pairs[k], x, 2e-5); /* third derivatives up to 1e2 of the second, jumping within the step of 1e-6 */
      CheckBalance(&t.pairs[k], x);
    }
    OrientedDestroy(&t);
  }
  for (PetscInt k = 0; k < kinds; k++) assert_int_equal(count[kind[k]], wanted);
}

static void test_3d(void **state)
{
  const AbutPairKind kinds[] = {ABUT_PAIR_VV, ABUT_PAIR_EV, ABUT_PAIR_FV, ABUT_PAIR_EE};
  (void)state;
  CheckRandom(3, ABUT_ORIENTED_GCP, PETSC_FALSE, 4, kinds, 6);
  CheckRandom(3, ABUT_ORIENTED_OIPC, PETSC_FALSE, 4, kinds, 12);
  for (int member = 0; member < 2; member++) CheckRandom(3, (AbutOrientedMember)member, PETSC_TRUE, 4, kinds, 6);
}

static void test_2d(void **state)
{
  const AbutPairKind kinds[] = {ABUT_PAIR_VV, ABUT_PAIR_EV};
  (void)state;
  CheckRandom(2, ABUT_ORIENTED_GCP, PETSC_FALSE, 2, kinds, 10);
  CheckRandom(2, ABUT_ORIENTED_OIPC, PETSC_FALSE, 2, kinds, 10);
  for (int member = 0; member < 2; member++) CheckRandom(2, (AbutOrientedMember)member, PETSC_TRUE, 2, kinds, 6);
}

/* Measures at rest scale a value by the ratio of the measures; at rest nothing changes. */
static void test_rest_ratio(void **state)
{
  const PetscReal factor = 1.3;
  uint64_t        seed   = 4;
  PetscReal       x[MAX_SIZE], y[MAX_SIZE], values[MAX_PAIRS];
  PetscInt        acting[3] = {0};

  (void)state;
  t.spec = (AbutOrientedSpec){0.9, 0.3, 0.8, 0.4, 2, ABUT_ORIENTED_OIPC, .length = 0.7, .mollifier_width = 1e-3, .mollifier_ratio = 0.1};
  MakeBodies(3, 0.1, &seed, x);
  OrientedFindPairs(&t, x);
  for (PetscInt k = 0; k < t.num_pairs; k++) values[k] = PairValue(&t.pairs[k], x);
  for (PetscInt i = 0; i < 3 * t.nv; i++) y[i] = factor * x[i];
  for (int scaled = 0; scaled < 2; scaled++) {
    AbutTestCall(AbutOrientedSurfaceSetRest(t.surface, &t.spec, scaled ? y : x));
    for (PetscInt k = 0; k < t.num_pairs; k++) {
      static const PetscInt lengths[] = {0, 1, 2, 2}; /* of both measures, by kind: VV, EV, FV, EE */
      const PetscReal       expected  = values[k] * PetscPowReal(scaled ? factor : 1, (PetscReal)lengths[t.pairs[k].kind]);
      assert_true(PetscAbsReal(PairValue(&t.pairs[k], x) - expected) <= 1e-14 * expected);
      if (values[k] > 0) acting[lengths[t.pairs[k].kind]]++;
    }
  }
  for (int i = 0; i < 3; i++) assert_true(acting[i] > 0);
  OrientedDestroy(&t);
}

/* A rigid motion of all vertices, also far from the origin, does not change the energy. */
static void test_rigid(void **state)
{
  uint64_t              seed   = 3;
  const AbutRigidMotion motion = {.angle = {0.3, -1.2, 2}, .shift = {1, 2, -3}}, far = {.shift = {1e6, -1e6, 1e6}};
  PetscReal             x[MAX_SIZE], y[MAX_SIZE], energy;

  (void)state;
  t.spec = (AbutOrientedSpec){0.9, 0.3, 0.8, 0.4, 2};
  MakeBodies(3, 0.1, &seed, x);
  OrientedFindPairs(&t, x);
  assert_true(t.num_pairs > 3);
  energy = OrientedTotal(&t, x, ABUT_PSD_NONE, NULL, NULL);
  for (int k = 0; k < 2; k++) {
    PetscReal moved;
    AbutTestCall(PetscArraycpy(y, x, 3 * t.nv));
    for (PetscInt v = 0; v < t.nv; v++) AbutRigidMove(3, k ? &far : &motion, y + 3 * v);
    OrientedFindPairs(&t, y);
    moved = OrientedTotal(&t, y, ABUT_PSD_NONE, NULL, NULL);
    assert_true(PetscAbsReal(moved - energy) < (k ? 1e-7 : 1e-12) * energy); /* far from the origin the round-off of positions is 1e-10 */
  }
  OrientedDestroy(&t);
}

/* The second body slides and rotates over the first: start positions, displacement per unit of the path parameter s. */
typedef struct {
  PetscReal start[MAX_SIZE], path[3];
} Slide;

/*
  Kinds, primitives, closest features and mollifiers of all active pairs. The formulas of the evaluation change where the signature changes.
*/
typedef struct {
  PetscInt n, of[MAX_PAIRS][6];
} Signature;

static void MoveTo(const Slide *slide, PetscReal s, PetscReal x[])
{
  const AbutRigidMotion motion = {.angle = {0.1 * s, 0.1 * s, 0.1 * s},
                                  .shift = {s * slide->path[0], s * slide->path[1], s * slide->path[2]}};

  AbutTestCall(PetscArraycpy(x, slide->start, t.dim * t.nv));
  for (PetscInt v = t.nv / 2; v < t.nv; v++) AbutRigidMove(t.dim, &motion, x + t.dim * v);
  OrientedFindPairs(&t, x);
}

/* Closest features of a pair, over the points of its second primitive, then its first. */
static void Features(const AbutOrientedPair *pair, const PetscReal x[], AbutClosest *closest, PetscInt *blended)
{
  const PetscInt    *first  = pair->kind == ABUT_PAIR_FV ? t.faces[pair->a] : pair->kind == ABUT_PAIR_VV ? &pair->a : t.edges[pair->a];
  const PetscInt    *second = pair->kind == ABUT_PAIR_EE ? t.edges[pair->b] : &pair->b;
  const PetscInt     n[2]   = {pair->kind == ABUT_PAIR_EE ? 2 : 1, pair->kind == ABUT_PAIR_FV ? 3 : pair->kind == ABUT_PAIR_VV ? 1 : 2};
  AbutOrientedVector d;
  PetscReal          core[12] = {0}, y[12] = {0};

  for (PetscInt k = 0; k < n[0] + n[1]; k++)
    (void)PetscArraycpy(core + t.dim * k, x + t.dim * (k < n[0] ? second[k] : first[k - n[0]]), t.dim);
  AbutClosestFeatures(pair->kind, t.dim, core, closest);
  for (PetscInt k = 0; k < closest->n; k++) (void)PetscArraycpy(y + t.dim * k, core + t.dim * closest->v[k], t.dim);
  AbutOrientedDifference(closest->form, t.dim, y, &d);
  *blended = t.spec.member == ABUT_ORIENTED_OIPC &&
             AbutOrientedIsMollified(
               &(AbutOrientedCore){.spec = &t.spec, .kind = pair->kind, .dim = t.dim, .n = n[0] + n[1], .x = core, .closest = closest}, &d);
}

static void Sign(const Slide *slide, PetscReal s, PetscReal x[], Signature *sign)
{
  MoveTo(slide, s, x);
  sign->n = 0;
  for (PetscInt k = 0; k < t.num_pairs; k++) {
    const AbutOrientedPair *pair = &t.pairs[k];
    PetscInt               *of   = sign->of[sign->n++], blended;
    AbutClosest             closest;
    Features(pair, x, &closest, &blended);
    of[0] = pair->kind;
    of[1] = pair->a;
    of[2] = pair->b;
    of[3] = OrientedAddPair(&t, pair, x, ABUT_PSD_NONE, NULL, NULL).mollifier < 1;
    of[4] = t.spec.member == ABUT_ORIENTED_OIPC ? (PetscInt)closest.form + 16 * closest.v[0] + 64 * closest.v[closest.n - 1] : 0;
    of[5] = blended;
  }
}

/* Smallest distance of the pairs; 0 if the bodies touch. */
static PetscReal Gap(const PetscReal x[])
{
  PetscReal gap = PETSC_INFINITY;

  for (PetscInt k = 0; k < t.num_pairs; k++) gap = PetscMin(gap, OrientedAddPair(&t, &t.pairs[k], x, ABUT_PSD_NONE, NULL, NULL).dist);
  return gap;
}

static PetscBool Alike(const Signature *a, const Signature *b)
{
  return (PetscBool)(a->n == b->n && !memcmp(a->of, b->of, sizeof(a->of[0]) * (size_t)a->n));
}

static PetscBool Has(const Signature *a, const PetscInt of[6])
{
  for (PetscInt k = 0; k < a->n; k++)
    if (!memcmp(a->of[k], of, sizeof(a->of[k]))) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Change of energy and gradient from s - h to s + h. */
static void Change(const Slide *slide, PetscReal s, PetscReal h, PetscReal change[2], PetscReal size[2])
{
  PetscReal x[MAX_SIZE], g[2][MAX_SIZE], energy[2];

  for (int k = 0; k < 2; k++) {
    MoveTo(slide, k ? s + h : s - h, x);
    energy[k] = OrientedTotal(&t, x, ABUT_PSD_NONE, g[k], NULL);
  }
  change[0] = PetscAbsReal(energy[1] - energy[0]);
  change[1] = 0;
  size[0]   = PetscMax(size[0], energy[0]);
  for (PetscInt i = 0; i < t.dim * t.nv; i++) {
    change[1] = PetscMax(change[1], PetscAbsReal(g[1][i] - g[0][i]));
    size[1]   = PetscMax(size[1], PetscAbsReal(g[0][i]));
  }
}

/*
  Finds by bisection, to the last bits, where the signature changes between s and s + width. A discontinuity would not shrink with the
  interval. Also compares derivatives of pairs that exist on one side only with differences; returns the number of these pairs.
*/
static PetscInt CheckSwitch(const Slide *slide, PetscReal s, PetscReal width, PetscReal size[2])
{
  static Signature at, middle, far, near[2];
  PetscReal        x[MAX_SIZE], wide[2], close[2];
  PetscInt         compared = 0;

  Sign(slide, s, x, &at);
  for (; width > 1e-13; width /= 2) {
    Sign(slide, s + width / 2, x, &middle);
    if (Alike(&at, &middle)) s += width / 2;
  }
  Change(slide, s, 1e-6, wide, size);
  Change(slide, s, 1e-9, close, size);
  for (int k = 0; k < 2; k++) {
    if (!(close[k] <= 0.01 * wide[k] + 1e-11 * size[k]))
      fail_msg("%s jumps by %g of %g at %.12g (%g within 1e-6)", k ? "gradient" : "energy", (double)close[k], (double)size[k], (double)s,
               (double)wide[k]);
  }
  for (int side = 0; side < 2; side++) Sign(slide, s + (2 * side - 1) * 5e-5, x, &near[side]);
  for (int side = 0; side < 2; side++) { /* all points of the differences (1e-5) are on one side */
    Sign(slide, s + (2 * side - 1) * 1e-3, x, &far);
    if (!Alike(&near[side], &far)) continue;
    MoveTo(slide, s + (2 * side - 1) * 5e-4, x);
    for (PetscInt k = 0; k < t.num_pairs; k++)
      if (!Has(&near[1 - side], far.of[k]) && IsClear(&t.pairs[k], x)) {
        CheckDerivatives(&t.pairs[k], x, 1e-4);
        compared++;
      }
  }
  return compared;
}

/*
  Energy and gradient are continuous at all switches: pairs become active or inactive, closest features change, mollifiers begin or end.
*/
static void CheckSwitches(PetscInt dim, AbutOrientedMember member, PetscInt wanted)
{
  static Signature last, now;
  enum { steps = 100 };
  uint64_t  seed = 11;
  PetscReal x[MAX_SIZE], size[2] = {0};
  PetscInt  count = 0, compared = 0;
  Slide     slide;

  t.spec = (AbutOrientedSpec){0.9, 0.3, 0.8, 0.4, dim - 1, member, .length = 0.7, .mollifier_width = 0.2, .mollifier_ratio = 0.8};
  for (int trial = 0; trial < 3; trial++) {
    MakeBodies(dim, 0.2, &seed, slide.start);
    for (PetscInt i = 0; i < 3; i++) slide.path[i] = (i == dim - 1 ? 0.1 : 1) * AbutTestRandom(&seed);
    Sign(&slide, -1, x, &last);
    for (int k = 0; k < steps; k++) {
      const PetscReal s = -1 + 2. * k / steps, width = 2. / steps;
      Sign(&slide, s + width, x, &now);
      if (!Alike(&last, &now) && Gap(x) > 0.05) {
        compared += CheckSwitch(&slide, s, width, size);
        count++;
      }
      last = now;
    }
    OrientedDestroy(&t);
  }
  print_message("%ldD, member %d: %ld switches, %ld pairs by differences\n", (long)dim, (int)member, (long)count, (long)compared);
  assert_true(count >= wanted && compared >= wanted);
}

static void test_switches(void **state)
{
  (void)state;
  CheckSwitches(2, ABUT_ORIENTED_GCP, 10);
  CheckSwitches(2, ABUT_ORIENTED_OIPC, 10);
  CheckSwitches(3, ABUT_ORIENTED_GCP, 50);
  CheckSwitches(3, ABUT_ORIENTED_OIPC, 50);
}

/* Projection of a 30 x 30 matrix with known eigenvalues i - 10; its eigenvectors are the columns of a reflection. */
static void test_projection(void **state)
{
  enum { n = 30 };
  static const AbutProjection projections[] = {ABUT_PSD_NONE, ABUT_PSD_CLAMP};
  static PetscReal            scratch[MAX_SCRATCH];
  PetscReal                   Q[n][n], u[n], size = 0, A[n * n], B[n * n];
  uint64_t                    seed = 2;

  (void)state;
  for (int i = 0; i < n; i++) u[i] = AbutTestRandom(&seed);
  size = AbutDot(n, u, u);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) Q[i][j] = (i == j) - 2 * u[i] * u[j] / size;
  }
  for (int p = 0; p < 2; p++) {
    for (int i = 0; i < n * n; i++) {
      A[i] = B[i] = 0;
      for (int k = 0; k < n; k++) {
        A[i] += (k - 10) * Q[i / n][k] * Q[i % n][k];
        B[i] += AbutProjectScalar(projections[p], k - 10) * Q[i / n][k] * Q[i % n][k];
      }
    }
    AbutOrientedProject(3, PETSC_FALSE, projections[p], 1, &(PetscInt){n / 3}, A, scratch);
    AbutTestClose("projection", n * n, A, B, 1e-12);
  }
}

/* Projection of matrices with translations in the kernel, compared with the dense projection without translations. */
static void test_projection_free(void **state)
{
  enum { most = 57 };
  static PetscReal scratch[MAX_SCRATCH], A[most * most], B[most * most];
  uint64_t         seed = 7;

  (void)state;
  for (PetscInt m = 2; m <= 19; m += m < 6 ? 1 : 13) {
    for (PetscInt dim = 2; dim <= 3; dim++) {
      const PetscInt n = dim * m;
      PetscReal      u[most], sum[3];
      (void)memset(A, 0, sizeof(A));
      for (PetscInt k = 0; k < n; k++) {
        (void)memset(sum, 0, sizeof(sum));
        for (PetscInt i = 0; i < n; i++) sum[i % dim] += u[i] = AbutTestRandom(&seed);
        for (PetscInt i = 0; i < n; i++) u[i] -= sum[i % dim] / (PetscReal)m;
        for (PetscInt i = 0; i < n * n; i++) A[i] += (k % 3 ? 1 : -1) * u[i / n] * u[i % n];
      }
      (void)memcpy(B, A, sizeof(A));
      AbutOrientedProject(dim, PETSC_TRUE, ABUT_PSD_CLAMP, 1, &m, A, scratch);
      AbutOrientedProject(dim, PETSC_FALSE, ABUT_PSD_CLAMP, 1, &m, B, scratch);
      AbutTestClose("projection without translations", n * n, A, B, 1e-12);
    }
  }
}

/* Projection of matrices of several sizes at once, with and without translations in the kernel: equal bit for bit to one at a time. */
static void test_projection_together(void **state)
{
  enum { most = 21 };
  static PetscReal scratch[MAX_SCRATCH], A[ABUT_SIMD_WIDTH * most * most], B[ABUT_SIMD_WIDTH * most * most];
  PetscInt         m[ABUT_SIMD_WIDTH], total;
  uint64_t         seed = 11;

  (void)state;
  for (PetscInt k = 0; k < 12; k++) {
    const PetscInt  dim = 2 + k % 2, count = 1 + (3 * k) % ABUT_SIMD_WIDTH;
    const PetscBool held = (PetscBool)(k % 3 == 0);
    total                = 0;
    for (PetscInt l = 0; l < count; l++) {
      PetscReal *a = A + total;
      PetscInt   n;
      m[l] = 2 + (l + k) % 6;
      n    = dim * m[l];
      for (PetscInt r = 0; r < n; r++) {
        for (PetscInt q = 0; q <= r; q++) a[n * r + q] = a[n * q + r] = AbutTestRandom(&seed);
      }
      for (PetscInt r = 0; r < n && !held; r++) { /* adjusts the first point so that translations are in the kernel */
        for (PetscInt i = 0; i < dim; i++) {
          a[n * r + i] = 0;
          for (PetscInt p = 1; p < m[l] && r >= dim; p++) a[n * r + i] -= a[n * r + dim * p + i];
          if (r >= dim) a[n * i + r] = a[n * r + i];
        }
      }
      for (PetscInt r = 0; r < dim && !held; r++) {
        for (PetscInt i = 0; i < dim; i++) {
          for (PetscInt p = 1; p < m[l]; p++) a[n * r + i] -= a[n * r + dim * p + i];
        }
      }
      total += n * n;
    }
    (void)memcpy(B, A, sizeof(A));
    AbutOrientedProject(dim, (PetscBool)!held, ABUT_PSD_CLAMP, count, m, A, scratch);
    total = 0;
    for (PetscInt l = 0; l < count; l++) {
      AbutOrientedProject(dim, (PetscBool)!held, ABUT_PSD_CLAMP, 1, &m[l], B + total, scratch);
      total += PetscSqr(dim * m[l]);
    }
    assert_memory_equal(A, B, (size_t)total * sizeof(PetscReal));
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_3d),
    cmocka_unit_test(test_2d),
    cmocka_unit_test(test_rest_ratio),
    cmocka_unit_test(test_rigid),
    cmocka_unit_test(test_switches),
    cmocka_unit_test(test_projection),
    cmocka_unit_test(test_projection_free),
    cmocka_unit_test(test_projection_together),
  };
  return AbutTestMain(argc, argv, tests);
}
