/* Keys of time stepping, friction, motions and loads: their values in AbutScene, and the messages for invalid ones. */
#include "refusals.h"
#include <math.h>

static const char full[] =
  "abut: 1\n"
  "time: {step: 0.1, steps: 4, integrator: quasi-static, smallest_step: 0.01, regularization: 2.5}\n"
  "materials:\n"
  "  rubber: {model: mooney-rivlin, young: 1, poisson: 0.3, density: 1, mooney: 0.25, damping: {mass: 0.5, stiffness: 0.125}}\n"
  "  steel: {model: stvk, young: 1, poisson: 0.3, density: 1}\n"
  "bodies:\n"
  "  - {name: ball, material: rubber, shape: {ball: {radius: 1, cells: 2}}, copies: [2, 1, 1], spacing: [3, 0, 0]}\n"
  "  - {name: slick, material: rubber, surface: ice, shape: {ball: {radius: 1, cells: 2}}}\n"
  "  - {name: bar, material: steel, shape: {ball: {radius: 1, cells: 2}}}\n"
  "  - {name: other, material: rubber, shape: {ball: {radius: 1, cells: 2}}}\n"
  "obstacles:\n"
  "  - {name: press, shape: {ball: {radius: 1, cells: 2}}, surface: steel}\n"
  "  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 2, 0]}}\n"
  "  - {name: lid, plane: {point: [0, 9, 0], normal: [0, -1, 0]}, surface: ice}\n"
  "contact:\n"
  "  friction:\n"
  "    default: {static: 0.5, kinetic: 0.25}\n"
  "    pairs:\n"
  "      - {between: [floor, rubber], coefficient: 0.75}\n"
  "      - {between: [ice, ice], coefficient: {static: 0.125, kinetic: 0}}\n"
  "    speed: {absolute: 1.0e-5}\n"
  "    lags: \"converged\"\n" /* words may be quoted */

  "    most_lags: 7\n"
  "motions:\n"
  "  - plane: lid\n"
  "    velocity: [0, -1, 0]\n"
  "    angular_velocity: [0, 3, 0]\n"
  "    until: {gap: [floor, lid], axis: y, below: 0.5, then: reverse}\n"
  "  - select: {body: press, box: [[0, 0, 0], [1, 1, 1]]}\n"
  "    until: {highest: \"\", axis: z, above: -2, then: release}\n"
  "  - select: {body: bar}\n"
  "    sequence: {files: \"frame%02d.obj\", first: 1, count: 1, interval: 0.5}\n"
  "loads:\n"
  "  - {select: {body: ball, ids: [3, 4]}, traction: [1, 2, 3], start: 1, end: 2}\n"
  "  - {select: {body: bar}, force: [4, 5, 6]}\n"
  "solver: {projection: demand}\n"
  "output: {fields: {interval: 0.05, friction_force: false}}\n";

static PetscReal Mu(const PetscReal table[], const AbutScene *scene, const char a[], const char b[])
{
  PetscInt index[2] = {-1, -1};

  for (PetscInt i = 0; i < scene->num_surfaces; i++) {
    if (!strcmp(scene->surfaces[i], a)) index[0] = i;
    if (!strcmp(scene->surfaces[i], b)) index[1] = i;
  }
  if (index[0] < 0 || index[1] < 0) fail_msg("no labels %s, %s", a, b);
  assert_true(table[index[0] * scene->num_surfaces + index[1]] == table[index[1] * scene->num_surfaces + index[0]]);
  return table[index[0] * scene->num_surfaces + index[1]];
}

