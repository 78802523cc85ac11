/* Size of a scene's YAML text, checked event by event before the document is built: some limits keep the reader's run time linear. */
#include "sceneimpl.h"

#define DEPTH_MAX   32      /* nested lists and mappings; the schema needs 8 */
#define KEYS_MAX    10000   /* of one mapping: repeated keys are searched pair by pair */
#define ANCHORS_MAX 1000    /* libyaml searches them one by one */
#define NODES_MAX   2000000 /* about 100 bytes each */

typedef struct {
  PetscInt depth, nodes, anchors;
  PetscInt children[DEPTH_MAX + 1]; /* of the open lists and mappings; a mapping counts keys and values */
  PetscInt keys_max[DEPTH_MAX + 1]; /* children that an open mapping may have; a list: NODES_MAX */
} Extent;

static PetscErrorCode Exceeds(const SceneReader *r, const yaml_event_t *event, const char what[], PetscInt limit)
{
  return AbutErrorSet(ABUT_ERR_INPUT, "%s:%zu: more than %" PetscInt_FMT " %s, a scene has at most %" PetscInt_FMT, r->path,
                      event->start_mark.line + 1, limit, what, limit);
}

static PetscErrorCode AddEvent(const SceneReader *r, const yaml_event_t *event, Extent *extent)
{
  const PetscBool is_map = (PetscBool)(event->type == YAML_MAPPING_START_EVENT), is_text = (PetscBool)(event->type == YAML_SCALAR_EVENT);
  const PetscBool opens    = (PetscBool)(is_map || event->type == YAML_SEQUENCE_START_EVENT);
  const PetscBool anchored = (PetscBool)((is_map && event->data.mapping_start.anchor) || (is_text && event->data.scalar.anchor) ||
                                         (opens && !is_map && event->data.sequence_start.anchor));

  PetscFunctionBegin;
  if (event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT) extent->depth--;
  if (!opens && !is_text && event->type != YAML_ALIAS_EVENT) PetscFunctionReturn(0);
  if (is_text && memchr(event->data.scalar.value, 0, event->data.scalar.length))
    PetscFunctionReturn(AbutErrorSet(ABUT_ERR_INPUT, "%s:%zu: \"%.60s\" goes on with a zero byte (\\0), which no text of a scene may have",
                                     r->path, event->start_mark.line + 1, (const char *)event->data.scalar.value));
  if (++extent->nodes > NODES_MAX) PetscFunctionReturn(Exceeds(r, event, "YAML nodes", NODES_MAX));
  if (anchored && ++extent->anchors > ANCHORS_MAX) PetscFunctionReturn(Exceeds(r, event, "anchors", ANCHORS_MAX));
  if (extent->depth && ++extent->children[extent->depth] > extent->keys_max[extent->depth])
    PetscFunctionReturn(Exceeds(r, event, "keys in a mapping", KEYS_MAX));
  if (!opens) PetscFunctionReturn(0);
  if (extent->depth == DEPTH_MAX) PetscFunctionReturn(Exceeds(r, event, "nested lists and mappings", DEPTH_MAX));
  extent->depth++;
  extent->children[extent->depth] = 0;
  extent->keys_max[extent->depth] = is_map ? 2 * KEYS_MAX : NODES_MAX;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckLimits(const SceneReader *r, yaml_parser_t *parser)
{
  Extent         extent  = {0};
  PetscErrorCode verdict = 0;
  PetscBool      more    = PETSC_TRUE;

  PetscFunctionBegin;
  while (more && !verdict) {
    yaml_event_t event;

    if (!yaml_parser_parse(parser, &event)) PetscFunctionReturn(0); /* no valid YAML: the reader of the document says why */
    more    = (PetscBool)(event.type != YAML_STREAM_END_EVENT);
    verdict = AddEvent(r, &event, &extent);
    yaml_event_delete(&event);
  }
  PetscFunctionReturn(verdict);
}
