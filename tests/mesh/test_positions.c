/*
  Positions at the start and of sequences: from files of all kinds, read in blocks, each vertex gets the position of its line bit for bit on
  all numbers of ranks; damaged files give one message on all ranks and leave positions unchanged.
*/
#include "box_files.h"

static PetscReal moved[NUM_VERTICES][3]; /* positions of the body that the files have */
static char      rest_path[PETSC_MAX_PATH_LEN];
static AbutMesh  scene; /* without positions at the start */

/* Positions that use all bits and differ for all vertices. */
static void Move(void)
{
  for (PetscInt v = 0; v < NUM_VERTICES; v++)
    for (int d = 0; d < 3; d++) position[v][d] = moved[v][d] = 1.1 * position[v][d] + (PetscReal)(v % 7) / 97 + d / 3.;
}

/* A ball and the body of a file, whose ids start behind the ids of the ball. */
static AbutMesh Scene(const char start[], const AbutMeshLocal **local)
{
  AbutBodySpec specs[2] = {Spec("ball", ABUT_SHAPE_BALL, 1, 0, 0, 2, 0, 0), FileSpec("part", rest_path)};

  specs[1].shape.rotate[2] = 30; /* does not apply to the positions of other files */
  strcpy(specs[1].start, start);
  return MakeMesh(PETSC_COMM_WORLD, 3, 2, specs, local);
}

static void CompareStart(AbutMesh mesh)
{
  const AbutMeshLocal *local = AbutMeshGetLocal(mesh);
  const PetscReal     *start = AbutMeshGetStart(mesh);
  PetscInt             num   = 0;

  for (PetscInt v = 0; v < local->num_local; v++) {
    const PetscReal *expected = local->vertex_body[v] ? moved[local->vertex_id[v] - local->bodies[1].vertex_start] : &local->rest[3 * v];

    assert_memory_equal(&start[3 * v], expected, 3 * sizeof(*start));
    num += v < local->num_owned && local->vertex_body[v];
  }
  assert_int_equal(SumInt(num), NUM_VERTICES);
}

/* The same positions by AbutMeshReadPositions(); other vertices stay unchanged. */
static void CompareRead(const char path[])
{
  const AbutMeshLocal *local = AbutMeshGetLocal(scene);
  PetscReal           *x = calloc((size_t)(3 * local->num_owned + 1), sizeof(*x)), zero[3] = {0, 0, 0};

  AbutTestCall(AbutMeshReadPositions(scene, 1, path, "scene.yaml:7", x));
  for (PetscInt v = 0; v < local->num_owned; v++)
    assert_memory_equal(&x[3 * v], local->vertex_body[v] ? moved[local->vertex_id[v] - local->bodies[1].vertex_start] : zero, sizeof(zero));
  free(x);
}

/* Compares with the file that was written last, then deletes it. */
static void CompareFile(const char path[])
{
  const AbutMeshLocal *local;
  AbutMesh             mesh = Scene(path, &local);

  CompareStart(mesh);
  AbutTestCall(AbutMeshDestroy(&mesh));
  CompareRead(path);
  RemoveFile(path);
}

static void Open(void)
{
  const AbutMeshLocal *local;

  MakeBox();
  Msh2(no_defect);
  WriteFile("rest.msh", text, rest_path);
  Move();
  scene = Scene("", &local);
}

static void Close(void)
{
  AbutTestCall(AbutMeshDestroy(&scene));
  RemoveFile(rest_path);
}

static void EqualPositions(void **state)
{
  char path[PETSC_MAX_PATH_LEN];

  (void)state;
  Open();
  Msh2(no_defect);
  WriteFile("two.msh", text, path);
  CompareFile(path);
  Msh4();
  WriteFile("four.msh", text, path);
  CompareFile(path);
  WriteHDF5("mesh.h5", 4, path);
  CompareFile(path);
  WriteHDF5("points.h5", 0, path); /* no cells */
  CompareFile(path);
  text[0] = '\0';
  for (PetscInt v = 0; v < NUM_VERTICES; v++) Add("v %.17g %.17g %.17g\n", (double)moved[v][0], (double)moved[v][1], (double)moved[v][2]);
  WriteFile("points.obj", text, path);
  CompareFile(path);
  Close();
}

