/* The tables of the scene format. Keys are read in the order of the tables: what others refer to comes first. */
#include "scene_schema.h"
#include <math.h>

#define AT(type, field)         .at = offsetof(type, field)
#define TEXT_AT(type, field)    .at = offsetof(type, field), .size = sizeof(((type *)0)->field)
#define ABOVE(a)                .bounds = "()", .min = (a), .max = INFINITY
#define FROM(a)                 .bounds = "[)", .min = (a), .max = INFINITY
#define BETWEEN(a, b)           .bounds = "()", .min = (a), .max = (b)
#define WITHIN(a, b)            .bounds = "[]", .min = (a), .max = (b)
#define TAG(type, field, value) .tag_at = offsetof(type, field), .tag = (value)
#define SECTION(name)           .type = SCENE_MAP, .section = &(name)
#define COUNT                   WITHIN(0, 1000000000)
#define CELLS                   WITHIN(1, 100000)

static const SceneKey time_keys[] = {
  {.key = "step", AT(SceneDraft, scene.step.dt), .flags = SCENE_REQUIRED, ABOVE(0), .unit = "s", .help = "time step"},
  {.key = "steps", .type = SCENE_INT, AT(SceneDraft, scene.step.steps), .flags = SCENE_ONE_OF, COUNT, .help = "number of time steps"},
  {.key = "end",
   AT(SceneDraft, end),
   .flags = SCENE_ONE_OF,
   ABOVE(0),
   TAG(SceneDraft, has_end, PETSC_TRUE),
   .unit = "s",
   .help = "time to reach; the number of steps is rounded up"},
  {0}};
static const SceneSection time_section = {.help = "How long to simulate.", .keys = time_keys, .check = AbutSceneCheckTime};

static const SceneKey material_keys[] = {
  {.key  = "model",
   .type = SCENE_ENUM,
   AT(AbutMaterialSpec, kind),
   .names = AbutMaterialKinds,
   .text  = "neo-hookean",
   .help  = "hyperelastic energy; neo-hookean never inverts a cell"},
  {.key = "young", AT(AbutMaterialSpec, young), .flags = SCENE_REQUIRED, ABOVE(0), .unit = "Pa", .help = "Young's modulus"},
  {.key = "poisson", AT(AbutMaterialSpec, poisson), .flags = SCENE_REQUIRED, BETWEEN(-1, 0.5), .help = "Poisson's ratio"},
  {.key = "density", AT(AbutMaterialSpec, density), .flags = SCENE_REQUIRED, ABOVE(0), .unit = "kg/m^3", .help = "density at rest"},
  {0}};
static const SceneSection material_section = {.help = "Elastic materials, each under the name that bodies give.", .keys = material_keys};

static const SceneKey     box_keys[]  = {{.key = "size",
                                          AT(AbutBodySpec, shape.size),
                                          .form  = SCENE_UNIFORM,
                                          .fill  = 1,
                                          .flags = SCENE_REQUIRED,
                                          ABOVE(0),
                                          .unit = "m",
                                          .help = "edge lengths; the box is centred on the origin"},
                                         {.key  = "cells",
                                          .type = SCENE_INT,
                                          AT(AbutBodySpec, shape.cells),
                                          .form  = SCENE_UNIFORM,
                                          .fill  = 1,
                                          .flags = SCENE_REQUIRED,
                                          CELLS,
                                          .help = "cells along each edge"},
                                         {0}};
static const SceneSection box_section = {.help = "A box (2D: a rectangle).", .keys = box_keys};

static const SceneKey ball_keys[] = {
  {.key = "radius", AT(AbutBodySpec, shape.size[0]), .flags = SCENE_REQUIRED, ABOVE(0), .unit = "m", .help = "radius"},
  {.key = "cells", .type = SCENE_INT, AT(AbutBodySpec, shape.cells[0]), .flags = SCENE_REQUIRED, CELLS, .help = "cells across the radius"},
  {0}};
static const SceneSection ball_section = {.help = "A ball (2D: a disc) about the origin.", .keys = ball_keys};

