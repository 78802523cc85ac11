#include "scenes.h"
#include "contactimpl.h"
#include <stdlib.h>
#include <string.h>

static void FillRandom(Soup *soup, PetscInt n, PetscReal size, PetscBool thin)
{
  uint64_t seed = 11;

  for (PetscInt b = 0; b < 4; b++) {
    SoupAddBody(soup, (PetscBool)(b >= 2));
    for (PetscInt i = 0; i < n; i++) SoupAddRandom(soup, size, thin, &seed);
  }
}

static void Soup3D(Soup *soup)
{
  FillRandom(soup, 30, 0.3, PETSC_FALSE);
}

static void Thin3D(Soup *soup)
{
  FillRandom(soup, 20, 2, PETSC_TRUE);
}

static void Soup2D(Soup *soup)
{
  FillRandom(soup, 40, 0.3, PETSC_FALSE);
}

/* Four parallel grids above each other. touching: the first two are in the same plane. */
static void Grids(Soup *soup, PetscBool touching)
{
  for (int i = 0; i < 4; i++) {
    SoupAddBody(soup, PETSC_FALSE);
    SoupAddGrid(soup, 5, 5, (PetscReal[]){0.1 * i, 0, touching && i < 2 ? 0 : 0.02 * i}, (PetscReal[]){1, 0, 0}, (PetscReal[]){0, 1, 0});
  }
}

static void Coplanar(Soup *soup)
{
  Grids(soup, PETSC_FALSE);
}

static void Touching(Soup *soup)
{
  Grids(soup, PETSC_TRUE);
}

/* A grid long enough to cut into one slab per rank. */
static void Ribbon(Soup *soup)
{
  SoupAddBody(soup, PETSC_FALSE);
  SoupAddGrid(soup, 112, 1, (PetscReal[]){0, 0, 0}, (PetscReal[]){112, 0, 0}, (PetscReal[]){0, 1, 0});
}

static void Huge(Soup *soup)
{
  SoupAddBody(soup, PETSC_FALSE);
  SoupAddGrid(soup, 8, 8, (PetscReal[]){0, 0, 1e-3}, (PetscReal[]){0.08, 0, 0}, (PetscReal[]){0, 0.08, 0});
  SoupAddBody(soup, PETSC_TRUE);
  const PetscInt a = SoupAddVertex(soup, -1000, -1000, 0), b = SoupAddVertex(soup, 1000, -900, 0), c = SoupAddVertex(soup, 0, 2000, 0);
  SoupAddFace(soup, a, b, c);
}

/* All vertices at one point far from the origin. */
static void OnePoint(Soup *soup)
{
  for (int b = 0; b < 2; b++) {
    SoupAddBody(soup, PETSC_FALSE);
    for (int i = 0; i < 6; i++) {
      const PetscInt v = SoupAddVertex(soup, 1e4, -1e4, 3);

      SoupAddVertex(soup, 1e4, -1e4, 3);
      SoupAddVertex(soup, 1e4, -1e4, 3);
      SoupAddFace(soup, v, v + 1, v + 2);
    }
  }
}

static void TwoTriangles(Soup *soup)
{
  for (int b = 0; b < 2; b++) {
    SoupAddBody(soup, PETSC_FALSE);
    const PetscInt v = SoupAddVertex(soup, 0, 0, 0.05 * b);

    SoupAddVertex(soup, 1, 0, 0.05 * b);
    SoupAddVertex(soup, 0, 1, 0.05 * b);
    SoupAddFace(soup, v, v + 1, v + 2);
  }
}

static void Nothing(Soup *soup)
{
  SoupAddBody(soup, PETSC_FALSE);
}

/* A chain over a floor of obstacle points and segments. */
static void Chain2D(Soup *soup)
{
  SoupAddBody(soup, PETSC_FALSE);
  SoupAddGrid(soup, 40, 0, (PetscReal[]){0, 0.01, 0}, (PetscReal[]){1, 0, 0}, (PetscReal[]){0, 0, 0});
  SoupAddBody(soup, PETSC_TRUE);
  SoupAddGrid(soup, 13, 0, (PetscReal[]){0, 0, 0}, (PetscReal[]){1, 0, 0}, (PetscReal[]){0, 0, 0});
  SoupAddBody(soup, PETSC_TRUE);
  for (int i = 0; i < 20; i++) SoupAddPoint(soup, SoupAddVertex(soup, 0.05 * i, 0.02, 0));
}