static void CheckFriction(const AbutScene *scene)
{
  const AbutFrictionTable *table = &scene->step.friction;
  const AbutBodySpec      *b     = scene->bodies;

  assert_true(scene->num_surfaces == 4 && table->num_surfaces == 4); /* rubber, ice, steel, floor */
  assert_int_equal(b[0].surface, b[3].surface);
  assert_int_equal(b[2].surface, b[4].surface); /* the obstacle calls itself steel */
  assert_int_equal(scene->planes[1].surface, b[1].surface);
  assert_string_equal(scene->surfaces[b[0].surface], "rubber");
  assert_string_equal(scene->surfaces[scene->planes[0].surface], "floor");
  assert_true(Mu(table->mu_static, scene, "rubber", "floor") == 0.75 && Mu(table->mu_kinetic, scene, "rubber", "floor") == 0.75);
  assert_true(Mu(table->mu_static, scene, "ice", "ice") == 0.125 && Mu(table->mu_kinetic, scene, "ice", "ice") == 0);
  assert_true(Mu(table->mu_static, scene, "ice", "floor") == 0.5 && Mu(table->mu_kinetic, scene, "ice", "floor") == 0.25);
  assert_true(Mu(table->mu_static, scene, "rubber", "rubber") == 0.5);
  assert_true(scene->step.friction_speed.value == 1e-5 && !scene->step.friction_speed.relative);
  assert_true(scene->step.friction_converge && scene->step.friction_most == 7);
}

static void CheckMotions(const AbutScene *scene, const char directory[])
{
  const AbutMotionSpec *m = scene->motions;
  char                  path[PETSC_MAX_PATH_LEN];

  assert_int_equal(scene->num_motions, 3);
  assert_true(m[0].plane == 1 && m[1].plane == -1 && m[2].plane == -1);
  AbutTestClose("turn", 3, m[0].angular_velocity, (PetscReal[]){0, 3, 0}, 0);
  assert_true(m[0].until.measure == ABUT_MEASURE_GAP && m[0].until.axis == 1 && !m[0].until.above && m[0].until.limit == 0.5);
  assert_string_equal(m[0].until.subject[0], "floor");
  assert_string_equal(m[0].until.subject[1], "lid");
  assert_true(m[0].until.action == ABUT_ACTION_REVERSE && m[1].until.action == ABUT_ACTION_RELEASE);
  assert_true(m[1].until.measure == ABUT_MEASURE_HIGHEST && m[1].until.axis == 2 && m[1].until.above && m[1].until.limit == -2);
  assert_true(!m[1].until.subject[0][0] && m[1].selection.has_box);
  assert_true(m[2].until.measure == ABUT_MEASURE_NONE && m[2].sequence.count == 1 && m[2].sequence.first == 1);
  assert_true(m[2].sequence.interval == 0.5 && !m[1].sequence.count);
  AbutTestCall(PetscSNPrintf(path, sizeof(path), "%s/frame%%02d.obj", directory));
  assert_string_equal(m[2].sequence.pattern, path);
}

static void TestFull(void **state)
{
  char                directory[PETSC_MAX_PATH_LEN];
  AbutScene          *scene;
  const AbutStepSpec *step;

  (void)state;
  AbutTestDirectory(directory);
  WriteText(directory, "frame01.obj", 0, "");
  AbutTestCall(ReadSceneText(directory, full, &scene));
  RemoveSceneDirectory(directory, "frame01.obj");
  step = &scene->step;
  assert_true(step->integrator == ABUT_INTEGRATOR_STATIC && step->dt_min == 0.01 && step->regularization == 2.5);
  assert_true(step->strategy == ABUT_STRATEGY_DEMAND && step->landing == 0.05);
  assert_true(scene->output.fields_interval == 0.05 && !scene->output.fields_every && !scene->output.friction_force);
  assert_true(scene->materials[0].kind == ABUT_MATERIAL_MOONEY_RIVLIN && scene->materials[0].mooney == 0.25);
  assert_true(scene->materials[0].damping_mass == 0.5 && scene->materials[0].damping_stiffness == 0.125);
  assert_true(scene->materials[1].kind == ABUT_MATERIAL_STVK && scene->materials[1].damping_mass == 0);
  CheckFriction(scene);
  CheckMotions(scene, directory);
  assert_int_equal(scene->num_loads, 2);
  AbutTestClose("traction", 3, scene->loads[0].traction, (PetscReal[]){1, 2, 3}, 0);
  AbutTestClose("no force", 3, scene->loads[0].force, (PetscReal[]){0, 0, 0}, 0);
  AbutTestClose("force", 3, scene->loads[1].force, (PetscReal[]){4, 5, 6}, 0);
  assert_true(scene->loads[0].start == 1 && scene->loads[0].end == 2 && isinf(scene->loads[1].end));
  assert_true(scene->loads[0].selection.num_ids == 2 && scene->loads[0].selection.ids[1] == 4);
  assert_non_null(strstr(scene->loads[1].place, "scene.yaml:35"));
  AbutTestCall(AbutSceneDestroy(&scene));
}

