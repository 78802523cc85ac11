/*
  Newton's direction with moving half spaces. The completed fraction alpha of their motion is one more unknown. An augmented Lagrangian
  penalises 1 - alpha; contact forces oppose the motion. The bordered system is

      ( H    c ) ( p      )     ( g )
      ( c^T  a ) ( dalpha ) = - ( r )

  with c = d2B/dx dalpha, a = d2B/dalpha2 and r = dB/dalpha. H^-1 g is known from Newton's direction; one more solve gives H^-1 c, and
  block elimination gives dalpha and p. Thus a half space and the bodies in contact with it move together, however small the gap is.
  The contact parts of c and a are central differences of contact forces, so any potential can be used. The friction parts are exact.
*/
#include "constraintimpl.h"

#define DIFFERENCE 1e-3 /* displacement of half spaces for central differences of contact forces, over the smallest gap */

/* Adds to *r and g scale times dB/dalpha and dB/dx of the contacts with half spaces displaced by the fraction `offset` of their motion. */
static PetscErrorCode AddContactForces(AbutConstraint c, PetscReal offset, PetscReal scale, const PetscReal xt[], PetscReal g[],
                                       PetscReal *r)
{
  const PetscInt          dim        = c->motions.dim;
  const AbutCandidates   *candidates = AbutContactGetCandidates(c->contact);
  const AbutContactPoint *points;
  AbutCandidates          displaced;
  PetscInt                count;

  PetscFunctionBegin;
  displaced        = *candidates;
  displaced.planes = c->planes.displaced;
  displaced.num_fv = displaced.num_ee = displaced.num_ev = displaced.num_free_ev = 0; /* half spaces alone */
  for (PetscInt p = 0; p < c->motions.num_planes; p++) {
    c->planes.displaced[p] = candidates->planes[p];
    for (int i = 0; i < 3; i++) c->planes.displaced[p].point[i] += offset * c->planes.whole[p].shift[i];
  }
  PetscCall(AbutPotentialSetState(c->potential, &displaced, xt));
  PetscCall(AbutPotentialGetContactPoints(c->potential, &count, &points));
  for (PetscInt k = 0; k < count; k++) {
    const AbutContactPoint *point = &points[k];
    if (point->plane < 0) continue;
    *r += scale * point->force * AbutDot(3, point->normal, c->planes.whole[point->plane].shift);
    for (PetscInt j = 0; j < point->n && g; j++)
      for (PetscInt i = 0; i < dim; i++)
        if (!c->vertices.fixed[point->v[j] * dim + i])
          g[point->v[j] * dim + i] -= scale * point->force * point->weight[j] * point->normal[i];
  }
  PetscFunctionReturn(0);
}

/* Adds the friction parts. The remaining motion, over which alpha grows by 1 - fraction, is treated as a straight line. */
static PetscErrorCode AddFriction(AbutConstraint c, const AbutBorderPoint *point, PetscReal column[], PetscReal *a, PetscReal *r)
{
  const PetscInt  n     = c->motions.ml->num_owned * c->motions.dim;
  const PetscReal left  = 1 - c->planes.fraction;
  PetscReal       first = 0, second = 0, *mixed;

  PetscFunctionBegin;
  if (!c->friction || AbutDriveIsActive(c)) PetscFunctionReturn(0); /* travel along the normal is no slip */
  PetscCall(PetscCalloc1(n, &mixed));
  PetscCall(AbutFrictionAddPlaneDerivatives(c->friction, point->t, point->contact_c2 / left, point->projection, c->planes.whole, &first,
                                            &second, mixed));
  *r += first;
  *a += second / left;
  for (PetscInt i = 0; i < n; i++) column[i] += c->vertices.fixed[i] ? 0 : mixed[i];
  PetscCall(PetscFree(mixed));
  PetscFunctionReturn(0);
}

/* This rank's contributions to c, a and r, without the augmented Lagrangian. */
static PetscErrorCode SetBorder(AbutConstraint c, const AbutBorderPoint *point, PetscReal column[], PetscReal *a, PetscReal *r)
{
  PetscReal approach, displacement, difference, depth;

  PetscFunctionBegin;
  AbutPlaneMotionLongest(c, &approach, &displacement);
  difference = approach > 0 && point->min_gap < point->dhat ? DIFFERENCE * point->min_gap / approach : 0;
  if (AbutDriveIsActive(c) && difference > 0) {
    PetscCall(AbutDriveDepth(c, point->dhat, &depth));
    difference = DIFFERENCE * PetscMin(point->min_gap, depth) / approach;
  }
  PetscCall(PetscArrayzero(column, c->motions.ml->num_owned * c->motions.dim));
  *a = *r = 0;
  PetscCall(AbutContactPositions(c->contact, point->t, point->work));
  if (difference > 0) {
    PetscCall(AddContactForces(c, difference, 0.5 / difference, point->work, column, a));
    PetscCall(AddContactForces(c, -difference, -0.5 / difference, point->work, column, a));
  }
  PetscCall(AddContactForces(c, 0, 1, point->work, NULL, r));
  PetscCall(AddFriction(c, point, column, a, r));
  PetscFunctionReturn(0);
}

