/* The potential as a whole, without reference data: derivatives of the energy, merging, order, planes, pattern, misuse. */
#include "evaluate.h"
#include "pairs.h"

static const PetscInt  tet_faces[8][3]  = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}, {4, 6, 5}, {4, 5, 7}, {4, 7, 6}, {5, 6, 7}};
static const PetscInt  tet_edges[12][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}, {4, 5}, {4, 6}, {4, 7}, {5, 6}, {5, 7}, {6, 7}};
static const PetscReal tets[24]         = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.9, 0.8, 0.1, 1.7, 1.1, 0.2, 0.8, 1.9, 0, 0.7, 0.9, 1.1};

/* Two close tetrahedra with perturbed vertices. */
static void TwoTets(uint64_t *seed, TestSurface *s)
{
  PetscReal x[24];

  for (int i = 0; i < 24; i++) x[i] = tets[i] + 0.1 * AbutTestRandom(seed);
  SurfaceInit(s, 3, 8, tets, x);
  SurfaceAddFV(s, 8, tet_faces);
  SurfaceAddEE(s, 12, tet_edges);
}

/* Two squares near each other in the plane. */
static void TwoSquares(uint64_t *seed, TestSurface *s)
{
  static const PetscReal squares[16] = {0, 0, 1, 0, 1, 1, 0, 1, 1.2, 0.3, 2.2, 0.3, 2.2, 1.3, 1.2, 1.3};
  static const PetscInt  edges[8][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}};
  PetscReal              x[16];

  for (int i = 0; i < 16; i++) x[i] = squares[i] + 0.05 * AbutTestRandom(seed);
  SurfaceInit(s, 2, 8, squares, x);
  SurfaceAddEV(s, 8, edges);
}

/*
  Compares derivatives with differences of step 1e-5: gradients to 1e-7, Hessians to 1e-6. Returns false, without a test of the Hessian, if
  the differences cross a switch of closest features, where the Hessian jumps.
*/
static PetscBool CheckDerivatives(TestSurface *s, PetscReal dhat)
{
  static PetscReal H[576], H_fd[576];
  const PetscInt   N = s->c.dim * s->c.num_vertices;
  PetscReal        g[24], g_fd[24], size, error = 0;
  Context          ctx = {CreatePotential("ipc", dhat, 3), &s->c};

  AbutTestJacobian(Energy, &ctx, N, 1, s->x, 1e-5, g_fd);
  AbutTestJacobian(Gradient, &ctx, N, N, s->x, 1e-5, H_fd);
  Gradient(s->x, g, &ctx);
  AssembleHessian(ctx.pot, s->c.dim, s->c.num_vertices, ABUT_PSD_NONE, H);
  size = AbutTestLargest(N, g);
  assert_true(size > 1e-4);
  for (PetscInt i = 0; i < N; i++) assert_true(PetscAbsReal(g[i] - g_fd[i]) <= 1e-7 * size);
  for (PetscInt i = 0; i < N * N; i++) error = PetscMax(error, PetscAbsReal(H[i] - H_fd[i]));
  AbutTestCall(AbutPotentialDestroy(&ctx.pot));
  return (PetscBool)(error <= 1e-6 * AbutTestLargest(N * N, H));
}

/* Many pairs of all kinds; in at least half of the random states the Hessian is tested. */
static void DerivativesOfTheEnergy(void **state)
{
  uint64_t seed   = 1;
  int      smooth = 0;

  (void)state;
  for (int trial = 0; trial < 24; trial++) {
    static TestSurface s;
    if (trial % 2)
      TwoTets(&seed, &s);
    else
      TwoSquares(&seed, &s);
    smooth += CheckDerivatives(&s, 0.7);
  }
  assert_true(smooth >= 12);
}