/* The scene without any of these keys. */
static void TestDefaults(void **state)
{
  char                text[4096] = "", directory[PETSC_MAX_PATH_LEN];
  AbutScene          *scene;
  const AbutStepSpec *step;

  (void)state;
  for (int i = 0; i < NUM_LINES; i++) strcat(strcat(text, lines[i]), "\n");
  AbutTestDirectory(directory);
  AbutTestCall(ReadSceneText(directory, text, &scene));
  RemoveSceneDirectory(directory, NULL);
  step = &scene->step;
  assert_true(step->integrator == ABUT_INTEGRATOR_EULER && step->dt_min == step->dt && step->regularization == 0 && step->landing == 0);
  assert_true(step->strategy == ABUT_STRATEGY_ADAPTIVE && step->balance == 0.01);
  assert_true(step->friction_lags == 0 && !step->friction_converge && step->friction_most == 100);
  assert_true(step->friction_speed.relative && step->friction_speed.value == 1e-3 && step->friction.num_surfaces == 2);
  for (int k = 0; k < 4; k++) assert_true(step->friction.mu_static[k] == 0 && step->friction.mu_kinetic[k] == 0);
  assert_true(scene->motions[0].plane == -1 && scene->motions[0].until.measure == ABUT_MEASURE_NONE && !scene->num_loads);
  assert_true(scene->materials[0].damping_mass == 0 && scene->materials[0].damping_stiffness == 0 && scene->output.friction_force);
  AbutTestCall(AbutSceneDestroy(&scene));
}

/* AbutSimulationSpecInit() has the defaults of a scene with the required keys alone. */
static void SimulationDefaults(void **state)
{
  char               directory[PETSC_MAX_PATH_LEN];
  AbutScene         *scene;
  AbutSimulationSpec init, read;

  (void)state;
  AbutTestDirectory(directory);
  AbutTestCall(ReadSceneText(directory,
                             "abut: 1\ntime: {step: 0.01, steps: 10}\nmaterials: {m: {young: 1, poisson: 0.3, density: 1}}\n"
                             "bodies: [{name: b, material: m, shape: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}]\n",
                             &scene));
  RemoveSceneDirectory(directory, NULL);
  read = AbutSceneGetSimulation(scene);
  AbutTestCall(AbutSimulationSpecInit(&init));
  assert_true(read.dim == init.dim && read.num_bodies == 1 && read.num_materials == 1 && !read.num_planes && !read.num_motions);
  assert_true(read.step.integrator == init.step.integrator && read.step.regularization == init.step.regularization);
  assert_true(read.step.end == init.step.end && read.step.landing == init.step.landing);
  assert_true(read.step.friction.num_surfaces == init.step.friction.num_surfaces && read.step.friction.mu_static[0] == 0);
  assert_true(read.step.friction_lags == init.step.friction_lags && read.step.friction_converge == init.step.friction_converge &&
              read.step.friction_most == init.step.friction_most);
  assert_true(read.step.strategy == init.step.strategy && read.step.balance == init.step.balance &&
              read.step.max_newton == init.step.max_newton);
  assert_string_equal(read.step.potential, init.step.potential);
  assert_memory_equal(&read.step.orientation, &init.step.orientation, sizeof(init.step.orientation));
  assert_true(read.step.kappa == init.step.kappa && read.step.relative_kappa == init.step.relative_kappa);
  for (int k = 0; k < 3; k++) {
    const AbutQuantity *one = (const AbutQuantity *[]){&read.step.friction_speed, &read.step.tolerance, &read.step.dhat}[k];
    const AbutQuantity *two = (const AbutQuantity *[]){&init.step.friction_speed, &init.step.tolerance, &init.step.dhat}[k];
    assert_true(read.step.gravity[k] == init.step.gravity[k] && one->value == two->value && one->relative == two->relative);
  }
  AbutTestCall(AbutSceneDestroy(&scene));
}

