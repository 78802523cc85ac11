/*
  The generator on meshes of touching and overlapping bodies: against all pairs of cells, the same bits on every number of ranks, equal
  numbers of pairs on the ranks, eroded positions, errors.
*/
#include "cells.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 5 };

/*
  Boxes side by side and on top of each other, a ball pressed into them; optionally an obstacle, which has no cells.
*/
static AbutMesh CreateMesh(MPI_Comm comm, PetscBool obstacle)
{
  const PetscReal place[BODIES + 1][3] = {{0, 0, 0},          {1, 0.037, 0.253}, {0.231, 1, 0.047},
                                          {1.24, 1.03, 0.01}, {0.7, 1.75, 0.1},  {0.019, -1, 0.013}};
  AbutBodySpec    specs[BODIES + 1];
  AbutMesh        mesh;

  for (int b = 0; b <= BODIES; b++) {
    AbutShapeSpec *shape = &specs[b].shape;

    AbutTestCall(AbutBodySpecInit(&specs[b]));
    snprintf(specs[b].name, sizeof(specs[b].name), "body %d", b);
    shape->kind = b == 4 ? ABUT_SHAPE_BALL : ABUT_SHAPE_BOX;
    for (int k = 0; k < 3; k++) {
      shape->size[k]      = b == 4 ? 0.3 : 1;
      shape->cells[k]     = 2 + b % 2;
      shape->translate[k] = place[b][k];
    }
    specs[b].obstacle = (PetscBool)(b == BODIES);
    specs[b].material = b == BODIES ? -1 : 0;
  }
  AbutTestCall(AbutMeshCreate(comm, 3, BODIES + obstacle, specs, &mesh));
  return mesh;
}

/* Boxes whose meshes have many vertices over edges up to rounding. */
static AbutMesh CreateTies(MPI_Comm comm)
{
  const PetscReal place[4][3] = {{0.1, 0, -0.2}, {1.1, 0, 0.1}, {-0.1, 1, 0}, {0.9, 1, 0.2}};
  const PetscInt  cells[4][3] = {{5, 5, 10}, {3, 10, 5}, {10, 3, 10}, {3, 2, 3}};
  AbutBodySpec    specs[4];
  AbutMesh        mesh;

  for (int b = 0; b < 4; b++) {
    AbutTestCall(AbutBodySpecInit(&specs[b]));
    snprintf(specs[b].name, sizeof(specs[b].name), "body %d", b);
    specs[b].shape.kind = ABUT_SHAPE_BOX;
    for (int k = 0; k < 3; k++) {
      specs[b].shape.size[k]      = 1;
      specs[b].shape.cells[k]     = cells[b][k];
      specs[b].shape.translate[k] = place[b][k];
    }
  }
  AbutTestCall(AbutMeshCreate(comm, 3, 4, specs, &mesh));
  return mesh;
}

