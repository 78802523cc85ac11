/* fields.h5 and its XDMF index: values sit where their ids say on every rank count; restarts and failures leave whole levels. */
#include "results.h"
#include <signal.h>
#include <sys/resource.h>

static char directory[PETSC_MAX_PATH_LEN], h5_path[PETSC_MAX_PATH_LEN], xdmf_path[PETSC_MAX_PATH_LEN];

static int Begin(void **state)
{
  (void)state;
  AbutTestDirectory(directory);
  PathIn(directory, "fields.h5", h5_path);
  PathIn(directory, "fields.xdmf", xdmf_path);
  return 0;
}

static int End(void **state)
{
  (void)state;
  RemoveDirectory(directory);
  return 0;
}

static PetscErrorCode WriteLevel(AbutFields fields, const AbutMeshLocal *m, PetscInt step, PetscBool stress)
{
  PetscReal *x = VertexValues(m, (PetscReal)step), *v = VertexValues(m, 50 + (PetscReal)step);
  PetscReal *cauchy = calloc((size_t)(6 * m->num_cells + 1), sizeof(*cauchy)), *mises = calloc((size_t)(m->num_cells + 1), sizeof(*mises));
  AbutFieldsLevel level    = {.step = step, .time = 0.1 * (PetscReal)step, .x = x, .v = v};
  PetscReal      *pressure = calloc((size_t)(m->num_owned + 1), sizeof(*pressure));
  PetscErrorCode  ierr;

  for (PetscInt c = 0; c < m->num_cells; c++) {
    for (PetscInt k = 0; k < 6; k++) cauchy[6 * c + k] = Value(m->cell_id[c], k, 3);
    mises[c] = Value(m->cell_id[c], 0, 4);
  }
  for (PetscInt i = 0; i < m->num_owned; i++) pressure[i] = Value(m->vertex_id[i], 0, 6);
  if (stress) {
    level.surface.pressure = pressure;
    level.surface.traction = v;
    level.cauchy           = cauchy;
    level.mises            = mises;
    level.friction_force   = v;
  }
  ierr = AbutFieldsWrite(fields, &level);
  free(x);
  free(v);
  free(cauchy);
  free(mises);
  free(pressure);
  return ierr;
}

/* Reads a dataset without MPI; the caller frees it. */
static double *Read(const char name[], hsize_t rows, hsize_t columns)
{
  hid_t   file = H5Fopen(h5_path, H5F_ACC_RDONLY, H5P_DEFAULT), dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
  hsize_t n[2] = {0, 1};
  double *data = calloc(rows * columns + 1, sizeof(*data));

  if (H5Sget_simple_extent_dims(space, n, NULL) < 0 || n[0] != rows || n[1] != columns)
    fail_msg("%s is %llu x %llu, expected %llu x %llu", name, (unsigned long long)n[0], (unsigned long long)n[1], (unsigned long long)rows,
             (unsigned long long)columns);
  assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  return data;
}

static double *ReadLevel(PetscInt step, const char field[], PetscInt rows, hsize_t columns)
{
  char name[64];

  snprintf(name, sizeof(name), "/steps/%06d/%s", (int)step, field);
  return Read(name, (hsize_t)rows, columns);
}

static void CheckVertices(const AbutMeshLocal *m, PetscInt step)
{
  double *rest = Read("/mesh/rest", (hsize_t)m->num_global, 3), *x = ReadLevel(step, "position", m->num_global, 3);
  double *u = ReadLevel(step, "displacement", m->num_global, 3), *v = ReadLevel(step, "velocity", m->num_global, 3);

  for (PetscInt i = 0; i < m->num_global; i++) {
    for (PetscInt d = 0; d < 3; d++) {
      const PetscBool in = (PetscBool)(d < m->dim);
      assert_true(x[3 * i + d] == (in ? Value(i, d, (PetscReal)step) : 0));
      assert_true(v[3 * i + d] == (in ? Value(i, d, 50 + (PetscReal)step) : 0));
      assert_true(u[3 * i + d] == x[3 * i + d] - rest[3 * i + d]);
    }
  }
  for (PetscInt i = 0; i < m->num_owned; i++)
    for (PetscInt d = 0; d < m->dim; d++) assert_true(rest[3 * m->vertex_id[i] + d] == m->rest[i * m->dim + d]);
  free(rest);
  free(x);
  free(u);
  free(v);
}

