/*
  Pairs of primitives that the candidates represent: complete, each on one rank. Activation distances of a primitive are equal on all ranks
  that receive it later.
*/
#include "scenes.h"
#include <stdlib.h>
#include <string.h>

/* Bodies at random places, then an obstacle with an inside, a sheet, curves and points. */
static void Solids(Soup *soup)
{
  uint64_t  seed = 23;
  PetscReal o[3];

  for (int i = 0; i < 24; i++) {
    if (i % 8 == 0) SoupAddBody(soup, PETSC_FALSE);
    if (i == 23) SoupAddBody(soup, PETSC_TRUE);
    for (int k = 0; k < 3; k++) o[k] = AbutTestRandom(&seed);
    SoupAddOctahedron(soup, 0.2, o);
  }
  SoupAddBody(soup, PETSC_TRUE);
  SoupAddGrid(soup, 5, 5, (PetscReal[]){-1, -1, 0}, (PetscReal[]){2, 0.1, 0.2}, (PetscReal[]){0, 2, 0.1});
  SoupAddBody(soup, PETSC_TRUE);
  for (int i = 0; i < 90; i++) {
    const PetscInt v = SoupAddVertex(soup, AbutTestRandom(&seed), AbutTestRandom(&seed), AbutTestRandom(&seed));

    if (i % 3) SoupAddEdge(soup, v - 1, v);
  }
  SoupAddBody(soup, PETSC_TRUE);
  for (int i = 0; i < 60; i++) SoupAddPoint(soup, SoupAddVertex(soup, AbutTestRandom(&seed), AbutTestRandom(&seed), AbutTestRandom(&seed)));
}

/* The same in the plane. */
static void Polygons(Soup *soup)
{
  uint64_t seed = 29;

  for (int i = 0; i < 20; i++) {
    const PetscReal x = AbutTestRandom(&seed), y = AbutTestRandom(&seed);

    if (i % 7 == 0) SoupAddBody(soup, (PetscBool)(i == 14));
    SoupAddPentagon(soup, 0.1, x, y);
  }
  SoupAddBody(soup, PETSC_TRUE);
  SoupAddGrid(soup, 13, 0, (PetscReal[]){-1, 0, 0}, (PetscReal[]){2, 0.2, 0}, (PetscReal[]){0, 0, 0});
  SoupAddBody(soup, PETSC_TRUE);
  for (int i = 0; i < 60; i++) SoupAddPoint(soup, SoupAddVertex(soup, AbutTestRandom(&seed), AbutTestRandom(&seed), 0));
}

static const Scene scenes[] = {{"solids", 3, 0.1, 0.02, Solids}, {"polygons", 2, 0.05, 0.02, Polygons}};
enum { NUM_SCENES = sizeof(scenes) / sizeof(scenes[0]) };

/* Kinds of tuples: ABUT_PAIR_*; vertices by id. */
static PetscReal Distance(const Soup *soup, const Tuple t)
{
  PetscReal x[12];

  for (PetscInt i = 0; i < 4 * soup->dim; i++)
    x[i] = t[1 + i / soup->dim] < 0 ? 0 : soup->rest[soup->dim * t[1 + i / soup->dim] + i % soup->dim];
  return PetscSqrtReal(AbutPairDist2((AbutPairKind)t[0], soup->dim, x));
}

typedef struct {
  PetscInt n;
  Tuple   *t;
} Pairs;

/* Adds a pair if its distance is below the inflation. */
static void Add(Pairs *pairs, const Stage *s, const Tuple t)
{
  if (Distance(&s->soup, t) >= s->inflation) return;
  if (!(pairs->n & (pairs->n - 1))) pairs->t = realloc(pairs->t, sizeof(Tuple) * (size_t)(pairs->n ? 2 * pairs->n : 1));
  memcpy(pairs->t[pairs->n++], t, sizeof(Tuple));
}

