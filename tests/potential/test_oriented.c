/*
  Orientation-aware potentials over a mesh: derivatives along a line, independence of the number of ranks, no forces at rest.
*/
#include "friction_scene.h"
#include "../../src/model/potential/oriented/orientedimpl.h"

#define DHAT    0.05
#define SAMPLED "oipc, sampled" /* with quadrature; the gap between the bodies is several spacings of samples */
#define RESTED  "oipc, rest"    /* with measures at rest */

/* Noise that is nonlinear in the id, so that no edges are collinear and no faces parallel: Hessians jump there. */
static PetscReal Jitter(PetscInt id, PetscInt k, PetscInt purpose)
{
  uint64_t seed = (uint64_t)(1 + k + 3 * purpose + 64 * id) * 0x9E3779B97F4A7C15u;

  seed ^= seed >> 29;
  seed *= 0xBF58476D1CE4E5B9u;
  seed ^= seed >> 32;
  return AbutTestRandom(&seed);
}

/*
  Scenes with quadrature: cells per box side, distance of the boxes at rest and when pressed, dhat. The split distance is a third of dhat in
  2D, four fifths in 3D.
*/
static const struct {
  PetscInt  cells, quadrature;
  PetscReal apart, approach, range;
} sampled_scene[] = {[2] = {12, 4, 1.2, 0.13, 0.25}, [3] = {6, 3, 1.45, 0.35, 0.4}};

typedef struct {
  MPI_Comm              comm;
  PetscInt              dim;
  PetscReal             dhat;
  AbutMesh              mesh;
  const AbutMeshLocal  *m;
  AbutContact           contact;
  const AbutCandidates *c;
  AbutPotential         pot;
  PetscReal            *x, *p, *xt, *g; /* local, local, contact vertices alike */
} Scene;

/* Opens a scene. pressed: bodies approach to less than half of their distance at rest, and all vertices are perturbed. */
static void OpenAt(MPI_Comm comm, PetscInt dim, const char type[], PetscBool pressed, PetscReal approach, Scene *s)
{
  const PetscBool         sampled = (PetscBool)!strcmp(type, SAMPLED), rested = (PetscBool)!strcmp(type, RESTED);
  const AbutPotentialSpec spec  = {.alpha      = 0.5,
                                   .quadrature = sampled ? sampled_scene[dim].quadrature : 0,
                                   .measure    = rested ? ABUT_PAIR_MEASURE_REST : ABUT_PAIR_MEASURE_DEFORMED};
  AbutPlaneSpec           plane = {.name = "floor", .surface = 3};
  PetscReal               step  = 1;
  PetscInt                n;

  *s                    = (Scene){.comm = comm, .dim = dim, .dhat = sampled ? sampled_scene[dim].range : DHAT};
  s->mesh               = sampled ? CreateBoxes(comm, dim, sampled_scene[dim].cells, sampled_scene[dim].apart) : CreateMesh(comm, dim);
  plane.point[dim - 1]  = -0.52;
  plane.normal[dim - 1] = 1;
  s->m                  = AbutMeshGetLocal(s->mesh);
  n                     = s->m->num_local * dim;
  s->x                  = calloc((size_t)(2 * n + 1), sizeof(PetscReal));
  s->p                  = s->x + n;
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt id = s->m->vertex_id[i / dim], body = s->m->vertex_body[i / dim], k = i % dim;
    s->x[i] = s->m->rest[i];
    s->p[i] = 0.001 * Jitter(id, k, 2);
    if (!pressed) continue;
    s->x[i] += 0.002 * Jitter(id, k, 0);
    if (body == 1 && k == dim - 1) s->x[i] -= approach;
    if (body == 0 && k == 0) s->x[i] += approach;
  }
  AbutTestCall(AbutContactCreate(s->mesh, 1, &plane, &s->contact));
  AbutTestCall(AbutPotentialCreate(comm, sampled || rested ? "oipc" : type, &s->pot));
  AbutTestCall(AbutPotentialSetSpec(s->pot, &spec));
  AbutTestCall(AbutPotentialSetDhat(s->pot, s->dhat));
  AbutTestCall(AbutPotentialSetStiffness(s->pot, 3));
  AbutTestCall(AbutPotentialSetUp(s->pot, s->mesh, s->contact));
  AbutTestCall(AbutContactSearch(s->contact, s->x, s->p, &step, s->dhat));
  s->c  = AbutContactGetCandidates(s->contact);
  s->xt = calloc((size_t)(2 * s->c->num_vertices * dim + 1), sizeof(PetscReal));
  s->g  = s->xt + s->c->num_vertices * dim;
}

