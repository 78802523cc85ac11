/* Searches from a Verlet list find the candidates of a search without one, in the same order, with current copies. */
#include "contactimpl.h"
#include "scenes.h"
#include <stdlib.h>
#include <string.h>

#define SEARCHES 24

/*
  Motion of the surface over many searches: bodies drift past each other, and each vertex has a motion of its own. Steps are equal at first,
  then decrease.
*/
typedef struct {
  PetscInt   n;
  PetscReal *x, *p; /* of all vertices */
  PetscReal  drift[3];
  uint64_t   seed;
} Walk;

static void Turn(Walk *walk, const Stage *s, PetscReal speed, int search)
{
  const PetscReal pace = speed * PetscPowReal(0.3, PetscMax(search % 12 - 7, 0));

  for (int k = 0; k < 3 && search % 12 == 0; k++) walk->drift[k] = AbutTestRandom(&walk->seed);
  for (PetscInt i = 0; i < walk->n; i++)
    walk->p[i] = pace * ((s->soup.body[i / s->soup.dim] % 2 ? -1 : 1) * walk->drift[i % s->soup.dim] + 0.1 * AbutTestRandom(&walk->seed));
}

/* Stencils of nv contact vertices each. */
typedef struct {
  const AbutCandidates *c;
  PetscInt              num;
  const PetscInt       *v;
} Stencils;

static void ExpectSameStencils(const Scene *scene, int search, int nv, Stencils a, Stencils b)
{
  if (a.num != b.num) fail_msg("%s: search %d: %ld pairs, %ld without a list", scene->name, search, (long)a.num, (long)b.num);
  for (PetscInt i = 0; i < nv * a.num; i++) assert_int_equal(a.c->vertex_id[a.v[i]], b.c->vertex_id[b.v[i]]);
}

/* The one-rings of the candidates: numbers of faces and edges, faces at their vertices. */
static void ExpectSameRings(const AbutCandidates *a, const AbutCandidates *b)
{
  const AbutOneRing *ra = a->one_ring, *rb = b->one_ring;

  for (PetscInt i = 0; i < a->num_fv; i++) {
    assert_int_equal(ra->face_id[a->fv_face[i]], rb->face_id[b->fv_face[i]]);
    for (int k = 0; k < 4; k++) {
      const PetscInt va = a->fv[i][k], vb = b->fv[i][k], *fa = ra->vertex_face_start + va, *fb = rb->vertex_face_start + vb;
      assert_true(ra->complete[va] && rb->complete[vb] && ra->oriented[va] == rb->oriented[vb]);
      assert_int_equal(fa[1] - fa[0], fb[1] - fb[0]);
      for (PetscInt j = 0; j < fa[1] - fa[0]; j++)
        assert_int_equal(ra->face_id[ra->vertex_face[fa[0] + j]], rb->face_id[rb->vertex_face[fb[0] + j]]);
    }
  }
  for (PetscInt i = 0; i < 4 * a->num_ee; i++)
    assert_int_equal(a->vertex_id[ra->edges[a->ee_edge[i / 4][i / 2 % 2]][i % 2]],
                     b->vertex_id[rb->edges[b->ee_edge[i / 4][i / 2 % 2]][i % 2]]);
  for (PetscInt i = 0; i < 2 * a->num_ev; i++)
    assert_int_equal(a->vertex_id[ra->edges[a->ev_edge[i / 2]][i % 2]], b->vertex_id[rb->edges[b->ev_edge[i / 2]][i % 2]]);
  assert_int_equal(a->num_free_ev, b->num_free_ev);
  for (PetscInt i = 0; i < 2 * a->num_free_ev; i++)
    assert_int_equal(a->vertex_id[ra->edges[a->free_ev[i / 2][1]][i % 2]], b->vertex_id[rb->edges[b->free_ev[i / 2][1]][i % 2]]);
}

static void ExpectSame(const Scene *scene, int search, const Stage *s, const Stage *fresh)
{
  const AbutCandidates *a, *b;

  a = AbutContactGetCandidates(s->contact);
  b = AbutContactGetCandidates(fresh->contact);
  ExpectSameStencils(scene, search, 4, (Stencils){a, a->num_fv, (const PetscInt *)a->fv},
                     (Stencils){b, b->num_fv, (const PetscInt *)b->fv});
  ExpectSameStencils(scene, search, 4, (Stencils){a, a->num_ee, (const PetscInt *)a->ee},
                     (Stencils){b, b->num_ee, (const PetscInt *)b->ee});
  ExpectSameStencils(scene, search, 3, (Stencils){a, a->num_ev, (const PetscInt *)a->ev},
                     (Stencils){b, b->num_ev, (const PetscInt *)b->ev});
  assert_int_equal(a->num_pv, b->num_pv);
  for (PetscInt i = 0; i < a->num_pv; i++) assert_int_equal(a->vertex_id[a->pv[i][1]], b->vertex_id[b->pv[i][1]]);
  if (a->one_ring) ExpectSameRings(a, b);
}

static void ExpectTrueCopies(const Stage *s, const Walk *walk, PetscBool moving)
{
  const AbutCandidates *c;

  c = AbutContactGetCandidates(s->contact);
  for (PetscInt v = 0; v < c->num_vertices; v++)
    for (PetscInt k = 0; k < c->dim; k++) {
      assert_true(c->x[c->dim * v + k] == walk->x[c->dim * c->vertex_id[v] + k]);
      assert_true(c->p[c->dim * v + k] == (moving ? walk->p[c->dim * c->vertex_id[v] + k] : 0));
    }
}

