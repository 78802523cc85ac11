/* Scenes as plain data: every key, and the defaults. */
#include "scenes.h"
#include <math.h>

static const char full[] =
  "abut: 1\n"
  "title: \"Everything: at once\"\n"
  "dim: 3\n"
  "time: {step: 0.1, end: 1.0}\n"
  "gravity: [0, -9.81, 0]\n"
  "materials:\n"
  "  rubber: &rubber {model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}\n"
  "  steel: {model: fixed-corotated, young: 2e11, poisson: .25, density: 7800}\n"
  "  alias: *rubber\n"
  "motions:\n"
  "  - select: {body: \"ball[1,0,2]\", box: [[0, -.inf, 0], [1, 0.1, .inf]], relative: yes, group: left end, ids: [5, 0, 7]}\n"
  "    velocity: [0, -1, 0]\n"
  "    angular_velocity: [0, 0, 3.14]\n"
  "    center: follow\n"
  "    start: 0.5\n"
  "    end: 2\n"
  "    outside: hold\n"
  "  - select: {}\n"
  "  - select: {body: funnel}\n"
  "    center: [1, 2, 3]\n"
  "    end: .inf\n"
  "bodies:\n"
  "  - name: ball\n"
  "    material: steel\n"
  "    shape: {file: part.geo, mesh_size: 0.1}\n"
  "    center: true\n"
  "    scale: 2\n"
  "    rotate: [10, 20, 30]\n"
  "    translate: [1, 2, 3]\n"
  "    copies: [2, 1, 3]\n"
  "    spacing: [1.1, 0, -1]\n"
  "    velocity: [4, 5, 6]\n"
  "    angular_velocity: [7, 8, 9]\n"
  "  - {name: box, material: rubber, shape: {box: {size: [1, 2, 3], cells: [4, 5, 6]}}, scale: [1, 2, 3]}\n"
  "  - {name: can, material: alias, shape: {cylinder: {radius: 1, height: 2, cells: [4, 8]}}}\n"
  "  - {name: ring, material: alias, shape: {torus: {major: 1, minor: 0.3, cells: 4}}}\n"
  "  - {name: cube, material: alias, shape: {box: {size: 2, cells: 3}}}\n"
  "obstacles:\n"
  "  - {name: floor, plane: {point: [0, 1, 0], normal: [0, 3, 4]}}\n"
  "  - {name: funnel, shape: {ball: {radius: 1, cells: 6}}, translate: [0, 1, 0]}\n"
  "  - {name: wall, plane: {point: [0, 0, 0], normal: [1, 0, 0]}}\n"
  "contact: {potential: ipc, dhat: {absolute: 1.0e-4}, stiffness: 1.0e8, reference_length: 2}\n"
  "solver: {tolerance: {absolute: 0.5}, max_newton: 50}\n"
  "output:\n"
  "  fields: {every: 2, stress: false, contact_force: off}\n"
  "  checkpoint: {every: 10, minutes: 0}\n";

static const char flat[] =
  "{abut: 1, dim: 2, time: {step: 0.3, end: 1}, gravity: [0, -9.81], materials: {m: {young: 1, poisson: 0, density: 1}}, bodies: [{name: "
  "a,\n"
  "material: m, shape: {box: {size: [1, 2], cells: 3}}, rotate: 30, scale: [2, 3], translate: [4, 5, 0], copies: [2, 2], angular_velocity: "
  "[0, 0, 6]},\n"
  "{name: b, material: m, shape: {torus: {major: 2, minor: 1, cells: 2}}, scale: 4}], obstacles: [{name: p, plane: {point: [0, 0],\n"
  "normal: [0, 2]}}, {name: q, shape: {file: net.pt}}], motions: [{select: {box: [[0, 0], [1, 1]]}, angular_velocity: 2, center: [1, "
  "2]}]}\n";

