/*
  The convergent potential without reference data: derivatives of the energy, sums of weights, completeness of stencils, half spaces,
  contact points.
*/
#include "evaluate.h"
#include "rings.h"
#include "../../src/model/potential/convergent/convergent.h"
#include "stencil_energy.h"

/* ---- surfaces ---- */

typedef struct {
  TestSurface s;
  TestRings   one_ring;
  PetscInt    ne, nf, edges[128][2], faces[80][3]; /* a grid of 7 x 7 vertices has 120 and 72 */
} Model;

static void AddEdge(Model *m, PetscInt a, PetscInt b)
{
  for (PetscInt e = 0; e < m->ne; e++)
    if ((m->edges[e][0] == a && m->edges[e][1] == b) || (m->edges[e][0] == b && m->edges[e][1] == a)) return;
  m->edges[m->ne][0]   = a;
  m->edges[m->ne++][1] = b;
}

static void AddFace(Model *m, PetscInt a, PetscInt b, PetscInt c)
{
  m->faces[m->nf][0]   = a;
  m->faces[m->nf][1]   = b;
  m->faces[m->nf++][2] = c;
  AddEdge(m, a, b);
  AddEdge(m, b, c);
  AddEdge(m, c, a);
}

static void Finish(Model *m, PetscInt dim, PetscInt nv, const PetscReal rest[], const PetscReal x[])
{
  SurfaceInit(&m->s, dim, nv, rest, x);
  if (dim == 2)
    SurfaceAddEV(&m->s, m->ne, (const PetscInt(*)[2])m->edges);
  else {
    SurfaceAddFV(&m->s, m->nf, (const PetscInt(*)[3])m->faces);
    SurfaceAddEE(&m->s, m->ne, (const PetscInt(*)[2])m->edges);
  }
  RingsInit(&m->one_ring, &m->s, m->ne, (const PetscInt(*)[2])m->edges, m->nf, (const PetscInt(*)[3])m->faces);
}

/* A grid of n x n vertices in a plane z, moved sideways. */
static PetscInt AddGrid(Model *m, PetscInt first, PetscInt n, PetscReal cell, const PetscReal corner[3], PetscReal rest[])
{
  for (PetscInt i = 0; i < n * n; i++) {
    rest[3 * (first + i)]     = corner[0] + cell * (PetscReal)(i % n);
    rest[3 * (first + i) + 1] = corner[1] + cell * (PetscReal)(i / n);
    rest[3 * (first + i) + 2] = corner[2];
    if (i % n == n - 1 || i / n == n - 1) continue;
    AddFace(m, first + i, first + i + 1, first + i + n);
    AddFace(m, first + i + 1, first + i + n + 1, first + i + n);
  }
  return first + n * n;
}

/*
  Two nearly parallel sheets above each other with mollified pairs, a rod across and a point. Each vertex is perturbed by up to `noise`.
*/
static void Sheets(uint64_t *seed, PetscReal noise, Model *m)
{
  PetscReal rest[3 * MAX_VERTICES], x[3 * MAX_VERTICES];
  PetscInt  n = 0;

  m->ne = m->nf = 0;
  n             = AddGrid(m, n, 3, 1, (PetscReal[]){0, 0, 0}, rest);
  n             = AddGrid(m, n, 3, 1, (PetscReal[]){0.2, 0.1, 0.3}, rest);
  AddEdge(m, n, n + 1);
  for (int k = 0; k < 9; k++) rest[3 * n + k] = (PetscReal[]){-0.1, 0.3, 0.6, 2.1, 1.7, 0.5, 1.4, 0.6, 0.55}[k];
  n += 3;
  for (PetscInt i = 0; i < 3 * n; i++) x[i] = rest[i] + noise * AbutTestRandom(seed);
  Finish(m, 3, n, rest, x);
}

