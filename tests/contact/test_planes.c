/* Moving planes: candidates and step bounds against samples of the motion; the state that potentials and checks see. */
#include "scenes.h"
#include <stdlib.h>
#include <string.h>

#define SLACK 0.8

static PetscReal Height(const Stage *s, const AbutPlaneSpec *plane, const PetscReal w[3], PetscInt v, PetscReal t)
{
  PetscReal h = 0;

  for (PetscInt k = 0; k < s->soup.dim; k++)
    h += plane->normal[k] * ((s->soup.rest[s->soup.dim * v + k] + t * s->p[s->soup.dim * v + k]) - (plane->point[k] + t * w[k]));
  return h;
}

/* Sets three planes at distance `gap` from the nearest vertex of the bodies; w: their displacements, towards and along the bodies. */
static void Surround(const Stage *s, PetscReal gap, AbutPlaneSpec planes[3], PetscReal w[9])
{
  uint64_t seed = 7;

  for (int i = 0; i < 3; i++) {
    AbutPlaneSpec *plane  = &planes[i];
    PetscReal      lowest = PETSC_MAX_REAL, norm = 0;

    memset(plane, 0, sizeof(*plane));
    for (PetscInt k = 0; k < 3; k++) {
      plane->normal[k] = k < s->soup.dim ? AbutTestRandom(&seed) : 0;
      norm += PetscSqr(plane->normal[k]);
      w[3 * i + k] = 0.7 * AbutTestRandom(&seed);
    }
    for (PetscInt k = 0; k < 3; k++) plane->normal[k] /= PetscSqrtReal(norm);
    for (PetscInt v = 0; v < s->soup.num_vertices; v++)
      if (!s->soup.obstacle[s->soup.body[v]]) lowest = PetscMin(lowest, Height(s, plane, w, v, 0));
    if (lowest == PETSC_MAX_REAL) lowest = 0; /* a scene without vertices of bodies */
    for (PetscInt k = 0; k < 3; k++) plane->point[k] = (lowest - gap) * plane->normal[k];
  }
}

