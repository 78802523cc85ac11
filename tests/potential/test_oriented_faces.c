/* Quadrature of pairs of faces: rules, derivatives, limit of the closest-point terms, order of convergence. */
#include "oriented.h"

#define GAP   0.3 /* between a sphere of radius 1 and a concentric hollow sphere */
#define DHAT  0.5
#define ALPHA 0.5

static TestOriented t;

static PetscReal Power(PetscReal x, PetscInt n)
{
  return n ? x * Power(x, n - 1) : 1;
}

/* The mean of s_0^a s_1^b over a triangle is 2 a! b! / (a + b + 2)!. */
static PetscReal Monomial(PetscInt a, PetscInt b)
{
  PetscReal value = 2;

  for (PetscInt k = 2; k <= a; k++) value *= (PetscReal)k;
  for (PetscInt k = 2; k <= b; k++) value *= (PetscReal)k;
  for (PetscInt k = 2; k <= a + b + 2; k++) value /= (PetscReal)k;
  return value;
}

/* The rules are exact to degrees 1, 2 and 4, and not beyond. */
static void Rules(void **state)
{
  (void)state;
  for (PetscInt n = 1; n <= 3; n++) {
    const PetscInt   degree  = (PetscInt[]){0, 1, 2, 4}[n];
    PetscReal        most[2] = {0, 0};
    AbutOrientedSpec spec    = {.length = 1};
    AbutTestCall(AbutOrientedSetSamples(3, n, 1, &spec));
    assert_int_equal(spec.samples, n * (n + 1) / 2);
    for (PetscInt a = 0; a <= degree + 1; a++) {
      for (PetscInt b = 0; a + b <= degree + 1; b++) {
        PetscReal sum = 0, *worst = &most[a + b > degree];
        for (PetscInt k = 0; k < spec.samples; k++) sum += spec.weight[k] * Power(spec.at[k][0], a) * Power(spec.at[k][1], b);
        *worst = PetscMax(*worst, PetscAbsReal(sum - Monomial(a, b)));
      }
    }
    assert_true(most[0] < 1e-15 && most[1] > 1e-5);
  }
}

/* ---- two faces ---- */

/* Two faces whose outer sides face each other; the second is shifted and rotated above the first. */
static void TwoFaces(PetscInt samples, PetscBool oriented, PetscReal over, uint64_t *seed, PetscReal x[])
{
  const PetscReal start[18] = {0, 0, 0, 1, 0, 0, 0.4, 0.9, 0, 0.1, 0.2, over, 0.3, 1.0, over, 1.1, 0.1, over + 0.05};
  PetscInt        n         = 0;

  t = (TestOriented){.dim = 3, .nv = 6, .nf = 2};
  for (PetscInt f = 0; f < 2; f++) {
    for (int k = 0; k < 3; k++) {
      t.faces[f][k]   = 3 * f + k;
      t.edges[n][0]   = 3 * f + k;
      t.edges[n++][1] = 3 * f + (k + 1) % 3;
    }
  }
  t.ne = n;
  for (PetscInt i = 0; i < 18; i++) x[i] = start[i] + 0.1 * AbutTestRandom(seed);
  for (PetscInt v = 0; v < 6; v++) t.oriented[v] = oriented;
  t.spec = (AbutOrientedSpec){0.6, 0.1, 0.6, 0.1, 2, ABUT_ORIENTED_OIPC, .length = 0.5, .mollifier_width = 1e-3, .mollifier_ratio = 0.1};
  AbutTestCall(AbutOrientedSetSamples(3, samples, 0.7, &t.spec));
}