static void Squares(uint64_t *seed, Model *m)
{
  static const PetscReal rest[18] = {0, 0, 1, 0, 1, 1, 0, 1, 1.2, 0.3, 2.2, 0.3, 2.2, 1.3, 1.2, 1.3, 1.1, 1.15};
  PetscReal              x[18];

  m->ne = m->nf = 0;
  for (PetscInt i = 0; i < 8; i++) AddEdge(m, i, i % 4 == 3 ? i - 3 : i + 1);
  for (int i = 0; i < 18; i++) x[i] = rest[i] + 0.05 * AbutTestRandom(seed);
  Finish(m, 2, 9, rest, x);
}

/* ---- tests ---- */

typedef enum { VV, EV, FV, EE, MOLLIFIED_VV, MOLLIFIED_EV, MOLLIFIED_EE, NUM_KINDS } Kind;

static Kind KindOf(const AbutStencil *st)
{
  if (st->fixed) return st->form == ABUT_DIST_POINT_POINT ? MOLLIFIED_VV : st->form == ABUT_DIST_POINT_LINE ? MOLLIFIED_EV : MOLLIFIED_EE;
  return (Kind)st->form;
}

/* Magnitude of the contribution of a stencil to the energy. */
static PetscReal Weight(const AbutStencil *st, const Model *m, PetscReal dhat)
{
  PetscReal x[12];

  AbutGather(m->s.c.dim, st->n, st->v, m->s.x, x);
  return PetscAbsReal(StencilEnergy(m->s.c.dim, st, NULL, dhat * dhat, x));
}

/*
  Compares derivatives with differences along a random direction, away from switches of closest features, where Hessians jump. Errors are
  round-off, 2e-11 of the largest entry. seen: number of stencils large enough to affect this comparison, by kind and sign.
*/
static void CheckDerivatives(Model *m, PetscReal dhat, PetscInt seen[NUM_KINDS][2])
{
  static PetscReal   H[9 * MAX_VERTICES * MAX_VERTICES], H_fd[9 * MAX_VERTICES * MAX_VERTICES];
  const PetscInt     N = m->s.c.dim * m->s.c.num_vertices;
  PetscReal          g[3 * MAX_VERTICES], g_fd[3 * MAX_VERTICES], size, most = 0;
  Context            ctx = {CreatePotential("convergent-ipc", dhat, 3), &m->s.c};
  const AbutStencil *st;
  PetscInt           count;

  AbutTestJacobian(Energy, &ctx, N, 1, m->s.x, 1e-5, g_fd);
  AbutTestJacobian(Gradient, &ctx, N, N, m->s.x, 1e-5, H_fd);
  Gradient(m->s.x, g, &ctx);
  AssembleHessian(ctx.pot, m->s.c.dim, m->s.c.num_vertices, ABUT_PSD_NONE, H);
  size = AbutTestLargest(N, g);
  assert_true(size > 1e-4);
  for (PetscInt i = 0; i < N; i++) assert_true(PetscAbsReal(g[i] - g_fd[i]) <= 1e-9 * size);
  size = AbutTestLargest(N * N, H);
  for (PetscInt i = 0; i < N * N; i++) assert_true(PetscAbsReal(H[i] - H_fd[i]) <= 1e-9 * size);
  AbutTestCall(AbutPotentialGetStencils(ctx.pot, &count, &st));
  for (PetscInt k = 0; k < count; k++) most = PetscMax(most, Weight(&st[k], m, dhat));
  for (PetscInt k = 0; k < count; k++) seen[KindOf(&st[k])][st[k].weight < 0] += Weight(&st[k], m, dhat) > 1e-6 * most;
  AbutTestCall(AbutPotentialDestroy(&ctx.pot));
}

