/* Half spaces within a step: completed fraction of their motion, its augmented Lagrangian, positions for contact and friction. */
#include "constraintimpl.h"

PetscBool AbutPlaneMotionIsAny(const Kinematics *k, const PlaneMotion *p)
{
  for (PetscInt i = 0; i < k->num_planes; i++)
    if (AbutDot(3, p->whole[i].shift, p->whole[i].shift) + AbutDot(3, p->whole[i].angle, p->whole[i].angle) > 0) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode AbutPlaneMotionSet(AbutConstraint c, PetscReal fraction)
{
  PlaneMotion          *p          = &c->planes;
  const AbutCandidates *candidates = AbutContactGetCandidates(c->contact);

  PetscFunctionBegin;
  p->fraction = fraction;
  for (PetscInt i = 0; i < 3 * c->motions.num_planes; i++) {
    p->point[i]                  = candidates->planes[i / 3].point[i % 3];
    p->done[i / 3].center[i % 3] = p->whole[i / 3].center[i % 3];
    p->done[i / 3].angle[i % 3]  = fraction * p->whole[i / 3].angle[i % 3];
    p->done[i / 3].shift[i % 3]  = p->point[i] - c->motions.start.plane_point[i];
  }
  PetscCall(AbutContactSetPlanes(c->contact, p->point, NULL));
  if (c->friction) PetscCall(AbutFrictionSetPlaneMotions(c->friction, p->done, NULL));
  PetscFunctionReturn(0);
}

void AbutPlaneMotionLongest(AbutConstraint c, PetscReal *approach, PetscReal *displacement)
{
  *approach = *displacement = 0;
  for (PetscInt i = 0; i < c->motions.num_planes; i++) {
    const PetscReal *shift = c->planes.whole[i].shift;
    *approach              = PetscMax(*approach, PetscAbsReal(AbutDot(c->motions.dim, c->motions.planes[i].normal, shift)));
    *displacement          = PetscMax(*displacement, AbutNorm(3, shift));
  }
}

PetscReal AbutPlaneMotionPenalty(AbutConstraint c)
{
  PetscReal approach, displacement;

  AbutPlaneMotionLongest(c, &approach, &displacement);
  return c->penalty * PetscMax(c->mass.total, c->mass.mean) * PetscSqr(displacement);
}

PetscReal AbutConstraintPlaneEnergy(AbutConstraint c, PetscReal t)
{
  const PlaneMotion *p   = &c->planes;
  const PetscReal    gap = p->fraction + t * p->rate - 1;

  if (!p->pending) return 0;
  if (AbutDriveIsActive(c)) return AbutDriveEnergy(p, p->unit * (p->fraction + t * p->rate));
  return gap * (AbutPlaneMotionPenalty(c) / 2 * gap - p->multiplier);
}

void AbutPlaneMotionUpdateMultiplier(AbutConstraint c)
{
  c->planes.multiplier -= AbutPlaneMotionPenalty(c) * (c->planes.fraction - 1);
}

PetscBool AbutConstraintPlanesArePending(AbutConstraint c)
{
  return c->planes.pending;
}

void AbutConstraintGetPlaneMotions(AbutConstraint c, const AbutRigidMotion **done, const AbutRigidMotion **ahead)
{
  *done  = c->planes.done;
  *ahead = c->planes.pending ? c->planes.ahead : NULL;
}

const AbutRigidMotion *AbutConstraintGetPastPlaneMotions(AbutConstraint c, PetscReal t, PetscReal h)
{
  AbutMotionsOfPlanes(&c->motions, t, h, c->planes.ahead);
  return c->planes.ahead;
}

const PetscReal *AbutConstraintGetPlanePoints(AbutConstraint c)
{
  return c->planes.point;
}
