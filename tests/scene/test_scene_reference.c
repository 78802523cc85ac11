/* docs/scene-reference.md ends with the printed tables; its example is a valid scene; every number has a range. */
#include "scenes.h"
#include <abut/private/tools.h>

#define REFERENCE_MAX (1 << 17)

static char document[REFERENCE_MAX], printed[REFERENCE_MAX];

static void ReadAll(FILE *file, char text[REFERENCE_MAX])
{
  const size_t length = fread(text, 1, REFERENCE_MAX - 1, file);

  assert_true(length > 0 && length < REFERENCE_MAX - 1);
  text[length] = '\0';
}

static void ReadDocument(void)
{
  FILE *file = fopen(ABUT_SCENE_REFERENCE, "rb");

  if (!file) fail_msg("%s is missing", ABUT_SCENE_REFERENCE);
  ReadAll(file, document);
  fclose(file);
}

static void TestUpToDate(void **state)
{
  FILE       *out = PETSC_STDOUT, *file = tmpfile();
  size_t      at = 0, line = 1;
  const char *tables;

  (void)state;
  assert_non_null(file);
  AbutTestCall(AbutRegister(ABUT_SCENE_KEY, AbutCommandContacts.key));
  AbutTestCall(AbutRegister(ABUT_SCENE_FILE, AbutCommandDeform.scene));
  PETSC_STDOUT = file;
  AbutTestCall(AbutScenePrintReference(PETSC_COMM_WORLD));
  PETSC_STDOUT = out;
  rewind(file);
  ReadAll(file, printed);
  fclose(file);
  ReadDocument();
  tables = strstr(document, "<!-- Printed");
  assert_non_null(tables);
  for (const char *c = document; c < tables; c++) line += *c == '\n';
  for (; tables[at] && tables[at] == printed[at]; at++) line += tables[at] == '\n';
  if (tables[at] != printed[at])
    fail_msg("%s:%zu differs from the schema; replace the text from <!-- Printed on by the output of abut --scene-reference",
             ABUT_SCENE_REFERENCE, line);
}

static void TestExample(void **state)
{
  static const char fence[] = "```yaml\n";
  char              directory[PETSC_MAX_PATH_LEN], *start, *end;
  AbutScene        *scene = NULL;

  (void)state;
  ReadDocument();
  start = strstr(document, fence);
  assert_non_null(start);
  start += strlen(fence);
  end = strstr(start, "```");
  assert_non_null(end);
  *end = '\0';
  AbutTestDirectory(directory);
  AbutTestCall(ReadSceneText(directory, start, &scene));
  RemoveSceneDirectory(directory, NULL);
  assert_true(scene->num_bodies == 3 && scene->num_planes == 1 && scene->num_motions == 2);
  AbutTestCall(AbutSceneDestroy(&scene));
}

/* Every key that takes numbers states its interval, and none is without limits but windows of time and boxes. */
static void TestRanges(void **state)
{
  PetscInt rows = 0;

  (void)state;
  ReadDocument();
  for (char *line = strtok(document, "\n"); line; line = strtok(NULL, "\n")) {
    char key[64], type[128], fallback[128], valid[256];

    if (sscanf(line, "| `%63[^`]` | %127[^|]| %127[^|]| %255[^|]|", key, type, fallback, valid) != 4) continue;
    if (strncmp(type, "number", 6) && strncmp(type, "integer", 7) && !strstr(type, "vector") && strcmp(type, "list of integers ")) continue;
    rows++;
    if (!strpbrk(valid, "[(") && strncmp(valid, "1 ", 2)) fail_msg("no interval: %s", line);
    if (strstr(valid, "inf") && strcmp(key, "end") && strcmp(key, "box")) fail_msg("no limit: %s", line);
  }
  assert_true(rows > 60);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestUpToDate), cmocka_unit_test(TestExample), cmocka_unit_test(TestRanges)};

  return AbutTestMain(argc, argv, tests);
}
