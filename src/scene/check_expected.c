/* Checks of expected normals. */
#include "sceneimpl.h"
#include <math.h>

/* Whether a name is "" or that of a half space: neither has contact points. */
static PetscBool IsNoBody(const SceneDraft *draft, const char name[])
{
  for (PetscInt o = 0; o < draft->num_obstacles; o++)
    if (draft->obstacles[o].is_plane && !strcmp(draft->obstacles[o].body.name, name)) return PETSC_TRUE;
  return (PetscBool)!name[0];
}

PetscErrorCode AbutSceneCheckExpected(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  AbutExpectedNormalSpec *expected = (AbutExpectedNormalSpec *)target;
  const SceneWhere        between = {where, "between", 0}, normal = {where, "normal", 0};
  const PetscReal         length = hypot(hypot(expected->normal[0], expected->normal[1]), expected->normal[2]);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 2; i++)
    if (IsNoBody(r->draft, expected->body[i]))
      PetscFunctionReturn(AbutSceneFail(r, AbutSceneFind(r, node, "between"), &(SceneWhere){&between, NULL, i},
                                        "is \"%s\", must be the name of a body or of an obstacle that is a mesh", expected->body[i]));
  if (!(length > 0) || isinf(length))
    PetscFunctionReturn(
      AbutSceneFail(r, AbutSceneFind(r, node, "normal"), &normal, "has the length %g, must be a direction", (double)length));
  for (PetscInt d = 0; d < 3; d++) expected->normal[d] /= length;
  PetscFunctionReturn(0);
}
