/*
  Potentials that use one-rings, on surfaces with unfavourable partitions: energy, gradient and projected Hessian equal the values on one
  rank. Scenes: bodies at random places; sheets with edges shorter than dhat; curves and points as obstacles; a half space. For potentials
  with adaptive dhat the scene shrinks to a third, so that gaps are below half of the gaps at rest.
*/
#include "../contact/scenes.h"
#include "ranks.h"
#include <abut/potential.h>

#define AT 0.7 /* line parameter of the evaluation, as a fraction of the searched step */

static PetscBool with_points; /* obstacles include points in 3D; "gcp" refuses points, as they have no area */

static void Obstacles(Soup *soup, uint64_t *seed)
{
  SoupAddBody(soup, PETSC_TRUE);
  for (int i = 0; i < 45; i++) {
    const PetscInt v = SoupAddVertex(soup, AbutTestRandom(seed), AbutTestRandom(seed), 0.3 * AbutTestRandom(seed));

    if (i % 3) SoupAddEdge(soup, v - 1, v);
  }
  if (!with_points) return;
  SoupAddBody(soup, PETSC_TRUE);
  for (int i = 0; i < 30; i++)
    SoupAddPoint(soup, SoupAddVertex(soup, AbutTestRandom(seed), AbutTestRandom(seed), 0.3 * AbutTestRandom(seed)));
}

static void Solids(Soup *soup)
{
  uint64_t  seed = 23;
  PetscReal o[3];

  for (int i = 0; i < 16; i++) {
    if (i % 8 == 0) SoupAddBody(soup, PETSC_FALSE);
    if (i == 15) SoupAddBody(soup, PETSC_TRUE);
    for (int k = 0; k < 3; k++) o[k] = 0.7 * AbutTestRandom(&seed);
    SoupAddOctahedron(soup, 0.2, o);
  }
  Obstacles(soup, &seed);
}

/* Narrow parallel sheets: corners with one face, borders, nearly parallel edges. */
static void Sheets(Soup *soup)
{
  uint64_t seed = 31;

  for (int i = 0; i < 3; i++) {
    SoupAddBody(soup, (PetscBool)(i == 2));
    SoupAddGrid(soup, 6, 2, (PetscReal[]){-1 + 0.05 * i, -0.3, 0.06 * i}, (PetscReal[]){1.8, 0.02 * i, 0.1},
                (PetscReal[]){0.01 * i, 0.6, 0});
  }
  Obstacles(soup, &seed);
}

static void Polygons(Soup *soup)
{
  uint64_t seed = 29;

  for (int i = 0; i < 14; i++) {
    const PetscReal x = AbutTestRandom(&seed), y = AbutTestRandom(&seed);

    if (i % 5 == 0) SoupAddBody(soup, (PetscBool)(i == 10));
    SoupAddPentagon(soup, 0.1, x, y);
  }
  SoupAddBody(soup, PETSC_TRUE);
  for (int i = 0; i < 40; i++) SoupAddPoint(soup, SoupAddVertex(soup, AbutTestRandom(&seed), AbutTestRandom(&seed), 0));
}

/* 2D: walls of no thickness, whose edges are listed in both directions; stars of three to five edges at a vertex. */
static void Branches(Soup *soup)
{
  uint64_t seed = 43;

  for (int i = 0; i < 12; i++) {
    if (i % 6 == 0) SoupAddBody(soup, PETSC_FALSE);
    SoupAddPentagon(soup, 0.1, AbutTestRandom(&seed), AbutTestRandom(&seed));
  }
  SoupAddBody(soup, PETSC_TRUE);
  for (int i = 0; i < 48; i++) {
    const PetscReal x = (PetscReal)(i % 8), y = (PetscReal)(i / 8), dx = 0.05 * AbutTestRandom(&seed), dy = 0.05 * AbutTestRandom(&seed);
    const PetscInt  v = SoupAddVertex(soup, 0.28 * x - 1 + dx, 0.35 * y - 0.9 + dy, 0);

    if (i % 8 == 0) continue;
    SoupAddEdge(soup, v - 1, v);
    SoupAddEdge(soup, v, v - 1);
  }
  for (int i = 0; i < 24; i++) {
    const PetscReal x = AbutTestRandom(&seed), y = AbutTestRandom(&seed);
    const PetscInt  middle = SoupAddVertex(soup, x, y, 0);

    for (int k = 0; k < 3 + i % 3; k++) {
      const PetscInt v = SoupAddVertex(soup, x + 0.2 * PetscCosReal(1.3 * k), y + 0.2 * PetscSinReal(1.3 * k), 0);

      SoupAddEdge(soup, k % 2 ? middle : v, k % 2 ? v : middle);
    }
  }
}

