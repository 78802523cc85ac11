/* Redistribution of candidates: each pair on exactly one rank, current vertices, equal sums and step bounds, loads within the limit. */
#include "contactimpl.h"
#include "scenes.h"
#include <stdlib.h>
#include <string.h>

static PetscBool rings; /* candidates with one-rings */

static void OpenOne(Stage *s, const Scene *scene)
{
  StageOpen(s, scene, PETSC_COMM_SELF, SOUP_SLABS, 0, NULL);
  AbutTestCall(AbutContactSetOneRing(s->contact, rings));
}

/* Opens a scene whose ranks keep no more than the mean load. */
static void Open(Stage *s, const Scene *scene, SoupWay way)
{
  StageOpen(s, scene, PETSC_COMM_WORLD, way, 0, NULL);
  AbutTestCall(AbutContactSetOneRing(s->contact, rings));
  StageSpread(s, 0.5 * scene->inflation + 1e-9);
}

static PetscReal Distance2(const AbutCandidates *c, AbutPairKind kind, int n, const PetscInt v[])
{
  PetscReal x[12];

  for (int i = 0; i < n; i++)
    for (PetscInt k = 0; k < c->dim; k++) x[c->dim * i + k] = c->x[c->dim * v[i] + k];
  return AbutPairDist2(kind, (int)c->dim, x);
}

/* Load of a rank, by the definition in contact.h. */
static PetscInt64 LoadOf(const Stage *s, const AbutCandidates *c)
{
  const PetscReal  d2      = PetscSqr(s->contact->balance.distance);
  const PetscInt64 contact = s->contact->balance.policy.contact;
  PetscInt64       load    = 0;

  for (PetscInt i = 0; i < c->num_fv; i++) load += Distance2(c, ABUT_PAIR_FV, 4, c->fv[i]) < d2 ? contact : 1;
  for (PetscInt i = 0; i < c->num_ee; i++) load += Distance2(c, ABUT_PAIR_EE, 4, c->ee[i]) < d2 ? contact : 1;
  for (PetscInt i = 0; i < c->num_ev; i++) load += Distance2(c, ABUT_PAIR_EV, 3, c->ev[i]) < d2 ? contact : 1;
  return load;
}

/* Copies of vertices hold the data of their owners, each vertex once. */
static void ExpectTrueCopies(const Stage *s, const AbutCandidates *c)
{
  PetscInt *met = calloc((size_t)s->soup.num_vertices + 1, sizeof(*met));

  for (PetscInt v = 0; v < c->num_vertices; v++) {
    const PetscInt id = c->vertex_id[v];

    assert_int_equal(met[id]++, 0);
    assert_int_equal(c->vertex_body[v], s->soup.body[id]);
    for (PetscInt k = 0; k < c->dim; k++) {
      assert_true(c->x[c->dim * v + k] == s->soup.rest[c->dim * id + k] && c->rest[c->dim * v + k] == c->x[c->dim * v + k]);
      assert_true(c->p[c->dim * v + k] == s->p[c->dim * id + k]);
    }
  }
  free(met);
}

/* The candidates of all ranks are the candidates of one rank: none is missing, none appears twice. No load exceeds the mean. */
static void CheckPairs(void)
{
  PetscMPIInt size;
  PetscInt    any_moved = 0;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  for (PetscInt i = 0; i < NumScenes; i++) {
    for (SoupWay way = 0; way < SOUP_NUM_WAYS; way++) {
      Stage      one, all;
      PetscInt   num_one, num_all;
      PetscInt64 load, sum, allowed;
      Tuple     *from_one, *from_all;

      OpenOne(&one, &Scenes[i]);
      Open(&all, &Scenes[i], way);
      from_one = GatherTuples(StageSearch(&one), PETSC_COMM_SELF, &num_one);
      for (int again = 0; again < 3; again++) {
        const AbutCandidates *c;

        if (again == 2) { /* forgets the candidates that moved */
          AbutTestCall(AbutContactSetOneRing(all.contact, (PetscBool)!rings));
          AbutTestCall(AbutContactSetOneRing(all.contact, rings));
        }
        c        = StageSearch(&all);
        from_all = GatherTuples(c, PETSC_COMM_WORLD, &num_all);
        if (num_one != num_all) fail_msg("%s: %ld pairs on one rank, %ld on all", Scenes[i].name, (long)num_one, (long)num_all);
        assert_memory_equal(from_one, from_all, sizeof(Tuple) * (size_t)num_one);
        free(from_all);
        ExpectTrueCopies(&all, c);
        load = LoadOf(&all, c);
        AbutTestCall(MPI_Allreduce(&load, &sum, 1, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD));
        /* each transfer is rounded to a candidate */
        allowed = sum / size + 1 + 16 * (1 + all.contact->balance.neighbours.exchange.num_recv);
        if (load > allowed) fail_msg("%s: load %ld, at most %ld expected", Scenes[i].name, (long)load, (long)allowed);
      }
      any_moved += all.contact->balance.active;
      free(from_one);
      StageClose(&one);
      StageClose(&all);
    }
  }
  assert_true(size == 1 ? any_moved == 0 : any_moved > NumScenes);
}

/* A small integer for each vertex of a pair, so that sums have no round-off. */
static void AddPair(const AbutCandidates *c, PetscInt n, const PetscInt v[], PetscReal values[])
{
  PetscInt sum = 0;

  for (PetscInt i = 0; i < n; i++) sum += (i + 1) * c->vertex_id[v[i]];
  for (PetscInt i = 0; i < n; i++) values[v[i]] += (PetscReal)(sum % 97 + i);
}

