/* Scene files: rank 0 reads the text, every rank parses it. */
#include "sceneimpl.h"
#include <stdio.h>

#define TEXT_MAX ((size_t)1 << 28) /* bytes of a scene file */

PetscErrorCode AbutSceneReadBytes(const char path[], char **text, size_t *length)
{
  const char *why;

  PetscFunctionBegin;
  PetscCall(AbutFileRead(path, TEXT_MAX, text, length, &why));
  AbutCheck(!why, ABUT_ERR_INPUT, "%s: cannot be read as a scene: %s", path, why);
  PetscFunctionReturn(0);
}

static PetscErrorCode BroadcastText(MPI_Comm comm, PetscMPIInt rank, char **text, size_t *length)
{
  PetscInt64 bytes = (PetscInt64)*length;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(&bytes, 1, MPIU_INT64, 0, comm));
  *length = (size_t)bytes;
  if (rank) PetscCall(PetscMalloc1(*length + 1, text)); /* libyaml takes no NULL for an empty text */
  PetscCallMPI(MPI_Bcast(*text, (PetscMPIInt)bytes, MPI_CHAR, 0, comm));
  PetscFunctionReturn(0);
}

/* Whether a line (counted from 0) is indented with a tab, which libyaml's message does not mention. */
static PetscBool HasTab(const char text[], size_t length, size_t line)
{
  size_t at = 0;

  for (; at < length && line; at++) line -= text[at] == '\n';
  while (at < length && text[at] == ' ') at++;
  return (PetscBool)(at < length && text[at] == '\t');
}

static PetscErrorCode FailYAML(const SceneReader *r, const yaml_parser_t *parser, const char text[], size_t length)
{
  size_t line         = parser->problem_mark.line;
  char   context[128] = "";

  if (parser->error == YAML_READER_ERROR) {
    line = 0;
    for (size_t i = 0; i < parser->problem_offset && i < length; i++) line += text[i] == '\n';
  }
  if (parser->context) snprintf(context, sizeof(context), " %s in line %zu", parser->context, parser->context_mark.line + 1);
  return AbutErrorSet(ABUT_ERR_INPUT, "%s:%zu: is no valid YAML: %s%s%s", r->path, line + 1,
                      parser->problem ? parser->problem : "unreadable", context,
                      HasTab(text, length, line) ? "; the line is indented with a tab, must be blanks" : "");
}

static PetscErrorCode ReadDocument(SceneReader *r)
{
  yaml_node_t *root = yaml_document_get_root_node(r->document), *version;

  PetscFunctionBegin;
  AbutCheck(root, ABUT_ERR_INPUT, "%s:1: the scene is empty, must be a mapping that starts with \"abut: 1\"", r->path);
  if (root->type == YAML_MAPPING_NODE && (version = AbutSceneFind(r, root, "abut"))) { /* other versions may have other keys */
    const SceneWhere where = {NULL, "abut", 0};
    PetscCall(AbutSceneReadValue(r, AbutSceneKey(r->root, 0), version, &where, r->target));
  }
  PetscCall(AbutSceneReadSection(r, r->root, root, NULL, r->target));
  PetscFunctionReturn(0);
}

static PetscErrorCode ParseDocuments(SceneReader *r, yaml_parser_t *parser, const char text[], size_t length)
{
  yaml_document_t document, second;
  PetscBool       more;

  PetscFunctionBegin;
  if (!yaml_parser_load(parser, &document)) PetscFunctionReturn(FailYAML(r, parser, text, length));
  r->document            = &document;
  PetscErrorCode verdict = ReadDocument(r);
  yaml_document_delete(&document);
  r->document = NULL;
  PetscCall(verdict);
  if (!yaml_parser_load(parser, &second)) PetscFunctionReturn(FailYAML(r, parser, text, length));
  more = (PetscBool)(yaml_document_get_root_node(&second) != NULL);
  yaml_document_delete(&second);
  AbutCheck(!more, ABUT_ERR_INPUT, "%s:%zu: a second document starts here, a scene is one", r->path, parser->mark.line + 1);
  PetscFunctionReturn(0);
}

/* Parses the text twice: for its size, then for its contents. */
static PetscErrorCode ParseText(SceneReader *r, const char text[], size_t length)
{
  PetscErrorCode verdict = 0;

  PetscFunctionBegin;
  for (int pass = 0; pass < 2 && !verdict; pass++) {
    yaml_parser_t parser;

    PetscCheck(yaml_parser_initialize(&parser), PETSC_COMM_SELF, PETSC_ERR_MEM, "libyaml does not start");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    verdict = pass ? ParseDocuments(r, &parser, text, length) : AbutSceneCheckLimits(r, &parser);
    yaml_parser_delete(&parser);
  }
  PetscFunctionReturn(verdict);
}