/* All kinds and signs of stencils occur. Mollified vertex-vertex stencils have negative weights only. */
static void DerivativesOfTheEnergy(void **state)
{
  static Model m;
  uint64_t     seed               = 1;
  PetscInt     seen[NUM_KINDS][2] = {{0}};

  (void)state;
  for (int trial = 0; trial < 18; trial++) {
    if (trial % 2)
      Sheets(&seed, trial % 3 ? 0.03 : 0.1, &m);
    else
      Squares(&seed, &m);
    CheckDerivatives(&m, trial % 2 ? 0.6 : 0.7, seen);
  }
  for (int k = 0; k < NUM_KINDS; k++) {
    const PetscBool positive = (PetscBool)(k != MOLLIFIED_VV), negative = (PetscBool)(k != FV && k != EE && k != MOLLIFIED_EE);
    if ((seen[k][0] > 0) != positive || (seen[k][1] > 0) != negative)
      fail_msg("%d stencils of kind %d add and %d take away", (int)seen[k][0], k, (int)seen[k][1]);
  }
}

/*
  Closest features change along a path, so stencils appear and disappear. The energy is continuous if their weights balance: the trapezoidal
  rule gives its change from gradients, up to jumps of the Hessian (500) times the step squared (2e-4) over 8.
*/
static void EnergyWithoutJumps(void **state)
{
  enum { STEPS = 2000 };
  static Model m;
  uint64_t     seed = 12;

  (void)state;
  for (int trial = 0; trial < 6; trial++) {
    PetscReal x[3 * MAX_VERTICES], p[3 * MAX_VERTICES], g[3 * MAX_VERTICES], energy, slope, before[2] = {0};
    Context   ctx = {CreatePotential("convergent-ipc", trial % 2 ? 0.6 : 0.7, 3), &m.s.c};
    PetscInt  N;

    if (trial % 2)
      Sheets(&seed, 0.02, &m);
    else
      Squares(&seed, &m);
    N = m.s.c.dim * m.s.c.num_vertices;
    for (PetscInt i = 0; i < N; i++) p[i] = (trial % 2 ? 0.1 : 0.03) * AbutTestRandom(&seed);
    if (trial % 2 == 0) p[17] = 0.4; /* the point moves past ends of edges */
    for (int k = 0; k <= STEPS; k++) {
      for (PetscInt i = 0; i < N; i++) x[i] = m.s.x[i] + k * p[i] / STEPS;
      Energy(x, &energy, &ctx);
      Gradient(x, g, &ctx);
      slope = AbutDot(N, g, p) / STEPS;
      if (k && !(PetscAbsReal(energy - before[0] - (slope + before[1]) / 2) < 5e-6))
        fail_msg("trial %d: energy jumps from %.12g to %.12g", trial, (double)before[0], (double)energy);
      before[0] = energy;
      before[1] = slope;
    }
    AbutTestCall(AbutPotentialDestroy(&ctx.pot));
  }
}

/* An edge-vertex or vertex-vertex pair within dhat has exactly one stencil if its weight is not 0, else none. */
static void NoPairIsMissed(void **state)
{
  static Model m;
  uint64_t     seed = 4;

  (void)state;
  for (int trial = 0; trial < 6; trial++) {
    const PetscReal    dhat = trial % 2 ? 1.3 : 0.5; /* 1.3 includes pairs at distance two in the mesh */
    AbutPotential      pot  = CreatePotential("convergent-ipc", dhat, 1);
    AbutConvergent    *cv   = pot->data;
    const AbutStencil *st;
    PetscInt           count, expected[2] = {0, 0}, found[2] = {0, 0};
    PetscReal          x[9];
    Sheets(&seed, 0.1, &m);
    AbutTestCall(AbutPotentialSetState(pot, &m.s.c, m.s.x));
    AbutTestCall(AbutPotentialGetStencils(pot, &count, &st));
    for (PetscInt k = 0; k < count; k++)
      if (KindOf(&st[k]) <= EV) found[KindOf(&st[k])]++;
    for (PetscInt p = 0; p < m.s.c.num_vertices; p++) {
      for (PetscInt e = 0; e < m.ne; e++) {
        const PetscInt v[3] = {p, m.one_ring.edges[e][0], m.one_ring.edges[e][1]};
        if (v[1] == p || v[2] == p) continue;
        AbutGather(3, 3, v, m.s.x, x);
        if (AbutPairDist2(ABUT_PAIR_EV, 3, x) < dhat * dhat) expected[1] += AbutConvergentWeightEV(&cv->surface, e, p) != 0;
      }
      for (PetscInt q = p + 1; q < m.s.c.num_vertices; q++) {
        AbutGather(3, 2, (PetscInt[]){p, q}, m.s.x, x);
        if (AbutDist2(ABUT_DIST_POINT_POINT, 3, x, NULL, NULL) < dhat * dhat)
          expected[0] += AbutConvergentWeightVV(&cv->surface, p, q) != 0;
      }
    }
    assert_true(found[0] == expected[0] && found[1] == expected[1] && found[0] > 0 && found[1] > 10);
    AbutTestCall(AbutPotentialDestroy(&pot));
  }
}

