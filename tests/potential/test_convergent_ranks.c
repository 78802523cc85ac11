/*
  The convergent potential on any number of ranks: energy, gradient and projected Hessian of surfaces dealt out in ways no partitioner would
  choose are those of one rank. Bodies at random places, sheets whose edges are shorter than the range, curves and points as obstacles.
*/
#include "../contact/scenes.h"
#include "ranks.h"
#include <abut/potential.h>

static void Obstacles(Soup *soup, uint64_t *seed)
{
  SoupAddBody(soup, PETSC_TRUE);
  for (int i = 0; i < 45; i++) {
    const PetscInt v = SoupAddVertex(soup, AbutTestRandom(seed), AbutTestRandom(seed), 0.3 * AbutTestRandom(seed));

    if (i % 3) SoupAddEdge(soup, v - 1, v);
  }
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

/* Narrow sheets over each other, so that there are corners of one face, borders, and edges that are nearly parallel. */
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

static const Scene scenes[] = {{"solids", 3, 0.25, 0.02, Solids},
                               {"sheets", 3, 0.1, 0.01, Sheets},
                               {"sheets, wide range", 3, 0.35, 0.01, Sheets},
                               {"polygons", 2, 0.15, 0.02, Polygons}};
enum { NUM_SCENES = sizeof(scenes) / sizeof(scenes[0]) };

typedef struct {
  PetscReal  energy;
  PetscInt   contacts;
  PetscReal *g, *Hp; /* by id */
} Result;

static PetscReal *HessianTimesP(MPI_Comm comm, const Stage *s, const AbutMeshLocal *m, AbutPotential pot)
{
  AbutStencilList needed, near;
  AbutAssembler   as;

  AbutTestCall(AbutPotentialGetPattern(pot, 1, &needed, &near));
  as = HessianBegin(comm, m, &needed, &near);
  AbutTestCall(AbutPotentialAddHessian(pot, 1, ABUT_PSD_CLAMP, as));
  return HessianTimes(comm, m, &as, s->p_local);
}

static void Evaluate(MPI_Comm comm, const Scene *scene, SoupWay way, Result *r)
{
  Stage                 s;
  const AbutMeshLocal  *m;
  const AbutCandidates *c;
  AbutPotential         pot;
  AbutPotentialStats    stats;
  PetscReal             step = 1, *x, *g;

  StageOpen(&s, scene, comm, way, 0, NULL);
  AbutTestCall(AbutMeshGetLocal(s.mesh, &m));
  AbutTestCall(AbutPotentialCreate(comm, "convergent-ipc", &pot));
  AbutTestCall(AbutPotentialSetRange(pot, s.inflation));
  AbutTestCall(AbutPotentialSetStiffness(pot, 3));
  AbutTestCall(AbutPotentialSetUp(pot, s.mesh, s.contact));
  AbutTestCall(AbutContactSearch(s.contact, s.x_local, s.p_local, &step, s.inflation));
  AbutTestCall(AbutContactGetCandidates(s.contact, &c));
  x = calloc((size_t)(2 * c->num_vertices * m->dim + 1), sizeof(*x));
  g = x + c->num_vertices * m->dim;
  AbutTestCall(AbutContactPositions(s.contact, 0.7, x));
  AbutTestCall(AbutPotentialEnergy(pot, c, x, &r->energy));
  AbutTestCall(AbutPotentialSetState(pot, c, x));
  AbutTestCall(AbutPotentialGetStats(pot, &stats));
  AbutTestCall(AbutPotentialAddGradient(pot, 1, g));
  AbutTestCall(AbutContactReduceAdd(s.contact, m->dim, g));
  r->contacts = stats.contacts;
  MPI_Allreduce(MPI_IN_PLACE, &r->energy, 1, MPIU_REAL, MPIU_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &r->contacts, 1, MPIU_INT, MPI_SUM, comm);
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

/* The same stencils with the same weights, bit for bit; they are added in another order. */
static void SameOnAnyRanks(void **state)
{
  (void)state;
  for (int i = 0; i < NUM_SCENES * SOUP_NUM_WAYS; i++) {
    const Scene *scene = &scenes[i / SOUP_NUM_WAYS];
    Result       many, one;
    Soup         soup;
    PetscInt     n;

    SoupInit(&soup, scene->dim);
    scene->fill(&soup);
    n = soup.num_vertices * scene->dim;
    SoupFree(&soup);
    Evaluate(PETSC_COMM_WORLD, scene, (SoupWay)(i % SOUP_NUM_WAYS), &many);
    Evaluate(PETSC_COMM_SELF, scene, SOUP_SLABS, &one);
    if (many.contacts != one.contacts || one.contacts < 50)
      fail_msg("%s: %ld contacts, %ld on one rank", scene->name, (long)many.contacts, (long)one.contacts);
    if (!(PetscAbsReal(many.energy - one.energy) < 1e-12 * PetscAbsReal(one.energy)))
      fail_msg("%s: energy %.17g, %.17g on one rank", scene->name, (double)many.energy, (double)one.energy);
    if (!(Difference(n, many.g, one.g) < 1e-12)) fail_msg("%s: gradients differ by %g", scene->name, (double)Difference(n, many.g, one.g));
    if (!(Difference(n, many.Hp, one.Hp) < 1e-12))
      fail_msg("%s: Hessians differ by %g", scene->name, (double)Difference(n, many.Hp, one.Hp));
    free(many.g);
    free(many.Hp);
    free(one.g);
    free(one.Hp);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SameOnAnyRanks)};
  return AbutTestMain(argc, argv, tests);
}
