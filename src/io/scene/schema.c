/* Tables of the scene format. Keys are read in the order of the tables: definitions come before references to them. */
#include "sceneimpl.h"
#include <abut/private/keys.h>

static const SceneSection time_section = {
  .help = "Time integration and its end.",
  KEYS(
    KEY(.key = "step", AT(SceneDraft, scene.step.dt), .flags = SCENE_REQUIRED, DURATION, .unit = "s", .help = "time step"),
    KEY(.key = "steps", .type = SCENE_INT, AT(SceneDraft, scene.step.steps), .flags = SCENE_ONE_OF, COUNT, .help = "number of time steps"),
    KEY(.key = "end", AT(SceneDraft, end), .flags = SCENE_ONE_OF, DURATION, TAG(SceneDraft, has_end, PETSC_TRUE), .unit = "s",
        .help = "end time; the last step, or the last two, are shorter if it is no multiple of `step`"),
    KEY(.key = "integrator", .type = SCENE_ENUM, AT(SceneDraft, scene.step.integrator), .names = AbutIntegrators, .text = "implicit-euler",
        .help = "time integration; `quasi-static` omits inertia. With `bdf2` a load that starts with the run and ends during it, and an "
                "impact in the first step between bodies in contact at the start, have the impulse of half a step too much"),
    KEY(.key = "smallest_step", AT(SceneDraft, scene.step.dt_min), DURATION, .text = "step", .word = "step", .unit = "s",
        .help = "a step that does not converge is halved down to this; `step`: steps are never halved"),
    KEY(.key = "regularization", AT(SceneDraft, scene.step.regularization), WITHIN(0, 1e30), .text = "0", .unit = "1/s^2",
        .help =
          "`quasi-static` only: stiffness per unit mass of springs to the positions at the start of the step, for bodies that nothing "
          "holds")),
  .check = AbutSceneCheckTime};

static const SceneSection damping_section = {
  .help = "Rayleigh damping.",
  KEYS(KEY(.key = "mass", AT(AbutMaterialSpec, damping_mass), WITHIN(0, 1e30), .text = "0", .unit = "1/s",
           .help = "mass-proportional coefficient: damps velocities"),
       KEY(.key = "stiffness", AT(AbutMaterialSpec, damping_stiffness), WITHIN(0, 1e30), .text = "0", .unit = "s",
           .help = "stiffness-proportional coefficient: a viscous stress from the rate of Green's strain, which does not brake rotation"))};

static const SceneSection ogden_section = {
  .help = "Terms mu / alpha (b1^alpha + b2^alpha + b3^alpha - 3) of the energy of Ogden, with the principal stretches b without change of "
          "volume. "
          "The shear modulus is the sum of mu alpha / 2. The mu of Abaqus is mu alpha / 2 of this form.",
  KEYS(KEY(.key = "mu", AT(AbutOgdenTerm, mu), .flags = SCENE_REQUIRED, WITHIN(-1e30, 1e30), .unit = "Pa",
           .help = "coefficient; it may be negative, as may alpha"),
       KEY(.key = "alpha", AT(AbutOgdenTerm, alpha), .flags = SCENE_REQUIRED, WITHIN(-1e3, 1e3),
           .help = "exponent of at least 0.001 in size"))};

static const SceneSection prony_section = {
  .help = "Viscoelastic branches (generalised Maxwell solid): the shear modulus after a step of strain is the long-term modulus, by the "
          "other keys, plus the sum of shear exp(-t / time). A Prony series of fractions g of the shear modulus G0 at t = 0 has shear = g "
          "G0 and the long-term modulus (1 - sum g) G0. Time steps, also quasi-static ones, must resolve the relaxation times of interest "
          "(implicit Euler rule, of order 1).",
  KEYS(
    KEY(.key = "shear", AT(AbutPronyTerm, shear), .flags = SCENE_REQUIRED, POSITIVE, .unit = "Pa", .help = "shear modulus of the branch"),
    KEY(.key = "time", AT(AbutPronyTerm, time), .flags = SCENE_REQUIRED, DURATION, .unit = "s", .help = "relaxation time"))};

