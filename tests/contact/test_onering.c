/*
  One-rings: complete at the vertices of all candidates, in the same order on any number of ranks, also where candidates move to ranks with
  few of them.
*/
#include "scenes.h"
#include <stdlib.h>

static void Search(Stage *s, PetscBool moved)
{
  PetscReal step = 1;

  AbutTestCall(AbutContactSearch(s->contact, moved ? s->p_local : s->x_local, moved ? s->x_local : s->p_local, &step, s->inflation));
}

static void OpenWithRings(Stage *s, const Scene *scene, MPI_Comm comm, SoupWay way)
{
  StageOpen(s, scene, comm, way, 0, NULL);
  AbutTestCall(AbutContactSetOneRing(s->contact, PETSC_TRUE));
}

/* Calls a function for every vertex of every candidate. */
static void ForVertices(const AbutCandidates *c, void (*visit)(const AbutCandidates *c, PetscInt v, void *ctx), void *ctx)
{
  const AbutOneRing *r = c->one_ring;

  for (PetscInt i = 0; i < 4 * c->num_fv; i++) visit(c, c->fv[i / 4][i % 4], ctx);
  for (PetscInt i = 0; i < 4 * c->num_ee; i++) visit(c, c->ee[i / 4][i % 4], ctx);
  for (PetscInt i = 0; i < 3 * c->num_ev; i++) visit(c, c->ev[i / 3][i % 3], ctx);
  for (PetscInt i = 0; i < c->num_free_ev; i++) {
    visit(c, c->free_ev[i][0], ctx);
    for (int k = 0; k < 2; k++) visit(c, r->edges[c->free_ev[i][1]][k], ctx);
  }
}

static PetscBool Has(int n, const PetscInt v[], PetscInt id)
{
  for (int k = 0; k < n; k++)
    if (v[k] == id) return PETSC_TRUE;
  return PETSC_FALSE;
}

static int CompareInts(const void *a, const void *b)
{
  const PetscInt s = *(const PetscInt *)a, t = *(const PetscInt *)b;

  return (s > t) - (s < t);
}

/* The faces at a vertex or edge equal the faces in the soup, in the order of ids. */
static void CheckFaces(const Soup *soup, const AbutOneRing *r, int n, const PetscInt id[], const PetscInt start[2], const PetscInt list[])
{
  PetscInt at = start[0];

  for (PetscInt f = 0; f < soup->num_faces; f++) {
    if (!Has(3, soup->faces[f], id[0]) || (n == 2 && !Has(3, soup->faces[f], id[1]))) continue;
    assert_true(at < start[1]);
    assert_int_equal(r->face_id[list[at++]], f);
  }
  assert_int_equal(at, start[1]);
}

typedef struct {
  const Soup *soup;
  PetscBool  *seen; /* contact vertices that were checked: most belong to many candidates */
} Checked;

static void CheckVertex(const AbutCandidates *c, PetscInt v, void *ctx)
{
  const Checked     *checked = (const Checked *)ctx;
  const Soup        *soup    = checked->soup;
  const AbutOneRing *r       = c->one_ring;
  const PetscInt     id = c->vertex_id[v], *start = r->vertex_edge_start + v;
  PetscInt          *other, n                     = 0;

  if (checked->seen[v]) return;
  checked->seen[v] = PETSC_TRUE;
  other            = malloc(sizeof(*other) * (size_t)(soup->num_edges + 1));
  assert_true(r->complete[v]);
  CheckFaces(soup, r, 1, &id, r->vertex_face_start + v, r->vertex_face);
  for (PetscInt e = 0; e < soup->num_edges; e++) {
    if (Has(2, soup->edges[e], id)) other[n++] = soup->edges[e][0] + soup->edges[e][1] - id;
  }
  qsort(other, (size_t)n, sizeof(*other), CompareInts);
  assert_int_equal(start[1] - start[0], n);
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt e = r->vertex_edge[start[0] + i], ids[2] = {c->vertex_id[r->edges[e][0]], c->vertex_id[r->edges[e][1]]};

    assert_int_equal(ids[0] + ids[1] - id, other[i]);
    if (c->dim == 3) CheckFaces(soup, r, 2, ids, r->edge_face_start + e, r->edge_face);
  }
  free(other);
}