static const SceneKey cylinder_keys[] = {
  {.key = "radius", AT(AbutBodySpec, shape.size[0]), .flags = SCENE_REQUIRED, ABOVE(0), .unit = "m", .help = "radius"},
  {.key = "height", AT(AbutBodySpec, shape.size[1]), .flags = SCENE_REQUIRED, ABOVE(0), .unit = "m", .help = "height, along z"},
  {.key  = "cells",
   .type = SCENE_INT,
   AT(AbutBodySpec, shape.cells),
   .form  = SCENE_PAIR,
   .flags = SCENE_REQUIRED,
   CELLS,
   .help = "cells across the radius, cells along the height"},
  {0}};
static const SceneSection cylinder_section = {.help = "A cylinder about the z axis (3D only).", .keys = cylinder_keys};

static const SceneKey     torus_keys[]  = {{.key = "major",
                                            AT(AbutBodySpec, shape.size[0]),
                                            .flags = SCENE_REQUIRED,
                                            ABOVE(0),
                                            .unit = "m",
                                            .help = "radius of the circle about the z axis that the tube follows"},
                                           {.key = "minor",
                                            AT(AbutBodySpec, shape.size[1]),
                                            .flags = SCENE_REQUIRED,
                                            ABOVE(0),
                                            .unit = "m",
                                            .help = "radius of the tube, less than `major`"},
                                           {.key  = "cells",
                                            .type = SCENE_INT,
                                            AT(AbutBodySpec, shape.cells[0]),
                                            .flags = SCENE_REQUIRED,
                                            CELLS,
                                            .help = "cells across the minor radius"},
                                           {0}};
static const SceneSection torus_section = {.help = "A torus (2D: a ring).", .keys = torus_keys, .check = AbutSceneCheckTorus};

static const SceneKey shape_keys[] = {
  {.key  = "file",
   .type = SCENE_FILE,
   TEXT_AT(AbutBodySpec, shape.path),
   .flags = SCENE_ONE_OF,
   TAG(AbutBodySpec, shape.kind, ABUT_SHAPE_FILE),
   .help = "mesh, relative to the scene file. Bodies: `.msh`, or `.geo`, `.step`, `.brep` to be meshed by Gmsh. Obstacles also: `.obj` "
           "(triangles), `.seg` (segments), `.pt` (points); the last two may also name the edges or vertices of the `.obj` of that name"},
  {.key = "mesh_size",
   AT(AbutBodySpec, shape.mesh_size),
   ABOVE(0),
   .text = "own",
   .word = "own",
   .with = "file",
   .unit = "m",
   .help = "edge length that Gmsh aims at in `.geo` and CAD files; `own`: what the file says"},
  {.key = "box", SECTION(box_section), .flags = SCENE_ONE_OF, TAG(AbutBodySpec, shape.kind, ABUT_SHAPE_BOX), .help = "box or rectangle"},
  {.key = "ball", SECTION(ball_section), .flags = SCENE_ONE_OF, TAG(AbutBodySpec, shape.kind, ABUT_SHAPE_BALL), .help = "ball or disc"},
  {.key = "cylinder",
   SECTION(cylinder_section),
   .flags = SCENE_ONE_OF | SCENE_3D,
   TAG(AbutBodySpec, shape.kind, ABUT_SHAPE_CYLINDER),
   .help = "cylinder"},
  {.key = "torus", SECTION(torus_section), .flags = SCENE_ONE_OF, TAG(AbutBodySpec, shape.kind, ABUT_SHAPE_TORUS), .help = "torus or ring"},
  {0}};
static const SceneSection shape_section = {
  .title = "shape",
  .help  = "The shape of a body or obstacle: a file, or one that is generated. An obstacle takes the surface of it.",
  .keys  = shape_keys};

