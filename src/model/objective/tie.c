/* Ties between surfaces, see tie.h. */
#include <abut/objective.h>

static PetscErrorCode SetLine(void *ctx, const PetscReal x[], const PetscReal p[])
{
  return AbutTiesSetLine(((const AbutTiePart *)ctx)->ties, x, p);
}

static PetscErrorCode Energy(void *ctx, const AbutTrial *trial, PetscReal *energy)
{
  const AbutTiePart *s = (const AbutTiePart *)ctx;

  PetscFunctionBegin;
  *energy += s->factor * AbutTiesEnergy(s->ties, trial->t);
  PetscFunctionReturn(0);
}

static PetscErrorCode Accept(void *ctx, const AbutTrial *trial)
{
  PetscFunctionBegin;
  AbutTiesSetState(((const AbutTiePart *)ctx)->ties, trial->t);
  PetscFunctionReturn(0);
}

static PetscErrorCode AddOwnedGradient(void *ctx, const AbutTrial *at, PetscReal g[])
{
  const AbutTiePart *s = (const AbutTiePart *)ctx;

  PetscFunctionBegin;
  (void)at;
  PetscCall(AbutTiesAddGradient(s->ties, s->factor, g));
  PetscFunctionReturn(0);
}

static PetscErrorCode GetPattern(void *ctx, PetscBool all, AbutStencilList *needed, AbutStencilList *lookahead)
{
  PetscFunctionBegin;
  (void)all, (void)lookahead;
  AbutTiesGetPattern(((const AbutTiePart *)ctx)->ties, needed);
  PetscFunctionReturn(0);
}

static PetscErrorCode AddHessian(void *ctx, const AbutTrial *at, AbutProjection projection, AbutAssembler assembler)
{
  const AbutTiePart *s = (const AbutTiePart *)ctx;

  PetscFunctionBegin;
  (void)at, (void)projection;
  PetscCall(AbutTiesAddHessian(s->ties, s->factor, assembler));
  PetscFunctionReturn(0);
}

const AbutTermOps AbutTieTerm = {
  .name             = "ties",
  .kind             = ABUT_ENERGY_TIE,
  .phase            = ABUT_PHASE_ELASTIC,
  .setline          = SetLine,
  .energy           = Energy,
  .accept           = Accept,
  .addownedgradient = AddOwnedGradient,
  .getpattern       = GetPattern,
  .addhessian       = AddHessian,
};
