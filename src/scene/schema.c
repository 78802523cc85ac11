/* The tables of the scene format. Keys are read in the order of the tables: what others refer to comes first. */
#include "keys.h"

static const SceneKey time_keys[] = {
  {.key = "step", AT(SceneDraft, scene.step.dt), .flags = SCENE_REQUIRED, ABOVE(0), .unit = "s", .help = "time step"},
  {.key = "steps", .type = SCENE_INT, AT(SceneDraft, scene.step.steps), .flags = SCENE_ONE_OF, COUNT, .help = "number of time steps"},
  {.key = "end",
   AT(SceneDraft, end),
   .flags = SCENE_ONE_OF,
   ABOVE(0),
   TAG(SceneDraft, has_end, PETSC_TRUE),
   .unit = "s",
   .help = "time to reach; the last step is shorter if this is no multiple of `step`"},
  {.key  = "integrator",
   .type = SCENE_ENUM,
   AT(SceneDraft, scene.step.integrator),
   .names = AbutIntegrators,
   .text  = "implicit-euler",
   .help  = "how time is discretised; `quasi-static` leaves inertia out"},
  {.key = "smallest_step",
   AT(SceneDraft, scene.step.dt_min),
   ABOVE(0),
   .text = "step",
   .word = "step",
   .unit = "s",
   .help = "a step that does not converge is halved, down to this; `step`: never"},
  {.key = "regularization",
   AT(SceneDraft, scene.step.regularization),
   FROM(0),
   .text = "0",
   .unit = "1/s^2",
   .help = "`quasi-static` only: stiffness a unit mass that ties bodies to where they are, for those that could move freely"},
  {0}};
static const SceneSection time_section = {.help = "How long to simulate.", .keys = time_keys, .check = AbutSceneCheckTime};

static const SceneKey     damping_keys[]  = {{.key = "mass",
                                              AT(AbutMaterialSpec, damping_mass),
                                              FROM(0),
                                              .text = "0",
                                              .unit = "1/s",
                                              .help = "proportional to mass: damps motion against the frame at rest"},
                                             {.key = "stiffness",
                                              AT(AbutMaterialSpec, damping_stiffness),
                                              FROM(0),
                                              .text = "0",
                                              .unit = "s",
                                              .help = "proportional to stiffness at the start of a step: damps deformation"},
                                             {0}};
static const SceneSection damping_section = {.help = "Rayleigh damping.", .keys = damping_keys};

static const SceneKey material_keys[] = {
  {.key  = "model",
   .type = SCENE_ENUM,
   AT(AbutMaterialSpec, kind),
   .names = AbutMaterialKinds,
   .text  = "neo-hookean",
   .help  = "hyperelastic energy; neo-hookean and mooney-rivlin never invert a cell; `linear` is for small strain and rotation"},
  {.key = "young", AT(AbutMaterialSpec, young), .flags = SCENE_REQUIRED, ABOVE(0), .unit = "Pa", .help = "Young's modulus"},
  {.key = "poisson", AT(AbutMaterialSpec, poisson), .flags = SCENE_REQUIRED, BETWEEN(-1, 0.5), .help = "Poisson's ratio"},
  {.key = "density", AT(AbutMaterialSpec, density), .flags = SCENE_REQUIRED, ABOVE(0), .unit = "kg/m^3", .help = "density at rest"},
  {.key = "mooney",
   AT(AbutMaterialSpec, mooney),
   WITHIN(0, 1),
   .text = "0.2",
   .help = "mooney-rivlin only: share of the second invariant in the shear modulus, c01 / (c10 + c01)"},
  {.key = "damping", SECTION(damping_section), .help = "how the material damps"},
  {0}};
static const SceneSection material_section = {
  .help = "Elastic materials, each under the name that bodies give.", .keys = material_keys, .check = AbutSceneCheckMaterial};

