/* steps.csv and summary.json: what goes in comes out, restarts keep the rows they stand on, failures reach every rank. */
#include "results.h"
#include "statsimpl.h"
#include <unistd.h>

static char     directory[PETSC_MAX_PATH_LEN];
static AbutMesh mesh;

static AbutStepReport Report(PetscInt step)
{
  AbutStepReport r;

  memset(&r, 0, sizeof(r));
  r.converged           = PETSC_TRUE;
  r.count.newton        = 3 + step;
  r.contact.count       = 10 * step;
  r.contact.count_max   = 10 * step + 5;
  r.contact.min_gap     = step == 1 ? PETSC_INFINITY : 1. / (3 * (PetscReal)step);
  r.energy.kinetic      = PETSC_PI * (PetscReal)step;
  r.angular_momentum[2] = -0.1;
  r.search.limiter      = ABUT_LIMIT_INVERSION;
  r.dt                  = 0.1;
  r.halvings            = step == 2;
  r.count.friction_lags = 2;
  r.contact.sticking    = step;
  r.force.friction[1]   = -0.3;
  r.energy.friction     = 0.25;
  r.friction_residual   = 1. / (PetscReal)step;
  for (int k = 0; k < ABUT_NUM_LIMITS; k++) r.search.limits[k] = k + step;
  return r;
}

static PetscErrorCode Run(PetscBool append, PetscInt first, PetscInt last, AbutExitCode code, const char message[])
{
  const AbutStatsSpec spec = {directory, "scenes/a \"b\".yaml", append, first, .num_planes = 2};
  AbutStats           stats;
  PetscErrorCode      ierr = AbutStatsCreate(mesh, &spec, &stats);

  if (ierr) return ierr;
  for (PetscInt step = first + 1; step <= last; step++) {
    const AbutStepReport r = Report(step);
    AbutTestCall(AbutStatsAddStep(stats, step, 0.1 * (PetscReal)step, &r, 0, -1));
  }
  AbutTestCall(AbutStatsWriteSummary(stats, code, message));
  return AbutStatsDestroy(&stats);
}

/* Column `name` of row `row` (0: the first after the header) as a string. */
static void Cell(const char text[], const char name[], int row, char out[64])
{
  const char *line   = text, *end;
  int         column = 0;
  size_t      n      = strlen(name);

  for (const char *c = text; strncmp(c, name, n) || (c[n] != ',' && c[n] != '\n'); column++) {
    c = strchr(c, ',');
    if (!c++) fail_msg("no column %s", name);
  }
  for (int i = 0; i <= row; i++) line = strchr(line, '\n') + 1;
  for (; column; column--) line = strchr(line, ',') + 1;
  end = line + strcspn(line, ",\n");
  snprintf(out, 64, "%.*s", (int)(end - line), line);
}

static void CellIs(const char text[], const char name[], int row, const char wanted[])
{
  char cell[64];

  Cell(text, name, row, cell);
  assert_string_equal(cell, wanted);
}

static int Lines(const char text[])
{
  int n = 0;
  for (const char *c = text; *c; c++) n += *c == '\n';
  return n;
}

static void Rows(void **state)
{
  char path[PETSC_MAX_PATH_LEN], cell[64], *text;

  (void)state;
  AbutTestCall(Run(PETSC_FALSE, 0, 3, ABUT_EXIT_OK, "done"));
  if (WorldRank()) return;
  PathIn(directory, "steps.csv", path);
  text = GetFile(path);
  assert_int_equal(Lines(text), 4);
  assert_int_equal(
    strncmp(text, "step,time_s,dt_s,newton_iterations,linear_iterations,friction_lags,contacts,contacts_max,min_gap_m,kappa,", 103), 0);
  CellIs(text, "newton_iterations", 1, "5");
  CellIs(text, "min_gap_m", 0, "inf");
  Cell(text, "min_gap_m", 1, cell);
  assert_true(strtod(cell, NULL) == 1. / 6);
  Cell(text, "energy_kinetic_J", 2, cell);
  assert_true(strtod(cell, NULL) == PETSC_PI * 3);
  CellIs(text, "angular_momentum_z", 2, "-0.1");
  CellIs(text, "inversions", 0, "-1");
  CellIs(text, "limiter", 2, "inversion");
  CellIs(text, "halvings", 1, "1");
  CellIs(text, "limit_energy", 1, "5");
  CellIs(text, "friction_force_y_N", 0, "-0.3");
  CellIs(text, "energy_friction_J", 2, "0.25");
  for (int i = 0; i < ABUT_NUM_PHASES; i++) {
    char name[64];
    snprintf(name, sizeof(name), "wall_%s_s", AbutPhaseNames[i]);
    Cell(text, name, 0, cell);
    assert_true(strtod(cell, NULL) >= 0);
  }
  free(text);
}