static void CheckBodies(const AbutScene *scene)
{
  const AbutBodySpec *ball = scene->bodies;

  assert_int_equal(scene->num_bodies, 6);
  assert_string_equal(ball->name, "ball");
  assert_int_equal(ball->material, 1);
  assert_int_equal(ball->shape.kind, ABUT_SHAPE_FILE);
  assert_non_null(strstr(ball->shape.path, "/part.geo"));
  assert_non_null(strstr(ball->place, "/scene.yaml:23"));
  assert_true(ball->shape.center && !ball->obstacle);
  AbutTestClose("ball: sizes", 1, &ball->shape.mesh_size, (PetscReal[]){0.1}, 0);
  AbutTestClose("ball: scale", 3, ball->shape.scale, (PetscReal[]){2, 2, 2}, 0);
  AbutTestClose("ball: rotate", 3, ball->shape.rotate, (PetscReal[]){10, 20, 30}, 0);
  AbutTestClose("ball: translate", 3, ball->shape.translate, (PetscReal[]){1, 2, 3}, 0);
  AbutTestClose("ball: spacing", 3, ball->shape.spacing, (PetscReal[]){1.1, 0, -1}, 0);
  AbutTestClose("ball: velocity", 3, ball->velocity, (PetscReal[]){4, 5, 6}, 0);
  AbutTestClose("ball: angular velocity", 3, ball->angular_velocity, (PetscReal[]){7, 8, 9}, 0);
  assert_memory_equal(ball->shape.copies, ((PetscInt[]){2, 1, 3}), 3 * sizeof(PetscInt));
  AbutTestClose("box: size", 3, ball[1].shape.size, (PetscReal[]){1, 2, 3}, 0);
  AbutTestClose("box: scale", 3, ball[1].shape.scale, (PetscReal[]){1, 2, 3}, 0);
  assert_memory_equal(ball[1].shape.cells, ((PetscInt[]){4, 5, 6}), 3 * sizeof(PetscInt));
  assert_memory_equal(ball[1].shape.copies, ((PetscInt[]){1, 1, 1}), 3 * sizeof(PetscInt));
  assert_int_equal(ball[1].shape.kind, ABUT_SHAPE_BOX);
  assert_int_equal(ball[2].shape.kind, ABUT_SHAPE_CYLINDER);
  AbutTestClose("can: size", 2, ball[2].shape.size, (PetscReal[]){1, 2}, 0);
  assert_memory_equal(ball[2].shape.cells, ((PetscInt[]){4, 8}), 2 * sizeof(PetscInt));
  AbutTestClose("ring: size", 2, ball[3].shape.size, (PetscReal[]){1, 0.3}, 0);
  assert_int_equal(ball[3].shape.kind, ABUT_SHAPE_TORUS);
  AbutTestClose("cube: size", 3, ball[4].shape.size, (PetscReal[]){2, 2, 2}, 0);
  assert_true(ball[5].obstacle && ball[5].material == -1 && ball[5].shape.kind == ABUT_SHAPE_BALL && ball[5].shape.cells[0] == 6);
  assert_string_equal(ball[5].name, "funnel");
  AbutTestClose("funnel: translate", 3, ball[5].shape.translate, (PetscReal[]){0, 1, 0}, 0);
}

static void CheckMotions(const AbutScene *scene)
{
  const AbutMotionSpec *motion = scene->motions;

  assert_int_equal(scene->num_motions, 3);
  assert_string_equal(motion->selection.body, "ball[1,0,2]");
  assert_string_equal(motion->selection.group, "left end");
  assert_true(motion->selection.has_box && motion->selection.relative && motion->follow && motion->outside == ABUT_OUTSIDE_HOLD);
  AbutTestClose("box", 6, motion->selection.box[0], (PetscReal[]){0, -INFINITY, 0, 1, 0.1, INFINITY}, 0);
  assert_int_equal(motion->selection.num_ids, 3);
  assert_memory_equal(motion->selection.ids, ((PetscInt[]){5, 0, 7}), 3 * sizeof(PetscInt));
  AbutTestClose("velocity", 3, motion->velocity, (PetscReal[]){0, -1, 0}, 0);
  AbutTestClose("angular velocity", 3, motion->angular_velocity, (PetscReal[]){0, 0, 3.14}, 0);
  AbutTestClose("window", 2, (PetscReal[]){motion->start, motion->end}, (PetscReal[]){0.5, 2}, 0);
  assert_non_null(strstr(motion->place, "/scene.yaml:11"));
  assert_true(!motion[1].selection.body[0] && !motion[1].selection.has_box && !motion[1].follow && motion[1].outside == ABUT_OUTSIDE_FREE &&
              !motion[1].selection.num_ids);
  assert_true(motion[1].start == 0 && isinf(motion[1].end));
  AbutTestClose("center", 3, motion[2].center, (PetscReal[]){1, 2, 3}, 0);
  assert_true(isinf(motion[2].end));
}