static const SceneKey body_keys[] = {
  {.key = "name", .type = SCENE_NAME, TEXT_AT(AbutBodySpec, name), .flags = SCENE_REQUIRED, .help = "unique among bodies and obstacles"},
  {.key = "material", .type = SCENE_MATERIAL, AT(AbutBodySpec, material), .flags = SCENE_REQUIRED, .help = "a key of `materials`"},
  {.key = "shape", SECTION(AbutSceneShape), .flags = SCENE_REQUIRED, .help = "what it looks like"},
  {.key = "velocity", AT(AbutBodySpec, velocity), .form = SCENE_VECTOR, .text = "0", .unit = "m/s", .help = "initial velocity"},
  {.key = "angular_velocity",
   AT(AbutBodySpec, angular_velocity),
   .form = SCENE_AXIS,
   .text = "0",
   .unit = "rad/s",
   .help = "initial rotation about the centre of the body's bounding box"},
  {.key  = "surface",
   .type = SCENE_LABEL,
   AT(AbutBodySpec, surface),
   .size = sizeof(SceneLabel),
   .help = "label for `friction`; left out: the name of the material"},
  {0}};
static const SceneSection body_section = {.help     = "Deformable bodies. Their surfaces must not cross at the start.",
                                          .keys     = body_keys,
                                          .also     = &AbutScenePlacement,
                                          .place_at = offsetof(AbutBodySpec, place),
                                          .check    = AbutSceneCheckBody};

static const SceneKey     plane_keys[]  = {{.key = "point",
                                            AT(SceneObstacle, plane.point),
                                            .form  = SCENE_VECTOR,
                                            .flags = SCENE_REQUIRED,
                                            .unit  = "m",
                                            .help  = "a point of the plane"},
                                           {.key = "normal",
                                            AT(SceneObstacle, plane.normal),
                                            .form  = SCENE_VECTOR,
                                            .flags = SCENE_REQUIRED,
                                            .help  = "points away from the solid side; any length but 0"},
                                           {0}};
static const SceneSection plane_section = {.help = "A half-space that nothing enters.", .keys = plane_keys, .check = AbutSceneCheckPlane};

static const SceneKey obstacle_keys[] = {
  {.key  = "name",
   .type = SCENE_NAME,
   TEXT_AT(SceneObstacle, body.name),
   .flags = SCENE_REQUIRED,
   .help  = "unique among bodies and obstacles"},
  {.key = "plane", SECTION(plane_section), .flags = SCENE_ONE_OF, TAG(SceneObstacle, is_plane, PETSC_TRUE), .help = "a half-space"},
  {.key = "shape", SECTION(AbutSceneShape), .flags = SCENE_ONE_OF, .help = "a surface, segments or points"},
  {.key  = "oriented",
   .type = SCENE_ENUM,
   AT(SceneObstacle, body.oriented),
   .names = AbutOrientations,
   .text  = "outward",
   .help =
     "`oipc`, `gcp`: the side from which a closed surface is met; `outward`: it is solid; `inward`: bodies are in it; `none`: from both"},
  {.key  = "surface",
   .type = SCENE_LABEL,
   AT(SceneObstacle, body.surface),
   .size = sizeof(SceneLabel),
   .help = "label for `friction`; left out: the name"},
  {0}};
static const SceneSection obstacle_section = {.help     = "What bodies meet; at rest unless a motion takes it.",
                                              .keys     = obstacle_keys,
                                              .also     = &AbutScenePlacement,
                                              .place_at = offsetof(SceneObstacle, body.place),
                                              .check    = AbutSceneCheckObstacle};

static const SceneKey     dhat_keys[]  = {{.key = "relative",
                                           AT(SceneDraft, scene.step.dhat.value),
                                           .flags = SCENE_ONE_OF,
                                           BETWEEN(0, 1),
                                           .text = "1.0e-3",
                                           TAG(SceneDraft, scene.step.dhat.relative, PETSC_TRUE),
                                           .help = "in reference lengths"},
                                          {.key = "absolute",
                                           AT(SceneDraft, scene.step.dhat.value),
                                           .flags = SCENE_ONE_OF,
                                           ABOVE(0),
                                           TAG(SceneDraft, scene.step.dhat.relative, PETSC_FALSE),
                                           .unit = "m",
                                           .help = "in metres"},
                                          {0}};