static const SceneKey placement_keys[]   = {{.key  = "center",
                                             .type = SCENE_BOOL,
                                             AT(AbutBodySpec, shape.center),
                                             .text = "false",
                                             .with = "shape",
                                             .help = "subtract the mean of the vertices first"},
                                            {.key = "scale",
                                             AT(AbutBodySpec, shape.scale),
                                             .form = SCENE_UNIFORM,
                                             .fill = 1,
                                             ABOVE(0),
                                             .text = "1",
                                             .with = "shape",
                                             .help = "then scale"},
                                            {.key = "rotate",
                                             AT(AbutBodySpec, shape.rotate),
                                             .form = SCENE_AXIS,
                                             .text = "0",
                                             .with = "shape",
                                             .unit = "degrees",
                                             .help = "then rotate about the origin: about z first, then y, then x"},
                                            {.key = "translate",
                                             AT(AbutBodySpec, shape.translate),
                                             .form = SCENE_VECTOR,
                                             .text = "0",
                                             .with = "shape",
                                             .unit = "m",
                                             .help = "then move"},
                                            {.key  = "copies",
                                             .type = SCENE_INT,
                                             AT(AbutBodySpec, shape.copies),
                                             .form = SCENE_VECTOR,
                                             .fill = 1,
                                             CELLS,
                                             .text = "1",
                                             .with = "shape",
                                             .help = "a grid of copies; if there are several, they are called `name[i,j,k]`, counted from 0"},
                                            {.key = "spacing",
                                             AT(AbutBodySpec, shape.spacing),
                                             .form = SCENE_VECTOR,
                                             .text = "0",
                                             .with = "shape",
                                             .unit = "m",
                                             .help = "from one copy to the next in each direction"},
                                            {0}};
const SceneSection    AbutScenePlacement = {.title = "Placement",
                                            .help =
                                              "Keys that bodies and obstacles with a `shape` have in common. A point p of the shape goes to "
                                                 "`R (scale p) + translate` with R = Rx Ry Rz.",
                                            .keys = placement_keys};

static const SceneKey body_keys[] = {
  {.key = "name", .type = SCENE_NAME, TEXT_AT(AbutBodySpec, name), .flags = SCENE_REQUIRED, .help = "unique among bodies and obstacles"},
  {.key = "material", .type = SCENE_MATERIAL, AT(AbutBodySpec, material), .flags = SCENE_REQUIRED, .help = "a key of `materials`"},
  {.key = "shape", SECTION(shape_section), .flags = SCENE_REQUIRED, .help = "what it looks like"},
  {.key = "velocity", AT(AbutBodySpec, velocity), .form = SCENE_VECTOR, .text = "0", .unit = "m/s", .help = "initial velocity"},
  {.key = "angular_velocity",
   AT(AbutBodySpec, angular_velocity),
   .form = SCENE_AXIS,
   .text = "0",
   .unit = "rad/s",
   .help = "initial rotation about the centre of the body's bounding box"},
  {0}};
static const SceneSection body_section = {.help     = "Deformable bodies. Their surfaces must not cross at the start.",
                                          .keys     = body_keys,
                                          .also     = &AbutScenePlacement,
                                          .place_at = offsetof(AbutBodySpec, place)};

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
  {.key = "plane", SECTION(plane_section), .flags = SCENE_ONE_OF, TAG(SceneObstacle, is_plane, PETSC_TRUE), .help = "a half-space at rest"},
  {.key = "shape",
   SECTION(shape_section),
   .flags = SCENE_ONE_OF,
   .help  = "a surface, segments or points; at rest unless a motion takes them"},
  {0}};
static const SceneSection obstacle_section = {.help     = "What bodies meet and do not move.",
                                              .keys     = obstacle_keys,
                                              .also     = &AbutScenePlacement,
                                              .place_at = offsetof(SceneObstacle, body.place)};

static const SceneKey select_keys[] = {
  {.key  = "body",
   .type = SCENE_BODY,
   TEXT_AT(AbutMotionSpec, selection.body),
   .help = "name of a body or mesh obstacle, all its copies with it, or of one copy, `\"name[0,1,0]\"`; left out: all of them"},
  {.key  = "box",
   .type = SCENE_BOX,
   AT(AbutMotionSpec, selection.box),
   TAG(AbutMotionSpec, selection.has_box, PETSC_TRUE),
   .bounds = "[]",
   .min    = -INFINITY,
   .max    = INFINITY,
   .unit   = "m",
   .help   = "vertices at rest in `[[lower corner], [upper corner]]`; `.inf` where it has no end"},
  {.key  = "relative",
   .type = SCENE_BOOL,
   AT(AbutMotionSpec, selection.relative),
   .text = "false",
   .with = "box",
   .help = "the box is given in fractions of the bounding box of the chosen bodies instead of metres"},
  {.key = "group", .type = SCENE_TEXT, TEXT_AT(AbutMotionSpec, selection.group), .help = "vertices of a physical group of the mesh file"},
  {.key  = "ids",
   .type = SCENE_IDS,
   AT(AbutMotionSpec, selection.ids),
   .count_at = offsetof(AbutMotionSpec, selection.num_ids),
   WITHIN(0, 2147483647),
   .with = "body",
   .help = "vertex numbers in the body, in the order of its file, counted from 0"},
  {0}};
