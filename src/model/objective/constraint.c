/* Augmented Lagrangians of incomplete prescribed motion, see constraint.h. */
#include <abut/objective.h>

static PetscErrorCode Energy(void *ctx, const AbutTrial *trial, PetscReal *energy)
{
  PetscFunctionBegin;
  *energy += AbutConstraintVertexEnergy((AbutConstraint)ctx, trial->x);
  PetscFunctionReturn(0);
}

static PetscErrorCode AddOwnedGradient(void *ctx, const AbutTrial *at, PetscReal g[])
{
  PetscFunctionBegin;
  AbutConstraintAddVertexGradient((AbutConstraint)ctx, at->x, g);
  PetscFunctionReturn(0);
}

static PetscErrorCode AddHessian(void *ctx, const AbutTrial *at, AbutProjection projection, AbutAssembler assembler)
{
  PetscFunctionBegin;
  (void)at, (void)projection;
  AbutConstraintAddVertexHessian((AbutConstraint)ctx, assembler);
  PetscFunctionReturn(0);
}

/* The direction of the half spaces comes from the bordered system, not from this Hessian: AbutConstraintCompleteDirection(). */
static PetscErrorCode PlaneEnergy(void *ctx, const AbutTrial *trial, PetscReal *energy)
{
  PetscFunctionBegin;
  *energy += AbutConstraintPlaneEnergy((AbutConstraint)ctx, trial->t);
  PetscFunctionReturn(0);
}

const AbutTermOps AbutVertexConstraintTerm = {
  .name             = "prescribed vertices",
  .kind             = ABUT_ENERGY_CONSTRAINT,
  .phase            = ABUT_PHASE_LINE_SEARCH,
  .energy           = Energy,
  .addownedgradient = AddOwnedGradient,
  .addhessian       = AddHessian,
};

const AbutTermOps AbutPlaneConstraintTerm = {
  .name       = "moving half spaces",
  .kind       = ABUT_ENERGY_CONSTRAINT,
  .phase      = ABUT_PHASE_LINE_SEARCH,
  .replicated = PETSC_TRUE,
  .energy     = PlaneEnergy,
};
