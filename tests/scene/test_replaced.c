/* Words of the previous release are read as the present ones, with one warning that names line, key and both words. */
#include "scenes.h"

/* Standard error of rank 0 while `text` is read by `read`. */
static void Capture(PetscErrorCode (*read)(const char text[], void *ctx), const char text[], void *ctx, size_t size, char said[])
{
  FILE *out = PETSC_STDERR, *file = tmpfile();

  assert_non_null(file);
  PETSC_STDERR = file;
  AbutTestCall(read(text, ctx));
  PETSC_STDERR = out;
  rewind(file);
  said[fread(said, 1, size - 1, file)] = '\0';
  fclose(file);
}

static PetscErrorCode ReadScene(const char text[], void *ctx)
{
  char           directory[PETSC_MAX_PATH_LEN];
  PetscErrorCode ierr;

  AbutTestDirectory(directory);
  ierr = ReadSceneText(directory, text, (AbutScene **)ctx);
  RemoveSceneDirectory(directory, NULL);
  return ierr;
}

static void TestValues(void **state)
{
  static const char *const words[][2] = {{"progressive", "demand"}, {"absolute", "clamp"}, {"trust", "clamp"}, {"demand", NULL}};
  PetscMPIInt              rank;

  (void)state;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  for (int i = 0; i < 4; i++) {
    char       text[512], said[512], expected[256] = "";
    AbutScene *scene = NULL;

    snprintf(text, sizeof(text),
             "abut: 1\ntime: {step: 1, steps: 1}\nmaterials: {m: {young: 1, poisson: 0, density: 1}}\n"
             "bodies: [{name: b, material: m, shape: {box: {size: 1, cells: 1}}}]\nsolver: {projection: %s}\n",
             words[i][0]);
    Capture(ReadScene, text, &scene, sizeof(said), said);
    assert_int_equal(scene->step.strategy, i == 0 || i == 3 ? ABUT_STRATEGY_DEMAND : ABUT_STRATEGY_CLAMP);
    AbutTestCall(AbutSceneDestroy(&scene));
    if (words[i][1])
      snprintf(expected, sizeof(expected),
               "scene.yaml:5: solver.projection: \"%s\" is read as \"%s\", which replaces it; the next release refuses it\n", words[i][0],
               words[i][1]);
    if (rank || !words[i][1])
      assert_string_equal(said, "");
    else if (!strstr(said, expected) || strncmp(said, "abut: warning: ", 15))
      fail_msg("said '%s', expected '%s'", said, expected);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestValues)};

  return AbutTestMain(argc, argv, tests);
}