static const SceneSection select_section = {
  .help = "Which vertices move: those that meet all of the criteria given.", .keys = select_keys, .check = AbutSceneCheckSelection};

static const char *const outside_names[] = {"free", "hold", "SceneOutside", "SCENE_", NULL};
static const SceneKey    motion_keys[]   = {
       {.key = "select", SECTION(select_section), .flags = SCENE_REQUIRED, .help = "which vertices"},
       {.key = "velocity", AT(AbutMotionSpec, velocity), .form = SCENE_VECTOR, .text = "0", .unit = "m/s", .help = "prescribed velocity"},
       {.key = "angular_velocity",
        AT(AbutMotionSpec, angular_velocity),
        .form = SCENE_AXIS,
        .text = "0",
        .unit = "rad/s",
        .help = "prescribed rotation about `center`"},
       {.key = "center",
        AT(AbutMotionSpec, center),
        .form    = SCENE_VECTOR,
        .text    = "0",
        .word    = "follow",
        .word_at = offsetof(AbutMotionSpec, follow),
        .unit    = "m",
        .help    = "centre of rotation; `follow`: that of the vertices' bounding box as it moves"},
       {.key = "start", AT(AbutMotionSpec, start), FROM(0), .text = "0", .unit = "s", .help = "when it begins"},
       {.key = "end",
        AT(AbutMotionSpec, end),
        .bounds = "(]",
        .min    = 0,
        .max    = INFINITY,
        .text   = ".inf",
        .unit   = "s",
        .help   = "when it ends, after `start`"},
       {.key  = "outside",
        .type = SCENE_ENUM,
        AT(AbutMotionSpec, hold),
        .names = outside_names,
        .text  = "free",
        .help  = "before and after: `free` vertices move as physics has it, `hold` keeps them in place"},
       {0}};
static const SceneSection motion_section = {.help     = "Vertices whose motion is prescribed; without velocities they are held in place.",
                                            .keys     = motion_keys,
                                            .place_at = offsetof(AbutMotionSpec, place),
                                            .check    = AbutSceneCheckMotion};

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

static const char *const potential_names[] = {"ipc", NULL};
static const SceneKey    contact_keys[]    = {
        {.key  = "potential",
         .type = SCENE_WORD,
         TEXT_AT(SceneDraft, scene.step.potential),
         .names = potential_names,
         .text  = "ipc",
         .help  = "contact potential: `ipc` of Li et al. 2020"},
        {.key = "dhat", SECTION(dhat_section), .help = "activation distance"},
        {.key = "stiffness",
         AT(SceneDraft, scene.step.kappa),
         ABOVE(0),
         .text = "adaptive",
         .word = "adaptive",
         .unit = "J/m^4",
         .help = "barrier stiffness; `adaptive`: found anew in every time step"},
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
        {0}};
static const SceneSection contact_section = {.help = "How contact is resolved. The defaults suit most scenes.", .keys = contact_keys};

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

static const SceneKey     solver_keys[]  = {{.key = "tolerance", SECTION(tolerance_section), .help = "when a time step is solved"},
                                            {.key  = "max_newton",
                                             .type = SCENE_INT,
                                             AT(SceneDraft, scene.step.max_newton),
                                             WITHIN(1, 1000000000),
                                             .text = "1000",
                                             .help = "Newton iterations that a time step may take"},
                                            {0}};
static const SceneSection solver_section = {
  .help = "How accurately each time step is solved. Linear solvers are chosen on the command line.", .keys = solver_keys};

static const SceneKey     fields_keys[]  = {{.key  = "every",
                                             .type = SCENE_INT,
                                             AT(SceneDraft, scene.output.fields_every),
                                             COUNT,
                                             .text = "1",
                                             .unit = "steps",
                                             .help = "positions and velocities every so many steps, and at the end; 0: never"},
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
                                            {0}};
static const SceneSection fields_section = {.help = "`fields.h5` with `fields.xdmf` for ParaView.", .keys = fields_keys};

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
static const SceneSection output_section = {.help = "What a run leaves behind besides `steps.csv` and `summary.json`.",
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
   .section  = &motion_section,
   .help     = "prescribed motions"},
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