static void CheckCells(const AbutMeshLocal *m)
{
  static const int full[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
  const hsize_t    rows    = (hsize_t)m->global.cells;
  double          *cells = Read("/mesh/cells", rows, (hsize_t)m->dim + 1), *body = Read("/mesh/cells_body", rows, 1);
  double          *cauchy = ReadLevel(2, "cauchy", m->global.cells, 9), *mises = ReadLevel(2, "von_mises", m->global.cells, 1);

  for (PetscInt c = 0; c < m->num_cells; c++) {
    const PetscInt id = m->cell_id[c];
    for (PetscInt k = 0; k <= m->dim; k++)
      assert_int_equal((PetscInt)cells[id * (m->dim + 1) + k], m->vertex_id[m->cells[c * (m->dim + 1) + k]]);
    assert_int_equal((PetscInt)body[id], m->cell_body[c]);
  }
  for (PetscInt id = 0; id < m->global.cells; id++) {
    assert_true(mises[id] == Value(id, 0, 4));
    for (int k = 0; k < 9; k++) assert_true(cauchy[9 * id + k] == (double)(float)Value(id, full[k], 3));
  }
  free(cells);
  free(body);
  free(cauchy);
  free(mises);
}

/* Nodes on edges, and all nodes of each cell in the order of VTK behind the number of its type in XDMF. */
static void CheckMiddles(const AbutMeshLocal *m)
{
  const PetscInt edges = AbutNumCellEdges(m->dim), corners = m->dim + 1, linear = m->bodies[0].cell_end;
  const PetscInt quadratic = m->global.cells - linear, length = linear * (1 + corners) + quadratic * (1 + corners + edges);
  double        *middles = Read("/mesh/cells_middles", (hsize_t)m->global.cells, (hsize_t)edges),
         *all            = Read("/mesh/cells_topology", (hsize_t)length, 1);

  for (PetscInt c = 0; c < m->num_cells; c++) {
    const PetscInt id = m->cell_id[c], before = PetscMin(id, linear), after = id - before;
    const double  *row = &all[before * (1 + corners) + after * (1 + corners + edges)];

    assert_int_equal((int)row[0], id < linear ? m->dim == 3 ? 6 : 4 : m->dim == 3 ? 0x26 : 0x24);
    assert_int_equal(AbutCellIsQuadratic(m, c), id >= linear);
    for (PetscInt k = 0; k < corners + edges; k++) {
      const PetscInt v = AbutCellNode(m, c, k);

      if (k >= corners) assert_int_equal((PetscInt)middles[edges * id + k - corners], v < 0 ? -1 : m->vertex_id[v]);
      if (v >= 0) assert_int_equal((PetscInt)row[1 + k], m->vertex_id[v]);
    }
  }
  free(middles);
  free(all);
}

/* Positions, displacements and velocities of nodes. */
static void CheckNodes(AbutMesh mesh, PetscInt step)
{
  const AbutMeshLocal *m      = AbutMeshGetLocal(mesh);
  const char *const    name[] = {"node_position", "node_displacement", "node_velocity"};

  for (int f = 0; f < 3; f++) {
    PetscReal *x     = VertexValues(m, (PetscReal)step + (f == 2 ? 50 : 0)),
              *nodes = calloc((size_t)(m->num_local * m->dim + 1), sizeof(*nodes));
    double *found    = ReadLevel(step, name[f], m->num_global, 3);

    AbutTestCall(AbutMeshUpdateGhosts(mesh, m->dim, x));
    for (PetscInt i = 0; i < m->num_local * m->dim && f == 1; i++) x[i] -= m->rest[i];
    AbutTestCall(AbutMeshVerticesToNodes(mesh, x, nodes));
    for (PetscInt i = 0; i < m->num_owned * m->dim; i++)
      assert_true(PetscAbsReal(found[3 * m->vertex_id[i / m->dim] + i % m->dim] - nodes[i]) < 1e-15 * 4);
    free(x);
    free(nodes);
    free(found);
  }
}

/* What obstacles are made of: triangles of the block (3D), two segments of the wire, two points. */
static void CheckObstacles(const AbutMeshLocal *m)
{
  const PetscInt wire = m->bodies[m->num_bodies - 2].vertex_start, pins = m->bodies[m->num_bodies - 1].vertex_start;
  double        *segments = Read("/mesh/obstacle_segments", 2, 2), *points = Read("/mesh/obstacle_points", 2, 1);
  double        *body = Read("/mesh/obstacle_triangles_body", m->dim == 3 ? 12 : 0, 1);
  PetscInt       sum  = 0;

  for (int k = 0; k < 4; k++) sum += (PetscInt)segments[k] - wire;
  assert_int_equal(sum, 0 + 1 + 1 + 2);
  assert_int_equal((PetscInt)points[0], pins);
  assert_int_equal((PetscInt)points[1], pins + 1);
  if (m->dim == 3) assert_int_equal((PetscInt)body[11], 2);
  free(segments);
  free(points);
  free(body);
}

/* Facets of bodies and obstacles in the order of their ids over the numbers of their vertices, which ascend by ids; fields of step 2. */
static void CheckSurface(const AbutMeshLocal *m)
{
  const PetscInt  dim = m->dim, num = dim == 3 ? m->num_faces : m->num_edges, facets = dim == 3 ? m->global.faces : m->global.edges;
  const PetscInt *vertices = dim == 3 ? m->faces : m->edges, *ids = dim == 3 ? m->face_id : m->edge_id;
  double         *all   = Read("/mesh/contact_surface", (hsize_t)facets, (hsize_t)dim), *id, *pressure, *traction, *x;
  PetscInt        count = 0;

  for (PetscInt i = 0; i < facets * dim; i++) count = PetscMax(count, (PetscInt)all[i] + 1);
  id       = Read("/mesh/contact_vertices", (hsize_t)count, 1);
  pressure = ReadLevel(2, "contact_pressure", count, 1);
  traction = ReadLevel(2, "contact_traction", count, 3);
  x        = ReadLevel(2, "surface_position", count, 3);
  for (PetscInt i = 0; i < num * dim; i++)
    assert_int_equal((PetscInt)id[(PetscInt)all[dim * ids[i / dim] + i % dim]], m->vertex_id[vertices[i]]);
  for (PetscInt i = 0; i < count; i++) {
    assert_true(!i || id[i] > id[i - 1]);
    assert_true(pressure[i] == Value((PetscInt)id[i], 0, 6));
    for (PetscInt d = 0; d < dim; d++) {
      assert_true(traction[3 * i + d] == Value((PetscInt)id[i], d, 52));
      assert_true(x[3 * i + d] == Value((PetscInt)id[i], d, 2));
    }
  }
  free(all), free(id), free(pressure), free(traction), free(x);
}

/* Every item of the index names a dataset of the dimensions it states; returns how many levels it lists. */
static int CheckIndex(void)
{
  hid_t file   = H5Fopen(h5_path, H5F_ACC_RDONLY, H5P_DEFAULT);
  char *text   = GetFile(xdmf_path);
  int   levels = 0;

  for (const char *c = text; (c = strstr(c, "<Time")); c++) levels++;
  for (const char *c = text; (c = strstr(c, "Dimensions=\"")); c++) {
    long long wanted[2] = {0, 1};
    hsize_t   found[2]  = {0, 1};
    char      name[64];
    hid_t     dataset, space;
    sscanf(c, "Dimensions=\"%lld %lld", &wanted[0], &wanted[1]);
    if (sscanf(strchr(c, '>'), ">fields.h5:%63[^<]", name) != 1) fail_msg("no dataset in %.80s", c);
    dataset = H5Dopen2(file, name, H5P_DEFAULT);
    space   = H5Dget_space(dataset);
    if (dataset < 0 || H5Sget_simple_extent_dims(space, found, NULL) < 0) fail_msg("the index names %s, which is not there", name);
    assert_true(wanted[0] == (long long)found[0] && wanted[1] == (long long)found[1]);
    H5Sclose(space);
    H5Dclose(dataset);
  }
  assert_non_null(strstr(text, "</Xdmf>"));
  assert_string_equal(strstr(text, "</Xdmf>"), "</Xdmf>\n"); /* levels are appended before the closing tags */
  free(text);
  H5Fclose(file);
  return levels;
}

static void RoundTrip(PetscInt dim, PetscInt order)
{
  AbutMesh             mesh = MakeMeshOfOrder(PETSC_COMM_WORLD, dim, 3, order, directory);
  const AbutMeshLocal *m;
  AbutFields           fields;

  m = AbutMeshGetLocal(mesh);
  AbutTestCall(AbutFieldsCreate(mesh, directory, PETSC_FALSE, 0, &fields));
  for (PetscInt step = 0; step < 3; step++) AbutTestCall(WriteLevel(fields, m, step, (PetscBool)(step == 2)));
  MPI_Barrier(PETSC_COMM_WORLD);
  for (PetscInt step = 0; step < 3; step++) CheckVertices(m, step);
  CheckCells(m);
  if (order == 2) CheckMiddles(m);
  if (order == 2) CheckNodes(mesh, 1);
  CheckObstacles(m);
  CheckSurface(m);
  assert_int_equal(CheckIndex(), 3);
  AbutTestCall(AbutFieldsDestroy(&fields));
  AbutTestCall(AbutMeshDestroy(&mesh));
}

static void RoundTrip2D(void **state)
{
  (void)state;
  RoundTrip(2, 1);
}

static void RoundTrip3D(void **state)
{
  (void)state;
  RoundTrip(3, 1);
}

static void MixedOrders2D(void **state)
{
  (void)state;
  RoundTrip(2, 2);
}

static void MixedOrders3D(void **state)
{
  (void)state;
  RoundTrip(3, 2);
}

/* Number of filters of a dataset: shuffle and zlib if it is compressed. */
static int CountFilters(const char name[])
{
  hid_t     file = H5Fopen(h5_path, H5F_ACC_RDONLY, H5P_DEFAULT), dataset = H5Dopen2(file, name, H5P_DEFAULT);
  hid_t     layout = H5Dget_create_plist(dataset);
  const int count  = H5Pget_nfilters(layout);

  H5Pclose(layout);
  H5Dclose(dataset);
  H5Fclose(file);
  return count;
}

static void CompressedRoundTrip(void **state)
{
  (void)state;
  RoundTrip(3, 1);
  assert_int_equal(CountFilters("/steps/000002/position"), 0);
  MPI_Barrier(PETSC_COMM_WORLD);
  AbutTestCall(PetscOptionsSetValue(NULL, "-fields_compression", "4"));
  RoundTrip(3, 1);
  assert_int_equal(CountFilters("/steps/000002/position"), 2);
  assert_int_equal(CountFilters("/steps/000002/cauchy"), 2);
  AbutTestCall(PetscOptionsClearValue(NULL, "-fields_compression"));
  MPI_Barrier(PETSC_COMM_WORLD);
}

static void RestartDropsLaterLevels(void **state)
{
  AbutMesh             mesh = MakeMesh(PETSC_COMM_WORLD, 3, 2, directory), other;
  const AbutMeshLocal *m;
  AbutFields           fields;

  (void)state;
  m = AbutMeshGetLocal(mesh);
  AbutTestCall(AbutFieldsCreate(mesh, directory, PETSC_FALSE, 0, &fields));
  for (PetscInt step = 0; step < 6; step += 2) AbutTestCall(WriteLevel(fields, m, step, PETSC_TRUE));
  AbutTestCall(AbutFieldsDestroy(&fields));
  AbutTestCall(AbutFieldsCreate(mesh, directory, PETSC_TRUE, 3, &fields));
  assert_int_equal(CheckIndex(), 2);
  for (PetscInt step = 5; step < 7; step++) AbutTestCall(WriteLevel(fields, m, step, PETSC_FALSE));
  AbutTestCall(WriteLevel(fields, m, 6, PETSC_TRUE)); /* the same step again takes the place of the first */
  AbutTestCall(AbutFieldsDestroy(&fields));
  MPI_Barrier(PETSC_COMM_WORLD);
  assert_int_equal(CheckIndex(), 4);
  CheckVertices(m, 2);
  CheckVertices(m, 6);
  other = MakeMesh(PETSC_COMM_WORLD, 3, 3, directory);
  assert_int_equal(AbutFieldsCreate(other, directory, PETSC_TRUE, 6, &fields), ABUT_ERR_INPUT);
  assert_non_null(strstr(AbutErrorMessage(), "another mesh"));
  AbutErrorClear();
  AbutTestCall(AbutMeshDestroy(&other));
  AbutTestCall(AbutMeshDestroy(&mesh));
}

/* A limit on the bytes of a process simulates a full disk. */
static void FullDiskKeepsEarlierLevels(void **state)
{
  AbutMesh             mesh = MakeMesh(PETSC_COMM_WORLD, 3, 4, directory);
  const AbutMeshLocal *m;
  AbutFields           fields;
  struct rlimit        limit, small = {300000, RLIM_INFINITY};
  PetscErrorCode       ierr  = 0;
  int                  whole = 0;

  (void)state;
  signal(SIGXFSZ, SIG_IGN);
  m = AbutMeshGetLocal(mesh);
  AbutTestCall(AbutFieldsCreate(mesh, directory, PETSC_FALSE, 0, &fields));
  getrlimit(RLIMIT_FSIZE, &limit);
  small.rlim_max = limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &small);
  for (PetscInt step = 0; step < 20 && !ierr; step++) {
    ierr = WriteLevel(fields, m, step, PETSC_TRUE);
    if (!ierr) whole++;
  }
  setrlimit(RLIMIT_FSIZE, &limit);
  assert_int_equal(ierr, ABUT_ERR_IO);
  assert_non_null(strstr(AbutErrorMessage(), "File too large"));
  assert_non_null(strstr(AbutErrorMessage(), h5_path));
  AbutErrorClear();
  AbutTestCall(AbutFieldsDestroy(&fields));
  assert_true(whole > 0);
  assert_int_equal(CheckIndex(), whole);
  CheckVertices(m, whole - 1);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(RoundTrip2D, Begin, End),
    cmocka_unit_test_setup_teardown(RoundTrip3D, Begin, End),
    cmocka_unit_test_setup_teardown(MixedOrders2D, Begin, End),
    cmocka_unit_test_setup_teardown(MixedOrders3D, Begin, End),
    cmocka_unit_test_setup_teardown(CompressedRoundTrip, Begin, End),
    cmocka_unit_test_setup_teardown(RestartDropsLaterLevels, Begin, End),
    cmocka_unit_test_setup_teardown(FullDiskKeepsEarlierLevels, Begin, End),
  };
  return AbutTestMain(argc, argv, tests);
}