static void Open(MPI_Comm comm, PetscInt dim, const char type[], PetscBool pressed, Scene *s)
{
  OpenAt(comm, dim, type, pressed, strcmp(type, SAMPLED) ? 0.013 : sampled_scene[dim].approach, s);
}

static void Close(Scene *s)
{
  AbutTestCall(AbutPotentialDestroy(&s->pot));
  AbutTestCall(AbutContactDestroy(&s->contact));
  AbutTestCall(AbutMeshDestroy(&s->mesh));
  free(s->x);
  free(s->xt);
}

static PetscReal Sum(const Scene *s, PetscReal value)
{
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPIU_REAL, MPIU_SUM, s->comm);
  return value;
}

static PetscReal Energy(Scene *s, PetscReal t)
{
  PetscReal energy;

  AbutTestCall(AbutContactPositions(s->contact, t, s->xt));
  AbutTestCall(AbutPotentialEnergy(s->pot, s->c, s->xt, &energy));
  return Sum(s, energy);
}

/* Sets s->g to the gradient of the energy on owned vertices at x + t p. */
static void Gradient(Scene *s, PetscReal t)
{
  AbutTestCall(AbutContactPositions(s->contact, t, s->xt));
  AbutTestCall(AbutPotentialSetState(s->pot, s->c, s->xt));
  AbutTestCall(PetscArrayzero(s->g, s->c->num_vertices * s->dim));
  AbutTestCall(AbutPotentialAddGradient(s->pot, 1, s->g));
  AbutTestCall(AbutContactReduceAdd(s->contact, s->dim, s->g));
}

/* Returns the Hessian at the state times p, by vertex id. The caller frees it. */
static PetscReal *HessianTimesP(Scene *s, AbutProjection projection)
{
  AbutStencilList needed, near;
  AbutAssembler   as;

  AbutTestCall(AbutPotentialGetPattern(s->pot, PETSC_FALSE, &needed, &near));
  as = HessianBegin(s->comm, s->m, &needed, &near);
  AbutTestCall(AbutPotentialAddHessian(s->pot, 1, projection, as));
  return HessianTimes(s->comm, s->m, &as, s->p);
}

static PetscReal Largest(PetscInt n, const PetscReal a[], const PetscReal b[])
{
  PetscReal most = 0;
  for (PetscInt i = 0; i < n; i++) most = PetscMax(most, PetscAbsReal(a[i] - (b ? b[i] : 0)));
  return most;
}

