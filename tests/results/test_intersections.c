/* intersections.vtp: every crossing of every rank once, with positions of vertices that other ranks own. */
#include "results.h"

static char     directory[64], path[128];
static AbutMesh mesh;

static int Begin(void **state)
{
  (void)state;
  AbutTestDirectory(directory);
  PathIn(directory, "intersections.vtp", path);
  mesh = MakeMesh(PETSC_COMM_WORLD, 3, 2, directory);
  return 0;
}

static int End(void **state)
{
  (void)state;
  RemoveDirectory(directory);
  return AbutMeshDestroy(&mesh);
}

/* The numbers of the array `name`, -1 entries beyond its end. */
static void Array(const char text[], const char name[], int n, double out[])
{
  char        wanted[64];
  const char *at;
  char       *next;

  snprintf(wanted, sizeof(wanted), "Name=\"%s\"", name);
  at = strstr(text, wanted);
  if (!at) fail_msg("no array %s", name);
  at = strchr(at, '>') + 1;
  for (int i = 0; i < n; i++, at = next) {
    out[i] = strtod(at, &next);
    if (next == at) fail_msg("array %s has %d numbers, expected %d", name, i, n);
  }
  assert_int_equal(at[0], '<');
}

/* Points follow the attribute NumberOfComponents. */
static void Points(const char text[], int n, double out[])
{
  char *next;

  for (const char *at = strchr(strstr(text, "NumberOfComponents=\"3\""), '>') + 1; n--; at = next) *out++ = strtod(at, &next);
}

static void EdgesAndTriangles(void **state)
{
  const AbutMeshLocal *m;
  PetscMPIInt          size, rank = WorldRank();
  PetscReal           *x;
  char                *text;
  double               ids[64], points[192], kind[32], body[32];

  (void)state;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  AbutTestCall(AbutMeshGetLocal(mesh, &m));
  x                           = VertexValues(m, 9);
  const AbutIntersection mine = {{rank, rank + 7}, {rank + 27, rank + 30, rank + 33}, {0, 1}};
  AbutTestCall(AbutIntersectionsWrite(mesh, directory, x, 1, &mine));
  free(x);
  if (rank) return;
  text = GetFile(path);
  Array(text, "kind", 2 * size, kind);
  Array(text, "body", 2 * size, body);
  Array(text, "vertex_id", 5 * size, ids);
  Points(text, 15 * size, points);
  for (int r = 0; r < size; r++) { /* lines of all crossings, then triangles */
    assert_true(kind[r] == 1 && kind[size + r] == 2 && body[r] == 0 && body[size + r] == 1);
    assert_true(ids[2 * r] == r && ids[2 * r + 1] == r + 7 && ids[2 * size + 3 * r + 2] == r + 33);
  }
  for (int i = 0; i < 15 * size; i++) assert_true(points[i] == Value((PetscInt)ids[i / 3], i % 3, 9));
  free(text);
}

static void VertexBehindPlane(void **state)
{
  const AbutIntersection behind = {{5, -1}, {3, -1, -1}, {0, -1}};
  const AbutMeshLocal   *m;
  PetscReal             *x;
  char                  *text;
  double                 kind, id, plane;

  (void)state;
  AbutTestCall(AbutMeshGetLocal(mesh, &m));
  x = VertexValues(m, 9);
  AbutTestCall(AbutIntersectionsWrite(mesh, directory, x, WorldRank() ? 0 : 1, &behind));
  free(x);
  if (WorldRank()) return;
  text = GetFile(path);
  Array(text, "kind", 1, &kind);
  Array(text, "vertex_id", 1, &id);
  Array(text, "plane", 1, &plane);
  assert_true(kind == 0 && id == 5 && plane == 3);
  free(text);
}

/* The pair that a failed step blames: a face of the mesh and one more vertex, with the edges between them. */
static void BlamedPair(void **state)
{
  const AbutMeshLocal *m;
  PetscInt             ids[3] = {0, 0, 0};
  AbutLimitingPair     blame  = {{0}, {1, 0}, 0.5, 0};
  PetscReal           *x;
  char                 file[128], *text;
  double               kind[8], body[8], partner[8];

  (void)state;
  AbutTestCall(AbutMeshGetLocal(mesh, &m));
  for (PetscInt f = 0; f < m->num_faces; f++)
    if (m->face_id[f] == 5)
      for (int k = 0; k < 3; k++) ids[k] = m->vertex_id[m->faces[3 * f + k]];
  MPI_Allreduce(MPI_IN_PLACE, ids, 3, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD); /* one rank has the face */
  blame.vertex_id[0] = m->bodies[1].vertex_start;                           /* a corner of the other box */
  for (int k = 0; k < 3; k++) blame.vertex_id[1 + k] = ids[k];
  x = VertexValues(m, 9);
  AbutTestCall(AbutBlameWrite(mesh, directory, x, &blame));
  free(x);
  if (WorldRank()) return;
  PathIn(directory, "failure.vtp", file);
  text = GetFile(file);
  Array(text, "kind", 8, kind); /* four vertices, three edges, the triangle */
  Array(text, "body", 8, body);
  Array(text, "partner_body", 8, partner);
  for (int k = 0; k < 8; k++) {
    assert_true(kind[k] == (k < 4 ? 0 : k < 7 ? 1 : 2));
    assert_true(body[k] + partner[k] == 1 && (k < 4 || body[k] == 0));
  }
  free(text);
}

static void FailureReachesAllRanks(void **state)
{
  const AbutMeshLocal *m;
  PetscReal           *x;

  (void)state;
  AbutTestCall(AbutMeshGetLocal(mesh, &m));
  x = VertexValues(m, 9);
  assert_int_equal(AbutIntersectionsWrite(mesh, "/nonexistent", x, 0, NULL), ABUT_ERR_IO);
  assert_non_null(strstr(AbutErrorMessage(), "/nonexistent/intersections.vtp"));
  AbutErrorClear();
  free(x);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(EdgesAndTriangles, Begin, End),
    cmocka_unit_test_setup_teardown(VertexBehindPlane, Begin, End),
    cmocka_unit_test_setup_teardown(BlamedPair, Begin, End),
    cmocka_unit_test_setup_teardown(FailureReachesAllRanks, Begin, End),
  };
  return AbutTestMain(argc, argv, tests);
}
