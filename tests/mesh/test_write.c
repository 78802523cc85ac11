/* Files of bodies with given positions: vertices, cells and groups survive; positions at the start are read from such a file. */
#include "expect_error.h"

/* A path that only this run uses, the same on every rank; there is no file yet. */
static void NewPath(const char name[], char path[PETSC_MAX_PATH_LEN])
{
  WriteFile(name, "", path);
  RemoveFile(path);
}

/* Affine image of a point. */
static PetscReal Moved(PetscInt k, const PetscReal x[])
{
  static const PetscReal A[3][3] = {{1.1, 0.2, -0.1}, {-0.3, 0.9, 0.05}, {0.1, 0.3, 1.2}};

  return 0.7 * (PetscReal)k + AbutDot(3, A[k], x);
}

/* Images of the local vertices [num_local * dim]; free with free(). */
static PetscReal *AllMoved(const AbutMeshLocal *local)
{
  PetscReal *x = calloc((size_t)(local->num_local * local->dim + 1), sizeof(*x));

  for (PetscInt v = 0; v < local->num_local; v++) {
    PetscReal at[3] = {0, 0, 0};

    for (PetscInt k = 0; k < local->dim; k++) at[k] = local->rest[local->dim * v + k];
    for (PetscInt k = 0; k < local->dim; k++) x[local->dim * v + k] = Moved(k, at);
  }
  return x;
}

/* Sum over cells of a number that depends on the ids of the cell and of its vertices, counted from the first ones of the body. */
static PetscReal CellSum(const AbutMeshLocal *local, PetscInt body)
{
  const AbutBody *b   = &local->bodies[body];
  PetscReal       sum = 0;

  for (PetscInt c = 0; c < local->num_cells; c++)
    for (PetscInt k = 0; k < local->dim + 1 + AbutNumCellEdges(local->dim) && local->cell_body[c] == body && AbutCellNode(local, c, k) >= 0;
         k++)
      sum += (PetscReal)((local->cell_id[c] - b->cell_start + 1) * (k + 1) *
                         (local->vertex_id[AbutCellNode(local, c, k)] - b->vertex_start + 1));
  return SumReal(sum);
}

/* The nodes on the edges of a cell, if there are, are in the middles. */
static void CheckStraight(const AbutMeshLocal *m, PetscInt c)
{
  for (PetscInt e = 0; m->middles && e < AbutNumCellEdges(m->dim); e++)
    for (PetscInt d = 0; d < m->dim; d++) {
      const PetscInt *cell = &m->cells[(m->dim + 1) * c], a = cell[AbutCellEdgeCorner(e, 0)], b = cell[AbutCellEdgeCorner(e, 1)];
      const PetscReal mean = (m->rest[m->dim * a + d] + m->rest[m->dim * b + d]) / 2;

      assert_true(PetscAbsReal(m->rest[m->dim * AbutCellNode(m, c, m->dim + 1 + e) + d] - mean) < 1e-14);
    }
}

/* A body that is written and read again has the positions, to the last bit, and the cells in their order. */
static void RoundTrip(void **state)
{
  (void)state;
  for (PetscInt i = 0; i < 4; i++) {
    const PetscInt dim = 2 + i % 2, order = 1 + i / 2;
    AbutBodySpec   specs[2] = {Spec("ball", ABUT_SHAPE_BALL, 1, 0, 0, 2, 0, 0), Spec("box", ABUT_SHAPE_BOX, 1, 2, dim - 2, 3, 2, dim - 2)};
    const AbutMeshLocal *local, *read;
    AbutMesh             mesh, again;
    PetscReal           *x;
    char                 path[PETSC_MAX_PATH_LEN];
    AbutBodySpec         file;

    specs[1].shape.order = order;
    mesh                 = MakeMesh(PETSC_COMM_WORLD, dim, 2, specs, &local);
    x                    = AllMoved(local);
    NewPath("box.msh", path);
    AbutTestCall(AbutMeshWriteBody(mesh, 1, x, path));
    file  = FileSpec("box", path);
    again = MakeMesh(PETSC_COMM_WORLD, dim, 1, &file, &read);
    assert_int_equal(read->num_global, local->bodies[1].vertex_end - local->bodies[1].vertex_start);
    for (PetscInt v = 0; v < read->num_local; v++) {
      PetscReal at[3] = {0, 0, 0};
      PetscInt  id = read->vertex_id[v], side = 4; /* vertices of the box: x first */

      if (id >= (dim == 3 ? 24 : 12)) continue; /* a node on an edge */
      for (PetscInt k = 0; k < dim; k++, id /= side, side = 3) at[k] = (PetscReal)(id % side) / (PetscReal)(side - 1) - 0.5;
      at[1] *= 2;
      if (dim == 3) at[2] = (PetscReal)(read->vertex_id[v] / 12) - 0.5;
      for (PetscInt k = 0; k < dim; k++) assert_true(PetscAbsReal(read->rest[dim * v + k] - Moved(k, at)) < 1e-15 * 10);
    }
    assert_true(CellSum(read, 0) == CellSum(local, 1));
    assert_int_equal(read->middles != NULL, order == 2);
    for (PetscInt c = 0; c < read->num_cells; c++) CheckStraight(read, c);
    free(x);
    AbutTestCall(AbutMeshDestroy(&again));
    AbutTestCall(AbutMeshDestroy(&mesh));
    RemoveFile(path);
  }
}