/* Sets the motion of the half spaces along the line that Newton searches next. */
static PetscErrorCode SetLine(AbutConstraint c)
{
  PlaneMotion    *p        = &c->planes;
  const PetscReal fraction = p->fraction + p->rate;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * c->motions.num_planes; i++) {
    p->step[i]                    = p->rate * p->whole[i / 3].shift[i % 3];
    p->ahead[i / 3].center[i % 3] = p->done[i / 3].center[i % 3];
    p->ahead[i / 3].angle[i % 3]  = fraction * p->whole[i / 3].angle[i % 3];
    p->ahead[i / 3].shift[i % 3]  = p->done[i / 3].shift[i % 3] + p->step[i];
  }
  PetscCall(AbutContactSetPlanes(c->contact, p->point, p->step));
  PetscFunctionReturn(0);
}

/* Scalars of the bordered system, summed over ranks. */
typedef struct {
  PetscReal a, r;
  PetscReal c_p; /* c . p, p the direction without the border */
  PetscReal c_z; /* c . z, z = H^-1 c */
} BorderSums;

/*
  The same for a driven half space. Without mass it travels by a unit at most, which the step bound shortens: without contact, and where
  contacts at dhat, up to round-off, hardly resist.
*/
static PetscReal DriveRate(AbutConstraint c, const BorderSums *sums)
{
  const PlaneMotion *p = &c->planes;
  const PetscReal    r = sums->r + AbutDriveSlope(p, p->unit * p->fraction) * p->unit, a = sums->a + p->inertia * PetscSqr(p->unit);
  const PetscReal    most = p->inertia > 0 ? PETSC_MAX_REAL : 1;

  if (a > sums->c_z) return PetscMin((-sums->c_p - r) / (a - sums->c_z), most);
  return a > 0 ? PetscMin(-r / a, most) : (r < 0 ? 1 : 0);
}

/* Solves the bordered system for dalpha; returns at most the remaining fraction. */
static PetscReal Rate(AbutConstraint c, const BorderSums *sums)
{
  const PetscReal penalty = AbutPlaneMotionPenalty(c), a = sums->a + penalty;
  const PetscReal r = sums->r + penalty * (c->planes.fraction - 1) - c->planes.multiplier;

  return a > sums->c_z ? PetscMin((-sums->c_p - r) / (a - sums->c_z), 1 - c->planes.fraction) : 0;
}

/* z = H^-1 c if c is not zero, and the rate of the fraction along the line. Collective. */
static PetscErrorCode SolveBorder(AbutConstraint c, const AbutBorderPoint *point, AbutLinear linear, BorderSums *sums, Vec C, Vec Z,
                                  AbutLinearResult *result)
{
  PetscBool corrected;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(Z));
  if (sums->c_z > 0) {
    PetscCall(AbutLinearFinishLagged(linear));
    PetscCall(AbutLinearSolve(linear, C, Z));
    PetscCall(AbutLinearGetResult(linear, result));
    if (point->correct) PetscCall((*point->correct)(point->ctx, Z, &corrected));
    PetscCall(VecDot(C, Z, &sums->c_z));
  }
  if (result->solved) c->planes.rate = AbutDriveIsActive(c) ? DriveRate(c, sums) : Rate(c, sums);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutConstraintCompleteDirection(AbutConstraint c, const AbutBorderPoint *point, AbutLinear linear, Vec layout, PetscReal p[],
                                               PetscReal *longest, AbutLinearResult *result)
{
  const PetscInt n = c->motions.ml->num_owned * c->motions.dim;
  PetscReal      approach, displacement;
  BorderSums     sums;
  PetscScalar   *column, *z;
  Vec            C, Z;

  PetscFunctionBegin;
  *result        = (AbutLinearResult){.solved = PETSC_TRUE};
  c->planes.rate = 0;
  if (!c->planes.pending) PetscFunctionReturn(0);
  PetscCall(VecDuplicate(layout, &C));
  PetscCall(VecDuplicate(layout, &Z));
  PetscCall(VecGetArrayWrite(C, &column));
  PetscCall(SetBorder(c, point, column, &sums.a, &sums.r));
  sums.c_p = AbutDot(n, column, p);
  sums.c_z = AbutDot(n, column, column); /* c . c, to test whether c is zero */
  PetscCall(VecRestoreArrayWrite(C, &column));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sums, sizeof(sums) / sizeof(PetscReal), MPIU_REAL, MPIU_SUM, c->motions.comm));
  PetscCall(SolveBorder(c, point, linear, &sums, C, Z, result));
  PetscCall(VecGetArray(Z, &z));
  for (PetscInt i = 0; i < n && c->planes.rate != 0; i++) p[i] -= c->vertices.fixed[i] ? 0 : c->planes.rate * z[i];
  PetscCall(VecRestoreArray(Z, &z));
  PetscCall(VecDestroy(&C));
  PetscCall(VecDestroy(&Z));
  PetscCall(SetLine(c));
  AbutPlaneMotionLongest(c, &approach, &displacement);
  *longest = PetscMax(*longest, PetscAbsReal(c->planes.rate) * displacement);
  PetscFunctionReturn(0);
}