/* Compares with central differences along p, |p| <= 1e-3. Errors: round-off 1e-9, otherwise mainly jumps of the Hessian along p. */
static void CheckLine(PetscInt dim, const char type[])
{
  const PetscReal h = 1e-4;
  Scene           s;
  PetscReal       slope = 0, difference, *g[2], *Hp;
  PetscInt        N;

  Open(PETSC_COMM_WORLD, dim, type, PETSC_TRUE, &s);
  N = s.m->num_global * dim;
  Gradient(&s, 0);
  for (PetscInt i = 0; i < s.m->num_owned * dim; i++) slope += s.g[i] * s.p[i];
  slope      = Sum(&s, slope);
  difference = (Energy(&s, h) - Energy(&s, -h)) / (2 * h);
  assert_true(PetscAbsReal(slope) > 0);
  if (!(PetscAbsReal(difference - slope) < 1e-5 * PetscAbsReal(slope)))
    fail_msg("%s %dD: slope %.12g, difference %.12g", type, (int)dim, (double)slope, (double)difference);
  Hp = HessianTimesP(&s, ABUT_PSD_NONE);
  for (int k = 0; k < 2; k++) {
    Gradient(&s, k ? h : -h);
    g[k] = ById(s.comm, s.m, s.g);
  }
  for (PetscInt i = 0; i < N; i++) g[1][i] = (g[1][i] - g[0][i]) / (2 * h);
  difference = Largest(N, g[1], Hp) / Largest(N, Hp, NULL);
  if (!(difference < 1e-4)) fail_msg("%s %dD: Hessian differs by %g", type, (int)dim, (double)difference);
  for (int k = 0; k < 2; k++) free(g[k]);
  free(Hp);
  Close(&s);
}

static void DerivativesOfTheEnergy(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    CheckLine(dim, "oipc");
    CheckLine(dim, "gcp");
    CheckLine(dim, SAMPLED);
    CheckLine(dim, RESTED);
  }
}

/* All ranks and one rank find the same active pairs; sums of a few hundred terms differ by round-off. */
static void CheckRanks(PetscInt dim, const char type[])
{
  Scene     many, one;
  PetscReal energy[2], *g[2], *Hp[2];
  PetscInt  contacts[2];
  Scene    *scenes[2] = {&many, &one};

  Open(PETSC_COMM_WORLD, dim, type, PETSC_TRUE, &many);
  Open(PETSC_COMM_SELF, dim, type, PETSC_TRUE, &one);
  for (int k = 0; k < 2; k++) {
    AbutPotentialStats stats;
    energy[k] = Energy(scenes[k], 0.3);
    Gradient(scenes[k], 0.3);
    g[k]  = ById(scenes[k]->comm, scenes[k]->m, scenes[k]->g);
    Hp[k] = HessianTimesP(scenes[k], ABUT_PSD_CLAMP);
    AbutTestCall(AbutPotentialGetStats(scenes[k]->pot, &stats));
    contacts[k] = stats.contacts;
    MPI_Allreduce(MPI_IN_PLACE, &contacts[k], 1, MPIU_INT, MPI_SUM, scenes[k]->comm);
  }
  assert_true(energy[1] > 0 && contacts[1] > 10);
  assert_int_equal(contacts[0], contacts[1]);
  assert_true(PetscAbsReal(energy[0] - energy[1]) < 1e-12 * energy[1]);
  assert_true(Largest(many.m->num_global * dim, g[0], g[1]) < 1e-12 * Largest(many.m->num_global * dim, g[1], NULL));
  assert_true(Largest(many.m->num_global * dim, Hp[0], Hp[1]) < 1e-12 * Largest(many.m->num_global * dim, Hp[1], NULL));
  for (int k = 0; k < 2; k++) {
    free(g[k]);
    free(Hp[k]);
    Close(scenes[k]);
  }
}

static void SameOnAnyRanks(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    CheckRanks(dim, "oipc");
    CheckRanks(dim, "gcp");
    CheckRanks(dim, SAMPLED);
    CheckRanks(dim, RESTED);
  }
}

static PetscReal LongestEdge(PetscInt dim, const PetscInt v[], const PetscReal x[])
{
  PetscReal most = 0;

  for (PetscInt k = 0; k < dim; k++) {
    PetscReal d[3] = {0};
    for (PetscInt i = 0; i < dim; i++) d[i] = x[dim * v[(k + 1) % dim] + i] - x[dim * v[k] + i];
    most = PetscMax(most, AbutDot(dim, d, d));
  }
  return PetscSqrtReal(most);
}