/* In 2D files have a third coordinate, which must be 0. */
static void Plane(void **state)
{
  AbutBodySpec         spec = Spec("sheet", ABUT_SHAPE_BOX, 1, 1, 0, 5, 6, 0);
  const AbutMeshLocal *local;
  const PetscReal     *start;
  AbutMesh             mesh;
  char                 path[PETSC_MAX_PATH_LEN];

  (void)state;
  text[0] = '\0';
  Add("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n42\n");
  for (int v = 0; v < 42; v++) Add("%d %.17g %.17g 0\n", v + 1, v / 7., v / 11.);
  Add("$EndNodes\n");
  WriteFile("sheet.msh", text, path);
  strcpy(spec.start, path);
  mesh  = MakeMesh(PETSC_COMM_WORLD, 2, 1, &spec, &local);
  start = AbutMeshGetStart(mesh);
  for (PetscInt v = 0; v < local->num_local; v++) {
    assert_true(start[2 * v] == (PetscReal)local->vertex_id[v] / 7.);
    assert_true(start[2 * v + 1] == (PetscReal)local->vertex_id[v] / 11.);
  }
  AbutTestCall(AbutMeshDestroy(&mesh));
  RemoveFile(path);
  strcpy(strstr(text, "\n42 ") + 1, "42 1 1 0.25\n$EndNodes\n");
  WriteFile("raised.msh", text, path);
  ExpectSpecError(2, &spec, "cannot read", "sheet.msh");
  strcpy(spec.start, path);
  ExpectSpecError(2, &spec, "vertex 41 has z = 0.25", "raised.msh");
  RemoveFile(path);
}

/* The error of a file of positions on all ranks; positions stay unchanged. */
static void ExpectStartError(const char path[], const char first[], const char second[])
{
  static const char    prefix[] = "scene.yaml:7: body 'part': ";
  const AbutMeshLocal *local    = AbutMeshGetLocal(scene);
  PetscReal           *x        = calloc((size_t)(3 * local->num_owned + 1), sizeof(*x));
  const PetscErrorCode ierr     = AbutMeshReadPositions(scene, 1, path, "scene.yaml:7", x);

  assert_memory_equal(AbutErrorMessage(), prefix, sizeof(prefix) - 1);
  ExpectError(ierr, first, second);
  for (PetscInt i = 0; i < 3 * local->num_owned; i++) assert_true(x[i] == 0);
  free(x);
}

static void ExpectText(const char first[], const char second[])
{
  char path[PETSC_MAX_PATH_LEN];

  WriteFile("bad.msh", text, path);
  ExpectStartError(path, first, second);
  RemoveFile(path);
}

/* Defects in the first, a middle and the last node, and of the number of nodes. */
static void BadMsh(void **state)
{
  static const PetscInt vertices[3] = {0, NUM_VERTICES / 2, NUM_VERTICES - 1};
  char                  place[128], line[64];

  (void)state;
  Open();
  for (int i = 0; i < 3; i++) {
    const int at = (int)vertices[i] + 11 + (vertices[i] >= 7);

    Msh2((Defect){vertices[i], -1, "77777 0 nan 0", 0});
    snprintf(place, sizeof(place), "bad.msh:%d: coordinate 1 of vertex %d is nan", at, at - 11);
    ExpectText(place, "must be in [-1e+12, 1e+12]");
    Msh2((Defect){vertices[i], -1, "77777 0 1e13 0", 0});
    snprintf(place, sizeof(place), "bad.msh:%d: coordinate 1 of vertex %d is 1e+13", at, at - 11);
    ExpectText(place, "must be in [-1e+12, 1e+12]");
    snprintf(line, sizeof(line), "%d 0 0.1 0", (int)Tag(1));
    Msh2((Defect){vertices[i], -1, line, 0});
    snprintf(place, sizeof(place), "bad.msh:%d: node tag %d occurs twice", i ? at : 12, (int)Tag(1));
    ExpectText(place, "");
    Msh2((Defect){vertices[i], -1, "tag 0 0 0", 0});
    snprintf(place, sizeof(place), "bad.msh:%d: an integer is expected", at);
    ExpectText(place, "not \"tag\"");
    Msh2((Defect){-1, (NUM_CELLS - 1) * i / 2, "5 4 2 9 1 5 6 7 3", 0});
    ExpectText("an element names node 3, which is not in $Nodes", "bad.msh:");
  }
  Msh2((Defect){-1, -1, NULL, 1});
  ExpectText("bad.msh:137: an integer is expected, not \"$EndNodes\"", "");
  Msh2((Defect){-1, -1, NULL, -1});
  ExpectText("bad.msh:136: more nodes follow than the 125 that the header states", "");
  Close();
}

