/* New scenes in which bodies have new meshes or positions at the start: the whole text, line by line. */
#include "resolve.h"
#include "scenes.h"
#include <sys/stat.h>

#define HEAD                                             \
  "abut: 1  # first line\n"                              \
  "time: {step: 1, steps: 1}\n"                          \
  "materials: {m: {young: 1, poisson: 0, density: 1}}\n" \
  "bodies:\n"
#define PLAIN "  - {name: c, material: m, shape: {box: {size: 1, cells: 1}}, translate: [9, 0, 0]}  # stays\n"

/* The text of a file on rank 0. */
static void ReadText(const char directory[], const char name[], size_t size, char text[])
{
  char  path[PETSC_MAX_PATH_LEN];
  FILE *file;

  AbutTestCall(PetscSNPrintf(path, sizeof(path), "%s/%s", directory, name));
  file = fopen(path, "r");
  assert_non_null(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
  unlink(path);
}

/* Rewrites a scene for the meshes, in the folder `target` below that of the scene, and compares the text. */
static void Expect(const char scene_text[], const char target[], PetscInt num, const AbutSceneMesh meshes[], const char expected[])
{
  char        directory[PETSC_MAX_PATH_LEN], path[PETSC_MAX_PATH_LEN], text[2048];
  AbutScene  *scene;
  PetscMPIInt rank;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  AbutTestDirectory(directory);
  WriteText(directory, "old.msh", 0, "");
  AbutTestCall(ReadSceneText(directory, scene_text, &scene));
  if (!rank) {
    AbutTestCall(PetscSNPrintf(path, sizeof(path), "%s/%s", directory, target));
    if (target[0]) assert_int_equal(mkdir(path, 0777), 0);
    AbutTestCall(PetscSNPrintf(path, sizeof(path), "%s/%s%snew.yaml", directory, target, target[0] ? "/" : ""));
    AbutTestCall(AbutSceneWriteMeshes(scene, path, num, meshes));
    *strrchr(path, '/') = '\0';
    ReadText(path, "new.yaml", sizeof(text), text);
    assert_string_equal(text, expected);
    if (target[0]) rmdir(path);
  }
  AbutTestCall(AbutSceneDestroy(&scene));
  RemoveSceneDirectory(directory, "old.msh");
}

/* A shape in lines of its own and a shape in one line; the placement goes with the shape. */
static void NewShape(void **state)
{
  (void)state;
  Expect(HEAD "  - name: a   # name\n    shape:\n      ball: {radius: 1, cells: 2}   # radius\n    translate: [1, 0, 0]  # place\n"
              "    material: m\n    velocity: [0, 1, 0]\n"
              "  - {name: b, material: m, rotate: [0, 0, 3], shape: {file: old.msh}, scale: 2}\n" PLAIN,
         "", 2, (AbutSceneMesh[]){{0, "a", "000_a.msh", NULL}, {1, "b", "001_b.msh", NULL}},
         HEAD "  - name: a   # name\n    shape: {file: \"000_a.msh\"}   # radius  # place\n    material: m\n    velocity: [0, 1, 0]\n"
              "  - {name: b, material: m, rotate: [0, 0, 0], shape: {file: \"001_b.msh\"}, scale: [1, 1, 1]}\n" PLAIN);
}

/* The shape and its placement stay, with its path seen from another folder. */
static void Start(void **state)
{
  (void)state;
  Expect(HEAD "  - name: a\n    material: m\n    shape:\n      file: old.msh   # shape\n    translate: [1, 0, 0]\n"
              "  - {name: b, material: m, shape: {file: old.msh}, scale: 2}\n"
              "  - {name: d, material: m, start: old.msh, shape: {file: old.msh}}\n" PLAIN,
         "sub", 3, (AbutSceneMesh[]){{0, "a", NULL, "a_start.msh"}, {1, "b", NULL, "b_start.msh"}, {2, "d", NULL, "d_start.msh"}},
         HEAD "  - name: a\n    material: m\n    start: \"a_start.msh\"\n    shape:\n      file: \"../old.msh\"   # shape\n"
              "    translate: [1, 0, 0]\n"
              "  - {name: b, material: m, start: \"b_start.msh\", shape: {file: \"../old.msh\"}, scale: 2}\n"
              "  - {name: d, material: m, start: \"d_start.msh\", shape: {file: \"../old.msh\"}}\n" PLAIN);
}

/* A new shape is at rest at the start, and paths of other bodies are seen from the new folder. */
static void NewShapeOverStart(void **state)
{
  (void)state;
  Expect(HEAD "  - name: a\n    material: m\n    start: old.msh\n    shape: {file: old.msh}\n"
              "  - {name: b, material: m, shape: {file: old.msh}, start: old.msh}\n",
         "sub", 1, (AbutSceneMesh[]){{0, "a", "a.msh", NULL}},
         HEAD "  - name: a\n    material: m\n    start: \"a.msh\"\n    shape: {file: \"a.msh\"}\n"
              "  - {name: b, material: m, shape: {file: \"../old.msh\"}, start: \"../old.msh\"}\n");
}

/* Copies become bodies; one of them has positions at the start. */
static void Copies(void **state)
{
  (void)state;
  Expect(HEAD "  - name: a\n    material: m\n    shape: {box: {size: 1, cells: 1}}\n    copies: [2, 1, 1]\n"
              "    spacing: [3, 0, 0]\n" PLAIN,
         "", 2, (AbutSceneMesh[]){{0, "a_0_0_0", "0.msh", "0_start.msh"}, {0, "a_1_0_0", "1.msh", NULL}},
         HEAD "  - name: \"a_0_0_0\"\n    material: m\n    start: \"0_start.msh\"\n    shape: {file: \"0.msh\"}\n"
              "  - name: \"a_1_0_0\"\n    material: m\n    shape: {file: \"1.msh\"}\n" PLAIN);
}

/* No mesh: the scene as it was. */
static void Unchanged(void **state)
{
  (void)state;
  Expect(HEAD PLAIN, "", 0, NULL, HEAD PLAIN);
}

static void Aliases(void **state)
{
  char        directory[PETSC_MAX_PATH_LEN], path[PETSC_MAX_PATH_LEN];
  AbutScene  *scene;
  PetscMPIInt rank;

  (void)state;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  AbutTestDirectory(directory);
  AbutTestCall(ReadSceneText(directory,
                             HEAD "  - {name: a, material: m, shape: &s {box: {size: 1, cells: 1}}}\n"
                                  "  - {name: b, material: m, shape: *s, translate: [3, 0, 0]}\n",
                             &scene));
  if (!rank) {
    AbutTestCall(PetscSNPrintf(path, sizeof(path), "%s/new.yaml", directory));
    assert_int_equal(AbutSceneWriteMeshes(scene, path, 0, NULL), ABUT_ERR_INPUT);
    assert_non_null(strstr(AbutErrorMessage(), "scene.yaml:6: the alias *s"));
    AbutErrorClear();
    assert_int_equal(access(path, F_OK), -1);
  }
  AbutTestCall(AbutSceneDestroy(&scene));
  RemoveSceneDirectory(directory, NULL);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(NewShape), cmocka_unit_test(Start),     cmocka_unit_test(NewShapeOverStart),
                                     cmocka_unit_test(Copies),   cmocka_unit_test(Unchanged), cmocka_unit_test(Aliases)};
  return AbutTestMain(argc, argv, tests);
}
