/* Scenes that are too deep or too long are refused at once, on every rank, with the limit. */
#include "scenes.h"

/* Writes `count` copies of `item` (with %d for their number) between `head` and `tail` and expects `message` in the refusal. */
static void CheckRefused(const char head[], const char item[], int count, const char tail[], const char message[])
{
  const size_t room  = strlen(head) + (size_t)count * (strlen(item) + 12) + strlen(tail) + 1;
  char        *text  = calloc(1, room), directory[PETSC_MAX_PATH_LEN];
  size_t       used  = (size_t)snprintf(text, room, "%s", head);
  AbutScene   *scene = NULL;

  for (int i = 0; i < count; i++) {
    const char *number = strstr(item, "%d");
    if (number)
      used += (size_t)snprintf(text + used, room - used, "%.*s%d%s", (int)(number - item), item, i, number + 2);
    else
      used += (size_t)snprintf(text + used, room - used, "%s", item);
  }
  snprintf(text + used, room - used, "%s", tail);
  AbutTestDirectory(directory);
  assert_int_equal(ReadSceneText(directory, text, &scene), ABUT_ERR_INPUT);
  if (!strstr(AbutErrorMessage(), message)) fail_msg("said %s, expected %s", AbutErrorMessage(), message);
  AbutErrorClear();
  RemoveSceneDirectory(directory, NULL);
  free(text);
}

static void TestDepth(void **state)
{
  (void)state;
  CheckRefused("abut: ", "[", 100000, "\n", ":1: more than 32 nested lists and mappings, a scene has at most 32");
  CheckRefused("abut:\n  ", "- ", 100000, "1\n", ":2: more than 32 nested lists and mappings");
  CheckRefused("abut: ", "{a: ", 100000, "\n", ":1: more than 32 nested lists and mappings");
}

static void TestKeys(void **state)
{
  (void)state;
  CheckRefused("abut: 1\n", "key%d: 1\n", 300000, "", ":10001: more than 10000 keys in a mapping, a scene has at most 10000");
  CheckRefused("abut: 1\n", "key%d: 1\n", 9000, "", ":2: the scene has the unknown key \"key0\"");
}

static void TestNodes(void **state)
{
  (void)state;
  CheckRefused("abut: 1\ntitle: [", "1,", 2000000, "]\n", ":2: more than 2000000 YAML nodes, a scene has at most 2000000");
  CheckRefused("abut: 1\ntitle: [", "&a%d 1,", 300000, "]\n", ":2: more than 1000 anchors, a scene has at most 1000");
}

static void TestLabels(void **state)
{
  (void)state;
  CheckRefused("abut: 1\ntime: {step: 1, steps: 1}\nmaterials: {m: {young: 1, poisson: 0, density: 1}}\nbodies:\n",
               "- {name: b%d, material: m, surface: s%d, shape: {box: {size: 1, cells: 1}}}\n", 2, "obstacles: []\ntime: 1\n",
               "has the key \"time\" twice");
  CheckRefused("abut: 1\ntime: {step: 1, steps: 1}\nmaterials: {m: {young: 1, poisson: 0, density: 1}}\nbodies:\n"
               "- {name: b, material: m, shape: {box: {size: 1, cells: 1}}}\nobstacles:\n",
               "- {name: o%d, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}\n", 5000, "", "more than 4096 labels of surfaces");
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestDepth), cmocka_unit_test(TestKeys), cmocka_unit_test(TestNodes),
                                     cmocka_unit_test(TestLabels)};

  return AbutTestMain(argc, argv, tests);
}
