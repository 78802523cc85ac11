/* Walks a YAML document by the schema; refuses keys that are unknown, repeated, missing or exclude each other. */
#include "sceneimpl.h"
#include <stdio.h>

const SceneKey *AbutSceneKey(const SceneSection *section, PetscInt i)
{
  for (; section; section = section->also)
    for (const SceneKey *key = section->keys, *of_tool; key->key; key++) {
      if (key->type != SCENE_TOOLS && !i--) return key;
      for (PetscInt k = 0; key->type == SCENE_TOOLS && (of_tool = (const SceneKey *)AbutRegistered(ABUT_SCENE_KEY, k)); k++)
        if (!i--) return of_tool;
    }
  return NULL;
}

/* The struct that receives the value of a key. */
static void *TargetOf(const SceneReader *r, const SceneKey *key, void *target)
{
  PetscInt k = 0;

  if (!(key->flags & SCENE_OF_TOOL)) return target;
  while (AbutRegistered(ABUT_SCENE_KEY, k) != key) k++;
  return &r->draft->scene.lists[k];
}

static PetscErrorCode CheckRepeated(const SceneReader *r, const yaml_node_t *mapping, const SceneWhere *where)
{
  const yaml_node_pair_t *start = mapping->data.mapping.pairs.start;

  PetscFunctionBegin;
  for (const yaml_node_pair_t *pair = start; pair < mapping->data.mapping.pairs.top; pair++) {
    const yaml_node_t *key = yaml_document_get_node(r->document, pair->key);
    if (key->type != YAML_SCALAR_NODE) PetscFunctionReturn(AbutSceneFail(r, key, where, "has a key that is no word"));
    for (const yaml_node_pair_t *other = start; other < pair; other++) {
      if (strcmp(AbutSceneKeyText(r, other), AbutSceneKeyText(r, pair))) continue;
      PetscFunctionReturn(AbutSceneFail(r, key, where, "has the key \"%s\" twice; the first is in line %zu", AbutSceneKeyText(r, pair),
                                        yaml_document_get_node(r->document, other->key)->start_mark.line + 1));
    }
  }
  PetscFunctionReturn(0);
}

static const char *SectionKeyName(const void *from, PetscInt i)
{
  return AbutSceneKey((const SceneSection *)from, i)->key;
}

/* The i-th key that is not read, NULL past the end. */
static const SceneRemoved *RemovedKey(const SceneReader *r, const SceneSection *section, PetscInt i)
{
  for (const SceneRemoved *old = section->removed; old && old->key; old++)
    if (!i--) return old;
  return section == r->root ? (const SceneRemoved *)AbutRegistered(ABUT_SCENE_LACKING, i) : NULL;
}

static PetscErrorCode CheckKnown(const SceneReader *r, const SceneSection *section, const yaml_node_t *mapping, const SceneWhere *where)
{
  const SceneRemoved *old;
  PetscInt            num = 0;
  char                list[1024];

  PetscFunctionBegin;
  while (AbutSceneKey(section, num)) num++;
  for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top; pair++) {
    const char *word  = AbutSceneKeyText(r, pair), *nearest;
    PetscBool   known = PETSC_FALSE;

    for (PetscInt i = 0; i < num && !known; i++) known = (PetscBool)!strcmp(word, SectionKeyName(section, i));
    if (known) continue;
    for (PetscInt i = 0; (old = RemovedKey(r, section, i)); i++)
      if (!strcmp(word, old->key))
        PetscFunctionReturn(
          AbutSceneFail(r, yaml_document_get_node(r->document, pair->key), where, "has the key \"%s\", %s", word, old->why));
    nearest = AbutNearestName(word, section, num, SectionKeyName);
    AbutSceneJoin(section, num, SectionKeyName, sizeof(list), list);
    PetscFunctionReturn(AbutSceneFail(r, yaml_document_get_node(r->document, pair->key), where,
                                      "has the unknown key \"%.60s\"%s%s%s; valid keys are: %s%s", word, nearest ? ", did you mean \"" : "",
                                      nearest ? nearest : "", nearest ? "\"?" : "", list, section->advice ? section->advice : ""));
  }
  PetscFunctionReturn(0);
}

