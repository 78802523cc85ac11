/* The convergent potential without reference data: derivatives of the energy, what weights add up to, no pair missed, planes, contact points. */
#include "evaluate.h"
#include "rings.h"
#include "../../src/potential/convergent.h"

static AbutPotential Create(PetscReal dhat, PetscReal kappa)
{
  AbutPotential pot;

  AbutTestCall(AbutPotentialCreate(PETSC_COMM_SELF, "convergent-ipc", &pot));
  AbutTestCall(AbutPotentialSetRange(pot, dhat));
  AbutTestCall(AbutPotentialSetStiffness(pot, kappa));
  return pot;
}

static PetscReal Largest(PetscInt n, const PetscReal a[])
{
  PetscReal size = 0;

  for (PetscInt i = 0; i < n; i++) size = PetscMax(size, PetscAbsReal(a[i]));
  return size;
}

/* ---- surfaces ---- */

typedef struct {
  TestSurface s;
  TestRings   rings;
  PetscInt    ne, nf, edges[128][2], faces[64][3];
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
  RingsInit(&m->rings, &m->s, m->ne, (const PetscInt(*)[2])m->edges, m->nf, (const PetscInt(*)[3])m->faces);
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

/* Two sheets over each other, nearly parallel so that pairs are mollified, a rod across and a point: every vertex moved by up to `noise`. */
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

/* Differences at step 1e-5 may cross a switch of features, where the Hessian jumps: the gradient, which is continuous, is held to 1e-7, the
   Hessian to 1e-6 where it is smooth; returns whether it is. */
static PetscBool CheckDerivatives(Model *m, PetscReal dhat, PetscInt seen[NUM_KINDS][2])
{
  static PetscReal   H[9 * MAX_VERTICES * MAX_VERTICES], H_fd[9 * MAX_VERTICES * MAX_VERTICES];
  const PetscInt     N = m->s.c.dim * m->s.c.num_vertices;
  PetscReal          g[3 * MAX_VERTICES], g_fd[3 * MAX_VERTICES], size, error = 0;
  Context            ctx = {Create(dhat, 3), &m->s.c};
  const AbutStencil *st;
  PetscInt           count;

  AbutTestJacobian(Energy, &ctx, N, 1, m->s.x, 1e-5, g_fd);
  AbutTestJacobian(Gradient, &ctx, N, N, m->s.x, 1e-5, H_fd);
  Gradient(m->s.x, g, &ctx);
  AssembleHessian(ctx.pot, m->s.c.dim, m->s.c.num_vertices, ABUT_PSD_NONE, H);
  AbutTestCall(AbutPotentialGetStencils(ctx.pot, &count, &st));
  for (PetscInt k = 0; k < count; k++) seen[KindOf(&st[k])][st[k].weight < 0]++;
  size = Largest(N, g);
  assert_true(size > 1e-4);
  for (PetscInt i = 0; i < N; i++) assert_true(PetscAbsReal(g[i] - g_fd[i]) <= 1e-7 * size);
  for (PetscInt i = 0; i < N * N; i++) error = PetscMax(error, PetscAbsReal(H[i] - H_fd[i]));
  AbutTestCall(AbutPotentialDestroy(&ctx.pot));
  return (PetscBool)(error <= 1e-6 * Largest(N * N, H));
}

/* Stencils of all kinds, and of both signs where there are such (two vertices of a mollified pair are all taken away); a third is smooth. */
static void DerivativesOfTheEnergy(void **state)
{
  static Model m;
  uint64_t     seed               = 1;
  PetscInt     seen[NUM_KINDS][2] = {{0}};
  int          smooth[2]          = {0, 0};

  (void)state;
  for (int trial = 0; trial < 18; trial++) {
    if (trial % 2)
      Sheets(&seed, trial % 3 ? 0.03 : 0.1, &m);
    else
      Squares(&seed, &m);
    smooth[trial % 2] += CheckDerivatives(&m, trial % 2 ? 0.6 : 0.7, seen);
  }
  for (int k = 0; k < NUM_KINDS; k++)
    if (!seen[k][0] && !(k == MOLLIFIED_VV && seen[k][1])) fail_msg("no stencil of kind %d", k);
  assert_true(seen[VV][1] && seen[EV][1] && seen[MOLLIFIED_VV][1] && seen[MOLLIFIED_EV][1] && !seen[FV][1] && !seen[EE][1]);
  if (!(smooth[0] >= 3 && smooth[1] >= 3)) fail_msg("%d and %d of 9 smooth", smooth[0], smooth[1]);
}

/* Of all pairs of edges and vertices, and of vertices, those have a stencil that weigh something, once each. */
static void NoPairIsMissed(void **state)
{
  static Model m;
  uint64_t     seed = 4;

  (void)state;
  for (int trial = 0; trial < 6; trial++) {
    const PetscReal    dhat = trial % 2 ? 1.3 : 0.5; /* neighbours of neighbours, too */
    AbutPotential      pot  = Create(dhat, 1);
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
        const PetscInt v[3] = {p, m.rings.edges[e][0], m.rings.edges[e][1]};
        if (v[1] == p || v[2] == p) continue;
        Gather(3, 3, v, m.s.x, x);
        if (AbutPairDist2(ABUT_PAIR_EV, 3, x) < dhat * dhat) expected[1] += AbutConvergentWeightEV(&cv->surface, e, p) != 0;
      }
      for (PetscInt q = p + 1; q < m.s.c.num_vertices; q++) {
        Gather(3, 2, (PetscInt[]){p, q}, m.s.x, x);
        if (AbutDist2(ABUT_DIST_POINT_POINT, 3, x, NULL, NULL) < dhat * dhat)
          expected[0] += AbutConvergentWeightVV(&cv->surface, p, q) != 0;
      }
    }
    assert_true(found[0] == expected[0] && found[1] == expected[1] && found[0] > 0 && found[1] > 10);
    AbutTestCall(AbutPotentialDestroy(&pot));
  }
}