static json_t *Summary(void)
{
  char         path[PETSC_MAX_PATH_LEN];
  json_error_t error;
  json_t      *root;

  PathIn(directory, "summary.json", path);
  root = json_load_file(path, 0, &error);
  if (!root) fail_msg("%s:%d: %s", path, error.line, error.text);
  return root;
}

/* Every documented key is there, and every phase has a time. */
static void HasMembers(const json_t *root)
{
  static const char *const keys[]  = {"steps",
                                      "newton_iterations",
                                      "linear_iterations",
                                      "contacts_avg",
                                      "contacts_max",
                                      "min_gap_m",
                                      "intersections_found",
                                      "inversions_found",
                                      "converged",
                                      "exit_code",
                                      "unknowns",
                                      "cells",
                                      "vertices",
                                      "surface_triangles",
                                      "ranks",
                                      "version",
                                      "git",
                                      "petsc",
                                      "mpi",
                                      "hdf5",
                                      "blas",
                                      "compiler",
                                      "flags",
                                      "options",
                                      "command",
                                      "job",
                                      "hosts",
                                      "scene_sha256",
                                      "host_count",
                                      "started",
                                      "ended",
                                      "message",
                                      "scene"};
  static const char *const walls[] = {
    "total",        "setup",        "solve",       "elastic", "contact_search", "ccd",   "contact_assembly",
    "linear_setup", "linear_solve", "line_search", "halo",    "output",         "verify"};

  for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
    if (!json_object_get(root, keys[i])) fail_msg("summary.json has no %s", keys[i]);
  for (size_t i = 0; i < sizeof(walls) / sizeof(*walls); i++)
    if (!json_is_number(json_object_get(json_object_get(root, "wall_s"), walls[i]))) fail_msg("wall_s has no %s", walls[i]);
}

static void SummaryIsJSON(void **state)
{
  const AbutMeshLocal *m;
  PetscMPIInt          size;
  json_t              *root;

  (void)state;
  m = AbutMeshGetLocal(mesh);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  AbutTestCall(Run(PETSC_FALSE, 0, 3, ABUT_EXIT_DIVERGED, "tab\t quote\" back\\ line\n bell\a caf\xc3\xa9 bad\xff"));
  if (WorldRank()) return;
  root = Summary();
  HasMembers(root);
  assert_int_equal(json_integer_value(json_object_get(root, "steps")), 3);
  assert_int_equal(json_integer_value(json_object_get(root, "newton_iterations")), 4 + 5 + 6);
  assert_true(json_number_value(json_object_get(root, "contacts_avg")) == 20);
  assert_int_equal(json_integer_value(json_object_get(root, "contacts_max")), 35);
  assert_true(json_real_value(json_object_get(root, "min_gap_m")) == 1. / 9);
  assert_int_equal(json_integer_value(json_object_get(root, "intersections_found")), 0);
  assert_true(json_is_null(json_object_get(root, "inversions_found")));
  assert_int_equal(json_integer_value(json_object_get(root, "friction_lags")), 6);
  assert_int_equal(json_integer_value(json_object_get(root, "halvings")), 1);
  assert_int_equal(json_integer_value(json_object_get(root, "sticking")), 3);
  assert_true(json_number_value(json_object_get(root, "energy_friction_J")) == 0.75);
  assert_true(json_number_value(json_object_get(root, "friction_residual_max_m_per_s")) == 1);
  assert_true(json_number_value(json_object_get(root, "smallest_dt_s")) == 0.1);
  assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "limits"), "ccd")), 2 + 3 + 4);
  assert_null(json_object_get(root, "failure"));
  assert_true(json_is_false(json_object_get(root, "converged")));
  assert_int_equal(json_integer_value(json_object_get(root, "exit_code")), 4);
  assert_int_equal(json_integer_value(json_object_get(root, "unknowns")), 3 * m->num_global);
  assert_int_equal(json_integer_value(json_object_get(root, "cells")), m->global.cells);
  assert_int_equal(json_integer_value(json_object_get(root, "half_spaces")), 2);
  assert_int_equal(json_integer_value(json_object_get(root, "ranks")), size);
  assert_true(json_number_value(json_object_get(json_object_get(root, "peak_memory_MB"), "max")) > 1);
  assert_string_equal(json_string_value(json_object_get(root, "message")),
                      "tab\t quote\" back\\ line\n bell\a caf\xc3\xa9 bad\xef\xbf\xbd");
  assert_string_equal(json_string_value(json_object_get(root, "scene")), "scenes/a \"b\".yaml");
  assert_true(json_is_null(json_object_get(root, "scene_sha256"))); /* there is no such file */
  assert_int_equal(json_array_size(json_object_get(root, "hosts")), json_integer_value(json_object_get(root, "host_count")));
  json_decref(root);
}

