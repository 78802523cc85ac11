/* Checks that concern several keys of a section. */
#include "sceneimpl.h"
#include <math.h>
#include <stdlib.h>

#define SHORTEST_LANDING 1e-3 /* interval of outputs over the time step, which it shortens */
#define STEPS_MAX        1e9
#define SAME             1e-6 /* fraction of a step by which times may differ through round-off: 1.0 / 0.1 is ten steps */

PetscErrorCode AbutSceneCheckTime(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  SceneDraft   *draft = (SceneDraft *)target;
  AbutStepSpec *step  = &draft->scene.step;
  PetscReal     steps;

  PetscFunctionBegin;
  if (step->dt_min == 0) step->dt_min = step->dt;
  SceneCheck(step->dt_min <= step->dt, r, node, where, "smallest_step", "is %g, must be at most step, %g", (double)step->dt_min,
             (double)step->dt);
  SceneCheck(step->regularization <= 0 || step->integrator == ABUT_INTEGRATOR_STATIC, r, node, where, "regularization",
             "is %g, must be 0 for the integrator %s", (double)step->regularization, AbutIntegrators[step->integrator]);
  if (!draft->has_end) PetscFunctionReturn(0);
  steps = PetscCeilReal(draft->end / step->dt - SAME);
  SceneCheck(steps <= STEPS_MAX, r, node, where, "end", "is %g, that is %g steps of %g s, must be at most %g steps", (double)draft->end,
             (double)steps, (double)step->dt, STEPS_MAX);
  step->steps = PetscMax((PetscInt)steps, 1);
  if (draft->end < (steps - SAME) * step->dt) step->end = draft->end;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckTorus(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  const PetscReal *size = ((const AbutBodySpec *)target)->shape.size;

  PetscFunctionBegin;
  SceneCheck(size[1] < size[0], r, node, where, "minor", "is %g, must be less than major, %g", (double)size[1], (double)size[0]);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneNormalize(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, PetscReal normal[3])
{
  const PetscReal length = hypot(hypot(normal[0], normal[1]), normal[2]);

  PetscFunctionBegin;
  SceneCheck(length > 0 && !isinf(length), r, node, where, "normal", "has the length %g, must be a direction", (double)length);
  for (PetscInt d = 0; d < 3; d++) normal[d] /= length;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckPlane(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  return AbutSceneNormalize(r, node, where, ((SceneObstacle *)target)->plane.normal);
}

PetscErrorCode AbutSceneCheckMaterial(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  const AbutMaterialSpec *spec = (const AbutMaterialSpec *)target;

  PetscFunctionBegin;
  SceneCheck(!AbutSceneFind(r, node, "mooney") || spec->kind == ABUT_MATERIAL_MOONEY_RIVLIN, r, node, where, "mooney",
             "has no effect unless the model is mooney-rivlin");
  SceneCheck(
    spec->poisson >= 0 || AbutMaterialGetOps(spec->kind)->auxetic, r, node, where, "poisson",
    "is %g, must be in [0, 0.5) for the model %s, whose energy has no lower bound for a negative Poisson's ratio; the models stvk and "
    "linear allow (-1, 0.5)",
    (double)spec->poisson, AbutMaterialKinds[spec->kind]);
  SceneCheck(spec->poisson >= 0 || spec->incompressible != ABUT_INCOMPRESSIBLE_MEAN_DILATATION, r, node, where, "incompressible",
             "is mean-dilatation, which needs a Poisson's ratio of at least 0; poisson is %g", (double)spec->poisson);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckFields(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  AbutScene      *scene = &((SceneDraft *)target)->scene;
  const PetscReal least = SHORTEST_LANDING * scene->step.dt, interval = scene->output.fields_interval;

  PetscFunctionBegin;
  SceneCheck(interval == 0 || interval >= least, r, node, where, "interval", "is %g, must be at least %g, a thousandth of time.step",
             (double)interval, (double)least);
  scene->step.landing = scene->output.fields_interval;
  PetscFunctionReturn(0);
}
