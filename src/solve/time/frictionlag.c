/*
  Lagged friction within a step [Li et al. 2020, section 5]: states from which friction is lagged, number of solves, dissipation.
  Displacements are measured from the start of the step.
*/
#include "timeimpl.h"

#define STALE         0.01 /* relative change of the normal forces on a body in a solve above which friction is lagged again */
#define ADAPTIVE_MOST 10   /* largest number of solves of a step because of such changes */

/*
  Relaxation of normal forces with `lags: converged`. Where many stiff contacts share a load, friction and normal forces overshoot in turns:
  falling cards took 7708 Newton iterations in 40 steps, 9 of which did not converge; with relaxation 1815, and 1 step. Cards hit by a block
  took 4052, now 3548; ten scenes that converge without relaxation take 1.00 to 1.08 times as many. A factor of 0.7 as soon as residuals
  fall by less than a fifth: 1943 and 3918; 0.5: 1812 and 4470. Least factors of 0.1 and 0.5 instead of 0.3: 1793 and 3553, 1824 and 3554.
*/
#define RELAXATION_LEAST 0.3

/*
  Slip threshold of quasi-static steps by default, as a fraction of the largest displacement of the step before, and its limits over the
  diagonal of the smallest body or the length that the scene gives: with the diagonal of a scene 100 m large, the force on a block of 1 mm
  was 71 % too small. The upper one is the threshold of the first step. Contacts that stick creep by a part of the threshold in every step,
  so that with a fixed threshold the error grows with the number of steps: the forces of a pad that is pressed and sheared by a tenth of
  its height in 20, 200 and 2000 steps had errors of 0.1, 1.0 and 8.5 % with 1e-5 times the reference length. With these numbers the errors
  are 0.04, 0.06 and 0.11 %, for 1.03 to 1.11 times the iterations. A tenth of the displacement saves 15 to 27 %, with errors of 3 %.
*/
#define SLIP_FRACTION 1e-3
#define SLIP_LEAST    1e-7
#define SLIP_MOST     1e-5

/* Unit of the limits of the default threshold [m]. */
static PetscReal SlipUnit(const AbutMeshLocal *ml, const AbutStepSpec *spec)
{
  PetscReal unit = AbutStepSpecLength(spec, ml->global.diagonal);

  for (const AbutBody *body = ml->bodies; body < ml->bodies + ml->num_bodies && !(spec->reference_length > 0); body++)
    if (!body->obstacle) unit = PetscMin(unit, AbutBodyDiagonal(ml->dim, body));
  return unit;
}

