/* A restricted search finds the candidates of a full search in which an entity moves, with and without a Verlet list. */
#include "contactimpl.h"
#include "scenes.h"
#include <stdlib.h>

/* Whether a vertex moves; every = 0: none does. */
static PetscBool Moves(PetscInt id, PetscInt every)
{
  return (PetscBool)(every && id % every == 0);
}

/* Keeps the tuples with a vertex that moves, and pairs with half spaces; returns their number. */
static PetscInt Filter(PetscInt n, Tuple tuples[], PetscInt every)
{
  PetscInt kept = 0;

  for (PetscInt i = 0; i < n; i++) {
    PetscBool keep = (PetscBool)(tuples[i][0] == 3);
    for (int k = 1; k < 5; k++) keep = (PetscBool)(keep || (tuples[i][k] >= 0 && Moves(tuples[i][k], every)));
    if (!keep) continue;
    for (int k = 0; k < 5; k++) tuples[kept][k] = tuples[i][k];
    kept++;
  }
  return kept;
}

static void ExpectEqual(const Scene *scene, PetscInt n, const Tuple found[], PetscInt m, const Tuple expected[])
{
  if (n != m) fail_msg("%s: %ld candidates, not %ld", scene->name, (long)n, (long)m);
  for (PetscInt i = 0; i < n; i++)
    for (int k = 0; k < 5; k++) assert_int_equal(found[i][k], expected[i][k]);
}

/* Compares a full search with a restricted one, then with a full one again. Returns how many candidates the restriction leaves out. */
static PetscInt Compare(const Scene *scene, Stage *s, PetscInt every, PetscBool rings)
{
  const AbutMeshLocal *m      = AbutMeshGetLocal(s->mesh);
  PetscBool           *moving = malloc(sizeof(PetscBool) * (size_t)(m->num_local + 1));
  PetscInt             n, all, kept;
  Tuple               *expected, *found;

  for (PetscInt v = 0; v < m->num_local; v++) moving[v] = Moves(m->vertex_id[v], every);
  expected = GatherTuples(StageSearch(s), PETSC_COMM_WORLD, &all);
  AbutTestCall(AbutContactSetMoving(s->contact, moving));
  found = GatherTuples(StageSearch(s), PETSC_COMM_WORLD, &n);
  kept  = rings ? all : Filter(all, expected, every);
  ExpectEqual(scene, n, (const Tuple *)found, kept, (const Tuple *)expected);
  AbutTestCall(AbutContactSetMoving(s->contact, NULL));
  free(found);
  free(expected);
  found = GatherTuples(StageSearch(s), PETSC_COMM_WORLD, &n);
  assert_int_equal(n, all);
  free(found);
  free(moving);
  return all - kept;
}

static void CompareAll(PetscBool rings, PetscBool verlet)
{
  static const PetscInt every[]  = {0, 1, 7, 40};
  const AbutPlaneSpec   plane    = {"floor", {0, 0, 0}, {0, 0.6, 0.8}};
  PetscInt              left_out = 0, served = 0;

  for (PetscInt i = 0; i < NumScenes; i++)
    for (SoupWay way = 0; way < SOUP_NUM_WAYS; way++) {
      Stage s;

      StageOpen(&s, &Scenes[i], PETSC_COMM_WORLD, way, 1, &plane);
      AbutTestCall(AbutContactSetOneRing(s.contact, rings));
      s.contact->params.verlet      = verlet;
      s.contact->verlet.skin_factor = 2; /* the list serves searches of the same motion */
      for (int k = 0; k < 4; k++) left_out += Compare(&Scenes[i], &s, every[k], rings);
      served += s.contact->counts.served;
      StageClose(&s);
    }
  assert_true(verlet ? served > 100 : served == 0);
  assert_true(rings ? left_out == 0 : left_out > 1000);
}

static void WithoutList(void **state)
{
  (void)state;
  CompareAll(PETSC_FALSE, PETSC_FALSE);
}

static void FromList(void **state)
{
  (void)state;
  CompareAll(PETSC_FALSE, PETSC_TRUE);
}

static void WithRings(void **state)
{
  (void)state;
  CompareAll(PETSC_TRUE, PETSC_TRUE);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(WithoutList), cmocka_unit_test(FromList), cmocka_unit_test(WithRings)};
  return AbutTestMain(argc, argv, tests);
}
