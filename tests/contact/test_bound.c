/* Too many pairs halve the step on all ranks, or give an error that names the option. Positions out of range are errors. */
#include "scenes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void SetBound(Stage *s, PetscInt pairs)
{
  char text[32];

  snprintf(text, sizeof(text), "%ld", (long)pairs);
  AbutTestCall(PetscOptionsSetValue(NULL, "-contact_max_pairs", text));
  AbutTestCall(AbutContactSetFromOptions(s->contact));
  AbutTestCall(PetscOptionsClearValue(NULL, "-contact_max_pairs"));
}

/* Largest number of pairs on a rank after a search with a large bound. */
static PetscInt Count(Stage *s, PetscReal step)
{
  const AbutCandidates *c;
  PetscInt              n;

  AbutTestCall(AbutContactSearch(s->contact, s->x_local, s->p_local, &step, s->inflation));
  c = AbutContactGetCandidates(s->contact);
  n = c->num_fv + c->num_ee + c->num_ev + c->num_pv;
  MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD);
  return n;
}

static void Halves(void **state)
{
  const AbutPlaneSpec plane  = {"floor", {0, 0, 0}, {0, 1, 0}};
  const PetscInt      some[] = {0, 3};

  (void)state;
  for (int i = 0; i < 2; i++) {
    Stage     s;
    PetscInt  at_rest, all;
    PetscReal step = 1, smallest;

    StageOpen(&s, &Scenes[some[i]], PETSC_COMM_WORLD, SOUP_SCATTERED, 1, &plane);
    for (PetscInt v = 0; v < s.soup.num_vertices * s.soup.dim; v++) s.p[v] *= 8;
    free(s.p_local);
    s.p_local = SoupLocal(s.mesh, s.p);
    at_rest   = Count(&s, 0);
    all       = Count(&s, 1);
    assert_true(all > at_rest + 20);
    SetBound(&s, (at_rest + all) / 2);
    AbutTestCall(AbutContactSearch(s.contact, s.x_local, s.p_local, &step, s.inflation));
    smallest = step;
    MPI_Allreduce(MPI_IN_PLACE, &smallest, 1, MPIU_REAL, MPIU_MIN, PETSC_COMM_WORLD);
    assert_true(step == smallest && step < 1 && step > 0 && log2(step) == floor(log2(step)));
    SetBound(&s, 1000000);
    assert_true(Count(&s, step) <= (at_rest + all) / 2);
    assert_true(Count(&s, 2 * step) > (at_rest + all) / 2);
    StageClose(&s);
  }
}

static void DoesNotFit(void **state)
{
  Stage          s;
  PetscReal      step = 1;
  PetscErrorCode ierr;

  (void)state;
  StageOpen(&s, &Scenes[7], PETSC_COMM_WORLD, SOUP_SCATTERED, 0, NULL); /* all vertices at one point */
  SetBound(&s, 1);
  ierr = AbutContactSearch(s.contact, s.x_local, s.p_local, &step, s.inflation);
  assert_int_equal(ierr, ABUT_ERR_DIVERGED);
  assert_non_null(strstr(AbutErrorMessage(), "-contact_max_pairs"));
  AbutErrorClear();
  ierr = AbutContactSearch(s.contact, s.x_local, NULL, NULL, s.inflation);
  assert_int_equal(ierr, ABUT_ERR_DIVERGED);
  AbutErrorClear();
  SetBound(&s, 1000000);
  assert_true(Count(&s, 1) > 1);
  StageClose(&s);
}

static void NotFinite(void **state)
{
  Stage                s;
  const AbutMeshLocal *m;
  PetscReal            step = 1;
  PetscInt             count;

  (void)state;
  StageOpen(&s, &Scenes[0], PETSC_COMM_WORLD, SOUP_SLABS, 0, NULL);
  m = AbutMeshGetLocal(s.mesh);
  for (PetscInt v = 0; v < m->num_local; v++) {
    if (m->vertex_id[v] == 10) s.p_local[3 * v + 1] = NAN;
  }
  assert_int_equal(AbutContactSearch(s.contact, s.x_local, s.p_local, &step, s.inflation), ABUT_ERR_DIVERGED);
  assert_non_null(strstr(AbutErrorMessage(), "vertex 10 of body 0"));
  AbutErrorClear();
  assert_int_equal(AbutContactCheck(s.contact, s.p_local, &count, NULL, NULL), ABUT_ERR_DIVERGED);
  AbutErrorClear();
  StageClose(&s);
}

