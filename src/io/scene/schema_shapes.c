/* Tables of the scene format: shapes and their placement. */
#include "sceneimpl.h"
#include <abut/private/keys.h>

static const SceneSection box_section = {
  .help = "A box (2D: a rectangle).",
  KEYS(KEY(.key = "size", AT(AbutBodySpec, shape.size), .form = SCENE_UNIFORM, .fill = 1, .flags = SCENE_REQUIRED, LENGTH, .unit = "m",
           .help = "edge lengths; the box is centred on the origin"),
       KEY(.key = "cells", .type = SCENE_INT, AT(AbutBodySpec, shape.cells), .form = SCENE_UNIFORM, .fill = 1, .flags = SCENE_REQUIRED,
           CELLS, .help = "cells along each edge"))};

static const SceneSection ball_section = {
  .help = "A ball (2D: a disc) centred on the origin.",
  KEYS(KEY(.key = "radius", AT(AbutBodySpec, shape.size[0]), .flags = SCENE_REQUIRED, LENGTH, .unit = "m", .help = "radius"),
       KEY(.key = "cells", .type = SCENE_INT, AT(AbutBodySpec, shape.cells[0]), .flags = SCENE_REQUIRED, CELLS,
           .help = "cells across the radius"))};

static const SceneSection cylinder_section = {
  .help = "A cylinder about the z axis, centred on the origin (3D only).",
  KEYS(KEY(.key = "radius", AT(AbutBodySpec, shape.size[0]), .flags = SCENE_REQUIRED, LENGTH, .unit = "m", .help = "radius"),
       KEY(.key = "height", AT(AbutBodySpec, shape.size[1]), .flags = SCENE_REQUIRED, LENGTH, .unit = "m", .help = "height along z"),
       KEY(.key = "cells", .type = SCENE_INT, AT(AbutBodySpec, shape.cells), .form = SCENE_PAIR, .flags = SCENE_REQUIRED, CELLS,
           .help = "cells across the radius, cells along the height"))};

static const SceneSection torus_section = {.help = "A torus (2D: a ring).",
                                           KEYS(KEY(.key = "major", AT(AbutBodySpec, shape.size[0]), .flags = SCENE_REQUIRED, LENGTH,
                                                    .unit = "m", .help = "radius of the centre line, a circle about the z axis"),
                                                KEY(.key = "minor", AT(AbutBodySpec, shape.size[1]), .flags = SCENE_REQUIRED, LENGTH,
                                                    .unit = "m", .help = "radius of the tube, less than `major`"),
                                                KEY(.key = "cells", .type = SCENE_INT, AT(AbutBodySpec, shape.cells[0]),
                                                    .flags = SCENE_REQUIRED, CELLS, .help = "cells across the minor radius")),
                                           .check = AbutSceneCheckTorus};

const SceneSection AbutSceneShape = {
  .title = "shape",
  .help  = "Geometry and mesh of a body or obstacle: a file or a generated shape. An obstacle is the surface of the shape.",
  KEYS(
    KEY(.key = "file", .type = SCENE_FILE, TEXT_AT(AbutBodySpec, shape.path), .flags = SCENE_ONE_OF,
        TAG(AbutBodySpec, shape.kind, ABUT_SHAPE_FILE),
        .help =
          "mesh file. Bodies: `.msh`, `.h5`, or `.geo`, `.step`, `.iges`, `.brep`, which Gmsh meshes. Only "
          "`.step` and `.iges` state their unit, which is converted; all other files have metres before `scale`. Obstacles also: "
          "`.obj` (triangles), `.seg` (segments), `.pt` (points). A missing `.seg` or `.pt` has the edges or vertices of the `.obj` of the "
          "same name"),
    KEY(.key = "mesh_size", AT(AbutBodySpec, shape.mesh_size), LENGTH, .text = "own", .word = "own", .with = "file", .unit = "m",
        .help =
          "target edge length of Gmsh for `.geo` and CAD files, in the placed body: after `scale` (its geometric mean where axes differ); "
          "`own`: as the file says"),
    KEY(.key = "box", SECTION(box_section), .flags = SCENE_ONE_OF, TAG(AbutBodySpec, shape.kind, ABUT_SHAPE_BOX),
        .help = "box or rectangle"),
    KEY(.key = "ball", SECTION(ball_section), .flags = SCENE_ONE_OF, TAG(AbutBodySpec, shape.kind, ABUT_SHAPE_BALL),
        .help = "ball or disc"),
    KEY(.key = "cylinder", SECTION(cylinder_section), .flags = SCENE_ONE_OF | SCENE_3D, TAG(AbutBodySpec, shape.kind, ABUT_SHAPE_CYLINDER),
        .help = "cylinder"),
    KEY(.key = "torus", SECTION(torus_section), .flags = SCENE_ONE_OF, TAG(AbutBodySpec, shape.kind, ABUT_SHAPE_TORUS),
        .help = "torus or ring"),
    KEY(.key = "order", .type = SCENE_INT, AT(AbutBodySpec, shape.order), WITHIN(1, 2), .text = "own", .word = "own",
        .help = "degree of the shape functions of a body: 1 linear, 2 quadratic; `own`: of the mesh file, otherwise 1. With 2, linear "
                "cells get nodes on their edges, of generated shapes, `.geo` and CAD files on the true surface"))};

const SceneSection AbutScenePlacement = {
  .title = "Placement",
  .help  = "Keys of bodies and obstacles with a `shape`. A point p of the shape is placed at `R (scale p) + translate` with R = Rx Ry Rz.",
  KEYS(KEY(.key = "center", .type = SCENE_BOOL, AT(AbutBodySpec, shape.center), .text = "false", .with = "shape",
           .help = "first: translate the mean of the vertices to the origin"),
       KEY(.key = "scale", AT(AbutBodySpec, shape.scale), .form = SCENE_UNIFORM, .fill = 1, LENGTH, .text = "1", .with = "shape",
           .help = "second: scale"),
       KEY(.key = "rotate", AT(AbutBodySpec, shape.rotate), COMPONENT, .form = SCENE_AXIS, .text = "0", .with = "shape", .unit = "degrees",
           .help = "third: rotate about the origin, about z first, then y, then x"),
       KEY(.key = "translate", AT(AbutBodySpec, shape.translate), COMPONENT, .form = SCENE_VECTOR, .text = "0", .with = "shape",
           .unit = "m", .help = "fourth: translate"),
       KEY(.key = "copies", .type = SCENE_INT, AT(AbutBodySpec, shape.copies), .form = SCENE_VECTOR, .fill = 1, CELLS, .text = "1",
           .with = "shape", .help = "numbers of copies along x, y, z; several copies are named `name[i,j,k]`, from 0"),
       KEY(.key = "spacing", AT(AbutBodySpec, shape.spacing), COMPONENT, .form = SCENE_VECTOR, .text = "0", .with = "shape", .unit = "m",
           .help = "distance between copies along x, y, z"))};