static const SceneSection dhat_section = {.help = "The distance below which surfaces repel each other.", .keys = dhat_keys};

static const SceneKey coefficient_keys[] = {
  {.key = "static", AT(SceneCoefficient, at_rest), .flags = SCENE_REQUIRED, FROM(0), .help = "while surfaces stick"},
  {.key = "kinetic", AT(SceneCoefficient, moving), .flags = SCENE_REQUIRED, FROM(0), .help = "while they slide, at most `static`"},
  {0}};
static const SceneSection coefficient_section = {.title = "coefficient",
                                                 .help  = "A coefficient of friction: one number, or two by these keys.",
                                                 .keys  = coefficient_keys,
                                                 .check = AbutSceneCheckCoefficient};

static const SceneKey     pair_keys[]  = {{.key  = "between",
                                           .type = SCENE_LABELS,
                                           AT(SceneFrictionPair, surface),
                                           .flags = SCENE_REQUIRED,
                                           .help  = "labels of the two: materials, obstacles, planes, or what they call their `surface`"},
                                          {.key  = "coefficient",
                                           .type = SCENE_COEFFICIENT,
                                           AT(SceneFrictionPair, mu),
                                           .section = &coefficient_section,
                                           FROM(0),
                                           .flags = SCENE_REQUIRED,
                                           .help  = "of this pair"},
                                          {0}};
static const SceneSection pair_section = {.help     = "Coefficients of pairs of surfaces, in either order, each pair once.",
                                          .keys     = pair_keys,
                                          .place_at = offsetof(SceneFrictionPair, place)};

static const SceneKey     speed_keys[]  = {{.key = "relative",
                                            AT(SceneDraft, scene.step.friction_speed.value),
                                            .flags = SCENE_ONE_OF,
                                            ABOVE(0),
                                            .text = "1.0e-3",
                                            TAG(SceneDraft, scene.step.friction_speed.relative, PETSC_TRUE),
                                            .unit = "1/s",
                                            .help = "in reference lengths per second"},
                                           {.key = "absolute",
                                            AT(SceneDraft, scene.step.friction_speed.value),
                                            .flags = SCENE_ONE_OF,
                                            ABOVE(0),
                                            TAG(SceneDraft, scene.step.friction_speed.relative, PETSC_FALSE),
                                            .unit = "m/s",
                                            .help = "in metres per second"},
                                           {0}};
static const SceneSection speed_section = {
  .help = "The speed up to which a contact sticks: friction grows to its full size while the speed of sliding grows to this.",
  .keys = speed_keys};

static const SceneKey     friction_keys[]  = {{.key  = "default",
                                               .type = SCENE_COEFFICIENT,
                                               AT(SceneDraft, friction),
                                               .section = &coefficient_section,
                                               FROM(0),
                                               .text = "0",
                                               .help = "of all pairs that are not listed"},
                                              {.key  = "pairs",
                                               .type = SCENE_LIST,
                                               AT(SceneDraft, pairs),
                                               .count_at = offsetof(SceneDraft, num_pairs),
                                               .size     = sizeof(SceneFrictionPair),
                                               .section  = &pair_section,
                                               .help     = "coefficients by pair of surfaces"},
                                              {.key = "speed", SECTION(speed_section), .help = "where sticking ends"},
                                              {.key  = "lags",
                                               .type = SCENE_INT,
                                               AT(SceneDraft, scene.step.friction_lags),
                                               WITHIN(1, 1000000),
                                               .text = "1",
                                               .word = "converged",
                                               .help =
                                                 "solves a step, each with friction by the contact forces of the one before; `converged`: as "
                                                      "many as it takes"},
                                              {.key  = "most_lags",
                                               .type = SCENE_INT,
                                               AT(SceneDraft, scene.step.friction_most),
                                               WITHIN(1, 1000000),
                                               .text = "100",
                                               .help = "bound for `converged`"},
                                              {0}};
