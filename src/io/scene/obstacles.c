/* Bodies and obstacles after both are read: names are unique; mesh obstacles join the bodies, half spaces become planes. */
#include "sceneimpl.h"
#include <stdlib.h>

/* Name and index of a body or obstacle; obstacles follow the bodies. */
typedef struct {
  const char *name;
  PetscInt    index;
} NamedItem;

static int CompareNames(const void *a, const void *b)
{
  const NamedItem *x = (const NamedItem *)a, *y = (const NamedItem *)b;
  const int        order = strcmp(x->name, y->name);

  return order ? order : (x->index > y->index) - (x->index < y->index);
}

static const AbutBodySpec *BodyOrObstacle(const SceneDraft *draft, PetscInt i)
{
  return i < draft->scene.num_bodies ? &draft->scene.bodies[i] : &draft->obstacles[i - draft->scene.num_bodies].body;
}

/* Refuses names that occur twice among bodies and obstacles; the message names the first of them in the file. */
static PetscErrorCode CheckNames(SceneReader *r, const yaml_node_t *root, const SceneDraft *draft)
{
  const PetscInt num_bodies = draft->scene.num_bodies, num = num_bodies + draft->num_obstacles;
  PetscInt       first = 0, again = num;
  NamedItem     *items;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(num, &items));
  for (PetscInt i = 0; i < num; i++) items[i] = (NamedItem){BodyOrObstacle(draft, i)->name, i};
  if (num) qsort(items, (size_t)num, sizeof(*items), CompareNames);
  for (PetscInt i = 1; i < num; i++) {
    if (strcmp(items[i - 1].name, items[i].name) || items[i].index >= again) continue;
    first = items[i - 1].index;
    again = items[i].index;
  }
  PetscCall(PetscFree(items));
  if (again == num) PetscFunctionReturn(0);
  const SceneWhere list = {NULL, again < num_bodies ? "bodies" : "obstacles", 0};
  const SceneWhere item = {&list, NULL, again < num_bodies ? again : again - num_bodies};
  PetscFunctionReturn(AbutSceneFailKey(r, AbutSceneItem(r, AbutSceneFind(r, root, list.key), item.index), &item, "name",
                                       "is \"%s\", which is the name of %s[%" PetscInt_FMT "] already (%s)",
                                       BodyOrObstacle(draft, again)->name, first < num_bodies ? "bodies" : "obstacles",
                                       first < num_bodies ? first : first - num_bodies, BodyOrObstacle(draft, first)->place));
}

PetscErrorCode AbutSceneSortObstacles(SceneReader *r, const yaml_node_t *root, const SceneWhere *where, void *target)
{
  SceneDraft    *draft = (SceneDraft *)target;
  AbutScene     *scene = &draft->scene;
  const PetscInt num   = draft->num_obstacles;

  PetscFunctionBegin;
  (void)where;
  PetscCall(CheckNames(r, root, draft));
  PetscCall(PetscRealloc((size_t)(scene->num_bodies + num) * sizeof(*scene->bodies), &scene->bodies));
  PetscCall(PetscCalloc1(num, &scene->planes));
  for (PetscInt i = 0; i < num; i++) {
    SceneObstacle *obstacle = &draft->obstacles[i];
    if (obstacle->is_plane) {
      PetscCall(PetscStrncpy(obstacle->plane.name, obstacle->body.name, sizeof(obstacle->plane.name)));
      scene->planes[scene->num_planes++] = obstacle->plane;
    } else {
      obstacle->body.obstacle            = PETSC_TRUE;
      obstacle->body.material            = -1;
      scene->bodies[scene->num_bodies++] = obstacle->body;
    }
  }
  PetscFunctionReturn(0);
}
