/* Follower pressure and gas, see pressure.h. The dense part of the Hessian of gases is left to the solution of the linear system. */
#include <abut/objective.h>

static PetscErrorCode Energy(void *ctx, const AbutTrial *trial, PetscReal *energy)
{
  const AbutPressurePart *s = (const AbutPressurePart *)ctx;
  PetscReal               value;

  PetscFunctionBegin;
  PetscCall(AbutPressuresEnergy(s->pressures, trial->x, &value));
  *energy += s->factor * value;
  PetscFunctionReturn(0);
}

static PetscErrorCode Accept(void *ctx, const AbutTrial *trial)
{
  return AbutPressuresSetState(((const AbutPressurePart *)ctx)->pressures, trial->x);
}

static PetscErrorCode AddGradient(void *ctx, const AbutTrial *at, PetscReal g[])
{
  const AbutPressurePart *s = (const AbutPressurePart *)ctx;

  PetscFunctionBegin;
  (void)at;
  AbutPressuresAddGradient(s->pressures, s->factor, g);
  PetscFunctionReturn(0);
}

static PetscErrorCode GetPattern(void *ctx, PetscBool all, AbutStencilList *needed, AbutStencilList *lookahead)
{
  PetscFunctionBegin;
  (void)all, (void)lookahead;
  AbutPressuresGetPattern(((const AbutPressurePart *)ctx)->pressures, needed);
  PetscFunctionReturn(0);
}

static PetscErrorCode AddHessian(void *ctx, const AbutTrial *at, AbutProjection projection, AbutAssembler assembler)
{
  const AbutPressurePart *s = (const AbutPressurePart *)ctx;

  PetscFunctionBegin;
  (void)at;
  PetscCall(AbutPressuresAddHessian(s->pressures, s->factor, projection, assembler));
  PetscFunctionReturn(0);
}

const AbutTermOps AbutPressureTerm = {
  .name        = "follower pressure",
  .kind        = ABUT_ENERGY_PRESSURE,
  .phase       = ABUT_PHASE_LINE_SEARCH,
  .replicated  = PETSC_TRUE,
  .energy      = Energy,
  .accept      = Accept,
  .addgradient = AddGradient,
  .getpattern  = GetPattern,
  .addhessian  = AddHessian,
};