static PetscBool IsPoint(const Stage *s, PetscInt v)
{
  if (s->soup.obstacle[s->soup.body[v]]) return PETSC_FALSE;
  for (PetscInt i = 0; i < s->soup.num_points; i++)
    if (s->soup.points[i] == v) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Number of plane-vertex candidates over all ranks; -1 if one occurs twice. */
static PetscInt CountPairs(const Stage *s, PetscInt found[])
{
  const AbutCandidates *c;

  c = AbutContactGetCandidates(s->contact);
  for (PetscInt i = 0; i < 3 * s->soup.num_vertices; i++) found[i] = 0;
  for (PetscInt i = 0; i < c->num_pv; i++) found[c->pv[i][0] * s->soup.num_vertices + c->vertex_id[c->pv[i][1]]]++;
  MPI_Allreduce(MPI_IN_PLACE, found, (int)(3 * s->soup.num_vertices), MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
  return c->num_planes;
}

/* Every vertex that comes within the inflation of a plane is one candidate; the step bound equals the smallest closed form. */
static void CheckScene(const Scene *scene, PetscReal gap)
{
  Stage            s;
  AbutPlaneSpec    planes[3];
  AbutLimitingPair blame;
  PetscReal        w[9], points[9], step = 1, exact = 1;
  PetscInt        *found;

  StageOpen(&s, scene, PETSC_COMM_SELF, SOUP_SLABS, 0, NULL);
  Surround(&s, gap, planes, w);
  StageClose(&s);
  StageOpen(&s, scene, PETSC_COMM_WORLD, SOUP_SCATTERED, 3, planes);
  found = malloc(sizeof(*found) * 3 * (size_t)s.soup.num_vertices);
  for (int i = 0; i < 9; i++) points[i] = planes[i / 3].point[i % 3];
  AbutTestCall(AbutContactSetPlanes(s.contact, points, w));
  AbutTestCall(AbutContactSearch(s.contact, s.x_local, s.p_local, &step, s.inflation));
  assert_true(step == 1);
  assert_int_equal(CountPairs(&s, found), 3);
  AbutTestCall(AbutContactMaxStep(s.contact, SLACK, PETSC_INFINITY, &step, &blame));
  for (PetscInt i = 0; i < 3 * s.soup.num_vertices; i++) {
    const PetscInt       v     = i % s.soup.num_vertices;
    const AbutPlaneSpec *plane = &planes[i / s.soup.num_vertices];
    const PetscReal     *d = w + 3 * (i / s.soup.num_vertices), at_start = Height(&s, plane, d, v, 0);

    if (!IsPoint(&s, v)) continue;
    assert_int_equal(found[i], PetscMin(at_start, Height(&s, plane, d, v, 1)) <= s.inflation);
    for (int k = 0; k <= 200; k++) assert_true(Height(&s, plane, d, v, step * k / 200) >= (1 - SLACK) * at_start * (1 - 1e-9));
    assert_true(Height(&s, plane, d, v, step) > 0);
    if (Height(&s, plane, d, v, 1) < (1 - SLACK) * at_start)
      exact = PetscMin(exact, SLACK * at_start / (at_start - Height(&s, plane, d, v, 1)));
  }
  /* other pairs may reduce the bound; heights have the cancellation error of numbers about 1 */
  assert_true(step <= exact);
  if (blame.rank >= 0 && blame.body[1] < 0) assert_true(step >= exact * (1 - 1e-13 / gap));
  free(found);
  StageClose(&s);
}

static void BoundsAreConservative(void **state)
{
  const PetscReal gaps[] = {0.1, 1e-4, 1e-9, 1e-13};

  (void)state;
  for (PetscInt i = 0; i < NumScenes; i++)
    if (Scenes[i].speed > 0)
      for (int k = 0; k < 4; k++) CheckScene(&Scenes[i], gaps[k]);
}

/* A plane moves towards a vertex at rest: the bound is the slack times the gap, also for a fast plane. */
static void OnlyThePlaneMoves(void **state)
{
  const AbutPlaneSpec   planes[2] = {{"floor", {5, 5, -1}, {0, 0, 1}}, {"ceiling", {0, 0, 50}, {0, 0, -1}}};
  const PetscReal       points[6] = {5, 5, -1, 0, 0, 50}, up[6] = {3, 0, 4, 0, 0, 0}, past[6] = {5, 5, 0.02, 0, 0, 50};
  const AbutCandidates *c;
  Stage                 s;
  AbutLimitingPair      blame;
  PetscReal             step = 1, expected = 0.8 / 4, *xt;
  PetscInt              count;

  (void)state;
  StageOpen(&s, &Scenes[8], PETSC_COMM_WORLD, SOUP_SCATTERED, 2, planes);
  for (PetscInt i = 0; i < s.soup.num_vertices * 3; i++) s.p[i] = 0;
  free(s.p_local);
  s.p_local = SoupLocal(s.mesh, s.p);
  AbutTestCall(AbutContactSetPlanes(s.contact, points, up));
  AbutTestCall(AbutContactSearch(s.contact, s.x_local, s.p_local, &step, 1e-3));
  AbutTestCall(AbutContactMaxStep(s.contact, SLACK, PETSC_INFINITY, &step, &blame));
  AbutTestClose("step of the plane", 1, &step, &expected, 1e-14);
  AbutTestClose("height of the blamed", 1, &blame.distance, &(PetscReal){1}, 1e-15);
  c = AbutContactGetCandidates(s.contact);
  assert_true(c->planes[0].point[2] == -1);
  xt = malloc(sizeof(*xt) * 3 * (size_t)c->num_vertices);
  AbutTestCall(AbutContactPositions(s.contact, 0.25, xt));
  assert_true(c->planes[0].point[0] == 5.75 && c->planes[0].point[2] == 0 && c->planes[1].point[2] == 50);
  free(xt);
  /* displacements hold for one search; a check uses the points set last */
  step = 1;
  AbutTestCall(AbutContactSearch(s.contact, s.x_local, s.p_local, &step, 1e-3));
  AbutTestCall(AbutContactMaxStep(s.contact, SLACK, PETSC_INFINITY, &step, &blame));
  assert_true(step == 1 && blame.rank == -1);
  AbutTestCall(AbutContactCheck(s.contact, s.x_local, &count, NULL, NULL));
  assert_int_equal(count, 0);
  AbutTestCall(AbutContactSetPlanes(s.contact, past, NULL));
  AbutTestCall(AbutContactCheck(s.contact, s.x_local, &count, NULL, NULL));
  assert_int_equal(count, 3); /* the lower triangle */
  StageClose(&s);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(BoundsAreConservative), cmocka_unit_test(OnlyThePlaneMoves)};
  return AbutTestMain(argc, argv, tests);
}