/* Files with other numbers of nodes than the body, of other kinds, and without nodes. */
static void BadFiles(void **state)
{
  static const char one[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n";

  (void)state;
  Open();
  ExpectStartError("/nonexistent/start.msh", "cannot read /nonexistent/start.msh", "No such file");
  ExpectStartError("/nonexistent/start.h5", "cannot read /nonexistent/start.h5", "No such file");
  ExpectStartError("start.stl", "start.stl: unknown file type", ".msh, .geo");
  ExpectStartError("start", "has no extension", "start");
  strcpy(text, one);
  ExpectText("has 1 vertices; 'part' has 125", "bad.msh");
  strcpy(strstr(text, "1\n1 0"), "126\n");
  for (int v = 0; v < 126; v++) Add("%d 0 0 %d\n", v + 1, v);
  Add("$EndNodes\n");
  ExpectText("has 126 vertices; 'part' has 125", "bad.msh");
  strcpy(strstr(text, "126\n"), "0\n$EndNodes\n");
  ExpectText("bad.msh has no vertices", "");
  strcpy(text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n");
  ExpectText("the file has no $Nodes", "bad.msh:4");
  strcpy(text, "solid\n");
  ExpectText("not a Gmsh mesh", "bad.msh:");
  Close();
}

static void BadHDF5(void **state)
{
  char path[PETSC_MAX_PATH_LEN], place[64];

  (void)state;
  Open();
  for (int i = 0; i < 3; i++) {
    const PetscInt  v    = (NUM_VERTICES - 1) * i / 2;
    const PetscReal kept = position[v][2];

    position[v][2] = NAN;
    WriteHDF5("bad.h5", 0, path);
    snprintf(place, sizeof(place), "coordinate 2 of vertex %d of ", (int)v);
    ExpectStartError(path, place, "bad.h5 is nan; it must be in [-1e+12, 1e+12]");
    RemoveFile(path);
    position[v][2] = kept;
  }
  WriteHDF5("cut.h5", 4, path);
  if (!Rank()) assert_int_equal(truncate(path, 3000), 0);
  assert_int_equal(MPI_Barrier(PETSC_COMM_WORLD), 0);
  ExpectStartError(path, "is not an HDF5 file, or a damaged one", "cut.h5");
  RemoveFile(path);
  WriteFile("other.h5", "", path);
  if (!Rank()) {
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    PutDataset(file, "position", H5T_NATIVE_DOUBLE, NUM_VERTICES, 3, position);
    H5Fclose(file);
  }
  assert_int_equal(MPI_Barrier(PETSC_COMM_WORLD), 0);
  ExpectStartError(path, "has no dataset \"vertices\"", "other.h5");
  RemoveFile(path);
  Close();
}

/* Of an obstacle only the surface vertices count, on all ranks. */
static void Obstacle(void **state)
{
  static const char    shape[]  = "v 9 9 9\nv 1 0 0\nv 0 0 1\nv 0 1 0\nv 0 0 0\nf 2 3 4\nf 2 5 3\nf 3 5 4\nf 2 4 5\n";
  AbutBodySpec         specs[2] = {Spec("ball", ABUT_SHAPE_BALL, 1, 0, 0, 2, 0, 0), {.name = ""}};
  const AbutMeshLocal *local;
  AbutMesh             mesh;
  PetscReal           *x;
  char                 path[PETSC_MAX_PATH_LEN];

  (void)state;
  WriteFile("tetrahedron.obj", shape, path);
  specs[1]          = FileSpec("hand", path);
  specs[1].obstacle = PETSC_TRUE;
  specs[1].material = -1;
  mesh              = MakeMesh(PETSC_COMM_WORLD, 3, 2, specs, &local);
  x                 = calloc((size_t)(3 * local->num_owned + 1), sizeof(*x));
  AbutTestCall(AbutMeshReadPositions(mesh, 1, path, "scene.yaml:7", x));
  for (PetscInt i = 0; i < 3 * local->num_owned; i++) assert_true(x[i] == (local->vertex_body[i / 3] ? local->rest[i] : 0));
  RemoveFile(path);
  ExpectError(AbutMeshReadPositions(mesh, 1, path, "scene.yaml:9", x), "scene.yaml:9: obstacle 'hand': cannot read", "tetrahedron.obj");
  WriteFile("other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", path);
  ExpectError(AbutMeshReadPositions(mesh, 1, path, "scene.yaml:9", x), "other.obj has 3 vertices; 'hand' has 4", "scene.yaml:9");
  RemoveFile(path);
  free(x);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

/* Corners have the positions of the file, nodes on edges the mean displacement of their corners. */
static void CompareQuadratic(AbutMesh mesh)
{
  const AbutMeshLocal *m = AbutMeshGetLocal(mesh);
  const PetscReal     *x = AbutMeshGetStart(mesh);

  for (PetscInt c = 0; c < m->num_cells; c++) {
    const PetscInt *corners = &m->cells[4 * c];

    for (PetscInt k = 0; k < 4 && m->cell_body[c]; k++)
      assert_memory_equal(&x[3 * corners[k]], moved[m->vertex_id[corners[k]] - m->bodies[1].vertex_start], 3 * sizeof(*x));
    for (PetscInt i = 0; i < 18; i++) {
      const PetscInt e = i / 3, d = i % 3, a = 3 * corners[AbutCellEdgeCorner(e, 0)] + d, b = 3 * corners[AbutCellEdgeCorner(e, 1)] + d;
      const PetscInt v = 3 * AbutCellNode(m, c, 4 + e) + d;

      assert_true(x[v] == m->rest[v] + (m->cell_body[c] ? ((x[a] - m->rest[a]) + (x[b] - m->rest[b])) / 2 : 0));
    }
  }
}

/* A body of order 2 starts from the file of its linear mesh, or from a file with all its vertices. */
static void Quadratic(void **state)
{
  AbutBodySpec         specs[2];
  const AbutMeshLocal *local, *m;
  AbutMesh             mesh, again;
  char                 path[2][PETSC_MAX_PATH_LEN];

  (void)state;
  Open();
  Msh2(no_defect);
  WriteFile("linear.msh", text, path[0]);
  WriteFile("all.msh", "", path[1]);
  specs[0]             = Spec("ball", ABUT_SHAPE_BALL, 1, 0, 0, 2, 0, 0);
  specs[1]             = FileSpec("part", rest_path);
  specs[0].shape.order = specs[1].shape.order = 2;
  strcpy(specs[1].start, path[0]);
  mesh = MakeMesh(PETSC_COMM_WORLD, 3, 2, specs, &local);
  assert_true(local->bodies[1].vertex_end - local->bodies[1].vertex_start > 4 * NUM_VERTICES);
  CompareQuadratic(mesh);
  AbutTestCall(AbutMeshWriteBody(mesh, 1, AbutMeshGetStart(mesh), path[1]));
  strcpy(specs[1].start, path[1]);
  again = MakeMesh(PETSC_COMM_WORLD, 3, 2, specs, &m);
  assert_int_equal(m->num_local, local->num_local);
  AbutTestClose("positions", 3 * m->num_local, AbutMeshGetStart(again), AbutMeshGetStart(mesh), 1e-15); /* by nodes of the file */
  AbutTestCall(AbutMeshDestroy(&again));
  AbutTestCall(AbutMeshDestroy(&mesh));
  for (int i = 0; i < 2; i++) RemoveFile(path[i]);
  WriteFile("one.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n", path[0]);
  strcpy(specs[1].start, path[0]);
  ExpectError(AbutMeshCreate(PETSC_COMM_WORLD, 3, 2, specs, &mesh), "has 1 vertices; 'part' has 729, of which 125 are corners of its cells",
              "scene.yaml:7");
  RemoveFile(path[0]);
  Close();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(EqualPositions), cmocka_unit_test(Plane),    cmocka_unit_test(BadMsh),    cmocka_unit_test(BadFiles),
    cmocka_unit_test(BadHDF5),        cmocka_unit_test(Obstacle), cmocka_unit_test(Quadratic),
  };
  return AbutTestMain(argc, argv, tests);
}