/* Pairs skipped by bounding boxes are inactive: the energy equals the sum over all pairs up to round-off. */
static void EnergyIsTheSumOverPairs(void **state)
{
  uint64_t seed = 3;

  (void)state;
  for (int trial = 0; trial < 50; trial++) {
    static TestSurface s;
    const PetscReal    dhat = 0.2 + 0.02 * trial;
    AbutPotential      pot  = CreatePotential("ipc", dhat, 1);
    PetscReal          energy, sum = 0;
    TwoTets(&seed, &s);
    for (PetscInt i = 0; i < s.c.num_fv + s.c.num_ee; i++) {
      const AbutPairKind kind = i < s.c.num_fv ? ABUT_PAIR_FV : ABUT_PAIR_EE;
      const PetscInt    *v    = i < s.c.num_fv ? s.fv[i] : s.ee[i - s.c.num_fv];
      PetscReal          x[12], u = 0, w = 0;
      for (PetscInt a = 0; a < 4; a++) memcpy(x + 3 * a, s.x + 3 * v[a], 3 * sizeof(*x));
      for (int k = 0; k < 3; k++) {
        u += PetscSqr(tets[3 * v[1] + k] - tets[3 * v[0] + k]);
        w += PetscSqr(tets[3 * v[3] + k] - tets[3 * v[2] + k]);
      }
      sum += AbutBarrier(AbutPairDist2(kind, 3, x), dhat * dhat, NULL, NULL) *
             (kind == ABUT_PAIR_EE ? AbutMollifier(AbutEdgeEdgeCross2(x, NULL, NULL), 1e-3 * u * w, NULL, NULL) : 1);
    }
    AbutTestCall(AbutPotentialEnergy(pot, &s.c, s.x, &energy));
    assert_true(PetscAbsReal(energy - sum) <= 1e-13 * sum);
    AbutTestCall(AbutPotentialDestroy(&pot));
  }
}

/*
  A vertex above the common edge of two faces has one EV stencil of weight 2; above the common vertex of four faces one VV stencil of
  weight 4.
*/
static void EqualFeaturesMerge(void **state)
{
  static const PetscReal roof[15]    = {0, 0, 0, 1, 0, 0, 0.5, 1, -1, 0.5, -1, -1, 0.4, 0, 0.1};
  static const PetscInt  faces[2][3] = {{0, 1, 2}, {1, 0, 3}};
  static const PetscReal peak[18]    = {0, 0, 0, 1, 0, -1, 0, 1, -1, -1, 0, -1, 0, -1, -1, 0.01, 0.02, 0.1};
  static const PetscInt  fan[4][3]   = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 1}};
  static TestSurface     s;
  AbutPotential          pot = CreatePotential("ipc", 0.2, 1);
  AbutPotentialStats     stats;
  const AbutStencil     *st;
  PetscInt               count;

  (void)state;
  SurfaceInit(&s, 3, 5, roof, roof);
  SurfaceAddFV(&s, 2, faces);
  AbutTestCall(AbutPotentialSetState(pot, &s.c, s.x));
  AbutTestCall(AbutPotentialGetStats(pot, &stats));
  AbutTestCall(AbutPotentialGetStencils(pot, &count, &st));
  assert_true(count == 1 && stats.stencils == 1 && stats.contacts == 2);
  assert_true(st->n == 3 && st->form == ABUT_DIST_POINT_LINE && st->weight == 2 && st->v[0] == 4 && st->v[1] == 0 && st->v[2] == 1);
  AbutTestClose("distance", 1, &stats.min_dist, (PetscReal[]){0.1}, 1e-15);
  SurfaceInit(&s, 3, 6, peak, peak);
  SurfaceAddFV(&s, 4, fan);
  AbutTestCall(AbutPotentialSetState(pot, &s.c, s.x));
  AbutTestCall(AbutPotentialGetStencils(pot, &count, &st));
  assert_true(count == 1 && st->n == 2 && st->weight == 4 && st->v[0] == 0 && st->v[1] == 5);
  AbutTestCall(AbutPotentialDestroy(&pot));
}

