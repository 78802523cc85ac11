/* Errors of a scene name file, line, key, value and valid range on every rank. */
#include "refusals.h"

static const Refusal refusals[] = {
  {1, "abut: 2", ":1: abut is 2, must be 1"},
  {1, "", ":2: the scene lacks the key \"abut\": version of the format"},
  {2, "title: [a, b]", ":2: title is a list of 2, must be text of at most 255 bytes"},
  {2, "tilte: base", ":2: the scene has the unknown key \"tilte\", did you mean \"title\"?; valid keys are: abut, title, dim"},
  {22, "zzz: 1", ":22: the scene has the unknown key \"zzz\"; valid keys are: abut"},
  {22, "dim: 3", ":22: the scene has the key \"dim\" twice; the first is in line 3"},
  {3, "dim: 4", ":3: dim is 4, must be an integer in [2, 3]"},
  {3, "dim: 3.0", ":3: dim is 3.0, must be an integer in [2, 3]"},
  {4, "time: {step: 0.01, steps: 10, end: 1}", ":4: time has both steps and end, only one of them is possible"},
  {4, "time: {step: 0.01}", ":4: time needs one of the keys: steps, end"},
  {4, "time: {step: 0, steps: 10}", ":4: time.step is 0, must be a number in [1e-30, 1e+12]"},
  {4, "time: {step: .inf, steps: 10}", ":4: time.step is .inf, must be a number in [1e-30, 1e+12]"},
  {4, "time: {step: 0x10, steps: 10}", ":4: time.step is 0x10, must be a number in [1e-30, 1e+12]"},
  {4, "time: {step: \"0.1\", steps: 10}", ":4: time.step is \"0.1\", must be a number in [1e-30, 1e+12]"},
  {4, "time: {step: 0.01, steps: 1e3}", ":4: time.steps is 1e3, must be an integer in [0, 1000000000]"},
  {4, "time: {step: 0.01, steps: 010}", ":4: time.steps is 010, must be an integer"},
  {4, "time: {step: 0.01, steps: 99999999999999999999}", ":4: time.steps is 99999999999999999999, must be an integer in [0, 1000000000]"},
  {4, "time: {step: 1.0e-9, end: 100}", ":4: time.end is 100, that is 1e+11 steps of 1e-09 s, must be at most 1e+09 steps"},
  {4, "time: 5", ":4: time is 5, must be a mapping"},
  {4, "time:", ":4: time is empty, must be a mapping"},
  {4, "time: {step: 0.01, steps: 10", ":5: is no valid YAML: did not find expected ',' or '}' while parsing a flow mapping in line 4"},
  {5, "gravity: 9.81", ":5: gravity is 9.81, must be a list of 3 numbers"},
  {5, "gravity: [0, -9.81]", ":5: gravity is a list of 2, must be a list of 3 numbers"},
  {5, "gravity: [0, .nan, 0]", ":5: gravity[1] is .nan, must be a number in [-1e+12, 1e+12]"},
  {5, "gravity: [0, down, 0]", ":5: gravity[1] is down, must be a number in [-1e+12, 1e+12]"},
  {5, "gravity: [0, 1.0e999, 0]", ":5: gravity[1] is 1.0e999, must be a number in [-1e+12, 1e+12]"},
  {7, "  rubber: {modle: neo-hookean, young: 1, poisson: 0.4, density: 1}",
   ":7: materials.rubber has the unknown key \"modle\", did you mean \"model\"?"},
  {7, "  rubber: {model: neo-hooke, young: 1, poisson: 0.4, density: 1}",
   ":7: materials.rubber.model is neo-hooke, must be one of: neo-hookean, fixed-corotated, stvk, linear, mooney-rivlin, ogden, "
   "j2-plasticity; "
   "did you mean neo-hookean?"},
  {7, "  rubber: {young: 1, poisson: 0.5, density: 1}", ":7: materials.rubber.poisson is 0.5, must be a number in (-1, 0.5)"},
  {7, "  rubber: {young: 1, poisson: 0.4}", ":7: materials.rubber lacks the key \"density\": mass density of the undeformed body"},
  {7, "  rubber: {young: -1, poisson: 0.4, density: 1}", ":7: materials.rubber.young is -1, must be a number in [1e-30, 1e+30]"},
  {7, "", ":6: materials is empty, must be one or more mappings by name"},
  {9, "  - name: ball[0]", ":9: bodies[0].name is \"ball[0]\", must be a name"},
  {10, "    material: ruber", ":10: bodies[0].material is ruber, must be one of: rubber; did you mean rubber?"},
  {10, "\tmaterial: rubber",
   ":10: is no valid YAML: found a tab character that violates indentation while scanning a plain scalar in line 9; the line is indented "
   "with a tab, "
   "must be "
   "blanks"},
  {11, "    shape: {}", ":11: bodies[0].shape needs one of the keys: file, box, ball, cylinder, torus"},
  {11, "    shape: {box: {size: 1, cells: 0}}", ":11: bodies[0].shape.box.cells is 0, must be an integer in [1, 100000]"},
  {11, "    shape: {box: {size: 1, cells: [4, 4, 100001]}}",
   ":11: bodies[0].shape.box.cells[2] is 100001, must be an integer in [1, 100000]"},
  {11, "    shape: {ball: {radius: 1, cells: 6}, box: {size: 1, cells: 1}}",
   ":11: bodies[0].shape has both box and ball, only one of them is possible"},
  {11, "    shape: {torus: {major: 1, minor: 1, cells: 4}}", ":11: bodies[0].shape.torus.minor is 1, must be less than major, 1"},
  {11, "    shape: {cylinder: {radius: 1, height: 2, cells: 4}}", ":11: bodies[0].shape.cylinder.cells is 4, must be a list of 2 integers"},
  {11, "    shape: {ball: {radius: 1, cells: 6}, mesh_size: 1}", ":11: bodies[0].shape.mesh_size has no effect without the key \"file\""},
  {11, "    shape: {file: none.msh}", ":11: bodies[0].shape.file is \"none.msh\", but /"},
  {11, "    shape: {file: none.msh}", "/none.msh cannot be read: No such file or directory (paths are relative to the scene file)"},
  {11, "    shape: {file: .}", ":11: bodies[0].shape.file is \".\", but "},
  {12, "    scale: [1, 0, 1]", ":12: bodies[0].scale[1] is 0, must be a number in [1e-30, 1e+12]"},
  {12, "    scale: big", ":12: bodies[0].scale is big, must be a number in [1e-30, 1e+12]"},
  {12, "    center: 1", ":12: bodies[0].center is 1, must be true or false"},
  {13, "    copies: [2, 0, 1]", ":13: bodies[0].copies[1] is 0, must be an integer in [1, 100000]"},
  {13, "    copies: [2, 1, 1]\n    start: scene.yaml", ":14: bodies[0].start has the positions of one body, but `copies` makes several"},
  {13, "    start: no.msh", ":13: bodies[0].start is \"no.msh\", but "},
  {15, "  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 0]}}",
   ":15: obstacles[0].plane.normal has the length 0, must be a direction"},
  {15, "  - {name: floor}", ":15: obstacles[0] needs one of the keys: plane, shape"},
  {15, "  - {name: ball, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}",
   ":15: obstacles[0].name is \"ball\", which is the name of bodies[0] already ("},
  {15, "  - {name: ball, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}", "scene.yaml:9)"},
  {15, "  - {name: floor, scale: 2, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}",
   ":15: obstacles[0].scale has no effect without the key \"shape\""},
  {17, "  - select: {body: bal}", ":17: motions[0].select.body is bal, must be one of: ball; did you mean ball?"},
  {17, "  - select: {body: \"ball[2,0,0]\"}", ":17: motions[0].select.body is \"ball[2,0,0]\", must be one of: ball"},
  {17, "  - select: {body: floor}",
   ":17: motions[0].select.body is \"floor\", which is a plane and has no vertices; only motions take planes, by "
   "\"plane: floor\""},
  {17, "  - select: {ids: [1]}", ":17: motions[0].select.ids has no effect without the key \"body\""},
  {17, "  - select: {body: ball, ids: [3, -1]}", ":17: motions[0].select.ids[1] is -1, must be an integer in [0, 2147483647]"},
  {17, "  - select: {body: ball, ids: []}", ":17: motions[0].select.ids is a list of 0, must be a list of one or more integers"},
  {17, "  - select: {box: [[0, 0, 0], [1, -1, 1]]}",
   ":17: motions[0].select.box reaches from 0 to -1 in direction 1, must start with its lower corner"},
  {17, "  - select: {box: [0, 1]}", ":17: motions[0].select.box[0] is 0, must be a list of two corners, each a list of 3 numbers"},
  {18, "    center: followed", ":18: motions[0].center is followed, must be a list of 3 numbers, or follow"},
  {18, "    {start: 1}", ":19: is no valid YAML: could not find expected ':' while scanning a simple key in line 18"},
  {18, "    end: 0", ":18: motions[0].end is 0, must be a number in (0, inf]"},
  {18, "    start: .inf", ":18: motions[0].start is .inf, must be a number in [0, 1e+12]"},
  {18, "    table: [[0, 0], [1, 1]]", ":18: motions[0].table has no effect without a displacement, a rotation or a velocity"},
  {18, "    displacement: [1, 0, 0]", ":18: motions[0].displacement has no effect without the key \"table\""},
  {18, "    table: [[0, 0]]", ":18: motions[0].table is a list of 1, must be a list of two or more pairs [time, value]"},
  {18, "    table: [[0, 0], [1]]", ":18: motions[0].table[1] is a list of 1, must be a list of two or more pairs [time, value]"},
  {18, "    table: [[0, 0], [1, 1], [1, 2]]", ":18: motions[0].table[2] has the time 1 s, must be after the time before, 1 s"},
  {18, "    table: [[0, 0], [1, .inf]]", ":18: motions[0].table[1][1] is .inf, must be a number in [-1e+12, 1e+12]"},
  {18, "    components: [w]", ":18: motions[0].components[0] is w, must be one of: x, y, z"},
  {18, "    components: x", ":18: motions[0].components is x, must be a list of one or more words"},
  {18, "loads: [{plane: floor, traction: [0, 1, 0]}]", ":18: loads[0].plane needs the key \"force\", the only load on a plane"},
  {18, "loads: [{plane: flor, force: [0, 1, 0]}]", ":18: loads[0].plane is flor, must be one of: floor; did you mean floor?"},
  {18, "loads: [{force: [0, 1, 0]}]", ":18: loads[0] needs one of the keys: select, plane"},
  {18, "loads: [{select: {}, gas: {pressure: 0}}]", ":18: loads[0].gas.pressure is 0, must be a number in [1e-30, 1e+30]"},
  {18, "loads: [{select: {}, gas: {}}]", ":18: loads[0].gas lacks the key \"pressure\""},
  {18, "    outside: fixed", ":18: motions[0].outside is fixed, must be one of: free, hold"},
  {19, "contact: {dhat: {relative: 1}}", ":19: contact.dhat.relative is 1, must be a number in [1e-15, 1)"},
  {19, "contact: {dhat: 1.0e-3}",
   ":19: contact.dhat is 1.0e-3, must be a mapping with the keys of the scene reference, such as \"relative\""},
  {19, "contact: {dhat: {relative: 1.0e-3, absolute: 1}}",
   ":19: contact.dhat has both relative and absolute, only one of them is possible"},
  {19, "contact: {stiffness: adaptiv}", ":19: contact.stiffness is adaptiv, must be a number in [1e-30, 1e+30], or adaptive"},
  {19, "contact: {relative_stiffness: 0}", ":19: contact.relative_stiffness is 0, must be a number in [1e-30, 1e+30], or none"},
  {19, "contact: {stiffness: 2, relative_stiffness: 1}",
   ":19: contact.relative_stiffness is 1, must be none where stiffness is a number, 2"},
  {19, "contact: {alpha: 0.1}", ":19: contact.alpha is 0.1; the key is for the potentials oipc and gcp and must not be given for ipc"},
  {19, "contact: {potential: convergent-ipc, beta: 0.1}",
   ":19: contact.beta is 0.1; the key is for the potentials oipc and gcp and must not be given for convergent-ipc"},
  {19, "contact: {potential: oipc, smoothness: 2}",
   ":19: contact has the key \"smoothness\", which was removed: its value 2 saved no iterations; without the key all is as with its "
   "default 1"},
  {19, "contact: {potential: ipc, edge_length: 2}",
   ":19: contact.edge_length is 2; the key is for the potentials convergent-ipc, oipc and gcp and must not be given for ipc"},
  {19, "contact: {potential: oipc, quadrature: 2}",
   ":19: contact has the key \"quadrature\", which was removed: closest points represent all pairs, as published"},
  {19, "contact: {measure: rest}",
   ":19: contact.measure is rest; the key is for the potentials oipc and gcp and must not be given for ipc"},
  {19, "contact: {potential: opc}", ":19: contact.potential is opc, must be one of: ipc, convergent-ipc, oipc, gcp"},
  {19, "contact: {dhat: {absolute: 1e39}}", ":19: contact.dhat.absolute is 1e39, must be a number in [1e-30, 1e+12]"},
  {13, "    velocity: [0, 1e40, 0]", ":13: bodies[0].velocity[1] is 1e40, must be a number in [-1e+12, 1e+12]"},
  {13, "    angular_velocity: [0, 0, 1e300]", ":13: bodies[0].angular_velocity[2] is 1e300, must be a number in [-1e+12, 1e+12]"},
  {18, "    velocity: [0, 0, -1e40]", ":18: motions[0].velocity[2] is -1e40, must be a number in [-1e+12, 1e+12]"},
  {9, "  - name: \"ball\\0\"", ":9: \"ball\" goes on with a zero byte (\\0), which no text of a scene may have"},
  {20, "solver: {projection: \"clamp\\0\"}", ":20: \"clamp\" goes on with a zero byte"},
  {20, "solver: {projection: reckless}", ":20: solver.projection is reckless, must be one of: clamp, demand"},
  {20, "solver: {max_newton: 0}", ":20: solver.max_newton is 0, must be an integer in [1, 1000000000]"},
  {21, "output: {fields: {every: -1}}", ":21: output.fields.every is -1, must be an integer in [0, 1000000000]"},
  {21, "output: {checkpoint: {minutes: 0.5}}", ":21: output.checkpoint.minutes is 0.5, must be an integer"},
  {22, "--- {abut: 1}", ": a second document starts here, a scene is one"},
  {22, "title: \"\xff\"", ":22: is no valid YAML: "},
};

