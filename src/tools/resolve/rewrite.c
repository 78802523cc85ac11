/* Writes a scene with new meshes for some bodies: edits the text of the scene file, so that comments and all other keys stay. */
#include "resolve.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Replaces the bytes [from, to) of the scene file. */
typedef struct {
  size_t from, to;
  char   text[2 * PETSC_MAX_PATH_LEN];
} Edit;

typedef struct {
  SceneReader          reader;
  const AbutScene     *scene;
  const char          *text; /* of the scene file */
  size_t               length;
  char                 folder[2 * PETSC_MAX_PATH_LEN]; /* of the old scene, relative to the new one, with a trailing slash */
  PetscInt             num_meshes;
  const AbutSceneMesh *meshes;
  PetscInt             num, capacity;
  Edit                *edit; /* [num] of the whole file */
  FILE                *file; /* new scene */
} Rewrite;

static PetscErrorCode AddEdit(Rewrite *w, size_t from, size_t to, const char text[])
{
  PetscFunctionBegin;
  AbutCheck(strlen(text) < sizeof(w->edit->text), ABUT_ERR_INPUT, "%s: the path %.60s... is too long", w->reader.path, text);
  PetscCall(AbutReserve(w->num + 1, &w->capacity, &w->edit));
  w->edit[w->num].from = from;
  w->edit[w->num].to   = to;
  PetscCall(PetscStrncpy(w->edit[w->num++].text, text, sizeof(w->edit->text)));
  PetscFunctionReturn(0);
}

/* ---- Places in the text */

/* Offset in bytes of a mark, which counts characters. */
static size_t Offset(const Rewrite *w, const yaml_mark_t *mark)
{
  size_t at = w->length >= 3 && !strncmp(w->text, "\xef\xbb\xbf", 3) ? 3 : 0;

  for (size_t index = 0; at < w->length && index < mark->index; index++)
    for (at++; at < w->length && (w->text[at] & 0xc0) == 0x80;) at++;
  return at;
}

/* End of the text of a node. libyaml ends block mappings and lists at the next token, behind blank lines and comments. */
static size_t NodeEnd(const Rewrite *w, const yaml_node_t *node)
{
  size_t         end = Offset(w, &node->start_mark);
  const PetscInt num = AbutSceneNumItems(node);

  if (node->type == YAML_MAPPING_NODE && node->data.mapping.style != YAML_FLOW_MAPPING_STYLE) {
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++)
      end = PetscMax(end, NodeEnd(w, yaml_document_get_node(w->reader.document, pair->value)));
  } else if (num >= 0 && node->data.sequence.style != YAML_FLOW_SEQUENCE_STYLE) {
    for (PetscInt i = 0; i < num; i++) end = PetscMax(end, NodeEnd(w, AbutSceneItem(&w->reader, node, i)));
  } else {
    end = Offset(w, &node->end_mark);
  }
  return end;
}

/* Text in double quotes. */
static void Quote(const char text[], size_t size, char quoted[])
{
  size_t n = 0;

  quoted[n++] = '"';
  for (const char *c = text; *c && n + 3 < size; c++) {
    if (*c == '"' || *c == '\\') quoted[n++] = '\\';
    quoted[n++] = *c;
  }
  quoted[n++] = '"';
  quoted[n]   = '\0';
}

/* ---- Paths */

/* The path of folder `to` relative to folder `from`, with a trailing slash; both are absolute. */
static void RelativeFolder(const char from[], const char to[], size_t size, char path[])
{
  size_t same = 0, at = 0, used = 0;

  for (at = 0; from[at] && from[at] == to[at]; at++)
    if (from[at] == '/') same = at + 1;
  if ((!from[at] && (!to[at] || to[at] == '/')) || (from[at] == '/' && !to[at])) same = at + (from[at] || to[at]);
  path[0] = '\0';
  for (const char *c = from + PetscMin(same, strlen(from)); *c && used + 4 < size; c += strcspn(c, "/") + (c[strcspn(c, "/")] == '/'))
    used += (size_t)snprintf(path + used, size - used, "../");
  if (same < strlen(to)) snprintf(path + used, size - used, "%s/", to + same);
}