PetscErrorCode AbutFrictionLagCreate(const AbutModelParts *parts, const AbutStepSpec *spec, PetscReal length, FrictionLag *lag)
{
  const PetscInt bodies = AbutMeshGetLocal(parts->mesh)->num_bodies;

  PetscFunctionBegin;
  PetscCall(AbutFrictionCreate(parts->mesh, parts->num_planes, parts->planes, &spec->friction, &lag->friction));
  if (spec->integrator == ABUT_INTEGRATOR_STATIC) AbutFrictionUsePrimalDual(lag->friction);
  lag->active    = AbutFrictionIsActive(lag->friction);
  lag->adaptive  = (PetscBool)(spec->integrator == ABUT_INTEGRATOR_STATIC && spec->friction_speed.value == 0);
  lag->slip_unit = SlipUnit(AbutMeshGetLocal(parts->mesh), spec);
  PetscCall(PetscMalloc2(2 * bodies, &lag->sums, bodies, &lag->before));
  lag->slip_rate = lag->adaptive ? SLIP_MOST * lag->slip_unit : AbutQuantityResolve(&spec->friction_speed, length);
  AbutCheck(!lag->active || lag->slip_rate > 0, ABUT_ERR_INPUT, "friction speed %g m/s must be above 0", (double)lag->slip_rate);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionLagDestroy(FrictionLag *lag)
{
  PetscFunctionBegin;
  PetscCall(AbutFrictionDestroy(&lag->friction));
  PetscCall(PetscFree2(lag->sums, lag->before));
  PetscFunctionReturn(0);
}

/* Largest component of a velocity of the state [m/s]. Collective. */
static PetscErrorCode LargestVelocity(AbutStepper s, PetscReal *fast)
{
  PetscFunctionBegin;
  *fast = 0;
  for (PetscInt i = 0; i < s->ml->num_owned * s->ml->dim; i++) *fast = PetscMax(*fast, PetscAbsReal(s->state.v[i]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, fast, 1, MPIU_REAL, MPIU_MAX, s->comm));
  PetscFunctionReturn(0);
}

/* Sets the slip threshold of the next step. Collective. */
static PetscErrorCode SetThreshold(AbutStepper s)
{
  PetscReal fast;

  PetscFunctionBegin;
  s->lag.threshold = s->lag.slip_rate * AbutTimeUnit(&s->spec, s->size.h);
  if (!s->lag.adaptive || s->state.dt_old <= 0) PetscFunctionReturn(0);
  PetscCall(LargestVelocity(s, &fast));
  s->lag.threshold = PetscMin(s->lag.threshold, PetscMax(SLIP_FRACTION * fast * s->size.h, SLIP_LEAST * s->lag.slip_unit));
  PetscFunctionReturn(0);
}

/* Lags friction at the state of the potential. c2: factor of contact in the step that led to this state; 0: it has no forces yet. */
static PetscErrorCode Lag(AbutStepper s, PetscReal c2, PetscReal relaxation)
{
  const AbutCandidates   *candidates = AbutContactGetCandidates(s->parts.contact);
  const AbutContactPoint *points;
  PetscInt                count = 0;

  PetscFunctionBegin;
  if (c2 > 0) PetscCall(AbutPotentialGetContactPoints(s->parts.potential, &count, &points));
  PetscCall(AbutFrictionLag(s->lag.friction, candidates, count, count ? points : NULL, c2 > 0 ? 1 / c2 : 1, s->lag.threshold, relaxation));
  PetscFunctionReturn(0);
}

/* Sets the stick state of the contacts from their slips in the step before. In the first step all contacts stick. */
static PetscErrorCode SetStickStates(AbutStepper s)
{
  const PetscReal        dt_old  = s->state.dt_old;
  const PetscBool        first   = (PetscBool)(dt_old <= 0);
  const PetscReal       *x_start = s->integrator.inertia.x_start;
  const AbutRigidMotion *past    = AbutConstraintGetPastPlaneMotions(s->constraint, s->state.time - dt_old, dt_old);

  PetscFunctionBegin;
  PetscCall(AbutFrictionSetPlaneMotions(s->lag.friction, past, NULL));
  PetscCall(AbutFrictionSetStart(s->lag.friction, first ? x_start : s->state.x_old));
  PetscCall(AbutFrictionSetLine(s->lag.friction, x_start, NULL));
  PetscCall(AbutFrictionSetStickState(s->lag.friction, 0, first ? PETSC_MAX_REAL : s->lag.slip_rate * AbutTimeUnit(&s->spec, dt_old)));
  PetscFunctionReturn(0);
}

/* Restores the contacts of the last solution: half spaces, candidates, stiffness, stencils. */
static PetscErrorCode RestoreContact(AbutStepper s)
{
  PetscReal step = 0;

  PetscFunctionBegin;
  PetscCall(AbutConstraintResetPlanes(s->constraint));
  PetscCall(AbutObjectiveSearch(s->objective, NULL, &step));
  if (s->state.c2 > 0) PetscCall(AbutPotentialSetStiffness(s->parts.potential, s->state.kappa));
  PetscCall(AbutObjectiveAccept(s->objective, 0));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionLagBegin(AbutStepper s)
{
  PetscFunctionBegin;
  if (!s->lag.active) PetscFunctionReturn(0);
  PetscCall(AbutFrictionSetStart(s->lag.friction, s->integrator.inertia.x_start));
  PetscCall(RestoreContact(s));
  PetscCall(SetThreshold(s));
  PetscCall(Lag(s, s->state.c2, 1));
  PetscCall(SetStickStates(s));
  PetscCall(AbutFrictionSetStart(s->lag.friction, s->integrator.inertia.x_start));
  PetscFunctionReturn(0);
}

/* Solves, and solves again as long as contacts in stick state slip beyond their peak slip, which releases them. */
static PetscErrorCode SolveWithRelease(AbutStepper s, AbutNewtonResult *result)
{
  PetscReal first_direction;
  PetscInt  released;

  PetscFunctionBegin;
  PetscCall(AbutNewtonSolve(s->newton));
  first_direction = result->first_direction;
  while (s->lag.active && result->converged) {
    PetscCall(AbutFrictionRelease(s->lag.friction, s->at->t, &released));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &released, 1, MPIU_INT, MPI_SUM, s->comm));
    if (released == 0) break;
    PetscCall(AbutNewtonBegin(s->newton, PETSC_FALSE));
    PetscCall(AbutNewtonSolve(s->newton));
  }
  result->first_direction = first_direction;
  PetscFunctionReturn(0);
}