/* Brute-force energy: the sum over all pairs of elements without a common vertex. All distances exceed the split distance; one rank. */
static PetscReal AllElements(const Scene *s, PetscReal mean)
{
  const AbutOneRing   *r   = s->c->one_ring;
  const PetscInt       dim = s->dim, n = dim == 3 ? r->num_faces : r->num_edges;
  const PetscReal     *range = dim == 3 ? r->face_dhat : r->edge_dhat;
  AbutOrientedSpec     spec  = {0.5, 0, 0.5, 0, (PetscReal)(dim - 1), ABUT_ORIENTED_OIPC, .length = mean};
  AbutOrientedSurface *surface;
  PetscReal            sum = 0;

  AbutTestCall(AbutOrientedSetSamples(dim, sampled_scene[dim].quadrature, mean, &spec));
  AbutTestCall(AbutOrientedSurfaceCreate(dim, s->c->num_vertices, r, &surface));
  for (PetscInt b = 0; b < n; b++) {
    for (PetscInt a = 0; a < b; a++) {
      const PetscInt       *v = dim == 3 ? r->faces[a] : r->edges[a], *w = dim == 3 ? r->faces[b] : r->edges[b];
      AbutOrientedPair      pair   = {.a = a, .b = b, .dhat = PetscMin(s->dhat, PetscMin(range[a], range[b])), .sampled = PETSC_TRUE};
      PetscBool             shared = PETSC_FALSE;
      AbutOrientedPairState state;
      for (PetscInt k = 0; k < dim * dim; k++) shared = (PetscBool)(shared || v[k / dim] == w[k % dim]);
      if (shared || s->c->vertex_body[v[0]] == s->c->vertex_body[w[0]]) continue; /* a convex body has no contact with itself */
      pair.split = AbutOrientedResolvedDistance(&spec, PetscMax(LongestEdge(dim, v, s->c->rest), LongestEdge(dim, w, s->c->rest)));
      if (pair.split >= pair.dhat) continue;
      AbutOrientedEvaluateSamples(surface, &spec, &pair, s->xt, &(AbutOrientedOutput){0}, &state);
      sum += state.value;
    }
  }
  AbutTestCall(AbutOrientedSurfaceDestroy(&surface));
  return 3 * sum;
}

/* The energy equals the brute-force sum, also if some pairs have candidates beyond dhat. */
static void EveryPairOfElements(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    const PetscReal approach = sampled_scene[dim].apart - 1 - (dim == 3 ? 0.33 : 0.095);
    Scene           one, many;
    PetscReal       energy[2], wanted, mean;
    OpenAt(PETSC_COMM_SELF, dim, SAMPLED, PETSC_TRUE, approach, &one);
    OpenAt(PETSC_COMM_WORLD, dim, SAMPLED, PETSC_TRUE, approach, &many);
    energy[0] = Energy(&one, 0);
    energy[1] = Energy(&many, 0);
    AbutTestCall(AbutMeshGetMeanEdge(one.mesh, PETSC_FALSE, &mean));
    wanted = AllElements(&one, mean);
    assert_true(wanted > 0);
    for (int k = 0; k < 2; k++) assert_true(PetscAbsReal(energy[k] - wanted) < 1e-12 * wanted);
    Close(&one);
    Close(&many);
  }
}

/* Body-body, body-obstacle and body-plane gaps at rest are smaller than dhat: there are no forces. */
static void SilentAtRest(void **state)
{
  (void)state;
  for (PetscInt k = 1; k <= 3; k++) {
    const PetscInt     dim = PetscMax(k, 2);
    Scene              s;
    const AbutStencil *st;
    AbutStencilList    needed, near;
    PetscInt           count;
    Open(PETSC_COMM_WORLD, dim, k == 1 ? SAMPLED : "oipc", PETSC_FALSE, &s);
    Gradient(&s, 0);
    AbutTestCall(AbutPotentialGetStencils(s.pot, &count, &st));
    AbutTestCall(AbutPotentialGetPattern(s.pot, PETSC_FALSE, &needed, &near));
    assert_true(Sum(&s, (PetscReal)near.count) > 0 && Sum(&s, (PetscReal)s.c->num_pv) > 0); /* there are candidates closer than dhat */
    assert_int_equal(count, 0);
    assert_true(Largest(dim * s.m->num_owned, s.g, NULL) == 0);
    Close(&s);
  }
}