static const SceneSection material_section = {
  .help = "An elastic material. Bodies refer to it by NAME.",
  KEYS(KEY(.key = "model", .type = SCENE_ENUM, AT(AbutMaterialSpec, kind), .names = AbutMaterialKinds, .text = "neo-hookean",
           .help =
             "strain energy; `linear` is valid for small strains and rotations; all but `fixed-corotated`, `stvk` and `linear` keep cells "
             "from inverting. `j2-plasticity`: yield criterion of von Mises at finite strains, linear isotropic hardening"),
       KEY(.key = "young", AT(AbutMaterialSpec, young), .flags = SCENE_ONE_OF, POSITIVE, .unit = "Pa", .help = "Young's modulus"),
       KEY(.key = "shear", AT(AbutMaterialSpec, moduli.shear), .flags = SCENE_ONE_OF, POSITIVE, .unit = "Pa",
           .help = "shear modulus of small strains"),
       KEY(.key = "c10", AT(AbutMaterialSpec, moduli.c10), .flags = SCENE_ONE_OF, WITHIN(0, 1e30), .unit = "Pa",
           .help = "`neo-hookean` and `mooney-rivlin`: coefficient of the first invariant; the shear modulus is 2 (c10 + c01)"),
       KEY(.key = "ogden", .type = SCENE_LIST, LIST_AT(AbutMaterialSpec, ogden, num_ogden), .section = &ogden_section,
           .flags = SCENE_ONE_OF, .help = "`ogden` only: terms of the energy"),
       KEY(.key = "c01", AT(AbutMaterialSpec, moduli.c01), WITHIN(0, 1e30), .with = "c10", .unit = "Pa",
           .help = "`mooney-rivlin` with `c10`: coefficient of the second invariant"),
       KEY(.key = "poisson", AT(AbutMaterialSpec, poisson), .flags = SCENE_OTHER_ONE_OF, BETWEEN(-1, 0.5),
           .help = "Poisson's ratio of small strains; at least 0 for `neo-hookean`, `mooney-rivlin` and `fixed-corotated`"),
       KEY(.key = "bulk", AT(AbutMaterialSpec, moduli.bulk), .flags = SCENE_OTHER_ONE_OF, POSITIVE, .unit = "Pa",
           .help = "bulk modulus of small strains; Poisson's ratio follows from it"),
       KEY(.key = "density", AT(AbutMaterialSpec, density), .flags = SCENE_REQUIRED, POSITIVE, .unit = "kg/m^3",
           .help = "mass density of the undeformed body"),
       KEY(.key = "mooney", AT(AbutMaterialSpec, mooney), WITHIN(0, 1), .text = "0.2",
           .help =
             "`mooney-rivlin` without `c10` only: fraction c01 / (c10 + c01) of the shear modulus that the second invariant contributes"),
       KEY(.key = "yield", AT(AbutMaterialSpec, yield), POSITIVE, .unit = "Pa",
           .help = "`j2-plasticity` only, which needs it: initial yield stress, a Kirchhoff stress"),
       KEY(.key = "hardening", AT(AbutMaterialSpec, hardening), WITHIN(0, 1e30), .text = "0", .unit = "Pa", .with = "yield",
           .help = "slope of the yield stress over the equivalent plastic (logarithmic) strain"),
       KEY(.key = "prony", .type = SCENE_LIST, LIST_AT(AbutMaterialSpec, prony, num_prony), .section = &prony_section,
           .help = "`neo-hookean`, `mooney-rivlin` and `ogden` only: viscoelastic branches"),
       KEY(.key = "incompressible", .type = SCENE_ENUM, AT(AbutMaterialSpec, incompressible), .names = AbutIncompressibles, .text = "auto",
           .help = "quadratic cells only: `mean-dilatation`, one change of volume a cell, without which nearly incompressible cells lock, "
                   "needs a Poisson's ratio of at least 0. `auto`: from 0.49 on, and with `j2-plasticity`"),
       KEY(.key = "damping", SECTION(damping_section), .help = "Rayleigh damping")),
  .check = AbutSceneCheckMaterial};

