/* Checkpoints: bit for bit on any rank count; other meshes, other formats and damaged files are refused on all ranks alike. */
#include "results.h"
#include "resultsimpl.h"
#include <sys/stat.h>

static char directory[PETSC_MAX_PATH_LEN], path[PETSC_MAX_PATH_LEN];

static int Begin(void **state)
{
  (void)state;
  AbutTestDirectory(directory);
  PathIn(directory, "checkpoint.h5", path);
  return 0;
}

static int End(void **state)
{
  (void)state;
  RemoveDirectory(directory);
  return 0;
}

#define MOTIONS 3
#define PLANES  2
#define INITIAL "bodies[0].velocity\t0 -1 0\n"

static AbutState Filled(AbutMesh mesh, PetscReal seed)
{
  const AbutMeshLocal *m     = AbutMeshGetLocal(mesh);
  AbutState            state = {.step = 7, .time = 0.1 + 0.2, .dt = 1. / 7, .good = 3, .c2 = 1. / 11, .kappa = 1. / 3e-7};

  state.dt_old      = 1. / 9;
  state.a_of        = ABUT_INTEGRATOR_NEWMARK;
  state.x           = VertexValues(m, seed);
  state.v           = VertexValues(m, seed + 1);
  state.a           = VertexValues(m, seed + 2);
  state.x_old       = VertexValues(m, seed + 3);
  state.v_old       = calloc((size_t)(m->num_owned * m->dim + 1), sizeof(PetscReal)); /* zero everywhere, as without BDF2 */
  state.num_motions = MOTIONS;
  state.num_planes  = PLANES;
  state.motion      = malloc(MOTIONS * sizeof(*state.motion));
  state.plane_point = malloc(3 * PLANES * sizeof(*state.plane_point));
  for (PetscInt k = 0; k < MOTIONS; k++) state.motion[k] = (PetscInt)(seed + 1) * (k + 1) % 16;
  state.plane_turn = malloc(3 * PLANES * sizeof(*state.plane_turn));
  state.slip       = malloc((size_t)(m->num_owned + 1) * sizeof(*state.slip));
  for (PetscInt k = 0; k < 3 * PLANES; k++) state.plane_point[k] = Value(k, 0, seed);
  for (PetscInt k = 0; k < 3 * PLANES; k++) state.plane_turn[k] = Value(k, 1, seed);
  for (PetscInt v = 0; v < m->num_owned; v++) state.slip[v] = Value(m->vertex_id[v], 0, seed + 5);
  return state;
}

static void Free(AbutState *state)
{
  free(state->x);
  free(state->v);
  free(state->a);
  free(state->x_old);
  free(state->v_old);
  free(state->motion);
  free(state->plane_point);
  free(state->plane_turn);
  free(state->slip);
}

