/* Tables of the scene format of the deformer. */
#include "scene.h"
#include <abut/private/keys.h>
#include <math.h>

#define FRAME_KEY(type)                                                         \
  KEY(.key = "frame", AT(type, frame), WITHIN(0, 1e9), .flags = SCENE_REQUIRED, \
      .help = "number of the frame, from 0; key frames are listed in ascending order")

static const SceneSection surface_keys_section = {
  .help = "Values of a surface at a frame. A value is linear between the key frames that give it, and constant before and after them.",
  KEYS(FRAME_KEY(AbutDeformSurfaceKey),
       KEY(.key = "translate", AT(AbutDeformSurfaceKey, translate), COMPONENT, .form = SCENE_VECTOR,
           TAG(AbutDeformSurfaceKey, has_translate, PETSC_TRUE), .unit = "m", .help = "translation of the placed surface"),
       KEY(.key = "rotate", AT(AbutDeformSurfaceKey, rotate), COMPONENT, .form = SCENE_AXIS,
           TAG(AbutDeformSurfaceKey, has_rotate, PETSC_TRUE), .unit = "degrees",
           .help = "rotation about `pivot` before the translation: the direction is the axis, the length the angle"),
       KEY(.key = "extent", AT(AbutDeformSurfaceKey, extent), LENGTH, TAG(AbutDeformSurfaceKey, has_extent, PETSC_TRUE), .unit = "m",
           .help = "as `extent` of the surface"),
       KEY(.key  = "volume", AT(AbutDeformSurfaceKey, volume), COMPONENT, TAG(AbutDeformSurfaceKey, has_volume, PETSC_TRUE),
           .help = "as `volume` of the surface")),
};

static const SceneSection files_section = {
  .help = "Positions of a surface from files, one for each frame. The placement of the surface does not apply to them, key frames do.",
  KEYS(KEY(.key = "files", .type = SCENE_PATTERN, TEXT_AT(AbutDeformSurfaceSpec, sequence.pattern), .flags = SCENE_REQUIRED,
           .help = "meshes with the vertices of the surface in the same order; `%d` is the number of the file (`%04d` with leading zeros)"),
       KEY(.key = "first", .type = SCENE_INT, AT(AbutDeformSurfaceSpec, sequence.first), COUNT, .text = "0",
           .help = "number of the file of frame 0"))};

static const SceneSection region_section = {
  .help =
    "Parts of a surface that collide with each other. Boxes overlap where both regions share vertices, and together cover the surface.",
  KEYS(KEY(.key = "box", .type = SCENE_BOX, AT(AbutDeformRegionSpec, box), .bounds = "[]", .min = -INFINITY, .max = INFINITY,
           .flags = SCENE_REQUIRED, .unit = "m",
           .help = "the vertices of the placed surface in `[[lower corner], [upper corner]]` belong to the region; `.inf`: unbounded"))};

static const SceneSection surface_section = {
  .help = "Triangle surfaces. Generated shapes and volume meshes contribute their surface.",
  KEYS(KEY(.key = "name", .type = SCENE_NAME, TEXT_AT(AbutDeformSurfaceSpec, body.name), .flags = SCENE_REQUIRED, .help = "unique name"),
       KEY(.key = "shape", SECTION(AbutSceneShape), .flags = SCENE_REQUIRED, .help = "geometry and mesh"),
       KEY(.key = "sequence", SECTION(files_section), .help = "positions of each frame from files"),
       KEY(.key = "pivot", AT(AbutDeformSurfaceSpec, center), COMPONENT, .form = SCENE_VECTOR, .text = "0", .unit = "m",
           .help = "fixed point of the rotations of key frames"),
       KEY(.key = "extent", AT(AbutDeformSurfaceSpec, control.extent), LENGTH, .flags = SCENE_REQUIRED, .unit = "m",
           .help = "distance from the contact zone at which the deformation ends"),
       KEY(.key = "volume", AT(AbutDeformSurfaceSpec, control.volume), COMPONENT, .text = "1",
           .help = "factor of the bulge: 1 keeps the volume, 0 switches the bulge off"),
       KEY(.key = "omega", AT(AbutDeformSurfaceSpec, control.omega), WITHIN(-1, 100), .text = "-1",
           .help = "anisotropic bulge: exponent of the cosine between the mapping direction and the direction from the zone; negative: the "
                   "bulge is isotropic"),
       KEY(.key = "bulge", .type = SCENE_FILE, TEXT_AT(AbutDeformSurfaceSpec, bulge),
           .help = "text file with a factor of the bulge for each vertex, which may be negative"),
       KEY(.key = "regions", .type = SCENE_FILE, TEXT_AT(AbutDeformSurfaceSpec, regions),
           .help = "text file with a line for each vertex: its region, from 0; a number between two integers means both. Regions can "
                   "collide with each other"),
       KEY(.key = "region_boxes", .type = SCENE_LIST, LIST_AT(AbutDeformSurfaceSpec, region_boxes, num_region_boxes),
           .section = &region_section, .help = "regions by boxes instead of a file; region 0 is the first box"),
       KEY(.key = "wave", AT(AbutDeformSurfaceSpec, control.wave), COMPONENT, .text = "0",
           .help = "amplitude of a sine that is added to the profile, in units of the largest displacement of the zone"),
       KEY(.key = "waves", AT(AbutDeformSurfaceSpec, control.wave_count), WITHIN(0, 1000), .text = "0",
           .help = "periods of the sine between the zone and the end of the deformation"),
       KEY(.key = "keys", .type = SCENE_LIST, LIST_AT(AbutDeformSurfaceSpec, keys, num_keys), .section = &surface_keys_section,
           .help = "key frames")),
  .also     = &AbutScenePlacement,
  .place_at = offsetof(AbutDeformSurfaceSpec, body.place),
  .check    = AbutSceneCheckDeformSurface};

