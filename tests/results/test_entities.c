/* intersections.xdmf has each intersection of each rank once, with positions of vertices that other ranks own; failure.xdmf has a pair. */
#include "results.h"

static char     directory[PETSC_MAX_PATH_LEN], path[PETSC_MAX_PATH_LEN];
static AbutMesh mesh;

static int Begin(void **state)
{
  (void)state;
  AbutTestDirectory(directory);
  PathIn(directory, "intersections.xdmf", path);
  mesh = MakeMesh(PETSC_COMM_WORLD, 3, 2, directory);
  return 0;
}

static int End(void **state)
{
  (void)state;
  RemoveDirectory(directory);
  return AbutMeshDestroy(&mesh);
}

/* The `n` numbers of the data item after `key` in the grid `grid`: no fewer, no more. */
static void Item(const char text[], const char grid[], const char key[], int n, double out[])
{
  char        wanted[64];
  const char *at;
  char       *next;

  snprintf(wanted, sizeof(wanted), "<Grid Name=\"%s\"", grid);
  at = strstr(text, wanted);
  if (!at) fail_msg("no grid %s", grid);
  at = strstr(at, key);
  if (!at) fail_msg("no %s in grid %s", key, grid);
  at = strchr(strstr(at, "<DataItem"), '>') + 1;
  for (int i = 0; i < n; i++, at = next) {
    out[i] = strtod(at, &next);
    if (next == at) fail_msg("%s of grid %s has %d numbers, expected %d", key, grid, i, n);
  }
  assert_int_equal(at[0], '<');
}

static void EdgesAndTriangles(void **state)
{
  const AbutMeshLocal *m;
  PetscMPIInt          size, rank = WorldRank();
  PetscReal           *x;
  char                *text;
  double               ids[64], points[192], body[32], corners[64];

  (void)state;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  m                           = AbutMeshGetLocal(mesh);
  x                           = VertexValues(m, 9);
  const AbutIntersection mine = {{rank, rank + 7}, {rank + 27, rank + 30, rank + 33}, {0, 1}};
  AbutTestCall(AbutIntersectionsWrite(mesh, directory, x, 1, &mine));
  free(x);
  if (rank) return;
  text = GetFile(path);
  for (int width = 2; width <= 3; width++) {
    const char *grid = width == 2 ? "edges" : "triangles";
    Item(text, grid, "\"body\"", size, body);
    Item(text, grid, "\"vertex_id\"", width * size, ids);
    Item(text, grid, "<Topology", width * size, corners);
    Item(text, grid, "<Geometry", 3 * width * size, points);
    for (int r = 0; r < size; r++)
      assert_true(body[r] == width - 2 && ids[width * r] == (width == 2 ? r : r + 27) &&
                  ids[width * r + 1] == (width == 2 ? r + 7 : r + 30));
    for (int i = 0; i < width * size; i++) assert_true(corners[i] == i);
    for (int i = 0; i < 3 * width * size; i++) assert_true(points[i] == Value((PetscInt)ids[i / 3], i % 3, 9));
  }
  assert_null(strstr(text, "Polyvertex"));
  free(text);
}

static void VertexBehindPlane(void **state)
{
  const AbutIntersection behind = {{5, -1}, {3, -1, -1}, {0, -1}};
  const AbutMeshLocal   *m;
  PetscReal             *x;
  char                  *text;
  double                 id, plane, partner;

  (void)state;
  m = AbutMeshGetLocal(mesh);
  x = VertexValues(m, 9);
  AbutTestCall(AbutIntersectionsWrite(mesh, directory, x, WorldRank() ? 0 : 1, &behind));
  free(x);
  if (WorldRank()) return;
  text = GetFile(path);
  Item(text, "vertices", "\"vertex_id\"", 1, &id);
  Item(text, "vertices", "\"plane\"", 1, &plane);
  Item(text, "vertices", "\"partner_body\"", 1, &partner);
  assert_true(id == 5 && plane == 3 && partner == -1);
  assert_null(strstr(text, "edges"));
  free(text);
}

/* A face of the mesh and one more vertex limit a step: four vertices, three edges, the triangle. */
static void LimitingPair(void **state)
{
  const AbutMeshLocal *m      = AbutMeshGetLocal(mesh);
  PetscInt             ids[3] = {0, 0, 0};
  AbutLimitingPair     pair   = {{0}, {1, 0}, 0.5, 0};
  PetscReal           *x;
  char                 file[PETSC_MAX_PATH_LEN], *text;
  double               body[4], partner[4];

  (void)state;
  for (PetscInt f = 0; f < m->num_faces; f++)
    if (m->face_id[f] == 5)
      for (int k = 0; k < 3; k++) ids[k] = m->vertex_id[m->faces[3 * f + k]];
  MPI_Allreduce(MPI_IN_PLACE, ids, 3, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD); /* one rank has the face */
  pair.vertex_id[0] = m->bodies[1].vertex_start;                            /* a corner of the other box */
  for (int k = 0; k < 3; k++) pair.vertex_id[1 + k] = ids[k];
  x = VertexValues(m, 9);
  AbutTestCall(AbutLimitingPairWrite(mesh, directory, x, &pair));
  free(x);
  if (WorldRank()) return;
  PathIn(directory, "failure.xdmf", file);
  text = GetFile(file);
  for (int width = 1; width <= 3; width++) {
    const char *grid = (const char *[]){"vertices", "edges", "triangles"}[width - 1];
    const int   num  = (const int[]){4, 3, 1}[width - 1];
    Item(text, grid, "\"body\"", num, body);
    Item(text, grid, "\"partner_body\"", num, partner);
    for (int k = 0; k < num; k++) assert_true(body[k] + partner[k] == 1 && (width == 1 || body[k] == 0));
  }
  free(text);
}

static void FailureReachesAllRanks(void **state)
{
  const AbutMeshLocal *m;
  PetscReal           *x;

  (void)state;
  m = AbutMeshGetLocal(mesh);
  x = VertexValues(m, 9);
  assert_int_equal(AbutIntersectionsWrite(mesh, "/nonexistent", x, 0, NULL), ABUT_ERR_IO);
  assert_non_null(strstr(AbutErrorMessage(), "/nonexistent/intersections.xdmf"));
  AbutErrorClear();
  free(x);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(EdgesAndTriangles, Begin, End),
    cmocka_unit_test_setup_teardown(VertexBehindPlane, Begin, End),
    cmocka_unit_test_setup_teardown(LimitingPair, Begin, End),
    cmocka_unit_test_setup_teardown(FailureReachesAllRanks, Begin, End),
  };
  return AbutTestMain(argc, argv, tests);
}
