/* Key `expected_normals` of scenes: values, refusals; without the tool the key is unknown, or refused with the reason. */
#include "contacts.h"
#include "refusals.h"

static const Refusal refusals[] = {
  {22, "expected_normals: [{between: [ball, bell], normal: [0, 1, 0]}]",
   ":22: expected_normals[0].between[1] is bell, must be one of: ball, floor; did you mean ball?"},
  {22, "expected_normals: [{between: [ball, floor], normal: [0, 1, 0]}]",
   ":22: expected_normals[0].between[1] is \"floor\", must be the name of a body or of an obstacle that is a mesh"},
  {22, "expected_normals: [{between: [ball, \"\"], normal: [0, 1, 0]}]", ":22: expected_normals[0].between[1] is \"\", must be the name"},
  {22, "expected_normals: [{between: [ball, ball], normal: [0, 0, 0]}]",
   ":22: expected_normals[0].normal has the length 0, must be a direction"},
  {22, "expected_normals: [{between: [ball, ball], normal: axis}]",
   ":22: expected_normals[0].normal is axis, must be a list of 3 numbers, or centers"},
  {22, "expected_normals: [{between: [ball, ball], normal: [0, 1, 0], contacts: -1}]",
   ":22: expected_normals[0].contacts is -1, must be an integer in [0, 1000000000]"},
  {22, "expected_normals: [{between: [ball, ball]}]", ":22: expected_normals[0] lacks the key \"normal\""},
};

static void TestValues(void **state)
{
  char                      text[4096] = "", directory[PETSC_MAX_PATH_LEN];
  const ExpectedNormalSpec *expected;
  AbutScene                *scene;

  (void)state;
  for (int i = 0; i < NUM_LINES; i++) strcat(strcat(text, lines[i]), "\n");
  strcat(text, "expected_normals:\n"
               "  - {between: [ball, ball], normal: [0, 3, -4], contacts: 2, area: 0.5}\n"
               "  - {between: [ball, ball], normal: [1, 0, 0]}\n"
               "  - {between: [ball, ball], normal: centers}\n");
  AbutTestDirectory(directory);
  AbutTestCall(ReadSceneText(directory, text, &scene));
  RemoveSceneDirectory(directory, NULL);
  assert_int_equal(AbutSceneGetList(scene, "expected_normals")->num, 3);
  assert_int_equal(AbutSceneGetList(scene, "bodies")->num, 0);
  expected = (const ExpectedNormalSpec *)AbutSceneGetList(scene, "expected_normals")->items;
  AbutTestClose("expected normal", 3, expected[0].normal, (PetscReal[]){0, 0.6, -0.8}, 1e-15);
  assert_string_equal(expected[0].body[1], "ball");
  assert_true(expected[0].contacts == 2 && expected[0].area == 0.5);
  assert_true(expected[1].contacts == 1 && expected[1].area == 0);
  assert_non_null(strstr(expected[1].place, "scene.yaml:25"));
  assert_true(!expected[1].follows_centers && expected[2].follows_centers);
  AbutTestCall(AbutSceneDestroy(&scene));
}

static void TestRefusals(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) assert_true(IsRefused(&refusals[i], NULL));
}

/* Before the key is registered. */
static void TestUnregistered(void **state)
{
  static const SceneRemoved lacking = {"expected_normals", "which nobody reads"};
  const Refusal             unknown = {22, refusals[0].text, ":22: the scene has the unknown key \"expected_normals\""};
  const Refusal             named   = {22, refusals[0].text, ":22: the scene has the key \"expected_normals\", which nobody reads"};

  (void)state;
  assert_true(IsRefused(&unknown, NULL));
  AbutTestCall(AbutRegister(ABUT_SCENE_LACKING, &lacking));
  assert_true(IsRefused(&named, NULL));
  AbutTestCall(AbutRegister(ABUT_SCENE_KEY, &ExpectedNormalsKey));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestUnregistered), cmocka_unit_test(TestValues), cmocka_unit_test(TestRefusals)};

  return AbutTestMain(argc, argv, tests);
}