static const Refusal refusals[] = {
  {4, "time: {step: 0.01, steps: 10, integrator: euler}",
   ":4: time.integrator is euler, must be one of: implicit-euler, newmark, contact-implicit-newmark, bdf2, quasi-static"},
  {4, "time: {step: 0.01, steps: 10, smallest_step: 0.02}", ":4: time.smallest_step is 0.02, must be at most step, 0.01"},
  {4, "time: {step: 0.01, steps: 10, smallest_step: none}", ":4: time.smallest_step is none, must be a number in [1e-30, 1e+12], or step"},
  {4, "time: {step: 0.01, steps: 10, regularization: 1}", ":4: time.regularization is 1, must be 0 for the integrator implicit-euler"},
  {7, "  rubber: {young: 1, poisson: 0.4, density: 1, mooney: 0.1}",
   ":7: materials.rubber.mooney has no effect unless the model is mooney-rivlin"},
  {7, "  rubber: {model: mooney-rivlin, young: 1, poisson: 0.4, density: 1, mooney: 1.1}",
   ":7: materials.rubber.mooney is 1.1, must be a number in [0, 1]"},
  {7, "  rubber: {young: 1, poisson: -0.1, density: 1}",
   ":7: materials.rubber.poisson is -0.1, must be in [0, 0.5) for the model neo-hookean, whose energy has no lower bound for a negative "
   "Poisson's ratio; the models stvk, linear, ogden and j2-plasticity allow (-1, 0.5)"},
  {7, "  rubber: {young: 1, shear: 1, poisson: 0.4, density: 1}",
   ":7: materials.rubber has both young and shear, only one of them is possible"},
  {7, "  rubber: {young: 1, poisson: 0.4, bulk: 3, density: 1}",
   ":7: materials.rubber has both poisson and bulk, only one of them is possible"},
  {7, "  rubber: {poisson: 0.4, density: 1}", ":7: materials.rubber needs one of the keys: young, shear, c10, ogden"},
  {7, "  rubber: {young: 1, density: 1}", ":7: materials.rubber needs one of the keys: poisson, bulk"},
  {7, "  rubber: {shear: 3, bulk: 1, density: 1}",
   ":7: materials.rubber.bulk is 1, a Poisson's ratio of -0.25, which must be in [0, 0.5) for the model neo-hookean"},
  {7, "  rubber: {model: stvk, young: 3, bulk: 0.2, density: 1}",
   ":7: materials.rubber.bulk is 0.2, a Poisson's ratio of -2, which must be above -1 and at most 0.5"},
  {7, "  rubber: {shear: 1, bulk: 1e10, density: 1}", ":7: materials.rubber.bulk is 1e+10, a Poisson's ratio of 0.5, which must be"},
  {7, "  rubber: {model: stvk, c10: 1, bulk: 10, density: 1}",
   ":7: materials.rubber.c10 belongs to the models neo-hookean and mooney-rivlin; the model is stvk"},
  {7, "  rubber: {c10: 1, c01: 1, bulk: 10, density: 1}", ":7: materials.rubber.c01 has no effect unless the model is mooney-rivlin"},
  {7, "  rubber: {model: mooney-rivlin, c10: 1, bulk: 10, density: 1}",
   ":7: materials.rubber.c10 needs the key c01 beside it with the model mooney-rivlin"},
  {7, "  rubber: {model: mooney-rivlin, c10: 1, c01: 1, mooney: 0.5, bulk: 10, density: 1}",
   ":7: materials.rubber.mooney follows from c10 and c01, only one way is possible"},
  {7, "  rubber: {c10: 0, bulk: 10, density: 1}", ":7: materials.rubber.c10 is 0, the sum of c10 and c01 must be positive"},
  {7, "  rubber: {young: 1, c01: 1, poisson: 0.4, density: 1}", ":7: materials.rubber.c01 has no effect without the key \"c10\""},
  {7, "  rubber: {model: j2-plasticity, young: 1, poisson: 0.4, density: 1}",
   ":7: materials.rubber.model is j2-plasticity, which needs the key yield"},
  {7, "  rubber: {young: 1, poisson: 0.4, yield: 1, density: 1}",
   ":7: materials.rubber.yield has no effect unless the model is j2-plasticity"},
  {7, "  rubber: {young: 1, poisson: 0.4, hardening: 1, density: 1}",
   ":7: materials.rubber.hardening has no effect without the key \"yield\""},
  {7, "  rubber: {model: j2-plasticity, young: 1, poisson: 0.4, yield: 0, density: 1}",
   ":7: materials.rubber.yield is 0, must be a number in [1e-30, 1e+30]"},
  {7, "  rubber: {model: stvk, young: 1, poisson: 0.4, density: 1, prony: [{shear: 1, time: 1}]}",
   ":7: materials.rubber.prony belongs to the models neo-hookean, mooney-rivlin and ogden; the model is stvk"},
  {7, "  rubber: {young: 1, poisson: 0.4, density: 1, prony: [{shear: 1, time: 0}]}",
   ":7: materials.rubber.prony[0].time is 0, must be a number in [1e-30, 1e+12]"},
  {7, "  rubber: {model: ogden, young: 1, poisson: 0.4, density: 1}",
   ":7: materials.rubber.model is ogden, which needs the key ogden with its terms"},
  {7, "  rubber: {ogden: [{mu: 1, alpha: 2}], poisson: 0.4, density: 1}",
   ":7: materials.rubber.ogden has no effect unless the model is ogden"},
  {7, "  rubber: {model: ogden, ogden: [], poisson: 0.4, density: 1}", ":7: materials.rubber.model is ogden, which needs"},
  {7, "  rubber: {model: ogden, ogden: [{mu: 1, alpha: 0}], poisson: 0.4, density: 1}",
   ":7: materials.rubber.ogden is refused: ogden has a term with |alpha| outside of [1e-3, 1e3]"},
  {7, "  rubber: {model: ogden, ogden: [{mu: 1, alpha: -2}], poisson: 0.4, density: 1}",
   ":7: materials.rubber.ogden is refused: the shear modulus of ogden, the sum of mu alpha / 2, is not positive"},
  {7, "  rubber: {model: stvk, young: 1, poisson: -0.1, density: 1, incompressible: mean-dilatation}",
   ":7: materials.rubber.incompressible is mean-dilatation, which needs a Poisson's ratio of at least 0; poisson is -0.1"},
  {7, "  rubber: {young: 1, poisson: 0.4, density: 1, damping: {mass: -1}}",
   ":7: materials.rubber.damping.mass is -1, must be a number in [0, 1e+30]"},
  {12, "    surface: \"a,b\"", ":12: bodies[0].surface is \"a,b\", must be a name"},
  {17, "  - plane: flor", ":17: motions[0].plane is flor, must be one of: floor; did you mean floor?"},
  {17, "  - {plane: floor, select: {}}\n  - select: {}", ":17: motions[0] has both select and plane, only one of them is possible"},
  {17, "  - start: 1", ":17: motions[0] needs one of the keys: select, plane"},
  {17, "  - {plane: floor, angular_velocity: [1, 0, 0]}\n  - select: {}",
   ":17: motions[0].angular_velocity would tilt the plane \"floor\", must be along its normal"},
  {17, "  - {plane: floor, center: follow}\n  - select: {}", ":17: motions[0].center is follow, must be a point for a plane"},
  {17, "  - {plane: floor, until: {lowest: ball, axis: y, below: 1, then: release}}\n  - select: {}",
   ":17: motions[0].until releases a plane, must reverse or stop it"},
  {18, "    until: {axis: y, below: 1, then: stop}", ":18: motions[0].until needs one of the keys: gap, lowest, highest"},
  {18, "    until: {lowest: ball, axis: y, then: stop}", ":18: motions[0].until needs one of the keys: below, above"},
  {18, "    until: {lowest: ball, axis: y, below: 1, above: 2, then: stop}",
   ":18: motions[0].until has both below and above, only one of them is possible"},
  {18, "    until: {lowest: ball, axis: y, below: 1}", ":18: motions[0].until lacks the key \"then\""},
  {18, "    until: {lowest: ball, axis: y, below: 1, then: halt}",
   ":18: motions[0].until.then is halt, must be one of: reverse, stop, release"},
  {18, "    until: {lowest: ball, axis: up, below: 1, then: stop}", ":18: motions[0].until.axis is up, must be one of: x, y, z"},
  {18, "    until: {lowest: bal, axis: y, below: 1, then: stop}",
   ":18: motions[0].until.lowest is bal, must be one of: ball, floor; did you mean ball?"},
  {18, "    until: {gap: ball, axis: y, below: 1, then: stop}",
   ":18: motions[0].until.gap is ball, must be a list of two names of bodies, obstacles or planes"},
  {18, "    until: {gap: [ball, flor], axis: y, below: 1, then: stop}",
   ":18: motions[0].until.gap[1] is flor, must be one of: ball, floor"},
  {18, "    sequence: {files: \"f%d.obj\", count: 2, interval: 1}",
   "/f0.obj, the number 1 of 2 files, which cannot be read: No such file or directory"},
  {18, "    sequence: {files: \"f.obj\", count: 2, interval: 1}",
   ":18: motions[0].sequence.files is \"f.obj\", must be a path with one %d and no other %"},
  {18, "    sequence: {files: \"f%s.obj\", count: 2, interval: 1}",
   ":18: motions[0].sequence.files is \"f%s.obj\", must be a path with one %d"},
  {18, "    sequence: {files: \"f%d%n.obj\", count: 2, interval: 1}",
   ":18: motions[0].sequence.files is \"f%d%n.obj\", must be a path with one %d"},
  {18, "    sequence: {files: \"f%d.obj\", count: 0, interval: 1}",
   ":18: motions[0].sequence.count is 0, must be an integer in [1, 1000000]"},
  {18, "loads: [{select: {body: ball}}]", ":18: loads[0] needs one of the keys: acceleration, traction, force"},
  {18, "loads: [{force: [1, 0, 0]}]", ":18: loads[0] needs one of the keys: select, plane"},
  {18, "loads: [{select: {body: ball}, force: [1, 0]}]", ":18: loads[0].force is a list of 2, must be a list of 3 numbers"},
  {18, "loads: [{select: {body: ball}, force: [1, 0, 0], start: 2, end: 1}]", ":18: loads[0].end is 1, must be greater than start, 2"},
  {18, "loads: [{select: {body: floor}, force: [1, 0, 0]}]",
   ":18: loads[0].select.body is \"floor\", which is a plane and has no vertices"},
  {19, "contact: {friction: {default: -0.1}}",
   ":19: contact.friction.default is -0.1, must be a number in [0, 1000000], or a mapping with static and kinetic"},
  {19, "contact: {friction: 0.3}", ":19: contact.friction is 0.3, must be a mapping"},
  {19, "contact: {friction: {default: {static: 0.1, kinetic: 0.2}}}",
   ":19: contact.friction.default.kinetic is 0.2, must be at most static, 0.1"},
  {19, "contact: {friction: {default: {static: 0.1}}}", ":19: contact.friction.default lacks the key \"kinetic\""},
  {19, "contact: {friction: {pairs: [{between: [rubber, flor], coefficient: 1}]}}",
   ":19: contact.friction.pairs[0].between[1] is flor, must be one of: rubber, floor; did you mean floor?"},
  {19, "contact: {friction: {pairs: [{between: [rubber], coefficient: 1}]}}",
   ":19: contact.friction.pairs[0].between is a list of 1, must be a list of two labels of surfaces"},
  {19, "contact: {friction: {pairs: [{between: [rubber, floor], coefficient: 1}, {between: [floor, floor], coefficient: 2}]}}",
   ":19: contact.friction.pairs[1].between is floor and floor, obstacles, which never touch; one of the two must be a surface of bodies"},
  {19, "contact: {friction: {pairs: [{between: [rubber, floor]}]}}", ":19: contact.friction.pairs[0] lacks the key \"coefficient\""},
  {19, "contact: {friction: {pairs: [{between: [rubber, floor], coefficient: 1}, {between: [floor, rubber], coefficient: 2}]}}",
   ":19: contact.friction.pairs[1] is the pair floor and rubber, as pairs[0] is already ("},
  {19, "contact: {friction: {lags: 0}}", ":19: contact.friction.lags is 0, must be an integer in [1, 1000000], or converged"},
  {19, "contact: {friction: {most_lags: 0}}", ":19: contact.friction.most_lags is 0, must be an integer in [1, 1000000]"},
  {19, "contact: {friction: {speed: {relative: 0}}}", ":19: contact.friction.speed.relative is 0, must be a number in [1e-30, 1e+30]"},
  {20, "solver: {projection: clip}", ":20: solver.projection is clip, must be one of: clamp, demand, adaptive; did you mean clamp?"},
  {21, "output: {fields: {every: 1, interval: 0.1}}", ":21: output.fields has both every and interval, only one of them is possible"},
  {21, "output: {fields: {interval: 0}}", ":21: output.fields.interval is 0, must be a number in [1e-30, 1e+12]"},
  {21, "output: {fields: {friction_force: 1}}", ":21: output.fields.friction_force is 1, must be true or false"},
};