/* 2D: the base scene with a line exchanged and vectors of two numbers. */
static const Refusal refusals_2d[] = {
  {5, "gravity: [0, 0, -9.81]", ":5: gravity[2] is -9.81, must be 0 in 2D"},
  {11, "    shape: {cylinder: {radius: 1, height: 2, cells: [4, 8]}}", ":11: bodies[0].shape.cylinder exists in 3D only"},
  {12, "    rotate: [10, 0, 0]", ":12: bodies[0].rotate[0] is 10, must be 0 in 2D"},
  {12, "    rotate: [10, 0]", ":12: bodies[0].rotate is a list of 2, must be a number, about z"},
  {13, "    copies: [1, 1, 2]", ":13: bodies[0].copies[2] is 2, must be 1 in 2D"},
};

static void TestRefusals(void **state)
{
  const size_t num = sizeof(refusals) / sizeof(refusals[0]), num_2d = sizeof(refusals_2d) / sizeof(refusals_2d[0]);
  size_t       fit = 0;

  (void)state;
  for (size_t i = 0; i < num; i++) fit += (size_t)IsRefused(&refusals[i], NULL);
  for (size_t i = 0; i < num_2d; i++) fit += (size_t)IsRefused(&refusals_2d[i], "dim: 2");
  assert_int_equal(fit, num + num_2d);
}

