/*
  Augmented Lagrangian of prescribed vertices: sum over pending vertices of w/2 |x - target|^2 - multiplier . (x - target), with w the
  penalty times the mass of the vertex [Li et al. 2020, supplement, "moving collision objects"].
*/
#include "constraintimpl.h"

void AbutVertexMotionSetFixed(const Kinematics *k, VertexMotion *v)
{
  for (PetscInt d = 0; d < k->ml->num_owned * k->dim; d++)
    v->fixed[d] = (PetscBool)(v->state[d] == ABUT_BOUNDARY_HELD || (v->state[d] == ABUT_BOUNDARY_MOVING && !v->pending));
}

PetscErrorCode AbutVertexMotionRemaining(const Kinematics *k, const VertexMotion *v, const PetscReal x[], PetscReal *distance)
{
  PetscReal sum = 0;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < k->ml->num_owned * k->dim; d++)
    if (v->state[d] == ABUT_BOUNDARY_MOVING) sum += PetscSqr(v->target[d] - x[d]);
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
      const PetscInt first = motion->vertices[n] * k->dim;
      for (PetscInt d = first; d < first + k->dim; d++)
        if (v->state[d] == ABUT_BOUNDARY_MOVING && AbutMotionHas(motion->spec, d - first)) remaining[m] += PetscSqr(v->target[d] - x[d]);
    }
  }
  PetscCall(PetscMPIIntCast(k->num_motions, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, remaining, count, MPIU_REAL, MPIU_SUM, k->comm));
  for (PetscInt m = 0; m < k->num_motions; m++) remaining[m] = PetscSqrtReal(remaining[m]);
  PetscFunctionReturn(0);
}

PetscReal AbutVertexMotionPenalty(AbutConstraint c, PetscInt unknown)
{
  const PetscInt vertex = unknown / c->motions.dim;

  if (!c->vertices.pending || c->vertices.state[unknown] != ABUT_BOUNDARY_MOVING) return 0;
  return c->penalty * (c->mass.vertex[vertex] > 0 ? c->mass.vertex[vertex] : c->mass.mean);
}

PetscReal AbutConstraintVertexEnergy(AbutConstraint c, const PetscReal x[])
{
  const VertexMotion *v      = &c->vertices;
  PetscReal           energy = 0;

  if (!v->pending) return 0;
  for (PetscInt d = 0; d < c->motions.ml->num_owned * c->motions.dim; d++) {
    const PetscReal weight = AbutVertexMotionPenalty(c, d), gap = x[d] - v->target[d];
    if (weight > 0) energy += gap * (weight / 2 * gap - v->multiplier[d]);
  }
  return energy;
}

void AbutConstraintAddVertexGradient(AbutConstraint c, const PetscReal x[], PetscReal g[])
{
  const VertexMotion *v = &c->vertices;

  if (!v->pending) return;
  for (PetscInt d = 0; d < c->motions.ml->num_owned * c->motions.dim; d++) {
    const PetscReal weight = AbutVertexMotionPenalty(c, d);
    if (weight > 0) g[d] += weight * (x[d] - v->target[d]) - v->multiplier[d];
  }
}

void AbutConstraintAddVertexHessian(AbutConstraint c, AbutAssembler assembler)
{
  const PetscInt dim = c->motions.dim;

  for (PetscInt i = 0; i < c->motions.ml->num_owned; i++) {
    PetscReal diagonal[3] = {0, 0, 0}, sum = 0;
    for (PetscInt d = 0; d < dim; d++) sum += diagonal[d] = AbutVertexMotionPenalty(c, i * dim + d);
    if (sum > 0) AbutAssemblerAddDiagonal(assembler, i, diagonal);
  }
}