static void TestFull(void **state)
{
  char                directory[PETSC_MAX_PATH_LEN];
  AbutScene          *scene;
  const AbutStepSpec *step;

  (void)state;
  AbutTestDirectory(directory);
  WriteText(directory, "part.geo", 0, "");
  AbutTestCall(ReadSceneText(directory, full, &scene));
  RemoveSceneDirectory(directory, "part.geo");
  step = &scene->step;
  assert_string_equal(scene->title, "Everything: at once");
  assert_true(scene->dim == 3 && step->steps == 10 && step->end == 0 && step->dt == 0.1);
  AbutTestClose("gravity", 3, step->gravity, (PetscReal[]){0, -9.81, 0}, 0);
  assert_int_equal(scene->num_materials, 3);
  assert_string_equal(scene->materials[2].name, "alias");
  assert_true(scene->materials[2].kind == ABUT_MATERIAL_NEO_HOOKEAN && scene->materials[2].young == 1e5);
  assert_true(scene->materials[1].kind == ABUT_MATERIAL_FIXED_COROTATED && scene->materials[1].young == 2e11);
  assert_true(scene->materials[1].poisson == 0.25 && scene->materials[1].density == 7800);
  CheckBodies(scene);
  CheckMotions(scene);
  assert_int_equal(scene->num_planes, 2);
  assert_string_equal(scene->planes[1].name, "wall");
  AbutTestClose("normal", 3, scene->planes[0].normal, (PetscReal[]){0, 0.6, 0.8}, 1e-15); /* a division rounds */
  AbutTestClose("point", 3, scene->planes[0].point, (PetscReal[]){0, 1, 0}, 0);
  assert_string_equal(step->potential, "ipc");
  assert_true(step->dhat.value == 1e-4 && !step->dhat.relative && step->kappa == 1e8 && step->reference_length == 2);
  assert_true(step->tolerance.value == 0.5 && !step->tolerance.relative && step->max_newton == 50);
  assert_true(scene->output.fields_every == 2 && !scene->output.stress && !scene->output.contact_force);
  assert_true(scene->output.checkpoint_every == 10 && scene->output.checkpoint_minutes == 0);
  AbutTestCall(AbutSceneDestroy(&scene));
}

static void TestFlatAndDefaults(void **state)
{
  char                directory[PETSC_MAX_PATH_LEN];
  AbutScene          *scene;
  const AbutStepSpec *step;
  const AbutBodySpec *body;

  (void)state;
  AbutTestDirectory(directory);
  WriteText(directory, "net.obj", 0, "");
  AbutTestCall(ReadSceneText(directory, flat, &scene));
  RemoveSceneDirectory(directory, "net.obj");
  step = &scene->step;
  body = scene->bodies;
  assert_true(scene->dim == 2 && step->steps == 4 && step->end == 1 && !scene->title[0]);
  AbutTestClose("gravity", 3, step->gravity, (PetscReal[]){0, -9.81, 0}, 0);
  AbutTestClose("rotate", 3, body->shape.rotate, (PetscReal[]){0, 0, 30}, 0);
  AbutTestClose("scale", 3, body->shape.scale, (PetscReal[]){2, 3, 1}, 0);
  AbutTestClose("translate", 3, body->shape.translate, (PetscReal[]){4, 5, 0}, 0);
  AbutTestClose("angular velocity", 3, body->angular_velocity, (PetscReal[]){0, 0, 6}, 0);
  assert_memory_equal(body->shape.copies, ((PetscInt[]){2, 2, 1}), 3 * sizeof(PetscInt));
  assert_memory_equal(body->shape.cells, ((PetscInt[]){3, 3, 1}), 3 * sizeof(PetscInt));
  AbutTestClose("scale", 3, body[1].shape.scale, (PetscReal[]){4, 4, 1}, 0);
  AbutTestClose("turn", 3, scene->motions[0].angular_velocity, (PetscReal[]){0, 0, 2}, 0);
  AbutTestClose("center", 3, scene->motions[0].center, (PetscReal[]){1, 2, 0}, 0);
  AbutTestClose("normal", 3, scene->planes[0].normal, (PetscReal[]){0, 1, 0}, 0);
  assert_non_null(strstr(body[2].shape.path, "/net.pt"));
  assert_int_equal(scene->materials[0].kind, ABUT_MATERIAL_NEO_HOOKEAN);
  assert_true(step->dhat.relative && step->dhat.value == 1e-3 && step->tolerance.relative && step->tolerance.value == 1e-2);
  assert_true(step->kappa == 0 && step->reference_length == 0 && step->max_newton == 1000);
  assert_string_equal(step->potential, "ipc");
  assert_true(scene->output.fields_every == 1 && scene->output.stress && scene->output.contact_force);
  assert_true(scene->output.checkpoint_every == 0 && scene->output.checkpoint_minutes == 30);
  AbutTestCall(AbutSceneDestroy(&scene));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestFull), cmocka_unit_test(TestFlatAndDefaults)};

  return AbutTestMain(argc, argv, tests);
}
