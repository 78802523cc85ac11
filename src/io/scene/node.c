/* Nodes of the YAML document: lookup by key, their place in the file, and their text in error messages. */
#include "sceneimpl.h"
#include <stdio.h>
#include <stdlib.h>

#define DEPTH_MAX 32 /* levels of a key path in a message */

void AbutSceneWhereText(const SceneWhere *where, size_t size, char text[])
{
  const SceneWhere *chain[DEPTH_MAX];
  int               depth = 0;
  size_t            used  = 0;

  text[0] = '\0';
  for (; where && depth < DEPTH_MAX; where = where->up) chain[depth++] = where;
  while (depth-- && used < size) {
    if (chain[depth]->key)
      used += (size_t)snprintf(text + used, size - used, "%s%.100s", used ? "." : "", chain[depth]->key);
    else
      used += (size_t)snprintf(text + used, size - used, "[%" PetscInt_FMT "]", chain[depth]->index);
  }
}

static PetscErrorCode Fail(const SceneReader *r, const yaml_node_t *node, const SceneWhere *where, const char format[], va_list args)
{
  char path[512], what[3072];

  vsnprintf(what, sizeof(what), format, args);
  AbutSceneWhereText(where, sizeof(path), path);
  return AbutErrorSet(ABUT_ERR_INPUT, "%s:%zu: %s %s", r->path, node->start_mark.line + 1, path[0] ? path : "the scene", what);
}

PetscErrorCode AbutSceneFail(const SceneReader *r, const yaml_node_t *node, const SceneWhere *where, const char format[], ...)
{
  va_list args;

  va_start(args, format);
  const PetscErrorCode code = Fail(r, node, where, format, args);
  va_end(args);
  return code;
}

PetscErrorCode AbutSceneFailKey(const SceneReader *r, const yaml_node_t *node, const SceneWhere *where, const char key[],
                                const char format[], ...)
{
  const SceneWhere   here  = {where, key, 0};
  const yaml_node_t *value = AbutSceneFind(r, node, key);
  va_list            args;

  va_start(args, format);
  const PetscErrorCode code = Fail(r, value ? value : node, &here, format, args);
  va_end(args);
  return code;
}

PetscErrorCode AbutSceneFailExpected(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where)
{
  char shown[128], expected[512];

  AbutSceneShow(node, sizeof(shown), shown);
  AbutSceneExpect(key, r->draft->scene.dim, sizeof(expected), expected);
  return AbutSceneFail(r, node, where, "is %s, must be %s", shown, expected);
}

void AbutScenePlace(const SceneReader *r, const yaml_node_t *node, char place[128])
{
  const size_t length = strlen(r->path);

  snprintf(place, 128, "%s%s:%zu", length > 96 ? "..." : "", length > 96 ? r->path + length - 96 : r->path, node->start_mark.line + 1);
}

const char *AbutSceneKeyText(const SceneReader *r, const yaml_node_pair_t *pair)
{
  const yaml_node_t *key = yaml_document_get_node(r->document, pair->key);

  return key->type == YAML_SCALAR_NODE ? (const char *)key->data.scalar.value : "";
}

yaml_node_t *AbutSceneFind(const SceneReader *r, const yaml_node_t *mapping, const char key[])
{
  for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top; pair++)
    if (!strcmp(AbutSceneKeyText(r, pair), key)) return yaml_document_get_node(r->document, pair->value);
  return NULL;
}

PetscInt AbutSceneNumItems(const yaml_node_t *node)
{
  return node->type == YAML_SEQUENCE_NODE ? (PetscInt)(node->data.sequence.items.top - node->data.sequence.items.start) : -1;
}

yaml_node_t *AbutSceneItem(const SceneReader *r, const yaml_node_t *list, PetscInt i)
{
  return yaml_document_get_node(r->document, list->data.sequence.items.start[i]);
}

void AbutSceneShow(const yaml_node_t *node, size_t size, char text[])
{
  const char *quote = SceneIsPlain(node) ? "" : "\"";

  if (node->type == YAML_SEQUENCE_NODE)
    snprintf(text, size, "a list of %d", (int)AbutSceneNumItems(node));
  else if (node->type == YAML_MAPPING_NODE)
    snprintf(text, size, "a mapping");
  else if (SceneIsNull(node))
    snprintf(text, size, "empty");
  else
    snprintf(text, size, "%s%.60s%s%s", quote, SceneText(node), strlen(SceneText(node)) > 60 ? "..." : "", quote);
}

PetscErrorCode AbutSceneReplaceWord(const SceneReader *r, const SceneReplaced *table, yaml_node_t *node, const SceneWhere *where)
{
  char path[512], *word;

  PetscFunctionBegin;
  if (node->type != YAML_SCALAR_NODE) PetscFunctionReturn(0);
  while (table && table->old && strcmp(SceneText(node), table->old)) table++;
  if (!table || !table->old) PetscFunctionReturn(0);
  AbutSceneWhereText(where, sizeof(path), path);
  if (!r->rank)
    PetscCall(AbutWarn(PETSC_COMM_SELF, "%s:%zu: %s: \"%s\" is read as \"%s\", which replaces it; the next release refuses it", r->path,
                       node->start_mark.line + 1, path[0] ? path : "the scene", table->old, table->now));
  word = strdup(table->now); /* libyaml allocates with malloc() */
  PetscCheck(word, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for %zu bytes", strlen(table->now) + 1);
  free(node->data.scalar.value);
  node->data.scalar.value  = (yaml_char_t *)word;
  node->data.scalar.length = strlen(word);
  PetscFunctionReturn(0);
}