/* A sheet among obstacle points and segments. */
static void Codimensional(Soup *soup)
{
  uint64_t seed = 3;

  SoupAddBody(soup, PETSC_FALSE);
  SoupAddGrid(soup, 7, 7, (PetscReal[]){-1, -1, 0}, (PetscReal[]){2, 0.1, 0.2}, (PetscReal[]){0, 2, 0.1});
  SoupAddBody(soup, PETSC_TRUE);
  for (int i = 0; i < 60; i++) {
    const PetscInt v = SoupAddVertex(soup, AbutTestRandom(&seed), AbutTestRandom(&seed), 0.1 * AbutTestRandom(&seed));

    if (i % 3 == 2) SoupAddEdge(soup, v - 1, v);
    SoupAddPoint(soup, v);
  }
}

const Scene Scenes[] = {
  {"random triangles", 3, 0.02, 0.1, Soup3D},
  {"long thin triangles", 3, 0.01, 0.05, Thin3D},
  {"long thin triangles at rest", 3, 0.01, 0, Thin3D},
  {"random segments", 2, 0.02, 0.1, Soup2D},
  {"coplanar grids", 3, 0.03, 0.01, Coplanar},
  {"coplanar grids touching", 3, 0, 0, Touching},
  {"huge obstacle", 3, 2e-3, 1e-3, Huge},
  {"everything at one point", 3, 1e-6, 0, OnePoint},
  {"two triangles", 3, 0.1, 0.1, TwoTriangles},
  {"ribbon", 3, 0.1, 0.5, Ribbon},
  {"nothing", 3, 0.1, 0.1, Nothing},
  {"chain over points and segments", 2, 0.03, 0.01, Chain2D},
  {"sheet among points and segments", 3, 0.05, 0.2, Codimensional},
};
const PetscInt NumScenes = sizeof(Scenes) / sizeof(Scenes[0]);

void StageOpen(Stage *stage, const Scene *scene, MPI_Comm comm, SoupWay way, PetscInt num_planes, const AbutPlaneSpec planes[])
{
  uint64_t seed = 17;

  SoupInit(&stage->soup, scene->dim);
  scene->fill(&stage->soup);
  stage->inflation = scene->inflation;
  stage->p         = malloc(sizeof(PetscReal) * (size_t)(stage->soup.num_vertices * scene->dim + 1));
  for (PetscInt i = 0; i < stage->soup.num_vertices * scene->dim; i++) stage->p[i] = scene->speed * AbutTestRandom(&seed);
  stage->mesh    = SoupDistribute(&stage->soup, comm, way);
  stage->x_local = SoupLocal(stage->mesh, stage->soup.rest);
  stage->p_local = SoupLocal(stage->mesh, stage->p);
  AbutTestCall(AbutContactCreate(stage->mesh, num_planes, planes, &stage->contact));
}

void StageOpenRibbon(Stage *stage)
{
  const Scene *ribbon = Scenes;

  while (strcmp(ribbon->name, "ribbon")) ribbon++;
  StageOpen(stage, ribbon, PETSC_COMM_WORLD, SOUP_SLABS, 0, NULL);
}

void StageSpread(Stage *stage, PetscReal distance)
{
  stage->contact->balance.policy = (AbutBalancePolicy){.tolerance = 1, .minimum = 0, .contact = 16};
  AbutTestCall(AbutContactSetActiveDistance(stage->contact, distance));
}

const AbutCandidates *StageSearch(Stage *stage)
{
  const AbutCandidates *candidates;
  PetscReal             step = 1;

  AbutTestCall(AbutContactSearch(stage->contact, stage->x_local, stage->p_local, &step, stage->inflation));
  assert_true(step == 1);
  candidates = AbutContactGetCandidates(stage->contact);
  return candidates;
}

void StageClose(Stage *stage)
{
  AbutTestCall(AbutContactDestroy(&stage->contact));
  SoupDestroyMesh(&stage->mesh);
  SoupFree(&stage->soup);
  free(stage->p);
  free(stage->x_local);
  free(stage->p_local);
}
