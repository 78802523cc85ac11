/* Friction: labels of surfaces and the table of coefficients of all pairs of labels. */
#include "sceneimpl.h"

PetscErrorCode AbutSceneCheckBody(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  AbutBodySpec   *body   = (AbutBodySpec *)target;
  const PetscInt *copies = body->shape.copies;

  PetscFunctionBegin;
  SceneCheck(!body->start[0] || copies[0] * copies[1] * copies[2] == 1, r, node, where, "start",
             "has the positions of one body, but `copies` makes several; write them as separate bodies");
  if (!AbutSceneFind(r, node, "surface"))
    PetscCall(AbutSceneInternLabel(r->draft, r->draft->scene.materials[body->material].name, &body->surface));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckObstacle(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  SceneObstacle *obstacle = (SceneObstacle *)target;

  PetscFunctionBegin;
  SceneCheck(!obstacle->is_plane || !AbutSceneFind(r, node, "oriented"), r, node, where, "oriented",
             "is not for a plane, whose normal says it");
  if (!AbutSceneFind(r, node, "surface")) PetscCall(AbutSceneInternLabel(r->draft, obstacle->body.name, &obstacle->body.surface));
  obstacle->plane.surface = obstacle->body.surface;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckCoefficient(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  const SceneCoefficient *mu = (const SceneCoefficient *)target;

  PetscFunctionBegin;
  SceneCheck(mu->moving <= mu->at_rest, r, node, where, "kinetic", "is %g, must be at most static, %g", (double)mu->moving,
             (double)mu->at_rest);
  PetscFunctionReturn(0);
}

static PetscBool SamePair(const SceneFrictionPair *a, const SceneFrictionPair *b)
{
  return (PetscBool)((a->surface[0] == b->surface[0] && a->surface[1] == b->surface[1]) ||
                     (a->surface[0] == b->surface[1] && a->surface[1] == b->surface[0]));
}

PetscBool AbutSceneIsOfBody(const AbutScene *scene, PetscInt surface)
{
  for (PetscInt b = 0; b < scene->num_bodies; b++)
    if (!scene->bodies[b].obstacle && scene->bodies[b].surface == surface) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Each pair occurs once, in either order, and at least one of its surfaces belongs to a body. */
PetscErrorCode AbutSceneCheckFriction(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  const SceneDraft        *draft = (const SceneDraft *)target;
  const AbutScene         *scene = &draft->scene;
  const SceneFrictionPair *pairs = draft->pairs;
  const SceneWhere         in    = {where, "pairs", 0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < draft->num_pairs; i++) {
    const yaml_node_t *item = AbutSceneItem(r, AbutSceneFind(r, node, "pairs"), i);
    const SceneWhere   here = {&in, NULL, i};
    const PetscInt     a = pairs[i].surface[0], b = pairs[i].surface[1];
    SceneCheck(AbutSceneIsOfBody(scene, a) || AbutSceneIsOfBody(scene, b), r, item, &here, "between",
               "is %s and %s, obstacles, which never touch; one of the two must be a surface of bodies", scene->surfaces[a],
               scene->surfaces[b]);
    for (PetscInt j = 0; j < i; j++) {
      if (!SamePair(&pairs[i], &pairs[j])) continue;
      PetscFunctionReturn(AbutSceneFail(r, item, &here, "is the pair %s and %s, as pairs[%" PetscInt_FMT "] is already (%s)",
                                        scene->surfaces[a], scene->surfaces[b], j, pairs[j].place));
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneBuildFriction(SceneDraft *draft)
{
  AbutFrictionTable *table = &draft->scene.step.friction;
  const PetscInt     n     = draft->scene.num_surfaces;

  PetscFunctionBegin;
  table->num_surfaces = n;
  PetscCall(PetscMalloc2(n * n, &table->mu_static, n * n, &table->mu_kinetic));
  for (PetscInt k = 0; k < n * n; k++) {
    table->mu_static[k]  = draft->friction.at_rest;
    table->mu_kinetic[k] = draft->friction.moving;
  }
  for (PetscInt p = 0; p < draft->num_pairs; p++) {
    const SceneFrictionPair *pair = &draft->pairs[p];
    for (int side = 0; side < 2; side++) {
      const PetscInt k     = pair->surface[side] * n + pair->surface[1 - side];
      table->mu_static[k]  = pair->mu.at_rest;
      table->mu_kinetic[k] = pair->mu.moving;
    }
  }
  PetscFunctionReturn(0);
}