/* Refuses two keys of a set (SCENE_ONE_OF), and none if no key of the set has a default. Adds the set to `chosen` if a key is given. */
static PetscErrorCode CheckOneOf(const SceneReader *r, const SceneSection *section, unsigned set, const yaml_node_t *mapping,
                                 const SceneWhere *where, unsigned *chosen)
{
  const SceneKey *key, *first = NULL;
  PetscBool       has_default = PETSC_TRUE;
  char            list[512]   = "";

  PetscFunctionBegin;
  for (PetscInt i = 0; (key = AbutSceneKey(section, i)); i++) {
    if (!(key->flags & set)) continue;
    if (!list[0]) has_default = PETSC_FALSE;
    if (key->text) has_default = PETSC_TRUE;
    snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", list[0] ? ", " : "", key->key);
    if (!AbutSceneFind(r, mapping, key->key)) continue;
    if (first)
      PetscFunctionReturn(AbutSceneFail(r, mapping, where, "has both %s and %s, only one of them is possible", first->key, key->key));
    first = key;
  }
  if (first) *chosen |= set;
  if (!first && !has_default) PetscFunctionReturn(AbutSceneFail(r, mapping, where, "needs one of the keys: %s", list));
  PetscFunctionReturn(0);
}

static void SetTag(const SceneKey *key, void *target)
{
  if (key->tag_at) memcpy((char *)target + key->tag_at, &key->tag, sizeof(key->tag));
}

/* Stores the defaults of a key that is not given and of all keys below it. */
static PetscErrorCode SetDefaults(SceneReader *r, const SceneKey *key, const SceneWhere *where, void *target)
{
  const SceneKey *below;

  PetscFunctionBegin;
  if (key->text) {
    PetscCall(AbutSceneSetDefault(r, key, where, target));
    SetTag(key, target);
  }
  for (PetscInt i = 0; key->type == SCENE_MAP && (below = AbutSceneKey(key->section, i)); i++)
    PetscCall(SetDefaults(r, below, where, (char *)target + key->at));
  PetscFunctionReturn(0);
}

/* Reads a list of mappings, or mappings by name, whose items start with the name. The draft owns the items, which start as zeros. */
static PetscErrorCode ReadItems(SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  static const SceneKey   name_key = {.key = "name", .type = SCENE_NAME, .size = sizeof(((AbutMaterialSpec *)0)->name)};
  const PetscBool         named = (PetscBool)(key->type == SCENE_NAMED), required = (PetscBool)(key->flags & SCENE_REQUIRED || named);
  const yaml_node_pair_t *pairs = node->type == YAML_MAPPING_NODE ? node->data.mapping.pairs.start : NULL;
  const PetscInt          num   = !named ? AbutSceneNumItems(node) : pairs ? (PetscInt)(node->data.mapping.pairs.top - pairs) : 0;
  char                   *items, shown[128];

  PetscFunctionBegin;
  AbutSceneShow(node, sizeof(shown), shown);
  if (num < (required ? 1 : 0))
    PetscFunctionReturn(AbutSceneFail(r, node, where, "is %s, must be %s%smappings%s", shown, named ? "" : "a list of ",
                                      required ? "one or more " : "", named ? " by name" : ""));
  if (named) PetscCall(CheckRepeated(r, node, where));
  PetscCall(PetscCalloc1((size_t)num * key->size, &items));
  memcpy((char *)target + key->at, &items, sizeof(items));
  memcpy((char *)target + key->count_at, &num, sizeof(num));
  for (PetscInt i = 0; i < num; i++) {
    const SceneWhere   here  = {where, named ? AbutSceneKeyText(r, &pairs[i]) : NULL, i};
    const yaml_node_t *value = named ? yaml_document_get_node(r->document, pairs[i].value) : AbutSceneItem(r, node, i);
    char              *item  = items + (size_t)i * key->size;
    if (named) PetscCall(AbutSceneReadValue(r, &name_key, yaml_document_get_node(r->document, pairs[i].key), &here, item));
    PetscCall(AbutSceneReadSection(r, key->section, value, &here, item));
  }
  PetscFunctionReturn(0);
}