/*
  Two roofs ridge to ridge whose edges are nearly parallel: the forces of all contact points sum to the resultant of the gradient, which
  the mollified pair of ridges has a part in.
*/
static void PointsPushAsTheGradient(void **state)
{
  (void)state;
  for (int trial = 0; trial < 20; trial++) {
    static TestSurface      s;
    const PetscReal         sine = 0.03 * (trial + 1) / 20, dhat = 0.2;
    const PetscReal         x[24] = {0,   0,         0,   1,   0,        0,   0.5, 0.5, -1,  0.5, -0.5, -1,
                                     0.1, -sine / 2, 0.1, 1.1, sine / 2, 0.1, 0.6, 0.5, 1.1, 0.6, -0.5, 1.1};
    AbutPotential           pot   = CreatePotential("ipc", dhat, 5);
    const AbutContactPoint *points;
    PetscReal               g[24], force[3] = {0, 0, 0}, wanted[3] = {0, 0, 0}, size = 0, largest = 0;
    PetscInt                count;
    Context                 ctx = {pot, &s.c};
    SurfaceInit(&s, 3, 8, x, x);
    SurfaceAddFV(&s, 8, tet_faces);
    SurfaceAddEE(&s, 12, tet_edges);
    AbutTestCall(AbutPotentialSetState(pot, &s.c, s.x));
    Gradient(s.x, g, &ctx);
    for (PetscInt i = 0; i < 12; i++) wanted[i % 3] -= g[i];
    AbutTestCall(AbutPotentialGetContactPoints(pot, &count, &points));
    for (PetscInt k = 0; k < count; k++) {
      const PetscReal side = points[k].v[0] < 4 ? 1 : -1;
      for (int i = 0; i < 3; i++) force[i] += side * points[k].force_vector[i];
      size += points[k].force;
      if (points[k].n == 4 && points[k].first == 2) largest = PetscMax(largest, points[k].force);
    }
    assert_true(wanted[2] < 0 && (trial < 15 || largest > 0.04 * size));
    for (int i = 0; i < 3; i++) assert_true(PetscAbsReal(force[i] - wanted[i]) <= 1e-12 * size);
    AbutTestCall(AbutPotentialDestroy(&pot));
  }
}

/* Permuted candidates give the same stencils in the same order, and the same gradient bit for bit. */
static void OrderOfCandidatesDoesNotMatter(void **state)
{
  static TestSurface s, t;
  uint64_t           seed = 5;
  AbutPotential      pot  = CreatePotential("ipc", 0.9, 1);
  const AbutStencil *st;
  AbutStencil        first[256];
  PetscReal          g[24], h[24];
  PetscInt           count, again;
  Context            ctx = {pot, &s.c};

  (void)state;
  TwoTets(&seed, &s);
  TwoTets((uint64_t[]){5}, &t);
  for (PetscInt i = 0; i < s.c.num_fv; i++) memcpy(t.fv[i], s.fv[(7 * i + 3) % s.c.num_fv], sizeof(t.fv[i]));
  for (PetscInt i = 0; i < s.c.num_ee; i++) memcpy(t.ee[i], s.ee[s.c.num_ee - 1 - i], sizeof(t.ee[i]));
  assert_true(s.c.num_fv % 7 != 0);
  Gradient(s.x, g, &ctx);
  AbutTestCall(AbutPotentialGetStencils(pot, &count, &st));
  assert_true(count > 20 && count <= 256);
  memcpy(first, st, sizeof(*st) * (size_t)count);
  ctx.c = &t.c;
  Gradient(s.x, h, &ctx);
  AbutTestCall(AbutPotentialGetStencils(pot, &again, &st));
  assert_true(count == again);
  for (PetscInt i = 0; i < count; i++) {
    assert_true(st[i].n == first[i].n && st[i].form == first[i].form && st[i].weight == first[i].weight && st[i].dist2 == first[i].dist2);
    for (PetscInt a = 0; a < st[i].n; a++) assert_true(st[i].v[a] == first[i].v[a]);
  }
  AbutTestClose("gradient", 24, h, g, 0);
  AbutTestCall(AbutPotentialDestroy(&pot));
}

