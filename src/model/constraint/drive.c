/*
  A half space that a force drives. Its travel along its normal is an unknown of Newton's method: the bordered system of bordered.c with the
  energy - force times travel in place of the augmented Lagrangian. Without a mass the contact forces on the half space balance the force at
  the end of every step; with a mass they balance the force and its inertia, as for a vertex. The fraction of PlaneMotion counts the travel
  of the step in units of PlaneMotion.unit.
*/
#include "constraintimpl.h"

#define ROUND_OFF   (8 * PETSC_MACHINE_EPSILON) /* of a position, over the diagonal of the bodies */
#define LEAST_FORCE 1e-3 /* force over the largest one of the load below which the imbalance is taken relative to this share of it */

PetscErrorCode AbutDriveCreate(const AbutModelParts *parts, AbutConstraint c)
{
  PlaneMotion *p = &c->planes;

  PetscFunctionBegin;
  p->driven = -1;
  for (PetscInt k = 0; k < parts->num_loads; k++) {
    const AbutLoadSpec  *load = &parts->loads[k];
    const AbutPlaneSpec *plane;

    if (load->kind != ABUT_LOAD_PLANE) continue;
    AbutCheck(load->plane >= 0 && load->plane < parts->num_planes, ABUT_ERR_INPUT,
              "%s: plane number %" PetscInt_FMT " is out of range [0, %" PetscInt_FMT "]", load->place, load->plane, parts->num_planes - 1);
    plane = &parts->planes[load->plane];
    AbutCheck(AbutTurnKeepsPlane(load->force, plane->normal) && (load->plane_mass > 0 || AbutDot(3, load->force, plane->normal) > 0),
              ABUT_ERR_INPUT, "%s: the force %g %g %g N on plane '%s' must have the direction of its normal, %g %g %g%s", load->place,
              (double)load->force[0], (double)load->force[1], (double)load->force[2], plane->name, (double)plane->normal[0],
              (double)plane->normal[1], (double)plane->normal[2], load->plane_mass > 0 ? ", or the opposite one" : "");
    for (PetscInt i = 0; i < load->table.num; i++)
      AbutCheck(load->plane_mass > 0 || load->table.points[2 * i + 1] >= 0, ABUT_ERR_INPUT,
                "%s: the factor %g at %g s would pull plane '%s'; it must not be negative", load->place,
                (double)load->table.points[2 * i + 1], (double)load->table.points[2 * i], plane->name);
    AbutCheck(p->driven < 0, ABUT_ERR_INPUT, "%s: a second load on a plane; a force can drive one plane only", load->place);
    p->driven = load->plane;
    p->load   = load;
  }
  for (PetscInt m = 0; m < parts->num_motions && p->load; m++)
    AbutCheck(parts->motions[m].plane < 0, ABUT_ERR_INPUT, "%s: plane '%s' moves while the load of %s drives a plane; only one of them can",
              parts->motions[m].place, parts->planes[parts->motions[m].plane].name, p->load->place);
  p->unit = c->motions.ml->global.diagonal;
  PetscFunctionReturn(0);
}

void AbutDriveSetUnit(AbutConstraint c)
{
  const PlaneMotion *p = &c->planes;

  if (!p->driving) return;
  for (PetscInt i = 0; i < c->motions.dim; i++) p->whole[p->driven].shift[i] = p->unit * c->motions.planes[p->driven].normal[i];
}

/* Component of a vector along the normal of the driven half space. */
static PetscReal AlongNormal(AbutConstraint c, const PetscReal v[])
{
  return AbutDot(c->motions.dim, v, c->motions.planes[c->planes.driven].normal);
}

PetscErrorCode AbutConstraintBeginDrive(AbutConstraint c, const AbutDriveStep *step)
{
  PlaneMotion *p = &c->planes;
  PetscReal    part, factor; /* 0 outside of the window of the load: no force acts */

  PetscFunctionBegin;
  if (!p->load) PetscFunctionReturn(0);
  factor        = AbutLoadFactor(p->load, c->motions.t, c->motions.h, step->at_end, &part);
  p->most_force = step->load_c2 * AbutTimeTableLargest(&p->load->table) * PetscAbsReal(AlongNormal(c, p->load->force));
  p->force      = step->load_c2 * factor * AlongNormal(c, p->load->force);
  p->inertia    = step->inertia;
  p->predictor  = step->predictor;
  if (!(p->inertia > 0)) {
    p->force += step->contact_c2 * step->weight;
    p->most_force += step->contact_c2 * PetscAbsReal(step->weight);
  }
  AbutCheck(p->inertia > 0 || p->force >= 0, ABUT_ERR_INPUT, "%s: force and weight, together %g N, pull plane '%s' away at %g s",
            p->load->place, (double)(p->force / step->contact_c2), c->motions.planes[p->driven].name,
            (double)(c->motions.t + c->motions.h));
  p->driving = p->pending = PETSC_TRUE;
  p->fraction             = 0;
  AbutDriveSetUnit(c);
  PetscFunctionReturn(0);
}

