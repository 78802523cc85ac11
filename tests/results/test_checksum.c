/* A checkpoint with any byte changed or missing is refused on every rank, with ABUT_ERR_IO, and no rank waits for another. */
#include "results.h"
#include <sys/stat.h>

#define CHANGES 200

static char      directory[PETSC_MAX_PATH_LEN], path[PETSC_MAX_PATH_LEN];
static AbutMesh  mesh;
static AbutState state;

static int Begin(void **test_state)
{
  const AbutMeshLocal *m;

  (void)test_state;
  AbutTestDirectory(directory);
  PathIn(directory, "checkpoint.h5", path);
  mesh  = MakeMesh(PETSC_COMM_WORLD, 3, 2, directory);
  m     = AbutMeshGetLocal(mesh);
  state = (AbutState){.x = VertexValues(m, 1), .v = VertexValues(m, 2), .a = VertexValues(m, 3)};
  AbutTestCall(AbutCheckpointWrite(mesh, path, &state, "bodies[0].velocity\t0 0 0\n"));
  return 0;
}

static int End(void **test_state)
{
  (void)test_state;
  free(state.x);
  free(state.v);
  free(state.a);
  RemoveDirectory(directory);
  return AbutMeshDestroy(&mesh);
}

/* Exchanges a byte of the file by another one; returns the byte that was there. */
static int Exchange(long at, int byte)
{
  FILE *file = fopen(path, "r+b");
  int   old;

  assert_non_null(file);
  fseek(file, at, SEEK_SET);
  old = fgetc(file);
  fseek(file, at, SEEK_SET);
  fputc(byte < 0 ? old ^ -byte : byte, file);
  fclose(file);
  return old;
}

static long Size(void)
{
  struct stat info;

  assert_int_equal(stat(path, &info), 0);
  return (long)info.st_size;
}

/* Every rank refuses the file with the same message. */
static void CheckRefused(long at)
{
  const PetscErrorCode ierr = AbutCheckpointRead(mesh, path, &state, NULL);

  if (ierr != ABUT_ERR_IO) fail_msg("change at %ld: code %d \"%s\"", at, (int)ierr, AbutErrorMessage());
  assert_null(strstr(AbutErrorMessage(), "unknown reason"));
  assert_non_null(strstr(AbutErrorMessage(), path));
  AbutErrorClear();
}

static void ChangedBytes(void **test_state)
{
  unsigned random = 12345;

  (void)test_state;
  AbutTestCall(AbutCheckpointRead(mesh, path, &state, NULL));
  for (int k = 0; k < CHANGES; k++) {
    random         = 1664525 * random + 1013904223;
    const long at  = k ? (long)((random >> 8) % (unsigned)Size()) : 126; /* byte 126 left the other ranks waiting in H5Fopen() */
    int        old = 0;

    if (!WorldRank()) old = Exchange(at, -(1 << (k % 8)));
    MPI_Barrier(PETSC_COMM_WORLD);
    CheckRefused(at);
    if (!WorldRank()) (void)Exchange(at, old);
    MPI_Barrier(PETSC_COMM_WORLD);
  }
  AbutTestCall(AbutCheckpointRead(mesh, path, &state, NULL));
}

static void TruncatedFiles(void **test_state)
{
  const long size = Size();

  (void)test_state;
  for (long k = 1; k <= 20; k++) {
    const long length = k == 1 ? size - 1 : size - k * size / 20;

    MPI_Barrier(PETSC_COMM_WORLD);
    if (!WorldRank()) assert_int_equal(truncate(path, length), 0);
    MPI_Barrier(PETSC_COMM_WORLD);
    CheckRefused(length);
  }
}

static void LongerFile(void **test_state)
{
  (void)test_state;
  if (!WorldRank()) {
    FILE *file = fopen(path, "ab");
    fputc('x', file);
    fclose(file);
  }
  MPI_Barrier(PETSC_COMM_WORLD);
  CheckRefused(Size());
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(ChangedBytes, Begin, End),
    cmocka_unit_test_setup_teardown(TruncatedFiles, Begin, End),
    cmocka_unit_test_setup_teardown(LongerFile, Begin, End),
  };
  return AbutTestMain(argc, argv, tests);
}
