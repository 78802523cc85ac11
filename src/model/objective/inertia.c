/* Inertia and loads: sum over free unknowns of m/2 |x - x_tilde|^2 - b . (x - x_start). */
#include <abut/objective.h>

static PetscErrorCode Energy(void *ctx, const AbutTrial *trial, PetscReal *energy)
{
  const AbutInertiaPart *s     = (const AbutInertiaPart *)ctx;
  PetscReal              total = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < s->num_owned; v++) {
    PetscReal sum = 0;
    for (PetscInt i = v * s->dim; i < (v + 1) * s->dim; i++) {
      if (s->state[i] != ABUT_BOUNDARY_FREE) continue;
      sum += PetscSqr(trial->x[i] - s->x_tilde[i]);
      total -= s->impulse[i] * (trial->x[i] - s->x_start[i]);
    }
    total += s->inertia[v] / 2 * sum;
  }
  *energy += total;
  PetscFunctionReturn(0);
}

static PetscErrorCode AddOwnedGradient(void *ctx, const AbutTrial *at, PetscReal g[])
{
  const AbutInertiaPart *s = (const AbutInertiaPart *)ctx;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < s->num_owned; v++) {
    for (PetscInt i = v * s->dim; i < (v + 1) * s->dim; i++)
      if (s->state[i] == ABUT_BOUNDARY_FREE) g[i] += s->inertia[v] * (at->x[i] - s->x_tilde[i]) - s->impulse[i];
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode AddHessian(void *ctx, const AbutTrial *at, AbutProjection projection, AbutAssembler assembler)
{
  const AbutInertiaPart *s = (const AbutInertiaPart *)ctx;

  PetscFunctionBegin;
  (void)at, (void)projection;
  for (PetscInt v = 0; v < s->num_owned; v++) {
    PetscReal diagonal[3] = {0, 0, 0};
    for (PetscInt i = 0; i < s->dim; i++) diagonal[i] = s->state[v * s->dim + i] == ABUT_BOUNDARY_FREE ? s->inertia[v] + s->hold[v] : 0;
    AbutAssemblerAddDiagonal(assembler, v, diagonal);
  }
  PetscFunctionReturn(0);
}

const AbutTermOps AbutInertiaTerm = {
  .name             = "inertia and loads",
  .kind             = ABUT_ENERGY_INERTIA,
  .phase            = ABUT_PHASE_ELASTIC,
  .energy           = Energy,
  .addownedgradient = AddOwnedGradient,
  .addhessian       = AddHessian,
};