static const SceneSection friction_section = {
  .help = "Coulomb friction between surfaces.", .keys = friction_keys, .check = AbutSceneCheckFriction};

static const char *const potential_names[] = {"ipc", "convergent-ipc", "oipc", "gcp", NULL};
static const SceneKey    contact_keys[]    = {
        {.key  = "potential",
         .type = SCENE_WORD,
         TEXT_AT(SceneDraft, scene.step.potential),
         .names = potential_names,
         .text  = "ipc",
         .help =
           "contact potential: `ipc` of Li et al. 2020; `convergent-ipc` of Li et al. 2023, the same by area; `oipc`, aware of which side of a "
                 "surface is outside, of Huang et al. 2025; `gcp`, `oipc` as its authors' library computes it"},
        {.key = "alpha",
         AT(SceneDraft, scene.step.orientation.alpha),
         WITHIN(0.01, 1),
         .text = "0.5",
         .help = "`oipc`, `gcp`: cosine by which the other side may be behind a surface, or beside it, and still be met"},
        {.key = "beta",
         AT(SceneDraft, scene.step.orientation.beta),
         WITHIN(0, 1),
         .text = "0",
         .help = "`oipc`, `gcp`: cosine from which it is met in full"},
        {.key  = "smoothness",
         .type = SCENE_INT,
         AT(SceneDraft, scene.step.orientation.smoothness),
         WITHIN(1, 2),
         .text = "1",
         .help = "`oipc`, `gcp`: continuous derivatives of the mollifiers at the borders of faces and ends of edges; published is 1"},
        {.key  = "quadrature",
         .type = SCENE_INT,
         AT(SceneDraft, scene.step.orientation.quadrature),
         WITHIN(1, 8),
         .text = "none",
         .word = "none",
         .help =
           "`oipc`: points along an edge with which what is further than 2 / (`alpha` points) edges is integrated; at most 3 in 3D; published is "
                 "`none`: closest points"},
        {.key = "edge_length",
         AT(SceneDraft, scene.step.orientation.length),
         ABOVE(0),
         .text = "mean",
         .word = "mean",
         .unit = "m",
         .help =
           "`oipc`, `gcp`: length that edges and vertices stand for; `convergent-ipc`: those of obstacles without area. `mean`: that of the "
                 "surface edges of the bodies at rest"},
        {.key = "dhat", SECTION(dhat_section), .help = "activation distance"},
        {.key = "stiffness",
         AT(SceneDraft, scene.step.kappa),
         ABOVE(0),
         .text = "adaptive",
         .word = "adaptive",
         .unit = "kg/m^2",
         .help = "barrier stiffness; `adaptive`: found anew in every time step. For `convergent-ipc` a number is in Pa (2D: N/m), "
                       "for `oipc` in N/m (2D: N), for `gcp` in N/m^3 (2D: N/m). For "
                       "`ipc` it counts against inertia, so that contact gets stiffer "
                       "by the inverse square of the time step"},
        {.key = "relative_stiffness",
         AT(SceneDraft, scene.step.relative_kappa),
         ABOVE(0),
         .text = "none",
         .word = "none",
         .help = "instead of `stiffness`: what contact presses with at half of dhat, as a share of the largest Young's modulus of the bodies; "
                       "a vertex counts for the square of the mean surface edge (2D: for the edge)"},
        {.key = "reference_length",
         AT(SceneDraft, scene.step.reference_length),
         ABOVE(0),
         .text = "diagonal",
         .word = "diagonal",
         .unit = "m",
         .help = "what relative lengths and speeds refer to; `diagonal`: that of the bounding box of all bodies at rest"},
        {.key  = "ccd",
         .type = SCENE_ENUM,
         AT(SceneDraft, scene.step.ccd),
         .names = AbutCCDMethods,
         .text  = "additive",
         .help  = "continuous collision detection"},
        {.key = "friction", SECTION(friction_section), .help = "friction between surfaces"},
        {0}};