/* Faces and edges are listed once, with the vertices and edges they have in the soup. */
static void CheckTable(const AbutCandidates *c, const Soup *soup)
{
  const AbutOneRing *r    = c->one_ring;
  PetscInt          *seen = calloc((size_t)soup->num_faces + 1, sizeof(*seen));
  Tuple             *edge = calloc((size_t)r->num_edges + 1, sizeof(*edge));

  for (PetscInt f = 0; f < r->num_faces; f++) {
    assert_int_equal(seen[r->face_id[f]]++, 0);
    for (int k = 0; k < 3; k++) {
      const PetscInt *e = r->edges[r->face_edge[f][k]];

      assert_int_equal(c->vertex_id[r->faces[f][k]], soup->faces[r->face_id[f]][k]);
      assert_true(Has(2, e, r->faces[f][k]) && Has(2, e, r->faces[f][(k + 1) % 3]));
    }
  }
  for (PetscInt e = 0; e < r->num_edges; e++) {
    for (int k = 0; k < 2; k++) edge[e][k] = c->vertex_id[r->edges[e][k]];
    assert_true(c->dim == 2 || edge[e][0] < edge[e][1]);
  }
  qsort(edge, (size_t)r->num_edges, sizeof(Tuple), CompareTuples);
  for (PetscInt e = 1; e < r->num_edges; e++) assert_true(CompareTuples(edge[e - 1], edge[e]) != 0);
  free(seen);
  free(edge);
}

/* Face and edge numbers of candidates agree with their vertices. */
static void CheckRows(const AbutCandidates *c)
{
  const AbutOneRing *r = c->one_ring;

  for (PetscInt i = 0; i < 3 * c->num_fv; i++) assert_int_equal(c->fv[i / 3][1 + i % 3], r->faces[c->fv_face[i / 3]][i % 3]);
  for (PetscInt i = 0; i < 4 * c->num_ee; i++) assert_int_equal(c->ee[i / 4][i % 4], r->edges[c->ee_edge[i / 4][i % 4 / 2]][i % 2]);
  for (PetscInt i = 0; i < 2 * c->num_ev; i++) assert_int_equal(c->ev[i / 2][1 + i % 2], r->edges[c->ev_edge[i / 2]][i % 2]);
  for (PetscInt i = 0; i < c->num_free_ev; i++)
    assert_int_equal(r->edge_face_start[c->free_ev[i][1]], r->edge_face_start[c->free_ev[i][1] + 1]);
}

/* Contact vertices have the positions of their owners. */
static void CheckPositions(Stage *s, const AbutCandidates *c, PetscBool moved)
{
  const PetscReal *x = moved ? s->p : s->soup.rest, *p = moved ? s->soup.rest : s->p;
  PetscReal       *xt = malloc(sizeof(*xt) * (size_t)(c->num_vertices * c->dim + 1));

  AbutTestCall(AbutContactPositions(s->contact, 0.5, xt));
  for (PetscInt i = 0; i < c->num_vertices * c->dim; i++) {
    const PetscInt at = c->vertex_id[i / c->dim] * c->dim + i % c->dim;

    assert_true(c->rest[i] == s->soup.rest[at] && c->x[i] == x[at] && c->p[i] == p[at] && xt[i] == x[at] + 0.5 * p[at]);
  }
  free(xt);
}

static void SameAsTheWhole(void **state)
{
  (void)state;
  for (PetscInt i = 0; i < 2 * NumScenes * SOUP_NUM_WAYS; i++) {
    Stage s;

    OpenWithRings(&s, &Scenes[i / 2 / SOUP_NUM_WAYS], PETSC_COMM_WORLD, (SoupWay)(i / 2 % SOUP_NUM_WAYS));
    if (i % 2) StageSpread(&s, s.inflation);
    for (int moved = 0; moved < 2; moved++) {
      const AbutCandidates *c;
      Checked               checked = {.soup = &s.soup};

      Search(&s, (PetscBool)moved);
      c = AbutContactGetCandidates(s.contact);
      assert_non_null(c->one_ring);
      checked.seen = calloc((size_t)c->num_vertices + 1, sizeof(*checked.seen));
      CheckTable(c, &s.soup);
      CheckRows(c);
      CheckPositions(&s, c, (PetscBool)moved);
      ForVertices(c, CheckVertex, &checked);
      free(checked.seen);
    }
    StageClose(&s);
  }
}

/* Adds a small integer to every vertex of the ring. */
static void AddRing(const AbutCandidates *c, PetscInt v, void *ctx)
{
  const AbutOneRing *r      = c->one_ring;
  PetscReal         *values = (PetscReal *)ctx;

  for (PetscInt i = r->vertex_face_start[v]; i < r->vertex_face_start[v + 1]; i++) {
    for (int k = 0; k < 3; k++) values[r->faces[r->vertex_face[i]][k]] += (PetscReal)(1 + (r->face_id[r->vertex_face[i]] + 3 * k) % 7);
  }
  for (PetscInt i = r->vertex_edge_start[v]; i < r->vertex_edge_start[v + 1]; i++) {
    for (int k = 0; k < 2; k++) values[r->edges[r->vertex_edge[i]][k]] += (PetscReal)(i - r->vertex_edge_start[v]);
  }
}

