/* A restricted search finds the candidates of a full search in which an entity moves; with one-rings, in which a one-ring moves. */
#include "contactimpl.h"
#include "scenes.h"
#include <stdlib.h>
#include <string.h>

/* Whether a vertex moves: every one of `every` vertices, or if it is negative each of the first -every ones; 0: none does. */
static PetscBool Moves(PetscInt id, PetscInt every)
{
  return (PetscBool)(every < 0 ? id < -every : every && id % every == 0);
}

/* For all vertices by id: whether the vertex or, with rings, one at the other end of an edge moves. The caller frees the array. */
static unsigned char *MovingVertices(const AbutMeshLocal *m, PetscInt every, PetscBool rings)
{
  unsigned char *near = calloc((size_t)m->num_global + 1, 1);

  for (PetscInt id = 0; id < m->num_global; id++) near[id] = (unsigned char)Moves(id, every);
  for (PetscInt e = 0; e < m->num_edges && rings; e++) {
    const PetscInt a = m->vertex_id[m->edges[2 * e]], b = m->vertex_id[m->edges[2 * e + 1]];
    if (Moves(a, every) || Moves(b, every)) near[a] = near[b] = 1;
  }
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, near, (int)m->num_global, MPI_UNSIGNED_CHAR, MPI_MAX, PETSC_COMM_WORLD), 0);
  return near;
}

/* Keeps the tuples with such a vertex, and pairs with half spaces; returns their number. */
static PetscInt Filter(PetscInt n, Tuple tuples[], const unsigned char near[])
{
  PetscInt kept = 0;

  for (PetscInt i = 0; i < n; i++) {
    PetscBool keep = (PetscBool)(tuples[i][0] == 3);
    for (int k = 1; k < 5; k++) keep = (PetscBool)(keep || (tuples[i][k] >= 0 && near[tuples[i][k]]));
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

/* Sums over comparisons: candidates that restrictions left out. */
typedef struct {
  PetscInt left_out;
} Sums;

/* Compares a restricted search with the tuples of the full one. */
static void CompareRestricted(const Scene *scene, Stage *s, PetscInt every, PetscInt all, const Tuple full[], Sums *sums)
{
  const AbutMeshLocal *m        = AbutMeshGetLocal(s->mesh);
  PetscBool           *moving   = malloc(sizeof(PetscBool) * (size_t)(m->num_local + 1));
  Tuple               *expected = malloc(sizeof(Tuple) * (size_t)(all + 1)), *found;
  unsigned char       *near     = MovingVertices(m, every, s->contact->ring.on);
  PetscInt             n, kept;

  memcpy(expected, full, sizeof(Tuple) * (size_t)all);
  for (PetscInt v = 0; v < m->num_local; v++) moving[v] = Moves(m->vertex_id[v], every);
  AbutContactRestrict(s->contact, moving);
  found = GatherTuples(StageSearch(s), PETSC_COMM_WORLD, &n);
  kept  = Filter(all, expected, near);
  ExpectEqual(scene, n, (const Tuple *)found, kept, (const Tuple *)expected);
  sums->left_out += all - kept;
  AbutContactRestrict(s->contact, NULL);
  free(near);
  free(moving);
  free(found);
  free(expected);
}

/* A full search, restricted ones of different vertices, the full one again. */
static void Compare(const Scene *scene, Stage *s, Sums *sums)
{
  static const PetscInt every[] = {0, 1, 7, 40, -1, -20, 3};
  PetscInt              all, n;
  Tuple                *full = GatherTuples(StageSearch(s), PETSC_COMM_WORLD, &all), *again;

  for (int k = 0; k < 7; k++) CompareRestricted(scene, s, every[k], all, (const Tuple *)full, sums);
  again = GatherTuples(StageSearch(s), PETSC_COMM_WORLD, &n);
  ExpectEqual(scene, n, (const Tuple *)again, all, (const Tuple *)full);
  free(full);
  free(again);
}

static Sums CompareAll(PetscBool rings, PetscBool balance)
{
  const AbutPlaneSpec plane = {"floor", {0, 0, 0}, {0, 0.6, 0.8}};
  Sums                sums  = {0};

  for (PetscInt i = 0; i < NumScenes; i++)
    for (SoupWay way = 0; way < SOUP_NUM_WAYS; way++) {
      Stage s;

      StageOpen(&s, &Scenes[i], PETSC_COMM_WORLD, way, 1, &plane);
      AbutTestCall(AbutContactSetOneRing(s.contact, rings));
      if (balance) StageSpread(&s, PetscMax(s.inflation, 1e-3));
      Compare(&Scenes[i], &s, &sums);
      StageClose(&s);
    }
  return sums;
}

/* With and without one-rings; candidates stay or move to ranks with few of them. */
static void InOneSearch(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    const Sums sums = CompareAll((PetscBool)(i % 2), (PetscBool)(i / 2));
    assert_true(sums.left_out > 1000);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(InOneSearch)};
  return AbutTestMain(argc, argv, tests);
}
