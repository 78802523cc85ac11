/* Tables of the scene format: contact and friction. */
#include "sceneimpl.h"
#include <abut/private/keys.h>

static const SceneSection dhat_section = {
  .help = "Activation distance: surfaces closer than it repel each other.",
  KEYS(KEY(.key = "relative", AT(SceneDraft, scene.step.dhat.value), .flags = SCENE_ONE_OF, .bounds = "[)", .min = 1e-15, .max = 1,
           .text = "1.0e-3", TAG(SceneDraft, scene.step.dhat.relative, PETSC_TRUE), .help = "in units of `reference_length`"),
       KEY(.key = "absolute", AT(SceneDraft, scene.step.dhat.value), .flags = SCENE_ONE_OF, LENGTH,
           TAG(SceneDraft, scene.step.dhat.relative, PETSC_FALSE), .unit = "m", .help = "in metres"))};

static const SceneSection coefficient_section = {
  .title = "coefficient",
  .help  = "A coefficient of friction: one number, or a static and a kinetic one.",
  KEYS(KEY(.key = "static", AT(SceneCoefficient, at_rest), .flags = SCENE_REQUIRED, WITHIN(0, 1e6), .help = "what contacts hold"),
       KEY(.key = "kinetic", AT(SceneCoefficient, moving), .flags = SCENE_REQUIRED, WITHIN(0, 1e6),
           .help = "kinetic coefficient, at most `static`")),
  .check = AbutSceneCheckCoefficient};

static const SceneSection pair_section = {
  .help = "Coefficients of friction by pair of surfaces. Each pair is listed once; the order of its labels does not matter.",
  KEYS(KEY(.key = "between", .type = SCENE_LABELS, AT(SceneFrictionPair, surface), .flags = SCENE_REQUIRED,
           .help = "labels of two surfaces; the label is the key `surface`, or else the name of the material, obstacle or plane"),
       KEY(.key = "coefficient", .type = SCENE_COEFFICIENT, AT(SceneFrictionPair, mu), .section = &coefficient_section, WITHIN(0, 1e6),
           .flags = SCENE_REQUIRED, .help = "coefficient of friction of the pair")),
  .place_at = offsetof(SceneFrictionPair, place)};

static const SceneSection speed_section = {
  .help =
    "Sliding speed from which on friction is complete; slower contacts count as sticking. In quasi-static steps this is the slip in "
    "a step, in m or in units of `reference_length`; there the default is a thousandth of the largest displacement in the step before, "
    "at least 1.0e-7 and at most 1.0e-5 of the diagonal of the smallest body, or of `reference_length` if it is given.",
  SPEED_KEYS(scene.step.friction_speed, "1.0e-3")};

static const SceneSection friction_section = {
  .help = "Coulomb friction between surfaces.",
  KEYS(KEY(.key = "default", .type = SCENE_COEFFICIENT, AT(SceneDraft, friction), .section = &coefficient_section, WITHIN(0, 1e6),
           .text = "0", .help = "coefficient of friction of all pairs that `pairs` does not list"),
       KEY(.key = "pairs", .type = SCENE_LIST, LIST_AT(SceneDraft, pairs, num_pairs), .section = &pair_section,
           .help = "coefficients of friction by pair of surfaces"),
       KEY(.key = "speed", SECTION(speed_section), TAG(SceneDraft, has_friction_speed, PETSC_TRUE), .help = "regularisation speed"),
       KEY(.key = "lags", .type = SCENE_INT, AT(SceneDraft, scene.step.friction_lags), WITHIN(1, 1000000), .word = "converged",
           .word_at = offsetof(SceneDraft, scene.step.friction_converge),
           .help = "solves per time step; each takes contact forces and directions of friction from the solve before, the first one from "
                   "the step before. Default: 1 to 10, while the contact forces on a body change by more than 1 %, so that friction begins "
                   "and ends with contact. `1` is the rule of Li et al. (2020), with two solves in the first step of a run; `converged`: "
                   "until directions are below `solver.tolerance`"),
       KEY(.key = "most_lags", .type = SCENE_INT, AT(SceneDraft, scene.step.friction_most), WITHIN(1, 1000000), .text = "100",
           .help = "largest number of solves if `lags` is `converged`")),
  .check = AbutSceneCheckFriction};

static const SceneRemoved removed_keys[] = {
  {"smoothness", "which was removed: its value 2 saved no iterations; without the key all is as with its default 1"},
  {"quadrature", "which was removed: closest points represent all pairs, as published"},
  {0}};

const SceneSection AbutSceneContact = {
  .removed = removed_keys,
  .help    = "Contact and friction. The defaults suit most scenes.",
  KEYS(
    KEY(.key = "potential", .type = SCENE_WORD, TEXT_AT(SceneDraft, scene.step.potential), .names = AbutPotentialNames, .text = "ipc",
        .help = "contact potential: ", .more = AbutScenePotentialKinds),
    KEY(.key = "alpha", AT(SceneDraft, scene.step.orientation.alpha), WITHIN(0.01, 1), .text = "0.5",
        .help =
          "the orientation filters are 0 below the cosine `-alpha`: with a larger `alpha`, surfaces repel from further behind or beside"),
    KEY(.key = "beta", AT(SceneDraft, scene.step.orientation.beta), WITHIN(0, 1), .text = "0",
        .help = "the orientation filters are 1 above this cosine"),
    KEY(.key = "measure", .type = SCENE_ENUM, AT(SceneDraft, scene.step.orientation.measure), .names = AbutPairMeasures, .text = "deformed",
        .help = "shape whose lengths and areas weight the pairs: the current or (as published) the undeformed one"),
    KEY(.key = "edge_length", AT(SceneDraft, scene.step.orientation.length), LENGTH, .text = "mean", .word = "mean", .unit = "m",
        .help = "weight of edges and vertices, with `convergent-ipc` only on obstacles without area; `mean`: mean surface "
                "edge of the undeformed bodies"),
    KEY(.key = "dhat", SECTION(dhat_section), .help = "activation distance"),
    KEY(.key = "stiffness", AT(SceneDraft, scene.step.kappa), POSITIVE, .text = "adaptive", .word = "adaptive", .unit = "kg/m^2",
        .help =
          "barrier stiffness; `adaptive`: chosen in every time step. With `ipc` the forces of a given number grow with the inverse square "
          "of the time step. Units: ",
        .more = AbutScenePotentialUnits),
    KEY(.key = "relative_stiffness", AT(SceneDraft, scene.step.relative_kappa), POSITIVE, .text = "none", .word = "none",
        .help = "sets the stiffness, instead of `stiffness`: contact pressure at a gap of dhat / 2 over the largest Young's modulus of the "
                "bodies; the area of a vertex is the square of the mean surface edge (2D: the edge)"),
    KEY(.key = "reference_length", AT(SceneDraft, scene.step.reference_length), LENGTH, .text = "diagonal", .word = "diagonal", .unit = "m",
        .help = "unit of relative lengths and speeds; `diagonal`: diagonal of the bounding box of all undeformed bodies"),
    KEY(.key = "friction", SECTION(friction_section), .help = "friction between surfaces")),
  .check = AbutSceneCheckContact};
