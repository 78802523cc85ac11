/* Tables of the scene format: prescribed motions, loads and selections of vertices. */
#include "sceneimpl.h"
#include <abut/private/keys.h>

static const SceneSection select_section = {
  .title = "select",
  .help  = "Vertices of a motion or load. A vertex is selected if it meets all criteria given.",
  KEYS(
    KEY(.key = "body", .type = SCENE_BODY, TEXT_AT(AbutSelectionSpec, body),
        .help =
          "name of a body or mesh obstacle with all its copies, or of one copy, `\"name[0,1,0]\"`; default: all bodies and mesh obstacles"),
    KEY(.key = "box", .type = SCENE_BOX, AT(AbutSelectionSpec, box), TAG(AbutSelectionSpec, has_box, PETSC_TRUE), .bounds = "[]",
        .min = -INFINITY, .max = INFINITY, .unit = "m",
        .help = "vertices whose undeformed position lies in `[[lower corner], [upper corner]]`; `.inf`: unbounded"),
    KEY(.key = "relative", .type = SCENE_BOOL, AT(AbutSelectionSpec, relative), .text = "false", .with = "box",
        .help = "`box` is in fractions of the bounding box of the selected bodies instead of metres"),
    KEY(.key = "group", .type = SCENE_TEXT, TEXT_AT(AbutSelectionSpec, group),
        .help = "vertices of a physical group of the mesh file; with `order: 2` also new nodes on the edges of its elements, in a group of "
                "points or of an HDF5 file those between two points"),
    KEY(.key = "ids", .type = SCENE_IDS, AT(AbutSelectionSpec, ids), .count_at = offsetof(AbutSelectionSpec, num_ids),
        WITHIN(0, 2147483647), .with = "body",
        .help =
          "vertex numbers within the body, in the order of its file, from 0; of quadratic cells also the vertices between two of them")),
  .check = AbutSceneCheckSelection};

#define SUBJECT_HELP "a body, all copies of one, an obstacle or a plane; `\"\"`: all bodies"
static const char *const axis_names[] = {"x", "y", "z", NULL};

static const SceneSection until_section = {
  .help = "A condition that ends or reverses a motion. It is evaluated before every step.",
  KEYS(
    KEY(.key = "gap", .type = SCENE_SUBJECTS, AT(AbutMotionSpec, until.subject), .flags = SCENE_ONE_OF,
        TAG(AbutMotionSpec, until.measure, ABUT_MEASURE_GAP), .size = sizeof(((AbutMotionSpec *)0)->until.subject[0]),
        .help = "measure `[a, b]`: lowest coordinate of b minus highest coordinate of a along `axis`; each is " SUBJECT_HELP),
    KEY(.key = "lowest", .type = SCENE_SUBJECT, AT(AbutMotionSpec, until.subject), .flags = SCENE_ONE_OF,
        TAG(AbutMotionSpec, until.measure, ABUT_MEASURE_LOWEST), .size = sizeof(((AbutMotionSpec *)0)->until.subject[0]),
        .help = "measure: lowest coordinate along `axis` of " SUBJECT_HELP),
    KEY(.key = "highest", .type = SCENE_SUBJECT, AT(AbutMotionSpec, until.subject), .flags = SCENE_ONE_OF,
        TAG(AbutMotionSpec, until.measure, ABUT_MEASURE_HIGHEST), .size = sizeof(((AbutMotionSpec *)0)->until.subject[0]),
        .help = "measure: highest coordinate along `axis` of " SUBJECT_HELP),
    KEY(.key = "axis", .type = SCENE_CHOICE, AT(AbutMotionSpec, until.axis), .names = axis_names, .flags = SCENE_REQUIRED,
        .help = "direction of the measurement"),
    KEY(.key = "below", AT(AbutMotionSpec, until.limit), COMPONENT, .flags = SCENE_OTHER_ONE_OF,
        TAG(AbutMotionSpec, until.above, PETSC_FALSE), .unit = "m", .help = "the condition is true while the measure is below this"),
    KEY(.key = "above", AT(AbutMotionSpec, until.limit), COMPONENT, .flags = SCENE_OTHER_ONE_OF,
        TAG(AbutMotionSpec, until.above, PETSC_TRUE), .unit = "m", .help = "the condition is true while the measure is above this"),
    KEY(.key = "then", .type = SCENE_ENUM, AT(AbutMotionSpec, until.action), .names = AbutActions, .flags = SCENE_REQUIRED,
        .help =
          "`reverse`: velocities change sign each time the condition becomes true; `stop`: the vertices stay; `release`: they are free")),
  .check = AbutSceneCheckUntil};