/* Direct evaluation of the formula: both steps of each angle factor, of the largest cosine with a tangent. */
static PetscReal AsWritten(const AbutOrientedPair *pair, const PetscReal x[])
{
  PetscReal sum = 0, area = 1, unit[2][3];

  for (int f = 0; f < 2; f++) {
    const PetscReal *p = x + 9 * f, a[3] = {p[3] - p[0], p[4] - p[1], p[5] - p[2]}, b[3] = {p[6] - p[0], p[7] - p[1], p[8] - p[2]};
    PetscReal        size;
    AbutCross(a, b, unit[f]);
    size = PetscSqrtReal(AbutDot(3, unit[f], unit[f]));
    area *= size / 2;
    for (int i = 0; i < 3; i++) unit[f][i] /= size;
  }
  for (PetscInt k = 0; k < t.spec.samples; k++) {
    for (PetscInt l = 0; l < t.spec.samples; l++) {
      PetscReal d[3] = {0}, dist, value = t.spec.weight[k] * t.spec.weight[l];
      for (int p = 0; p < 3; p++)
        for (int i = 0; i < 3; i++) d[i] += t.spec.at[l][p] * x[9 + 3 * p + i] - t.spec.at[k][p] * x[3 * p + i];
      dist = PetscSqrtReal(AbutDot(3, d, d));
      for (int f = 0; f < 2; f++) {
        const PetscReal cosine = (f ? -1 : 1) * AbutDot(3, unit[f], d) / dist, sine = PetscSqrtReal(1 - cosine * cosine);
        for (int sign = -1; sign <= 1; sign += 2) value *= AbutOrientedStep(sign * sine, 0.6, 0.1, NULL, NULL);
        if (t.oriented[0]) value *= AbutOrientedStep(AbutOrientedStep(cosine, 0.6, 0.1, NULL, NULL) - 1, 1, 0, NULL, NULL);
      }
      if (dist < pair->dhat) sum += value * AbutOrientedBarrierFar(dist / pair->dhat, 2, pair->split / pair->dhat, NULL, NULL);
    }
  }
  return t.spec.share * area * 1.5 / PetscSqr(pair->dhat) * sum;
}

static void Derivatives(void **state)
{
  uint64_t seed   = 5;
  PetscInt acting = 0;

  (void)state;
  for (PetscInt k = 0; k < 60; k++) {
    AbutOrientedPair pair = {ABUT_PAIR_FV, 0, 1, 1.2, k % 2 ? 0.5 : 0.1, PETSC_TRUE};
    PetscReal        x[18], value, wanted;
    TwoFaces(1 + k % 3, (PetscBool)(k % 5 > 0), 0.4, &seed, x);
    OrientedCreate(&t);
    value  = OrientedAddPair(&t, &pair, x, ABUT_PSD_NONE, NULL, NULL).value;
    wanted = AsWritten(&pair, x);
    assert_true(PetscAbsReal(value - wanted) <= 1e-12 * wanted);
    if (k % 2 == 0) AbutTestCall(AbutOrientedSurfaceSetRest(t.surface, &t.spec, (PetscReal[18]){2, 0, 0, 0, 1, 0, 0, 0, 1, 3, 0, 0, 0, 1}));
    if (value > 0) OrientedCheckPair(&t, &pair, x);
    acting += value > 0;
    OrientedDestroy(&t);
  }
  assert_true(acting > 40);
}

/* Parallel faces with points exactly above each other, where the sine is 0: derivatives are finite and correct. */
static void StraightAbove(void **state)
{
  AbutOrientedPair pair  = {ABUT_PAIR_FV, 0, 1, 1.2, 0.2, PETSC_TRUE};
  const PetscReal  x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.5, 0, 1, 0.5, 1, 0, 0.5};
  uint64_t         seed  = 1;
  PetscReal        any[18];

  (void)state;
  for (PetscInt beta = 0; beta < 2; beta++) {
    TwoFaces(3, PETSC_TRUE, 0.4, &seed, any);
    OrientedCreate(&t);
    t.spec.beta_t = 0.1 * (PetscReal)beta;
    assert_true(OrientedAddPair(&t, &pair, x, ABUT_PSD_NONE, NULL, NULL).value > 0);
    OrientedCheckPair(&t, &pair, x);
    OrientedDestroy(&t);
  }
}

/* ---- two flat sheets ---- */

#define SIDE 33 /* vertices along a side of the sheet above the cell */

/* Sheets of regular triangles, cell by cell: three edges and two faces per cell, then the edges along the far borders. */
typedef struct {
  PetscInt num_edges, num_faces, edges[8 * SIDE * SIDE][2], faces[4 * SIDE * SIDE][3];
} Sheets;

static void AddCell(PetscInt first, PetscInt i, PetscInt j, PetscInt side, Sheets *s)
{
  const PetscInt v = first + SIDE * j + i, right = v + 1, up = v + SIDE, across = v + SIDE + 1;
  const PetscInt edges[3][2] = {{v, right}, {v, up}, {right, up}}, faces[2][3] = {{v, right, up}, {right, across, up}};

  for (int e = 0; e < 3; e++)
    for (int k = 0; k < 2; k++) s->edges[s->num_edges][k] = edges[e][k], s->num_edges += k;
  for (int f = 0; f < 2; f++)
    for (int k = 0; k < 3; k++) s->faces[s->num_faces][side > 0 ? k : 2 - k] = faces[f][k], s->num_faces += k == 2;
}