static void Unique(Pairs *pairs)
{
  PetscInt n = 0;

  if (pairs->n) qsort(pairs->t, (size_t)pairs->n, sizeof(Tuple), CompareTuples);
  for (PetscInt i = 0; i < pairs->n; i++) {
    if (!n || CompareTuples(pairs->t[i], pairs->t[n - 1])) memmove(pairs->t[n++], pairs->t[i], sizeof(Tuple));
  }
  pairs->n = n;
}

static void AddVV(Pairs *pairs, const Stage *s, PetscInt v, PetscInt w)
{
  Add(pairs, s, (Tuple){ABUT_PAIR_VV, PetscMin(v, w), PetscMax(v, w), -1, -1});
}

/* The first face (width 3) or edge (2) of a list that lacks vertex v. */
static PetscInt FirstWithout(int width, const PetscInt parts[], const PetscInt start[2], const PetscInt list[], PetscInt v)
{
  for (PetscInt i = start[0]; i < start[1]; i++) {
    const PetscInt *part = parts + width * list[i];

    if (part[0] != v && part[1] != v && (width == 2 || part[2] != v)) return list[i];
  }
  return -1;
}

/* Pairs by the rules in the documentation of AbutCandidates. */
static Pairs PairsOf(const Stage *s, const AbutCandidates *c)
{
  const AbutOneRing *r     = c->one_ring;
  const PetscInt    *id    = c->vertex_id;
  Pairs              pairs = {0, NULL};

  for (PetscInt i = 0; i < c->num_fv; i++) {
    const PetscInt v = c->fv[i][0], f = c->fv_face[i];

    Add(&pairs, s, (Tuple){ABUT_PAIR_FV, id[v], id[r->faces[f][0]], id[r->faces[f][1]], id[r->faces[f][2]]});
    for (int k = 0; k < 3; k++) {
      const PetscInt *e = r->edges[r->face_edge[f][k]], w = r->faces[f][k];

      if (FirstWithout(3, (const PetscInt *)r->faces, r->edge_face_start + r->face_edge[f][k], r->edge_face, v) == f)
        Add(&pairs, s, (Tuple){ABUT_PAIR_EV, id[v], id[e[0]], id[e[1]], -1});
      if (FirstWithout(3, (const PetscInt *)r->faces, r->vertex_face_start + w, r->vertex_face, v) != f) continue;
      if (id[v] < id[w] || r->vertex_face_start[v] == r->vertex_face_start[v + 1]) AddVV(&pairs, s, id[v], id[w]);
    }
  }
  for (PetscInt i = 0; i < c->num_ee; i++) {
    const PetscInt *a = r->edges[c->ee_edge[i][0]], *b = r->edges[c->ee_edge[i][1]];

    Add(&pairs, s, (Tuple){ABUT_PAIR_EE, id[a[0]], id[a[1]], id[b[0]], id[b[1]]});
  }
  for (PetscInt i = 0; i < c->num_ev + c->num_free_ev; i++) {
    const PetscInt  v = i < c->num_ev ? c->ev[i][0] : c->free_ev[i - c->num_ev][0];
    const PetscInt *e = r->edges[i < c->num_ev ? c->ev_edge[i] : c->free_ev[i - c->num_ev][1]];

    Add(&pairs, s, (Tuple){ABUT_PAIR_EV, id[v], id[e[0]], id[e[1]], -1});
    for (int k = 0; k < 2 && i < c->num_ev; k++) {
      if (FirstWithout(2, (const PetscInt *)r->edges, r->vertex_edge_start + e[k], r->vertex_edge, v) != c->ev_edge[i]) continue;
      if (id[v] < id[e[k]] || r->vertex_edge_start[v] == r->vertex_edge_start[v + 1]) AddVV(&pairs, s, id[v], id[e[k]]);
    }
  }
  return pairs;
}

static PetscBool BothObstacles(const Soup *soup, PetscInt v, PetscInt w)
{
  return (PetscBool)(soup->obstacle[soup->body[v]] && soup->obstacle[soup->body[w]]);
}