static const SceneSection sequence_section = {
  .help = "Positions of a whole body or obstacle from files. The first file holds at `start`.",
  KEYS(KEY(.key = "files", .type = SCENE_PATTERN, TEXT_AT(AbutMotionSpec, sequence.pattern), .flags = SCENE_REQUIRED,
           .help = "meshes with the vertices of the body in the same order; `%d` is the number of the file (`%04d` "
                   "with leading zeros)"),
       KEY(.key = "first", .type = SCENE_INT, AT(AbutMotionSpec, sequence.first), COUNT, .text = "0", .help = "number of the first file"),
       KEY(.key = "count", .type = SCENE_INT, AT(AbutMotionSpec, sequence.count), .flags = SCENE_REQUIRED, WITHIN(1, 1000000),
           .help = "number of files"),
       KEY(.key = "interval", AT(AbutMotionSpec, sequence.interval), .flags = SCENE_REQUIRED, DURATION, .unit = "s",
           .help = "time between two files; positions are interpolated linearly, and constant after the last file")),
  .check = AbutSceneCheckSequence};

#define TABLE_KEYS(spec, help_text)                                                                                               \
  KEY(.key = "table", .type = SCENE_TABLE, AT(spec, table), COMPONENT, .unit = "s, factor", .help = help_text),                   \
    KEY(.key = "interpolation", .type = SCENE_ENUM, AT(spec, table.interpolation), .names = AbutInterpolations, .text = "linear", \
        .with = "table",                                                                                                          \
        .help = "curve between the points of `table`: `linear`, or `smooth`, monotone cubic polynomials that start and end at rest")

const SceneSection AbutSceneMotion = {
  .help = "Prescribed motion of vertices or of a plane; without velocities they are held in place. Motions that select the same vertices "
          "compose in the order of the list, so that velocities add up; a run warns if two with velocities act at the same time.",
  KEYS(
    KEY(.key = "select", SECTION(select_section), AT(AbutMotionSpec, selection), .flags = SCENE_ONE_OF, .help = "vertices that move"),
    KEY(.key = "plane", .type = SCENE_PLANE, AT(AbutMotionSpec, plane), .flags = SCENE_ONE_OF,
        .help = "name of the plane that moves; its angular velocity must be along its normal"),
    KEY(.key = "velocity", AT(AbutMotionSpec, velocity), COMPONENT, .form = SCENE_VECTOR, .text = "0", .unit = "m/s",
        .help = "prescribed velocity"),
    KEY(.key = "angular_velocity", AT(AbutMotionSpec, angular_velocity), COMPONENT, .form = SCENE_AXIS, .text = "0", .unit = "rad/s",
        .help = "prescribed angular velocity about `center`. All motions together may turn an obstacle by 45 degrees in a time step, "
                "vertices of a body by 179"),
    KEY(.key = "displacement", AT(AbutMotionSpec, displacement), COMPONENT, .form = SCENE_VECTOR, .text = "0", .with = "table", .unit = "m",
        .help = "displacement where `table` has grown by 1"),
    KEY(.key = "rotation", AT(AbutMotionSpec, rotation), COMPONENT, .form = SCENE_AXIS, .text = "0", .with = "table", .unit = "rad",
        .help = "rotation about `center` where `table` has grown by 1; limits as for `angular_velocity`"),
    TABLE_KEYS(AbutMotionSpec,
               "factor on displacement, rotation and velocities over time, `[[time, factor], ...]`, times ascending, "
               "constant before and after. Steps end at the points of tables; of points closer than `time.step` at the first and the last"),
    KEY(.key = "components", .type = SCENE_CHOICES, AT(AbutMotionSpec, components), .names = axis_names, .with = "select",
        .help = "components that are prescribed; default: all. Not with rotations. Two motions that prescribe the same component of a "
                "vertex must both be at rest"),
    KEY(.key = "center", AT(AbutMotionSpec, center), COMPONENT, .form = SCENE_VECTOR, .text = "0", .word = "follow",
        .word_at = offsetof(AbutMotionSpec, follow), .unit = "m",
        .help =
          "centre of rotation, at rest while velocities move the vertices; `follow`: centre of the current bounding box of the vertices"),
    KEY(.key = "start", AT(AbutMotionSpec, start), WITHIN(0, 1e12), .text = "0", .unit = "s", .help = "start time"),
    KEY(.key = "end", AT(AbutMotionSpec, end), .bounds = "(]", .min = 0, .max = INFINITY, .text = ".inf", .unit = "s",
        .help = "end time, after `start`"),
    KEY(.key = "outside", .type = SCENE_ENUM, AT(AbutMotionSpec, outside), .names = AbutOutsides, .text = "free",
        .help = "before `start` and after `end`: `free`, the vertices are unconstrained; `hold`, they stay in place"),
    KEY(.key = "until", SECTION(until_section), .help = "condition that reverses or ends the motion"),
    KEY(.key = "sequence", SECTION(sequence_section), .with = "select", .help = "positions from files, instead of velocities")),
  .place_at = offsetof(AbutMotionSpec, place),
  .check    = AbutSceneCheckMotion};

