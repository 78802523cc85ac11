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

/* Counts a scalar, an alias, a list or a mapping as a child of the innermost open one. */
static PetscErrorCode AddNode(const SceneReader *r, const yaml_event_t *event, PetscBool anchored, Extent *extent)
{
  const PetscInt at = extent->depth;

  PetscFunctionBegin;
  if (++extent->nodes > NODES_MAX) PetscFunctionReturn(Exceeds(r, event, "YAML nodes", NODES_MAX));
  if (anchored && ++extent->anchors > ANCHORS_MAX) PetscFunctionReturn(Exceeds(r, event, "anchors", ANCHORS_MAX));
  if (at && ++extent->children[at] > extent->keys_max[at]) PetscFunctionReturn(Exceeds(r, event, "keys in a mapping", KEYS_MAX));
  PetscFunctionReturn(0);
}

static PetscErrorCode Open(const SceneReader *r, const yaml_event_t *event, PetscBool anchored, Extent *extent)
{
  PetscFunctionBegin;
  PetscCall(AddNode(r, event, anchored, extent));
  if (extent->depth == DEPTH_MAX) PetscFunctionReturn(Exceeds(r, event, "nested lists and mappings", DEPTH_MAX));
  extent->depth++;
  extent->children[extent->depth] = 0;
  extent->keys_max[extent->depth] = event->type == YAML_MAPPING_START_EVENT ? 2 * KEYS_MAX : NODES_MAX;
  PetscFunctionReturn(0);
}

static PetscErrorCode AddScalar(const SceneReader *r, const yaml_event_t *event, Extent *extent)
{
  PetscFunctionBegin;
  if (memchr(event->data.scalar.value, 0, event->data.scalar.length))
    PetscFunctionReturn(AbutErrorSet(ABUT_ERR_INPUT, "%s:%zu: \"%.60s\" goes on with a zero byte (\\0), which no text of a scene may have",
                                     r->path, event->start_mark.line + 1, (const char *)event->data.scalar.value));
  PetscCall(AddNode(r, event, (PetscBool)(event->data.scalar.anchor != NULL), extent));
  PetscFunctionReturn(0);
}

static PetscErrorCode AddEvent(const SceneReader *r, const yaml_event_t *event, Extent *extent)
{
  PetscFunctionBegin;
  switch (event->type) {
  case YAML_SCALAR_EVENT: PetscCall(AddScalar(r, event, extent)); break;
  case YAML_ALIAS_EVENT: PetscCall(AddNode(r, event, PETSC_FALSE, extent)); break;
  case YAML_SEQUENCE_START_EVENT: PetscCall(Open(r, event, (PetscBool)(event->data.sequence_start.anchor != NULL), extent)); break;
  case YAML_MAPPING_START_EVENT: PetscCall(Open(r, event, (PetscBool)(event->data.mapping_start.anchor != NULL), extent)); break;
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT: extent->depth--; break;
  default: break;
  }
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
