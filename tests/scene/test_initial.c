/* Warnings of a restart: one for each key of the initial state that differs from the run of the checkpoint. */
#include "scenes.h"

static const char text[] = "abut: 1\n"
                           "time: {step: 1, steps: 1}\n"
                           "materials: {m: {young: 1, poisson: 0, density: 1}}\n"
                           "bodies:\n"
                           "  - {name: a, material: m, shape: {box: {size: 1, cells: 1}}, velocity: [0, %s, 0]}\n"
                           "  - {name: b, material: m, shape: {box: {size: 1, cells: 1}}, translate: [3, 0, 0]%s}\n"
                           "obstacles: [{name: floor, plane: {point: [0, %s, 0], normal: [0, 1, 0]}}]\n"
                           "contact: {%s}\n";

static AbutScene *Read(const char velocity[], const char turn[], const char point[], const char contact[])
{
  char       whole[1024], directory[PETSC_MAX_PATH_LEN];
  AbutScene *scene = NULL;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(whole, sizeof(whole), text, velocity, turn, point, contact);
#pragma GCC diagnostic pop
  AbutTestDirectory(directory);
  AbutTestCall(ReadSceneText(directory, whole, &scene));
  RemoveSceneDirectory(directory, NULL);
  return scene;
}

/* Standard error of rank 0 when `now` restarts from the run of `then`. */
static void Warnings(const AbutScene *now, const char then[], size_t size, char said[])
{
  FILE *out = PETSC_STDERR, *file = tmpfile();

  assert_non_null(file);
  PETSC_STDERR = file;
  AbutTestCall(AbutSceneWarnOfInitial(PETSC_COMM_WORLD, now, then));
  PETSC_STDERR = out;
  rewind(file);
  said[fread(said, 1, size - 1, file)] = '\0';
  fclose(file);
}

static void TestChanges(void **state)
{
  AbutScene *then = Read("-1", "", "-5", ""),
            *same = Read("-1.0", ", angular_velocity: [0, 0, 0]", "-5", "potential: ipc, dhat: {relative: 0.001}");
  AbutScene  *now = Read("-1", ", angular_velocity: [0, 2, 0]", "-5.5", "");
  PetscMPIInt rank;
  char        said[2048];

  (void)state;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  Warnings(same, then->initial, sizeof(said), said);
  assert_string_equal(said, "");
  Warnings(now, then->initial, sizeof(said), said);
  if (rank) {
    assert_string_equal(said, "");
  } else {
    assert_non_null(strstr(said, "scene.yaml: bodies[1].angular_velocity is [0 2 0], it was [0 0 0] in the run of the checkpoint"));
    assert_non_null(strstr(said, "scene.yaml: obstacles[0].plane.point is [0 -5.5 0], it was [0 -5 0] in the run of the checkpoint"));
    assert_null(strstr(said, "bodies[0]"));
  }
  Warnings(now, "", sizeof(said), said);
  assert_true(rank || strstr(said, "bodies[0].velocity is [0 -1 0], it was [none] in the run"));
  AbutTestCall(AbutSceneDestroy(&then));
  AbutTestCall(AbutSceneDestroy(&same));
  AbutTestCall(AbutSceneDestroy(&now));
}

/* A scene of a new folder in which the second body has positions at the start. */
static AbutScene *ReadStarted(void)
{
  char       whole[1024], directory[PETSC_MAX_PATH_LEN];
  AbutScene *scene = NULL;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(whole, sizeof(whole), text, "-1", ", start: first.msh", "-5", "");
#pragma GCC diagnostic pop
  AbutTestDirectory(directory);
  WriteText(directory, "first.msh", 0, "");
  AbutTestCall(ReadSceneText(directory, whole, &scene));
  RemoveSceneDirectory(directory, "first.msh");
  return scene;
}

/* Files of the positions at the start are compared by name, whatever folder the program was started in. */
static void TestStart(void **state)
{
  AbutScene  *then = ReadStarted(), *now = ReadStarted(), *plain = Read("-1", "", "-5", "");
  PetscMPIInt rank;
  char        said[2048];

  (void)state;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  Warnings(now, then->initial, sizeof(said), said);
  assert_string_equal(said, "");
  Warnings(plain, then->initial, sizeof(said), said);
  assert_true(rank || strstr(said, "bodies[1].start is [none], it was [first.msh] in the run of the checkpoint; the state of the"));
  Warnings(now, plain->initial, sizeof(said), said);
  assert_true(rank || strstr(said, "bodies[1].start is [first.msh], it was [none] in the run of the checkpoint; the state of the"));
  Warnings(now, "+bodies[1].start\tother.msh\n", sizeof(said), said);
  assert_true(rank || strstr(said, "bodies[1].start is [first.msh], it was [other.msh] in the run of the checkpoint; the state of the"));
  assert_true(rank || strstr(said, "activation distances of \"oipc\" and \"gcp\" follow the new value"));
  AbutTestCall(AbutSceneDestroy(&then));
  AbutTestCall(AbutSceneDestroy(&now));
  AbutTestCall(AbutSceneDestroy(&plain));
}

/* The potential and its activation distance take effect, and a checkpoint of an earlier version does not name them. */
static void TestContact(void **state)
{
  AbutScene  *then = Read("-1", "", "-5", "potential: ipc"), *now = Read("-1", "", "-5", "potential: oipc, dhat: {absolute: 0.001}");
  PetscMPIInt rank;
  char        said[2048], *older;

  (void)state;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  Warnings(now, then->initial, sizeof(said), said);
  assert_true(rank ||
              strstr(said, "scene.yaml: contact.potential is [oipc], it was [ipc] in the run of the checkpoint; the new value counts"));
  assert_true(rank || strstr(said, "scene.yaml: contact.dhat is [absolute 0.001], it was [relative 0.001] in the run of the checkpoint"));
  assert_null(strstr(said, "velocity"));
  assert_true(rank ? !said[0] : !strstr(said, "has no effect"));
  older = strstr(then->initial, "*contact");
  assert_non_null(older);
  *older = '\0';
  Warnings(now, then->initial, sizeof(said), said);
  assert_string_equal(said, "");
  AbutTestCall(AbutSceneDestroy(&then));
  AbutTestCall(AbutSceneDestroy(&now));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestChanges), cmocka_unit_test(TestStart), cmocka_unit_test(TestContact)};

  return AbutTestMain(argc, argv, tests);
}
