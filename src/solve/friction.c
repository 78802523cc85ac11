/*
  Friction within a step (IPC section 5): where it is lagged, how many solves that takes, what it dissipates. Its energy counts in B with
  the factor of forces, and displacements count from the start of the step.
*/
#include "solveimpl.h"

PetscErrorCode AbutStepFrictionCreate(AbutStepper s)
{
  PetscFunctionBegin;
  PetscCall(AbutFrictionCreate(s->mesh, s->state.num_planes, s->planes, &s->spec.friction, &s->friction));
  s->frictional = AbutFrictionIsActive(s->friction);
  s->slip_rate  = AbutQuantityResolve(&s->spec.friction_speed, s->length);
  AbutCheck(!s->frictional || s->slip_rate > 0, ABUT_ERR_INPUT, "friction speed %g m/s must be above 0", (double)s->slip_rate);
  PetscFunctionReturn(0);
}

/* Lags at the state of the potential. Forces in newtons whatever the step: c2 is that of the step whose solution the state is. */
static PetscErrorCode Lag(AbutStepper s, PetscReal c2)
{
  const AbutCandidates   *candidates;
  const AbutContactPoint *points;
  PetscInt                count = 0;

  PetscFunctionBegin;
  PetscCall(AbutContactGetCandidates(s->contact, &candidates));
  if (c2 > 0) PetscCall(AbutPotentialGetContactPoints(s->potential, &count, &points));
  PetscCall(AbutFrictionLag(s->friction, candidates, count, count ? points : NULL, c2 > 0 ? 1 / c2 : 1, s->slip_rate * s->h));
  PetscFunctionReturn(0);
}

/* Contacts that stuck in the step before hold, all of them if there was none. Their slips in it tell: start and line are those of that step. */
static PetscErrorCode HoldAsBefore(AbutStepper s)
{
  AbutRigidMotion *before  = s->boundary.plane_ahead;
  const PetscReal  dt_old  = s->state.dt_old;
  const PetscBool  unknown = (PetscBool)(dt_old <= 0);

  PetscFunctionBegin;
  AbutMotionsOfPlanes(s, s->state.time - dt_old, dt_old, before);
  PetscCall(AbutFrictionSetPlaneMotions(s->friction, before, NULL));
  PetscCall(AbutFrictionSetStart(s->friction, unknown ? s->x_start : s->state.x_old));
  PetscCall(AbutFrictionSetLine(s->friction, s->x_start, NULL));
  PetscCall(AbutFrictionSetStickState(s->friction, 0, unknown ? PETSC_MAX_REAL : s->slip_rate * dt_old));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepFrictionBegin(AbutStepper s)
{
  PetscFunctionBegin;
  if (!s->frictional) PetscFunctionReturn(0);
  PetscCall(AbutObjectiveRestore(s));
  PetscCall(AbutFrictionSetStart(s->friction, s->x_start));
  PetscCall(Lag(s, s->state.c2));
  PetscCall(HoldAsBefore(s));
  PetscCall(AbutFrictionSetStart(s->friction, s->x_start));
  PetscFunctionReturn(0);
}

/* Lags at the iterate, from which Newton goes on with another objective. What sticks there holds. */
static PetscErrorCode LagAnew(AbutStepper s)
{
  PetscFunctionBegin;
  PetscCall(Lag(s, s->contact_c2));
  PetscCall(AbutFrictionSetStickState(s->friction, s->t, s->slip_rate * s->h));
  PetscCall(AbutObjectiveBegin(s));
  PetscFunctionReturn(0);
}

/* Newton's method, as often as contacts that hold have to let go: they slide then, and others may have to follow. */
static PetscErrorCode SolveHolding(AbutStepper s)
{
  PetscReal first_direction;
  PetscInt  gone;

  PetscFunctionBegin;
  PetscCall(AbutNewtonSolve(s));
  first_direction = s->first_direction;
  while (s->frictional && s->report.converged) {
    PetscCall(AbutFrictionRelease(s->friction, s->t, &gone));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &gone, 1, MPIU_INT, MPI_SUM, s->comm));
    if (gone == 0) break;
    PetscCall(AbutObjectiveBegin(s));
    PetscCall(AbutNewtonSolve(s));
  }
  s->first_direction = first_direction;
  PetscFunctionReturn(0);
}

/*
  The first direction of a solve with friction lagged at the iterate is that of IPC eq. 17. A first step starts without known contact
  forces, so one solve would leave it without friction.
*/
PetscErrorCode AbutStepFrictionSolve(AbutStepper s)
{
  const PetscBool until = (PetscBool)(s->spec.friction_lags <= 0);
  PetscInt        most  = PetscMax(until ? s->spec.friction_most : s->spec.friction_lags, 1);

  PetscFunctionBegin;
  if (s->state.c2 <= 0) most = PetscMax(most, 2);
  for (PetscInt solve = 1;; solve++) {
    PetscCall(SolveHolding(s));
    if (!s->frictional) break;
    s->report.count.friction_lags++;
    if (solve > 1) s->report.friction_residual = PetscMax(s->first_direction, 0);
    if (!s->report.converged || solve >= most) break;
    if (until && solve > 1 && s->report.friction_residual < s->tolerance) break;
    PetscCall(LagAnew(s));
  }
  PetscFunctionReturn(0);
}

/* Contacts that stick and slide, and the work that friction took, over all ranks. Collective. */
PetscErrorCode AbutStepFrictionReport(AbutStepper s)
{
  AbutStepReport            *r = &s->report;
  const AbutFrictionContact *contacts;
  PetscInt                   count, kinds[2] = {0, 0};

  PetscFunctionBegin;
  r->energy.friction = 0;
  if (!s->frictional) PetscFunctionReturn(0);
  PetscCall(AbutFrictionGetContacts(s->friction, s->t, &count, &contacts));
  for (PetscInt k = 0; k < count; k++) {
    const PetscReal *force = contacts[k].friction_force, sign = contacts[k].normal_force < 0 ? -1 : 1;
    kinds[contacts[k].sticking ? 0 : 1]++;
    r->energy.friction += sign * PetscSqrtReal(AbutDot(3, force, force)) * contacts[k].slip;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, kinds, 2, MPIU_INT, MPI_SUM, s->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &r->energy.friction, 1, MPIU_REAL, MPIU_SUM, s->comm));
  r->contact.sticking = kinds[0];
  r->contact.sliding  = kinds[1];
  PetscFunctionReturn(0);
}