static void TestRefusals(void **state)
{
  const size_t num = sizeof(refusals) / sizeof(refusals[0]);
  size_t       fit = 0;

  (void)state;
  for (size_t i = 0; i < num; i++) fit += (size_t)IsRefused(&refusals[i], NULL);
  assert_int_equal(fit, num);
}

/* A sequence excludes velocities and parts of bodies; its file is there. */
static void TestSequences(void **state)
{
  static const char *const motions[][2] = {
    {"{select: {body: ball}, velocity: [1, 0, 0], ", "motions[0].velocity is not possible with a sequence"},
    {"{select: {body: ball, ids: [1]}, ", "motions[0].select must have the key \"body\" and no other with a sequence"},
    {"{select: {}, ", "motions[0].select must have the key \"body\" and no other with a sequence"},
    {"{plane: floor, ", "motions[0].sequence has no effect without the key \"select\""}};
  char       text[4096], directory[PETSC_MAX_PATH_LEN];
  AbutScene *scene = NULL;

  (void)state;
  AbutTestDirectory(directory);
  WriteText(directory, "f0.obj", 0, "");
  for (size_t i = 0; i < sizeof(motions) / sizeof(motions[0]); i++) {
    text[0] = '\0';
    for (int k = 0; k < 15; k++) strcat(strcat(text, lines[k]), "\n");
    strcat(strcat(strcat(text, "motions:\n  - "), motions[i][0]), "sequence: {files: f%d.obj, count: 1, interval: 1}}\n");
    assert_int_equal(ReadSceneText(directory, text, &scene), ABUT_ERR_INPUT);
    if (!strstr(AbutErrorMessage(), motions[i][1])) fail_msg("said %s, expected %s", AbutErrorMessage(), motions[i][1]);
    AbutErrorClear();
  }
  RemoveSceneDirectory(directory, "f0.obj");
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SimulationDefaults), cmocka_unit_test(TestFull), cmocka_unit_test(TestDefaults),
                                     cmocka_unit_test(TestRefusals), cmocka_unit_test(TestSequences)};

  return AbutTestMain(argc, argv, tests);
}
