/* Candidates: complete, without duplicates or distant pairs, and equal for any number of ranks and any distribution. */
#include "scenes.h"
#include <stdlib.h>
#include <string.h>

static void Position(const Stage *s, PetscInt id, PetscReal t, PetscReal x[])
{
  for (PetscInt k = 0; k < s->soup.dim; k++) x[k] = s->soup.rest[s->soup.dim * id + k] + t * s->p[s->soup.dim * id + k];
}

/* Whether the pair of a tuple comes within the inflation at one of the sampled times. */
static PetscBool ComesNear(const Stage *s, const Tuple tuple)
{
  static const AbutPairKind kinds[3] = {ABUT_PAIR_FV, ABUT_PAIR_EE, ABUT_PAIR_EV};
  const PetscInt            dim      = s->soup.dim;
  PetscReal                 x[12];

  for (int i = 0; i <= 16; i++) {
    for (int v = 0; v < (tuple[0] == 2 ? 3 : 4); v++) Position(s, tuple[1 + v], i / 16., x + dim * v);
    if (AbutPairDist2(kinds[tuple[0]], dim, x) <= s->inflation * s->inflation) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Distance of the swept boxes of both entities of a tuple, in the largest component. */
static PetscReal BoxDistance(const Stage *s, const Tuple tuple)
{
  const int na = tuple[0] == 1 ? 2 : 1, n = tuple[0] == 2 ? 3 : 4;
  PetscReal gap = -PETSC_INFINITY;

  for (PetscInt k = 0; k < s->soup.dim; k++) {
    PetscReal lo[2] = {PETSC_INFINITY, PETSC_INFINITY}, hi[2] = {-PETSC_INFINITY, -PETSC_INFINITY};

    for (int v = 0; v < 2 * n; v++) {
      PetscReal x[3];

      Position(s, tuple[1 + v / 2], v % 2, x);
      lo[v / 2 >= na] = PetscMin(lo[v / 2 >= na], x[k]);
      hi[v / 2 >= na] = PetscMax(hi[v / 2 >= na], x[k]);
    }
    gap = PetscMax(gap, PetscMax(lo[1] - hi[0], lo[0] - hi[1]));
  }
  return gap;
}

static PetscBool Excluded(const Stage *s, const Tuple tuple)
{
  const int na = tuple[0] == 1 ? 2 : 1, n = tuple[0] == 2 ? 3 : 4;

  for (int i = 0; i < na; i++) {
    for (int j = na; j < n; j++) {
      if (tuple[1 + i] == tuple[1 + j]) return PETSC_TRUE;
    }
  }
  return (PetscBool)(s->soup.obstacle[s->soup.body[tuple[1]]] && s->soup.obstacle[s->soup.body[tuple[1 + na]]]);
}

/* Checks one pair of the brute-force loop: it must be a candidate if it comes within the inflation. */
static void Expect(const Stage *s, const Scene *scene, PetscInt count, Tuple *tuples, const Tuple tuple)
{
  if (Excluded(s, tuple) || !ComesNear(s, tuple)) return;
  if (!bsearch(tuple, tuples, (size_t)count, sizeof(Tuple), CompareTuples))
    fail_msg("%s: pair of kind %ld, vertices %ld %ld %ld %ld, was missed", scene->name, (long)tuple[0], (long)tuple[1], (long)tuple[2],
             (long)tuple[3], (long)tuple[4]);
}

static void ExpectAll(const Stage *s, const Scene *scene, PetscInt count, Tuple *tuples)
{
  const Soup *soup = &s->soup;

  for (PetscInt i = 0; i < soup->num_points; i++) {
    for (PetscInt f = 0; f < soup->num_faces; f++)
      Expect(s, scene, count, tuples, (Tuple){0, soup->points[i], soup->faces[f][0], soup->faces[f][1], soup->faces[f][2]});
    for (PetscInt e = 0; e < soup->num_edges && soup->dim == 2; e++)
      Expect(s, scene, count, tuples, (Tuple){2, soup->points[i], soup->edges[e][0], soup->edges[e][1], -1});
  }
  for (PetscInt e = 0; e < soup->num_edges && soup->dim == 3; e++) {
    for (PetscInt g = e + 1; g < soup->num_edges; g++)
      Expect(s, scene, count, tuples, (Tuple){1, soup->edges[e][0], soup->edges[e][1], soup->edges[g][0], soup->edges[g][1]});
  }
}

static Tuple *Search(Stage *s, MPI_Comm comm, PetscInt *count)
{
  return GatherTuples(StageSearch(s), comm, count);
}

static void BruteForce(void **state)
{
  PetscMPIInt size;

  (void)state;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  for (PetscInt i = 0; i < NumScenes && size == 1; i++) {
    Stage    s;
    PetscInt count;
    Tuple   *tuples;

    StageOpen(&s, &Scenes[i], PETSC_COMM_SELF, SOUP_SLABS, 0, NULL);
    tuples = Search(&s, PETSC_COMM_SELF, &count);
    ExpectAll(&s, &Scenes[i], count, tuples);
    for (PetscInt t = 0; t < count; t++) {
      if (t) assert_true(CompareTuples(tuples[t - 1], tuples[t]) < 0);
      assert_false(Excluded(&s, tuples[t]));
      assert_true(BoxDistance(&s, tuples[t]) <= s.inflation * (1 + 1e-12));
    }
    if (strcmp(Scenes[i].name, "nothing")) assert_true(count > 0);
    free(tuples);
    StageClose(&s);
  }
}

static void SameOnAllRanks(void **state)
{
  (void)state;
  for (PetscInt i = 0; i < NumScenes; i++) {
    for (SoupWay way = 0; way < SOUP_NUM_WAYS; way++) {
      Stage    one, all;
      PetscInt num_one, num_all;
      Tuple   *from_one, *from_all;

      StageOpen(&one, &Scenes[i], PETSC_COMM_SELF, SOUP_SLABS, 0, NULL);
      StageOpen(&all, &Scenes[i], PETSC_COMM_WORLD, way, 0, NULL);
      from_one = Search(&one, PETSC_COMM_SELF, &num_one);
      from_all = Search(&all, PETSC_COMM_WORLD, &num_all);
      if (num_one != num_all) fail_msg("%s: %ld pairs on one rank, %ld on all", Scenes[i].name, (long)num_one, (long)num_all);
      assert_memory_equal(from_one, from_all, sizeof(Tuple) * (size_t)num_one);
      free(from_one);
      free(from_all);
      StageClose(&one);
      StageClose(&all);
    }
  }
}

/* The order of the candidates does not depend on earlier searches. */
static void OrderWithoutHistory(void **state)
{
  (void)state;
  for (PetscInt i = 0; i < NumScenes; i++) {
    Stage                 a, b;
    const AbutCandidates *ca, *cb;
    PetscReal             step = 1;

    StageOpen(&a, &Scenes[i], PETSC_COMM_WORLD, SOUP_SCATTERED, 0, NULL);
    StageOpen(&b, &Scenes[i], PETSC_COMM_WORLD, SOUP_SCATTERED, 0, NULL);
    AbutTestCall(AbutContactSearch(a.contact, a.p_local, a.x_local, &step, 0.3));
    ca = StageSearch(&a);
    cb = StageSearch(&b);
    assert_int_equal(ca->num_fv, cb->num_fv);
    assert_int_equal(ca->num_ee, cb->num_ee);
    assert_int_equal(ca->num_ev, cb->num_ev);
    for (PetscInt j = 0; j < 4 * ca->num_fv; j++)
      assert_int_equal(ca->vertex_id[ca->fv[j / 4][j % 4]], cb->vertex_id[cb->fv[j / 4][j % 4]]);
    for (PetscInt j = 0; j < 4 * ca->num_ee; j++)
      assert_int_equal(ca->vertex_id[ca->ee[j / 4][j % 4]], cb->vertex_id[cb->ee[j / 4][j % 4]]);
    for (PetscInt j = 0; j < 3 * ca->num_ev; j++)
      assert_int_equal(ca->vertex_id[ca->ev[j / 3][j % 3]], cb->vertex_id[cb->ev[j / 3][j % 3]]);
    StageClose(&a);
    StageClose(&b);
  }
}

/* The data of all contact vertices equal the data on their owners. */
static void CopiesAreTrue(void **state)
{
  (void)state;
  for (PetscInt i = 0; i < NumScenes; i++) {
    Stage                 s;
    const AbutCandidates *c;
    PetscInt             *met;

    StageOpen(&s, &Scenes[i], PETSC_COMM_WORLD, SOUP_SCATTERED, 0, NULL);
    c   = StageSearch(&s);
    met = calloc((size_t)s.soup.num_vertices + 1, sizeof(*met));
    for (PetscInt v = 0; v < c->num_vertices; v++) {
      const PetscInt id = c->vertex_id[v];

      assert_int_equal(met[id]++, 0);
      assert_int_equal(c->vertex_body[v], s.soup.body[id]);
      for (PetscInt k = 0; k < c->dim; k++) {
        assert_true(c->x[c->dim * v + k] == s.soup.rest[c->dim * id + k] && c->rest[c->dim * v + k] == c->x[c->dim * v + k]);
        assert_true(c->p[c->dim * v + k] == s.p[c->dim * id + k]);
      }
    }
    free(met);
    StageClose(&s);
  }
}

/* On a ribbon cut into slabs each rank exchanges data with its neighbours only, and has copies of entities near its ends only. */
static void CopiesAreFew(void **state)
{
  Stage                 s;
  const AbutCandidates *c;
  const AbutMeshLocal  *m;
  PetscLogDouble        messages, bytes;

  (void)state;
  StageOpenRibbon(&s);
  c = StageSearch(&s);
  m = AbutMeshGetLocal(s.mesh);
  AbutTestCall(AbutContactGetTraffic(s.contact, &messages, &bytes));
  assert_true(messages <= 5);                                /* the hull; boxes and entities for two neighbours */
  assert_true(c->num_vertices - m->num_local <= 2 * 2 * 10); /* two ends, two rows, ten columns: several boxes' length */
  StageClose(&s);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(BruteForce), cmocka_unit_test(SameOnAllRanks), cmocka_unit_test(OrderWithoutHistory),
                                     cmocka_unit_test(CopiesAreTrue), cmocka_unit_test(CopiesAreFew)};
  return AbutTestMain(argc, argv, tests);
}
