/* Elastic energy c2 Psi, and stiffness-proportional damping c2 rate D. */
#include <abut/objective.h>

static PetscErrorCode Energy(void *ctx, const AbutTrial *trial, PetscReal *energy)
{
  const AbutElasticity *s   = (const AbutElasticity *)ctx;
  PetscReal             psi = 0;

  PetscFunctionBegin;
  PetscCall(AbutElasticEnergy(s->elastic, trial->x, &psi));
  *energy += psi * s->c2;
  PetscFunctionReturn(0);
}

static PetscErrorCode MaxStep(void *ctx, const PetscReal x[], const PetscReal p[], PetscReal *step)
{
  const AbutElasticity *s = (const AbutElasticity *)ctx;
  PetscInt              cell;

  PetscFunctionBegin;
  PetscCall(AbutElasticMaxStep(s->elastic, x, p, s->inversion_slack, step, &cell));
  PetscFunctionReturn(0);
}

static PetscErrorCode AddGradient(void *ctx, const AbutTrial *at, PetscReal g[])
{
  const AbutElasticity *s = (const AbutElasticity *)ctx;

  PetscFunctionBegin;
  PetscCall(AbutElasticAddGradient(s->elastic, at->x, s->c2, g));
  PetscFunctionReturn(0);
}

static PetscErrorCode AddHessian(void *ctx, const AbutTrial *at, AbutProjection projection, AbutAssembler assembler)
{
  const AbutElasticity *s = (const AbutElasticity *)ctx;

  PetscFunctionBegin;
  PetscCall(AbutElasticAddHessian(s->elastic, at->x, s->c2, projection, assembler));
  PetscFunctionReturn(0);
}

static PetscErrorCode DampingEnergy(void *ctx, const AbutTrial *trial, PetscReal *energy)
{
  const AbutElasticity *s         = (const AbutElasticity *)ctx;
  PetscReal             potential = 0;

  PetscFunctionBegin;
  PetscCall(AbutElasticDampingEnergy(s->elastic, trial->x, &potential));
  *energy += potential * (s->c2 * s->rate);
  PetscFunctionReturn(0);
}

static PetscErrorCode AddDampingGradient(void *ctx, const AbutTrial *at, PetscReal g[])
{
  const AbutElasticity *s = (const AbutElasticity *)ctx;

  PetscFunctionBegin;
  PetscCall(AbutElasticAddDampingGradient(s->elastic, at->x, s->c2 * s->rate, g));
  PetscFunctionReturn(0);
}

/* The tangents are projected once a step, see AbutElasticSetDampingStart(). */
static PetscErrorCode AddDampingHessian(void *ctx, const AbutTrial *at, AbutProjection projection, AbutAssembler assembler)
{
  const AbutElasticity *s = (const AbutElasticity *)ctx;

  PetscFunctionBegin;
  (void)at, (void)projection;
  PetscCall(AbutElasticAddDampingHessian(s->elastic, s->c2 * s->rate, assembler));
  PetscFunctionReturn(0);
}

const AbutTermOps AbutElasticityTerm = {
  .name        = "elasticity",
  .kind        = ABUT_ENERGY_ELASTIC,
  .phase       = ABUT_PHASE_ELASTIC,
  .energy      = Energy,
  .maxstep     = MaxStep,
  .addgradient = AddGradient,
  .addhessian  = AddHessian,
};

const AbutTermOps AbutDampingTerm = {
  .name        = "stiffness-proportional damping",
  .kind        = ABUT_ENERGY_DAMPING,
  .phase       = ABUT_PHASE_ELASTIC,
  .energy      = DampingEnergy,
  .addgradient = AddDampingGradient,
  .addhessian  = AddDampingHessian,
};
