/*
  Augmented Lagrangian of prescribed vertices: sum over pending vertices of w/2 |x - target|^2 - multiplier . (x - target), with w the
  penalty times the mass of the vertex [Li et al. 2020, supplement, "moving collision objects"].
*/
#include "constraintimpl.h"

void AbutVertexMotionSetFixed(const Kinematics *k, VertexMotion *v)
{
  for (PetscInt i = 0; i < k->ml->num_owned; i++) {
    const PetscBool moving = (PetscBool)(v->state[i] == ABUT_BOUNDARY_MOVING), held = (PetscBool)(v->state[i] == ABUT_BOUNDARY_HELD);
    for (PetscInt d = i * k->dim; d < (i + 1) * k->dim; d++) v->fixed[d] = (PetscBool)(held || (moving && !v->pending));
  }
}

PetscErrorCode AbutVertexMotionRemaining(const Kinematics *k, const VertexMotion *v, const PetscReal x[], PetscReal *distance)
{
  PetscReal sum = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < k->ml->num_owned; i++)
    if (v->state[i] == ABUT_BOUNDARY_MOVING)
      for (PetscInt d = i * k->dim; d < (i + 1) * k->dim; d++) sum += PetscSqr(v->target[d] - x[d]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, k->comm));
  *distance = PetscSqrtReal(sum);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMotionsRemaining(const Kinematics *k, const VertexMotion *v, const PetscReal x[], PetscReal remaining[])
{
  PetscMPIInt count;

  PetscFunctionBegin;
  for (PetscInt m = 0; m < k->num_motions; m++) {
    const Motion *motion = &k->motions[m];
    remaining[m]         = 0;
    for (PetscInt n = 0; n < motion->num_vertices; n++) {
      const PetscInt i = motion->vertices[n];
      if (v->state[i] != ABUT_BOUNDARY_MOVING) continue;
      for (PetscInt d = i * k->dim; d < (i + 1) * k->dim; d++) remaining[m] += PetscSqr(v->target[d] - x[d]);
    }
  }
  PetscCall(PetscMPIIntCast(k->num_motions, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, remaining, count, MPIU_REAL, MPIU_SUM, k->comm));
  for (PetscInt m = 0; m < k->num_motions; m++) remaining[m] = PetscSqrtReal(remaining[m]);
  PetscFunctionReturn(0);
}

PetscReal AbutVertexMotionPenalty(AbutConstraint c, PetscInt vertex)
{
  if (!c->vertices.pending || c->vertices.state[vertex] != ABUT_BOUNDARY_MOVING) return 0;
  return c->penalty * (c->mass.vertex[vertex] > 0 ? c->mass.vertex[vertex] : c->mass.mean);
}

PetscReal AbutConstraintVertexEnergy(AbutConstraint c, const PetscReal x[])
{
  const VertexMotion *v      = &c->vertices;
  const PetscInt      dim    = c->motions.dim;
  PetscReal           energy = 0;

  if (!v->pending) return 0;
  for (PetscInt i = 0; i < c->motions.ml->num_owned; i++) {
    const PetscReal weight = AbutVertexMotionPenalty(c, i);
    if (weight == 0) continue;
    for (PetscInt d = i * dim; d < (i + 1) * dim; d++) {
      const PetscReal gap = x[d] - v->target[d];
      energy += gap * (weight / 2 * gap - v->multiplier[d]);
    }
  }
  return energy;
}

void AbutConstraintAddVertexGradient(AbutConstraint c, const PetscReal x[], PetscReal g[])
{
  const VertexMotion *v   = &c->vertices;
  const PetscInt      dim = c->motions.dim;

  if (!v->pending) return;
  for (PetscInt i = 0; i < c->motions.ml->num_owned; i++) {
    const PetscReal weight = AbutVertexMotionPenalty(c, i);
    if (weight == 0) continue;
    for (PetscInt d = i * dim; d < (i + 1) * dim; d++) g[d] += weight * (x[d] - v->target[d]) - v->multiplier[d];
  }
}

void AbutConstraintAddVertexHessian(AbutConstraint c, AbutAssembler assembler)
{
  for (PetscInt i = 0; i < c->motions.ml->num_owned; i++) {
    const PetscReal weight = AbutVertexMotionPenalty(c, i), diagonal[3] = {weight, weight, weight};
    if (weight > 0) AbutAssemblerAddDiagonal(assembler, i, diagonal);
  }
}
