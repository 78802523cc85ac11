/* Values of single keys: from a YAML node to the place that the schema names. */
#include "scene_schema.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *Text(const yaml_node_t *node)
{
  return (const char *)node->data.scalar.value;
}

static PetscBool IsPlain(const yaml_node_t *node)
{
  return (PetscBool)(node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE);
}

static PetscBool IsNull(const yaml_node_t *node)
{
  return (PetscBool)(IsPlain(node) && (!Text(node)[0] || !strcmp(Text(node), "~") || !strcmp(Text(node), "null")));
}

PetscInt AbutSceneNumItems(const yaml_node_t *node)
{
  return node->type == YAML_SEQUENCE_NODE ? (PetscInt)(node->data.sequence.items.top - node->data.sequence.items.start) : -1;
}

void AbutSceneShow(const yaml_node_t *node, size_t size, char text[])
{
  const char *quote = IsPlain(node) ? "" : "\"";

  if (node->type == YAML_SEQUENCE_NODE)
    snprintf(text, size, "a list of %d", (int)AbutSceneNumItems(node));
  else if (node->type == YAML_MAPPING_NODE)
    snprintf(text, size, "a mapping");
  else if (IsNull(node))
    snprintf(text, size, "empty");
  else
    snprintf(text, size, "%s%.60s%s%s", quote, Text(node), strlen(Text(node)) > 60 ? "..." : "", quote);
}

static PetscErrorCode FailExpected(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where)
{
  char shown[128], expected[512];

  AbutSceneShow(node, sizeof(shown), shown);
  AbutSceneExpect(key, r->draft->scene.dim, sizeof(expected), expected);
  return AbutSceneFail(r, node, where, "is %s, must be %s", shown, expected);
}

/* Stores one number at `index` of the integers or reals at `to`; false if it is none or out of range. */
static PetscBool StoreNumber(const SceneKey *key, const char text[], PetscInt index, void *to)
{
  PetscReal real;
  PetscInt  integer;

  if (key->type == SCENE_REAL || key->type == SCENE_BOX) {
    if (!AbutSceneToReal(text, &real) || !AbutSceneInRange(key, real)) return PETSC_FALSE;
    ((PetscReal *)to)[index] = real;
  } else {
    if (!AbutSceneToInt(text, &integer) || !AbutSceneInRange(key, (PetscReal)integer)) return PETSC_FALSE;
    ((PetscInt *)to)[index] = integer;
  }
  return PETSC_TRUE;
}

static PetscErrorCode ReadNumber(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where,
                                 PetscInt index, void *to)
{
  char shown[128], expected[128];

  PetscFunctionBegin;
  if (IsPlain(node) && StoreNumber(key, Text(node), index, to)) PetscFunctionReturn(0);
  AbutSceneShow(node, sizeof(shown), shown);
  AbutSceneExpectNumber(key, sizeof(expected), expected);
  PetscFunctionReturn(AbutSceneFail(r, node, where, "is %s, must be %s", shown, expected));
}

/* The items of a list of `low` to `high` numbers; *num says how many there are. */
static PetscErrorCode ReadItems(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, PetscInt low,
                                PetscInt high, PetscInt *num, void *to)
{
  PetscFunctionBegin;
  *num = AbutSceneNumItems(node);
  if (*num < low || *num > high) PetscFunctionReturn(FailExpected(r, key, node, where));
  for (PetscInt i = 0; i < *num; i++) {
    const SceneWhere here = {where, NULL, i};
    PetscCall(ReadNumber(r, key, yaml_document_get_node(r->document, node->data.sequence.items.start[i]), &here, i, to));
  }
  PetscFunctionReturn(0);
}

static void StoreFill(const SceneKey *key, PetscReal value, PetscInt index, void *to)
{
  if (key->type == SCENE_INT)
    ((PetscInt *)to)[index] = (PetscInt)value;
  else
    ((PetscReal *)to)[index] = value;
}