static PetscBool IsPotential(const char method[])
{
  for (int k = 0; k < NUM_METHODS; k++)
    if (!strcmp(method, AbutPointMethods[k].name)) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Contacts of a method; frees the mesh. Free with PetscFree(contacts.a). */
static AbutPointContacts Find(AbutMesh mesh, const char method[])
{
  const AbutMeshLocal     *m;
  AbutContactPoints        points;
  const AbutPointContacts *found;
  AbutPointContacts        copy = {0};

  m = AbutMeshGetLocal(mesh);
  AbutTestCall(AbutContactPointsCreate(mesh, method, &points));
  for (int twice = 0; twice < 2; twice++) AbutTestCall(AbutContactPointsFind(points, m->rest, &found));
  AbutTestCall(AbutPointContactsReserve(&copy, found->n));
  copy.n = found->n;
  if (copy.n) memcpy(copy.a, found->a, sizeof(*copy.a) * (size_t)copy.n);
  AbutTestCall(AbutContactPointsDestroy(&points));
  AbutTestCall(AbutMeshDestroy(&mesh));
  return copy;
}

/* Contacts of one rank, of all ranks. */
static void ExpectSame(const char method[], AbutPointContacts one, AbutPointContacts all)
{
  if (one.n < 10 || one.n != all.n) fail_msg("%s: %d contacts on one rank, %d on all", method, (int)one.n, (int)all.n);
  for (PetscInt i = 0; i < one.n; i++) {
    const AbutPointContact *c = &one.a[i];

    if (memcmp(c, &all.a[i], sizeof(*c)))
      fail_msg("%s: contact %d has the weight %.17g at (%.17g, %.17g, %.17g) on one rank, %.17g at (%.17g, %.17g, %.17g) on all", method,
               (int)i, (double)c->weight, (double)c->position[0], (double)c->position[1], (double)c->position[2], (double)all.a[i].weight,
               (double)all.a[i].position[0], (double)all.a[i].position[1], (double)all.a[i].position[2]);

    assert_true(c->body[0] < c->body[1] && fabs(AbutDot(3, c->normal, c->normal) - 1) < 1e-12 && c->weight > 0);
    assert_true(i == 0 || c->body[0] > c[-1].body[0] || (c->body[0] == c[-1].body[0] && c->body[1] >= c[-1].body[1]));
  }
  AbutTestCall(PetscFree(one.a));
  AbutTestCall(PetscFree(all.a));
}

static void SameOnAllRanks(void **state)
{
  (void)state;
  for (int k = 0; AbutContactPointMethodName(k); k++) {
    const char     *method   = AbutContactPointMethodName(k);
    const PetscBool obstacle = IsPotential(method);

    ExpectSame(method, Find(CreateMesh(PETSC_COMM_SELF, obstacle), method), Find(CreateMesh(PETSC_COMM_WORLD, obstacle), method));
    ExpectSame(method, Find(CreateTies(PETSC_COMM_SELF), method), Find(CreateTies(PETSC_COMM_WORLD), method));
  }
}

/* All cells of the mesh; the surface bits count the cells that have a face. Not collective: the mesh is on one rank. */
static AbutPointCell *AllCells(const AbutMeshLocal *m, const PetscReal x[])
{
  AbutPointCell *cells = calloc((size_t)m->num_cells, sizeof(*cells));

  for (PetscInt c = 0; c < m->num_cells; c++) {
    AbutTetrahedron *tet = &cells[c].tet;

    tet->cell = m->cell_id[c];
    tet->body = m->cell_body[c];
    for (int v = 0; v < 4; v++) {
      tet->vertex[v] = m->vertex_id[m->cells[4 * c + v]];
      for (int i = 0; i < 3; i++) tet->x[v][i] = x[3 * m->cells[4 * c + v] + i];
    }
    AbutPointCellSetUp(&cells[c]);
    for (PetscInt f = 0; f < m->num_faces; f++) {
      int in = 0, not_in = 0;

      for (int v = 0; v < 4; v++) {
        const PetscInt *face = m->faces + 3 * f, w = m->cells[4 * c + v];
        const PetscBool has = (PetscBool)(face[0] == w || face[1] == w || face[2] == w);

        in += has;
        not_in = has ? not_in : v;
      }
      if (in == 3) tet->surface |= 1u << not_in;
    }
  }
  return cells;
}

/* Every contact of a pair of cells is among the contacts of the generator, up to the post-filter. */
static void AllPairs(void **state)
{
  AbutMesh             mesh = CreateMesh(PETSC_COMM_SELF, PETSC_FALSE);
  const AbutMeshLocal *m;
  AbutPointCell       *cells;

  (void)state;
  m     = AbutMeshGetLocal(mesh);
  cells = AllCells(m, m->rest);
  for (int k = 1; k < NUM_METHODS; k++) {
    AbutPointContacts        expected = {0};
    const AbutPointContacts *found;
    AbutContactPoints        points;

    AbutTestCall(AbutContactPointsCreate(mesh, AbutPointMethods[k].name, &points));
    AbutTestCall(AbutContactPointsFind(points, m->rest, &found));
    for (PetscInt a = 0; a < m->num_cells; a++)
      for (PetscInt b = 0; b < m->num_cells; b++) {
        if (cells[a].tet.body >= cells[b].tet.body || !cells[a].tet.surface || !cells[b].tet.surface) continue;
        AbutTestCall(AbutPointMethods[k].find(&points->rules, &cells[a], &cells[b], &expected));
      }
    assert_true(expected.n >= found->n && found->n > 10);
    for (PetscInt e = 0; e < expected.n; e++) {
      const AbutPointContact *c    = &expected.a[e];
      PetscBool               same = PETSC_FALSE;

      for (PetscInt i = 0; i < found->n && !same; i++) {
        PetscReal error = 0;

        for (int j = 0; j < 3; j++)
          error += PetscSqr(c->position[j] - found->a[i].position[j]) + PetscSqr(c->normal[j] - found->a[i].normal[j]);
        same = (PetscBool)(c->body[0] == found->a[i].body[0] && c->body[1] == found->a[i].body[1] && error < 1e-10);
      }
      if (!same) fail_msg("%s: a contact of cells %d and %d is missing", AbutPointMethods[k].name, (int)c->cell[0], (int)c->cell[1]);
    }
    AbutTestCall(AbutContactPointsDestroy(&points));
    AbutTestCall(PetscFree(expected.a));
  }
  free(cells);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

/* A vertex of a box moves along the mean of its normals: a corner along the diagonal, the middle of a face along the normal. */
static void Erosion(void **state)
{
  AbutMesh             mesh = CreateMesh(PETSC_COMM_WORLD, PETSC_FALSE);
  const AbutMeshLocal *m;
  AbutContactPoints    points;
  PetscReal           *eroded;
  PetscInt             seen[4] = {0, 0, 0, 0};

  (void)state;
  m = AbutMeshGetLocal(mesh);
  AbutTestCall(AbutContactPointsCreate(mesh, "closest-points", &points));
  AbutTestCall(AbutPointsErode(points, m->rest, &eroded));
  for (PetscInt v = 0; v < m->num_local; v++) {
    const PetscReal *x = m->rest + 3 * v, center[3] = {0, 0, 0};
    PetscReal        expected[3];
    int              sides = 0;

    if (m->vertex_body[v] != 0) continue; /* the box about the origin */
    for (int i = 0; i < 3; i++) sides += fabs(fabs(x[i] - center[i]) - 0.5) < 1e-12;
    for (int i = 0; i < 3; i++)
      expected[i] = x[i] - (fabs(fabs(x[i]) - 0.5) < 1e-12 ? copysign(points->rules.erosion / sqrt(sides), x[i]) : 0);
    AbutTestClose("eroded vertex", 3, eroded + 3 * v, expected, 1e-12);
    seen[sides]++;
  }
  AbutTestCall(PetscFree(eroded));
  for (PetscInt v = 0; v < 4; v++) assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &seen[v], 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  assert_true(seen[0] && seen[1] && seen[2] && seen[3]);
  AbutTestCall(AbutContactPointsDestroy(&points));
  AbutTestCall(AbutMeshDestroy(&mesh));
}

/* All ranks together evaluate the pairs that one rank evaluates. */
static void Work(void **state)
{
  AbutMesh                 mesh[2] = {CreateMesh(PETSC_COMM_SELF, PETSC_FALSE), CreateMesh(PETSC_COMM_WORLD, PETSC_FALSE)};
  PetscInt64               sum[2]  = {0, 0};
  const AbutPointContacts *found;

  (void)state;
  for (int k = 0; k < 2; k++) {
    AbutContactPoints points;

    AbutTestCall(AbutContactPointsCreate(mesh[k], "opposing", &points));
    AbutTestCall(AbutContactPointsFind(points, AbutMeshGetLocal(mesh[k])->rest, &found));
    sum[k] = points->num_pairs;
    AbutTestCall(AbutContactPointsDestroy(&points));
    AbutTestCall(AbutMeshDestroy(&mesh[k]));
  }
  AbutTestCall(MPI_Allreduce(MPI_IN_PLACE, &sum[1], 1, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD));
  assert_true(sum[0] > 100 && sum[0] == sum[1]);
}

/* The bits of a search do not depend on the ranks where the bodies are far from where they started. */
static void FarAway(void **state)
{
  PetscReal first[6][3];

  (void)state;
  for (int k = 0; k < 2; k++) {
    AbutMesh             mesh = CreateMesh(k ? PETSC_COMM_WORLD : PETSC_COMM_SELF, PETSC_FALSE);
    const AbutMeshLocal *m    = AbutMeshGetLocal(mesh);
    AbutContactPoints    points;
    PetscReal           *x, *shrunk;

    AbutTestCall(AbutContactPointsCreate(mesh, "closest-points", &points));
    points->policy.shrink = 0.5;
    x                     = calloc((size_t)(3 * m->num_local + 1), sizeof(*x));
    for (PetscInt i = 0; i < 3 * m->num_local; i++) x[i] = m->rest[i] + 1e9;
    AbutTestCall(AbutPointsShrink(points, x, &shrunk));
    for (PetscInt v = 0; v < m->num_local; v++) { /* first vertices of the bodies */
      const PetscInt b = m->vertex_body[v];

      if (m->vertex_id[v] != m->bodies[b].vertex_start) continue;
      for (int i = 0; i < 3; i++) {
        const PetscReal center = 1e9 + (m->bodies[b].box[0][i] + m->bodies[b].box[1][i]) / 2;

        if (b < 4) assert_true(fabs(shrunk[3 * v + i] - (x[3 * v + i] + center) / 2) < 1e-5); /* boxes: 1e-16 of 1e9 m, with sums */
        if (!k) first[b][i] = shrunk[3 * v + i];
        if (k) assert_true(shrunk[3 * v + i] == first[b][i]);
      }
    }
    free(x);
    AbutTestCall(PetscFree(shrunk));
    AbutTestCall(AbutContactPointsDestroy(&points));
    AbutTestCall(AbutMeshDestroy(&mesh));
  }
}

/* Wrong names, positions that are not finite, inverted cells: the same error on all ranks. */
static void Errors(void **state)
{
  AbutMesh                 mesh = CreateMesh(PETSC_COMM_WORLD, PETSC_FALSE), blocked = CreateMesh(PETSC_COMM_WORLD, PETSC_TRUE);
  const AbutMeshLocal     *m;
  AbutContactPoints        points;
  const AbutPointContacts *found;
  PetscReal               *x;

  (void)state;
  m = AbutMeshGetLocal(mesh);
  assert_int_equal(AbutContactPointsCreate(mesh, "opposite", &points), ABUT_ERR_INPUT);
  assert_non_null(strstr(AbutErrorMessage(), "did you mean 'opposing'?; must be one of closest-points, intersection, "));
  assert_null(points);
  AbutErrorClear();
  assert_int_equal(AbutContactPointsCreate(blocked, "growth", &points), ABUT_ERR_INPUT);
  assert_non_null(strstr(AbutErrorMessage(), "the obstacle 'body 5' has none"));
  AbutErrorClear();
  AbutTestCall(AbutMeshDestroy(&blocked));
  AbutTestCall(AbutContactPointsCreate(mesh, "growth", &points));
  x = calloc((size_t)(3 * m->num_local + 1), sizeof(*x));
  for (int wrong = 0; wrong < 2; wrong++) {
    for (PetscInt v = 0; v < 3 * m->num_local; v++) x[v] = m->rest[v];
    for (PetscInt v = 0; v < m->num_local; v++)
      if (m->vertex_id[v] == m->bodies[1].vertex_start) x[3 * v] = wrong ? 10 : NAN;
    assert_int_equal(AbutContactPointsFind(points, x, &found), ABUT_ERR_INPUT);
    assert_null(found);
    assert_non_null(strstr(AbutErrorMessage(), "body 1"));
    AbutErrorClear();
  }
  free(x);
  AbutTestCall(AbutContactPointsDestroy(&points));
  AbutTestCall(AbutMeshDestroy(&mesh));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SameOnAllRanks), cmocka_unit_test(AllPairs), cmocka_unit_test(Erosion),
                                     cmocka_unit_test(Work),           cmocka_unit_test(FarAway),  cmocka_unit_test(Errors)};
  return AbutTestMain(argc, argv, tests);
}