static const SceneSection contact_section = {
  .help = "How contact is resolved. The defaults suit most scenes.", .keys = contact_keys, .check = AbutSceneCheckContact};

static const SceneKey     tolerance_keys[]  = {{.key = "relative",
                                                AT(SceneDraft, scene.step.tolerance.value),
                                                .flags = SCENE_ONE_OF,
                                                ABOVE(0),
                                                .text = "1.0e-2",
                                                TAG(SceneDraft, scene.step.tolerance.relative, PETSC_TRUE),
                                                .unit = "1/s",
                                                .help = "in reference lengths per second"},
                                               {.key = "absolute",
                                                AT(SceneDraft, scene.step.tolerance.value),
                                                .flags = SCENE_ONE_OF,
                                                ABOVE(0),
                                                TAG(SceneDraft, scene.step.tolerance.relative, PETSC_FALSE),
                                                .unit = "m/s",
                                                .help = "in metres per second"},
                                               {0}};
static const SceneSection tolerance_section = {
  .help = "A time step is done when no vertex would move faster than this in the next Newton iteration.", .keys = tolerance_keys};

static const SceneKey solver_keys[] = {
  {.key = "tolerance", SECTION(tolerance_section), .help = "when a time step is solved"},
  {.key  = "max_newton",
   .type = SCENE_INT,
   AT(SceneDraft, scene.step.max_newton),
   WITHIN(1, 1000000000),
   .text = "1000",
   .help = "Newton iterations that a solve may take; a time step is one solve, or several where friction is lagged anew"},
  {.key  = "projection",
   .type = SCENE_ENUM,
   AT(SceneDraft, scene.step.strategy),
   .names = AbutStrategies,
   .text  = "clamp",
   .help =
     "projection of local Hessians to positive semidefinite: clamp, in every iteration; demand, only after a matrix turned out indefinite"},
  {0}};
static const SceneSection solver_section = {
  .help = "How accurately each time step is solved. Linear solvers are chosen on the command line.", .keys = solver_keys};

static const SceneKey     fields_keys[]  = {{.key  = "every",
                                             .type = SCENE_INT,
                                             AT(SceneDraft, scene.output.fields_every),
                                             .flags = SCENE_ONE_OF,
                                             COUNT,
                                             .text = "1",
                                             .unit = "steps",
                                             .help = "positions and velocities every so many steps, and at the end; 0: never"},
                                            {.key = "interval",
                                             AT(SceneDraft, scene.output.fields_interval),
                                             .flags = SCENE_ONE_OF,
                                             ABOVE(0),
                                             .unit = "s",
                                             .help = "at multiples of this time, on which steps are made to end, and at the end"},
                                            {.key  = "stress",
                                             .type = SCENE_BOOL,
                                             AT(SceneDraft, scene.output.stress),
                                             .text = "true",
                                             .help = "also Cauchy and von Mises stress of the cells"},
                                            {.key  = "contact_force",
                                             .type = SCENE_BOOL,
                                             AT(SceneDraft, scene.output.contact_force),
                                             .text = "true",
                                             .help = "also contact forces on the vertices"},
                                            {.key  = "friction_force",
                                             .type = SCENE_BOOL,
                                             AT(SceneDraft, scene.output.friction_force),
                                             .text = "true",
                                             .help = "also friction forces on the vertices, in scenes with friction"},
                                            {0}};
static const SceneSection fields_section = {
  .help = "`fields.h5` with `fields.xdmf` for ParaView.", .keys = fields_keys, .check = AbutSceneCheckFields};

static const SceneKey     checkpoint_keys[]  = {{.key  = "every",
                                                 .type = SCENE_INT,
                                                 AT(SceneDraft, scene.output.checkpoint_every),
                                                 COUNT,
                                                 .text = "0",
                                                 .unit = "steps",
                                                 .help = "a checkpoint every so many steps; 0: only by time, at the end and when stopped"},
                                                {.key  = "minutes",
                                                 .type = SCENE_INT,
                                                 AT(SceneDraft, scene.output.checkpoint_minutes),
                                                 COUNT,
                                                 .text = "30",
                                                 .unit = "min",
                                                 .help = "a checkpoint when the last one is this old; 0: never"},
                                                {0}};