static const SceneSection pair_keys_section = {
  .help = "Values of a pair at a frame, as for surfaces.",
  KEYS(
    FRAME_KEY(AbutDeformPairKey),
    KEY(.key = "stiffness", AT(AbutDeformPairKey, stiffness), WITHIN(0, 1e30), .form = SCENE_PAIR,
        TAG(AbutDeformPairKey, has_stiffness, PETSC_TRUE), .help = "as `stiffness` of the pair"),
    KEY(.key = "tau", AT(AbutDeformPairKey, tau), COMPONENT, TAG(AbutDeformPairKey, has_tau, PETSC_TRUE), .help = "as `tau` of the pair"),
    KEY(.key = "direction", AT(AbutDeformPairKey, direction), COMPONENT, .form = SCENE_VECTOR,
        TAG(AbutDeformPairKey, has_direction, PETSC_TRUE), .help = "as `direction` of the pair")),
};

static const SceneSection deform_pair_section = {
  .help = "Pairs of surfaces, or of regions of one surface, that may collide.",
  KEYS(KEY(.key = "first", .type = SCENE_NAME, .at = offsetof(AbutDeformPairSpec, surface[0]),
           .size = sizeof(((AbutDeformPairSpec *)0)->surface[0]), .flags = SCENE_REQUIRED, .help = "name of a surface"),
       KEY(.key = "second", .type = SCENE_NAME, .at = offsetof(AbutDeformPairSpec, surface[1]),
           .size = sizeof(((AbutDeformPairSpec *)0)->surface[0]), .flags = SCENE_REQUIRED,
           .help = "name of another surface, or of the same one with `regions`"),
       KEY(.key = "regions", .type = SCENE_INT, AT(AbutDeformPairSpec, region), WITHIN(0, 999), .form = SCENE_PAIR,
           TAG(AbutDeformPairSpec, has_regions, PETSC_TRUE),
           .help = "regions that collide: of `first`, then of `second`; 0 for a surface without regions"),
       KEY(.key = "stiffness", AT(AbutDeformPairSpec, control.stiffness), WITHIN(0, 1e30), .form = SCENE_PAIR, .text = "1",
           .help = "pseudo-stiffness of both surfaces; only the ratio matters; a surface with all stiffness is rigid"),
       KEY(.key = "tau", AT(AbutDeformPairSpec, control.tau), COMPONENT, .text = "0",
           .help = "extent of the contact zone in standard deviations; smaller values give larger zones"),
       KEY(.key = "direction", AT(AbutDeformPairSpec, control.direction), COMPONENT, .form = SCENE_VECTOR, .text = "0",
           .help = "mapping direction, into the first body, of any length: points of the first surface move along it to the second; 0: "
                   "computed from the normals, for regions that share vertices from their positions"),
       KEY(.key = "keys", .type = SCENE_LIST, LIST_AT(AbutDeformPairSpec, keys, num_keys), .section = &pair_keys_section,
           .help = "key frames")),
  .check = AbutSceneCheckDeformPair};

static const SceneSection deform_section = {
  .help = "Surfaces and pairs of an animation.",
  KEYS(KEY(.key = "frames", .type = SCENE_INT, AT(SceneDeformDraft, scene.num_frames), WITHIN(1, 10000000), .text = "1",
           .help = "number of frames"),
       KEY(.key = "surfaces", .type = SCENE_LIST, LIST_AT(SceneDeformDraft, scene.surfaces, scene.num_surfaces),
           .section = &surface_section, .flags = SCENE_REQUIRED, .help = "triangle surfaces"),
       KEY(.key = "pairs", .type = SCENE_LIST, LIST_AT(SceneDeformDraft, scene.pairs, scene.num_pairs), .section = &deform_pair_section,
           .flags = SCENE_REQUIRED, .help = "pairs of surfaces that may collide")),
  .check = AbutSceneCheckDeform};

const SceneSection AbutSceneDeformRoot = {
  .title  = "The file of abut deform",
  .help   = "A mapping with these keys, in any order. `abut deform` reads it instead of the keys above.",
  .advice = " (a scene of abut run needs the option -resolve here: abut deform SCENE -resolve -o DIR)",
  KEYS(KEY(.key = "abut", .type = SCENE_INT, AT(SceneDeformDraft, version), .flags = SCENE_REQUIRED, WITHIN(1, 1),
           .help = "version of the format"),
       KEY(.key = "title", .type = SCENE_TEXT, TEXT_AT(SceneDeformDraft, scene.title), .help = "free text"),
       KEY(.key = "deform", .type = SCENE_MAP, .section = &deform_section, .flags = SCENE_REQUIRED,
           .help = "surfaces and pairs of an animation"))};
