/* Motions that move the same vertices or plane at the same time: one warning for each, which names both lines. */
#include "scenes.h"

static const char base[] = "abut: 1\n"
                           "time: {step: 1, steps: 1}\n"
                           "materials: {m: {young: 1, poisson: 0, density: 1}}\n"
                           "bodies: [{name: cube, material: m, shape: {box: {size: 1, cells: 2}}}]\n"
                           "obstacles: [{name: floor, plane: {point: [0, -5, 0], normal: [0, 1, 0]}}]\n"
                           "motions:\n";

/* Standard error of rank 0 for two motions in lines 7 and 8. */
static void Warnings(const char first[], const char second[], size_t size, char said[])
{
  char       text[1024], directory[PETSC_MAX_PATH_LEN];
  FILE      *out = PETSC_STDERR, *file = tmpfile();
  AbutScene *scene = NULL;
  AbutMesh   mesh  = NULL;

  assert_non_null(file);
  snprintf(text, sizeof(text), "%s- %s\n- %s\n", base, first, second);
  AbutTestDirectory(directory);
  AbutTestCall(ReadSceneText(directory, text, &scene));
  RemoveSceneDirectory(directory, NULL);
  AbutTestCall(AbutMeshCreate(PETSC_COMM_WORLD, scene->dim, scene->num_bodies, scene->bodies, &mesh));
  PETSC_STDERR = file;
  AbutTestCall(AbutSceneWarnOfOverlap(scene, mesh));
  PETSC_STDERR = out;
  rewind(file);
  said[fread(said, 1, size - 1, file)] = '\0';
  fclose(file);
  AbutTestCall(AbutMeshDestroy(&mesh));
  AbutTestCall(AbutSceneDestroy(&scene));
}

static void CheckWarning(const char first[], const char second[], const char what[])
{
  char        said[512], expected[128];
  PetscMPIInt rank;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  Warnings(first, second, sizeof(said), said);
  snprintf(expected, sizeof(expected), "scene.yaml:8 move %s at the same time", what ? what : "");
  if (rank || !what)
    assert_string_equal(said, "");
  else if (!strstr(said, expected) || !strstr(said, "scene.yaml:7 and ") || strncmp(said, "abut: warning: ", 15))
    fail_msg("said '%s', expected '%s'", said, expected);
}

static void TestVertices(void **state)
{
  (void)state;
  CheckWarning("{select: {body: cube}, velocity: [1, 0, 0]}", "{select: {body: cube}, velocity: [1, 0, 0]}", "27 common vertices");
  CheckWarning("{select: {body: cube}, velocity: [1, 0, 0]}",
               "{select: {box: [[0, 0, 0], [1, 1, 1]], relative: true}, angular_velocity: [0, 1, 0]}", "27 common vertices");
  CheckWarning("{select: {box: [[-1, -1, -1], [-0.4, 1, 1]]}, velocity: [1, 0, 0]}",
               "{select: {box: [[-1, -1, -1], [1, -0.4, -0.4]]}, velocity: [0, 1, 0]}", "1 common vertex");
}

/* Disjoint selections, windows that follow each other, and a motion that only holds. */
static void TestNone(void **state)
{
  (void)state;
  CheckWarning("{select: {box: [[-1, -1, -1], [-0.4, 1, 1]]}, velocity: [1, 0, 0]}",
               "{select: {box: [[0.4, -1, -1], [1, 1, 1]]}, velocity: [0, 1, 0]}", NULL);
  CheckWarning("{select: {body: cube}, velocity: [1, 0, 0], end: 1}", "{select: {body: cube}, velocity: [1, 0, 0], start: 1}", NULL);
  CheckWarning("{select: {body: cube}}", "{select: {body: cube}, velocity: [1, 0, 0]}", NULL);
  CheckWarning("{plane: floor, velocity: [0, 1, 0]}", "{select: {body: cube}, velocity: [1, 0, 0]}", NULL);
}

static void TestPlanes(void **state)
{
  (void)state;
  CheckWarning("{plane: floor, velocity: [0, 1, 0]}", "{plane: floor, velocity: [0, 1, 0]}", "plane 'floor'");
  CheckWarning("{plane: floor, velocity: [0, 1, 0], end: 2}", "{plane: floor, velocity: [0, 1, 0], start: 2}", NULL);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestVertices), cmocka_unit_test(TestNone), cmocka_unit_test(TestPlanes)};

  return AbutTestMain(argc, argv, tests);
}