static const SceneSection checkpoint_section = {.help = "What a run restarts from.", .keys = checkpoint_keys};

static const SceneKey     output_keys[]  = {{.key = "fields", SECTION(fields_section), .help = "fields over the mesh"},
                                            {.key = "checkpoint", SECTION(checkpoint_section), .help = "states to restart from"},
                                            {0}};
static const SceneSection output_section = {.help = "What a run leaves behind besides `steps.csv`, `pairs.csv` and `summary.json`.",
                                            .keys = output_keys};

static const SceneKey root_keys[] = {
  {.key = "abut", .type = SCENE_INT, AT(SceneDraft, version), .flags = SCENE_REQUIRED, WITHIN(1, 1), .help = "version of the format"},
  {.key = "title", .type = SCENE_TEXT, TEXT_AT(SceneDraft, scene.title), .help = "free text"},
  {.key  = "dim",
   .type = SCENE_INT,
   AT(SceneDraft, scene.dim),
   WITHIN(2, 3),
   .text = "3",
   .help = "3: tetrahedra; 2: triangles in plane strain"},
  {.key = "time", SECTION(time_section), .flags = SCENE_REQUIRED, .help = "how long"},
  {.key = "gravity",
   AT(SceneDraft, scene.step.gravity),
   .form = SCENE_VECTOR,
   .text = "0",
   .unit = "m/s^2",
   .help = "acceleration of all bodies"},
  {.key  = "materials",
   .type = SCENE_NAMED,
   AT(SceneDraft, scene.materials),
   .count_at = offsetof(SceneDraft, scene.num_materials),
   .size     = sizeof(AbutMaterialSpec),
   .section  = &material_section,
   .flags    = SCENE_REQUIRED,
   .help     = "elastic materials by name"},
  {.key  = "bodies",
   .type = SCENE_LIST,
   AT(SceneDraft, scene.bodies),
   .count_at = offsetof(SceneDraft, scene.num_bodies),
   .size     = sizeof(AbutBodySpec),
   .section  = &body_section,
   .flags    = SCENE_REQUIRED,
   .help     = "deformable bodies"},
  {.key  = "obstacles",
   .type = SCENE_LIST,
   AT(SceneDraft, obstacles),
   .count_at = offsetof(SceneDraft, num_obstacles),
   .size     = sizeof(SceneObstacle),
   .section  = &obstacle_section,
   .help     = "what they meet"},
  {.key  = "motions",
   .type = SCENE_LIST,
   AT(SceneDraft, scene.motions),
   .count_at = offsetof(SceneDraft, scene.num_motions),
   .size     = sizeof(AbutMotionSpec),
   .section  = &AbutSceneMotion,
   .help     = "prescribed motions"},
  {.key  = "loads",
   .type = SCENE_LIST,
   AT(SceneDraft, scene.loads),
   .count_at = offsetof(SceneDraft, scene.num_loads),
   .size     = sizeof(AbutLoadSpec),
   .section  = &AbutSceneLoad,
   .help     = "prescribed loads"},
  {.key = "contact", SECTION(contact_section), .help = "how contact is resolved"},
  {.key = "solver", SECTION(solver_section), .help = "how time steps are solved"},
  {.key = "output", SECTION(output_section), .help = "what is written"},
  {0}};
const SceneSection AbutSceneRoot = {
  .title = "The file", .help = "A mapping with these keys, in any order.", .keys = root_keys, .check = AbutSceneCheckRoot};

const SceneKey *AbutSceneKey(const SceneSection *section, PetscInt i)
{
  for (; section; section = section->also) {
    for (const SceneKey *key = section->keys; key->key; key++)
      if (!i--) return key;
  }
  return NULL;
}