static void AddBorder(PetscInt v, PetscInt next, Sheets *s)
{
  s->edges[s->num_edges][0]   = v;
  s->edges[s->num_edges++][1] = next;
}

static void MakeSheets(Sheets *s)
{
  const PetscInt n = SIDE * SIDE, cells = SIDE - 1;

  s->num_edges = s->num_faces = 0;
  for (PetscInt sheet = 0; sheet < 2; sheet++)
    for (PetscInt c = 0; c < cells * cells; c++) AddCell(sheet * n, c % cells, c / cells, sheet ? -1 : 1, s);
  for (PetscInt k = 0; k < 2 * cells; k++) {
    const PetscInt first = k % 2 * n, along = k / 2;
    AddBorder(first + SIDE * along + cells, first + SIDE * (along + 1) + cells, s);
    AddBorder(first + SIDE * cells + along, first + SIDE * cells + along + 1, s);
  }
}

/* Points of two sheets with edges of length 1 at a distance, the second turned and shifted. */
static void SheetPoints(PetscReal gap, PetscReal x[])
{
  const PetscInt n = SIDE * SIDE;

  for (PetscInt v = 0; v < 2 * n; v++) {
    const PetscReal i = (PetscReal)(v % SIDE), j = (PetscReal)(v % n / SIDE), turn = v < n ? 0 : 0.3;
    const PetscReal a = i + j / 2 - 0.75 * (SIDE - 1), b = PetscSqrtReal(3) / 2 * (j - 0.5 * (SIDE - 1));
    x[3 * v]     = a * PetscCosReal(turn) - b * PetscSinReal(turn) + (v < n ? 0 : 0.2);
    x[3 * v + 1] = a * PetscSinReal(turn) + b * PetscCosReal(turn);
    x[3 * v + 2] = v < n ? 0 : gap;
  }
}

/* Sum over the pairs of the primitives of one middle cell of the first sheet with all primitives of the second, by kinds. */
static PetscReal SumPairs(const AbutOrientedSurface *surface, const AbutOrientedSpec *spec, PetscInt below, PetscInt above, PetscReal range,
                          const PetscReal x[])
{
  static const AbutPairKind of[3][3] = {{ABUT_PAIR_VV, ABUT_PAIR_EV, ABUT_PAIR_FV}, {ABUT_PAIR_EV, ABUT_PAIR_EE, 0}, {ABUT_PAIR_FV, 0, 0}};
  static const PetscInt     each[3]  = {1, 3, 2}; /* primitives per cell, by kind */
  static PetscReal          scratch[65536];
  const PetscInt            n = SIDE * SIDE, cells = (SIDE - 1) * (SIDE - 1), middle = (SIDE - 1) / 2;
  PetscReal                 sum = 0;

  for (PetscInt a = 0; a < each[below]; a++) {
    for (PetscInt b = 0; b < (above ? each[above] * cells : n); b++) {
      const PetscInt         i    = below ? each[below] * SIDE * middle + a : SIDE * middle + middle;
      const PetscInt         j    = above ? each[above] * cells + b : n + b;
      const AbutOrientedPair pair = {
        of[below][above], below >= above ? i : j, below >= above ? j : i, range, 0, (PetscBool)(below + above == 4)};
      AbutOrientedPairState state;
      AbutOrientedEvaluate(surface, spec, &pair, x, &(AbutOrientedOutput){.scratch = scratch}, &state);
      sum += state.value;
    }
  }
  return sum;
}

/* Ratio of closest-point terms to quadrature for flat sheets: tends to 1 with first order in edge length / gap. */
static void FlatSheets(void **state)
{
  static Sheets        s;
  static PetscReal     x[6 * SIDE * SIDE];
  const PetscInt       n    = SIDE * SIDE;
  AbutOrientedSpec     spec = {ALPHA, 0, ALPHA, 0, 2, ABUT_ORIENTED_OIPC, .length = 1, .mollifier_width = 1e-3, .mollifier_ratio = 0.1};
  AbutOrientedSurface *surface;
  TestOneRing          ring;
  PetscReal            ratio[3];

  (void)state;
  MakeSheets(&s);
  AbutTestCall(AbutOrientedSetSamples(3, 3, 1, &spec));
  OneRingCreate(2 * n, s.num_edges, (const PetscInt(*)[2])s.edges, s.num_faces, (const PetscInt(*)[3])s.faces, NULL, &ring);
  AbutTestCall(AbutOrientedSurfaceCreate(3, 2 * n, &ring.r, &surface));
  for (int k = 0; k < 3; k++) {
    const PetscReal gap = (PetscReal)(3 << k), range = 2 * gap;
    PetscReal       sum = 0;
    SheetPoints(gap, x);
    for (PetscInt below = 0; below < 3; below++)
      for (PetscInt above = 0; above < 3 && above + below < 3; above++) sum += SumPairs(surface, &spec, below, above, range, x);
    ratio[k] = sum / SumPairs(surface, &spec, 2, 2, range, x);
  }
  AbutTestCall(AbutOrientedSurfaceDestroy(&surface));
  OneRingDestroy(&ring);
  assert_true(PetscAbsReal(2 * ratio[2] - ratio[1] - 1) < 0.05);
}