static void Planes(void **state)
{
  static const AbutPlaneSpec planes[2] = {{"floor", {0, -1, 0}, {0, 1, 0}}, {"wall", {2, 0, 0}, {-1, 0, 0}}};
  static const PetscReal     at[9]     = {0, -0.9, 0, 1.95, -0.8, 3, 0, 5, 0};
  static TestSurface         s;
  AbutPotential              pot = CreatePotential("ipc", 0.25, 7);
  PetscReal                  energy, expected, g[9], g_fd[9], H[81], H_fd[81];
  Context                    ctx = {pot, &s.c};
  const AbutStencil         *st;
  AbutPotentialStats         stats;
  PetscInt                   count;

  (void)state;
  SurfaceInit(&s, 3, 3, at, at);
  s.c.planes     = planes;
  s.c.num_planes = 2;
  for (PetscInt i = 0; i < 6; i++) {
    s.pv[i][0] = i % 2;
    s.pv[i][1] = i / 2;
  }
  s.c.num_pv = 6;
  AbutTestCall(AbutPotentialEnergy(pot, &s.c, at, &energy));
  expected = 7 * (AbutBarrier(0.01, 0.0625, NULL, NULL) + AbutBarrier(0.04, 0.0625, NULL, NULL) + AbutBarrier(0.0025, 0.0625, NULL, NULL));
  AbutTestClose("energy", 1, &energy, &expected, 1e-13);
  AbutTestJacobian(Energy, &ctx, 9, 1, at, 1e-5, g_fd);
  AbutTestJacobian(Gradient, &ctx, 9, 9, at, 1e-5, H_fd);
  Gradient(at, g, &ctx);
  AbutTestClose("gradient", 9, g, g_fd, 1e-9);
  AssembleHessian(pot, s.c.dim, s.c.num_vertices, ABUT_PSD_CLAMP, H);
  AbutTestClose("Hessian", 81, H, H_fd, 1e-6);
  AbutTestCall(AbutPotentialGetStencils(pot, &count, &st));
  AbutTestCall(AbutPotentialGetStats(pot, &stats));
  assert_true(count == 3 && st[0].n == 1 && st[0].plane == 0 && st[1].plane == 0 && st[2].plane == 1 && st[2].v[0] == 1 &&
              stats.contacts == 3);
  AbutTestClose("distance", 1, &stats.min_dist, (PetscReal[]){0.05}, 1e-14);
  s.x[1] = -1; /* on the floor, then behind it */
  AbutTestCall(AbutPotentialEnergy(pot, &s.c, s.x, &energy));
  assert_true(energy == PETSC_INFINITY);
  s.x[1] = -1.2;
  AbutTestCall(AbutPotentialEnergy(pot, &s.c, s.x, &energy));
  assert_true(energy == PETSC_INFINITY);
  AbutTestCall(AbutPotentialSetState(pot, &s.c, s.x));
  AbutTestCall(AbutPotentialGetStats(pot, &stats));
  assert_true(stats.min_dist == 0);
  AbutTestCall(AbutPotentialDestroy(&pot));
}

/* Touching pairs have infinite energy, even if mollified. Far pairs have energy 0, but count in min_dist. */
static void TouchingAndFar(void **state)
{
  static const PetscReal edges[12] = {0, 0, 0, 1, 0, 0, 0.5, 0, 0, 1.5, 0, 0}, apart[12] = {0, 0, 0, 1, 0, 0, 0, 3, 0, 1, 3, 0.5};
  static const PetscInt  two[2][2] = {{0, 1}, {2, 3}};
  static TestSurface     s;
  AbutPotential          pot = CreatePotential("ipc", 0.5, 1);
  PetscReal              energy;
  AbutPotentialStats     stats;

  (void)state;
  SurfaceInit(&s, 3, 4, edges, edges);
  AbutTestCall(AbutPotentialSetState(pot, &s.c, s.x));
  AbutTestCall(AbutPotentialGetStats(pot, &stats));
  assert_true(stats.min_dist == PETSC_INFINITY && stats.contacts == 0);
  SurfaceAddEE(&s, 2, two);
  AbutTestCall(AbutPotentialEnergy(pot, &s.c, s.x, &energy));
  assert_true(energy == PETSC_INFINITY);
  AbutTestCall(AbutPotentialEnergy(pot, &s.c, apart, &energy));
  assert_true(energy == 0);
  AbutTestCall(AbutPotentialSetState(pot, &s.c, apart));
  AbutTestCall(AbutPotentialGetStats(pot, &stats));
  AbutTestClose("distance of a far pair", 1, &stats.min_dist, (PetscReal[]){3}, 1e-15);
  assert_true(stats.contacts == 0 && stats.stencils == 0);
  AbutTestCall(AbutPotentialDestroy(&pot));
}