PetscErrorCode AbutSceneReadFile(MPI_Comm comm, const char path[], const SceneSection *root, void *target, SceneDraft *draft)
{
  SceneDraft     own    = {.scene = {.dim = 3}};
  SceneReader    reader = {.path = path, .root = root, .target = target, .draft = draft ? draft : &own};
  char          *text   = NULL;
  size_t         length = 0;
  PetscErrorCode verdict;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &reader.rank));
  AbutCheck(strlen(path) < PETSC_MAX_PATH_LEN, ABUT_ERR_INPUT, "the path of the scene has %zu bytes, must have less than %d: %.60s...",
            strlen(path), PETSC_MAX_PATH_LEN, path);
  PetscCall(AbutAgree(comm, reader.rank ? 0 : AbutSceneReadBytes(path, &text, &length)));
  PetscCall(BroadcastText(comm, reader.rank, &text, &length));
  verdict = AbutAgree(comm, ParseText(&reader, text, length));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(verdict);
}

/* In quasi-static steps tolerance and friction speed are lengths of a step, not of a second, and have other defaults. */
static void SetStaticDefaults(SceneDraft *draft)
{
  AbutStepSpec *step = &draft->scene.step;

  if (step->integrator != ABUT_INTEGRATOR_STATIC) return;
  if (!draft->has_tolerance) step->tolerance = (AbutQuantity){1e-3, PETSC_TRUE};
  if (!draft->has_friction_speed) step->friction_speed = (AbutQuantity){0, PETSC_TRUE};
}

PetscErrorCode AbutSceneRead(MPI_Comm comm, const char path[], AbutScene **scene)
{
  SceneDraft    *draft;
  PetscErrorCode verdict;

  PetscFunctionBegin;
  PetscCall(PetscNew(&draft));
  draft->scene.dim = 3;
  PetscCall(PetscStrncpy(draft->scene.path, path, sizeof(draft->scene.path)));
  verdict = AbutSceneReadFile(comm, path, &AbutSceneRoot, draft, draft);
  SetStaticDefaults(draft);
  if (!verdict) verdict = AbutSceneBuildFriction(draft);
  if (!verdict) verdict = AbutSceneRecordContact(&draft->scene);
  PetscCall(PetscFree(draft->obstacles));
  PetscCall(PetscFree(draft->pairs));
  PetscCall(PetscNew(scene));
  **scene = draft->scene;
  PetscCall(PetscFree(draft));
  if (verdict) PetscCall(AbutSceneDestroy(scene));
  PetscFunctionReturn(verdict);
}

const AbutScene *AbutSceneDraftGet(const SceneReader *r)
{
  return &r->draft->scene;
}

const AbutSceneList *AbutSceneGetList(const AbutScene *scene, const char key[])
{
  static const AbutSceneList none = {0, NULL};
  const SceneKey            *registered;

  for (PetscInt k = 0; (registered = (const SceneKey *)AbutRegistered(ABUT_SCENE_KEY, k)); k++)
    if (!strcmp(registered->key, key)) return &scene->lists[k];
  return &none;
}

AbutSimulationSpec AbutSceneGetSimulation(const AbutScene *scene)
{
  return (AbutSimulationSpec){.dim           = scene->dim,
                              .num_bodies    = scene->num_bodies,
                              .num_materials = scene->num_materials,
                              .num_planes    = scene->num_planes,
                              .num_motions   = scene->num_motions,
                              .num_loads     = scene->num_loads,
                              .bodies        = scene->bodies,
                              .materials     = scene->materials,
                              .planes        = scene->planes,
                              .motions       = scene->motions,
                              .loads         = scene->loads,
                              .num_ties      = scene->num_ties,
                              .ties          = scene->ties,
                              .step          = scene->step};
}

PetscErrorCode AbutSceneDestroy(AbutScene **scene)
{
  AbutScene *s = *scene;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < s->num_motions; i++) {
    PetscCall(PetscFree(s->motions[i].selection.ids));
    PetscCall(PetscFree(s->motions[i].table.points));
  }
  for (PetscInt l = 0; l < s->num_loads; l++) {
    PetscCall(PetscFree(s->loads[l].selection.ids));
    PetscCall(PetscFree(s->loads[l].table.points));
  }
  for (PetscInt t = 0; t < s->num_ties; t++) {
    PetscCall(PetscFree(s->ties[t].select.ids));
    PetscCall(PetscFree(s->ties[t].to.ids));
  }
  for (PetscInt m = 0; m < s->num_materials; m++) {
    PetscCall(PetscFree(s->materials[m].ogden));
    PetscCall(PetscFree(s->materials[m].prony));
  }
  PetscCall(PetscFree(s->materials));
  for (PetscInt b = 0; b < s->num_bodies; b++) PetscCall(PetscFree(s->bodies[b].regions));
  PetscCall(PetscFree(s->bodies));
  PetscCall(PetscFree(s->planes));
  PetscCall(PetscFree(s->motions));
  PetscCall(PetscFree(s->loads));
  PetscCall(PetscFree(s->ties));
  for (PetscInt i = 0; i < ABUT_SCENE_LISTS; i++) PetscCall(PetscFree(s->lists[i].items));
  PetscCall(PetscFree(s->surfaces));
  PetscCall(PetscFree(s->initial));
  PetscCall(PetscFree2(s->step.friction.mu_static, s->step.friction.mu_kinetic));
  PetscCall(PetscFree(*scene));
  PetscFunctionReturn(0);
}
