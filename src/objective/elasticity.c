/* Elastic energy c2 Psi, and stiffness-proportional damping c2 rate D. */
#include <abut/objective.h>
#include <abut/option.h>

static const AbutOption options[] = {{"-abut_inversion_slack", ABUT_OPTION_REAL, offsetof(AbutElasticPart, inversion_slack), 0.8, 0.01,
                                      0.99, "", "Fraction of the step to the first inversion of a cell that a step may take"}};
const AbutOptionTable   AbutInversionOptions = {"Inversion of cells", PETSC_STATIC_ARRAY_LENGTH(options), options};

void AbutElasticPartInit(AbutElastic elastic, AbutElasticPart *part)
{
  *part = (AbutElasticPart){.elastic = elastic};
  AbutOptionTableSetDefaults(&AbutInversionOptions, part);
}

PetscErrorCode AbutElasticPartSetFromOptions(MPI_Comm comm, AbutElasticPart *part)
{
  PetscFunctionBegin;
  PetscCall(AbutOptionTableSetFromOptions(comm, &AbutInversionOptions, part));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutElasticPartView(const AbutElasticPart *part, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(AbutOptionTableView(&AbutInversionOptions, part, viewer));
  PetscFunctionReturn(0);
}

static PetscErrorCode Energy(void *ctx, const AbutTrial *trial, PetscReal *energy)
{
  const AbutElasticPart *s   = (const AbutElasticPart *)ctx;
  PetscReal              psi = 0;

  PetscFunctionBegin;
  PetscCall(AbutElasticEnergy(s->elastic, trial->x, &psi));
  *energy += psi * s->c2;
  PetscFunctionReturn(0);
}

static PetscErrorCode MaxStep(void *ctx, const PetscReal x[], const PetscReal p[], PetscReal *step)
{
  const AbutElasticPart *s = (const AbutElasticPart *)ctx;
  PetscInt               cell;

  PetscFunctionBegin;
  PetscCall(AbutElasticMaxStep(s->elastic, x, p, s->inversion_slack, step, &cell));
  PetscFunctionReturn(0);
}

static PetscErrorCode AddGradient(void *ctx, const AbutTrial *at, PetscReal g[])
{
  const AbutElasticPart *s = (const AbutElasticPart *)ctx;

  PetscFunctionBegin;
  PetscCall(AbutElasticAddGradient(s->elastic, at->x, s->c2, g));
  PetscFunctionReturn(0);
}

static PetscErrorCode AddHessian(void *ctx, const AbutTrial *at, AbutProjection projection, AbutAssembler assembler)
{
  const AbutElasticPart *s = (const AbutElasticPart *)ctx;

  PetscFunctionBegin;
  PetscCall(AbutElasticAddHessian(s->elastic, at->x, s->c2, projection, assembler));
  PetscFunctionReturn(0);
}

static PetscErrorCode DampingEnergy(void *ctx, const AbutTrial *trial, PetscReal *energy)
{
  const AbutElasticPart *s         = (const AbutElasticPart *)ctx;
  PetscReal              potential = 0;

  PetscFunctionBegin;
  PetscCall(AbutElasticDampingEnergy(s->elastic, trial->x, &potential));
  *energy += potential * (s->c2 * s->rate);
  PetscFunctionReturn(0);
}

static PetscErrorCode AddDampingGradient(void *ctx, const AbutTrial *at, PetscReal g[])
{
  const AbutElasticPart *s = (const AbutElasticPart *)ctx;

  PetscFunctionBegin;
  PetscCall(AbutElasticAddDampingGradient(s->elastic, at->x, s->c2 * s->rate, g));
  PetscFunctionReturn(0);
}

/* The tangents are projected once a step, see AbutElasticSetDampingStart(). */
static PetscErrorCode AddDampingHessian(void *ctx, const AbutTrial *at, AbutProjection projection, AbutAssembler assembler)
{
  const AbutElasticPart *s = (const AbutElasticPart *)ctx;

  PetscFunctionBegin;
  (void)at, (void)projection;
  PetscCall(AbutElasticAddDampingHessian(s->elastic, s->c2 * s->rate, assembler));
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
};

const AbutTermOps AbutDampingTerm = {
  .name        = "stiffness-proportional damping",
  .kind        = ABUT_ENERGY_DAMPING,
  .phase       = ABUT_PHASE_ELASTIC,
  .energy      = DampingEnergy,
  .addgradient = AddDampingGradient,
  .addhessian  = AddDampingHessian,
};
