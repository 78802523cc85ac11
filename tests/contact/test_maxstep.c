/* Step bounds: comparison with the minimum over single candidates; closed form for half spaces; the limiting pair. */
#include "scenes.h"
#include <stdlib.h>

static const PetscReal slack    = 0.8;
static const PetscReal floors[] = {PETSC_INFINITY, 1e-3}; /* the second one is below a fifth of most distances */

static void Gather(const Stage *s, const PetscInt id[], PetscInt n, PetscReal x[], PetscReal dx[])
{
  const PetscInt dim = s->soup.dim;

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = 0; k < dim; k++) {
      x[dim * i + k]  = s->soup.rest[dim * id[i] + k];
      dx[dim * i + k] = s->p[dim * id[i] + k];
    }
  }
}

/* Bound of one pair, given by kind and vertex ids, for a step of at most 1: it keeps a fifth of its distance, at most `floor`. */
static PetscReal PairBound(const Stage *s, PetscInt kind, const PetscInt id[], PetscReal floor)
{
  static const AbutPairKind kinds[3] = {ABUT_PAIR_FV, ABUT_PAIR_EE, ABUT_PAIR_EV};
  PetscReal                 x[12], dx[12], toi;

  Gather(s, id, kind == 2 ? 3 : 4, x, dx);
  (void)AbutCCD(kinds[kind], s->soup.dim, x, dx, 1, PetscMax(slack, 1 - floor / PetscSqrtReal(AbutPairDist2(kinds[kind], s->soup.dim, x))),
                &toi);
  return toi;
}

/* Smallest bound of all candidates of a search on one rank. */
static PetscReal BruteForce(const Scene *scene, PetscReal floor)
{
  Stage                 s;
  const AbutCandidates *c;
  PetscReal             step = 1, bound = 1;
  PetscInt              count;
  Tuple                *tuples;

  StageOpen(&s, scene, PETSC_COMM_SELF, SOUP_SLABS, 0, NULL);
  AbutTestCall(AbutContactSearch(s.contact, s.x_local, s.p_local, &step, s.inflation));
  c      = AbutContactGetCandidates(s.contact);
  tuples = GatherTuples(c, PETSC_COMM_SELF, &count);
  for (PetscInt i = 0; i < count && scene->speed > 0; i++) bound = PetscMin(bound, PairBound(&s, tuples[i][0], tuples[i] + 1, floor));
  free(tuples);
  StageClose(&s);
  return bound;
}

static void ExpectBlame(const Stage *s, PetscReal step, PetscReal floor, const AbutLimitingPair *blame)
{
  const PetscInt kind = s->soup.dim == 2 ? 2 : blame->vertex_id[0] < 0 ? -1 : 0;
  PetscReal      fv, ee;

  assert_true(blame->rank >= 0 && blame->distance >= 0 && blame->distance < PETSC_INFINITY);
  assert_int_equal(blame->body[0], s->soup.body[blame->vertex_id[0]]);
  fv = PairBound(s, kind, blame->vertex_id, floor);
  ee = kind == 0 ? PairBound(s, 1, blame->vertex_id, floor) : fv;
  /* round-off: the rounding bound of AbutCCD() depends on the end of its interval */
  assert_true(PetscAbsReal(fv - step) < 1e-9 || PetscAbsReal(ee - step) < 1e-9);
}

static void SmallestOfAll(void **state)
{
  (void)state;
  for (PetscInt k = 0; k < 2 * NumScenes; k++) {
    const PetscInt   i        = k / 2;
    const PetscReal  floor    = floors[k % 2];
    const PetscReal  expected = BruteForce(&Scenes[i], floor);
    Stage            s;
    AbutLimitingPair blame, first;
    PetscReal        step = 1;

    StageOpen(&s, &Scenes[i], PETSC_COMM_WORLD, SOUP_SCATTERED, 0, NULL);
    AbutTestCall(AbutContactSearch(s.contact, s.x_local, s.p_local, &step, s.inflation));
    AbutTestCall(AbutContactMaxStep(s.contact, slack, floor, &step, &blame));
    AbutTestClose(Scenes[i].name, 1, &step, &expected, 1e-9);
    first = blame;
    MPI_Bcast(&first, sizeof(first), MPI_BYTE, 0, PETSC_COMM_WORLD);
    assert_memory_equal(first.vertex_id, blame.vertex_id, sizeof(blame.vertex_id));
    assert_int_equal(first.rank, blame.rank);
    if (step < 1)
      ExpectBlame(&s, step, floor, &blame);
    else
      assert_true(blame.rank == -1 && blame.vertex_id[0] == -1 && blame.body[0] == -1);
    StageClose(&s);
  }
}

/* Only a half space limits the step: closed form of the bound, also for steps above 1. */
static void Plane(void **state)
{
  const AbutPlaneSpec planes[2] = {{"floor", {5, 5, -1}, {0, 0, 2}}, {"ceiling", {0, 0, 50}, {0, 0, -1}}};
  const Scene        *scene     = &Scenes[8];
  Stage               s;
  AbutLimitingPair    blame;

  (void)state;
  StageOpen(&s, scene, PETSC_COMM_WORLD, SOUP_SCATTERED, 2, planes);
  const AbutMeshLocal *m;
  m = AbutMeshGetLocal(s.mesh);
  for (PetscReal wanted = 1; wanted <= 16; wanted *= 16) {
    /* the lower triangle is 1 m above the floor; it keeps 0.2 m, in the second case 0.05 m */
    const PetscReal speed = wanted == 1 ? -2 : -0.25, floor = wanted == 1 ? PETSC_INFINITY : 0.05;
    const PetscReal expected = (wanted == 1 ? 0.8 : 0.95) / -speed;
    PetscReal       step     = wanted;

    for (PetscInt v = 0; v < 3 * m->num_local; v++) s.p_local[v] = v % 3 == 2 ? speed : 0.5;
    AbutTestCall(AbutContactSearch(s.contact, s.x_local, s.p_local, &step, 1e-3));
    AbutTestCall(AbutContactMaxStep(s.contact, slack, floor, &step, &blame));
    AbutTestClose("step to the plane", 1, &step, &expected, 1e-11);
    assert_true(step <= expected);
    assert_true(blame.vertex_id[0] >= 0 && blame.vertex_id[0] < 3 && blame.vertex_id[1] == -1 && blame.body[0] == 0 && blame.body[1] == -1);
    AbutTestClose("distance of the blamed", 1, &blame.distance, &(PetscReal){1}, 1e-15);
  }
  StageClose(&s);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SmallestOfAll), cmocka_unit_test(Plane)};
  return AbutTestMain(argc, argv, tests);
}
