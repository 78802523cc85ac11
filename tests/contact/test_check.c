/* The exact check finds every intersection once, on any number of ranks, and leaves the candidates unchanged. */
#include "scenes.h"
#include <stdlib.h>
#include <string.h>

static PetscBool Share(PetscInt a, PetscInt b, PetscInt n, const PetscInt v[])
{
  for (PetscInt i = 0; i < n; i++) {
    if (v[i] == a || v[i] == b) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscInt BruteForce(const Soup *soup)
{
  const PetscReal *x     = soup->rest;
  PetscInt         count = 0;

  for (PetscInt e = 0; e < soup->num_edges; e++) {
    const PetscInt  a = soup->edges[e][0], b = soup->edges[e][1];
    const PetscBool obstacle = soup->obstacle[soup->body[a]];

    for (PetscInt f = 0; f < soup->num_faces; f++) {
      const PetscInt *v = soup->faces[f];

      if (Share(a, b, 3, v) || (obstacle && soup->obstacle[soup->body[v[0]]])) continue;
      count += AbutSegmentTriangleIntersect(x + 3 * a, x + 3 * b, x + 3 * v[0], x + 3 * v[1], x + 3 * v[2]);
    }
    for (PetscInt f = e + 1; f < soup->num_edges && soup->dim == 2; f++) {
      const PetscInt *v = soup->edges[f];

      if (Share(a, b, 2, v) || (obstacle && soup->obstacle[soup->body[v[0]]])) continue;
      count += AbutSegmentsIntersect2D(x + 2 * a, x + 2 * b, x + 2 * v[0], x + 2 * v[1]);
    }
  }
  return count;
}

static int Compare(const void *a, const void *b)
{
  return memcmp(a, b, sizeof(AbutIntersection));
}

/* Gathers the intersections of all ranks on every rank. The caller frees them. */
static AbutIntersection *GatherCrossings(PetscInt n, const AbutIntersection mine[], PetscInt *count)
{
  PetscMPIInt       size, bytes = (PetscMPIInt)((size_t)n * sizeof(*mine)), counts[16], starts[17] = {0};
  AbutIntersection *all;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  MPI_Allgather(&bytes, 1, MPI_INT, counts, 1, MPI_INT, PETSC_COMM_WORLD);
  for (PetscMPIInt r = 0; r < size; r++) starts[r + 1] = starts[r] + counts[r];
  all = malloc((size_t)starts[size] + 1);
  MPI_Allgatherv(mine, bytes, MPI_BYTE, all, counts, starts, MPI_BYTE, PETSC_COMM_WORLD);
  *count = (PetscInt)((size_t)starts[size] / sizeof(*mine));
  qsort(all, (size_t)*count, sizeof(*all), Compare);
  return all;
}

static void FindsAllOnce(void **state)
{
  PetscInt scenes_with_crossings = 0;

  (void)state;
  for (PetscInt i = 0; i < NumScenes; i++) {
    for (SoupWay way = 0; way < SOUP_NUM_WAYS; way++) {
      Stage             s;
      PetscInt          count, local, total, expected;
      AbutIntersection *mine, *all;

      StageOpen(&s, &Scenes[i], PETSC_COMM_WORLD, way, 0, NULL);
      expected = BruteForce(&s.soup);
      AbutTestCall(AbutContactCheck(s.contact, s.x_local, &count, &local, &mine));
      if (count != expected) fail_msg("%s: %ld crossings found, there are %ld", Scenes[i].name, (long)count, (long)expected);
      all = GatherCrossings(local, mine, &total);
      assert_int_equal(total, expected); /* fewer than a rank reports at most */
      for (PetscInt k = 1; k < local; k++) assert_true(mine[k - 1].edge[0] <= mine[k].edge[0]);
      for (PetscInt k = 1; k < total; k++) assert_true(Compare(&all[k - 1], &all[k]) != 0);
      for (PetscInt k = 0; k < total; k++) {
        assert_int_equal(all[k].body[0], s.soup.body[all[k].edge[0]]);
        assert_int_equal(all[k].body[1], s.soup.body[all[k].face[0]]);
      }
      if (expected) scenes_with_crossings++;
      free(all);
      AbutTestCall(PetscFree(mine));
      StageClose(&s);
    }
  }
  assert_int_equal(scenes_with_crossings, 4 * SOUP_NUM_WAYS); /* random triangles and segments, grids on each other, one point */
}

static void BehindPlane(void **state)
{
  const AbutPlaneSpec plane = {"floor", {0, 0, 0.05}, {0, 0, 1}};
  Stage               s;
  PetscInt            count;

  (void)state;
  StageOpen(&s, &Scenes[8], PETSC_COMM_WORLD, SOUP_SLABS, 1, &plane); /* one triangle below the plane, one exactly in it */
  AbutTestCall(AbutContactCheck(s.contact, s.x_local, &count, NULL, NULL));
  assert_int_equal(count, 6);
  StageClose(&s);
}

static void LeavesCandidates(void **state)
{
  Stage                 s;
  const AbutCandidates *c;
  PetscReal             step = 1;
  PetscInt              count, num_before, num_after;
  Tuple                *before, *after;

  (void)state;
  StageOpen(&s, &Scenes[0], PETSC_COMM_WORLD, SOUP_SCATTERED, 0, NULL);
  AbutTestCall(AbutContactSearch(s.contact, s.x_local, s.p_local, &step, s.inflation));
  c                           = AbutContactGetCandidates(s.contact);
  before                      = GatherTuples(c, PETSC_COMM_WORLD, &num_before);
  const PetscInt num_vertices = c->num_vertices;
  AbutTestCall(AbutContactCheck(s.contact, s.p_local, &count, NULL, NULL));
  after = GatherTuples(c, PETSC_COMM_WORLD, &num_after);
  assert_int_equal(num_before, num_after);
  assert_int_equal(num_vertices, c->num_vertices);
  assert_memory_equal(before, after, sizeof(Tuple) * (size_t)num_before);
  free(before);
  free(after);
  StageClose(&s);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(FindsAllOnce), cmocka_unit_test(BehindPlane), cmocka_unit_test(LeavesCandidates)};
  return AbutTestMain(argc, argv, tests);
}