static const SceneSection region_section = {.help = "Cells of other materials in a body from a mesh file, bonded by their common nodes. "
                                                    "For friction the whole surface has the label of the body.",
                                            KEYS(KEY(.key = "group", .type = SCENE_TEXT, TEXT_AT(AbutRegionSpec, group),
                                                     .flags = SCENE_REQUIRED, .help = "physical group of cells of the file"),
                                                 KEY(.key = "material", .type = SCENE_MATERIAL, AT(AbutRegionSpec, material),
                                                     .flags = SCENE_REQUIRED, .help = "a key of `materials`"))};

static const SceneSection body_section = {
  .help = "Deformable bodies. Their surfaces must not intersect at the start.",
  KEYS(KEY(.key = "name", .type = SCENE_NAME, TEXT_AT(AbutBodySpec, name), .flags = SCENE_REQUIRED,
           .help = "name, unique among bodies and obstacles"),
       KEY(.key = "material", .type = SCENE_MATERIAL, AT(AbutBodySpec, material), .flags = SCENE_REQUIRED, .help = "a key of `materials`"),
       KEY(.key = "shape", SECTION(AbutSceneShape), .flags = SCENE_REQUIRED, .help = "geometry and mesh"),
       KEY(.key = "regions", .type = SCENE_LIST, LIST_AT(AbutBodySpec, regions, num_regions), .section = &region_section,
           .help = "cells of other materials"),
       KEY(.key = "start", .type = SCENE_FILE, TEXT_AT(AbutBodySpec, start), .flags = SCENE_INITIAL,
           .help = "mesh file with the positions at the start, while `shape` is the shape without stress. Vertices are in the order of "
                   "`shape`, the placement does not apply; for a body of order 2 the linear mesh suffices; not with `copies`"),
       KEY(.key = "velocity", AT(AbutBodySpec, velocity), .flags = SCENE_INITIAL, COMPONENT, .form = SCENE_VECTOR, .text = "0",
           .unit = "m/s", .help = "initial velocity"),
       KEY(.key = "angular_velocity", AT(AbutBodySpec, angular_velocity), .flags = SCENE_INITIAL, COMPONENT, .form = SCENE_AXIS,
           .text = "0", .unit = "rad/s", .help = "initial angular velocity about the centre of the body's bounding box"),
       KEY(.key = "surface", .type = SCENE_LABEL, AT(AbutBodySpec, surface), .size = sizeof(SceneLabel),
           .help = "label of the surface for `contact.friction`; default: the name of the material")),
  .also     = &AbutScenePlacement,
  .place_at = offsetof(AbutBodySpec, place),
  .check    = AbutSceneCheckBody};

static const SceneSection plane_section = {
  .help = "A rigid half space.",
  KEYS(KEY(.key = "point", AT(SceneObstacle, plane.point), COMPONENT, .form = SCENE_VECTOR, .flags = SCENE_REQUIRED | SCENE_INITIAL,
           .unit = "m", .help = "a point on the plane"),
       KEY(.key = "normal", AT(SceneObstacle, plane.normal), COMPONENT, .form = SCENE_VECTOR, .flags = SCENE_REQUIRED,
           .help = "normal that points out of the solid half space; of any length except 0")),
  .check = AbutSceneCheckPlane};