/* Number of faces (2D: edges) that contain vertex a, and b unless it is negative, and not vertex `without`. */
static PetscInt Count(const Soup *soup, PetscInt a, PetscInt b, PetscInt without)
{
  const PetscInt n     = soup->dim == 3 ? soup->num_faces : soup->num_edges;
  PetscInt       count = 0;

  for (PetscInt i = 0; i < n; i++) {
    const PetscInt *part   = soup->dim == 3 ? soup->faces[i] : soup->edges[i];
    PetscBool       met[3] = {PETSC_FALSE, PETSC_FALSE, PETSC_FALSE};

    for (PetscInt k = 0; k < soup->dim; k++) {
      met[0] |= (PetscBool)(part[k] == a);
      met[1] |= (PetscBool)(part[k] == b);
      met[2] |= (PetscBool)(part[k] == without);
    }
    count += met[0] && met[1] && !met[2];
  }
  return count;
}

/* All pairs of primitives that are not next to each other. */
static Pairs BruteForce(const Stage *s)
{
  const Soup *soup  = &s->soup;
  Pairs       pairs = {0, NULL};

  for (PetscInt i = 0; i < soup->num_points; i++) {
    const PetscInt v = soup->points[i];

    for (PetscInt f = 0; f < soup->num_faces; f++) {
      const PetscInt *w = soup->faces[f];

      if (BothObstacles(soup, v, w[0]) || v == w[0] || v == w[1] || v == w[2]) continue;
      Add(&pairs, s, (Tuple){ABUT_PAIR_FV, v, w[0], w[1], w[2]});
    }
    for (PetscInt e = 0; e < soup->num_edges; e++) {
      const PetscInt *w = soup->edges[e];

      if (BothObstacles(soup, v, w[0]) || v == w[0] || v == w[1]) continue;
      if (soup->dim == 3 && Count(soup, w[0], w[1], -1) && !Count(soup, w[0], w[1], v)) continue;
      Add(&pairs, s, (Tuple){ABUT_PAIR_EV, v, w[0], w[1], -1});
    }
    for (PetscInt j = 0; j < soup->num_points; j++) {
      const PetscInt w = soup->points[j];

      if (BothObstacles(soup, v, w) || v >= w || !(Count(soup, w, w, v) || Count(soup, v, v, w))) continue;
      AddVV(&pairs, s, v, w);
    }
  }
  for (PetscInt e = 0; e < soup->num_edges && soup->dim == 3; e++) {
    for (PetscInt g = e + 1; g < soup->num_edges; g++) {
      const PetscInt *a = soup->edges[e], *b = soup->edges[g];

      if (BothObstacles(soup, a[0], b[0]) || a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) continue;
      Add(&pairs, s, (Tuple){ABUT_PAIR_EE, a[0], a[1], b[0], b[1]});
    }
  }
  Unique(&pairs);
  return pairs;
}