/*
  A point counts once, whatever is around the closest point of what it is over: of a flat sheet (2D: chain) with edges shorter than the
  range, of a crease where three half planes meet, of their common vertex.
*/
static void PointsCountOnce(void **state)
{
  static Model    m;
  uint64_t        seed = 6;
  const PetscReal dhat = 1.7, height = 0.4;

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    for (int trial = 0; trial < 20; trial++) {
      AbutPotential pot = Create(dhat, 2);
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
      AbutTestCall(AbutPotentialEnergy(pot, &m.s.c, rest, &alone)); /* the sheet's vertices are within the range of each other */
      energy -= alone;
      expected = 2 * (dim == 3 ? 0.25 : 0.5) * AbutBarrier(height * height, dhat * dhat, NULL, NULL) / PetscPowRealInt(dhat, 3);
      AbutTestClose("energy", 1, &energy, &expected, 1e-12);
      AbutTestCall(AbutPotentialDestroy(&pot));
    }
  }
}

static void CreasesCount(void **state)
{
  static Model           m;
  static const PetscReal rest[27] = {0, 0, 0, 0, 1, 0, 0, -1, 0, 1, 0, -1, -1, 0, -1, 0.3, 0, -2, 0.02, 0.01, 0.05};
  const PetscReal        dhat     = 0.2;
  AbutPotential          pot      = Create(dhat, 1);
  PetscReal              energy, one;

  (void)state;
  m.ne = m.nf = 0;
  for (PetscInt k = 3; k < 6; k++) {
    AddFace(&m, 0, 1, k);
    AddFace(&m, 2, 0, k);
  }
  Finish(&m, 3, 7, rest, rest);
  for (int part = 0; part < 2; part++) {
    PetscReal x[21], s;
    memcpy(x, rest, sizeof(x));
    if (part) x[19] = 0.5; /* over an edge with three faces */
    s   = x[18] * x[18] + x[20] * x[20] + (part ? 0 : x[19] * x[19]);
    one = 0.25 * AbutBarrier(s, dhat * dhat, NULL, NULL) / PetscPowRealInt(dhat, 3);
    AbutTestCall(AbutPotentialEnergy(pot, &m.s.c, x, &energy));
    assert_true(energy > 0.99 * one && energy < 1.5 * one);
  }
  AbutTestCall(AbutPotentialDestroy(&pot));
}

/* All contact points of the two sides of two sheets push with the force that the gradient has. */
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
    ctx = (Context){Create(0.6, 5), &m.s.c};
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

/* A vertex against a half space counts with all of its area; on and behind it the energy is infinite, as where surfaces touch. */
static void PlanesAndTouching(void **state)
{
  static Model               m;
  static const AbutPlaneSpec floor_plane[1] = {{"floor", {0, 0, -0.1}, {0, 0, 1}}};
  const PetscReal            dhat           = 0.2;
  AbutPotential              pot            = Create(dhat, 3);
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
    cmocka_unit_test(DerivativesOfTheEnergy), cmocka_unit_test(NoPairIsMissed),          cmocka_unit_test(PointsCountOnce),
    cmocka_unit_test(CreasesCount),           cmocka_unit_test(PointsPushAsTheGradient), cmocka_unit_test(PlanesAndTouching),
  };
  return AbutTestMain(argc, argv, tests);
}