static const SceneSection obstacle_section = {
  .help = "Rigid obstacles. They are at rest unless an entry of `motions` moves them.",
  KEYS(
    KEY(.key = "name", .type = SCENE_NAME, TEXT_AT(SceneObstacle, body.name), .flags = SCENE_REQUIRED,
        .help = "name, unique among bodies and obstacles"),
    KEY(.key = "plane", SECTION(plane_section), .flags = SCENE_ONE_OF, TAG(SceneObstacle, is_plane, PETSC_TRUE),
        .help = "rigid half space"),
    KEY(.key = "shape", SECTION(AbutSceneShape), .flags = SCENE_ONE_OF, .help = "rigid surface, segments or points"),
    KEY(.key = "oriented", .type = SCENE_ENUM, AT(SceneObstacle, body.oriented), .names = AbutOrientations, .text = "outward",
        .help =
          "`oipc`, `gcp`: the repelling side of a closed surface; `outward`: it bounds a solid; `inward`: it is a container; `none`: both "
          "sides repel"),
    KEY(.key = "surface", .type = SCENE_LABEL, AT(SceneObstacle, body.surface), .size = sizeof(SceneLabel),
        .help = "label of the surface for `contact.friction`; default: the name of the obstacle")),
  .also     = &AbutScenePlacement,
  .place_at = offsetof(SceneObstacle, body.place),
  .check    = AbutSceneCheckObstacle};

static const SceneSection tolerance_section = {
  .help =
    "Newton's method stops when forces are balanced and the largest component of its direction, divided by the time step, is below "
    "this speed. In quasi-static steps the direction itself must be below this length, in m or in units of `reference_length`; there the "
    "default is 1.0e-3.",
  SPEED_KEYS(scene.step.tolerance, "1.0e-2")};

static const SceneReplaced projection_replaced[] = {{"progressive", "demand"}, {"absolute", "clamp"}, {"trust", "clamp"}, {0}};

static const SceneSection solver_section = {
  .help = "Solution of a time step. Linear solvers are chosen on the command line.",
  KEYS(
    KEY(.key  = "tolerance", SECTION(tolerance_section), TAG(SceneDraft, has_tolerance, PETSC_TRUE),
        .help = "stopping tolerance of Newton's method"),
    KEY(.key = "balance", AT(SceneDraft, scene.step.balance), WITHIN(1e-9, 1), .text = "0.01", .word = "off",
        .help = "largest force left over at the end of a step: on a vertex, over the largest force on any vertex of its body; on a whole "
                "body, half this fraction of the force that flows through it. `off`: the test of Li et al. (2020), with which forces can "
                "be wrong by any factor"),
    KEY(.key = "max_newton", .type = SCENE_INT, AT(SceneDraft, scene.step.max_newton), WITHIN(1, 1000000000), .text = "1000",
        .help =
          "largest number of Newton iterations of a solve, local ones not counted; with friction a step can have several solves (`lags`)"),
    KEY(.key = "projection", .type = SCENE_ENUM, AT(SceneDraft, scene.step.strategy), .names = AbutStrategies,
        .replaced = projection_replaced, .text = "adaptive",
        .help = "projection of local Hessians to positive semidefinite: `clamp`, in every iteration; "
                "`demand`, only after a factorisation found the matrix indefinite; `adaptive`: `demand` where whole steps converge "
                "slowly or only the balance of forces is missing, else `clamp`"))};

static const SceneSection fields_section = {
  .help = "`fields.h5`, with `fields.xdmf` for ParaView.",
  KEYS(KEY(.key = "every", .type = SCENE_INT, AT(SceneDraft, scene.output.fields_every), .flags = SCENE_ONE_OF, COUNT, .text = "1",
           .unit = "steps", .help = "steps between outputs; the end is written too; 0: no fields"),
       KEY(.key = "interval", AT(SceneDraft, scene.output.fields_interval), .flags = SCENE_ONE_OF, DURATION, .unit = "s",
           .help = "time between outputs, at least `time.step` / 1000; steps are shortened to end at its multiples, and at the end"),
       KEY(.key = "stress", .type = SCENE_BOOL, AT(SceneDraft, scene.output.stress), .text = "true",
           .help = "write Cauchy and von Mises stress of the cells"),
       KEY(.key = "contact_force", .type = SCENE_BOOL, AT(SceneDraft, scene.output.contact_force), .text = "true",
           .help = "write contact forces on the vertices"),
       KEY(.key = "friction_force", .type = SCENE_BOOL, AT(SceneDraft, scene.output.friction_force), .text = "true",
           .help = "write friction forces on the vertices, in scenes with friction"),
       KEY(.key = "surface", .type = SCENE_BOOL, AT(SceneDraft, scene.output.surface), .text = "true",
           .help = "write pressure, tractions, gap and slip of the contact surface")),
  .check = AbutSceneCheckFields};

