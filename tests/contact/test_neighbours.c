/* Sums over contact vertices reach their owners, each value once, with the same bits every time. */
#include "scenes.h"
#include <stdlib.h>
#include <string.h>

/* Adds to each of n vertices a number that depends on the pair; exact: a small integer, so that sums have no round-off. */
static void AddPair(const AbutCandidates *c, PetscInt n, const PetscInt v[], PetscBool exact, PetscInt width, PetscReal values[])
{
  PetscInt sum = 0;

  for (PetscInt i = 0; i < n; i++) sum += (i + 1) * c->vertex_id[v[i]];
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = 0; k < width; k++)
      values[v[i] * width + k] += exact ? (PetscReal)(sum % 97 + i + 10 * k) : 1 / (1. + (PetscReal)(sum + i + k));
  }
}

/* Returns the sums over all pairs at the owned vertices. The caller frees them. */
static PetscReal *Sum(Stage *s, PetscBool exact, PetscInt width)
{
  const AbutCandidates *c;
  PetscReal             step = 1, *values;

  AbutTestCall(AbutContactSearch(s->contact, s->x_local, s->p_local, &step, s->inflation));
  c      = AbutContactGetCandidates(s->contact);
  values = calloc((size_t)(c->num_vertices * width + 1), sizeof(*values));
  for (PetscInt i = 0; i < c->num_fv; i++) AddPair(c, 4, c->fv[i], exact, width, values);
  for (PetscInt i = 0; i < c->num_ee; i++) AddPair(c, 4, c->ee[i], exact, width, values);
  for (PetscInt i = 0; i < c->num_ev; i++) AddPair(c, 3, c->ev[i], exact, width, values);
  AbutTestCall(AbutContactReduceAdd(s->contact, width, values));
  return values;
}

static void SameAsOnOneRank(void **state)
{
  (void)state;
  for (PetscInt i = 0; i < NumScenes; i++) {
    for (PetscInt width = 1; width <= 3; width += 2) {
      Stage                one, all;
      const AbutMeshLocal *m, *m_one;
      PetscReal           *expected, *found, *by_id;

      StageOpen(&one, &Scenes[i], PETSC_COMM_SELF, SOUP_SLABS, 0, NULL);
      StageOpen(&all, &Scenes[i], PETSC_COMM_WORLD, i % 2 ? SOUP_SLABS : SOUP_SCATTERED, 0, NULL);
      expected = Sum(&one, PETSC_TRUE, width);
      found    = Sum(&all, PETSC_TRUE, width);
      m        = AbutMeshGetLocal(all.mesh);
      m_one    = AbutMeshGetLocal(one.mesh);
      by_id    = calloc((size_t)(m->num_global * width + 1), sizeof(*by_id));
      for (PetscInt v = 0; v < m_one->num_owned * width; v++) by_id[m_one->vertex_id[v / width] * width + v % width] = expected[v];
      for (PetscInt v = 0; v < m->num_owned * width; v++) assert_true(found[v] == by_id[m->vertex_id[v / width] * width + v % width]);
      free(expected);
      free(found);
      free(by_id);
      StageClose(&one);
      StageClose(&all);
    }
  }
}

/* Sums are equal bit for bit after other searches and after AbutContactForget(), which change trees and Verlet list. */
static void SameEveryTime(void **state)
{
  (void)state;
  for (PetscInt i = 0; i < NumScenes; i++) {
    Stage                s;
    const AbutMeshLocal *m;
    PetscReal           *first, *again;

    StageOpen(&s, &Scenes[i], PETSC_COMM_WORLD, SOUP_SCATTERED, 0, NULL);
    m     = AbutMeshGetLocal(s.mesh);
    first = Sum(&s, PETSC_FALSE, 3);
    free(Sum(&s, PETSC_FALSE, 3));
    AbutTestCall(AbutContactForget(s.contact));
    again = Sum(&s, PETSC_FALSE, 3);
    assert_memory_equal(first, again, sizeof(PetscReal) * (size_t)(3 * m->num_owned));
    free(first);
    free(again);
    StageClose(&s);
  }
}

/* Each rank counts its messages; a single rank counts only the collective exchange of hulls. */
static void Traffic(void **state)
{
  Stage          s;
  PetscLogDouble before[2], after[2];
  PetscReal     *sums;
  PetscMPIInt    size;

  (void)state;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  StageOpen(&s, &Scenes[0], PETSC_COMM_WORLD, SOUP_SCATTERED, 0, NULL);
  AbutTestCall(AbutContactGetTraffic(s.contact, &before[0], &before[1]));
  sums = Sum(&s, PETSC_TRUE, 3);
  AbutTestCall(AbutContactGetTraffic(s.contact, &after[0], &after[1]));
  assert_true(before[0] == 0 && before[1] == 0);
  assert_true(after[0] == 1 + 3 * (size - 1)); /* 1 message with the hull; boxes, entities and sums to all other ranks */
  assert_true(after[1] > 0);
  free(sums);
  StageClose(&s);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SameAsOnOneRank), cmocka_unit_test(SameEveryTime), cmocka_unit_test(Traffic)};
  return AbutTestMain(argc, argv, tests);
}
