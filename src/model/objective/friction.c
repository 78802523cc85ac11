/* Friction: contact_c2 D of the lagged friction potential, evaluated along the searched line. */
#include <abut/objective.h>

static PetscErrorCode SetLine(void *ctx, const PetscReal x[], const PetscReal p[])
{
  AbutFrictionPart      *s = (AbutFrictionPart *)ctx;
  const AbutRigidMotion *done, *ahead;

  PetscFunctionBegin;
  AbutConstraintGetPlaneMotions(s->constraint, &done, &ahead);
  PetscCall(AbutFrictionSetPlaneMotions(s->friction, done, ahead));
  PetscCall(AbutFrictionSetLine(s->friction, x, p));
  PetscFunctionReturn(0);
}

static PetscErrorCode Energy(void *ctx, const AbutTrial *trial, PetscReal *energy)
{
  AbutFrictionPart *s         = (AbutFrictionPart *)ctx;
  PetscReal         potential = 0;

  PetscFunctionBegin;
  PetscCall(AbutFrictionEnergy(s->friction, trial->t, &potential));
  *energy += potential * s->contact_c2;
  PetscFunctionReturn(0);
}

static PetscErrorCode AddOwnedGradient(void *ctx, const AbutTrial *at, PetscReal g[])
{
  AbutFrictionPart *s = (AbutFrictionPart *)ctx;

  return AbutFrictionAddGradient(s->friction, at->t, s->contact_c2, g);
}

static PetscErrorCode GetPattern(void *ctx, PetscBool all, AbutStencilList *needed, AbutStencilList *lookahead)
{
  AbutFrictionPart *s = (AbutFrictionPart *)ctx;

  PetscFunctionBegin;
  (void)all, (void)lookahead;
  AbutFrictionGetPattern(s->friction, needed);
  PetscFunctionReturn(0);
}

static PetscErrorCode AddHessian(void *ctx, const AbutTrial *at, AbutProjection projection, AbutAssembler assembler)
{
  AbutFrictionPart *s = (AbutFrictionPart *)ctx;

  return AbutFrictionAddHessian(s->friction, at->t, s->contact_c2, projection, assembler);
}

const AbutTermOps AbutFrictionTerm = {
  .name             = "friction",
  .kind             = ABUT_ENERGY_FRICTION,
  .phase            = ABUT_PHASE_CONTACT_ASSEMBLY,
  .setline          = SetLine,
  .energy           = Energy,
  .addownedgradient = AddOwnedGradient,
  .getpattern       = GetPattern,
  .addhessian       = AddHessian,
};
