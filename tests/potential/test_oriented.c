/*
  Orientation-aware potentials over a mesh: derivatives along a line, negligible Hessians, independence of the number of ranks, no forces at
  rest.
*/
#include "friction_scene.h"
#include "../../src/model/potential/oriented/oriented.h"

#define DHAT     0.05
#define APPROACH 0.013        /* of the bodies in pressed scenes: more than half of their distance at rest */
#define RESTED   "oipc, rest" /* with measures at rest */
#define WIDE     "oipc, wide" /* with the widest steps of angles */

/* Noise that is nonlinear in the id, so that no edges are collinear and no faces parallel: Hessians jump there. */
static PetscReal Jitter(PetscInt id, PetscInt k, PetscInt purpose)
{
  uint64_t seed = (uint64_t)(1 + k + 3 * purpose + 64 * id) * 0x9E3779B97F4A7C15u;

  seed ^= seed >> 29;
  seed *= 0xBF58476D1CE4E5B9u;
  seed ^= seed >> 32;
  return AbutTestRandom(&seed);
}

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
static void Open(MPI_Comm comm, PetscInt dim, const char type[], PetscBool pressed, Scene *s)
{
  const PetscBool         rested = (PetscBool)!strcmp(type, RESTED), wide = (PetscBool)!strcmp(type, WIDE);
  const AbutPotentialSpec spec  = {.alpha = wide ? 1 : 0.5, .measure = rested ? ABUT_PAIR_MEASURE_REST : ABUT_PAIR_MEASURE_DEFORMED};
  AbutPlaneSpec           plane = {.name = "floor", .surface = 3};
  PetscReal               step  = 1;
  PetscInt                n;

  *s                    = (Scene){.comm = comm, .dim = dim, .dhat = DHAT};
  s->mesh               = CreateMesh(comm, dim);
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
    if (body == 1 && k == dim - 1) s->x[i] -= APPROACH;
    if (body == 0 && k == 0) s->x[i] += APPROACH;
  }
  AbutTestCall(AbutContactCreate(s->mesh, 1, &plane, &s->contact));
  AbutTestCall(AbutPotentialCreate(comm, rested || wide ? "oipc" : type, &s->pot));
  AbutTestCall(AbutPotentialSetSpec(s->pot, &spec));
  AbutTestCall(AbutPotentialSetDhat(s->pot, s->dhat));
  AbutTestCall(AbutPotentialSetStiffness(s->pot, 3));
  AbutTestCall(AbutPotentialSetUp(s->pot, s->mesh, s->contact));
  AbutTestCall(AbutContactSearch(s->contact, s->x, s->p, &step, s->dhat));
  s->c  = AbutContactGetCandidates(s->contact);
  s->xt = calloc((size_t)(2 * s->c->num_vertices * dim + 1), sizeof(PetscReal));
  s->g  = s->xt + s->c->num_vertices * dim;
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
    CheckLine(dim, RESTED);
  }
}

/* Largest entry of the Hessian of contact i over its support, for unit stiffness. */
static PetscReal LargestOfContact(Scene *s, PetscInt i)
{
  AbutOriented             *sm      = s->pot->data;
  const AbutOrientedState  *state   = &sm->state;
  const PetscInt            m       = state->start.a[i + 1] - state->start.a[i];
  const AbutOrientedSupport support = {m, state->support.a + state->contacts[i].support, state->contacts[i].value};
  PetscReal                *H       = malloc(sizeof(PetscReal) * (size_t)PetscSqr(s->dim * m)), most;
  AbutOrientedPairState     pair;

  AbutTestCall(
    AbutOrientedEvaluateContact(sm, s->c, &state->contacts[i], state->x.a, &(AbutOrientedOutput){.support = &support, .H = H}, &pair));
  most = Largest(PetscSqr(s->dim * m), H, NULL);
  free(H);
  return most;
}

/* Hessians that are left out, also of the pattern, are small against the stiffness without angles, whatever the length L is. */
static void CheckNegligible(const char type[], PetscReal length)
{
  PetscReal                scratch[200];
  PetscInt                 left_out = 0;
  Scene                    s;
  AbutOriented            *sm;
  const AbutOrientedState *all;

  Open(PETSC_COMM_SELF, 3, type, PETSC_TRUE, &s);
  sm              = s.pot->data;
  all             = &sm->state;
  sm->spec.length = length > 0 ? length : sm->spec.length;
  for (PetscInt t = 0; t < 10; t++) {
    AbutStencilList needed, near;
    PetscInt        next = 0;
    Gradient(&s, (PetscReal)t / 10);
    for (PetscInt i = 0; i < all->num_contacts; i++) {
      const AbutOrientedPair *pair  = &all->contacts[i].pair;
      const PetscBool         stiff = (PetscBool)(next < all->stiff.n && all->stiff.a[next] == i);
      next += stiff;
      left_out += !stiff;
      if (stiff) continue;
      const PetscReal most       = LargestOfContact(&s, i),
                      all_angles = AbutOrientedPairStiffness(sm->surface, &sm->spec, pair, all->x.a, scratch);
      if (!(most < 1e-6 * all_angles)) fail_msg("%s: contact %ld: %g of %g", type, (long)i, (double)most, (double)all_angles);
    }
    assert_int_equal(next, all->stiff.n);
    AbutTestCall(AbutPotentialGetPattern(s.pot, PETSC_FALSE, &needed, &near));
    assert_int_equal(needed.count, all->stiff.n);
  }
  if (!strcmp(type, WIDE) ? left_out == 0 : left_out > 0) fail_msg("%s: %ld Hessians left out", type, (long)left_out);
  Close(&s);
}

static void NegligibleHessians(void **state)
{
  (void)state;
  CheckNegligible(WIDE, 0);
  CheckNegligible("oipc", 0);
  CheckNegligible("oipc", 100);
  CheckNegligible("gcp", 0);
  CheckNegligible("gcp", 100);
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
    CheckRanks(dim, RESTED);
  }
}

/* Body-body, body-obstacle and body-plane gaps at rest are smaller than dhat: there are no forces. */
static void SilentAtRest(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Scene              s;
    const AbutStencil *st;
    AbutStencilList    needed, near;
    PetscInt           count;
    Open(PETSC_COMM_WORLD, dim, "oipc", PETSC_FALSE, &s);
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
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(DerivativesOfTheEnergy), cmocka_unit_test(NegligibleHessians), cmocka_unit_test(SameOnAnyRanks),
    cmocka_unit_test(SilentAtRest),           cmocka_unit_test(PushesOnBodies),     cmocka_unit_test(KeptValues),
  };
  return AbutTestMain(argc, argv, tests);
}