static void EachPairOnce(void **state)
{
  (void)state;
  for (int i = 0; i < 2 * NUM_SCENES * SOUP_NUM_WAYS; i++) {
    const Scene          *scene = &scenes[i / 2 / SOUP_NUM_WAYS];
    Stage                 s;
    const AbutCandidates *c;
    Pairs                 mine, expected;
    Tuple                *all;
    PetscReal             step = 1;
    PetscInt              n, kinds[4] = {0};

    StageOpen(&s, scene, PETSC_COMM_WORLD, (SoupWay)(i / 2 % SOUP_NUM_WAYS), 0, NULL);
    if (i % 2) StageSpread(&s, s.inflation);
    AbutTestCall(AbutContactSetOneRing(s.contact, PETSC_TRUE));
    AbutTestCall(AbutContactSearch(s.contact, s.x_local, s.p_local, &step, s.inflation));
    c    = AbutContactGetCandidates(s.contact);
    mine = PairsOf(&s, c);
    all  = ShareTuples(mine.n, (const Tuple *)mine.t, PETSC_COMM_WORLD, &n);
    if (i % 2) { /* candidates of one pair may then be on several ranks */
      Pairs shared = {n, all};
      Unique(&shared);
      n = shared.n;
    }
    expected = BruteForce(&s);
    for (PetscInt j = 0; j < PetscMin(n, expected.n); j++) {
      if (CompareTuples(all[j], expected.t[j]))
        fail_msg("%s: pair %ld: kind %ld, vertices %ld %ld %ld %ld; expected kind %ld, vertices %ld %ld %ld %ld", scene->name, (long)j,
                 (long)all[j][0], (long)all[j][1], (long)all[j][2], (long)all[j][3], (long)all[j][4], (long)expected.t[j][0],
                 (long)expected.t[j][1], (long)expected.t[j][2], (long)expected.t[j][3], (long)expected.t[j][4]);
      kinds[all[j][0]]++;
    }
    assert_int_equal(n, expected.n);
    for (int k = 0; k < 4; k++) assert_true(kinds[k] > 10 || (scene->dim == 2 && k >= ABUT_PAIR_FV)); /* the scene has all kinds */
    free(all);
    free(mine.t);
    free(expected.t);
    StageClose(&s);
  }
}

/* Octahedra and polygons have an inner and an outer side; the other surfaces do not. */
static void TwoSides(void **state)
{
  (void)state;
  for (int i = 0; i < NUM_SCENES; i++) {
    Stage                 s;
    const AbutCandidates *c;

    StageOpen(&s, &scenes[i], PETSC_COMM_WORLD, SOUP_SCATTERED, 0, NULL);
    AbutTestCall(AbutContactSetOneRing(s.contact, PETSC_TRUE));
    AbutTestCall(AbutContactSearch(s.contact, s.x_local, NULL, NULL, s.inflation));
    c                          = AbutContactGetCandidates(s.contact);
    const PetscInt last_closed = s.soup.dim == 3 ? 3 : 2;
    for (PetscInt v = 0; v < c->num_vertices; v++) assert_int_equal(c->one_ring->oriented[v], c->vertex_body[v] <= last_closed);
    StageClose(&s);
  }
}

/* A number computed from the vertex ids of a primitive, equal on all ranks. */
static PetscReal Mark(const AbutCandidates *c, int n, const PetscInt v[])
{
  PetscInt sum = 0;

  for (int k = 0; k < n; k++) sum += (k + 1) * c->vertex_id[v[k]] + 1;
  return 1 + (PetscReal)(sum % 1000) / 1000;
}

/* The rank that owns its first vertex proposes a smaller activation distance than the other ranks. */
static void ProposeDhat(Stage *s)
{
  const AbutCandidates *c;
  const AbutMeshLocal  *m = AbutMeshGetLocal(s->mesh);
  PetscReal            *range[3];

  c                    = AbutContactGetCandidates(s->contact);
  const AbutOneRing *r = c->one_ring;
  range[0]             = malloc(sizeof(PetscReal) * (size_t)(c->num_vertices + 1));
  range[1]             = malloc(sizeof(PetscReal) * (size_t)(r->num_edges + 1));
  range[2]             = malloc(sizeof(PetscReal) * (size_t)(r->num_faces + 1));
  for (PetscInt v = 0; v < c->num_vertices; v++) range[0][v] = Mark(c, 1, &v) + (v < m->num_owned ? 0 : 10);
  for (PetscInt e = 0; e < r->num_edges; e++) range[1][e] = Mark(c, 2, r->edges[e]) + (r->edges[e][0] < m->num_owned ? 0 : 10);
  for (PetscInt f = 0; f < r->num_faces; f++) range[2][f] = Mark(c, 3, r->faces[f]) + (r->faces[f][0] < m->num_owned ? 0 : 10);
  assert_null(r->vertex_dhat);
  AbutTestCall(AbutContactSetDhat(s->contact, range[0], range[1], range[2]));
  for (int i = 0; i < 3; i++) free(range[i]);
}