/* The forces of the contact points on a body sum to minus the gradient over its vertices. */
static void CheckPushes(PetscInt dim, const char type[])
{
  Scene                   s;
  const AbutContactPoint *points;
  PetscInt                count;
  PetscReal               largest = 0;

  Open(PETSC_COMM_WORLD, dim, type, PETSC_TRUE, &s);
  Gradient(&s, 0);
  AbutTestCall(AbutPotentialGetContactPoints(s.pot, &count, &points));
  for (PetscInt body = 0; body < s.m->num_bodies; body++) {
    for (PetscInt k = 0; k < dim; k++) {
      PetscReal pushed = 0, gradient = 0;
      for (PetscInt i = 0; i < count; i++) {
        const AbutContactPoint *p = &points[i];
        if (s.c->vertex_body[p->v[0]] == body) pushed += p->force_vector[k];
        if (p->plane < 0 && s.c->vertex_body[p->v[p->first]] == body) pushed -= p->force_vector[k];
      }
      for (PetscInt v = 0; v < s.m->num_owned; v++)
        if (s.m->vertex_body[v] == body) gradient += s.g[dim * v + k];
      pushed   = Sum(&s, pushed);
      gradient = Sum(&s, gradient);
      largest  = PetscMax(largest, PetscAbsReal(gradient));
      assert_true(PetscAbsReal(pushed + gradient) <= 1e-9 * largest + 1e-14);
    }
  }
  assert_true(largest > 0);
  Close(&s);
}

static void PushesOnBodies(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    CheckPushes(dim, "oipc");
    CheckPushes(dim, "gcp");
    CheckPushes(dim, SAMPLED);
  }
}

/* Searches from the positions of the scene and allocates arrays for its contact vertices. */
static void Search(Scene *s, const PetscReal p[], PetscReal inflation)
{
  PetscReal step = 1;

  AbutTestCall(AbutContactSearch(s->contact, s->x, p, &step, inflation));
  s->c = AbutContactGetCandidates(s->contact);
  free(s->xt);
  s->xt = calloc((size_t)(2 * s->c->num_vertices * s->dim + 1), sizeof(PetscReal));
  s->g  = s->xt + s->c->num_vertices * s->dim;
}

/* Energy and gradient at t equal the values after an evaluation at another point, which clears the cache. Returns the energy. */
static PetscReal CheckAnew(Scene *s, PetscReal t)
{
  const PetscInt  n      = s->m->num_owned * s->dim;
  const PetscReal energy = Energy(s, t);
  PetscReal      *g      = calloc((size_t)(n + 1), sizeof(PetscReal));

  Gradient(s, t);
  (void)memcpy(g, s->g, (size_t)n * sizeof(PetscReal));
  assert_true(Energy(s, t) == energy);
  (void)Energy(s, t + 0.4);
  Gradient(s, t);
  assert_memory_equal(g, s->g, (size_t)n * sizeof(PetscReal));
  (void)Energy(s, t + 0.4);
  assert_true(Energy(s, t) == energy);
  free(g);
  return energy;
}