/* Sums small integers over the one-rings of all candidates; result by vertex id on all ranks. The caller frees it. */
static PetscReal *Sum(Stage *s, MPI_Comm comm)
{
  const AbutCandidates *c;
  const AbutMeshLocal  *m = AbutMeshGetLocal(s->mesh);
  PetscReal            *values, *all = calloc((size_t)s->soup.num_vertices + 1, sizeof(*all));

  c      = AbutContactGetCandidates(s->contact);
  values = calloc((size_t)c->num_vertices + 1, sizeof(*values));
  ForVertices(c, AddRing, values);
  AbutTestCall(AbutContactReduceAdd(s->contact, 1, values));
  for (PetscInt v = 0; v < m->num_owned; v++) all[m->vertex_id[v]] = values[v];
  MPI_Allreduce(MPI_IN_PLACE, all, (int)s->soup.num_vertices, MPIU_REAL, MPI_SUM, comm);
  free(values);
  return all;
}

static void SumsReachOwners(void **state)
{
  (void)state;
  for (PetscInt i = 0; i < 2 * NumScenes; i++) {
    Stage      one, all;
    PetscReal *expected, *found;

    OpenWithRings(&one, &Scenes[i / 2], PETSC_COMM_SELF, SOUP_SLABS);
    OpenWithRings(&all, &Scenes[i / 2], PETSC_COMM_WORLD, i / 2 % 2 ? SOUP_SLABS : SOUP_SCATTERED);
    if (i % 2) StageSpread(&all, all.inflation);
    Search(&one, PETSC_FALSE);
    Search(&all, PETSC_FALSE);
    expected = Sum(&one, PETSC_COMM_SELF);
    found    = Sum(&all, PETSC_COMM_WORLD);
    for (PetscInt v = 0; v < one.soup.num_vertices; v++) assert_true(found[v] == expected[v]);
    free(expected);
    free(found);
    StageClose(&one);
    StageClose(&all);
  }
}

/* One-rings on one rank stay the same over searches. Switched off, they are gone, and no messages are sent for them. */
static void OffIsFree(void **state)
{
  (void)state;
  for (PetscInt i = 0; i < NumScenes; i++) {
    Stage                 plain, s;
    const AbutCandidates *c;
    PetscLogDouble        plain_traffic[2], before[2], after[2];
    PetscInt              version;
    PetscMPIInt           size;

    MPI_Comm_size(PETSC_COMM_WORLD, &size);
    StageOpen(&plain, &Scenes[i], PETSC_COMM_WORLD, SOUP_SCATTERED, 0, NULL);
    Search(&plain, PETSC_FALSE);
    AbutTestCall(AbutContactGetTraffic(plain.contact, &plain_traffic[0], &plain_traffic[1]));
    OpenWithRings(&s, &Scenes[i], PETSC_COMM_WORLD, SOUP_SCATTERED);
    Search(&s, PETSC_TRUE);
    c       = AbutContactGetCandidates(s.contact);
    version = c->one_ring->version;
    Search(&s, PETSC_FALSE);
    assert_true(size > 1 || c->one_ring->version == version);
    AbutTestCall(AbutContactSetOneRing(s.contact, PETSC_FALSE));
    AbutTestCall(AbutContactForget(s.contact)); /* the boxes of a finder just created */
    AbutTestCall(AbutContactGetTraffic(s.contact, &before[0], &before[1]));
    Search(&s, PETSC_FALSE);
    AbutTestCall(AbutContactGetTraffic(s.contact, &after[0], &after[1]));
    assert_null(c->one_ring);
    assert_true(after[0] - before[0] == plain_traffic[0] && after[1] - before[1] == plain_traffic[1]);
    StageClose(&plain);
    StageClose(&s);
  }
}

/* On a ribbon cut into slabs the number of copies on a rank is bounded. */
static void RingsAreFew(void **state)
{
  Stage                 s;
  const AbutCandidates *c;
  const AbutMeshLocal  *m;

  (void)state;
  StageOpenRibbon(&s);
  AbutTestCall(AbutContactSetOneRing(s.contact, PETSC_TRUE));
  c = StageSearch(&s);
  m = AbutMeshGetLocal(s.mesh);
  assert_true(c->num_vertices - m->num_local <= 2 * 2 * 11); /* the copies of CopiesAreFew, and one more at each end */
  assert_true(c->one_ring->num_faces - m->num_faces <= 2 * 2 * 12);
  StageClose(&s);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SameAsTheWhole), cmocka_unit_test(SumsReachOwners), cmocka_unit_test(OffIsFree),
                                     cmocka_unit_test(RingsAreFew)};
  return AbutTestMain(argc, argv, tests);
}