static PetscErrorCode SetFolder(Rewrite *w, const char target[])
{
  char copy[2][PETSC_MAX_PATH_LEN], *absolute[2];

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(copy[0], w->reader.path, sizeof(copy[0])));
  PetscCall(PetscStrncpy(copy[1], target, sizeof(copy[1])));
  for (int i = 0; i < 2; i++) {
    char *slash = strrchr(copy[i], '/');

    if (slash) *slash = '\0';
    absolute[i] = realpath(!slash ? "." : copy[i][0] ? copy[i] : "/", NULL);
  }
  if (absolute[0] && absolute[1]) RelativeFolder(absolute[1], absolute[0], sizeof(w->folder), w->folder);
  const PetscBool found = (PetscBool)(absolute[0] && absolute[1]);
  for (int i = 0; i < 2; i++) free(absolute[i]);
  AbutCheck(found, ABUT_ERR_IO, "the folder of %s or %s cannot be found: %s", w->reader.path, target, strerror(errno));
  PetscFunctionReturn(0);
}

/* Makes a relative path start at the folder of the new scene. In a pattern % is doubled in the folder. */
static PetscErrorCode EditPath(Rewrite *w, const SceneKey *key, const yaml_node_t *node)
{
  const char *path = SceneText(node);
  char        moved[3 * PETSC_MAX_PATH_LEN], quoted[4 * PETSC_MAX_PATH_LEN];
  size_t      n = 0;

  PetscFunctionBegin;
  if (path[0] == '/') PetscFunctionReturn(0);
  for (const char *c = w->folder; *c && n + 3 < sizeof(moved); c++) {
    if (*c == '%' && key->type == SCENE_PATTERN) moved[n++] = '%';
    moved[n++] = *c;
  }
  snprintf(moved + n, sizeof(moved) - n, "%s", path);
  Quote(moved, sizeof(quoted), quoted);
  PetscCall(AddEdit(w, Offset(w, &node->start_mark), Offset(w, &node->end_mark), quoted));
  PetscFunctionReturn(0);
}

/* Edits all paths below a section. */
static PetscErrorCode EditPaths(Rewrite *w, const SceneSection *section, const yaml_node_t *mapping)
{
  const SceneKey *key;

  PetscFunctionBegin;
  for (PetscInt i = 0; (key = AbutSceneKey(section, i)); i++) {
    const yaml_node_t *node = AbutSceneFind(&w->reader, mapping, key->key);
    const PetscInt     num  = node ? AbutSceneNumItems(node) : -1;

    if (!node) continue;
    if (key->type == SCENE_FILE || key->type == SCENE_PATTERN) PetscCall(EditPath(w, key, node));
    if (key->type == SCENE_MAP) PetscCall(EditPaths(w, key->section, node));
    for (PetscInt k = 0; key->type == SCENE_LIST && k < num; k++) PetscCall(EditPaths(w, key->section, AbutSceneItem(&w->reader, node, k)));
  }
  PetscFunctionReturn(0);
}

/* ---- Bodies */

/* Removes a placement key from its line, or gives it the value that has no effect if it shares the line with others. */
static PetscErrorCode RemoveKey(Rewrite *w, const yaml_node_t *key, const yaml_node_t *value)
{
  const char  *zero = w->scene->dim == 2 ? "[0, 0]" : "[0, 0, 0]", *one = w->scene->dim == 2 ? "[1, 1]" : "[1, 1, 1]";
  const char  *name = SceneText(key), *neutral = zero;
  const size_t end = NodeEnd(w, value), blanks = strspn(w->text + end, " \r");
  size_t       start = Offset(w, &key->start_mark);
  PetscBool    alone = (PetscBool)(w->text[end + blanks] == '\n' || w->text[end + blanks] == '#' || end + blanks == w->length);

  PetscFunctionBegin;
  while (start > 0 && w->text[start - 1] == ' ') start--;
  if (start == 0 || w->text[start - 1] != '\n') alone = PETSC_FALSE;
  if (!strcmp(name, "center")) neutral = "false";
  if (!strcmp(name, "scale") || !strcmp(name, "copies")) neutral = one;
  if (!strcmp(name, "rotate") && w->scene->dim == 2) neutral = "0";
  if (alone)
    PetscCall(AddEdit(w, start - 1, end, "")); /* a comment behind the value moves to the line above */
  else
    PetscCall(AddEdit(w, Offset(w, &value->start_mark), end, neutral));
  PetscFunctionReturn(0);
}

static int CompareEdits(const void *a, const void *b)
{
  const Edit *p = (const Edit *)a, *q = (const Edit *)b;

  return p->from < q->from ? -1 : p->from > q->from;
}

/* Writes the text [from, to) with the edits inside. Edits are disjoint. */
static PetscErrorCode WriteText(Rewrite *w, size_t from, size_t to, PetscInt num, Edit edits[])
{
  PetscFunctionBegin;
  if (num) qsort(edits, (size_t)num, sizeof(*edits), CompareEdits);
  for (PetscInt i = 0; i < num; i++) {
    if (edits[i].from < from || edits[i].to > to) continue;
    fwrite(w->text + from, 1, edits[i].from - from, w->file);
    fputs(edits[i].text, w->file);
    from = edits[i].to;
  }
  fwrite(w->text + from, 1, to - from, w->file);
  PetscFunctionReturn(0);
}