/* Reads the checkpoint into a mesh on `comm` and compares every bit. */
static void ReadOn(MPI_Comm comm, PetscInt dim)
{
  AbutMesh             mesh   = MakeMesh(comm, dim, 3, directory);
  const AbutMeshLocal *m      = AbutMeshGetLocal(mesh);
  AbutState            wanted = Filled(mesh, 2), found = Filled(mesh, 40);
  const size_t         size = (size_t)(m->num_owned * dim) * sizeof(PetscReal);
  char                *initial;

  found.step = found.good = 0;
  found.a_of              = ABUT_INTEGRATOR_EULER;
  found.time = found.kappa = found.dt = found.dt_old = found.c2 = 0;
  if (m->num_owned) found.v_old[0] = 5;
  AbutTestCall(AbutCheckpointRead(mesh, path, &found, &initial));
  assert_string_equal(initial, INITIAL);
  AbutTestCall(PetscFree(initial));
  assert_int_equal(found.step, wanted.step);
  assert_int_equal(found.good, wanted.good);
  assert_true(found.time == wanted.time && found.kappa == wanted.kappa && found.dt == wanted.dt && found.dt_old == wanted.dt_old);
  assert_true(found.c2 == wanted.c2 && found.a_of == wanted.a_of);
  assert_memory_equal(found.x, wanted.x, size);
  assert_memory_equal(found.v, wanted.v, size);
  assert_memory_equal(found.a, wanted.a, size);
  assert_memory_equal(found.x_old, wanted.x_old, size);
  assert_memory_equal(found.v_old, wanted.v_old, size);
  assert_memory_equal(found.motion, wanted.motion, MOTIONS * sizeof(*found.motion));
  assert_memory_equal(found.plane_point, wanted.plane_point, 3 * PLANES * sizeof(*found.plane_point));
  assert_memory_equal(found.plane_turn, wanted.plane_turn, 3 * PLANES * sizeof(*found.plane_turn));
  assert_memory_equal(found.slip, wanted.slip, (size_t)m->num_owned * sizeof(*found.slip));
  Free(&wanted);
  Free(&found);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

static void RoundTrip(PetscInt dim)
{
  AbutMesh    mesh  = MakeMesh(PETSC_COMM_WORLD, dim, 3, directory);
  AbutState   state = Filled(mesh, 2);
  PetscMPIInt size;
  MPI_Comm    fewer;

  AbutTestCall(AbutCheckpointWrite(mesh, path, &state, INITIAL));
  Free(&state);
  AbutTestCall(AbutMeshDestroy(&mesh));
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  ReadOn(PETSC_COMM_WORLD, dim);
  MPI_Comm_split(PETSC_COMM_WORLD, WorldRank() < size - 1 ? 0 : 1, 0, &fewer);
  ReadOn(fewer, dim);
  MPI_Comm_free(&fewer);
}

static void RoundTrip2D(void **state)
{
  (void)state;
  RoundTrip(2);
}

static void RoundTrip3D(void **state)
{
  (void)state;
  RoundTrip(3);
}

/* Reading must fail with `code` and a message that holds `part`, on every rank. */
static void Refuses(AbutMesh mesh, const char file[], PetscErrorCode code, const char part[])
{
  AbutState      state = Filled(mesh, 0);
  PetscErrorCode ierr  = AbutCheckpointRead(mesh, file, &state, NULL);

  if (ierr != code || !strstr(AbutErrorMessage(), part) || !strstr(AbutErrorMessage(), file))
    fail_msg("error %d \"%s\" where %d with \"%s\" and the path were expected", (int)ierr, AbutErrorMessage(), (int)code, part);
  AbutErrorClear();
  Free(&state);
}

/* Motions and planes are matched by number: another number is of another scene. */
static void OtherScenesAreRefused(void **test_state)
{
  AbutMesh             mesh  = MakeMesh(PETSC_COMM_WORLD, 3, 2, directory);
  AbutState            state = Filled(mesh, 2), other = Filled(mesh, 2);
  const AbutMeshLocal *m;

  (void)test_state;
  m                 = AbutMeshGetLocal(mesh);
  state.num_motions = MOTIONS - 1;
  AbutTestCall(AbutCheckpointWrite(mesh, path, &state, NULL));
  Refuses(mesh, path, ABUT_ERR_INPUT, "is of a scene with 2 motions, this scene has 3");
  state.num_motions = MOTIONS;
  state.num_planes  = 0;
  AbutTestCall(AbutCheckpointWrite(mesh, path, &state, NULL));
  Refuses(mesh, path, ABUT_ERR_INPUT, "is of a scene with 0 planes, this scene has 2");
  other.num_planes = 0;
  other.x[0]       = -1;
  AbutTestCall(AbutCheckpointRead(mesh, path, &other, NULL)); /* and without planes there are none to read */
  assert_true(!m->num_owned || other.x[0] == state.x[0]);
  Free(&state);
  Free(&other);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

/* Rank 0 gives the file the checksum line of another format version. */
static void SetFormat(const char file[], int format)
{
  struct stat info;

  if (!WorldRank()) {
    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(truncate(file, info.st_size - 80), 0);
    AbutTestCall(AbutChecksumAppend(file, format));
  }
  MPI_Barrier(PETSC_COMM_WORLD);
}

static void WrongFilesAreRefused(void **test_state)
{
  AbutMesh  mesh = MakeMesh(PETSC_COMM_WORLD, 3, 2, directory), finer = MakeMesh(PETSC_COMM_WORLD, 3, 3, directory), moved = NULL;
  AbutState state = Filled(mesh, 2);
  char      text[PETSC_MAX_PATH_LEN];

  (void)test_state;
  PathIn(directory, "text.h5", text);
  AbutTestCall(AbutCheckpointWrite(mesh, path, &state, NULL));
  if (!WorldRank()) PutFile(text, "not HDF5");
  Refuses(finer, path, ABUT_ERR_INPUT, "another mesh");
  Refuses(mesh, "/nonexistent/checkpoint.h5", ABUT_ERR_IO, "No such file");
  Refuses(mesh, text, ABUT_ERR_IO, "not an HDF5 file");
  AbutBodySpec one = Spec("one", ABUT_SHAPE_BOX, 3, 2, 0);
  AbutTestCall(AbutMeshDestroy(&finer));
  AbutTestCall(AbutMeshCreate(PETSC_COMM_WORLD, 3, 1, &one, &finer));
  one.shape.translate[0] = 1e-12; /* as many vertices and cells, elsewhere */
  AbutTestCall(AbutMeshCreate(PETSC_COMM_WORLD, 3, 1, &one, &moved));
  AbutTestCall(AbutCheckpointWrite(finer, path, &state, NULL));
  Refuses(moved, path, ABUT_ERR_INPUT, "other rest positions");
  SetFormat(path, 2);
  Refuses(finer, path, ABUT_ERR_INPUT, "format version 2, this program reads version 3");
  SetFormat(path, 999);
  Refuses(finer, path, ABUT_ERR_INPUT, "format version 999");
  Free(&state);
  AbutTestCall(AbutMeshDestroy(&mesh));
  AbutTestCall(AbutMeshDestroy(&finer));
  AbutTestCall(AbutMeshDestroy(&moved));
}

/* Rank 0 replaces the flags of the motions by integers of the width that PETSc's other size of indices has. */
static void ChangeWidth(const char file[])
{
  const hid_t   other = sizeof(PetscInt) == 8 ? H5T_NATIVE_INT32 : H5T_NATIVE_INT64;
  const hsize_t count = MOTIONS;
  PetscInt      flags[MOTIONS];
  struct stat   info;

  assert_int_equal(stat(file, &info), 0);
  assert_int_equal(truncate(file, info.st_size - 80), 0); /* the checksum line */
  const hid_t h5 = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT), old = H5Dopen2(h5, "motion", H5P_DEFAULT);
  assert_true(H5Dread(old, AbutH5TypeInt(), H5S_ALL, H5S_ALL, H5P_DEFAULT, flags) >= 0);
  assert_true(H5Dclose(old) >= 0 && H5Ldelete(h5, "motion", H5P_DEFAULT) >= 0);
  const hid_t space   = H5Screate_simple(1, &count, NULL),
              changed = H5Dcreate2(h5, "motion", other, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Dwrite(changed, AbutH5TypeInt(), H5S_ALL, H5S_ALL, H5P_DEFAULT, flags) >= 0);
  assert_true(H5Dclose(changed) >= 0 && H5Sclose(space) >= 0 && H5Fclose(h5) >= 0);
  AbutTestCall(AbutChecksumAppend(file, 3));
}

/* A run with 64-bit indices continues a run with 32-bit indices, and the reverse. */
static void OtherWidthOfIntegers(void **test_state)
{
  AbutMesh  mesh  = MakeMesh(PETSC_COMM_WORLD, 3, 3, directory);
  AbutState state = Filled(mesh, 2);

  (void)test_state;
  AbutTestCall(AbutCheckpointWrite(mesh, path, &state, INITIAL));
  if (!WorldRank()) ChangeWidth(path);
  MPI_Barrier(PETSC_COMM_WORLD);
  ReadOn(PETSC_COMM_WORLD, 3);
  Free(&state);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

static void FailedWriteKeepsTheOldOne(void **test_state)
{
  AbutMesh  mesh  = MakeMesh(PETSC_COMM_WORLD, 3, 3, directory);
  AbutState state = Filled(mesh, 2);
  char      in_the_way[PETSC_MAX_PATH_LEN + 4];

  (void)test_state;
  AbutTestCall(AbutCheckpointWrite(mesh, path, &state, INITIAL));
  AbutTestCall(PetscSNPrintf(in_the_way, sizeof(in_the_way), "%s.tmp", path));
  if (!WorldRank()) assert_int_equal(symlink("/nonexistent/file", in_the_way), 0); /* cannot be opened, by root neither */
  MPI_Barrier(PETSC_COMM_WORLD);
  assert_int_equal(AbutCheckpointWrite(mesh, path, &state, INITIAL), ABUT_ERR_IO);
  assert_non_null(strstr(AbutErrorMessage(), path));
  AbutErrorClear();
  ReadOn(PETSC_COMM_WORLD, 3);
  Free(&state);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(RoundTrip2D, Begin, End),
    cmocka_unit_test_setup_teardown(RoundTrip3D, Begin, End),
    cmocka_unit_test_setup_teardown(OtherScenesAreRefused, Begin, End),
    cmocka_unit_test_setup_teardown(WrongFilesAreRefused, Begin, End),
    cmocka_unit_test_setup_teardown(OtherWidthOfIntegers, Begin, End),
    cmocka_unit_test_setup_teardown(FailedWriteKeepsTheOldOne, Begin, End),
  };
  return AbutTestMain(argc, argv, tests);
}