/* Groups of the file keep their names and vertices. */
static void Groups(void **state)
{
  static const char text[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 5 \"top\"\n1 7 \"side\"\n$EndPhysicalNames\n"
                             "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n$Elements\n4\n1 2 2 5 1 2 3 4\n"
                             "2 1 2 7 1 1 2\n3 4 2 0 1 1 2 3 4\n4 4 2 0 1 2 3 4 5\n$EndElements\n";
  static const struct {
    const char *name;
    PetscInt    count, sum;
  } groups[] = {{"top", 3, 1 + 2 + 3}, {"side", 2, 0 + 1}};
  char                 path[2][PETSC_MAX_PATH_LEN];
  const AbutMeshLocal *local, *read;
  AbutBodySpec         file, copy;
  AbutMesh             mesh, again;

  (void)state;
  WriteFile("groups.msh", text, path[0]);
  NewPath("again.msh", path[1]);
  file = FileSpec("tip", path[0]);
  mesh = MakeMesh(PETSC_COMM_WORLD, 3, 1, &file, &local);
  AbutTestCall(AbutMeshWriteBody(mesh, 0, local->rest, path[1]));
  copy  = FileSpec("tip", path[1]);
  again = MakeMesh(PETSC_COMM_WORLD, 3, 1, &copy, &read);
  for (size_t g = 0; g < PETSC_STATIC_ARRAY_LENGTH(groups); g++) {
    AbutSelectionSpec selection = {.body = "tip"};
    PetscInt          count, sum = 0, *vertices;

    strcpy(selection.group, groups[g].name);
    AbutTestCall(AbutMeshSelect(again, &selection, "scene.yaml:9", &count, &vertices));
    for (PetscInt i = 0; i < count; i++) sum += read->vertex_id[vertices[i]];
    assert_int_equal(SumInt(count), groups[g].count);
    assert_int_equal(SumInt(sum), groups[g].sum);
    AbutTestCall(PetscFree(vertices));
  }
  AbutTestCall(AbutMeshDestroy(&again));
  AbutTestCall(AbutMeshDestroy(&mesh));
  for (int i = 0; i < 2; i++) RemoveFile(path[i]);
}

/* Positions at the start of one body come from its file, ghosts included; other bodies are at rest. */
static void Start(void **state)
{
  AbutBodySpec         specs[2] = {Spec("ball", ABUT_SHAPE_BALL, 1, 0, 0, 2, 0, 0), Spec("box", ABUT_SHAPE_BOX, 1, 2, 3, 3, 2, 4)};
  const AbutMeshLocal *local, *with;
  AbutMesh             mesh, started;
  PetscReal           *x;
  const PetscReal     *start;
  char                 path[PETSC_MAX_PATH_LEN];

  (void)state;
  specs[0].shape.copies[0]  = 2;
  specs[0].shape.spacing[0] = 3;
  mesh                      = MakeMesh(PETSC_COMM_WORLD, 3, 2, specs, &local);
  x                         = AllMoved(local);
  assert_ptr_equal(AbutMeshGetStart(mesh), local->rest);
  NewPath("start.msh", path);
  AbutTestCall(AbutMeshWriteBody(mesh, 2, x, path));
  strcpy(specs[1].start, path);
  started = MakeMesh(PETSC_COMM_WORLD, 3, 2, specs, &with);
  start   = AbutMeshGetStart(started);
  assert_int_equal(with->num_local, local->num_local);
  for (PetscInt i = 0; i < 3 * with->num_local; i++) {
    assert_true(with->rest[i] == local->rest[i]);
    assert_true(start[i] == (with->vertex_body[i / 3] == 2 ? x[i] : local->rest[i]));
  }
  free(x);
  AbutTestCall(AbutMeshDestroy(&started));
  AbutTestCall(AbutMeshDestroy(&mesh));
  RemoveFile(path);
}

/* A file of another number of vertices, a file that does not exist, a folder that does not exist. */
static void Refusals(void **state)
{
  AbutBodySpec         spec = Spec("box", ABUT_SHAPE_BOX, 1, 1, 1, 1, 1, 1), small = Spec("box", ABUT_SHAPE_BOX, 1, 1, 1, 2, 1, 1);
  const AbutMeshLocal *local;
  AbutMesh             mesh = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &local);
  char                 path[PETSC_MAX_PATH_LEN];

  (void)state;
  NewPath("eight.msh", path);
  AbutTestCall(AbutMeshWriteBody(mesh, 0, local->rest, path));
  strcpy(small.start, path);
  ExpectSpecError(3, &small, "scene.yaml:7", "has 8 vertices; 'box' has 12");
  RemoveFile(path);
  ExpectSpecError(3, &small, "scene.yaml:7", "eight.msh");
  assert_int_equal(AbutMeshWriteBody(mesh, 0, local->rest, "/no/such/folder/box.msh"), ABUT_ERR_IO);
  assert_non_null(strstr(AbutErrorMessage(), "/no/such/folder/box.msh"));
  AbutErrorClear();
  AbutTestCall(AbutMeshDestroy(&mesh));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(RoundTrip), cmocka_unit_test(Groups), cmocka_unit_test(Start),
                                     cmocka_unit_test(Refusals)};
  return AbutTestMain(argc, argv, tests);
}
