/* Checks of expected normals. */
#include "sceneimpl.h"

/* Whether a name is "" or that of a half space: neither has contact points. */
static PetscBool IsNoBody(const AbutScene *scene, const char name[])
{
  for (PetscInt p = 0; p < scene->num_planes; p++)
    if (!strcmp(scene->planes[p].name, name)) return PETSC_TRUE;
  return (PetscBool)!name[0];
}

PetscErrorCode AbutSceneCheckExpected(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  AbutExpectedNormalSpec *expected = (AbutExpectedNormalSpec *)target;
  const SceneWhere        between  = {where, "between", 0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 2; i++)
    if (IsNoBody(&r->draft->scene, expected->body[i]))
      PetscFunctionReturn(AbutSceneFail(r, AbutSceneFind(r, node, "between"), &(SceneWhere){&between, NULL, i},
                                        "is \"%s\", must be the name of a body or of an obstacle that is a mesh", expected->body[i]));
  PetscCall(AbutSceneNormalize(r, node, where, expected->normal));
  PetscFunctionReturn(0);
}
