/* The scene reference, printed from the schema. */
#include "deformscene.h"
#include <ctype.h>
#include <stdio.h>

#define PATH_SIZE 128

static const char example[] =
  "```yaml\n"
  "abut: 1                          # version of the format\n"
  "title: Two balls on a mat\n"
  "dim: 3                           # 2: triangles in plane strain, 3: tetrahedra\n"
  "time: {step: 0.01, end: 1.0}     # [s]; or `steps: 100` instead of `end`\n"
  "gravity: [0, -9.81, 0]           # [m/s^2]\n"
  "\n"
  "materials:                       # by name\n"
  "  rubber: {model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}\n"
  "  cloth: {young: 2.0e4, poisson: 0.3, density: 500}\n"
  "\n"
  "bodies:                          # deformable\n"
  "  - name: ball\n"
  "    material: rubber\n"
  "    shape: {ball: {radius: 0.1, cells: 4}}     # or {file: ball.msh}, relative to this file\n"
  "    translate: [-0.15, 0.7, 0]   # [m]\n"
  "    copies: [2, 1, 1]            # ball[0,0,0] and ball[1,0,0]\n"
  "    spacing: [0.3, 0, 0]         # [m] from copy to copy\n"
  "    velocity: [0, -1, 0]         # [m/s] at the start\n"
  "  - name: mat\n"
  "    material: cloth\n"
  "    shape: {box: {size: [1, 0.02, 1], cells: [20, 1, 20]}}\n"
  "    translate: [0, 0.5, 0]\n"
  "\n"
  "obstacles:                       # planes, surfaces, segments, points\n"
  "  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}\n"
  "  - {name: post, shape: {cylinder: {radius: 0.05, height: 0.3, cells: [3, 8]}}, rotate: [90, 0, 0], translate: [0, 0.2, 0]}\n"
  "\n"
  "motions:                         # of parts of bodies, or of obstacles\n"
  "  - select: {body: mat, box: [[0, 0, 0], [0.05, 1, 1]], relative: true}   # hold one edge of the mat ...\n"
  "  - select: {body: mat, box: [[0.95, 0, 0], [1, 1, 1]], relative: true}   # ... and turn the other one\n"
  "    angular_velocity: [1.5, 0, 0]              # [rad/s]\n"
  "    center: follow                             # about the middle of these vertices\n"
  "    end: 0.5                                   # [s]\n"
  "    outside: hold                              # and keep them there afterwards\n"
  "\n"
  "contact:                         # from here on the defaults but for the pair of friction\n"
  "  dhat: {relative: 1.0e-3}       # surfaces repel below 1/1000 of the diagonal; or {absolute: 1.0e-4} [m]\n"
  "  stiffness: adaptive\n"
  "  friction:\n"
  "    default: 0                   # except for this: cloth slides well on the post\n"
  "    pairs: [{between: [cloth, post], coefficient: {static: 0.2, kinetic: 0.1}}]\n"
  "solver:\n"
  "  tolerance: {relative: 1.0e-2}  # or {absolute: 1.0e-3} [m/s]\n"
  "output:\n"
  "  fields: {every: 1, stress: true, contact_force: true}\n"
  "  checkpoint: {every: 0, minutes: 30}\n"
  "```\n";

static const char rules[] =
  "## Rules\n\n"
  "- Numbers are in SI units. Angles of `rotate` are in degrees, all other angles in radians.\n"
  "- A *vector* is a list of `dim` numbers. In 2D a third number is accepted if it is 0, or 1 for sizes, cells, copies and scales.\n"
  "  For \"or a number\", one number sets all entries.\n"
  "- An *axial vector* is a list of 3 numbers; in 2D it is one number, the rotation about z (counter-clockwise).\n"
  "- A key that is unknown, repeated or missing and a value out of range are errors that name the line.\n"
  "- Of the keys of a table marked *one of*, exactly one is given; likewise of those marked *one of these*.\n"
  "- *Valid* gives intervals: `(0, 1]` is all numbers above 0 up to 1. Infinity is written `.inf`; it is valid where the interval includes "
  "`inf`.\n"
  "- Words may be quoted, numbers may not.\n"
  "- Words that the previous release used for keys or values are accepted for one release, with a warning that names the line and the new "
  "word.\n"
  "- Keys marked *initial* define the initial state only. A restart takes the state from its checkpoint and warns if they have changed.\n"
  "- Anchors and aliases of YAML (`&a`, `*a`) work; merge keys (`<<`) do not. A scene has at most 32 nested lists and mappings, 10000 keys "
  "in "
  "a\n"
  "  mapping, 1000 anchors, 2000000 YAML nodes and 4096 labels of surfaces.\n";