/* Largest difference on a body of the normal forces of the solve and the lagged ones, from which friction was computed. Collective. */
static PetscErrorCode CompareForces(AbutStepper s, PetscReal *change)
{
  const AbutCandidates   *candidates = AbutContactGetCandidates(s->parts.contact);
  const AbutContactPoint *points;
  PetscReal              *sums = s->lag.sums;
  PetscInt                count;

  PetscFunctionBegin;
  PetscCall(AbutPotentialGetContactPoints(s->parts.potential, &count, &points));
  PetscCall(AbutFrictionSumForces(s->lag.friction, candidates, count, points, 1 / s->integrator.contact_c2, sums));
  *change = 0;
  for (PetscInt b = 0; b < s->ml->num_bodies; b++) {
    const PetscReal most = PetscMax(sums[2 * b], sums[2 * b + 1]);
    if (most > 0) *change = PetscMax(*change, PetscAbsReal(sums[2 * b] - sums[2 * b + 1]) / most);
  }
  PetscFunctionReturn(0);
}

/* Largest number of solves of a step. */
static PetscInt MostSolves(AbutStepper s)
{
  if (s->spec.friction_converge) return s->spec.friction_most;
  if (s->spec.friction_lags == 0) return ADAPTIVE_MOST;
  return s->state.c2 <= 0 ? PetscMax(s->spec.friction_lags, 2) : s->spec.friction_lags;
}

/*
  Relaxation of the next lag: Aitken's factor from the sums of the normal forces on the bodies, which a solve changes by `now`, and by
  `before` the solve before the last lag, whose factor was `relaxation` [Küttler and Wall 2008, Fixed-point fluid-structure interaction
  solvers with dynamic relaxation]. The first lag of a step has none.
*/
static PetscReal NextRelaxation(AbutStepper s, PetscInt solve, PetscReal relaxation)
{
  PetscReal ahead = 0, size = 0;

  for (PetscInt b = 0; b < s->ml->num_bodies; b++) {
    const PetscReal now = s->lag.sums[2 * b + 1] - s->lag.sums[2 * b], before = s->lag.before[b];
    ahead -= before * (now - before);
    size += PetscSqr(now - before);
    s->lag.before[b] = now;
  }
  return solve > 1 && size > 0 ? PetscClipInterval(relaxation * ahead / size, RELAXATION_LEAST, 1) : 1;
}