/* Replaces the value of the key "shape" by a file. */
static PetscErrorCode EditShape(Rewrite *w, const yaml_node_t *key, const yaml_node_t *value, const char file[])
{
  char quoted[2 * PETSC_MAX_PATH_LEN], shape[3 * PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  Quote(file, sizeof(quoted), quoted);
  snprintf(shape, sizeof(shape), " {file: %s}", quoted);
  PetscCall(AddEdit(w, Offset(w, &key->end_mark) + 1, NodeEnd(w, value), shape));
  PetscFunctionReturn(0);
}

static PetscErrorCode EditName(Rewrite *w, const yaml_node_t *value, const char name[])
{
  char quoted[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (!strcmp(SceneText(value), name)) PetscFunctionReturn(0);
  Quote(name, sizeof(quoted), quoted);
  PetscCall(AddEdit(w, Offset(w, &value->start_mark), NodeEnd(w, value), quoted));
  PetscFunctionReturn(0);
}

/* Whether the key is one of the placement keys. */
static PetscBool IsPlacement(const char word[])
{
  const SceneKey *key;

  for (PetscInt i = 0; (key = AbutSceneKey(&AbutScenePlacement, i)); i++)
    if (!strcmp(word, key->key)) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Replaces the file of the key "start", or adds the key before "shape" (`key`). */
static PetscErrorCode EditStart(Rewrite *w, const yaml_node_t *item, const yaml_node_t *key, const AbutSceneMesh *mesh)
{
  const yaml_node_t *old = AbutSceneFind(&w->reader, item, "start");
  const size_t       at  = Offset(w, &key->start_mark);
  const PetscBool    row = (PetscBool)(item->data.mapping.style == YAML_FLOW_MAPPING_STYLE);
  char               quoted[2 * PETSC_MAX_PATH_LEN - 64], text[2 * PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (!mesh->start && !old) PetscFunctionReturn(0);
  Quote(mesh->start ? mesh->start : mesh->file, sizeof(quoted), quoted);
  if (old) {
    PetscCall(AddEdit(w, Offset(w, &old->start_mark), NodeEnd(w, old), quoted));
    PetscFunctionReturn(0);
  }
  snprintf(text, sizeof(text), "start: %s%s%*s", quoted, row ? ", " : "\n", row ? 0 : (int)key->start_mark.column, "");
  PetscCall(AddEdit(w, at, at, text));
  PetscFunctionReturn(0);
}

/* Edits of a body for one mesh: its shape, start, name and placement. */
static PetscErrorCode EditBody(Rewrite *w, const yaml_node_t *item, const AbutSceneMesh *mesh)
{
  PetscFunctionBegin;
  for (const yaml_node_pair_t *pair = item->data.mapping.pairs.start; pair < item->data.mapping.pairs.top; pair++) {
    const yaml_node_t *key   = yaml_document_get_node(w->reader.document, pair->key);
    const yaml_node_t *value = yaml_document_get_node(w->reader.document, pair->value);

    if (!strcmp(SceneText(key), "shape")) {
      PetscCall(EditStart(w, item, key, mesh));
      PetscCall(mesh->file ? EditShape(w, key, value, mesh->file) : EditPaths(w, &AbutSceneShape, value));
    }
    if (!strcmp(SceneText(key), "name")) PetscCall(EditName(w, value, mesh->name));
    if (mesh->file && IsPlacement(SceneText(key))) PetscCall(RemoveKey(w, key, value));
  }
  PetscFunctionReturn(0);
}

/* Writes the body once for each of its meshes. */
static PetscErrorCode WriteBody(Rewrite *w, PetscBool flow, const yaml_node_t *item, PetscInt body)
{
  const size_t from = Offset(w, &item->start_mark), to = NodeEnd(w, item);
  PetscInt     count = 0;
  size_t       dash  = from, line;

  PetscFunctionBegin;
  while (dash > 0 && w->text[dash] != '-') dash--;
  for (line = dash; line > 0 && w->text[line - 1] != '\n';) line--;
  for (PetscInt i = 0; i < w->num_meshes; i++) {
    const PetscInt first = w->num;

    if (w->meshes[i].body != body) continue;
    if (count++) fputs(flow ? ", " : "\n", w->file);
    if (count > 1 && !flow) fprintf(w->file, "%*s- ", (int)(dash - line), "");
    PetscCall(EditBody(w, item, &w->meshes[i]));
    PetscCall(WriteText(w, from, to, w->num - first, w->edit + first));
    w->num = first;
  }
  PetscFunctionReturn(0);
}

static PetscBool HasMesh(const Rewrite *w, PetscInt body)
{
  for (PetscInt i = 0; i < w->num_meshes; i++)
    if (w->meshes[i].body == body) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode WriteAll(Rewrite *w)
{
  const yaml_node_t *root   = yaml_document_get_root_node(w->reader.document);
  const yaml_node_t *bodies = AbutSceneFind(&w->reader, root, "bodies");
  const PetscBool    flow   = (PetscBool)(bodies && bodies->data.sequence.style == YAML_FLOW_SEQUENCE_STYLE);
  size_t             at     = 0;
  PetscInt           paths;

  PetscFunctionBegin;
  PetscCall(EditPaths(w, &AbutSceneRoot, root));
  paths = w->num;
  for (PetscInt i = 0; bodies && i < AbutSceneNumItems(bodies); i++) {
    const yaml_node_t *item = AbutSceneItem(&w->reader, bodies, i);

    if (!HasMesh(w, i)) continue;
    PetscCall(WriteText(w, at, Offset(w, &item->start_mark), paths, w->edit));
    PetscCall(WriteBody(w, flow, item, i));
    at = NodeEnd(w, item);
  }
  PetscCall(WriteText(w, at, w->length, paths, w->edit));
  PetscFunctionReturn(0);
}

/* Refuses anchors and aliases: an edit at one place would change others. */
static PetscErrorCode RefuseAliases(const Rewrite *w)
{
  yaml_parser_t  parser;
  yaml_event_t   event;
  PetscBool      end  = PETSC_FALSE;
  PetscErrorCode code = 0;

  PetscFunctionBegin;
  PetscCheck(yaml_parser_initialize(&parser), PETSC_COMM_SELF, PETSC_ERR_MEM, "libyaml does not start");
  yaml_parser_set_input_string(&parser, (const unsigned char *)w->text, w->length);
  while (!end && !code && yaml_parser_parse(&parser, &event)) {
    end = (PetscBool)(event.type == YAML_STREAM_END_EVENT);
    if (event.type == YAML_ALIAS_EVENT)
      code = AbutErrorSet(ABUT_ERR_INPUT, "%s:%zu: the alias *%s cannot be kept in a scene with new meshes; write its value out",
                          w->reader.path, event.start_mark.line + 1, (const char *)event.data.alias.anchor);
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  PetscFunctionReturn(code);
}

static PetscErrorCode WriteDocument(Rewrite *w, const char target[])
{
  yaml_parser_t   parser;
  yaml_document_t document;
  PetscErrorCode  code;

  PetscFunctionBegin;
  PetscCall(RefuseAliases(w));
  PetscCall(SetFolder(w, target));
  PetscCheck(yaml_parser_initialize(&parser), PETSC_COMM_SELF, PETSC_ERR_MEM, "libyaml does not start");
  yaml_parser_set_input_string(&parser, (const unsigned char *)w->text, w->length);
  const PetscBool parsed = (PetscBool)yaml_parser_load(&parser, &document);
  yaml_parser_delete(&parser);
  AbutCheck(parsed, ABUT_ERR_IO, "%s: the scene has changed since it was read", w->reader.path);
  w->reader.document = &document;
  code               = WriteAll(w);
  yaml_document_delete(&document);
  PetscFunctionReturn(code);
}

PetscErrorCode AbutSceneWriteMeshes(const AbutScene *scene, const char target[], PetscInt num, const AbutSceneMesh meshes[])
{
  Rewrite        w    = {.reader = {.path = scene->path}, .scene = scene, .num_meshes = num, .meshes = meshes};
  char          *text = NULL;
  PetscErrorCode code;

  PetscFunctionBegin;
  code = AbutSceneReadBytes(scene->path, &text, &w.length);
  if (!code) {
    w.file = fopen(target, "w");
    if (!w.file) code = AbutErrorSet(ABUT_ERR_IO, "cannot write %s: %s", target, strerror(errno));
  }
  w.text = text;
  if (!code) code = WriteDocument(&w, target);
  if (w.file && (ferror(w.file) | fclose(w.file)) && !code)
    code = AbutErrorSet(ABUT_ERR_IO, "cannot write %s: %s", target, strerror(errno));
  if (code && w.file) unlink(target);
  PetscCall(PetscFree(text));
  PetscCall(PetscFree(w.edit));
  PetscFunctionReturn(code);
}
