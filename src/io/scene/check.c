/* Checks that concern several keys of a section. */
#include "sceneimpl.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SHORTEST_LANDING 1e-3 /* interval of outputs over the time step, which it shortens */
#define STEPS_MAX        1e9
/* 1/2 minus the largest Poisson's ratio from a bulk modulus: lambda then has 7 digits */
#define LEAST_COMPRESSIBLE 1e-9
#define SAME               1e-6 /* fraction of a step by which times may differ through round-off: 1.0 / 0.1 is ten steps */

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

/* Keys that belong to some models. */
static PetscErrorCode CheckModelKeys(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, const AbutMaterialSpec *spec)
{
  const AbutMaterialOps *ops = AbutMaterialGetOps(spec->kind);

  const PetscBool is_mooney = (PetscBool)(spec->kind == ABUT_MATERIAL_MOONEY_RIVLIN), has_c10 = (PetscBool) !!AbutSceneFind(r, node, "c10");

  PetscFunctionBegin;
  SceneCheck(!AbutSceneFind(r, node, "mooney") || is_mooney, r, node, where, "mooney", "has no effect unless the model is mooney-rivlin");
  SceneCheck(!AbutSceneFind(r, node, "mooney") || !has_c10, r, node, where, "mooney", "follows from c10 and c01, only one way is possible");
  SceneCheck(!has_c10 || is_mooney || spec->kind == ABUT_MATERIAL_NEO_HOOKEAN, r, node, where, "c10",
             "belongs to the models neo-hookean and mooney-rivlin; the model is %s", AbutMaterialKinds[spec->kind]);
  SceneCheck(!has_c10 || is_mooney == (PetscBool) !!AbutSceneFind(r, node, "c01"), r, node, where, is_mooney ? "c10" : "c01",
             is_mooney ? "needs the key c01 beside it with the model mooney-rivlin" : "has no effect unless the model is mooney-rivlin");
  SceneCheck(!has_c10 || spec->moduli.c10 + spec->moduli.c01 > 0, r, node, where, "c10", "is 0, the sum of c10 and c01 must be positive");
  SceneCheck((spec->kind == ABUT_MATERIAL_J2_PLASTICITY) == (spec->yield > 0), r, node, where, spec->yield > 0 ? "yield" : "model",
             spec->yield > 0 ? "has no effect unless the model is j2-plasticity" : "is j2-plasticity, which needs the key yield");
  SceneCheck(!spec->num_prony || (ops->barrier && !ops->flow), r, node, where, "prony",
             "belongs to the models neo-hookean, mooney-rivlin and ogden; the model is %s", AbutMaterialKinds[spec->kind]);
  SceneCheck((spec->kind == ABUT_MATERIAL_OGDEN) == (spec->num_ogden > 0), r, node, where, spec->num_ogden ? "ogden" : "model",
             spec->num_ogden ? "has no effect unless the model is ogden" : "is ogden, which needs the key ogden with its terms");
  SceneCheck(!spec->num_ogden || !AbutOgdenObjection(spec->num_ogden, spec->ogden), r, node, where, "ogden", "is refused: %s",
             AbutOgdenObjection(spec->num_ogden, spec->ogden));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckMaterial(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  AbutMaterialSpec *spec    = (AbutMaterialSpec *)target;
  const PetscBool   by_bulk = (PetscBool)(spec->moduli.bulk > 0);
  char              value[96];

  PetscFunctionBegin;
  PetscCall(CheckModelKeys(r, node, where, spec));
  AbutMaterialDerive(spec);
  snprintf(value, sizeof(value), "%g", (double)(by_bulk ? spec->moduli.bulk : spec->poisson));
  if (by_bulk) snprintf(value + strlen(value), sizeof(value) - strlen(value), ", a Poisson's ratio of %.9g", (double)spec->poisson);
  SceneCheck(!by_bulk || (spec->poisson > -1 && spec->poisson <= 0.5 - LEAST_COMPRESSIBLE), r, node, where, "bulk",
             "is %s, which must be above -1 and at most 0.5 - %g", value, LEAST_COMPRESSIBLE);
  SceneCheck(
    spec->poisson >= 0 || AbutMaterialGetOps(spec->kind)->auxetic, r, node, where, by_bulk ? "bulk" : "poisson",
    "is %s%s must be in [0, 0.5) for the model %s, whose energy has no lower bound for a negative Poisson's ratio; the models stvk, "
    "linear, ogden and j2-plasticity allow (-1, 0.5)",
    value, by_bulk ? ", which" : ",", AbutMaterialKinds[spec->kind]);
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