/* Reads the value of a key that is given. */
static PetscErrorCode ReadGiven(SceneReader *r, const SceneKey *key, yaml_node_t *node, const SceneWhere *where, void *target)
{
  const PetscBool is_map = (PetscBool)(key->type == SCENE_MAP || (key->type == SCENE_COEFFICIENT && node->type == YAML_MAPPING_NODE));

  PetscFunctionBegin;
  SetTag(key, target);
  PetscCall(AbutSceneReplaceWord(r, key->replaced, node, where));
  if (is_map)
    PetscCall(AbutSceneReadSection(r, key->section, node, where, (char *)target + key->at));
  else if (key->type == SCENE_LIST || key->type == SCENE_NAMED)
    PetscCall(ReadItems(r, key, node, where, target));
  else
    PetscCall(AbutSceneReadValue(r, key, node, where, target));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadKey(SceneReader *r, const SceneKey *key, const yaml_node_t *mapping, const SceneWhere *where, unsigned chosen,
                              void *target)
{
  const SceneWhere here = {where, key->key, 0};
  yaml_node_t     *node = AbutSceneFind(r, mapping, key->key);

  PetscFunctionBegin;
  if (node) {
    if (key->with && !AbutSceneFind(r, mapping, key->with))
      PetscFunctionReturn(AbutSceneFail(r, node, &here, "has no effect without the key \"%s\"", key->with));
    if (key->flags & SCENE_3D && r->draft->scene.dim != 3) PetscFunctionReturn(AbutSceneFail(r, node, &here, "exists in 3D only"));
    PetscCall(ReadGiven(r, key, node, &here, target));
  } else {
    if (key->flags & SCENE_REQUIRED) PetscFunctionReturn(AbutSceneFail(r, mapping, where, "lacks the key \"%s\": %s", key->key, key->help));
    if (!(key->flags & chosen)) PetscCall(SetDefaults(r, key, &here, target));
  }
  if (key->flags & SCENE_INITIAL) PetscCall(AbutSceneRecordInitial(r->draft, key, &here, target));
  if (key->after) PetscCall(key->after(r, mapping, where, target));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneReadSection(SceneReader *r, const SceneSection *section, const yaml_node_t *node, const SceneWhere *where,
                                    void *target)
{
  const SceneKey *key;
  unsigned        chosen = 0;
  char            shown[128];

  PetscFunctionBegin;
  if (node->type != YAML_MAPPING_NODE) {
    AbutSceneShow(node, sizeof(shown), shown);
    PetscFunctionReturn(AbutSceneFail(r, node, where, "is %s, must be a mapping with the keys of the scene reference, such as \"%s\"",
                                      shown, AbutSceneKey(section, 0)->key));
  }
  PetscCall(CheckKnown(r, section, node, where)); /* first: it ends at the first unknown key, the next is quadratic in the number of keys */
  PetscCall(CheckRepeated(r, node, where));
  PetscCall(CheckOneOf(r, section, SCENE_ONE_OF, node, where, &chosen));
  PetscCall(CheckOneOf(r, section, SCENE_OTHER_ONE_OF, node, where, &chosen));
  if (section->place_at) AbutScenePlace(r, node, (char *)target + section->place_at);
  for (PetscInt i = 0; (key = AbutSceneKey(section, i)); i++) PetscCall(ReadKey(r, key, node, where, chosen, TargetOf(r, key, target)));
  if (section->check) PetscCall(section->check(r, node, where, target));
  PetscFunctionReturn(0);
}
