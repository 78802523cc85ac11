/* Values of single keys: from a YAML node to a member of the struct that the section describes. */
#include "sceneimpl.h"

/* Stores one number at `index` of the integers or reals at `to`; false if the text is no number or out of range. */
static PetscBool StoreNumber(const SceneKey *key, const char text[], PetscInt index, void *to)
{
  PetscReal real;
  PetscInt  integer;

  if (key->type != SCENE_INT && key->type != SCENE_IDS) {
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
  if (SceneIsPlain(node) && StoreNumber(key, SceneText(node), index, to)) PetscFunctionReturn(0);
  AbutSceneShow(node, sizeof(shown), shown);
  AbutSceneExpectNumber(key, sizeof(expected), expected);
  PetscFunctionReturn(AbutSceneFail(r, node, where, "is %s, must be %s", shown, expected));
}

/* Reads a list of `low` to `high` numbers; *num: their number. */
static PetscErrorCode ReadItems(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, PetscInt low,
                                PetscInt high, PetscInt *num, void *to)
{
  PetscFunctionBegin;
  *num = AbutSceneNumItems(node);
  if (*num < low || *num > high) PetscFunctionReturn(AbutSceneFailExpected(r, key, node, where));
  for (PetscInt i = 0; i < *num; i++) {
    const SceneWhere here = {where, NULL, i};
    PetscCall(ReadNumber(r, key, AbutSceneItem(r, node, i), &here, i, to));
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

/* 2D: refuses entries of unused directions unless they have their default. */
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
  if (key->word && node->type == YAML_SCALAR_NODE && !strcmp(SceneText(node), key->word)) { /* quoted or not */
    if (key->word_at) *(PetscBool *)(void *)((char *)target + key->word_at) = PETSC_TRUE;
    PetscFunctionReturn(0);
  }
  if (key->form == SCENE_SCALAR) {
    if (!SceneIsPlain(node) || !StoreNumber(key, SceneText(node), 0, to)) PetscFunctionReturn(AbutSceneFailExpected(r, key, node, where));
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
  if (AbutSceneNumItems(node) != 2) PetscFunctionReturn(AbutSceneFailExpected(r, key, node, where));
  for (PetscInt side = 0; side < 2; side++) {
    const SceneWhere here = {where, NULL, side};
    PetscCall(ReadItems(r, key, AbutSceneItem(r, node, side), &here, r->draft->scene.dim, 3, &num, box + 3 * side));
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

static PetscErrorCode ReadTable(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  AbutTimeTable *table = (AbutTimeTable *)(void *)((char *)target + key->at);
  PetscInt       two, count = AbutSceneNumItems(node);

  PetscFunctionBegin;
  if (count < 2) PetscFunctionReturn(AbutSceneFailExpected(r, key, node, where));
  PetscCall(PetscMalloc1(2 * count, &table->points));
  for (PetscInt i = 0; i < count; i++) {
    const SceneWhere here  = {where, NULL, i};
    PetscReal *const point = table->points + 2 * i;
    PetscCall(ReadItems(r, key, AbutSceneItem(r, node, i), &here, 2, 2, &two, point));
    if (i && !(point[0] > point[-2]))
      PetscFunctionReturn(AbutSceneFail(r, AbutSceneItem(r, node, i), &here, "has the time %g s, must be after the time before, %g s",
                                        (double)point[0], (double)point[-2]));
  }
  table->num = count;
  PetscFunctionReturn(0);
}

static const char *WordName(const void *from, PetscInt i)
{
  return ((const char *const *)from)[i];
}

static PetscErrorCode ReadChoices(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, void *to)
{
  PetscInt *bits = (PetscInt *)to, index;

  PetscFunctionBegin;
  if (AbutSceneNumItems(node) < 1) PetscFunctionReturn(AbutSceneFailExpected(r, key, node, where));
  for (PetscInt i = 0; i < AbutSceneNumItems(node); i++) {
    const SceneWhere here = {where, NULL, i};
    PetscCall(AbutSceneFindName(r, AbutSceneItem(r, node, i), &here, key->names, AbutSceneNumWords(key), WordName, &index));
    *bits |= 1 << index;
  }
  PetscFunctionReturn(0);
}

/* One number for both coefficients; the walk reads a mapping of two. */
static PetscErrorCode ReadCoefficient(SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  SceneCoefficient *mu = (SceneCoefficient *)(void *)((char *)target + key->at);

  PetscFunctionBegin;
  PetscCall(ReadNumbers(r, key, node, where, target));
  mu->moving = mu->at_rest;
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
  case SCENE_TABLE: PetscCall(ReadTable(r, key, node, where, target)); break;
  case SCENE_BOOL:
    if (!SceneIsPlain(node) || !AbutSceneToBool(SceneText(node), &flag)) PetscFunctionReturn(AbutSceneFailExpected(r, key, node, where));
    memcpy(to, &flag, sizeof(flag));
    break;
  case SCENE_TEXT:
  case SCENE_NAME: PetscCall(AbutSceneReadText(r, key, node, where, to)); break;
  case SCENE_FILE:
  case SCENE_PATTERN: PetscCall(AbutSceneReadPath(r, key, node, where, to)); break;
  case SCENE_ENUM:
  case SCENE_CHOICE:
  case SCENE_WORD:
    PetscCall(AbutSceneFindName(r, node, where, key->names, AbutSceneNumWords(key), WordName, &index));
    if (key->type == SCENE_ENUM) *(int *)(void *)to = (int)index;
    if (key->type == SCENE_CHOICE) *(PetscInt *)(void *)to = index;
    if (key->type == SCENE_WORD) PetscCall(AbutSceneReadText(r, key, node, where, to));
    break;
  case SCENE_CHOICES: PetscCall(ReadChoices(r, key, node, where, to)); break;
  case SCENE_COEFFICIENT: PetscCall(ReadCoefficient(r, key, node, where, target)); break;
  default: PetscCall(AbutSceneReadReference(r, key, node, where, to));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneSetDefault(SceneReader *r, const SceneKey *key, const SceneWhere *where, void *target)
{
  const PetscBool is_number = (PetscBool)(key->type == SCENE_REAL || key->type == SCENE_INT);
  const PetscInt  count     = key->form == SCENE_SCALAR ? 1 : key->form == SCENE_PAIR ? 2 : 3;
  yaml_node_t     node      = {.type = YAML_SCALAR_NODE};

  PetscFunctionBegin;
  if (!key->text || (key->word && !strcmp(key->text, key->word))) PetscFunctionReturn(0);
  node.data.scalar.value  = (yaml_char_t *)(uintptr_t)key->text;
  node.data.scalar.length = strlen(key->text);
  node.data.scalar.style  = YAML_PLAIN_SCALAR_STYLE;
  for (PetscInt i = 0; is_number && i < count; i++) PetscCall(ReadNumber(r, key, &node, where, i, (char *)target + key->at));
  if (!is_number) PetscCall(AbutSceneReadValue(r, key, &node, where, target));
  PetscFunctionReturn(0);
}