/* 2D: entries that have no meaning must be what they would be if they were left out. */
static PetscErrorCode CheckFlat(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, const void *to)
{
  const PetscInt first = key->form == SCENE_AXIS ? 0 : 2, end = key->form == SCENE_AXIS ? 2 : 3;

  PetscFunctionBegin;
  for (PetscInt i = first; i < end; i++) {
    const SceneWhere here  = {where, NULL, i};
    const PetscReal  value = key->type == SCENE_INT ? (PetscReal)((const PetscInt *)to)[i] : ((const PetscReal *)to)[i];
    if (value != key->fill) PetscFunctionReturn(AbutSceneFail(r, node, &here, "is %g, must be %g in 2D", (double)value, (double)key->fill));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadVector(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, void *to)
{
  const PetscInt dim = r->draft->scene.dim;
  PetscInt       num;

  PetscFunctionBegin;
  if (key->form == SCENE_UNIFORM && node->type == YAML_SCALAR_NODE) {
    for (PetscInt i = 0; i < 3; i++) PetscCall(ReadNumber(r, key, node, where, i, to));
    if (dim == 2) StoreFill(key, key->fill, 2, to);
    PetscFunctionReturn(0);
  }
  if (key->form == SCENE_AXIS && dim == 2 && node->type == YAML_SCALAR_NODE) {
    PetscCall(ReadNumber(r, key, node, where, 2, to));
    PetscFunctionReturn(0);
  }
  PetscCall(ReadItems(r, key, node, where, key->form == SCENE_AXIS ? 3 : dim, 3, &num, to));
  if (num == 2)
    StoreFill(key, key->fill, 2, to);
  else if (dim == 2)
    PetscCall(CheckFlat(r, key, node, where, to));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadNumbers(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  char    *to = (char *)target + key->at;
  PetscInt num;

  PetscFunctionBegin;
  if (key->word && IsPlain(node) && !strcmp(Text(node), key->word)) {
    if (key->word_at) *(PetscBool *)(void *)((char *)target + key->word_at) = PETSC_TRUE;
    PetscFunctionReturn(0);
  }
  if (key->form == SCENE_SCALAR) {
    if (!IsPlain(node) || !StoreNumber(key, Text(node), 0, to)) PetscFunctionReturn(FailExpected(r, key, node, where));
  } else if (key->form == SCENE_PAIR) {
    PetscCall(ReadItems(r, key, node, where, 2, 2, &num, to));
  } else {
    PetscCall(ReadVector(r, key, node, where, to));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadBox(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  PetscReal *box = (PetscReal *)(void *)((char *)target + key->at);
  PetscInt   num;

  PetscFunctionBegin;
  if (AbutSceneNumItems(node) != 2) PetscFunctionReturn(FailExpected(r, key, node, where));
  for (PetscInt side = 0; side < 2; side++) {
    const SceneWhere here = {where, NULL, side};
    PetscCall(ReadItems(r, key, yaml_document_get_node(r->document, node->data.sequence.items.start[side]), &here, r->draft->scene.dim, 3,
                        &num, box + 3 * side));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadIds(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  PetscInt *ids = NULL, *num = (PetscInt *)(void *)((char *)target + key->count_at);

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(PetscMax(AbutSceneNumItems(node), 0), &ids));
  memcpy((char *)target + key->at, &ids, sizeof(ids));
  PetscCall(ReadItems(r, key, node, where, 1, PETSC_MAX_INT, num, ids));
  PetscFunctionReturn(0);
}

/* Brackets and commas name the copies of a body, a slash would part a name in files. */
static PetscBool IsName(const char text[])
{
  for (const char *p = text; *p; p++)
    if ((unsigned char)*p < ' ' || *p == 127 || strchr("[],/\"", *p)) return PETSC_FALSE;
  return (PetscBool)(text[0] != '\0');
}

static PetscErrorCode ReadText(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, char to[])
{
  PetscFunctionBegin;
  if (node->type != YAML_SCALAR_NODE || IsNull(node) || node->data.scalar.length >= key->size ||
      strlen(Text(node)) != node->data.scalar.length)
    PetscFunctionReturn(FailExpected(r, key, node, where));
  if (key->type == SCENE_NAME && !IsName(Text(node)))
    PetscFunctionReturn(
      AbutSceneFail(r, node, where, "is \"%s\", must be a name: not empty, without the characters [ ] , / \"", Text(node)));
  PetscCall(PetscStrncpy(to, Text(node), key->size));
  PetscFunctionReturn(0);
}

/* Is it a file, and ours to read? errno says why not. */
static PetscBool CanRead(const char path[])
{
  struct stat status;

  if (access(path, R_OK) || stat(path, &status)) return PETSC_FALSE;
  if (S_ISDIR(status.st_mode)) errno = EISDIR;
  return (PetscBool)!S_ISDIR(status.st_mode);
}

/* Segments and points may also come from the .obj of the same name. */
static PetscBool CanReadMesh(const char path[])
{
  const char *suffix = strrchr(path, '.');
  char        other[PETSC_MAX_PATH_LEN];

  if (CanRead(path)) return PETSC_TRUE;
  if (!suffix || (strcmp(suffix, ".seg") && strcmp(suffix, ".pt"))) return PETSC_FALSE;
  snprintf(other, sizeof(other), "%.*s.obj", (int)(suffix - path), path);
  return CanRead(other);
}

static PetscErrorCode ReadFilePath(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, char to[])
{
  const char *slash = strrchr(r->path, '/');
  int         used;

  PetscFunctionBegin;
  if (node->type != YAML_SCALAR_NODE || IsNull(node) || !Text(node)[0]) PetscFunctionReturn(FailExpected(r, key, node, where));
  if (Text(node)[0] == '/' || !slash)
    used = snprintf(to, key->size, "%s", Text(node));
  else
    used = snprintf(to, key->size, "%.*s/%s", (int)(slash - r->path), r->path, Text(node));
  if (used >= (int)key->size)
    PetscFunctionReturn(AbutSceneFail(r, node, where, "is too long, must be a path of less than %zu bytes", key->size));
  if (r->rank) PetscFunctionReturn(0);
  if (!CanReadMesh(to)) {
    PetscFunctionReturn(AbutSceneFail(r, node, where, "is \"%s\", but %s cannot be read: %s (paths are relative to the scene file)",
                                      Text(node), to, strerror(errno)));
  }
  PetscFunctionReturn(0);
}

/* Index of a scalar among names; the message lists them. */
static PetscErrorCode FindName(const SceneReader *r, const yaml_node_t *node, const SceneWhere *where, const void *from, PetscInt num,
                               SceneNameFn name, PetscInt *index)
{
  char        shown[128], list[1024];
  const char *nearest = NULL;

  PetscFunctionBegin;
  for (*index = 0; node->type == YAML_SCALAR_NODE && *index < num; (*index)++)
    if (!strcmp(Text(node), name(from, *index))) PetscFunctionReturn(0);
  AbutSceneShow(node, sizeof(shown), shown);
  AbutSceneJoin(from, num, name, sizeof(list), list);
  if (node->type == YAML_SCALAR_NODE) nearest = AbutSceneNearest(Text(node), from, num, name);
  PetscFunctionReturn(AbutSceneFail(r, node, where, "is %s, must be one of: %s%s%s%s", shown, list, nearest ? "; did you mean " : "",
                                    nearest ? nearest : "", nearest ? "?" : ""));
}

static const char *WordName(const void *from, PetscInt i)
{
  return ((const char *const *)from)[i];
}

static const char *MaterialName(const void *from, PetscInt i)
{
  return ((const AbutMaterialSpec *)from)[i].name;
}

/* The mesh bodies of a draft, then its obstacles that are meshes. */
static const AbutBodySpec *DraftBody(const SceneDraft *draft, PetscInt i)
{
  if (i < draft->scene.num_bodies) return &draft->scene.bodies[i];
  i -= draft->scene.num_bodies;
  for (PetscInt o = 0; o < draft->num_obstacles; o++)
    if (!draft->obstacles[o].is_plane && !i--) return &draft->obstacles[o].body;
  return NULL;
}

static const char *BodyName(const void *from, PetscInt i)
{
  return DraftBody((const SceneDraft *)from, i)->name;
}

static PetscBool NamesCopy(const AbutBodySpec *body, const char text[])
{
  const size_t    n = strlen(body->name);
  const PetscInt *m = body->shape.copies;
  long            i = 0, j = 0, k = 0;
  int             used = 0;

  if (strncmp(text, body->name, n) || (m[0] == 1 && m[1] == 1 && m[2] == 1) || sscanf(text + n, "[%ld,%ld,%ld]%n", &i, &j, &k, &used) != 3)
    return PETSC_FALSE;
  return (PetscBool)(used > 0 && !text[n + (size_t)used] && i >= 0 && j >= 0 && k >= 0 && i < m[0] && j < m[1] && k < m[2]);
}

static PetscErrorCode ReadBodyName(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, char to[])
{
  const SceneDraft *draft = r->draft;
  PetscInt          num   = draft->scene.num_bodies, index;
  PetscBool         known = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt o = 0; o < draft->num_obstacles; o++) num += !draft->obstacles[o].is_plane;
  for (PetscInt i = 0; node->type == YAML_SCALAR_NODE && i < num && !known; i++)
    known = (PetscBool)(!strcmp(Text(node), BodyName(draft, i)) || NamesCopy(DraftBody(draft, i), Text(node)));
  for (PetscInt o = 0; node->type == YAML_SCALAR_NODE && !known && o < draft->num_obstacles; o++) {
    if (draft->obstacles[o].is_plane && !strcmp(Text(node), draft->obstacles[o].body.name))
      PetscFunctionReturn(AbutSceneFail(r, node, where, "is \"%s\", which is a plane: planes do not move", Text(node)));
  }
  if (!known) PetscCall(FindName(r, node, where, draft, num, BodyName, &index));
  PetscCall(ReadText(r, key, node, where, to));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneReadValue(SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  char     *to = (char *)target + key->at;
  PetscInt  index;
  PetscBool flag;

  PetscFunctionBegin;
  switch (key->type) {
  case SCENE_REAL:
  case SCENE_INT: PetscCall(ReadNumbers(r, key, node, where, target)); break;
  case SCENE_BOX: PetscCall(ReadBox(r, key, node, where, target)); break;
  case SCENE_IDS: PetscCall(ReadIds(r, key, node, where, target)); break;
  case SCENE_BOOL:
    if (!IsPlain(node) || !AbutSceneToBool(Text(node), &flag)) PetscFunctionReturn(FailExpected(r, key, node, where));
    memcpy(to, &flag, sizeof(flag));
    break;
  case SCENE_TEXT:
  case SCENE_NAME: PetscCall(ReadText(r, key, node, where, to)); break;
  case SCENE_FILE: PetscCall(ReadFilePath(r, key, node, where, to)); break;
  case SCENE_ENUM: {
    PetscCall(FindName(r, node, where, key->names, AbutSceneNumWords(key), WordName, &index));
    const int value = (int)index;
    memcpy(to, &value, sizeof(value));
    break;
  }
  case SCENE_WORD:
    PetscCall(FindName(r, node, where, key->names, AbutSceneNumWords(key), WordName, &index));
    PetscCall(ReadText(r, key, node, where, to));
    break;
  case SCENE_MATERIAL:
    PetscCall(FindName(r, node, where, r->draft->scene.materials, r->draft->scene.num_materials, MaterialName, (PetscInt *)(void *)to));
    break;
  case SCENE_BODY: PetscCall(ReadBodyName(r, key, node, where, to)); break;
  default: SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is no value", key->key);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneSetDefault(const SceneKey *key, void *target)
{
  char          *to    = (char *)target + key->at;
  const PetscInt count = key->form == SCENE_SCALAR ? 1 : key->form == SCENE_PAIR ? 2 : 3;
  PetscBool      flag  = PETSC_TRUE;
  int            value = 0;

  PetscFunctionBegin;
  if (!key->text || (key->word && !strcmp(key->text, key->word))) PetscFunctionReturn(0);
  switch (key->type) {
  case SCENE_REAL:
  case SCENE_INT:
    for (PetscInt i = 0; flag && i < count; i++) flag = StoreNumber(key, key->text, i, to);
    break;
  case SCENE_BOOL: flag = AbutSceneToBool(key->text, (PetscBool *)(void *)to); break;
  case SCENE_WORD: PetscCall(PetscStrncpy(to, key->text, key->size)); break;
  case SCENE_ENUM:
    while (value < (int)AbutSceneNumWords(key) && strcmp(key->names[value], key->text)) value++;
    flag = (PetscBool)(value < (int)AbutSceneNumWords(key));
    memcpy(to, &value, sizeof(value));
    break;
  default: flag = PETSC_FALSE;
  }
  PetscCheck(flag, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The default \"%s\" of %s is no value of it", key->text, key->key);
  PetscFunctionReturn(0);
}