/* Curves without faces. */
static void Strings(Soup *soup)
{
  uint64_t seed = 37;

  for (int i = 0; i < 4; i++) {
    SoupAddBody(soup, (PetscBool)(i == 3));
    for (int k = 0; k < 16; k++) {
      const PetscInt v = SoupAddVertex(soup, 0.12 * k - 1, 0.1 * AbutTestRandom(&seed), 0.1 * AbutTestRandom(&seed));

      if (k > 0) SoupAddEdge(soup, v - 1, v);
    }
  }
  Obstacles(soup, &seed);
}

static const Scene scenes[] = {
  {"solids", 3, 0.25, 0.02, Solids},     {"sheets", 3, 0.1, 0.01, Sheets},      {"sheets, wide range", 3, 0.35, 0.01, Sheets},
  {"polygons", 2, 0.15, 0.02, Polygons}, {"branches", 2, 0.15, 0.02, Branches}, {"strings", 3, 0.3, 0.02, Strings}};
static const struct {
  const char *type;
  PetscReal   shrink;
  PetscBool   points;
} potentials[] = {{"convergent-ipc", 1, PETSC_TRUE}, {"oipc", 1. / 3, PETSC_TRUE}, {"gcp", 1. / 3, PETSC_FALSE}};
enum { NUM_SCENES = sizeof(scenes) / sizeof(scenes[0]), NUM_POTENTIALS = sizeof(potentials) / sizeof(potentials[0]) };

typedef struct {
  PetscReal  energy;
  PetscInt   contacts, free_ev, pv; /* all pairs; candidates with edges without faces; candidates with half spaces */
  PetscInt   n;
  PetscReal *g, *Hp; /* [n] by id */
} Result;

static PetscReal *HessianTimesP(MPI_Comm comm, const Stage *s, const AbutMeshLocal *m, AbutPotential pot)
{
  AbutStencilList needed, near;
  AbutAssembler   as;

  AbutTestCall(AbutPotentialGetPattern(pot, PETSC_FALSE, &needed, &near));
  as = HessianBegin(comm, m, &needed, &near);
  AbutTestCall(AbutPotentialAddHessian(pot, 1, ABUT_PSD_CLAMP, as));
  return HessianTimes(comm, m, &as, s->p_local);
}

/* A half space slightly below the lowest vertex of all bodies. */
static AbutPlaneSpec Below(const Scene *scene)
{
  const PetscInt axis  = scene->dim - 1;
  AbutPlaneSpec  plane = {.name = "floor"};
  PetscReal      low   = PETSC_INFINITY;
  Soup           soup;

  SoupInit(&soup, scene->dim);
  scene->fill(&soup);
  for (PetscInt v = 0; v < soup.num_vertices; v++)
    if (!soup.obstacle[soup.body[v]]) low = PetscMin(low, soup.rest[scene->dim * v + axis]);
  SoupFree(&soup);
  plane.point[axis]  = low - 0.2 * scene->inflation;
  plane.normal[axis] = 1;
  return plane;
}