/* ---- a sphere in a hollow ---- */

#define LEVELS              4
#define MAX_FACES_OF_SPHERE (20 << 2 * LEVELS)

/* Spheres around the origin: an icosahedron whose faces are repeatedly split in four. The children of a face are consecutive. */
typedef struct {
  PetscInt  num_vertices, num_edges, num_faces, edges[3 * MAX_FACES_OF_SPHERE][2], faces[2 * MAX_FACES_OF_SPHERE][3];
  PetscReal x[3 * (MAX_FACES_OF_SPHERE + 4)]; /* Euler: a sphere of F triangles has F / 2 + 2 vertices */
} Spheres;

/* Returns the midpoint vertex of a and b: an existing one with index >= first, else a new one. */
static PetscInt Halfway(Spheres *s, PetscInt a, PetscInt b, PetscInt first)
{
  PetscReal m[3], size;

  for (int i = 0; i < 3; i++) m[i] = s->x[3 * a + i] + s->x[3 * b + i];
  size = PetscSqrtReal(AbutDot(3, m, m));
  for (int i = 0; i < 3; i++) m[i] /= size;
  for (PetscInt v = first; v < s->num_vertices; v++)
    if (PetscAbsReal(s->x[3 * v] - m[0]) + PetscAbsReal(s->x[3 * v + 1] - m[1]) + PetscAbsReal(s->x[3 * v + 2] - m[2]) < 1e-9) return v;
  (void)PetscArraycpy(s->x + 3 * s->num_vertices, m, 3);
  return s->num_vertices++;
}