/* The refusals are due to the lines exchanged: the base itself is a scene. */
static void TestBase(void **state)
{
  char       text[4096] = "", directory[PETSC_MAX_PATH_LEN];
  AbutScene *scene      = NULL;

  (void)state;
  for (int i = 0; i < NUM_LINES; i++) strcat(strcat(text, lines[i]), "\n");
  AbutTestDirectory(directory);
  AbutTestCall(ReadSceneText(directory, text, &scene));
  RemoveSceneDirectory(directory, NULL);
  AbutTestCall(AbutSceneDestroy(&scene));
  assert_null(scene);
}

static void CheckFileRefused(const char path[], const char message[])
{
  AbutScene *scene = NULL;

  assert_int_equal(AbutSceneRead(PETSC_COMM_WORLD, path, &scene), ABUT_ERR_INPUT);
  if (strcmp(AbutErrorMessage(), message)) fail_msg("said %s, expected %s", AbutErrorMessage(), message);
  AbutErrorClear();
}

static void TestFiles(void **state)
{
  char       directory[PETSC_MAX_PATH_LEN], message[PETSC_MAX_PATH_LEN];
  AbutScene *scene = NULL;

  (void)state;
  CheckFileRefused("/nowhere/scene.yaml", "/nowhere/scene.yaml: cannot be read as a scene: No such file or directory");
  CheckFileRefused("/tmp", "/tmp: cannot be read as a scene: Is a directory");
  AbutTestDirectory(directory);
  assert_int_equal(ReadSceneText(directory, "# nothing\n", &scene), ABUT_ERR_INPUT);
  AbutTestCall(PetscSNPrintf(message, sizeof(message),
                             "%s/scene.yaml:1: the scene is empty, must be a mapping that starts with \"abut: 1\"", directory));
  assert_string_equal(AbutErrorMessage(), message);
  AbutErrorClear();
  CheckFileRefused("/dev/null", "/dev/null:1: the scene is empty, must be a mapping that starts with \"abut: 1\"");
  assert_int_equal(ReadSceneText(directory, "", &scene), ABUT_ERR_INPUT);
  assert_string_equal(AbutErrorMessage(), message);
  AbutErrorClear();
  assert_int_equal(ReadSceneText(directory, "- abut: 1\n", &scene), ABUT_ERR_INPUT);
  assert_non_null(strstr(AbutErrorMessage(), ":1: the scene is a list of 1, must be a mapping"));
  AbutErrorClear();
  RemoveSceneDirectory(directory, NULL);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestBase), cmocka_unit_test(TestRefusals), cmocka_unit_test(TestFiles)};

  return AbutTestMain(argc, argv, tests);
}