/* Over a flat sheet (2D: chain) with edges shorter than dhat, the weights at a point sum to its area, at any place of the sheet. */
static void PointsCountOnce(void **state)
{
  static Model    m;
  uint64_t        seed = 6;
  const PetscReal dhat = 1.7, height = 0.4;

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    for (int trial = 0; trial < 20; trial++) {
      AbutPotential pot = CreatePotential("convergent-ipc", dhat, 2);
      PetscReal     rest[3 * MAX_VERTICES], energy, alone, expected;
      PetscInt      n = 0;
      m.ne = m.nf = 0;
      if (dim == 3) {
        n = AddGrid(&m, 0, 7, 1, (PetscReal[]){-3, -3, 0}, rest);
      } else {
        for (n = 0; n < 9; n++) {
          rest[2 * n]     = (PetscReal)n - 4;
          rest[2 * n + 1] = 0;
          if (n) AddEdge(&m, n - 1, n);
        }
      }
      for (PetscInt k = 0; k < dim; k++) rest[dim * n + k] = k < dim - 1 ? AbutTestRandom(&seed) : height;
      Finish(&m, dim, n + 1, rest, rest);
      AbutTestCall(AbutPotentialEnergy(pot, &m.s.c, rest, &energy));
      rest[dim * n] = 100;
      AbutTestCall(AbutPotentialEnergy(pot, &m.s.c, rest, &alone)); /* the vertices of the sheet are closer than dhat to each other */
      energy -= alone;
      expected = 2 * (dim == 3 ? 0.25 : 0.5) * AbutBarrier(height * height, dhat * dhat, NULL, NULL) / PetscPowRealInt(dhat, 3);
      AbutTestClose("energy", 1, &energy, &expected, 1e-12);
      AbutTestCall(AbutPotentialDestroy(&pot));
    }
  }
}

/* At a crease where three half planes meet, the weights at a point sum to its area too. */
static void CreasesCountOnce(void **state)
{
  static Model           m;
  static const PetscReal rest[27] = {0, 0, 0, 0, 1, 0, 0, -1, 0, 1, 0, -1, -1, 0, -1, 0.3, 0, -2, 0.02, 0.01, 0.05};
  const PetscReal        dhat     = 0.2;
  AbutPotential          pot      = CreatePotential("convergent-ipc", dhat, 1);
  PetscReal              energy, one;

  (void)state;
  m.ne = m.nf = 0;
  for (PetscInt k = 3; k < 6; k++) {
    AddFace(&m, 0, 1, k);
    AddFace(&m, 2, 0, k);
  }
  Finish(&m, 3, 7, rest, rest);
  for (int part = 0; part < 2; part++) {
    PetscReal x[21];
    memcpy(x, rest, sizeof(x));
    if (part) x[19] = 0.5; /* over the middle of an edge with three faces, not near its end at a vertex with six */
    one = 0.25 * AbutBarrier(x[18] * x[18] + x[20] * x[20], dhat * dhat, NULL, NULL) / PetscPowRealInt(dhat, 3);
    AbutTestCall(AbutPotentialEnergy(pot, &m.s.c, x, &energy));
    AbutTestClose("energy", 1, &energy, &one, 1e-13);
  }
  AbutTestCall(AbutPotentialDestroy(&pot));
}