static const SceneSection gas_section = {
  .help =
    "A gas on the outer side of the selected surface, as in a cavity: p = `pressure` (`volume` / V)^`exponent` minus `ambient` acts on "
    "the surface. `cavities.csv` has V and p.",
  KEYS(KEY(.key = "pressure", AT(AbutGasSpec, pressure), POSITIVE, .flags = SCENE_REQUIRED, .unit = "Pa",
           .help = "absolute pressure at the start of the run; the table of the load multiplies it"),
       KEY(.key = "exponent", AT(AbutGasSpec, exponent), WITHIN(0.1, 10), .text = "1",
           .help = "polytropic exponent: 1 isothermal, 1.4 adiabatic for air"),
       KEY(.key = "ambient", AT(AbutGasSpec, ambient), WITHIN(0, 1e30), .text = "0", .unit = "Pa",
           .help = "pressure on the other side of the surface"),
       KEY(.key = "volume", AT(AbutGasSpec, volume), POSITIVE, .text = "enclosed", .word = "enclosed", .unit = "m^3, in 2D m^2",
           .help = "volume of the gas at the start; `enclosed`: by the surface, which must be closed"))};

const SceneSection AbutSceneLoad = {
  .help = "Loads on bodies: `acceleration`, `traction` and `force` keep their direction, `pressure` and `gas` follow the surface. The "
          "surface of a `pressure` or `gas` must be closed, or its border prescribed: in all components, or in the one (x, y or z) normal "
          "to a symmetry plane, in which it slides.",
  KEYS(KEY(.key = "select", SECTION(select_section), AT(AbutLoadSpec, selection), .flags = SCENE_OTHER_ONE_OF, .help = "loaded vertices"),
       KEY(.key = "plane", .type = SCENE_PLANE, AT(AbutLoadSpec, plane), .flags = SCENE_OTHER_ONE_OF,
           .help = "name of a plane that `force` drives along its normal; one in a scene, if no motion moves a plane"),
       KEY(.key = "mass", AT(AbutLoadSpec, plane_mass), WITHIN(0, 1e30), .text = "0", .with = "plane", .unit = "kg",
           .help = "mass of the plane, on which `gravity` acts, too; 0: contact balances the force in each step"),
       KEY(.key = "acceleration", AT(AbutLoadSpec, acceleration), COMPONENT, .flags = SCENE_ONE_OF, .form = SCENE_VECTOR, .unit = "m/s^2",
           .help = "force per unit mass"),
       KEY(.key = "traction", AT(AbutLoadSpec, traction), WITHIN(-1e30, 1e30), .flags = SCENE_ONE_OF, .form = SCENE_VECTOR, .unit = "Pa",
           .help = "force per undeformed area of the surface triangles (2D: edges) all of whose vertices are selected"),
       KEY(.key = "force", AT(AbutLoadSpec, force), WITHIN(-1e30, 1e30), .flags = SCENE_ONE_OF, .form = SCENE_VECTOR, .unit = "N",
           .help =
             "resultant force; in 2D per metre of thickness. On a face it acts as uniform traction, on other selections (volumes, single "
             "vertices, edges) in proportion to the mass of the vertices. A face has all vertices of some surface triangle (2D: edge) and "
             "of no cell; cells in corners do not count if all selected vertices are on the surface and some are in no such cell"),
       KEY(.key = "pressure", AT(AbutLoadSpec, pressure), WITHIN(-1e30, 1e30), .flags = SCENE_ONE_OF,
           TAG(AbutLoadSpec, kind, ABUT_LOAD_PRESSURE), .unit = "Pa",
           .help = "force per current area of the same triangles as for `traction`, against their outward normals"),
       KEY(.key = "gas", SECTION(gas_section), AT(AbutLoadSpec, gas), .flags = SCENE_ONE_OF, TAG(AbutLoadSpec, kind, ABUT_LOAD_GAS),
           .help = "gas with a pressure that depends on its volume"),
       TABLE_KEYS(AbutLoadSpec, "factor over time as for motions. With `quasi-static` and `bdf2` its value at the end of a step counts, of "
                                "`pressure` and `gas` also with both methods of Newmark; otherwise its mean over the step"),
       KEY(.key = "start", AT(AbutLoadSpec, start), WITHIN(0, 1e12), .text = "0", .unit = "s", .help = "start time"),
       KEY(.key = "end", AT(AbutLoadSpec, end), .bounds = "(]", .min = 0, .max = INFINITY, .text = ".inf", .unit = "s",
           .help = "end time, after `start`")),
  .place_at = offsetof(AbutLoadSpec, place),
  .check    = AbutSceneCheckLoad};

const SceneSection AbutSceneTie = {
  .help = "Bonds a surface to one of another body, each point to the closest one at the start, at most half an edge away. The surfaces may "
          "touch, and have no contact with each other.",
  KEYS(KEY(.key = "select", SECTION(select_section), AT(AbutTieSpec, select), .flags = SCENE_REQUIRED,
           .help = "vertices of the surface; of equal surfaces the finer one"),
       KEY(.key = "to", SECTION(select_section), AT(AbutTieSpec, to), .flags = SCENE_REQUIRED,
           .help = "vertices of the other surface, which may be larger")),
  .place_at = offsetof(AbutTieSpec, place)};
