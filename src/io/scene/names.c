/* Values that are names or labels. */
#include "sceneimpl.h"
#include <stdio.h>

#define LABELS_MAX 4096 /* labels of surfaces; the table of friction coefficients has an entry for each pair */

/* Excludes characters that names of copies, files and tables use. */
static PetscBool IsName(const char text[])
{
  for (const char *p = text; *p; p++)
    if ((unsigned char)*p < ' ' || *p == 127 || strchr("[],/\"", *p)) return PETSC_FALSE;
  return (PetscBool)(text[0] != '\0');
}

PetscErrorCode AbutSceneReadText(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, char to[])
{
  PetscFunctionBegin;
  if (node->type != YAML_SCALAR_NODE || SceneIsNull(node) || node->data.scalar.length >= key->size ||
      strlen(SceneText(node)) != node->data.scalar.length)
    PetscFunctionReturn(AbutSceneFailExpected(r, key, node, where));
  if ((key->type == SCENE_NAME || key->type == SCENE_LABEL) && !IsName(SceneText(node)))
    PetscFunctionReturn(
      AbutSceneFail(r, node, where, "is \"%s\", must be a name: not empty, without the characters [ ] , / \"", SceneText(node)));
  PetscCall(PetscStrncpy(to, SceneText(node), key->size));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneFindName(const SceneReader *r, const yaml_node_t *node, const SceneWhere *where, const void *from, PetscInt num,
                                 AbutNameFn name, PetscInt *index)
{
  char        shown[128], list[1024];
  const char *nearest = NULL;

  PetscFunctionBegin;
  for (*index = 0; node->type == YAML_SCALAR_NODE && *index < num; (*index)++)
    if (!strcmp(SceneText(node), name(from, *index))) PetscFunctionReturn(0);
  AbutSceneShow(node, sizeof(shown), shown);
  AbutSceneJoin(from, num, name, sizeof(list), list);
  if (node->type == YAML_SCALAR_NODE) nearest = AbutNearestName(SceneText(node), from, num, name);
  PetscFunctionReturn(AbutSceneFail(r, node, where, "is %s, must be one of: %s%s%s%s", shown, list, nearest ? "; did you mean " : "",
                                    nearest ? nearest : "", nearest ? "?" : ""));
}

static const char *MaterialName(const void *from, PetscInt i)
{
  return ((const AbutMaterialSpec *)from)[i].name;
}

static const char *BodyName(const void *from, PetscInt i)
{
  return ((const AbutScene *)from)->bodies[i].name;
}

static const char *PlaneName(const void *from, PetscInt i)
{
  return ((const AbutScene *)from)->planes[i].name;
}

/* Name of the i-th of the bodies and mesh obstacles, followed by the planes. */
static const char *SubjectName(const void *from, PetscInt i)
{
  const PetscInt num = ((const AbutScene *)from)->num_bodies;

  return i < num ? BodyName(from, i) : PlaneName(from, i - num);
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

static PetscBool IsBody(const AbutScene *scene, const yaml_node_t *node)
{
  for (PetscInt b = 0; node->type == YAML_SCALAR_NODE && b < scene->num_bodies; b++)
    if (!strcmp(SceneText(node), scene->bodies[b].name) || NamesCopy(&scene->bodies[b], SceneText(node))) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscBool IsPlane(const AbutScene *scene, const yaml_node_t *node)
{
  for (PetscInt p = 0; node->type == YAML_SCALAR_NODE && p < scene->num_planes; p++)
    if (!strcmp(SceneText(node), scene->planes[p].name)) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode ReadBodyName(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, char to[])
{
  const AbutScene *scene = &r->draft->scene;
  PetscInt         index;

  PetscFunctionBegin;
  if (!IsBody(scene, node)) {
    if (IsPlane(scene, node))
      PetscFunctionReturn(AbutSceneFail(r, node, where,
                                        "is \"%s\", which is a plane and has no vertices; only motions take planes, by \"plane: %s\"",
                                        SceneText(node), SceneText(node)));
    PetscCall(AbutSceneFindName(r, node, where, scene, scene->num_bodies, BodyName, &index));
  }
  PetscCall(AbutSceneReadText(r, key, node, where, to));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadSubject(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, char to[])
{
  const AbutScene *scene = &r->draft->scene;
  const PetscBool  all   = (PetscBool)(node->type == YAML_SCALAR_NODE && !SceneIsNull(node) && !SceneText(node)[0]);
  PetscInt         index;

  PetscFunctionBegin;
  if (!all && !IsBody(scene, node) && !IsPlane(scene, node))
    PetscCall(AbutSceneFindName(r, node, where, scene, scene->num_bodies + scene->num_planes, SubjectName, &index));
  PetscCall(AbutSceneReadText(r, key, node, where, to));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneInternLabel(SceneDraft *draft, const char label[], PetscInt *index)
{
  AbutScene *scene = &draft->scene;

  PetscFunctionBegin;
  for (*index = 0; *index < scene->num_surfaces; (*index)++)
    if (!strcmp(scene->surfaces[*index], label)) PetscFunctionReturn(0);
  AbutCheck(scene->num_surfaces < LABELS_MAX, ABUT_ERR_INPUT,
            "%s: more than %d labels of surfaces (materials, obstacles, planes and every `surface` have one), a scene has at most %d",
            scene->path, LABELS_MAX, LABELS_MAX);
  PetscCall(PetscRealloc((size_t)(scene->num_surfaces + 1) * sizeof(*scene->surfaces), &scene->surfaces));
  PetscCall(PetscStrncpy(scene->surfaces[scene->num_surfaces++], label, sizeof(*scene->surfaces)));
  PetscFunctionReturn(0);
}

static const char *LabelName(const void *from, PetscInt i)
{
  return ((const AbutScene *)from)->surfaces[i];
}

static PetscErrorCode ReadTwo(SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, void *to)
{
  const AbutScene *scene = &r->draft->scene;

  PetscFunctionBegin;
  if (AbutSceneNumItems(node) != 2) PetscFunctionReturn(AbutSceneFailExpected(r, key, node, where));
  for (PetscInt i = 0; i < 2; i++) {
    const SceneWhere here = {where, NULL, i};
    if (key->type == SCENE_LABELS)
      PetscCall(AbutSceneFindName(r, AbutSceneItem(r, node, i), &here, scene, scene->num_surfaces, LabelName, (PetscInt *)to + i));
    else
      PetscCall(ReadSubject(r, key, AbutSceneItem(r, node, i), &here, (char *)to + (size_t)i * key->size));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneReadReference(SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, void *to)
{
  const AbutScene *scene = &r->draft->scene;
  SceneLabel       label;

  PetscFunctionBegin;
  switch (key->type) {
  case SCENE_MATERIAL:
    PetscCall(AbutSceneFindName(r, node, where, scene->materials, scene->num_materials, MaterialName, (PetscInt *)to));
    break;
  case SCENE_BODY: PetscCall(ReadBodyName(r, key, node, where, (char *)to)); break;
  case SCENE_PLANE:
    if (!scene->num_planes) PetscFunctionReturn(AbutSceneFail(r, node, where, "names a plane, but the scene has none"));
    PetscCall(AbutSceneFindName(r, node, where, scene, scene->num_planes, PlaneName, (PetscInt *)to));
    break;
  case SCENE_SUBJECT: PetscCall(ReadSubject(r, key, node, where, (char *)to)); break;
  case SCENE_LABEL:
    PetscCall(AbutSceneReadText(r, key, node, where, label));
    PetscCall(AbutSceneInternLabel(r->draft, label, (PetscInt *)to));
    break;
  default: PetscCall(ReadTwo(r, key, node, where, to));
  }
  PetscFunctionReturn(0);
}