/* Files of n letters a, around the lengths at which the padding takes one more block; digests of sha256sum. */
static void SHA256IsTheStandard(void **state)
{
  static const struct {
    size_t      n;
    const char *digest;
  } files[] = {{0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
               {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
               {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
               {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
               {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
               {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
               {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
               {1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"}};
  char path[PETSC_MAX_PATH_LEN], digest[ABUT_SHA256_SIZE];

  (void)state;
  if (WorldRank()) return;
  PathIn(directory, "letters", path);
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(files); k++) {
    FILE *file = fopen(path, "w");

    for (size_t i = 0; i < files[k].n; i++) fputc('a', file);
    fclose(file);
    AbutFileSHA256(path, digest);
    assert_string_equal(digest, files[k].digest);
  }
  unlink(path);
}

static void InfiniteGapIsNull(void **state)
{
  json_t *root;

  (void)state;
  AbutTestCall(Run(PETSC_FALSE, 0, 1, ABUT_EXIT_OK, NULL));
  if (WorldRank()) return;
  root = Summary();
  assert_true(json_is_null(json_object_get(root, "min_gap_m")));
  json_decref(root);
}

static void RestartKeepsRows(void **state)
{
  char path[PETSC_MAX_PATH_LEN], cell[64], *text;

  (void)state;
  PathIn(directory, "steps.csv", path);
  AbutTestCall(Run(PETSC_FALSE, 0, 5, ABUT_EXIT_OK, NULL));
  if (!WorldRank()) { /* a row that a kill cut off */
    FILE *file = fopen(path, "a");
    fputs("2,0.2,0.1,7", file);
    fclose(file);
  }
  MPI_Barrier(PETSC_COMM_WORLD);
  AbutTestCall(Run(PETSC_TRUE, 3, 4, ABUT_EXIT_OK, NULL));
  if (WorldRank()) return;
  text = GetFile(path);
  assert_int_equal(Lines(text), 5);
  for (int row = 0; row < 4; row++) {
    Cell(text, "step", row, cell);
    assert_int_equal(atoi(cell), row + 1);
  }
  free(text);
}

/* Pairs of steps 1 to `last` after `first`: a body and a copy's name with commas; a body and a plane. */
static void RunPairs(PetscBool append, PetscInt first, PetscInt last)
{
  const AbutStatsSpec  spec      = {directory, NULL, append, first};
  const AbutPlaneSpec  planes[2] = {{.name = "wall"}, {.name = "floor"}};
  AbutPairForce        pairs[2]  = {{{0, 1}, 4, 3, {1, 2, 3}, {0.1, 0.2, 0.3}}, {{1, 0}, 5, 0, {0, 1. / 3, 0}, {0, 0, -7}}};
  const AbutMeshLocal *m;
  AbutStats            stats;

  m                = AbutMeshGetLocal(mesh);
  pairs[1].body[1] = m->num_bodies + 1;
  AbutTestCall(AbutStatsCreate(mesh, &spec, &stats));
  for (PetscInt step = first + 1; step <= last; step++)
    AbutTestCall(AbutStatsAddPairs(stats, step, 0.5 * (PetscReal)step, planes, step == 2 ? 0 : 2, pairs));
  AbutTestCall(AbutStatsDestroy(&stats));
}

static void Pairs(void **state)
{
  char path[PETSC_MAX_PATH_LEN], cell[64], *text;

  (void)state;
  RunPairs(PETSC_FALSE, 0, 5);
  RunPairs(PETSC_TRUE, 3, 4);
  if (WorldRank()) return;
  PathIn(directory, "pairs.csv", path);
  text = GetFile(path);
  assert_int_equal(Lines(text), 1 + 6); /* steps 1, 3 and 4; nothing touches in step 2 */
  CellIs(text, "time_s", 5, "2");
  CellIs(text, "body_a", 0, "\"lower\"");
  CellIs(text, "body_b", 0, "\"upper\"");
  CellIs(text, "body_b", 1, "\"floor\"");
  CellIs(text, "sticking", 0, "3");
  Cell(text, "normal_y_N", 1, cell);
  assert_true(strtod(cell, NULL) == 1. / 3);
  CellIs(text, "friction_z_N", 3, "-7");
  free(text);
}

/* The object "failure" of summary.json. */
static void Failure(void **state)
{
  const AbutStatsSpec spec        = {directory, NULL, PETSC_FALSE, 0};
  const char          names[][80] = {"lower", "floor"};
  AbutStepReport      r           = Report(1);
  AbutStats           stats;
  json_t             *root, *failure, *pair;

  (void)state;
  r.boundary_place    = "scene.yaml:12";
  r.boundary_progress = 0.25;
  r.stuck             = PETSC_TRUE;
  r.search.pair       = (AbutLimitingPair){{5, 6, 7, -1}, {0, -2}, 1e-3, 2};
  AbutTestCall(AbutStatsCreate(mesh, &spec, &stats));
  AbutTestCall(AbutStatsSetFailure(stats, 4, 0.5, &r, names, "try this"));
  AbutTestCall(AbutStatsWriteSummary(stats, ABUT_EXIT_DIVERGED, "no"));
  AbutTestCall(AbutStatsDestroy(&stats));
  if (WorldRank()) return;
  root    = Summary();
  failure = json_object_get(root, "failure");
  pair    = json_object_get(failure, "pair");
  assert_int_equal(json_integer_value(json_object_get(failure, "step")), 4);
  assert_true(json_is_true(json_object_get(failure, "stuck")) && json_is_false(json_object_get(failure, "linear_failed")));
  assert_string_equal(json_string_value(json_object_get(failure, "boundary_place")), "scene.yaml:12");
  assert_string_equal(json_string_value(json_object_get(failure, "advice")), "try this");
  assert_string_equal(json_string_value(json_object_get(failure, "limiter")), "inversion");
  assert_int_equal(json_array_size(json_object_get(pair, "vertices")), 3);
  assert_string_equal(json_string_value(json_object_get(pair, "body_b")), "floor");
  assert_true(json_number_value(json_object_get(pair, "gap_m")) == 1e-3);
  json_decref(root);
}

static void OtherColumnsAreRefused(void **state)
{
  char path[PETSC_MAX_PATH_LEN];

  (void)state;
  PathIn(directory, "steps.csv", path);
  if (!WorldRank()) PutFile(path, "step,mood\n1,good\n");
  MPI_Barrier(PETSC_COMM_WORLD);
  assert_int_equal(Run(PETSC_TRUE, 1, 2, ABUT_EXIT_OK, NULL), ABUT_ERR_INPUT);
  assert_non_null(strstr(AbutErrorMessage(), "steps.csv:1"));
  AbutErrorClear();
}

static void FailureReachesAllRanks(void **state)
{
  const AbutStatsSpec spec = {"/nonexistent/results", NULL, PETSC_FALSE, 0};
  AbutStats           stats;

  (void)state;
  assert_int_equal(AbutStatsCreate(mesh, &spec, &stats), ABUT_ERR_IO);
  assert_non_null(strstr(AbutErrorMessage(), "/nonexistent/results/steps.csv"));
  assert_non_null(strstr(AbutErrorMessage(), "No such file or directory"));
  AbutErrorClear();
}

static int Begin(void **state)
{
  (void)state;
  AbutTestDirectory(directory);
  mesh = MakeMesh(PETSC_COMM_WORLD, 3, 2, directory);
  return 0;
}

static int End(void **state)
{
  (void)state;
  RemoveDirectory(directory);
  return AbutMeshDestroy(&mesh);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(Rows, Begin, End),
    cmocka_unit_test_setup_teardown(SummaryIsJSON, Begin, End),
    cmocka_unit_test_setup_teardown(SHA256IsTheStandard, Begin, End),
    cmocka_unit_test_setup_teardown(InfiniteGapIsNull, Begin, End),
    cmocka_unit_test_setup_teardown(RestartKeepsRows, Begin, End),
    cmocka_unit_test_setup_teardown(Pairs, Begin, End),
    cmocka_unit_test_setup_teardown(Failure, Begin, End),
    cmocka_unit_test_setup_teardown(OtherColumnsAreRefused, Begin, End),
    cmocka_unit_test_setup_teardown(FailureReachesAllRanks, Begin, End),
  };
  return AbutTestMain(argc, argv, tests);
}