/* "; replaced: `old` by `new`" for each old word. */
static void ReplacedText(const SceneReplaced *table, size_t size, char text[])
{
  size_t used = 0;

  text[0] = '\0';
  for (; table && table->old && used < size; table++)
    used += (size_t)snprintf(text + used, size - used, "%s`%s` by `%s`", used ? ", " : "; replaced: ", table->old, table->now);
}

/* The default of a key; a vector's is written out. */
static void DefaultText(const SceneKey *key, size_t size, char text[])
{
  const PetscBool word = (PetscBool)(key->word && key->text && !strcmp(key->word, key->text));

  if (key->flags & SCENE_REQUIRED)
    snprintf(text, size, "required");
  else if (key->flags & SCENE_ONE_OF && key->text)
    snprintf(text, size, "`%s`, if no other *one of* is given", key->text);
  else if (key->flags & SCENE_ONE_OF)
    snprintf(text, size, "*one of*");
  else if (key->flags & SCENE_OTHER_ONE_OF)
    snprintf(text, size, "*one of these*");
  else if (key->text && !word && (key->form == SCENE_VECTOR || key->form == SCENE_AXIS))
    snprintf(text, size, "`[%s, %s, %s]`", key->text, key->text, key->text);
  else if (key->text)
    snprintf(text, size, "`%s`", key->text);
  else
    snprintf(text, size, key->type == SCENE_MAP ? "see there" : "none");
}

/* Path of a section below: contact.dhat, bodies[]; a section with a title is described once, under its title. */
static void BelowPath(const SceneSection *section, const char path[], const SceneKey *key, char below[PATH_SIZE])
{
  static const char *const suffix[] = {[SCENE_MAP] = "", [SCENE_COEFFICIENT] = "", [SCENE_LIST] = "[]", [SCENE_NAMED] = ".NAME"};
  const char              *above    = section->title && path[0] ? section->title : path;

  snprintf(below, PATH_SIZE, "%s%s%s%s", above, above[0] ? "." : "", key->key, suffix[key->type]);
}

/* Markdown link to the table of a section: its anchor has the letters and digits of the heading. */
static void LinkText(const char words[], const SceneSection *section, const char path[], size_t size, char text[])
{
  size_t used = (size_t)snprintf(text, size, "[%s](#", words);

  for (const char *p = section->title ? section->title : path; *p && used + 2 < size; p++)
    if (isalnum((unsigned char)*p) || *p == '_') text[used++] = (char)tolower((unsigned char)*p);
  snprintf(text + used, size - used, ")");
}

static void TypeText(const SceneKey *key, const char below[], size_t size, char text[])
{
  char type[64];

  AbutSceneTypeText(key, sizeof(type), type);
  if (key->section)
    LinkText(type, key->section, below, size, text);
  else
    snprintf(text, size, "%s", type);
}