static PetscInt NumCandidates(Stage *s)
{
  const AbutCandidates *c;

  c = AbutContactGetCandidates(s->contact);
  return c->num_fv + c->num_ee + c->num_ev + c->num_pv;
}

/* Coordinates beyond single precision: boxes stay finite, every pair is a candidate, and no floating-point exception occurs. */
static void BeyondSinglePrecision(void **state)
{
  static const PetscReal large[] = {1e20, 1e39, 1e60};

  (void)state;
  for (int i = 0; i < 3; i++) {
    Stage                s;
    const AbutMeshLocal *m;
    PetscInt             far, all;
    PetscReal            step = 1;

    StageOpen(&s, &Scenes[0], PETSC_COMM_WORLD, SOUP_SLABS, 0, NULL);
    m = AbutMeshGetLocal(s.mesh);
    AbutTestCall(AbutContactSearch(s.contact, s.x_local, NULL, NULL, 1e6));
    all = NumCandidates(&s);
    AbutTestCall(AbutContactSearch(s.contact, s.x_local, NULL, NULL, large[i]));
    assert_int_equal(NumCandidates(&s), all);
    for (PetscInt v = 0; v < m->num_local; v++) s.p_local[3 * v] += (m->vertex_body[v] % 2 ? 1 : -1) * 0.9 * large[i];
    AbutTestCall(AbutContactSearch(s.contact, s.x_local, s.p_local, &step, s.inflation));
    far = NumCandidates(&s);
    assert_true(step == 1 && far <= all);
    AbutTestCall(AbutContactCheck(s.contact, s.p_local, &far, NULL, NULL));
    StageClose(&s);
  }
}

/* Beyond the supported range all ranks leave with the same error, which names the vertex or the distance; the next search works. */
static void BeyondTheRange(void **state)
{
  static const PetscReal large[] = {1.1e60, 1e300};

  (void)state;
  for (int i = 0; i < 2; i++) {
    Stage                s;
    const AbutMeshLocal *m;
    PetscReal            step = 1;
    PetscInt             before;

    StageOpen(&s, &Scenes[0], PETSC_COMM_WORLD, SOUP_SLABS, 0, NULL);
    m = AbutMeshGetLocal(s.mesh);
    AbutTestCall(AbutContactSearch(s.contact, s.x_local, NULL, NULL, s.inflation));
    before = NumCandidates(&s);
    assert_int_equal(AbutContactSearch(s.contact, s.x_local, s.p_local, &step, large[i]), ABUT_ERR_DIVERGED);
    assert_non_null(strstr(AbutErrorMessage(), "contact distance"));
    AbutErrorClear();
    for (PetscInt v = 0; v < m->num_local; v++)
      if (m->vertex_id[v] == 10) s.p_local[3 * v + 1] = -large[i];
    assert_int_equal(AbutContactSearch(s.contact, s.x_local, s.p_local, &step, s.inflation), ABUT_ERR_DIVERGED);
    assert_non_null(strstr(AbutErrorMessage(), "vertex 10 of body 0"));
    AbutErrorClear();
    AbutTestCall(AbutContactSearch(s.contact, s.x_local, NULL, NULL, s.inflation));
    assert_int_equal(NumCandidates(&s), before);
    StageClose(&s);
  }
}

static void BadOptions(void **state)
{
  static const char *const bad[2][2] = {{"-contact_max_pairs", "0"}, {"-contact_balance", "0.5"}};
  Stage                    s;

  (void)state;
  for (int i = 0; i < 2; i++) {
    StageOpen(&s, &Scenes[8], PETSC_COMM_WORLD, SOUP_SLABS, 0, NULL);
    AbutTestCall(PetscOptionsSetValue(NULL, bad[i][0], bad[i][1]));
    assert_int_equal(AbutContactSetFromOptions(s.contact), ABUT_ERR_INPUT);
    assert_non_null(strstr(AbutErrorMessage(), bad[i][0]));
    AbutErrorClear();
    AbutTestCall(PetscOptionsClearValue(NULL, bad[i][0]));
    StageClose(&s);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Halves),         cmocka_unit_test(DoesNotFit),
                                     cmocka_unit_test(NotFinite),      cmocka_unit_test(BeyondSinglePrecision),
                                     cmocka_unit_test(BeyondTheRange), cmocka_unit_test(BadOptions)};
  return AbutTestMain(argc, argv, tests);
}
