/* Paths in a scene, relative to its folder. */
#include "sceneimpl.h"
#include <stdio.h>

/* Reason why the mesh file cannot be read, NULL if it can; the .obj of the same name replaces a missing .seg or .pt. */
static const char *WhyUnreadable(const char path[])
{
  const char *suffix = strrchr(path, '.'), *why = AbutFileWhyUnreadable(path);
  char        other[PETSC_MAX_PATH_LEN];

  if (!why || !suffix || (strcmp(suffix, ".seg") && strcmp(suffix, ".pt"))) return why;
  snprintf(other, sizeof(other), "%.*s.obj", (int)(suffix - path), path);
  return AbutFileWhyUnreadable(other);
}

/* The folder of the scene file with a trailing slash; a pattern gets every % doubled. Returns the length of the text. */
static size_t Folder(const SceneReader *r, PetscBool pattern, size_t size, char folder[])
{
  const char *slash = strrchr(r->path, '/');
  size_t      n     = 0;

  for (const char *p = r->path; slash && p <= slash && n + 2 < size; p++) {
    if (pattern && *p == '%') folder[n++] = '%';
    folder[n++] = *p;
  }
  folder[n] = '\0';
  return n;
}

PetscErrorCode AbutSceneReadPath(const SceneReader *r, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where, char to[])
{
  const PetscBool pattern = (PetscBool)(key->type == SCENE_PATTERN);
  size_t          used    = 0;
  const char     *why;

  PetscFunctionBegin;
  if (node->type != YAML_SCALAR_NODE || SceneIsNull(node) || !SceneText(node)[0])
    PetscFunctionReturn(AbutSceneFailExpected(r, key, node, where));
  if (pattern && !AbutSequenceIsPattern(SceneText(node))) PetscFunctionReturn(AbutSceneFailExpected(r, key, node, where));
  if (SceneText(node)[0] != '/') used = Folder(r, pattern, key->size, to);
  if (used + strlen(SceneText(node)) >= key->size)
    PetscFunctionReturn(AbutSceneFail(r, node, where, "is too long, must be a path of less than %zu bytes", key->size));
  PetscCall(PetscStrncpy(to + used, SceneText(node), key->size - used));
  if (r->rank || pattern) PetscFunctionReturn(0);
  if ((why = WhyUnreadable(to)))
    PetscFunctionReturn(AbutSceneFail(r, node, where, "is \"%s\", but %s cannot be read: %s (paths are relative to the scene file)",
                                      SceneText(node), to, why));
  PetscFunctionReturn(0);
}