static const SceneSection checkpoint_section = {
  .help = "`checkpoint.h5`, from which a run restarts.",
  KEYS(KEY(.key = "every", .type = SCENE_INT, AT(SceneDraft, scene.output.checkpoint_every), COUNT, .text = "0", .unit = "steps",
           .help = "steps between checkpoints; 0: checkpoints by `minutes`, at the end and when the run is stopped"),
       KEY(.key = "minutes", .type = SCENE_INT, AT(SceneDraft, scene.output.checkpoint_minutes), COUNT, .text = "30", .unit = "min",
           .help = "wall time between checkpoints; 0: no checkpoints by time. A checkpoint changes later steps within the tolerances: with "
                   "0 a long run repeats bit for bit"))};

static const SceneSection output_section = {.help = "Output of a run besides `steps.csv`, `pairs.csv` and `summary.json`.",
                                            KEYS(KEY(.key = "fields", SECTION(fields_section), .help = "fields on the mesh"),
                                                 KEY(.key = "checkpoint", SECTION(checkpoint_section), .help = "checkpoints"))};

const SceneSection AbutSceneRoot = {
  .title = "The file",
  .help  = "A mapping with these keys, in any order.",
  KEYS(
    KEY(.key = "abut", .type = SCENE_INT, AT(SceneDraft, version), .flags = SCENE_REQUIRED, WITHIN(1, 1), .help = "version of the format"),
    KEY(.key = "title", .type = SCENE_TEXT, TEXT_AT(SceneDraft, scene.title), .help = "free text"),
    KEY(.key = "dim", .type = SCENE_INT, AT(SceneDraft, scene.dim), WITHIN(2, 3), .text = "3",
        .help = "3: tetrahedra; 2: triangles in plane strain"),
    KEY(.key = "time", SECTION(time_section), .flags = SCENE_REQUIRED, .help = "time integration"),
    KEY(.key = "gravity", AT(SceneDraft, scene.step.gravity), COMPONENT, .form = SCENE_VECTOR, .text = "0", .unit = "m/s^2",
        .help = "gravitational acceleration; over time: a load with `select: {}`, `acceleration` and `table`"),
    KEY(.key = "materials", .type = SCENE_NAMED, LIST_AT(SceneDraft, scene.materials, scene.num_materials), .section = &material_section,
        .flags = SCENE_REQUIRED, .help = "elastic materials by name"),
    KEY(.key = "bodies", .type = SCENE_LIST, LIST_AT(SceneDraft, scene.bodies, scene.num_bodies), .section = &body_section,
        .flags = SCENE_REQUIRED, .help = "deformable bodies"),
    KEY(.key = "obstacles", .type = SCENE_LIST, LIST_AT(SceneDraft, obstacles, num_obstacles), .section = &obstacle_section,
        .after = AbutSceneSortObstacles, .help = "rigid obstacles"),
    KEY(.key = "motions", .type = SCENE_LIST, LIST_AT(SceneDraft, scene.motions, scene.num_motions), .section = &AbutSceneMotion,
        .help = "prescribed motions"),
    KEY(.key = "loads", .type = SCENE_LIST, LIST_AT(SceneDraft, scene.loads, scene.num_loads), .section = &AbutSceneLoad,
        .help = "prescribed loads"),
    KEY(.key = "ties", .type = SCENE_LIST, LIST_AT(SceneDraft, scene.ties, scene.num_ties), .section = &AbutSceneTie,
        .help = "surfaces bonded to each other"),
    KEY(.key = "contact", SECTION(AbutSceneContact), .help = "contact and friction"), KEY(.key = "", .type = SCENE_TOOLS),
    KEY(.key = "solver", SECTION(solver_section), .help = "solution of a time step"),
    KEY(.key = "output", SECTION(output_section), .help = "output"))};