/* Valid values: intervals or words. */
static void ValidText(const SceneKey *key, size_t size, char text[])
{
  char   number[128];
  size_t used = 0;

  text[0] = '\0';
  if (key->type == SCENE_BOOL) snprintf(text, size, "`true`, `false`");
  if (key->type == SCENE_ENUM || key->type == SCENE_WORD || key->type == SCENE_CHOICE) {
    for (PetscInt i = 0; i < AbutSceneNumWords(key); i++)
      used += (size_t)snprintf(text + used, size - used, "%s`%s`", i ? ", " : "", key->names[i]);
  }
  if (key->type == SCENE_TEXT || key->type == SCENE_NAME || key->type == SCENE_LABEL)
    snprintf(text, size, "at most %zu bytes", key->size - 1);
  if (key->bounds) {
    AbutSceneExpectNumber(key, sizeof(number), number);
    used = (size_t)snprintf(text, size, "%s", strpbrk(number, "([") ? strpbrk(number, "([") : number);
  }
  if (key->word) snprintf(text + used, size - used, ", or `%s`", key->word);
  if (key->with) snprintf(text + strlen(text), size - strlen(text), "%swith `%s`", text[0] ? "; " : "", key->with);
}

static PetscErrorCode PrintKeys(MPI_Comm comm, const SceneSection *section, const char path[])
{
  char below[PATH_SIZE] = "", type[PATH_SIZE], value[128], valid[256], replaced[256];

  PetscFunctionBegin;
  PetscCall(PetscPrintf(comm, "| key | type | default | valid | unit | meaning |\n|---|---|---|---|---|---|\n"));
  for (const SceneKey *key = section->keys; key->key; key++) {
    if (key->section) BelowPath(section, path, key, below);
    TypeText(key, below, sizeof(type), type);
    DefaultText(key, sizeof(value), value);
    ValidText(key, sizeof(valid), valid);
    ReplacedText(key->replaced, sizeof(replaced), replaced);
    PetscCall(PetscPrintf(comm, "| `%s` | %s | %s | %s | %s | %s%s%s%s |\n", key->key, type, value, valid, key->unit ? key->unit : "",
                          key->help, key->flags & SCENE_3D ? " (3D only)" : "", key->flags & SCENE_INITIAL ? " (*initial*)" : "",
                          replaced));
  }
  PetscFunctionReturn(0);
}

/* Whether the section was printed before: bodies and obstacles share the section of shapes. */
static PetscBool SeenBefore(const SceneSection *section, const SceneSection *seen[], PetscInt *num)
{
  for (PetscInt i = 0; i < *num; i++)
    if (seen[i] == section) return PETSC_TRUE;
  seen[(*num)++] = section;
  return PETSC_FALSE;
}

static PetscErrorCode PrintSection(MPI_Comm comm, const SceneSection *section, const char path[], const SceneSection *seen[], PetscInt *num)
{
  PetscFunctionBegin;
  if (SeenBefore(section, seen, num)) PetscFunctionReturn(0);
  if (section->title)
    PetscCall(PetscPrintf(comm, "\n## %s\n\n%s\n\n", section->title, section->help));
  else
    PetscCall(PetscPrintf(comm, "\n## `%s`\n\n%s\n\n", path, section->help));
  PetscCall(PrintKeys(comm, section, path));
  if (section->also) PetscCall(PetscPrintf(comm, "\nAnd the keys of [%s](#placement).\n", section->also->title));
  for (const SceneKey *key = section->keys; key->key; key++) {
    char below[PATH_SIZE];

    if (!key->section) continue;
    BelowPath(section, path, key, below);
    PetscCall(PrintSection(comm, key->section, below, seen, num));
  }
  if (section->also) PetscCall(PrintSection(comm, section->also, section->also->title, seen, num));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutScenePrintReference(MPI_Comm comm)
{
  const SceneSection *seen[64];
  PetscInt            num = 0;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(
    comm,
    "# Scene reference\n\n<!-- Printed by `abut --scene-reference` from the schema against which scenes are checked; do not edit. -->\n\n"
    "A scene is one YAML file that defines materials, bodies, obstacles, motions, loads, contact, solver and output.\n"
    "`abut check SCENE.yaml` checks a scene without running it. A complete scene, ready to run:\n\n"));
  PetscCall(PetscPrintf(comm, "%s\n%s", example, rules));
  PetscCall(PrintSection(comm, &AbutSceneRoot, "", seen, &num));
  PetscCall(PrintSection(comm, &AbutSceneDeformRoot, "", seen, &num));
  PetscFunctionReturn(0);
}