/* Compares a search with and without Verlet list, then moves the surface by a fraction of the step. */
static void Compare(const Scene *scene, int search, Stage *s, Stage *fresh, Walk *walk)
{
  const PetscBool       moving = (PetscBool)(search % 6 != 0);
  const PetscReal       share = 0.5 + 0.5 * AbutTestRandom(&walk->seed), wanted = search % 5 == 4 ? 0.5 : 1;
  PetscReal            *x = SoupLocal(s->mesh, walk->x), *p = SoupLocal(s->mesh, walk->p), *xt, step[2] = {wanted, wanted};
  const AbutCandidates *c;

  s->contact->verlet.skin_factor = 0.5; /* else the list of a small scene would contain all pairs */
  AbutTestCall(AbutContactForget(fresh->contact));
  AbutTestCall(AbutContactSearch(s->contact, x, moving ? p : NULL, &step[0], s->inflation));
  AbutTestCall(AbutContactSearch(fresh->contact, x, moving ? p : NULL, &step[1], s->inflation));
  assert_true(step[0] == step[1]);
  ExpectSame(scene, search, s, fresh);
  ExpectTrueCopies(s, walk, moving);
  c  = AbutContactGetCandidates(s->contact);
  xt = malloc(sizeof(PetscReal) * (size_t)(c->num_vertices * c->dim + 1));
  AbutTestCall(AbutContactPositions(s->contact, moving ? share * wanted : 0, xt));
  if (moving)
    for (PetscInt i = 0; i < walk->n; i++) walk->x[i] += share * wanted * walk->p[i];
  free(x);
  free(p);
  free(xt);
}

static void WalkAll(PetscBool rings)
{
  const AbutPlaneSpec plane = {"floor", {0, 0, 0}, {0, 0.6, 0.8}};

  for (PetscInt i = 0; i < NumScenes; i++) {
    for (SoupWay way = 0; way < (rings ? 1 : SOUP_NUM_WAYS); way++) {
      Stage s, fresh;
      Walk  walk = {.seed = 5};

      StageOpen(&s, &Scenes[i], PETSC_COMM_WORLD, way, 1, &plane);
      StageOpen(&fresh, &Scenes[i], PETSC_COMM_WORLD, way, 1, &plane);
      AbutTestCall(AbutContactSetOneRing(s.contact, rings));
      AbutTestCall(AbutContactSetOneRing(fresh.contact, rings));
      walk.n = s.soup.num_vertices * s.soup.dim;
      walk.x = malloc(sizeof(PetscReal) * (size_t)(walk.n + 1));
      walk.p = malloc(sizeof(PetscReal) * (size_t)(walk.n + 1));
      memcpy(walk.x, s.soup.rest, sizeof(PetscReal) * (size_t)walk.n);
      for (int search = 0; search < SEARCHES; search++) {
        Turn(&walk, &s, PetscMax(Scenes[i].speed, 0.01), search);
        Compare(&Scenes[i], search, &s, &fresh, &walk);
      }
      assert_true(s.contact->counts.served >= SEARCHES / 6 && s.contact->counts.served < SEARCHES);
      assert_int_equal(fresh.contact->counts.served, 0);
      free(walk.x);
      free(walk.p);
      StageClose(&s);
      StageClose(&fresh);
    }
  }
}

static void SameAsWithoutMemory(void **state)
{
  (void)state;
  WalkAll(PETSC_FALSE);
}

static void SameWithRings(void **state)
{
  (void)state;
  WalkAll(PETSC_TRUE);
}

/* Without room for a Verlet list the candidates are the same. */
static void NoRoom(void **state)
{
  const AbutCandidates *c;
  Stage                 s, fresh;
  PetscReal             step = 1;
  PetscInt              most = 0;
  char                  text[32];

  (void)state;
  StageOpen(&s, &Scenes[0], PETSC_COMM_WORLD, SOUP_SCATTERED, 0, NULL);
  StageOpen(&fresh, &Scenes[0], PETSC_COMM_WORLD, SOUP_SCATTERED, 0, NULL);
  AbutTestCall(AbutContactSearch(fresh.contact, s.x_local, s.p_local, &step, s.inflation));
  c    = AbutContactGetCandidates(fresh.contact);
  most = c->num_fv + c->num_ee + c->num_pv;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD);
  snprintf(text, sizeof(text), "%ld", (long)most);
  AbutTestCall(PetscOptionsSetValue(NULL, "-contact_max_pairs", text));
  AbutTestCall(AbutContactSetFromOptions(s.contact));
  AbutTestCall(PetscOptionsClearValue(NULL, "-contact_max_pairs"));
  for (int search = 0; search < 3; search++) {
    AbutTestCall(AbutContactSearch(s.contact, s.x_local, s.p_local, &step, s.inflation));
    assert_true(step == 1);
    ExpectSame(&Scenes[0], search, &s, &fresh);
  }
  assert_int_equal(s.contact->counts.served, 0);
  StageClose(&s);
  StageClose(&fresh);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SameAsWithoutMemory), cmocka_unit_test(SameWithRings), cmocka_unit_test(NoRoom)};
  return AbutTestMain(argc, argv, tests);
}
