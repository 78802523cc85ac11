/*
  Planes on the move within Newton. The share alpha of their way that planes have done is one more unknown: a penalty on 1 - alpha pulls it,
  the contacts push back. Of the bordered system

      ( H    c ) ( p      )     ( g )
      ( c^T  a ) ( dalpha ) = - ( r )

  Newton's direction has H^-1 g already; one more solve gives H^-1 c and with it the rest. So a press moves with what it presses, however
  small the gap. c and a are differences of contact forces, which any potential gives, and derivatives of friction, which sees the planes move
  along the line.
*/
#include "solveimpl.h"

#define NUDGE 1e-3 /* of the smallest gap: planes are moved by it for central differences, good to its square */

/* Contact forces with planes moved by `offset` of their way: *r = dB/dalpha and g = dB/dx of plane contacts, both times scale, added. */
static PetscErrorCode AddForces(AbutStepper s, PetscReal offset, PetscReal scale, PetscReal g[], PetscReal *r)
{
  Boundary               *b = &s->boundary;
  const AbutCandidates   *candidates;
  const AbutContactPoint *points;
  PetscInt                count;

  PetscFunctionBegin;
  PetscCall(AbutContactGetCandidates(s->contact, &candidates));
  b->nudged        = *candidates;
  b->nudged.planes = b->nudged_planes;
  b->nudged.num_fv = b->nudged.num_ee = b->nudged.num_ev = 0;
  for (PetscInt p = 0; p < b->num_planes; p++) {
    b->nudged_planes[p] = candidates->planes[p];
    for (int i = 0; i < 3; i++) b->nudged_planes[p].point[i] += offset * b->plane_whole[p].shift[i];
  }
  PetscCall(AbutPotentialSetState(s->potential, &b->nudged, s->xt));
  PetscCall(AbutPotentialGetContactPoints(s->potential, &count, &points));
  for (PetscInt k = 0; k < count; k++) {
    const AbutContactPoint *c = &points[k];
    if (c->plane < 0) continue;
    *r += scale * c->force * AbutDot(3, c->normal, b->plane_whole[c->plane].shift);
    for (PetscInt j = 0; j < c->n && g; j++)
      for (PetscInt i = 0; i < s->dim; i++)
        if (!b->constrained[c->v[j] * s->dim + i]) g[c->v[j] * s->dim + i] -= scale * c->force * c->weight[j] * c->normal[i];
  }
  PetscFunctionReturn(0);
}

/* Largest approach of a plane to what is before it, and largest way, over the whole step [m]. */
static void LongestWay(const AbutStepper s, PetscReal *approach, PetscReal *way)
{
  const AbutRigidMotion *whole = s->boundary.plane_whole;

  *approach = *way = 0;
  for (PetscInt p = 0; p < s->boundary.num_planes; p++) {
    *approach = PetscMax(*approach, PetscAbsReal(AbutDot(s->dim, s->boundary.planes[p].normal, whole[p].shift)));
    *way      = PetscMax(*way, PetscSqrtReal(AbutDot(3, whole[p].shift, whole[p].shift)));
  }
}

/* Stiffness of the pull on alpha [kg m^2]: that of all masses at the end of the longest way. */
static PetscReal Stiffness(AbutStepper s)
{
  PetscReal approach, way;

  LongestWay(s, &approach, &way);
  return s->boundary.penalty * PetscMax(s->total_mass, s->mean_mass) * PetscSqr(way);
}

PetscReal AbutPressEnergy(AbutStepper s, PetscReal t)
{
  const Boundary *b   = &s->boundary;
  const PetscReal gap = b->plane_share + t * b->plane_rate - 1;

  if (!b->pressing) return 0;
  return gap * (Stiffness(s) / 2 * gap - b->plane_multiplier);
}

void AbutPressHarder(AbutStepper s)
{
  s->boundary.plane_multiplier -= Stiffness(s) * (s->boundary.plane_share - 1);
}

/* Friction's part of the border. On the way that is left, which friction takes for straight, alpha grows by 1 - plane_share. */
static PetscErrorCode AddFriction(AbutStepper s, PetscReal c[], PetscReal *a, PetscReal *r)
{
  const PetscReal left  = 1 - s->boundary.plane_share;
  PetscReal       first = 0, second = 0, *mixed;

  PetscFunctionBegin;
  if (!s->frictional) PetscFunctionReturn(0);
  PetscCall(PetscCalloc1(s->n, &mixed));
  PetscCall(AbutFrictionAddPlaneDerivatives(s->friction, s->t, s->contact_c2 / left, s->direction.projection, s->boundary.plane_whole,
                                            &first, &second, mixed));
  *r += first;
  *a += second / left;
  for (PetscInt i = 0; i < s->n; i++) c[i] += s->boundary.constrained[i] ? 0 : mixed[i];
  PetscCall(PetscFree(mixed));
  PetscFunctionReturn(0);
}