/* Whether friction agrees with the normal forces of the last solve, as far as the scene asks. Collective. */
static PetscErrorCode Agrees(AbutStepper s, PetscInt solve, PetscBool *agrees)
{
  const PetscBool at_rest = (PetscBool)(solve > 1 && s->lag.residual < s->scales.tolerance);
  PetscReal       change  = 0;

  PetscFunctionBegin;
  PetscCall(CompareForces(s, &change));
  *agrees        = s->spec.friction_converge ? (PetscBool)(at_rest || change == 0) : (PetscBool)(change <= STALE);
  s->lag.settled = (PetscBool)(*agrees || at_rest);
  PetscFunctionReturn(0);
}

/*
  Solves as often as needed, and lags friction at the iterate in between. The first direction of a repeated solve is the residual of IPC
  eq. 17. The first step of a run has at least two solves: at its start contact forces are unknown, so its first solve has no friction, and
  in the second one all contacts begin in stick state.
*/
PetscErrorCode AbutFrictionLagSolve(AbutStepper s)
{
  const PetscBool   converge = s->spec.friction_converge, fixed = (PetscBool)(!converge && s->spec.friction_lags > 0);
  const PetscInt    most       = MostSolves(s);
  AbutNewtonResult *result     = AbutNewtonGetResult(s->newton);
  PetscReal         relaxation = 1;
  PetscBool         agrees     = PETSC_FALSE;

  PetscFunctionBegin;
  s->lag.residual = 0;
  s->lag.settled  = PETSC_TRUE;
  for (PetscInt solve = 1;; solve++) {
    PetscCall(SolveWithRelease(s, result));
    if (!s->lag.active) break;
    result->count.friction_lags++;
    if (solve > 1) s->lag.residual = PetscMax(result->first_direction, 0) / relaxation;
    if (!result->converged) break;
    if (!fixed) PetscCall(Agrees(s, solve, &agrees));
    if (agrees || solve >= most) break;
    if (converge) relaxation = NextRelaxation(s, solve, relaxation);
    PetscCall(Lag(s, s->integrator.contact_c2, relaxation)); /* contacts that stick at the iterate stay in stick state */
    PetscCall(AbutFrictionSetStickState(s->lag.friction, s->at->t, solve == 1 && s->state.c2 <= 0 ? PETSC_MAX_REAL : s->lag.threshold));
    PetscCall(AbutNewtonBegin(s->newton, PETSC_FALSE));
  }
  PetscFunctionReturn(0);
}

/* Sums over contacts: numbers, work of friction, work without signs where contacts stick, friction forces. */
enum { STICKING, SLIDING, WORK, CREEP, FORCE, NUM_SUMS };

PetscErrorCode AbutFrictionLagReport(AbutStepper s)
{
  AbutStepReport            *r = &s->report;
  const AbutFrictionContact *contacts;
  PetscInt                   count;
  PetscReal                  sums[NUM_SUMS] = {0};

  PetscFunctionBegin;
  r->friction_residual = s->lag.residual;
  r->friction_settled  = s->lag.settled;
  r->energy.friction   = 0;
  if (!s->lag.active) PetscFunctionReturn(0);
  PetscCall(AbutFrictionGetContacts(s->lag.friction, s->at->t, &count, &contacts));
  for (PetscInt k = 0; k < count; k++) {
    const PetscReal force = AbutNorm(3, contacts[k].friction_force), slip = contacts[k].slip;
    if (!contacts[k].kept) sums[contacts[k].sticking ? STICKING : SLIDING] += 1;
    sums[WORK] += (contacts[k].normal_force < 0 ? -1 : 1) * force * slip;
    sums[CREEP] += contacts[k].sticking ? force * slip : 0;
    sums[FORCE] += force;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, NUM_SUMS, MPIU_REAL, MPIU_SUM, s->comm));
  r->energy.friction  = sums[WORK];
  r->contact.sticking = (PetscInt)sums[STICKING];
  r->contact.sliding  = (PetscInt)sums[SLIDING];
  r->contact.creep    = sums[FORCE] > 0 ? sums[CREEP] / sums[FORCE] : 0;
  PetscCall(LargestVelocity(s, &r->contact.displacement));
  r->contact.displacement *= r->dt;
  PetscFunctionReturn(0);
}