/* `near` holds all four vertices of every pair within dhat, or of all pairs, by global index. */
static void PatternHoldsNearPairs(void **state)
{
  static TestSurface s;
  uint64_t           seed = 9;
  AbutPotential      pot  = CreatePotential("ipc", 0.5, 1);
  PetscInt           count, expected = 0, global[8];
  AbutStencilList    needed, near;
  const AbutStencil *st;

  (void)state;
  TwoTets(&seed, &s);
  for (PetscInt i = 0; i < 8; i++) global[i] = 100 + 3 * i;
  s.c.vertex_global = global;
  AbutTestCall(AbutPotentialSetState(pot, &s.c, s.x));
  AbutTestCall(AbutPotentialGetPattern(pot, PETSC_TRUE, &needed, &near));
  assert_int_equal(near.count, s.c.num_fv + s.c.num_ee);
  AbutTestCall(AbutPotentialGetPattern(pot, PETSC_FALSE, &needed, &near));
  AbutTestCall(AbutPotentialGetStencils(pot, &count, &st));
  assert_true(needed.count == count && count > 0 && !needed.start && !near.start);
  for (PetscInt i = 0; i < count; i++) {
    for (PetscInt a = 0; a < 4; a++) assert_true(needed.v[4 * i + a] == (a < st[i].n ? global[st[i].v[a]] : -1));
  }
  for (PetscInt i = 0; i < s.c.num_fv + s.c.num_ee; i++) {
    const AbutPairKind kind = i < s.c.num_fv ? ABUT_PAIR_FV : ABUT_PAIR_EE;
    const PetscInt    *v    = i < s.c.num_fv ? s.fv[i] : s.ee[i - s.c.num_fv];
    PetscReal          x[12];
    for (PetscInt a = 0; a < 4; a++) memcpy(x + 3 * a, s.x + 3 * v[a], 3 * sizeof(*x));
    if (AbutPairDist2(kind, 3, x) >= 0.25) continue;
    assert_true(expected < near.count);
    for (PetscInt a = 0; a < 4; a++) assert_true(near.v[4 * expected + a] == global[v[a]]);
    expected++;
  }
  assert_true(expected == near.count && expected > 0 && expected < s.c.num_fv + s.c.num_ee);
  AbutTestCall(AbutPotentialDestroy(&pot));
}

/* AbutPotentialFindInfo() finds every type. */
static void TypesHaveProperties(void **state)
{
  const AbutPotentialInfo *info;
  int                      count = 0;

  (void)state;
  for (; AbutPotentialNames[count]; count++) {
    AbutPotential pot;
    AbutTestCall(AbutPotentialFindInfo(AbutPotentialNames[count], &info));
    assert_string_equal(info->name, AbutPotentialNames[count]);
    AbutTestCall(AbutPotentialCreate(PETSC_COMM_SELF, info->name, &pot));
    assert_ptr_equal(AbutPotentialGetInfo(pot), info);
    AbutTestCall(AbutPotentialDestroy(&pot));
  }
  assert_true(count >= 4);
  assert_true(AbutPotentialFindInfo("spring", &info) == ABUT_ERR_INPUT && !info);
}

static void MisuseIsReported(void **state)
{
  AbutPotential pot;

  (void)state;
  assert_true(AbutPotentialCreate(PETSC_COMM_SELF, "spring", &pot) == ABUT_ERR_INPUT && !pot);
  assert_non_null(strstr(AbutErrorMessage(), "\"spring\""));
  assert_non_null(strstr(AbutErrorMessage(), "ipc"));
  AbutErrorClear();
  AbutTestCall(AbutPotentialCreate(PETSC_COMM_SELF, "ipc", &pot));
  assert_true(AbutPotentialSetDhat(pot, 0) == ABUT_ERR_INPUT);
  AbutErrorClear();
  assert_true(AbutPotentialSetStiffness(pot, -1) == ABUT_ERR_INPUT);
  AbutErrorClear();
  AbutTestCall(AbutPotentialDestroy(&pot));
  assert_null(pot);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(DerivativesOfTheEnergy),  cmocka_unit_test(EnergyIsTheSumOverPairs),        cmocka_unit_test(EqualFeaturesMerge),
    cmocka_unit_test(PointsPushAsTheGradient), cmocka_unit_test(OrderOfCandidatesDoesNotMatter), cmocka_unit_test(Planes),
    cmocka_unit_test(TouchingAndFar),          cmocka_unit_test(PatternHoldsNearPairs),          cmocka_unit_test(TypesHaveProperties),
    cmocka_unit_test(MisuseIsReported),
  };
  return AbutTestMain(argc, argv, tests);
}