/* The cache of pairs is used only for equal positions, candidates, dhat and half spaces. */
static void CheckCache(PetscInt dim, const char type[])
{
  Scene      s;
  PetscReal *zero, point[3] = {0}, way[3] = {0}, energy, other, gradient;

  Open(PETSC_COMM_WORLD, dim, type, PETSC_TRUE, &s);
  zero   = calloc((size_t)(s.m->num_local * dim + 1), sizeof(PetscReal));
  energy = CheckAnew(&s, 0);
  assert_true(energy > 0);
  assert_true(CheckAnew(&s, 0.3) != energy); /* positions */
  Gradient(&s, 0);
  gradient = Sum(&s, AbutDot(s.m->num_owned * dim, s.g, s.g));
  (void)Energy(&s, 0.3);
  Gradient(&s, 0.3);
  assert_true(Sum(&s, AbutDot(s.m->num_owned * dim, s.g, s.g)) != gradient);
  assert_true(Energy(&s, 0) == energy);
  AbutTestCall(AbutPotentialSetStiffness(s.pot, 6)); /* stiffness is not part of the cache */
  assert_true(PetscAbsReal(Energy(&s, 0) - 2 * energy) < 1e-13 * energy);
  AbutTestCall(AbutPotentialSetStiffness(s.pot, 3));
  (void)Energy(&s, 0);
  AbutTestCall(AbutPotentialSetDhat(s.pot, 0.1 * s.dhat)); /* dhat */
  other = Energy(&s, 0);
  assert_true(other != energy && other == CheckAnew(&s, 0));
  AbutTestCall(AbutPotentialSetDhat(s.pot, s.dhat));
  assert_true(Energy(&s, 0) == energy);
  Search(&s, s.p, 1e-6); /* candidates */
  other = Energy(&s, 0);
  assert_true(other < energy && other == CheckAnew(&s, 0));
  point[dim - 1] = -0.52; /* planes */
  way[dim - 1]   = 0.015;
  AbutTestCall(AbutContactSetPlanes(s.contact, point, way));
  Search(&s, zero, s.dhat);
  energy = Energy(&s, 0);
  assert_true(Energy(&s, 1) != energy);
  assert_true(CheckAnew(&s, 1) == Energy(&s, 1));
  free(zero);
  Close(&s);
}

static void KeptValues(void **state)
{
  (void)state;
  CheckCache(2, "oipc");
  CheckCache(3, "oipc");
  CheckCache(3, "gcp");
  CheckCache(2, SAMPLED);
  CheckCache(3, SAMPLED);
}

/* Errors: quadrature with another potential, too many points, a negative number of points. */
static void RefusedQuadrature(void **state)
{
  static const struct {
    const char *type;
    PetscInt    dim, quadrature;
  } cases[] = {{"gcp", 2, 2}, {"oipc", 3, 4}, {"oipc", 2, 9}, {"oipc", 2, -1}};

  (void)state;
  for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
    const AbutPotentialSpec spec = {.alpha = 0.5, .quadrature = cases[k].quadrature};
    AbutMesh                mesh = CreateMesh(PETSC_COMM_WORLD, cases[k].dim);
    AbutContact             contact;
    AbutPotential           pot;
    PetscErrorCode          code;
    AbutTestCall(AbutContactCreate(mesh, 0, NULL, &contact));
    AbutTestCall(AbutPotentialCreate(PETSC_COMM_WORLD, cases[k].type, &pot));
    AbutTestCall(AbutPotentialSetDhat(pot, DHAT));
    code = AbutPotentialSetSpec(pot, &spec);
    if (!code) code = AbutPotentialSetUp(pot, mesh, contact);
    assert_int_equal(code, ABUT_ERR_INPUT);
    assert_non_null(strstr(AbutErrorMessage(), "contact quadrature is "));
    AbutErrorClear();
    AbutTestCall(AbutPotentialDestroy(&pot));
    AbutTestCall(AbutContactDestroy(&contact));
    AbutTestCall(AbutMeshDestroy(&mesh));
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(DerivativesOfTheEnergy), cmocka_unit_test(SameOnAnyRanks), cmocka_unit_test(EveryPairOfElements),
    cmocka_unit_test(SilentAtRest),           cmocka_unit_test(PushesOnBodies), cmocka_unit_test(KeptValues),
    cmocka_unit_test(RefusedQuadrature),
  };
  return AbutTestMain(argc, argv, tests);
}