/* The forces of all contact points between two sheets sum to the force from the gradient. */
static void PointsPushAsTheGradient(void **state)
{
  static Model m;
  uint64_t     seed = 8;

  (void)state;
  for (int trial = 0; trial < 4; trial++) {
    const AbutContactPoint *points;
    PetscReal               g[3 * MAX_VERTICES], force[3] = {0, 0, 0}, expected[3] = {0, 0, 0}, size = 0;
    PetscInt                count, negative = 0;
    Context                 ctx;
    Sheets(&seed, trial % 2 ? 0.1 : 0.02, &m);
    ctx = (Context){CreatePotential("convergent-ipc", 0.6, 5), &m.s.c};
    Gradient(m.s.x, g, &ctx);
    for (PetscInt i = 0; i < 27; i++) expected[i % 3] -= g[i]; /* on the first sheet */
    AbutTestCall(AbutPotentialGetContactPoints(ctx.pot, &count, &points));
    for (PetscInt k = 0; k < count; k++) {
      negative += points[k].force < 0;
      assert_true(points[k].pairs == 1 && points[k].dist > 0);
      for (PetscInt a = 0; a < points[k].n; a++) {
        if (points[k].v[a] >= 9) continue;
        for (int i = 0; i < 3; i++) force[i] += points[k].weight[a] * points[k].force * points[k].normal[i];
        size += PetscAbsReal(points[k].weight[a] * points[k].force);
      }
    }
    assert_true(negative > 0 && expected[2] < 0);
    for (int i = 0; i < 3; i++) assert_true(PetscAbsReal(force[i] - expected[i]) <= 1e-13 * size);
    AbutTestCall(AbutPotentialDestroy(&ctx.pot));
  }
}

/*
  A vertex and a half space have the whole vertex area as weight. On and behind the half space, and for touching surfaces, energy is
  infinite.
*/
static void PlanesAndTouching(void **state)
{
  static Model               m;
  static const AbutPlaneSpec floor_plane[1] = {{"floor", {0, 0, -0.1}, {0, 0, 1}}};
  const PetscReal            dhat           = 0.2;
  AbutPotential              pot            = CreatePotential("convergent-ipc", dhat, 3);
  PetscReal                  rest[30], energy, expected;

  (void)state;
  m.ne = m.nf = 0;
  AddGrid(&m, 0, 3, 1, (PetscReal[]){0, 0, 0}, rest);
  for (int k = 0; k < 3; k++) rest[27 + k] = (PetscReal[]){0.3, 0.2, 3}[k];
  Finish(&m, 3, 10, rest, rest);
  m.s.c.planes     = floor_plane;
  m.s.c.num_planes = 1;
  for (PetscInt v = 0; v < 9; v++) m.s.pv[v][1] = v;
  m.s.c.num_pv = 9;
  AbutTestCall(AbutPotentialEnergy(pot, &m.s.c, m.s.x, &energy));
  expected = 3 * 4 * AbutBarrier(0.01, dhat * dhat, NULL, NULL) / PetscPowRealInt(dhat, 3); /* the sheet has an area of 4 */
  AbutTestClose("energy over a plane", 1, &energy, &expected, 1e-13);
  m.s.x[29] = 0; /* the point is in the sheet */
  AbutTestCall(AbutPotentialEnergy(pot, &m.s.c, m.s.x, &energy));
  assert_true(energy == PETSC_INFINITY);
  m.s.x[29] = 3;
  m.s.x[2]  = -0.1;
  AbutTestCall(AbutPotentialEnergy(pot, &m.s.c, m.s.x, &energy));
  assert_true(energy == PETSC_INFINITY);
  AbutTestCall(AbutPotentialDestroy(&pot));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(DerivativesOfTheEnergy), cmocka_unit_test(EnergyWithoutJumps), cmocka_unit_test(NoPairIsMissed),
    cmocka_unit_test(PointsCountOnce),        cmocka_unit_test(CreasesCountOnce),   cmocka_unit_test(PointsPushAsTheGradient),
    cmocka_unit_test(PlanesAndTouching),
  };
  return AbutTestMain(argc, argv, tests);
}