/* Sums at owned vertices by vertex id, over all ranks of `comm`; to be freed. */
static PetscReal *SumById(const Stage *s, const AbutCandidates *c, MPI_Comm comm)
{
  const AbutMeshLocal *m      = AbutMeshGetLocal(s->mesh);
  PetscReal           *values = calloc((size_t)c->num_vertices + 1, sizeof(*values));
  PetscReal           *by_id  = calloc((size_t)m->num_global + 1, sizeof(*by_id));

  for (PetscInt i = 0; i < c->num_fv; i++) AddPair(c, 4, c->fv[i], values);
  for (PetscInt i = 0; i < c->num_ee; i++) AddPair(c, 4, c->ee[i], values);
  for (PetscInt i = 0; i < c->num_ev; i++) AddPair(c, 3, c->ev[i], values);
  AbutTestCall(AbutContactReduceAdd(s->contact, 1, values));
  for (PetscInt v = 0; v < m->num_owned; v++) by_id[m->vertex_id[v]] = values[v];
  AbutTestCall(MPI_Allreduce(MPI_IN_PLACE, by_id, (PetscMPIInt)m->num_global, MPIU_REAL, MPI_SUM, comm));
  free(values);
  return by_id;
}

static void EveryPairOnce(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    rings = (PetscBool)i;
    CheckPairs();
  }
}

static void CheckSumsAndBounds(void)
{
  for (PetscInt i = 0; i < NumScenes; i++) {
    for (SoupWay way = 0; way < SOUP_NUM_WAYS; way++) {
      Stage            one, all;
      PetscReal       *expected, *found, bound_one = 1, bound_all = 1;
      AbutLimitingPair limiting;

      OpenOne(&one, &Scenes[i]);
      Open(&all, &Scenes[i], way);
      expected = SumById(&one, StageSearch(&one), PETSC_COMM_SELF);
      found    = SumById(&all, StageSearch(&all), PETSC_COMM_WORLD);
      for (PetscInt v = 0; v < one.soup.num_vertices; v++) assert_true(expected[v] == found[v]);
      AbutTestCall(AbutContactMaxStep(one.contact, 0.8, PETSC_INFINITY, &bound_one, &limiting));
      AbutTestCall(AbutContactMaxStep(all.contact, 0.8, PETSC_INFINITY, &bound_all, &limiting));
      if (PetscAbsReal(bound_one - bound_all) > 1e-9) fail_msg("%s: bounds %g, %g", Scenes[i].name, (double)bound_one, (double)bound_all);
      free(expected);
      free(found);
      StageClose(&one);
      StageClose(&all);
    }
  }
}

static void SameSumsAndBounds(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    rings = (PetscBool)i;
    CheckSumsAndBounds();
  }
}

/* All ranks have the same plan: load is conserved, no rank ends above the limit or both sends and receives. */
static void Plan(void **state)
{
  enum { SIZE = 37 };
  const AbutBalancePolicy policy = {.tolerance = 1.2, .minimum = 50, .contact = 16};
  uint64_t                seed   = 3;

  (void)state;
  for (int round = 0; round < 50; round++) {
    PetscInt64 own[SIZE], room[SIZE], load[SIZE][SIZE], limit = 0, sum = 0;

    for (int r = 0; r < SIZE; r++)
      own[r] = round == 0 ? 0 : round == 1 ? 100000 * (r == 5) : (PetscInt64)(1e4 * PetscPowReal(AbutTestRandom(&seed), round));
    for (int r = 0; r < SIZE; r++) own[r] = PetscMax(own[r], 0);
    for (int r = 0; r < SIZE; r++) sum += own[r];
    for (int r = 0; r < SIZE; r++) AbutBalancePlan(SIZE, r, own, &policy, &limit, room, load[r]);
    assert_true(limit >= 50 && (PetscReal)limit >= 1.2 * (PetscReal)sum / SIZE &&
                (limit == 50 || (PetscReal)limit < 1.2 * (PetscReal)sum / SIZE + 1));
    for (int r = 0; r < SIZE; r++) {
      PetscInt64 after = own[r];

      for (int q = 0; q < SIZE; q++) {
        assert_true(load[r][q] == load[q][r] && load[r][q] >= 0);
        after += own[r] > limit ? -load[r][q] : load[r][q];
      }
      assert_true(own[r] > limit ? after == limit : after >= own[r] && after <= limit);
    }
  }
}

/* Without an active distance all candidates stay on the rank that found them. */
static void OffByDefault(void **state)
{
  Stage s;

  (void)state;
  Open(&s, &Scenes[0], SOUP_LAST_RANK);
  AbutTestCall(AbutContactSetActiveDistance(s.contact, 0));
  (void)StageSearch(&s);
  assert_false(s.contact->balance.active);
  AbutTestCall(AbutContactSetActiveDistance(s.contact, 0.1));
  (void)StageSearch(&s);
  assert_int_equal(s.contact->balance.active, s.contact->size > 1);
  StageClose(&s);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(EveryPairOnce), cmocka_unit_test(SameSumsAndBounds), cmocka_unit_test(Plan),
                                     cmocka_unit_test(OffByDefault)};
  return AbutTestMain(argc, argv, tests);
}