/* The border: c, *a, *r. This rank's part. */
static PetscErrorCode SetBorder(AbutStepper s, PetscReal approach, PetscReal c[], PetscReal *a, PetscReal *r)
{
  const PetscReal nudge = approach > 0 && s->min_dist < s->dhat ? NUDGE * s->min_dist / approach : 0;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(c, s->n));
  *a = *r = 0;
  PetscCall(AbutContactPositions(s->contact, s->t, s->xt));
  if (nudge > 0) {
    PetscCall(AddForces(s, nudge, 0.5 / nudge, c, a));
    PetscCall(AddForces(s, -nudge, -0.5 / nudge, c, a));
  }
  PetscCall(AddForces(s, 0, 1, NULL, r));
  PetscCall(AddFriction(s, c, a, r));
  PetscFunctionReturn(0);
}

/* z = H^-1 c; *found: it could be solved for. Collective. */
static PetscErrorCode SolveBorder(AbutStepper s, Vec C, Vec Z, PetscBool *found)
{
  AbutLinearResult result;

  PetscFunctionBegin;
  PetscCall(AbutLinearFinishLagged(s->solver));
  PetscCall(AbutLinearSolve(s->solver, C, Z));
  PetscCall(AbutLinearGetResult(s->solver, &result));
  *found = result.solved;
  s->report.count.linear += result.iterations;
  s->report.count.linear_failures += !*found;
  PetscFunctionReturn(0);
}

/* Sets the planes' part of the line that Newton searches next. */
static PetscErrorCode SetLine(AbutStepper s)
{
  Boundary       *b     = &s->boundary;
  const PetscReal share = b->plane_share + b->plane_rate;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * b->num_planes; i++) {
    b->plane_step[i]                    = b->plane_rate * b->plane_whole[i / 3].shift[i % 3];
    b->plane_ahead[i / 3].center[i % 3] = b->plane_done[i / 3].center[i % 3];
    b->plane_ahead[i / 3].angle[i % 3]  = share * b->plane_whole[i / 3].angle[i % 3];
    b->plane_ahead[i / 3].shift[i % 3]  = b->plane_done[i / 3].shift[i % 3] + b->plane_step[i];
  }
  PetscCall(AbutContactSetPlanes(s->contact, b->plane_point, b->plane_step));
  PetscFunctionReturn(0);
}

/* Numbers of the bordered system, summed over ranks. */
typedef struct {
  PetscReal a, r;
  PetscReal c_p; /* c . p, p being Newton's direction without the border */
  PetscReal c_z; /* c . z, z = H^-1 c */
} BorderSums;

/* dalpha of the bordered system, no further than the end of the way. */
static PetscReal Rate(AbutStepper s, const BorderSums *sums)
{
  const Boundary *b = &s->boundary;
  const PetscReal a = sums->a + Stiffness(s), r = sums->r + Stiffness(s) * (b->plane_share - 1) - b->plane_multiplier;

  return a > sums->c_z ? PetscMin((-sums->c_p - r) / (a - sums->c_z), 1 - b->plane_share) : 0;
}

PetscErrorCode AbutPressDirection(AbutStepper s, PetscReal *most)
{
  Boundary    *b = &s->boundary;
  PetscReal    approach, way;
  BorderSums   sums;
  PetscScalar *c, *z;
  PetscBool    found = PETSC_FALSE;
  Vec          C, Z;

  PetscFunctionBegin;
  b->plane_rate = 0;
  if (!b->pressing) PetscFunctionReturn(0);
  LongestWay(s, &approach, &way);
  PetscCall(VecDuplicate(s->F, &C));
  PetscCall(VecDuplicate(s->F, &Z));
  PetscCall(VecGetArrayWrite(C, &c));
  PetscCall(SetBorder(s, approach, c, &sums.a, &sums.r));
  sums.c_p = AbutDot(s->n, c, s->p);
  sums.c_z = AbutDot(s->n, c, c); /* as yet: is there anything to solve for? */
  PetscCall(VecRestoreArrayWrite(C, &c));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sums, sizeof(sums) / sizeof(PetscReal), MPIU_REAL, MPIU_SUM, s->comm));
  PetscCall(VecZeroEntries(Z));
  if (sums.c_z > 0) {
    PetscCall(SolveBorder(s, C, Z, &found));
    PetscCall(VecDot(C, Z, &sums.c_z));
    if (found) b->plane_rate = Rate(s, &sums);
  } else {
    b->plane_rate = Rate(s, &sums);
  }
  PetscCall(VecGetArray(Z, &z));
  for (PetscInt i = 0; i < s->n && b->plane_rate != 0; i++) s->p[i] -= b->constrained[i] ? 0 : b->plane_rate * z[i];
  PetscCall(VecRestoreArray(Z, &z));
  PetscCall(VecDestroy(&C));
  PetscCall(VecDestroy(&Z));
  PetscCall(SetLine(s));
  *most = PetscMax(*most, PetscAbsReal(b->plane_rate) * way);
  PetscFunctionReturn(0);
}
