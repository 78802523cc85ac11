/* Checks that concern several keys of a section. */
#include "sceneimpl.h"
#include <math.h>
#include <stdlib.h>

#define STEPS_MAX 1e9
#define SAME      1e-6 /* fraction of a step by which times may differ through round-off: 1.0 / 0.1 is ten steps */

static PetscErrorCode CheckSmallestStep(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, AbutStepSpec *step)
{
  const SceneWhere smallest = {where, "smallest_step", 0}, ties = {where, "regularization", 0};

  PetscFunctionBegin;
  if (step->dt_min == 0) step->dt_min = step->dt;
  if (step->dt_min > step->dt)
    PetscFunctionReturn(AbutSceneFail(r, AbutSceneFind(r, node, "smallest_step"), &smallest, "is %g, must be at most step, %g",
                                      (double)step->dt_min, (double)step->dt));
  if (step->regularization > 0 && step->integrator != ABUT_INTEGRATOR_STATIC)
    PetscFunctionReturn(AbutSceneFail(r, AbutSceneFind(r, node, "regularization"), &ties, "is %g, must be 0 for the integrator %s",
                                      (double)step->regularization, AbutIntegrators[step->integrator]));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckTime(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  SceneDraft      *draft = (SceneDraft *)target;
  const SceneWhere end   = {where, "end", 0};
  PetscReal        steps;

  PetscFunctionBegin;
  PetscCall(CheckSmallestStep(r, node, where, &draft->scene.step));
  if (!draft->has_end) PetscFunctionReturn(0);
  steps = PetscCeilReal(draft->end / draft->scene.step.dt - SAME);
  if (!(steps <= STEPS_MAX)) {
    PetscFunctionReturn(AbutSceneFail(r, AbutSceneFind(r, node, "end"), &end, "is %g, that is %g steps of %g s, must be at most %g steps",
                                      (double)draft->end, (double)steps, (double)draft->scene.step.dt, STEPS_MAX));
  }
  draft->scene.step.steps = PetscMax((PetscInt)steps, 1);
  if (draft->end < (steps - SAME) * draft->scene.step.dt) draft->scene.step.end = draft->end;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckTorus(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  const AbutShapeSpec *shape = &((const AbutBodySpec *)target)->shape;
  const SceneWhere     minor = {where, "minor", 0};

  PetscFunctionBegin;
  if (shape->size[1] < shape->size[0]) PetscFunctionReturn(0);
  PetscFunctionReturn(AbutSceneFail(r, AbutSceneFind(r, node, "minor"), &minor, "is %g, must be less than major, %g",
                                    (double)shape->size[1], (double)shape->size[0]));
}

PetscErrorCode AbutSceneCheckPlane(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  PetscReal       *n      = ((SceneObstacle *)target)->plane.normal, length;
  const SceneWhere normal = {where, "normal", 0};

  PetscFunctionBegin;
  length = hypot(hypot(n[0], n[1]), n[2]);
  if (!(length > 0) || isinf(length))
    PetscFunctionReturn(
      AbutSceneFail(r, AbutSceneFind(r, node, "normal"), &normal, "has the length %g, must be a direction", (double)length));
  for (PetscInt d = 0; d < 3; d++) n[d] /= length;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckMaterial(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  const yaml_node_t *value  = AbutSceneFind(r, node, "mooney");
  const SceneWhere   mooney = {where, "mooney", 0};

  PetscFunctionBegin;
  if (!value || ((const AbutMaterialSpec *)target)->kind == ABUT_MATERIAL_MOONEY_RIVLIN) PetscFunctionReturn(0);
  PetscFunctionReturn(AbutSceneFail(r, value, &mooney, "has no effect unless the model is mooney-rivlin"));
}

/* The potentials that read a member of AbutPotentialSpec, for a message: "potentials oipc and gcp". */
static PetscErrorCode ListPotentials(unsigned field, char text[], size_t size)
{
  const AbutPotentialInfo *info;
  const char              *names[16];
  size_t                   used;
  int                      count = 0;

  PetscFunctionBegin;
  for (int i = 0; AbutPotentialNames[i] && count < 16; i++) {
    PetscCall(AbutPotentialFindInfo(AbutPotentialNames[i], &info));
    if (info->reads & field) names[count++] = info->name;
  }
  PetscCall(PetscSNPrintf(text, size, "potential%s ", count == 1 ? "" : "s"));
  for (int i = 0; i < count; i++) {
    PetscCall(PetscStrlen(text, &used));
    PetscCall(PetscSNPrintf(text + used, size - used, "%s%s", i == 0 ? "" : i == count - 1 ? " and " : ", ", names[i]));
  }
  PetscFunctionReturn(0);
}

/* Refuses parameters that the potential does not read. */
static PetscErrorCode CheckPotentialKeys(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, const AbutScene *scene)
{
  static const struct {
    const char *key;
    unsigned    field;
  } keys[]                        = {{"quadrature", ABUT_SPEC_QUADRATURE},
                                     {"alpha", ABUT_SPEC_ALPHA},
                                     {"beta", ABUT_SPEC_BETA},
                                     {"smoothness", ABUT_SPEC_SMOOTHNESS},
                                     {"edge_length", ABUT_SPEC_LENGTH}};
  const PetscInt           points = scene->step.orientation.quadrature;
  const AbutPotentialInfo *info;

  PetscFunctionBegin;
  PetscCall(AbutPotentialFindInfo(scene->step.potential, &info));
  for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
    const SceneWhere   key   = {where, keys[i].key, 0};
    const yaml_node_t *value = AbutSceneFind(r, node, keys[i].key);
    char               known[128];
    if (!value || (info->reads & keys[i].field)) continue;
    PetscCall(ListPotentials(keys[i].field, known, sizeof(known)));
    PetscFunctionReturn(AbutSceneFail(r, value, &key, "is an option of the %s, must not be given for %s", known, info->name));
  }
  if (points > info->max_quadrature[scene->dim - 2])
    PetscFunctionReturn(AbutSceneFail(r, AbutSceneFind(r, node, "quadrature"), &(SceneWhere){where, "quadrature", 0},
                                      "is %" PetscInt_FMT ", must be an integer in [1, %" PetscInt_FMT "] in %" PetscInt_FMT "D, or none",
                                      points, info->max_quadrature[scene->dim - 2], scene->dim));
  PetscFunctionReturn(0);
}

static PetscErrorCode CheckStiffness(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, const AbutScene *scene)
{
  const SceneWhere key = {where, "relative_stiffness", 0};

  PetscFunctionBegin;
  if (scene->step.kappa > 0 && scene->step.relative_kappa > 0)
    PetscFunctionReturn(AbutSceneFail(r, AbutSceneFind(r, node, key.key), &key, "is %g, must be none where stiffness is a number, %g",
                                      (double)scene->step.relative_kappa, (double)scene->step.kappa));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckContact(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  const AbutScene *scene = &((SceneDraft *)target)->scene;

  PetscFunctionBegin;
  PetscCall(CheckPotentialKeys(r, node, where, scene));
  PetscCall(CheckStiffness(r, node, where, scene));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckFields(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  AbutScene *scene = &((SceneDraft *)target)->scene;

  PetscFunctionBegin;
  (void)r, (void)node, (void)where;
  scene->step.landing = scene->output.fields_interval;
  PetscFunctionReturn(0);
}

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
PetscErrorCode AbutSceneCheckRoot(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  const SceneDraft  *draft      = (const SceneDraft *)target;
  const PetscInt     num_bodies = draft->scene.num_bodies, num = num_bodies + draft->num_obstacles;
  PetscInt           first = 0, again = num;
  NamedItem         *items;
  const yaml_node_t *list;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(num, &items));
  for (PetscInt i = 0; i < num; i++) items[i] = (NamedItem){BodyOrObstacle(draft, i)->name, i};
  qsort(items, (size_t)num, sizeof(*items), CompareNames);
  for (PetscInt i = 1; i < num; i++) {
    if (strcmp(items[i - 1].name, items[i].name) || items[i].index >= again) continue;
    first = items[i - 1].index;
    again = items[i].index;
  }
  PetscCall(PetscFree(items));
  if (again == num) PetscFunctionReturn(0);
  const SceneWhere in   = {where, again < num_bodies ? "bodies" : "obstacles", 0};
  const SceneWhere item = {&in, NULL, again < num_bodies ? again : again - num_bodies}, name = {&item, "name", 0};
  list = AbutSceneFind(r, node, in.key);
  PetscFunctionReturn(AbutSceneFail(r, AbutSceneFind(r, AbutSceneItem(r, list, item.index), "name"), &name,
                                    "is \"%s\", which is the name of %s[%" PetscInt_FMT "] already (%s)",
                                    BodyOrObstacle(draft, again)->name, first < num_bodies ? "bodies" : "obstacles",
                                    first < num_bodies ? first : first - num_bodies, BodyOrObstacle(draft, first)->place));
}