static void Icosahedron(Spheres *s)
{
  static const PetscInt faces[20][3] = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                                        {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                                        {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  const PetscReal       g = (1 + PetscSqrtReal(5)) / 2, size = PetscSqrtReal(1 + g * g);

  s->num_vertices = 12;
  s->num_faces    = 20;
  (void)PetscArraycpy(&s->faces[0][0], &faces[0][0], 60);
  for (PetscInt v = 0; v < 12; v++) { /* (+-1, +-g, 0) and its cyclic permutations */
    const PetscInt first          = v / 4;
    s->x[3 * v + first]           = (v % 2 ? 1 : -1) / size;
    s->x[3 * v + (first + 1) % 3] = (v % 4 < 2 ? g : -g) / size;
    s->x[3 * v + (first + 2) % 3] = 0;
  }
}

/* Splits every face of the sphere of radius 1 in four. */
static void Cut(Spheres *s)
{
  const PetscInt first = s->num_vertices;

  for (PetscInt f = s->num_faces - 1; f >= 0; f--) { /* from the end: 4 f >= f */
    const PetscInt v[3] = {s->faces[f][0], s->faces[f][1], s->faces[f][2]};
    PetscInt       m[3];
    for (int k = 0; k < 3; k++) m[k] = Halfway(s, v[k], v[(k + 1) % 3], first);
    for (int k = 0; k < 3; k++) {
      const PetscInt corner[3] = {v[k], m[k], m[(k + 2) % 3]};
      (void)PetscArraycpy(s->faces[4 * f + k], corner, 3);
    }
    (void)PetscArraycpy(s->faces[4 * f + 3], m, 3);
  }
  s->num_faces *= 4;
}

/* Adds a larger concentric sphere with its outer side inwards, and the edges. */
static void AddHollow(Spheres *s)
{
  const PetscInt n = s->num_vertices, m = s->num_faces;

  for (PetscInt i = 0; i < 3 * n; i++) s->x[3 * n + i] = (1 + GAP) * s->x[i];
  for (PetscInt i = 0; i < 3 * m; i++) s->faces[m + i / 3][2 - i % 3] = n + s->faces[i / 3][i % 3];
  s->num_edges = 0;
  for (PetscInt i = 0; i < 6 * m; i++) {
    const PetscInt a = s->faces[i / 3][i % 3], b = s->faces[i / 3][(i + 1) % 3];
    if (a > b) continue;
    s->edges[s->num_edges][0]   = a;
    s->edges[s->num_edges++][1] = b;
  }
  s->num_vertices *= 2;
  s->num_faces *= 2;
}

/* Quadrature over both spheres: by symmetry 20 times the sum over one twentieth of the inner sphere. */
static PetscReal SphereSum(const Spheres *s, PetscInt samples)
{
  AbutOrientedSpec     spec = {ALPHA, 0, ALPHA, 0, 2, ABUT_ORIENTED_OIPC, .length = 1};
  const PetscInt       half = s->num_faces / 2;
  AbutOrientedSurface *surface;
  TestOneRing          ring;
  PetscReal            sum = 0;

  AbutTestCall(AbutOrientedSetSamples(3, samples, 1, &spec));
  OneRingCreate(s->num_vertices, s->num_edges, (const PetscInt(*)[2])s->edges, s->num_faces, (const PetscInt(*)[3])s->faces, NULL, &ring);
  AbutTestCall(AbutOrientedSurfaceCreate(3, s->num_vertices, &ring.r, &surface));
  for (PetscInt a = 0; a < half / 20; a++) {
    for (PetscInt b = half; b < 2 * half; b++) {
      const AbutOrientedPair pair = {.a = a, .b = b, .dhat = DHAT, .split = 0.8 * GAP, .sampled = PETSC_TRUE};
      AbutOrientedPairState  state;
      const PetscReal       *p = s->x + 3 * s->faces[a][0], *q = s->x + 3 * s->faces[b][0];
      if (PetscSqr(p[0] - q[0]) + PetscSqr(p[1] - q[1]) + PetscSqr(p[2] - q[2]) > 4) continue; /* farther than dhat */
      AbutOrientedEvaluateSamples(surface, &spec, &pair, s->x, &(AbutOrientedOutput){0}, &state);
      sum += 20 * state.value / spec.share;
    }
  }
  AbutTestCall(AbutOrientedSurfaceDestroy(&surface));
  OneRingDestroy(&ring);
  return sum;
}

/* The exact integral over the spheres, by a sum over 20000 polar angles. */
static PetscReal SphereExact(void)
{
  const PetscInt  n = 20000;
  const PetscReal r = 1 + GAP, width = 0.6;
  PetscReal       sum = 0;

  for (PetscInt k = 0; k < n; k++) {
    const PetscReal angle = width * ((PetscReal)k + 0.5) / (PetscReal)n, c = PetscCosReal(angle), s = PetscSinReal(angle),
                    d[2] = {r * s, r * c - 1};
    const PetscReal dist = hypot(d[0], d[1]), sine[2] = {d[0] / dist, (d[0] * c - d[1] * s) / dist};
    PetscReal       value = s * 1.5 / PetscSqr(DHAT) * AbutOrientedBarrier(dist / DHAT, 2, NULL, NULL);
    for (int e = 0; e < 2; e++) value *= AbutOrientedStep(-PetscAbsReal(sine[e]), ALPHA, 0, NULL, NULL);
    sum += value;
  }
  return 4 * PETSC_PI * 2 * PETSC_PI * r * r * width / (PetscReal)n * sum;
}

/* Halving of the edges: second order, the error of facets, once the spacing of samples is below alpha * gap; before, errors fall faster. */
static void Order(void **state)
{
  static Spheres  s[LEVELS + 1];
  const PetscReal exact = SphereExact();

  (void)state;
  Icosahedron(&s[0]);
  for (int k = 1; k <= LEVELS; k++) {
    s[k] = s[k - 1];
    Cut(&s[k]);
  }
  for (int k = 0; k <= LEVELS; k++) AddHollow(&s[k]);
  for (PetscInt n = 2; n <= 3; n++) {
    PetscReal error[LEVELS + 1], order;
    for (int k = LEVELS - 1; k <= LEVELS; k++) error[k] = SphereSum(&s[k], n) / exact - 1;
    order = PetscLog2Real(PetscAbsReal(error[LEVELS - 1] / error[LEVELS]));
    if (!(order > 1.75 && PetscAbsReal(error[LEVELS]) < 8e-3)) fail_msg("order %g, error %g", (double)order, (double)error[LEVELS]);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(Rules),      cmocka_unit_test(Derivatives), cmocka_unit_test(StraightAbove),
    cmocka_unit_test(FlatSheets), cmocka_unit_test(Order),
  };
  return AbutTestMain(argc, argv, tests);
}