const AbutLoadSpec *AbutConstraintGetDrive(AbutConstraint c)
{
  return c->planes.load;
}

PetscReal AbutConstraintGetDriveTravel(AbutConstraint c)
{
  return AbutDriveIsActive(c) ? AlongNormal(c, c->planes.done[c->planes.driven].shift) : 0;
}

/* Contact forces on the driven half space along its normal at the state of the potential, in units of the gradient of B. Collective. */
static PetscErrorCode Reaction(AbutConstraint c, PetscReal *force)
{
  const AbutContactPoint *points;
  PetscInt                count;

  PetscFunctionBegin;
  *force = 0;
  PetscCall(AbutPotentialGetContactPoints(c->potential, &count, &points));
  for (PetscInt k = 0; k < count; k++)
    if (points[k].plane == c->planes.driven)
      *force += points[k].force * AbutDot(c->motions.dim, points[k].normal, c->motions.planes[c->planes.driven].normal);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, force, 1, MPIU_REAL, MPIU_SUM, c->motions.comm));
  PetscFunctionReturn(0);
}

/* Barrier forces vanish quadratically at dhat, so their differences need steps that are small beside the distance from there, too. */
PetscErrorCode AbutDriveDepth(AbutConstraint c, PetscReal dhat, PetscReal *depth)
{
  const AbutContactPoint *points;
  PetscInt                count;

  PetscFunctionBegin;
  *depth = 0;
  PetscCall(AbutPotentialGetContactPoints(c->potential, &count, &points));
  for (PetscInt k = 0; k < count; k++)
    if (points[k].plane == c->planes.driven) *depth = PetscMax(*depth, dhat - points[k].dist);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, depth, 1, MPIU_REAL, MPIU_MAX, c->motions.comm));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutConstraintMoveDriven(AbutConstraint c, PetscReal t, PetscBool *moved)
{
  PetscFunctionBegin;
  *moved = AbutDriveIsActive(c);
  if (!*moved) PetscFunctionReturn(0);
  PetscCall(AbutPlaneMotionSet(c, c->planes.fraction + t * c->planes.rate));
  c->planes.rate = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutConstraintGetDriveReaction(AbutConstraint c, PetscReal *reaction)
{
  PetscFunctionBegin;
  *reaction = 0;
  if (!AbutDriveIsActive(c)) PetscFunctionReturn(0);
  PetscCall(Reaction(c, reaction));
  *reaction = -*reaction;
  PetscFunctionReturn(0);
}

/* Size of the load in the step, and of inertia. */
static PetscReal Sizes(AbutConstraint c)
{
  const PlaneMotion *p = &c->planes;

  return PetscMax(PetscAbsReal(p->force), LEAST_FORCE * p->most_force) +
         p->inertia * PetscAbsReal(AbutConstraintGetDriveTravel(c) - p->predictor);
}

PetscReal AbutConstraintGetDriveForce(AbutConstraint c)
{
  return AbutDriveIsActive(c) ? Sizes(c) : 0;
}

/* Round-off of the travel is no imbalance of inertia. */
PetscErrorCode AbutConstraintDriveImbalance(AbutConstraint c, PetscReal *imbalance)
{
  const PlaneMotion *p      = &c->planes;
  const PetscReal    travel = AbutConstraintGetDriveTravel(c);
  PetscReal          force, left, size;

  PetscFunctionBegin;
  *imbalance = 0;
  if (!AbutDriveIsActive(c)) PetscFunctionReturn(0);
  PetscCall(Reaction(c, &force));
  left = PetscAbsReal(force + AbutDriveSlope(p, travel));
  size = p->inertia > 0 ? PetscMax(PetscAbsReal(force), Sizes(c)) : PetscMax(p->force, LEAST_FORCE * p->most_force);
  if (left > ROUND_OFF * p->inertia * p->unit) *imbalance = left / size;
  PetscFunctionReturn(0);
}
