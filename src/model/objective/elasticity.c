/* Elastic energy c2 Psi, and stiffness-proportional damping c2 rate D. */
#include <abut/objective.h>

#define INVERSION_SLACK 0.8 /* fraction of the step to the first inversion of a cell that a step may take */

static PetscErrorCode SetMoving(void *ctx, const PetscBool moving[])
{
  const AbutElasticPart *s = (const AbutElasticPart *)ctx;

  PetscFunctionBegin;
  AbutElasticRestrict(s->elastic, moving);
  PetscFunctionReturn(0);
}

static PetscErrorCode Energy(void *ctx, const AbutTrial *trial, PetscReal *energy)
{
  const AbutElasticPart *s = (const AbutElasticPart *)ctx;

  PetscFunctionBegin;
  *energy += (s->damping ? AbutElasticDampingEnergy(s->elastic, trial->x) : AbutElasticEnergy(s->elastic, trial->x)) * s->factor;
  PetscFunctionReturn(0);
}

static PetscErrorCode MaxStep(void *ctx, const PetscReal x[], const PetscReal p[], PetscReal *step)
{
  const AbutElasticPart *s = (const AbutElasticPart *)ctx;
  PetscInt               cell;

  PetscFunctionBegin;
  AbutElasticMaxStep(s->elastic, x, p, INVERSION_SLACK, step, &cell);
  PetscFunctionReturn(0);
}

static PetscErrorCode AddGradient(void *ctx, const AbutTrial *at, PetscReal g[])
{
  const AbutElasticPart *s = (const AbutElasticPart *)ctx;

  PetscFunctionBegin;
  if (s->damping)
    AbutElasticAddDampingGradient(s->elastic, at->x, s->factor, g);
  else
    AbutElasticAddGradient(s->elastic, at->x, s->factor, g);
  PetscFunctionReturn(0);
}

static PetscErrorCode AddHessian(void *ctx, const AbutTrial *at, AbutProjection projection, AbutAssembler assembler)
{
  const AbutElasticPart *s = (const AbutElasticPart *)ctx;

  PetscFunctionBegin;
  if (s->damping)
    AbutElasticAddDampingHessian(s->elastic, at->x, s->factor, projection, assembler);
  else
    AbutElasticAddHessian(s->elastic, at->x, s->factor, projection, assembler);
  PetscFunctionReturn(0);
}

const AbutTermOps AbutElasticTerm = {
  .name        = "elasticity",
  .kind        = ABUT_ENERGY_ELASTIC,
  .phase       = ABUT_PHASE_ELASTIC,
  .energy      = Energy,
  .maxstep     = MaxStep,
  .addgradient = AddGradient,
  .addhessian  = AddHessian,
  .setmoving   = SetMoving,
};

const AbutTermOps AbutDampingTerm = {
  .name        = "stiffness-proportional damping",
  .kind        = ABUT_ENERGY_DAMPING,
  .phase       = ABUT_PHASE_ELASTIC,
  .energy      = Energy,
  .addgradient = AddGradient,
  .addhessian  = AddHessian,
};