static void CheckRanges(const Stage *s)
{
  const AbutCandidates *c = AbutContactGetCandidates(s->contact);
  const AbutOneRing    *r = c->one_ring;

  for (PetscInt i = 0; i < c->num_fv; i++) {
    const PetscInt f = c->fv_face[i];

    assert_true(r->face_dhat[f] == Mark(c, 3, r->faces[f]));
    for (int k = 0; k < 3; k++) assert_true(r->edge_dhat[r->face_edge[f][k]] == Mark(c, 2, r->edges[r->face_edge[f][k]]));
    for (int k = 0; k < 4; k++) assert_true(r->vertex_dhat[c->fv[i][k]] == Mark(c, 1, &c->fv[i][k]));
  }
  for (PetscInt i = 0; i < 2 * c->num_ee; i++) {
    const PetscInt e = c->ee_edge[i / 2][i % 2];

    assert_true(r->edge_dhat[e] == Mark(c, 2, r->edges[e]));
  }
  for (PetscInt i = 0; i < c->num_ev + c->num_free_ev; i++) {
    const PetscInt e = i < c->num_ev ? c->ev_edge[i] : c->free_ev[i - c->num_ev][1];

    assert_true(r->edge_dhat[e] == Mark(c, 2, r->edges[e]));
  }
}

/* The same for the faces of one-rings, unless candidates have moved. */
static void CheckRingRanges(const Stage *s)
{
  const AbutCandidates *c = AbutContactGetCandidates(s->contact);
  const AbutOneRing    *r = c->one_ring;

  for (PetscInt i = 0; i < 2 * c->num_ee; i++) { /* the faces at an edge are sent with the edge */
    const PetscInt e = c->ee_edge[i / 2][i % 2];

    for (PetscInt k = r->edge_face_start[e]; k < r->edge_face_start[e + 1]; k++)
      assert_true(r->face_dhat[r->edge_face[k]] == Mark(c, 3, r->faces[r->edge_face[k]]));
  }
  for (PetscInt i = 0; i < c->num_fv; i++) { /* a face-vertex candidate is on the rank that owns its vertex */
    for (PetscInt k = r->vertex_face_start[c->fv[i][0]]; k < r->vertex_face_start[c->fv[i][0] + 1]; k++)
      assert_true(r->face_dhat[r->vertex_face[k]] == Mark(c, 3, r->faces[r->vertex_face[k]]));
  }
}

static void CopiesHaveDhat(void **state)
{
  (void)state;
  for (int i = 0; i < 2 * NUM_SCENES * SOUP_NUM_WAYS; i++) {
    const PetscBool moved = (PetscBool)(i % 2);
    Stage           s;
    PetscReal       step = 1;

    StageOpen(&s, &scenes[i / 2 / SOUP_NUM_WAYS], PETSC_COMM_WORLD, (SoupWay)(i / 2 % SOUP_NUM_WAYS), 0, NULL);
    if (moved) StageSpread(&s, s.inflation);
    AbutTestCall(AbutContactSetOneRing(s.contact, PETSC_TRUE));
    AbutTestCall(AbutContactSearch(s.contact, s.x_local, NULL, NULL, s.inflation));
    ProposeDhat(&s);
    CheckRanges(&s);
    if (!moved) CheckRingRanges(&s);
    AbutTestCall(AbutContactSearch(s.contact, s.p_local, s.x_local, &step, s.inflation)); /* elsewhere, so that others are near */
    CheckRanges(&s);
    if (!moved) CheckRingRanges(&s);
    StageClose(&s);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(EachPairOnce), cmocka_unit_test(TwoSides), cmocka_unit_test(CopiesHaveDhat)};
  return AbutTestMain(argc, argv, tests);
}