/* moves: candidates move to ranks with few of them. */
static void Evaluate(MPI_Comm comm, const char type[], PetscReal shrink, const Scene *scene, SoupWay way, PetscBool moves, Result *r)
{
  const AbutPlaneSpec   plane = Below(scene);
  Stage                 s;
  const AbutMeshLocal  *m;
  const AbutCandidates *c;
  AbutPotential         pot;
  AbutPotentialStats    stats;
  PetscReal             step = 1, *x, *g;

  StageOpen(&s, scene, comm, way, 1, &plane);
  s.inflation *= shrink;
  m = AbutMeshGetLocal(s.mesh);
  for (PetscInt i = 0; i < m->num_local * m->dim; i++) {
    const PetscReal center = plane.point[i % m->dim];
    s.x_local[i]           = center + shrink * (s.x_local[i] - center);
    s.p_local[i] *= shrink;
  }
  AbutTestCall(AbutPotentialCreate(comm, type, &pot));
  AbutTestCall(AbutPotentialSetDhat(pot, s.inflation));
  AbutTestCall(AbutPotentialSetStiffness(pot, 3));
  AbutTestCall(AbutPotentialSetUp(pot, s.mesh, s.contact));
  if (moves) StageSpread(&s, s.inflation);
  AbutTestCall(AbutContactSearch(s.contact, s.x_local, s.p_local, &step, s.inflation));
  assert_true(step == 1);
  c = AbutContactGetCandidates(s.contact);
  x = calloc((size_t)(2 * c->num_vertices * m->dim + 1), sizeof(*x));
  g = x + c->num_vertices * m->dim;
  AbutTestCall(AbutContactPositions(s.contact, AT, x));
  AbutTestCall(AbutPotentialEnergy(pot, c, x, &r->energy));
  AbutTestCall(AbutPotentialSetState(pot, c, x));
  AbutTestCall(AbutPotentialGetStats(pot, &stats));
  AbutTestCall(AbutPotentialAddGradient(pot, 1, g));
  AbutTestCall(AbutContactReduceAdd(s.contact, m->dim, g));
  r->contacts = stats.contacts;
  r->free_ev  = c->num_free_ev;
  r->pv       = c->num_pv;
  MPI_Allreduce(MPI_IN_PLACE, &r->energy, 1, MPIU_REAL, MPIU_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &r->free_ev, 1, MPIU_INT, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &r->pv, 1, MPIU_INT, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &r->contacts, 1, MPIU_INT, MPI_SUM, comm);
  r->n  = m->num_global * m->dim;
  r->g  = ById(comm, m, g);
  r->Hp = HessianTimesP(comm, &s, m, pot);
  free(x);
  AbutTestCall(AbutPotentialDestroy(&pot));
  StageClose(&s);
}

static PetscReal Difference(PetscInt n, const PetscReal a[], const PetscReal b[])
{
  PetscReal most = 0, size = 0;

  for (PetscInt i = 0; i < n; i++) {
    most = PetscMax(most, PetscAbsReal(a[i] - b[i]));
    size = PetscMax(size, PetscAbsReal(b[i]));
  }
  return most / size;
}

static void Compare(const char type[], const Scene *scene, const Result *many, const Result *one)
{
  const PetscReal g = Difference(one->n, many->g, one->g), Hp = Difference(one->n, many->Hp, one->Hp);

  /* opposite edges have equal stencils, which "convergent-ipc" merges where they are on one rank */
  if (many->contacts != one->contacts && scene->fill != Branches)
    fail_msg("%s, %s: %ld contacts, %ld on one rank", type, scene->name, (long)many->contacts, (long)one->contacts);
  if (!(PetscAbsReal(many->energy - one->energy) < 1e-12 * PetscAbsReal(one->energy)))
    fail_msg("%s, %s: energy %.17g, %.17g on one rank", type, scene->name, (double)many->energy, (double)one->energy);
  if (!(g < 1e-12)) fail_msg("%s, %s: gradients differ by %g", type, scene->name, (double)g);
  if (!(Hp < 1e-12)) fail_msg("%s, %s: Hessians differ by %g", type, scene->name, (double)Hp);
}

static void FreeResult(Result *r)
{
  free(r->g);
  free(r->Hp);
}

/* Compares all ranks with one rank: equal stencils and weights, sums equal up to round-off. */
static void CheckPotential(const char type[], PetscReal shrink)
{
  PetscInt free_ev = 0;

  for (int i = 0; i < NUM_SCENES; i++) {
    const Scene *scene = &scenes[i];
    Result       many, one;

    Evaluate(PETSC_COMM_SELF, type, shrink, scene, SOUP_SLABS, PETSC_FALSE, &one);
    if (one.contacts < 30 || one.pv < 1) fail_msg("%s, %s: %ld contacts", type, scene->name, (long)one.contacts);
    free_ev += one.free_ev;
    for (int way = 0; way < 2 * SOUP_NUM_WAYS; way++) {
      Evaluate(PETSC_COMM_WORLD, type, shrink, scene, (SoupWay)(way / 2), (PetscBool)(way % 2), &many);
      Compare(type, scene, &many, &one);
      FreeResult(&many);
    }
    FreeResult(&one);
  }
  assert_true(free_ev > 100);
}

static void SameOnAnyRanks(void **state)
{
  (void)state;
  for (int i = 0; i < NUM_POTENTIALS; i++) {
    with_points = potentials[i].points;
    CheckPotential(potentials[i].type, potentials[i].shrink);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SameOnAnyRanks)};
  return AbutTestMain(argc, argv, tests);
}
